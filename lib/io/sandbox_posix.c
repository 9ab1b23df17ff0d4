/* sandbox_posix.c - does nothing: POSIX cannot drop these rights */
#include "io/sandbox.h"

/* Functions that do nothing ignore their parameters. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

int landlock_begin(const struct landlock_rule *rules, size_t n)
{
    return 0;
}

void sandbox_libraries(sandbox_library_fn *fn, void *ctx)
{
}

bool seccomp_begin(bool programs)
{
    return false;
}
