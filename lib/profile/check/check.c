/* check.c - checks a message: wire format, strings, header, then the rest */
#include "profile/check/check.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/utf8.h"
#include "profile/check/private.h"
#include "profile/columns.h"

/* --- strings */

static struct check_place place_of_string(const struct checker *x, size_t i)
{
    return place_of(ENTITY_STRING, i, 0, x->m.strings.v[i].at);
}

/* Returns the offset of the first byte that is not valid UTF-8, or n. */
static size_t first_odd_byte(const uint8_t *s, size_t n)
{
    size_t i = 0;
    while (i < n) {
        size_t k = s[i] < 0x80 ? 1 : utf8_char(s + i, n - i, NULL);
        if (!k)
            break;
        i += k;
    }
    return i;
}

static bool check_strings(struct checker *x)
{
    size_t n = x->m.strings.n;
    char text[FINDING_QUOTE];
    x->string_id = mem_zarray(n + 1, sizeof *x->string_id);
    if (!x->string_id)
        return checker_nomem(x);
    if (!n) {
        found(x, RULE_STRING_ZERO, &PLACE_PROFILE, "no string table");
        x->incomplete = true;
    } else if (x->m.strings.v[0].n) {
        const struct check_place p = place_of_string(x, 0);
        found(x, RULE_STRING_ZERO, &p, "is %s", finding_quote(x, 0, text));
    }
    for (size_t i = 0; i < n; i++) {
        const struct tolerant_string *s = &x->m.strings.v[i];
        const uint8_t *from = x->m.data + s->at;
        if (!strtab_add(&x->strings, (const char *)from, s->n,
                        &x->string_id[i]))
            return checker_nomem(x);
        if (i && !s->n && !x->second_empty)
            x->second_empty = i;
        size_t odd = first_odd_byte(from, s->n);
        if (odd < s->n) {
            const struct check_place p = place_of_string(x, i);
            found(x, RULE_STRING_UTF8, &p, "byte %zu of %s is not valid UTF-8",
                  odd, finding_quote(x, (int64_t)i, text));
        }
    }
    return !x->failed;
}

/* --- units */

enum family { UNKNOWN, COUNT, TIME, MEMORY };

/* Units of counts, which do not scale. */
static const char *const count_units[] = {
    "count",  "counts",  "sample", "samples",     "object",    "objects",
    "call",   "calls",   "event",  "events",      "goroutine", "goroutines",
    "thread", "threads", "lock",   "contentions", "locks",
};

/*
 * What sample types with these names count, in profiles of runtime/pprof of Go,
 * gperftools, and profilers of other languages that follow them.
 */
static const struct {
    const char *name;
    enum family family;
} known_types[] = {
    {"cpu", TIME},
    {"wall", TIME},
    {"delay", TIME},
    {"samples", COUNT},
    {"contentions", COUNT},
    {"objects", COUNT},
    {"alloc_objects", COUNT},
    {"inuse_objects", COUNT},
    {"calls", COUNT},
    {"goroutine", COUNT},
    {"threadcreate", COUNT},
    {"space", MEMORY},
    {"alloc_space", MEMORY},
    {"inuse_space", MEMORY},
};

/* Returns whether a type with this name cannot have this unit. */
static bool contradict(const char *type, const char *unit)
{
    enum family of_type = UNKNOWN, of_unit = UNKNOWN;
    for (size_t i = 0; i < sizeof known_types / sizeof *known_types; i++)
        if (!strcmp(known_types[i].name, type))
            of_type = known_types[i].family;
    if (measure_compatible(unit, "nanoseconds"))
        of_unit = TIME;
    else if (measure_compatible(unit, "bytes"))
        of_unit = MEMORY;
    for (size_t i = 0; i < sizeof count_units / sizeof *count_units; i++)
        if (of_unit == UNKNOWN && !strcmp(count_units[i], unit))
            of_unit = COUNT;
    /* async-profiler has types of time whose unit is a count of samples. */
    if (of_type == TIME && of_unit == COUNT)
        return false;
    return of_type && of_unit && of_type != of_unit;
}

static void check_unit(struct checker *x, uint32_t type, uint32_t unit,
                       const struct check_place *at)
{
    enum { SHOWN = 64 };
    const struct check_place p = place_field(*at, "unit");
    const char *name = strtab_plain(&x->strings, type);
    const char *text = strtab_plain(&x->strings, unit);
    if (!unit)
        found(x, RULE_UNIT_MISSING, &p, "is missing");
    else if (contradict(name, text))
        found(x, RULE_UNIT_CONTRADICTION, &p,
              "'%.*s' does not fit sample type '%.*s'", SHOWN, text, SHOWN,
              name);
}

/* --- sample types */

static bool check_types(struct checker *x)
{
    size_t n = x->m.types.n;
    /* By string id of a name: 1 + the first type with that name. */
    size_t *first = mem_zarray(x->strings.n, sizeof *first);
    if (!first)
        return checker_nomem(x);
    for (size_t i = 0; i < n; i++) {
        const struct tolerant_type *t = &x->m.types.v[i];
        const struct check_place p =
            place_of(ENTITY_SAMPLE_TYPE, i, 0, t->offset);
        char text[FINDING_QUOTE];
        uint32_t type = checker_string(x, t->type, &p, "type");
        uint32_t unit = checker_string(x, t->unit, &p, "unit");
        if (checker_is_lost(x, t->type) || checker_is_lost(x, t->unit))
            continue;
        if (!type)
            found(x, RULE_UNNAMED_SAMPLE_TYPE, &p, "has no name");
        else if (!first[type])
            first[type] = i + 1;
        else
            found(x, RULE_DUPLICATE_SAMPLE_TYPE, &p,
                  "has the same name as sample_type %zu: %s", first[type] - 1,
                  finding_quote(x, t->type, text));
        check_unit(x, type, unit, &p);
    }
    free(first);
    if (!n && x->m.n_samples)
        found(x, RULE_NO_SAMPLE_TYPE, &PLACE_PROFILE,
              "has %zu samples, but no sample types", x->m.n_samples);
    return !x->failed;
}

/* --- the profile's own fields */

static struct check_place place_of_header(const struct checker *x,
                                          enum profile_field field)
{
    const struct tolerant_number *n = &x->m.header[field];
    struct check_place p = PLACE_PROFILE;
    if (n->value)
        p.offset = n->offset;
    p.field = tolerant_field_name(TOLERANT_PROFILE, field);
    return p;
}

/* Returns the id of the string that a field of the profile refers to. */
static uint32_t header_string(struct checker *x, enum profile_field field)
{
    const struct check_place p = place_of_header(x, field);
    return checker_string(x, (int64_t)x->m.header[field].value, &p, p.field);
}

static void check_default_type(struct checker *x)
{
    uint32_t name = header_string(x, PROFILE_DEFAULT_SAMPLE_TYPE);
    char text[FINDING_QUOTE];
    if (!name)
        return;
    for (size_t i = 0; i < x->m.types.n; i++) {
        int64_t type = x->m.types.v[i].type;
        if (type > 0 && (uint64_t)type < x->m.strings.n &&
            x->string_id[type] == name)
            return;
    }
    const struct check_place p =
        place_of_header(x, PROFILE_DEFAULT_SAMPLE_TYPE);
    int64_t index = (int64_t)x->m.header[PROFILE_DEFAULT_SAMPLE_TYPE].value;
    found(x, RULE_DEFAULT_SAMPLE_TYPE, &p,
          "is %s, but no sample type has this name",
          finding_quote(x, index, text));
}

static void check_period(struct checker *x)
{
    int64_t period = (int64_t)x->m.header[PROFILE_PERIOD].value;
    const struct tolerant_type *t = &x->m.period_type;
    struct check_place at =
        place_of(ENTITY_PERIOD_TYPE, PLACE_NONE, 0,
                 x->m.has_period_type ? t->offset : PLACE_NONE);
    uint32_t type = checker_string(x, t->type, &at, "type");
    uint32_t unit = checker_string(x, t->unit, &at, "unit");
    if (checker_is_lost(x, t->type) || checker_is_lost(x, t->unit))
        return;
    if (period && !type && !unit) {
        at = place_of_header(x, PROFILE_PERIOD);
        found(x, RULE_PERIOD_TYPE_MISSING, &at,
              "is %" PRId64 ", but there is no period_type", period);
    }
    if (type || unit)
        check_unit(x, type, unit, &at);
}

static void check_regexp(struct checker *x, enum profile_field field)
{
    uint32_t id = header_string(x, field);
    struct prof_err why;
    const char *pattern = strtab_plain(&x->strings, id);
    if (!*pattern || regex_check(pattern, &why))
        return;
    if (why.kind == PROF_ERR_SYSTEM) {
        x->failed = true;
        *x->err = why;
        return;
    }
    /*
     * Show only what follows "invalid regular expression '...': ".  The pattern
     * may have any bytes, even those of this end, so skip to the last.
     */
    const char *reason = why.text, *end;
    while ((end = strstr(reason, "': ")))
        reason = end + 3;
    const struct check_place p = place_of_header(x, field);
    found(x, RULE_FRAMES_REGEXP, &p, "is not a valid regular expression: %s",
          reason);
}

static bool check_header(struct checker *x)
{
    static const enum profile_field unsigned_fields[] = {
        PROFILE_TIME_NANOS, PROFILE_DURATION_NANOS, PROFILE_PERIOD};
    char text[FINDING_QUOTE];
    if (!check_types(x))
        return false;
    check_default_type(x);
    check_period(x);
    for (size_t i = 0; i < sizeof unsigned_fields / sizeof *unsigned_fields;
         i++) {
        const struct check_place p = place_of_header(x, unsigned_fields[i]);
        int64_t v = (int64_t)x->m.header[unsigned_fields[i]].value;
        if (v < 0)
            found(x, RULE_NEGATIVE_HEADER, &p, "is %" PRId64, v);
    }
    check_regexp(x, PROFILE_DROP_FRAMES);
    check_regexp(x, PROFILE_KEEP_FRAMES);

    uint32_t url = header_string(x, PROFILE_DOC_URL);
    const char *scheme = strtab_plain(&x->strings, url);
    /* Schemes are case-insensitive. */
    if (url && strncasecmp(scheme, "http://", 7) != 0 &&
        strncasecmp(scheme, "https://", 8) != 0) {
        const struct check_place p = place_of_header(x, PROFILE_DOC_URL);
        found(x, RULE_DOC_URL, &p, "is %s",
              finding_quote(x, (int64_t)x->m.header[PROFILE_DOC_URL].value,
                            text));
    }
    for (size_t i = 0; i < x->m.comments.n; i++) {
        const struct tolerant_comment *c = &x->m.comments.v[i];
        const struct check_place p = place_of(ENTITY_COMMENT, i, 0, c->offset);
        const char *comment =
            strtab_plain(&x->strings, checker_string(x, c->index, &p, NULL));
        if (!strncmp(comment, PROF_INCOMPLETE, strlen(PROF_INCOMPLETE)))
            found(x, RULE_INCOMPLETE, &p, "is %s",
                  finding_quote(x, c->index, text));
    }
    return !x->failed;
}

/* --- all of a message */

bool prof_check(const void *data, size_t n, const struct prof_check_opts *opts,
                struct prof_check_counts *counts, struct prof_err *err)
{
    struct checker x = {.opts = opts, .counts = counts, .err = err};
    const struct tolerant_faults faults = finding_faults(&x);
    if (!strtab_init(&x.strings))
        return err_nomem(err);
    if (!tolerant_read(&x.m, data, n, &faults, err))
        x.failed = true;
    bool whole = !x.failed && check_strings(&x) && check_header(&x) &&
                 check_entities(&x);
    /*
     * Each message has its own ids and a string table that begins with "".  So
     * a second "" with repeated ids is probably a second message.
     */
    if (whole && x.second_empty &&
        (counts->of[RULE_DUPLICATE_ID] || counts->of[RULE_REPEATED_TIME])) {
        const struct check_place p = place_of_string(&x, x.second_empty);
        found(&x, RULE_CONCATENATED, &p,
              "second empty string, and IDs or times repeat (several "
              "uncompressed profiles concatenated?)");
    }
    tolerant_free(&x.m);
    strtab_free(&x.strings);
    free(x.string_id);
    idmap_free(&x.mapping_of);
    idmap_free(&x.function_of);
    idmap_free(&x.location_of);
    return !x.failed;
}
