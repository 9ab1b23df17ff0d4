/*
 * Unions of regular expressions, as merging makes them of drop_frames.  Two
 * lines of the input are the expressions.
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "profile/columns.h"
#include "profile/merge/alternatives.h"

/* The union of one or two expressions, null: none; an id of *strings. */
static uint32_t unite(struct strtab *strings, const char *a, const char *b)
{
    struct str_set set = {0};
    struct prof_err err = {0};
    uint32_t id;
    if (!alternatives_add(&set, strings, a, strlen(a), &err) ||
        (b && !alternatives_add(&set, strings, b, strlen(b), &err)) ||
        !alternatives_join(&set, strings, &id, &err))
        fuzz_fail(__FILE__, __LINE__, "%s", err.text);
    str_set_free(&set);
    return id;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    char *a = fuzz_line(data, n, 0, 1), *b = fuzz_line(data, n, 1, 1);
    struct strtab strings;
    FUZZ_CHECK(strtab_init(&strings));
    uint32_t both = unite(&strings, a, b);
    const char *s = strtab_str(&strings, both);
    /* What is united is so for good, in any order. */
    FUZZ_CHECK(unite(&strings, s, NULL) == both);
    FUZZ_CHECK(unite(&strings, s, a) == both);
    if (b)
        FUZZ_CHECK(unite(&strings, b, a) == both);
    /* It may be too large to be compiled, where each alone is not. */
    if (regex_check(a, NULL) && (!b || regex_check(b, NULL)))
        FUZZ_CHECK(regex_check(s, NULL));
    strtab_free(&strings);
    free(a);
    free(b);
    return 0;
}
