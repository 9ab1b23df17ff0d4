/*
 * What dcpicat and dcpiprofileme print.
 */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    fuzz_dcpi(data, n);
    return 0;
}
