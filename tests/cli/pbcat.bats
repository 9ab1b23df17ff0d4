# pbcat: formats that pprof does not have, what is new in current versions of
# it, options, errors.  What both have is in pbcat_oracle.bats.

load helper

# The message that standard input is the text format of.
decode() {
    protoc --proto_path="$ROOT/lib/profile/wire" \
        --decode=perftools.profiles.Profile profile.proto
}

# small.pb: a bit of everything.  The texts expected of it below are those of
# google/pprof as of July 2026.
small() {
    encode >small.pb <<'END'
string_table: ["", "samples", "count", "cpu", "nanoseconds", "main", "leaf",
    "_Z4leafv", "/src/a/../main.c", "/opt/prog", "0123abcd", "a comment",
    "https://example.com/doc", "thread", "worker", "size", "bytes", "retries"]
sample_type { type: 1 unit: 2 }
sample_type { type: 3 unit: 4 }
default_sample_type: 3
period_type { type: 3 unit: 4 }
period: 10000000
time_nanos: 1700000000123456000
duration_nanos: 61500000000
comment: 11
doc_url: 12
mapping { id: 1 memory_start: 4194304 memory_limit: 4202496 file_offset: 4096
    filename: 9 build_id: 10 has_functions: true has_filenames: true
    has_line_numbers: true has_inline_frames: true }
function { id: 1 name: 5 system_name: 5 filename: 8 start_line: 3 }
function { id: 5 name: 6 system_name: 7 filename: 8 start_line: 20 }
location { id: 2 mapping_id: 1 address: 4194400
    line { function_id: 1 line: 10 column: 4 } }
location { id: 4000000000 mapping_id: 1 address: 4194500 is_folded: true
    line { function_id: 5 line: 21 column: 9 }
    line { function_id: 1 line: 12 column: 2 } }
location { id: 7 address: 77 }
sample { location_id: 4000000000 location_id: 2 value: 3 value: 30000000
    label { key: 13 str: 14 } label { key: 15 num: 4096 num_unit: 16 } }
sample { location_id: 2 value: 1 value: 10000000 label { key: 17 num: 3 } }
sample { location_id: 7 value: 1 value: 10000000 }
END
}

# A profile without functions or files: the value types and samples of
# standard input.
bare() {
    { echo 'string_table: ["", "n", "count", "m", "key", "unit"]'; cat; } |
        encode
}

header='File: prog
Build ID: 0123abcd
a comment
Type: cpu
Doc: https://example.com/doc
Time: 2023-11-14 22:13:20 UTC
Duration: 61.50s, Total samples = 50ms (0.081%)'

table="$header
Showing nodes accounting for 50ms, 100% of 50ms total
      flat  flat%   sum%        cum   cum%
      30ms 60.00% 60.00%       30ms 60.00%  leaf (inline)
      10ms 20.00% 80.00%       10ms 20.00%  <unknown>
      10ms 20.00%   100%       40ms 80.00%  main"

# --- what to print

@test "a table is the default, --text and --top" {
    small
    for option in '' --text --top; do
        # shellcheck disable=SC2086 # no option, or one
        expect 0 pbcat $option small.pb
        same "$table"
    done
}

@test "input is a file, standard input, compressed, or several" {
    small
    for command in 'pbcat <small.pb' 'pbcat - <small.pb' 'cat small.pb | pbcat' \
        'gzip -c small.pb | pbcat' 'zstd -qc small.pb | pbcat -'; do
        expect 0 bash -c "$command"
        same "$table"
    done
    expect 0 pbcat --comments small.pb small.pb
    same 'a comment'
    expect 0 bash -c 'pbcat --folded small.pb small.pb small.pb | grep "^main "'
    same 'main 30000000'
}

@test "lines and their columns" {
    small
    expect 0 pbcat --lines --showcolumns small.pb
    same "$header
Showing nodes accounting for 50ms, 100% of 50ms total
      flat  flat%   sum%        cum   cum%
      30ms 60.00% 60.00%       30ms 60.00%  leaf /src/main.c:21:9 (inline)
      10ms 20.00% 80.00%       10ms 20.00%  <unknown>
      10ms 20.00%   100%       40ms 80.00%  main /src/main.c:10:4
         0     0%   100%       30ms 60.00%  main /src/main.c:12:2"
    expect 0 bash -c 'pbcat --granularity=lines small.pb | grep leaf'
    same '      30ms 60.00% 60.00%       30ms 60.00%  leaf /src/main.c:21 (inline)'
}

# main of two programs, which call write of libc, inlined in a; write calls
# sys_write of the kernel and a module; a label; a frame without a mapping.
two_programs() {
    encode >two.pb <<'END'
string_table: ["", "cpu", "nanoseconds", "main", "write", "sys_write", "xfs",
    "/bin/a", "/opt/b", "/lib/libc.so.6", "[kernel.kallsyms]_text", "[xfs]",
    "a.c", "stray", "inner"]
sample_type { type: 1 unit: 2 }
mapping { id: 1 memory_start: 0x1000 memory_limit: 0x2000 filename: 7 }
mapping { id: 2 memory_start: 0x3000 memory_limit: 0x4000 filename: 8 }
mapping { id: 3 memory_start: 0x5000 memory_limit: 0x6000 filename: 9 }
mapping { id: 4 memory_start: 0x7000 memory_limit: 0x8000 filename: 10 }
mapping { id: 5 memory_start: 0x8000 memory_limit: 0x9000 filename: 11 }
function { id: 1 name: 3 filename: 12 }
function { id: 2 name: 4 }
function { id: 3 name: 5 }
function { id: 4 name: 6 }
function { id: 5 name: 13 }
function { id: 6 name: 14 filename: 12 }
location { id: 1 mapping_id: 1 address: 0x1010
    line { function_id: 6 line: 7 } line { function_id: 1 line: 3 } }
location { id: 2 mapping_id: 2 address: 0x3010 line { function_id: 1 line: 3 } }
location { id: 3 mapping_id: 3 address: 0x5010 line { function_id: 2 } }
location { id: 4 mapping_id: 4 address: 0x7010 line { function_id: 3 } }
location { id: 5 mapping_id: 5 address: 0x8010 line { function_id: 4 } }
location { id: 6 address: 0x9010 line { function_id: 5 } }
location { id: 7 mapping_id: 2 address: 0x3020 }
sample { location_id: 1 value: 1000 }
sample { location_id: 2 value: 2000 }
sample { location_id: 3 location_id: 1 value: 4000 }
sample { location_id: 4 location_id: 3 location_id: 2 value: 8000 }
sample { location_id: 5 location_id: 4 location_id: 3 location_id: 2 value: 16000 }
sample { location_id: 6 value: 32000 }
sample { location_id: 7 value: 64000 }
END
}

@test "--mappings: rows of functions by binary, and of the kernel" {
    two_programs
    expect 0 pbcat --mappings --no-trim --compact-labels two.pb
    same 'Showing nodes accounting for 127us, 100% of 127us total
      flat  flat%   sum%        cum   cum%
      64us 50.39% 50.39%       64us 50.39%  [b]
      32us 25.20% 75.59%       32us 25.20%  stray
      16us 12.60% 88.19%       16us 12.60%  xfs [k] [xfs]
       8us  6.30% 94.49%       24us 18.90%  sys_write [k] [kernel.kallsyms]
       4us  3.15% 97.64%       28us 22.05%  write [.] libc.so.6
       2us  1.57% 99.21%       26us 20.47%  main [.] b
       1us  0.79%   100%        5us  3.94%  inner [.] a (inline)
         0     0%   100%        5us  3.94%  main [.] a'
    expect 0 pbcat --mappings --format=csv two.pb
    [ "${lines[4]}" = 'node,,sys_write [k] [kernel.kallsyms],8000,6.2992,24000,18.8976,nanoseconds,' ]
    # Filters see plain names, --peek those of the table.
    expect 0 pbcat --mappings --focus='^main$' --compact-labels \
        --peek='^main \[\.\] b$' two.pb
    [[ $output = *'| main [.] b'* && $output != *'| main [.] a'* ]]
    expect 0 pbcat --mappings --folded --focus=main two.pb
    same 'main [.] a;inner [.] a 1000
main [.] a;inner [.] a;write [.] libc.so.6 4000
main [.] b 2000
main [.] b;write [.] libc.so.6;sys_write [k] [kernel.kallsyms] 8000
main [.] b;write [.] libc.so.6;sys_write [k] [kernel.kallsyms];xfs [k] [xfs] 16000'
    # Below the level of functions the name is followed by its place.
    expect 0 pbcat --mappings --lines --focus=inner -n 1 --compact-labels two.pb
    [[ $output = *'  write [.] libc.so.6' ]]
    expect 0 bash -c 'pbcat --mappings --lines two.pb | grep inner'
    [[ $output = *'  inner [.] a a.c:7 (inline)' ]]
    # Rows of files and binaries have no functions.
    for level in files binaries; do
        pbcat --granularity=$level --no-trim two.pb >plain
        pbcat --granularity=$level --no-trim --mappings two.pb | cmp - plain
    done
}

# Three types: hot has 2 instructions per cycle, cold 0.25, idle no cycles.
counted() {
    encode >counted.pb <<'END'
string_table: ["", "cycles_event", "count", "instructions_event", "alloc",
    "bytes", "hot", "cold", "idle"]
sample_type { type: 1 unit: 2 }
sample_type { type: 3 unit: 2 }
sample_type { type: 4 unit: 5 }
function { id: 1 name: 6 }
function { id: 2 name: 7 }
function { id: 3 name: 8 }
location { id: 1 line { function_id: 1 } }
location { id: 2 line { function_id: 2 } }
location { id: 3 line { function_id: 3 } }
sample { location_id: 1 location_id: 3 value: 600 value: 1200 value: 3072 }
sample { location_id: 2 location_id: 1 value: 400 value: 100 value: 0 }
sample { location_id: 3 value: 0 value: 700 value: 1024 }
END
}

@test "--ratio: columns of other sample types" {
    counted
    local options='--sample-index=cycles_event --ratio=instructions_event'
    # shellcheck disable=SC2086 # two options
    expect 0 pbcat $options --ratio=alloc --compact-labels counted.pb
    same 'Showing nodes accounting for 1000, 100% of 1000 total
      flat  flat%   sum%        cum   cum%      instructions  share      ratio             alloc  share      ratio
       600 60.00% 60.00%       1000   100%              1200 60.00%          2               3kB 75.00%       5.12  hot
       400 40.00%   100%        400 40.00%               100  5.00%       0.25                 0     0%          0  cold
         0     0%   100%        600 60.00%               700 35.00%          -               1kB 25.00%          -  idle'
    # shellcheck disable=SC2086
    expect 0 pbcat $options --cum --format=csv counted.pb
    same 'kind,of,name,flat,flat_percent,cum,cum_percent,unit,inlined,instructions_event/count,instructions_event/ratio
node,,hot,600,60.0000,1000,100.0000,count,,1300,1.3
node,,idle,0,0.0000,600,60.0000,count,,1900,3.166666667
node,,cold,400,40.0000,400,40.0000,count,,100,0.25'
    # shellcheck disable=SC2086
    pbcat $options --ratio=2 --unit=kB --format=json counted.pb >rows.json
    expect 0 jq -c '.rows[] | [.name, ."instructions_event/ratio", ."alloc/kB"]' rows.json
    same '["hot",2,3]
["cold",0.25,0]
["idle",null,1]'
    # shellcheck disable=SC2086
    expect 0 pbcat $options --format=markdown -n 1 counted.pb
    [ "${lines[1]}" = '| --- | --- | --- | ---: | ---: | ---: | ---: | --- | --- | ---: | ---: |' ]
    # Shares are of all samples, or of those that filters keep.
    # shellcheck disable=SC2086
    expect 0 pbcat $options --focus=cold -n 1 --format=tsv counted.pb
    [ "${lines[1]}" = $'node\t\tcold\t400\t40.0000\t400\t40.0000\tcount\t\t100\t0.25' ]
    for share in '' --relative-percentages; do
        # shellcheck disable=SC2086
        pbcat $options $share --focus=cold -n 1 --compact-labels counted.pb | tail -1
    done >shares
    expect 0 cat shares
    same '       400 40.00% 40.00%        400 40.00%               100  5.00%       0.25  cold
       400   100%   100%        400   100%               100   100%       0.25  cold'
    # Functions without cycles follow, first those with the most instructions.
    encode >cycles.pb <<'END'
string_table: ["", "cycles_event", "count", "instructions_event", "alloc",
    "bytes", "hot", "wait", "new", "call", "rare"]
sample_type { type: 1 unit: 2 }
sample_type { type: 3 unit: 2 }
sample_type { type: 4 unit: 5 }
function { id: 1 name: 6 }
function { id: 2 name: 7 }
function { id: 3 name: 8 }
function { id: 4 name: 9 }
function { id: 5 name: 10 }
location { id: 1 line { function_id: 1 } }
location { id: 2 line { function_id: 2 } }
location { id: 3 line { function_id: 3 } }
location { id: 4 line { function_id: 4 } }
location { id: 5 line { function_id: 5 } }
sample { location_id: 1 value: 500 value: 1000 value: 0 }
sample { location_id: 2 location_id: 4 value: 0 value: 300 value: 0 }
sample { location_id: 3 location_id: 4 value: 0 value: 0 value: 2048 }
sample { location_id: 5 value: 0 value: 1 value: 0 }
END
    # shellcheck disable=SC2086
    expect 0 pbcat $options --ratio=alloc --compact-labels cycles.pb
    same 'Showing nodes accounting for 500, 100% of 500 total
      flat  flat%   sum%        cum   cum%      instructions  share      ratio             alloc  share      ratio
       500   100%   100%        500   100%              1000 76.86%          2                 0     0%          0  hot
         0     0%   100%          0     0%               300 23.06%          -                 0     0%          -  wait
         0     0%   100%          0     0%                 0     0%          -                 0     0%          -  call
         0     0%   100%          0     0%                 0     0%          -               2kB   100%          -  new'
    # shellcheck disable=SC2086
    expect 0 pbcat $options --no-trim --cum --format=csv cycles.pb
    same 'kind,of,name,flat,flat_percent,cum,cum_percent,unit,inlined,instructions_event/count,instructions_event/ratio
node,,hot,500,100.0000,500,100.0000,count,,1000,2
node,,call,0,0.0000,0,0.0000,count,,300,
node,,wait,0,0.0000,0,0.0000,count,,300,
node,,rare,0,0.0000,0,0.0000,count,,1,'
    # shellcheck disable=SC2086
    expect 0 pbcat $options -n 2 --ratio=alloc cycles.pb
    [[ $output = *$'\nShowing top 2 nodes out of 4\n'*wait ]]
    # On a terminal, only the name is cut.
    # shellcheck disable=SC2086
    expect 0 pbcat $options --color=always counted.pb
    [[ $output = *cold* ]]
    for options in '--sample-index=alloc --ratio=alloc' \
        '--sample-index=0 --ratio=2 --ratio=alloc'; do
        # shellcheck disable=SC2086 # two words
        expect 2 pbcat $options counted.pb
        same_err ... '--ratio=alloc: this sample type is already shown' ...
    done
    expect 2 pbcat --ratio=instructions counted.pb
    same_err "pbcat: counted.pb: no sample type 'instructions': expected one of: cycles_event instructions_event alloc"
}

@test "traces" {
    small
    expect 0 pbcat --traces small.pb
    same "$header
-----------+-------------------------------------------------------
    thread:  worker
      size:  4kB
      30ms   leaf (inline)
             main
             main
-----------+-------------------------------------------------------
   retries:  3
      10ms   main
-----------+-------------------------------------------------------
      10ms   <unknown>
-----------+-------------------------------------------------------"
}

raw_head='Comment: a comment
Doc: https://example.com/doc
PeriodType: cpu nanoseconds
Period: 10000000
Time: 2023-11-14 22:13:20.123456 +0000 UTC
Duration: 1m1.
Samples:
samples/count cpu/nanoseconds[dflt]
          3   30000000: 4000000000 2 
                thread:[worker]
                size:[4096 bytes]
          1   10000000: 2 
                retries:[3]
          1   10000000: 7 
Locations
     2: 0x400060 M=1 main /src/a/../main.c:10'

@test "raw" {
    small
    expect 0 pbcat --raw small.pb
    same "$raw_head:4 s=3
4000000000: 0x4000c4 M=1 [F] leaf /src/a/../main.c:21:9 s=20(_Z4leafv)
             main /src/a/../main.c:12:2 s=3
     7: 0x4d 
Mappings
1: 0x400000/0x402000/0x1000 /opt/prog 0123abcd [FN][FL][LN][IN]"
}

@test "raw is down to addresses, but may be without inlined functions" {
    small
    expect 0 pbcat --raw --noinlines --functions small.pb
    same "$raw_head:0 s=3
4000000000: 0x4000c4 M=1 [F] main /src/a/../main.c:12:0 s=3
     7: 0x4d 
Mappings
1: 0x400000/0x402000/0x1000 /opt/prog 0123abcd [FN][FL][LN]"
}

@test "the time zone is that of the environment" {
    small
    export TZ=EST5EDT
    expect 0 bash -c 'pbcat small.pb | grep Time; pbcat --raw small.pb | grep Time'
    same 'Time: 2023-11-14 17:13:20 EST
Time: 2023-11-14 17:13:20.123456 -0500 EST'
}

@test "comments, those for programs too" {
    encode >a.pb <<'END'
string_table: ["", "b", "# a", "n", "count"]
sample_type { type: 3 unit: 4 }
comment: 1 comment: 2 comment: 1
END
    expect 0 pbcat --comments a.pb
    same 'b
# a
b'
    expect 0 pbcat a.pb
    same 'b
b
Type: n
Showing nodes accounting for 0, 0% of 0 total
      flat  flat%   sum%        cum   cum%'
}

# --- folded

@test "folded stacks" {
    small
    expect 0 pbcat --folded small.pb
    same '<unknown> 10000000
main 10000000
main;main;leaf 30000000'
    expect 0 pbcat --folded --sample-index=samples --lines --noinlines small.pb
    same '/src/main.c main 0' || true
    same '<unknown> 1
main /src/main.c:10 1
main /src/main.c:10;main /src/main.c:12 3'
}

@test "folded: equal stacks are one line, those of 0 none" {
    bare >a.pb <<'END'
sample_type { type: 1 unit: 2 }
location { id: 1 address: 1 } location { id: 2 address: 2 }
location { id: 3 address: 3 }
sample { location_id: [2, 1] value: 5 }
sample { location_id: [3, 1] value: 1 }
sample { location_id: [2, 1] value: 7 label { key: 4 str: 1 } }
sample { location_id: 1 value: -3 }
sample { location_id: 3 value: 9 }
sample { location_id: 3 value: -9 }
sample { value: 2 }
sample { value: 4 }
END
    expect 0 pbcat --folded --addresses a.pb
    same '<no stack> 6
0000000000000001 <unknown> -3
0000000000000001 <unknown>;0000000000000002 <unknown> 12
0000000000000001 <unknown>;0000000000000003 <unknown> 1'
    # Without addresses all are one place, and stacks equal that were not.
    expect 0 pbcat --folded a.pb
    same '<no stack> 6
<unknown> -3
<unknown>;<unknown> 13'
}

@test "folded: no samples, no lines" {
    bare >a.pb <<'END'
sample_type { type: 1 unit: 2 }
location { id: 1 address: 1 }
END
    expect 0 pbcat --folded a.pb
    same ''
}

@test "folded: names cannot break a line apart" {
    encode >a.pb <<'END'
string_table: ["", "n", "count", "[u8; 4]::f", "two\nlines\t", "[u8: 4]::f"]
sample_type { type: 1 unit: 2 }
function { id: 1 name: 3 } function { id: 2 name: 4 } function { id: 3 name: 5 }
location { id: 1 line { function_id: 1 } }
location { id: 2 line { function_id: 2 } }
location { id: 3 line { function_id: 3 } }
sample { location_id: [2, 1] value: 1 }
sample { location_id: [2, 3] value: 2 }
END
    expect 0 pbcat -v --folded a.pb
    same '[u8: 4]::f;two lines  3'
    same_err ... 'a.pb: note: semicolons and control characters in 2 names replaced with colons and spaces' ...
}

@test "folded: deep stacks, and all of the value" {
    {
        echo 'sample_type { type: 1 unit: 2 }'
        seq 30000 | sed 's/.*/location { id: & address: & }/'
        echo 'sample { value: 3'
        seq 30000 | sed 's/.*/location_id: &/'
        echo '}'
    } | bare >deep.pb
    expect 0 bash -c 'pbcat --folded --addresses deep.pb | tr ";" "\n" |
        sed -n "1p;\$p;\$="'
    same '0000000000007530 <unknown>
0000000000000001 <unknown> 3
30000'
    fixture cpu.pb.gz
    pbcat --folded cpu.pb.gz >folded
    total=$(awk '{ sum += $NF } END { printf "%.0f", sum }' folded)
    [ "cpu/nanoseconds $total" = "$(pprof_totals cpu.pb.gz | grep ^cpu)" ]
    [ -z "$(sed 's/ [0-9]*$//' folded | sort | uniq -d)" ]
}

# --- textproto: the oracle is protoc

@test "textproto is what protoc --decode prints" {
    small
    fixture cpu.pb.gz heap.pb.gz
    cp small.pb a.pb
    for file in small.pb cpu.pb.gz heap.pb.gz; do
        gzip -dcf "$file" | decode >theirs
        pbcat --textproto "$file" >ours
        cmp theirs ours
    done
    [ -s ours ]
}

@test "textproto of what the wire format allows" {
    # Fields out of order; location_id and value packed, not packed, both; a
    # period of 0 after another; a period_type in two pieces; escapes in a
    # string; unknown numbers of all types; a period of fixed width.
    {
        printf '\x32\x00\x32\x0ea"\x27\\\n\r\t\x00\x01\x7f\xc3\xa9?b'
        printf '\x12\x0b\x0a\x02\x01\x02\x08\x03\x12\x01\x04\x10\x05'
        printf '\x60\x07\x60\x00\x5a\x02\x08\x01\x5a\x02\x10\x02'
        printf '\x0a\x02\x08\x01\x12\x00'
        printf '\x1a\x15\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x38\x02\x10'
        printf '\xff\xff\xff\xff\xff\xff\x7f'
        printf '\x48\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01'
        printf '\xf8\x01\x05\xf2\x01\x03abc\xed\x01\x01\x02\x03\x04'
        printf '\xe1\x01\x01\x02\x03\x04\x05\x06\x07\x08'
        printf '\x61\x01\x02\x03\x04\x05\x06\x07\x08'
    } >odd.pb
    decode <odd.pb >theirs
    pbcat --textproto odd.pb >ours
    diff -u theirs ours
    # In two members of one gzip file it is the same message.
    { head -c 60 odd.pb | gzip; tail -c +61 odd.pb | gzip; } >odd.gz
    pbcat --textproto odd.gz >ours
    cmp theirs ours
}

@test "textproto can be encoded again, byte for byte" {
    fixture heap.pb.gz
    pbcat --textproto heap.pb.gz | encode >first
    pbcat --textproto first | encode >second
    cmp first second
    expect 0 bash -c 'pbcat first >first.txt; pbcat heap.pb.gz | cmp first.txt'
}

@test "textproto needs no sound profile, but one" {
    printf '\x12\x02\x08\x63' >dangling.pb
    expect 3 pbcat --raw dangling.pb
    same ''
    expect 0 pbcat --textproto dangling.pb
    same 'sample {
  location_id: 99
}'
    expect 2 pbcat --textproto dangling.pb dangling.pb
    same ''
    same_err 'pbcat: dangling.pb: --textproto shows a single profile; use pbmerge to combine several'
    printf '\x12\x05\x08\x63' >cut.pb
    expect 3 pbcat --textproto cut.pb
    same ''
    same_err 'pbcat: cut.pb: offset 1: ' ...
}

# --- JSON

# Fails unless it fits the schema.
fits() {
    jq -n --slurpfile schema "$ROOT/man/pbcat.schema.json" \
        -f "$ROOT/tests/cli/schema.jq" "$1" >misfits
    diff -u /dev/null misfits
}

@test "JSON of small.pb" {
    small
    expect 0 pbcat --json small.pb
    same '{"sample_type":[
{"type":"samples","unit":"count"},
{"type":"cpu","unit":"nanoseconds"}
],"sample":[
{"location":[1,0],"value":["3","30000000"],"label":[{"key":"thread","str":"worker"},{"key":"size","num":"4096","num_unit":"bytes"}]},
{"location":[0],"value":["1","10000000"],"label":[{"key":"retries","num":"3","num_unit":""}]},
{"location":[2],"value":["1","10000000"],"label":[]}
],"mapping":[
{"id":"1","memory_start":"4194304","memory_limit":"4202496","file_offset":"4096","filename":"/opt/prog","build_id":"0123abcd","has_functions":true,"has_filenames":true,"has_line_numbers":true,"has_inline_frames":true}
],"location":[
{"id":"2","mapping":0,"address":"4194400","line":[{"function":0,"line":"10","column":"4"}],"is_folded":false},
{"id":"4000000000","mapping":0,"address":"4194500","line":[{"function":1,"line":"21","column":"9"},{"function":0,"line":"12","column":"2"}],"is_folded":true},
{"id":"7","mapping":null,"address":"77","line":[],"is_folded":false}
],"function":[
{"id":"1","name":"main","system_name":"main","filename":"/src/a/../main.c","start_line":"3"},
{"id":"5","name":"leaf","system_name":"_Z4leafv","filename":"/src/a/../main.c","start_line":"20"}
],"drop_frames":"","keep_frames":"","time_nanos":"1700000000123456000","duration_nanos":"61500000000","period_type":{"type":"cpu","unit":"nanoseconds"},"period":"10000000","comment":[
"a comment"
],"default_sample_type":"cpu","doc_url":"https://example.com/doc"}'
}

@test "JSON fits the schema" {
    small
    fixture cpu.pb.gz heap.pb.gz cpu.prof prog
    bare </dev/null >empty.pb
    prof2pb -o gperftools.pb.gz cpu.prof
    for file in small.pb empty.pb cpu.pb.gz heap.pb.gz gperftools.pb.gz; do
        pbcat --json "$file" >json
        fits json
    done
    # What does not fit is seen.
    jq '.function[0].id = 1 | del(.period) | .more = 1' json >bad
    run ! fits bad
    [ "$(wc -l <misfits)" = 3 ]
}

@test "JSON keeps all of 64 bits" {
    bare >a.pb <<'END'
sample_type { type: 1 unit: 2 }
location { id: 18446744073709551615 address: 18446744073709551615 }
sample { location_id: 18446744073709551615 value: -9223372036854775808
    label { key: 4 num: 9007199254740993 num_unit: 5 } }
time_nanos: 9223372036854775807
END
    pbcat --json a.pb >json
    fits json
    expect 0 jq -r '.location[0].id, .location[0].address, .time_nanos,
        .sample[0].value[0], .sample[0].label[0].num' json
    same '18446744073709551615
18446744073709551615
9223372036854775807
-9223372036854775808
9007199254740993'
}

@test "JSON positions lead to what ids mean" {
    fixture cpu.pb.gz
    pbcat --json cpu.pb.gz >json
    # The leaf function of each sample, by way of JSON and of --traces.
    expect 0 jq -r '. as $p | .sample[].location[0]
        | $p.function[$p.location[.].line[0].function].name' json
    pbcat --traces cpu.pb.gz | sed 's/ (inline)$//' |
        awk '/^-----------\+/ { leaf = 1; next }
            leaf && !/:  / { print $2; leaf = 0 }' >leaves
    diff -u leaves - <<<"$output"
}

@test "JSON is UTF-8 whatever the names are" {
    # Comment 3 of: "", "n", "count", a e-acute and an emoji between controls
    # and bytes that are not UTF-8.
    {
        printf '\x0a\x04\x08\x01\x10\x02\x68\x03\x32\x00\x32\x01n\x32\x05count'
        printf '\x32\x13"\\\n\x01\x7f\xc2\x85\xc3\xa9\xf0\x9f\x94\xa5\xff\xc3b'
        printf '\xed\xa0\x80'
    } >a.pb
    expect 0 pbcat --json a.pb
    [[ $output == *$'"comment":[\n"\\"\\\\\\n\\u0001\\u007f\\u0085\xc3\xa9\xf0\x9f\x94\xa5\xef\xbf\xbd\xef\xbf\xbdb\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"\n]'* ]]
    same_err 'pbcat: a.pb: warning: invalid UTF-8 in names replaced with U+FFFD (5 bytes; --textproto shows the original bytes)'
    iconv -f UTF-8 -t UTF-8 <<<"$output" | jq -e '.comment | length == 1'
    expect 0 bash -c 'pbcat --textproto a.pb | tail -n 3'
    [[ $output == *'\377\303b\355\240\200"'* ]]
}

# --- options

@test "pprof's spellings" {
    small
    expect 0 pbcat --sample_index=0 --divide_by=0.5 --drop_negative \
        --trim=false --nodecount=-1 --filefunctions small.pb
    spelled=$output
    expect 0 pbcat --sample-index=samples --divide-by=0.5 --drop-negative \
        --no-trim -n 0 --granularity=filefunctions small.pb
    same "$spelled"
    [[ $spelled == *'
         6 60.00% 60.00%          6 60.00%  leaf /src/main.c (inline)
'* ]]
}

@test "the last of several choices counts" {
    small
    expect 0 pbcat --cum --no-trim --lines --flat --trim --functions small.pb
    same "$table"
}

@test "options that make no sense" {
    small
    while IFS='|' read -r options text; do
        # shellcheck disable=SC2086 # several words
        expect 2 pbcat $options small.pb
        same ''
        same_err "pbcat: $text"
    done <<'END'
--text --raw|--text cannot be combined with --raw
--flame --flame=svg|--flame cannot be combined with --flame=svg
--text=classic --top|--text=classic cannot be combined with --text
--nodefraction=1.5|invalid value '1.5' for --nodefraction: expected a number from 0 to 1
--edgefraction=nan|invalid value 'nan' for --edgefraction: expected a number from 0 to 1
--divide-by=0|invalid value '0' for --divide-by: expected a number greater than 0
--divide-by=1x|invalid value '1x' for --divide-by: expected a number greater than 0
--nodecount=-2|invalid value '-2' for --nodecount: expected a non-negative integer
-n 1.5|invalid value '1.5' for --nodecount: expected a non-negative integer
--trim=maybe|invalid value 'maybe' for --trim: expected true or false
--granularity=file|invalid value 'file' for --granularity: expected addresses, lines, functions, filefunctions, files or binaries
--sample-index=wall|small.pb: no sample type 'wall': expected one of: samples cpu
--sample-index=2|small.pb: no sample type '2': expected 0 to 1
END
}

# A profile in which every option makes a difference where it can: leaf, most by
# flat value, is called on two paths and has an inlined call; tiny is less than
# a thousandth, and gone is negative.
telling() {
    encode >telling.pb <<'END'
string_table: ["", "cpu", "nanoseconds", "alloc", "bytes", "main", "left",
    "right", "leaf", "inner", "tiny", "gone", "/src/main.c", "req", "one", "two",
    "size", "timestamp_ns", "prog"]
sample_type { type: 3 unit: 4 }
sample_type { type: 1 unit: 2 }
default_sample_type: 1
time_nanos: 1700000000000000000
duration_nanos: 61500000000
mapping { id: 1 memory_limit: 100 filename: 18 }
function { id: 1 name: 5 filename: 12 }
function { id: 2 name: 6 filename: 12 }
function { id: 3 name: 7 filename: 12 }
function { id: 4 name: 8 filename: 12 }
function { id: 5 name: 9 filename: 12 }
function { id: 6 name: 10 filename: 12 }
function { id: 7 name: 11 filename: 12 }
location { id: 1 mapping_id: 1 address: 10
    line { function_id: 1 line: 10 column: 4 } }
location { id: 2 address: 20 line { function_id: 2 line: 20 column: 2 } }
location { id: 3 address: 30 line { function_id: 3 line: 30 column: 2 } }
location { id: 4 address: 40 line { function_id: 4 line: 40 column: 2 } }
location { id: 5 address: 50 line { function_id: 5 line: 50 column: 2 }
    line { function_id: 4 line: 42 column: 5 } }
location { id: 6 address: 60 line { function_id: 6 line: 60 column: 5 } }
location { id: 7 address: 70 line { function_id: 7 line: 70 column: 5 } }
sample { location_id: 4 location_id: 2 location_id: 1 value: 3 value: 40000000000
    label { key: 17 num: 1000000 } label { key: 13 str: 14 } label { key: 16 num: 8 } }
sample { location_id: 5 location_id: 2 location_id: 1 value: 2 value: 9000000000 }
sample { location_id: 4 location_id: 3 location_id: 1 value: 2 value: 30000000000
    label { key: 13 str: 15 } }
sample { location_id: 1 value: 7 value: 20000000
    label { key: 17 num: 5000000 } }
sample { location_id: 6 location_id: 1 value: 1 value: 30000000 }
sample { location_id: 7 location_id: 1 value: 1 value: -900000000 }
END
}

@test "options have an effect, or are said to have none" {
    telling
    local format option with name last
    # Formats that need sources or dot are tested where these are.
    for format in $(formats graphviz list disasm weblist top); do
        last=none
        while read -r option with; do
            name=${option%%=*}
            case $name in
            --focus) name='a filter' ;;
            esac
            # Filters are an error for this one.
            [[ $format != textproto || $option$with != *--[ft][oa][cg]* ]] ||
                continue
            # shellcheck disable=SC2086 # several words, or none
            [ "$with" = "$last" ] || pbcat -q --$format $with -o plain telling.pb
            last=$with
            # shellcheck disable=SC2086
            expect 0 pbcat --$format $with $option -o got telling.pb
            # The commands that it names have all options.
            [ "$format" != markdown ] || sed -i '/: `pbcat /d' plain got
            if cmp -s plain got; then
                same_err ... "pbcat: warning: $name has no effect on --${format%=.}" ...
            elif [[ $stderr = *"warning: $name has no effect"* ]]; then
                echo "$format $option: has an effect"
                return 1
            fi
        done <<'END'
--sample-index=alloc
--ratio=alloc
--mean
--divide-by=3
--unit=us
--nodecount=1
--nodefraction=0.5
--edgefraction=0.5
--cum
--drop-negative
--call-tree
--relative-percentages --focus=left
--lines
--showcolumns --lines
--mappings
--no-inlines
--trim-path=/src --lines
--tagshow=req
--focus=left
--executable=prog
--path=dir
--objdump=prog
--intel-syntax
END
    done
    for option in --check --digest; do
        expect 0 pbcat $option --cum --unit=s -n 3 telling.pb
        same_err "pbcat: warning: --unit has no effect on $option
pbcat: warning: --nodecount has no effect on $option
pbcat: warning: --cum has no effect on $option"
    done
    for format in list disasm weblist; do
        run -1 --separate-stderr pbcat --$format=nothing --cum telling.pb
        same_err "pbcat: warning: --cum has no effect on --$format" ...
    done
    expect 0 pbcat --svg --cum -o got telling.pb
    same_err 'pbcat: warning: --cum has no effect on --svg'
    expect 0 pbcat --showcolumns telling.pb
    same_err 'pbcat: warning: --showcolumns has no effect without --lines or --addresses'
    # What was asked for is done, or is the default.
    for format in raw proto callgrind; do
        expect 0 pbcat --$format --addresses --flat --no-trim \
            --compact-labels --all-frames -o got telling.pb
        [[ $stderr != *'no effect'* ]]
    done
    expect 0 pbcat --tags --mean telling.pb
    same_err 'pbcat: telling.pb: warning: --tags: --mean divides only the total (as in pprof); percentages are meaningless'
}

@test "of --tagroot, --unit has an effect on any format" {
    small
    expect 0 pbcat --folded --tagroot=size --unit=kb small.pb
    same_err ''
}

@test "the same format twice is once" {
    small
    expect 0 pbcat --top --text small.pb
    same "$table"
}

@test "a report goes to a file whole, or not at all" {
    small
    printf 'broken' >bad.pb
    expect 0 pbcat -o report small.pb
    same ''
    diff -u report - <<<"$table"
    expect 3 pbcat -o report --comments bad.pb
    expect 2 pbcat -o report --comments --sample-index=9 --text small.pb
    diff -u report - <<<"$table"
    expect 4 pbcat -o report missing.pb
    same_err 'pbcat: missing.pb: cannot open: No such file or directory'
    expect 3 pbcat bad.pb small.pb
    same ''
    expect 5 pbcat -k bad.pb small.pb
    same "$table"
}

@test "comments have no control characters, wherever they go" {
    {
        printf '\x0a\x04\x08\x01\x10\x02\x68\x03\x32\x00\x32\x01n\x32\x05count'
        printf '\x32\x0e\x1b[31mred\x9b\xc2\x9b\xc3\xa9\t'
    } >a.pb
    expect 0 bash -c 'script -qec "pbcat --comments a.pb" /dev/null </dev/null |
        tr -d "\r"'
    same $'\\x1b[31mred\\x9b\\xc2\\x9b\xc3\xa9\t'
    expect 0 bash -c 'script -qec "pbcat --comments a.pb -o plain" /dev/null \
        </dev/null; pbcat --comments a.pb | cmp - plain'
    same ''
    [ "$(cat plain)" = $'\\x1b[31mred\\x9b\\xc2\\x9b\xc3\xa9\t' ]
}

# --- where we differ from pprof, as the manual says

@test "a sum that 64 bits cannot hold is an error" {
    bare >a.pb <<'END'
sample_type { type: 1 unit: 2 }
sample_type { type: 3 unit: 2 }
sample { value: 1 value: 9223372036854775807 }
sample { value: 1 value: 0 }
sample { value: 1 value: -1 }
END
    for format in text traces folded; do
        expect 3 pbcat "--$format" a.pb
        same ''
        same_err 'pbcat: a.pb: sample 2: the sum of m exceeds 64 bits here'
        expect 0 pbcat "--$format" --sample-index=n a.pb
    done
    expect 0 pbcat --raw a.pb
}

@test "the least of all numbers has no magnitude" {
    bare >a.pb <<'END'
sample_type { type: 1 unit: 2 }
sample { value: -9223372036854775808 }
END
    expect 3 pbcat a.pb
    same_err 'pbcat: a.pb: sample 0: the sum ' ...
}

@test "a profile without sample types has no values to show" {
    bare >a.pb <<'END'
comment: 1
END
    expect 3 pbcat a.pb
    same_err 'pbcat: a.pb: the profile has no sample types'
    expect 0 pbcat --raw a.pb
    same 'Comment: n
PeriodType:  
Period: 0
Samples:

Locations
Mappings'
}

@test "no mapping is made up, and a label of 0 not lost" {
    bare >a.pb <<'END'
sample_type { type: 1 unit: 2 }
location { id: 1 address: 255 }
sample { location_id: 1 value: 5 label { key: 4 num: 0 } }
END
    expect 0 pbcat --raw a.pb
    same 'PeriodType:  
Period: 0
Samples:
n/count
          5: 1 
                key:[0]
Locations
     1: 0xff 
Mappings'
    expect 0 pbcat --traces a.pb
    same 'Type: n
-----------+-------------------------------------------------------
       key:  0
         5   <unknown>
-----------+-------------------------------------------------------'
}

@test "rows of equal value and name are in one order" {
    encode >a.pb <<'END'
string_table: ["", "n", "count", "x.c", "f"]
sample_type { type: 1 unit: 2 }
function { id: 1 name: 4 filename: 3 start_line: 10 }
function { id: 2 name: 4 filename: 3 start_line: 20 }
function { id: 3 name: 4 filename: 3 start_line: 30 }
location { id: 1 line { function_id: 1 } }
location { id: 2 line { function_id: 2 } }
location { id: 3 line { function_id: 3 } }
sample { location_id: [1, 2] value: 5 }
sample { location_id: [3, 1] value: 5 }
sample { location_id: [2, 2] value: 5 }
END
    expect 0 pbcat --granularity=files a.pb
    same 'Type: n
Showing nodes accounting for 15, 100% of 15 total
      flat  flat%   sum%        cum   cum%
         5 33.33% 33.33%         10 66.67%  x.c
         5 33.33% 66.67%         10 66.67%  x.c
         5 33.33%   100%          5 33.33%  x.c'
}

@test "a numeric label with several units is said" {
    bare >a.pb <<'END'
sample_type { type: 1 unit: 2 }
location { id: 1 address: 255 }
sample { location_id: 1 value: 5 label { key: 4 num: 7 num_unit: 5 } }
sample { location_id: 1 value: 6 label { key: 4 num: 8 num_unit: 2 } }
END
    expect 0 pbcat --traces a.pb
    [[ $output == *'
       key:  7
'*'
       key:  8
'* ]]
    same_err 'pbcat: a.pb: warning: label key: numbers with unit unit and count are mixed; the first unit is used'
    expect 0 pbcat -q --traces a.pb
    same_err ''
}

# --- drop_frames

dropping() { # DROP_FRAMES KEEP_FRAMES
    encode <<END
string_table: ["", "n", "count", "main", "malloc", "malloc_hook", "brk", "$1",
    "$2"]
sample_type { type: 1 unit: 2 }
drop_frames: 7 keep_frames: 8
function { id: 1 name: 3 } function { id: 2 name: 4 }
function { id: 3 name: 5 } function { id: 4 name: 6 }
location { id: 1 line { function_id: 1 } }
location { id: 2 line { function_id: 2 } }
location { id: 3 line { function_id: 3 } }
location { id: 4 line { function_id: 4 } }
sample { location_id: [4, 2, 1] value: 5 }
sample { location_id: [3, 1] value: 2 }
END
}

@test "drop_frames are applied, but to what shows the file itself" {
    dropping 'malloc.*' 'malloc_hook' >a.pb
    go_pprof -text a.pb >theirs
    pbcat a.pb >ours
    diff -u theirs ours
    go_pprof -traces a.pb >theirs
    pbcat --traces a.pb >ours
    diff -u theirs ours
    expect 0 pbcat --folded a.pb
    same 'main 5
main;malloc_hook 2'
    expect 0 bash -c 'pbcat --raw a.pb | grep "^  *[52]: [0-9 ]*$"'
    same '          5: 1 
          2: 3 1 '
    expect 0 pbcat --folded --all-frames a.pb
    same 'main;malloc;brk 5
main;malloc_hook 2'
    expect 0 bash -c 'pbcat --raw --all-frames a.pb | grep "^  *5: [0-9 ]*$"'
    same '          5: 4 2 1 '
    expect 0 bash -c 'pbcat --json a.pb | jq -c ".drop_frames, .sample[0].location"'
    same '"malloc.*"
[3,1,0]'
}

@test "drop_frames that is no regular expression is said" {
    dropping 'malloc(' '' >a.pb
    expect 0 pbcat --folded a.pb
    same 'main;malloc;brk 5
main;malloc_hook 2'
    same_err "pbcat: a.pb: warning: drop_frames of the profile: invalid regular expression '^(malloc()\$': unclosed '(' at offset " ... '; all frames are shown'
}

# --- the format by the output's name

# "SUFFIX OPTION" for each suffix in the manual's table.
suffixes() {
    sed -n '/^\.Bl -column "\.folded/,/^\.El/p' "$ROOT/man/pbcat.1" |
        awk '$1 == ".It" {
            for (i = 3; $i != "Ta"; i++)
                if ($i != ",")
                    print $i, "-" $NF
        }'
}

# Writes FILE in the format of its suffix, which is that of OPTION.  A PDF has
# the second at which it was drawn, and may have it compressed: one of several
# tries has both in the same second.
writes_format() { # OPTION FILE
    pbcat "$1" small.pb >wanted
    expect 0 pbcat -o "$2" small.pb
    [ -z "$stderr" ]
    cmp wanted "$2"
}

@test "the suffix of -o is that of the manual's table, and chooses a format" {
    small
    suffixes >list
    # All that the formats have are in it, but for those of profiles.
    cut -d' ' -f1 list | sort >documented
    find "$ROOT/lib/report" -name '*.c' -exec \
        sed -n 's/^ *\.suffixes = "\(.*\)",$/\1/p' {} + |
        tr ' ' '\n' | grep -vx -e pb -e pb.gz | sed 's/^/./' | sort -u >known
    diff known documented
    # Pictures have the time in them; these say what is drawn, and how.
    mkdir bin
    printf '#!/bin/sh\necho "$@"\ncat\n' >bin/dot
    chmod +x bin/dot
    PATH=$PWD/bin:$PATH
    while read -r suffix option; do
        writes_format "$option" "got$suffix"
        writes_format "$option" "GOT${suffix^^}"
    done <list
}

@test "a suffix is behind a dot and a name; others mean text" {
    small
    pbcat small.pb >wanted
    mkdir a.svg
    for name in svg .svg asvg a.svg/x x.svg.log x.svg. x.; do
        expect 0 pbcat -o "$name" small.pb
        [ -z "$stderr" ]
        cmp wanted "$name"
    done
    # The longest counts.
    expect 0 pbcat -o a.speedscope.json small.pb
    grep -q speedscope a.speedscope.json
}

@test "reports are not compressed, and a suffix that says so is a warning" {
    small
    pbcat --text small.pb >wanted
    expect 0 pbcat -o x.json.gz small.pb
    same_err 'pbcat: warning: x.json.gz: .gz chooses neither a format nor compression; this is --text, uncompressed'
    cmp wanted x.json.gz
    expect 0 pbcat --folded -o x.zst small.pb
    same_err 'pbcat: warning: x.zst: .zst chooses neither a format nor compression; this is --folded, uncompressed'
    for format in --proto --topproto; do
        expect 0 pbcat $format -o x.pb.gz small.pb
        same_err ''
    done
}

@test "an option for the format wins, with a hint where the suffix differs" {
    small
    pbcat --text small.pb >wanted
    expect 0 pbcat --text -o x.svg small.pb
    same_err 'pbcat: warning: x.svg: the suffix suggests --svg, but the format is --text'
    cmp wanted x.svg
    expect 0 pbcat -q --text -o x.svg small.pb
    [ -z "$stderr" ]
    for format in --flame=svg --svg; do
        expect 0 pbcat $format -o x.svg small.pb
        [ -z "$stderr" ]
    done
    for format in speedscope firefox json; do
        expect 0 pbcat --$format -o x.json small.pb
        [ -z "$stderr" ]
    done
    for format in tree traces raw comments tags textproto folded text=classic; do
        expect 0 pbcat --$format -o x.txt small.pb
        [ -z "$stderr" ]
    done
    expect 0 pbcat --topproto -o x.pb.gz small.pb
    [ -z "$stderr" ]
    expect 0 pbcat --proto -o x.pb.gz small.pb
    [ -z "$stderr" ]
}

@test "a profile is not written because of a suffix" {
    small
    for name in x.pb x.pb.gz; do
        expect 2 pbcat -o $name small.pb
        same_err "pbcat: $name: pbcat writes reports; use pbmerge to write a \
profile, or specify --proto"
        [ ! -e $name ]
    done
}

@test "--check and --digest write JSON to a file of that name" {
    small
    for what in --check --digest; do
        run pbcat $what --json small.pb
        echo "$output" >wanted
        run pbcat $what -o x.json small.pb
        cmp wanted x.json
        run pbcat $what small.pb
        echo "$output" >wanted
        run pbcat $what -o x.svg small.pb
        cmp wanted x.svg
    done
}

# named PERCENT: a profile of which so much has no function name.
named() {
    local rest=$((100 - $1))
    encode <<END
sample_type { type: 1 unit: 2 }
sample { location_id: 1 location_id: 2 value: $1 }
sample { location_id: 2 location_id: 1 value: $rest }
mapping { id: 1 memory_start: 4096 memory_limit: 8192 filename: 3 }
location { id: 1 mapping_id: 1 address: 4100 }
location { id: 2 mapping_id: 1 address: 4200 line { function_id: 1 } }
function { id: 1 name: 4 }
string_table: "" string_table: "cpu" string_table: "ms"
string_table: "/lib/libc.so.6" string_table: "${2-main}"
END
}

@test "names that are missing are warned about once, from 1 % on" {
    named 2 >2.pb
    named 1 >1.pb
    expect 0 pbcat 2.pb
    same_err 'pbcat: 2.pb: warning: no function names for 2% of cpu, mostly in libc.so.6: use pbsym, which reports the files that lack symbols'
    local option
    for option in --tree --flame --folded --lines --svg --callgrind; do
        pbcat "$option" -o out 2.pb 2>said || continue # without Graphviz
        [ "$(grep -c 'no function names' said)" = 1 ]
    done
    # Where there are none, or nothing can be done about them.
    for option in -q --raw --json --strings --binaries --files; do
        expect 0 pbcat "$option" 2.pb
        [[ $stderr != *'no function names'* ]]
    done
    expect 0 pbcat 1.pb
    [ -z "$stderr" ]
    expect 0 pbcat <(named 0 '[unknown]')
    same_err ... 'warning: 100% of cpu is in [unknown], for which the profiler had no symbols: ' ...
    # Filters come first.
    expect 0 pbcat --focus=nosuch 2.pb
    [[ $stderr != *'no function names'* ]]
}

@test "URLs and programs as operands are explained" {
    local url
    small
    for url in http://localhost:6060/debug/pprof/heap https://x x.org/debug/pprof/heap; do
        expect 2 pbcat "$url"
        same_err "pbcat: $url: URLs are not supported; use 'curl -s URL | pbcat'"
    done
    expect 2 pbmerge small.pb http://x
    same_err "pbmerge: http://x: URLs are not supported; use 'curl -s URL | pbmerge'"
    # A file of that name is one.
    mkdir http:
    cp small.pb http:/x
    pbcat http://x | cmp - <(pbcat small.pb)
    expect 3 pbcat "$BIN/pbcat" small.pb
    same_err ... 'found a program or library (ELF); the program of a profile is specified with -e FILE (pbcat, pbsym)'
}
