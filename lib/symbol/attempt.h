/*
 * attempt.h - files that are tried by name, one after another (lib/symbol only)
 *
 * That one is not there, or not the right one, is no failure; that the system
 * cannot tell is, and ends the search.
 */
#ifndef PROFUTILS_SYMBOL_ATTEMPT_H
#define PROFUTILS_SYMBOL_ATTEMPT_H

#include "base/buf.h"
#include "symbol/image.h"

struct attempt {
    struct buf name; /* of the file being tried; the caller frees it */
    struct err *err;
    bool failed; /* *err says how the system did */
};

/* Where the system keeps debug files. */
extern const char attempt_system_root[];

/*
 * The next directory of a list with colons between, *n characters of it; false
 * behind the last.  *list is the rest of the list, or null.
 */
bool attempt_next_dir(const char **list, const char **dir, int *n);

/* What `try` says of the file whose name the format makes. */
#define ATTEMPT(a, try, ...)                                                   \
    ((a)->name.n = 0,                                                          \
     buf_printf(&(a)->name, __VA_ARGS__) ? (try) : attempt_no_memory(a))

/* Each says so in *a and is true: the search is over. */
bool attempt_failed(struct attempt *a, const char *name, const char *why);
bool attempt_no_memory(struct attempt *a);

/*
 * Opens the file called a->name, to which this adds the NUL, for what belongs
 * to `owner` and has its `build_id`; *im is empty unless it is ATTEMPT_OPEN.
 * `any`: it may be neither a program nor a library.  A file that is there but
 * cannot be used is a warning.
 */
enum attempt_result {
    ATTEMPT_ABSENT,
    ATTEMPT_OTHER, /* there is one, but not the right one */
    ATTEMPT_OPEN,
    ATTEMPT_FAILED, /* so that the search is over */
};
enum attempt_result attempt_image(struct attempt *a, struct sym_image *im,
                                  bool any, const char *owner,
                                  const char *build_id,
                                  const struct notes *notes);

#endif
