/*
 * input_open.h - what an input is, and the way its bytes come (lib/io only)
 *
 * input_begin() looks at the first bytes and sets up the streams; then
 * input.c takes parts out of `members` and, of archives, blobs out of
 * `entries`, which go through input_take().
 */
#ifndef PROFUTILS_IO_INPUT_OPEN_H
#define PROFUTILS_IO_INPUT_OPEN_H

#include "io/archive.h"
#include "io/input.h"
#include "io/members.h"
#include "io/stream.h"

/*
 * Bytes come from `file`, perhaps through `gunzip` or `unpack` (and then
 * `inner`), to `entries` or, whole, to `members`.
 */
struct input {
    struct input_opts opts;
    const char *path;
    size_t max;
    const struct notes *notes;
    int fd;
    bool owns_fd;
    int spilled;   /* a file without a name, or -1 */
    uint64_t size; /* of the file, 0 if unknown */
    struct fd_stream raw;
    struct head_stream file;
    struct gunzip_stream gunzip;
    struct unpack_stream unpack;
    struct head_stream inner;
    bool is_archive;
    struct entries entries;
    struct buf entry;    /* content of the present entry */
    struct buf unpacked; /* the same without its compression */
    struct members members;
    struct err damage; /* of the blob or archive, with `salvage` */
    bool trailing;     /* that is only that something stands behind it */
    bool unopened;     /* the archive: damage has yet to be told */
};

/* Sets fd and size of *in, which owns the descriptor unless it is stdin. */
bool input_open_file(struct input *in, const char *path, struct err *err);

/* Decides by the first bytes what the file is. */
bool input_begin(struct input *in, struct err *err);

/* A whole blob, of which in->members then gives the parts. */
bool input_take(struct input *in, const uint8_t *data, size_t n,
                struct err *err);

/*
 * Whether the n bytes that came before a failure are taken for all there is;
 * if so, it becomes in->damage, unless there is one.  What is more than
 * in->max, or the fault of the system, is no damage.
 */
bool input_forgive(struct input *in, size_t n, bool trailing,
                   const struct err *why);

#endif
