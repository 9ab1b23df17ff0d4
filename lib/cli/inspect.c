/* inspect.c - --check, --digest and --repair, which read invalid inputs */
#include "cli/inspect.h"

#include "cli/private.h"
#include "cli/source.h"
#include "formats/import_formats.h"
#include "report/data/digests.h"
#include "report/findings.h"

struct checking {
    struct cli *cli;
    struct findings report;
    struct cli_text text;
    struct prof_check_opts opts;
};

static bool write_report(struct checking *g, struct prof_err *err)
{
    struct buf *out = &g->report.out;
    bool ok = sink_write(&g->text.sink, out->v, out->n, err);
    out->n = 0;
    return ok;
}

static bool report_finding(void *ctx, const struct prof_finding *f,
                           struct prof_err *err)
{
    struct checking *g = ctx;
    return (findings_add(&g->report, f) || err_nomem(err)) &&
           write_report(g, err);
}

/* Reports an error of the file rather than of the message in it. */
static bool report_file(struct checking *g, struct prof_check_counts *counts,
                        size_t rule, const char *text, struct prof_err *err)
{
    const struct prof_finding f = {.rule = rule,
                                   .text = text,
                                   .place = "file",
                                   .entity = "file",
                                   .index = SIZE_MAX,
                                   .offset = SIZE_MAX};
    counts->of[rule]++;
    counts->errors++;
    return report_finding(g, &f, err);
}

/* Whether a part has another format and is not even an invalid profile.  Text
 * may begin with a valid tag: a digit, a quote, a newline. */
static bool is_other_format(const struct input_part *part)
{
    return !prof_begins(part->data, part->n) ||
           (import_describe(part->data, part->n) &&
            !prof_is_message(part->data, part->n));
}

static bool check_bytes(struct checking *g, const struct input_part *part,
                        struct prof_check_counts *counts, struct prof_err *err)
{
    if (part->damage && !report_file(g, counts,
                                     part->trailing ? PROF_RULE_TRAILING_DATA
                                                    : PROF_RULE_DAMAGED,
                                     part->damage, err))
        return false;
    if (!part->n)
        return part->damage ||
               report_file(g, counts, PROF_RULE_EMPTY, "empty file", err);
    if (is_other_format(part)) {
        struct prof_err what;
        const char *words = import_describe(part->data, part->n);
        err_input(&what, "not a profile.proto message%s%s",
                  words ? ": found " : "", words ? words : "");
        return report_file(g, counts, PROF_RULE_NOT_A_PROFILE, what.text, err);
    }
    return prof_check(part->data, part->n, &g->opts, counts, err);
}

static bool check_part(struct checking *g, const char *name,
                       const struct input_part *part, struct prof_err *err)
{
    struct prof_check_counts counts = {0};
    if (!findings_begin(&g->report, name))
        return err_nomem(err);
    if (!check_bytes(g, part, &counts, err))
        return false;
    if (counts.errors || counts.warnings)
        cli_set_status(g->cli, PROF_ERR_ANSWER_NO);
    return (findings_count(&g->report, &counts) || err_nomem(err)) &&
           write_report(g, err);
}

static struct source damaged_source(struct cli *cli)
{
    return source_of(
        cli, cli->inputs, cli->n_inputs,
        &(struct source_opts){.flags = SOURCE_SALVAGE, .begins = prof_begins});
}

void cli_check(struct cli *cli, bool json, bool all)
{
    struct checking g = {
        .cli = cli,
        .report = {.json = json, .brief = cli->quiet},
        .text = cli_text_of(cli),
        .opts = {.report = report_finding},
    };
    struct source s = damaged_source(cli);
    struct input_part part;
    struct prof_err err;
    bool ok = true;
    g.opts.ctx = &g;
    if (!all)
        g.opts.most = json ? CLI_CHECK_MOST_JSON : CLI_CHECK_MAX;
    for (int got; ok && (got = source_next(&s, &part, &err)) != 0;)
        ok = (got > 0 && check_part(&g, s.subject, &part, &err)) ||
             source_failed(&s, &err);
    source_end(&s);
    ok = ok && (g.report.n_profiles || s.n_failed || cli_no_profile(cli, NULL));
    bool made = !ok || (findings_end(&g.report) &&
                        (write_report(&g, &err) || g.text.failed));
    if (ok && made && !g.text.failed)
        (void)cli_text_end(&g.text);
    cli_text_free(&g.text);
    if (!made)
        cli_error(cli, NULL, (err_nomem(&err), &err));
    note_count(&cli->notes, PROF_NOTE_WARN, g.report.n_replaced,
               "invalid UTF-8 in names replaced with U+FFFD (%zu byte{s})",
               g.report.n_replaced);
    buf_free(&g.report.out);
}

static bool add_digest(void *ctx, const char *name, struct profile *p,
                       const struct prof_notes *notes, struct prof_err *err)
{
    return digests_add(ctx, name, p, notes, err);
}

void cli_digest(struct cli *cli, bool json)
{
    struct cli_text text = cli_text_of(cli);
    struct digests d = {.json = json, .threads = cli->threads};
    struct prof_err err;
    bool ok = cli_each_profile(cli, add_digest, &d);
    if (ok && !digests_end(&d, &err)) {
        cli_error(cli, NULL, &err);
        ok = false;
    }
    text.held = d.out;
    if (ok)
        (void)cli_text_end(&text);
    cli_text_free(&text);
}

static bool repair_part(struct cli_sum *sum, const struct source *s,
                        const struct input_part *part, struct prof_err *err)
{
    const struct prof_rule *trailing = prof_get_rule(PROF_RULE_TRAILING_DATA);
    const struct prof_rule *damaged = prof_get_rule(PROF_RULE_DAMAGED);
    struct cli_notes notes;
    cli_notes_init(&notes, s->cli, s->subject);
    if (!part->rest && !part->n)
        return err_input(err, "cannot be repaired: empty file%s%s",
                         part->damage ? ": " : "",
                         part->damage ? part->damage : "");
    if (!part->rest && is_other_format(part)) {
        const char *words = import_describe(part->data, part->n);
        return err_input(err, "cannot be repaired: %s%s", words ? "found " : "",
                         words ? words : TEXT("not a profile.proto message"));
    }
    if (part->damage && part->trailing)
        note_loss(&notes.notes, "repaired: %s: %s: %s", trailing->name,
                  part->damage, trailing->remedy);
    else if (part->damage && part->rest)
        note_loss(&notes.notes, "repaired: %s: %s: %s", damaged->name,
                  part->damage, damaged->remedy);
    else if (part->damage)
        note_loss(&notes.notes,
                  "repaired: %s: %s; %zu bytes were recovered: %s",
                  damaged->name, part->damage, part->n, damaged->remedy);
    if (!notes_lossless(&notes.notes, err))
        return false;
    if (part->rest)
        return true;
    struct profile *p = prof_repair(part->data, part->n, &notes.notes, err);
    return p && cli_sum_add(sum, p, err) && notes_lossless(&notes.notes, err);
}

struct profile *cli_read_repaired(struct cli *cli)
{
    struct cli_sum sum = {0};
    struct source s = damaged_source(cli);
    struct input_part part;
    struct prof_err err;
    bool on = true;
    for (int got; on && (got = source_next(&s, &part, &err)) != 0;)
        on = (got > 0 && repair_part(&sum, &s, &part, &err)) ||
             source_failed(&s, &err);
    source_end(&s);
    return cli_sum_finish(&sum, cli, on, NULL);
}
