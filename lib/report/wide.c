#include "report/wide.h"

enum { DOUBLE_BITS = 53 };

static bool is_wide(int64_t value)
{
    uint64_t v = graph_abs(value);
    return v >> DOUBLE_BITS && v >> __builtin_ctzll(v) >> DOUBLE_BITS;
}

size_t wide_values(const struct profile *p)
{
    size_t n = p->n_samples * p->n_types, n_wide = 0;
    for (size_t i = 0; i < n; i++)
        n_wide += is_wide(p->values[i]);
    return n_wide;
}

void wide_warn(const struct report *r, const char *reader)
{
    size_t n = wide_values(r->p);
    if (n)
        note_warn(r->notes,
                  "%zu values have more than 53 bits; they are written in "
                  "full, but %s them",
                  n, reader);
}
