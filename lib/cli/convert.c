#include "cli/convert.h"

#include "cli/private.h"
#include "cli/progress.h"
#include "io/kind.h"

struct convert {
    struct cli *cli;
    const struct cli_converter *how;
    struct cli_parts parts;
    struct progress progress;
    size_t entries, known; /* of the present input, if it is an archive */
    struct buf first;      /* what its first entry is that is not known */
    bool archives;         /* there was one */
};

/* What an entry is that is not converted. */
static void explain(const struct convert *c, const struct input_part *part,
                    struct err *err)
{
    const char *kind = kind_of(part->data, part->n);
    if (!kind && kind_is_text(part->data, part->n))
        kind = "text";
    if (part->irregular)
        err_set(err, ERR_INPUT, "this is %s, which is not converted",
                part->irregular);
    else if (part->nested)
        err_set(err, ERR_INPUT,
                "an archive inside an archive, which is not opened");
    else if (!part->n)
        err_set(err, ERR_INPUT,
                "empty: the program that was to write it may have been "
                "killed");
    else if (kind)
        err_set(err, ERR_INPUT, "this is %s, not %s", kind, c->how->what);
    else
        err_set(err, ERR_INPUT, "not %s", c->how->what);
}

/* An entry that is not converted: an error, or counted. */
static bool skip(struct convert *c, const struct input_part *part,
                 struct err *err)
{
    const struct notes *notes = &c->cli->notes;
    struct err why;
    explain(c, part, &why);
    if (!c->known && !c->first.n &&
        !(buf_printf(&c->first, "%s: %s", part->entry, why.text) &&
          buf_putc(&c->first, 0)))
        return err_nomem(err);
    if (c->cli->strict) {
        *err = why;
        return false;
    }
    c->progress.skipped++;
    c->progress.empty += !part->n && !part->irregular;
    if (part->nested)
        note_warn(notes, "skipped: %s", why.text);
    else
        note_info(notes, "skipped: %s", why.text);
    return true;
}

static bool is_known(const struct convert *c, const struct input_part *part)
{
    return !part->irregular && !part->nested && part->n &&
           c->how->knows(c->how->ctx, part);
}

static bool take(void *ctx, const char *name, const struct input_part *part,
                 struct err *err)
{
    struct convert *c = ctx;
    c->entries += part->entry != NULL;
    progress_step(&c->progress, c->parts.walk.in);
    if (part->entry && !is_known(c, part))
        return skip(c, part, err);
    c->known++;
    if (!c->how->add(c->how->ctx, name, part, err))
        return false;
    c->progress.converted++;
    return true;
}

/* An archive with nothing in it for us is not what was meant. */
static bool check_archive(struct convert *c, const char *path)
{
    struct err err;
    if (c->known)
        return true;
    if (!c->entries)
        err_set(&err, ERR_INPUT, "an archive without files");
    else
        err_set(&err, ERR_INPUT, "none of the entries (%zu) is %s; %s",
                c->entries, c->how->what, (const char *)c->first.v);
    return cli_input_failed(&c->parts, c->cli, path, &err);
}

static bool take_input(struct convert *c, const char *path)
{
    size_t failed = c->parts.n_failed;
    c->entries = c->known = c->first.n = 0;
    if (!cli_input_parts(&c->parts, c->cli, path))
        return false;
    c->archives |= c->parts.is_archive;
    return !c->parts.is_archive || c->parts.n_failed > failed ||
           check_archive(c, path);
}

static bool take_inputs(struct convert *c)
{
    bool on = true;
    for (size_t i = 0; on && i < c->cli->n_inputs; i++)
        on = take_input(c, c->cli->inputs[i]);
    return on;
}

static bool merge(struct convert *c)
{
    const struct cli_converter *how = c->how;
    struct profile p = {0};
    struct err err;
    bool ok = how->start(how->ctx, &err);
    if (!ok)
        cli_error(c->cli, NULL, &err);
    ok = ok && take_inputs(c) && c->progress.converted;
    if (ok) {
        ok = how->finish(how->ctx, &p, &err);
        if (!ok)
            cli_error(c->cli, NULL, &err);
    }
    ok = ok && cli_write_profile(c->cli, &p);
    prof_free(&p);
    return ok;
}

void cli_convert(struct cli *cli, const struct cli_converter *converter)
{
    struct convert c = {.cli = cli, .how = converter};
    c.parts = (struct cli_parts){.begins = converter->begins,
                                 .fn = take,
                                 .ctx = &c,
                                 .progress = &c.progress,
                                 .all = true};
    progress_begin(&c.progress, cli);
    bool done = merge(&c);
    progress_end(&c.progress, done && c.archives, c.parts.n_failed);
    cli_parts_free(&c.parts);
    buf_free(&c.first);
}
