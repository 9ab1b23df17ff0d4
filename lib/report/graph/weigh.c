#include "report/graph/weigh.h"

#include <stdlib.h>
#include <string.h>

#include "base/parallel.h"
#include "base/vec.h"
#include "report/graph/groups.h"
#include "report/stackwalk.h"

/* What a location weighs: its only group, or n_groups and more: several. */
struct step {
    uint32_t key;
    int64_t value; /* of the samples so far */
};

/* A key, as far as a thread has weighed it. */
struct place {
    int64_t cum;    /* of a group */
    uint32_t times; /* how often it is in the walk */
};

/* What all threads look up. */
struct parts {
    struct groups groups;
    uint32_t *key;         /* by location */
    VEC(uint32_t) several; /* locations of keys n_groups and more */
};

struct scales {
    const struct parts *parts;
    struct stackwalk walk;
    struct place *place; /* by key */
    int64_t *flat;       /* by location */
    VEC(struct step) steps;
    bool failed; /* for want of memory */
};

/* The groups of a location that has several. */
static const uint32_t *groups_of(const struct parts *p, uint32_t key, size_t *n)
{
    const struct groups *g = &p->groups;
    uint32_t l = p->several.v[key - g->n];
    *n = (size_t)(g->off[l + 1] - g->off[l]);
    return g->v + g->off[l];
}

/* Where a location is entered again, all of it is counted already. */
static void enter_groups(struct scales *s, uint32_t key)
{
    size_t n;
    const uint32_t *group = groups_of(s->parts, key, &n);
    for (size_t i = 0; i < n; i++)
        s->place[group[i]].times++;
}

static void leave_groups(struct scales *s, uint32_t key, int64_t value)
{
    size_t n;
    const uint32_t *group = groups_of(s->parts, key, &n);
    for (size_t i = 0; i < n; i++) {
        struct place *place = &s->place[group[i]];
        place->cum += --place->times ? 0 : value;
    }
}

static void step_back(struct scales *s, size_t keep)
{
    struct step *steps = s->steps.v;
    size_t n = s->steps.n;
    int64_t value = 0;
    while (n > keep) {
        const struct step *last = &steps[--n];
        struct place *place = &s->place[last->key];
        value += last->value;
        if (--place->times)
            continue;
        place->cum += value;
        if (last->key >= s->parts->groups.n)
            leave_groups(s, last->key, value);
    }
    if (n)
        steps[n - 1].value += value;
    s->steps.n = n;
}

static bool move(void *ctx, const struct stackwalk_move *m)
{
    struct scales *s = ctx;
    step_back(s, m->keep);
    if (!vec_reserve(&s->steps, m->n))
        return false;
    struct step *to = s->steps.v + s->steps.n;
    for (size_t i = 0; i < m->n; i++) {
        uint32_t key = m->step[i];
        to[i] = (struct step){.key = key};
        if (!s->place[key].times++ && key >= s->parts->groups.n)
            enter_groups(s, key);
    }
    s->steps.n += m->n;
    if (s->steps.n) {
        s->steps.v[s->steps.n - 1].value += m->value;
        s->flat[m->leaf] += m->value;
    }
    return true;
}

static void weigh_piece(void *ctx, unsigned thread, size_t piece)
{
    struct scales *mine = (struct scales *)ctx + thread;
    /* Two in one cache line would make their threads wait for each other. */
    struct scales s = *mine;
    s.failed = s.failed || !stackwalk_piece(&s.walk, piece, move, &s);
    *mine = s;
}

static bool parts_init(struct parts *p, const struct nodes *t)
{
    const struct groups_items items = {t->off, t->of, t->p->n_locations, t->n};
    p->key = mem_array(items.n_locations, sizeof *p->key);
    bool ok = p->key && groups_init(&p->groups, &items);
    const struct groups *g = &p->groups;
    for (size_t l = 0; ok && l < items.n_locations; l++) {
        bool one = g->off[l] + 1 == g->off[l + 1];
        p->key[l] = one ? g->v[g->off[l]] : (uint32_t)(g->n + p->several.n);
        ok = one || (g->n + p->several.n < UINT32_MAX &&
                     vec_push(&p->several, (uint32_t)l));
    }
    return ok;
}

static void parts_free(struct parts *p)
{
    groups_free(&p->groups);
    free(p->key);
    vec_free(&p->several);
}

static bool scales_init(struct scales *s, const struct nodes *t,
                        const struct parts *p, size_t type)
{
    s->parts = p;
    s->place = mem_zarray(p->groups.n + p->several.n, sizeof *s->place);
    s->flat = mem_zarray(t->p->n_locations, sizeof *s->flat);
    const struct stackwalk_opts opts = {
        .p = t->p,
        .key = p->key,
        .type = type,
        .table = s->place,
        .size = sizeof *s->place,
    };
    stackwalk_init(&s->walk, &opts);
    return s->place && s->flat;
}

static void scales_free(struct scales *s)
{
    stackwalk_free(&s->walk);
    free(s->place);
    free(s->flat);
    vec_free(&s->steps);
}

/* Adds what a thread has weighed. */
static bool add(const struct scales *s, const struct nodes *t,
                struct weights *to)
{
    for (size_t l = 0; l < t->p->n_locations; l++)
        to->flat[t->of[t->off[l]]] += s->flat[l];
    for (size_t k = 0; k < t->n; k++)
        to->cum[k] += s->place[s->parts->groups.of[k]].cum;
    return !s->failed;
}

bool weigh(const struct nodes *t, size_t type, unsigned threads,
           struct weights *to)
{
    size_t n = stackwalk_pieces(t->p);
    if (threads > n)
        threads = (unsigned)n;
    struct scales *s = mem_zarray(threads, sizeof *s);
    struct parts p = {0};
    to->flat = mem_zarray(t->n, sizeof *to->flat);
    to->cum = mem_zarray(t->n, sizeof *to->cum);
    bool ok = s && to->flat && to->cum && parts_init(&p, t);
    for (unsigned i = 0; ok && i < threads; i++)
        ok = scales_init(&s[i], t, &p, type);
    if (ok)
        parallel_run(threads, n, weigh_piece, s);
    for (unsigned i = 0; ok && i < threads; i++)
        ok = add(&s[i], t, to);
    for (unsigned i = 0; s && i < threads; i++)
        scales_free(&s[i]);
    free(s);
    parts_free(&p);
    return ok;
}

void weights_free(struct weights *w)
{
    free(w->flat);
    free(w->cum);
    memset(w, 0, sizeof *w);
}
