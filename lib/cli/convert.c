#include "cli/convert.h"

#include "base/utf8.h"
#include "cli/each.h"
#include "cli/private.h"
#include "io/kind.h"

#include <stdlib.h>

struct convert {
    struct cli *cli;
    const struct cli_converter *how;
    struct cli_parts parts;
    struct each each;        /* with --each */
    struct repeats *repeats; /* with --each: what finish warns of */
    struct losses losses;
    struct progress progress;
    size_t entries, known; /* of the present input, if it is an archive */
    struct buf first;      /* what its first entry is that is not known */
    bool archives;         /* there was one */
    struct buf text;       /* the present part, where it had to be converted */
};

/* What an entry is that is not converted. */
static void explain(const struct convert *c, const struct input_part *part,
                    struct err *err)
{
    const struct kind *kind = kind_of(part->data, part->n);
    bool own = kind_is_read_by(kind, c->cli->tool);
    if (part->irregular)
        err_set(err, ERR_INPUT, "%s, which is not converted", part->irregular);
    else if (part->nested)
        err_set(err, ERR_INPUT,
                "an archive inside an archive, which is not opened");
    else if (!part->n)
        err_set(err, ERR_INPUT,
                "empty: the program that was to write it may have been "
                "killed");
    else if (own && !c->how->narrow)
        (void)kind_refuse_broken(kind, err);
    else if (kind)
        err_set(err, ERR_INPUT, "this is %s, not %s",
                own ? kind->what : kind->words, c->how->what);
    else if (kind_is_text(part->data, part->n))
        err_set(err, ERR_INPUT, "this is text, not %s", c->how->what);
    else
        err_set(err, ERR_INPUT, "not %s", c->how->what);
}

/* Keeps in mind the first entry that is not converted, and why. */
static bool note_first(struct convert *c, const struct input_part *part,
                       const char *why, struct err *err)
{
    return c->known || c->first.n ||
           (buf_printf(&c->first, "%s: %s", part->entry, why) &&
            buf_putc(&c->first, 0)) ||
           err_nomem(err);
}

/* An entry that is not converted: an error, or counted. */
static bool skip(struct convert *c, const struct input_part *part,
                 struct err *err)
{
    const struct notes *notes = &c->cli->notes;
    struct err why;
    explain(c, part, &why);
    if (!note_first(c, part, why.text, err))
        return false;
    if (c->cli->strict) {
        *err = why;
        return false;
    }
    c->progress.skipped++;
    c->progress.empty += !part->n && !part->irregular;
    losses_keep(&c->losses);
    if (part->nested)
        note_loss(notes, "skipped: %s", why.text);
    else
        note_info(notes, "skipped: %s", why.text);
    losses_drop(&c->losses); /* it may have had nothing for the profile */
    return true;
}

static bool is_known(const struct convert *c, const struct input_part *part)
{
    return !part->irregular && !part->nested && part->n &&
           c->how->knows(c->how->ctx, part);
}

/* The profile of what was added, with what was lost. */
static bool finish(struct convert *c, struct profile *p, struct err *err)
{
    return c->how->finish(c->how->ctx, p, err) &&
           notes_lossless(&c->cli->notes, err) &&
           losses_into(&c->losses, p, err);
}

/* A part as a profile of its own. */
static bool convert_alone(struct convert *c, const char *name,
                          const struct input_part *part, struct err *err)
{
    const struct cli_converter *how = c->how;
    struct profile p = {0};
    if (!each_name(&c->each, part, err))
        return false;
    bool ok = how->start(how->ctx, err) && how->add(how->ctx, name, part, err);
    /* What is wrong is from here on not with the part, but around it. */
    c->cli->private->repeats = c->repeats;
    ok = ok && finish(c, &p, err);
    c->cli->private->repeats = NULL;
    if (ok && !each_write(&c->each, name, part, &p, err)) {
        ok = false;
        c->parts.stop = err->kind == ERR_SYSTEM;
    }
    prof_free(&p);
    return ok;
}

/* A part as itself, or added to what came before. */
static bool add_part(struct convert *c, const char *name,
                     const struct input_part *part, struct err *err)
{
    /* What is lost around parts is missing in their sum, in none of them. */
    if (c->cli->each)
        losses_drop(&c->losses);
    else
        losses_keep(&c->losses);
    if (c->cli->each ? convert_alone(c, name, part, err)
                     : c->how->add(c->how->ctx, name, part, err))
        return true;
    losses_drop(&c->losses);
    return false;
}

/* Adds a part, with its program if it has one of its own. */
static bool add(struct convert *c, const char *name,
                const struct input_part *part, struct err *err)
{
    const struct cli_converter *how = c->how;
    struct found_program program;
    if (how->programs) {
        if (!find_program(how->programs, part, &program, err))
            return false;
        how->set_program(how->ctx, &program);
    }
    if (!add_part(c, name, part, err))
        return false;
    c->progress.converted++;
    return true;
}

/* An entry that has been kept as a program. */
static bool skip_program(struct convert *c, const struct input_part *part,
                         struct err *err)
{
    struct err why;
    explain(c, part, &why);
    return note_first(c, part, why.text, err);
}

/*
 * Text of Windows as the converters know it.  What is not well-formed is no
 * error of an entry that is not theirs by what stands before that.
 */
static bool plain_text(struct convert *c, struct input_part *part,
                       struct err *err)
{
    struct input_part text = *part;
    bool ok = bom_remove(&text.data, &text.n, &c->text, &c->cli->notes, err);
    if (!ok && (err->kind != ERR_INPUT || !part->entry || is_known(c, &text)))
        return false;
    if (ok)
        *part = text;
    return true;
}

static bool take(void *ctx, const char *name, const struct input_part *given,
                 struct err *err)
{
    struct convert *c = ctx;
    struct input_part text = *given, *part = &text;
    bool each = c->cli->each;
    c->entries += part->entry != NULL;
    progress_step(&c->progress, c->parts.walk.in);
    struct find_program *programs = c->how->programs;
    int kept = programs ? find_program_keep(programs, part, err) : 0;
    if (kept)
        return kept > 0 && skip_program(c, part, err);
    if (!plain_text(c, part, err))
        return false;
    if (part->entry && !is_known(c, part) && !(each && part->irregular))
        return skip(c, part, err);
    c->known++;
    if (part->irregular)
        return err_set(err, ERR_INPUT, "%s, which is not converted",
                       part->irregular);
    return add(c, name, part, err);
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

static bool take_parts(struct convert *c, const char *path)
{
    struct find_program *programs = c->how->programs;
    struct err err;
    if (programs && !find_program_begin(programs, path, c->cli->max_size, &err))
        return cli_input_failed(&c->parts, c->cli, path, &err);
    return cli_input_parts(&c->parts, c->cli, path);
}

static bool take_input(struct convert *c, const char *path)
{
    size_t failed = c->parts.n_failed;
    c->entries = c->known = c->first.n = 0;
    if (!take_parts(c, path))
        return false;
    c->archives |= c->parts.is_archive;
    return !c->parts.is_archive || c->parts.n_failed > failed ||
           check_archive(c, path);
}

/* A list of inputs may be empty. */
static bool take_inputs(struct convert *c)
{
    bool on = true;
    for (size_t i = 0; on && i < c->cli->n_inputs; i++)
        on = take_input(c, c->cli->inputs[i]);
    return on && (c->progress.converted || c->parts.n_failed ||
                  cli_no_profile(c->cli, NULL));
}

/* All parts in one profile; whether it was written. */
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
        ok = finish(c, &p, &err);
        if (!ok)
            cli_error(c->cli, NULL, &err);
    }
    ok = ok && cli_write_profile(c->cli, &p);
    prof_free(&p);
    return ok;
}

static void tell_repeats(const struct convert *c)
{
    const struct repeat *r;
    for (size_t i = 0; (r = repeats_at(c->repeats, i)); i++)
        if (r->again)
            note_relay(&c->cli->notes, r->level, "%zu more profile%s: %s",
                       r->again, r->again == 1 ? "" : "s", r->text);
}

/*
 * Each part in a profile of its own; whether the output is complete.  Times in
 * zip archives go by the time zone, on which it is not to depend.
 */
static bool convert_each(struct convert *c)
{
    struct err err;
    c->repeats = repeats_new();
    if (!c->repeats || setenv("TZ", "UTC0", 1) != 0) {
        repeats_free(c->repeats);
        (void)err_nomem(&err);
        cli_error(c->cli, NULL, &err);
        return false;
    }
    bool ok = each_begin(&c->each, c->cli);
    if (ok) {
        ok = take_inputs(c) && !c->parts.stop && c->progress.converted;
        ok = each_end(&c->each, ok);
    }
    tell_repeats(c);
    repeats_free(c->repeats);
    return ok;
}

void cli_convert(struct cli *cli, const struct cli_converter *converter)
{
    struct convert c = {.cli = cli, .how = converter};
    c.parts = (struct cli_parts){.begins = converter->begins,
                                 .fn = take,
                                 .ctx = &c,
                                 .progress = &c.progress,
                                 .flags = CLI_WALK_ALL};
    cli->private->losses = &c.losses;
    progress_begin(&c.progress, cli);
    bool done = cli->each ? convert_each(&c) : merge(&c);
    progress_end(&c.progress, done && (c.archives || cli->each),
                 c.parts.n_failed);
    cli->private->losses = NULL;
    losses_free(&c.losses);
    cli_parts_free(&c.parts);
    buf_free(&c.first);
    buf_free(&c.text);
}
