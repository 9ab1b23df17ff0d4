/*
 * heap_profile.c - heap profiles of gperftools, tcmalloc and Go, as text
 *
 * The header has the totals of the profile, its kind, and optionally a rate:
 *
 *      heap profile:     3:   280 [     7:   664] @ heap_v2/524288
 *           2:      256 [     5:      640] @ 0x401136 0x401150 0x7f0012
 *           1:       24 [     2:       24] @ 0x401188 0x401150 0x7f0012
 *
 * Samples have objects and bytes in use, objects and bytes allocated, and the
 * stack of the allocation; the list of mappings (maps.h) follows.  The kind
 * decides how numbers are scaled:
 *
 *      heapprofile               not scaled (the heap profiler)
 *      growth, growthz           the same, of memory from the system
 *      fragmentation(z)          the same, of memory that cannot be used
 *      heap_v2/R, heapz_v2/R     1 byte in R was sampled; all if there is no R
 *      heap/2R                   the same (Go's runtime)
 *      others with "heap", "_v2" the same, but without R 128 KiB
 *      others with "heap"        HEAP_UNSAMPLE_V1 by R/2, or by 128 KiB
 *      none                      HEAP_UNSAMPLE_V1 by 128 KiB if totals in use
 *                                equal those allocated, else not scaled
 *
 * The last three are google-pprof's rules, for headers that pprof does not
 * know.
 *
 * The sample types are those of heap_values.h.  Whether they have allocated
 * values is a property of the kind, so that profiles of one kind can be added
 * up:
 *
 *      heapprofile, heap         always: their producers count allocations
 *      growth, fragmentation     never
 *      others, and none          if the header declares them, with totals that
 *                                are neither those in use nor 0
 *
 * Each sample has a numeric label "bytes", the mean size of its objects in use,
 * or else of those allocated.  Addresses are return addresses, the first one
 * too.  Comments of Go name the frames (go_comments.h).
 *
 * There is no published format.  As written by gperftools
 * (heap-profile-table.cc, malloc_extension.cc) and Go (runtime/pprof), and
 * read by google/pprof (profile/legacy_profile.go) and google-pprof.
 */
#include <inttypes.h>
#include <string.h>

#include "formats/go/go_comments.h"
#include "formats/heap_values.h"
#include "formats/import.h"

/* The sampling rate in bytes if the header has none. */
enum { OLD_INTERVAL = 128 * 1024 };

static const char header[] = "heap profile:";

struct reading {
    struct go_text go;
    struct heap_values values;
    uint32_t bytes; /* the key of the label */
};

static bool heap_begins(const uint8_t *data, size_t n)
{
    struct prof_slice line = textprof_first_line(data, n);
    /* "heap profile: total 3" is a count profile. */
    return slice_take_prefix(&line, header) &&
           !slice_is(slice_take_word(&line), "total");
}

/*
 * Sets how numbers are scaled, by kind and rate (0: not given); v->rate becomes
 * the period.
 */
static void set_rule(struct prof_slice kind, int64_t rate,
                     const struct heap_row *totals, struct heap_values *v,
                     const struct prof_notes *notes)
{
    bool is_heap = slice_is(kind, "heap"),
         counts = slice_is(kind, "heapprofile"),
         all_in_use = totals->inuse.objects == totals->alloc.objects &&
                      totals->inuse.bytes == totals->alloc.bytes;
    v->has_alloc = is_heap || counts || heap_has_alloc(totals);
    v->rate = 1;
    if (is_heap || slice_is(kind, "heap_v2") || slice_is(kind, "heapz_v2")) {
        v->rule = HEAP_UNSAMPLE;
        v->rate = is_heap ? rate / 2 : rate;
    } else if (slice_is(kind, "growth") || slice_is(kind, "growthz") ||
               slice_is(kind, "fragmentation") ||
               slice_is(kind, "fragmentationz")) {
        v->has_alloc = false;
    } else if (slice_contains(kind, "heap") && slice_contains(kind, "_v2")) {
        v->rule = HEAP_UNSAMPLE;
        v->rate = rate ? rate : OLD_INTERVAL;
    } else if (!counts &&
               (kind.n ? slice_contains(kind, "heap") : all_in_use)) {
        v->rule = HEAP_UNSAMPLE_V1;
        v->interval = rate ? (double)rate / 2 : OLD_INTERVAL;
        v->rate = (int64_t)v->interval;
    } else if (!counts && kind.n) {
        note_loss(notes,
                  "line 1: unknown kind of heap profile '%.*s'; its numbers "
                  "are not scaled",
                  (int)(kind.n < 40 ? kind.n : 40), kind.s);
    }
    if (v->rule != HEAP_AS_IS)
        note_info(notes,
                  "values scaled up: one byte in %" PRId64 " was sampled",
                  v->rate);
}

static bool read_heap_header(struct reading *r, struct prof_err *err)
{
    struct textprof *t = &r->go.text;
    struct heap_row totals;
    struct prof_slice kind = {0};
    int64_t rate = 0;
    if (!textprof_need_header(t, "heap", err))
        return false;
    struct prof_slice s = t->line;
    if (!slice_take_prefix(&s, header) || !heap_row_parse(&s, &totals))
        return textprof_wrong(t, err, "is not a heap profile header");
    s = slice_trim_left(s);
    if (slice_take_char(&s, '@')) {
        /* Parse a kind such as "heap_v2", and a slash and the rate. */
        struct prof_slice digits = slice_take_word(&s);
        kind = slice_take_until(&digits, '/');
        if (digits.n && !slice_to_int(digits, &rate))
            return textprof_wrong(t, err, "has an invalid sampling rate");
        s = slice_trim_left(s);
    }
    if (s.n)
        return textprof_wrong(t, err,
                              "has text after the heap profile's header");
    /* Go names frames in comments, and lists no mappings. */
    r->go.is_heap = slice_is(kind, "heap");
    set_rule(kind, rate, &totals, &r->values, t->notes);
    return heap_add_types(t->p, r->values.has_alloc, err) &&
           textprof_period(t, r->values.rate, "space", "bytes", err) &&
           prof_str(t->p, "bytes", &r->bytes, err);
}

static bool mean_size(const struct allocated *a, int64_t *size)
{
    if (a->bytes == INT64_MIN && a->objects == -1)
        return false;
    if (a->objects)
        *size = a->bytes / a->objects;
    return true;
}

static bool read_heap_samples(struct reading *r, struct prof_err *err)
{
    struct textprof *t = &r->go.text;
    struct heap_values *values = &r->values;
    t->comments = r->go.is_heap;
    while (textprof_line(t)) {
        struct heap_row row;
        struct prof_slice s = t->line;
        if (s.s[0] == '#') {
            textprof_note_cut_comment(t);
            if (!go_text_comment(&r->go, err))
                return false;
            continue;
        }
        bool is_row = heap_row_parse(&s, &row);
        s = slice_trim_left(s);
        if (!is_row || !slice_take_char(&s, '@')) {
            if (textprof_at_maps(t))
                return true;
            if (!textprof_note_cut(t, false))
                return textprof_wrong(t, err, "is not a heap profile sample");
            continue;
        }
        /* Add a sample, labelled with the mean size of its objects. */
        struct prof_label label = {.key = r->bytes};
        uint32_t set = 0;
        if (!textprof_stack(t, s, TEXTPROF_RETURNS, err))
            return false;
        if ((values->has_alloc && !mean_size(&row.alloc, &label.num)) ||
            !mean_size(&row.inuse, &label.num))
            return textprof_wrong(t, err,
                                  "has an object size that exceeds 63 bits");
        if (!prof_labelset(t->p, &label, 1, &set, err) ||
            !heap_add_sample(t, values, &row, set, err))
            return false;
        (void)textprof_note_cut(t, true);
    }
    return true;
}

struct profile *heap_read(const struct import_input *in,
                          const struct import_options *options,
                          struct prof_err *err)
{
    struct reading r = {0};
    bool ok = go_text_begin(&r.go, in, err) && read_heap_header(&r, err) &&
              read_heap_samples(&r, err);
    if (ok)
        heap_note_values(&r.values, in->notes);
    return go_text_end(&r.go, ok, options, !r.go.is_heap, err);
}

const struct import_format heap_format = {
    .name = "heap",
    IMPORT_READ_BY("prof2pb", "a heap profile (text)"),
    .writers = {"gperftools", "Go"},
    .begins = heap_begins,
    .next = IMPORT_ANYWHERE,
};
