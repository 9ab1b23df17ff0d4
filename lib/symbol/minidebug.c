#include "symbol/minidebug.h"

#include <errno.h>

#include "io/input.h"
#include "symbol/elfsec.h"

enum { CONTENT_MAX = 256 * 1024 * 1024 };

static const char section[] = ".gnu_debugdata";

bool sym_minidebug_open(struct sym_image *mini, const struct sym_image *im,
                        const struct notes *notes, struct err *err)
{
    GElf_Shdr sh;
    struct buf content = {0};
    struct err why;
    errno = 0;
    Elf_Scn *scn = sym_section(im->elf, section, &sh);
    const Elf_Data *d = scn ? elf_rawdata(scn, NULL) : NULL;
    if (!err_check_errno(err))
        return err_prefix(err, "%s: ", im->path);
    if (!d || !d->d_buf)
        return true;
    if (unxz(d->d_buf, d->d_size, CONTENT_MAX, &content, &why) &&
        sym_image_open_memory(mini, im->path, &content, &why))
        return true;
    buf_free(&content);
    if (err_is_nomem(&why)) {
        *err = why;
        return false;
    }
    note_warn(notes, "%s: its symbols in %s are not read: %s", im->path,
              section, why.text);
    return true;
}
