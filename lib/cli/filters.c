/* filters.c - parses options of filters and bases, and runs pbfilter */
#include <fnmatch.h>
#include <string.h>

#include "base/vec.h"
#include "cli/convert.h"
#include "cli/filters.h"
#include "cli/inspect.h"
#include "cli/private.h"
#include "report/report.h"

bool cli_take_filter(struct prof_filter_opts *o, int key, const char *value)
{
    const struct cli_place places[] = {
        {CLI_FOCUS, &o->focus, NULL},
        {CLI_IGNORE, &o->ignore, NULL},
        {CLI_HIDE, &o->hide, NULL},
        {CLI_SHOW, &o->show, NULL},
        {CLI_SHOW_FROM, &o->show_from, NULL},
        {CLI_PRUNE_FROM, &o->prune_from, NULL},
        {CLI_TAGFOCUS, &o->tagfocus, NULL},
        {CLI_TAGIGNORE, &o->tagignore, NULL},
        {CLI_TAGSHOW, &o->tagshow, NULL},
        {CLI_TAGHIDE, &o->taghide, NULL},
        {CLI_TAGROOT, &o->tagroot, NULL},
        {CLI_TAGLEAF, &o->tagleaf, NULL},
        {CLI_DROP_FRAMES, &o->drop_frames, NULL},
        {CLI_KEEP_FRAMES, &o->keep_frames, NULL},
    };
    return cli_store(places, sizeof places / sizeof *places, key,
                     value ? cli_given(value) : NULL);
}

bool cli_filter_unshares(const struct prof_filter_opts *o)
{
    return o->prune_from || o->tagroot || o->tagleaf;
}

bool cli_take_detail(struct prof_detail *detail, int key, const char *value,
                     bool *ok, struct prof_err *err)
{
    size_t i;
    *ok = true;
    if (key >= CLI_ADDRESSES && key <= CLI_BINARIES) {
        detail->granularity = (enum prof_granularity)(key - CLI_ADDRESSES);
        return true;
    }
    switch (key) {
    case CLI_GRANULARITY:
        *ok = !*value || cli_parse_word(CLI_GRANULARITIES, value, &i, err);
        if (*ok && *value)
            detail->granularity = (enum prof_granularity)i;
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

bool cli_take_pprof(const struct cli_pprof *pprof, int key, const char *value,
                    bool *ok, struct prof_err *err)
{
    static const struct {
        int key;
        const char *name;
    } types[] = {
        {CLI_INUSE_SPACE, "inuse_space"}, {CLI_INUSE_OBJECTS, "inuse_objects"},
        {CLI_ALLOC_SPACE, "alloc_space"}, {CLI_ALLOC_OBJECTS, "alloc_objects"},
        {CLI_CONTENTIONS, "contentions"}, {CLI_TOTAL_DELAY, "delay"},
        {CLI_MEAN_DELAY, "delay"},
    };
    *ok = true;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (key == types[i].key) {
            *pprof->sample_index = types[i].name;
            *pprof->mean |= key == CLI_MEAN_DELAY;
            return true;
        }
    switch (key) {
    case CLI_SYMBOLIZE:
        *ok = !*value || strcmp(value, "none") == 0 ||
              err_value(err, "expected 'none'; use pbsym to add symbols");
        return true;
    case CLI_MEAN:
        return *pprof->mean = true;
    case CLI_FAIL_EMPTY:
        return *pprof->fail_empty = true;
    case CLI_DIVIDE_BY:
        *ok = cli_parse_divisor(value, pprof->divide_by, err);
        return true;
    default:
        return false;
    }
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
    if (b->normalize && !b->paths.n)
        return err_set(err, PROF_ERR_USAGE,
                       "--normalize requires --base or "
                       "--diff-base (in pbcat; pbmerge has only --base)");
    if (b->only && !b->paths.n)
        return err_set(err, PROF_ERR_USAGE, "--base-types requires --base");
    return !b->only || !b->normalize ||
           err_options(err, "--base-types cannot be combined with --normalize");
}

struct profile *cli_bases_sum(const struct cli_bases *b, struct cli *cli)
{
    struct profile *base = NULL;
    struct prof_err err = {0};
    struct prof_merger *m =
        prof_merge_new(&(struct prof_merge_opts){.types = b->types}, &err);
    bool ok = m != NULL, read = true;
    for (size_t i = 0; ok && read && i < b->paths.n; i++) {
        struct profile *p = cli_read_file(cli, b->paths.v[i]);
        read = p != NULL;
        ok = !read || prof_merge_add(m, p, &err);
        if (!ok)
            err_prefix(&err, "%s: ", b->paths.v[i]);
        prof_delete(p);
    }
    if (ok && read)
        ok = (base = prof_merge_result(m, NULL, &err)) != NULL;
    if (!ok)
        cli_error(cli, NULL, &err);
    prof_merge_free(m);
    return base;
}

static bool is_same(const struct profile *p, uint32_t a,
                    const struct profile *q, uint32_t b)
{
    return slice_same(prof_get_string(p, a), prof_get_string(q, b));
}

/* Makes the main binary of *p, its first mapping, the first one of *out. */
static void keep_main_binary(const struct profile *p, struct profile *out)
{
    struct prof_counts n = prof_count(out);
    struct prof_mapping first = {0};
    uint32_t m = 0;
    if (!prof_count(p).mappings)
        return;
    const struct prof_mapping main = prof_get_mapping(p, 0);
    for (; m < n.mappings; m++) {
        first = prof_get_mapping(out, m);
        if (is_same(out, first.filename, p, main.filename) &&
            is_same(out, first.build_id, p, main.build_id))
            break;
    }
    if (!m || m == n.mappings)
        return;
    for (uint32_t i = m; i > 0; i--) {
        const struct prof_mapping before = prof_get_mapping(out, i - 1);
        prof_set_mapping(out, i, &before);
    }
    prof_set_mapping(out, 0, &first);
    for (size_t i = 0; i < n.locations; i++) {
        struct prof_location l = prof_get_location(out, i);
        if (l.mapping == m)
            l.mapping = 0;
        else if (l.mapping < m)
            l.mapping++;
        prof_set_location(out, i, &l);
    }
}

/* Returns 1 if the pattern matches NAME or NAME/UNIT, else 0; -1: no memory. */
static int matches_type(const char *pattern, const struct profile *p,
                        struct prof_value_type type)
{
    const char *name = prof_plain(p, type.type);
    char *both = str_printf("%s/%s", name, prof_plain(p, type.unit));
    int found = !both ? -1
                      : fnmatch(pattern, name, 0) == 0 ||
                            fnmatch(pattern, both, 0) == 0;
    free(both);
    return found;
}

static bool refuse_pattern(const char *pattern, const struct profile *base,
                           struct prof_err *err)
{
    struct buf names = {0};
    bool ok = true;
    for (size_t i = 0; ok && i < prof_count(base).types; i++) {
        const struct prof_value_type type = prof_get_type(base, i);
        ok = buf_printf(&names, "%s%s/%s", i ? ", " : "",
                        prof_plain(base, type.type),
                        prof_plain(base, type.unit));
    }
    if (ok && buf_putc(&names, 0))
        err_input(err,
                  "--base-types=%s matches no sample type of the base: "
                  "expected one of %s",
                  pattern, (const char *)names.v);
    else
        err_nomem(err);
    buf_free(&names);
    return false;
}

/* Sets values of types that do not match to 0: they are not subtracted. */
static bool select_types(const char *pattern, struct profile *base,
                         struct prof_err *err)
{
    const struct prof_counts n = prof_count(base);
    bool any = false;
    for (size_t i = 0; i < n.types; i++) {
        int found = matches_type(pattern, base, prof_get_type(base, i));
        if (found < 0)
            return err_nomem(err);
        any |= found;
        for (size_t s = 0; !found && s < n.samples; s++)
            prof_edit_values(base, s)[i] = 0;
    }
    return any || refuse_pattern(pattern, base, err);
}

bool cli_bases_subtract(const struct cli_bases *b, struct profile **p,
                        struct profile *base, struct prof_err *err)
{
    struct profile *out = NULL;
    const struct prof_result_opts result = {.threads = b->threads,
                                            .to_write = b->to_write};
    struct prof_merger *m =
        prof_merge_new(&(struct prof_merge_opts){.types = b->types}, err);
    bool ok = m &&
              (!b->diff ||
               prof_set_label(base, GRAPH_BASE_KEY, GRAPH_BASE_VALUE, err)) &&
              (!b->normalize || prof_normalize(*p, base, err)) &&
              (!b->only || select_types(b->only, base, err)) &&
              prof_merge_add(m, *p, err) && prof_merge_subtract(m, base, err) &&
              (out = prof_merge_result(m, &result, err));
    prof_merge_free(m);
    if (!ok)
        return false;
    if (!b->to_write)
        keep_main_binary(*p, out);
    prof_delete(*p);
    *p = out;
    return true;
}

/* The filter of one thread. */
struct filtering {
    struct cli_filtering *opts;
    struct prof_filter *filter;
    struct anonymizer *anonymizer; /* or null */
};

/* Selects and divides values, and merges equal samples for writing. */
static bool finish_values(const struct filtering *t, struct profile *p,
                          unsigned threads, struct prof_err *err)
{
    struct prof_result_opts compact = {.threads = threads, .keep_order = true};
    size_t index = 0;
    if ((t->opts->sample_index || t->opts->mean) &&
        !prof_pick_type(p, t->opts->sample_index, &index, err))
        return false;
    if (t->opts->mean) {
        /* The mean is over equal samples, so merge them first. */
        if (!prof_merge_one(p, &compact, err) || !prof_mean(p, index, err))
            return false;
    } else if (t->opts->sample_index) {
        prof_keep_type(p, index);
    }
    compact.to_write = true;
    return (!t->opts->divide_by || prof_divide(p, t->opts->divide_by, err)) &&
           prof_merge_one(p, &compact, err);
}

/* Applies all options to *p: first what filters need, names and stacks. */
static bool filter_profile(void *worker, struct profile *p,
                           const struct conversion_job *job,
                           struct prof_err *err)
{
    const struct filtering *t = worker;
    const struct prof_notes *notes = job->notes;
    const struct prof_estimate_opts estimate = {
        .max_stacks =
            t->opts->max_stacks ? t->opts->max_stacks : PROF_MAX_STACKS,
        .notes = notes};
    struct cli_privacy *privacy = &t->opts->privacy;
    size_t restored = 0;
    if (privacy->names && !name_map_restore(privacy->names, p, &restored, err))
        return false;
    (void)atomic_fetch_add(&privacy->restored, restored);
    if (t->opts->estimate && !prof_estimate(p, &estimate, err))
        return false;
    if (!prof_filter_run(t->filter, p, notes, err) ||
        (t->opts->trim_path &&
         !prof_trim_paths(p, t->opts->trim_path, NULL, err)))
        return false;
    if (!prof_aggregate(p, &t->opts->detail, err) ||
        (t->anonymizer && !anonymize(t->anonymizer, p, err)))
        return false;
    if (t->opts->comment && !prof_add_comment(p, t->opts->comment, err))
        return false;
    if ((t->opts->keep_types &&
         !filter_keep_types(p, t->opts->keep_types, notes, err)) ||
        (t->opts->renamings.n &&
         !filter_rename_types(p, t->opts->renamings.v, t->opts->renamings.n,
                              err)))
        return false;
    if (!finish_values(t, p, job->threads, err))
        return false;
    return !t->opts->fail_empty || prof_count(p).samples ||
           err_set(err, PROF_ERR_ANSWER_NO, "no samples left after filtering");
}

static bool begin(void *worker, void *ctx, struct prof_err *err)
{
    struct cli_filtering *opts = ctx;
    struct prof_filter_opts filter = opts->filter;
    struct filtering *t = worker;
    filter.zero = true;
    *t = (struct filtering){opts, prof_filter_new(&filter, err), NULL};
    return t->filter &&
           (!opts->privacy.all ||
            (t->anonymizer = anonymizer_new(opts->privacy.all, err)));
}

static void end(void *worker)
{
    struct filtering *t = worker;
    prof_filter_free(t->filter);
    anonymizer_free(t->anonymizer);
}

void cli_filter_inputs(struct cli *cli, struct cli_filtering *opts)
{
    static const struct changer changer = {sizeof(struct filtering), begin, end,
                                           filter_profile};
    struct prof_err err;
    opts->filter.threads = cli->each ? 1 : cli->threads;
    /* The profile's drop_frames would not match pseudonyms: apply it now. */
    opts->filter.prune |= opts->privacy.anonymize;
    /* Finds errors in expressions before any input is read. */
    struct filtering t = {0};
    if (!cli_privacy_begin(&opts->privacy, cli, &err) ||
        !begin(&t, opts, &err)) {
        cli_error(cli, NULL, &err);
    } else if (cli->each) {
        cli_change_each(cli, &changer, opts);
        (void)cli_privacy_report(&opts->privacy, cli);
    } else {
        const struct conversion_job all = {.threads = cli->threads,
                                           .notes = &cli->notes};
        cli->shares_stacks =
            !opts->estimate && !cli_filter_unshares(&opts->filter);
        struct profile *p =
            opts->repair ? cli_read_repaired(cli) : cli_read_profile(cli);
        if (p && !filter_profile(&t, p, &all, &err))
            cli_error(cli, cli_only_input(cli), &err);
        else if (p && cli_privacy_report(&opts->privacy, cli))
            (void)cli_write_profile(cli, p);
        prof_delete(p);
    }
    end(&t);
    cli_privacy_end(&opts->privacy);
}
