/* perf.c - the converter of perf.data files */
#include <stdio.h>
#include <stdlib.h>

#include "formats/perf/private.h"
#include "profile/merge/merge.h"

/* Types of records that may be skipped, as perf names them. */
static const char *const type_names[PERF_TYPES] = {
    [6] = "UNTHROTTLE",    [8] = "READ",
    [11] = "AUX",          [12] = "ITRACE_START",
    [14] = "SWITCH",       [15] = "SWITCH_CPU_WIDE",
    [16] = "NAMESPACES",   [18] = "BPF_EVENT",
    [20] = "TEXT_POKE",    [21] = "AUX_OUTPUT_HW_ID",
    [66] = "TRACING_DATA", [70] = "AUXTRACE_INFO",
    [71] = "AUXTRACE",     [72] = "AUXTRACE_ERROR",
    [73] = "THREAD_MAP",   [74] = "CPU_MAP",
    [75] = "STAT_CONFIG",  [76] = "STAT",
    [77] = "STAT_ROUND",   [79] = "TIME_CONV",
};

static bool put_skipped(struct buf *b, const struct perf *p)
{
    bool ok = true;
    for (unsigned i = 0; ok && i < PERF_TYPES; i++) {
        unsigned long long n = p->counts.skipped[i];
        if (!n)
            continue;
        ok = buf_printf(b, "%s%llu ", b->n ? ", " : "", n);
        ok = ok && (type_names[i] ? buf_puts(b, type_names[i])
                    : i           ? buf_printf(b, "of type %u", i)
                                  : buf_puts(b, "of unknown types"));
    }
    return ok;
}

static bool note_skipped(const struct perf *p, struct prof_err *err)
{
    struct buf b = {0};
    bool ok =
        (put_skipped(&b, p) && (!b.n || buf_putc(&b, 0))) || err_nomem(err);
    if (ok && b.n)
        note_info(p->notes, "skipped records: %s", (const char *)b.v);
    buf_free(&b);
    return ok;
}

/*
 * Whether more than 1% of the samples lack the rest of their call chain: of the
 * last samples of a recording, some always do.
 */
static bool is_worth_a_warning(const struct perf *p)
{
    uint64_t n = 0;
    for (size_t i = 0; i < p->events.list.n; i++)
        n += p->events.list.v[i].n_samples;
    return p->counts.not_joined > n / 100;
}

/* Reports samples that lack callers. */
static void note_depths(const struct perf *p)
{
    const struct perf_depths *d = &p->depths;
    const enum prof_note_level level = perf_depths_level(d);
    uint32_t bytes = 0;
    for (size_t i = 0; i < p->events.list.n; i++)
        if (p->events.list.v[i].stack_user > bytes)
            bytes = p->events.list.v[i].stack_user;
    if (d->cut)
        note_at(p->notes, level,
                "%llu of %llu samples lack callers: their stacks are larger "
                "than the %u bytes that were recorded; record with "
                "--call-graph %s",
                (unsigned long long)d->cut, (unsigned long long)d->n,
                (unsigned)bytes,
                bytes < PERF_STACK_BYTES ? "dwarf,65528" : "fp or lbr");
    if (d->full && !d->over)
        note_at(p->notes, level,
                "%llu of %llu samples lack callers: their call chains are as "
                "long as the kernel records; before recording, run sysctl "
                "kernel.perf_event_max_stack=1024",
                (unsigned long long)d->full, (unsigned long long)d->n);
}

/* Reports what perf recorded and the profile lacks. */
static void note_unsupported(const struct perf *p)
{
    const struct perf_counts *c = &p->counts;
    if (c->not_unwound)
        note_loss(
            p->notes,
            "%llu samples have no user-space callers: cannot unwind stacks "
            "of '%s' (supported: x86_64, i386, aarch64)",
            (unsigned long long)c->not_unwound,
            p->arch.n ? (const char *)p->arch.v : "aarch32");
    if (c->late)
        note_warn(p->notes,
                  "%llu records of mappings and names came too late to be "
                  "sorted by time: samples may lack functions or have wrong "
                  "ones",
                  (unsigned long long)c->late);
    if (c->not_joined)
        note_at(p->notes,
                is_worth_a_warning(p) ? PROF_NOTE_WARN : PROF_NOTE_INFO,
                "%llu samples have no user-space callers: their deferred "
                "call chains (CALLCHAIN_DEFERRED) are missing",
                (unsigned long long)c->not_joined);
    if (c->guests)
        note_warn(p->notes,
                  "%llu samples of guest systems have no function names: their "
                  "mappings are not read",
                  (unsigned long long)c->guests);
    if (c->skipped[PERF_AUXTRACE])
        note_loss(p->notes,
                  "%llu hardware traces (AUXTRACE) are not decoded; convert "
                  "the output of perf script --itrace=i10us",
                  (unsigned long long)c->skipped[PERF_AUXTRACE]);
}

static void note_labels(const struct perf *p)
{
    unsigned has = 0;
    for (size_t i = 0; i < p->stacks.labels.n; i++)
        has |= p->stacks.labels.v[i].has;
    if (p->stacks.counts.n)
        perf_note_labels(p->notes, p->opts->labels, has);
}

static bool note_counts(const struct perf *p, struct prof_err *err)
{
    const struct perf_counts *c = &p->counts;
    const struct prof_notes *notes = p->notes;
    if (p->killed)
        note_warn(notes, "the header has no data size: perf record was killed; "
                         "build IDs and names of events may be missing");
    if (p->cut) {
        char part[32] = "";
        if (p->cut_part)
            snprintf(part, sizeof part, "data.%zu: ", p->cut_part - 1);
        note_loss(notes,
                  "%soffset %llu: truncated or damaged record; it and all "
                  "later records are skipped",
                  part, (unsigned long long)p->cut_at);
    }
    if (c->bad_samples)
        note_loss(notes,
                  "%llu malformed samples skipped, the first at offset "
                  "%llu",
                  (unsigned long long)c->bad_samples,
                  (unsigned long long)c->first_bad);
    if (c->no_event)
        note_loss(notes, "%llu samples skipped: their event is unknown",
                  (unsigned long long)c->no_event);
    if (c->filtered && !p->stacks.counts.n)
        note_warn(notes, "none of %llu samples match --pid, --comm or --time",
                  (unsigned long long)c->filtered);
    if (c->lost)
        note_loss(notes, "perf lost %llu samples while it recorded",
                  (unsigned long long)c->lost);
    if (c->lost_events)
        note_loss(notes, "perf lost %llu records while it recorded",
                  (unsigned long long)c->lost_events);
    if (c->throttled)
        note_warn(notes,
                  "the kernel throttled sampling %llu times: samples are "
                  "missing",
                  (unsigned long long)c->throttled);
    note_depths(p);
    note_unsupported(p);
    note_labels(p);
    return note_skipped(p, err);
}

/* --- the converter -------------------------------------------------------- */

struct perf_sum {
    const struct perf_opts *opts;
    struct import_sum *merged; /* of inputs */
    /* With each_process, the input, and its processes: */
    struct perf *divided; /* null: it is text */
    struct perf_maker *maker;
    struct perf_text text;
    struct perf_parts parts;
    size_t next;
};

static void free_recording(struct perf *p)
{
    if (p)
        perf_free(p);
    free(p);
}

void perf_sum_free(struct perf_sum *sum)
{
    if (!sum)
        return;
    import_sum_free(sum->merged);
    perf_maker_free(sum->maker);
    free_recording(sum->divided);
    perf_text_free(&sum->text);
    vec_free(&sum->parts.list);
    free(sum);
}

struct perf_sum *perf_sum_new(const struct perf_opts *opts,
                              const struct prof_notes *notes,
                              struct prof_err *err)
{
    struct perf_sum *sum = mem_zarray(1, sizeof *sum);
    if (!sum) {
        (void)err_nomem(err);
        return NULL;
    }
    sum->opts = opts;
    sum->merged = import_sum_new(notes, err);
    if (sum->merged)
        return sum;
    perf_sum_free(sum);
    return NULL;
}

/* Keeps the recording, and lists its processes. */
static bool divide(struct perf_sum *sum, struct perf *p, struct prof_err *err)
{
    sum->divided = p;
    return perf_divide(p, &sum->parts, err) &&
           (sum->maker = perf_maker_new(p, err));
}

static bool divide_text(struct perf_sum *sum, const struct perf_text *text,
                        struct prof_err *err)
{
    sum->text = *text;
    return perf_text_divide(&sum->text, &sum->parts, err);
}

static bool add_text(struct perf_sum *sum, const struct import_input *in,
                     struct prof_err *err)
{
    struct perf_text text = {0};
    const struct perf_opts *opts = sum->opts;
    bool ok = perf_text_read(in, opts, &text, err);
    if (ok && opts->each_process)
        return divide_text(sum, &text, err);
    ok = ok && perf_text_add_samples(&text, err) &&
         import_sum_add(sum->merged, &text.p, err);
    perf_text_free(&text);
    return ok;
}

bool perf_sum_add(struct perf_sum *sum, const struct import_input *in,
                  struct prof_err *err)
{
    if (perf_text_begins(in->data, in->n))
        return add_text(sum, in, err);
    struct perf *p = mem_zarray(1, sizeof *p);
    struct perf_maker *maker = NULL;
    struct profile profile = {0};
    if (!p)
        return err_nomem(err);
    p->opts = sum->opts;
    p->notes = in->notes;
    p->made = in->made;
    bool ok = perf_read(p, in, err) && note_counts(p, err);
    if (ok && p->opts->each_process)
        return divide(sum, p, err);
    ok = ok && (maker = perf_maker_new(p, err)) &&
         perf_make_profile(maker, NULL, &profile, err);
    perf_maker_free(maker);
    free_recording(p);
    ok = ok && import_sum_add(sum->merged, &profile, err);
    prof_free(&profile);
    return ok;
}

struct profile *perf_sum_finish(struct perf_sum *sum, struct prof_err *err)
{
    return import_sum_finish(sum->merged, err);
}

bool perf_sum_next(struct perf_sum *sum, struct profile **p, struct buf *name,
                   struct prof_err *err)
{
    *p = NULL;
    if (sum->next == sum->parts.list.n)
        return true;
    const struct perf_part *part = &sum->parts.list.v[sum->next++];
    if (!buf_printf(name, ".%lld", (long long)part->pid))
        return err_nomem(err);
    *p = calloc(1, sizeof **p);
    if (!*p)
        return err_nomem(err);
    if (sum->divided ? perf_make_profile(sum->maker, part, *p, err)
                     : perf_text_take(&sum->text, part, *p, err)) {
        *p = prof_merge_one(*p, NULL, err);
        return *p != NULL;
    }
    prof_delete(*p);
    *p = NULL;
    return false;
}

static bool is_stream(const uint8_t *head, size_t n)
{
    return perf_begins(head, n) || perf_text_begins(head, n);
}

const struct import_format perf_format = {
    .name = "perf",
    IMPORT_READ_BY("perf2pb", "a perf.data file"),
    .begins = perf_begins,
};

const struct import_format perf_text_format = {
    .name = "perf_text",
    IMPORT_READ_BY("perf2pb", "the output of perf script"),
    .begins = perf_text_begins,
};

const struct input_streams perf_streams = {is_stream, "data"};
