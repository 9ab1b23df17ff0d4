/*
 * Whatever prof2pb reads, by how it begins; several profiles in a file are
 * added up.
 */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    fuzz_legacy(NULL, data, n);
    return 0;
}
