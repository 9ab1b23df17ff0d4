/* The value type that a person asks for. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "profile/profile.h"
#include "profile/text.h"

/* True when all of s is a number in decimal. */
static bool is_number(const char *s, long *number)
{
    if (*s != '-' && *s != '+' && (*s < '0' || *s > '9'))
        return false;
    char *end;
    errno = 0;
    *number = strtol(s, &end, 10);
    return end != s && !*end && !errno;
}

static bool no_such_type(const struct profile *p, const char *asked,
                         struct err *err)
{
    struct buf names = {0};
    bool ok = true;
    for (size_t i = 0; ok && i < p->n_types; i++)
        ok = buf_printf(&names, " %s", prof_show(p, p->types[i].type).text);
    if (ok && buf_putc(&names, 0))
        err_set(err, ERR_USAGE, "sample index '%s' is none of:%s", asked,
                (const char *)names.v);
    else
        err_nomem(err);
    buf_free(&names);
    return false;
}

bool prof_pick_type(const struct profile *p, const char *asked, size_t *index,
                    struct err *err)
{
    if (!p->n_types)
        return err_set(err, ERR_INPUT, "the profile has no sample types");
    if (!asked || !*asked) {
        *index = (size_t)prof_default_type(p);
        return true;
    }
    long number;
    if (is_number(asked, &number)) {
        if (number < 0 || (size_t)number >= p->n_types)
            return err_set(err, ERR_USAGE,
                           "sample index %s is outside 0 to %zu", asked,
                           p->n_types - 1);
        *index = (size_t)number;
        return true;
    }
    int found = prof_find_type(p, asked);
    if (found < 0 && !strncmp(asked, "inuse_", 6))
        found = prof_find_type(p, asked + 6);
    if (found < 0)
        return no_such_type(p, asked, err);
    *index = (size_t)found;
    return true;
}
