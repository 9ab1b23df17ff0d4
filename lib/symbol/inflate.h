/*
 * inflate.h - compressed debug sections, faster than libdw does it
 *
 * libdw inflates each debug section of a file when it opens it, with zlib.
 * Distributions compress them, so that this is most of the time for a
 * profile of a few addresses.  Here they are inflated with the library that
 * lib/io uses, and those that symbols never need are left out.
 */
#ifndef PROFUTILS_SYMBOL_INFLATE_H
#define PROFUTILS_SYMBOL_INFLATE_H

#include "symbol/image.h"

/*
 * Makes the debug sections of *im plain, in memory.  What cannot be inflated
 * is left for libdw to complain about.  False when memory is out.
 */
bool sym_inflate(struct sym_image *im);

#endif
