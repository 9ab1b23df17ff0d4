/*
 * Whatever prof2pb reads, by how it begins; several profiles in a file are
 * added up.
 */
#include <string.h>

#include "fuzz.h"
#include "io/kind.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    const char *kind = kind_of(data, n);
    FUZZ_CHECK(!kind || strlen(kind) > 0);
    (void)kind_is_text(data, n);
    fuzz_legacy(NULL, data, n);
    return 0;
}
