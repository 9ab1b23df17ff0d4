/*
 * Names of any bytes, as reports write them: shortened, escaped, quoted.
 */
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "fuzz.h"
#include "report/escape.h"
#include "report/flame/private.h"
#include "report/graph/nodes.h"
#include "symbolize/demangle.h"

/* UTF-8 without control characters but these. */
static void check_text(const struct buf *b, const char *controls)
{
    for (size_t i = 0, k; i < b->n; i += k) {
        uint32_t c;
        k = utf8_char(b->v + i, b->n - i, &c);
        FUZZ_CHECK(k > 0);
        FUZZ_CHECK((c >= 0x20 && (c < 0x7f || c >= 0xa0)) ||
                   (c < 0x80 && strchr(controls, (int)c)));
    }
}

static void check_json(const char *s, size_t n)
{
    struct buf to = {0};
    size_t n_replaced = 0;
    FUZZ_CHECK(json_put_text(&to, s, n, &n_replaced) && n_replaced <= n);
    FUZZ_CHECK(to.n >= 2 && to.v[0] == '"' && to.v[to.n - 1] == '"');
    for (size_t i = 1; i + 1 < to.n; i++) {
        FUZZ_CHECK(to.v[i] >= 0x20 && to.v[i] != '"');
        if (to.v[i] == '\\')
            FUZZ_CHECK(++i + 1 < to.n && strchr("\"\\/bfnrtu", to.v[i]));
    }
    FUZZ_CHECK(utf8_count(to.v, to.n) <= to.n);
    buf_free(&to);
}

static void check_visible(const char *s, size_t n)
{
    struct buf terminal = {0}, flame = {0}, brief = {0};
    FUZZ_CHECK(utf8_put_visible(&terminal, s, n));
    check_text(&terminal, "\n\t");
    FUZZ_CHECK(flame_put_visible(&flame, s, n));
    check_text(&flame, "");
    FUZZ_CHECK(name_put_short(&brief, s, n) && brief.n <= n);
    brief.n = 0;
    FUZZ_CHECK(name_put_brief(&brief, s, n) && brief.n <= n);
    buf_free(&terminal);
    buf_free(&flame);
    buf_free(&brief);
}

static void check_package(const char *s, size_t n)
{
    const char *tab = n ? memchr(s, '\t', n) : NULL;
    size_t k = tab ? (size_t)(tab - s) : n;
    struct prof_slice name = {s, k}, file = {s + k, n - k};
    struct prof_slice package = package_of(name, file);
    bool spelled = package.s >= s && package.s + package.n <= s + k;
    FUZZ_CHECK(!package.n || spelled ||
               (k > 3 && !memcmp(s, "_Z", 2) && package.n == 3 &&
                !memcmp(package.s, "std", 3)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    const char *s = (const char *)data;
    char *copy = fuzz_line(data, n, 0, 0);
    size_t length = strlen(copy);
    check_visible(s, n);
    check_json(s, n);
    check_package(copy, length);
    sym_cut_arguments(copy, fuzz_choice(data, n) & 1);
    FUZZ_CHECK(strlen(copy) <= length);
    free(copy);
    return 0;
}
