/*
 * buf.h - a byte buffer that grows, and sinks that bytes are written to
 *
 * `struct buf` owns its bytes: zero-initialise, fill, buf_free().  The
 * buf_put functions append; false: memory is out.
 *
 * A sink takes bytes in order: a buffer, an output file, a compressor.
 * Writers of formats write to a sink.
 */
#ifndef PROFUTILS_BASE_BUF_H
#define PROFUTILS_BASE_BUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct buf {
    uint8_t *v;
    size_t n, cap;
};

void buf_free(struct buf *b);

/* Room for k more bytes after n; false when memory is out. */
bool buf_reserve(struct buf *b, size_t k);

bool buf_put(struct buf *b, const void *bytes, size_t n);
bool buf_puts(struct buf *b, const char *s);
bool buf_putc(struct buf *b, char c);
/* A number in decimal. */
bool buf_put_u64(struct buf *b, uint64_t v);
bool buf_put_i64(struct buf *b, int64_t v);

/* Bytes as base64 (RFC 4648, section 4), padded, without line breaks. */
bool buf_put_base64(struct buf *to, const uint8_t *v, size_t n);

bool buf_printf(struct buf *b, const char *fmt, ...) ERR_PRINTF(2, 3);

/* Returns a formatted string, which the caller frees; null: no memory. */
char *str_printf(const char *fmt, ...) ERR_PRINTF(1, 2);

struct sink {
    /* Takes all n bytes or fails with *err set. */
    bool (*write)(struct sink *self, const void *bytes, size_t n,
                  struct prof_err *err);
};

static inline bool sink_write(struct sink *s, const void *bytes, size_t n,
                              struct prof_err *err)
{
    return s->write(s, bytes, n, err);
}

/* A sink that appends to *buf, which it does not own. */
struct buf_sink {
    struct sink sink; /* first, so that &bs.sink is the sink */
    struct buf *buf;
};

struct buf_sink buf_sink_of(struct buf *buf);

#endif
