/* The images of DCPI inputs: which are the same, and what they are called. */
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "import/dcpi/dcpi_join.h"

static const char unknown[] = "unknown@";

/* The last component of a path, of Unix, VMS or Windows. */
static struct dcpi_span last_part(struct dcpi_span path)
{
    size_t i = path.n;
    while (i && !ascii_is_one_of(path.s[i - 1], "/\\]"))
        i--;
    return (struct dcpi_span){path.s + i, path.n - i};
}

static bool same(struct dcpi_span a, struct dcpi_span b)
{
    return a.n == b.n && memcmp(a.s, b.s, a.n) == 0;
}

static struct dcpi_span path_or_name(const struct dcpi_file *f)
{
    return f->path.s ? f->path : f->name;
}

bool dcpi_is_unknown(const struct dcpi_file *f)
{
    size_t n = sizeof unknown - 1;
    struct dcpi_span file = path_or_name(f);
    if (!file.s)
        return false;
    struct dcpi_span base = last_part(file);
    return base.n >= n && memcmp(base.s, unknown, n) == 0;
}

/* An identifier of zeros is that of many images. */
static bool has_id(const struct dcpi_file *f)
{
    for (size_t i = 0; i < f->image.n; i++)
        if (f->image.s[i] != '0')
            return true;
    return false;
}

bool dcpi_is_nameless(const struct dcpi_file *f)
{
    return !has_id(f) && !path_or_name(f).s;
}

static bool call(struct dcpi *d, uint32_t image, struct dcpi_span text,
                 bool is_name)
{
    struct called c = {.image = image, .is_name = is_name};
    uint32_t row;
    return dcpi_name_id(d, text, &c.text) &&
           dcpi_row_of(&d->called_keys, &c, sizeof c, &row) &&
           (row < d->called.n || vec_push(&d->called, c));
}

/* Notes down what the file calls its image. */
static bool call_image(struct dcpi *d, const struct dcpi_file *f,
                       uint32_t image)
{
    struct dcpi_span file = path_or_name(f);
    if (f->image.s && !has_id(f) && !dcpi_keep_line(d, "image ", f->image))
        return false;
    if (!file.s)
        return true;
    if (dcpi_is_unknown(f)) {
        struct dcpi_span word = {unknown, sizeof unknown - 2};
        return dcpi_keep_line(d, f->path.s ? "path " : "name ", file) &&
               call(d, image, word, !f->path.s);
    }
    if (f->path.s && !call(d, image, f->path, false))
        return false;
    return !f->name.s || (f->path.s && same(f->name, last_part(f->path))) ||
           call(d, image, f->name, true);
}

static bool find_image(struct dcpi *d, const struct dcpi_file *f,
                       const struct image *im, uint32_t *index)
{
    struct image_key key = {.text_start = f->text_start, .id = im->id};
    struct dcpi_span file = path_or_name(f);
    if (!im->id && dcpi_is_unknown(f))
        file = (struct dcpi_span){unknown, sizeof unknown - 2};
    return (im->id || dcpi_name_id(d, file, &key.filename)) &&
           dcpi_row_of(&d->image_keys, &key, sizeof key, index);
}

bool dcpi_join_image(struct dcpi *d, const struct dcpi_file *f, uint32_t *index)
{
    struct image im = {.start = f->text_start,
                       .limit = f->text_start + f->text_size};
    if ((has_id(f) && !dcpi_name_id(d, f->image, &im.id)) ||
        !find_image(d, f, &im, index) || !call_image(d, f, *index))
        return false;
    d->has_nameless |= dcpi_is_nameless(f);
    for (size_t i = 0; i < f->counts.n; i++) {
        uint64_t pc = f->counts.v[i].pc;
        im.start = pc < im.start ? pc : im.start;
        if (pc >= im.limit)
            im.limit = pc <= UINT64_MAX - DCPI_INSN ? pc + DCPI_INSN : pc;
    }
    if (*index == d->images.n)
        return vec_push(&d->images, im);
    struct image *to = &d->images.v[*index];
    to->start = im.start < to->start ? im.start : to->start;
    to->limit = im.limit > to->limit ? im.limit : to->limit;
    return true;
}

/* A path before a name, and of several the least. */
static bool is_better(const struct dcpi *d, const struct called *a,
                      const struct called *b)
{
    if (a->is_name != b->is_name)
        return b->is_name;
    return strtab_cmp(&d->names, a->text, b->text) < 0;
}

static struct dcpi_span text_of(const struct dcpi *d, uint32_t id)
{
    return (struct dcpi_span){strtab_str(&d->names, id),
                              strtab_len(&d->names, id)};
}

static bool settle_names(struct dcpi *d)
{
    const struct called *v = d->called.v;
    for (size_t i = 0; i < d->called.n; i++) {
        struct image *im = &d->images.v[v[i].image];
        if (!im->called || is_better(d, &v[i], &v[im->called - 1]))
            im->called = i + 1;
    }
    for (size_t i = 0; i < d->called.n; i++) {
        struct image *im = &d->images.v[v[i].image];
        struct dcpi_span text = text_of(d, v[i].text);
        im->filename = v[im->called - 1].text;
        if (i + 1 == im->called ||
            (v[i].is_name && same(text, last_part(text_of(d, im->filename)))))
            continue;
        if (!dcpi_keep_line(d, v[i].is_name ? "name " : "path ", text))
            return false;
    }
    return true;
}

/* An image with what it is ordered by. */
struct ranked {
    const struct image *image;
    const char *what; /* it is known by */
};

static int by_rank(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    if (x->image->has_samples != y->image->has_samples)
        return x->image->has_samples ? -1 : 1;
    int c = strcmp(x->what, y->what);
    if (c)
        return c;
    if (x->image->start != y->image->start)
        return x->image->start < y->image->start ? -1 : 1;
    return (x->image->limit > y->image->limit) -
           (x->image->limit < y->image->limit);
}

bool dcpi_settle_images(struct dcpi *d)
{
    size_t n = d->images.n;
    struct image *images = d->images.v;
    struct ranked *ranked = mem_zarray(n, sizeof *ranked);
    if (!ranked || !settle_names(d)) {
        free(ranked);
        return false;
    }
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
