#include "cli/repeats.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/strtab.h"
#include "base/vec.h"

enum { MAX_TEXTS = 1000 }; /* whatever else comes is not compared */

struct repeats {
    struct strtab kinds;   /* texts with each number as a '#' */
    VEC(struct repeat) of; /* by id, less one */
    struct buf kind;
};

struct repeats *repeats_new(void)
{
    struct repeats *r = calloc(1, sizeof *r);
    if (r && strtab_init(&r->kinds))
        return r;
    repeats_free(r);
    return NULL;
}

void repeats_free(struct repeats *r)
{
    if (!r)
        return;
    for (size_t i = 0; i < r->of.n; i++)
        free(r->of.v[i].text);
    strtab_free(&r->kinds);
    vec_free(&r->of);
    buf_free(&r->kind);
    free(r);
}

static bool make_kind(struct buf *kind, const char *text)
{
    static const char digits[] = "0123456789";
    bool ok = true;
    kind->n = 0;
    while (ok && *text) {
        size_t n = strcspn(text, digits);
        ok = buf_put(kind, text, n);
        text += n;
        if (*text)
            ok = ok && buf_putc(kind, '#');
        text += strspn(text, digits);
    }
    return ok;
}

/* Where memory is out, a text that is shown twice does no harm. */
static void keep(struct repeats *r, enum note_level level, const char *text)
{
    uint32_t id;
    struct repeat new = {strdup(text), level, 0};
    if (new.text && r->of.n < MAX_TEXTS &&vec_reserve(&r->of, 1) &&
        strtab_add(&r->kinds, (const char *)r->kind.v, r->kind.n, &id))
        r->of.v[r->of.n++] = new;
    else
        free(new.text);
}

bool repeats_is_first(struct repeats *r, enum note_level level,
                      const char *text)
{
    uint32_t id;
    if (!make_kind(&r->kind, text) || !r->kind.n)
        return true;
    if (strtab_find(&r->kinds, (const char *)r->kind.v, r->kind.n, &id)) {
        r->of.v[id - 1].again++;
        return false;
    }
    keep(r, level, text);
    return true;
}

const struct repeat *repeats_at(const struct repeats *r, size_t i)
{
    return i < r->of.n ? &r->of.v[i] : NULL;
}
