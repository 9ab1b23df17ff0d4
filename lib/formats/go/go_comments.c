/* go_comments.c - reads the names of frames from comments that Go writes */
#include "formats/go/go_comments.h"

#include "base/sort.h"
#include "base/vec.h"

struct go_name {
    uint64_t address;
    size_t nth; /* its position in the text */
    struct textprof_name name;
};

struct go_leaves {
    uint32_t *v; /* locations */
    size_t n, cap;
};

/* Takes the text before the next tab off *s, with the blanks after it. */
static struct prof_slice cut_field(struct prof_slice *s)
{
    struct prof_slice field = slice_take_until(s, '\t');
    *s = slice_trim_left(*s);
    return field;
}

bool go_text_comment(struct go_text *g, struct prof_err *err)
{
    struct go_name name = {.nth = g->names.n};
    struct textprof_name *frame = &name.name;
    struct prof_slice s = g->text.line, offset, line;
    if (!slice_take_prefix(&s, "#\t"))
        return true;
    s = slice_trim_left(s);
    struct prof_slice address = cut_field(&s);
    frame->function = cut_field(&s);
    frame->file = slice_trim(s);
    bool is_frame = slice_take_0xhex(&address, &name.address) && !address.n &&
                    slice_split_last(&frame->function, '+', &offset) &&
                    frame->function.n &&
                    slice_split_last(&frame->file, ':', &line) &&
                    slice_to_int(line, &frame->line);
    return !is_frame || vec_push(&g->names, name) || err_nomem(err);
}

/*
 * Names a location if comments name its address.  Several consecutive names are
 * inlined frames, up to the line that repeats the first: a recursive function
 * has the same address again.
 */
static bool name_location(struct go_text *g, uint32_t location,
                          struct prof_err *err)
{
    uint64_t address = prof_get_location(g->text.p, location).address;
    VEC(struct textprof_name) names = {0};
    bool ok = true;

    /* Find the first of the sorted names with this address. */
    const size_t first =
        sorted_below(g->names.v, g->names.n, sizeof *g->names.v, address);
    const struct go_name *v = g->names.v + first;
    for (size_t k = 0; ok && k < g->names.n - first; k++) {
        if (v[k].address != address || v[k].nth != v->nth + k ||
            (k && v[k].name.line == v->name.line &&
             slice_same(v[k].name.function, v->name.function)))
            break;
        ok = vec_push(&names, v[k].name) || err_nomem(err);
    }
    ok = ok &&
         (!names.n || textprof_name(&g->text, location, names.v, names.n, err));
    vec_free(&names);
    return ok;
}

static bool is_named(const struct go_text *g, uint32_t location)
{
    size_t n_lines;
    (void)prof_get_lines(g->text.p, location, &n_lines);
    return n_lines > 0;
}

/* Returns whether a location has a line outside of the package runtime. */
static bool is_outside(const struct go_text *g, uint32_t location)
{
    const struct profile *p = g->text.p;
    size_t n;
    const struct prof_line *lines = prof_get_lines(p, location, &n);
    for (size_t i = 0; i < n; i++) {
        struct prof_function f = prof_get_function(p, lines[i].function);
        if (!slice_begins_with(prof_get_string(p, f.name), "runtime."))
            return true;
    }
    return false;
}

static bool name_as(struct go_text *g, uint32_t location, const char *function,
                    struct prof_err *err)
{
    const struct textprof_name name = {.function = slice_of(function),
                                       .file = {function, 0}};
    return textprof_name(&g->text, location, &name, 1, err);
}

/*
 * Names the root, and collects the leaf frames of the runtime.  Go begins the
 * comments of a stack with the first frame outside of the runtime.  The root is
 * runtime.goexit: drop_frames matches the runtime, and a root without a name
 * would count as part of it, with all that it called.
 */
static bool name_root(struct go_text *g, const struct prof_sample *sample,
                      struct go_leaves *leaves, struct prof_err *err)
{
    const uint32_t *frames = sample->frames;
    size_t n = sample->n_frames, first = 0, n_named = 0;
    while (first < n && !is_outside(g, frames[first]))
        first++;
    for (size_t i = 0; i < n; i++)
        n_named += is_named(g, frames[i]);
    for (size_t i = 0; i < first && first < n; i++)
        if (!vec_push(leaves, frames[i]))
            return err_nomem(err);
    return !n_named || is_named(g, frames[n - 1]) ||
           name_as(g, frames[n - 1], "runtime.goexit", err);
}

/* Sets the lines of locations to those that comments have for the addresses. */
static bool apply_names(struct go_text *g, struct prof_err *err)
{
    const struct profile *p = g->text.p;
    struct prof_counts counts = prof_count(p);
    struct go_leaves leaves = {0};
    bool ok = true;
    if (!g->names.n)
        return true;
    if (!vec_sort_rows(&g->names))
        return err_nomem(err);
    for (size_t i = 0; i < counts.locations; i++)
        if (!name_location(g, (uint32_t)i, err))
            return false;
    for (size_t s = 0; ok && s < counts.samples; s++) {
        struct prof_sample sample = prof_get_sample(p, s);
        ok = name_root(g, &sample, &leaves, err);
    }
    /* In a heap profile, these allocate. The binary format leaves them out, and
     * drop_frames does so as soon as they have a name. */
    for (size_t i = 0; ok && g->is_heap && i < leaves.n; i++)
        ok = is_named(g, leaves.v[i]) ||
             name_as(g, leaves.v[i], "runtime.mallocgc", err);
    vec_free(&leaves);
    return ok;
}

bool go_text_begin(struct go_text *g, const struct import_input *in,
                   struct prof_err *err)
{
    *g = (struct go_text){0};
    return textprof_begin(&g->text, in->data, in->n, in->notes, err);
}

struct profile *go_text_end(struct go_text *g, bool ok,
                            const struct import_options *options,
                            bool expect_maps, struct prof_err *err)
{
    ok = ok && textprof_finish(&g->text, options->binary, expect_maps, err) &&
         (options->no_symbols || apply_names(g, err));
    vec_free(&g->names);
    return textprof_end(&g->text, ok);
}
