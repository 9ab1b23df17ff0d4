/*
 * maps.h - the list of mappings that ends a gperftools profile
 *
 * Profiles of the gperftools family end with text that says which file was
 * mapped where, in the shapes of /proc/PID/maps and a briefer one:
 *
 *      00401000-00405000 r-xp 00001000 08:01 1234  /usr/bin/app
 *      0x400000-0x500000 /usr/bin/app (@1000) 0123abcd
 *      build=/home/me
 *      600000-700000: $build/lib.so
 *
 *   (@1000) 0123abcd   the offset, and the build id; both optional
 *   name=value         `$name` means value in the lines after it, as far as a
 *                      whole word; up to 16 names
 *   "...file.cc:12] "  the prefix of a log: skipped
 *   permissions        mappings that lack "x" are skipped
 *   name               the rest of the line, blanks included; a trailing
 *                      " (deleted)" is not part of it, but warned of: a file
 *                      that has the name later is not the one that was mapped
 *
 * Other lines are skipped, with a note.
 *
 * Published: https://gperftools.github.io/gperftools/cpuprofile-fileformat.html
 * and proc(5); the rest as google/pprof and libprofiler have it.
 */
#ifndef PROFUTILS_FORMATS_MAPS_H
#define PROFUTILS_FORMATS_MAPS_H

#include "base/slice.h"

/*
 * Reads the text and appends its mappings to *p, which has none:
 *   - in the order of the text, but the main binary first (the first name
 *     that is neither of a shared library nor in brackets);
 *   - neighbours joined when they have one name, compatible build ids, and
 *     file offsets that go on (or one that is 0);
 *   - memory without a file, or of huge pages, joined to the pieces of one
 *     file on both sides when their offsets go on across it: a program that
 *     moves its code to other memory does so;
 *   - a leading piece of huge pages ("/anon_hugepage...") skipped if the
 *     mapping after it begins where it ends;
 *   - a first mapping that was loaded at 0x400000 given as beginning there,
 *     which is where such programs' headers are.
 *
 * Then gives every location the first mapping that holds its address; or the
 * first whose file, by its offset, begins below the address (the mapping is
 * then extended down to the file's beginning); or else one mapping of all
 * addresses, which is appended.  Address 0 gets none.
 *
 * At last, unless `binary` is null, calls the main binary so.
 */
bool maps_read(struct prof_slice text, struct profile *p, const char *binary,
               const struct prof_notes *notes, struct prof_err *err);

/* Whether the first mapping is a main binary that has a name. */
bool maps_has_main(const struct profile *p);

/*
 * Calls the main binary `name`.  That is the first mapping if it is not a
 * library, or has no name; else the mapping of all addresses, which is then
 * moved to the front.  A warning says so if there is neither.
 */
bool maps_name_main(struct profile *p, struct prof_slice name,
                    const struct prof_notes *notes, struct prof_err *err);

/*
 * A line without the "...file.cc:12] " that a log put in front of it. Comments,
 * headers, and numbers with 0x do not begin so, whatever follows them.
 */
struct prof_slice maps_unlog(struct prof_slice line);

#endif
