/*
 * Values of options: numbers, sizes, periods, units.  Lines of the input are
 * the value and two units.
 */
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "fuzz.h"
#include "profile/columns.h"

static void parse(const char *text)
{
    struct prof_err err = {0};
    uint64_t n;
    int64_t period;
    struct prof_ratio ratio;
    if (prof_ratio_parse(text, &ratio))
        FUZZ_CHECK(ratio.den > 0);
    if (cli_parse_count(text, 3, 1000, &n, &err))
        FUZZ_CHECK(n >= 3 && n <= 1000);
    else
        fuzz_refused(&err);
    if (!cli_parse_size(text, &n, &err))
        fuzz_refused(&err);
    if (cli_parse_period(text, &period, &err))
        FUZZ_CHECK(period > 0);
    else
        fuzz_refused(&err);
}

static void measure(int64_t value, const char *from, const char *to)
{
    char text[MEASURE_TEXT], same[MEASURE_TEXT];
    const char *unit;
    struct measure m;
    (void)measure_scale(value, from, to, &unit);
    FUZZ_CHECK(unit && measure_label(text, sizeof text, value, from, to));
    FUZZ_CHECK(memchr(text, 0, sizeof text));
    measure_init(&m, from, to);
    size_t n = measure_put(&m, value, same, sizeof same);
    FUZZ_CHECK(strcmp(text, same) == 0 && n == strlen(same));
    FUZZ_CHECK(measure_compatible(from, to) == measure_compatible(to, from));
    FUZZ_CHECK(measure_percent(text, sizeof text, value, 12345));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    char *text = fuzz_line(data, n, 0, 2);
    char *from = fuzz_line(data, n, 1, 2), *to = fuzz_line(data, n, 2, 2);
    parse(text);
    measure(strtoll(text, NULL, 10), from ? from : "", to ? to : "");
    free(text);
    free(from);
    free(to);
    return 0;
}
