/* Flags of mappings that no location bears out. */
#include <stdlib.h>

#include "doctor/mender.h"

/* What the locations of a mapping have. */
struct content {
    bool any, functions, filenames, line_numbers;
};

static void add(const struct profile *p, const struct prof_location *l,
                struct content *c)
{
    c->any = true;
    for (uint32_t k = 0; k < l->n_lines; k++) {
        const struct prof_line *line = &p->lines[l->line_off + k];
        const struct prof_function *f = &p->functions[line->function];
        c->functions |= f->name || f->system_name;
        c->filenames |= f->filename != 0;
        c->line_numbers |= line->line != 0;
    }
}

static void clear(struct mender *d, bool *flag, bool founded)
{
    d->n_cleared += *flag && !founded;
    *flag = *flag && founded;
}

bool mend_flags(struct mender *d)
{
    struct profile *p = d->p;
    struct content *content = mem_zarray(p->n_mappings + 1, sizeof *content);
    if (!content)
        return err_nomem(d->err);
    for (size_t i = 0; i < p->n_locations; i++)
        if (p->locations[i].mapping != PROF_NONE)
            add(p, &p->locations[i], &content[p->locations[i].mapping]);
    for (size_t i = 0; i < p->n_mappings; i++) {
        struct prof_mapping *m = &p->mappings[i];
        const struct content *c = &content[i];
        if (!c->any)
            continue;
        clear(d, &m->has_functions, c->functions);
        clear(d, &m->has_filenames, c->filenames);
        clear(d, &m->has_line_numbers, c->line_numbers);
    }
    free(content);
    return true;
}
