#include "deep.h"

__attribute__((noinline)) unsigned stir(unsigned *state, const unsigned *v,
                                        int n)
{
    unsigned sum = 0;
    for (int i = 0; i < n; i++)
        sum += mix(state, v[i]);
    return sum;
}

static __attribute__((noinline)) unsigned hidden(unsigned *state, unsigned x)
{
    return mix(state, x) + mix(state, x + 1);
}

unsigned both(unsigned *state, const unsigned *v, int n)
{
    return stir(state, v, n) ^ hidden(state, v[0]);
}
