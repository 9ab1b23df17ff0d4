/*
 * gperf_words.h - the binary part of a gperftools CPU profile
 *
 * Private to gperf*.c: the header, which tells how wide words are and in
 * which order their bytes come, and the records up to the end marker.
 */
#ifndef PROFUTILS_IMPORT_GPERF_WORDS_H
#define PROFUTILS_IMPORT_GPERF_WORDS_H

#include "profile/profile.h"

enum gperf_version { GPERF_NATIVE = 0, GPERF_JAVA = 1 };

struct gperf_words {
    const uint8_t *data; /* the whole file */
    size_t n;            /* its length in bytes */
    size_t at;           /* offset of the next word */
    size_t size;         /* of a word: 4 or 8 */
    bool big_endian;
    uint64_t version; /* GPERF_NATIVE or GPERF_JAVA, once checked */
    uint64_t period;  /* microseconds */
    bool ended;       /* the end marker was there */

    /* Set before reading, or left 0. */
    int64_t asked_period; /* nanoseconds; the header's does not count */
    bool rewritten;       /* by pprof --raw, see gperf_is_rewritten() */
    bool zero_ends;       /* any record whose leaf is 0 is the end marker */
};

/*
 * True when a header begins at w->at, by its first two words.  The first
 * finds the size and order of words, the second knows them.
 */
bool gperf_find_header(struct gperf_words *w);
bool gperf_at_header(const struct gperf_words *w);

/* True when the file ends inside of the header that begins at w->at. */
bool gperf_header_is_cut(const struct gperf_words *w);

/*
 * True when records begin at w->at that run to an end marker, each of a
 * depth that is believed: what follows a text without a header of its own.
 */
bool gperf_at_records(const struct gperf_words *w);

/* Reads the header that is; w->at is then past it. */
bool gperf_read_header(struct gperf_words *w, const struct notes *notes,
                       struct err *err);

/* Nanoseconds that a sample stands for, behind the header; 0: not known. */
int64_t gperf_period(const struct gperf_words *w);

/*
 * Reads records into samples of *p until the end marker or the end of the
 * file.  It has two value types, or only the first if there is no period.
 */
bool gperf_read_records(struct gperf_words *w, struct profile *p,
                        const struct notes *notes, struct err *err);

#endif
