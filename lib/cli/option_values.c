/* option_values.c - parses values of options: numbers, sizes, lists */
#include <ctype.h>
#include <errno.h>
#include <float.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cli/private.h"

enum { NANOSECONDS = 1000000000 }; /* nanoseconds in a second */

bool cli_store(const struct cli_place *places, size_t n, int key,
               const char *value)
{
    for (size_t i = 0; i < n; i++) {
        if (key != places[i].key)
            continue;
        if (places[i].value)
            *places[i].value = value;
        else
            *places[i].flag = true;
        return true;
    }
    return false;
}

bool cli_digits(const char *text, uint64_t *n, const char **end)
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
                     struct prof_err *err)
{
    const char *end;
    uint64_t v;
    if (cli_digits(text, &v, &end) && !*end && v >= min && v <= max) {
        *n = v;
        return true;
    }
    return err_value(err, "expected an integer from %llu to %llu",
                     (unsigned long long)min, (unsigned long long)max);
}

bool cli_parse_size(const char *text, uint64_t *bytes, struct prof_err *err)
{
    static const char suffixes[] = "KMGT";
    const char *end;
    uint64_t v;
    unsigned shift = 0;
    bool ok = cli_digits(text, &v, &end);
    if (ok && *end) {
        const char *s = strchr(suffixes, toupper((unsigned char)*end));
        ok = s && !end[1];
        shift = ok ? 10 * (unsigned)(s - suffixes + 1) : 0;
    }
    if (!ok || !v || v > UINT64_MAX >> shift)
        return err_value(
            err,
            "expected a number of bytes, or a number with suffix K, M, G or T");
    *bytes = v << shift;
    return true;
}

bool cli_parse_period(const char *text, int64_t *nanoseconds,
                      struct prof_err *err)
{
    static const struct {
        const char *unit;
        uint64_t nanoseconds;
    } units[] = {{"ns", 1}, {"us", 1000}, {"ms", 1000000}, {"s", NANOSECONDS}};
    const char *end;
    uint64_t v;
    int64_t period = 0;
    if (cli_digits(text, &v, &end) && v) {
        if (strcasecmp(end, "hz") == 0)
            period = (int64_t)(NANOSECONDS / v);
        for (size_t i = 0; i < sizeof units / sizeof *units; i++)
            if (strcmp(end, units[i].unit) == 0 &&
                __builtin_mul_overflow(v, units[i].nanoseconds, &period))
                period = 0;
    }
    if (!period)
        return err_value(err,
                         "expected a number with unit ns, us, ms, s or Hz");
    *nanoseconds = period;
    return true;
}

bool cli_parse_divisor(const char *text, double *x, struct prof_err *err)
{
    char *end;
    double v = strtod(text, &end);
    if (end == text || *end || !(v >= DBL_MIN && v <= DBL_MAX))
        return err_value(err, "expected a number greater than 0");
    *x = v;
    return true;
}

bool cli_is_list(const char *text)
{
    const size_t n = strlen(text);
    return n && *text != ',' && text[n - 1] != ',' && !strstr(text, ",,");
}

bool cli_check_regex(const char *text, struct prof_err *err)
{
    struct prof_slice group;
    return prof_regex_group(text, slice_of(""), &group, err) >= 0;
}
