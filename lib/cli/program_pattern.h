/*
 * program_pattern.h - file names with placeholders, that name the program of a
 * profile
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
#ifndef PROFUTILS_CLI_PROGRAM_PATTERN_H
#define PROFUTILS_CLI_PROGRAM_PATTERN_H

#include "base/buf.h"

/* ERR_USAGE if the pattern has another placeholder or names a directory. */
bool program_pattern_check(const char *pattern, struct err *err);

/*
 * Replaces *to by the NUL-terminated result for the profile `path`, which is
 * null for standard input: its only part is {dir}, the current directory.
 *
 *      1     success
 *      0     no result; *why is a constant: `path` has no such part, or the
 *            result is outside of the archive
 *      -1    no memory
 *
 * With is_entry, `path` is an entry's name as program_entry_name() makes it,
 * and so is the result.
 */
int program_pattern_expand(const char *pattern, const char *path, bool is_entry,
                           struct buf *to, const char **why);

/*
 * Replaces *to by the normalized name of an entry, NUL-terminated: no leading
 * slash, no ".", and ".." only at the start, of a name outside of the archive.
 */
bool program_entry_name(const char *entry, struct buf *to);

/* Whether the entry may be the result for some profile. */
bool program_pattern_matches(const char *pattern, const char *entry);

#endif
