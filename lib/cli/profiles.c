/* profiles.c - reads profiles: one by one, merged, or straight into a sum */
#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/parallel.h"
#include "base/system.h"
#include "cli/edits.h"
#include "cli/private.h"
#include "cli/source.h"
#include "formats/import_formats.h"

bool cli_sum_add(struct cli_sum *sum, struct profile *p, struct prof_err *err)
{
    bool ok = true;
    if (!sum->n++) {
        sum->only = p;
        return true;
    }
    if (!sum->all) {
        sum->all = prof_merge_new(NULL, err);
        ok = sum->all && prof_merge_add(sum->all, sum->only, err);
    }
    ok = ok && prof_merge_add(sum->all, p, err);
    prof_delete(p);
    return ok;
}

bool cli_no_profile(struct cli *cli, const char *subject)
{
    struct prof_err err;
    err_input(&err, "no profile in the input");
    cli_error(cli, subject, &err);
    return false;
}

/* Warns if n, the number of profiles with estimated stacks, is above 1. */
static void warn_of_estimates(const struct cli *cli, size_t n)
{
    if (n > 1)
        note_warn(&cli->notes,
                  "the call stacks of %zu inputs were estimated separately: "
                  "to estimate those of the sum, merge profiles of gmon2pb "
                  "--flat and use pbfilter --estimate-stacks",
                  n);
}

struct profile *cli_sum_finish(struct cli_sum *sum, struct cli *cli, bool ok,
                               const char *subject)
{
    struct prof_err err;
    struct profile *p = NULL;
    if (ok && !sum->n) {
        cli_no_profile(cli, subject);
    } else if (ok && sum->all) {
        p = prof_merge_result(sum->all, NULL, &err);
        if (p)
            warn_of_estimates(cli, prof_merge_state(sum->all).estimated);
        else
            cli_error(cli, subject, &err);
    } else if (ok) {
        p = sum->only;
        sum->only = NULL;
    }
    prof_merge_free(sum->all);
    prof_delete(sum->only);
    return p;
}

/* --- a limit of memory ---------------------------------------------------- */

/*
 * The memory limit of the process.  The merger (prof_merge_opts) limits the
 * memory that it counts, and the kernel limits everything else: allocations
 * then fail, and cli_error() explains why.
 */
struct memory {
    struct cli *cli;
    uint64_t room; /* bytes for everything but the program itself */
};

/*
 * Memory that the program needs whatever the input: code, libraries and their
 * data; and for each thread beyond its share of sums and inputs, mostly two
 * pieces of output and a compressor.
 */
#define PROGRAM_BYTES ((uint64_t)8 << 20)
#define THREAD_BYTES ((uint64_t)12 << 20)
#define INPUT_BYTES ((uint64_t)16 << 20) /* that any input needs */

enum {
    PARTS = 3, /* `room` is shared by sums, their growth, and inputs */
    /* Bytes in memory for each byte of a file, and of decompressed data. */
    FILE_FACTOR = 12,
    RAW_FACTOR = 3,
    STACK_BYTES = 1024 * 1024, /* stack of a thread */
    FREED_BLOCK = 256 * 1024,  /* larger blocks are returned when freed */
};

/* Sets the limit, and lowers cli->threads to what fits in it. */
static void memory_limit(struct memory *m, struct cli *cli,
                         const struct cli_merging *how)
{
    *m = (struct memory){.cli = cli, .room = how->memory - PROGRAM_BYTES};
    uint64_t most = m->room / THREAD_BYTES;
    if (most < cli->threads) {
        unsigned n = most ? (unsigned)most : 1;
        if (n < cli->threads)
            note_info(&cli->notes, "--memory: using %u threads instead of %u",
                      n, cli->threads);
        cli->threads = n;
    }
    cli->memory = how->memory;
    /* Make malloc() return freed memory to the system. */
    system_malloc_trim(FREED_BLOCK, STACK_BYTES);
    /* Sanitizers reserve terabytes that they never touch, so set no limit. */
    if (system_private_bytes() >= m->room)
        return;
    /* RLIMIT_DATA limits memory that is not backed by files. */
    struct rlimit r;
    if (getrlimit(RLIMIT_DATA, &r) == 0 && r.rlim_cur > m->room) {
        r.rlim_cur = (rlim_t)m->room;
        (void)setrlimit(RLIMIT_DATA, &r);
    }
}

/* Returns the estimated memory of an input before it is merged; 0: unknown. */
static uint64_t input_bytes(const char *path)
{
    struct stat st;
    if (strcmp(path, "-") == 0 || stat(path, &st) != 0 || st.st_size < 0)
        return 0;
    return (uint64_t)st.st_size * FILE_FACTOR;
}

/* Returns how many threads, at most `wanted`, can read inputs at a time. */
static unsigned memory_workers(const struct memory *m, unsigned wanted)
{
    uint64_t most = 0;
    for (size_t i = 0; wanted > 1 && i < m->cli->n_inputs; i++) {
        uint64_t bytes = input_bytes(m->cli->inputs[i]);
        if (bytes > most)
            most = bytes;
    }
    uint64_t n = most ? m->room / PARTS / most : wanted;
    if (n >= wanted)
        return wanted;
    n = n ? n : 1;
    note_info(&m->cli->notes,
              "--memory: reading inputs with %u threads instead of %u",
              (unsigned)n, wanted);
    return (unsigned)n;
}

/*
 * If *err is that memory was out while reading an input, and the limit is too
 * low for the input, replaces *err by an estimate of the limit that would do.
 * raw: bytes of the message to decode; 0 if memory was out before.
 */
static void explain_nomem(const struct memory *m, const char *path, size_t raw,
                          struct prof_err *err)
{
    uint64_t need = INPUT_BYTES + PROGRAM_BYTES +
                    (raw ? (uint64_t)raw * RAW_FACTOR : input_bytes(path));
    if (!err_is_nomem(err) || need <= m->cli->memory)
        return;
    err_set(err, PROF_ERR_SYSTEM,
            "exceeds --memory=%" PRIu64 "M: about %" PRIu64 "M is needed",
            m->cli->memory >> 20, (need >> 20) + 1);
}

/* --- the profiles of an input --------------------------------------------- */

struct callback {
    cli_profile_fn *fn;
    void *ctx;
    size_t n; /* number of calls */
};

/* From this size on, decoding an input while it is read is worth it. */
enum { LARGE_FILE = 2 << 20 };

/* Passes profiles to one of merger, sum and callback; the others are null. */
struct reader {
    struct prof_merger *merger;
    struct cli_sum *sum;
    struct callback *callback;
    const struct memory *memory; /* limit of the merger; or null */
    atomic_bool *reported;       /* the merger's failure was reported */
    unsigned threads;            /* to decode one profile */
    struct cli_edit edit;        /* edits for the merger */
    struct source source;
    struct profile *p; /* the decoded profile, for sum or callback */
};

/* Replaces *err by the format of the bytes, if it is known.  Returns false. */
static bool refuse_format(const uint8_t *data, size_t n, struct prof_err *err)
{
    const char *words = import_describe(data, n);
    if (!words || err->kind != PROF_ERR_INPUT)
        return false;
    bool is_program = n > 4 && memcmp(data, "\177ELF", 4) == 0;
    return err_input(err, "not a profile.proto message: found %s%s", words,
                     is_program ? "; the program of a profile is specified "
                                  "with -e FILE (pbcat, pbsym)"
                                : "");
}

static bool decode(struct reader *r, const struct input_part *part,
                   struct prof_err *err)
{
    struct cli_notes notes;
    cli_notes_init(&notes, r->source.cli, r->source.subject);
    struct prof_decode_opts opts = {.threads = r->threads,
                                    .discard = true,
                                    .plain = true,
                                    .blocks = part->blocks,
                                    .notes = &notes.notes,
                                    .name = r->source.subject};
    if (part->blocks)
        part->blocks->shares = r->source.cli->shares_stacks;
    if (r->edit.edits) {
        opts.edit = cli_edit_profile;
        opts.ctx = &r->edit;
        r->edit.threads = r->threads;
        r->edit.name = part->entry          ? part->entry
                       : r->source.is_stdin ? NULL
                                            : r->source.path;
    }
    if (r->merger)
        return prof_merge_decode(r->merger, part->data, part->n, &opts, err);
    r->p = prof_decode(part->data, part->n, &opts, err);
    return r->p != NULL;
}

static bool call_back(struct reader *r, struct prof_err *err)
{
    struct callback *c = r->callback;
    struct cli_notes notes;
    cli_notes_init(&notes, r->source.cli, r->source.subject);
    c->n++;
    bool ok = c->fn(c->ctx, r->source.subject, r->p, &notes.notes, err) &&
              notes_lossless(&notes.notes, err);
    prof_delete(r->p);
    return ok;
}

static bool read_part(struct reader *r, const struct input_part *part,
                      struct prof_err *err)
{
    const uint8_t *data = part->data;
    if (part->refused) {
        (void)err_input(err, "%s", part->refused);
        return refuse_format(data, part->n, err);
    }
    if (part->blocks && !decode(r, part, err)) {
        if (!part->blocks->refused)
            return false;
        /* As a whole, it is decoded, or an error says where it is damaged. */
        note_info(&r->source.notes.notes,
                  "reading the input a second time, as a whole: %s", err->text);
        return input_again(r->source.in, err);
    }
    bool ok = part->blocks || (part->n ? decode(r, part, err) ||
                                             refuse_format(data, part->n, err)
                                       : source_refuse_empty(&r->source, err));
    if (ok) {
        source_release(&r->source);
        if (r->callback)
            ok = call_back(r, err);
        else if (!r->merger)
            ok = cli_sum_add(r->sum, r->p, err);
    }
    size_t joined = r->source.joined;
    if (ok || !joined)
        return ok;
    return err_prefix(err, "%zu gzip members read as one profile: ", joined);
}

/* Reports an error of a part.  Returns true if -k says to continue. */
static bool part_failed(struct reader *r, const char *path, size_t raw,
                        struct prof_err *err)
{
    bool broken = r->merger && prof_merge_state(r->merger).broken;
    if (broken && atomic_exchange(r->reported, true))
        return false;
    if (err->about == PROF_ERR_ABOUT_OPTIONS) { /* not about this input */
        cli_error(r->source.cli, NULL, err);
        return false;
    }
    if (r->memory && (raw || !r->source.is_archive))
        explain_nomem(r->memory, path, raw, err);
    return source_failed(&r->source, err) && !broken;
}

/* Reads all profiles of an input.  Returns false to stop. */
static bool read_input(struct reader *r, struct cli *cli, const char *path)
{
    struct input_part part;
    struct prof_err err;
    bool on = true;
    const struct memory *m = r->memory;
    r->source =
        source_of(cli, &path, 1,
                  &(struct source_opts){.flags = SOURCE_PROFILES,
                                        .blocks_from = m ? 0 : LARGE_FILE,
                                        .threads = r->threads});
    if (m && input_bytes(path) > m->room / PARTS &&
        !prof_merge_spill(r->merger, 0, &err)) {
        cli_error(cli, NULL, &err);
        return false;
    }
    for (int got; on && (got = source_next(&r->source, &part, &err)) != 0;)
        if (got < 0 || !read_part(r, &part, &err))
            on = part_failed(r, path, got < 0 ? 0 : part.n, &err);
    source_end(&r->source);
    return on;
}

static bool read_inputs(struct reader *r, struct cli *cli)
{
    bool on = true;
    for (size_t i = 0; on && i < cli->n_inputs; i++)
        on = read_input(r, cli, cli->inputs[i]);
    return on;
}

/* --- all inputs into one merger, by several threads ----------------------- */

struct merging {
    struct cli *cli;
    struct prof_merger *merger;
    const struct memory *memory; /* null: no limit */
    struct cli_edits *edits;     /* or null */
    bool common;                 /* keep only types that all inputs have */
    struct reader *readers;      /* one for each thread */
    size_t n_done;               /* inputs that one thread read first */
    atomic_bool stopped, reported;
};

static void add_input(void *ctx, unsigned thread, size_t i)
{
    struct merging *g = ctx;
    struct reader *r = &g->readers[thread];
    i += g->n_done;
    r->edit.group = g->cli->groups[i];
    if (!g->stopped && !read_input(r, g->cli, g->cli->inputs[i]))
        g->stopped = true;
}

/* Adds all inputs to the merger.  Returns false if it stopped early. */
static bool add_inputs(struct merging *g, struct prof_err *err)
{
    struct cli *cli = g->cli;
    g->readers = mem_zarray(cli->threads, sizeof *g->readers);
    if (!g->readers)
        return err_nomem(err);
    for (unsigned i = 0; i < cli->threads; i++)
        g->readers[i] =
            (struct reader){.merger = g->merger,
                            .memory = g->memory,
                            .reported = &g->reported,
                            .edit = {.edits = g->edits, .common = g->common},
                            .threads = cli->threads};
    /*
     * Threads share the inputs when their order does not matter: the same ones
     * are refused in any order.  Without -k, one refused input ends everything.
     */
    while (!g->stopped && g->n_done < cli->n_inputs) {
        const struct prof_merge_state state = prof_merge_state(g->merger);
        if (cli->keep_going ? state.settled : state.inputs > 0)
            break;
        add_input(g, 0, 0);
        g->n_done++;
    }
    size_t left = cli->n_inputs - g->n_done;
    unsigned n = left < cli->threads ? (unsigned)left : cli->threads;
    if (!g->stopped && n) {
        if (g->memory)
            n = memory_workers(g->memory, n);
        for (unsigned i = 0; i < n; i++)
            g->readers[i].threads = cli->threads / n;
        parallel_run(n, left, add_input, g);
    }
    free(g->readers);
    return !g->stopped;
}

static void left_out(void *ctx, const char *name, const struct prof_err *why)
{
    (void)cli_input_error(ctx, name, why);
}

struct profile *cli_merge_inputs(struct cli *cli, const struct cli_merging *how)
{
    struct profile *sum = NULL;
    struct memory memory;
    struct merging g = {.cli = cli,
                        .memory = how->memory ? &memory : NULL,
                        .edits = how->edits,
                        .common = how->types == PROF_TYPES_INTERSECT};
    struct prof_err err = {0};
    if (how->memory)
        memory_limit(&memory, cli, how);
    const struct prof_merge_opts opts = {
        .types = how->types,
        .threads = cli->threads,
        .memory = how->to_change ? 0 : how->memory,
        .only = how->only,
        .apart = cli->keep_going,
        .left_out = left_out,
        .ctx = cli,
        .notes = &cli->notes,
    };
    /* A second input would make all stacks of the first be stored whole. */
    cli->shares_stacks = cli->n_inputs == 1 && !how->to_change;
    g.merger = prof_merge_new(&opts, &err);
    bool ok = g.merger && add_inputs(&g, &err);
    struct prof_merge_state state = {0};
    if (g.merger)
        state = prof_merge_state(g.merger);
    if (ok && !state.inputs && !state.skipped)
        ok = err_input(&err, "no profile to merge");
    if (ok) {
        const struct prof_result_opts result = {.threads = cli->threads,
                                                .to_write = !how->to_change};
        sum = prof_merge_result(g.merger, &result, &err);
        state = prof_merge_state(g.merger);
        warn_of_estimates(cli, state.estimated);
        cli_edits_report(how->edits, &cli->notes);
    }
    if (err.kind)
        cli_error(cli, NULL, &err);
    if (state.disk)
        note_info(&cli->notes, "--memory: used up to %" PRIu64 "M on disk",
                  (state.disk >> 20) + 1);
    cli->private->spilled = state.disk > 0;
    prof_merge_free(g.merger);
    return sum;
}

/* --- each, and all as one ------------------------------------------------- */

bool cli_each_profile(struct cli *cli, cli_profile_fn *fn, void *ctx)
{
    struct callback callback = {.fn = fn, .ctx = ctx};
    struct reader r = {.callback = &callback, .threads = cli->threads};
    return read_inputs(&r, cli) && (callback.n || cli_no_profile(cli, NULL));
}

struct profile *cli_read_profile(struct cli *cli)
{
    struct cli_sum sum = {0};
    struct reader r = {.sum = &sum, .threads = cli->threads};
    bool ok = read_inputs(&r, cli);
    return cli_sum_finish(&sum, cli, ok, NULL);
}

struct profile *cli_read_file(struct cli *cli, const char *path)
{
    struct cli_sum sum = {0};
    struct reader r = {.sum = &sum, .threads = cli->threads};
    struct prof_err err;
    if (strcmp(path, "-") == 0 && !cli_claim_stdin(cli, &err)) {
        cli_error(cli, NULL, &err);
        return NULL;
    }
    bool ok = read_input(&r, cli, path);
    return cli_sum_finish(&sum, cli, ok, path);
}
