/* pbmerge: any number of profiles into one, in canonical form. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "cli/bases.h"
#include "cli/cli.h"
#include "cli/isolate.h"
#include "cli/memory.h"
#include "import/snapshots.h"
#include "profile/merge/merge.h"
#include "profile/values.h"

enum { OPT_TYPES = 256, OPT_BASE, OPT_NORMALIZE, OPT_SCALE, OPT_MEMORY };

#define TYPES "same|union|intersect" /* as enum merge_types */

static const struct cli_option options[] = {
    {"types", OPT_TYPES, TYPES, "how sample types combine (default: same)"},
    {"base", OPT_BASE, "FILE", "subtract this profile; may be repeated"},
    {"normalize", OPT_NORMALIZE, NULL,
     "scale the sum to the totals of the base first"},
    {"scale", OPT_SCALE, "N", "multiply the values of the sum by N"},
    {"memory", OPT_MEMORY, "LIMIT", "use no more memory than this"},
    {0},
};

struct pbmerge {
    struct cli cli;
    enum merge_types types;
    struct cli_bases bases;
    struct prof_ratio scale;
    uint64_t limit; /* of memory, 0: none */
    struct memory memory;
    atomic_size_t next;  /* input that no worker has taken yet */
    atomic_bool stopped; /* a failure was reported */
};

static bool take_types(struct pbmerge *pm, const char *how, struct err *err)
{
    size_t i;
    if (!cli_parse_word(TYPES, how, &i, err))
        return false;
    pm->types = (enum merge_types)i;
    return true;
}

static bool take(void *ctx, int key, const char *value, struct err *err)
{
    struct pbmerge *pm = ctx;
    switch (key) {
    case OPT_TYPES:
        return take_types(pm, value, err);
    case OPT_BASE:
        return cli_bases_add(&pm->bases, value, false, err);
    case OPT_NORMALIZE:
        return pm->bases.normalize = true;
    case OPT_MEMORY:
        return cli_parse_size(value, &pm->limit, err);
    default:
        return prof_ratio_parse(value, &pm->scale) ||
               err_set(err, ERR_USAGE, "a decimal number is needed, not \"%s\"",
                       value);
    }
}

/* One thread's share of the inputs, and the sum of it. */
struct worker {
    struct pbmerge *pm;
    struct merger *sum;
    struct cli_intake *intake; /* into it */
    pthread_t thread;
};

static void *work(void *arg)
{
    struct worker *w = arg;
    struct pbmerge *pm = w->pm;
    while (!pm->stopped) {
        size_t i = pm->next++;
        if (i >= pm->cli.n_inputs)
            break;
        if (!cli_intake_add(w->intake, pm->cli.inputs[i]))
            pm->stopped = true;
    }
    return NULL;
}

/* A worker that has `threads` for one input. */
static bool worker_init(struct worker *w, struct pbmerge *pm, unsigned threads,
                        struct merger *sum, struct err *err)
{
    *w = (struct worker){.pm = pm, .sum = sum};
    w->intake = sum ? cli_intake_new(&pm->cli, sum, err) : NULL;
    if (!w->intake)
        return false;
    cli_intake_threads(w->intake, threads);
    if (pm->limit)
        cli_intake_memory(w->intake, &pm->memory);
    return true;
}

/*
 * The same with a sum of its own, whose samples *to has; but under a limit of
 * memory they are there only now and then (memory.h).
 */
static bool worker_share(struct worker *w, struct pbmerge *pm, unsigned threads,
                         struct merger *to, struct err *err)
{
    struct merger *sum = merge_new_like(to, err);
    if (sum && (pm->limit || merge_share(sum, to, err)) &&
        worker_init(w, pm, threads, sum, err))
        return true;
    merge_free(sum);
    return false;
}

/*
 * Workers w[1 .. n) in threads of their own, as many as can be had; returns
 * how many there are then, w[0] counted.
 */
static size_t start(struct worker *w, size_t n, struct pbmerge *pm,
                    struct merger *sum)
{
    unsigned each = pm->cli.threads / (unsigned)n;
    struct err err;
    size_t made = 1, started = 1;
    /* All before the first begins, which may change *sum. */
    while (made < n && worker_share(&w[made], pm, each, sum, &err))
        made++;
    while (started < made &&
           pthread_create(&w[started].thread, NULL, work, &w[started]) == 0)
        started++;
    for (size_t i = started; i < made; i++) {
        cli_intake_free(w[i].intake);
        merge_free(w[i].sum);
    }
    return started;
}

/* Waits for the workers and joins their sums to *sum. */
static bool join(struct worker *w, size_t n, struct merger *sum)
{
    struct pbmerge *pm = w->pm;
    struct err err = {0};
    bool ok = true;
    for (size_t i = 0; i < n; i++) {
        if (i)
            pthread_join(w[i].thread, NULL);
        cli_intake_free(w[i].intake);
    }
    for (size_t i = 0; i < n; i++) {
        if (w[i].sum == sum)
            continue;
        if (ok && !pm->stopped && !merge_join(sum, w[i].sum, &err)) {
            cli_error(&pm->cli, NULL, &err);
            ok = false;
        }
        merge_free(w[i].sum);
        if (ok && !pm->stopped)
            memory_after(&pm->memory, sum);
    }
    return ok && !pm->stopped;
}

/* Adds the inputs that are left to *sum by n threads; w[0] is the caller's. */
static bool share_inputs(struct pbmerge *pm, struct worker *w, size_t n,
                         struct merger *sum)
{
    struct err err;
    if (n > 1) {
        cli_intake_free(w->intake);
        if (!worker_share(w, pm, 1, sum, &err)) {
            cli_error(&pm->cli, NULL, &err);
            return false;
        }
        n = start(w, n, pm, sum);
    }
    cli_intake_threads(w->intake, pm->cli.threads / (unsigned)n);
    work(w); /* does it all where no thread could be had */
    return join(w, n, sum);
}

/*
 * Whether what is refused from now on is the same in whatever order inputs are
 * added.  Without -k nothing comes of it if any is.
 */
static bool may_share(const struct pbmerge *pm, const struct merger *sum)
{
    return pm->cli.keep_going ? merge_is_settled(sum)
                              : merge_inputs_so_far(sum) > 0;
}

/*
 * Adds all inputs to *sum.  The first one says what sample types there are, or
 * the first ones do, so that what matches does not depend on the number of
 * threads; several share the others.  Where inputs are fewer than threads,
 * several of these decode one.
 */
static bool merge_inputs(struct pbmerge *pm, struct merger *sum)
{
    struct cli *cli = &pm->cli;
    struct worker *w = mem_array(cli->threads, sizeof *w);
    struct err err;
    memory_share(&pm->memory, sum);
    bool ok = w ? worker_init(w, pm, cli->threads, sum, &err) : err_nomem(&err);
    if (!ok) {
        cli_error(cli, NULL, &err);
        free(w);
        return false;
    }
    while (ok && !may_share(pm, sum) && pm->next < cli->n_inputs)
        ok = cli_intake_add(w->intake, cli->inputs[pm->next++]);
    size_t n = cli->n_inputs - pm->next;
    if (n > cli->threads)
        n = cli->threads;
    if (ok && n)
        ok = share_inputs(pm, w, memory_workers(&pm->memory, (unsigned)n), sum);
    else
        cli_intake_free(w->intake);
    if (pm->memory.failed)
        cli_error(cli, NULL, &pm->memory.err);
    free(w);
    return ok && !pm->memory.failed;
}

/* All inputs in one merger, or null when a failure was reported. */
static struct merger *add_inputs(struct pbmerge *pm)
{
    struct err err = {0};
    struct merger *m = merge_new(pm->types, &err);
    bool ok = m && merge_inputs(pm, m);
    if (ok && !merge_inputs_so_far(m))
        ok = err_set(&err, ERR_INPUT, "no profile to merge");
    if (ok)
        cli_warn_of_estimates(&pm->cli, merge_estimated(m));
    if (ok)
        return m;
    if (err.kind) /* else it has been told */
        cli_error(&pm->cli, NULL, &err);
    memory_tell(&pm->memory);
    merge_free(m);
    return NULL;
}

/* The merger has finished, or failed. */
static void end(struct pbmerge *pm, struct merger *m, bool ok,
                const struct err *err)
{
    if (!ok)
        cli_error(&pm->cli, NULL, err);
    memory_tell(&pm->memory);
    merge_free(m);
}

static void write_sum(struct pbmerge *pm, struct merger *m)
{
    struct profile p = {0};
    struct prof_layout layout = {0};
    struct err err = {0};
    bool ok = merge_finish_layout(m, pm->cli.threads, &p, &layout, &err);
    end(pm, m, ok, &err);
    if (ok)
        (void)cli_write_layout(&pm->cli, &p, &layout);
    prof_free(&p);
    prof_layout_free(&layout);
}

static bool rescale(struct pbmerge *pm, struct profile *p, uint32_t **order,
                    struct err *err)
{
    struct profile out = {0};
    if (pm->scale.num == pm->scale.den)
        return true;
    free(*order);
    *order = NULL;
    /* Values that became 0 go. */
    if (!prof_scale(p, pm->scale, err) ||
        !prof_canonical_order(p, pm->cli.threads, &out, order, err)) {
        prof_free(&out);
        return false;
    }
    prof_free(p);
    *p = out;
    return true;
}

/* The sum less that of the bases, scaled. */
static void write_changed(struct pbmerge *pm, struct merger *m)
{
    struct profile p = {0}, base = {0};
    uint32_t *order = NULL;
    struct err err = {0};
    bool ok = merge_finish_order(m, pm->cli.threads, &p, &order, &err);
    end(pm, m, ok, &err);
    if (ok && (!pm->bases.paths.n ||
               cli_bases_sum(&pm->bases, &pm->cli, pm->types, &base))) {
        if (rescale(pm, &p, &order, &err) &&
            (!pm->bases.paths.n ||
             cli_bases_subtract(&pm->bases, pm->types, pm->cli.threads, &p,
                                &order, &base, &err)))
            (void)cli_write_order(&pm->cli, &p, order);
        else
            cli_error(&pm->cli, NULL, &err);
    }
    prof_free(&p);
    prof_free(&base);
    free(order);
}

static void warn_of_snapshots(const struct cli *cli)
{
    struct snapshots s = {0};
    struct err err;
    bool ok = true;
    for (size_t i = 0; ok && i < cli->n_inputs; i++)
        ok = snapshots_add(&s, cli->inputs[i], &err);
    snapshots_end(&s, &cli->notes); /* as far as memory went */
}

static void pbmerge(struct pbmerge *pm)
{
    struct merger *m = add_inputs(pm);
    if (!m)
        return;
    warn_of_snapshots(&pm->cli);
    if (pm->bases.paths.n || pm->scale.num != pm->scale.den)
        write_changed(pm, m);
    else
        write_sum(pm, m);
}

int main(int argc, char **argv)
{
    struct pbmerge pm = {.scale = {1, 1}};
    struct err err = {0};
    struct cli_spec spec = {
        .tool = "pbmerge",
        .synopsis = "[option ...] [file ...]",
        .summary = "Merge profiles into one, in canonical form.",
        .options = options,
        .shared =
            CLI_OUTPUT | CLI_LEVEL | CLI_THREADS | CLI_KEEP_GOING | CLI_INPUTS,
        .take = take,
        .ctx = &pm,
    };
    int status = cli_begin(&pm.cli, &spec, argc, argv);
    if (status >= 0) {
        cli_bases_free(&pm.bases);
        return status;
    }
    if (!cli_bases_check(&pm.bases, &err)) {
        cli_error(&pm.cli, NULL, &err);
    } else if (pm.limit && !memory_limit(&pm.memory, &pm.cli, pm.limit, &err)) {
        cli_error(&pm.cli, NULL, &err);
    } else {
        /* Those work on the sum as a whole. */
        pm.memory.stays = pm.bases.paths.n || pm.scale.num != pm.scale.den;
        cli_isolate(&pm.cli, &(struct cli_needs){.files = pm.bases.paths.v,
                                                 .n_files = pm.bases.paths.n});
        pbmerge(&pm);
    }
    cli_bases_free(&pm.bases);
    return cli_end(&pm.cli);
}
