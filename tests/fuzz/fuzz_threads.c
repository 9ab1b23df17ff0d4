/*
 * What the threads of a server were doing.
 */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    fuzz_format("threads", data, n);
    return 0;
}
