/* Mergers: making them, adding inputs, joining sums. */
#include "profile/merge.h"

#include <stdlib.h>
#include <string.h>

#include "profile/merger.h"

struct merger *merge_new(enum merge_types types, struct err *err)
{
    struct merger *m = calloc(1, sizeof *m);
    if (m && prof_init(&m->sum, err)) {
        m->mode = types;
        m->first = PROF_NONE;
        return m;
    }
    merge_free(m);
    err_nomem(err);
    return NULL;
}

void merge_free(struct merger *m)
{
    if (!m)
        return;
    prof_free(&m->sum);
    vec_free(&m->mappings);
    hashidx_free(&m->mapping_index);
    hashidx_free(&m->function_index);
    hashidx_free(&m->location_index);
    hashidx_free(&m->sample_index);
    vec_free(&m->carries);
    free(m->type_order);
    free(m->type_dropped);
    str_set_free(&m->comments);
    str_set_free(&m->drop);
    str_set_free(&m->keep);
    free(m);
}

/* n times "not known yet". */
static uint32_t *unknown(size_t n)
{
    uint32_t *v = mem_array(n, sizeof *v);
    if (v)
        memset(v, 0xff, n * sizeof *v);
    return v;
}

static bool input_init(struct merge_input *in, const struct profile *p,
                       const struct merger *from)
{
    memset(in, 0, sizeof *in);
    in->p = p;
    in->from = from;
    in->strings = unknown(p->strings.n);
    in->mappings = unknown(from ? from->mappings.n : p->n_mappings);
    in->functions = unknown(p->n_functions);
    in->locations = unknown(p->n_locations);
    in->labelsets = unknown(p->n_labelsets);
    in->column = unknown(p->n_types);
    return in->strings && in->mappings && in->functions && in->locations &&
           in->labelsets && in->column;
}

static void input_free(struct merge_input *in)
{
    free(in->strings);
    free(in->mappings);
    free(in->functions);
    free(in->locations);
    free(in->labelsets);
    free(in->column);
    vec_free(&in->stack);
    vec_free(&in->lines);
    vec_free(&in->labels);
}

/* Headers, then samples: the same for a profile and for a sum. */
static bool add_input(struct merger *m, struct merge_input *in, struct err *err)
{
    if (!merge_columns(m, in, err) || !merge_header(m, in, err) ||
        !merge_first_mapping(m, in, err))
        return false;
    return merge_samples(m, in, err);
}

static bool add_profile(struct merger *m, const struct profile *p,
                        struct profile *given, struct err *err)
{
    struct merge_input in;
    bool ok = input_init(&in, p, NULL) || err_nomem(err);
    in.given = given;
    ok = ok && add_input(m, &in, err);
    m->n_inputs += ok;
    input_free(&in);
    return ok;
}

bool merge_add(struct merger *m, const struct profile *p, struct err *err)
{
    return add_profile(m, p, NULL, err);
}

bool merge_take(struct merger *m, struct profile *p, struct err *err)
{
    return add_profile(m, p, p, err);
}

bool merge_join(struct merger *m, struct merger *from, struct err *err)
{
    if (!from->n_inputs)
        return true;
    if (!m->n_inputs) {
        struct merger t = *m;
        *m = *from;
        *from = t;
        return true;
    }
    struct merge_input in;
    bool ok = input_init(&in, &from->sum, from) ? add_input(m, &in, err)
                                                : err_nomem(err);
    m->n_inputs += ok ? from->n_inputs : 0;
    input_free(&in);
    return ok;
}

size_t merge_inputs_so_far(const struct merger *m)
{
    return m->n_inputs;
}

struct merger *merge_new_like(const struct merger *m, struct err *err)
{
    /* A profile of types alone, which leaves a sum as it was. */
    struct profile types = {0};
    const struct profile *s = &m->sum;
    struct merger *like = merge_new(m->mode, err);
    bool ok = like && prof_init(&types, err);
    for (size_t i = 0; ok && i < s->n_types; i++)
        ok = prof_add_type(&types, prof_cstr(s, s->types[i].type),
                           prof_cstr(s, s->types[i].unit), err);
    ok = ok &&
         prof_str(&types, prof_cstr(s, s->period_type.type),
                  &types.period_type.type, err) &&
         prof_str(&types, prof_cstr(s, s->period_type.unit),
                  &types.period_type.unit, err) &&
         (!m->n_inputs || merge_add(like, &types, err));
    prof_free(&types);
    if (ok)
        return like;
    merge_free(like);
    return NULL;
}
