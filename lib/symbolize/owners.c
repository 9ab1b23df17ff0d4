/* owners.c - finds the function that owns an address */
#include "symbolize/owners.h"

#include <string.h>

#include "base/sort.h"
#include "base/vec.h"

void code_owners_free(struct code_owners *o)
{
    vec_free(o);
    buf_free(&o->names);
}

bool code_owners_add(struct code_owners *o, uint64_t lo, uint64_t hi,
                     const char *name, bool is_func, struct prof_err *err)
{
    uint32_t last = o->n ? o->v[o->n - 1].callee : CODE_NO_OWNER;
    struct code_owner x = {.lo = lo,
                           .code = lo,
                           .hi = hi,
                           .name = o->names.n,
                           .is_func = is_func,
                           .func = (uint32_t)o->n,
                           .callee = is_func ? (uint32_t)o->n : last};
    const char *version = *name ? strchr(name + 1, '@') : NULL;
    size_t n = version ? (size_t)(version - name) : strlen(name);
    if (o->n >= CODE_NO_OWNER)
        return err_input(err, "more than 4294967294 functions");
    return (buf_put(&o->names, name, n) && buf_putc(&o->names, 0) &&
            vec_push(o, x)) ||
           err_nomem(err);
}

size_t code_owners_after(const struct code_owners *o, uint64_t address)
{
    return sorted_upto(o->v, o->n, sizeof *o->v, address);
}

uint32_t code_owners_find(const struct code_owners *o, uint64_t address)
{
    size_t i = code_owners_after(o, address);
    return i && address < o->v[i - 1].hi ? o->v[i - 1].func : CODE_NO_OWNER;
}
