/*
 * private.h - the parts of prof_check()
 *
 * | check.c          | the wire format, strings, sample types, the header  |
 * | check_entities.c | mappings, functions, locations, flags; samples      |
 * | finding.c        | counting and reporting findings                     |
 *
 * Functions that return bool return false when memory is out or a report
 * failed: checker.failed is then set, and *checker.err says why.
 */
#ifndef PROFUTILS_PROFILE_CHECK_PRIVATE_H
#define PROFUTILS_PROFILE_CHECK_PRIVATE_H

#include "base/strtab.h"
#include "profile/check/check.h"
#include "profile/wire/idmap.h"
#include "profile/wire/tolerant.h"

struct checker {
    struct tolerant m;
    const struct prof_check_opts *opts;
    struct prof_check_counts *counts;
    struct prof_err *err;
    bool failed;           /* *err is set; nothing more is reported */
    bool incomplete;       /* the message is cut, or has no string table */
    struct strtab strings; /* the distinct strings of the message */
    uint32_t *string_id;   /* id in `strings`, by index in the message */
    size_t second_empty;   /* index of an empty string after the first; or 0 */
    struct idmap mapping_of, function_of, location_of; /* indices by id */
};

/* Counts a violation.  Returns whether to report it, too. */
bool finding_wanted(struct checker *x, enum check_rule rule);

/* Reports a violation, which finding_wanted() has counted. */
void finding_report(struct checker *x, enum check_rule rule,
                    const struct check_place *place, const char *fmt, ...)
    ERR_PRINTF(4, 5);

/* Counts a violation, and reports it if it is among the first. */
#define found(x, rule, place, ...)                                             \
    (finding_wanted((x), (rule))                                               \
         ? finding_report((x), (rule), (place), __VA_ARGS__)                   \
         : (void)0)

/* Returns a callback that reports the faults of tolerant.h as findings. */
struct tolerant_faults finding_faults(struct checker *x);

/*
 * Writes the string with this index to text[], quoted, escaped and truncated to
 * 100 bytes.  Returns text.
 */
enum { FINDING_QUOTE = 412 };
const char *finding_quote(const struct checker *x, int64_t index,
                          char text[FINDING_QUOTE]);

/*
 * Returns the id in x->strings of the string with this index.  If there is no
 * such string, reports it at `field` of the place and returns 0, the id of "".
 */
uint32_t checker_string(struct checker *x, int64_t index,
                        const struct check_place *at, const char *field);

/* Whether there is no string with this index; checker_string() reports it. */
static inline bool checker_is_lost(const struct checker *x, int64_t index)
{
    return index < 0 || (index && (uint64_t)index >= x->m.strings.n);
}

static inline bool checker_nomem(struct checker *x)
{
    x->failed = true;
    return err_nomem(x->err);
}

/* The place of the profile itself, without an offset. */
#define PLACE_PROFILE                                                          \
    (struct check_place)                                                       \
    {                                                                          \
        .entity = ENTITY_PROFILE, .index = PLACE_NONE, .offset = PLACE_NONE    \
    }

static inline struct check_place
place_of(enum check_entity entity, size_t index, uint64_t id, size_t offset)
{
    return (struct check_place){
        .entity = entity, .index = index, .id = id, .offset = offset};
}

/* Return the place of a field, or of a part, of an entity. */
static inline struct check_place place_field(struct check_place p,
                                             const char *field)
{
    p.field = field;
    return p;
}

static inline struct check_place place_part(struct check_place p,
                                            enum check_part part, size_t index,
                                            size_t offset)
{
    p.part = part;
    p.part_index = index;
    p.offset = offset;
    return p;
}

/* Checks mappings, functions, locations and samples.  Call it after strings and
 * sample types were checked. */
bool check_entities(struct checker *x);

#endif
