# Signals while files are read and written.

load helper
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

# Sends each of the signals before each call; CHECK is run after every one.  The
# command may be a function that ends with exec.
sweep() { # CHECK SIGNALS COMMAND...
    local check=$1 signals=$2 start=exec signal n status left names
    shift 2
    ! declare -F "$1" >/dev/null || start=
    restore
    for signal in $signals; do
        for ((n = 1;; n++)); do
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
        count $((n - 1)) "a signal at each call that has to do with files"
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
