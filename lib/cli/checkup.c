#include "cli/checkup.h"

#include "check/check.h"
#include "cli/private.h"
#include "io/kind.h"
#include "pb/tolerant.h"
#include "report/checkup.h"

enum { LARGE = 4 << 20 }; /* bytes from which on the report is written */

struct checking {
    struct cli *cli;
    struct checkup report;
    struct cli_text text;
    struct check_opts opts;
};

static bool pass_on(struct checking *g, struct err *err)
{
    struct buf *out = &g->report.out;
    bool ok = out->n < LARGE || sink_write(&g->text.sink, out->v, out->n, err);
    if (out->n >= LARGE)
        out->n = 0;
    return ok;
}

static bool report_finding(void *ctx, const struct check_finding *f,
                           struct err *err)
{
    struct checking *g = ctx;
    return (checkup_finding(&g->report, f) || err_nomem(err)) &&
           pass_on(g, err);
}

/* A text may begin with what could be a field: a digit, a quote, a newline. */
bool cli_is_other_kind(const struct input_part *part)
{
    return !tolerant_begins(part->data, part->n) ||
           (kind_words(part->data, part->n) &&
            !tolerant_is_message(part->data, part->n));
}

static bool report_kind(struct checking *g, struct check_counts *counts,
                        const struct input_part *part, struct err *err)
{
    struct err what;
    const char *words = kind_words(part->data, part->n);
    err_set(&what, ERR_INPUT, "not a profile.proto message%s%s",
            words ? ": this is " : "", words ? words : "");
    return check_file(&g->opts, counts, RULE_NOT_A_PROFILE, what.text, err);
}

static bool examine(struct checking *g, const struct input_part *part,
                    struct check_counts *counts, struct err *err)
{
    if (part->damage &&
        !check_file(&g->opts, counts,
                    part->trailing ? RULE_TRAILING_DATA : RULE_DAMAGED,
                    part->damage, err))
        return false;
    if (!part->n)
        return part->damage ||
               check_file(&g->opts, counts, RULE_EMPTY, "is empty", err);
    if (cli_is_other_kind(part))
        return report_kind(g, counts, part, err);
    return check_message(part->data, part->n, &g->opts, counts, err);
}

static bool take_part(void *ctx, const char *name,
                      const struct input_part *part, struct err *err)
{
    struct checking *g = ctx;
    struct check_counts counts = {{0}};
    if (!checkup_profile(&g->report, name))
        return err_nomem(err);
    if (!examine(g, part, &counts, err))
        return false;
    if (check_count(&counts, CHECK_ERROR) ||
        check_count(&counts, CHECK_WARNING))
        cli_set_status(g->cli, ERR_ANSWER_NO);
    return (checkup_counts(&g->report, &counts) || err_nomem(err)) &&
           pass_on(g, err);
}

static bool check_inputs(struct checking *g)
{
    struct cli *cli = g->cli;
    struct cli_parts parts = {.begins = tolerant_begins,
                              .fn = take_part,
                              .ctx = g,
                              .flags = CLI_WALK_SALVAGE};
    struct err err;
    bool on = true;
    for (size_t i = 0; on && i < cli->n_inputs; i++)
        on = cli_input_parts(&parts, cli, cli->inputs[i]);
    cli_parts_free(&parts);
    if (on && !g->report.n_profiles && !parts.n_failed) {
        err_set(&err, ERR_INPUT, "there is no profile in the input");
        cli_error(cli, NULL, &err);
        on = false;
    }
    return on;
}

void cli_checkup(struct cli *cli, bool json, bool all)
{
    struct checking g = {
        .cli = cli,
        .report = {.json = json, .brief = cli->quiet},
        .text = cli_text_of(cli),
        .opts = {.report = report_finding},
    };
    struct err err;
    g.opts.ctx = &g;
    if (!all)
        g.opts.most = json ? CLI_CHECKUP_MOST_JSON : CLI_CHECKUP_MOST;
    bool made = checkup_begin(&g.report);
    bool ok = made && check_inputs(&g) && (made = checkup_end(&g.report));
    if (ok)
        (void)cli_text_end(&g.text, g.report.out.v, g.report.out.n);
    else
        cli_text_abort(&g.text);
    if (!made)
        cli_error(cli, NULL, (err_nomem(&err), &err));
    if (g.report.n_replaced)
        note_warn(&cli->notes,
                  "%zu bytes of names are not UTF-8 and became U+FFFD",
                  g.report.n_replaced);
    buf_free(&g.report.out);
}
