/*
 * buf.h - a byte buffer that grows, and sinks that bytes are written to
 *
 * A `struct buf` owns its bytes.  Zero-initialise it, fill it, and free it with
 * buf_free().  The functions buf_put...() append to it; they return false, and
 * append nothing or a part, when memory is out.
 *
 * A sink receives bytes in order: it is a buffer, an output file or a
 * compressor.  Code that writes a format writes to a sink.
 */
#ifndef PROFUTILS_BASE_BUF_H
#define PROFUTILS_BASE_BUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/err.h"
#include "base/vec.h"

struct buf {
    uint8_t *v;
    size_t n, cap;
};

void buf_free(struct buf *b);

/* Returns the bytes of *b, which are valid until it changes. */
static inline struct prof_slice buf_slice(const struct buf *b)
{
    return (struct prof_slice){(const char *)b->v, b->n};
}

/* Makes room for k more bytes after v[n]; false when memory is out. */
static inline bool buf_reserve(struct buf *b, size_t k)
{
    return vec_reserve(b, k);
}

bool buf_put(struct buf *b, const void *bytes, size_t n);

static inline bool buf_putc(struct buf *b, char c)
{
    return vec_push(b, (uint8_t)c);
}

/* Inline, so that the length of a string literal is known when compiling. */
static inline bool buf_puts(struct buf *b, const char *s)
{
    return buf_put(b, s, strlen(s));
}

/* Writes a number in decimal, which ends at `end`, and returns its beginning;
 * it has at most 20 digits. */
char *put_digits(char *end, uint64_t v);
/* Append a number in decimal. */
bool buf_put_u64(struct buf *b, uint64_t v);
bool buf_put_i64(struct buf *b, int64_t v);

/* Appends a number as unsigned LEB128: 7 bits in a byte, from the lowest on. */
static inline bool buf_put_leb128(struct buf *b, uint64_t v)
{
    if (!buf_reserve(b, 10))
        return false;
    uint8_t *to = b->v + b->n;
    for (; v >= 0x80; v >>= 7)
        *to++ = (uint8_t)(v | 0x80);
    *to++ = (uint8_t)v;
    b->n = (size_t)(to - b->v);
    return true;
}

/* Appends v[0 .. n) as base64 (RFC 4648, section 4), padded, on one line. */
bool buf_put_base64(struct buf *to, const uint8_t *v, size_t n);

bool buf_printf(struct buf *b, const char *fmt, ...) ERR_PRINTF(2, 3);

/* Returns a formatted string, which the caller frees; null: memory is out. */
char *str_printf(const char *fmt, ...) ERR_PRINTF(1, 2);

struct sink {
    /* Writes all n bytes.  False, with *err set, after a failure. */
    bool (*write)(struct sink *self, const void *bytes, size_t n,
                  struct prof_err *err);
};

static inline bool sink_write(struct sink *s, const void *bytes, size_t n,
                              struct prof_err *err)
{
    return s->write(s, bytes, n, err);
}

/* A source of bytes, pulled block by block; the counterpart of a sink. */
struct prof_blocks {
    /*
     * Sets *block to the next bytes, at least one, which are good until the
     * next call.  Returns their number; 0 at the end; -1 on failure.
     */
    ptrdiff_t (*next)(struct prof_blocks *self, const uint8_t **block,
                      struct prof_err *err);
    uint64_t size_hint; /* likely number of all bytes; 0: unknown */
    bool shares;        /* the caller: stacks may share frames (columns.h) */
    bool refused;       /* set by a reader that needs all bytes at once */
};

/* A sink that appends to *buf, which it does not own. */
struct buf_sink {
    struct sink sink; /* first, so that &bs.sink is the sink */
    struct buf *buf;
};

struct buf_sink buf_sink_of(struct buf *buf);

#endif
