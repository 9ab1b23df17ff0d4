#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

/* The number that text begins with; *end is what follows it. */
static bool digits(const char *text, uint64_t *n, const char **end)
{
    if (!isdigit((unsigned char)*text))
        return false;
    char *stop;
    errno = 0;
    unsigned long long v = strtoull(text, &stop, 10);
    *n = v;
    *end = stop;
    return errno == 0;
}

bool cli_parse_count(const char *text, uint64_t min, uint64_t max, uint64_t *n,
                     struct err *err)
{
    const char *end;
    uint64_t v;
    if (digits(text, &v, &end) && !*end && v >= min && v <= max) {
        *n = v;
        return true;
    }
    return err_set(err, ERR_USAGE,
                   "'%s' is not a whole number from %llu to %llu", text,
                   (unsigned long long)min, (unsigned long long)max);
}

bool cli_parse_size(const char *text, uint64_t *bytes, struct err *err)
{
    static const char suffixes[] = "KMGT";
    const char *end;
    uint64_t v;
    unsigned shift = 0;
    bool ok = digits(text, &v, &end);
    if (ok && *end) {
        const char *s = strchr(suffixes, toupper((unsigned char)*end));
        ok = s && !end[1];
        shift = ok ? 10 * (unsigned)(s - suffixes + 1) : 0;
    }
    if (!ok || !v || v > UINT64_MAX >> shift)
        return err_set(err, ERR_USAGE,
                       "'%s' is not a size: a number of bytes, or one with "
                       "K, M, G or T behind it",
                       text);
    *bytes = v << shift;
    return true;
}
