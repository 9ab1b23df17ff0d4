#include "import/gperftools/gperf_glue.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "profile/merge/merge.h"
#include "profile/values.h"

/* The part with the most samples. */
static bool find_largest(const struct profile *parts, size_t n, size_t *largest,
                         struct err *err)
{
    int64_t most = -1, totals[2];
    for (size_t i = 0; i < n; i++) {
        if (!prof_totals(&parts[i], totals, err))
            return false;
        if (totals[0] > most) {
            most = totals[0];
            *largest = i;
        }
    }
    return true;
}

/*
 * What only repeats samples of the largest part is found in a sum of all
 * parts, where a label says whose a sample is: equal stacks of it are next to
 * each other, and no part is compared with the others one by one.
 */
static const char mark_key[] = "part";

/* The labels of a set of *p but for `key`, as a vector to be freed. */
struct labels {
    struct prof_label *v;
    size_t n, cap;
};

static bool other_labels(const struct profile *p, uint32_t set, uint32_t key,
                         struct labels *to, struct err *err)
{
    to->n = 0;
    for (uint64_t i = p->labelset_off[set]; i < p->labelset_off[set + 1]; i++)
        if (p->labels[i].key != key && !vec_push(to, p->labels[i]))
            return err_nomem(err);
    return true;
}

/* Gives all samples of *p the label that they are of this part. */
static bool mark(struct profile *p, size_t part, struct err *err)
{
    struct labels set = {0};
    struct prof_label label = {.num = (int64_t)part};
    uint32_t from = 0, to = 0;
    bool ok = prof_str(p, mark_key, &label.key, err);
    for (size_t s = 0; ok && s < p->n_samples; s++) {
        if (!s || p->labelset[s] != from) {
            from = p->labelset[s];
            ok = other_labels(p, from, label.key, &set, err) &&
                 (vec_push(&set, label) || err_nomem(err)) &&
                 prof_labelset(p, set.v, set.n, &to, err);
        }
        p->labelset[s] = to;
    }
    vec_free(&set);
    return ok;
}

static bool add_marked(struct merger *m, const struct profile *part, size_t i,
                       struct err *err)
{
    struct profile copy = {0};
    struct merger *alone = merge_new(MERGE_TYPES_SAME, err);
    bool ok = alone && merge_add(alone, part, err) &&
              merge_finish(alone, 1, &copy, NULL, err) && mark(&copy, i, err) &&
              merge_take(m, &copy, err);
    merge_free(alone);
    prof_free(&copy);
    return ok;
}

/* A sample of a part. */
struct owned {
    uint32_t others; /* its set of labels, but for the mark */
    size_t part;
    int64_t count;
};

struct owned_list {
    struct owned *v;
    size_t n, cap;
};

/* Samples that would be one next to each other, the largest part's first. */
static int by_labels(const void *a, const void *b, void *largest)
{
    const struct owned *x = a, *y = b;
    bool x_first = x->part == *(size_t *)largest,
         y_first = y->part == *(size_t *)largest;
    if (x->others != y->others)
        return x->others < y->others ? -1 : 1;
    return y_first - x_first;
}

/* Clears within[] of parts that have more of a stack than the largest. */
static void compare(struct owned_list *list, size_t largest, bool *within)
{
    int64_t most = 0;
    qsort_r(list->v, list->n, sizeof *list->v, by_labels, &largest);
    for (size_t i = 0; i < list->n; i++) {
        const struct owned *x = &list->v[i];
        if (x->part == largest)
            most = x->count;
        else if (!i || x[-1].others != x->others)
            most = 0;
        if (x->count > most)
            within[x->part] = false;
    }
}

static bool push_owned(struct profile *sum, size_t s, uint32_t key,
                       struct labels *set, struct owned_list *list,
                       struct err *err)
{
    struct owned x = {.count = sum->values[s * sum->n_types]};
    uint32_t id = sum->labelset[s];
    for (uint64_t i = sum->labelset_off[id]; i < sum->labelset_off[id + 1]; i++)
        if (sum->labels[i].key == key)
            x.part = (size_t)sum->labels[i].num;
    return other_labels(sum, id, key, set, err) &&
           prof_labelset(sum, set->v, set->n, &x.others, err) &&
           (vec_push(list, x) || err_nomem(err));
}

static bool same_stack(const struct profile *p, size_t a, size_t b)
{
    size_t n = prof_depth(p, a);
    return n == prof_depth(p, b) &&
           (!n || memcmp(prof_stack(p, a), prof_stack(p, b),
                         n * sizeof *p->frames) == 0);
}

static bool compare_all(struct profile *sum, size_t largest, bool *within,
                        struct err *err)
{
    struct labels set = {0};
    struct owned_list list = {0};
    uint32_t key;
    bool ok = prof_str(sum, mark_key, &key, err);
    for (size_t s = 0; ok && s < sum->n_samples; s++) {
        ok = push_owned(sum, s, key, &set, &list, err);
        if (s + 1 < sum->n_samples && same_stack(sum, s, s + 1))
            continue;
        if (ok)
            compare(&list, largest, within);
        list.n = 0;
    }
    vec_free(&set);
    vec_free(&list);
    return ok;
}

/* Sets within[] of the parts whose samples the largest has too, all of them. */
static bool find_within(const struct profile *parts, size_t n, bool *within,
                        struct err *err)
{
    size_t largest = 0;
    struct profile sum = {0};
    struct merger *m = merge_new(MERGE_TYPES_SAME, err);
    bool ok = m && find_largest(parts, n, &largest, err);
    for (size_t i = 0; ok && i < n; i++) {
        within[i] = i != largest && parts[i].n_samples;
        ok = add_marked(m, &parts[i], i, err);
    }
    ok = ok && merge_finish(m, 1, &sum, NULL, err) &&
         compare_all(&sum, largest, within, err);
    prof_free(&sum);
    merge_free(m);
    return ok;
}

static bool add_all(struct merger *sum, const struct profile *parts, size_t n,
                    bool no_inherited, size_t *n_within, struct err *err)
{
    bool *within = mem_zarray(n, sizeof *within);
    bool ok = within ? find_within(parts, n, within, err) : err_nomem(err);
    for (size_t i = 0; ok && i < n; i++) {
        *n_within += within[i];
        ok = (within[i] && no_inherited) || merge_add(sum, &parts[i], err);
    }
    free(within);
    return ok;
}

bool gperf_glue(const struct profile *parts, size_t n, bool no_inherited,
                struct profile *out, const struct notes *notes, struct err *err)
{
    size_t n_within = 0;
    struct merger *sum = merge_new(MERGE_TYPES_SAME, err);
    bool ok = sum && add_all(sum, parts, n, no_inherited, &n_within, err) &&
              merge_finish(sum, 1, out, NULL, err);
    merge_free(sum);
    if (!ok)
        return false;
    if (no_inherited)
        note_info(notes,
                  "%zu profiles in this file, of which %zu only repeat samples "
                  "of another one and are left out",
                  n, n_within);
    else
        note_warn(notes,
                  "%zu profiles in this file, as processes that fork leave "
                  "them, are added up",
                  n);
    if (n_within && !no_inherited)
        note_warn(notes,
                  "%zu of them only repeat samples of another one, as a "
                  "forked child does, and these count twice; --no-inherited "
                  "leaves them out",
                  n_within);
    return true;
}
