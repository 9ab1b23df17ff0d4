/* profiles.c - reads profiles: one by one, merged, or straight into a sum */
#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/system.h"
#include "cli/private.h"
#include "cli/source.h"
#include "formats/import_formats.h"
#include "profile/merge/merge.h"
#include "profile/wire/pb.h"

bool cli_sum_add(struct cli_sum *sum, struct profile *p, struct prof_err *err)
{
    if (!sum->n++) {
        sum->only = *p;
        memset(p, 0, sizeof *p);
        return true;
    }
    if (!sum->all) {
        sum->all = prof_merge_new(PROF_TYPES_SAME, err);
        if (!sum->all || !prof_merge_add(sum->all, &sum->only, err))
            return false;
        prof_free(&sum->only);
    }
    return prof_merge_add(sum->all, p, err);
}

bool cli_no_profile(struct cli *cli, const char *subject)
{
    struct prof_err err;
    err_set(&err, PROF_ERR_INPUT, "no profile in the input");
    cli_error(cli, subject, &err);
    return false;
}

/* n: added profiles with estimated stacks, prof_merge_estimated(). */
static void warn_of_estimates(const struct cli *cli, size_t n)
{
    if (n > 1)
        note_warn(&cli->notes,
                  "%zu inputs have call stacks that were estimated separately: "
                  "to estimate those of the sum, merge profiles of gmon2pb "
                  "--flat and use pbfilter --estimate-stacks",
                  n);
}

bool cli_sum_finish(struct cli_sum *sum, struct cli *cli, bool ok,
                    const char *subject, struct profile *p)
{
    struct prof_err err;
    size_t estimated = sum->all ? prof_merge_estimated(sum->all) : 0;
    if (ok && !sum->n) {
        ok = cli_no_profile(cli, subject);
    } else if (ok && sum->all &&
               !prof_merge_finish(sum->all, 1, p, NULL, &err)) {
        cli_error(cli, subject, &err);
        ok = false;
    } else if (ok && sum->all) {
        warn_of_estimates(cli, estimated);
    } else if (ok) {
        *p = sum->only;
        memset(&sum->only, 0, sizeof sum->only);
    }
    prof_merge_free(sum->all);
    prof_free(&sum->only);
    return ok;
}

/* --- a limit of memory ---------------------------------------------------- */

/*
 * The limit applies to the whole process.  What the program itself needs is
 * subtracted; the rest, the room, is divided:
 *
 *   1/3  the sum; if it grows beyond that, its samples go to disk
 *        (prof_merge_spill())
 *   2/3  inputs while they are read, and the sum while it grows and is finished
 *
 * The sizes of arrays are counted, and the kernel enforces the limit on
 * everything else: memory is then out, and cli_error() explains why.
 */
struct memory {
    struct cli *cli;
    bool in_memory; /* never write samples to disk */
    uint64_t room;  /* bytes */
    bool measured;  /* the system reports how many of them are in use */
    unsigned workers;
    pthread_mutex_t lock; /* of err */
    atomic_bool failed;
    struct prof_err err; /* the first failure, after which nothing is done */
};

#define LEAST_LIMIT ((uint64_t)16 << 20)

/*
 * What the program needs for any input: code, libraries and their data; and a
 * thread beyond its share of sums and inputs, most of it for writing: two
 * pieces of the output, and a compressor.
 */
#define PROGRAM_BYTES ((uint64_t)8 << 20)
#define THREAD_BYTES ((uint64_t)12 << 20)
#define INPUT_BYTES ((uint64_t)16 << 20) /* of an input, whatever its size */

enum {
    PARTS = 3, /* of the room: sums, their growth, inputs */
    /* Bytes of an input in memory for one in the file, and decompressed: */
    FILE_FACTOR = 12,
    RAW_FACTOR = 3,
    STACK_BYTES = 1024 * 1024, /* of a thread */
    LARGE_BLOCK = 256 * 1024,  /* goes back to the system when freed */
};

/* The kernel keeps memory without a file behind it below `bytes`. */
static void limit_data(uint64_t bytes)
{
    struct rlimit r;
    /* What is freed can be used for everything else. */
    system_save_memory(LARGE_BLOCK, STACK_BYTES);
    if (getrlimit(RLIMIT_DATA, &r) != 0 || r.rlim_cur <= bytes)
        return;
    r.rlim_cur = (rlim_t)bytes;
    (void)setrlimit(RLIMIT_DATA, &r);
}

/* Sets the limit, and lowers cli->threads to what fits in it. */
static bool memory_limit(struct memory *m, struct cli *cli,
                         const struct cli_merging *how, struct prof_err *err)
{
    if (how->memory < LEAST_LIMIT)
        return err_set(err, PROF_ERR_USAGE,
                       "--memory requires at least %" PRIu64 "M",
                       LEAST_LIMIT >> 20);
    *m = (struct memory){.cli = cli,
                         .in_memory = how->in_memory,
                         .room = how->memory - PROGRAM_BYTES,
                         .workers = 1};
    int failed = pthread_mutex_init(&m->lock, NULL);
    if (failed)
        return err_errno(err, failed, "cannot create a lock");
    uint64_t most = m->room / THREAD_BYTES;
    if (most < cli->threads) {
        unsigned n = most ? (unsigned)most : 1;
        if (n < cli->threads)
            note_info(&cli->notes, "--memory: %u threads instead of %u", n,
                      cli->threads);
        cli->threads = n;
    }
    cli->memory = how->memory;
    uint64_t used = system_private_bytes();
    m->measured = used && used < m->room;
    /* Sanitizers have reserved terabytes by now, which they never touch. */
    if (used < m->room)
        limit_data(m->room);
    return true;
}

/* Bytes that an input takes in memory, before it is in the sum. */
static uint64_t input_bytes(const char *path)
{
    struct stat st;
    if (strcmp(path, "-") == 0 || stat(path, &st) != 0 || st.st_size < 0)
        return 0;
    return (uint64_t)st.st_size * FILE_FACTOR;
}

/* How many threads, at most `wanted`, can read inputs at once. */
static unsigned memory_workers(struct memory *m, unsigned wanted)
{
    uint64_t most = 0;
    m->workers = wanted;
    if (wanted < 2)
        return wanted;
    for (size_t i = 0; i < m->cli->n_inputs; i++) {
        uint64_t bytes = input_bytes(m->cli->inputs[i]);
        if (bytes > most)
            most = bytes;
    }
    uint64_t n = most ? m->room / PARTS / most : wanted;
    if (n < wanted) {
        m->workers = n ? (unsigned)n : 1;
        note_info(&m->cli->notes,
                  "--memory: %u threads read inputs instead of %u", m->workers,
                  wanted);
    }
    return m->workers;
}

/* Bytes of what is not samples, of all threads. */
static uint64_t entity_bytes(const struct memory *m,
                             struct prof_merge_size size)
{
    return size.entities + size.own * m->workers;
}

/* Entities that do not fit, with room for as many samples as a third. */
static bool refuse_entities(uint64_t entities, struct prof_err *err)
{
    uint64_t need = PROGRAM_BYTES + entities / 3 * 4 * PARTS;
    return err_set(err, PROF_ERR_SYSTEM,
                   "--memory is too low: locations, functions and strings of "
                   "the inputs read so far take %" PRIu64
                   "M; more than %" PRIu64 "M are needed in all",
                   (entities >> 20) + 1, need >> 20);
}

/* Writes the samples of the sum to disk if it takes more than `most` bytes. */
static void limit_sum(struct memory *m, struct prof_merger *sum, uint64_t most)
{
    struct prof_err err;
    struct prof_merge_size size = prof_merge_size(sum);
    uint64_t entities = entity_bytes(m, size);
    if (m->failed || m->in_memory || size.samples + entities <= most)
        return;
    if (entities <= m->room / PARTS / 4 * 3
            ? prof_merge_spill(sum, most < entities ? 0 : most - entities, &err)
            : refuse_entities(entities, &err))
        return;
    (void)pthread_mutex_lock(&m->lock);
    if (!m->failed)
        m->err = err;
    m->failed = true;
    (void)pthread_mutex_unlock(&m->lock);
}

/* Whether a decoded input fits in memory with the sum and its growth. */
static bool memory_fits(const struct memory *m, struct prof_merger *sum)
{
    uint64_t input = prof_merge_fit_input(sum) * m->workers;
    struct prof_merge_size size = prof_merge_size(sum);
    if (size.samples <= input / 2)
        return true; /* there is little to write to disk */
    if (size.samples + entity_bytes(m, size) + 2 * input > m->room / 2)
        return false;
    /* What grows does so by half, and the index to twice what it was. */
    uint64_t growth = size.samples / 2 + 2 * input;
    return !m->measured || system_private_bytes() + growth <= m->room;
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
            "exceeds --memory=%" PRIu64 "M: about %" PRIu64 "M are needed",
            m->cli->memory >> 20, (need >> 20) + 1);
}

/* --- the profiles of an input --------------------------------------------- */

/* The function that is called with each profile. */
struct callback {
    cli_profile_fn *fn;
    void *ctx;
    size_t n; /* calls */
};

/* Reads profiles into one of merger, sum and callback; others are null. */
struct reader {
    struct prof_merger *merger;
    struct cli_sum *sum;
    struct callback *callback;
    struct memory *memory;  /* limit of the merger's; or null */
    struct type_sums *sums; /* the merger's, and others; or null */
    unsigned threads;       /* to decode one profile */
    struct source source;
    struct pb_decoder decoder;
    const struct profile *decoded; /* by the merger, last */
    bool broken;                   /* the merger is useless */
    struct profile p;              /* for sum or callback */
};

/* Says what format the bytes have, if it is known, rather than *err. */
static bool refuse_format(const uint8_t *data, size_t n, struct prof_err *err)
{
    const char *words = import_words(data, n);
    if (!words || err->kind != PROF_ERR_INPUT)
        return false;
    return err_set(err, PROF_ERR_INPUT,
                   "not a profile.proto message: this is %s", words);
}

static void drop_profile(struct reader *r)
{
    if (r->merger)
        prof_merge_drop_input(r->merger);
    prof_free(&r->p);
}

/* Decodes a profile; discard: the bytes may be given back as it goes. */
static bool decode_once(struct reader *r, const struct input_part *part,
                        bool discard, const struct prof_notes *notes,
                        struct prof_err *err)
{
    struct profile *p = &r->p;
    r->decoder.notes = notes;
    r->decoder.threads = r->threads;
    r->decoder.discard = discard;
    if (!(r->merger ? (p = prof_merge_input(r->merger, err)) != NULL
                    : prof_init(p, err)))
        return false;
    r->decoded = p;
    if (pb_decode_next(&r->decoder, part->data, part->n, p, err) &&
        notes_lossless(notes, err))
        return true;
    drop_profile(r);
    return false;
}

/* The same, and once again where the samples of the sum have to go to disk. */
static bool decode(struct reader *r, const struct input_part *part,
                   struct prof_err *err)
{
    struct memory *m = r->memory;
    struct cli_notes notes;
    cli_notes_init(&notes, r->source.cli, r->source.subject);
    /* What may be decoded again is not discarded. */
    bool ok = decode_once(r, part, !m, &notes.notes, err);
    if (m && (ok ? !memory_fits(m, r->merger) : err_is_nomem(err))) {
        const struct prof_notes *again = ok ? NULL : &notes.notes;
        if (ok)
            drop_profile(r);
        limit_sum(m, r->merger, 0);
        ok = decode_once(r, part, false, again, err);
    }
    return ok;
}

static bool call_back(struct reader *r, struct prof_err *err)
{
    struct callback *c = r->callback;
    struct cli_notes notes;
    cli_notes_init(&notes, r->source.cli, r->source.subject);
    c->n++;
    return c->fn(c->ctx, r->source.subject, &r->p, &notes.notes, err) &&
           notes_lossless(&notes.notes, err);
}

/* Adds the decoded profile to the sum, or with -k to that of its types. */
static bool add_to_sum(struct reader *r, struct prof_err *err)
{
    struct prof_merger *sum = r->merger;
    size_t at = 0, parts = PARTS;
    if (!type_sums_want(r->sums, r->decoded)) {
        prof_merge_drop_input(r->merger);
        return true;
    }
    bool ok = prof_merge_add_input(r->merger, err);
    if (!ok && r->source.cli->keep_going &&
        prof_merge_types_differ(r->merger)) {
        ok = type_sums_add(r->sums, r->merger, &at, err);
        prof_merge_drop_input(r->merger);
        sum = r->sums->v[at].merger;
        parts *= TYPE_SUMS;
    }
    if (ok && r->memory)
        limit_sum(r->memory, sum, r->memory->room / parts);
    return ok && (!r->source.cli->keep_going ||
                  type_sums_name(r->sums, at, r->source.subject, err));
}

/* Adds the decoded profile, or calls back, once its bytes are released. */
static bool use_profile(struct reader *r, struct prof_err *err)
{
    source_release(&r->source);
    if (r->merger) {
        if (add_to_sum(r, err))
            return true;
        r->broken = err->kind != PROF_ERR_INPUT;
        return false;
    }
    bool ok = r->callback ? call_back(r, err) : cli_sum_add(r->sum, &r->p, err);
    prof_free(&r->p);
    return ok;
}

static bool read_part(struct reader *r, const struct input_part *part,
                      struct prof_err *err)
{
    const uint8_t *data = part->data;
    if (part->refused) {
        (void)err_set(err, PROF_ERR_INPUT, "%s", part->refused);
        return refuse_format(data, part->n, err);
    }
    if (part->n ? (decode(r, part, err) || refuse_format(data, part->n, err)) &&
                      use_profile(r, err)
                : source_refuse_empty(&r->source, err))
        return true;
    size_t joined = r->source.joined;
    return joined &&
           err_prefix(err, "%zu gzip members read as one profile: ", joined);
}

/* Reports what is wrong with a part; true when -k says to go on. */
static bool part_failed(struct reader *r, const char *path, size_t raw,
                        struct prof_err *err)
{
    if (r->memory && r->memory->failed) /* reported by the caller */
        return false;
    if (r->memory && (raw || !r->source.is_archive))
        explain_nomem(r->memory, path, raw, err);
    return source_failed(&r->source, err) && !r->broken;
}

/* Reads all profiles of an input; false: stop. */
static bool read_input(struct reader *r, struct cli *cli, const char *path)
{
    struct input_part part;
    struct prof_err err;
    bool on = true;
    struct memory *m = r->memory;
    r->source = source_of(cli, &path, 1,
                          &(struct source_opts){.flags = SOURCE_PROFILES});
    if (m && input_bytes(path) > m->room / PARTS)
        limit_sum(m, r->merger, 0);
    for (int got; on && (got = source_next(&r->source, &part, &err)) != 0;) {
        if (got < 0 || !read_part(r, &part, &err))
            on = part_failed(r, path, got < 0 ? 0 : part.n, &err);
        else if (m && m->failed)
            on = false;
    }
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
    struct type_sums sums;
    struct memory *memory;  /* null: no limit */
    struct reader *readers; /* for each thread */
    size_t n_done;          /* inputs that one thread read first */
};

/* A prof_merge_fn. */
static bool add_input(void *ctx, unsigned thread, struct prof_merger *m,
                      size_t i)
{
    struct merging *g = ctx;
    struct reader *r = &g->readers[thread];
    r->merger = m;
    return read_input(r, g->cli, g->cli->inputs[g->n_done + i]);
}

/*
 * Whether the same inputs are refused in whatever order they are added from now
 * on.  Without -k one that is refused is the end of all.
 */
static bool can_share(const struct merging *g)
{
    return g->cli->keep_going ? prof_merge_is_settled(g->sums.v[0].merger)
                              : prof_merge_inputs(g->sums.v[0].merger) > 0;
}

static bool merge_rest(struct merging *g)
{
    struct prof_err err = {0};
    unsigned threads = g->cli->threads;
    size_t left = g->cli->n_inputs - g->n_done;
    unsigned n = left < threads ? (unsigned)left : threads;
    if (!n)
        return true;
    if (g->memory)
        n = memory_workers(g->memory, n);
    for (unsigned i = 0; i < n; i++)
        g->readers[i].threads = threads / n;
    const struct prof_merge_work work = {add_input, g, left, n};
    bool ok = prof_merge_parallel(g->sums.v[0].merger, &work, &err);
    if (err.kind)
        cli_error(g->cli, NULL, &err);
    return ok;
}

/* Adds all inputs to the merger.  False: a failure was reported. */
static bool add_inputs(struct merging *g)
{
    struct cli *cli = g->cli;
    struct prof_err err;
    bool ok = true;
    g->readers = mem_zarray(cli->threads, sizeof *g->readers);
    if (!g->readers) {
        err_nomem(&err);
        cli_error(cli, NULL, &err);
        return false;
    }
    for (unsigned i = 0; i < cli->threads; i++)
        g->readers[i] = (struct reader){.memory = g->memory, .sums = &g->sums};
    g->readers[0].threads = cli->threads;
    for (; ok && !can_share(g) && g->n_done < cli->n_inputs; g->n_done++)
        ok = add_input(g, 0, g->sums.v[0].merger, 0);
    ok = ok && merge_rest(g);
    for (unsigned i = 0; i < cli->threads; i++)
        pb_decoder_free(&g->readers[i].decoder);
    free(g->readers);
    if (!g->memory || !g->memory->failed)
        return ok;
    cli_error(cli, NULL, &g->memory->err);
    return false;
}

/* With -v, notes how much was on disk. */
static void note_spilled(const struct merging *g)
{
    uint64_t n = g->memory ? prof_merge_spilled(g->sums.v[0].merger) : 0;
    if (n)
        note_info(&g->cli->notes, "--memory: used up to %" PRIu64 "M on disk",
                  (n >> 20) + 1);
}

bool cli_merge_inputs(struct cli *cli, const struct cli_merging *how,
                      struct profile *sum, struct prof_layout *layout)
{
    struct memory memory;
    struct merging g = {.cli = cli, .memory = how->memory ? &memory : NULL};
    struct prof_err err = {0};
    bool ok = (!how->memory || memory_limit(&memory, cli, how, &err)) &&
              type_sums_init(&g.sums, cli, how, &err) && add_inputs(&g) &&
              type_sums_choose(&g.sums, cli, &err);
    if (ok) {
        warn_of_estimates(cli, prof_merge_estimated(g.sums.v[0].merger));
        ok = prof_merge_finish(g.sums.v[0].merger, cli->threads, sum, layout,
                               &err);
    }
    if (err.kind)
        cli_error(cli, NULL, &err);
    if (g.sums.n) {
        note_spilled(&g);
        type_sums_free(&g.sums);
    }
    return ok;
}

/* --- each, and all as one ------------------------------------------------- */

bool cli_each_profile(struct cli *cli, cli_profile_fn *fn, void *ctx)
{
    struct callback callback = {.fn = fn, .ctx = ctx};
    struct reader r = {.callback = &callback, .threads = cli->threads};
    bool ok = read_inputs(&r, cli);
    pb_decoder_free(&r.decoder);
    return ok && (callback.n || cli_no_profile(cli, NULL));
}

bool cli_read_profile(struct cli *cli, struct profile *p)
{
    struct cli_sum sum = {0};
    struct reader r = {.sum = &sum, .threads = cli->threads};
    memset(p, 0, sizeof *p);
    bool ok = read_inputs(&r, cli);
    pb_decoder_free(&r.decoder);
    return cli_sum_finish(&sum, cli, ok, NULL, p);
}

bool cli_read_file(struct cli *cli, const char *path, struct profile *p)
{
    struct cli_sum sum = {0};
    struct reader r = {.sum = &sum, .threads = cli->threads};
    struct prof_err err;
    memset(p, 0, sizeof *p);
    if (strcmp(path, "-") == 0 && !cli_claim_stdin(cli, &err)) {
        cli_error(cli, NULL, &err);
        return false;
    }
    bool ok = read_input(&r, cli, path);
    pb_decoder_free(&r.decoder);
    return cli_sum_finish(&sum, cli, ok, path, p);
}
