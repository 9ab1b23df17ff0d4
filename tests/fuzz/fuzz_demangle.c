/*
 * Linkage names of C++ and Rust, or what claims to be one.
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "symbolize/symbol.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    char *name = fuzz_line(data, n, 0, 0);
    for (int how = SYM_DEMANGLE_DEFAULT; how <= SYM_DEMANGLE_NONE; how++) {
        char *s = sym_demangle(name, (enum sym_demangle)how);
        FUZZ_CHECK(!s || (*s && name[0] == '_' && how != SYM_DEMANGLE_NONE));
        free(s);
    }
    free(name);
    return 0;
}
