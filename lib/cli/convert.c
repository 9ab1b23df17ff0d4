/* convert.c - runs a converter (formats/import.h) from inputs to output */
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
#include "profile/check/check.h"

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

struct convert {
    struct cli *cli;
    const struct cli_conversion *how;
    const struct converter *converter;
    void *sum; /* of the inputs so far; with --each of the present one */
    struct import_input in; /* the present part */
    struct source source;
    size_t n_failed; /* parts and inputs */
    bool stop;       /* read no more parts */
    struct each each;
    struct losses losses;
    struct progress progress;
    size_t entries, known; /* of the present input, if it is an archive */
    struct buf first;      /* what its first entry is that is not known */
    bool archives;         /* there was one */
    struct buf text;       /* the present part, where it had to be converted */
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
    bool ok = (buf_puts(&b, CHECK_INCOMPLETE) &&
               utf8_put_line(&b, text, strlen(text)) && buf_putc(&b, 0)) ||
              err_nomem(err);
    ok = ok && prof_add_comment(p, (const char *)b.v, err);
    buf_free(&b);
    return ok;
}

static bool add_kept(const struct losses *l, struct profile *p,
                     struct prof_err *err)
{
    struct profile out = {0};
    for (size_t i = 0; i < l->kept.n; i++)
        if (!add_comment(p, l->kept.v[i], err))
            return false;
    if (!prof_canonical(p, 1, &out, NULL, err)) {
        prof_free(&out);
        return false;
    }
    prof_free(p);
    *p = out;
    return true;
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
    bool ok = l->nomem ? err_nomem(err) : !l->kept.n || add_kept(l, p, err);
    forget_losses(l, l->n_common);
    return ok;
}

static void free_losses(struct losses *l)
{
    drop_losses(l);
    forget_losses(l, 0);
    vec_free(&l->waiting);
    vec_free(&l->kept);
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

/* Takes off what a converted file's name ends in. */
static void drop_suffix(struct buf *b)
{
    static const char *const suffixes[] = {".pb.gz", ".pb"};
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
        size_t k = strlen(suffixes[i]);
        if (b->n > k && b->v[b->n - k - 1] != '/' &&
            memcmp(b->v + b->n - k, suffixes[i], k) == 0) {
            b->n -= k;
            return;
        }
    }
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
    e->name.n = 0;
    if (!set_stem(e, part, err))
        return false;
    drop_suffix(&e->name);
    bool ok = !part->member || buf_printf(&e->name, ".%zu", part->member);
    ok = ok && (!more || buf_put(&e->name, more->v, more->n));
    ok = ok && buf_puts(&e->name, e->cli->level ? ".pb.gz" : ".pb") &&
         buf_putc(&e->name, 0);
    return ok || err_nomem(err);
}

/*
 * Writes the profile under that name.  After PROF_ERR_SYSTEM the output can
 * only be given up.
 */
static bool each_write(struct each *e, const char *part_name,
                       const struct input_part *part, const struct profile *p,
                       struct prof_err *err)
{
    if (!claim_name(e, part_name, err) ||
        !cli_pack(e->packer, p, e->cli->level, &e->packed, err))
        return false;
    const struct bundle_file file = {(const char *)e->name.v, part->mtime,
                                     e->packed.v, e->packed.n};
    return bundle_add(e->bundle, &file, err) ||
           (!output_is_epipe(err) && err_prefix(err, "%s: ", e->cli->output));
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

/* Finds out what the part is; the name is for messages. */
static void detect_format(struct convert *c, const char *name,
                          const struct input_part *part)
{
    c->in = (struct import_input){.name = name,
                                  .data = part->data,
                                  .n = part->n,
                                  .stream = part->stream,
                                  .directory = part->directory,
                                  .max_size = c->cli->max_size,
                                  .made = time_of(part),
                                  .notes = &c->cli->notes};
    import_look(&c->in, c->cli->tool);
}

/* What an entry is that is not converted. */
static void explain(const struct convert *c, const struct input_part *part,
                    struct prof_err *err)
{
    const struct import_input *in = &c->in;
    const struct import_format *format = in->format ? in->format : in->foreign;
    const char *reads = c->converter->reads;
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
static bool note_first(struct convert *c, const struct input_part *part,
                       const char *why, struct prof_err *err)
{
    return c->known || c->first.n ||
           (buf_printf(&c->first, "%s: %s", part->entry, why) &&
            buf_putc(&c->first, 0)) ||
           err_nomem(err);
}

/* An entry that is not converted: an error, or counted. */
static bool skip(struct convert *c, const struct input_part *part,
                 struct prof_err *err)
{
    const struct prof_notes *notes = &c->cli->notes;
    struct prof_err why;
    explain(c, part, &why);
    if (!note_first(c, part, why.text, err))
        return false;
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

static bool is_known(const struct convert *c, const struct input_part *part)
{
    const struct converter *converter = c->converter;
    if (part->irregular || part->nested || !part->n)
        return false;
    return converter->begins ? converter->begins(c->how->options, &c->in)
                             : c->in.format != NULL;
}

static bool start(struct convert *c, struct prof_err *err)
{
    c->sum = c->converter->start(c->how->options, &c->cli->notes, err);
    return c->sum != NULL;
}

static bool read_part(struct convert *c, struct prof_err *err)
{
    return c->converter->add(c->sum, &c->in, err);
}

/* The profile of the sum, with what was lost. */
static bool finish(struct convert *c, struct profile *p, struct prof_err *err)
{
    return c->converter->finish(c->sum, p, err) &&
           notes_lossless(&c->cli->notes, err) &&
           add_losses(&c->losses, p, err);
}

static void free_sum(struct convert *c)
{
    if (c->sum)
        c->converter->free_sum(c->sum);
    c->sum = NULL;
}

static bool write_part(struct convert *c, const char *name,
                       const struct input_part *part, const struct profile *p,
                       struct prof_err *err)
{
    if (each_write(&c->each, name, part, p, err))
        return true;
    c->stop = err->kind == PROF_ERR_SYSTEM;
    return false;
}

/* A part as a profile of its own. */
static bool convert_part(struct convert *c, const char *name,
                         const struct input_part *part, struct prof_err *err)
{
    struct profile p = {0};
    if (!each_name(&c->each, part, NULL, err))
        return false;
    bool ok = start(c, err) && read_part(c, err) && finish(c, &p, err) &&
              write_part(c, name, part, &p, err);
    prof_free(&p);
    free_sum(c);
    return ok;
}

/* Writes the next profile that the part is divided into: 1, 0 or -1. */
static int write_next(struct convert *c, const char *name,
                      const struct input_part *part, struct buf *suffix,
                      struct prof_err *err)
{
    struct profile p = {0};
    suffix->n = 0;
    c->each.repeats.profile++;
    int got = c->converter->finish_next(c->sum, &p, suffix, err);
    if (got > 0 && !(notes_lossless(&c->cli->notes, err) &&
                     add_losses(&c->losses, &p, err) &&
                     each_name(&c->each, part, suffix, err) &&
                     write_part(c, name, part, &p, err)))
        got = -1;
    prof_free(&p);
    return got;
}

/* Converts a part to several profiles. */
static bool divide_part(struct convert *c, const char *name,
                        const struct input_part *part, struct prof_err *err)
{
    struct buf suffix = {0};
    int got = start(c, err) && read_part(c, err) ? 1 : -1;
    keep_losses(&c->losses);
    c->losses.n_common = c->losses.kept.n;
    while (got > 0)
        got = write_next(c, name, part, &suffix, err);
    c->losses.n_common = 0;
    forget_losses(&c->losses, 0);
    buf_free(&suffix);
    free_sum(c);
    return got == 0;
}

/* A part as itself, or added to what came before. */
static bool convert_or_add(struct convert *c, const char *name,
                           const struct input_part *part, struct prof_err *err)
{
    /* What is lost around parts is missing in their sum, in none of them. */
    if (c->cli->each)
        drop_losses(&c->losses);
    else
        keep_losses(&c->losses);
    const struct converter *converter = c->converter;
    bool divided = c->cli->each && converter->is_divided &&
                   converter->is_divided(c->how->options);
    if (divided        ? divide_part(c, name, part, err)
        : c->cli->each ? convert_part(c, name, part, err)
                       : read_part(c, err))
        return true;
    drop_losses(&c->losses);
    return false;
}

/* Adds a part, with its program if it has one of its own. */
static bool add_part(struct convert *c, const char *name,
                     const struct input_part *part, struct prof_err *err)
{
    const struct cli_conversion *how = c->how;
    struct found_program program;
    if (how->programs) {
        if (!find_program(how->programs, part, &program, err))
            return false;
        how->set_program(how->options, &program);
    }
    if (!convert_or_add(c, name, part, err))
        return false;
    c->progress.converted++;
    return true;
}

/* An entry that has been kept as a program. */
static bool skip_program(struct convert *c, const struct input_part *part,
                         struct prof_err *err)
{
    struct prof_err why;
    explain(c, part, &why);
    return note_first(c, part, why.text, err);
}

/*
 * Text of Windows as the converters know it.  What is not well-formed is no
 * error of an entry that is not theirs by what stands before that.
 */
static bool remove_bom(struct convert *c, const char *name,
                       struct input_part *part, struct prof_err *err)
{
    struct input_part text = *part;
    bool ok = bom_remove(&text.data, &text.n, &c->text, &c->cli->notes, err);
    detect_format(c, name, &text);
    if (!ok &&
        (err->kind != PROF_ERR_INPUT || !part->entry || is_known(c, &text)))
        return false;
    if (ok)
        *part = text;
    else
        detect_format(c, name, part);
    return true;
}

static bool visit_part(struct convert *c, const char *name,
                       const struct input_part *given, struct prof_err *err)
{
    struct input_part text = *given, *part = &text;
    bool each = c->cli->each;
    c->entries += part->entry != NULL;
    progress_step(&c->progress, c->source.in);
    struct find_program *programs = c->how->programs;
    int kept =
        programs ? find_program_keep(programs, part, &c->cli->notes, err) : 0;
    if (kept < 0)
        return false;
    if (kept) {
        detect_format(c, name, part);
        return skip_program(c, part, err);
    }
    if (part->stream)
        detect_format(c, name, part);
    else if (!remove_bom(c, name, part, err))
        return false;
    if (part->entry && !is_known(c, part) && !(each && part->irregular))
        return skip(c, part, err);
    c->known++;
    if (part->irregular)
        return err_set(err, PROF_ERR_INPUT, "%s; not converted",
                       part->irregular);
    /* Of a file, the converter knows why it may be empty. */
    if (!part->n && !part->entry && c->source.is_stdin)
        return source_refuse_empty(&c->source, err);
    c->each.repeats.profile++;
    c->cli->private->repeats = each ? &c->each.repeats : NULL;
    bool ok = add_part(c, name, part, err);
    c->cli->private->repeats = NULL;
    return ok;
}

/* Reports what is wrong with an input as a whole; true: -k says to go on. */
static bool input_failed(struct convert *c, const char *path,
                         const struct prof_err *err)
{
    c->n_failed++;
    return cli_input_error(c->cli, cli_input_name(path), err);
}

/* An archive with nothing in it for us is not what was meant. */
static bool check_archive(struct convert *c, const char *path)
{
    struct prof_err err;
    if (c->known)
        return true;
    if (!c->entries)
        err_set(&err, PROF_ERR_INPUT, "the archive contains no files");
    else
        err_set(&err, PROF_ERR_INPUT, "none of %zu entries is %s; %s",
                c->entries, c->converter->reads, (const char *)c->first.v);
    return input_failed(c, path, &err);
}

/* Converts the part that the source has; an error comes before a loss. */
static bool use_part(struct convert *c, const struct input_part *part,
                     struct prof_err *err)
{
    struct cli *cli = c->cli;
    struct prof_err lost;
    cli->subject = c->source.subject;
    bool ok = visit_part(c, cli->subject, part, err);
    if (!notes_lossless(&cli->notes, &lost) && ok) {
        *err = lost;
        ok = false;
    }
    cli->subject = NULL;
    return ok;
}

static bool read_input(struct convert *c, const char *path)
{
    const struct source_opts opts = {.flags = SOURCE_ALL,
                                     .begins = c->converter->member_begins,
                                     .streams = c->converter->streams};
    struct find_program *programs = c->how->programs;
    struct source *s = &c->source;
    struct input_part part;
    struct prof_err err;
    bool on = true;
    c->entries = c->known = c->first.n = 0;
    if (programs && !find_program_begin(programs, path, c->cli->max_size, &err))
        return input_failed(c, path, &err);
    *s = source_of(c->cli, &path, 1, &opts);
    for (int got; on && (got = source_next(s, &part, &err)) != 0;)
        on =
            ((got > 0 && use_part(c, &part, &err)) || source_failed(s, &err)) &&
            !c->stop;
    source_end(s);
    c->progress.done += s->n_read;
    c->n_failed += s->n_failed;
    c->archives |= s->is_archive;
    return on && (!s->is_archive || s->n_failed || check_archive(c, path));
}

/* A list of inputs may be empty. */
static bool read_inputs(struct convert *c)
{
    bool on = true;
    for (size_t i = 0; on && i < c->cli->n_inputs; i++)
        on = read_input(c, c->cli->inputs[i]);
    return on && (c->progress.converted || c->n_failed ||
                  cli_no_profile(c->cli, NULL));
}

static bool report_failure(const struct convert *c, const struct prof_err *err)
{
    cli_error(c->cli, NULL, err);
    return false;
}

/* Reads all inputs, sums them, converts the sum to a profile, writes it. */
static bool convert_sum(struct convert *c)
{
    struct profile p = {0};
    struct prof_err err;
    bool ok = (start(c, &err) || report_failure(c, &err)) && read_inputs(c) &&
              c->progress.converted &&
              (finish(c, &p, &err) || report_failure(c, &err)) &&
              cli_write_profile(c->cli, &p, NULL);
    prof_free(&p);
    free_sum(c);
    return ok;
}

static void report_repeats(const struct convert *c)
{
    for (size_t i = 0; i < c->each.repeats.list.n; i++) {
        const struct repeat *r = &c->each.repeats.list.v[i];
        if (r->again)
            note_at(&c->cli->notes, r->level, "%zu more profile%s: %s%s",
                    r->again, r->again == 1 ? "" : "s", r->text,
                    r->varies ? " (the numbers vary: -v shows all)" : "");
    }
}

/*
 * Each part in a profile of its own; whether the output is complete.  Times in
 * zip archives go by the time zone, on which it is not to depend.
 */
static bool convert_each(struct convert *c)
{
    struct prof_err err;
    if (setenv("TZ", "UTC0", 1) != 0) {
        (void)err_nomem(&err);
        return report_failure(c, &err);
    }
    bool ok = each_begin(&c->each, c->cli);
    if (ok) {
        ok = read_inputs(c) && !c->stop && c->progress.converted;
        ok = each_end(&c->each, ok);
    }
    report_repeats(c);
    repeats_free(&c->each.repeats);
    return ok;
}

/* --- what must not be overwritten ------------------------------------------
 */

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

/* Refuses to overwrite an input, which has more than the output. */
static bool keeps_inputs(struct cli *cli)
{
    struct prof_err err;
    for (size_t i = 0; cli->output && i < cli->n_inputs; i++)
        if (!cli_keeps_input(cli->output, cli->inputs[i], &err)) {
            cli_error(cli, cli->output, &err);
            return false;
        }
    return true;
}

void cli_convert(struct cli *cli, const struct cli_conversion *how)
{
    if (!keeps_inputs(cli))
        return;
    struct convert c = {.cli = cli, .how = how, .converter = how->converter};
    cli->private->losses = &c.losses;
    progress_begin(&c.progress, cli);
    bool done = cli->each ? convert_each(&c) : convert_sum(&c);
    progress_end(&c.progress, done && (c.archives || cli->each), c.n_failed);
    cli->private->losses = NULL;
    free_losses(&c.losses);
    buf_free(&c.first);
    buf_free(&c.text);
}
