/*
 * examiner.h - the parts of doctor_examine(), private to lib/doctor
 *
 * Each looks at one kind of thing, in the order of the functions below: what
 * comes first is what the others look up.
 */
#ifndef PROFUTILS_DOCTOR_EXAMINER_H
#define PROFUTILS_DOCTOR_EXAMINER_H

#include "base/strtab.h"
#include "check/examine.h"
#include "pb/idmap.h"
#include "pb/loose.h"

struct examiner {
    struct loose m;
    const struct doctor_opts *opts;
    struct doctor_counts *counts;
    struct buf text; /* of the finding at hand */
    bool failed;     /* *err says why; nothing is told any more */
    bool lacks_rest; /* the message is cut, or has no string table */
    struct err *err;

    struct strtab strings; /* equal ones are one */
    uint32_t *string_id;   /* in it, by index in the file's table */
    struct idmap mapping_of, function_of, location_of;
    /* 1 where something refers to it, by index. */
    uint8_t *string_used, *mapping_used, *function_used, *location_used;
    size_t unknown_told; /* findings of RULE_UNKNOWN_FIELD */
};

/* Counts a violation; whether it is also to be told: examiner_found(). */
bool examiner_wants(struct examiner *x, enum doctor_rule rule);

/* `amount` violations, which have been counted, as one finding. */
void examiner_tell(struct examiner *x, enum doctor_rule rule, uint64_t amount,
                   const struct doctor_place *place, const char *fmt, ...)
    ERR_PRINTF(5, 6);

/* Counts a violation, and tells it if so many are wanted. */
#define examiner_found(x, rule, place, ...)                                    \
    (examiner_wants((x), (rule))                                               \
         ? examiner_tell((x), (rule), 1, (place), __VA_ARGS__)                 \
         : (void)0)

/* *err is set, and nothing goes on. */
bool examiner_nomem(struct examiner *x);

/* The string of that index for a text, in quotes, escaped, and cut. */
enum { EXAMINER_QUOTE = 412 };
const char *examiner_quote(const struct examiner *x, int64_t index,
                           char text[EXAMINER_QUOTE]);

/*
 * The id in x->strings of the string with this index; 0, "", also if there
 * is none, which is told of the place's field.
 */
uint32_t examiner_string(struct examiner *x, int64_t index,
                         const struct doctor_place *at, const char *field);

/* Whether an index is of no string: that says all there is to say of a name. */
static inline bool examiner_is_lost(const struct examiner *x, int64_t index)
{
    return index < 0 || (index && (uint64_t)index >= x->m.strings.n);
}

/* A place within another. */
static inline struct doctor_place place_field(struct doctor_place p,
                                              const char *field)
{
    p.field = field;
    return p;
}

static inline struct doctor_place place_part(struct doctor_place p,
                                             enum doctor_part part,
                                             size_t index, size_t offset)
{
    p.part = part;
    p.part_index = index;
    p.offset = offset;
    return p;
}

static inline struct doctor_place
place_of(enum doctor_entity entity, size_t index, uint64_t id, size_t offset)
{
    return (struct doctor_place){
        .entity = entity, .index = index, .id = id, .offset = offset};
}

/* False: see x->failed. */

/* Reads x->m; all that is odd on the wire: examine_wire.c. */
bool examine_wire(struct examiner *x, const uint8_t *data, size_t n);
bool examine_strings(struct examiner *x); /* examine_strings.c */
bool examine_header(struct examiner *x);  /* examine_header.c */
void examine_unit(struct examiner *x, uint32_t type, uint32_t unit,
                  const struct doctor_place *at); /* examine_units.c */
bool examine_mappings(struct examiner *x);        /* examine_mappings.c */
bool examine_functions(struct examiner *x);       /* examine_locations.c */
bool examine_locations(struct examiner *x);
bool examine_flags(struct examiner *x);   /* examine_flags.c */
bool examine_samples(struct examiner *x); /* examine_samples.c */
void examine_unused(struct examiner *x);  /* examine_unused.c */

/* Entities of one kind, which begin with their ids: examine_ids.c. */
struct entities {
    enum doctor_entity kind;
    const void *v;
    size_t n, size, offset_at; /* bytes of each; where its offset is in it */
};
#define ENTITIES(kind, type, vec)                                              \
    (struct entities)                                                          \
    {                                                                          \
        (kind), (vec).v, (vec).n, sizeof(type), offsetof(type, offset)         \
    }
bool examine_ids(struct examiner *x, const struct entities *e,
                 struct idmap *map, uint8_t **used);

/* What there is of labels in a sample; the unit of each key so far. */
struct label_units;
struct label_units *examine_labels_new(const struct examiner *x);
void examine_labels(struct examiner *x, struct label_units *units,
                    const struct loose_sample *s); /* examine_labels.c */
void examine_labels_free(struct label_units *units);

#endif
