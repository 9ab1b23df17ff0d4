/*
 * find_program.h - finds the program of each profile by its file name
 *
 * A pattern turns the name of a profile into the name of its program.  Patterns
 * are tried in the order in which they were added; the first name that belongs
 * to an ELF file is the program:
 *
 *      the profile is    the program is
 *      a file            another file
 *      an archive entry  an entry of the same archive, or a hard link to an
 *                        entry that a pattern matches; never a symbolic link
 *
 * Use, for each input:
 *
 *      find_program_begin(f, path, max_size, &err)
 *      for each part of the input:
 *          find_program_keep(f, part, &err)     1: the part is a program
 *          find_program(f, part, &prog, &err)   if the part is a profile
 *
 * Archives
 *   - find_program_begin() reads an archive in a regular file in advance, so
 *     that programs may follow their profiles.
 *   - In an archive from a pipe, a program must precede its profiles; if it
 *     does not, find_program_keep() fails.
 *   - Programs are copied to temporary files (tempfile.h).  Each takes a file
 *     descriptor until find_program_free(); equal programs share one copy.
 *   - If two entries have the same name, the last one counts.
 */
#ifndef PROFUTILS_CLI_FIND_PROGRAM_H
#define PROFUTILS_CLI_FIND_PROGRAM_H

#include "base/buf.h"
#include "io/input.h"

struct find_program;

/* Null when memory is out (PROF_ERR_SYSTEM). */
struct find_program *find_program_new(struct prof_err *err);
void find_program_free(struct find_program *f); /* null is allowed */

/*
 * Adds a pattern after the others.  The string is not copied.  PROF_ERR_USAGE
 * if the pattern is invalid (program_pattern_check()).
 */
bool find_program_add_pattern(struct find_program *f, const char *pattern,
                              struct prof_err *err);

/*
 * Sets the program of profiles for which no pattern finds one.  The string is
 * not copied.
 */
void find_program_set_default(struct find_program *f, const char *path);

struct found_program {
    uint32_t content; /* a number that is equal for programs with equal bytes */
    const char *path; /* the file to open; valid until find_program_free() */
    const char *name; /* path, or name of the entry; valid until the next
                         find_program() */
    const char *archive; /* null: not in an archive */
    bool is_default;     /* set by find_program_set_default() */
};

/*
 * Starts a new input; `path` and max_size are as for input_open().  False:
 * PROF_ERR_SYSTEM.  A damaged input is not an error here, because the caller
 * reads the same input afterwards and reports the damage.
 */
bool find_program_begin(struct find_program *f, const char *path,
                        uint64_t max_size, struct prof_err *err);

/*
 * Keeps an archive entry that may be a program:
 *
 *       1  kept: an ELF file, or a hard link to one, that a pattern matches
 *       0  not a program
 *      -1  PROF_ERR_INPUT: this program follows a profile that needs it, in an
 *          archive from a pipe; PROF_ERR_SYSTEM
 */
int find_program_keep(struct find_program *f, const struct input_part *part,
                      struct prof_err *err);

/*
 * Finds the program of the profile `part`.  PROF_ERR_INPUT if there is none;
 * *err then lists the names that were tried.  PROF_ERR_SYSTEM for other
 * failures.
 */
bool find_program(struct find_program *f, const struct input_part *part,
                  struct found_program *program, struct prof_err *err);

/*
 * Patterns: file names with placeholders, filled from the name of a profile
 *
 *      {dir}     directory of the profile; "." if its name has none
 *      {parent}  last component of that directory
 *      {name}    name of the profile without the directory
 *      {stem}    {name} without its suffix, which is what follows the last dot;
 *                first .gz, .bz2, .xz, .zst or .lz4 is removed.  Of prog.1234
 *                (GMON_OUT_PREFIX=prog) it is prog
 *
 * A pattern that begins with neither {dir} nor a slash is relative to {dir}:
 * "prog" is "{dir}/prog".  For a profile in an archive the result is the name
 * of another entry, and a leading slash is the top of the archive.
 */

/* PROF_ERR_USAGE if the pattern has other placeholders or names a directory. */
bool program_pattern_check(const char *pattern, struct prof_err *err);

/*
 * Replaces *to by the NUL-terminated result for the profile `path`, which is
 * null for standard input: its only part is {dir}, the current directory.
 *
 *      1     success
 *      0     no result; *why is a constant: `path` has no such part, or the
 *            result is outside of the archive
 *      -1    no memory
 *
 * With is_entry, `path` is the normalized name of an archive entry
 * (program_entry_name()), and the result is one too.
 */
int program_pattern_expand(const char *pattern, const char *path, bool is_entry,
                           struct buf *to, const char **why);

/*
 * Replaces *to by the normalized name of an entry, NUL-terminated: without
 * leading slash and "."; with ".." only at the start, if the name is outside of
 * the archive.  False when memory is out.
 */
bool program_entry_name(const char *entry, struct buf *to);

/* Whether the pattern may give this entry for some profile. */
bool program_pattern_matches(const char *pattern, const char *entry);

#endif
