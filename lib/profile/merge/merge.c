/* Mergers: making them, adding inputs, joining sums. */
#include "profile/merge/merge.h"

#include <stdlib.h>
#include <string.h>

#include "profile/merge/merger.h"
#include "profile/text.h"

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

void merge_input_free(struct merge_input *in)
{
    vec_free(&in->strings);
    vec_free(&in->mappings);
    vec_free(&in->functions);
    vec_free(&in->locations);
    vec_free(&in->labelsets);
    vec_free(&in->column);
    vec_free(&in->use);
    vec_free(&in->stack);
    vec_free(&in->lines);
    vec_free(&in->labels);
    vec_free(&in->batch);
}

void merge_no_more(struct merger *m)
{
    prof_free(&m->lent);
    merge_input_free(&m->in);
    hashidx_free(&m->mapping_index);
    hashidx_free(&m->function_index);
    hashidx_free(&m->location_index);
    hashidx_free(&m->sample_index);
}

void merge_free(struct merger *m)
{
    if (!m)
        return;
    merge_no_more(m);
    merge_share_free(m);
    prof_free(&m->sum);
    vec_free(&m->mappings);
    vec_free(&m->carries);
    free(m->type_order);
    free(m->type_dropped);
    str_set_free(&m->comments);
    str_set_free(&m->drop);
    str_set_free(&m->keep);
    spill_free(&m->spill);
    free(m);
}

/* Room for k elements of one of the arrays in all. */
#define ROOM(array, k)                                                         \
    ((k) <= (array)->n || vec_reserve((array), (k) - (array)->n))

bool merge_entities(struct merger *m, struct merge_input *in, struct err *err)
{
    const struct profile *p = in->p;
    size_t n_mappings = in->from ? in->from->mappings.n : p->n_mappings;
    if (!ROOM(&in->mappings, n_mappings) ||
        !ROOM(&in->functions, p->n_functions) ||
        !ROOM(&in->locations, p->n_locations) ||
        !ROOM(&in->labelsets, p->n_labelsets))
        return err_nomem(err);
    if (!m->n_inputs && (!hashidx_reserve(&m->function_index, p->n_functions) ||
                         !hashidx_reserve(&m->location_index, p->n_locations)))
        return err_nomem(err);
    return merge_mappings(m, in, err) && merge_functions(m, in, err) &&
           merge_locations(m, in, err) && merge_labelsets(m, in, err);
}

/* Nothing of the input is known yet. */
static bool input_init(struct merge_input *in, const struct profile *p,
                       struct err *err)
{
    size_t n_use = MERGE_SIDES * p->n_mappings;
    in->p = p;
    in->strings.n = in->mappings.n = in->functions.n = 0;
    in->locations.n = in->labelsets.n = in->n_not_used = 0;
    in->column.n = in->use.n = 0;
    if (!ROOM(&in->column, p->n_types) || !ROOM(&in->use, n_use))
        return err_nomem(err);
    for (size_t i = 0; i < n_use; i++)
        in->use.v[i] = MERGE_NO_LOCATION;
    for (size_t i = 0; i < p->n_types; i++)
        in->column.v[i] = PROF_NONE;
    return true;
}

/*
 * Headers, entities, then samples: the same for a profile and for a sum.  What
 * is refused for its types leaves no trace, any other failure half an input.
 */
static bool add_input(struct merger *m, struct merge_input *in, struct err *err)
{
    if (m->broken)
        return err_nomem(err);
    if (!merge_strings(m, in, err) || !merge_columns(m, in, err)) {
        m->broken = err->kind != ERR_INPUT;
        return false;
    }
    m->broken = true;
    if (!merge_header(m, in, err) || !merge_entities(m, in, err))
        return false;
    merge_first_mapping(m, in);
    if (!merge_samples(m, in, err))
        return false;
    merge_used_mappings(m, in);
    m->broken = false;
    return true;
}

/* Memory that an input of this size has needed is worth keeping. */
static bool is_small(const struct profile *p)
{
    enum { MANY = 1 << 20 };
    return p->cap_frames < MANY && p->cap_locations < MANY / 8 &&
           p->cap_functions < MANY / 8 && p->n_labelset_slots < MANY / 8;
}

static bool add_profile(struct merger *m, const struct profile *p,
                        struct profile *given, struct err *err)
{
    struct merge_input *in = &m->in;
    in->given = given;
    in->from = NULL;
    in->shares_strings = p == &m->lent;
    bool small = is_small(p);
    bool ok = input_init(in, p, err) && add_input(m, in, err);
    m->n_inputs += ok;
    if (!small) {
        merge_input_free(in);
        memset(in, 0, sizeof *in);
    }
    return ok;
}

bool merge_add(struct merger *m, const struct profile *p, struct err *err)
{
    return add_profile(m, p, NULL, err);
}

bool merge_subtract(struct merger *m, const struct profile *p, struct err *err)
{
    m->in.minus = true;
    bool ok = add_profile(m, p, NULL, err);
    m->in.minus = false;
    return ok;
}

bool merge_take(struct merger *m, struct profile *p, struct err *err)
{
    if (!m->n_inputs && m->sum.strings.n == 1) { /* "", which both have */
        prof_free(&m->lent);
        strtab_free(&m->sum.strings);
        m->lent = *p;
        memset(p, 0, sizeof *p);
        return merge_add_lent(m, err);
    }
    return add_profile(m, p, p, err);
}

/* The sum's strings change their place. */
static void move_strings(struct strtab *to, struct strtab *from)
{
    *to = *from;
    memset(from, 0, sizeof *from);
}

struct profile *merge_lend(struct merger *m, struct err *err)
{
    struct profile *p = &m->lent;
    if (p->frame_off) {
        prof_clear(p);
    } else {
        prof_free(p);
        if (!prof_init(p, err)) {
            prof_free(p);
            return NULL;
        }
        strtab_free(&p->strings);
    }
    move_strings(&p->strings, &m->sum.strings);
    return p;
}

void merge_drop_lent(struct merger *m)
{
    move_strings(&m->sum.strings, &m->lent.strings);
    if (!is_small(&m->lent))
        prof_free(&m->lent);
}

bool merge_add_lent(struct merger *m, struct err *err)
{
    move_strings(&m->sum.strings, &m->lent.strings);
    bool small = is_small(&m->lent);
    bool ok = add_profile(m, &m->lent, &m->lent, err);
    if (!small)
        prof_free(&m->lent);
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
    struct merge_input *in = &m->in;
    in->given = NULL;
    in->from = from;
    in->shares_strings = false;
    if (!input_init(in, &from->sum, err) || !add_input(m, in, err))
        return false;
    m->n_inputs += from->n_inputs;
    return true;
}

size_t merge_estimated(const struct merger *m)
{
    return m->n_estimated;
}

size_t merge_inputs_so_far(const struct merger *m)
{
    return m->n_inputs;
}

bool merge_is_settled(const struct merger *m)
{
    const struct prof_value_type *period = &m->sum.period_type;
    return m->n_inputs &&
           (m->mode == MERGE_TYPES_UNION ||
            (m->mode == MERGE_TYPES_SAME && (period->type || period->unit)));
}

static bool copy_type(struct profile *to, const struct profile *from,
                      struct prof_value_type vt, struct prof_value_type *copy,
                      struct err *err)
{
    return prof_copy_text(to, from, vt.type, &copy->type, err) &&
           prof_copy_text(to, from, vt.unit, &copy->unit, err);
}

struct merger *merge_new_like(const struct merger *m, struct err *err)
{
    /* A profile of types alone, which leaves a sum as it was. */
    struct profile types = {0};
    struct prof_value_type vt;
    const struct profile *s = &m->sum;
    struct merger *like = merge_new(m->mode, err);
    merge_lock(m);
    bool ok = like && prof_init(&types, err);
    for (size_t i = 0; ok && i < s->n_types; i++)
        ok = m->type_dropped[i] ||
             (copy_type(&types, s, s->types[i], &vt, err) &&
              prof_add_type_id(&types, vt, err));
    ok = ok && copy_type(&types, s, s->period_type, &types.period_type, err);
    types.period = s->period;
    merge_unlock(m);
    ok = ok && (!m->n_inputs || merge_add(like, &types, err));
    prof_free(&types);
    if (ok)
        return like;
    merge_free(like);
    return NULL;
}

bool merge_drain(struct merger *m, struct merger *from, struct err *err)
{
    if (!merge_join(m, from, err))
        return false;
    struct merger *like = merge_new_like(m, err);
    if (!like)
        return false;
    struct merger t = *from;
    *from = *like;
    *like = t;
    merge_free(like);
    return true;
}
