/* profiles.c - profiles read from the inputs: one, each, or their sum */
#include <stdlib.h>
#include <string.h>

#include "cli/limits.h"
#include "cli/private.h"
#include "import/import_formats.h"
#include "pb/pb.h"
#include "profile/merge/merge.h"

bool cli_sum_add(struct cli_sum *w, struct profile *p, struct err *err)
{
    if (!w->n++) {
        w->only = *p;
        memset(p, 0, sizeof *p);
        return true;
    }
    if (!w->all) {
        w->all = merge_new(MERGE_TYPES_SAME, err);
        if (!w->all || !merge_add(w->all, &w->only, err))
            return false;
        prof_free(&w->only);
    }
    return merge_add(w->all, p, err);
}

bool cli_no_profile(struct cli *cli, const char *subject)
{
    struct err err;
    err_set(&err, ERR_INPUT, "there is no profile in the input");
    cli_error(cli, subject, &err);
    return false;
}

void cli_warn_of_estimates(const struct cli *cli, size_t n)
{
    if (n > 1)
        note_warn(&cli->notes,
                  "%zu inputs have call stacks that were estimated separately: "
                  "to estimate those of the sum, merge profiles of gmon2pb "
                  "--flat and use pbfilter --estimate-stacks",
                  n);
}

bool cli_sum_finish(struct cli_sum *w, struct cli *cli, bool ok,
                    const char *subject, struct profile *p)
{
    struct err err;
    size_t estimated = w->all ? merge_estimated(w->all) : 0;
    if (ok && !w->n) {
        ok = cli_no_profile(cli, subject);
    } else if (ok && w->all && !merge_finish(w->all, 1, p, NULL, &err)) {
        cli_error(cli, subject, &err);
        ok = false;
    } else if (ok && w->all) {
        cli_warn_of_estimates(cli, estimated);
    } else if (ok) {
        *p = w->only;
        memset(&w->only, 0, sizeof w->only);
    }
    merge_free(w->all);
    prof_free(&w->only);
    return ok;
}

/* Whom each profile is given to by itself. */
struct taker {
    cli_profile_fn *fn;
    void *ctx;
    size_t n; /* that were */
};

/* The profiles of one input on their way: into *sum, *whole or to *taker. */
struct gather {
    struct cli_walk walk;
    struct cli_sum *whole;
    struct taker *taker;
    struct merger *sum;
    struct memory *memory; /* that the sum goes by; or null */
    struct pb_decoder decoder;
    unsigned threads;  /* for one profile */
    bool broken;       /* the sum is good for nothing */
    bool spend;        /* nobody needs the bytes once they are decoded */
    bool joining;      /* members are collected, to be read as one */
    struct buf joined; /* what came so far */
    struct profile p;  /* for *whole or *taker */
};

/*
 * To protobuf no bytes are a message without fields, but to people they are
 * a file that something went wrong with.
 */
static bool refuse_empty(struct err *err)
{
    return err_set(err, ERR_INPUT,
                   "is empty: the program that was to write the profile may "
                   "have been killed");
}

/* What the bytes are, where that says more than what is wrong with them. */
static bool refuse(const uint8_t *data, size_t n, struct err *err)
{
    const char *words = import_words(data, n);
    if (!words || err->kind != ERR_INPUT)
        return false;
    return err_set(err, ERR_INPUT, "this is %s, and not profile.proto", words);
}

static void drop(struct gather *g)
{
    if (g->sum)
        merge_drop_input(g->sum);
    prof_free(&g->p);
}

/* Decodes what is then handed on or, when it is no profile, dropped. */
static bool decode_once(struct gather *g, const uint8_t *data, size_t n,
                        const struct notes *notes, struct err *err)
{
    struct profile *p = &g->p;
    g->decoder.notes = notes;
    g->decoder.threads = g->threads;
    g->decoder.discard = g->spend;
    if (!(g->sum ? (p = merge_input(g->sum, err)) != NULL : prof_init(p, err)))
        return false;
    if (pb_decode_next(&g->decoder, data, n, p, err) &&
        notes_lossless(notes, err))
        return true;
    drop(g);
    return false;
}

/* The same, and once again where that takes the memory of the sum. */
static bool decode(struct gather *g, const uint8_t *data, size_t n,
                   struct err *err)
{
    struct cli_notes notes;
    struct err why;
    cli_notes_init(&notes, g->walk.cli, g->walk.subject);
    bool ok = decode_once(g, data, n, &notes.notes, &why);
    if (g->memory &&
        (ok ? !memory_fits(g->memory, g->sum) : err_is_nomem(&why))) {
        const struct notes *again = ok ? NULL : &notes.notes;
        if (ok)
            drop(g);
        memory_make_room(g->memory, g->sum);
        ok = decode_once(g, data, n, again, &why);
    }
    if (!ok && err)
        *err = why;
    return ok;
}

static bool give(struct gather *g, struct err *err)
{
    struct cli_notes notes;
    const char *name = g->walk.subject;
    cli_notes_init(&notes, g->walk.cli, name);
    g->taker->n++;
    return g->taker->fn(g->taker->ctx, name, &g->p, &notes.notes, err) &&
           notes_lossless(&notes.notes, err);
}

/* What was decoded goes on; the bytes that it came from may go. */
static bool hand_on(struct gather *g, struct err *err)
{
    input_release(g->walk.in);
    buf_free(&g->joined);
    if (g->sum) {
        if (!merge_add_input(g->sum, err)) {
            g->broken = err->kind != ERR_INPUT;
            return false;
        }
        if (g->memory)
            memory_after(g->memory, g->sum);
        return true;
    }
    bool ok = g->taker ? give(g, err) : cli_sum_add(g->whole, &g->p, err);
    prof_free(&g->p);
    return ok;
}

static bool deliver(struct gather *g, const uint8_t *data, size_t n,
                    struct err *err)
{
    if (!n)
        return refuse_empty(err);
    g->spend = !g->memory; /* or it may be decoded again */
    return (decode(g, data, n, err) || refuse(data, n, err)) && hand_on(g, err);
}

/* Adds a member to those collected; the last one completes the profile. */
static bool join(struct gather *g, const struct input_part *part,
                 struct err *err)
{
    if (!buf_put(&g->joined, part->data, part->n))
        return err_nomem(err);
    if (!part->last_member)
        return true;
    g->joining = false;
    return cli_walk_name(&g->walk, part->entry, 0, err) &&
           (deliver(g, g->joined.v, g->joined.n, err) ||
            err_prefix(
                err, "%zu gzip members taken as one profile: ", part->member));
}

/* The first of several members, which says what they are. */
static bool take_first(struct gather *g, const struct input_part *part,
                       struct err *err)
{
    g->spend = false; /* it may turn out to be a piece of one */
    if (part->n && decode(g, part->data, part->n, err))
        return hand_on(g, err);
    if (part->n && err->kind == ERR_SYSTEM)
        return false;
    g->joining = true;
    return join(g, part, err);
}

static bool take_part(struct gather *g, const struct input_part *part,
                      struct err *err)
{
    if (part->member <= 1) {
        g->joined.n = 0;
        g->joining = false;
    }
    if (part->member == 1)
        return take_first(g, part, err);
    if (g->joining)
        return join(g, part, err);
    return deliver(g, part->data, part->n, err);
}

/* Reports what is wrong with a part; true when -k says to go on. */
static bool failed(struct gather *g, const char *path, size_t raw,
                   struct err *err)
{
    if (g->memory && g->memory->failed) /* told by who looks there */
        return false;
    bool is_whole = raw || !input_is_archive(g->walk.in);
    if (g->memory && is_whole)
        memory_explain(g->memory, path, raw, err);
    return cli_input_error(g->walk.cli, g->walk.subject, err) && !g->broken;
}

static bool gather(struct gather *g, struct cli *cli, const char *path)
{
    if (!cli_walk_open(&g->walk, cli, path, 0))
        return cli->keep_going;
    struct input_part part;
    struct err err;
    if (g->memory)
        memory_before(g->memory, g->sum, path);
    bool on = true;
    for (int got; on && (got = cli_walk_next(&g->walk, &part, &err)) != 0;) {
        if (got < 0 || !take_part(g, &part, &err))
            on = failed(g, path, got < 0 ? 0 : part.n, &err);
        else if (g->memory && g->memory->failed)
            on = false;
    }
    cli_walk_close(&g->walk);
    return on;
}

static void gather_free(struct gather *g)
{
    pb_decoder_free(&g->decoder);
    buf_free(&g->joined);
}

/* All inputs on their way into a sum, by several threads. */
struct intake {
    struct cli *cli;
    struct gather *by_thread;
    size_t first; /* input that is piece 0 */
};

/* A merge_fn. */
static bool add_input(void *ctx, unsigned thread, struct merger *m, size_t i)
{
    struct intake *in = ctx;
    struct gather *g = &in->by_thread[thread];
    g->sum = m;
    return gather(g, in->cli, in->cli->inputs[in->first + i]);
}

/*
 * Whether what is refused from now on is the same in whatever order inputs are
 * added.  Without -k nothing comes of it if any is.
 */
static bool may_share(const struct cli *cli, const struct merger *m)
{
    return cli->keep_going ? merge_is_settled(m) : merge_inputs(m) > 0;
}

static bool merge_rest(struct intake *in, struct merger *m,
                       struct memory *memory)
{
    struct err err = {0};
    unsigned threads = in->cli->threads;
    size_t left = in->cli->n_inputs - in->first;
    unsigned n = left < threads ? (unsigned)left : threads;
    if (!n)
        return true;
    n = memory_workers(memory, n);
    for (unsigned i = 0; i < n; i++)
        in->by_thread[i].threads = threads / n;
    const struct merge_work work = {add_input, in, left, n};
    bool ok = merge_parallel(m, &work, &err);
    if (err.kind)
        cli_error(in->cli, NULL, &err);
    return ok;
}

bool cli_merge_inputs(struct cli *cli, struct merger *m, struct memory *memory)
{
    struct intake in = {.cli = cli};
    struct err err;
    bool ok = true;
    in.by_thread = mem_zarray(cli->threads, sizeof *in.by_thread);
    if (!in.by_thread) {
        err_nomem(&err);
        cli_error(cli, NULL, &err);
        return false;
    }
    for (unsigned i = 0; i < cli->threads; i++)
        in.by_thread[i].memory = memory->cli ? memory : NULL;
    in.by_thread[0].threads = cli->threads;
    for (; ok && !may_share(cli, m) && in.first < cli->n_inputs; in.first++)
        ok = add_input(&in, 0, m, 0);
    ok = ok && merge_rest(&in, m, memory);
    for (unsigned i = 0; i < cli->threads; i++)
        gather_free(&in.by_thread[i]);
    free(in.by_thread);
    if (!memory->failed)
        return ok;
    cli_error(cli, NULL, &memory->err);
    return false;
}

bool cli_each_profile(struct cli *cli, cli_profile_fn *fn, void *ctx)
{
    struct taker taker = {.fn = fn, .ctx = ctx};
    struct gather g = {.taker = &taker, .threads = cli->threads};
    bool ok = true;
    for (size_t i = 0; ok && i < cli->n_inputs; i++)
        ok = gather(&g, cli, cli->inputs[i]);
    gather_free(&g);
    return ok && (taker.n || cli_no_profile(cli, NULL));
}

/* What was summed, in *p; frees the rest. */
static bool finish(struct gather *g, struct cli *cli, bool ok,
                   const char *subject, struct profile *p)
{
    gather_free(g);
    return cli_sum_finish(g->whole, cli, ok, subject, p);
}

bool cli_read_profile(struct cli *cli, struct profile *p)
{
    struct cli_sum whole = {0};
    struct gather g = {.whole = &whole, .threads = cli->threads};
    bool ok = true;
    memset(p, 0, sizeof *p);
    for (size_t i = 0; ok && i < cli->n_inputs; i++)
        ok = gather(&g, cli, cli->inputs[i]);
    return finish(&g, cli, ok, NULL, p);
}

bool cli_read_file(struct cli *cli, const char *path, struct profile *p)
{
    struct cli_sum whole = {0};
    struct gather g = {.whole = &whole, .threads = cli->threads};
    struct err err;
    memset(p, 0, sizeof *p);
    if (strcmp(path, "-") == 0 && !cli_claim_stdin(cli, &err)) {
        cli_error(cli, NULL, &err);
        return false;
    }
    return finish(&g, cli, gather(&g, cli, path), path, p);
}
