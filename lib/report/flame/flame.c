/*
 * flame.c - --flame: writes a page with a flame graph that can be zoomed and
 * searched
 *
 * Its parts are in lib/report/flame/page.  This file replaces the placeholders
 * of the template (@TITLE@, @CSS@, @JS@, @PROFILE@ and so on).
 */
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/buf.h"
#include "base/parallel.h"
#include "base/slice.h"
#include "base/utf8.h"
#include "io/gzip.h"
#include "report/code/embed.h"
#include "report/escape.h"
#include "report/flame/flamepage.h"
#include "report/flame/private.h"

/*
 * The data of the page, in base64 of gzip.  If they are large, they are cut
 * into pieces, with a space between two: threads make them, and the browser may
 * inflate them, at the same time.  Numbers are unsigned LEB128 unless said
 * otherwise, those of z signed in zigzag (0, -1, 1, -2 are 0, 1, 2, 3).
 *
 *      u32, little-endian       length of the header
 *      header                   JSON, UTF-8
 *      name_file[names]         index in files + 1, or 0
 *      name_package[names]      index in packages + 1, or 0
 *      name_binary[names]       index in binaries + 1, or 0
 *      name_kind[names]         0: no frame, 1: no function, 2: a function
 *      name[nodes]              index in names, of nodes in preorder
 *      closed[nodes]            how many levels end before the node: its depth
 *                               is that of the one before, plus 1, minus this;
 *                               before the first it is -1
 *      z self[types][nodes]     what was measured in the node itself
 *      z base_self[types][nodes]    the same of the base, if there is one
 *
 * If nodes were merged, the values of all functions follow, since they cannot
 * be computed from the nodes:
 *
 *      z flat[types][names]     of samples that end in the function
 *      z base_flat[types][names]
 *      z cum[types][names]      of samples that have it in their stack
 *      z base_cum[types][names]
 *
 * The header is an object of
 *
 *      version       2
 *      title         a short name
 *      note          lines about the profile
 *      empty         why there is nothing to show; "" if there is something
 *      types         {"type", "unit"} of each value
 *      default_type  the one to show first: index in types
 *      diff          whether there is a base
 *      totals        of each type the sum of its samples' amounts
 *      signed        of each type whether values are below 0, without a base
 *      verdicts      opts.verdicts, if any: objects "change" (of flat values)
 *                    and "cumChange", which have for names of functions an
 *                    array of 0, 1: grew, or 2: fell; and text
 *      names, files, packages, binaries   strings
 *      brief         of each name its brief form; "": the name itself
 *      colour        what colours are by first: "package", "file" or "name"
 *      nodes         how many
 *      other         index of the name of merged nodes, or -1
 *      merged        how many nodes were merged into those
 *      limit         the share of the total below which they were
 *
 * PROF_ERR_INPUT when the names alone take 4 GB.
 */

/* Writes a JSON string.  The text is valid UTF-8, so nothing is replaced. */
static bool put_json(struct buf *out, struct prof_slice text)
{
    return json_put_text(out, text.s, text.n, NULL);
}

static bool put_visible_json(struct buf *out, struct buf *scratch,
                             struct prof_slice text)
{
    scratch->n = 0;
    return flame_put_visible(scratch, text.s, text.n) &&
           put_json(out, buf_slice(scratch));
}

/* Writes one side of a difference: "Old: a.pb.gz, 42s". */
static bool put_side(struct buf *out, const char *what,
                     const struct report_side *side)
{
    bool ok = buf_printf(out, "%s: ", what) &&
              utf8_put_line(out, side->name, strlen(side->name));
    if (ok && side->duration_nanos)
        ok =
            buf_puts(out, ", ") && report_put_measure(out, side->duration_nanos,
                                                      "nanoseconds", "auto");
    return ok && buf_putc(out, '\n');
}

/*
 * Writes the header of text reports as notes.  For a difference it names both
 * sides instead of the time and duration, which mean nothing there.
 */
static bool put_notes(struct report *r, const struct flame *f, struct buf *out,
                      struct buf *scratch)
{
    const struct report_opts *o = r->opts;
    const size_t type = r->type - f->tree.first_type;
    struct buf lines = {0}, *was = r->out;
    r->out = &lines;
    bool ok = !o->base.name || (put_side(&lines, "Old", &o->base) &&
                                put_side(&lines, "New", &o->minuend));
    ok = ok && (flame_is_difference(f, type) ? report_put_about(r)
                                             : report_put_header(r));
    ok = ok && report_put_filters(r) && buf_puts(out, ",\"note\":[");
    r->out = was;
    struct prof_slice left = buf_slice(&lines);
    for (bool first = true; ok && left.n; first = false)
        ok = (first || buf_putc(out, ',')) &&
             put_visible_json(out, scratch, slice_take_line(&left));
    buf_free(&lines);
    return ok && buf_putc(out, ']');
}

/* Writes the types of the tree, which may have only one of the profile's. */
static bool put_json_types(struct report *r, const struct flame_tree *t,
                           struct buf *out, struct buf *scratch)
{
    const struct prof_value_type *types = r->p->types + t->first_type;
    const struct strtab *strings = &r->p->strings;
    bool ok = buf_puts(out, ",\"types\":[");
    for (size_t i = 0; ok && i < t->n_types; i++)
        ok = buf_puts(out, i ? ",{\"type\":" : "{\"type\":") &&
             put_visible_json(out, scratch,
                              strtab_slice(strings, types[i].type)) &&
             buf_puts(out, ",\"unit\":") &&
             put_visible_json(out, scratch,
                              strtab_slice(strings, types[i].unit)) &&
             buf_putc(out, '}');
    return ok &&
           buf_printf(out, "],\"default_type\":%zu", r->type - t->first_type);
}

/* Writes by type the total, and whether values below 0 occur. */
static bool put_json_totals(struct buf *out, const struct flame_tree *t)
{
    bool ok = buf_puts(out, ",\"totals\":[");
    for (size_t i = 0; ok && i < t->n_types; i++)
        ok = buf_printf(out, "%s%" PRId64, i ? "," : "", t->total[i]);
    ok = ok && buf_puts(out, "],\"signed\":[");
    for (size_t i = 0; ok && i < t->n_types; i++)
        ok = buf_printf(out, "%s%s", i ? "," : "",
                        flame_is_signed(t, i) ? "true" : "false");
    return ok && buf_putc(out, ']');
}

/* Writes all strings except the first, which stands for none. */
static bool put_table(struct buf *out, const char *name, const struct strtab *t)
{
    bool ok = buf_printf(out, ",\"%s\":[", name);
    for (uint32_t i = 1; ok && i < t->n; i++)
        ok =
            (i == 1 || buf_putc(out, ',')) && put_json(out, strtab_slice(t, i));
    return ok && buf_putc(out, ']');
}

/* Writes the names and their brief forms, "" if it is the same. */
static bool put_json_names(struct buf *out, const struct flame_names *names,
                           struct buf *scratch)
{
    bool ok = buf_puts(out, ",\"names\":[");
    for (uint32_t i = 0; ok && i < names->n; i++)
        ok = (!i || buf_putc(out, ',')) &&
             put_json(out, flame_name_text(names, i));
    ok = ok && buf_puts(out, "],\"brief\":[");
    for (uint32_t i = 0; ok && i < names->n; i++) {
        struct prof_slice name = flame_name_text(names, i);
        scratch->n = 0;
        ok = (!i || buf_putc(out, ',')) &&
             name_put_brief(scratch, name.s, name.n);
        struct prof_slice brief = buf_slice(scratch);
        if (slice_same(brief, name))
            brief.n = 0;
        ok = ok && put_json(out, brief);
    }
    return ok && buf_putc(out, ']');
}

static bool put_header(struct report *r, const struct flame *f, struct buf *out)
{
    static const char *const by[] = {[FLAME_BY_PACKAGE] = "package",
                                     [FLAME_BY_FILE] = "file",
                                     [FLAME_BY_NAME] = "name"};
    const struct flame_tree *t = &f->tree;
    struct buf title = {0}, empty = {0}, scratch = {0};
    int64_t other = t->small.n ? (int64_t)f->names.merged : -1;
    bool ok =
        flame_put_title(r, &title) &&
        flame_put_empty(r, t->total, t->n_types, &empty) &&
        buf_puts(out, "{\"version\":2,\"title\":") &&
        put_json(out, buf_slice(&title)) && put_notes(r, f, out, &scratch) &&
        put_json_types(r, t, out, &scratch) && buf_puts(out, ",\"empty\":") &&
        put_json(out, buf_slice(&empty)) && put_json_totals(out, t) &&
        buf_printf(out, ",\"diff\":%s", t->diff ? "true" : "false") &&
        (!r->opts->verdicts ||
         buf_printf(out, ",\"verdicts\":%s", r->opts->verdicts)) &&
        put_json_names(out, &f->names, &scratch) &&
        put_table(out, "files", &f->names.files) &&
        put_table(out, "packages", &f->names.packages) &&
        put_table(out, "binaries", &f->names.binaries) &&
        buf_printf(out,
                   ",\"colour\":\"%s\",\"nodes\":%zu,\"other\":%" PRId64
                   ",\"merged\":%" PRIu64 ",\"limit\":%.17g}",
                   by[f->names.by], t->nodes.n, other, t->n_merged, t->limit);
    buf_free(&title);
    buf_free(&empty);
    buf_free(&scratch);
    return ok;
}

/* --- the data, made and compressed in pieces --- */

enum {
    DATA_LEVEL = 4,  /* level 6 takes twice the time and saves 3 to 5 % */
    LARGE_LEVEL = 2, /* of data in pieces: takes 3/4 of the time, 3 % larger */
    PIECE = 1 << 20, /* numbers */
};

struct data {
    struct report *r;
    struct flame *f;
    int level;
    struct buf *to;
};

/* The columns of numbers, in the order of the description above. */
enum { FILES, PACKAGES, BINARIES, KINDS, NAMES, CLOSED, SELF };

static size_t n_columns(const struct flame_tree *t)
{
    return SELF + t->n_sums + (t->functions ? 2 * t->n_sums : 0);
}

static size_t column_length(const struct flame *f, size_t column)
{
    return column < NAMES || column >= SELF + f->tree.n_sums ? f->names.n
                                                             : f->tree.nodes.n;
}

/* Returns number i of a column, in zigzag if it is signed. */
static uint64_t number_at(const struct flame *f, size_t column, size_t i)
{
    const struct flame_tree *t = &f->tree;
    const struct flame_node *node = t->nodes.v;
    const struct flame_names *names = &f->names;
    const size_t sum = column - SELF, n_sums = t->n_sums;
    switch (column) {
    case FILES:
        return names->file[i];
    case PACKAGES:
        return names->package[i];
    case BINARIES:
        return names->binary[i];
    case KINDS:
        return names->kind[i];
    case NAMES:
        return node[i].name;
    case CLOSED:
        return i ? node[i - 1].depth + 1 - node[i].depth : 0;
    }
    if (sum < n_sums)
        return flame_zigzag(flame_self(t, i)[sum]);
    return i == names->merged
               ? 0
               : flame_zigzag(t->functions[2 * n_sums * i + sum - n_sums]);
}

/* Names the nodes, and appends what needs their names.  Meanwhile other pieces
 * are made, for which it is enough that names have numbers. */
static bool put_named(const struct data *d, struct buf *out,
                      struct prof_err *err)
{
    return ((flame_name_nodes(d->f) && buf_put(out, "\0\0\0\0", 4) &&
             put_header(d->r, d->f, out)) ||
            err_nomem(err)) &&
           flame_put_length(out, 0, err);
}

/* Appends a piece: so many numbers of all columns, and before them, in the
 * first piece, the header and the columns of names. */
static bool put_piece(const struct data *d, size_t piece, struct buf *out,
                      struct prof_err *err)
{
    size_t end = NAMES * d->f->names.n + (piece + 1) * PIECE;
    size_t i = piece ? end - PIECE : 0;
    if (!piece && !put_named(d, out, err))
        return false;
    for (size_t column = 0; column < n_columns(&d->f->tree); column++) {
        const size_t n = column_length(d->f, column);
        for (size_t k = i; k < n && k < end; k++)
            if (!buf_put_leb128(out, number_at(d->f, column, k)))
                return err_nomem(err);
        i -= i < n ? i : n;
        end -= end < n ? end : n;
    }
    return true;
}

/*
 * Appends *raw, compressed with gzip, in base64.  Frees *raw as early as
 * possible.
 */
static bool put_packed(struct buf *to, struct buf *raw, int level,
                       struct prof_err *err)
{
    struct buf packed = {0};
    struct gz *gz = gz_new();
    bool ok = (gz || err_nomem(err)) &&
              gz_deflate(gz, raw->v, raw->n, level, &packed, err);
    gz_free(gz);
    buf_free(raw);
    ok = ok && (buf_put_base64(to, packed.v, packed.n) || err_nomem(err));
    buf_free(&packed);
    return ok;
}

static bool make_piece(void *ctx, unsigned thread, size_t piece,
                       struct buf *base64, struct prof_err *err)
{
    const struct data *d = ctx;
    struct buf raw = {0};
    (void)thread;
    bool ok = ((!piece || buf_putc(base64, ' ')) || err_nomem(err)) &&
              put_piece(d, piece, &raw, err) &&
              put_packed(base64, &raw, d->level, err);
    buf_free(&raw);
    return ok;
}

static bool take_piece(void *ctx, size_t piece, struct buf *base64,
                       struct prof_err *err)
{
    const struct data *d = ctx;
    (void)piece;
    return buf_put(d->to, base64->v, base64->n) || err_nomem(err);
}

/* Appends the data, compressed with gzip, in base64. */
static bool put_data(struct report *r, struct flame *f, struct buf *to,
                     struct prof_err *err)
{
    size_t n = 0;
    for (size_t column = NAMES; column < n_columns(&f->tree); column++)
        n += column_length(f, column);
    n = n / PIECE + 1;
    struct data d = {r, f, n > 1 ? LARGE_LEVEL : DATA_LEVEL, to};
    const struct inorder_job job = {n, make_piece, take_piece, &d};
    struct inorder *o = inorder_new(r->opts->threads);
    bool ok = (o || err_nomem(err)) && inorder_run(o, &job, err);
    inorder_free(o);
    return ok;
}

/* The page has sources only for functions with at least this share. */
#define CODE_FRACTION 0.005

/* Nodes that a browser can open in a few seconds; more are merged. */
#define MOST_NODES ((size_t)4 << 20)

struct part {
    const char *word;
    const void *v;
    size_t n;
};

/* Replaces the words of the template, which are in the order of parts[]. */
static bool fill_in(struct buf *out, const struct part *parts)
{
    const char *at = (const char *)flamepage_html, *end = at + flamepage_html_n;
    for (; parts->word; parts++) {
        const size_t n = strlen(parts->word);
        const char *from = at;
        while (n < (size_t)(end - at) && memcmp(at, parts->word, n) != 0)
            at++;
        if (!buf_put(out, from, (size_t)(at - from)) ||
            !buf_put(out, parts->v, parts->n))
            return false;
        at += n;
    }
    return buf_put(out, at, (size_t)(end - at));
}

/* The data of the page, in base64. */
struct content {
    struct buf profile, labels, code;
};

static bool put_page(struct report *r, const struct content *content)
{
    struct buf title = {0}, escaped = {0};
    bool ok =
        flame_put_title(r, &title) && html_put(&escaped, title.v, title.n);
    const struct part parts[] = {
        {"@TITLE@", escaped.v, escaped.n},
        {"@CSS@", flamepage_css, flamepage_css_n},
        {"@PROFILE@", content->profile.v, content->profile.n},
        {"@LABELS@", content->labels.v, content->labels.n},
        {"@CODE@", content->code.v, content->code.n},
        {"@JS@", flamepage_js, flamepage_js_n},
        {0},
    };
    ok = ok && fill_in(r->out, parts);
    buf_free(&title);
    buf_free(&escaped);
    return ok;
}

/* Embeds the source code.  Call it before the profile loses its lines. */
static bool embed_code(struct report *r, struct buf *data, struct prof_err *err)
{
    const struct report_opts *o = r->opts;
    struct buf json = {0};
    int64_t least = (int64_t)ceil((double)r->total * CODE_FRACTION);
    bool ok = code_embed(r, o->with_code, least, &json, err);
    if (ok && json.n == 2)
        note_warn(r->notes, "no function has known source lines");
    ok = ok && put_packed(data, &json, DATA_LEVEL, err);
    buf_free(&json);
    return ok;
}

/*
 * Embeds the labels of the samples.  If they would enlarge the page by more
 * than half, embeds only the sums by label.
 */
static bool embed_labels(struct report *r, const struct flame *f,
                         struct content *content, struct prof_err *err)
{
    const size_t page = flamepage_html_n + flamepage_css_n + flamepage_js_n +
                        content->profile.n;
    struct buf raw = {0}, *packed = &content->labels;
    struct flame_labels *l = flame_labels_new(r, f, err);
    bool ok = l && flame_labels_put(l, false, &raw, err) &&
              (!raw.n || put_packed(packed, &raw, DATA_LEVEL, err));
    if (ok && f->tree.node_of && packed->n > page / 2) {
        packed->n = 0;
        ok = flame_labels_put(l, true, &raw, err) &&
             put_packed(packed, &raw, DATA_LEVEL, err);
    }
    flame_labels_free(l);
    buf_free(&raw);
    return ok;
}

static bool print_flame(struct report *r, struct prof_err *err)
{
    struct flame f = {0};
    struct content content = {0};
    const bool has_labels = r->p->n_labelsets > 1; /* set 0 is empty */
    double limit = r->opts->limits.node_fraction;
    const struct flame_tree_opts opts = {
        .n_types = r->p->n_types,
        .limit = limit > DBL_MIN ? limit : 0,
        .most = limit > 0 ? MOST_NODES : 0,
        .functions = true,
        .node_of = has_labels,
        .subtracted = r->opts->base.name,
        .unnamed = true,
    };
    bool ok = (!r->opts->with_source || embed_code(r, &content.code, err)) &&
              flame_make(&f, r, &opts, err) &&
              put_data(r, &f, &content.profile, err) &&
              (!has_labels || embed_labels(r, &f, &content, err));
    flame_free(&f);
    ok = ok && (put_page(r, &content) || err_nomem(err));
    buf_free(&content.profile);
    buf_free(&content.labels);
    buf_free(&content.code);
    return ok;
}

const struct report_format report_flame = {
    .name = "flame",
    .arg = "[svg|text]",
    .help = "write a flame graph: an HTML page, SVG or text",
    .common = true,
    .suffixes = "html htm",
    .needs = REPORT_FRAMES | REPORT_TRIM,
    .embeds_code = true,
    .node_fraction = DBL_MIN, /* unless there are too many nodes */
    .ignores = REPORT_NO_MEAN | REPORT_NO_DIVISION | REPORT_NO_UNIT |
               REPORT_NO_ORDER | REPORT_NO_COUNT | REPORT_NO_EDGES |
               REPORT_NO_SIGN | REPORT_NO_PATHS,
    .print = print_flame,
};
