#include "profile/filter/names.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "profile/text.h"

/* What is known of a string. */
enum { UNTRIED, NO, YES };

/* Ors the verdict on string `id` into *verdict. */
static bool try_string(const struct profile *p, struct regex *re, uint8_t *seen,
                       uint32_t id, uint8_t *verdict, struct err *err)
{
    if (seen[id] == UNTRIED) {
        struct slice text = prof_text(p, id);
        int rc = regex_match(re, text.s, text.n, err);
        if (rc < 0)
            return false;
        seen[id] = rc ? YES : NO;
    }
    *verdict |= seen[id] == YES;
    return true;
}

bool names_match(const struct profile *p, struct regex *re,
                 struct name_verdicts *v, struct err *err)
{
    uint8_t *seen = mem_zarray(p->strings.n, 1);
    v->function = mem_zarray(p->n_functions, 1);
    v->mapping = mem_zarray(p->n_mappings, 1);
    bool ok = (seen && v->function && v->mapping) || err_nomem(err);
    for (size_t i = 0; ok && i < p->n_functions; i++)
        ok = try_string(p, re, seen, p->functions[i].name, &v->function[i],
                        err) &&
             try_string(p, re, seen, p->functions[i].filename, &v->function[i],
                        err);
    for (size_t i = 0; ok && i < p->n_mappings; i++)
        ok = try_string(p, re, seen, p->mappings[i].filename, &v->mapping[i],
                        err);
    free(seen);
    return ok;
}

void names_free(struct name_verdicts *v)
{
    free(v->function);
    free(v->mapping);
    memset(v, 0, sizeof *v);
}

bool names_location(const struct name_verdicts *v, const struct profile *p,
                    const struct prof_location *l)
{
    for (uint32_t i = 0; i < l->n_lines; i++)
        if (names_line(v, &p->lines[l->line_off + i]))
            return true;
    return names_mapping(v, l);
}
