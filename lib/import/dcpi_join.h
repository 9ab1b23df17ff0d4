/*
 * dcpi_join.h - all DCPI inputs, joined
 *
 * Inside lib/import/dcpi*.c only: dcpi.c fills this in input by input,
 * dcpi_profile.c makes the profile of it.  Names are ids in `names`, 0 for
 * what is not there.
 */
#ifndef PROFUTILS_IMPORT_DCPI_JOIN_H
#define PROFUTILS_IMPORT_DCPI_JOIN_H

#include "import/dcpi_file.h"

/*
 * What makes images the same.  Keys of images and groups are kept as strings
 * of their bytes, whose ids count up as the rows do, from 1.
 */
struct image_key {
    uint64_t text_start; /* as the header has it */
    uint32_t id;
    uint32_t filename; /* 0 if there is an id */
};

struct image {
    uint64_t start, limit; /* extended to the PCs that have counts */
    uint32_t filename, id;
};

/* The labels of a sample. */
struct group {
    uint32_t label, platform;
};

struct event {
    uint32_t name;
    uint64_t period; /* greatest of the inputs; 0: unknown */
    bool is_cycles, is_latency;
    bool has_estimate; /* some column of it can be scaled */
    bool has_nanos;    /* ... and has a processor speed */
    size_t value;      /* index of its first value type */
};

/* A column of an input: what turns its counts into values. */
struct column {
    struct dcpi_column scale; /* without name */
    uint64_t hz;              /* 0: unknown */
    uint32_t event;
};

/* A count that is not zero. */
struct cell {
    uint64_t pc, n;
    uint32_t image, group, column;
};

struct dcpi {
    struct dcpi_ctx ctx;
    struct strtab names;
    struct strtab image_keys, group_keys, event_names; /* id: row + 1 */
    struct strtab comment_seen;
    struct strtab left_out; /* names of events not selected */
    VEC(uint32_t) comments; /* ids in comment_seen */
    int64_t time_nanos;
    VEC(struct image) images;
    VEC(struct group) groups;
    VEC(struct event) events;
    VEC(struct column) columns;
    VEC(struct cell) cells;
};

static inline const char *event_name(const struct dcpi *d, size_t event)
{
    return strtab_str(&d->event_names, (uint32_t)event + 1);
}

#endif
