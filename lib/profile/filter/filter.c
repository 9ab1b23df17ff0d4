/* filter.c - applies all filters, in pprof's order */
#include "base/vec.h"
#include "profile/columns.h"

#include <stdlib.h>
#include <string.h>

#include "profile/filter/private.h"

struct prof_filter {
    struct prof_filter_opts opts;
    struct frame_filter frames;
    struct regex *prune_from, *drop, *keep, *tagshow, *taghide;
    struct tag_filter *tagfocus, *tagignore;
};

/* Compiles the expression of an option.  A null pattern leaves *re as it is. */
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

struct prof_filter *prof_filter_new(const struct prof_filter_opts *o,
                                    struct prof_err *err)
{
    struct prof_filter *f = mem_new(sizeof *f, err);
    if (!f)
        return NULL;
    f->opts = *o;
    f->frames.threads = o->threads;
    if (compile(&f->frames.focus, "--focus", o->focus, err) &&
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
        compile_tag(&f->tagignore, "--tagignore", o->tagignore, err))
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
        note_warn(notes, "--%s: regular expression matched no samples", option);
}

/*
 * Like warn_no_match(), but explains a range that matched nothing: ranges do
 * not match numbers in string labels.
 */
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

bool prof_filter_prepare(struct prof_filter *f, struct profile *p,
                         const struct prof_notes *notes, struct prof_err *err)
{
    const struct prof_filter_opts *o = &f->opts;
    struct label_frames frames = {.root_keys = o->tagroot,
                                  .leaf_keys = o->tagleaf,
                                  .unit = o->unit ? o->unit : "minimum"};
    /* Use the given drop_frames and keep_frames, else the profile's own. */
    if ((o->prune || f->drop || f->keep) &&
        !prof_prune(p, f->drop, f->keep, err))
        return false;
    if (!prof_label_frames(p, &frames, err))
        return false;
    warn_no_match(notes, o->tagroot, frames.rooted, "tagroot");
    warn_no_match(notes, o->tagleaf, frames.leafed, "tagleaf");
    return true;
}

bool prof_filter_apply(struct prof_filter *f, struct profile *p,
                       const struct prof_notes *notes, struct prof_err *err)
{
    /*
     * Frames.  The values of dropped samples can be set to 0 instead if no
     * other filter reads samples.
     */
    struct frame_filter *frames = &f->frames;
    struct frame_matches frame;
    frames->zero = f->opts.zero && !f->tagfocus && !f->tagignore &&
                   !f->tagshow && !f->taghide && !f->prune_from;
    if (!prof_filter_frames(p, frames, &frame, err))
        return false;
    warn_no_match(notes, frames->focus, frame.focus, "focus");
    warn_no_match(notes, frames->ignore, frame.ignore, "ignore");
    warn_no_match(notes, frames->hide, frame.hide, "hide");
    warn_no_match(notes, frames->show, frame.show, "show");
    warn_no_match(notes, frames->show_from, frame.show_from, "show-from");

    /* Samples by label. */
    struct tag_choice tag = {.focus = f->tagfocus, .ignore = f->tagignore};
    if ((f->tagfocus || f->tagignore) && !prof_filter_tags(p, &tag, notes, err))
        return false;
    warn_no_tag(notes, f->tagfocus, tag.focused, "tagfocus");
    warn_no_tag(notes, f->tagignore, tag.ignored, "tagignore");

    /* Labels by key. */
    struct label_choice label = {.show = f->tagshow, .hide = f->taghide};
    if (!prof_filter_labels(p, &label, err))
        return false;
    warn_no_match(notes, f->tagshow, label.shown, "tagshow");
    warn_no_match(notes, f->taghide, label.hidden, "taghide");

    /* Prune the callees of a function; drop all labels and comments. */
    bool pruned;
    if (f->prune_from) {
        if (!prof_prune_from(p, f->prune_from, &pruned, err))
            return false;
        warn_no_match(notes, f->prune_from, pruned, "prune-from");
    }
    if (f->opts.drop_labels && p->n_samples)
        memset(p->labelset, 0, p->n_samples * sizeof *p->labelset);
    if (f->opts.drop_comments)
        p->n_comments = 0;
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
