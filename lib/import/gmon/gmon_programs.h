/*
 * gmon_programs.h - gmon.out files of several programs, summed for each
 *
 * Executables with the same bytes are one program, however many copies of it
 * there are.  It is called by the least of their names.
 */
#ifndef PROFUTILS_IMPORT_GMON_PROGRAMS_H
#define PROFUTILS_IMPORT_GMON_PROGRAMS_H

#include "base/vec.h"
#include "import/gmon/gmon.h"
#include "import/gmon/gmon_exe.h"

struct gmon_program {
    struct gmon_exe exe; /* its path and name are those below */
    char *path, *name;
    char *archive; /* that the name is from, or null */
    struct gmon sum;
};

/* Zero-initialise. */
struct gmon_programs {
    VEC(struct gmon_program) v; /* in order of appearance */
    VEC(uint32_t) rows;         /* by content: row + 1, 0 for none */
};

/* An executable. */
struct gmon_program_id {
    uint32_t content;    /* small numbers, one for each content */
    const char *path;    /* where it can be read */
    const char *name;    /* what it is called */
    const char *archive; /* where it comes from, or null: it is a file */
};

/*
 * The program that *id is a copy of, added if it is new; good until the next
 * call.  Null and *err when it cannot be read or is no program (gmon_exe.h).
 */
struct gmon_program *gmon_programs_get(struct gmon_programs *programs,
                                       const struct gmon_program_id *id,
                                       struct err *err);

/*
 * When all are there: programs that neither a build id nor the name tells
 * apart, of several archives, are called ARCHIVE/NAME.  ERR_INPUT if that
 * does not tell them apart either: in a profile they would be one.
 */
bool gmon_programs_settle(struct gmon_programs *programs, struct err *err);

void gmon_programs_free(struct gmon_programs *programs);

#endif
