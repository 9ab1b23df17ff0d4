#include "profile/measure.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Longer than any name in the tables, plural and NUL included. */
enum { NAME_MAX_BYTES = 16 };

struct unit {
    const char *name; /* as printed */
    double factor;    /* in the base unit of the family */
    const char *alias[3];
};

/* Units that scale among each other, in growing order. */
struct family {
    const struct unit *units;
    size_t n;
    struct unit base; /* what a value is shown in when nothing suits it */
};

static const struct unit memory[] = {
    {"B", 1, {"b", "byte"}},
    {"kB", 0x1p10, {"kb", "kbyte", "kilobyte"}},
    {"MB", 0x1p20, {"mb", "mbyte", "megabyte"}},
    {"GB", 0x1p30, {"gb", "gbyte", "gigabyte"}},
    {"TB", 0x1p40, {"tb", "tbyte", "terabyte"}},
    {"PB", 0x1p50, {"pb", "pbyte", "petabyte"}},
};

/* pprof's list has "μs" too, which its own removal of the s never finds. */
static const struct unit duration[] = {
    {"ns", 1, {"ns", "nanosecond"}},    {"us", 1e3, {"us", "microsecond"}},
    {"ms", 1e6, {"ms", "millisecond"}}, {"s", 1e9, {"s", "sec", "second"}},
    {"hrs", 3600e9, {"hour", "hr"}},
};

static const struct unit gcu[] = {
    {"n*GCU", 1e-9, {"nanogcu"}},  {"u*GCU", 1e-6, {"microgcu"}},
    {"m*GCU", 1e-3, {"milligcu"}}, {"GCU", 1, {"gcu"}},
    {"k*GCU", 1e3, {"kilogcu"}},   {"M*GCU", 1e6, {"megagcu"}},
    {"G*GCU", 1e9, {"gigagcu"}},   {"T*GCU", 1e12, {"teragcu"}},
    {"P*GCU", 1e15, {"petagcu"}},
};

#define COUNT(a) (sizeof(a) / sizeof *(a))

static const struct family families[] = {
    {memory, COUNT(memory), {"B", 1, {0}}},
    {duration, COUNT(duration), {"s", 1e9, {0}}},
    {gcu, COUNT(gcu), {"GCU", 1, {0}}},
};

/* The unit of the family that goes by this name, or null. */
static const struct unit *find_unit(const struct family *f, const char *name)
{
    char low[NAME_MAX_BYTES];
    size_t n = strlen(name);
    if (n >= sizeof low)
        return NULL;
    for (size_t i = 0; i <= n; i++) {
        bool upper = name[i] >= 'A' && name[i] <= 'Z';
        low[i] = (char)(upper ? name[i] - 'A' + 'a' : name[i]);
    }
    if (n > 2 && low[n - 1] == 's')
        low[n - 1] = 0;
    for (size_t i = 0; i < f->n; i++)
        for (size_t k = 0; k < COUNT(f->units[i].alias); k++)
            if (f->units[i].alias[k] && !strcmp(f->units[i].alias[k], low))
                return &f->units[i];
    return NULL;
}

static const struct family *family_of(const char *name)
{
    for (size_t i = 0; i < COUNT(families); i++)
        if (find_unit(&families[i], name))
            return &families[i];
    return NULL;
}

/* The largest unit of which v is at least one, else the base unit. */
static const struct unit *suiting(const struct family *f, double v)
{
    const struct unit *best = &f->base;
    for (size_t i = 0; i < f->n; i++)
        if (v / f->units[i].factor >= 1)
            best = &f->units[i];
    return best;
}

static bool is_auto(const char *unit)
{
    return !strcmp(unit, "auto") || !strcmp(unit, "minimum");
}

double measure_scale(int64_t value, const char *from, const char *to,
                     const char **unit)
{
    const struct family *f = family_of(from);
    if (!f) {
        bool dull = is_auto(to) || !strcmp(to, "count") ||
                    !strcmp(to, "sample") || !strcmp(to, "unit");
        *unit = dull ? "" : to;
        return (double)value;
    }
    /* INT64_MIN has no opposite: it stays negative, and no unit suits it. */
    bool negate = value < 0 && value != INT64_MIN;
    double v = (double)(negate ? -value : value);
    v *= find_unit(f, from)->factor;
    const struct unit *u = is_auto(to) ? suiting(f, v) : find_unit(f, to);
    if (!u)
        u = &f->base;
    *unit = u->name;
    v /= u->factor;
    return negate ? -v : v;
}

char *measure_label(char *text, size_t n, int64_t value, const char *from,
                    const char *to)
{
    const char *unit;
    double v = measure_scale(value, from, to, &unit);
    char number[64]; /* 2^63 peta in nano units has 43 digits */
    int len = snprintf(number, sizeof number, "%.2f", v);
    if (len > 3 && !strcmp(number + len - 3, ".00"))
        number[len - 3] = 0;
    if (!strcmp(number, "0") || !strcmp(number, "-0"))
        (void)snprintf(text, n, "0");
    else
        (void)snprintf(text, n, "%s%s", number, unit);
    return text;
}

char *measure_percent(char *text, size_t n, int64_t value, int64_t total)
{
    double ratio = 0;
    if (total)
        ratio = fabs((double)value / (double)total) * 100;
    if (ratio >= 99.95 && ratio <= 100.05)
        (void)snprintf(text, n, "  100%%");
    else if (ratio >= 1)
        (void)snprintf(text, n, "%5.2f%%", ratio);
    else
        (void)snprintf(text, n, "%5.2g%%", ratio);
    return text;
}

bool measure_compatible(const char *unit1, const char *unit2)
{
    if (!strcmp(unit1, unit2))
        return true;
    const struct family *f = family_of(unit1);
    return f && find_unit(f, unit2);
}
