/*
 * addr.h - from an address of a running process to one of the linker's
 *
 * An executable that is not position independent (ET_EXEC) runs where it was
 * linked, whatever its mapping says.  Otherwise (ET_DYN) the whole image is
 * moved by one distance, its bias, which follows from where the mapping
 * begins and the segment (PT_LOAD) that its file offset belongs to.
 *
 * Two kinds of mapping are of linker's addresses already, so that the bias
 * is 0: those that begin at address 0 and offset 0 (made up by tools when a
 * profile has no maps), and those that lie within the addresses of the image
 * itself (gmon.out: low_pc and high_pc), where nothing can be mapped when
 * the image is moved at all.
 */
#ifndef PROFUTILS_SYMBOL_ADDR_H
#define PROFUTILS_SYMBOL_ADDR_H

#include <stdbool.h>
#include <stdint.h>

#include "profile/profile.h"
#include "symbol/image.h"

/*
 * The distance to subtract from addresses of the mapping; false when the
 * mapping's offset belongs to no segment.  `address` is one that was seen.
 */
bool sym_bias(const struct sym_image *im, const struct prof_mapping *m,
              uint64_t address, uint64_t *bias);

#endif
