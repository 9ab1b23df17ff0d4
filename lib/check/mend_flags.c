/* Flags of mappings that no location bears out. */
#include <stdlib.h>

#include "check/mender.h"

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

/* 1 for each location that is written with the samples: others go with them. */
static uint8_t *used_locations(const struct profile *p)
{
    uint8_t *used = mem_zarray(p->n_locations + 1, 1);
    for (size_t s = 0; used && s < p->n_samples; s++)
        if (!prof_sample_is_zero(p, s))
            for (uint64_t f = p->frame_off[s]; f < p->frame_off[s + 1]; f++)
                used[p->frames[f]] = 1;
    return used;
}

static void clear(struct mender *d, bool *flag, bool founded)
{
    d->n_cleared += *flag && !founded;
    *flag = *flag && founded;
}

static void clear_flags(struct mender *d, const struct content *content)
{
    struct profile *p = d->p;
    for (size_t i = 0; i < p->n_mappings; i++) {
        struct prof_mapping *m = &p->mappings[i];
        const struct content *c = &content[i];
        if (!c->any)
            continue;
        clear(d, &m->has_functions, c->functions);
        clear(d, &m->has_filenames, c->filenames);
        clear(d, &m->has_line_numbers, c->line_numbers);
    }
}

bool mend_flags(struct mender *d)
{
    const struct profile *p = d->p;
    struct content *content = mem_zarray(p->n_mappings + 1, sizeof *content);
    uint8_t *used = used_locations(p);
    bool ok = (content && used) || err_nomem(d->err);
    for (size_t i = 0; ok && i < p->n_locations; i++)
        if (used[i] && p->locations[i].mapping != PROF_NONE)
            add(p, &p->locations[i], &content[p->locations[i].mapping]);
    if (ok)
        clear_flags(d, content);
    free(content);
    free(used);
    return ok;
}
