# prof2pb on profiles of Java agents, with go tool pprof for comparison.

load helper
load pprof_oracle

# shellcheck disable=SC2154 # set by run

names='
 0x00000003 com.example.Cache.put (Cache.java:103)
 0x00000004 com.example.Main.main (Main.java:7)
 0x0000000d memcpy (/usr/lib/libc.so.6)
 0x0000000e generated stub/JIT
 0x0000000f VM
 0x000000ff com.example.Unused.f (Unused.java:1)'

heap() {
    printf '%s\n' '--- heapz 1 ---' 'format = java' 'resolution = bytes' "$@" \
        "$names"
}

contention() {
    printf '%s\n' '--- contentionz 1 ---' 'format = java' \
        'resolution = microseconds' "$@" "$names"
}

# A CPU profile, of words.
cpu() {
    perl -e 'print pack "Q<*", @ARGV' -- 0 3 1 10000 0 "$@" 0 1 0
    echo "$names"
}

# A profile as text, but for mappings.
without_mappings() {
    sed '/^mapping {/,/^}/d; /^  mapping_id:/d'
}

# What both read is the same, but for an empty mapping that pprof makes up.
same_but_for_mapping() {
    go_pprof -proto -output=theirs.pb.gz "$1" >/dev/null
    pbmerge theirs.pb.gz -o theirs.merged.pb.gz
    prof2pb -q --no-symbols "$1" -o ours.pb.gz
    decoded ours.pb.gz >ours.txt
    decoded theirs.merged.pb.gz >theirs.txt
    more_drop_frames ours.txt theirs.txt >more.txt
    diff -u <(without_mappings <more.txt) <(without_mappings <ours.txt)
    pbcat --raw theirs.merged.pb.gz | tail -n 1 | grep -q '^1: 0x0/0x0/0x0'
    [ "$(pbcat --raw ours.pb.gz | tail -n 1)" = Mappings ]
}

@test "a heap gives what pprof reads, but for a mapping that it has not" {
    heap '  7048 1 @ 0x00000003 0x00000004' '  4752 9 @ 0x0000000d 0x00000004' \
        '  0 1 @ 0x0000000f' >java
    expect 0 prof2pb --no-symbols java -o o.pb.gz
    [ -z "$stderr" ]
    same_but_for_mapping java
    pprof_samples o.pb.gz >samples
    [ "$(head -n 1 samples)" = 'inuse_objects/count inuse_space/bytes' ]
    grep -q '^ *74 *527819: ' samples
    grep -q 'bytes:\[7048\]' samples
}

@test "contentions give what pprof reads, but for that mapping" {
    contention 'sampling period = 100' 'ms since reset = 6019923' \
        '  14 2 @ 0x3 0x4' '  1 1 @ 0xe 0x4' >java
    expect 0 prof2pb --no-symbols java -o o.pb.gz
    [ -z "$stderr" ]
    same_but_for_mapping java
    pprof_samples o.pb.gz | grep -q '^ *200 *1400: '
    # Without a period, too.
    contention '  14 2 @ 0x3 0x4' >java
    same_but_for_mapping java
    # And without a format.
    grep -v format java >plain
    same_but_for_mapping plain
    pprof_samples ours.pb.gz | grep -qx 'contentions/count delay/microseconds'
}

@test "CPU time gives what pprof reads, but for that mapping" {
    cpu 3 2 3 4 5 1 13 7 2 14 4 1 3 15 3 4 >java
    expect 0 prof2pb --no-symbols java -o o.pb.gz
    [ -z "$stderr" ]
    same_but_for_mapping java
    # Callers are numbers, and the second frame may be the first once more.
    cpu 3 3 3 3 4 >java
    same_but_for_mapping java
    pprof_samples ours.pb.gz | grep -qx '          3   30000000: 1 1 2'
}

# A thousand samples with numbers of all sizes: random SEED BITS HEADER.
random() {
    perl -e '
        my ($seed, $bits, $header) = @ARGV;
        srand $seed;
        sub number { int rand 2 ** (1 + int rand $_[0]) }
        print join("\n", split /\|/, $header), "\n";
        for (1 .. 1000) {
            my $n = 1 + number(20);
            printf "%10d %8d @%s\n", $n + number($bits), $n,
                join "", map { sprintf " 0x%08x", 1 + int rand 500 }
                    0 .. rand 12;
        }
        print "\n\n";
        printf " 0x%08x a.F%d.f (F%d.java:%d)\n", $_, $_, $_, $_ - 9
            for 1 .. 500;' -- "$@"
}

@test "numbers of every size are scaled as pprof does, to the last digit" {
    local bits seed=1
    for bits in 10 20 30 44; do
        random $((seed++)) $bits \
            '--- heapz 1 ---|format = java|resolution = bytes' >java
        same_but_for_mapping java
        random $((seed++)) $bits "--- contentionz 1 ---|format = java\
|resolution = nanoseconds|sampling period = 12345" >java
        same_but_for_mapping java
    done
}

@test "bytes of no objects are an error, with pprof too" {
    heap '7048 0 @ 0x3' >java
    expect 3 prof2pb -o out java
    same_err "prof2pb: java: line 4: '7048 0 @ 0x3' has bytes but no objects"
    [ ! -e out ]
    pprof_refuses java 'second value must be non-zero'
}

@test "a mean size of 0 is a label, which pprof of before 2023 drops" {
    heap '3 5 @ 0x3' >java
    prof2pb --no-symbols java -o o.pb.gz
    pbcat --raw o.pb.gz | grep -qx ' *bytes:\[0\] *'
    go_pprof -proto -output=theirs.pb.gz java >/dev/null
    pbcat --raw theirs.pb.gz >theirs
    run grep -c bytes: theirs
    [ "$output" = "$(($(go_minor) >= 22))" ]
}

@test "the last line for a number counts, as with pprof" {
    { heap '7048 1 @ 0x3 0x4'; echo '0x3 a.Later.f (Later.java:9)'; } >java
    same_but_for_mapping java
    pprof_samples ours.pb.gz | grep -q ' a.Later.f Later.java:9'
}

@test "functions of one name in two files are two, where pprof has one" {
    { heap '7048 1 @ 0x3 0x1'
      echo '0x1 com.example.Cache.put (Other.java:5)'; } >java
    prof2pb --no-symbols java -o o.pb.gz
    pprof_samples o.pb.gz >ours
    grep -q 'Cache.put Cache.java:103' ours
    grep -q 'Cache.put Other.java:5' ours
    pprof_samples java >theirs
    grep -q 'Cache.put Cache.java:5' theirs
}

@test "a frame that no line names stays a number, where pprof has none" {
    heap '7048 1 @ 0x3 0x77' >java
    expect 0 prof2pb --no-symbols java -o o.pb.gz
    same_err 'prof2pb: java: warning: no name in the file for 1 of 2 frames'
    pprof_samples o.pb.gz | grep -qx '     [12]: 0x77.*'
    pprof_samples java >theirs
    run grep -c 0x77 theirs
    [ "$output" = 0 ]
}

@test "() names no file, where pprof calls it ." {
    { heap '7048 1 @ 0x1'; echo '0x1 native ()'; } >java
    prof2pb --no-symbols java -o o.pb.gz
    pprof_samples o.pb.gz | grep -q ' native :0'
    pprof_samples java | grep -q ' native \.:0'
}

@test "an odd line does not end the samples, as it does with pprof" {
    heap '7048 1 @ 0x3' 'hello' '7048 1 @ 0x4' >java
    expect 0 prof2pb --no-symbols java -o o.pb.gz
    same_err 'prof2pb: java: warning: 1 line skipped, starting at line 5: neither samples nor frame names'
    pprof_totals o.pb.gz | grep -qx 'inuse_objects/count 148'
    pprof_totals java | grep -qx 'inuse_objects/count 74'
}

@test "a last sample without a newline is read, where pprof has none" {
    heap '7048 1 @ 0x3' '7048 1 @ 0x4' | head -n 5 | head -c -1 >java
    expect 0 prof2pb --no-symbols java -o o.pb.gz
    same_err 'prof2pb: java: warning: line 5: unexpected end of file; the last address may be truncated
prof2pb: java: warning: no name in the file for 2 of 2 frames'
    pprof_totals o.pb.gz | grep -qx 'inuse_objects/count 148'
    pprof_totals java | grep -qx 'inuse_objects/count 74'
}

@test "attributes that are not known are left out, where pprof refuses" {
    contention 'colour = blue' '14 2 @ 0x3' >java
    expect 0 prof2pb --no-symbols java -o o.pb.gz
    same_err "prof2pb: java: warning: line 4: 'colour = blue' skipped: unknown attribute"
    pprof_totals o.pb.gz | grep -qx 'contentions/count 2'
    pprof_refuses java 'unrecognized profile format'
}

@test "numbers are decimal, where pprof sees octal ones" {
    contention 'sampling period = 010' '0014 02 @ 0x3' >java
    prof2pb --no-symbols java -o o.pb.gz
    pprof_totals o.pb.gz | grep -qx 'delay/microseconds 140'
    pprof_totals java | grep -qx 'delay/microseconds 96'
}

@test "--type=java reads what it is, and nothing else" {
    heap '7048 1 @ 0x3' >java
    prof2pb --no-symbols --type=java java | cmp - <(prof2pb --no-symbols java)
    expect 3 prof2pb --type=heap java
    same_err "prof2pb: java: line 1: '--- heapz 1 ---' is not a heap profile header"
    contention '14 2 @ 0x3' >java
    expect 3 prof2pb --type=contention java
    same_err "prof2pb: java: line 2: 'format = java' belongs to a Java profile; use --type=java"
}

@test "profiles that follow each other are added up, pprof reads the first" {
    local kind
    for kind in heap contention; do
        "$kind" ' 7048 1 @ 0x00000003 0x00000004' >a
        "$kind" ' 4752 9 @ 0x0000000d' >b
        cat a b >ab
        expect 0 prof2pb ab -o o.pb.gz
        same_err 'prof2pb: ab: warning: the file contains 2 profiles; they are added'
        prof2pb a b | cmp - o.pb.gz
        go_pprof -proto -output=first.pb.gz a
        go_pprof -proto -output=theirs.pb.gz ab
        cmp <(raw first.pb.gz) <(raw theirs.pb.gz)
    done
}
