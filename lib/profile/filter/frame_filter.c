/* frame_filter.c - filters by the names of frames: focus, hide, show, prune */
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/parallel.h"
#include "base/vec.h"
#include "profile/columns.h"
#include "profile/filter/private.h"

/* --- dropping samples */

bool prof_keep_samples(struct profile *p, const uint8_t *kept,
                       struct prof_err *err)
{
    uint32_t *order = mem_array(p->n_samples, sizeof *order);
    struct prof_layout layout = {.order = order};
    if (!order)
        return err_nomem(err);
    for (size_t s = 0; s < p->n_samples; s++) {
        order[layout.n_order] = (uint32_t)s;
        layout.n_order += kept[s] != 0;
    }
    bool ok =
        layout.n_order == p->n_samples || prof_apply_layout(p, &layout, err);
    free(order);
    return ok;
}

/* Which frames to drop from stacks. */
struct frames_to_drop {
    const uint8_t *location; /* verdicts */
    uint8_t verdict;         /* one with this verdict goes, */
    bool callers;            /* .. but only if none outside it stays */
};

/*
 * Drops frames of all stacks, and clears kept[] of samples that have none.  If
 * memory is out, the stacks are no longer valid: *p is only to be freed.
 * Whether a frame stays does not depend on its callees, so that stacks still
 * share those of their frames that stay.
 */
static bool drop_frames(struct profile *p, const struct frames_to_drop *drop,
                        uint8_t *kept, struct prof_err *err)
{
    VEC(uint32_t) left = {0}; /* [k]: how many of the k outermost frames stay */
    size_t n = 0;
    bool ok = vec_push(&left, 0);
    for (size_t s = 0; ok && s < p->n_samples; s++) {
        const size_t shared = prof_shared(p, s), depth = prof_depth(p, s);
        const uint32_t *own = prof_own(p, s), *root = own + depth - shared;
        ok = vec_reserve(&left, depth);
        for (size_t k = shared; ok && k < depth; k++) {
            bool goes = (drop->location[*--root] & drop->verdict) &&
                        !(drop->callers && left.v[k]);
            left.v[k + 1] = left.v[k] + !goes;
        }
        p->frame_off[s] = n;
        for (size_t k = depth; ok && k-- > shared; own++)
            if (left.v[k + 1] > left.v[k])
                p->frames[n++] = *own;
        if (ok && shared)
            p->shared[s] = left.v[shared];
        if (ok && !left.v[depth])
            kept[s] = 0;
    }
    p->frame_off[p->n_samples] = p->n_frames = n;
    vec_free(&left);
    return ok || err_nomem(err);
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
enum { FOCUSED = 1, IGNORED = 2, HIDDEN = 4 };

/* Samples that a thread judges at a time; the first shares no frames. */
enum { PIECE = 4 * PROF_RESTART };

struct filtering {
    struct profile *p;
    const struct frame_filter *f;
    struct name_verdicts focus, ignore, hide, show;
    uint8_t *location; /* verdicts, or-ed */
    uint8_t *sample;   /* 1: it is kept */
    uint8_t enough;    /* verdicts after which no other frame matters */
    bool zero;         /* set the values of dropped samples to 0 instead */
    bool hides;        /* some location is hidden */
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
    w->hides |= (w->location[i] & HIDDEN) != 0;
}

/*
 * Where a stack has its outermost frames with two verdicts, as a depth from the
 * root, which has 1; SIZE_MAX if it has none.  Kept from one sample to the
 * next, so that frames which they share are looked at once.
 */
struct outermost {
    size_t focused, ignored;
};

/*
 * Returns whether a sample is kept: a frame is focused and none is ignored.
 * Looks at frames up to one with w->enough.  Callers are in more samples than
 * their callees, so a search from the root ends sooner.
 */
static bool judge_stack(const struct filtering *w, size_t s,
                        struct outermost *at)
{
    const uint32_t *own = prof_own(w->p, s);
    size_t depth = prof_depth(w->p, s), shared = prof_shared(w->p, s);
    unsigned verdict = (at->focused <= shared ? FOCUSED : 0) |
                       (at->ignored <= shared ? IGNORED : 0);
    for (size_t i = depth - shared; i && !(verdict & w->enough); i--) {
        unsigned more = w->location[own[i - 1]] & ~verdict;
        if (more & FOCUSED)
            at->focused = depth - i + 1;
        if (more & IGNORED)
            at->ignored = depth - i + 1;
        verdict |= more;
    }
    if (!(verdict & FOCUSED))
        at->focused = SIZE_MAX;
    if (!(verdict & IGNORED))
        at->ignored = SIZE_MAX;
    return (verdict & FOCUSED) && !(verdict & IGNORED);
}

/* Judges a piece of the samples.  Reading frames takes longest, so threads
 * share this. */
static void judge_samples(void *ctx, unsigned thread, size_t piece)
{
    const struct filtering *w = ctx;
    const struct profile *p = w->p;
    size_t s = piece * PIECE, end = s + PIECE;
    struct outermost at = {SIZE_MAX, SIZE_MAX};
    (void)thread;
    for (; s < end && s < p->n_samples; s++) {
        w->sample[s] = judge_stack(w, s, &at);
        if (w->zero && !w->sample[s])
            memset(p->values + s * p->n_types, 0,
                   p->n_types * sizeof *p->values);
    }
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
    w.enough = f->ignore ? IGNORED : FOCUSED;
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
    const struct frames_to_drop hidden = {w.location, HIDDEN, false};
    ok = ok && (!w.hides || drop_frames(p, &hidden, w.sample, err));
    if (ok && !w.zero)
        ok = prof_keep_samples(p, w.sample, err);

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
    uint8_t *kept = mem_array(p->n_samples, 1);
    const struct frames_to_drop callers = {location, HIDDEN, true};
    bool ok = location && kept ? names_match(p, re, &v, err) : err_nomem(err);
    if (ok && p->n_samples)
        memset(kept, 1, p->n_samples);

    /* Keep lines up to the outermost match, or all if the mapping matches. */
    for (size_t i = 0; ok && i < p->n_locations; i++) {
        struct prof_location *l = &p->locations[i];
        bool whole = names_mapping(&v, l);
        uint32_t n = l->n_lines;
        while (!whole && n && !names_line(&v, &p->lines[l->line_off + n - 1]))
            n--;
        if (!whole && !n) {
            location[i] = HIDDEN;
            continue;
        }
        l->n_lines = n;
        *matched = true;
    }
    ok = ok && drop_frames(p, &callers, kept, err) &&
         prof_keep_samples(p, kept, err);
    names_free(&v);
    free(location);
    free(kept);
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
static size_t beneath(const uint8_t *location, const uint32_t *stack, size_t n)
{
    while (n && location[stack[n - 1]] != PRUNE_NONE)
        n--;
    while (n && location[stack[n - 1]] == PRUNE_NONE)
        n--;
    if (n && location[stack[n - 1]] == PRUNE_CALLEES)
        n--;
    return n;
}

/*
 * How to prune.  location() drops lines of a location and returns a PRUNE_
 * value, by which stacks are judged.  leaf() returns how many of the n frames
 * of a stack to drop at the leaf.
 */
struct pruning {
    struct pruned_names names;
    uint8_t (*location)(struct profile *p, struct prof_location *l,
                        const uint8_t *function);
    size_t (*leaf)(const uint8_t *location, const uint32_t *stack, size_t n);
    uint8_t *found; /* by location: what location() returned */
    bool matched;
};

static size_t cut_leaf(void *ctx, uint32_t *frames, size_t n)
{
    const struct pruning *by = ctx;
    size_t cut = by->leaf(by->found, frames, n);
    if (cut)
        memmove(frames, frames + cut, (n - cut) * sizeof *frames);
    return n - cut;
}

static bool prune(struct profile *p, struct pruning *by, struct prof_err *err)
{
    uint8_t *seen = mem_zarray(p->strings.n, 1);
    uint8_t *function = mem_zarray(p->n_functions, 1);
    by->found = mem_zarray(p->n_locations, 1);
    bool ok = (seen && function && by->found) || err_nomem(err);

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
        by->found[i] = by->location(p, &p->locations[i], function);
        by->matched |= by->found[i] != PRUNE_NONE;
    }
    if (ok && by->matched) {
        ok = prof_unshare(p, err);
        if (ok)
            prof_edit_stacks(p, cut_leaf, by);
    }
    free(seen);
    free(function);
    free(by->found);
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
        return err_input(err, "%s: the regular expression '%s' contains NUL",
                         what, prof_show(p, id).text);
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
static size_t inside_allocator(const uint8_t *location, const uint32_t *stack,
                               size_t n)
{
    size_t i = 0;
    while (i < n && location[stack[i]] != PRUNE_NONE)
        i++;
    return i && i < n && location[stack[i - 1]] == PRUNE_CALLEES ? i : 0;
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
static size_t inside(const uint8_t *location, const uint32_t *stack, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (location[stack[i]] != PRUNE_NONE)
            return i;
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
