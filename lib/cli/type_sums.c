/* type_sums.c - sums by sample types, of which the one of most inputs wins
 *
 * Which inputs -k skips must not depend on their order.  So inputs whose types
 * do not match those of the first are summed too, each set of types by itself.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/private.h"
#include "profile/model/text.h"

void type_sums_free(struct type_sums *o)
{
    for (size_t i = 0; i < o->n; i++) {
        prof_merge_free(o->v[i].merger);
        free(o->v[i].name);
    }
    (void)pthread_mutex_destroy(&o->lock);
}

bool type_sums_init(struct type_sums *o, const struct cli *cli,
                    const struct cli_merging *how, struct prof_err *err)
{
    *o = (struct type_sums){.n = 1, .only = how->only};
    (void)pthread_mutex_init(&o->lock, NULL);
    o->v[0].merger = prof_merge_new(how->types, err);
    if (!o->v[0].merger)
        o->n = 0;
    else if (cli->keep_going)
        prof_merge_set_exact(o->v[0].merger, true);
    return o->n;
}

/* The next of names that are separated by commas; *list is null at the end. */
static bool take_name(const char **list, struct prof_slice *name)
{
    if (!*list)
        return false;
    size_t n = strcspn(*list, ",");
    *name = (struct prof_slice){*list, n};
    *list = (*list)[n] ? *list + n + 1 : NULL;
    return true;
}

/* Whether the name is TYPE/UNIT, or TYPE, of this type. */
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

/* Whether the list names all types of the profile, and no others. */
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

/* The types as a value of --only-types, to be copied; "none" without any. */
static void describe(const struct profile *p, char *text, size_t n)
{
    size_t at = 0;
    (void)snprintf(text, n, "none");
    for (size_t i = 0; i < p->n_types && at < n; i++)
        at += (size_t)snprintf(text + at, n - at, "%s%s", i ? "," : "",
                               prof_show_type(p, p->types[i]).text);
}

bool type_sums_want(struct type_sums *o, const struct profile *p)
{
    char text[TYPE_SUM_TEXT];
    if (!o->only || names_types(o->only, p))
        return true;
    describe(p, text, sizeof text);
    (void)pthread_mutex_lock(&o->lock);
    int c = o->n_skipped++ ? strcmp(text, o->skipped) : -1;
    o->skipped_others |= c && o->n_skipped > 1;
    if (c < 0)
        memcpy(o->skipped, text, sizeof text);
    (void)pthread_mutex_unlock(&o->lock);
    return false;
}

bool type_sums_name(struct type_sums *o, size_t i, const char *name,
                    struct prof_err *err)
{
    bool ok = true;
    (void)pthread_mutex_lock(&o->lock);
    char **to = &o->v[i].name;
    if (!*to || strcmp(name, *to) < 0) {
        char *copy = strdup(name);
        ok = copy || err_nomem(err);
        if (ok) {
            free(*to);
            *to = copy;
        }
    }
    (void)pthread_mutex_unlock(&o->lock);
    return ok;
}

bool type_sums_add(struct type_sums *o, struct prof_merger *m, size_t *at,
                   struct prof_err *err)
{
    size_t like = prof_merge_period_differs(m) ? 0 : TYPE_SUMS;
    const struct profile *p = prof_merge_refused(m);
    bool ok = false, differs = true;
    (void)pthread_mutex_lock(&o->lock);
    for (size_t i = 1; differs && !ok && i < TYPE_SUMS; i++) {
        struct type_sum *sum = &o->v[i];
        if (i == o->n) {
            sum->merger = prof_merge_new(PROF_TYPES_SAME, err);
            if (!sum->merger)
                break;
            prof_merge_set_exact(sum->merger, true);
            sum->like = like < i ? like : i;
            o->n++;
        }
        ok = prof_merge_add(sum->merger, p, err);
        differs = prof_merge_types_differ(sum->merger);
        if (prof_merge_period_differs(sum->merger))
            like = sum->like;
        *at = i;
    }
    (void)pthread_mutex_unlock(&o->lock);
    return ok;
}

/* The sum of inputs with these types and no period type, if there are others;
 * or null.  They match any period type. */
static struct type_sum *without_period(struct type_sums *o,
                                       const struct type_sum *sum)
{
    for (size_t i = 0; i < o->n; i++) {
        struct type_sum *other = &o->v[i];
        if (other != sum && other->like == sum->like &&
            !*prof_merge_show_period(other->merger).text)
            return other;
    }
    return NULL;
}

/* How many inputs the result has if this sum is chosen. */
static size_t count_inputs(struct type_sums *o, const struct type_sum *sum)
{
    const struct type_sum *rest = without_period(o, sum);
    return prof_merge_inputs(sum->merger) +
           (rest ? prof_merge_inputs(rest->merger) : 0);
}

/* Whether a is of more inputs than b, or of types that sort before. */
static bool is_before(struct type_sums *o, const struct type_sum *a,
                      const struct type_sum *b)
{
    char text[2][TYPE_SUM_TEXT];
    size_t n[2] = {count_inputs(o, a), count_inputs(o, b)};
    if (n[0] != n[1])
        return n[0] > n[1];
    prof_merge_describe(a->merger, text[0], sizeof text[0]);
    prof_merge_describe(b->merger, text[1], sizeof text[1]);
    int c = strcmp(text[0], text[1]);
    return c ? c < 0
             : strcmp(prof_merge_show_period(a->merger).text,
                      prof_merge_show_period(b->merger).text) < 0;
}

/* Adds the inputs without a period type to the sum that was chosen. */
static bool join(struct type_sum *sum, struct type_sum *rest,
                 struct prof_err *err)
{
    struct profile p = {0};
    bool ok = prof_merge_finish(rest->merger, 1, &p, NULL, err);
    prof_merge_set_exact(sum->merger, false);
    ok = ok && prof_merge_take(sum->merger, &p, err);
    prof_free(&p);
    prof_merge_free(rest->merger);
    rest->merger = NULL;
    return ok;
}

/* Says what --only-types skipped of `all` inputs.  False: that was all. */
static bool report_skipped(const struct type_sums *o, size_t all,
                           const struct cli *cli, struct prof_err *err)
{
    err_set(err, PROF_ERR_INPUT,
            "%zu of %zu inputs skipped: sample types (%s)%s instead of (%s)",
            o->n_skipped, all, o->skipped,
            o->skipped_others ? " and others" : "", o->only);
    if (all == o->n_skipped)
        return false;
    note_warn(&cli->notes, "%s", err->text);
    err->kind = PROF_ERR_NONE;
    return true;
}

/* Reports the inputs of a sum as skipped, and frees it. */
static void report_sum(struct type_sums *o, struct type_sum *sum, size_t all,
                       struct cli *cli)
{
    struct prof_err err;
    char theirs[TYPE_SUM_TEXT], ours[TYPE_SUM_TEXT];
    const struct type_sum *best = &o->v[0];
    size_t n = prof_merge_inputs(sum->merger), n_best = count_inputs(o, best);
    if (sum->like == best->like) {
        err_set(&err, PROF_ERR_INPUT,
                "period types do not match: %s here, in %zu of %zu inputs, "
                "%s in %zu" MERGE_ADVICE,
                prof_merge_show_period(sum->merger).text, n, all,
                prof_merge_show_period(best->merger).text, n_best);
    } else {
        prof_merge_describe(sum->merger, theirs, sizeof theirs);
        prof_merge_describe(best->merger, ours, sizeof ours);
        err_set(&err, PROF_ERR_INPUT,
                "sample types do not match: (%s) here, in %zu of %zu inputs, "
                "(%s) in %zu" MERGE_ADVICE,
                theirs, n, all, ours, n_best);
    }
    (void)cli_input_error(cli, sum->name, &err);
}

bool type_sums_choose(struct type_sums *o, struct cli *cli,
                      struct prof_err *err)
{
    size_t all = prof_merge_inputs(o->v[0].merger), best = 0;
    if (!all && !o->n_skipped)
        return err_set(err, PROF_ERR_INPUT, "no profile to merge");
    for (size_t i = 1; i < o->n; i++) {
        all += prof_merge_inputs(o->v[i].merger);
        if (is_before(o, &o->v[i], &o->v[best]))
            best = i;
    }
    if (o->n_skipped && !report_skipped(o, all + o->n_skipped, cli, err))
        return false;
    struct type_sum chosen = o->v[best];
    o->v[best] = o->v[0];
    o->v[0] = chosen;
    struct type_sum *rest = without_period(o, &o->v[0]);
    for (size_t i = 1; i < o->n; i++)
        if (&o->v[i] != rest)
            report_sum(o, &o->v[i], all, cli);
    for (size_t i = 1; i < o->n; i++) {
        if (&o->v[i] == rest)
            continue;
        prof_merge_free(o->v[i].merger);
        o->v[i].merger = NULL;
    }
    return !rest || join(&o->v[0], rest, err);
}
