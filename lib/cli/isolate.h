/*
 * isolate.h - what a tool gives up before it looks at its inputs
 *
 * When the command line is known, and before the first byte of an input is
 * read, a tool gives up all rights that its work does not need, so that a
 * mistake in a reader is worth little to who knows how to use it: there is no
 * network, nothing can be started, and files are written only where the
 * output and temporary files go.  By Landlock and seccomp (io/sandbox.h),
 * each as far as the kernel has it; where it has neither the tool works as it
 * always did.
 *
 *      struct cli_needs needs = {.any_file = true};
 *      status = cli_begin(&cli, &spec, argc, argv);
 *      ...
 *      cli_isolate(&cli, &needs);
 *      ... cli_read_profile() ...
 *
 * Before that only the command line, files of names (--files) and what the
 * system says about itself have been read.
 */
#ifndef PROFUTILS_CLI_ISOLATE_H
#define PROFUTILS_CLI_ISOLATE_H

#include "cli/cli.h"

/* What a tool needs besides reading its inputs and writing its output. */
struct cli_needs {
    bool any_file;            /* reads files that the inputs name */
    bool programs;            /* starts some, which read what they like */
    const char *const *files; /* reads these n_files; "-" is none */
    size_t n_files;
};

/*
 * To be called once, while there is one thread.  What holds from then on is a
 * note; that nothing could be had is not worth one.
 */
void cli_isolate(struct cli *cli, const struct cli_needs *needs);

#endif
