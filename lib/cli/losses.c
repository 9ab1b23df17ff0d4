/* losses.c - adds comments to profiles about data that was lost */
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "cli/private.h"

enum { MAX_PER_PART = 20 }; /* more losses of a part are ignored */

void losses_wait(struct losses *l, const char *text)
{
    if (l->texts.n - l->n_kept == MAX_PER_PART)
        return;
    char *copy = strdup(text);
    if (copy && vec_push(&l->texts, copy))
        return;
    free(copy);
    l->nomem = true;
}

void losses_drop(struct losses *l)
{
    while (l->texts.n > l->n_kept)
        free(l->texts.v[--l->texts.n]);
}

void losses_keep(struct losses *l)
{
    l->n_kept = l->texts.n;
}

void losses_free(struct losses *l)
{
    l->n_kept = l->n_common = 0;
    losses_drop(l);
    vec_free(&l->texts);
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

bool losses_add(struct losses *l, struct profile *p, struct prof_err *err)
{
    bool ok = !l->nomem || err_nomem(err);
    for (size_t i = 0; ok && i < l->texts.n; i++)
        ok = add_comment(p, l->texts.v[i], err);
    l->n_kept = l->n_common;
    losses_drop(l);
    return ok;
}
