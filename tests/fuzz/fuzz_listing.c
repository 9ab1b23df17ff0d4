/*
 * Listings of symbols: kallsyms if the last byte is even, else perf maps.
 */
#include <string.h>

#include "fuzz.h"
#include "symbolize/private.h"

static void look_up(struct sym_binary *b, uint64_t address)
{
    const struct sym_symbol *s;
    struct prof_err err = {0};
    FUZZ_CHECK(sym_binary_symbol(b, address, &s, &fuzz_notes, &err));
    FUZZ_CHECK(!s || (s->lo <= address && address < s->hi));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    struct sym_binary b = {.files.image.path = NULL};
    struct buf text = {0};
    struct prof_err err = {0};
    bool is_kernel = fuzz_choice(data, n) % 2 == 0;
    FUZZ_CHECK(buf_put(&text, data, n) && buf_put(&text, "\0", 2));
    text.n -= 2;
    FUZZ_CHECK(sym_listing_parse(&b, &text, is_kernel ? "_text" : NULL, &err));
    for (size_t i = 0; i < b.symtab.n; i++) {
        const struct sym_symbol *s = &b.symtab.v[i];
        FUZZ_CHECK(s->lo <= s->hi && s->outer <= i);
        FUZZ_CHECK(i == 0 || s[-1].lo < s->lo);
        FUZZ_CHECK(!is_kernel || i + 1 == b.symtab.n || s->hi <= s[1].lo);
        FUZZ_CHECK(strlen(s->name) <= n && !strchr(s->name, '\n'));
        look_up(&b, s->lo);
        look_up(&b, s->hi);
        look_up(&b, s->lo + (s->hi - s->lo) / 2);
    }
    sym_binary_close(&b);
    return 0;
}
