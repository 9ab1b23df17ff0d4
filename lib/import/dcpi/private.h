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
#ifndef PROFUTILS_IMPORT_DCPI_PRIVATE_H
#define PROFUTILS_IMPORT_DCPI_PRIVATE_H

#include "base/slice.h"
#include "base/strtab.h"
#include "base/vec.h"
#include "import/dcpi/dcpi.h"

/* The Alpha's instructions, and so the step from count to count. */
#define DCPI_INSN 4U

/* The fraction of an event that was counted all the time. */
#define DCPI_FULL_TIME 10000U

/* For "%.*s": the slice, cut to what a message can bear. */
#define DCPI_SHOW(slice) (int)((slice).n < 80 ? (slice).n : 80), (slice).s

enum dcpi_form {
    DCPI_NEITHER,
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
    struct slice name;
    uint64_t total;    /* as stated (text) */
    uint64_t sum;      /* as counted */
    uint64_t period;   /* events per sample; 0: unknown */
    uint64_t fraction; /* share of the time it was counted, times 10000 */
    uint64_t hz;       /* cycles only: of the processor; 0: unknown */
};

/* A count and what it stands for, 0 if that is not known. */
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
    const struct notes *notes;
};

struct dcpi_file {
    const struct dcpi_ctx *ctx;
    enum dcpi_form form;
    size_t seen[DCPI_N_FIELDS]; /* number of the field's line; 0: none */
    struct slice name, image, label, path, platform; /* s null: none */
    bool unproven; /* binary: only the footer's totals tell the version */
    uint64_t text_start, text_size;
    uint64_t period;    /* binary: the column's, until the header ends */
    uint64_t hz;        /* the columns', until the header ends */
    int64_t time_nanos; /* 0: unknown */
    VEC(struct slice) comments; /* header lines, as they are */
    VEC(struct dcpi_column) columns;
    VEC(struct dcpi_count) counts;
};

struct dcpi_files {
    struct dcpi_file *v;
    size_t n, cap;
};

/* Cuts the first word off *rest, blanks on both sides of it dropped. */
struct slice dcpi_word(struct slice *rest);

static inline bool dcpi_is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* All of s as a number. */
bool dcpi_decimal(struct slice s, uint64_t *x);

/* Whether the word is a PC, 0x in front. */
bool dcpi_is_pc(struct slice word, uint64_t *pc);

/* Notes a loss; false if that is an error. */
bool dcpi_warn(const struct dcpi_ctx *c, struct err *err, const char *fmt, ...)
    ERR_PRINTF(3, 4);

/* Which field a line of this form with this first word is. */
enum dcpi_field dcpi_field_of(struct slice word, enum dcpi_form form);

/*
 * Reads one header line, not blank, into *f, whose form and ctx are set: just
 * the name of an event (binary), or TOTAL NAME:PERIOD:FRACTION (text), whose
 * name may hold colons itself.
 */
bool dcpi_header_line(struct dcpi_file *f, struct slice line, size_t number,
                      struct err *err);

/* Says what the complete header lacks, and sets what follows from it. */
bool dcpi_end_header(struct dcpi_file *f, struct err *err);

/* The path or else the name of the image; s null: neither. */
static inline struct slice dcpi_path_or_name(const struct dcpi_file *f)
{
    return f->path.s ? f->path : f->name;
}

/* The last component of a path, of Unix, VMS or Windows. */
struct slice dcpi_last_part(struct slice path);

/* Whether it holds the samples that no image was known for: unknown@HOST. */
bool dcpi_is_unknown(const struct dcpi_file *f);

/*
 * Whether the bytes begin with a header: a version line, or another of its
 * lines and, within 64 KiB, one of an event or of the end.
 */
bool dcpi_begins(const uint8_t *data, size_t n);

/* The profiles of an input, of any form. */
bool dcpi_read_files(const struct dcpi_ctx *c, const struct import_input *in,
                     struct dcpi_files *files, struct err *err);
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
 * Inputs joined
 *
 * Images, their names, groups and events are rows of arrays.  A string table of
 * their keys' bytes finds the row of a key: the id of the key is the row + 1.
 */

struct image {
    uint64_t start, limit; /* extended to the PCs that have counts */
    uint32_t id;
    /* Set by dcpi_order_images(): */
    bool has_samples;
    uint32_t filename;
    size_t name_row;  /* which row of dcpi.image_names that is, plus 1 */
    uint32_t mapping; /* its place in the profile */
};

/* One of the things that inputs call an image. */
struct image_name {
    uint32_t image;
    uint32_t is_name; /* 1: just a name, not a path */
    uint32_t text;
};

/* The labels of a sample. */
struct group {
    uint32_t label, platform;
};

struct event {
    uint64_t period; /* greatest of the inputs; 0: unknown */
    bool is_cycles, is_latency;
    bool has_estimate; /* some column of it can be scaled */
    bool has_nanos;    /* ... and has a processor speed */
    size_t value;      /* index of its first value type */
};

/* What was counted at a place: the sum of some inputs' counts. */
struct cell {
    uint64_t pc;
    struct dcpi_values values;
    uint32_t image, group, event;
};

struct dcpi {
    struct dcpi_ctx ctx;
    bool broken; /* an input was joined in part */
    struct strtab names;
    struct strtab image_keys, image_name_keys, group_keys; /* id: row + 1 */
    struct strtab event_names;                             /* likewise */
    struct strtab comment_seen;
    struct strtab unselected; /* names of events */
    VEC(uint32_t) comments;   /* ids in comment_seen */
    int64_t time_nanos;
    bool has_nameless;             /* an image that nothing tells from others */
    uint64_t n_cycles, n_timeless; /* columns of cycles, and without speed */
    VEC(struct image) images;
    VEC(struct image_name) image_names;
    VEC(struct group) groups;
    VEC(struct event) events;
    VEC(struct cell) cells;
    size_t sum_at; /* number of cells to sum up at */
};

static inline const char *event_name(const struct dcpi *d, size_t event)
{
    return strtab_str(&d->event_names, (uint32_t)event + 1);
}

/*
 * Joins the files of one input.  An input that is refused (ERR_INPUT) leaves no
 * trace.  After ERR_SYSTEM it may be there in part (`broken`): whatever else is
 * joined fails too, and so does the end.
 */
bool dcpi_join(struct dcpi *d, const struct dcpi_files *files, struct err *err);

/*
 * When all is joined: adds up the cells of one place and event, which are then
 * in order of image, PC, group and event; only a sum that does not fit stays
 * apart.  Sets the images' names and order.  ERR_SYSTEM: memory is out.
 */
bool dcpi_settle(struct dcpi *d, struct err *err);

#endif
