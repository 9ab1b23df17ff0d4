#include "symbol/debugfile.h"

#include <elfutils/libdwelf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "symbol/attempt.h"

enum { BLOCK = 16 * 1024 }; /* read at once */

struct search {
    struct sym_image *debug;
    const struct sym_image *im;
    const struct notes *notes;
    const char *link; /* name in .gnu_debuglink, or null */
    uint32_t crc;
    struct attempt at;
};

/* The CRC-32 of the whole file, as .gnu_debuglink has it; or *why. */
static bool has_checksum(const struct sym_image *im, uint32_t wanted,
                         const char **why)
{
    unsigned char block[BLOCK];
    uLong crc = crc32(0, NULL, 0);
    ssize_t n;
    for (off_t at = 0; (n = pread(im->fd, block, BLOCK, at)) != 0;) {
        if (n < 0 && errno != EINTR)
            break;
        if (n > 0) {
            crc = crc32(crc, block, (uInt)n);
            at += n;
        }
    }
    if (n < 0)
        *why = strerror(errno);
    return n == 0 && crc == wanted;
}

/* True to stop: the debug file is found, or the system has failed. */
static bool try(struct search *s, bool by_link)
{
    const char *unread = NULL;
    switch (attempt_image(&s->at, s->debug, false, s->im->path, s->im->build_id,
                          s->notes)) {
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
        note_warn(s->notes,
                  "%s: its checksum is not the one that %s asks for: not used",
                  name, s->im->path);
    sym_image_close(s->debug);
    return unread && attempt_failed(&s->at, name, unread);
}

#define TRY(s, by_link, ...) ATTEMPT(&(s)->at, try(s, by_link), __VA_ARGS__)

/* What is below one root, of n characters; `dir` has the binary. */
static bool try_root(struct search *s, const char *root, int n, const char *dir)
{
    const char *id = s->im->build_id, *system_root = attempt_system_root;
    if (strlen(id) > 2 &&
        TRY(s, false, "%.*s/.build-id/%.2s/%s.debug", n, root, id, id + 2))
        return true;
    if (root != system_root && strlen(id) > 2 &&
        TRY(s, false, "%.*s/%.2s/%s.debug", n, root, id, id + 2))
        return true;
    if (!s->link)
        return false;
    return TRY(s, true, "%.*s%s/%s", n, root, dir, s->link) ||
           TRY(s, true, "%.*s%s%s/%s", n, root, system_root, dir, s->link) ||
           TRY(s, true, "%.*s/%s", n, root, s->link);
}

static void search_all(struct search *s, const char *path, const char *dir)
{
    if (s->link && (TRY(s, true, "%s/%s", dir, s->link) ||
                    TRY(s, true, "%s/.debug/%s", dir, s->link)))
        return;
    const char *root;
    for (int n; attempt_next_dir(&path, &root, &n);)
        if (try_root(s, root, n, dir))
            return;
    root = attempt_system_root;
    (void)try_root(s, root, (int)strlen(root), dir);
}

/* After what a library has done with the image. */
static bool check_errno(const struct sym_image *im, struct err *err)
{
    return err_check_errno(err) || err_prefix(err, "%s: ", im->path);
}

bool sym_find_debug(struct sym_image *debug, const struct sym_image *im,
                    const char *path, const struct notes *notes,
                    struct err *err)
{
    if (im->has_dwarf || im->debug_only)
        return true;
    struct search s = {.debug = debug, .im = im, .notes = notes, .at.err = err};
    GElf_Word crc = 0;
    errno = 0;
    s.link = dwelf_elf_gnu_debuglink(im->elf, &crc);
    if (!check_errno(im, err))
        return false;
    s.crc = crc;
    if (s.link && (!*s.link || strchr(s.link, '/')))
        s.link = NULL;
    char *dir;
    if (!sym_image_dir(im, &dir, err))
        return false;
    search_all(&s, path, dir);
    free(dir);
    buf_free(&s.at.name);
    return !s.at.failed;
}
