#include "import/gperftools/heap_row.h"

static bool take_char(struct slice *s, char c)
{
    *s = slice_trim_left(*s);
    if (!s->n || s->s[0] != c)
        return false;
    *s = slice_from(*s, 1);
    return true;
}

static bool take_pair(struct slice *s, struct allocated *a)
{
    return slice_take_int(s, &a->objects) && take_char(s, ':') &&
           slice_take_int(s, &a->bytes);
}

bool heap_row_take(struct slice *s, struct heap_row *row)
{
    return take_pair(s, &row->inuse) && take_char(s, '[') &&
           take_pair(s, &row->alloc) && take_char(s, ']');
}

bool heap_has_alloc(const struct heap_row *t)
{
    return (t->alloc.objects && t->alloc.objects != t->inuse.objects) ||
           (t->alloc.bytes && t->alloc.bytes != t->inuse.bytes);
}

bool heap_add_types(struct profile *p, bool has_alloc, struct err *err)
{
    if (!has_alloc)
        return prof_add_type(p, "objects", "count", err) &&
               prof_add_type(p, "space", "bytes", err);
    return prof_add_type(p, "alloc_objects", "count", err) &&
           prof_add_type(p, "alloc_space", "bytes", err) &&
           prof_add_type(p, "inuse_objects", "count", err) &&
           prof_add_type(p, "inuse_space", "bytes", err);
}

static bool convert(const struct textprof *t, const struct heap_values *v,
                    struct allocated *a, struct err *err)
{
    bool ok = true;
    if (a->objects == 0 && a->bytes != 0)
        return textprof_wrong(t, err, "has bytes of no objects");
    if (v->rule == HEAP_UNSAMPLE)
        ok = unsample(a, v->rate);
    else if (v->rule == HEAP_UNSAMPLE_V1)
        ok = unsample_v1(a, v->interval);
    return ok || textprof_wrong(t, err,
                                "stands for more, by the rate of the sampling, "
                                "than 64 bits hold");
}

/*
 * Counts had 32 bits in gperftools before 2024, which the objects that a
 * program allocates in a day may well exceed.
 */
static bool mend_alloc(const struct textprof *t, struct heap_values *v,
                       struct allocated *alloc, struct err *err)
{
    if (alloc->bytes < 0 || alloc->objects < INT32_MIN)
        return textprof_wrong(t, err, "has allocated less than nothing");
    if (alloc->objects < 0) {
        alloc->objects += INT64_C(1) << 32;
        v->n_wrapped++;
    }
    return true;
}

bool heap_add_sample(struct textprof *t, struct heap_values *v,
                     const struct heap_row *row, uint32_t labelset,
                     struct err *err)
{
    struct heap_row r = *row;
    struct profile *p = t->p;
    if (!mend_alloc(t, v, &r.alloc, err))
        return false;
    if (!v->has_alloc) {
        v->n_unlike += heap_has_alloc(&r);
        r.alloc = (struct allocated){0, 0};
    }
    if (!convert(t, v, &r.alloc, err) || !convert(t, v, &r.inuse, err) ||
        !prof_push_sample(p, t->frames.v, t->frames.n, labelset, err))
        return false;
    int64_t *to = p->values + (p->n_samples - 1) * p->n_types;
    if (v->has_alloc) {
        *to++ = r.alloc.objects;
        *to++ = r.alloc.bytes;
    }
    *to++ = r.inuse.objects;
    *to++ = r.inuse.bytes;
    return true;
}

void heap_note_values(const struct heap_values *v, const struct notes *notes)
{
    if (v->n_unlike)
        note_loss(notes,
                  "%zu samples have allocated objects that the totals of the "
                  "first lines deny; these are left out",
                  v->n_unlike);
    if (v->n_wrapped)
        note_loss(notes,
                  "%zu negative numbers of allocated objects are taken for "
                  "what 32 bits did not hold",
                  v->n_wrapped);
}
