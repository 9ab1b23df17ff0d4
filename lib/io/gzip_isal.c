/* gzip_isal.c - inflates gzip data by ISA-L, which is loaded for large data */
#include "io/private.h"

#include <isa-l/igzip_lib.h>
#include <stdio.h>

#define ISAL_FUNCTIONS(X)                                                      \
    X(isal_inflate_init)                                                       \
    X(isal_inflate)

struct isal {
    ISAL_FUNCTIONS(LIBRARY_MEMBER)
};

static struct isal isal = LIBRARY_TABLE(ISAL_FUNCTIONS);
static struct library library =
    LIBRARY("ISA-L", "libisal.so.2", "libisal2", ISAL_FUNCTIONS, isal);

/* No function returns the version: this is that of the interface. */
static bool version(char text[LIBRARY_VERSION_MAX], struct prof_err *err)
{
    if (!library_load(&library, err))
        return false;
    (void)snprintf(text, LIBRARY_VERSION_MAX, "2");
    return true;
}

const struct library_about gz_isal = {
    .name = "ISA-L", .version = version, .on_demand = LIBRARY_ON_DEMAND};
