# Environments: none, huge ones, other languages, times and permissions.

load ../../cli/helper
load world

# Runs the command in the environment, and compares.
agrees() { # RUN COMMAND...
    local run=$1
    shift
    "$@" sh -c "exec $run" >../got 2>../err </dev/null
    cmp ../wanted ../got
    cmp ../wanted_err ../err
}

@test "the environment does not show in the result" {
    world_inputs
    local run n=0 huge
    huge=$(head -c 100000 /dev/zero | tr '\0' x)
    # A language with commas in numbers, where the system has one.
    mkdir ../locale
    localedef -i de_DE -f UTF-8 ../locale/de_DE.UTF-8 2>/dev/null ||
        [ -d ../locale/de_DE.UTF-8 ] || ! echo '# no de_DE to be made here' >&3
    while read -r run; do
        # shellcheck disable=SC2086 # words
        $run >../wanted 2>../wanted_err </dev/null
        agrees "$run" env -i "PATH=$PATH"
        agrees "$run" env -i "PATH=$PATH" HOME= TMPDIR= TZ= LANG= TERM=
        agrees "$run" env -i "PATH=$PATH" HOME=/nowhere TMPDIR=/nowhere
        agrees "$run" env -i "PATH=$PATH" TMPDIR=. HOME=.
        agrees "$run" env "TMPDIR=$PWD/"$'a\nb' "HOME=$PWD/"$'a\nb'
        agrees "$run" env LOCPATH="$PWD/../locale" LC_ALL=de_DE.UTF-8
        agrees "$run" env LANG=nowhere LC_NUMERIC=xx LANGUAGE=de
        agrees "$run" env TZ=Asia/Kathmandu
        agrees "$run" env TZ=$'\n' NO_COLOR=1 COLUMNS=7 TERM=xterm
        agrees "$run" env COLUMNS=99999999999999999999 LINES=-1
        agrees "$run" env A="$huge" B="$huge" C="$huge" "$huge=1"
        agrees "$run" env MALLOC_PERTURB_=165 MALLOC_ARENA_MAX=1
        n=$((n + 12))
    done < <(some_runs 3)
    count "$n" 'environments'
}

@test "no PATH: programs to run are not found, all else works" {
    fixture cpu.pb.gz
    pbmerge -o wanted cpu.pb.gz
    env -i "$BIN/pbmerge" -o got cpu.pb.gz
    cmp wanted got
    expect 4 env -i PATH=/nowhere "$BIN/pbcat" --svg cpu.pb.gz
    same_err 'pbcat: cpu.pb.gz: dot: command not found in PATH'
    # nor is one taken from here
    printf '%s\n' '#!/bin/sh' 'touch taken' >dot
    chmod +x dot
    expect 4 env -i PATH=/nowhere "$BIN/pbcat" --svg cpu.pb.gz
    [ ! -e taken ]
    count 3 'environments'
}

@test "TMPDIR: missing, no directory, not to be written, relative, odd" {
    local name
    perl -e 'srand 1; print pack "L*", map { rand 2 ** 32 } 1 .. 4500000' >noise
    fixture cpu.prof
    zip -q -0 a.zip noise cpu.prof
    prof2pb -q --no-symbols -o wanted cpu.prof
    touch file
    mkdir relative $'a\nb' -- -x
    for name in nowhere file /dev/null; do
        # shellcheck disable=SC2002 # a pipe is meant
        expect 4 bash -c "cat a.zip | TMPDIR=$name prof2pb -q -o out"
        same_err 'prof2pb: (standard input): cannot create a temporary '\
"file in $name: " ...
        [ ! -e out ]
    done
    for name in relative ./relative $'a\nb' -x . ''; do
        # shellcheck disable=SC2002 # a pipe is meant
        cat a.zip | TMPDIR=$name prof2pb -q --no-symbols | cmp - wanted
        [ -z "$(find . -name 'profutils*')" ]
        [ "${WORLD-}" = all ] || break
    done
    count 9 'TMPDIR'
}

@test "no directory to be in, no name to be called by" {
    fixture cpu.pb.gz
    pbmerge -o wanted cpu.pb.gz
    mkdir gone
    cd gone
    rmdir ../gone
    pbmerge "$BATS_TEST_TMPDIR/work/cpu.pb.gz" | cmp - "$BATS_TEST_TMPDIR/work/wanted"
    pbmerge -o "$BATS_TEST_TMPDIR/work/got" "$BATS_TEST_TMPDIR/work/cpu.pb.gz"
    expect 4 pbmerge -o got "$BATS_TEST_TMPDIR/work/cpu.pb.gz"
    same_err 'pbmerge: got: cannot create a temporary file in the same directory: No such file or directory'
    cd "$BATS_TEST_TMPDIR/work"
    cmp got wanted
    expect 4 perl -e 'exec { "pbmerge" } "", "nowhere"'
    same_err 'pbmerge: nowhere: cannot open: No such file or directory'
    count 4 'no directory, no name'
}

@test "permissions of results" {
    fixture cpu.pb.gz
    local mask mode
    for mask in 000:666 022:644 027:640 077:600 777:0; do
        (umask "${mask%:*}" && exec pbmerge -o out cpu.pb.gz)
        [ "$(stat -c %a out)" = "${mask#*:}" ]
        rm out
        # A file that is replaced keeps its own.
        for mode in 600 644 666 755 400; do
            echo old >out
            chmod $mode out
            (umask "${mask%:*}" && exec pbmerge -o out cpu.pb.gz)
            [ "$(stat -c %a out)" = $mode ]
            rm -f out
        done
        (umask "${mask%:*}" && exec prof2pb -q --each -o "d$mask/" cpu.pb.gz) ||
            [ $? = 4 ]
    done
    # Bits that give more than reading, writing and running are not kept.
    echo old >out
    chmod 6755 out
    pbmerge -o out cpu.pb.gz
    [ "$(stat -c %a out)" = 755 ]
    count 31 'umask'
}
