/* Header fields, each united by an operation that knows no order. */
#include <string.h>

#include "profile/merger.h"

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

static bool same_text(const struct profile *p, uint32_t a,
                      const struct profile *q, uint32_t b)
{
    return strtab_len(&p->strings, a) == strtab_len(&q->strings, b) &&
           !memcmp(prof_cstr(p, a), prof_cstr(q, b),
                   strtab_len(&p->strings, a));
}

static int vt_cmp(const struct merger *m, const struct prof_value_type *a,
                  const struct prof_value_type *b)
{
    int c = strtab_cmp(&m->sum.strings, a->type, b->type);
    return c ? c : strtab_cmp(&m->sum.strings, a->unit, b->unit);
}

bool merge_period_fits(const struct merger *m, const struct profile *p,
                       struct err *err)
{
    const struct profile *s = &m->sum;
    const struct prof_value_type *a = &s->period_type, *b = &p->period_type;
    if (m->mode != MERGE_TYPES_SAME || !is_set(a) || !is_set(b) ||
        (same_text(s, a->type, p, b->type) &&
         same_text(s, a->unit, p, b->unit)))
        return true;
    return err_set(err, ERR_INPUT,
                   "period types do not match: %s/%s here, %s/%s before",
                   prof_cstr(p, b->type), prof_cstr(p, b->unit),
                   prof_cstr(s, a->type), prof_cstr(s, a->unit));
}

/*
 * The period of the least period type that inputs name, and the greatest of
 * it.
 */
static bool period(struct merger *m, struct merge_input *in, struct err *err)
{
    const struct profile *p = in->p;
    struct profile *s = &m->sum;
    struct prof_value_type vt;
    if (!merge_string(m, in, p->period_type.type, &vt.type, err) ||
        !merge_string(m, in, p->period_type.unit, &vt.unit, err))
        return false;
    int c = vt_cmp(m, &vt, &s->period_type);
    if (!m->n_inputs || (is_set(&vt) && (c < 0 || !is_set(&s->period_type)))) {
        s->period_type = vt;
        s->period = p->period;
    } else if (!c && p->period > s->period) {
        s->period = p->period;
    }
    return true;
}

static bool add_strings(struct merger *m, struct merge_input *in,
                        const uint32_t *ids, size_t n, struct str_set *to,
                        struct err *err)
{
    for (size_t i = 0; i < n; i++) {
        uint32_t id;
        if (!merge_string(m, in, ids[i], &id, err))
            return false;
        if (!str_set_add(to, id))
            return err_nomem(err);
    }
    return true;
}

static bool add_alternatives(struct merger *m, const struct profile *p,
                             uint32_t regex, struct str_set *to,
                             struct err *err)
{
    return !regex || alternatives_add(to, &m->sum.strings, prof_cstr(p, regex),
                                      strtab_len(&p->strings, regex), err);
}

/* Sets that a merger keeps apart until it is finished. */
static bool sets(struct merger *m, struct merge_input *in, struct err *err)
{
    const struct merger *f = in->from;
    const struct profile *p = in->p;
    if (f)
        return add_strings(m, in, f->comments.ids.v, f->comments.ids.n,
                           &m->comments, err) &&
               add_strings(m, in, f->drop.ids.v, f->drop.ids.n, &m->drop,
                           err) &&
               add_strings(m, in, f->keep.ids.v, f->keep.ids.n, &m->keep, err);
    return add_strings(m, in, p->comments, p->n_comments, &m->comments, err) &&
           add_alternatives(m, p, p->drop_frames, &m->drop, err) &&
           add_alternatives(m, p, p->keep_frames, &m->keep, err);
}

bool merge_header(struct merger *m, struct merge_input *in, struct err *err)
{
    const struct profile *p = in->p;
    struct profile *s = &m->sum;
    uint32_t type, url;
    if (!period(m, in, err) || !sets(m, in, err) ||
        !merge_string(m, in, p->default_sample_type, &type, err) ||
        !merge_string(m, in, p->doc_url, &url, err))
        return false;
    s->default_sample_type = merge_least(m, s->default_sample_type, type);
    s->doc_url = merge_least(m, s->doc_url, url);
    if (p->time_nanos && (!s->time_nanos || p->time_nanos < s->time_nanos))
        s->time_nanos = p->time_nanos;
    m->duration += in->from ? in->from->duration : p->duration_nanos;
    return true;
}
