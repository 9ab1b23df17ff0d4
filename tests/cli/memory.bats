# shellcheck disable=SC2154 # stderr is set by run
# pbmerge --memory: the same result, or an error that says what is missing

load helper

# A profile of stacks that no other number has: 60,000 of 12 frames, in 2,000
# locations and two types.  It is 1.5 MB, and its samples take some 5 MB of
# memory as part of a sum.
make_profile() { # NUMBER
    perl -I"$BATS_TEST_DIRNAME" -MWire -e '
        my $number = shift;
        my @string = ("", "samples", "count", "cpu", "nanoseconds");
        binmode STDOUT;
        print text(1, int64(1, 1) . int64(2, 2));
        print text(1, int64(1, 3) . int64(2, 4));
        for my $i (1 .. 2000) {
            push @string, "function $i";
            print text(5, int64(1, $i) . int64(2, $#string));
            print text(4, int64(1, $i) . int64(3, 4096 * $i) .
                text(4, int64(1, $i) . int64(2, $i % 100)));
        }
        for my $i (0 .. 59999) {
            # A third of all stacks is in every profile.
            my $k = $i % 3 ? $i + 60000 * $number : $i;
            print text(2, text(1, join "", map num($_ + 1), $k % 2000,
                int($k / 2000) % 2000, map { ($k * $_ + 7) % 1999 } 1 .. 10) .
                text(2, num($i) . num(10 * $i)));
        }
        print map text(6, $_), @string;
    ' "$1"
}

setup_file() {
    local i
    for i in 1 2 3 4 5 6; do
        make_profile "$i" >"$BATS_FILE_TMPDIR/$i.pb"
    done
}

setup() {
    setup_scratch
    mkdir tmp
    export TMPDIR=$PWD/tmp
    all=("$BATS_FILE_TMPDIR"/[1-6].pb)
}

# What -v said of the disk, in MiB; fails where it said nothing.
on_disk() {
    sed -n 's/^pbmerge: note: --memory: used up to \([0-9]*\)M on disk$/\1/p' \
        <<<"$stderr" | grep .
}

@test "the result does not depend on the limit" {
    local limit threads disk
    expect 0 pbmerge -v -o wanted "${all[@]}"
    run ! on_disk
    expect 0 pbmerge -v --memory=4G -o got "${all[@]}"
    run ! on_disk
    cmp wanted got
    for limit in 32M 48M 64M; do
        for threads in 1 2 3; do
            expect 0 pbmerge -v -T"$threads" --memory="$limit" -o got \
                "${all[@]}"
            disk=$(on_disk)
            [ "$disk" -ge 10 ]
            cmp wanted got
        done
    done
    # Merged in two steps, each with samples on disk.
    expect 0 pbmerge -v --memory=32M -o left "${all[@]:0:3}"
    on_disk
    expect 0 pbmerge -v --memory=48M -o got "${all[@]:3}" left
    on_disk
    cmp wanted got
    [ -z "$(ls -A tmp)" ]
}

@test "the order of inputs, the level and the way out do not matter" {
    expect 0 pbmerge -0 -o wanted "${all[@]}"
    pbmerge -0 --memory=40M "$BATS_FILE_TMPDIR"/{5,2,6,1,3,4}.pb |
        cmp - wanted
    gzip -k "${all[@]}"
    cat "${all[@]/%/.gz}" | pbmerge -0 --memory=40M | cmp - wanted
    bsdtar -cf all.tar -C "$BATS_FILE_TMPDIR" {1,2,3,4,5,6}.pb
    expect 0 pbmerge -9 -v --memory=40M -o got.gz all.tar
    on_disk
    raw got.gz | cmp - wanted
}

@test "types that come later, and those that go" {
    local how
    fixture heap.pb.gz
    for how in union intersect; do
        cp "$BATS_FILE_TMPDIR/1.pb" one.pb
        # One with its second type only.
        pbfilter --sample-index=cpu -0 -o cpu.pb "$BATS_FILE_TMPDIR/2.pb"
        expect 0 pbmerge -0 --types="$how" -o wanted \
            cpu.pb "$BATS_FILE_TMPDIR"/{1,3,4}.pb
        expect 0 pbmerge -0 -v --types="$how" --memory=32M -T1 -o got \
            cpu.pb "$BATS_FILE_TMPDIR"/{1,3,4}.pb
        on_disk
        cmp wanted got
    done
}

# Whether sanitizers are in the tools, which take memory of their own: what is
# left for the rest is not limited then.
sanitized() {
    nm "$BIN/pbmerge" | grep -Eq '__[at]san_init'
}

# A program that runs another one and prints how large that was at most.
@test "the limit is kept" {
    cat >peak.c <<'END'
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    struct rusage usage;
    int status = 0;
    pid_t pid = fork();
    (void)argc;
    if (pid == 0) {
        execvp(argv[1], argv + 1);
        _exit(127);
    }
    if (pid < 0 || wait4(pid, &status, 0, &usage) != pid)
        return 126;
    printf("%ld\n", usage.ru_maxrss);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 125;
}
END
    gcc -o peak peak.c
    local limit
    for limit in 28 40; do
        expect 0 ./peak pbmerge -T2 --memory="${limit}M" -o got "${all[@]}"
        sanitized || [ "$output" -le $((limit * 1024)) ]
    done
    # Without it there is more than the lesser of these.
    expect 0 ./peak pbmerge -T2 -o got "${all[@]}"
    [ "$output" -gt $((28 * 1024)) ]
}

@test "an input that does not fit is named, with what it needs" {
    expect 0 pbmerge -0 -o large.pb "${all[@]}"
    if sanitized; then
        expect 0 pbmerge --memory=24M -o out large.pb
        return
    fi
    expect 4 pbmerge --memory=24M -o out large.pb
    grep -qx 'pbmerge: large.pb: exceeds --memory=24M: about [0-9]*M is needed' \
        <<<"$stderr"
    [ ! -e out ]
}

@test "a disk that is full, or not there, is an error, also with -k" {
    TMPDIR=$PWD/nowhere expect 4 pbmerge -k --memory=32M -o out "${all[@]}"
    same_err "pbmerge: cannot create a temporary file in $PWD/nowhere: \
No such file or directory"
    [ ! -e out ]
    # Files of 512 KiB at most.
    (
        trap '' XFSZ
        ulimit -f 512
        expect 4 pbmerge -k --memory=32M -o out "${all[@]}"
        same_err "pbmerge: cannot write a temporary file in $TMPDIR: \
File too large"
    )
    [ ! -e out ]
    [ -z "$(ls -A tmp)" ]
}

@test "nothing is left when it is killed" {
    mkfifo more
    pbmerge -T1 --memory=32M -o out "${all[@]}" more &
    exec 9>"more" # it has read all others
    local files
    files=$(readlink /proc/$!/fd/*)
    grep -qF "$TMPDIR/" <<<"$files"
    kill -KILL $!
    wait $! || true
    exec 9>&-
    [ -z "$(ls -A tmp)" ]
    [ ! -e out ]
}

@test "--base and --scale work on the whole sum" {
    expect 0 pbmerge -o wanted --scale=3 --base="${all[0]}" "${all[@]}"
    expect 0 pbmerge -v --memory=256M -o got --scale=3 --base="${all[0]}" \
        "${all[@]}"
    run ! on_disk
    cmp wanted got
}

@test "limits that make no sense" {
    expect 2 pbmerge --memory=15M "${all[0]}"
    same_err "pbmerge: invalid value '15M' for --memory: expected at least 16M"
    expect 2 pbmerge --memory=x "${all[0]}"
    same_err "pbmerge: invalid value 'x' for --memory: expected a number of bytes, or a number with suffix K, M, G or T"
}
