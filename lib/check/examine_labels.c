/* Labels of samples. */
#include <stdlib.h>

#include "check/examiner.h"

struct label_units {
    uint32_t *unit; /* by string id of the key: its first unit's + 1 */
    uint32_t *seen; /* by string id of the key: 1 + the sample with it */
};

struct label_units *examine_labels_new(const struct examiner *x)
{
    struct label_units *u = calloc(1, sizeof *u);
    if (!u)
        return NULL;
    u->unit = mem_zarray(x->strings.n, sizeof *u->unit);
    u->seen = mem_zarray(x->strings.n, sizeof *u->seen);
    if (u->unit && u->seen)
        return u;
    examine_labels_free(u);
    return NULL;
}

void examine_labels_free(struct label_units *u)
{
    if (!u)
        return;
    free(u->unit);
    free(u->seen);
    free(u);
}

static void look_at_unit(struct examiner *x, struct label_units *units,
                         const struct loose_label *l, uint32_t key,
                         uint32_t unit, const struct doctor_place *at)
{
    char name[EXAMINER_QUOTE];
    if (l->str || (!l->num && !l->unit))
        return;
    if (!units->unit[key])
        units->unit[key] = unit + 1;
    else if (units->unit[key] != unit + 1)
        examiner_found(x, RULE_LABEL_UNITS_DIFFER, at,
                       "the unit is not that of the first %s",
                       key ? examiner_quote(x, l->key, name) : "\"\"");
}

static void look_at(struct examiner *x, struct label_units *units,
                    const struct loose_label *l, size_t sample,
                    const struct doctor_place *at)
{
    char name[EXAMINER_QUOTE];
    uint32_t key = examiner_string(x, l->key, at, "key");
    uint32_t unit = examiner_string(x, l->unit, at, "num_unit");
    uint32_t text = examiner_string(x, l->str, at, "str");
    if (!key && !examiner_is_lost(x, l->key))
        examiner_found(x, RULE_LABEL_KEY_EMPTY, at, "has no key");
    else if (key && units->seen[key] == (uint32_t)sample + 1)
        examiner_found(x, RULE_LABEL_DUPLICATE_KEY, at, "is %s again",
                       examiner_quote(x, l->key, name));
    units->seen[key] = (uint32_t)sample + 1;
    if (l->str && l->num)
        examiner_found(x, RULE_LABEL_BOTH, at, "has a text and a number");
    else if (l->str && unit)
        examiner_found(x, RULE_LABEL_UNIT_UNUSED, at,
                       "has a unit, but no number");
    else if (!l->str && !l->num && !l->unit)
        examiner_found(x, RULE_LABEL_EMPTY, at, "says nothing; pprof drops it");
    else if (l->str && !text && (uint64_t)l->str < x->m.strings.n)
        examiner_found(x, RULE_LABEL_EMPTY, at, "has an empty text");
    look_at_unit(x, units, l, key, unit, at);
}

void examine_labels(struct examiner *x, struct label_units *units,
                    const struct loose_sample *s)
{
    const struct doctor_place at =
        place_of(ENTITY_SAMPLE, s->index, 0, s->offset);
    for (size_t i = 0; i < s->labels.n; i++) {
        const struct loose_label *l = &s->labels.v[i];
        const struct doctor_place p = place_part(at, PART_LABEL, i, l->offset);
        look_at(x, units, l, s->index, &p);
    }
}
