/*
 * isolate.h - drops the privileges that a tool does not need
 *
 * After parsing the command line, and before it reads any input, a tool drops
 * the privileges that its work does not need, so that a malicious input cannot
 * do much with a bug in a reader:
 *
 *   - no network
 *   - no other programs, unless needs.programs
 *   - files are written only in the directories of the output and of temporary
 *     files
 *
 * This uses Landlock and seccomp (io/sandbox.h), as far as the kernel supports
 * them; without them the tool runs with all its privileges.
 *
 *      struct cli_needs needs = {.any_file = true};
 *      status = cli_begin(&cli, &spec, argc, argv);
 *      ...
 *      cli_isolate(&cli, &needs);
 *      ... cli_read_profile() ...
 *
 * Before that, the tool has read only the command line, lists of inputs
 * (--files-from) and information about the system.
 */
#ifndef PROFUTILS_CLI_ISOLATE_H
#define PROFUTILS_CLI_ISOLATE_H

#include "cli/cli.h"

/* What a tool needs besides reading its inputs and writing its output. */
struct cli_needs {
    bool any_file;            /* reads files that the inputs name */
    bool programs;            /* starts programs, which may read any file */
    const char *const *files; /* reads these n_files files; ignores "-" */
    size_t n_files;
    const char *writes; /* another file that it writes; or null */
};

/*
 * Drops the privileges.  Call it once, while there is only one thread.  A note
 * lists the restrictions, if the kernel supports any.
 */
void cli_isolate(struct cli *cli, const struct cli_needs *needs);

#endif
