/* Samples of the base of a difference. */
#include "profile/difference.h"

#include <string.h>

#include "base/vec.h"

bool prof_base_sets(const struct profile *p, bool **is_base)
{
    uint32_t key, yes;
    *is_base = NULL;
    if (!strtab_find(&p->strings, PROF_BASE_KEY, strlen(PROF_BASE_KEY), &key) ||
        !strtab_find(&p->strings, PROF_BASE_VALUE, strlen(PROF_BASE_VALUE),
                     &yes))
        return true;
    for (size_t set = 0; set < p->n_labelsets; set++)
        for (uint64_t i = p->labelset_off[set]; i < p->labelset_off[set + 1];
             i++) {
            if (p->labels[i].key != key || p->labels[i].str != yes)
                continue;
            if (!*is_base)
                *is_base = mem_zarray(p->n_labelsets, sizeof **is_base);
            if (!*is_base)
                return false;
            (*is_base)[set] = true;
        }
    return true;
}
