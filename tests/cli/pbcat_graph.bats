# Reports on calls whose text follows from the profile: trees, callgrind's
# format.  (pbcat_oracle.bats has them beside go tool pprof.)

load helper

setup_file() {
    command -v protoc >/dev/null
    command -v perl >/dev/null
}

callgrind() { # OPTION-OF-THE-READER... -- OPTION...
    local -a reader=()
    while [ "$1" != -- ]; do
        reader+=("$1")
        shift
    done
    shift
    pbcat --callgrind "$@" >callgrind.out
    perl "$ROOT/tests/cli/callgrind.pl" "${reader[@]}" <callgrind.out
}

# main of prog calls f of prog and f of lib.so, at two addresses each; both
# call g, which is inlined in the first; 1000 ns are not a whole millisecond.
two_binaries() {
    local names=('' cpu nanoseconds prog lib.so main f g main.c lib.c)
    {
        printf 'string_table: "%s"\n' "${names[@]}"
        cat <<'END'
sample_type { type: 1 unit: 2 }
mapping { id: 1 memory_start: 0x1000 memory_limit: 0x2000 filename: 3 }
mapping { id: 2 memory_start: 0x8000 memory_limit: 0x9000 filename: 4 }
function { id: 1 name: 5 filename: 8 start_line: 1 }
function { id: 2 name: 6 filename: 8 start_line: 20 }
function { id: 3 name: 7 filename: 8 start_line: 30 }
function { id: 4 name: 6 filename: 9 start_line: 1 }
location { id: 1 mapping_id: 1 address: 0x1010 line { function_id: 1 line: 5 } }
location { id: 2 mapping_id: 1 address: 0x1020 line { function_id: 1 line: 6 } }
location { id: 3 mapping_id: 1 address: 0x1100
  line { function_id: 3 line: 31 } line { function_id: 2 line: 21 } }
location { id: 4 mapping_id: 2 address: 0x8010 line { function_id: 4 line: 2 } }
location { id: 5 mapping_id: 1 address: 0x1200 line { function_id: 3 line: 32 } }
location { id: 6 mapping_id: 2 address: 0x8020 }
sample { location_id: 3 location_id: 1 value: 2000000 }
sample { location_id: 5 location_id: 4 location_id: 2 value: 3000000 }
sample { location_id: 4 location_id: 1 value: 5000000 }
sample { location_id: 6 location_id: 4 location_id: 2 value: 7000000 }
END
    } | encode
}

@test "callgrind: calls lead to functions of their binary and file" {
    two_binaries >p.pb
    expect 0 callgrind -- p.pb
    same 'cpu(ms)
0000000000008020 [lib.so] 7
f 0
f 5
g 5
main 0
f > 0000000000008020 [lib.so] 7
f > g 2
f > g 3
main > f 15
main > f 2'
    # Of two addresses of main to lib.so, and from there back to g.
    [ "$(grep -c '^cob=' callgrind.out)" = 3 ]
    [ "$(grep -c '^calls=1 0x8010 2$' callgrind.out)" = 2 ]
    [ "$(grep -c '^calls=1 0x1100 31$' callgrind.out)" = 1 ]
}

# main calls a and b, both call c, which calls itself; each in one place.
shared_callee() {
    local names=('' cpu count main a b c x.c)
    {
        printf 'string_table: "%s"\n' "${names[@]}"
        cat <<'END'
sample_type { type: 1 unit: 2 }
function { id: 1 name: 3 filename: 7 }
function { id: 2 name: 4 filename: 7 }
function { id: 3 name: 5 filename: 7 }
function { id: 4 name: 6 filename: 7 }
location { id: 1 address: 1 line { function_id: 1 line: 1 } }
location { id: 2 address: 2 line { function_id: 2 line: 2 } }
location { id: 3 address: 3 line { function_id: 3 line: 3 } }
location { id: 4 address: 4 line { function_id: 4 line: 4 } }
sample { location_id: [4, 2, 1] value: 10 }
sample { location_id: [4, 4, 3, 1] value: 5 }
sample { location_id: [3, 1] value: 1 }
END
    } | encode
}

@test "callgrind: a function called from two places, and from itself" {
    shared_callee >p.pb
    expect 0 callgrind -- p.pb
    same 'cpu(count)
a 0
b 1
c 15
main 0
a > c 10
b > c 5
main > a 10
main > b 6'
}

@test "callgrind: a tree has a function for each caller" {
    shared_callee >p.pb
    expect 0 callgrind --tree -- --call-tree p.pb
    same 'cpu(count)
a 0
b 1
c [1/3] 10
c [2/3] 5
c [3/3] 0
main 0
a > c [1/3] 10
b > c [3/3] 5
c [3/3] > c [2/3] 5
main > a 10
main > b 6'
}

@test "callgrind: a unit in which all values are whole, if none is asked for" {
    two_binaries >p.pb
    printf 'sample { location_id: 1 value: 1500 }' | encode >>p.pb
    expect 0 callgrind -- p.pb
    [ "${lines[0]}" = 'cpu(ns)' ]
    [[ $output == *$'\nmain 1500\n'* ]]
    expect 0 pbcat --callgrind --unit=us p.pb
    same_line 1 'pbcat: p.pb: warning: 1 cost rounded towards 0'
    [[ $output == *$'\nevents: cpu(us)\n'* ]]
    [[ $output == *$'\ntotals: 17001' ]]
    expect 0 pbcat --callgrind --divide-by=1000 --unit=ns p.pb
    same_line 1 'pbcat: p.pb: warning: 1 cost rounded towards 0'
    [[ $output == *$'\ntotals: 17001' ]]
}

# Each event of --callgrind=all has the costs that it has alone.
each_event() { # PROFILE
    local n i
    pbcat --callgrind=all --unit=minimum "$1" >all.out 2>/dev/null
    n=$(($(sed -n 's/^events: //p' all.out | wc -w)))
    [ "$n" -ge 2 ]
    for ((i = 0; i < n; i++)); do
        perl "$ROOT/tests/cli/callgrind.pl" --event=$i <all.out | grep -v ' 0$' >got
        callgrind -- "--sample-index=$(sed -nE "1s/\(.*//p" got)" "$1" |
            grep -v ' 0$' | diff - got
    done
}

@test "callgrind: all sample types as events" {
    # f has time only; g, which f calls, allocates only, and h takes some time.
    encode >types.pb <<'END'
string_table: ["", "alloc", "bytes", "cpu", "ms", "main", "f", "g", "h",
    "calls", "count"]
sample_type { type: 1 unit: 2 }
sample_type { type: 3 unit: 4 }
sample_type { type: 9 unit: 10 }
default_sample_type: 3
function { id: 1 name: 5 }
function { id: 2 name: 6 }
function { id: 3 name: 7 }
function { id: 4 name: 8 }
location { id: 1 address: 0x10 line { function_id: 1 } }
location { id: 2 address: 0x20 line { function_id: 2 } }
location { id: 3 address: 0x30 line { function_id: 3 } }
location { id: 4 address: 0x40 line { function_id: 4 } }
sample { location_id: 2 location_id: 1 value: 0 value: 30 value: 0 }
sample { location_id: 3 location_id: 2 location_id: 1
  value: 100 value: 0 value: 0 }
sample { location_id: 4 location_id: 2 location_id: 1 value: 7 value: 5 value: 0 }
sample { location_id: 2 location_id: 1 value: 0 value: 0 value: 3 }
sample { location_id: 3 location_id: 2 value: 0 value: 0 value: 9 }
END
    expect 0 pbcat --callgrind=all types.pb
    [ -z "$stderr" ]
    [[ $output = *$'\nevents: cpu(ms) alloc(B)\n'*$'\ntotals: 35 107' ]]
    # Calls are counted, and are no event of their own.
    [ "$(grep -c '^calls=[^1]' <<<"$output")" = 2 ]
    [[ $output = *$'\ncalls=3 0x20 0\n* * 35 107\n'* ]]
    [[ $output = *$'\ncalls=9 0x30 0\n* * 0 100\n'* ]]
    each_event types.pb
    perl "$ROOT/tests/cli/callgrind.pl" --event=1 <all.out | diff - <(echo 'alloc(B)
f 0
g 100
h 7
main 0
f > g 100
f > h 7
main > f 107')
    [ "$(pbcat --callgrind=all --sample-index=alloc types.pb | sed -n 4p)" = \
        'events: alloc(B) cpu(ms)' ]
    pbcat --callgrind=all -o t.callgrind types.pb
    if command -v callgrind_annotate >/dev/null; then
        callgrind_annotate --inclusive=yes --threshold=100 t.callgrind >table
        grep -qE '^ *35 \(100\.0%\) +107 \(100\.0%\) +PROGRAM TOTALS' table
        grep -qE '^ *35 \(100\.0%\) +107 \(100\.0%\) .*:f( |$)' table
        grep -qE '^ *(0|\.) .*100 \(93\.46%\) .*:g( |$)' table
    fi
    # One event of one type, as always.
    pbfilter --keep-types=cpu types.pb >one.pb
    pbcat --callgrind one.pb | cmp - <(pbcat --callgrind=all one.pb)
    # What has no effect; the mean is that of each.
    expect 0 pbcat --callgrind=all --call-tree --drop-negative types.pb
    same_err 'pbcat: warning: --drop-negative has no effect on --callgrind=all
pbcat: warning: --call-tree has no effect on --callgrind=all'
    for profile in heap cpu; do
        each_event "$ROOT/testdata/recorded/$profile.pb.gz"
    done
}

@test "callgrind: values below 0" {
    shared_callee >p.pb
    printf 'sample { location_id: 2 value: -7 }' | encode >>p.pb
    expect 0 callgrind -- p.pb
    [[ $output == *$'\na -7\n'* ]]
    same_err 'pbcat: p.pb: warning: 1 negative cost; KCachegrind reads negative costs as 0'
}

@test "callgrind: names are data" {
    local names=('' 'a type' 'a unit' '<script>alert(1)</script>' '(1) f'
        'quo\"te \\ back' ' line\nbreak' '\377\376' 'x.c\nfn=(1) evil')
    {
        printf 'string_table: "%s"\n' "${names[@]}"
        echo 'sample_type { type: 1 unit: 2 }'
        for id in 1 2 3 4 5; do
            echo "function { id: $id name: $((id + 2)) filename: 8 }
location { id: $id address: $id line { function_id: $id } }"
        done
        echo 'sample { location_id: [1, 2, 3, 4, 5] value: 1 }'
    } | encode >p.pb
    expect 0 callgrind -- -v p.pb
    same "a_type(a_unit)
(1) f 0
<script>alert(1)</script> 1
line break 0
quo\"te \\ back 0
$(printf '\377\376') 0
(1) f > <script>alert(1)</script> 1
line break > quo\"te \\ back 1
quo\"te \\ back > (1) f 1
$(printf '\377\376') > line break 1"
    same_err ... 'p.pb: note: control characters and leading spaces removed from 2 names' ...
    grep -q '^fl=(.*) x.c fn=(1) evil$' callgrind.out
}

@test "callgrind: real profiles hold together, as graphs and as trees" {
    fixture cpu.pb.gz heap.pb.gz cpu.prof prog gmon.out a.out
    prof2pb --no-symbols cpu.prof -o addresses.pb.gz
    gmon2pb gmon.out -o gmon.pb.gz
    for profile in cpu heap addresses gmon; do
        callgrind -- $profile.pb.gz >graph
        callgrind --tree -- --call-tree $profile.pb.gz >tree
        [ "$(wc -l <graph)" -gt 5 ]
        # What is measured in a function is so whoever called it.
        self() { sed -n '/ > /d; s/ \[[0-9/]*\] / /; 2,$p' "$1" |
            awk '{ v = $NF; $NF = ""; sum[$0] += v }
                END { for (f in sum) printf "%s%.0f\n", f, sum[f] }' | sort; }
        diff <(self graph) <(self tree)
    done
}

@test "callgrind: functions have the values that tables have" {
    fixture cpu.pb.gz heap.pb.gz
    for unit in ns B; do
        profile=$([ $unit = ns ] && echo cpu.pb.gz || echo heap.pb.gz)
        callgrind -- --unit=$unit "$profile" |
            sed -n '1d; / > /d; s/.* //; /^0$/!p' | sort -n >functions
        pbcat --no-trim --filefunctions --unit=$unit "$profile" |
            sed -n "s/^ *\\([1-9][0-9]*\\)$unit .*/\\1/p" | sort -n >rows
        [ "$(wc -l <rows)" -gt 5 ]
        diff rows functions
    done
}

@test "peek: nothing matches, no expression" {
    shared_callee >p.pb
    expect 1 pbcat --peek=nosuch p.pb
    same ''
    same_err "pbcat: p.pb: no matches for 'nosuch'"
    expect 2 pbcat --peek='(' p.pb
    same ''
    same_err "pbcat: p.pb: --peek: invalid regular expression '(': unclosed '(' at offset 0"
}

@test "tree: callers above, callees below, heaviest first" {
    shared_callee >p.pb
    expect 0 pbcat --tree --cum -n 3 p.pb
    same "Type: cpu
Showing nodes accounting for 15, 93.75% of 16 total
Showing top 3 nodes out of 4
----------------------------------------------------------+-------------
      flat  flat%   sum%        cum   cum%   calls calls% + context 	 	 
----------------------------------------------------------+-------------
         0     0%     0%         16   100%                | main
                                                10 62.50% |   a
                                                 5 31.25% |   c
----------------------------------------------------------+-------------
                                                10 66.67% |   a
                                                 5 33.33% |   main
        15 93.75% 93.75%         15 93.75%                | c
----------------------------------------------------------+-------------
                                                10   100% |   main
         0     0% 93.75%         10 62.50%                | a
                                                10   100% |   c
----------------------------------------------------------+-------------"
}

@test "calls are the same for any number of threads" {
    perl -I"$BATS_TEST_DIRNAME" -MWire -e '
        binmode STDOUT;
        print text(1, int64(1, 1) . int64(2, 2));
        print text(5, int64(1, $_) . int64(2, $_ + 2)) for 1 .. 100;
        print text(4, int64(1, $_) . int64(3, 4096 * $_) .
            text(4, int64(1, $_))) for 1 .. 100;
        for $i (0 .. 39999) {
            print text(2, text(1, join "", map num($_ + 1),
                $i % 100, $i * 7 % 89, $i / 100 % 97, 98) . text(2, num(1)));
        }
        print map text(6, $_), "", "samples", "count", map "f$_", 1 .. 100;
    ' >large.pb
    for format in --tree --peek=f9 --dot --callgrind; do
        pbcat -T1 $format large.pb >one
        pbcat -T3 $format large.pb >three
        [ "$(wc -l <one)" -gt 100 ]
        cmp one three
    done
}

@test "--tree and --peek say how often a function is called, if that is known" {
    # Time of g below f, 30, and below h, 10; f calls g 6 times, h 2 times, g
    # itself 5 times; main calls f and h once, and g never.  h calls f 3 times,
    # without any time.
    encode >calls.pb <<'END'
sample_type { type: 1 unit: 2 }
sample_type { type: 3 unit: 4 }
sample { location_id: 3 location_id: 2 location_id: 1 value: 30 value: 0 }
sample { location_id: 3 location_id: 4 location_id: 1 value: 10 value: 0 }
sample { location_id: 3 location_id: 2 value: 0 value: 6 }
sample { location_id: 3 location_id: 4 value: 0 value: 2 }
sample { location_id: 3 location_id: 3 value: 0 value: 5 }
sample { location_id: 2 location_id: 1 value: 0 value: 1 }
sample { location_id: 4 location_id: 1 value: 0 value: 1 }
sample { location_id: 2 location_id: 4 value: 0 value: 3 }
location { id: 1 line { function_id: 1 } }
location { id: 2 line { function_id: 2 } }
location { id: 3 line { function_id: 3 } }
location { id: 4 line { function_id: 4 } }
function { id: 1 name: 5 }
function { id: 2 name: 6 }
function { id: 3 name: 7 }
function { id: 4 name: 8 }
default_sample_type: 1
string_table: ["", "cpu", "ms", "calls", "count", "main", "f", "g", "h"]
END
    pbcat --peek='^g$' calls.pb | sed -nE 's/.* \|  ? ?//p' >got
    diff - got <<'END'
f  called 6/8
h  called 2/8
g  called 8+5
END
    pbcat --tree calls.pb | grep -E '\| (  )?(main|f|h)\b' |
        sed -E 's/.* \|  ? ?//' | sort -u | diff - <(sort <<'END'
f [2]  called 1/4
f [2]  called 4
f [2]  called 6/8
h [3]  called 1
h [3]  called 1/1
h [3]  called 2/8
main [4]
main [4]  called 1/1
main [4]  called 1/4
END
)
    # A node that is hidden has no place in the table.
    run ! grep -E 'main \[|\[4' <(pbcat --tree -n 3 calls.pb)
    # Not where frames are removed, for then a caller would look called; not
    # beside the calls themselves, and not line by line.
    for option in --hide='^g$' --focus=f --divide-by=2 --diff-base=calls.pb; do
        run ! grep -q called <(pbcat --tree $option calls.pb)
        run ! grep -qE '[a-z] \[[0-9]' <(pbcat --tree $option calls.pb)
        run ! grep -qE 'calls=[^1]' <(pbcat --callgrind $option calls.pb)
    done
    expect 0 pbcat --tree=gprof --hide='^g$' calls.pb
    same_err 'pbcat: calls.pb: warning: filters change the call graph: callers and counts of calls may be incomplete'
    run ! grep -q called <(pbcat --tree --sample-index=calls calls.pb)
    run ! grep -q called <(pbcat --tree --lines calls.pb)
    # So does callgrind: number, callee and cost of each call.  A call without
    # cost of what has some would take that from it.
    pbcat --callgrind --unit=ms calls.pb >calls.out
    awk '/^fn=/ { by = name($0) } /^cfn=/ { to = name($0) }
        function name(s) { split(s, part, /[=()]+/)
            if (sub(/.*\) /, "", s)) known[part[2]] = s
            return known[part[2]] }
        /^calls=/ { sub(/calls=/, ""); n = $1; getline; print by, to, n, $3 }' \
        calls.out | sort | diff - <(sort <<'END'
main f 1 30
main h 1 10
f g 6 30
h g 2 10
g g 5 0
END
)
    perl "$ROOT/tests/cli/callgrind.pl" <calls.out
}
