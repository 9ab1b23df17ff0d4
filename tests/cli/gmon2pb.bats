# gmon2pb on what gcc -pg programs write, held to gprof, and on made files.

load helper
load gmon

setup() {
    setup_scratch
    records
    functions() { go_pprof -raw "$1" | gmon functions; }
}

# Seconds and calls of the functions of bank.c are gprof's, to the digit.
as_gprof() { # [-32] FLAG...
    local word=-64 low high bins
    [ "$1" != -32 ] || { word=-32 && shift && needs_32bit qemu-i386; }
    build bank "$@"
    "${run32[@]}" ./bank >/dev/null
    read -r low high bins <<<"$(gmon head "$word" gmon.out)"
    [ $((high - low)) = $((4 * bins)) ]

    expect 0 gmon2pb -e bank -o bank.pb.gz gmon.out
    [ -z "$output$stderr" ]
    functions bank.pb.gz | grep -E '^(checksum|deposit|withdraw|Mutex)' >ours
    gprof -b -p bank gmon.out | gmon gprof |
        grep -E '^(checksum|deposit|withdraw|Mutex)' >theirs
    [ "$(wc -l <theirs)" = 4 ]
    diff -u theirs ours
}

@test "a position-independent program: gprof's seconds and calls" {
    as_gprof -fPIE -pie
}

@test "a program at fixed addresses: gprof's seconds and calls" {
    as_gprof -no-pie
}

@test "a static program: gprof's seconds and calls" {
    as_gprof -static
}

@test "a 32-bit program: gprof's seconds and calls" {
    as_gprof -32 -m32
}

@test "a 32-bit program at fixed addresses: gprof's seconds and calls" {
    as_gprof -32 -m32 -no-pie
}

@test "the profile of a program: types, mapping, comments" {
    build a.out -fPIE -pie
    ./a.out 0.1 >/dev/null
    gmon2pb -o out.pb.gz gmon.out
    go_pprof -raw out.pb.gz >raw
    grep -qx 'samples/count cpu/nanoseconds\[dflt\] calls/count' raw
    grep -qx 'PeriodType: cpu nanoseconds' raw
    grep -qx 'Period: 10000000' raw
    grep -qx "Comment: call stacks are estimated from call counts (gprof's model)" raw
    grep -qx 'Comment: # gmon.out: GNU format, 64-bit' raw
    grep -qx 'Comment: # histogram: 100 ticks per "seconds", bins of 4 bytes' raw
    id=$(readelf -n a.out | sed -n 's/.*Build ID: //p')
    # What is loaded, in pages, and not what this run has seen of it.
    read -r start size <<<"$(readelf -lW a.out | awk '/LOAD.* R E / { print $3, $6 }')"
    printf '1: 0x0/0x%x/0x0 a.out %s [FN][FL][LN]\n' \
        $(((start + size + 4095) & ~4095)) "$id" >mapping
    sed -n '/^Mappings/,$p' raw | sed 1d | sed 's/ *$//' | diff -u mapping -
}

@test "measured data only: arcs name functions, bins lines of their own" {
    build a.out -fPIE -pie
    ./a.out 0.3 >/dev/null
    gmon2pb --flat -o out.pb.gz gmon.out
    go_pprof -raw out.pb.gz >raw
    # Locations of stacks of two, the others, and those that have no line.
    awk '/^Locations/ { exit }
         sub(/^ *[0-9]+ +[0-9]+ +[0-9]+: /, "") && NF > 1 {
             for (i = 1; i <= NF; i++) print $i }' raw | sort -u >arcs
    awk '/^Locations/ { on = 1; next } /^Mappings/ { exit }
         on && / .*bank\.c:0(:0)? / { sub(":", "", $1); print $1 }' raw |
        sort -u >lineless
    [ -s arcs ]
    diff -u arcs lineless
    grep -Eq 'M=1 checksum .*bank\.c:3[0-9]' raw
}

@test "calls have no lines, and mappings do not promise any" {
    build prog -no-pie
    address() { nm prog | awk -v name="$1" '$3 == name { print "0x" $1 }'; }
    gmon make gnu64 little bins= \
        "arcs=$(address main):$(address deposit):7" >gmon.out
    for flat in "" --flat; do
        # shellcheck disable=SC2086 # nothing or an option
        gmon2pb $flat -e prog -o out gmon.out
        expect 0 pbcat --json out
        [ "$(jq -c '[.function[].name] | sort' <<<"$output")" = '["deposit","main"]' ]
        [ "$(jq -c '[.location[].line[].line // "0"] | unique' <<<"$output")" = '["0"]' ]
        [ "$(jq -c '.mapping[0] | [.has_functions, .has_line_numbers]' <<<"$output")" = \
            '[true,false]' ]
        expect 0 pbcat -q --check out
    done
}

@test "calls have locations of their own, without lines, by debug information" {
    cat >d.c <<'C'
__attribute__((noinline)) void work(void) { __asm__ volatile(""); }
int main(void) { work(); return 0; }
C
    gcc -g -O0 -fPIE -pie -o d d.c
    at=$((0x$(nm d | awk '$3 == "main" { print $1 }') + 4))
    # Without a symbol table it is by address: the call is from where a bin is.
    objcopy --strip-all --keep-section='.debug_*' d
    gmon make gnu64 little "low=$((at - 4))" "high=$((at + 12))" bins=0,3,0,0 \
        "arcs=$((at + 3)):$at:7" >gmon.out
    gmon2pb -e d -o out.pb.gz gmon.out
    run jq -c '[.location[] | [.address, .line[].line // "0"]]' \
        <<<"$(pbcat --json out.pb.gz)"
    same "[[\"$at\",\"0\"],[\"$((at + 3))\",\"0\"],[\"$((at + 3))\",\"2\"]]"
}

@test "addresses alone are what pprof finds the functions by" {
    # Of a bin that ends in padding, the functions alone tell which byte.
    build a.out -fPIE -pie -falign-functions=1
    ./a.out >/dev/null
    gmon2pb --flat -o named.pb.gz gmon.out
    expect 0 gmon2pb --no-symbols -o bare.pb.gz gmon.out
    [ -z "$stderr" ]
    go_pprof -raw bare.pb.gz >raw
    run ! grep -q Mutex_lock raw
    go_pprof -top named.pb.gz | tail -n +6 | sort >named
    go tool pprof -symbolize=local -top bare.pb.gz 2>/dev/null |
        tail -n +6 | sort >bare
    grep -q Mutex_lock bare
    diff -u bare named
}

@test "several runs: one sum, of what was measured the same as pbmerge's" {
    gcc -pg -g -O1 -o a.out "$DATA/bank.c"
    for seconds in 0.1 0.2 0.3; do
        GMON_OUT_PREFIX=run ./a.out "$seconds" >/dev/null
    done
    set -- run.*
    [ $# = 3 ]
    [ ! -e gmon.out ]
    gmon2pb --flat -o all.pb.gz "$@"
    for run; do
        gmon2pb --flat -o "$run.pb.gz" "$run"
        pprof_totals "$run.pb.gz"
    done | awk '{ sum[$1] += $2 }
            END { for (t in sum) printf "%s %.0f\n", t, sum[t] }' |
        sort >expected
    pprof_totals all.pb.gz | sort | diff -u expected -
    gmon2pb --flat -o back.pb.gz "$3" "$1" "$2"
    cmp all.pb.gz back.pb.gz
    pbmerge -o merged.pb.gz run.*.pb.gz
    cmp all.pb.gz merged.pb.gz
}

@test "a hundred copies of a real file are a hundred times one" {
    gcc -pg -O1 -o a.out "$DATA/bank.c"
    ./a.out 0.3 >/dev/null
    gmon2pb -o one.pb.gz gmon.out
    for _ in $(seq 100); do
        echo gmon.out
    done >names
    gmon2pb -o sum.pb.gz --files-from names
    pprof_totals one.pb.gz | awk '{ printf "%s %.0f\n", $1, $2 * 100 }' >expected
    pprof_totals sum.pb.gz | diff -u expected -
}

@test "gprof -s: garbage in the spare bytes, the same totals" {
    gcc -pg -O1 -o a.out "$DATA/bank.c"
    ./a.out 0.2 >/dev/null
    cp gmon.out gmon.1
    ./a.out 0.2 >/dev/null
    gprof -s a.out gmon.out gmon.1
    printf 'garbage bits' | dd of=gmon.sum bs=1 seek=8 conv=notrunc status=none
    gmon2pb -o ours.pb.gz gmon.out gmon.1
    expect 0 gmon2pb -o sum.pb.gz gmon.sum
    [ -z "$stderr" ]
    pprof_totals ours.pb.gz >expected
    pprof_totals sum.pb.gz | diff -u expected -
}

@test "files with arcs and files without go together" {
    gmon make gnu64 little arcs= >bins
    gmon make gnu64 little bins= >arcs
    gmon2pb -q -o both.pb.gz bins arcs
    gmon make gnu64 little >whole
    gmon2pb -q -o whole.pb.gz whole
    cmp both.pb.gz whole.pb.gz
    gmon2pb -q -o arcs.pb.gz arcs
    run pprof_totals arcs.pb.gz
    same 'samples/count 0
cpu/nanoseconds 0
calls/count 7'
    gmon2pb -q -o bins.pb.gz bins
    run pprof_totals bins.pb.gz
    same 'samples/count 3
cpu/nanoseconds 30000000
calls/count 0'
}

@test "pipes and compressed files" {
    gmon make gnu64 little >gmon.out
    gmon2pb -q -o file.pb.gz gmon.out
    gmon2pb -q -o pipe.pb.gz < <(cat gmon.out)
    cmp file.pb.gz pipe.pb.gz
    gzip gmon.out
    gmon2pb -q gmon.out.gz | cmp file.pb.gz -
}

@test "gzip members are files, or the pieces of one" {
    gmon make gnu64 little >a
    gmon2pb -q -o one.pb.gz a
    gmon2pb -q -o two.pb.gz a a
    cat <(gzip -c a) <(gzip -c a) | gmon2pb -q | cmp - two.pb.gz
    cat <(head -c 70 a | gzip) <(tail -c +71 a | gzip) >pieces.gz
    gmon2pb -q pieces.gz | cmp - one.pb.gz
    # a member that is damaged is named, and takes no other along
    cat <(gzip -c a) <(head -c 60 a | gzip) >cut.gz
    expect 3 gmon2pb -q -o out.pb.gz cut.gz
    same_err "gmon2pb: cut.gz(member 2): offset 20: " ...
    [ ! -e out.pb.gz ]
    expect 5 gmon2pb -qk -o out.pb.gz cut.gz
    cmp out.pb.gz one.pb.gz
    cat <(gzip -c a) <(gzip -c a | head -c 40) >short.gz
    expect 5 gmon2pb -qk -o out.pb.gz short.gz
    same_err "gmon2pb: short.gz(member 2): offset " ...
    cmp out.pb.gz one.pb.gz
    tar -cf all.tar pieces.gz cut.gz
    expect 5 gmon2pb -qk -o out.pb.gz all.tar
    same_err "gmon2pb: all.tar(cut.gz, member 2): offset 20: " ...
    cmp out.pb.gz two.pb.gz
}

@test "no program: addresses and a warning" {
    gmon make gnu64 little >gmon.out
    expect 0 gmon2pb -o out.pb.gz gmon.out
    same_err 'gmon2pb: warning: no a.out in this directory; specify the program with -e to name functions'
    expect 0 gmon2pb --no-symbols -o out.pb.gz gmon.out
    same_err ''
}

@test "an a.out that does not fit is left alone" {
    gmon make gnu64 little low=0x10000000 high=0x10000010 >gmon.out
    gcc -pg -fPIE -pie -o a.out "$DATA/bank.c"
    expect 0 gmon2pb -o out.pb.gz gmon.out
    same_err 'gmon2pb: warning: does not match a.out (it is loaded at 0x0-0x' ... ', but a histogram covers 0x10000000-0x10000010); specify the program with -e'
    run ! grep -aq a.out <(raw out.pb.gz)
    gmon make gnu32 big >gmon.out
    expect 0 gmon2pb -o out.pb.gz gmon.out
    same_err 'gmon2pb: warning: does not match a.out (it is 64-bit little-endian, the profile 32-bit big-endian); specify the program with -e'
    echo '#!/bin/sh' >a.out
    expect 0 gmon2pb -o out.pb.gz gmon.out
    same_err 'gmon2pb: warning: a.out: not an ELF file; specify the program with -e'
}

@test "a named program is believed, with a warning if it cannot be" {
    gmon make gnu64 little low=0x10000000 high=0x10000010 >gmon.out
    gcc -pg -fPIE -pie -o bank "$DATA/bank.c"
    expect 0 gmon2pb -e bank --no-symbols -o out.pb.gz gmon.out
    same_err "gmon2pb: warning: bank: it is loaded at 0x0-0x" ... ', but a histogram covers 0x10000000-0x10000010; wrong program?'
    grep -aq bank <(raw out.pb.gz)
    expect 3 gmon2pb -e gmon.out -o none.pb.gz gmon.out
    same_err 'gmon2pb: gmon.out: not an ELF file'
    expect 3 gmon2pb -e <(cat bank) gmon.out
    same_err "gmon2pb: /dev/fd/" ... ": not a regular file"
    expect 4 gmon2pb --executable=missing -o none.pb.gz gmon.out
    same_err 'gmon2pb: missing: cannot open: No such file or directory'
    [ ! -e none.pb.gz ]
}

@test "a program without symbols: addresses and a warning" {
    gcc -pg -O1 -o a.out "$DATA/bank.c"
    ./a.out 0.1 >/dev/null
    strip a.out
    expect 0 gmon2pb -o out.pb.gz gmon.out
    same_err 'gmon2pb: warning: a.out: no function names for 100% of cpu (' ... ' addresses): it is stripped; install its debug symbols ' ...
    [ "$(wc -l <<<"$stderr")" = 1 ]
}

@test "damage is an error with its place, and nothing is written" {
    gmon make gnu64 little >good
    { cat good && printf '\011'; } >tag
    expect 3 gmon2pb -o out.pb.gz tag
    same_err 'gmon2pb: tag: offset 90: unknown record tag 9; use --lenient '\
'to keep the complete records'
    head -c 75 good >cut
    expect 3 gmon2pb -o out.pb.gz good cut
    same_err 'gmon2pb: cut: offset 69: unexpected end of file: an arc of 20 bytes, only 5 left; '\
'use --lenient to keep the complete records'
    : >empty
    expect 3 gmon2pb -o out.pb.gz empty
    same_err 'gmon2pb: empty: empty file (a program writes gmon.out when it returns from main() or calls exit())'
    expect 3 gmon2pb -o out.pb.gz "$DATA/bank.c"
    same_err "gmon2pb: $DATA/bank.c: not a gmon.out file: begins with 2f 2a 0a 20 2a 20 62 61"
    [ ! -e out.pb.gz ]
}

@test "sample types do not depend on what the files have" {
    gmon make gnu64 little >whole
    gmon make gnu64 little arcs= >silent
    gmon make gnu64 little bins= >calls
    gmon make gnu64 little rate=0 >unrated
    gmon make gnu64 little bins= arcs= >header
    { gmon make gnu64 little && block; } >blocks
    expect 0 gmon2pb -q --no-symbols --each -o each.tar \
        whole silent calls unrated header blocks
    mkdir each && tar -xf each.tar -C each
    for f in each/*; do
        pprof_totals "$f" | cut -d' ' -f1 | tr '\n' ' ' >>types
        echo >>types
    done
    [ "$(wc -l <types)" = 6 ]
    run uniq types
    same 'samples/count cpu/nanoseconds calls/count '
    # So they all add up, in any order, and time is what is shown first.
    expect 0 pbmerge -o sum.pb.gz each/*
    expect 0 pbmerge -o back.pb.gz each/{whole,unrated,silent,header,calls,blocks}*
    cmp sum.pb.gz back.pb.gz
    run pprof_totals sum.pb.gz
    same 'samples/count 12
cpu/nanoseconds 90000000
calls/count 28'
    go_pprof -raw sum.pb.gz | grep -q 'cpu/nanoseconds\[dflt\]'
}

# One basic block at 0x8004 that ran 9 times, as a record of a gmon.out.
block() {
    perl -e 'print pack "C L< Q< Q<", 2, 1, 0x8004, 9'
}

@test "-k leaves bad inputs out, --lenient keeps what is whole" {
    gmon make gnu64 little >good
    head -c 75 good >cut
    gmon2pb -q -o good.pb.gz good
    expect 5 gmon2pb -k -o out.pb.gz good cut
    same_err ... 'cut: offset 69: unexpected end of file: an arc of 20 bytes, only 5 left' ...
    cmp good.pb.gz out.pb.gz
    rm out.pb.gz
    expect 3 gmon2pb -k -o out.pb.gz cut
    [ ! -e out.pb.gz ]
    expect 0 gmon2pb --lenient --no-symbols -o out.pb.gz cut
    same_err 'gmon2pb: cut: warning: offset 69: unexpected end of file: an arc of 20 bytes, only 5 left; the rest of the file is skipped'
    run pprof_totals out.pb.gz
    same 'samples/count 3
cpu/nanoseconds 30000000
calls/count 0'
}

@test "a bin that ends in padding goes to the function before it" {
    cat >tail.c <<'C'
__asm__(".text\n.p2align 4\n.type tail, @function\n"
        "tail: ret\n.size tail, 1\n.p2align 4\n");
int main(void) { return 0; }
C
    gcc -fPIE -pie -o tail tail.c
    low=$((0x$(nm tail | awk '$3 == "tail" { print $1 }')))
    gmon make gnu64 little "low=$low" "high=$((low + 16))" bins=5,0,0,0 arcs= \
        >gmon.out
    expect 0 gmon2pb -e tail -o out.pb.gz gmon.out
    [ -z "$stderr" ]
    run functions out.pb.gz
    same 'tail 0.05 0'
    # A debugger counted: the mapping is the program's, not that of this run.
    go_pprof -raw out.pb.gz | grep -q "^1: 0x0/0x.*000/0x0 tail "
    # Of dynamic symbols only the size tells: the bin is at its first byte.
    sed 's/"tail:/".globl tail\\ntail:/' tail.c >global.c
    gcc -fPIE -pie -rdynamic -o global global.c
    low=$((0x$(nm global | awk '$3 == "tail" { print $1 }')))
    strip global
    gmon make gnu64 little "low=$low" "high=$((low + 16))" bins=5,0,0,3 arcs= \
        >gmon.out
    gmon2pb -q -e global -o out.pb.gz gmon.out
    [ "$(pbcat --raw out.pb.gz | sed -n '/^Locations/,/^Mappings/p')" = "Locations
     1: $(printf '0x%x' "$low") M=1 tail :0:0 s=0
     2: $(printf '0x%x' $((low + 15))) M=1 
Mappings" ]
}

@test "the words of --format" {
    gmon2pb --help | sed -n '/--format=/,/[^|]$/s/.*[ =]//p' | tr -d '\n' |
        sed 's/\[,\.\.\.\]$//' | tr '|' '\n' >words
    echo >>words
    [ "$(wc -l <words)" = 16 ]
    expect 2 gmon2pb '--format=?' gmon.out
    [ "$stderr" = "gmon2pb: invalid value '?' for --format: expected \
$(sed '$!s/$/, /' words | tr -d '\n' | sed 's/\(.*\), /\1 or /')" ]
    mandoc -T ascii "$ROOT/man/gmon2pb.1" | perl -pe 's/.\x08//g' |
        sed -n '/^ *--format=word/,/^ *--lenient/p' >explained
    while read -r word; do
        grep -qE -- "^ +(\S+, )*$word(,|  |$)" explained
    done <words
}

@test "options say what the bytes do not" {
    gmon make gnu64 little >gmon.out
    expect 0 gmon2pb --format=gnu,64,le -q -o out.pb.gz gmon.out
    expect 0 gmon2pb --format=64 --format=le -q -o out.pb.gz gmon.out
    expect 2 gmon2pb --format=gnu,big gmon.out
    same_err "gmon2pb: invalid value 'gnu,big' for --format: expected gnu, 4.4bsd, oldbsd, osf1, ld-profile, darwin, 32, 64, le, be, bins16, bins32, bins-le, bins-be, counts32 or counts64"
    for bad in '' gn gnus 'gnu,' ',gnu' 'gnu,,le'; do
        expect 2 gmon2pb "--format=$bad" gmon.out
        [[ $stderr == "gmon2pb: invalid value '$bad' for --format: expected gnu, "* ]]
    done
}

@test "the program decides whether an ambiguous file has 32 or 64 bits" {
    { printf 'gmon\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0'
        head -c 273 /dev/zero | tr '\0' '\1'; } >gmon.out
    echo '.globl _start; _start: ret' | as --32 -o 32.o -
    ld -m elf_i386 -o 32 32.o
    expect 0 gmon2pb -q -e 32 -o out.pb gmon.out
    expect 0 pbcat --raw out.pb
    [[ $output == *': 0x1010101 '* ]] # not twice as many digits
}
