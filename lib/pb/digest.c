/* digest.c - a checksum of what a profile says */
#include "pb/digest.h"

#include <xxhash.h>

#include "pb/pb.h"

/* A sink that keeps nothing of what it takes but a hash. */
struct hash_sink {
    struct sink sink; /* first */
    XXH3_state_t *state;
};

static bool hash_bytes(struct sink *self, const void *bytes, size_t n,
                       struct err *err)
{
    (void)err;
    struct hash_sink *h = (struct hash_sink *)self;
    (void)XXH3_128bits_update(h->state, bytes, n);
    return true;
}

static void put_hex(const uint8_t *bytes, size_t n, char *text)
{
    static const char digit[] = "0123456789abcdef";
    for (size_t i = 0; i < n; i++) {
        *text++ = digit[bytes[i] >> 4];
        *text++ = digit[bytes[i] & 15];
    }
    *text = 0;
}

bool pb_digest(const struct profile *p, char text[PB_DIGEST_TEXT],
               struct err *err)
{
    struct hash_sink h = {{hash_bytes}, XXH3_createState()};
    XXH128_canonical_t canonical;
    if (!h.state)
        return err_nomem(err);
    (void)XXH3_128bits_reset(h.state);
    bool ok = pb_encode(p, &h.sink, err);
    if (ok) {
        XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(h.state));
        put_hex(canonical.digest, sizeof canonical.digest, text);
    }
    (void)XXH3_freeState(h.state);
    return ok;
}
