/*
 * split.h - messages put one behind the other without anything between
 *
 * To protobuf that is one message, with the string tables, ids and samples of
 * all of them.  It shows in a second empty string, which a table begins with.
 * Where one message ends is known only if its writer put fields in order:
 * after the first table, where a lower field number follows a higher one; or
 * the table was its end.  Either is tried on all of it, and has to make
 * nothing but sound profiles, none of which has a field twice.
 */
#ifndef PROFUTILS_DOCTOR_SPLIT_H
#define PROFUTILS_DOCTOR_SPLIT_H

#include <stdint.h>

#include "base/err.h"
#include "base/vec.h"

/* Where each message ends; the last one at the end of the data. */
struct doctor_pieces {
    VEC(size_t) ends;
};

/*
 * Two ends or more if the bytes are so many profiles, and in one way only;
 * else none.  False when memory is out.
 */
bool doctor_split(const uint8_t *data, size_t n, struct doctor_pieces *pieces,
                  struct err *err);
void doctor_pieces_free(struct doctor_pieces *pieces);

#endif
