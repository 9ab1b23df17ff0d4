# Numbers at their ends, one at a time: in inputs of every format, and on the
# command line.  Cases of inputs are made by tests/fuzz/sweep.h.  Here is a part
# of them; with WHOLE=yes it is more, and `make slow-sweep` gives all to the parsers.

bats_require_minimum_version 1.5.0
load helper

# Numbers of cases are primes, so that all values of the places come.
setup() {
    setup_scratch
    EVERY=97 FIXED=499
    NUMBERS=(0 9223372036854775807 18446744073709551616 -9223372036854775809
        1e308)
    if [ "${WHOLE-}" = yes ]; then
        EVERY=31 FIXED=211
        NUMBERS+=(-1 2147483648 18446744073709551615 1.5 nan)
    elif [[ $BUILD = *-asan ]]; then
        # What takes longer with sanitizers is also tried less often.
        EVERY=499 FIXED=3001
        NUMBERS=(9223372036854775807 1e308)
    fi
}

@test "parsers: what is taken holds together, what is refused has a reason" {
    LOG=$PWD EVERY=$EVERY "$ROOT/tests/slow/sweep/run" >out
    [[ $(tail -n 1 out) =~ ^([0-9]+)\ cases,\ 0\ targets ]]
    [ "${BASH_REMATCH[1]}" -gt 2000 ]
}

# Each case is a profile without errors, or a message that names it.
converts() { # TARGET FORM COMMAND...
    local seeds=("$ROOT/tests/fuzz/seeds/$1"/*) target=$1 form=$2 cases made
    local every=31 failed
    [ "$form" = text ] || every=$FIXED
    shift 2
    mkdir "$target"
    "$BIN/fuzz/fuzz_$target" --sweep="$form:$every" --into="$target" \
        "${seeds[@]}" >/dev/null
    find "$target" -type f >list
    cases=$(wc -l <list)
    expect 5 "$@" -q -k --each -o "$target.pb/" --files-from=list
    made=$(find "$target.pb" -type f | wc -l)
    failed=$(grep -cv ': warning: ' <<<"$stderr") # -q hides no losses
    [ "$made" -gt 0 ]
    [ "$cases" = $((made + failed)) ]
    run ! grep -vE \
        "^$1: ($target/[^ ]*|warning: [0-9]+ more profiles?): ." <<<"$stderr"
    find "$target.pb" -type f >list
    run --separate-stderr pbcat --check=all --files-from=list
    [ "$status" -lt 2 ] # there may be warnings
    [[ ${lines[-1]} = "$made profile"*": 0 errors, "* ]]
}

@test "converters: a profile without errors, or a message with a name" {
    converts cpu fixed prof2pb --no-symbols
    converts heap text prof2pb --no-symbols
    converts jemalloc text prof2pb --no-symbols
    converts gmon fixed gmon2pb --no-symbols
    converts dcpicat text dcpi2pb
    converts dcpi fixed dcpi2pb
    converts folded text folded2pb
}

@test "options that take a number" {
    local n command status
    fixture cpu.pb.gz cpu.prof gmon.out a.out cycles.dcpi
    for n in "${NUMBERS[@]}"; do
        while read -ra command; do
            run --separate-stderr "${command[@]//@/$n}"
            [ "$status" = 0 ] && continue
            # A value too large may have to do with an input.
            [ "$status" = 2 ] || [ "$status" = 3 ]
            [[ $stderr = "${command[0]}: "*[-a-z.]": "* ]]
            [[ $stderr = *--* || $stderr = *"sample type"* ||
                $stderr = *" 64 bits"* ]]
        done <<'END'
pbcat --nodecount=@ cpu.pb.gz
pbcat --dot --nodefraction=@ cpu.pb.gz
pbcat --divide-by=@ cpu.pb.gz
pbcat --sample-index=@ cpu.pb.gz
pbcat --max-size=@ cpu.pb.gz
pbfilter --tagfocus=bytes=@kb: -0 -o out cpu.pb.gz
pbfilter --tagignore=:@years -0 -o out cpu.pb.gz
pbfilter --divide-by=@ -0 -o out cpu.pb.gz
pbmerge --scale=@ -0 -o out cpu.pb.gz
pbmerge --memory=@ -0 -o out cpu.pb.gz
pbmerge --threads=@ -0 -o out cpu.pb.gz
prof2pb --no-symbols --period=@ms -0 -o out cpu.prof
prof2pb --no-symbols --period=@Hz -0 -o out cpu.prof
gmon2pb --max-stacks=@ -0 -o out gmon.out
dcpi2pb --text-start=@ -0 -o out cycles.dcpi
END
    done
}
