#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "io/fd.h"
#include "io/scratch.h"
#include "io/stream.h"

enum { STEP = 64 * 1024 };

static bool copy(struct stream *from, size_t max, uint8_t *block, int fd,
                 struct err *err)
{
    uint64_t total = 0;
    for (;;) {
        ptrdiff_t k = from->read(from, block, STEP, err);
        if (k <= 0)
            return k == 0;
        total += (uint64_t)k;
        if (total > max)
            return err_set(err, ERR_INPUT,
                           "more than %zu bytes (see --max-size)", max);
        if (!fd_write(fd, block, (size_t)k, err))
            return err_prefix(err, "temporary file: ");
    }
}

bool stream_to_file(struct stream *from, size_t max, int *fd, struct err *err)
{
    struct scratch file;
    *fd = -1;
    if (!scratch_open(&file, err))
        return false;
    *fd = file.fd;
    uint8_t *block = malloc(STEP);
    bool ok = block ? copy(from, max, block, *fd, err) : err_nomem(err);
    free(block);
    return ok && (lseek(*fd, 0, SEEK_SET) == 0 ||
                  err_errno(err, errno, "cannot read the temporary file"));
}
