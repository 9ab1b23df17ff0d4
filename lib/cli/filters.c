/* filters.c - options of filters and bases, and the work of pbfilter */
#include <stdlib.h>
#include <string.h>

#include "cli/filters.h"
#include "cli/inspect.h"
#include "profile/estimate/estimate.h"
#include "profile/filter/filter.h"
#include "profile/merge/merge.h"
#include "profile/model/labelset.h"
#include "profile/model/text.h"
#include "profile/model/values.h"

/* Where the value of an option goes, or null. */
static const char **value_of_option(struct prof_filter_opts *o, int key)
{
    switch (key) {
    case CLI_FOCUS:
        return &o->focus;
    case CLI_IGNORE:
        return &o->ignore;
    case CLI_HIDE:
        return &o->hide;
    case CLI_SHOW:
        return &o->show;
    case CLI_SHOW_FROM:
        return &o->show_from;
    case CLI_PRUNE_FROM:
        return &o->prune_from;
    case CLI_TAGFOCUS:
        return &o->tagfocus;
    case CLI_TAGIGNORE:
        return &o->tagignore;
    case CLI_TAGSHOW:
        return &o->tagshow;
    case CLI_TAGHIDE:
        return &o->taghide;
    case CLI_TAGROOT:
        return &o->tagroot;
    case CLI_TAGLEAF:
        return &o->tagleaf;
    case CLI_DROP_FRAMES:
        return &o->drop_frames;
    case CLI_KEEP_FRAMES:
        return &o->keep_frames;
    default:
        return NULL;
    }
}

bool cli_take_filter(struct prof_filter_opts *opts, int key, const char *value)
{
    const char **slot = value_of_option(opts, key);
    if (!slot)
        return false;
    *slot = *value ? value : NULL;
    return true;
}

bool cli_take_detail(struct prof_detail *detail, int key, const char *value,
                     bool *ok, struct prof_err *err)
{
    size_t i;
    *ok = true;
    switch (key) {
    case CLI_GRANULARITY:
        *ok = !*value || cli_parse_word(CLI_GRANULARITIES, value, &i, err);
        if (*ok && *value)
            detail->granularity = (enum prof_granularity)i;
        return true;
    case CLI_ADDRESSES:
        detail->granularity = PROF_ADDRESSES;
        return true;
    case CLI_LINES:
        detail->granularity = PROF_LINES;
        return true;
    case CLI_FUNCTIONS:
        detail->granularity = PROF_FUNCTIONS;
        return true;
    case CLI_FILEFUNCTIONS:
        detail->granularity = PROF_FILEFUNCTIONS;
        return true;
    case CLI_FILES:
        detail->granularity = PROF_FILES;
        return true;
    case CLI_BINARIES:
        detail->granularity = PROF_BINARIES;
        return true;
    case CLI_NO_INLINES:
    case CLI_INLINES:
        detail->no_inlines = key == CLI_NO_INLINES;
        return true;
    case CLI_SHOWCOLUMNS:
        return detail->show_columns = true;
    default:
        return false;
    }
}

/* The sample type that the option stands for, or null. */
static const char *type_of_option(int key)
{
    switch (key) {
    case CLI_INUSE_SPACE:
        return "inuse_space";
    case CLI_INUSE_OBJECTS:
        return "inuse_objects";
    case CLI_ALLOC_SPACE:
        return "alloc_space";
    case CLI_ALLOC_OBJECTS:
        return "alloc_objects";
    case CLI_CONTENTIONS:
        return "contentions";
    case CLI_TOTAL_DELAY:
    case CLI_MEAN_DELAY:
        return "delay";
    default:
        return NULL;
    }
}

bool cli_take_pprof(const struct cli_pprof *pprof, int key, const char *value,
                    bool *ok, struct prof_err *err)
{
    const char *type = type_of_option(key);
    *ok = true;
    if (key == CLI_SYMBOLIZE) {
        *ok = !*value || strcmp(value, "none") == 0 ||
              err_value(err, "expected 'none'; use pbsym to add symbols");
        return true;
    }
    if (!type)
        return false;
    *pprof->sample_index = type;
    *pprof->mean |= key == CLI_MEAN_DELAY;
    return true;
}

bool cli_bases_add(struct cli_bases *b, const char *path, bool diff,
                   struct prof_err *err)
{
    if (b->paths.n && b->diff != diff)
        return err_options(err, "--base cannot be combined with --diff-base");
    b->diff = diff;
    return vec_push(&b->paths, path) || err_nomem(err);
}

bool cli_bases_check(const struct cli_bases *b, struct prof_err *err)
{
    return !b->normalize || b->paths.n ||
           err_set(err, PROF_ERR_USAGE, "--normalize requires --base");
}

bool cli_bases_sum(const struct cli_bases *b, struct cli *cli,
                   struct profile *base)
{
    struct prof_err err = {0};
    struct prof_merger *m =
        prof_merge_new(&(struct prof_merge_opts){.types = b->types}, &err);
    bool ok = m != NULL, read = true;
    for (size_t i = 0; ok && read && i < b->paths.n; i++) {
        struct profile p = {0};
        read = cli_read_file(cli, b->paths.v[i], &p);
        ok = !read || prof_merge_add(m, &p, &err);
        if (!ok)
            err_prefix(&err, "%s: ", b->paths.v[i]);
        prof_free(&p);
    }
    ok = ok && (!read || prof_merge_finish(m, 1, base, NULL, &err));
    if (!ok)
        cli_error(cli, NULL, &err);
    prof_merge_free(m);
    return ok && read;
}

/* The main binary of *out becomes that of *p, which is among its mappings. */
static void keep_main_binary(const struct profile *p, struct profile *out)
{
    const struct prof_mapping *main = p->mappings;
    uint32_t m = 0;
    while (
        m < out->n_mappings && p->n_mappings &&
        (!prof_same_text(out, out->mappings[m].filename, p, main->filename) ||
         !prof_same_text(out, out->mappings[m].build_id, p, main->build_id)))
        m++;
    if (!m || m == out->n_mappings)
        return;
    struct prof_mapping first = out->mappings[m];
    memmove(out->mappings + 1, out->mappings, m * sizeof first);
    out->mappings[0] = first;
    for (size_t i = 0; i < out->n_locations; i++) {
        uint32_t *at = &out->locations[i].mapping;
        if (*at == m)
            *at = 0;
        else if (*at < m)
            ++*at;
    }
}

bool cli_bases_subtract(const struct cli_bases *b, struct profile *p,
                        struct profile *base, struct prof_layout *layout,
                        struct prof_err *err)
{
    struct profile out = {0};
    struct prof_merger *m =
        prof_merge_new(&(struct prof_merge_opts){.types = b->types}, err);
    bool ok = m &&
              (!b->diff ||
               prof_set_label(base, PROF_BASE_KEY, PROF_BASE_VALUE, err)) &&
              (!b->normalize || prof_normalize(p, base, err)) &&
              prof_merge_add(m, p, err) && prof_merge_subtract(m, base, err) &&
              prof_merge_finish(m, b->threads, &out, layout, err);
    prof_merge_free(m);
    if (!ok) {
        prof_free(&out);
        return false;
    }
    if (!layout)
        keep_main_binary(p, &out);
    prof_free(p);
    *p = out;
    return true;
}

struct filtering {
    struct cli *cli;
    const struct cli_filtering *opts;
};

/* The filtered profile, and the layout to write it by. */
struct result {
    struct profile p;
    struct prof_layout layout;
};

/* Chooses and divides values, then compacts; *p is used up. */
static bool finish_values(const struct filtering *t, struct profile *p,
                          struct result *out, struct prof_err *err)
{
    size_t index = 0;
    if ((t->opts->sample_index || t->opts->mean) &&
        !prof_pick_type(p, t->opts->sample_index, &index, err))
        return false;
    if (t->opts->mean) {
        /* The mean is that of equal samples: first sum them up. */
        bool ok = prof_compact(p, t->cli->threads, &out->p, NULL, err) &&
                  prof_mean(&out->p, index, err);
        prof_free(p);
        *p = out->p;
        memset(&out->p, 0, sizeof out->p);
        if (!ok)
            return false;
    } else if (t->opts->sample_index) {
        prof_keep_type(p, index);
    }
    return (!t->opts->divide_by || prof_divide(p, t->opts->divide_by, err)) &&
           prof_compact(p, t->cli->threads, &out->p, &out->layout, err);
}

/* Replaces *p by a profile with estimated stacks. */
static bool estimate_stacks(const struct filtering *t, struct profile *p,
                            struct prof_err *err)
{
    const struct prof_estimate_opts opts = {
        .max_stacks =
            t->opts->max_stacks ? t->opts->max_stacks : PROF_MAX_STACKS,
        .notes = &t->cli->notes};
    struct profile stacks;
    bool ok = prof_estimate_stacks(p, &opts, &stacks, err);
    prof_free(p);
    *p = stacks;
    return ok;
}

/* Filters need stacks, so the estimate comes first. */
static bool filter_profile(const struct filtering *t, struct prof_filter *f,
                           struct profile *p, struct result *out,
                           struct prof_err *err)
{
    const struct prof_notes *notes = &t->cli->notes;
    if (t->opts->estimate && !estimate_stacks(t, p, err))
        return false;
    if (!prof_filter_run(f, p, notes, err) ||
        (t->opts->trim_path &&
         !prof_trim_paths(p, t->opts->trim_path, NULL, err)))
        return false;
    if (!prof_aggregate(p, &t->opts->detail, err))
        return false;
    if (t->opts->comment && !prof_add_comment(p, t->opts->comment, err))
        return false;
    if (!finish_values(t, p, out, err))
        return false;
    return !t->opts->fail_empty || out->layout.n_order ||
           err_set(err, PROF_ERR_ANSWER_NO, "no samples left");
}

void cli_filter_inputs(struct cli *cli, const struct cli_filtering *opts)
{
    const struct filtering t = {.cli = cli, .opts = opts};
    struct prof_filter_opts filter = opts->filter;
    struct profile p;
    struct result out = {0};
    struct prof_err err;
    filter.threads = cli->threads;
    filter.zero = true;
    struct prof_filter *f = prof_filter_new(&filter, &err);
    if (!f) {
        cli_error(cli, NULL, &err);
        return;
    }
    if (opts->repair ? cli_read_repaired(cli, &p) : cli_read_profile(cli, &p)) {
        if (filter_profile(&t, f, &p, &out, &err))
            (void)cli_write_profile(cli, &out.p, &out.layout);
        else
            cli_error(cli, cli_only_input(cli), &err);
    }
    prof_free(&p);
    prof_free(&out.p);
    prof_layout_free(&out.layout);
    prof_filter_free(f);
}
