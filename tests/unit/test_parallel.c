/* Pieces of work by several threads. */
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "base/parallel.h"
#include "unit.h"

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
    run(THREADS, THREADS, PIECES);
    run(1, 1, PIECES);
    run(0, 1, PIECES);
}

/* Begun and ended: what no other thread has done, the caller does. */
static void test_two_steps(void **state)
{
    static struct tally t;
    for (unsigned threads = 1; threads <= THREADS; threads++)
        for (size_t n = 0; n <= PIECES; n += PIECES / 4) {
            memset(&t, 0, sizeof t);
            t.threads = threads;
            t.caller = pthread_self();
            struct parallel *p = parallel_begin(threads - 1, n, piece, &t);
            assert_non_null(p);
            if (threads == 1)
                assert_int_equal(t.n, 0);
            parallel_end(p);
            assert_int_equal(t.n, n);
            for (size_t i = 0; i < PIECES; i++)
                assert_int_equal(t.done[i], i < n);
            assert_int_equal(t.clashes + t.strangers, 0);
        }
}

/* No more threads than pieces; none at all for one piece. */
static void test_few_pieces(void **state)
{
    run(THREADS, THREADS, 0);
    run(THREADS, 1, 1);
    run(THREADS, 2, 2);
}

static void deep_piece(void *ctx, unsigned thread, size_t i)
{
    volatile unsigned char deep[1 << 20];
    pthread_barrier_t *both = ctx;
    (void)thread;
    for (size_t k = 0; k < sizeof deep; k += 256)
        deep[k] = (unsigned char)i;
    (void)pthread_barrier_wait(both);
    assert_int_equal(deep[0], i);
}

/* Threads have as much stack where the C library gives them little. */
static void test_stack(void **state)
{
    pthread_attr_t little, was;
    pthread_barrier_t both;
    assert_int_equal(pthread_getattr_default_np(&was), 0);
    assert_int_equal(pthread_attr_init(&little), 0);
    assert_int_equal(pthread_attr_setstacksize(&little, (size_t)128 << 10), 0);
    assert_int_equal(pthread_setattr_default_np(&little), 0);
    assert_int_equal(pthread_barrier_init(&both, NULL, 2), 0);
    parallel_run(2, 2, deep_piece, &both);
    assert_int_equal(pthread_barrier_destroy(&both), 0);
    assert_int_equal(pthread_setattr_default_np(&was), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_once),
        cmocka_unit_test(test_two_steps),
        cmocka_unit_test(test_few_pieces),
        cmocka_unit_test(test_stack),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
