# gmon2pb's functions, held to the symbol table: clones, stubs and padding; and
# programs that are not those that ran.

load helper

setup() {
    setup_scratch
    records
    gmon() { perl "$ROOT/tests/cli/gmon.pl" "$@"; }
    gprof_pl() { perl "$ROOT/tests/cli/gprof.pl" "$@"; }
}

# No padding but before "padded"; gprof knows only the names without a suffix.
clones() {
    cat >clones.c <<'C'
#define AT(name, type) \
    ".p2align 3\n.type " name ", " type "\n" name ":\n.zero 24, 0x90\n" \
    ".size " name ", 24\n"
__asm__(".text\n.p2align 4\n"
    AT("first", "@function") AT("caller", "@function")
    AT("work", "@function") AT("between", "@function")
    AT("work.isra.0", "@function") AT("after", "@function")
    AT("work.part.1.cold", "@function") AT("only.constprop.0", "@function")
    AT("_ZN2ns4sortEv.lto_priv.3", "@function") AT("nested.7", "@function")
    AT("not.a.clone", "@function") AT("a.llvm.123", "@function")
    ".zero 5, 0x90\n.p2align 4\n" AT("padded", "@function")
    ".type holds, @function\nholds:\n.zero 8, 0x90\n"
    ".type inside, @function\ninside:\n.zero 8, 0x90\n.size inside, 8\n"
    ".zero 8, 0x90\n.size holds, 24\n");
#include <stdlib.h>
int main(int n, char **v) { return atoi(v[n - 1]); }
C
    gcc -O0 -no-pie -o clones clones.c
}

address() { nm clones | awk -v name="$1" '$3 == name { print "0x" $1 }'; }

# One count at each of the addresses, in bins of four bytes; and arcs.
counted() { # ARCS ADDRESS...
    local low=$(($(address first))) arcs=$1 bins='' i at
    shift
    for ((i = 0; i < 100; i++)); do
        at=0
        for address; do
            ((address >= low + 4 * i && address < low + 4 * i + 4)) && at=1
        done
        bins=$bins${bins:+,}$at
    done
    gmon make gnu64 little low=$low high=$((low + 400)) "bins=$bins" \
        "arcs=$arcs"
}

# "NAME SYSTEM_NAME" of all locations, as pprof prints them.
names_of() { # FILE
    go_pprof -raw "$1" | sed -n 's/^ *[0-9]*: 0x[0-9a-f]* M=1 //p' | sed -E \
        's/ :0(:0)? s=0\((.*)\)$/ \2/; s/^(.*) :0(:0)? s=0$/\1 \1/' | sort
}

@test "time in a clone is its function's; pbsym and addr2line agree" {
    clones
    local name at=() names=(work work.isra.0 work.part.1.cold nested.7
        only.constprop.0 _ZN2ns4sortEv.lto_priv.3 not.a.clone a.llvm.123
        padded inside)
    for name in "${names[@]}"; do at+=($(($(address "$name") + 4))); done
    counted '' "${at[@]}" >gmon.out
    expect 0 gmon2pb --flat -e clones -o out.pb.gz gmon.out
    for name in "${names[@]}"; do
        case $name in
        _ZN*) echo "ns::sort $name" ;;
        not*) echo "$name $name" ;;
        *) echo "${name%%.*} $name" ;;
        esac
    done | sort >expected
    names_of out.pb.gz | diff -u expected -
    gmon2pb --no-symbols -e clones -o bare.pb.gz gmon.out
    pbsym -o named.pb.gz bare.pb.gz
    names_of named.pb.gz | diff -u expected -
    go_pprof -raw bare.pb.gz | sed -n 's/^ *[0-9]*: \(0x[0-9a-f]*\) M=1.*/\1/p' |
        xargs addr2line -f -e clones | sed -n 'p;n' | sort |
        diff -u <(cut -d' ' -f2 expected | sort) -
    # By gprof's rule, "between" is the last symbol before work.isra.0.
    counted '' $(($(address work.isra.0) + 4)) >gmon.out
    gmon2pb --flat --symbols=gprof -e clones -o out.pb.gz gmon.out
    [ "$(names_of out.pb.gz)" = 'between between' ]
    gprof -b -p clones gmon.out | grep -q ' between$'
    expect 2 gmon2pb --symbols=nm gmon.out
}

@test "calls of a clone are calls of its function" {
    clones
    local isra=$(($(address work.isra.0))) work=$(($(address work)))
    local from=$(($(address caller) + 4)) first=$(($(address first) + 4))
    counted "$from:$((isra + 4)):3,$first:$((work + 4)):1" $((work + 8)) \
        $((isra + 8)) $((isra + 12)) $(($(address work.part.1.cold) + 8)) \
        >gmon.out
    expect 0 gmon2pb -e clones -o out.pb.gz gmon.out
    # work has 40 ms and 4 calls, 3 of them from caller.
    gmon2pb --demangle=none -e clones -o none.pb.gz gmon.out
    gmon2pb --flat -e clones gmon.out |
        pbfilter --estimate-stacks -o later.pb.gz
    for file in out none later; do
        go_pprof -top -cum -unit=ms -nodefraction=0 $file.pb.gz |
            awk '/ (work|caller|first)$/ { print $6, $1, $4 }' | sort |
            diff -u - <(printf '%s\n' 'caller 0 30ms' 'first 0 10ms' \
                'work 40ms 40ms')
    done
}

@test "padding belongs to what follows, stubs are named by their target" {
    clones
    local plt
    plt=$(objdump -d -j .plt clones | awk '/<atoi@plt>:/ { print $1 }')
    gmon make gnu64 little low=0x$plt high=$((0x$plt + 16)) bins=0,1,0,0 \
        arcs= >stub.out
    gmon2pb --flat -e clones -o out.pb.gz stub.out
    [ "$(names_of out.pb.gz)" = 'atoi@plt atoi@plt' ]
    counted '' $(($(address padded) - 4)) >gmon.out
    gmon2pb --flat -e clones -o out.pb.gz gmon.out
    [ "$(names_of out.pb.gz)" = 'padded padded' ]
    # Padding takes nothing from the function that a bin also has.
    gmon make gnu64 little low=$(($(address a.llvm.123) + 16)) \
        high=$(($(address padded))) bins=1 arcs= >gmon.out
    gmon2pb --flat -e clones -o out.pb.gz gmon.out
    [ "$(names_of out.pb.gz)" = 'a a.llvm.123' ]
}

program() { # TEXT
    printf 'int f(int n) { %s return n; }
int main(void) { return f(0); }\n' "$1" >prog.c
    gcc -pg -O0 -o "${2-prog}" prog.c
}

@test "a program that was built again is not the one that ran" {
    program ''
    ./prog
    expect 0 gmon2pb --strict -e prog -o out.pb.gz gmon.out
    program 'n += 2; n *= n; n += 3; n *= n; n -= 5; n ^= n << 1;'
    local end high
    end=$(printf '0x%x' $((0x$(nm prog | awk '$3 == "etext" { print $1 }'))))
    high=$(printf '0x%x' "$(gmon head gmon.out | cut -d' ' -f2)")
    expect 3 gmon2pb -e prog gmon.out
    same_err "gmon2pb: gmon.out: does not match prog (its code ends at $end, but \
the histogram at $high): was it built again after the run? use the program \
that ran, or --no-symbols"
    expect 3 gmon2pb --exe-from=prog gmon.out
    expect 0 gmon2pb --no-symbols -e prog -o out.pb.gz gmon.out
    # The default program is not used.
    mv prog a.out
    local told="does not match a.out (its code ends at $end, but the histogram \
at $high): was it built again after the run? specify the program that ran \
with -e, or use --no-symbols"
    expect 0 gmon2pb -o out.pb.gz gmon.out
    same_err "gmon2pb: warning: $told" ...
    [[ $(go_pprof -raw out.pb.gz) != *main* ]]
    expect 3 gmon2pb --strict -o none.pb.gz gmon.out
    same_err ... "gmon2pb: $told" ...
    [ ! -e none.pb.gz ]
    # Nothing is missing where no names are asked for.
    expect 0 gmon2pb --strict --no-symbols -o out.pb.gz gmon.out
    [[ $stderr != *a.out* ]]
}

@test "a program of other addresses is a loss" {
    program ''
    gmon make gnu64 little low=0x10000000 high=0x10000010 >gmon.out
    expect 3 gmon2pb --strict -e prog gmon.out
    same_err ... 'wrong program?' ...
}

@test "a histogram without counts: no time accumulated" {
    program ''
    gmon make gnu64 little bins=0,0,0,0 >gmon.out
    gprof -b -p prog gmon.out | grep -q '^ no time accumulated'
    expect 0 gmon2pb --no-symbols -o out.pb.gz gmon.out
    same_err 'gmon2pb: warning: no time accumulated: ' ...
}
