# pbcat --digest: checksums of content.  That every field counts, and no way of
# writing it, is in tests/unit/test_digest.c.

load helper

# Two profiles that say the same: one.pb, and in other words two.pb.
two_ways() {
    encode >one.pb <<'END'
string_table: ["", "samples", "count", "f", "g", "key", "value", "a", "b"]
sample_type { type: 1 unit: 2 }
function { id: 1 name: 3 }
function { id: 2 name: 4 }
location { id: 1 line { function_id: 1 } }
location { id: 2 line { function_id: 2 } }
sample { location_id: 1 location_id: 2 value: 3 label { key: 5 str: 6 } }
sample { location_id: 2 value: 4 }
comment: 7
comment: 8
END
    encode >two.pb <<'END'
sample { location_id: 8 value: 4 }
sample { location_id: 9 location_id: 8 value: 1 label { key: 1 str: 2 } }
sample { location_id: 9 value: 0 }
sample { location_id: 9 location_id: 8 value: 2 label { key: 1 str: 2 } }
function { id: 7 name: 4 }
function { id: 6 name: 5 }
location { id: 9 line { function_id: 6 } }
location { id: 8 line { function_id: 7 } }
location { id: 1 address: 99 }
sample_type { type: 6 unit: 3 }
string_table: ["", "key", "value", "count", "g", "f", "samples", "b", "a"]
comment: 7
comment: 8
comment: 7
END
}

# By any other program: the hash of what pbmerge writes, uncompressed.
hash_of_merged() {
    pbmerge -0 "$@" | xxh128sum | cut -d' ' -f1
}

@test "a line for each profile, as sha256sum prints them" {
    two_ways
    digest=$(hash_of_merged one.pb)
    [ "${#digest}" = 32 ]
    expect 0 pbcat --digest one.pb two.pb
    same "$digest  one.pb
$digest  two.pb"
    [ -z "$stderr" ]
}

# It is the same on every machine, and stays so.
@test "a digest that is known" {
    two_ways
    expect 0 pbcat --digest one.pb
    same '511496974fe14cbb5a885bdf8c4ace7d  one.pb'
}

@test "compression, threads and merging do not show, another value does" {
    fixture cpu.pb.gz heap.pb.gz
    for file in cpu.pb.gz heap.pb.gz; do
        digest=$(hash_of_merged "$file")
        zstd -qkf "$file"
        pbmerge -9 -o merged.pb.gz "$file"
        gzip -dc "$file" | gzip -1 >other.pb.gz
        for threads in 1 2 7; do
            expect 0 pbcat --digest -T"$threads" "$file" "$file.zst" \
                merged.pb.gz other.pb.gz
            same "$digest  $file
$digest  $file.zst
$digest  merged.pb.gz
$digest  other.pb.gz"
        done
        [ "$(pbcat --digest - <"$file")" = "$digest  (standard input)" ]
        pbmerge --scale=2 -o twice.pb.gz "$file"
        [ "$(pbcat --digest <twice.pb.gz)" != "$digest  (standard input)" ]
    done
}

@test "profiles in archives and gzip members have lines of their own" {
    two_ways
    digest=$(hash_of_merged one.pb)
    gzip -k one.pb two.pb
    cat one.pb.gz two.pb.gz >both.gz
    tar -cf all.tar one.pb.gz two.pb both.gz
    expect 0 pbcat --digest all.tar both.gz
    same "$digest  all.tar(one.pb.gz)
$digest  all.tar(two.pb)
$digest  all.tar(both.gz, member 1)
$digest  all.tar(both.gz, member 2)
$digest  both.gz(member 1)
$digest  both.gz(member 2)"
    # One profile in two members is one.
    { head -c 40 one.pb | gzip; tail -c +41 one.pb | gzip; } >parts.gz
    expect 0 pbcat --digest parts.gz
    same "$digest  parts.gz"
}

@test "as JSON, which fits its schema" {
    two_ways
    fixture heap.pb.gz
    digest=$(hash_of_merged one.pb)
    expect 0 pbcat --digest --json two.pb
    same '{"profiles":[
{"name":"two.pb","digest":"'"$digest"'","samples":"2","totals":[{"type":"samples","unit":"count","value":"7"}]}
]}'
    pbcat --json --digest heap.pb.gz one.pb >json
    jq -n --slurpfile schema "$ROOT/man/pbcat.digest.schema.json" \
        -f "$ROOT/tests/cli/schema.jq" json >misfits
    diff -u /dev/null misfits
    pprof_totals heap.pb.gz >wanted
    jq -r '.profiles[0].totals[] | "\(.type)/\(.unit) \(.value)"' json |
        diff -u wanted -
    [ "$(jq -r '.profiles[1].digest' json)" = "$digest" ]
    # What does not fit is seen.
    jq '.profiles[0].digest = "1" | del(.profiles[1].name)' json >bad
    [ "$(jq -n --slurpfile schema "$ROOT/man/pbcat.digest.schema.json" \
        -f "$ROOT/tests/cli/schema.jq" bad | wc -l)" = 2 ]
}

@test "totals with -v, and those that do not fit" {
    two_ways
    expect 0 pbcat --digest -v two.pb
    same_err 'pbcat: two.pb: note: 2 samples; samples/count 7'
    encode >large.pb <<'END'
string_table: ["", "n", "count"]
sample_type { type: 1 unit: 2 }
location { id: 1 address: 1 }
location { id: 2 address: 2 }
sample { location_id: 1 value: 9223372036854775807 }
sample { location_id: 2 value: 1 }
END
    expect 0 pbcat --digest -v large.pb
    same_err 'pbcat: large.pb: note: 2 samples; n/count more than 64 bits'
    expect 0 pbcat --digest --json large.pb
    [ "$(jq -c '.profiles[0].totals' <<<"$output")" = \
        '[{"type":"n","unit":"count","value":null}]' ]
    {
        pbcat --textproto large.pb
        echo 'location { id: 3 address: 3 }'
        echo 'sample { location_id: 3 value: -8 }'
    } | encode >back.pb
    expect 0 pbcat --digest -v back.pb
    same_err 'pbcat: back.pb: note: 3 samples; n/count 9223372036854775800'
}

@test "names with control characters stay on their line" {
    two_ways
    digest=$(hash_of_merged one.pb)
    name=$'a\nb\e[1m\xff'
    cp one.pb "$name"
    expect 0 pbcat --digest "$name"
    same "$digest  a\\x0ab\\x1b[1m\\xff"
    expect 0 pbcat --digest --json "$name"
    same_err 'pbcat: a\x0ab\x1b[1m\xff: warning: invalid UTF-8 in names replaced with U+FFFD (1 byte)'
    [ "$(jq -r '.profiles[0].name' <<<"$output")" = $'a\nb\e[1m\xef\xbf\xbd' ]
}

@test "a bad input is an error, and with -k the others have their lines" {
    two_ways
    digest=$(hash_of_merged one.pb)
    echo text >bad
    expect 3 pbcat --digest one.pb bad two.pb
    same ''
    same_err 'pbcat: bad: not a profile.proto message: found text'
    expect 5 pbcat --digest -k one.pb bad two.pb
    same "$digest  one.pb
$digest  two.pb"
    same_err 'pbcat: bad: not a profile.proto message: found text'
    expect 3 pbcat --digest -k bad
    same ''
    tar -cf empty.tar --files-from=/dev/null
    expect 3 pbcat --digest empty.tar
    same_err 'pbcat: no profile in the input'
}

@test "values that do not add up are an error that names the input" {
    encode >sum.pb <<'END'
string_table: ["", "n", "count"]
sample_type { type: 1 unit: 2 }
location { id: 1 address: 1 }
sample { location_id: 1 value: 9223372036854775807 }
sample { location_id: 1 value: 1 }
END
    expect 3 pbcat --digest sum.pb
    same ''
    same_err 'pbcat: sum.pb: ' ...
}

@test "with reports, filters and bases it makes no sense" {
    two_ways
    expect 2 pbcat --digest --text one.pb
    same_err 'pbcat: --digest cannot be combined with --text'
    expect 2 pbcat --flame=svg --digest one.pb
    same_err 'pbcat: --digest cannot be combined with --flame=svg'
    for option in --focus=f --tagshow=x --base=two.pb; do
        expect 2 pbcat --digest "$option" one.pb
        same ''
        same_err 'pbcat: --digest cannot be combined with filters, --base or --fail-empty'
    done
}

@test "the list goes to a file that is replaced if it has changed" {
    two_ways
    pbcat --digest -o list one.pb
    [ "$(cat list)" = "$(hash_of_merged one.pb)  one.pb" ]
    touch -d 2020-01-01 list
    pbcat --digest --if-changed -o list one.pb
    [ "$(date -r list +%Y)" = 2020 ]
}
