#include "profile/labelunit.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "profile/text.h"

/* Bits of what was seen of a key. */
enum { HAS_NUMBERS = 1, TOLD = 2 };

static void see_set(const struct profile *p, uint32_t set, uint32_t *unit,
                    uint8_t *seen, const struct notes *notes)
{
    for (uint64_t i = p->labelset_off[set]; i < p->labelset_off[set + 1]; i++) {
        const struct prof_label *l = &p->labels[i];
        if (l->str)
            continue;
        seen[l->key] |= HAS_NUMBERS;
        if (!l->unit || l->unit == unit[l->key])
            continue;
        if (!unit[l->key]) {
            unit[l->key] = l->unit;
        } else if (!(seen[l->key] & TOLD)) {
            seen[l->key] |= TOLD;
            note_warn(notes,
                      "label %s: its numbers are taken to be in %s, though "
                      "some say %s",
                      prof_show(p, l->key).text,
                      prof_show(p, unit[l->key]).text,
                      prof_show(p, l->unit).text);
        }
    }
}

static bool is_of_bytes(struct slice key)
{
    return slice_is(key, "alignment") || slice_is(key, "request");
}

/* A unit that no C string can be is known by the text that shows it. */
static bool make_plain(struct profile *p, uint32_t *unit, struct err *err)
{
    if (!*unit || *prof_plain(p, *unit))
        return true;
    return prof_shown_id(p, *unit, unit, err);
}

bool prof_label_units(struct profile *p, uint32_t **unit,
                      const struct notes *notes, struct err *err)
{
    uint32_t bytes;
    *unit = NULL;
    if (!prof_str(p, "bytes", &bytes, err))
        return false;
    uint32_t n = p->strings.n;
    uint8_t *seen = mem_zarray(n, 1), *set_seen = mem_zarray(p->n_labelsets, 1);
    *unit = mem_zarray(n, sizeof **unit);
    bool ok = seen && set_seen && *unit;
    for (size_t s = 0; ok && s < p->n_samples; s++) {
        uint32_t set = p->labelset[s];
        if (!set_seen[set])
            see_set(p, set, *unit, seen, notes);
        set_seen[set] = 1;
    }
    for (uint32_t key = 0; ok && key < n; key++)
        if ((seen[key] & HAS_NUMBERS) && !(*unit)[key])
            (*unit)[key] = is_of_bytes(prof_text(p, key)) ? bytes : key;
    free(seen);
    free(set_seen);
    if (!ok)
        return err_nomem(err);
    for (uint32_t key = 0; ok && key < n; key++)
        ok = make_plain(p, &(*unit)[key], err);
    return ok;
}
