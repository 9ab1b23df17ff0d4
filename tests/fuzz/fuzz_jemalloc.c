/*
 * Heap profiles of jemalloc.
 */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    fuzz_format("jemalloc", data, n);
    return 0;
}
