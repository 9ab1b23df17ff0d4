/* profile.proto: the decoder against protobuf-c, and against itself. */
#include <stdlib.h>

#include "../unit/pb_oracle.h"
#include "fuzz.h"
#include "pb_ways.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    /* What does not hold in the oracle is not to exit, but to abort. */
    (void)setenv("CMOCKA_TEST_ABORT", "1", 0);
    (void)pb_decide(data, n, 0);
    pb_ways(data, n, 1 + fuzz_choice(data, n) % 3);
    return 0;
}
