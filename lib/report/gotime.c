/* Times and time spans as Go's time package writes them. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/utf8.h"
#include "report/format.h"

enum { NANOS = 1000000000 };

/* ".5" for half of `one`; nothing for 0. */
static int fraction(char *text, size_t n, uint64_t part, uint64_t one)
{
    if (!part)
        return snprintf(text, n, "%s", "");
    int digits = 0;
    for (uint64_t k = one; k > 1; k /= 10)
        digits++;
    for (; part % 10 == 0; part /= 10)
        digits--;
    return snprintf(text, n, ".%0*" PRIu64, digits, part);
}

bool report_put_time(struct buf *out, int64_t nanos, bool long_form)
{
    time_t seconds = (time_t)(nanos / NANOS);
    int64_t below = nanos % NANOS;
    if (below < 0) {
        below += NANOS;
        seconds--;
    }
    struct tm tm;
    char date[64], zone[64], part[16];
    if (!localtime_r(&seconds, &tm) ||
        !strftime(date, sizeof date, "%Y-%m-%d %H:%M:%S", &tm))
        return false;
    if (!strftime(zone, sizeof zone, long_form ? "%z %Z" : "%Z", &tm))
        zone[0] = 0;
    (void)fraction(part, sizeof part, long_form ? (uint64_t)below : 0, NANOS);
    return buf_printf(out, "%s%s %s", date, part, zone);
}

/* Below a second: whole nanoseconds, or a part of a micro- or millisecond. */
static void put_short(char *text, size_t size, uint64_t u, const char *sign)
{
    if (u < 1000) {
        (void)snprintf(text, size, "%s%" PRIu64 "ns", sign, u);
        return;
    }
    uint64_t one = u < 1000000 ? 1000 : 1000000;
    char part[16];
    (void)fraction(part, sizeof part, u % one, one);
    (void)snprintf(text, size, "%s%" PRIu64 "%s%s", sign, u / one, part,
                   one == 1000 ? "\xc2\xb5s" : "ms");
}

static void put_long(char *text, size_t size, uint64_t u, const char *sign)
{
    uint64_t s = u / NANOS;
    char part[16], hours[32] = "", minutes[16] = "";
    (void)fraction(part, sizeof part, u % NANOS, NANOS);
    if (s >= 3600)
        (void)snprintf(hours, sizeof hours, "%" PRIu64 "h", s / 3600);
    if (s >= 60)
        (void)snprintf(minutes, sizeof minutes, "%" PRIu64 "m", s / 60 % 60);
    (void)snprintf(text, size, "%s%s%s%" PRIu64 "%ss", sign, hours, minutes,
                   s % 60, part);
}

bool report_put_duration(struct buf *out, int64_t nanos, size_t chars)
{
    uint64_t u = graph_abs(nanos);
    char text[96];
    (u < NANOS ? put_short : put_long)(text, sizeof text, u,
                                       nanos < 0 ? "-" : "");
    const uint8_t *s = (const uint8_t *)text;
    size_t n = strlen(text), at = 0;
    for (; at < n && chars; chars--)
        at += utf8_char(s + at, n - at, NULL);
    return buf_put(out, text, at);
}
