# Signals while files are read and written.

load ../../cli/helper
load world

# at.so sends the signal $SIGNAL before call number $AT, see at.c.
at() {
    gcc -Wall -Wextra -Werror -shared -fPIC -o ../at.so \
        "$BATS_TEST_DIRNAME/at.c" -ldl
    export AT_SO=$PWD/../at.so
}

# Each of the signals before each call, or every fourth: see sweep.pl.
sweep() { # SIGNALS RESULT=WANTED... -- COMMAND...
    local signals=$1 step=4 n
    shift
    [ "${WORLD-}" != all ] || step=1
    n=$(perl "$BATS_TEST_DIRNAME/sweep.pl" "$signals" "$step" "$@")
    count "$n" 'a signal at each call that has to do with files'
}

# These, or all that end a program.
signals() { # SIGNAL...
    [ "${WORLD-}" != all ] || set -- 1 2 3 6 9 10 12 14 15 24 25 26 27
    echo "$@"
}

@test "-o: the old file or the new one, whatever comes when" {
    world_inputs
    at
    pbmerge -T2 large.pb >../wanted
    sweep "$(signals 9 15)" out=../wanted -- pbmerge -T2 -o out large.pb
    pbcat --tree large.pb >../wanted
    sweep "$(signals 15)" out=../wanted -- pbcat --tree -o out large.pb
}

@test "--each: an archive is the old one or the new, files are whole" {
    world_inputs
    at
    cp cpu.prof 1.prof
    cp cpu.prof 2.prof
    prof2pb -q --no-symbols --each -o ../wanted.tar ./?.prof
    sweep "$(signals 2)" out.tar=../wanted.tar -- \
        prof2pb -q --no-symbols --each -o out.tar ./?.prof
    mkdir d
    prof2pb -q --no-symbols --each -o ../wanted/ ./?.prof
    sweep "$(signals 9)" d/1.prof.pb.gz=../wanted/1.prof.pb.gz \
        d/2.prof.pb.gz=../wanted/2.prof.pb.gz -- \
        prof2pb -q --no-symbols --each -o d/ ./?.prof
}

@test "TMPDIR: what is put aside goes, too" {
    world_inputs
    at
    mkdir tmp
    export TMPDIR=$PWD/tmp
    # Executables in an archive,
    tar -cf ../a.tar a.out gmon.out
    gmon2pb -q '--exe-from={dir}/a.out' -o ../wanted ../a.tar
    sweep "$(signals 1)" out=../wanted -- \
        gmon2pb -q '--exe-from={dir}/a.out' -o out ../a.tar
    # and archives that are read from their ends, of 16 MiB and more.
    [ "${WORLD-}" = all ] || return 0
    perl -e 'srand 1; print pack "L*", map { rand 2 ** 32 } 1 .. 4500000' \
        >../noise
    zip -q -0 -j ../a.zip ../noise cpu.prof
    prof2pb -q --no-symbols -o ../wanted cpu.prof
    INPUT=../a.zip sweep 15 out=../wanted -- prof2pb -q --no-symbols -o out
}

# Each tool with its input, for standard input.
inputs() {
    printf '%s\n' 'cpu.prof prof2pb -q --no-symbols' 'heap prof2pb -q' \
        'gmon.out gmon2pb -q' 'cycles.dcpi dcpi2pb -q' 'stacks.10 folded2pb' \
        'cpu.pb.gz pbmerge' 'profiles.tar.gz pbmerge' 'cpu.zip pbmerge' \
        'cpu.pb.zst pbmerge' 'cpu.pb pbmerge' 'cpu.pb pbfilter' \
        'cpu.pb.gz pbsym -q --force' 'cpu.pb.gz pbcat --svg' \
        'cpu.pb pbcat --text'
}

inputs_of_every_kind() {
    world_inputs
    zip -q cpu.zip cpu.pb.gz
    gzip -dc cpu.pb.gz >cpu.pb
    zstd -q cpu.pb
    head -n 10 stacks | sed 's/ [0-9]*$//' >stacks.10
    head -n 100 heap >heap.100
    mv heap.100 heap
}

@test "input that comes a byte at a time, with signals and without" {
    inputs_of_every_kind
    gcc -Wall -Wextra -Werror -shared -fPIC -o ../ticks.so \
        "$BATS_TEST_DIRNAME/ticks.c"
    local file run n=0
    local -a all
    readarray -t all < <(inputs)
    while read -r file run; do
        # shellcheck disable=SC2086 # words
        {
            $run <"$file" >../wanted
            perl "$BATS_TEST_DIRNAME/trickle.pl" "$file" $run >../got
            cmp ../wanted ../got
            STOP=1 perl "$BATS_TEST_DIRNAME/trickle.pl" "$file" $run >../got
            cmp ../wanted ../got
            NONBLOCK=1 perl "$BATS_TEST_DIRNAME/trickle.pl" "$file" $run >../got
            cmp ../wanted ../got
            perl "$BATS_TEST_DIRNAME/trickle.pl" "$file" env \
                LD_PRELOAD="$PWD/../ticks.so" \
                ASAN_OPTIONS="${ASAN_OPTIONS-}:verify_asan_link_order=0" \
                $run >../got
            cmp ../wanted ../got
        }
        n=$((n + 4))
    done < <(some 5 "${all[@]}")
    count "$n" 'input a byte at a time; with SIGSTOP and SIGCONT; EAGAIN; EINTR'
}

@test "results written while calls are interrupted" {
    world_inputs
    gcc -Wall -Wextra -Werror -shared -fPIC -o ../ticks.so \
        "$BATS_TEST_DIRNAME/ticks.c"
    local run n=0
    while read -r run; do
        # shellcheck disable=SC2086 # words
        {
            $run >../wanted
            LD_PRELOAD="$PWD/../ticks.so" $run -o ../got
            cmp ../wanted ../got
            LD_PRELOAD="$PWD/../ticks.so" $run |
                perl -e 'while (sysread STDIN, my $c, 997) { print $c }' |
                cmp - ../wanted
        }
        n=$((n + 2))
    done < <(some_runs 6)
    count "$n" 'results while calls are interrupted (EINTR)'
}

@test "programs that are run end with the tool that runs them" {
    fixture cpu.pb.gz
    local signal program
    mkfifo fifo
    mkdir bin
    # It says who it is, and goes on until it is ended.
    printf '%s\n' '#!/bin/sh' 'cat >/dev/null' "echo \$\$ >$PWD/fifo" \
        'exec sleep 1000' >bin/dot
    chmod +x bin/dot
    ls -A >../before
    for signal in TERM HUP XCPU KILL; do
        PATH=$PWD/bin:$PATH pbcat --svg -o out cpu.pb.gz &
        read -r program <fifo
        kill -$signal $!
        wait $! || [ $? = $((128 + $(kill -l $signal))) ]
        # Nobody may be there to wait for it where it is an orphan now.
        while kill -0 "$program" 2>/dev/null &&
            ! grep -q '^State:.*zombie' "/proc/$program/status"; do
            sleep 0.01
        done
        ls -A | cmp - ../before
    done
    count 4 'a signal while dot runs'
}

@test "kill -9 at any moment" {
    world_inputs
    local n=10 run before
    [ "${WORLD-}" != all ] || n=400
    touch out
    before=$(ls -A)
    for run in 'pbcat --json -o out large.pb' 'pbmerge -0 -o out large.pb'; do
        # shellcheck disable=SC2086 # words
        $run
        cp out ../wanted
        # shellcheck disable=SC2086 # words
        perl "$BATS_TEST_DIRNAME/kill.pl" "$n" ../wanted out $run
        [ "$before" = "$(ls -A)" ]
        count "$n" 'kill -9 at a random moment of -o FILE'
    done
}
