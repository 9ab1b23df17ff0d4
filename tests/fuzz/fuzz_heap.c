/*
 * Heap profiles of gperftools and Go, as text.
 */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    fuzz_format("heap", data, n);
    return 0;
}
