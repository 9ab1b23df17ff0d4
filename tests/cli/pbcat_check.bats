# pbcat --check: every rule, and what pprof makes of profiles that break it

load helper

setup() {
    setup_scratch
    # shellcheck source=tests/cli/broken.bash
    . "$ROOT/tests/cli/broken.bash"
}

# SEVERITY RULE of each finding in a report.
findings() {
    sed -n 's/^[^:]*: \([a-z]*\): .*\[\([a-z0-9-]*\)\]$/\1 \2/p'
}

status_of() { # SEVERITY
    case $1 in
    error | warning) echo 1 ;;
    *) echo 0 ;;
    esac
}

@test "a sound profile" {
    broken_sound_message >sound.pb
    expect 0 pbcat --check sound.pb
    same_said 'sound.pb: 0 errors, 0 warnings'
    same_err ''
    expect 0 pbcat --check -q sound.pb
    same ''
    # All fields are looked at in it: the reports know what pprof knows.
    expect 0 pprof_totals sound.pb
    same 'cpu/nanoseconds 42'
}

@test "each rule is broken by itself, and shows in the status" {
    broken_rules >rules
    while read -r rule severity _; do
        broken "$rule" >"$rule.pb"
        expect "$(status_of "$severity")" pbcat --check "$rule.pb"
        [ "$(findings <<<"$output")" = "$severity $rule" ] || {
            printf '%s: %s\n' "$rule" "$output"
            return 1
        }
    done <rules
    [ "$(ls ./*.pb | wc -l)" = 40 ]
}

@test "pprof refuses what is an error, and reads all else" {
    broken_sound_message >sound.pb
    expect 0 go_pprof -raw sound.pb
    # Since 2023 pprof wants sample types to have names of their own.
    broken_rules >rules
    [ "$(go_minor)" -lt 22 ] ||
        sed -i '/^duplicate-sample-type /s/reads$/refuses/' rules
    while read -r rule severity pprof; do
        broken "$rule" >"$rule.pb"
        verdict=reads
        go_pprof -raw "$rule.pb" >/dev/null 2>&1 </dev/null || verdict=refuses
        [ "$verdict" = "$pprof" ] || { echo "$rule: $verdict"; false; }
        # Readers of our own refuse what pprof misreads.
        case $severity/$pprof in
        error/reads) expect 3 pbcat "$rule.pb" ;;
        error/refuses) ;;
        */reads | warning/refuses) expect 0 pbmerge -q -o out.pb.gz "$rule.pb" ;;
        *) false ;;
        esac
    done <rules
}

@test "the manual has every rule, with its severity" {
    { broken_rules && echo 'concatenated warning'; } | cut -d' ' -f1,2 | sort >rules
    awk '/^\.S[hs]/ { severity = "" }
        /^\.Ss Errors/ { severity = "error" }
        /^\.Ss Warnings/ { severity = "warning" }
        severity && /^\.It Cm/ { print $3, severity }' \
        "$ROOT/man/profutils-formats.5" |
        sort >manual
    diff -u rules manual
    # And so do the rules themselves.
    perl -0ne 'print "$1\n" while /\[RULE_\w+\]\s*=\s*\{"([a-z0-9-]+)"/g' \
        "$ROOT/lib/profile/check/rules.c" | sort | diff -u <(cut -d' ' -f1 rules) -
}

# What is missing is said once: what refers to it is counted.
@test "a message that is cut, or has no strings" {
    fixture cpu.pb.gz
    raw cpu.pb.gz >whole.pb
    size=$(stat -c %s whole.pb)
    for part in 1 2 3; do
        head -c $((size * part / 4 - 1)) whole.pb >cut.pb
        for all in '' =all; do
            expect 1 pbcat --check$all cut.pb
            [[ ${lines[0]} = *'[truncated]' ]]
            for rule in string-index dangling-{location,function,mapping}; do
                [ "$(grep -v ': and [0-9]* more' <<<"$output" |
                    grep -c "$rule")" -le 1 ]
            done
            run ! grep -E 'unnamed|unit-missing' <<<"$output"
        done
        # All are counted.
        expect 1 pbcat --check --json cut.pb
        jq -e '.profiles[0] | .errors == ([.rules[] |
            select(.severity == "error") | .count] | add)' <<<"$output"
    done
    # No reader takes a message without a string table.
    broken_sound | sed '/^string_table/d' | encode >none.pb
    printf '\n\0' >types.pb
    for file in none types; do
        expect 1 pbcat --check $file.pb
        [ "$(grep -c string-zero <<<"$output")" = 1 ]
        [ "$(grep -c string-index <<<"$output")" -le 2 ]
        expect 3 pbmerge -o out.pb $file.pb
        same_err "pbmerge: $file.pb: no string table"
        run go_pprof -raw $file.pb
        [ "$status" != 0 ]
    done
    # Without samples and with an empty string it is a profile.
    printf '\n\0\062\0' >types.pb
    expect 1 pbcat --check types.pb
    expect 0 pbmerge -o out.pb types.pb
    expect 0 go_pprof -raw types.pb
}

@test "texts that begin like a field of a profile" {
    for text in '2024-01-01 log' '\nan empty line' '"quoted"' '* list' '8 9' \
        'hello' '2a;b 1' 'a;b 1'; do
        printf '%b\n' "$text" >text
        expect 1 pbcat --check text
        [[ ${lines[0]} = 'text: error: file: not a profile.proto message: '* ]]
        [ "${#lines[@]}" = 2 ]
        expect 3 pbmerge -o out.pb text
        expect 3 pbfilter --repair -o out.pb text
        same_err ... 'cannot be repaired: found ' ...
    done
    expect 1 pbcat --check text
    [[ $output = *'found folded stacks; use folded2pb [not-a-'* ]]
}

@test "one message with many faults: all are told, with their places" {
    encode >odd.pb <<'END'
sample_type { type: 1 unit: 2 }
sample_type { type: 3 unit: 7 }
sample { location_id: 5 location_id: 8 value: 1 }
sample { location_id: 5 value: [1, 2] label { key: 3 str: 1 num: 2 } }
mapping { id: 1 memory_start: 4096 memory_limit: 8192 filename: 3 }
location { id: 5 mapping_id: 2 address: 1 line { function_id: 1 line: -1 } }
function { id: 1 name: 3 }
function { id: 1 name: 1 }
string_table: ""
string_table: "cpu"
string_table: "nanoseconds"
string_table: "\033[31m"
time_nanos: 1700000000000000000
END
    expect 1 pbcat --check odd.pb
    same_said 'odd.pb: error: offset 6: sample_type 1, unit: is string 7, but the string table has 4 strings [string-index]
odd.pb: error: offset 73: function 0 (id 1): has the same id as function 1 (1) [duplicate-id]
odd.pb: error: offset 50: location 0 (id 5), mapping_id: is 2, but no mapping has this id [dangling-mapping]
odd.pb: warning: offset 58: location 0 (id 5), line 0: line is negative: -1 [negative-line]
odd.pb: error: offset 12: sample 0, location_id 1: is 8, but no location has this id [dangling-location]
odd.pb: error: offset 12: sample 0: has 1 value, expected 2 [value-count]
odd.pb: warning: offset 30: sample 1, label 0: has a string and a number [label-both]
odd.pb: 5 errors, 2 warnings'
    expect 1 pbcat -q --check odd.pb
    [ "${#lines[@]}" = 8 ]
}

# Nothing is cut off here: the numbers of these fields are none.
@test "a field whose number is 0 or too large is no cut" {
    for field in '\0202\00\0377\01' '\0210\0200\0200\0200\0200\020\05'; do
        { broken_sound_message; printf '%b' "$field"; } >odd.pb
        expect 1 pbcat --check odd.pb
        [ "$(findings <<<"$output")" = 'error not-a-field' ]
    done
}

@test "a time that is there again, but for one of 0" {
    { printf '\110\00'; broken_sound_message; } >zero.pb
    expect 0 pbcat --check zero.pb
    same_said 'zero.pb: 0 errors, 0 warnings'
    go_pprof -raw zero.pb >raw
}

# An index that is not 0 of a string that is empty names nothing.
@test "flags are held against texts" {
    broken_sound | sed '/"kilobytes"/a string_table: ""
        s/filename: 5/filename: 12/' | encode >flags.pb
    expect 1 pbcat -q --check flags.pb
    [ "$(findings <<<"$output")" = 'warning flag-unfounded' ]
    [[ $output == *' mapping 0 (id 1), has_filenames: is set, but '* ]]
}

@test "names cannot disturb a terminal" {
    broken_sound | sed '/"kilobytes"/a string_table: "\\033[31m"
        s/^comment.*/&\ndefault_sample_type: 12/' | encode >$'a\nb.pb'
    expect 1 pbcat --check $'a\nb.pb'
    same_said 'a\x0ab.pb: warning: offset 245: profile, default_sample_type: is '\''\x1b[31m'\'', but no sample type has this name [default-sample-type]
a\x0ab.pb: 0 errors, 1 warning'
}

@test "nor can an expression that looks like the end of itself" {
    broken_sound | sed '/"kilobytes"/a string_table: "x'\'': \\033[31m\\nb.pb: ("
        s/^comment.*/&\ndrop_frames: 12/' | encode >drop.pb
    expect 1 pbcat --check drop.pb
    same_said "drop.pb: warning: offset 227: profile, drop_frames: is not a valid regular expression: unclosed '[' at offset 5 [frames-regexp]
drop.pb: 0 errors, 1 warning"
}

@test "the scheme of a URL may be in capitals" {
    for url in HTTPS://example.com/doc Http://localhost ftp://example.com //x; do
        broken_sound | sed "/\"kilobytes\"/a string_table: \"$url\"
            s/^comment.*/&\ndoc_url: 12/" | encode >url.pb
        case $url in
        [Hh]*) expect 0 pbcat --check url.pb ;;
        *) expect 1 pbcat --check url.pb ;;
        esac
    done
}

@test "what is unusual, but shown as it is, is no finding" {
    broken_sound_message >one.pb
    broken_sound | sed 's/prog"/other"/' | encode >other.pb
    # Programs at the same address.
    pbmerge -o sum.pb one.pb other.pb
    expect 0 pbcat --check sum.pb
    same_said 'sum.pb: 0 errors, 0 warnings'
    # A field of later versions; numbers with bytes to spare, or given twice.
    for bytes in '\0310\01\01' '\0140\0200\0255\0342\0204\00' \
        '\0140\0200\0255\0342\04'; do
        { broken_sound_message && printf '%b' "$bytes"; } >odd.pb
        expect 0 pbcat --check odd.pb
        same_said 'odd.pb: 0 errors, 0 warnings'
        expect 0 pbfilter --repair -o out odd.pb
        expect 0 pprof_totals out
        same 'cpu/nanoseconds 42'
    done
    # Strings, mappings, functions and locations that nothing uses; a sample of
    # nothing, two of the same, and a sample without stack; a label without text.
    broken_sound | sed 's/"kilobytes"/&\nstring_table: "left over"/
        s/^mapping.*/&\nmapping { id: 2 filename: 5 }/
        s/^function { id: 2.*/&\nfunction { id: 3 name: 4 }/
        s/^location { id: 2.*/&\nlocation { id: 3 mapping_id: 1 address: 5000 }/
        s/^sample .*value: 12.*/&\n&\nsample { value: 0 }/
        s/ str: 9//' | encode >odd.pb
    expect 0 pbcat --check odd.pb
    same_said 'odd.pb: 0 errors, 0 warnings'
}

# async-profiler has cpu/count where it is not asked for totals.
@test "samples of a time are counted, too" {
    broken_sound | sed '/"kilobytes"/a string_table: "count"
        s/^sample_type.*/sample_type { type: 1 unit: 12 }/' | encode >count.pb
    expect 0 pbcat --check count.pb
    same_said 'count.pb: 0 errors, 0 warnings'
}

@test "of each rule the first three, or all" {
    {
        broken_sound
        for _ in {1..25}; do echo 'sample { location_id: 9 value: 1 value: 2 }'; done
    } | encode >many.pb
    expect 1 pbcat -q --check many.pb
    [ "$(grep -c dangling-location <<<"$output")" = 4 ]
    [ "$(grep -c value-count <<<"$output")" = 4 ]
    [ "${lines[6]}" = 'many.pb: error: and 22 more [value-count]' ]
    [ "${lines[7]}" = 'many.pb: error: and 22 more [dangling-location]' ]
    [ "${lines[8]}" = 'many.pb: 50 errors, 0 warnings' ]
    # JSON has ten, and counts all.
    expect 1 pbcat -q --check --json many.pb
    jq -e '.profiles[0] | (.findings | length == 20) and
        ([.rules[] | select(.severity == "error") | .count] == [25, 25])' \
        <<<"$output"
    expect 1 pbcat -q --check=all many.pb
    [ "$(grep -c dangling-location <<<"$output")" = 25 ]
    [ "${#lines[@]}" = 51 ]
}

# 20,000 names, as a merge may come to; PCRE2 does not compile so much.
@test "drop_frames that are only large are expressions" {
    {
        broken_sound
        perl -e 'print "string_table: \"", join("|", map "name$_", 1 .. 20000),
            "\" drop_frames: 12\n"'
    } | encode >large.pb
    expect 0 pbcat --check large.pb
    same_said 'large.pb: 0 errors, 0 warnings'
    go_pprof -raw large.pb >raw
    # Nor are they left out when something else is repaired.
    { cat large.pb; printf '\022\05\012\01'; } >cut.pb
    expect 0 pbfilter --repair -o out cut.pb
    [[ $stderr != *frames-regexp* ]]
    expect 0 pbcat --json out
    [ "$(jq -r .drop_frames <<<"$output" | tr '|' '\n' | wc -l)" = 20000 ]
}

fits() {
    jq -n --slurpfile schema "$ROOT/man/pbcat.check.schema.json" \
        -f "$ROOT/tests/cli/schema.jq" "$1" >misfits
    diff -u /dev/null misfits
}

@test "JSON fits its schema and says what the text says" {
    broken_rules >rules
    mkdir all
    while read -r rule _; do broken "$rule" >"all/$rule.pb"; done <rules
    expect 1 pbcat --check --json all/*.pb
    printf '%s\n' "$output" >all.json
    fits all.json
    jq -r '.profiles[] | select(.rules | length == 1) | .findings[0] as $f |
        select(.name == "all/" + $f.rule + ".pb" and .rules[0].rule == $f.rule)
        | $f.rule + " " + $f.severity' all.json >found
    diff -u <(cut -d' ' -f1,2 rules | sort) <(sort found)
    jq -e '[.profiles[].errors] | add == 19' all.json
    jq -e '.errors == 19 and .warnings == 21' all.json
    cp all/* .
    expect 1 pbcat --json --check value-count.pb
    same '{"profiles":[
{"name":"value-count.pb","findings":[
{"rule":"value-count","severity":"error","entity":"sample","index":1,"id":null,"part":null,"part_index":null,"field":null,"offset":21,"text":"has 2 values, expected 1"}],"rules":[
{"rule":"value-count","severity":"error","count":1,"sentence":"A sample has one value for each sample type."}],"errors":1,"warnings":0}],"errors":1,"warnings":0}'
    expect 1 pbcat --json --check dangling-function.pb
    [ "$(jq -c '.profiles[0].findings[0] | [.entity, .index, .id, .part, .part_index, .field, .offset]' <<<"$output")" = \
        '["location",1,"2","line",1,"function_id",87]' ]
}

@test "a name that JSON does not have is told of" {
    broken_sound_message >sound.pb
    cp sound.pb $'\xff.pb'
    expect 0 pbcat --check --json sound.pb
    [ -z "$stderr" ]
    expect 0 pbcat --check --json sound.pb $'\xff.pb'
    [ "$(jq -r '.profiles[1].name' <<<"$output")" = $'\xef\xbf\xbd.pb' ]
    same_err 'pbcat: warning: invalid UTF-8 in names replaced with U+FFFD (1 byte)'
}

@test "every operand, member and entry by itself" {
    broken_sound_message >sound.pb
    broken value-count >bad.pb
    broken label-both >odd.pb
    tar -cf all.tar sound.pb bad.pb
    cat <(gzip -c odd.pb) <(gzip -c sound.pb) >two.pb.gz
    expect 1 pbcat --check all.tar two.pb.gz - <sound.pb
    same_said 'all.tar(sound.pb): 0 errors, 0 warnings
all.tar(bad.pb): error: offset 21: sample 1: has 2 values, expected 1 [value-count]
all.tar(bad.pb): 1 error, 0 warnings
two.pb.gz(member 1): warning: offset 15: sample 0, label 0: has a string and a number [label-both]
two.pb.gz(member 1): 0 errors, 1 warning
two.pb.gz(member 2): 0 errors, 0 warnings
(standard input): 0 errors, 0 warnings
5 profiles: 1 error, 1 warning'
    expect 1 pbcat --check two.pb.gz
    expect 1 pbcat -q --check two.pb.gz sound.pb
    [ "${lines[2]}" = '3 profiles: 0 errors, 1 warning' ]
    expect 0 pbcat -q --check sound.pb sound.pb
    same ''
}

@test "a member in pieces is one message" {
    broken_sound_message >sound.pb
    cat <(head -c 100 sound.pb | gzip -c) <(tail -c +101 sound.pb | gzip -c) >p.gz
    expect 0 pbcat --check p.gz
    same_said 'p.gz: 0 errors, 0 warnings'
}

@test "damaged gzip data: what can be inflated is looked at" {
    { broken_sound; yes 'comment: 99' | head -n 100000; } | encode | gzip -n >c.gz
    size=$(stat -c %s c.gz)
    head -c $((size - 40)) c.gz >cut.gz
    expect 1 pbcat --check cut.gz
    [ "${lines[0]}" = "cut.gz: error: file: offset 0: unexpected end of gzip data after $((size - 40)) bytes [damaged]" ]
    [[ ${lines[1]} == *': profile: message ends inside a field; the last '*' bytes cannot be read [truncated]' ]]
    [[ ${lines[-1]} == 'cut.gz: 2 errors, '* ]]
    { cat c.gz; printf '\0\0\0'; } >zeros.gz
    expect 1 pbcat --check zeros.gz
    [ "${lines[0]}" = "zeros.gz: error: file: offset $size: 3 bytes of zeros after the gzip data [trailing-data]" ]
    # The limit is one all the same.
    expect 3 pbcat --check --max-size=1K c.gz
    same_err 'pbcat: c.gz: offset 0: decompressed size exceeds 1024 bytes (see --max-size)'
}

@test "several messages without anything between are suspected" {
    broken_sound_message >a.pb
    broken_sound | sed 's/value: 12/value: 13/' | encode >b.pb
    cat a.pb b.pb a.pb >three.pb
    expect 1 pbcat --check three.pb
    [ "$(findings <<<"$output" | sort -u)" = 'error duplicate-id
error repeated-time
error value-count
warning concatenated
warning duplicate-sample-type' ]
    [[ $output == *': string 12: second empty string, and IDs or times repeat (several uncompressed profiles concatenated?) [concatenated]'* ]]
    # An empty string alone is no reason to suspect it.
    broken_sound | sed '/"kilobytes"/a string_table: ""' | encode >empty.pb
    expect 0 pbcat --check empty.pb
    same_said 'empty.pb: 0 errors, 0 warnings'
}

@test "what is no profile" {
    fixture gmon.out cpu.prof
    expect 1 pbcat --check gmon.out cpu.prof
    same_said 'gmon.out: error: file: not a profile.proto message: found a gmon.out file; use gmon2pb [not-a-profile]
gmon.out: 1 error, 0 warnings
cpu.prof: error: file: not a profile.proto message: found a gperftools CPU profile; use prof2pb [not-a-profile]
cpu.prof: 1 error, 0 warnings
2 profiles: 2 errors, 0 warnings'
    expect 4 pbcat --check missing.pb
    same ''
    same_err 'pbcat: missing.pb: cannot open: No such file or directory'
    broken_sound_message >sound.pb
    expect 5 pbcat -k --check missing.pb sound.pb
    same_said 'sound.pb: 0 errors, 0 warnings'
    tar -cf empty.tar -T /dev/null
    expect 3 pbcat --check empty.tar
    same_err 'pbcat: no profile in the input'
}

@test "what does not go together with --check" {
    expect 2 pbcat --check --text x
    same_err 'pbcat: --check cannot be combined with --text'
    expect 2 pbcat --check --focus=x x
    same_err 'pbcat: --check cannot be combined with filters, --base or --fail-empty'
    expect 2 pbcat --check --base=x x
    expect 2 pbcat --check=some x
    same_err ... "invalid value 'some' for --check: expected all" ...
}

@test "profiles of real programs have no errors and no warnings" {
    fixtures
    expect 0 pbcat --check cpu.pb.gz heap.pb.gz old.pb.gz new.pb.gz profiles.tar.gz
    prof2pb -q cpu.prof -o prof.pb.gz
    gmon2pb -q -e a.out gmon.out -o gmon.pb.gz
    dcpi2pb -q dcpi.txt -o dcpi.pb.gz
    echo 'a;b 3' | folded2pb -o folded.pb.gz
    pbmerge -o all.pb.gz cpu.pb.gz cpu.pb.gz
    expect 0 pbcat --check prof.pb.gz gmon.pb.gz dcpi.pb.gz folded.pb.gz all.pb.gz
}

@test "the report goes where -o says" {
    broken_sound_message >sound.pb
    expect 0 pbcat --check -o report sound.pb
    same ''
    [ "$(cat report)" = 'sound.pb: 0 errors, 0 warnings' ]
}
