/*
 * bom.h - text that begins with a byte order mark, as programs on Windows
 * write it
 *
 * The mark, U+FEFF, says which encoding the text is in: PowerShell's `>` makes
 * UTF-16 of all that passes through it, others put the mark in front of UTF-8.
 * See "Byte Order Mark" in the Unicode Standard, 23.8, and RFC 2781.
 */
#ifndef PROFUTILS_BASE_BOM_H
#define PROFUTILS_BASE_BOM_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

/*
 * Makes text with a mark UTF-8 without one, and says so as a note for -v:
 * *data and *n, which are the text, are then part of what they were, or are in
 * *room, which held something else before.  Bytes without a mark, or with one
 * but not of text, stay as they are.
 *
 * False when memory is out, or for UTF-16 that is not well-formed, with its
 * offset: *data and *n are then what stands before that, in UTF-8.
 */
bool bom_remove(const uint8_t **data, size_t *n, struct buf *room,
                const struct notes *notes, struct err *err);

#endif
