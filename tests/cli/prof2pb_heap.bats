# prof2pb on heap profiles of gperftools, tcmalloc and jemalloc: files of
# these themselves and files made by hand, with go tool pprof, google-pprof
# and jeprof for comparison.

load helper
load pprof_oracle

# shellcheck disable=SC2154 # set by run

setup() {
    setup_scratch
    records
}

# A program that allocates in functions of its own, and frees in one.
program() {
    cat >prog.cc <<'END'
#include <cstdio>
#include <cstdlib>
#include <string>
#ifdef EXTENSION
#include <gperftools/malloc_extension.h>
#endif

#ifndef SMALL
#define SMALL 40
#endif
static void *keep[SMALL + 4];

__attribute__((noinline)) void small_ones()
{
    for (int i = 0; i < SMALL; i++)
        keep[i] = malloc(1000 + i % 40);
}

__attribute__((noinline)) void big_ones()
{
    for (int i = SMALL; i < SMALL + 4; i++)
        keep[i] = malloc(3000000);
}

__attribute__((noinline)) void freed()
{
    for (int i = 0; i < 30; i++) {
        void *volatile p = malloc(100000);
        free(p);
    }
}

#ifdef EXTENSION
static void write(const char *name, const std::string &s)
{
    FILE *f = fopen(name, "w");
    if (!f || fwrite(s.data(), 1, s.size(), f) != s.size() || fclose(f))
        exit(1);
}
#endif

int main()
{
    small_ones();
    big_ones();
    freed();
#ifdef EXTENSION
    std::string s;
    MallocExtension::instance()->GetHeapSample(&s);
    write("sample.heap", s);
    s.clear();
    MallocExtension::instance()->GetHeapGrowthStacks(&s);
    write("growth.heap", s);
#endif
    return keep[0] == nullptr;
}
END
}

maps='
MAPPED_LIBRARIES:
00400000-00500000 r-xp 00000000 08:01 1 /a'

# A heap profile: its kind and rate, and the lines of its samples.
heap() {
    printf 'heap profile: %s @ %s\n' "${TOTALS:-3: 280 [3: 280]}" "$1"
    shift
    printf '%s\n' "$@" "$maps"
}

@test "the heap profiler's files give what pprof reads" {
    program
    g++ -g -O1 -fno-builtin-malloc -Wl,--no-as-needed -o prog prog.cc -ltcmalloc
    HEAPPROFILE=$PWD/hp ./prog 2>/dev/null
    same_as_pprof hp.0001.heap
    [ "$(pprof_totals ours.pb.gz | cut -d' ' -f1 | xargs)" = \
        'alloc_objects/count alloc_space/bytes inuse_objects/count inuse_space/bytes' ]
}

@test "per function they give what google-pprof prints" {
    program
    g++ -g -O1 -fno-builtin-malloc -Wl,--no-as-needed -o prog prog.cc -ltcmalloc
    HEAPPROFILE=$PWD/hp ./prog 2>/dev/null
    prof2pb hp.0001.heap -o hp.pb.gz
    local type
    for type in inuse_space alloc_space inuse_objects alloc_objects; do
        google-pprof --text --show_bytes "--$type" prog hp.0001.heap \
            2>perl.err | awk '$6 ~ /^(main|small_ones|big_ones|freed)$/ {
                print $6, $1, $4 }' | sort >theirs
        [ "$(wc -l <theirs)" -ge 3 ]
        pbcat --sample-index=$type --unit=bytes --nodefraction=0 hp.pb.gz |
            sed -E 's/(bytes|B) / /g' | awk '$2 !~ /%/ { next }
                $6 ~ /^(main|small_ones|big_ones|freed)$/ {
                    print $6, $1, $4 }' | sort >ours
        # Functions that hold nothing: google-pprof leaves them out.
        grep -v ' 0 0$' ours | diff -u theirs -
    done
}

@test "tcmalloc's samples and growth give what pprof reads" {
    program
    g++ -g -O1 -fno-builtin-malloc -DEXTENSION -DSMALL=100000 -o prog prog.cc -ltcmalloc
    TCMALLOC_SAMPLE_PARAMETER=1024 ./prog
    grep -q '^heap profile: .* @ heap_v2/1024$' sample.heap
    same_as_pprof sample.heap
    [ "$(grep -c '^ *1: ' sample.heap)" -gt 100 ]
    grep -q '^heap profile: .* @ growth$' growth.heap
    same_as_pprof growth.heap
    # Without sampling there is a header, and nothing else.
    TCMALLOC_SAMPLE_PARAMETER=0 ./prog
    prof2pb --no-symbols sample.heap -o none.pb.gz 2>none.err
    grep -qx 'prof2pb: warning: no samples' none.err
}

# Lines of numbers of all sizes: random SEED KIND [alloc].
random() {
    perl -e '
        my ($seed, $kind, $alloc) = @ARGV;
        srand $seed;
        sub size { int rand 2 ** (1 + int rand $_[0]) }
        sub pair {
            my $n = 1 + size(20);
            return rand() < .05 ? (0, 0) : ($n, $n * (1 + size(20)) + size(10));
        }
        print "heap profile: 1: 2 [ ", $alloc ? "9: 10" : "1: 2", "] @ $kind\n";
        for (1 .. 300) {
            my @inuse = pair();
            my @alloc = $alloc ? pair() : @inuse;
            @inuse = map { -$_ } @inuse if $alloc && rand() < .05;
            printf "%6d: %8d [%6d: %8d] @%s\n", @inuse, @alloc,
                join "", map { sprintf " 0x%x", 0x400000 + int rand 4000 }
                    0 .. rand 12;
        }
        print "\nMAPPED_LIBRARIES:\n",
            "00400000-00400800 r-xp 00000000 08:01 1 /bin/x\n",
            "00400800-00500000 r-xp 00000000 08:01 1 /lib/y.so\n"' -- "$@"
}

@test "numbers of every size are scaled up as pprof does, to the last digit" {
    local kind seed=1
    for kind in heapprofile heap_v2/524288 heapz_v2/1 heap_v2/2 heap_v2 \
        heap/1048576 heap/1 heapz_v2/1073741824 heap_v2/100 growth growthz \
        fragmentation fragmentationz; do
        random $((seed++)) $kind >random.heap
        same_as_pprof random.heap
        random $((seed++)) $kind alloc >random.heap
        same_as_pprof random.heap
    done
}

@test "known values, whatever the ends of lines" {
    heap heap_v2/524288 '1: 1000 [1: 1000] @ 0x401001' \
        '2: 2000 [2: 2000] @ 0x402001' >lf.heap
    sed 's/$/\r/' lf.heap >crlf.heap
    for file in lf.heap crlf.heap; do
        expect 0 prof2pb --no-symbols $file -o o.pb.gz
        [ -z "$stderr" ]
        run pprof_samples o.pb.gz
        same 'objects/count space/bytes
        524     524788: 1
                bytes:[1000]
       1049    1049576: 2
                bytes:[1000]
Locations
     1: 0x401000 M=1
     2: 0x402000 M=1'
        same_as_pprof $file
    done
}

@test "texts as Windows has them, in UTF-16 or with a byte order mark" {
    heap heap_v2/524288 '1: 1000 [1: 1000] @ 0x401001' >plain
    prof2pb --no-symbols -o wanted plain
    { printf '\377\376'; sed 's/$/\r/' plain | iconv -t UTF-16LE; } >wide
    { printf '\357\273\277'; cat plain; } >marked
    for file in wide marked; do
        expect 0 prof2pb --no-symbols $file -o got
        [ -z "$stderr" ]
        cmp wanted got
    done
}

@test "bytes of no objects are an error, with pprof too" {
    heap heapprofile '1: 24 [1: 24] @ 0x401001' '0: 24 [0: 24] @ 0x401001' >h
    expect 3 prof2pb -o out h
    same_err "prof2pb: h: line 3: '0: 24 [0: 24] @ 0x401001' has bytes but no objects"
    [ ! -e out ]
    pprof_refuses h 'inuse count was 0 but inuse bytes was 24'
}

@test "equal stacks of equal sizes are one sample" {
    heap growth '1: 24 [1: 24] @ 0x401001' '2: 48 [2: 48] @ 0x401001' >h
    prof2pb --no-symbols h -o o.pb.gz
    pprof_samples o.pb.gz | grep -qx '          3         72: 1'
    same_as_pprof h
}

@test "what is not understood is an error, where pprof skips it" {
    heap heapprofile 'what 1: 24 [1: 24] @ 0x401001 ever' >h
    expect 3 prof2pb -o out h
    same_err "prof2pb: h: line 2: 'what 1: 24 [1: 24] @ 0x401001 ever' is not a heap profile sample"
    pprof_samples h | grep -qx '          1         24: 1'
    heap heapprofile '1: 24 [1: 24] @ 0x401001 main' >h
    expect 3 prof2pb -o out h
    same_err "prof2pb: h: line 2: invalid address 'main': expected 0x and a hexadecimal number of 64 bits"
    pprof_samples h | grep -qx '          1         24: 1'
    heap 'heapprofile and more' '1: 24 [1: 24] @ 0x401001' >h
    expect 3 prof2pb -o out h
    same_err ... "h: line 1: 'heap profile: 3: 280 [3: 280] @ heapprofile and more' has text after the heap profile's header"
    pprof_samples h | grep -qx '          1         24: 1'
    [ ! -e out ]
}

@test "capital digits are digits, where pprof loses the stack" {
    heap heapprofile '1: 24 [1: 24] @ 0x401001 0x40ABCD 0x401002' >h
    prof2pb --no-symbols h -o o.pb.gz
    run pprof_samples o.pb.gz
    same 'alloc_objects/count alloc_space/bytes inuse_objects/count inuse_space/bytes
          1         24          1         24: 1 2 3
                bytes:[24]
Locations
     1: 0x401000 M=1
     2: 0x40abcc M=1
     3: 0x401001 M=1'
    run pprof_samples h
    same 'objects/count space/bytes
          1         24: 1 2
                bytes:[24]
Locations
     1: 0x401000 M=1
     2: 0x3f M=2'
}

@test "blanks, comments and commands may come first, where pprof stops" {
    heap heapprofile '1: 24 [1: 24] @ 0x401001' >plain
    prof2pb --no-symbols plain -o plain.pb.gz
    { echo && echo '# what I ran' && cat plain; } >h
    expect 0 prof2pb --no-symbols h -o o.pb.gz
    [ -z "$stderr" ]
    cmp plain.pb.gz o.pb.gz
    pprof_refuses h 'unrecognized profile format'
    { echo '%warn' && echo '%warn the heap is odd' && cat plain; } >h
    expect 0 prof2pb --no-symbols h -o o.pb.gz
    same_err 'prof2pb: h: warning: line 2: message in the profile: the heap is odd'
    cmp plain.pb.gz o.pb.gz
    pprof_refuses h 'unrecognized profile format'
    # A prefix of a log goes with pprof as well.
    sed '/./s/^/I0102 a.cc:12] /' plain >h
    same_as_pprof h
    prof2pb -q --no-symbols h | cmp plain.pb.gz -
}

@test "a sample without a stack stays, where pprof of Go 1.19 drops it" {
    heap heapprofile '1: 24 [1: 24] @' '2: 48 [2: 48] @ 0x401001' >h
    prof2pb --no-symbols h -o o.pb.gz
    local n=$(($(go_minor) < 22 ? 2 : 3))
    pprof_totals o.pb.gz | grep -qx "inuse_objects/count $n"
    protoc --proto_path="$ROOT/lib/profile/wire" --decode=perftools.profiles.Profile \
        "$ROOT/lib/profile/wire/profile.proto" < <(raw o.pb.gz) >text
    [ "$(grep -c '^sample {' text)" = 2 ]
    pprof_totals h | grep -qx "objects/count $n"
}

@test "an address of 0 is left out, where pprof makes up a frame" {
    heap heapprofile '1: 24 [1: 24] @ 0x401001 0x0 0x401002' >h
    expect 0 prof2pb --no-symbols h -o o.pb.gz
    same_err 'prof2pb: h: warning: 1 caller at address 0 skipped'
    run pprof_samples o.pb.gz
    [[ $output == *'24: 1 2
'* && $output != *0xfffff* ]]
    pprof_samples h | grep -q ' 0xffffffffffffffff '
}

@test "a line that is cut is said to be, where pprof fails or says nothing" {
    heap heapprofile '1: 24 [1: 24] @ 0x401001' '1: 24 [1: 24] @ 0x402001' >h
    head -n 3 h | head -c -1 >cut
    expect 0 prof2pb --no-symbols cut -o o.pb.gz
    same_err 'prof2pb: cut: warning: line 3: unexpected end of file; the last address may be truncated
prof2pb: cut: warning: no list of mappings'
    pprof_totals o.pb.gz | grep -qx 'inuse_objects/count 2'
    pprof_totals cut | grep -qx 'objects/count 2'
    head -n 3 h | head -c -20 >cut
    expect 0 prof2pb --no-symbols cut -o o.pb.gz
    same_err 'prof2pb: cut: warning: line 3: unexpected end of file; line skipped
prof2pb: cut: warning: no list of mappings'
    pprof_totals o.pb.gz | grep -qx 'inuse_objects/count 1'
    pprof_refuses cut 'unexpected number of sample values'
}

@test "numbers of more than 64 bits are errors, where pprof wraps them" {
    heap heap_v2/512 '9223372036854775807: 1 [1: 2] @ 0x401001' >h
    expect 3 prof2pb -o out h
    same_err ... "line 2: " ... "'9223372036854775807: 1 [1: 2] @ 0x401001' exceeds 64 bits when scaled by the sampling rate"
    [ ! -e out ]
    pprof_samples h | grep -q -- '-9223372036854775808'
}

@test "allocated objects that 32 bits did not hold are mended" {
    TOTALS='1: 10 [-3: 90]' heap heapprofile '1: 10 [-3: 90] @ 0x401001' >h
    expect 0 prof2pb --no-symbols h -o o.pb.gz
    same_err 'prof2pb: h: warning: 1 negative count of allocated objects treated as 32-bit overflow'
    pprof_totals o.pb.gz | grep -qx 'alloc_objects/count 4294967293'
    pprof_refuses h 'unrecognized profile format'
}

@test "allocated values that the header denies are said to be left out" {
    heap heap_v2 '1: 10 [3: 90] @ 0x401001' >h
    expect 0 prof2pb --no-symbols h -o o.pb.gz
    same_err "prof2pb: h: warning: allocated values of 1 sample skipped: the header's totals do not count them"
    same_as_pprof h
}

@test "kinds that count allocations have them before anything is freed" {
    # TOTALS of heap() are equal: nothing was freed.
    heap heapprofile '1: 24 [1: 24] @ 0x401001' '2: 256 [2: 256] @ 0x402001' >kept
    TOTALS='1: 24 [5: 1000]' \
        heap heapprofile '1: 24 [2: 48] @ 0x401001' '0: 0 [3: 952] @ 0x403001' >freed
    prof2pb --no-symbols -o kept.pb.gz kept
    prof2pb --no-symbols -o freed.pb.gz freed
    expect 0 pbmerge -o sum.pb.gz kept.pb.gz freed.pb.gz
    # 952 bytes in 3 objects: 317 each.
    run pprof_samples sum.pb.gz
    same 'alloc_objects/count alloc_space/bytes inuse_objects/count inuse_space/bytes
          3         72          2         48: 1
                bytes:[24]
          2        256          2        256: 2
                bytes:[128]
          3        952          0          0: 3
                bytes:[317]
Locations
     1: 0x401000 M=1
     2: 0x402000 M=1
     3: 0x403000 M=1'
    prof2pb --no-symbols kept freed | cmp - sum.pb.gz
    # pprof has two types in one file, four in the other, and no sum of both.
    same_as_pprof freed
    mv theirs.pb.gz freed.pb.gz
    same_as_pprof kept
    [ "$(pprof_totals kept | cut -d' ' -f1 | xargs)" = 'objects/count space/bytes' ]
    expect 3 pbmerge -o sum.pb.gz theirs.pb.gz freed.pb.gz
    same_err ... 'sample types do not match' ...
    # Go's are scaled up: 1 of 1000 bytes by 524.79 at 1 in 524288.
    heap heap/1048576 '1: 1000 [1: 1000] @ 0x401001' >go
    prof2pb --no-symbols -o go.pb.gz go
    run pprof_totals go.pb.gz
    same 'alloc_objects/count 524
alloc_space/bytes 524788
inuse_objects/count 524
inuse_space/bytes 524788'
    same_as_pprof go
}

@test "kinds that count no allocations have none where totals are equal" {
    local kind
    for kind in heap_v2 heapz_v2/1 growth growthz fragmentation fragmentationz; do
        heap $kind '1: 24 [1: 24] @ 0x401001' >h
        prof2pb --no-symbols -o o.pb.gz h
        [ "$(pprof_totals o.pb.gz | xargs)" = 'objects/count 1 space/bytes 24' ]
    done
    for kind in heap_v2 heapz_v2/1; do
        TOTALS='1: 24 [2: 48]' heap $kind '1: 24 [2: 48] @ 0x401001' >h
        prof2pb --no-symbols -o o.pb.gz h
        [ "$(pprof_totals o.pb.gz | xargs)" = 'alloc_objects/count 2 '\
'alloc_space/bytes 48 inuse_objects/count 1 inuse_space/bytes 24' ]
    done
}

# A program at a fixed address, and two of its functions.
fixed_program() {
    program
    g++ -g -O1 -fno-pie -no-pie -o prog prog.cc
    small=0x$(nm prog | awk '/small_ones/ { print $1 }')
    big=0x$(nm prog | awk '/big_ones/ { print $1 }')
    small=$(printf '0x%x' $((small + 8))) big=$(printf '0x%x' $((big + 8)))
    maps="
MAPPED_LIBRARIES:
00400000-00500000 r-xp 00000000 08:01 1 $PWD/prog"
}

# Flat values by function: what google-pprof prints, and pbcat.
flat_as_google() {
    google-pprof --text --show_bytes "--$1" prog "$2" 2>perl.err |
        awk '$6 ~ /_ones$/ { print $6, $1 }' | sort >theirs
    [ "$(wc -l <theirs)" = 2 ]
    prof2pb -q "$2" | pbcat -q --unit=bytes "--sample-index=$1" |
        sed -E 's/(bytes|B) / /g' | awk '$6 ~ /_ones$/ { print $6, $1 }' | sort >ours
    diff -u theirs ours
}

@test "kinds that pprof does not know are read as google-pprof does" {
    fixed_program
    local rows=("2: 4096 [2: 4096] @ $small" "1: 70000 [1: 70000] @ $big")
    for kind in heapz/131072 heapz _heap_v2/524288 _heap_v2 own_heap/4096; do
        heap $kind "${rows[@]}" >h
        flat_as_google inuse_space h
        flat_as_google inuse_objects h
        pprof_refuses h 'unrecognized profile format'
    done
    heap stack "${rows[@]}" >h
    flat_as_google inuse_space h
    expect 0 prof2pb h -o o.pb.gz
    same_err "prof2pb: h: warning: line 1: unknown kind of heap profile 'stack'; its numbers are not scaled"
    for totals in '3: 280 [3: 280]' '3: 280 [4: 280]'; do
        { echo "heap profile:    ${totals/ 280 / 280 }" &&
            printf '%s\n' "${rows[@]}" "$maps"; } >h
        flat_as_google inuse_space h
        flat_as_google inuse_objects h
        pprof_refuses h 'unrecognized profile format'
    done
}

@test "kinds that both know are read as pprof does" {
    fixed_program
    local rows=("2: 4096 [2: 4096] @ $small" "1: 70000 [1: 70000] @ $big")
    # google-pprof: every allocation below 64 KiB stands for that much.
    heap heap/131072 "${rows[@]}" >h
    same_as_pprof h
    google-pprof --text --show_bytes prog h 2>perl.err | grep -q '131072 .* small_ones'
    pprof_totals h | grep -qx "space/bytes $(perl -e '
        print int(4096 / (1 - exp(-2048 / 65536))) +
            int(70000 / (1 - exp(-70000 / 65536)))')"
    # google-pprof: 1 in 128 KiB.
    heap heap_v2 "${rows[@]}" >h
    same_as_pprof h
    pprof_totals h | grep -qx 'space/bytes 74096'
    google-pprof --text --show_bytes prog h 2>perl.err |
        grep -q "$(perl -e 'print int(4096 / (1 - exp(-2048 / 131072)))') .* small_ones"
}

@test "the leaf is a return address as with pprof, not as with google-pprof" {
    fixed_program
    # The return address of a call that ends a function is in the next one.
    local end
    end=0x$(nm -n prog | awk 'seen { print $1; exit } /small_ones/ { seen = 1 }')
    heap heapprofile "1: 24 [1: 24] @ $end" >h
    prof2pb h | pbcat >report
    grep -q ' small_ones$' report
    google-pprof --text --show_bytes prog h 2>perl.err >report
    run ! grep -q ' small_ones$' report
}

# A program that dumps its heap, with allocations in three named threads.
jemalloc_program() {
    cat >prog.c <<'END'
#include <jemalloc/jemalloc.h>
#include <pthread.h>
#include <stdlib.h>

static void *keep[4][200];

__attribute__((noinline)) static void work(int k)
{
    for (int i = 0; i < 200; i++)
        keep[k][i] = malloc(3000 + i);
    for (int i = 0; i < 50; i++)
        free(keep[k][i]);
}

static void *run(void *number)
{
    int k = *(int *)number;
    const char *name[] = {"", "worker one", "two", "three"};
    mallctl("thread.prof.name", NULL, NULL, &name[k], sizeof *name);
    work(k);
    return NULL;
}

int main(void)
{
    int numbers[] = {0, 1, 2, 3};
    pthread_t thread[4];
    for (int k = 1; k < 4; k++)
        if (pthread_create(&thread[k], NULL, run, &numbers[k]))
            return 1;
    for (int k = 1; k < 4; k++)
        pthread_join(thread[k], NULL);
    work(0);
    const char *file = "j.heap";
    return mallctl("prof.dump", NULL, NULL, &file, sizeof file);
}
END
    gcc -g -O1 -o prog prog.c -ljemalloc -pthread
    MALLOC_CONF="prof:true,lg_prof_sample:10,$1" ./prog
}

# "THREAD work VALUE" of the threads' and of main's own, from folded stacks
# that lack what is above or below.
works() {
    sed -nE 's/^.*;(run|main)(<[0-9a-f]+>)?;(.*;)?work(<[0-9a-f]+>)?(;.*)? ([0-9]+)$/\1 work \6/p' |
        sort
}

@test "heap profiles of jemalloc give what jeprof reads" {
    jemalloc_program prof_accum:true
    prof2pb -q j.heap -o j.pb.gz
    [ "$(pprof_totals j.pb.gz | cut -d' ' -f1 | xargs)" = \
        'alloc_objects/count alloc_space/bytes inuse_objects/count inuse_space/bytes' ]
    go_pprof -raw j.pb.gz >text
    grep -qx 'Period: 1024' text
    local type
    for type in inuse_space inuse_objects alloc_space alloc_objects; do
        jeprof --collapsed "--$type" prog j.heap 2>jeprof.err | works >theirs
        [ "$(wc -l <theirs)" = 2 ]
        pbcat --folded "--sample-index=$type" j.pb.gz | works >ours
        diff -u theirs ours
    done
    pprof_refuses j.heap 'unrecognized profile format'
}

# A program that allocates in many ways, each in a function of its own, in
# sizes that allocators do not round up: "by_... BYTES" is in `expected`.
ways_program() { # COMPILER ARG...
    cat >ways.cc <<'END'
#include <cstdio>
#include <cstdlib>
#include <malloc.h>
#include <string>
#ifdef JEMALLOC
#include <jemalloc/jemalloc.h>
#else
#include <gperftools/malloc_extension.h>
#endif

void *keep[100];
#define WAY(name, at, n, call)                                                 \
    __attribute__((noinline)) static void name()                               \
    {                                                                          \
        for (int i = at; i < at + n; i++)                                      \
            keep[i] = call;                                                    \
    }
WAY(by_malloc, 0, 10, malloc(1024))
WAY(by_calloc, 10, 5, calloc(1, 1048576))
WAY(by_new, 20, 10, new char[2048])
WAY(by_realloc, 30, 10, realloc(realloc(nullptr, 64), 65536))
WAY(by_aligned, 40, 10, aligned_alloc(4096, 8192))
WAY(by_memalign, 50, 10, memalign(64, 32768))

int main()
{
    by_malloc();
    by_calloc();
    by_new();
    by_realloc();
    by_aligned();
    by_memalign();
#ifdef JEMALLOC
    const char *file = "ways.heap";
    return mallctl("prof.dump", NULL, NULL, &file, sizeof file);
#else
    std::string s;
    MallocExtension::instance()->GetHeapGrowthStacks(&s);
    FILE *f = fopen("ways.heap", "w");
    return fwrite(s.data(), 1, s.size(), f) != s.size() || fclose(f);
#endif
}
END
    g++ -g -O1 -fno-builtin -fno-optimize-sibling-calls -o ways ways.cc "$@"
    MALLOC_CONF=prof:true,lg_prof_sample:0 ./ways
    printf '%s\n' "by_aligned $((10 * 8192))" "by_calloc $((5 * 1048576))" \
        "by_malloc $((10 * 1024))" "by_memalign $((10 * 32768))" \
        "by_new $((10 * 2048))" "by_realloc $((10 * 65536))" >expected
}

# "by_... BYTES" from a table, and what is the allocator's.
flat_ways() {
    sed -nE 's/^ *([0-9]+)B .* (by_[a-z]+|.*malloc.*)$/\2 \1/p' | sort
}

@test "frames in jemalloc's library are dropped if they have no names" {
    ways_program -DJEMALLOC -ljemalloc
    jeprof --text --show_bytes --nodefraction=0 --edgefraction=0 ways \
        ways.heap 2>jeprof.err |
        awk '$6 ~ /^by_/ { print $6, $4 }' | sort | diff -u expected -
    expect 0 prof2pb ways.heap -o ways.pb.gz
    # Missing names are no loss.
    [[ $stderr != *jemalloc* ]]
    pbcat --unit=bytes --nodefraction=0 ways.pb.gz | flat_ways |
        diff -u expected -
    go_pprof -top -unit=bytes -nodefraction=0 ways.pb.gz | flat_ways |
        diff -u expected -
    prof2pb -q --no-symbols ways.heap | pbsym -q | cmp ways.pb.gz -
    # jeprof takes the nearest exported name: new is malloc_usable_size.
    jeprof --raw ways ways.heap >ways.raw 2>jeprof.err || true
    grep -q '^0x.* malloc_usable_size' ways.raw
    cat ways.heap >>ways.raw
    prof2pb -q ways.raw | pbcat --unit=bytes --nodefraction=0 |
        sed 's/()$//' | flat_ways | diff -u expected -
}

@test "frames in tcmalloc's library are dropped where it is not found" {
    ways_program -ltcmalloc
    google-pprof --text --show_bytes --nodefraction=0 --edgefraction=0 ways \
        ways.heap 2>perl.err |
        awk '$6 ~ /^by_/ { print $6, $4 }' | sort >expected
    grep -q by_calloc expected
    sed -i 's|/[^ ]*/libtcmalloc|/nowhere/libtcmalloc|' ways.heap
    prof2pb -q ways.heap | pbcat --unit=bytes --nodefraction=0 | flat_ways |
        diff -u expected -
}

@test "only frames at the leaf and of heap profiles are the allocator's" {
    library() { # DROP_FRAMES
        encode >lib.pb <<END
sample_type { type: 1 unit: 2 }
sample { location_id: 1 location_id: 2 location_id: 4 value: 1 }
sample { location_id: 1 location_id: 4 location_id: 2 location_id: 4 value: 2 }
sample { location_id: 1 location_id: 2 value: 4 }
sample { location_id: 1 location_id: 3 location_id: 4 value: 8 }
sample { location_id: 3 location_id: 1 location_id: 4 value: 16 }
mapping { id: 1 memory_start: 0x1000 memory_limit: 0x2000 filename: 3 }
mapping { id: 2 memory_start: 0x3000 memory_limit: 0x4000 filename: 4 }
location { id: 1 mapping_id: 1 address: 0x1001 }
location { id: 2 mapping_id: 1 address: 0x1002 line { function_id: 1 } }
location { id: 3 mapping_id: 1 address: 0x1003 line { function_id: 2 } }
location { id: 4 mapping_id: 2 address: 0x3004 line { function_id: 3 } }
function { id: 1 name: 5 }
function { id: 2 name: 6 }
function { id: 3 name: 7 }
drop_frames: 8
string_table: ["", "space", "bytes", "/none/libmimalloc-secure.so.2", "/none/p", "mi_heap", "calloc", "main", "$1"]
END
        pbsym -q lib.pb | pbcat -q --all-frames --folded -
    }
    run library 'calloc|(m|tc_m)alloc'
    same 'main 17
main;calloc;[libmimalloc-secure.so.2] 8
main;mi_heap;main 2
mi_heap;[libmimalloc-secure.so.2] 4'
    local drop
    for drop in 'ProfileData::Add' 'malloc|('; do
        run library "$drop"
        same 'main;[libmimalloc-secure.so.2];calloc 16
main;calloc;[libmimalloc-secure.so.2] 8
main;mi_heap;[libmimalloc-secure.so.2] 1
main;mi_heap;main;[libmimalloc-secure.so.2] 2
mi_heap;[libmimalloc-secure.so.2] 4'
    done
}

@test "without prof_accum they have what is in use" {
    jemalloc_program prof_accum:false
    prof2pb -q j.heap -o j.pb.gz
    [ "$(pprof_totals j.pb.gz | cut -d' ' -f1 | xargs)" = \
        'objects/count space/bytes' ]
    jeprof --collapsed prog j.heap 2>jeprof.err | works >theirs
    pbcat --folded j.pb.gz | works >ours
    diff -u theirs ours
}

@test "--per-thread tells them apart as jeprof --thread does" {
    jemalloc_program prof_accum:false
    prof2pb -q --per-thread j.heap -o j.pb.gz
    local k name names=0
    for k in 0 1 2 3; do
        jeprof --collapsed "--thread=$k" prog j.heap 2>jeprof.err | works >theirs
        [ "$(wc -l <theirs)" = 1 ]
        pbfilter --tagfocus="thread_id=$k" j.pb.gz -o one.pb.gz
        pbcat --folded one.pb.gz | works >ours
        diff -u theirs ours
        name=$(sed -n "/^@/q; s/^ *t$k: [^]]*] *//p" j.heap)
        if [ -n "$name" ]; then
            go_pprof -raw one.pb.gz | grep -qF "thread:[$name]"
            names=$((names + 1))
        fi
    done
    [ "$names" = 3 ]
    # The first row of a stack is their sum, of which a stack has one sample.
    prof2pb -q j.heap | pbcat --folded | works | grep -q '^run work '
    prof2pb -q j.heap -o all.pb.gz
    go_pprof -raw all.pb.gz >text
    run ! grep -q thread_id text
}

@test "all profiles of a file are added up, of which pprof reads the first" {
    heap growth '1: 24 [1: 24] @ 0x401001' >a
    heap growth '2: 48 [2: 48] @ 0x402001' |
        sed 's|00400000.*|00402000-00403000 r-xp 00000000 08:01 2 /b|' >b
    cat a b >h
    expect 0 prof2pb --no-symbols h -o o.pb.gz
    same_err 'prof2pb: h: warning: the file contains 2 profiles; they are added'
    prof2pb --no-symbols a b | cmp - o.pb.gz
    expect 0 prof2pb --no-symbols --first-only h -o o.pb.gz
    [ -z "$stderr" ]
    prof2pb --no-symbols a | cmp - o.pb.gz
    run pprof_samples h
    same 'objects/count space/bytes
          1         24: 1
                bytes:[24]
'"$(pprof_samples a | tail -n 2)"
    # What is wrong in the second is found there.
    sed 's/0x402001/main/' b | cat a - >h
    expect 3 prof2pb h
    same_err "prof2pb: h: in the profile at line 6: line 2: invalid address 'main': expected 0x and a hexadecimal number of 64 bits"
    head -n 2 b | cat a - >h
    expect 0 prof2pb --no-symbols h -o o.pb.gz
    same_err 'prof2pb: h: warning: in the profile at line 6: no list of mappings
prof2pb: h: warning: the file contains 2 profiles; they are added'
    # Profiles of two kinds have no sum.
    { cat a && heap heapprofile; } | sed '/heapprofile/s/3: 280/4: 281/' >h
    expect 3 prof2pb -o out h
    same_err ... 'sample types do not match' ...
    [ ! -e out ]
}

@test "the kind that --type names is the one that is read" {
    heap heapprofile '1: 24 [1: 24] @ 0x401001' >h
    prof2pb --no-symbols h -o o.pb.gz
    prof2pb --no-symbols --type=heap h | cmp - o.pb.gz
    expect 3 prof2pb --type=jemalloc h
    same_err "prof2pb: h: line 1: 'heap profile: 3: 280 [3: 280] @ heapprofile' is not a jemalloc heap profile header"
    expect 3 prof2pb --type=count h
    same_err "prof2pb: h: line 1: 'heap profile: 3: 280 [3: 280] @ heapprofile' is not a count profile header"
    expect 3 prof2pb --type=cpu h
    same_err 'prof2pb: h: not a CPU profile: no header at offset 0'
    printf '\1\2\3' >h
    expect 3 prof2pb --type=heap h
    same_err "prof2pb: h: line 1: '\\x01\\x02\\x03' is not a heap profile header"
}

@test "the main binary is the one that -e names" {
    heap heapprofile '1: 24 [1: 24] @ 0x401001' >h
    prof2pb -q --no-symbols -e ./moved h -o o.pb.gz
    go_pprof -raw o.pb.gz | grep -q '^1: 0x400000/0x500000/0x0 ./moved *$'
}

@test "what begins almost like a heap profile" {
    printf 'heap_v2/-1\n  t*: 1: 2 [0: 0]\n' >broken
    expect 3 prof2pb broken
    same_err "prof2pb: broken: line 1: 'heap_v2/-1' is not a jemalloc heap profile header"
    tar cf broken.tar broken
    expect 3 prof2pb broken.tar
    same_err "prof2pb: broken.tar(broken): line 1: 'heap_v2/-1' is not a jemalloc heap profile header"
}

@test "snapshots of one process: a warning that they are added up" {
    local name warning
    for name in app.0001.heap app.0002.heap other.0001.heap je.12.0.f.heap \
        je.12.1.m1.heap je.13.0.f.heap test1.heap test2.heap; do
        cat >$name <<'END'
heap profile: 1: 8 [1: 8] @ heapprofile
1: 8 [1: 8] @ 0x1010

MAPPED_LIBRARIES:
00001000-00002000 r-xp 00000000 08:01 1 /nowhere/prog
END
        prof2pb --no-symbols -o $name.pb.gz $name
    done
    local warning=' are snapshots of the same process, so their sum counts memory '\
'twice; use only the later one, or subtract the earlier one with pbmerge --base'
    expect 0 prof2pb --no-symbols -o sum.pb.gz other.0001.heap app.0001.heap \
        app.0002.heap
    same_err "prof2pb: warning: app.0001.heap and app.0002.heap$warning"
    expect 0 prof2pb --no-symbols -o sum.pb.gz je.13.0.f.heap je.12.0.f.heap \
        je.12.1.m1.heap
    same_err "prof2pb: warning: je.12.0.f.heap and je.12.1.m1.heap$warning"
    expect 0 pbmerge -o sum.pb.gz app.0001.heap.pb.gz app.0002.heap.pb.gz
    same_err "pbmerge: warning: app.0001.heap.pb.gz and app.0002.heap.pb.gz$warning"
    tar -cf heaps.tar app.0002.heap app.0001.heap
    expect 0 prof2pb --no-symbols -o sum.pb.gz heaps.tar
    same_err "prof2pb: warning: heaps.tar(app.0002.heap) and heaps.tar(app.0001.heap)$warning"
    expect 0 prof2pb -q --no-symbols -o sum.pb.gz heaps.tar
    [ -z "$stderr" ]
    # Processes of their own, a difference, and profiles of their own.
    for name in '' .pb.gz; do
        [ -z "$name" ] && tool='prof2pb --no-symbols' || tool=pbmerge
        expect 0 $tool -o sum.pb.gz app.0001.heap$name other.0001.heap$name \
            je.12.0.f.heap$name je.13.0.f.heap$name test1.heap$name \
            test2.heap$name app.0001.heap$name
        [ -z "$stderr" ]
    done
    expect 0 pbmerge --base=app.0001.heap.pb.gz -o sum.pb.gz app.0002.heap.pb.gz
    [ -z "$stderr" ]
    expect 0 prof2pb --no-symbols --each -o d/ app.0001.heap app.0002.heap
    [ -z "$stderr" ]
}

# libtcmalloc records what a C++ program allocates: the library's own functions
# would be all that a report shows.
@test "C++: what allocates is shown, not the allocators of libstdc++" {
    cat >heap.cc <<'END'
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>
#define KEEP __attribute__((noinline))
struct row { row() : cells(new char[500]) {} char *cells; };
static char *keep;
KEEP void raw() { keep = new char[1 << 20]; }
KEEP void vectors() { std::vector<int> v; v.resize(200000); v.push_back(1); }
KEEP void strings() { std::string s(300000, 'a'); keep[0] = s[9]; }
KEEP void maps() { std::map<int, long> m; for (int i = 0; i < 4000; i++) m[i]++; }
KEEP void hashes() {
    std::unordered_map<int, long> m;
    for (int i = 0; i < 4000; i++) m[i]++;
}
KEEP void deques() { std::deque<int> d(90000); }
KEEP void shared() { std::make_shared<std::vector<double>>(30000); }
/* The constructor of an element allocates, too: that stays. */
KEEP void rows() { std::map<int, row> m; for (int i = 0; i < 900; i++) m[i]; }
int main()
{
    raw(), vectors(), strings(), maps(), hashes(), deques(), shared(), rows();
}
END
    local level mode function
    for level in 0 2; do
        g++ -g -O$level -o heap heap.cc -Wl,--no-as-needed -ltcmalloc
        HEAPPROFILE=$PWD/out$level ./heap 2>/dev/null
        for mode in default templates; do
            prof2pb --demangle=$mode -o heap.pb.gz out$level.0001.heap
            pbcat --sample-index=alloc_space --edgefraction=0 \
                --nodefraction=0 --text --functions heap.pb.gz >top
            # Flat: no allocator, but what called it.
            awk 'on && $1 != "0"; / flat% / { on = 1 }' top >flat
            [ "$(wc -l <flat)" -ge 8 ]
            # (_M_allocate_node of hash tables calls constructors as well.  Of
            # names, pprof's rule sees what is before the first parenthesis.)
            run grep -E 'allocator|::_?_?allocate|_M_allocate( |_map|_buckets)|'\
'_M_get_node|operator new' <(sed '/[(][^i]/d; s/<.*>//' flat)
            [ -z "$output" ] || { echo "$output"; false; }
            # As pprof drops them.
            go_pprof -sample_index=alloc_space -nodefraction=0 -edgefraction=0 \
                -top heap.pb.gz >go.top
            awk 'on && $1 != "0"; / flat% / { on = 1 }' go.top |
                awk '{ sub(/ \(inline\)$/, ""); print $6 }' | sort >go.names
            awk '{ sub(/ \(inline\)$/, ""); print $6 }' flat | sort |
                diff -u go.names -
            for function in raw vectors strings maps hashes deques shared rows; do
                [ "$level" = 2 ] || grep -qE " $function\$" top
            done
            grep -qE ' (row::row|rows)( \(inline\))?$' top
        done
    done
}
