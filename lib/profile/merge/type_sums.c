/* type_sums.c - a sum for each set of sample types; that of most inputs wins
 *
 * Which inputs -k skips must not depend on their order.  So inputs whose types
 * do not match those of the first are summed too, each set of types by itself.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profile/columns.h"
#include "profile/merge/private.h"

void type_sums_free(struct prof_merger *m)
{
    struct type_sums *o = &m->sums;
    for (size_t i = 0; i < o->n; i++) {
        if (i)
            prof_merge_free(o->v[i].merger);
        free(o->v[i].name);
    }
    (void)pthread_mutex_destroy(&o->lock);
}

/*
 * Takes the next name from a comma-separated list; *list is null after the
 * last.
 */
static bool take_name(const char **list, struct prof_slice *name)
{
    if (!*list)
        return false;
    size_t n = strcspn(*list, ",");
    *name = (struct prof_slice){*list, n};
    *list = (*list)[n] ? *list + n + 1 : NULL;
    return true;
}

/* Returns whether the name is TYPE/UNIT, or TYPE, of this type. */
static bool is_name_of(struct prof_slice name, const struct profile *p,
                       const struct prof_value_type *vt)
{
    struct prof_slice type = prof_text(p, vt->type);
    if (name.n < type.n || memcmp(name.s, type.s, type.n) != 0)
        return false;
    struct prof_slice unit = slice_from(name, type.n);
    return !unit.n || (*unit.s == '/' &&
                       slice_same(slice_from(unit, 1), prof_text(p, vt->unit)));
}

/* Returns whether the list names all types of the profile, and no others. */
static bool names_types(const char *list, const struct profile *p)
{
    struct prof_slice name;
    const char *rest = list;
    size_t n = 0;
    bool found = true;
    for (; found && take_name(&rest, &name); n++) {
        found = false;
        for (size_t i = 0; !found && i < p->n_types; i++)
            found = is_name_of(name, p, &p->types[i]);
    }
    found = found && n == p->n_types;
    for (size_t i = 0; found && i < n; i++) {
        rest = list;
        found = false;
        while (!found && take_name(&rest, &name))
            found = is_name_of(name, p, &p->types[i]);
    }
    return found;
}

bool type_sums_want(struct prof_merger *m, const struct profile *p)
{
    struct type_sums *o = &m->sums;
    char text[TYPE_SUM_TEXT];
    if (!m->opts.only || names_types(m->opts.only, p))
        return true;
    /*
     * Write the types as a value for --only-types, so that users can copy it.
     */
    size_t at = 0;
    (void)snprintf(text, sizeof text, "none");
    for (size_t i = 0; i < p->n_types && at < sizeof text; i++)
        at +=
            (size_t)snprintf(text + at, sizeof text - at, "%s%s", i ? "," : "",
                             prof_show_type(p, p->types[i]).text);
    (void)pthread_mutex_lock(&m->sums.lock);
    int c = o->n_skipped++ ? strcmp(text, o->skipped) : -1;
    o->skipped_others |= c && o->n_skipped > 1;
    if (c < 0)
        memcpy(o->skipped, text, sizeof text);
    (void)pthread_mutex_unlock(&m->sums.lock);
    return false;
}

bool type_sums_name(struct prof_merger *m, size_t i, const char *name,
                    struct prof_err *err)
{
    bool ok = true;
    (void)pthread_mutex_lock(&m->sums.lock);
    char **to = &m->sums.v[i].name;
    if (!*to || strcmp(name, *to) < 0) {
        char *copy = strdup(name);
        ok = copy || err_nomem(err);
        if (ok) {
            free(*to);
            *to = copy;
        }
    }
    (void)pthread_mutex_unlock(&m->sums.lock);
    return ok;
}

bool type_sums_add(struct prof_merger *m, struct lane *lane, size_t *at,
                   struct prof_err *err)
{
    struct type_sums *o = &m->sums;
    size_t like = lane->t.period_differs ? 0 : TYPE_SUMS;
    bool ok = false, differs = true;
    (void)pthread_mutex_lock(&m->sums.lock);
    for (size_t i = 1; differs && !ok && i < TYPE_SUMS; i++) {
        struct type_sum *sum = &o->v[i];
        if (i == o->n) {
            sum->merger = prof_merge_new(NULL, err);
            if (!sum->merger)
                break;
            sum->merger->sum->exact = true;
            sum->like = like < i ? like : i;
            o->n++;
        }
        ok = prof_merge_add(sum->merger, &lane->decoded, err);
        const struct translator *t = &sum->merger->lanes[0].t;
        differs = t->types_differ || t->period_differs;
        if (t->period_differs)
            like = sum->like;
        *at = i;
    }
    (void)pthread_mutex_unlock(&m->sums.lock);
    return ok;
}

static size_t inputs_of(const struct prof_merger *m)
{
    return m->sum->n_inputs;
}

static struct prof_shown show_period(const struct prof_merger *m)
{
    const struct profile *p = &m->sum->p;
    if (!p->period_type.type && !p->period_type.unit)
        return (struct prof_shown){""};
    return prof_show_type(p, p->period_type);
}

static void describe_sum(const struct prof_merger *m, char *text, size_t n)
{
    const struct translator t = {.sum = m->sum};
    sum_describe(&t, false, text, n);
}

/*
 * Returns another sum with the same sample types and no period type, or null.
 * Such inputs match any period type.
 */
static struct type_sum *without_period(struct type_sums *o,
                                       const struct type_sum *sum)
{
    for (size_t i = 0; i < o->n; i++) {
        struct type_sum *other = &o->v[i];
        if (other != sum && other->like == sum->like &&
            !*show_period(other->merger).text)
            return other;
    }
    return NULL;
}

/* Returns how many inputs the result has if this sum is chosen. */
static size_t count_inputs(struct type_sums *o, const struct type_sum *sum)
{
    const struct type_sum *rest = without_period(o, sum);
    return inputs_of(sum->merger) + (rest ? inputs_of(rest->merger) : 0);
}

/* Returns whether a has more inputs than b, or as many and lesser types. */
static bool is_before(struct type_sums *o, const struct type_sum *a,
                      const struct type_sum *b)
{
    char text[2][TYPE_SUM_TEXT];
    size_t n[2] = {count_inputs(o, a), count_inputs(o, b)};
    if (n[0] != n[1])
        return n[0] > n[1];
    describe_sum(a->merger, text[0], sizeof text[0]);
    describe_sum(b->merger, text[1], sizeof text[1]);
    int c = strcmp(text[0], text[1]);
    return c ? c < 0
             : strcmp(show_period(a->merger).text,
                      show_period(b->merger).text) < 0;
}

/* Reports the inputs of a sum as skipped. */
static void report_sum(struct prof_merger *m, const struct type_sum *sum,
                       size_t all)
{
    struct type_sums *o = &m->sums;
    struct prof_err err;
    char theirs[TYPE_SUM_TEXT], ours[TYPE_SUM_TEXT];
    const struct type_sum *best = &o->v[0];
    size_t n = inputs_of(sum->merger), n_best = count_inputs(o, best);
    if (sum->like == best->like) {
        err_input(&err,
                  "period types do not match: %s here, in %zu of %zu inputs, "
                  "%s in %zu" MERGE_ADVICE,
                  show_period(sum->merger).text, n, all,
                  show_period(best->merger).text, n_best);
    } else {
        describe_sum(sum->merger, theirs, sizeof theirs);
        describe_sum(best->merger, ours, sizeof ours);
        err_input(&err,
                  "sample types do not match: (%s) here, in %zu of %zu inputs, "
                  "(%s) in %zu" MERGE_ADVICE,
                  theirs, n, all, ours, n_best);
    }
    if (m->opts.left_out)
        m->opts.left_out(m->opts.ctx, sum->name, &err);
}

bool type_sums_choose(struct prof_merger *m, struct prof_err *err)
{
    struct type_sums *o = &m->sums;
    size_t all = inputs_of(m), best = 0;
    for (size_t i = 1; i < o->n; i++) {
        all += inputs_of(o->v[i].merger);
        if (is_before(o, &o->v[i], &o->v[best]))
            best = i;
    }
    if (o->n_skipped) {
        err_input(
            err,
            "%zu of %zu inputs skipped: sample types (%s)%s instead of (%s)",
            o->n_skipped, all + o->n_skipped, o->skipped,
            o->skipped_others ? " and others" : "", m->opts.only);
        if (!all)
            return false;
        note_warn(m->opts.notes, "%s", err->text);
        err->kind = PROF_ERR_NONE;
    }
    if (best) {
        struct type_sum was = o->v[0], *now = &o->v[best];
        struct sum *sum = m->sum;
        m->sum = now->merger->sum;
        now->merger->sum = sum;
        o->v[0] = (struct type_sum){m, now->name, now->like};
        now->name = was.name;
        now->like = was.like;
    }
    struct type_sum *rest = without_period(o, &o->v[0]);
    for (size_t i = 1; i < o->n; i++)
        if (&o->v[i] != rest)
            report_sum(m, &o->v[i], all);
    if (!rest)
        return true;
    /* Add the inputs without a period type, which match any. */
    struct profile p;
    m->sum->exact = false;
    bool ok = prof_merge_finish(rest->merger, 1, &p, NULL, err) &&
              prof_merge_take(m, &p, err);
    prof_free(&p);
    return ok;
}
