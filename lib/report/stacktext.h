/*
 * stacktext.h - the stacks of samples as text, one after the other
 *
 * Reports that print every frame of every sample spend their time here, and
 * are written for few and long copies: what a location is printed as is made
 * once, as pieces, and the part of a stack that a sample shares with the one
 * before, counted from the root, is copied in one go from where that one's
 * text is.
 *
 *      struct stacktext t = {.p = p};
 *      for each location:
 *          ok = buf_put(&t.text, ...) && stacktext_piece(&t);
 *      for each sample:
 *          ok = stacktext_put(&t, sample, out);
 *      stacktext_free(&t);
 *
 * Private to lib/report.
 */
#ifndef PROFUTILS_REPORT_STACKTEXT_H
#define PROFUTILS_REPORT_STACKTEXT_H

#include "base/buf.h"
#include "base/vec.h"
#include "report/out.h"

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
     * Null, or the report of which *out is: it is handed on between frames,
     * and nothing is copied.
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

/* Hands the report on, if there is one. */
bool stacktext_flow(const struct stacktext *t);

/* The length of a location's text. */
size_t stacktext_length(const struct stacktext *t, uint32_t location);

/*
 * For another thread: what prints the same stacks as *t, with its text, which
 * is to stay as it is.  To be freed before *t.
 */
struct stacktext stacktext_twin(const struct stacktext *t);

void stacktext_free(struct stacktext *t);

#endif
