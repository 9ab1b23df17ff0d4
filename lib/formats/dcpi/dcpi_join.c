/* dcpi_join.c - adds DCPI inputs: images, labels, events, counts */
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/sort.h"
#include "formats/dcpi/private.h"

static bool intern(struct dcpi *d, struct prof_slice s, uint32_t *id)
{
    return strtab_add(&d->names, s.s ? s.s : "", s.n, id);
}

/* Adds the comment "# dcpi:WORD LINE", unless an input had it already. */
static bool add_comment(struct dcpi *d, const char *word,
                        struct prof_slice line)
{
    struct buf text = {0};
    uint32_t id;
    bool ok = buf_puts(&text, "# dcpi:") && buf_puts(&text, word) &&
              buf_put(&text, line.s, line.n);
    const uint32_t known = d->comment_seen.n;
    ok = ok && strtab_add(&d->comment_seen, (char *)text.v, text.n, &id) &&
         ((id < known && !d->ctx.opts->header_only) ||
          vec_push(&d->comments, id));
    buf_free(&text);
    return ok;
}

/* --- images: which are the same, and their names */

/* Returns whether the image has an ID; one of zeros identifies nothing. */
static bool has_id(const struct dcpi_file *f)
{
    for (size_t i = 0; i < f->image.n; i++)
        if (f->image.s[i] != '0')
            return true;
    return false;
}

static bool is_nameless(const struct dcpi_file *f)
{
    return !has_id(f) && !dcpi_path_or_name(f).s;
}

static bool add_image_name(struct dcpi *d, uint32_t image,
                           struct prof_slice text, bool is_name)
{
    struct image_name c = {.image = image, .is_name = is_name};
    uint32_t row;
    return intern(d, text, &c.text) &&
           map_push(&d->image_name_keys, &d->image_names, &c, sizeof c, &row,
                    c);
}

/* Adds the path and the name that the file has for its image. */
static bool add_image_names(struct dcpi *d, const struct dcpi_file *f,
                            uint32_t image)
{
    struct prof_slice file = dcpi_path_or_name(f);
    if (f->image.s && !has_id(f) && !add_comment(d, "image ", f->image))
        return false;
    if (!file.s)
        return true;
    if (dcpi_is_unknown(f)) {
        struct prof_slice word = {"unknown", 7};
        return add_comment(d, f->path.s ? "path " : "name ", file) &&
               add_image_name(d, image, word, !f->path.s);
    }
    if (f->path.s && !add_image_name(d, image, f->path, false))
        return false;
    return !f->name.s ||
           (f->path.s && slice_same(f->name, dcpi_last_part(f->path))) ||
           add_image_name(d, image, f->name, true);
}

static bool join_image(struct dcpi *d, const struct dcpi_file *f,
                       uint32_t *index)
{
    /* Images with equal keys are one; names count only without an ID. */
    struct image_key {
        uint64_t text_start; /* of the header */
        uint32_t id, filename;
    } key = {.text_start = f->text_start};
    struct image im = {.start = f->text_start,
                       .limit = f->text_start + f->text_size};
    struct prof_slice file = dcpi_path_or_name(f);
    bool is_new;
    if (has_id(f) && !intern(d, f->image, &im.id))
        return false;
    key.id = im.id;
    if (!im.id && dcpi_is_unknown(f))
        file = (struct prof_slice){"unknown", 7};
    if ((!im.id && !intern(d, file, &key.filename)) ||
        !map_add(&d->image_keys, &key, sizeof key, index, &is_new) ||
        !add_image_names(d, f, *index))
        return false;
    d->has_nameless |= is_nameless(f);
    for (size_t i = 0; i < f->counts.n; i++) {
        uint64_t pc = f->counts.v[i].pc;
        im.start = pc < im.start ? pc : im.start;
        if (pc >= im.limit)
            im.limit = pc <= UINT64_MAX - DCPI_INSN ? pc + DCPI_INSN : pc;
    }
    if (is_new)
        return vec_push(&d->images, im);
    struct image *to = &d->images.v[*index];
    to->start = im.start < to->start ? im.start : to->start;
    to->limit = im.limit > to->limit ? im.limit : to->limit;
    return true;
}

/* Chooses a name for each image; its other names become comments. */
static bool choose_names(struct dcpi *d)
{
    const struct image_name *v = d->image_names.v;
    for (size_t i = 0; i < d->image_names.n; i++) {
        struct image *im = &d->images.v[v[i].image];
        const struct image_name *best =
            im->name_row ? &v[im->name_row - 1] : NULL;
        /* Prefer paths to names, then the first in alphabetical order. */
        if (!best || v[i].is_name < best->is_name ||
            (v[i].is_name == best->is_name &&
             strtab_cmp(&d->names, v[i].text, best->text) < 0))
            im->name_row = i + 1;
    }
    for (size_t i = 0; i < d->image_names.n; i++) {
        struct image *im = &d->images.v[v[i].image];
        struct prof_slice text = strtab_slice(&d->names, v[i].text);
        im->filename = v[im->name_row - 1].text;
        bool is_last_part =
            v[i].is_name &&
            slice_same(text,
                       dcpi_last_part(strtab_slice(&d->names, im->filename)));
        if (i + 1 != im->name_row && !is_last_part &&
            !add_comment(d, v[i].is_name ? "name " : "path ", text))
            return false;
    }
    return true;
}

/* An image and its sort key. */
struct ranked {
    const struct image *image;
    const char *what; /* its identifier or name */
};

static int by_rank(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    int c = ORDER(y->image->has_samples, x->image->has_samples);
    c = c ? c : strcmp(x->what, y->what);
    c = c ? c : ORDER(x->image->start, y->image->start);
    return c ? c : ORDER(x->image->limit, y->image->limit);
}

/*
 * Finds the images that have samples, and orders all images independently of
 * the order of the inputs.
 */
static bool order_images(struct dcpi *d)
{
    size_t n = d->images.n;
    struct image *images = d->images.v;
    struct ranked *ranked = mem_zarray(n, sizeof *ranked);
    if (!ranked)
        return false;
    for (size_t i = 0; i < d->cells.n; i++)
        images[d->cells.v[i].image].has_samples = true;
    for (size_t i = 0; i < n; i++) {
        uint32_t what = images[i].id ? images[i].id : images[i].filename;
        ranked[i] = (struct ranked){&images[i], strtab_str(&d->names, what)};
    }
    qsort(ranked, n, sizeof *ranked, by_rank);
    for (size_t i = 0; i < n; i++)
        images[ranked[i].image - images].mapping = (uint32_t)i;
    free(ranked);
    return true;
}

/* --- counts */

/* Orders cells by image, PC, group and event. */
static int by_place(const void *x, const void *y)
{
    const struct cell *a = x, *b = y;
    int c = ORDER(a->image, b->image);
    c = c ? c : ORDER(a->pc, b->pc);
    c = c ? c : ORDER(a->group, b->group);
    return c ? c : ORDER(a->event, b->event);
}

/*
 * Sorts the cells, and adds up those of the same place and event, unless the
 * sum exceeds 63 bits.
 */
static void sum_cells(struct dcpi *d)
{
    struct cell *v = d->cells.v;
    size_t n = 0;
    vec_sort(&d->cells, by_place);
    for (size_t i = 0; i < d->cells.n; i++) {
        const struct dcpi_values *from = &v[i].values;
        struct dcpi_values *to = n ? &v[n - 1].values : NULL, sum;
        if (to && by_place(&v[n - 1], &v[i]) == 0 &&
            !__builtin_add_overflow(to->samples, from->samples, &sum.samples) &&
            !__builtin_add_overflow(to->events, from->events, &sum.events) &&
            !__builtin_add_overflow(to->nanos, from->nanos, &sum.nanos))
            *to = sum;
        else
            v[n++] = v[i];
    }
    d->cells.n = n;
}

/* --- inputs */

/* Returns whether `name` is a ProfileMe counter of latencies in cycles. */
static bool is_latency(struct prof_slice name)
{
    static const char *const counters[] = {":m0inflight", ":m1inflight",
                                           ":m1retdelay", ":m3inflight"};
    for (size_t i = 0; i < sizeof counters / sizeof *counters; i++)
        if (slice_ends_with(name, counters[i]) && name.n > strlen(counters[i]))
            return true;
    return false;
}

static bool join_column(struct dcpi *d, const struct dcpi_column *col,
                        uint32_t *event)
{
    struct event ev = {.is_latency = is_latency(col->name),
                       .is_cycles = dcpi_is_cycles(col)};
    const bool scales = dcpi_has_estimate(col);

    /* Both forms of input get the comment as dcpicat prints it. */
    struct buf text = {0};
    bool ok = buf_put(&text, col->name.s, col->name.n) &&
              (!col->period ||
               buf_printf(&text, ":%llu:%llu", (unsigned long long)col->period,
                          (unsigned long long)col->fraction));
    ok = ok && add_comment(d, "event ", buf_slice(&text));
    buf_free(&text);

    uint32_t id;
    if (!ok || !strtab_add(&d->event_names, col->name.s, col->name.n, &id))
        return false;
    *event = id - 1;
    if (*event == d->events.n && !vec_push(&d->events, ev))
        return false;
    struct event *e = &d->events.v[*event];
    e->has_estimate |= scales;
    e->has_nanos |= scales && col->hz;
    e->period = col->period > e->period ? col->period : e->period;
    d->n_cycles += e->is_cycles;
    d->n_timeless += e->is_cycles && !col->hz;
    return true;
}

static bool add_cells(struct dcpi *d, const struct dcpi_file *f, uint32_t image,
                      uint32_t group, const uint32_t *event)
{
    enum { FEW = 1 << 17 }; /* fewer cells are not added up */
    if (!event)
        return true; /* no columns, no counts */
    if (!vec_reserve(&d->cells, f->counts.n))
        return false;
    for (size_t i = 0; i < f->counts.n; i++) {
        const struct dcpi_count *count = &f->counts.v[i];
        struct cell cell = {count->pc, count->values, image, group,
                            event[count->column]};
        if (cell.event != UINT32_MAX)
            d->cells.v[d->cells.n++] = cell;
    }
    if (d->cells.n < d->sum_at || d->cells.n < FEW)
        return true;
    /* Limits memory to the number of places, for any number of inputs. */
    sum_cells(d);
    d->sum_at = 2 * d->cells.n;
    return true;
}

static bool join_counts(struct dcpi *d, const struct dcpi_file *f)
{
    const struct dcpi_opts *opts = d->ctx.opts;
    uint32_t image, group;
    struct group g;
    VEC(uint32_t)
    event = {0}; /* by column of the file: its event, or
                    UINT32_MAX */
    bool ok = join_image(d, f, &image) && intern(d, f->label, &g.label) &&
              intern(d, f->platform, &g.platform) &&
              map_push(&d->group_keys, &d->groups, &g, sizeof g, &group, g);
    for (size_t i = 0; ok && i < f->columns.n; i++) {
        const struct dcpi_column *col = &f->columns.v[i];
        uint32_t index = UINT32_MAX, id;
        bool selected = opts->n_events == 0;
        for (size_t k = 0; k < opts->n_events; k++)
            selected = selected || slice_is(col->name, opts->events[k]);
        if (selected) {
            ok = join_column(d, col, &index);
        } else {
            note_info(d->ctx.notes, "event '%.*s' skipped (%llu samples)",
                      DCPI_SHOW(col->name), (unsigned long long)col->sum);
            ok = strtab_add(&d->unselected, col->name.s, col->name.n, &id);
        }
        ok = ok && vec_push(&event, index);
    }
    ok = ok && add_cells(d, f, image, group, event.v);
    vec_free(&event);
    return ok;
}

bool dcpi_join(struct dcpi *d, const struct dcpi_files *files,
               struct prof_err *err)
{
    const bool header_only = d->ctx.opts->header_only;
    bool nameless = d->has_nameless;
    for (size_t i = 0; i < files->n && !header_only; i++) {
        if (!is_nameless(&files->v[i]))
            continue;
        if (nameless)
            return err_input(err, "no image, path or name line; a profile can "
                                  "contain only one such input");
        nameless = true;
    }
    for (size_t i = 0; i < files->n && !d->broken; i++) {
        const struct dcpi_file *f = &files->v[i];
        for (size_t k = 0; k < f->comments.n && !d->broken; k++)
            d->broken = !add_comment(d, "", f->comments.v[k]);
        if (f->time_nanos && (!d->time_nanos || f->time_nanos < d->time_nanos))
            d->time_nanos = f->time_nanos;
        d->broken = d->broken || (!header_only && !join_counts(d, f));
    }
    return !d->broken || err_nomem(err);
}

bool dcpi_finish_sum(struct dcpi *d, struct prof_err *err)
{
    sum_cells(d);
    return (choose_names(d) && order_images(d)) || err_nomem(err);
}
