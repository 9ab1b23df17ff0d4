# What memory archives of many files take.

load helper
load bulk

# The peak memory of a tool, in KiB, when it has read N entries with FILE in
# each from a pipe, or as good as: what it has not is in the pipe.
peak() { # N FILE TOOL ARG...
    local n=$1 file=$2 pid
    shift 2
    rm -f pipe
    mkfifo pipe
    "$@" <pipe &
    pid=$!
    {
        bulk many "$n" "$file"
        sed -n 's/^VmHWM:[^0-9]*\([0-9]*\).*/\1/p' "/proc/$pid/status" >peak
        bulk end
    } >pipe
    wait $pid
    [ -s peak ]
}

@test "memory does not grow with the number of entries" {
    # What AddressSanitizer keeps of freed memory is no growth of ours.
    export ASAN_OPTIONS=${ASAN_OPTIONS-}:quarantine_size_mb=1
    local tool few mode
    for tool in prof2pb gmon2pb dcpi2pb folded2pb; do
        files_of $tool
        for mode in '' '--each -o x.tar' '--each -o x.zip'; do
            # shellcheck disable=SC2086 # several words
            peak 100 one.in $tool -q -o got $mode
            few=$(cat peak)
            # shellcheck disable=SC2086 # several words
            peak 10000 one.in $tool -q -o got $mode
            echo "$tool $mode: $few KiB, $(cat peak) KiB"
            [ "$(cat peak)" -le $((few + 20000)) ]
            [ -z "$mode" ] || rm x.*
        done
    done
}
