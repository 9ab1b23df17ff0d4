/* wide.c - scales integers, and divides one in proportion to weights */
#include "base/wide.h"

#include "base/sort.h"

static uint64_t magnitude(int64_t v)
{
    return v < 0 ? -(uint64_t)v : (uint64_t)v;
}

bool wide_scale(int64_t v, int64_t num, int64_t den, int64_t *to)
{
    bool minus = (v < 0) != ((num < 0) != (den < 0));
    uint64_t n, rest, by = magnitude(den);
    if (!wide_mul_div(magnitude(v), magnitude(num), by, &n, &rest))
        return false;
    uint64_t up = rest >= by - rest;
    if (n > (uint64_t)INT64_MAX + minus - up)
        return false;
    n += up;
    *to = (int64_t)(minus ? -n : n);
    return true;
}

uint64_t apportion_cut(uint64_t total, uint64_t weight, uint64_t sum)
{
    uint64_t share = 0, rest;
    (void)wide_mul_div(total, weight, sum, &share, &rest);
    return share;
}

void apportion(uint64_t total, const uint64_t *weight, size_t n,
               uint64_t *share, struct radix_item *spare)
{
    uint64_t sum = 0, left = total;
    for (size_t i = 0; i < n; i++)
        sum += weight[i];
    for (size_t i = 0; i < n; i++) {
        uint64_t rest = 0;
        (void)wide_mul_div(total, weight[i], sum, &share[i], &rest);
        left -= share[i];
        spare[i].key = UINT64_MAX - rest;
        spare[i].id = (uint32_t)i;
    }
    if (left)
        radix_sort(spare, spare + n, n);
    for (size_t i = 0; i < left; i++)
        share[spare[i].id]++;
}
