/*
 * text.h - the strings of a profile, as bytes with a length
 *
 * A string of profile.proto may contain NUL: "a\0b" and "a\0c" are two names.
 *
 *      compare within a profile     by id
 *      compare between profiles     prof_same_text()
 *      show in a message            prof_show(): a NUL becomes \x00
 *      pass on as a C string        prof_plain(): a name with a NUL must not
 *                                   be truncated
 */
#ifndef PROFUTILS_PROFILE_MODEL_TEXT_H
#define PROFUTILS_PROFILE_MODEL_TEXT_H

#include "base/buf.h"
#include "base/slice.h"
#include "profile/model/columns.h"

static inline struct prof_slice prof_text(const struct profile *p, uint32_t id)
{
    return strtab_slice(&p->strings, id);
}

/* Appends a string; false when memory is out. */
static inline bool prof_put_text(struct buf *to, const struct profile *p,
                                 uint32_t id)
{
    struct prof_slice text = prof_text(p, id);
    return buf_put(to, text.s, text.n);
}

/* Whether string a of *p is string b of *q. */
bool prof_same_text(const struct profile *p, uint32_t a,
                    const struct profile *q, uint32_t b);

/* The id in *to of string `id` of *from; interned. */
bool prof_copy_text(struct profile *to, const struct profile *from, uint32_t id,
                    uint32_t *copy, struct prof_err *err);

/*
 * The id of the text that shows a string on one line (utf8_put_line()), which
 * is the string itself where nothing in it has to be escaped; interned.
 */
bool prof_shown_id(struct profile *p, uint32_t id, uint32_t *shown,
                   struct prof_err *err);

/*
 * A string for a message: each NUL is \x00, and "..." ends what is too long.
 * The text lasts as long as the expression that it is called in.
 */
struct prof_shown {
    char text[256];
};
struct prof_shown prof_show(const struct profile *p, uint32_t id);

/* "cpu/nanoseconds" */
struct prof_shown prof_show_type(const struct profile *p,
                                 struct prof_value_type vt);

/* The comment of profiles with estimated stacks; whether a profile has it. */
#define PROF_ESTIMATED                                                         \
    "call stacks are estimated from call counts (gprof's model)"
bool prof_is_estimated(const struct profile *p);

#endif
