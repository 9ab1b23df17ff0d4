# Outputs: whole or not at all, and always the same bytes.

load helper

# A directory that bats does not keep files of its own in.
setup() {
    setup_scratch
    mkdir work
    cd work || return
}

@test "-o makes the file with the permissions of the umask" {
    fixture cpu.pb.gz
    umask 027
    expect 0 pbmerge -o out cpu.pb.gz
    [ -z "$output$stderr" ]
    [ "$(stat -c %a out)" = 640 ]
    [ "$(ls -A)" = $'cpu.pb.gz\nout' ]
    cmp out <(pbmerge cpu.pb.gz)
}

@test "a file that is replaced gives its permissions" {
    fixture cpu.pb.gz
    echo old >out
    chmod 604 out
    pbmerge -o out cpu.pb.gz
    [ "$(stat -c %a out)" = 604 ]
    [ "$(ls -A)" = $'cpu.pb.gz\nout' ]
}

@test "a file that is replaced keeps owner and group" {
    fixture cpu.pb.gz cpu.prof
    umask 077
    for mode in 660 640 604; do
        install -m "$mode" /dev/null out
        pbmerge -o out cpu.pb.gz
        [ "$(stat -c %a out)" = "$mode" ]
        cp cpu.prof prof
        mkdir -p dir
        install -m "$mode" /dev/null dir/prof.pb.gz
        prof2pb --no-symbols -q --each -o dir prof
        [ "$(stat -c %a dir/prof.pb.gz)" = "$mode" ]
        [ "$(id -u)" = 0 ] || continue
        chown 65534:65533 out dir/prof.pb.gz
        pbmerge -0 -o out cpu.pb.gz
        [ "$(stat -c %u:%g:%a out)" = "65534:65533:$mode" ]
        prof2pb --no-symbols -q --each -o dir prof
        # The sandbox keeps no owner; without it, as with sanitizers, both.
        [[ $(stat -c %u:%a dir/prof.pb.gz) = \
            @("0:${mode:0:1}0${mode:2}"|"65534:$mode") ]]
        # Nothing remains of what fails.
        expect 3 pbmerge -o out prof
        [ "$(stat -c %u:%g:%a out)" = "65534:65533:$mode" ]
        [ -z "$(find . -name '.*.*')" ]
        rm -r out dir
    done
    [ "$(id -u)" = 0 ] || skip 'changes of owners: only root may'
}

@test "-o may be an input" {
    fixture cpu.pb.gz
    pbmerge -o wanted cpu.pb.gz cpu.pb.gz
    cp cpu.pb.gz out
    pbmerge -o out out cpu.pb.gz
    cmp wanted out
}

@test "a converter does not replace an input, under any name" {
    fixture cpu.prof gmon.out cycles.dcpi perf.data
    echo 'main;f 1' >stacks
    ln -s perf.data link
    ln perf.data hard
    for pair in 'prof2pb cpu.prof' 'gmon2pb gmon.out' 'dcpi2pb cycles.dcpi' \
        'folded2pb stacks' 'perf2pb perf.data' 'perf2pb hard'; do
        read -r tool file <<<"$pair"
        cp "$file" before
        expect 2 "$tool" -o "./$file" other "$file"
        [ "$stderr" = "$tool: ./$file: the output is also an input; write to another file" ]
        cmp before "$file"
    done
    expect 2 perf2pb -o link perf.data
    expect 2 perf2pb -o perf.data hard
    expect 2 perf2pb -o perf.data <perf.data
    expect 2 perf2pb --each -o perf.data link
    cmp before perf.data
    [ -L link ]
    expect 0 perf2pb -q --no-symbols -o out perf.data
    expect 0 perf2pb -q --no-symbols -o out <perf.data
}

@test "what an option reads is not replaced" {
    fixture cpu.pb.gz
    head -c 32 /dev/zero >key
    chmod 600 key
    pbfilter -q --anonymize=key --map=map -o shared cpu.pb.gz
    cp "$(type -P pbmerge)" bin
    cp cpu.pb.gz before.pb.gz
    ln key link
    sha256sum key map bin before.pb.gz >wanted
    while read -r option command; do
        # shellcheck disable=SC2086
        expect 2 $command
        [ "$stderr" = "${command%% *}: $option: the output is also an input; write to another file" ]
    done <<'END'
--anonymize pbfilter --anonymize=key -o key cpu.pb.gz
--anonymize pbfilter --anonymize=key -o link cpu.pb.gz
--map pbfilter --anonymize=key --map=key -o out cpu.pb.gz
--restore pbfilter --restore=map -o map shared
--overlap pb2pgo --overlap=before.pb.gz -o before.pb.gz cpu.pb.gz
--against pb2pgo --against=bin -o bin cpu.pb.gz
--executable pb2pgo --bolt -e bin -o bin cpu.pb.gz
--executable pbsym -e bin -o bin cpu.pb.gz
END
    sha256sum -c wanted
    [ ! -e out ]
}

@test "a failure leaves what was there, and nothing else" {
    fixture cpu.pb.gz
    echo old >out
    echo 'no profile' >bad
    expect 3 pbmerge -o out cpu.pb.gz bad
    [ "$(cat out)" = old ]
    expect 3 pbmerge -o new cpu.pb.gz bad
    [ "$(ls -A)" = $'bad\ncpu.pb.gz\nout' ]
}

@test "symbolic links are followed, to nothing too" {
    fixture cpu.pb.gz
    pbmerge -o wanted cpu.pb.gz
    mkdir d
    echo old >d/old
    ln -s d/old a
    ln -s d/new b
    pbmerge -o a cpu.pb.gz
    pbmerge -o b cpu.pb.gz
    [ -L a ]
    [ -L b ]
    cmp wanted d/old
    cmp wanted d/new
    [ "$(ls -A d)" = $'new\nold' ]
}

@test "FIFOs and devices are written to" {
    fixture cpu.pb.gz
    pbmerge -o wanted cpu.pb.gz
    mkfifo fifo
    cat fifo >got &
    pbmerge -o fifo cpu.pb.gz
    wait
    cmp wanted got
    [ -p fifo ]
    expect 0 pbmerge -o /dev/null cpu.pb.gz
    [ -c /dev/null ]
    expect 4 pbmerge -o /dev/full cpu.pb.gz
    same_err 'pbmerge: /dev/full: cannot write: No space left on device'
    pbmerge -o /dev/stdout cpu.pb.gz | cmp wanted
    echo before >log
    pbcat --comments -o /dev/stdout cpu.pb.gz >>log
    [ "$(head -n 1 log)" = before ]
}

@test "where no file can be" {
    fixture cpu.pb.gz
    mkdir d
    expect 4 pbmerge -o d cpu.pb.gz
    same_err 'pbmerge: d: cannot write: Is a directory'
    expect 4 pbmerge -o no/where cpu.pb.gz
    same_err 'pbmerge: no/where: cannot create a temporary file in the same directory: No such file or directory'
    expect 2 pbmerge -o '' cpu.pb.gz
    same_err 'pbmerge: --output: empty file name'
}

# The Makefile of profutils-cookbook(7).
@test "--if-changed in a makefile: each command runs when it has to" {
    fixture cpu.prof
    cp cpu.prof lexer.prof
    cp cpu.prof parser.prof
    sed -n '/^\.Ss .* Makefile$/,/^\.Ed/p' "$ROOT/man/profutils-cookbook.7" |
        sed '1,/^\.Bd/d; /^\.Ed/d' >Makefile
    # The commands that make runs, without their files.
    commands() {
        unset MAKEFLAGS MAKELEVEL MFLAGS
        make report.txt >said 2>warnings || return # of this machine's libc
        grep -vE '^make(\[|:)' said | sed 's/ .*//' | sort | paste -sd ' '
    }
    # Times of files go up by whole steps of the clock.
    later() {
        sleep 0.05
        touch "$@"
    }
    run -0 commands
    same 'pbcat pbmerge prof2pb prof2pb touch'
    run -0 commands
    same ''
    later lexer.prof
    cp -p report.txt old.txt
    run -0 commands
    same 'pbmerge prof2pb touch'
    run -0 commands
    same ''
    [ ! report.txt -nt old.txt ]
    [ lexer.prof -nt all.pb.gz ]
    # What changes the sum reaches the report: the first record counts more.
    sleep 0.05
    perl -0777 -pi -e 'substr($_, 40, 1) = chr(1 + ord substr $_, 40, 1)' \
        lexer.prof
    run -0 commands
    same 'pbcat pbmerge prof2pb touch'
    run -0 commands
    same ''
}

@test "--if-changed leaves a file alone that would be the same" {
    fixture cpu.pb.gz old.pb.gz
    pbmerge -o out cpu.pb.gz
    touch -d '2001-02-03' out
    before=$(stat -c '%i %Y %Z' out)
    pbmerge --if-changed -o out cpu.pb.gz
    [ "$(stat -c '%i %Y %Z' out)" = "$before" ]
    [ "$(ls -A)" = $'cpu.pb.gz\nold.pb.gz\nout' ]
    pbmerge --if-changed -o out old.pb.gz
    cmp out <(pbmerge old.pb.gz)
    expect 2 pbmerge --if-changed cpu.pb.gz
    same_err 'pbmerge: --if-changed requires --output=FILE'
}

@test "levels of compression hold the same profile" {
    fixture cpu.pb.gz
    local level
    pbmerge -0 cpu.pb.gz >raw
    for level in 1 6 9; do
        pbmerge -$level cpu.pb.gz >packed
        gzip -t packed
        raw packed | cmp raw
        # no time in the header, and no system
        [ "$(head -c 10 packed | tail -c 6 | head -c 4 | od -An -tx1)" = \
            ' 00 00 00 00' ]
        [ "$(head -c 10 packed | tail -c 1 | od -An -tx1)" = ' ff' ]
    done
    [ "$(stat -c %s packed)" -lt "$(pbmerge -1 cpu.pb.gz | wc -c)" ]
    cmp <(pbmerge cpu.pb.gz) <(pbmerge -1 cpu.pb.gz)
}

@test "binary output is not written to a terminal; text is" {
    fixture cpu.pb.gz
    expect 2 script -qec 'pbmerge cpu.pb.gz' /dev/null
    [ "$output" = "pbmerge: (standard output): binary output is not written \
to a terminal; redirect it or use -o FILE"$'\r' ]
    expect 2 script -qec 'pbmerge -o /dev/tty cpu.pb.gz' /dev/null
    expect 0 script -qec 'pbcat cpu.pb.gz' /dev/null
    [[ $output = *flat%* ]]
}

@test "standard output closed, full, or without a reader" {
    fixture cpu.pb.gz
    expect 4 bash -c 'pbmerge cpu.pb.gz >&-'
    same_err 'pbmerge: (standard output): cannot write: Bad file descriptor'
    expect 4 bash -c 'pbmerge cpu.pb.gz >/dev/full'
    same_err 'pbmerge: (standard output): cannot write: No space left on device'
    mkfifo fifo
    # Opened for writing with a reader there, who then goes.
    expect 141 bash -c 'exec 3<>fifo 4>fifo 3<&-; pbmerge cpu.pb.gz >&4'
    [ -z "$stderr" ]
    expect 4 bash -c "trap '' PIPE
        exec 3<>fifo 4>fifo 3<&-; pbmerge cpu.pb.gz >&4"
    [ -z "$stderr" ]
}

@test "a closed standard output does not become the file" {
    fixture cpu.pb.gz
    pbmerge -o wanted cpu.pb.gz
    bash -c 'pbmerge -v -o out cpu.pb.gz <&- >&- 2>&-'
    cmp wanted out
}

@test "a signal while the file is written leaves nothing behind" {
    fixture cpu.pb.gz
    echo old >out
    # One block of 1024 bytes is less than the profile has.
    expect 153 bash -c 'ulimit -c 0 -f 1; exec pbmerge -0 -o out cpu.pb.gz'
    [ "$(ls -A)" = $'cpu.pb.gz\nout' ]
    [ "$(cat out)" = old ]
    expect 4 bash -c "trap '' XFSZ
        ulimit -f 1; exec pbmerge -0 -o out cpu.pb.gz"
    same_err 'pbmerge: out: cannot write: File too large'
    [ "$(ls -A)" = $'cpu.pb.gz\nout' ]
    [ "$(cat out)" = old ]
}

# many.prof: so many samples of 40 frames, all of them different.
many_frames() { # N
    # 0,3,0,period,0; count,depth,pcs; 0,1,0.
    perl -e 'print pack("Q<5", 0, 3, 0, 10000, 0);
        for my $n (1 .. shift) {
            print pack("Q<42", 1, 40, map { 4096 + $_ + 40 * $n } 1 .. 40);
        }
        print pack("Q<3", 0, 1, 0);' "$1" >many.prof
}

@test "a profile of many pieces" {
    many_frames 6000
    prof2pb -q --no-symbols -o many.pb.gz many.prof
    for level in -0 -1 -4 ''; do
        # shellcheck disable=SC2086
        pbmerge $level -T1 -o wanted many.pb.gz
        # shellcheck disable=SC2086
        for threads in 2 5; do
            pbmerge $level -T$threads -o out many.pb.gz
            cmp out wanted
        done
        # shellcheck disable=SC2086
        pbmerge $level -T3 many.pb.gz | cmp - wanted
        if [ "$level" = -0 ]; then
            cp wanted raw
        else
            gzip -dc wanted | cmp - raw
        fi
    done
    [ "$(stat -c %s raw)" -gt $((3 << 20)) ] # pieces are of 1 MiB
    [ "$(pprof_totals wanted)" = \
        $'samples/count 6000\ncpu/nanoseconds 60000000000' ]
    touch -d '2001-02-03' out
    pbmerge -T2 --if-changed -o out many.pb.gz
    [ "$(stat -c %y out | cut -c 1-4)" = 2001 ]
}

@test "a profile of many pieces is written whole or not at all" {
    many_frames 6000
    prof2pb -q --no-symbols -o many.pb.gz many.prof
    echo old >out
    for threads in 1 3; do
        expect 4 pbmerge -T$threads -o /dev/full many.pb.gz
        same_err 'pbmerge: /dev/full: cannot write: No space left on device'
        # Room for 300 blocks of 1024 bytes.
        expect 4 bash -c "trap '' XFSZ
            ulimit -f 300; exec pbmerge -T$threads -o out many.pb.gz"
        same_err 'pbmerge: out: cannot write: File too large'
        expect 153 bash -c "ulimit -c 0 -f 300
            exec pbmerge -T$threads -o out many.pb.gz"
        [ "$(ls -A)" = $'many.pb.gz\nmany.prof\nout' ]
        [ "$(cat out)" = old ]
    done
}

@test "a report of many pieces" {
    many_frames 10000
    prof2pb -q --no-symbols -o many.pb.gz many.prof
    pbcat --raw many.pb.gz | cat >piped
    [ "$(stat -c %s piped)" -gt $((8 << 20)) ]
    [ "$(grep -cE '^ +[0-9]+ +[0-9]+: ([0-9]+ ){40}$' piped)" = 10000 ]
    grep -qx Mappings piped
    pbcat --raw -o out many.pb.gz
    cmp out piped
    [ "$(ls -A)" = $'many.pb.gz\nmany.prof\nout\npiped' ]
    touch -d '2001-02-03' out
    pbcat --raw --if-changed -o out many.pb.gz
    [ "$(stat -c %y out | cut -c 1-4)" = 2001 ]
    expect 4 pbcat --raw -o /dev/full many.pb.gz
    same_err 'pbcat: /dev/full: cannot write: No space left on device'
}

# many.pb.gz of 40,000 samples, 1 to 40 frames deep and in no order, some of
# one stack; in `folded` what --folded says of them, sorted as text.
many_stacks() {
    perl -e '
        my ($x, %sum) = 1;
        open my $folded, ">", "folded" or die;
        print pack("Q<5", 0, 3, 0, 10000, 0);
        for my $n (0 .. 39999) {
            my @stack = (0x8000 + $n % 7);
            for (1 .. $n % 40) {
                $x = ($x * 1103515245 + 12345) % 2147483648;
                push @stack, 0x1010 + 16 * (($x >> 16) % 5);
            }
            print pack("Q<*", 1 + $n % 3, scalar @stack, @stack);
            # A return address stands for the call before it.
            $_-- for @stack[1 .. $#stack];
            $sum{join ";", map { sprintf "%016x [%s]", $_,
                $_ < 0x8000 ? "callers" : "leaves" } reverse @stack} +=
                (1 + $n % 3) * 10000 * 1000;
        }
        print $folded "$_ $sum{$_}\n" for sort keys %sum;
        print pack("Q<3", 0, 1, 0);
        print "1000-2000 r-xp 00000000 08:01 1 /nowhere/callers\n";
        print "8000-9000 r-xp 00000000 08:01 2 /nowhere/leaves\n";
    ' >many.prof
    prof2pb -q --no-symbols -o many.pb.gz many.prof
    [ "$(pbcat --raw many.pb.gz | grep -cE '^ +[0-9]+ +[0-9]+: ')" -gt 30000 ]
}

@test "reports do not depend on the number of threads" {
    many_stacks
    for report in --text '--text --no-trim --lines' '--text --mean' --raw \
        --traces '--traces --mean' '--folded --addresses' --json; do
        # shellcheck disable=SC2086
        pbcat $report -T1 many.pb.gz >wanted
        for threads in 2 3 4 5; do
            # shellcheck disable=SC2086
            pbcat $report -T$threads many.pb.gz | cmp - wanted
        done
    done
    pbcat --folded --addresses -T3 many.pb.gz | LC_ALL=C sort | cmp - folded
}

@test "filtered profiles do not depend on the number of threads" {
    many_stacks
    for filter in --focus=callers --hide=leaves --functions --drop-labels \
        '--sample-index=cpu --divide-by=3' --mean; do
        # shellcheck disable=SC2086
        pbfilter -q $filter -T1 many.pb.gz >wanted
        for threads in 2 3 4 5; do
            # shellcheck disable=SC2086
            pbfilter -q $filter -T$threads many.pb.gz | cmp - wanted
        done
    done
}

@test "a report that cannot be written fails with any number of threads" {
    many_stacks
    for threads in 1 2 5; do
        expect 4 pbcat -q --traces -T$threads -o /dev/full many.pb.gz
        same_err 'pbcat: /dev/full: cannot write: No space left on device'
    done
    # A reader that goes away, with the signal for that and without.
    for threads in 1 2 5; do
        for signal in default:141 ignore:4; do
            (env --${signal%:*}-signal=PIPE pbcat -q --traces -T$threads \
                many.pb.gz || echo $? >status) 2>stderr | head -n 1 >/dev/null
            [ "$(cat status)" = "${signal#*:}" ]
            [ ! -s stderr ]
        done
    done
}
