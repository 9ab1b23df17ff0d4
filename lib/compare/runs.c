/* runs.c - counts samples by function, a run at a time */
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/utf8.h"
#include "compare/private.h"

struct compare *compare_new(const struct compare_opts *opts,
                            struct prof_err *err)
{
    struct compare *c = mem_new(sizeof *c, err);
    if (!c)
        return NULL;
    c->opts = *opts;
    for (size_t i = 0; i < opts->n_aliases; i++) {
        struct alias alias = {0};
        if (!regex_new(&alias.re, opts->aliases[i].pattern, "--count-as",
                       PROF_ERR_USAGE, err) ||
            !vec_push(&c->aliases, alias)) {
            if (alias.re)
                (void)err_nomem(err);
            regex_free(alias.re);
            compare_free(c);
            return NULL;
        }
    }
    return c;
}

void compare_free(struct compare *c)
{
    if (!c)
        return;
    for (size_t i = 0; i < c->aliases.n; i++)
        regex_free(c->aliases.v[i].re);
    for (size_t i = 0; i < c->runs.n; i++) {
        free(c->runs.v[i].name);
        vec_free(&c->runs.v[i].cells);
    }
    vec_free(&c->aliases);
    vec_free(&c->runs);
    vec_free(&c->scratch);
    vec_free(&c->touched);
    map_free(&c->names);
    buf_free(&c->name);
    free(c->type);
    free(c->unit);
    free(c);
}

/* --- which values are counted --------------------------------------------- */

/*
 * Picks the type to count.  If the values are scaled from numbers of samples
 * (cpu, an event), picks those numbers, which precede it: only they tell how
 * certain a share is.
 */
static bool pick_type(struct compare *c, const struct profile *p, size_t *type,
                      struct prof_err *err)
{
    if (!prof_pick_type(p, c->opts.sample_index, type, err))
        return false;
    const int counts = prof_count_type(p, *type);
    if (counts >= 0)
        *type = (size_t)counts;
    const char *name = prof_plain(p, p->types[*type].type);
    const char *unit = prof_plain(p, p->types[*type].unit);
    if (!c->type) {
        c->type = strdup(name);
        c->unit = strdup(unit);
        c->is_counted = counts >= 0;
        return (c->type && c->unit) || err_nomem(err);
    }
    if (strcmp(c->type, name) == 0 && strcmp(c->unit, unit) == 0)
        return true;
    return err_input(
        err,
        "values are %s/%s, but those of earlier runs are %s/%s; choose a type "
        "that all runs have with --sample-index=TYPE",
        name, unit, c->type, c->unit);
}

/* --- rows of functions ---------------------------------------------------- */

/* The rows (by name) that the lines and locations of a profile count for. */
struct lines {
    uint32_t *row;      /* by line: its row */
    uint32_t *location; /* by location: its row, if it has no lines */
};

/* Appends the name of a mapping; with `brackets`, as "[libc.so.6]". */
static bool put_mapping(struct buf *to, const struct profile *p,
                        uint32_t mapping, bool brackets)
{
    struct prof_slice file = {"unknown", 7};
    if (mapping != PROF_NONE && p->mappings[mapping].filename)
        file = path_after_slash(prof_text(p, p->mappings[mapping].filename));
    brackets &= !file.n || file.s[0] != '[';
    return (!brackets || buf_putc(to, '[')) && buf_put(to, file.s, file.n) &&
           (!brackets || buf_putc(to, ']'));
}

/* Appends the name of the row of a line, as it is in the profile. */
static bool put_name(const struct compare *c, struct buf *to,
                     const struct profile *p, const struct prof_location *l,
                     const struct prof_line *line)
{
    const struct prof_function *f = line && line->function != PROF_NONE
                                        ? &p->functions[line->function]
                                        : NULL;
    if (c->opts.granularity == PROF_BINARIES)
        return put_mapping(to, p, l->mapping, false);
    if (!f || !f->name)
        return put_mapping(to, p, l->mapping, true);
    switch (c->opts.granularity) {
    case PROF_FILES:
        return prof_put_text(to, p, f->filename);
    case PROF_FILEFUNCTIONS:
        return prof_put_text(to, p, f->name) && buf_putc(to, ' ') &&
               prof_put_text(to, p, f->filename);
    case PROF_LINES:
        return prof_put_text(to, p, f->name) && buf_putc(to, ' ') &&
               prof_put_text(to, p, f->filename) && buf_putc(to, ':') &&
               buf_put_i64(to, line->line);
    default:
        return prof_put_text(to, p, f->name);
    }
}

/* Replaces *name as the first matching --count-as says, or by names_match(). */
static bool match(struct compare *c, struct buf *name, struct prof_err *err)
{
    for (size_t i = 0; i < c->aliases.n; i++) {
        int got = regex_match(c->aliases.v[i].re, (const char *)name->v,
                              name->n, err);
        if (got < 0)
            return false;
        if (got) {
            name->n = 0;
            return buf_puts(name, c->opts.aliases[i].name) || err_nomem(err);
        }
    }
    if (c->opts.exact_names)
        return true;
    const size_t n = name->n;
    if (!buf_reserve(name, 2 * n + 8))
        return err_nomem(err);
    const struct prof_slice whole = {(const char *)name->v, n};
    if (!names_match(name, whole))
        return err_nomem(err);
    name->n -= n;
    memmove(name->v, name->v + n, name->n);
    return true;
}

static bool row_of(struct compare *c, const struct profile *p,
                   const struct prof_location *l, const struct prof_line *line,
                   uint32_t *row, struct prof_err *err)
{
    struct buf *name = &c->name;
    bool is_new;
    name->n = 0;
    if (!put_name(c, name, p, l, line) || !buf_reserve(name, 1))
        return err_nomem(err);
    if (!match(c, name, err))
        return false;
    if (!name->n && !buf_puts(name, "[unknown]"))
        return err_nomem(err);
    if (!map_add(&c->names, name->v, name->n, row, &is_new))
        return err_nomem(err);
    if (!is_new)
        return true;
    c->n_rows++;
    if (!vec_reserve(&c->scratch, 1))
        return err_nomem(err);
    c->scratch.v[c->scratch.n] = (__typeof__(*c->scratch.v)){0};
    c->scratch.n++;
    return true;
}

static bool lines_init(struct lines *lines, struct compare *c,
                       const struct profile *p, struct prof_err *err)
{
    lines->row = mem_array(p->n_lines + 1, sizeof *lines->row);
    lines->location = mem_array(p->n_locations + 1, sizeof *lines->location);
    if (!lines->row || !lines->location)
        return err_nomem(err);
    for (size_t i = 0; i < p->n_locations; i++) {
        const struct prof_location *l = &p->locations[i];
        if (!l->n_lines && !row_of(c, p, l, NULL, &lines->location[i], err))
            return false;
        for (uint32_t k = 0; k < l->n_lines; k++) {
            uint32_t at = l->line_off + k;
            if (!row_of(c, p, l, &p->lines[at], &lines->row[at], err))
                return false;
        }
    }
    return true;
}

/* --- runs of labels ------------------------------------------------------- */

/* The run of a label set whose samples are not counted. */
#define SKIPPED UINT32_MAX

static bool is_text(const struct profile *p, uint32_t id, const char *text)
{
    return text && slice_is(prof_text(p, id), text);
}

/* Returns the string label of a set with this key, or null. */
static const struct prof_label *find_label(const struct profile *p, size_t set,
                                           const char *key)
{
    for (uint64_t i = p->labelset_off[set]; i < p->labelset_off[set + 1]; i++)
        if (p->labels[i].str && is_text(p, p->labels[i].key, key))
            return &p->labels[i];
    return NULL;
}

/* Sets *side to that of samples with this label set; false: they have none. */
static bool side_of(const struct compare *c, const struct profile *p,
                    size_t set, enum compare_side *side)
{
    if (!c->opts.side_key)
        return true;
    const struct prof_label *label = find_label(p, set, c->opts.side_key);
    for (int i = 0; label && i < COMPARE_SIDES; i++)
        if (is_text(p, label->str, c->opts.side_value[i])) {
            *side = i;
            return true;
        }
    return false;
}

static bool begin_run(struct compare *c, enum compare_side side,
                      const char *name, struct prof_slice value,
                      struct prof_err *err)
{
    struct run run = {.side = side};
    run.name = value.s ? str_printf("%s, %s", name, value.s) : strdup(name);
    if (run.name && vec_push(&c->runs, run))
        return true;
    free(run.name);
    return err_nomem(err);
}

/* Adds the runs of a profile.  Sets run[] to the run of each label set. */
static bool find_runs(struct compare *c, enum compare_side side,
                      const char *name, const struct profile *p, uint32_t *run,
                      struct prof_err *err)
{
    const uint32_t first = (uint32_t)c->runs.n;
    struct map keys = {0};
    bool ok = true;
    for (size_t i = 0; ok && i < p->n_labelsets; i++) {
        struct key {
            uint32_t side, value;
        } key = {side, 0};
        bool is_new;
        uint32_t row;
        enum compare_side of = side;
        run[i] = SKIPPED;
        if (!side_of(c, p, i, &of))
            continue;
        key.side = of;
        if (c->opts.run_key) {
            const struct prof_label *l = find_label(p, i, c->opts.run_key);
            if (!l)
                continue;
            key.value = l->str;
        }
        ok = map_add(&keys, &key, sizeof key, &row, &is_new) || err_nomem(err);
        const struct prof_slice none = {0};
        if (ok && is_new)
            ok = begin_run(c, of, name,
                           key.value ? prof_text(p, key.value) : none, err);
        if (ok)
            run[i] = first + row;
    }
    map_free(&keys);
    return ok;
}

/* --- counting ------------------------------------------------------------- */

/* Adds the value to the row of a frame, once for each sample. */
static inline bool count_row(struct compare *c, uint32_t row, int64_t value,
                             struct prof_err *err)
{
    struct scratch *s = &c->scratch.v[row];
    if (!s->touched && !vec_push(&c->touched, row))
        return err_nomem(err);
    s->touched = true;
    if (s->sample != c->n_samples)
        s->values[COMPARE_CUM] += value;
    s->sample = c->n_samples;
    return true;
}

static bool count_sample(struct compare *c, const struct profile *p,
                         const struct lines *lines, size_t sample,
                         int64_t value, struct prof_err *err)
{
    const uint32_t *frames = prof_stack(p, sample);
    const size_t depth = prof_depth(p, sample);
    c->n_samples++;
    for (size_t i = 0; i < depth; i++) {
        const struct prof_location *l = &p->locations[frames[i]];
        uint32_t leaf = lines->location[frames[i]];
        if (!l->n_lines && !count_row(c, leaf, value, err))
            return false;
        for (uint32_t k = 0; k < l->n_lines; k++)
            if (!count_row(c, lines->row[l->line_off + k], value, err))
                return false;
        if (l->n_lines)
            leaf = lines->row[l->line_off];
        if (i == 0)
            c->scratch.v[leaf].values[COMPARE_FLAT] += value;
    }
    return true;
}

/* Moves the counts from c->scratch into the run. */
static bool end_run(struct compare *c, struct run *run, struct prof_err *err)
{
    if (!vec_reserve(&run->cells, c->touched.n))
        return err_nomem(err);
    for (size_t i = 0; i < c->touched.n; i++) {
        struct scratch *s = &c->scratch.v[c->touched.v[i]];
        struct cell cell = {.row = c->touched.v[i]};
        memcpy(cell.values, s->values, sizeof cell.values);
        run->cells.v[run->cells.n++] = cell;
        *s = (struct scratch){0};
    }
    c->touched.n = 0;
    return true;
}

/* Samples by run: those of run i are sample[start[i] .. start[i + 1]). */
struct by_run {
    size_t *start, *sample;
};

/* Groups samples by run, so that many runs take one pass over all samples. */
static bool by_run_init(struct by_run *by, const struct profile *p,
                        const uint32_t *run_of, size_t first, size_t n_runs,
                        struct prof_err *err)
{
    by->start = mem_zarray(n_runs + 2, sizeof *by->start);
    by->sample = mem_array(p->n_samples + 1, sizeof *by->sample);
    if (!by->start || !by->sample)
        return err_nomem(err);
    /*
     * Count two places further on: placing the samples then moves each start to
     * its final place.
     */
    for (size_t i = 0; i < p->n_samples; i++)
        if (run_of[p->labelset[i]] != SKIPPED)
            by->start[run_of[p->labelset[i]] - first + 2]++;
    for (size_t i = 2; i < n_runs + 2; i++)
        by->start[i] += by->start[i - 1];
    for (size_t i = 0; i < p->n_samples; i++)
        if (run_of[p->labelset[i]] != SKIPPED)
            by->sample[by->start[run_of[p->labelset[i]] - first + 1]++] = i;
    return true;
}

/* A profile, the type to count, and the tables for it. */
struct counting {
    const struct profile *p;
    size_t type;
    struct lines lines;
    struct by_run by;
};

static bool count_run(struct compare *c, const struct counting *counting,
                      size_t first, size_t run, struct prof_err *err)
{
    const struct profile *p = counting->p;
    const size_t *start = counting->by.start + (run - first);
    struct run *r = &c->runs.v[run];
    for (size_t i = start[0]; i < start[1]; i++) {
        const size_t sample = counting->by.sample[i];
        int64_t value = p->values[sample * p->n_types + counting->type];
        if (!value)
            continue;
        if (value < 0)
            return err_input(
                err, "a value is negative: this is a difference, not a run");
        /* Other sums are parts of this one, so they fit, too. */
        if (__builtin_add_overflow(r->total, value, &r->total))
            return err_input(err, "the sum of all values exceeds 64 bits");
        if (!count_sample(c, p, &counting->lines, sample, value, err))
            return false;
    }
    return end_run(c, r, err);
}

/* Removes runs without samples, from `first` on. */
static void drop_empty(struct compare *c, size_t first,
                       const struct prof_notes *notes)
{
    size_t n = first;
    for (size_t i = first; i < c->runs.n; i++) {
        struct run *run = &c->runs.v[i];
        if (run->total) {
            c->runs.v[n++] = *run;
            continue;
        }
        free(run->name);
        vec_free(&run->cells);
    }
    c->runs.n = n;
    if (n > first)
        return;
    if (c->opts.side_key || c->opts.run_key)
        note_loss(notes, "no runs: no sample has the string label '%s'",
                  c->opts.side_key ? c->opts.side_key : c->opts.run_key);
    else
        note_loss(notes, "no runs: the profile has no samples");
}

bool compare_add(struct compare *c, enum compare_side side, const char *name,
                 struct profile *p, const struct prof_notes *notes,
                 struct prof_err *err)
{
    struct counting counting = {.p = p};
    const size_t first = c->runs.n;
    if (!p->n_samples) {
        drop_empty(c, first, notes);
        return true;
    }
    if (!pick_type(c, p, &counting.type, err) || !prof_prune_own(p, err))
        return false;
    uint32_t *run_of = mem_array(p->n_labelsets + 1, sizeof *run_of);
    bool ok = run_of || err_nomem(err);
    ok = ok && lines_init(&counting.lines, c, p, err) &&
         find_runs(c, side, name, p, run_of, err) &&
         by_run_init(&counting.by, p, run_of, first, c->runs.n - first, err);
    for (size_t i = first; ok && i < c->runs.n; i++)
        ok = count_run(c, &counting, first, i, err);
    if (ok)
        drop_empty(c, first, notes);
    free(counting.lines.row);
    free(counting.lines.location);
    free(counting.by.start);
    free(counting.by.sample);
    free(run_of);
    return ok;
}
