/* library.c - loads shared libraries and finds their functions */
#include "base/library.h"

#ifdef STATIC_LIBRARIES

bool library_load(struct library *lib, struct prof_err *err)
{
    (void)err;
    return lib->loaded;
}

#else

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

/* Fills the table.  Returns null, or why a function was not found. */
static const char *find_functions(const struct library *lib, void *handle)
{
    char *to = lib->table;
    for (size_t i = 0; i < lib->n; i++) {
        void *address = dlsym(handle, lib->functions[i]);
        if (!address) {
            const char *why = dlerror();
            return why ? why : "it lacks a function";
        }
        /* ISO C has no cast from an object's address to a function's. */
        memcpy(to + i * sizeof address, &address, sizeof address);
    }
    return NULL;
}

static bool load(struct library *lib, struct prof_err *err)
{
    /* It stays, whatever is done with the handle. */
    void *handle = dlopen(lib->soname, RTLD_NOW | RTLD_NODELETE);
    const char *why = handle ? find_functions(lib, handle) : dlerror();
    bool ok = handle && !why;
    if (!ok)
        err_set(err, PROF_ERR_SYSTEM,
                "%s is required: %s; install it (Debian: %s)", lib->name,
                why ? why : "it cannot be loaded", lib->package);
    if (handle)
        (void)dlclose(handle);
    atomic_store_explicit(&lib->loaded, ok, memory_order_release);
    return ok;
}

bool library_load(struct library *lib, struct prof_err *err)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    if (atomic_load_explicit(&lib->loaded, memory_order_acquire))
        return true;
    (void)pthread_mutex_lock(&lock);
    bool ok = lib->loaded || load(lib, err);
    (void)pthread_mutex_unlock(&lock);
    return ok;
}

#endif
