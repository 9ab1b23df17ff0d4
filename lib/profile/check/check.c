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

static void check_string_zero(struct checker *x)
{
    char text[FINDING_QUOTE];
    if (!x->m.strings.n) {
        found(x, RULE_STRING_ZERO, &PLACE_PROFILE, "no string table");
        x->incomplete = true;
        return;
    }
    if (!x->m.strings.v[0].n)
        return;
    const struct check_place p = place_of_string(x, 0);
    found(x, RULE_STRING_ZERO, &p, "is %s", finding_quote(x, 0, text));
}

/* The offset of the first byte that is not UTF-8, or n. */
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

static bool check_string(struct checker *x, size_t i)
{
    const struct tolerant_string *s = &x->m.strings.v[i];
    const uint8_t *from = x->m.data + s->at;
    char text[FINDING_QUOTE];
    if (!strtab_add(&x->strings, (const char *)from, s->n, &x->string_id[i]))
        return checker_nomem(x);
    if (i && !s->n && !x->second_empty)
        x->second_empty = i;
    size_t odd = first_odd_byte(from, s->n);
    if (odd < s->n) {
        const struct check_place p = place_of_string(x, i);
        found(x, RULE_STRING_UTF8, &p, "byte %zu of %s is not valid UTF-8", odd,
              finding_quote(x, (int64_t)i, text));
    }
    return true;
}

static bool check_strings(struct checker *x)
{
    size_t n = x->m.strings.n;
    x->string_id = mem_zarray(n + 1, sizeof *x->string_id);
    if (!x->string_id)
        return checker_nomem(x);
    check_string_zero(x);
    for (size_t i = 0; i < n; i++)
        if (!check_string(x, i))
            return false;
    return !x->failed;
}

/* --- units */

enum family { UNKNOWN, COUNT, TIME, MEMORY };

struct named_family {
    const char *name;
    enum family family;
};

/* Units of counts, which do not scale. */
static const char *const count_units[] = {
    "count",  "counts",  "sample", "samples",     "object",    "objects",
    "call",   "calls",   "event",  "events",      "goroutine", "goroutines",
    "thread", "threads", "lock",   "contentions", "locks",
};

/*
 * What types of these names count, whoever writes them: runtime/pprof of Go,
 * gperftools, and profilers of other languages that follow them.
 */
static const struct named_family known_types[] = {
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

static enum family family_of_unit(const char *unit)
{
    if (measure_compatible(unit, "nanoseconds"))
        return TIME;
    if (measure_compatible(unit, "bytes"))
        return MEMORY;
    for (size_t i = 0; i < sizeof count_units / sizeof *count_units; i++)
        if (!strcmp(count_units[i], unit))
            return COUNT;
    return UNKNOWN;
}

static enum family family_of_type(const char *type)
{
    for (size_t i = 0; i < sizeof known_types / sizeof *known_types; i++)
        if (!strcmp(known_types[i].name, type))
            return known_types[i].family;
    return UNKNOWN;
}

/* Whether a type of this family cannot have such units. */
static bool contradict(enum family type, enum family unit)
{
    if (type == TIME && unit == COUNT) /* samples of it, as async-profiler's */
        return false;
    return type && unit && type != unit;
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
    else if (contradict(family_of_type(name), family_of_unit(text)))
        found(x, RULE_UNIT_CONTRADICTION, &p, "is %.*s for %.*s", SHOWN, text,
              SHOWN, name);
}

/* --- sample types */

/* first[string id of a name] is 1 + the first type with that name. */
static void check_type(struct checker *x, size_t i, size_t *first)
{
    const struct tolerant_type *t = &x->m.types.v[i];
    const struct check_place p = place_of(ENTITY_SAMPLE_TYPE, i, 0, t->offset);
    char text[FINDING_QUOTE];
    uint32_t type = checker_string(x, t->type, &p, "type");
    uint32_t unit = checker_string(x, t->unit, &p, "unit");
    if (checker_is_lost(x, t->type) || checker_is_lost(x, t->unit))
        return;
    if (!type)
        found(x, RULE_UNNAMED_SAMPLE_TYPE, &p, "has no name");
    else if (!first[type])
        first[type] = i + 1;
    else
        found(x, RULE_DUPLICATE_SAMPLE_TYPE, &p,
              "is named %s, like sample_type %zu",
              finding_quote(x, t->type, text), first[type] - 1);
    check_unit(x, type, unit, &p);
}

static bool check_types(struct checker *x)
{
    size_t n = x->m.types.n;
    size_t *first = mem_zarray(x->strings.n, sizeof *first);
    if (!first)
        return checker_nomem(x);
    for (size_t i = 0; i < n; i++)
        check_type(x, i, first);
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

/* The string that a field of the profile names. */
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

static void check_signs(struct checker *x)
{
    static const enum profile_field fields[] = {
        PROFILE_TIME_NANOS, PROFILE_DURATION_NANOS, PROFILE_PERIOD};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        int64_t v = (int64_t)x->m.header[fields[i]].value;
        const struct check_place p = place_of_header(x, fields[i]);
        if (v < 0)
            found(x, RULE_NEGATIVE_HEADER, &p, "is %" PRId64, v);
    }
}

/*
 * What is wrong, after "invalid regular expression '...': ".  The pattern is
 * not shown: it may be any bytes, and may look like the end of itself.
 */
static const char *reason(const struct prof_err *why)
{
    const char *last = why->text;
    for (const char *p = last; (p = strstr(p, "': ")); p++)
        last = p + 3;
    return last;
}

static void check_regexp(struct checker *x, enum profile_field field)
{
    uint32_t id = header_string(x, field);
    struct prof_err why;
    const char *pattern = strtab_plain(&x->strings, id);
    if (!*pattern)
        return;
    bool ok = regex_check(pattern, &why);
    if (!ok && why.kind == PROF_ERR_SYSTEM) {
        x->failed = true;
        *x->err = why;
    } else if (!ok) {
        const struct check_place p = place_of_header(x, field);
        found(x, RULE_FRAMES_REGEXP, &p,
              "is not a valid regular expression: %s", reason(&why));
    }
}

static void check_url(struct checker *x)
{
    uint32_t id = header_string(x, PROFILE_DOC_URL);
    const char *url = strtab_plain(&x->strings, id);
    char text[FINDING_QUOTE];
    /* Schemes have no case. */
    if (!id || !strncasecmp(url, "http://", 7) ||
        !strncasecmp(url, "https://", 8))
        return;
    const struct check_place p = place_of_header(x, PROFILE_DOC_URL);
    int64_t index = (int64_t)x->m.header[PROFILE_DOC_URL].value;
    found(x, RULE_DOC_URL, &p, "is %s", finding_quote(x, index, text));
}

static void check_comments(struct checker *x)
{
    static const char incomplete[] = PROF_INCOMPLETE;
    for (size_t i = 0; i < x->m.comments.n; i++) {
        const struct tolerant_comment *c = &x->m.comments.v[i];
        const struct check_place p = place_of(ENTITY_COMMENT, i, 0, c->offset);
        uint32_t id = checker_string(x, c->index, &p, NULL);
        char text[FINDING_QUOTE];
        if (strncmp(strtab_plain(&x->strings, id), incomplete,
                    sizeof incomplete - 1) == 0)
            found(x, RULE_INCOMPLETE, &p, "is %s",
                  finding_quote(x, c->index, text));
    }
}

static bool check_header(struct checker *x)
{
    if (!check_types(x))
        return false;
    check_default_type(x);
    check_period(x);
    check_signs(x);
    check_regexp(x, PROFILE_DROP_FRAMES);
    check_regexp(x, PROFILE_KEEP_FRAMES);
    check_url(x);
    check_comments(x);
    return !x->failed;
}

/* --- all of a message */

/* A string table starts with "", and ids repeat in every message. */
static void check_concatenation(struct checker *x)
{
    if (!x->second_empty || (!x->counts->of[RULE_DUPLICATE_ID] &&
                             !x->counts->of[RULE_REPEATED_TIME]))
        return;
    const struct check_place p = place_of_string(x, x->second_empty);
    found(x, RULE_CONCATENATED, &p,
          "is empty, and ids or times repeat (several uncompressed profiles "
          "concatenated?)");
}

static bool check_wire(struct checker *x, const uint8_t *data, size_t n)
{
    const struct tolerant_faults faults = finding_faults(x);
    if (!tolerant_read(&x->m, data, n, &faults, x->err))
        return checker_nomem(x);
    return !x->failed;
}

static void checker_free(struct checker *x)
{
    tolerant_free(&x->m);
    strtab_free(&x->strings);
    free(x->string_id);
    idmap_free(&x->mapping_of);
    idmap_free(&x->function_of);
    idmap_free(&x->location_of);
}

bool prof_check(const void *data, size_t n, const struct prof_check_opts *opts,
                struct prof_check_counts *counts, struct prof_err *err)
{
    struct checker x = {.opts = opts, .counts = counts, .err = err};
    if (!strtab_init(&x.strings))
        return err_nomem(err);
    if (check_wire(&x, data, n) && check_strings(&x) && check_header(&x) &&
        check_entities(&x))
        check_concatenation(&x);
    checker_free(&x);
    return !x.failed;
}
