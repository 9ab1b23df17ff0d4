# gmon2pb --exe-from: the program of each gmon.out is found beside it
#
# shellcheck disable=SC2154 # stderr_lines is set by expect

load helper

# A program DIR/NAME of function FUNC, run, so that DIR/gmon.out says that it
# was called CALLS times.
program() { # DIR NAME FUNC CALLS [GCC-OPTION...]
    mkdir -p "$1"
    cat >prog.c <<'END'
volatile int sum, calls = CALLS;
__attribute__((noinline)) void FUNC(int x) { sum += x; }
int main(void)
{
    for (int i = 0; i < calls; i++)
        FUNC(i);
    return 0;
}
END
    gcc -pg -O1 -DFUNC="$3" -DCALLS="$4" "${@:5}" -o "$1/$2" prog.c
    (cd "$1" && env -u GMON_OUT_PREFIX "./$2")
}

# Three programs of one size, at the same addresses.
programs() {
    program a prog alpha 5
    program b prog beta 7
    program c prog delta 11
}

# Who is called how often: "FILE FUNCTION CALLS", the callee's mapping first.
calls() { # PROFILE
    go_pprof -raw "$1" | awk '
        /^Samples:/ { part = "s"; next }
        /^Locations/ { part = "l"; next }
        /^Mappings/ { part = "m"; next }
        part == "s" && /^[a-z]+\/[a-z]+/ {
            for (i = 1; i <= NF; i++) if ($i ~ /^calls/) column = i
            next
        }
        part == "s" && /:/ {
            split($0, half, ": ")
            split(half[1], value, " ")
            split(half[2], frame, " ")
            if (value[column] > 0) count[frame[1]] += value[column]
        }
        part == "l" { sub(":", "", $1); map[$1] = substr($3, 3); name[$1] = $4 }
        part == "m" { sub(":", "", $1); file[$1] = $3 }
        END { for (l in count) print file[map[l]], name[l], count[l] }' | sort
}

three='a/prog alpha 5
b/prog beta 7
c/prog delta 11'

@test "files: the program in the directory of each" {
    programs
    expect 0 gmon2pb --exe-from='{dir}/prog' -o out.pb.gz {a,b,c}/gmon.out
    [ -z "$output" ]
    run ! grep -v 'warning: no time accumulated: ' <<<"$stderr"
    run calls out.pb.gz
    same "$three"
    gmon2pb --exe_from=prog c/gmon.out a/gmon.out b/gmon.out | cmp - out.pb.gz
    gmon2pb --exe-from=../c/prog --exe-from=prog c/gmon.out -o c.pb.gz
    run calls c.pb.gz
    same 'c/../c/prog delta 11'
    (cd a && gmon2pb --exe-from=prog -o ../one.pb.gz gmon.out)
    (cd a && gmon2pb -e prog gmon.out) | cmp - one.pb.gz
    # What is there as a.out is of no interest, found or not.
    cp a/prog a.out
    gmon2pb --exe-from=prog {a,b,c}/gmon.out | cmp - out.pb.gz
    expect 3 gmon2pb --exe-from=other -o none.pb.gz b/gmon.out
    same_err 'gmon2pb: b/gmon.out: program not found: b/other: No such file or directory'
    [ ! -e none.pb.gz ]
}

@test "patterns: parent, stem and name" {
    program runs/one prog alpha 5
    program runs/two prog beta 7
    mkdir bin
    mv runs/one/prog bin/one
    mv runs/two/prog bin/two
    gmon2pb --exe-from='../../bin/{parent}' -o out.pb.gz runs/*/gmon.out
    run calls out.pb.gz
    same 'runs/one/../../bin/one alpha 5
runs/two/../../bin/two beta 7'
    # in an archive the names are as they are without detours
    tar -cf runs.tar runs bin
    gmon2pb --exe-from='../../bin/{parent}' -o out.pb.gz runs.tar
    gmon2pb --exe-from='/bin/{parent}' runs.tar | cmp - out.pb.gz
    run calls out.pb.gz
    same 'bin/one alpha 5
bin/two beta 7'
    for p in one two; do GMON_OUT_PREFIX=$p "bin/$p"; done
    gmon2pb --exe-from='bin/{stem}' -o out.pb.gz one.* two.*
    run calls out.pb.gz
    same 'bin/one alpha 5
bin/two beta 7'
    mv runs/two/gmon.out x
    gzip x
    cp bin/two x.gz.exe
    gmon2pb --exe-from='{name}.exe' -o out.pb.gz x.gz
    run calls out.pb.gz
    same 'x.gz.exe beta 7'
}

@test "archives of all kinds, in whatever order, or from a pipe" {
    programs
    gmon2pb --exe-from=prog -o want.pb.gz {a,b,c}/gmon.out
    tar -cf before.tar {a,b,c}/prog {a,b,c}/gmon.out
    tar -cf after.tar {a,b,c}/gmon.out {c,a,b}/prog
    tar -cf mixed.tar ./a/gmon.out ./b/prog ./c ./b/gmon.out ./a/prog
    tar -czf packed.tar.gz a b c
    bsdtar -cf a.zip --format=zip b a c
    bsdtar -cf a.7z --format=7zip c/gmon.out a b c/prog
    bsdtar -cf a.cpio --format=newc a b c
    for f in ./*.tar ./*.tar.gz a.zip a.7z a.cpio; do
        expect 0 gmon2pb --exe-from=prog -q -o out.pb.gz "$f"
        cmp out.pb.gz want.pb.gz
        gmon2pb --exe-from=prog -q <"$f" | cmp - want.pb.gz
    done
    # From a pipe programs have to come first.
    # shellcheck disable=SC2002 # a pipe, not a file
    cat before.tar | gmon2pb --exe-from=prog -q | cmp - want.pb.gz
    # shellcheck disable=SC2002
    gzip -c before.tar | cat | gmon2pb --exe-from=prog -q | cmp - want.pb.gz
    mkfifo fifo
    cat after.tar >fifo &
    expect 3 gmon2pb --exe-from=prog -o none.pb.gz fifo
    same_err 'gmon2pb: fifo(a/gmon.out): program not found: a/prog: not found before the profile, and a pipe is read only once; pass the archive as a file, or specify the program with -e'
    expect 0 gmon2pb --exe-from=prog --strict -o out.pb.gz after.tar
}

@test "programs in several archives, and as files, are summed by content" {
    programs
    mkdir other
    cp -R a other/copy
    tar -cf 1.tar a b
    tar -cf 2.tar c other
    gmon2pb -q --exe-from=prog -o out.pb.gz 1.tar c/gmon.out 2.tar
    run calls out.pb.gz
    same 'a/prog alpha 10
b/prog beta 7
c/prog delta 22'
    gmon2pb -q --exe-from=prog 2.tar c/gmon.out 1.tar | cmp - out.pb.gz
    # a copy of each for a thousand profiles
    perl -e 'for my $i (1 .. 1000) { mkdir "m$i" or die;
        link "b/$_", "m$i/$_" or die for qw(prog gmon.out) }'
    tar --hard-dereference -cf many.tar m*
    gmon2pb -q --exe-from=prog -o out.pb.gz many.tar
    run calls out.pb.gz
    same 'm1/prog beta 7000'
    # the same file under two names, and a program that is a link elsewhere
    cp a/gmon.out other
    ln -f a/prog other/prog
    ln -f a/gmon.out other/linked.out
    tar -cf linked.tar a other/{gmon.out,prog,linked.out}
    expect 0 gmon2pb -q --exe-from=prog -o out.pb.gz linked.tar
    run calls out.pb.gz
    same 'a/prog alpha 10'
    tar -cf elsewhere.tar a/prog other/{gmon.out,prog}
    tar --delete -f elsewhere.tar a/prog
    expect 3 gmon2pb -q --exe-from=prog -o none.pb.gz elsewhere.tar
    same_err 'gmon2pb: elsewhere.tar(other/gmon.out): program not found: other/prog: a hard link'
    # and one that is a link to what a pattern must mean, too
    ln a/prog a/real
    tar -cf real.tar a/real a/prog a/gmon.out
    expect 3 gmon2pb -q --exe-from=prog -o none.pb.gz real.tar
    same_err 'gmon2pb: real.tar(a/gmon.out): program not found: a/prog: a hard link to an entry that no pattern matches'
    gmon2pb -q --exe-from=prog --exe-from=real -o out.pb.gz real.tar
    run calls out.pb.gz
    same 'a/prog alpha 5'
}

@test "without build ids, programs of one name stay apart" {
    program a prog alpha 5 -Wl,--build-id=none
    program b prog beta 7 -Wl,--build-id=none
    tar -C a -cf a.tar .
    tar -C b -cf b.tar .
    gmon2pb -q --exe-from=prog -o out.pb.gz a.tar b.tar
    run calls out.pb.gz
    same 'a.tar/prog alpha 5
b.tar/prog beta 7'
    gmon2pb -q --exe-from=prog b.tar a.tar | cmp - out.pb.gz
    gmon2pb -q --exe-from=prog -o out.pb.gz a.tar
    run calls out.pb.gz
    same 'prog alpha 5'
    # two entries of one name, each with a profile before the other comes
    cp b/gmon.out b/2nd.out
    tar -cf twice.tar -C a prog gmon.out -C ../b prog 2nd.out
    mkfifo fifo
    cat twice.tar >fifo &
    expect 3 gmon2pb --exe-from=prog -o none.pb.gz fifo
    same_err 'gmon2pb: two programs without build IDs have the same name fifo/prog; a profile cannot distinguish them'
    [ ! -e none.pb.gz ]
}

@test "no program: an error that says where it was looked for" {
    programs
    ln -s ../b/prog a/link
    printf '#!/bin/sh\n' >a/script
    tar -cf bad.tar a/gmon.out a/link a/script b c
    expect 3 gmon2pb --exe-from=prog --exe-from=link --exe-from='../../{stem}' \
        -o out.pb.gz bad.tar
    same_err 'gmon2pb: bad.tar(a/gmon.out): program not found: a/prog: not in the archive; a/link: a symbolic link; ../../{stem}: leads outside the archive'
    [ ! -e out.pb.gz ]
    expect 3 gmon2pb --exe-from=script --exe-from='../{parent}' a/gmon.out
    same_err 'gmon2pb: a/gmon.out: program not found: a/script: not an ELF file; a/../a: not a regular file'
}

@test "an archive of programs alone is none of profiles" {
    programs
    tar -cf bin.tar {a,b}/prog
    expect 3 gmon2pb --exe-from=prog -o out.pb.gz bin.tar
    same_err 'gmon2pb: bin.tar: none of 2 entries is a gmon.out file; a/prog: not a gmon.out file: found a program or library (ELF)'
}

@test "--each: every profile is what its file gives alone" {
    programs
    cp a/gmon.out a/gmon.2
    tar -cf after.tar a/gmon.2 {a,b,c}/gmon.out {c,a,b}/prog
    expect 0 gmon2pb -q --each --exe-from=prog -o dir/ after.tar
    [ "$(cd dir && find . -type f | sort | tr '\n' ' ')" = \
        './a/gmon.2.pb.gz ./a/gmon.out.pb.gz ./b/gmon.out.pb.gz ./c/gmon.out.pb.gz ' ]
    for d in a b c; do
        gmon2pb --exe-from=prog -q $d/gmon.out | cmp - dir/$d/gmon.out.pb.gz
    done
    expect 0 gmon2pb -q --each --exe-from=prog -o out.tar - <after.tar
    mkdir unpacked
    tar -C unpacked -xf out.tar
    diff -r dir unpacked
    # one without a program, and one that is damaged
    head -c 200 c/gmon.out >c/cut.out
    tar -cf bad.tar a/gmon.out c b/gmon.out b/prog
    expect 5 gmon2pb -q -k --each --exe-from=prog -o some/ bad.tar
    [ "${#stderr_lines[@]}" = 2 ]
    grep -q "^gmon2pb: bad.tar(c/cut.out): offset" <<<"$stderr"
    grep -qx "gmon2pb: bad.tar(a/gmon.out): program not found: a/prog: not in the archive" <<<"$stderr"
    diff -r dir/b some/b
    diff -r dir/c some/c
    [ ! -e some/a ]
}

@test "-k leaves out what has no program" {
    programs
    rm a/prog
    tar -cf bad.tar a b c
    expect 5 gmon2pb -k --exe-from=prog -o out.pb.gz bad.tar
    same_line 0 'gmon2pb: bad.tar(a/gmon.out): program not found: a/prog: not in the archive'
    gmon2pb --exe-from=prog b/gmon.out c/gmon.out | cmp - out.pb.gz
}

@test "-e is for those that the patterns find nothing for" {
    programs
    mv a/prog alpha
    tar -cf part.tar a b
    expect 0 gmon2pb -v -e alpha --exe-from=prog -o out.pb.gz part.tar
    grep -qx 'gmon2pb: part.tar(a/gmon.out): note: no program matches --exe-from; using alpha' <<<"$stderr"
    run calls out.pb.gz
    same 'alpha alpha 5
b/prog beta 7'
    expect 4 gmon2pb -e nothing --exe-from=prog -o none.pb.gz part.tar
    same_err 'gmon2pb: nothing: cannot open: No such file or directory'
}

@test "in a pipe, a program that comes after its profile is an error" {
    programs
    cp b/prog beta
    tar -cf late.tar a/gmon.out b/gmon.out b/prog a/prog
    late='the program follows its profile in the archive, and a pipe is read only once; pass the archive as a file'
    mkfifo fifo
    cat late.tar >fifo &
    expect 3 gmon2pb -q -e beta --exe-from=prog -o none.pb.gz fifo
    same_err "gmon2pb: fifo(b/prog): $late"
    [ ! -e none.pb.gz ]
    # The same where a later pattern has found one.
    cp c/prog a/other
    tar -cf second.tar a/other a/gmon.out a/prog
    cat second.tar >fifo &
    expect 3 gmon2pb -q --exe-from=prog --exe-from=other -o none.pb.gz fifo
    same_err "gmon2pb: fifo(a/prog): $late"
    # A file is read twice: each profile gets its own program.
    expect 0 gmon2pb -q -e beta --exe-from=prog --strict -o out.pb.gz late.tar
    run calls out.pb.gz
    same 'a/prog alpha 5
b/prog beta 7'
}

@test "what cannot be is passed over: a script for a program" {
    program a/.libs prog alpha 5
    mv a/.libs/gmon.out a
    printf '#!/bin/sh\nexec .libs/prog\n' >a/prog
    gmon2pb --exe-from=prog --exe-from=.libs/prog -o out.pb.gz a/gmon.out
    run calls out.pb.gz
    same 'a/.libs/prog alpha 5'
    tar -cf a.tar a
    gmon2pb -q --exe-from=prog --exe-from=.libs/prog a.tar | cmp - out.pb.gz
    # but not what begins like a program and is none
    head -c 64 a/.libs/prog >a/cut
    expect 3 gmon2pb --exe-from=cut a/gmon.out
    same_err 'gmon2pb: a/gmon.out: a/cut: ' ...
}

@test "patterns that are none" {
    expect 2 gmon2pb --exe-from='{dir}' /dev/null
    same_err "gmon2pb: --exe-from: '{dir}' names a directory, not a file"
    expect 2 gmon2pb --exe-from='{prog}' /dev/null
    same_err "gmon2pb: invalid value '{prog}' for --exe-from: expected {dir}, {parent}, {name} or {stem}"
}

@test "names that climb out of the archive lead nowhere" {
    programs
    mkdir -p x/y
    cp a/gmon.out x/y
    (cd x/y && tar -Pcf ../../climb.tar ../../b/prog gmon.out ../../b/gmon.out)
    expect 3 gmon2pb --exe-from=prog --exe-from=../../b/prog climb.tar -o out.pb
    [ ! -e out.pb ]
    tar -Pcf absolute.tar "$PWD/a/prog" "$PWD/a/gmon.out"
    gmon2pb -q --exe-from=prog -o out.pb absolute.tar
    run calls out.pb
    same "${PWD#/}/a/prog alpha 5"
}

@test "nothing is left in the directory for temporary files" {
    programs
    mkdir tmp
    head -c 300000 /dev/zero >pad
    tar -cf before.tar {a,b,c}/prog pad {a,b,c}/gmon.out
    export TMPDIR=$PWD/tmp
    gmon2pb -q --exe-from=prog -o out.pb.gz before.tar
    rmdir tmp && mkdir tmp
    expect 3 gmon2pb -q --exe-from=none -o out.pb.gz before.tar
    rmdir tmp && mkdir tmp
    # killed while the rest is yet to come
    mkfifo fifo
    gmon2pb -q --exe-from=prog -o out.pb.gz - <fifo &
    exec 9>fifo
    head -c 300000 before.tar >&9
    kill -KILL $!
    status=0
    wait $! || status=$?
    exec 9>&-
    [ $status = 137 ]
    rmdir tmp
}
