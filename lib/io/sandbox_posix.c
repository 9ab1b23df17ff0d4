/* sandbox_posix.c - does nothing: POSIX cannot drop these rights */
#include "io/sandbox.h"

int landlock_begin(const struct landlock_rule *rules, size_t n)
{
    (void)rules;
    (void)n;
    return 0;
}

void sandbox_libraries(sandbox_library_fn *fn, void *ctx)
{
    (void)fn;
    (void)ctx;
}

bool seccomp_begin(bool programs)
{
    (void)programs;
    return false;
}
