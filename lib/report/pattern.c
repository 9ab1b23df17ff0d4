#include "report/pattern.h"

#include <string.h>

#include "base/ascii.h"

/* What a number begins with to say its base, which is behind that. */
static unsigned base_of(const char **text)
{
    const char *s = *text;
    char letter = s[0] == '0' ? (char)(s[1] | ('a' - 'A')) : 0;
    unsigned base = letter == 'x'   ? 16
                    : letter == 'o' ? 8
                    : letter == 'b' ? 2
                                    : 0;
    if (base)
        *text += 2;
    else
        base = s[0] == '0' ? 8 : 10;
    return base;
}

static bool parse(const char *text, uint64_t *number)
{
    unsigned base = base_of(&text);
    *number = 0;
    for (const char *s = text; *s; s++) {
        int digit = ascii_hex_value(*s);
        if (digit < 0 || (unsigned)digit >= base ||
            __builtin_mul_overflow(*number, base, number) ||
            __builtin_add_overflow(*number, (uint64_t)digit, number))
            return false;
    }
    return *text;
}

bool pattern_init(struct pattern *p, const char *text, struct err *err)
{
    memset(p, 0, sizeof *p);
    p->is_address = parse(text, &p->address);
    return regex_new(&p->re, text, err);
}

void pattern_free(struct pattern *p)
{
    regex_free(p->re);
}
