/*
 * perf_deferred.c - samples whose user addresses come later
 *
 * Since Linux 6.17, the kernel records the user's call chain when it returns to
 * user code (CALLCHAIN_DEFERRED), once for all samples taken in the kernel
 * before.  These samples and the chain have the same cookie.
 */
#include "formats/perf/private.h"

struct perf_deferred {
    uint64_t cookie;
    int32_t pid;
    struct perf_count count;
    size_t at; /* its kernel frames, leaf first: n of waiting.locations */
    uint32_t n;
    uint32_t next; /* next row with the same cookie, plus 1; 0: the last */
    bool done;     /* it was counted */
};

enum { MAX_WAITING = 4096 };

/* Counts a waiting sample; `chain` continues its kernel frames. */
static bool count(struct perf *p, struct perf_deferred *d,
                  struct perf_chain chain, struct prof_err *err)
{
    struct perf_waiting *w = &p->waiting;
    const size_t most =
        p->opts->max_stack ? (size_t)p->opts->max_stack : SIZE_MAX;
    const size_t kernel = d->n < most ? d->n : most;
    if (chain.n > most - kernel)
        chain.n = most - kernel;
    d->done = true;
    w->n--;
    w->joined.n = 0;
    if (!vec_reserve(&w->joined, kernel + chain.n))
        return err_nomem(err);
    for (; w->joined.n < kernel; w->joined.n++)
        w->joined.v[w->joined.n] = w->locations.v[d->at + w->joined.n];
    return perf_locate(&p->stacks, &p->processes, d->pid, &chain,
                       w->joined.v + kernel, err) &&
           perf_intern_stack(&p->stacks, w->joined.v, kernel + chain.n,
                             &d->count.stack, err) &&
           perf_count(&p->stacks, &d->count, err);
}

bool perf_give_up_deferred(struct perf *p, size_t n, struct prof_err *err)
{
    struct perf_waiting *w = &p->waiting;
    const struct perf_chain none = {0};
    for (size_t i = 0; i < w->list.n && w->n > n; i++) {
        if (w->list.v[i].done)
            continue;
        p->counts.not_joined++;
        if (!count(p, &w->list.v[i], none, err))
            return false;
    }
    return true;
}

/* Adds the waiting sample `row` to the list of its cookie. */
static bool list_deferred(struct perf *p, uint32_t row, struct prof_err *err)
{
    struct perf_waiting *w = &p->waiting;
    struct perf_deferred *d = &w->list.v[row];
    uint32_t at;
    if (!perf_ids_add(&w->cookies, d->cookie, 0, &at, err))
        return false;
    d->next = w->cookies.v[at].value;
    w->cookies.v[at].value = row + 1;
    return true;
}

/* Removes samples that are done, and all but the MAX_WAITING / 2 newest of the
 * others, which are counted without user addresses. */
static bool make_room(struct perf *p, struct prof_err *err)
{
    struct perf_waiting *w = &p->waiting;
    size_t n = 0, n_locations = 0;
    if (!perf_give_up_deferred(p, MAX_WAITING / 2, err))
        return false;
    perf_ids_free(&w->cookies);
    for (size_t i = 0; i < w->list.n; i++) {
        struct perf_deferred *d = &w->list.v[n];
        if (w->list.v[i].done)
            continue;
        *d = w->list.v[i];
        for (uint32_t k = 0; k < d->n; k++)
            w->locations.v[n_locations + k] = w->locations.v[d->at + k];
        d->at = n_locations;
        n_locations += d->n;
        if (!list_deferred(p, (uint32_t)n++, err))
            return false;
    }
    w->list.n = n;
    w->locations.n = n_locations;
    return true;
}

bool perf_defer(struct perf *p, int32_t pid, uint64_t cookie,
                const struct perf_count *sample, struct prof_err *err)
{
    struct perf_waiting *w = &p->waiting;
    const struct perf_chain *chain = &p->chains.chain;
    if (w->list.n >= MAX_WAITING && !make_room(p, err))
        return false;
    const struct perf_deferred d = {.cookie = cookie,
                                    .pid = pid,
                                    .count = *sample,
                                    .at = w->locations.n,
                                    .n = (uint32_t)chain->n};
    if (!vec_reserve(&w->locations, chain->n))
        return err_nomem(err);
    if (!perf_locate(&p->stacks, &p->processes, pid, chain,
                     w->locations.v + d.at, err))
        return false;
    w->locations.n += chain->n;
    if (!vec_push(&w->list, d))
        return err_nomem(err);
    w->n++;
    return list_deferred(p, (uint32_t)w->list.n - 1, err);
}

bool perf_end_deferred(struct perf *p, uint64_t cookie, const uint8_t *chain,
                       uint64_t n, struct prof_err *err)
{
    struct perf_deferred *list = p->waiting.list.v;
    const struct perf_ids *cookies = &p->waiting.cookies;
    const uint32_t row =
        p->waiting.n ? perf_ids_find(cookies, cookie) : HASHIDX_NONE;
    if (row == HASHIDX_NONE)
        return true;
    if (!perf_set_deferred_chain(&p->chains, chain, n, err))
        return false;
    for (uint32_t i = cookies->v[row].value; i; i = list[i - 1].next)
        if (!count(p, &list[i - 1], p->chains.chain, err))
            return false;
    cookies->v[row].value = 0;
    return true;
}
