#include "report/code/pattern.h"

#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "base/vec.h"

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

bool pattern_init(struct pattern *p, const char *option, const char *text,
                  const struct strtab *strings, struct err *err)
{
    memset(p, 0, sizeof *p);
    p->strings = strings;
    p->is_address = parse(text, &p->address);
    p->verdict = mem_zarray(strings->n, 1);
    if (!p->verdict)
        return err_nomem(err);
    if (!regex_new(&p->re, text, err))
        return err_prefix(err, "%s: ", option);
    regex_call(p->re, option, ERR_USAGE);
    return true;
}

void pattern_free(struct pattern *p)
{
    regex_free(p->re);
    free(p->verdict);
}

int pattern_match_id(struct pattern *p, uint32_t id, struct err *err)
{
    if (!p->verdict[id]) {
        int yes = pattern_match(p, strtab_str(p->strings, id),
                                strtab_len(p->strings, id), err);
        if (yes < 0)
            return -1;
        p->verdict[id] = (uint8_t)(1 + yes);
    }
    return p->verdict[id] == 2;
}
