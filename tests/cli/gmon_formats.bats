# gmon2pb on every format of gmon.out: what ld.so and gprof write, files of
# gcc -pg programs in the other formats held to gprof, and made ones.

load helper
load gmon

setup() {
    setup_scratch
    records
    functions() { go_pprof -raw "$1" | gmon functions; }
}

ours='^(checksum|deposit|withdraw|Mutex)'

# The file of a real program in another format: gprof's seconds and calls.
as_gprof() { # FORMAT -O OPTION... [-- FLAG...]
    local format=$1 way=$3 word=64
    shift 3
    local options=()
    while [ "${1---}" != -- ]; do options+=("$1") && shift; done
    [ "${2-}" != -m32 ] || { word=32 && needs_32bit qemu-i386; }
    build bank "${@:2}"
    "${run32[@]}" ./bank >/dev/null
    gmon convert "$format$word" little gmon.out >other
    expect 0 gmon2pb -q --flat "${options[@]}" -e bank -o bank.pb.gz other
    functions bank.pb.gz | grep -E "$ours" >ours
    gprof -O "$way" -b -p bank other | gmon gprof | grep -E "$ours" >theirs
    [ "$(wc -l <theirs)" = 4 ]
    diff -u theirs ours
    # And what gprof makes of it twice, in that format.
    gprof -O "$way" -s bank other other
    gmon2pb -q --flat "${options[@]}" -e bank -o twice.pb.gz other other
    gmon2pb -q --flat "${options[@]}" -e bank -o sum.pb.gz gmon.sum
    pprof_totals twice.pb.gz >expected
    pprof_totals sum.pb.gz | diff -u expected -
}

@test "4.4BSD, 64-bit: gprof's seconds and calls" {
    as_gprof bsd44 -O 4.4bsd
}

@test "4.4BSD, 32-bit: gprof's seconds and calls" {
    as_gprof bsd44 -O 4.4bsd -- -m32
}

@test "old BSD, 64-bit: gprof's samples and calls" {
    as_gprof old -O bsd --format=oldbsd
}

@test "old BSD, 32-bit: gprof's samples and calls" {
    as_gprof old -O bsd --format=oldbsd -- -m32
}

@test "gprof -s wraps where sums here are exact" {
    build bank -fPIE -pie
    ./bank 0.1 >/dev/null
    # 40000 of one bin and 0xfffffff0 calls on one arc, twice.
    read -r low high bins <<<"$(gmon head -64 gmon.out)"
    at=0x$(nm bank | awk '$3 == "checksum" { print $1 }')
    from=0x$(nm bank | awk '$3 == "deposit" { print $1 }')
    list=$(awk -v n="$bins" -v hot="$(((at - low) / 4))" 'BEGIN {
        for (i = 0; i < n; i++) printf "%d,", i == hot ? 40000 : 0 }')
    gmon make gnu64 little "low=$low" "high=$high" "bins=${list%,}" \
        "arcs=$from:$at:0xfffffff0" >gmon.1
    gprof -s bank gmon.1 gmon.1
    gmon2pb --flat -e bank -o theirs.pb.gz gmon.sum
    run pprof_totals theirs.pb.gz
    same "samples/count $((80000 - 65536))
cpu/nanoseconds $(((80000 - 65536) * 10000000))
calls/count $((2 * 0xfffffff0 - 0x100000000))"
    gmon2pb --flat -e bank -o ours.pb.gz gmon.1 gmon.1
    run pprof_totals ours.pb.gz
    same "samples/count 80000
cpu/nanoseconds 800000000000
calls/count $((2 * 0xfffffff0))"
}

# A library whose functions are far enough apart for ld.so to tell them, and
# a program that calls it; -m32 or nothing.
build_library() {
    cat >lib.c <<'C'
volatile unsigned long sink;
__attribute__((noinline)) void inner(int n)
{
    for (volatile int i = 0; i < n; i++)
        sink += (unsigned long)i;
}
void outer(int n)
{
    for (int i = 0; i < 3; i++)
        inner(n);
}
void lone(int n) { inner(n); }
C
    cat >main.c <<'C'
void inner(int);
void outer(int);
void lone(int);
int main(void)
{
    for (int i = 0; i < 20; i++)
        outer(3000000);
    lone(3000000);
    inner(1);
    inner(1);
    return 0;
}
C
    gcc "$@" -g -O1 -falign-functions=64 -shared -fPIC -Wl,-soname,libx.so \
        -Wl,-z,lazy -o libx.so lib.c
    gcc "$@" -O1 -Wl,-z,lazy -o prog main.c -L. -lx "-Wl,-rpath,$PWD"
    LD_PROFILE=libx.so LD_PROFILE_OUTPUT=$PWD "${run32[@]}" ./prog
    [ -s libx.so.profile ]
}

# Calls of the functions of lib.c, which are certain, and who makes them.
check_library() {
    local calls
    expect 0 gmon2pb --flat -e libx.so -o out.pb.gz libx.so.profile
    [ -z "$output$stderr" ]
    calls=$(pbcat --folded --sample-index=calls out.pb.gz | sort)
    diff -u - <(printf '%s\n' "$calls") <<'CALLS'
inner 2
lone 1
lone;inner 1
outer 20
outer;inner 60
CALLS
    # By gprof's model, most of what inner took is outer's.
    expect 0 gmon2pb -e libx.so -o stacks.pb.gz libx.so.profile
    pprof_totals out.pb.gz >measured
    pprof_totals stacks.pb.gz | diff -u measured -
    pbcat --folded stacks.pb.gz | grep -q '^outer;inner [1-9]'
    # Time is where the loop is.
    pbcat --top --sample-index=samples out.pb.gz | grep -Eq '^ +[1-9].* inner$'
    go_pprof -raw out.pb.gz | grep -Eq '^1: 0x0/0x[0-9a-f]+000/0x0 libx.so [0-9a-f]+'
    [ "$(pbcat --comments out.pb.gz | grep -c 'LD_PROFILE format')" = 1 ]
}

@test "LD_PROFILE: calls inside of a library and from outside" {
    build_library
    check_library
}

@test "LD_PROFILE of 32-bit programs" {
    needs_32bit qemu-i386
    build_library -m32
    check_library
}

@test "LD_PROFILE: runs add up in the file as they do here" {
    build_library
    cp libx.so.profile one
    LD_PROFILE=libx.so LD_PROFILE_OUTPUT=$PWD ./prog
    gmon2pb --flat -e libx.so -o both.pb.gz libx.so.profile
    run pprof_totals both.pb.gz
    [[ $output == *'calls/count 168' ]]
    gmon2pb --flat -e libx.so -o sum.pb.gz one one
    run pprof_totals sum.pb.gz
    [[ $output == *'calls/count 168' ]]
}

@test "LD_PROFILE: a.out is not the library" {
    build_library
    cp prog a.out
    expect 0 gmon2pb --flat -o out.pb.gz libx.so.profile
    same_err "gmon2pb: warning: this is a shared library's profile; specify the library with -e to name its functions"
    run ! grep -aq a.out <(raw out.pb.gz)
    # What pprof is given later finds the functions.
    go tool pprof -symbolize=local -top -sample_index=calls libx.so \
        out.pb.gz 2>/dev/null >named
    grep -q ' inner$' named
    gcc -pg -o a.out "$DATA/bank.c"
    ./a.out 0.1 >/dev/null
    expect 3 gmon2pb -o none.pb.gz gmon.out libx.so.profile
    same_err 'gmon2pb: libx.so.profile: profile of a shared library, but gmon.out is of a program; convert them separately'
    [ ! -e none.pb.gz ]
}

@test "gzip members of the format that is said" {
    gmon make old32 little >a
    gmon2pb -q --flat --no-symbols --format=oldbsd -o two.pb.gz a a
    cat <(gzip -c a) <(gzip -c a) |
        gmon2pb -q --flat --no-symbols --format=oldbsd | cmp - two.pb.gz
}

@test "entries of an archive: those that say what they are, or are said to be" {
    gmon make old32 little >a.old
    gmon make darwin64 big >b.darwin
    gmon make gnu64 big bins=1 high=0x8004 >c.gnu
    echo hello >notes.txt
    tar -cf all.tar a.old b.darwin c.gnu notes.txt
    expect 0 gmon2pb -v --no-symbols -o out.pb.gz all.tar
    same_err ... "all.tar(a.old): note: skipped: " ...
    same_err ... "all.tar(notes.txt): note: skipped: " ...
    run pprof_totals out.pb.gz
    same 'samples/count 4
cpu/nanoseconds 40000000
calls/count 14'
    expect 0 gmon2pb -v --no-symbols --format=oldbsd -o out.pb.gz all.tar
    same_err ... 'all.tar(b.darwin): note: skipped: not a gmon.out file of that format: found a gmon.out file' ...
    run pprof_totals out.pb.gz
    same 'samples/count 3
cpu/nanoseconds 0
calls/count 7'
}
