/* inputs.c - the inputs of a command line, and the parts of each as bytes */
#include <stdlib.h>
#include <string.h>

#include "cli/private.h"
#include "io/output.h"
#include "profile/wire/pb.h"

bool cli_walk_name(struct cli_walk *w, const char *entry, size_t member,
                   struct prof_err *err)
{
    struct buf *b = &w->name;
    b->n = 0;
    w->in_archive = entry != NULL;
    bool ok = buf_puts(b, w->path);
    if (entry && member)
        ok = ok && buf_printf(b, "(%s, member %zu)", entry, member);
    else if (entry)
        ok = ok && buf_printf(b, "(%s)", entry);
    else if (member)
        ok = ok && buf_printf(b, "(member %zu)", member);
    ok = ok && buf_putc(b, 0);
    w->subject = ok ? (const char *)b->v : w->path;
    return ok || err_nomem(err);
}

static bool may_be_profile(const void *ctx, const uint8_t *head, size_t n,
                           struct prof_err *err)
{
    (void)ctx;
    return pb_may_begin(head, n, err);
}

/* No format begins with many zeros. */
static bool may_be_any(const void *ctx, const uint8_t *head, size_t n,
                       struct prof_err *err)
{
    (void)ctx;
    return *head || memcmp(head, head + 1, n - 1) != 0 ||
           err_set(err, PROF_ERR_INPUT,
                   "not a profile: begins with only zero bytes");
}

bool cli_walk_open(struct cli_walk *w, struct cli *cli, const char *path,
                   unsigned flags, const struct input_streams *streams)
{
    struct prof_err err;
    bool all = flags & CLI_WALK_ALL;
    static const struct input_check profile = {may_be_profile, NULL},
                                    any = {may_be_any, NULL};
    struct input_opts opts = {.max_size = cli->max_size,
                              .max_held = cli->max_held,
                              .all_entries = all || cli->strict,
                              .salvage = flags & CLI_WALK_SALVAGE,
                              .threads = cli->threads,
                              .check =
                                  flags & CLI_WALK_PROFILES ? &profile : &any,
                              .streams = streams};
    *w = (struct cli_walk){.cli = cli,
                           .path = cli_input_name(path),
                           .is_stdin = strcmp(path, "-") == 0,
                           .all = all};
    cli_notes_init(&w->notes, cli, w->path);
    if (cli_walk_name(w, NULL, 0, &err) &&
        input_open(&w->in, path, &opts, &w->notes.notes, &err))
        return true;
    (void)cli_input_error(cli, w->subject, &err);
    cli_walk_close(w);
    return false;
}

/*
 * As input_next(), but what was lost on the way to a part, or to the end, and
 * is an error, comes before that.
 */
static int next_or_loss(struct cli_walk *w, struct input_part *part,
                        struct prof_err *err)
{
    if (w->held) {
        w->held = false;
        *part = w->part;
        return w->got;
    }
    int got = input_next(w->in, part, err);
    struct prof_err lost;
    if (notes_lossless(&w->notes.notes, &lost) || got < 0)
        return got;
    w->held = true;
    w->got = got;
    w->part = *part;
    memset(part, 0, sizeof *part);
    *err = lost;
    return -1;
}

int cli_walk_next(struct cli_walk *w, struct input_part *part,
                  struct prof_err *err)
{
    int got = next_or_loss(w, part, err);
    if (got == 0)
        return 0;
    struct prof_err naming;
    if (!cli_walk_name(w, part->entry, part->member, &naming)) {
        *err = naming;
        return -1;
    }
    if (got == 1 && part->irregular && !w->all) {
        err_set(err, PROF_ERR_INPUT, "skipped: %s (an error with --strict)",
                part->irregular);
        return -1;
    }
    if (got == 1 && part->nested && !(w->all && part->entry)) {
        err_set(err, PROF_ERR_INPUT,
                "archives inside archives are not supported");
        return -1;
    }
    return got;
}

bool cli_walk_refuse_empty(const struct cli_walk *w, struct prof_err *err)
{
    if (w->is_stdin && !w->in_archive)
        return err_set(err, PROF_ERR_INPUT,
                       "empty input (did the command that writes to this pipe "
                       "fail?)");
    return err_set(
        err, PROF_ERR_INPUT,
        "empty file (was the program killed before it wrote its profile?)");
}

void cli_walk_close(struct cli_walk *w)
{
    input_close(w->in);
    w->in = NULL;
    buf_free(&w->name);
}

/* --- parts of inputs ------------------------------------------------------ */

/*
 * Calls fn with the part, under the name that the walk has.  Its error comes
 * before an error by a loss.
 */
static bool visit_part(struct cli_parts *p, const struct input_part *part,
                       struct prof_err *err)
{
    struct cli *cli = p->walk.cli;
    cli->subject = p->walk.subject;
    struct prof_err lost;
    bool ok = p->fn(p->ctx, cli->subject, part, err);
    if (!notes_lossless(&cli->notes, &lost) && ok) {
        *err = lost;
        ok = false;
    }
    cli->subject = NULL;
    return ok;
}

static bool part_failed(struct cli_parts *p, const struct prof_err *err)
{
    p->n_failed++;
    return cli_input_error(p->walk.cli, p->walk.subject, err);
}

/* Whether to go on with the next part, when this one is done or has failed. */
static bool may_continue(struct cli_parts *p, bool ok,
                         const struct prof_err *err)
{
    return (ok || part_failed(p, err)) && !p->stop;
}

/* Each collected member by itself; false when the walk is to stop. */
static bool visit_members(struct cli_parts *p, const struct input_part *last)
{
    struct cli_members *m = &p->members;
    struct prof_err err;
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
                  visit_part(p, &part, &err);
        on = may_continue(p, ok, &err);
    }
    return on;
}

/* All collected members as one part. */
static bool visit_joined(struct cli_parts *p, const struct input_part *last)
{
    struct input_part part = *last;
    struct prof_err err;
    part.data = p->members.bytes.v;
    part.n = p->members.bytes.n;
    part.member = 0;
    bool ok = cli_walk_name(&p->walk, part.entry, 0, &err) &&
              visit_part(p, &part, &err);
    return may_continue(p, ok, &err);
}

static bool collect_member(struct cli_parts *p, const struct input_part *part)
{
    struct cli_members *m = &p->members;
    struct prof_err err;
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
    bool on = m->each ? visit_members(p, part) : visit_joined(p, part);
    m->ends.n = 0;
    return on;
}

/* A member that cannot be inflated does not take those before it along. */
static bool read_failed(struct cli_parts *p, const struct input_part *part,
                        const struct prof_err *err)
{
    bool on = !p->members.ends.n || !p->members.each || !part->member ||
              visit_members(p, part);
    struct prof_err naming;
    p->members.ends.n = 0;
    if (on && !cli_walk_name(&p->walk, part->entry, part->member, &naming))
        err = &naming;
    return on && part_failed(p, err);
}

/* Bytes of an input that is finished, or as far as it was read. */
static uint64_t size_of(const struct input *in)
{
    uint64_t read, size;
    input_position(in, &read, &size);
    return size ? size : read;
}

bool cli_input_parts(struct cli_parts *p, struct cli *cli, const char *path)
{
    p->is_archive = false;
    if (!cli_walk_open(&p->walk, cli, path, p->flags, p->streams)) {
        p->n_failed++;
        return cli->keep_going;
    }
    p->is_archive = input_is_archive(p->walk.in);
    struct input_part part;
    struct prof_err err;
    bool on = true;
    for (int got; on && (got = cli_walk_next(&p->walk, &part, &err)) != 0;) {
        if (got < 0)
            on = read_failed(p, &part, &err);
        else if (part.member)
            on = collect_member(p, &part);
        else
            on = may_continue(p, visit_part(p, &part, &err), &err);
    }
    if (p->progress)
        p->progress->done += size_of(p->walk.in);
    cli_walk_close(&p->walk);
    buf_free(&p->members.bytes);
    vec_free(&p->members.ends);
    return on;
}

bool cli_each_part(struct cli *cli, cli_begins_fn *begins, cli_part_fn *fn,
                   void *ctx)
{
    struct cli_parts p = {.begins = begins, .fn = fn, .ctx = ctx};
    bool on = true;
    for (size_t i = 0; on && i < cli->n_inputs; i++)
        on = cli_input_parts(&p, cli, cli->inputs[i]);
    return on;
}
