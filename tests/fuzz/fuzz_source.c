/*
 * Source text in which functions are looked for: of Go if the last byte is odd,
 * else of C.  Every name is one of the text, no function has more lines than
 * the text, and a comment before all of it changes nothing.
 */
#include <string.h>

#include "fuzz.h"
#include "pgo/source.h"

/* What one reading found. */
struct found {
    int64_t most;    /* lines of the text */
    struct buf rows; /* a line for each function */
};

static void within(struct prof_slice text, struct prof_slice part)
{
    FUZZ_CHECK(!part.n || (part.s >= text.s && part.n <= text.n &&
                           (size_t)(part.s - text.s) <= text.n - part.n));
    FUZZ_CHECK(!part.n || !memchr(part.s, '\n', part.n));
}

static bool see(void *ctx, const struct source *source,
                const struct source_function *f, struct prof_err *err)
{
    struct found *found = ctx;
    (void)err;
    within(source->text, source->package);
    within(source->text, f->name);
    within(source->text, f->receiver);
    FUZZ_CHECK(f->name.n);
    FUZZ_CHECK(f->lines >= !source->is_go && f->lines <= found->most);
    FUZZ_CHECK(source->is_go ? !f->is_type : !f->receiver.n);
    FUZZ_CHECK(buf_put(&found->rows, source->package.s, source->package.n) &&
               buf_putc(&found->rows, '.') &&
               buf_put(&found->rows, f->receiver.s, f->receiver.n) &&
               buf_putc(&found->rows, '.') &&
               buf_put(&found->rows, f->name.s, f->name.n) &&
               buf_printf(&found->rows, " %lld %d\n", (long long)f->lines,
                          f->is_type));
    return true;
}

static void read_text(const struct buf *text, bool is_go, struct found *found)
{
    struct prof_err err = {0};
    struct source source = {
        .text = buf_slice(text), .is_go = is_go, .found = see, .ctx = found};
    found->most = 1;
    for (size_t i = 0; i < text->n; i++)
        found->most += text->v[i] == '\n';
    FUZZ_CHECK(source_read(&source, &err));
    within(source.text, source.package);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    const bool is_go = fuzz_choice(data, n) & 1;
    struct buf text = {0}, later = {0};
    struct found first = {0}, again = {0};
    FUZZ_CHECK(buf_put(&text, data, n) && buf_puts(&later, "/* { \n ( */ \n") &&
               buf_put(&later, data, n));
    read_text(&text, is_go, &first);
    read_text(&later, is_go, &again);
    FUZZ_CHECK(
        first.rows.n == again.rows.n &&
        (!first.rows.n || !memcmp(first.rows.v, again.rows.v, first.rows.n)));
    buf_free(&text);
    buf_free(&later);
    buf_free(&first.rows);
    buf_free(&again.rows);
    return 0;
}
