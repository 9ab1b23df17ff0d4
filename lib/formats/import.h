/*
 * import.h - describes input formats, and reads those of prof2pb
 *
 *   struct import_format  describes and detects a format
 *   import_read()         reads an input of prof2pb, which may have several
 *                         profiles
 *   struct import_sum     adds the profiles of all inputs, for other tools
 *
 * prof2pb reads many formats; each other tool reads one.  Every tool can detect
 * all formats, to name the right tool in a message, but contains only the
 * readers that it calls.
 *
 * lib/README.md lists the steps to add a format to prof2pb.
 */
#ifndef PROFUTILS_FORMATS_IMPORT_H
#define PROFUTILS_FORMATS_IMPORT_H

#include "base/buf.h"
#include "io/input.h"
#include "profile.h"

/* Options of prof2pb.  A reader ignores those that its format does not have. */
struct import_options {
    const char *binary; /* name of the main binary; null: as in the file */
    int64_t period;     /* nanoseconds per sample; 0: as in the file */
    bool strip_signal_frames; /* call profiler_frames_strip() */
    bool zero_ends; /* a record whose leaf is address 0 ends the file */
    bool rewritten; /* google-pprof wrote it: cpu_is_rewritten() */
    /* For a file with several profiles: */
    bool first_only;   /* read only the first */
    bool no_inherited; /* skip profiles whose samples the largest one has too:
                          a forked child inherits those of its parent */
    /*
     * Keep the samples of each thread separate, if the file does: add the
     * labels `thread` (its name, if it has one) and `thread_id` (its number).
     */
    bool threads;
    bool no_symbols; /* ignore names in the file */
};

struct import_format;
struct import_lookup;

/* One input: a file, an entry of an archive, a member of a gzip file. */
struct import_input {
    const char *name;    /* for messages; or null */
    const uint8_t *data; /* all bytes; with a stream, only the first n bytes */
    size_t n;
    struct stream *stream; /* null, or it reads the input from its first byte */
    const char *directory; /* the directory that the user named instead of the
                              file in it; or null */
    uint64_t max_size;     /* limit for what a reader decompresses itself, in
                              bytes; 0: none */
    int64_t made;          /* last modified, seconds since 1970; 0: unknown */
    const struct prof_notes *notes;
    const struct import_lookup *lookup; /* set for the readers of prof2pb */

    /* Set by import_detect(): the format, if this tool (format) or another one
     * (foreign) reads it.  Both may be null. */
    const struct import_format *format, *foreign;
};

/* How to find the next profile of a file of text that `cat` made of several. */
enum import_next {
    IMPORT_NOWHERE,    /* the reader itself reads all profiles of a file */
    IMPORT_BELOW_MAPS, /* it begins at a header below the list of mappings */
    IMPORT_ANYWHERE, /* it begins at any header: no other line looks like one */
};

/*
 * Reads an input.  Returns a profile, which the caller frees with prof_delete()
 * and which does not refer to the bytes of the input; null after a failure.
 * Errors and notes name the line (text) or offset (binary) in the file.
 */
typedef struct profile *import_read_fn(const struct import_input *in,
                                       const struct import_options *options,
                                       struct prof_err *err);

struct import_format {
    const char *name;       /* one word: the value of prof2pb --type */
    const char *tool;       /* the tool that reads it: "prof2pb"; or null */
    const char *what;       /* noun for messages: "a heap profile (text)" */
    const char *words;      /* both: "a heap profile (text); use prof2pb" */
    const char *writers[2]; /* programs that write it, for messages; or null */

    /*
     * Whether the bytes begin like the first line or header of this format,
     * even if it is damaged.  Does not look at bytes after the header.
     */
    bool (*begins)(const uint8_t *data, size_t n);

    /* Whether a header for which begins() is true is valid; null: it is. */
    bool (*is_sound)(const uint8_t *data, size_t n);

    enum import_next next;
};

/* Initialises `tool`, `what` and `words` of a struct import_format. */
#define IMPORT_READ_BY(tool_, what_)                                           \
    .tool = (tool_), .what = (what_), .words = what_ "; use " tool_

/*
 * The formats that prof2pb reads, in the order in which it tries to detect
 * them.  Each has a NAME_format and a NAME_read().
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
 * Lets a reader of prof2pb read another profile inside its own (raw_profile.c).
 * The functions are import_find() (import_formats.h) and import_reader(); they
 * are called by pointers so that other tools do not contain all readers.
 */
struct import_lookup {
    const struct import_format *(*find)(const char *tool, const uint8_t *data,
                                        size_t n);
    import_read_fn *(*reader)(const struct import_format *format);
};

extern const struct import_lookup import_lookup;

/* Returns the reader of a format; null if prof2pb does not read it. */
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
 * A sum of profiles, for tools that make a profile of each input.  Set `notes`,
 * zero the rest, and free it with prof_merge_free(sum.merger).
 *
 *   add     frees *p; a null p, with *err set, fails.  PROF_ERR_INPUT under
 *           --strict if a part of the input was lost
 *   finish  after an add: returns the canonical sum, which the caller owns;
 *           notes if it has no samples
 */
struct import_sum {
    const struct prof_notes *notes;
    struct prof_merger *merger;
};
bool import_sum_add(struct import_sum *sum, struct profile *p,
                    struct prof_err *err);
struct profile *import_sum_finish(struct import_sum *sum,
                                  const struct prof_result_opts *how,
                                  struct prof_err *err);

/* If the n bytes are an ELF file, returns the advice for a message to name it
 * with -e; else "". */
const char *import_program_advice(const uint8_t *data, size_t n);

#endif
