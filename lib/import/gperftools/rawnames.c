#include "import/gperftools/rawnames.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"

void rawnames_free(struct rawnames *names)
{
    vec_free(&names->list);
}

/* "0x401156 name" */
static bool parse_name(struct slice s, struct rawname *name)
{
    if (!slice_begins_with(s, "0x") || !slice_take_0xhex(&s, &name->address) ||
        !s.n || !ascii_is_blank(s.s[0]))
        return false;
    name->text = slice_trim(s);
    return name->text.n > 0;
}

static bool is_variable(struct slice s)
{
    return s.n && s.s[0] >= 'a' && s.s[0] <= 'z' && memchr(s.s, '=', s.n);
}

static int by_address(const void *a, const void *b)
{
    const struct rawname *x = a, *y = b;
    return (x->address > y->address) - (x->address < y->address);
}

/* By address, then by place in the file. */
static int by_place(const void *a, const void *b)
{
    const struct rawname *x = a, *y = b;
    int order = by_address(a, b);
    return order ? order : (x->text.s > y->text.s) - (x->text.s < y->text.s);
}

static void sort_and_keep_last(struct rawnames *names)
{
    struct rawname *v = names->list.v;
    size_t n = names->list.n, kept = 0;
    if (n)
        qsort(v, n, sizeof *v, by_place);
    for (size_t i = 0; i < n; i++)
        if (i + 1 == n || v[i].address != v[i + 1].address)
            v[kept++] = v[i];
    names->list.n = kept;
}

bool rawnames_read(struct rawnames *names, struct textprof *t,
                   const struct notes *notes, struct err *err)
{
    static const char binary[] = "binary=";
    size_t n_odd = 0, an_odd = 0;
    while (textprof_line(t) && !slice_begins_with(t->line, "---")) {
        struct rawname name;
        if (parse_name(t->line, &name)) {
            if (!vec_push(&names->list, name))
                return err_nomem(err);
        } else if (slice_begins_with(t->line, binary)) {
            names->binary = slice_trim(slice_from(t->line, sizeof binary - 1));
        } else if (is_variable(t->line)) {
            note_info(notes, "line %zu: a variable that is not known: %.*s",
                      t->number, textprof_quoted(t->line), t->line.s);
        } else if (n_odd++ == 0) {
            an_odd = t->number;
        }
    }
    if (!t->line.n)
        return err_set(err, ERR_INPUT,
                       "line %zu: the file ends inside of the names",
                       t->number);
    if (n_odd)
        note_loss(notes,
                  "%zu lines of the names, the first being line %zu, name no "
                  "address",
                  n_odd, an_odd);
    sort_and_keep_last(names);
    return true;
}

static const struct rawname *find(const struct rawnames *names,
                                  uint64_t address)
{
    const struct rawname key = {.address = address};
    return names->list.n ? bsearch(&key, names->list.v, names->list.n,
                                   sizeof key, by_address)
                         : NULL;
}

/* What is there in the place of a name: "??", or the address again. */
static bool is_no_name(struct slice s)
{
    if (s.n == 2 && memcmp(s.s, "??", 2) == 0)
        return true;
    return slice_begins_with(s, "0x") && slice_is_hex(slice_from(s, 2));
}

/* Adds the functions of the text, and a line for each, innermost first. */
static bool add_lines(struct profile *p, struct slice text, size_t *n_lines,
                      struct err *err)
{
    size_t first = p->n_lines;
    unsigned n_open = 0;
    while (text.n) {
        struct slice name = rawnames_take(&text, &n_open);
        if (!name.n)
            continue;
        struct prof_function f = {0};
        struct prof_line line = {0};
        if (!prof_strn(p, name.s, name.n, &f.name, err))
            return false;
        f.system_name = f.name;
        if (!prof_add_function(p, &f, &line.function, err) ||
            !prof_push_line(p, &line, err))
            return false;
    }
    for (size_t i = first, j = p->n_lines; i + 1 < j; i++) {
        struct prof_line line = p->lines[i];
        p->lines[i] = p->lines[--j];
        p->lines[j] = line;
    }
    *n_lines = p->n_lines - first;
    return true;
}

static bool name_location(struct profile *p, struct prof_location *loc,
                          struct slice text, struct err *err)
{
    size_t off = p->n_lines, n;
    if (!add_lines(p, text, &n, err))
        return false;
    loc->line_off = (uint32_t)off;
    loc->n_lines = (uint32_t)n;
    if (loc->mapping != PROF_NONE) {
        p->mappings[loc->mapping].has_functions = true;
        p->mappings[loc->mapping].has_inline_frames |= n > 1;
    }
    return true;
}

/* Which locations may stand for a return address; null: memory is out. */
static bool *returns(const struct profile *p, enum rawnames_match match)
{
    bool *is = mem_zarray(p->n_locations, sizeof *is);
    for (size_t s = 0; is && match != RAWNAMES_EXACT && s < p->n_samples; s++)
        for (size_t i = match == RAWNAMES_CALLERS; i < prof_depth(p, s); i++)
            is[prof_stack(p, s)[i]] = true;
    return is;
}

bool rawnames_apply(const struct rawnames *names, enum rawnames_match match,
                    struct profile *p, const struct notes *notes,
                    struct err *err)
{
    size_t n_without = 0;
    bool ok = true, *is_return = returns(p, match);
    if (!is_return)
        return err_nomem(err);
    for (size_t i = 0; ok && i < p->n_locations; i++) {
        struct prof_location *loc = &p->locations[i];
        if (loc->n_lines)
            continue;
        const struct rawname *name = find(names, loc->address);
        if (!name && is_return[i])
            name = find(names, loc->address + 1);
        if (name && !is_no_name(name->text))
            ok = name_location(p, loc, name->text, err);
        else
            n_without++;
    }
    free(is_return);
    if (ok && n_without)
        note_info(notes, "%zu of %zu addresses have no name in the file",
                  n_without, p->n_locations);
    return ok;
}
