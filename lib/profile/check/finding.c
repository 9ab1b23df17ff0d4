/* finding.c - counts and reports violations and their places */
#include <inttypes.h>
#include <stdio.h>

#include "profile/check/private.h"

/*
 * Longest place, such as "offset 120: location 2 (id 5), line 0, function_id".
 */
enum { PLACE_TEXT = 200 };
static void put_place(char text[PLACE_TEXT], const struct check_place *p)
{
    char *at = text;
    if (p->offset != PLACE_NONE)
        at += sprintf(at, "offset %zu: ", p->offset);
    at += sprintf(at, "%s", check_entity_names[p->entity]);
    if (p->index != PLACE_NONE)
        at += sprintf(at, " %zu", p->index);
    if (p->id)
        at += sprintf(at, " (id %" PRIu64 ")", p->id);
    if (p->part)
        at += sprintf(at, ", %s %zu", check_part_names[p->part], p->part_index);
    if (p->field)
        (void)sprintf(at, ", %s", p->field);
}

bool finding_wanted(struct checker *x, enum check_rule rule)
{
    /* These rules are also violated if a part of the message is missing. */
    bool follows = rule == RULE_STRING_INDEX || rule == RULE_FLAG_UNFOUNDED ||
                   rule == RULE_DANGLING_MAPPING ||
                   rule == RULE_DANGLING_FUNCTION ||
                   rule == RULE_DANGLING_LOCATION;
    uint64_t n = ++x->counts->of[rule];
    ++*(check_rules[rule].severity == PROF_ERROR ? &x->counts->errors
                                                 : &x->counts->warnings);
    uint64_t most = x->incomplete && follows ? 1 : x->opts->most;
    return x->opts->report && !x->failed && (!most || n <= most);
}

void finding_report(struct checker *x, enum check_rule rule,
                    const struct check_place *p, const char *fmt, ...)
{
    char text[PROF_ERR_TEXT_MAX], place[PLACE_TEXT];
    va_list args;
    va_start(args, fmt);
    (void)vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    put_place(place, p);
    const struct prof_finding f = {.rule = rule,
                                   .text = text,
                                   .place = place,
                                   .entity = check_entity_names[p->entity],
                                   .index = p->index,
                                   .id = p->id,
                                   .part = check_part_names[p->part],
                                   .part_index = p->part_index,
                                   .field = p->field,
                                   .offset = p->offset};
    if (!x->opts->report(x->opts->ctx, &f, x->err))
        x->failed = true;
}

const char *finding_quote(const struct checker *x, int64_t index,
                          char text[FINDING_QUOTE])
{
    enum { SHOWN = 100 }; /* bytes of the string; each takes up to four */
    const struct tolerant_string *s = &x->m.strings.v[index];
    const uint8_t *from = x->m.data + s->at;
    char *to = text;
    *to++ = '\'';
    for (size_t i = 0; i < s->n && i < SHOWN; i++) {
        uint8_t c = from[i];
        if (c >= 0x20 && c < 0x7f && c != '\'' && c != '\\')
            *to++ = (char)c;
        else
            to += sprintf(to, "\\x%02x", (unsigned)c);
    }
    (void)snprintf(to, 5, "%s'", s->n > SHOWN ? "..." : "");
    return text;
}

uint32_t checker_string(struct checker *x, int64_t index,
                        const struct check_place *at, const char *field)
{
    if (!index)
        return 0;
    if (index > 0 && (uint64_t)index < x->m.strings.n)
        return x->string_id[index];
    struct check_place place = place_field(*at, field);
    found(x, RULE_STRING_INDEX, &place,
          "is string %" PRId64 ", but the string table has %zu strings", index,
          x->m.strings.n);
    return 0;
}

static struct check_place place_of_fault(const struct tolerant_fault *f)
{
    static const enum check_entity entity[] = {
        [TOLERANT_PROFILE] = ENTITY_PROFILE,
        [TOLERANT_SAMPLE_TYPE] = ENTITY_SAMPLE_TYPE,
        [TOLERANT_PERIOD_TYPE] = ENTITY_PERIOD_TYPE,
        [TOLERANT_SAMPLE] = ENTITY_SAMPLE,
        [TOLERANT_LABEL] = ENTITY_SAMPLE,
        [TOLERANT_MAPPING] = ENTITY_MAPPING,
        [TOLERANT_LOCATION] = ENTITY_LOCATION,
        [TOLERANT_LINE] = ENTITY_LOCATION,
        [TOLERANT_FUNCTION] = ENTITY_FUNCTION,
    };
    bool single = f->in == TOLERANT_PROFILE || f->in == TOLERANT_PERIOD_TYPE;
    struct check_place p =
        place_of(entity[f->in], single ? PLACE_NONE : f->index, 0, f->offset);
    if (f->in == TOLERANT_LABEL || f->in == TOLERANT_LINE)
        p = place_part(p, f->in == TOLERANT_LINE ? PART_LINE : PART_LABEL,
                       f->inner, f->offset);
    if (f->field)
        p.field = tolerant_field_name(f->in, f->field);
    return p;
}

static void report_fault(void *ctx, const struct tolerant_fault *f)
{
    struct checker *x = ctx;
    const struct check_place p = place_of_fault(f);
    switch (f->kind) {
    case TOLERANT_CUT:
        x->incomplete = x->incomplete || f->in == TOLERANT_PROFILE;
        found(x, RULE_TRUNCATED, &p,
              "message ends inside a field; the last %zu bytes cannot be read",
              f->lost);
        break;
    case TOLERANT_NO_FIELD:
        x->incomplete = x->incomplete || f->in == TOLERANT_PROFILE;
        found(x, RULE_NOT_A_FIELD, &p,
              "not a protobuf field; %zu bytes cannot be read", f->lost);
        break;
    case TOLERANT_WIRE_TYPE:
        found(x, RULE_WIRE_TYPE, &p, "has wire type %" PRIu32, f->wire_type);
        break;
    case TOLERANT_TWICE:
        /* header[] still has the previous value; pprof ignores a 0. */
        if (f->field == PROFILE_TIME_NANOS &&
            x->m.header[PROFILE_TIME_NANOS].value)
            found(x, RULE_REPEATED_TIME, &p,
                  "occurs more than once; the last one is used");
        break;
    case TOLERANT_UNKNOWN:
        break;
    }
}

struct tolerant_faults finding_faults(struct checker *x)
{
    return (struct tolerant_faults){report_fault, x};
}
