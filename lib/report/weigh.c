#include "report/weigh.h"

#include <stdlib.h>
#include <string.h>

#include "base/parallel.h"
#include "report/stackwalk.h"

struct step {
    uint32_t node;
    bool again;    /* the node is nearer to the root, too: counted there */
    int64_t value; /* of the samples so far */
};

/* A node, as far as a thread has weighed it. */
struct place {
    int64_t cum;
    uint32_t times; /* how often it is in the walk */
};

struct scales {
    struct stackwalk walk;
    struct place *place; /* by node */
    int64_t *flat;       /* by node */
    VEC(struct step) steps;
    bool failed; /* for want of memory */
};

static void step_back(struct scales *s, size_t keep)
{
    struct step *steps = s->steps.v;
    size_t n = s->steps.n;
    int64_t value = 0;
    while (n > keep) {
        const struct step *last = &steps[--n];
        struct place *place = &s->place[last->node];
        value += last->value;
        place->times--;
        place->cum += last->again ? 0 : value;
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
        uint32_t node = m->step[i].node;
        to[i] = (struct step){.node = node, .again = s->place[node].times++};
    }
    s->steps.n += m->n;
    if (s->steps.n) {
        struct step *leaf = &s->steps.v[s->steps.n - 1];
        leaf->value += m->value;
        s->flat[leaf->node] += m->value;
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

static bool scales_init(struct scales *s, const struct nodes *t,
                        const uint32_t *only, size_t type)
{
    s->place = mem_zarray(t->n, sizeof *s->place);
    s->flat = mem_zarray(t->n, sizeof *s->flat);
    struct stackwalk_opts opts = {
        .nodes = t,
        .only = only,
        .type = type,
        .table = s->place,
        .size = sizeof *s->place,
    };
    return s->place && s->flat && stackwalk_init(&s->walk, &opts);
}

static void scales_free(struct scales *s)
{
    stackwalk_free(&s->walk);
    free(s->place);
    free(s->flat);
    vec_free(&s->steps);
}

/* Adds what a thread has weighed. */
static bool add(const struct scales *s, size_t n, struct weights *to)
{
    for (size_t k = 0; k < n; k++) {
        to->flat[k] += s->flat[k];
        to->cum[k] += s->place[k].cum;
    }
    return !s->failed;
}

bool weigh(const struct nodes *t, size_t type, unsigned threads,
           struct weights *to)
{
    size_t n = stackwalk_pieces(t->p);
    if (threads > n)
        threads = (unsigned)n;
    struct scales *s = mem_zarray(threads, sizeof *s);
    uint32_t *only = stackwalk_only(t);
    to->flat = mem_zarray(t->n, sizeof *to->flat);
    to->cum = mem_zarray(t->n, sizeof *to->cum);
    bool ok = s && only && to->flat && to->cum;
    for (unsigned i = 0; ok && i < threads; i++)
        ok = scales_init(&s[i], t, only, type);
    if (ok)
        parallel_run(threads, n, weigh_piece, s);
    for (unsigned i = 0; ok && i < threads; i++)
        ok = add(&s[i], t->n, to);
    for (unsigned i = 0; s && i < threads; i++)
        scales_free(&s[i]);
    free(s);
    free(only);
    return ok;
}

void weights_free(struct weights *w)
{
    free(w->flat);
    free(w->cum);
    memset(w, 0, sizeof *w);
}
