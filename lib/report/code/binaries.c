#include "report/code/binaries.h"

#include <stdlib.h>

#include "base/vec.h"
#include "profile/text.h"
#include "symbol/addr.h"
#include "symbol/symbol.h"

bool binaries_init(struct binaries *b, const struct report *r, struct err *err)
{
    b->r = r;
    b->missing = mem_zarray(r->p->n_mappings, sizeof *b->missing);
    b->cache = sym_cache_new(err);
    return b->cache && (b->missing || err_nomem(err));
}

void binaries_free(struct binaries *b)
{
    sym_cache_free(b->cache);
    free(b->missing);
}

static bool say_missing(struct binaries *b, uint32_t mapping, const char *why)
{
    const struct profile *p = b->r->p;
    const char *file = prof_plain(p, p->mappings[mapping].filename);
    b->missing[mapping] = true;
    if (sym_has_no_file(file))
        note_info(b->r->notes, "%s: no file, so that no code is shown", file);
    else
        note_warn(b->r->notes, "%s: its code is not shown: %s",
                  *file ? file : "a binary without a name", why);
    return true;
}

bool binaries_find(struct binaries *b, uint32_t mapping, uint64_t seen,
                   struct sym_binary **binary, uint64_t *bias, struct err *err)
{
    const struct report_opts *o = b->r->opts;
    const struct profile *p = b->r->p;
    const struct prof_mapping *m = &p->mappings[mapping];
    bool is_named = !mapping && o->binary;
    *binary = NULL;
    if (b->missing[mapping])
        return true;
    struct err why;
    switch (sym_cache_find(b->cache, binary,
                           is_named ? o->binary : prof_plain(p, m->filename),
                           prof_plain(p, m->build_id), !is_named,
                           o->binary_path, b->r->notes, &why)) {
    case SYM_FOUND:
        if (sym_bias(&(*binary)->files.image, m, seen, bias))
            return true;
        *binary = NULL;
        return say_missing(b, mapping, "the mapping is not of this file");
    case SYM_NOT_FOUND:
        *binary = NULL;
        return say_missing(b, mapping, why.text);
    default:
        *err = why;
        return false;
    }
}

bool binaries_maps(const struct prof_mapping *m, uint64_t address)
{
    return m->limit <= m->start || (address >= m->start && address < m->limit);
}
