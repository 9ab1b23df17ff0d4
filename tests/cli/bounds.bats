# Inputs whose size is in one place, and numbers at the ends of their ranges.
#
# Processor time is limited to many times what a test takes: one that needs
# time in proportion to the square of its input runs into the limit.

bats_require_minimum_version 1.5.0
load helper
load gmon

setup() {
    setup_scratch
    ulimit -t 120
}

hostile() { "$BIN/bounds/hostile" "$@"; }

extreme() { perl "$ROOT/tests/cli/extreme.pl" "$@"; }

@test "ids, names and lines made to collide in tables" {
    local class
    for class in ids names lines; do
        hostile "$class-colliding" 300000 >"$class.pb"
        pbmerge -0 -o "$class.sum" "$class.pb"
        pbcat -q --sample-index=samples --nodecount=1 -o text "$class.pb"
        grep -q 'of 300000 total$' text
        [ "$(pbcat -q --jsonl "$class.sum" | wc -l)" = 300000 ]
    done
}

@test "a drop_frames that takes long on each name" {
    hostile leaves 2000 >leaves
    # Each of its names, f0 to f1999, fits in many ways but for the end.
    {
        cat leaves
        perl -I"$ROOT/tests/cli" -MWire -e 'binmode STDOUT;
            print text(6, "(((f+)+[0-9]+)+)+x"), int64(7, 2008)'
    } >pattern
    expect 0 pbcat -q --sample-index=samples --nodecount=1 pattern
    [[ $output = *'of 2001000 total'* ]]
}

@test "expressions that are too complex say which, and where" {
    perl -I"$ROOT/tests/cli" -MWire -e 'binmode STDOUT;
        print text(1, int64(1, 1) . int64(2, 1)), text(6, ""), text(6, "n"),
            text(6, "a" x 3000 . "b"), text(5, int64(1, 1) . int64(2, 2)),
            text(4, int64(1, 1) . text(4, int64(1, 1))),
            text(2, text(1, num(1)) . text(2, num(1)))' >long
    expect 2 pbfilter --focus='((a?){30}){30}a{100}$' long
    same_err "pbfilter: long: --focus: regular expression \
'((a?){30}){30}a{100}\$' is too complex to match \
'$(printf 'a%.0s' {1..80})...': $(sed "s/.*': //" <<<"$stderr")"
    expect 2 pbfilter --focus="$(printf 'a%.0s' {1..70000})" long
    same_err ... "--focus: invalid regular expression '$(printf 'a%.0s' {1..80})...': regular expression is too large"
}

@test "short lines of text that would become long ones, or deep stacks" {
    local size room n
    hostile heap-maps-variables 1000 >maps
    # Each line puts in a value of 60001 bytes; the first one sets it.
    size=$(sed 1,/MAPPED/d maps | wc -c)
    room=$((1048576 + 16 * size))
    expect 3 prof2pb --no-symbols maps
    same_err "prof2pb: maps: line $((room / 60001 + 2)) of the list of mappings: its \
variables expand the list to more than 16 times its size"

    # One stack of 3000 frames for all threads, which have two lines each,
    # or one; the error is met at the line after these.
    hostile threads-same 3000 >threads
    room=$((1048576 + 16 * $(wc -c <threads)))
    n=$((room / 3000 + 1))
    expect 3 prof2pb --no-symbols --per-thread threads
    same_err "prof2pb: threads: line $((4 + 2 * n + 1)): repeated stacks \
exceed 16 frames per byte of the file"
    expect 0 prof2pb -q -0 --no-symbols -o sum threads
    [ "$(pbcat --jsonl sum | wc -l)" = 1 ]

    hostile jemalloc-threads 3000 >jemalloc
    room=$((1048576 + 16 * $(wc -c <jemalloc)))
    n=$((room / 3000 + 1))
    expect 3 prof2pb --no-symbols --per-thread jemalloc
    # The stack is told behind 3002 lines, its first row is line 3005.
    same_err "prof2pb: jemalloc: line $((3005 + n)): repeated stacks \
exceed 16 frames per byte of the file"
}

@test "a location of many lines many times in a stack is not written out" {
    local n=20002 format
    # Two samples of 1 and 2, whose stacks have 400 million frames.
    hostile lines+depth 400000 >deep
    for format in text tree peek='f1$' dot callgrind list=f0 topproto \
        text=classic tags 'weblist=f0$'; do
        small 0 pbcat -q --no-trim "--$format" deep
    done
    # All have all functions, and the first line of location 1 is the leaf.
    pbcat -q --text --no-trim deep >text
    [ "$(grep -c ' 3f1   100%  f[0-9]*' text)" = "$n" ]
    grep -q '^ *3f1   100%   100%        3f1   100%  f0$' text
    # Each function calls the one before it, and f0 the last, in one of two
    # locations; between these f1, innermost in one, calls the last.
    pbcat -q --dot --no-trim deep | grep '^N[0-9]* -> N[0-9]* ' >calls
    [ "$(wc -l <calls)" = $((n + 1)) ]
    [ "$(grep -vc 'label=" 3f1' calls)" = 0 ]
    grep -q "tooltip=\"f0 -> f$((n - 1)) (3f1)\"" calls
    grep -q "tooltip=\"f1 -> f$((n - 1)) (3f1)\"" calls
    grep -q 'tooltip="f1 -> f0 (3f1)"' calls
}

@test "a tree of calls of more nodes than the profile has places for" {
    local format
    hostile lines+depth 400000 >deep
    for format in dot callgrind; do
        expect 3 pbcat -q --call-tree "--$format" deep
        same_err 'pbcat: deep: the call tree exceeds ' ... ' nodes (16 for each frame and line of the profile); use --no-inlines, or a report without a tree'
        # One frame for each location is left: the outermost.
        expect 0 pbcat -q --call-tree --noinlines "--$format" deep
    done
}

@test "stacks of millions of frames go out as they are made" {
    local n=3002 format
    # Two samples of 3002 times 3002 frames and a root: more than 40 MB each.
    hostile lines+depth 60000 >deep
    for format in traces csv tsv jsonl folded speedscope; do
        small 0 pbcat -q "--$format" deep
    done
    # Leaf first: in turns f0, f1 ... and f1, f2 ..., f0; then f0 or f1.
    perl -e '$n = shift; @all = map "f$_", 0 .. $n - 1;
        $a = join ";", @all; push @all, shift @all; $b = join ";", @all;
        print join(";", ($a, $b) x ($n / 2), "f$_"), "\n" for 0, 1' "$n" >stacks
    pbcat -q --csv deep | sed '1d; s/^[^"]*"//; s/"$//' | cmp - stacks
    pbcat -q --jsonl deep | sed 's/.*"stack":\["//; s/"\]}$//; s/","/;/g' |
        cmp - stacks
    # Below the second root is what is below the first.
    perl -ne 'chomp; print join(";", reverse split /;/), " ", $., "\n"' \
        stacks | cmp - <(pbcat -q --folded deep)
}

@test "folded stacks of too many frames to hold: the same as in CSV" {
    perl -I"$ROOT/tests/cli" -MWire -e 'binmode STDOUT; srand 1;
        print text(1, int64(1, 1) . int64(2, 2));
        print map { text(5, int64(1, $_) . int64(2, 2 + $_)) } 1 .. 3;
        for $l (1 .. 6) { print text(4, int64(1, $l) . join "", map {
            text(4, int64(1, 1 + int rand 1.01)) } 1 .. 1 + rand 4000) }
        print text(4, int64(1, 6 + $_) . text(4, int64(1, $_))) for 1 .. 3;
        for (1 .. 400) { print text(2, text(1, join "", map {
            num(1 + int rand 9) } 1 .. 1 + rand 8) . text(2, num($_))) }
        print map { text(6, $_) } "", "n", "count", "a", "ab", "b"' >many
    pbcat -q --csv many | perl -ne 'next if $. == 1; /(\d+),"(.*)"/ or die;
        $sum{join ";", reverse split /;/, $2} += $1;
        $frames += 1 + ($2 =~ tr/;//); END { $frames > 1_500_000 or die;
        print "$_ $sum{$_}\n" for sort { @x = split /;/, $a;
            @y = split /;/, $b; $i = 0;
            $i++ while $i < @x && $i < @y && $x[$i] eq $y[$i];
            $i < @x && $i < @y ? $x[$i] cmp $y[$i] : @x <=> @y } keys %sum }' \
        >sums
    pbcat -q --folded many | cmp - sums
}

@test "a flame graph of more frames than can be shown is cut, and says so" {
    local n=20002 format
    hostile lines+depth 400000 >deep
    # 20002 frames in each sample and a root; 20002 lines in two locations
    # and one in two more; there are two samples, of one depth.
    local most=$(((1048576 + 16 * (2 * (n + 1) + 2 * n + 2)) / 2))
    for format in flame flame=svg; do
        expect 0 pbcat "--$format" -o out deep
        [[ $stderr = *": warning: 2 samples: stacks truncated to \
the $most outermost frames (of up to $((n * n + 1)), including inlined functions)" ]]
    done
    # All of both is there, 1 and 2 of it below different roots.
    grep -q '<title>all.*' out
    hostile lines+depth 400 >few
    expect 0 pbcat --flame -o out few
    [[ $stderr != *"truncated"* ]]
}

@test "a flame graph of more values than can be shown has one type" {
    local type
    # 5002 types at 5002 times 2 lines and two roots.
    hostile depth+types 100000 >types
    for type in f0 f7; do
        expect 0 pbcat --flame --sample-index="$type" -o page types
        same_err 'pbcat: types: warning: only one sample type is shown: '\
'too many values: 5002 sample types for each stack; choose one with --sample-index'
        [ "$(perl "$ROOT/tests/cli/flame.pl" header types page)" = \
            "[{\"type\":\"$type\",\"unit\":\"$type\"}]" ]
        # Two samples of 1 and 2, which have these values in all types.
        [ "$(perl "$ROOT/tests/cli/flame.pl" header totals page)" = '[3]' ]
    done
    # The values of 1000 functions alone, before the stacks are read.
    type=$(seq -s, -f 't%.0f/n' 5002)
    { seq -s';' -f 'f%.0f' 1000 | tr -d '\n'; printf ' 1%.0s' {1..5002}; } |
        folded2pb --sample-types="$type" -o types
    expect 0 pbcat --flame --nodefraction=0.0001 -o page types
    same_err 'pbcat: types: warning: only one sample type is shown: '\
'too many values: 5002 sample types for each function; choose one with --sample-index'
}

@test "values of functions of a flame graph, of many types" {
    local types threads
    local -A took
    # 85,000 stacks of 11 of 20,005 functions, with 60 values each.
    types=$(seq -s, -f 't%.0f/n' 60)
    perl -e 'for $i (1 .. 85_000) {
        print join(";", "r" . int($i / 20_000),
            map { "f" . ($i * $_ * 7919) % 20_000 } 1 .. 10),
            " 1" x 60, "\n" }' |
        folded2pb -0 --sample-types="$types" -o many
    for threads in 1 16; do
        "$BIN/bounds/measure" 60 100000000 pbcat -q -T$threads --flame \
            --nodefraction=0.001 -o page.$threads many >took
        read -r status _ took[$threads] _ <took
        [ "$status" = 0 ]
    done
    cmp page.1 page.16
    echo "KiB: ${took[1]}, ${took[16]}"
    [[ $BUILD = *-asan ]] || [ "${took[16]}" -lt $((took[1] + 40000)) ]
    # A stack of 500,000 frames of one function, with 600 values.
    types=$(seq -s, -f 't%.0f/n' 600)
    perl -e 'print "f;" x 500_000, "f", " 1" x 600, "\nf", " 999" x 600, "\n"' |
        folded2pb -0 --sample-types="$types" -o deep
    [[ $BUILD = *-asan ]] || # address space
        "$BIN/bounds/measure" 60 1500 pbcat -q -T1 --flame \
            --nodefraction=0.01 -o page deep >took
    read -r status _ <took
    [ "$status" = 0 ]
}

@test "labels with one long text are tried one by one" {
    # 3002 keys with a text of 3002 bytes.
    hostile labels+names 60000 >labels
    small 0 pbfilter -0 --tagfocus=f7:x labels
    pbfilter -0 --tagfocus=f7:x labels | cmp - <(pbfilter -0 labels)
    pbfilter -0 --tagfocus='f7:y|:xy' labels | pbcat -q --jsonl >none
    [ ! -s none ]
}

@test "thousands of CPU profiles behind a large one" {
    hostile cpu-forked-large 20000 >forked
    expect 0 prof2pb -0 -q --no-symbols -o sum forked
    # 20000 records of 1, and of n = 1 ... 5000 as many as n.
    [ "$(pbcat -q --csv sum | awk -F, '{n += $1} END {print n}')" = \
        $((20000 + 5000 * 5001 / 2)) ]
}

@test "names with brackets that do not close, lines of a log without words" {
    local n=100000
    ulimit -t 20
    hostile raw-open "$n" >names
    expect 0 prof2pb -0 -q -o sum names
    pbcat --raw sum >raw
    # The first is "f(a", and what follows the last is none.
    [ "$(grep -c '^ .* (a\|^ .* f(a' raw)" = "$n" ]
    hostile heap-log "$n" >heap
    expect 0 prof2pb -0 -q -o sum heap
    [ "$(pbcat -q --jsonl sum | wc -l)" = 1 ]
}

@test "names of symbols that go on in others, or are parts of others" {
    local n=60000
    ulimit -t 20
    hostile gmon-bins 10 >gmon.out
    hostile addresses 10 >addresses
    hostile elf-numbers "$n" >prog
    expect 0 gmon2pb -0 -q -e prog -o sum gmon.out
    n=30000
    # Names of 30000 bytes and less: 450 MB.
    hostile elf-suffixes "$n" >prog
    expect 3 gmon2pb -0 -q -e prog -o sum gmon.out
    same_err "gmon2pb: prog: function names exceed 16 bytes per byte of \
the file"
    expect 3 gmon2pb -0 -q --symbols=gprof -e prog -o sum gmon.out
    same_err "gmon2pb: prog: function names are implausibly long (over 16 \
bytes for each byte of the symbol table); is the file corrupt?"
    expect 0 pbsym -0 -q --binary=prog -o sum addresses
    hostile addresses "$n" >addresses
    expect 3 pbsym -0 -q --binary=prog -o sum addresses
    same_err "pbsym: names of functions and files exceed 64 MiB plus 4 KiB \
for each of $n addresses"
    hostile elf-suffixes-same "$n" >prog
    expect 0 pbsym -0 -q --binary=prog -o sum addresses
    expect 0 gmon2pb -0 -q -e prog -o sum gmon.out
}

@test "calls inlined in one another without end, at thousands of addresses" {
    local n=12000 lines
    hostile dwarf-inlined "$n" >prog
    hostile addresses "$n" >addresses
    expect 0 pbsym -0 --binary=prog -o sum addresses
    same_err 'pbsym: warning: prog: parts of the debug information are corrupt'
    # scopes.c: as many as the debug information has bytes, and 64 each; all
    # would be 72 million.
    lines=$((4 * $(stat -c %s prog) + 65536 + 64 * n))
    # Each has 6 to 8 bytes: two tags, two lengths, two numbers.
    [ "$(stat -c %s sum)" -lt $((8 * lines)) ]
    [ "$(stat -c %s sum)" -gt $((64 * n * 6)) ]
}

@test "hundreds of thousands of functions at the same addresses" {
    local n=300000
    ulimit -t 20
    hostile addresses "$n" >addresses
    # The first one has the code of all others.
    hostile dwarf-overlapping "$n" >prog
    expect 0 pbsym -q -0 --binary=prog -o sum addresses
    pbcat -q --csv sum | sed 1d | cut -d, -f3 | sort -u >functions
    [ "$(cat functions)" = '"f0"' ]
    # Behind each of these is one that has its code already.
    hostile dwarf-overlapping-back "$n" >prog
    expect 0 pbsym -q -0 --binary=prog -o sum addresses
    pbcat -q --csv sum | sed 1d | cut -d, -f3 | sort -u >functions
    [ "$(wc -l <functions)" = "$n" ]
}

@test "a location of many inlined lines on a page of sources" {
    hostile inlined 8000 >inlined
    pbcat --weblist=. inlined >page
    # Above the innermost line of all 7999 calls lead there, 100 are shown.
    grep -q '>7899 more inlined calls<' page
    hostile inlined 102 | pbcat --weblist=. >page
    grep -q '>1 more inlined call<' page
    hostile inlined 101 | pbcat --weblist=. >page
    run ! grep -q 'more inlined' page
    # Lines 1 to 101 have 0 to 100 calls, 950 more lines 100 each, which makes
    # 100050 in all, and the other 1949 have two.
    hostile inlined 3000 | pbcat --weblist=. >page
    [ "$(grep -c 'prog.c:[0-9]*</span>$' page)" = $((100050 + 2 * 1949)) ]
    grep -q '>2997 more inlined calls<' page
}

@test "graphs of a name with many slashes, and of a sample with many numbers" {
    ulimit -t 10
    perl -e 'print "a/" x 1500000, " 1\n"' | folded2pb -o slashes
    pbcat --dot slashes >graph
    # It has no dot, and so no package: all of it is shown.
    [ "$(grep -o '^N1 .label="[^"]*' graph | tr -dc / | wc -c)" = 1500000 ]
    perl -I"$ROOT/tests/cli" -MWire -e 'binmode STDOUT;
        print text(1, int64(1, 1) . int64(2, 2)), text(2,
            text(1, num(1)) . text(2, num(1)) . join "", map text(3,
                int64(1, 3) . int64(3, $_) . int64(4, 4)), 1 .. 200000),
            text(4, int64(1, 1)), map { text(6, $_) }
            "", "samples", "count", "bytes", "things"' >numbers
    pbcat --dot numbers >graph
    # Each is in the box of the nearest of the first four by name.
    sed -n "s/^NN1_. .label = \"\([^\"]*\)\".* tooltip=\"\([^\"]*\)\"]\$/\1 \2/p" \
        graph >boxes
    printf '%s\n' '551..200000 199450' '56..550 495' '6..55 50' '1..5 5' |
        cmp - boxes
}

@test "a profile of many sample types, added to itself and to another" {
    ulimit -t 10
    perl -I"$ROOT/tests/cli" -MWire -e 'binmode STDOUT; $n = 200000;
        print +(map { text(1, int64(1, $_) . int64(2, 1)) } 1 .. $n),
            text(2, text(1, num(1)) . text(2, num(7) x $n)),
            text(4, int64(1, 1)), map { text(6, $_) } "", 1 .. $n' >many
    perl -I"$ROOT/tests/cli" -MWire -e 'binmode STDOUT;
        print text(1, int64(1, 1) . int64(2, 2)), text(2,
            text(1, num(1)) . text(2, num(5))), text(4, int64(1, 1)),
            map { text(6, $_) } "", "one", "count"' >one
    pbmerge -0 -o twice many many
    pbmerge -0 --types=union -o union one many
    [ "$(pbcat --jsonl twice | grep -o '":14[,}]' | wc -l)" = 200000 ]
    pbcat --jsonl union >union.json
    [ "$(grep -o '":7[,}]' union.json | wc -l)" = 200000 ]
    [ "$(grep -o '"one/count":5[,}]' union.json | wc -l)" = 1 ]
    # Each type is a profile of its own, and takes no time for all others.
    [ "$(pbcat --speedscope many | grep -c '"type":"sampled"')" = 200000 ]
}

@test "all numbers at the ends of their ranges: every report" {
    local v format max=9223372036854775807
    # 2^63 - 1, -2^63, -1
    for v in $max 9223372036854775808 18446744073709551615; do
        extreme "$v" >e
        for format in $(formats graphviz disasm weblist); do
            run --separate-stderr pbcat -q "--$format" e
            if [ "$status" = 3 ]; then
                # The absolute value of -2^63 is what does not fit.
                [ "$v" = 9223372036854775808 ]
                [[ $stderr = *"64 bits"* ]] ||
                    same_err ... "is more than $max"
            else
                [ "$status" = 0 ]
            fi
        done
    done
}

@test "sums, products and quotients that do not fit 64 bits" {
    local max=9223372036854775807 min=9223372036854775808
    extreme $max 1 >up
    extreme $min >down
    # The second sample has 1: merged with itself it is 2, the first too much.
    expect 3 pbmerge -0 up up
    same_err ... 'the sum of tcount/count of the sample of f' ... ' exceeds ' ...
    expect 3 pbmerge -0 down down
    same_err ... 'the sum of tcount/count of the sample of f' ... ' exceeds ' ...
    expect 3 pbmerge -0 --scale=2 up
    same_err ... 'a value of 9223372036854775807 ' ... ' exceeds 64 bits when scaled'
    expect 3 pbmerge -0 --scale=-1 down
    same_err ... 'a value of -9223372036854775808 ' ... ' exceeds 64 bits when scaled'
    expect 3 pbcat --text up
    same_err ... 'up: sample 1: the sum of todd exceeds 64 bits here'
    expect 3 pbmerge -0 --base=up up
    same_err ... "the sum of durations exceeds 64 bits"
}

# A message of 80 MB: empty strings.
strings() {
    perl -e 'print "2\0" x 40_000_000'
}

@test "bombs take no more memory than --max-size and a little" {
    local size
    strings | gzip -1 >zeros.gz
    strings | bzip2 -1 >zeros.bz2
    strings | xz -0 >zeros.xz
    for size in gz bz2 xz; do
        "$BIN/bounds/measure" 60 100000000 pbcat --max-size=8M "zeros.$size" \
            2>err >took
        read -r status _ peak _ <took
        [ "$status" = 3 ]
        [[ $(<err) = "pbcat: zeros.$size: "*'exceeds 8388608 bytes'* ]]
        # KiB; sanitizers have memory of their own.
        [[ $BUILD = *-asan ]] || [ "$peak" -lt 40000 ]
    done
}

# A command that ends with this status, in 40 MB but for sanitizers' memory.
small() { # STATUS COMMAND [ARGUMENT ...]
    "$BIN/bounds/measure" 60 100000000 "${@:2}" 2>err >took
    read -r status _ peak _ <took
    [ "$status" = "$1" ]
    [[ $BUILD = *-asan ]] || [ "$peak" -lt 40000 ]
}

# A gzip header, with the name of the file if it is given.
gzip_header() { # [NAME]
    perl -e 'print pack("H*", "1f8b08"), $ARGV[0] ? "\x08" : "\0", "\0" x 6' \
        "$@"
}

@test "bytes of a pipe that are kept to read it again are not too many" {
    local what
    # The start of a large profile, and 60 MB of blocks without content.
    perl -e 'print join(";", map "f$_" . "x" x 60, 1 .. 2000), " 1\n"' |
        folded2pb | gzip -dc | head -c 65000 >start
    [ "$(stat -c %s start)" = 65000 ]
    {
        gzip_header
        perl -e 'print pack("Cvv", 0, 65000, 535)'
        cat start
        perl -e 'print "\0\0\0\xff\xff" x 12_000_000'
    } >blocks
    # The name in the header has 60 MB.
    { gzip_header name && perl -e 'print "x" x 60_000_000'; } >name
    for what in blocks name; do
        # shellcheck disable=SC2002 # a pipe
        cat "$what" | small 3 pbcat --max-size=4M --text -
        [ "$(<err)" = 'pbcat: (standard input): exceeds 4194304 bytes '\
'(see --max-size)' ]
    done
}

@test "zeros that follow the records of gmon.out are not read to their end" {
    gmon make gnu64 little >good
    { cat good; head -c 300000000 /dev/zero; } | zstd -q >bomb
    small 3 gmon2pb -o out bomb
    grep -q "^gmon2pb: bomb: offset $(stat -c %s good): only zero bytes follow" \
        err
    gmon2pb -q --no-symbols -o good.pb.gz good
    small 0 gmon2pb -q --lenient --no-symbols -o out.pb.gz bomb
    cmp <(pbcat --csv good.pb.gz) <(pbcat --csv out.pb.gz)
}

@test "zeros that follow a valid header are not read to their end" {
    local tool header
    fixture cpu.prof cycles.dcpi
    head -c 300000000 /dev/zero | zstd -q >zeros
    while read -r tool header; do
        if [ -f "$header" ]; then
            cat "$header"
        else
            # shellcheck disable=SC2059 # escapes
            printf -- "$header"
        fi | zstd -q | cat - zeros >bomb
        small 3 "$tool" -o out bomb
        grep -Eq "^$tool: bomb: offset [0-9]{6}: [0-9]{6} zero bytes in a row" err
    done <<'END'
prof2pb cpu.prof
prof2pb heap profile: 1: 10 [2: 20] @ heapprofile\n1: 10 [2: 20] @ 0x10 0x20\n
prof2pb heap profile: 1: 10 [2: 20] @ growthz\n1: 10 [2: 20] @ 0x10 0x20\n
prof2pb heap_v2/524288\n  t*: 1: 10 [2: 20]\n@ 0x10 0x20\n  t*: 1: 10 [2: 20]\n
prof2pb goroutine profile: total 1\n1 @ 0x10 0x20\n
prof2pb --- contentionz 1 ---\nformat = java\nresolution = us\n 1 1 @ 0x10\n
prof2pb --- mutex:\ncycles/second=1000\n1 1 @ 0x10 0x20\n
dcpi2pb cycles.dcpi
folded2pb main;work 3\n
perf2pb a 1 1.000000: 10 cycles: \n\t10 f (/a)\n\n
END
    # Arcs of 12 bytes, which are stored in more, but not those of nothing.
    zstd -qc "$ROOT/tests/fuzz/seeds/gmon/bsd4432-little" | cat - zeros >bomb
    "$BIN/bounds/measure" 60 100000000 gmon2pb -q --flat \
        --no-symbols -o out bomb 2>err >took
    read -r status _ peak _ <took
    [ "$status" = 0 ]
    [[ $BUILD = *-asan ]] || [ "$peak" -lt 400000 ]
}

@test "values that are 0 take no memory" {
    # 3000 samples with 4000 values of 8 bytes, all but two of them 0.
    hostile perf-events 30000 >events
    small 0 perf2pb -0 --no-symbols -o sum.pb events
    expect 0 pbcat --check sum.pb
    # The samples of event 7 are the 7th and the 2007th.
    expect 0 pbcat --sample-index=tracepoint:7_sample --addresses sum.pb
    [[ $output = *'of 2 total'* ]]
    [[ $output = *$(printf %x\  $((6 * 7919 + 1)))* ]]
    [[ $output = *$(printf %x\  $((2006 * 7919 % 1000000 + 1)))* ]]
}

@test "archives that unpack to much, each with --max-size" {
    local format
    strings >zeros
    for format in ustar newc zip 7zip; do
        bsdtar --format "$format" -cf "$format" zeros
        small 3 pbmerge --max-size=8M "$format"
        [ "$(<err)" = "pbmerge: $format(zeros): exceeds 8388608 bytes \
(see --max-size)" ]
    done
    for format in zstd lz4; do
        bsdtar "--$format" -cf "tar.$format" zeros
        small 3 pbmerge --max-size=8M "tar.$format"
        [ "$(<err)" = "pbmerge: tar.$format(zeros): exceeds 8388608 bytes \
(see --max-size)" ]
    done
}

@test "what no input begins like is not decompressed" {
    local at format tool zeros=80000000
    fixture cpu.pb.gz
    # At this offset is a field with number 0: at once, after strings, and in a
    # sample of 80,000,000 bytes.
    head -c $zeros /dev/zero >./0
    perl -e 'print "2\0" x 100_000, "\0" x 80_000_000' >./200000
    perl -e 'print "\22\x80\xe8\x92\x26", "\0" x 80_000_000' >./5
    for at in 0 200000 5; do
        gzip -1 <"$at" >"$at.gz"
        bzip2 -1 <"$at" >"$at.bz2"
        xz -0 <"$at" >"$at.xz"
        zstd -q <"$at" >"$at.zst"
        lz4 -q <"$at" >"$at.lz4"
        # With a size that seems ordinary, which is looked at in the end.
        perl -0777 -pe 'substr($_, -4) = pack "V", 8 * length' "$at.gz" \
            >"$at.wrong.gz"
        zstd -q <"$at.gz" >"$at.gz.zst"
        for format in gz bz2 xz zst lz4 wrong.gz gz.zst; do
            small 3 pbmerge "$at.$format"
            [ "$(<err)" = "pbmerge: $at.$format: offset $at: not a protobuf field" ]
        done
        for format in ustar newc zip 7zip; do
            bsdtar --format "$format" -cf "$format" "$at"
            small 3 pbcat "$format"
            [ "$(<err)" = "pbcat: $format($at): offset $at: not a protobuf field" ]
        done
        # The next entry is read.
        cp "$at.zst" inner
        bsdtar --format zip -cf zip inner cpu.pb.gz
        small 5 pbmerge -k -o sum zip
    done
    for tool in 'pbcat --check' 'pbfilter --repair' prof2pb gmon2pb dcpi2pb \
        folded2pb perf2pb; do
        for format in gz zst; do
            head -c 70000 0 >few
            # shellcheck disable=SC2086 # words
            run --separate-stderr $tool few
            # shellcheck disable=SC2086
            small "$status" $tool "0.$format"
            [ "$(<err)" = "${stderr//few:/0.$format:}" ]
        done
    done
}

@test "archives that claim more than they have" {
    echo 'a;b 1' >f
    # A sparse file of a terabyte, and one that is not, behind it.
    truncate -s 1T hole
    tar -Scf sparse.tar hole f
    small 3 pbmerge --max-size=8M sparse.tar
    [ "$(<err)" = "pbmerge: sparse.tar(hole): exceeds 8388608 bytes (see \
--max-size)" ]
    small 5 folded2pb -k -0 --max-size=8M -o sum sparse.tar
    [ "$(pbcat --jsonl sum | wc -l)" = 1 ]

    # A thousand names of one entry of 10 MB: a thousandth is unpacked.
    perl -MCompress::Raw::Zlib -e 'binmode STDOUT;
        my $zeros = "\0" x 10_000_000;
        my $z = Compress::Raw::Zlib::Deflate->new(-WindowBits => -15,
            -AppendOutput => 1);
        $z->deflate($zeros, my $data); $z->flush($data);
        my @entry = (20, 0, 8, 0, 0, crc32($zeros), length $data,
            length $zeros);
        print pack("V v5 V3 v2", 0x04034b50, @entry, 1, 0), "a", $data;
        my $list = join "", map { pack("V v6 V3 v5 V2", 0x02014b50, 20, @entry,
            length, 0, 0, 0, 0, 0, 0) . $_ } 1 .. 1000;
        print $list, pack("V v4 V2 v", 0x06054b50, 0, 0, 1000, 1000,
            length $list, 31 + length $data, 0)' >overlapping.zip
    [ "$(stat -c %s overlapping.zip)" -lt 100000 ]
    small 1 pbcat --check overlapping.zip

    # Dictionaries of 4 GiB and 2 GiB, for a line of text.
    xz -T1 f && perl -MCompress::Raw::Zlib -0777 -pe 'substr $_, 16, 1, "\x28";
        substr $_, 20, 4, pack "V", crc32(substr $_, 12, 8)' f.xz >dictionary.xz
    small 0 folded2pb dictionary.xz
    printf '\x28\xb5\x2f\xfd\0\xa8\x31\0\0a;b 1\n' >window.zst
    small 3 folded2pb window.zst
    [ "$(<err)" = "folded2pb: window.zst: offset 0: invalid zstd data: Zstd \
decompression failed: Frame requires too much memory for decoding" ]
}

@test "archives in archives, and gzip in gzip, are not followed" {
    echo 'a;b 1' >f
    bsdtar --format zip -cf inner.zip f
    bsdtar --format zip -cf outer.zip inner.zip
    small 3 folded2pb outer.zip
    [[ $(<err) = 'folded2pb: outer.zip(inner.zip): warning: skipped: '\
'archives inside archives are not supported'* ]]
    # A thousand times.
    hostile gzip-nested 400000 >thousand.gz
    small 3 pbmerge thousand.gz
    [ "$(<err)" = 'pbmerge: thousand.gz: not a profile.proto message: '\
'found gzip data inside gzip data' ]
}

@test "--max-size is of each entry, and of all members of one file" {
    local size
    hostile leaves 10 >a.pb
    size=$(stat -c %s a.pb)
    cp a.pb b.pb
    tar cf two.tar a.pb b.pb
    gzip -n a.pb b.pb
    cat a.pb.gz b.pb.gz >two.gz
    expect 0 pbmerge -0 -o out --max-size="$size" two.tar
    expect 3 pbmerge -0 -o out --max-size=$((size - 1)) two.tar
    same_err "pbmerge: two.tar(a.pb): exceeds $((size - 1)) bytes \
(see --max-size)"
    expect 0 pbmerge -0 -o out --max-size=$((2 * size)) two.gz
    expect 3 pbmerge -0 -o out --max-size=$((2 * size - 1)) two.gz
    same_err "pbmerge: two.gz(member 2): " ... "(see --max-size)"
}

@test "--max-size is half the memory of the control group" {
    local top group limit=memory.max
    top=/sys/fs/cgroup$(sed -n 's/^0::\(.*\)/\1/p' /proc/self/cgroup)
    if grep -q '^[0-9]*:[^:]*\bmemory\b' /proc/self/cgroup; then
        top=/sys/fs/cgroup/memory
        limit=memory.limit_in_bytes
    fi
    group=$top/profutils$$
    mkdir "$group" 2>err || skip 'this user cannot make a control group'
    if ! { echo 128M >"$group/$limit"; } 2>err; then
        rmdir "$group"
        skip 'this machine does not limit the memory of control groups'
    fi
    # A profile with a comment of 80,000,000 bytes.
    hostile leaves 10 >a.pb
    perl -e 'binmode STDOUT; $n = 80_000_000;
        print "\x32", map({ chr } 0x80 | $n & 127, 0x80 | $n >> 7 & 127,
            0x80 | $n >> 14 & 127, $n >> 21), "\0" x $n' | cat a.pb - | gzip -1 >large.gz
    bash -c 'echo $$ >"$1/cgroup.procs" && exec pbmerge -0 -T1 -o out large.gz' \
        - "$group" 2>err && status=0 || status=$?
    rmdir "$group"
    [ "$status" = 3 ]
    [ "$(<err)" = 'pbmerge: large.gz: offset 0: decompressed size exceeds '\
'67108865 bytes (see --max-size)' ]
    # Another limit counts where it is given.
    expect 0 pbmerge -q -0 --max-size=1G -o out large.gz
}

@test "half a million empty gzip members" {
    perl -e '$m = `gzip -n </dev/null`; print $m x 500000' >members.gz
    expect 3 pbmerge -0 members.gz
    same_err ... 'members.gz: 500000 gzip members read as one profile: empty file (was the program killed before it wrote its profile?)' ...
    # The last one tells of 9 MB: not to be provided for each of the others.
    head -c 9000000 /dev/zero | gzip -n >>members.gz
    ulimit -t 5
    expect 3 pbmerge -0 -T2 members.gz
    same_err 'pbmerge: members.gz: 500001 gzip members read as one profile: ' ...
}
