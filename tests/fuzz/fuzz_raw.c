/*
 * Symbolized profiles of `pprof --raw`, and the profile of any kind inside.
 */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    fuzz_format("raw", data, n);
    return 0;
}
