# prof2pb: symbolized profiles, as google-pprof --raw writes them of files and
# of programs that serve them, and as google-pprof --text counts them.

load helper
load gperf

# shellcheck disable=SC2086 # lists of words

teardown() {
    tell_missing
    [ -z "${server-}" ] || kill "$server"
}

# Serves a CPU profile, or what PATH says, as if a program did.  curl, by which
# the oracles fetch it, takes any address to be that socket.
serve() { # SYMBOLS PROFILE [PATH]
    local socket=$BATS_TEST_TMPDIR/socket
    rm -f "$socket"
    perl "$BATS_TEST_DIRNAME/pprof_server.pl" "$socket" "$@" 3>&- &
    server=$!
    for _ in {1..1200}; do
        [ -S "$socket" ] && break
        sleep 0.05
    done
    echo "unix-socket = \"$socket\"" >"$HOME/.curlrc"
    url=http://localhost:8080
    export no_proxy=localhost
}

# Functions at 0x401000, 0x402000 and so on, and four stacks of them.
served='401000 leaf(int)
402000 mid<char>(char*)
403000 main'
stacks='3 3 0x401010 0x402020 0x403030
    4 2 0x401010 0x403050
    2 3 0x402008 0x402021 0x403030
    1 1 0x403100'
map='00400000-00500000 r-xp 00000000 00:00 1 /opt/served'

@test "a local file has google-pprof's counts, and no time" {
    gcc -g -O1 -o prog "$DATA/bank.c"
    profile cpu.prof ./prog 0.5
    google-pprof --raw --no-auto-signal-frm ./prog cpu.prof >raw 2>raw.err
    # Addresses without names aside, as there are in libc.
    perl_counts raw | grep -v " 0x" >theirs
    our_counts raw | grep -v " \[" >ours
    [ "$(grep -c . theirs)" -ge 5 ]
    diff -u theirs ours
    pprof_totals ours.pb.gz >totals
    [ "$(cut -d' ' -f1 totals)" = samples/count ]
    # The names are the file's, and need no binary; -e says another name.
    mv prog moved
    go_pprof -raw ours.pb.gz >shown
    grep -q ' checksum :0' shown
    grep -qx '1: 0x0/0xffffffffffffffff/0x0 ./prog  \[FN\]' shown
    prof2pb -e ./moved raw | pbcat --raw | grep -q '^1: .* \./moved'
}

@test "--period gives a local file its time" {
    { printf -- '--- symbol\nbinary=a\n0x401000 leaf\n---\n--- profile\n'
      words 0 3 0 1 0 3 1 0x401000; } >raw
    while read -r period ns; do
        prof2pb --period=$period raw -o raw.pb.gz
        pprof_totals raw.pb.gz | grep -qx "cpu/nanoseconds $((3 * ns))"
        go_pprof -raw raw.pb.gz | grep -qx "Period: $ns"
    done <<'END_OF_LIST'
10ms 10000000
100Hz 10000000
300hz 3333333
250us 250000
2s 2000000000
7ns 7
END_OF_LIST
    for period in 10 10m 0ms Hz 1.5ms -1s 2000000000Hz 10000000000s; do
        expect 2 prof2pb --period=$period raw
        same_err "prof2pb: invalid value '$period' for --period: expected a number with unit ns, us, ms, s or Hz"
    done
}

@test "--period is for CPU profiles of libprofiler, too" {
    { words 0 3 0 1000 0 3 1 0x401000 $end; echo "$map"; } >cpu.prof
    prof2pb --no-symbols --period=4ms cpu.prof -o cpu.pb.gz
    pprof_totals cpu.pb.gz | grep -qx 'cpu/nanoseconds 12000000'
}

@test "inlined functions are those of google-pprof, innermost first" {
    cat >inl.c <<'END_OF_C'
#include <stdlib.h>
#include <time.h>

static volatile unsigned x;

static inline __attribute__((always_inline)) void inner(int n)
{
    for (int i = 0; i < n; i++)
        x += i * 7;
}

static inline __attribute__((always_inline)) void middle(int n)
{
    inner(n);
    x ^= 3;
}

__attribute__((noinline)) void outer(int n)
{
    middle(n);
}

int main(int argc, char **argv)
{
    clock_t end = clock() + (clock_t)(atof(argv[1]) * CLOCKS_PER_SEC);
    while (clock() < end)
        outer(100000);
    return argc - 2;
}
END_OF_C
    gcc -g -O2 -o prog inl.c
    profile cpu.prof ./prog 0.3
    google-pprof --raw --no-auto-signal-frm ./prog cpu.prof >raw 2>raw.err
    grep -aq 'outer<[0-9a-f]*>--middle--inner$' raw
    perl_counts raw | grep -v " 0x" >theirs
    our_counts raw | grep -v " \[" >ours
    grep -q ' middle$' theirs
    diff -u theirs ours
    prof2pb --no-symbols raw | pbcat --raw >bare
    grep -qE "^ +1: 0x[0-9a-f]+ M=1 *$" bare
    run grep -c inner bare
    [ "$output" = 0 ]
    # The stack is the one that the binary gives.
    prof2pb raw | pbcat --raw | sed -n '/ inner /,/ outer /p' | head -n 3 |
        sed 's/.* M=1//' | awk '{ print $1 }' >chain
    [ "$(xargs <chain)" = 'inner middle outer' ]
}

@test "operator-- is one name, where google-pprof makes two" {
    { printf -- '--- symbol\n0x401000 main--It::operator--(int)\n---\n'
      printf -- '--- profile\n'
      words 0 3 0 1 0 3 1 0x401000; } >raw
    perl_counts raw >theirs
    grep -qx '0 3 It::operator' theirs
    prof2pb raw | pbcat --traces | grep -q ' It::operator--(int) (inline)$'
}

@test "what a program served is counted as google-pprof does at once" {
    { words $header $stacks $end; echo "$map"; } >cpu.prof
    echo "$served" >symbols
    serve symbols cpu.prof
    google-pprof --raw --seconds=1 $url/pprof/profile >raw 2>raw.err
    grep -aqx 'binary=served' raw
    perl_counts --seconds=1 $url/pprof/profile >theirs
    our_counts raw >ours
    [ "$(<ours)" = '1 10 main
2 5 mid
7 7 leaf' ]
    diff -u theirs ours
    # The true period, and the program's own list of mappings.
    pprof_totals ours.pb.gz | grep -qx 'cpu/nanoseconds 100000000'
    go_pprof -raw ours.pb.gz |
        grep -qx '1: 0x400000/0x500000/0x0 /opt/served  \[FN\]'

    # From the file google-pprof has no names for callers.
    perl_counts raw >unnamed
    grep -qx '0 4 0x0000000000403050' unnamed
}

@test "a served profile of a real program is counted the same" {
    gcc -g -O1 -fno-pie -no-pie -o prog "$DATA/bank.c"
    profile cpu.prof ./prog 0.5
    nm prog | awk '$2 ~ /^[Tt]$/ { print $1, $3 }' >symbols
    serve symbols cpu.prof
    google-pprof --raw --seconds=1 $url/pprof/profile >raw 2>raw.err
    perl_counts --seconds=1 $url/pprof/profile >theirs
    our_counts raw >ours
    for name in main deposit withdraw checksum Mutex_lock; do
        grep " $name\$" theirs
    done >theirs.own
    for name in main deposit withdraw checksum Mutex_lock; do
        grep " $name\$" ours
    done >ours.own
    diff -u theirs.own ours.own
}

@test "a served heap profile is a heap profile, whatever its header says" {
    printf 'heap profile: 3: 300 [ 3: 300] @ heapprofile
1: 100 [1: 100] @ 0x401010 0x402020 0x403030
2: 200 [2: 200] @ 0x401011 0x403050

MAPPED_LIBRARIES:
%s\n' "$map" >heap
    echo "$served" >symbols
    serve symbols heap /pprof/heap
    google-pprof --raw $url/pprof/heap >raw 2>raw.err
    [ "$(grep -a -A1 '^--- profile' raw)" = '--- profile
heap profile: 3: 300 [ 3: 300] @ heapprofile' ]
    prof2pb raw | pbcat --folded --sample-index=inuse_space >ours
    [ "$(sort ours)" = 'main;leaf(int) 200
main;mid<char>(char*);leaf(int) 100' ]
    # What it cannot read itself, jeprof's header makes good.
    sed 's/^--- profile$/--- heap/' raw >jeprof.raw
    cmp <(prof2pb raw) <(prof2pb jeprof.raw)
}

@test "what jeprof fetches is read: heap, growth and contention" {
    echo "$served" >symbols
    cat >heap <<END_OF_HEAP
heap_v2/524288
  t*: 3: 3000 [0: 0]
  t0: 3: 3000 [0: 0]
@ 0x401010 0x402020 0x403030
  t*: 1: 1000 [0: 0]
  t0: 1: 1000 [0: 0]
@ 0x401011 0x403050
  t*: 2: 2000 [0: 0]
  t0: 2: 2000 [0: 0]

MAPPED_LIBRARIES:
$map
END_OF_HEAP
    cat >growth <<END_OF_GROWTH
heap profile: 2: 300 [ 2: 300] @ growth
1: 100 [1: 100] @ 0x401010 0x402020 0x403030
1: 200 [1: 200] @ 0x401011 0x403050

MAPPED_LIBRARIES:
$map
END_OF_GROWTH
    cat >contention <<END_OF_CONTENTION
--- contention:
cycles/second = 1000000000
sampling period = 1
100 1 @ 0x401010 0x402020 0x403030
200 1 @ 0x401011 0x403050
--- Memory map: ---
$map
END_OF_CONTENTION
    # Of 1000 bytes each, one in 524 objects is seen.
    while read -r kind type mid all; do
        serve symbols $kind /pprof/$kind
        jeprof --raw $url/pprof/$kind >$kind.raw 2>jeprof.err
        kill "$server"
        server=
        grep -qx -- "--- $kind" $kind.raw
        prof2pb $kind.raw |
            pbcat --folded --sample-index=$type >ours
        [ "$(sort ours)" = "main;leaf(int) $all
main;mid<char>(char*);leaf(int) $mid" ]
        # Two in one file, with a list of mappings each, are added up.
        cat $kind.raw $kind.raw >two.raw
        expect 0 prof2pb two.raw -o two.pb.gz
        same_err 'prof2pb: two.raw: warning: the file contains 2 profiles; they are added'
        prof2pb $kind.raw $kind.raw | cmp - two.pb.gz
    done <<'END_OF_LIST'
heap space 524788 1049576
growth space 100 200
contention delay 100 200
END_OF_LIST
}

@test "a symbolized profile without a profile is refused" {
    printf -- '--- symbol\n---\n--- profile\n' >raw
    expect 3 prof2pb raw -o out
    same_err 'prof2pb: raw: line 3: no profile after the symbols (jeprof --raw of a local file writes only the symbols; pass the local file itself)'
    [ ! -e out ]
    expect 3 prof2pb --type=raw /dev/null
}

@test "symbolized profiles are added up with others of their types" {
    { printf -- '--- symbol\nbinary=a\n0x401000 leaf\n---\n--- profile\n'
      words 0 3 0 1 0 3 1 0x401000; } >raw
    { words $header 4 1 0x401000 $end; echo "$map"; } >cpu.prof
    expect 3 prof2pb raw cpu.prof -o out
    same_err "prof2pb: cpu.prof: " ...
    prof2pb -q --period=10ms raw cpu.prof -o both.pb.gz
    pprof_totals both.pb.gz | grep -qx 'samples/count 7'
}

@test "pprof reads no symbolized profile" {
    { printf -- '--- symbol\n0x401000 leaf\n---\n--- profile\n'
      words $header 3 1 0x401000 $end; echo "$map"; } >raw
    run go_pprof -raw raw
    [ "$status" != 0 ]
    prof2pb raw | pbcat --sample-index=samples | grep -q ' 3 .* leaf$'
}
