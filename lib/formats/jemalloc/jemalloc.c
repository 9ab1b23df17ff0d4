/*
 * jemalloc.c - reads heap profiles of jemalloc, as text
 *
 * Since version 4, jemalloc writes a rate (sampling as in heap_profile.c), the
 * totals of all threads and of each thread, and the same below each stack:
 *
 *      heap_v2/524288
 *        t*: 28106: 56637512 [0: 0]
 *        t3: 352: 16777344 [0: 0] worker 1
 *      @ 0x5f86da8 0x5f5a1dc 0x29e4d4e
 *        t*: 13: 6688 [0: 0]
 *        t3: 12: 6496 [0: 0]
 *
 * The list of mappings (maps.h) is at the end.  The sample types are those of
 * heap_values.h, with allocated values if the profile has them (prof_accum).
 * The period is the rate.  Samples are the totals of a stack or, if requested
 * by thread, those of each thread.  All addresses are return addresses.
 *
 * This is what jemalloc writes (prof_data.c) and jeprof reads.
 */
#include "base/sort.h"
#include "base/utf8.h"
#include "formats/heap_values.h"
#include "formats/import.h"

struct thread {
    uint64_t number;
    uint32_t name; /* string id; 0: it has none */
};

struct reading {
    struct textprof text;
    struct heap_values values;
    bool by_thread; /* samples are rows of threads, not totals */
    bool in_stack;  /* the rows to come belong to a stack */
    size_t n_rows;  /* rows of that stack that have become samples */
    size_t n_bare;  /* stacks without samples */
    VEC(struct thread) threads;
    uint32_t thread, thread_id; /* keys of labels */
};

/* A row: the values of a thread, or of all threads. */
struct row {
    bool all;        /* the totals of all threads */
    uint64_t number; /* of the thread */
    struct heap_row values;
    struct prof_slice name; /* what follows the values */
};

static const char header[] = "heap_v2/";

static bool jemalloc_begins(const uint8_t *data, size_t n)
{
    return slice_begins_with(textprof_first_line(data, n), header);
}

/* Parses "t*: 13: 6688 [0: 0]", or "t3: ... NAME" for a thread. */
static bool parse_row(struct prof_slice s, struct row *row)
{
    int64_t number = 0;
    if (!slice_take_char(&s, 't'))
        return false;
    row->all = slice_take_char(&s, '*');
    if (!row->all &&
        (!s.n || !ascii_is_digit(s.s[0]) || !slice_take_int(&s, &number)))
        return false;
    row->number = (uint64_t)number;
    if (!slice_take_char(&s, ':') || !heap_row_parse(&s, &row->values))
        return false;
    row->name = slice_trim(s);
    return true;
}

/* Adds the types, now that all threads have been listed. */
static bool begin_stacks(struct reading *r, struct prof_err *err)
{
    if (prof_count(r->text.p).types)
        return true;
    return (vec_sort_rows(&r->threads) || err_nomem(err)) &&
           heap_add_types(r->text.p, r->values.has_alloc, err);
}

static void end_stack(struct reading *r)
{
    r->n_bare += r->in_stack && !r->n_rows;
    r->in_stack = false;
}

/* Reads a row below a stack, and adds its sample if it is requested. */
static bool read_row(struct reading *r, const struct row *row,
                     struct prof_err *err)
{
    struct textprof *t = &r->text;
    struct prof_slice next = slice_trim_left(t->rest);
    bool threads_follow =
        next.n > 1 && next.s[0] == 't' && ascii_is_digit(next.s[1]);
    uint32_t set = 0;
    if (row->name.n)
        return textprof_wrong(t, err, "has text after the numbers");
    if (row->all ? r->by_thread && threads_follow : !r->by_thread)
        return true;
    if (!row->all) {
        const size_t at = sorted_find(r->threads.v, r->threads.n,
                                      sizeof *r->threads.v, row->number);
        const bool named = at < r->threads.n && r->threads.v[at].name;
        struct prof_label labels[2] = {
            {.key = r->thread_id, .num = (int64_t)row->number},
            {.key = r->thread, .str = named ? r->threads.v[at].name : 0}};
        if (!prof_labelset(t->p, labels, named ? 2 : 1, &set, err))
            return false;
    }
    if (r->n_rows++ && !textprof_repeat(t, t->frames.n, err))
        return false;
    return heap_add_sample(t, &r->values, &row->values, set, err);
}

static bool read_text(struct reading *r, struct prof_err *err)
{
    struct textprof *t = &r->text;
    if (!textprof_need_header(t, "jemalloc heap", err))
        return false;
    struct prof_slice rate = t->line;
    if (!slice_take_prefix(&rate, header) ||
        !slice_to_int(rate, &r->values.rate))
        return textprof_wrong(t, err, "is not a jemalloc heap profile header");
    if (!textprof_period(t, r->values.rate, "space", "bytes", err) ||
        !prof_str(t->p, "thread", &r->thread, err) ||
        !prof_str(t->p, "thread_id", &r->thread_id, err))
        return false;

    while (textprof_line(t) && !textprof_at_maps(t)) {
        struct row row;
        struct prof_slice s = t->line;
        bool ok = true;
        if (slice_take_char(&s, '@')) {
            end_stack(r);
            r->in_stack = true;
            r->n_rows = 0;
            ok = begin_stacks(r, err) &&
                 textprof_stack(t, s, TEXTPROF_RETURNS, err);
        } else if (!parse_row(s, &row)) {
            if (!textprof_note_cut(t, false))
                return textprof_wrong(
                    t, err, "is not a line of a jemalloc heap profile");
        } else if (r->in_stack) {
            ok = read_row(r, &row, err);
        } else if (row.all) {
            /* Rows before the first stack are totals. */
            r->values.has_alloc = heap_has_alloc(&row.values);
        } else {
            struct thread thread = {.number = row.number};
            ok = prof_strn(t->p, row.name.s, row.name.n, &thread.name, err) &&
                 (vec_push(&r->threads, thread) || err_nomem(err));
        }
        if (!ok)
            return false;
    }
    end_stack(r);
    return begin_stacks(r, err);
}

struct profile *jemalloc_read(const struct import_input *in,
                              const struct import_options *options,
                              struct prof_err *err)
{
    struct reading r = {.by_thread = options->threads,
                        .values.rule = HEAP_UNSAMPLE};
    bool ok = textprof_begin(&r.text, in->data, in->n, in->notes, err) &&
              read_text(&r, err);
    if (ok)
        heap_note_values(&r.values, in->notes);
    if (ok && r.n_bare)
        note_count(in->notes, PROF_NOTE_LOSS, r.n_bare,
                   "%zu stack{s} without a count skipped", r.n_bare);
    ok = ok && textprof_finish(&r.text, options->binary, true, err);
    vec_free(&r.threads);
    return textprof_end(&r.text, ok);
}

const struct import_format jemalloc_format = {
    .name = "jemalloc",
    IMPORT_READ_BY("prof2pb", "a jemalloc heap profile (text)"),
    .writers = {"jemalloc"},
    .begins = jemalloc_begins,
    .next = IMPORT_ANYWHERE,
};
