/* A gmon.out and its executable as a profile of what was measured. */
#include "import/gmon/gmon_convert.h"

#include <string.h>

#include "import/gmon/gmon_flat.h"
#include "import/gmon/gmon_profile.h"
#include "symbol/owners.h"
#include "symbol/symbol.h"

struct conversion {
    const struct gmon *g;
    const struct gmon_exe *exe;
    const struct gmon_convert_opts *opts;
    struct profile *p;
    const struct notes *notes;
};

static struct gmon_job job_of(const struct conversion *c)
{
    return (struct gmon_job){
        .g = c->g, .exe = c->exe, .notes = c->notes, .blocks = c->opts->blocks};
}

static struct sym_opts sym_opts_of(const struct conversion *c)
{
    return (struct sym_opts){.path = c->opts->path,
                             .binary = c->exe->name,
                             .binary_at = c->exe->path,
                             .cache = c->opts->binaries,
                             .demangle = c->opts->demangle,
                             .no_inlines = !c->opts->inlines,
                             .names_follow = true};
}

/* Names for what was measured; bins are looked up at both their ends. */
static bool look_up(const struct conversion *c, struct gmon_places *places,
                    struct err *err)
{
    const struct sym_opts opts = sym_opts_of(c);
    if (!sym_profile(c->p, &opts, c->notes, err))
        return false;
    if (gmon_other_ends(c->p, places)) {
        if (!sym_profile(c->p, &opts, NULL, err))
            return false;
        (void)gmon_other_ends(c->p, places);
    }
    gmon_arcs_by_function(c->p, places);
    return true;
}

/* By address; with symbols, named where DWARF or dynamic symbols do. */
static bool make_plain(const struct conversion *c, bool symbols,
                       struct err *err)
{
    const struct gmon_job job = job_of(c);
    struct gmon_places places;
    bool ok = gmon_profile(&job, c->p, &places, err) &&
              (!symbols || look_up(c, &places, err));
    gmon_places_free(&places);
    return ok;
}

/* By function. */
static bool make_flat(const struct conversion *c,
                      const struct sym_owners *owners, struct err *err)
{
    const struct gmon_job job = job_of(c);
    const struct sym_opts opts = sym_opts_of(c);
    struct gmon_frames frames;
    bool ok = gmon_flat(&job, owners, c->p, &frames, err) &&
              sym_profile(c->p, &opts, c->notes, err) &&
              gmon_name_frames(c->p, &frames, owners, c->opts->demangle, err);
    gmon_frames_free(&frames);
    return ok;
}

/*
 * Functions that were only called have no line: where there are no others, the
 * lines that were looked up are gone, and mappings must not promise them.
 */
static void settle_flags(struct profile *p)
{
    for (size_t i = 0; i < p->n_mappings; i++)
        p->mappings[i].has_line_numbers = false;
    for (size_t i = 0; i < p->n_locations; i++) {
        const struct prof_location *l = &p->locations[i];
        for (uint32_t k = 0; l->mapping != PROF_NONE && k < l->n_lines; k++)
            if (p->lines[l->line_off + k].line)
                p->mappings[l->mapping].has_line_numbers = true;
    }
}

bool gmon_convert(const struct gmon *g, const struct gmon_exe *exe,
                  const struct gmon_convert_opts *opts, struct profile *p,
                  const struct notes *notes, struct err *err)
{
    const struct conversion c = {g, exe, opts, p, notes};
    struct sym_owners owners = {0};
    memset(p, 0, sizeof *p);
    if (!exe || opts->no_symbols)
        return make_plain(&c, false, err);
    bool ok = sym_owners_read(&owners, exe->path, opts->path, err);
    if (ok)
        ok = owners.n ? make_flat(&c, &owners, err) : make_plain(&c, true, err);
    if (ok)
        settle_flags(p);
    sym_owners_free(&owners);
    return ok;
}
