# pb2pgo writes what `go tool preprofile` does, and a profile of which that makes
# the same; LLVM's text as llvm-profdata writes it; and what gcc reads

load helper

# Sets preprofile, the program of Go 1.23 or later.
setup_file() {
    preprofile=$("$ROOT/tests/preprofile" "$FIXTURES.preprofile") || preprofile=
    export preprofile
}

needs_preprofile() {
    [ -n "$preprofile" ] || skip 'this machine has no go tool preprofile (Go 1.23)'
}

compare() { # FILE
    if ! "$preprofile" -i "$1" -o wanted 2>/dev/null; then
        expect 3 pb2pgo -q -o small "$1"
        return
    fi
    pb2pgo -q -o small "$1"
    "$preprofile" -i small -o got
    cmp wanted got
    pb2pgo -q --preprofile "$1" | cmp wanted -
}

@test "a CPU profile of Go, and what pb2pgo makes of it, are the same to Go" {
    needs_preprofile
    fixture server.pb.gz
    compare server.pb.gz
    pbmerge -o twice.pb.gz server.pb.gz server.pb.gz
    compare twice.pb.gz
    pb2pgo --preprofile server.pb.gz server.pb.gz | cmp wanted -
}

# What the compiler says of calls: that of mix is too costly to be inlined unless
# it is hot.
decisions() { # PROFILE
    "${preprofile%/*}/compile" -p main -m -d=pgodebug=1 -pgoprofile="$1" -o main.o main.go
}

@test "Go inlines the same calls by both, and none of --no-inline" {
    needs_preprofile
    [ -x "${preprofile%/*}/compile" ] || skip 'this machine has no compiler of Go 1.23'
    cat >main.go <<'END'
package main

func mix(a, b uint64) uint64 {
	for i := 0; i < 3; i++ {
		a ^= b << 13
		a ^= a >> 7
		a ^= a << 17
		b += a*3 + 1
		if a&1 == 0 {
			b ^= a >> 3
			b = b*5 + 7
			a += b << 1
		}
		if b&2 == 0 {
			a = a*9 + b
			b ^= 0x5555
			b ^= a << 4
			a = a*11 + b<<2
			b += a >> 9
		}
	}
	return a + b
}

func main() {
	var t uint64
	for i := 0; i < 1000; i++ {
		t = mix(t, uint64(i))
	}
	println(t)
}
END
    encode <<'END' >in.pb
sample_type { type: 1 unit: 2 }
sample { location_id: 1 location_id: 2 value: 9 }
location { id: 1 address: 1 line { function_id: 1 line: 5 } }
location { id: 2 address: 2 line { function_id: 2 line: 28 } }
function { id: 1 name: 3 start_line: 3 } function { id: 2 name: 4 start_line: 25 }
string_table: "" string_table: "samples" string_table: "count"
string_table: "main.mix" string_table: "main.main"
END
    decisions in.pb >wanted
    grep -q 'main.go:28:10: inlining call to mix$' wanted
    pb2pgo -o small.pb in.pb
    decisions small.pb | diff -u wanted -
    pb2pgo --preprofile -o small in.pb
    decisions small | diff -u wanted -
    pb2pgo --no-inline='\.mix$' -o not.pb in.pb
    decisions not.pb >got
    ! grep -q 'inlining call' got || false
    pb2pgo --against=. in.pb >report
    grep -qx 'fresh         100.00% of these' report
}

# Few functions, lines and addresses, so that they meet in every way: as one
# frame, inlined in each other, calling themselves, before their first line.
random_profile() { # SEED
    perl -e '
        srand shift;
        sub any { $_[rand @_] }
        print "string_table: \"\" string_table: \"samples\" string_table: \"count\"\n";
        print "sample_type { type: 1 unit: 2 }\n";
        print "string_table: \"$_\"\n" for map { any("main.", "a/b.", "~", "z.") . $_ } "a" .. "d";
        my $functions = 1 + int rand 6;
        my $locations = 1 + int rand 8;
        for (1 .. $functions) {
            printf "function { id: $_ name: %d start_line: %d }\n", any(0, 3 .. 6), any(0, 1, 3, 10);
        }
        for (1 .. $locations) {
            printf "location { id: $_ address: %d %s }\n", any(0, 0, 1, 2), join " ", map {
                sprintf "line { function_id: %d line: %d }", 1 + rand $functions, any(0, 1, 2, 5, 120)
            } 1 .. any(0, 1, 1, 2, 3, 5);
        }
        for (1 .. 1 + rand 12) {
            printf "sample { %s value: %d }\n", (join " ", map {
                sprintf "location_id: %d", 1 + rand $locations } 1 .. rand 5), any(1, 1, 2, 7, 1e6);
        }' "$1" | encode
}

@test "random profiles are the same to Go as what pb2pgo makes of them" {
    local seed
    needs_preprofile
    for seed in {1..60}; do
        random_profile "$seed" >random.pb
        compare random.pb
    done
}

# llvm-profdata prints what it has read: the text is read, and is in its order.
# All versions are asked that are installed; 13 has another order.
same_to_llvm() { # FILE
    local program
    pb2pgo -q --llvm -o wanted "$1"
    for program in llvm-profdata $(compgen -c llvm-profdata- | sort -u); do
        [ "$program" != llvm-profdata-13 ] || continue
        "$program" merge --sample --text -o got wanted
        cmp wanted got
        "$program" show --sample wanted >shown
    done
}

@test "llvm-profdata reads what --llvm writes, and writes it again" {
    local seed
    fixture perf.data gmon.out a.out
    perf2pb -q --path=. -o perf.pb perf.data
    same_to_llvm perf.pb
    gmon2pb -q -o gmon.pb gmon.out
    same_to_llvm gmon.pb
    llvm-profdata show --sample wanted | grep '^Function: checksum: '
    for seed in {1..30}; do
        random_profile "$seed" >random.pb
        ! pb2pgo -q --llvm -o some random.pb 2>/dev/null || same_to_llvm random.pb
    done
}

# perf2bolt reads samples from LLVM 20 on.
@test "perf2bolt reads what --bolt writes" {
    local program bolt=''
    for program in perf2bolt $(compgen -c perf2bolt- | sort -uV); do
        ! "$program" --version 2>/dev/null | grep -qE 'version (2[0-9]|[3-9][0-9])' ||
            bolt=$program
    done
    [ -n "$bolt" ] || skip 'this machine has no perf2bolt of LLVM 20 or later'
    cp "$DATA/bank.c" .
    gcc -g -O1 -Wl,-q -o prog bank.c
    encode <<END >in.pb
sample_type { type: 1 unit: 2 }
sample { location_id: 1 value: 3 } sample { location_id: 2 value: 50 }
location { id: 1 mapping_id: 1 address: 0x$(nm prog | sed -n 's/ T checksum$//p') }
location { id: 2 mapping_id: 1 address: 0x$(nm prog | sed -n 's/ T deposit$//p') }
mapping { id: 1 }
string_table: "" string_table: "cycles_sample" string_table: "count"
END
    pb2pgo --bolt -e prog -o samples in.pb
    "$bolt" --pa --ba -p samples -o out prog
    diff -u - <(sort out) <<'END'
1 checksum 0 3
1 deposit 0 50
no_lbr cycles
END
}

# The version in Debian reads DWARF 4, and knows neither -pie nor functions of few
# samples.
@test "AutoFDO reads what --autofdo writes" {
    type -P create_llvm_prof || skip 'this machine has no create_llvm_prof'
    cp "$DATA/bank.c" .
    gcc -gdwarf-4 -O1 -no-pie -o prog bank.c
    encode <<END >in.pb
sample_type { type: 1 unit: 2 }
sample { location_id: 1 value: 3000 }
location { id: 1 mapping_id: 1 address: 0x$(nm prog | sed -n 's/ T checksum$//p') }
mapping { id: 1 }
string_table: "" string_table: "samples" string_table: "count"
END
    pb2pgo --autofdo -e prog -o samples in.pb
    create_llvm_prof --use_lbr=false --profiler=text --profile=samples \
        --binary=prog --format=text --out=out
    [ "$(head -n 1 out)" = 'checksum:3000:0' ]
}

@test "gcc reads what --gcc writes" {
    local version
    version=$(gcc -dumpversion)
    [ "${version%%.*}" -ge 12 ] ||
        skip "this machine has gcc $version, which reads another version"
    cp "$DATA/bank.c" .
    # checksum starts at 28: of 40 samples, 30 are in its loop.
    encode <<'END' >in.pb
sample_type { type: 1 unit: 2 }
sample { location_id: 1 value: 10 } sample { location_id: 2 value: 30 }
location { id: 1 line { function_id: 1 line: 33 } }
location { id: 2 line { function_id: 1 line: 34 } }
function { id: 1 name: 3 start_line: 28 filename: 4 }
string_table: "" string_table: "samples" string_table: "count"
string_table: "checksum" string_table: "/elsewhere/bank.c"
END
    pb2pgo --gcc -o bank.afdo in.pb
    gcc -O2 -g -fauto-profile=bank.afdo -fdump-ipa-afdo-all -c bank.c 2>said
    [ ! -s said ]
    # gcc 16 scales the counts, and says what they are of each other.
    if [ "${version%%.*}" -ge 16 ]; then
        grep -qF 'set to 75.0% (auto FDO)' bank.c.*afdo
    else
        grep -qF 'count:30 (auto FDO)' bank.c.*afdo
        grep -qF 'count:10 (auto FDO)' bank.c.*afdo
    fi
}

# --- counts by line

# What pb2pgo counts of PROGRAM, read with OPTIONS, is what llvm-symbolizer says,
# and addr2line of lines.  The addr2line of binutils 2.40 does not understand
# calls that clang inlined, in DWARF 5.
counts_like_others() { # HOW PROGRAM OPTION...
    local how=$1 program=$2 script="$ROOT/tests/cli/pgo_lines.pl" of_gcc=none
    shift 2
    [ "$how" = clang ] || [ "$(gcc -dumpversion | sed 's/[.].*//')" -lt 13 ] ||
        of_gcc=gcc
    perl "$script" sample "$program" | encode >in.pb
    pb2pgo -q --llvm -o llvm.prof "$@" in.pb
    pb2pgo -q --gcc=2 -o gcc.afdo "$@" in.pb
    perl "$script" llvm <llvm.prof >llvm
    perl "$script" gcc <gcc.afdo >gcc
    perl "$script" count "$program" "${how/gcc/none}" | diff -u - llvm
    perl "$script" count "$program" $of_gcc | diff -u - gcc
    perl "$script" addr2line "$program" >addr2line
    readelf --debug-dump=info "$program" | grep -q 'DW_AT_producer.*clang' &&
        readelf --debug-dump=info "$program" | grep -q 'Version: *5' ||
        perl "$script" lines "$program" <llvm | diff -u addr2line -
    [ "$(wc -l <llvm)" -gt 5 ]
}

@test "counts of C++ are those of llvm-symbolizer and addr2line, however detached" {
    local compiler how
    command -v llvm-symbolizer || skip 'this machine has no llvm-symbolizer'
    for how in clang gcc; do
        compiler='g++ -O2 -g'
        [ $how = gcc ] || compiler='clang++ -O2 -gdwarf-4 -fdebug-info-for-profiling'
        rm -rf ids
        $compiler -Wl,--build-id -o prog "$DATA"/shapes/{main,audit}.cc
        counts_like_others $how prog -e prog
        cp llvm.prof wanted.prof
        cp gcc.afdo wanted.afdo
        [ $how = gcc ] || grep -qE '^ [0-9]+\.[0-9]+: [0-9]' wanted.prof

        objcopy --only-keep-debug prog prog.debug
        strip -o linked prog
        objcopy --add-gnu-debuglink=prog.debug linked
        counts_like_others $how prog -e linked
        cmp wanted.prof llvm.prof
        rm linked
        strip -o stripped prog
        id=$(readelf -n prog | sed -n 's/.*Build ID: //p')
        mkdir -p "ids/.build-id/${id:0:2}"
        mv prog.debug "ids/.build-id/${id:0:2}/${id:2}.debug"
        counts_like_others $how prog -e stripped --path=ids
        cmp wanted.prof llvm.prof

        cp prog one
        cp prog two
        dwz -m shared one two
        counts_like_others $how prog -e one
        cmp wanted.prof llvm.prof
        cmp wanted.afdo gcc.afdo
    done
}

# It multiplies a count by the number of copies of its instruction.
@test "places are those of llvm-profgen" {
    local profgen script="$ROOT/tests/cli/pgo_lines.pl"
    profgen=$(compgen -c llvm-profgen | sort -V | tail -n 1)
    [ -n "$profgen" ] || skip 'this machine has no llvm-profgen'
    command -v llvm-symbolizer || skip 'this machine has no llvm-symbolizer'
    clang++ -O2 -g -fdebug-info-for-profiling -o prog "$DATA"/shapes/{main,audit}.cc
    perl "$script" ranges prog none >ranges
    perl "$script" ranges prog sample | encode >in.pb
    "$profgen" --unsymbolized-profile=ranges --binary=prog --format=text --output=theirs.prof
    pb2pgo --llvm -e prog -o ours.prof in.pb
    perl "$script" llvm <theirs.prof | grep -v ' 0$' >theirs
    perl "$script" llvm <ours.prof >ours
    diff -u <(sed 's/ [0-9]*$//' theirs) <(sed 's/ [0-9]*$//' ours)
    grep -qE '[.][1-9]' ours
    paste -d ' ' theirs ours | awk '{ n++; if ($(NF / 2) % $NF) exit 1 } END { exit n < 20 }'
}

@test "counts of C are those of llvm-symbolizer and addr2line" {
    command -v llvm-symbolizer || skip 'this machine has no llvm-symbolizer'
    gcc -O2 -g -o prog "$DATA/bank.c"
    counts_like_others gcc prog -e prog
    clang -O2 -g -fdebug-info-for-profiling -o prog "$DATA/bank.c"
    counts_like_others clang prog -e prog
}

@test "clang and gcc take what was counted of a program of two files" {
    local file
    clang++ -O2 -g -fdebug-info-for-profiling -o prog "$DATA"/shapes/{main,audit}.cc
    perl "$ROOT/tests/cli/pgo_lines.pl" sample prog | encode >in.pb
    pb2pgo -q --llvm -e prog -o prog.prof in.pb
    g++ -O2 -g -o prog "$DATA"/shapes/{main,audit}.cc
    perl "$ROOT/tests/cli/pgo_lines.pl" sample prog | encode >in.pb
    pb2pgo -q --gcc=2 -e prog -o prog.afdo in.pb
    for file in main audit; do
        clang++ -O2 -g -fdebug-info-for-profiling -Wall -Wextra -S -emit-llvm \
            -fprofile-sample-use=prog.prof -o $file.ll "$DATA/shapes/$file.cc" 2>said
        [ ! -s said ]
        grep -q '"function_entry_count"' $file.ll
        grep -q '"branch_weights"' $file.ll
    done
    local version
    version=$(gcc -dumpversion)
    [ "${version%%.*}" -le 15 ] && [ "${version%%.*}" -ge 12 ] || return 0
    for file in main audit; do
        g++ -O2 -g -Wall -Wextra -fauto-profile=prog.afdo -fdump-ipa-afdo-all \
            -c "$DATA/shapes/$file.cc" 2>said
        [ ! -s said ]
        grep -q '(auto FDO)' $file.cc.*afdo
    done
}
