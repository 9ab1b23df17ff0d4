# prof2pb and google-pprof: every function's flat and cumulative counts, over
# random stacks of programs that the tests build.  google-pprof takes symbols
# from nm and addr2line, and has not a line in common with prof2pb.

load helper
load gperf

# The counts of FILE, a profile of PROGRAM, are the same, and N functions at
# least have some.
same_counts() { # PROGRAM FILE N [PBCAT-OPTION...]
    perl_counts "./$1" "$2" >theirs
    prof2pb --no-symbols "$2" | pbsym --demangle=full -o ours.pb.gz
    pb_counts ours.pb.gz "${@:4}" >ours
    diff -u theirs ours
    [ "$(wc -l <ours)" -ge "$3" ]
}

c_program() {
    cat >main.c <<'END_OF_C'
#include <stdio.h>

void other(int n);

static __attribute__((noinline)) void helper(int n)
{
    printf("%d", n);
    puts("main");
}

int main(int argc, char **argv)
{
    helper(argc);
    other(argc);
    puts(argv[0]);
    return 0;
}
END_OF_C
    cat >other.c <<'END_OF_C'
#include <stdio.h>

void other(int n);

static __attribute__((noinline)) void helper(int n)
{
    puts("other");
    printf("%d", n);
}

void other(int n)
{
    helper(n);
    printf("other %d", n);
}
END_OF_C
    gcc "$@" main.c other.c
}

cxx_program() {
    cat >prog.cc <<'END_OF_CXX'
#include <cstdio>
#include <string>
#include <vector>

volatile unsigned sink;

namespace bank {
template <typename T> __attribute__((noinline)) T deposit(T amount)
{
    sink += static_cast<unsigned>(amount);
    std::printf("%u", sink);
    return amount;
}

struct Account {
    int balance = 0;
    __attribute__((noinline)) Account &operator+=(int n);
    __attribute__((noinline)) Account &operator--();
    __attribute__((noinline)) bool operator<(const Account &o) const;
    __attribute__((noinline)) int operator()(const std::string &s) const;
};

Account &Account::operator+=(int n)
{
    balance += deposit(n);
    return *this;
}

Account &Account::operator--()
{
    balance -= std::printf("%d", balance);
    return *this;
}

bool Account::operator<(const Account &o) const
{
    std::puts("less");
    return balance < o.balance;
}

int Account::operator()(const std::string &s) const
{
    std::puts(s.c_str());
    return balance;
}
} // namespace bank

static __attribute__((noinline)) void report(const std::vector<int> &v)
{
    for (int n : v)
        std::printf("%d", n);
}

int main(int argc, char **)
{
    bank::Account a, b;
    a += argc;
    if (a < --b)
        report({1, 2, argc});
    return a("main");
}
END_OF_CXX
    g++ "$@" prog.cc
}

@test "google-pprof: a program at a fixed address" {
    gcc -g -O1 -fno-pie -no-pie -o prog "$DATA/bank.c"
    random_stacks prog 500 0 >cpu.prof
    same_counts prog cpu.prof 8
}

@test "google-pprof: a position-independent program" {
    gcc -g -O1 -fpie -pie -o prog "$DATA/bank.c"
    random_stacks prog 500 555555554000 >cpu.prof
    same_counts prog cpu.prof 8
}

@test "google-pprof: a program without debug information" {
    gcc -O1 -fno-pie -no-pie -o prog "$DATA/bank.c"
    random_stacks prog 500 0 >cpu.prof
    same_counts prog cpu.prof 8
}

@test "google-pprof: static functions of one name, told apart by file" {
    c_program -g -O1 -fno-pie -no-pie -o prog
    random_stacks prog 500 0 >cpu.prof
    same_counts prog cpu.prof 9 --granularity=filefunctions
    [ "$(grep -c ' helper$' theirs)" = 2 ]
    grep -q ' helper@' perl.out
}

@test "google-pprof: C++, with what is inlined of the library" {
    cxx_program -g -O1 -fno-pie -no-pie -o prog
    random_stacks prog 500 0 >cpu.prof
    same_counts prog cpu.prof 40
    grep -q ' bank::Account::operator--$' ours
    grep -q ' (inline)$' perl.out
}

@test "google-pprof: C++, position-independent" {
    cxx_program -g -O1 -fpie -pie -o prog
    random_stacks prog 500 555555554000 >cpu.prof
    same_counts prog cpu.prof 40
}

@test "google-pprof: files of 4 and 8 bytes and of both byte orders" {
    gcc -g -O1 -fno-pie -no-pie -o prog "$DATA/bank.c"
    random_stacks prog 100 0 >cpu.prof
    perl_counts ./prog cpu.prof >theirs
    for pack in 'L<' 'L>' 'Q>'; do
        # All words are below 2^32; the text begins behind words 0, 1, 0.
        perl -0777 -ne 'my $n = 24 + rindex $_, pack "Q<*", 0, 1, 0;
            print pack "'"$pack"'*", unpack "Q<*", substr $_, 0, $n;
            print substr $_, $n' cpu.prof >other.prof
        perl_counts ./prog other.prof | diff -u theirs -
        cmp <(prof2pb cpu.prof) <(prof2pb other.prof)
    done
    same_counts prog cpu.prof 8
}

@test "google-pprof: a header of more words" {
    { words 0 4 0 10000 0 9 3 2 0x401000 0x402000 4 1 0x401000 $end
      map_line /a 400000; } >cpu.prof
    [ "$(perl_counts --addresses /bin/true cpu.prof | cut -d' ' -f1,2)" = \
        '0 3
7 7' ]
    prof2pb --no-symbols cpu.prof | pbcat --addresses --sample-index=samples |
        awk 'NR > 4 { print $1, $4 }' >ours
    [ "$(sort ours)" = '0 3
7 7' ]
}

@test "google-pprof ends at any leaf of 0, and so do we with --end-at-zero" {
    { words $header 3 1 0x401000 2 2 0 0x402000 4 1 0x401000 $end
      map_line /a 400000; } >cpu.prof
    perl_counts --addresses /bin/true cpu.prof >theirs
    [ "$(cut -d' ' -f1,2 theirs)" = '3 3' ]
    expect 0 prof2pb --no-symbols --end-at-zero cpu.prof -o cpu.pb.gz
    pprof_totals cpu.pb.gz | grep -qx 'samples/count 3'
    expect 0 prof2pb --no-symbols cpu.prof -o cpu.pb.gz
    pprof_totals cpu.pb.gz | grep -qx 'samples/count 9'
}

@test "google-pprof: differs: code between functions" {
    gcc -g -O1 -falign-functions=64 -fno-pie -no-pie \
        -o prog "$DATA/bank.c"
    filler=$(nm -n -S prog | perl -ane '
        next if @F != 4 || $F[2] !~ /^t$/i;
        if ($end && hex $F[0] > $end) { printf "0x%x", $end; exit }
        $end = hex($F[0]) + hex $F[1] if $F[3] =~ /^(Mutex_lock|checksum)$/;')
    [ -n "$filler" ]
    { words $header 3 1 $filler $end; map_line "$PWD/prog" 400000; } >cpu.prof
    perl_counts ./prog cpu.prof | grep -qx '3 3 [A-Za-z_]*'
    our_counts cpu.prof >ours
    [ "$(<ours)" = '3 3 [prog]' ]
}

@test "google-pprof: differs: a second frame that repeats the leaf" {
    { words $header 3 3 0x401000 0x401000 0x402000 1 2 0x401000 0x403000 $end
      map_line /a 400000; } >cpu.prof
    perl_counts --addresses /bin/true cpu.prof |
        perl -lane 'print "$F[0] $F[1] ", $F[2] =~ s{^0*}{}r' >theirs
    [ "$(<theirs)" = '0 1 402fff
0 3 400fff
0 3 401fff
4 4 401000' ]
    prof2pb --no-symbols cpu.prof |
        pbcat --addresses --sample-index=samples --nodefraction=0 |
        awk 'NR > 4 { sub("^0*", "", $6); print $1, $4, $6 }' | sort >ours
    [ "$(<ours)" = '0 1 402fff
0 3 401fff
4 4 401000' ]
}

@test "google-pprof: differs: clones of a function" {
    cat >clone.c <<'END_OF_C'
#include <stdio.h>
#include <stdlib.h>

static __attribute__((noinline)) int scale(int n, int by)
{
    printf("%d", n);
    return n * by + rand();
}

int main(int argc, char **argv)
{
    return scale(argc, 3) + scale(argc + 1, 3) + (argv == NULL);
}
END_OF_C
    gcc -g -O2 -fno-pie -no-pie -o prog clone.c
    nm prog | grep -q ' scale\.constprop\.'
    random_stacks prog 50 0 >cpu.prof
    perl_counts ./prog cpu.prof >theirs
    sed -i 's/ scale\.constprop\.[0-9]*$/ scale/' theirs
    our_counts cpu.prof | diff -u theirs -
    grep -q 'scale\.constprop' perl.out
}
