#!/usr/bin/env bats
# Exit statuses, which are the same in all tools, and --strict.
# shellcheck disable=SC2154 # status, output and stderr are set by run

load helper

TOOLS='dcpi2pb folded2pb gmon2pb pbcat pbfilter pbmerge pbsym perf2pb prof2pb pbdiff pb2pgo'

# inputs: good, bad (bad for all tools) and, in more, the same twice
setup() {
    setup_scratch
    printf 'main;f 10\nmain;g 20\n' >good.folded
    folded2pb -o good.pb good.folded
    folded2pb -o other.pb <<<'main;h 5'
    printf '\377\376not a profile\n' >bad
}

exit_status_of() {
    sed -n '/^\.Sh EXIT STATUS/,/^\.El/p' "$1"
}

@test "all pages say the same of the exit status" {
    exit_status_of "$ROOT/man/profutils.7" >wanted
    [ "$(wc -l <wanted)" -gt 12 ]
    for tool in $TOOLS; do
        exit_status_of "$ROOT/man/$tool.1" | cmp wanted -
    done
}

@test "bad input is 3, and nothing is written" {
    for tool in ${TOOLS/pbdiff/}; do
        expect 3 "$tool" -o out bad
        [ ! -e out ]
        expect 3 "$tool" -k -o out bad
        [ ! -e out ]
    done
}

@test "pbdiff needs both sides for a comparison" {
    expect 3 pbdiff -o out good.pb -- bad
    expect 3 pbdiff -k -o out bad -- good.pb
    expect 4 pbdiff -o out missing -- good.pb
    expect 4 pbdiff -k -o out --base=missing good.pb
    [ ! -e out ]
    expect 5 pbdiff -k -o out good.pb -- bad good.pb
    [ -s out ]
}

@test "a missing file is 4, and nothing is written" {
    for tool in ${TOOLS/pbdiff/}; do
        expect 4 "$tool" -o out missing
        [ ! -e out ]
        expect 4 "$tool" -k -o out missing
        [ ! -e out ]
        expect 4 "$tool" -k -o out bad missing
        [ ! -e out ]
    done
}

@test "written without some inputs is 5" {
    for tool in pbmerge pbfilter pbsym pbcat; do
        "$tool" -o wanted good.pb
        for left_out in bad missing; do
            rm -f out
            expect 5 "$tool" -k -o out $left_out good.pb
            cmp out wanted
            same_err ... "$left_out: " ...
        done
        "$tool" good.pb >wanted
        run --separate-stderr bash -c "$tool -k good.pb bad >out"
        [ "$status" = 5 ]
        cmp out wanted
    done
    folded2pb -o wanted good.folded
    expect 5 folded2pb -k -o out bad good.folded
    cmp out wanted
    expect 5 folded2pb -k -o out good.folded missing
    cmp out wanted
}

@test "written without some inputs is 5, where it is there already" {
    pbmerge -o out good.pb
    expect 5 pbmerge -k --if-changed -o out good.pb bad
}

@test "--each: 5 with some members, 3 and nothing with none" {
    printf 'main;f\n' >bad.folded
    expect 3 folded2pb --each -o out.tar good.folded bad.folded
    [ ! -e out.tar ]
    expect 5 folded2pb -k --each -o out.tar good.folded bad.folded
    [ "$(tar -tf out.tar)" = good.folded.pb.gz ] || tar -tf out.tar
    expect 3 folded2pb -k --each -o none.tar bad.folded
    [ ! -e none.tar ]
    expect 3 folded2pb -k --each -o none/ bad.folded bad.folded
    [ -z "$(ls none 2>/dev/null)" ]
    : >list
    expect 3 folded2pb -k --each --files-from=list -o none.tar
    [ ! -e none.tar ]
}

@test "a part of an archive is an input" {
    mkdir d
    cp good.pb d/a.pb
    cp bad d/b.pb
    tar -cf all.tar -C d a.pb b.pb
    expect 3 pbmerge -o out all.tar
    [ ! -e out ]
    expect 5 pbmerge -k -o out all.tar
    cmp out good.pb || pbcat --digest out good.pb
}

@test "a failure to write is worse than a bad input" {
    for tool in pbmerge pbfilter pbsym pbcat; do
        expect 4 "$tool" -k -o missing/out good.pb bad
        run --separate-stderr bash -c "$tool -k good.pb bad >/dev/full"
        [ "$status" = 4 ]
    done
    expect 4 folded2pb -k -o missing/out good.folded bad
    expect 4 folded2pb -k --each -o missing/d/out.tar good.folded bad
}

@test "no matters less than an input that was left out" {
    expect 1 pbfilter --fail-empty --focus=zzz -o out good.pb
    expect 3 pbfilter -k --fail-empty --focus=zzz -o out good.pb bad
    [ ! -e out ]
    expect 1 pbcat --list=zzz good.pb
}

@test "pbcat --fail-empty: no sample is 1, and nothing is written" {
    local format
    for format in $(formats gv list disasm weblist textproto); do
        expect 1 pbcat --fail-empty --$format --focus=zzz -q -o out good.pb
        [ ! -e out ]
        same_err 'pbcat: good.pb: no samples left after filtering'
        expect 0 pbcat --fail-empty --$format --focus=f -o out good.pb
        rm out
    done
    expect 0 pbcat --focus=zzz good.pb
    expect 1 pbcat --fail-empty --base=good.pb good.pb
    expect 3 pbcat -k --fail-empty --focus=zzz -o out good.pb bad
    [ ! -e out ]
    expect 2 pbcat --fail-empty --check good.pb
    expect 2 pbcat --fail-empty --textproto good.pb
}

@test "--check: problems are 1, an input that cannot be read 4 or 5" {
    expect 0 pbcat --check good.pb
    expect 1 pbcat --check bad
    expect 1 pbcat --check bad good.pb
    expect 4 pbcat --check missing good.pb
    [ -z "$output" ]
    expect 5 pbcat -k --check missing good.pb
    expect 5 pbcat -k --check missing bad good.pb
    [[ $output = *good.pb* ]]
}

@test "usage is 2" {
    for tool in $TOOLS; do
        expect 2 "$tool" --zzz good.pb
        expect 2 "$tool" -o '' good.pb
    done
}

@test "--strict: what an archive has in place of a file is an error" {
    local tool
    ln -s good.pb soft
    ln good.pb hard
    mkfifo fifo
    mkdir dir
    tar -cf soft.tar good.pb dir soft
    tar -cf hard.tar good.pb dir hard
    tar -cf fifo.tar good.pb dir fifo
    tar -cf dir.tar good.pb dir
    for tool in pbmerge pbfilter pbsym pbcat 'pbfilter --repair' \
        'pbcat --check' 'pbcat --digest'; do
        expect 0 $tool -q --strict dir.tar
        for entry in soft hard fifo; do
            expect 0 $tool $entry.tar
            expect 3 $tool --strict -o out $entry.tar
            [ ! -e out ]
            expect 5 $tool --strict -k -o out $entry.tar
            rm out
        done
        same_err "${tool%% *}: fifo.tar(fifo): skipped: a FIFO (an error with --strict)" ...
    done
}

@test "--strict: a loss is an error, -q hides none" {
    mkdir d
    cp good.pb d/a.pb
    cp other.pb d/b.pb
    tar -b1 -cf all.tar -C d a.pb b.pb
    head -c -1024 all.tar >cut.tar # the zeros at its end
    expect 0 pbmerge -q -o out cut.tar
    same_err ... 'cut.tar: warning: the tar archive has no end marker; it may be truncated and entries may be missing' ...
    for tool in pbmerge pbfilter pbsym pbcat; do
        rm -f out
        expect 3 "$tool" --strict -o out cut.tar
        same_err ... 'cut.tar: the tar archive has no end marker; it may be truncated and entries may be missing (an error with --strict)' ...
        [ ! -e out ]
        expect 0 "$tool" --strict -o out all.tar
        cp out wanted
        # What was read before is there.
        expect 5 "$tool" -k --strict -o out cut.tar
        cmp out wanted
    done
    rm -f out
    expect 3 pbfilter --repair --strict -o out cut.tar
    [ ! -e out ]
}
