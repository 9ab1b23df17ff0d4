#include "report/flame/flamenames.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/utf8.h"

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
static size_t place_of(const struct flame_names *names, uint32_t name)
{
    if (name >= FLAME_NO_STACK)
        return names->n_ranks + (name == FLAME_SMALL);
    return name;
}

uint32_t flame_name_number(const struct flame_names *names, uint32_t name)
{
    return names->number[place_of(names, name)];
}

struct text_slice flame_name_text(const struct flame_names *names,
                                  uint32_t number)
{
    size_t from = number ? names->end[number - 1] : 0;
    return (struct text_slice){(const char *)names->text.v + from,
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
        names->number[place_of(names, t->nodes.v[i].name)] = 1;
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

/* A name, a file and a binary as they are in the profile, for a number. */
struct source {
    struct flame_names *names;
    const struct profile *p;
    struct buf path, text; /* scratch */
};

static struct text_slice string_of(const struct profile *p, uint32_t id)
{
    return (struct text_slice){strtab_str(&p->strings, id),
                               strtab_len(&p->strings, id)};
}

static bool add(struct source *s, struct strtab *to, struct text_slice text,
                uint32_t *id)
{
    s->text.n = 0;
    return flame_put_visible(&s->text, text.s, text.n) &&
           strtab_add(to, (const char *)s->text.v, s->text.n, id);
}

static struct text_slice directory_of(struct text_slice file)
{
    while (file.n && file.s[file.n - 1] != '/')
        file.n--;
    if (file.n > 1)
        file.n--;
    return file;
}

static struct text_slice last_element(struct text_slice path)
{
    size_t n;
    const char *s = path_base(path.s, path.n, &n);
    return (struct text_slice){s, n};
}

static bool take_source(struct source *s, uint32_t number,
                        const struct flame_function *function, uint32_t binary)
{
    struct text_slice file = {"", 0}, package = {"", 0};
    if (function && function->file) {
        struct text_slice raw = string_of(s->p, function->file);
        s->path.n = 0;
        if (!path_clean(&s->path, raw.s, raw.n))
            return false;
        file = (struct text_slice){(const char *)s->path.v, s->path.n};
    }
    if (function)
        package = package_of(string_of(s->p, function->name), file);
    if (!package.n && binary)
        package = last_element(string_of(s->p, binary));
    if (!package.n)
        package = directory_of(file);
    return add(s, &s->names->files, file, &s->names->file[number]) &&
           add(s, &s->names->packages, package, &s->names->package[number]);
}

/* The frames of a location, for names that have had none. */
static bool take_location(struct source *s, const struct stackrank *f, size_t l,
                          const struct flame_function *functions, bool *seen)
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
        if (!take_source(s, number, function, binary))
            return false;
    }
    return true;
}

static bool find_sources(struct flame_names *names, const struct stackrank *f,
                         const struct flame_function *functions)
{
    struct source s = {.names = names, .p = f->nodes.p};
    bool *seen = mem_zarray(names->n, sizeof *seen);
    names->file = mem_zarray(names->n, sizeof *names->file);
    names->package = mem_zarray(names->n, sizeof *names->package);
    bool ok = seen && names->file && names->package &&
              strtab_init(&names->files) && strtab_init(&names->packages);
    for (size_t l = 0; ok && l < s.p->n_locations; l++)
        ok = take_location(&s, f, l, functions, seen);
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

static struct text_slice text_of(const struct strtab *t, uint32_t id)
{
    return (struct text_slice){strtab_str(t, id), strtab_len(t, id)};
}

struct text_slice flame_name_group(const struct flame_names *names,
                                   uint32_t number)
{
    static const struct text_slice none = {"", 0};
    if (number == names->number[place_of(names, FLAME_SMALL)])
        return none;
    switch (names->by) {
    case FLAME_BY_PACKAGE:
        return text_of(&names->packages, names->package[number]);
    case FLAME_BY_FILE:
        return text_of(&names->files, names->file[number]);
    default:
        return flame_name_text(names, number);
    }
}

bool flame_names_init(struct flame_names *names, const struct flame_tree *t,
                      const struct stackrank *f,
                      const struct flame_function *functions)
{
    *names = (struct flame_names){.n_ranks = f->names.n};
    return number_names(names, t) && write_names(names, f) &&
           find_sources(names, f, functions) && choose_colours(names);
}

void flame_names_free(struct flame_names *names)
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
