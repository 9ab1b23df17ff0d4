/*
 * sources.h - the source files that a profile names, line by line
 *
 * A file is looked for as pprof does it (openSourceFile() in
 * internal/report/source.go of https://github.com/google/pprof): when
 * prof_trim_path() has shortened its name, an absolute one must be there, and
 * any other is tried in each directory of the search path and in all
 * directories above that.
 *
 * Names come from profiles, so that nothing is trusted: only regular files of
 * at most SOURCES_MAX_FILE bytes are read, each of them once.  Lines are
 * whatever bytes are between newlines; a carriage return before the newline
 * is not part of one.
 *
 * Private to lib/report.
 */
#ifndef PROFUTILS_REPORT_SOURCES_H
#define PROFUTILS_REPORT_SOURCES_H

#include "base/buf.h"
#include "base/strtab.h"
#include "base/vec.h"

enum { SOURCES_MAX_FILE = 64 << 20 };

struct source_file {
    char *why;           /* it cannot be shown, in words; null: it can */
    bool failed;         /* that is the system's fault, and an error */
    struct buf text;     /* all of it */
    VEC(uint32_t) begin; /* of each line, and one more at the end */
};

struct sources {
    const char *trim;   /* not owned; null: none */
    char *search;       /* directories with colons between */
    struct strtab seen; /* names; file i - 1 is that of name i */
    VEC(struct source_file) files;
};

/*
 * Both are lists as in PATH, or null; without a search path it is the current
 * directory.  On failure *s is safe to free.
 */
bool sources_init(struct sources *s, const char *search, const char *trim,
                  struct err *err);
void sources_free(struct sources *s);

/*
 * The file of a name that is not "", good until the next call.  False when
 * the system fails; a file that is not there, not for us or no text is one
 * with file->why set.
 */
bool sources_open(struct sources *s, const char *name, size_t n,
                  const struct source_file **file, struct err *err);

/* The line of that number, from 1, without its end; null if there is none. */
const char *source_line(const struct source_file *f, int64_t number, size_t *n);

#endif
