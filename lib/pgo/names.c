/* names.c - renames functions, and marks functions that are not to be
 * inlined */
#include <stdlib.h>
#include <string.h>

#include "base/slice.h"
#include "pgo/private.h"

bool pgo_add_rename(struct pgo_renames *rules, const char *rule,
                    struct prof_err *err)
{
    const char *equals = strrchr(rule, '=');
    struct prof_slice group;
    if (!equals || equals == rule)
        return err_value(err, "expected REGEX=TEXT");
    const struct pgo_rename new = {strndup(rule, (size_t)(equals - rule)),
                                   equals + 1};
    if (!new.regex || !vec_push(&rules->v, new)) {
        free(new.regex);
        return err_nomem(err);
    }
    return prof_regex_group(new.regex, slice_of(""), &group, err) >= 0;
}

void pgo_renames_free(struct pgo_renames *rules)
{
    for (size_t i = 0; i < rules->v.n; i++)
        free(rules->v.v[i].regex);
    vec_free(&rules->v);
}

/* Replaces *id, the name of a function, by the first rule that matches it.
 * Leaves it if none does. */
static bool rename_one(struct profile *p, const struct pgo_rename *rules,
                       size_t n, bool *used, uint32_t *id, struct prof_err *err)
{
    const struct prof_slice name = prof_get_string(p, *id);
    struct buf to = {0};
    for (size_t i = 0; i < n; i++) {
        struct prof_slice part;
        const int got = prof_regex_group(rules[i].regex, name, &part, err);
        if (got < 0)
            return false;
        /* A group that took no part in the match has no position. */
        if (!got || !part.n)
            continue;
        used[i] = true;
        const size_t before = (size_t)(part.s - name.s);
        const struct prof_slice rest = slice_from(name, before + part.n);
        const bool ok = buf_put(&to, name.s, before) &&
                                buf_puts(&to, rules[i].text) &&
                                buf_put(&to, rest.s, rest.n)
                            ? prof_strn(p, (const char *)to.v, to.n, id, err)
                            : err_nomem(err);
        buf_free(&to);
        return ok;
    }
    return true;
}

static bool rename_all(struct profile *p, const struct pgo_rename *rules,
                       size_t n, bool *used, struct prof_err *err)
{
    const struct prof_counts count = prof_count(p);
    uint32_t *now = mem_none(count.strings);
    bool ok = now || err_nomem(err);
    for (size_t i = 0; ok && i < count.functions; i++) {
        struct prof_function f = prof_get_function(p, i);
        const uint32_t was = f.name;
        if (now[was] == PROF_NONE) {
            now[was] = was;
            ok = rename_one(p, rules, n, used, &now[was], err);
        }
        f.name = now[was];
        if (f.system_name == was)
            f.system_name = f.name;
        prof_set_function(p, i, &f);
    }
    free(now);
    return ok;
}

bool pgo_rename(struct profile *p, const struct pgo_renames *rules,
                const struct prof_notes *notes, struct prof_err *err)
{
    const size_t n = rules->v.n;
    if (!n)
        return true;
    bool *used = mem_zarray(n, sizeof *used);
    const bool ok =
        used ? rename_all(p, rules->v.v, n, used, err) : err_nomem(err);
    for (size_t i = 0; ok && i < n; i++)
        if (!used[i])
            note_warn(notes, "--rename: no function matches '%s'",
                      rules->v.v[i].regex);
    free(used);
    return ok;
}

/* --- functions that are not to be inlined --- */

/*
 * Appended to the name of a callee that is not to be inlined.  The compiler
 * finds callees by name, and no function has this one.  The edge keeps its
 * weight, so that nothing changes for other calls: neither what is hot, nor
 * which callee of a line is the most frequent.  '!' sorts before all characters
 * of names, so that the order of edges of equal weight stays too.
 */
#define NOT_INLINED "!noinline"

struct prof_slice pgo_real_name(struct prof_slice name)
{
    return slice_ends_with(name, NOT_INLINED)
               ? slice_to(name, name.n - (sizeof NOT_INLINED - 1))
               : name;
}

/* Sets *index to the index of the name with NOT_INLINED appended, which it
 * adds. */
static bool mark_name(struct profile *p, struct pgo_edges *edges,
                      struct prof_slice name, uint32_t *index,
                      struct prof_err *err)
{
    struct buf to = {0};
    uint32_t id;
    bool ok = (buf_put(&to, name.s, name.n) && buf_puts(&to, NOT_INLINED)) ||
              err_nomem(err);
    ok = ok && prof_strn(p, (const char *)to.v, to.n, &id, err);
    buf_free(&to);
    *index = (uint32_t)edges->names.n;
    return ok &&
           (vec_push(&edges->names, prof_get_string(p, id)) || err_nomem(err));
}

bool pgo_edges_no_inline(struct profile *p, struct pgo_edges *edges,
                         const char *regex, const struct prof_notes *notes,
                         struct prof_err *err)
{
    uint32_t *instead = mem_none(edges->names.n);
    bool any = false, ok = instead || err_nomem(err);
    for (size_t i = 0; ok && i < edges->v.n; i++) {
        uint32_t *callee = &edges->v.v[i].callee, *to = &instead[*callee];
        const struct prof_slice name = edges->names.v[*callee],
                                real = pgo_real_name(name);
        struct prof_slice part;
        if (*to == PROF_NONE) {
            *to = *callee;
            const int got = prof_regex_group(regex, real, &part, err);
            ok = got >= 0;
            any |= got > 0;
            if (got > 0 && real.n == name.n)
                ok = mark_name(p, edges, name, to, err);
        }
        *callee = *to;
    }
    free(instead);
    if (ok && !any)
        note_warn(notes, "--no-inline: no function that is called matches '%s'",
                  regex);
    return ok;
}
