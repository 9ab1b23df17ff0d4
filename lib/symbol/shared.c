#include "symbol/shared.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "symbol/attempt.h"
#include "symbol/elfsec.h"

static const char section[] = ".gnu_debugaltlink";

struct search {
    struct sym_image *shared;
    const struct sym_image *im;
    const struct notes *notes;
    const char *name; /* in the section, or null */
    sym_build_id id;
    struct attempt at;
    bool other; /* where libdw looks there is another file */
};

/* What the section says: a name that ends in NUL, and a build id. */
static bool read_link(struct search *s, struct err *err)
{
    GElf_Shdr sh;
    errno = 0;
    Elf_Scn *scn = sym_section(s->im->elf, section, &sh);
    if (scn && sh.sh_flags & SHF_COMPRESSED) /* libdw would read it */
        (void)elf_compress(scn, 0, 0);
    const Elf_Data *d = scn ? elf_getdata(scn, NULL) : NULL;
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

/* True to stop: it is found, or the system has failed. */
static bool try(struct search *s, bool *other)
{
    enum attempt_result r =
        attempt_image(&s->at, s->shared, true, s->im->path, s->id, s->notes);
    *other |= r == ATTEMPT_OTHER;
    return r == ATTEMPT_OPEN || r == ATTEMPT_FAILED;
}

#define TRY(s, other, ...) ATTEMPT(&(s)->at, try(s, other), __VA_ARGS__)

static bool try_id(struct search *s, const char *root, int n, bool *other)
{
    return strlen(s->id) > 2 && TRY(s, other, "%.*s/.build-id/%.2s/%s.debug", n,
                                    root, s->id, s->id + 2);
}

static void search_all(struct search *s, const char *path, const char *dir)
{
    bool absolute = *s->name == '/', other = false;
    const char *root;
    if (absolute ? TRY(s, &s->other, "%s", s->name)
                 : TRY(s, &s->other, "%s/%s", dir, s->name))
        return;
    for (int n; attempt_next_dir(&path, &root, &n);)
        if (try_id(s, root, n, &other) ||
            (absolute && TRY(s, &other, "%.*s%s", n, root, s->name)))
            return;
    root = attempt_system_root;
    (void)try_id(s, root, (int)strlen(root), &s->other);
}

bool sym_shares(Elf *elf)
{
    GElf_Shdr sh;
    return sym_section(elf, section, &sh) != NULL;
}

bool sym_find_shared(struct sym_image *shared, struct sym_image *im,
                     const char *path, const struct notes *notes,
                     struct err *err)
{
    struct search s = {
        .shared = shared, .im = im, .notes = notes, .at.err = err};
    char *dir;
    if (!read_link(&s, err))
        return false;
    if (!s.name)
        return true;
    if (!sym_image_dir(im, &dir, err))
        return false;
    search_all(&s, path, dir);
    free(dir);
    buf_free(&s.at.name);
    if (s.at.failed || shared->path)
        return !s.at.failed;
    im->has_dwarf = !s.other;
    note_warn(notes,
              "%s: the debug information that it shares with others, in "
              "%s, is missing: %s",
              im->path, s.name,
              s.other ? "its own is not used either"
                      : "names may be missing, too");
    return true;
}
