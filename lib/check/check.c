/* check.c - checking a message: the order of things, and its strings */
#include "check/check.h"

#include <stdlib.h>

#include "base/utf8.h"
#include "check/private.h"

static struct check_place place_of_string(const struct checker *x, size_t i)
{
    return place_of(ENTITY_STRING, i, 0, x->m.strings.v[i].at);
}

static void check_string_zero(struct checker *x)
{
    char text[FINDING_QUOTE];
    if (!x->m.strings.n) {
        found(x, RULE_STRING_ZERO, &PLACE_PROFILE, "there is no string table");
        x->incomplete = true;
        return;
    }
    if (!x->m.strings.v[0].n)
        return;
    const struct check_place p = place_of_string(x, 0);
    found(x, RULE_STRING_ZERO, &p, "is %s", finding_quote(x, 0, text));
}

/* The offset of the first byte that is not UTF-8, or n. */
static size_t first_odd_byte(const uint8_t *s, size_t n)
{
    size_t i = 0;
    while (i < n) {
        size_t k = s[i] < 0x80 ? 1 : utf8_char(s + i, n - i, NULL);
        if (!k)
            break;
        i += k;
    }
    return i;
}

static bool check_string(struct checker *x, size_t i)
{
    const struct tolerant_string *s = &x->m.strings.v[i];
    const uint8_t *from = x->m.data + s->at;
    char text[FINDING_QUOTE];
    if (!strtab_add(&x->strings, (const char *)from, s->n, &x->string_id[i]))
        return checker_nomem(x);
    if (i && !s->n && !x->second_empty)
        x->second_empty = i;
    size_t odd = first_odd_byte(from, s->n);
    if (odd < s->n) {
        const struct check_place p = place_of_string(x, i);
        found(x, RULE_STRING_UTF8, &p, "byte %zu of %s is not UTF-8", odd,
              finding_quote(x, (int64_t)i, text));
    }
    return true;
}

static bool check_strings(struct checker *x)
{
    size_t n = x->m.strings.n;
    x->string_id = mem_zarray(n + 1, sizeof *x->string_id);
    if (!x->string_id)
        return checker_nomem(x);
    check_string_zero(x);
    for (size_t i = 0; i < n; i++)
        if (!check_string(x, i))
            return false;
    return !x->failed;
}

/* A string table starts with "", and ids repeat in every message. */
static void check_concatenation(struct checker *x)
{
    if (!x->second_empty || (!x->counts->of[RULE_DUPLICATE_ID] &&
                             !x->counts->of[RULE_REPEATED_TIME]))
        return;
    const struct check_place p = place_of_string(x, x->second_empty);
    found(x, RULE_CONCATENATED, &p,
          "is empty, and ids or times repeat: several profiles concatenated "
          "without gzip?");
}

static bool check_wire(struct checker *x, const uint8_t *data, size_t n)
{
    const struct tolerant_faults faults = finding_faults(x);
    if (!tolerant_read(&x->m, data, n, &faults, x->err))
        return checker_nomem(x);
    return !x->failed;
}

static void checker_free(struct checker *x)
{
    tolerant_free(&x->m);
    strtab_free(&x->strings);
    free(x->string_id);
    idmap_free(&x->mapping_of);
    idmap_free(&x->function_of);
    idmap_free(&x->location_of);
}

bool check_message(const uint8_t *data, size_t n, const struct check_opts *opts,
                   struct check_counts *counts, struct err *err)
{
    struct checker x = {.opts = opts, .counts = counts, .err = err};
    if (!strtab_init(&x.strings))
        return err_nomem(err);
    if (check_wire(&x, data, n) && check_strings(&x) && check_header(&x) &&
        check_entities(&x) && check_samples(&x))
        check_concatenation(&x);
    checker_free(&x);
    return !x.failed;
}

uint64_t check_count(const struct check_counts *counts,
                     enum check_severity severity)
{
    uint64_t n = 0;
    for (size_t i = 0; i < CHECK_RULES; i++)
        n += check_rules[i].severity == severity ? counts->of[i] : 0;
    return n;
}
