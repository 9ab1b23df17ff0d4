#include "check/mend.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "check/mender.h"
#include "check/split.h"
#include "pb/pb.h"

uint32_t mender_string(const struct mender *d, int64_t index, bool *lost)
{
    if (index >= 0 && (uint64_t)index < d->m.strings.n)
        return index ? d->str[index] : 0;
    if (lost && index)
        *lost = true;
    return 0;
}

static bool intern_strings(struct mender *d)
{
    size_t n = d->m.strings.n;
    d->str = mem_zarray(n + 1, sizeof *d->str);
    if (!d->str)
        return err_nomem(d->err);
    for (size_t i = 1; i < n; i++) {
        const struct loose_string *s = &d->m.strings.v[i];
        if (!prof_strn(d->p, (const char *)d->m.data + s->at, s->n, &d->str[i],
                       d->err))
            return false;
    }
    return true;
}

static void mender_free(struct mender *d)
{
    loose_free(&d->m);
    free(d->str);
    mender_map_free(&d->mappings);
    mender_map_free(&d->functions);
    mender_map_free(&d->locations);
    free(d->account.sum_kept);
    free(d->account.sum_lost);
}

/* *p is what can be kept of the message. */
static bool mend(const uint8_t *data, size_t n,
                 const struct doctor_counts *counts, struct profile *p,
                 const struct notes *notes, struct err *err)
{
    struct mender d = {.p = p, .err = err};
    bool ok = prof_init(p, err) && loose_read(&d.m, data, n, NULL, err) &&
              intern_strings(&d) && mend_header(&d) && mend_entities(&d) &&
              mend_samples(&d) && mend_flags(&d) &&
              mend_tell(&d, counts, notes, err);
    mender_free(&d);
    return ok;
}

static bool take_finding(void *ctx, const struct doctor_finding *f,
                         struct err *err)
{
    const struct notes *notes = ctx;
    struct buf place = {0};
    if (!doctor_put_place(&place, &f->place) || !buf_putc(&place, 0)) {
        buf_free(&place);
        return err_nomem(err);
    }
    if (doctor_rules[f->rule].remedy)
        note_info(notes, "%s: %s [%s]", (const char *)place.v, f->text,
                  doctor_rules[f->rule].name);
    buf_free(&place);
    return true;
}

/* That nothing can be done about no sample types is for mend() to say. */
static bool has_remedies(const struct doctor_counts *counts)
{
    if (counts->of[RULE_NO_SAMPLE_TYPE])
        return true;
    for (int r = 0; r < DOCTOR_RULES; r++)
        if (counts->of[r] && doctor_rules[r].remedy)
            return true;
    return false;
}

/* One message that nothing stands behind. */
static bool mend_one(const uint8_t *data, size_t n, const struct notes *notes,
                     doctor_take_fn *take, void *ctx, struct err *err)
{
    const struct doctor_opts opts = {.take = take_finding,
                                     .ctx = (void *)notes};
    struct doctor_counts counts = {{0}};
    struct profile p = {0};
    if (!doctor_examine(data, n, &opts, &counts, err))
        return false;
    bool ok = (has_remedies(&counts) ? mend(data, n, &counts, &p, notes, err)
                                     : pb_decode(data, n, &p, notes, err)) &&
              take(ctx, &p, err);
    prof_free(&p);
    return ok;
}

bool doctor_mend(const uint8_t *data, size_t n, const struct notes *notes,
                 doctor_take_fn *take, void *ctx, struct err *err)
{
    struct doctor_pieces pieces = {0};
    bool ok = doctor_split(data, n, &pieces, err);
    if (ok && !pieces.ends.n)
        ok = mend_one(data, n, notes, take, ctx, err);
    if (ok && pieces.ends.n)
        note_loss(notes, "repaired: concatenated, %zu time%s: %s",
                  pieces.ends.n - 1, pieces.ends.n == 2 ? "" : "s",
                  doctor_rules[RULE_CONCATENATED].remedy);
    size_t at = 0;
    for (size_t i = 0; ok && i < pieces.ends.n; i++) {
        ok = mend_one(data + at, pieces.ends.v[i] - at, notes, take, ctx, err);
        at = pieces.ends.v[i];
    }
    doctor_pieces_free(&pieces);
    return ok;
}
