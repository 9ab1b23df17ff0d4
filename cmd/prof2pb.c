/* prof2pb - profiles of gperftools to profile.proto */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/convert.h"
#include "cli/isolate.h"
#include "cli/snapshots.h"
#include "cli/symbol_options.h"
#include "import/legacy.h"
#include "io/kind.h"
#include "profile/merge/merge.h"
#include "profile/text.h"
#include "symbol/buildid.h"
#include "symbol/symbol.h"

enum {
    OPT_NO_SYMBOLS = 256,
    OPT_STRIP_SIGNAL_FRAMES,
    OPT_FIRST_ONLY,
    OPT_NO_INHERITED,
    OPT_BUILD_ID,
    OPT_TYPE,
    OPT_THREADS,
    OPT_PERIOD,
    OPT_END_AT_ZERO,
};

static const struct cli_option options[] = {
    {"binary", 'e', "FILE", "the main binary, whatever its listed name"},
    {"type", OPT_TYPE,
     "cpu|heap|jemalloc|count|raw|threads|java|contention|proto",
     "what the inputs are, whatever they begin like"},
    {"build-id", OPT_BUILD_ID, NULL, "read build ids of the listed files"},
    {"period", OPT_PERIOD, "TIME",
     "what a CPU sample stands for, as 10ms or 100Hz"},
    CLI_SYMBOL_OPTIONS(" (default)", ""),
    {"no-symbols", OPT_NO_SYMBOLS, NULL, "addresses only"},
    {"strip-signal-frames", OPT_STRIP_SIGNAL_FRAMES, NULL,
     "take out second frames that all samples share"},
    {"end-at-zero", OPT_END_AT_ZERO, NULL,
     "a record whose leaf is at address 0 ends the file"},
    {"first-only", OPT_FIRST_ONLY, NULL,
     "of several profiles in one file, read the first"},
    {"no-inherited", OPT_NO_INHERITED, NULL,
     "of several, leave out what a fork only copied"},
    {"threads", OPT_THREADS, NULL, "tell the samples of threads apart"},
    {"jobs", 'T', "N", "use N threads (default: one for each processor)"},
    {0},
};

struct prof2pb {
    struct cli cli;
    struct gperf_opts opts;
    struct cli_symbols symbols;
    struct snapshots snapshots;     /* that are added up */
    const struct legacy_kind *kind; /* as asked; null: what it begins like */
    bool build_ids;
    struct merger *merger;
    struct sym_cache *binaries; /* where more than one profile is made */
};

/* Which kinds there are, for someone who named none of them. */
static bool take_kind(struct prof2pb *t, const char *name, struct err *err)
{
    char names[160] = "";
    size_t n = 0;
    t->kind = legacy_named(name);
    if (t->kind)
        return true;
    for (size_t i = 0; legacy_kind(i) && n < sizeof names; i++)
        n += (size_t)snprintf(names + n, sizeof names - n, "%s%s",
                              i ? ", " : "", legacy_kind(i)->name);
    return err_set(err, ERR_USAGE, "one of %s, not '%s'", names, name);
}

static bool take(void *ctx, int key, const char *value, struct err *err)
{
    struct prof2pb *t = ctx;
    uint64_t n;
    bool ok;
    if (cli_take_symbols(&t->symbols, key, value, &ok, err))
        return ok;
    switch (key) {
    case 'e':
        t->opts.binary = value;
        break;
    case OPT_BUILD_ID:
        t->build_ids = true;
        break;
    case OPT_TYPE:
        return take_kind(t, value, err);
    case OPT_PERIOD:
        return cli_parse_period(value, &t->opts.period, err);
    case OPT_END_AT_ZERO:
        t->opts.zero_ends = true;
        break;
    case OPT_NO_SYMBOLS:
        t->opts.no_symbols = true;
        break;
    case OPT_STRIP_SIGNAL_FRAMES:
        t->opts.strip_signal_frames = true;
        break;
    case OPT_FIRST_ONLY:
        t->opts.first_only = true;
        break;
    case OPT_NO_INHERITED:
        t->opts.no_inherited = true;
        break;
    case OPT_THREADS:
        t->opts.threads = true;
        break;
    case 'T':
        if (!cli_parse_count(value, 1, CLI_MAX_THREADS, &n, err))
            return false;
        t->cli.threads = (unsigned)n;
        break;
    }
    return true;
}

/* Why the part is no profile that could be read. */
static bool refuse(const struct input_part *part, struct err *err)
{
    if (!part->n)
        return err_set(err, ERR_INPUT,
                       "empty: the program was killed, by SIGPROF perhaps, "
                       "or has not come to its end yet");
    const struct kind *kind = kind_of(part->data, part->n);
    if (kind_is_read_by(kind, "prof2pb"))
        return kind_refuse_broken(kind, err);
    if (kind)
        return err_set(err, ERR_INPUT, "this is %s", kind->words);
    return err_set(err, ERR_INPUT,
                   "not a profile of gperftools, Go, jemalloc or Java");
}

static bool knows(void *ctx, const struct input_part *part)
{
    const struct prof2pb *t = ctx;
    return t->kind || legacy_find(part->data, part->n);
}

static bool start(void *ctx, struct err *err)
{
    struct prof2pb *t = ctx;
    merge_free(t->merger);
    if (t->cli.each && !t->binaries && !(t->binaries = sym_cache_new(err)))
        return false;
    t->merger = merge_new(MERGE_TYPES_SAME, err);
    return t->merger != NULL;
}

static bool add_part(void *ctx, const char *name, const struct input_part *part,
                     struct err *err)
{
    struct prof2pb *t = ctx;
    struct profile p = {0};
    const struct legacy_kind *kind =
        t->kind ? t->kind : legacy_find(part->data, part->n);
    if (!kind)
        return refuse(part, err);
    bool ok = legacy_read(kind, part->data, part->n, &t->opts, &p,
                          &t->cli.notes, err) &&
              notes_lossless(&t->cli.notes, err) &&
              merge_add(t->merger, &p, err);
    prof_free(&p);
    return ok && (t->cli.each || snapshots_add(&t->snapshots, name, err));
}

/* True when the main binary could be called so. */
static bool is_named(const struct profile *p, const char *binary)
{
    return binary && p->n_mappings &&
           slice_is(prof_text(p, p->mappings[0].filename), binary);
}

/*
 * Symbols come after the merge: each binary is then opened once, and each
 * address looked up once, however many files have it.
 */
static bool finish(void *ctx, struct profile *out, struct err *err)
{
    struct prof2pb *t = ctx;
    struct profile sum = {0};
    struct sym_opts sym = {.cache = t->binaries,
                           .threads = t->cli.threads,
                           .demangle = t->symbols.demangle,
                           .no_inlines = t->symbols.no_inlines};
    char *path = NULL;
    bool ok = merge_finish(t->merger, &sum, err) &&
              cli_binary_path(t->symbols.path, &path, err);
    sym.path = path;
    if (ok && is_named(&sum, t->opts.binary))
        sym.binary = t->opts.binary;
    snapshots_end(&t->snapshots, &t->cli.notes);
    if (ok && !sum.n_samples)
        note_warn(&t->cli.notes, "no samples");
    /* What is merged is canonical until something is added. */
    if (!ok || (t->opts.no_symbols && !t->build_ids)) {
        *out = sum;
        free(path);
        return ok;
    }
    ok = (!t->build_ids || sym_read_build_ids(&sum, &t->cli.notes, err)) &&
         (t->opts.no_symbols || sym_profile(&sum, &sym, &t->cli.notes, err)) &&
         prof_canonical_take(&sum, out, err);
    free(path);
    prof_free(&sum);
    return ok;
}

int main(int argc, char **argv)
{
    struct prof2pb t = {0};
    const struct cli_spec spec = {
        .tool = "prof2pb",
        .synopsis = "[option ...] [file ...]",
        .summary =
            "Converts profiles of gperftools and its kin to profile.proto.",
        .options = options,
        .shared = CLI_OUTPUT | CLI_LEVEL | CLI_KEEP_GOING | CLI_INPUTS |
                  CLI_CONVERT | CLI_THREADS,
        .take = take,
        .ctx = &t,
    };
    const struct cli_converter converter = {
        .what = "a profile that prof2pb reads",
        .begins = legacy_begins,
        .knows = knows,
        .start = start,
        .add = add_part,
        .finish = finish,
        .ctx = &t,
    };
    int status = cli_begin(&t.cli, &spec, argc, argv);
    if (status >= 0)
        return status;
    cli_isolate(&t.cli, &(struct cli_needs){.any_file = !t.opts.no_symbols ||
                                                        t.build_ids});
    cli_convert(&t.cli, &converter);
    snapshots_end(&t.snapshots, NULL);
    merge_free(t.merger);
    sym_cache_free(t.binaries);
    return cli_end(&t.cli);
}
