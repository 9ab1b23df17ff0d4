# prof2pb: files of libprofiler itself, read by pprof (both of them) for
# comparison, and files made word by word, read back by go tool pprof.

load helper
load gperf

# shellcheck disable=SC2086 # lists of words

setup() {
    setup_scratch
    records
    libprofiler=$(gcc -print-file-name=libprofiler.so)
}

map_a='400000-500000 r-xp 00000000 00:00 1 /a'

@test "a position-independent program gives what pprof reads" {
    gcc -g -O1 -fPIE -pie -o prog "$DATA/bank.c"
    profile cpu.prof ./prog 0.5
    same_as_pprof cpu.prof
    go_pprof -raw ours.pb.gz | grep -q "/0x1000 $PWD/prog"
}

@test "a program at a fixed address gives what pprof reads" {
    gcc -g -O1 -fno-pie -no-pie -o prog "$DATA/bank.c"
    profile cpu.prof ./prog 0.5
    same_as_pprof cpu.prof
    go_pprof -raw ours.pb.gz | grep -q "^1: 0x400000/.*/0x0 $PWD/prog"
}

@test "a program linked with libprofiler gives what pprof reads" {
    gcc -g -O1 -o prog "$DATA/bank.c" -Wl,--no-as-needed -lprofiler
    CPUPROFILE=cpu.prof ./prog 0.5 >/dev/null 2>&1
    same_as_pprof cpu.prof
}

@test "the period is the one of the header, time is count times period" {
    gcc -g -O1 -o prog "$DATA/bank.c"
    CPUPROFILE_FREQUENCY=250 profile cpu.prof ./prog 0.5
    prof2pb --no-symbols cpu.prof -o cpu.pb.gz
    go_pprof -raw cpu.pb.gz >raw
    grep -qx 'Period: 4000000' raw
    pprof_totals cpu.pb.gz >totals
    [ "$(cut -d' ' -f1 totals | xargs)" = 'samples/count cpu/nanoseconds' ]
    samples=$(sed -n 's|^samples/count ||p' totals)
    [ "$samples" -ge 20 ]
    grep -qx "cpu/nanoseconds $((samples * 4000000))" totals
    interrupts=$(sed -n 's|.*evictions/bytes = \([0-9]*\)/.*|\1|p' profile.err)
    [ "$samples" = "$interrupts" ]
}

@test "flat and cumulative counts are those of google-pprof" {
    gcc -g -O1 -o prog "$DATA/bank.c"
    profile cpu.prof ./prog 1
    google-pprof --text prog cpu.prof 2>perl.err |
        awk '$6 ~ /^(main|deposit|withdraw|checksum|Mutex_lock)$/ {
            print $6, $1, $4 }' | sort >theirs
    prof2pb cpu.prof | pbcat --sample-index=samples --nodefraction=0 |
        awk '$6 ~ /^(main|deposit|withdraw|checksum|Mutex_lock)$/ {
            print $6, $1, $4 }' | sort >ours
    [ "$(wc -l <theirs)" = 5 ]
    diff -u theirs ours
}

@test "--symtab-only: as pbsym later" {
    fixture prog cpu.prof
    prof2pb --no-symbols cpu.prof | pbsym --symtab-only -o later.pb.gz
    prof2pb --symtab-only -o now.pb.gz cpu.prof
    cmp now.pb.gz later.pb.gz
    expect 0 pbcat --raw now.pb.gz
    [[ $output = *' checksum '* && $output != *bank.c* ]]
}

@test "symbols are read by default, from the binary that -e names" {
    gcc -g -O1 -o prog "$DATA/bank.c"
    profile cpu.prof ./prog 0.5
    prof2pb cpu.prof | pbcat --raw >raw
    grep -q ' deposit .*bank\.c:[1-9]' raw
    prof2pb --no-symbols cpu.prof | pbcat --raw >raw
    run grep -c deposit raw
    [ "$output" = 0 ]
    mv prog moved
    expect 0 prof2pb cpu.prof -o cpu.pb.gz
    same_err ... "warning: $PWD/prog: no function names for 100% of cpu (" ... ' addresses): no such file; ' ...
    prof2pb -e ./moved cpu.prof | pbcat --raw >raw
    grep -q ' deposit .*bank\.c:[1-9]' raw
    grep -q ' \./moved' raw
}

@test "build ids are read from the listed files" {
    gcc -g -O1 -Wl,--build-id=0x0123456789abcdef -o prog "$DATA/bank.c"
    profile cpu.prof ./prog 0.3
    prof2pb --no-symbols --build-id cpu.prof -o cpu.pb.gz
    go_pprof -raw cpu.pb.gz | grep -q "/prog 0123456789abcdef *\$"
    prof2pb --no-symbols cpu.prof -o cpu.pb.gz
    go_pprof -raw cpu.pb.gz | grep -q "/prog *\$"
}

@test "a binary that is newer than the profile is a loss" {
    gcc -g -O1 -fno-pie -no-pie -Wl,--build-id -o prog "$DATA/bank.c"
    main=0x$(nm prog | sed -n 's/ T main$//p')
    { words $header 1 1 "$main" $end; map_line "$PWD/prog" 400000; } >old.prof
    cp old.prof new.prof
    touch -d 2020-01-01 old.prof
    touch -d 2021-01-01 prog
    touch -d 2022-01-01 new.prof
    newer="$PWD/prog: newer than the profile; names are wrong if it was built again after the run"
    expect 0 prof2pb --strict new.prof -o out.pb
    [ -z "$stderr" ]
    expect 0 prof2pb old.prof -o out.pb
    same_err "prof2pb: warning: $newer; use -e FILE or --path=DIR to find the profiled file"
    tar -cf old.tar old.prof
    for input in old.prof old.tar; do
        expect 3 prof2pb --strict "$input" -o out.pb
        expect 3 prof2pb --strict -o out.pb <"$input"
    done
    # The user's word: a copy may have a new time.
    mkdir other
    cp prog other
    expect 0 prof2pb --strict --path=other old.prof -o out.pb
    [ -z "$stderr" ]
    expect 0 prof2pb --strict -e "$PWD/prog" old.prof -o out.pb
    same_err "prof2pb: warning: $newer; specify the profiled file with -e"
    # Which input is of which binary is not known; nor is the time of a pipe.
    expect 0 prof2pb --strict old.prof new.prof -o out.pb
    [ -z "$stderr" ]
    expect 0 prof2pb --strict -o out.pb < <(cat old.prof)
    [ -z "$stderr" ]
    expect 0 prof2pb --build-id --no-symbols new.prof -o out.pb
    pbcat --json out.pb | jq -e '(.mapping[0].build_id // "") != ""'
    expect 0 prof2pb --build-id --no-symbols old.prof -o out.pb
    same_err "prof2pb: warning: $PWD/prog: build ID not recorded: the file is newer than the profile"
    pbcat --json out.pb | jq -e '(.mapping[0].build_id // "") == ""'
    # A profile may have its own time, 2020-01-01; this is a year before prog.
    { pbcat --textproto out.pb; echo 'time_nanos: 1577836800000000000'; } >old
    encode <old >old.pb
    expect 0 pbsym old.pb -o out.pb
    same_err "pbsym: warning: $newer; use -e FILE or --path=DIR to find the profiled file"
    { cat old; echo 'duration_nanos: 31622400000000000'; } | encode >new.pb
    expect 0 pbsym new.pb -o out.pb
    [ -z "$stderr" ]
}

@test "what a forked child and its parent wrote is added up" {
    cat >fork.c <<'END'
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile unsigned x;

__attribute__((noinline)) void burn(double seconds)
{
    clock_t end = clock() + (clock_t)(seconds * CLOCKS_PER_SEC);
    while (clock() < end)
        for (int i = 0; i < 10000; i++)
            x += i;
}

int main(int argc, char **argv)
{
    burn(atof(argv[1]));
    if (fork() == 0)
        exit(0);
    wait(NULL);
    burn(atof(argv[2]));
    return argc - 3;
}
END
    gcc -g -O1 -o prog fork.c
    profile cpu.prof ./prog 0.3 0.3
    mapfile -t n < <(sed -n 's|.*bytes = \([0-9]*\)/.*|\1|p' profile.err)
    [ "${#n[@]}" = 2 ]
    [ "${n[0]}" -ge 20 ]
    [ "${n[1]}" -gt "${n[0]}" ]

    expect 0 prof2pb --no-symbols cpu.prof -o both.pb.gz
    same_err 'prof2pb: cpu.prof: warning: the file contains 2 profiles, probably of forked processes; they are added
prof2pb: cpu.prof: warning: 1 of 2 profiles only repeat samples inherited from a forked parent, which count twice; use --no-inherited to skip them'
    pprof_totals both.pb.gz | grep -qx "samples/count $((n[0] + n[1]))"

    expect 0 prof2pb --no-symbols --no-inherited cpu.prof -o parent.pb.gz
    [ -z "$stderr" ]
    pprof_totals parent.pb.gz | grep -qx "samples/count ${n[1]}"

    # pprof reads the first only, which is the child's.
    same_as_pprof cpu.prof
    pprof_totals ours.pb.gz | grep -qx "samples/count ${n[0]}"
}

@test "an early fork leaves the child nothing to repeat" {
    { words $header $end && echo "$map_a"
      words $header 3 1 0x401000 $end && echo "$map_a"; } >cpu.prof
    expect 0 prof2pb --no-symbols cpu.prof -o cpu.pb.gz
    same_err 'prof2pb: cpu.prof: warning: the file contains 2 profiles, probably of forked processes; they are added'
    pprof_totals cpu.pb.gz | grep -qx 'samples/count 3'
}

@test "callers are one less, equal stacks one sample, the program is first" {
    { words $header 3 2 0x401000 0x602000 4 1 0x403000 5 2 0x401000 0x602000
      words $end
      echo '600000-700000 r-xp 00000000 00:00 1 /lib/l.so'
      echo "$map_a"; } >cpu.prof
    expect 0 prof2pb --no-symbols cpu.prof -o cpu.pb.gz
    [ -z "$stderr" ]
    run shown cpu.pb.gz
    same 'Samples:
samples/count cpu/nanoseconds
          4   40000000: 1
          8   80000000: 2 3
Locations
     1: 0x403000 M=1
     2: 0x401000 M=1
     3: 0x601fff M=2
Mappings
1: 0x400000/0x500000/0x0 /a
2: 0x600000/0x700000/0x0 /lib/l.so'
}

@test "second frames that all share stay, or go as with pprof" {
    for i in {1..40}; do
        stacks+=" 1 3 $((0x401000 + i)) 0x402000 0x403000"
    done
    { words $header $stacks $end; echo "$map_a"; } >cpu.prof
    prof2pb --no-symbols cpu.prof -o cpu.pb.gz
    shown cpu.pb.gz | grep -c ': [0-9]* [0-9]* [0-9]*$' | grep -qx 40
    same_as_pprof cpu.prof
    shown ours.pb.gz | grep -c '^ .*: [0-9]*$' | grep -qx 40
}

@test "a cut record is left out, where pprof invents frames" {
    words $header 3 1 0x401000 4 3 0x402000 0x403000 >cpu.prof
    expect 0 prof2pb --no-symbols cpu.prof -o cpu.pb.gz
    same_err 'prof2pb: cpu.prof: warning: offset 96: unexpected end of file in a record; 32 bytes skipped
prof2pb: cpu.prof: warning: no end marker and no list of mappings: the program was killed or is still running'
    pprof_totals cpu.pb.gz | grep -qx 'samples/count 3'
    go_pprof -raw cpu.prof >raw
    grep -q 0xffffffffffffffff raw
}

@test "a header of more words, or with a fifth that is not 0, is noted" {
    for h in "0 3 0 10000 7" "0 4 0 10000 0 9"; do
        { words $h 3 1 0x401000 $end; echo "$map_a"; } >cpu.prof
        expect 0 prof2pb -v --no-symbols cpu.prof -o cpu.pb.gz
        notes+=$stderr
        pprof_totals cpu.pb.gz | grep -qx "cpu/nanoseconds 30000000"
    done
    [ "$notes" = "prof2pb: cpu.prof: note: offset 32: the header's padding \
word is 7, not 0prof2pb: cpu.prof: note: offset 40: 1 extra word in the \
header skipped" ]
}

@test "names with blanks are whole" {
    { words $header 3 1 0x401000 $end
      echo '400000-500000 r-xp 00000000 00:00 1 /opt/my app (deleted)'
    } >cpu.prof
    prof2pb --no-symbols cpu.prof -o cpu.pb.gz
    shown cpu.pb.gz | grep -qx "1: 0x400000/0x500000/0x0 /opt/my app"
}

@test "of files that had been deleted there is a warning" {
    gone='500000-600000 r-xp 00000000 00:00 1 /b (deleted)'
    { words $header 3 1 0x401000 $end; echo "$map_a"; echo "$gone"
      echo '600000-601000 r-xp 00000000 00:00 1 /memfd:jit (deleted)'
      echo '700000-701000 rw-p 00000000 00:00 1 /c (deleted)'
    } >cpu.prof
    expect 0 prof2pb --no-symbols cpu.prof -o cpu.pb.gz
    same_err 'prof2pb: cpu.prof: warning: 1 mapping of deleted files (first in line 2 of the list of mappings): files with the same names may now have different symbols (use -e)'
}

@test "several inputs make one profile, whatever they come in" {
    { words $header 3 1 0x401000 $end; echo "$map_a"; } >a.prof
    { words $header 4 1 0x402000 $end; echo "$map_a"; } >b.prof
    prof2pb --no-symbols a.prof b.prof -o ab.pb.gz
    pprof_totals ab.pb.gz | grep -qx 'cpu/nanoseconds 70000000'
    gzip -k a.prof b.prof
    cat b.prof.gz a.prof.gz >ba.gz
    tar -cf ab.tar a.prof b.prof
    for from in 'b.prof a.prof' 'a.prof.gz b.prof' ab.tar ba.gz; do
        expect 0 prof2pb --no-symbols $from -o out.pb.gz
        [ -z "$stderr" ]
        cmp out.pb.gz ab.pb.gz
    done
    printf 'a.prof\nb.prof\n' >list
    prof2pb --no-symbols --files-from=list | cmp - ab.pb.gz
    prof2pb --no_symbols - b.prof <a.prof | cmp - ab.pb.gz
    prof2pb --no-symbols <a.prof | pbmerge - <(prof2pb --no-symbols b.prof) |
        cmp - ab.pb.gz
}

@test "a profile cut into gzip members is one" {
    { words $header 3 1 0x401000 $end; echo "$map_a"; } >a.prof
    { head -c 50 a.prof | gzip; tail -c +51 a.prof | gzip; } >a.gz
    prof2pb --no-symbols a.gz | cmp - <(prof2pb --no-symbols a.prof)
}

@test "no samples are a profile, and a warning" {
    { words $header $end; echo "$map_a"; } >cpu.prof
    expect 0 prof2pb cpu.prof -o cpu.pb.gz
    same_err 'prof2pb: warning: no samples'
    go_pprof -raw cpu.pb.gz >raw
    grep -qx 'Period: 10000000' raw
}

@test "what is no known profile is refused by name, and nothing is written" {
    : >empty
    printf 'gmon\1\0\0\0' >gmon.out
    echo hello >text
    refused() {
        expect 3 prof2pb -o out "$1"
        same_err "prof2pb: $1: $2"
        [ ! -e out ]
    }
    refused empty 'empty file (was the program killed, perhaps by SIGPROF, or is it still running?)'
    refused gmon.out "not a profile that prof2pb reads: found a gmon.out file; use gmon2pb"
    refused text 'not a profile of gperftools, Go, jemalloc or Java'
    # Messages of another type, even if their fields have the numbers of a
    # profile's: they are not called damaged profiles.
    printf '\10\1\20\2\30\3\10\1\20\2\30\3' >message
    refused message 'not a profile of gperftools, Go, jemalloc or Java'
    printf '\172\1x\172\1y' >message
    refused message 'not a profile of gperftools, Go, jemalloc or Java'
    words 0 3 7 10000 0 >version
    refused version 'offset 16: unsupported version 7 (0: native code, 1: Java)'
    { words $header 9223372036854775 1 0x401000 $end; } >overflow
    refused overflow 'offset 40: 9223372036854775 samples of 10000000 ns each exceed 64 bits'
}

# The profiler writes a stack whenever another one needs its place.
@test "records of one stack are one sample, and messages count each of them" {
    a='2 0x401000 0x402001' null='3 0x401000 0 0x402001'
    twice='3 0x403000 0x403000 0x402001'
    { words $header 3 $a 1 2 0x402000 0x401001 4 $a 5 $null 6 $null 7 $twice \
          8 $twice 0 $a $end; echo "$map_a"; } >cpu.prof
    expect 0 prof2pb -v --no-symbols cpu.prof -o cpu.pb.gz
    same_err ... '1 record dropped: sample count 0' ... \
        '2 callers at address 0 skipped' ... \
        '2 second frames dropped: equal to the leaf' ...
    shown cpu.pb.gz | awk '$2 ~ /0:$/ { print $1, $2, NF - 2 }' | sort -n |
        diff - <(printf '%s\n' '1 10000000: 2' '15 150000000: 2' \
            '18 180000000: 2')
    # A leaf that is repeated only after a caller at address 0.
    late='3 0x401000 0x402001 0' apart='4 0x403000 0 0x403000 0x402001'
    { words $header 3 $apart 4 $apart 5 $late 6 $late $end; echo "$map_a"; } \
        >null.prof
    expect 0 prof2pb -v --no-symbols null.prof -o null.pb.gz
    same_err ... '4 callers at address 0 skipped' ... \
        '2 second frames dropped: equal to the leaf' ...
    shown null.pb.gz | awk '$2 ~ /0:$/ { print $1, $2, NF - 2 }' | sort -n |
        diff - <(printf '%s\n' '7 70000000: 2' '11 110000000: 2')
    # In a rewritten profile, a second frame is at the address of the call.
    again='2 0x401001 0x401000'
    { printf '%s\n' '--- symbol' 'binary=/bin/x' '0x401000 f' '0x401001 f' \
        --- '--- profile'; words 0 3 0 1 0 1 $again 2 $again; } >raw.prof
    expect 0 prof2pb -v raw.prof -o raw.pb.gz
    same_err ... '2 second frames dropped: equal to the leaf'
}

@test "sums that do not fit are an error" {
    a='900000000000 1 0x401000'
    { words $header $a 1 1 0x402000 $a $end; echo "$map_a"; } >twice.prof
    expect 3 prof2pb --no-symbols -o out twice.prof
    same_err ... ' exceeds 64 bits' ...
    [ ! -e out ]
    { words $header 900000000000 1 0x401000 $end; echo "$map_a"; } >a.prof
    expect 3 prof2pb --no-symbols -o out a.prof a.prof
    same_err ... ' exceeds 64 bits' ...
    [ ! -e out ]
}

@test "-k leaves bad inputs out" {
    { words $header 3 1 0x401000 $end; echo "$map_a"; } >a.prof
    echo hello >text
    expect 3 prof2pb --no-symbols -o out.pb.gz text a.prof
    [ ! -e out.pb.gz ]
    expect 5 prof2pb -k --no-symbols -o out.pb.gz text a.prof
    same_err 'prof2pb: text: not a profile of gperftools, Go, jemalloc or Java'
    pprof_totals out.pb.gz | grep -qx 'samples/count 3'
    rm out.pb.gz
    expect 3 prof2pb -k -o out.pb.gz text
    [ ! -e out.pb.gz ]
}

@test "a killed program leaves what it is said to leave" {
    gcc -O1 -o prog "$DATA/bank.c"
    LD_PRELOAD=$libprofiler CPUPROFILE=$PWD/cpu.prof ./prog 30 >/dev/null &
    for _ in {1..1200}; do
        [ ! -e cpu.prof ] || break
        sleep 0.05
    done
    kill -KILL $!
    wait $! || true
    expect 3 prof2pb cpu.prof
    same_err 'prof2pb: cpu.prof: empty file (was the program killed, perhaps by SIGPROF, or is it still running?)'
    # What its children wrote is beside it.
    mkdir sub
    : >sub/cpu.prof
    for name in cpu.prof_12 cpu.prof_345 cpu.prof_6x cpu.prof_ acpu.prof_1; do
        : >"sub/$name"
    done
    expect 3 prof2pb sub/cpu.prof
    same_err 'prof2pb: sub/cpu.prof: empty file, but child processes wrote 2 profiles: use sub/cpu.prof_[0-9]*'
    cd sub
    expect 3 prof2pb cpu.prof
    same_err 'prof2pb: cpu.prof: empty file, but child processes wrote 2 profiles: use cpu.prof_[0-9]*'
}

@test "usage errors" {
    expect 2 prof2pb --no-such-option
    expect 2 prof2pb --no-symbols=yes x
    expect 4 prof2pb missing.prof
}

@test "profile.proto among the inputs is added up with them" {
    { words $header 3 1 0x401000 $end; echo "$map_a"; } >a.prof
    prof2pb --no-symbols a.prof -o a.pb.gz
    prof2pb --no-symbols a.prof a.pb.gz -o both.pb.gz
    pprof_totals both.pb.gz | grep -qx 'samples/count 6'
    prof2pb --no-symbols --type=proto a.pb.gz -o same.pb.gz
    cmp a.pb.gz same.pb.gz
    expect 3 prof2pb --type=proto a.prof
    same_err "prof2pb: a.prof: offset 0: " ...
}

@test "no mapping is made up for a profile.proto, as pprof does" {
    encode >bare.pb <<'END'
string_table: ["", "n", "count"]
sample_type { type: 1 unit: 2 }
location { id: 1 address: 255 }
sample { location_id: 1 value: 5 }
END
    prof2pb --no-symbols bare.pb -o bare.pb.gz
    [ "$(pbcat --raw bare.pb.gz | tail -n 1)" = Mappings ]
    go_pprof -proto -symbolize=none -output theirs.pb.gz bare.pb
    pbcat --raw theirs.pb.gz | tail -n 1 | grep -q '^1: 0x0/0x0/0x0'
}

@test "frames of the profiler are dropped when a CPU profile is shown" {
    fixture cpu.prof
    prof2pb --no-symbols cpu.prof | pbcat --json | jq -r .drop_frames |
        tr '|' '\n' | diff <(printf '%s\n' CpuProfiler::prof_handler \
            ProfileData::{Add,prof_handler} __pthread_sighandler __restore) -
}
