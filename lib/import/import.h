/*
 * import.h - formats, and the converters that make profiles of them
 *
 * To add a format to prof2pb:
 *
 *   1. write a file with a reader (import_read_fn) and a row, `const struct
 *      import_format NAME_format`; textprof.h has what profiles made of text
 *      have in common
 *   2. declare the row below, and list it in import_formats.c
 *   3. name it in the list of --type in man/prof2pb.1 and in a section there
 *   4. add tests/fuzz/fuzz_NAME.c, of one line, seeds in tests/fuzz/make-seeds,
 *      and the name in tests/slow/sweep/run
 *
 * --type, --help, the completions and all messages go by the table; what is
 * missing of 3 and 4 fails tests/unit/test_import_formats.c.
 *
 * A tool that reads one format has a converter of its own; its row is for
 * telling what a file is.
 */
#ifndef PROFUTILS_IMPORT_IMPORT_H
#define PROFUTILS_IMPORT_IMPORT_H

#include "profile/profile.h"

/* How prof2pb's formats are read, each as far as it has such a thing. */
struct import_options {
    const char *binary; /* what to call the main binary; null: as listed */
    int64_t period;     /* nanoseconds that a sample stands for; 0: as listed */
    /* Take out second frames that (nearly) all records share, twice. */
    bool strip_signal_frames;
    bool zero_ends; /* any record whose leaf is 0 is the end marker */
    bool rewritten; /* what cpu_is_rewritten() says */
    /* Of several profiles in a file: */
    bool first_only;   /* read the first */
    bool no_inherited; /* leave out what the largest has as well */
    /*
     * Tell the samples of threads apart, where the file does, by the labels
     * `thread` (the name, if there is one) and `thread_id` (the number).
     */
    bool threads;
    bool no_symbols; /* no names, though the file has them */
};

struct import_format;

/* As import_find(). */
typedef const struct import_format *
import_find_fn(const char *tool, const uint8_t *data, size_t n);

/* One input: a file, an entry of an archive, a member of a gzip file. */
struct import_input {
    const char *name; /* as messages have it; null where none is needed */
    const uint8_t *data;
    size_t n;
    const struct notes *notes;
    import_find_fn *find; /* for a reader of a profile inside of another */

    /* What it begins like: a format of the tool, or else of another one. */
    const struct import_format *format, *foreign; /* or null */
};

/* Where in a file of text another profile may begin: at a header ... */
enum import_next {
    IMPORT_NOWHERE,    /* (the reader itself finds all that are there) */
    IMPORT_BELOW_MAPS, /* ... below the line before the list of mappings */
    IMPORT_ANYWHERE,   /* ... which can be no other line of the profile */
};

/*
 * Reads an input into *out, which is initialised here and is safe to
 * prof_free() whatever is returned.  Errors and notes name the line (text) or
 * offset (binary) in the file; its bytes are not kept.
 */
typedef bool import_read_fn(const struct import_input *in,
                            const struct import_options *options,
                            struct profile *out, struct err *err);

struct import_format {
    const char *name;  /* one word: the value of prof2pb --type */
    const char *tool;  /* that reads it: "prof2pb"; null: none does */
    const char *what;  /* it is, in messages: "a heap profile (text)" */
    const char *words; /* both: "a heap profile (text), which prof2pb reads" */

    /*
     * Whether the n bytes are of this format by their first line or header,
     * sound or not.  No more than the header is looked at.
     */
    bool (*begins)(const uint8_t *data, size_t n);

    /* Whether, having begun so, nothing is wrong with the header; or null. */
    bool (*is_sound)(const uint8_t *data, size_t n);

    import_read_fn *read; /* null: its tool's converter does */
    enum import_next next;
};

/* The first members of a row. */
#define IMPORT_READ_BY(tool_, what_)                                           \
    .tool = (tool_), .what = (what_), .words = what_ ", which " tool_ " reads"

extern const struct import_format contention_format, count_format, cpu_format,
    heap_format, java_format, jemalloc_format, raw_format, threads_format;
extern const struct import_format dcpi_format, folded_format, gmon_format;

/*
 * Reads an input as this format's reader does, and adds up all profiles that
 * follow each other in it (with options->first_only: reads the first).
 */
bool import_read(const struct import_format *format,
                 const struct import_input *in,
                 const struct import_options *options, struct profile *out,
                 struct err *err);

/*
 * How a tool makes one profile of its inputs.  cli/convert.h drives it, from
 * options to output:
 *
 *      start                   an empty sum
 *      add, for each input     reads an input and adds it to the sum
 *      finish                  converts the sum to a profile
 *
 * Merged, there is one sum for all inputs; with --each one for each of them.
 * So a profile of --each has the bytes that the input gives alone.
 */
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
