/* What nothing refers to, when all has been looked at. */
#include "check/examiner.h"

/* One finding for all of a kind: there are many, or none. */
static void tell(struct examiner *x, enum doctor_rule rule,
                 enum doctor_entity entity, const uint8_t *used, size_t from,
                 size_t n)
{
    size_t unused = 0, first = 0;
    for (size_t i = n; i-- > from;)
        if (!used[i]) {
            unused++;
            first = i;
        }
    if (!unused)
        return;
    const struct doctor_place p = place_of(entity, first, 0, PLACE_NONE);
    bool told = examiner_wants(x, rule);
    x->counts->of[rule] += unused - 1;
    if (told)
        examiner_tell(x, rule, unused, &p,
                      "is the first of %zu that nothing refers to, of %zu",
                      unused, n);
}

void examine_unused(struct examiner *x)
{
    /* String 0 means none; the first mapping is the main binary. */
    tell(x, RULE_UNUSED_STRING, ENTITY_STRING, x->string_used, 1,
         x->m.strings.n);
    tell(x, RULE_UNUSED_MAPPING, ENTITY_MAPPING, x->mapping_used, 1,
         x->m.mappings.n);
    tell(x, RULE_UNUSED_FUNCTION, ENTITY_FUNCTION, x->function_used, 0,
         x->m.functions.n);
    tell(x, RULE_UNUSED_LOCATION, ENTITY_LOCATION, x->location_used, 0,
         x->m.locations.n);
}
