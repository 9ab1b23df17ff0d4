/* frame_filter.c - filters by the names of frames: focus, hide, show, prune */
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/parallel.h"
#include "base/vec.h"
#include "profile/columns.h"
#include "profile/filter/private.h"

/* --- all samples in one pass, dropping samples and frames in place */

/*
 *   struct sample_pass pass = {.p = p};
 *   while (next_sample(&pass))
 *       if (wanted(pass.stack, pass.depth))
 *           keep_sample(&pass, pass.stack, pass.depth);
 *   end_pass(&pass);
 *
 * Before end_pass() the samples that were visited are not valid.
 */
struct sample_pass {
    struct profile *p;
    size_t sample;   /* index of the current one */
    uint32_t *stack; /* its frames, leaf first; may be changed */
    size_t depth;
    size_t next, kept;
    uint64_t next_frame, kept_frame; /* where stacks are read and written */
};

/* Moves to the next sample.  Returns false if there is none. */
static bool next_sample(struct sample_pass *pass)
{
    struct profile *p = pass->p;
    if (pass->next == p->n_samples)
        return false;
    pass->sample = pass->next++;
    /* Read the end before keep_sample() overwrites it. */
    uint64_t end = p->frame_off[pass->next];
    pass->stack = p->frames + pass->next_frame;
    pass->depth = (size_t)(end - pass->next_frame);
    pass->next_frame = end;
    return true;
}

/* Keeps the current sample with the given n frames, a part of its stack. */
static void keep_sample(struct sample_pass *pass, const uint32_t *frames,
                        size_t n)
{
    struct profile *p = pass->p;
    size_t to = pass->kept++, nt = p->n_types;
    if (frames != p->frames + pass->kept_frame && n)
        memmove(p->frames + pass->kept_frame, frames, n * sizeof *frames);
    pass->kept_frame += n;
    p->frame_off[to + 1] = pass->kept_frame;
    if (to == pass->sample)
        return;
    if (nt)
        memcpy(p->values + to * nt, p->values + pass->sample * nt,
               nt * sizeof *p->values);
    p->labelset[to] = p->labelset[pass->sample];
}

static void end_pass(struct sample_pass *pass)
{
    pass->p->n_samples = pass->kept;
    pass->p->n_frames = (size_t)pass->kept_frame;
}

void prof_keep_sets(struct profile *p, const uint8_t *kept)
{
    struct sample_pass pass = {.p = p};
    while (next_sample(&pass))
        if (kept[p->labelset[pass.sample]])
            keep_sample(&pass, pass.stack, pass.depth);
    end_pass(&pass);
}

/* --- verdicts on names */

/*
 * The functions and mappings that a pattern matches.  Each distinct string is
 * tried once, however many functions and samples use it.
 */
struct name_verdicts {
    uint8_t *function; /* 1 where the name or the file name matches */
    uint8_t *mapping;  /* 1 where the file name matches */
};

/* Return whether the pattern matches the line, or the mapping. */
static inline bool names_line(const struct name_verdicts *v,
                              const struct prof_line *line)
{
    return line->function != PROF_NONE && v->function[line->function];
}

static inline bool names_mapping(const struct name_verdicts *v,
                                 const struct prof_location *l)
{
    return l->mapping != PROF_NONE && v->mapping[l->mapping];
}

/* Whether a string matches, if it was tried. */
enum { UNTRIED, NO, YES };

/* A pattern and the results for the strings that it was tried on. */
struct string_matches {
    const struct profile *p;
    struct regex *re;
    uint8_t *seen; /* by string id: UNTRIED, NO or YES */
};

/* Sets *verdict to 1 if string `id` matches; else leaves it as it is. */
static bool match_string(struct string_matches *m, uint32_t id,
                         uint8_t *verdict, struct prof_err *err)
{
    if (m->seen[id] == UNTRIED) {
        struct prof_slice text = prof_text(m->p, id);
        int rc = regex_match(m->re, text.s, text.n, err);
        if (rc < 0)
            return false;
        m->seen[id] = rc ? YES : NO;
    }
    *verdict |= m->seen[id] == YES;
    return true;
}

static bool names_match(const struct profile *p, struct regex *re,
                        struct name_verdicts *v, struct prof_err *err)
{
    struct string_matches m = {p, re, mem_zarray(p->strings.n, 1)};
    v->function = mem_zarray(p->n_functions, 1);
    v->mapping = mem_zarray(p->n_mappings, 1);
    bool ok = (m.seen && v->function && v->mapping) || err_nomem(err);
    for (size_t i = 0; ok && i < p->n_functions; i++)
        ok = match_string(&m, p->functions[i].name, &v->function[i], err) &&
             match_string(&m, p->functions[i].filename, &v->function[i], err);
    for (size_t i = 0; ok && i < p->n_mappings; i++)
        ok = match_string(&m, p->mappings[i].filename, &v->mapping[i], err);
    free(m.seen);
    return ok;
}

static void names_free(struct name_verdicts *v)
{
    free(v->function);
    free(v->mapping);
    memset(v, 0, sizeof *v);
}

/* Returns whether a line of the location matches, or its mapping. */
static bool names_location(const struct name_verdicts *v,
                           const struct profile *p,
                           const struct prof_location *l)
{
    for (uint32_t i = 0; i < l->n_lines; i++)
        if (names_line(v, &p->lines[l->line_off + i]))
            return true;
    return names_mapping(v, l);
}

/* --- focus, ignore, hide, show, show_from */

/* Verdicts on a location, which are or-ed. */
enum { FOCUSED = 1, IGNORED = 2, HIDDEN = 4, SHOWN_FROM = 8 };

enum { PIECE = 1 << 12 }; /* samples that a thread judges at a time */

struct filtering {
    struct profile *p;
    const struct frame_filter *f;
    struct name_verdicts focus, ignore, hide, show;
    uint8_t *location; /* verdicts, or-ed */
    uint8_t *sample; /* verdicts on its frames, or-ed, up to one of `enough` */
    uint8_t enough;  /* verdicts after which no other frame matters */
    bool zero;       /* set the values of dropped samples to 0 instead */
    struct frame_matches *matched;
};

/* Keeps the lines whose verdict is `wanted` and those without a function. */
static void keep_lines(struct profile *p, struct prof_location *l,
                       const struct name_verdicts *v, bool wanted)
{
    struct prof_line *lines = p->lines + l->line_off;
    uint32_t n = 0;
    for (uint32_t i = 0; i < l->n_lines; i++)
        if (lines[i].function == PROF_NONE ||
            names_line(v, &lines[i]) == wanted)
            lines[n++] = lines[i];
    l->n_lines = n;
}

/* Sets the verdicts on location i, and drops its hidden lines. */
static void judge_location(struct filtering *w, size_t i)
{
    struct prof_location *l = &w->p->locations[i];
    if (w->f->ignore && names_location(&w->ignore, w->p, l)) {
        w->matched->ignore = true;
        w->location[i] |= IGNORED;
    } else if (!w->f->focus || names_location(&w->focus, w->p, l)) {
        w->matched->focus = true;
        w->location[i] |= FOCUSED;
    }
    if (w->f->hide && names_location(&w->hide, w->p, l)) {
        w->matched->hide = true;
        if (names_mapping(&w->hide, l))
            l->n_lines = 0;
        keep_lines(w->p, l, &w->hide, false);
        if (!l->n_lines)
            w->location[i] |= HIDDEN;
    }
    if (w->f->show) {
        if (!names_mapping(&w->show, l))
            keep_lines(w->p, l, &w->show, true);
        if (l->n_lines)
            w->matched->show = true;
        else
            w->location[i] |= HIDDEN;
    }
}

static bool is_kept(uint8_t verdict)
{
    return (verdict & FOCUSED) && !(verdict & IGNORED);
}

/*
 * Judges a piece of the samples.  Reading frames takes longest, so threads
 * share this.  Callers are in more samples than their callees, so a search from
 * the root ends sooner.
 */
static void judge_samples(void *ctx, unsigned thread, size_t piece)
{
    const struct filtering *w = ctx;
    const struct profile *p = w->p;
    size_t s = piece * PIECE, end = s + PIECE;
    (void)thread;
    for (; s < end && s < p->n_samples; s++) {
        const uint32_t *stack = prof_stack(p, s);
        size_t depth = prof_depth(p, s);
        uint8_t verdict = 0;
        for (size_t i = depth; i && !(verdict & w->enough); i--)
            verdict |= w->location[stack[i - 1]];
        w->sample[s] = verdict;
        if (w->zero && !is_kept(verdict))
            memset(p->values + s * p->n_types, 0,
                   p->n_types * sizeof *p->values);
    }
}

/* Drops samples and hidden frames by their verdicts. */
static void filter_samples(const struct filtering *w)
{
    struct sample_pass pass = {.p = w->p};
    while (next_sample(&pass)) {
        uint8_t verdict = w->sample[pass.sample];
        if (!is_kept(verdict))
            continue;
        size_t n = 0;
        for (size_t i = 0; (verdict & HIDDEN) && i < pass.depth; i++)
            if (!(w->location[pass.stack[i]] & HIDDEN))
                pass.stack[n++] = pass.stack[i];
        if (!(verdict & HIDDEN))
            n = pass.depth;
        if (n)
            keep_sample(&pass, pass.stack, n);
    }
    end_pass(&pass);
}

static bool filter_frames(struct profile *p, const struct frame_filter *f,
                          struct frame_matches *matched, struct prof_err *err)
{
    struct filtering w = {.p = p, .f = f, .matched = matched};
    const struct {
        struct regex *re;
        struct name_verdicts *v;
    } each[] = {
        {f->focus, &w.focus},
        {f->ignore, &w.ignore},
        {f->hide, &w.hide},
        {f->show, &w.show},
    };
    w.zero = f->zero && !f->hide && !f->show && !f->show_from;
    w.enough = f->ignore || f->hide || f->show ? IGNORED : FOCUSED;
    if (!f->focus && !f->ignore && !f->hide && !f->show)
        return true;
    w.location = mem_zarray(p->n_locations, 1);
    w.sample = mem_array(p->n_samples, 1);
    bool ok = (w.location && w.sample) || err_nomem(err);

    /* Judge names, then locations, then samples. */
    for (size_t i = 0; ok && i < sizeof each / sizeof *each; i++)
        ok = !each[i].re || names_match(p, each[i].re, each[i].v, err);
    for (size_t i = 0; ok && i < p->n_locations; i++)
        judge_location(&w, i);
    if (ok)
        parallel_run(f->threads, p->n_samples / PIECE + 1, judge_samples, &w);
    if (ok && !w.zero)
        filter_samples(&w);

    for (size_t i = 0; i < sizeof each / sizeof *each; i++)
        names_free(each[i].v);
    free(w.location);
    free(w.sample);
    return ok;
}

static bool show_from(struct profile *p, struct regex *re, bool *matched,
                      struct prof_err *err)
{
    struct name_verdicts v = {0};
    uint8_t *location = mem_zarray(p->n_locations, 1);
    bool ok = location ? names_match(p, re, &v, err) : err_nomem(err);

    /* Keep lines up to the outermost match, or all if the mapping matches. */
    for (size_t i = 0; ok && i < p->n_locations; i++) {
        struct prof_location *l = &p->locations[i];
        bool whole = names_mapping(&v, l);
        uint32_t n = l->n_lines;
        while (!whole && n && !names_line(&v, &p->lines[l->line_off + n - 1]))
            n--;
        if (!whole && !n)
            continue;
        l->n_lines = n;
        location[i] = SHOWN_FROM;
        *matched = true;
    }

    /* Keep frames up to the outermost such location. */
    struct sample_pass pass = {.p = p};
    while (ok && next_sample(&pass)) {
        size_t n = pass.depth;
        while (n && !location[pass.stack[n - 1]])
            n--;
        if (n)
            keep_sample(&pass, pass.stack, n);
    }
    if (ok)
        end_pass(&pass);
    names_free(&v);
    free(location);
    return ok;
}

bool prof_filter_frames(struct profile *p, const struct frame_filter *f,
                        struct frame_matches *matched, struct prof_err *err)
{
    *matched = (struct frame_matches){0};
    return filter_frames(p, f, matched, err) &&
           (!f->show_from ||
            show_from(p, f->show_from, &matched->show_from, err));
}

/* --- prune, prune_from */

/* Returns the part of a name to match: without a leading dot and parameters. */
static const char *simple_name(const char *name, size_t *n)
{
    static const char *const with_parenthesis[] = {"(anonymous namespace)",
                                                   "operator()"};
    if (*n && *name == '.') {
        name++;
        --*n;
    }
    for (size_t i = 0; i < *n;) {
        struct prof_slice rest = {name + i, *n - i};
        size_t skip = 0;
        for (size_t k = 0; !skip && k < 2; k++)
            if (slice_begins_with(rest, with_parenthesis[k]))
                skip = strlen(with_parenthesis[k]);
        if (!skip && name[i] == '(')
            *n = i;
        i += skip ? skip : 1;
    }
    return name;
}

/* Prunes names that match `drop` but not `keep` (which may be null). */
struct pruned_names {
    struct regex *drop, *keep;
};

/* Returns 1 if the name is to be pruned, 0 if not, -1 if *err is set. */
static int is_pruned(const struct pruned_names *names, struct prof_slice text,
                     struct prof_err *err)
{
    size_t n = text.n;
    const char *name = simple_name(text.s, &n);
    int drop = regex_match(names->drop, name, n, err);
    if (drop <= 0 || !names->keep)
        return drop;
    int keep = regex_match(names->keep, name, n, err);
    return keep < 0 ? -1 : !keep;
}

static bool line_matches(const struct profile *p, const struct prof_location *l,
                         uint32_t i, const uint8_t *function)
{
    uint32_t f = p->lines[l->line_off + i].function;
    return f != PROF_NONE && function[f];
}

static void drop_inner_lines(struct prof_location *l, uint32_t n)
{
    l->line_off += n;
    l->n_lines -= n;
}

/*
 * What pruning finds in a location: no match; a match, and lines of its
 * callers; or only lines to prune.
 */
enum { PRUNE_NONE, PRUNE_CALLEES, PRUNE_ALL };

/*
 * Drops the outermost match and the lines inside it, unless all would go:
 * PRUNE_ALL then tells the caller to drop the location.
 */
static uint8_t prune_location(struct profile *p, struct prof_location *l,
                              const uint8_t *function)
{
    uint32_t n = l->n_lines;
    while (n && !line_matches(p, l, n - 1, function))
        n--;
    if (!n)
        return PRUNE_NONE;
    if (n == l->n_lines)
        return PRUNE_ALL;
    drop_inner_lines(l, n);
    return PRUNE_CALLEES;
}

/*
 * Returns how many frames at the leaf to drop.  As in pprof, matches at the
 * root stay; the first match after a frame that does not match goes, with its
 * callees.
 */
static size_t beneath(const struct sample_pass *pass, const uint8_t *location)
{
    size_t i = pass->depth;
    while (i && location[pass->stack[i - 1]] != PRUNE_NONE)
        i--;
    while (i && location[pass->stack[i - 1]] == PRUNE_NONE)
        i--;
    if (i && location[pass->stack[i - 1]] == PRUNE_CALLEES)
        i--;
    return i;
}

/*
 * How to prune.  location() drops lines of a location and returns a PRUNE_
 * value, by which stacks are judged.  leaf() returns how many frames at the
 * leaf of a stack to drop.
 */
struct pruning {
    struct pruned_names names;
    uint8_t (*location)(struct profile *p, struct prof_location *l,
                        const uint8_t *function);
    size_t (*leaf)(const struct sample_pass *pass, const uint8_t *location);
    bool matched;
};

static bool prune(struct profile *p, struct pruning *by, struct prof_err *err)
{
    uint8_t *seen = mem_zarray(p->strings.n, 1);
    uint8_t *function = mem_zarray(p->n_functions, 1);
    uint8_t *location = mem_zarray(p->n_locations, 1);
    bool ok = (seen && function && location) || err_nomem(err);

    /* Find the functions to prune; each name is tried once. */
    for (size_t i = 0; ok && i < p->n_functions; i++) {
        uint32_t name = p->functions[i].name;
        if (!name)
            continue;
        if (seen[name] == UNTRIED) {
            int pruned = is_pruned(&by->names, prof_text(p, name), err);
            ok = pruned >= 0;
            seen[name] = pruned > 0 ? YES : NO;
        }
        function[i] = seen[name] == YES;
    }

    for (size_t i = 0; ok && i < p->n_locations; i++) {
        location[i] = by->location(p, &p->locations[i], function);
        by->matched |= location[i] != PRUNE_NONE;
    }
    struct sample_pass pass = {.p = p};
    while (ok && next_sample(&pass)) {
        size_t n = by->leaf(&pass, location);
        keep_sample(&pass, pass.stack + n, pass.depth - n);
    }
    if (ok)
        end_pass(&pass);
    free(seen);
    free(function);
    free(location);
    return ok;
}

bool prune_regex(struct regex **re, const char *pattern, const char *what,
                 enum prof_err_kind kind, struct prof_err *err)
{
    struct buf whole = {0};
    *re = NULL;
    bool ok = buf_printf(&whole, "^(%s)$", pattern) && buf_putc(&whole, 0);
    ok = ok ? regex_new(re, (const char *)whole.v, what, kind, err)
            : err_nomem(err);
    buf_free(&whole);
    return ok;
}

/* Compiles an expression of the profile's own; leaves *re null without one. */
static bool own_regex(const struct profile *p, const char *what, uint32_t id,
                      struct regex **re, struct prof_err *err)
{
    if (!id)
        return true;
    const char *pattern = prof_plain(p, id);
    if (!*pattern)
        return err_set(err, PROF_ERR_INPUT,
                       "%s: the regular expression '%s' contains NUL", what,
                       prof_show(p, id).text);
    return prune_regex(re, pattern, what, PROF_ERR_INPUT, err);
}

bool prof_prune(struct profile *p, struct regex *drop, struct regex *keep,
                struct prof_err *err)
{
    struct regex *own_drop = NULL, *own_keep = NULL;
    bool ok = (drop || own_regex(p, "drop_frames of the profile",
                                 p->drop_frames, &own_drop, err)) &&
              (keep || own_regex(p, "keep_frames of the profile",
                                 p->keep_frames, &own_keep, err));
    struct pruning by = {
        .names = {drop ? drop : own_drop, keep ? keep : own_keep},
        .location = prune_location,
        .leaf = beneath,
    };
    ok = ok && (!by.names.drop || prune(p, &by, err));
    regex_free(own_drop);
    regex_free(own_keep);
    return ok;
}

bool prof_prune_own(struct profile *p, struct prof_err *err)
{
    return prof_prune(p, NULL, NULL, err);
}

bool prof_is_allocator(const struct profile *p, uint32_t mapping)
{
    static const char *const libraries[] = {
        "libjemalloc", "libtcmalloc", "libmimalloc", "libhoard",
        "librpmalloc", "libscudo",    "libsnmalloc",
    };
    if (mapping == PROF_NONE)
        return false;
    struct prof_slice file = prof_text(p, p->mappings[mapping].filename), base;
    base.s = path_base(file.s, file.n, &base.n);
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++)
        if (slice_begins_with(base, libraries[i]))
            return true;
    return false;
}

/*
 * Returns PRUNE_NONE if the location is not in an allocator's library; else
 * PRUNE_ALL if the function of a line matches; else PRUNE_CALLEES.
 */
static uint8_t find_allocator(struct profile *p, struct prof_location *l,
                              const uint8_t *function)
{
    if (!prof_is_allocator(p, l->mapping))
        return PRUNE_NONE;
    for (uint32_t i = 0; i < l->n_lines; i++)
        if (line_matches(p, l, i, function))
            return PRUNE_ALL;
    return PRUNE_CALLEES;
}

/*
 * Returns how many frames at the leaf are an allocator's; 0 if pruning by name
 * drops them.
 */
static size_t inside_allocator(const struct sample_pass *pass,
                               const uint8_t *location)
{
    size_t n = 0;
    while (n < pass->depth && location[pass->stack[n]] != PRUNE_NONE)
        n++;
    return n && n < pass->depth && location[pass->stack[n - 1]] == PRUNE_CALLEES
               ? n
               : 0;
}

bool prof_drops_allocators(const struct profile *p, bool *yes,
                           struct prof_err *err)
{
    static const struct prof_slice entry = {"malloc", 6};
    struct pruned_names names = {0};
    bool has_allocator = false;
    *yes = false;
    for (size_t i = 0; i < p->n_mappings && !has_allocator; i++)
        has_allocator = prof_is_allocator(p, (uint32_t)i);
    if (!p->drop_frames || !has_allocator)
        return true;
    bool ok = own_regex(p, "drop_frames of the profile", p->drop_frames,
                        &names.drop, err);
    int pruned = ok ? is_pruned(&names, entry, err) : -1;
    regex_free(names.drop);
    *yes = pruned > 0;
    return pruned >= 0 || err->kind == PROF_ERR_INPUT;
}

bool prof_prune_allocators(struct profile *p, struct prof_err *err)
{
    struct pruning by = {.location = find_allocator, .leaf = inside_allocator};
    bool ok = own_regex(p, "drop_frames of the profile", p->drop_frames,
                        &by.names.drop, err) &&
              prune(p, &by, err);
    regex_free(by.names.drop);
    return ok;
}

/* Drops the lines inside the innermost match. */
static uint8_t prune_location_from(struct profile *p, struct prof_location *l,
                                   const uint8_t *function)
{
    for (uint32_t i = 0; i < l->n_lines; i++)
        if (line_matches(p, l, i, function)) {
            drop_inner_lines(l, i);
            return PRUNE_CALLEES;
        }
    return PRUNE_NONE;
}

/* Returns how many frames are inside the innermost match. */
static size_t inside(const struct sample_pass *pass, const uint8_t *location)
{
    for (size_t n = 0; n < pass->depth; n++)
        if (location[pass->stack[n]] != PRUNE_NONE)
            return n;
    return 0;
}

bool prof_prune_from(struct profile *p, struct regex *re, bool *matched,
                     struct prof_err *err)
{
    struct pruning by = {
        .names = {.drop = re}, .location = prune_location_from, .leaf = inside};
    bool ok = prune(p, &by, err);
    *matched = by.matched;
    return ok;
}
