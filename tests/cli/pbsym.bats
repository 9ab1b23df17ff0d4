# pbsym: names for addresses. What a name is comes from binutils: nm says
# where functions are, objdump which instructions they have, addr2line what
# is at each. Programs are those of testdata/sym, built here.

load helper

setup() {
    setup_scratch
    cp "$DATA"/sym/* .
}

# A profile of addresses (hexadecimal, on standard input) in one mapping.
profile() { # FILE [START [LIMIT [OFFSET [BUILD-ID]]]]
    awk -v file="$1" -v start="${2:-0}" -v limit="${3:-0}" \
        -v offset="${4:-0}" -v id="${5-}" '
        BEGIN {
            print "sample_type { type: 1 unit: 2 }"
            printf "string_table: [\"\", \"samples\", \"count\", "
            printf "\"%s\", \"%s\"]\n", file, id
            printf "mapping { id: 1 memory_start: %s ", start
            printf "memory_limit: %s file_offset: %s ", limit, offset
            print "filename: 3 build_id: 4 }"
        }
        {
            sub(/^0x/, "")
            printf "location { id: %d mapping_id: 1 address: 0x%s }\n", NR, $1
            printf "sample { location_id: %d value: 1 }\n", NR
        }' | encode
}

# The lines of a profile as go tool pprof reads them: "ADDRESS NAME
# FILE:LINE" for each, innermost first; "ADDRESS" alone where there is none.
frames() { # FILE
    go_pprof -raw "$1" | awk '
        /^Locations/ { on = 1; next }
        /^Mappings/ { on = 0 }
        !on { next }
        $1 ~ /^[0-9]+:$/ {
            address = substr($2, 3)
            sub(/^ *[0-9]+: 0x[0-9a-f]+ M=[0-9]+ */, "")
            if ($0 == "") { print address; next }
        }
        { sub(/ s=[0-9]+(\(.*\))? *$/, ""); sub(/^ +/, ""); print address, $0 }' |
        sed 's,/\./,/,g' | sort -s -k1,1
}

# The same from addr2line, of addresses on standard input.
oracle() { # BINARY
    addr2line -a -i -f -e "$1" | awk '
        /^0x/ { address = $1; sub(/^0x0*/, "", address); next }
        name == "" { name = $0; next }
        { sub(/ \(discriminator.*/, ""); sub(/:\?$/, ":0")
          print address, name, $0; name = "" }' |
        sed 's,/\./,/,g' | sort -s -k1,1
}

# Addresses of all instructions of functions, but not of what is between
# functions.
code() { # BINARY FUNCTION...
    local binary=$1 name
    shift
    for name in "$@"; do
        objdump -d --disassemble="$name" "$binary"
    done | grep -vE '\<nop|xchg +%ax,%ax|data16' |
        sed -nE 's/^ +([0-9a-f]+):\t.*\t.*/\1/p' | sort -u
}

function_at() { # BINARY SYMBOL
    nm "$1" | awk -v name="$2" '$3 == name { sub(/^0+/, "", $1); print $1 }'
}

build_id() { # BINARY
    readelf -n "$1" | sed -n 's/.*Build ID: //p'
}

# What to do about missing names.
install_debug='install its debug symbols (Debian: a -dbgsym package) or use '\
'--path=DIR'
find_main='use -e FILE or --path=DIR to find the profiled file'
find_file='use --path=DIR to find the profiled file'

no_names() { # FILE SHARE ADDRESSES WHY [TYPE]
    echo "pbsym: warning: $1: no function names for $2 of ${5-samples} ($3): $4"
}

equal_frames() { # PROFILE BINARY ADDRESSES
    oracle "$2" <"$3" >wanted
    frames "$1" >got
    [ "$(wc -l <"$3")" -gt 20 ]
    diff -u wanted got
}

# Functions, files, lines and inlined frames of a program at link addresses.
check_program() { # COMPILER FLAG...
    "$@" -O2 -g -o prog work.c main.c
    code prog stir both hidden main >addresses
    profile "$PWD/prog" <addresses >in.pb
    expect 0 pbsym --demangle=none -o out.pb.gz in.pb
    [ -z "$output$stderr" ]
    equal_frames out.pb.gz prog addresses
    grep -q ' rotate .*deep.h:4$' got # the test has what it is about
}

@test "gcc, PIE, DWARF 5: as addr2line" {
    check_program gcc -gdwarf-5 -fPIE -pie
}

# libdw would read behind it.
@test "DWARF whose strings have no end is not read" {
    gcc -O2 -gdwarf-5 -o prog work.c main.c
    code prog stir >addresses
    profile "$PWD/prog" <addresses >in.pb
    local table
    for table in line_str str; do
        cp prog whole
        objcopy --dump-section ".debug_$table=strings" prog
        { head -c -1 strings; printf x; } >endless
        objcopy --update-section ".debug_$table=endless" prog
        expect 0 pbsym -o out.pb.gz in.pb
        same_err ... "$PWD/prog: debug information: unterminated string table" ...
        [ "$(frames out.pb.gz | grep -c " stir ")" -gt 0 ]
        mv whole prog
    done
}

@test "gcc, PIE, DWARF 4: as addr2line" {
    check_program gcc -gdwarf-4 -fPIE -pie
}

@test "gcc, not PIE, DWARF 5: as addr2line" {
    check_program gcc -gdwarf-5 -fno-pie -no-pie
}

@test "gcc, not PIE, static, DWARF 2: as addr2line" {
    check_program gcc -gdwarf-2 -fno-pie -static
}

@test "clang, PIE, DWARF 4: as addr2line" {
    check_program clang -gdwarf-4 -fPIE -pie
}

# addr2line 2.40 does not see inlined functions in clang's DWARF 5.
@test "clang, DWARF 5: as DWARF 4 of the same code" {
    for version in 4 5; do
        clang -gdwarf-$version -O2 -fPIE -pie -o prog work.c main.c
        objcopy -O binary -j .text prog text$version
        code prog stir both hidden main >addresses
        profile prog <addresses >in.pb
        expect 0 pbsym -o out.pb.gz in.pb
        frames out.pb.gz >frames$version
    done
    cmp text4 text5
    grep -q ' rotate .*deep.h:4$' frames5
    diff -u frames4 frames5
}

@test "32-bit: as addr2line" {
    check_program gcc -m32
}

@test "compressed debug sections: as addr2line" {
    check_program gcc -gz=zlib
    readelf -tW prog | grep -q ZLIB
}

# libelf may have been built without zstd, or be older than that.
@test "debug sections compressed by zstd: as addr2line, or told" {
    gcc -O2 -g -o prog work.c main.c
    code prog stir both hidden main >addresses
    profile "$PWD/prog" <addresses >in.pb
    oracle prog <addresses >wanted
    objcopy --compress-debug-sections=zstd prog
    expect 0 pbsym --demangle=none -o out.pb.gz in.pb
    frames out.pb.gz >got
    if [ -z "$stderr" ]; then
        diff -u wanted got
    else
        same_err "pbsym: warning: $PWD/prog: debug information: compressed with zstd, which this libelf does not support"
        run -0 eval "cut -d' ' -f2 got | sort -u"
        same $'both\nhidden\nmain\nstir'
    fi
}

# 40 MB of zeros take 40 KB.
@test "debug sections that are too large when decompressed are refused" {
    gcc -O2 -g -o plain work.c main.c
    code plain stir both hidden main >addresses
    profile "$PWD/prog" <addresses >in.pb
    head -c 40000000 /dev/zero >zeros
    objcopy --update-section .debug_str=zeros plain large
    local how
    for how in zlib zlib-gnu; do
        objcopy --compress-debug-sections=$how large prog
        expect 0 pbsym --demangle=none -o out.pb.gz in.pb
        same_err "pbsym: warning: $PWD/prog: debug information: implausibly large when decompressed, for the size of the file"
        frames out.pb.gz | grep -q stir
    done
}

@test "split debug information: as without" {
    check_program gcc -gdwarf-5
    cp got wanted_frames
    gcc -gdwarf-5 -gsplit-dwarf -O2 -c work.c
    gcc -gdwarf-5 -gsplit-dwarf -O2 -c main.c
    gcc -o prog work.o main.o
    profile "$PWD/prog" <addresses >in.pb
    expect 0 pbsym --demangle=none -o out.pb.gz in.pb
    frames out.pb.gz >got
    diff -u wanted_frames got
}

@test "split debug information that is gone, or another's, is told" {
    gcc -gdwarf-5 -gsplit-dwarf -O2 -c work.c
    gcc -gdwarf-5 -gsplit-dwarf -O2 -c main.c
    gcc -o prog work.o main.o
    code prog stir both hidden >addresses
    profile "$PWD/prog" <addresses >in.pb
    local warning
    warning="pbsym: warning: $PWD/prog: inlined calls and start lines of functions are missing for $(wc -l <addresses) addresses: debug file work.dwo is missing or does not match"
    rm work.dwo
    expect 0 pbsym -o out.pb.gz in.pb
    same_err "$warning"
    run -0 eval "frames out.pb.gz | cut -d' ' -f2 | sort -u"
    same $'both\nhidden\nstir'
    gcc -gdwarf-5 -gsplit-dwarf -O1 -c -o else.o work.c
    mv else.dwo work.dwo
    expect 0 pbsym -o out.pb.gz in.pb
    same_err "$warning"
    # Nobody writes to it.
    rm work.dwo
    mkfifo work.dwo
    expect 0 timeout 1000 pbsym -o out.pb.gz in.pb
    same_err "$warning"
    # Nobody asks for what is in it.
    code prog main >addresses
    profile "$PWD/prog" <addresses >in.pb
    expect 0 pbsym -o out.pb.gz in.pb
    [ -z "$stderr" ]
}

resolved() { # PBSYM-OPTION...
    profile "$PWD/prog" <addresses >in.pb
    expect 0 pbsym --demangle=none "$@" -o out.pb.gz in.pb
    [ -z "$output$stderr" ]
    frames out.pb.gz >got
    diff -u wanted got
}

# A program, a part of whose debug information is in shared.debug.
shared() { # DWZ-OPTION...
    gcc -O2 -g -Wl,--build-id -o prog work.c main.c
    code prog stir both hidden main >addresses
    oracle prog <addresses >wanted
    cp prog twin
    dwz -m shared.debug "$@" prog twin
    readelf -p .gnu_debugaltlink prog | grep -q shared.debug
    # The name of an inlined function is among it.
    readelf -wi shared.debug | grep -q ': rotate'
    run ! grep -q rotate prog
}

@test "what files share of debug information (dwz): as before" {
    shared
    resolved
    # Where the debug file says, not the binary.
    mkdir debug
    objcopy --only-keep-debug prog debug/prog.debug
    mv shared.debug debug
    strip prog
    objcopy --add-gnu-debuglink=debug/prog.debug prog
    resolved --path=debug
}

@test "what files share, elsewhere: by build id, and below a root" {
    shared -M /usr/lib/debug/.dwz/shared.debug
    local id
    id=$(build_id shared.debug)
    mkdir -p "ids/.build-id/${id:0:2}" root/usr/lib/debug/.dwz
    cp shared.debug "ids/.build-id/${id:0:2}/${id:2}.debug"
    resolved --path=ids
    cp shared.debug root/usr/lib/debug/.dwz
    resolved --path=nowhere:root
}

@test "what files share, when it is not there or another's" {
    shared
    local told="pbsym: warning: $PWD/prog: cannot use the shared debug \
information in shared.debug;"
    profile "$PWD/prog" <addresses >in.pb
    mv shared.debug keep
    expect 0 pbsym -o out.pb.gz in.pb
    same_err "$told names may be missing"
    # Lines are those of the program itself.
    frames out.pb.gz | sed 's/.* //' >got
    sed 's/.* //' wanted | diff -u - got
    local other
    mkfifo fifo
    for other in twin work.c fifo; do
        ln -sf $other shared.debug
        expect 0 timeout 1000 pbsym -o out.pb.gz in.pb
        [ "$(tail -n 1 <<<"$stderr")" = "$told its own debug information is not used either" ]
        [ "$(wc -l <<<"$stderr")" = 2 ]
        run -0 eval "frames out.pb.gz | cut -d' ' -f2 | sort -u"
        same $'both\nhidden\nmain\nstir'
    done
    # Damaged behind its build id.
    rm shared.debug
    head -c 300 keep >shared.debug
    expect 0 pbsym -o out.pb.gz in.pb
    [ -n "$stderr" ]
    # It would have to be looked for in a third one.
    printf 'fifo\0' >link
    objcopy --add-section .gnu_debugaltlink=link keep shared.debug
    expect 0 timeout 1000 pbsym -o out.pb.gz in.pb
    same_err "pbsym: warning: $PWD/shared.debug: debug information: it \
depends on a third file; not supported"
}

# gcc gives inlined functions of one file no linkage name.
@test "C++ names that debug information has without mangling" {
    cat >own.cc <<'EOF'
struct pair { int a, b; };
namespace {
template <class T> __attribute__((always_inline)) inline T twice(T x)
{
    volatile T y = x;
    return y + y;
}
template <class T>
__attribute__((always_inline)) inline bool operator<(const pair &x, const T &y)
{
    volatile int a = x.a;
    return a < y.b;
}
}
int main(int argc, char **)
{
    pair p = {argc, 2};
    auto less = [&](int k) __attribute__((always_inline)) {
        volatile int v = p.a;
        return v < k;
    };
    return twice(argc) + (p < p) + less(argc);
}
EOF
    g++ -g -O1 -o prog own.cc
    code prog main >addresses
    profile "$PWD/prog" <addresses >in.pb
    # Line by line: the function that the line is in.
    expect 0 pbsym --demangle=none -o out.pb.gz in.pb
    run -0 eval "frames out.pb.gz | cut -d' ' -f2- | sed 's, [^ ]*$,,' | sort -u"
    same $'(anonymous namespace)::operator< <pair>
(anonymous namespace)::twice<int>\nmain\nmain::{lambda#1}::operator()'
    expect 0 pbsym -o out.pb.gz in.pb
    run -0 eval "frames out.pb.gz | cut -d' ' -f2- | sed 's, [^ ]*$,,' | sort -u"
    same $'(anonymous namespace)::operator<
(anonymous namespace)::twice\nmain\nmain::{lambda#1}::operator()'
}

# What is local to another function or namespace, without the last parameters
# and those of lambdas.
without_lists() {
    sed -E 's/(::(step|get|quiet|operator\(\)))\([^()]*\)( const)?$/\1/
        /::(step|get|quiet|operator\(\))$/!d
        s/\{lambda\([^()]*\)/{lambda/' | sort -u
}

# Of a function that is not inlined, binutils demangles the symbol.
@test "C++ functions without a linkage name have the names of their symbols" {
    cat >own.cc <<'EOF'
volatile int v;
struct outer {
    struct inner {
        int run(int n)
        {
            struct local {
                KEEP int step(int n) { return v + n; }
            };
            auto once = [](int x) KEEP { return v * x; };
            return local().step(n) + once(n);
        }
    };
};
namespace a {
namespace {
struct hidden {
    KEEP int get(int n) { return v / n; }
};
KEEP int quiet(int n) { return v ^ n; }
}
int work(int n)
{
    auto twice = [](int x) KEEP { return v * x + x; };
    auto more = [&](int x, long k) KEEP { return (int)(v - x * k + n); };
    return twice(n) + more(n, 3) + hidden().get(n) + quiet(n);
}
int work(long n)
{
    return [&](char c) KEEP { return v + c; }((char)n);
}
}
int main(int argc, char **)
{
    return outer::inner().run(argc) + a::work(argc) + a::work(5L) +
           [](int x) KEEP { return v % x; }(argc);
}
EOF
    g++ -g -O1 '-DKEEP=__attribute__((noinline))' -o apart own.cc
    nm -C apart | sed 's/^\w* . //' | without_lists >wanted
    [ "$(wc -l <wanted)" = 8 ]
    g++ -w -g -O1 '-DKEEP=__attribute__((always_inline))' -o prog own.cc
    [ "$(nm -C prog | grep -cE '::(step|get|quiet|operator\(\))\(')" = 0 ]
    code prog main _ZN1a4workEi _ZN1a4workEl _ZN5outer5inner3runEi >addresses
    profile "$PWD/prog" <addresses >in.pb
    pbsym --demangle=full in.pb >out.pb
    frames out.pb | sed -E 's/^\w* //; s/ [^ ]*own\.cc:.*//' | without_lists |
        diff -u wanted -
}

# What the kernel shows of a loaded file: start, limit and offset of its code.
mapping() { # BINARY BASE
    readelf -lW "$1" | perl -ne '
        BEGIN { $base = hex shift }
        next unless /LOAD +0x(\w+) 0x(\w+) 0x\w+ 0x(\w+) 0x\w+ R E/;
        my ($offset, $vaddr, $size) = map hex, $1, $2, $3;
        printf "0x%x 0x%x 0x%x\n", $base + ($vaddr & ~4095),
            $base + ($vaddr + $size + 4095 & ~4095), $offset & ~4095;
    ' "$2"
}

# Addresses as they are when the file is loaded at BASE.
moved() { # BASE
    perl -ne 'BEGIN { $base = hex shift } printf "%x\n", $base + hex' "$1"
}

check_moved() { # BINARY
    local base=0x7f1234560000
    profile "$PWD/$1" <addresses >in.pb
    pbsym -o linked.pb.gz in.pb
    # shellcheck disable=SC2046 # start, limit, offset
    moved $base <addresses | profile "$PWD/$1" $(mapping "$1" $base) >in.pb
    expect 0 pbsym -o out.pb.gz in.pb
    [ -z "$output$stderr" ]
    frames linked.pb.gz | cut -d' ' -f2- >wanted
    frames out.pb.gz | cut -d' ' -f2- >got
    grep -q 'rotate .*deep.h:4$' got
    diff -u wanted got
}

@test "a PIE where the kernel put it" {
    gcc -O2 -g -fPIE -pie -o prog work.c main.c
    code prog stir both hidden main >addresses
    check_moved prog
}

@test "a shared library where the kernel put it" {
    gcc -O2 -g -fPIC -shared -o libwork.so work.c
    code libwork.so stir both hidden >addresses
    check_moved libwork.so
}

@test "a library whose code shares a page with its headers" {
    gcc -O2 -g -fPIC -shared -Wl,-z,noseparate-code -o libwork.so work.c
    code libwork.so stir both hidden >addresses
    check_moved libwork.so
}

@test "columns and start lines" {
    printf 'int\nf(int n)\n{\n  return n * 7;\n}\nint main(void){}\n' >f.c
    gcc -O0 -g -gcolumn-info -o prog f.c
    at=$(function_at prog f)
    echo "$at" | profile prog >in.pb
    expect 0 pbsym -o out.pb -0 in.pb
    run protoc --proto_path="$ROOT/lib/profile/wire" \
        --decode=perftools.profiles.Profile profile.proto <out.pb
    [ "$(grep -c 'start_line: 2$' <<<"$output")" = 1 ]
    [ "$(grep -A4 'line {' <<<"$output" | grep -c 'line: 3$')" = 1 ]
    [ "$(grep -c 'column: 1$' <<<"$output")" = 1 ]
}

# The name at the beginning of each function of names.cc.
cxx_names() { # MODE BINARY
    for f in _ZNK2ns4PairIicE3sumERKS1_ _ZNK2ns4PairIicEltERKS1_ \
        _ZN2ns5applyIZ4mainEUliE_EEiT_i _ZN12_GLOBAL__N_16hiddenEi plain; do
        function_at "$2" $f
    done | profile "$2" >in.pb
    expect 0 pbsym --demangle="$1" -o out.pb.gz in.pb
    [ -z "$stderr" ]
    run frames out.pb.gz
    output=$(sed -E 's/^[0-9a-f]+ //; s/ [^ ]*:[0-9]+$//' <<<"$output" | sort)
}

@test "C++ names in the four forms" {
    g++ -O1 -g -o prog names.cc
    cxx_names default prog
    same '(anonymous namespace)::hidden
ns::Pair::operator<
ns::Pair::sum
ns::apply
plain'
    cxx_names templates prog
    same '(anonymous namespace)::hidden
ns::Pair<int, char>::operator<
ns::Pair<int, char>::sum
ns::apply<main::{lambda(int)#1}>
plain'
    cxx_names full prog
    same '(anonymous namespace)::hidden(int)
int ns::apply<main::{lambda(int)#1}>(main::{lambda(int)#1}, int)
ns::Pair<int, char>::operator<(ns::Pair<int, char> const&) const
ns::Pair<int, char>::sum(ns::Pair<int, char> const&) const
plain'
    cxx_names none prog
    same '_ZN12_GLOBAL__N_16hiddenEi
_ZN2ns5applyIZ4mainEUliE_EEiT_i
_ZNK2ns4PairIicE3sumERKS1_
_ZNK2ns4PairIicEltERKS1_
plain'
}

@test "C++ names without debug information are the same" {
    g++ -O1 -o prog names.cc
    cxx_names default prog
    same '(anonymous namespace)::hidden
ns::Pair::operator<
ns::Pair::sum
ns::apply
plain'
}

@test "--demangle of functions that have names: as if made so at once" {
    g++ -O1 -g -o prog names.cc
    code prog main _ZNK2ns4PairIicE3sumERKS1_ _ZNK2ns4PairIicEltERKS1_ \
        _ZN2ns5applyIZ4mainEUliE_EEiT_i _ZN12_GLOBAL__N_16hiddenEi plain |
        profile "$PWD/prog" >in.pb
    local from to
    for from in default templates full none; do
        pbsym --demangle=$from -o $from.pb.gz in.pb
    done
    run ! cmp default.pb.gz full.pb.gz
    for from in default templates full none; do
        for to in default templates full none; do
            expect 0 pbsym --demangle=$to -o out.pb.gz $from.pb.gz
            [ -z "$stderr" ]
            cmp $to.pb.gz out.pb.gz
        done
        # Only where it is asked for.
        pbsym $from.pb.gz | cmp - $from.pb.gz
    done
    # The binary is not needed for that.
    rm prog
    expect 0 pbsym --demangle=full -o out.pb.gz default.pb.gz
    [ -z "$stderr" ]
    cmp full.pb.gz out.pb.gz
}

@test "--demangle of functions from elsewhere: from what name there is" {
    encode >in.pb <<'END'
sample_type { type: 1 unit: 2 }
string_table: ["", "samples", "count", "_ZN2ns1fEi", "ns::g", "plain",
    "_ZN2ns1hEi@plt", "ns::h@plt", "main.run[...]", "Pretty name", "raw<T>",
    "_ZN2ns1fEi\000x"]
function { id: 1 name: 3 }
function { id: 2 name: 4 system_name: 4 }
function { id: 3 name: 5 system_name: 5 }
function { id: 4 name: 7 system_name: 6 }
function { id: 5 name: 8 system_name: 8 }
function { id: 6 name: 9 system_name: 10 }
function { id: 7 name: 11 }
location { id: 1 line { function_id: 1 } line { function_id: 2 }
    line { function_id: 3 } line { function_id: 4 } line { function_id: 5 }
    line { function_id: 6 } line { function_id: 7 } }
sample { location_id: 1 value: 1 }
END
    expect 0 pbsym --demangle=full -o out.pb.gz in.pb
    same_err 'pbsym: warning: 1 function without a linkage name cannot be demangled again'
    run pbcat --traces out.pb.gz
    local rest='ns::g (inline)
             plain (inline)
             ns::h(int)@plt (inline)
             main.run[...] (inline)
             Pretty name'
    [[ $output = *"   ns::f(int) (inline)
             $rest"* ]]
    expect 0 pbsym --demangle=none -o none.pb.gz out.pb.gz
    run pbcat --traces none.pb.gz
    rest=${rest/'ns::h(int)'/_ZN2ns1hEi}
    [[ $output = *"   _ZN2ns1fEi (inline)
             $rest"* ]]
}

# 100 characters that stand for 35,000, and a name of a million.
@test "--demangle of many functions of one name takes the time of one" {
    local name=_Z1f1XIiiES_IS0_S0_E i last=S1_
    for i in 2 3 4 5 6 7 8 9 A; do
        name+=S_I$last${last}E last=S${i}_
    done
    {
        echo 'sample_type { type: 1 unit: 2 }'
        echo "string_table: [\"\", \"samples\", \"count\", \"$name\","
        head -c 1000000 /dev/zero | tr '\0' x | sed 's/.*/"a::&"]/'
        echo
        seq 50000 | awk '{
            print "function { id:", $1, "name:", 3 + $1 % 2,
                "start_line:", $1, "}"
        }'
    } | encode >in.pb
    expect 0 timeout 1000 pbsym --demangle=full -o out.pb.gz in.pb
    same_err 'pbsym: warning: 25000 functions without a linkage name cannot be demangled again'
}

@test "prof2pb and gmon2pb symbolize as pbsym does, with its options" {
    g++ -O1 -g -o prog names.cc
    # A CPU profile of words: header, one sample at sum(), trailer, mappings.
    local at name
    at=$(function_at prog _ZNK2ns4PairIicE3sumERKS1_)
    {
        perl -e 'print pack("Q<*", 0, 3, 0, 10000, 0, 1, 1, hex shift,
            0, 1, 0)' "$at"
        printf '00000000-%08x r-xp 00000000 08:01 1 %s\n' \
            $((0x$at | 0xffff)) /nowhere/prog
    } >cpu.prof
    prof2pb --no-symbols -o bare.pb.gz cpu.prof
    mkdir dir
    mv prog dir
    for options in --path=dir '--path=dir --demangle=full' \
        '--path=dir --demangle=none --no-inlines' \
        '--path=dir --no-inlines --inlines'; do
        # shellcheck disable=SC2086 # several words
        expect 0 prof2pb $options -o got.pb.gz cpu.prof
        [ -z "$stderr" ]
        # shellcheck disable=SC2086
        pbsym $options -o wanted.pb.gz bare.pb.gz
        cmp wanted.pb.gz got.pb.gz
    done
    expect 0 prof2pb --demangle=full --path=dir -o got.pb.gz cpu.prof
    run pbcat --traces got.pb.gz
    [[ $output = *'ns::Pair<int, char>::sum(ns::Pair<int, char> const&) const'* ]]
    for name in prof2pb gmon2pb; do
        expect 2 $name --demangle=some cpu.prof
        same_err ... "invalid value 'some' for --demangle: expected default, templates, full or none" ...
    done
}

@test "the linkage name is kept as the system name" {
    g++ -O1 -g -o prog names.cc
    function_at prog _ZNK2ns4PairIicE3sumERKS1_ | profile prog >in.pb
    expect 0 pbsym -0 -o out.pb in.pb
    grep -qa _ZNK2ns4PairIicE3sumERKS1_ out.pb
    grep -qa ns::Pair::sum out.pb
}

# A program and what was stripped from it.
stripped() { # COMPILER-FLAG...
    gcc -O2 -g "$@" -o prog work.c main.c
    code prog stir both hidden main >addresses
    oracle prog <addresses >wanted
    cp prog whole
    objcopy --only-keep-debug prog prog.debug
    strip prog
}

resolved_as_wanted() { # PBSYM-OPTION...
    profile "$PWD/prog" 0 0 0 "$(build_id whole)" <addresses >in.pb
    expect 0 pbsym "$@" -o out.pb.gz in.pb
    [ -z "$output$stderr" ]
    frames out.pb.gz >got
    diff -u wanted got
}

@test "debug file by .gnu_debuglink, beside the binary and in .debug" {
    stripped -Wl,--build-id=none
    objcopy --add-gnu-debuglink=prog.debug prog
    resolved_as_wanted
    mkdir .debug
    mv prog.debug .debug
    resolved_as_wanted
    mkdir -p "elsewhere$PWD" # as below /usr/lib/debug
    mv .debug/prog.debug "elsewhere$PWD"
    resolved_as_wanted --path=elsewhere
}

@test "a debug file with another checksum is not used" {
    stripped -Wl,--build-id=none
    objcopy --add-gnu-debuglink=prog.debug prog
    echo >>prog.debug
    profile "$PWD/prog" <addresses >in.pb
    expect 0 pbsym -o out.pb.gz in.pb
    n=$(wc -l <addresses)
    same_err "pbsym: warning: $PWD/prog.debug: ignored: checksum does not match the one that $PWD/prog requires
$(no_names "$PWD/prog" 100% "$n addresses" "it is stripped; $install_debug")"
    run frames out.pb.gz
    same "$(sort addresses)"
}

@test "debug file by build id" {
    stripped -Wl,--build-id
    id=$(build_id prog)
    mkdir -p "debug/.build-id/${id:0:2}" "llvm/${id:0:2}"
    mv prog.debug "debug/.build-id/${id:0:2}/${id:2}.debug"
    resolved_as_wanted --path="debug"
    mv "debug/.build-id/${id:0:2}/${id:2}.debug" "llvm/${id:0:2}"
    resolved_as_wanted --path="nowhere:llvm"
}

@test "a debug file in the place of the binary" {
    stripped -Wl,--build-id
    rm prog
    base=0x555555554000
    moved $base <addresses >there
    id=$(build_id whole)
    mkdir -p "dir/${id:0:2}"
    mv prog.debug "dir/${id:0:2}/${id:2}.debug"
    # shellcheck disable=SC2046 # start, limit, offset
    profile /nowhere/prog $(mapping whole $base) "$id" <there >in.pb
    expect 0 pbsym --path=dir -o out.pb.gz in.pb
    [ -z "$output$stderr" ]
    cut -d' ' -f2- wanted >names
    frames out.pb.gz | cut -d' ' -f2- >got
    diff -u names got
}

@test "a debug file of another build is not used" {
    stripped -Wl,--build-id
    objcopy --add-gnu-debuglink=prog.debug prog
    gcc -O1 -g -Wl,--build-id -o other work.c main.c
    objcopy --only-keep-debug other prog.debug
    profile "$PWD/prog" <addresses >in.pb
    expect 0 pbsym -o out.pb.gz in.pb
    n=$(wc -l <addresses)
    same_err "pbsym: warning: $PWD/prog.debug: ignored: build ID $(build_id other) does not match the one that $PWD/prog requires
$(no_names "$PWD/prog" 100% "$n addresses" "it is stripped; $install_debug")"
}

# A profile of functions of several binaries: for each operand NAME,VALUE a
# sample of that value whose leaf is stir() of NAME and whose root is main() of
# the first.
shares() { # NAME,VALUE...
    local spec name n=0
    for spec; do
        name=${spec%,*}
        printf '%s %s %s %s\n' "$name" "${spec#*,}" \
            "$((0x$(function_at whole stir)))" "$((0x$(function_at whole main)))"
    done | awk '
        {
            names = names sprintf(", \"%s\"", $1)
            maps = maps sprintf("mapping { id: %d memory_start: %d " \
                "memory_limit: %d filename: %d }\n", NR, NR * 1048576,
                (NR + 1) * 1048576, NR + 2)
            at = sprintf("0x%x", NR * 1048576 + $3)
            if (NR == 1)
                root = sprintf("0x%x", NR * 1048576 + $4)
            places = places sprintf("location { id: %d mapping_id: %d " \
                "address: %s }\n", NR, NR, at)
            samples = samples sprintf("sample { location_id: [%d, 1000] " \
                "value: %d }\n", NR, $2)
        }
        END {
            print "sample_type { type: 1 unit: 2 }"
            printf "string_table: [\"\", \"cpu\", \"nanoseconds\"%s]\n", names
            printf "%s%slocation { id: 1000 mapping_id: 1 address: %s }\n%s",
                maps, places, root, samples
        }' | encode
}

# Libraries and programs of one code at the same offsets: whole has symbols,
# stripped has none.
share_binaries() {
    gcc -O2 -g -fPIE -pie -Wl,--build-id -o whole work.c main.c
    strip -o stripped whole
}

@test "missing names: a warning from 1 % of the samples, with what to do" {
    share_binaries
    shares "$PWD/whole,693" "$PWD/stripped,300" "/no/lib.so,7" >in.pb
    expect 0 pbsym -o out.pb.gz in.pb
    same_err "$(no_names "$PWD/stripped" 30% '1 address' \
        "it is stripped; $install_debug" cpu)"
    expect 0 pbsym -v -o out.pb.gz in.pb
    [ "$(tail -n 1 <<<"$stderr")" = "pbsym: note: /no/lib.so: no function \
names for less than 1% of cpu (1 address): no such file; $find_file" ]
    expect 0 pbsym -q -o out.pb.gz in.pb
    [ -z "$stderr" ]
    # The limit itself, and just below.
    shares "$PWD/whole,990" "$PWD/stripped,10" >in.pb
    expect 0 pbsym -o out.pb.gz in.pb
    same_err "$(no_names "$PWD/stripped" 1% '1 address' \
        "it is stripped; $install_debug" cpu)"
    shares "$PWD/whole,991" "$PWD/stripped,9" >in.pb
    expect 0 pbsym -o out.pb.gz in.pb
    [ -z "$stderr" ]
    # Values of both signs: what was lost by one is not made up by the other.
    shares "$PWD/whole,40" "$PWD/stripped,30" "$PWD/stripped,-30" >in.pb
    expect 0 pbsym -o out.pb.gz in.pb
    same_err "$(no_names "$PWD/stripped" 60% '2 addresses' \
        "it is stripped; $install_debug" cpu)"
    # Values that are all 0: shares of the number of samples.
    shares "$PWD/whole,0" "$PWD/stripped,0" >in.pb
    expect 0 pbsym -o out.pb.gz in.pb
    same_err "$(no_names "$PWD/stripped" 50% '1 address' \
        "it is stripped; $install_debug" samples)"
}

@test "missing names: absent, another build, stripped, no access, no ELF" {
    share_binaries
    gcc -O1 -g -fPIE -pie -Wl,--build-id -o other work.c main.c
    echo text >text
    ln -s loop loop # not readable, for root neither
    shares "$PWD/whole,100" "$PWD/gone,50" "$PWD/stripped,30" "$PWD/loop,20" \
        >first.pb
    shares "$PWD/whole,100" "$PWD/text,10" >second.pb
    profile "$PWD/other" 0x9000000 0x9100000 0 "$(build_id whole)" \
        <<<9000100 >third.pb
    pbmerge --types=union first.pb second.pb -o in.pb.gz
    expect 0 pbsym -o out.pb.gz in.pb.gz
    # 310 in all
    same_err "$(no_names "$PWD/gone" 16% '1 address' \
        "no such file; $find_file" cpu
    no_names "$PWD/stripped" 10% '1 address' \
        "it is stripped; $install_debug" cpu
    no_names "$PWD/loop" 6% '1 address' \
        "Too many levels of symbolic links; $find_file" cpu
    no_names "$PWD/text" 3% '1 address' "not an ELF file; $find_file" cpu)"
    expect 0 pbsym -o out.pb.gz third.pb
    same_err "$(no_names "$PWD/other" 100% '1 address' "$PWD/other has build ID $(build_id other), not $(build_id whole); $find_main")"
}

@test "missing names: four lines, then how many more" {
    share_binaries
    shares "$PWD/whole,100" /no/a,9 /no/b,8 /no/c,7 /no/d,6 /no/e,5 /no/f,4 \
        >in.pb
    expect 0 pbsym -o out.pb.gz in.pb
    # 139 in all
    run cut -d: -f3- <<<"$stderr"
    same " /no/a: no function names for 6% of cpu (1 address): no such file; $find_file
 /no/b: no function names for 6% of cpu (1 address): no such file; $find_file
 /no/c: no function names for 5% of cpu (1 address): no such file; $find_file
 /no/d: no function names for 4% of cpu (1 address): no such file; $find_file
 no function names for 2 more files, each in up to 4% of cpu; use -v to list them"
    expect 0 pbsym -v -o out.pb.gz in.pb
    same_err ... "note: /no/e: no function names for 4% of cpu " ...
    same_err ... "note: /no/f: no function names for 3% of cpu " ...
    # Five are not four and one more.
    shares "$PWD/whole,100" /no/a,9 /no/b,8 /no/c,7 /no/d,6 /no/e,5 >in.pb
    expect 0 pbsym -o out.pb.gz in.pb
    [ "$(wc -l <<<"$stderr")" = 5 ]
    same_err ... "/no/e: no function names" ...
}

@test "missing names: callers count where half of the stack has none" {
    share_binaries
    # main() of a stripped program calls stir() of a library with names: half
    # of the stack.
    shares "$PWD/stripped,0" "$PWD/whole,10" >in.pb
    expect 0 pbsym -o out.pb.gz in.pb
    same_err "$(no_names "$PWD/stripped" 100% '2 addresses' \
        "it is stripped; $install_debug" cpu)"
    # One of three is not worth it.
    encode >in.pb <<END
sample_type { type: 1 unit: 2 }
string_table: ["", "cpu", "nanoseconds", "$PWD/whole", "$PWD/stripped"]
mapping { id: 1 memory_limit: 0x100000 filename: 3 }
mapping { id: 2 memory_start: 0x100000 memory_limit: 0x200000 filename: 4 }
location { id: 1 mapping_id: 1 address: 0x$(function_at whole stir) }
location { id: 2 mapping_id: 1 address: 0x$(function_at whole main) }
location { id: 3 mapping_id: 2 address: $((0x100000 + 0x$(function_at whole \
        main))) }
sample { location_id: [1, 2, 3] value: 10 }
END
    expect 0 pbsym -o out.pb.gz in.pb
    [ -z "$stderr" ]
    # Of a file that is not there it is.
    strip whole
    rm stripped
    expect 0 pbsym -o out.pb.gz in.pb
    same_err ... "$PWD/stripped: no function names for 100% of cpu (1 address): no such file; use --path=DIR to find the profiled file" ...
}

# Each place of a binary that is documented, with the build id or without.
@test "binaries are found where pprof looks" {
    gcc -O2 -g -Wl,--build-id -o whole work.c main.c
    id=$(build_id whole)
    code whole stir >addresses
    oracle whole <addresses >wanted
    for place in "$id/prog" "$id/any" "opt/bin/prog/$id" \
        "${id:0:2}/${id:2}.debug" ".build-id/${id:0:2}/${id:2}.debug" \
        prog opt/bin/prog opt/bin/prog.debug opt/bin/.debug/prog.debug \
        usr/lib/debug/opt/bin/prog.debug; do
        rm -rf dir
        mkdir -p "dir/$(dirname "$place")"
        cp whole "dir/$place"
        profile /opt/bin/prog 0 0 0 "$id" <addresses >in.pb
        PPROF_BINARY_PATH=none:$PWD/dir expect 0 pbsym -o out.pb.gz in.pb
        [ -z "$stderr" ] || { echo "$place: $stderr"; false; }
        frames out.pb.gz | diff -u wanted -
    done
}

@test "by default binaries are looked for in ~/pprof/binaries" {
    export HOME=$PWD/home
    mkdir -p home/pprof/binaries
    gcc -O2 -g -o home/pprof/binaries/prog work.c main.c
    function_at home/pprof/binaries/prog stir | profile /opt/prog >in.pb
    expect 0 pbsym -o out.pb.gz in.pb
    run frames out.pb.gz
    [[ $output = *' stir '* ]]
    PPROF_BINARY_PATH=/none expect 0 pbsym -o out.pb.gz in.pb
    same_err "$(no_names /opt/prog 100% '1 address' \
        "no such file; $find_main")"
}

@test "a binary with another build id is refused" {
    gcc -O2 -g -Wl,--build-id -o prog work.c main.c
    function_at prog stir | profile "$PWD/prog" 0 0 0 0123456789abcdef >in.pb
    expect 0 pbsym -o out.pb.gz in.pb
    same_err "$(no_names "$PWD/prog" 100% '1 address' "$PWD/prog has build ID $(build_id prog), not 0123456789abcdef; $find_main")"
    run frames out.pb.gz
    same "$(function_at prog stir)"
    # Also the one that was named.
    expect 0 pbsym -e prog -o out.pb.gz in.pb
    same_err "$(no_names prog 100% '1 address' "prog has build ID \
$(build_id prog), not 0123456789abcdef; specify the profiled file with -e")"
}

@test "a missing file of -e is reported though all addresses have names" {
    gcc -O2 -g -Wl,--build-id -o prog work.c main.c
    function_at prog stir | profile "$PWD/prog" 0 0 0 "$(build_id prog)" >in.pb
    expect 0 pbsym -o named.pb.gz in.pb
    [ -z "$stderr" ]
    expect 0 pbsym -e nonesuch -o out.pb.gz named.pb.gz
    same_err 'pbsym: warning: nonesuch: cannot open: No such file or directory'
    expect 0 pbsym -e prog -o out.pb.gz named.pb.gz
    [ -z "$stderr" ]
}

@test "of two binaries the one with the build id is taken" {
    gcc -O2 -g -Wl,--build-id -o prog work.c main.c
    mkdir dir
    gcc -O0 -g -Wl,--build-id -o dir/prog work.c main.c
    code prog stir >addresses
    oracle prog <addresses >wanted
    profile "$PWD/prog" 0 0 0 "$(build_id prog)" <addresses >in.pb
    expect 0 pbsym --path=dir -o out.pb.gz in.pb
    [ -z "$stderr" ]
    frames out.pb.gz | diff -u wanted -
}

@test "each missing binary is one warning, memory without a file is none" {
    encode >in.pb <<'END'
sample_type { type: 1 unit: 2 }
string_table: ["", "samples", "count", "/no/prog", "/no/lib.so", "[vdso]",
    "//anon", "[kernel.kallsyms]_text"]
mapping { id: 1 memory_start: 0x1000 memory_limit: 0x2000 filename: 3 }
mapping { id: 2 memory_start: 0x3000 memory_limit: 0x4000 filename: 4 }
mapping { id: 3 memory_start: 0x5000 memory_limit: 0x6000 filename: 5 }
mapping { id: 4 memory_start: 0x7000 memory_limit: 0x8000 filename: 6 }
mapping { id: 5 memory_start: 0x9000 memory_limit: 0xa000 }
mapping { id: 6 memory_start: 0xb000 memory_limit: 0xc000 filename: 7 }
mapping { id: 7 memory_start: 0xd000 memory_limit: 0xe000 filename: 4 }
location { id: 1 mapping_id: 1 address: 0x1001 }
location { id: 2 mapping_id: 2 address: 0x3001 }
location { id: 3 mapping_id: 2 address: 0x3002 }
location { id: 4 mapping_id: 3 address: 0x5001 }
location { id: 5 mapping_id: 4 address: 0x7001 }
location { id: 6 mapping_id: 5 address: 0x9001 }
location { id: 7 mapping_id: 6 address: 0xb001 }
location { id: 8 mapping_id: 7 address: 0xd001 }
location { id: 9 address: 0xf001 }
sample { location_id: [1, 2, 3, 4, 5, 6, 7, 8, 9] value: 1 }
END
    expect 0 pbsym -o out.pb.gz in.pb
    same_err "$(no_names /no/lib.so 100% '3 addresses' \
        "no such file; $find_file"
    no_names /no/prog 100% '1 address' "no such file; $find_main"
    no_names '[kernel.kallsyms]_text' 100% '1 address' \
        'the build ID of the kernel is not known; use --kallsyms or --vmlinux; perf record --buildid-mmap records it')"
    expect 0 pbsym -q -o out.pb.gz in.pb
    [ -z "$stderr" ]
    expect 0 pbsym -v -o out.pb.gz in.pb
    [ "$(grep -c 'note: \[vdso\]: no function names for .*: not a file$' \
        <<<"$stderr")" = 1 ]
    [ "$(grep -c 'note: no function names for .*: the addresses lie outside all mappings; often because code has no frame pointers, or was generated at run time$' \
        <<<"$stderr")" = 1 ]
}

# Two locations at one function, one of them named already.
half_named() { # BINARY ADDRESS
    encode <<END
sample_type { type: 1 unit: 2 }
string_table: ["", "samples", "count", "$1", "old", "old.c"]
mapping { id: 1 filename: 3 }
function { id: 1 name: 4 system_name: 4 filename: 5 }
location { id: 1 mapping_id: 1 address: 0x$2
           line { function_id: 1 line: 99 } }
location { id: 2 mapping_id: 1 address: 0x$3 }
sample { location_id: [1, 2] value: 1 }
END
}

@test "what has lines stays, with --force it is done again" {
    gcc -O0 -g -o prog work.c main.c
    stir=$(function_at prog stir) both=$(function_at prog both)
    half_named prog "$stir" "$both" >in.pb
    expect 0 pbsym -o out.pb.gz in.pb
    run frames out.pb.gz
    same "$(printf '%s\n' "$stir old old.c:99" "$both both $PWD/work.c:18" |
        sort)"
    expect 0 pbsym --force -o out.pb.gz in.pb
    run frames out.pb.gz
    same "$(printf '%s\n' "$stir stir $PWD/work.c:5" \
        "$both both $PWD/work.c:18" | sort)"
    # Where nothing is found the old lines stay.
    half_named /no/prog "$stir" "$both" >in.pb
    expect 0 pbsym -q --force -o out.pb.gz in.pb
    run frames out.pb.gz
    same "$(printf '%s\n' "$stir old old.c:99" "$both" | sort)"
}

@test "symbolizing twice changes nothing" {
    gcc -O2 -g -o prog work.c main.c
    code prog stir both hidden main >addresses
    profile prog <addresses >in.pb
    pbsym -o once.pb.gz in.pb
    pbsym -o twice.pb.gz once.pb.gz
    cmp once.pb.gz twice.pb.gz
    pbsym --force -o again.pb.gz once.pb.gz
    cmp once.pb.gz again.pb.gz
}

@test "code of a stripped library is not charged to what it exports" {
    gcc -O1 -fPIC -shared -o lib.so work.c
    hidden=$(function_at lib.so hidden) stir=$(function_at lib.so stir)
    strip lib.so
    printf '%s\n' "$hidden" "$stir" | profile lib.so >in.pb
    expect 0 pbsym -v -o out.pb.gz in.pb
    same_err "$(no_names lib.so 50% '1 address' \
        "it is stripped; $install_debug")"
    run frames out.pb.gz
    same "$(printf '%s\n' "$hidden" "$stir stir :0" | sort)"
}

@test "labels in assembly reach to the next symbol" {
    cat >f.s <<'END'
.text
.globl first
first: nop
    nop
    nop
second: nop
    nop
.globl sized
.type sized, @function
sized: nop
inner: nop
    nop
.size sized, . - sized
    nop
    ret
END
    printf 'void first(void);int main(void){first();}\n' >m.c
    gcc -o prog m.c f.s
    first=$(function_at prog first)
    for i in 0 1 2 3 4 5 6 7 8; do
        printf '%x\n' $((0x$first + i))
    done | profile prog >in.pb
    expect 0 pbsym -o out.pb.gz in.pb
    run frames out.pb.gz
    same "$(i=0
        for name in first first first second second sized sized sized -; do
            printf '%x %s :0\n' $((0x$first + i)) $name
            i=$((i + 1))
        done | sed 's/ - :0//')"
}

@test "code of a symbol behind a hundred that lie in it" {
    {
        printf '.text\n.globl outer\n.type outer, @function\nouter: nop\n'
        for ((i = 0; i < 100; i++)); do
            printf 'in%s: nop\n.type in%s, @function\n.size in%s, 1\n' $i $i $i
        done
        printf 'nop\n.size outer, . - outer\nret\nret\n'
    } >f.s
    printf 'void outer(void);int main(void){outer();}\n' >m.c
    gcc -o prog m.c f.s
    outer=$(function_at prog outer)
    for i in 0 1 100 101 102; do
        printf '%x\n' $((0x$outer + i))
    done | profile prog >in.pb
    expect 0 pbsym -o out.pb.gz in.pb
    run frames out.pb.gz
    same "$(for name in 0:outer 1:in0 100:in99 101:outer 102:; do
        printf '%x %s :0\n' $((0x$outer + ${name%:*})) "${name#*:}"
    done | sed 's/  :0//')"
}

@test "lines of assembly with the names of its symbols" {
    printf '.text\n.globl asm_loop\n.type asm_loop, @function\nasm_loop:\n nop\n ret\n.size asm_loop, . - asm_loop\n' >f.s
    printf 'void asm_loop(void);int main(void){asm_loop();}\n' >m.c
    gcc -g -o prog m.c f.s
    at=$(function_at prog asm_loop)
    echo "$at" | profile prog >in.pb
    expect 0 pbsym -o out.pb.gz in.pb
    run frames out.pb.gz
    same "$at asm_loop $PWD/f.s:5"
}

@test "calls through the linkage table" {
    gcc -O1 -U_FORTIFY_SOURCE -fcf-protection=none -Wl,-z,lazy -o prog work.c main.c
    at=$(objdump -d -j .plt prog | sed -nE 's/^0*([0-9a-f]+) <printf@plt>:/\1/p')
    strip prog
    echo "$at" | profile prog >in.pb
    expect 0 pbsym -o out.pb.gz in.pb
    run frames out.pb.gz
    same "$at printf@plt :0"
}

@test "--symtab-only: names, no files" {
    gcc -O2 -g -o prog work.c main.c
    at=$(function_at prog stir)
    echo "$at" | profile prog >in.pb
    expect 0 pbsym --symtab-only -o out.pb.gz in.pb
    run frames out.pb.gz
    same "$at stir :0"
}

@test "--no-inlines: the outermost line only" {
    gcc -O2 -g -o prog work.c main.c
    code prog stir both hidden main >addresses
    profile prog <addresses >in.pb
    pbsym -o full.pb.gz in.pb
    expect 0 pbsym --no-inlines -o out.pb.gz in.pb
    frames full.pb.gz | awk '
        { if (NR > 1 && $1 != last) print line; last = $1; line = $0 }
        END { print line }' >wanted
    frames out.pb.gz >got
    [ "$(wc -l <got)" = "$(wc -l <addresses)" ]
    diff -u wanted got
}

flags() { # FILE
    go_pprof -raw "$1" | sed -n '/^Mappings/,$p' | grep -o '\[[A-Z]*\]' |
        tr -d '\n'
}

@test "the flags of a mapping say what was found" {
    gcc -O2 -g -o prog work.c main.c
    code prog stir | profile prog >in.pb
    pbsym -o out.pb.gz in.pb
    run flags out.pb.gz
    same '[FN][FL][LN][IN]'
    pbsym --no-inlines -o out.pb.gz in.pb
    run flags out.pb.gz
    same '[FN][FL][LN]'
    pbsym --symtab-only -o out.pb.gz in.pb
    run flags out.pb.gz
    same '[FN]'
    echo 1 | profile prog >in.pb
    pbsym -o out.pb.gz in.pb
    run flags out.pb.gz
    same ''
}

@test "-e names the main binary, and makes its mapping" {
    gcc -O0 -g -fno-pie -no-pie -o prog work.c main.c
    at=$(function_at prog stir)
    echo "$at" | profile /no/such >in.pb
    expect 0 pbsym -e prog -o out.pb.gz in.pb
    [ -z "$stderr" ]
    run frames out.pb.gz
    same "$at stir $PWD/work.c:5"
    go_pprof -raw out.pb.gz | grep -q '^1: .* prog *\[FN\]'
    encode >in.pb <<END
sample_type { type: 1 unit: 2 }
string_table: ["", "samples", "count"]
location { id: 1 address: 0x$at }
sample { location_id: 1 value: 1 }
END
    expect 0 pbsym --binary=prog -o out.pb.gz in.pb
    run frames out.pb.gz
    same "$at stir $PWD/work.c:5"
}

@test "several profiles make one" {
    gcc -O0 -g -o prog work.c main.c
    stir=$(function_at prog stir) both=$(function_at prog both)
    echo "$stir" | profile prog >1.pb
    printf '%s\n' "$stir" "$both" | profile prog >2.pb
    expect 0 pbsym -o out.pb.gz 1.pb 2.pb
    run frames out.pb.gz
    same "$(printf '%s\n' "$stir stir $PWD/work.c:5" \
        "$both both $PWD/work.c:18" | sort)"
    run pprof_totals out.pb.gz
    same 'samples/count 3'
    pbsym <1.pb | cmp - <(pbsym 1.pb)
}

@test "what is no binary is said, and is no failure" {
    mkfifo fifo
    mkdir directory
    echo text >text
    head -c 64 /dev/zero | tr '\0' x >garbage
    printf '\177ELF' >short
    gcc -g -c work.c
    # ELF of 64 bits for x86, with segments of nothing: 1025 and 1024.
    segments() {
        perl -e 'print "\177ELF", pack("C4x8v2VQ<3Vv6", 2, 1, 1, 0, 3, 62, 1,
            0, 64, 0, 0, 64, 56, $ARGV[0], 64, 0, 0),
            pack("V2Q<6", 1, 5, 0, 0, 0, 0, 0, 1) x $ARGV[0]' "$1"
    }
    segments 1025 >many
    segments 1024 >enough
    echo 1000 | profile "$PWD/enough" >in.pb
    expect 0 pbsym -o out.pb.gz in.pb
    same_err "$(no_names "$PWD/enough" 100% '1 address' \
        "it is stripped; $install_debug")"
    local -A why=(
        [many]='more than 1024 loadable segments'
        [fifo]='not a regular file'
        [directory]='not a regular file'
        [text]='not an ELF file'
        [garbage]='not an ELF file'
        [work.o]='not a program or library'
    )
    for name in "${!why[@]}"; do
        echo 1000 | profile "$PWD/$name" >in.pb
        expect 0 timeout 1000 pbsym -o out.pb.gz in.pb
        same_err "$(no_names "$PWD/$name" 100% '1 address' \
            "${why[$name]}; $find_main")"
    done
    echo 1000 | profile "$PWD/short" >in.pb
    expect 0 pbsym -o out.pb.gz in.pb
    [[ $stderr = "$(no_names "$PWD/short" 100% '1 address' '')"* ]]
    # What is in /dev is a device, but not in /dev/shm, nor where -e names it;
    # what is in brackets is no file, but a bracket is a program.
    for name in /dev/shm/nowhere/prog /dev/dri/card0 /bin/[vdso] /nowhere/[; do
        echo 1000 | profile $name >in.pb
        expect 0 pbsym -o out.pb.gz in.pb
        echo "$stderr"
    done >said
    no_names /dev/shm/nowhere/prog 100% '1 address' "no such file; $find_main" \
        >wanted
    no_names '/nowhere/[' 100% '1 address' "no such file; $find_main" >>wanted
    grep . said | diff -u wanted -
    expect 0 pbsym -e /dev/null -o out.pb.gz in.pb
    same_err "$(no_names /dev/null 100% '1 address' \
        'not a regular file; specify the profiled file with -e')"
}

@test "damaged binaries: a note or a name, never a crash" {
    gcc -O2 -g -gdwarf-5 -o plain work.c main.c
    gcc -O2 -g -gdwarf-4 -gz=zlib -o packed work.c main.c
    code plain stir both hidden main >addresses
    profile prog <addresses >in.pb
    for whole in plain packed; do
        size=$(stat -c %s $whole)
        for part in 1 2 3 4 5 6 7; do
            head -c $((size * part / 8)) $whole >prog
            expect 0 timeout 1000 pbsym -o out.pb.gz in.pb
        done
    done
    for seed in $(seq 80); do
        cp plain whole
        [ "$seed" -gt 40 ] || cp packed whole
        perl -e '
            srand $ARGV[0];
            local $/;
            open my $in, "<:raw", "whole" or die;
            my $bytes = <$in>;
            substr($bytes, rand length $bytes, 1) = chr rand 256 for 1 .. 400;
            print $bytes' "$seed" >prog
        timeout 1000 pbsym -q -o out.pb.gz in.pb || {
            echo "seed $seed: status $?"
            false
        }
    done
}

# What Fedora does to all that it ships, as GDB's manual has it: the symbols
# that are not for linking, in an ELF file in xz in a section.
minidebug() { # WHOLE
    nm -D --format=posix --defined-only "$1" | awk '{ print $1 }' |
        sort >exported
    nm --format=posix --defined-only "$1" |
        awk '$2 ~ /[Tt]/ { print $1 }' | sort | comm -13 exported - >others
    objcopy --only-keep-debug "$1" mini
    objcopy -S --remove-section .comment --keep-symbols=others mini
    strip -o "$1.bare" "$1"
    xz -c mini >mini.xz
    objcopy --add-section .gnu_debugdata=mini.xz "$1.bare" "$1.mini"
}

@test "symbols in .gnu_debugdata, and what is wrong with it" {
    gcc -O2 -g -shared -fPIC -Wl,-z,now -o prog work.c
    code prog stir both hidden >addresses
    profile "$PWD/lib.so" <addresses >in.pb
    minidebug prog
    strip -g -o lib.so prog
    pbsym -o wanted.pb.gz in.pb
    frames wanted.pb.gz >wanted
    for name in stir both hidden; do
        grep -q " $name " wanted
    done
    cp prog.bare lib.so
    pbsym -o out.pb.gz in.pb
    frames out.pb.gz >got
    [ "$(grep -c ' hidden ' got)" = 0 ]
    cp prog.mini lib.so
    expect 0 pbsym -v -o out.pb.gz in.pb
    [[ $stderr != *lib.so* ]]
    frames out.pb.gz | diff -u wanted -
    # Those that are exported have their names in any case.
    local what text
    head -c 16M /dev/zero | xz -0 >zeros.xz
    for what in cut text bomb; do
        case $what in
        cut) head -c 100 mini.xz >bad ;;
        text) echo 'no ELF' | xz >bad ;;
        bomb) for _ in {1..17}; do cat zeros.xz; done >bad ;;
        esac
        objcopy --add-section .gnu_debugdata=bad prog.bare lib.so
        expect 0 pbsym -o out.pb.gz in.pb
        text="pbsym: warning: $PWD/lib.so: cannot read the symbols in .gnu_debugdata: "
        same_err "$text" ...
        case $what in
        cut) same_err "${text}offset 0: invalid xz data (or truncated): " ... ;;
        text) same_err ... 'not an ELF file' ... ;;
        bomb) same_err ... "$PWD/lib.so: cannot read the symbols in .gnu_debugdata: it exceeds 268435456 bytes" ... ;;
        esac
        frames out.pb.gz | diff -u got -
    done
}

@test "a mode of demangling that is none" {
    expect 2 pbsym --demangle=some /dev/null
    [ -z "$output" ]
    same_err ... "invalid value 'some' for --demangle: expected default, templates, full or none" ...
}

@test "-e is looked for nowhere else, its debug file is" {
    stripped -Wl,--build-id=none
    objcopy --add-gnu-debuglink=prog.debug prog
    mkdir dir
    mv prog.debug dir
    gcc -O0 -g -Wl,--build-id=none -o dir/prog work.c main.c
    profile /opt/prog <addresses >in.pb
    expect 0 pbsym -e prog --path=dir -o out.pb.gz in.pb
    [ -z "$stderr" ]
    frames out.pb.gz | diff -u wanted -
}

@test "any number of threads gives the same symbols" {
    fixture a.out prog
    "$ROOT/tests/assemble" "$DATA/tour/a.out.s" tour
    for program in a.out prog tour; do
        nm "$program" | awk '$2 == "T" { print $1 }' |
            profile "$PWD/$program" >"$program.pb"
    done
    expect 0 pbsym -T1 -o one.pb.gz a.out.pb prog.pb tour.pb
    [ "$(frames one.pb.gz | awk '$2 == "main"' | wc -l)" -eq 3 ]
    for n in 2 8; do
        expect 0 pbsym -T$n -o more.pb.gz a.out.pb prog.pb tour.pb
        cmp one.pb.gz more.pb.gz
    done
}

# Several names at an address, in the order of an ELF file that may be any.
@test "of several names, the current and usual one is taken" {
    local names
    {
        echo .text
        while read -r _ names; do
            for name in $names; do
                echo ".globl ${name%@*}; .type ${name%@*}, @function"
                echo "${name%@*}:"
                [[ $name != *@* ]] || echo ".symver ${name%@*}, ${name%@*}@OLD"
            done
            printf '.rept 8; nop; .endr\n'
            for name in $names; do
                echo ".size ${name%@*}, 8"
            done
        done
    } >names.s <<'END'
memmove memcpy memmove
strchr strchr index
free cfree@ free
bcmp memcmp@ bcmp
_Znwm _Znam _Znwm
malloc __libc_malloc malloc tc_malloc
getpos getpos64 getpos _IO_getpos
END
    printf 'OLD { };\nNEW { global: *; } OLD;\n' >versions
    gcc -shared -nostdlib -Wl,--version-script=versions -o lib.so names.s
    nm -D lib.so | grep -q ' cfree@OLD$'
    nm -D lib.so | grep -q ' free@@NEW$'
    for name in memmove strchr free bcmp _Znwm malloc getpos; do
        function_at lib.so "$name" >>at
    done
    profile lib.so <at >in.pb
    for i in 1 2; do
        pbsym --demangle=none -o out.pb.gz in.pb
        frames out.pb.gz | sort | awk '{ print $2 }' >got
        printf '%s\n' memmove strchr free bcmp _Znwm malloc getpos |
            diff - got
        strip lib.so # .dynsym has the versions in a section of their own
    done
}

# A signal handler returns to the beginning of __restore_rt, and the address in
# a profile is that minus 1.
@test "a return address at the beginning of a function" {
    {
        echo '.text; .globl first, second'
        for name in first hidden second; do
            echo ".type $name, @function; $name: .rept 8; nop; .endr"
            echo ".size $name, 8; .rept 8; nop; .endr"
        done
    } >code.s
    gcc -shared -nostdlib -o lib.so code.s
    for name in first hidden second; do
        at=0x$(function_at lib.so "$name")
        printf '%x %s :0\n%x\n' $((at - 1)) "$name" $((at + 8))
    done | sort >wanted
    awk '{ print $1 }' wanted | profile lib.so >in.pb
    pbsym -q -o out.pb.gz in.pb
    frames out.pb.gz | sort | diff wanted -
    # Code without a symbol may end there, with a call.
    strip lib.so
    pbsym -q -o out.pb.gz in.pb
    frames out.pb.gz | sort | diff <(awk '{ print $1 }' wanted) -
}

# Code without an ELF file: the names are those of text files, in the formats
# of /proc/kallsyms and of perf's jit-interface.txt.

kernel_id=0123456789abcdef0123456789abcdef01234567

# A kernel with a module and a BPF program, in perf's build-id cache.
make_kallsyms() { # DIRECTORY
    mkdir -p "$1/[kernel.kallsyms]/$kernel_id"
    printf '%s\n' 'ffffffff81000000 T startup' 'ffffffff81000000 T _text' \
        'ffffffff81000100 t do_one' 'ffffffff81000180 A absolute' \
        'ffffffff81000200 W do_two' \
        $'ffffffffc0100000 t mod_init\t[mod]' \
        $'ffffffffc0100040 t mod_exit\t[mod]' \
        $'ffffffffc0200000 t other\t[other]' \
        >"$1/[kernel.kallsyms]/$kernel_id/kallsyms"
}

@test "names of the kernel come from perf's build-id cache" {
    export HOME=$PWD/home
    make_kallsyms home/.debug
    kernel() { # ADDRESS-OF-_text, addresses on standard input
        profile '[kernel.kallsyms]_text' "$1" 0xffffffffa0000000 "$1" $kernel_id
    }
    # Of two names at an address perf takes the last; the kind A is none of
    # code; the last symbol ends a page behind its own.
    printf '%s\n' ffffffff81000000 ffffffff810001ff ffffffff81000200 \
        ffffffff81001fff ffffffff81002000 | kernel 0xffffffff81000000 >in.pb
    expect 0 pbsym -o out.pb.gz in.pb
    run frames out.pb.gz
    same "$(printf '%s\n' 'ffffffff81000000 _text :0' \
        'ffffffff810001ff do_one :0' 'ffffffff81000200 do_two :0' \
        'ffffffff81001fff do_two :0' ffffffff81002000)"
    # The same kernel, started at another address: _text tells the distance.
    echo ffffffff91000110 | kernel 0xffffffff91000000 >in.pb
    expect 0 pbsym -o out.pb.gz in.pb
    run frames out.pb.gz
    same 'ffffffff91000110 do_one :0'
    # By the link, and in a directory that is named.
    mkdir -p cache/.build-id/${kernel_id:0:2}
    mv "home/.debug/[kernel.kallsyms]/$kernel_id" \
        cache/.build-id/${kernel_id:0:2}/${kernel_id:2}
    expect 0 pbsym --path=cache -o out.pb.gz in.pb
    run frames out.pb.gz
    same 'ffffffff91000110 do_one :0'
    expect 0 pbsym -o out.pb.gz in.pb
    same_err "$(no_names '[kernel.kallsyms]_text' 100% '1 address' \
        "perf's build-id cache has no kallsyms with build ID $kernel_id, and \
the running kernel is a different one; copy ~/.debug of the profiled machine to DIR and \
use --path=DIR")"
}

# A kernel, two modules, a BPF program, and memory of a JIT compiler.
mixed() { # ADDRESS-OF-_text [BUILD-ID]
    encode <<END
sample_type { type: 1 unit: 2 }
string_table: ["", "samples", "count", "[mod]", "/lib/modules/6/other.ko.xz",
    "bpf_prog_00112233_f", "/tmp/perf-4194304.map", "[kernel.kallsyms]_text",
    "$kernel_id"]
mapping { id: 1 memory_start: 0xffffffffc0100000 memory_limit: 0xffffffffc0102000
          filename: 3 }
mapping { id: 2 memory_start: 0xffffffffc0200000 memory_limit: 0xffffffffc0202000
          filename: 4 }
mapping { id: 3 memory_start: 0xffffffffc0300000 memory_limit: 0xffffffffc0300040
          filename: 5 }
mapping { id: 4 memory_start: 0x7f0000000000 memory_limit: 0x7f0000010000
          file_offset: 0x7f0000000000 filename: 6 }
mapping { id: 5 memory_start: 0xffffffff81000000 memory_limit: 0xffffffff82000000
          file_offset: $1 filename: 7 ${2-build_id: 8} }
location { id: 1 mapping_id: 1 address: 0xffffffffc0100041 }
location { id: 2 mapping_id: 2 address: 0xffffffffc0200005 }
location { id: 3 mapping_id: 3 address: 0xffffffffc0300008 }
location { id: 4 mapping_id: 4 address: 0x7f0000000110 }
location { id: 5 mapping_id: 5 address: 0xffffffff81000101 }
sample { location_id: [1, 2, 3, 4, 5] value: 1 }
END
}

# A kernel that was linked at one address and has run at another, and a module.
@test "a kernel without build ID: --kallsyms and --vmlinux" {
    cat >kernel.c <<'END'
__asm__(".section .text,\"ax\"\n.globl _text\n_text:\n nop; nop\n");
static inline __attribute__((always_inline)) int twice(int n)
{
    return n * n;
}
__attribute__((noinline)) int do_one(int n)
{
    volatile int k = n;
    k = twice(k);
    return k;
}
int do_two(int n) { return do_one(n) + 1; }
END
    gcc -O1 -g -ffreestanding -nostdlib -static -fno-pie -no-pie \
        -mcmodel=kernel -Wl,-Ttext=0xffffffff81000000 -Wl,-e,_text \
        -Wl,--build-id -o vmlinux kernel.c 2>gcc.err ||
        skip 'gcc links no kernel'
    moved() { # as they ran
        while read -r address rest; do
            printf '%x%s\n' $((0x$address + 0x12000000)) "${rest:+ $rest}"
        done
    }
    objdump -d vmlinux | # after two instructions of _text
        sed -nE 's/^ *([0-9a-f]+):\t.*/\1/p' | tail -n +3 >at
    oracle vmlinux <at | moved >wanted
    grep -q ' twice .*kernel.c:4$' wanted
    kernel() { # BUILD-ID
        moved <at | profile '[kernel.kallsyms]_text' 0xffffffff93000000 \
            0xffffffff94000000 0xffffffff93000000 "$1"
    }
    kernel '' >in.pb
    expect 0 pbsym --vmlinux=vmlinux -o out.pb.gz in.pb
    [ -z "$stderr" ]
    frames out.pb.gz | diff -u wanted -
    # The profile names the file, for disassembly, which shows its addresses.
    pbcat --raw out.pb.gz | grep -q "$PWD/vmlinux $(build_id vmlinux) "
    (cd / && pbcat --disasm=do_one "$OLDPWD/out.pb.gz") >disasm
    # (As pprof, it ends before the last byte of a function.)
    objdump -d --disassemble=do_one vmlinux |
        sed -nE 's/^ *([0-9a-f]+):\t.*/\1/p' | head -n -1 >wanted_code
    sed -nE 's/.* 1 +([0-9a-f]{16}): .*/\1/p' disasm | diff wanted_code -
    pbsym --force --no-inlines -o again.pb.gz out.pb.gz
    frames again.pb.gz | awk '{ print $2 }' | sort -u |
        diff <(printf 'do_one\ndo_two\n') -
    # The names alone.
    nm vmlinux >listing
    expect 0 pbsym --kallsyms=listing -o out.pb.gz in.pb
    [ -z "$stderr" ]
    pbsym --symtab-only --vmlinux=vmlinux -o symbols.pb.gz in.pb
    frames symbols.pb.gz >wanted
    frames out.pb.gz | diff -u wanted -
    # Other files.
    kernel 0123456789abcdef >other.pb
    expect 0 pbsym --vmlinux=vmlinux -o out.pb.gz other.pb
    same_line 0 "pbsym: warning: vmlinux: --vmlinux ignored: \
vmlinux has build ID $(build_id vmlinux), not 0123456789abcdef"
    expect 3 pbsym --strict --vmlinux=vmlinux -o none other.pb
    expect 0 pbsym --vmlinux=/bin/sh -o out.pb.gz in.pb
    same_line 0 'pbsym: warning: /bin/sh: --vmlinux ignored: it has no symbol _text'
    grep -v _text listing >no_text
    : >empty
    for lack in 'no_text it has no symbol _text' 'empty it lists no symbols' \
        'none No such file or directory'; do
        expect 0 pbsym --kallsyms="${lack%% *}" -o out.pb.gz in.pb
        same_err "pbsym: warning: ${lack%% *}: --kallsyms ignored: ${lack#* }
$(no_names '[kernel.kallsyms]_text' 100% "$(wc -l <at) addresses" \
            'the build ID of the kernel is not known; use --kallsyms or --vmlinux; perf record --buildid-mmap records it')"
        expect 3 pbsym --strict --kallsyms="${lack%% *}" -o none.pb.gz in.pb
    done
    # Kernels move by whole pages, so one at another place in its page differs.
    moved <at | profile '[kernel.kallsyms]_text' 0xffffffff93000000 \
        0xffffffff94000000 0xffffffff93000190 '' >page.pb
    for option in kallsyms=listing vmlinux=vmlinux; do
        expect 0 pbsym "--$option" -o out.pb.gz page.pb
        same_line 0 "pbsym: warning: ${option#*=}: --${option%=*} ignored: \
different kernel: _text is at 0xffffffff81000000, not a multiple of 4096 bytes \
from its recorded address 0xffffffff93000190"
        [ -z "$(frames out.pb.gz | grep do_)" ]
        expect 3 pbsym --strict "--$option" -o none.pb.gz page.pb
    done
    # Modules are in kallsyms only.
    mixed 0xffffffff81000000 ' ' >text.pb
    make_kallsyms cache
    pbsym -q --vmlinux=vmlinux -o out.pb.gz text.pb \
        --kallsyms="cache/[kernel.kallsyms]/$kernel_id/kallsyms"
    frames out.pb.gz >got
    grep -q '^ffffffffc0100041 mod_exit :0$' got
    # Symbols by build ID come first.
    mixed 0xffffffff81000000 >id.pb
    expect 0 pbsym --path=cache --kallsyms=listing -o out.pb.gz id.pb
    same_line 0 'pbsym: warning: listing: --kallsyms ignored: other symbols were found by the build ID of the kernel'
}

@test "names of kernel modules, BPF programs and JIT compilers" {
    export HOME=$PWD/home
    make_kallsyms home/.debug
    printf '%s\n' '7f0000000000 100 LFoo;::bar@1' '7f0000000100 200 old' \
        '7f0000000100 20 function new:1 @x' >home/.debug/perf-4194304.map
    mixed 0xffffffff81000000 >in.pb
    expect 0 pbsym -o out.pb.gz in.pb
    [ -z "$stderr" ]
    frames out.pb.gz >got
    diff -u - got <<'END'
7f0000000110 function new:1 @x :0
ffffffff81000101 do_one :0
ffffffffc0100041 mod_exit :0
ffffffffc0200005 other :0
ffffffffc0300008 bpf_prog_00112233_f :0
END
    # After another boot modules are somewhere else.
    mixed 0xffffffff81000040 >in.pb
    expect 0 pbsym -q -o out.pb.gz in.pb
    frames out.pb.gz | diff -u <(sed 's/^\(ffffffffc0[12].....\).*/\1/
        /do_one/s/do_one/_text/' got) -
}

@test "perf maps: numbers with 0x, as the JDK writes them, and blanks" {
    printf '%s\n' '0x00007f0000000000 0x0000000000000010 int Foo.bar(int)' \
        '7f0000000010 0x10 half' '  0X7F0000000020  0X10  upper' \
        $'7f0000000030\t10\ttabs' '7f0000000040 10 a' \
        '0x 0x10 none' '7f0000000050 10 ' '7f000000006010 glued' \
        '0x7f0000000070 10x no' >perf-4194304.map
    printf '%x\n' $((0x7f0000000000 + 15)) $((0x7f0000000010 + 15)) \
        $((0x7f0000000020 + 15)) $((0x7f0000000030 + 15)) \
        $((0x7f0000000040 + 15)) $((0x7f0000000050)) $((0x7f0000000060)) \
        $((0x7f0000000070)) |
        profile /tmp/perf-4194304.map 0x7f0000000000 0x7f0000001000 \
            0x7f0000000000 >in.pb
    expect 0 pbsym -q --path=. -o out.pb.gz in.pb
    frames out.pb.gz >got
    diff -u - got <<'END'
7f000000000f int Foo.bar(int) :0
7f000000001f half :0
7f000000002f upper :0
7f000000003f tabs :0
7f000000004f a :0
7f0000000050
7f0000000060
7f0000000070
END
}

# The directory of the test is closed to other users.
@test "a directory of debug files that cannot be searched is not a warning" {
    [ "$(id -u)" = 0 ] || skip 'this user is not root'
    local dir
    dir=$(mktemp -d /tmp/pbsym.XXXXXX)
    chmod 755 "$dir"
    cp "$BIN/pbsym" "$dir"
    gcc -O2 -g -Wl,--build-id -o "$dir/prog" work.c main.c
    strip -g "$dir/prog"
    code "$dir/prog" stir |
        profile "$dir/prog" 0 0 0 "$(build_id "$dir/prog")" >in.pb
    mkdir -m 700 "$dir/closed"
    as_nobody() { # OPTION...
        setpriv --reuid 65534 --clear-groups env HOME=/nonexistent \
            "$dir/pbsym" --path="$dir/closed" "$@" <in.pb >out.pb.gz
    }
    expect 0 as_nobody
    [ -z "$stderr" ]
    expect 0 as_nobody -v
    [[ $stderr = *"note: $dir/closed/"*': debug file ignored: Permission denied'* ]]
    # A file that exists is one.
    chmod 755 "$dir/closed"
    echo x >"$dir/closed/prog.debug"
    objcopy --add-gnu-debuglink="$dir/closed/prog.debug" "$dir/prog"
    chmod 0 "$dir/closed/prog.debug"
    expect 0 as_nobody
    [[ $stderr = *"warning: $dir/closed/prog.debug: debug file ignored: Permission denied"* ]]
    rm -r "$dir"
}

# In /tmp, where anyone may write one: that of a process of another user, of a
# user who does not run the process, and of a process that has ended.
read_maps_of_others() { # PID MAP COPY: of user 65534; a copy of pbsym
    local pid=$1 map=$2 copy=$3
    echo 7f0000000010 | profile "$map" 0x7f0000000000 0x7f0000001000 \
        0x7f0000000000 >in.pb
    echo '7f0000000000 1000 of_nobody' >"$map"
    chown 65534 "$map"
    expect 0 pbsym -o out.pb.gz in.pb
    [ -z "$stderr" ]
    run frames out.pb.gz
    same '7f0000000010 of_nobody :0'
    chown 1 "$map"
    expect 0 pbsym -o out.pb.gz in.pb
    same_err "$(no_names "$map" 100% '1 address' \
        "not owned by root or by the user of process $pid; use \
--path=/tmp to read it anyway")"
    run frames out.pb.gz
    same 7f0000000010
    # A link, by whoever, to a file that root may read.
    mv "$map" of_nobody
    chown 65534 of_nobody
    ln -s "$PWD/of_nobody" "$map"
    chown -h 65534 "$map"
    expect 0 pbsym -q -o out.pb.gz in.pb
    run frames out.pb.gz
    same 7f0000000010
    rm "$map"
    # In a directory that the user names: anyone's, but no link.
    mkdir dir
    cp of_nobody "dir/perf-$pid.map"
    chown 1 "dir/perf-$pid.map"
    expect 0 pbsym --path=dir -o out.pb.gz in.pb
    [ -z "$stderr" ]
    run frames out.pb.gz
    same '7f0000000010 of_nobody :0'
    ln -sf ../of_nobody "dir/perf-$pid.map"
    expect 0 pbsym --path=dir -o out.pb.gz in.pb
    same_err "$(no_names "$map" 100% '1 address' "Too many levels of symbolic \
links; copy it from where the process ran to DIR and use --path=DIR, or, if \
the process wrote a jitdump, use 'perf inject --jit'")"
    # Other users read only their own and root's.
    cp of_nobody "$map"
    chown 65534 "$map"
    as_user() { # OPTION...
        setpriv --reuid 1 --clear-groups "$copy" "$@" <in.pb >out.pb.gz
    }
    expect 0 as_user
    same_err "$(no_names "$map" 100% '1 address' 'not owned by you or root; use --path=/tmp to read it anyway')"
}

@test "perf maps of other users" {
    [ "$(id -u)" = 0 ] || skip 'this user is not root'
    setpriv --reuid 65534 --clear-groups sleep 600 3>&- &
    pid=$! # not local: a trap needs it
    # sleep has replaced setpriv when it is the user's.
    until [ "$(stat -c %u "/proc/$pid")" = 65534 ]; do sleep 0.1; done
    map=/tmp/perf-$pid.map copy=/tmp/pbsym.$pid
    cp "$BIN/pbsym" "$copy"
    (
        trap 'kill "$pid" || true; rm -f "$map" "$copy"' EXIT
        read_maps_of_others "$pid" "$map" "$copy"
    )
    # The process has ended.
    wait "$pid" || true
    cp of_nobody "$map"
    chown 65534 "$map"
    expect 0 pbsym -o ended.pb.gz in.pb
    same_err "$(no_names "$map" 100% '1 address' "process $pid has ended, so \
its owner is unknown; use --path=/tmp to read it anyway")"
    pbsym -q --path=/tmp -o named.pb.gz in.pb
    rm "$map"
    run frames ended.pb.gz
    same 7f0000000010
    run frames named.pb.gz
    same '7f0000000010 of_nobody :0'
}

@test "binaries in perf's build-id cache" {
    export HOME=$PWD/home
    gcc -O2 -g -Wl,--build-id -o prog work.c main.c
    code prog stir >addresses
    oracle prog <addresses >wanted
    id=$(build_id prog)
    profile /opt/prog 0 0 0 "$id" <addresses >in.pb
    # perf makes a directory with the name of the file, and a link to it.
    mkdir -p "home/.debug/opt/prog/$id" home/.debug/.build-id/"${id:0:2}"
    ln -s "../../opt/prog/$id" home/.debug/.build-id/"${id:0:2}/${id:2}"
    mv prog "home/.debug/opt/prog/$id/elf"
    expect 0 pbsym -o out.pb.gz in.pb
    [ -z "$stderr" ]
    frames out.pb.gz | diff -u wanted -
    # Older ones: the link leads to the file.
    mv "home/.debug/opt/prog/$id/elf" prog
    rmdir "home/.debug/opt/prog/$id"
    mv prog "home/.debug/opt/prog/$id"
    expect 0 pbsym -o out.pb.gz in.pb
    frames out.pb.gz | diff -u wanted -
    # Messages name the program, not the link that only has its build ID.
    chmod u+w "home/.debug/opt/prog/$id"
    strip -s "home/.debug/opt/prog/$id"
    expect 0 pbsym -o out.pb.gz in.pb
    [[ $stderr = 'pbsym: warning: /opt/prog: no function names for 100% '*': it is stripped; '* ]]
    # Directories with names of files are no files that cannot be used.
    profile /opt/prog <addresses >in.pb
    expect 0 pbsym -o out.pb.gz in.pb
    same_err "$(no_names /opt/prog 100% "$(wc -l <addresses) addresses" \
        "no such file; $find_main")"
}

@test "names of the vdso come from that of this kernel" {
    perl -e 'open M, "/proc/self/maps"; open F, "<:raw", "/proc/self/mem";
        while (<M>) {
            /^(\w+)-(\w+) .*\[vdso\]/ or next;
            seek F, hex $1, 0;
            read F, $code, hex($2) - hex $1;
            print $code;
        }' >vdso
    nm -D vdso | awk '$2 ~ /[TW]/ { print $1, $3; exit }' >symbol
    read -r address name <symbol
    name=${name%%@*}
    printf '%x\n' $((0x7ff000000000 + 0x$address)) >at
    profile '[vdso]' 0x7ff000000000 0x7ff000004000 0 "$(build_id vdso)" <at \
        >in.pb
    expect 0 pbsym -o out.pb.gz in.pb
    run frames out.pb.gz
    [[ $output = "$(cat at) "*"${name#__vdso_} :0" ]] || false
    # That of another kernel has no names here.
    profile '[vdso]' 0x7ff000000000 0x7ff000004000 0 0123456789 <at >in.pb
    expect 0 pbsym -o out.pb.gz in.pb
    [ -z "$stderr" ]
    run frames out.pb.gz
    same "$(cat at)"
}
