# pprof_oracle.bash - prof2pb beside go tool pprof, for bats files
# (`load helper` and then `load pprof_oracle`)
#
#   same_as_pprof FILE       what prof2pb makes of a file, ours.pb.gz, is byte
#                            for byte what pbmerge makes of what go tool pprof
#                            makes of it, theirs.pb.gz; but drop_frames may
#                            have more alternatives, comments may say what
#                            was lost, and of a heap profile that counts
#                            allocations and has freed nothing, where pprof has
#                            no allocated values, those in use are compared
#   pprof_refuses FILE TEXT  go tool pprof does not read the file, and says so
#   pprof_samples FILE       what go tool pprof reads in a file: the lines from
#                            its sample types to its locations
#
# shellcheck disable=SC2154 # set by run

same_as_pprof() {
    local name
    go_pprof -proto -output=theirs.pb.gz "$1" >/dev/null || return
    pbmerge theirs.pb.gz -o theirs.merged.pb.gz || return
    prof2pb -q --no-symbols "$1" -o ours.pb.gz || return
    without_losses ours.pb.gz || return
    ! counts_allocations "$1" || ! has_type theirs.pb.gz objects ||
        only_in_use ours.pb.gz || return
    cmp -s ours.pb.gz theirs.merged.pb.gz && return
    for name in ours theirs.merged; do
        decoded $name.pb.gz >$name.txt || return
    done
    more_drop_frames ours.txt theirs.merged.txt | encode >theirs.more.pb ||
        return
    pbmerge theirs.more.pb -o theirs.merged.pb.gz || return
    cmp ours.pb.gz theirs.merged.pb.gz
}

# Takes off the comments that say what was lost.
without_losses() { # PROFILE
    pbcat --comments "$1" | grep -q '^incomplete: ' || return 0
    decoded "$1" | perl -e '
        my @lines = <>;
        my @strings = grep /^string_table: /, @lines;
        print grep !(/^comment: (\d+)/ &&
            $strings[$1] =~ /^string_table: "incomplete: /), @lines;
    ' | encode >complete.pb && pbmerge complete.pb -o "$1"
}

# Whether a file is a heap profile of a kind that always has allocated values.
counts_allocations() { # FILE
    LC_ALL=C grep -aqE \
        '(^|\] )heap profile:.*@ *heap(profile)?(/[0-9]*)?[[:space:]]*$' "$1"
}

has_type() { # PROFILE TYPE
    pprof_totals "$1" | grep -q "^$2/"
}

# Takes off the allocated values; those in use get the names that pprof gives
# them where there are no others.
only_in_use() { # PROFILE
    local wanted='alloc_objects/count alloc_space/bytes inuse_objects/count '
    wanted+=inuse_space/bytes
    [ "$(pprof_totals "$1" | cut -d' ' -f1 | xargs)" = "$wanted" ] || return
    decoded "$1" | perl -0777 -pe '
        s/\A(.*?)(?:^sample_type \{.*?^\}\n){2}/$1/ms;
        s/^sample \{\n(?:  location_id.*\n)*\K(?:  value: .*\n){2}//mg;
        s/^(string_table: ")inuse_(objects|space)"/$1$2"/mg;
    ' | encode >inuse.pb && pbmerge inuse.pb -o "$1"
}

decoded() { # PROFILE
    raw "$1" | protoc --proto_path="$ROOT/lib/profile/wire" \
        --decode=perftools.profiles.Profile profile.proto
}

# THEIRS, in text format, with the drop_frames of OURS, which must have all
# alternatives of theirs.
more_drop_frames() { # OURS THEIRS
    perl -e '
        sub frames { # reads a file; its lines, and which is drop_frames
            open my $file, "<", $_[0] or die;
            my @lines = <$file>;
            my ($n) = map /^drop_frames: (\d+)/, @lines;
            my @strings = grep $lines[$_] =~ /^string_table: /, 0 .. $#lines;
            return (\@lines, $strings[$n]);
        }
        my ($ours, $from) = frames($ARGV[0]);
        my ($theirs, $to) = frames($ARGV[1]);
        my %have = map { $_, 1 } split /[|"]/, $ours->[$from];
        $have{$_} or die "drop_frames: no $_\n"
            for split /[|"]/, $theirs->[$to];
        $theirs->[$to] = $ours->[$from];
        print @$theirs;' "$@"
}

pprof_refuses() {
    expect 1 go tool pprof -symbolize=none -proto -output=refused.pb.gz "$1"
    [[ $stderr == *"$2"* ]]
}

pprof_samples() {
    go_pprof -raw "$1" | sed -n '/^Samples:/,/^Mappings/p' |
        sed '1d;$d;s/ *$//'
}
