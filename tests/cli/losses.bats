#!/usr/bin/env bats
# Files that are cut: what is lost is said, an error with --strict, and in a
# comment of the result.
# shellcheck disable=SC2154 # status, output and stderr are set by run

load helper

# cut_at FILE OFFSET TOOL ARG...: the file cut there is refused by --strict,
# or otherwise says with -q that something is missing
cut_at() {
    local file=$1 at=$2
    shift 2
    head -c "$at" "$file" >part
    rm -f out
    expect 3 "$@" -q --strict -o out part
    [ ! -e out ]
    [ -n "$stderr" ]
    run --separate-stderr "$@" -q -o out part
    [ -n "$stderr" ] || {
        echo "$file, $at: silent"
        return 1
    }
    if [ "$status" = 0 ]; then
        expect 1 pbcat --check out
        [[ $output = *"is 'incomplete: "*"[incomplete]"* ]]
        pbmerge out | cmp - out
    else
        [ "$status" = 3 ]
        [ ! -e out ]
    fi
}

@test "a CPU profile that is cut before its map list" {
    local at text
    cp "$DATA/cpu.prof" .
    # From the address that begins the first line of the map list on.
    text=$(grep -abo -m1 '[0-9a-f]*-[0-9a-f]* r' cpu.prof | head -n 1)
    text=${text%%:*}
    [ "$text" -gt 200 ]
    for ((at = 1; at < text; at += 307)); do
        cut_at cpu.prof "$at" prof2pb --no-symbols
    done
    cut_at cpu.prof "$text" prof2pb --no-symbols
    cut_at cpu.prof $((text + 10)) prof2pb --no-symbols
    expect 0 prof2pb --no-symbols --strict -q -o out cpu.prof
    same_err ''
    run pbcat --comments out
    [[ $output != *incomplete* ]]
}

@test "a heap profile that is cut anywhere, but at the end of a mapping" {
    local at size
    printf '%s\n' 'heap profile:  7:  664 [ 7:  664] @ heap_v2/1' \
        '  3:  256 [  3:  256] @ 0x401136 0x401150' \
        '  4:  408 [  4:  408] @ 0x401138 0x401150' '' 'MAPPED_LIBRARIES:' \
        '00400000-00401000 r--p 00000000 08:01 1 /bin/app' \
        '00401000-00405000 r-xp 00001000 08:01 1 /bin/app' >heap
    size=$(stat -c %s heap)
    for ((at = 1; at < size; at += 7)); do
        [ "$(head -c "$at" heap | tail -n 1 | cut -c -12)" = 00400000-004 ] &&
            [ -z "$(head -c "$at" heap | tail -c 1)" ] && continue
        cut_at heap "$at" prof2pb --no-symbols
    done
    expect 0 prof2pb --no-symbols --strict -q -o out heap
}

@test "a gmon.out that is cut, but between its records" {
    local at
    cp "$DATA/tour/gmon.out" .
    for at in 3 10 20 40 100 200 1000 2000; do
        [ "$at" -lt "$(stat -c %s gmon.out)" ] || continue
        cut_at gmon.out "$at" gmon2pb --no-symbols
        cut_at gmon.out "$at" gmon2pb --no-symbols --lenient
    done
}

@test "a DCPI file, and what dcpicat prints, cut anywhere" {
    local at
    cp "$DATA/dcpi/cycles.dcpi" "$DATA/dcpi/events.txt" .
    for ((at = 1; at < $(stat -c %s cycles.dcpi); at += 23)); do
        cut_at cycles.dcpi "$at" dcpi2pb
    done
    for ((at = 5; at < $(stat -c %s events.txt); at += 37)); do
        cut_at events.txt "$at" dcpi2pb
    done
}

@test "folded stacks cut inside of a line" {
    local at
    printf 'main;parse 100\nmain;run;step 2000\n' >stacks
    for ((at = 1; at < 34; at++)); do
        [ "$at" = 15 ] || cut_at stacks "$at" folded2pb
    done
    expect 0 folded2pb --strict -o out stacks
}

@test "what several inputs lost is in the sum as in its merge" {
    printf 'main;parse 100\nmain;run;step 2000' >one
    printf 'main;a 1\nmain;b 2\nmain;c 3' >two
    folded2pb -q -o sum one two
    folded2pb -q -o one.pb one
    folded2pb -q -o two.pb two
    pbmerge one.pb two.pb | cmp - sum
    run pbcat --comments sum
    [ "${#lines[@]}" = 2 ]
    # With -k, what is left out altogether has lost nothing of its own.
    printf 'main;b x\nmain;c 3' >bad
    expect 5 folded2pb -q -k -o out one bad
    cmp out one.pb
}

@test "--each: what is lost is in the profile that lost it" {
    printf 'main;parse 100\nmain;run;step 2000' >one
    printf 'main;parse 100\n' >two
    folded2pb -q --each -o out/ one two
    expect 1 pbcat --check out/one.pb.gz
    expect 0 pbcat -q --check out/two.pb.gz
    rm -r out
    expect 5 folded2pb -q -k --strict --each -o out/ one two
    [ "$(ls out)" = two.pb.gz ]
    same_err 'folded2pb: one: line 2: unexpected end of file; the line may be truncated (an error with --strict)'
}

@test "a loss that comes again is counted, with -q too" {
    for i in 1 2 3; do
        printf 'main;parse 100\nmain;run;step 2000' >"$i"
    done
    expect 0 folded2pb -q --each -o out/ 1 2 3
    [ "${#stderr_lines[@]}" -ge 2 ]
    same_err ... ': warning: line ' ... ': unexpected end of file; the line may be truncated' ...
}
