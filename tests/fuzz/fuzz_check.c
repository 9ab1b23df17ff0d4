/* pbcat --check and pbfilter --repair: any message, sound or not. */
#include <stdlib.h>

#include "../unit/repair_oracle.h"
#include "fuzz.h"
#include "profile/wire/tolerant.h"

static bool look_at(void *ctx, const struct prof_finding *f,
                    struct prof_err *err)
{
    (void)ctx;
    (void)err;
    FUZZ_CHECK(*f->text && *f->place && *f->entity);
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    const struct prof_check_opts opts = {.report = look_at};
    struct prof_check_counts counts = {0};
    struct prof_err err;
    bool compared;
    (void)setenv("CMOCKA_TEST_ABORT", "1", 0);
    (void)prof_begins(data, n);
    (void)prof_is_message(data, n);
    FUZZ_CHECK(prof_check(data, n, &opts, &counts, &err));
    (void)decide_message(data, n, &compared);
    return 0;
}
