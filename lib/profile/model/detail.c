/* detail.c - reduces detail: granularity, file names without prefixes */
#include "profile/model/build.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/utf8.h"
#include "base/vec.h"

/*
 * Replaces the lines of each location by a function that is named after its
 * binary.  A location whose mapping has no file gets no function.
 */
static bool keep_binaries(struct profile *p, struct prof_err *err)
{
    uint32_t *function_of = mem_array(p->n_mappings, sizeof *function_of);
    bool ok = function_of || err_nomem(err);
    p->n_lines = p->n_functions = 0;
    for (size_t i = 0; ok && i < p->n_mappings; i++) {
        struct prof_mapping *m = &p->mappings[i];
        struct prof_function f = {0};
        struct prof_slice path = prof_text(p, m->filename);
        size_t n;
        const char *name = path_base(path.s, path.n, &n);
        function_of[i] = PROF_NONE;
        if (n)
            ok = prof_strn(p, name, n, &f.name, err) &&
                 prof_add_function(p, &f, &function_of[i], err);
        m->has_filenames = m->has_line_numbers = m->has_inline_frames = false;
        m->has_functions = ok && function_of[i] != PROF_NONE;
    }
    for (size_t i = 0; ok && i < p->n_locations; i++) {
        struct prof_location *l = &p->locations[i];
        const struct prof_line line = {
            .function =
                l->mapping == PROF_NONE ? PROF_NONE : function_of[l->mapping]};
        l->address = 0;
        l->line_off = p->n_lines;
        l->n_lines = line.function != PROF_NONE;
        ok = !l->n_lines || prof_push_line(p, &line, err);
    }
    free(function_of);
    return ok;
}

/*
 * Returns what follows the last slash or backslash, without slashes at the end.
 * A name of slashes only is returned as it is.
 */
static struct prof_slice base_name(struct prof_slice path)
{
    size_t n = path.n, from;
    while (n && ascii_is_one_of(path.s[n - 1], "/\\"))
        n--;
    for (from = n; from && !ascii_is_one_of(path.s[from - 1], "/\\");)
        from--;
    return n ? slice_from(slice_to(path, n), from) : path;
}

/*
 * The context of strip_file(), which finds the base name of each string once.
 */
struct stripping {
    struct profile *p;
    uint32_t *instead; /* new id, by string id; PROF_NONE: not known */
    struct prof_err *err;
};

static bool strip_file(void *ctx, enum prof_string_kind kind, size_t index,
                       uint32_t *id)
{
    const struct stripping *s = ctx;
    uint32_t *to = &s->instead[*id];
    (void)index;
    if (kind != PROF_SOURCE_FILE && kind != PROF_MAPPING_FILE)
        return true;
    if (*to == PROF_NONE) {
        struct prof_slice base = base_name(prof_text(s->p, *id));
        if (!prof_strn(s->p, base.s, base.n, to, s->err))
            return false;
    }
    *id = *to;
    return true;
}

static bool strip_paths(struct profile *p, struct prof_err *err)
{
    struct stripping s = {p, mem_none(p->strings.n), err};
    if (!s.instead)
        return err_nomem(err);
    bool ok = prof_visit_strings(p, strip_file, &s);
    free(s.instead);
    return ok;
}

bool prof_aggregate(struct profile *p, const struct prof_detail *detail,
                    struct prof_err *err)
{
    enum prof_granularity g = detail->granularity;
    if (detail->strip_paths && !strip_paths(p, err))
        return false;
    if (g == PROF_BINARIES)
        return keep_binaries(p, err);
    /* Keep everything, columns included. */
    if (g == PROF_ADDRESSES && !detail->no_inlines)
        return true;
    bool inlines = !detail->no_inlines;
    bool addresses = g == PROF_ADDRESSES;
    bool lines = addresses || g == PROF_LINES;
    bool columns = lines && detail->show_columns;
    bool files = lines || g == PROF_FILEFUNCTIONS || g == PROF_FILES;
    bool functions = g != PROF_FILES;
    bool start_lines = lines || detail->keep_start_lines;
    for (size_t i = 0; i < p->n_mappings; i++) {
        struct prof_mapping *m = &p->mappings[i];
        m->has_inline_frames = m->has_inline_frames && inlines;
        m->has_functions = m->has_functions && functions;
        m->has_filenames = m->has_filenames && files;
        m->has_line_numbers = m->has_line_numbers && lines;
    }
    for (size_t i = 0; i < p->n_functions; i++) {
        struct prof_function *f = &p->functions[i];
        if (!functions)
            f->name = f->system_name = 0;
        if (!files)
            f->filename = 0;
        if (!start_lines)
            f->start_line = 0;
    }
    for (size_t i = 0; i < p->n_locations; i++) {
        struct prof_location *l = &p->locations[i];
        if (!inlines && l->n_lines > 1) {
            l->line_off += l->n_lines - 1;
            l->n_lines = 1;
        }
        if (!addresses)
            l->address = 0;
    }
    for (size_t i = 0; i < p->n_lines; i++) {
        struct prof_line *line = &p->lines[i];
        if (!lines)
            line->line = 0;
        if (!columns)
            line->column = 0;
    }
    return true;
}

const char *prof_next_dir(const char **list, size_t *n)
{
    const char *dir = *list;
    if (!dir)
        return NULL;
    *n = strcspn(dir, ":");
    /* After a last colon there is one more part, which is empty. */
    *list = dir[*n] ? dir + *n + 1 : NULL;
    return dir;
}

/*
 * Returns the length of the directory with its slash if the name lies in it,
 * else 0.
 */
static size_t inside(const char *name, size_t len, const char *dir, size_t n)
{
    if (n && dir[n - 1] == '/')
        n--;
    if (len <= n || memcmp(name, dir, n) != 0 || name[n] != '/')
        return 0;
    return n + 1;
}

/* Returns the offset after "/part/" in the name, or 0. */
static size_t after_part(const char *name, size_t len, const char *part,
                         size_t n)
{
    for (size_t i = 0; len >= n + 2 && i <= len - n - 2; i++)
        if (name[i] == '/' && name[i + n + 1] == '/' &&
            memcmp(name + i + 1, part, n) == 0)
            return i + n + 2;
    return 0;
}

size_t prof_trim_path(const char *name, size_t len, const char *dirs,
                      const char *search)
{
    static const char *const always[] = {"/proc/self/cwd/.", "/proc/self/cwd"};
    bool guess = !dirs || !*dirs;
    const char *list = guess ? search : dirs, *dir;
    size_t n, trim;
    list = list && *list ? list : NULL;
    while ((dir = prof_next_dir(&list, &n))) {
        const char *base = guess ? path_base(dir, n, &n) : dir;
        trim =
            guess ? after_part(name, len, base, n) : inside(name, len, base, n);
        if (trim)
            return trim;
    }
    for (size_t i = 0; i < sizeof always / sizeof *always; i++) {
        trim = inside(name, len, always[i], strlen(always[i]));
        if (trim)
            return trim;
    }
    return 0;
}

bool prof_trim_paths(struct profile *p, const char *dirs, const char *search,
                     struct prof_err *err)
{
    /* Trim each file name once; PROF_NONE: not trimmed yet. */
    uint32_t *instead = mem_none(p->strings.n);
    if (!instead)
        return err_nomem(err);
    bool ok = true;
    for (size_t i = 0; ok && i < p->n_functions; i++) {
        uint32_t *name = &p->functions[i].filename, *to = &instead[*name];
        if (*to == PROF_NONE) {
            struct prof_slice text = prof_text(p, *name);
            text =
                slice_from(text, prof_trim_path(text.s, text.n, dirs, search));
            ok = prof_strn(p, text.s, text.n, to, err);
        }
        *name = *to;
    }
    free(instead);
    return ok;
}
