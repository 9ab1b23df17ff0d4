/* cpu_forks.c - several CPU profiles in one file, as forked processes leave */
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "import/gperftools/private.h"
#include "profile/merge/merge.h"
#include "profile/values.h"

/* The part with the most samples. */
static bool find_largest(const struct cpu_forks *f, size_t *largest,
                         struct err *err)
{
    int64_t most = -1, totals[2];
    for (size_t i = 0; i < f->n; i++) {
        if (!prof_totals(&f->parts[i], totals, err))
            return false;
        if (totals[0] > most) {
            most = totals[0];
            *largest = i;
        }
    }
    return true;
}

/*
 * Adds a part whose samples have a label that says whose they are: equal stacks
 * are then next to each other in the sum, and no part is compared with the
 * others one by one.
 */
static bool add_labelled(struct merger *m, struct profile *p, size_t part,
                         struct err *err)
{
    struct prof_label label = {.num = (int64_t)part};
    uint32_t set = 0;
    bool ok = prof_str(p, "part", &label.key, err) &&
              prof_labelset(p, &label, 1, &set, err);
    for (size_t s = 0; s < p->n_samples; s++)
        p->labelset[s] = set;
    ok = ok && merge_add(m, p, err);
    for (size_t s = 0; s < p->n_samples; s++)
        p->labelset[s] = 0;
    return ok;
}

static size_t part_of(const struct profile *sum, size_t s)
{
    return (size_t)sum->labels[sum->labelset_off[sum->labelset[s]]].num;
}

static bool same_stack(const struct profile *p, size_t a, size_t b)
{
    size_t n = prof_depth(p, a);
    return n == prof_depth(p, b) &&
           (!n || memcmp(prof_stack(p, a), prof_stack(p, b),
                         n * sizeof *p->frames) == 0);
}

/* Clears within[] of parts that have more of a stack than the largest. */
static void compare(const struct profile *sum, size_t largest, bool *within)
{
    for (size_t s = 0, end; s < sum->n_samples; s = end) {
        int64_t most = 0;
        for (end = s; end < sum->n_samples && same_stack(sum, s, end); end++)
            if (part_of(sum, end) == largest)
                most = sum->values[end * sum->n_types];
        for (size_t i = s; i < end; i++)
            if (sum->values[i * sum->n_types] > most)
                within[part_of(sum, i)] = false;
    }
}

/* Sets within[] of the parts whose samples the largest has too, all of them. */
static bool find_within(const struct cpu_forks *f, bool *within,
                        struct err *err)
{
    size_t largest = 0;
    struct profile sum = {0};
    struct merger *m = merge_new(MERGE_TYPES_SAME, err);
    bool ok = m && find_largest(f, &largest, err);
    for (size_t i = 0; ok && i < f->n; i++) {
        within[i] = i != largest && f->parts[i].n_samples;
        ok = add_labelled(m, &f->parts[i], i, err);
    }
    ok = ok && merge_finish(m, 1, &sum, NULL, err);
    if (ok)
        compare(&sum, largest, within);
    prof_free(&sum);
    merge_free(m);
    return ok;
}

static bool add_parts(const struct cpu_forks *f, struct merger *sum,
                      size_t *n_within, struct err *err)
{
    bool *within = mem_zarray(f->n, sizeof *within);
    bool ok = within ? find_within(f, within, err) : err_nomem(err);
    for (size_t i = 0; ok && i < f->n; i++) {
        *n_within += within[i];
        ok =
            (within[i] && f->no_inherited) || merge_add(sum, &f->parts[i], err);
    }
    free(within);
    return ok;
}

bool cpu_forks_sum(const struct cpu_forks *f, struct profile *out,
                   struct err *err)
{
    size_t n_within = 0;
    struct merger *sum = merge_new(MERGE_TYPES_SAME, err);
    bool ok = sum && add_parts(f, sum, &n_within, err) &&
              merge_finish(sum, 1, out, NULL, err);
    merge_free(sum);
    if (!ok)
        return false;
    if (f->no_inherited)
        note_info(f->notes,
                  "%zu profiles in this file, of which %zu only repeat samples "
                  "of another one and are left out",
                  f->n, n_within);
    else
        note_warn(f->notes,
                  "%zu profiles in this file, as processes that fork leave "
                  "them, are added up",
                  f->n);
    if (n_within && !f->no_inherited)
        note_warn(f->notes,
                  "%zu of them only repeat samples of another one, as a "
                  "forked child does, and these count twice; --no-inherited "
                  "leaves them out",
                  n_within);
    return true;
}
