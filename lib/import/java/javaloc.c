#include "import/java/javaloc.h"

#include <stdlib.h>
#include <string.h>

#include "base/slice.h"
#include "base/utf8.h"
#include "base/vec.h"

struct numbered {
    uint64_t number;
    uint32_t location;
};

/* What a line says of a location. */
struct named {
    uint64_t number;
    struct slice function, file;
    int64_t line;
};

static int by_number(const void *a, const void *b)
{
    const struct numbered *x = a, *y = b;
    return (x->number > y->number) - (x->number < y->number);
}

/* What follows the last '/'. */
static struct slice base_name(struct slice path)
{
    const char *slash = memrchr(path.s, '/', path.n);
    return slash ? slice_from(path, (size_t)(slash + 1 - path.s)) : path;
}

/*
 * "File.java:427"; a line that is negative, as of native code, or has more
 * than 64 bits is none.
 */
static bool is_file_line(struct slice s, struct named *to)
{
    const char *colon = memrchr(s.s, ':', s.n);
    if (!colon || colon == s.s)
        return false;
    struct slice digits = slice_from(s, (size_t)(colon + 1 - s.s));
    bool minus = digits.n && digits.s[0] == '-';
    if (!slice_is_decimal(slice_from(digits, minus)))
        return false;
    if (minus || !slice_take_int(&digits, &to->line))
        to->line = 0;
    to->file = slice_to(s, (size_t)(colon - s.s));
    return true;
}

/* "function (where)": the place of the blank before the last "(", or 0. */
static size_t find_where(struct slice s)
{
    if (!slice_ends_with(s, ")"))
        return 0;
    for (size_t i = s.n - 1; i > 1; i--)
        if (s.s[i] == '(' && ascii_is_blank(s.s[i - 1]))
            return i - 1;
    return 0;
}

static bool parse(struct slice s, struct named *to)
{
    *to = (struct named){0};
    s = slice_trim(s);
    if (s.n < 2 || memcmp(s.s, "0x", 2) != 0 ||
        !slice_take_0xhex(&s, &to->number) || !s.n || !ascii_is_blank(s.s[0]))
        return false;
    s = slice_trim_left(s);
    to->function = s;
    size_t k = find_where(s);
    if (k) {
        struct slice where = {s.s + k + 2, s.n - k - 3};
        to->function = slice_trim(slice_to(s, k));
        if (!is_file_line(where, to))
            to->file = base_name(where);
    } else if (memmem(s.s, s.n, "generated stub/JIT", 18)) {
        to->function = (struct slice){"STUB", 4};
    }
    return true;
}

static bool name_location(struct profile *p, struct prof_location *loc,
                          const struct named *as, struct err *err)
{
    struct prof_function f = {0};
    struct prof_line line = {.line = as->line};
    if (!prof_strn(p, as->function.s, as->function.n, &f.name, err) ||
        !prof_strn(p, as->file.s, as->file.n, &f.filename, err))
        return false;
    f.system_name = f.name;
    if (!prof_add_function(p, &f, &line.function, err))
        return false;
    if (!loc->n_lines)
        loc->line_off = (uint32_t)p->n_lines++;
    loc->n_lines = 1;
    loc->address = 0;
    p->lines[loc->line_off] = line;
    return true;
}

/* The locations of *p by their numbers. */
static struct numbered *sorted_numbers(const struct profile *p)
{
    struct numbered *v = mem_array(p->n_locations, sizeof *v);
    if (!v)
        return NULL;
    for (size_t i = 0; i < p->n_locations; i++)
        v[i] = (struct numbered){p->locations[i].address, (uint32_t)i};
    if (p->n_locations)
        qsort(v, p->n_locations, sizeof *v, by_number);
    return v;
}

/* *cut: the text ends inside of a line that names a frame. */
static bool name_all(struct slice text, const struct numbered *numbers,
                     struct profile *p, size_t *n_named, bool *cut,
                     struct err *err)
{
    struct named as;
    while (text.n) {
        if (!parse(slice_take_line(&text), &as))
            continue;
        struct numbered key = {.number = as.number};
        const struct numbered *found =
            bsearch(&key, numbers, p->n_locations, sizeof *numbers, by_number);
        if (!found)
            continue;
        struct prof_location *loc = &p->locations[found->location];
        *n_named += !loc->n_lines;
        *cut = !text.n && text.s[-1] != '\n';
        if (!name_location(p, loc, &as, err))
            return false;
    }
    return true;
}

bool javaloc_read(const char *text, size_t n, struct profile *p,
                  const struct notes *notes, struct err *err)
{
    size_t n_named = 0;
    bool cut = false;
    struct numbered *numbers = sorted_numbers(p);
    bool ok =
        numbers && vec_grow((void **)&p->lines, &p->cap_lines,
                            p->n_lines + p->n_locations, sizeof *p->lines);
    if (!ok)
        err_nomem(err);
    ok = ok &&
         name_all((struct slice){text, n}, numbers, p, &n_named, &cut, err);
    free(numbers);
    if (ok && n_named < p->n_locations)
        note_loss(notes, "%zu of %zu frames have no line that names them",
                  p->n_locations - n_named, p->n_locations);
    if (ok && cut)
        note_loss(notes, "the file ends inside of its last line, whose name "
                         "may be cut");
    return ok;
}
