/*
 * import.h - input formats, and the converters that make profiles of them
 *
 *   struct import_format  detects a format
 *   import_read()         reads an input of prof2pb, with one profile or more
 *   struct import_sum     adds profiles, for tools that make a profile of each
 *                         input
 *
 * prof2pb has a reader for each format; every other tool has one format.  What
 * detects a format is apart from what reads it, so that a tool contains only
 * the readers that it calls.
 *
 * lib/README.md lists the steps to add a format to prof2pb.
 */
#ifndef PROFUTILS_FORMATS_IMPORT_H
#define PROFUTILS_FORMATS_IMPORT_H

#include "base/buf.h"
#include "io/input.h"
#include "profile.h"

/* Options of prof2pb.  A reader ignores those that do not apply to its format
 */
struct import_options {
    const char *binary; /* name of the main binary; null: as in the file */
    int64_t period;     /* nanoseconds per sample; 0: as in the file */
    /* Remove the second frame if (nearly) all records share it; twice. */
    bool strip_signal_frames;
    bool zero_ends; /* a record whose leaf is 0 is the end marker */
    bool rewritten; /* the result of cpu_is_rewritten() */
    /* For a file with several profiles: */
    bool first_only;   /* read only the first */
    bool no_inherited; /* skip those whose samples are all in the largest one */
    /*
     * Keep the samples of each thread separate, if the file does, by the labels
     * `thread` (the name, if there is one) and `thread_id` (the number).
     */
    bool threads;
    bool no_symbols; /* ignore names in the file */
};

struct import_format;
struct import_lookup;

/* One input: a file, an entry of an archive, a member of a gzip file. */
struct import_input {
    const char *name;    /* for messages; or null */
    const uint8_t *data; /* all of it; its first bytes if there is a stream */
    size_t n;
    struct stream *stream; /* reads it from its first byte; or null */
    const char *directory; /* where it is, if that was named; or null */
    uint64_t max_size;     /* of what a reader decompresses itself; 0: any */
    int64_t made;          /* last modified, seconds since 1970; 0: unknown */
    const struct prof_notes *notes;
    const struct import_lookup *lookup; /* set for the readers of prof2pb */

    /* The detected format, of this tool or of another; both may be null. */
    const struct import_format *format, *foreign;
};

/* Where the next profile of a text file begins, if `cat` has joined several. */
enum import_next {
    IMPORT_NOWHERE,    /* nowhere: the reader reads all profiles of a file */
    IMPORT_BELOW_MAPS, /* at a header after the list of mappings has begun */
    IMPORT_ANYWHERE,   /* at any header: no other line looks like one */
};

/*
 * Reads an input; null after a failure.  Errors and notes name the line (text)
 * or offset (binary) in the file.  The bytes of the input may be freed
 * afterwards.
 */
typedef struct profile *import_read_fn(const struct import_input *in,
                                       const struct import_options *options,
                                       struct prof_err *err);

struct import_format {
    const char *name;  /* one word: the value of prof2pb --type */
    const char *tool;  /* the tool that reads it: "prof2pb"; or null */
    const char *what;  /* noun for messages: "a heap profile (text)" */
    const char *words; /* both: "a heap profile (text), which prof2pb reads" */
    const char *writers[2]; /* programs that write it, for messages; or null */

    /*
     * Whether the bytes begin with the first line or header of this format,
     * which may be damaged.  Does not look at bytes after the header.
     */
    bool (*begins)(const uint8_t *data, size_t n);

    /* Whether the header is valid, if begins() is true; or null. */
    bool (*is_sound)(const uint8_t *data, size_t n);

    enum import_next next;
};

/* Initialises `tool`, `what` and `words` of a struct import_format. */
#define IMPORT_READ_BY(tool_, what_)                                           \
    .tool = (tool_), .what = (what_), .words = what_ "; use " tool_

/*
 * The formats that prof2pb reads, in the order in which they are looked for: of
 * each there are NAME_format and NAME_read().
 */
#define IMPORT_PROF2PB(ROW)                                                    \
    ROW(cpu)                                                                   \
    ROW(heap)                                                                  \
    ROW(jemalloc)                                                              \
    ROW(count)                                                                 \
    ROW(raw)                                                                   \
    ROW(threads)                                                               \
    ROW(java)                                                                  \
    ROW(contention)                                                            \
    ROW(proto)

#define IMPORT_DECLARE(name)                                                   \
    extern const struct import_format name##_format;                           \
    import_read_fn name##_read;
IMPORT_PROF2PB(IMPORT_DECLARE)
#undef IMPORT_DECLARE

extern const struct import_format dcpi_format, folded_format, gmon_format,
    perf_format, perf_text_format;

/*
 * How readers find those of profiles inside others: import_find()
 * (import_formats.h) and import_reader().
 */
struct import_lookup {
    const struct import_format *(*find)(const char *tool, const uint8_t *data,
                                        size_t n);
    import_read_fn *(*reader)(const struct import_format *format);
};

extern const struct import_lookup import_lookup;

/* The reader of a format; null: not one of prof2pb. */
import_read_fn *import_reader(const struct import_format *format);

/*
 * Reads an input with the reader of `format`.  If the input has several
 * profiles (enum import_next), it returns their sum, in canonical form, or with
 * options->first_only the first.
 */
struct profile *import_read(const struct import_format *format,
                            const struct import_input *in,
                            const struct import_options *options,
                            struct prof_err *err);

/*
 * A sum of profiles, for tools that make a profile of each input.
 *
 *   add     may move the samples of *p, which the caller then frees.
 *           PROF_ERR_INPUT under --strict if a part of the input was lost
 *   finish  returns the canonical sum, which the caller owns; notes if it has
 *           no samples
 */
struct import_sum;
struct import_sum *import_sum_new(const struct prof_notes *notes,
                                  struct prof_err *err);
bool import_sum_add(struct import_sum *sum, struct profile *p,
                    struct prof_err *err);
struct profile *import_sum_finish(struct import_sum *sum,
                                  const struct prof_result_opts *how,
                                  struct prof_err *err);
void import_sum_free(struct import_sum *sum); /* null is allowed */

/* For messages: what to do with the program that the n bytes are, or "". */
const char *import_program_advice(const uint8_t *data, size_t n);

#endif
