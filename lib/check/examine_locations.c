/* Functions, locations and their lines. */
#include <inttypes.h>

#include "check/examiner.h"

bool examine_functions(struct examiner *x)
{
    size_t n = x->m.functions.n;
    const struct entities all =
        ENTITIES(ENTITY_FUNCTION, struct loose_function, x->m.functions);
    if (!examine_ids(x, &all, &x->function_of, &x->function_used))
        return false;
    for (size_t i = 0; i < n; i++) {
        const struct loose_function *f = &x->m.functions.v[i];
        const struct doctor_place p =
            place_of(ENTITY_FUNCTION, i, f->id, f->offset);
        uint32_t name = examiner_string(x, f->name, &p, "name");
        uint32_t system = examiner_string(x, f->system_name, &p, "system_name");
        (void)examiner_string(x, f->filename, &p, "filename");
        if (!name && !system && !examiner_is_lost(x, f->name) &&
            !examiner_is_lost(x, f->system_name))
            examiner_found(x, RULE_FUNCTION_UNNAMED, &p, "has no name");
        if (f->start_line < 0)
            examiner_found(x, RULE_NEGATIVE_LINE, &p, "start_line is %" PRId64,
                           f->start_line);
    }
    return !x->failed;
}

static void look_at_function(struct examiner *x, const struct loose_line *l,
                             const struct doctor_place *at)
{
    uint32_t index = idmap_get(&x->function_of, l->function_id);
    if (index == IDMAP_NONE) {
        const struct doctor_place p = place_field(*at, "function_id");
        if (l->function_id)
            examiner_found(x, RULE_DANGLING_FUNCTION, &p,
                           "is %" PRIu64 ", which no function has",
                           l->function_id);
        else
            examiner_found(x, RULE_LINE_WITHOUT_FUNCTION, &p, "is not given");
        return;
    }
    x->function_used[index] = 1;
    int64_t start = x->m.functions.v[index].start_line;
    if (l->line > 0 && l->line < start)
        examiner_found(x, RULE_LINE_BEFORE_FUNCTION, at,
                       "is line %" PRId64 " of function %" PRIu64
                       ", which starts at %" PRId64,
                       l->line, l->function_id, start);
}

static void look_at_lines(struct examiner *x, const struct loose_location *l,
                          const struct doctor_place *at)
{
    for (size_t k = 0; k < l->n_lines; k++) {
        const struct loose_line *line = &x->m.lines.v[l->line_off + k];
        const struct doctor_place p =
            place_part(*at, PART_LINE, k, line->offset);
        look_at_function(x, line, &p);
        if (line->line < 0)
            examiner_found(x, RULE_NEGATIVE_LINE, &p, "line is %" PRId64,
                           line->line);
        if (line->column < 0)
            examiner_found(x, RULE_NEGATIVE_LINE, &p, "column is %" PRId64,
                           line->column);
    }
}

static void look_at_mapping(struct examiner *x, const struct loose_location *l,
                            const struct doctor_place *at)
{
    if (!l->mapping_id) {
        if (l->address && x->m.mappings.n)
            examiner_found(x, RULE_LOCATION_UNMAPPED, at,
                           "0x%" PRIx64 " is in no mapping", l->address);
        return;
    }
    uint32_t index = idmap_get(&x->mapping_of, l->mapping_id);
    if (index == IDMAP_NONE) {
        const struct doctor_place p = place_field(*at, "mapping_id");
        examiner_found(x, RULE_DANGLING_MAPPING, &p,
                       "is %" PRIu64 ", which no mapping has", l->mapping_id);
        return;
    }
    const struct loose_mapping *m = &x->m.mappings.v[index];
    x->mapping_used[index] = 1;
    if (l->address && m->start < m->limit &&
        (l->address < m->start || l->address >= m->limit))
        examiner_found(x, RULE_ADDRESS_OUTSIDE_MAPPING, at,
                       "0x%" PRIx64 " is not in mapping %" PRIu64 ", 0x%" PRIx64
                       "-0x%" PRIx64,
                       l->address, m->id, m->start, m->limit);
}

bool examine_locations(struct examiner *x)
{
    size_t n = x->m.locations.n;
    const struct entities all =
        ENTITIES(ENTITY_LOCATION, struct loose_location, x->m.locations);
    if (!examine_ids(x, &all, &x->location_of, &x->location_used))
        return false;
    for (size_t i = 0; i < n; i++) {
        const struct loose_location *l = &x->m.locations.v[i];
        const struct doctor_place p =
            place_of(ENTITY_LOCATION, i, l->id, l->offset);
        look_at_mapping(x, l, &p);
        look_at_lines(x, l, &p);
        if (!l->address && !l->n_lines)
            examiner_found(x, RULE_LOCATION_EMPTY, &p,
                           "has neither an address nor lines");
    }
    return !x->failed;
}
