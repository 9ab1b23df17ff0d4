/* measure.c - converts values between units, and prints them with their unit */
#include "profile/columns.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Exceeds the length of the longest name in the tables with a plural s. */
enum { NAME_MAX_BYTES = 16 };

struct measure_unit {
    const char *name; /* as printed */
    double factor;    /* of the family's base unit */
    const char *alias[3];
};

/* Units that can be converted to each other, the smallest first. */
struct measure_family {
    const struct measure_unit *units;
    size_t n;
    struct measure_unit base; /* for values that no unit suits */
};

static const struct measure_unit memory[] = {
    {"B", 1, {"b", "byte"}},
    {"kB", 0x1p10, {"kb", "kbyte", "kilobyte"}},
    {"MB", 0x1p20, {"mb", "mbyte", "megabyte"}},
    {"GB", 0x1p30, {"gb", "gbyte", "gigabyte"}},
    {"TB", 0x1p40, {"tb", "tbyte", "terabyte"}},
    {"PB", 0x1p50, {"pb", "pbyte", "petabyte"}},
};

/* pprof's list also has "μs", which it never finds: it removes the s first. */
static const struct measure_unit duration[] = {
    {"ns", 1, {"ns", "nanosecond"}},    {"us", 1e3, {"us", "microsecond"}},
    {"ms", 1e6, {"ms", "millisecond"}}, {"s", 1e9, {"s", "sec", "second"}},
    {"hrs", 3600e9, {"hour", "hr"}},
};

static const struct measure_unit gcu[] = {
    {"n*GCU", 1e-9, {"nanogcu"}},  {"u*GCU", 1e-6, {"microgcu"}},
    {"m*GCU", 1e-3, {"milligcu"}}, {"GCU", 1, {"gcu"}},
    {"k*GCU", 1e3, {"kilogcu"}},   {"M*GCU", 1e6, {"megagcu"}},
    {"G*GCU", 1e9, {"gigagcu"}},   {"T*GCU", 1e12, {"teragcu"}},
    {"P*GCU", 1e15, {"petagcu"}},
};

#define COUNT(a) (sizeof(a) / sizeof *(a))

static const struct measure_family families[] = {
    {memory, COUNT(memory), {"B", 1, {0}}},
    {duration, COUNT(duration), {"s", 1e9, {0}}},
    {gcu, COUNT(gcu), {"GCU", 1, {0}}},
};

/* Returns the unit of the family with this name, or null. */
static const struct measure_unit *find_unit(const struct measure_family *f,
                                            const char *name)
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

static const struct measure_family *family_of(const char *name)
{
    for (size_t i = 0; i < COUNT(families); i++)
        if (find_unit(&families[i], name))
            return &families[i];
    return NULL;
}

static bool is_auto(const char *unit)
{
    return !strcmp(unit, "auto") || !strcmp(unit, "minimum");
}

void measure_init(struct measure *m, const char *from, const char *to)
{
    *m = (struct measure){.from = from, .to = to, .family = family_of(from)};
    if (!m->family)
        return;
    m->factor = find_unit(m->family, from)->factor;
    if (is_auto(to))
        return;
    m->unit = find_unit(m->family, to);
    if (!m->unit)
        m->unit = &m->family->base;
}

/* Converts the value, and sets *unit to the name of its unit. */
static double scale(const struct measure *m, int64_t value, const char **unit)
{
    if (!m->family) {
        const char *to = m->to;
        bool dull = is_auto(to) || !strcmp(to, "count") ||
                    !strcmp(to, "sample") || !strcmp(to, "unit");
        *unit = dull ? "" : to;
        return (double)value;
    }
    /* INT64_MIN cannot be negated: it stays negative, and no unit suits it. */
    bool negate = value < 0 && value != INT64_MIN;
    double v = (double)(negate ? -value : value) * m->factor;
    const struct measure_unit *u = m->unit;
    if (!u) {
        /*
         * Take the largest unit of which v is at least one, else the base unit.
         */
        const struct measure_family *f = m->family;
        u = &f->base;
        for (size_t i = 0; i < f->n; i++)
            if (v >= f->units[i].factor)
                u = &f->units[i];
    }
    *unit = u->name;
    v /= u->factor;
    return negate ? -v : v;
}

double measure_scale(int64_t value, const char *from, const char *to,
                     const char **unit)
{
    struct measure m;
    measure_init(&m, from, to);
    return scale(&m, value, unit);
}

/*
 * Writes v as "%.2f" does, exactly rounded, but without ".00".  Uses integers,
 * as printf takes ten times as long.  Returns null if it cannot write v.
 */
static char *put_quickly(char *to, double v)
{
    double a = fabs(v);
    if (!(a < 0x1p53))
        return NULL;
    uint64_t whole = (uint64_t)a;
    /* The fraction in units of 2^-57: a hundred times this fits 64 bits. */
    double scaled = (a - (double)whole) * 0x1p57;
    uint64_t f = (uint64_t)scaled * 100, half = (uint64_t)1 << 56;
    uint64_t hundredths = f >> 57, rest = f & (2 * half - 1);
    bool exact = (double)(uint64_t)scaled == scaled;
    if (!exact && rest <= half && half - rest < 100)
        return NULL;
    hundredths += rest > half || (rest == half && hundredths % 2);
    whole += hundredths / 100;
    hundredths %= 100;
    if (signbit(v))
        *to++ = '-';
    char digits[20], *end = digits + sizeof digits;
    char *at = put_digits(end, whole);
    size_t n = (size_t)(end - at);
    memcpy(to, at, n);
    to += n;
    if (hundredths) {
        *to++ = '.';
        *to++ = (char)('0' + hundredths / 10);
        *to++ = (char)('0' + hundredths % 10);
    }
    return to;
}

/* Writes a[0 .. na), then b, as far as they fit text[0 .. n), and a NUL. */
static size_t put_both(char *text, size_t n, const char *a, size_t na,
                       const char *b)
{
    size_t nb = strlen(b);
    na = na < n ? na : n - 1;
    nb = nb < n - na ? nb : n - na - 1;
    memcpy(text, a, na);
    memcpy(text + na, b, nb);
    text[na + nb] = 0;
    return na + nb;
}

size_t measure_put(const struct measure *m, int64_t value, char *text, size_t n)
{
    const char *unit;
    double v = scale(m, value, &unit);
    char number[64]; /* 2^63 peta in nano units has 43 digits */
    char *end = put_quickly(number, v);
    if (!end) {
        end = number + snprintf(number, sizeof number, "%.2f", v);
        if (!memcmp(end - 3, ".00", 3))
            end -= 3;
    }
    if (end[-1] == '0' && end - number == 1 + (*number == '-'))
        return put_both(text, n, "0", 1, "");
    return put_both(text, n, number, (size_t)(end - number), unit);
}

char *measure_label(char *text, size_t n, int64_t value, const char *from,
                    const char *to)
{
    struct measure m;
    measure_init(&m, from, to);
    (void)measure_put(&m, value, text, n);
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
    const struct measure_family *f = family_of(unit1);
    return f && find_unit(f, unit2);
}
