/*
 * profile.proto with its samples over and over, so that they are several
 * pieces, which threads share.
 */
#include "base/buf.h"
#include "fuzz.h"
#include "pb_ways.h"
#include "profile/wire/wire.h"

/* Samples of a few bytes each would be a million. */
enum { SAMPLE = 2, SEVERAL_PIECES = 5 << 20, USUAL = 16 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    struct wire w = wire_of(data, n);
    struct wire_field f;
    struct buf samples = {0}, large = {0};
    size_t count = 0;
    FUZZ_CHECK(buf_put(&large, data, n));
    while (!wire_done(&w)) {
        const uint8_t *from = w.at;
        if (!wire_field(&w, &f, NULL))
            break;
        if (f.number != SAMPLE)
            continue;
        FUZZ_CHECK(buf_put(&samples, from, (size_t)(w.at - from)));
        count++;
    }
    while (count && samples.n / count >= USUAL && large.n < SEVERAL_PIECES)
        FUZZ_CHECK(buf_put(&large, samples.v, samples.n));
    pb_ways(large.v, large.n, 3);
    buf_free(&samples);
    buf_free(&large);
    return 0;
}
