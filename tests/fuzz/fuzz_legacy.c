/*
 * Whatever prof2pb reads, by how it begins; several profiles in a file are
 * added up.
 */
#include <string.h>

#include "fuzz.h"
#include "io/kind.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    const struct kind *kind = kind_of(data, n);
    const char *words = kind_words(data, n);
    FUZZ_CHECK(!kind || kind == &kind_profile || words == kind->words);
    fuzz_legacy(NULL, data, n);
    return 0;
}
