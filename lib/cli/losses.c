/* losses.c - the losses of a conversion as comments of its result */
#include "cli/private.h"

#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "check/check.h"
#include "profile/merge/merge.h"

enum { MAX_PER_PART = 20 }; /* the others of a part say no more */

void losses_note(struct losses *l, const char *text)
{
    if (l->waiting.n >= MAX_PER_PART)
        return;
    char *copy = strdup(text);
    if (copy && vec_push(&l->waiting, copy))
        return;
    free(copy);
    l->nomem = true;
}

void losses_keep(struct losses *l)
{
    if (!vec_reserve(&l->kept, l->waiting.n)) {
        l->nomem = true;
        losses_drop(l);
        return;
    }
    for (size_t i = 0; i < l->waiting.n; i++)
        l->kept.v[l->kept.n++] = l->waiting.v[i];
    l->waiting.n = 0;
}

void losses_drop(struct losses *l)
{
    for (size_t i = 0; i < l->waiting.n; i++)
        free(l->waiting.v[i]);
    l->waiting.n = 0;
}

/* Names in texts may be any bytes. */
static bool add_comment(struct profile *p, const char *text, struct err *err)
{
    struct buf b = {0};
    bool ok = (buf_puts(&b, CHECK_INCOMPLETE) &&
               utf8_put_line(&b, text, strlen(text)) && buf_putc(&b, 0)) ||
              err_nomem(err);
    ok = ok && prof_add_comment(p, (const char *)b.v, err);
    buf_free(&b);
    return ok;
}

static bool add_kept(const struct losses *l, struct profile *p, struct err *err)
{
    struct profile out = {0};
    for (size_t i = 0; i < l->kept.n; i++)
        if (!add_comment(p, l->kept.v[i], err))
            return false;
    if (!prof_canonical(p, 1, &out, NULL, err)) {
        prof_free(&out);
        return false;
    }
    prof_free(p);
    *p = out;
    return true;
}

bool losses_into(struct losses *l, struct profile *p, struct err *err)
{
    losses_keep(l);
    bool ok = l->nomem ? err_nomem(err) : !l->kept.n || add_kept(l, p, err);
    for (size_t i = 0; i < l->kept.n; i++)
        free(l->kept.v[i]);
    l->kept.n = 0;
    return ok;
}

void losses_free(struct losses *l)
{
    losses_drop(l);
    for (size_t i = 0; i < l->kept.n; i++)
        free(l->kept.v[i]);
    vec_free(&l->waiting);
    vec_free(&l->kept);
}
