#include "symbol/attempt.h"

bool attempt_failed(struct attempt *a, const char *name, const char *why)
{
    (void)err_set(a->err, ERR_SYSTEM, "%s: %s", name, why);
    a->failed = true;
    return true;
}

bool attempt_no_memory(struct attempt *a)
{
    (void)err_nomem(a->err);
    a->failed = true;
    return true;
}
