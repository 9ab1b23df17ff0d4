/*
 * Heap and contention profiles of Java agents.
 */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    fuzz_format("java", data, n);
    return 0;
}
