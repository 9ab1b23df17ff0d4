# pbcat --speedscope and --firefox: what is in the files.  That the viewers
# read them is tested in tests/browser.

load helper

# two.pb: times and sizes, an inlined frame, a sample without frames, values
# of 0 and below, a location in two kinds.
two() {
    encode >two.pb <<'END'
string_table: ["", "cpu", "nanoseconds", "space", "bytes", "main", "leaf",
    "/src/main.c", "thread", "worker", "/opt/prog", "<script>alert(1)</script>",
    "q\"\\\nx"]
sample_type { type: 1 unit: 2 }
sample_type { type: 3 unit: 4 }
default_sample_type: 1
mapping { id: 1 filename: 10 }
time_nanos: 1700000000123456000
function { id: 1 name: 5 filename: 7 }
function { id: 2 name: 6 filename: 7 }
function { id: 3 name: 11 filename: 12 }
location { id: 1 line { function_id: 1 line: 10 } }
location { id: 2 line { function_id: 2 line: 21 column: 3 }
    line { function_id: 1 line: 12 } }
location { id: 3 line { function_id: 3 line: 1 } }
location { id: 4 line { function_id: 2 line: 21 column: 3 } }
sample { location_id: 2 location_id: 1 value: 1500000 value: 4096
    label { key: 8 str: 9 } }
sample { location_id: 1 value: 2000000 value: 0 }
sample { location_id: 3 location_id: 1 value: 1 value: -5 }
sample { location_id: 4 location_id: 1 location_id: 1 value: 7 value: 1 }
sample { value: 20 value: 10 }
END
}

@test "speedscope: frames, stacks from the root, weights" {
    two
    expect 0 pbcat --speedscope two.pb
    same '{"$schema":"https://www.speedscope.app/file-format-schema.json","exporter":"'"$(pbcat --version | sed 's/.* /pbcat@/;q')"'","name":"prog","activeProfileIndex":0,"shared":{"frames":[
{"name":"main"},
{"name":"leaf"},
{"name":"<script>alert(1)</script>"},
{"name":"<no stack>"}
]},"profiles":[
{"type":"sampled","name":"cpu/nanoseconds","unit":"nanoseconds","startValue":0,"endValue":3500028,"samples":[
[0,0,1],
[0],
[0,2],
[0,0,1],
[3]],"weights":[
1500000,
2000000,
1,
7,
20]},
{"type":"sampled","name":"space/bytes","unit":"bytes","startValue":0,"endValue":4107,"samples":[
[0,0,1],
[0,0,1],
[3]],"weights":[
4096,
1,
10]}
]}'
    same_err 'pbcat: two.pb: warning: 1 negative value of sample type space/bytes dropped: speedscope cannot show negative values'
    expect 0 pbcat -v --speedscope two.pb
    same_err ... 'two.pb: note: labels of 1 sample not shown by --speedscope; use --tagroot to show labels as frames' ...
}

@test "speedscope: the granularity decides on files, lines and columns" {
    two
    frames() { pbcat -q --speedscope "$@" two.pb | jq -c '.shared.frames[]'; }
    expect 0 frames --filefunctions
    same '{"name":"main","file":"/src/main.c"}
{"name":"leaf","file":"/src/main.c"}
{"name":"<script>alert(1)</script>","file":"q\"\\\nx"}
{"name":"<no stack>"}'
    expect 0 frames --lines --showcolumns --focus=leaf
    same '{"name":"main","file":"/src/main.c","line":10}
{"name":"leaf","file":"/src/main.c","line":21,"col":3}
{"name":"main","file":"/src/main.c","line":12}
{"name":"<no stack>"}'
    expect 0 frames --granularity=files
    same '{"name":"/src/main.c"}
{"name":"q\"\\\nx"}
{"name":"<no stack>"}'
    expect 0 bash -c 'pbcat -q --speedscope --sample-index=space two.pb | jq .activeProfileIndex'
    same 1
}

# The stacks of a thread, as names from the root, with weight and time.
stacks='. as $p | .shared as $s |
    def name: $s.stringArray[$s.funcTable.name[$s.frameTable.func[.]]];
    def way: . as $i | $s.stackTable.prefixOffset[$i] as $up |
        (if $up == 0 then [] else $i - $up | way end) +
        [$s.stackTable.frame[$i] | name];
    .threads[$t].samples as $x | range($x.length) |
    [($x.stack[.] | way | join(";")), $x.weight[.] + 0, $x.timeDeltas[.] + 0] |
    @tsv'

@test "firefox: stacks, weights and times" {
    two
    expect 0 pbcat --firefox -o two.json two.pb
    same_err ''
    expect 0 jq -r --argjson t 0 "$stacks" two.json
    # As jq prints small numbers that it has computed with.
    same "$(printf '%s\t%s\t%s\n' 'main;main;leaf' 1.5 0 main 2 1.5 \
        'main;<script>alert(1)</script>' 1e-06 2 \
        'main;main;leaf' 7e-06 1e-06 '<no stack>' 2e-05 7e-06)"
    expect 0 jq -r --argjson t 1 "$stacks" two.json
    same "$(printf '%s\t%s\t%s\n' 'main;main;leaf' 4096 0 \
        'main;<script>alert(1)</script>' -5 1 'main;main;leaf' 1 1 \
        '<no stack>' 10 1)"
    expect 0 jq -c '[.threads[] | .name, .samples.weightType],
        (.meta | .product, .preprocessedProfileVersion, .startTime,
            .initialVisibleThreads, .initialSelectedThreads)' two.json
    same '["cpu/nanoseconds","tracing-ms","space/bytes","bytes"]
"prog"
70
1700000000123
[0,1]
[0]'
}

@test "firefox: what stacks share is there once, columns are of one length" {
    two
    pbcat --firefox --lines --showcolumns two.pb >two.json
    expect 0 jq -c '.shared | (.. | objects
        | select(has("length")) | .length as $n | to_entries[]
        | select(.value | type == "array") | select(.value | length != $n))' two.json
    same ''
    # <no stack>; main:10 alone, and calling main:12, that leaf, and script,
    # and main:10, and that another leaf.
    expect 0 jq -c '.shared | .stackTable.length,
        (.funcTable | [.name, .source] | transpose | length),
        [.sources.filename[] as $i | .stringArray[$i]],
        (.frameTable | [.line, .column] | transpose)' two.json
    same '7
4
["/src/main.c","q\"\\\nx"]
[[10,null],[21,3],[12,null],[1,null],[null,null]]'
}

@test "viewers: units" {
    for unit in nanoseconds:nanoseconds:tracing-ms us:microseconds:tracing-ms \
        milliseconds:milliseconds:tracing-ms seconds:seconds:tracing-ms \
        bytes:bytes:bytes kilobytes:none:samples minutes:none:samples \
        count:none:samples; do
        IFS=: read -r unit speedscope firefox <<<"$unit"
        encode >unit.pb <<END
string_table: ["", "n", "$unit"]
sample_type { type: 1 unit: 2 }
location { id: 1 address: 1 }
sample { location_id: 1 value: 12345 }
END
        pbcat --speedscope unit.pb | jq -r '.profiles[0].unit' >>units
        echo "$speedscope" >>wanted
        pbcat --firefox unit.pb | jq -r '.threads[0].samples.weightType' >>units
        echo "$firefox" >>wanted
        # As text: jq may print a number in another way than it is written.
        pbcat --firefox unit.pb | grep -o '"weight":.*\]' >>weights
    done
    diff -u wanted units
    diff -u - weights <<'END'
"weight":[0.012345]
"weight":[12.345]
"weight":[12345]
"weight":[12345000]
"weight":[12345]
"weight":[12345]
"weight":[12345]
"weight":[12345]
END
}

@test "viewers: what does not fit a double, or 64 bits" {
    encode >wide.pb <<'END'
string_table: ["", "n", "count", "m"]
sample_type { type: 1 unit: 2 }
sample_type { type: 3 unit: 2 }
location { id: 1 address: 1 }
sample { location_id: 1 value: 9007199254740993 value: 1 }
sample { location_id: 1 value: 5 value: 1 }
END
    expect 0 pbcat --speedscope wide.pb
    same_err 'pbcat: wide.pb: warning: 1 value above 53 bits written exactly, but speedscope rounds such values'
    [[ $output == *'"endValue":9007199254740998,'* ]]
    expect 0 pbcat --firefox wide.pb
    same_err 'pbcat: wide.pb: warning: 1 value above 53 bits written exactly, but the Firefox Profiler rounds such values'
    [[ $output == *'"weight":[9007199254740993,5],'* ]]
    encode >sum.pb <<'END'
string_table: ["", "n", "count", "m"]
sample_type { type: 1 unit: 2 }
sample_type { type: 3 unit: 2 }
location { id: 1 address: 1 }
sample { location_id: 1 value: 9223372036854775807 value: 1 }
sample { location_id: 1 value: 5 value: 1 }
END
    expect 3 pbcat --speedscope --sample-index=m sum.pb
    same ''
    same_err 'pbcat: sum.pb: the values of sample type n/count exceed 64 bits'
}

@test "viewers: names that are not UTF-8, and no types at all" {
    encode 2>/dev/null >bad.pb <<'END'
string_table: ["", "n", "count", "bad\377name"]
sample_type { type: 1 unit: 2 }
function { id: 1 name: 3 }
location { id: 1 line { function_id: 1 } }
sample { location_id: 1 value: 1 }
END
    for format in speedscope firefox; do
        expect 0 pbcat --$format bad.pb
        [[ $output == *$'"bad\xef\xbf\xbdname"'* ]]
        same_err 'pbcat: bad.pb: warning: invalid UTF-8 in names replaced with U+FFFD (1 byte; --textproto shows the original bytes)'
        encode </dev/null >none.pb
        expect 3 pbcat --$format none.pb
        same ''
    done
}

@test "viewers: the number of threads makes no difference" {
    awk 'BEGIN { srand(1); for (i = 0; i < 5000; i++) {
        line = "main"
        for (k = rand() * 30; k > 0; k--)
            line = line ";f" int(rand() * 9)
        print line, i + 1 } }' >random.folded
    folded2pb -o random.pb random.folded
    for format in speedscope firefox; do
        pbcat -T 1 --$format random.pb >one
        pbcat -T 4 --$format random.pb | cmp one -
        jq -e . one >/dev/null
    done
}

@test "firefox: every stack leads back to the root, deep ones too" {
    awk 'BEGIN { srand(2); for (i = 1; i <= 300; i++) {
        line = "main"
        for (k = i % 100 ? rand() * 12 : 400; k > 0; k--)
            line = line ";f" int(rand() * 3)
        print line, i } }' | folded2pb -o random.pb
    pbcat --firefox random.pb | jq -c '.shared as $s
        | (reduce range($s.stackTable.length) as $i ([]; . + [
            ($s.stackTable.prefixOffset[$i] as $up
                | if $up == 0 then "" else ";" + .[$i - $up] end) as $rest
            | $s.stringArray[$s.funcTable.name[$s.frameTable.func[
                $s.stackTable.frame[$i]]]] + $rest])) as $way
        | .threads[0].samples | range(.length) as $i
        | [.weight[$i], $way[.stack[$i]]]' >found
    pbcat --jsonl random.pb |
        jq -c '[.value[], (.stack | join(";"))]' | diff -u - found
    [ "$(wc -l <found)" -gt 250 ]
    [ "$(awk -F';' 'NF > n { n = NF } END { print n }' found)" -gt 400 ]
}

# Samples of two threads, not in order, as perf script prints them.
timed() {
    local sample
    for sample in 'b 7/9 3.000000000: 30' 'a 7/7 1.000000000: 10' \
        'a 7/7 2.500000000: 20' 'b 7/9 1.250000000: 40'; do
        printf '%s cycles:\n\t401000 f%s+0x0 (/opt/prog)\n\n' "$sample" \
            "${sample##* }"
    done | perf2pb -q --labels=pid,tid,comm,timestamp_ns --no-symbols -o timed.pb
}

@test "samples with times: a track for each thread, in order" {
    timed
    pbcat --firefox timed.pb >timed.json
    expect 0 jq -c '.shared as $s | .threads[] | [.name, .pid, .tid,
        .isMainThread, .samples.timeDeltas, .samples.weight,
        [.samples.stack[] | $s.stackTable.frame[.] | $s.frameTable.func[.] |
            $s.stringArray[$s.funcTable.name[.]]]]' timed.json
    same '["a 7","7",7,true,[0,1500],[10,20],["f10","f20"]]
["b 9","7",9,false,[250,1750],[40,30],["f40","f30"]]'
    # The first type counts samples.
    pbcat --firefox --sample-index=0 timed.pb >timed.json
    expect 0 jq -c '[.threads[].samples.weight]' timed.json
    same '[[1,1],[1,1]]'
    pbcat --speedscope timed.pb >timed.json
    expect 0 jq -c '.shared.frames as $f | .profiles[] | [.name, .endValue,
        .weights, [.samples[][] | $f[.].name]]' timed.json
    same '["a 7",30,[10,20],["f10","f20"]]
["b 9",70,[40,30],["f40","f30"]]'
    # With one sample without a time, all are shown by type.
    echo 'main 3 4' | folded2pb -o none.pb \
        --sample-types=cycles_sample/count,cycles_event/count
    pbmerge timed.pb none.pb | pbcat --firefox >both.json
    expect 0 jq -c '[.threads[] | .name, .samples.length]' both.json
    same '["cycles_sample/count",5,"cycles_event/count",5]'
}
