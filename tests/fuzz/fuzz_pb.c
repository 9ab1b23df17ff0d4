/*
 * profile.proto: the decoder against protobuf-c, and against itself; and the
 * message as text, which need not be a profile for that.
 */
#include <stdlib.h>

#include "../unit/pb_oracle.h"
#include "fuzz.h"
#include "grammar.h"
#include "pb_ways.h"
#include "report/report.h"

static void as_text(const uint8_t *data, size_t n)
{
    const struct report_format *f = report_find_format("textproto", NULL);
    struct buf text = {0};
    struct prof_err err = {0};
    if (f->print_bytes(&text, data, n, &err))
        FUZZ_CHECK(is_plain_text((const char *)text.v, text.n));
    else
        fuzz_refused(&err);
    buf_free(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    /* What does not hold in the oracle is not to exit, but to abort. */
    (void)setenv("CMOCKA_TEST_ABORT", "1", 0);
    (void)pb_decide(data, n, 0);
    as_text(data, n);
    pb_ways(data, n, 1 + fuzz_choice(data, n) % 3);
    return 0;
}
