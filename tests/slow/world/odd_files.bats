# Files that are not what one expects, as inputs and as outputs.

load ../../cli/helper
load world

tools() {
    some 3 pbmerge prof2pb gmon2pb dcpi2pb folded2pb pbsym pbfilter pbcat
}

# Each option that names a file to read, too.
readers() {
    for tool in $(tools); do
        echo "$tool"
    done
    printf '%s\n' 'pbmerge --base=cpu.pb.gz' 'pbcat --diff-base=cpu.pb.gz'
}

@test "inputs that are no files" {
    fixture cpu.pb.gz
    local n=0 run name text
    mkfifo fifo
    ln -s nowhere dangling
    ln -s loop loop
    ln -s cpu.pb.gz/x notdir
    mkdir d
    perl -MSocket -e 'socket my $s, PF_UNIX, SOCK_STREAM, 0;
        bind $s, sockaddr_un("socket") or die'
    while read -r run; do
        while IFS=: read -r name status text; do
            # shellcheck disable=SC2086 # words
            expect "$status" $run -o out "$name"
            same_err "${run%% *}: $name: $text"
            [ ! -e out ]
            n=$((n + 1))
        done <<'END'
dangling:4:cannot open: No such file or directory
loop:4:cannot open: Too many levels of symbolic links
notdir:4:cannot open: Not a directory
cpu.pb.gz/x:4:cannot open: Not a directory
socket:4:cannot open: No such device or address
d:3:is a directory
d/:3:is a directory
/:3:is a directory
END
        # shellcheck disable=SC2086 # words
        expect 3 $run -o out /dev/null
        same_err "${run%% *}: /dev/null: " ...
        # shellcheck disable=SC2086 # words
        expect 3 $run --max-size=1M -o out /dev/zero
        # Zeros begin no profile: no tool reads them to the limit.
        same_err "${run%% *}: /dev/zero: " ...
        # A file of /proc has no size, and is read to its end.
        # shellcheck disable=SC2086 # words
        expect 3 $run -o out /proc/version
        same_err "${run%% *}: /proc/version: " ...
        # shellcheck disable=SC2086 # words
        expect 4 $run -o out /proc/self/mem
        same_err "${run%% *}: /proc/self/mem: cannot read: Input/output error"
        [ ! -e out ]
        n=$((n + 4))
    done < <(readers | grep -v =)
    count "$n" 'inputs that are no files'
}

@test "a file that is too large is not read" {
    fixture cpu.pb.gz
    local tool n=0
    truncate -s 1T sparse
    for tool in $(tools); do
        expect 3 bash -c "ulimit -v 400000; exec $tool --max-size=4G -o out sparse"
        same_err "$tool: sparse: exceeds 4294967296 bytes (see --max-size)"
        expect 3 bash -c "ulimit -v 400000; exec $tool -o out <sparse"
        n=$((n + 2))
    done
    # What has been read of it before does not count.
    gzip -dc cpu.pb.gz >raw
    { head -c 1000000 /dev/zero; cat raw; } >behind
    { head -c 1000000 >/dev/null; pbmerge --max-size=500K; } <behind >got
    pbmerge raw | cmp - got
    count "$((n + 1))" 'files that are too large'
}

@test "options that name what is no file" {
    fixture cpu.pb.gz
    local n=0 name
    mkfifo fifo
    ln -s loop loop
    mkdir d
    for name in loop d /dev/null nowhere; do
        run --separate-stderr pbmerge --base="$name" -o out cpu.pb.gz
        [ "$status" = 3 ] || [ "$status" = 4 ]
        same_err 'pbmerge: ' ... "$name: " ...
        [ ! -e out ]
        run --separate-stderr pbmerge --files0-from="$name" -o out
        [ "$status" = 3 ] || [ "$status" = 4 ]
        [ ! -e out ]
        # What a profile says of binaries is a warning at most, and nobody
        # waits for a FIFO.
        expect 0 pbsym --force -e "$name" -o out cpu.pb.gz
        rm out
        n=$((n + 3))
    done
    expect 0 timeout 1000 pbsym --force -e fifo -o out cpu.pb.gz
    expect 0 timeout 1000 pbsym --force --path=fifo:/dev:loop:/proc/self \
        -o out cpu.pb.gz
    fixture gmon.out
    for name in fifo loop d /dev/null /dev/zero; do
        run timeout 1000 gmon2pb -e "$name" -o out gmon.out
        [ "$status" = 3 ] || [ "$status" = 4 ]
        n=$((n + 1))
    done
    count $((n + 2)) 'options that name what is no file'
}

@test "names of every kind" {
    fixture cpu.pb.gz
    local n=0 name shown long deep
    pbmerge -o ../wanted cpu.pb.gz
    # A path of 4095 bytes is the longest that there can be.
    long=$(printf '%0250d' 0)
    deep=.
    for _ in {1..16}; do
        deep=$deep/$long
    done
    mkdir -p "$deep"
    deep=$deep/$(printf '%0*d' $((4095 - ${#deep} - 1)) 0)
    [ "${#deep}" = 4095 ]
    for name in -o --help - -- ' ' $'a\nb' $'a\tb' $'\e]0;x\a' $'\xff\xfe' '*' \
        "'" '"' \\ '$(touch x)' ';touch x' '%s%n' '~' '#' '=' é "${long//0/1}"; do
        cp cpu.pb.gz "./$name"
        pbmerge -o got -- "./$name"
        cmp got ../wanted
        pbmerge -o "./out$name" cpu.pb.gz
        cmp "./out$name" ../wanted
        printf '%s\0' "./$name" | pbmerge --files0-from=- | cmp - ../wanted
        [ ! -e x ]
        [ "$name" = - ] || pbmerge -- "$name" | cmp - ../wanted
        rm "./$name" "./out$name"
        n=$((n + 4))
    done
    cp cpu.pb.gz "$deep"
    pbmerge -- "$deep" | cmp - ../wanted
    # There is no room for the name of a temporary file.
    expect 4 pbmerge -o "$deep" cpu.pb.gz
    cmp "$deep" cpu.pb.gz
    expect 4 pbmerge "${deep}0"
    same_err ... ': cannot open: File name too long'
    expect 4 pbmerge -o "${deep}0" cpu.pb.gz
    expect 4 pbmerge -o "${long}0000000" cpu.pb.gz
    # Messages have no bytes that disturb a terminal.
    for name in $'a\nb' $'\e]0;x\a' $'\xff' $'\xc2\x9b'; do
        shown=$(printf %s "$name" | od -An -v -tx1 |
            sed -E 's/ 61/a/; s/ 62/b/; s/ 5d/]/; s/ 30/0/; s/ 3b/;/; s/ 78/x/
                s/ /\\x/g')
        expect 4 pbmerge "$name"
        same_err "pbmerge: $shown: cannot open: No such file or directory"
        expect 4 pbmerge -o "nowhere/$name" cpu.pb.gz
        same_err "pbmerge: nowhere/$shown: cannot create a temporary file in the same directory: No such file or directory"
        n=$((n + 2))
    done
    count $((n + 5)) 'names with newlines, escapes, dashes, 4095 bytes'
}

@test "targets of -o" {
    fixture cpu.pb.gz
    local tool
    pbmerge -o ../wanted cpu.pb.gz
    pbmerge -o ../twice cpu.pb.gz cpu.pb.gz
    # the input itself, by any name
    cp cpu.pb.gz a
    ln a hard
    ln -s a soft
    pbmerge -o a a cpu.pb.gz
    cmp a ../twice
    cmp hard cpu.pb.gz
    cp cpu.pb.gz a
    pbmerge -o soft a cpu.pb.gz
    [ -L soft ]
    cmp a ../twice
    # standard output, by any name
    pbmerge -o /dev/stdout cpu.pb.gz | cmp - ../wanted
    pbmerge -o /dev/stdout cpu.pb.gz >got
    cmp got ../wanted
    pbmerge -o /dev/fd/1 cpu.pb.gz | cmp - ../wanted
    pbmerge -o /proc/self/fd/1 cpu.pb.gz >got
    cmp got ../wanted
    pbmerge -o - cpu.pb.gz | cmp - ../wanted
    [ ! -e ./- ]
    # another one that is open
    pbmerge -o /dev/fd/7 cpu.pb.gz 7>&1 >/dev/null | cmp - ../wanted
    # a socket nobody can open, a directory, links that lead nowhere or on
    perl -MSocket -e 'socket my $s, PF_UNIX, SOCK_STREAM, 0;
        bind $s, sockaddr_un("socket") or die'
    expect 4 pbmerge -o socket cpu.pb.gz
    same_err 'pbmerge: socket: cannot open: No such device or address'
    [ -S socket ]
    ln -s loop loop
    expect 4 pbmerge -o loop cpu.pb.gz
    same_err 'pbmerge: loop: cannot open: Too many levels of symbolic links'
    ln -s nowhere/at/all lost
    expect 4 pbmerge -o lost cpu.pb.gz
    ln -s "$PWD" here
    expect 4 pbmerge -o here cpu.pb.gz
    same_err 'pbmerge: here: cannot write: Is a directory'
    expect 4 pbmerge -o new/ cpu.pb.gz
    expect 4 pbmerge -o a/ cpu.pb.gz
    same_err 'pbmerge: a/: cannot open: Not a directory'
    expect 4 pbmerge -o . cpu.pb.gz
    cmp a ../twice
    [ -z "$(find . -name '.*.*' ! -name . )" ]
    count 18 'targets of -o'
}

@test "without the right to read, or to write" {
    fixture cpu.pb.gz
    cp cpu.pb.gz secret
    chmod 0 secret
    mkdir closed
    echo old >closed/old
    chmod 666 closed/old
    chmod 555 closed
    chmod a+rX . .. cpu.pb.gz
    # root may do anything, and so it is somebody else who tries.
    somebody() {
        if [ "$(id -u)" = 0 ]; then
            # What is above may be closed to others.
            setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
        else
            "$@"
        fi
    }
    somebody test -r cpu.pb.gz
    local tool
    for tool in $(tools); do
        expect 4 somebody "$tool" secret
        same_err "$tool: secret: cannot open: Permission denied"
    done
    expect 4 somebody pbmerge -o closed/new cpu.pb.gz
    same_err 'pbmerge: closed/new: cannot create a temporary file in the same directory: Permission denied'
    expect 4 somebody pbmerge -o closed/old cpu.pb.gz
    same_err 'pbmerge: closed/old: cannot create a temporary file in the same directory: Permission denied'
    [ "$(ls -A closed)" = old ]
    [ "$(<closed/old)" = old ]
    expect 4 somebody prof2pb -q --each -o closed/d/ cpu.pb.gz
    [ "$(ls -A closed)" = old ]
    chmod 755 closed # for bats, which removes it
    count 6 'without the right to read or write'
}

# The input is longer or shorter in the middle of being read, at a moment that
# the FIFO before it makes sure of.
@test "an input that grows or shrinks before its turn comes" {
    world_inputs
    local how n=0
    mkfifo fifo
    for how in 0 1 10 1000 shrink grow remove replace; do
        cp large.pb changing
        echo old >out
        pbmerge -T1 -o out fifo changing 2>stderr &
        exec 9>fifo # it has begun
        case $how in
        shrink) truncate -s -1 changing ;;
        grow) cat large.pb >>changing ;;
        remove) rm changing ;;
        replace) ln -f cpu.pb.gz changing ;;
        *) truncate -s "$how" changing ;;
        esac
        cat large.pb >&9
        exec 9>&-
        status=0
        wait $! || status=$?
        if [ "$status" = 0 ]; then
            [ "$how" = replace ] || [ "$how" = 10 ] || [ "$how" = 1000 ]
        else
            [ "$status" = 3 ] || [ "$status" = 4 ]
            [[ $(<stderr) = 'pbmerge: changing: '* ]]
            [ "$(<out)" = old ]
        fi
        n=$((n + 1))
    done
    count "$n" 'inputs that change before they are read'
}

# cut.so is at work when the first bytes have been read.
@test "an input that grows or shrinks while it is read" {
    world_inputs
    local size run n=0
    gcc -shared -fPIC -o ../change.so "$BATS_TEST_DIRNAME/change.c" -ldl
    perl -e 'print "x" x 300000' >>stacks # more than is read at once
    tar -cf large.tar large.pb large.pb cpu.pb.gz
    zip -q -0 large.zip large.pb cpu.pb.gz
    for run in 'folded2pb -o out stacks' 'pbmerge -o out large.pb' \
        'pbmerge -o out large.tar' 'pbmerge -o out large.zip' \
        'pbmerge -T2 -o out cpu.pb.gz large.pb' 'pbcat -o out large.pb'; do
        cp "${run##* }" ../original
        for size in $(some 4 0 1 100 4096 65535 65536 65537 70000 100000 \
            130000 2000000); do
            echo old >out
            cp ../original "${run##* }"
            status=0
            # shellcheck disable=SC2086 # words
            CHANGE=${run##* } SIZE=$size LD_PRELOAD=$PWD/../change.so \
                $run 2>../stderr || status=$?
            case $status in
            0) ! grep -v ': warning: ' ../stderr && ! grep -qx old out || false ;;
            3 | 4) [[ $(<../stderr) = "${run%% *}: ${run##* }"*': '* ]] &&
                [ "$(<out)" = old ] ;;
            *) echo "status $status: $run, $size"; false ;;
            esac
            n=$((n + 1))
        done
        cp ../original "${run##* }"
    done
    count "$n" 'inputs that change while they are read'
}
