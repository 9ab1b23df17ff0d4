/*
 * gmon_exe.h - what the executable can tell about a gmon.out
 *
 * A gmon.out names no program.  The ELF header of the one it is said to be
 * of gives address size and byte order, its segments the addresses it can
 * have run at, its notes the build id.  Addresses in a gmon.out are those of
 * the file, also of position-independent programs: the C library subtracts
 * what they were moved by.
 */
#ifndef PROFUTILS_IMPORT_GMON_EXE_H
#define PROFUTILS_IMPORT_GMON_EXE_H

#include "import/gmon/gmon.h"

struct gmon_exe {
    const char *path; /* as given; not owned */
    const char *name; /* what it is called: the path, unless the caller puts
                         something else here; not owned */
    struct gmon_form form;
    uint64_t low, high;        /* of what is loaded, up to the last
                                  executable page; high is exclusive */
    char build_id[2 * 64 + 1]; /* hexadecimal, "" if there is none */
};

/*
 * Reads the headers of the ELF file `path`.  ERR_SYSTEM when it cannot be
 * read, ERR_INPUT when it is no ELF file with anything to execute.
 */
bool gmon_exe_read(struct gmon_exe *exe, const char *path, struct err *err);

/*
 * True when *g can be of *exe: the same form, and no histogram outside what
 * is loaded.  Otherwise why[0 .. n) says what speaks against it.
 */
bool gmon_exe_fits(const struct gmon_exe *exe, const struct gmon *g, char *why,
                   size_t n);

#endif
