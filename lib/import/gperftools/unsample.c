#include "import/gperftools/unsample.h"

#include <math.h>

/*
 * e to the power of x.  The C library's is as exact, but its last bit is now
 * and then another, and 1 - e^x with a small x makes much of that bit.
 *
 * After N. Shibata, "Efficient evaluation methods of elementary functions
 * suitable for SIMD computation" (2010): x is k ln 2 + r, a series gives
 * expm1(r/16), and from there expm1(2y) is expm1(y) (expm1(y) + 2).
 */
static double power_of_e(double x)
{
    static const double ln2_high = 0x1.62e42fefa3p-1;
    static const double ln2_low = 0x1.3de6af278ece6p-42;
    static const double log2_e = 0x1.71547652b82fep0;
    static const double factorials[] = {5040, 720, 120, 24, 6, 2, 1};

    if (!(fabs(x) < 708)) /* results that are not normal numbers */
        return exp(x);
    double k = rint(x * log2_e);
    double r = fma(-k, ln2_low, fma(-k, ln2_high, x)) / 16;
    double y = 1.0 / 40320;
    for (unsigned i = 0; i < sizeof factorials / sizeof *factorials; i++)
        y = fma(y, r, 1 / factorials[i]);
    y *= r;
    for (int doubled = 2; doubled < 16; doubled *= 2)
        y *= y + 2;
    return ldexp(fma(y, y + 2, 1), (int)k);
}

/* The whole part of x, if 64 bits hold it. */
static bool whole(double x, int64_t *to)
{
    if (!(x >= -0x1p63 && x < 0x1p63))
        return false;
    *to = (int64_t)x;
    return true;
}

static bool multiply(struct allocated *a, double by)
{
    struct allocated to;
    if (!whole((double)a->objects * by, &to.objects) ||
        !whole((double)a->bytes * by, &to.bytes))
        return false;
    *a = to;
    return true;
}

static bool is_nothing(const struct allocated *a)
{
    return a->objects == 0 || a->bytes == 0;
}

bool unsample(struct allocated *a, int64_t rate)
{
    if (is_nothing(a)) {
        *a = (struct allocated){0, 0};
        return true;
    }
    if (rate <= 1)
        return true;
    double mean = (double)a->bytes / (double)a->objects;
    return multiply(a, 1 / (1 - power_of_e(-mean / (double)rate)));
}

bool unsample_v1(struct allocated *a, double interval)
{
    if (is_nothing(a)) {
        *a = (struct allocated){0, 0};
        return true;
    }
    double ratio = (double)a->bytes / (double)a->objects / interval;
    if (ratio >= 1)
        return true;
    struct allocated to;
    if (!whole((double)a->objects / ratio, &to.objects) ||
        !whole((double)a->bytes / ratio, &to.bytes))
        return false;
    *a = to;
    return true;
}
