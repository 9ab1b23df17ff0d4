#include "base/apportion.h"

__extension__ typedef unsigned __int128 wide;

uint64_t apportion_cut(uint64_t total, uint64_t weight, uint64_t sum)
{
    return (uint64_t)((wide)total * weight / sum);
}

void apportion(uint64_t total, const uint64_t *weight, size_t n,
               uint64_t *share, struct radix_item *spare)
{
    uint64_t sum = 0, left = total;
    for (size_t i = 0; i < n; i++)
        sum += weight[i];
    for (size_t i = 0; i < n; i++) {
        wide product = (wide)total * weight[i];
        share[i] = (uint64_t)(product / sum);
        left -= share[i];
        spare[i].key = UINT64_MAX - (uint64_t)(product % sum);
        spare[i].id = (uint32_t)i;
    }
    if (left)
        radix_sort(spare, spare + n, n);
    for (size_t i = 0; i < left; i++)
        share[spare[i].id]++;
}
