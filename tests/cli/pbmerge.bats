# pbmerge: sums that go tool pprof agrees with, and what it refuses.

load helper

# The canonical bytes of a profile, which pprof's output has too.
canonical() {
    pbmerge -0 "$1"
}

@test "the sum is what go tool pprof makes of the same files" {
    fixture build old.pb.gz new.pb.gz
    go_pprof -proto -output theirs.pb.gz build/*/test.pb.gz
    pbmerge -0 -o ours build/*/test.pb.gz
    cmp ours <(canonical theirs.pb.gz)
    go_pprof -proto -output theirs.pb.gz old.pb.gz new.pb.gz
    cmp <(pbmerge -0 new.pb.gz old.pb.gz) <(canonical theirs.pb.gz)
}

@test "heap profiles, with their labels, likewise" {
    fixture heap.pb.gz
    go_pprof -proto -output theirs.pb.gz heap.pb.gz heap.pb.gz
    cmp <(pbmerge -0 heap.pb.gz heap.pb.gz) <(canonical theirs.pb.gz)
}

@test "totals of the result are the sums of the inputs' totals" {
    fixture old.pb.gz new.pb.gz
    pbmerge -o sum.pb.gz old.pb.gz new.pb.gz
    paste <(pprof_totals old.pb.gz) <(pprof_totals new.pb.gz) |
        awk '{ printf "%s %.0f\n", $1, $2 + $4 }' >expected
    pprof_totals sum.pb.gz | diff expected -
}

@test "--base subtracts as pprof's -base does" {
    fixture old.pb.gz new.pb.gz
    go_pprof -proto -base old.pb.gz -output theirs.pb.gz new.pb.gz
    cmp <(pbmerge -0 --base=old.pb.gz new.pb.gz) <(canonical theirs.pb.gz)
}

@test "--normalize scales to the base's totals as pprof's does" {
    fixture old.pb.gz new.pb.gz
    go_pprof -proto -normalize -base old.pb.gz -output theirs.pb.gz new.pb.gz
    cmp <(pbmerge -0 --normalize --base=old.pb.gz new.pb.gz) \
        <(canonical theirs.pb.gz)
}

@test "a profile less itself is empty" {
    fixture cpu.pb.gz
    pbmerge -o none.pb.gz --base=cpu.pb.gz cpu.pb.gz
    go_pprof -raw none.pb.gz | awk '/^Samples:/ { getline; getline; print }' |
        grep -q '^Locations'
}

@test "--normalize without --base is a usage error" {
    fixture cpu.pb.gz
    expect 2 pbmerge --normalize cpu.pb.gz
    same_err 'pbmerge: --normalize requires --base or --diff-base (in pbcat; pbmerge has only --base)'
}

# Heap profiles count all that was allocated, and what is in use.
@test "--base-types subtracts the types that match and keeps the others" {
    local types=alloc_objects/count,alloc_space/bytes,inuse_space/bytes pattern
    local listed='alloc_objects/count, alloc_space/bytes, inuse_space/bytes'
    folded2pb --sample-types=$types -o old <<<$'f 2 20 9\ng 1 10 8'
    folded2pb --sample-types=$types -o new <<<$'f 5 50 7\nh 1 10 6'
    differs() { # PATTERN WANTED
        expect 0 pbmerge --base=old --base-types="$1" -o diff new
        same_err ''
        [ "$(pbcat -q --json diff | jq -r '[.sample[].value | join(" ")] |
            sort | join(",")')" = "$2" ]
        # pbcat subtracts the same.
        cmp diff <(pbcat -q --base=old --base-types="$1" --proto new | pbmerge)
    }
    for pattern in 'alloc_*' '[a]*' '*_objects/count' ''; do
        case $pattern in
        *count) differs "$pattern" '-1 0 0,1 10 6,3 50 7' ;;
        '') differs "$pattern" '-1 -10 -8,1 10 6,3 30 -2' ;;
        *) differs "$pattern" '-1 -10 0,1 10 6,3 30 7' ;;
        esac
    done
    differs '*/bytes' '0 -10 -8,1 10 6,5 30 -2'
    differs '*' '-1 -10 -8,1 10 6,3 30 -2'
    for tool in pbmerge 'pbcat --text'; do
        # shellcheck disable=SC2086
        expect 3 $tool --base=old --base-types=cpu new
        same_err "${tool% *}: --base-types=cpu matches no sample type of the base: expected one of $listed"
        # shellcheck disable=SC2086
        expect 2 $tool --base-types=cpu new
        same_err "${tool% *}: --base-types requires --base"
        # shellcheck disable=SC2086
        expect 2 $tool --base=old --base-types=cpu --normalize new
        same_err "${tool% *}: --base-types cannot be combined with --normalize"
    done
    expect 0 pbcat --text --sample-index=inuse_space --diff-base=old \
        --base-types='alloc_*' new
    grep -q ' 7B .* f$' <<<"$output"
}

@test "--scale multiplies every value" {
    fixture cpu.pb.gz
    pbmerge --scale=3 -o scaled.pb.gz cpu.pb.gz
    pbmerge -o thrice.pb.gz cpu.pb.gz cpu.pb.gz cpu.pb.gz
    # The duration is a header, not a value: it is not scaled.
    diff <(go_pprof -raw scaled.pb.gz | sed "/^Duration:/d") \
        <(go_pprof -raw thrice.pb.gz | sed "/^Duration:/d")
}

@test "--scale refuses what is not a number" {
    fixture cpu.pb.gz
    expect 2 pbmerge --scale=x cpu.pb.gz
    same_err "pbmerge: invalid value 'x' for --scale: expected a decimal number"
}

@test "types that differ name both sets" {
    fixture cpu.pb.gz heap.pb.gz
    expect 3 pbmerge cpu.pb.gz heap.pb.gz
    same_err 'pbmerge: heap.pb.gz: sample types do not match: this input has (alloc_objects/count, alloc_space/bytes, inuse_objects/count, inuse_space/bytes), earlier inputs have (samples/count, cpu/nanoseconds); use pbmerge --types=union to merge them anyway'
    [ -z "$output" ]
}

@test "--types=union has all types, --types=intersect the common ones" {
    fixture cpu.pb.gz heap.pb.gz
    pbmerge -o both.pb.gz --types=union cpu.pb.gz heap.pb.gz
    { pprof_totals cpu.pb.gz; pprof_totals heap.pb.gz; } | sort >expected
    pprof_totals both.pb.gz | sort | diff expected -

    pbmerge -o cpu_of_both.pb.gz --types=intersect both.pb.gz cpu.pb.gz
    paste <(pprof_totals cpu.pb.gz) <(pprof_totals cpu.pb.gz) |
        awk '{ printf "%s %.0f\n", $1, $2 + $4 }' | sort >expected
    pprof_totals cpu_of_both.pb.gz | sort | diff expected -

    expect 3 pbmerge --types=intersect cpu.pb.gz heap.pb.gz
    same_err 'pbmerge: heap.pb.gz: no sample type in common: ' ...
    expect 2 pbmerge --types=some cpu.pb.gz
}

@test "-k leaves out what does not match or is damaged, with status 3" {
    fixture cpu.pb.gz heap.pb.gz
    head -c 100 cpu.pb.gz >cut.pb.gz
    cp cpu.pb.gz cpu2.pb.gz
    expect 5 pbmerge -k -o out.pb.gz cpu.pb.gz cut.pb.gz heap.pb.gz cpu2.pb.gz
    [ "$(wc -l <<<"$stderr")" = 2 ]
    same_err ... 'pbmerge: cut.pb.gz: ' ...
    same_err ... 'pbmerge: heap.pb.gz: sample types do not match' ...
    cmp <(pbmerge -0 out.pb.gz) <(pbmerge -0 cpu.pb.gz cpu2.pb.gz)
}

@test "-k keeps the types of most inputs, whatever their order" {
    local n order t words
    for n in 1 2 3 4 5; do
        echo "f;g$n $n" | folded2pb -o "cpu$n"
        echo "f;h$n $n" | folded2pb --sample-types=alloc/bytes -o "heap$n"
        echo "f;i$n $n" | folded2pb --sample-types=wall/seconds -o "wall$n"
    done
    pbmerge -0 -o wanted cpu[1-5]
    words='sample types do not match: (alloc/bytes) here, in 2 of 8 inputs, (samples/count) in 5; use pbmerge --types=union to merge them anyway'
    for order in 'heap1 heap2 wall1 cpu1 cpu2 cpu3 cpu4 cpu5' \
        'cpu1 heap2 wall1 cpu2 heap1 cpu3 cpu4 cpu5' \
        'cpu5 cpu4 cpu3 cpu2 cpu1 wall1 heap2 heap1' \
        'wall1 cpu5 heap2 cpu4 cpu3 heap1 cpu2 cpu1'; do
        for t in -T1 -T2 -T5 --memory=16M; do
            # shellcheck disable=SC2086
            expect 5 pbmerge -k -0 "$t" -o got $order
            cmp wanted got
            [ "$(wc -l <<<"$stderr")" = 2 ]
            same_err ... "pbmerge: heap1: $words" ...
            same_err ... 'pbmerge: wall1: sample types do not match: (wall/seconds) here, in 1 of 8 inputs' ...
            expect 5 pbmerge -k -0 "$t" -o got - < <(cat $order)
            cmp wanted got
        done
    done
    # Of sets that are equally common, the first in byte order.
    pbmerge -0 -o wanted heap1 heap2
    for order in 'heap1 heap2 cpu1 cpu2' 'cpu1 heap1 cpu2 heap2'; do
        # shellcheck disable=SC2086
        expect 5 pbmerge -k -0 -o got $order
        cmp wanted got
    done
}

@test "--only-types merges the inputs of these types, whatever their order" {
    local n order t words
    for n in 1 2 3; do
        echo "f;g$n $n 7" |
            folded2pb --sample-types=samples/count,cpu/ns -o "cpu$n"
        echo "f;h$n $n" | folded2pb --sample-types=alloc/bytes -o "heap$n"
    done
    echo 'f;g4 7 4' | folded2pb --sample-types=cpu/ns,samples/count -o cpu4
    echo 'f;g5 5' | folded2pb --sample-types=samples/count -o part
    echo 'f;g5 5 6 7' |
        folded2pb --sample-types=samples/count,cpu/ns,wall/ns -o more
    pbmerge -0 -o wanted cpu[1-4]
    words='pbmerge: warning: 5 of 9 inputs skipped: sample types (alloc/bytes) and others instead of'
    for order in 'heap1 heap2 heap3 part more cpu1 cpu2 cpu3 cpu4' \
        'cpu4 cpu3 cpu2 cpu1 more part heap3 heap2 heap1' \
        'more cpu2 heap1 cpu4 heap2 cpu1 part heap3 cpu3'; do
        for t in -T1 -T2 -T5 --memory=16M -k --strict; do
            # shellcheck disable=SC2086
            expect 0 pbmerge --only-types=samples/count,cpu/ns -0 "$t" -o got $order
            same_err "$words (samples/count,cpu/ns)"
            cmp wanted got
            expect 0 pbmerge --only-types=cpu,samples -0 "$t" -o got < <(cat $order)
            same_err "$words (cpu,samples)"
            cmp wanted got
        done
    done
    # Nothing remains of the types that were skipped.
    pbmerge -0 -o wanted heap2 heap3
    expect 0 pbmerge --only-types=alloc/bytes -0 -o got cpu1 heap2 cpu4 heap3
    same_err 'pbmerge: warning: 2 of 4 inputs skipped: sample types (cpu/ns,samples/count) and others instead of (alloc/bytes)'
    cmp wanted got
    expect 0 pbmerge --only-types=alloc/bytes -0 -o got heap2 heap3
    same_err ''
    cmp wanted got
    expect 0 pbmerge -q --only-types=alloc/bytes -0 -o got heap2 more heap3
    same_err ''
    cmp wanted got
}

@test "--only-types with no input of these types, or no types" {
    fixture cpu.pb.gz heap.pb.gz
    local list
    for list in cpu/nanoseconds samples/count,cpu/ms samples,samples /count \
        samples/count,cpu/nanoseconds,cpu; do
        expect 3 pbmerge --only-types="$list" -o out cpu.pb.gz cpu.pb.gz
        same_err "pbmerge: 2 of 2 inputs skipped: sample types (samples/count,cpu/nanoseconds) instead of ($list)"
        [ ! -e out ]
    done
    # The list in the message is the one to type.
    list=${stderr#*'types ('}
    expect 0 pbmerge --only-types="${list%%)*}" -o out cpu.pb.gz cpu.pb.gz
    same_err ''
    for list in '' ',' 'cpu,' ',cpu' 'cpu,,samples'; do
        expect 2 pbmerge --only-types="$list" cpu.pb.gz
        same_err "pbmerge: invalid value '$list' for --only-types: expected TYPE or TYPE/UNIT, several separated by commas" ...
    done
    expect 2 pbmerge --only-types=cpu --types=same cpu.pb.gz
    same_err 'pbmerge: --types cannot be combined with --only-types' ...
    # What cannot be read is an error, of whatever types it was.
    head -c 100 heap.pb.gz >cut
    expect 3 pbmerge --only-types=cpu,samples cpu.pb.gz cut
    expect 5 pbmerge -k --only-types=cpu,samples -o out cpu.pb.gz cut
}

@test "-k leaves out what fits the inputs before it no more, in their order" {
    local n t types=('alloc/bytes,calls/count' alloc/bytes calls/count)
    for n in 0 1 2; do
        echo "f $n 1" | folded2pb --sample-types="${types[n]}" -o "in$n"
    done
    pbmerge -0 --types=intersect -o wanted in0 in1
    # Threads that read two inputs at once find that out at their end.
    for t in 1 2 2 3 3 3 3; do
        expect 5 pbmerge -k -0 -T"$t" --types=intersect -o got in0 in1 in2
        same_err 'pbmerge: in2: no sample type in common: this input has (calls/count), earlier inputs have (alloc/bytes); use pbmerge --types=union to merge them anyway'
        cmp wanted got
    done
}

# with_period NAME TYPE VALUE writes a profile of one sample of this value, the
# period type TYPE (or none), and other strings than those of other types.
with_period() {
    perl -I"$ROOT/tests/cli" -MWire -e 'binmode STDOUT;
        print text(1, int64(1, 1)), text(2, text(1, num(1)) .
            text(2, num($ARGV[1]))), text(4, int64(1, 1)), text(6, ""),
            text(6, "count"), $ARGV[0] &&
            text(11, int64(1, 2)) . text(6, $ARGV[0])' "$2" "$3" >"$1"
}

@test "-k keeps the period type of most inputs, whatever their order" {
    local n order t advice='; use pbmerge --types=union to merge them anyway'
    for n in 1 2 3; do
        with_period "cpu$n" cpu "$n"
        with_period "wall$n" wall "$((n + 3))"
        with_period "p$n" '' "$((n + 6))"
        echo "f;h$n $n" | folded2pb --sample-types=alloc/bytes -o "heap$n"
    done
    # Inputs without a period type, as p1, go with any.
    pbmerge -0 -o wanted p1 p2 cpu[1-3]
    for order in 'wall1 cpu1 cpu2 p1 wall2 cpu3 p2' \
        'p1 p2 wall1 wall2 cpu1 cpu2 cpu3' 'cpu3 p2 cpu2 p1 cpu1 wall2 wall1' \
        'wall2 wall1 p2 cpu3 cpu1 p1 cpu2' 'cpu1 wall2 p1 cpu3 wall1 cpu2 p2'; do
        for t in -T1 -T2 -T5 --memory=16M; do
            # shellcheck disable=SC2086
            expect 5 pbmerge -k -0 "$t" -o got $order
            same_err "pbmerge: wall1: period types do not match: wall/ here, in 2 of 7 inputs, cpu/ in 5$advice"
            cmp wanted got
        done
    done
    # They count for their sample types: 3 of cpu and 1 without are 4.
    for order in 'heap1 heap2 heap3 p1 cpu1 cpu2 cpu3' \
        'cpu3 cpu2 heap3 heap2 cpu1 heap1 p1' 'p1 heap1 cpu2 heap2 cpu3 heap3 cpu1'; do
        # shellcheck disable=SC2086
        expect 5 pbmerge -k -0 -o got $order
        same_err "pbmerge: heap1: sample types do not match: (alloc/bytes) here, in 3 of 7 inputs, (count/) in 4$advice"
        cmp <(pbmerge -0 p1 cpu[1-3]) got
    done
    # Of equally common ones, the first in byte order.
    for t in 1 2 2 3 3 3 3; do
        for order in 'p1 cpu1 wall1' 'wall1 cpu1 p1' 'wall1 p1 cpu1'; do
            # shellcheck disable=SC2086
            expect 5 pbmerge -k -0 -T"$t" -o got $order
            same_err "pbmerge: wall1: period types do not match: wall/ here, in 1 of 3 inputs, cpu/ in 2$advice"
            cmp <(pbmerge -0 p1 cpu1) got
        done
    done
    # Without -k, the first that a thread refuses ends it: so one thread.
    expect 3 pbmerge -T1 p1 cpu1 wall1
    same_err "pbmerge: wall1: period types do not match: this input has wall/, earlier inputs have cpu/$advice"
}

@test "-k compares equally common types in their least order" {
    local order
    echo 'f 1 2' | folded2pb --sample-types=a/x,z/x -o az
    echo 'f 1 2' | folded2pb --sample-types=z/x,a/x -o za
    echo 'f 1' | folded2pb --sample-types=b/x -o b1
    echo 'g 1' | folded2pb --sample-types=b/x -o b2
    for order in 'az za b1 b2' 'za az b1 b2' 'b1 za b2 az'; do
        # shellcheck disable=SC2086
        expect 5 pbmerge -k -0 -o got $order
        same_err 'pbmerge: b1: sample types do not match: (b/x) here, in 2 of 4 inputs, (a/x, z/x) in 2' ...
        cmp <(pbmerge -0 az za) got
    done
}

@test "what -k leaves out leaves no trace, whatever the number of threads" {
    fixture build old.pb.gz new.pb.gz
    local good=(old.pb.gz build/{a,b,c}/test.pb.gz new.pb.gz) bad=() n t
    for n in 1 2 3 4 5 6; do
        pbmerge -0 new.pb.gz | head -c $((n * 700)) >"cut$n"
        printf '\x0a\xff\x7f' >>"cut$n"
        bad+=("cut$n")
    done
    pbmerge -o all "${good[@]}"
    for t in 1 2 5; do
        expect 5 pbmerge -k -T "$t" -o some "${bad[@]}" "${good[@]}" "${bad[@]}"
        [ "$(wc -l <<<"$stderr")" = 12 ]
        cmp all some
    done
}

@test "members that are each a profile, and members that are one" {
    fixture old.pb.gz new.pb.gz
    pbmerge -o both old.pb.gz new.pb.gz
    cat old.pb.gz new.pb.gz >members
    pbmerge members | cmp both -
    pbmerge -0 old.pb.gz >raw
    { head -c 900 raw | gzip; tail -c +901 raw | gzip; } >pieces
    pbmerge pieces new.pb.gz | cmp both -
    expect 5 pbmerge -k -o some pieces none new.pb.gz pieces
    pbmerge pieces new.pb.gz pieces | cmp some -
}

@test "what is no profile is refused by what it is" {
    gzip -dc "$DATA/tour/cpu.pb.gz" >cpu.pb
    refused() {
        expect 3 pbmerge -o out "$1"
        same_err "pbmerge: $1: $2"
        [ ! -e out ]
    }
    refused "$DATA/tour/gmon.out" \
        "not a profile.proto message: found a gmon.out file; use gmon2pb"
    refused "$DATA/cpu.prof" \
        "not a profile.proto message: found a gperftools CPU profile; use prof2pb"
    refused "$BASH" \
        "not a profile.proto message: found a program or library (ELF); the program of a profile is specified with -e FILE (pbcat, pbsym)"
    echo "Type: cpu" >text
    refused text "not a profile.proto message: found text"
    printf '{"nodes":[{"id":1}],"startTime":0,"endTime":9,"samples":[1]}' >v8.cpuprofile
    refused v8.cpuprofile "not a profile.proto message: found a CPU profile of V8 (.cpuprofile)"
    printf '<!DOCTYPE html>\n<title>Sign in</title>\n' >page
    refused page "not a profile.proto message: found an HTML page"
    while IFS='|' read -r begin words; do
        printf "$begin" >other
        refused other "not a profile.proto message: found $words"
    done <<'EOF'
<?xml version="1.0"?>\n|an XML or SVG file
{"head":{"callFrame":{}}}|a heap profile of V8 (.heapprofile)
v8-version,11,3\n|a log of V8; use node --perf-basic-prof with perf record
{"$schema":"https://www.speedscope.app/x"}|a profile of speedscope
{"traceEvents":[]}|a trace of Chrome
{"meta":{}}|a profile of Firefox
FLR\0\0\2|a Java flight recording; convert it to folded stacks, as 'jfrconv -o collapsed' of async-profiler does
JAVA PROFILE 1.0.2\0|a Java heap dump (.hprof)
DTiJ\1\0|code of a JIT compiler (jitdump); use 'perf inject --jit'
\201rforpl\377|counts of LLVM (.profraw)
\377lprofi\201|counts of LLVM (.profdata)
adcg\0|coverage counts of GCC (.gcda)
go 1.23 trace\0|an execution trace of Go; get a profile by go tool trace -pprof=TYPE
\373)\3\332\1~|a profile of Python's cProfile; convert it to folded stacks, as 'flameprof --format=log' does
# callgrind format\nversion: 1\n|a profile of callgrind
Flat profile:\n\n|the output of gprof; pass gmon.out to gmon2pb
@[\n    f+16\n]: 5\n|the output of bpftrace; use stackcollapse-bpftrace.pl of FlameGraph
File: a\nType: cpu\n|the output of pbcat or pprof
EOF
    gzip -c "$DATA/tour/cpu.pb.gz" >twice.gz
    refused twice.gz "not a profile.proto message: found gzip data inside gzip data"
    # bare profiles do not keep apart when they are concatenated
    cat cpu.pb cpu.pb >two.pb
    refused two.pb "duplicate mapping id 1 (several uncompressed profiles concatenated?)"
    cat cpu.pb cpu.pb | zstd -q >two.zst
    refused two.zst "duplicate mapping id 1 (several uncompressed profiles concatenated?)"
}

@test "functions without ids, as of .NET, count from 1" {
    protoc --encode=perftools.profiles.Profile -I "$ROOT/lib/profile/wire" profile.proto \
        >net.pb <<<"
        sample_type { type: 1 unit: 2 }
        sample { location_id: [1, 2] value: 7 }
        location { id: 1 line { function_id: 2 } }
        location { id: 2 line { function_id: 1 } }
        function { name: 3 } function { name: 4 }
        string_table: ['', 'cpu', 'count', 'Main', 'Work']"
    expect 0 pbmerge -o out.pb.gz net.pb
    same_err "pbmerge: net.pb: warning: functions have no IDs; numbered from 1 in their order"
    go_pprof -traces out.pb.gz | awk "{ print \$NF }" | tail -n 3 |
        tr "\n" " " | grep "^Work Main -"
}

@test "lines without a function are kept, with a warning" {
    encode >none.pb <<'END'
sample_type { type: 1 unit: 2 }
sample { location_id: 1 value: 1 }
location { id: 1 address: 1 line { line: 7 } line { function_id: 1 line: 9 } }
function { id: 1 name: 3 }
string_table: ["", "cpu", "nanoseconds", "main"]
END
    expect 0 pbmerge -o out none.pb
    same_err 'pbmerge: none.pb: warning: 1 line without a function: pprof refuses such profiles; repair with pbfilter --repair'
    expect 0 pbcat --json out
    [ "$(jq -c '[.location[].line[] | [.function, .line]]' <<<"$output")" = \
        '[[null,"7"],[0,"9"]]' ]
    expect 0 pbfilter --repair -o repaired out
    expect 0 go_pprof -raw repaired
}

@test "without -k nothing is written" {
    fixture cpu.pb.gz
    head -c 100 cpu.pb.gz >cut.pb.gz
    expect 3 pbmerge -o out.pb.gz cpu.pb.gz cut.pb.gz
    [ ! -e out.pb.gz ]
    diff <(ls -A | grep -v ^separate) <(printf "%s\n" cpu.pb.gz cut.pb.gz)
}

@test "lists, pipes and archives give what operands give" {
    fixture build profiles.tar.gz
    pbmerge -0 -o operands build/a/test.pb.gz build/b/test.pb.gz \
        build/c/test.pb.gz
    printf '%s\n' build/*/test.pb.gz >list
    cmp operands <(pbmerge -0 --files-from=list)
    cmp operands <(printf '%s\0' build/*/test.pb.gz | pbmerge -0 --files0-from=-)
    cmp operands <(cat build/*/test.pb.gz | pbmerge -0)
    cmp operands <(cat build/*/test.pb.gz | pbmerge -0 -)
    cmp operands <(pbmerge -0 profiles.tar.gz)
    cmp operands <(pbmerge -0 <profiles.tar.gz)
}

@test "bytes do not depend on order, grouping or threads" {
    fixture build old.pb.gz new.pb.gz
    pbmerge -o all build/*/test.pb.gz old.pb.gz new.pb.gz
    for t in 1 2 3 8; do
        pbmerge -T "$t" new.pb.gz build/{c,a,b}/test.pb.gz old.pb.gz |
            cmp all -
    done
    pbmerge -o part build/b/test.pb.gz new.pb.gz
    pbmerge build/a/test.pb.gz part old.pb.gz build/c/test.pb.gz | cmp all -
    pbmerge all | cmp all -
}

@test "thousands of inputs, with few files open" {
    fixture cpu.pb.gz
    for ((i = 0; i < 3000; i++)); do echo cpu.pb.gz; done >list
    (ulimit -n 32 && pbmerge -T 4 -o all.pb.gz --files-from=list)
    pbmerge --scale=3000 -o scaled.pb.gz cpu.pb.gz
    diff <(pprof_totals all.pb.gz) <(pprof_totals scaled.pb.gz)
}

@test "scaling that overflows is an error" {
    fixture cpu.pb.gz
    expect 3 pbmerge --scale=999999999999999999 cpu.pb.gz
    same_err 'pbmerge: a value of ' ... ' exceeds 64 bits when scaled'
}

# Prints the difference of two 64-bit numbers, or nothing if it does not fit.
difference() { # A B
    perl -MMath::BigInt -e 'my $d = Math::BigInt->new($ARGV[0])->bsub($ARGV[1]);
        my $end = Math::BigInt->new(2)->bpow(63);
        print $d if $d >= -$end && $d < $end' -- "$@"
}

# Only the difference has to fit 64 bits.
@test "a base with the least value of 64 bits" {
    local a b d
    value() { # NAME VALUE
        encode >"$1.pb" <<END
sample_type { type: 1 unit: 2 } string_table: "" string_table: "n"
string_table: "count" sample { location_id: 1 value: $2 }
location { id: 1 address: 16 }
END
    }
    for a in -9223372036854775808 -9223372036854775807 -1 1 9223372036854775807
    do
        value a $a
        for b in -9223372036854775808 -9223372036854775807 -1 1 \
            9223372036854775807; do
            value b $b
            d=$(difference $a $b)
            if [ -z "$d" ]; then
                expect 3 pbmerge --base=b.pb -o out.pb a.pb
                same_err ... ' exceeds 64 bits'
                continue
            fi
            expect 0 pbmerge --base=b.pb -o out.pb a.pb
            pbcat -q --json out.pb >json
            [ "$(jq -r '[.sample[].value[0]] | add // "0"' json)" = "$d" ]
            pbcat -q --raw --base=b.pb a.pb >raw
            [ "$d" = 0 ] || grep -q "^ *$d:" raw
            pbfilter --base=b.pb -o out2.pb a.pb 2>err || grep -q base err
        done
    done
    # The base's samples are beside the others': 2^63 has no room.
    value a -9223372036854775808
    expect 3 pbcat --diff-base=a.pb --raw a.pb
    # What is scaled to itself is left as it is.
    expect 0 pbmerge --normalize --base=a.pb -o out.pb a.pb
    [ "$(pbcat -q --json out.pb | jq '.sample | length')" = 0 ]
}

# Inputs that each bring types: columns are made for more of them than are
# there, which neither results nor sums of threads show.
@test "a union of many types" {
    local i
    mkdir in
    perl -I"$ROOT/tests/cli" -MWire -e 'for my $i (1 .. 60) {
        my @types = ($i, $i + 1, 99);
        open my $to, ">", "in/$i.pb" or die;
        binmode $to;
        print $to (map { text(1, int64(1, $_ + 1) . int64(2, 1)) } 1 .. 3),
            text(2, text(1, num(1)) .
                text(2, join "", map num($_ * $i), 1 .. 3)),
            text(4, int64(1, 1) . int64(3, 16 + $i % 5)), text(6, ""),
            text(6, "count"), map { text(6, sprintf "t%03d", $_) } @types;
    }'
    # Type i has the first value of file i, and the second of the one before.
    for i in {1..60}; do printf 't%03d %d\n' "$i" $((3 * i - 2)); done >wanted
    printf 't061 120\nt099 %d\n' $((3 * 60 * 61 / 2)) >>wanted
    cd in
    pbmerge --types=union -T1 -o ../1.pb {1..60}.pb
    pbmerge --types=union -T2 -o ../2.pb {60..1}.pb
    pbmerge --types=union -T4 --memory=64M -o ../3.pb {30..60}.pb {1..29}.pb
    pbmerge --types=union -T1 -o part.pb {20..40}.pb
    pbmerge --types=union -T2 -o ../4.pb {1..19}.pb part.pb {41..60}.pb
    cd ..
    for i in 2 3 4; do cmp 1.pb "$i.pb"; done
    pbcat -q --json 1.pb >json
    [ "$(jq '.sample | length' json)" = 5 ]
    jq -r '.sample_type as $t | [.sample[].value | to_entries[]] |
        group_by(.key)[] | "\($t[.[0].key].type) \([.[].value | tonumber] |
        add)"' json >found
    diff wanted found
}
