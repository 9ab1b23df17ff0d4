# Places that a tool is run in: what its parent has open, and has loaded.

load ../../cli/helper
load world

@test "-o: a descriptor is written to, whatever is open there" {
    fixture cpu.pb.gz
    local name
    pbmerge -o wanted cpu.pb.gz
    # a file that has a name, behind what is there; others go on with it
    for name in /dev/fd/7 /proc/self/fd/7; do
        {
            printf before >&7
            pbmerge -o $name cpu.pb.gz
            printf behind >&7
        } 7>got
        { printf before; cat wanted; printf behind; } | cmp - got
        (exec 1>&7 && pbmerge -o /dev/stdout cpu.pb.gz) 7>>got
        [ "$(stat -c %s got)" = $((12 + 2 * $(stat -c %s wanted))) ]
    done
    # one that has been removed: nothing is made in its place
    mkdir gone
    exec 7<>gone/file
    rm gone/file
    pbmerge -o /dev/fd/7 cpu.pb.gz
    cmp /dev/fd/7 wanted
    [ -z "$(ls -A gone)" ]
    # by another way there it is no file that could be replaced
    ln -s /proc/self/fd/7 link
    expect 4 pbmerge -o link cpu.pb.gz
    same_err 'pbmerge: link: cannot replace the file: it is open but has no name here (deleted?)'
    [ -z "$(ls -A gone)" ]
    exec 7>&-
    # one that may only be read
    expect 4 pbmerge -o /dev/fd/7 cpu.pb.gz 7<wanted
    same_err 'pbmerge: /dev/fd/7: cannot write: Bad file descriptor'
    # a socket, which has no name either
    perl -MSocket -e '
        socketpair my $ours, my $its, AF_UNIX, SOCK_STREAM, 0 or die;
        if (!fork) {
            open STDOUT, ">&", $its;
            exec qw(pbmerge -o /dev/stdout cpu.pb.gz);
        }
        close $its;
        print while <$ours>;
        wait;
        exit $? >> 8' >got
    cmp got wanted
    # nobody has it open: not lost without a word
    expect 4 bash -c 'pbmerge -o /dev/stdout cpu.pb.gz >&-'
    same_err 'pbmerge: /dev/stdout: cannot write: Bad file descriptor'
    count 9 'places: descriptors, time zones, fakeroot, modes'
}

@test "a time zone of one's own directory" {
    fixture cpu.pb.gz
    mkdir zones
    # Three hours and a half ahead of UTC, without a rule: RFC 8536.
    perl -e 'print "TZif2", "\0" x 15, pack("N6", 0, 0, 0, 0, 1, 4),
        pack("l>CC", 12600, 0, 0), "ABC\0", "TZif2", "\0" x 15,
        pack("N6", 0, 0, 0, 0, 1, 4), pack("l>CC", 12600, 0, 0), "ABC\0",
        "\nABC-3:30\n"' >zones/Ours
    TZ=UTC0 pbcat -o utc cpu.pb.gz
    TZDIR=$PWD/zones TZ=Ours pbcat -o ours cpu.pb.gz
    TZ=ABC-3:30 pbcat -o wanted cpu.pb.gz
    cmp ours wanted
    grep -q '^Time: .* ABC$' ours
    run ! cmp -s ours utc
    count 1 'places: descriptors, time zones, fakeroot, modes'
}

@test "in fakeroot its library may talk to its daemon" {
    fixture cpu.pb.gz
    expect 0 env FAKEROOTKEY=1 pbmerge -v -o out cpu.pb.gz
    same_err 'pbmerge: note: sandbox off: running under fakeroot (FAKEROOTKEY)'
    count 1 'places: descriptors, time zones, fakeroot, modes'
}

@test "-o: where modes cannot be changed, as on vfat, files get theirs when made" {
    fixture cpu.pb.gz
    cat >../mode.c <<'END'
#include <errno.h>
#include <sys/stat.h>
int fchmod(int fd, mode_t mode)
{
    (void)fd;
    (void)mode;
    errno = EPERM;
    return -1;
}
END
    gcc -shared -fPIC -o ../mode.so ../mode.c
    pbmerge -o wanted cpu.pb.gz
    echo old >out
    chmod 600 out
    LD_PRELOAD=$PWD/../mode.so pbmerge -o out cpu.pb.gz
    cmp out wanted
    echo old >out
    chmod 640 out
    LD_PRELOAD=$PWD/../mode.so pbmerge -o out cpu.pb.gz
    cmp out wanted
    [ "$(stat -c %a out)" = 640 ]
    count 2 'places: descriptors, time zones, fakeroot, modes'
}

# 38 is ENOSYS, as of an old kernel; 1 is EPERM, as of a container.
@test "system calls that are refused: the same result, or words" {
    world_inputs
    local run call why n=0 before message
    local -a all
    gcc -o ../refuse "$BATS_TEST_DIRNAME/refuse.c"
    readarray -t all < <(../refuse)
    [ "${#all[@]}" = 50 ]
    echo old >out
    chmod 640 out
    cp -p out ../old
    before=$(ls -A)
    while read -r run; do
        # shellcheck disable=SC2086 # words
        $run >../wanted
        for call in $(some 5 "${all[@]}"); do
            for why in 38 1; do
                cp -p ../old out
                status=0
                # shellcheck disable=SC2086 # words
                message=$(../refuse $why "$call" $run -o out 2>&1) || status=$?
                case $status in
                0) cmp out ../wanted ;;
                4) cmp out ../old && [[ $message = "${run%% *}: "* ]] ;;
                *) false ;;
                esac && [[ $message != *$'\n'* ]] &&
                    [ "$(stat -c %a out)" = 640 ] && [ "$before" = "$(ls -A)" ] ||
                    { echo "$why $call: $run: $status: $message"; false; }
                n=$((n + 1))
            done
        done
    done < <(some_runs 2)
    count "$n" 'system calls that are refused'
}
