/*
 * embed.h - the source code of the heaviest functions, for --flame's page
 */
#ifndef PROFUTILS_REPORT_CODE_EMBED_H
#define PROFUTILS_REPORT_CODE_EMBED_H

#include "report/out.h"

/*
 * Appends JSON: an array with an object for each run of lines of a function
 * whose cumulative values of r->type are at least `least`:
 *
 *      name, file    strings
 *      flat, cum     sums of the values of the lines, in the type's unit; as
 *                    --weblist sums them: recursion counts more than once
 *      html          the lines as --weblist shows them, elements <div> and
 *                    <details>; all text in it is escaped
 *
 * Objects have the order of --weblist.  The array is empty if no function has a
 * source line.  r->p must still have all its detail, and does not change.  With
 * `code`, adds instructions: finds and disassembles binaries as --weblist does,
 * and notes what is missing.
 * PROF_ERR_INPUT: sums exceed 64 bits.
 */
bool code_embed(struct report *r, bool code, int64_t least, struct buf *out,
                struct prof_err *err);

#endif
