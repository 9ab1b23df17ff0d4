/*
 * samples.h - prints the samples of a report, with several threads
 *
 * For the files of lib/report only.  A report that prints every sample with its
 * stack makes the text of each location once (struct stacktext) and has a
 * function that prints one sample:
 *
 *      struct stacktext stacks = {.p = r->p};
 *      for each location:
 *          ok = buf_put(&stacks.text, ...) && stacktext_piece(&stacks);
 *      ok = report_samples(r, &stacks, put_sample, ctx);
 *      stacktext_free(&stacks);
 *
 * text/traces.c and data/rawtext.c are examples.
 *
 * All functions that return bool return false when memory is out, or when the
 * sink of the report failed.
 */
#ifndef PROFUTILS_REPORT_SAMPLES_H
#define PROFUTILS_REPORT_SAMPLES_H

#include <string.h>

#include "base/prefetch.h"
#include "base/vec.h"
#include "report/out.h"

/*
 * Stacks as text.  The text of a stack is made of the texts of its locations;
 * the text of a location is made of one or more pieces: location l is piece l,
 * or, if off is not null, the pieces of[off[l] .. off[l + 1]).
 *
 * stacktext_put() takes most of the time of a report, and most of that passes
 * in waiting for memory.  So the text of the frames, from the root, that a
 * stack has in common with the last one is copied from the last one, and each
 * other frame is found in one access if its text is short, or else in two.
 */
union stacktext_piece {
    struct {
        uint8_t v[7], n; /* the text */
    } text;
    struct {
        uint32_t at; /* of stacktext.text, in units of 16 bytes */
        uint16_t n;  /* 0xffff: the text is after its length, a uint64_t */
        uint8_t unused, is_long; /* 0xff, a value that text.n never has */
    } place;
};

struct stacktext {
    const struct profile *p; /* not owned, nor are off and of */
    const uint64_t *off;
    const uint32_t *of;
    struct buf text; /* of the long pieces, and of one that is being made */
    VEC(union stacktext_piece) pieces;
    bool root_first;     /* false: a stack begins with its leaf */
    size_t cut;          /* bytes in which all pieces end, a separator; they
                            are omitted at the end of a stack */
    struct report *flow; /* if not null, stacktext_put() appends to the buffer
                            of this report and flushes it between frames; so
                            it cannot copy text of the last stack */

    /* Private. */
    bool is_twin;  /* made by stacktext_twin(): does not own text and pieces */
    size_t n_long; /* bytes of the long pieces in `text` */
    struct prof_stacks stacks; /* reads what cannot be copied */
    size_t next; /* the sample after the last one; 0: do not copy its text */
    size_t begin, end; /* the last text is out->v[begin .. end) */
    VEC(size_t) tail;  /* tail[k]: bytes of its k outermost locations */
};

/*
 * Sets t->off and t->of, or the order of t->pieces, so that the pieces of a
 * location are those that nodes->of has for it.
 */
bool stacktext_use_nodes(struct stacktext *t, const struct nodes *nodes);

/* Ends a piece: the bytes that were appended to t->text since the last one. */
bool stacktext_piece(struct stacktext *t);

/*
 * Appends the stack of a sample to *out.  The text that the last call appended
 * must still be there.
 */
bool stacktext_put(struct stacktext *t, size_t sample, struct buf *out);

/*
 * Appends a stack of samples in any order, frames[0 .. depth), depth > 0.  The
 * last k frames, which are not read unless t->flow is set, are also those of
 * the stack that was appended last.
 */
bool stacktext_put_frames(struct stacktext *t, const uint32_t *frames,
                          size_t depth, size_t k, struct buf *out);

/* Flushes t->flow, if there is one. */
bool stacktext_flow(const struct stacktext *t);

/*
 * Returns a copy for another thread.  It shares the text of *t, which must not
 * change.  Free the copy before *t.
 */
struct stacktext stacktext_twin(const struct stacktext *t);

void stacktext_free(struct stacktext *t);

/* --- the texts of locations --- */

enum {
    STACKTEXT_IS_LONG = UINT8_MAX,    /* union stacktext_piece */
    STACKTEXT_VERY_LONG = UINT16_MAX, /* from so many bytes on, the length
                                         precedes the text */
    STACKTEXT_UNIT = 16, /* places of long texts are multiples of this */
};

/* Returns the text of a piece. */
static inline struct prof_slice
stacktext_text_of(const struct stacktext *t, const union stacktext_piece *piece)
{
    if (piece->place.is_long != STACKTEXT_IS_LONG)
        return (struct prof_slice){(const char *)piece->text.v, piece->text.n};
    const char *text =
        (const char *)t->text.v + (size_t)piece->place.at * STACKTEXT_UNIT;
    uint64_t n = piece->place.n;
    if (n == STACKTEXT_VERY_LONG) {
        memcpy(&n, text, sizeof n);
        text += sizeof n;
    }
    return (struct prof_slice){text, (size_t)n};
}

/* Returns the pieces of location *l, and sets *n to their number. */
static inline const uint32_t *
stacktext_pieces_of(const struct stacktext *t, const uint32_t *l, uint64_t *n)
{
    if (!t->off) {
        *n = 1;
        return l;
    }
    *n = t->off[*l + 1] - t->off[*l];
    return t->of + t->off[*l];
}

/* Returns the length of a piece.  Prefetches its text if it is long. */
ALWAYS_INLINE static inline uint64_t
stacktext_ask_for(const struct stacktext *t, uint32_t k)
{
    const union stacktext_piece *piece = &t->pieces.v[k];
    if (piece->place.is_long != STACKTEXT_IS_LONG)
        return piece->text.n;
    struct prof_slice s = stacktext_text_of(t, piece);
    __builtin_prefetch(s.s);
    __builtin_prefetch(s.s + s.n);
    return s.n;
}

/* Returns the length of a location's text, and prefetches it. */
ALWAYS_INLINE static inline uint64_t stacktext_length(const struct stacktext *t,
                                                      uint32_t l)
{
    uint64_t n_pieces, n = 0;
    const uint32_t *of = stacktext_pieces_of(t, &l, &n_pieces);
    for (uint64_t i = 0; i < n_pieces; i++)
        n += stacktext_ask_for(t, of[i]);
    return n;
}

/* Prefetches the texts of the frames that a sample owns, if stacks share
 * others; if not, most are in the cache already. */
ALWAYS_INLINE static inline void stacktext_prefetch(const struct stacktext *t,
                                                    size_t sample)
{
    const struct profile *p = t->p;
    if (!p->shared)
        return;
    for (uint64_t i = p->frame_off[sample]; i < p->frame_off[sample + 1]; i++)
        (void)stacktext_length(t, p->frames[i]);
}

/* --- labels and samples --- */

/*
 * The labels of a sample are printed as by pprof: an entry for each key, with
 * all values of the key; strings and numbers separately; entries sorted as
 * text.
 */

struct labels_style {
    bool strings; /* print the string labels; false: the numbers */
    /* Appends the entry of labels v[0 .. n), which have one key. */
    bool (*entry)(void *ctx, const struct prof_label *v, size_t n,
                  struct buf *to);
    void *ctx;
    const char *between; /* text between entries */
};

/* Memory of labels_put() that is reused for each sample; zero-initialise. */
struct labels_scratch {
    struct buf text;
    struct labels_span {
        size_t at, n;
    } * span;
    size_t cap_span;
    struct report *flow; /* if not null: flushed between entries */
};

/* Appends the labels of a label set to *to. */
bool labels_put(const struct profile *p, uint32_t set,
                const struct labels_style *style,
                struct labels_scratch *scratch, struct buf *to);

/* The state of a thread that prints samples. */
struct sample_printer {
    struct report report; /* a copy; `out` and `value_text` are the thread's */
    struct stacktext stacks;
    struct labels_scratch scratch;
    void *ctx; /* of the report; threads must not change it */
};

/* Appends a sample to p->report.out. */
typedef bool sample_fn(struct sample_printer *p, size_t sample);

/* Prints all samples in their order.  *stacks does not change. */
bool report_samples(struct report *r, const struct stacktext *stacks,
                    sample_fn *fn, void *ctx);

/*
 * report_samples() uses the following, as do reports that combine samples or
 * print them in another order (data/foldedtext.c).
 *
 * Samples are cut into pieces of about equally many frames.  A thread makes the
 * text of a piece in a buffer that fits a cache; the buffers are written in the
 * order of the pieces.  A sample of more than PIECES_LONG bytes of text is a
 * piece of its own, and its text goes to the report directly.
 */

enum { PIECES_LONG = 4 << 20 };

struct pieces_job {
    const uint32_t *order; /* samples; null: 0, 1, 2 and so on */
    size_t n;
    const struct stacktext *stacks; /* to estimate the length of texts */
    /*
     * Appends the text of samples order[from .. to) to *out, which is empty;
     * `thread` is below r->opts->threads.  For a long sample `thread` is
     * r->opts->threads and *out is r->out: fn flushes the report wherever the
     * text may be long.
     */
    bool (*fn)(void *ctx, unsigned thread, size_t from, size_t to,
               struct buf *out);
    void *ctx;
};

bool report_pieces(struct report *r, const struct pieces_job *job);

#endif
