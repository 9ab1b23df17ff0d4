/* What was done, and what it cost. */
#include <inttypes.h>

#include "check/mender.h"
#include "profile/text.h"

enum { TYPES_TOLD = 16 };

static bool put_sum(struct buf *to, const struct widesum *s)
{
    return widesum_fits(s) ? buf_put_i64(to, s->low)
                           : buf_puts(to, "more than 64 bits");
}

/* "cpu/nanoseconds: 30 kept, 12 lost" */
static bool put_type(struct buf *to, const struct mender *d, size_t i)
{
    const struct prof_value_type *t = &d->p->types[i];
    return buf_printf(to, "; %s: ", prof_show_type(d->p, *t).text) &&
           put_sum(to, &d->account.sum_kept[i]) && buf_puts(to, " kept, ") &&
           put_sum(to, &d->account.sum_lost[i]) && buf_puts(to, " lost");
}

static bool put_account(struct buf *to, const struct mender *d)
{
    const struct mender_account *a = &d->account;
    size_t n = d->p->n_types;
    bool ok = buf_printf(to, "samples: %zu kept, %zu lost", a->kept, a->lost);
    for (size_t i = 0; ok && i < n && i < TYPES_TOLD; i++)
        ok = put_type(to, d, i);
    if (n > TYPES_TOLD)
        ok = ok && buf_printf(to, "; and %zu more types", n - TYPES_TOLD);
    if (a->unread)
        ok = ok && buf_printf(to,
                              "; of %zu lost it is not known what the values "
                              "are of",
                              a->unread);
    if (d->m.lost)
        ok =
            ok && buf_printf(to, "; the last %zu bytes of the message are lost",
                             d->m.lost);
    return ok && buf_putc(to, 0);
}

/* What breaks no rule that has a remedy, and is not kept all the same. */
static void tell_left_out(const struct mender *d,
                          const struct doctor_counts *counts,
                          const struct notes *notes)
{
    const struct mender_account *a = &d->account;
    if (counts->of[RULE_UNKNOWN_FIELD])
        note_loss(notes,
                  "%" PRIu64 " fields that profile.proto does not have were "
                  "skipped",
                  counts->of[RULE_UNKNOWN_FIELD]);
    if (a->n_units)
        note_loss(notes,
                  "%zu labels have a text and a unit: only the text is "
                  "kept",
                  a->n_units);
    if (a->n_textless)
        note_loss(notes,
                  "%zu labels have an empty text: they are taken for numbers",
                  a->n_textless);
}

/* A flag may be unfounded only by what else was done. */
static uint64_t times(const struct mender *d,
                      const struct doctor_counts *counts, int rule)
{
    return rule == RULE_FLAG_UNFOUNDED ? d->n_cleared : counts->of[rule];
}

bool mend_tell(const struct mender *d, const struct doctor_counts *counts,
               const struct notes *notes, struct err *err)
{
    struct buf text = {0};
    for (int r = 0; r < DOCTOR_RULES; r++) {
        uint64_t n = times(d, counts, r);
        if (n && doctor_rules[r].remedy)
            note_loss(notes, "repaired: %s, %" PRIu64 " time%s: %s",
                      doctor_rules[r].name, n, n == 1 ? "" : "s",
                      doctor_rules[r].remedy);
    }
    tell_left_out(d, counts, notes);
    bool ok = put_account(&text, d);
    if (ok)
        note_loss(notes, "%s", (const char *)text.v);
    buf_free(&text);
    return ok || err_nomem(err);
}
