/* Mappings, functions and locations, and what refers to them. */
#include <stdlib.h>
#include <string.h>

#include "check/mender.h"

uint32_t mender_find(const struct mender_map *map, uint64_t id)
{
    if (map->unnumbered && (id || map->n > 1))
        return id - 1 < map->n ? map->index[id - 1] : PROF_NONE;
    if (!id && map->n_zero != 1)
        return PROF_NONE;
    uint32_t i = idmap_get(&map->of, id);
    return i == IDMAP_NONE ? PROF_NONE : map->index[i];
}

void mender_map_free(struct mender_map *map)
{
    idmap_free(&map->of);
    free(map->index);
}

/* What became of an entity; others get their index. */
#define KEPT 0U
#define LEFT_OUT PROF_NONE

typedef bool are_equal_fn(const struct mender *d, size_t a, size_t b);

/*
 * Which entities are left out: those that say again what a later one says,
 * and those of one id that differ.
 */
static bool begin(struct mender *d, struct mender_map *map, const void *v,
                  size_t n, size_t size, are_equal_fn *are_equal)
{
    uint32_t twice;
    map->n = n;
    map->index = mem_zarray(n + 1, sizeof *map->index);
    if (!map->index || !idmap_make(&map->of, v, n, size, &twice))
        return err_nomem(d->err);
    if (!map->of.index) /* they count up from 1 */
        return true;
    for (size_t i = 0; i < n; i++) {
        uint64_t id;
        memcpy(&id, (const char *)v + i * size, sizeof id);
        map->n_zero += !id;
        uint32_t last = idmap_get(&map->of, id);
        if (!id || last == i)
            continue;
        map->index[i] = LEFT_OUT;
        if (!are_equal(d, i, last))
            map->index[last] = LEFT_OUT;
    }
    return true;
}

static bool is_kept(const struct mender_map *map, size_t i)
{
    return map->index[i] == KEPT;
}

/* --- mappings --------------------------------------------------------------
 */

static struct prof_mapping mapping(const struct mender *d, size_t i)
{
    const struct loose_mapping *m = &d->m.mappings.v[i];
    return (struct prof_mapping){
        .id = m->id,
        .start = m->start,
        .limit = m->limit,
        .offset = m->file_offset,
        .filename = mender_string(d, m->filename, NULL),
        .build_id = mender_string(d, m->build_id, NULL),
        .has_functions = m->has[LOOSE_HAS_FUNCTIONS],
        .has_filenames = m->has[LOOSE_HAS_FILENAMES],
        .has_line_numbers = m->has[LOOSE_HAS_LINE_NUMBERS],
        .has_inline_frames = m->has[LOOSE_HAS_INLINE_FRAMES],
    };
}

static bool are_equal_mappings(const struct mender *d, size_t a, size_t b)
{
    const struct prof_mapping m = mapping(d, a), n = mapping(d, b);
    return m.start == n.start && m.limit == n.limit && m.offset == n.offset &&
           m.filename == n.filename && m.build_id == n.build_id &&
           !memcmp(d->m.mappings.v[a].has, d->m.mappings.v[b].has,
                   sizeof d->m.mappings.v[a].has);
}

static bool add_mappings(struct mender *d)
{
    struct mender_map *map = &d->mappings;
    size_t n = d->m.mappings.n;
    if (!begin(d, map, d->m.mappings.v, n, sizeof *d->m.mappings.v,
               are_equal_mappings))
        return false;
    for (size_t i = 0; i < n; i++) {
        const struct prof_mapping m = mapping(d, i);
        if (is_kept(map, i) &&
            !prof_add_mapping(d->p, &m, &map->index[i], d->err))
            return false;
    }
    return true;
}

/* --- functions -------------------------------------------------------------
 */

static struct prof_function function(const struct mender *d, size_t i)
{
    const struct loose_function *f = &d->m.functions.v[i];
    return (struct prof_function){
        .id = f->id,
        .name = mender_string(d, f->name, NULL),
        .system_name = mender_string(d, f->system_name, NULL),
        .filename = mender_string(d, f->filename, NULL),
        .start_line = f->start_line,
    };
}

static bool are_equal_functions(const struct mender *d, size_t a, size_t b)
{
    const struct prof_function f = function(d, a), g = function(d, b);
    return f.name == g.name && f.system_name == g.system_name &&
           f.filename == g.filename && f.start_line == g.start_line;
}

static bool add_functions(struct mender *d)
{
    struct mender_map *map = &d->functions;
    size_t n = d->m.functions.n;
    if (!begin(d, map, d->m.functions.v, n, sizeof *d->m.functions.v,
               are_equal_functions))
        return false;
    map->unnumbered = n && map->n_zero == n;
    for (size_t i = 0; i < n; i++) {
        const struct prof_function f = function(d, i);
        if (is_kept(map, i) &&
            !prof_add_function(d->p, &f, &map->index[i], d->err))
            return false;
    }
    return true;
}

/* --- locations -------------------------------------------------------------
 */

static bool are_equal_locations(const struct mender *d, size_t a, size_t b)
{
    const struct loose_location *l = &d->m.locations.v[a];
    const struct loose_location *k = &d->m.locations.v[b];
    if (l->mapping_id != k->mapping_id || l->address != k->address ||
        l->is_folded != k->is_folded || l->n_lines != k->n_lines)
        return false;
    for (size_t i = 0; i < l->n_lines; i++) {
        const struct loose_line *x = &d->m.lines.v[l->line_off + i];
        const struct loose_line *y = &d->m.lines.v[k->line_off + i];
        if (x->function_id != y->function_id || x->line != y->line ||
            x->column != y->column)
            return false;
    }
    return true;
}

/* Its lines that have a function, to the end of the profile's. */
static bool add_lines(struct mender *d, const struct loose_location *l)
{
    for (size_t i = 0; i < l->n_lines; i++) {
        const struct loose_line *line = &d->m.lines.v[l->line_off + i];
        const struct prof_line to = {
            .line = line->line,
            .column = line->column,
            .function = mender_find(&d->functions, line->function_id)};
        if (to.function != PROF_NONE && !prof_push_line(d->p, &to, d->err))
            return false;
    }
    return true;
}

static bool add_location(struct mender *d, size_t i)
{
    const struct loose_location *l = &d->m.locations.v[i];
    struct prof_location to = {
        .id = l->id,
        .address = l->address,
        .mapping = l->mapping_id ? mender_find(&d->mappings, l->mapping_id)
                                 : PROF_NONE,
        .is_folded = l->is_folded,
    };
    size_t first = d->p->n_lines;
    uint32_t *index = &d->locations.index[i];
    if (!prof_add_location(d->p, &to, NULL, 0, index, d->err) ||
        !add_lines(d, l))
        return false;
    struct prof_location *added = &d->p->locations[*index];
    added->line_off = (uint32_t)first;
    added->n_lines = (uint32_t)(d->p->n_lines - first);
    return true;
}

static bool add_locations(struct mender *d)
{
    struct mender_map *map = &d->locations;
    size_t n = d->m.locations.n;
    if (!begin(d, map, d->m.locations.v, n, sizeof *d->m.locations.v,
               are_equal_locations))
        return false;
    for (size_t i = 0; i < n; i++)
        if (is_kept(map, i) && !add_location(d, i))
            return false;
    return true;
}

bool mend_entities(struct mender *d)
{
    return add_mappings(d) && add_functions(d) && add_locations(d);
}
