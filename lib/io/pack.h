/*
 * pack.h - one output out of pieces made and deflated by several threads
 *
 * Each piece is made in a buffer of the thread that has it, deflated from
 * there at once and handed over in order, so that there is never more
 * uncompressed data than a piece per thread.  The result is one gzip member,
 * since many readers (browsers, pako) know no second one; its bytes depend on
 * the pieces and the level alone, not on the number of threads.
 */
#ifndef PROFUTILS_IO_PACK_H
#define PROFUTILS_IO_PACK_H

#include "base/buf.h"
#include "base/err.h"

/* Reused across runs to save set-up.  Null: no memory. */
struct pack;
struct pack *pack_new(unsigned threads);
void pack_free(struct pack *pack);

struct pack_job {
    size_t n;  /* pieces, at least 1 */
    int level; /* of gz_deflate(), but 0: not gzip, the pieces as they are */
    /* Appends piece `piece`; several threads do this at once. */
    bool (*make)(void *ctx, size_t piece, struct buf *raw, struct err *err);
    /*
     * Is given the output in order, by one thread at a time.  It may keep
     * *bytes, leaving a zeroed buffer in its place.
     */
    bool (*take)(void *ctx, struct buf *bytes, struct err *err);
    void *ctx;
};

/* After a failure, which is that of the first piece that failed, an unknown
 * part of the output has been given to take(). */
bool pack_run(struct pack *pack, const struct pack_job *job, struct err *err);

#endif
