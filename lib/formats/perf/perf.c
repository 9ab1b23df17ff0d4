/* perf.c - sums of recordings, and the notes about them */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "formats/perf/private.h"

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

/* Notes how many samples lack callers. */
static void note_depths(const struct perf *p)
{
    const struct perf_depths *d = &p->chains.depths;
    const enum prof_note_level level = perf_depths_level(d);
    uint32_t bytes = 0;
    for (size_t i = 0; i < p->about.events.list.n; i++)
        if (p->about.events.list.v[i].stack_user > bytes)
            bytes = p->about.events.list.v[i].stack_user;
    if (d->cut)
        note_at(p->notes, level,
                "callers are missing from %" PRIu64 " of %" PRIu64
                " samples: stacks are "
                "larger than the %u bytes that were recorded; record with "
                "--call-graph %s",
                d->cut, d->n, (unsigned)bytes,
                bytes < PERF_STACK_BYTES ? "dwarf,65528" : "fp or lbr");
    if (d->full && !d->over)
        note_at(p->notes, level,
                "callers are missing from %" PRIu64 " of %" PRIu64
                " samples: the kernel "
                "limits the length of call chains; before recording, run "
                "sysctl kernel.perf_event_max_stack=1024",
                d->full, d->n);
}

/* Notes which recorded fields of samples a profile cannot hold. */
static void note_fields(const struct perf *p)
{
    static const struct {
        uint64_t type;
        const char *name;
    } fields[] = {
        {PERF_HAS_ADDR, "data addresses"},
        {PERF_HAS_WEIGHT | PERF_HAS_WEIGHT_STRUCT, "weights"},
        {PERF_HAS_DATA_SRC, "data sources"},
        {PERF_HAS_TRANSACTION, "transactions"},
    };
    uint64_t types = 0;
    bool branches = false;
    for (size_t i = 0; i < p->about.events.list.n; i++) {
        const struct perf_event *e = &p->about.events.list.v[i];
        if (!e->n_samples)
            continue;
        types |= e->sample_type;
        /* Branch stacks of calls are used as call chains. */
        branches |= e->sample_type & PERF_HAS_BRANCH_STACK &&
                    !(e->branch_type & PERF_BRANCH_CALL_STACK);
    }
    if (branches)
        note_warn(p->notes, "branch stacks (LBR) are not converted");
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (types & fields[i].type)
            note_info(p->notes, "%s of samples are not converted",
                      fields[i].name);
}

/* Notes what perf recorded but the profile lacks. */
static void note_unsupported(const struct perf *p)
{
    const struct perf_counts *c = &p->counts;
    const uint64_t traces = p->reader.missing.skipped[PERF_AUXTRACE];
    uint64_t samples = 0;
    for (size_t i = 0; i < p->about.events.list.n; i++)
        samples += p->about.events.list.v[i].n_samples;
    note_count(p->notes, PROF_NOTE_LOSS, p->chains.not_unwound,
               "user-space callers are missing from %" PRIu64
               " sample{s}: cannot "
               "unwind stacks of '%s' (supported: x86_64, i386, aarch64)",
               p->chains.not_unwound,
               p->about.arch.n ? (const char *)p->about.arch.v : "aarch32");
    if (p->reader.queue.late)
        note_warn(p->notes,
                  "%" PRIu64 " mapping and name records arrived too late to be "
                  "sorted by time: some functions may be missing or wrong "
                  "(record with a smaller -m or a lower -F)",
                  p->reader.queue.late);
    /* The last samples of a recording often lack their chains. */
    note_count(p->notes,
               c->not_joined > samples / 100 ? PROF_NOTE_WARN : PROF_NOTE_INFO,
               c->not_joined,
               "user-space callers are missing from %" PRIu64 " sample{s}: no "
               "deferred call chain (CALLCHAIN_DEFERRED) follows",
               c->not_joined);
    note_count(p->notes, PROF_NOTE_WARN, c->guests,
               "function names are missing from %" PRIu64 " sample{s} of guest "
               "systems: their mappings are not read",
               c->guests);
    note_count(p->notes, PROF_NOTE_LOSS, traces,
               "%" PRIu64 " hardware trace{s} (AUXTRACE) skipped; to decode "
               "them, convert the output of perf script --itrace=i10us",
               traces);
}

/* Notes what is missing in the recording itself. */
static void note_damage(const struct perf *p)
{
    const struct perf_reader *r = &p->reader;
    const struct perf_counts *c = &p->counts;
    char part[32] = "";
    if (r->killed)
        note_warn(p->notes,
                  "the header has no data size: perf record was killed; "
                  "build IDs and names of events may be missing");
    if (r->cut_part)
        snprintf(part, sizeof part, "data.%zu: ", r->cut_part - 1);
    if (r->cut)
        note_loss(p->notes,
                  "%soffset %" PRIu64
                  ": truncated or damaged record; it and all "
                  "later records are skipped",
                  part, r->cut_at);
    note_count(p->notes, PROF_NOTE_LOSS, c->bad_samples,
               "%" PRIu64
               " malformed sample{s} skipped, the first at offset %" PRIu64,
               c->bad_samples, c->first_bad);
    note_count(p->notes, PROF_NOTE_LOSS, c->no_event,
               "%" PRIu64 " sample{s} skipped: unknown event", c->no_event);
    perf_note_none(p);
    if (r->missing.lost)
        note_loss(p->notes,
                  "perf lost %" PRIu64 " samples while recording (use a "
                  "lower -F or a larger -m)",
                  r->missing.lost);
    if (r->missing.lost_events)
        note_loss(p->notes,
                  "perf lost %" PRIu64 " records while recording (use a "
                  "lower -F or a larger -m)",
                  r->missing.lost_events);
    note_count(p->notes, PROF_NOTE_WARN, r->missing.throttled,
               "the kernel throttled sampling %" PRIu64 " time{s}: samples are "
               "missing",
               r->missing.throttled);
}

static bool note_skipped(const struct perf *p, struct prof_err *err)
{
    struct buf b = {0};
    bool ok = true;
    for (unsigned i = 0; ok && i < PERF_TYPES; i++) {
        const uint64_t n = p->reader.missing.skipped[i];
        if (!n)
            continue;
        ok = buf_printf(&b, "%s%" PRIu64 " ", b.n ? ", " : "", n);
        ok = ok && (type_names[i] ? buf_puts(&b, type_names[i])
                    : i           ? buf_printf(&b, "of type %u", i)
                                  : buf_puts(&b, TEXT("of unknown types")));
    }
    ok = ok && (!b.n || buf_putc(&b, 0));
    if (ok && b.n)
        note_info(p->notes, "skipped records: %s", (const char *)b.v);
    buf_free(&b);
    return ok || err_nomem(err);
}

/* --- recordings ----------------------------------------------------------- */

static void free_recording(struct perf *p)
{
    if (!p)
        return;
    perf_close(&p->reader);
    perf_about_free(&p->about);
    perf_processes_free(&p->processes);
    perf_chains_free(&p->chains);
    perf_stacks_free(&p->stacks);
    vec_free(&p->waiting.list);
    perf_ids_free(&p->waiting.cookies);
    vec_free(&p->waiting.locations);
    vec_free(&p->waiting.joined);
    perf_ids_free(&p->cgroups);
    free(p);
}

/* Reads a whole recording; returns null on failure. */
static struct perf *read_recording(const struct perf_opts *opts,
                                   const struct import_input *in,
                                   struct prof_err *err)
{
    struct perf *p = mem_new(sizeof *p, err);
    if (!p)
        return NULL;
    p->opts = opts;
    p->notes = in->notes;
    p->made = in->made;
    p->is_text = perf_text_begins(in->data, in->n);
    p->running = 1;
    p->reader = (struct perf_reader){
        .about = &p->about,
        .notes = p->notes,
        .switches =
            opts->latency || opts->labels >> PERF_LABEL_PARALLELISM & 1};
    p->chains = (struct perf_chains){
        .opts = opts, .notes = p->notes, .processes = &p->processes};
    bool ok = (strtab_init(&p->about.names) || err_nomem(err)) &&
              perf_processes_init(&p->processes, &p->about, err) &&
              perf_stacks_init(&p->stacks, err);
    if (ok && p->is_text) {
        ok = perf_text_read(p, in, err);
    } else if (ok && (ok = perf_read(p, in, err))) {
        note_damage(p);
        note_depths(p);
        note_unsupported(p);
        note_fields(p);
        perf_note_labels(p);
        ok = note_skipped(p, err);
    }
    if (ok) {
        perf_tell_time(p);
        return p;
    }
    free_recording(p);
    return NULL;
}

/* --- the sum -------------------------------------------------------------- */

struct perf_sum {
    const struct perf_opts *opts;
    struct import_sum merged; /* the sum of the inputs */
    /* With each_process: the recording, its processes and the next one. */
    struct perf *divided;
    struct perf_maker *maker;
    struct perf_parts parts;
    size_t next;
};

void perf_sum_free(struct perf_sum *sum)
{
    if (!sum)
        return;
    prof_merge_free(sum->merged.merger);
    perf_maker_free(sum->maker);
    free_recording(sum->divided);
    vec_free(&sum->parts.list);
    free(sum);
}

struct perf_sum *perf_sum_new(const struct perf_opts *opts,
                              const struct prof_notes *notes,
                              struct prof_err *err)
{
    struct perf_sum *sum = mem_new(sizeof *sum, err);
    if (sum) {
        sum->opts = opts;
        sum->merged.notes = notes;
    }
    return sum;
}

bool perf_sum_add(struct perf_sum *sum, const struct import_input *in,
                  struct prof_err *err)
{
    struct perf *p = read_recording(sum->opts, in, err);
    if (!p)
        return false;
    if (sum->opts->each_process) {
        sum->divided = p;
        return perf_divide(p, &sum->parts, err) &&
               (sum->maker = perf_maker_new(p, err));
    }
    struct perf_maker *maker = perf_maker_new(p, err);
    struct profile *profile =
        maker ? perf_make_profile(maker, NULL, err) : NULL;
    perf_maker_free(maker);
    free_recording(p);
    return import_sum_add(&sum->merged, profile, err);
}

struct profile *perf_sum_finish(struct perf_sum *sum, struct prof_err *err)
{
    return import_sum_finish(&sum->merged, &sum->opts->result, err);
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
    *p = perf_make_profile(sum->maker, part, err);
    if (*p && prof_merge_one(*p, NULL, err))
        return true;
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
