/*
 * samples.h - the samples of a report as text, made by several threads
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
 */
#ifndef PROFUTILS_REPORT_SAMPLES_H
#define PROFUTILS_REPORT_SAMPLES_H

#include "base/vec.h"
#include "report/out.h"

/*
 * The stacks of samples as text, one after the other.
 *
 * Reports spend most of their time here, so it makes few and long copies: the
 * part of a stack that a sample shares with the one before, counted from the
 * root, is copied in one go from where that one's text is.
 */

struct stacktext {
    const struct profile *p; /* not owned, as the two arrays below */
    /*
     * Location l is the pieces piece[off[l] .. off[l + 1]); without off,
     * piece[l] alone; without both, piece l.
     */
    const uint64_t *off;
    const uint32_t *piece;
    struct buf text;  /* of all pieces */
    VEC(uint64_t) at; /* piece i is text[at[i - 1] .. at[i]), from 0 */
    bool root_first;  /* else a stack begins with its leaf */
    size_t cut;       /* so many bytes are left out at the end of a stack */
    /*
     * Null, or the report of which *out is: it is flushed between frames, and
     * nothing is copied.
     */
    struct report *flow;

    /* Private. */
    bool is_twin;
    /* The last sample. */
    const uint32_t *stack; /* leaf first; null: none to copy from */
    size_t depth;
    size_t begin, end; /* its text is out->v[begin .. end) */
    VEC(size_t) tail;  /* lengths of its k outermost locations' text */
};

/*
 * Makes one more piece of what was appended to t->text since the last; false
 * when memory is out.
 */
bool stacktext_piece(struct stacktext *t);

/*
 * Appends the stack of a sample, leaf first; false when memory is out.  What
 * the last call appended must still be in *out, unless stacktext_forget() was
 * called since.
 */
bool stacktext_put(struct stacktext *t, size_t sample, struct buf *out);
void stacktext_forget(struct stacktext *t);

/* Flushes the report, if there is one. */
bool stacktext_flow(const struct stacktext *t);

/*
 * For another thread: what prints the same stacks as *t, with its text, which
 * is to stay as it is.  To be freed before *t.
 */
struct stacktext stacktext_twin(const struct stacktext *t);

void stacktext_free(struct stacktext *t);

/*
 * About the size of a sample's text.  It is estimated from the longest frame
 * and label, and added up only where that is not known to be small.
 */

struct samplesize {
    const struct profile *p;
    const struct stacktext *stacks;
    size_t frame, label; /* the longest of each */
    size_t values;
};

struct samplesize samplesize_of(const struct profile *p,
                                const struct stacktext *stacks);

/* In bytes; what is more than SIZE_MAX is that. */
size_t samplesize(const struct samplesize *z, size_t sample);

/*
 * Samples are cut into pieces of about equally many frames.  Threads make text
 * of them, each piece in a buffer of its own that is small enough for a cache,
 * and the text goes out in the order of the pieces, while others are made.
 *
 * A sample whose text is too long to be held in memory is a piece of its own,
 * made when it is its turn, and goes out while it is made.
 */

enum { PIECES_LONG = 4 << 20 }; /* bytes of text */

struct pieces_job {
    const uint32_t *order; /* samples; null: 0 .. n */
    size_t n;
    /*
     * Appends the text of samples order[from .. to) (just from .. to where
     * there is no order) to *out, which is empty.  thread is below the number
     * of threads of r->opts; or it is that number: then *out is that of the
     * report, and fn calls report_flush() wherever the text may be long.
     * False when memory is out or the sink fails.
     */
    bool (*fn)(void *ctx, unsigned thread, size_t from, size_t to,
               struct buf *out);
    /* About the bytes of a sample's text; null: none is long. */
    size_t (*size)(const void *ctx, size_t sample);
    void *ctx;
};

/* False when memory is out or the sink fails. */
bool report_pieces(struct report *r, const struct pieces_job *job);

/*
 * The labels of a sample, key by key, as pprof prints them: in one line or
 * field per key, string labels separate from numbers, each sorted as text.
 */

/* Room that is used again from sample to sample; zero-initialise. */
struct labels_scratch {
    struct buf text;
    struct labels_span {
        size_t at, n;
    } * span;
    size_t cap_span;
    struct report *flow; /* null, or flushed between entries */
};

struct labels_style {
    bool strings; /* the string labels of a set, or its numbers */
    /* Appends labels v[0 .. n), which have one key. */
    bool (*entry)(void *ctx, const struct prof_label *v, size_t n,
                  struct buf *to);
    void *ctx;
    const char *between; /* entries */
};

/* Appends the labels of a set to *to; false when memory is out. */
bool labels_put(const struct profile *p, uint32_t set,
                const struct labels_style *style,
                struct labels_scratch *scratch, struct buf *to);

/* What a thread prints samples with. */
struct sample_printer {
    struct report report; /* whose `out` and `value_text` are the thread's */
    struct stacktext stacks;
    struct labels_scratch scratch;
    void *ctx; /* of the report, which threads must not change */
};

/* Appends a sample to p->report.out; false when memory is out. */
typedef bool sample_fn(struct sample_printer *p, size_t sample);

/*
 * Prints all samples in their order.  *stacks has the text of all locations
 * and stays as it is.  False when memory is out or the sink fails.
 */
bool report_samples(struct report *r, const struct stacktext *stacks,
                    sample_fn *fn, void *ctx);

#endif
