/*
 * CPU profiles of gperftools: binary, and the list of mappings behind.
 */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    fuzz_format("cpu", data, n);
    return 0;
}
