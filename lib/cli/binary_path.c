#include "cli/binary_path.h"

#include <stdlib.h>

#include "base/buf.h"

bool cli_binary_path(const char *more, char **path, struct err *err)
{
    const char *set = getenv("PPROF_BINARY_PATH"), *home = getenv("HOME");
    const char *in_home = "";
    if (!set || !*set) {
        set = home && *home ? home : "";
        in_home = *set ? "/pprof/binaries" : "";
    }
    const char *colon = more && *more && *set ? ":" : "";
    struct buf b = {0};
    *path = NULL;
    if (!buf_printf(&b, "%s%s%s%s", more ? more : "", colon, set, in_home) ||
        !buf_putc(&b, 0)) {
        buf_free(&b);
        return err_nomem(err);
    }
    *path = (char *)b.v;
    return true;
}
