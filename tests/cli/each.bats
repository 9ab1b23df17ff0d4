# --each: a profile of each input, in an archive or a directory.

load helper

bulk() {
    perl "$ROOT/tests/cli/bulk.pl" "$@"
}

# A directory that bats does not keep files of its own in, with three CPU
# profiles.
setup() {
    setup_scratch
    mkdir work
    cd work || return
    mkdir -p a/deep
    bulk cpu 1 >a/one.prof
    bulk cpu 2 >a/deep/two.prof
    bulk cpu 3 >three.prof
}

# What is in an archive or a directory, unpacked below the directory `got`.
unpack() {
    rm -rf got
    mkdir got
    if [ -d "$1" ]; then
        cp -R "$1/." got
    else
        bsdtar -x -C got -f "$1"
    fi
}

# The names of all files below got.
got() {
    (cd got && find . ! -type d | sort | sed 's,^\./,,')
}

# got/NAME is what prof2pb makes of FILE alone.
is_alone() { # NAME FILE
    prof2pb "$2" 2>/dev/null | cmp - "got/$1"
}

@test "each profile has the bytes that it has alone, in every kind of output" {
    local out
    for out in x.tar x.tar.gz x.tgz x.tar.zst x.tzst x.tar.xz x.txz x.tar.bz2 \
        x.tbz2 x.tar.lz4 x.zip new/dir/
    do
        expect 0 prof2pb -q --each -o $out a/one.prof a/deep/two.prof three.prof
        [ -z "$output$stderr" ]
        unpack $out
        [ "$(got)" = $'a/deep/two.prof.pb.gz\na/one.prof.pb.gz
three.prof.pb.gz' ]
        is_alone a/one.prof.pb.gz a/one.prof
        is_alone a/deep/two.prof.pb.gz a/deep/two.prof
        is_alone three.prof.pb.gz three.prof
    done
    bsdtar -tf x.tar >names
    printf '%s\n' a/one.prof.pb.gz a/deep/two.prof.pb.gz three.prof.pb.gz |
        cmp - names
    zstd -tq x.tar.zst
    gzip -t x.tar.gz
    xz -t x.tar.xz
    bzip2 -t x.tar.bz2
    bsdtar -tf x.zip | cmp names -
}

@test "gmon2pb, dcpi2pb and folded2pb, too; what --event says holds for each" {
    fixture gmon.out a.out cycles.dcpi imiss.dcpi
    mkdir elsewhere
    cp gmon.out elsewhere/one
    cp gmon.out elsewhere/two
    gmon2pb -o wanted gmon.out
    expect 0 gmon2pb --each -e a.out -o x.tar elsewhere/one elsewhere/two
    unpack x.tar
    [ "$(got)" = $'elsewhere/one.pb.gz\nelsewhere/two.pb.gz' ]
    cmp wanted got/elsewhere/one.pb.gz
    cmp wanted got/elsewhere/two.pb.gz
    expect 0 dcpi2pb --each -o x.tar cycles.dcpi imiss.dcpi
    unpack x.tar
    dcpi2pb cycles.dcpi | cmp - got/cycles.dcpi.pb.gz
    dcpi2pb imiss.dcpi | cmp - got/imiss.dcpi.pb.gz
    echo 'main;a 1' >one.folded
    echo 'main;b 2' >two.folded
    expect 0 folded2pb --each -o x.tar one.folded two.folded
    unpack x.tar
    folded2pb one.folded | cmp - got/one.folded.pb.gz
    folded2pb two.folded | cmp - got/two.folded.pb.gz
}

@test "entries of archives keep their names and order, and their times" {
    tar -czf in.tar.gz three.prof a
    expect 0 prof2pb -q --each -o x.tar in.tar.gz
    bsdtar -tf in.tar.gz | grep -v '/$' | sed 's/$/.pb.gz/' >wanted
    bsdtar -tf x.tar | cmp wanted -
    bulk tar ./b//one a/one.prof two three.prof >in.tar
    expect 0 prof2pb -q --each -o x.tar in.tar
    TZ=UTC tar -tvf x.tar --numeric-owner --full-time |
        sed 's/  */ /g; s/ [0-9]* 2001/ SIZE 2001/' >listed
    diff -u - listed <<'END'
-rw-r--r-- 0/0 SIZE 2001-09-09 01:46:40 b/one.pb.gz
-rw-r--r-- 0/0 SIZE 2001-09-09 01:46:40 two.pb.gz
END
}

@test "the same input gives the same bytes, whatever the time and its zone" {
    tar -cf in.tar a three.prof
    local suffix
    for suffix in tar tar.gz tar.zst tar.xz tar.bz2 tar.lz4 zip; do
        TZ=UTC prof2pb -q --each -o "one.$suffix" in.tar
        (umask 077; TZ=Asia/Tokyo LC_ALL=C.UTF-8 \
            prof2pb -q --each -o "two.$suffix" in.tar)
        cmp "one.$suffix" "two.$suffix"
    done
    # Times in zip are local, unless Unix times stand beside them.
    touch -d '2020-01-02 03:04:06 UTC' three.prof
    for suffix in -X -q; do
        zip -q $suffix in.zip three.prof
        TZ=UTC prof2pb -q --each -o one.tar in.zip
        TZ=Asia/Tokyo prof2pb -q --each -o two.tar in.zip
        cmp one.tar two.tar
        [[ $(TZ=UTC tar -tvf two.tar) = *' 2020-01-02 03:04 three.prof.pb.gz' ]]
        rm in.zip
    done
    # gzip's header has no time, and nothing pads what is compressed
    [ "$(head -c 8 one.tar.gz | tail -c 4 | od -An -tx1)" = ' 00 00 00 00' ]
    [ "$(tail -c 8 one.tar.gz | od -An -tx1)" != \
        ' 00 00 00 00 00 00 00 00' ]
}

@test "levels: -0 makes .pb files, others .pb.gz of that level" {
    expect 0 prof2pb -q -0 --each -o d/ three.prof
    [ "$(ls d)" = three.prof.pb ]
    prof2pb -q -0 three.prof | cmp - d/three.prof.pb
    prof2pb -q -9 --each -o d/ three.prof
    prof2pb -q -9 three.prof | cmp - d/three.prof.pb.gz
}

@test "names: what is converted already, members, standard input" {
    prof2pb -q -o a/one.pb.gz a/one.prof
    prof2pb -q -0 -o a/two.pb three.prof
    gzip -c a/one.prof >members
    gzip -c three.prof >>members
    expect 0 prof2pb -q --each -o d/ a/one.pb.gz a/two.pb members - <three.prof
    unpack d
    [ "$(got)" = $'a/one.pb.gz\na/two.pb.gz\nmembers.1.pb.gz\nmembers.2.pb.gz
stdin.pb.gz' ]
    cmp a/one.pb.gz got/a/one.pb.gz
    is_alone a/two.pb.gz three.prof
    is_alone members.1.pb.gz a/one.prof
    is_alone members.2.pb.gz three.prof
    is_alone stdin.pb.gz three.prof
}

@test "operands lose / and ../ at the beginning, with one warning" {
    cd a
    expect 0 prof2pb --no-symbols --each -o ../d/ "$PWD/one.prof" \
        ../three.prof ./deep/../one.prof deep//./two.prof
    same_err "prof2pb: $PWD/one.prof: warning: leading '/' removed from output names"
    cd ..
    unpack d
    [ "$(got)" = "deep/two.prof.pb.gz
one.prof.pb.gz
three.prof.pb.gz
${PWD#/}/a/one.prof.pb.gz" ]
}

@test "entries that lead out of the output are refused, and -k goes on" {
    local name
    for name in ../up /etc/absolute a/../../up a/.. .. .; do
        bulk tar "$name" three.prof good three.prof >evil.tar
        for out in x.tar d/; do
            expect 3 prof2pb -q --each -o $out evil.tar
            same_line 0 "prof2pb: evil.tar($name): " ...
            [ ! -e x.tar ]
            [ ! -e d ]
        done
        expect 5 prof2pb -q -k --each -o d/ evil.tar
        [ "$(ls -A d)" = good.pb.gz ]
        rm -r d
        # A merge takes no notice of names.
        expect 0 prof2pb -q -o merged evil.tar
    done
    [ ! -e ../up.pb.gz ]
    [ ! -e /etc/absolute.pb.gz ]
}

@test "links and special files are refused, and -k goes on" {
    local type what
    while read -r type what; do
        bulk tar good three.prof "odd@$type@good" - >evil.tar
        expect 3 prof2pb -q --each -o x.tar evil.tar
        same_err "prof2pb: evil.tar(odd): $what; not converted"
        [ ! -e x.tar ]
        expect 5 prof2pb -q -k --each -o x.tar evil.tar
        [ "$(bsdtar -tf x.tar)" = good.pb.gz ]
        rm x.tar
    done <<'END'
1 a hard link
2 a symbolic link
3 a device
4 a device
6 a FIFO
END
}

@test "no symbolic link below the directory is followed" {
    mkdir d out
    echo old >out/file
    ln -s ../out d/a
    ln -s "$PWD/out" d/abs
    expect 3 prof2pb -q --each -o d/ a/one.prof
    same_err "prof2pb: a/one.prof: d/: 'a' exists and is not a directory"
    bulk tar abs/file three.prof x/abs three.prof >in.tar
    expect 5 prof2pb -q -k --each -o d/ in.tar
    [ "$(ls -A out)" = file ]
    [ -f d/x/abs.pb.gz ]
    # A link in the place of a file goes; what it led to stays.
    ln -s ../out/file d/three.prof.pb.gz
    expect 0 prof2pb -q --each -o d/ three.prof
    [ ! -L d/three.prof.pb.gz ]
    [ "$(cat out/file)" = old ]
    # The directory itself may be one.
    ln -s out through
    expect 0 prof2pb -q --each -o through three.prof
    [ "$(ls -A out)" = $'file\nthree.prof.pb.gz' ]
}

@test "where no file can be" {
    bulk tar "$(printf '%0300d' 0 | head -c 99)" three.prof >in.tar
    mkdir -p d/three.prof.pb.gz
    touch d/b
    expect 3 prof2pb -q --each -o d/ three.prof
    same_err 'prof2pb: three.prof: d/: exists and is not a regular file'
    bulk tar b/x three.prof >in.tar
    expect 3 prof2pb -q --each -o d/ in.tar
    same_err "prof2pb: in.tar(b/x): d/: 'b' exists and is not a directory"
    long=$(printf '%0260d' 0)
    mkdir p
    bulk cpu 1 >p/x
    tar --transform="s,p/x,$long," -cf in.tar p/x
    expect 3 prof2pb -q -k --each -o d/ in.tar
    same_err "prof2pb: in.tar($long): d/: file name too long: 266 bytes"
    [ "$(ls -A d)" = $'b\nthree.prof.pb.gz' ]
    # tar has room for it
    expect 0 prof2pb -q --each -o x.tar in.tar
    [ "$(bsdtar -tf x.tar)" = "$long.pb.gz" ]
}

@test "names that are not UTF-8, or long: tar keeps them, zip says" {
    local name=$'\374ber/\303\274.prof'
    mkdir "${name%/*}"
    cp three.prof "$name"
    expect 0 prof2pb -q --each -o x.tar "$name"
    unpack x.tar
    [ "$(got)" = "$name.pb.gz" ]
    expect 3 prof2pb -q --each -o x.zip "$name"
    same_err ... '\xfcber/ü.prof: x.zip: names in zip archives must be valid UTF-8'
    cp three.prof $'\303\274.prof'
    expect 0 prof2pb -q --each -o x.zip $'\303\274.prof'
    LC_ALL=C.UTF-8 bsdtar -tf x.zip >names
    [ "$(cat names)" = $'\303\274.prof.pb.gz' ]
}

@test "names in Unicode: zip and 7z, whatever the locale" {
    local name=$'\346\227\245/z\303\274rich.prof' format locale
    mkdir "${name%/*}"
    cp three.prof "$name"
    cp three.prof $'\316\261.prof'
    for format in zip 7zip; do
        LC_ALL=C.UTF-8 bsdtar --format=$format -cf in "$name" $'\316\261.prof'
        for locale in C C.UTF-8; do
            LC_ALL=$locale expect 0 prof2pb --each -o x.tar in
            same_err "prof2pb: in($name): warning: " ...
            unpack x.tar
            [ "$(got)" = $'\316\261.prof.pb.gz\n'"$name.pb.gz" ]
            is_alone "$name.pb.gz" three.prof
        done
    done
    # A name that claims to be UTF-8 and is not.
    {
        printf 'PK\3\4\24\0\0\10\0\0\0\0!\0'
        printf '\0\0\0\0\0\0\0\0\0\0\0\0\1\0\0\0\377'
        printf 'PK\1\2\24\3\24\0\0\10\0\0\0\0!\0'
        printf '\0\0\0\0\0\0\0\0\0\0\0\0\1\0'
        printf '\0\0\0\0\0\0\0\0\0\0\244\201\0\0\0\0\377'
        printf 'PK\5\6\0\0\0\0\1\0\1\0/\0\0\0\37\0\0\0\0\0'
    } >x.zip
    expect 3 prof2pb x.zip
    same_err 'prof2pb: x.zip: warning: ?: Pathname cannot be converted ' ...
}

@test "two inputs of one name are an error that names both" {
    tar -cf one.tar three.prof
    tar -cf two.tar three.prof a/one.prof
    expect 3 prof2pb -q --each -o x.zip one.tar two.tar
    same_err 'prof2pb: two.tar(three.prof): three.prof.pb.gz is also the output name of one.tar(three.prof); convert the two inputs to separate outputs'
    [ ! -e x.zip ]
    expect 5 prof2pb -q -k --each -o x.zip one.tar two.tar
    [ "$(bsdtar -tf x.zip)" = $'three.prof.pb.gz\na/one.prof.pb.gz' ]
}

@test "a failure leaves no archive; files of a directory stay" {
    perl -e 'print pack "Q<*", 0, 3, 7, 10000, 0' >broken # version 7
    echo old >x.tar
    expect 3 prof2pb -q --each -o x.tar three.prof broken a/one.prof
    [ "$(cat x.tar)" = old ]
    expect 3 prof2pb -q --each -o d/ three.prof broken a/one.prof
    [ "$(ls -A d)" = three.prof.pb.gz ]
    [ "$(ls -A | tr '\n' ' ')" = 'a broken d three.prof x.tar ' ]
    expect 5 prof2pb -q -k --each -o x.tar three.prof broken a/one.prof
    [ "$(bsdtar -tf x.tar)" = $'three.prof.pb.gz\na/one.prof.pb.gz' ]
    # without a single profile there is no output
    expect 3 prof2pb -q -k --each -o y.tar broken
    [ ! -e y.tar ]
    expect 3 prof2pb -q -k --each -o e/ broken
    [ ! -e e ]
}

@test "no space, and signals" {
    expect 4 prof2pb -q --each -o no/where.tar three.prof
    same_err 'prof2pb: no/where.tar: cannot create a temporary file in the same directory: No such file or directory'
    touch file
    expect 4 prof2pb -q --each -o file/ three.prof
    [[ $stderr = *': cannot create the directory: Not a directory' ||
        $stderr = *': cannot open the directory: Not a directory' ]]
    for i in $(seq 40); do
        cp three.prof "many$i"
    done
    # One block of 1024 bytes is less than the archive has.
    expect 153 bash -c 'ulimit -c 0 -f 1; exec prof2pb -q --each -o x.tar many*'
    expect 4 bash -c "trap '' XFSZ
        ulimit -f 1; exec prof2pb -q -k --each -o x.tar many*"
    same_err ... 'x.tar: cannot write: File too large'
    perl -e 'print "heap profile: 1: 1 [1: 1] @ heap\n";
        printf "1: 8 [1: 8] @ 0x%x\n", 4096 * $_ * $_ for 1 .. 9999' >big
    expect 153 bash -c 'ulimit -c 0 -f 1; exec prof2pb -q -0 --each -o d/ big'
    [ -z "$(ls -A d)" ]
    expect 4 bash -c "trap '' XFSZ
        ulimit -f 1; exec prof2pb -q -0 --each -o d/ big three.prof"
    [ -z "$(ls -A d)" ]
    [ "$(ls -A | grep -vc '^many')" = 5 ] # a big d file three.prof
}

@test "--if-changed: single files of a directory, an archive as a whole" {
    prof2pb -q --each -o d/ three.prof a/one.prof
    touch -d 2001-02-03 d/three.prof.pb.gz d/a/one.prof.pb.gz
    echo changed >d/a/one.prof.pb.gz
    before=$(stat -c '%i %Y' d/three.prof.pb.gz)
    expect 0 prof2pb -q --if-changed --each -o d/ three.prof a/one.prof
    [ "$(stat -c '%i %Y' d/three.prof.pb.gz)" = "$before" ]
    unpack d
    is_alone a/one.prof.pb.gz a/one.prof
    prof2pb -q --each -o x.tar.gz three.prof
    touch -d 2001-02-03 x.tar.gz
    before=$(stat -c '%i %Y' x.tar.gz)
    expect 0 prof2pb -q --if-changed --each -o x.tar.gz three.prof
    [ "$(stat -c '%i %Y' x.tar.gz)" = "$before" ]
    expect 0 prof2pb -q --if-changed --each -o x.tar.gz a/one.prof
    [ "$(stat -c '%i %Y' x.tar.gz)" != "$before" ]
}

@test "files of a directory have the permissions of the umask, or the old" {
    umask 027
    prof2pb -q --each -o d/ a/one.prof
    [ "$(stat -c %a d d/a d/a/one.prof.pb.gz | tr '\n' ' ')" = '750 750 640 ' ]
    chmod 604 d/a/one.prof.pb.gz
    prof2pb -q --each -o d/ a/one.prof
    [ "$(stat -c %a d/a/one.prof.pb.gz)" = 604 ]
}

@test "where --each writes" {
    # To standard output a tar archive, but not to a terminal.
    prof2pb -q --each three.prof a/one.prof >x.tar
    unpack x.tar
    [ "$(got | tr '\n' ' ')" = 'a/one.prof.pb.gz three.prof.pb.gz ' ]
    is_alone three.prof.pb.gz three.prof
    prof2pb -q --each -o - three.prof a/one.prof | cmp - x.tar
    expect 2 script -qec 'prof2pb --each three.prof' /dev/null
    [[ $output = 'prof2pb: --each writes no archive to a terminal; specify --output=FILE.tar.gz or --output=DIR/'* ]]
    expect 2 prof2pb --pass -o x.pb.gz three.prof
    same_err 'prof2pb: --pass requires --each'
    expect 2 prof2pb --each -o x.rar three.prof
    same_err 'prof2pb: x.rar: unknown output type: ' ...
    [ ! -e x.rar ]
    # an existing directory needs no slash
    mkdir x.rar
    expect 0 prof2pb -q --each -o x.rar three.prof
    [ "$(ls x.rar)" = three.prof.pb.gz ]
}

@test "what is around all inputs is said once, and counted" {
    tar -cf in.tar three.prof a/one.prof a/deep/two.prof
    expect 0 prof2pb --each -o x.tar in.tar
    local lack='/nowhere/prog: no function names for 100% of cpu (1 '\
'address): no such file; use -e FILE or --path=DIR to find the profiled file'
    same_err "prof2pb: in.tar(three.prof): warning: $lack
prof2pb: warning: 2 more profiles: $lack"
    expect 0 prof2pb -v --each -o x.tar in.tar
    [ "$(grep -c 'no such file; ' <<<"$stderr")" = 3 ]
}

@test "what is wrong with many inputs is said of the first, and counted" {
    local i
    mkdir many
    for i in $(seq 60); do
        printf 'main;a 1 2\nmain;b 3 %d\n' "$i" >"many/$i"
    done
    tar -cf many.tar many
    expect 0 folded2pb --each -o x.tar many.tar
    i=$(tar -tf many.tar | sed -n 2p)
    local extra='every line has one more number than --sample-types has names; it was read as part of the last frame (add a name to --sample-types)'
    grep -v ' converted, ' <<<"$stderr" | diff - <(echo "\
folded2pb: many.tar($i): warning: $extra
folded2pb: warning: 59 more profiles: $extra")
    expect 0 folded2pb -v --each -o x.tar many/*
    [ "$(grep -c 'warning: every line' <<<"$stderr")" = 60 ]

    # A loss is a comment of each profile; numbers may differ.
    fixture cpu.prof
    for i in 240 239 238; do
        head -c "$i" cpu.prof >"cut$i"
    done
    expect 0 prof2pb --each -o d/ cut240 cut239 cut238
    [ "$(grep -c 'prof2pb: cut240: warning: .*unexpected end of file' <<<"$stderr")" = 1 ]
    [ "$(grep -c 'unexpected end of file' <<<"$stderr")" = 2 ]
    grep -q '^prof2pb: warning: 2 more profiles: .*unexpected end of file.* (the numbers vary: -v shows all)$' \
        <<<"$stderr"
    for i in 240 239 238; do
        pbcat --comments "d/cut$i.pb.gz" >said
        prof2pb -q -o alone.pb.gz "cut$i" 2>/dev/null
        pbcat --comments alone.pb.gz | diff - said
        grep -q '^incomplete: .*unexpected end of file' said
    done
}

@test "binaries that stay open from profile to profile give the same symbols" {
    fixture cpu.prof prog
    local i was
    was=$(grep -a -o ' /.*/prog$' cpu.prof | head -n 1 | cut -c 2-)
    # More programs than are kept open, each of two profiles.
    for i in $(seq 10 33); do
        cp prog "prog$i"
        WAS=$was IS=$PWD/prog$i perl -pe 's/\Q$ENV{WAS}\E/$ENV{IS}/' cpu.prof \
            >"in$i"
    done
    mkdir again
    cp in?? again
    expect 0 prof2pb --each -o d/ in?? again/*
    # This machine's libraries are other ones than the profile's.
    ! grep -F "$PWD/prog" <<<"$stderr" || false
    for i in in?? again/*; do
        prof2pb "$i" | cmp - "d/$i.pb.gz"
    done
    pbcat --raw d/again/in33.pb.gz | grep -q "$PWD/prog33 .*\\[FN\\]"
}

# A tar archive of N entries of each kind: CPU profiles, folded stacks, profiles
# and, every tenth, what no tool knows.
mixed() { # N
    local i
    mkdir mixed
    for ((i = 0; i < $1; i++)); do
        bulk cpu $((i + 1)) >mixed/cpu$i.prof
        echo "main;f$i $((i + 1))" | tee mixed/stacks$i |
            folded2pb -o mixed/profile$i.pb.gz
        ((i % 10)) || printf '\001\002%s' $i >mixed/unknown$i
    done
    gzip -k mixed/stacks0
    tar -cf mixed.tar mixed
}

@test "a mixed archive goes through a pipe of converters" {
    mixed 40
    prof2pb --no-symbols --each <mixed.tar 2>one.err |
        gmon2pb --each -o - 2>two.err |
        folded2pb --each >converted.tar 2>three.err
    # Each says what it says of profiles; the last one what nobody knew.
    run ! grep -q 'of unknown type' one.err two.err
    grep -qx 'folded2pb: warning: 4 entries of unknown type copied unchanged; the first is mixed/unknown[0-9]*' \
        three.err
    unpack converted.tar
    got >names
    (cd mixed && ls) | sed 's,^,mixed/,; /unknown/b; s/$/.pb.gz/
        s/\.pb\.gz\.pb\.gz$/.pb.gz/' | sort | diff - names
    local i
    for i in 0 7 39; do
        is_alone "mixed/cpu$i.prof.pb.gz" "mixed/cpu$i.prof"
        cmp "got/mixed/stacks$i.pb.gz" <(folded2pb "mixed/stacks$i")
    done
    cmp mixed/unknown30 got/mixed/unknown30
    # What is copied has its time, and the same bytes.
    [ "$(stat -c %Y got/mixed/unknown0)" = "$(stat -c %Y mixed/unknown0)" ]
    folded2pb --each <mixed.tar >folded.tar 2>/dev/null
    unpack folded.tar
    for i in cpu3.prof profile3.pb.gz unknown10; do
        cmp "mixed/$i" "got/mixed/$i"
    done
    # What cannot be written is the output's fault, and then nothing was copied.
    expect 4 bash -c 'prof2pb -q --each <mixed.tar >/dev/full'
    same_err ... '(standard output): cannot write: No space left on device' ...
    [[ $stderr != *copied* ]]
    # Without --pass, a file gets only what was converted.
    folded2pb -q --each -o only.tar mixed.tar
    [ "$(tar -tf only.tar | grep -vc stacks)" = 0 ]
    expect 0 folded2pb -v --each --pass -o all.tar mixed.tar
    [[ $stderr = *"41 profiles converted, 0 entries skipped, 84 copied, 0 failed"* ]]
    tar -tf all.tar | sort | diff - <(tar -tf folded.tar | sort)
    # A compressed entry stays compressed; names that lead outside are refused.
    gmon2pb --each <mixed.tar 2>/dev/null | tar -xOf - mixed/stacks0.gz |
        cmp - mixed/stacks0.gz
    tar -cPf outside.tar mixed/../three.prof mixed/unknown0
    expect 3 folded2pb --each --pass -o out.tar outside.tar
    [ ! -e out.tar ]
}

@test "pbfilter and pbsym change each profile as it is changed alone" {
    mixed 12
    mkdir merged
    # two members, each a profile; what is damaged is one by its name
    cat mixed/profile1.pb.gz mixed/profile2.pb.gz >merged/two.pb.gz
    prof2pb -q --no-symbols -o merged/cpu.pb mixed/cpu1.prof
    cp mixed/stacks0 mixed/unknown0 mixed/profile3.pb.gz merged
    tar -cf merged.tar merged
    expect 0 pbfilter -v --each --pass --focus='f|_' -o out.tar merged.tar
    [[ $stderr = *"4 profiles converted, 0 entries skipped, 2 copied, 0 failed"* ]]
    unpack out.tar
    got | diff - <(printf 'merged/%s\n' cpu.pb.gz profile3.pb.gz stacks0 \
        two.1.pb.gz two.2.pb.gz unknown0)
    for i in 1 2; do
        pbfilter --focus='f|_' "mixed/profile$i.pb.gz" |
            cmp - "got/merged/two.$i.pb.gz"
    done
    pbfilter -q --focus='f|_' merged/cpu.pb | cmp - got/merged/cpu.pb.gz
    cmp merged/stacks0 got/merged/stacks0
    pbsym -q --each <merged.tar >symbols.tar
    unpack symbols.tar
    for i in cpu.pb profile3.pb.gz; do
        pbsym -q "merged/$i" 2>/dev/null | cmp - "got/merged/${i%.gz}.gz"
    done
    # An error of one profile names it; -k leaves it out.
    head -c 30 mixed/profile3.pb.gz >merged/profile3.pb.gz
    tar -cf damaged.tar merged
    expect 3 pbfilter --each -o none.tar damaged.tar
    same_err ... 'damaged.tar(merged/profile3.pb.gz): offset' ...
    [ ! -e none.tar ]
    expect 5 pbfilter -qk --each -o rest.tar damaged.tar
    [ "$(tar -tf rest.tar | wc -l)" = 3 ]
    # One after the other: the last one reports what nobody knew.
    prof2pb --no-symbols --each <mixed.tar 2>err | folded2pb --each 2>>err |
        pbsym --each 2>>err | pbfilter --each --focus=f7 >all.tar 2>last.err
    run ! grep -q 'of unknown type' err
    grep -q '2 entries of unknown type copied unchanged' last.err
    tar -xOf all.tar mixed/stacks7.pb.gz | pbcat --folded | diff - <(echo 'main;f7 8')
    expect 2 pbfilter --each --repair -o x.tar mixed.tar
    same_err 'pbfilter: --repair cannot be combined with --each' ...
}

@test "the number of threads changes neither the output nor what is said" {
    mixed 90
    # Warnings that repeat, errors, text of Windows, what no tool knows.
    local i t options tool
    for ((i = 0; i < 90; i += 7)); do
        printf '\xff\xfem\0a\0i\0n\0 \0003\0\n\0' >"mixed/stacks$i"
        printf 'heap profile:    1:  %s [ 1: 2] @ heapprofile\n%s\n' $i \
            '    1:  9 [ 1: 9] @ 0x10' >"mixed/heap$i"
        head -c 30 mixed/profile1.pb.gz >"mixed/profile$i.pb.gz"
    done
    (cd mixed && ls | sort -k 1.6 | sed 's,^,mixed/,') >order
    tar -cf many.tar -T order
    for tool in prof2pb folded2pb 'pbfilter --focus=f' pbsym gmon2pb; do
        for options in -k '-k --pass' '-k -v' -q '-k --strict' '--entries=*[02468]'; do
            for t in 1 2 5; do
                # shellcheck disable=SC2086 # several words
                $tool $options -T$t --each -o out.tar many.tar \
                    >"said$t" 2>&1 || echo "status $?" >>"said$t"
                [ ! -e out.tar ] || mv out.tar "out$t.tar"
                sed -i 's/: [0-9.]* [kM]*B in .*/: bytes in time/' "said$t"
            done
            cmp said1 said2
            cmp said1 said5
            [ ! -e out1.tar ] || { cmp out1.tar out2.tar && cmp out1.tar out5.tar; }
            rm -f out*.tar
        done
    done
    # Many small files are converted together, too.
    for t in 1 3; do
        folded2pb -qk -T$t --each -o "d$t/" mixed/stacks* 2>"said$t" || true
    done
    cmp said1 said3
    diff -r d1 d3
}

@test "threads convert recordings of perf, of which each was a stream" {
    local i t
    mkdir perf
    for ((i = 0; i < 40; i++)); do
        # Up to 80 kB, so that some are longer than what is looked at first.
        perl -e 'for my $k (1 .. 40 * $ARGV[0]) {
            printf "work 7 %d.%06d: %d cpu-clock:u:\n\t%x f%d+0x1 (/prog)\n\n",
                $k / 1000, $k % 1000, 1 + $k, 0x1000 + $k % 9, $k % 9 }' $i \
            >perf/script$i
    done
    cp "$ROOT/testdata/recorded/perf.data" perf/data7
    head -c 3000 "$ROOT/testdata/recorded/perf.data" >perf/data8
    head -c 70000 perf/script39 >perf/script38
    gzip perf/script37
    tar -cf perf.tar perf
    tar -czf perf.tgz perf
    for t in 1 2 5; do
        perf2pb -k --no-symbols -T$t --each -o out$t.tar perf.tar 2>"said$t" || true
        sed -i 's/: [0-9.]* [kM]*B in .*/: bytes in time/' "said$t"
        [ "$(tar -tf out$t.tar | wc -l)" -ge 40 ]
        cmp said1 said$t
        cmp out1.tar out$t.tar
        perf2pb -qk --no-symbols -T$t --each -o files$t/ perf/* || true
        perf2pb -qk --no-symbols -T$t --each -o packed.tar perf.tgz || true
        cmp out1.tar packed.tar
    done
    diff -r files1 files2
    diff -r files1 files5
    tar -xOf out5.tar perf/script39.pb.gz | cmp - <(perf2pb perf/script39)
}

@test "--entries selects entries of archives, in every tool" {
    mixed 3
    folded2pb --entries='*/stacks[12]' mixed.tar | cmp - <(folded2pb \
        mixed/stacks1 mixed/stacks2)
    pbmerge --entries='mixed/*.pb.gz' mixed.tar | cmp - <(pbmerge mixed/*.pb.gz)
    pbcat --entries='*e1.pb.gz' --folded mixed.tar |
        diff - <(pbcat --folded mixed/profile1.pb.gz)
    # It is about archives only.
    pbmerge --entries=none mixed/profile1.pb.gz | cmp - <(pbmerge mixed/profile1.pb.gz)
    for tool in pbmerge folded2pb pbcat; do
        expect 3 "$tool" --entries='*.none' mixed.tar
        same_err "$tool: mixed.tar: no entry matches --entries=*.none"
    done
    # The message is not about a damaged entry before the end.
    seq 99 | gzip | head -c 60 >mixed/damaged.gz
    tar -cf damaged.tar mixed/damaged.gz
    expect 3 folded2pb -k --entries='*.none' damaged.tar
    [ "${stderr_lines[1]}" = 'folded2pb: damaged.tar: no entry matches --entries=*.none' ]
    prof2pb -q --no-symbols --entries='*cpu2*' --each mixed.tar >one.tar
    [ "$(tar -tf one.tar)" = mixed/cpu2.prof.pb.gz ]
}
