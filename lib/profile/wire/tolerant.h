/*
 * tolerant.h - reads a damaged profile.proto message as far as possible
 *
 * pb_decode() refuses a message at the first fault.  This reader goes on, and
 * reports each fault to a callback.  Numbers are those of the file: ids,
 * references and string indices may be anything.
 *
 * | what      | rule                                                       |
 * | offsets   | from the start of the message, at the tag of the field     |
 * | indices   | from 0 in the order of the file, per kind of entity        |
 * | samples   | read one by one, in order; never all in memory             |
 * | ownership | the bytes are the caller's and must outlive the struct     |
 * | memory    | proportional to the size of the message                    |
 * | errors    | only if memory is out                                      |
 */
#ifndef PROFUTILS_PROFILE_WIRE_TOLERANT_H
#define PROFUTILS_PROFILE_WIRE_TOLERANT_H

#include "base/err.h"
#include "base/vec.h"
#include "profile/wire/wire.h"

/* The messages of profile.proto. */
enum tolerant_kind {
    TOLERANT_PROFILE,
    TOLERANT_SAMPLE_TYPE,
    TOLERANT_PERIOD_TYPE,
    TOLERANT_SAMPLE,
    TOLERANT_LABEL,
    TOLERANT_MAPPING,
    TOLERANT_LOCATION,
    TOLERANT_LINE,
    TOLERANT_FUNCTION,
    TOLERANT_KINDS,
};

enum tolerant_fault_kind {
    TOLERANT_CUT,       /* the message ends within a field */
    TOLERANT_NO_FIELD,  /* the bytes are not a field of any message */
    TOLERANT_WIRE_TYPE, /* the field has a wrong wire type; skipped */
    TOLERANT_UNKNOWN,   /* profile.proto has no such field; skipped */
    TOLERANT_TWICE, /* a field of the profile is repeated; the last counts */
};

/* After the first two kinds of faults, the message cannot be read further. */
struct tolerant_fault {
    enum tolerant_fault_kind kind;
    enum tolerant_kind in;
    size_t index; /* of the entity; of the sample or location */
    size_t inner; /* of the label or line within it */
    size_t offset;
    uint32_t field, wire_type; /* 0, 0 if they cannot be read */
    size_t lost;               /* bytes that cannot be read: first two kinds */
};

/* Receives faults.  A null pointer to it: faults are not reported. */
struct tolerant_faults {
    void (*report)(void *ctx, const struct tolerant_fault *fault);
    void *ctx;
};

struct tolerant_string {
    size_t at, n; /* data[at .. at + n) */
};

struct tolerant_type {
    int64_t type, unit;
    size_t offset;
};

enum tolerant_flag {
    TOLERANT_HAS_FUNCTIONS,
    TOLERANT_HAS_FILENAMES,
    TOLERANT_HAS_LINE_NUMBERS,
    TOLERANT_HAS_INLINE_FRAMES,
    TOLERANT_FLAGS,
};

/* Entities begin with their ids, for idmap.h. */
struct tolerant_mapping {
    uint64_t id, start, limit, file_offset;
    int64_t filename, build_id;
    size_t offset;
    bool has[TOLERANT_FLAGS];
};

struct tolerant_function {
    uint64_t id;
    int64_t name, system_name, filename, start_line;
    size_t offset;
};

struct tolerant_line {
    uint64_t function_id;
    int64_t line, column;
    size_t offset;
};

/* Its lines are lines.v[line_off .. line_off + n_lines). */
struct tolerant_location {
    uint64_t id, mapping_id, address;
    size_t line_off, n_lines, offset;
    bool is_folded;
};

struct tolerant_comment {
    int64_t index;
    size_t offset;
};

/* A number of the profile itself; all 0: it is missing. */
struct tolerant_number {
    uint64_t value;
    size_t offset;
};

struct tolerant_label {
    int64_t key, str, num, unit;
    size_t offset;
};

struct tolerant_sample {
    size_t index, offset;
    bool broken; /* some of it could not be read */
    VEC(uint64_t) ids;
    VEC(int64_t) values;
    VEC(struct tolerant_label) labels;
};

struct tolerant {
    const uint8_t *data;
    size_t n;
    VEC(struct tolerant_string) strings;
    VEC(struct tolerant_type) types;
    VEC(struct tolerant_mapping) mappings;
    VEC(struct tolerant_function) functions;
    VEC(struct tolerant_location) locations;
    VEC(struct tolerant_line) lines;
    VEC(struct tolerant_comment) comments;
    struct tolerant_number header[PROFILE_DOC_URL + 1]; /* values by field */
    bool has_period_type;
    struct tolerant_type period_type; /* the last one */
    size_t n_samples;
    size_t lost;                   /* bytes at the end that cannot be read */
    struct tolerant_sample sample; /* the one read last */
    size_t next_sample, n_read;    /* private: offset, index */
};

/*
 * Reads all but the samples, and reports faults outside samples.  False when
 * memory is out; call tolerant_free() then, too.
 */
bool tolerant_read(struct tolerant *m, const uint8_t *data, size_t n,
                   const struct tolerant_faults *faults, struct prof_err *err);
void tolerant_free(struct tolerant *m);

/*
 * 1: m->sample is the next sample; 0: there are no more; -1: memory is out.
 */
int tolerant_next_sample(struct tolerant *m,
                         const struct tolerant_faults *faults,
                         struct prof_err *err);

/* What profile.proto calls the field, or null. */
const char *tolerant_field_name(enum tolerant_kind kind, uint32_t number);

#endif
