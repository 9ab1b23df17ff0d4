/* checkup.c - the findings of --check as text or JSON */
#include "report/checkup.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "report/escape.h"

/* --- text ------------------------------------------------------------------
 */

/* A name is one word of one line, whatever bytes it has. */
static bool put_name(struct checkup *c)
{
    const char *s = c->name;
    bool ok = true;
    while (ok && *s) {
        size_t n = strcspn(s, "\n\t");
        ok = utf8_put_visible(&c->out, s, n);
        s += n;
        if (ok && *s)
            ok = buf_printf(&c->out, "\\x%02x", (unsigned)*s++);
    }
    return ok && buf_puts(&c->out, ": ");
}

static bool text_finding(struct checkup *c, const struct check_finding *f)
{
    const struct check_rule_info *rule = &check_rules[f->rule];
    return put_name(c) &&
           buf_printf(&c->out, "%s: ", check_severity_names[rule->severity]) &&
           check_put_place(&c->out, &f->place) &&
           buf_printf(&c->out, ": %s [%s]\n", f->text, rule->name);
}

/* How many there are of each severity. */
static bool text_counts(struct buf *out, const uint64_t *n)
{
    bool ok = true;
    for (int s = CHECK_ERROR; s >= 0; s--)
        ok = ok && buf_printf(out, "%" PRIu64 " %s%s%s", n[s],
                              check_severity_names[s], n[s] == 1 ? "" : "s",
                              s ? ", " : "\n");
    return ok;
}

/* What was counted and not told. */
static bool text_rest(struct checkup *c, const struct check_counts *counts)
{
    for (int r = 0; r < CHECK_RULES; r++) {
        const struct check_rule_info *rule = &check_rules[r];
        if (c->told[r] >= counts->of[r])
            continue;
        if (!put_name(c) ||
            !buf_printf(&c->out, "%s: and %" PRIu64 " more [%s]\n",
                        check_severity_names[rule->severity],
                        counts->of[r] - c->told[r], rule->name))
            return false;
    }
    return true;
}

/* --- JSON ------------------------------------------------------------------
 */

static bool json_string(struct checkup *c, const char *name, const char *s)
{
    return buf_printf(&c->out, "\"%s\":", name) &&
           (s ? json_put_text(&c->out, s, strlen(s), &c->n_replaced)
              : buf_puts(&c->out, "null"));
}

static bool json_size(struct checkup *c, const char *name, size_t v)
{
    return buf_printf(&c->out, ",\"%s\":", name) &&
           (v != PLACE_NONE ? buf_put_u64(&c->out, v)
                            : buf_puts(&c->out, "null"));
}

static bool json_place(struct checkup *c, const struct check_place *p)
{
    char id[24];
    (void)snprintf(id, sizeof id, "%" PRIu64, p->id);
    return json_string(c, "entity", check_entity_names[p->entity]) &&
           json_size(c, "index", p->index) && buf_putc(&c->out, ',') &&
           json_string(c, "id", p->id ? id : NULL) && buf_putc(&c->out, ',') &&
           json_string(c, "part", check_part_names[p->part]) &&
           json_size(c, "part_index", p->part ? p->part_index : PLACE_NONE) &&
           buf_putc(&c->out, ',') && json_string(c, "field", p->field) &&
           json_size(c, "offset", p->offset);
}

static bool json_finding(struct checkup *c, const struct check_finding *f)
{
    const struct check_rule_info *rule = &check_rules[f->rule];
    return buf_puts(&c->out, c->n_findings++ ? ",\n{" : "\n{") &&
           json_string(c, "rule", rule->name) && buf_putc(&c->out, ',') &&
           json_string(c, "severity", check_severity_names[rule->severity]) &&
           buf_putc(&c->out, ',') && json_place(c, &f->place) &&
           buf_putc(&c->out, ',') && json_string(c, "text", f->text) &&
           buf_putc(&c->out, '}');
}

/* The rules that were violated, how often, and what they say. */
static bool json_rules(struct checkup *c, const struct check_counts *counts)
{
    bool ok = buf_puts(&c->out, "],\"rules\":["), first = true;
    for (int r = 0; ok && r < CHECK_RULES; r++) {
        const struct check_rule_info *rule = &check_rules[r];
        if (!counts->of[r])
            continue;
        ok = buf_puts(&c->out, first ? "\n{" : ",\n{") &&
             json_string(c, "rule", rule->name) && buf_putc(&c->out, ',') &&
             json_string(c, "severity", check_severity_names[rule->severity]) &&
             buf_printf(&c->out, ",\"count\":%" PRIu64 ",", counts->of[r]) &&
             json_string(c, "sentence", rule->sentence) &&
             buf_putc(&c->out, '}');
        first = false;
    }
    return ok && buf_putc(&c->out, ']');
}

static bool json_counts(struct checkup *c, const uint64_t *n)
{
    bool ok = true;
    for (int s = CHECK_ERROR; s >= 0; s--)
        ok = ok && buf_printf(&c->out, ",\"%ss\":%" PRIu64,
                              check_severity_names[s], n[s]);
    return ok && buf_putc(&c->out, '}');
}

/* --- both ------------------------------------------------------------------
 */

bool checkup_begin(struct checkup *c)
{
    return !c->json || buf_puts(&c->out, "{\"profiles\":[");
}

bool checkup_profile(struct checkup *c, const char *name)
{
    c->name = name;
    c->n_findings = 0;
    memset(c->told, 0, sizeof c->told);
    if (!c->json)
        return true;
    return buf_puts(&c->out, c->n_profiles ? ",\n{" : "\n{") &&
           json_string(c, "name", name) && buf_puts(&c->out, ",\"findings\":[");
}

bool checkup_finding(struct checkup *c, const struct check_finding *f)
{
    c->told[f->rule]++;
    return c->json ? json_finding(c, f) : text_finding(c, f);
}

bool checkup_counts(struct checkup *c, const struct check_counts *counts)
{
    uint64_t n[CHECK_ERROR + 1];
    c->n_profiles++;
    for (int s = 0; s <= CHECK_ERROR; s++) {
        n[s] = check_count(counts, (enum check_severity)s);
        c->total[s] += n[s];
    }
    if (c->json)
        return json_rules(c, counts) && json_counts(c, n);
    if (c->brief && !n[CHECK_ERROR] && !n[CHECK_WARNING])
        return true;
    return text_rest(c, counts) && put_name(c) && text_counts(&c->out, n);
}

bool checkup_end(struct checkup *c)
{
    if (c->json)
        return buf_putc(&c->out, ']') && json_counts(c, c->total) &&
               buf_putc(&c->out, '\n');
    if (c->n_profiles < 2 ||
        (c->brief && !c->total[CHECK_ERROR] && !c->total[CHECK_WARNING]))
        return true;
    return buf_printf(&c->out, "%zu profiles: ", c->n_profiles) &&
           text_counts(&c->out, c->total);
}
