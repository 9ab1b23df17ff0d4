/*
 * Whatever prof2pb reads, by how it begins; several profiles in a file are
 * added up.
 */
#include <string.h>

#include "fuzz.h"
#include "import/import_formats.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    const struct import_format *format = import_identify(data, n);
    const char *words = import_words(data, n);
    FUZZ_CHECK(!format || !words || words == format->words);
    fuzz_format(NULL, data, n);
    return 0;
}
