/* Adding samples up: the loop over an input's samples, and joining sums. */
#include "profile/merge.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

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

/* The input's stack in locations of the sum, in in->stack. */
static bool translate(struct merger *m, struct merge_input *in, size_t s,
                      struct err *err)
{
    size_t depth = prof_depth(in->p, s);
    const uint32_t *stack = prof_stack(in->p, s);
    in->stack.n = 0;
    if (!vec_reserve(&in->stack, depth))
        return err_nomem(err);
    for (size_t i = 0; i < depth; i++) {
        uint32_t l = stack[i];
        if (in->locations[l] == PROF_NONE && !merge_location(m, in, l, err))
            return false;
        in->stack.v[i] = in->locations[l];
    }
    in->stack.n = depth;
    return true;
}

static bool same_stack(const struct profile *p, size_t s, const uint32_t *stack,
                       size_t depth)
{
    return prof_depth(p, s) == depth &&
           (!depth || !memcmp(prof_stack(p, s), stack, depth * sizeof *stack));
}

/* The sum's sample with the stack at hand and these labels, added if new. */
static bool find_sample(struct merger *m, const struct merge_input *in,
                        uint32_t labelset, uint32_t *sample, struct err *err)
{
    const uint32_t *stack = in->stack.v;
    size_t depth = in->stack.n;
    struct profile *sum = &m->sum;
    uint64_t h = labelset;
    if (depth)
        h = XXH3_64bits_withSeed(stack, depth * sizeof *stack, labelset);
    uint32_t hash = (uint32_t)(h ^ h >> 32);
    if (!hashidx_room(&m->sample_index))
        return err_nomem(err);
    size_t at = hashidx_start(&m->sample_index, hash);
    while ((*sample = hashidx_next(&m->sample_index, hash, &at)) !=
           HASHIDX_NONE)
        if (sum->labelset[*sample] == labelset &&
            same_stack(sum, *sample, stack, depth))
            return true;
    if (!prof_push_sample(sum, stack, depth, labelset, err))
        return false;
    *sample = (uint32_t)sum->n_samples - 1;
    hashidx_put(&m->sample_index, at, hash, *sample);
    return true;
}

static bool carry(struct merger *m, uint32_t sample, uint32_t type,
                  int64_t times, struct err *err)
{
    struct merge_carry c = {sample, type, times};
    return vec_push(&m->carries, c) || err_nomem(err);
}

/* Adds one value; what does not fit is kept as a carry. */
static bool add_value(struct merger *m, uint32_t sample, uint32_t column,
                      int64_t v, struct err *err)
{
    int64_t *to = &m->sum.values[sample * m->sum.n_types + column];
    if (!__builtin_add_overflow(*to, v, to))
        return true;
    return carry(m, sample, column, v > 0 ? 1 : -1, err);
}

static bool is_zero(const int64_t *values, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (values[i])
            return false;
    return true;
}

/* Adds sample s of the input; *to is the sum's. */
static bool add_sample(struct merger *m, struct merge_input *in, size_t s,
                       uint32_t *to, struct err *err)
{
    const struct profile *p = in->p;
    uint32_t set = p->labelset[s];
    if (!translate(m, in, s, err))
        return false;
    if (in->labelsets[set] == PROF_NONE && !merge_labelset(m, in, set, err))
        return false;
    if (!find_sample(m, in, in->labelsets[set], to, err))
        return false;
    for (size_t i = 0; i < p->n_types; i++)
        if (in->column[i] != PROF_NONE &&
            !add_value(m, *to, in->column[i], p->values[s * p->n_types + i],
                       err))
            return false;
    return true;
}

static bool add_samples(struct merger *m, struct merge_input *in,
                        struct err *err)
{
    uint32_t to;
    for (size_t s = 0; s < in->p->n_samples; s++)
        if (!is_zero(in->p->values + s * in->p->n_types, in->p->n_types) &&
            !add_sample(m, in, s, &to, err))
            return false;
    return true;
}

/*
 * The same of a sum, with its carries (of which most sums have none).  A
 * sample that has become 0 is joined as well: what it says of its mappings
 * counts, as it does where the inputs are added one by one.
 */
static bool join_samples(struct merger *m, struct merge_input *in,
                         struct err *err)
{
    const struct merger *from = in->from;
    uint32_t *to = mem_array(in->p->n_samples, sizeof *to);
    bool ok = true;
    if (!to)
        return err_nomem(err);
    for (size_t s = 0; ok && s < in->p->n_samples; s++)
        ok = add_sample(m, in, s, &to[s], err);
    for (size_t i = 0; ok && i < from->carries.n; i++) {
        const struct merge_carry *c = &from->carries.v[i];
        if (in->column[c->type] != PROF_NONE)
            ok = carry(m, to[c->sample], in->column[c->type], c->times, err);
    }
    free(to);
    return ok;
}

/* Headers, then samples: the same for a profile and for a sum. */
static bool add_input(struct merger *m, struct merge_input *in, struct err *err)
{
    if (!merge_columns(m, in, err) || !merge_header(m, in, err) ||
        !merge_first_mapping(m, in, err))
        return false;
    return in->from ? join_samples(m, in, err) : add_samples(m, in, err);
}

bool merge_add(struct merger *m, const struct profile *p, struct err *err)
{
    struct merge_input in;
    bool ok =
        input_init(&in, p, NULL) ? add_input(m, &in, err) : err_nomem(err);
    m->n_inputs += ok;
    input_free(&in);
    return ok;
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
