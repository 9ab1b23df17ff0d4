/*
 * loose.h - a message of profile.proto as it stands, sound or not
 *
 * pb_decode() refuses a message at the first thing that is wrong with it.
 * This reader goes on: it takes what can be read, and tells of everything on
 * the wire that is odd or lost.  Numbers are those of the file: ids,
 * references and string indices are looked up by nobody, and may be anything.
 *
 * Offsets count from the start of the message; those of entities are where
 * their field begins, with its tag.  Entities and samples are numbered from 0
 * in the order of the file.  The bytes must outlive the struct.
 *
 * Samples are not kept, as they are most of a message: they are read one by
 * one, as often as wanted.
 *
 * Memory is in proportion to the message.
 */
#ifndef PROFUTILS_PB_LOOSE_H
#define PROFUTILS_PB_LOOSE_H

#include "base/vec.h"
#include "pb/fields.h"
#include "pb/scan.h"

/* The messages of profile.proto. */
enum loose_kind {
    LOOSE_PROFILE,
    LOOSE_SAMPLE_TYPE,
    LOOSE_PERIOD_TYPE,
    LOOSE_SAMPLE,
    LOOSE_LABEL,
    LOOSE_MAPPING,
    LOOSE_LOCATION,
    LOOSE_LINE,
    LOOSE_FUNCTION,
    LOOSE_KINDS,
};

enum loose_fault_kind {
    LOOSE_CUT,       /* the message ends within a field */
    LOOSE_NO_FIELD,  /* what stands there is no field of any message */
    LOOSE_WIRE_TYPE, /* the field has another type: it is passed over */
    LOOSE_UNKNOWN,   /* profile.proto has no such field: likewise */
    LOOSE_OVERLONG,  /* a number takes more bytes than it needs */
    LOOSE_TWICE,     /* the field is there again: the last one counts */
};

/* After the first two kinds the rest of the message cannot be read. */
struct loose_fault {
    enum loose_fault_kind kind;
    enum loose_kind in;
    size_t index; /* of the entity; of the sample or location */
    size_t inner; /* of the label or line within it */
    size_t offset;
    uint32_t field, wire_type; /* 0, 0 if they cannot be read */
    size_t lost; /* bytes from there on that cannot be read: first two kinds */
};

struct loose_faults {
    void (*take)(void *ctx, const struct loose_fault *fault);
    void *ctx;
};

struct loose_string {
    size_t at, n; /* data[at .. at + n) */
};

struct loose_type {
    int64_t type, unit;
    size_t offset;
};

enum loose_flag {
    LOOSE_HAS_FUNCTIONS,
    LOOSE_HAS_FILENAMES,
    LOOSE_HAS_LINE_NUMBERS,
    LOOSE_HAS_INLINE_FRAMES,
    LOOSE_FLAGS,
};

/*
 * Entities begin with their ids, for idmap.h.  `broken`: some of its fields
 * could not be read.
 */
struct loose_mapping {
    uint64_t id, start, limit, file_offset;
    int64_t filename, build_id;
    size_t offset;
    bool has[LOOSE_FLAGS], broken;
};

struct loose_function {
    uint64_t id;
    int64_t name, system_name, filename, start_line;
    size_t offset;
    bool broken;
};

struct loose_line {
    uint64_t function_id;
    int64_t line, column;
    size_t offset;
};

/* Its lines are lines.v[line_off .. line_off + n_lines). */
struct loose_location {
    uint64_t id, mapping_id, address;
    size_t line_off, n_lines, offset;
    bool is_folded, broken;
};

struct loose_comment {
    int64_t index;
    size_t offset;
};

/* A number of the profile itself; all 0: it is not there. */
struct loose_number {
    uint64_t value;
    size_t offset;
};

struct loose {
    const uint8_t *data;
    size_t n;
    VEC(struct loose_string) strings;
    VEC(struct loose_type) types;
    VEC(struct loose_mapping) mappings;
    VEC(struct loose_function) functions;
    VEC(struct loose_location) locations;
    VEC(struct loose_line) lines;
    VEC(struct loose_comment) comments;
    struct loose_number header[PROFILE_DOC_URL + 1]; /* by field */
    bool has_period_type;
    struct loose_type period_type; /* the last one */
    size_t n_samples;
    size_t first_sample; /* offset */
    size_t lost;         /* bytes at the end that cannot be read */
};

/*
 * False only when memory is out; loose_free(m) in any case.  faults may be
 * null.  Of samples nothing is told yet.
 */
bool loose_read(struct loose *m, const uint8_t *data, size_t n,
                const struct loose_faults *faults, struct err *err);
void loose_free(struct loose *m);

/* num and str as given; has_num: there was one, be it 0. */
struct loose_label {
    int64_t key, str, num, unit;
    bool has_num;
    size_t offset;
};

/* Zero before the first one. */
struct loose_sample {
    size_t index, offset;
    bool broken; /* some of it could not be read */
    VEC(uint64_t) ids;
    VEC(int64_t) values;
    VEC(struct loose_label) labels;
    size_t next, n_read; /* private */
};

/* 1: *s is the next sample; 0: there is none; -1: memory is out. */
int loose_next_sample(const struct loose *m, struct loose_sample *s,
                      const struct loose_faults *faults, struct err *err);
void loose_sample_free(struct loose_sample *s);

/* What profile.proto calls the field, or null. */
const char *loose_field_name(enum loose_kind kind, uint32_t number);

#endif
