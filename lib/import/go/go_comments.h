/*
 * go_comments.h - names of frames and labels of samples in comments of Go
 *
 * Below each stack of a profile as text, Go's runtime has a line for each of
 * its frames, but for those of the runtime at the leaf and runtime.goexit:
 *
 *      #	0x4b4c10	main.grow+0x50		/home/me/main.go:13
 *
 * that is the address (of a call, not its return), function with offset,
 * file and line, with tabs between; inlined functions have one address.
 *
 * A goroutine profile has the labels of a sample below it, as Go quotes
 * strings (https://go.dev/ref/spec#String_literals):
 *
 *      # labels: {"path":"/a \"b\"", "user":"me"}
 *
 * As written by Go (printStackRecord() and others of runtime/pprof).
 */
#ifndef PROFUTILS_IMPORT_GO_COMMENTS_H
#define PROFUTILS_IMPORT_GO_COMMENTS_H

#include "base/vec.h"
#include "import/textprof.h"

/* Zero-initialise.  Lines are slices of the text, which has to stay. */
struct go_names {
    VEC(struct go_name) v;
};

/* Remembers what the comment says, if it names a frame. */
bool go_names_line(struct go_names *names, struct slice comment,
                   struct err *err);

/*
 * Gives the locations of *p, which have no lines, those that comments say for
 * their addresses, and their mappings the has_ flags.
 */
bool go_names_apply(struct go_names *names, struct profile *p, struct err *err);

void go_names_free(struct go_names *names);

/* Whether the comment begins like one with labels. */
bool go_labels_begin(struct slice comment);

struct go_labels {
    uint32_t set;   /* added to the profile */
    size_t n_empty; /* labels with an empty text, which a profile has none of */
    bool malformed; /* the comment is not as above */
};

/* False with *err set, or, if the comment is malformed, without. */
bool go_labels_read(struct slice comment, struct profile *p,
                    struct go_labels *to, struct err *err);

#endif
