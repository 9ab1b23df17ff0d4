/* elfutils.c - loads libelf and libdw */
#include "symbolize/elfutils.h"

#include <stdio.h>

#include "symbolize/symbol.h"

struct eu eu = LIBRARY_TABLE(EU_FUNCTIONS);
struct dw dw = LIBRARY_TABLE(DW_FUNCTIONS);

static struct library libelf =
    LIBRARY("libelf", "libelf.so.1", "libelf1", EU_FUNCTIONS, eu);
static struct library libdw =
    LIBRARY("libdw", "libdw.so.1", "libdw1", DW_FUNCTIONS, dw);

bool libelf_load(struct prof_err *err)
{
    return library_load(&libelf, err);
}

bool libdw_load(struct prof_err *err)
{
    return library_load(&libdw, err);
}

static bool elfutils_version(char text[LIBRARY_VERSION_MAX],
                             struct prof_err *err)
{
    if (!libdw_load(err))
        return false;
    (void)snprintf(text, LIBRARY_VERSION_MAX, "%s", dw.dwfl_version(NULL));
    return true;
}

const struct library_about sym_library = {.name = "elfutils",
                                          .version = elfutils_version,
                                          .on_demand = LIBRARY_ON_DEMAND};
