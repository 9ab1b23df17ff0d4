/* type_sums.c - sums by sample types, of which the one of most inputs wins
 *
 * Which inputs -k skips must not depend on their order.  So inputs whose types
 * do not match those of the first are summed too, each set of types by itself.
 */
#include <stdlib.h>
#include <string.h>

#include "cli/private.h"

void type_sums_free(struct type_sums *o)
{
    for (size_t i = 0; i < o->n; i++) {
        merge_free(o->v[i].merger);
        free(o->v[i].name);
    }
    (void)pthread_mutex_destroy(&o->lock);
}

bool type_sums_init(struct type_sums *o, enum merge_types types,
                    struct err *err)
{
    *o = (struct type_sums){.n = 1};
    (void)pthread_mutex_init(&o->lock, NULL);
    o->v[0].merger = merge_new(types, err);
    if (!o->v[0].merger)
        o->n = 0;
    return o->n;
}

bool type_sums_name(struct type_sums *o, size_t i, const char *name,
                    struct err *err)
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

bool type_sums_add(struct type_sums *o, const struct profile *p, size_t *at,
                   struct err *err)
{
    bool ok = false, differs = true;
    (void)pthread_mutex_lock(&o->lock);
    for (size_t i = 1; differs && !ok && i < TYPE_SUMS; i++) {
        struct type_sum *sum = &o->v[i];
        if (i == o->n) {
            sum->merger = merge_new(MERGE_TYPES_SAME, err);
            if (!sum->merger)
                break;
            o->n++;
        }
        ok = merge_add(sum->merger, p, err);
        differs = merge_types_differ(sum->merger);
        *at = i;
    }
    (void)pthread_mutex_unlock(&o->lock);
    return ok;
}

/* Whether a is of more inputs than b, or of types that sort before. */
static bool is_before(const struct type_sum *a, const struct type_sum *b)
{
    char text[2][TYPE_SUM_TEXT];
    if (merge_inputs(a->merger) != merge_inputs(b->merger))
        return merge_inputs(a->merger) > merge_inputs(b->merger);
    merge_describe(a->merger, text[0], sizeof text[0]);
    merge_describe(b->merger, text[1], sizeof text[1]);
    return strcmp(text[0], text[1]) < 0;
}

void type_sums_choose(struct type_sums *o, struct cli *cli)
{
    char ours[TYPE_SUM_TEXT], theirs[TYPE_SUM_TEXT];
    size_t all = merge_inputs(o->v[0].merger);
    for (size_t i = 1; i < o->n; i++) {
        struct type_sum sum = o->v[i];
        all += merge_inputs(sum.merger);
        if (is_before(&sum, &o->v[0])) {
            o->v[i] = o->v[0];
            o->v[0] = sum;
        }
    }
    merge_describe(o->v[0].merger, ours, sizeof ours);
    for (size_t i = 1; i < o->n; i++) {
        struct err err;
        merge_describe(o->v[i].merger, theirs, sizeof theirs);
        err_set(&err, ERR_INPUT,
                "sample types do not match: (%s) here, in %zu of %zu inputs, "
                "(%s) in %zu" MERGE_ADVICE,
                theirs, merge_inputs(o->v[i].merger), all, ours,
                merge_inputs(o->v[0].merger));
        (void)cli_input_error(cli, o->v[i].name, &err);
        merge_free(o->v[i].merger);
        o->v[i].merger = NULL;
    }
}
