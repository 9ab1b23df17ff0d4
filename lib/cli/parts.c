/* The parts of inputs as bytes, and which gzip members are parts. */
#include "cli/private.h"
#include "cli/progress.h"

/*
 * Hands the part on under the name that the walk has.  What else than a loss
 * is wrong with it comes first.
 */
static bool hand_on(struct cli_parts *p, const struct input_part *part,
                    struct err *err)
{
    struct cli *cli = p->walk.cli;
    cli->subject = (const char *)p->walk.name.v;
    struct err lost;
    bool ok = p->fn(p->ctx, cli->subject, part, err);
    if (!notes_lossless(&cli->notes, &lost) && ok) {
        *err = lost;
        ok = false;
    }
    cli->subject = NULL;
    return ok;
}

static bool part_failed(struct cli_parts *p, const struct err *err)
{
    p->n_failed++;
    return cli_walk_failed(&p->walk, err);
}

/* Whether to go on with the next part, when this one is done or has failed. */
static bool go_on(struct cli_parts *p, bool ok, const struct err *err)
{
    return (ok || part_failed(p, err)) && !p->stop;
}

/* Each collected member by itself; false when the walk is to stop. */
static bool hand_on_each(struct cli_parts *p, const struct input_part *last)
{
    struct cli_members *m = &p->members;
    struct err err;
    bool on = true;
    size_t at = 0;
    for (size_t i = 0; on && i < m->ends.n; i++) {
        struct input_part part = *last;
        part.data = m->bytes.v + at;
        part.n = m->ends.v[i] - at;
        part.member = i + 1;
        if (i + 1 < m->ends.n) /* it is the last that is damaged */
            part.damage = NULL;
        at = m->ends.v[i];
        bool ok = cli_walk_name(&p->walk, part.entry, part.member, &err) &&
                  hand_on(p, &part, &err);
        on = go_on(p, ok, &err);
    }
    return on;
}

/* All collected members as one part. */
static bool hand_on_joined(struct cli_parts *p, const struct input_part *last)
{
    struct input_part part = *last;
    struct err err;
    part.data = p->members.bytes.v;
    part.n = p->members.bytes.n;
    part.member = 0;
    bool ok =
        cli_walk_name(&p->walk, part.entry, 0, &err) && hand_on(p, &part, &err);
    return go_on(p, ok, &err);
}

static bool collect(struct cli_parts *p, const struct input_part *part)
{
    struct cli_members *m = &p->members;
    struct err err;
    if (part->member == 1) {
        m->bytes.n = m->ends.n = 0;
        m->each = true;
    }
    m->each = m->each && p->begins && p->begins(part->data, part->n);
    if (!buf_put(&m->bytes, part->data, part->n) ||
        !vec_push(&m->ends, m->bytes.n)) {
        err_nomem(&err);
        return part_failed(p, &err);
    }
    if (!part->last_member)
        return true;
    bool on = m->each ? hand_on_each(p, part) : hand_on_joined(p, part);
    m->ends.n = 0;
    return on;
}

/* A member that cannot be inflated does not take those before it along. */
static bool failed(struct cli_parts *p, const struct input_part *part,
                   const struct err *err)
{
    bool on = !p->members.ends.n || !p->members.each || !part->member ||
              hand_on_each(p, part);
    struct err naming;
    p->members.ends.n = 0;
    if (on && !cli_walk_name(&p->walk, part->entry, part->member, &naming))
        err = &naming;
    return on && part_failed(p, err);
}

bool cli_input_parts(struct cli_parts *p, struct cli *cli, const char *path)
{
    p->is_archive = false;
    if (!cli_walk_open(&p->walk, cli, path, p->flags)) {
        p->n_failed++;
        return cli->keep_going;
    }
    p->is_archive = input_is_archive(p->walk.in);
    struct input_part part;
    struct err err;
    bool on = true;
    p->members.ends.n = 0;
    for (int got; on && (got = cli_walk_next(&p->walk, &part, &err)) != 0;) {
        if (got < 0)
            on = failed(p, &part, &err);
        else if (part.member)
            on = collect(p, &part);
        else
            on = go_on(p, hand_on(p, &part, &err), &err);
    }
    if (p->progress)
        progress_next_input(p->progress, p->walk.in);
    cli_walk_close(&p->walk);
    return on;
}

bool cli_input_failed(struct cli_parts *p, struct cli *cli, const char *path,
                      const struct err *err)
{
    p->n_failed++;
    return cli_input_error(cli, cli_input_name(path), err);
}

void cli_parts_free(struct cli_parts *p)
{
    buf_free(&p->members.bytes);
    vec_free(&p->members.ends);
}

bool cli_each_part(struct cli *cli, cli_begins_fn *begins, cli_part_fn *fn,
                   void *ctx)
{
    struct cli_parts p = {.begins = begins, .fn = fn, .ctx = ctx};
    bool on = true;
    for (size_t i = 0; on && i < cli->n_inputs; i++)
        on = cli_input_parts(&p, cli, cli->inputs[i]);
    cli_parts_free(&p);
    return on;
}
