# Names with a NUL, which profile.proto allows: "a\0b" and "a\0c" are two names
# in every field, for every tool.

bats_require_minimum_version 1.5.0
load helper

# By index in the string table.
FIELDS=("" plain count type unit key text number numunit file build name
    system source ptype punit drop keep comment default url)
# Two fields that stand for one thing each: a sum has them once.
TYPES=(type unit ptype punit)

# A profile with the samples type "plain" of value 1 and "type" of VALUE,
# written to NAME.pb; the string of FIELD is TEXT.
make() { # NAME FIELD TEXT VALUE
    local i string
    {
        cat <<END
sample_type { type: 1 unit: 2 } sample_type { type: 3 unit: 4 }
sample { location_id: 1 value: 1 value: $4
    label { key: 5 str: 6 } label { key: 7 num: 1048576 num_unit: 8 } }
mapping { id: 1 memory_start: 4096 memory_limit: 8192 filename: 9 build_id: 10 }
location { id: 1 mapping_id: 1 address: 4100 line { function_id: 1 line: 7 } }
function { id: 1 name: 11 system_name: 12 filename: 13 }
period_type { type: 14 unit: 15 } period: 1 drop_frames: 16 keep_frames: 17
comment: 18 default_sample_type: 19 doc_url: 20
END
        for i in "${!FIELDS[@]}"; do
            string=${FIELDS[i]}
            [ "$i" = 0 ] || [ "$string" != "$2" ] || string=$3
            echo "string_table: \"$string\""
        done
    } | encode >"$1.pb"
}

# b.pb and c.pb differ in one field.
pair() { # FIELD
    make b "$1" 'a\000b' 5
    make c "$1" 'a\000c' 7
}

decode() { # FILE
    gzip -dcf "$1" | protoc --proto_path="$ROOT/lib/profile/wire" \
        --decode=perftools.profiles.Profile profile.proto
}

# The strings of a profile that have a NUL, as text format has them, in order.
nuls() {
    decode "$1" |
        sed -n 's/^string_table: "\(.*\\000.*\)"$/\1/p' | LC_ALL=C sort |
        paste -sd ' ' -
}

# "VALUE VALUE ...; ..." of the samples, in order.
values() {
    decode "$1" |
        awk '/^sample \{/ { s = "" } /^  value:/ { s = s (s ? " " : "") $2 }
            /^}/ && s { print s; s = "" }' | sort | paste -sd ';' -
}

@test "merging: one result, in any order, with any number of threads" {
    local field order inputs threads wanted
    for field in "${FIELDS[@]:3}"; do
        pair "$field"
        wanted=0
        [[ " ${TYPES[*]} " != *" $field "* ]] || wanted=3
        for order in "b b c c" "c b c b"; do
            read -ra inputs <<<"$order"
            for threads in 1 2 4; do
                expect $wanted pbmerge -T"$threads" -o "out$threads.pb" \
                    "${inputs[@]/%/.pb}"
                [ $wanted = 3 ] || cat "out$threads.pb" >>all
                [ $wanted = 0 ] || same_err ... 'a\x00b' ...
                [ $wanted = 0 ] || same_err ... 'a\x00c' ...
            done
        done
        [ $wanted = 3 ] && continue
        for order in {1..6}; do cat out1.pb; done | cmp - all
        rm all
        case $field in
        file | default | url) [ "$(nuls out1.pb)" = 'a\000b' ] ;;
        drop | keep) [ "$(nuls out1.pb)" = 'a\000b|a\000c' ] ;;
        *) [ "$(nuls out1.pb)" = 'a\000b a\000c' ] ;;
        esac
        case $field in
        file | drop | keep | comment | default | url)
            [ "$(values out1.pb)" = "4 24" ]
            ;;
        *) [ "$(values out1.pb)" = "2 10;2 14" ] ;;
        esac
    done
}

@test "merging: types are united and intersected by their whole names" {
    local field threads order
    for field in type unit; do
        pair "$field"
        for threads in 1 2 4; do
            for order in "b.pb b.pb c.pb" "c.pb b.pb b.pb"; do
                # shellcheck disable=SC2086
                {
                    pbmerge --types=union -T"$threads" -o union.pb $order
                    pbmerge --types=intersect -T"$threads" -o same.pb $order
                }
                [ "$(nuls union.pb)" = 'a\000b a\000c' ]
                # By name: a\0b, a\0c and plain, or plain, type/a\0b, type/a\0c.
                if [ $field = type ]; then
                    [ "$(values union.pb)" = "10 7 3" ]
                else
                    [ "$(values union.pb)" = "3 10 7" ]
                fi
                [ "$(nuls same.pb)" = "" ]
                [ "$(values same.pb)" = 3 ]
            done
        done
    done
    # The period type is that of the least name, whatever comes first.
    for field in ptype punit; do
        pair "$field"
        for threads in 1 2 4; do
            pbmerge --types=union -T"$threads" -o 1.pb b.pb c.pb b.pb
            pbmerge --types=union -T"$threads" -o 2.pb c.pb b.pb b.pb
            cmp 1.pb 2.pb
            [ "$(nuls 1.pb)" = 'a\000b' ]
        done
    done
}

@test "a base's values go with their names" {
    local field
    pair name
    pbmerge --base=c.pb -o out.pb b.pb
    [ "$(values out.pb)" = "-1 -7;1 5" ]
    pbmerge --base=b.pb -o out.pb b.pb
    [ "$(values out.pb)" = "" ]
    # Scaled to the base's total of a type, by type: 5 to 50, not to 7000.
    for field in type unit; do
        make two $field 'a\000b' 5
        make three $field 'a\000c' 7
        pbmerge --types=union -o s.pb two.pb three.pb
        make two $field 'a\000b' 50
        make three $field 'a\000c' 7000
        pbmerge --types=union -o b.pb three.pb two.pb
        pbmerge --normalize --base=b.pb -o out.pb s.pb
        [ "$(values out.pb)" = "" ]
        pbcat -q --normalize --base=b.pb --raw s.pb >out
        run ! grep -E '^ +-?[0-9]+ ' out
        expect 3 pbmerge --normalize --base=two.pb -o out.pb three.pb
        same_err ... 'a\x00c' ...
    done
}

@test "filters match whole names" {
    local option
    pair name
    pbmerge -o sum.pb b.pb c.pb
    for option in --focus --show; do
        pbfilter "$option"='^a\x00b$' -o out.pb sum.pb
        [ "$(values out.pb)" = "1 5" ]
    done
    for option in --ignore --hide; do
        pbfilter "$option"='^a\x00b$' -o out.pb sum.pb
        [ "$(values out.pb)" = "1 7" ]
    done
    expect 1 pbfilter --fail-empty --focus='^a$' -o out.pb sum.pb
    pair text
    pbmerge -o sum.pb b.pb c.pb
    pbfilter --tagfocus='key=^a\x00b$' -o out.pb sum.pb
    [ "$(values out.pb)" = "1 5" ]
    pbfilter --tagroot=key -o out.pb sum.pb
    [ "$(pbcat -q --folded out.pb | wc -l)" = 2 ]
    pair key
    pbmerge -o sum.pb b.pb c.pb
    pbfilter --tagfocus='^a\x00b:' -o out.pb sum.pb
    [ "$(values out.pb)" = "1 5" ]
}

# Every report shows two names, and what belongs to each.
@test "reports tell whole names apart" {
    local format
    pair name
    pbmerge -o sum.pb b.pb c.pb
    pbcat -q --text sum.pb >out
    grep -qE '^ +7 .* a\\x00c$' out
    grep -qE '^ +5 .* a\\x00b$' out
    for format in tree peek=. traces raw list=.; do
        pbcat -q "--$format" sum.pb >out
        grep -qF 'a\x00b' out
        grep -qF 'a\x00c' out
    done
    for format in json jsonl speedscope firefox; do
        pbcat -q "--$format" sum.pb >out
        jq -s '[.. | strings | select(. == "a\u0000b" or . == "a\u0000c")]
            | unique | length' out | grep -qx 2
    done
    pbcat -q --topproto sum.pb >top.pb
    [ "$(nuls top.pb)" = 'a\000b a\000c' ]
    [ "$(values top.pb)" = "5 5;7 7" ]
    [ "$(pbcat -q --dot sum.pb | grep -c '^N[0-9]* \[')" = 2 ]
    [ "$(pbcat -q --callgrind sum.pb | grep -c '^fn=')" = 2 ]
    for format in ptype punit; do
        pair "$format"
        pbcat -q --topproto b.pb >top.pb
        [ "$(nuls top.pb)" = 'a\000b' ]
    done
    pair text
    pbmerge -o sum.pb b.pb c.pb
    pbcat -q --tags sum.pb >out
    grep -qE '^ +7 .*: a\\x00c$' out
    grep -qE '^ +5 .*: a\\x00b$' out
    # A type is not chosen by a part of its name.
    pair type
    expect 2 pbcat --text --sample-index=a b.pb
    same_err ... 'a\x00b' ...
    pair default
    pbcat -q --text b.pb | grep -qx 'Type: type'
}

@test "a unit with a NUL is not the unit that it begins with" {
    make b unit 'bytes\000b' 1048576
    pbcat -q --text b.pb | grep -qF ' 1048576bytes\x00b '
    pbcat -q --text=classic b.pb | grep -qE '^ +1048576 '
    pbcat -q --speedscope b.pb | jq -e '.profiles[1].unit == "none"' >/dev/null
    make b numunit 'bytes\000b' 1
    pbcat -q --tags b.pb | grep -q ': 1048576$'
    pbcat -q --traces b.pb | grep -q 'number: *1048576$'
    expect 1 pbfilter --fail-empty --tagfocus=number=1mb -o out.pb b.pb
    make b numunit bytes 1
    pbfilter --tagfocus=number=1mb -o out.pb b.pb
    [ "$(values out.pb)" = "1 1" ]
}

@test "a file is not looked for under a part of its name" {
    local field
    cp "$(command -v pbcat)" binary
    make b file "$PWD/binary\\000b" 1
    make c file "$PWD/binary" 1
    for field in b c; do
        # Without functions, so that there is something to look for.
        decode $field.pb | perl -0pe 's/  line \{.*?\}\n//sg;
            s/^function \{.*?^\}\n//msg; s/^  build_id: .*\n//mg' |
            encode >bare.pb
        expect 0 pbsym -v -o out.pb bare.pb
        if [ $field = b ]; then
            same_err ... "file name has a NUL" ...
        else
            same_err ... "$PWD/binary" ...
        fi
    done
}

@test "check and repair keep whole names" {
    local field
    for field in "${FIELDS[@]:3}"; do
        pair "$field"
        pbmerge -o sum.pb b.pb
        pbfilter -q --repair -o out.pb sum.pb
        [ "$field" = default ] || [ "$(nuls out.pb)" = 'a\000b' ]
        run pbcat --check=all sum.pb
        [ "$status" -le 1 ]
    done
}
