/* digests.c - the list of checksums that pbcat --digest prints */
#include "report/data/digests.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/bytes.h"
#include "base/utf8.h"
#include "profile/columns.h"
#include "report/escape.h"

/* 32 hexadecimal digits, the most significant first, and a NUL. */
enum { DIGEST_TEXT = 33 };

/*
 * Sets `text` to the digest of a canonical profile.  Keeps only one encoded
 * piece in memory.
 */
static bool hash_profile(const struct profile *p, char text[DIGEST_TEXT],
                         struct prof_err *err)
{
    XXH3_state_t *state = XXH3_createState();
    struct prof_encoder *e = NULL;
    struct prof_bytes piece = {0};
    bool ok = (state || err_nomem(err)) && (e = prof_encoder_new(p, err));
    if (ok)
        (void)XXH3_128bits_reset(state);
    for (size_t i = 0; ok && i < prof_encoder_pieces(e); i++) {
        piece.n = 0;
        ok = prof_encoder_piece(e, i, &piece, err);
        if (ok)
            (void)XXH3_128bits_update(state, piece.v, piece.n);
    }
    if (ok) {
        XXH128_canonical_t canonical;
        XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(state));
        bytes_to_hex(text, canonical.digest, sizeof canonical.digest);
    }
    free(piece.v);
    prof_encoder_free(e);
    (void)XXH3_freeState(state);
    return ok;
}

/* Writes totals: "3 samples; samples/count 4, cpu/nanoseconds 40000000". */
static bool put_totals(struct buf *to, const struct profile *p)
{
    if (!buf_printf(to, "%zu sample%s", p->n_samples,
                    p->n_samples == 1 ? "" : "s"))
        return false;
    for (size_t i = 0; i < p->n_types; i++) {
        int64_t total;
        bool fits = prof_total(p, i, &total);
        if (!buf_printf(to, "%s %s ", i ? "," : ";",
                        prof_show_type(p, p->types[i]).text) ||
            !(fits ? buf_put_i64(to, total)
                   : buf_puts(to, "more than 64 bits")))
            return false;
    }
    return buf_putc(to, 0);
}

static bool put_digest_json(struct digests *d, const char *name,
                            const struct profile *p, const char *digest,
                            const struct prof_notes *notes)
{
    struct buf *out = &d->out;
    size_t n_replaced = 0;
    bool ok = buf_puts(out, d->n > 1 ? ",\n{\"name\":"
                                     : "{\"profiles\":[\n{\"name\":") &&
              json_put_text(out, name, strlen(name), &n_replaced) &&
              buf_printf(out, ",\"digest\":\"%s\",\"samples\":\"%zu\"", digest,
                         p->n_samples) &&
              buf_puts(out, ",\"totals\":[");
    for (size_t i = 0; ok && i < p->n_types; i++) {
        const struct prof_value_type *t = &p->types[i];
        int64_t total;
        bool fits = prof_total(p, i, &total);
        ok = buf_puts(out, i ? ",{\"type\":" : "{\"type\":") &&
             json_put_string(out, &p->strings, t->type, &n_replaced) &&
             buf_puts(out, ",\"unit\":") &&
             json_put_string(out, &p->strings, t->unit, &n_replaced) &&
             (fits ? buf_printf(out, ",\"value\":\"%" PRId64 "\"}", total)
                   : buf_puts(out, ",\"value\":null}"));
    }
    if (ok && n_replaced)
        note_count(notes, PROF_NOTE_WARN, n_replaced,
                   "invalid UTF-8 in names replaced with U+FFFD (%zu byte{s})",
                   n_replaced);
    return ok && buf_puts(out, "]}");
}

bool digests_add(struct digests *d, const char *name, struct profile *p,
                 const struct prof_notes *notes, struct prof_err *err)
{
    const struct prof_result_opts result = {.threads = d->threads};
    struct buf totals = {0};
    char digest[DIGEST_TEXT];
    bool made = prof_merge_one(p, &result, err) && hash_profile(p, digest, err);
    bool ok = made && put_totals(&totals, p);
    if (ok)
        note_info(notes, "%s", (const char *)totals.v);
    d->n += made;
    if (d->json)
        ok = ok && put_digest_json(d, name, p, digest, notes);
    else
        ok = ok && buf_printf(&d->out, "%s  ", digest) &&
             utf8_put_line(&d->out, name, strlen(name)) &&
             buf_putc(&d->out, '\n');
    buf_free(&totals);
    return ok || (made && err_nomem(err));
}

bool digests_end(struct digests *d, struct prof_err *err)
{
    return !d->json ||
           buf_puts(&d->out, d->n ? "\n]}\n" : "{\"profiles\":[]}\n") ||
           err_nomem(err);
}
