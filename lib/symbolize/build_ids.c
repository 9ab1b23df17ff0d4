/* build_ids.c - build IDs of files, for mappings that have none */
#include <sys/stat.h>

#include "symbolize/private.h"

bool sym_is_newer(const char *file, const struct profile *p, int64_t made)
{
    const struct prof_header h = prof_get_header(p);
    struct stat st;
    int64_t end;
    if (!made && h.time_nanos > 0 &&
        !__builtin_add_overflow(h.time_nanos, h.duration_nanos, &end))
        made = end / 1000000000;
    return made && stat(file, &st) == 0 && st.st_mtime > made;
}

static bool read_build_id(struct profile *p, struct prof_mapping *m,
                          int64_t made, const struct prof_notes *notes,
                          struct prof_err *err)
{
    const char *file = prof_plain(p, m->filename);
    struct sym_image image;
    struct prof_err why;
    bool absent = false, ok = true;
    if (!sym_image_open(&image, file, false, &absent, &why)) {
        if (why.kind == PROF_ERR_SYSTEM)
            return err_set(err, PROF_ERR_SYSTEM, "%s: %s", file, why.text);
        note_info(notes, "%s: no build ID: %s", file, why.text);
        return true;
    }
    if (sym_is_newer(file, p, made))
        note_warn(
            notes,
            "%s: build ID not recorded: the file is newer than the profile",
            file);
    else if (image.build_id[0])
        ok = prof_str(p, image.build_id, &m->build_id, err);
    else
        note_info(notes, "%s: no build ID", file);
    sym_image_close(&image);
    return ok;
}

bool sym_read_build_ids(struct profile *p, int64_t made,
                        const struct prof_notes *notes, struct prof_err *err)
{
    for (size_t i = 0; i < prof_count(p).mappings; i++) {
        struct prof_mapping m = prof_get_mapping(p, i);
        /* "[vdso]" and "//anon" are not files. */
        const char *name = prof_plain(p, m.filename);
        bool is_file =
            *name && *name != '[' && (*name != '/' || name[1] != '/');
        if (is_file && !m.build_id && !read_build_id(p, &m, made, notes, err))
            return false;
        prof_set_mapping(p, i, &m);
    }
    return true;
}
