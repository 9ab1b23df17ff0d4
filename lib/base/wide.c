/* wide.c - divides an integer in proportion to weights */
#include "base/wide.h"

#include "base/sort.h"

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
