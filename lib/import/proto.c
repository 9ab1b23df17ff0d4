#include "import/proto.h"

#include "io/kind.h"
#include "pb/pb.h"

bool proto_begins(const uint8_t *data, size_t n)
{
    return kind_of(data, n) == &kind_profile;
}

bool proto_read(const uint8_t *data, size_t n, const struct gperf_opts *opts,
                struct profile *out, const struct notes *notes, struct err *err)
{
    (void)opts;
    return pb_decode(data, n, out, notes, err);
}
