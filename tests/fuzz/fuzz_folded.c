/*
 * Folded stacks.
 */
#include "formats/folded/folded.h"
#include "fuzz.h"

static const struct folded_type types[] = {
    {{"samples", 7}, {"count", 5}},
    {{"cpu", 3}, {"nanoseconds", 11}},
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    unsigned c = fuzz_choice(data, n);
    const struct folded_opts opts = {
        .types = types,
        .n_types = c & 1   ? 0
                   : c & 2 ? 2
                           : 1,
        .no_counts = (c & 7) == 5,
        .annotations = c & 16,
        .root_label = c & 32 ? "thread" : NULL,
    };
    struct prof_err err = {0};
    const struct import_input in = {.data = data, .n = n, .notes = &fuzz_notes};
    (void)folded_may_begin(&in, &opts);
    struct profile *p = folded_read(&in, &opts, &err);
    if (p)
        fuzz_sound(p);
    else
        fuzz_refused(&err);
    prof_delete(p);
    return 0;
}
