/*
 * thread_profile.c - what the threads of a server were doing, as text
 *
 *      --- threadz 1 ---
 *
 *      --- Thread 7eff063d9940 (name: main/25376) stack: ---
 *        PC: 0xbc8f1c 0xbcae55 0x40be31
 *      --- Thread 7eff04b95700 (name: worker/25380) stack: ---
 *        PC:  0x00bc8f1c: Wait(int)
 *        0x7eff05b6d14e: start_thread
 *            creator: 0xa45b96 0xa48928
 *      --- Thread 7eff04770700 (name: worker/25382) stack: ---
 *        [same as previous thread]
 *      --- Memory map: ---
 *        00400000-00fcb000: /usr/bin/server
 *
 * The stack of a thread consists of all addresses up to the next thread: the
 * current address, return addresses, and after "creator:" those of the thread
 * that created it.  An address and ":" are followed by its name.  A second
 * frame that repeats the leaf is removed.
 *
 * The sample type is thread/count.  Threads without a stack count, too.
 *
 * The only description is the reader of google/pprof
 * (profile/legacy_profile.go).
 */

#include "base/bytes.h"
#include "formats/import.h"
#include "formats/profiler_frames.h"
#include "formats/textprof.h"

static const char thread_begins[] = "--- Thread ";

struct reading {
    struct textprof text;
    const struct import_options *options;
    uint32_t thread, thread_id;   /* keys of labels */
    uint32_t labelset;            /* of the thread whose lines are read */
    bool same;                    /* its stack is that of the previous thread */
    bool has_leaf;                /* an address has been read, 0 or not */
    size_t n_bare;                /* threads without a stack */
    size_t n_ignored;             /* addresses of threads with `same` */
    VEC(struct prof_slice) names; /* of locations; empty: not in the file */
};

static bool is_header(struct prof_slice line)
{
    return slice_begins_with(line, "--- threadz ") ||
           slice_begins_with(line, thread_begins);
}

static bool threads_begins(const uint8_t *data, size_t n)
{
    return is_header(textprof_first_line(data, n));
}

/* Parses "--- Thread 7eff04b95700 (name: worker/25380) stack: ---". */
static bool parse_thread(struct prof_slice s, struct prof_slice *name,
                         int64_t *id)
{
    static const char end[] = ") stack: ---";
    uint64_t handle;
    if (!slice_ends_with(s, end) || !slice_take_prefix(&s, thread_begins) ||
        !slice_take_hex(&s, &handle) || !slice_take_prefix(&s, " (name: ") ||
        s.n < sizeof end - 1)
        return false;
    s.n -= sizeof end - 1;
    const char *slash = bytes_find_last(s.s, s.n, '/');
    if (!slash)
        return false;
    *name = slice_to(s, (size_t)(slash - s.s));
    s = slice_from(s, name->n + 1);
    return slice_to_int(s, id);
}

static bool end_thread(struct reading *r, struct prof_err *err)
{
    struct textprof *t = &r->text;
    size_t n_samples = prof_count(t->p).samples;
    const int64_t one = 1;
    if (r->same) {
        r->n_ignored += t->frames.n;
        t->frames.n = 0;
    }
    if (r->same && !r->options->threads && n_samples) {
        ++*prof_edit_values(t->p, n_samples - 1);
        return true;
    }
    if (r->same && n_samples) {
        struct prof_sample last = prof_get_sample(t->p, n_samples - 1);
        if (!textprof_repeat(t, last.n_frames, err))
            return false;
        for (size_t i = 0; i < last.n_frames; i++)
            if (!vec_push(&t->frames, last.frames[i]))
                return err_nomem(err);
    }
    r->n_bare += t->frames.n == 0;
    return prof_add_sample(t->p, t->frames.v, t->frames.n, &one, r->labelset,
                           err);
}

/* Adds all addresses of the line, up to one that is named. */
static bool add_frames(struct reading *r, struct prof_err *err)
{
    struct textprof *t = &r->text;
    struct prof_slice s = t->line;
    const char *at;
    while ((at = bytes_find(s.s, s.n, "0x", 2))) {
        uint64_t pc;
        size_t n = t->frames.n;
        s = slice_from(s, (size_t)(at + 2 - s.s));
        if (!s.n || !slice_is_hex(slice_to(s, 1)))
            continue;
        if (!slice_take_hex(&s, &pc))
            return textprof_wrong(t, err,
                                  "has an address that does not fit 64 bits");
        if (!(r->has_leaf ? textprof_add_return(t, pc, err)
                          : textprof_add_pc(t, pc, err)))
            return false;
        r->has_leaf = true;
        if (!slice_take_char(&s, ':'))
            continue;
        /* The rest of the line names this frame, unless the frame was skipped.
         */
        if (t->frames.n == n)
            return true;
        uint32_t location = t->frames.v[n];
        while (r->names.n <= location)
            if (!vec_push(&r->names, (struct prof_slice){0}))
                return err_nomem(err);
        r->names.v[location] = slice_trim(s);
        return true;
    }
    return true;
}

static bool read_thread(struct reading *r, struct prof_err *err)
{
    struct textprof *t = &r->text;
    struct prof_slice name;
    struct prof_label labels[2] = {{.key = r->thread_id}, {.key = r->thread}};
    if (!parse_thread(t->line, &name, &labels[0].num))
        return textprof_wrong(t, err, "is not the first line of a thread");
    if (r->options->threads &&
        (!prof_strn(t->p, name.s, name.n, &labels[1].str, err) ||
         !prof_labelset(t->p, labels, name.n ? 2 : 1, &r->labelset, err)))
        return false;

    /* Read its stack. */
    t->frames.n = 0;
    r->same = r->has_leaf = false;
    while (textprof_line(t) && !textprof_at_maps(t) &&
           !slice_begins_with(t->line, "---")) {
        if (slice_contains(t->line, "same as previous thread"))
            r->same = true;
        else if (!add_frames(r, err))
            return false;
        (void)textprof_note_cut(t, true);
    }
    return end_thread(r, err);
}

static bool read_text(struct reading *r, struct prof_err *err)
{
    struct textprof *t = &r->text;
    size_t n = 0;

    /* Read the header, and skip lines before the first thread. */
    if (!textprof_need_header(t, "thread", err))
        return false;
    if (!is_header(t->line))
        return textprof_wrong(t, err, "is not a thread profile header");
    t->comments = true; /* "#0 0x401000 in main" */
    if (!slice_begins_with(t->line, thread_begins)) {
        while (textprof_line(t) && !slice_begins_with(t->line, "---") &&
               !textprof_at_maps(t))
            n++;
    }
    note_count(t->notes, PROF_NOTE_INFO, n,
               "%zu line{s} before the first thread skipped", n);
    if (!prof_add_type(t->p, "thread", "count", err) ||
        !textprof_period(t, 1, "thread", "count", err) ||
        !prof_str(t->p, "thread", &r->thread, err) ||
        !prof_str(t->p, "thread_id", &r->thread_id, err))
        return false;

    /* Read the threads. */
    while (t->line.n && !textprof_at_maps(t)) {
        if (!slice_begins_with(t->line, "---- no stack trace for")) {
            if (!read_thread(r, err))
                return false;
            continue;
        }
        textprof_note_line(t, "is all the file contains about these threads");
        while (textprof_line(t) && !textprof_at_maps(t) &&
               !slice_begins_with(t->line, "---"))
            ;
    }
    note_count(t->notes, PROF_NOTE_WARN, r->n_bare,
               "%zu thread{s} without a stack kept as {a "
               "sample|samples} without frames",
               r->n_bare);
    note_count(t->notes, PROF_NOTE_LOSS, r->n_ignored,
               "%zu address{es} skipped in threads that repeat the stack "
               "of the previous thread",
               r->n_ignored);

    /* Read the mappings, then name the frames. */
    if (!textprof_finish(t, r->options->binary, true, err))
        return false;
    for (size_t i = 0; !r->options->no_symbols && i < r->names.n; i++) {
        const struct textprof_name name = {.function = r->names.v[i]};
        if (name.function.n && !textprof_name(t, (uint32_t)i, &name, 1, err))
            return false;
    }
    return true;
}

struct profile *threads_read(const struct import_input *in,
                             const struct import_options *options,
                             struct prof_err *err)
{
    struct reading r = {.options = options};
    bool ok = textprof_begin(&r.text, in->data, in->n, in->notes, err) &&
              read_text(&r, err);
    if (ok && profiler_frames_drop_repeated(r.text.p))
        note_info(in->notes, "second frames that repeat the leaf are dropped");
    vec_free(&r.names);
    return textprof_end(&r.text, ok);
}

const struct import_format threads_format = {
    .name = "threads",
    IMPORT_READ_BY("prof2pb", "a thread profile (text)"),
    .writers = {"gperftools"},
    .begins = threads_begins,
    .next = IMPORT_BELOW_MAPS,
};
