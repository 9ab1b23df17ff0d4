/*
 * import.h - what a reader of a format is given, and what it says of itself
 *
 * A format that prof2pb reads is a file with a reader and a row, `const struct
 * import_format NAME_format`, that is declared below and listed in
 * import_formats.c. Where a tool reads but one format, its reader is reached by
 * its converter (converter.h), and the row is for telling what a file is.
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

#endif
