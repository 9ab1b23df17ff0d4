/* findings.c - writes the findings of --check as text or JSON */
#include "report/findings.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "report/escape.h"

static const char *const severity_names[] = {"warning", "error"};

/* --- text --- */

/* Writes the name as one word on one line, whatever bytes it has. */
static bool put_name(struct findings *f)
{
    const char *s = f->name;
    bool ok = true;
    while (ok && *s) {
        size_t n = strcspn(s, "\n\t");
        ok = utf8_put_visible(&f->out, s, n);
        s += n;
        if (ok && *s)
            ok = buf_printf(&f->out, "\\x%02x", (unsigned)*s++);
    }
    return ok && buf_puts(&f->out, ": ");
}

/* Writes the number of findings of each severity. */
static bool text_counts(struct buf *out, const uint64_t *n)
{
    bool ok = true;
    for (int s = PROF_ERROR; s >= 0; s--)
        ok =
            ok && buf_printf(out, "%" PRIu64 " %s%s%s", n[s], severity_names[s],
                             n[s] == 1 ? "" : "s", s ? ", " : "\n");
    return ok;
}

/* --- JSON --- */

#define JSON_BEGIN "{\"profiles\":["

static bool json_string(struct findings *f, const char *name, const char *s)
{
    return buf_printf(&f->out, "\"%s\":", name) &&
           (s ? json_put_text(&f->out, s, strlen(s), &f->n_replaced)
              : buf_puts(&f->out, "null"));
}

static bool json_size(struct findings *f, const char *name, size_t v)
{
    return buf_printf(&f->out, ",\"%s\":", name) &&
           (v != SIZE_MAX ? buf_put_u64(&f->out, v)
                          : buf_puts(&f->out, "null"));
}

/* Writes the rules that were violated, how often, and their sentences. */
static bool json_rules(struct findings *f,
                       const struct prof_check_counts *counts)
{
    bool ok = buf_puts(&f->out, "],\"rules\":["), first = true;
    for (int r = 0; ok && r < PROF_RULES; r++) {
        const struct prof_rule *rule = prof_get_rule(r);
        if (!counts->of[r])
            continue;
        ok = buf_puts(&f->out, first ? "\n{" : ",\n{") &&
             json_string(f, "rule", rule->name) && buf_putc(&f->out, ',') &&
             json_string(f, "severity", severity_names[rule->severity]) &&
             buf_printf(&f->out, ",\"count\":%" PRIu64 ",", counts->of[r]) &&
             json_string(f, "sentence", rule->meaning) &&
             buf_putc(&f->out, '}');
        first = false;
    }
    return ok && buf_putc(&f->out, ']');
}

static bool json_counts(struct findings *f, const uint64_t *n)
{
    bool ok = true;
    for (int s = PROF_ERROR; s >= 0; s--)
        ok = ok &&
             buf_printf(&f->out, ",\"%ss\":%" PRIu64, severity_names[s], n[s]);
    return ok && buf_putc(&f->out, '}');
}

/* --- both --- */

bool findings_begin(struct findings *f, const char *name)
{
    f->name = name;
    f->n_findings = 0;
    memset(f->n_listed, 0, sizeof f->n_listed);
    if (!f->json)
        return true;
    return buf_puts(&f->out, f->n_profiles ? ",\n{" : JSON_BEGIN "\n{") &&
           json_string(f, "name", name) && buf_puts(&f->out, ",\"findings\":[");
}

bool findings_add(struct findings *f, const struct prof_finding *finding)
{
    const struct prof_rule *rule = prof_get_rule(finding->rule);
    const char *severity = severity_names[rule->severity];
    struct buf *out = &f->out;
    f->n_listed[finding->rule]++;
    if (!f->json)
        return put_name(f) && buf_printf(out, "%s: ", severity) &&
               buf_printf(out, "%s: %s [%s]\n", finding->place, finding->text,
                          rule->name);
    char id[24];
    (void)snprintf(id, sizeof id, "%" PRIu64, finding->id);
    return buf_puts(out, f->n_findings++ ? ",\n{" : "\n{") &&
           json_string(f, "rule", rule->name) && buf_putc(out, ',') &&
           json_string(f, "severity", severity) && buf_putc(out, ',') &&
           json_string(f, "entity", finding->entity) &&
           json_size(f, "index", finding->index) && buf_putc(out, ',') &&
           json_string(f, "id", finding->id ? id : NULL) &&
           buf_putc(out, ',') && json_string(f, "part", finding->part) &&
           json_size(f, "part_index",
                     finding->part ? finding->part_index : SIZE_MAX) &&
           buf_putc(out, ',') && json_string(f, "field", finding->field) &&
           json_size(f, "offset", finding->offset) && buf_putc(out, ',') &&
           json_string(f, "text", finding->text) && buf_putc(out, '}');
}

bool findings_count(struct findings *f, const struct prof_check_counts *counts)
{
    const uint64_t n[] = {
        [PROF_WARNING] = counts->warnings, [PROF_ERROR] = counts->errors};
    f->n_profiles++;
    for (int s = 0; s <= PROF_ERROR; s++)
        f->total[s] += n[s];
    if (f->json)
        return json_rules(f, counts) && json_counts(f, n);
    if (f->brief && !n[PROF_ERROR] && !n[PROF_WARNING])
        return true;
    /* Note how many findings of each rule are not listed. */
    for (int r = 0; r < PROF_RULES; r++) {
        const struct prof_rule *rule = prof_get_rule(r);
        if (f->n_listed[r] >= counts->of[r])
            continue;
        if (!put_name(f) ||
            !buf_printf(&f->out, "%s: and %" PRIu64 " more [%s]\n",
                        severity_names[rule->severity],
                        counts->of[r] - f->n_listed[r], rule->name))
            return false;
    }
    return put_name(f) && text_counts(&f->out, n);
}

bool findings_end(struct findings *f)
{
    if (f->json)
        return buf_puts(&f->out, f->n_profiles ? "]" : JSON_BEGIN "]") &&
               json_counts(f, f->total) && buf_putc(&f->out, '\n');
    if (f->n_profiles < 2 ||
        (f->brief && !f->total[PROF_ERROR] && !f->total[PROF_WARNING]))
        return true;
    return buf_printf(&f->out, "%zu profiles: ", f->n_profiles) &&
           text_counts(&f->out, f->total);
}
