#include "base/mix.h"

#include <string.h>
#include <sys/auxv.h>

uint64_t mix_seed(void)
{
    uint64_t seed = 0;
    /* getauxval() has it as a number, whatever the width of pointers. */
    const void *random = (const void *)(uintptr_t)getauxval(AT_RANDOM);
    if (random)
        memcpy(&seed, random, sizeof seed);
    return seed;
}
