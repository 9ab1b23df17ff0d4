/* check_entities.c - checks mappings, functions, locations and samples */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/wide.h"
#include "profile/check/private.h"
#include "profile/merge/merge.h"
#include "profile/wire/pb.h"

/* --- ids */

struct entities {
    struct idmap_entities all;
    enum check_entity kind;
    size_t offset_at; /* offset of the member `offset` in an entity */
};

#define ENTITIES(kind, type, vec)                                              \
    (struct entities)                                                          \
    {                                                                          \
        {(vec).v, (vec).n, sizeof(type)}, (kind), offsetof(type, offset)       \
    }

static bool check_ids(struct checker *x, const struct entities *e,
                      struct idmap *map)
{
    uint32_t twice;
    if (e->all.n >= IDMAP_NONE) {
        x->failed = true;
        return err_input(
            x->err, "more than 4294967294 mappings, functions or locations");
    }
    if (!idmap_make(map, &e->all, &twice))
        return checker_nomem(x);
    if (!map->index) /* ids are 1, 2, 3 ...: none repeats */
        return true;
    for (size_t i = 0; i < e->all.n; i++) {
        const char *entity = (const char *)e->all.v + i * e->all.size;
        uint64_t id = idmap_id(&e->all, i);
        size_t offset, last = idmap_get(map, id);
        memcpy(&offset, entity + e->offset_at, sizeof offset);
        const struct check_place p = place_of(e->kind, i, id, offset);
        if (!id)
            found(x, RULE_ID_ZERO, &p, "has id 0");
        else if (last != i)
            found(x, RULE_DUPLICATE_ID, &p,
                  "has the same id as %s %zu (%" PRIu64 ")",
                  check_entity_names[e->kind], last, id);
    }
    return !x->failed;
}

/* --- mappings and functions */

static bool check_mappings(struct checker *x)
{
    const struct entities all =
        ENTITIES(ENTITY_MAPPING, struct tolerant_mapping, x->m.mappings);
    if (!check_ids(x, &all, &x->mapping_of))
        return false;
    for (size_t i = 0; i < x->m.mappings.n; i++) {
        const struct tolerant_mapping *m = &x->m.mappings.v[i];
        const struct check_place p =
            place_of(ENTITY_MAPPING, i, m->id, m->offset);
        (void)checker_string(x, m->filename, &p, "filename");
        (void)checker_string(x, m->build_id, &p, "build_id");
        if (m->start >= m->limit && (m->start || m->limit))
            found(x, RULE_MAPPING_RANGE, &p,
                  "memory_start is 0x%" PRIx64
                  ", but memory_limit is 0x%" PRIx64,
                  m->start, m->limit);
    }
    return !x->failed;
}

static bool check_functions(struct checker *x)
{
    const struct entities all =
        ENTITIES(ENTITY_FUNCTION, struct tolerant_function, x->m.functions);
    if (!check_ids(x, &all, &x->function_of))
        return false;
    for (size_t i = 0; i < x->m.functions.n; i++) {
        const struct tolerant_function *f = &x->m.functions.v[i];
        const struct check_place p =
            place_of(ENTITY_FUNCTION, i, f->id, f->offset);
        (void)checker_string(x, f->name, &p, "name");
        (void)checker_string(x, f->system_name, &p, "system_name");
        (void)checker_string(x, f->filename, &p, "filename");
        if (f->start_line < 0)
            found(x, RULE_NEGATIVE_LINE, &p, "start_line is negative: %" PRId64,
                  f->start_line);
    }
    return !x->failed;
}

/* --- locations */

static void check_lines(struct checker *x, const struct tolerant_location *l,
                        const struct check_place *at)
{
    for (size_t k = 0; k < l->n_lines; k++) {
        const struct tolerant_line *line = &x->m.lines.v[l->line_off + k];
        const struct check_place p =
            place_part(*at, PART_LINE, k, line->offset);
        if (idmap_get(&x->function_of, line->function_id) == IDMAP_NONE) {
            const struct check_place id = place_field(p, "function_id");
            if (line->function_id)
                found(x, RULE_DANGLING_FUNCTION, &id,
                      "is %" PRIu64 ", but no function has this id",
                      line->function_id);
            else
                found(x, RULE_LINE_WITHOUT_FUNCTION, &id, "is missing");
        }
        if (line->line < 0)
            found(x, RULE_NEGATIVE_LINE, &p, "line is negative: %" PRId64,
                  line->line);
        if (line->column < 0)
            found(x, RULE_NEGATIVE_LINE, &p, "column is negative: %" PRId64,
                  line->column);
    }
}

static void check_address(struct checker *x, const struct tolerant_location *l,
                          const struct check_place *at)
{
    if (!l->mapping_id)
        return;
    uint32_t index = idmap_get(&x->mapping_of, l->mapping_id);
    if (index == IDMAP_NONE) {
        const struct check_place p = place_field(*at, "mapping_id");
        found(x, RULE_DANGLING_MAPPING, &p,
              "is %" PRIu64 ", but no mapping has this id", l->mapping_id);
        return;
    }
    const struct tolerant_mapping *m = &x->m.mappings.v[index];
    if (l->address && m->start < m->limit &&
        (l->address < m->start || l->address >= m->limit))
        found(x, RULE_ADDRESS_OUTSIDE_MAPPING, at,
              "0x%" PRIx64 " lies outside mapping %" PRIu64 " (0x%" PRIx64
              "-0x%" PRIx64 ")",
              l->address, m->id, m->start, m->limit);
}

static bool check_locations(struct checker *x)
{
    const struct entities all =
        ENTITIES(ENTITY_LOCATION, struct tolerant_location, x->m.locations);
    if (!check_ids(x, &all, &x->location_of))
        return false;
    for (size_t i = 0; i < x->m.locations.n; i++) {
        const struct tolerant_location *l = &x->m.locations.v[i];
        const struct check_place p =
            place_of(ENTITY_LOCATION, i, l->id, l->offset);
        check_address(x, l, &p);
        check_lines(x, l, &p);
        if (!l->address && !l->n_lines)
            found(x, RULE_LOCATION_EMPTY, &p, "has no address and no lines");
    }
    return !x->failed;
}

/* --- flags of mappings */

/* What the locations of a mapping have. */
struct content {
    bool any; /* whether it has locations */
    bool has[TOLERANT_FLAGS];
};

/* Returns whether the index refers to a string that is not empty. */
static bool is_name(const struct checker *x, int64_t index)
{
    return index > 0 && (uint64_t)index < x->m.strings.n && x->string_id[index];
}

static void add_content(const struct checker *x,
                        const struct tolerant_location *l, struct content *c)
{
    c->any = true;
    for (size_t k = 0; k < l->n_lines; k++) {
        const struct tolerant_line *line = &x->m.lines.v[l->line_off + k];
        uint32_t f = idmap_get(&x->function_of, line->function_id);
        c->has[TOLERANT_HAS_LINE_NUMBERS] |= line->line != 0;
        if (f == IDMAP_NONE)
            continue;
        const struct tolerant_function *fn = &x->m.functions.v[f];
        c->has[TOLERANT_HAS_FUNCTIONS] |=
            is_name(x, fn->name) || is_name(x, fn->system_name);
        c->has[TOLERANT_HAS_FILENAMES] |= is_name(x, fn->filename);
    }
}

static bool check_flags(struct checker *x)
{
    /* has_inline_frames says only that inlined frames were looked for. */
    static const struct {
        enum tolerant_flag flag;
        const char *name;
    } flags[] = {
        {TOLERANT_HAS_FUNCTIONS, "has_functions"},
        {TOLERANT_HAS_FILENAMES, "has_filenames"},
        {TOLERANT_HAS_LINE_NUMBERS, "has_line_numbers"},
    };
    size_t n = x->m.mappings.n;
    struct content *content = mem_zarray(n + 1, sizeof *content);
    if (!content)
        return checker_nomem(x);
    for (size_t i = 0; i < x->m.locations.n; i++) {
        const struct tolerant_location *l = &x->m.locations.v[i];
        uint32_t m = l->mapping_id ? idmap_get(&x->mapping_of, l->mapping_id)
                                   : IDMAP_NONE;
        if (m != IDMAP_NONE)
            add_content(x, l, &content[m]);
    }
    for (size_t i = 0; i < n; i++) {
        const struct tolerant_mapping *m = &x->m.mappings.v[i];
        const struct content *c = &content[i];
        struct check_place p = place_of(ENTITY_MAPPING, i, m->id, m->offset);
        for (size_t k = 0; c->any && k < sizeof flags / sizeof *flags; k++) {
            p.field = flags[k].name;
            if (m->has[flags[k].flag] && !c->has[flags[k].flag])
                found(x, RULE_FLAG_UNFOUNDED, &p,
                      "is set, but no location of the mapping has such data");
        }
    }
    free(content);
    return !x->failed;
}

/* --- samples */

/* The sums of all positive values of a type, and of all negative ones. */
struct sums {
    struct wide up, down;
};

struct samples {
    struct checker *x;
    struct sums *sums; /* by sample type: of its values above and below 0 */
    uint32_t *unit; /* by string id of a key: 1 + string id of its first unit */
};

static void check_values(struct samples *g, const struct tolerant_sample *s,
                         const struct check_place *at)
{
    struct checker *x = g->x;
    size_t n = x->m.types.n;
    if (n && s->values.n != n)
        found(x, RULE_VALUE_COUNT, at, "has %zu value%s, expected %zu",
              s->values.n, s->values.n == 1 ? "" : "s", n);
    for (size_t i = 0; i < s->values.n; i++) {
        int64_t v = s->values.v[i];
        const struct check_place p = place_part(*at, PART_VALUE, i, at->offset);
        if (v == INT64_MIN || v == INT64_MAX)
            found(x, RULE_EXTREME_VALUE, &p, "is %" PRId64, v);
        if (s->values.n == n)
            wide_add(v < 0 ? &g->sums[i].down : &g->sums[i].up, v);
    }
}

static void check_label(struct samples *g, const struct tolerant_label *l,
                        const struct check_place *at)
{
    struct checker *x = g->x;
    char name[FINDING_QUOTE];
    uint32_t key = checker_string(x, l->key, at, "key");
    uint32_t unit = checker_string(x, l->unit, at, "num_unit");
    (void)checker_string(x, l->str, at, "str");
    if (!key && !checker_is_lost(x, l->key))
        found(x, RULE_LABEL_KEY_EMPTY, at, "has no key");
    if (l->str && l->num)
        found(x, RULE_LABEL_BOTH, at, "has a string and a number");
    if (l->str || (!l->num && !l->unit))
        return;
    if (!g->unit[key])
        g->unit[key] = unit + 1;
    else if (g->unit[key] != unit + 1)
        found(x, RULE_LABEL_UNITS_DIFFER, at,
              "unit differs from that of the first label %s",
              key ? finding_quote(x, l->key, name) : "''");
}

static void check_sample(struct samples *g, const struct tolerant_sample *s)
{
    struct checker *x = g->x;
    const struct check_place at =
        place_of(ENTITY_SAMPLE, s->index, 0, s->offset);
    for (size_t i = 0; i < s->ids.n; i++) {
        if (idmap_get(&x->location_of, s->ids.v[i]) != IDMAP_NONE)
            continue;
        const struct check_place p = place_part(at, PART_FRAME, i, at.offset);
        found(x, RULE_DANGLING_LOCATION, &p,
              "is %" PRIu64 ", but no location has this id", s->ids.v[i]);
    }
    check_values(g, s, &at);
    for (size_t i = 0; i < s->labels.n; i++) {
        const struct tolerant_label *l = &s->labels.v[i];
        const struct check_place p = place_part(at, PART_LABEL, i, l->offset);
        check_label(g, l, &p);
    }
}

/* Reports if equal samples cannot be merged.  Only a merge finds equal ones. */
static void check_equal_samples(struct checker *x)
{
    struct profile p, out = {0};
    struct prof_err err;
    bool decoded = pb_decode(x->m.data, x->m.n, &p, NULL, &err);
    bool ok = decoded && prof_canonical(&p, 1, &out, NULL, &err);
    if (!ok && err.kind == PROF_ERR_SYSTEM) {
        x->failed = true;
        *x->err = err;
    } else if (decoded && !ok) {
        found(x, RULE_SAMPLE_OVERFLOW, &PLACE_PROFILE, "%s", err.text);
    }
    prof_free(&p);
    prof_free(&out);
}

static void check_sums(struct samples *g)
{
    struct checker *x = g->x;
    bool is_large = false;
    int64_t sum;
    for (size_t i = 0; i < x->m.types.n; i++) {
        const struct check_place p =
            place_of(ENTITY_SAMPLE_TYPE, i, 0, x->m.types.v[i].offset);
        struct sums *s = &g->sums[i];
        is_large =
            is_large || !wide_fits(s->up, &sum) || !wide_fits(s->down, &sum);
        wide_add_sum(&s->up, s->down);
        if (!wide_fits(s->up, &sum))
            found(x, RULE_SUM_OVERFLOW, &p,
                  "the sum of its values exceeds 64 bits");
    }
    if (is_large)
        check_equal_samples(x);
}

static bool check_samples(struct checker *x)
{
    const struct tolerant_faults faults = finding_faults(x);
    struct samples g = {.x = x};
    int got = 0;
    g.sums = mem_zarray(x->m.types.n + 1, sizeof *g.sums);
    g.unit = mem_zarray(x->strings.n, sizeof *g.unit);
    if (!g.sums || !g.unit)
        (void)checker_nomem(x);
    while (!x->failed &&
           (got = tolerant_next_sample(&x->m, &faults, x->err)) > 0)
        check_sample(&g, &x->m.sample);
    x->failed = x->failed || got < 0;
    if (!x->failed)
        check_sums(&g);
    free(g.sums);
    free(g.unit);
    return !x->failed;
}

bool check_entities(struct checker *x)
{
    return check_mappings(x) && check_functions(x) && check_locations(x) &&
           check_flags(x) && check_samples(x);
}
