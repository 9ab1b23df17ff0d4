# pbcat --disasm: instructions with values beside them
#
# What the instructions are is objdump's to say; that they are all there, each
# with the values of its address, is checked against its own listing.
#
# shellcheck disable=SC2154 # set by run

load helper

# The program that is profiled, its listing, and where its functions are.
setup_file() {
    cd "$BATS_FILE_TMPDIR" || return
    cat >spin.cc <<'END'
namespace bank {
template <typename T> __attribute__((noinline)) T checksum(T x, int n)
{
    for (int i = 0; i < n; i++)
        x = x * 31 + static_cast<T>(i);
    return x;
}
}

extern "C" __attribute__((noinline)) long twice(long x)
{
    return bank::checksum<long>(x, 7) + 2;
}

int main(int argc, char **)
{
    return twice(argc) == 0;
}
END
    g++ -g -O1 -no-pie -Wl,--build-id=0x12345678 -o fixed spin.cc
    g++ -g -O1 -pie -fPIE -Wl,--build-id=0x12345678 -o pie spin.cc
}

setup() {
    setup_scratch
    cp "$BATS_FILE_TMPDIR"/{fixed,pie,spin.cc} .
}

# The address of a function, in hexadecimal; the address of its third
# instruction; all as linked.
begin_of() { nm "$1" | awk -v f="$2" '$3 == f { print $1 }'; }
third_of() {
    objdump -d --no-show-raw-insn "$1" |
        awk -v f="<$2>:" '$2 == f { n = 4 } n && !--n { print $1 }' | tr -d :
}

# PROGRAM [BIAS [BUILDID]]: p.pb has 10 ms at the third instruction of
# twice(), 20 ms a byte into it, and 30 ms in main() that called it.
make_profile() {
    local bias=${2-0} at main
    at=$((16#$(third_of "$1" twice) + bias))
    main=$((16#$(begin_of "$1" main) + bias))
    encode >p.pb <<END
sample_type { type: 1 unit: 2 }
sample { location_id: 1 location_id: 3 value: 10 }
sample { location_id: 2 location_id: 3 value: 20 }
sample { location_id: 3 value: 30 }
mapping {
  id: 1 memory_start: $((bias ? bias : 0x400000)) filename: 5
  memory_limit: $((0x500000 + bias)) build_id: 6
}
location { id: 1 mapping_id: 1 address: $at line { function_id: 1 } }
location { id: 2 mapping_id: 1 address: $((at + 1)) line { function_id: 1 } }
location { id: 3 mapping_id: 1 address: $main line { function_id: 2 } }
function { id: 1 name: 3 }
function { id: 2 name: 4 }
string_table: ["", "cpu", "ms", "twice", "main", "$PWD/$1", "${3-12345678}"]
END
}

# The rows of a function: value columns, address, instruction.
rows() { grep -E '^ +[0-9.]+[a-z]* +[0-9.]+[a-z]* +[0-9a-f]+: '; }

@test "--disasm shows all instructions and the values of each" {
    make_profile fixed
    expect 0 pbcat --disasm='^twice$' --objdump=objdump p.pb
    [[ ${lines[0]} == 'Total: 60ms' ]]
    [[ ${lines[1]} == 'ROUTINE ======================== twice' ]]
    [[ ${lines[2]} == '      30ms       30ms (flat, cum) 50.00% of Total' ]]
    # pprof's functions end a byte before the next.
    local end
    end=$(nm -n fixed | awk '$3 == "twice" { on = 1; next } on { print $1; exit }')
    objdump -d -C --no-show-raw-insn --start-address="0x$(begin_of fixed twice)" \
        --stop-address=$((16#$end - 1)) fixed |
        sed -nE 's/^ +([0-9a-f]+):\t(.*[^ ]) *$/\1: \2/p' >expected
    [[ $(wc -l <expected) -ge 4 ]]
    rows <<<"$output" | sed -E 's/ *;.*//; s/^.{22}//; s/^ +//' >shown
    diff expected shown
    # Of each instruction, its own values and those up to the next.
    rows <<<"$output" | grep -v '^         .          .' >valued
    [[ $(wc -l <valued) -eq 1 ]]
    [[ $(<valued) == "      30ms       30ms     $(third_of fixed twice): "* ]]
    [[ $output == *';twice spin.cc:'* ]]
}

@test "--disasm of a program that ran elsewhere than it was linked" {
    make_profile pie $((0x7f0000000000))
    expect 0 pbcat --disasm='^twice$' --objdump=objdump p.pb
    rows <<<"$output" | grep -v '^         .          .' >valued
    [[ $(<valued) == "      30ms       30ms $(printf %10s \
        "$(third_of pie twice)"): "* ]]
    expect 0 pbcat --disasm="$((0x7f0000000000 + 16#$(begin_of pie main)))" p.pb
    [[ ${lines[1]} == 'ROUTINE ======================== main' ]]
    [[ ${lines[2]} == '      30ms       60ms (flat, cum)   100% of Total' ]]
    expect 0 pbcat --disasm="$(printf 0x%x $((0x7f0000000001 + 16#$(begin_of \
        pie main))))" p.pb
    [[ ${lines[1]} == 'ROUTINE ======================== main' ]]
}

@test "--disasm says what is not there, and prints nothing" {
    make_profile fixed
    expect 1 pbcat --disasm=nothing p.pb
    same ''
    same_err "pbcat: p.pb: no matches for 'nothing'"
    expect 1 pbcat --disasm=0x10 p.pb
    same_err 'pbcat: p.pb: no matches found for address 0x10'
    expect 1 pbcat --disasm="0x$(begin_of fixed _start)" p.pb
    same_err "pbcat: p.pb: no samples in the function at address 0x$(begin_of fixed _start |
        sed 's/^0*//')"
    expect 4 pbcat --disasm=twice --objdump=./no-objdump p.pb
    same ''
    same_err ... ./no-objdump ...
    mkdir empty
    expect 4 env PATH=empty "$BIN/pbcat" --disasm=twice p.pb
    same ''
    same_err ... objdump ...
}

@test "--disasm looks for binaries, and refuses others of the same name" {
    make_profile fixed
    mkdir bin wrong
    mv fixed bin/
    expect 1 pbcat --disasm=twice p.pb
    same_err ... "p.pb: warning: $PWD/fixed: code not shown: no such file" ...
    expect 0 pbcat --disasm=twice --path=bin p.pb
    local shown=$output
    expect 0 env PPROF_BINARY_PATH=none:bin pbcat --disasm=twice p.pb
    same "$shown"
    cp bin/fixed ./-e
    expect 0 pbcat --disasm=twice -e -e p.pb
    same "$shown"
    g++ -g -O1 -no-pie -Wl,--build-id=0x87654321 -o wrong/fixed spin.cc
    expect 1 pbcat --disasm=twice --path=wrong p.pb
    same_err ... "p.pb: warning: $PWD/fixed: code not shown: wrong/fixed has build ID 87654321, not 12345678" ...
}

@test "--disasm finds the functions of a stripped binary in its debug file" {
    make_profile fixed
    expect 0 pbcat --disasm=twice --objdump=objdump p.pb
    rows <<<"$output" | awk '{ print $1, $2, $3, $4 }' >before
    objcopy --only-keep-debug fixed fixed.debug
    objcopy --strip-all --add-gnu-debuglink=fixed.debug fixed
    expect 0 pbcat --disasm=twice --objdump=objdump p.pb
    rows <<<"$output" | awk '{ print $1, $2, $3, $4 }' | diff before -
    rm fixed.debug
    expect 1 pbcat --disasm=twice p.pb
    same_err "pbcat: p.pb: warning: $PWD/fixed: no symbol table; only exported functions can be found
pbcat: p.pb: no matches for 'twice'"
}

@test "--disasm matches mangled names and readable ones, takes Intel's syntax" {
    make_profile fixed
    local address
    address=$(begin_of fixed _ZN4bank8checksumIlEET_S1_i)
    encode >p.pb <<END
sample_type { type: 1 unit: 2 }
sample { location_id: 1 value: 10 }
mapping { id: 1 memory_start: 0x400000 memory_limit: 0x500000 filename: 4 }
location { id: 1 mapping_id: 1 address: 0x$address line { function_id: 1 } }
function { id: 1 name: 3 }
string_table: ["", "cpu", "ms", "bank::checksum", "$PWD/fixed"]
END
    expect 0 pbcat --disasm=checksum --objdump=objdump p.pb
    [[ ${lines[1]} == 'ROUTINE ======================== _ZN4bank8checksumIlEET_S1_i' ]]
    expect 0 pbcat --disasm='bank::checksum' --objdump=objdump p.pb
    [[ ${lines[1]} == 'ROUTINE ======================== long bank::checksum<long>(long, int)' ]]
    expect 0 pbcat --disasm='bank::checksum$' --objdump=objdump p.pb
    [[ ${lines[1]} == 'ROUTINE ======================== bank::checksum' ]]
    case $(uname -m) in
    x86_64) ;;
    *) return 0 ;; # There is no other syntax.
    esac
    [[ $output == *'%rdi,%rax'* ]]
    expect 0 pbcat --disasm='bank::checksum$' --objdump=objdump \
        --intel-syntax p.pb
    rows <<<"$output" >shown
    grep -q rax,rdi shown
    run ! grep % shown
}

# An objdump in PATH that does something first.
fake_objdump() { # COMMAND
    mkdir -p bin
    printf '#!/bin/sh\n%s\nexec %s "$@"\n' "$1" "$(command -v objdump)" \
        >bin/llvm-objdump
    chmod +x bin/llvm-objdump
}

@test "what objdump says of a binary is passed on once" {
    make_profile fixed
    expect 0 pbcat --disasm=. --objdump=objdump p.pb
    [ "$(grep -c ROUTINE <<<"$output")" -gt 1 ]
    local want=$output i
    fake_objdump 'for i in 1 2 3; do echo "warning: odd section" >&2; done'
    expect 0 env PATH="$PWD/bin:$PATH" "$BIN/pbcat" --disasm=. p.pb
    same "$want"
    same_err 'pbcat: p.pb: warning: llvm-objdump: warning: odd section'
    expect 0 env PATH="$PWD/bin:$PATH" "$BIN/pbcat" --weblist=. -o x.html p.pb
    same_err 'pbcat: p.pb: warning: llvm-objdump: warning: odd section'
    # $$ differs from run to run.
    fake_objdump 'for i in 1 2 3 4 5 6 7; do echo "$$ $i" >&2; done'
    expect 0 env PATH="$PWD/bin:$PATH" "$BIN/pbcat" --disasm=. p.pb
    same "$want"
    [ "${#stderr_lines[@]}" = 6 ]
    i=$((7 * $(grep -c ROUTINE <<<"$output") - 5))
    [ "${stderr_lines[5]}" = \
        "pbcat: p.pb: warning: llvm-objdump: $i more lines not shown" ]
}

@test "an objdump that hangs is stopped" {
    make_profile fixed
    fake_objdump 'exec sleep 1000'
    export PROFUTILS_PROGRAM_TIMEOUT=1
    for report in disasm weblist; do
        expect 4 env PATH="$PWD/bin:$PATH" "$BIN/pbcat" --$report=twice p.pb
        same ''
        same_err ... 'p.pb: llvm-objdump printed nothing for 1 s and was stopped; set another limit with PROFUTILS_PROGRAM_TIMEOUT (0: no limit)'
    done
    PROFUTILS_PROGRAM_TIMEOUT=soon
    expect 2 env PATH="$PWD/bin:$PATH" "$BIN/pbcat" --disasm=twice p.pb
    same_err ... "invalid value 'soon' for PROFUTILS_PROGRAM_TIMEOUT: " ...
}

# Nothing but the name itself keeps objdump from taking it as something else.
@test "a binary may be called like an option, a command or a list of options" {
    export PROFUTILS_ISOLATION=off
    make_profile fixed
    expect 0 pbcat --disasm=twice --objdump=objdump p.pb
    rows <<<"$output" >wanted
    [ -s wanted ]
    mv p.pb plain.pb
    local name
    for name in -D --help --version '@rest' '$(touch x)' ';touch x' '`touch x`' \
        'x|touch x' '%s%n' ' a b ' $'two\nlines' '*' '~' '&'; do
        mv fixed "./$name"
        # The profile has it by a name that is not absolute.
        protoc --proto_path="$ROOT/lib/profile/wire" \
            --decode=perftools.profiles.Profile profile.proto <plain.pb |
            WANTED="$name" perl -pe 's{^(string_table: )".*/fixed"$}{
                $1 . q(") . join("", map { sprintf "\\%03o", ord }
                split //, $ENV{WANTED}) . q(")}e' | encode >p.pb
        expect 0 pbcat --disasm=twice --objdump=objdump p.pb
        diff wanted <(rows <<<"$output")
        expect 0 pbcat --weblist=twice --objdump=objdump p.pb
        [[ $output == *'spin.cc'* ]]
        mv "./$name" fixed
    done
    [ ! -e x ]
}
