/* Sample types, and what is said of the profile as a whole. */
#include "check/mender.h"
#include "profile/filter/regex.h"
#include "profile/text.h"

static bool add_types(struct mender *d)
{
    if (!d->m.types.n && d->m.n_samples)
        return err_set(d->err, ERR_INPUT,
                       "cannot be repaired: there are no sample types, so "
                       "that nothing says what the values are");
    for (size_t i = 0; i < d->m.types.n; i++) {
        const struct loose_type *t = &d->m.types.v[i];
        bool lost = false;
        struct prof_value_type vt = {mender_string(d, t->type, &lost),
                                     mender_string(d, t->unit, NULL)};
        if (lost)
            return err_set(d->err, ERR_INPUT,
                           "cannot be repaired: the name of sample type %zu is "
                           "lost, so that nothing says what its values are",
                           i);
        if (!prof_add_type_id(d->p, vt, d->err))
            return false;
    }
    return true;
}

static int64_t number(const struct mender *d, enum profile_field field)
{
    return (int64_t)d->m.header[field].value;
}

static uint32_t string(const struct mender *d, enum profile_field field)
{
    return mender_string(d, number(d, field), NULL);
}

/*
 * An expression that nobody can read is left out.  One with a NUL in it, or
 * larger than can be compiled here, is none that could be tried.
 */
static bool regexp(struct mender *d, enum profile_field field, uint32_t *id)
{
    struct err why;
    const char *text = prof_plain(d->p, *id = string(d, field));
    if (!*text)
        return true;
    bool ok = regex_check(text, &why);
    if (!ok)
        *id = 0;
    return ok || !err_is_nomem(&why) || err_nomem(d->err);
}

static bool add_comments(struct mender *d)
{
    for (size_t i = 0; i < d->m.comments.n; i++) {
        bool lost = false;
        uint32_t id = mender_string(d, d->m.comments.v[i].index, &lost);
        if (!lost && !prof_add_comment_id(d->p, id, d->err))
            return false;
    }
    return true;
}

static uint32_t default_type(const struct mender *d)
{
    uint32_t name = string(d, PROFILE_DEFAULT_SAMPLE_TYPE);
    for (size_t i = 0; i < d->p->n_types; i++)
        if (d->p->types[i].type == name)
            return name;
    return 0;
}

bool mend_header(struct mender *d)
{
    struct profile *p = d->p;
    if (!add_types(d) || !add_comments(d) ||
        !regexp(d, PROFILE_DROP_FRAMES, &p->drop_frames) ||
        !regexp(d, PROFILE_KEEP_FRAMES, &p->keep_frames))
        return false;
    p->time_nanos = number(d, PROFILE_TIME_NANOS);
    p->duration_nanos = number(d, PROFILE_DURATION_NANOS);
    p->period = number(d, PROFILE_PERIOD);
    p->period_type.type = mender_string(d, d->m.period_type.type, NULL);
    p->period_type.unit = mender_string(d, d->m.period_type.unit, NULL);
    p->default_sample_type = default_type(d);
    p->doc_url = string(d, PROFILE_DOC_URL);
    return true;
}
