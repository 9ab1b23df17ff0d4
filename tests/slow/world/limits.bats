# Limits of the system: open files, memory, file size, stack, time, operands.

load ../../cli/helper
load world

# Under a limit a run gives the result that it gives without, or fails with
# status 4, one line that begins with the name of the tool, and no file.  Below
# what the dynamic loader needs it is the one that says so, with status 127.
within() { # LIMIT RUN
    local status=0 message
    rm -f out
    # By a pipe: files are limited, too.
    message=$(bash -c "ulimit $1 && exec $2 -o out" 2>&1) || status=$?
    if [ "$status" = 0 ]; then
        cmp out ../wanted && return
    elif [ "$status" = 4 ] && [ ! -e out ] && [ "$before" = "$(ls -A)" ]; then
        failed=$((failed + 1))
        [[ $message = "${2%% *}: "* && $message != *$'\n'* ]] && return
    elif [[ $status = 13[49] && $1 = -v* ]] && [ "$before" = "$(ls -A)" ] &&
        ! crashes_itself "$@"; then # a library gives up
        failed=$((failed + 1))
        return
    elif [ "$status" = 127 ] && [ ! -e out ] &&
        [[ $message = *'error while loading shared libraries'* ]]; then
        return
    fi
    echo "ulimit $1, status $status: $2: $message"
    ls -A
    return 1
}

# Whether the crash of a tool is its own, by faults/inject.c: run once more.
crashes_itself() { # LIMIT RUN
    rm -f ../report
    bash -c "ulimit $1 && exec env FAULT_CLASS=count FAULT_REPORT=../report \
        LD_PRELOAD=$BIN/faults/inject.so $2 -o out" >../stderr 2>&1 || true
    rm -f out
    ! grep -q inject.so ../stderr || return 0
    grep -s '^crash ' ../report | grep -v '/lib[^/]*\.so[^/]*$'
}

# Tries the limits on the runs in standard input.  `failed` says how many times
# one was too low.
under() { # LIMIT...
    local run limit before
    before=$(ls -A)
    tried=0 failed=0
    while read -r run; do
        # shellcheck disable=SC2086 # words
        $run >../wanted
        for limit in "$@"; do
            within "$limit" "$run"
            tried=$((tried + 1))
        done
    done
    rm -f out
}

@test "few files may be open" {
    world_inputs
    readarray -t limits < <(some 3 '-n '{4..12})
    under "${limits[@]}" < <(some_runs 5)
    count "$tried" 'few open files (ulimit -n)'
}

@test "little memory" {
    world_inputs
    readarray -t limits < <(some 5 '-v '{5000..45000..1000})
    under "${limits[@]}" < <(some_runs 5)
    [ "$failed" -gt 0 ]
    count "$tried" 'little memory (ulimit -v)'
}

# libdw takes a section that it has no memory for as one that is not there.
# Here most of what is needed is one of them.
@test "little memory: debug information is used as a whole, or not" {
    fixture cpu.prof bank.c
    perl -e 'print "struct ", "x" x 8000000, " { int i; } not_used;\n"' >>bank.c
    perl -pi -e '$_ = "" if m{ /(usr/)?lib}' cpu.prof
    gcc -g -gz -O1 -o large bank.c
    [ "$(stat -c %s large)" -lt 1000000 ]
    readarray -t limits < <(some 7 '-v '{5000..25000..250})
    under "${limits[@]}" <<<'prof2pb -q -e large cpu.prof'
    [ "$failed" -gt 0 ]
    count "$tried" 'little memory (ulimit -v), compressed debug information'
}

@test "files may not be large" {
    world_inputs
    local run before failed=0 n=0
    before=$(ls -A)
    while read -r run; do
        # shellcheck disable=SC2086 # words
        $run >../wanted
        trap '' XFSZ
        within '-f 0' "$run"
        within '-f 64' "$run"
        trap - XFSZ
        rm -f out
        # Where nobody asked for it to be ignored the signal ends it.
        if [ -s ../wanted ]; then
            expect 153 bash -c "ulimit -c 0 -f 0; exec $run -o out"
            [ -z "$stderr" ]
            [ "$before" = "$(ls -A)" ]
        fi
        n=$((n + 3))
    done < <(some_runs 4)
    [ "$failed" -gt 0 ]
    count "$n" 'file size (ulimit -f)'
}

# 50,000 frames deep.
deep() {
    perl -e 'print join(";", map { "f$_" } 1 .. 50000), ";leaf_$_ 1\n"
        for 1 .. 3' >deep.folded
    folded2pb -0 -o deep.pb deep.folded
}

@test "little stack: it does not grow with the input" {
    world_inputs
    deep
    local run before failed=0 n=0
    before=$(ls -A)
    # libdw needs 160 KiB, all else is within 64.
    printf '%s\n' 'folded2pb deep.folded' 'pbmerge -T1 deep.pb' \
        'pbmerge -T2 deep.pb large.pb -q --types=union' \
        'pbfilter --focus=leaf_1 deep.pb' 'pbfilter --hide=f77 deep.pb' \
        'pbcat -q deep.pb' 'pbcat -q --folded deep.pb' \
        'pbcat -q --traces deep.pb' 'pbcat -q --json deep.pb' \
        'pbcat -q --flame deep.pb' 'pbcat -q --tree deep.pb' \
        'pbcat -q --dot deep.pb' >../runs
    while read -r run; do
        # shellcheck disable=SC2086 # words
        $run >../wanted
        within '-s 64' "$run"
        n=$((n + 1))
    done < <(readarray -t all <../runs; some 5 "${all[@]}"; some_runs 4 |
        grep -vE 'prog|a.out|pbsym')
    while read -r run; do
        # shellcheck disable=SC2086 # words
        $run >../wanted
        within '-s 256' "$run"
        n=$((n + 1))
    done < <(world_runs | grep -E 'prog|a.out|pbsym')
    [ "$failed" = 0 ]
    count "$n" 'little stack (ulimit -s 64, with symbols 256)'
}

@test "time that is up" {
    world_inputs
    echo old >out
    perl -e 'print "large.pb\0" x 100000' >list
    ls -A >../before
    expect 152 bash -c \
        'ulimit -c 0 -S -t 1; exec pbmerge -T1 --files0-from=list -o out'
    [ -z "$stderr" ]
    [ "$(<out)" = old ]
    ls -A | cmp - ../before
    count 1 'processor time (ulimit -t)'
}

@test "threads that cannot be made" {
    world_inputs
    # Where the tools are, and what is above, may be closed to others; to bash
    # ../NAME would be a name from the root.
    cp "$BIN/pbmerge" "$BIN/pbcat" ..
    chmod -R go+rX ..
    pbmerge -T4 old.pb.gz new.pb.gz large.pb >../wanted
    # As nobody, who has other processes: none may be added.
    as_nobody() {
        setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
    }
    [ "$(id -u)" = 0 ] || as_nobody() { "$@"; }
    as_nobody bash -c 'ulimit -u 0; exec env ../pbmerge -T4 \
        old.pb.gz new.pb.gz large.pb' >../got
    cmp ../wanted ../got
    # A program that is run is more than can be had, and said to be so.
    expect 4 as_nobody bash -c 'ulimit -u 0; exec env ../pbcat --svg cpu.pb.gz'
    same_err 'pbcat: cpu.pb.gz: cannot run dot: Resource temporarily unavailable'
    count 2 'no more processes or threads (ulimit -u)'
}

@test "100,000 operands, each a file of its own, or all the same" {
    fixture cpu.pb.gz
    local n=2000
    [ "${WORLD-}" != all ] || n=100000
    pbfilter -0 --focus=main -o small.pb cpu.pb.gz
    pbmerge -o ../wanted --scale=$n small.pb
    perl -e 'print "small.pb\0" x shift' "$n" >list
    # Ten files and no more are needed whatever there is to read.
    bash -c 'ulimit -n 10; exec pbmerge --files0-from=list -o ../got'
    [ "$(pbcat --folded ../got)" = "$(pbcat --folded ../wanted)" ]
    ln small.pb p
    perl -e 'exec "pbmerge", "-o", "../got", ("p") x shift' "$n"
    [ "$(pbcat --folded ../got)" = "$(pbcat --folded ../wanted)" ]
    mkdir many
    perl -e 'link "small.pb", "many/$_.pb" or die $! for 1 .. shift' \
        $((n < 20000 ? n : 20000))
    printf '%s\0' many/*.pb >list
    pbmerge -o ../wanted --scale=$((n < 20000 ? n : 20000)) small.pb
    bash -c 'ulimit -n 10; exec pbmerge --files0-from=list -o ../got'
    [ "$(pbcat --folded ../got)" = "$(pbcat --folded ../wanted)" ]
    # All that a command line holds.
    bash -c 'exec pbmerge -o ../got many/*.pb'
    [ "$(pbcat --folded ../got)" = "$(pbcat --folded ../wanted)" ]
    count "$n" 'operands, at most 10 files open'
}
