/*
 * maps.h - the list of mappings that ends a gperftools profile
 *
 * Profiles of the gperftools family end with text that says which file was
 * mapped at which addresses, as in /proc/PID/maps or in a briefer form:
 *
 *      00401000-00405000 r-xp 00001000 08:01 1234  /usr/bin/app
 *      0x400000-0x500000 /usr/bin/app (@1000) 0123abcd
 *      build=/home/me
 *      600000-700000: $build/lib.so
 *
 *   (@1000) 0123abcd   the offset, and the build id; both optional
 *   name=value         in later lines, the whole word `$name` means value; up
 *                      to 16 names
 *   "...file.cc:12] "  the prefix of a line of a log: skipped
 *   permissions        mappings that lack "x" are skipped
 *   name               the rest of the line, blanks included; a trailing
 *                      " (deleted)" is not part of it, but warned of: a file
 *                      that has the name later is not the one that was mapped
 *
 * Other lines are skipped, with a note.
 *
 * Sources: https://gperftools.github.io/gperftools/cpuprofile-fileformat.html
 * and proc(5); what they do not say is as in google/pprof and libprofiler.
 */
#ifndef PROFUTILS_FORMATS_MAPS_H
#define PROFUTILS_FORMATS_MAPS_H

#include "base/slice.h"

/*
 * Reads the text and appends its mappings to *p, which must have none.
 *
 * Order: that of the text, but the main binary is first: the first mapping
 * whose name is neither that of a shared library nor in brackets.
 *
 * Some mappings are changed:
 *   - Neighbours become one if they have the same name, compatible build ids,
 *     and file offsets that continue each other (or one offset is 0).
 *   - Memory without a file, or of huge pages, between two pieces of a file
 *     becomes part of the file if their offsets allow it: some programs move
 *     their code to such memory.
 *   - A first mapping of huge pages ("/anon_hugepage...") is skipped if the
 *     next mapping begins where it ends.
 *   - A first mapping whose start minus offset is 0x400000 begins there, with
 *     offset 0, so that it includes the headers of the program.
 *
 * Each location then gets the first of these mappings; address 0 gets none:
 *   1. the first that contains its address
 *   2. the first whose file, by the mapping's offset, begins below the address;
 *      the mapping is extended to the beginning of the file
 *   3. one mapping of all addresses, which is appended
 *
 * Finally, unless `binary` is null, names the main binary (maps_name_main()).
 */
bool maps_read(struct prof_slice text, struct profile *p, const char *binary,
               const struct prof_notes *notes, struct prof_err *err);

/* Whether the first mapping is a main binary and has a name. */
bool maps_has_main(const struct profile *p);

/*
 * Gives the main binary the file name `name`.  The main binary is the first
 * mapping, if that is not a library or has no name; else the mapping of all
 * addresses, which then becomes the first.  Warns if there is neither.
 */
bool maps_name_main(struct profile *p, struct prof_slice name,
                    const struct prof_notes *notes, struct prof_err *err);

/*
 * Returns a line without the prefix "...file.cc:12] " of a log.  Lines that
 * begin with "#", "---" or "0x" have no such prefix, whatever they contain.
 */
struct prof_slice maps_unlog(struct prof_slice line);

#endif
