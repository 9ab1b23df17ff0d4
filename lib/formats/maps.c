/* maps.c - reads the list of mappings that ends a gperftools profile */
#include "formats/maps.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/strtab.h"
#include "base/utf8.h"
#include "base/vec.h"
#include "profile/model/text.h"

/* --- lines */

enum line_kind {
    LINE_BLANK,
    LINE_OTHER,    /* no shape that is known */
    LINE_MAPPING,  /* start < limit */
    LINE_VARIABLE, /* name, of letters, digits and _, and value */
};

/* A line; names are slices of it. */
struct line {
    enum line_kind kind;
    uint64_t start, limit, offset;
    bool executable; /* "x" is among the permissions, or there are none */
    bool deleted;    /* " (deleted)" followed the name */
    struct prof_slice name, build_id, value;
};

/* A device, "08:01". */
static bool is_device(struct prof_slice word)
{
    const char *colon = memchr(word.s, ':', word.n);
    if (!colon)
        return false;
    size_t k = (size_t)(colon - word.s);
    return slice_is_hex(slice_to(word, k)) &&
           slice_is_hex(slice_from(word, k + 1));
}

/* "r-xp" and the like off the front of *s, if that is what is there. */
static void parse_permissions(struct prof_slice *s, struct line *line)
{
    struct prof_slice rest = *s, word = slice_take_word(&rest);
    line->executable = true;
    if (!word.n)
        return;
    for (size_t i = 0; i < word.n; i++)
        if (!word.s[i] || !strchr("-rwxps", word.s[i]))
            return;
    line->executable = memchr(word.s, 'x', word.n) != NULL;
    *s = rest;
}

/* [offset] device inode [name] */
static bool proc_form(struct prof_slice s, struct line *line)
{
    struct prof_slice word = slice_take_word(&s);
    uint64_t offset = 0;
    if (slice_is_hex(word)) {
        if (!slice_take_hex(&word, &offset))
            return false;
        word = slice_take_word(&s);
    }
    if (!is_device(word) || !slice_is_decimal(slice_take_word(&s)))
        return false;
    line->offset = offset;
    line->name = slice_trim(s);
    return true;
}

/* "(@1000)" */
static bool is_at_offset(struct prof_slice word, uint64_t *offset)
{
    if (word.n < 4 || memcmp(word.s, "(@", 2) != 0 || word.s[word.n - 1] != ')')
        return false;
    struct prof_slice digits = {word.s + 2, word.n - 3};
    return slice_is_hex(digits) && slice_take_hex(&digits, offset);
}

/* [name] [(@offset)] [build id]: taken from the end, for blanks in names. */
static void brief_form(struct prof_slice s, struct line *line)
{
    s = slice_trim(s);
    struct prof_slice rest = s, word = slice_take_last_word(&rest);
    line->name = s;
    if (is_at_offset(word, &line->offset)) {
        line->name = rest;
        return;
    }
    if (!rest.n || !slice_is_hex(word))
        return;
    line->build_id = word;
    line->name = rest;
    word = slice_take_last_word(&rest);
    if (is_at_offset(word, &line->offset))
        line->name = rest;
}

static bool parse_mapping(struct prof_slice s, struct line *line)
{
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
    parse_permissions(&s, line);
    if (!proc_form(s, line))
        brief_form(s, line);
    static const char deleted[] = " (deleted)";
    line->deleted = slice_ends_with(line->name, deleted);
    if (line->deleted)
        line->name.n -= sizeof deleted - 1;
    line->name = slice_trim(line->name);
    return true;
}

static bool parse_variable(struct prof_slice s, struct line *line)
{
    const char *equals = memchr(s.s, '=', s.n);
    if (!equals)
        return false;
    size_t k = (size_t)(equals - s.s);
    line->name = slice_trim(slice_to(s, k));
    line->value = slice_trim(slice_from(s, k + 1));
    for (size_t i = 0; i < line->name.n; i++)
        if (!slice_is_word_char(line->name.s[i]))
            return false;
    return line->name.n > 0;
}

/* A line that a profile has itself may hold anything, as in a name. */
static bool begins_itself(struct prof_slice line)
{
    static const char *const begins[] = {"#", "---", "0x"};
    line = slice_trim_left(line);
    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
        if (slice_begins_with(line, begins[i]))
            return true;
    return false;
}

struct prof_slice maps_unlog(struct prof_slice line)
{
    if (begins_itself(line))
        return line;
    const char *end = line.n ? memchr(line.s, ']', line.n) : NULL;
    if (!end)
        return line;
    size_t n = (size_t)(end - line.s), k = n;
    while (k && ascii_is_digit(line.s[k - 1]))
        k--;
    bool is_log = k < n && k > 1 && line.s[k - 1] == ':' && n + 1 < line.n &&
                  ascii_is_blank(line.s[n + 1]) && !memchr(line.s, '[', n);
    return is_log ? slice_from(line, n + 2) : line;
}

/* Takes a line, without its newline, apart. */
static struct line parse_line(struct prof_slice s)
{
    struct line line = {.kind = LINE_BLANK};
    if (!slice_trim(s).n)
        return line;
    if (parse_mapping(s, &line))
        line.kind = LINE_MAPPING;
    else if (parse_variable(s, &line))
        line.kind = LINE_VARIABLE;
    else
        line.kind = LINE_OTHER;
    return line;
}

/* --- variables */

/*
 * The variables of a list of mappings: `build=/home/me` makes "$build" mean
 * "/home/me" in the lines after it.  A variable is the longest run of letters,
 * digits and _ after the "$"; "$builder" is another one.  Unknown ones stay as
 * they are written.
 *
 * A few lines could make any amount of text of themselves, so that there are
 * two limits: on what a line becomes, and on what values put into all lines
 * together, which is 16 times the bytes of the list, and 1 MiB.
 */
struct vars {
    struct strtab strings; /* names and values */
    VEC(uint32_t) value;   /* by id of the name: 1 + id of the value, or 0 */
    struct buf line;       /* the last line expanded */
    size_t room;           /* bytes that values may still put in */
};

enum {
    LINE_MAX_BYTES = 64 * 1024,
    LIST_MIN_ROOM = 1024 * 1024,
    LIST_TIMES = 16,
};

/* For a list of n bytes; free_vars() also after a failure. */
static bool init_vars(struct vars *vars, size_t n)
{
    memset(vars, 0, sizeof *vars);
    vars->room = n < (SIZE_MAX - LIST_MIN_ROOM) / LIST_TIMES
                     ? LIST_MIN_ROOM + LIST_TIMES * n
                     : SIZE_MAX;
    return strtab_init(&vars->strings);
}

static void free_vars(struct vars *vars)
{
    strtab_free(&vars->strings);
    vec_free(&vars->value);
    buf_free(&vars->line);
}

/* Sets a variable, or gives it another value. */
static bool set_var(struct vars *vars, struct prof_slice name,
                    struct prof_slice value, struct prof_err *err)
{
    uint32_t n, v;
    if (!strtab_add(&vars->strings, name.s, name.n, &n) ||
        !strtab_add(&vars->strings, value.s, value.n, &v))
        return err_nomem(err);
    while (vars->value.n <= n)
        if (!vec_push(&vars->value, 0))
            return err_nomem(err);
    vars->value.v[n] = v + 1;
    return true;
}

/* The value of a variable, if it has one. */
static bool value_of(const struct vars *vars, struct prof_slice name,
                     struct prof_slice *value)
{
    uint32_t id;
    if (!strtab_find(&vars->strings, name.s, name.n, &id) ||
        id >= vars->value.n || !vars->value.v[id])
        return false;
    id = vars->value.v[id] - 1;
    value->s = strtab_str(&vars->strings, id);
    value->n = strtab_len(&vars->strings, id);
    return true;
}

static bool put_text(struct vars *vars, struct prof_slice s,
                     struct prof_err *err)
{
    if (s.n > LINE_MAX_BYTES - vars->line.n)
        return err_set(err, PROF_ERR_INPUT,
                       "its variables expand to a line of more than %d bytes",
                       LINE_MAX_BYTES);
    return buf_put(&vars->line, s.s, s.n) || err_nomem(err);
}

static bool put_value(struct vars *vars, struct prof_slice value,
                      struct prof_err *err)
{
    if (value.n > vars->room)
        return err_set(
            err, PROF_ERR_INPUT,
            "its variables expand the list to more than %d times its size",
            LIST_TIMES);
    vars->room -= value.n;
    return put_text(vars, value, err);
}

/*
 * Puts values in the place of variables in *line, which is then good until the
 * next call.  PROF_ERR_INPUT: the line or the list would become too long.
 */
static bool expand_vars(struct vars *vars, struct prof_slice *line,
                        struct prof_err *err)
{
    const char *at = line->s, *end = line->s + line->n, *dollar;
    if (!vars->value.n || !memchr(at, '$', line->n))
        return true;
    vars->line.n = 0;
    while ((dollar = memchr(at, '$', (size_t)(end - at)))) {
        struct prof_slice plain = {at, (size_t)(dollar - at)}, value;
        struct prof_slice name = {dollar + 1, 0};
        while (name.s + name.n < end && slice_is_word_char(name.s[name.n]))
            name.n++;
        if (!value_of(vars, name, &value))
            value = (struct prof_slice){dollar, name.n + 1};
        if (!put_text(vars, plain, err) || !put_value(vars, value, err))
            return false;
        at = name.s + name.n;
    }
    if (!put_text(vars, (struct prof_slice){at, (size_t)(end - at)}, err))
        return false;
    *line = (struct prof_slice){(const char *)vars->line.v, vars->line.n};
    return true;
}

/* --- mappings */

/* Where programs that are not position-independent begin on x86-64. */
enum { FIXED_START = 0x400000 };

struct reading {
    struct profile *p;
    struct vars vars;
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
static bool unescape(struct buf *to, struct prof_slice s)
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

static bool add_mapping(struct reading *r, const struct line *line,
                        struct prof_err *err)
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
static bool was_file(struct prof_slice name)
{
    static const char *const others[] = {"/memfd:", "/dev/zero", "/SYSV",
                                         huge_page};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (slice_begins_with(name, others[i]))
            return false;
    return true;
}

static bool read_line(struct reading *r, struct prof_slice text,
                      struct prof_err *err)
{
    text = maps_unlog(text);
    if (!expand_vars(&r->vars, &text, err))
        return false;
    struct line line = parse_line(text);
    if (line.kind == LINE_MAPPING && !line.executable)
        return true;
    if (line.kind == LINE_MAPPING) {
        if (line.deleted && was_file(line.name) && r->n_gone++ == 0)
            r->a_gone = r->line;
        return add_mapping(r, &line, err);
    }
    if (line.kind == LINE_VARIABLE)
        return set_var(&r->vars, line.name, line.value, err);
    if (line.kind == LINE_OTHER && r->n_odd++ == 0)
        r->an_odd = r->line;
    return true;
}

static bool read_lines(struct reading *r, struct prof_slice text,
                       struct prof_err *err)
{
    while (text.n) {
        struct prof_slice line = slice_take_line(&text);
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

bool maps_read(struct prof_slice text, struct profile *p,
               const struct prof_notes *notes, struct prof_err *err)
{
    struct reading r = {.p = p};
    bool ok =
        init_vars(&r.vars, text.n) ? read_lines(&r, text, err) : err_nomem(err);
    free_vars(&r.vars);
    buf_free(&r.name);
    if (!ok)
        return false;
    if (r.n_odd)
        note_loss(notes,
                  "%zu lines of the map list skipped, starting at line %zu: "
                  "neither mappings nor variables",
                  r.n_odd, r.an_odd);
    if (r.n_gone)
        note_warn(notes,
                  "%zu mappings, starting at line %zu of the map list, are of "
                  "files that were deleted; files that have these names now "
                  "may have other symbols",
                  r.n_gone, r.a_gone);
    if (r.n_moved)
        note_info(notes,
                  "%zu mappings without a file lie inside a file's mappings; "
                  "treated as that file's code, moved to other memory",
                  r.n_moved);
    if (text.n && text.s[text.n - 1] != '\n')
        note_loss(notes,
                  "unexpected end of file in line %zu of the map list; the "
                  "last mapping may be truncated",
                  r.line);
    order(p);
    return true;
}

bool maps_has_main(const struct profile *p)
{
    return p->n_mappings && is_main(p, &p->mappings[0]);
}

bool maps_name_main(struct profile *p, const char *name,
                    const struct prof_notes *notes, struct prof_err *err)
{
    uint32_t id;
    if (!prof_str(p, name, &id, err))
        return false;
    const struct prof_mapping *m = p->mappings;
    size_t n = p->n_mappings, i = 0;
    if (n && m[0].filename && !is_main(p, &m[0]))
        i = m[n - 1].limit < UINT64_MAX ? n : n - 1;
    if (i == n) {
        note_warn(notes, "no main binary's mapping for %s", name);
        return true;
    }
    move_to_front(p, i);
    p->mappings[0].filename = id;
    return true;
}

/* --- the mapping of each location */

/*
 * Mappings may overlap, the first in the list wins, and a hostile file has
 * very many of them.  So the address space is cut into cells at every edge
 * of a mapping and each cell is given to its first mapping once; then an
 * address is a binary search.
 */
struct cells {
    uint64_t *edge;  /* n of them, ascending, distinct */
    uint32_t *owner; /* of [edge[i], edge[i + 1]): a mapping or PROF_NONE */
    size_t *next;    /* while painting: a free cell is at or after this one */
    size_t n;
};

enum ranges { WITHIN, BELOW };

/* The addresses of a mapping, or those of its file that come before it. */
static bool range(const struct prof_mapping *m, enum ranges which,
                  uint64_t *start, uint64_t *limit)
{
    *start = which == WITHIN ? m->start : m->start - m->offset;
    *limit = which == WITHIN ? m->limit : m->start;
    return *start < *limit;
}

static int by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* The cell that holds the address, or n when it is below all. */
static size_t find_cell(const struct cells *c, uint64_t address)
{
    size_t lo = 0, hi = c->n;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (c->edge[mid] <= address)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo ? lo - 1 : c->n;
}

static size_t free_cell(struct cells *c, size_t i)
{
    while (c->next[i] != i) {
        c->next[i] = c->next[c->next[i]];
        i = c->next[i];
    }
    return i;
}

static void collect_edges(struct cells *c, const struct profile *p,
                          enum ranges which)
{
    uint64_t start, limit;
    size_t n = 0;
    for (size_t i = 0; i < p->n_mappings; i++) {
        if (range(&p->mappings[i], which, &start, &limit)) {
            c->edge[n++] = start;
            c->edge[n++] = limit;
        }
    }
    qsort(c->edge, n, sizeof *c->edge, by_value);
    for (size_t i = 0; i < n; i++)
        if (!c->n || c->edge[c->n - 1] != c->edge[i])
            c->edge[c->n++] = c->edge[i];
}

static void paint(struct cells *c, const struct profile *p, enum ranges which)
{
    uint64_t start, limit;
    for (size_t i = 0; i < c->n; i++) {
        c->owner[i] = PROF_NONE;
        c->next[i] = i;
    }
    for (size_t m = 0; m < p->n_mappings; m++) {
        if (!range(&p->mappings[m], which, &start, &limit))
            continue;
        size_t end = find_cell(c, limit);
        for (size_t i = free_cell(c, find_cell(c, start)); i < end;
             i = free_cell(c, i)) {
            c->owner[i] = (uint32_t)m;
            c->next[i] = i + 1;
        }
    }
}

static void free_cells(struct cells *c)
{
    free(c->edge);
    free(c->owner);
    free(c->next);
}

static bool make_cells(struct cells *c, const struct profile *p,
                       enum ranges which)
{
    size_t n = p->n_mappings * 2;
    *c = (struct cells){.edge = mem_array(n, sizeof *c->edge),
                        .owner = mem_array(n, sizeof *c->owner),
                        .next = mem_array(n, sizeof *c->next)};
    if (!c->edge || !c->owner || !c->next)
        return false;
    collect_edges(c, p, which);
    paint(c, p, which);
    return true;
}

static uint32_t lookup(const struct cells *c, uint64_t address)
{
    size_t i = find_cell(c, address);
    return i < c->n ? c->owner[i] : PROF_NONE;
}

/* Those that lie in a mapping, or below one; these are then extended. */
static bool locate(struct profile *p, enum ranges which)
{
    struct cells c;
    bool ok = make_cells(&c, p, which);
    for (size_t l = 0; ok && l < p->n_locations; l++) {
        struct prof_location *loc = &p->locations[l];
        if (loc->mapping != PROF_NONE || !loc->address)
            continue;
        loc->mapping = lookup(&c, loc->address);
        if (loc->mapping == PROF_NONE || which == WITHIN)
            continue;
        struct prof_mapping *m = &p->mappings[loc->mapping];
        m->start -= m->offset;
        m->offset = 0;
    }
    free_cells(&c);
    return ok;
}

bool maps_locate(struct profile *p, const struct prof_notes *notes,
                 struct prof_err *err)
{
    size_t n_listed = p->n_mappings, n_left = 0;
    if (!locate(p, WITHIN) || !locate(p, BELOW))
        return err_nomem(err);
    for (size_t l = 0; l < p->n_locations; l++) {
        struct prof_location *loc = &p->locations[l];
        if (loc->mapping != PROF_NONE || !loc->address)
            continue;
        struct prof_mapping all = {.limit = UINT64_MAX};
        if (!n_left++ && !prof_add_mapping(p, &all, NULL, err))
            return false;
        loc->mapping = (uint32_t)(p->n_mappings - 1);
    }
    if (n_left && n_listed)
        note_warn(notes,
                  "%zu of %zu addresses lie outside all listed mappings (in "
                  "libraries unloaded before the profile was written?)",
                  n_left, p->n_locations);
    return true;
}
