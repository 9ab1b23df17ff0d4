/* pseudonyms.c - reports pseudonyms, writes a map of them, restores names */
#include "privacy/private.h"

#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include "base/utf8.h"

struct pseudonyms *pseudonyms_new(const struct pseudonyms_opts *opts,
                                  struct prof_err *err)
{
    struct pseudonyms *all = mem_new(sizeof *all, err);
    if (!all)
        return NULL;
    (void)pthread_mutex_init(&all->lock, NULL);
    all->opts = *opts;
    if (buf_put(&all->key, opts->key, opts->n_key) &&
        strtab_init(&all->names) && strtab_init(&all->types))
        return all;
    pseudonyms_free(all);
    err_nomem(err);
    return NULL;
}

void pseudonyms_free(struct pseudonyms *all)
{
    if (!all)
        return;
    (void)pthread_mutex_destroy(&all->lock);
    buf_free(&all->key);
    map_free(&all->known);
    strtab_free(&all->names);
    strtab_free(&all->types);
    vec_free(&all->pairs);
    free(all);
}

/* --- the report ----------------------------------------------------------- */

/* Appends counts as "3 functions, 1 file"; nothing if all are 0. */
static bool put_counts(struct buf *to, const size_t *counts)
{
    static const char *const nouns[][2] = {
        {"function", "functions"},   {"file", "files"},
        {"binary", "binaries"},      {"build ID", "build IDs"},
        {"label key", "label keys"}, {"label value", "label values"}};
    const size_t from = to->n;
    bool ok = true;
    for (size_t k = 0; ok && k < NAME_KINDS; k++)
        if (counts[k])
            ok = buf_printf(to, "%s%zu %s", to->n > from ? ", " : "", counts[k],
                            nouns[k][counts[k] != 1]);
    return ok;
}

static bool put_unchanged(struct buf *to, const struct pseudonyms *all)
{
    const struct unchanged *u = &all->unchanged;
    bool ok = buf_puts(to, "call structure, values, sample types (");
    for (uint32_t i = 1; ok && i < all->types.n; i++)
        ok = buf_puts(to, i > 1 ? ", " : "") &&
             buf_puts(to, strtab_str(&all->types, i));
    return ok && buf_putc(to, ')') && (!u->times || buf_puts(to, ", times")) &&
           (!u->lines || buf_puts(to, ", line numbers")) &&
           (!u->addresses || buf_puts(to, ", addresses")) &&
           (!u->numbers || buf_puts(to, ", numeric labels"));
}

void pseudonyms_report(const struct pseudonyms *all,
                       const struct prof_notes *notes)
{
    struct buf replaced = {0}, kept = {0}, rest = {0};
    bool ok = put_counts(&replaced, all->replaced) && buf_putc(&replaced, 0) &&
              put_counts(&kept, all->kept) && buf_putc(&kept, 0) &&
              put_unchanged(&rest, all) && buf_putc(&rest, 0);
    if (ok && replaced.n > 1)
        note_info(notes, "replaced by pseudonyms: %s", (char *)replaced.v);
    /* If memory is exhausted, skip the report: the output shows the same. */
    if (ok)
        note_warn(notes, "not replaced by pseudonyms: %s%s%s", (char *)rest.v,
                  kept.n > 1 ? "; names kept: " : "", (char *)kept.v);
    buf_free(&replaced);
    buf_free(&kept);
    buf_free(&rest);
}

/* --- the map -------------------------------------------------------------- */

static const char map_head[] =
    "# kind, pseudonym and name, as pbfilter --map writes and --restore reads "
    "them\n";

static bool put_escaped(struct buf *to, struct prof_slice s)
{
    bool ok = true;
    for (size_t i = 0; ok && i < s.n; i++) {
        const char c = s.s[i];
        const bool is_plain = c >= ' ' && c <= '~' && c != '\\';
        ok = is_plain ? buf_putc(to, c) : buf_printf(to, "\\x%02x", (uint8_t)c);
    }
    return ok;
}

/* Appends a text without its escapes; false: one is malformed, or no memory. */
static bool put_unescaped(struct buf *to, struct prof_slice s)
{
    bool ok = true;
    for (size_t i = 0; ok && i < s.n; i++) {
        char c = s.s[i];
        if (c == '\\') {
            int high = s.n - i > 3 && s.s[i + 1] == 'x'
                           ? ascii_hex_value(s.s[i + 2])
                           : -1;
            int low = high < 0 ? -1 : ascii_hex_value(s.s[i + 3]);
            if (low < 0)
                return false;
            c = (char)(high << 4 | low);
            i += 3;
        }
        ok = buf_putc(to, c);
    }
    return ok;
}

/* A line of the map of pseudonyms, to be sorted. */
struct line {
    enum name_kind kind;
    const char *pseudonym; /* without control characters */
    uint32_t name;
};

static int compare_lines(const void *a, const void *b)
{
    const struct line *x = a, *y = b;
    const int c = ORDER(x->kind, y->kind);
    return c ? c : strcmp(x->pseudonym, y->pseudonym);
}

bool pseudonyms_write(struct pseudonyms *all, struct sink *sink,
                      struct prof_err *err)
{
    size_t n = all->pairs.n;
    struct line *lines = mem_array(n, sizeof *lines);
    struct buf text = {0};
    bool ok = (lines && buf_puts(&text, map_head)) || err_nomem(err);
    for (size_t i = 0; ok && i < n; i++)
        /* String 0 of a map is "". */
        lines[i] = (struct line){all->pairs.v[i].kind,
                                 strtab_str(&all->known.keys, (uint32_t)i + 1),
                                 all->pairs.v[i].name};
    if (ok)
        qsort(lines, n, sizeof *lines, compare_lines);
    for (size_t i = 0; ok && i < n; i++)
        ok = (buf_printf(&text, "%s\t%s\t", name_kind_word(lines[i].kind),
                         lines[i].pseudonym) &&
              put_escaped(&text, strtab_slice(&all->names, lines[i].name)) &&
              buf_putc(&text, '\n')) ||
             err_nomem(err);
    ok = ok && sink_write(sink, text.v, text.n, err);
    free(lines);
    buf_free(&text);
    return ok;
}

/* --- restoring names ------------------------------------------------------ */

struct name_map {
    struct map known;    /* pseudonyms: rows of `names` */
    VEC(uint32_t) names; /* by row: string id of the name in `texts` */
    struct strtab texts;
};

/* Moves the text before the next tab from *line to *field.  Returns false if
 * there is no tab or the field is empty. */
static bool take_field(struct prof_slice *line, struct prof_slice *field)
{
    const char *tab = line->n ? memchr(line->s, '\t', line->n) : NULL;
    if (!tab)
        return false;
    *field = slice_to(*line, (size_t)(tab - line->s));
    *line = slice_from(*line, field->n + 1);
    return field->n;
}

static bool add_name(struct name_map *map, struct prof_slice pseudonym,
                     struct prof_slice name, struct prof_err *err)
{
    uint32_t row, id;
    bool is_new;
    if (!strtab_add(&map->texts, name.s, name.n, &id) ||
        !map_add(&map->known, pseudonym.s, pseudonym.n, &row, &is_new) ||
        (is_new && !vec_push(&map->names, id)))
        return err_nomem(err);
    return map->names.v[row] == id ||
           err_input(err,
                     "an earlier line has another name for this pseudonym");
}

static bool add_line(struct name_map *map, struct prof_slice line,
                     struct buf *room, struct prof_err *err)
{
    struct prof_slice kind, pseudonym;
    /* Editors and file transfers may add carriage returns. */
    if (line.n && line.s[line.n - 1] == '\r')
        line.n--;
    if (!line.n || line.s[0] == '#')
        return true;
    room->n = 0;
    if (!take_field(&line, &kind) || !take_field(&line, &pseudonym) ||
        !line.n || !buf_reserve(room, line.n) || !put_unescaped(room, line))
        return err_input(err, "expected kind, pseudonym and name with tabs "
                              "between, as --map writes them");
    struct prof_slice name = buf_slice(room);
    return add_name(map, pseudonym, name, err);
}

struct name_map *name_map_new(const void *text, size_t n, struct prof_err *err)
{
    struct name_map *map = calloc(1, sizeof *map);
    struct prof_slice rest = {text, n};
    struct buf room = {0};
    bool ok = (map && strtab_init(&map->texts)) || err_nomem(err);
    for (size_t line = 1; ok && rest.n; line++)
        ok = add_line(map, slice_take_line(&rest), &room, err) ||
             err_prefix(err, "line %zu: ", line);
    buf_free(&room);
    if (ok)
        return map;
    name_map_free(map);
    return NULL;
}

void name_map_free(struct name_map *map)
{
    if (!map)
        return;
    map_free(&map->known);
    vec_free(&map->names);
    strtab_free(&map->texts);
    free(map);
}

/* A profile while its names are restored. */
struct restoring {
    const struct name_map *map;
    struct profile *p;
    uint32_t *instead; /* by string id: the string that replaces it; PROF_NONE:
                          not looked up yet */
    size_t n;
    struct prof_err *err;
};

static bool restore(void *ctx, enum prof_string_kind kind, size_t index,
                    uint32_t *id)
{
    struct restoring *r = ctx;
    const struct name_map *map = r->map;
    uint32_t row;
    (void)index;
    if (name_kind_of(kind) == NAME_NONE || !*id)
        return true;
    uint32_t *to = &r->instead[*id];
    if (*to == PROF_NONE) {
        struct prof_slice text = prof_text(r->p, *id);
        *to = *id;
        if (map_find(&map->known, text.s, text.n, &row)) {
            struct prof_slice name =
                strtab_slice(&map->texts, map->names.v[row]);
            if (!prof_strn(r->p, name.s, name.n, to, r->err))
                return false;
            r->n++;
        }
    }
    *id = *to;
    return true;
}

bool name_map_restore(const struct name_map *map, struct profile *p, size_t *n,
                      struct prof_err *err)
{
    struct restoring r = {
        .map = map, .p = p, .err = err, .instead = mem_none(p->strings.n)};
    if (!r.instead)
        return err_nomem(err);
    bool ok = prof_visit_strings(p, restore, &r) && prof_sort_labels(p, err);
    free(r.instead);
    *n += r.n;
    return ok;
}
