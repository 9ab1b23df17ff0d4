/*
 * pattern.h - what --list, --disasm and --weblist are asked for
 *
 * A regular expression.  For the last two it may also be a number: then it is
 * an address too, of the program as it ran, and stands for the function there.
 * Numbers are those of Go: decimal, 0x, 0o or 0 octal, 0b.
 *
 * Private to lib/report.
 */
#ifndef PROFUTILS_REPORT_PATTERN_H
#define PROFUTILS_REPORT_PATTERN_H

#include <stdint.h>

#include "base/strtab.h"
#include "profile/filter/regex.h"

struct pattern {
    struct regex *re;
    bool is_address;
    uint64_t address;
    const struct strtab *strings; /* not owned */
    uint8_t *verdict; /* by string id: 0 not asked, 1 no, 2 it matches */
};

/*
 * `option`, as "--list", is what errors call it by; it is not copied.  Strings
 * that are added to *strings later cannot be asked for by id.  On failure *p
 * is safe to free.
 */
bool pattern_init(struct pattern *p, const char *option, const char *text,
                  const struct strtab *strings, struct err *err);
void pattern_free(struct pattern *p);

/* Whether it matches as an expression: 1, 0 or -1 as regex_match(). */
static inline int pattern_match(struct pattern *p, const void *text, size_t n,
                                struct err *err)
{
    return regex_match(p->re, text, n, err);
}

/* The same for one of the strings, which is looked at only once. */
int pattern_match_id(struct pattern *p, uint32_t id, struct err *err);

#endif
