/*
 * measure.h - units, and values as pprof prints them
 *
 * Memory (powers of 1024, printed as B kB MB GB TB PB), time (ns to hour,
 * printed as ns us ms s hrs) and GCU cycles are scaled among each other; any
 * other unit is only itself.  Names are matched as pprof matches them
 * (case-insensitive, plurals, aliases: internal/measurement of
 * https://github.com/google/pprof).
 */
#ifndef PROFUTILS_PROFILE_MODEL_MEASURE_H
#define PROFUTILS_PROFILE_MODEL_MEASURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Room for any text that measure_label() makes of units up to 40 bytes. */
#define MEASURE_TEXT 96

/*
 * `value` of unit `from` expressed in unit `to`.  `to` may also be "auto"
 * (a unit that suits this value) or "minimum".  *unit is the name of the
 * unit of the result: a static string, or `from`/`to` itself.
 */
double measure_scale(int64_t value, const char *from, const char *to,
                     const char **unit);

/*
 * The value with its unit as pprof prints it ("1.50MB", "10ms", "0"),
 * cut to n bytes with a NUL; returns text.
 */
char *measure_label(char *text, size_t n, int64_t value, const char *from,
                    const char *to);

/* Two units that were looked up, for many values. */
struct measure {
    const char *from, *to; /* not owned */
    /* Private. */
    const struct measure_family *family; /* of both; null: they do not scale */
    const struct measure_unit *unit;     /* null: what suits the value */
    double factor;
};

void measure_init(struct measure *m, const char *from, const char *to);

/*
 * What measure_label() says of the value, in text[0 .. n), n > 0; returns its
 * length without the NUL.
 */
size_t measure_put(const struct measure *m, int64_t value, char *text,
                   size_t n);

/* "12.34%", " 5.10%", "  100%", "    0%": pprof's percentage column. */
char *measure_percent(char *text, size_t n, int64_t value, int64_t total);

/* True when values of the two units can be scaled into each other. */
bool measure_compatible(const char *unit1, const char *unit2);

#endif
