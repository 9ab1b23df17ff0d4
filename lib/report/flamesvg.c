/*
 * --flame=svg: a flame graph as a picture, for where no script runs
 *
 * Roots are at the top, each box lies below its caller, and children are in
 * the order of their names.  Widths are those of the page: what a node weighs
 * in all, where nothing is negative; otherwise its samples count with their
 * magnitudes, those of a difference with the greater of both sides.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "base/vec.h"
#include "report/flame.h"
#include "report/flamecolour.h"
#include "report/shortname.h"

/* Pixels; widths are hundredths of them. */
enum {
    WIDTH = 1200,
    MARGIN = 10,
    ROW = 18,
    TOP = 58,       /* title and total are above the boxes */
    BASELINE = 13,  /* of a box's text, from its top */
    PADDING = 4,    /* left and right of it */
    LETTER = 725,   /* hundredths: a letter of 12 pixels */
    MAX_ROWS = 256, /* of boxes */
    BOXES = (WIDTH - 2 * MARGIN) * 100,
};

struct picture {
    struct report *r;
    const struct flame *f;
    int64_t *weight, *now, *old; /* by node: in all */
    int64_t all, all_now, all_old;
    size_t rows, left_out; /* deeper ones */
    struct buf text;       /* scratch */
};

/* By depth, sums over the nodes behind that are not below another yet. */
struct pending {
    int64_t weight, now, old;
};

static int64_t larger(int64_t a, int64_t b)
{
    return graph_abs(a) > graph_abs(b) ? (int64_t)graph_abs(a)
                                       : (int64_t)graph_abs(b);
}

/* From the last node to the first: children come behind their parent. */
static void sum_up(struct picture *c, struct pending *at)
{
    const struct flame_tree *t = &c->f->tree;
    for (size_t i = t->nodes.n; i--;) {
        const int64_t *self = flame_self(t, i);
        int64_t old = t->diff ? self[1] : 0;
        struct pending *here = &at[t->nodes.v[i].depth], *below = here + 1;
        here->weight += c->weight[i] = below->weight + larger(*self, old);
        here->now += c->now[i] = below->now + *self;
        here->old += c->old[i] = below->old + old;
        *below = (struct pending){0};
    }
    c->all = at[0].weight;
    c->all_now = at[0].now;
    c->all_old = at[0].old;
}

static bool measure_nodes(struct picture *c)
{
    const struct flame_tree *t = &c->f->tree;
    size_t n = t->nodes.n, rows = 0;
    for (size_t i = 0; i < n; i++)
        if (rows < t->nodes.v[i].depth + (size_t)1)
            rows = t->nodes.v[i].depth + (size_t)1;
    struct pending *at = mem_zarray(rows + 1, sizeof *at);
    c->weight = mem_array(n, sizeof *c->weight);
    c->now = mem_array(n, sizeof *c->now);
    c->old = mem_array(n, sizeof *c->old);
    bool ok = at && c->weight && c->now && c->old;
    if (ok)
        sum_up(c, at);
    free(at);
    c->rows = rows < MAX_ROWS ? rows : MAX_ROWS;
    c->left_out = rows - c->rows;
    return ok;
}

/* The distance from the left, in hundredths. */
static int64_t place(const struct picture *c, int64_t before)
{
    return (int64_t)((double)before / (double)c->all * BOXES + 0.5);
}

/* The name, or what there is room for of its short form. */
static bool put_label(struct picture *c, struct text_slice name, size_t letters)
{
    struct buf *out = c->r->out;
    if (utf8_count(name.s, name.n) <= letters)
        return flame_put_escaped(out, name.s, name.n);
    c->text.n = 0;
    if (!shortname_put(&c->text, name.s, name.n))
        return false;
    struct text_slice text = {(const char *)c->text.v, c->text.n};
    if (utf8_count(text.s, text.n) <= letters)
        return flame_put_escaped(out, text.s, text.n);
    size_t n = 0;
    for (size_t i = 1; i < letters; i++)
        n += utf8_char((const uint8_t *)text.s + n, text.n - n, NULL);
    return flame_put_escaped(out, text.s, n) && buf_puts(out, "\xe2\x80\xa6");
}

/* "1.50s, 12.34%"; in a difference, "1s to 1.50s, +500ms". */
static bool put_value(struct picture *c, int64_t now, int64_t old)
{
    struct buf *out = c->r->out;
    char percent[MEASURE_TEXT];
    if (c->f->tree.diff) {
        const char *sign = now > old ? "+" : "";
        return buf_puts(out, report_value(c->r, old)) &&
               buf_puts(out, " to ") &&
               buf_puts(out, report_value(c->r, now)) &&
               buf_printf(out, ", %s", sign) &&
               buf_puts(out, report_value(c->r, now - old));
    }
    const char *share =
        measure_percent(percent, sizeof percent, now, c->all_now);
    while (*share == ' ')
        share++;
    return buf_puts(out, report_value(c->r, now)) &&
           buf_printf(out, ", %s", share);
}

/* Values have units of the profile, which can hold anything. */
static bool put_safe_value(struct picture *c, int64_t now, int64_t old)
{
    struct buf raw = {0}, *out = c->r->out;
    c->text.n = 0;
    c->r->out = &raw;
    bool ok = put_value(c, now, old);
    c->r->out = out;
    ok = ok && flame_put_visible(&c->text, raw.v, raw.n) &&
         flame_put_escaped(out, c->text.v, c->text.n);
    buf_free(&raw);
    return ok;
}

struct box {
    struct text_slice name;
    int64_t now, old;
    uint64_t n_small; /* nodes that it stands for; 0: it is one */
    size_t row;
    int64_t left, right; /* hundredths from the margin */
    uint32_t colour;
};

static bool put_box(struct picture *c, const struct box *b)
{
    struct buf *out = c->r->out;
    int64_t x = b->left + MARGIN * 100, w = b->right - b->left;
    size_t y = TOP + b->row * ROW;
    int64_t letters = (w - 2 * PADDING * 100) / LETTER;
    bool ok = buf_puts(out, "<g><title>") &&
              flame_put_escaped(out, b->name.s, b->name.n) &&
              (!b->n_small || buf_printf(out, ": %" PRIu64, b->n_small)) &&
              buf_putc(out, '\n') && put_safe_value(c, b->now, b->old) &&
              buf_printf(out,
                         "</title><rect x=\"%" PRId64 ".%02d\" y=\"%zu\" "
                         "width=\"%" PRId64 ".%02d\" height=\"%d\" "
                         "fill=\"#%06x\"/>",
                         x / 100, (int)(x % 100), y, w / 100, (int)(w % 100),
                         ROW - 1, (unsigned)b->colour);
    if (ok && letters >= 3)
        ok = buf_printf(out, "<text x=\"%" PRId64 ".%02d\" y=\"%zu\">",
                        x / 100 + PADDING, (int)(x % 100), y + BASELINE) &&
             put_label(c, b->name, (size_t)letters) && buf_puts(out, "</text>");
    return ok && buf_puts(out, "</g>\n");
}

static bool put_node(struct picture *c, size_t i, int64_t before,
                     uint64_t n_small)
{
    const struct flame_names *names = &c->f->names;
    const struct flame_node *node = &c->f->tree.nodes.v[i];
    uint32_t number = flame_name_number(names, node->name);
    uint32_t package = names->package[number];
    struct box b = {
        .name = flame_name_text(names, number),
        .now = c->now[i],
        .old = c->old[i],
        .n_small = n_small,
        .row = (size_t)node->depth + 1,
        .left = place(c, before),
        .right = place(c, before + c->weight[i]),
    };
    struct text_slice of = {strtab_str(&names->packages, package),
                            strtab_len(&names->packages, package)};
    b.colour = c->f->tree.diff ? flame_change_colour(b.now, b.old)
                               : flame_colour(of, b.name);
    return b.left == b.right || put_box(c, &b);
}

static bool put_boxes(struct picture *c)
{
    const struct flame_tree *t = &c->f->tree;
    int64_t *at = mem_zarray(c->rows + 1, sizeof *at); /* by depth: taken */
    const struct box all = {
        .name = {"all", 3},
        .now = c->all_now,
        .old = c->all_old,
        .right = BOXES,
        .colour =
            t->diff ? flame_change_colour(c->all_now, c->all_old) : FLAME_PLAIN,
    };
    bool ok = at && (!c->all || put_box(c, &all));
    for (size_t i = 0, k = 0; ok && i < t->nodes.n; i++) {
        size_t depth = t->nodes.v[i].depth;
        uint64_t n_small =
            t->nodes.v[i].name == FLAME_SMALL ? t->small.v[k++] : 0;
        if (depth >= c->rows)
            continue;
        ok = put_node(c, i, at[depth], n_small);
        at[depth + 1] = at[depth];
        at[depth] += c->weight[i];
        ok = ok && report_pass_on(c->r);
    }
    free(at);
    return ok;
}

static bool put_type(struct picture *c)
{
    const struct profile *p = c->r->p;
    uint32_t id = p->types[c->r->type].type;
    c->text.n = 0;
    return flame_put_visible(&c->text, prof_cstr(p, id),
                             strtab_len(&p->strings, id)) &&
           flame_put_escaped(c->r->out, c->text.v, c->text.n);
}

/* The type and the total, and what is to be known about the colours. */
static bool put_caption(struct picture *c)
{
    struct buf *out = c->r->out;
    bool ok = buf_printf(out, "<text x=\"%d\" y=\"46\">", MARGIN) &&
              put_type(c) && buf_puts(out, ": ") &&
              put_safe_value(c, c->all_now, c->all_old);
    if (ok && c->f->tree.diff)
        ok = buf_puts(out, "; red: more than before, blue: less");
    if (ok && c->left_out)
        ok = buf_printf(out, "; %zu deeper rows are not shown", c->left_out);
    return ok && buf_puts(out, "</text>\n");
}

static bool put_picture(struct picture *c)
{
    struct buf *out = c->r->out, title = {0};
    size_t height = TOP + (c->rows + 1) * ROW + MARGIN;
    bool ok = flame_put_title(c->r, &c->text) &&
              flame_put_escaped(&title, c->text.v, c->text.n);
    ok = ok &&
         buf_printf(out,
                    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                    "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" "
                    "height=\"%zu\" viewBox=\"0 0 %d %zu\" "
                    "font-family=\"ui-monospace, Menlo, Consolas, "
                    "'DejaVu Sans Mono', monospace\" font-size=\"12\" "
                    "fill=\"#1c1e21\">\n"
                    "<title>",
                    WIDTH, height, WIDTH, height) &&
         buf_put(out, title.v, title.n) &&
         buf_printf(out,
                    "</title>\n"
                    "<rect width=\"%d\" height=\"%zu\" fill=\"#ffffff\"/>\n"
                    "<text x=\"%d\" y=\"25\" font-size=\"17\">",
                    WIDTH, height, MARGIN) &&
         buf_put(out, title.v, title.n) && buf_puts(out, "</text>\n");
    buf_free(&title);
    return ok && put_caption(c) && put_boxes(c) && buf_puts(out, "</svg>\n");
}

/* One unit for all values would say too little of most. */
static void choose_unit(struct report *r)
{
    const char *from = r->units.from, *unit;
    (void)measure_scale(1, from, "auto", &unit);
    measure_init(&r->units, from, *unit ? "auto" : from);
}

static bool print(struct report *r, struct err *err)
{
    struct flame f;
    struct picture c = {.r = r, .f = &f};
    double given = r->opts->limits.node_fraction, half = 50.0 / BOXES;
    const struct flame_tree_opts opts = {
        .first_type = r->type,
        .n_types = 1,
        .limit = given > half ? given : half,
        .threads = r->opts->threads,
    };
    if (!strcmp(r->opts->unit, "minimum"))
        choose_unit(r);
    bool ok = flame_make(&f, r, &opts, err) &&
              ((measure_nodes(&c) && put_picture(&c)) || err_nomem(err));
    flame_free(&f);
    free(c.weight);
    free(c.now);
    free(c.old);
    buf_free(&c.text);
    return ok;
}

const struct report_format report_flame_svg = {
    .name = "flame",
    .variant = "svg",
    .needs = REPORT_FRAMES | REPORT_TRIM | REPORT_VALUES,
    .node_fraction = 50.0 / BOXES,
    .print = print,
};
