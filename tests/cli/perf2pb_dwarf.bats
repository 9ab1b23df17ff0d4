# perf2pb: stacks that are unwound. perf script, which does it with libunwind,
# says what they are; where it cannot, the source of the program does.

load helper

# perf finds the vdso in its build-id cache only.
setup() {
    setup_scratch
    export HOME=$PWD
}

# Records what the program does, and how much of the stack.  The buffer of perf
# has room for 8 samples of 64 KB unless it is larger, which users without rights
# may not ask for; on a busy machine most would be lost.  perf 6.1 sometimes ends
# with "stack smashing detected" when it has recorded.
record() { # BYTES PROGRAM [OPTION...]
    local status=0 tries=3 options=()
    needs_perf
    [ "$(id -u)" != 0 ] || options=(-m 4M)
    while ((tries--)); do
        status=0
        perf record -q -e cpu-clock:u -F 2000 --call-graph "dwarf,$1" \
            "${options[@]}" -o "$2.data" "${@:3}" -- "./$2" >/dev/null ||
            status=$?
        [ "$status" = 134 ] || break
    done
    return "$status"
}

# The stacks of the program's recording are those of perf script.  Of a sample that
# perf cannot unwind at all it prints no frame, perf2pb the leaf: stacks of one
# frame are left out of both, and stay in either where the other unwound more.
same_stacks() { # PROGRAM
    local one='^[^ ]*( [0-9a-f]+)?: '
    perf script -f --no-inline --max-stack 9999 -i "$1.data" -F event,period,ip,sym,dso \
        2>script.err | perl "$ROOT/tests/cli/perf.pl" unwound |
        grep -Ev "$one" >wanted
    perf2pb -q --no-symbols "$1.data" | pbcat --raw |
        perl "$ROOT/tests/cli/perf.pl" raw | grep -Ev "$one" >got
    [ "$(wc -l <wanted)" -ge 5 ]
    diff -u wanted got
}

# The functions of all stacks, root first, without duplicates.
stacks() { # PROGRAM
    perf2pb -q --no-inlines "$1.data" | pbcat --folded | sed 's/ [0-9]*$//'
}

# Calls in all ways that a stack remembers: a library calls back, a handler
# interrupts anything, a frame of variable size, a thread, the vdso, a stub.  It
# ends by _exit(), as perf guesses the callers of _fini(), which has no call frame
# information.
make_calls() {
    cat >calls.c <<'END'
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
static volatile unsigned sum;
__attribute__((noinline)) unsigned leaf(unsigned x)
{
    for (int i = 0; i < 2000; i++)
        x = x * 1664525u + 1013904223u;
    return x;
}
static void handler(int signal)
{
    (void)signal;
    for (int i = 0; i < 400; i++)
        sum += leaf(sum);
}
static int compare(const void *a, const void *b)
{
    sum += leaf(sum);
    return *(const int *)a - *(const int *)b;
}
__attribute__((noinline)) unsigned variable(unsigned n)
{
    char bytes[n % 100 + 1];
    memset(bytes, (int)n, sizeof bytes);
    return leaf((unsigned)bytes[n % sizeof bytes]);
}
__attribute__((noinline)) unsigned deep(unsigned n)
{
    volatile char bytes[16];
    bytes[n % 16] = (char)n;
    return n ? deep(n - 1) + (unsigned)bytes[n % 16] : leaf(n) + leaf(1);
}
static void *run(void *arg)
{
    for (unsigned i = 0; i < 6000; i++)
        sum += variable(i);
    return arg;
}
int main(void)
{
    struct sigaction action = {.sa_handler = handler};
    struct itimerval often = {{0, 2000}, {0, 2000}};
    struct timespec now;
    pthread_t thread;
    pthread_create(&thread, NULL, run, NULL);
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &often, NULL);
    for (int k = 0; k < 12; k++) {
        int numbers[100];
        for (int i = 0; i < 100; i++)
            numbers[i] = i * 7919 % 101;
        qsort(numbers, 100, sizeof *numbers, compare);
        for (int i = 0; i < 20000; i++)
            clock_gettime(CLOCK_MONOTONIC, &now);
        for (unsigned i = 0; i < 300; i++)
            sum += deep(i);
    }
    pthread_join(thread, NULL);
    _exit(0);
}
END
    gcc -O2 -fomit-frame-pointer "$@" -o calls calls.c -lpthread
}

@test "stacks are those of perf script" {
    make_calls -g
    record 65528 calls
    same_stacks calls
    stacks calls >names
    grep -q 'main;.*qsort.*;compare;leaf$' names
    grep -Eq ';(__restore_rt|\[libc.so.6\]);handler;leaf$' names
    grep -q ';run;variable;leaf$' names
    perf2pb --no-symbols calls.data | pbsym -q -o later.pb.gz
    perf2pb -q calls.data | cmp - later.pb.gz
}

# A program whose stacks have 400 frames of `deep` below `leaf`.
make_deep() { # OPTION...
    cat >deep.c <<'END'
static volatile unsigned sum;
__attribute__((noinline)) void leaf(void)
{
    for (int i = 0; i < 5000000; i++)
        sum = sum * 1664525u + 1013904223u;
}
__attribute__((noinline)) void deep(int n)
{
    volatile char bytes[64];
    bytes[0] = 0;
    n ? deep(n - 1) : leaf();
    sum += (unsigned)bytes[0];
}
int main(void)
{
    for (int i = 0; i < 20; i++)
        deep(399);
}
END
    gcc -O1 -fno-optimize-sibling-calls "$@" -o deep deep.c
}

# How many frames of `deep` the stacks that begin with `main` or `_start` have,
# below `leaf`, and how many stacks of `leaf` begin elsewhere.
depths() { # OPTION...
    perf2pb -q --no-inlines "$@" | pbcat --folded |
        perl -ne 'next if !/;leaf \d+$/; my $n = () = /;deep\b/g;
            $whole{$n}++ if /(?:^|;)main;/; $other++ if !/(?:^|;)main;/;
            END { print join(" ", sort keys %whole), ":", $other // 0, "\n" }'
}

@test "a recursion of 400 reaches main" {
    make_deep -fomit-frame-pointer
    record 65528 deep
    [ "$(depths deep.data)" = 400:0 ]
    expect 0 perf2pb --strict --no-symbols -o out.pb.gz deep.data
    expect 0 perf2pb --max-stack=5 -o few.pb.gz deep.data
    pbcat --json few.pb.gz | jq -e 'all(.sample[]; .location | length <= 5)'
    pbcat --folded few.pb.gz | grep -q '^deep;deep;deep;deep;leaf '
    # The whole stack, but for its callers of main, needs at least 400 * 80 bytes.
    record 8192 deep
    expect 0 perf2pb -o out.pb.gz deep.data
    [[ $stderr = *'callers are missing from '*' samples: stacks are larger than the 8192 bytes that were recorded; record with --call-graph dwarf,65528' ]]
    pbcat --comments out.pb.gz | grep -q '^incomplete: callers are missing from'
    expect 3 perf2pb -q --strict -o none deep.data
}

@test "call chains as long as the kernel records" {
    [ "$(</proc/sys/kernel/perf_event_max_stack)" = 127 ] ||
        skip "kernel.perf_event_max_stack is not 127"
    make_deep -fno-omit-frame-pointer -mno-omit-leaf-frame-pointer
    perf record -q -e cpu-clock:u -F 500 -g -o deep.data ./deep
    expect 0 perf2pb --no-symbols -o out.pb.gz deep.data
    [[ $stderr = *'callers are missing from '*' samples: the kernel limits the length of call chains; before recording, run sysctl kernel.perf_event_max_stack=1024' ]]
    pbcat --comments out.pb.gz | grep -q '^incomplete: callers are missing from'
    expect 3 perf2pb -q --strict --no-symbols -o none deep.data
    # The limit may be one of the event.
    perf record -q -e cpu-clock/max-stack=40/u -F 500 -g -o deep.data ./deep
    expect 3 perf2pb -q --strict --no-symbols -o none deep.data
    pbcat --json out.pb.gz | jq -e 'all(.sample[]; .location | length <= 127)'
}

@test "binaries are found by the build IDs of the header" {
    make_calls
    record 8192 calls
    same_stacks calls
    mkdir cache
    mv calls cache
    # Another program is now where this one was.
    cp "$BIN/perf2pb" calls
    perf2pb -q --no-symbols --path=cache calls.data | pbcat --raw |
        perl "$ROOT/tests/cli/perf.pl" raw >got
    diff -u wanted got
}

@test "-e is the program, also to unwind through" {
    make_calls -g -static
    record 8192 calls
    perf2pb -q --no-inlines calls.data | pbcat --folded | sort >wanted
    grep -q 'main;.*;compare;leaf ' wanted
    mv calls elsewhere
    cp "$BIN/pbcat" calls # another program
    expect 0 perf2pb -q --no-inlines -e elsewhere -o out.pb.gz calls.data
    pbcat --folded out.pb.gz | sort | diff wanted -
    [[ $(pbcat --raw out.pb.gz) = *$'\nMappings\n1: '*/0x1000\ elsewhere\ * ]]
}

@test "a stripped program, and a stack that is cut" {
    make_calls
    strip calls
    record 2048 calls
    same_stacks calls
}

@test "C++ with exceptions and virtual functions" {
    cat >cxx.cc <<'END'
#include <algorithm>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>
#include <unistd.h>
struct base {
    virtual ~base() {}
    virtual long f(long x) = 0;
};
struct derived : base {
    long f(long x) override
    {
        if (x % 3 == 0)
            throw std::runtime_error("x");
        std::map<std::string, long> m;
        for (int i = 0; i < 50; i++)
            m[std::to_string(i * x)] = i;
        return (long)m.size() + x;
    }
};
static long call(base *b, long n)
{
    try {
        return b->f(n);
    } catch (const std::exception &e) {
        return e.what()[0];
    }
}
int main()
{
    derived d;
    volatile long sum = 0;
    for (long i = 0; i < 4000; i++) {
        std::function<long(long)> f = [&](long k) { return call(&d, k); };
        sum = sum + f(i);
        std::vector<long> v(100);
        for (long k = 0; k < 100; k++)
            v[k] = k * 7919 % 101;
        std::sort(v.begin(), v.end(), [](long a, long b) { return a < b; });
        sum = sum + v[3];
    }
    _exit(0); // see make_calls()
}
END
    g++ -O2 -o cxx cxx.cc
    record 16384 cxx
    same_stacks cxx
}

# perf does not read the compressed .debug_frame of Go, nor 32-bit programs.
@test "Go" {
    cat >main.go <<'END'
package main

var sum uint32

//go:noinline
func leaf(x uint32) uint32 {
	for i := 0; i < 2000000; i++ {
		x = x*1664525 + 1013904223
	}
	return x
}

//go:noinline
func deep(n int) uint32 {
	if n > 0 {
		return deep(n-1) + 1
	}
	return leaf(uint32(n))
}

func main() {
	for i := 0; i < 60; i++ {
		sum += deep(2)
	}
}
END
    go build -o prog main.go
    record 8192 prog
    stacks prog >names
    grep -qx 'runtime.goexit.*;runtime.main;main.main;main.deep;main.deep;main.deep;main.leaf' \
        names
}

@test "a program of 32 bits" {
    needs_32bit
    cat >small.c <<'END'
static volatile unsigned sum;
__attribute__((noinline)) void leaf(void)
{
    for (int i = 0; i < 2000; i++)
        sum = sum * 1664525u + 1013904223u;
}
__attribute__((noinline)) void deep(int n)
{
    n ? deep(n - 1) : leaf();
    sum++;
}
int main(void)
{
    for (int i = 0; i < 20000; i++)
        deep(2);
}
END
    gcc -m32 -O1 -fomit-frame-pointer -fno-optimize-sibling-calls -o small \
        small.c
    record 4096 small
    stacks small >names
    grep -q 'main;deep;deep;deep;leaf$' names
}

# A program for AArch64 copies its registers and its stack, and the return
# addresses that its functions know. The recording is made of the former.
@test "AArch64" {
    cat >arm.c <<'END'
typedef unsigned long word;
struct {
    word regs[33], n, callers[20], top;
    char stack[16384];
} dump;
__attribute__((naked, noinline)) void snap(void)
{
    __asm__ volatile("adrp x17, dump\n add x17, x17, :lo12:dump\n"
                     "stp x18, x19, [x17, 144]\n stp x20, x21, [x17, 160]\n"
                     "stp x22, x23, [x17, 176]\n stp x24, x25, [x17, 192]\n"
                     "stp x26, x27, [x17, 208]\n stp x28, x29, [x17, 224]\n"
                     "str x30, [x17, 240]\n mov x16, sp\n"
                     "str x16, [x17, 248]\n adr x16, 1f\n"
                     "str x16, [x17, 256]\n 1: ret\n");
}
/* A return address without its signature. */
static inline void note(void *address)
{
    dump.callers[dump.n++] = (word)address & 0xffffffffffff;
}
#define NOTE() note(__builtin_return_address(0))
static void copy_stack(void)
{
    const volatile char *sp = (char *)dump.regs[31];
    for (word i = 0; i < sizeof dump.stack && (word)(sp + i) < dump.top; i++)
        dump.stack[i] = sp[i];
}
__attribute__((noinline)) long plain(long a)
{
    NOTE();
    snap();
    copy_stack();
    return a + 1;
}
__attribute__((noinline)) long saves(long a, long b)
{
    NOTE();
    long c = plain(a * b);
    return c * b + a;
}
__attribute__((noinline)) long large(long a)
{
    NOTE();
    volatile char bytes[5000];
    bytes[a] = 1;
    return saves(a, bytes[a]) + bytes[a + 1];
}
__attribute__((noinline)) long variable(long n)
{
    NOTE();
    volatile char bytes[n + 100];
    bytes[n] = 2;
    return large(n) + bytes[n];
}
__attribute__((noinline)) long deep(long n)
{
    NOTE();
    return 2 * (n ? deep(n - 1) : variable(7));
}
static long call(long number, long a, long b, long c)
{
    register long x8 __asm__("x8") = number, x0 __asm__("x0") = a;
    register long x1 __asm__("x1") = b, x2 __asm__("x2") = c;
    __asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2) : "memory");
    return x0;
}
void begin(word sp)
{
    NOTE();
    dump.top = sp;
    deep(3);
    call(64, 1, (long)&dump, sizeof dump); /* write */
    call(93, 0, 0, 0);                     /* exit */
}
__asm__(".globl _start\n_start:\n mov x0, sp\n mov x29, 0\n mov x30, 0\n"
        "bl begin\n brk 0\n");
END
    local flags code
    for flags in -fomit-frame-pointer -fno-omit-frame-pointer \
        '-fno-asynchronous-unwind-tables -fno-unwind-tables -g' \
        '-fomit-frame-pointer -mbranch-protection=pac-ret+leaf'; do
        # shellcheck disable=SC2086 # words
        clang -target aarch64-linux-gnu -nostdlib -static -ffreestanding -O2 \
            -fasynchronous-unwind-tables $flags -o arm arm.c
        qemu-aarch64 -cpu max ./arm >dump
        code=$(readelf -lW arm |
            awk '$1 == "LOAD" && /R E/ { print $3, $5, $2 }')
        # shellcheck disable=SC2086 # words
        perl -e 'no warnings "portable"; local $/;
            my ($file, @code) = @ARGV; $_ = <STDIN>;
            my @regs = unpack "Q33"; my ($n, @callers) = unpack "x264 QQ20";
            my $stack = substr $_, 8 * (33 + 1 + 20 + 1);
            $file .= "\0"; $file .= "\0" x (-length($file) % 8);
            sub record { pack("LSS", $_[0], 2, 8 + length $_[1]) . $_[1] }
            my $data = record(1, pack("LLQQQ", 7, 7, map { hex } @code) . $file) .
                record(9, pack("QLLQQ33Q", $regs[32], 7, 7, 2, @regs,
                    length $stack) . $stack . pack "Q", length $stack);
            open my $out, ">:raw", "arm.data";
            print $out pack("a8Q8x32", "PERFILE2", 104, 128, 104, 128, 232,
                length $data, 0, 0), pack("LLQQQQQx32QLx20QQ", 1, 112, 0, 1000,
                0x3003, 0, 0, (1 << 33) - 1, length $stack, 0, 0), $data;
            printf "%x\n", $regs[32];
            printf "%x\n", $_ - 1 for $regs[30] & 0xffffffffffff,
                reverse @callers[0 .. $n - 1]' "$PWD/arm" $code <dump >wanted
        perf2pb -q --no-symbols arm.data | pbcat --json | jq -r '.location as $l |
            .sample[0].location[] | $l[.].address' |
            while read -r address; do printf '%x\n' "$address"; done >got
        [ "$(wc -l <wanted)" = 11 ]
        diff -u wanted got
    done
}

# Linkers other than GNU ld write none.
@test "stubs without call frame information" {
    echo 'long add_one(long a) { return a + 1; }' >library.c
    cat >stubs.c <<'EOF'
long add_one(long a);
__attribute__((noinline)) long add_many(long n)
{
    long sum = 0;
    for (long i = 0; i < n; i++)
        sum = add_one(sum);
    return sum + 1;
}
int main(void)
{
    return add_many(150000000) == 0;
}
EOF
    gcc -O1 -shared -fPIC -o libadd.so library.c
    local protection
    for protection in none full; do
        gcc -O2 -fomit-frame-pointer -fcf-protection=$protection \
            -Wl,--no-ld-generated-unwind-info,-rpath,"$PWD" \
            -o stubs stubs.c libadd.so
        record 1024 stubs
        same_stacks stubs
        stacks stubs >names
        [ "$(grep -c ';main;add_many;add_one@plt$' names)" = 1 ]
        ! grep '^add_one@plt' names || false
    done
}
