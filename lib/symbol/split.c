#include "symbol/split.h"

#include <dwarf.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "symbol/entry.h"

const char *sym_split_name(Dwarf_Die *skeleton)
{
    const char *name = sym_entry_string(skeleton, DW_AT_dwo_name);
    return name ? name : sym_entry_string(skeleton, DW_AT_GNU_dwo_name);
}

/* What a path means in a directory; `path` is scratch.  Null: no memory. */
static const char *in_directory(struct buf *path, const char *dir,
                                const char *name)
{
    path->n = 0;
    bool ok = *name == '/' ? buf_puts(path, name)
                           : buf_printf(path, "%s/%s", dir, name);
    return ok && buf_putc(path, 0) ? (const char *)path->v : NULL;
}

/*
 * *may: whether libdw may open what is called like this.  It would wait for a
 * FIFO, and read from a terminal.
 */
static bool look_at(struct buf *path, const char *dir, const char *name,
                    bool *may, struct err *err)
{
    struct stat st;
    const char *file = in_directory(path, dir, name);
    if (!file)
        return err_nomem(err);
    if (stat(file, &st) == 0 && !S_ISREG(st.st_mode))
        *may = false;
    return true;
}

/* Looks where libdw does: beside the skeleton's file, and where compiled. */
static bool look_at_all(Dwarf_Die *skeleton, const char *dir, bool *may,
                        struct err *err)
{
    struct buf path = {0}, compiled = {0};
    const char *name = sym_split_name(skeleton);
    const char *in = sym_entry_string(skeleton, DW_AT_comp_dir);
    *may = name != NULL;
    bool ok = !name || look_at(&path, dir, name, may, err);
    if (ok && name && in) {
        in = in_directory(&compiled, dir, in);
        ok = in ? look_at(&path, in, name, may, err) : err_nomem(err);
    }
    buf_free(&path);
    buf_free(&compiled);
    return ok;
}

bool sym_split_unit(Dwarf_Die *skeleton, const char *dir, Dwarf_Die *split,
                    struct err *err)
{
    bool may;
    memset(split, 0, sizeof *split);
    if (!look_at_all(skeleton, dir, &may, err))
        return false;
    if (!may)
        return true;
    /* libdw goes on with what it has when there is no memory for a part. */
    errno = 0;
    if (dwarf_cu_info(skeleton->cu, NULL, NULL, NULL, split, NULL, NULL,
                      NULL) != 0)
        memset(split, 0, sizeof *split);
    return err_check_errno(err);
}
