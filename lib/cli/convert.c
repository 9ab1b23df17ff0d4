/* convert.c - what converters share: the parts of inputs, and the output */
#include "cli/convert.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/slice.h"
#include "base/strtab.h"
#include "base/utf8.h"
#include "cli/private.h"
#include "cli/signals.h"
#include "cli/source.h"
#include "formats/import_formats.h"
#include "io/bundle.h"

/* The output of --each: a profile for each part. */
struct each {
    struct cli *cli;
    struct bundle *bundle;
    struct pack *packer;
    struct buf packed;          /* the present profile */
    struct strtab names, parts; /* of profiles, and of what they are made of */
    VEC(uint32_t) part_of;      /* by id of names */
    struct buf name;            /* of the present profile, NUL-terminated */
    bool stripped;              /* a name was, which has been said */
    struct repeats repeats;     /* warnings of all profiles */
};

struct conversion {
    struct cli *cli;
    struct conversion_opts opts;
    struct source source;   /* of the present input */
    size_t n_opened;        /* inputs */
    struct input_part part; /* the present one */
    struct import_input in;
    struct buf text;         /* the part, where it had to be converted */
    struct prof_err no_text; /* why it could not be; or kind PROF_ERR_NONE */
    struct each each;
    struct losses losses;
    struct progress progress;
    size_t entries, known; /* of the present input, if it is an archive */
    struct buf first;      /* what its first entry is that is not known */
    size_t n_failed;       /* parts and inputs */
    size_t n_unknown;      /* entries that were copied and no tool knows */
    struct buf unknown;    /* the name of the first */
    bool to_pipe;          /* the output is one */
    bool archives;         /* there was one */
    bool over;             /* there are no more parts, or reading stopped */
    bool ok;               /* all were read, and the sum was written */
    bool stop;             /* the output of --each failed */
};

/* --- losses, which become comments of the result -------------------------- */

static void drop_losses(struct losses *l)
{
    for (size_t i = 0; i < l->waiting.n; i++)
        free(l->waiting.v[i]);
    l->waiting.n = 0;
}

/* What waits is kept. */
static void keep_losses(struct losses *l)
{
    if (!vec_reserve(&l->kept, l->waiting.n)) {
        l->nomem = true;
        drop_losses(l);
        return;
    }
    for (size_t i = 0; i < l->waiting.n; i++)
        l->kept.v[l->kept.n++] = l->waiting.v[i];
    l->waiting.n = 0;
}

/* Names in texts may be any bytes. */
static bool add_comment(struct profile *p, const char *text,
                        struct prof_err *err)
{
    struct buf b = {0};
    bool ok = (buf_puts(&b, PROF_INCOMPLETE) &&
               utf8_put_line(&b, text, strlen(text)) && buf_putc(&b, 0)) ||
              err_nomem(err);
    ok = ok && prof_put_comment(p, (const char *)b.v, err);
    buf_free(&b);
    return ok;
}

static void forget_losses(struct losses *l, size_t from)
{
    for (size_t i = from; i < l->kept.n; i++)
        free(l->kept.v[i]);
    l->kept.n = from < l->kept.n ? from : l->kept.n;
}

/*
 * Adds what is kept or waits to *p, which is canonical before and after, and
 * forgets it, except what is common.
 */
static bool add_losses(struct losses *l, struct profile *p,
                       struct prof_err *err)
{
    keep_losses(l);
    bool ok = !l->nomem || err_nomem(err);
    for (size_t i = 0; ok && i < l->kept.n; i++)
        ok = add_comment(p, l->kept.v[i], err);
    forget_losses(l, l->n_common);
    return ok;
}

/* --- a profile for each part ---------------------------------------------- */

static void output_failed(struct cli *cli, const struct prof_err *err)
{
    if (output_is_epipe(err))
        cli_set_status(cli, err->kind);
    else
        cli_error(cli, cli->output, err);
}

/* Gives the output up if not ok; frees. */
static bool each_end(struct each *e, bool ok)
{
    struct prof_err err;
    if (ok && bundle_commit(e->bundle, &err)) {
        e->cli->private->written = true;
    } else if (ok) {
        output_failed(e->cli, &err);
        ok = false;
    } else if (e->bundle) {
        bundle_abort(e->bundle);
    }
    pack_free(e->packer);
    buf_free(&e->packed);
    strtab_free(&e->names);
    strtab_free(&e->parts);
    vec_free(&e->part_of);
    buf_free(&e->name);
    return ok;
}

static bool each_begin(struct each *e, struct cli *cli)
{
    struct prof_err err;
    struct bundle_opts opts = {.output = {.path = cli->output,
                                          .binary = true,
                                          .if_changed = cli->if_changed,
                                          .on_temp = signals_temp},
                               .compressed = cli->level != 0};
    *e = (struct each){.cli = cli, .packer = pack_new(1)};
    if (!e->packer || !strtab_init(&e->names) || !strtab_init(&e->parts) ||
        !vec_push(&e->part_of, 0)) {
        (void)err_nomem(&err);
        cli_error(cli, NULL, &err);
    } else if (!bundle_open(&e->bundle, &opts, &err)) {
        output_failed(cli, &err);
    }
    if (e->bundle)
        return true;
    (void)each_end(e, false);
    return false;
}

static bool set_stem(struct each *e, const struct input_part *part,
                     struct prof_err *err)
{
    size_t stripped = 0;
    if (part->entry)
        return bundle_name_of_entry(&e->name, part->entry, err);
    if (strcmp(part->path, "-") == 0)
        return buf_puts(&e->name, "stdin") || err_nomem(err);
    if (!bundle_name_of_path(&e->name, part->path, &stripped, err))
        return false;
    if (stripped && !e->stripped)
        note_warn(&e->cli->notes, "'%.*s' is removed from names in the output",
                  (int)stripped, part->path);
    e->stripped |= stripped > 0;
    return true;
}

/* The name is the part's from now on. */
static bool claim_name(struct each *e, const char *part_name,
                       struct prof_err *err)
{
    uint32_t id, part;
    const char *name = (const char *)e->name.v;
    if (!strtab_add(&e->names, name, strlen(name), &id))
        return err_nomem(err);
    if (id < e->part_of.n)
        return err_set(
            err, PROF_ERR_INPUT,
            "%s is already the output of %s; write to several outputs", name,
            strtab_str(&e->parts, e->part_of.v[id]));
    return (strtab_add(&e->parts, part_name, strlen(part_name), &part) &&
            vec_push(&e->part_of, part)) ||
           err_nomem(err);
}

/*
 * Sets the name of the part's profile in the output; `more` is added to it if
 * the part has several profiles, else null.
 */
static bool each_name(struct each *e, const struct input_part *part,
                      const struct buf *more, struct prof_err *err)
{
    static const char *const suffixes[] = {".pb.gz", ".pb"};
    struct buf *b = &e->name;
    b->n = 0;
    if (!set_stem(e, part, err))
        return false;
    /* What a converted file's name ends in. */
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
        size_t k = strlen(suffixes[i]);
        if (b->n > k && b->v[b->n - k - 1] != '/' &&
            memcmp(b->v + b->n - k, suffixes[i], k) == 0) {
            b->n -= k;
            break;
        }
    }
    bool ok = !part->member || buf_printf(&e->name, ".%zu", part->member);
    ok = ok && (!more || buf_put(&e->name, more->v, more->n));
    ok = ok && buf_puts(&e->name, e->cli->level ? ".pb.gz" : ".pb") &&
         buf_putc(&e->name, 0);
    return ok || err_nomem(err);
}

/* When the part was last modified, seconds since 1970; 0: unknown. */
static int64_t time_of(const struct input_part *part)
{
    struct stat st;
    if (part->entry)
        return part->mtime;
    return (strcmp(part->path, "-") == 0 ? fstat(STDIN_FILENO, &st)
                                         : stat(part->path, &st)) == 0 &&
                   S_ISREG(st.st_mode)
               ? st.st_mtime
               : 0;
}

/* --- the parts of all inputs ---------------------------------------------- */

/* Finds out what the part is. */
static void detect_format(struct conversion *c, const struct input_part *part)
{
    c->in = (struct import_input){.name = c->source.subject,
                                  .data = part->data,
                                  .n = part->n,
                                  .stream = part->stream,
                                  .directory = part->directory,
                                  .max_size = c->cli->max_size,
                                  .made = time_of(part),
                                  .notes = &c->cli->notes};
    import_look(&c->in, c->cli->tool);
}

/* Sets *err to what an entry is that is not converted. */
static void explain(const struct conversion *c, struct prof_err *err)
{
    const struct input_part *part = &c->part;
    const struct import_input *in = &c->in;
    const struct import_format *format = in->format ? in->format : in->foreign;
    const char *reads = c->opts.reads;
    if (part->irregular)
        err_set(err, PROF_ERR_INPUT, "%s; not converted", part->irregular);
    else if (part->nested)
        err_set(err, PROF_ERR_INPUT,
                "archives inside archives are not supported");
    else if (!part->n)
        source_refuse_empty(&c->source, err);
    else if (format)
        err_set(err, PROF_ERR_INPUT, "not %s: this is %s", reads,
                in->format ? format->what : format->words);
    else if (slice_begins_as_text(
                 (struct prof_slice){(const char *)part->data, part->n}))
        err_set(err, PROF_ERR_INPUT, "not %s: this is text", reads);
    else
        err_set(err, PROF_ERR_INPUT, "not %s", reads);
}

/* Keeps in mind the first entry that is not converted, and why. */
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

/* An entry that is not converted: an error, or counted. */
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
    keep_losses(&c->losses);
    if (part->nested)
        note_loss(notes, "skipped: %s", why.text);
    else
        note_info(notes, "skipped: %s", why.text);
    drop_losses(&c->losses); /* it may have had nothing for the profile */
    return true;
}

/* Adds a file to the output of --each. */
static bool add_file(struct conversion *c, const struct bundle_file *file,
                     struct prof_err *err)
{
    const char *output = c->cli->output;
    return bundle_add(c->each.bundle, file, err) ||
           (!output_is_epipe(err) &&
            err_prefix(err, "%s: ", output ? output : "(standard output)"));
}

/*
 * Copies an entry that is not converted to the output of --each, as it is in
 * its archive.
 */
static bool pass_on(struct conversion *c, struct prof_err *err)
{
    const struct input_part *part = &c->part;
    struct each *e = &c->each;
    /* Its members are parts, of which the first stands for all. */
    if (part->member > 1)
        return true;
    e->name.n = 0;
    if (!bundle_name_of_entry(&e->name, part->entry, err))
        return false;
    if (!buf_putc(&e->name, 0))
        return err_nomem(err);
    if (!claim_name(e, c->source.subject, err))
        return false;
    const struct bundle_file file = {(const char *)e->name.v, part->mtime,
                                     part->raw, part->raw_n};
    if (!add_file(c, &file, err)) {
        c->stop = err->kind == PROF_ERR_SYSTEM;
        return false;
    }
    c->progress.passed++;
    if (!c->in.format && !c->in.foreign && !c->n_unknown++)
        return (buf_puts(&c->unknown, part->entry) &&
                buf_putc(&c->unknown, 0)) ||
               err_nomem(err);
    return true;
}

/* Reports what is wrong with an input as a whole; true: -k says to go on. */
static bool input_failed(struct conversion *c, const struct prof_err *err)
{
    c->n_failed++;
    return cli_input_error(
        c->cli, cli_input_name(c->cli->inputs[c->n_opened - 1]), err);
}

/* Opens the next input: 1; 0: it failed, or stopped all. */
static int open_input(struct conversion *c)
{
    struct cli *cli = c->cli;
    const struct source_opts opts = {
        .flags = SOURCE_ALL | (c->opts.sparse ? 0 : SOURCE_DENSE),
        .begins = c->opts.member_begins,
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

/* An archive with nothing in it for us is not what was meant. */
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
        err_set(&err, PROF_ERR_INPUT, "the archive contains no files");
    else
        err_set(&err, PROF_ERR_INPUT, "none of %zu entries is %s; %s",
                c->entries, c->opts.reads, (const char *)c->first.v);
    c->over = !input_failed(c, &err);
}

/* Ends a part; an error of the part comes before a loss that is an error. */
static void end_part(struct conversion *c, bool ok, const struct prof_err *err)
{
    struct prof_err lost;
    bool lossless = notes_lossless(&c->cli->notes, &lost);
    c->cli->private->repeats = NULL;
    c->cli->subject = NULL;
    if (!ok)
        drop_losses(&c->losses);
    if ((!ok || !lossless) && !source_failed(&c->source, ok ? &lost : err))
        c->over = true;
}

/*
 * Takes a part whose program or text is not yet known: 1; 0 if it was a
 * program, which is kept; -1: failure.
 */
static int take_part(struct conversion *c, struct prof_err *err)
{
    struct find_program *programs = c->opts.programs;
    struct input_part *part = &c->part, text = *part;
    c->entries += part->entry != NULL;
    c->no_text.kind = PROF_ERR_NONE;
    progress_step(&c->progress, c->source.in);
    int kept = programs ? find_program_keep(programs, part, err) : 0;
    if (kept < 0)
        return -1;
    if (kept || part->stream) {
        detect_format(c, part);
        return !kept ? 1 : note_first(c, err) ? 0 : -1;
    }
    /* Text of Windows as the converters know it. */
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
            /* A list of inputs may be empty. */
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
            c->over = !source_failed(&c->source, &err);
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
        ok =
            err_set(&err, PROF_ERR_INPUT, "%s; not converted", part->irregular);
    } else if (!part->n && !part->entry && c->source.is_stdin) {
        /* Of a file, the tool knows why it may be empty. */
        ok = source_refuse_empty(&c->source, &err);
    } else if (cli->each) {
        ok = each_name(&c->each, part, NULL, &err);
        cli->private->repeats = &c->each.repeats;
        c->each.repeats.profile++;
    }
    if (!ok) {
        end_part(c, false, &err);
        return false;
    }
    /* What is lost around parts is missing in their sum, in none of them. */
    if (cli->each)
        drop_losses(&c->losses);
    else
        keep_losses(&c->losses);
    return true;
}

const struct input_part *conversion_part(const struct conversion *c)
{
    return &c->part;
}

void conversion_divide(struct conversion *c)
{
    keep_losses(&c->losses);
    c->losses.n_common = c->losses.kept.n;
    c->each.repeats.profile++;
}

bool conversion_put(struct conversion *c, struct profile *p,
                    const struct buf *more, struct prof_err *err)
{
    struct each *e = &c->each;
    bool ok = p && notes_lossless(&c->cli->notes, err) &&
              add_losses(&c->losses, p, err) &&
              (!more || each_name(e, &c->part, more, err));
    if (ok) {
        ok = claim_name(e, c->source.subject, err) &&
             cli_pack(e->packer, p, c->cli->level, &e->packed, err);
        const struct bundle_file file = {(const char *)e->name.v, c->part.mtime,
                                         e->packed.v, e->packed.n};
        ok = ok && add_file(c, &file, err);
        /* Then the output can only be given up. */
        if (!ok)
            c->stop = err->kind == PROF_ERR_SYSTEM;
    }
    if (more)
        c->each.repeats.profile++;
    prof_delete(p);
    return ok;
}

void conversion_done(struct conversion *c, bool ok, const struct prof_err *err)
{
    c->progress.converted += ok;
    end_part(c, ok, err);
    if (c->cli->each) {
        c->losses.n_common = 0;
        forget_losses(&c->losses, 0);
    }
    c->over |= c->stop;
}

bool conversion_has_sum(const struct conversion *c)
{
    return c->ok && c->progress.converted && !c->cli->each;
}

void conversion_write(struct conversion *c, struct profile *p,
                      struct prof_err *err)
{
    c->ok = p && notes_lossless(&c->cli->notes, err) &&
            add_losses(&c->losses, p, err);
    if (!c->ok)
        cli_error(c->cli, NULL, err);
    c->ok = c->ok && cli_write_profile(c->cli, p);
    prof_delete(p);
}

/* --- begin and end -------------------------------------------------------- */

bool cli_keeps_input(const char *output, const char *input,
                     struct prof_err *err)
{
    struct stat out, in;
    const bool is_stdin = strcmp(input, "-") == 0;
    if (stat(output, &out) != 0 || !S_ISREG(out.st_mode) ||
        (is_stdin ? fstat(STDIN_FILENO, &in) : stat(input, &in)) != 0 ||
        out.st_dev != in.st_dev || out.st_ino != in.st_ino)
        return true;
    return err_set(err, PROF_ERR_USAGE,
                   "the output is an input: write to another file");
}

struct conversion *conversion_begin(struct cli *cli,
                                    const struct conversion_opts *opts)
{
    struct prof_err err;
    struct conversion *c = NULL;
    struct stat st;
    /* An input, which has more than the output, is not overwritten. */
    for (size_t i = 0; cli->output && i < cli->n_inputs; i++)
        if (!cli_keeps_input(cli->output, cli->inputs[i], &err)) {
            cli_error(cli, cli->output, &err);
            return NULL;
        }
    /* Times in zip archives go by the time zone, on which the files of --each
     * are not to depend. */
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
    cli->private->losses = &c->losses;
    progress_begin(&c->progress, cli);
    return c;
}

/*
 * Reports the entries that were copied and that no tool can convert.  The last
 * tool of a pipe warns of them; the others report them with -v.
 */
static void report_unknown(const struct conversion *c)
{
    if (c->n_unknown)
        note_at(&c->cli->notes, c->to_pipe ? PROF_NOTE_INFO : PROF_NOTE_WARN,
                "%zu entr%s of unknown type copied unchanged; the first is %s",
                c->n_unknown, c->n_unknown == 1 ? "y" : "ies",
                (const char *)c->unknown.v);
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
        /* How often warnings of one profile came again with others. */
        for (size_t i = 0; i < c->each.repeats.list.n; i++) {
            const struct repeat *r = &c->each.repeats.list.v[i];
            if (r->again)
                note_at(&cli->notes, r->level, "%zu more profile%s: %s%s",
                        r->again, r->again == 1 ? "" : "s", r->text,
                        r->varies ? " (the numbers vary: -v shows all)" : "");
        }
        repeats_free(&c->each.repeats);
        if (done)
            report_unknown(c);
    }
    progress_end(&c->progress, done && (c->archives || cli->each), c->n_failed);
    cli->private->losses = NULL;
    drop_losses(&c->losses);
    forget_losses(&c->losses, 0);
    vec_free(&c->losses.waiting);
    vec_free(&c->losses.kept);
    buf_free(&c->first);
    buf_free(&c->unknown);
    buf_free(&c->text);
    free(c);
}
