# perf2pb: what perf records besides, and what programs do while it records;
# perf script says what is in the recordings.

load helper
load perf

setup_file() {
    cd "$BATS_FILE_TMPDIR" || return
    make_work
}

setup() {
    setup_scratch
    needs_perf
}

record() { # FILE OPTION...
    perf record -q -N -o "$@" -- "$BATS_FILE_TMPDIR/work"
}

# perf says why if the kernel has no such event, this perf no such option, or this
# user no right to it.
can_record() { # OPTION...
    perf record -q -N -o probe.data "$@" -- true 2>probe.err
}

# Every sample, with what labels say of it.
script_samples() { # FILE
    perf script -f --ns -G -i "$1" -F pid,tid,cpu,time,period,event,ip \
        2>script.err | perl -ne '
            my ($pid, $tid, $cpu, $s, $ns, $period, $event) =
                m{^\s*(-?\d+)/(-?\d+)\s+\[(\d+)\]\s+(\d+)\.(\d+):\s+(\d+)\s+(\S+):}
                or next;
            printf "%s %d %d %d %s %d\n", $event, $pid, $tid, $cpu,
                $s * 1e9 + $ns, $period' | sort
}

profile_samples() { # FILE OPTION...
    perf2pb -q --no-symbols --labels=pid,tid,cpu,timestamp_ns "$@" |
        pbcat --json | jq -r '
            [.sample_type[].type] as $types | .sample[] |
            (.label | map({(.key): (.str // .num)}) | add) as $l |
            .value as $v | range(0; $types | length; 2) |
            select($v[.] != "0") | "\($types[.] | sub("_sample$"; "")) " +
            "\($l.pid) \($l.tid) \($l.cpu) \($l.timestamp_ns) \($v[. + 1])"' |
        sort
}

same_samples() { # FILE OPTION...
    script_samples "$1" >wanted
    profile_samples "$@" >got
    [ "$(wc -l <wanted)" -ge 5 ]
    diff -u wanted got
}

@test "call chains stay the same, whatever else is recorded" {
    local options name
    while read -r name options; do
        # shellcheck disable=SC2086 # words
        [ "$(id -u)" = 0 ] || can_record -g $options || continue
        # shellcheck disable=SC2086 # words
        record "$name.data" -g $options
        same_chains "$name.data"
        rm "$name.data"
    done <<'END'
addresses -e cpu-clock -F 1500 -d --phys-data -W
period -e cpu-clock -F 1500 -T -P --sample-cpu --sample-identifier
count -e cpu-clock -c 700000
no_inherit -e cpu-clock -F 1500 -i
thread -e cpu-clock -F 1500 --per-thread
groups -e cpu-clock -F 1500 --all-cgroups --namespaces --switch-events
pages -e cpu-clock -F 1500 --code-page-size --data-page-size
registers -e cpu-clock -F 1500 --intr-regs=ax,bx,sp,ip --user-regs=ax,sp,ip
clock -e cpu-clock -F 1500 -k CLOCK_MONOTONIC --running-time
late -e cpu-clock -F 1500 --tail-synthesize
overwrite -e cpu-clock -F 1500 --overwrite
ids -e cpu-clock -F 1500 --buildid-mmap
asynchronous -e cpu-clock -F 1500 --aio
packed -e cpu-clock -F 1500 -z22 --mmap-flush=1k
events -F 1500 -e page-faults,context-switches,minor-faults,task-clock
END
}

@test "process, thread, processor, time and period of each sample" {
    record two.data -F 1500 --sample-cpu -e cpu-clock,task-clock
    same_samples two.data
    record faults.data --sample-cpu -c 1 -e page-faults,context-switches
    same_samples faults.data
    [ "$(id -u)" = 0 ] ||
        skip 'this user may not record all processes'
    record all.data -a -F 1500 -e cpu-clock
    same_samples all.data
    record one.data -F 1500 -C 0 -T -e cpu-clock
    same_samples one.data
}

@test "tracepoints: their data is skipped" {
    can_record -e sched:sched_switch ||
        skip 'this machine lets this user record no tracepoints'
    record trace.data -g -c 1 \
        -e sched:sched_switch,sched:sched_process_exit,page-faults
    same_chains trace.data
    record raw.data -a -R -e sched:sched_switch -c 1
    same_samples raw.data
}

@test "clocks, and tracepoints of times, count nanoseconds" {
    cat >lines.txt <<'END'
 a 1 5.000001: 7 page-faults: 12ab f+0x1 (/bin/a)
 a 1 5.000002: 250000 cpu-clock:u: 12ab f+0x1 (/bin/a)
 a 1 5.000003: 250000 task-clock: 12ab f+0x1 (/bin/a)
 a 1 5.000004: 3 cpu-clocks: 12ab f+0x1 (/bin/a)
END
    # Without periods, samples are counted.
    sed 's/ [0-9]* cpu-clock:/ cpu-clock:/' lines.txt >without.txt
    expect 0 perf2pb lines.txt -o out.pb
    pprof_totals out.pb | sort >got
    diff - got <<'END'
cpu-clock:u_event/nanoseconds 250000
cpu-clock:u_sample/count 1
cpu-clocks_event/count 3
cpu-clocks_sample/count 1
page-faults_event/count 7
page-faults_sample/count 1
task-clock_event/nanoseconds 250000
task-clock_sample/count 1
END
    pbcat --raw out.pb | grep -qF 'page-faults_event/count[dflt]'
    pprof_totals <(perf2pb without.txt) | grep '^cpu-clock:' >got
    diff - got <<'END'
cpu-clock:u_sample/count 1
cpu-clock:u_event/count 1
END
    can_record -e sched:sched_stat_runtime ||
        skip 'this machine lets this user record no tracepoints'
    record runtime.data -c 1 -e sched:sched_stat_runtime
    perf script -f -i runtime.data -F trace 2>/dev/null |
        perl -ne '$n += $1 if /runtime=(\d+) \[ns\]/;
            END { print "sched:sched_stat_runtime_event/nanoseconds $n\n" }' \
            >wanted
    pprof_totals <(perf2pb --no-symbols runtime.data) | grep _event |
        diff wanted -
}

@test "the output of perf script: tracepoints, odd names, missing fields" {
    cat >lines.txt <<'END'
 a: b [3] 1/2    12/13 [001]  5.000001:          7   cycles:u: 
	    12ab f+0x1 (/bin/a)

              sh   21 [000]  5.000002: sched:sched_switch: prev_comm=sh ==> 1.5:
           false   22 [000]  5.000003: sched:sched_switch: dead comm=x
	    12ac g+0x1 (/bin/a)

END
    sed -i 's/\\t/\t/' lines.txt
    perf2pb --labels=pid,tid,comm lines.txt | pbcat --json |
        jq -c '.sample[] | [.value, (.location | length),
            (.label | map({(.key): (.str // .num)}) | add |
                .pid, .tid, .comm)]' | sort >got
    diff - got <<'END'
[["0","0","1","1"],0,null,"21","sh"]
[["0","0","1","1"],1,null,"22","false"]
[["1","7","0","0"],1,"12","13","a: b [3] 1/2"]
END
    # Without times: a name like an event, and samples without an empty line.
    cat >lines.txt <<'END'
a: b 0:     12/13          7 cycles:u: 
	    12ab f+0x1 (/bin/a)

              sh   21 [000] sched:sched_switch: prev_comm=sh ==> 1.5
           false   22 [000] sched:sched_switch: comm=x
           false   22         9 cycles:u: 
	    12ac g+0x1 (/bin/a)

END
    perf2pb lines.txt | pbcat --raw | sed -n '/^Samples/,/^Loc/p' >got
    diff - got <<'END'
Samples:
cycles:u_sample/count cycles:u_event/count[dflt] sched:sched_switch_sample/count sched:sched_switch_event/count
          0          0          2          2: 
          1          7          0          0: 1 
          1          9          0          0: 2 
Locations
END
    # Without call chains and addresses a line is a sample.
    record plain.data -F 1500 -g -e cpu-clock
    perf script -f -i plain.data -F comm,tid,time,event,period \
        2>/dev/null >plain.txt
    perf2pb plain.txt | pbcat --raw | raw_totals >got # pprof drops these
    pprof_totals <(perf2pb --no-symbols plain.data) | diff - got
    record names.data -F 1500 -g -e cpu-clock --namespaces
    pprof_totals <(perf2pb --no-symbols names.data) >got
    perf script -f -i names.data --show-task-events --show-mmap-events \
        --show-namespace-events --show-round-events 2>/dev/null >records.txt
    grep -q PERF_RECORD_MMAP2 records.txt
    grep -q PERF_RECORD_FINISHED_ROUND records.txt
    pprof_totals <(perf2pb records.txt) | diff got -
    can_record -e sched:sched_switch ||
        skip 'this machine lets this user record no tracepoints'
    record trace.data -g -c 1 -e sched:sched_switch,page-faults
    perf script -f -i trace.data 2>/dev/null >trace.txt
    pprof_totals <(perf2pb trace.txt) | sort >got
    pprof_totals <(perf2pb --no-symbols trace.data) | sort | diff - got
}

@test "perf inject" {
    record plain.data -F 1500 -g -e cpu-clock
    perf inject -b -f -i plain.data -o file.data
    same_chains file.data
    record - -F 1500 -g -e cpu-clock | perf inject -b >pipe.data
    perf script -i - -F period,event,ip,sym <pipe.data 2>/dev/null |
        perl "$ROOT/tests/cli/perf.pl" script >wanted
    profile_chains pipe.data >got
    [ "$(wc -l <wanted)" -ge 5 ]
    diff -u wanted got
}

record_built() { # FLAG...
    gcc -O1 -g -fno-omit-frame-pointer -fno-optimize-sibling-calls \
        "$@" -o prog "$BATS_FILE_TMPDIR/work.c" -lpthread
    perf record -q -N -F 1500 -g -e cpu-clock -o prog.data ./prog
    same_chains prog.data
    perf2pb -q --no-inlines prog.data | pbcat --folded >names
    grep -q ';main;deep;deep;deep;leaf ' names
}

@test "programs that are static or at a fixed address" {
    record_built -static
    record_built -static -no-pie
    record_built -no-pie
    record_built -Wl,-z,separate-code -Wl,-z,max-page-size=2097152
}

@test "a program of 32 bits" {
    needs_32bit
    record_built -m32
}

@test "names with blanks, semicolons, parentheses and line feeds" {
    cat >named.c <<'END'
#include <sys/prctl.h>
static volatile unsigned long sum;
int main(void)
{
    prctl(PR_SET_NAME, "a b;(c) 1/2\n[3]");
    for (unsigned long i = 0; i < 40000000; i++)
        sum += i;
}
END
    local file=$'pro gram;(x)\ny'
    gcc -O1 -g -fno-omit-frame-pointer -o "$file" named.c
    perf record -q -N -F 1500 -g -e cpu-clock:u -o named.data "./$file"
    perf2pb --labels=comm -o out.pb.gz named.data
    pbcat --json out.pb.gz >out.json
    # Few samples are older than the name that the program gives itself.
    jq -e --arg name $'a b;(c) 1/2\n[3]' --arg first "$file" \
        '[.sample[].label[].str] | unique | . - [$first] == [$name]' out.json
    jq -e --arg file "$PWD/$file" '.mapping[0].filename == $file' out.json
    perf2pb --comm=$'a b;(c) 1/2\n[3]' named.data | pbcat --folded |
        grep -q ';main [0-9]'
}

# Code without a file, and files that come and go.
@test "a JIT compiler, libraries that are unloaded, deleted files" {
    cat >library.c <<'END'
static volatile unsigned long sum;
void NAME(void)
{
    for (unsigned long i = 0; i < 20000000; i++)
        sum += i;
}
END
    gcc -O1 -fno-omit-frame-pointer -DNAME=in_first -shared -fPIC \
        -o first.so library.c
    gcc -O1 -fno-omit-frame-pointer -DNAME=in_second -shared -fPIC \
        -o second.so library.c
    cat >jit.c <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
/* push rbp; mov rbp, rsp; mov ecx, 50000000; dec ecx; jnz; pop rbp; ret */
static const unsigned char code[] = {0x55, 0x48, 0x89, 0xe5, 0xb9,
                                     0x80, 0xf0, 0xfa, 0x02, 0xff,
                                     0xc9, 0x75, 0xfc, 0x5d, 0xc3};
static void *make(int fd)
{
    void *at = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
                    fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED, fd, 0);
    return memcpy((char *)at + 64, code, sizeof code);
}
static void call_library(const char *file, const char *name)
{
    void *library = dlopen(file, RTLD_NOW);
    ((void (*)(void))dlsym(library, name))();
    dlclose(library);
}
int main(void)
{
    char name[64];
    int fd = memfd_create("code", 0);
    if (ftruncate(fd, 4096))
        return 1;
    void *plain = make(-1), *shared = make(fd);
    snprintf(name, sizeof name, "/tmp/perf-%d.map", (int)getpid());
    FILE *map = fopen(name, "w");
    fprintf(map, "%lx 20 js:plain one\n", (unsigned long)plain);
    fclose(map);
    ((void (*)(void))plain)();
    ((void (*)(void))shared)();
    call_library("./first.so", "in_first");
    unlink("first.so");
    call_library("./second.so", "in_second");
    puts(name);
}
END
    gcc -O1 -g -fno-omit-frame-pointer -o jit jit.c -ldl
    perf record -q -N -F 1500 -g -e cpu-clock -o jit.data ./jit >name
    same_chains jit.data
    perf2pb -q jit.data | pbcat --folded >names
    rm -f "$(cat name)"
    grep -q ';main;js:plain one [0-9]' names
    grep -q ';main;.*in_second [0-9]' names
    # Its file is gone, and so no name is known, least of all the other's.
    perf2pb -q --no-symbols jit.data | pbcat --json |
        jq -r '.mapping[].filename' >files
    grep -qx "$PWD/first.so" files
    grep -qx "$PWD/second.so" files
    grep -q '^/memfd:code' files
    perf script -f -i jit.data -F period,ip,sym 2>/dev/null |
        awk 'NF == 1 { period = $1 } / in_second$/ { sum += period }
            END { printf "%.0f\n", sum }' >wanted
    awk '/;in_second[ ;]/ { sum += $NF } END { printf "%.0f\n", sum }' names |
        diff wanted -
}

@test "the vdso, which has no build ID beside those of mappings" {
    cat >clock.c <<'EOF'
#include <time.h>
int main(void)
{
    struct timespec t;
    for (int i = 0; i < 10000000; i++)
        clock_gettime(CLOCK_MONOTONIC, &t);
}
EOF
    gcc -O1 -fno-omit-frame-pointer -o clock clock.c
    perf record -q -N --buildid-mmap -F 1500 -g -e cpu-clock -o clock.data \
        ./clock
    perf script -f -i clock.data -F ip,sym,dso >script 2>script.err
    grep -qF '__vdso_clock_gettime ([vdso])' script || skip 'this machine has no vdso'
    perf2pb -q clock.data | pbcat --folded >names
    grep -q ';__vdso_clock_gettime [0-9]' names
    perf2pb -q --no-symbols clock.data | pbsym -q | pbcat --folded |
        diff names -
}

# The handler returns to the beginning of __restore_rt.
@test "signal handlers" {
    cat >signal.c <<'END'
#include <signal.h>
static volatile unsigned long sum;
__attribute__((noinline)) void leaf(void)
{
    for (int i = 0; i < 1000000; i++)
        sum += sum;
}
__attribute__((noinline)) void handler(int n)
{
    leaf();
    sum += (unsigned long)n;
}
int main(void)
{
    signal(SIGUSR1, handler);
    for (int i = 0; i < 300; i++)
        raise(SIGUSR1);
}
END
    gcc -O1 -g -fno-omit-frame-pointer -static -o signal signal.c
    perf record -q -N -F 1500 -g -e cpu-clock:u -o signal.data ./signal
    perf script -f --no-inline -i signal.data -F ip,sym >script 2>script.err
    grep -c ' __restore_rt' script >wanted
    perf2pb -q --no-inlines signal.data |
        pbcat --folded --sample_index=cpu-clock:u_sample |
        awk '/__restore_rt/ { n += $NF } END { print n }' | diff wanted -
}

@test "a binary that was replaced after the recording" {
    case $(stat -fc %T .) in
    ext2/ext3 | xfs | tmpfs) ;;
    *) skip 'this machine may show perf other inodes of its files' ;;
    esac
    cp "$BATS_FILE_TMPDIR/work" prog
    cp prog other
    touch -d 2020-01-01 prog other
    perf record -q -F 1500 -o ids.data ./prog
    perf record -q -B -F 1500 -o perf.data ./prog
    expect 0 perf2pb --strict perf.data -o out.pb
    [[ $stderr != *"$PWD/prog"* ]]
    ln prog kept
    mv other prog
    replaced="$PWD/prog: replaced after the recording, so names may be wrong; use -e FILE or --path=DIR to find the profiled file"
    expect 0 perf2pb perf.data -o out.pb
    same_err "perf2pb: perf.data: warning: $replaced"
    expect 3 perf2pb --strict perf.data -o out.pb
    # The copy has the build ID.
    expect 0 perf2pb --strict ids.data -o out.pb
    [[ $stderr != *"$PWD/prog"* ]]
    expect 0 perf2pb --strict -e kept perf.data -o out.pb
    # The mapping has another name on another host.
    hostname=$(uname -n)
    host=$(printf '%*s' ${#hostname} '' | tr ' ' x)
    sed "s/$hostname/$host/" perf.data >elsewhere.data
    expect 0 perf2pb --strict elsewhere.data -o out.pb
    # In place: the same inode.
    mv kept prog
    touch -d 2020-01-01 perf.data
    touch -d 2021-01-01 prog
    expect 0 perf2pb perf.data -o out.pb
    [[ $stderr = *"warning: $PWD/prog: newer than the profile; "* ]]
}
