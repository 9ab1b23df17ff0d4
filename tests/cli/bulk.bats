# Archives of many files to convert, with others between them.

load helper
load bulk

setup() {
    setup_scratch
    mkdir work
    cd work || return
}

# What the tool says that its inputs are.
kind() { # TOOL
    case $1 in
    prof2pb) echo 'a profile that prof2pb reads' ;;
    gmon2pb) echo 'a gmon.out file' ;;
    dcpi2pb) echo 'a DCPI profile' ;;
    folded2pb) echo 'a file of folded stacks' ;;
    esac
}

# An archive with one.in, two.in and everything that is not converted.
mixed() { # NAME
    echo 'Read me.' >README
    cp "$BASH" elf
    : >empty
    ln -sf one.in link
    tar -cf inner.tar one.in
    tar -cf "$1" README one.in elf empty link inner.tar two.in
}

@test "entries that are not the tool's are skipped, with a count" {
    local tool
    for tool in prof2pb gmon2pb dcpi2pb folded2pb; do
        files_of $tool
        mixed mixed.tar
        expect 0 $tool -o got mixed.tar
        cmp wanted got
        grep -q "^$tool: mixed.tar(inner.tar): warning: skipped: archives \
inside archives are not supported$" <<<"$stderr"
        same_line -1 "$tool: 2 profiles converted, 5 entries \
skipped (1 empty), 0 failed: " ... " in " ... " s"
        # The archive in it may have had profiles.
        expect 0 $tool -q -o got mixed.tar
        same_err "$tool: mixed.tar(inner.tar): warning: skipped: archives \
inside archives are not supported"
        cmp wanted got
    done
}

@test "-v names what is skipped" {
    files_of prof2pb
    mixed mixed.tar
    expect 0 prof2pb -v --no-symbols -o got mixed.tar
    same "$output"
    grep ': skipped: ' <<<"$stderr" >skipped
    diff -u - skipped <<'END'
prof2pb: mixed.tar(README): note: skipped: not a profile that prof2pb reads: found text
prof2pb: mixed.tar(elf): note: skipped: not a profile that prof2pb reads: found a program or library (ELF)
prof2pb: mixed.tar(empty): note: skipped: empty file (was the program killed before it wrote its profile?)
prof2pb: mixed.tar(link): note: skipped: a symbolic link; not converted
prof2pb: mixed.tar(inner.tar): warning: skipped: archives inside archives are not supported
END
    # what is another tool's is said to be
    perl "$ROOT/tests/cli/gmon.pl" make gnu64 little >gmon.out
    tar -cf two.tar one.in gmon.out
    expect 0 prof2pb -v -o got two.tar
    same_err ... 'two.tar(gmon.out): note: skipped: not a profile that prof2pb '\
'reads: found a gmon.out file; use gmon2pb' ...
    expect 3 gmon2pb -q --strict two.tar
    same_err 'gmon2pb: two.tar(one.in): not a gmon.out file: found a '\
'gperftools CPU profile; use prof2pb'
}

@test "--strict: each is an error" {
    local tool
    for tool in prof2pb gmon2pb dcpi2pb folded2pb; do
        files_of $tool
        mixed mixed.tar
        expect 3 $tool -q --strict -o got mixed.tar
        same_err "$tool: mixed.tar(README): not $(kind "$tool"): found text"
        [ ! -e got ]
        expect 5 $tool -q -k --strict -o got mixed.tar
        [ "${#stderr_lines[@]}" = 5 ]
        same_line 2 "$tool: mixed.tar(empty): empty file (was the program killed before it wrote its profile?)"
        cmp wanted got
        rm got
        tar -cf clean.tar one.in two.in
        expect 0 $tool -q --strict -o got clean.tar
        [ -z "$stderr" ]
        cmp wanted got
        rm got
    done
}

@test "nothing to convert in an archive is an error" {
    echo text >README
    tar -cf text.tar README README
    tar -cf none.tar -T /dev/null
    local tool
    for tool in prof2pb gmon2pb dcpi2pb folded2pb; do
        files_of $tool
        expect 3 $tool -q text.tar
        same_err "$tool: text.tar: none of 2 entries is $(kind "$tool"); \
README: not $(kind "$tool"): found text"
        expect 3 $tool -q none.tar
        same_err "$tool: none.tar: the archive contains no files"
        # also where another input is good, unless -k says otherwise
        expect 3 $tool -q one.in two.in text.tar
        [ -z "$output" ]
        expect 5 $tool -q -k -o got one.in none.tar two.in text.tar
        cmp wanted got
    done
}

@test "files that are operands are not skipped" {
    echo text >README
    local tool
    for tool in prof2pb gmon2pb dcpi2pb folded2pb; do
        expect 3 $tool -q README
        same_err "$tool: README: " ...
        expect 3 $tool -q - </dev/null
        same_err "$tool: (standard input): " ...
    done
}

@test "operands, standard input, lists and archives of every kind" {
    local tool archive
    for tool in prof2pb gmon2pb dcpi2pb folded2pb; do
        rm -f ./*
        files_of $tool
        printf '%s\n' one.in two.in >list
        tr '\n' '\0' <list >list0
        $tool -q --files-from=list | cmp wanted -
        $tool -q --files0-from=list0 | cmp wanted -
        $tool -q --files-from=- <list | cmp wanted -
        # shellcheck disable=SC2002 # a pipe is meant
        cat two.in | $tool -q one.in - | cmp wanted -
        gzip -k one.in two.in
        $tool -q one.in.gz two.in.gz | cmp wanted -
        cat one.in.gz two.in.gz | $tool -q | cmp wanted -
        zstd -q one.in.gz
        tar -cf a.tar one.in two.in
        tar -cf packed.tar one.in.gz.zst two.in.gz
        tar -czf a.tar.gz one.in two.in
        xz -c a.tar.gz >twice
        zstd -q a.tar
        zip -q a.zip one.in two.in
        printf '%s\n' one.in two.in | cpio --quiet -o -H newc >a.cpio
        bsdtar -cf a.7z --format=7zip one.in two.in
        for archive in a.* packed.tar; do
            $tool -q --strict "$archive" | cmp wanted -
            # shellcheck disable=SC2002 # a pipe is meant
            cat "$archive" | $tool -q --strict - | cmp wanted -
        done
        expect 3 $tool -q twice
        same_err ... 'twice: archives inside archives are not supported'
    done
}

@test "a broken entry is named, and -k goes on behind it" {
    local tool
    for tool in prof2pb gmon2pb dcpi2pb folded2pb; do
        files_of $tool
        case $tool in
        prof2pb) perl -e 'print pack "Q<*", 0, 3, 7, 10000, 0' >broken ;;
        gmon2pb) head -c 30 one.in >broken ;;
        dcpi2pb) head -c -5 one.in >broken ;;
        folded2pb) echo 'main;a 9223372036854775808' >broken ;;
        esac
        gzip -c one.in | head -c 40 >cut.gz
        tar -cf a.tar one.in broken cut.gz two.in
        expect 3 $tool -q -o got a.tar
        same_err "$tool: a.tar(broken): " ...
        [ ! -e got ]
        expect 5 $tool -q -k -o got a.tar
        [ "${#stderr_lines[@]}" = 2 ]
        same_line 0 "$tool: a.tar(broken): " ...
        same_line 1 "$tool: a.tar(cut.gz): offset 0: unexpected end of gzip data after 40 bytes" ...
        cmp wanted got
        rm got
        expect 5 $tool -k -o got a.tar
        same_line -1 "$tool: 2 profiles converted, 0 entries \
skipped, 2 failed: " ...
        rm got
        expect 5 $tool -q -k --each -o x.tar a.tar
        [ "$(bsdtar -tf x.tar)" = $'one.in.pb.gz\ntwo.in.pb.gz' ]
        rm x.tar
    done
}

@test "of an archive that is cut off or damaged, -k keeps what came before" {
    local archive
    bulk cpu 1 >one.in
    perl -e 'print map { chr rand 256 } 1 .. 200000' >noise
    prof2pb -q -o wanted one.in
    tar -cf a.tar one.in noise
    gzip -k a.tar
    zstd -q a.tar
    zip -q a.zip one.in noise
    for archive in a.tar a.tar.gz a.tar.zst; do
        head -c 150000 $archive >cut
        expect 3 prof2pb -q -o got cut
        [ ! -e got ]
        expect 5 prof2pb -q -k -o got cut
        same_err 'prof2pb: cut' ...
        cmp wanted got
        expect 5 prof2pb -q -k --each -o x.tar cut
        [ "$(bsdtar -tf x.tar)" = one.in.pb.gz ]
        rm got x.tar
    done
    # damage in the middle of a stream that has a checksum
    for archive in a.tar.gz a.tar.zst; do
        cp $archive bad
        dd if=/dev/zero of=bad bs=1 seek=180000 count=3000 conv=notrunc \
            status=none
        expect 3 prof2pb -q -o got bad
        [ ! -e got ]
        expect 5 prof2pb -q -k -o got bad
        cmp wanted got
        rm got
    done
    # a zip entry that does not inflate stands alone
    cp one.in again
    zip -q a.zip again
    dd if=/dev/zero of=a.zip bs=1 seek=100000 count=3000 conv=notrunc \
        status=none
    prof2pb -q -o both one.in again
    expect 5 prof2pb -q -k -o got a.zip
    same_err 'prof2pb: a.zip(noise): ' ...
    cmp both got
}

# Feeds an archive of entries to a command on a terminal, the last three once it
# shows progress or after TRIES tenths of a second; what it shows is in the file
# `shown`.
slowly() { # TERM COMMAND [TRIES]
    local tries=${3-600}
    bulk cpu 5 >one.in
    head -c 102400 /dev/zero >zeros
    rm -f pipe shown
    mkfifo pipe
    : >shown
    {
        bulk many 100 one.in
        while ((tries-- > 0)) && ! grep -q ' profiles, ' shown; do
            sleep 0.1
        done
        bulk tar again one.in zeros zeros broken broken
    } >pipe &
    TERM=$1 script -qec "stty cols 60; $2 <pipe" /dev/null >shown || true
    wait
}

@test "progress on a terminal, cleared before messages and at the end" {
    perl -e 'print pack "Q<*", 0, 3, 7, 10000, 0' >broken
    slowly xterm 'prof2pb --no-symbols -k --each -o x.tar'
    [ "$(bsdtar -tf x.tar | wc -l)" = 101 ]
    perl -0ne '
        s/\r\n/\n/g;
        m{\rprof2pb: [1-9]\d* profiles, [\d.]+ \w+, [\d.]+ \w+/s\e\[K} or die "none";
        m{\r\e\[Kprof2pb:\ \(standard\ input\)\(broken\):\ [^\r]*\n
          prof2pb:\ 101\ profiles\ converted,\ 1\ entry\ skipped,\ 1\ failed:
          \ [\d.]+\ kB\ in\ [\d.]+\ s\n\z}x or die "not cleared: $_";
    ' shown
    # a line that is as long as the terminal is wide would make it scroll
    perl -0ne 'for (split /\r/) { s/\e\[K.*//s; s/\n.*//s;
        die "too long: $_" if /^prof2pb: \d+ profiles?, / && length > 59 }' \
        shown
}

@test "no progress where it would disturb" {
    perl -e 'print pack "Q<*", 0, 3, 7, 10000, 0' >broken
    slowly dumb 'prof2pb --no-symbols -k --each -o x.tar' 40
    run -1 grep -q $'\033' shown
    slowly xterm 'prof2pb -q --no-symbols -k --each -o x.tar' 40
    run -1 grep -q $'\033' shown
    slowly xterm 'prof2pb --no-symbols -k --each -o x.tar 2>log' 40
    [ ! -s shown ]
    run -1 grep -q $'\033' log
}

@test "the summary: on a terminal, with -v, or if not all went well" {
    bulk cpu 5 >one.in
    tar -cf a.tar one.in
    expect 0 prof2pb --no-symbols -o got a.tar
    [ -z "$stderr" ]
    expect 0 prof2pb --no-symbols --each -o x.tar one.in
    [ -z "$stderr" ]
    expect 0 prof2pb --no-symbols -v -o got a.tar
    same_line -1 'prof2pb: 1 profile converted, 0 entries '\
'skipped, 0 failed: 10.2 kB in ' ... ' s'
    expect 0 prof2pb --no-symbols -v -o got one.in
    [[ $stderr != *' converted, '* ]]
    expect 0 script -qec 'prof2pb --no-symbols -o got a.tar' /dev/null
    [[ $output = 'prof2pb: 1 profile converted, 0 entries skipped, 0 failed: '* ]]
}

@test "a zip or 7z that is too large to keep, from a pipe" {
    mkdir tmp
    export TMPDIR=$PWD/tmp
    bulk cpu 1 >one.in
    perl -e 'srand 1; print pack "L*", map { rand 2 ** 32 } 1 .. 4500000' >noise
    zip -q -0 a.zip noise one.in
    prof2pb -q -o wanted one.in
    # shellcheck disable=SC2002 # a pipe is meant
    cat a.zip | prof2pb -q - | cmp wanted -
    [ -z "$(ls -A tmp)" ]
    expect 3 bash -c 'cat a.zip | prof2pb --max-size=17M -'
    same_err 'prof2pb: (standard input): exceeds 17825792 bytes (see --max-size)'
    expect 4 bash -c 'cat a.zip | TMPDIR=/nowhere prof2pb -'
    same_err 'prof2pb: (standard input): ' ... ' /nowhere: ' ...
    # one that is a file needs no temporary one
    TMPDIR=/nowhere prof2pb -q - <a.zip | cmp wanted -
}
