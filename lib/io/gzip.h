/*
 * gzip.h - gzip members in memory, and one made by several threads (RFC 1952)
 *
 * The library below is libdeflate where pkg-config finds it, else zlib
 * (gzip_libdeflate.c, gzip_zlib.c).  The bytes that are made depend on the
 * data, the level and the library, never on time or threads: the header's
 * mtime is 0 and its OS byte 255.
 */
#ifndef PROFUTILS_IO_GZIP_H
#define PROFUTILS_IO_GZIP_H

#include "base/buf.h"
#include "base/err.h"
#include "base/library.h"

/*
 * Sums of profiles, in pieces: MB, and ms of processor time to deflate them.
 *
 *   library, level   314 heap profiles,   1,000,000 stacks,
 *                    15.6 MB              94.8 MB
 *   libdeflate 1     3.05    49           34.96   361
 *              2     2.83    80           33.38   646
 *              4     2.68   101           32.98   716
 *              6     2.58   163           32.46   988
 *   zlib       1     3.14    78           34.73   799
 *              4     2.74   123           33.22  1159
 *   ISA-L      1     3.14    20           35.62   146
 *              2     3.11    21           35.17   153
 *
 * All else that is done for the stacks takes 650 ms, so that higher levels do
 * not pay there.  On one profile of 120 KB, where setting up counts, level 1
 * gave 44 KB and 4 gave 41 KB, but a pipeline of three tools took 12 ms instead
 * of 15.
 *
 * ISA-L does not deflate, although it is the fastest: its levels 0 to 2 write
 * other bytes on processors without SSE 4.2, and level 3 also on those with
 * AVX2 and with AVX-512.  A merge has the same bytes on all machines.
 */
enum { GZ_LEVEL_FAST = 1, GZ_SMALL = 1 << 20, GZ_LARGE = 64 << 20 };

/* The highest level that is worth its time; higher ones gain little. */
extern const int gz_level_good;

/*
 * The level for n bytes when none is asked for: GZ_LEVEL_FAST for less than
 * GZ_SMALL, and for GZ_LARGE or more.
 */
static inline int gz_default_level(size_t n)
{
    return n < GZ_SMALL || n >= GZ_LARGE ? GZ_LEVEL_FAST : gz_level_good;
}

/* Reused across calls to save set-up; one per thread.  Null: no memory. */
struct gz;
struct gz *gz_new(void);
void gz_free(struct gz *gz);

/* True when the n bytes begin like a gzip member. */
bool gz_begins(const uint8_t *data, size_t n);

/* True when the member at data has flags that the format does not define. */
bool gz_has_reserved_flags(const uint8_t *data, size_t n);

/*
 * Inflates the member at data, appending to *out, which never grows past
 * max bytes in all (PROF_ERR_INPUT when it would).  *used is the length of the
 * member.  Checks the checksum and length in the trailer.
 */
bool gz_inflate(struct gz *gz, const uint8_t *data, size_t n, size_t max,
                struct buf *out, size_t *used, struct prof_err *err);

/* Appends one member holding data; level 0 to 9, or 10 to 12 if it can. */
bool gz_deflate(struct gz *gz, const uint8_t *data, size_t n, int level,
                struct buf *out, struct prof_err *err);

/* Inflates n bytes in zlib's format to exactly `size` bytes; false: they are
 * not that, or memory is out. */
bool zlib_inflate(const void *data, size_t n, void *to, size_t size);

/* The name of the library that is used besides zlib, or null. */
const char *gz_library(void);

extern const struct library_about gz_zlib, gz_isal;

/* --- several threads ------------------------------------------------------ */

/*
 * Makes one member from pieces.  A thread makes a piece in a buffer and
 * deflates it; the results are passed on in order.  So there is at most one
 * uncompressed piece per thread in memory.  All pieces are in one member
 * because many readers (browsers, pako) read only the first.
 *
 * A pack is reused across runs to save set-up.  Null: memory is out.
 */
struct pack;
struct pack *pack_new(unsigned threads);
void pack_free(struct pack *pack);

struct pack_job {
    size_t n;  /* pieces, at least 1 */
    int level; /* of gz_deflate(), but 0: not gzip, the pieces as they are */
    /* Appends piece `piece`; several threads do this at once. */
    bool (*make)(void *make_ctx, size_t piece, struct buf *raw,
                 struct prof_err *err);
    /*
     * Called with the output in order, by one thread at a time.  It may take
     * over the memory of *bytes if it zeroes *bytes.
     */
    bool (*take)(void *take_ctx, struct buf *bytes, struct prof_err *err);
    void *make_ctx, *take_ctx;
};

/* On failure *err is that of the first piece that failed; take() has received
 * an unknown part of the output. */
bool pack_run(struct pack *pack, const struct pack_job *job,
              struct prof_err *err);

/*
 * Encodes and compresses a profile.  Reads how->level (-1: the default for its
 * size), take and take_ctx.
 */
bool pack_profile(struct pack *pack, const struct profile *p,
                  const struct pack_job *how, struct prof_err *err);

#endif
