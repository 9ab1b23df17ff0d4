/*
 * flame.h - what both kinds of flame graph are made of
 *
 * --flame is a page that shows data which flame_data() writes, --flame=svg a
 * picture.  Both show a tree of all stacks (flametree.h) whose nodes have
 * names (flamenames.h).
 *
 * Private to lib/report.
 */
#ifndef PROFUTILS_REPORT_FLAME_H
#define PROFUTILS_REPORT_FLAME_H

#include "report/flame/flamenames.h"
#include "report/out.h"

struct flame {
    struct stackrank stacks;
    struct flame_tree tree;
    struct flame_names names;
};

/*
 * Gives up the detail that is not asked for, which file names and packages
 * are from before, and makes the tree, of which -v says how much was merged.
 * *f is to be freed in any case.
 */
bool flame_make(struct flame *f, struct report *r,
                const struct flame_tree_opts *opts, struct err *err);
void flame_free(struct flame *f);

/*
 * Whether type i shows what changed.  Times and durations of such a profile
 * are those of two.
 */
bool flame_is_difference(const struct flame *f, size_t i);

/* Why there are no boxes of any type, as a sentence; nothing if there are. */
bool flame_put_empty(const struct report *r, const struct flame *f,
                     struct buf *to);

/* The last element of the main binary's name, or "profile"; not escaped. */
bool flame_put_title(struct report *r, struct buf *to);

/*
 * The data of the page.  Numbers are unsigned LEB128 unless said otherwise,
 * those of z signed in zigzag (0, -1, 1, -2 are 0, 1, 2, 3).
 *
 *      u32, little-endian       length of the header
 *      header                   JSON, UTF-8
 *      name_file[names]         index in files + 1, or 0
 *      name_package[names]      index in packages + 1, or 0
 *      name[nodes]              index in names, of nodes in preorder
 *      closed[nodes]            how many levels end before the node: its depth
 *                               is that of the one before, plus 1, minus this;
 *                               before the first it is -1
 *      z self[types][nodes]     what was measured in the node itself
 *      z base_self[types][nodes]    the same of the base, if there is one
 *
 * The header is an object of
 *
 *      version       1
 *      title         a short name
 *      note          lines about the profile
 *      empty         why there is nothing to show; "" if there is something
 *      types         {"type", "unit"} of each value
 *      default_type  the one to show first: index in types
 *      diff          whether there is a base
 *      totals        of each type the sum of its samples' amounts
 *      signed        of each type whether values are below 0, without a base
 *      names, files, packages   strings
 *      brief         of each name its brief form; "": the name itself
 *      colour        what colours are by first: "package", "file" or "name"
 *      nodes         how many
 *      other         index of the name of merged nodes, or -1
 *      merged        how many nodes were merged into those
 *      limit         the share of the total below which they were
 *
 * ERR_INPUT when the names alone take 4 GB.
 */
bool flame_data(struct report *r, const struct flame *f, double limit,
                struct buf *out, struct err *err);

#endif
