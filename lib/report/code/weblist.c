/*
 * weblist.c - prints source lines with their instructions: as --weblist, and as
 * JSON for the pages of --flame
 */
#include "report/code/embed.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/utf8.h"
#include "profile/columns.h"
#include "report/code/private.h"
#include "report/escape.h"

enum {
    MERGE = 20,      /* lines closer than this are one part */
    EXPAND = 5,      /* lines shown before and after a part, at most */
    INDENT = 4,      /* of instructions, and of each inlined call */
    CODE_WIDTH = 80, /* of instructions and inlined calls */
    TAB = 8,
    MAX_CALLS = 100, /* most inlined calls shown above an instruction; */
    FEW_CALLS = 2,   /* the same, once a page has so many of them: */
    PAGE_CALLS = 100000,
};

/* Lines of a function that are shown together. */
struct part {
    uint32_t name;
    int64_t begin, end; /* lines; end is after the last */
    struct weblist_value value;
    size_t first, n; /* in wl->places */
};

struct page {
    struct weblist *wl;
    struct report *r;
    /* Writes a part; null: parts are only counted. */
    bool (*put)(struct page *pg, uint32_t file, const struct part *f,
                struct prof_err *err);
    size_t n;               /* parts written */
    VEC(struct part) parts; /* of the current file */
    size_t n_calls;         /* inlined calls shown so far */
    uint64_t least;         /* least magnitude of a part to show */
    struct buf *json;       /* gets the parts as JSON; null: they are HTML */
    struct buf line;        /* scratch */
};

/* A line of a file, and the places on it. */
struct file_line {
    uint32_t file;
    int64_t line;
    const struct weblist_place *v;
    size_t n;
};

/* --- lines --- */

static bool put_page_value(struct page *pg, int64_t v, bool dot)
{
    struct buf *out = pg->r->out;
    const char *text = v || !dot ? report_value(pg->r, v) : ".";
    size_t n = strlen(text);
    return buf_putc(out, ' ') &&
           report_put_right(out, "", 0,
                            n < 10 ? 10 - utf8_count(text, n) : 0) &&
           html_put(out, text, n);
}

static bool put_flat_cum(struct page *pg, struct weblist_value v)
{
    return put_page_value(pg, v.flat, true) && put_page_value(pg, v.cum, true);
}

/* Returns the width of the blanks at the start of a line, in columns. */
static size_t indent_of(struct prof_slice s)
{
    size_t column = 0;
    for (size_t i = 0; i < s.n && (s.s[i] == ' ' || s.s[i] == '\t'); i++)
        column += s.s[i] == ' ' ? 1 : TAB - column % TAB;
    return column;
}

/*
 * Writes `indent` blanks and the text, with tabs expanded, padded to CODE_WIDTH
 * columns.
 */
static bool put_padded(struct page *pg, size_t indent, struct prof_slice s)
{
    struct buf *to = &pg->line;
    size_t column = indent;
    to->n = 0;
    bool ok = report_put_right(to, "", 0, indent);
    for (size_t i = 0; ok && i < s.n;) {
        size_t k = utf8_char((const uint8_t *)s.s + i, s.n - i, NULL);
        k = k ? k : 1;
        size_t width = s.s[i] == '\t' ? TAB - column % TAB : 1;
        ok = s.s[i] == '\t' ? report_put_right(to, "", 0, width)
                            : buf_put(to, s.s + i, k);
        column += width;
        i += k;
    }
    size_t pad = column < CODE_WIDTH ? CODE_WIDTH - column : 0;
    return ok && report_put_right(to, "", 0, pad) &&
           html_put(pg->r->out, to->v, to->n);
}

/* Writes the place of a frame: " a.c:12". */
static bool put_file_line(struct page *pg, const struct weblist_frame *f)
{
    const struct strtab *names = &pg->wl->names;
    size_t n = strtab_len(names, f->file);
    struct buf *out = pg->r->out;
    if (!n)
        return true;
    const char *base = path_base(strtab_str(names, f->file), n, &n);
    return buf_puts(out, " <span class=\"f\">") && html_put(out, base, n) &&
           buf_printf(out, ":%" PRId64 "</span>", f->line);
}

/* Sets *text to a line of a file; text->s is null if there is none. */
static bool find_line(struct page *pg, uint32_t file, int64_t line,
                      struct prof_slice *text, struct prof_err *err)
{
    struct prof_slice name = strtab_slice(&pg->wl->names, file);
    const struct source_file *f;
    *text = (struct prof_slice){0};
    if (!name.n)
        return true;
    if (!sources_open(&pg->wl->code, name, &f, err))
        return false;
    if (!f->why)
        (void)source_line(f, line, text);
    return true;
}

/*
 * Returns the frame of the inlined call at this depth below the place, from 0.
 */
static const struct weblist_frame *
call_at(const struct page *pg, const struct weblist_place *place, size_t depth)
{
    return &pg->wl->frames.v[place->frame - 1 - depth];
}

static bool put_inlined_call(struct page *pg, const struct weblist_frame *f,
                             size_t indent, struct prof_err *err)
{
    struct prof_slice text;
    if (!find_line(pg, f->file, f->line, &text, err))
        return false;
    text = slice_trim(text);
    struct buf *out = pg->r->out;
    return (report_put_right(out, "", 0, 41) &&
            buf_puts(out, "<span class=\"call\">") &&
            put_padded(pg, indent, text) && buf_puts(out, "</span>") &&
            put_file_line(pg, f) && buf_putc(out, '\n')) ||
           err_nomem(err);
}

/*
 * Writes the inlined calls that lead to an instruction and that differ from
 * those of the last one.  Adds their depth to *indent.
 */
static bool put_inlined_calls(struct page *pg,
                              const struct weblist_place *place,
                              const struct weblist_place *last, size_t *indent,
                              struct prof_err *err)
{
    const size_t n = place->frame - place->callees, first = *indent;
    const size_t most = pg->n_calls < PAGE_CALLS ? MAX_CALLS : FEW_CALLS;
    const size_t shown = n < most ? n : most;
    size_t before = last ? last->frame - last->callees : 0;
    *indent += shown * INDENT;
    for (size_t i = 0; i < shown; i++) {
        const struct weblist_frame *f = call_at(pg, place, i);
        bool same = i < before;
        if (same) {
            const struct weblist_frame *old = call_at(pg, last, i);
            same = old->file == f->file && old->line == f->line;
        }
        if (same)
            continue;
        /* Calls below a different one differ, too. */
        before = 0;
        if (!put_inlined_call(pg, f, first + i * INDENT, err))
            return false;
        pg->n_calls++;
    }
    /* Limit the calls: inlining can be very deep. */
    return n == shown ||
           (report_put_right(pg->r->out, "", 0, 41) &&
            buf_printf(pg->r->out,
                       "<span class=\"call\">%zu more inlined call%s</span>\n",
                       n - shown, n - shown == 1 ? "" : "s")) ||
           err_nomem(err);
}

static bool put_line_code(struct page *pg, const struct file_line *l,
                          size_t indent, struct prof_err *err)
{
    const struct weblist_inst *insts = pg->wl->insts.v;
    const struct weblist_place *v = l->v;
    struct buf *out = pg->r->out;
    for (size_t i = 0; i < l->n; i++) {
        size_t column = indent;
        const struct weblist_inst *inst = &insts[v[i].inst];
        const struct weblist_inst *last = i ? &insts[v[i - 1].inst] : NULL;
        /* Marks a gap in the addresses; source lines have no addresses. */
        bool gap = last && inst->address != last->address + last->length &&
                   !(pg->json && inst->mapping == PROF_NONE);
        if (gap && (!report_put_right(out, "", 0, 37) ||
                    !buf_puts(out, "\xe2\x8b\xae\n")))
            return err_nomem(err);
        if (!put_inlined_calls(pg, &v[i], i ? &v[i - 1] : NULL, &column, err))
            return false;
        if (inst->mapping == PROF_NONE)
            continue;
        const struct prof_slice text = {
            (const char *)pg->wl->text.v + inst->text, inst->text_n};
        const struct weblist_frame *own =
            inst->n_frames ? &pg->wl->frames.v[inst->frame] : NULL;
        if (!report_put_right(out, "", 0, 8) ||
            !put_flat_cum(pg, inst->value) ||
            !buf_printf(out, " %8" PRIx64 ": ", inst->shown) ||
            !put_padded(pg, column, text) || (own && !put_file_line(pg, own)) ||
            !buf_putc(out, '\n'))
            return err_nomem(err);
    }
    return true;
}

/* Adds the values of the instructions at n places. */
static bool sum_places(const struct weblist *wl, const struct weblist_place *v,
                       size_t n, struct weblist_value *sum,
                       struct prof_err *err)
{
    for (size_t i = 0; i < n; i++)
        if (!weblist_add(sum, wl->insts.v[v[i].inst].value, err))
            return false;
    return true;
}

/* Least shares of the total for a line's colour. */
#define HOT 0.10
#define WARM 0.02

static const char *heat_of(const struct page *pg, struct weblist_value v)
{
    const double flat = (double)graph_abs(v.flat);
    const double total = (double)graph_abs(pg->r->total);
    return total <= 0             ? ""
           : flat >= HOT * total  ? " class=\"hot\""
           : flat >= WARM * total ? " class=\"warm\""
                                  : "";
}

/* Writes a line.  Writes nothing if it has neither text nor places. */
static bool put_page_line(struct page *pg, const struct file_line *l,
                          struct prof_err *err)
{
    static const char *const unknown =
        "<instructions with unknown line numbers>";
    struct buf *out = pg->r->out;
    struct prof_slice text;
    struct weblist_value sum = {0};
    if (!find_line(pg, l->file, l->line, &text, err) ||
        !sum_places(pg->wl, l->v, l->n, &sum, err))
        return false;
    if (!text.s && !l->n)
        return true;
    if (!text.s) {
        text.s = l->line ? "???" : unknown;
        text.n = strlen(text.s);
    }
    /* Whether the line has calls or code to open. */
    bool more = false;
    for (size_t i = 0; i < l->n; i++)
        more |= l->v[i].frame > l->v[i].callees ||
                pg->wl->insts.v[l->v[i].inst].mapping != PROF_NONE;
    const char *open = more   ? "<details><summary"
                       : l->n ? "<div"
                              : "<div class=\"nop\"";
    bool ok = buf_puts(out, open) && buf_puts(out, heat_of(pg, sum)) &&
              buf_puts(out, "><span class=\"n\">") &&
              report_put_int(out, l->line, 7) && buf_puts(out, "</span>") &&
              buf_putc(out, ' ') && put_flat_cum(pg, sum) &&
              buf_puts(out, "  ") && html_put(out, text.s, text.n) &&
              buf_puts(out, more ? "</summary><div class=\"asm\">" : "");
    if (!ok)
        return err_nomem(err);
    if (more && !put_line_code(pg, l, INDENT + indent_of(text), err))
        return false;
    return buf_puts(out, more ? "</div></details>\n" : "</div>\n") ||
           err_nomem(err);
}

/* --- the page --- */

static const char page_head[] =
    "<!DOCTYPE html>\n"
    "<html lang=\"en\">\n"
    "<head>\n"
    "<meta charset=\"utf-8\">\n"
    "<meta http-equiv=\"Content-Security-Policy\" "
    "content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
    "<title>";

/* Lines with code are <details>, which open without a script. */
static const char page_style[] =
    "</title>\n"
    "<style>\n"
    ":root { color-scheme: light dark; --dim: #6b6b6b; --code: #161;\n"
    "  --call: #117; --over: #eee; --ground: #fff; --text: #1c1e21;\n"
    "  --hot: #f6b5aa; --warm: #fbe6a8; }\n"
    "@media (prefers-color-scheme: dark) {\n"
    "  :root { --dim: #999; --code: #8d8; --call: #aaf; --over: #333;\n"
    "    --ground: #16181c; --text: #eef0f3; --hot: #702a22;\n"
    "    --warm: #574517; } }\n"
    ".functions { columns: 20em; }\n"
    "body { font: 14px sans-serif; background: var(--ground);\n"
    "  color: var(--text); }\n"
    ".code { font-family: monospace; overflow-x: auto; tab-size: 8;\n"
    "  padding-bottom: 3px; }\n"
    ".code div, summary { white-space: pre; }\n"
    "summary { list-style: none; cursor: pointer; }\n"
    "summary::-webkit-details-marker { display: none; }\n"
    "summary:hover, summary:focus { background: var(--over); }\n"
    ".hot { background: var(--hot); }\n"
    ".warm { background: var(--warm); }\n"
    ".nop, .n, .f { color: var(--dim); }\n"
    ".hot .n, .warm .n { color: inherit; }\n"
    ".asm { color: var(--code); }\n"
    ".call { color: var(--call); }\n"
    "</style>\n"
    "</head>\n"
    "<body>\n";

static bool put_page_name(struct page *pg, uint32_t id)
{
    const struct strtab *names = &pg->wl->names;
    return html_put(pg->r->out, strtab_str(names, id), strtab_len(names, id));
}

/* Writes the header of text reports and the total. */
static bool put_page_legend(struct page *pg)
{
    struct report *r = pg->r;
    struct buf text = {0}, *out = r->out;
    r->out = &text;
    bool ok = report_put_header(r) &&
              buf_printf(&text, "Total: %s\n", report_value(r, r->total));
    r->out = out;
    ok = ok && buf_puts(out, "<p class=\"legend\">");
    for (struct prof_slice left = buf_slice(&text); ok && left.n;) {
        const struct prof_slice line = slice_take_line(&left);
        ok = html_put(out, line.s, line.n) && buf_puts(out, "<br>\n");
    }
    buf_free(&text);
    return ok && buf_puts(out, "</p>\n");
}

static bool put_part_lines(struct page *pg, uint32_t file, const struct part *f,
                           struct prof_err *err)
{
    const struct weblist_place *v = pg->wl->places.v + f->first;
    size_t i = 0, n;
    for (int64_t line = f->begin; line < f->end; line++, i += n) {
        for (n = 0; i + n < f->n && v[i + n].line == line;)
            n++;
        struct file_line l = {file, line, v + i, n};
        if (!put_page_line(pg, &l, err))
            return false;
    }
    return true;
}

static bool put_part(struct page *pg, uint32_t file, const struct part *f,
                     struct prof_err *err)
{
    struct report *r = pg->r;
    char text[MEASURE_TEXT];
    if (!buf_printf(r->out, "<h2 id=\"f%zu\">", pg->n) ||
        !put_page_name(pg, f->name) ||
        !buf_puts(r->out, "</h2>\n<p class=\"file\">") ||
        !put_page_name(pg, file) ||
        !buf_puts(r->out, "</p>\n<div class=\"code\">\n<div>  Total: ") ||
        !put_page_value(pg, f->value.flat, false) ||
        !put_page_value(pg, f->value.cum, false) ||
        !buf_printf(r->out, " (flat, cum) %s</div>\n",
                    measure_percent(text, sizeof text, f->value.cum, r->total)))
        return err_nomem(err);
    if (!put_part_lines(pg, file, f, err))
        return false;
    return (buf_puts(r->out, "</div>\n") && report_flush(r)) || err_nomem(err);
}

static bool put_link(struct page *pg, uint32_t file, const struct part *f,
                     struct prof_err *err)
{
    struct buf *out = pg->r->out;
    (void)file;
    return (buf_printf(out, "<li><a href=\"#f%zu\">", pg->n) &&
            put_page_name(pg, f->name) && buf_puts(out, "</a> ") &&
            report_put_share(out, f->value.cum, pg->r->total) &&
            buf_puts(out, "</li>\n")) ||
           err_nomem(err);
}

/* Writes a part as JSON; see embed.h. */
static bool put_json_part(struct page *pg, uint32_t file, const struct part *f,
                          struct prof_err *err)
{
    struct buf *json = pg->json;
    const struct strtab *names = &pg->wl->names;
    pg->r->out->n = 0;
    if (!put_part_lines(pg, file, f, err))
        return false;
    const struct buf *html = pg->r->out;
    bool first = json->v[json->n - 1] == '[';
    return (buf_puts(json, first ? "{\"name\":" : ",\n{\"name\":") &&
            json_put_string(json, names, f->name, NULL) &&
            buf_puts(json, ",\"file\":") &&
            json_put_string(json, names, file, NULL) &&
            buf_printf(json, ",\"flat\":%" PRId64 ",\"cum\":%" PRId64,
                       f->value.flat, f->value.cum) &&
            buf_puts(json, ",\"html\":") &&
            json_put_text(json, html->v, html->n, NULL) &&
            buf_putc(json, '}')) ||
           err_nomem(err);
}

/* Returns the name of the function that a place is in. */
static uint32_t place_name(const struct weblist *wl,
                           const struct weblist_place *place)
{
    return wl->frames.v[place->frame].name;
}

/* Splits the places of a file, wl->places[first .. first + n), into parts. */
static bool find_parts(struct page *pg, size_t first, size_t n,
                       struct prof_err *err)
{
    const struct weblist *wl = pg->wl;
    pg->parts.n = 0;
    for (size_t i = first, k; i < first + n; i += k) {
        const struct weblist_place *v = &wl->places.v[i];
        for (k = 1; i + k < first + n && v[k].line == v->line;)
            k++;
        struct part *last = pg->parts.n ? &pg->parts.v[pg->parts.n - 1] : NULL;
        if (!last || v->line - last->end >= MERGE ||
            last->name != place_name(wl, v)) {
            struct part part = {
                .name = place_name(wl, v), .begin = v->line, .first = i};
            if (!vec_push(&pg->parts, part))
                return err_nomem(err);
            last = &pg->parts.v[pg->parts.n - 1];
        }
        last->end = v->line + 1;
        last->n += k;
        if (!sum_places(wl, v, k, &last->value, err))
            return false;
    }
    return true;
}

/* Adds lines before and after each part, up to the next part. */
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
            /* Line 0 means that the line is unknown. */
            *begin = *begin > EXPAND ? *begin - EXPAND : 1;
        }
    }
    v[n - 1].end += EXPAND;
}

/* Writes all parts whose value is at least pg->least. */
static bool put_parts(struct page *pg, struct prof_err *err)
{
    const struct weblist *wl = pg->wl;
    for (size_t i = 0, n; i < wl->places.n; i += n) {
        const struct weblist_place *v = &wl->places.v[i];
        for (n = 1; i + n < wl->places.n && v[n].file == v->file;)
            n++;
        if (!find_parts(pg, i, n, err))
            return false;
        expand_parts(pg->parts.v, pg->parts.n);
        for (size_t k = 0; k < pg->parts.n; k++) {
            const struct part *part = &pg->parts.v[k];
            /* clean_file() turns a missing name into ".". */
            if (!part->value.cum || graph_abs(part->value.cum) < pg->least ||
                (pg->json && slice_is(strtab_slice(&wl->names, v->file), ".")))
                continue;
            pg->n++;
            if (pg->put && !pg->put(pg, v->file, part, err))
                return false;
        }
    }
    return true;
}

/* Writes a link to each part if there are several. */
static bool put_contents(struct page *pg, struct prof_err *err)
{
    struct buf *out = pg->r->out;
    pg->n = 0;
    if (!put_parts(pg, err))
        return false;
    const bool several = pg->n > 1;
    pg->put = put_link;
    pg->n = 0;
    bool ok =
        !several ||
        ((buf_puts(out, "<ul class=\"functions\">\n") || err_nomem(err)) &&
         put_parts(pg, err) && (buf_puts(out, "</ul>\n") || err_nomem(err)));
    pg->put = put_part;
    pg->n = 0;
    return ok;
}

static bool put_page(struct page *pg, struct prof_err *err)
{
    const struct report *r = pg->r;
    struct buf *out = r->out;
    struct prof_slice binary = report_binary(r);
    struct prof_slice type = prof_text(r->p, r->p->types[r->type].type);
    if (!buf_puts(out, page_head) || !html_put(out, binary.s, binary.n) ||
        (binary.n && !buf_putc(out, ' ')) || !html_put(out, type.s, type.n) ||
        !buf_puts(out, page_style) || !put_page_legend(pg))
        return err_nomem(err);
    return put_contents(pg, err) && put_parts(pg, err) &&
           (buf_puts(out, "</body>\n</html>\n") || err_nomem(err));
}

static bool print_weblist(struct report *r, struct prof_err *err)
{
    struct weblist wl;
    struct page pg = {.wl = &wl, .r = r};
    bool ok = weblist_make(&wl, r, WEBLIST_USUAL, err) && put_page(&pg, err);
    buf_free(&pg.line);
    vec_free(&pg.parts);
    weblist_free(&wl);
    return ok;
}

bool code_embed(struct report *r, bool code, int64_t least, struct buf *out,
                struct prof_err *err)
{
    /* An empty pattern matches all functions; lines are written to a buffer. */
    struct report_opts opts = *r->opts;
    opts.pattern = "";
    struct buf lines = {0};
    struct report all = *r;
    all.opts = &opts;
    all.out = &lines;
    all.sink = NULL;
    struct weblist wl;
    struct page pg = {.wl = &wl,
                      .r = &all,
                      .put = put_json_part,
                      .least = graph_abs(least),
                      .json = out};
    bool ok = weblist_make(&wl, &all, code ? WEBLIST_MUCH : WEBLIST_LINES, err);
    bool none = !ok && err->kind == PROF_ERR_ANSWER_NO;
    ok = (ok || none) && (buf_putc(out, '[') || err_nomem(err)) &&
         (none || put_parts(&pg, err)) &&
         (buf_putc(out, ']') || err_nomem(err));
    buf_free(&lines);
    buf_free(&pg.line);
    vec_free(&pg.parts);
    weblist_free(&wl);
    return ok;
}

const struct report_format report_weblist = {
    .name = "weblist",
    .arg = "REGEX",
    .help = "write an HTML page of sources and instructions",
    .suffixes = "html htm",
    .needs = REPORT_FRAMES | REPORT_ADDRESSES | REPORT_INLINES | REPORT_WHOLE,
    .reads_files = true,
    .runs_programs = true,
    .ignores = REPORT_NO_ORDER | REPORT_NO_SIGN | REPORT_NO_PATHS |
               REPORT_NO_DETAIL | REPORT_NO_INLINING | REPORT_NO_LABELS,
    .print = print_weblist,
};
