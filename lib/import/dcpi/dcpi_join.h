/*
 * dcpi_join.h - all DCPI inputs, joined
 *
 * Inside lib/import/dcpi*.c only: dcpi_join.c fills this in input by input,
 * with images by dcpi_image.c and counts by dcpi_cells.c; dcpi_profile.c
 * makes the profile of it.  Names are ids in `names`, 0 for what is not
 * there.
 */
#ifndef PROFUTILS_IMPORT_DCPI_JOIN_H
#define PROFUTILS_IMPORT_DCPI_JOIN_H

#include "import/dcpi/dcpi_file.h"

/*
 * What makes images the same.  Keys of images, of what they are called, and
 * of groups are kept as strings of their bytes, whose ids count up as the
 * rows do, from 1.
 */
struct image_key {
    uint64_t text_start; /* as the header has it */
    uint32_t id;
    uint32_t filename; /* 0 if there is an id */
};

struct image {
    uint64_t start, limit; /* extended to the PCs that have counts */
    uint32_t id;
    /* Settled by dcpi_settle_images(): */
    bool has_samples;
    uint32_t filename;
    size_t called;    /* which row of dcpi.called that is, plus 1 */
    uint32_t mapping; /* its place in the profile */
};

/* One of the things that inputs call an image. */
struct called {
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
    struct strtab image_keys, called_keys, group_keys; /* id: row + 1 */
    struct strtab event_names;                         /* likewise */
    struct strtab comment_seen;
    struct strtab left_out; /* names of events not selected */
    VEC(uint32_t) comments; /* ids in comment_seen */
    int64_t time_nanos;
    bool has_nameless;             /* an image that nothing tells from others */
    uint64_t n_cycles, n_timeless; /* columns of cycles, and without speed */
    VEC(struct image) images;
    VEC(struct called) called;
    VEC(struct group) groups;
    VEC(struct event) events;
    VEC(struct cell) cells;
    size_t sum_at; /* number of cells to sum up at */
};

static inline const char *event_name(const struct dcpi *d, size_t event)
{
    return strtab_str(&d->event_names, (uint32_t)event + 1);
}

/* The profile of all that was added; as finish() of a converter. */
bool dcpi_finish(void *dcpi, struct profile *out, struct err *err);

/* False from these is memory, but for dcpi_join_check() (ERR_INPUT). */

/* Whether all these can be joined without mixing up images. */
bool dcpi_join_check(const struct dcpi *d, const struct dcpi_files *files,
                     struct err *err);
bool dcpi_join_file(struct dcpi *d, const struct dcpi_file *f);

/* A comment: "dcpi:", word and line; once for all inputs. */
bool dcpi_keep_line(struct dcpi *d, const char *word, struct dcpi_span line);

bool dcpi_name_id(struct dcpi *d, struct dcpi_span s, uint32_t *id);

/* The row that has this key; if it is new, the one after the last. */
bool dcpi_row_of(struct strtab *keys, const void *key, size_t n, uint32_t *row);

/* Whether neither identifier, path nor name says of what the file is. */
bool dcpi_is_nameless(const struct dcpi_file *f);

/* The file's image, which may be that of an earlier file. */
bool dcpi_join_image(struct dcpi *d, const struct dcpi_file *f,
                     uint32_t *index);

/*
 * When all is joined: which images have samples, what each is called, and
 * their order, which does not depend on that of the inputs.  Other names
 * become comments.
 */
bool dcpi_settle_images(struct dcpi *d);

/* By image, PC, group, event. */
int dcpi_cell_order(const struct cell *a, const struct cell *b);

/*
 * Sorts the cells, and adds up those of one place and event.  Two are left
 * side by side only if their sum does not fit.
 */
void dcpi_sum_cells(struct dcpi *d);

#endif
