/* Samples that can be kept, and an account of those that cannot. */
#include "check/mender.h"

struct copying {
    struct mender *d;
    struct loose_sample s;
    VEC(uint32_t) frames;
    VEC(struct prof_label) labels;
};

/* All frames, or the sample cannot be shown. */
static bool find_frames(struct copying *c, bool *found)
{
    const struct mender *d = c->d;
    *found = true;
    c->frames.n = 0;
    for (size_t i = 0; i < c->s.ids.n && *found; i++) {
        uint32_t index = mender_find(&d->locations, c->s.ids.v[i]);
        *found = index != PROF_NONE;
        if (*found && !vec_push(&c->frames, index))
            return err_nomem(d->err);
    }
    return true;
}

/* What is left out of a label, or taken for something else. */
static void count_odd(struct mender_account *a, const struct loose_label *from,
                      uint32_t text)
{
    a->n_units += text && from->unit && !from->num;
    a->n_textless += !text && from->str;
}

/* Labels of which the key or the text is lost go. */
static bool find_labels(struct copying *c)
{
    struct mender *d = c->d;
    c->labels.n = 0;
    for (size_t i = 0; i < c->s.labels.n; i++) {
        const struct loose_label *from = &c->s.labels.v[i];
        bool lost = false;
        struct prof_label l = {.key = mender_string(d, from->key, &lost),
                               .str = mender_string(d, from->str, &lost)};
        if (!l.str) {
            l.num = from->num;
            l.unit = mender_string(d, from->unit, NULL);
        }
        if (!lost)
            count_odd(&d->account, from, l.str);
        if (!lost && !vec_push(&c->labels, l))
            return err_nomem(d->err);
    }
    return true;
}

static void account_for(struct mender *d, const struct loose_sample *s,
                        bool kept)
{
    struct mender_account *a = &d->account;
    size_t n = d->p->n_types;
    struct widesum *sums = kept ? a->sum_kept : a->sum_lost;
    *(kept ? &a->kept : &a->lost) += 1;
    if (s->values.n != n) {
        a->unread++;
        return;
    }
    for (size_t i = 0; i < n; i++)
        widesum_add(&sums[i], s->values.v[i]);
}

static bool copy(struct copying *c)
{
    struct mender *d = c->d;
    bool found;
    uint32_t set;
    if (!find_frames(c, &found))
        return false;
    bool keep = found && !c->s.broken && c->s.values.n == d->p->n_types;
    account_for(d, &c->s, keep);
    return !keep ||
           (find_labels(c) &&
            prof_labelset(d->p, c->labels.v, c->labels.n, &set, d->err) &&
            prof_add_sample(d->p, c->frames.v, c->frames.n, c->s.values.v, set,
                            d->err));
}

bool mend_samples(struct mender *d)
{
    struct copying c = {.d = d};
    struct mender_account *a = &d->account;
    int got;
    a->sum_kept = mem_zarray(d->p->n_types + 1, sizeof *a->sum_kept);
    a->sum_lost = mem_zarray(d->p->n_types + 1, sizeof *a->sum_lost);
    if (!a->sum_kept || !a->sum_lost)
        return err_nomem(d->err);
    while ((got = loose_next_sample(&d->m, &c.s, NULL, d->err)) > 0)
        if (!copy(&c)) {
            got = -1;
            break;
        }
    loose_sample_free(&c.s);
    vec_free(&c.frames);
    vec_free(&c.labels);
    return !got;
}
