#include "pb_ways.h"

#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "profile/wire/pb.h"

/* Decodes a copy, which may be discarded. */
static bool decode(struct pb_decoder *decoder, const uint8_t *data, size_t n,
                   struct profile *p, struct prof_err *err)
{
    uint8_t *copy = malloc(n ? n : 1);
    FUZZ_CHECK(copy);
    if (n)
        memcpy(copy, data, n);
    bool ok = pb_decode_next(decoder, copy, n, p, err);
    free(copy);
    return ok;
}

void pb_ways(const uint8_t *data, size_t n, unsigned threads)
{
    struct profile p, q;
    struct prof_err err = {0}, again = {0};
    struct pb_decoder decoder = {&fuzz_notes, threads, .discard = true};
    FUZZ_CHECK(prof_init(&q, &err));
    bool ok = pb_decode(data, n, &p, &fuzz_notes, &err);
    /* Strings stay, and so does what the decoder knows of nothing else. */
    for (int i = 0; i < 2; i++) {
        FUZZ_CHECK(decode(&decoder, data, n, &q, &again) == ok);
        if (ok)
            fuzz_same(&p, &q);
        else
            FUZZ_CHECK(strcmp(err.text, again.text) == 0);
        prof_clear(&q);
    }
    if (ok)
        fuzz_sound(&p);
    else
        fuzz_refused(&err);
    pb_decoder_free(&decoder);
    prof_free(&p);
    prof_free(&q);
}
