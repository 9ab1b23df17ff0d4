/* pbmerge: any number of profiles into one, in canonical form. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "cli/cli.h"
#include "profile/merge.h"
#include "profile/scale.h"

enum { OPT_TYPES = 256, OPT_BASE, OPT_NORMALIZE, OPT_SCALE };

static const struct cli_option options[] = {
    {"types", OPT_TYPES, "HOW",
     "sample types: same (default), union or intersect"},
    {"base", OPT_BASE, "FILE", "subtract this profile; may be repeated"},
    {"normalize", OPT_NORMALIZE, NULL,
     "scale the sum to the totals of the base first"},
    {"scale", OPT_SCALE, "N", "multiply the values of the sum by N"},
    {0},
};

struct pbmerge {
    struct cli cli;
    enum merge_types types;
    VEC(const char *) bases;
    bool normalize;
    struct prof_ratio scale;
    atomic_size_t next;  /* input that no worker has taken yet */
    atomic_bool stopped; /* a failure was reported */
};

static bool take_types(struct pbmerge *pm, const char *how, struct err *err)
{
    static const char *const names[] = {"same", "union", "intersect"};
    for (int i = 0; i < 3; i++) {
        if (!strcmp(how, names[i])) {
            pm->types = (enum merge_types)i;
            return true;
        }
    }
    return err_set(err, ERR_USAGE, "same, union or intersect, not \"%s\"", how);
}

static bool take(void *ctx, int key, const char *value, struct err *err)
{
    struct pbmerge *pm = ctx;
    switch (key) {
    case OPT_TYPES:
        return take_types(pm, value, err);
    case OPT_BASE:
        return vec_push(&pm->bases, value) || err_nomem(err);
    case OPT_NORMALIZE:
        pm->normalize = true;
        return true;
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
    if (w->intake)
        cli_intake_threads(w->intake, threads);
    return w->intake != NULL;
}

/* Workers in threads of their own, as many as can be had. */
static size_t start(struct worker *w, size_t n, struct pbmerge *pm,
                    const struct merger *like, struct err *err)
{
    unsigned each = pm->cli.threads / (unsigned)(n + 1);
    size_t i = 0;
    for (; i < n; i++) {
        struct merger *sum = merge_new_like(like, err);
        if (!worker_init(&w[i], pm, each, sum, err) ||
            pthread_create(&w[i].thread, NULL, work, &w[i])) {
            cli_intake_free(w[i].intake);
            merge_free(sum);
            break;
        }
    }
    return i;
}

/* Waits for the workers and joins their sums to the first one's. */
static bool join(struct worker *self, struct worker *w, size_t n)
{
    struct pbmerge *pm = self->pm;
    struct err err = {0};
    bool ok = true;
    for (size_t i = 0; i < n; i++) {
        pthread_join(w[i].thread, NULL);
        cli_intake_free(w[i].intake);
        if (ok && !pm->stopped && !merge_join(self->sum, w[i].sum, &err)) {
            cli_error(&pm->cli, NULL, &err);
            ok = false;
        }
        merge_free(w[i].sum);
    }
    return ok && !pm->stopped;
}

/*
 * Adds all inputs to *sum.  The first one says what sample types there are,
 * so that what matches does not depend on the number of threads; then each
 * thread sums up what it takes, and the sums are joined.  Where inputs are
 * fewer than threads, several of these decode one.
 */
static bool merge_inputs(struct pbmerge *pm, struct merger *sum)
{
    struct cli *cli = &pm->cli;
    struct worker self;
    struct err err = {0};
    if (!worker_init(&self, pm, cli->threads, sum, &err)) {
        cli_error(cli, NULL, &err);
        return false;
    }
    bool ok = true;
    while (ok && !merge_inputs_so_far(sum) && pm->next < cli->n_inputs)
        ok = cli_intake_add(self.intake, cli->inputs[pm->next++]);
    size_t left = ok ? cli->n_inputs - pm->next : 0;
    size_t n = cli->threads - 1 < left ? cli->threads - 1 : left;
    struct worker *w = mem_array(n, sizeof *w);
    n = w ? start(w, n, pm, sum, &err) : 0;
    cli_intake_threads(self.intake, cli->threads / (unsigned)(n + 1));
    if (ok)
        work(&self); /* does it all where no thread could be had */
    cli_intake_free(self.intake);
    ok = join(&self, w, n) && ok;
    free(w);
    return ok;
}

/* The sum of all inputs, canonical; *order as of merge_finish_order(). */
static bool sum_inputs(struct pbmerge *pm, struct profile *out,
                       uint32_t **order)
{
    struct err err = {0};
    struct merger *m = merge_new(pm->types, &err);
    bool ok = m != NULL, merged = ok && merge_inputs(pm, m);
    if (merged && !merge_inputs_so_far(m))
        ok = err_set(&err, ERR_INPUT, "no profile to merge");
    else if (merged)
        ok = merge_finish_order(m, pm->cli.threads, out, order, &err);
    if (!ok)
        cli_error(&pm->cli, NULL, &err);
    merge_free(m);
    return ok && merged;
}

/* The sum of all bases, canonical. */
static bool sum_bases(struct pbmerge *pm, struct profile *out)
{
    struct err err = {0};
    struct merger *m = merge_new(pm->types, &err);
    bool ok = m != NULL, read = true;
    for (size_t i = 0; ok && read && i < pm->bases.n; i++) {
        struct profile p = {0};
        read = cli_read_file(&pm->cli, pm->bases.v[i], &p);
        ok = !read || merge_add(m, &p, &err);
        if (!ok)
            err_prefix(&err, "%s: ", pm->bases.v[i]);
        prof_free(&p);
    }
    ok = ok && (!read || merge_finish(m, out, &err));
    if (!ok)
        cli_error(&pm->cli, NULL, &err);
    merge_free(m);
    return ok && read;
}

/* *p less *base, in *p and *order. */
static bool subtract(struct pbmerge *pm, struct profile *p, uint32_t **order,
                     struct profile *base, struct err *err)
{
    struct prof_ratio minus = {-1, 1};
    struct profile out = {0};
    free(*order);
    *order = NULL;
    struct merger *m = merge_new(pm->types, err);
    bool ok = m && (!pm->normalize || prof_normalize(p, base, err)) &&
              prof_scale(base, minus, err) && merge_add(m, p, err) &&
              merge_add(m, base, err) &&
              merge_finish_order(m, pm->cli.threads, &out, order, err);
    merge_free(m);
    if (!ok) {
        prof_free(&out);
        return false;
    }
    prof_free(p);
    *p = out;
    return true;
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

static void pbmerge(struct pbmerge *pm)
{
    struct profile p = {0}, base = {0};
    uint32_t *order = NULL;
    struct err err = {0};
    if (sum_inputs(pm, &p, &order) && (!pm->bases.n || sum_bases(pm, &base))) {
        if (rescale(pm, &p, &order, &err) &&
            (!pm->bases.n || subtract(pm, &p, &order, &base, &err)))
            (void)cli_write_order(&pm->cli, &p, order);
        else
            cli_error(&pm->cli, NULL, &err);
    }
    prof_free(&p);
    prof_free(&base);
    free(order);
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
    if (status >= 0)
        return status;
    if (pm.normalize && !pm.bases.n) {
        err_set(&err, ERR_USAGE, "--normalize needs a --base");
        cli_error(&pm.cli, NULL, &err);
    } else {
        pbmerge(&pm);
    }
    vec_free(&pm.bases);
    return cli_end(&pm.cli);
}
