/*
 * samples.h - samples by pieces, private to lib/pb; decode_samples.c puts them
 * together, decode_sample.c reads them
 *
 * The run of samples is decoded piece by piece, each to its own place in the
 * columns, so that several threads can do it: decode_survey() cut it where
 * a few MiB were full, and the frames of each piece are counted
 * first.  A piece makes nothing but a table of label sets; these get the
 * numbers that one thread would have given them, in order of first use.
 *
 * What errors and notes say does not depend on the number of threads either:
 * each piece has its own, and the first piece that failed counts.
 */
#ifndef PROFUTILS_PB_SAMPLES_H
#define PROFUTILS_PB_SAMPLES_H

#include "pb/decoder.h"

struct samples_piece {
    struct cursor at;          /* before the first one */
    const uint8_t *from, *end; /* all of it; other fields may be between */
    size_t sample, n;          /* index of the first one; how many */
    size_t frame;              /* index of the first frame */
    size_t n_frames;     /* room for them: as many as there are, or more */
    struct profile sets; /* its label sets, where they are not p's own */
    size_t n_unknown, n_two_fold, n_textless;
    bool ok;
    struct err err; /* when not */
};

/* How many frames the samples of a piece have, up to its first error. */
size_t samples_count_frames(const struct decoder *d,
                            const struct samples_piece *piece);

/*
 * Decodes the samples of a piece into the columns of d->p, which have the
 * room; label sets are made in *sets.  Nothing else of *d and *d->p changes.
 */
bool samples_read(const struct decoder *d, struct samples_piece *piece,
                  struct profile *sets);

#endif
