#include "check/place.h"

#include <inttypes.h>

const char *doctor_entity_name(enum doctor_entity e)
{
    static const char *const names[] = {
        "file",    "profile",  "sample_type", "period_type", "sample",
        "mapping", "location", "function",    "string",      "comment"};
    return names[e];
}

const char *doctor_part_name(enum doctor_part p)
{
    static const char *const names[] = {NULL, "label", "line", "value",
                                        "location_id"};
    return names[p];
}

bool doctor_put_place(struct buf *to, const struct doctor_place *p)
{
    bool ok = true;
    if (p->offset != PLACE_NONE)
        ok = buf_printf(to, "offset %zu: ", p->offset);
    ok = ok && buf_puts(to, doctor_entity_name(p->entity));
    if (p->index != PLACE_NONE)
        ok = ok && buf_printf(to, " %zu", p->index);
    if (p->id)
        ok = ok && buf_printf(to, " (id %" PRIu64 ")", p->id);
    if (p->part)
        ok = ok && buf_printf(to, ", %s %zu", doctor_part_name(p->part),
                              p->part_index);
    if (p->field)
        ok = ok && buf_printf(to, ", %s", p->field);
    return ok;
}
