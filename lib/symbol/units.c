#include "symbol/units.h"

#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>

#include "symbol/elfsec.h"
#include "symbol/shared.h"
#include "symbol/split.h"

/* Spans that overlap are a defect of the file: how far to look back. */
enum { OVERLAP_MAX = 16, SPANS_MIN = 1 << 20 };

static bool add_spans(struct sym_units *u, Dwarf_Die *die, uint32_t unit,
                      struct err *err)
{
    ptrdiff_t at = 0;
    Dwarf_Addr base, lo, hi;
    while ((at = dwarf_ranges(die, at, &base, &lo, &hi)) > 0) {
        if (u->spans.n >= u->max_spans) {
            u->damaged = true;
            return true;
        }
        /* What the linker dropped is left at address 0. */
        struct sym_span span = {lo, hi, unit};
        if (lo && lo < hi && !vec_push(&u->spans, span))
            return err_nomem(err);
    }
    if (at < 0)
        u->damaged = true;
    return true;
}

static int by_lo(const void *a, const void *b)
{
    const struct sym_span *x = a, *y = b;
    if (x->lo != y->lo)
        return x->lo < y->lo ? -1 : 1;
    return (x->unit > y->unit) - (x->unit < y->unit);
}

/*
 * The bytes of the unit, header and all; the last one of a file has no other
 * behind it, and one that was split off is elsewhere.
 */
static size_t size_of(Dwarf_Die *die)
{
    Dwarf_Off at = dwarf_dieoffset(die) - dwarf_cuoffset(die), next;
    size_t header;
    int r = dwarf_next_unit(dwarf_cu_getdwarf(die->cu), at, &next, &header,
                            NULL, NULL, NULL, NULL, NULL, NULL);
    return r == 0 && next > at && next - at < SIZE_MAX ? (size_t)(next - at)
                                                       : 0;
}

static bool add_unit(struct sym_units *u, Dwarf_Die *die, bool split,
                     struct err *err)
{
    struct sym_unit unit = {*die, *die, size_of(die), split, false};
    size_t n = u->units.n, spans = u->spans.n;
    if (n >= UINT32_MAX - 1)
        return err_set(err, ERR_INPUT, "too many units");
    if (!add_spans(u, &unit.lines, (uint32_t)n, err))
        return false;
    return u->spans.n == spans || vec_push(&u->units, unit) || err_nomem(err);
}

bool sym_units_read(struct sym_units *u, Dwarf *dwarf, uint64_t size,
                    struct err *err)
{
    u->max_spans =
        SPANS_MIN + (size < SIZE_MAX / 2 ? (size_t)size : SIZE_MAX / 2);
    Dwarf_CU *cu = NULL;
    for (;;) {
        uint8_t type = 0;
        Dwarf_Die die;
        errno = 0;
        int r = dwarf_get_units(dwarf, cu, &cu, NULL, &type, &die, NULL);
        if (!err_check_errno(err))
            return false;
        if (r != 0) {
            u->damaged |= r < 0;
            break;
        }
        if ((type == DW_UT_compile || type == DW_UT_skeleton) &&
            !add_unit(u, &die, type == DW_UT_skeleton, err))
            return false;
    }
    if (u->spans.n)
        qsort(u->spans.v, u->spans.n, sizeof *u->spans.v, by_lo);
    return true;
}

bool sym_unit_complete(struct sym_units *u, struct sym_unit *unit,
                       const char *dir, struct err *err)
{
    unit->split = false;
    Dwarf_Die split;
    if (!sym_split_unit(&unit->lines, dir, &split, err))
        return false;
    unit->lost = !split.addr;
    if (unit->lost)
        return true;
    Elf *elf = dwarf_getelf(dwarf_cu_getdwarf(split.cu));
    if (sym_debug_strings_end(elf) && !sym_shares(elf))
        unit->scopes = split;
    else
        u->damaged = true;
    unit->size = size_of(&unit->scopes);
    return true;
}

void sym_units_free(struct sym_units *u)
{
    vec_free(&u->units);
    vec_free(&u->spans);
}

uint32_t sym_units_find(const struct sym_units *u, uint64_t vaddr)
{
    size_t lo = 0, hi = u->spans.n;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (u->spans.v[mid].lo <= vaddr)
            lo = mid + 1;
        else
            hi = mid;
    }
    for (int k = 0; lo-- > 0 && k < OVERLAP_MAX; k++)
        if (vaddr < u->spans.v[lo].hi)
            return u->spans.v[lo].unit;
    return UINT32_MAX;
}
