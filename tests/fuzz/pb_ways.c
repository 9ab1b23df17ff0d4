#include "pb_ways.h"

#include <stdlib.h>
#include <string.h>

#include "../unit/check_profile.h"
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

/* The message in blocks of `step` bytes. */
struct feed {
    struct prof_blocks blocks;
    const uint8_t *data;
    size_t n, step;
};

static ptrdiff_t next_block(struct prof_blocks *self, const uint8_t **block,
                            struct prof_err *err)
{
    struct feed *f = (struct feed *)self;
    size_t n = f->n < f->step ? f->n : f->step;
    (void)err;
    *block = f->data;
    f->data += n;
    f->n -= n;
    return (ptrdiff_t)n;
}

/*
 * In blocks it gives the columns of *p (null: the message is not valid), or is
 * refused for the reason in *err.
 */
static bool in_blocks(const uint8_t *data, size_t n, const struct profile *p,
                      bool shares, struct prof_err *err)
{
    enum { STEP = 4093 }; /* of many bytes; of few, every place is an end */
    struct profile q;
    struct pb_decoder decoder = {.threads = 2};
    struct feed f = {{.next = next_block, .size_hint = n, .shares = shares},
                     data,
                     n,
                     n < STEP ? 1 + n % 3 : STEP};
    FUZZ_CHECK(prof_init(&q, err));
    if (pb_decode_blocks(&decoder, &f.blocks, &q, err)) {
        FUZZ_CHECK(p && !f.blocks.refused);
        FUZZ_CHECK(check_profile(&q, err) && prof_unshare(&q, err));
        fuzz_same(p, &q);
    } else {
        FUZZ_CHECK(f.blocks.refused);
    }
    prof_free(&q);
    return !f.blocks.refused;
}

/*
 * Decoding blocks so that stacks share frames refuses, of what it takes
 * otherwise, only stacks in several fields.
 */
static void blocks_agree(const uint8_t *data, size_t n, const struct profile *p)
{
    struct prof_err err = {0};
    bool alone = in_blocks(data, n, p, false, &err);
    bool shares = in_blocks(data, n, p, true, &err);
    FUZZ_CHECK(alone || !shares);
    if (alone && !shares)
        FUZZ_CHECK(strcmp(err.text, "an unusual or invalid sample") == 0);
}

void pb_share(const uint8_t *data, size_t n, struct profile *p)
{
    struct prof_err err = {0};
    struct pb_decoder decoder = {.notes = &fuzz_notes};
    struct feed f = {
        {.next = next_block, .size_hint = n, .shares = true}, data, n, n};
    FUZZ_CHECK(prof_init(p, &err));
    if (!pb_decode_blocks(&decoder, &f.blocks, p, &err)) {
        FUZZ_CHECK(f.blocks.refused);
        prof_free(p);
        FUZZ_CHECK(pb_decode(data, n, p, &fuzz_notes, &err));
    }
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
    blocks_agree(data, n, ok ? &p : NULL);
    if (ok)
        fuzz_sound(&p);
    else
        fuzz_refused(&err);
    pb_decoder_free(&decoder);
    prof_free(&p);
    prof_free(&q);
}
