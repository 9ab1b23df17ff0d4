/*
 * Heap profiles of jemalloc.
 */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    fuzz_legacy("jemalloc", data, n);
    return 0;
}
