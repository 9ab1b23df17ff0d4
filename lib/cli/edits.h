/*
 * edits.h - options that add labels to inputs, or scale them, before a merge
 *
 * Most of the options apply to the inputs that follow on the command line.  So
 * a tool calls cli_take_edit() for each of them in their order, and passes the
 * result to cli_merge_inputs():
 *
 *      struct cli_edits *edits = NULL;
 *      ... cli_take_edit(&cli, &edits, key, value, err) for each option ...
 *      ok = cli_edits_check(edits, &cli, &err);
 *      sum = cli_merge_inputs(&cli, &(struct cli_merging){.edits = edits});
 *      cli_edits_free(edits);
 */
#ifndef PROFUTILS_CLI_EDITS_H
#define PROFUTILS_CLI_EDITS_H

#include "cli/cli.h"

/* Keys of the options; above those that tools give to their own. */
enum cli_edit_key {
    CLI_LABEL = 0x8100,
    CLI_SOURCE_LABEL,
    CLI_REPLACE_LABEL,
    CLI_WEIGHT,
    CLI_EQUAL,
};

/* clang-format off */
#define CLI_EDIT_OPTIONS                                                       \
    {"label", CLI_LABEL | CLI_COMMON, "KEY=VALUE",                             \
     "add this label to the samples of inputs that follow"},                   \
    {"source-label", CLI_SOURCE_LABEL | CLI_COMMON, "KEY[=REGEX]",             \
     "the same, with the input's name or a part of it"},                       \
    {"replace-label", CLI_REPLACE_LABEL, NULL,                                 \
     "replace other values that samples have of these keys"},                  \
    {"weight", CLI_WEIGHT | CLI_COMMON, "W",                                   \
     "multiply the values of inputs that follow by W"},                        \
    {"equal", CLI_EQUAL, NULL,                                                 \
     "scale each input to the totals of the first one"}
/* clang-format on */

/* The labels and weights for the inputs of each group.  Null means none. */
struct cli_edits;

/* Takes one of CLI_EDIT_OPTIONS.  Allocates *edits, which starts as null, and
 * starts a new group of inputs, when needed. */
bool cli_take_edit(struct cli *cli, struct cli_edits **edits, int key,
                   const char *value, struct prof_err *err);
void cli_edits_free(struct cli_edits *edits); /* null is allowed */

/* PROF_ERR_USAGE for options without an effect. */
bool cli_edits_check(const struct cli_edits *edits, const struct cli *cli,
                     struct prof_err *err);

/* Identifies an input, for cli_edit_profile(). */
struct cli_edit {
    struct cli_edits *edits; /* not owned */
    unsigned group;          /* cli.groups */
    const char *name;        /* of its file or archive member; null: none */
    bool common; /* only sample types that all inputs have are merged */
    unsigned threads;
};

/*
 * Changes a profile of the input; ctx is a struct cli_edit.  Any thread may
 * call this (prof_decode_opts.edit).
 */
bool cli_edit_profile(void *ctx, struct profile *p, struct prof_err *err);

/* Notes samples that were dropped because their values were rounded to 0. */
void cli_edits_report(const struct cli_edits *edits,
                      const struct prof_notes *notes);

/* Multiplies all values of *p; notes the samples whose values all become 0. */
bool cli_scale(struct profile *p, struct prof_ratio ratio,
               const struct prof_notes *notes, struct prof_err *err);

#endif
