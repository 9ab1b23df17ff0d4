#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"

/* One for all inputs; it has no place in any file system. */
static int fd = -1;

void fuzz_file(const uint8_t *data, size_t n)
{
    if (fd < 0)
        fd = memfd_create("fuzz", MFD_CLOEXEC);
    FUZZ_CHECK(fd >= 0 && ftruncate(fd, 0) == 0);
    FUZZ_CHECK(pwrite(fd, data, n, 0) == (ssize_t)n);
}

const char *fuzz_path(void)
{
    static char path[32];
    (void)snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    return path;
}

bool fuzz_read(const char *name, struct buf *bytes)
{
    FILE *f = fopen(name, "rb");
    char part[4096];
    bool ok = f;
    for (size_t n; ok && (n = fread(part, 1, sizeof part, f)) > 0;)
        ok = buf_put(bytes, part, n);
    ok = ok && !ferror(f);
    if (f)
        (void)fclose(f);
    return ok;
}

char *fuzz_line(const uint8_t *data, size_t n, unsigned number, unsigned last)
{
    for (unsigned i = 0; i < number; i++) {
        const uint8_t *end = n ? memchr(data, '\n', n) : NULL;
        if (!end)
            return NULL;
        n -= (size_t)(end + 1 - data);
        data = end + 1;
    }
    const uint8_t *end = n && number < last ? memchr(data, '\n', n) : NULL;
    if (end)
        n = (size_t)(end - data);
    char *line = strndup(n ? (const char *)data : "", n);
    FUZZ_CHECK(line);
    return line;
}
