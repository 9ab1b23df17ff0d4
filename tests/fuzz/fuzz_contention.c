/*
 * Contention profiles of C++ and Go.
 */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    fuzz_format("contention", data, n);
    return 0;
}
