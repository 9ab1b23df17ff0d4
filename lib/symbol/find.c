#include "symbol/find.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "symbol/attempt.h"
#include "symbol/debugfile.h"
#include "symbol/shared.h"

struct search {
    struct sym_files *files;
    const char *build_id;
    const struct notes *notes;
    struct attempt at;
    bool refused; /* *at.err is about a file that is there */
};

/* Keeps the image, as binary or as debug file; true when it is complete. */
static bool keep(struct search *s, struct sym_image *im)
{
    struct sym_image *to = im->debug_only ? &s->files->debug : &s->files->image;
    if (to->path)
        sym_image_close(im);
    else
        *to = *im;
    return s->files->image.path != NULL;
}

/* True to stop: the binary is found, or the system has failed. */
static bool try(struct search *s)
{
    struct sym_image im;
    struct err why;
    bool absent;
    if (!buf_putc(&s->at.name, 0))
        return attempt_no_memory(&s->at);
    const char *name = (const char *)s->at.name.v;
    if (!sym_image_open(&im, name, &absent, &why)) {
        if (why.kind == ERR_SYSTEM)
            return attempt_failed(&s->at, name, why.text);
        if (!absent)
            note_info(s->notes, "%s: %s", name, why.text);
        if (!absent && !s->refused) {
            s->refused = true;
            *s->at.err = why;
        }
        return false;
    }
    if (sym_same_build_id(s->build_id, im.build_id))
        return keep(s, &im);
    note_info(s->notes, "%s: build id %s is not %s", name, im.build_id,
              s->build_id);
    s->refused = true;
    (void)err_set(s->at.err, ERR_INPUT, "%s has build id %s, not %s", name,
                  im.build_id, s->build_id);
    sym_image_close(&im);
    return false;
}

/* Tries the path that the format makes. */
#define TRY(s, ...) ATTEMPT(&(s)->at, try(s), __VA_ARGS__)

/* A build id becomes part of paths only if it is one. */
static bool is_build_id(const char *id)
{
    size_t n = strspn(id, "0123456789abcdefABCDEF");
    return n >= 3 && !id[n];
}

/* Any file in DIR/BUILDID, in order of name. */
static bool try_directory(struct search *s, const char *dir, int n)
{
    struct dirent **entry;
    struct buf b = {0};
    bool done = false;
    if (!buf_printf(&b, "%.*s/%s", n, dir, s->build_id))
        return attempt_no_memory(&s->at);
    int count = scandir((char *)b.v, &entry, NULL, alphasort);
    if (count < 0 && !file_is_refused(errno))
        done = attempt_failed(&s->at, (char *)b.v, strerror(errno));
    for (int i = 0; i < count; i++) {
        if (!done && entry[i]->d_name[0] != '.')
            done = TRY(s, "%s/%s", (char *)b.v, entry[i]->d_name);
        free(entry[i]);
    }
    if (count >= 0)
        free((void *)entry);
    buf_free(&b);
    return done;
}

/* Looks in one directory of the search path, of n characters. */
static bool try_dir(struct search *s, const char *dir, int n, const char *file)
{
    const char *slash = strrchr(file, '/'), *base = slash ? slash + 1 : file;
    int parent = slash ? (int)(slash - file) : 0;
    const char *id = s->build_id;
    while (*file == '/' && parent > 0) {
        file++;
        parent--;
    }
    if (is_build_id(id) &&
        ((*base && TRY(s, "%.*s/%s/%s", n, dir, id, base)) ||
         try_directory(s, dir, n) ||
         (*base && TRY(s, "%.*s/%s/%s", n, dir, file, id)) ||
         TRY(s, "%.*s/%.2s/%s.debug", n, dir, id, id + 2) ||
         TRY(s, "%.*s/.build-id/%.2s/%s.debug", n, dir, id, id + 2)))
        return true;
    return *base &&
           (TRY(s, "%.*s/%s", n, dir, base) ||
            TRY(s, "%.*s/%s", n, dir, file) ||
            TRY(s, "%.*s/%s.debug", n, dir, file) ||
            TRY(s, "%.*s/%.*s/.debug/%s.debug", n, dir, parent, file, base) ||
            TRY(s, "%.*s/usr/lib/debug/%.*s/%s.debug", n, dir, parent, file,
                base));
}

static void search_all(struct search *s, const char *file, const char *path)
{
    const char *dir;
    for (int n; attempt_next_dir(&path, &dir, &n);)
        if (try_dir(s, dir, n, file))
            return;
    if (*file)
        (void)TRY(s, "%s", file);
}

/* The other files that belong to a binary. */
static bool find_others(struct sym_files *files, const char *path,
                        const struct notes *notes, struct err *err)
{
    if (files->image.path && !files->debug.path &&
        !sym_find_debug(&files->debug, &files->image, path, notes, err))
        return false;
    struct sym_image *dwarf =
        files->image.has_dwarf ? &files->image : &files->debug;
    return !dwarf->has_dwarf ||
           sym_find_shared(&files->shared, dwarf, path, notes, err);
}

enum sym_found sym_find(struct sym_files *files, const char *file,
                        const char *build_id, bool anywhere, const char *path,
                        const struct notes *notes, struct err *err)
{
    memset(files, 0, sizeof *files);
    struct search s = {files, build_id, notes, {.err = err}, false};
    (void)err_set(err, ERR_INPUT, "no such file");
    search_all(&s, file, anywhere ? path : NULL);
    buf_free(&s.at.name);
    if (!files->image.path && files->debug.path) {
        files->image = files->debug;
        memset(&files->debug, 0, sizeof files->debug);
    }
    if (s.at.failed || !find_others(files, path, notes, err)) {
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
