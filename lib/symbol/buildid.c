#include "symbol/buildid.h"

#include "profile/text.h"
#include "symbol/image.h"

static bool read_one(struct profile *p, struct prof_mapping *m,
                     const struct notes *notes, struct err *err)
{
    const char *file = prof_plain(p, m->filename);
    struct sym_image image;
    struct err why;
    bool absent = false, ok = true;
    if (!sym_image_open(&image, file, &absent, &why)) {
        if (why.kind == ERR_SYSTEM)
            return err_set(err, ERR_SYSTEM, "%s: %s", file, why.text);
        note_info(notes, "%s: no build id: %s", file, why.text);
        return true;
    }
    if (image.build_id[0])
        ok = prof_str(p, image.build_id, &m->build_id, err);
    else
        note_info(notes, "%s: has no build id", file);
    sym_image_close(&image);
    return ok;
}

bool sym_read_build_ids(struct profile *p, const struct notes *notes,
                        struct err *err)
{
    for (size_t i = 0; i < p->n_mappings; i++) {
        struct prof_mapping *m = &p->mappings[i];
        /* "[vdso]" and "//anon" are no files. */
        const char *name = prof_plain(p, m->filename);
        bool is_file =
            *name && *name != '[' && (*name != '/' || name[1] != '/');
        if (is_file && !m->build_id && !read_one(p, m, notes, err))
            return false;
    }
    return true;
}
