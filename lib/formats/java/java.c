/*
 * java.c - reads heap and contention profiles of Java agents, as text
 *
 *      --- heapz 1 ---
 *      format = java
 *      resolution = bytes
 *              7048     1 @ 0x00000003 0x00000004
 *              4752     9 @ 0x0000002b 0x00000004
 *
 *       0x00000003 com.example.Cache.put (Cache.java:103)
 *
 * Samples have bytes and objects or, in "--- contentionz 1 ---" files, delay
 * and contentions; then the numbers of the frames, leaf first.  Lines after the
 * samples name the frames (java.h).  One byte in 524288 of a heap is sampled
 * (heap_values.h); contentions and delay are multiplied by the "sampling
 * period" if the file has one.
 *
 * Sample types are inuse_objects/count and inuse_space, or contentions/count
 * and delay; the unit of the second is the resolution.  Samples of a heap
 * have a numeric label "bytes", the mean size of their objects.
 *
 * CPU profiles of Java are binary (gperftools/cpu_profile.c).  The only
 * description is the reader of google/pprof (profile/legacy_java_profile.go).
 */
#include <stdlib.h>

#include "base/file.h"
#include "base/sort.h"
#include "base/utf8.h"
#include "base/vec.h"
#include "formats/heap_values.h"
#include "formats/import.h"
#include "formats/java/java.h"
#include "formats/profiler_frames.h"

/* One byte in HEAP_RATE of a heap is sampled. */
enum { HEAP_RATE = 524288 };

struct reading {
    struct textprof text;
    bool is_heap;
    struct prof_slice resolution; /* the unit of the second value */
    int64_t period;               /* 0: not in the file */
    uint32_t bytes;               /* the key of the label */
    size_t n_odd, an_odd;         /* lines not understood; the first of them */
};

static bool is_heap(struct prof_slice header)
{
    return slice_begins_with(header, "--- heapz ");
}

static bool is_contention(struct prof_slice header)
{
    return slice_begins_with(header, "--- contentionz ");
}

static bool java_begins(const uint8_t *data, size_t n)
{
    struct textprof t;
    struct textprof_attribute a;
    textprof_scan(&t, data, n, NULL);
    if (!textprof_header(&t) || !is_contention(t.line))
        return is_heap(t.line);
    while (textprof_line(&t) && textprof_attribute(&t, &a))
        if (slice_is(a.name, "format") || slice_is(a.name, "resolution"))
            return true;
    return false;
}

/* Reads the header and the attributes, and adds the sample types. */
static bool read_header(struct reading *r, struct prof_err *err)
{
    struct textprof *t = &r->text;
    struct textprof_attribute a;
    struct prof_value_type second;
    if (!textprof_need_header(t, "Java", err))
        return false;
    r->is_heap = is_heap(t->line);
    if (!r->is_heap && !is_contention(t->line))
        return textprof_wrong(t, err, "is not a Java profile header");

    while (textprof_line(t) && textprof_attribute(t, &a)) {
        bool done = false;
        if (!r->is_heap && !textprof_common(t, &a, &done, err))
            return false;
        if (done)
            continue;
        if (slice_is(a.name, "resolution") && a.value.n)
            r->resolution = a.value;
        else if (!slice_is(a.name, "format"))
            textprof_note_line(t, TEXT("skipped: unknown attribute"));
        else if (!slice_is(a.value, "java"))
            return textprof_wrong(t, err, "is not a Java profile format");
    }
    if (!r->resolution.n)
        return err_input(
            err, "line %zu: no 'resolution = ...' line before the samples",
            t->number);

    r->period = prof_get_header(t->p).period;
    if (r->period &&
        !textprof_period(t, r->period, "contentions", "count", err))
        return false;
    return prof_str(t->p, "bytes", &r->bytes, err) &&
           prof_add_type(t->p, r->is_heap ? "inuse_objects" : "contentions",
                         "count", err) &&
           prof_str(t->p, r->is_heap ? "inuse_space" : "delay", &second.type,
                    err) &&
           prof_strn(t->p, r->resolution.s, r->resolution.n, &second.unit,
                     err) &&
           prof_add_type_id(t->p, second, err);
}

/* Scales the values of a sample; for a heap, sets *set to the label "bytes". */
static bool set_values(struct reading *r, int64_t values[2], uint32_t *set,
                       struct prof_err *err)
{
    struct textprof *t = &r->text;
    int64_t period = r->period ? r->period : 1;
    bool ok = true;
    *set = 0;
    if (!r->is_heap) {
        ok = !__builtin_mul_overflow(values[0], period, &values[0]) &&
             !__builtin_mul_overflow(values[1], period, &values[1]);
    } else {
        if (!values[0])
            return textprof_wrong(t, err, "has bytes but no objects");
        struct prof_label label = {.key = r->bytes,
                                   .num = values[1] / values[0]};
        if (!prof_labelset(t->p, &label, 1, set, err))
            return false;
        struct allocated a = {.objects = values[0], .bytes = values[1]};
        ok = heap_unsample(&a, HEAP_UNSAMPLE, HEAP_RATE);
        values[0] = a.objects;
        values[1] = a.bytes;
    }
    return ok ||
           textprof_wrong(t, err,
                          "exceeds 64 bits when scaled by the sampling rate");
}

/* Parses "7048 1 @": the second value precedes the first. */
static bool parse_values(struct prof_slice *s, int64_t values[2])
{
    if (!slice_take_int(s, &values[1]) || !s->n || !ascii_is_blank(s->s[0]) ||
        !slice_take_int(s, &values[0]))
        return false;
    *s = slice_trim_left(*s);
    return slice_take_char(s, '@') && values[0] >= 0 && values[1] >= 0;
}

/* Reads the samples, and then the names of frames. */
static bool read_body(struct reading *r, struct prof_err *err)
{
    struct textprof *t = &r->text;
    bool more = t->line.n > 0;
    for (; more && !slice_begins_with(t->line, "0x"); more = textprof_line(t)) {
        struct prof_slice s = t->line;
        int64_t values[2];
        uint32_t labels;
        if (!parse_values(&s, values)) {
            if (slice_contains(t->line, " @ "))
                return textprof_wrong(t, err, "is not a Java profile sample");
            if (r->n_odd++ == 0)
                r->an_odd = t->number;
            continue;
        }
        if (!textprof_stack(t, s, TEXTPROF_NUMBERS, err) ||
            !set_values(r, values, &labels, err) ||
            !prof_add_sample(t->p, t->frames.v, t->frames.n, values, labels,
                             err))
            return false;
        (void)textprof_note_cut(t, true);
    }
    note_count(t->notes, PROF_NOTE_LOSS, r->n_odd,
               "%zu line{s} skipped, starting at line %zu: neither "
               "samples nor frame names",
               r->n_odd, r->an_odd);

    struct prof_slice names = t->line;
    if (names.n)
        names.n = (size_t)(t->rest.s + t->rest.n - names.s);
    else
        textprof_note_cut_end(t);
    return java_read_names(t, names, err);
}

struct numbered {
    uint64_t number;
    uint32_t location;
    bool named;
};

/* A line that names a location. */
struct named {
    uint64_t number;
    struct textprof_name as;
};

/*
 * Parses "File.java:427".  A line number that is negative (native code) or
 * exceeds 64 bits becomes 0.
 */
static bool is_file_line(struct prof_slice s, struct named *to)
{
    struct prof_slice digits;
    if (!slice_split_last(&s, ':', &digits) || !s.n)
        return false;
    bool minus = digits.n && digits.s[0] == '-';
    if (!slice_is_decimal(slice_from(digits, minus)))
        return false;
    if (minus || !slice_take_int(&digits, &to->as.line))
        to->as.line = 0;
    to->as.file = s;
    return true;
}

static bool parse_name(struct prof_slice s, struct named *to)
{
    *to = (struct named){0};
    s = slice_trim(s);
    if (!slice_begins_with(s, "0x") || !slice_take_0xhex(&s, &to->number) ||
        !s.n || !ascii_is_blank(s.s[0]))
        return false;
    s = slice_trim_left(s);
    to->as.function = s;
    /* Split "function (where)" at the last "(" after a blank. */
    size_t k = slice_ends_with(s, ")") ? s.n - 1 : 0;
    while (k > 1 && !(s.s[k] == '(' && ascii_is_blank(s.s[k - 1])))
        k--;
    if (k > 1) {
        struct prof_slice where = {s.s + k + 1, s.n - k - 2};
        to->as.function = slice_trim(slice_to(s, k - 1));
        if (!is_file_line(where, to)) {
            to->as.file = path_after_slash(where);
        }
    } else if (slice_contains(s, "generated stub/JIT")) {
        to->as.function = (struct prof_slice){"STUB", 4};
    }
    return true;
}

bool java_read_names(struct textprof *t, struct prof_slice text,
                     struct prof_err *err)
{
    size_t n_locations = prof_count(t->p).locations, n_named = 0;
    struct numbered *v = mem_array(n_locations, sizeof *v);
    bool ok = v || err_nomem(err), cut = false;

    /* Sort the locations by their numbers. */
    for (size_t i = 0; ok && i < n_locations; i++)
        v[i] = (struct numbered){prof_get_location(t->p, i).address,
                                 (uint32_t)i, false};
    ok = ok && (sort_rows(v, n_locations, sizeof *v) || err_nomem(err));

    while (ok && text.n) {
        struct named line;
        if (!parse_name(slice_take_line(&text), &line))
            continue;
        const size_t at = sorted_find(v, n_locations, sizeof *v, line.number);
        if (at == n_locations)
            continue;
        struct numbered *found = &v[at];
        n_named += !found->named;
        found->named = true;
        cut = !text.n && text.s[-1] != '\n';
        struct prof_location l = prof_get_location(t->p, found->location);
        l.address = 0;
        prof_set_location(t->p, found->location, &l);
        ok = textprof_name(t, found->location, &line.as, 1, err);
    }
    free(v);
    if (ok && n_named < n_locations)
        note_loss(t->notes, "no name in the file for %zu of %zu frames",
                  n_locations - n_named, n_locations);
    if (ok && cut)
        note_loss(t->notes, "unexpected end of file in the last line; its name "
                            "may be truncated");
    return ok;
}

struct profile *java_read(const struct import_input *in,
                          const struct import_options *options,
                          struct prof_err *err)
{
    struct reading r = {0};
    (void)options;
    bool ok = textprof_begin(&r.text, in->data, in->n, in->notes, err) &&
              read_header(&r, err) && read_body(&r, err) &&
              profiler_frames_name(r.text.p, err);
    return textprof_end(&r.text, ok);
}

const struct import_format java_format = {
    .name = "java",
    IMPORT_READ_BY("prof2pb", "a Java profile (text)"),
    .writers = {"Java"},
    .begins = java_begins,
    .next = IMPORT_ANYWHERE,
};
