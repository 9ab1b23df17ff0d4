/*
 * frames.h - zstd and lz4 data frame by frame (lib/io only)
 *
 * libarchive takes zeros behind zstd data, with which a last block was filled
 * up, for damage; and of lz4 data what stands behind a frame that holds
 * nothing, or begins with frames to skip, for something else.  All of this is
 * sound.  So frames are counted off here, none is decompressed: what is behind
 * the last one is not passed on; frames of lz4 that come before the first one
 * with content are left out, and behind it one without is made one to skip.
 * What is no frame by its headers is passed on, for libarchive to say so.
 *
 * zstd: RFC 8878, 3.1; lz4: lz4_Frame_format.md of lz4, version 1.6.
 */
#ifndef PROFUTILS_IO_FRAMES_H
#define PROFUTILS_IO_FRAMES_H

#include "io/stream.h"

struct frames_stream {
    struct stream stream;
    struct stream *from;
    bool is_lz4;
    enum { FRAMES_HEADER, FRAMES_BLOCK, FRAMES_AS_IT_IS, FRAMES_OVER } state;
    uint8_t *block; /* bytes at hand: of n those from `at` on are to come */
    size_t at, n;
    bool ended;       /* `from` has no more */
    uint64_t left;    /* to pass on before a header comes */
    bool skip;        /* leave these out */
    bool content;     /* a frame with content has begun */
    size_t block_sum; /* bytes behind each block of the frame */
    size_t frame_sum; /* and behind its last */
    uint64_t skipped; /* bytes left out so far */
};
struct frames_stream frames_stream_of(bool is_lz4, struct stream *from);

/* Whether `from` has ended inside of a frame, or of one to skip. */
bool frames_are_cut(const struct frames_stream *f);

/* Behind the last frame: read() goes on with what stands there. */
void frames_go_on(struct frames_stream *f);
void frames_free(struct frames_stream *f);

/*
 * What the first of the n bytes are if they are frames to skip: the offset of
 * what is behind these, which may be n or more.
 */
uint64_t frames_to_skip(const uint8_t *data, size_t n);

#endif
