# Inputs of every kind, through pbmerge and pbcat.

load helper

# Merges the inputs and compares with what the plain files gave.
agrees() {
    pbmerge -o got "$@"
    cmp wanted got
}

three() {
    fixture cpu.pb.gz old.pb.gz new.pb.gz
    pbmerge -o wanted cpu.pb.gz old.pb.gz new.pb.gz
}

@test "raw, zstd, xz, bzip2 and double compression" {
    local tool
    three
    raw cpu.pb.gz >cpu.pb
    agrees cpu.pb old.pb.gz new.pb.gz
    for tool in zstd xz bzip2; do
        "$tool" -c <cpu.pb >packed
        agrees packed old.pb.gz new.pb.gz
        "$tool" -c <cpu.pb.gz >packed
        agrees packed old.pb.gz new.pb.gz
    done
}

@test "an empty file that was compressed, alone, among others and in archives" {
    local tool
    three
    : >empty
    for tool in gzip zstd xz bzip2; do
        "$tool" -c <empty >packed
        expect 3 pbmerge packed
        same_err 'pbmerge: packed: empty file (was the program killed before it wrote its profile?)' ...
        expect 1 pbcat --check packed
        [[ $output = 'packed: error: '* ]]
        tar -cf a.tar packed ./*.pb.gz
        expect 3 pbmerge a.tar
        same_err 'pbmerge: a.tar(packed): empty file (was the program killed before it wrote its profile?)' ...
        expect 5 pbmerge -k -q -o got a.tar
        cmp wanted got
    done
    for tool in zstd xz bzip2; do
        { "$tool" -c <empty; "$tool" -c <cpu.pb.gz; } >packed
        agrees packed old.pb.gz new.pb.gz
    done
}

@test "archives, from files and from pipes" {
    three
    tar -cf a.tar ./*.pb.gz
    tar -czf a.tar.gz ./*.pb.gz
    tar -cJf a.tar.xz ./*.pb.gz
    tar -cjf a.tar.bz2 ./*.pb.gz
    tar -c ./*.pb.gz | zstd -q >a.tar.zst
    tar --format=v7 -cf v7.tar ./*.pb.gz
    tar --format=pax -cf pax.tar ./*.pb.gz
    zip -q a.zip ./*.pb.gz
    zip -q -0 stored.zip ./*.pb.gz
    printf '%s\n' ./*.pb.gz | cpio --quiet -o -H newc >newc.cpio
    printf '%s\n' ./*.pb.gz | cpio --quiet -o -H odc >odc.cpio
    printf '%s\n' ./*.pb.gz | cpio --quiet -o -H bin >bin.cpio
    bsdtar -cf a.7z --format=7zip ./*.pb.gz
    local archive
    for archive in ./*.tar ./*.tar.* ./*.zip ./*.cpio ./*.7z; do
        agrees "$archive"
        # shellcheck disable=SC2002 # a pipe is meant
        cat "$archive" | agrees -
        agrees - <"$archive"
    done
}

@test "pipes by name" {
    three
    # shellcheck disable=SC2002 # a pipe is meant
    cat cpu.pb.gz | agrees /dev/stdin old.pb.gz new.pb.gz
    agrees <(cat cpu.pb.gz) <(raw old.pb.gz) <(tar -cz new.pb.gz)
}

@test "names of files say nothing: contents do" {
    three
    tar -czf cpu.prof ./*.pb.gz
    agrees cpu.prof
}

@test "members that are profiles, together and in archives" {
    three
    cat ./*.pb.gz >all
    agrees all
    agrees - <all
    tar -cf all.tar all
    agrees all.tar
}

@test "the empty block with which bgzip ends a file is no member" {
    three
    printf "\37\213\10\4\0\0\0\0\0\377\6\0BC\2\0\33\0\3\0\0\0\0\0\0\0\0\0" >end
    [ "$(gzip -dc end | wc -c)" -eq 0 ]
    cat cpu.pb.gz end >cpu.bgz
    agrees cpu.bgz old.pb.gz new.pb.gz
    cat cpu.bgz old.pb.gz end new.pb.gz end >all
    agrees all
    # another empty member is an empty file, and so is the block alone
    gzip -c /dev/null | cat cpu.pb.gz - >empty
    expect 3 pbmerge empty
    same_err 'pbmerge: empty(member 2): empty file (was the program killed before it wrote its profile?)' ...
    expect 3 pbmerge end
    same_err 'pbmerge: end: empty file (was the program killed before it wrote its profile?)' ...
}

@test "members that are pieces of one profile are joined" {
    fixture cpu.pb.gz
    raw cpu.pb.gz >cpu.pb
    pbmerge -o wanted cpu.pb
    head -c 1000 cpu.pb | gzip >pieces
    tail -c +1001 cpu.pb | gzip >>pieces
    agrees pieces
}

@test "a member that is no profile, behind one that is" {
    fixture cpu.pb.gz
    echo 'no profile' | gzip | cat cpu.pb.gz - cpu.pb.gz >mixed
    expect 3 pbmerge mixed
    [ -z "$output" ]
    same_err 'pbmerge: mixed(member 2): ' ...
    expect 5 pbmerge -k -o got mixed
    pbmerge -o wanted cpu.pb.gz cpu.pb.gz
    cmp wanted got
}

@test "members that are no profile, not even together" {
    for text in no profile here; do
        echo "$text" | gzip
    done >junk
    expect 3 pbmerge junk
    same_err 'pbmerge: junk: 3 gzip members read as one profile: ' ...
}

@test "what follows the gzip data is not dropped" {
    fixture cpu.pb.gz
    size=$(stat -c %s cpu.pb.gz)
    { cat cpu.pb.gz; printf garbage; } >garbage
    expect 3 pbmerge garbage
    same_err "pbmerge: garbage: offset $size: 7 bytes of other data after the gzip data"
    { cat cpu.pb.gz; head -c 512 /dev/zero; } >padded
    expect 3 pbmerge padded
    same_err "pbmerge: padded: offset $size: 512 bytes of zeros after the gzip \
data"
}

@test "what follows other compressed data is not dropped" {
    fixture cpu.pb.gz
    local tool
    for tool in zstd xz bzip2; do
        "$tool" -c <cpu.pb.gz >packed
        printf 'garbage and more' >>packed
        expect 3 pbmerge packed
        same_err 'pbmerge: packed: ' ...
        tar -c cpu.pb.gz | "$tool" -c >packed
        printf 'garbage and more' >>packed
        expect 3 pbmerge packed
        same_err 'pbmerge: packed: ' ...
    done
    { tar -cz cpu.pb.gz; printf 'garbage and more'; } >packed
    expect 3 pbmerge packed
    same_err 'pbmerge: packed: offset ' ... ': unexpected data after the end of the gzip data'
}

@test "compressed archives from a pipe that were filled up with zeros" {
    local filter
    three
    for filter in gzip bzip2 lz4 xz; do
        bsdtar --$filter -cf - ./*.pb.gz | cat >a.tar
        [ $(($(stat -c %s a.tar) % 10240)) -eq 0 ]
        agrees a.tar
        head -c 200000 /dev/zero >>a.tar
        agrees a.tar
        # shellcheck disable=SC2002 # a pipe is meant
        cat a.tar | agrees -
        printf more >>a.tar
        expect 3 pbmerge a.tar
        same_err 'pbmerge: a.tar: offset ' ...
    done
}

@test "tar archives that are cut between entries, or in the end" {
    local n
    three
    tar -b 1 -cf a.tar cpu.pb.gz old.pb.gz new.pb.gz
    # The header and the content of one, in blocks; the end has two.
    n=$((512 + ($(stat -c %s cpu.pb.gz) + 511) / 512 * 512))
    head -c $n a.tar >cut.tar
    expect 0 pbmerge -o got cut.tar
    pbmerge cpu.pb.gz | cmp - got
    same_err 'pbmerge: cut.tar: warning: the tar archive has no end marker; it may be truncated and entries may be missing'
    gzip cut.tar
    expect 0 pbmerge -o got - <cut.tar.gz
    same_err ... '(standard input): warning: the tar archive has no end marker; it may be truncated and entries may be missing' ...
    head -c -512 a.tar >cut.tar
    expect 0 pbmerge -o got cut.tar
    same_err ... 'cut.tar: warning: the tar archive has no end marker; it may be truncated and entries may be missing' ...
    agrees a.tar
    cat a.tar a.tar >twice.tar
    expect 0 pbmerge -o got twice.tar
    [ -z "$stderr" ]
}

@test "what is before or after zip and 7z archives is not dropped" {
    local one two n
    three
    zip -q one.zip cpu.pb.gz old.pb.gz
    zip -q -fz two.zip new.pb.gz
    bsdtar -cf one.7z --format=7zip cpu.pb.gz
    bsdtar -cf two.7z --format=7zip new.pb.gz
    for one in one.zip two.zip; do
        n=$(stat -c %s $one)
        for two in one.zip two.zip; do
            cat $one $two >both
            expect 3 pbmerge both
            [ -z "$output" ]
            same_err "pbmerge: both: unexpected data before the zip archive ($n bytes)"
        done
    done
    cat one.7z two.7z >both
    expect 3 pbmerge both
    same_err "pbmerge: both: unexpected data after the 7z archive ($(stat -c %s two.7z) bytes)"
    expect 3 pbmerge - <both
    expect 5 pbmerge -k -q -o got both
    pbmerge cpu.pb.gz | cmp - got
    { cat one.zip; echo more; } >long
    expect 3 pbmerge long
    same_err 'pbmerge: long: unexpected data after the zip archive (5 bytes)'
    # Padding, comments and the marks of volumes are nothing else.
    zip -q -g one.zip new.pb.gz
    agrees one.zip
    { cat one.zip; head -c 9999 /dev/zero; } >padded
    agrees padded
    { cat one.7z; head -c 100000 /dev/zero; } >padded
    agrees padded old.pb.gz new.pb.gz
    { printf 'PK\7\10'; cat one.zip; } >volume
    agrees volume
    echo 'a comment' | zip -q -z one.zip >/dev/null
    agrees one.zip
    zip -q -fz zip64.zip cpu.pb.gz old.pb.gz new.pb.gz
    agrees zip64.zip
}

# Changes the byte at an offset from the n-th occurrence of a mark.
damage() { # FILE MARK N OFFSET
    perl -0777 -e '
        my ($file, $mark, $n, $offset) = @ARGV;
        $mark =~ s/\\(\d)/chr $1/ge;
        open my $f, "+<:raw", $file or die;
        my ($bytes, $at) = (scalar <$f>, -1);
        $at = index $bytes, $mark, $at + 1 for 1 .. $n;
        die "no $mark" if $at < 0;
        seek $f, $at + $offset, 0;
        print $f chr(1 ^ ord substr $bytes, $at + $offset, 1);
    ' "$@"
}

@test "damaged content of a zip entry takes no other along, a header does" {
    local what said
    for i in 1 2 3 4 5; do
        echo "main;f$i $i" >p$i.folded
        folded2pb -o p$i.pb p$i.folded
    done
    zip -q sound.zip p?.folded
    zip -q profiles.zip p?.pb
    expect 0 pbmerge -o wanted p1.pb p3.pb p4.pb p5.pb
    mkdir d
    cp sound.zip bad.zip
    damage bad.zip 'PK\3\4' 3 -1
    expect 3 folded2pb bad.zip
    expect 5 folded2pb -k --each -o d/ bad.zip
    [ "$(cd d && echo *)" = 'p1.folded.pb.gz p3.folded.pb.gz'\
' p4.folded.pb.gz p5.folded.pb.gz' ]
    same_line -1 'folded2pb: 4 profiles converted, 0 entries '\
'skipped, 1 failed: ' ...
    cp profiles.zip bad.zip
    damage bad.zip 'PK\3\4' 3 -1
    expect 3 pbmerge bad.zip
    expect 5 pbmerge -k -o got bad.zip
    [ "${#stderr_lines[@]}" = 1 ]
    cmp wanted got
    expect 1 pbcat --check bad.zip
    [[ ${lines[-1]} = '5 profiles: 1 error, '* ]]
    pbmerge -k -q - <bad.zip | cmp wanted -

    # The mark of an entry's header, and where the directory says that it is.
    expect 0 pbmerge -o wanted p1.pb
    while read -r what said; do
        cp profiles.zip bad.zip
        # shellcheck disable=SC2086 # several words
        damage bad.zip ${what//,/ }
        expect 3 pbmerge bad.zip
        expect 5 pbmerge -k -o got bad.zip
        same_err "pbmerge: bad.zip: $said"
        cmp wanted got
        expect 1 pbcat --check bad.zip
    done <<'END'
PK\3\4,2,0 invalid zip data: Damaged Zip archive; 4 of 5 entries are not read
PK\1\2,2,42 invalid zip data: Damaged Zip archive; 4 of 5 entries are not read
END
    # The mark of a record in the directory, without which there is nothing.
    cp profiles.zip bad.zip
    damage bad.zip 'PK\1\2' 2 0
    expect 3 pbmerge -k -o got bad.zip
    same_line 0 'pbmerge: bad.zip: invalid zip data: Invalid central directory signature; 5 of 5 entries are not read'
    # The number of records.
    cp profiles.zip bad.zip
    damage bad.zip 'PK\5\6' 1 10
    damage bad.zip 'PK\5\6' 1 8
    expect 5 pbmerge -k -o got bad.zip
    same_err 'pbmerge: bad.zip: the directory of the zip archive is corrupt: 5 entries found, 4 expected'
}

@test "a zip entry of another size than the archive says" {
    seq -f 'main;f%g 1' 300 >long.folded
    zip -q bad.zip long.folded
    damage bad.zip 'PK\1\2' 1 24
    damage bad.zip 'PK\3\4' 1 22
    expect 3 folded2pb bad.zip
    # libarchive ends this message in a newline.
    same_err 'folded2pb: bad.zip(long.folded): invalid zip data: ZIP uncompressed data is wrong size ' ... ')'
}

@test "an archive that is cut off, anywhere" {
    three
    local archive size n
    tar -cf a.tar ./*.pb.gz
    gzip -k a.tar
    zstd -q a.tar
    zip -q a.zip ./*.pb.gz
    printf '%s\n' ./*.pb.gz | cpio --quiet -o -H newc >newc.cpio
    # tar's padding at the end is not missed, and cpio's neither.
    truncate -s -9728 a.tar
    truncate -s -512 newc.cpio
    for archive in a.tar a.tar.gz a.tar.zst a.zip newc.cpio; do
        size=$(stat -c %s "$archive")
        for n in $((size - 1)) $((size / 2)) 600; do
            head -c "$n" "$archive" >short
            expect 3 pbmerge short
            [ -z "$output" ]
            same_err 'pbmerge: short' ...
        done
    done
}

@test "damaged gzip data is named rather than what its content looks like" {
    { cat <<<'string_table: ""'; yes "string_table: '$(printf %060d 0)'" | head -n 100000; } | encode >sound.pb
    perl -0777 -pe 'substr($_, 30000, 100) = "\xff" x 100' sound.pb >odd.pb
    gzip -n <odd.pb >odd.gz
    expect 3 pbcat odd.gz
    [[ $stderr != *gzip* ]]
    { head -c -8 odd.gz; gzip -n <sound.pb | tail -c 8; } >damaged.gz
    for tool in pbcat pbmerge; do
        expect 3 "$tool" damaged.gz
        [[ $stderr == "$tool: damaged.gz: "*'incorrect data check' ]]
    done
}

@test "a damaged tar.gz is noticed by its checksum" {
    fixture cpu.pb.gz
    tar -cz cpu.pb.gz >a.tar.gz
    size=$(stat -c %s a.tar.gz)
    printf '\xff\xee\xdd\xcc' |
        dd of=a.tar.gz bs=1 seek=$((size - 8)) conv=notrunc status=none
    expect 3 pbmerge a.tar.gz
    same_err 'pbmerge: a.tar.gz: offset ' ... ': invalid gzip data; the rest of the archive is not read'
}

@test "entries that are bad are named; -k goes on behind them" {
    three
    echo 'no profile' >bad
    tar -cf a.tar cpu.pb.gz bad old.pb.gz new.pb.gz
    expect 3 pbmerge a.tar
    same_err 'pbmerge: a.tar(bad): ' ...
    expect 5 pbmerge -k -o got a.tar
    same_err 'pbmerge: a.tar(bad): ' ...
    cmp wanted got
    cat cpu.pb.gz cpu.pb.gz bad >members.gz
    zip -q a.zip members.gz
    expect 3 pbmerge a.zip
    same_err 'pbmerge: a.zip(members.gz): offset ' ...
}

@test "an archive in an archive is said not to be opened" {
    fixture cpu.pb.gz
    zip -q in.zip cpu.pb.gz
    tar -cf out.tar in.zip
    expect 3 pbmerge out.tar
    same_err 'pbmerge: out.tar(in.zip): archives inside archives are not supported'
}

@test "encrypted entries" {
    fixture cpu.pb.gz
    zip -q -P secret a.zip cpu.pb.gz
    expect 3 pbmerge a.zip
    same_err 'pbmerge: a.zip(cpu.pb.gz): encrypted entries are not supported'
}

@test "the rest of a file that another volume of a tar archive begins" {
    local format
    seq 2000 | sed 's/.*/main;f& &/' >large
    echo 'a;b 1' >small
    for format in gnu posix; do
        rm -f two.tar
        tar --format=$format -M -L 20 -F 'mv one.tar first.tar' -cf one.tar \
            large small
        mv one.tar two.tar
        expect 3 folded2pb two.tar
        [ -z "$output" ]
        same_err 'folded2pb: two.tar(' ... large ... '): split archives are not supported: entry continues from another volume'
        expect 5 folded2pb -q -k -o got two.tar
        pbcat --folded got >folded
        cmp folded small
        expect 3 pbmerge two.tar
        same_err ... large ... '): split archives are not supported: entry continues from another volume'
        expect 3 folded2pb first.tar
        same_err 'folded2pb: first.tar(large): invalid tar data (or truncated): Truncated tar archive; the rest of the archive is not read' ...
    done
}

@test "an archive without entries holds no profile" {
    tar -cf a.tar -T /dev/null
    expect 3 pbmerge a.tar
    [ -z "$output" ]
    gzip a.tar
    expect 3 pbcat a.tar.gz
    [ -z "$output" ]
}

@test "what is compressed, and then with gzip, is named" {
    local tool
    fixture cpu.pb.gz
    for tool in zstd xz bzip2; do
        "$tool" -c <cpu.pb.gz | gzip >packed
        expect 3 pbmerge packed
        same_err "pbmerge: packed: not a profile.proto message: found $tool data inside gzip data"
    done
}

@test "names in archives are shown as they are, or escaped" {
    local odd=$'\303\274 \377\e.txt' format
    echo 'no profile' >"$odd"
    for format in gnu pax; do
        tar --format=$format -cf a.tar "$odd"
        expect 3 pbmerge a.tar
        same_err 'pbmerge: a.tar(ü \xff\x1b.txt): ' ...
    done
}

@test "--max-size holds for everything that decompresses" {
    local file
    perl -e 'print "2\0" x 1_500_000' >zeros # strings of a message
    gzip -k zeros
    cat zeros.gz zeros.gz >members.gz
    zstd -q zeros
    xz -k zeros
    bzip2 -k zeros
    tar -cf a.tar zeros
    gzip -k a.tar
    zip -q a.zip zeros
    tar -cf b.tar zeros.xz
    gzip -c zeros.gz | gzip >c.gz
    for file in zeros zeros.* members.gz a.tar a.tar.gz a.zip b.tar; do
        expect 3 pbmerge --max-size=2M "$file"
        [[ $stderr = "pbmerge: $file"*'exceeds 2097152 bytes (see '\
'--max-size)'?('; the members after it are not read') ]] || {
            echo "$file: $stderr"
            false
        }
    done
    # The limit is for what comes out, not for the sum over an archive.
    fixture cpu.pb.gz
    size=$(raw cpu.pb.gz | wc -c)
    tar -czf many.tar.gz cpu.pb.gz cpu.pb.gz cpu.pb.gz
    expect 0 pbmerge --max-size="$size" -o out cpu.pb.gz cpu.pb.gz
    expect 3 pbmerge --max-size=$((size - 1)) -o out cpu.pb.gz
}

@test "a large file or pipe is read in blocks as it is read as a whole" {
    local file n size
    perl -e 'srand 1; print join(";", map "f" . int rand 50000, 1 .. 40), " $_\n"
        for 1 .. 21000' | folded2pb -o big.gz
    n=$(stat -c %s big.gz)
    [ "$n" -gt $((2 << 20)) ]
    size=$(gzip -dc big.gz | wc -c)
    head -c $((n - 5)) big.gz >cut
    cat big.gz big.gz >twice
    (cat big.gz && echo more) >trailing
    perl -pe 'BEGIN { $/ = undef } substr($_, -7, 1) ^= "\1"' big.gz >checksum
    { gzip -dc big.gz && printf '\x12\x02\x08\x7f'; } | gzip -1 >short
    gzip -dc big.gz >raw
    head -c $((size - 5)) raw >rawcut
    for file in big.gz cut twice trailing checksum short raw rawcut; do
        for tool in "pbcat --raw -T1" "pbcat --raw -T2" "pbmerge -T2" \
            "pbmerge --max-size=$((size - 1))"; do
            run --separate-stderr $tool <"$file"
            echo "$status $stderr" >"got.$file"
            $tool <"$file" 2>&1 | md5sum >>"got.$file"
            # shellcheck disable=SC2002 # a pipe
            cat "$file" | $tool 2>&1 | md5sum >"pipe.$file"
            # What xz has compressed is read as a whole.
            xz -0 <"$file" | $tool 2>&1 | md5sum >"want.$file"
            sed 1d "got.$file" | cmp - "want.$file"
            cmp "pipe.$file" "want.$file"
        done
    done
    # Those that are damaged are refused.
    grep -q '^3 ' got.cut got.trailing got.checksum got.short got.rawcut
    expect 0 pbcat --raw big.gz
    [[ $(pbcat --version -v) = *ISA-L* ]] || return 0
    # -v says why a file is read twice.
    expect 0 pbmerge -v -o got big.gz
    [[ $stderr != *'a second time'* ]]
    expect 0 pbmerge -v -o got twice
    [[ $stderr = *'twice: note: reading the input a second time, as a whole: '\
'data after the gzip member'* ]]
    expect 3 pbmerge -v -o got cut
    [[ $stderr = *'cut: note: reading the input a second time, as a whole: '\
'unexpected end of gzip data'* ]]
    run --separate-stderr bash -c 'cat cut | pbmerge -v -o got'
    [[ $stderr = *'input): note: reading the input a second time, as a whole: '\
'unexpected end of gzip data'* ]]
    expect 3 pbmerge -v -o got short
    [[ $stderr = *'short: note: reading the input a second time, as a whole: '* ]]
}

@test "the default of --max-size is half of the memory" {
    local half=$(($(getconf _PHYS_PAGES) / 2 * $(getconf PAGESIZE)))
    local most=$((half < 1 << 34 ? half : 1 << 34))
    truncate -s $((most + 1)) sparse
    expect 3 pbmerge sparse
    same_err "pbmerge: sparse: exceeds $most bytes (see --max-size)"
    expect 3 pbmerge --max-size=$((most + 1)) sparse
    same_err 'pbmerge: sparse: offset 0: not a protobuf field'
    truncate -s $most sparse
    expect 3 pbmerge sparse
    same_err 'pbmerge: sparse: offset 0: not a protobuf field'
}

# What 32 bits have no room for.
@test "times beyond 2038, sizes beyond 4 GiB" {
    three
    touch -d 2040-01-02 cpu.pb.gz old.pb.gz got
    agrees cpu.pb.gz old.pb.gz new.pb.gz
    touch -d 2040-01-02 got
    pbmerge --if-changed -o got cpu.pb.gz old.pb.gz new.pb.gz
    [ "$(stat -c %y got | cut -d ' ' -f 1)" = 2040-01-02 ]
    fixture gmon.out a.out
    gmon2pb -o plain.pb.gz gmon.out
    touch -d 2040-01-02 a.out gmon.out
    gmon2pb -o late.pb.gz gmon.out
    cmp plain.pb.gz late.pb.gz
    truncate -s 5G sparse
    expect 3 pbmerge --max-size=2M sparse
    same_err 'pbmerge: sparse: exceeds 2097152 bytes (see --max-size)'
}

@test "-r reads the files below directories, in the order of their paths" {
    mkdir -p tree/b/deep tree/a tree/empty
    echo 'x 1' >tree/b/deep/1
    echo 'y 2' >tree/a/2
    echo 'z 4' >tree/b.folded
    echo 'w 8' >single
    ln -s ../single tree/link
    ln -s .. tree/a/up
    folded2pb -r tree single | cmp - <(folded2pb tree/a/2 tree/b.folded \
        tree/b/deep/1 single)
    folded2pb -r --each tree/ | tar -tf - >names
    diff names - <<'END'
tree/a/2.pb.gz
tree/b.folded.pb.gz
tree/b/deep/1.pb.gz
END
    expect 3 folded2pb -r tree/empty
    same_err 'folded2pb: tree/empty: no files in the directory'
    expect 3 folded2pb tree
    expect 4 folded2pb -r none
}
