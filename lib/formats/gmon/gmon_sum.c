/* gmon_sum.c - sorts and adds the content of gmon.out files */
#include <stdlib.h>

#include "base/sort.h"
#include "formats/gmon/private.h"

static int hist_cmp(const void *va, const void *vb)
{
    const struct gmon_hist *a = va, *b = vb;
    int c = ORDER(a->low, b->low);
    c = c ? c : ORDER(a->high, b->high);
    c = c ? c : ORDER(a->n_bins, b->n_bins);
    return c ? c : ORDER(a->rate, b->rate);
}

static int arc_cmp(const struct gmon_arc *a, const struct gmon_arc *b)
{
    int c = ORDER(a->self, b->self);
    return c ? c : ORDER(a->from, b->from);
}

/* Fails if a sum of the counts of *h at a and b exceeds 64 bits. */
static bool bins_fit(const uint64_t *a, const uint64_t *b,
                     const struct gmon_hist *h, struct prof_err *err)
{
    uint64_t sum;
    for (uint32_t i = 0; i < h->n_bins; i++)
        if (__builtin_add_overflow(a[i], b[i], &sum))
            return err_input(err,
                             "bin %" PRIu32 " of histogram 0x%" PRIx64
                             "-0x%" PRIx64 " exceeds 64 bits",
                             i, h->low, h->high);
    return true;
}

static void bins_add(uint64_t *to, const uint64_t *from, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        to[i] += from[i];
}

static bool arc_add(struct gmon_arc *to, const struct gmon_arc *from,
                    struct prof_err *err)
{
    if (__builtin_add_overflow(to->count, from->count, &to->count))
        return err_input(
            err, "calls from 0x%" PRIx64 " to 0x%" PRIx64 " exceed 64 bits",
            to->from, to->self);
    return true;
}

static bool settle_hists(struct gmon *g, struct prof_err *err)
{
    struct gmon_hists *h = &g->hists;
    if (!h->n)
        return true;
    vec_sort(h, hist_cmp);
    size_t n = 1;
    for (size_t i = 1; i < h->n; i++) {
        if (hist_cmp(&h->v[n - 1], &h->v[i])) {
            h->v[n++] = h->v[i];
            continue;
        }
        uint64_t *to = g->bins.v + h->v[n - 1].bin;
        const uint64_t *from = g->bins.v + h->v[i].bin;
        if (!bins_fit(to, from, &h->v[i], err))
            return false;
        bins_add(to, from, h->v[i].n_bins);
    }
    h->n = n;
    return true;
}

/* Sorts arcs by self, then from. */
static bool sort_arcs(struct gmon_arcs *arcs, struct prof_err *err)
{
    size_t n = arcs->n;
    if (n > UINT32_MAX)
        return err_input(err, "too many arcs: %zu", n);
    struct radix_item *order = mem_array(n, 2 * sizeof *order);
    struct gmon_arc *sorted = mem_array(n, sizeof *sorted);
    if (!order || !sorted) {
        free(order);
        free(sorted);
        return err_nomem(err);
    }
    for (size_t i = 0; i < n; i++)
        order[i] =
            (struct radix_item){.key = arcs->v[i].from, .id = (uint32_t)i};
    radix_sort(order, order + n, n);
    for (size_t i = 0; i < n; i++)
        order[i].key = arcs->v[order[i].id].self;
    radix_sort(order, order + n, n);
    for (size_t i = 0; i < n; i++)
        sorted[i] = arcs->v[order[i].id];
    free(order);
    free(arcs->v);
    *arcs = (struct gmon_arcs){{sorted, n, n}};
    return true;
}

/* Sorts arcs, adds up equal ones, and drops those that are all zero. */
static bool settle_arcs(struct gmon_arcs *arcs, struct prof_err *err)
{
    size_t n = 0;
    if (arcs->n && !sort_arcs(arcs, err))
        return false;
    for (size_t i = 0; i < arcs->n; i++) {
        const struct gmon_arc *arc = &arcs->v[i];
        if (!arc->count && !arc->from && !arc->self)
            continue;
        if (!n || arc_cmp(&arcs->v[n - 1], arc))
            arcs->v[n++] = *arc;
        else if (!arc_add(&arcs->v[n - 1], arc, err))
            return false;
    }
    arcs->n = n;
    return true;
}

bool gmon_sort_and_add(struct gmon *g, struct prof_err *err)
{
    return settle_hists(g, err) && settle_arcs(&g->arcs, err) &&
           settle_arcs(&g->entries, err) && settle_arcs(&g->blocks, err);
}

/* Sets *sum to the sum of two sorted lists of arcs. */
static bool sum_arcs(struct gmon_arcs *sum, const struct gmon_arcs *a,
                     const struct gmon_arcs *b, struct prof_err *err)
{
    sum->v = mem_array(a->n + b->n, sizeof *sum->v);
    if (!sum->v)
        return err_nomem(err);
    sum->cap = a->n + b->n;
    size_t i = 0, j = 0;
    while (i < a->n || j < b->n) {
        int c = i == a->n ? 1 : j == b->n ? -1 : arc_cmp(&a->v[i], &b->v[j]);
        struct gmon_arc *to = &sum->v[sum->n++];
        *to = c > 0 ? b->v[j++] : a->v[i++];
        if (c == 0 && !arc_add(to, &b->v[j++], err))
            return false;
    }
    return true;
}

static struct gmon_hist *find_hist(const struct gmon *g,
                                   const struct gmon_hist *like)
{
    if (!g->hists.n)
        return NULL;
    return bsearch(like, g->hists.v, g->hists.n, sizeof *like, hist_cmp);
}

/* Checks sums and reserves memory, so that add_hists() cannot fail. */
static bool ready_hists(struct gmon *to, const struct gmon *from,
                        struct prof_err *err)
{
    for (size_t i = 0; i < from->hists.n; i++) {
        const struct gmon_hist *h = &from->hists.v[i];
        const struct gmon_hist *same = find_hist(to, h);
        if (same &&
            !bins_fit(to->bins.v + same->bin, from->bins.v + h->bin, h, err))
            return false;
    }
    if (!vec_reserve(&to->hists, from->hists.n) ||
        !vec_reserve(&to->bins, from->bins.n + 1))
        return err_nomem(err);
    return true;
}

static void add_hists(struct gmon *to, const struct gmon *from)
{
    size_t n_old = to->hists.n, n_new = n_old;
    for (size_t i = 0; i < from->hists.n; i++) {
        struct gmon_hist h = from->hists.v[i];
        const uint64_t *bins = from->bins.v + h.bin;
        const struct gmon_hist *same = find_hist(to, &h);
        if (same) {
            bins_add(to->bins.v + same->bin, bins, h.n_bins);
            continue;
        }
        h.bin = to->bins.n;
        if (h.n_bins)
            memcpy(to->bins.v + h.bin, bins, h.n_bins * sizeof *bins);
        to->bins.n += h.n_bins;
        to->hists.v[n_new++] = h;
    }
    to->hists.n = n_new;
    if (n_new > n_old)
        qsort(to->hists.v, n_new, sizeof *to->hists.v, hist_cmp);
}

static bool of_one_kind(const struct gmon *to, const struct gmon *from,
                        struct prof_err *err)
{
    bool library = to->family == GMON_LD_PROFILE;
    if (to->form.addr_size && from->form.addr_size &&
        (to->form.addr_size != from->form.addr_size ||
         to->form.big_endian != from->form.big_endian))
        return err_input(
            err, "%s, but %s is %s; the files come from different programs",
            gmon_form_text(from->form), to->name, gmon_form_text(to->form));
    if (to->hists.n && from->hists.n &&
        strcmp(to->dimension, from->dimension) != 0)
        return err_input(
            err, "the histogram counts '%s', but that of %s counts '%s'",
            from->dimension, to->name, to->dimension);
    /* Require the same images at the same addresses in the same order. */
    const struct gmon_images *ours = &to->images, *theirs = &from->images;
    bool same_images = ours->n == theirs->n;
    for (size_t i = 0; same_images && i < ours->n; i++)
        same_images = ours->v[i].at == theirs->v[i].at &&
                      ours->v[i].moved == theirs->v[i].moved &&
                      strcmp(ours->v[i].path, theirs->v[i].path) == 0;
    if (!same_images)
        return err_input(
            err,
            "images differ from those of %s in name or address, so addresses "
            "refer to different functions; convert the files separately",
            to->name);
    if (library != (from->family == GMON_LD_PROFILE))
        return err_input(
            err, "profile of %s, but %s is of %s; convert them separately",
            library ? "a program" : "a shared library", to->name,
            library ? "a shared library" : "a program");
    if (!library || !to->hists.n || !from->hists.n)
        return true;
    /* The range is the library's code: another range is another library. */
    const struct gmon_hist *a = to->hists.v, *b = from->hists.v;
    if (a->low != b->low || a->high != b->high)
        return err_input(err,
                         "profile of a library at 0x%" PRIx64 "-0x%" PRIx64
                         ", but %s is of one at 0x%" PRIx64 "-0x%" PRIx64,
                         b->low, b->high, to->name, a->low, a->high);
    return true;
}

bool gmon_add(struct gmon *to, struct gmon *from, const char *name,
              struct prof_err *err)
{
    struct gmon sum = {0};
    bool first = !to->name, named = first || (!to->hists.n && from->hists.n);
    sum.name = strdup(named ? name : to->name);
    if (!sum.name)
        return err_nomem(err);
    if (first) {
        gmon_free(to);
        *to = *from;
        memset(from, 0, sizeof *from);
        to->name = sum.name;
        return true;
    }
    /* Do all that can fail before *to is changed. */
    if (!of_one_kind(to, from, err) ||
        !sum_arcs(&sum.arcs, &to->arcs, &from->arcs, err) ||
        !sum_arcs(&sum.entries, &to->entries, &from->entries, err) ||
        !sum_arcs(&sum.blocks, &to->blocks, &from->blocks, err) ||
        !ready_hists(to, from, err)) {
        gmon_free(&sum);
        return false;
    }
    sum.family = named ? from->family : to->family;
    sum.form = to->form.addr_size ? to->form : from->form;
    memcpy(sum.dimension, to->hists.n ? to->dimension : from->dimension,
           sizeof sum.dimension);
    add_hists(to, from);
    sum.hists = to->hists;
    sum.bins = to->bins;
    sum.images = to->images; /* equal to those of *from */
    memset(&to->images, 0, sizeof to->images);
    memset(&to->hists, 0, sizeof to->hists);
    memset(&to->bins, 0, sizeof to->bins);
    gmon_free(to);
    *to = sum;
    return true;
}
