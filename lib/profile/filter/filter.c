/* filter.c - all filters, in pprof's order */
#include "profile/filter/filter.h"

#include <stdlib.h>
#include <string.h>

#include "profile/filter/private.h"

struct prof_filter {
    struct prof_filter_opts opts;
    struct frame_filter frames;
    struct regex *prune_from, *drop, *keep, *tagshow, *taghide;
    struct tag_filter *tagfocus, *tagignore;
};

/* An expression of an option; not given is null, which is fine. */
static bool compile(struct regex **re, const char *option, const char *pattern,
                    struct prof_err *err)
{
    return !pattern || regex_new(re, pattern, option, PROF_ERR_USAGE, err);
}

static bool compile_names(struct regex **re, const char *option,
                          const char *pattern, struct prof_err *err)
{
    return !pattern || prune_regex(re, pattern, option, PROF_ERR_USAGE, err);
}

static bool compile_tag(struct tag_filter **f, const char *option,
                        const char *expr, struct prof_err *err)
{
    return !expr || tag_filter_new(f, expr, option, err);
}

static bool init(struct prof_filter *f, const struct prof_filter_opts *o,
                 struct prof_err *err)
{
    f->opts = *o;
    f->frames.threads = o->threads;
    return compile(&f->frames.focus, "--focus", o->focus, err) &&
           compile(&f->frames.ignore, "--ignore", o->ignore, err) &&
           compile(&f->frames.hide, "--hide", o->hide, err) &&
           compile(&f->frames.show, "--show", o->show, err) &&
           compile(&f->frames.show_from, "--show-from", o->show_from, err) &&
           compile(&f->prune_from, "--prune-from", o->prune_from, err) &&
           compile(&f->tagshow, "--tagshow", o->tagshow, err) &&
           compile(&f->taghide, "--taghide", o->taghide, err) &&
           compile_names(&f->drop, "--drop-frames", o->drop_frames, err) &&
           compile_names(&f->keep, "--keep-frames", o->keep_frames, err) &&
           compile_tag(&f->tagfocus, "--tagfocus", o->tagfocus, err) &&
           compile_tag(&f->tagignore, "--tagignore", o->tagignore, err);
}

struct prof_filter *prof_filter_new(const struct prof_filter_opts *opts,
                                    struct prof_err *err)
{
    struct prof_filter *f = calloc(1, sizeof *f);
    if (f ? init(f, opts, err) : err_nomem(err))
        return f;
    prof_filter_free(f);
    return NULL;
}

void prof_filter_free(struct prof_filter *f)
{
    if (!f)
        return;
    regex_free(f->frames.focus);
    regex_free(f->frames.ignore);
    regex_free(f->frames.hide);
    regex_free(f->frames.show);
    regex_free(f->frames.show_from);
    regex_free(f->prune_from);
    regex_free(f->drop);
    regex_free(f->keep);
    regex_free(f->tagshow);
    regex_free(f->taghide);
    tag_filter_free(f->tagfocus);
    tag_filter_free(f->tagignore);
    free(f);
}

const struct prof_filter_opts *prof_filter_options(const struct prof_filter *f)
{
    return &f->opts;
}

/* Warns of a filter that was given and matched nothing. */
static void warn_no_match(const struct prof_notes *notes, const void *given,
                          bool matched, const char *option)
{
    if (given && !matched)
        note_warn(notes, "--%s: expression matched no samples", option);
}

/* A number in a string label is one that a range does not match. */
static void warn_no_tag(const struct prof_notes *notes,
                        const struct tag_filter *f, bool matched,
                        const char *option)
{
    const char *range = f ? tag_filter_range(f) : NULL;
    if (range && !matched)
        note_warn(
            notes,
            "--%s: range '%s' matched no samples; to match string labels, "
            "write '^%s$'",
            option, range, range);
    else
        warn_no_match(notes, f, matched, option);
}

/* drop_frames and keep_frames: those given, else the profile's own. */
static bool drop_frames(struct prof_filter *f, struct profile *p,
                        struct prof_err *err)
{
    return (!f->opts.prune && !f->drop && !f->keep) ||
           prof_prune(p, f->drop, f->keep, err);
}

bool prof_filter_prepare(struct prof_filter *f, struct profile *p,
                         const struct prof_notes *notes, struct prof_err *err)
{
    const struct prof_filter_opts *o = &f->opts;
    struct label_frames frames = {.root_keys = o->tagroot,
                                  .leaf_keys = o->tagleaf,
                                  .unit = o->unit ? o->unit : "minimum"};
    if (!drop_frames(f, p, err) || !prof_label_frames(p, &frames, err))
        return false;
    warn_no_match(notes, o->tagroot, frames.rooted, "tagroot");
    warn_no_match(notes, o->tagleaf, frames.leafed, "tagleaf");
    return true;
}

/* Whether other filters read samples when those on frames are done. */
static bool reads_samples(const struct prof_filter *f)
{
    return f->tagfocus || f->tagignore || f->tagshow || f->taghide ||
           f->prune_from;
}

static bool filter_frames(struct prof_filter *f, struct profile *p,
                          const struct prof_notes *notes, struct prof_err *err)
{
    const struct frame_filter *by = &f->frames;
    struct frame_matches m;
    f->frames.zero = f->opts.zero && !reads_samples(f);
    if (!prof_filter_frames(p, by, &m, err))
        return false;
    warn_no_match(notes, by->focus, m.focus, "focus");
    warn_no_match(notes, by->ignore, m.ignore, "ignore");
    warn_no_match(notes, by->hide, m.hide, "hide");
    warn_no_match(notes, by->show, m.show, "show");
    warn_no_match(notes, by->show_from, m.show_from, "show-from");
    return true;
}

static bool filter_tags(struct prof_filter *f, struct profile *p,
                        const struct prof_notes *notes, struct prof_err *err)
{
    struct tag_choice choice = {.focus = f->tagfocus, .ignore = f->tagignore};
    if (!f->tagfocus && !f->tagignore)
        return true;
    if (!prof_filter_tags(p, &choice, notes, err))
        return false;
    warn_no_tag(notes, f->tagfocus, choice.focused, "tagfocus");
    warn_no_tag(notes, f->tagignore, choice.ignored, "tagignore");
    return true;
}

static bool filter_labels(struct prof_filter *f, struct profile *p,
                          const struct prof_notes *notes, struct prof_err *err)
{
    struct label_choice choice = {.show = f->tagshow, .hide = f->taghide};
    if (!prof_filter_labels(p, &choice, err))
        return false;
    warn_no_match(notes, f->tagshow, choice.shown, "tagshow");
    warn_no_match(notes, f->taghide, choice.hidden, "taghide");
    return true;
}

bool prof_filter_apply(struct prof_filter *f, struct profile *p,
                       const struct prof_notes *notes, struct prof_err *err)
{
    bool pruned;
    if (!filter_frames(f, p, notes, err) || !filter_tags(f, p, notes, err) ||
        !filter_labels(f, p, notes, err))
        return false;
    if (f->prune_from) {
        if (!prof_prune_from(p, f->prune_from, &pruned, err))
            return false;
        warn_no_match(notes, f->prune_from, pruned, "prune-from");
    }
    if (f->opts.drop_labels && p->n_samples)
        memset(p->labelset, 0, p->n_samples * sizeof *p->labelset);
    return true;
}

bool prof_filter_run(struct prof_filter *f, struct profile *p,
                     const struct prof_notes *notes, struct prof_err *err)
{
    return prof_filter_prepare(f, p, notes, err) &&
           prof_filter_apply(f, p, notes, err);
}

bool prof_filter(struct profile *p, const struct prof_filter_opts *opts,
                 const struct prof_notes *notes, struct prof_err *err)
{
    struct prof_filter *f = prof_filter_new(opts, err);
    bool ok = f && prof_filter_run(f, p, notes, err);
    prof_filter_free(f);
    return ok;
}
