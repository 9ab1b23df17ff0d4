/*
 * converter.h - how a tool makes one profile of its inputs
 *
 * Each importer exports a converter.  cli/convert.h drives it, from options
 * to output:
 *
 *      start                   an empty sum
 *      add, for each input     reads an input and adds it to the sum
 *      finish                  converts the sum to a profile
 *
 * Merged, there is one sum for all inputs; with --each one for each of them.
 * So a profile of --each has the bytes that the input gives alone.
 */
#ifndef PROFUTILS_IMPORT_CONVERTER_H
#define PROFUTILS_IMPORT_CONVERTER_H

#include "import/import.h"

struct converter {
    const char *reads; /* in messages: "a gmon.out file" */

    /*
     * Whether bytes begin like an input, header and all: the members of a
     * gzip file are then inputs of their own.  Null: they never are.
     */
    bool (*member_begins)(const uint8_t *data, size_t n);

    /*
     * Whether an entry of an archive is an input, sound or not.  Null: it is
     * one if it has a format of the tool.
     */
    bool (*begins)(const void *options, const struct import_input *in);

    /*
     * All fail with *err set.  *options and *notes outlive the sum.  An input
     * that add refuses (ERR_INPUT) is as if it had not been there.  The
     * profile is canonical; *out is zeroed before and freed afterwards in any
     * case.  free_sum() is not called with null.
     */
    void *(*start)(void *options, const struct notes *notes, struct err *err);
    bool (*add)(void *sum, const struct import_input *in, struct err *err);
    bool (*finish)(void *sum, struct profile *out, struct err *err);
    void (*free_sum)(void *sum);
};

/*
 * A sum of profiles, for importers that make one of each input.  Such an
 * importer writes only add(), which reads a profile and hands it to
 * import_sum_add(): that may empty it, and refuses one that has lost something
 * under --strict.
 */
struct import_sum {
    void *options;
    const struct notes *notes;
    struct merger *merger;
};

void *import_sum_start(void *options, const struct notes *notes,
                       struct err *err);
bool import_sum_add(struct import_sum *sum, struct profile *p, struct err *err);
bool import_sum_finish(void *sum, struct profile *out, struct err *err);
void import_sum_free(void *sum);

/* For a sum inside of another struct. */
bool import_sum_init(struct import_sum *sum, void *options,
                     const struct notes *notes, struct err *err);
void import_sum_clear(struct import_sum *sum);

#endif
