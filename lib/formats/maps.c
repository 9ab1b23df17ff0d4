/* maps.c - reads the list of mappings that ends a gperftools profile */
#include "formats/maps.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/sort.h"
#include "base/utf8.h"
#include "base/vec.h"

/* --- lines ---------------------------------------------------------------- */

/* A parsed line of a mapping; names are slices of the line. */
struct line {
    uint64_t start, limit, offset;
    bool executable; /* "x" is among the permissions, or there are none */
    bool deleted;    /* " (deleted)" followed the name */
    struct prof_slice name, build_id;
};

/* Removes a leading device and inode, such as "08:01 1234", from *s. */
static bool take_device(struct prof_slice *s)
{
    struct prof_slice rest = *s, minor = slice_take_word(&rest);
    const struct prof_slice major = slice_take_until(&minor, ':');
    if (!slice_is_hex(major) || !slice_is_hex(minor) ||
        !slice_is_decimal(slice_take_word(&rest)))
        return false;
    *s = rest;
    return true;
}

/* Removes an offset such as "(@1000)" from the end of the trimmed *s. */
static bool take_at_offset(struct prof_slice *s, uint64_t *offset)
{
    struct prof_slice rest = *s, word = slice_take_last_word(&rest);
    if (!slice_ends_with(word, ")") || !slice_take_prefix(&word, "(@") ||
        !word.n || !slice_to_hex(slice_to(word, word.n - 1), offset))
        return false;
    *s = rest;
    return true;
}

/*
 * Parses what follows the permissions: [offset] device inode [name], or
 * [name] [(@offset)] [build id], from the end because names may have blanks.
 */
static void parse_file(struct prof_slice s, struct line *line)
{
    struct prof_slice proc = s, word = slice_take_word(&proc);
    uint64_t offset = 0;
    if (!slice_to_hex(word, &offset))
        proc = s;
    if (take_device(&proc)) {
        line->offset = offset;
        line->name = slice_trim(proc);
        return;
    }
    line->name = slice_trim(s);
    if (take_at_offset(&line->name, &line->offset))
        return;
    s = line->name;
    word = slice_take_last_word(&s);
    if (!s.n || !slice_is_hex(word))
        return;
    line->build_id = word;
    line->name = s;
    (void)take_at_offset(&line->name, &line->offset);
}

static bool parse_mapping(struct prof_slice s, struct line *line)
{
    static const char deleted[] = " (deleted)";
    *line = (struct line){.executable = true};
    s = slice_trim_left(s);
    if (!slice_take_0xhex(&s, &line->start) || !s.n ||
        !(ascii_is_blank(s.s[0]) || s.s[0] == '-'))
        return false;
    s = slice_trim_left(slice_from(s, 1));
    if (!slice_take_0xhex(&s, &line->limit))
        return false;
    if (s.n && s.s[0] == ':')
        s = slice_from(s, 1);
    if ((s.n && !ascii_is_blank(s.s[0])) || line->start >= line->limit)
        return false;

    struct prof_slice rest = s, permissions = slice_take_word(&rest);
    size_t n = 0;
    while (n < permissions.n && ascii_is_one_of(permissions.s[n], "-rwxps"))
        n++;
    if (n && n == permissions.n) {
        line->executable = memchr(permissions.s, 'x', n) != NULL;
        s = rest;
    }
    parse_file(s, line);
    line->deleted = slice_ends_with(line->name, deleted);
    if (line->deleted)
        line->name.n -= sizeof deleted - 1;
    line->name = slice_trim(line->name);
    return true;
}

struct prof_slice maps_unlog(struct prof_slice line)
{
    /* Lines of profiles have no log prefix, but their names may look like it.
     */
    struct prof_slice text = slice_trim_left(line);
    const char *end = line.n ? memchr(line.s, ']', line.n) : NULL;
    if (!end || slice_begins_with(text, "#") ||
        slice_begins_with(text, "---") || slice_begins_with(text, "0x"))
        return line;
    size_t n = (size_t)(end - line.s), k = n;
    while (k && ascii_is_digit(line.s[k - 1]))
        k--;
    bool is_log = k < n && k > 1 && line.s[k - 1] == ':' && n + 1 < line.n &&
                  ascii_is_blank(line.s[n + 1]) && !memchr(line.s, '[', n);
    return is_log ? slice_from(line, n + 2) : line;
}

/* --- the list ------------------------------------------------------------- */

enum {
    MAX_VARIABLES = 16,
    /* Variables could expand a few lines to any amount of text: all together
     * may add this many times the size of the list, and 1 MiB. */
    GROWTH = 16,
    GROWTH_MIN = 1024 * 1024,
    /* Start address of programs on x86-64 that are not PIE. */
    FIXED_START = 0x400000,
};

/* A line build=/home/me replaces "$build", but not "$builder". */
struct variable {
    struct prof_slice name, value;
};

struct reading {
    struct profile *p;
    VEC(struct prof_mapping) v;
    struct variable variables[MAX_VARIABLES];
    size_t n_variables;
    size_t room;          /* bytes that variables may still add */
    struct buf expanded;  /* the last line with their values */
    size_t line;          /* number, from 1 */
    size_t n_odd, an_odd; /* how many lines were skipped; number of the first */
    size_t n_over;        /* definitions of variables beyond MAX_VARIABLES */
    size_t n_gone, a_gone; /* how many files had been deleted; the first line */
    size_t n_moved;        /* pieces of files that were moved to memory */
};

/* Sets a variable from a line "name=value"; returns false for other lines. */
static bool set_variable(struct reading *r, struct prof_slice line)
{
    struct prof_slice value = line, name = slice_take_until(&value, '=');
    const bool has_value = name.n < line.n;
    size_t i = 0;
    name = slice_trim(name);
    while (i < name.n && slice_is_word_char(name.s[i]))
        i++;
    if (!has_value || !i || i < name.n)
        return false;
    for (i = 0; i < r->n_variables; i++)
        if (slice_same(r->variables[i].name, name))
            break;
    if (i == MAX_VARIABLES) {
        r->n_over++;
        return true;
    }
    r->variables[i] = (struct variable){name, slice_trim(value)};
    r->n_variables += i == r->n_variables;
    return true;
}

/*
 * Replaces variables in *line by their values; *line is then valid until the
 * next call.  Unknown variables are kept.
 */
static bool expand(struct reading *r, struct prof_slice *line,
                   struct prof_err *err)
{
    const char *at = line->s, *end = line->s + line->n, *dollar;
    bool ok = true;
    if (!r->n_variables || !memchr(at, '$', line->n))
        return true;
    r->expanded.n = 0;
    while (ok && (dollar = memchr(at, '$', (size_t)(end - at)))) {
        struct prof_slice name = {dollar + 1, 0}, value = {dollar, 1};
        while (name.s + name.n < end && slice_is_word_char(name.s[name.n]))
            name.n++;
        value.n += name.n;
        for (size_t i = 0; i < r->n_variables; i++)
            if (slice_same(r->variables[i].name, name))
                value = r->variables[i].value;
        if (value.n > r->room)
            return err_input(
                err,
                "its variables expand the list to more than %d times its size",
                GROWTH);
        r->room -= value.n;
        ok = buf_put(&r->expanded, at, (size_t)(dollar - at)) &&
             buf_put(&r->expanded, value.s, value.n);
        at = name.s + name.n;
    }
    ok = ok && buf_put(&r->expanded, at, (size_t)(end - at));
    *line = buf_slice(&r->expanded);
    return ok || err_nomem(err);
}

static const char huge_page[] = "/anon_hugepage";

/* Returns whether b continues a: adjacent addresses and offsets of one file. */
static bool continues(const struct prof_mapping *a,
                      const struct prof_mapping *b)
{
    return a->filename == b->filename && a->limit == b->start &&
           (!a->build_id || !b->build_id || a->build_id == b->build_id) &&
           (!a->offset || !b->offset ||
            a->offset + (a->limit - a->start) == b->offset);
}

static bool add_mapping(struct reading *r, const struct line *line,
                        struct prof_err *err)
{
    struct prof_mapping m = {
        .start = line->start, .limit = line->limit, .offset = line->offset};
    struct prof_slice name = line->name, id = line->build_id;
    if (!prof_strn(r->p, name.s, name.n, &m.filename, err) ||
        !prof_strn(r->p, id.s, id.n, &m.build_id, err))
        return false;
    if (r->v.n > 1 && m.filename) {
        /* Some programs move a part of their code to memory (huge pages): join
         * the pieces of the file before and after it. */
        const struct prof_mapping *memory = &r->v.v[r->v.n - 1];
        struct prof_mapping whole = memory[-1];
        bool adjoins = whole.limit == memory->start && memory->limit == m.start;
        whole.limit = m.start;
        if (adjoins && continues(&whole, &m) &&
            m.start - whole.start == m.offset - whole.offset &&
            (!memory->filename ||
             slice_begins_with(prof_get_string(r->p, memory->filename),
                               huge_page))) {
            r->v.v[--r->v.n - 1] = whole;
            r->n_moved++;
        }
    }
    if (r->v.n && continues(&r->v.v[r->v.n - 1], &m)) {
        struct prof_mapping *last = &r->v.v[r->v.n - 1];
        last->limit = m.limit;
        if (!last->build_id)
            last->build_id = m.build_id;
        return true;
    }
    return vec_push(&r->v, m) || err_nomem(err);
}

static bool read_line(struct reading *r, struct prof_slice text,
                      struct prof_err *err)
{
    struct line line;
    text = maps_unlog(text);
    struct prof_slice written = text;
    if (!slice_trim(text).n)
        return true;
    if (!expand(r, &text, err))
        return err_prefix(err, "line %zu of the list of mappings: ", r->line);
    if (!parse_mapping(text, &line)) {
        if (!set_variable(r, written) && r->n_odd++ == 0)
            r->an_odd = r->line;
        return true;
    }
    if (!line.executable)
        return true;
    /* The kernel also marks memory without a file as "(deleted)": its names
     * are not files. */
    static const char *const no_files[] = {"/memfd:", "/dev/zero", "/SYSV",
                                           huge_page};
    bool is_gone = line.deleted;
    for (size_t i = 0; i < sizeof no_files / sizeof *no_files; i++)
        is_gone = is_gone && !slice_begins_with(line.name, no_files[i]);
    if (is_gone && r->n_gone++ == 0)
        r->a_gone = r->line;
    return add_mapping(r, &line, err);
}

static void report(const struct reading *r, struct prof_slice text,
                   const struct prof_notes *notes)
{
    note_count(notes, PROF_NOTE_LOSS, r->n_odd,
               "%zu line{s} of the list of mappings skipped, starting at "
               "line %zu: neither mappings nor variables",
               r->n_odd, r->an_odd);
    note_count(notes, PROF_NOTE_LOSS, r->n_over,
               "%zu line{s} of the list of mappings skipped: more than %d "
               "variables",
               r->n_over, MAX_VARIABLES);
    note_count(notes, PROF_NOTE_WARN, r->n_gone,
               "%zu mapping{s} of deleted files (first in line %zu of the "
               "list of mappings): files with the same names may now "
               "have different symbols (use -e)",
               r->n_gone, r->a_gone);
    note_count(notes, PROF_NOTE_INFO, r->n_moved,
               "%zu anonymous mapping{s} between the mappings of a file "
               "treated as code of that file",
               r->n_moved);
    if (text.n && text.s[text.n - 1] != '\n')
        note_loss(notes,
                  "unexpected end of file in line %zu of the list of "
                  "mappings; the last mapping may be truncated",
                  r->line);
}

/* --- the main binary ------------------------------------------------------ */

static bool is_main(const struct profile *p, uint32_t filename)
{
    struct prof_slice name = prof_get_string(p, filename);
    /* Exclude ".so" at the end, or ".so." or ".so_" and a digit anywhere. */
    for (size_t i = 0; i + 3 <= name.n; i++) {
        const char *at = name.s + i;
        if (memcmp(at, ".so", 3) == 0 &&
            (i + 3 == name.n || (i + 4 < name.n && ascii_is_digit(at[4]) &&
                                 (at[3] == '.' || at[3] == '_'))))
            return false;
    }
    return name.n && name.s[0] != '[' && !slice_begins_with(name, huge_page);
}

/*
 * Drops huge pages before the mapping that they were moved from, and moves the
 * main binary to the front; the others keep their order.
 */
static void order(struct reading *r)
{
    struct prof_mapping *v = r->v.v, main;
    if (r->v.n > 1 && v[0].limit == v[1].start &&
        slice_begins_with(prof_get_string(r->p, v[0].filename), huge_page))
        memmove(v, v + 1, --r->v.n * sizeof *v);
    for (size_t i = 0; i < r->v.n; i++) {
        if (!is_main(r->p, v[i].filename))
            continue;
        main = v[i];
        memmove(v + 1, v, i * sizeof *v);
        v[0] = main;
        break;
    }
    if (r->v.n && v[0].start - v[0].offset == FIXED_START) {
        v[0].start = FIXED_START;
        v[0].offset = 0;
    }
}

bool maps_has_main(const struct profile *p)
{
    return prof_count(p).mappings &&
           is_main(p, prof_get_mapping(p, 0).filename);
}

bool maps_name_main(struct profile *p, struct prof_slice name,
                    const struct prof_notes *notes, struct prof_err *err)
{
    uint32_t id;
    struct prof_counts counts = prof_count(p);
    size_t n = counts.mappings, i = n;
    if (!prof_strn(p, name.s, name.n, &id, err))
        return false;
    if (n && (!prof_get_mapping(p, 0).filename || maps_has_main(p)))
        i = 0;
    else if (n && prof_get_mapping(p, n - 1).limit == UINT64_MAX)
        i = n - 1;
    if (i == n) {
        note_warn(notes, "no mapping of a main binary; -e %.*s has no effect",
                  (int)name.n, name.s);
        return true;
    }
    struct prof_mapping first = prof_get_mapping(p, 0),
                        main = prof_get_mapping(p, i);
    main.filename = id;
    prof_set_mapping(p, i, &first);
    prof_set_mapping(p, 0, &main);
    for (size_t l = 0; i && l < counts.locations; l++) {
        struct prof_location loc = prof_get_location(p, l);
        if (loc.mapping == 0 || loc.mapping == i)
            loc.mapping = (uint32_t)i - loc.mapping;
        prof_set_location(p, l, &loc);
    }
    return true;
}

/* --- the mapping of each location ----------------------------------------- */

/*
 * The locations without a mapping, sorted by address.  If several mappings
 * contain one, the first in the list is used.  A hostile file may have very
 * many that overlap: so each mapping in turn takes the places in it that are
 * still free, and skips all others at once.
 */
struct places {
    struct radix_item *v; /* address and location */
    size_t *next; /* by place: no place from it up to that one is free */
    size_t n;
};

static size_t free_place(size_t *next, size_t i)
{
    while (next[i] != i) {
        next[i] = next[next[i]];
        i = next[i];
    }
    return i;
}

static void set_mapping(struct profile *p, uint32_t location, size_t mapping)
{
    struct prof_location l = prof_get_location(p, location);
    l.mapping = (uint32_t)mapping;
    prof_set_location(p, location, &l);
}

/*
 * Assigns free places to the mappings that hold them.  If `below`, assigns
 * those in the part of the file before the mapping, which is then extended.
 */
static void locate(struct reading *r, const struct places *places, bool below)
{
    const struct radix_item *v = places->v;
    size_t *next = places->next, n = places->n;
    for (size_t m = 0; m < r->v.n; m++) {
        struct prof_mapping *map = &r->v.v[m];
        uint64_t start = below ? map->start - map->offset : map->start;
        uint64_t limit = below ? map->start : map->limit;
        if (start >= limit)
            continue;
        size_t first = free_place(next, sorted_below(v, n, sizeof *v, start));
        for (size_t i = first; i < n && v[i].key < limit;
             i = free_place(next, i)) {
            set_mapping(r->p, v[i].id, m);
            next[i] = i + 1;
        }
        if (below && next[first] != first) {
            map->start = start;
            map->offset = 0;
        }
    }
}

static bool locate_all(struct reading *r, const struct prof_notes *notes,
                       struct prof_err *err)
{
    size_t n_locations = prof_count(r->p).locations, n_listed = r->v.n;
    size_t n_left = 0;
    struct places places = {
        .v = mem_array(n_locations, 2 * sizeof *places.v),
        .next = mem_array(n_locations + 1, sizeof *places.next)};
    bool ok = places.v && places.next;
    for (size_t i = 0; ok && i < n_locations; i++) {
        struct prof_location l = prof_get_location(r->p, i);
        if (l.mapping == PROF_NONE && l.address)
            places.v[places.n++] =
                (struct radix_item){.key = l.address, .id = (uint32_t)i};
    }
    if (ok) {
        radix_sort(places.v, places.v + n_locations, places.n);
        for (size_t i = 0; i <= places.n; i++)
            places.next[i] = i;
        locate(r, &places, false);
        locate(r, &places, true);
    }
    for (size_t i = 0; ok && i < places.n; i++) {
        if (places.next[i] != i)
            continue;
        set_mapping(r->p, places.v[i].id, n_listed);
        n_left++;
    }
    free(places.v);
    free(places.next);
    if (!ok)
        return err_nomem(err);
    if (n_left && n_listed)
        note_warn(notes,
                  "%zu of %zu addresses lie outside all listed mappings (in "
                  "libraries "
                  "unloaded before the profile was written?)",
                  n_left, n_locations);
    const struct prof_mapping all = {.limit = UINT64_MAX};
    return !n_left || vec_push(&r->v, all) || err_nomem(err);
}

bool maps_read(struct prof_slice text, struct profile *p, const char *binary,
               const struct prof_notes *notes, struct prof_err *err)
{
    struct reading r = {.p = p, .room = SIZE_MAX};
    struct prof_slice rest = text;
    bool ok = true;
    if (text.n < (SIZE_MAX - GROWTH_MIN) / GROWTH)
        r.room = GROWTH_MIN + GROWTH * text.n;
    while (ok && rest.n) {
        r.line++;
        ok = read_line(&r, slice_take_line(&rest), err);
    }
    if (ok)
        report(&r, text, notes);
    order(&r);
    ok = ok && locate_all(&r, notes, err);
    for (size_t i = 0; ok && i < r.v.n; i++)
        ok = prof_add_mapping(p, &r.v.v[i], NULL, err);
    vec_free(&r.v);
    buf_free(&r.expanded);
    return ok && (!binary ||
                  maps_name_main(p, (struct prof_slice){binary, strlen(binary)},
                                 notes, err));
}
