# pbcat's reports on sources: --list
#
# shellcheck disable=SC2154 # set by run

load helper

# f.pb: 10 ms in line 3 of f() of a.c, 20 ms in line 12, where it calls g() of
# b.c; g() has no start line; nowhere() has no file.
make_profile() {
    local dir=${1-src/} line=${2-12}
    encode >f.pb <<END
sample_type { type: 1 unit: 2 }
sample { location_id: 1 value: 10 }
sample { location_id: 2 location_id: 3 value: 20 }
sample { location_id: 4 value: 70 }
location { id: 1 line { function_id: 1 line: 3 } }
location { id: 2 line { function_id: 2 line: 8 } }
location { id: 3 line { function_id: 1 line: $line } }
location { id: 4 line { function_id: 3 } }
function { id: 1 name: 3 filename: 4 start_line: 2 }
function { id: 2 name: 5 filename: 6 }
function { id: 3 name: 7 }
string_table: ["", "cpu", "ms", "f", "${dir}a.c", "g", "${dir}b.c", "nowhere"]
END
}

# Files of 20 lines, "a1" to "a20" and "b1" to "b20".
make_sources() {
    mkdir -p "$1"
    printf 'a%d\n' {1..20} >"$1/a.c"
    printf 'b%d\r\n' {1..20} >"$1/b.c"
}

f_listing='Total: 100ms
ROUTINE ======================== f in src/a.c
      10ms       30ms (flat, cum) 30.00% of Total
         .          .      2:a2
      10ms       10ms      3:a3
         .          .      4:a4
         .          .      5:a5
         .          .      6:a6
         .          .      7:a7
         .          .      8:a8
         .          .      9:a9
         .          .     10:a10
         .          .     11:a11
         .       20ms     12:a12
         .          .     13:a13
         .          .     14:a14
         .          .     15:a15
         .          .     16:a16
         .          .     17:a17'

@test "--list shows a function from its start to five lines behind the last" {
    make_profile
    make_sources src
    expect 0 pbcat --list='^f$' f.pb
    same "$f_listing"
}

@test "--list begins five lines early where no start is known; CR LF" {
    make_profile
    make_sources src
    expect 0 pbcat --list=g f.pb
    same "Total: 100ms
ROUTINE ======================== g in src/b.c
      20ms       20ms (flat, cum) 20.00% of Total
         .          .      3:b3
         .          .      4:b4
         .          .      5:b5
         .          .      6:b6
         .          .      7:b7
      20ms       20ms      8:b8
         .          .      9:b9
         .          .     10:b10
         .          .     11:b11
         .          .     12:b12
         .          .     13:b13"
}

@test "--list shows no line of a function that begins behind what it has" {
    make_sources src
    encode >late.pb <<'END'
sample_type { type: 1 unit: 2 }
sample { location_id: 1 value: 10 }
location { id: 1 line { function_id: 1 line: 3 } }
function { id: 1 name: 3 filename: 4 start_line: 9 }
string_table: ["", "cpu", "ms", "f", "src/a.c"]
END
    expect 0 pbcat --list=f late.pb
    same 'Total: 10ms
ROUTINE ======================== f in src/a.c
      10ms       10ms (flat, cum)   100% of Total'
    go_pprof -list=f late.pb | diff - <(pbcat --list=f late.pb)
}

@test "--list shows values without a line at the function's first line" {
    make_sources src
    encode >calls.pb <<'END'
sample_type { type: 1 unit: 2 }
sample { location_id: 1 value: 7 }
sample { location_id: 2 location_id: 1 value: 3 }
sample { location_id: 3 value: 40 }
location { id: 1 line { function_id: 1 } }
location { id: 2 line { function_id: 1 line: 4 } }
location { id: 3 line { function_id: 2 } }
function { id: 1 name: 3 filename: 4 start_line: 2 }
function { id: 2 name: 5 filename: 4 }
string_table: ["", "calls", "count", "f", "src/a.c", "unknown"]
END
    expect 0 pbcat --list='^f$' calls.pb
    same 'Total: 50
ROUTINE ======================== f in src/a.c
        10         13 (flat, cum) 26.00% of Total
         7         10      2:a2
         .          .      3:a3
         3          3      4:a4
         .          .      5:a5
         .          .      6:a6
         .          .      7:a7
         .          .      8:a8
         .          .      9:a9'
    # Without a first line there is no place for them, as in pprof.
    pbcat --list=unknown calls.pb | diff <(go_pprof -list=unknown calls.pb) -
}

@test "--list of calls has the counts of gprof -A" {
    cat >p.c <<'END'
static volatile long total;
__attribute__((noinline)) void leaf(long n) { total += n; }
__attribute__((noinline)) void twice(long n) {
    leaf(n);
    leaf(n);
}
int main(void)
{
    for (int i = 0; i < 21; i++)
        twice(i);
    return 0;
}
END
    gcc -g -O0 -pg -o p p.c
    ./p
    gmon2pb -q -e p gmon.out -o p.pb.gz
    gprof -A p gmon.out | sed -nE 's/^ +([0-9]+) -> .* (leaf|twice)\(.*/\2 \1/p' >theirs
    printf '%s\n' 'leaf 42' 'twice 21' | diff -u - theirs
    pbcat --list='^(leaf|twice)$' --sample-index=calls p.pb.gz |
        sed -nE 's/^ +([0-9]+) +[0-9]+ +[0-9]+:.* (leaf|twice)\(long.*/\2 \1/p' |
        diff -u theirs -
}

@test "--list goes by name, and says what has no source" {
    make_profile
    expect 0 pbcat --list=. f.pb
    same "Total: 100ms
ROUTINE ======================== f in src/a.c
      10ms       30ms (flat, cum) 30.00% of Total
 Error: could not find file src/a.c on path $PWD
ROUTINE ======================== g in src/b.c
      20ms       20ms (flat, cum) 20.00% of Total
 Error: could not find file src/b.c on path $PWD
No source information for nowhere"
}

@test "--list of what is not there is status 1 and no output" {
    make_profile
    expect 1 pbcat --list=nothing f.pb
    same ''
    same_err "pbcat: f.pb: no matches for 'nothing'"
    expect 2 pbcat --list='a(' f.pb
    expect 2 pbcat --list=f --text f.pb
}

@test "--source-path looks in directories and above them" {
    make_profile
    make_sources here/src
    mkdir -p here/deep/er
    expect 0 pbcat --list='^f$' --source-path=none:here/deep/er f.pb
    same "$f_listing"
    cd here/deep
    expect 0 pbcat --list='^f$' ../../f.pb
    same "$f_listing"
}

@test "--trim-path and the name of a directory shorten file names" {
    make_profile /build/proj/src/
    make_sources mine/proj/src
    expect 0 pbcat --list='^f$' --source-path=mine/proj f.pb
    same "$f_listing"
    expect 0 pbcat --list='^f$' --source-path=mine/proj \
        --trim-path=/other:/build/proj f.pb
    same "$f_listing"
    expect 0 pbcat --list='^f$' --source-path=mine/proj --trim-path=/x f.pb
    [[ $output == *' Error: open /build/proj/src/a.c: no such file or directory' ]]
    expect 0 pbcat --lines --trim-path=/build f.pb
    [[ $output == *' f proj/src/a.c:3'* ]]
}

@test "--list survives files that are short, odd, or no files" {
    make_profile src/ 9223372036854775807
    make_sources src
    printf 'one\ntwo\0\377\nthree' >src/a.c
    expect 0 pbcat --list='^f$' f.pb
    pbcat --list='^f$' f.pb | tail -n 2 | cmp - <(
        printf '         .          .      2:two\0\377\n'
        printf '      10ms       10ms      3:three\n'
    )
    rm src/a.c
    mkdir src/a.c
    expect 0 pbcat --list='^f$' f.pb
    [[ $output == *" Error: read $PWD/src/a.c: is a directory" ]]
    rmdir src/a.c
    mkfifo src/a.c
    expect 0 timeout 1000 "$BIN/pbcat" --list='^f$' f.pb
    [[ $output == *" Error: read $PWD/src/a.c: not a regular file" ]]
    rm src/a.c
    truncate -s 64M src/a.c
    echo >>src/a.c
    expect 0 pbcat --list='^f$' f.pb
    [[ $output == *" Error: read $PWD/src/a.c: more than 64 MiB" ]]
    : >src/a.c
    expect 0 pbcat --list='^f$' f.pb
    [[ ${#lines[@]} -eq 3 ]]
}

@test "--list divides means, and takes units" {
    make_profile
    make_sources src
    encode >mean.pb <<'END'
sample_type { type: 1 unit: 2 }
sample_type { type: 3 unit: 4 }
sample { location_id: 1 value: 2 value: 20480 }
sample { location_id: 1 value: 3 value: 30720 }
location { id: 1 line { function_id: 1 line: 1 } }
function { id: 1 name: 5 filename: 6 start_line: 1 }
string_table: ["", "objects", "count", "space", "bytes", "f", "src/a.c"]
END
    expect 0 pbcat --list=f --mean mean.pb
    [[ ${lines[2]} == '      10kB       10kB (flat, cum)   100% of Total' ]]
    [[ ${lines[3]} == '      10kB       10kB      1:a1' ]]
    expect 0 pbcat --list=f --unit=B --divide-by=2 mean.pb
    [[ ${lines[3]} == '    25600B     25600B      1:a1' ]]
}

@test "--list prints what pprof prints: C with inlined functions" {
    mkdir lib
    cat >lib/mix.h <<'END'
static inline unsigned long mix(unsigned long x)
{
	x ^= x >> 33;
	return x * 0xff51afd7ed558ccdUL;
}
END
    cat >spin.c <<'END'
#include <time.h>
#include "lib/mix.h"

static unsigned long turn(unsigned long x, long n)
{
    for (long i = 0; i < n; i++)
        x += mix(x + (unsigned long)i);
    return x;
}

int main(int argc, char **argv)
{
    unsigned long x = (unsigned long)argc;
    while (clock() < CLOCKS_PER_SEC / 4)
        x = turn(x, 100000);
    return argv == (void *)x;
}
END
    gcc -g -O2 -o spin spin.c -Wl,--no-as-needed -lprofiler
    records
    CPUPROFILE=spin.prof ./spin
    prof2pb spin.prof | pbmerge -o spin.pb.gz
    mkdir -p else/where
    cp -R spin.c lib else/where/
    local re option options
    for re in . 'main|mix'; do
        for option in -unit=auto -unit=us -noinlines -source_path=none \
            "-source_path=else/where -trim_path=$PWD"; do
            read -ra options <<<"$option"
            go_pprof "${options[@]}" -list="$re" spin.pb.gz >theirs
            pbcat "${options[@]/#/-}" --list="$re" spin.pb.gz >ours
            diff theirs ours
        done
    done
}
