/* hmac.c - HMAC-SHA-256 by nettle, which is loaded for the first key */
#include "privacy/private.h"

#include <nettle/hmac.h>
#include <nettle/version.h>
#include <stdio.h>
#include <stdlib.h>

#define NETTLE_FUNCTIONS(X)                                                    \
    X(nettle_version_major)                                                    \
    X(nettle_version_minor)                                                    \
    X(nettle_hmac_sha256_set_key)                                              \
    X(nettle_hmac_sha256_update)                                               \
    X(nettle_hmac_sha256_digest)

struct nettle {
    NETTLE_FUNCTIONS(LIBRARY_MEMBER)
};

static struct nettle nettle = LIBRARY_TABLE(NETTLE_FUNCTIONS);
static struct library library =
    LIBRARY("nettle", "libnettle.so.8", "libnettle8", NETTLE_FUNCTIONS, nettle);

static bool version(char text[LIBRARY_VERSION_MAX], struct prof_err *err)
{
    if (!library_load(&library, err))
        return false;
    (void)snprintf(text, LIBRARY_VERSION_MAX, "%d.%d",
                   nettle.nettle_version_major(),
                   nettle.nettle_version_minor());
    return true;
}

const struct library_about privacy_library = {
    .name = "nettle", .version = version, .on_demand = LIBRARY_ON_DEMAND};

struct keyed_hash {
    struct hmac_sha256_ctx ctx;
};

struct keyed_hash *keyed_hash_new(const void *key, size_t n,
                                  struct prof_err *err)
{
    if (!library_load(&library, err))
        return NULL;
    struct keyed_hash *h = malloc(sizeof *h);
    if (h)
        nettle.nettle_hmac_sha256_set_key(&h->ctx, n, key);
    else
        err_nomem(err);
    return h;
}

void keyed_hash_free(struct keyed_hash *h)
{
    free(h);
}

void keyed_hash_make(struct keyed_hash *h, const struct prof_slice *parts,
                     size_t n, uint8_t digest[KEYED_HASH_BYTES])
{
    for (size_t i = 0; i < n; i++)
        nettle.nettle_hmac_sha256_update(&h->ctx, parts[i].n,
                                         (const uint8_t *)parts[i].s);
    /* This also resets the state for the next text with the same key. */
    nettle.nettle_hmac_sha256_digest(&h->ctx, KEYED_HASH_BYTES, digest);
}
