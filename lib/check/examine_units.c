/* Units of sample types and of the period. */
#include <string.h>

#include "check/examiner.h"
#include "profile/measure.h"

enum family { UNKNOWN, COUNT, TIME, MEMORY, OTHER };

/* Units that do not scale, but that nobody wonders about. */
static const struct {
    const char *name;
    enum family family;
} plain_units[] = {
    {"count", COUNT},   {"counts", COUNT},       {"sample", COUNT},
    {"samples", COUNT}, {"object", COUNT},       {"objects", COUNT},
    {"call", COUNT},    {"calls", COUNT},        {"event", COUNT},
    {"events", COUNT},  {"goroutine", COUNT},    {"goroutines", COUNT},
    {"thread", COUNT},  {"threads", COUNT},      {"contentions", COUNT},
    {"lock", COUNT},    {"locks", COUNT},        {"cycles", OTHER},
    {"cycle", OTHER},   {"instructions", OTHER}, {"percent", OTHER},
    {"hertz", OTHER},   {"hz", OTHER},           {"pages", OTHER},
};

/*
 * What types of these names count, whoever writes them: runtime/pprof of Go,
 * gperftools, profilers of other languages after their example.
 */
static const struct {
    const char *name;
    enum family family;
} known_types[] = {
    {"cpu", TIME},
    {"wall", TIME},
    {"delay", TIME},
    {"samples", COUNT},
    {"contentions", COUNT},
    {"objects", COUNT},
    {"alloc_objects", COUNT},
    {"inuse_objects", COUNT},
    {"calls", COUNT},
    {"goroutine", COUNT},
    {"threadcreate", COUNT},
    {"space", MEMORY},
    {"alloc_space", MEMORY},
    {"inuse_space", MEMORY},
};

static enum family family_of_unit(const char *unit)
{
    if (measure_compatible(unit, "nanoseconds"))
        return TIME;
    if (measure_compatible(unit, "bytes"))
        return MEMORY;
    if (measure_compatible(unit, "gcu"))
        return OTHER;
    for (size_t i = 0; i < sizeof plain_units / sizeof *plain_units; i++)
        if (!strcmp(plain_units[i].name, unit))
            return plain_units[i].family;
    return UNKNOWN;
}

static enum family family_of_type(const char *type)
{
    for (size_t i = 0; i < sizeof known_types / sizeof *known_types; i++)
        if (!strcmp(known_types[i].name, type))
            return known_types[i].family;
    return UNKNOWN;
}

/* Whether a type of this family cannot have such units. */
static bool contradict(enum family type, enum family unit)
{
    if (type == TIME && unit == COUNT) /* samples of it, as async-profiler's */
        return false;
    bool known =
        type >= COUNT && type <= MEMORY && unit >= COUNT && unit <= MEMORY;
    return known && type != unit;
}

void examine_unit(struct examiner *x, uint32_t type, uint32_t unit,
                  const struct doctor_place *at)
{
    enum { SHOWN = 64 };
    const struct doctor_place p = place_field(*at, "unit");
    const char *name = strtab_plain(&x->strings, type);
    const char *text = strtab_plain(&x->strings, unit);
    enum family of_unit = family_of_unit(text);
    if (!unit)
        examiner_found(x, RULE_UNIT_MISSING, &p, "is not given");
    else if (contradict(family_of_type(name), of_unit))
        examiner_found(x, RULE_UNIT_CONTRADICTION, &p, "is %.*s for %.*s",
                       SHOWN, text, SHOWN, name);
    else if (!of_unit)
        examiner_found(x, RULE_UNIT_UNKNOWN, &p,
                       "is none that readers know, and does not scale");
}
