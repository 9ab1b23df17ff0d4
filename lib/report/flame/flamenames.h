/*
 * flamenames.h - the names in a flame graph, with files and packages
 *
 * Names that the tree uses are numbered in their order, so that what was
 * merged leaves no names behind.  They are text that can be shown: what
 * would not be seen as it is (control characters, line ends, bytes that are not
 * UTF-8, marks of direction) is \xNN for each byte, or \uNNNN.
 *
 * The file and the package of a name are those of the first frame of that
 * name.  Where the name of its function has no package (see package.h), the
 * last element of its binary's name stands for it, or the directory of its
 * file.
 *
 * Private to lib/report.
 */
#ifndef PROFUTILS_REPORT_FLAMENAMES_H
#define PROFUTILS_REPORT_FLAMENAMES_H

#include "report/flame/flametree.h"
#include "report/graph/package.h"

/* What colours tell apart. */
enum flame_colour_by { FLAME_BY_PACKAGE, FLAME_BY_FILE, FLAME_BY_NAME };

/* What a frame is called, kept from before detail is given up. */
struct flame_function {
    uint32_t name, file; /* string ids in the profile */
};

struct flame_names {
    size_t n;
    uint32_t *number; /* by rank, then FLAME_NO_STACK and FLAME_SMALL */
    size_t n_ranks;
    struct buf text; /* of name i: text[end[i - 1] .. end[i]), from 0 */
    size_t *end;
    uint32_t *file, *package; /* ids in these, which 0 is none of: */
    struct strtab files, packages;
    /*
     * Packages, unless more than three quarters of the names are in one of
     * them or in none; else likewise files; else names.
     */
    enum flame_colour_by by;
};

/*
 * The names of *t, of which f has the stacks; functions are all of the
 * profile.  *names is to be freed in any case; false when memory is out.
 */
bool flame_names_init(struct flame_names *names, const struct flame_tree *t,
                      const struct stackrank *f,
                      const struct flame_function *functions);
void flame_names_free(struct flame_names *names);

/* Of a node's name, its number, which is there. */
uint32_t flame_name_number(const struct flame_names *names, uint32_t name);
struct text_slice flame_name_text(const struct flame_names *names,
                                  uint32_t number);

/* What a name shares its hue with others by; of what was merged, nothing. */
struct text_slice flame_name_group(const struct flame_names *names,
                                   uint32_t number);

/* Appends text that can be shown on one line. */
bool flame_put_visible(struct buf *to, const void *s, size_t n);

#endif
