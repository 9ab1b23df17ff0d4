/*
 * private.h - the stages of a conversion of DCPI profiles, and their data
 *
 *   stage     file           from                   to
 *   read      dcpi_files.c   the bytes of an input  struct dcpi_file for each
 *                                                   profile in it
 *   header    dcpi_header.c  a line of a header     fields of a dcpi_file
 *   join      dcpi_join.c    struct dcpi_file       struct dcpi: cells, images,
 *                                                   events of all inputs
 *   convert   dcpi.c         struct dcpi            struct profile
 *
 * Ownership
 *   struct dcpi_file  its arrays (dcpi_free_files()); slices point into the
 *                     input
 *   struct dcpi       everything: texts are copied
 */
#ifndef PROFUTILS_FORMATS_DCPI_PRIVATE_H
#define PROFUTILS_FORMATS_DCPI_PRIVATE_H

#include "base/map.h"
#include "base/slice.h"
#include "base/strtab.h"
#include "base/vec.h"
#include "formats/dcpi/dcpi.h"

/* Bytes of an Alpha instruction: the step between addresses of counts. */
#define DCPI_INSN 4U

/* `fraction` of an event that was counted all the time (100 %). */
#define DCPI_FULL_TIME 10000U

/* Arguments for "%.*s": the slice, truncated to 80 bytes. */
#define DCPI_SHOW(slice) (int)((slice).n < 80 ? (slice).n : 80), (slice).s

enum dcpi_form {
    DCPI_NEITHER,    /* not a DCPI profile */
    DCPI_BINARY = 1, /* header, chunks, footer */
    DCPI_TEXT = 2,   /* printed by dcpicat */
};

enum dcpi_field {
    DCPI_VERSION,
    DCPI_NAME,
    DCPI_IMAGE,
    DCPI_LABEL,
    DCPI_PATH,
    DCPI_EPOCH,
    DCPI_PLATFORM,
    DCPI_TSTART,
    DCPI_TSIZE,
    DCPI_EVENT,
    DCPI_PERIOD,
    DCPI_CPUSPEED,
    DCPI_CPU_OTHER, /* cpuamask, cpuimplv, cpucount: comments, not used */
    DCPI_UNKNOWN,
    DCPI_N_FIELDS
};

/* An event of the file: a column of its counts. */
struct dcpi_column {
    struct prof_slice name;
    uint64_t total;    /* sum of the counts that the file states (text only) */
    uint64_t sum;      /* sum of the counts that were read */
    uint64_t period;   /* events per sample; 0: unknown */
    uint64_t fraction; /* share of the time it was counted, in 1/10000 */
    uint64_t hz;       /* event `cycles`: processor clock in Hz; 0: unknown */
};

/* A number of samples, and the events and nanoseconds that they stand for (0:
 * unknown). */
struct dcpi_values {
    int64_t samples, events, nanos;
};

/* A count that is not zero. */
struct dcpi_count {
    uint64_t pc;
    struct dcpi_values values;
    uint32_t column;
};

struct dcpi_ctx {
    const struct dcpi_opts *opts;
    const struct prof_notes *notes;
};

struct dcpi_file {
    const struct dcpi_ctx *ctx;
    enum dcpi_form form;
    size_t seen[DCPI_N_FIELDS]; /* by field: the number of its line; 0: none */
    struct prof_slice name, image, label, path, platform; /* s null: none */
    bool unproven; /* binary, without a version line: that the totals match is
                      the only proof of its version */
    uint64_t text_start, text_size;
    uint64_t period;    /* for the columns, while a binary header is read */
    uint64_t hz;        /* for the columns, while the header is read */
    int64_t time_nanos; /* 0: unknown */
    VEC(struct prof_slice) comments; /* header lines, unchanged */
    VEC(struct dcpi_column) columns;
    VEC(struct dcpi_count) counts;
};

struct dcpi_files {
    VEC(struct dcpi_file);
};

/* Removes the first word and the blanks around it, such as the CR before a
 * newline, from *line.  Returns the word. */
struct prof_slice dcpi_word(struct prof_slice *line);

/* Sets *x to the decimal number s.  False if s is anything else. */
bool dcpi_decimal(struct prof_slice s, uint64_t *x);

/* Whether the word is a program counter: 0x and a hexadecimal number.  Sets *pc
 * to it. */
bool dcpi_is_pc(struct prof_slice word, uint64_t *pc);

/* Notes a loss.  False, with *err set, if losses are errors. */
bool dcpi_warn(const struct dcpi_ctx *c, struct prof_err *err, const char *fmt,
               ...) ERR_PRINTF(3, 4);

/* Returns the header field that a line with this first word sets. */
enum dcpi_field dcpi_field_of(struct prof_slice word, enum dcpi_form form);

/*
 * Reads one header line, which is not blank, into *f.  f->form and f->ctx must
 * be set.  An event is
 *
 *   in a binary file  its name
 *   in text           TOTAL NAME:PERIOD:FRACTION, where NAME may contain colons
 */
bool dcpi_header_line(struct dcpi_file *f, struct prof_slice line,
                      size_t number, struct prof_err *err);

/* Checks the complete header, and sets the members that depend on several of
 * its lines. */
bool dcpi_end_header(struct dcpi_file *f, struct prof_err *err);

/* Returns the path of the image, else its name; s is null if it has neither. */
static inline struct prof_slice dcpi_path_or_name(const struct dcpi_file *f)
{
    return f->path.s ? f->path : f->name;
}

/* Returns the last component of a path of Unix, VMS or Windows. */
struct prof_slice dcpi_last_part(struct prof_slice path);

/* Whether the file is unknown@HOST, for samples whose image is unknown. */
bool dcpi_is_unknown(const struct dcpi_file *f);

/* Reads the profiles of an input, of any form, into *files. */
bool dcpi_read_files(const struct dcpi_ctx *c, const struct import_input *in,
                     struct dcpi_files *files, struct prof_err *err);
void dcpi_free_files(struct dcpi_files *files);

/* Whether samples of the column can be scaled to events. */
static inline bool dcpi_has_estimate(const struct dcpi_column *column)
{
    return column->period && column->fraction;
}

static inline bool dcpi_is_cycles(const struct dcpi_column *column)
{
    return slice_is(column->name, "cycles");
}

/*
 * The sum of all inputs
 *
 * Images, their names, groups and events are rows of arrays, each with a map of
 * its keys.
 */

struct image {
    uint64_t start, limit; /* text; extended to all PCs that have counts */
    uint32_t id;           /* the identifier: string id; 0: none */
    /* Set by dcpi_finish_sum(): */
    bool has_samples;
    uint32_t filename; /* string id */
    size_t name_row;   /* row of `filename` in dcpi.image_names, plus 1 */
    uint32_t mapping;  /* index in the profile */
};

/* A path or name that an input has for an image. */
struct image_name {
    uint32_t image;
    uint32_t is_name; /* 1: a name; 0: a path */
    uint32_t text;    /* string id */
};

/* The labels of a sample, string ids. */
struct group {
    uint32_t label, platform;
};

struct event {
    uint64_t period; /* greatest of the inputs; 0: unknown */
    bool is_cycles, is_latency;
    bool has_estimate; /* some column of it can be scaled to events */
    bool has_nanos;    /* ... and to nanoseconds */
    size_t value;      /* index of its first value type */
};

/* The values of an event at an address: of one input, or added up. */
struct cell {
    uint64_t pc;
    struct dcpi_values values;
    uint32_t image, group, event;
};

struct dcpi {
    struct dcpi_ctx ctx;
    bool broken;         /* an input was added in part: the sum is unusable */
    struct strtab names; /* all string ids are of this table */
    struct map image_keys, image_name_keys, group_keys;
    struct strtab event_names; /* the id of a name is its row + 1 */
    struct strtab comment_seen;
    struct strtab unselected; /* names of events that opts do not select */
    VEC(uint32_t) comments;   /* ids in comment_seen */
    int64_t time_nanos;
    bool has_nameless; /* there is an image without identifier and names */
    uint64_t n_cycles, n_timeless; /* columns of the event `cycles`; those of
                                      them without a processor speed */
    VEC(struct image) images;
    VEC(struct image_name) image_names;
    VEC(struct group) groups;
    VEC(struct event) events;
    VEC(struct cell) cells;
    size_t sum_at; /* when there are so many cells, equal ones are added up */
};

static inline const char *event_name(const struct dcpi *d, size_t event)
{
    return strtab_str(&d->event_names, (uint32_t)event + 1);
}

/*
 * Adds the files of one input to *d.
 *
 *   PROF_ERR_INPUT   the input is refused; *d is unchanged
 *   PROF_ERR_SYSTEM  the input may have been added in part: d->broken is then
 *                    set, and later calls of this and the next function fail
 */
bool dcpi_join(struct dcpi *d, const struct dcpi_files *files,
               struct prof_err *err);

/*
 * Call it after the last dcpi_join().  Adds up cells with the same image, PC,
 * group and event, unless a sum exceeds 64 bits, and sorts cells by these. Sets
 * the names and the order of the images.  PROF_ERR_SYSTEM: memory is out.
 */
bool dcpi_finish_sum(struct dcpi *d, struct prof_err *err);

#endif
