/* flamegraph.c - the tree of a flame graph, with names and colours */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/utf8.h"
#include "profile/text.h"
#include "report/flame/private.h"

/* Names. */

/*
 * Characters that are not seen or that put their neighbours into another
 * order, and those that XML has no place for.
 */
static bool is_hidden(uint32_t c)
{
    return (c >= 0x200b && c <= 0x200f) || (c >= 0x2028 && c <= 0x202e) ||
           (c >= 0x2066 && c <= 0x2069) || c == 0xfeff || c >> 1 == 0x7fff;
}

bool flame_put_visible(struct buf *to, const void *s, size_t n)
{
    const uint8_t *at = s;
    bool ok = true;
    for (size_t i = 0; ok && i < n;) {
        uint32_t c;
        size_t k = utf8_char(at + i, n - i, &c);
        if (k && c >= 0x20 && (c < 0x7f || c >= 0xa0) && !is_hidden(c))
            ok = buf_put(to, at + i, k);
        else if (k > 1 && c >= 0x100)
            ok = buf_printf(to, "\\u%04x", (unsigned)c);
        else
            for (size_t j = 0; ok && (j < k || !j); j++)
                ok = buf_printf(to, "\\x%02x", at[i + j]);
        i += k ? k : 1;
    }
    return ok;
}

/* Of a name, its place in `number`. */
static size_t name_place(const struct flame_names *names, uint32_t name)
{
    if (name >= FLAME_NO_STACK)
        return names->n_ranks + (name == FLAME_SMALL);
    return name;
}

uint32_t flame_name_number(const struct flame_names *names, uint32_t name)
{
    return names->number[name_place(names, name)];
}

struct slice flame_name_text(const struct flame_names *names, uint32_t number)
{
    size_t from = number ? names->end[number - 1] : 0;
    return (struct slice){(const char *)names->text.v + from,
                          names->end[number] - from};
}

/* Numbers those that are used; PROF_NONE for the others. */
static bool number_names(struct flame_names *names, const struct flame_tree *t)
{
    size_t n = names->n_ranks + 2;
    names->number = mem_zarray(n, sizeof *names->number);
    if (!names->number)
        return false;
    for (size_t i = 0; i < t->nodes.n; i++)
        names->number[name_place(names, t->nodes.v[i].name)] = 1;
    for (size_t k = 0; k < n; k++)
        names->number[k] = names->number[k] ? (uint32_t)names->n++ : PROF_NONE;
    return true;
}

static bool write_names(struct flame_names *names, const struct stackrank *f)
{
    names->end = mem_array(names->n, sizeof *names->end);
    bool ok = names->end;
    for (size_t k = 0, i = 0; ok && i < names->n; k++) {
        if (names->number[k] == PROF_NONE)
            continue;
        if (k < names->n_ranks)
            ok = flame_put_visible(&names->text,
                                   strtab_str(&f->names, f->name_of[k]),
                                   strtab_len(&f->names, f->name_of[k]));
        else
            ok = buf_puts(&names->text,
                          k == names->n_ranks ? "<no stack>" : "(too small)");
        names->end[i++] = names->text.n;
    }
    return ok;
}

/* What a frame is called, from before detail is given up. */
struct flame_function {
    uint32_t name, file; /* string ids in the profile */
};

/* A name, a file and a binary as they are in the profile, for a number. */
struct source_finder {
    struct flame_names *names;
    const struct profile *p;
    struct buf path, text; /* scratch */
};

static bool add_visible(struct source_finder *s, struct strtab *to,
                        struct slice text, uint32_t *id)
{
    s->text.n = 0;
    return flame_put_visible(&s->text, text.s, text.n) &&
           strtab_add(to, (const char *)s->text.v, s->text.n, id);
}

static struct slice directory_of(struct slice file)
{
    while (file.n && file.s[file.n - 1] != '/')
        file.n--;
    if (file.n > 1)
        file.n--;
    return file;
}

static struct slice last_element(struct slice path)
{
    size_t n;
    const char *s = path_base(path.s, path.n, &n);
    return (struct slice){s, n};
}

static bool add_source(struct source_finder *s, uint32_t number,
                       const struct flame_function *function, uint32_t binary)
{
    struct slice file = {"", 0}, package = {"", 0};
    if (function && function->file) {
        struct slice raw = prof_text(s->p, function->file);
        s->path.n = 0;
        if (!path_clean(&s->path, raw.s, raw.n))
            return false;
        file = (struct slice){(const char *)s->path.v, s->path.n};
    }
    if (function)
        package = package_of(prof_text(s->p, function->name), file);
    if (!package.n && binary)
        package = last_element(prof_text(s->p, binary));
    if (!package.n)
        package = directory_of(file);
    return add_visible(s, &s->names->files, file, &s->names->file[number]) &&
           add_visible(s, &s->names->packages, package,
                       &s->names->package[number]);
}

/* The frames of a location, for names that have had none. */
static bool add_location_sources(struct source_finder *s,
                                 const struct stackrank *f, size_t l,
                                 const struct flame_function *functions,
                                 bool *seen)
{
    const struct prof_location *at = &s->p->locations[l];
    uint32_t binary =
        at->mapping == PROF_NONE ? 0 : s->p->mappings[at->mapping].filename;
    for (uint64_t i = f->nodes.off[l]; i < f->nodes.off[l + 1]; i++) {
        uint32_t number = s->names->number[f->nodes.of[i]];
        if (number == PROF_NONE || seen[number])
            continue;
        const struct flame_function *function = NULL;
        if (at->n_lines) {
            size_t line = at->line_off + (size_t)(i - f->nodes.off[l]);
            uint32_t id = s->p->lines[line].function;
            function = id == PROF_NONE ? NULL : &functions[id];
        }
        seen[number] = true;
        if (!add_source(s, number, function, binary))
            return false;
    }
    return true;
}

static bool find_sources(struct flame_names *names, const struct stackrank *f,
                         const struct flame_function *functions)
{
    struct source_finder s = {.names = names, .p = f->nodes.p};
    bool *seen = mem_zarray(names->n, sizeof *seen);
    names->file = mem_zarray(names->n, sizeof *names->file);
    names->package = mem_zarray(names->n, sizeof *names->package);
    bool ok = seen && names->file && names->package &&
              strtab_init(&names->files) && strtab_init(&names->packages);
    for (size_t l = 0; ok && l < s.p->n_locations; l++)
        ok = add_location_sources(&s, f, l, functions, seen);
    buf_free(&s.path);
    buf_free(&s.text);
    free(seen);
    return ok;
}

/* Whether at most three quarters of the names are of one group. */
static bool is_varied(const uint32_t *group, size_t n, uint32_t n_groups,
                      uint32_t *count)
{
    size_t most = 0;
    memset(count, 0, n_groups * sizeof *count);
    for (size_t i = 0; i < n; i++)
        if (++count[group[i]] > most)
            most = count[group[i]];
    return most <= n - n / 4;
}

static bool choose_colours(struct flame_names *names)
{
    uint32_t files = names->files.n, packages = names->packages.n;
    uint32_t *count =
        mem_array(files > packages ? files : packages, sizeof *count);
    if (!count)
        return false;
    names->by = FLAME_BY_NAME;
    if (is_varied(names->package, names->n, packages, count))
        names->by = FLAME_BY_PACKAGE;
    else if (is_varied(names->file, names->n, files, count))
        names->by = FLAME_BY_FILE;
    free(count);
    return true;
}

struct slice flame_name_group(const struct flame_names *names, uint32_t number)
{
    static const struct slice none = {"", 0};
    if (number == names->number[name_place(names, FLAME_SMALL)])
        return none;
    switch (names->by) {
    case FLAME_BY_PACKAGE:
        return strtab_slice(&names->packages, names->package[number]);
    case FLAME_BY_FILE:
        return strtab_slice(&names->files, names->file[number]);
    default:
        return flame_name_text(names, number);
    }
}

static bool flame_names_init(struct flame_names *names,
                             const struct flame_tree *t,
                             const struct stackrank *f,
                             const struct flame_function *functions)
{
    *names = (struct flame_names){.n_ranks = f->names.n};
    return number_names(names, t) && write_names(names, f) &&
           find_sources(names, f, functions) && choose_colours(names);
}

static void flame_names_free(struct flame_names *names)
{
    free(names->number);
    buf_free(&names->text);
    free(names->end);
    free(names->file);
    free(names->package);
    strtab_free(&names->files);
    strtab_free(&names->packages);
    memset(names, 0, sizeof *names);
}

/* Colours. */

static uint32_t fnv1a(struct slice text)
{
    uint32_t hash = 0x811c9dc5;
    for (size_t i = 0; i < text.n; i++)
        hash = (hash ^ (uint8_t)text.s[i]) * 0x01000193;
    return hash;
}

/* One of red, green and blue: 0, 8 or 4 (https://www.w3.org/TR/css-color-4). */
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

uint32_t flame_colour(struct slice package, struct slice name)
{
    if (!package.n)
        return FLAME_PLAIN;
    double hue = fnv1a(package) % 36 * 10;
    double light = (75 + 2.2 * (fnv1a(name) % 5)) / 100;
    return rgb(channel(hue, 0.46, light, 0), channel(hue, 0.46, light, 8),
               channel(hue, 0.46, light, 4));
}

/* From one to the other. */
static uint32_t mix_channel(int from, int to, double part)
{
    return (uint32_t)(from + (to - from) * part + 0.5);
}

uint32_t flame_change_colour(double now, double old)
{
    static const int same[] = {233, 233, 236}, more[] = {235, 92, 74},
                     less[] = {84, 142, 240};
    double most = fmax(fabs(now), fabs(old));
    double change = most > 0 ? (now - old) / most : 0;
    const int *to = change > 0 ? more : less;
    double part = fmin(fabs(change), 1);
    return rgb(mix_channel(same[0], to[0], part),
               mix_channel(same[1], to[1], part),
               mix_channel(same[2], to[2], part));
}

/* All of it. */

static struct flame_function *copy_functions(const struct profile *p)
{
    struct flame_function *kept = mem_array(p->n_functions, sizeof *kept);
    for (size_t i = 0; kept && i < p->n_functions; i++)
        kept[i] = (struct flame_function){p->functions[i].name,
                                          p->functions[i].filename};
    return kept;
}

/* How many, and how much of the type that is shown. */
static void note_merged(struct report *r, const struct flame_tree *t,
                        double limit)
{
    size_t type = r->type - t->first_type;
    double held = 0;
    if (!t->small.n)
        return;
    for (size_t i = 0; i < t->nodes.n; i++)
        for (size_t k = type; k < t->n_sums; k += t->n_types)
            if (t->nodes.v[i].name == FLAME_SMALL)
                held += fabs((double)flame_self(t, i)[k]);
    note_info(r->notes,
              "%" PRIu64 " nodes below %g%% of the total are merged into %zu, "
              "which hold %.2f%% of it; %zu nodes are left",
              flame_merged(t), limit * 100, t->small.n,
              held * 100 / fmax(1, (double)t->total[type]),
              t->nodes.n - t->small.n);
}

/* Stacks of which not all frames can be shown. */
static void note_cut(const struct report *r, const struct stackrank *f)
{
    if (f->n_cut)
        note_loss(r->notes,
                  "%zu sample%s: stacks cut to the %" PRIu64
                  " outermost frames: they have up to %" PRIu64
                  ", including inlined functions, which are too many to show",
                  f->n_cut, f->n_cut == 1 ? "" : "s", f->depth, f->deepest);
}

/* Of one type, where all of them would be too much. */
static bool make_tree(struct flame *f, const struct report *r,
                      const struct flame_tree_opts *opts, struct err *err)
{
    struct flame_tree_opts one = *opts;
    if (flame_tree_init(&f->tree, &f->stacks, opts, err))
        return true;
    if (!f->tree.is_wide)
        return false;
    note_loss(r->notes,
              "only the default sample type is shown, or that of "
              "--sample-index: the stacks have too many values of %zu types",
              opts->n_types);
    flame_tree_free(&f->tree);
    one.first_type = r->type;
    one.n_types = 1;
    return flame_tree_init(&f->tree, &f->stacks, &one, err);
}

bool flame_make(struct flame *f, struct report *r,
                const struct flame_tree_opts *opts, struct err *err)
{
    memset(f, 0, sizeof *f);
    const struct stackrank_opts stacks = {.cut = true,
                                          .threads = r->opts->threads};
    struct flame_function *functions = copy_functions(r->p);
    prof_aggregate(r->p, &r->opts->detail);
    bool ok = (functions || err_nomem(err)) &&
              stackrank_init(&f->stacks, r->p, &stacks, err) &&
              make_tree(f, r, opts, err) &&
              (flame_names_init(&f->names, &f->tree, &f->stacks, functions) ||
               err_nomem(err));
    free(functions);
    if (ok)
        note_cut(r, &f->stacks);
    if (ok)
        note_merged(r, &f->tree, opts->limit);
    return ok;
}

void flame_free(struct flame *f)
{
    stackrank_free(&f->stacks);
    flame_tree_free(&f->tree);
    flame_names_free(&f->names);
}

bool flame_is_difference(const struct flame *f, size_t i)
{
    return f->tree.diff || flame_is_signed(&f->tree, i);
}

bool flame_put_empty(const struct report *r, const struct flame *f,
                     struct buf *to)
{
    for (size_t i = 0; i < f->tree.n_types; i++)
        if (f->tree.total[i])
            return true;
    if (r->p->n_samples)
        return buf_puts(to, f->tree.n_types > 1
                                ? "All values of all samples are 0."
                                : "All values of this type are 0.");
    if (r->n_read)
        return buf_printf(to, "None of %zu samples passes the filters.",
                          r->n_read);
    return buf_puts(to, r->opts->base.name ? "Nothing differs from the base."
                                           : "The profile has no samples.");
}

bool flame_put_title(struct report *r, struct buf *to)
{
    struct slice binary = report_binary(r);
    return binary.n ? flame_put_visible(to, binary.s, binary.n)
                    : buf_puts(to, "profile");
}
