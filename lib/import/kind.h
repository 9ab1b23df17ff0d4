/*
 * kind.h - what an input is when it is no profile that is wanted
 *
 * For error messages: people give tools each other's files.
 */
#ifndef PROFUTILS_IMPORT_KIND_H
#define PROFUTILS_IMPORT_KIND_H

#include <stddef.h>
#include <stdint.h>

/*
 * Words for what the n bytes begin like, such as "a heap profile (text)";
 * null when that is nothing known.  Static.
 */
const char *kind_of(const uint8_t *data, size_t n);

#endif
