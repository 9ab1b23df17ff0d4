/* gprof_symbols.c - finds the symbol that owns an address */
#include "symbol/gprof_symbols.h"

#include <string.h>

#include "base/vec.h"

void gprof_symbols_free(struct gprof_symbols *o)
{
    vec_free(o);
    buf_free(&o->names);
}

bool gprof_symbols_add(struct gprof_symbols *o, uint64_t lo, uint64_t hi,
                       const char *name, bool is_func, struct err *err)
{
    uint32_t last = o->n ? o->v[o->n - 1].callee : GPROF_NO_SYMBOL;
    struct gprof_symbol x = {lo, hi, o->names.n, is_func,
                             is_func ? (uint32_t)o->n : last};
    const char *version = *name ? strchr(name + 1, '@') : NULL;
    size_t n = version ? (size_t)(version - name) : strlen(name);
    if (o->n >= GPROF_NO_SYMBOL)
        return err_set(err, ERR_INPUT, "more than 4294967294 functions");
    return (buf_put(&o->names, name, n) && buf_putc(&o->names, 0) &&
            vec_push(o, x)) ||
           err_nomem(err);
}

size_t gprof_symbols_after(const struct gprof_symbols *o, uint64_t address)
{
    size_t lo = 0, hi = o->n;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (o->v[mid].lo <= address)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

uint32_t gprof_symbols_find(const struct gprof_symbols *o, uint64_t address)
{
    size_t i = gprof_symbols_after(o, address);
    return i && address < o->v[i - 1].hi ? (uint32_t)(i - 1) : GPROF_NO_SYMBOL;
}
