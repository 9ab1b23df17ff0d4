/* Header fields, each united by an operation that knows no order. */
#include <string.h>

#include "profile/estimate/estimate.h"
#include "profile/merge/merger.h"
#include "profile/text.h"

uint32_t merge_least(const struct merger *m, uint32_t a, uint32_t b)
{
    if (!a || !b)
        return a ? a : b;
    return strtab_cmp(&m->sum.strings, a, b) <= 0 ? a : b;
}

static bool is_set(const struct prof_value_type *vt)
{
    return vt->type || vt->unit;
}

/* The input's period type, in the sum's strings. */
static struct prof_value_type period_type(const struct merge_input *in)
{
    const struct prof_value_type *vt = &in->p->period_type;
    return (struct prof_value_type){merge_string(in, vt->type),
                                    merge_string(in, vt->unit)};
}

static int vt_cmp(const struct merger *m, const struct prof_value_type *a,
                  const struct prof_value_type *b)
{
    int c = strtab_cmp(&m->sum.strings, a->type, b->type);
    return c ? c : strtab_cmp(&m->sum.strings, a->unit, b->unit);
}

bool merge_period_fits(const struct merger *m, const struct merge_input *in,
                       struct err *err)
{
    const struct profile *s = &m->sum;
    const struct prof_value_type *a = &s->period_type, b = period_type(in);
    if (m->mode != MERGE_TYPES_SAME || !is_set(a) || !is_set(&b) ||
        (a->type == b.type && a->unit == b.unit))
        return true;
    return err_set(
        err, ERR_INPUT, "period types do not match: %s here, %s before%s",
        prof_show_type(s, b).text, prof_show_type(s, *a).text, MERGE_ADVICE);
}

/*
 * The period of the least period type that inputs name, and the greatest of
 * it.
 */
static void period(struct merger *m, const struct merge_input *in)
{
    const struct profile *p = in->p;
    struct profile *s = &m->sum;
    struct prof_value_type vt = period_type(in);
    int c = vt_cmp(m, &vt, &s->period_type);
    if (!m->n_inputs || (is_set(&vt) && (c < 0 || !is_set(&s->period_type)))) {
        s->period_type = vt;
        s->period = p->period;
    } else if (!c && p->period > s->period) {
        s->period = p->period;
    }
}

static bool add_strings(const struct merge_input *in, const uint32_t *ids,
                        size_t n, struct str_set *to, struct err *err)
{
    for (size_t i = 0; i < n; i++)
        if (!str_set_add(to, merge_string(in, ids[i])))
            return err_nomem(err);
    return true;
}

static bool add_alternatives(struct merger *m, uint32_t regex,
                             struct str_set *to, struct err *err)
{
    struct strtab *t = &m->sum.strings;
    return !regex || alternatives_add(to, t, strtab_str(t, regex),
                                      strtab_len(t, regex), err);
}

/* How many of the inputs that came so have stacks that are estimated. */
static size_t count_estimated(const struct merger *m,
                              const struct merge_input *in)
{
    static const char text[] = PROF_ESTIMATED;
    uint32_t id;
    if (in->from)
        return in->from->n_estimated;
    if (!strtab_find(&m->sum.strings, text, sizeof text - 1, &id))
        return 0;
    for (size_t i = 0; i < in->p->n_comments; i++)
        if (merge_string(in, in->p->comments[i]) == id)
            return 1;
    return 0;
}

/* Sets that a merger keeps apart until it is finished. */
static bool sets(struct merger *m, struct merge_input *in, struct err *err)
{
    const struct merger *f = in->from;
    const struct profile *p = in->p;
    if (f)
        return add_strings(in, f->comments.ids.v, f->comments.ids.n,
                           &m->comments, err) &&
               add_strings(in, f->drop.ids.v, f->drop.ids.n, &m->drop, err) &&
               add_strings(in, f->keep.ids.v, f->keep.ids.n, &m->keep, err);
    return add_strings(in, p->comments, p->n_comments, &m->comments, err) &&
           add_alternatives(m, merge_string(in, p->drop_frames), &m->drop,
                            err) &&
           add_alternatives(m, merge_string(in, p->keep_frames), &m->keep, err);
}

bool merge_header(struct merger *m, struct merge_input *in, struct err *err)
{
    const struct profile *p = in->p;
    struct profile *s = &m->sum;
    period(m, in);
    m->n_estimated += count_estimated(m, in);
    if (!sets(m, in, err))
        return false;
    s->default_sample_type = merge_least(
        m, s->default_sample_type, merge_string(in, p->default_sample_type));
    s->doc_url = merge_least(m, s->doc_url, merge_string(in, p->doc_url));
    if (p->time_nanos && (!s->time_nanos || p->time_nanos < s->time_nanos))
        s->time_nanos = p->time_nanos;
    if (in->from)
        wide_add_sum(&m->duration, in->from->duration);
    else
        wide_add(&m->duration, p->duration_nanos);
    return true;
}
