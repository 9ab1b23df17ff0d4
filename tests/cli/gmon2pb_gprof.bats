# gmon2pb's call stacks, held to gprof function by function.
#
# Programs are built here.  Some run, with histograms whose bins are exactly
# four bytes wide; others get a gmon.out made for them, whose counts are large
# and different.

load helper

setup() {
    setup_scratch
    records
    options=()
    gprof_options=()
    left_out=()
    gmon2pb() { command gmon2pb --symbols=gprof "${left_out[@]}" "$@"; }
    gmon() { perl "$ROOT/tests/cli/gmon.pl" "$@"; }
    gprof_pl() { perl "$ROOT/tests/cli/gprof.pl" "$@"; }
}

# gprof and we say the same of all functions, at least so many, and of all
# cycles, so many, or of what has come to be ("any"); nothing of the sum is
# lost.  options[] are those of gmon2pb, gprof_options[] those of gprof.
held() { # FUNCTIONS CYCLES PROGRAM GMON...
    local program=$3 table
    held_functions "$@"
    shift 3
    for table in p:text q:tree; do
        gprof -b "-${table%:*}" "${gprof_options[@]}" --no-demangle "$program" "$@" >theirs
        gmon2pb -q --demangle=none "${options[@]}" -e "$program" "$@" |
            pbcat --compact-labels "--${table#*:}=gprof" >ours
        # gprof prints no graph without arcs.
        ! grep -q '^index\|^ time' theirs || gprof_pl tables ours theirs
    done
}

held_functions() { # as held, without gprof's tables
    local least=$1 cycles=$2 program=$3 n
    shift 3
    gprof -b -p -q "${gprof_options[@]}" --no-demangle "$program" "$@" >theirs
    n=$(grep '^\[' theirs | grep -vc 'as a whole')
    [ "$n" -ge "$least" ] || { echo "only $n functions" && return 1; }
    [ "$cycles" != any ] || cycles=$(grep -c ' as a whole>' theirs) || true
    gmon2pb -q "${options[@]}" -e "$program" -o stacks.pb.gz "$@"
    gmon2pb -q --flat -e "$program" -o flat.pb.gz "$@"
    go_pprof -raw stacks.pb.gz >raw
    expect 0 gprof_pl compare "$program" theirs raw
    same "$n functions, $cycles cycles"
    pprof_totals flat.pb.gz >expected
    raw_totals <raw | diff -u expected -
    added_first "$program" "$@"
}

# Measured profiles of one file each add up to that of all files, and their
# sum has the stacks in stacks.pb.gz, in any order.
added_first() { # PROGRAM GMON...
    local program=$1 i=0 file each=()
    shift
    for file; do
        gmon2pb -q --flat "${options[@]}" -e "$program" \
            -o "each$((++i)).pb.gz" "$file"
        each=("each$i.pb.gz" "${each[@]}")
    done
    gmon2pb -q --flat "${options[@]}" -e "$program" -o flat.pb.gz "$@"
    pbmerge -o added.pb.gz "${each[@]}"
    # A mapping has line numbers if those of all inputs have.
    diff <(go_pprof -raw flat.pb.gz | sed 's/\[LN\]//') \
        <(go_pprof -raw added.pb.gz | sed 's/\[LN\]//')
    pbfilter -q --estimate-stacks "${options[@]}" added.pb.gz |
        cmp stacks.pb.gz -
}

# With bins of four bytes, so that gprof loses nothing of them.
build() { "$ROOT/tests/exact_bins.sh" "$@"; } # PROGRAM COMPILER ARG...

recursion() {
    cat >rec.c <<'C'
#include <stdio.h>
volatile unsigned sink;
__attribute__((noinline)) void spin(int n)
{
    for (n *= 40; n > 0; n--)
        sink = sink * 3 + 1;
}
__attribute__((noinline)) void self(int n) { spin(40); if (n) self(n - 1); }
void a(int n);
__attribute__((noinline)) void c(int n) { spin(30); if (n > 0) a(n - 1); }
__attribute__((noinline)) void b(int n)
{
    spin(20);
    if (n % 7 == 0) a(n - 1);
    if (n > 0) c(n - 1);
}
__attribute__((noinline)) void a(int n) { spin(10); if (n > 0) b(n - 1); }
void y(int n);
__attribute__((noinline)) void x(int n) { spin(25); if (n > 0) y(n - 1); }
__attribute__((noinline)) void y(int n) { self(2); if (n > 0) x(n - 1); }
static void helper(int n) { spin(n); }
void (*volatile pointer)(int) = helper;
__attribute__((noinline)) void by_pointer(int n) { pointer(n); self(1); }
int main(void)
{
    for (int i = 0; i < 4000; i++) {
        a(6);
        x(9);
        by_pointer(i % 50);
        self(3);
    }
    printf("%u\n", sink);
    return 0;
}
C
}

# Of a run, and with calls spread otherwise and far more time.
as_gprof_of_recursion() { # FLAG...
    recursion
    build rec gcc -pg -g -O0 "$@" rec.c
    "${run32[@]}" ./rec >/dev/null
    # main, spin, self, a, b, c, x, y, by_pointer, helper
    held 10 2 rec gmon.out
    # All of the code's symbols; one arc in 40 goes up.
    gprof_pl make rec 1 >made.out
    held 17 any rec made.out
    gprof_pl make rec 2 arcs=60 back=40 >made.out
    held 17 any rec made.out
}

@test "a position-independent program: recursion and cycles" {
    as_gprof_of_recursion -fPIE -pie
}

@test "a program at fixed addresses: recursion and cycles" {
    as_gprof_of_recursion -no-pie
}

@test "a 32-bit program: recursion and cycles" {
    needs_32bit qemu-i386
    as_gprof_of_recursion -m32 -fPIE -pie
}

@test "a 32-bit program at fixed addresses: recursion and cycles" {
    needs_32bit qemu-i386
    as_gprof_of_recursion -m32 -no-pie
}

@test "static functions of one name in two files" {
    cat >one.c <<'C'
void two(int n);
static volatile unsigned sink;
static void work(int n) { for (n *= 3000; n > 0; n--) sink += n; }
static void local(int n) { work(n); work(n + 1); }
void one(int n) { local(n); two(n); }
C
    sed 's/one(int n) { local(n); two(n)/two(int n) { local(2 * n); work(n)/' \
        one.c >two.c
    cat >main.c <<'C'
void one(int n);
int main(void) { for (int i = 0; i < 2000; i++) one(i % 30); return 0; }
C
    build statics gcc -pg -g -O0 main.c one.c two.c
    ./statics
    # main, one, two, and two each of work and local
    held 7 0 statics gmon.out
    gprof_pl make statics 3 arcs=100 >made.out
    held 15 0 statics made.out
}

cxx() {
    cat >cxx.cc <<'C'
#include <algorithm>
#include <string>
#include <vector>
namespace ns {
template <typename T> struct Impl {
    T sum = 0;
    virtual ~Impl() {}
    virtual T run(int n) { for (int i = 0; i < n; i++) sum += i; return sum; }
};
static long work(long n) { return Impl<long>().run(int(n)); }
static double work(double n) { return Impl<double>().run(int(n)); }
static int work(std::string s)
{
    std::vector<std::string> v(50, s);
    for (size_t i = 0; i < v.size(); i++) v[i] += char('a' + i * 7 % 26);
    std::sort(v.begin(), v.end());
    return int(v.size());
}
}
int main()
{
    double sum = 0;
    auto add = [&](double x) { sum += x; };
    for (int i = 0; i < 1000; i++) {
        add(double(ns::work(long(i % 90))));
        add(ns::work(double(i % 50)));
        add(ns::work(std::string(i % 20, 'x')));
    }
    return sum < 0;
}
C
}

# Names with templates and overloads are told apart by linkage names.
as_gprof_of_cxx() { # FLAG...
    cxx
    build cxx g++ -pg -g -O0 "$@" cxx.cc
    "${run32[@]}" ./cxx
    held 80 0 cxx gmon.out
    gprof_pl make cxx 4 arcs=900 >made.out
    held 110 0 cxx made.out
}

@test "C++ with templates, overloads, lambdas and virtual functions" {
    as_gprof_of_cxx
}

@test "C++ in 32 bits" {
    needs_32bit qemu-i386
    as_gprof_of_cxx -m32
}

@test "a thousand functions, and more paths than there can be stacks" {
    # 20 to the 50th
    gprof_pl layers 20 50 >layers.c
    gcc -O0 -o layers layers.c
    gprof_pl arcs layers >gmon.out
    options=(--max-stacks=30000)
    held 1001 0 layers gmon.out
    # 20 functions of the last layer with 100 ticks each
    run pprof_totals stacks.pb.gz
    [[ $output = *'cpu/nanoseconds 20000000000'* ]]
    expect 0 gmon2pb -v -e layers -o stacks.pb.gz gmon.out
    same_err ... 'note: --max-stacks=100000 reached: ' ... ' stacks (100% of the '\
'cpu) each stand for several call paths' ...
    pbcat --raw stacks.pb.gz >raw
    grep -q '^Comment: --max-stacks=100000 reached: ' raw
    # and other calls, with cycles
    gprof_pl make layers 7 arcs=4000 bins=2000 back=200 >made.out
    held 1000 any layers made.out
}

# Samples that have time.
stacks() { # FILE
    go_pprof -raw "$1" | awk '/^Locations/ { exit }
        /^ +[0-9]+ +[1-9][0-9]* +0:/ { n++ } END { print n }'
}

@test "no more stacks than --max-stacks, and time is right all the same" {
    recursion
    gcc -pg -g -O0 -o rec rec.c
    gprof_pl make rec 6 bins=30 max=9000 >gmon.out
    gmon2pb -e rec -o all.pb.gz gmon.out
    [ "$(stacks all.pb.gz)" -gt 2000 ]
    gprof -b -p -q --no-demangle rec gmon.out >theirs
    for n in 1000 2000; do
        expect 0 gmon2pb -v --max-stacks=$n -e rec -o some.pb.gz gmon.out
        same_err ... "note: --max-stacks=$n reached: " ...
        [ "$(stacks some.pb.gz)" -le $n ]
        go_pprof -raw some.pb.gz >ours
        expect 0 gprof_pl compare rec theirs ours
    done
    # Too few to be right: said, and nothing lost.
    expect 0 gmon2pb --max-stacks=40 -e rec -o few.pb.gz gmon.out
    same_err ... "warning: --max-stacks=40 reached: " ... "% of the cpu) each \
stand for several call paths; callers of up to " ... "% are wrong or missing"
    [ "$(stacks few.pb.gz)" -le 40 ]
    # None to spare: one for each part of a bin.
    expect 0 gmon2pb -q --max-stacks=1 -e rec -o one.pb.gz gmon.out
    gmon2pb --flat -q -e rec -o flat.pb.gz gmon.out
    pprof_totals flat.pb.gz >expected
    for file in some few one; do
        pprof_totals $file.pb.gz | diff -u expected -
    done
    expect 2 gmon2pb --max-stacks=0 gmon.out
    expect 2 gmon2pb --max-stacks=many gmon.out
}

@test "a histogram and no arcs: nothing is estimated, times are gprof's" {
    recursion
    gcc -pg -g -O0 -o rec rec.c
    gprof_pl make rec 10 arcs=0 >gmon.out
    gprof -b -p --no-demangle rec gmon.out >theirs
    expect 0 gmon2pb -e rec -o out.pb.gz gmon.out
    [ -z "$stderr" ]
    go_pprof -raw out.pb.gz >ours
    expect 0 gprof_pl compare rec theirs ours
    [[ $output =~ ^[12][0-9]\ functions,\ 0\ cycles$ ]]
    run ! grep -q estimated ours
}

@test "bins that straddle functions are divided as gprof does" {
    # 64 bytes hold several functions.
    gprof_pl layers 3 5 >small.c
    gcc -O1 -g -falign-functions=1 -o small small.c
    for width in 16 64 256; do
        gprof_pl make small 7 width=$width bins=20 arcs=40 >gmon.out
        held 20 0 small gmon.out
    done
}

@test "symbols that gprof takes for functions, and those it does not" {
    cat >odd.c <<'C'
#define AT(name, type) \
    ".p2align 3\n.type " name ", " type "\n" name ":\n.zero 23, 0x90\n"
#define FIFTY "a_name_of_fifty_letters_that_is_there_again_and_as"
#define LONG FIFTY FIFTY FIFTY FIFTY FIFTY FIFTY
__asm__(".text\n"
    AT("plain", "@function") AT("split.part.0", "@function")
    AT("copy.constprop.0", "@function") AT("after_copy", "@function")
    AT("nested.7.8", "@function") AT("after_nested", "@function")
    /* with the next one, this is "eaten.9" NUL "isra.isra.0" to gprof */
    AT("eaten.9", "@function") AT("isra.isra.0", "@function")
    AT("cold.cold", "@function") AT("dollar$x", "@function")
    AT(LONG ".cold", "@function") AT(LONG "$x", "@function")
    AT(LONG ".7", "@function") AT("after_long", "@function")
    AT("twice.constprop.0.isra.1", "@function")
    ".globl visible.part.0\n" AT("visible.part.0", "@function")
    AT("label", "@notype") AT("data_in_text", "@object")
    ".weak weak_one\n" AT("weak_one", "@function")
    ".weak weak_data\n" AT("weak_data", "@object")
    AT("chosen", "@gnu_indirect_function")
    /* several at one address */
    ".globl _hidden_name\n.type _hidden_name, @function\n_hidden_name:\n"
    ".globl shown_name\n.type shown_name, @function\nshown_name:\n"
    ".type a_static_name, @function\n" "a_static_name: .zero 30, 0x90\n"
    ".type __two, @function\n__two:\n.type _one, @function\n_one:\n.zero 16\n"
    ".globl a_label\na_label:\n.type the_function, @function\n"
    "the_function: .zero 16\n"
    ".type last, @function\nlast: .zero 25, 0x90\n");
int main(void) { return 0; }
C
    gcc -o odd odd.c
    for seed in 1 2 3; do
        gprof_pl make odd $seed bins=120 arcs=150 >gmon.out
        held 14 0 odd gmon.out
    done
    # Each of these owns something; the others, nothing.
    go_pprof -raw stacks.pb.gz >raw
    for name in plain copy.constprop.0 nested.7.8 '[a-z_]{300}.7' \
        visible.part.0 label \
        data_in_text weak_one shown_name last; do
        grep -qE "M=1 $name " raw
    done
    run ! grep -E ' ([a-z_]{300}[.$][cx]|split\.part|eaten|isra\.|cold\.|dollar|weak_data|chosen|_hidden|a_static|__two)' raw
}

@test "a hundred files: sums that gprof -s wraps" {
    recursion
    gcc -pg -g -O0 -o rec rec.c
    gprof_pl make rec 8 bins=60 max=60000 arcs=50 >gmon.1
    files=()
    for i in $(seq 100); do
        files+=(gmon.1)
    done
    held 15 0 rec "${files[@]}"
    pprof_totals stacks.pb.gz >hundred
    gmon2pb -q -e rec -o one.pb.gz gmon.1
    pprof_totals one.pb.gz | awk '{ printf "%s %.0f\n", $1, 100 * $2 }' |
        diff -u - hundred
}

@test "gprof loses and adds time where bins are no whole units wide; not we" {
    recursion
    gcc -pg -no-pie -O0 -o rec rec.c
    low=$((0x$(nm rec | awk '$3 == "spin" { print $1 }')))
    # 5 bins over 8 units: 1.6 each, of which the first has 1, the second 2.
    gmon make gnu64 little "low=$low" "high=$((low + 16))" bins=100,0,0,0,0 \
        arcs= >narrow
    gprof -b -p rec narrow | gmon gprof | grep -qx 'spin 0.62 0' # 1 / 1.6
    gmon2pb -e rec -o narrow.pb.gz narrow
    go_pprof -raw narrow.pb.gz | gmon functions | grep -qx 'spin 1.00 0'
    gmon make gnu64 little "low=$low" "high=$((low + 16))" bins=0,100,0,0,0 \
        arcs= >wide
    gprof -b -p rec wide | gmon gprof | grep -qx 'spin 1.25 0' # 2 / 1.6
    gmon2pb -e rec -o wide.pb.gz wide
    go_pprof -raw wide.pb.gz | gmon functions | grep -qx 'spin 1.00 0'
}

@test "a static program: mcount is shown, as nobody's child" {
    recursion
    build rec gcc -pg -g -O0 -static rec.c
    ./rec >/dev/null
    # Ticks of mcount are in our tables; in gprof's they are not.
    held_functions 10 2 rec gmon.out
    address=$(nm rec | awk '$3 ~ /^_?mcount$/ { print $1; exit }')
    low=$((0x$address))
    gmon make gnu64 little "low=$low" "high=$((low + 8))" bins=100,100 \
        arcs="$low:$low:5" >gmon.out
    gprof -b -p rec gmon.out | grep -q 'no time accumulated'
    gmon2pb -e rec -o out.pb.gz gmon.out
    go_pprof -traces out.pb.gz | grep -Eqx ' +(1|2)s +_?mcount'
}

@test "--delete-arc leaves out what gprof -k leaves out" {
    recursion
    build rec gcc -pg -g -O0 -fPIE -pie rec.c
    # These calls, whose numbers and times are known, make cycles a, b, c and
    # x, y.
    at() { echo $((0x$(nm rec | awk -v n="$1" '$3 == n { print $1 }') + $2)); }
    spin=$(at spin 0)
    gmon make gnu64 little "low=$((spin & ~15))" "high=$(((spin & ~15) + 64))" \
        bins=0,0,0,0,0,0,80,0,0,0,0,0,0,0,0,0 \
        arcs="$(at c 16):$spin:6,$(at b 16):$spin:2,$(at main 16):$(at a 8):9,\
$(at a 16):$(at b 8):5,$(at b 16):$(at c 8):5,$(at c 16):$(at a 8):5,\
$(at main 16):$(at x 8):3,$(at x 16):$(at y 8):3,$(at y 16):$(at x 8):3,\
$(at y 24):$(at self 8):4,$(at self 16):$(at self 8):6,$(at self 24):$spin:2" >calls.out
    held 5 2 rec calls.out
    local cycles arcs arc
    while read -r cycles arcs; do
        left_out=() gprof_options=()
        for arc in $arcs; do
            left_out+=("--delete-arc=$arc")
            gprof_options+=(-k "$arc")
        done
        held 5 "$cycles" rec calls.out
    done <<'END'
1 c/a
0 c/a y/x
2 self/self
0 a/b main/x
1 x/y c/spin
END
    left_out=()
    # Without c/a there are two chains, and no cycle that hides them.
    run pbcat --folded <(gmon2pb -e rec --delete-arc=c/a --delete-arc=y/x calls.out)
    [[ $output = *'main;a;b;c;spin '* && $output != *cycle* ]]
    expect 0 gmon2pb -e rec --delete-arc=a/none --delete-arc=x/y -o out.pb.gz \
        calls.out
    same_err 'gmon2pb: warning: --delete-arc=a/none matches no calls'
    for arc in a / a/ /a; do
        expect 2 gmon2pb -e rec --delete-arc=$arc calls.out
        same_err "gmon2pb: invalid value '$arc' for --delete-arc: expected FROM/TO, the names of functions"
    done
}

@test "--delete-arc finds the slash between two functions" {
    cat >ratio.cc <<'C'
struct num { int n; };
__attribute__((noinline)) void over(int n) { for (volatile int i = n; i; i--) {} }
__attribute__((noinline)) num operator/(num a, num b) { over(b.n); return a; }
int main() { return (num{1} / num{2}).n; }
C
    g++ -g -O0 -o ratio ratio.cc
    at() { echo $((0x$(nm ratio | awk -v n="$1" '$3 == n { print $1 }') + $2)); }
    main=$(at main 0) over=$(at _Z4overi 0) divide=$(at _Zdv3numS_ 0)
    gmon make gnu64 little "low=$((over & ~15))" "high=$(((over & ~15) + 64))" \
        bins=0,0,0,0,0,0,0,8,0,0,0,0,0,0,0,0 \
        arcs="$((main + 8)):$divide:3,$((divide + 8)):$over:3" >gmon.out
    # Names are as gmon2pb shows them; without symbols=gprof there are no ends
    # of other functions in a bin.
    calls() { command gmon2pb -q -e ratio "$@" gmon.out | pbcat --folded -q; }
    [[ $(calls) = *'main;operator/;over '* ]]
    [[ $(calls --delete-arc=operator//over) = 'over '* ]]
    [[ $(calls --delete-arc=main/operator/) = 'operator/;over '* ]]
    [[ $(calls --delete-arc=_Zdv3numS_/over) = 'over '* ]]
    full='operator/(num, num)'
    [[ $(calls --demangle=full "--delete-arc=$full/over(int)") = 'over(int) '* ]]
    expect 0 command gmon2pb -e ratio --delete-arc=operator/over -o out.pb.gz \
        gmon.out
    same_err 'gmon2pb: warning: --delete-arc=operator/over matches no calls'
}

@test "frames: a line at the leaf, none at callers, one name for a cycle" {
    recursion
    gcc -pg -g -O0 -fPIE -pie -o rec rec.c
    at() { echo $((0x$(nm rec | awk -v n="$1" '$3 == n { print $1 }') + $2)); }
    spin=$(at spin 0)
    # 8 ticks in spin: 6 calls by c, 2 by b of cycle a, b, c, which main calls.
    gmon make gnu64 little "low=$((spin & ~15))" "high=$(((spin & ~15) + 64))" \
        bins=0,0,0,0,0,0,8,0,0,0,0,0,0,0,0,0 \
        arcs="$(at c 16):$spin:6,$(at b 16):$spin:2,$(at main 16):$(at a 8):9,\
$(at a 16):$(at b 8):5,$(at b 16):$(at c 8):5,$(at c 16):$(at a 8):5" >gmon.out
    gmon2pb -e rec -o out.pb.gz gmon.out
    run pbcat --folded out.pb.gz
    same 'main;<cycle of 3: a>;b;spin 20000000
main;<cycle of 3: a>;c;spin 60000000'
    go_pprof -raw out.pb.gz >raw
    grep -Eq 'M=1 spin .*rec\.c:[1-9]' raw
    grep -Eq 'M=1 main .*rec\.c:0' raw
    # Other tools leave the name of the cycle alone.
    pbfilter --focus='^<cycle of 3: a>$' out.pb.gz | pbmerge | pbcat --folded |
        diff -u <(echo "$output") -
    go tool pprof -symbolize=local -top out.pb.gz 2>/dev/null |
        grep -Eq ' 80ms +100% +<cycle of 3: a>$'
}

@test "time in no function has no name" {
    recursion
    gcc -pg -g -O0 -fPIE -pie -o rec rec.c
    first=$((0x$(nm -n rec | awk '$2 == "T" { print $1; exit }')))
    gmon make gnu64 little "low=$((first - 8))" "high=$((first + 8))" \
        bins=1,2,4,0 arcs="$((first - 4)):$first:7" >gmon.out
    expect 0 gmon2pb -v -e rec -o out.pb.gz gmon.out
    same_err ... "note: 1 of 1 arcs lie outside known functions; their counts \
are kept, but no time propagates along them" ...
    run pbcat --traces out.pb.gz
    [[ $output = *'40ms   _init'* ]]
    go_pprof -raw out.pb.gz >raw
    [ "$(grep -Ec "^ +[0-9]+: 0x[0-9a-f]+ M=1 $" raw)" = 3 ]
    run pprof_totals out.pb.gz
    same 'samples/count 7
cpu/nanoseconds 70000000
calls/count 7'
}

@test "--demangle, --path and --no-inlines, as in pbsym" {
    cat >work.cc <<'END'
template <class T> struct counter {
    volatile T n;
    __attribute__((noinline)) void count(T to) { for (n = 0; n < to; n++) add(); }
    __attribute__((always_inline)) void add() { for (volatile int i = 0; i < 9; i++) {} }
};
int main() { counter<long> c; c.count(20000000); }
END
    g++ -pg -g -O1 -fno-pie -no-pie -o prog work.cc
    ./prog
    local full='counter<long>::count(long)'
    expect 0 gmon2pb -e prog -o default.pb.gz gmon.out
    pbcat --folded default.pb.gz | grep -q '^main;counter::count '
    expect 0 gmon2pb --demangle=full -e prog -o full.pb.gz gmon.out
    pbcat --folded full.pb.gz | grep -qF "main;$full "
    expect 0 gmon2pb --demangle=none -e prog -o none.pb.gz gmon.out
    pbcat --folded none.pb.gz | grep -q '^main;_ZN7counterIlE5countEl '
    # Inlined functions only if they are wanted, also without call stacks.
    expect 0 gmon2pb --flat --inlines -e prog -o flat.pb.gz gmon.out
    pbcat --folded flat.pb.gz | grep -q '^counter::count;counter::add '
    expect 0 gmon2pb --flat -e prog -o plain.pb.gz gmon.out
    expect 0 gmon2pb --flat --no-inlines -e prog -o flat.pb.gz gmon.out
    pbcat --folded flat.pb.gz | grep -q '^counter::count [0-9]*$'
    run grep -c 'counter::add' <(pbcat --folded flat.pb.gz)
    same 0
    cmp plain.pb.gz flat.pb.gz
    # Symbols that are only in a debug file elsewhere.
    mkdir dir
    objcopy --only-keep-debug prog dir/prog.debug
    strip prog
    objcopy --add-gnu-debuglink=dir/prog.debug prog
    expect 0 gmon2pb -e prog -o stripped.pb.gz gmon.out
    same_err ... 'prog: no function names for 100% of cpu (' ... ' addresses): it is stripped; install its debug symbols (Debian: a -dbgsym package) or use --path=DIR' ...
    expect 0 gmon2pb --path=dir -e prog -o debug.pb.gz gmon.out
    [ -z "$stderr" ]
    pbcat --folded debug.pb.gz | diff -u <(pbcat --folded default.pb.gz) -
}

@test "--inlines shows functions inlined at the leaf" {
    cat >inl.c <<'C'
static volatile unsigned sink;
static inline __attribute__((always_inline)) void inner(void)
{
    for (int i = 0; i < 100; i++)
        sink += i;
}
__attribute__((noinline)) void outer(void) { inner(); }
int main(void) { outer(); return 0; }
C
    gcc -pg -g -O1 -no-pie -o inl inl.c
    outer=$((0x$(nm inl | awk '$3 == "outer" { print $1 }')))
    gmon make gnu64 little "low=$outer" "high=$((outer + 64))" \
        bins=0,0,0,0,0,0,1,1,1,0,0,0,0,0,0,0 arcs= >gmon.out
    gmon2pb -e inl -o plain.pb.gz gmon.out
    run pbcat --folded plain.pb.gz
    same 'outer 30000000'
    gmon2pb --inlines -e inl -o inlines.pb.gz gmon.out
    pbcat --folded inlines.pb.gz | grep -q '^outer;inner '
}

@test "a stripped program: symbols of its debug file" {
    recursion
    gcc -pg -g -O0 -o rec rec.c
    gprof_pl make rec 9 arcs=50 >gmon.out
    gmon2pb -e rec -o whole.pb.gz gmon.out
    objcopy --only-keep-debug rec rec.debug
    strip rec
    objcopy --add-gnu-debuglink=rec.debug rec
    gmon2pb -e rec -o split.pb.gz gmon.out
    cmp whole.pb.gz split.pb.gz
}

@test "LD_PROFILE: calls from outside have their share" {
    cat >lib.c <<'C'
static volatile unsigned sink;
void inner(int n) { for (n *= 100; n > 0; n--) sink += n; }
void outer(int n) { inner(n); }
C
    gcc -shared -fPIC -O0 -g -o liblib.so lib.c
    at() { echo $((0x$(nm liblib.so | awk -v n="$1" '$3 == n { print $1 }'))); }
    low=4096
    [ $(($(at inner) / 4096)) = 1 ]
    outer=$(at outer) inner=$(at inner)
    i=$(((inner - low) / 4 + 1))
    bins=$(perl -e 'my @b = (0) x 1024; $b[$ARGV[0]] = 8; print join ",", @b' $i)
    gmon make ld64 little low=$low high=8192 bins="$bins" \
        arcs="0:$inner:3,$((outer + 8)):$inner:1" \
        >lib.profile
    gmon2pb -e liblib.so -o out.pb.gz lib.profile
    run pbcat --folded out.pb.gz
    same 'inner 60000000
outer;inner 20000000'
}
