/*
 * briefname.h - names of C++ and Rust without long arguments
 *
 * What template arguments and parameter lists hold becomes "...", unless it is
 * short, and the return type of a function template is dropped:
 *
 *      void std::sort<It<long*>, Less<long> >(It<long*>, It<long*>, Less<long>)
 *      std::sort<...>(...)
 *
 *      std::vector<int>::push_back(int)        as it is
 *      <alloc::vec::Vec<T> as Drop>::drop      as it is
 *
 * Names of other languages stay as they are, but for long parameter lists.
 *
 * Private to lib/report.
 */
#ifndef PROFUTILS_REPORT_BRIEFNAME_H
#define PROFUTILS_REPORT_BRIEFNAME_H

#include "base/buf.h"

/*
 * Appends the brief form of name[0 .. n), which is at most as long; false when
 * memory is out.  Takes time in proportion to n.
 */
bool briefname_put(struct buf *to, const char *name, size_t n);

/* The same without "<...>" and "(...)", of a brief name. */
bool briefname_put_bare(struct buf *to, const char *name, size_t n);

/* The length of the outermost scope, as 5 in "std::swap"; 0: it has none. */
size_t briefname_scope(const char *name, size_t n);

#endif
