/* folded2pb - folded stacks to profile.proto; see folded2pb(1) */
#include <string.h>

#include "base/vec.h"
#include "cli/convert.h"
#include "cli/isolate.h"
#include "import/folded/folded.h"
#include "profile/merge/merge.h"

enum {
    KEY_SAMPLE_TYPES = 256,
    KEY_NO_COUNTS,
    KEY_ANNOTATIONS,
    KEY_ROOT_LABEL,
};

static const struct cli_option options[] = {
    {"sample-types", KEY_SAMPLE_TYPES, "LIST",
     "what the numbers of a line are, as alloc/bytes,calls"},
    {"no-counts", KEY_NO_COUNTS, NULL, "lines have no number, each is one"},
    {"annotations", KEY_ANNOTATIONS, NULL,
     "take _[i], _[k], _[j] off names for what they mean"},
    {"root-label", KEY_ROOT_LABEL, "KEY",
     "make the first frame of each stack a label"},
    {0},
};

struct job {
    struct cli cli;
    struct folded_opts opts;
    VEC(struct folded_type) types;
    struct merger *merger;
};

static struct slice slice_of(const char *s, size_t n)
{
    return (struct slice){s, n};
}

static bool is_same(struct slice a, struct slice b)
{
    return a.n == b.n && memcmp(a.s, b.s, a.n) == 0;
}

/* NAME or NAME/UNIT, of n bytes. */
static bool take_type(struct job *job, const char *s, size_t n, struct err *err)
{
    const char *slash = memchr(s, '/', n);
    size_t k = slash ? (size_t)(slash - s) : n;
    struct folded_type type = {slice_of(s, k), slice_of("count", 5)};
    if (slash)
        type.unit = slice_of(slash + 1, n - k - 1);
    if (!type.name.n || !type.unit.n)
        return err_set(err, ERR_USAGE, "'%.*s' is no TYPE or TYPE/UNIT", (int)n,
                       s);
    for (size_t i = 0; i < job->types.n; i++)
        if (is_same(job->types.v[i].name, type.name))
            return err_set(err, ERR_USAGE, "two types are called '%.*s'",
                           (int)k, s);
    return vec_push(&job->types, type) || err_nomem(err);
}

static bool take_types(struct job *job, const char *list, struct err *err)
{
    job->types.n = 0;
    for (bool more = true; more;) {
        size_t n = strcspn(list, ",");
        if (!take_type(job, list, n, err))
            return false;
        more = list[n] == ',';
        list += n + more;
    }
    job->opts.types = job->types.v;
    job->opts.n_types = job->types.n;
    return true;
}

static bool take(void *ctx, int key, const char *value, struct err *err)
{
    struct job *job = ctx;
    switch (key) {
    case KEY_SAMPLE_TYPES:
        if (!take_types(job, value, err))
            return false;
        break;
    case KEY_NO_COUNTS:
        job->opts.no_counts = true;
        break;
    case KEY_ANNOTATIONS:
        job->opts.annotations = true;
        break;
    default:
        if (!*value)
            return err_set(err, ERR_USAGE, "a label needs a name");
        job->opts.root_label = value;
    }
    if (job->opts.no_counts && job->opts.n_types > 1)
        return err_set(err, ERR_USAGE,
                       "lines without numbers have one type, not %zu",
                       job->opts.n_types);
    return true;
}

static bool knows(void *ctx, const struct input_part *part)
{
    const struct job *job = ctx;
    return folded_begins(part->data, part->n, &job->opts);
}

static bool start(void *ctx, struct err *err)
{
    struct job *job = ctx;
    merge_free(job->merger);
    job->merger = merge_new(MERGE_TYPES_SAME, err);
    return job->merger != NULL;
}

static bool add(void *ctx, const char *name, const struct input_part *part,
                struct err *err)
{
    struct job *job = ctx;
    struct profile p = {0};
    (void)name;
    bool ok = folded_read(part->data, part->n, &job->opts, &p, &job->cli.notes,
                          err) &&
              notes_lossless(&job->cli.notes, err) &&
              merge_take(job->merger, &p, err);
    prof_free(&p);
    return ok;
}

static bool finish(void *ctx, struct profile *out, struct err *err)
{
    struct job *job = ctx;
    if (!merge_finish(job->merger, out, err))
        return false;
    if (!out->n_samples)
        note_warn(&job->cli.notes, "no samples");
    return true;
}

int main(int argc, char **argv)
{
    struct job job = {0};
    const struct cli_spec spec = {
        .tool = "folded2pb",
        .synopsis = "[option ...] [file ...]",
        .summary = "Converts folded stacks, added up, to one profile.proto.",
        .options = options,
        .shared =
            CLI_OUTPUT | CLI_LEVEL | CLI_KEEP_GOING | CLI_INPUTS | CLI_CONVERT,
        .take = take,
        .ctx = &job,
    };
    const struct cli_converter converter = {
        .what = "a file of folded stacks",
        .knows = knows,
        .start = start,
        .add = add,
        .finish = finish,
        .ctx = &job,
    };
    int status = cli_begin(&job.cli, &spec, argc, argv);
    if (status < 0) {
        cli_isolate(&job.cli, &(struct cli_needs){0});
        cli_convert(&job.cli, &converter);
        merge_free(job.merger);
        status = cli_end(&job.cli);
    }
    vec_free(&job.types);
    return status;
}
