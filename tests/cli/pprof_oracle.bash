# pprof_oracle.bash - prof2pb beside go tool pprof, for bats files
# (`load helper` and then `load pprof_oracle`)
#
#   same_as_pprof FILE       what prof2pb makes of a file, ours.pb.gz, is byte
#                            for byte what pbmerge makes of what go tool pprof
#                            makes of it, theirs.pb.gz
#   pprof_refuses FILE TEXT  go tool pprof does not read the file, and says so
#   pprof_samples FILE       what go tool pprof reads in a file: the lines from
#                            its sample types to its locations
#
# shellcheck disable=SC2154 # set by run

same_as_pprof() {
    go_pprof -proto -output=theirs.pb.gz "$1" >/dev/null || return
    pbmerge theirs.pb.gz -o theirs.merged.pb.gz || return
    prof2pb -q --no-symbols "$1" -o ours.pb.gz || return
    cmp ours.pb.gz theirs.merged.pb.gz
}

pprof_refuses() {
    expect 1 go tool pprof -symbolize=none -proto -output=refused.pb.gz "$1"
    [[ $stderr == *"$2"* ]]
}

pprof_samples() {
    go_pprof -raw "$1" | sed -n '/^Samples:/,/^Mappings/p' |
        sed '1d;$d;s/ *$//'
}
