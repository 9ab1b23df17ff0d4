/* The string table. */
#include "base/utf8.h"
#include "check/examiner.h"

static struct doctor_place place_of_string(const struct examiner *x, size_t i)
{
    return place_of(ENTITY_STRING, i, 0, x->m.strings.v[i].at);
}

static void look_at_zero(struct examiner *x)
{
    char text[EXAMINER_QUOTE];
    if (!x->m.strings.n) {
        examiner_found(x, RULE_STRING_ZERO, &PLACE_WHOLE,
                       "there is no string table");
        x->lacks_rest = true;
        return;
    }
    if (!x->m.strings.v[0].n)
        return;
    const struct doctor_place p = place_of_string(x, 0);
    examiner_found(x, RULE_STRING_ZERO, &p, "is %s",
                   examiner_quote(x, 0, text));
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

/* *empty: there was an empty string before, other than the table's own. */
static bool intern(struct examiner *x, size_t i, bool *empty)
{
    const struct loose_string *s = &x->m.strings.v[i];
    const uint8_t *from = x->m.data + s->at;
    char text[EXAMINER_QUOTE];
    uint32_t n = x->strings.n;
    if (!strtab_add(&x->strings, (const char *)from, s->n, &x->string_id[i]))
        return examiner_nomem(x);
    if (x->strings.n == n && (s->n || *empty)) {
        const struct doctor_place p = place_of_string(x, i);
        examiner_found(x, RULE_DUPLICATE_STRING, &p, "is %s again",
                       examiner_quote(x, (int64_t)i, text));
    }
    *empty = *empty || !s->n;
    size_t odd = first_odd_byte(from, s->n);
    if (odd < s->n) {
        const struct doctor_place p = place_of_string(x, i);
        examiner_found(x, RULE_STRING_UTF8, &p, "byte %zu of %s is not UTF-8",
                       odd, examiner_quote(x, (int64_t)i, text));
    }
    return true;
}

bool examine_strings(struct examiner *x)
{
    size_t n = x->m.strings.n;
    x->string_id = mem_zarray(n + 1, sizeof *x->string_id);
    x->string_used = mem_zarray(n + 1, 1);
    if (!x->string_id || !x->string_used)
        return examiner_nomem(x);
    look_at_zero(x);
    bool empty = false;
    for (size_t i = 0; i < n; i++)
        if (!intern(x, i, &empty))
            return false;
    return !x->failed;
}
