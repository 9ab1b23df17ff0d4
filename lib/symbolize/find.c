/*
 * find.c - finds the files of a mapping: its binary, its debug file, and the
 * file of debug information that several debug files share
 *
 * Files are tried by name, one after another.  A file that does not exist, or
 * is not the right one, is skipped.  If a system call fails, the search fails.
 *
 * libdwfl also finds debug files.  It is not used because it
 *
 *   - asks debuginfod servers if DEBUGINFOD_URLS is set
 *   - blocks if a FIFO has the name of a debug file
 *   - decompresses .gnu_debugdata without a limit of size
 */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/bytes.h"
#include "base/file.h"
#include "symbolize/private.h"

/* A search that tries files that may belong to `owner`, a file with this build
 * ID. */
struct attempt {
    const char *owner, *build_id;
    const struct prof_notes *notes;
    struct buf name; /* of the file being tried; the caller frees it */
    struct prof_err *err;
    bool failed; /* a system call failed: *err is set */
};

/* Formats the name of a file, with a NUL, and returns the result of `try`. */
#define ATTEMPT(a, try, ...)                                                   \
    ((a)->name.n = 0,                                                          \
     buf_printf(&(a)->name, __VA_ARGS__) && buf_putc(&(a)->name, 0)            \
         ? (try)                                                               \
         : set_no_memory(a))

enum attempt_result {
    ATTEMPT_ABSENT,
    ATTEMPT_OTHER, /* it exists, but is not the right one */
    ATTEMPT_OPEN,
    ATTEMPT_FAILED, /* a system error ends the search */
};

/* The system's directory of debug files. */
static const char system_root[] = "/usr/lib/debug";

bool sym_next_dir(const char **list, const char **dir, int *n)
{
    while (*list) {
        size_t length = strcspn(*list, ":");
        *dir = *list;
        *n = (int)length;
        *list = (*list)[length] ? *list + length + 1 : NULL;
        if (length && length < INT32_MAX)
            return true;
    }
    return false;
}

/* Whether the build IDs are equal, ignoring case, or one of them is "". */
static bool same_build_id(const char *a, const char *b)
{
    return !*a || !*b || strcasecmp(a, b) == 0;
}

/* Stores a system error in *a.  Returns true, which ends the search. */
static bool set_failed(struct attempt *a, const char *name, const char *why)
{
    (void)err_set(a->err, PROF_ERR_SYSTEM, "%s: %s", name, why);
    a->failed = true;
    return true;
}

static bool set_no_memory(struct attempt *a)
{
    (void)err_nomem(a->err);
    a->failed = true;
    return true;
}

/*
 * Opens the file a->name.  *im is empty unless the result is ATTEMPT_OPEN. With
 * `any`, it need not be a program or library. Warns if a file exists but cannot
 * be used.
 */
static enum attempt_result try_image(struct attempt *a, struct sym_image *im,
                                     bool any)
{
    struct prof_err why;
    bool absent;
    const char *name = (const char *)a->name.v;
    if (strcmp(name, a->owner) == 0)
        return ATTEMPT_ABSENT;
    if (sym_image_open(im, name, any, &absent, &why)) {
        if (same_build_id(a->build_id, im->build_id))
            return ATTEMPT_OPEN;
        note_warn(
            a->notes,
            "%s: ignored: build ID %s does not match the one that %s requires",
            name, im->build_id, a->owner);
        sym_image_close(im);
        return ATTEMPT_OTHER;
    }
    if (why.kind == PROF_ERR_SYSTEM) {
        (void)set_failed(a, name, why.text);
        return ATTEMPT_FAILED;
    }
    if (absent)
        return ATTEMPT_ABSENT;
    /* If its directory cannot be searched, the file may not exist. */
    struct stat st;
    note_at(a->notes, lstat(name, &st) == 0 ? PROF_NOTE_WARN : PROF_NOTE_INFO,
            "%s: debug file ignored: %s", name, why.text);
    return ATTEMPT_OTHER;
}

/* --- separate debug files ------------------------------------------------- */

enum { BLOCK = 16 * 1024 }; /* bytes to read at once */

struct debug_search {
    struct sym_image *debug;
    const struct sym_image *im;
    const char *link; /* name in .gnu_debuglink, or null */
    uint32_t crc;
    struct attempt at;
};

/* Whether the file has this CRC-32.  Sets *why if it cannot be read. */
static bool has_checksum(const struct sym_image *im, uint32_t wanted,
                         const char **why)
{
    unsigned char block[BLOCK];
    uLong crc = crc32(0, NULL, 0);
    ssize_t n;
    off_t at = 0;
    for (; (n = file_read_at(im->fd, block, BLOCK, at)) > 0; at += n)
        crc = crc32(crc, block, (uInt)n);
    if (n < 0)
        *why = strerror(errno);
    return n == 0 && crc == wanted;
}

/* Tries a debug file.  Returns true to stop: it fits, or the system failed. */
static bool try_debug(struct debug_search *s, bool by_link)
{
    const char *unread = NULL;
    switch (try_image(&s->at, s->debug, false)) {
    case ATTEMPT_FAILED:
        return true;
    case ATTEMPT_OPEN:
        break;
    default:
        return false;
    }
    const char *name = (const char *)s->at.name.v;
    if (!by_link || has_checksum(s->debug, s->crc, &unread))
        return true;
    if (!unread)
        note_warn(
            s->at.notes,
            "%s: ignored: checksum does not match the one that %s requires",
            name, s->im->path);
    sym_image_close(s->debug);
    return unread && set_failed(&s->at, name, unread);
}

#define TRY_DEBUG(s, by_link, ...)                                             \
    ATTEMPT(&(s)->at, try_debug(s, by_link), __VA_ARGS__)

/* Tries debug files below a root of n characters, for a binary in `dir`. */
static bool try_debug_root(struct debug_search *s, const char *root, int n,
                           const char *dir)
{
    const char *id = s->im->build_id;
    if (strlen(id) > 2 &&
        (TRY_DEBUG(s, false, "%.*s/.build-id/%.2s/%s.debug", n, root, id,
                   id + 2) ||
         (root != system_root &&
          (TRY_DEBUG(s, false, "%.*s/.build-id/%.2s/%s/debug", n, root, id,
                     id + 2) ||
           TRY_DEBUG(s, false, "%.*s/%.2s/%s.debug", n, root, id, id + 2)))))
        return true;
    if (!s->link)
        return false;
    return TRY_DEBUG(s, true, "%.*s%s/%s", n, root, dir, s->link) ||
           TRY_DEBUG(s, true, "%.*s%s%s/%s", n, root, system_root, dir,
                     s->link) ||
           TRY_DEBUG(s, true, "%.*s/%s", n, root, s->link);
}

/*
 * Reads .gnu_debuglink: a name, padded with NULs to a multiple of four bytes,
 * and the checksum in the file's byte order.
 */
static bool read_debuglink(struct debug_search *s, struct prof_err *err)
{
    enum { CRC = 4 };
    GElf_Shdr sh;
    GElf_Ehdr eh;
    errno = 0;
    Elf_Scn *scn = sym_section(s->im->elf, ".gnu_debuglink", &sh);
    const Elf_Data *d = scn ? eu.elf_rawdata(scn, NULL) : NULL;
    if (!err_check_errno(err))
        return err_prefix(err, "%s: ", s->im->path);
    if (!d || !d->d_buf || !eu.gelf_getehdr(s->im->elf, &eh))
        return true;
    const char *name = d->d_buf;
    size_t n = strnlen(name, d->d_size), at = (n + CRC) / CRC * CRC;
    if (!n || at + CRC > d->d_size || memchr(name, '/', n))
        return true;
    const unsigned char *crc = (const unsigned char *)name + at;
    bool big = eh.e_ident[EI_DATA] == ELFDATA2MSB;
    s->crc = (uint32_t)bytes_number(crc, CRC, big);
    s->link = name;
    return true;
}

/*
 * Opens the debug file of *im in *debug if *im has no DWARF; otherwise, or if
 * none is found, debug->path stays null.  Warns of a file that does not belong
 * to *im.
 */
static bool find_debug(struct sym_image *debug, const struct sym_image *im,
                       const char *path, const struct prof_notes *notes,
                       struct prof_err *err)
{
    if (im->has_dwarf || im->debug_only)
        return true;
    struct debug_search s = {.debug = debug,
                             .im = im,
                             .at = {im->path, im->build_id, notes, .err = err}};
    char *dir;
    if (!read_debuglink(&s, err) || !sym_image_dir(im, &dir, err))
        return false;

    /* Try .gnu_debuglink in the directory of the binary and its .debug. */
    bool done = s.link && (TRY_DEBUG(&s, true, "%s/%s", dir, s.link) ||
                           TRY_DEBUG(&s, true, "%s/.debug/%s", dir, s.link));
    /* Try each directory of `path`, then /usr/lib/debug. */
    const char *root;
    for (int n; !done && sym_next_dir(&path, &root, &n);)
        done = try_debug_root(&s, root, n, dir);
    if (!done)
        (void)try_debug_root(&s, system_root, (int)strlen(system_root), dir);
    free(dir);
    buf_free(&s.at.name);
    return !s.at.failed;
}

/*
 * Debug information shared by several files: dwz(1) moves it to a separate file
 * and stores the name and build ID of that in section .gnu_debugaltlink of
 * each.
 */

struct shared_search {
    struct sym_image *shared;
    const struct sym_image *im;
    const char *name; /* in the section, or null */
    sym_build_id id;
    struct attempt at;
    bool other; /* libdw would find a different file */
};

/* Reads the section: a name that ends in NUL, and a build ID. */
static bool read_link(struct shared_search *s, struct prof_err *err)
{
    GElf_Shdr sh;
    errno = 0;
    Elf_Scn *scn = sym_section(s->im->elf, SYM_SHARED_SECTION, &sh);
    uint64_t total = 0;
    if (scn && !sym_count_section(s->im, scn, "", &total))
        return true;
    if (scn && sh.sh_flags & SHF_COMPRESSED) /* libdw would read it */
        (void)eu.elf_compress(scn, 0, 0);
    const Elf_Data *d = scn ? eu.elf_getdata(scn, NULL) : NULL;
    if (!err_check_errno(err))
        return err_prefix(err, "%s: ", s->im->path);
    if (!d || !d->d_buf)
        return true;
    const char *name = d->d_buf;
    size_t n = strnlen(name, d->d_size);
    if (n == 0 || n == d->d_size)
        return true;
    s->name = name;
    n++;
    sym_build_id_set(s->id, (const unsigned char *)d->d_buf + n, d->d_size - n);
    return true;
}

/* Tries a shared file.  Returns true to stop: it fits, or the system failed. */
static bool try_shared(struct shared_search *s, bool *other)
{
    enum attempt_result r = try_image(&s->at, s->shared, true);
    *other |= r == ATTEMPT_OTHER;
    return r == ATTEMPT_OPEN || r == ATTEMPT_FAILED;
}

#define TRY_SHARED(s, other, ...)                                              \
    ATTEMPT(&(s)->at, try_shared(s, other), __VA_ARGS__)

static bool try_shared_id(struct shared_search *s, const char *root, int n,
                          bool *other)
{
    return strlen(s->id) > 2 &&
           TRY_SHARED(s, other, "%.*s/.build-id/%.2s/%s.debug", n, root, s->id,
                      s->id + 2);
}

/*
 * Opens in *shared the file that *im, which has DWARF, shares with others;
 * shared->path stays null without such a section.  Warns if it is not found.
 * Clears im->has_dwarf if a different file has its name, which libdw would use.
 */
static bool find_shared(struct sym_image *shared, struct sym_image *im,
                        const char *path, const struct prof_notes *notes,
                        struct prof_err *err)
{
    struct shared_search s = {
        .shared = shared, .im = im, .at = {im->path, "", notes, .err = err}};
    char *dir;
    if (!read_link(&s, err))
        return false;
    if (!s.name)
        return true;
    if (!sym_image_dir(im, &dir, err))
        return false;
    s.at.build_id = s.id;

    /* Try the name, relative to the directory of *im unless absolute. */
    const bool absolute = *s.name == '/';
    bool done = absolute ? TRY_SHARED(&s, &s.other, "%s", s.name)
                         : TRY_SHARED(&s, &s.other, "%s/%s", dir, s.name);
    /* Try the build ID and the name below each directory of `path`. */
    bool ignored = false;
    const char *root;
    for (int n; !done && sym_next_dir(&path, &root, &n);)
        done =
            try_shared_id(&s, root, n, &ignored) ||
            (absolute && TRY_SHARED(&s, &ignored, "%.*s%s", n, root, s.name));
    if (!done)
        (void)try_shared_id(&s, system_root, (int)strlen(system_root),
                            &s.other);
    free(dir);
    buf_free(&s.at.name);
    if (s.at.failed || shared->path)
        return !s.at.failed;
    im->has_dwarf = !s.other;
    note_warn(notes, "%s: cannot use the shared debug information in %s; %s",
              im->path, s.name,
              s.other ? TEXT("its own debug information is not used either")
                      : TEXT("names may be missing"));
    return true;
}

/* --- binaries ------------------------------------------------------------- */

struct binary_search {
    struct sym_files *files;
    struct attempt at; /* its owner is the mapping's file */
    const char *file;
    bool refused; /* *at.err is about a file that exists */
};

/* Keeps *im as binary or debug file; returns whether the binary is found. */
static bool keep_image(struct binary_search *s, struct sym_image *im)
{
    struct sym_image *to = im->debug_only ? &s->files->debug : &s->files->image;
    if (to->path)
        sym_image_close(im);
    else
        *to = *im;
    return s->files->image.path != NULL;
}

/* Tries a binary.  Returns true to stop: it fits, or the system failed. */
static bool try_binary(struct binary_search *s)
{
    struct sym_image im;
    struct prof_err why;
    bool absent;
    const char *name = (const char *)s->at.name.v;
    if (!sym_image_open(&im, name, false, &absent, &why)) {
        if (why.kind == PROF_ERR_SYSTEM)
            return set_failed(&s->at, name, why.text);
        /* Ignore directories, which perf's build-id cache names like files. */
        struct stat st;
        if (!absent && strcmp(name, s->file) != 0)
            absent = stat(name, &st) == 0 && S_ISDIR(st.st_mode);
        if (!absent)
            note_info(s->at.notes, "%s: %s", name, why.text);
        if (!absent && !s->refused) {
            s->refused = true;
            *s->at.err = why;
        }
        return false;
    }
    if (same_build_id(s->at.build_id, im.build_id))
        return keep_image(s, &im);
    note_info(s->at.notes, "%s: build ID is %s, not %s", name, im.build_id,
              s->at.build_id);
    s->refused = true;
    (void)err_input(s->at.err, "%s has build ID %s, not %s", name, im.build_id,
                    s->at.build_id);
    sym_image_close(&im);
    return false;
}

/* Tries the path that the format makes. */
#define TRY_BINARY(s, ...) ATTEMPT(&(s)->at, try_binary(s), __VA_ARGS__)

bool sym_is_build_id(const char *id)
{
    size_t n = strspn(id, "0123456789abcdefABCDEF");
    return n >= 3 && !id[n];
}

/* Tries each file in DIR/BUILDID, in order of name. */
static bool try_build_id_dir(struct binary_search *s, const char *dir, int n)
{
    struct dirent **entry;
    struct buf b = {0};
    bool done = false;
    if (!buf_printf(&b, "%.*s/%s", n, dir, s->at.build_id))
        return set_no_memory(&s->at);
    int count = scandir((char *)b.v, &entry, NULL, alphasort);
    if (count < 0 && !file_is_refused(errno))
        done = set_failed(&s->at, (char *)b.v, strerror(errno));
    for (int i = 0; i < count; i++) {
        if (!done && entry[i]->d_name[0] != '.')
            done = TRY_BINARY(s, "%s/%s", (char *)b.v, entry[i]->d_name);
        free(entry[i]);
    }
    if (count >= 0)
        free((void *)entry);
    buf_free(&b);
    return done;
}

/* Searches one directory of the search path, whose name has n characters. */
static bool try_dir(struct binary_search *s, const char *dir, int n,
                    const char *file)
{
    const char *slash = strrchr(file, '/'), *base = slash ? slash + 1 : file;
    int parent = slash ? (int)(slash - file) : 0;
    /* The files that perf(1) keeps of a binary, if DIR is its cache. */
    static const char *const kept[] = {"/elf", "/debug", "/vdso", ""};
    const char *id = s->at.build_id;
    bool by_id = sym_is_build_id(id);
    while (*file == '/' && parent > 0) {
        file++;
        parent--;
    }
    if (by_id &&
        ((*base && TRY_BINARY(s, "%.*s/%s/%s", n, dir, id, base)) ||
         try_build_id_dir(s, dir, n) ||
         (*base && TRY_BINARY(s, "%.*s/%s/%s", n, dir, file, id)) ||
         TRY_BINARY(s, "%.*s/%.2s/%s.debug", n, dir, id, id + 2) ||
         TRY_BINARY(s, "%.*s/.build-id/%.2s/%s.debug", n, dir, id, id + 2)))
        return true;
    for (size_t i = 0; by_id && i < sizeof kept / sizeof *kept; i++)
        if (TRY_BINARY(s, "%.*s/.build-id/%.2s/%s%s", n, dir, id, id + 2,
                       kept[i]))
            return true;
    return *base && (TRY_BINARY(s, "%.*s/%s", n, dir, base) ||
                     TRY_BINARY(s, "%.*s/%s", n, dir, file) ||
                     TRY_BINARY(s, "%.*s/%s.debug", n, dir, file) ||
                     TRY_BINARY(s, "%.*s/%.*s/.debug/%s.debug", n, dir, parent,
                                file, base) ||
                     TRY_BINARY(s, "%.*s/usr/lib/debug/%.*s/%s.debug", n, dir,
                                parent, file, base));
}

static void search_binary(struct binary_search *s, const char *file,
                          const char *path)
{
    const char *dir;
    for (int n; sym_next_dir(&path, &dir, &n);)
        if (try_dir(s, dir, n, file))
            return;
    if (strcmp(file, "[vdso]") != 0) {
        (void)(*file && TRY_BINARY(s, "%s", file));
        return;
    }
    /* Try the vdso of this process, if it has the wanted build ID. */
    struct sym_image im;
    struct prof_err why;
    if (!sym_image_open_vdso(&im, &why)) {
        if (why.kind == PROF_ERR_SYSTEM)
            (void)set_failed(&s->at, "vdso", why.text);
    } else if (*s->at.build_id && same_build_id(s->at.build_id, im.build_id)) {
        (void)keep_image(s, &im);
    } else {
        sym_image_close(&im);
    }
}

enum sym_found sym_find(struct sym_files *files,
                        const struct sym_wanted *wanted, struct prof_err *err)
{
    memset(files, 0, sizeof *files);
    struct binary_search s = {
        .files = files,
        .file = wanted->file,
        .at = {NULL, wanted->build_id, wanted->notes, .err = err}};
    (void)err_input(err, "no such file");
    search_binary(&s, wanted->file, wanted->named_only ? NULL : wanted->path);
    buf_free(&s.at.name);
    if (!files->image.path && files->debug.path) {
        files->image = files->debug;
        memset(&files->debug, 0, sizeof files->debug);
    }
    /* Find the other files of the binary. */
    bool ok = !s.at.failed;
    if (ok && files->image.path && !files->debug.path)
        ok = find_debug(&files->debug, &files->image, wanted->path,
                        wanted->notes, err);
    struct sym_image *dwarf =
        files->image.has_dwarf ? &files->image : &files->debug;
    if (ok && dwarf->has_dwarf)
        ok = find_shared(&files->shared, dwarf, wanted->path, wanted->notes,
                         err);
    if (!ok) {
        sym_files_close(files);
        return SYM_FIND_FAILED;
    }
    return files->image.path ? SYM_FOUND : SYM_NOT_FOUND;
}

const struct sym_image *sym_files_dwarf(const struct sym_files *files)
{
    if (files->image.has_dwarf)
        return &files->image;
    return files->debug.has_dwarf ? &files->debug : NULL;
}

void sym_files_close(struct sym_files *files)
{
    sym_image_close(&files->mini);
    sym_image_close(&files->shared);
    sym_image_close(&files->image);
    sym_image_close(&files->debug);
}
