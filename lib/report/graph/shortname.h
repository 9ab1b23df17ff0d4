/*
 * shortname.h - the part of a function's name that a small box has room for
 *
 * The rules are those of pprof (ShortenFunctionName() in internal/graph of
 * https://github.com/google/pprof), by language:
 *
 *   Go    the import path but for its last part goes, and a version in it:
 *         "github.com/a/b/v2/pkg.(*T).Do" is "pkg.(*T).Do"
 *   Java  packages and arguments go: "java.util.List.add(Object)" is
 *         "List.add"
 *   C++   namespaces and what follows the method go, template arguments
 *         excepted: "std::ns::Class::run<int>(char)" is "Class::run<int>"
 *
 * Names that look like none of them stay as they are.
 *
 * Private to lib/report.
 */
#ifndef PROFUTILS_REPORT_SHORTNAME_H
#define PROFUTILS_REPORT_SHORTNAME_H

#include "base/buf.h"

/* Appends what is left of name[0 .. n); false when memory is out. */
bool shortname_put(struct buf *to, const char *name, size_t n);

#endif
