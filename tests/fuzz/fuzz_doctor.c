/* pbcat --check and pbfilter --repair: any message, sound or not. */
#include <stdlib.h>

#include "../unit/doctor_oracle.h"
#include "check/begins.h"
#include "fuzz.h"

static bool look(void *ctx, const struct doctor_finding *f, struct err *err)
{
    struct buf place = {0};
    (void)ctx;
    (void)err;
    FUZZ_CHECK(*f->text && f->amount && doctor_put_place(&place, &f->place));
    buf_free(&place);
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    const struct doctor_opts opts = {.take = look};
    struct doctor_counts told = {{0}};
    struct err err;
    bool compared;
    (void)setenv("CMOCKA_TEST_ABORT", "1", 0);
    (void)doctor_begins(data, n);
    FUZZ_CHECK(doctor_examine(data, n, &opts, &told, &err));
    (void)doctor_decide(data, n, &compared);
    return 0;
}
