#include "io/la.h"

#include <dlfcn.h>
#include <string.h>

/* Every libarchive 3 on Linux has had this name, since 2013. */
#ifndef LIBARCHIVE_SONAME
#define LIBARCHIVE_SONAME "libarchive.so.13"
#endif

/* ISO C has no cast from an object's address to a function's. */
static bool find(void *lib, const char *name, void *function, size_t size)
{
    void *address = dlsym(lib, name);
    memcpy(function, &address, size);
    return address != NULL;
}

bool la_load(struct la *la, struct err *err)
{
    /* It stays, so that the next one to ask finds it loaded. */
    void *lib = dlopen(LIBARCHIVE_SONAME, RTLD_NOW | RTLD_NODELETE);
    bool ok = lib != NULL;
#define FIND(f) ok = ok && find(lib, #f, &la->f, sizeof la->f);
    LA_FUNCTIONS(FIND)
#undef FIND
    const char *why = ok ? NULL : dlerror();
    if (!ok)
        err_set(err, ERR_SYSTEM, "libarchive is needed for this: %s",
                why ? why : "it lacks a function");
    if (lib)
        (void)dlclose(lib);
    return ok;
}
