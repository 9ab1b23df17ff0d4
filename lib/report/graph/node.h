/*
 * node.h - what a report has a row for
 *
 * A node is a place in the program as far as the profile tells places apart:
 * frames with equal name, file, line, column and address are one node.  The
 * granularity of a report is not known here; prof_aggregate() has blanked
 * what it does not tell apart.  Identity and names are those of pprof
 * (internal/graph of https://github.com/google/pprof), so that rows are the
 * same rows:
 *
 *   - file names are cleaned as paths before they are compared;
 *   - a frame with a function name does not know its binary, so that equal
 *     functions of two binaries are one node;
 *   - a frame without one has its mapping's file name and, if it has a
 *     function, the function's start line.
 *
 * The frames of location l, innermost first, are the nodes
 * of[off[l] .. off[l + 1]): one for each of its lines, or one if it has none.
 */
#ifndef PROFUTILS_REPORT_NODE_H
#define PROFUTILS_REPORT_NODE_H

#include "base/buf.h"
#include "profile/profile.h"

struct node {
    uint64_t address;
    int64_t line, column, start_line; /* 0: unknown or not told apart */
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
    uint32_t *of;
    bool exact; /* see nodes_init_exact() */
};

/*
 * The nodes of all locations of *p, which must outlive them.  On failure *t
 * is safe to free.
 */
bool nodes_init(struct nodes *t, const struct profile *p, struct err *err);

/*
 * The same for reports on code and sources: a frame with a function name has
 * its mapping's file name and its function's start line too.
 */
bool nodes_init_exact(struct nodes *t, const struct profile *p,
                      struct err *err);
void nodes_free(struct nodes *t);

/* Appends the name of a node as pprof prints it; false: out of memory. */
bool node_name(const struct nodes *t, uint32_t node, struct buf *to);

/*
 * The names of all nodes, appended to *text: that of node i is
 * text[(*at)[i] .. (*at)[i + 1]), and (*rank)[i] says where it comes among
 * the others, as bytes; equal names have equal ranks.  False when memory is
 * out; what is there is the caller's to free in any case.
 */
bool nodes_name(const struct nodes *t, struct buf *text, size_t **at,
                uint32_t **rank);

#endif
