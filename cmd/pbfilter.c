/* pbfilter.c - filters and changes a profile */

#include "cli/cli.h"
#include "cli/filters.h"
#include "cli/isolate.h"

enum {
    PRUNE = 256,
    DROP_LABELS,
    SAMPLE_INDEX,
    KEEP_TYPES,
    RENAME_TYPE,
    UNIT,
    TRIM_PATH,
    REPAIR,
    ESTIMATE_STACKS,
    MAX_STACKS,
    ADD_COMMENT,
    DROP_COMMENTS,
    STRIP_PATHS,
    ANONYMIZE,
    KEEP_NAMES,
    KEEP_MAPPINGS,
    MAP,
    RESTORE,
    PROTO,
};

static const struct cli_option options[] = {
    CLI_HEADING("Filters"),
    CLI_FILTER_OPTIONS,
    {"prune", PRUNE | CLI_COMMON, NULL,
     "apply the profile's drop_frames and keep_frames"},
    {"drop-labels", DROP_LABELS | CLI_COMMON, NULL, "drop all labels"},
    {"add-comment", ADD_COMMENT | CLI_COMMON, "TEXT",
     "add a comment to the profile"},
    {"unit", UNIT, "UNIT", "show numbers of --tagroot and --tagleaf in UNIT"},
    CLI_FAIL_EMPTY_OPTION,

    CLI_HEADING("Values"),
    {"sample-index", SAMPLE_INDEX | CLI_COMMON, "TYPE",
     "keep only this sample type (name or index)"},
    {"keep-types", KEEP_TYPES, "PATTERNS",
     "keep only the sample types whose name matches"},
    {"rename-type", RENAME_TYPE, "OLD=NEW[/UNIT]",
     "rename a sample type (may be repeated)"},
    CLI_VALUE_OPTIONS,

    CLI_HEADING("Level of detail"),
    CLI_DETAIL_OPTIONS,
    {"trim-path", TRIM_PATH | CLI_COMMON, "DIRS",
     "remove these directories from file names"},

    {"strip-paths", STRIP_PATHS | CLI_COMMON, NULL,
     "keep only base names of sources and binaries"},

    CLI_HEADING("Privacy"),
    {"anonymize", ANONYMIZE | CLI_COMMON, "[FILE]",
     "replace names by pseudonyms (default: a random key)"},
    {"keep-names", KEEP_NAMES, "REGEX",
     "with --anonymize, keep names that match"},
    {"keep-mappings", KEEP_MAPPINGS, "REGEX",
     "with --anonymize, keep functions of these binaries"},
    {"map", MAP, "FILE", "write pseudonyms and their names to FILE"},
    {"restore", RESTORE, "FILE",
     "replace pseudonyms by the names in FILE of --map"},
    {"drop-comments", DROP_COMMENTS | CLI_COMMON, NULL, "drop all comments"},

    CLI_HEADING("Special inputs"),
    {"repair", REPAIR | CLI_COMMON, NULL,
     "repair invalid profiles and report what was lost"},
    {"estimate-stacks", ESTIMATE_STACKS, NULL,
     "estimate call stacks from gmon2pb --flat data"},
    {"max-stacks", MAX_STACKS, "N",
     "estimate at most N call stacks (default: 100000)"},
    CLI_PPROF_OPTIONS,
    {"proto", PROTO, NULL, NULL},
    {0},
};

/* Takes an option about pseudonyms; false for others. */
static bool take_privacy(struct cli_privacy *o, int key, const char *value)
{
    switch (key) {
    case ANONYMIZE:
        o->key = value;
        return o->anonymize = true;
    case KEEP_NAMES:
        o->keep_names = cli_given(value);
        return true;
    case KEEP_MAPPINGS:
        o->keep_mappings = cli_given(value);
        return true;
    case MAP:
        o->map = value;
        return true;
    case RESTORE:
        o->restore = value;
        return true;
    default:
        return false;
    }
}

static bool set_option(void *ctx, int key, const char *value,
                       struct prof_err *err)
{
    struct cli_filtering *t = ctx;
    const struct cli_pprof pprof = {&t->sample_index, &t->mean, &t->fail_empty,
                                    &t->divide_by};
    bool ok;
    if (cli_take_filter(&t->filter, key, value) ||
        take_privacy(&t->privacy, key, value))
        return true;
    if (cli_take_detail(&t->detail, key, value, &ok, err) ||
        cli_take_pprof(&pprof, key, value, &ok, err))
        return ok;
    switch (key) {
    case PRUNE:
        return t->filter.prune = true;
    case DROP_LABELS:
        return t->filter.drop_labels = true;
    case DROP_COMMENTS:
        return t->filter.drop_comments = true;
    case STRIP_PATHS:
        return t->detail.strip_paths = true;
    case UNIT:
        t->filter.unit = cli_given(value);
        return true;
    case SAMPLE_INDEX:
        t->sample_index = cli_given(value);
        return true;
    case KEEP_TYPES:
        if (!cli_is_list(value))
            return err_value(err, "expected PATTERN, several separated by "
                                  "commas");
        t->keep_types = value;
        return true;
    case RENAME_TYPE:
        if (!filter_is_renaming(value))
            return err_value(err, "expected OLD=NEW or OLD=NEW/UNIT");
        return vec_push(&t->renamings, value) || err_nomem(err);
    case TRIM_PATH:
        t->trim_path = cli_given(value);
        return true;
    case REPAIR:
        return t->repair = true;
    case ESTIMATE_STACKS:
        return t->estimate = true;
    case ADD_COMMENT:
        t->comment = cli_given(value);
        return true;
    case PROTO:
        return true; /* pprof's option for the only output format */
    default:
        return cli_parse_count(value, 1, UINT32_MAX, &t->max_stacks, err);
    }
}

int main(int argc, char **argv)
{
    struct cli cli;
    struct cli_filtering t = {0};
    static const struct library_about *const libraries[] = {
        &cli_regex_library, &privacy_library, NULL};
    const struct cli_spec spec = {
        .tool = "pbfilter",
        .synopsis = "[option ...] [profile ...]",
        .summary =
            "Keeps or drops samples, frames, labels and detail of profiles.",
        .examples =
            "pbfilter --focus=main --drop-labels -o main.pb.gz cpu.pb.gz\n"
            "pbfilter --hide='^runtime' cpu.pb.gz | pbcat --cum",
        .options = options,
        .libraries = libraries,
        .shared = CLI_CONVERTER | CLI_THREADS,
        .take = set_option,
        .ctx = &t,
    };
    int status = cli_begin(&cli, &spec, argc, argv);
    if (status >= 0)
        return status;
    struct prof_err err;
    bool ok = cli_privacy_check(&t.privacy, &cli, &err);
    if (ok && t.max_stacks && !t.estimate)
        ok = err_set(&err, PROF_ERR_USAGE,
                     "--max-stacks requires --estimate-stacks");
    else if (ok && t.repair && cli.each)
        ok = err_set(&err, PROF_ERR_USAGE,
                     "--repair cannot be combined with --each");
    if (ok) {
        const char *files[2];
        size_t n = 0;
        if (t.privacy.key)
            files[n++] = t.privacy.key;
        if (t.privacy.restore)
            files[n++] = t.privacy.restore;
        cli_isolate(&cli, &(struct cli_needs){.files = files,
                                              .n_files = n,
                                              .writes = t.privacy.map});
        cli_filter_inputs(&cli, &t);
    } else {
        cli_error(&cli, NULL, &err);
    }
    vec_free(&t.renamings);
    return cli_end(&cli);
}
