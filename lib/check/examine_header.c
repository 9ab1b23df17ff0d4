/* Sample types, and what is said of the profile as a whole. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "check/examiner.h"
#include "profile/filter/regex.h"

static struct doctor_place place_of_header(const struct examiner *x,
                                           enum profile_field field)
{
    const struct loose_number *n = &x->m.header[field];
    struct doctor_place p = PLACE_WHOLE;
    if (n->value)
        p.offset = n->offset;
    p.field = loose_field_name(LOOSE_PROFILE, field);
    return p;
}

/* The string that a field of the profile names. */
static uint32_t header_string(struct examiner *x, enum profile_field field)
{
    const struct doctor_place p = place_of_header(x, field);
    return examiner_string(x, (int64_t)x->m.header[field].value, &p, p.field);
}

/* first[string id of a name] is 1 + the first type called so. */
static void look_at_type(struct examiner *x, size_t i, size_t *first)
{
    const struct loose_type *t = &x->m.types.v[i];
    const struct doctor_place p = place_of(ENTITY_SAMPLE_TYPE, i, 0, t->offset);
    char text[EXAMINER_QUOTE];
    uint32_t type = examiner_string(x, t->type, &p, "type");
    uint32_t unit = examiner_string(x, t->unit, &p, "unit");
    if (examiner_is_lost(x, t->type) || examiner_is_lost(x, t->unit))
        return;
    if (!type)
        examiner_found(x, RULE_UNNAMED_SAMPLE_TYPE, &p, "has no name");
    else if (!first[type])
        first[type] = i + 1;
    else
        examiner_found(x, RULE_DUPLICATE_SAMPLE_TYPE, &p,
                       "is called %s, as is sample_type %zu",
                       examiner_quote(x, t->type, text), first[type] - 1);
    examine_unit(x, type, unit, &p);
}

static bool look_at_types(struct examiner *x)
{
    size_t n = x->m.types.n;
    size_t *first = mem_zarray(x->strings.n, sizeof *first);
    if (!first)
        return examiner_nomem(x);
    for (size_t i = 0; i < n; i++)
        look_at_type(x, i, first);
    free(first);
    if (!n && x->m.n_samples)
        examiner_found(x, RULE_NO_SAMPLE_TYPE, &PLACE_WHOLE,
                       "has %zu samples, but no sample types", x->m.n_samples);
    if (!x->m.n_samples)
        examiner_found(x, RULE_NO_SAMPLES, &PLACE_WHOLE, "has no samples");
    return !x->failed;
}

static void look_at_default(struct examiner *x)
{
    uint32_t name = header_string(x, PROFILE_DEFAULT_SAMPLE_TYPE);
    char text[EXAMINER_QUOTE];
    if (!name)
        return;
    for (size_t i = 0; i < x->m.types.n; i++) {
        int64_t type = x->m.types.v[i].type;
        if (type > 0 && (uint64_t)type < x->m.strings.n &&
            x->string_id[type] == name)
            return;
    }
    const struct doctor_place p =
        place_of_header(x, PROFILE_DEFAULT_SAMPLE_TYPE);
    int64_t index = (int64_t)x->m.header[PROFILE_DEFAULT_SAMPLE_TYPE].value;
    examiner_found(x, RULE_DEFAULT_SAMPLE_TYPE, &p,
                   "is %s, which no sample type is called",
                   examiner_quote(x, index, text));
}

static void look_at_period(struct examiner *x)
{
    int64_t period = (int64_t)x->m.header[PROFILE_PERIOD].value;
    const struct loose_type *t = &x->m.period_type;
    struct doctor_place at =
        place_of(ENTITY_PERIOD_TYPE, PLACE_NONE, 0,
                 x->m.has_period_type ? t->offset : PLACE_NONE);
    uint32_t type = examiner_string(x, t->type, &at, "type");
    uint32_t unit = examiner_string(x, t->unit, &at, "unit");
    if (examiner_is_lost(x, t->type) || examiner_is_lost(x, t->unit))
        return;
    if (period && !type && !unit) {
        at = place_of_header(x, PROFILE_PERIOD);
        examiner_found(x, RULE_PERIOD_TYPE_MISSING, &at,
                       "is %" PRId64 " of nothing: there is no period_type",
                       period);
    }
    if (!type && !unit)
        return;
    examine_unit(x, type, unit, &at);
    if (!period)
        examiner_found(x, RULE_PERIOD_MISSING, &at, "there is no period");
}

static void look_at_signs(struct examiner *x)
{
    static const enum profile_field fields[] = {
        PROFILE_TIME_NANOS, PROFILE_DURATION_NANOS, PROFILE_PERIOD};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        int64_t v = (int64_t)x->m.header[fields[i]].value;
        const struct doctor_place p = place_of_header(x, fields[i]);
        if (v < 0)
            examiner_found(x, RULE_NEGATIVE_HEADER, &p, "is %" PRId64, v);
    }
}

static void look_at_time(struct examiner *x)
{
    /* The years 2000 and 2100 begin, in seconds since 1970. */
    const int64_t second = 1000000000, from = 946684800, to = 4102444800;
    int64_t t = (int64_t)x->m.header[PROFILE_TIME_NANOS].value;
    const struct doctor_place p = place_of_header(x, PROFILE_TIME_NANOS);
    if (!t)
        examiner_found(x, RULE_TIME_MISSING, &p, "is not given");
    else if (t > 0 && t / second < from)
        examiner_found(x, RULE_TIME_UNLIKELY, &p,
                       "is %" PRId64 ", before the year 2000: not "
                       "nanoseconds?",
                       t);
    else if (t / second >= to)
        examiner_found(x, RULE_TIME_UNLIKELY, &p,
                       "is %" PRId64 ", after the year 2099", t);
}

/*
 * What is wrong, behind `regexp "...": `.  The pattern is not shown: it may be
 * any bytes, and may look like the end of itself.
 */
static const char *reason(const struct err *why)
{
    const char *last = why->text;
    for (const char *p = last; (p = strstr(p, "\": ")); p++)
        last = p + 3;
    return last;
}

static void look_at_regexp(struct examiner *x, enum profile_field field)
{
    uint32_t id = header_string(x, field);
    struct err why;
    const char *pattern = strtab_plain(&x->strings, id);
    if (!*pattern)
        return;
    bool ok = regex_check(pattern, &why);
    if (!ok && err_is_nomem(&why)) {
        (void)examiner_nomem(x);
    } else if (!ok) {
        const struct doctor_place p = place_of_header(x, field);
        examiner_found(x, RULE_FRAMES_REGEXP, &p,
                       "is no regular expression: %s", reason(&why));
    }
}

static void look_at_url(struct examiner *x)
{
    uint32_t id = header_string(x, PROFILE_DOC_URL);
    const char *url = strtab_plain(&x->strings, id);
    char text[EXAMINER_QUOTE];
    /* Schemes have no case. */
    if (!id || !strncasecmp(url, "http://", 7) ||
        !strncasecmp(url, "https://", 8))
        return;
    const struct doctor_place p = place_of_header(x, PROFILE_DOC_URL);
    examiner_found(
        x, RULE_DOC_URL, &p, "is %s",
        examiner_quote(x, (int64_t)x->m.header[PROFILE_DOC_URL].value, text));
}

static void look_at_comments(struct examiner *x)
{
    static const char incomplete[] = DOCTOR_INCOMPLETE;
    for (size_t i = 0; i < x->m.comments.n; i++) {
        const struct loose_comment *c = &x->m.comments.v[i];
        const struct doctor_place p = place_of(ENTITY_COMMENT, i, 0, c->offset);
        uint32_t id = examiner_string(x, c->index, &p, NULL);
        char text[EXAMINER_QUOTE];
        if (strncmp(strtab_plain(&x->strings, id), incomplete,
                    sizeof incomplete - 1) == 0)
            examiner_found(x, RULE_INCOMPLETE, &p, "is %s",
                           examiner_quote(x, c->index, text));
    }
}

bool examine_header(struct examiner *x)
{
    if (!look_at_types(x))
        return false;
    look_at_default(x);
    look_at_period(x);
    look_at_signs(x);
    look_at_time(x);
    look_at_regexp(x, PROFILE_DROP_FRAMES);
    look_at_regexp(x, PROFILE_KEEP_FRAMES);
    look_at_url(x);
    look_at_comments(x);
    return !x->failed;
}
