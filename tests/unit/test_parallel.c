/* Pieces of work by several threads. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/parallel.h"

enum { PIECES = 10000, THREADS = 4 };

struct tally {
    unsigned char done[PIECES];
    atomic_uint in_use[THREADS];
    atomic_uint n, clashes, strangers;
    unsigned threads;
    pthread_t caller;
};

static void piece(void *ctx, unsigned thread, size_t i)
{
    struct tally *t = ctx;
    if (thread >= t->threads)
        t->strangers++;
    else if (t->in_use[thread]++)
        t->clashes++;
    if (thread == 0 && !pthread_equal(pthread_self(), t->caller))
        t->strangers++;
    t->done[i]++;
    t->n++;
    if (thread < t->threads)
        t->in_use[thread]--;
}

static void run(unsigned threads, unsigned at_most, size_t n)
{
    static struct tally t;
    memset(&t, 0, sizeof t);
    t.threads = at_most;
    t.caller = pthread_self();
    parallel_run(threads, n, piece, &t);
    assert_int_equal(t.n, n);
    for (size_t i = 0; i < PIECES; i++)
        assert_int_equal(t.done[i], i < n);
    assert_int_equal(t.clashes, 0);
    assert_int_equal(t.strangers, 0);
}

/* Each piece is done once, a thread's number is used by one at a time. */
static void test_once(void **state)
{
    (void)state;
    run(THREADS, THREADS, PIECES);
    run(1, 1, PIECES);
    run(0, 1, PIECES);
}

/* No more threads than pieces; none at all for one piece. */
static void test_few_pieces(void **state)
{
    (void)state;
    run(THREADS, THREADS, 0);
    run(THREADS, 1, 1);
    run(THREADS, 2, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_once),
        cmocka_unit_test(test_few_pieces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
