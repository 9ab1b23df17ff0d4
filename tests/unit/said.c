/* said.c - assertions on the words of a message */
#include "said.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unit.h"

/* Whether that was left to tests/goldens, which says what a record is. */
static int left(const char *text, const char *expected, const char *before,
                const char *file, int line)
{
    const char *dir = getenv("GOLDENS");
    char path[4096];

    if (!dir)
        return 0;
    const char *name = strrchr(file, '/');
    int n = snprintf(path, sizeof path, "%s/%s", dir, name ? name + 1 : file);
    if (n < 0 || (size_t)n >= sizeof path)
        return 0;
    FILE *f = fopen(path, "ab");
    if (!f)
        return 0;
    if (*before)
        fprintf(f, "%s%c%d%c3%c...%c%s%c...%c%s%c", file, 0, line, 0, 0, 0,
                expected, 0, 0, text, 0);
    else
        fprintf(f, "%s%c%d%c1%c%s%c%s%c", file, 0, line, 0, 0, expected, 0,
                text, 0);
    return fclose(f) == 0;
}

void said_is(const char *text, const char *expected, const char *file, int line)
{
    if (strcmp(text, expected) != 0 && !left(text, expected, "", file, line))
        _assert_string_equal(text, expected, file, line);
}

void said_has(const char *text, const char *part, const char *file, int line)
{
    if (!strstr(text, part) && !left(text, part, "...", file, line)) {
        print_error("\"%s\" is not in \"%s\"\n", part, text);
        _fail(file, line);
    }
}
