/*
 * java.c - heap and contention profiles of Java agents, as text
 *
 *      --- heapz 1 ---
 *      format = java
 *      resolution = bytes
 *              7048     1 @ 0x00000003 0x00000004
 *              4752     9 @ 0x0000002b 0x00000004
 *
 *       0x00000003 com.example.Cache.put (Cache.java:103)
 *
 * Samples have bytes and objects, or, under "--- contentionz 1 ---", delay
 * and contentions; then the numbers of the frames, leaf first, to which lines
 * after the samples give names (javaloc.h).  One byte in 524288 is sampled of
 * a heap, see unsample.h; contentions and delay are multiplied by the
 * "sampling period", if the file has one.
 *
 * Sample types are inuse_objects/count and inuse_space, or contentions/count
 * and delay, with the resolution as unit of the latter.  Samples of a heap
 * have a numeric label "bytes", the mean size of their objects.
 *
 * CPU profiles of Java are binary, see gperf.h.  As google/pprof reads it
 * (profile/legacy_java_profile.go), which is the only description there is.
 */
#include "import/import.h"

#include <string.h>

#include "base/utf8.h"
#include "import/dropframes.h"
#include "import/gperftools/unsample.h"
#include "import/java/javaloc.h"
#include "import/textattr.h"

/* Of how many bytes of a heap one is sampled. */
enum { HEAP_RATE = 524288 };

struct reading {
    struct textprof text;
    bool is_heap;
    struct slice resolution; /* the unit of the second value */
    uint32_t bytes;          /* the key of the label */
    size_t n_odd, an_odd;    /* lines not understood; the first of them */
};

static bool is_heap(struct slice header)
{
    return slice_begins_with(header, "--- heapz ");
}

static bool is_contention(struct slice header)
{
    return slice_begins_with(header, "--- contentionz ");
}

static bool java_begins(const uint8_t *data, size_t n)
{
    struct textprof t;
    struct textattr a;
    textprof_begin(&t, data, n, NULL, NULL);
    if (!textprof_header(&t) || !is_contention(t.line))
        return is_heap(t.line);
    while (textprof_line(&t) && textattr_take(&t, &a))
        if (textattr_is(&a, "format") || textattr_is(&a, "resolution"))
            return true;
    return false;
}

static bool read_header(struct reading *r, struct err *err)
{
    struct textprof *t = &r->text;
    if (!textprof_header(t))
        return err_set(err, ERR_INPUT, "line 1: no header of a Java profile");
    r->is_heap = is_heap(t->line);
    return r->is_heap || is_contention(t->line) ||
           textprof_wrong(t, err, "is no header of a Java profile");
}

static bool set(struct reading *r, const struct textattr *a, struct err *err)
{
    const struct textprof *t = &r->text;
    bool done = false;
    if (!r->is_heap && !textattr_common(t, a, &done, err))
        return false;
    if (done)
        return true;
    if (textattr_is(a, "resolution") && a->value.n)
        r->resolution = a->value;
    else if (!textattr_is(a, "format"))
        textattr_note_unknown(t);
    else if (!slice_is(a->value, "java"))
        return textprof_wrong(t, err, "is not the format of a Java profile");
    return true;
}

static bool add_types(struct reading *r, struct err *err)
{
    struct profile *p = r->text.p;
    struct prof_value_type second;
    if (!r->resolution.n)
        return err_set(err, ERR_INPUT,
                       "line %zu: before the samples there is no line "
                       "'resolution = ...' with their unit",
                       r->text.number);
    if (p->period && (!prof_str(p, "contentions", &p->period_type.type, err) ||
                      !prof_str(p, "count", &p->period_type.unit, err)))
        return false;
    const char *names[2] = {"contentions", "delay"};
    if (r->is_heap) {
        names[0] = "inuse_objects";
        names[1] = "inuse_space";
    }
    return prof_str(p, "bytes", &r->bytes, err) &&
           prof_add_type(p, names[0], "count", err) &&
           prof_str(p, names[1], &second.type, err) &&
           prof_strn(p, r->resolution.s, r->resolution.n, &second.unit, err) &&
           prof_add_type_id(p, second, err);
}

/* Stops at the first line that is no attribute. */
static bool read_attributes(struct reading *r, struct err *err)
{
    struct textattr a;
    while (textprof_line(&r->text) && textattr_take(&r->text, &a))
        if (!set(r, &a, err))
            return false;
    return add_types(r, err);
}

/* What a sample stands for, and for a heap the label with its mean size. */
static bool convert(struct reading *r, int64_t values[2], uint32_t *set,
                    struct err *err)
{
    struct textprof *t = &r->text;
    int64_t period = t->p->period ? t->p->period : 1;
    bool ok = true;
    *set = 0;
    if (!r->is_heap) {
        ok = !__builtin_mul_overflow(values[0], period, &values[0]) &&
             !__builtin_mul_overflow(values[1], period, &values[1]);
    } else {
        if (!values[0])
            return textprof_wrong(t, err, "has bytes of no objects");
        struct prof_label label = {.key = r->bytes,
                                   .num = values[1] / values[0]};
        if (!prof_labelset(t->p, &label, 1, set, err))
            return false;
        struct allocated a = {.objects = values[0], .bytes = values[1]};
        ok = unsample(&a, HEAP_RATE);
        values[0] = a.objects;
        values[1] = a.bytes;
    }
    return ok || textprof_wrong(t, err,
                                "stands for more, by the rate of the sampling, "
                                "than 64 bits hold");
}

/* "7048 1 @": the second value, and the first. */
static bool take_values(struct slice *s, int64_t values[2])
{
    if (!slice_take_int(s, &values[1]) || !s->n || !ascii_is_blank(s->s[0]) ||
        !slice_take_int(s, &values[0]))
        return false;
    *s = slice_trim_left(*s);
    if (!s->n || s->s[0] != '@' || values[0] < 0 || values[1] < 0)
        return false;
    *s = slice_from(*s, 1);
    return true;
}

/* Whether the line names a frame, as those after the samples do. */
static bool at_name(const struct textprof *t)
{
    return slice_begins_with(t->line, "0x");
}

/* A line that is neither a sample nor a name, unless it is a broken sample. */
static bool pass_over(struct reading *r, struct err *err)
{
    const struct textprof *t = &r->text;
    if (memmem(t->line.s, t->line.n, " @ ", 3))
        return textprof_wrong(t, err, "is no sample of a Java profile");
    if (r->n_odd++ == 0)
        r->an_odd = t->number;
    return true;
}

static bool read_samples(struct reading *r, struct err *err)
{
    struct textprof *t = &r->text;
    bool more = t->line.n > 0;
    for (; more && !at_name(t); more = textprof_line(t)) {
        struct slice s = t->line;
        int64_t values[2];
        uint32_t labels;
        if (!take_values(&s, values)) {
            if (!pass_over(r, err))
                return false;
            continue;
        }
        if (!textprof_stack(t, s, TEXTPROF_NUMBERS, err) ||
            !convert(r, values, &labels, err) ||
            !prof_add_sample(t->p, t->frames.v, t->frames.n, values, labels,
                             err))
            return false;
        if (textprof_is_cut(t))
            textprof_note_cut(t, true);
    }
    if (r->n_odd)
        note_loss(t->notes,
                  "%zu lines, the first being line %zu, are neither samples "
                  "nor names of frames, and are left out",
                  r->n_odd, r->an_odd);
    return true;
}

/* From the line on, which is the first that names a frame. */
static bool read_names(struct textprof *t, struct err *err)
{
    if (!t->line.n)
        textprof_note_cut_end(t);
    size_t n = t->line.n ? (size_t)(t->rest.s + t->rest.n - t->line.s) : 0;
    return javaloc_read(t->line.s, n, t->p, t->notes, err);
}

static bool java_read(const struct import_input *in,
                      const struct import_options *options, struct profile *out,
                      struct err *err)
{
    struct reading r = {0};
    (void)options;
    if (!prof_init(out, err))
        return false;
    textprof_begin(&r.text, in->data, in->n, out, in->notes);
    bool ok = read_header(&r, err) && read_attributes(&r, err) &&
              read_samples(&r, err) && read_names(&r.text, err) &&
              dropframes_set(out, err);
    textprof_end(&r.text);
    return ok;
}

const struct import_format java_format = {
    .name = "java",
    IMPORT_READ_BY("prof2pb", "a Java profile (text)"),
    .begins = java_begins,
    .read = java_read,
    .next = IMPORT_ANYWHERE,
};
