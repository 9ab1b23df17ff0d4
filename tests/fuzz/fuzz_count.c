/*
 * Count profiles of Go as text: goroutines, threads created.
 */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    fuzz_format("count", data, n);
    return 0;
}
