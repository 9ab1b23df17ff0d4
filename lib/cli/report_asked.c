/* What becomes of options when all of them are known. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/private.h"
#include "cli/report_options.h"
#include "cli/symbol_options.h"

/* "a.pb.gz", "a.pb.gz and 2 more"; null: no memory. */
static char *name_files(const char *const *path, size_t n)
{
    char *name;
    const char *first = n ? cli_input_name(path[0]) : cli_input_name("-");
    int got = n > 1 ? asprintf(&name, "%s and %zu more", first, n - 1)
                    : asprintf(&name, "%s", first);
    return got < 0 ? NULL : name;
}

/* What reports say about both sides, as long as they are apart. */
static bool name_sides(struct cli_report *asked, const struct cli *cli,
                       const struct profile *p, const struct profile *base)
{
    const struct cli_private *priv = cli->private;
    const char *const *inputs = (const char *const *)priv->inputs.v;
    asked->base_name = name_files(asked->bases.paths.v, asked->bases.paths.n);
    asked->minuend_name = name_files(inputs, priv->inputs.n);
    asked->opts.base =
        (struct report_side){asked->base_name, base->duration_nanos};
    asked->opts.minuend =
        (struct report_side){asked->minuend_name, p->duration_nanos};
    return asked->base_name && asked->minuend_name;
}

bool cli_report_read(struct cli_report *asked, struct cli *cli,
                     struct profile *p)
{
    struct profile base = {0};
    struct err err;
    bool ok = cli_read_profile(cli, p);
    if (!ok || !asked->bases.paths.n)
        return ok;
    size_t n = p->n_types;
    ok = cli_bases_sum(&asked->bases, cli, MERGE_TYPES_INTERSECT, &base);
    if (ok && !(name_sides(asked, cli, p, &base) || err_nomem(&err))) {
        cli_error(cli, NULL, &err);
        ok = false;
    }
    if (ok && !cli_bases_subtract(&asked->bases, MERGE_TYPES_INTERSECT,
                                  cli->threads, p, NULL, &base, &err)) {
        cli_error(cli, NULL, &err);
        ok = false;
    }
    prof_free(&base);
    if (ok && p->n_types < n)
        note_loss(&cli->notes,
                  "%zu of %zu sample types are left out: not all "
                  "profiles have them",
                  n - p->n_types, n);
    return ok;
}

const char *cli_format_option(const struct report_format *f,
                              char text[CLI_FORMAT_OPTION])
{
    (void)snprintf(text, CLI_FORMAT_OPTION, "--%s%s%s", f->name,
                   f->variant ? "=" : "", f->variant ? f->variant : "");
    return text;
}

/* Values that are not what was asked for are not passed off as that. */
static void warn_ignored(const struct cli_report *asked,
                         const struct notes *notes)
{
    const struct report_format *f = asked->format;
    const struct report_opts *o = &asked->opts;
    /* Made into frames, numbers of labels have that unit. */
    bool of_labels = asked->filter.tagroot || asked->filter.tagleaf;
    bool unit = strcmp(o->unit, "minimum") != 0 && !of_labels;
    const struct {
        unsigned bit;
        bool given;
        const char *name;
    } option[] = {
        {REPORT_NO_MEAN, o->mean, "mean"},
        {REPORT_NO_DIVISION, o->divide_by != 1, "divide-by"},
        {REPORT_NO_UNIT, unit, "unit"},
    };
    for (size_t i = 0; i < sizeof option / sizeof *option; i++)
        if (option[i].given && (f->ignores & option[i].bit))
            note_warn(notes, "--%s has no effect on %s", option[i].name,
                      cli_format_option(f, (char[CLI_FORMAT_OPTION]){0}));
}

/* Whether the profile is shown as it is, which the option requires. */
static bool is_unchanged(const struct cli_report *asked, const char *option,
                         struct err *err)
{
    if (!asked->filters && !asked->bases.paths.n && !asked->opts.fail_empty)
        return true;
    return err_set(err, ERR_USAGE,
                   "--%s cannot be combined with filters, --base or "
                   "--fail-empty",
                   option);
}

/* Whether the option, which stands for all of it, goes with the others. */
static bool stands_alone(const struct cli_report *asked, const char *option,
                         struct err *err)
{
    char text[CLI_FORMAT_OPTION];
    const struct report_format *f = asked->format;
    if (f && f != report_find_format("json", NULL))
        return err_set(err, ERR_USAGE, "both --%s and %s", option,
                       cli_format_option(f, text));
    return is_unchanged(asked, option, err);
}

/* An option wins over the output's name, which was perhaps meant. */
static void warn_suffix(const struct report_format *f, const char *path,
                        const struct report_format *suggested,
                        const struct notes *notes)
{
    char is[CLI_FORMAT_OPTION], other[CLI_FORMAT_OPTION];
    if (suggested && !f->opens_viewer && !report_has_suffix(f, path))
        note_warn(notes, "%s: the suffix suggests %s, but the format is %s",
                  path, cli_format_option(suggested, other),
                  cli_format_option(f, is));
}

/*
 * The format that was asked for, else that of the output's name, or null.
 * --check and --digest have two: text and JSON.
 */
static bool choose_format(struct cli_report *asked, const struct cli *cli,
                          struct err *err)
{
    const struct report_format *json = report_find_format("json", NULL), *f;
    f = cli->output ? report_format_of_file(cli->output) : NULL;
    if (asked->format)
        warn_suffix(asked->format, cli->output, f, &cli->notes);
    else if (asked->check || asked->digest)
        asked->format = f == json ? json : NULL;
    else if (f && f->needs_option)
        return err_set(err, ERR_USAGE,
                       "%s: pbcat writes reports: use pbmerge to write a "
                       "profile, or specify --%s",
                       cli->output, f->name);
    else
        asked->format = f;
    return true;
}

bool cli_report_begin(struct cli_report *asked, const struct cli *cli,
                      struct err *err)
{
    if (asked->check && asked->digest)
        return err_set(err, ERR_USAGE, "both --check and --digest");
    if (!choose_format(asked, cli, err))
        return false;
    if (asked->digest && !stands_alone(asked, "digest", err))
        return false;
    if (asked->check)
        return stands_alone(asked, "check", err);
    if (!asked->format)
        asked->format = report_find_format("text", NULL);
    if (!cli_bases_check(&asked->bases, err))
        return false;
    if (asked->format->print_bytes &&
        !is_unchanged(asked, asked->format->name, err))
        return false;
    if (!cli_binary_path(asked->path, &asked->binary_path, err))
        return false;
    asked->opts.binary_path = asked->binary_path;
    warn_ignored(asked, &cli->notes);
    if (!asked->filters)
        return true;
    asked->filter.unit = asked->opts.unit;
    asked->filter.threads = asked->opts.threads;
    return filter_new(&asked->opts.filter, &asked->filter, err);
}

void cli_report_end(struct cli_report *asked)
{
    filter_free(asked->opts.filter);
    free(asked->binary_path);
    free(asked->base_name);
    free(asked->minuend_name);
    cli_bases_free(&asked->bases);
}
