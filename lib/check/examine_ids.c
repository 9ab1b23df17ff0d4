/* Ids of mappings, functions and locations. */
#include <inttypes.h>
#include <string.h>

#include "check/examiner.h"

/* `last` is the last entity with that id. */
static void look_at(struct examiner *x, const struct entities *e, size_t i,
                    uint64_t id, size_t last)
{
    const char *entity = (const char *)e->v + i * e->size;
    size_t offset;
    memcpy(&offset, entity + e->offset_at, sizeof offset);
    const struct doctor_place p = place_of(e->kind, i, id, offset);
    if (!id)
        examiner_found(x, RULE_ID_ZERO, &p, "has id 0");
    else if (last != i)
        examiner_found(x, RULE_DUPLICATE_ID, &p,
                       "%s %zu has id %" PRIu64 ", too",
                       doctor_entity_name(e->kind), last, id);
}

bool examine_ids(struct examiner *x, const struct entities *e,
                 struct idmap *map, uint8_t **used)
{
    uint32_t twice;
    if (e->n >= IDMAP_NONE) {
        x->failed = true;
        return err_set(x->err, ERR_INPUT, "more than 4294967294 entities");
    }
    *used = mem_zarray(e->n + 1, 1);
    if (!*used || !idmap_make(map, e->v, e->n, e->size, &twice))
        return examiner_nomem(x);
    if (!map->index) /* they count up from 1 */
        return true;
    for (size_t i = 0; i < e->n; i++) {
        uint64_t id;
        memcpy(&id, (const char *)e->v + i * e->size, sizeof id);
        size_t last = idmap_get(map, id);
        look_at(x, e, i, id, last);
        (*used)[i] = !id || last != i; /* nobody can tell */
    }
    return !x->failed;
}
