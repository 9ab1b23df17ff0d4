/* perf.c - inputs of perf2pb: recordings, and the output of perf script */
#include "formats/perf/perf.h"
#include "fuzz.h"

void fuzz_perf(const uint8_t *data, size_t n)
{
    unsigned c = fuzz_choice(data, n);
    struct perf_opts opts = {
        .labels = c & 1 ? ~0u : 0,
        .each_process = c & 2,
        .time = {.kind = c & 4 ? PERF_TIME_SINCE : PERF_TIME_ALL,
                 .from = 1,
                 .to = 1000000000},
        .no_symbols = true};
    struct profile *p = NULL;
    struct prof_err err = {0};
    struct buf name = {0};
    const struct import_input in = {.data = data, .n = n, .notes = &fuzz_notes};
    struct perf_sum *sum = perf_sum_new(&opts, &fuzz_notes, &err);
    bool ok = sum && perf_sum_add(sum, &in, &err);
    while (ok && opts.each_process &&
           (ok = perf_sum_next(sum, &p, &name, &err)) && p) {
        fuzz_sound(p);
        prof_delete(p);
        name.n = 0;
    }
    if (ok && !opts.each_process) {
        p = perf_sum_finish(sum, &err);
        ok = p;
        if (ok)
            fuzz_sound(p);
        prof_delete(p);
    }
    if (!ok)
        fuzz_refused(&err);
    buf_free(&name);
    perf_sum_free(sum);
}
