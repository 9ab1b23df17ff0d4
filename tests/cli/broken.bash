# broken.bash - profiles that break one rule each
#
#   broken RULE    a profile that breaks this rule and no other, to standard
#                  output
#   broken_rules   the names of these rules, one to a line, each with its
#                  severity and what `go tool pprof` does: refuses or reads
#
# `concatenated` is not among them: it is found where others are broken.
#
# They are made of a sound one, in text format: by sed, or by bytes put to the
# message behind protoc's back.

broken_sound() {
    cat <<'END'
sample_type { type: 1 unit: 2 }
sample { location_id: 1 location_id: 2 value: 30 label { key: 8 str: 9 } }
sample { location_id: 2 value: 12 label { key: 10 num: 5 num_unit: 11 } }
mapping { id: 1 memory_start: 4096 memory_limit: 8192 filename: 3 has_functions: true has_filenames: true has_line_numbers: true }
location { id: 1 mapping_id: 1 address: 4100 line { function_id: 1 line: 7 } }
location { id: 2 mapping_id: 1 address: 4200 line { function_id: 2 line: 20 } }
function { id: 1 name: 4 system_name: 4 filename: 5 start_line: 3 }
function { id: 2 name: 6 system_name: 6 filename: 5 start_line: 15 }
string_table: ""
string_table: "cpu"
string_table: "nanoseconds"
string_table: "/bin/prog"
string_table: "leaf"
string_table: "prog.c"
string_table: "main"
string_table: "made by hand"
string_table: "thread"
string_table: "worker"
string_table: "bytes"
string_table: "kilobytes"
time_nanos: 1700000000000000000
duration_nanos: 1000000000
period_type { type: 1 unit: 2 }
period: 10000000
comment: 7
END
}

# What sed does to it, by rule.
declare -gA BROKEN_TEXT=(
    [string-zero]='s/^string_table: ""$/string_table: "x"/'
    [string-index]='s/^comment: 7/comment: 7 comment: 99/'
    [no-sample-type]='/^sample_type/d'
    [unnamed-sample-type]='s/^sample_type.*/sample_type { unit: 2 }/'
    [duplicate-sample-type]='s/^sample_type.*/&\n&/
        s/value: \([0-9]*\)/value: \1 value: \1/'
    [default-sample-type]='s/^comment.*/&\ndefault_sample_type: 4/'
    [unit-missing]='s/^sample_type.*/sample_type { type: 1 }/'
    [unit-contradiction]='s/^sample_type.*/sample_type { type: 1 unit: 10 }/'
    [period-type-missing]='/^period_type/d'
    [negative-header]='s/^duration_nanos: /&-/'
    [frames-regexp]='s/"kilobytes"/&\nstring_table: "a(b"/
        s/^comment.*/&\ndrop_frames: 12/'
    [doc-url]='s/^comment.*/&\ndoc_url: 5/'
    [incomplete]='s/"kilobytes"/&\nstring_table: "incomplete: it was cut"/
        s/^comment.*/&\ncomment: 12/'
    [id-zero]='s/^mapping.*/mapping { filename: 5 }\n&/'
    [duplicate-id]='s/^function { id: 2.*/&\n&/'
    [mapping-range]='s/memory_start: 4096/memory_start: 9000/'
    [flag-unfounded]='s/^mapping.*/&\nmapping { id: 2 memory_start: 8192 memory_limit: 9000 filename: 5 has_functions: true }/
        s/^location { id: 2 mapping_id: 1 address: 4200 \(.*\)/&\nlocation { id: 3 mapping_id: 2 address: 8500 }/
        s/location_id: 1 location_id: 2/& location_id: 3/'
    [dangling-mapping]='s/mapping_id: 1 address: 4200/mapping_id: 9 address: 4200/'
    [dangling-function]='s/function_id: 2 line: 20/& } line { function_id: 9 line: 1/
        s/ has_line_numbers: true/& has_inline_frames: true/'
    [line-without-function]='s/function_id: 2 line: 20/& } line { line: 1/
        s/ has_line_numbers: true/& has_inline_frames: true/'
    [location-empty]='s/^location { id: 2.*/&\nlocation { id: 3 mapping_id: 1 }/
        s/location_id: 1 location_id: 2/& location_id: 3/'
    [address-outside-mapping]='s/address: 4200/address: 8192/'
    [negative-line]='s/line: 20/& column: -1/'
    [value-count]='s/value: 12/& value: 13/'
    [dangling-location]='s/location_id: 1 location_id: 2/& location_id: 9/'
    [sample-overflow]='s/^sample .*value: 12.*/sample { location_id: 2 value: 9223372036854775806 }\n&/
        s/value: 12 label .*/value: 3 }\nsample { location_id: 1 location_id: 2 value: -100 }/'
    [extreme-value]='s/value: 30/value: -1/; s/value: 12/value: 9223372036854775807/
        s/"thread"/"pprof::base"/'
    [sum-overflow]='s/value: 30/value: 9223372036854775806/'
    [label-key-empty]='s/key: 8 str: 9/str: 9/; s/^comment.*/& comment: 8/'
    [label-both]='s/str: 9/& num: 4/'
    [label-units-differ]='s/str: 9 }/& label { key: 10 num: 1 num_unit: 10 }/'
)

# Bytes, as printf %b takes them, behind the message, by rule.
declare -gA BROKEN_BYTES=(
    [truncated]='\022\05\012\01'
    [not-a-field]='\00\00'
    [wire-type]='\0162\01x'
    [repeated-time]='\0110\0200\0200\0250\0261\0343\0237\0347\0313\027'
)

broken_sound_message() {
    broken_sound | encode
}

broken() {
    case $1 in
    empty) ;;
    not-a-profile) printf 'No profile at all.\n' ;;
    damaged) broken_sound_message | gzip -n | head -c -9 ;;
    trailing-data) broken_sound_message | gzip -n && printf 'more' ;;
    string-utf8) broken_sound_message | LC_ALL=C sed 's/worker/work\xff\xfe/' ;;
    *)
        if [ -n "${BROKEN_BYTES[$1]-}" ]; then
            broken_sound_message && printf '%b' "${BROKEN_BYTES[$1]}"
        else
            broken_sound | sed "${BROKEN_TEXT[$1]}" | encode
        fi
        ;;
    esac
}

broken_rules() {
    cat <<'END'
empty error refuses
not-a-profile error refuses
damaged error refuses
trailing-data error refuses
truncated error refuses
not-a-field error reads
wire-type error refuses
repeated-time error refuses
string-zero error refuses
string-index error refuses
string-utf8 warning reads
no-sample-type error refuses
unnamed-sample-type warning reads
duplicate-sample-type warning reads
default-sample-type warning reads
unit-missing warning reads
unit-contradiction warning reads
period-type-missing warning reads
negative-header warning reads
frames-regexp warning reads
doc-url warning reads
incomplete warning reads
id-zero error refuses
duplicate-id error refuses
mapping-range warning reads
flag-unfounded warning reads
dangling-mapping error reads
dangling-function error refuses
line-without-function error refuses
location-empty warning reads
address-outside-mapping warning reads
negative-line warning reads
value-count error refuses
dangling-location error refuses
sample-overflow error reads
extreme-value warning reads
sum-overflow warning reads
label-key-empty warning reads
label-both warning reads
label-units-differ warning reads
END
}
