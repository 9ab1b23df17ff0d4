/*
 * nodes.h - the nodes of a profile's locations, and their names
 *
 * A node is a place in the program as far as the profile distinguishes places:
 * frames with equal name, file, line, column and address are one node.
 * prof_aggregate() has already removed detail below the granularity of the
 * report.  Identity and names are those of pprof (internal/graph of
 * https://github.com/google/pprof):
 *
 *   - file names are cleaned (path_clean()) before they are compared;
 *   - the node of a frame with a function name does not include the binary, so
 *     that equal functions of two binaries are one node;
 *   - the node of a frame without one includes its mapping's file name and, if
 *     it has a function, the function's start line.
 *
 * The frames of location l, innermost first, are the nodes
 * of[off[l] .. off[l + 1]): one for each of its lines, or one if it has none.
 */
#ifndef PROFUTILS_REPORT_NODES_H
#define PROFUTILS_REPORT_NODES_H

#include "base/buf.h"
#include "base/slice.h"
#include "base/strtab.h"
#include "profile.h"

struct node {
    uint64_t address;
    int64_t line, column, start_line; /* 0: unknown or removed */
    uint32_t name;                    /* string id in the profile */
    uint32_t file;                    /* string id in nodes.files */
    uint32_t object;                  /* string id in the profile */
};

struct nodes {
    const struct profile *p; /* not owned */
    struct strtab files;     /* cleaned file names */
    struct node *v;
    size_t n, cap;
    uint64_t *off; /* n_locations + 1 */
    uint32_t *of;  /* off[n_locations] */
    bool exact;    /* private */
};

/*
 * Sets *t to the nodes of all locations of *p, which must outlive it.  The
 * caller frees *t, after a failure too.
 *
 * With `exact`, for reports on code and sources, all nodes include the
 * mapping's file name and the function's start line.
 */
bool nodes_init(struct nodes *t, const struct profile *p, bool exact,
                struct prof_err *err);
void nodes_free(struct nodes *t);

/* Appends the name of a node as pprof prints it; false: out of memory. */
bool node_name(const struct nodes *t, uint32_t node, struct buf *to);

/*
 * Appends the part of a function's name that fits a small box; false when
 * memory is out.  The rules are pprof's (ShortenFunctionName()), by language:
 *
 *   Go    drops the import path except its last part, and a version in it:
 *         "github.com/a/b/v2/pkg.(*T).Do" becomes "pkg.(*T).Do"
 *   Java  drops packages and arguments: "java.util.List.add(Object)" becomes
 *         "List.add"
 *   C++   drops namespaces, and all after the method except template arguments:
 *         "std::ns::Class::run<int>(char)" becomes "Class::run<int>"
 *
 * Other names do not change.
 */
bool name_put_short(struct buf *to, const char *name, size_t n);

/*
 * Brief names: names of C++ and Rust in which template arguments and parameter
 * lists are "...", unless they are short, and without the return type of a
 * function template.
 *
 *      void std::sort<It<long*>, Less<long> >(It<long*>, It<long*>, Less<long>)
 *      std::sort<...>(...)
 *
 *      std::vector<int>::push_back(int)        unchanged
 *      <alloc::vec::Vec<T> as Drop>::drop      unchanged
 *
 * In names of other languages only long parameter lists are shortened.
 */

/* Appends the brief name, at most n bytes; takes time in proportion to n. */
bool name_put_brief(struct buf *to, const char *name, size_t n);

/*
 * Appends the first of these forms that has at most `letters` characters, or
 * else the last.  Each is made from the one before:
 *
 *      the name
 *      the brief name
 *      without "<...>" and "(...)"
 *      shortened by name_put_short()
 *      without outer scopes, as many as necessary: "swap"
 *      without package and type, likewise: "Deposit"
 */
bool name_put_fitting(struct buf *to, struct prof_slice name, size_t letters);

/*
 * Returns the part of a function's name that is its package (n 0: none): a
 * slice of `name`, or the static string "std", which mangled names abbreviate.
 * It is a guess, by which functions are coloured:
 *
 *      github.com/google/pprof/profile.(*Profile).Merge   Go: the import path
 *      net/http.HandlerFunc.ServeHTTP                      net/http
 *      java.util.HashMap.put, java/util/HashMap.put        Java: java.util
 *      google::protobuf::Message::Parse(char*)             C++: google
 *      <alloc::vec::Vec<T> as core::ops::Drop>::drop       Rust: alloc
 *      _ZN4core3fmt5writeE                                 mangled: core
 *
 * With "::" it is the first name before one: the outermost namespace, or the
 * crate.  Otherwise dots separate parts: the package is what precedes the first
 * part with a capital letter, or the first part if none has one; slashes before
 * it belong to it.  The dots of clones (memcpy.part.0) and of libraries
 * (libz.so.1) do not count, nor those of languages other than Go and the likes
 * of Java, by the suffix of `file`.
 */
struct prof_slice package_of(struct prof_slice name, struct prof_slice file);

#endif
