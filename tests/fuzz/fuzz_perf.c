/*
 * Recordings of perf.
 */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    fuzz_perf(data, n);
    return 0;
}
