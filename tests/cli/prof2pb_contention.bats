# prof2pb on contention and mutex profiles: Go's own, and files made by hand,
# with go tool pprof and google-pprof for comparison.

load helper
load pprof_oracle

# shellcheck disable=SC2154 # set by run

# A profile of a server in C++: attributes (each ending in |), then samples.
contention() {
    echo '--- contentionz 1 ---'
    printf '%s' "$1" | tr '|' '\n'
    shift
    printf '%s\n' "$@"
    printf '%s\n' '--- Memory map: ---' '  00400000-00500000: /bin/server' \
        '  7f0000000000-7f0000100000: /lib/libc.so.6'
}

no_cycles='warning: no cycles/second line: delays are not converted and may not be in nanoseconds'

@test "mutex and block profiles of Go give what pprof reads" {
    go run "$DATA/golocks/main.go" mutex block
    for file in mutex block; do
        grep -q '^cycles/second=[1-9]' $file
        expect 0 prof2pb --no-symbols $file -o o.pb.gz
        [ -z "$stderr" ]
        same_as_pprof $file
        pprof_totals ours.pb.gz >totals
        [ "$(cut -d' ' -f1 totals | xargs)" = \
            'contentions/count delay/nanoseconds' ]
        # 8 goroutines wait for each other, most of the 20 times.
        [ "$(sed -n 's|^contentions/count ||p' totals)" -ge 10 ]
    done
}

# A thousand samples with numbers of all sizes: random SEED ATTRIBUTES.
random() {
    perl -e '
        my ($seed, $attributes) = @ARGV;
        srand $seed;
        sub number { int rand 2 ** (1 + int rand $_[0]) }
        print "--- contentionz 1 ---\n", join("\n", split /\|/, $attributes);
        print "\ndiscarded samples = 0\n";
        for (1 .. 1000) {
            printf "%10d %8d @%s\n", number(40), number(20),
                join "", map { sprintf " 0x%x", 0x400001 + int rand 4000 }
                    0 .. rand 12;
        }
        print "--- Memory map: ---\n400000-400800: /bin/x\n",
            "400800-500000: /lib/y.so\n"' -- "$@"
}

@test "numbers of every size are scaled as pprof does, to the last digit" {
    local hz period seed=1
    for hz in 33333333 999999937 1000000000 2300017126 3201000000 7777777777777; do
        for period in 1 3 100 65537; do
            random $((seed++)) \
                "cycles/second = $hz|sampling period = $period" >c
            same_as_pprof c
        done
    done
    [ $seed = 25 ]
    random 99 'ms since reset = 12345' >c
    same_as_pprof c
}

@test "known values, whatever the ends of lines" {
    contention 'cycles/second = 2000000000|sampling period = 100|ms since reset = 16502830|discarded samples = 0|' \
        '  4000     2 @ 0x401001 0x7f0000001001' \
        '' '# text' '  768 1 @ 0x402001' >lf
    sed 's/$/\r/' lf >crlf
    for file in lf crlf; do
        expect 0 prof2pb --no-symbols $file -o o.pb.gz
        [ -z "$stderr" ]
        same_as_pprof $file
        run pprof_samples o.pb.gz
        same 'contentions/count delay/nanoseconds
        100      38400: 1
        200     200000: 2 3
Locations
     1: 0x402000 M=1
     2: 0x401000 M=1
     3: 0x7f0000001000 M=2'
        go_pprof -raw o.pb.gz >raw
        grep -qx 'PeriodType: contentions count' raw
        grep -qx 'Period: 100' raw
        grep -q '^Duration: 4h35' raw
    done
}

@test "delays of unknown cycles are as with pprof, and said to be so" {
    contention 'sampling period = 100|' '4000 2 @ 0x401001' >c
    expect 0 prof2pb --no-symbols c -o o.pb.gz
    same_err "prof2pb: c: $no_cycles"
    pprof_samples o.pb.gz | grep -qx '        200       4000: 1'
    same_as_pprof c
}

@test "a sampling period of 0 is 1, where pprof takes cycles for time" {
    contention 'cycles/second = 2000000000|sampling period = 0|' \
        '4000 2 @ 0x401001' >c
    expect 0 prof2pb --no-symbols c -o o.pb.gz
    same_err 'prof2pb: c: warning: sampling period 0 is read as 1'
    pprof_samples o.pb.gz | grep -qx '          2       2000: 1'
    pprof_samples c | grep -qx '          2       4000: 1'
}

@test "attributes that are not known are left out, where pprof refuses" {
    contention 'cycles/second = 2000000000|colour = blue|' \
        '4000 2 @ 0x401001' >c
    expect 0 prof2pb --no-symbols c -o o.pb.gz
    same_err "prof2pb: c: warning: line 3: 'colour = blue' skipped: unknown attribute"
    pprof_samples o.pb.gz | grep -qx '          2       2000: 1'
    pprof_refuses c 'unrecognized profile format'
}

@test "numbers are decimal, where pprof sees octal ones" {
    contention 'cycles/second = 1000000000|sampling period = 010|' \
        '4000 2 @ 0x401001' >c
    prof2pb --no-symbols c -o o.pb.gz
    pprof_samples o.pb.gz | grep -qx '         20      40000: 1'
    pprof_samples c | grep -qx '         16      32000: 1'
}

# The functions of testdata/bank.c at addresses that nm tells.
bank() {
    gcc -g -O1 -fno-pie -no-pie -o prog "$DATA/bank.c"
    nm prog | awk '$3 ~ /^(main|deposit|checksum)$/ {
        printf "%s=$((0x%s + 4))\n", $3, $1 }' >addresses
    # shellcheck disable=SC1091 # made above
    source ./addresses
}

@test "google-pprof's headers are read, with its counts" {
    bank
    # shellcheck disable=SC2154 # deposit and others come from nm
    { printf -- '--- contention\ncycles/second = 1000000000\n'
      echo 'sampling period = 10'
      printf '%d %d @ 0x%x 0x%x\n' 4000 2 "$deposit" "$main" \
          100 7 "$checksum" "$main" 30 5 "$checksum" "$main"
      printf -- '---\n00400000-00500000 r-xp 00000000 08:01 1 %s\n' \
          "$PWD/prog"; } >c
    google-pprof --text --contentions ./prog c 2>perl.err |
        awk '$6 ~ /^(main|deposit|checksum)$/ { print $6, $1, $4 }' |
        sort >theirs
    sed 's/^---$/MAPPED_LIBRARIES:/' c >d
    prof2pb d | pbcat --sample-index=contentions --nodefraction=0 |
        awk '$6 ~ /^(main|deposit|checksum)$/ { print $6, $1, $4 }' |
        sort >ours
    printf '%s\n' 'checksum 120 120' 'deposit 20 20' 'main 0 140' >known
    diff -u known ours
    grep -v '^main' known | diff -u - <(grep -v '^main' theirs)
    pprof_refuses c 'unrecognized profile format'
}

@test "google-pprof leaves leaves as they are, and thinks of 2.8 GHz" {
    bank
    # A lock that the last call of a function takes: the return address is
    # the next function's first.
    after=$(nm prog | awk '$2 ~ /[tT]/ && $3 ~ /^(main|deposit|checksum)$/ {
        print $1, $3 }' | sort | sed -n 2p)
    { printf -- '--- contention\n'
      printf '2800 1 @ 0x%s 0x%x\n' "${after% *}" "$main"
      printf -- 'MAPPED_LIBRARIES:\n00400000-00500000 r-xp 00000000 08:01 1 %s\n' \
          "$PWD/prog"; } >c
    prof2pb -q c | pbcat --sample-index=delay --nodefraction=0 >ours
    google-pprof --text --total_delay ./prog c 2>perl.err >theirs
    grep -q 'Guessing 2.8 GHz' perl.err
    grep -q "^ *2.80us .* 2.80us .*" ours
    grep -q " ${after#* }\$" theirs
    run grep -c " ${after#* }\$" ours
    [ "$output" = 0 ]
}

@test "the oldest form has no counts, and pprof does not read it" {
    printf '%s\n' '--- Stacks:' '4000 @ 0x401001' \
        'slow release thread 17  @ 0x401001' '7 @ 0x402001' \
        'MAPPED_LIBRARIES:' '400000-500000: /a' >c
    expect 0 prof2pb --no-symbols c -o o.pb.gz
    same_err "prof2pb: c: $no_cycles
prof2pb: c: warning: 1 line of slow releases skipped: no delay in it"
    pprof_samples o.pb.gz | head -n 3 | tail -n 2 | diff -u - <(
        printf '          1       4000: 1\n          1          7: 2\n')
    pprof_refuses c 'unrecognized profile format'
}

@test "mappings may come as in heap profiles, which pprof refuses" {
    contention 'cycles/second = 1000000000|' '7 3 @ 0x401001' |
        sed 's/^--- Mem.*/MAPPED_LIBRARIES:/' >c
    expect 0 prof2pb --no-symbols c -o o.pb.gz
    [ -z "$stderr" ]
    pprof_samples o.pb.gz | grep -qx '     1: 0x401000 M=1'
    pprof_refuses c 'unrecognized profile format'
}

@test "what is not understood is an error, where pprof skips it" {
    contention 'cycles/second = 1000000000|' 'what 7 3 @ 0x401001' >c
    expect 3 prof2pb -o out c
    same_err "prof2pb: c: line 3: 'what 7 3 @ 0x401001' is not a contention profile sample"
    [ ! -e out ]
    pprof_samples c | grep -qx '          3          7: 1'
}

@test "more than 64 bits is an error, where pprof wraps" {
    contention 'cycles/second = 1000000000|sampling period = 4|' \
        '7 4611686018427387904 @ 0x401001' >c
    expect 3 prof2pb -o out c
    same_err "prof2pb: c: line 4: '7 4611686018427387904 @ 0x401001' exceeds 64 bits when scaled by period and cycles"
    pprof_samples c | grep -qx '          0         28: 1'
}

@test "--type=contention reads it whatever it begins like" {
    contention 'cycles/second = 1000000000|' '7 3 @ 0x401001' >c
    prof2pb --no-symbols --type=contention c -o o.pb.gz
    prof2pb --no-symbols c | cmp - o.pb.gz
    expect 3 prof2pb --type=threads c
    same_err "prof2pb: c: line 1: '--- contentionz 1 ---' is not a thread profile header"
}
