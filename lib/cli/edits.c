/* edits.c - parses options for labels and weights of inputs, and adds labels */
#include "cli/edits.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "base/vec.h"
#include "cli/private.h"

/* A label to add, by an option; strings are not owned. */
struct label_rule {
    struct prof_slice key;
    bool is_source; /* the value is taken from the input's name */
    /* The value; or the regular expression of the part of the name that is the
     * value, where null means all of it. */
    const char *value_or_regex;
};

/* The edits for the inputs between two options. */
struct edit_group {
    VEC(struct label_rule) labels; /* one for each key */
    struct prof_ratio weight;
};

struct cli_edits {
    VEC(struct edit_group) groups; /* the first one has no edits */
    bool replace;                  /* --replace-label */
    bool equal;                    /* scale all inputs to the same totals */
    struct weighing weighing;
};

/* --- options -------------------------------------------------------------- */

static struct cli_edits *edits_new(struct prof_err *err)
{
    static const struct edit_group nothing = {.weight = {1, 1}};
    struct cli_edits *e = mem_new(sizeof *e, err);
    if (e && weighing_begin(&e->weighing, err) &&
        (vec_push(&e->groups, nothing) || err_nomem(err)))
        return e;
    cli_edits_free(e);
    return NULL;
}

void cli_edits_free(struct cli_edits *edits)
{
    if (!edits)
        return;
    for (size_t i = 0; i < edits->groups.n; i++)
        vec_free(&edits->groups.v[i].labels);
    vec_free(&edits->groups);
    weighing_end(&edits->weighing);
    free(edits);
}

/* Adds a copy of the last group for the inputs that follow; null: see *err. */
static struct edit_group *next_group(struct cli *cli, struct cli_edits *e,
                                     struct prof_err *err)
{
    struct edit_group next = e->groups.v[e->groups.n - 1];
    const struct label_rule *labels = next.labels.v;
    size_t n = next.labels.n;
    memset(&next.labels, 0, sizeof next.labels);
    bool ok = vec_reserve(&next.labels, n + 1);
    for (size_t i = 0; ok && i < n; i++)
        ok = vec_push(&next.labels, labels[i]);
    if (ok && vec_push(&e->groups, next)) {
        cli->group = (unsigned)e->groups.n - 1;
        return &e->groups.v[cli->group];
    }
    vec_free(&next.labels);
    (void)err_nomem(err);
    return NULL;
}

/* Sets a label of the inputs that follow; an empty value removes it. */
static bool take_label(struct cli *cli, struct cli_edits *e, const char *text,
                       bool is_source, struct prof_err *err)
{
    size_t n = strcspn(text, "=");
    const char *value = text[n] ? text + n + 1 : NULL;
    const struct label_rule rule = {
        .key = {text, n}, .is_source = is_source, .value_or_regex = value};
    if (!n || (!value && !is_source))
        return err_value(err, is_source ? "expected KEY or KEY=REGEX"
                                        : "expected KEY=VALUE");
    if (is_source && value && !cli_check_regex(value, err))
        return false;
    struct edit_group *g = next_group(cli, e, err);
    if (!g)
        return false;
    size_t kept = 0;
    for (size_t i = 0; i < g->labels.n; i++)
        if (!slice_same(g->labels.v[i].key, rule.key))
            g->labels.v[kept++] = g->labels.v[i];
    g->labels.n = kept;
    return (value && !*value) || vec_push(&g->labels, rule) || err_nomem(err);
}

static bool take_weight(struct cli *cli, struct cli_edits *e, const char *text,
                        struct prof_err *err)
{
    struct prof_ratio weight;
    if (!prof_ratio_parse(text, &weight))
        return err_value(err, "expected a decimal number");
    struct edit_group *g = next_group(cli, e, err);
    if (!g)
        return false;
    g->weight = weight;
    return true;
}

bool cli_take_edit(struct cli *cli, struct cli_edits **edits, int key,
                   const char *value, struct prof_err *err)
{
    if (!*edits && !(*edits = edits_new(err)))
        return false;
    switch (key) {
    case CLI_REPLACE_LABEL:
        return (*edits)->replace = true;
    case CLI_EQUAL:
        return (*edits)->equal = true;
    case CLI_WEIGHT:
        return take_weight(cli, *edits, value, err);
    default:
        return take_label(cli, *edits, value, key == CLI_SOURCE_LABEL, err);
    }
}

bool cli_edits_check(const struct cli_edits *edits, const struct cli *cli,
                     struct prof_err *err)
{
    if (!edits)
        return true;
    bool labels = false;
    for (size_t i = 0; i < edits->groups.n; i++)
        labels |= edits->groups.v[i].labels.n > 0;
    if (edits->replace && !labels)
        return err_options(err, "--replace-label requires --label or "
                                "--source-label");
    if (cli->n_inputs && cli->groups[cli->n_inputs - 1] != cli->group)
        return err_options(err, "no input follows the last --label, "
                                "--source-label or --weight, which apply to "
                                "the inputs after them");
    return true;
}

/* --- labels --------------------------------------------------------------- */

/* Adds labels to all samples of a profile. */
struct labeling {
    struct profile *p;
    bool replace;
    VEC(struct prof_label) added; /* one for each key */
    VEC(struct prof_label) set;   /* the labels of one set */
    uint32_t *instead;            /* by label set: its new set, or PROF_NONE */
};

/* Sets *id to a string of the command line; escapes control characters. */
static bool put_string(struct profile *p, struct prof_slice s, uint32_t *id,
                       struct prof_err *err)
{
    struct buf b = {0};
    bool ok = utf8_put_line(&b, s.s, s.n) || err_nomem(err);
    ok = ok && prof_strn(p, (const char *)b.v, b.n, id, err);
    buf_free(&b);
    return ok;
}

/* Sets *id to the value of a label that is taken from the name of the input. */
static bool put_source(struct profile *p, const struct label_rule *rule,
                       const char *name, uint32_t *id, struct prof_err *err)
{
    const char *regex = rule->value_or_regex;
    struct buf b = {0};
    int key = (int)rule->key.n;
    if (!name)
        return err_input(err,
                         "--source-label=%.*s: standard input has no name; use "
                         "--label=%.*s=VALUE",
                         key, rule->key.s, key, rule->key.s);
    bool ok = utf8_put_line(&b, name, strlen(name)) || err_nomem(err);
    struct prof_slice whole = buf_slice(&b), value = whole;
    if (ok && regex) {
        int found = prof_regex_group(regex, whole, &value, err);
        ok = found > 0 && value.n;
        if (found >= 0 && !ok)
            err_input(
                err,
                "--source-label=%.*s: '%s' %s the name '%.*s'; correct the "
                "regular expression, or give this input --label=%.*s=VALUE",
                key, rule->key.s, regex,
                found ? TEXT("matches no text in") : TEXT("does not match"),
                (int)whole.n, whole.s, key, rule->key.s);
    }
    ok = ok && prof_strn(p, value.s, value.n, id, err);
    buf_free(&b);
    return ok;
}

static bool refuse_label(const struct profile *p, const struct prof_label *has,
                         const struct prof_label *wanted, struct prof_err *err)
{
    enum { SHOWN = 200 }; /* most bytes of each string in the message */
    char number[24];
    (void)snprintf(number, sizeof number, "%lld", (long long)has->num);
    struct prof_slice key = prof_get_string(p, wanted->key),
                      value = prof_get_string(p, wanted->str), old;
    old = has->str ? prof_get_string(p, has->str) : slice_of(number);
    return err_input(
        err,
        "label '%.*s' has the value '%.*s' in a sample, not '%.*s'; use "
        "another key, or --replace-label to replace it",
        (int)(key.n < SHOWN ? key.n : SHOWN), key.s,
        (int)(old.n < SHOWN ? old.n : SHOWN), old.s,
        (int)(value.n < SHOWN ? value.n : SHOWN), value.s);
}

/* Sets t->instead[set] to `set` with the added labels. */
static bool make_set(struct labeling *t, uint32_t set, struct prof_err *err)
{
    size_t n;
    const struct prof_label *labels = prof_get_labels(t->p, set, &n);
    t->set.n = 0;
    for (size_t i = 0; i < n; i++) {
        const struct prof_label *added = NULL;
        for (size_t k = 0; !added && k < t->added.n; k++)
            if (t->added.v[k].key == labels[i].key)
                added = &t->added.v[k];
        if (added && labels[i].str != added->str && !t->replace)
            return refuse_label(t->p, &labels[i], added, err);
        if (!added && !vec_push(&t->set, labels[i]))
            return err_nomem(err);
    }
    for (size_t i = 0; i < t->added.n; i++)
        if (!vec_push(&t->set, t->added.v[i]))
            return err_nomem(err);
    return prof_labelset(t->p, t->set.v, t->set.n, &t->instead[set], err);
}

/* Sets t->added to the labels of group g for the input `name`. */
static bool list_labels(struct labeling *t, const struct edit_group *g,
                        const char *name, struct prof_err *err)
{
    struct profile *p = t->p;
    for (size_t i = 0; i < g->labels.n; i++) {
        const struct label_rule *rule = &g->labels.v[i];
        struct prof_label label = {0};
        if (!put_string(p, rule->key, &label.key, err))
            return false;
        if (!(rule->is_source ? put_source(p, rule, name, &label.str, err)
                              : put_string(p, slice_of(rule->value_or_regex),
                                           &label.str, err)))
            return false;
        if (!vec_push(&t->added, label))
            return err_nomem(err);
    }
    return true;
}

static bool add_labels(struct labeling *t, struct prof_err *err)
{
    struct profile *p = t->p;
    const struct prof_counts n = prof_count(p);
    t->instead = mem_none(n.labelsets);
    if (!t->instead)
        return err_nomem(err);
    for (size_t i = 0; i < n.samples; i++) {
        uint32_t set = prof_get_sample(p, i).labelset;
        if (t->instead[set] == PROF_NONE && !make_set(t, set, err))
            return false;
        prof_set_labelset(p, i, t->instead[set]);
    }
    return true;
}

static bool label(const struct cli_edit *edit, const struct edit_group *g,
                  struct profile *p, struct prof_err *err)
{
    struct labeling t = {.p = p, .replace = edit->edits->replace};
    bool ok = list_labels(&t, g, edit->name, err) && add_labels(&t, err);
    vec_free(&t.added);
    vec_free(&t.set);
    free(t.instead);
    return ok;
}

bool cli_edit_profile(void *ctx, struct profile *p, struct prof_err *err)
{
    const struct cli_edit *edit = ctx;
    struct cli_edits *e = edit->edits;
    const struct edit_group *g = &e->groups.v[edit->group];
    const struct prof_ratio weight = g->weight;
    if (g->labels.n && !label(edit, g, p, err))
        return false;
    /* Merge equal samples first, so that their sum is rounded only once. */
    const struct prof_result_opts sum = {.threads = edit->threads,
                                         .keep_order = true};
    if ((weight.den != 1 || e->equal) && !prof_merge_one(p, &sum, err))
        return false;
    if (e->equal)
        return weigh_equally(&e->weighing, p, weight, edit->common, err);
    return (weight.num == 1 && weight.den == 1) ||
           weigh(&e->weighing, p, weight, err);
}

void cli_edits_report(const struct cli_edits *edits,
                      const struct prof_notes *notes)
{
    if (edits)
        weighing_report(&edits->weighing, notes);
}
