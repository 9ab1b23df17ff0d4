#include <string.h>

#include "base/utf8.h"
#include "import/gperftools/rawnames.h"

enum { OPEN_MAX = 16 }; /* names of a text */

/* How long the operator's sign in front of s is: "<<=" or "()". */
static size_t sign_length(struct slice s)
{
    static const char signs[][4] = {"<=>", "->*", "<<=", ">>=", "<<",
                                    ">>",  "<=",  ">=",  "->",  "()",
                                    "[]",  "<",   ">",   "-=",  "-"};
    size_t dashes = 0;
    while (dashes < s.n && s.s[dashes] == '-')
        dashes++;
    /* Two dashes are a mark; without them there must be a sign left. */
    if (dashes == 2 || dashes > 3)
        return 2;
    for (size_t i = 0; dashes < 2 && i < sizeof signs / sizeof *signs; i++) {
        size_t n = strlen(signs[i]);
        if (s.n >= n && memcmp(s.s, signs[i], n) == 0)
            return n;
    }
    return dashes > 0;
}

/* Whether "operator" is at s.s[at], and no longer word is. */
static bool is_operator(struct slice s, size_t at)
{
    static const char word[] = "operator";
    const size_t n = sizeof word - 1;
    return s.n - at > n && memcmp(s.s + at, word, n) == 0 &&
           !(at && slice_is_word_char(s.s[at - 1])) &&
           !slice_is_word_char(s.s[at + n]);
}

/* The place of the first mark outside of brackets, if these are balanced. */
static bool find_mark(struct slice s, bool in_brackets, size_t *at)
{
    size_t depth = 0;
    for (size_t i = 0; i < s.n; i++) {
        if (is_operator(s, i)) {
            i += sizeof "operator" - 2;
            i += sign_length(slice_from(s, i + 1));
        } else if (ascii_is_one_of(s.s[i], "([{<")) {
            depth++;
        } else if (ascii_is_one_of(s.s[i], ")]}") ||
                   (s.s[i] == '>' && i && s.s[i - 1] != '-')) {
            depth -= depth > 0;
        } else if (s.s[i] == '-' && i + 1 < s.n && s.s[i + 1] == '-' && i &&
                   (!depth || in_brackets)) {
            *at = i;
            return true;
        }
    }
    *at = s.n;
    return depth == 0;
}

/* "<0000000000401136>" at the end: 8 or 16 digits, as nm prints addresses. */
static struct slice without_address(struct slice s)
{
    for (size_t digits = 8; digits <= 16; digits += 8) {
        if (s.n <= digits + 2 || s.s[s.n - 1] != '>' ||
            s.s[s.n - digits - 2] != '<')
            continue;
        struct slice number = {s.s + s.n - digits - 1, digits};
        if (slice_is_hex(number))
            return slice_to(s, s.n - digits - 2);
    }
    return s;
}

struct slice rawnames_take(struct slice *text, unsigned *n_open)
{
    size_t at;
    /* That they stay open shows at the end of the text only. */
    bool open =
        *n_open == OPEN_MAX || (!find_mark(*text, false, &at) && ++*n_open);
    /* Such brackets are none. */
    if (open)
        (void)find_mark(*text, true, &at);
    struct slice name = slice_to(*text, at);
    *text = slice_from(*text, at + 2 < text->n ? at + 2 : text->n);
    return without_address(slice_trim(name));
}
