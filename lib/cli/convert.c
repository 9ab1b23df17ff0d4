/* convert.c - the common part of converters: reads inputs, writes the output */
#include "cli/convert.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/slice.h"
#include "base/utf8.h"
#include "cli/private.h"
#include "cli/source.h"
#include "formats/import_formats.h"
#include "io/bundle.h"

/* Parts of at least this many bytes are converted without copying them. */
#define LARGE ((size_t)16 << 20)

struct conversion {
    struct cli *cli;
    struct conversion_opts opts;
    struct source source;   /* reads the current input */
    size_t n_opened;        /* number of inputs opened so far */
    struct input_part part; /* the current part */
    struct import_input in;
    struct buf text;         /* the part, if it was converted to UTF-8 */
    struct prof_err no_text; /* why that failed; or kind PROF_ERR_NONE */
    struct each each;
    struct batch *batch; /* parts to be converted by threads; or null */
    struct losses losses;
    struct progress progress;
    size_t entries, known; /* entries of the archive; those not skipped */
    struct buf first;      /* its first entry that is not converted, and why */
    size_t n_failed;       /* failed parts and inputs */
    size_t n_unknown;      /* copied entries of unknown type */
    struct buf unknown;    /* the name of the first of these */
    bool to_pipe;          /* the output is a pipe */
    bool archives;         /* an input was an archive */
    bool over;             /* there are no more parts, or reading stopped */
    bool ok;               /* all parts were read, and the sum was written */
    bool stop;             /* the output of --each failed */
};

/* --- the parts of all inputs ---------------------------------------------- */

static void detect_format(struct conversion *c, const struct input_part *part)
{
    struct stat st;
    int64_t made = part->mtime;
    if (!part->entry)
        made = cli_stat(part->path, &st) == 0 && S_ISREG(st.st_mode)
                   ? st.st_mtime
                   : 0;
    c->in = (struct import_input){.name = c->source.subject,
                                  .data = part->data,
                                  .n = part->n,
                                  .stream = part->stream,
                                  .directory = part->directory,
                                  .max_size = c->cli->max_size,
                                  .made = made,
                                  .notes = &c->cli->notes};
    import_detect(&c->in, c->cli->tool);
}

/* Sets *err to the reason why an entry is not converted. */
static void explain(const struct conversion *c, struct prof_err *err)
{
    const struct input_part *part = &c->part;
    const struct import_input *in = &c->in;
    const char *found = in->format    ? in->format->what
                        : in->foreign ? in->foreign->words
                                      : import_describe(part->data, part->n);
    if (part->irregular)
        err_input(err, "%s; not converted", part->irregular);
    else if (part->nested)
        err_input(err, "archives inside archives are not supported");
    else if (!part->n)
        source_refuse_empty(&c->source, err);
    else if (found)
        err_input(err, "not %s: found %s", c->opts.reads, found);
    else
        err_input(err, "not %s", c->opts.reads);
}

/* --- parts that threads convert ------------------------------------------- */

static void show_record(struct conversion *c, const struct batch_part *part)
{
    struct cli *cli = c->cli;
    for (size_t i = 0; i < part->record.said.n; i++) {
        const struct said *said = &part->record.said.v[i];
        cli->subject = said->subject ? said->subject : part->subject;
        cli->notes.say(cli->notes.ctx, said->level, said->text);
    }
    cli->subject = part->subject;
}

/* Writes a converted or copied part to the output, or reports its failure. */
static void finish_part(struct conversion *c, struct batch_part *part)
{
    struct cli *cli = c->cli;
    struct each *e = &c->each;
    struct prof_err lost;
    cli->private->repeats = part->copied ? NULL : &e->repeats;
    e->repeats.profile += !part->copied;
    show_record(c, part);
    bool ok = !part->failed;
    bool lossless = notes_lossless(&cli->notes, &lost);
    if (ok && !lossless) {
        part->err = lost;
        ok = false;
    }
    ok = ok && each_claim(e, part->name, part->subject, &part->err);
    if (ok) {
        const struct buf *b = part->copied ? &part->bytes : &part->packed;
        const struct bundle_file file = {part->name, part->mtime, b->v, b->n};
        ok = each_add(e, &file, &part->err);
        c->stop = !ok && part->err.kind == PROF_ERR_SYSTEM;
    }
    c->progress.passed += ok && part->copied;
    c->progress.converted += ok && !part->copied;
    c->progress.waiting -= !part->copied;
    if (ok && part->unknown)
        ok = c->n_unknown++ ||
             (buf_puts(&c->unknown, part->entry) && buf_putc(&c->unknown, 0)) ||
             err_nomem(&part->err);
    cli->private->repeats = NULL;
    losses_drop(&c->losses);
    if (!ok) {
        c->n_failed++;
        c->over |= !cli_input_error(cli, part->subject, &part->err);
    }
    c->over |= c->stop;
}

static bool flush(void *ctx);

/* Writes the parts that threads have converted, and starts to convert those
 * that wait.  Returns false if there were none. */
static bool advance(struct conversion *c)
{
    struct batch *batch = c->batch;
    struct cli_private *priv = c->cli->private;
    const char *subject = c->cli->subject;
    struct repeats *repeats = priv->repeats;
    struct batch_parts done;
    bool any = batch_advance(batch, &done);
    /* Messages about these parts are shown in order: no flush() before them. */
    c->batch = NULL;
    priv->before = NULL;
    for (size_t i = 0; !c->over && i < done.list.n; i++)
        finish_part(c, &done.list.v[i]);
    batch_parts_free(&done);
    c->batch = batch;
    priv->before = flush;
    priv->repeats = repeats;
    c->cli->subject = subject;
    return any;
}

/* Converts and writes all parts that wait, so that messages appear in the order
 * of inputs.  Returns false if processing must stop. */
static bool flush(void *ctx)
{
    struct conversion *c = ctx;
    while (c->batch && !c->over && advance(c))
        ;
    return !c->over;
}

/* Stores the first entry that is not converted, and why, in c->first. */
static bool note_first(struct conversion *c, struct prof_err *err)
{
    struct prof_err why;
    if (c->known || c->first.n)
        return true;
    explain(c, &why);
    return (buf_printf(&c->first, "%s: %s", c->part.entry, why.text) &&
            buf_putc(&c->first, 0)) ||
           err_nomem(err);
}

/* Skips an entry that cannot be converted.  With --strict that is an error. */
static bool skip(struct conversion *c, struct prof_err *err)
{
    const struct prof_notes *notes = &c->cli->notes;
    const struct input_part *part = &c->part;
    struct prof_err why;
    if (!note_first(c, err))
        return false;
    explain(c, &why);
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
    losses_drop(&c->losses); /* the entry may not be a profile */
    return true;
}

static char *copy_text(const void *text)
{
    return text ? strdup(text) : NULL;
}

/* Copies the current part, its name in c->each and its bytes to *part. */
static bool fill_part(struct conversion *c, struct batch_part *part,
                      const void *bytes, size_t n, struct prof_err *err)
{
    part->mtime = c->part.mtime;
    part->subject = copy_text(c->source.subject);
    part->name = copy_text(c->each.name.v);
    part->entry = copy_text(c->part.entry);
    if (part->subject && part->name && (part->entry || !c->part.entry) &&
        buf_put(&part->bytes, bytes, n))
        return true;
    batch_part_free(part);
    return err_nomem(err);
}

static bool batch_present(struct conversion *c, struct batch_part *part,
                          const void *bytes, size_t n, struct prof_err *err)
{
    if (!fill_part(c, part, bytes, n, err) || !batch_add(c->batch, part, err))
        return false;
    if (batch_is_full(c->batch))
        (void)advance(c);
    return true;
}

/* Copies an entry that is not converted to the output of --each, unchanged. */
static bool pass_on(struct conversion *c, struct prof_err *err)
{
    const struct input_part *part = &c->part;
    struct each *e = &c->each;
    /* The members of an entry are parts; the first part copies all of them. */
    if (part->member > 1)
        return true;
    e->name.n = 0;
    if (!bundle_name_of_entry(&e->name, part->entry, err))
        return false;
    if (!buf_putc(&e->name, 0))
        return err_nomem(err);
    struct batch_part copied = {.copied = true,
                                .unknown = !c->in.format && !c->in.foreign};
    if (c->batch)
        return batch_present(c, &copied, part->raw, part->raw_n, err);
    if (!fill_part(c, &copied, part->raw, part->raw_n, err))
        return false;
    finish_part(c, &copied);
    batch_part_free(&copied);
    return true;
}

static bool batch_accepted(struct conversion *c, struct prof_err *err)
{
    struct find_program *programs = c->opts.programs;
    const struct input_part *in = &c->part;
    struct batch_part part = {.in = c->in};
    /* A large part is not copied, but converted before the next is read. */
    bool at_once = c->cli->threads == 1 || in->stream || in->n >= LARGE;
    if (at_once && !flush(c))
        return true;
    if (!notes_lossless(&c->cli->notes, &part.err) ||
        (programs && !find_program(programs, in, &part.program, &part.err)))
        part.failed = true;
    if (programs && !part.failed) {
        part.program_name = copy_text(part.program.name);
        part.program.name = part.program_name;
        if (!part.program_name)
            return err_nomem(err);
    }
    c->progress.waiting++;
    if (!batch_present(c, &part, in->data, at_once ? 0 : in->n, err))
        return false;
    if (at_once)
        (void)flush(c);
    return true;
}

/* Reports an error of a whole input.  Returns true if -k says to continue. */
static bool input_failed(struct conversion *c, const struct prof_err *err)
{
    if (!flush(c))
        return false;
    c->n_failed++;
    return cli_input_error(
        c->cli, cli_input_name(c->cli->inputs[c->n_opened - 1]), err);
}

/* Opens the next input.  Returns 0 on failure; c->over says whether to stop. */
static int open_input(struct conversion *c)
{
    struct cli *cli = c->cli;
    const struct source_opts opts = {
        .flags = SOURCE_ALL | (c->opts.sparse ? 0 : SOURCE_DENSE),
        .begins = c->opts.member_begins,
        .is_padded = c->opts.is_padded,
        .streams = c->opts.streams};
    const char *const *path = &cli->inputs[c->n_opened++];
    struct find_program *programs = c->opts.programs;
    struct prof_err err;
    c->entries = c->known = c->first.n = 0;
    c->source = source_of(cli, path, 1, &opts);
    if (!programs || find_program_begin(programs, *path, cli->max_size, &err))
        return 1;
    c->over = !input_failed(c, &err);
    return 0;
}

/* Closes the input.  Fails if it is an archive without a single input. */
static void close_input(struct conversion *c)
{
    struct source *s = &c->source;
    struct prof_err err;
    bool checked = s->is_archive && !s->n_failed && !c->known && !c->over;
    source_end(s);
    c->progress.done += s->n_read;
    c->n_failed += s->n_failed;
    c->archives |= s->is_archive;
    s->cli = NULL;
    if (!checked)
        return;
    if (!c->entries)
        err_input(&err, "the archive contains no files");
    else
        err_input(&err, "none of %zu entries is %s; %s", c->entries,
                  c->opts.reads, (const char *)c->first.v);
    c->over = !input_failed(c, &err);
}

/* Ends a part; reports *err if it failed, or else a loss that is an error. */
static void end_part(struct conversion *c, bool ok, const struct prof_err *err)
{
    struct prof_err lost;
    bool lossless = notes_lossless(&c->cli->notes, &lost);
    c->cli->private->repeats = NULL;
    c->cli->subject = NULL;
    if (!ok)
        losses_drop(&c->losses);
    if ((!ok || !lossless) &&
        (!flush(c) || !source_failed(&c->source, ok ? &lost : err)))
        c->over = true;
}

/*
 * Handles a new part: detects its format and converts text to UTF-8.  Returns
 * 1, 0 if the part is a program, which is kept, or -1 with *err.
 */
static int take_part(struct conversion *c, struct prof_err *err)
{
    struct find_program *programs = c->opts.programs;
    struct input_part *part = &c->part, text;
    c->entries += part->entry != NULL;
    c->no_text.kind = PROF_ERR_NONE;
    progress_step(&c->progress, c->source.in);
    /* A stream cannot wait for a thread, so read it into memory. */
    if (c->cli->each && !input_hold(c->source.in, part, LARGE, err))
        return -1;
    text = *part;
    int kept = programs ? find_program_keep(programs, part, err) : 0;
    if (kept < 0)
        return -1;
    if (kept || part->stream) {
        detect_format(c, part);
        return !kept ? 1 : note_first(c, err) ? 0 : -1;
    }
    /* Converts text with a byte order mark, as written on Windows. */
    bool ok = bom_remove(&text.data, &text.n, &c->text, &c->cli->notes, err);
    detect_format(c, &text);
    if (ok)
        *part = text;
    else if (err->kind == PROF_ERR_INPUT && part->entry)
        c->no_text = *err;
    return ok || c->no_text.kind ? 1 : -1;
}

bool conversion_next(struct conversion *c, struct import_input *in)
{
    struct prof_err err;
    while (!c->over) {
        if (!c->source.cli && c->n_opened == c->cli->n_inputs) {
            if (!flush(c))
                break;
            /* There may be no inputs at all, if their list is empty. */
            c->ok = c->progress.converted || c->progress.passed ||
                    c->n_failed || cli_no_profile(c->cli, NULL);
            c->over = true;
            break;
        }
        if (!c->source.cli && !open_input(c)) {
            c->source.cli = NULL;
            continue;
        }
        int got = source_next(&c->source, &c->part, &err);
        if (got == 0) {
            close_input(c);
            continue;
        }
        if (got < 0) {
            c->over = !flush(c) || !source_failed(&c->source, &err);
            continue;
        }
        c->cli->subject = c->source.subject;
        got = take_part(c, &err);
        if (got > 0) {
            *in = c->in;
            return true;
        }
        end_part(c, got == 0, &err);
    }
    return false;
}

bool conversion_accept(struct conversion *c, bool is_ours)
{
    struct cli *cli = c->cli;
    const struct input_part *part = &c->part;
    struct prof_err err;
    bool ok = true;
    if (part->irregular || part->nested || !part->n)
        is_ours = false;
    if (part->entry && !is_ours && !(cli->each && part->irregular)) {
        if (c->no_text.kind)
            detect_format(c, part);
        ok = cli->pass && !part->irregular ? pass_on(c, &err) : skip(c, &err);
        c->known += ok && cli->pass;
        end_part(c, ok, &err);
        c->over |= c->stop;
        return false;
    }
    c->known++;
    if (c->no_text.kind) {
        err = c->no_text;
        ok = false;
    } else if (part->irregular) {
        ok = err_input(&err, "%s; not converted", part->irregular);
    } else if (!part->n && !part->entry && c->source.is_stdin) {
        /* For an empty file, the tool reports a better reason. */
        ok = source_refuse_empty(&c->source, &err);
    } else if (cli->each) {
        ok = each_name(&c->each, part, NULL, &err);
        if (!c->batch) {
            cli->private->repeats = &c->each.repeats;
            c->each.repeats.profile++;
        }
    }
    if (!ok) {
        end_part(c, false, &err);
        return false;
    }
    /* Losses between parts concern the sum of the parts, but no single part. */
    if (cli->each)
        losses_drop(&c->losses);
    else
        losses_keep(&c->losses);
    return true;
}

void conversion_divide(struct conversion *c)
{
    losses_keep(&c->losses);
    c->losses.n_common = c->losses.n_kept;
    c->each.repeats.profile++;
}

bool conversion_put(struct conversion *c, struct profile *p,
                    const struct buf *more, struct prof_err *err)
{
    struct each *e = &c->each;
    bool ok = p && notes_lossless(&c->cli->notes, err) &&
              losses_add(&c->losses, p, err) &&
              each_name(e, &c->part, more, err);
    if (ok) {
        ok = each_claim(e, (const char *)e->name.v, c->source.subject, err) &&
             cli_pack(e->packer, p, c->cli->level, &e->packed, err);
        const struct bundle_file file = {(const char *)e->name.v, c->part.mtime,
                                         e->packed.v, e->packed.n};
        ok = ok && each_add(&c->each, &file, err);
        /* If the output fails, it cannot continue. */
        if (!ok)
            c->stop = err->kind == PROF_ERR_SYSTEM;
    }
    c->each.repeats.profile++;
    prof_delete(p);
    return ok;
}

void conversion_done(struct conversion *c, bool ok, const struct prof_err *err)
{
    c->progress.converted += ok;
    end_part(c, ok, err);
    if (c->cli->each)
        losses_free(&c->losses);
    c->over |= c->stop;
}

/* --- all of it ------------------------------------------------------------ */

static void run_each(struct conversion *c, const struct converter *converter,
                     void *ctx)
{
    struct cli *cli = c->cli;
    struct batch batch = {.cli = cli,
                          .converter = converter,
                          .ctx = ctx,
                          .comments = !c->opts.are_profiles,
                          .programs = c->opts.programs != NULL};
    struct import_input in;
    struct prof_err err;
    if (!batch_begin(&batch, &err)) {
        cli_error(cli, NULL, &err);
        c->over = true;
    }
    c->batch = &batch;
    cli->private->before = flush;
    cli->private->before_ctx = c;
    while (conversion_next(c, &in))
        if (conversion_accept(c, converter->is_ours(ctx, &in, &c->part)))
            end_part(c, batch_accepted(c, &err), &err);
    /* Parts still wait only after a failure that stops everything. */
    c->batch = NULL;
    cli->private->before = NULL;
    batch_end(&batch);
}

static void run_sum(struct conversion *c, const struct converter *converter,
                    void *ctx)
{
    struct find_program *programs = c->opts.programs;
    struct cli *cli = c->cli;
    struct import_input in;
    struct prof_err err;
    void *worker = worker_new(converter, ctx, &err);
    if (!worker) {
        cli_error(cli, NULL, &err);
        return;
    }
    while (conversion_next(c, &in)) {
        if (!conversion_accept(c, converter->is_ours(ctx, &in, &c->part)))
            continue;
        struct found_program program;
        const struct conversion_job job = {.ctx = ctx,
                                           .in = &in,
                                           .program =
                                               programs ? &program : NULL,
                                           .threads = cli->threads,
                                           .notes = &cli->notes,
                                           .about = &cli->subject};
        bool ok =
            (!programs || find_program(programs, &c->part, &program, &err)) &&
            converter->add(worker, &job, &err);
        conversion_done(c, ok, &err);
    }
    const bool has_sum = c->ok && c->progress.converted;
    struct profile *p = converter->finish(worker, has_sum, &err);
    if (has_sum) {
        c->ok = p && notes_lossless(&cli->notes, &err) &&
                losses_add(&c->losses, p, &err);
        if (!c->ok)
            cli_error(cli, NULL, &err);
        c->ok = c->ok && cli_write_profile(cli, p);
    }
    prof_delete(p);
    worker_free(converter, worker);
}

void conversion_run(struct cli *cli, const struct conversion_opts *opts,
                    const struct converter *converter, void *ctx)
{
    struct conversion *c = conversion_begin(cli, opts);
    if (!c)
        return;
    if (cli->each)
        run_each(c, converter, ctx);
    else
        run_sum(c, converter, ctx);
    conversion_end(c);
}

/* --- begin and end -------------------------------------------------------- */

struct conversion *conversion_begin(struct cli *cli,
                                    const struct conversion_opts *opts)
{
    struct prof_err err;
    struct conversion *c = NULL;
    struct stat st;
    /* Refuse to overwrite an input. */
    for (size_t i = 0; cli->output && i < cli->n_inputs; i++)
        if (!cli_keeps_input(cli->output, cli->inputs[i], &err)) {
            cli_error(cli, cli->output, &err);
            return NULL;
        }
    /* zip stores local times; files of --each must not depend on the zone. */
    if ((cli->each && setenv("TZ", "UTC0", 1) != 0) ||
        !(c = mem_zarray(1, sizeof *c))) {
        (void)err_nomem(&err);
        cli_error(cli, NULL, &err);
        return NULL;
    }
    c->cli = cli;
    c->opts = *opts;
    c->to_pipe =
        !cli->output && fstat(STDOUT_FILENO, &st) == 0 && S_ISFIFO(st.st_mode);
    if (cli->each && !each_begin(&c->each, cli)) {
        free(c);
        return NULL;
    }
    cli->private->losses = opts->are_profiles ? NULL : &c->losses;
    progress_begin(&c->progress, cli);
    return c;
}

void conversion_end(struct conversion *c)
{
    if (!c)
        return;
    struct cli *cli = c->cli;
    if (c->source.cli)
        close_input(c);
    bool done = c->ok && (c->progress.converted || c->progress.passed);
    if (cli->each) {
        done = each_end(&c->each, done && !c->stop);
        repeats_report(&c->each.repeats, &cli->notes);
        repeats_free(&c->each.repeats);
        /* The last tool of a pipe warns of them; the others with -v. */
        if (done && c->n_unknown)
            note_count(&cli->notes,
                       c->to_pipe ? PROF_NOTE_INFO : PROF_NOTE_WARN,
                       c->n_unknown,
                       "%zu entr{y|ies} of unknown type copied unchanged; the "
                       "first is %s",
                       c->n_unknown, (const char *)c->unknown.v);
    }
    progress_end(&c->progress, done && (c->archives || cli->each), c->n_failed);
    cli->private->losses = NULL;
    losses_free(&c->losses);
    buf_free(&c->first);
    buf_free(&c->unknown);
    buf_free(&c->text);
    free(c);
}
