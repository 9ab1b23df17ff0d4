/*
 * --flame: a page with a flame graph that can be zoomed and searched
 *
 * Its parts are in lib/report/flame/page.  Here the words of the template that
 * stand for something else (@TITLE@, @CSS@, @JS@, @PROFILE@) are replaced.
 */
#include <string.h>

#include "io/gz.h"
#include "report/flame/flame.h"
#include "report/flame/flamepage.h"
#include "report/flame/html.h"

enum { DATA_LEVEL = 6 }; /* people wait for it once and send it many times */

/*
 * What is hidden of a profile of a million samples, unless asked otherwise: so
 * that half a million nodes are left, which a browser opens in a second.
 */
#define NODE_FRACTION 0.000005

/* The data of the page, as text. */
static bool encode(struct report *r, const struct flame *f, double limit,
                   struct buf *page_data, struct err *err)
{
    struct buf data = {0}, packed = {0};
    struct gz *gz = gz_new();
    bool ok = gz || err_nomem(err);
    ok = ok && flame_data(r, f, limit, &data, err) &&
         gz_deflate(gz, data.v, data.n, DATA_LEVEL, &packed, err);
    buf_free(&data);
    ok =
        ok && (buf_put_base64(page_data, packed.v, packed.n) || err_nomem(err));
    buf_free(&packed);
    gz_free(gz);
    return ok;
}

struct part {
    const char *word;
    const void *v;
    size_t n;
};

/* The part that the template has at `at`, or null. */
static const struct part *part_at(const struct part *part, const char *at,
                                  size_t n)
{
    for (; part->word; part++)
        if (strlen(part->word) <= n &&
            !memcmp(part->word, at, strlen(part->word)))
            return part;
    return NULL;
}

static bool fill_in(struct buf *out, const struct part *parts)
{
    const char *at = (const char *)flamepage_html, *end = at + flamepage_html_n;
    while (at < end) {
        const char *sign = memchr(at, '@', (size_t)(end - at));
        size_t n = (size_t)((sign ? sign : end) - at);
        if (!buf_put(out, at, n))
            return false;
        at += n;
        if (at == end)
            break;
        const struct part *part = part_at(parts, at, (size_t)(end - at));
        if (!(part ? buf_put(out, part->v, part->n) : buf_putc(out, *at)))
            return false;
        at += part ? strlen(part->word) : 1;
    }
    return true;
}

static bool put_page(struct report *r, const struct buf *data)
{
    struct buf title = {0}, escaped = {0};
    bool ok =
        flame_put_title(r, &title) && html_put(&escaped, title.v, title.n);
    const struct part parts[] = {
        {"@TITLE@", escaped.v, escaped.n},
        {"@CSS@", flamepage_css, flamepage_css_n},
        {"@JS@", flamepage_js, flamepage_js_n},
        {"@PROFILE@", data->v, data->n},
        {0},
    };
    ok = ok && fill_in(r->out, parts);
    buf_free(&title);
    buf_free(&escaped);
    return ok;
}

static bool print(struct report *r, struct err *err)
{
    struct flame f;
    struct buf data = {0};
    const struct flame_tree_opts opts = {
        .n_types = r->p->n_types,
        .limit = r->opts->limits.node_fraction,
        .subtracted = r->opts->base.name,
        .threads = r->opts->threads,
    };
    bool ok =
        flame_make(&f, r, &opts, err) && encode(r, &f, opts.limit, &data, err);
    flame_free(&f);
    ok = ok && (put_page(r, &data) || err_nomem(err));
    buf_free(&data);
    return ok;
}

const struct report_format report_flame = {
    .name = "flame",
    .arg = "[svg]",
    .help = "a flame graph: a page, or a picture",
    .suffixes = "html htm",
    .needs = REPORT_FRAMES | REPORT_TRIM | REPORT_VALUES,
    .ignores = REPORT_AS_IT_IS,
    .node_fraction = NODE_FRACTION,
    .print = print,
};
