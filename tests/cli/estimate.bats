# Profiles of gmon2pb --flat that pbmerge adds and pbfilter --estimate-stacks
# gives call stacks: the same as gmon2pb makes of all files at once.

load helper

setup() {
    setup_scratch
    records
    gmon() { perl "$ROOT/tests/cli/gmon.pl" "$@"; }
    gprof_pl() { perl "$ROOT/tests/cli/gprof.pl" "$@"; }
}

at() { echo $((0x$(nm "$1" | awk -v n="$2" '$3 == n { print $1 }') + $3)); }

# Two pairs of functions, each of which calls the other.
cycles() {
    cat >cycles.c <<'C'
void apple(void) {} void banana(void) {} void fruit(void) {}
void plum(void) {} void quince(void) {} void stone(void) {}
int main(void) { return 0; }
C
    gcc -pg -O0 -falign-functions=16 -fPIE -pie -o cycles cycles.c
}

# A run of it: six ticks in the first of two that a third calls.
run_of() { # FIRST SECOND CALLER TICKS
    local low
    low=$(at cycles "$1" 0)
    gmon make gnu64 little "low=$low" "high=$((low + 16))" "bins=0,$4,0,0" \
        arcs="$(at cycles "$1" 8):$(at cycles "$2" 4):5,\
$(at cycles "$2" 8):$(at cycles "$1" 4):5,\
$(at cycles "$3" 8):$(at cycles "$1" 4):1,\
$(at cycles main 8):$(at cycles "$3" 4):1"
}

# The linkage names of cycles, which tell them apart.
cycle_names() { go_pprof -raw "$1" | grep -o '<cycle [^()]*)' | tr -d ')' | sort -u; }

@test "cycles of different functions stay apart, equal ones are one" {
    cycles
    run_of apple banana fruit 6 >a
    run_of plum quince stone 7 >b
    for i in a b; do gmon2pb -e cycles -o $i.pb.gz $i; done
    # What was estimated apart is a warning, but cycles are told apart.
    expect 0 pbmerge -o ab.pb.gz a.pb.gz b.pb.gz
    same_err "pbmerge: warning: the call stacks of 2 inputs were estimated \
separately: to estimate those of the sum, merge profiles of gmon2pb --flat and \
use pbfilter --estimate-stacks"
    run pbcat --folded ab.pb.gz
    same 'main;fruit;<cycle of 2: apple>;apple 60000000
main;stone;<cycle of 2: plum>;plum 70000000'
    # No difference where there is none.
    expect 0 pbmerge -o diff.pb.gz --base=b.pb.gz ab.pb.gz
    [ -z "$stderr" ]
    diff <(pbcat --folded diff.pb.gz) <(pbcat --folded a.pb.gz)
    gmon2pb -e cycles -o both.pb.gz a b
    cmp <(pbcat --folded both.pb.gz) <(pbcat --folded ab.pb.gz)
    # Another set of members whose first is the same is another cycle.
    run_of apple quince fruit 6 >c
    gmon2pb -e cycles -o c.pb.gz c
    pbmerge -q -o ac.pb.gz a.pb.gz c.pb.gz
    cycle_names ac.pb.gz >names
    [ "$(wc -l <names)" = 2 ]
    [ "$(grep -Exc '<cycle of 2: apple> [0-9a-f]{32}' names)" = 2 ]
}

@test "cycles of static functions of the same names stay apart" {
    for f in one two; do
        cat >$f.c <<C
volatile int more;
static void beta(int);
static __attribute__((noinline)) void alpha(int n) { if (n) beta(n - 1); more++; }
static __attribute__((noinline)) void beta(int n) { if (n) alpha(n - 1); more++; }
void $f(void) { alpha(5); }
C
    done
    sed -i 's/^volatile/extern volatile/' two.c
    echo 'void one(void); void two(void); int main(void) { one(); two(); return 0; }' >main.c
    gcc -pg -O0 -fPIE -pie -o prog one.c two.c main.c
    ./prog
    mapfile -t alphas < <(nm prog | awk '$3 == "alpha" { print $1 }' | sort)
    [ "${#alphas[@]}" = 2 ]
    # Time for both, by hand: 1 and 2 ticks.
    low=$((0x${alphas[0]} & ~15)) second=$((0x${alphas[1]} & ~15))
    n=$(((second - low) / 4 + 8))
    bins=$(awk -v n="$n" -v k="$(((second - low) / 4 + 4))" 'BEGIN {
        for (i = 0; i < n; i++) printf "%d,", i == 4 ? 1 : i == k ? 2 : 0 }')
    gmon make gnu64 little "low=$low" "high=$((low + 4 * n))" \
        "bins=${bins%,}" arcs= >ticks
    for f in ticks gmon.out; do gmon2pb -q --flat -e prog -o $f.pb.gz $f; done
    pbmerge ticks.pb.gz gmon.out.pb.gz | pbfilter --estimate-stacks >sum.pb.gz
    gmon2pb -q -e prog -o direct.pb.gz ticks gmon.out
    # What the histograms are is said of each or of both.
    diff <(go_pprof -raw direct.pb.gz | grep -v '^Comment: # histogram') \
        <(go_pprof -raw sum.pb.gz | grep -v '^Comment: # histogram')
    pbcat --folded sum.pb.gz >folded
    grep -Eqx 'main;one;<cycle of 2: alpha>;alpha 10000000' folded
    grep -Eqx 'main;two;<cycle of 2: alpha>;alpha 20000000' folded
    [ "$(cycle_names sum.pb.gz | wc -l)" = 2 ]
}

# Measured each, added in this order, estimated: the same as all at once.
added() { # PROGRAM GMON...
    local program=$1 file each=()
    shift
    for file; do
        expect 0 gmon2pb -q --flat -e "$program" -o "$file.pb.gz" "$file"
        each=("$file.pb.gz" "${each[@]}")
    done
    gmon2pb -q -e "$program" -o direct.pb.gz "$@"
    gmon2pb -q --flat -e "$program" -o flat.pb.gz "$@"
    for order in "${each[*]}" "$(printf '%s\n' "${each[@]}" | sort | tr '\n' ' ')"; do
        # shellcheck disable=SC2086 # a list
        pbmerge -o sum.pb.gz $order
        diff <(go_pprof -raw flat.pb.gz | sed 's/\[LN\]//') \
            <(go_pprof -raw sum.pb.gz | sed 's/\[LN\]//')
        expect 0 pbfilter --estimate-stacks -o stacks.pb.gz sum.pb.gz
        [ -z "$stderr" ]
        cmp direct.pb.gz stacks.pb.gz
    done
    # Added and estimated by one command, and in steps.
    pbfilter --estimate-stacks "${each[@]}" | cmp - direct.pb.gz
    pbmerge "${each[0]}" <(pbmerge "${each[@]:1}") |
        pbfilter --estimate-stacks | cmp - direct.pb.gz
}

@test "several runs of a program, with bins that functions share" {
    # At -Os functions begin anywhere, also within a bin.
    gprof_pl layers 5 6 >layers.c
    gcc -pg -Os -o layers layers.c
    for seed in 1 2 3 4; do
        gprof_pl make layers $seed width=4 bins=60 arcs=40 max=7 back=9 >run.$seed
    done
    added layers run.1 run.2 run.3 run.4
    # Half ticks: what is shared is not whole.
    pbcat --raw flat.pb.gz | grep -Eq '^ +[0-9]+ +[0-9]*5000000 '
    for width in 8 16 64; do
        for seed in 1 2 3; do
            gprof_pl make layers $seed width=$width bins=30 arcs=40 back=5 >run.$seed
        done
        added layers run.1 run.2 run.3
    done
}

@test "runs that measured nothing, no time or no calls" {
    cycles
    run_of apple banana fruit 6 >a
    low=$(at cycles plum 0)
    gmon make gnu64 little "low=$low" "high=$((low + 16))" bins=1,2,3,4 \
        arcs= >silent
    gmon make gnu64 little bins= arcs="$(at cycles stone 8):$((low + 4)):3" >calls
    gmon make gnu64 little bins= arcs= >header
    added cycles header silent a calls
}

@test "several programs at once are a graph each" {
    cycles
    mkdir x y
    cp cycles x/prog
    sed 's/void stone/void other(void) {} void stone/' cycles.c >other.c
    gcc -pg -O0 -falign-functions=16 -fPIE -pie -o y/prog other.c
    run_of apple banana fruit 6 >x/gmon.out
    mv cycles old
    cp y/prog cycles
    run_of apple banana stone 3 >y/gmon.out
    for d in x y; do
        gmon2pb --flat -e $d/prog -o $d.pb.gz $d/gmon.out
    done
    gmon2pb --exe-from=prog -o direct.pb.gz x/gmon.out y/gmon.out
    pbmerge y.pb.gz x.pb.gz | pbfilter --estimate-stacks -o sum.pb.gz
    cmp direct.pb.gz sum.pb.gz
    # Calls of one program pass on no time of the other.
    run pbcat --folded sum.pb.gz
    same 'main;fruit;<cycle of 2: apple>;apple 60000000
main;stone;<cycle of 2: apple>;apple 30000000'
}

@test "no more stacks than --max-stacks, as in gmon2pb" {
    gprof_pl layers 4 6 >layers.c
    gcc -pg -o layers layers.c
    gprof_pl arcs layers >gmon.out
    gmon2pb --flat -e layers -o flat.pb.gz gmon.out
    for n in 10 100 100000; do
        gmon2pb -q --max-stacks=$n -e layers -o direct.pb.gz gmon.out
        pbfilter -q --estimate-stacks --max-stacks=$n -o later.pb.gz flat.pb.gz
        # What a converter lost is a comment of its own.
        diff <(pbcat --raw later.pb.gz) \
            <(pbcat --raw direct.pb.gz | grep -v '^Comment: incomplete: ')
    done
    cmp later.pb.gz direct.pb.gz
    # Callers that are wrong are a loss: never silent, and an error if strict.
    expect 3 gmon2pb --strict --max-stacks=10 -e layers -o none.pb.gz gmon.out
    same_err ... '--max-stacks=10 reached: ' ... ' are wrong or missing' ...
    [ ! -e none.pb.gz ]
    expect 2 pbfilter --max-stacks=5 flat.pb.gz
    same_err 'pbfilter: --max-stacks requires --estimate-stacks'
    expect 2 pbfilter --estimate-stacks --max-stacks=0 flat.pb.gz
}

@test "the rules for make(1) in the manual" {
    cycles
    mandoc -T ascii -O width=1000 "$ROOT/man/gmon2pb.1" | perl -pe 's/.\x08//g' |
        sed -n '/%\.pb\.gz:/,/^$/s/^ \{11\}//p' | sed 's/^  */\t/' >Makefile
    [ "$(wc -l <Makefile)" = 4 ]
    run_of apple banana fruit 6 >one.gmon
    run_of plum quince stone 7 >two.gmon
    make -s PROGRAM=cycles TESTS='one two' all.pb.gz
    gmon2pb -e cycles one.gmon two.gmon | cmp - all.pb.gz
}

@test "stacks are estimated before other filters" {
    cycles
    run_of apple banana fruit 6 >a
    gmon2pb --flat -e cycles -o flat.pb.gz a
    gmon2pb -e cycles -o stacks.pb.gz a
    pbfilter --focus=main stacks.pb.gz >expected
    pbfilter --focus=main --estimate-stacks flat.pb.gz | cmp - expected
}

@test "what is not measured data is refused, or a warning" {
    fixture cpu.pb.gz
    cycles
    run_of apple banana fruit 6 >a
    gmon2pb -e cycles -o stacks.pb.gz a
    gmon2pb --no-symbols -o bare.pb.gz a
    gmon2pb --flat -e cycles -o flat.pb.gz a
    expect 3 pbfilter --estimate-stacks -o out stacks.pb.gz
    same_err 'pbfilter: stacks.pb.gz: call stacks have already been estimated'
    expect 3 pbfilter --estimate-stacks -o out bare.pb.gz
    same_err 'pbfilter: bare.pb.gz: cannot estimate call stacks: addresses have no function names; run gmon2pb --flat with -e PROGRAM'
    expect 3 pbfilter --estimate-stacks -o out cpu.pb.gz
    same_err "pbfilter: cpu.pb.gz: cannot estimate call stacks: no call counts ('calls'); convert with gmon2pb --flat"
    pbmerge --scale=-1 -o less.pb.gz flat.pb.gz
    expect 3 pbfilter --estimate-stacks -o out less.pb.gz
    same_err ... 'less.pb.gz: cannot estimate call stacks of negative values; estimate them before subtracting profiles' ...
    echo 'a;b;c 1 2' | folded2pb --sample-types=cpu/nanoseconds,calls/count -o deep
    expect 3 pbfilter --estimate-stacks -o out deep
    same_err "pbfilter: deep: cannot estimate call stacks: a sample of 'cpu' has 3 frames; convert with gmon2pb --flat"
    [ ! -e out ]
    gmon make gnu64 little "low=$(at cycles plum 0)" \
        "high=$(($(at cycles plum 0) + 16))" bins=1,2,3,4 arcs= >silent
    gmon2pb -e cycles -o silent.pb.gz silent
    expect 0 pbfilter --estimate-stacks -o out silent.pb.gz
    same_err 'pbfilter: warning: no call counts: each stack has one frame'
    cmp out silent.pb.gz
}
