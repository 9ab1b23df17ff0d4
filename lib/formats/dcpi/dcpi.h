/*
 * dcpi.h - profiles of the Digital Continuous Profiling Infrastructure
 *
 * DCPI sampled whole Alpha systems (Tru64 UNIX, Windows NT, OpenVMS) and kept
 * one file for each image and event.
 *
 * Formats
 *   binary  profile files of versions 0.06 and 0.07: an ASCII header, chunks of
 *           32-bit little-endian counts, and a footer with two totals
 *   text    the output of dcpicat, one or more dumps.  Files of version 1,
 * whose layout was never published, can only be read as such text.
 *
 * All inputs are joined into one profile
 *   image     becomes a mapping.  Two images are the same if they have the same
 *             text start, and the same identifier (or, if that is all zeros,
 *             path; without path, name).  Its file name is the path of the
 *             inputs that sorts first.  An image without samples is skipped
 *             with a note.
 *   location  an image and an address; images may share addresses
 *   sample    a location, with the labels `dcpi_label` and `platform`
 *   time      the earliest epoch
 *   comments  data that profile.proto has no field for, sorted, each once (with
 *             opts.header_only all of them, in the order of the inputs):
 *             "# dcpi:" and the header line, and
 *             "# dcpi:event NAME:PERIOD:FRACTION"
 *
 * Values of a sample, for each event E, `cycles` first and others by name
 *   E_samples/count  samples taken; the name is `samples` if there is only one
 *                    event, or opts select only one
 *   E/count          samples * period * 10000 / fraction, rounded half away
 *                    from zero for each input; missing if no input has a period
 *                    and a nonzero fraction
 *   cpu/nanoseconds  after `cycles`, from the header's cpuspeed if plausible
 *
 * The unit of E is `cycles` instead of `count` if a ProfileMe counter sums
 * latencies (inflight, retdelay).  If an event occurs twice at a location, its
 * values are added.
 *
 * The profile is canonical (merge.h): its bytes depend neither on the order of
 * inputs nor on how dumps are divided among files.  As in any merge, images
 * with the same identifier and size but different text starts are one image
 * that was relocated.
 *
 * Memory is proportional to the number of distinct locations, events and names,
 * not to the number of inputs.
 *
 * Source: dcpiformat(4) of the Windows NT and OpenVMS editions.
 */
#ifndef PROFUTILS_FORMATS_DCPI_H
#define PROFUTILS_FORMATS_DCPI_H

#include "formats/import.h"

enum dcpi_unit {
    DCPI_UNIT_BYTE, /* the offset of a chunk is in bytes */
    DCPI_UNIT_INSN, /* it is in instructions of 4 bytes */
};

struct dcpi_opts {
    const char *const *events; /* convert only these events; n_events 0: all */
    size_t n_events;
    bool header_only;    /* make only comments, of the lines of headers */
    bool assume_version; /* read binary files without a version line as 0.07 */
    bool has_text_start; /* use text_start if a header has no text start */
    uint64_t text_start;
    enum dcpi_unit offset_unit; /* unit of chunk offsets in binary files */
};

/*
 * The sum of inputs.  *opts and *notes must outlive it.
 *
 *   dcpi_sum_add()     adds an input; after PROF_ERR_INPUT, the sum is as
 *                      before
 *   dcpi_sum_finish()  makes the profile, which the caller owns; the sum is
 *                      then only good for dcpi_sum_free().  PROF_ERR_USAGE if
 *                      a selected event is in no input
 */
struct dcpi;
struct dcpi *dcpi_sum_new(const struct dcpi_opts *opts,
                          const struct prof_notes *notes, struct prof_err *err);
bool dcpi_sum_add(struct dcpi *sum, const struct import_input *in,
                  struct prof_err *err);
struct profile *dcpi_sum_finish(struct dcpi *sum, struct prof_err *err);
void dcpi_sum_free(struct dcpi *sum); /* null is allowed */

/*
 * Whether the bytes begin with a header: with its version line; or with another
 * of its lines, if a line with an event or the end of the header follows within
 * 64 KiB.
 */
bool dcpi_begins(const uint8_t *data, size_t n);

#endif
