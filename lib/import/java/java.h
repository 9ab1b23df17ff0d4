/*
 * java.h - the lines that name the frames of a Java profile
 *
 * A Java agent writes numbers where native profiles have addresses, and
 * after the samples one line for each number:
 *
 *      0x7f01 java.util.ArrayList.add (ArrayList.java:427)
 *      0x7f02 memcpy (/lib/libc.so.6)
 *      0x7f03 generated stub/JIT
 *      0x7f04 GC
 *
 * that is a function, then its file and line or the library it is in; a
 * piece of generated code, called STUB; or a state of the machine.  Numbers
 * that no sample has and lines of other shapes are passed over; the last line
 * for a number counts.
 *
 * As in google/pprof (profile/legacy_java_profile.go), which is the only
 * description there is.
 */
#ifndef PROFUTILS_IMPORT_JAVA_H
#define PROFUTILS_IMPORT_JAVA_H

#include "base/slice.h"
#include "profile/profile.h"

/*
 * Gives the locations of *p, of which each address has one, the functions
 * and lines that the text says, and address 0 to those it names, for the
 * number means nothing outside of the file.  A warning counts those that it
 * does not name, another tells of a last name that may be cut.
 */
bool java_read_names(struct slice text, struct profile *p,
                     const struct notes *notes, struct err *err);

#endif
