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

static bool load(struct library *lib, struct prof_err *err)
{
    /* RTLD_NODELETE keeps the library loaded after dlclose(). */
    void *handle = dlopen(lib->soname, RTLD_NOW | RTLD_NODELETE);
    bool ok = handle;
    char *to = lib->table;
    for (size_t i = 0; ok && i < lib->n; i++) {
        void *address = dlsym(handle, lib->functions[i]);
        ok = address;
        /* ISO C has no cast from an object's address to a function's. */
        memcpy(to + i * sizeof address, &address, sizeof address);
    }
    const char *why = ok ? NULL : dlerror();
    if (!ok)
        err_set(err, PROF_ERR_SYSTEM,
                "%s is required: %s; install it (Debian: %s)", lib->name,
                why      ? why
                : handle ? TEXT("it lacks a function")
                         : TEXT("it cannot be loaded"),
                lib->package);
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
