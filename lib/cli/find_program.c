/* find_program.c - finds the program of a profile by patterns for its name */
#include "cli/find_program.h"

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/slice.h"
#include "base/system.h"
#include "base/tempfile.h"
#include "base/vec.h"

/* --- patterns ------------------------------------------------------------- */

enum placeholder { DIR, PARENT, NAME, STEM, N_PARTS };

static const char *const words[N_PARTS] = {"{dir}", "{parent}", "{name}",
                                           "{stem}"};

#define WORDS "{dir}|{parent}|{name}|{stem}"

/* Returns the placeholder that s begins with, or N_PARTS. */
static enum placeholder word_at(const char *s)
{
    enum placeholder p = 0;
    while (p < N_PARTS && strncmp(s, words[p], strlen(words[p])) != 0)
        p++;
    return p;
}

bool program_pattern_check(const char *pattern, struct prof_err *err)
{
    size_t i;
    for (const char *s = strchr(pattern, '{'); s; s = strchr(s + 1, '{')) {
        const char *end = strchr(s, '}');
        size_t n = end ? (size_t)(end + 1 - s) : strlen(s);
        if (!slice_find_word((struct prof_slice){s, n}, WORDS, &i, err))
            return false;
    }
    const char *last = path_after_slash(slice_of(pattern)).s;
    if (!*last || strcmp(last, ".") == 0 || strcmp(last, "..") == 0 ||
        strcmp(last, words[DIR]) == 0)
        return err_set(err, PROF_ERR_USAGE,
                       "'%s' names a directory, not a file", pattern);
    return true;
}

static struct prof_slice stem_of(struct prof_slice name)
{
    static const char *const packed[] = {".gz", ".bz2", ".xz", ".zst", ".lz4"};
    for (size_t i = 0; i < sizeof packed / sizeof *packed; i++)
        if (name.n > strlen(packed[i]) && slice_ends_with(name, packed[i])) {
            name.n -= strlen(packed[i]);
            break;
        }
    for (size_t n = name.n; n > 1; n--)
        if (name.s[n - 1] == '.')
            return (struct prof_slice){name.s, n - 1};
    return name;
}

/* Sets part[] to the parts of a profile's path; null: standard input. */
static void split_path(const char *path, struct prof_slice part[N_PARTS])
{
    memset(part, 0, N_PARTS * sizeof *part);
    part[DIR] = (struct prof_slice){".", 1};
    if (!path)
        return;
    part[NAME] = path_after_slash(slice_of(path));
    part[STEM] = stem_of(part[NAME]);
    if (part[NAME].s == path)
        return;
    part[DIR] = (struct prof_slice){path, (size_t)(part[NAME].s - path)};
    while (part[DIR].n > 1 && part[DIR].s[part[DIR].n - 1] == '/')
        part[DIR].n--;
    struct prof_slice dir = part[DIR], *parent = &part[PARENT];
    parent->s = path_base(dir.s, dir.n, &parent->n);
    if (*parent->s == '/' || slice_is(*parent, ".") || slice_is(*parent, ".."))
        parent->n = 0;
}

/* Appends the pattern with placeholders replaced by the parts.  Returns 1, 0 if
 * a part is missing, or -1 if memory is out. */
static int fill_in(const char *pattern, const struct prof_slice part[N_PARTS],
                   struct buf *to)
{
    struct prof_slice dir = part[DIR];
    if (*pattern != '/' && word_at(pattern) != DIR &&
        !(buf_put(to, dir.s, dir.n) && buf_putc(to, '/')))
        return -1;
    while (*pattern) {
        enum placeholder p = *pattern == '{' ? word_at(pattern) : N_PARTS;
        if (p < N_PARTS && !part[p].n)
            return 0;
        if (!(p < N_PARTS ? buf_put(to, part[p].s, part[p].n)
                          : buf_putc(to, *pattern)))
            return -1;
        pattern += p < N_PARTS ? strlen(words[p]) : 1;
    }
    return buf_putc(to, 0) ? 1 : -1;
}

bool program_entry_name(const char *entry, struct buf *to)
{
    while (*entry == '/')
        entry++;
    to->n = 0;
    return path_clean(to, entry, strlen(entry)) && buf_putc(to, 0);
}

int program_pattern_expand(const char *pattern, const char *path, bool is_entry,
                           struct buf *to, const char **why)
{
    struct prof_slice part[N_PARTS];
    struct buf filled = {0};
    split_path(path, part);
    to->n = 0;
    *why =
        path ? "its name has no such part" : "standard input has no file name";
    if (!is_entry) {
        int got = fill_in(pattern, part, to);
        /* Remove "./" at the start. */
        size_t n = 0;
        while (got == 1 && to->n > n + 2 && to->v[n] == '.' &&
               to->v[n + 1] == '/')
            for (n += 2; to->v[n] == '/';)
                n++;
        if (n)
            memmove(to->v, to->v + n, to->n - n);
        to->n -= n;
        return got;
    }
    int got = fill_in(pattern, part, &filled);
    if (got == 1 && !program_entry_name((const char *)filled.v, to))
        got = -1;
    if (got == 1 && strncmp((const char *)to->v, "../", 3) == 0) {
        *why = TEXT("leads outside the archive");
        got = 0;
    }
    buf_free(&filled);
    return got;
}

bool program_pattern_matches(const char *pattern, const char *entry)
{
    struct buf glob = {0};
    bool ok = true;
    const char *s = path_after_slash(slice_of(pattern)).s;
    while (ok && *s) {
        enum placeholder p = *s == '{' ? word_at(s) : N_PARTS;
        ok = p < N_PARTS ? buf_putc(&glob, '*')
                         : (!strchr("*?[\\", *s) || buf_putc(&glob, '\\')) &&
                               buf_putc(&glob, *s);
        s += p < N_PARTS ? strlen(words[p]) : 1;
    }
    /* Counts as a match if memory is out or fnmatch() fails. */
    const char *name = path_after_slash(slice_of(entry)).s;
    ok = ok && buf_putc(&glob, 0) &&
         fnmatch((const char *)glob.v, name, 0) == FNM_NOMATCH;
    buf_free(&glob);
    return !ok;
}

/* --- programs ------------------------------------------------------------- */

/* The content of programs.  Programs with the same bytes share one. */
struct content {
    char *path;           /* owned */
    struct tempfile file; /* the bytes of an archive's entry */
};

/* An entry that matches a pattern. */
struct entry {
    const char *irregular; /* its type if not a regular file */
    uint32_t content;
};

struct find_program {
    VEC(const char *) patterns;
    const char *default_path; /* or null */
    struct map hashes;        /* by hash of the bytes: index in `contents` */
    VEC(struct content) contents;
    struct map paths; /* of files: rows of */
    VEC(uint32_t) contents_of_paths;
    struct map names; /* of `entries`, likewise; of this input */
    VEC(struct entry) entries;
    bool is_complete;  /* all entries of the input are known */
    struct map missed; /* names not found so far */
    struct buf name;   /* an expanded pattern */
    struct buf found;  /* found_program.name */
};

struct find_program *find_program_new(struct prof_err *err)
{
    return mem_new(sizeof(struct find_program), err);
}

/* Forgets the entries of the last input. */
static void free_entries(struct find_program *f)
{
    map_free(&f->missed);
    vec_free(&f->entries);
    map_free(&f->names);
}

void find_program_free(struct find_program *f)
{
    if (!f)
        return;
    for (size_t i = 0; i < f->contents.n; i++) {
        free(f->contents.v[i].path);
        tempfile_close(&f->contents.v[i].file);
    }
    vec_free(&f->patterns);
    map_free(&f->hashes);
    vec_free(&f->contents);
    map_free(&f->paths);
    vec_free(&f->contents_of_paths);
    free_entries(f);
    buf_free(&f->name);
    buf_free(&f->found);
    free(f);
}

bool find_program_add_pattern(struct find_program *f, const char *pattern,
                              struct prof_err *err)
{
    return program_pattern_check(pattern, err) &&
           (vec_push(&f->patterns, pattern) || err_nomem(err));
}

void find_program_set_default(struct find_program *f, const char *path)
{
    f->default_path = path;
}

/* --- contents ------------------------------------------------------------- */

/* Sets *number to the content with these bytes; a new one has no path yet. */
static bool content_of_bytes(struct find_program *f, const void *data, size_t n,
                             uint32_t *number, struct prof_err *err)
{
    XXH128_hash_t h = XXH3_128bits_withSeed(data, n, hash_seed());
    const uint64_t key[] = {h.low64, h.high64, n};
    const struct content none = {0};
    return map_push(&f->hashes, &f->contents, key, sizeof key, number, none) ||
           err_nomem(err);
}

static bool store_program(struct find_program *f, const struct input_part *part,
                          uint32_t *number, struct prof_err *err)
{
    if (!content_of_bytes(f, part->data, part->n, number, err))
        return false;
    struct content *c = &f->contents.v[*number];
    if (c->path)
        return true;
    if (!tempfile_open(&c->file, err) ||
        !tempfile_put(&c->file, part->data, part->n, err) ||
        !tempfile_flush(&c->file, err))
        return false;
    char path[SYSTEM_FD_PATH];
    system_fd_path(c->file.fd, path);
    c->path = strdup(path);
    return c->path || err_nomem(err);
}

static bool read_file(const char *path, struct buf *to, struct prof_err *err)
{
    enum { BLOCK = 64 * 1024 };
    ssize_t k = 1;
    int fd = file_open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return err_errno(err, errno, "cannot open");
    while (k > 0 && buf_reserve(to, BLOCK)) {
        k = file_read(fd, to->v + to->n, BLOCK);
        to->n += k > 0 ? (size_t)k : 0;
    }
    int why = errno;
    (void)close(fd);
    return k == 0 ||
           (k < 0 ? err_errno(err, why, "cannot read") : err_nomem(err));
}

static bool content_of_file(struct find_program *f, const char *path,
                            uint32_t *number, struct prof_err *err)
{
    uint32_t row;
    struct buf data = {0};
    if (map_find(&f->paths, path, strlen(path), &row)) {
        *number = f->contents_of_paths.v[row];
        return true;
    }
    bool ok = read_file(path, &data, err) &&
              content_of_bytes(f, data.v, data.n, number, err);
    buf_free(&data);
    if (!ok)
        return false;
    struct content *c = &f->contents.v[*number];
    if (!c->path)
        c->path = strdup(path);
    return (c->path && map_push(&f->paths, &f->contents_of_paths, path,
                                strlen(path), &row, *number)) ||
           err_nomem(err);
}

/* --- entries -------------------------------------------------------------- */

static bool is_elf(const uint8_t *data, size_t n)
{
    return n > 4 && memcmp(data, "\177ELF", 4) == 0;
}

static bool matches_pattern(const struct find_program *f, const char *entry)
{
    for (size_t i = 0; i < f->patterns.n; i++)
        if (program_pattern_matches(f->patterns.v[i], entry))
            return true;
    return false;
}

/* Returns the entry that is named f->name, or null. */
static const struct entry *find_entry(const struct find_program *f)
{
    uint32_t row;
    return map_find(&f->names, f->name.v, f->name.n - 1, &row)
               ? &f->entries.v[row]
               : NULL;
}

/* Sets *to to the entry that a hard link refers to, if that was kept. */
static bool follow_link(struct find_program *f, const char *link,
                        struct entry *to, struct prof_err *err)
{
    if (!program_entry_name(link, &f->name))
        return err_nomem(err);
    const struct entry *e = find_entry(f);
    if (e)
        *to = *e;
    else if (!matches_pattern(f, link))
        to->irregular = "a hard link to an entry that no pattern matches";
    return true;
}

static bool keep_entry(struct find_program *f, const struct input_part *part,
                       struct entry *e, struct prof_err *err)
{
    uint32_t row;
    if (part->link && !follow_link(f, part->link, e, err))
        return false;
    if (!part->irregular && !store_program(f, part, &e->content, err))
        return false;
    if (!program_entry_name(part->entry, &f->name) ||
        !map_push(&f->names, &f->entries, f->name.v, f->name.n - 1, &row, *e))
        return err_nomem(err);
    f->entries.v[row] = *e;
    return true;
}

int find_program_keep(struct find_program *f, const struct input_part *part,
                      struct prof_err *err)
{
    uint32_t row;
    struct entry e = {.irregular = part->irregular};
    if (!part->entry || !matches_pattern(f, part->entry) ||
        (!part->irregular && !is_elf(part->data, part->n)))
        return 0;
    if (f->is_complete)
        return part->link && !follow_link(f, part->link, &e, err)
                   ? -1
                   : !e.irregular;
    if (!keep_entry(f, part, &e, err))
        return -1;
    if (!e.irregular && map_find(&f->missed, f->name.v, f->name.n - 1, &row)) {
        err_input(err, "the program follows its profile in the archive, and a "
                       "pipe is read only once; pass the archive as a file");
        return -1;
    }
    return !e.irregular;
}

/* Keeps an archive's programs.  Only failures of the system are errors: damage
 * is reported when the archive is read again. */
static bool keep_all(struct find_program *f, const char *path,
                     uint64_t max_size, struct prof_err *err)
{
    const struct input_opts opts = {
        .max_size = max_size, .join_members = true, .all_entries = true};
    struct input *in;
    struct input_part part;
    int got, kept = 0;
    if (!input_open(&in, path, &opts, NULL, err))
        return err->kind != PROF_ERR_SYSTEM;
    if (input_is_archive(in))
        while (kept >= 0 && (got = input_next(in, &part, err)) != 0) {
            if (got > 0)
                kept = find_program_keep(f, &part, err);
            else if (err->kind == PROF_ERR_SYSTEM)
                kept = -1;
        }
    input_close(in);
    return kept >= 0;
}

bool find_program_begin(struct find_program *f, const char *path,
                        uint64_t max_size, struct prof_err *err)
{
    struct stat st;
    bool is_stdin = strcmp(path, "-") == 0;
    off_t at = is_stdin ? lseek(STDIN_FILENO, 0, SEEK_CUR) : 0;
    free_entries(f);
    f->is_complete = false;
    if ((is_stdin ? fstat(STDIN_FILENO, &st) : stat(path, &st)) != 0)
        return file_is_refused(errno) || err_errno(err, errno, "cannot read");
    if (!S_ISREG(st.st_mode) || at < 0)
        return true;
    bool ok = keep_all(f, path, max_size, err);
    f->is_complete = true;
    return ok && (!is_stdin || lseek(STDIN_FILENO, at, SEEK_SET) == at ||
                  err_errno(err, errno, "cannot read"));
}

/* --- the search ----------------------------------------------------------- */

enum result { FOUND, NOT_FOUND, FAILED };

static enum result find_in_files(struct find_program *f, uint32_t *content,
                                 const char **why, struct prof_err *err)
{
    const char *path = (char *)f->name.v;
    uint8_t magic[5];
    struct stat st;
    int fd = file_open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
    ssize_t k = fd < 0 || fstat(fd, &st) != 0 ? -1 : 0;
    if (k == 0 && S_ISREG(st.st_mode))
        k = file_read(fd, magic, sizeof magic);
    int errnum = errno;
    if (fd >= 0)
        (void)close(fd);
    if (k < 0 && !file_is_refused(errnum)) {
        err_errno(err, errnum, "cannot read %s", path);
        return FAILED;
    }
    *why = k < 0                       ? strerror(errnum)
           : !S_ISREG(st.st_mode)      ? "not a regular file"
           : !is_elf(magic, (size_t)k) ? "not an ELF file"
                                       : NULL;
    if (*why)
        return NOT_FOUND;
    return content_of_file(f, path, content, err) ? FOUND : FAILED;
}

/* A search for the program of a part. */
struct search {
    const struct input_part *part;
    uint32_t content;
    struct buf tried; /* names that were tried, and why each was refused */
};

static enum result try_pattern(struct find_program *f, struct search *s,
                               const char *pattern, struct prof_err *err)
{
    const struct input_part *part = s->part;
    bool is_entry = part->entry != NULL;
    const char *path = is_entry ? part->entry : part->path, *why = NULL;
    uint32_t row;
    if (!is_entry && strcmp(path, "-") == 0)
        path = NULL;
    int got = is_entry && !program_entry_name(path, &f->found) ? -1 : 0;
    if (got == 0)
        got = program_pattern_expand(pattern,
                                     is_entry ? (char *)f->found.v : path,
                                     is_entry, &f->name, &why);
    enum result found = NOT_FOUND;
    bool missed = false;
    if (got > 0 && is_entry) {
        const struct entry *e = find_entry(f);
        missed = !e && !f->is_complete;
        why =
            e ? e->irregular
            : missed
                ? TEXT("not found before the profile, and a pipe is read only "
                       "once; pass the archive as a file, or specify the "
                       "program with -e")
                : TEXT("not in the archive");
        found = why ? NOT_FOUND : FOUND;
        if (found == FOUND)
            s->content = e->content;
    } else if (got > 0) {
        found = find_in_files(f, &s->content, &why, err);
    }
    if (found == NOT_FOUND &&
        (got < 0 ||
         (missed &&
          !map_add(&f->missed, f->name.v, f->name.n - 1, &row, NULL)) ||
         !buf_printf(&s->tried, "%s%s: %s", s->tried.n ? "; " : "",
                     got ? (char *)f->name.v : pattern, why))) {
        err_nomem(err);
        found = FAILED;
    }
    return found;
}

bool find_program(struct find_program *f, const struct input_part *part,
                  struct found_program *p, struct prof_err *err)
{
    struct search s = {.part = part};
    enum result found = NOT_FOUND;
    for (size_t i = 0; found == NOT_FOUND && i < f->patterns.n; i++)
        found = try_pattern(f, &s, f->patterns.v[i], err);
    bool is_default = found == NOT_FOUND && f->default_path;
    if (is_default)
        found = content_of_file(f, f->default_path, &s.content, err) ? FOUND
                                                                     : FAILED;
    if (found == NOT_FOUND)
        err_input(err, "program not found: %.*s", (int)s.tried.n,
                  (char *)s.tried.v);
    buf_free(&s.tried);
    if (found != FOUND)
        return false;
    f->found.n = 0;
    if (!buf_put(&f->found, f->name.v, f->name.n))
        return err_nomem(err);
    *p = (struct found_program){
        .content = s.content,
        .path = f->contents.v[s.content].path,
        .name = is_default ? f->default_path : (char *)f->found.v,
        .archive = part->entry && !is_default ? part->path : NULL,
        .is_default = is_default};
    return true;
}
