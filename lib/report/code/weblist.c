/* --weblist: sources and their instructions as a page. */
#include <stdlib.h>
#include <string.h>

#include "profile/text.h"
#include "report/code/weblist_page.h"
#include "report/flame/html.h"

enum {
    MERGE = 20, /* lines of one function that are so near are one part */
    EXPAND = 5, /* lines shown before and behind a part, at most */
};

/* Lines of a function that are shown together. */
struct part {
    uint32_t name;
    int64_t begin, end; /* lines; end is behind the last */
    int64_t flat, cum;
    size_t first, n; /* in wl->places */
};

struct page {
    struct weblist_page lines;
    struct weblist *wl;
    struct report *r;
    VEC(struct part) parts; /* of the file at work */
};

static const char head[] =
    "<!DOCTYPE html>\n"
    "<html lang=\"en\">\n"
    "<head>\n"
    "<meta charset=\"utf-8\">\n"
    "<meta http-equiv=\"Content-Security-Policy\" "
    "content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
    "<title>";

/* Lines with code are <details>, which open without a script. */
static const char style[] =
    "</title>\n"
    "<style>\n"
    ":root { color-scheme: light dark; --dim: #777; --code: #161;\n"
    "  --call: #117; --over: #eee; }\n"
    "@media (prefers-color-scheme: dark) {\n"
    "  :root { --dim: #999; --code: #8d8; --call: #aaf; --over: #333; } }\n"
    "body { font: 14px sans-serif; }\n"
    ".code { font-family: monospace; overflow-x: auto; tab-size: 8;\n"
    "  padding-bottom: 3px; }\n"
    ".code div, summary { white-space: pre; }\n"
    "summary { list-style: none; cursor: pointer; }\n"
    "summary::-webkit-details-marker { display: none; }\n"
    "summary:hover, summary:focus { background: var(--over); }\n"
    ".nop, .n, .f { color: var(--dim); }\n"
    ".asm { color: var(--code); }\n"
    ".call { color: var(--call); }\n"
    "</style>\n"
    "</head>\n"
    "<body>\n";

static bool put_name(struct page *pg, uint32_t id)
{
    const struct strtab *names = &pg->wl->names;
    return html_put(pg->r->out, strtab_str(names, id), strtab_len(names, id));
}

static bool put_title(struct page *pg)
{
    const struct report *r = pg->r;
    struct slice binary = report_binary(r);
    struct slice type = prof_text(r->p, r->p->types[r->type].type);
    return html_put(r->out, binary.s, binary.n) &&
           (!binary.n || buf_putc(r->out, ' ')) &&
           html_put(r->out, type.s, type.n);
}

/* What other reports begin with, and the total. */
static bool put_legend(struct page *pg)
{
    struct report *r = pg->r;
    struct buf text = {0}, *out = r->out;
    r->out = &text;
    bool ok = report_put_header(r) &&
              buf_printf(&text, "Total: %s\n", report_value(r, r->total));
    r->out = out;
    ok = ok && buf_puts(out, "<p class=\"legend\">");
    for (size_t at = 0; ok && at < text.n;) {
        const uint8_t *s = text.v + at, *end = memchr(s, '\n', text.n - at);
        size_t n = end ? (size_t)(end - s) : text.n - at;
        ok = html_put(out, s, n) && buf_puts(out, "<br>\n");
        at += n + 1;
    }
    buf_free(&text);
    return ok && buf_puts(out, "</p>\n");
}

static bool put_head(struct page *pg, uint32_t file, const struct part *f)
{
    struct report *r = pg->r;
    char text[MEASURE_TEXT];
    return buf_puts(r->out, "<h2>") && put_name(pg, f->name) &&
           buf_puts(r->out, "</h2>\n<p class=\"file\">") &&
           put_name(pg, file) &&
           buf_puts(r->out, "</p>\n<div class=\"code\">\n<div>  Total: ") &&
           weblist_put_value(&pg->lines, f->flat, false) &&
           weblist_put_value(&pg->lines, f->cum, false) &&
           buf_printf(r->out, " (flat, cum) %s</div>\n",
                      measure_percent(text, sizeof text, f->cum, r->total));
}

static bool put_part(struct page *pg, uint32_t file, const struct part *f,
                     struct err *err)
{
    if (!put_head(pg, file, f))
        return err_nomem(err);
    const struct weblist_place *v = pg->wl->places.v + f->first;
    size_t i = 0, n;
    for (int64_t line = f->begin; line < f->end; line++, i += n) {
        for (n = 0; i + n < f->n && v[i + n].line == line;)
            n++;
        if (!weblist_put_line(&pg->lines, file, line, v + i, n, err))
            return false;
    }
    return (buf_puts(pg->r->out, "</div>\n") && report_flush(pg->r)) ||
           err_nomem(err);
}

/* The function of the first place on a line. */
static uint32_t name_of(const struct weblist *wl,
                        const struct weblist_place *place)
{
    return wl->frames.v[place->frame].name;
}

/* Splits the places of a file up, v[first .. first + n) of wl->places. */
static bool find_parts(struct page *pg, size_t first, size_t n, struct err *err)
{
    const struct weblist *wl = pg->wl;
    pg->parts.n = 0;
    for (size_t i = first, k; i < first + n; i += k) {
        const struct weblist_place *v = &wl->places.v[i];
        for (k = 1; i + k < first + n && v[k].line == v->line;)
            k++;
        struct part *last = pg->parts.n ? &pg->parts.v[pg->parts.n - 1] : NULL;
        if (!last || v->line - last->end >= MERGE ||
            last->name != name_of(wl, v)) {
            struct part part = {
                .name = name_of(wl, v), .begin = v->line, .first = i};
            if (!vec_push(&pg->parts, part))
                return err_nomem(err);
            last = &pg->parts.v[pg->parts.n - 1];
        }
        last->end = v->line + 1;
        last->n += k;
        if (!weblist_sum(wl, v, k, &last->flat, &last->cum, err))
            return false;
    }
    return true;
}

/* Shows what is around the parts, as far as it is not another part's. */
static void expand_parts(struct part *v, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        int64_t *begin = &v[i].begin;
        int64_t gap = i ? (*begin - v[i - 1].end) / 2 : EXPAND;
        if (gap > EXPAND)
            gap = EXPAND;
        if (i) {
            v[i - 1].end += gap;
            *begin -= gap;
        } else if (*begin) {
            /* Line 0 stands for no line. */
            *begin = *begin > EXPAND ? *begin - EXPAND : 1;
        }
    }
    v[n - 1].end += EXPAND;
}

static bool put_file(struct page *pg, size_t first, size_t n, struct err *err)
{
    uint32_t file = pg->wl->places.v[first].file;
    if (!find_parts(pg, first, n, err))
        return false;
    expand_parts(pg->parts.v, pg->parts.n);
    for (size_t i = 0; i < pg->parts.n; i++)
        if (pg->parts.v[i].cum && !put_part(pg, file, &pg->parts.v[i], err))
            return false;
    return true;
}

static bool put_page(struct page *pg, struct err *err)
{
    const struct weblist *wl = pg->wl;
    struct buf *out = pg->r->out;
    if (!buf_puts(out, head) || !put_title(pg) || !buf_puts(out, style) ||
        !put_legend(pg))
        return err_nomem(err);
    for (size_t i = 0, n; i < wl->places.n; i += n) {
        const struct weblist_place *v = &wl->places.v[i];
        for (n = 1; i + n < wl->places.n && v[n].file == v->file;)
            n++;
        if (!put_file(pg, i, n, err))
            return false;
    }
    return buf_puts(out, "</body>\n</html>\n") || err_nomem(err);
}

static bool print(struct report *r, struct err *err)
{
    const struct report_opts *o = r->opts;
    struct weblist wl = {.r = r};
    struct page pg = {.lines = {.wl = &wl, .r = r}, .wl = &wl, .r = r};
    bool ok = strtab_init(&wl.names) || err_nomem(err);
    ok = ok &&
         pattern_init(&wl.pattern, "--weblist", o->pattern, &r->p->strings,
                      err) &&
         binaries_init(&wl.binaries, r, err) && weblist_collect(&wl, err) &&
         weblist_code(&wl, err) && weblist_places(&wl, err) &&
         sources_init(&pg.lines.sources, o->source_path, o->trim_path, err) &&
         put_page(&pg, err);
    buf_free(&pg.lines.line);
    vec_free(&pg.parts);
    sources_free(&pg.lines.sources);
    vec_free(&wl.places);
    vec_free(&wl.frames);
    vec_free(&wl.insts);
    buf_free(&wl.text);
    vec_free(&wl.addrs);
    free(wl.wanted);
    free(wl.pretty);
    binaries_free(&wl.binaries);
    pattern_free(&wl.pattern);
    strtab_free(&wl.names);
    return ok;
}

const struct report_format report_weblist = {
    .name = "weblist",
    .arg = "REGEX",
    .help = "a page of sources and instructions",
    .suffixes = "html htm",
    .needs = REPORT_FRAMES | REPORT_ADDRESSES | REPORT_INLINES | REPORT_VALUES |
             REPORT_WHOLE,
    .reads_files = true,
    .runs_programs = true,
    .print = print,
};
