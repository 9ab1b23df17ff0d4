/*
 * viewer.h - what the files of other viewers have in common
 *
 * They have a table of frames, in which name, file and line are apart; values
 * of each sample type with one of a few units; and no labels.
 *
 * Private to lib/report.
 */
#ifndef PROFUTILS_REPORT_VIEWER_H
#define PROFUTILS_REPORT_VIEWER_H

#include "report/graph/node.h"
#include "report/out.h"

/* What stands for a stack without frames: these viewers show only frames. */
#define VIEWER_NO_STACK "<no stack>"

enum viewer_unit {
    VIEWER_OTHER,
    VIEWER_BYTES,
    VIEWER_NANOSECONDS,
    VIEWER_MICROSECONDS,
    VIEWER_MILLISECONDS,
    VIEWER_SECONDS,
};

/* The unit that a sample type's values have as they are. */
enum viewer_unit viewer_unit(const struct profile *p, size_t type);

/*
 * The nodes that samples have, and no others: what a filter has left in the
 * profile besides is not shown.  On failure *t is safe to free.
 */
bool viewer_nodes(struct nodes *t, const struct profile *p, struct err *err);

/*
 * Whether file and line of a node are apart from its name, which is the one
 * that pprof prints otherwise.
 */
static inline bool viewer_has_place(const struct node *k)
{
    return k->name != 0;
}

/* Appends the name of a node, without them; false: out of memory. */
bool viewer_put_name(const struct nodes *t, uint32_t node, struct buf *to);

/*
 * Says what the format has lost: bytes of names that were replaced; digits, by
 * the viewer that `reader` names ("speedscope rounds"); and with -v labels, of
 * how many samples `format` does not show them.
 */
void viewer_tell_lost(const struct report *r, size_t n_replaced,
                      const char *format, const char *reader);

#endif
