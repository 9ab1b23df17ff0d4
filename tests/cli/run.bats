# tests/run itself: what it counts as passed, failed and skipped

load helper

setup() {
    setup_scratch
    fixture cpu.prof # made before tests/run is started here
    mkdir build
    # A test that fails, one that misses something and passes, one that passes.
    # Not as they are in a file: bats would take them for tests of this one.
    sed 's/^TEST/@test/' >three.bats <<END
load $ROOT/tests/cli/helper
TEST "fails without jq" {
    echo '{}' | jq .
}
TEST "does not look what becomes of it" {
    echo '{}' | jq . || true
}
TEST "needs nothing, after one that does" {
    true
}
END
}

# All programs but these, as on a machine that lacks them.
without() { # NAME...
    mkdir programs
    ln -s /usr/bin/* programs
    rm -f "${@/#/programs/}"
    path=$PWD/programs
}

# tests/run, as from a shell: the variables of bats are not for another one.
counted() { # LINE [VARIABLE=VALUE...] FILE...
    local wanted=$1 status=0
    shift
    # shellcheck disable=SC2046 # words
    env $(compgen -e BATS_ | sed 's/^/-u /') -u DEPS -u MISSING \
        PATH="$(tr ':' '\n' <<<"$PATH" | grep -v bats-core | paste -sd ':')" \
        BUILD="$PWD/build" "${@:1:$#-1}" "$ROOT/tests/run" "${!#}" \
        >out 2>&1 3>&- || status=$?
    [ "$(tail -n 1 out)" = "$wanted" ] || { cat out; return 1; }
    return "$status"
}

@test "what is there passes, skipping is failing" {
    counted '3 passed, 0 failed' "$PWD/three.bats"
    sed -i 's/^    true/    skip/' three.bats
    run ! counted '2 passed, 1 failed' "$PWD/three.bats"
    [ -z "$output" ]
    run ! counted '2 passed, 1 failed' DEPS=no "$PWD/three.bats"
    [ -z "$output" ]
}

@test "with AGAIN=yes what failed runs once more, and that counts" {
    # The first time it finds no file, and makes it.
    sed -i "s|^    true|    [ -e $PWD/f ] \|\| { touch $PWD/f; false; }|" three.bats
    run ! counted '2 passed, 1 failed' "$PWD/three.bats"
    [ -z "$output" ]
    rm f
    counted '3 passed, 0 failed' AGAIN=yes "$PWD/three.bats"
    grep -x 'three.bats failed beside others; once more, alone:' out
    sed -i 's/touch/:/' three.bats
    rm f
    run ! counted '2 passed, 1 failed' AGAIN=yes "$PWD/three.bats"
    [ -z "$output" ]
}

@test "what is not there fails, and with DEPS=no is skipped by its name" {
    without jq
    run ! counted '2 passed, 1 failed' PATH="$path" "$PWD/three.bats"
    [ -z "$output" ]
    counted '1 passed, 0 failed, 2 skipped' PATH="$path" DEPS=no \
        "$PWD/three.bats"
    [ "$(grep -c 'skipped: no jq$' out)" = 2 ]
}

@test "what the kernel does not run is skipped and says so, or emulated" {
    mkdir fake
    printf '%s\n' '#!/bin/sh' "printf '\177ELF' >\"\$5\"" 'chmod +x "$5"' \
        >fake/gcc
    chmod +x fake/gcc
    sed -i 's/^    true/    needs_32bit/' three.bats
    counted '2 passed, 0 failed, 1 skipped' PATH="$PWD/fake:$PATH" \
        "$PWD/three.bats"
    grep '# skip this machine runs no 32-bit programs$' out
    sed -i 's/needs_32bit/& cat; [ "${run32[*]}" = cat ]/' three.bats
    counted '3 passed, 0 failed' PATH="$PWD/fake:$PATH" "$PWD/three.bats"
}

@test "with DEPS=no a failure that misses nothing is one" {
    without jq
    sed -i 's/^    true/    false/' three.bats
    run ! counted '0 passed, 1 failed, 2 skipped' PATH="$path" DEPS=no \
        "$PWD/three.bats"
    [ -z "$output" ]
}

@test "a program that does not come to its tests is skipped as a whole" {
    without jq
    printf '%s\n' '#!/bin/bash' 'jq . </dev/null || exit' 'echo 1..1' \
        'echo ok 1' >program
    chmod +x program
    run ! counted '0 passed, 1 failed' PATH="$path" "$PWD/program"
    [ -z "$output" ]
    # Nothing has passed, which is no success.
    run ! counted '0 passed, 0 failed, 1 skipped' PATH="$path" DEPS=no \
        "$PWD/program"
    [ -z "$output" ]
}

@test "fixtures need nothing that may be missing" {
    without go
    mkdir made
    sed -i 's/echo.*/fixture cpu.pb.gz/; s/^    true/    fixture cpu.prof/' \
        three.bats
    counted '3 passed, 0 failed' PATH="$path" DEPS=no \
        FIXTURES="$PWD/made/fixtures" "$PWD/three.bats"
}

@test "a program that was not built is a failure that says so" {
    run ! counted '0 passed, 1 failed' build/unit/none
    [ -z "$output" ]
    grep 'no such program: make unit fuzzers builds some' out
}

@test "a compiler that lacks a library is skipped where that is asked for" {
    without jeprof
    sed -i 's/^    true/    echo "int main;" | gcc -x c -o x - -ljemalloc/' \
        three.bats
    counted '2 passed, 0 failed, 1 skipped' PATH="$path" DEPS=no \
        "$PWD/three.bats"
    grep 'skipped: no libjemalloc-dev$' out
}

@test "without DEPS=no, .ci/deps fails where it cannot install" {
    without apt-get jq
    run --separate-stderr env -u DEPS PATH="$path" "$ROOT/.ci/deps" build check
    [ "$status" = 1 ]
    same_err ... jq ...
    run env DEPS=no PATH="$path" "$ROOT/.ci/deps" build check
    [ "$status" = 0 ]
    [ "$output" = 'missing, and not installed: jq' ]
    rm programs/make
    run env DEPS=no PATH="$path" "$ROOT/.ci/deps" build check
    [ "$status" = 1 ]
    [[ $output = *"packages of make" ]]
}

@test "with DEPS=no and without cmocka or protobuf-c, unit tests are neither built nor run" {
    local module
    for module in cmocka libprotobuf-c; do
        printf '%s\n' '#!/bin/sh' "case \$* in *$module*) exit 1 ;; esac" \
            'exec pkg-config "$@"' >config
        chmod +x config
        run ! counted '0 passed, 0 failed, 1 skipped' DEPS=no \
            PKG_CONFIG="$PWD/config" "$PWD/build/unit/test_gz"
        [ -z "$output" ]
        run ! counted '0 passed, 1 failed' PKG_CONFIG="$PWD/config" \
            "$PWD/build/unit/test_gz"
        [ -z "$output" ]
        make -n -C "$ROOT" BUILD="$PWD/b" DEPS=no PKG_CONFIG="$PWD/config" \
            check >plan 2>&1 || true
        grep -- ' all .*inject' plan
        run ! grep -E ' all .*(unit|fuzzers)' plan
    done
    make -n -C "$ROOT" BUILD="$PWD/b" DEPS=no check >plan 2>&1 || true
    grep -E ' all unit fuzzers ' plan
}
