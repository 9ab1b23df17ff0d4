/*
 * dcpi.h - profiles of the Digital Continuous Profiling Infrastructure
 *
 * DCPI sampled whole Alpha systems (Tru64 UNIX, Windows NT, OpenVMS) and
 * kept one file for each image and event.  Two forms are read:
 *   - profile files of versions 0.06 and 0.07: an ASCII header, then chunks
 *     of 32-bit little-endian counts and a footer with two totals
 *     (dcpiformat(4) of the Windows NT and OpenVMS editions);
 *   - what dcpicat prints, which is also the way in for files of version 1,
 *     whose layout was never published.  Dumps may follow one another.
 *
 * All inputs are joined into one profile.  An image is its identifier (or
 * else its path, or name) with its text start, and becomes one mapping,
 * called by the least of the paths that inputs have for it; an identifier of
 * zeros is none.  Images may share addresses, so a location is an image and
 * an address.  A sample is a location with its labels `dcpi_label` and
 * `platform`; its values are, for each event E, `cycles` first and the
 * others by name:
 *   E_samples/count  samples taken; named `samples` when all the inputs
 *                    together have (or opts select) a single event
 *   E/count          samples * period * 10000 / fraction, rounded half away
 *                    from zero input by input; not there where no input
 *                    has a period and a nonzero fraction
 *   cpu/nanoseconds  after `cycles`, from the header's cpuspeed if credible
 * The unit is `cycles` where a ProfileMe counter sums latencies (inflight,
 * retdelay).  An event that comes twice at a place is added up.
 *
 * The profile is canonical (merge.h): its bytes depend on what is converted
 * together, not on the order of inputs nor on how dumps are spread over
 * files.  Images of one identifier and size at different text starts are one
 * that was moved, as in any merge.  Images without samples are left out with
 * a note.
 *
 * Comments keep what profile.proto has no place for: "# dcpi:" and the header
 * line as it was, each text once, and "# dcpi:event NAME:PERIOD:FRACTION";
 * sorted, but with opts.header_only in the order of the inputs, all of them.
 * time_nanos is the earliest epoch.
 *
 * Memory goes with the distinct places, events and names, not with how many
 * inputs there are.
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
