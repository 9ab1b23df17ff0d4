/*
 * Whatever prof2pb reads, by how it begins; several profiles in a file are
 * added up.
 */
#include <string.h>

#include "formats/import_formats.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    struct import_input in = {.data = data, .n = n};
    import_detect(&in, "none");
    const char *words = import_describe(data, n);
    FUZZ_CHECK(!in.foreign || !words || words == in.foreign->words);
    fuzz_format(NULL, data, n);
    return 0;
}
