/*
 * flamesvg.c - --flame=svg: writes a flame graph as a picture, without scripts
 *
 * Roots are at the top, each box lies below its caller, and children are in
 * the order of their names.
 *
 * The width of a node is its value and that of all below it, where none is
 * negative.  Otherwise each node's own values count with their amounts, those
 * of a difference with the greater of both sides, so that children always fit
 * below their parent and what has vanished is seen.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "base/vec.h"
#include "profile/columns.h"
#include "report/escape.h"
#include "report/flame/private.h"
#include "report/graph/graph.h"
#include "report/graph/nodes.h"

struct flame_weight {
    int64_t width, now, old;  /* old is 0 where there is no difference */
    int64_t count, old_count; /* samples; 0: unknown */
};

struct flame_weights {
    struct flame_weight *node; /* by node: its width and values */
    struct flame_weight all;
    double most;  /* the greatest change of a node, or of all */
    size_t depth; /* of the deepest node, plus 1; 0: there are no nodes */
};

enum { NO_COUNTS = -1 }; /* no type has the counts of samples */

/* Which of the tree's types is shown, and which has the counts of samples. */
struct flame_types {
    size_t shown;
    int counts;
};

static void add_weight(struct flame_weight *to, const struct flame_weight *w)
{
    to->width += w->width;
    to->now += w->now;
    to->old += w->old;
    to->count += w->count;
    to->old_count += w->old_count;
}

/* Returns a node's own values, as wide as the greater of both sides. */
static struct flame_weight own_weight(const struct flame_tree *t, size_t node,
                                      const struct flame_types *types)
{
    const int64_t *self = flame_self(t, node);
    const int64_t *base = t->diff ? self + t->n_types : NULL;
    struct flame_weight own = {.now = self[types->shown],
                               .old = base ? base[types->shown] : 0};
    const uint64_t now = graph_abs(own.now), old = graph_abs(own.old);
    own.width = (int64_t)(now > old ? now : old);
    if (base && types->counts != NO_COUNTS) {
        own.count = self[types->counts];
        own.old_count = base[types->counts];
    }
    return own;
}

static double change_of(const struct flame_weight *w)
{
    return (double)w->now - (double)w->old;
}

static bool weigh(struct flame_weights *w, const struct flame_tree *t,
                  const struct flame_types *types)
{
    *w = (struct flame_weights){0};
    for (size_t i = 0; i < t->nodes.n; i++)
        if (w->depth <= t->nodes.v[i].depth)
            w->depth = (size_t)t->nodes.v[i].depth + 1;
    struct flame_weight *at = mem_zarray(w->depth + 1, sizeof *at);
    w->node = mem_array(t->nodes.n, sizeof *w->node);
    if (!at || !w->node) {
        free(at);
        return false;
    }
    /*
     * From the last node to the first, so children precede their parent: at[d]
     * sums the nodes of depth d whose parent is still to come.
     */
    for (size_t i = t->nodes.n; i--;) {
        struct flame_weight *here = &at[t->nodes.v[i].depth];
        struct flame_weight *own = &w->node[i];
        *own = own_weight(t, i, types);
        add_weight(own, &here[1]);
        w->most = fmax(w->most, fabs(change_of(own)));
        here[1] = (struct flame_weight){0};
        add_weight(here, own);
    }
    w->all = at[0];
    w->most = fmax(w->most, fabs(change_of(&w->all)));
    free(at);
    return true;
}

/*
 * Colours: a hue for each of the heaviest groups of names, grey for the others,
 * and a shade for each name, which comes from a hash (FNV-1a, 32 bits,
 * http://www.isthe.com/chongo/tech/comp/fnv).  In a difference red is more and
 * blue is less.  These are the colours of both themes of page/colours.js.
 */

/* A colour as 0xrrggbb, in the light and in the dark theme. */
struct colour {
    uint32_t light, dark;
};

/* The colour of names in no group or in a light one. */
static const struct colour plain = {0xdcdfe4, 0x3a3e46};

/* Hues by rank of the group's weight. */
static const double hue_of_rank[] = {210, 30,  140, 330, 265,
                                     55,  180, 0,   95,  300};
enum { N_HUES = sizeof hue_of_rank / sizeof *hue_of_rank };

/*
 * Returns the group that determines the hue of a name; 0: none (merged nodes).
 */
static uint32_t colour_group(const struct flame_names *names, uint32_t number)
{
    if (number == names->merged)
        return 0;
    switch (names->by) {
    case FLAME_BY_PACKAGE:
        return names->package[number];
    case FLAME_BY_FILE:
        return names->file[number];
    default:
        return number + 1;
    }
}

static size_t count_groups(const struct flame_names *names)
{
    switch (names->by) {
    case FLAME_BY_PACKAGE:
        return names->packages.n;
    case FLAME_BY_FILE:
        return names->files.n;
    default:
        return names->n + 1;
    }
}

/* Sums the widths of the stacks through each group, each stack once. */
static bool weigh_groups(const struct flame *f, const struct flame_weights *w,
                         int64_t *weight)
{
    const struct flame_tree *t = &f->tree;
    uint32_t *open = mem_zarray(count_groups(&f->names), sizeof *open);
    uint32_t *path = mem_array(w->depth, sizeof *path); /* groups, by depth */
    size_t depth = 0;
    for (size_t i = 0; open && path && i < t->nodes.n; i++) {
        const struct flame_node *node = &t->nodes.v[i];
        const uint32_t group = colour_group(&f->names, node->name);
        while (depth > node->depth)
            open[path[--depth]]--;
        path[depth++] = group;
        if (!open[group]++)
            weight[group] += w->node[i].width;
    }
    const bool ok = open && path;
    free(open);
    free(path);
    return ok;
}

/* Sets ranks[i] to the i-th heaviest group, or 0 if there is none. */
static bool rank_groups(const struct flame *f, const struct flame_weights *w,
                        uint32_t ranks[N_HUES])
{
    const size_t n = count_groups(&f->names);
    int64_t *weight = mem_zarray(n, sizeof *weight);
    const bool ok = weight && weigh_groups(f, w, weight);
    for (size_t rank = 0; rank < N_HUES; rank++) {
        uint32_t heaviest = 0;
        if (ok)
            weight[0] = 0;
        for (uint32_t group = 1; ok && group < n; group++)
            if (weight[group] > weight[heaviest])
                heaviest = group;
        ranks[rank] = heaviest;
        if (ok)
            weight[heaviest] = 0;
    }
    free(weight);
    return ok;
}

static uint32_t fnv1a(struct prof_slice text)
{
    uint32_t hash = 0x811c9dc5;
    for (size_t i = 0; i < text.n; i++)
        hash = (hash ^ (uint8_t)text.s[i]) * 0x01000193;
    return hash;
}

/*
 * Returns the red (n = 0), green (8) or blue (4) of an HSL colour
 * (https://www.w3.org/TR/css-color-4).
 */
static uint32_t channel(double hue, double saturation, double light, int n)
{
    double k = fmod(n + hue / 30, 12);
    double a = saturation * fmin(light, 1 - light);
    double x = light - a * fmax(-1, fmin(fmin(k - 3, 9 - k), 1));
    return (uint32_t)(x * 255 + 0.5);
}

static uint32_t rgb(uint32_t r, uint32_t g, uint32_t b)
{
    return r << 16 | g << 8 | b;
}

static uint32_t hsl(double hue, double saturation, double light)
{
    return rgb(channel(hue, saturation, light, 0),
               channel(hue, saturation, light, 8),
               channel(hue, saturation, light, 4));
}

static struct colour colour_of_name(const uint32_t ranks[N_HUES],
                                    uint32_t group, struct prof_slice name)
{
    size_t rank = 0;
    while (rank < N_HUES && ranks[rank] != group)
        rank++;
    if (!group || rank == N_HUES)
        return plain;
    const double hue = hue_of_rank[rank], shade = fnv1a(name) % 5;
    return (struct colour){hsl(hue, 0.46, (75 + 2.2 * shade) / 100),
                           hsl(hue, 0.34, (24 + 2 * shade) / 100)};
}

/* Mixes two colours: `part` of 0 is `from`, 1 is `to`. */
static uint32_t mix(const int from[3], const int to[3], double part)
{
    uint32_t channels[3];
    for (size_t i = 0; i < 3; i++)
        channels[i] = (uint32_t)(from[i] + (to[i] - from[i]) * part + 0.5);
    return rgb(channels[0], channels[1], channels[2]);
}

/* Returns the colour of a change from -1, all blue, to 1, all red. */
static struct colour colour_of_change(double strength)
{
    /* First the light theme, then the dark one. */
    static const int same[][3] = {{233, 233, 236}, {62, 66, 73}},
                     more[][3] = {{235, 92, 74}, {178, 56, 42}},
                     less[][3] = {{84, 142, 240}, {40, 96, 190}};
    const int(*to)[3] = strength > 0 ? more : less;
    const double part = fabs(strength);
    return (struct colour){mix(same[0], to[0], part),
                           mix(same[1], to[1], part)};
}

/* --- the picture --- */

/* In pixels, but BOXES, EDGE, PADDINGS and LINED in hundredths of them. */
enum {
    WIDTH = 1200,
    MARGIN = 10,
    ROW = 18,
    TOP = 58,       /* title and total are above the boxes */
    BASELINE = 13,  /* of a box's text, below the box's top */
    PADDING = 4,    /* left and right of a box's text */
    LETTER = 725,   /* hundredths: the width of a letter */
    MAX_ROWS = 256, /* rows of boxes */
    BOXES = (WIDTH - 2 * MARGIN) * 100,
    EDGE = MARGIN * 100,
    PADDINGS = 2 * PADDING * 100,
    LINED = 200, /* the least width of a box with lines around it */
};

struct picture {
    struct report *r;
    const struct flame *f;
    struct flame_types types;
    struct flame_weights weights;
    uint32_t groups[N_HUES]; /* the heaviest groups of names */
    size_t rows, left_out;   /* rows shown, and deeper ones */
    struct buf text;         /* scratch */
};

static int64_t total_of(const struct picture *c)
{
    return c->f->tree.total[c->types.shown];
}

static bool is_difference(const struct picture *c)
{
    return flame_is_difference(c->f, c->types.shown);
}

/* Returns the distance from the left, in hundredths of a pixel. */
static int64_t x_of(const struct picture *c, int64_t before)
{
    return (int64_t)((double)before / (double)c->weights.all.width * BOXES +
                     0.5);
}

static size_t skip_letters(struct prof_slice text, size_t letters)
{
    size_t at = 0;
    while (at < text.n && letters--)
        at += utf8_char((const uint8_t *)text.s + at, text.n - at, NULL);
    return at;
}

/* The least number of characters before the ellipsis of a cut name. */
enum { LEAST_CUT = 8 };

/* Writes the text, or its beginning and an ellipsis if it is too long. */
static bool put_cut(struct buf *out, struct prof_slice text, size_t letters)
{
    const size_t n = utf8_count(text.s, text.n);
    return n <= letters
               ? html_put(out, text.s, text.n)
               : html_put(out, text.s, skip_letters(text, letters - 1)) &&
                     buf_puts(out, "\xe2\x80\xa6");
}

static bool put_change(struct picture *c, int64_t change)
{
    struct buf *out = c->r->out;
    return (change <= 0 || buf_putc(out, '+')) &&
           buf_puts(out, report_value(c->r, change));
}

/*
 * Writes the value of a box: "1.50s, 12.34%", "+1.50s, 12.34%" if values may be
 * negative, or "1s to 1.50s, +500ms" in a difference.
 */
static bool put_box_value(struct picture *c, int64_t now, int64_t old)
{
    const struct flame_tree *t = &c->f->tree;
    struct buf *out = c->r->out;
    if (t->diff)
        return buf_puts(out, report_value(c->r, old)) &&
               buf_puts(out, " to ") &&
               buf_puts(out, report_value(c->r, now)) && buf_puts(out, ", ") &&
               put_change(c, now - old);
    bool ok = flame_is_signed(t, c->types.shown)
                  ? put_change(c, now)
                  : buf_puts(out, report_value(c->r, now));
    return ok && buf_puts(out, ", ") && report_put_share(out, now, total_of(c));
}

/*
 * Writes the total; if values may be negative, "-2s net: +5s and -7s": the
 * parts that grew and shrank, whose magnitudes add up to the total.
 */
static bool put_total_value(struct picture *c, int64_t now, int64_t old)
{
    struct buf *out = c->r->out;
    if (!flame_is_signed(&c->f->tree, c->types.shown))
        return put_box_value(c, now, old);
    int64_t total = total_of(c);
    int64_t grew = now > 0 ? now + (total - now) / 2 : (total + now) / 2;
    return put_change(c, now) && buf_puts(out, " net: ") &&
           put_change(c, grew) && buf_puts(out, " and ") &&
           put_change(c, grew - total);
}

/*
 * Writes values with `put` and escapes the result, because units come from the
 * profile and may contain anything.
 */
static bool put_safely(struct picture *c, const struct flame_weight *w,
                       bool (*put)(struct picture *, int64_t, int64_t))
{
    struct buf raw = {0}, *out = c->r->out;
    c->text.n = 0;
    c->r->out = &raw;
    bool ok = put(c, w->now, w->old);
    c->r->out = out;
    ok = ok && flame_put_visible(&c->text, raw.v, raw.n) &&
         html_put(out, c->text.v, c->text.n);
    buf_free(&raw);
    return ok;
}

struct box {
    struct prof_slice name;
    const struct flame_weight *weight;
    uint64_t n_small; /* nodes that it stands for; 0: it is one */
    size_t row;
    int64_t left, right; /* hundredths from the margin */
    struct colour colour;
};

static bool put_box(struct picture *c, const struct box *b)
{
    struct buf *out = c->r->out;
    int64_t x = b->left + EDGE, w = b->right - b->left;
    size_t y = TOP + b->row * ROW;
    int64_t letters = (w - PADDINGS) / LETTER;
    bool ok =
        buf_puts(out, "<g><title>") && html_put(out, b->name.s, b->name.n) &&
        (!b->n_small || buf_printf(out, ": %" PRIu64, b->n_small)) &&
        buf_putc(out, '\n') && put_safely(c, b->weight, put_box_value) &&
        buf_printf(out,
                   "</title><rect x=\"%" PRId64 ".%02d\" y=\"%zu\" "
                   "width=\"%" PRId64 ".%02d\" height=\"%d\" "
                   "fill=\"#%06x\" style=\"--dark:#%06x\"%s/>",
                   x / 100, (int)(x % 100), y, w / 100, (int)(w % 100), ROW - 1,
                   (unsigned)b->colour.light, (unsigned)b->colour.dark,
                   w < LINED ? "" : " stroke=\"#fff\"");
    /*
     * Write as much of the name as fits, unless that is too little to be
     * useful.
     */
    c->text.n = 0;
    if (ok && letters >= 3)
        ok = name_put_fitting(&c->text, b->name, (size_t)letters);
    const struct prof_slice text = buf_slice(&c->text);
    if (ok && text.n &&
        (letters > LEAST_CUT || utf8_count(text.s, text.n) <= (size_t)letters))
        ok = buf_printf(out, "<text x=\"%" PRId64 ".%02d\" y=\"%zu\">",
                        x / 100 + PADDING, (int)(x % 100), y + BASELINE) &&
             put_cut(out, text, (size_t)letters) && buf_puts(out, "</text>");
    return ok && buf_puts(out, "</g>\n");
}

/*
 * Returns whether the change is within two standard errors: n samples, and
 * their sum, vary by the square root of n between equal runs.
 */
static bool is_chance(const struct flame_weight *w)
{
    const double now = (double)w->now, old = (double)w->old;
    const double both = (w->count ? now * now / (double)w->count : 0) +
                        (w->old_count ? old * old / (double)w->old_count : 0);
    return fabs(change_of(w)) <= 2 * sqrt(both);
}

/*
 * Returns the colour of a change.  The greatest one has the full colour, a
 * quarter of it half the colour.
 */
static struct colour colour_of_box(const struct picture *c,
                                   const struct flame_weight *w)
{
    const double change = change_of(w);
    if (change == 0 || (c->types.counts != NO_COUNTS && is_chance(w)))
        return colour_of_change(0);
    return colour_of_change(
        copysign(sqrt(fabs(change) / c->weights.most), change));
}

static bool put_node_box(struct picture *c, size_t i, int64_t before,
                         uint64_t n_small)
{
    const struct flame_names *names = &c->f->names;
    const struct flame_node *node = &c->f->tree.nodes.v[i];
    const struct flame_weight *w = &c->weights.node[i];
    struct box b = {
        .name = flame_name_text(names, node->name),
        .weight = w,
        .n_small = n_small,
        .row = (size_t)node->depth + 1,
        .left = x_of(c, before),
        .right = x_of(c, before + w->width),
    };
    b.colour = is_difference(c)
                   ? colour_of_box(c, w)
                   : colour_of_name(c->groups, colour_group(names, node->name),
                                    b.name);
    return b.left == b.right || put_box(c, &b);
}

static bool put_boxes(struct picture *c)
{
    const struct flame_tree *t = &c->f->tree;
    /* By depth: the width that boxes have taken so far. */
    int64_t *at = mem_zarray(c->rows + 1, sizeof *at);
    const struct flame_weight *total = &c->weights.all;
    const struct box all = {
        .name = {"all", 3},
        .weight = total,
        .right = BOXES,
        .colour = is_difference(c) ? colour_of_box(c, total) : plain,
    };
    bool ok = at && (!total->width || put_box(c, &all));
    for (size_t i = 0, k = 0; ok && total->width && i < t->nodes.n; i++) {
        size_t depth = t->nodes.v[i].depth;
        uint64_t n_small =
            t->nodes.v[i].name == c->f->names.merged ? t->small.v[k++] : 0;
        if (depth >= c->rows)
            continue;
        ok = put_node_box(c, i, at[depth], n_small);
        at[depth + 1] = at[depth];
        at[depth] += c->weights.node[i].width;
        ok = ok && report_flush(c->r);
    }
    free(at);
    return ok;
}

/* Writes the type, then its total or why there is nothing to show. */
static bool put_caption(struct picture *c)
{
    struct buf *out = c->r->out;
    const struct profile *p = c->r->p;
    struct prof_slice type = prof_text(p, p->types[c->r->type].type);
    c->text.n = 0;
    if (!buf_printf(out, "<text x=\"%d\" y=\"46\">", MARGIN) ||
        !flame_put_visible(&c->text, type.s, type.n) ||
        !html_put(out, c->text.v, c->text.n) || !buf_puts(out, ": "))
        return false;
    const size_t before = out->n;
    if (!flame_put_empty(c->r, c->f->tree.total + c->types.shown, 1, out))
        return false;
    if (out->n > before)
        return buf_puts(out, "</text>\n");

    /* The total, then notes on colours and rows. */
    bool ok = put_safely(c, &c->weights.all, put_total_value);
    if (ok && c->f->tree.diff)
        ok = buf_puts(out, "; red: more than before, blue: less; the greatest "
                           "change has the full color") &&
             (c->types.counts == NO_COUNTS ||
              buf_puts(out, "; gray: within two standard errors"));
    else if (ok && is_difference(c))
        ok = buf_puts(out, "; difference: red grew, blue shrank; widths and "
                           "percentages are of absolute values");
    if (ok && c->left_out)
        ok = buf_printf(out, "; %zu deeper rows are not shown", c->left_out);
    return ok && buf_puts(out, "</text>\n");
}

static bool put_legend_entry(struct picture *c, int left, struct colour colour,
                             const char *text)
{
    enum { SIDE = 12, GAP = 18 };
    return buf_printf(c->r->out,
                      "<rect x=\"%d\" y=\"13\" width=\"%d\" height=\"%d\" "
                      "fill=\"#%06x\" style=\"--dark:#%06x\"/>"
                      "<text x=\"%d\" y=\"23\">%s</text>\n",
                      left, SIDE, SIDE, (unsigned)colour.light,
                      (unsigned)colour.dark, left + GAP, text);
}

/* Writes the two colours of a difference, to the right of the title. */
static bool put_colour_legend(struct picture *c)
{
    return !is_difference(c) ||
           (put_legend_entry(c, WIDTH - 130, colour_of_change(-1), "less") &&
            put_legend_entry(c, WIDTH - 66, colour_of_change(1), "more"));
}

/* Writes the title; for a difference, with the names of both sides. */
static bool put_svg_title(struct picture *c, struct buf *to)
{
    enum { LETTERS = 100 }; /* that leave room for the legend */
    const struct report_opts *o = c->r->opts;
    const char *old = o->base.name, *now = o->minuend.name;
    c->text.n = 0;
    bool ok = flame_put_title(c->r, &c->text) &&
              (!old || (buf_puts(&c->text, ": ") &&
                        flame_put_visible(&c->text, old, strlen(old)) &&
                        buf_puts(&c->text, " to ") &&
                        flame_put_visible(&c->text, now, strlen(now))));
    return ok && put_cut(to, buf_slice(&c->text), LETTERS);
}

static bool put_picture(struct picture *c)
{
    struct buf *out = c->r->out, title = {0};
    size_t height = TOP + (c->rows + 1) * ROW + MARGIN;
    bool ok = put_svg_title(c, &title);
    ok = ok &&
         buf_printf(out,
                    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                    "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" "
                    "height=\"%zu\" viewBox=\"0 0 %d %zu\" "
                    "font-family=\"ui-monospace, Menlo, Consolas, "
                    "'DejaVu Sans Mono', monospace\" font-size=\"12\" "
                    "fill=\"#1c1e21\" stroke-width=\"0.8\">\n"
                    "<title>",
                    WIDTH, height, WIDTH, height) &&
         buf_put(out, title.v, title.n) &&
         buf_printf(out,
                    "</title>\n" REPORT_SVG_GROUND
                    "<text x=\"%d\" y=\"25\" font-size=\"17\">",
                    MARGIN) &&
         buf_put(out, title.v, title.n) && buf_puts(out, "</text>\n");
    buf_free(&title);
    return ok && put_colour_legend(c) && put_caption(c) && put_boxes(c) &&
           buf_puts(out, "</svg>\n");
}

/*
 * Chooses the types of the tree: the shown type, and for a difference all from
 * there to the one with sample counts.
 */
static bool choose_types(const struct report *r, struct flame_tree_opts *opts)
{
    bool *is_base;
    if (!graph_base_sets(r->p, &is_base))
        return false;
    const int counts = is_base ? prof_count_type(r->p, r->type) : NO_COUNTS;
    const size_t other = counts == NO_COUNTS ? r->type : (size_t)counts;
    const size_t last = other > r->type ? other : r->type;
    free(is_base);
    opts->first_type = other < r->type ? other : r->type;
    opts->n_types = last - opts->first_type + 1;
    return true;
}

/* Returns where these types are in the tree, which may have only one type. */
static struct flame_types types_of(const struct report *r,
                                   const struct flame_tree *t)
{
    const int counts = prof_count_type(r->p, r->type) - (int)t->first_type;
    const bool has_counts =
        t->diff && counts >= 0 && (size_t)counts < t->n_types;
    return (struct flame_types){r->type - t->first_type,
                                has_counts ? counts : NO_COUNTS};
}

static bool print_flame_svg(struct report *r, struct prof_err *err)
{
    struct flame f = {0};
    struct picture c = {.r = r, .f = &f};
    double given = r->opts->limits.node_fraction, half = 50.0 / BOXES;
    struct flame_tree_opts opts = {
        .limit = given > half ? given : half,
        .subtracted = r->opts->base.name,
    };
    if (!strcmp(r->opts->unit, "minimum")) {
        /* One unit for all would round most values too much. */
        const char *from = r->units.from, *unit;
        (void)measure_scale(1, from, "auto", &unit);
        measure_init(&r->units, from, *unit ? "auto" : from);
    }
    bool ok = choose_types(r, &opts) || err_nomem(err);
    ok = ok && flame_make(&f, r, &opts, err);
    if (ok)
        c.types = types_of(r, &f.tree);
    ok = ok && ((weigh(&c.weights, &f.tree, &c.types) &&
                 rank_groups(&f, &c.weights, c.groups)) ||
                err_nomem(err));
    size_t depth = c.weights.depth;
    c.rows = depth < MAX_ROWS ? depth : MAX_ROWS;
    c.left_out = depth - c.rows;
    ok = ok && (put_picture(&c) || err_nomem(err));
    flame_free(&f);
    free(c.weights.node);
    buf_free(&c.text);
    return ok;
}

const struct report_format report_flame_svg = {
    .name = "flame",
    .variant = "svg",
    .suffixes = "svg",
    .needs = REPORT_FRAMES | REPORT_TRIM,
    .node_fraction = 50.0 / BOXES,
    .ignores = REPORT_NO_MEAN | REPORT_NO_ORDER | REPORT_NO_COUNT |
               REPORT_NO_EDGES | REPORT_NO_SIGN | REPORT_NO_PATHS |
               REPORT_NO_PERCENT | REPORT_NO_LABELS,
    .print = print_flame_svg,
};
