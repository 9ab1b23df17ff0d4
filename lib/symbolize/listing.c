/*
 * listing.c - symbols of code without an ELF file: kernel, JIT, BPF
 *
 * kallsyms, of the kernel and its modules (kernel/kallsyms.c in Linux):
 *
 *      ffffffff81000000 T _text
 *      ffffffffc0a00000 t xfs_init     [xfs]
 *
 * perf-PID.map, of a JIT compiler, in hexadecimal (jit-interface.txt in Linux's
 * tools/perf/Documentation):
 *
 *      7f1c40a1e5c0 1e0 Lorg/foo/Bar;::baz
 *
 * The JDK writes "0x" before the numbers; perf accepts that, and more blanks.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/file.h"
#include "base/slice.h"
#include "base/sort.h"
#include "base/utf8.h"
#include "symbolize/private.h"

enum {
    LISTING_MAX = 128 * 1024 * 1024, /* bytes of a file */
    CHUNK = 256 * 1024,              /* read at once */
    NOTES_MAX = 64 * 1024,           /* bytes of /sys/kernel/notes */
};

static const uint64_t page_size = 4096;
static const char kernel_prefix[] = "[kernel.kallsyms]";
static const char map_begin[] = "/tmp/perf-";

/* --- kinds of mappings ---------------------------------------------------- */

enum sym_source sym_source_of(const char *file, uint64_t start)
{
    const bool in_kernel = start >> 63;
    const size_t n = strlen(file);
    const char *suffix = strstr(file, ".ko");
    /* "[xfs]", "/lib/modules/6.1.0/kernel/fs/xfs/xfs.ko.xz" */
    const bool is_module = (n > 2 && file[0] == '[' && file[n - 1] == ']') ||
                           (suffix && (!suffix[3] || suffix[3] == '.'));
    if (strncmp(file, kernel_prefix, sizeof kernel_prefix - 1) == 0)
        return SYM_KERNEL;
    if (in_kernel && is_module && strcmp(file, "[vsyscall]") != 0)
        return SYM_MODULE;
    if (in_kernel && *file && !strpbrk(file, "/["))
        return SYM_BPF;
    if (strncmp(file, map_begin, sizeof map_begin - 1) != 0)
        return SYM_FILE;
    file += sizeof map_begin - 1;
    size_t digits = strspn(file, "0123456789");
    return digits && strcmp(file + digits, ".map") == 0 ? SYM_PERF_MAP
                                                        : SYM_FILE;
}

/* --- files ---------------------------------------------------------------- */

/* Reads the rest of an open file; two NULs follow it. */
static bool read_rest(int fd, size_t max, struct buf *text,
                      struct prof_err *err)
{
    for (;;) {
        if (!buf_reserve(text, CHUNK))
            return err_nomem(err);
        ssize_t n = file_read(fd, text->v + text->n, CHUNK);
        if (n < 0)
            return err_input(err, "%s", strerror(errno));
        text->n += (size_t)n;
        if (text->n > max)
            return err_input(err, "larger than %zu MiB", max >> 20);
        if (n < CHUNK)
            break;
    }
    bool ok = buf_put(text, "\0", 2);
    text->n -= ok ? 2 : 0;
    return ok || err_nomem(err);
}

/* The state of a search for a listing. */
struct search {
    struct sym_binary *b;
    const struct sym_wanted *wanted;
    const char *reference; /* symbol of the kernel; null: a perf map */
    int pid;               /* process of the perf map in /tmp; 0: not in /tmp */
    bool is_named;         /* the user named the current file */
    struct buf path;       /* of the current file */
    struct prof_err *err;
    bool failed; /* a system call failed: *err is set */
};

/*
 * Whether root may read a perf map that this user owns: only if /proc shows
 * that the process runs as this user.  (Of some processes it shows root.)
 */
static bool is_of_process(uid_t user, int pid, struct prof_err *err)
{
    char name[32];
    struct stat st;
    (void)snprintf(name, sizeof name, "/proc/%d", pid);
    bool found = stat(name, &st) == 0;
    if (!found && errno == ENOENT)
        return err_input(err,
                         "process %d has ended, so its owner is unknown; use "
                         "--path=/tmp to read it anyway",
                         pid);
    return (found && st.st_uid == user) ||
           err_input(err,
                     "not owned by root or by the user of process %d; use "
                     "--path=/tmp to read it anyway",
                     pid);
}

/*
 * Whether to read the file.  Anyone may put a file of a known name into /tmp.
 * There, a user reads files of the user or root, and root also those of the
 * user who ran the process.  Directories that the user names are trusted.
 */
static bool is_trusted(const struct search *s, int fd, struct prof_err *err)
{
    struct stat st;
    if (fstat(fd, &st) != 0)
        return err_set(err, PROF_ERR_SYSTEM, "%s", strerror(errno));
    if (!S_ISREG(st.st_mode))
        return err_input(err, "not a regular file");
    if (!s->pid || st.st_uid == 0 || st.st_uid == geteuid())
        return true;
    if (geteuid() == 0)
        return is_of_process(st.st_uid, s->pid, err);
    return err_input(
        err, "not owned by you or root; use --path=/tmp to read it anyway");
}

/* Reads the file.  Returns false and sets *err if it is absent or unusable. */
static bool read_listing(struct search *s, const char *path, struct buf *text)
{
    int flags = O_RDONLY | O_NONBLOCK | O_NOCTTY, number;
    int fd = file_open(path, flags | (s->is_named ? 0 : O_NOFOLLOW));
    struct prof_err why;
    if (fd < 0 && !s->is_named && (errno == ENOENT || errno == ENOTDIR))
        return false;
    number = errno;
    bool ok = fd >= 0 ? is_trusted(s, fd, &why) &&
                            read_rest(fd, LISTING_MAX, text, &why)
                      : err_set(&why,
                                file_is_refused(number) || number == ELOOP
                                    ? PROF_ERR_INPUT
                                    : PROF_ERR_SYSTEM,
                                "%s", strerror(number));
    if (fd >= 0)
        close(fd);
    if (ok)
        return true;
    text->n = 0;
    s->failed = why.kind == PROF_ERR_SYSTEM;
    *s->err = why;
    if (s->failed)
        return err_prefix(s->err, "%s: ", path);
    if (!s->is_named)
        note_info(s->wanted->notes, "%s: %s", path, why.text);
    return false;
}

/* --- symbols -------------------------------------------------------------- */

/* Adds a symbol that extends to the next one if `hi` is 0. */
static bool add_symbol(struct sym_symtab *t, uint64_t lo, uint64_t hi,
                       struct prof_slice name, struct prof_err *err)
{
    /* The byte after a name is a blank or newline, or the NUL of the text. */
    struct sym_symbol s = {.lo = lo, .hi = hi, .name = name.s, .listed = true};
    ((char *)name.s)[name.n] = 0;
    return vec_push(t, s) || err_nomem(err);
}

/*
 * Sets the ends of symbols, which kallsyms lacks: a symbol ends where the next
 * one begins, the last of a module at the end of the next page.  After a name
 * follows "[xfs]" or nothing.
 */
static void end_kernel_symbols(struct sym_symtab *t)
{
    for (size_t i = 0; i < t->n; i++) {
        struct sym_symbol *s = &t->v[i];
        uint64_t page =
            (s->lo + page_size - 1) / page_size * page_size + page_size;
        if (page <= s->lo)
            page = UINT64_MAX;
        s->hi = page;
        if (i + 1 == t->n)
            break;
        const char *module = s->name + strlen(s->name) + 1;
        const char *next = s[1].name + strlen(s[1].name) + 1;
        const bool same =
            *module == '[' && *next == '['
                ? strncmp(module, next, strcspn(module, "]\n") + 1) == 0
                : *module != '[' && *next != '[';
        if (same || s[1].lo < page)
            s->hi = s[1].lo;
    }
}

static bool read_kernel_line(struct sym_binary *b, struct prof_slice line,
                             const char *reference, struct prof_err *err)
{
    uint64_t address;
    if (!slice_take_hex(&line, &address) || line.n < 4 || line.s[0] != ' ' ||
        line.s[2] != ' ' ||
        !ascii_is_one_of(line.s[1], "TtWwDdBb")) /* code, as perf sees it */
        return true;
    struct prof_slice all = slice_from(line, 3), rest = all,
                      name = slice_take_until(&rest, '\t');
    if (!name.n || name.s[0] == '$')
        return true;
    if (name.n == all.n && slice_is(name, reference))
        b->reference = address;
    return add_symbol(&b->symtab, address, 0, name, err);
}

/* Reads a hexadecimal number like strtoull(), and the blank after it. */
static bool take_jit_number(struct prof_slice *line, uint64_t *value)
{
    *line = slice_trim_left(*line);
    if (!slice_take_0xhex(line, value) || !line->n || !ascii_is_blank(*line->s))
        return false;
    *line = slice_trim_left(*line);
    return true;
}

static void clear_listing(struct sym_binary *b)
{
    vec_free(&b->symtab);
    buf_free(&b->text);
    memset(b, 0, sizeof *b);
}

bool sym_listing_parse(struct sym_binary *b, struct buf *text,
                       const char *reference, struct prof_err *err)
{
    b->text = *text;
    *text = (struct buf){0};
    struct prof_slice rest = {(char *)b->text.v, b->text.n};
    while (rest.n) {
        struct prof_slice line = slice_take_line(&rest);
        uint64_t address, size, end;
        if (reference) {
            if (!read_kernel_line(b, line, reference, err))
                return false;
            continue;
        }
        if (take_jit_number(&line, &address) && take_jit_number(&line, &size) &&
            line.n && !__builtin_add_overflow(address, size, &end) &&
            !add_symbol(&b->symtab, address, end, line, err))
            return false;
    }
    /* Symbols of one address stay in the order of their lines. */
    struct sym_symtab *t = &b->symtab;
    size_t n = 0;
    if (!vec_sort_rows(t))
        return err_nomem(err);
    /* Like perf, keep the last symbol of an address: a JIT may reuse memory. */
    for (size_t i = 0; i < t->n; i++) {
        if (n && t->v[n - 1].lo == t->v[i].lo)
            n--;
        t->v[n++] = t->v[i];
    }
    t->n = n;
    if (reference)
        end_kernel_symbols(t);
    sym_symtab_link(t);
    t->loaded = true;
    return true;
}

/* Tries a listing.  Returns true to stop: it was read, or the system failed. */
static bool try_listing(struct search *s)
{
    struct buf text = {0};
    const char *path = (const char *)s->path.v, *lack = NULL;
    const struct sym_symtab *t = &s->b->symtab;
    bool ok = read_listing(s, path, &text);
    if (ok && !sym_listing_parse(s->b, &text, s->reference, s->err)) {
        s->failed = true;
        ok = false;
    }
    buf_free(&text);
    if (!ok)
        return s->failed;
    if (!t->n)
        lack = TEXT("it lists no symbols");
    else if (t->v[t->n - 1].lo == 0)
        lack = TEXT(
            "the kernel hides its addresses (sysctl kernel.kptr_restrict)");
    if (!lack)
        return true;
    (void)err_input(s->err, "%s", lack);
    if (!s->is_named) {
        note_info(s->wanted->notes, "%s: %s", path, lack);
        (void)err_prefix(s->err, "%s: ", path);
    }
    clear_listing(s->b);
    return false;
}

#define TRY_LISTING(s, ...)                                                    \
    ((s)->path.n = 0,                                                          \
     buf_printf(&(s)->path, __VA_ARGS__) && buf_putc(&(s)->path, 0)            \
         ? try_listing(s)                                                      \
         : ((s)->failed = true, !err_nomem((s)->err)))

/* --- the kernel ----------------------------------------------------------- */

/* Sets id to the build ID of the running kernel, or "" if it is unknown. */
static void get_running_id(sym_build_id id)
{
    enum { HEADER = 12, BUILD_ID = 3 };
    struct buf notes = {0};
    struct prof_err why;
    int fd = file_open("/sys/kernel/notes", O_RDONLY);
    id[0] = 0;
    if (fd < 0)
        return;
    if (!read_rest(fd, NOTES_MAX, &notes, &why))
        notes.n = 0;
    /* An ELF note is a header, a name and content, each padded to 4 bytes. */
    for (size_t at = 0; notes.n - at >= HEADER;) {
        const uint8_t *v = notes.v + at;
        const size_t left = notes.n - at - HEADER;
        uint32_t h[3];
        memcpy(h, v, HEADER);
        const uint64_t name = ((uint64_t)h[0] + 3) & ~(uint64_t)3;
        const uint64_t content = ((uint64_t)h[1] + 3) & ~(uint64_t)3;
        if (name > left || content > left - name)
            break;
        if (h[2] == BUILD_ID && h[0] == 4 && memcmp(v + HEADER, "GNU", 4) == 0)
            sym_build_id_set(id, v + HEADER + name, h[1]);
        at += HEADER + name + content;
    }
    buf_free(&notes);
    close(fd);
}

static bool is_running(const char *build_id)
{
    sym_build_id id;
    get_running_id(id);
    return strcmp(id, build_id) == 0;
}

/* Whether a listing has a symbol with this name and address. */
static bool lists(struct prof_slice text, const char *symbol, uint64_t address)
{
    while (text.n) {
        uint64_t at;
        struct prof_slice line = slice_take_line(&text);
        if (slice_take_hex(&line, &at) && at == address && line.n > 3 &&
            slice_is(slice_from(line, 3), symbol))
            return true;
    }
    return false;
}

bool sym_kernel_id(const struct sym_kernel *k, sym_build_id id,
                   struct prof_err *err)
{
    struct utsname running;
    struct buf text = {0};
    struct prof_err why = {0};
    id[0] = 0;
    if (uname(&running) != 0 || strcmp(running.nodename, k->host) != 0 ||
        strcmp(running.release, k->release) != 0)
        return true;
    int fd = file_open("/proc/kallsyms", O_RDONLY);
    if (fd < 0)
        return true;
    if (read_rest(fd, LISTING_MAX, &text, &why) &&
        lists(buf_slice(&text), k->symbol, k->address))
        get_running_id(id);
    buf_free(&text);
    close(fd);
    return !err_is_nomem(&why) || err_nomem(err);
}

bool sym_vdso_id(const char *kernel, sym_build_id id, struct prof_err *err)
{
    struct sym_image im;
    struct prof_err why;
    id[0] = 0;
    if (!*kernel || !is_running(kernel))
        return true;
    if (!sym_image_open_vdso(&im, &why))
        return !err_is_nomem(&why) || err_nomem(err);
    memcpy(id, im.build_id, sizeof im.build_id);
    sym_image_close(&im);
    return true;
}

const char *sym_kernel_symbol(const char *file)
{
    const char *symbol = file + sizeof kernel_prefix - 1;
    return *symbol ? symbol : "_text";
}

static bool find_kallsyms(struct search *s)
{
    const char *id = s->wanted->build_id, *path = s->wanted->path, *dir;
    if (!sym_is_build_id(id))
        return err_input(s->err, "the build ID of the kernel is not known");
    (void)err_input(s->err,
                    "perf's build-id cache has no kallsyms with build ID %s, "
                    "and the running kernel is a different one",
                    id);
    for (int n; sym_next_dir(&path, &dir, &n);)
        if (TRY_LISTING(s, "%.*s/%s/%s/kallsyms", n, dir, kernel_prefix, id) ||
            TRY_LISTING(s, "%.*s/.build-id/%.2s/%s/kallsyms", n, dir, id,
                        id + 2))
            return true;
    return is_running(id) && TRY_LISTING(s, "/proc/kallsyms");
}

static bool search_kernel(struct search *s)
{
    const char *file = s->wanted->kallsyms;
    struct prof_err not_found;
    if (find_kallsyms(s)) {
        if (file && !s->failed)
            note_warn(s->wanted->notes,
                      "%s: --kallsyms ignored: other symbols were found "
                      "by the build ID of the kernel",
                      file);
        return !s->failed;
    }
    if (!file || s->failed)
        return false;
    not_found = *s->err;
    s->is_named = true;
    if (TRY_LISTING(s, "%s", file) && !s->failed) {
        s->b->is_named = true;
        if (s->b->reference)
            return true;
        (void)err_input(s->err, "it has no symbol %s", s->reference);
    }
    if (!s->failed) {
        note_loss(s->wanted->notes, "%s: --kallsyms ignored: %s", file,
                  s->err->text);
        *s->err = not_found;
    }
    return false;
}

/* --- any listing ---------------------------------------------------------- */

enum sym_found sym_listing_find(struct sym_binary *b,
                                const struct sym_wanted *wanted,
                                struct prof_err *err)
{
    struct search s = {.b = b, .wanted = wanted, .err = err};
    bool ok;
    memset(b, 0, sizeof *b);
    if (wanted->source == SYM_KERNEL) {
        s.reference = sym_kernel_symbol(wanted->file);
        ok = search_kernel(&s);
    } else if (wanted->source == SYM_BPF) {
        /* The mapping is named after its only function. */
        struct sym_symbol all = {.hi = UINT64_MAX, .listed = true};
        b->symtab.loaded = true;
        ok = buf_puts(&b->text, wanted->file) && buf_putc(&b->text, 0);
        all.name = (const char *)b->text.v;
        ok = (ok && vec_push(&b->symtab, all)) || err_nomem(err);
        s.failed = !ok;
    } else { /* SYM_PERF_MAP */
        const char *file = wanted->file, *path = wanted->path, *dir;
        bool done = err_input(err, "no such file");
        for (int n; !done && sym_next_dir(&path, &dir, &n);)
            done = TRY_LISTING(&s, "%.*s%s", n, dir, strrchr(file, '/'));
        if (!done)
            s.pid = (int)strtol(file + sizeof map_begin - 1, NULL, 10);
        ok = (done || TRY_LISTING(&s, "%s", file)) && !s.failed;
    }
    buf_free(&s.path);
    if (!ok)
        clear_listing(b);
    return ok ? SYM_FOUND : s.failed ? SYM_FIND_FAILED : SYM_NOT_FOUND;
}
