/* losses.c - adds comments to profiles about data that was lost */
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "cli/private.h"

enum { MAX_PER_PART = 20 }; /* more losses of a part are ignored */

void losses_wait(struct losses *l, const char *text)
{
    if (l->waiting.n == MAX_PER_PART)
        return;
    char *copy = strdup(text);
    if (copy && vec_push(&l->waiting, copy))
        return;
    free(copy);
    l->nomem = true;
}

void losses_drop(struct losses *l)
{
    for (size_t i = 0; i < l->waiting.n; i++)
        free(l->waiting.v[i]);
    l->waiting.n = 0;
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

/* Adds a comment with control characters and invalid UTF-8 escaped. */
static bool add_comment(struct profile *p, const char *text,
                        struct prof_err *err)
{
    struct buf b = {0};
    bool ok = (buf_puts(&b, PROF_INCOMPLETE) &&
               utf8_put_line(&b, text, strlen(text)) && buf_putc(&b, 0)) ||
              err_nomem(err);
    ok = ok && prof_put_comment(p, (const char *)b.v, err);
    buf_free(&b);
    return ok;
}

void losses_forget(struct losses *l, size_t from)
{
    for (size_t i = from; i < l->kept.n; i++)
        free(l->kept.v[i]);
    l->kept.n = from < l->kept.n ? from : l->kept.n;
}

bool losses_add(struct losses *l, struct profile *p, struct prof_err *err)
{
    losses_keep(l);
    bool ok = !l->nomem || err_nomem(err);
    for (size_t i = 0; ok && i < l->kept.n; i++)
        ok = add_comment(p, l->kept.v[i], err);
    losses_forget(l, l->n_common);
    return ok;
}
