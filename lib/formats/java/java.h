/*
 * java.h - reads the names of frames in Java profiles
 *
 * A Java agent writes numbers in place of addresses, and after the samples one
 * line for each number:
 *
 *      0x7f01 java.util.ArrayList.add (ArrayList.java:427)
 *      0x7f02 memcpy (/lib/libc.so.6)
 *      0x7f03 generated stub/JIT
 *      0x7f04 GC
 *
 * The name is that of
 *   - a function, with its file and line, or with its library
 *   - generated code (STUB in the profile)
 *   - a state of the virtual machine
 *
 * Other lines, and numbers that no sample has, are ignored.  If a number has
 * several lines, the last one counts.
 *
 * The only published description is google/pprof's reader:
 * https://github.com/google/pprof/blob/main/profile/legacy_java_profile.go
 */
#ifndef PROFUTILS_FORMATS_JAVA_H
#define PROFUTILS_FORMATS_JAVA_H

#include "formats/textprof.h"

/*
 * Sets the functions and lines of the locations of t->p (one for each number,
 * in `address`) from the text.  A named location gets address 0, because its
 * number has no meaning outside of the file.  Locations without a name, and a
 * last line that may be cut short, are losses (note_loss()).
 */
bool java_read_names(struct textprof *t, struct prof_slice text,
                     struct prof_err *err);

#endif
