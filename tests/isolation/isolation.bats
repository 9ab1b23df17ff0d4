#!/usr/bin/env bats
# What tools give up before they read their inputs, tried from within.

load ../cli/helper

setup_file() {
    local here=$BATS_TEST_DIRNAME
    gcc -std=c11 -D_GNU_SOURCE -Wall -Wextra -Werror -O1 -fPIC -shared \
        -o "$BATS_FILE_TMPDIR/probe.so" "$here/probe.c" -ldl
    gcc -std=c11 -D_GNU_SOURCE -Wall -Wextra -Werror -O1 -fPIC -shared \
        -o "$BATS_FILE_TMPDIR/foreseen.so" "$here/foreseen.c"
    gcc -std=c11 -D_GNU_SOURCE -Wall -Wextra -Werror \
        -o "$BATS_FILE_TMPDIR/means" "$here/means.c"
}

setup() {
    setup_scratch
    fixture cpu.pb.gz cpu.prof gmon.out a.out cycles.dcpi
    read -r abi seccomp < <("$BATS_FILE_TMPDIR/means")
    [ "$abi" -le 7 ] || abi=7
    # Where the test's own directory would be one for temporary files, nothing
    # in it would be forbidden.
    mkdir tmp out
    export TMPDIR=$PWD/tmp
}

# A fresh directory that no tool is told of.
outside() {
    rm -rf outside
    mkdir -p outside/empty
    touch outside/{secret,victim,moved,gone}
}

# Runs a tool that reads $1 and writes to out/, with all attempts: report.
probe() { # INPUT COMMAND...
    local input=$1
    shift
    outside
    rm -f report
    expect 0 env LD_PRELOAD="$BATS_FILE_TMPDIR/probe.so" \
        PROBE_INPUT="$input" PROBE_REPORT=report PROBE_DIR=outside "$@"
    [ -s report ]
}

files='list_directory|write_file|create_file|create_unnamed|remove_file'
files+='|rename_file|make_directory|remove_directory|read_parent'
files+='|truncate_file|make_link|make_symlink'
reading='read_secret|list_directory'
programs='run_program|start_process|signal_parent'

# The attempts that were not refused; those that the kernel has no means
# against are left out.
not_refused() {
    local not='' landlock="read_secret|$files"
    [ "$abi" -ge 1 ] || not+="|$landlock"
    [ "$abi" -ge 3 ] || not+='|truncate_file'
    [ "$seccomp" = 1 ] || not+="|(?!$landlock)\\w+"
    perl -ne 'next if /^(?:-'"$not"') /;
        print unless /^(?:'"$landlock"') (?:EACCES|EPERM|EXDEV)$/ ||
            !/^(?:'"$landlock"') / && / ENOSYS$/' report
}

@test 'not isolated, attempts succeed' {
    # Of what is tried, this much nobody is refused.
    PROFUTILS_ISOLATION=off PROBE_EXEC=1 probe cpu.pb.gz \
        pbmerge -o out/x cpu.pb.gz
    for name in read_secret write_file create_file remove_file rename_file \
        make_directory remove_directory truncate_file make_link make_symlink \
        make_fifo change_mode change_owner change_times start_process \
        signal_parent local_socket pair_of_sockets change_mode_of_open \
        change_owner_of_open limit_parent \
        signal_parent_by_file; do
        grep -x "$name done" report
    done
    ! grep -E '(mount_something|own_namespaces) ENOSYS' report || false
}

@test 'tools that read their inputs can do nothing else' {
    pbcat --folded cpu.pb.gz >folded
    for command in 'cpu.pb.gz pbmerge' 'cpu.pb.gz pbfilter --focus=.' \
        'cpu.pb.gz pbcat --text' 'cpu.pb.gz pbcat --flame' \
        'cpu.pb.gz pbcat --raw' 'cpu.prof prof2pb --no-symbols' \
        'gmon.out gmon2pb --no-symbols' 'cycles.dcpi dcpi2pb' \
        'folded folded2pb'; do
        set -- $command
        input=$1
        shift
        "$@" -o wanted "$input"
        probe "$input" "$@" -o out/x "$input"
        diff <(not_refused) /dev/null
        cmp out/x wanted
    done
}

@test 'tools that look for programs may read, and nothing else' {
    for command in 'cpu.pb.gz pbsym' 'cpu.pb.gz pbcat --list=.' \
        'cpu.prof prof2pb' 'gmon.out gmon2pb -e a.out'; do
        set -- $command
        input=$1
        shift
        "$@" -o wanted "$input"
        probe "$input" "$@" -o out/x "$input"
        grep -x 'read_secret done' report
        sed -i -E "/^($reading) done/d" report
        diff <(not_refused) /dev/null
        cmp out/x wanted
    done
}

@test 'what starts programs cannot write or talk, and neither can they' {
    for command in 'pbcat --svg' 'pbcat --weblist=.'; do
        set -- $command
        "$@" -o wanted cpu.pb.gz
        PROBE_EXEC=1 probe cpu.pb.gz "$@" -o out/x cpu.pb.gz
        sed -i -E "/^($reading|$programs) done/d" report
        diff <(not_refused |
            sed -E '/^signal_parent EPERM/d') /dev/null
        cmp out/x wanted
    done
    [ "$abi" -ge 1 ] || skip 'this machine has no Landlock'
    # A dot that does what it should not.
    mkdir bin
    cat >bin/dot <<'END'
#!/bin/bash
cat >/dev/null
(echo planted >outside/planted) 2>/dev/null && echo wrote
rm -f outside/victim 2>/dev/null && echo removed
(exec 3<>/dev/tcp/127.0.0.1/1) 2>&1 | grep -q refused && echo connected
kill -0 "$TOLD" 2>/dev/null && echo signalled
echo drawn
END
    chmod +x bin/dot
    outside
    TOLD=$$ expect 0 env PATH="$PWD/bin:$PATH" pbcat --svg cpu.pb.gz
    [ "$abi" -ge 6 ] || output=${output/$'signalled\n'/}
    same drawn
}

# What -v says of it: `not` and more, or this where the kernel has the means.
says() { # READS WHERE COMMAND...
    local wanted=
    [ "$abi" = 0 ] || wanted="Landlock ABI $abi (reads $1, writes in $2)"
    [ "$seccomp" = 0 ] || wanted+="${wanted:+, }seccomp"
    [ -z "$wanted" ] || wanted="$3: note: sandbox: $wanted"
    shift 2
    run --separate-stderr "$@"
    [ "$status" = 0 ]
    diff <(grep sandbox <<<"$stderr") <([ -z "$wanted" ] || echo "$wanted")
}

@test '-v says what holds' {
    says 'its inputs' "$TMPDIR and for out/x" pbmerge -v -o out/x cpu.pb.gz
    says 'any file' "$TMPDIR" pbsym -v cpu.pb.gz
    says 'any file, runs programs' "$TMPDIR" pbcat -v --svg cpu.pb.gz
    # More inputs than rules are made for.
    for i in $(seq 257); do ln cpu.pb.gz "$i.pb.gz"; done
    says 'its inputs' "$TMPDIR" pbmerge -v [1-9].pb.gz
    says 'any file' "$TMPDIR" pbmerge -v [0-9]*.pb.gz
    run --separate-stderr env PROFUTILS_ISOLATION=off pbmerge -v cpu.pb.gz
    same_err 'pbmerge: note: sandbox off: PROFUTILS_ISOLATION=off'
}

# Whoever knows what a temporary file will be called puts a link there first.
@test 'temporary files are never what somebody else has put there' {
    foreseen() { # STATUS COMMAND...
        local wanted=$1
        shift
        expect "$wanted" env LD_PRELOAD="$BATS_FILE_TMPDIR/foreseen.so" "$@"
    }
    echo untouched >victim
    mkdir d bin
    # It is called so if nobody is there.
    printf '#!/bin/sh\necho "$3" >&2\n' >bin/gv
    chmod +x bin/gv
    PATH="$PWD/bin:$PATH" foreseen 0 pbcat --gv cpu.pb.gz
    same_err ... ": $TMPDIR/profutils.0000000000000000.ps"
    for link in "$PWD/victim" "$PWD/made"; do
        for name in out/.x.0000000000000000 d/.cpu.prof.pb.gz.0000000000000000 \
            tmp/profutils.0000000000000000{,.ps}; do
            ln -sfn "$link" "$name"
        done
        foreseen 4 pbmerge -o out/x cpu.pb.gz
        same_err 'pbmerge: out/x: cannot create a temporary file in the same directory: File exists'
        foreseen 4 prof2pb --no-symbols --each -o d/ cpu.prof
        same_err ... 'cpu.prof: d/: cannot create a temporary file in the same directory: File exists'
        PATH="$PWD/bin:$PATH" foreseen 4 pbcat --gv cpu.pb.gz
        same_err ... "profutils.0000000000000000.ps: File exists"
    done
    [ "$(cat victim)" = untouched ]
    [ ! -e made ]
    [ -L out/.x.0000000000000000 ]
}

# A directory below the output turns into a link to another and back, all the
# while files are written there.
@test 'an archive writes nowhere but below its directory, links or not' {
    mkdir names elsewhere
    for i in $(seq 150); do
        mkdir -p "names/a$((i % 3))/sub"
        ln cpu.prof "names/a$((i % 3))/sub/$i"
    done
    tar -cf in.tar --sort=name -C names .
    (
        while [ ! -e stop ]; do
            for i in 0 1 2; do
                mv "out/a$i" "out/b$i"
                ln -s ../elsewhere "out/a$i"
                rm "out/a$i"
                mv "out/b$i" "out/a$i"
            done
        done
    ) 2>/dev/null &
    for isolation in on off; do
        for i in 1 2 3; do
            PROFUTILS_ISOLATION=$isolation run prof2pb --no-symbols -q -k \
                --each -o out/ in.tar
            [[ $status = [0345] ]]
        done
    done
    touch stop
    wait
    [ -z "$(find elsewhere -mindepth 1)" ]
    [ -n "$(find out -name '*.pb.gz')" ]
}

# The tool waits for the one who writes to the FIFO, having begun.
@test 'an input that another file takes the place of is not read' {
    cp cpu.pb.gz a
    cp cpu.pb.gz new
    mkfifo fifo
    pbmerge -T1 -o out/x fifo a 2>err &
    local tool=$! status=0
    exec 9>fifo
    mv new a
    cat cpu.pb.gz >&9
    exec 9>&-
    wait "$tool" || status=$?
    if [ "$abi" = 0 ]; then
        [ "$status" = 0 ]
        return
    fi
    [ "$status" = 4 ]
    [ ! -e out/x ]
    [ "$(cat err)" = "pbmerge: a: cannot open: Permission denied, although \
its mode allows reading: the file was replaced while the tool ran (see \
Isolation in profutils(7)), or the tool runs in a sandbox" ]
}
