/* Functions that are inlined, from a header. */
static inline unsigned rotate(unsigned x, int n)
{
    return x << n | x >> (32 - n);
}

static inline unsigned mix(unsigned *state, unsigned x)
{
    *state ^= rotate(x, 7);
    *state *= rotate(*state, 13) | 1;
    return *state;
}
