# No room: status 4, the old file whole, nothing left behind.

load ../../cli/helper
load world

# A script on a file system of 64 KiB, mounted on ./disk where nobody else sees
# it; by root, or in a user namespace.  Where neither may mount, as in some
# containers, a file can have 32 KiB instead: what a full disk does to a write,
# but for the words.
setup_file() {
    export DISK FULL='No space left on device'
    local try=$BATS_FILE_TMPDIR/try
    mkdir "$try"
    for DISK in 'unshare -m' 'unshare -rm' limit; do
        [ "$DISK" = limit ] ||
            $DISK mount -t tmpfs -o size=64k none "$try" 2>/dev/null && break
    done
    if [ "$DISK" = limit ]; then
        FULL='File too large'
        echo '# no file system can be mounted here: ulimit -f' >&3
    fi
}

setup() {
    setup_scratch
    mkdir work work/disk
    cd work || return
}

small_disk() { # SCRIPT
    if [ "$DISK" = limit ]; then
        bash -euo pipefail -c "trap '' XFSZ; ulimit -f 32; $1"
    else
        $DISK bash -euo pipefail -c \
            "mount -t tmpfs -o size=64k,mode=777 none disk; $1"
    fi
}
export -f same_err

# Leaves N pages of 4096 bytes free on the disk; with a limit on files there is
# no such thing.
leave() { # N
    [ "$DISK" = limit ] || head -c $(((15 - $1) * 4096)) /dev/zero >disk/filler
}
export -f leave

# fails PATTERN COMMAND...: says so, with status 4, and leaves the disk as it was.
fails() {
    local wanted=$1 status=0 before
    shift
    before=$(ls -A disk; cksum disk/old)
    "$@" >stdout 2>stderr || status=$?
    # shellcheck disable=SC2053 # a pattern
    [ "$status" = 4 ] && [ ! -s stdout ] && [[ $(cat stderr) = $wanted ]] &&
        [ "$before" = "$(ls -A disk; cksum disk/old)" ] && return
    printf '%s\n' "status $status: $*" "wanted: $wanted" "$(cat stderr)" \
        "$(ls -lA disk)" >&2
    return 1
}
export -f fails

# There is no other way to fill what there can be of names, or of small files.
needs_mount() {
    [ "$DISK" != limit ] || skip 'this user can mount no file system'
}

@test "-o: the old file stays, and the temporary one goes" {
    world_inputs
    cat large.pb large.pb >larger
    local n run
    # Results of more than 64 KiB.
    printf '%s\n' 'prof2pb -q -0 heap' 'folded2pb -0 --sample-types=a,b stacks' \
        'pbmerge -0 -T1 large.pb' 'pbmerge -0 -T2 large.pb' \
        'pbfilter -0 large.pb' 'pbsym -q -0 large.pb' \
        'pbcat --raw large.pb' 'pbcat --json -T2 large.pb' >runs
    while read -r run; do
        n=$($run | wc -c); [ "$n" -gt 65536 ] || { echo "$n $run" >&2; false; }
        for n in $(some 2 {0..15}); do
            small_disk "echo old >disk/old; leave $n
                fails '${run%% *}: disk/old: cannot write: $FULL' \
                    $run -o disk/old
                fails '${run%% *}: disk/new: cannot write: $FULL' \
                    $run -o disk/new"
        done
    done <runs
    count $(($(wc -l <runs) * 2 * $(some 2 {0..15} | wc -l))) \
        'disk that fills while -o FILE is written'
}

@test "-o: not even room for a name" {
    world_inputs
    needs_mount
    # One for the directory, and one for the file.
    small_disk "mount -t tmpfs -o size=64k,mode=777,nr_inodes=2 none disk
        echo old >disk/old
        fails 'pbmerge: disk/old: cannot create a temporary file in the same directory: \
$FULL' pbmerge -o disk/old large.pb"
    count 1 'disk without inodes for -o FILE'
}

@test "--each: an archive is as it was, files of a directory are whole" {
    local n suffix
    fixture cpu.prof
    mkdir in wanted
    for n in {10..40}; do
        perl -e 'my $n = shift; print "heap profile: 1: 8 [1: 8] @ heap\n";
            printf "1: 8 [1: 8] @ 0x%x\n", 4096 * $_ * $n for 1 .. 900' \
            "$n" >"in/$n"
    done
    prof2pb -q -0 --each -o wanted/ in/*
    [ "$(find wanted -type f | wc -l)" = 31 ]
    for suffix in tar tar.gz tar.zst tar.xz tar.bz2 tar.lz4 zip; do
        small_disk "echo old >disk/old; leave 3; mv disk/old disk/old.$suffix
            ln disk/old.$suffix disk/old
            fails 'prof2pb: *disk/old.$suffix: cannot write: $FULL' \
                prof2pb -q -0 --each -o disk/old.$suffix in/*"
        count 1 'disk that fills while --each writes an archive'
    done
    needs_mount
    for n in $(some 3 {0..14}); do
        small_disk "leave $n; mkdir disk/d; status=0
            prof2pb -q -0 --each -o disk/d/ in/* 2>stderr || status=\$?
            [ \"\$status\" = 4 ]
            [[ \$(<stderr) = 'prof2pb: '*': $FULL' ]]
            find disk/d -type f -name '.*' >left
            [ ! -s left ]
            cd disk/d
            find . -type f | while read -r file; do
                cmp \"\$file\" ../../wanted/\$file
            done"
        count 1 'disk that fills while --each writes files'
    done
}

@test "TMPDIR: where sums, archives and executables are put aside" {
    local i
    export TMPDIR=$PWD/disk
    for i in 1 2 3; do
        perl -e 'my $i = shift; for my $k (1 .. 30000) {
            print join(";", "r$i", map { "f$_" } $k % 199, int($k / 199),
                map { ($k * $_) % 197 } 1 .. 10), " $k\n"; }' "$i" |
            folded2pb -0 -o "$i.pb"
    done
    said() { diff -u <(echo "$1") stderr >&2; }
    fails_in_tmpdir() { # COMMAND...
        small_disk "echo old >out; status=0
            $1 || status=\$?
            [ \"\$status\" = 4 ]
            [ -z \"\$(ls -A disk)\" ]
            [ \"\$(cat out)\" = old ]" 2>stderr
    }
    fails_in_tmpdir "pbmerge --memory=28M -o out 1.pb 2.pb 3.pb"
    said "pbmerge: cannot write a temporary file in $TMPDIR: $FULL"
    perl -e 'srand 1; print pack "L*", map { rand 2 ** 32 } 1 .. 4500000' >noise
    zip -q -0 a.zip noise
    fails_in_tmpdir "cat a.zip | pbmerge -o out"
    said "pbmerge: (standard input): temporary file: cannot write: $FULL"
    fixture a.out gmon.out
    cat noise >>a.out
    tar -cf a.tar a.out gmon.out
    fails_in_tmpdir "gmon2pb --exe-from={dir}/a.out -o out a.tar"
    said "gmon2pb: a.tar: cannot write a temporary file in $TMPDIR: $FULL"
    count 3 'TMPDIR that fills'
    needs_mount
    fixture cpu.pb.gz
    fails_in_tmpdir "head -c 65536 /dev/zero >disk/filler
        pbcat --gv cpu.pb.gz || { status=\$?; rm disk/filler; (exit \$status); }"
    said "pbcat: cannot write: $FULL"
    count 1 'TMPDIR that fills'
}

@test "/dev/full" {
    world_inputs
    local run tool n=0
    while read -r run; do
        tool=${run%% *}
        # shellcheck disable=SC2086 # words
        expect 4 $run -o /dev/full
        same_err "$tool: /dev/full: cannot write: No space left on device"
        expect 4 bash -c "$run >/dev/full"
        same_err "$tool: (standard output): cannot write: No space left on \
device"
        n=$((n + 2))
    done < <(some_runs 12)
    count "$n" '/dev/full as standard output, and with -o'
}
