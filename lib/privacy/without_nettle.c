/* without_nettle.c - replaces hmac.c if built without nettle; refuses keys */
#include "privacy/private.h"

/* Functions that do nothing ignore their parameters. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

const struct library_about privacy_library = {
    .name = "nettle", .lacking = "--anonymize (built with NETTLE=no)"};

struct keyed_hash *keyed_hash_new(const void *key, size_t n,
                                  struct prof_err *err)
{
    (void)err_set(err, PROF_ERR_SYSTEM,
                  "cannot make pseudonyms: built without nettle");
    return NULL;
}

void keyed_hash_free(struct keyed_hash *h)
{
}

void keyed_hash_make(struct keyed_hash *h, const struct prof_slice *parts,
                     size_t n, uint8_t digest[KEYED_HASH_BYTES])
{
    memset(digest, 0, KEYED_HASH_BYTES);
}
