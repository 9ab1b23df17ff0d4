# pbcat --csv, --tsv and --jsonl: a row for each sample.  That programs which
# read these formats read what was meant is tested in tests/consumers.

load helper

# small.pb: two types, labels of both kinds, an inlined frame, a sample
# without frames, one without values.
small() {
    encode >small.pb <<'END'
string_table: ["", "samples", "count", "cpu", "nanoseconds", "main", "leaf",
    "/src/main.c", "thread", "worker", "size", "bytes", "tries", "other"]
sample_type { type: 1 unit: 2 }
sample_type { type: 3 unit: 4 }
function { id: 1 name: 5 filename: 7 }
function { id: 2 name: 6 filename: 7 }
location { id: 1 line { function_id: 1 line: 10 } }
location { id: 2 line { function_id: 2 line: 21 }
    line { function_id: 1 line: 12 } }
location { id: 3 address: 77 }
sample { location_id: 2 location_id: 1 value: 3 value: 30000000
    label { key: 8 str: 9 } label { key: 10 num: 4096 num_unit: 11 } }
sample { location_id: 1 value: -1 value: 10000000
    label { key: 12 num: 3 } label { key: 12 num: -4 }
    label { key: 8 str: 13 } label { key: 8 str: 9 } }
sample { location_id: 3 location_id: 1 value: 0 value: 0 }
sample { value: 1 value: 5 }
END
}

# Names that are hostile to each format; {} is a backslash, which the text
# format doubles.
hostile() {
    encode >hostile.pb <<'END'
string_table: ["", "a,b", "c\"d", "<script>alert(1)</script>", "two\nlines",
    "tab\there", "semi;colon", "back\\slash", "bad\377utf8", "=1+1", "key,\"x",
    "va;l\\u,e", "cr\rlf"]
sample_type { type: 1 unit: 2 }
function { id: 1 name: 3 }
function { id: 2 name: 4 }
function { id: 3 name: 5 }
function { id: 4 name: 6 }
function { id: 5 name: 7 }
function { id: 6 name: 8 }
function { id: 7 name: 9 }
function { id: 8 name: 2 }
function { id: 9 name: 12 }
location { id: 1 line { function_id: 1 } }
location { id: 2 line { function_id: 2 } }
location { id: 3 line { function_id: 3 } }
location { id: 4 line { function_id: 4 } }
location { id: 5 line { function_id: 5 } }
location { id: 6 line { function_id: 6 } }
location { id: 7 line { function_id: 7 } }
location { id: 8 line { function_id: 8 } }
location { id: 9 line { function_id: 9 } }
sample { location_id: 1 location_id: 2 location_id: 3 location_id: 4
    location_id: 5 location_id: 6 location_id: 7 location_id: 8 location_id: 9
    value: 1 label { key: 10 str: 11 } }
END
}

@test "CSV has a row for each sample and a column for each kind of label" {
    small
    expect 0 pbcat --csv small.pb
    same 'samples/count,cpu/nanoseconds,label:size/bytes,label:thread,label:tries,stack
3,30000000,4096,worker,,"leaf;main;main"
-1,10000000,,other;worker,3;-4,"main"
0,0,,,,"<unknown>;main"
1,5,,,,'
    same_err ''
}

@test "TSV is the same with tabs" {
    small
    pbcat --csv small.pb | tr -d '"' | tr , '\t' >wanted
    pbcat --tsv small.pb | diff -u wanted -
}

@test "JSONL has an object for each sample" {
    small
    expect 0 pbcat --jsonl small.pb
    same '{"value":{"samples/count":3,"cpu/nanoseconds":30000000},"label":[{"key":"thread","str":"worker"},{"key":"size","num":4096,"num_unit":"bytes"}],"stack":["leaf","main","main"]}
{"value":{"samples/count":-1,"cpu/nanoseconds":10000000},"label":[{"key":"thread","str":"other"},{"key":"thread","str":"worker"},{"key":"tries","num":3,"num_unit":""},{"key":"tries","num":-4,"num_unit":""}],"stack":["main"]}
{"value":{"samples/count":0,"cpu/nanoseconds":0},"label":[],"stack":["<unknown>","main"]}
{"value":{"samples/count":1,"cpu/nanoseconds":5},"label":[],"stack":[]}'
    same_err ''
}

@test "rows honour granularity and filters" {
    small
    expect 0 bash -c 'pbcat --csv --lines --focus=leaf small.pb | tail -n +2'
    same '3,30000000,4096,worker,"leaf /src/main.c:21;main /src/main.c:12;main /src/main.c:10"'
    expect 0 bash -c 'pbcat --jsonl --noinlines --hide=^x --tagfocus=size=1kb: small.pb | jq -c .stack'
    same '["main","main"]'
    expect 0 bash -c 'pbcat --tsv --taghide=. small.pb | head -n 1'
    same $'samples/count\tcpu/nanoseconds\tstack'
}

@test "CSV of hostile names" {
    hostile
    # RFC 4180 quotes around, and a backslash before what is in the list.
    printf '%s\n' '"a,b/c""d","label:key,""x",stack' >wanted
    printf '1,"va\\;l\\\\u,e","%s"\n' \
        $'<script>alert(1)</script>;two\nlines;tab\there;semi\\;colon;back\\\\slash;bad\xffutf8;=1+1;c""d;cr\rlf' >>wanted
    pbcat --csv hostile.pb | cmp wanted -
}

@test "TSV of hostile names" {
    hostile
    printf '%s\n' $'a,b/c"d\tlabel:key,"x\tstack' >wanted
    printf '1\t%s\t%s\n' 'va\\;l\\\\u,e' \
        $'<script>alert(1)</script>;two\\nlines;tab\\there;semi\\\\;colon;back\\\\\\\\slash;bad\xffutf8;=1+1;c"d;cr\\rlf' >>wanted
    pbcat --tsv hostile.pb | cmp wanted -
}

@test "JSONL of hostile names" {
    hostile
    expect 0 pbcat --jsonl hostile.pb
    same $'{"value":{"a,b/c\\"d":1},"label":[{"key":"key,\\"x","str":"va;l\\\\u,e"}],"stack":["<script>alert(1)</script>","two\\nlines","tab\\there","semi;colon","back\\\\slash","bad\xef\xbf\xbdutf8","=1+1","c\\"d","cr\\u000dlf"]}'
    same_err 'pbcat: hostile.pb: warning: invalid UTF-8 in names replaced with U+FFFD (1 byte; --textproto shows the original bytes)'
}

@test "values of 64 bits are whole, and said to be more than a double holds" {
    encode >wide.pb <<'END'
string_table: ["", "n", "count"]
sample_type { type: 1 unit: 2 }
location { id: 1 address: 1 }
sample { location_id: 1 value: 9223372036854775807 }
sample { location_id: 1 value: -9223372036854775808 }
sample { location_id: 1 value: 9007199254740993 }
sample { location_id: 1 value: 9007199254740992 }
END
    expect 0 bash -c 'pbcat --csv wide.pb | cut -d, -f1'
    same 'n/count
9223372036854775807
-9223372036854775808
9007199254740993
9007199254740992'
    same_err ''
    expect 0 bash -c 'pbcat --jsonl wide.pb | grep -oE "[-0-9]+\}"'
    same '9223372036854775807}
-9223372036854775808}
9007199254740993}
9007199254740992}'
    # 2^63 and 2^53 are doubles.
    same_err 'pbcat: wide.pb: warning: 2 values above 53 bits written exactly, but jq and JavaScript round such values'
}

@test "no two columns have one name" {
    encode >twins.pb <<'END'
string_table: ["", "n", "count", "a", "b", "a/b", "x"]
sample_type { type: 1 unit: 2 }
sample_type { type: 1 unit: 2 }
location { id: 1 address: 1 }
sample { location_id: 1 value: 1 value: 2 label { key: 5 str: 6 }
    label { key: 3 num: 7 num_unit: 4 } }
END
    expect 0 pbcat --csv twins.pb
    same 'n/count,n/count#2,label:a/b,label:a/b#4,stack
1,2,7,x,"<unknown>"'
    expect 0 bash -c 'pbcat --jsonl twins.pb | jq -c .value'
    same '{"n/count":1,"n/count#2":2}'
}

@test "more kinds of labels than a table should have" {
    {
        echo 'string_table: ["", "n", "count"'
        seq -f ', "k%.0f"' 4097
        echo '] sample_type { type: 1 unit: 2 } sample { value: 1'
        seq -f 'label { key: %.0f num: 1 }' 3 4099
        echo '}'
    } | encode >many.pb
    for format in csv tsv; do
        expect 3 pbcat --$format many.pb
        same ''
        same_err 'pbcat: many.pb: more than 4096 kinds of labels, too many for columns; use --jsonl'
    done
    expect 0 bash -c 'pbcat --jsonl many.pb | jq ".label | length"'
    same 4097
}

@test "rows do not depend on the number of threads" {
    awk 'BEGIN { srand(1); for (i = 0; i < 5000; i++) {
        line = "main"
        for (k = rand() * 30; k > 0; k--)
            line = line ";f" int(rand() * 9)
        print line, i + 1 } }' >random.folded
    folded2pb -o random.pb random.folded
    for format in csv tsv jsonl; do
        pbcat -T 1 --$format random.pb >one
        [ "$(wc -l <one)" -gt 1000 ]
        pbcat -T 4 --$format random.pb | cmp one -
    done
}

# The values of stacks, by hand: main 1 + 2 + 4, leaf 2 + 4, other 8.
rows_profile() {
    printf '%s\n' 'main 1' 'main;leaf 2' 'main;a|b,"c";leaf 4' 'other 8' |
        folded2pb --sample-types=cpu/milliseconds -o rows.pb
}

@test "--format: the rows of --text, one schema in five notations" {
    rows_profile
    expect 0 pbcat --text --format=csv -n 3 rows.pb
    same 'kind,of,name,flat,flat_percent,cum,cum_percent,unit,inlined
node,,other,8,53.3333,8,53.3333,milliseconds,
node,,leaf,6,40.0000,6,40.0000,milliseconds,
node,,main,1,6.6667,7,46.6667,milliseconds,'
    pbcat --format=csv rows.pb >csv
    # The program's own readers: tsv and csv by Perl and jq.
    pbcat --format=tsv rows.pb | tail -n +2 | cut -f 3,4,6 | sort >tsv
    pbcat --format=jsonl rows.pb | jq -r '[.name, .flat, .cum] | join("\t")' |
        sort | diff tsv -
    pbcat --format=json rows.pb |
        jq -r '.rows[] | [.name, .flat, .cum] | join("\t")' | sort | diff tsv -
    expect 0 jq -c '[.type, .unit, .total]' <(pbcat --format=json rows.pb)
    same '["cpu","milliseconds",15]'
    grep -qxF 'node,,"a|b,""c""",0,0.0000,4,26.6667,milliseconds,' csv
    pbcat --format=markdown rows.pb >markdown
    grep -qxF '| node |  | a\|b,"c" | 0 | 0.0000 | 4 | 26.6667 | milliseconds |  |' \
        markdown
    # Options of tables apply; a unit scales.
    expect 0 pbcat --cum --format=csv --unit=s -n 2 rows.pb
    [ "${lines[1]}" = 'node,,other,0.008,53.3333,0.008,53.3333,s,' ]
    [ "${lines[2]}" = 'node,,main,0.001,6.6667,0.007,46.6667,s,' ]
}

@test "--format: calls and tags, and what it is not for" {
    rows_profile
    expect 0 pbcat --peek='^leaf$' --format=csv rows.pb
    same 'kind,of,name,flat,flat_percent,cum,cum_percent,unit,inlined
caller,leaf,"a|b,""c""",,,4,26.6667,milliseconds,
caller,leaf,main,,,2,13.3333,milliseconds,
node,,leaf,6,40.0000,6,40.0000,milliseconds,'
    pbcat --tree --format=csv rows.pb | grep -c '^callee,main' | grep -qx 2
    printf '%s\n' 'x;main 3' 'y;main 5' |
        folded2pb --root-label=job >tags.pb
    expect 0 pbcat --tags --format=tsv tags.pb
    same $'kind\tof\tname\tflat\tflat_percent\tcum\tcum_percent\tunit\tinlined
tag\tjob\ty\t\t\t5\t62.5000\tcount\t
tag\tjob\tx\t\t\t3\t37.5000\tcount\t'
    expect 0 pbcat --text --format=csv -o out.csv rows.pb
    same_err ''
    expect 2 pbcat --raw --format=csv rows.pb
    same_err 'pbcat: --format cannot be combined with --raw: it applies only to --text, --tree, --peek and --tags'
    expect 2 pbcat --text=gprof --format=csv rows.pb
    same_err 'pbcat: --format cannot be combined with --text=gprof: it applies only to --text, --tree, --peek and --tags'
    expect 2 pbcat --check --format=csv rows.pb
    same_err 'pbcat: --format cannot be combined with --check: it applies only to --text, --tree, --peek and --tags'
    # The rows are those of --text, whatever the suffix is.
    expect 0 pbcat --format=csv -o short.csv rows.pb
    same_err ''
    cmp out.csv short.csv
    expect 2 pbcat --format=xml rows.pb
    same_err "pbcat: invalid value 'xml' for --format: expected csv, tsv, json, jsonl or markdown"
    # A terminal gets no colors in data.
    script -qec 'pbcat --color=always --format=csv rows.pb' /dev/null </dev/null |
        tr -d '\r' >shown
    run ! grep -q $'\e' shown
}
