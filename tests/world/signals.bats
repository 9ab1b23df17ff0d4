# Signals while files are read and written.

load ../cli/helper
load world

shopt -s globstar dotglob nullglob

setup() {
    setup_scratch
    mkdir work
    cd work || return
}

# at.so sends the signal $SIGNAL before call number $AT, see at.c.  Sanitizers
# do not mind coming second to it.
at() {
    gcc -Wall -Wextra -Werror -shared -fPIC -o ../at.so \
        "$BATS_TEST_DIRNAME/at.c" -ldl
    AT_SO=$PWD/../at.so
    ASAN_OPTIONS=${ASAN_OPTIONS-}:verify_asan_link_order=0
}

# What may be left by kill -9, and by nothing else: files that begin with a dot
# and the name of the result, and files in TMPDIR; hexadecimal digits are their
# ends.  Sets `left`, and `names` to all other files.
look() {
    local file
    left=() names=
    for file in **; do
        if [[ $file =~ \.[0-9a-f]{16}$ ]]; then
            left+=("$file")
        elif [[ ! $file =~ \.[0-9a-f]{16}/ ]]; then
            names+=" $file"
        fi
    done
}

# Sends each of the signals before each call, or every fourth; CHECK is run after
# every one.  The command may be a function that ends with exec.
sweep() { # CHECK SIGNALS COMMAND...
    local check=$1 signals=$2 start=exec signal n status left names
    local step=4
    [ "${WORLD-}" != all ] || step=1
    shift 2
    ! declare -F "$1" >/dev/null || start=
    restore
    for signal in $signals; do
        for ((n = 1;; n += step)); do
            status=0
            {
                (
                    export AT=$n SIGNAL=$signal LD_PRELOAD=$AT_SO
                    exec 2>../stderr
                    $start "$@"
                ) || status=$?
            } 2>/dev/null # where bash says what it died of
            look
            if [ "$signal" != 9 ] && [ "${#left[*]}" != 0 ]; then
                echo "left by $signal before call $n: ${left[*]}"
                return 1
            fi
            [ "${#left[*]}" = 0 ] || rm -r "${left[@]}"
            "$check"
            [ "$status" != 0 ] || break
            if [ "$status" != $((128 + signal)) ] || [ -s ../stderr ]; then
                echo "status $status of $signal before call $n: $(<../stderr)"
                return 1
            fi
        done
        [ "$n" -gt 4 ] # it was sent
        count $((n / step)) "a signal at each call that has to do with files"
    done
}

# These, or all that end a program.
signals() { # SIGNAL...
    [ "${WORLD-}" != all ] || set -- 1 2 3 6 9 10 12 14 15 24 25 26 27
    echo "$@"
}

old() {
    local bytes
    read -r -N 4 bytes <"$1" && [ "$bytes" = $'old\n' ]
} 2>/dev/null

old_or_new() {
    old out || {
        cmp out ../wanted
        restore
    }
    [ "$before" = "$names" ]
}

@test "-o: the old file or the new one, whatever comes when" {
    world_inputs
    at
    restore() { echo old >out; }
    restore
    look
    before=$names
    pbmerge -T2 large.pb >../wanted
    sweep old_or_new "$(signals 9 15)" pbmerge -T2 -o out large.pb
    pbcat --tree large.pb >../wanted
    sweep old_or_new "$(signals 15)" pbcat --tree -o out large.pb
}

@test "--each: an archive is the old one or the new, files are whole" {
    world_inputs
    at
    local i
    for i in 1 2; do
        cp cpu.prof "$i.prof"
    done
    restore() { echo old >out.tar; }
    check() {
        old out.tar || cmp out.tar ../wanted.tar
        [ "$before" = "$names" ]
    }
    restore
    look
    before=$names
    prof2pb -q --no-symbols --each -o ../wanted.tar ./?.prof
    sweep check "$(signals 2)" prof2pb -q --no-symbols --each -o out.tar ./?.prof

    restore() { mkdir -p d && echo old | tee d/1.prof.pb.gz >d/2.prof.pb.gz; }
    check() {
        local file
        for file in d/*; do
            old "$file" || cmp "$file" "../wanted/${file#d/}"
        done
        [ "$before" = "$names" ]
        restore
    }
    restore
    look
    before=$names
    prof2pb -q --no-symbols --each -o ../wanted/ ./?.prof
    sweep check "$(signals 9)" prof2pb -q --no-symbols --each -o d/ ./?.prof
}

@test "TMPDIR: what is put aside goes, too" {
    world_inputs
    at
    mkdir tmp
    export TMPDIR=$PWD/tmp
    restore() { echo old >out; }
    restore
    look
    before=$names
    # Executables in an archive,
    tar -cf ../a.tar a.out gmon.out
    gmon2pb -q '--exe-from={dir}/a.out' -o ../wanted ../a.tar
    sweep old_or_new "$(signals 1)" \
        gmon2pb -q '--exe-from={dir}/a.out' -o out ../a.tar
    # and archives that are read from their ends, of 16 MiB and more.
    [ "${WORLD-}" = all ] || return 0
    perl -e 'srand 1; print pack "L*", map { rand 2 ** 32 } 1 .. 4500000' \
        >../noise
    zip -q -0 -j ../a.zip ../noise cpu.prof
    prof2pb -q --no-symbols -o ../wanted cpu.prof
    convert() {
        exec prof2pb -q --no-symbols -o out \
            < <(unset LD_PRELOAD && exec cat ../a.zip)
    }
    sweep old_or_new 15 convert
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
