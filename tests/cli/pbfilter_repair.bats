# pbfilter --repair: what becomes of a profile that breaks a rule

load helper

setup() {
    setup_scratch
    # shellcheck source=tests/cli/broken.bash
    . "$ROOT/tests/cli/broken.bash"
}

# Samples, kept and lost, and the values of cpu, as the warning has them.
account() { # FILE KEPT LOST KEPT-VALUES LOST-VALUES
    local text="pbfilter: $1: warning: samples: $2 kept, $3 lost; cpu/nanoseconds: $4 kept, $5 lost"
    grep -qF "$text" <<<"$stderr" || { echo "no: $text"; echo "$stderr"; false; }
}

@test "every broken profile is repaired or refused, and pprof reads the result" {
    broken_rules >rules
    while read -r rule severity _; do
        broken "$rule" >"$rule.pb"
        case $rule in
        empty | not-a-profile | no-sample-type)
            expect 3 pbfilter --repair "$rule.pb"
            same ''
            same_err "pbfilter: $rule.pb: cannot be repaired: " ...
            continue
            ;;
        sample-overflow)
            expect 3 pbfilter --repair "$rule.pb"
            same_err ... 'the sum of cpu/nanoseconds of the sample of main exceeds 64 bits'
            continue
            ;;
        esac
        expect 0 pbfilter --repair -o "$rule.out" "$rule.pb"
        if [ "$severity" = error ]; then
            [[ ${stderr_lines[0]} == "pbfilter: $rule.pb: warning: repaired: $rule"[,:]* ]]
        fi
        status=0
        pbcat --check -q "$rule.out" >checked || status=$?
        [ "$status" != 3 ] || { cat checked; false; }
        # What --repair leaves as it is and pprof refuses since 2023.
        [ "$rule" != duplicate-sample-type ] || [ "$(go_minor)" -lt 22 ] ||
            continue
        go_pprof -raw "$rule.out" >/dev/null
    done <rules
}

@test "what breaks no rule that has a remedy is as without --repair" {
    fixtures
    broken_rules >rules
    while read -r rule severity _; do
        case $severity/$rule in
        error/* | */flag-unfounded | */frames-regexp | */default-sample-type | \
            */label-both) continue ;;
        esac
        broken "$rule" >"$rule.pb"
    done <rules
    broken_sound_message >sound.pb
    for f in ./*.pb cpu.pb.gz heap.pb.gz old.pb.gz; do
        pbfilter -q -o plain "$f"
        expect 0 pbfilter -q --repair -o repaired "$f"
        cmp plain repaired
        expect 0 pbfilter --repair -o repaired --focus=main "$f"
        [[ $stderr != *repaired* ]]
    done
    pbfilter -q -o plain cpu.pb.gz old.pb.gz profiles.tar.gz
    pbfilter -q --repair -o repaired cpu.pb.gz old.pb.gz profiles.tar.gz
    cmp plain repaired
}

@test "a sample without its stack or values goes, and is accounted for" {
    broken dangling-location >d.pb
    expect 0 pbfilter --repair -o out d.pb
    account d.pb 1 1 12 30
    expect 0 pprof_totals out
    same 'cpu/nanoseconds 12'
    broken value-count >v.pb
    expect 0 pbfilter --repair -o out v.pb
    account v.pb 1 1 30 0
    same_err ... 'v.pb: warning: samples: 1 kept, 1 lost; cpu/nanoseconds: 30 kept, 0 lost; the values of 1 lost samples have unknown types'
    expect 0 pprof_totals out
    same 'cpu/nanoseconds 30'
    # Each violation with its place.
    expect 0 pbfilter -v --repair -o out v.pb d.pb
    same_err ... 'v.pb: note: offset 21: sample 1: has 2 values, expected 1 [value-count]' ...
    same_err ... 'd.pb: note: offset 6: sample 0, location_id 2: is 9, but no location has this id [dangling-location]' ...
    expect 0 pprof_totals out
    same 'cpu/nanoseconds 42'
}

@test "entities of one id" {
    # That say the same: one; pprof refuses both files as they are.
    broken duplicate-id >same.pb
    expect 0 pbfilter --repair -o out same.pb
    account same.pb 2 0 42 0
    expect 0 pbcat --folded out
    same 'main 12
main;leaf 30'
    # That do not: nobody knows which is meant.
    broken_sound | sed 's/^function { id: 2.*/&\nfunction { id: 2 name: 9 }/' |
        encode >function.pb
    expect 0 pbfilter --repair -o out function.pb
    account function.pb 2 0 42 0
    expect 0 pbcat --json out
    [ "$(jq -c '[.location[] | [.address, (.line | length)]] | sort' <<<"$output")" = \
        '[["4100",1],["4200",0]]' ]
    broken_sound | sed 's/^location { id: 1.*/&\nlocation { id: 1 address: 5 }/' |
        encode >location.pb
    expect 0 pbfilter --repair -o out location.pb
    account location.pb 1 1 12 30
    # Functions that nobody gave an id.
    broken_sound | sed 's/^function { id: [12]/function {/' | encode >none.pb
    expect 0 pbfilter --repair -o out none.pb
    account none.pb 2 0 42 0
    expect 0 pbcat --folded out
    same 'main 12
main;leaf 30'
}

@test "references to nothing" {
    broken dangling-mapping >m.pb
    expect 0 pbfilter --repair -o out m.pb
    expect 0 pbcat --json out
    [ "$(jq -c '[.location[] | [.address, .mapping]] | sort' <<<"$output")" = \
        '[["4100",0],["4200",null]]' ]
    broken dangling-function >f.pb
    expect 0 pbfilter --repair -o out f.pb
    expect 0 pbcat --json out
    [ "$(jq -c '[.location[].line | length]' <<<"$output")" = '[1,1]' ]
    broken_sound | sed 's/ name: 6/ name: 77/; s/key: 8/key: 88/
        s/num_unit: 11/num_unit: -1/; s/^comment.*/&\ndoc_url: 99/' |
        encode >s.pb
    expect 0 pbfilter --repair -o out s.pb
    same_line 0 ... 's.pb: warning: repaired: string-index, 4 times: references to it have no name; labels are dropped'
    expect 0 pbcat --json out
    [ "$(jq -c '[.function[].name] | sort' <<<"$output")" = '["","leaf"]' ]
    [ "$(jq -c '[.sample[].label], .doc_url' <<<"$output")" = \
        '[[],[{"key":"bytes","num":"5","num_unit":""}]]
""' ]
}

@test "a flag that is cleared as the samples that bore it out are lost" {
    # Location 1 has no lines, and 2 is only where location 9 is.
    broken_sound | sed 's/ line { function_id: 1 line: 7 }//
        s/location_id: 1 location_id: 2/location_id: 1/
        s/location_id: 2 value: 12/location_id: 2 location_id: 9 value: 12/' |
        encode >flag.pb
    expect 1 pbcat -q --check flag.pb
    [[ $output != *flag-unfounded* ]]
    expect 0 pbfilter --repair -o out flag.pb
    same_err ... ': repaired: flag-unfounded, 3 times: the flag is cleared' ...
    expect 0 pbfilter --repair -o again out
    same_err ''
    cmp out again
}

@test "what was lost beside a remedy is told, too" {
    # A field of a newer schema, a unit of a text, an empty text.
    {
        broken_sound | sed 's/value: 12/& value: 13/
            s/str: 9 }/str: 9 num_unit: 11 } label { key: 10 str: 12 num: 5 }/
            s/^string_table: "kilobytes"/&\nstring_table: ""/' | encode
        printf '%b' '\0310\01\01'
    } >odd.pb
    expect 0 pbfilter --repair -o out odd.pb
    same_err ... 'repaired: value-count, 1 time: ' ...
    same_err ... 'odd.pb: warning: 1 field skipped: not defined in profile.proto' ...
    same_err ... 'odd.pb: warning: unit of 1 label dropped: a label with a string has none' ...
    same_err ... 'odd.pb: warning: 1 label with an empty string read as a number' ...
    expect 0 pbcat --json out
    [ "$(jq -c '[.sample[].label]' <<<"$output")" = \
        '[[{"key":"bytes","num":"5","num_unit":""},{"key":"thread","str":"worker"}]]' ]
}

@test "a flag that is cleared because of what was left out" {
    # The only line with a number has no function.
    broken_sound | sed 's/line: 7//; s/function_id: 2 line: 20/line: 20/' |
        encode >line.pb
    expect 1 pbcat -q --check line.pb
    [[ $output != *flag-unfounded* ]]
    expect 0 pbfilter --repair -o out line.pb
    same_err ... ': repaired: flag-unfounded, 1 time: the flag is cleared' ...
    expect 0 pbcat -q --check out
    same ''
    # What is repaired stays as it is.
    expect 0 pbfilter --repair -o again out
    same_err ''
    cmp out again
}

@test "a message that is cut: what stands before" {
    {
        broken_sound | grep -v '^sample '
        broken_sound | grep '^sample '
    } >order
    # protoc writes fields in order: put the samples behind the strings.
    grep -v '^sample ' order | encode >rest
    grep '^sample ' order | encode >samples
    cat rest samples >whole.pb
    expect 0 pbcat --check whole.pb
    size=$(stat -c %s whole.pb)
    last=$((size - $(grep '^sample ' order | tail -n 1 | encode | wc -c)))
    for n in $(seq $((last + 1)) $((size - 1))); do
        head -c "$n" whole.pb >cut.pb
        expect 0 pbfilter --repair -o out cut.pb
        account cut.pb 1 0 30 0
        [[ $stderr == *"the last $((n - last)) bytes of the message are lost" ]]
        expect 0 pprof_totals out
        same 'cpu/nanoseconds 30'
    done
    # Cut before the strings, values have no names.
    head -c 100 <(broken_sound_message) >cut.pb
    expect 3 pbfilter --repair cut.pb
    same ''
    same_err 'pbfilter: cut.pb: cannot be repaired: the name of sample type 0 is lost, so its values have no meaning'
}

@test "damaged gzip data: what can be inflated" {
    { broken_sound; yes 'comment: 7' | head -n 100000; } | encode | gzip -n >c.gz
    n=$(($(stat -c %s c.gz) - 40))
    head -c $n c.gz >cut.gz
    expect 3 pbfilter cut.gz
    expect 0 pbfilter --repair -o out cut.gz
    [[ ${stderr_lines[0]} == "pbfilter: cut.gz: warning: repaired: damaged: offset 0: unexpected end of gzip data after $n bytes; "[1-9]*' bytes were recovered: the data that can be decompressed is kept' ]]
    account cut.gz 2 0 42 0
    expect 0 pprof_totals out
    same 'cpu/nanoseconds 42'
    # A wrong checksum: the sound member after it is not read, and told.
    broken_sound_message | gzip -n >a.gz
    size=$(stat -c %s a.gz)
    { head -c $((size - 8)) a.gz; printf 'xxxx'; tail -c 4 a.gz; cat a.gz; } >sum.gz
    expect 0 pbfilter --repair -o out sum.gz
    [[ ${stderr_lines[0]} == *'repaired: damaged: offset 0: invalid gzip data after '*': incorrect data check; the members after it are not read; '$(raw a.gz | wc -c)' bytes were recovered: the data that can be decompressed is kept' ]]
    expect 0 pprof_totals out
    same 'cpu/nanoseconds 42'
    # The second of two members is cut: the first is whole.
    { cat a.gz; head -c $((size - 4)) a.gz; } >two.gz
    expect 0 pbfilter --repair -o out two.gz
    same_line 0 'pbfilter: two.gz(member 2): warning: repaired: damaged: ' ...
    expect 0 pprof_totals out
    same 'cpu/nanoseconds 84'
    { cat a.gz; echo more; } >more.gz
    expect 0 pbfilter --repair -o out more.gz
    same_err "pbfilter: more.gz: warning: repaired: trailing-data: offset $size: 5 bytes of other data after the gzip data: it is dropped"
}

@test "other compressed data that is damaged" {
    # Samples and names first, and then so much that a block can go.
    { broken_sound; yes 'comment: 7' | head -n 1000000; } | encode >big
    for z in zstd xz bzip2; do
        $z -kc big >big.z
        size=$(stat -c %s big.z)
        head -c $((size - 10)) big.z >cut.z
        expect 1 pbcat --check cut.z
        [[ ${lines[0]} == "cut.z: error: file: offset $((size - 10)): invalid $z data (or truncated): "*' [damaged]' ]]
        expect 0 pbfilter --repair -o out cut.z
        [[ ${stderr_lines[0]} == "pbfilter: cut.z: warning: repaired: damaged: offset $((size - 10)): invalid $z data (or truncated): "*' bytes were recovered: the data that can be decompressed is kept' ]]
        expect 0 pprof_totals out
        same 'cpu/nanoseconds 42'
        expect 3 pbfilter cut.z
    done
    # Of less than a block nothing comes.
    broken_sound_message >small
    for z in zstd xz bzip2; do
        $z -kc small >small.z
        { head -c -1 small.z && printf x; } >sum.z
        expect 3 pbfilter --repair -o out sum.z
        same_err "pbfilter: sum.z: cannot be repaired: empty file: offset " ... ": invalid $z data" ...
        { cat small.z && echo more; } >more.z
        expect 3 pbfilter more.z
        same_err "pbfilter: more.z: offset " ... ": " ... "$z data" ...
        # To libarchive what follows is a damaged frame of zstd or stream of xz.
        [ $z = bzip2 ] || {
            expect 3 pbfilter --repair -o out more.z
            same_err "pbfilter: more.z: cannot be repaired: empty file: offset " ... ": invalid $z data" ...
            continue
        }
        expect 0 pbfilter --repair -o out more.z
        same_err 'pbfilter: more.z: warning: repaired: trailing-data: ' ...
        pbfilter -o sound small
        cmp out sound
    done
    { bzip2 -kc big && echo more; } >more.bz2
    expect 0 pbfilter --repair -o out more.bz2
    same_err "pbfilter: more.bz2: warning: repaired: trailing-data: offset $size: unexpected data after the end of the bzip2 data: it is dropped"
}

@test "archives that are damaged: the entries that can be read" {
    broken_sound_message >a.pb
    {
        broken_sound
        seq 3000 | awk '{ print "comment: " 3 + $1 * $1 * $1 % 251 % 9 }'
    } | encode >b.pb
    tar -cf ab.tar a.pb b.pb
    gzip -nk ab.tar
    size=$(stat -c %s ab.tar.gz)
    # b.pb is cut, which begins 1024 bytes behind where a.pb begins.
    head -c 3000 ab.tar >cut.tar
    head -c 3000 ab.tar | gzip -n >cut.tar.gz
    head -c $((size - 100)) ab.tar.gz >cut2.tar.gz
    for f in cut.tar cut.tar.gz cut2.tar.gz; do
        expect 1 pbcat --check $f
        [ "${lines[0]}" = "$f(a.pb): 0 errors, 0 warnings" ]
        [[ ${lines[1]} == "$f(b.pb): error: file: "*' [damaged]' ]]
        [[ ${lines[-1]} == '2 profiles: 2 errors, '* ]]
        expect 0 pbfilter --repair -o out $f
        same_line 0 "pbfilter: $f(b.pb): warning: repaired: damaged: " ...
        account "$f(b.pb)" 2 0 42 0
        expect 0 pprof_totals out
        same 'cpu/nanoseconds 84'
    done
    # What follows the last entry.
    { cat ab.tar.gz; echo more; } >more.tar.gz
    expect 1 pbcat --check -q more.tar.gz
    [[ ${lines[0]} == 'more.tar.gz: error: file: offset '*': unexpected data after the end of the gzip data [trailing-data]' ]]
    expect 0 pbfilter --repair -o out more.tar.gz
    same_err "pbfilter: more.tar.gz: warning: repaired: trailing-data: offset $size: unexpected data after the end of the gzip data: it is dropped"
    expect 0 pprof_totals out
    same 'cpu/nanoseconds 84'
    # The end of a zip archive has its directory, and so has that of 7z.
    bsdtar -cf ab.zip --format zip a.pb b.pb
    head -c -30 ab.zip >cut.zip
    expect 1 pbcat --check -q cut.zip
    same 'cut.zip: error: file: the directory at the end of the zip archive is missing or corrupt [damaged]
cut.zip: 1 error, 0 warnings
3 profiles: 1 error, 0 warnings'
    for name in cut.zip -; do
        expect 0 pbfilter --repair -o out $name <cut.zip
        same_err ... ': warning: repaired: damaged: the directory at the end of the zip archive is missing or corrupt: the data that can be decompressed is kept'
        expect 0 pprof_totals out
        same 'cpu/nanoseconds 84'
    done
    bsdtar -cf ab.7z --format 7zip a.pb b.pb
    head -c -30 ab.7z >cut.7z
    expect 1 pbcat --check cut.7z
    [[ ${lines[0]} == 'cut.7z: error: file: invalid 7z data: '*' [damaged]' ]]
    expect 3 pbfilter --repair -o out2 cut.7z
    same_err ... 'pbfilter: no profile in the input'
}

@test "profiles concatenated without gzip are refused" {
    fixtures
    broken_sound_message >a.pb
    broken_sound | sed 's/value: 12/value: 13/' | encode >b.pb
    # Equal ids that say the same are one; those of b.pb do.
    cat a.pb b.pb a.pb >three.pb
    expect 3 pbfilter three.pb
    gzip -dc cpu.pb.gz >cpu.pb
    cat cpu.pb cpu.pb >two.pb
    gzip -n <two.pb >two.pb.gz
    for f in three.pb two.pb two.pb.gz; do
        expect 3 pbfilter --repair -o out $f
        same_err "pbfilter: $f: cannot be repaired: several uncompressed profiles are concatenated; compress each with gzip before concatenating them"
        [ ! -e out ]
        expect 3 pbfilter --repair $f
        same ''
    done
    # As it says.
    for f in a.pb b.pb a.pb; do gzip -n <$f; done >members
    expect 0 pbfilter --repair -o out members
    same_err ''
    expect 0 pprof_totals out
    same 'cpu/nanoseconds 127'
    # With -k the others are kept.
    expect 5 pbfilter -k --repair -o out two.pb a.pb
    expect 0 pprof_totals out
    same 'cpu/nanoseconds 42'
}

@test "what looks concatenated is repaired if samples can be kept" {
    broken duplicate-id >d.pb
    { cat d.pb; printf '2\0'; } >empty.pb
    expect 0 pbfilter --repair -o out empty.pb
    same_err ... 'empty.pb: warning: several uncompressed profiles concatenated?' ...
}

@test "-k leaves out what cannot be repaired" {
    broken no-sample-type >n.pb
    broken value-count >v.pb
    expect 3 pbfilter --repair -o out n.pb v.pb
    [ ! -e out ]
    expect 5 pbfilter -k --repair -o out n.pb v.pb
    expect 0 pprof_totals out
    same 'cpu/nanoseconds 30'
}

@test "the manual says what the warnings say" {
    awk '/^\.Sh/ { inside = $2 == "REPAIR" }
        !inside { next }
        /^\.It Cm/ { rule = $3; next }
        /^\.El/ { exit }
        rule { text[rule] = text[rule] (text[rule] ? " " : "") $0 }
        END { for (rule in text) print rule ": " text[rule] }' \
        "$ROOT/man/pbfilter.1" | sort >manual
    broken_rules >rules
    while read -r rule _; do
        broken "$rule" >"$rule.pb"
        pbfilter --repair -o out "$rule.pb" 2>&1 |
            sed -nE 's/.*: repaired: ([a-z0-9-]+)[,:].*: ([^:]+)$/\1: \2/p' || :
    done <rules | sort >said
    diff -u manual said
}
