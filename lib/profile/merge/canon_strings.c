/* Strings in byte-wise order, so that from then on ids are ranks. */
#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include "profile/merge/canon.h"

enum { CHUNK = 7 };

/* Calls fn on every string reference of the sum. */
static void each_string(struct canon *c, void (*fn)(uint32_t *map, uint32_t *),
                        uint32_t *map)
{
    struct profile *p = c->sum;
    struct merger *m = c->m;
    for (size_t i = 0; i < p->n_types; i++) {
        fn(map, &p->types[i].type);
        fn(map, &p->types[i].unit);
    }
    for (size_t i = 0; i < m->mappings.n; i++) {
        struct merge_mapping *k = &m->mappings.v[i];
        fn(map, &k->name);
        fn(map, &k->used.filename);
        fn(map, &k->used.build_id);
        fn(map, &k->first.filename);
        fn(map, &k->first.build_id);
    }
    for (size_t i = 0; i < p->n_functions; i++) {
        fn(map, &p->functions[i].name);
        fn(map, &p->functions[i].system_name);
        fn(map, &p->functions[i].filename);
    }
    for (size_t i = 0; i < p->n_labels; i++) {
        fn(map, &p->labels[i].key);
        fn(map, &p->labels[i].str);
        fn(map, &p->labels[i].unit);
    }
    for (size_t i = 0; i < p->n_comments; i++)
        fn(map, &p->comments[i]);
    fn(map, &p->period_type.type);
    fn(map, &p->period_type.unit);
    fn(map, &p->drop_frames);
    fn(map, &p->keep_frames);
    fn(map, &p->default_sample_type);
    fn(map, &p->doc_url);
}

static void use(uint32_t *map, uint32_t *id)
{
    map[*id] = 1;
}

static void renumber(uint32_t *map, uint32_t *id)
{
    *id = map[*id];
}

/*
 * Seven bytes and how many of them there are, or that there are more: a
 * string that ends comes before one that goes on with a NUL.
 */
static uint64_t chunk(const char *s, size_t n)
{
    uint64_t key = 0;
    for (size_t i = 0; i < CHUNK; i++)
        key = key << 8 | (i < n ? (uint8_t)s[i] : 0);
    return key << 8 | (n > CHUNK ? CHUNK + 1 : n);
}

/* A depth is in bytes. */
static bool next_bytes(const void *ctx, struct radix_item *v, size_t n,
                       size_t *depth)
{
    const struct strtab *t = ctx;
    uint64_t differ = 0;
    while (!differ && strtab_len(t, v[0].id) >= *depth) {
        for (size_t i = 0; i < n; i++) {
            v[i].key = chunk(strtab_str(t, v[i].id) + *depth,
                             strtab_len(t, v[i].id) - *depth);
            differ |= v[i].key ^ v[0].key;
        }
        *depth += CHUNK;
    }
    return differ != 0;
}

/* Sorts the strings in use, numbers them in map, and lists their ids. */
static bool sort_strings(struct canon *c, uint32_t *map, uint32_t *ids,
                         uint32_t *n_ids)
{
    const struct strtab *t = &c->sum->strings;
    struct longkey k = {next_bytes, NULL, t, c->threads};
    struct radix_item *v = mem_array(t->n, sizeof *v);
    struct radix_item *spare = mem_array(t->n, sizeof *spare);
    bool equal, ok = v && spare;
    uint32_t n = 0;
    for (uint32_t id = 0; ok && id < t->n; id++)
        if (map[id])
            v[n++].id = id;
    ok = ok && longkey_sort(&k, v, spare, n, &equal);
    for (uint32_t i = 0; ok && i < n; i++) {
        ids[i] = v[i].id;
        map[v[i].id] = i;
    }
    *n_ids = n;
    free(v);
    free(spare);
    return ok;
}

bool canon_strings(struct canon *c, struct err *err)
{
    struct strtab *t = &c->sum->strings;
    uint32_t *map = mem_zarray(t->n, sizeof *map);
    uint32_t *ids = mem_array(t->n, sizeof *ids);
    uint32_t n = 0, none = 0;
    bool ok = map && ids;
    if (ok) {
        each_string(c, use, map);
        use(map, &none); /* "" is always there, and first */
        ok = sort_strings(c, map, ids, &n) && strtab_select(t, ids, n);
    }
    if (ok)
        each_string(c, renumber, map);
    free(map);
    free(ids);
    return ok || err_nomem(err);
}
