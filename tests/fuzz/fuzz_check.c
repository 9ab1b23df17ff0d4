/* pbcat --check and pbfilter --repair: any message, sound or not. */
#include <stdlib.h>

#include "../unit/repair_oracle.h"
#include "fuzz.h"
#include "profile/wire/tolerant.h"

static bool put_place(void *ctx, const struct check_finding *f,
                      struct prof_err *err)
{
    struct buf place = {0};
    (void)ctx;
    (void)err;
    FUZZ_CHECK(*f->text && check_put_place(&place, &f->place));
    buf_free(&place);
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    const struct check_opts opts = {.report = put_place};
    struct check_counts counts = {{0}};
    struct prof_err err;
    bool compared;
    (void)setenv("CMOCKA_TEST_ABORT", "1", 0);
    (void)tolerant_begins(data, n);
    (void)tolerant_is_message(data, n);
    FUZZ_CHECK(check_message(data, n, &opts, &counts, &err));
    (void)decide_message(data, n, &compared);
    return 0;
}
