/* flamenames.c - names the nodes of a flame graph, and finds their files and
 * packages */
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/utf8.h"
#include "profile/columns.h"
#include "report/flame/private.h"

bool flame_put_visible(struct buf *to, const void *s, size_t n)
{
    const uint8_t *at = s;
    bool ok = true;
    for (size_t i = 0; ok && i < n;) {
        uint32_t c;
        size_t k = utf8_plain(at + i, n - i);
        if (k) {
            ok = buf_put(to, at + i, k);
            i += k;
            continue;
        }
        k = utf8_char(at + i, n - i, &c);
        /*
         * Hide invisible characters, those that reorder text, and those that
         * XML does not allow.
         */
        bool is_hidden =
            k &&
            ((c >= 0x200b && c <= 0x200f) || (c >= 0x2028 && c <= 0x202e) ||
             (c >= 0x2066 && c <= 0x2069) || c == 0xfeff || c >> 1 == 0x7fff);
        if (k && c >= 0xa0 && !is_hidden)
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

struct namer {
    struct flame_names *names;
    const struct stackrank *stacks;
    const struct flame_function *functions;
    bool *seen;        /* by number: its file and package are known */
    uint32_t *file_of; /* by string id: its index in files, plus 1; or 0 */
    struct buf path, text;
};

/* Returns the element of names->number for a node's name. */
static uint32_t *number_of(const struct flame *f, uint32_t name)
{
    if (name >= FLAME_NO_STACK)
        name = f->stacks.names.n + (name == FLAME_SMALL);
    return &f->names.number[name];
}

bool flame_number_names(struct flame *f)
{
    size_t n = f->stacks.names.n + (size_t)2, n_nodes = f->tree.nodes.n;
    size_t n_values = 2 * f->tree.n_sums;
    struct flame_node *node = f->tree.nodes.v;
    int64_t *functions = f->tree.functions;
    struct flame_names *names = &f->names;
    names->number = mem_zarray(n, sizeof *names->number);
    if (!names->number)
        return false;
    for (size_t i = 0; i < n_nodes; i++)
        *number_of(f, node[i].name) = 1;
    for (size_t k = 0; k < n; k++) {
        const int64_t *values =
            functions && k < n - 1 ? functions + k * n_values : NULL;
        /* A name with values is needed even if all its nodes were merged. */
        bool is_needed = names->number[k];
        for (size_t i = 0; !is_needed && values && i < n_values; i++)
            is_needed = values[i] != 0;
        if (!is_needed) {
            names->number[k] = PROF_NONE;
            continue;
        }
        if (values)
            memmove(functions + names->n * n_values, values,
                    n_values * sizeof *values);
        names->number[k] = (uint32_t)names->n++;
    }
    for (size_t i = 0; i < n_nodes; i++)
        node[i].name = *number_of(f, node[i].name);
    names->merged = *number_of(f, FLAME_SMALL);
    return true;
}

static bool write_names(struct namer *g)
{
    struct flame_names *names = g->names;
    const struct stackrank *f = g->stacks;
    names->end = mem_array(names->n, sizeof *names->end);
    bool ok = names->end;
    for (size_t k = 0, i = 0; ok && i < names->n; k++) {
        if (g->names->number[k] == PROF_NONE)
            continue;
        if (k < f->names.n)
            ok = flame_put_visible(&names->text,
                                   strtab_str(&f->names, f->name_of[k]),
                                   strtab_len(&f->names, f->name_of[k]));
        else
            ok = buf_puts(&names->text,
                          k == f->names.n ? "<no stack>" : "(too small)");
        names->end[i++] = names->text.n;
    }
    return ok;
}

static bool add_visible(struct namer *g, struct strtab *to,
                        struct prof_slice text, uint32_t *id)
{
    g->text.n = 0;
    return flame_put_visible(&g->text, text.s, text.n) &&
           strtab_add(to, (const char *)g->text.v, g->text.n, id);
}

/* Sets *id to the index of a file, which is a string id of the profile. */
static bool add_file(struct namer *g, uint32_t file, uint32_t *id)
{
    struct prof_slice raw = prof_text(g->stacks->nodes.p, file);
    uint32_t *known = &g->file_of[file];
    if (!*known) {
        g->path.n = 0;
        if ((raw.n && !path_clean(&g->path, raw.s, raw.n)) ||
            !add_visible(g, &g->names->files, buf_slice(&g->path), known))
            return false;
        ++*known;
    }
    *id = *known - 1;
    return true;
}

/*
 * Sets the file, package and binary of a name.  `function` is null if it is
 * unknown.
 */
static bool set_source(struct namer *g, uint32_t number,
                       const struct flame_function *function, uint32_t binary)
{
    const struct profile *p = g->stacks->nodes.p;
    struct prof_slice package = {"", 0};
    uint32_t *id = &g->names->file[number];
    if (!add_file(g, function ? function->file : 0, id))
        return false;
    /* As it is shown: control characters are escaped, also in the package. */
    struct prof_slice file = strtab_slice(&g->names->files, *id);
    if (function)
        package = package_of(prof_text(p, function->name), file);
    if (!package.n && binary) {
        package = prof_text(p, binary);
        package.s = path_base(package.s, package.n, &package.n);
    }
    if (!package.n) { /* the directory, without the slash at its end */
        package = file;
        while (package.n && package.s[package.n - 1] != '/')
            package.n--;
        package.n -= package.n > 1;
    }
    g->names->kind[number] = function ? FLAME_FUNCTION : FLAME_NO_FUNCTION;
    return add_visible(g, &g->names->binaries, prof_text(p, binary),
                       &g->names->binary[number]) &&
           add_visible(g, &g->names->packages, package,
                       &g->names->package[number]);
}

/* Sets the sources of a location's frames whose names have none yet. */
static bool add_location_sources(struct namer *g, size_t l)
{
    const struct nodes *nodes = &g->stacks->nodes;
    const struct profile *p = nodes->p;
    const struct prof_location *at = &p->locations[l];
    uint32_t binary =
        at->mapping == PROF_NONE ? 0 : p->mappings[at->mapping].filename;
    for (uint64_t i = nodes->off[l]; i < nodes->off[l + 1]; i++) {
        uint32_t number = g->names->number[nodes->of[i]];
        if (number == PROF_NONE || g->seen[number])
            continue;
        const struct flame_function *function = NULL;
        if (at->n_lines) {
            size_t line = at->line_off + (size_t)(i - nodes->off[l]);
            uint32_t id = p->lines[line].function;
            function = id == PROF_NONE ? NULL : &g->functions[id];
        }
        g->seen[number] = true;
        if (!set_source(g, number, function, binary))
            return false;
    }
    return true;
}

static bool find_sources(struct namer *g)
{
    struct flame_names *names = g->names;
    g->seen = mem_zarray(names->n, sizeof *g->seen);
    g->file_of = mem_zarray(g->stacks->nodes.p->strings.n, sizeof *g->file_of);
    names->file = mem_zarray(names->n, sizeof *names->file);
    names->package = mem_zarray(names->n, sizeof *names->package);
    names->binary = mem_zarray(names->n, sizeof *names->binary);
    names->kind = mem_zarray(names->n, sizeof *names->kind);
    bool ok = g->seen && g->file_of && names->file && names->package &&
              names->binary && names->kind && strtab_init(&names->files) &&
              strtab_init(&names->packages) && strtab_init(&names->binaries);
    for (size_t l = 0; ok && l < g->stacks->nodes.p->n_locations; l++)
        ok = add_location_sources(g, l);
    return ok;
}

/* Returns whether no group has more than three quarters of the names. */
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

bool flame_name_nodes(struct flame *f)
{
    struct namer g = {
        .names = &f->names, .stacks = &f->stacks, .functions = f->functions};
    bool ok = write_names(&g) && find_sources(&g) && choose_colours(&f->names);
    buf_free(&g.path);
    buf_free(&g.text);
    free(g.seen);
    free(g.file_of);
    return ok;
}

void flame_names_free(struct flame_names *names)
{
    buf_free(&names->text);
    free(names->number);
    free(names->end);
    free(names->file);
    free(names->package);
    free(names->binary);
    free(names->kind);
    strtab_free(&names->files);
    strtab_free(&names->packages);
    strtab_free(&names->binaries);
}
