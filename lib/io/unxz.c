#include "io/unxz.h"

#include "io/archive.h"

bool unxz(const void *data, size_t n, size_t max, struct buf *out,
          struct err *err)
{
    struct mem_stream mem = mem_stream_of(data, n);
    struct unpack_stream unpack = unpack_stream_of(SNIFF_XZ, &mem.stream);
    size_t had = out->n;
    ptrdiff_t k = 0;
    bool ok;
    do {
        out->n += (size_t)k;
        ok = out->n - had <= max
                 ? buf_reserve(out, ARCHIVE_BLOCK) || err_nomem(err)
                 : err_set(err, ERR_INPUT, "it holds more than %zu bytes", max);
        k = ok ? unpack.stream.read(&unpack.stream, out->v + out->n,
                                    ARCHIVE_BLOCK, err)
               : -1;
    } while (k > 0);
    unpack_free(&unpack);
    return k == 0;
}
