#include "import/gmon/gmon_bins.h"

enum { SCALE_ONE = 65536 };

/* In units of 2 bytes. */
static uint64_t profil_start(uint32_t s, uint64_t i)
{
    return (i * SCALE_ONE + s - 1) / s;
}

/* True when profil() can have counted in bin i. */
static bool profil_reaches(uint32_t s, uint64_t range, uint32_t i)
{
    return profil_start(s, i) <= (range - 1) / 2;
}

struct gmon_scale gmon_scale_of(const struct gmon_hist *h, const uint64_t *bins)
{
    struct gmon_scale scale = {h->low, h->high - h->low, h->n_bins, 0};
    uint64_t bytes = 2 * (uint64_t)h->n_bins;
    if (bytes > scale.range)
        return scale;
    if (bytes == scale.range)
        scale.s = SCALE_ONE;
    else
        scale.s = (uint32_t)((float)bytes / (float)scale.range * SCALE_ONE);
    uint32_t last = h->n_bins;
    while (last > 0 && !bins[last - 1])
        last--;
    if (last > 0 && scale.s > 0 &&
        !profil_reaches(scale.s, scale.range, last - 1))
        scale.s = 0;
    return scale;
}

uint64_t gmon_bin_start(const struct gmon_scale *scale, uint32_t i)
{
    uint64_t at;
    if (i >= scale->n_bins)
        return scale->low + scale->range;
    if (scale->s)
        at = 2 * profil_start(scale->s, i);
    else /* i * range / n_bins in two parts that do not overflow */
        at = i * (scale->range / scale->n_bins) +
             i * (scale->range % scale->n_bins) / scale->n_bins;
    return scale->low + (at < scale->range ? at : scale->range);
}
