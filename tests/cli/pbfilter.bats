# pbfilter: what its own options do, what it says, and how it ends.  That it
# filters as pprof does is in pbfilter_oracle.bats.

load helper

# numbers.pb: testdata/labels.textproto as a profile.
setup() {
    setup_scratch
    protoc --proto_path="$ROOT/lib/profile/wire" \
        --encode=perftools.profiles.Profile "$ROOT/lib/profile/wire/profile.proto" \
        <"$DATA/labels.textproto" >numbers.pb
}

# Sums and stacks of a profile: a line of values, labels and functions for
# each sample, leaf first.
shown() {
    protoc --proto_path="$ROOT/lib/profile/wire" \
        --decode=perftools.profiles.Profile "$ROOT/lib/profile/wire/profile.proto" |
        perl -e '
            my (@s, %l, %f, @str, $top, %cur, @lines);
            while (<STDIN>) {
                if (/^(\w+) \{/) { $top = $1; %cur = (); @lines = (); next }
                if (/^string_table: "(.*)"/) { push @str, $1; next }
                if (/^}/) {
                    push @s, {%cur} if $top eq "sample";
                    $f{$cur{id}[0]} = $cur{name}[0] if $top eq "function";
                    $l{$cur{id}[0]} = $cur{function_id} if $top eq "location";
                    next;
                }
                push @{$cur{$1}}, $2 if /^ +(\w+): (\S+)/;
            }
            for (@s) {
                my @stack = map {
                    join "<", map { $str[$f{$_} // 0] || "-" } @{$l{$_} || [0]}
                } @{$_->{location_id}};
                print "@{$_->{value}}: @stack\n";
            }' | sort
}

# The same of what pbfilter makes of numbers.pb.
filtered() {
    pbfilter -0 "$@" numbers.pb | shown
}

# profile LEAF:VALUE...: a sample of main and this leaf for each.  Leaves are
# b, a and c, in this order in the profile.
profile() {
    {
        echo 'string_table: "" string_table: "cpu" string_table: "ns"
            string_table: "main" string_table: "b" string_table: "a"
            string_table: "c" sample_type { type: 1 unit: 2 }'
        local i
        for i in 1 2 3 4; do
            echo "function { id: $i name: $((i + 2)) }
                location { id: $i line { function_id: $i } }"
        done
        local -A id=([b]=2 [a]=3 [c]=4)
        for i; do
            echo "sample { location_id: ${id[${i%:*}]} location_id: 1
                value: ${i#*:} }"
        done
    } | protoc --proto_path="$ROOT/lib/profile/wire" \
        --encode=perftools.profiles.Profile "$ROOT/lib/profile/wire/profile.proto"
}

@test "samples keep their order, equal ones are summed where the first is" {
    profile c:1 a:2 b:0 c:10 b:4 a:20 c:100 >p.pb
    pbfilter -0 p.pb >all.pb
    protoc --proto_path="$ROOT/lib/profile/wire" \
        --decode=perftools.profiles.Profile "$ROOT/lib/profile/wire/profile.proto" \
        <all.pb | grep -E '^  (value|location_id)|string' | tr -d '\n' >got
    # main has most frames; leaves have one each, and their order.
    [ "$(cat got)" = "$(printf '%s' \
        '  location_id: 4  location_id: 1  value: 111' \
        '  location_id: 3  location_id: 1  value: 22' \
        '  location_id: 2  location_id: 1  value: 4' \
        'string_table: ""string_table: "cpu"string_table: "ns"' \
        'string_table: "main"string_table: "b"string_table: "a"' \
        'string_table: "c"')" ]
    cmp <(pbmerge all.pb) <(pbmerge p.pb)
    cmp <(pbfilter -0 --ignore='^a$' p.pb) \
        <(profile c:111 b:4 | pbfilter -0)
    cmp all.pb <(pbfilter -0 all.pb)
}

@test "samples that cancel leave no trace" {
    profile a:5 b:1 a:-5 >p.pb
    cmp <(pbfilter -0 p.pb) <(profile b:1 | pbfilter -0)
}

@test "a canonical profile stays so, and what is left of it in order" {
    fixture cpu.pb.gz heap.pb.gz
    local p
    for p in cpu.pb.gz heap.pb.gz numbers.pb; do
        pbmerge -0 "$p" >canonical.pb
        cmp canonical.pb <(pbfilter -0 canonical.pb)
        pbfilter -0 --ignore='[aeiou]{2}|helper' canonical.pb >some.pb
        ! cmp -s canonical.pb some.pb || false
        cmp <(pbcat --traces some.pb) <(pbmerge some.pb | pbcat --traces)
        cmp <(pbmerge "$p") <(pbfilter "$p" | pbmerge)
    done
}

@test "filtering again changes nothing" {
    fixture cpu.pb.gz
    pbfilter --focus=bank --hide=runtime -o once.pb.gz cpu.pb.gz
    pbfilter --focus=bank --hide=runtime -o twice.pb.gz once.pb.gz
    cmp once.pb.gz twice.pb.gz
}

@test "only what the samples need is written" {
    pbfilter -0 --focus=idle numbers.pb >idle.pb
    run strings -n 3 idle.pb
    [[ $output == *idle* && $output == *main.c* ]]
    [[ $output != *grow* && $output != *request* ]]
    pbfilter -0 --focus=idle --ignore=work numbers.pb >idle.pb
    run strings -n 3 idle.pb
    [[ $output == *idle* && $output != *helper$'\n'* ]]
}

@test "drop_frames are applied on demand only" {
    filtered | grep -qx '7 70: - alloc(int)<grow main'
    filtered --prune | grep -qx '7 70: grow main'
}

@test "drop-frames and keep-frames replace the profile's" {
    filtered --drop-frames='gro.*|work' | grep -qx '7 70: main'
    filtered --drop-frames='gro' | grep -qx '7 70: - alloc(int)<grow main'
    filtered --prune --keep-frames='al.*' |
        grep -qx '7 70: - alloc(int)<grow main'
    filtered --keep-frames='xy' | grep -qx '7 70: grow main'
    filtered --drop-frames='work|grow' --keep-frames='work' >kept
    grep -qx '5 50: - helper<work main' kept
    grep -qx '7 70: main' kept
}

@test "a drop_frames that is no regexp is bad input, on demand" {
    sed 's/alloc|free/alloc|(/' "$DATA/labels.textproto" |
        protoc --proto_path="$ROOT/lib/profile/wire" \
            --encode=perftools.profiles.Profile "$ROOT/lib/profile/wire/profile.proto" \
            >bad.pb
    pbfilter bad.pb >/dev/null
    expect 3 pbfilter --prune bad.pb
    same_err "pbfilter: bad.pb: drop_frames of the profile: invalid regular expression '^(alloc|()\$': unclosed '(' at offset 1"
}

@test "the order of options does not matter" {
    cmp <(pbfilter --focus=work --hide=helper --tagroot=job --lines numbers.pb) \
        <(pbfilter --lines --tagroot=job --hide=helper --focus=work numbers.pb)
}

@test "underscores are dashes" {
    cmp <(pbfilter --show_from=work --divide_by=2 numbers.pb) \
        <(pbfilter --show-from=work --divide-by=2 numbers.pb)
    cmp <(pbfilter --sample_index=space --trim_path=/src numbers.pb) \
        <(pbfilter --sample-index=space --trim-path=/src numbers.pb)
}

@test "an empty value is none" {
    expect 0 pbfilter -0 --focus= --ignore= --hide= --show= --show-from= \
        --prune-from= --tagfocus= --tagignore= --tagshow= --taghide= \
        --tagroot= --tagleaf= --drop-frames= --keep-frames= --unit= \
        --sample-index= --trim-path= --granularity= -o out numbers.pb
    [ -z "$output$stderr" ]
    cmp out <(pbfilter -0 numbers.pb)
}

@test "the last of an option counts" {
    cmp <(pbfilter --focus=idle --focus=work numbers.pb) \
        <(pbfilter --focus=work numbers.pb)
    cmp <(pbfilter --focus=idle --focus= numbers.pb) <(pbfilter numbers.pb)
}

@test "standard input, several inputs" {
    fixture old.pb.gz new.pb.gz
    cmp <(pbfilter --focus=bank <old.pb.gz) <(pbfilter --focus=bank old.pb.gz)
    cmp <(pbfilter --focus=bank old.pb.gz new.pb.gz) \
        <(pbmerge new.pb.gz old.pb.gz | pbfilter --focus=bank -)
}

@test "a bad regexp is found before any input is read" {
    expect 2 pbfilter --focus='a(b' missing.pb
    same_err "pbfilter: --focus: invalid regular expression 'a(b': unclosed '(' at offset 1"
    expect 2 pbfilter --taghide='a++' missing.pb
    same_err "pbfilter: --taghide: invalid regular expression 'a++': repetition of a repetition at offset 2"
    expect 2 pbfilter --show-from='(?=x)' missing.pb
    same_err "pbfilter: --show-from: invalid regular expression '(?=x)': unsupported group syntax at offset 0"
    expect 2 pbfilter --tagfocus='job=a,[' missing.pb
    same_err "pbfilter: --tagfocus: invalid regular expression '[': unclosed '[' at offset 0"
    expect 2 pbfilter --tagignore='99999999999999999999kb:' missing.pb
    same_err 'pbfilter: --tagignore: number too large: 99999999999999999999'
    expect 2 pbfilter --drop-frames='a)' missing.pb
    same_err "pbfilter: --drop-frames: invalid regular expression '^(a))\$': unmatched ')' at offset 4"
}

@test "bad values are usage errors" {
    expect 2 pbfilter --granularity=function numbers.pb
    same_err "pbfilter: invalid value 'function' for --granularity: expected addresses, lines, functions, filefunctions, files or binaries"
    for x in 0 -1 x '' nan inf 1e999; do
        expect 2 pbfilter --divide-by="$x" numbers.pb
        same_err "pbfilter: invalid value '$x' for --divide-by: expected a number greater than 0"
    done
    expect 2 pbfilter --sample-index=time numbers.pb
    same_err "pbfilter: numbers.pb: no sample type 'time': expected one of: samples space"
    expect 2 pbfilter --mean --sample-index=2 numbers.pb
    same_err "pbfilter: numbers.pb: no sample type '2': expected 0 to 1"
}

@test "a filter that matches nothing warns, and is silent with -q" {
    expect 0 pbfilter -o out --hide=nobody --prune-from=nobody numbers.pb
    same_err 'pbfilter: warning: --hide: regular expression matched no samples
pbfilter: warning: --prune-from: regular expression matched no samples'
    expect 0 pbfilter -q -o out --focus=nobody numbers.pb
    [ -z "$stderr" ]
}

@test "--fail-empty: status 1 and no output when nothing is left" {
    expect 1 pbfilter --fail-empty -q -o out --focus=nobody numbers.pb
    same_err 'pbfilter: numbers.pb: no samples left after filtering'
    expect 1 bash -c 'pbfilter -q --fail-empty --focus=nobody <numbers.pb'
    same_err 'pbfilter: (standard input): no samples left after filtering'
    [ ! -e out ]
    expect 0 pbfilter --fail-empty -o out --focus=work numbers.pb
    [ -s out ]
    # Nothing but zeros is nothing.
    expect 1 pbfilter --fail-empty --divide-by=1000 numbers.pb
}

@test "without --fail-empty nothing is an empty profile" {
    expect 0 pbfilter -o out --focus=nobody numbers.pb
    [ "$(pprof_totals out)" = "samples/count 0
space/bytes 0" ]
}

@test "a range is told with -v" {
    expect 0 pbfilter -v --tagfocus=bytes=1kb: -o out numbers.pb
    same_err ... "--tagfocus: '1kb:' is read as a range, not as a regular expression" ...
}

@test "labels with several units say which one counts" {
    expect 0 pbfilter --tagfocus=wait=1s: -o out numbers.pb
    same_err 'pbfilter: warning: label wait: numbers with unit ms and s are mixed; the first unit is used'
}

@test "--sample-index keeps one type" {
    fixture heap.pb.gz
    pbfilter --sample-index=0 -o samples.pb.gz numbers.pb
    [ "$(pprof_totals samples.pb.gz)" = 'samples/count 28' ]
    pbfilter --sample-index=alloc_space -o space.pb.gz heap.pb.gz
    [ "$(pprof_totals space.pb.gz)" = \
        "$(pprof_totals heap.pb.gz | grep alloc_space)" ]
}

@test "--mean divides sums of equal stacks by their count" {
    # Without labels: 1+2 of the first stack with 10+20, 3+4 with 30-40.
    filtered --mean --drop-labels >mean
    diff mean - <<'END'
-1: ns::idle(int) main
10: - alloc(int)<grow main
10: - helper<work main
10: - ns::idle(int) helper<work main
10: helper<work main
END
    pbfilter --mean -o mean.pb.gz numbers.pb
    go_pprof -raw mean.pb.gz | grep -qx 'mean_space/bytes'
}

@test "--divide-by rounds each value towards zero" {
    filtered --divide-by=20 --drop-labels | diff - <(cat <<'END'
0 -1: ns::idle(int) main
0 1: helper<work main
0 2: - helper<work main
0 3: - alloc(int)<grow main
0 3: - ns::idle(int) helper<work main
END
    )
    filtered --divide-by=0.5 | grep -qx '14 140: - alloc(int)<grow main'
}

@test "--divide-by that overflows is bad input" {
    expect 3 pbfilter --divide-by=1e-300 numbers.pb
    same_err 'pbfilter: numbers.pb: a value of sample 0 exceeds 64 bits when divided by 1e-300'
}

@test "--drop-labels makes samples one that differ by labels" {
    [ "$(filtered | grep -c ': helper<work main')" = 2 ]
    filtered --drop-labels | grep -qx '3 30: helper<work main'
}

@test "--tagfocus sees labels that are dropped afterwards" {
    filtered --tagfocus=job=import --drop-labels | diff - <(cat <<'END'
1 10: helper<work main
3 30: ns::idle(int) main
END
    )
}

@test "--trim-path takes directories off, after filters saw them" {
    pbfilter --trim-path=/nowhere:/src --focus=/src/lib -o out numbers.pb
    go_pprof -raw out >raw
    grep -q ' helper lib/helper.h:12' raw
    grep -q ' work main.c:5' raw
    run -1 grep ' /src/' raw
}

@test "--granularity: locations that look the same become one" {
    fixture cpu.pb.gz
    n=$(pbfilter -0 cpu.pb.gz | wc -c)
    for g in lines filefunctions functions; do
        m=$(pbfilter -0 --$g cpu.pb.gz | wc -c)
        [ "$m" -lt "$n" ]
        n=$m
        cmp <(pbfilter --$g cpu.pb.gz) <(pbfilter --granularity=$g cpu.pb.gz)
    done
    cmp <(pbfilter --addresses cpu.pb.gz) <(pbfilter cpu.pb.gz)
    run strings -n 3 <(pbfilter -0 --granularity=files cpu.pb.gz)
    [[ $output == *bank_test.go* && $output != *runtime.main* ]]
}

@test "--noinlines keeps the outermost function" {
    filtered --noinlines | grep -qx '7 70: - grow main'
    filtered --noinlines | grep -qx '5 50: - work main'
}

@test "totals stay when frames go" {
    fixture cpu.pb.gz
    pprof_totals cpu.pb.gz >before
    for option in --prune --noinlines --functions --taghide=. --tagroot=x \
        --prune-from=bank --drop-labels --trim-path=/usr; do
        pbfilter -q $option -o out.pb.gz cpu.pb.gz
        pprof_totals out.pb.gz | diff before -
    done
}

@test "what is not a profile is bad input" {
    echo 'no profile' >bad
    expect 3 pbfilter --focus=x bad
    [ -z "$output" ]
    same_err 'pbfilter: bad: ' ...
}

# What Go's compiler takes of a profile (cmd/internal/pgo): calls, as caller,
# callee and line counted from the caller's start; each once per sample.
calls() { # FILE
    pbcat -q --json "$1" | jq -r '. as $p | .sample[] | .value[0] as $v |
        [.location[] | $p.location[.].line[]] | . as $l |
        [range(1; length) | "\($p.function[$l[.].function].name)" +
            " \($p.function[$l[. - 1].function].name)" +
            " \(($l[.].line | tonumber) -
                ($p.function[$l[.].function].start_line | tonumber))"] |
        unique[] | "\(.) \($v)"' |
        awk '{ sum[$1 " " $2 " " $3] += $4 }
            END { for (c in sum) printf "%s %.0f\n", c, sum[c] }' | sort
}

@test "what is left for Go's compiler" {
    encode >pgo.pb <<'END'
sample_type { type: 1 unit: 2 } sample_type { type: 3 unit: 4 }
sample { location_id: 1 location_id: 3 value: 2 value: 20
    label { key: 8 str: 9 } }
sample { location_id: 2 location_id: 3 value: 3 value: 30 }
sample { location_id: 4 location_id: 3 value: 4 value: 40 }
mapping { id: 1 memory_start: 4096 memory_limit: 8192 }
location { id: 1 mapping_id: 1 address: 4100 line { function_id: 1 line: 12 } }
location { id: 2 mapping_id: 1 address: 4104 line { function_id: 1 line: 12 } }
location { id: 3 mapping_id: 1 address: 4200 line { function_id: 3 line: 35 } }
location { id: 4 mapping_id: 1 address: 4300 line { function_id: 2 line: 22 }
    line { function_id: 1 line: 14 } }
function { id: 1 name: 5 system_name: 5 filename: 10 start_line: 10 }
function { id: 2 name: 6 system_name: 6 filename: 10 start_line: 20 }
function { id: 3 name: 7 system_name: 7 filename: 10 start_line: 30 }
string_table: "" string_table: "samples" string_table: "count"
string_table: "cpu" string_table: "nanoseconds" string_table: "leaf"
string_table: "inlined" string_table: "main" string_table: "k"
string_table: "v" string_table: "/src/a.go"
END
    calls pgo.pb >wanted
    diff - wanted <<'END'
leaf inlined 4 4
main leaf 5 9
END
    local option
    for option in --drop-labels --taghide=. --trim-path=/src --addresses \
        --lines --sample-index=samples; do
        pbfilter "$option" -o out.pb pgo.pb
        calls out.pb | diff wanted -
    done
    pbfilter --sample-index=cpu --drop-labels --lines -o out.pb pgo.pb
    calls out.pb | diff <(sed 's/$/0/' wanted) -
    # Without start lines the compiler refuses it.
    for option in --functions --filefunctions --granularity=files; do
        pbfilter "$option" -o out.pb pgo.pb
        [ "$(pbcat -q --json out.pb |
            jq '[.function[].start_line] | unique == ["0"]')" = true ]
    done
}

# A value of each of four types for two stacks, and one that only two have.
four_types() {
    printf '%s\n' 'main;f 1 10 2 20' 'main;g 3 30 0 0' 'main;h 0 0 5 50' |
        folded2pb -o four.pb --sample-types="$(printf '%s' \
            alloc_objects,alloc_space/bytes,inuse_objects,inuse_space/bytes)"
}

@test "--keep-types keeps the types that a pattern matches" {
    four_types
    expect 0 bash -c "pbfilter --keep-types='alloc_*' four.pb | pbcat --csv"
    # main;h has no value any more.
    same 'alloc_objects/count,alloc_space/bytes,stack
1,10,"f;main"
3,30,"g;main"'
    expect 0 bash -c "pbfilter --keep-types='inuse_space,*_obj[e]cts' four.pb |
        pbcat --csv"
    same 'alloc_objects/count,inuse_objects/count,inuse_space/bytes,stack
1,2,20,"f;main"
3,0,0,"g;main"
0,5,50,"h;main"'
    # --sample-index chooses among what is left.
    cmp <(pbfilter --keep-types='*_space' --sample-index=0 four.pb) \
        <(pbfilter --sample-index=alloc_space four.pb)
    cmp <(pbfilter --keep-types='*' four.pb) <(pbfilter four.pb)
    expect 0 pbfilter --keep-types='alloc_*,cpu' -o out.pb four.pb
    same_err "pbfilter: warning: --keep-types: no sample type matches 'cpu'"
    expect 2 pbfilter --keep-types='cpu' -o out2.pb four.pb
    [ ! -e out2.pb ]
    same_err ... "pbfilter: four.pb: --keep-types=cpu matches no sample type: expected one of: alloc_objects alloc_space inuse_objects inuse_space"
    expect 2 pbfilter --sample-index=inuse_space --keep-types='alloc_*' four.pb
    local value
    for value in '' ',' 'a,' ',a' 'a,,b'; do
        expect 2 pbfilter --keep-types=$value four.pb
        same_err "pbfilter: invalid value '$value' for --keep-types: expected PATTERN, several separated by commas"
    done
}

@test "--rename-type gives types other names and units" {
    four_types
    expect 2 pbfilter --rename-type=alloc_space=a=b/kB four.pb
    # The last "=" ends the old name.
    same_err "pbfilter: four.pb: --rename-type=alloc_space=a=b/kB: no sample type 'alloc_space=a': expected one of: alloc_objects alloc_space inuse_objects inuse_space"
    expect 0 bash -c 'pbfilter --rename-type=alloc_space=b/kB \
        --rename-type=3=mem/use --rename-type=alloc_objects=alloc four.pb |
        pbcat --csv | head -n 1'
    same 'alloc/count,b/kB,inuse_objects/count,mem/use,stack'
    # Names can be exchanged, and come back.
    pbfilter --rename-type=0=inuse_objects --rename-type=2=alloc_objects \
        -o exchanged.pb four.pb
    expect 0 bash -c 'pbcat --csv exchanged.pb | sed -n 2p'
    same '1,10,2,20,"f;main"'
    cmp <(pbfilter --rename-type=0=alloc_objects \
        --rename-type=2=inuse_objects exchanged.pb) <(pbfilter four.pb)
    # Names of events contain both characters that separate.
    encode >event.pb <<'END'
string_table: ["", "cpu/event=0x3c/_event", "count"]
sample_type { type: 1 unit: 2 }
sample { value: 1 }
END
    pbfilter --rename-type=cpu/event=0x3c/_event=a/b/c event.pb |
        pbcat --csv | head -n 1 | grep -qx 'a/b/c,stack'
    expect 2 pbfilter --rename-type=alloc_space=inuse_space four.pb
    same_err "pbfilter: four.pb: --rename-type: two sample types would have the name 'inuse_space'"
    # What was kept decides.
    expect 0 pbfilter --keep-types='alloc_*' -o out.pb \
        --rename-type=alloc_space=inuse_space four.pb
    for value in '' = a a= =a a=/b a=b/; do
        expect 2 pbfilter --rename-type=$value four.pb
        same_err "pbfilter: invalid value '$value' for --rename-type: expected OLD=NEW or OLD=NEW/UNIT"
    done
}

@test "the default sample type follows" {
    encode >dflt.pb <<'END'
string_table: ["", "a", "b", "c", "count"]
sample_type { type: 1 unit: 4 }
sample_type { type: 2 unit: 4 }
sample_type { type: 3 unit: 4 }
default_sample_type: 2
sample { value: 1 value: 2 value: 3 }
END
    dflt() { # OPTION...
        pbfilter "$@" dflt.pb | pbcat --json | jq -r '.default_sample_type | if . == "" or . == null then "none" else . end'
    }
    [ "$(dflt --keep-types=a,b)" = b ]
    [ "$(dflt --keep-types=a,c)" = none ]
    [ "$(dflt --rename-type=b=x)" = x ]
    [ "$(dflt --rename-type=a=x)" = b ]
    [ "$(dflt --rename-type=a=b --rename-type=b=a)" = a ]
    [ "$(dflt --keep-types=c --rename-type=c=b)" = none ]
}
