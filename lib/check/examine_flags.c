/* What mappings claim of their locations, and what those have. */
#include <stdlib.h>

#include "check/examiner.h"

static const char *const names[LOOSE_FLAGS] = {
    "has_functions", "has_filenames", "has_line_numbers", "has_inline_frames"};

struct content {
    bool any; /* location */
    bool has[LOOSE_FLAGS];
};

/* Whether it is a name, and not just the index of one. */
static bool is_name(const struct examiner *x, int64_t index)
{
    return index > 0 && (uint64_t)index < x->m.strings.n && x->string_id[index];
}

static void add(const struct examiner *x, const struct loose_location *l,
                struct content *c)
{
    c->any = true;
    c->has[LOOSE_HAS_INLINE_FRAMES] |= l->n_lines > 1;
    for (size_t k = 0; k < l->n_lines; k++) {
        const struct loose_line *line = &x->m.lines.v[l->line_off + k];
        uint32_t f = idmap_get(&x->function_of, line->function_id);
        c->has[LOOSE_HAS_LINE_NUMBERS] |= line->line != 0;
        if (f == IDMAP_NONE)
            continue;
        const struct loose_function *fn = &x->m.functions.v[f];
        c->has[LOOSE_HAS_FUNCTIONS] |=
            is_name(x, fn->name) || is_name(x, fn->system_name);
        c->has[LOOSE_HAS_FILENAMES] |= is_name(x, fn->filename);
    }
}

static void compare(struct examiner *x, size_t i, const struct content *c)
{
    const struct loose_mapping *m = &x->m.mappings.v[i];
    struct doctor_place p = place_of(ENTITY_MAPPING, i, m->id, m->offset);
    for (unsigned f = 0; f < LOOSE_FLAGS; f++) {
        p.field = names[f];
        if (!m->has[f] && c->has[f])
            examiner_found(x, RULE_FLAG_MISSING, &p,
                           "is not set, but a location has it");
        /* That inlined frames were looked for does not mean there are any. */
        if (m->has[f] && !c->has[f] && c->any && f != LOOSE_HAS_INLINE_FRAMES)
            examiner_found(x, RULE_FLAG_UNFOUNDED, &p,
                           "is set, but no location has it");
    }
}

bool examine_flags(struct examiner *x)
{
    size_t n = x->m.mappings.n;
    struct content *content = mem_zarray(n + 1, sizeof *content);
    if (!content)
        return examiner_nomem(x);
    for (size_t i = 0; i < x->m.locations.n; i++) {
        const struct loose_location *l = &x->m.locations.v[i];
        uint32_t m = l->mapping_id ? idmap_get(&x->mapping_of, l->mapping_id)
                                   : IDMAP_NONE;
        if (m != IDMAP_NONE)
            add(x, l, &content[m]);
    }
    for (size_t i = 0; i < n; i++)
        compare(x, i, &content[i]);
    free(content);
    return !x->failed;
}
