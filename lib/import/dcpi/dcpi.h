/*
 * dcpi.h - profiles of the Digital Continuous Profiling Infrastructure
 *
 * DCPI sampled whole Alpha systems (Tru64 UNIX, Windows NT, OpenVMS) and kept
 * one file for each image and event.
 *
 * Formats
 *   binary  profile files of versions 0.06 and 0.07: an ASCII header, chunks of
 *           32-bit little-endian counts, and a footer with two totals
 *   text    the output of dcpicat, one or more dumps.  It has to convert files
 *           of version 1, whose layout was never published.
 *
 * All inputs are joined into one profile
 *   image     an identifier, unless it is all zeros, else a path, else a name;
 *             with its text start.  Becomes a mapping, with the least of the
 *             paths that inputs have for it as its file name.  An image without
 *             samples is skipped with a note.
 *   location  an image and an address, because images may share addresses
 *   sample    a location, with the labels `dcpi_label` and `platform`
 *   time      the earliest epoch
 *   comments  what profile.proto has no place for, each once and sorted (with
 *             opts.header_only all of them, in the order of the inputs):
 *             "# dcpi:" and the header line, and
 *             "# dcpi:event NAME:PERIOD:FRACTION"
 *
 * Values of a sample, for each event E, `cycles` first and others by name
 *   E_samples/count  samples taken; `samples` if there is, or opts select, a
 *                    single event
 *   E/count          samples * period * 10000 / fraction, rounded half away
 *                    from zero for each input; missing if no input has a period
 *                    and a nonzero fraction
 *   cpu/nanoseconds  after `cycles`, from the header's cpuspeed if credible
 *
 * The unit is `cycles` where a ProfileMe counter sums latencies (inflight,
 * retdelay).  Values of an event that occurs twice at a place are added.
 *
 * The profile is canonical (merge.h): its bytes depend neither on the order of
 * inputs nor on how dumps are spread over files.  As in any merge, images of
 * one identifier and size at different text starts are one that was moved.
 *
 * Memory is in proportion to distinct places, events and names, not to inputs.
 *
 * Source: dcpiformat(4) of the Windows NT and OpenVMS editions.
 */
#ifndef PROFUTILS_IMPORT_DCPI_H
#define PROFUTILS_IMPORT_DCPI_H

#include "import/import.h"

enum dcpi_unit {
    DCPI_UNIT_BYTE, /* a chunk's offset counts bytes */
    DCPI_UNIT_INSN, /* ... instructions of 4 bytes */
};

struct dcpi_opts {
    const char *const *events; /* only these; n_events 0: all */
    size_t n_events;
    bool header_only;    /* comments from header lines, nothing else */
    bool assume_version; /* a binary without version line is 0.07 */
    bool has_text_start; /* for headers that have no text start: */
    uint64_t text_start;
    enum dcpi_unit offset_unit;
};

/*
 * With struct dcpi_opts.  An input begins with a version line, or with another
 * line of the header and, within 64 KiB, one of an event or of the end.
 * finish() gives ERR_USAGE if a selected event is in no input.
 */
extern const struct converter dcpi_converter;

#endif
