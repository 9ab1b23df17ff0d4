/*
 * gz_common.h - what the two implementations of gz.h share (lib/io only)
 */
#ifndef PROFUTILS_IO_GZ_COMMON_H
#define PROFUTILS_IO_GZ_COMMON_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

/*
 * How much room to begin with for what the n bytes at data hold.  The last
 * trailer says it where there is only one member; it is believed as far as
 * ordinary data compresses.
 */
size_t gz_likely_size(const uint8_t *data, size_t n);

/*
 * False, with *err, unless the header of the member at data has no checksum of
 * its own (FHCRC) or the right one: libdeflate does not look.
 */
bool gz_check_header(const uint8_t *data, size_t n, struct err *err);

/*
 * Puts into *err what is wrong with the member at data, and after how many
 * of its bytes: cut off, wrong checksum, corrupt.  Returns false.
 */
bool gz_explain(const uint8_t *data, size_t n, struct err *err);

/*
 * Appends what the member at data inflates to up to where it is damaged, but
 * no more than max bytes in all; *err says what is wrong, as gz_explain(),
 * unless max was reached.  False when memory is out.  No checksum vouches for
 * these bytes.
 */
bool gz_salvage(const uint8_t *data, size_t n, size_t max, struct buf *out,
                struct err *err);

/* More than max bytes would come out; returns false. */
bool gz_too_big(size_t max, struct err *err);

#endif
