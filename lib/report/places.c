/* places.c - adds to the names of functions where their code comes from */
#include "report/places.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/map.h"
#include "base/slice.h"
#include "base/vec.h"
#include "profile/columns.h"

enum place { PLAIN, INLINED, KERNEL, JIT, INTERPRETER, N_PLACES };

/* The suffixes that folded2pb --annotations reads. */
static const char *const annotations[N_PLACES] = {"", "_[i]", "_[k]", "_[j]",
                                                  "_[0]"};

/*
 * Returns where the code of a mapping comes from, by the names that perf and
 * folded2pb give to mappings.
 */
static enum place place_of(struct prof_slice file)
{
    static const struct {
        const char *begin;
        enum place place;
    } known[] = {
        {"[kernel", KERNEL},       {"[guest.kernel", KERNEL},
        {"[vdso]", PLAIN},         {"[vsyscall]", PLAIN},
        {"[heap]", PLAIN},         {"[stack]", PLAIN},
        {"[unknown]", PLAIN},      {"[jit]", JIT},
        {"/tmp/perf-", JIT},       {"[interpreter]", INTERPRETER},
        {"/lib/modules/", KERNEL}, {"[", KERNEL}, /* a module */
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (slice_begins_with(file, known[i].begin))
            return known[i].place;
    return slice_ends_with(file, "/vmlinux") ? KERNEL : PLAIN;
}

/* --- suffixes --- */

/* The copies of functions that have a suffix, by function and suffix. */
struct variants {
    struct profile *p;
    struct map map;
    VEC(uint32_t) function; /* by row of the map: the copy */
};

static void variants_free(struct variants *v)
{
    map_free(&v->map);
    vec_free(&v->function);
}

/*
 * Makes the line refer to a copy of its function whose name ends in `suffix`, a
 * string id.  Suffix 0 changes nothing.
 */
static bool add_suffix(struct variants *v, uint32_t suffix,
                       struct prof_line *line, struct prof_err *err)
{
    struct profile *p = v->p;
    const uint32_t key[] = {line->function, suffix};
    uint32_t row;
    bool is_new;
    if (!suffix || line->function == PROF_NONE)
        return true;
    if (!map_add(&v->map, key, sizeof key, &row, &is_new))
        return err_nomem(err);
    if (is_new) {
        struct prof_function f = p->functions[line->function];
        struct buf name = {0};
        uint32_t id;
        bool ok = (prof_put_text(&name, p, f.name) &&
                   prof_put_text(&name, p, suffix)) ||
                  err_nomem(err);
        ok = ok && prof_strn(p, (const char *)name.v, name.n, &f.name, err) &&
             prof_add_function(p, &f, &id, err) &&
             (vec_push(&v->function, id) || err_nomem(err));
        buf_free(&name);
        if (!ok)
            return false;
    }
    line->function = v->function.v[row];
    return true;
}

bool places_annotate(struct profile *p, struct prof_err *err)
{
    struct variants v = {.p = p};
    uint32_t suffix[N_PLACES];
    bool ok = true;
    for (size_t i = 0; ok && i < N_PLACES; i++)
        ok = prof_str(p, annotations[i], &suffix[i], err);
    for (size_t i = 0; ok && i < p->n_locations; i++) {
        const struct prof_location *l = &p->locations[i];
        const enum place place =
            l->mapping == PROF_NONE
                ? PLAIN
                : place_of(prof_text(p, p->mappings[l->mapping].filename));
        for (uint32_t k = 0; ok && k < l->n_lines; k++)
            ok = add_suffix(&v, suffix[k + 1 < l->n_lines ? INLINED : place],
                            &p->lines[l->line_off + k], err);
    }
    variants_free(&v);
    return ok;
}

/* Sets *suffix to the id of a mapping's " [.] file", or 0 if it has no file. */
static bool make_suffix(struct profile *p, uint32_t mapping, uint32_t *suffix,
                        struct prof_err *err)
{
    struct prof_slice file = prof_text(p, p->mappings[mapping].filename);
    const char *mark = place_of(file) == KERNEL ? " [k] " : " [.] ";
    struct buf text = {0};
    *suffix = 0;
    file.s = path_base(file.s, file.n, &file.n);
    /* "[kernel.kallsyms]_text": perf records the symbol that it relates to. */
    const char *end =
        file.n && *file.s == '[' ? memchr(file.s, ']', file.n) : NULL;
    if (end)
        file.n = (size_t)(end - file.s) + 1;
    if (!file.n)
        return true;
    bool ok = (buf_puts(&text, mark) && buf_put(&text, file.s, file.n)) ||
              err_nomem(err);
    ok = ok && prof_strn(p, (const char *)text.v, text.n, suffix, err);
    buf_free(&text);
    return ok;
}

bool places_add_mappings(struct profile *p, struct prof_err *err)
{
    struct variants v = {.p = p};
    uint32_t *suffix = mem_array(p->n_mappings, sizeof *suffix);
    bool ok = suffix || err_nomem(err);
    for (uint32_t i = 0; ok && i < p->n_mappings; i++)
        ok = make_suffix(p, i, &suffix[i], err);
    for (size_t i = 0; ok && i < p->n_locations; i++) {
        const struct prof_location *l = &p->locations[i];
        for (uint32_t k = 0; ok && l->mapping != PROF_NONE && k < l->n_lines;
             k++) {
            struct prof_line *line = &p->lines[l->line_off + k];
            /* With --files, rows are files, which have no names. */
            if (line->function != PROF_NONE &&
                p->functions[line->function].name)
                ok = add_suffix(&v, suffix[l->mapping], line, err);
        }
    }
    free(suffix);
    variants_free(&v);
    return ok;
}
