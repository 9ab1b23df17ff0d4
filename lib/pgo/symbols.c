/* symbols.c - adds, from binaries, what compilers need and a profile lacks */
#include <stdlib.h>

#include "pgo/private.h"

static bool lacks_start(const struct profile *p, uint32_t location)
{
    size_t n;
    const struct prof_line *lines = prof_get_lines(p, location, &n);
    for (size_t k = 0; k < n; k++)
        if (lines[k].function == PROF_NONE ||
            !prof_get_function(p, lines[k].function).start_line)
            return true;
    return !n;
}

bool pgo_symbolize(struct profile *p, const struct sym_opts *opts,
                   const struct prof_notes *notes, struct prof_err *err)
{
    const bool by_line = opts->discriminators;
    const size_t most = by_line ? 1 : PGO_LAST_LOCATIONS;
    const struct pgo_binary binary = {p, opts, notes};
    struct sym_opts with = *opts;
    const struct prof_counts count = prof_count(p);
    bool *only = mem_zarray(count.locations, sizeof *only);
    if (!only)
        return err_nomem(err);
    for (size_t i = 0; i < count.samples; i++) {
        const struct prof_sample s = prof_get_sample(p, i);
        for (size_t k = 0; k < most && k < s.n_frames; k++)
            only[s.frames[k]] = by_line || lacks_start(p, s.frames[k]);
    }
    with.only = only;
    const bool ok =
        (!opts->binary || pgo_name_binary(p, &binary, &with.main, err)) &&
        sym_profile(p, &with, notes, err);
    free(only);
    return ok;
}
