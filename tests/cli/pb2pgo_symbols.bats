# pb2pgo -e: functions, lines, inlined calls and discriminators from binaries

load helper

# A program with debug information by COMPILER, where "f", declared at line 10,
# has code at 0x401000 and, 16 bytes apart:
#
#   line 11; line 12, discriminator 6; lines 21 (2) and 22 (1) of "g", declared at
#   line 20 in a namespace without a name and inlined at line 13 (4); line 12 (204)
program() { # NAME COMPILER [LINE OF ASSEMBLY]
    cat >"$1.s" <<END
        .file 1 "a.cc"
        .text
        .globl f
        .type f, %function
f:      .loc 1 11 1
        nop
        .p2align 4
        .loc 1 12 1 discriminator 6
        nop
        .p2align 4
inline: .loc 1 21 1 discriminator 2
        nop
        .p2align 4
        .loc 1 22 1 discriminator 1
        nop
        .p2align 4
after:  .loc 1 12 1 discriminator 204
        nop
        .p2align 4
end:    .size f, .-f
        $3
        .section .debug_abbrev
        .uleb128 1, 0x11                /* unit */
        .byte 1
        .uleb128 0x25, 8, 0x13, 5, 0x3, 8, 0x10, 0x17, 0x11, 1, 0x12, 1, 0, 0
        .uleb128 2, 0x39                /* namespace */
        .byte 1
        .uleb128 0, 0
        .uleb128 3, 0x2e                /* inlined function */
        .byte 0
        .uleb128 0x3, 8, 0x3b, 0xb, 0x20, 0xb, 0, 0
        .uleb128 4, 0x2e                /* function */
        .byte 1
        .uleb128 0x3, 8, 0x6e, 8, 0x3b, 0xb, 0x11, 1, 0x12, 1, 0, 0
        .uleb128 5, 0x1d                /* inlined call */
        .byte 0
        .uleb128 0x31, 0x13, 0x11, 1, 0x12, 1, 0x58, 0xb, 0x59, 0xb, 0x2136, 0xb, 0, 0
        .byte 0
        .section .debug_info
start:  .4byte stop - . - 4
        .2byte 4
        .4byte .debug_abbrev
        .byte 8
        .uleb128 1
        .asciz "$2"
        .2byte 4
        .asciz "a.cc"
        .4byte .debug_line
        .8byte f, end
        .uleb128 2
g:      .uleb128 3
        .asciz "g"
        .byte 20, 1
        .byte 0
        .uleb128 4
        .asciz "f"
        .asciz "_Z1fi"
        .byte 10
        .8byte f, end
        .uleb128 5
        .4byte g - start
        .8byte inline, after
        .byte 1, 13, 4
        .byte 0, 0
stop:
        .section .debug_line
END
    as -o "$1.o" "$1.s"
    ld -Ttext=0x401000 -e f -o "$1" "$1.o"
}

# A sample of 1, 2, 4 ... at each of its places; more lines of text format follow.
samples() {
    {
        echo 'sample_type { type: 1 unit: 2 }
            mapping { id: 1 memory_start: 0x401000 memory_limit: 0x402000 file_offset: 0x1000 filename: 3 }
            string_table: "" string_table: "samples" string_table: "count" string_table: "/nowhere/prog"'
        for i in 0 1 2 3 4; do
            printf 'sample { location_id: %d value: %d } location { id: %d mapping_id: 1 address: %d }\n' \
                $((i + 1)) $((1 << i)) $((i + 1)) $((0x401000 + 16 * i))
        done
        cat
    } | encode
}

@test "--llvm has linkage names and clang's base discriminators, of calls too" {
    program prog 'Debian clang version 14.0.6'
    samples </dev/null >in.pb
    expect 0 pb2pgo --llvm -e prog in.pb
    same '_Z1fi:31:1
 1: 1
 2.3: 2
 2.38: 16
 3.2: g:12
  1.1: 4
  2: 8'
    [ -z "$stderr" ]
    # What passes that follow the flow of control made has other numbers.
    program flow 'clang version 17.0.1' '.globl __llvm_fs_discriminator__
__llvm_fs_discriminator__: .byte 1'
    pb2pgo -q --llvm -e flow -o out in.pb
    diff -u - out <<'END'
_Z1fi:31:1
 1: 1
 2.6: 2
 2.204: 16
 3.4: g:12
  1.2: 4
  2.1: 8
END
}

# GCC gives the type of a lambda a line, and its function none.
@test "a lambda of gcc starts at the line of its type" {
    samples </dev/null >in.pb
    program plain 'GNU C++17 12.2.0 -mtune=generic -O2'
    sed -e '/uleb128 2, 0x39/,/uleb128 0, 0/ { s/0x39/0x13/; s/uleb128 0, 0/uleb128 0x3b, 0xb, 0, 0/; }' \
        -e 's/uleb128 0x3, 8, 0x3b, 0xb, 0x20/uleb128 0x3, 8, 0x20/' \
        -e 's/^g:/        .byte 20\n&/; s/\.byte 20, 1$/.byte 1/' plain.s >lambda.s
    as -o lambda.o lambda.s
    ld -Ttext=0x401000 -e f -o lambda lambda.o
    expect 0 pb2pgo --llvm -e lambda in.pb
    same "$(pb2pgo --llvm -e plain in.pb)"
    [ -z "$stderr" ]
    pb2pgo --llvm -e lambda in.pb | grep -x ' 3: g:12'
    # The line of a type with a name is not that of its functions.
    sed -e 's/uleb128 0x3b, 0xb, 0, 0/uleb128 0x3b, 0xb, 0x3, 8, 0, 0/' \
        -e 's/^        \.byte 20$/&\n        .asciz "named"/' lambda.s >named.s
    as -o named.o named.s
    ld -Ttext=0x401000 -e f -o named named.o
    pb2pgo --llvm -e named -o out in.pb 2>messages
    [ "$(grep -c g: out)" = 0 ]
    grep -q '38.71% a start line' messages
}

@test "--gcc has discriminators if gcc 13 or later made the program" {
    samples </dev/null >in.pb
    program old 'GNU C++17 12.2.0 -mtune=generic -O2'
    program new 'GNU C++17 13.1.0 -mtune=generic -O2'
    pb2pgo -q --gcc=2 -e new -o new.afdo in.pb
    diff -u - <(perl "$ROOT/tests/cli/pgo_lines.pl" gcc <new.afdo) <<'END'
_Z1fi 1.0 1
_Z1fi 2.204 16
_Z1fi 2.6 2
_Z1fi 3.4 g 1.2 4
_Z1fi 3.4 g 2.1 8
END
    pb2pgo -q --gcc=2 -e old -o old.afdo in.pb
    diff -u - <(perl "$ROOT/tests/cli/pgo_lines.pl" gcc <old.afdo) <<'END'
_Z1fi 1.0 1
_Z1fi 2.0 18
_Z1fi 3.0 g 1.0 4
_Z1fi 3.0 g 2.0 8
END
    # Those of the other compiler would not be found.
    program clang 'clang version 17.0.1'
    pb2pgo -q --gcc=2 -e clang -o clang.afdo in.pb
    cmp clang.afdo old.afdo
    pb2pgo -q --llvm -e new -o new.prof in.pb
    diff -u - new.prof <<'END'
_Z1fi:31:1
 1: 1
 2: 18
 3: g:12
  1: 4
  2: 8
END
}

@test "the compiler of split debug information is known as without" {
    local i options=(-O2 -ffreestanding -nostdlib -static -no-pie
        "-Wl,-Ttext=0x401000,-e,f")
    cat >a.c <<'END'
int f(int n, const int *v)
{
    int sum = 0;
    while (n > 3 && v[n] != sum) { sum++; n--; }
    for (int i = 0; i < n; i++) sum += v[i] & 1 ? v[i] / 3 : sum % 7;
    return sum;
}
END
    gcc -g "${options[@]}" -o whole a.c
    gcc -g -gsplit-dwarf "${options[@]}" -o split a.c
    objdump -dl whole | grep -q discriminator
    {
        echo 'sample_type { type: 1 unit: 2 }
            mapping { id: 1 memory_start: 0x401000 memory_limit: 0x402000 file_offset: 0x1000 filename: 3 }
            string_table: "" string_table: "samples" string_table: "count" string_table: "/nowhere/prog"'
        for i in {1..64}; do
            echo "sample { location_id: $i value: 1 }
                location { id: $i mapping_id: 1 address: $((0x401000 + i - 1)) }"
        done
    } | encode >in.pb
    for i in --llvm --gcc=2; do
        pb2pgo -q "$i" -e whole -o wanted in.pb
        pb2pgo -q "$i" -e split in.pb | cmp wanted -
    done
}

@test "debug files and --path serve as they do for pbsym" {
    program prog 'clang version 14.0.6'
    samples </dev/null >in.pb
    pb2pgo -q --llvm -e prog -o wanted in.pb
    objcopy --only-keep-debug prog prog.debug
    strip -o stripped prog
    objcopy --add-gnu-debuglink=prog.debug stripped
    pb2pgo -q --llvm --binary=stripped in.pb | cmp wanted -
    mkdir files debug
    mv stripped files/prog
    mv prog.debug debug
    mv prog away
    pb2pgo -q --llvm --path=files:debug in.pb | cmp wanted -
    # Lines that the profile has remain where there is no debug information.
    pbsym -q -e away -o full.pb in.pb
    pb2pgo -q --llvm -o lines full.pb
    expect 0 pb2pgo -q --llvm -e files/prog full.pb
    same "$(cat lines)"
    # With it, they are completed.
    pb2pgo -q --llvm -e away full.pb | cmp wanted -
    expect 3 pb2pgo --llvm -e missing in.pb
    same_err 'pb2pgo: in.pb: missing: no such file; specify the binary with -e, or its directory with --path'
    mkdir none
    expect 3 pb2pgo --llvm --path=none in.pb
    same_err 'pb2pgo: warning: /nowhere/prog: no function names for 100% of samples (5 addresses): no such file; use -e FILE or --path=DIR to find the profiled file
pb2pgo: in.pb: no sample has a function with a line: pass -e BINARY or --path=DIRS to read them from debug information (-g)'
}

# As in a recording of a whole system: two processes, and another program first.
@test "-e finds all mappings of a binary" {
    program prog 'clang version 14.0.6'
    local mapping='memory_start: 0x401000 memory_limit: 0x402000 file_offset: 0x1000'
    samples <<END >in.pb
mapping { id: 2 memory_start: 0x7000000 memory_limit: 0x7001000 filename: 4 }
mapping { id: 3 $mapping filename: 5 } mapping { id: 4 $mapping filename: 5 }
sample { location_id: 6 value: 100 } sample { location_id: 7 value: 1000 }
location { id: 6 mapping_id: 3 address: 0x401000 }
location { id: 7 mapping_id: 4 address: 0x401010 }
string_table: "/bin/other" string_table: "/bin/bank"
END
    cp prog bank
    pb2pgo -q --llvm -e bank -o out in.pb
    diff -u - out <<'END'
_Z1fi:1100:100
 1: 100
 2.3: 1000
END
}

@test "edges get start lines from a binary, and only where there are none" {
    program prog 'clang version 14.0.6'
    samples </dev/null >in.pb
    expect 3 pb2pgo --preprofile in.pb
    same_err 'pb2pgo: in.pb: the samples have no functions: pass -e BINARY to add them'
    expect 0 pb2pgo --preprofile -e prog in.pb
    same 'GO PREPROFILE V1
f
(anonymous namespace)::g
3 12'
    [ -z "$stderr" ]
    # A function at an address that has a line and a start line keeps them.
    samples <<'END' >in.pb
sample { location_id: 7 location_id: 2 value: 5 }
location { id: 7 mapping_id: 1 address: 0x401030 line { function_id: 1 line: 7 } }
function { id: 1 name: 4 start_line: 5 } string_table: "h"
END
    pb2pgo --preprofile -e prog -o out in.pb
    diff -u - <(sed 1d out | paste -d : - - -) <<'END'
f:(anonymous namespace)::g:3 12
f:h:2 5
END
    pb2pgo --check -e prog in.pb | grep -F 'start lines   100.00%'
}
