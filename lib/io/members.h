/*
 * members.h - a blob in memory as parts: gzip members, or itself (lib/io only)
 */
#ifndef PROFUTILS_IO_MEMBERS_H
#define PROFUTILS_IO_MEMBERS_H

#include "base/buf.h"
#include "io/gz.h"
#include "io/input.h"

struct members {
    const uint8_t *data; /* the blob, not owned */
    size_t n, at;        /* its length; of it what is behind us */
    size_t max;          /* for the sum of all members */
    unsigned threads;    /* to inflate a large one: the caller's; 0 is 1 */
    bool salvage;        /* damaged members too: the caller's */
    bool is_gzip, join, nested;
    bool pending;  /* parts, or an error, are still to come */
    size_t count;  /* members so far */
    size_t total;  /* their bytes */
    struct gz *gz; /* kept from blob to blob */
    struct buf out;
    struct err damage; /* of the last part, with `salvage` */
};

/* Zero *m before the first blob.  data must outlive the parts. */
bool members_begin(struct members *m, const uint8_t *data, size_t n, size_t max,
                   bool join, bool nested, struct err *err);

/* As input_next(), but leaves alone what members do not know. */
int members_next(struct members *m, struct input_part *part, struct err *err);
void members_free(struct members *m);

/* True when all of the blob has been inflated: it may go now. */
bool members_spent(struct members *m);

/* Frees the bytes of the last part, if they are many. */
void members_release(struct members *m);

#endif
