#include "import/gperftools/maps.h"

#include <inttypes.h>
#include <string.h>

#include "base/utf8.h"
#include "import/gperftools/maps_line.h"
#include "import/gperftools/maps_vars.h"
#include "profile/text.h"

/* Where programs that are not position-independent begin on x86-64. */
enum { FIXED_START = 0x400000 };

struct reading {
    struct profile *p;
    struct maps_vars vars;
    struct buf name;
    size_t line;           /* number, from 1 */
    size_t n_odd, an_odd;  /* lines not understood; the first of them */
    size_t n_gone, a_gone; /* files that had been deleted; the first one's */
    size_t n_moved;        /* pieces of files that memory took the place of */
};

/*
 * The kernel writes newlines in names as \012, and other lists of its own
 * escape blanks and backslashes alike.  Only these four, and only in paths
 * that begin with "/": elsewhere a backslash may separate directories.
 */
static bool unescape(struct buf *to, struct slice s)
{
    static const char codes[4][4] = {"011", "012", "040", "134"};
    static const char chars[] = "\t\n \\";
    to->n = 0;
    if (!buf_reserve(to, s.n))
        return false;
    bool path = s.n && s.s[0] == '/';
    for (size_t i = 0; i < s.n; i++) {
        char c = s.s[i];
        for (size_t k = 0; path && c == '\\' && s.n - i > 3 && k < 4; k++) {
            if (memcmp(s.s + i + 1, codes[k], 3) == 0) {
                c = chars[k];
                i += 3;
                break;
            }
        }
        to->v[to->n++] = (uint8_t)c;
    }
    return true;
}

/* One mapping, when its names are equal and its file range goes on. */
static bool continues(const struct prof_mapping *a,
                      const struct prof_mapping *b)
{
    if (a->filename != b->filename || a->limit != b->start)
        return false;
    if (a->build_id && b->build_id && a->build_id != b->build_id)
        return false;
    return !a->offset || !b->offset ||
           a->offset + (a->limit - a->start) == b->offset;
}

/* What a program that moves its code to huge pages leaves at its place. */
static const char huge_page[] = "/anon_hugepage";

static bool is_huge_page(const char *name)
{
    return strncmp(name, huge_page, sizeof huge_page - 1) == 0;
}

/*
 * Whether b goes on where a would without the memory between them, to which a
 * program has moved that piece of its code.
 */
static bool moved_between(const struct profile *p, const struct prof_mapping *a,
                          const struct prof_mapping *memory,
                          const struct prof_mapping *b)
{
    const char *name = prof_plain(p, memory->filename);
    return (!*name || is_huge_page(name)) && a->filename &&
           a->filename == b->filename && a->limit == memory->start &&
           memory->limit == b->start &&
           b->start - a->start == b->offset - a->offset &&
           (!a->build_id || !b->build_id || a->build_id == b->build_id);
}

static bool add_mapping(struct reading *r, const struct maps_line *line,
                        struct err *err)
{
    struct profile *p = r->p;
    struct prof_mapping m = {
        .start = line->start, .limit = line->limit, .offset = line->offset};
    if (!unescape(&r->name, line->name))
        return err_nomem(err);
    if (!prof_strn(p, (const char *)r->name.v, r->name.n, &m.filename, err) ||
        !prof_strn(p, line->build_id.s, line->build_id.n, &m.build_id, err))
        return false;
    size_t n = p->n_mappings;
    if (n > 1 &&
        moved_between(p, &p->mappings[n - 2], &p->mappings[n - 1], &m)) {
        p->mappings[n - 2].limit = m.start;
        p->n_mappings = --n;
        r->n_moved++;
    }
    if (n) {
        struct prof_mapping *last = &p->mappings[n - 1];
        if (continues(last, &m)) {
            last->limit = m.limit;
            if (!last->build_id)
                last->build_id = m.build_id;
            return true;
        }
    }
    return prof_add_mapping(p, &m, NULL, err);
}

/*
 * What the kernel calls memory that is no file is always "(deleted)"; its names
 * lead nowhere.
 */
static bool was_file(struct slice name)
{
    static const char *const others[] = {"/memfd:", "/dev/zero", "/SYSV",
                                         huge_page};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (slice_begins_with(name, others[i]))
            return false;
    return true;
}

static bool read_line(struct reading *r, struct slice text, struct err *err)
{
    text = maps_line_unlog(text);
    if (!maps_vars_expand(&r->vars, &text, err))
        return false;
    struct maps_line line = maps_line_parse(text);
    if (line.kind == MAPS_MAPPING && !line.executable)
        return true;
    if (line.kind == MAPS_MAPPING) {
        if (line.deleted && was_file(line.name) && r->n_gone++ == 0)
            r->a_gone = r->line;
        return add_mapping(r, &line, err);
    }
    if (line.kind == MAPS_VARIABLE)
        return maps_vars_set(&r->vars, line.name, line.value, err);
    if (line.kind == MAPS_OTHER && r->n_odd++ == 0)
        r->an_odd = r->line;
    return true;
}

static bool read_lines(struct reading *r, struct slice text, struct err *err)
{
    while (text.n) {
        struct slice line = slice_take_line(&text);
        r->line++;
        if (!read_line(r, line, err))
            return err_prefix(err, "line %zu of the map list: ", r->line);
    }
    return true;
}

/* ".so" at the end, or ".so." or ".so_" and a digit anywhere. */
static bool is_library(const char *name)
{
    for (const char *at = name; (at = strstr(at, ".so")); at++) {
        if (!at[3])
            return true;
        if ((at[3] == '.' || at[3] == '_') && ascii_is_digit(at[4]))
            return true;
    }
    return false;
}

static bool is_main(const struct profile *p, const struct prof_mapping *m)
{
    const char *name = prof_plain(p, m->filename);
    return name[0] && name[0] != '[' && !is_library(name) &&
           !is_huge_page(name);
}

/* Moves mapping i to the front; the others keep their order. */
static void move_to_front(struct profile *p, size_t i)
{
    struct prof_mapping m = p->mappings[i];
    memmove(p->mappings + 1, p->mappings, i * sizeof m);
    p->mappings[0] = m;
    for (size_t l = 0; l < p->n_locations; l++) {
        struct prof_location *loc = &p->locations[l];
        if (loc->mapping == i)
            loc->mapping = 0;
        else if (loc->mapping < i)
            loc->mapping++;
    }
}

static void drop_huge_page(struct profile *p)
{
    struct prof_mapping *m = p->mappings;
    if (p->n_mappings < 2 || m[0].limit != m[1].start ||
        !is_huge_page(prof_plain(p, m[0].filename)))
        return;
    p->n_mappings--;
    memmove(m, m + 1, p->n_mappings * sizeof *m);
}

static void order(struct profile *p)
{
    drop_huge_page(p);
    for (size_t i = 0; i < p->n_mappings; i++) {
        if (is_main(p, &p->mappings[i])) {
            move_to_front(p, i);
            break;
        }
    }
    if (p->n_mappings &&
        p->mappings[0].start - p->mappings[0].offset == FIXED_START) {
        p->mappings[0].start = FIXED_START;
        p->mappings[0].offset = 0;
    }
}

bool maps_read(const char *text, size_t n, struct profile *p,
               const struct notes *notes, struct err *err)
{
    struct reading r = {.p = p};
    bool ok = maps_vars_init(&r.vars, n)
                  ? read_lines(&r, (struct slice){text, n}, err)
                  : err_nomem(err);
    maps_vars_free(&r.vars);
    buf_free(&r.name);
    if (!ok)
        return false;
    if (r.n_odd)
        note_loss(notes,
                  "%zu lines of the map list, the first being line "
                  "%zu, are neither mappings nor variables, and are left out",
                  r.n_odd, r.an_odd);
    if (r.n_gone)
        note_warn(
            notes,
            "%zu mappings, the first in line %zu of the map list, are of "
            "files that had been deleted: one that is called so now may be "
            "another, with other symbols",
            r.n_gone, r.a_gone);
    if (r.n_moved)
        note_info(notes,
                  "%zu mappings without a file are in the midst of one, and "
                  "taken for its code, moved to other memory",
                  r.n_moved);
    if (n && text[n - 1] != '\n')
        note_loss(notes,
                  "the map list ends inside its line %zu: the last "
                  "mapping may be cut",
                  r.line);
    order(p);
    return true;
}

bool maps_has_main(const struct profile *p)
{
    return p->n_mappings && is_main(p, &p->mappings[0]);
}

bool maps_name_main(struct profile *p, const char *name,
                    const struct notes *notes, struct err *err)
{
    uint32_t id;
    if (!prof_str(p, name, &id, err))
        return false;
    const struct prof_mapping *m = p->mappings;
    size_t n = p->n_mappings, i = 0;
    if (n && m[0].filename && !is_main(p, &m[0]))
        i = m[n - 1].limit < UINT64_MAX ? n : n - 1;
    if (i == n) {
        note_warn(notes, "no mapping of a main binary that could be %s", name);
        return true;
    }
    move_to_front(p, i);
    p->mappings[0].filename = id;
    return true;
}
