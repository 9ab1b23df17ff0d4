#include "symbol/scopes.h"

#include <dwarf.h>
#include <string.h>

/* Compilers nest a few dozen levels deep. */
enum { DEPTH_MAX = 1024 };

/* A level of the walk: the entry it is at, and the scope around it. */
struct level {
    Dwarf_Die die;
    uint32_t scope;
};

struct walk {
    struct sym_scopes *s;
    const uint64_t *addr;
    size_t n;
    size_t budget; /* entries, ranges and addresses still to be looked at */
    bool all;      /* also where functions are seldom found */
    struct level level[DEPTH_MAX];
    size_t depth;
};

/* The first address that is not below. */
static size_t lower_bound(const struct walk *w, uint64_t below)
{
    size_t lo = 0, hi = w->n;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (w->addr[mid] < below)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

/*
 * The first address from i on that no function has yet, or n.  Those that have
 * one lead to it by ways that are halved as they are gone, so that functions
 * that overlap do not look at the same addresses again and again.
 */
static size_t unclaimed(struct walk *w, size_t i)
{
    uint32_t *next = w->s->next.v;
    while (next[i] != i) {
        next[i] = next[next[i]];
        i = next[i];
    }
    return i;
}

/* Gives a function those addresses from lo to hi that have none. */
static bool claim_free(struct walk *w, uint64_t lo, uint64_t hi, uint32_t root)
{
    bool any = false;
    size_t i = unclaimed(w, lower_bound(w, lo));
    for (; i < w->n && w->addr[i] < hi; i = unclaimed(w, i)) {
        w->s->found.v[i] = root;
        w->s->next.v[i] = (uint32_t)i + 1;
        any = true;
    }
    return any;
}

/*
 * Gives an inlined call those addresses from lo to hi that the function has
 * which it is inlined in.  Here also others cost: code of an inlined call is
 * code of that function.
 */
static bool claim_inlined(struct walk *w, uint64_t lo, uint64_t hi,
                          uint32_t scope, uint32_t root)
{
    const struct sym_scope *scopes = w->s->scopes.v;
    bool any = false;
    for (size_t i = lower_bound(w, lo);
         w->budget && i < w->n && w->addr[i] < hi; i++, w->budget--) {
        uint32_t *found = &w->s->found.v[i];
        if (*found != SYM_NO_SCOPE && scopes[*found].root == root) {
            *found = scope;
            any = true;
        }
    }
    return any;
}

/*
 * Gives the addresses in the ranges of the entry to `scope`: those of no
 * function yet if it is a root, else those of its root.  True if any.
 */
static bool claim(struct walk *w, Dwarf_Die *die, uint32_t scope, uint32_t root)
{
    bool any = false;
    ptrdiff_t at = 0;
    Dwarf_Addr base, lo, hi;
    while (w->budget && (at = dwarf_ranges(die, at, &base, &lo, &hi)) > 0) {
        w->budget--;
        if (!lo) /* what the linker dropped */
            continue;
        any |= scope == root ? claim_free(w, lo, hi, root)
                             : claim_inlined(w, lo, hi, scope, root);
    }
    if (at < 0)
        w->s->damaged = true;
    return any;
}

/* Makes the scope of an entry if it has addresses; *scope is it or stays. */
static bool enter(struct walk *w, Dwarf_Die *die, bool inlined, uint32_t *scope,
                  bool *any, struct err *err)
{
    size_t n = w->s->scopes.n;
    if (n >= SYM_NO_SCOPE)
        return err_set(err, ERR_INPUT, "too many functions");
    uint32_t self = (uint32_t)n;
    struct sym_scope new = {*die, SYM_NO_SCOPE, self};
    if (inlined && *scope != SYM_NO_SCOPE) {
        new.parent = *scope;
        new.root = w->s->scopes.v[*scope].root;
    }
    if (!vec_push(&w->s->scopes, new))
        return err_nomem(err);
    *any = claim(w, die, self, new.root);
    if (*any)
        *scope = self;
    else
        w->s->scopes.n--;
    return true;
}

/* Whether to look below the entry, and which scope that is in. */
static bool visit(struct walk *w, Dwarf_Die *die, uint32_t *scope, bool *below,
                  struct err *err)
{
    *below = false;
    switch (dwarf_tag(die)) {
    case DW_TAG_subprogram:
        if (!enter(w, die, false, scope, below, err))
            return false;
        *below |= w->all;
        return true;
    case DW_TAG_inlined_subroutine:
        return *scope == SYM_NO_SCOPE || enter(w, die, true, scope, below, err);
    case DW_TAG_lexical_block:
    case DW_TAG_try_block:
    case DW_TAG_catch_block:
        *below = *scope != SYM_NO_SCOPE || w->all;
        return true;
    case DW_TAG_namespace:
    case DW_TAG_module:
        *below = true;
        return true;
    case DW_TAG_class_type:
    case DW_TAG_structure_type:
    case DW_TAG_union_type:
        *below = w->all;
        return true;
    default:
        return true;
    }
}

/* Goes one level down; an entry without children has none to visit. */
static void descend(struct walk *w, Dwarf_Die *die, uint32_t scope)
{
    struct level *next = &w->level[w->depth];
    if (w->depth == DEPTH_MAX) {
        w->s->damaged = true;
        return;
    }
    int r = dwarf_child(die, &next->die);
    if (r < 0)
        w->s->damaged = true;
    if (r != 0)
        return;
    next->scope = scope;
    w->depth++;
}

/* To the next entry of this level, or up. */
static void advance(struct walk *w, size_t at)
{
    struct level *l = &w->level[at];
    Dwarf_Die next;
    int r = dwarf_siblingof(&l->die, &next);
    if (r < 0)
        w->s->damaged = true;
    if (r == 0) {
        l->die = next;
        return;
    }
    memmove(l, l + 1, (w->depth - at - 1) * sizeof *l);
    w->depth--;
}

static bool walk_unit(struct walk *w, const Dwarf_Die *unit, size_t size,
                      struct err *err)
{
    Dwarf_Die die = *unit;
    w->budget = 4 * (size < SIZE_MAX / 64 ? size : SIZE_MAX / 64) + 65536;
    w->budget += 64 * (w->n < SIZE_MAX / 256 ? w->n : SIZE_MAX / 256);
    w->depth = 0;
    descend(w, &die, SYM_NO_SCOPE);
    while (w->depth && w->budget) {
        w->budget--;
        size_t at = w->depth - 1;
        uint32_t scope = w->level[at].scope;
        bool below;
        die = w->level[at].die;
        if (!visit(w, &die, &scope, &below, err))
            return false;
        if (below)
            descend(w, &die, scope);
        advance(w, at);
    }
    if (!w->budget)
        w->s->damaged = true;
    return true;
}

static bool is_complete(const struct sym_scopes *s)
{
    for (size_t i = 0; i < s->found.n; i++)
        if (s->found.v[i] == SYM_NO_SCOPE)
            return false;
    return true;
}

bool sym_scopes_find(struct sym_scopes *s, const Dwarf_Die *unit, size_t size,
                     const uint64_t *addr, size_t n, struct err *err)
{
    s->scopes.n = s->found.n = 0;
    struct walk *w = mem_array(1, sizeof *w);
    if (!w || !vec_reserve(&s->found, n) || !vec_reserve(&s->next, n + 1)) {
        free(w);
        return err_nomem(err);
    }
    w->s = s;
    w->addr = addr;
    w->n = n;
    w->all = false;
    for (size_t i = 0; i < n; i++)
        s->found.v[i] = SYM_NO_SCOPE;
    for (size_t i = 0; i <= n; i++)
        s->next.v[i] = (uint32_t)i;
    s->found.n = n;
    bool ok = walk_unit(w, unit, size, err);
    if (ok && !is_complete(s)) {
        w->all = true;
        ok = walk_unit(w, unit, size, err);
    }
    free(w);
    return ok;
}

void sym_scopes_free(struct sym_scopes *s)
{
    vec_free(&s->scopes);
    vec_free(&s->found);
    vec_free(&s->next);
}
