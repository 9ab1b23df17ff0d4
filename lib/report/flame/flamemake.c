#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/flame/flame.h"

static struct flame_function *keep_functions(const struct profile *p)
{
    struct flame_function *kept = mem_array(p->n_functions, sizeof *kept);
    for (size_t i = 0; kept && i < p->n_functions; i++)
        kept[i] = (struct flame_function){p->functions[i].name,
                                          p->functions[i].filename};
    return kept;
}

/* How many, and how much of the type that is shown. */
static void say_merged(struct report *r, const struct flame_tree *t,
                       double limit)
{
    size_t type = r->type - t->first_type;
    double held = 0;
    if (!t->small.n)
        return;
    for (size_t i = 0; i < t->nodes.n; i++)
        for (size_t k = type; k < t->n_sums; k += t->n_types)
            if (t->nodes.v[i].name == FLAME_SMALL)
                held += fabs((double)flame_self(t, i)[k]);
    note_info(r->notes,
              "%" PRIu64 " nodes below %g%% of the total are merged into %zu, "
              "which hold %.2f%% of it; %zu nodes are left",
              flame_merged(t), limit * 100, t->small.n,
              held * 100 / fmax(1, (double)t->total[type]),
              t->nodes.n - t->small.n);
}

/* Stacks of which not all frames can be shown. */
static void say_cut(const struct report *r, const struct stackrank *f)
{
    if (f->n_cut)
        note_loss(r->notes,
                  "%zu sample%s: stacks cut to the %" PRIu64
                  " outermost frames: they have up to %" PRIu64
                  ", including inlined functions, which are too many to show",
                  f->n_cut, f->n_cut == 1 ? "" : "s", f->depth, f->deepest);
}

/* Of one type, where all of them would be too much. */
static bool make_tree(struct flame *f, const struct report *r,
                      const struct flame_tree_opts *opts, struct err *err)
{
    struct flame_tree_opts one = *opts;
    if (flame_tree_init(&f->tree, &f->stacks, opts, err))
        return true;
    if (!f->tree.is_wide)
        return false;
    note_loss(r->notes,
              "only the default sample type is shown, or that of "
              "--sample-index: the stacks have too many values of %zu types",
              opts->n_types);
    flame_tree_free(&f->tree);
    one.first_type = r->type;
    one.n_types = 1;
    return flame_tree_init(&f->tree, &f->stacks, &one, err);
}

bool flame_make(struct flame *f, struct report *r,
                const struct flame_tree_opts *opts, struct err *err)
{
    memset(f, 0, sizeof *f);
    const struct stackrank_opts stacks = {.cut = true,
                                          .threads = r->opts->threads};
    struct flame_function *functions = keep_functions(r->p);
    prof_aggregate(r->p, &r->opts->detail);
    bool ok = (functions || err_nomem(err)) &&
              stackrank_init(&f->stacks, r->p, &stacks, err) &&
              make_tree(f, r, opts, err) &&
              (flame_names_init(&f->names, &f->tree, &f->stacks, functions) ||
               err_nomem(err));
    free(functions);
    if (ok)
        say_cut(r, &f->stacks);
    if (ok)
        say_merged(r, &f->tree, opts->limit);
    return ok;
}

void flame_free(struct flame *f)
{
    stackrank_free(&f->stacks);
    flame_tree_free(&f->tree);
    flame_names_free(&f->names);
}

bool flame_is_difference(const struct flame *f, size_t i)
{
    return f->tree.diff || flame_is_signed(&f->tree, i);
}

bool flame_put_empty(const struct report *r, const struct flame *f,
                     struct buf *to)
{
    for (size_t i = 0; i < f->tree.n_types; i++)
        if (f->tree.total[i])
            return true;
    if (r->p->n_samples)
        return buf_puts(to, f->tree.n_types > 1
                                ? "All values of all samples are 0."
                                : "All values of this type are 0.");
    if (r->n_read)
        return buf_printf(to, "None of %zu samples passes the filters.",
                          r->n_read);
    return buf_puts(to, r->opts->base.name ? "Nothing differs from the base."
                                           : "The profile has no samples.");
}

bool flame_put_title(struct report *r, struct buf *to)
{
    struct slice binary = report_binary(r);
    return binary.n ? flame_put_visible(to, binary.s, binary.n)
                    : buf_puts(to, "profile");
}
