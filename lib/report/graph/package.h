/*
 * package.h - which package a function belongs to, by its name
 *
 * For colours, which group functions: a guess that is right for the names that
 * compilers and runtimes make, and never wrong in more than a colour.
 *
 *      github.com/google/pprof/profile.(*Profile).Merge   Go: the import path
 *      net/http.HandlerFunc.ServeHTTP                      net/http
 *      java.util.HashMap.put, java/util/HashMap.put        Java: java.util
 *      google::protobuf::Message::Parse(char*)             C++: google
 *      <alloc::vec::Vec<T> as core::ops::Drop>::drop       Rust: alloc
 *      _ZN4core3fmt5writeE                                 mangled: core
 *
 * With "::" it is the first name before one: the outermost namespace, or the
 * crate.  Otherwise dots part a name: the package is what comes before the
 * first part that begins with a capital letter, or, where none does, the first
 * part; slashes before it belong to it.  The dots of clones (memcpy.part.0) and
 * of libraries (libz.so.1) are not meant, nor those of languages other than Go
 * and the likes of Java, where the file tells.
 *
 * Private to lib/report.
 */
#ifndef PROFUTILS_REPORT_PACKAGE_H
#define PROFUTILS_REPORT_PACKAGE_H

#include <stddef.h>

/* Bytes that are somebody else's. */
struct text_slice {
    const char *s;
    size_t n;
};

/*
 * The part of `name` that is its package, n 0 if there is none; "std", which
 * mangled names do not spell out, lasts for good.
 */
struct text_slice package_of(struct text_slice name, struct text_slice file);

#endif
