/* --weblist: lines of source, and the instructions below them. */
#include "report/code/weblist_page.h"
#include "base/utf8.h"

#include <inttypes.h>
#include <string.h>

#include "base/file.h"
#include "report/flame/html.h"

enum {
    INDENT = 4,      /* of instructions, and of each inlined call */
    CODE_WIDTH = 80, /* of instructions and inlined calls */
    TAB = 8,
    MOST_CALLS = 100, /* inlined ones that are shown above an instruction, */
    FEW_CALLS = 2,    /* and above each of a page that has so many of them: */
    PAGE_CALLS = 100000,
};

bool weblist_put_value(struct weblist_page *pg, int64_t v, bool dot)
{
    struct buf *out = pg->r->out;
    const char *text = v || !dot ? report_value(pg->r, v) : ".";
    size_t n = strlen(text);
    return buf_putc(out, ' ') &&
           report_put_right(out, "", 0,
                            n < 10 ? 10 - utf8_count(text, n) : 0) &&
           html_put(out, text, n);
}

static bool put_values(struct weblist_page *pg, int64_t flat, int64_t cum)
{
    return weblist_put_value(pg, flat, true) &&
           weblist_put_value(pg, cum, true);
}

/* Columns of blanks that a line begins with. */
static size_t indent_of(const char *s, size_t n)
{
    size_t column = 0;
    for (size_t i = 0; i < n && (s[i] == ' ' || s[i] == '\t'); i++)
        column += s[i] == ' ' ? 1 : TAB - column % TAB;
    return column;
}

/* `indent` blanks and the text, tabs as blanks, in CODE_WIDTH columns. */
static bool put_padded(struct weblist_page *pg, size_t indent, const char *s,
                       size_t n)
{
    struct buf *to = &pg->line;
    size_t column = indent;
    to->n = 0;
    bool ok = report_put_right(to, "", 0, indent);
    for (size_t i = 0; ok && i < n;) {
        size_t k = utf8_char((const uint8_t *)s + i, n - i, NULL);
        k = k ? k : 1;
        size_t width = s[i] == '\t' ? TAB - column % TAB : 1;
        ok = s[i] == '\t' ? report_put_right(to, "", 0, width)
                          : buf_put(to, s + i, k);
        column += width;
        i += k;
    }
    size_t pad = column < CODE_WIDTH ? CODE_WIDTH - column : 0;
    return ok && report_put_right(to, "", 0, pad) &&
           html_put(pg->r->out, to->v, to->n);
}

/* " a.c:12" */
static bool put_place(struct weblist_page *pg, const struct weblist_frame *f)
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

/* The line of a file, null where there is none; false: out of memory. */
static bool find_line(struct weblist_page *pg, uint32_t file, int64_t line,
                      const char **text, size_t *n, struct err *err)
{
    const struct strtab *names = &pg->wl->names;
    const struct source_file *f;
    *text = NULL;
    if (!strtab_len(names, file))
        return true;
    if (!sources_open(&pg->sources, strtab_str(names, file),
                      strtab_len(names, file), &f, err))
        return false;
    if (!f->why)
        *text = source_line(f, line, n);
    return true;
}

static bool same_call(const struct weblist_frame *a,
                      const struct weblist_frame *b)
{
    return a->file == b->file && a->line == b->line;
}

/* Where the inlined call at this depth below the place is, from 0. */
static const struct weblist_frame *call_at(const struct weblist_page *pg,
                                           const struct weblist_place *place,
                                           size_t depth)
{
    return &pg->wl->frames.v[place->frame - 1 - depth];
}

static bool put_call(struct weblist_page *pg, const struct weblist_frame *f,
                     size_t indent, struct err *err)
{
    const char *text;
    size_t n = 0;
    if (!find_line(pg, f->file, f->line, &text, &n, err))
        return false;
    while (n && ascii_is_blank(text[0])) {
        text++;
        n--;
    }
    while (n && ascii_is_blank(text[n - 1]))
        n--;
    struct buf *out = pg->r->out;
    return (report_put_right(out, "", 0, 41) &&
            buf_puts(out, "<span class=\"call\">") &&
            put_padded(pg, indent, text ? text : "", n) &&
            buf_puts(out, "</span>") && put_place(pg, f) &&
            buf_putc(out, '\n')) ||
           err_nomem(err);
}

/* How many of n inlined calls are shown. */
static size_t shown_calls(const struct weblist_page *pg, size_t n)
{
    size_t most = pg->n_calls < PAGE_CALLS ? MOST_CALLS : FEW_CALLS;
    return n < most ? n : most;
}

/* What is not shown of calls that are inlined deeper than anyone writes. */
static bool put_more_calls(struct weblist_page *pg, size_t n)
{
    return report_put_right(pg->r->out, "", 0, 41) &&
           buf_printf(pg->r->out,
                      "<span class=\"call\">%zu more inlined call%s</span>\n",
                      n, n == 1 ? "" : "s");
}

/* The inlined calls that lead to an instruction, if the last had others. */
static bool put_calls(struct weblist_page *pg,
                      const struct weblist_place *place,
                      const struct weblist_place *last, size_t indent,
                      size_t shown, struct err *err)
{
    size_t n = place->frame - place->callees;
    size_t before = last ? last->frame - last->callees : 0;
    for (size_t i = 0; i < shown; i++) {
        const struct weblist_frame *f = call_at(pg, place, i);
        if (i < before && same_call(call_at(pg, last, i), f))
            continue;
        /* What comes below another call is another one. */
        before = 0;
        if (!put_call(pg, f, indent + i * INDENT, err))
            return false;
        pg->n_calls++;
    }
    return n == shown || put_more_calls(pg, n - shown) || err_nomem(err);
}

static bool put_inst(struct weblist_page *pg, const struct weblist_place *place,
                     size_t indent)
{
    const struct weblist *wl = pg->wl;
    const struct weblist_inst *inst = &wl->insts.v[place->inst];
    struct buf *out = pg->r->out;
    const struct weblist_frame *own =
        inst->n_frames ? &wl->frames.v[inst->frame] : NULL;
    return report_put_right(out, "", 0, 8) &&
           put_values(pg, inst->flat, inst->cum) &&
           buf_printf(out, " %8" PRIx64 ": ", inst->shown) &&
           put_padded(pg, indent, (const char *)wl->text.v + inst->text,
                      inst->text_n) &&
           (!own || put_place(pg, own)) && buf_putc(out, '\n');
}

/* Code that does not follow on what is above. */
static bool put_gap(struct weblist_page *pg)
{
    return report_put_right(pg->r->out, "", 0, 37) &&
           buf_puts(pg->r->out, "\xe2\x8b\xae\n");
}

static bool put_code(struct weblist_page *pg, const struct weblist_place *v,
                     size_t n, size_t indent, struct err *err)
{
    const struct weblist_inst *insts = pg->wl->insts.v;
    for (size_t i = 0; i < n; i++) {
        const struct weblist_inst *inst = &insts[v[i].inst];
        const struct weblist_inst *last = i ? &insts[v[i - 1].inst] : NULL;
        bool gap = last && inst->address != last->address + last->length;
        if (gap && !put_gap(pg))
            return err_nomem(err);
        size_t shown = shown_calls(pg, v[i].frame - v[i].callees);
        if (!put_calls(pg, &v[i], i ? &v[i - 1] : NULL, indent, shown, err))
            return false;
        if (inst->mapping != PROF_NONE &&
            !put_inst(pg, &v[i], indent + shown * INDENT))
            return err_nomem(err);
    }
    return true;
}

/* Whether there is more to say about a line than its values. */
static bool has_details(const struct weblist_page *pg,
                        const struct weblist_place *v, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (v[i].frame > v[i].callees ||
            pg->wl->insts.v[v[i].inst].mapping != PROF_NONE)
            return true;
    return false;
}

bool weblist_sum(const struct weblist *wl, const struct weblist_place *v,
                 size_t n, int64_t *flat, int64_t *cum, struct err *err)
{
    for (size_t i = 0; i < n; i++) {
        const struct weblist_inst *inst = &wl->insts.v[v[i].inst];
        if (!weblist_add(flat, inst->flat, err) ||
            !weblist_add(cum, inst->cum, err))
            return false;
    }
    return true;
}

bool weblist_put_line(struct weblist_page *pg, uint32_t file, int64_t line,
                      const struct weblist_place *v, size_t n, struct err *err)
{
    struct buf *out = pg->r->out;
    const char *text;
    size_t len = 0;
    int64_t flat = 0, cum = 0;
    if (!find_line(pg, file, line, &text, &len, err) ||
        !weblist_sum(pg->wl, v, n, &flat, &cum, err))
        return false;
    if (!text && !n)
        return true;
    if (!text) {
        text = line ? "???" : "<instructions with unknown line numbers>";
        len = strlen(text);
    }
    size_t indent = INDENT + indent_of(text, len);
    bool more = has_details(pg, v, n);
    const char *open = more ? "<details><summary>"
                       : n  ? "<div>"
                            : "<div class=\"nop\">";
    bool ok = buf_puts(out, open) && buf_puts(out, "<span class=\"n\">") &&
              report_put_int(out, line, 7) && buf_puts(out, "</span>") &&
              buf_putc(out, ' ') && put_values(pg, flat, cum) &&
              buf_puts(out, "  ") && html_put(out, text, len) &&
              buf_puts(out, more ? "</summary><div class=\"asm\">" : "");
    if (!ok)
        return err_nomem(err);
    if (more && !put_code(pg, v, n, indent, err))
        return false;
    return buf_puts(out, more ? "</div></details>\n" : "</div>\n") ||
           err_nomem(err);
}
