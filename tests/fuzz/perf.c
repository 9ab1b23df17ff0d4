/* perf.c - inputs of perf2pb: recordings, and the output of perf script */
#include "formats/perf/perf.h"
#include "fuzz.h"

void fuzz_perf(const uint8_t *data, size_t n)
{
    unsigned c = fuzz_choice(data, n);
    struct perf_opts opts = {.labels = c & 1 ? ~0u : 0,
                             .each_process = c & 2,
                             .from = 1,
                             .to = c & 4 ? 1000000000 : 0,
                             .no_symbols = true};
    struct profile p = {0};
    struct prof_err err = {0};
    struct buf name = {0};
    const struct import_input in = {.data = data, .n = n, .notes = &fuzz_notes};
    void *sum = perf_converter.start(&opts, &fuzz_notes, &err);
    bool ok = sum && perf_converter.add(sum, &in, &err);
    while (ok && opts.each_process) {
        int got = perf_converter.finish_next(sum, &p, &name, &err);
        ok = got >= 0;
        if (got <= 0)
            break;
        fuzz_sound(&p);
        prof_free(&p);
        p = (struct profile){0};
        name.n = 0;
    }
    if (ok && !opts.each_process && (ok = perf_converter.finish(sum, &p, &err)))
        fuzz_sound(&p);
    if (!ok)
        fuzz_refused(&err);
    prof_free(&p);
    buf_free(&name);
    if (sum)
        perf_converter.free_sum(sum);
}
