/* What is odd about a message before anything is looked up in it. */
#include <inttypes.h>

#include "check/wire_faults.h"

/* Fields that profile.proto does not have, by number. */
static void add_unknown(struct wire_faults *w, const struct loose_fault *f)
{
    struct examiner *x = w->x;
    x->counts->of[RULE_UNKNOWN_FIELD]++;
    for (size_t i = 0; i < w->n_unknown; i++) {
        struct wire_unknown *u = &w->unknown[i];
        if (u->first.in == f->in && u->first.field == f->field) {
            u->n++;
            return;
        }
    }
    if (w->n_unknown < WIRE_UNKNOWN_MAX)
        w->unknown[w->n_unknown++] = (struct wire_unknown){*f, 1};
    else
        w->n_other++;
}

static struct doctor_place place_of_fault(const struct loose_fault *f)
{
    static const enum doctor_entity entity[] = {
        [LOOSE_PROFILE] = ENTITY_PROFILE,
        [LOOSE_SAMPLE_TYPE] = ENTITY_SAMPLE_TYPE,
        [LOOSE_PERIOD_TYPE] = ENTITY_PERIOD_TYPE,
        [LOOSE_SAMPLE] = ENTITY_SAMPLE,
        [LOOSE_LABEL] = ENTITY_SAMPLE,
        [LOOSE_MAPPING] = ENTITY_MAPPING,
        [LOOSE_LOCATION] = ENTITY_LOCATION,
        [LOOSE_LINE] = ENTITY_LOCATION,
        [LOOSE_FUNCTION] = ENTITY_FUNCTION,
    };
    bool single = f->in == LOOSE_PROFILE || f->in == LOOSE_PERIOD_TYPE;
    struct doctor_place p =
        place_of(entity[f->in], single ? PLACE_NONE : f->index, 0, f->offset);
    if (f->in == LOOSE_LABEL || f->in == LOOSE_LINE)
        p = place_part(p, f->in == LOOSE_LINE ? PART_LINE : PART_LABEL,
                       f->inner, f->offset);
    if (f->field)
        p.field = loose_field_name(f->in, f->field);
    return p;
}

/* The second of two times; what the first one is has been taken already. */
static bool is_time_again(const struct examiner *x, const struct loose_fault *f)
{
    return f->in == LOOSE_PROFILE && f->field == PROFILE_TIME_NANOS &&
           x->m.header[PROFILE_TIME_NANOS].value;
}

static void take_fault(void *ctx, const struct loose_fault *f)
{
    struct wire_faults *w = ctx;
    struct examiner *x = w->x;
    const struct doctor_place p = place_of_fault(f);
    switch (f->kind) {
    case LOOSE_CUT:
        x->lacks_rest = x->lacks_rest || f->in == LOOSE_PROFILE;
        examiner_found(x, RULE_TRUNCATED, &p,
                       "ends within a field; the last %zu bytes cannot be "
                       "read",
                       f->lost);
        break;
    case LOOSE_NO_FIELD:
        x->lacks_rest = x->lacks_rest || f->in == LOOSE_PROFILE;
        examiner_found(x, RULE_NOT_A_FIELD, &p,
                       "what stands here is no field; %zu bytes cannot be read",
                       f->lost);
        break;
    case LOOSE_WIRE_TYPE:
        examiner_found(x, RULE_WIRE_TYPE, &p, "has wire type %" PRIu32,
                       f->wire_type);
        break;
    case LOOSE_UNKNOWN:
        add_unknown(w, f);
        break;
    case LOOSE_OVERLONG:
        examiner_found(x, RULE_OVERLONG_NUMBER, &p,
                       "a number takes more bytes than it needs");
        break;
    case LOOSE_TWICE:
        examiner_found(
            x, is_time_again(x, f) ? RULE_REPEATED_TIME : RULE_REPEATED_FIELD,
            &p, "is there again; the last one counts");
    }
}

void wire_faults_init(struct wire_faults *w, struct examiner *x)
{
    *w = (struct wire_faults){.x = x, .faults = {.take = take_fault}};
    w->faults.ctx = w;
}

/* Whether another finding of unknown fields is to be told. */
static bool wants_unknown(struct examiner *x)
{
    return !x->failed && (!x->opts->most || x->unknown_told++ < x->opts->most);
}

/* Each number of a field once, with how often it was there. */
void wire_faults_end(struct wire_faults *w)
{
    struct examiner *x = w->x;
    if (!x->opts->take)
        return;
    for (size_t i = 0; i < w->n_unknown && wants_unknown(x); i++) {
        const struct wire_unknown *u = &w->unknown[i];
        const struct doctor_place p = place_of_fault(&u->first);
        examiner_tell(x, RULE_UNKNOWN_FIELD, u->n, &p,
                      "field %" PRIu32 " is not in profile.proto; in such "
                      "messages there are %zu",
                      u->first.field, u->n);
    }
    if (w->n_other && wants_unknown(x))
        examiner_tell(x, RULE_UNKNOWN_FIELD, w->n_other, &PLACE_WHOLE,
                      "%zu fields of other numbers", w->n_other);
}

bool examine_wire(struct examiner *x, const uint8_t *data, size_t n)
{
    struct wire_faults w;
    wire_faults_init(&w, x);
    if (!loose_read(&x->m, data, n, &w.faults, x->err))
        return examiner_nomem(x);
    wire_faults_end(&w);
    return !x->failed;
}
