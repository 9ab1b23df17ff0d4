#include "profile/filter/framefilter.h"

#include <stdlib.h>
#include <string.h>

#include "base/parallel.h"
#include "base/vec.h"
#include "profile/filter/names.h"
#include "profile/filter/samplepass.h"

/* Verdicts on a location. */
enum { FOCUSED = 1, IGNORED = 2, HIDDEN = 4, SHOWN_FROM = 8 };

enum { PIECE = 1 << 12 }; /* samples that are judged at a time */

struct filtering {
    struct profile *p;
    const struct frame_filter *f;
    struct name_verdicts focus, ignore, hide, show;
    uint8_t *location; /* verdicts, or-ed */
    uint8_t *sample;   /* those of its frames, or-ed, up to one of: */
    uint8_t enough;    /* verdicts after which no other frame matters */
    bool zero;         /* those that go get values of 0 instead */
    struct frame_matches *matched;
};

/* Keeps the lines on which the verdict is `wanted`, or that name nothing. */
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

static void hide(struct filtering *w, size_t i)
{
    struct prof_location *l = &w->p->locations[i];
    if (!names_location(&w->hide, w->p, l))
        return;
    w->matched->hide = true;
    if (names_mapping(&w->hide, l))
        l->n_lines = 0;
    keep_lines(w->p, l, &w->hide, false);
    if (!l->n_lines)
        w->location[i] |= HIDDEN;
}

static void show(struct filtering *w, size_t i)
{
    struct prof_location *l = &w->p->locations[i];
    if (!names_mapping(&w->show, l))
        keep_lines(w->p, l, &w->show, true);
    if (l->n_lines)
        w->matched->show = true;
    else
        w->location[i] |= HIDDEN;
}

/* The verdicts on location i; its lines are thinned out on the way. */
static void judge(struct filtering *w, size_t i)
{
    const struct prof_location *l = &w->p->locations[i];
    if (w->f->ignore && names_location(&w->ignore, w->p, l)) {
        w->matched->ignore = true;
        w->location[i] |= IGNORED;
    } else if (!w->f->focus || names_location(&w->focus, w->p, l)) {
        w->matched->focus = true;
        w->location[i] |= FOCUSED;
    }
    if (w->f->hide)
        hide(w, i);
    if (w->f->show)
        show(w, i);
}

static bool is_kept(uint8_t verdict)
{
    return (verdict & FOCUSED) && !(verdict & IGNORED);
}

/*
 * To read frames takes longest, and is handed out.  Callers are in more
 * samples than what they call, so what is looked for is sooner found from the
 * root.
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

/* Takes hidden frames out of a stack; returns how many are left. */
static size_t hide_frames(const struct filtering *w, uint32_t *stack,
                          size_t depth)
{
    size_t n = 0;
    for (size_t i = 0; i < depth; i++)
        if (!(w->location[stack[i]] & HIDDEN))
            stack[n++] = stack[i];
    return n;
}

static void filter_samples(const struct filtering *w)
{
    struct sample_pass pass = sample_pass_begin(w->p);
    while (sample_pass_next(&pass)) {
        uint8_t verdict = w->sample[pass.sample];
        if (!is_kept(verdict))
            continue;
        size_t n = pass.depth;
        if (verdict & HIDDEN)
            n = hide_frames(w, pass.stack, n);
        if (n)
            sample_pass_keep(&pass, pass.stack, n);
    }
    sample_pass_end(&pass);
}

static bool match_all(struct filtering *w, struct err *err)
{
    const struct {
        struct regex *re;
        struct name_verdicts *v;
    } each[] = {
        {w->f->focus, &w->focus},
        {w->f->ignore, &w->ignore},
        {w->f->hide, &w->hide},
        {w->f->show, &w->show},
    };
    for (size_t i = 0; i < sizeof each / sizeof *each; i++)
        if (each[i].re && !names_match(w->p, each[i].re, each[i].v, err))
            return false;
    return true;
}

bool prof_filter_frames(struct profile *p, const struct frame_filter *f,
                        struct frame_matches *matched, struct err *err)
{
    struct filtering w = {.p = p, .f = f, .matched = matched};
    w.zero = f->zero && !f->hide && !f->show;
    w.enough = f->ignore || f->hide || f->show ? IGNORED : FOCUSED;
    *matched = (struct frame_matches){0};
    if (!f->focus && !f->ignore && !f->hide && !f->show)
        return true;
    w.location = mem_zarray(p->n_locations, 1);
    w.sample = mem_array(p->n_samples, 1);
    bool ok = w.location && w.sample ? match_all(&w, err) : err_nomem(err);
    if (ok) {
        for (size_t i = 0; i < p->n_locations; i++)
            judge(&w, i);
        parallel_run(f->threads, p->n_samples / PIECE + 1, judge_samples, &w);
        if (!w.zero)
            filter_samples(&w);
    }
    names_free(&w.focus);
    names_free(&w.ignore);
    names_free(&w.hide);
    names_free(&w.show);
    free(w.location);
    free(w.sample);
    return ok;
}

/* True when frames outside of this location are to go. */
static bool shows_from(struct profile *p, struct prof_location *l,
                       const struct name_verdicts *v)
{
    if (names_mapping(v, l))
        return true;
    for (uint32_t n = l->n_lines; n; n--)
        if (names_line(v, &p->lines[l->line_off + n - 1])) {
            l->n_lines = n;
            return true;
        }
    return false;
}

bool prof_show_from(struct profile *p, struct regex *re, bool *matched,
                    struct err *err)
{
    struct name_verdicts v = {0};
    uint8_t *location = mem_zarray(p->n_locations, 1);
    bool ok = location ? names_match(p, re, &v, err) : err_nomem(err);
    *matched = false;
    for (size_t i = 0; ok && i < p->n_locations; i++)
        if (shows_from(p, &p->locations[i], &v)) {
            location[i] = SHOWN_FROM;
            *matched = true;
        }
    struct sample_pass pass = sample_pass_begin(p);
    while (ok && sample_pass_next(&pass)) {
        size_t n = pass.depth;
        while (n && !location[pass.stack[n - 1]])
            n--;
        if (n)
            sample_pass_keep(&pass, pass.stack, n);
    }
    if (ok)
        sample_pass_end(&pass);
    names_free(&v);
    free(location);
    return ok;
}
