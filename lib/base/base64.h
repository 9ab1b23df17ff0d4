/*
 * base64.h - bytes as letters and digits (RFC 4648, section 4)
 */
#ifndef PROFUTILS_BASE_BASE64_H
#define PROFUTILS_BASE_BASE64_H

#include "base/buf.h"

/* Appends v[0 .. n), padded, without line breaks; false: out of memory. */
bool base64_put(struct buf *to, const uint8_t *v, size_t n);

#endif
