# perf.bash - recordings of perf, and what perf script says of them (`load perf`
# behind helper)
#
#   make_work              the program `work` of this directory: calls in several
#                          depths, a child and a thread with a name
#   script_chains FILE     the call chains that perf script prints
#   profile_chains FILE OPTION...
#                          those that perf2pb gives
#   same_chains FILE OPTION...
#                          fails, showing the difference, unless both are equal
#
# shellcheck disable=SC2154 # ROOT is of helper.bash

make_work() {
    cat >work.c <<'END'
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
static volatile unsigned long sum;
__attribute__((noinline)) void leaf(int n)
{
    for (int i = 0; i < n; i++)
        sum += (unsigned long)i * sum;
}
__attribute__((noinline)) void deep(int depth)
{
    if (depth)
        deep(depth - 1);
    else
        leaf(20000);
    sum++;
}
static void *run(void *arg)
{
    prctl(PR_SET_NAME, "worker");
    for (int i = 0; i < 400; i++)
        deep(2);
    return arg;
}
int main(void)
{
    pthread_t thread;
    for (int i = 0; i < 1200; i++)
        deep(i % 4);
    if (!fork()) {
        for (int i = 0; i < 400; i++)
            leaf(20000);
        _exit(0);
    }
    wait(NULL);
    pthread_create(&thread, NULL, run, NULL);
    pthread_join(thread, NULL);
}
END
    # Leaf functions too have a frame: perf reads no other callers.
    gcc -O1 -g -fno-omit-frame-pointer -mno-omit-leaf-frame-pointer \
        -fno-optimize-sibling-calls -o work work.c -lpthread
}

script_chains() { # FILE
    perf script -f --max-stack 1024 --no-inline -i "$1" \
        -F event,period,ip,sym 2>script.err |
        perl "$ROOT/tests/cli/perf.pl" script
}

profile_chains() { # FILE OPTION...
    perf2pb -q --no-symbols "$@" | pbcat --raw |
        perl "$ROOT/tests/cli/perf.pl" raw
}

same_chains() { # FILE OPTION...
    script_chains "$1" >wanted
    profile_chains "$@" >got
    [ "$(wc -l <wanted)" -ge 3 ]
    diff -u wanted got
}
