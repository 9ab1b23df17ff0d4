/*
 * One sum of samples for several threads.
 *
 * Each thread has strings and entities of its own, which need no lock and
 * are complete after a few inputs, and knows what each is called in the
 * shared sum.  Under the lock are only the few that are new, and samples.
 * Sums per thread took more memory and time: most samples were in all of
 * them, and joining them was for one thread.
 */
#include <stdlib.h>

#include "profile/merge/merger.h"

enum { SPINS = 4000 }; /* some 200 us */

/* What a loop that waits does, for the sake of the other thread. */
static void relax(void)
{
#if defined __x86_64__ || defined __i386__
    __builtin_ia32_pause();
#endif
}

/*
 * The lock is soon to be had, most often, and to sleep and be woken takes
 * longer than that.
 */
void merge_lock(const struct merger *m)
{
    if (!m->lock)
        return;
    for (unsigned i = 0; i < SPINS; i++) {
        if (pthread_mutex_trylock(m->lock) == 0)
            return;
        relax();
    }
    (void)pthread_mutex_lock(m->lock);
}

void merge_unlock(const struct merger *m)
{
    if (m->lock)
        (void)pthread_mutex_unlock(m->lock);
}

bool merge_try_lock(const struct merger *m)
{
    return !m->lock || pthread_mutex_trylock(m->lock) == 0;
}

static bool make_lock(struct merger *m, struct err *err)
{
    pthread_mutex_t *lock = malloc(sizeof *lock);
    if (!lock || pthread_mutex_init(lock, NULL) != 0) {
        free(lock);
        return err_nomem(err);
    }
    m->lock = lock;
    return true;
}

bool merge_share(struct merger *m, struct merger *to, struct err *err)
{
    if (to->mode != MERGE_TYPES_SAME)
        return true;
    if (!to->lock && (!merge_index_adopted(to, err) || !make_lock(to, err)))
        return false;
    m->shared = to;
    m->ours.p = &m->sum;
    m->ours.from = m;
    return true;
}

void merge_share_free(struct merger *m)
{
    merge_input_free(&m->ours);
    if (m->lock)
        (void)pthread_mutex_destroy(m->lock);
    free(m->lock);
}

/* Whether the shared sum has not been told of all entities. */
static bool is_behind(const struct merger *m)
{
    const struct merge_input *ours = &m->ours;
    return ours->locations.n < m->sum.n_locations ||
           ours->labelsets.n < m->sum.n_labelsets;
}

bool merge_reach_shared(struct merger *m, struct merge_input *in,
                        struct err *err)
{
    struct merge_input *ours = &m->ours;
    if (is_behind(m)) {
        merge_lock(m->shared);
        bool ok = merge_strings(m->shared, ours, err) &&
                  merge_entities(m->shared, ours, err);
        merge_unlock(m->shared);
        if (!ok)
            return false;
    }
    for (size_t i = 0; i < in->locations.n; i++)
        in->locations.v[i] = ours->locations.v[in->locations.v[i]];
    for (size_t i = 0; i < in->labelsets.n; i++)
        in->labelsets.v[i] = ours->labelsets.v[in->labelsets.v[i]];
    return true;
}
