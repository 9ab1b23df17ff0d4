/* The parts of inputs as bytes, and which gzip members are parts. */
#include "base/vec.h"
#include "cli/private.h"

/* The members of a gzip file so far, one behind the other. */
struct collected {
    struct buf bytes;
    VEC(size_t) ends; /* of each member, in bytes */
    bool each;        /* each begins like a file of its own */
};

struct parts {
    struct cli_walk walk;
    cli_begins_fn *begins;
    cli_part_fn *fn;
    void *ctx;
    struct collected members;
};

/* Hands the part on under the name that the walk has. */
static bool hand_on(struct parts *p, const struct input_part *part,
                    struct err *err)
{
    struct cli *cli = p->walk.cli;
    cli->subject = (const char *)p->walk.name.v;
    bool ok = p->fn(p->ctx, cli->subject, part, err);
    cli->subject = NULL;
    return ok;
}

/* Each collected member by itself; false when the walk is to stop. */
static bool hand_on_each(struct parts *p, const struct input_part *last)
{
    struct collected *m = &p->members;
    struct err err;
    size_t at = 0;
    for (size_t i = 0; i < m->ends.n; i++) {
        struct input_part part = *last;
        part.data = m->bytes.v + at;
        part.n = m->ends.v[i] - at;
        part.member = i + 1;
        at = m->ends.v[i];
        if ((!cli_walk_name(&p->walk, part.entry, part.member, &err) ||
             !hand_on(p, &part, &err)) &&
            !cli_walk_failed(&p->walk, &err))
            return false;
    }
    return true;
}

/* All collected members as one part. */
static bool hand_on_joined(struct parts *p, const struct input_part *last)
{
    struct input_part part = *last;
    struct err err;
    part.data = p->members.bytes.v;
    part.n = p->members.bytes.n;
    return (cli_walk_name(&p->walk, part.entry, 0, &err) &&
            hand_on(p, &part, &err)) ||
           cli_walk_failed(&p->walk, &err);
}

static bool collect(struct parts *p, const struct input_part *part)
{
    struct collected *m = &p->members;
    struct err err;
    if (part->member == 1) {
        m->bytes.n = m->ends.n = 0;
        m->each = true;
    }
    m->each = m->each && p->begins && p->begins(part->data, part->n);
    if (!buf_put(&m->bytes, part->data, part->n) ||
        !vec_push(&m->ends, m->bytes.n)) {
        err_nomem(&err);
        return cli_walk_failed(&p->walk, &err);
    }
    if (!part->last_member)
        return true;
    bool on = m->each ? hand_on_each(p, part) : hand_on_joined(p, part);
    m->ends.n = 0;
    return on;
}

/* A member that cannot be inflated does not take those before it along. */
static bool failed(struct parts *p, const struct input_part *part,
                   const struct err *err)
{
    bool on = !p->members.ends.n || !p->members.each || !part->member ||
              hand_on_each(p, part);
    struct err naming;
    p->members.ends.n = 0;
    return on && cli_walk_name(&p->walk, part->entry, part->member, &naming) &&
           cli_walk_failed(&p->walk, err);
}

static bool input_parts(struct parts *p, struct cli *cli, const char *path)
{
    if (!cli_walk_open(&p->walk, cli, path))
        return cli->keep_going;
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
            on = hand_on(p, &part, &err) || cli_walk_failed(&p->walk, &err);
    }
    cli_walk_close(&p->walk);
    return on;
}

bool cli_each_part(struct cli *cli, cli_begins_fn *begins, cli_part_fn *fn,
                   void *ctx)
{
    struct parts p = {.begins = begins, .fn = fn, .ctx = ctx};
    bool on = true;
    for (size_t i = 0; on && i < cli->n_inputs; i++)
        on = input_parts(&p, cli, cli->inputs[i]);
    buf_free(&p.members.bytes);
    vec_free(&p.members.ends);
    return on;
}
