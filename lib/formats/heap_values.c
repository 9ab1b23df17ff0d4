/* heap_values.c - parses the numbers of heap profiles and undoes sampling */
#include "formats/heap_values.h"

#include <math.h>

/*
 * Returns e to the power of x.  The last bit of exp() differs between C
 * libraries, and 1 - e^x for a small x magnifies that bit.
 *
 * After N. Shibata, "Efficient evaluation methods of elementary functions
 * suitable for SIMD computation" (2010): x is k ln 2 + r; a series gives
 * expm1(r/16); then expm1(2y) = expm1(y) (expm1(y) + 2) is applied four times.
 */
static double power_of_e(double x)
{
    static const double ln2_high = 0x1.62e42fefa3p-1;
    static const double ln2_low = 0x1.3de6af278ece6p-42;
    static const double log2_e = 0x1.71547652b82fep0;
    static const double factorials[] = {5040, 720, 120, 24, 6, 2, 1};

    if (!(fabs(x) < 708)) /* the result is not a normal number */
        return exp(x);
    double k = rint(x * log2_e);
    double r = fma(-k, ln2_low, fma(-k, ln2_high, x)) / 16;
    double y = 1.0 / 40320;
    for (unsigned i = 0; i < sizeof factorials / sizeof *factorials; i++)
        y = fma(y, r, 1 / factorials[i]);
    y *= r;
    for (int doubled = 2; doubled < 16; doubled *= 2)
        y *= y + 2;
    return ldexp(fma(y, y + 2, 1), (int)k);
}

/* Sets *to to x without its fraction; returns false if it exceeds 64 bits. */
static bool to_whole(double x, int64_t *to)
{
    if (!(x >= -0x1p63 && x < 0x1p63))
        return false;
    *to = (int64_t)x;
    return true;
}

bool heap_unsample(struct allocated *a, enum heap_rule rule, double rate)
{
    if (rule == HEAP_AS_IS)
        return true;
    if (a->objects == 0 || a->bytes == 0) {
        *a = (struct allocated){0, 0};
        return true;
    }
    double objects = (double)a->objects, bytes = (double)a->bytes;
    double mean = bytes / objects;
    if (rule == HEAP_UNSAMPLE) {
        if (rate <= 1)
            return true;
        double by = 1 / (1 - power_of_e(-mean / rate));
        objects *= by;
        bytes *= by;
    } else {
        double ratio = mean / rate;
        if (ratio >= 1)
            return true;
        objects /= ratio;
        bytes /= ratio;
    }
    struct allocated to;
    if (!to_whole(objects, &to.objects) || !to_whole(bytes, &to.bytes))
        return false;
    *a = to;
    return true;
}

/* Removes leading blanks and then the character c from *s.  False if another
 * character follows the blanks. */
static bool take_char(struct prof_slice *s, char c)
{
    *s = slice_trim_left(*s);
    return slice_take_char(s, c);
}

static bool parse_pair(struct prof_slice *s, struct allocated *a)
{
    return slice_take_int(s, &a->objects) && take_char(s, ':') &&
           slice_take_int(s, &a->bytes);
}

bool heap_row_parse(struct prof_slice *s, struct heap_row *row)
{
    return parse_pair(s, &row->inuse) && take_char(s, '[') &&
           parse_pair(s, &row->alloc) && take_char(s, ']');
}

bool heap_has_alloc(const struct heap_row *t)
{
    return (t->alloc.objects && t->alloc.objects != t->inuse.objects) ||
           (t->alloc.bytes && t->alloc.bytes != t->inuse.bytes);
}

bool heap_add_types(struct profile *p, bool has_alloc, struct prof_err *err)
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
                    struct allocated *a, struct prof_err *err)
{
    bool is_v1 = v->rule == HEAP_UNSAMPLE_V1;
    if (a->objects == 0 && a->bytes != 0)
        return textprof_wrong(t, err, "has bytes but no objects");
    return heap_unsample(a, v->rule, is_v1 ? v->interval : (double)v->rate) ||
           textprof_wrong(t, err,
                          "exceeds 64 bits when scaled by the sampling rate");
}

bool heap_add_sample(struct textprof *t, struct heap_values *v,
                     const struct heap_row *row, uint32_t labelset,
                     struct prof_err *err)
{
    struct allocated inuse = row->inuse, alloc = row->alloc;
    if (alloc.bytes < 0 || alloc.objects < INT32_MIN)
        return textprof_wrong(t, err, "has a negative number of allocations");
    if (alloc.objects < 0) {
        /* gperftools before 2024 counted in 32 bits, which the objects that a
         * program allocates in a day may exceed. */
        alloc.objects += INT64_C(1) << 32;
        v->n_wrapped++;
    }
    if (!v->has_alloc) {
        const struct heap_row r = {inuse, alloc};
        v->n_unlike += heap_has_alloc(&r);
        alloc = (struct allocated){0, 0};
    }
    if (!convert(t, v, &alloc, err) || !convert(t, v, &inuse, err))
        return false;
    const int64_t values[4] = {alloc.objects, alloc.bytes, inuse.objects,
                               inuse.bytes};
    return prof_add_sample(t->p, t->frames.v, t->frames.n,
                           v->has_alloc ? values : values + 2, labelset, err);
}

void heap_note_values(const struct heap_values *v,
                      const struct prof_notes *notes)
{
    note_count(notes, PROF_NOTE_LOSS, v->n_unlike,
               "allocated values of %zu sample{s} skipped: the header's "
               "totals do not count them",
               v->n_unlike);
    note_count(notes, PROF_NOTE_LOSS, v->n_wrapped,
               "%zu negative count{s} of allocated objects treated as "
               "32-bit overflow",
               v->n_wrapped);
}
