/*
 * binary_path.h - where the tools that symbolize look for binaries
 *
 * As for pprof: the directories in the environment variable
 * PPROF_BINARY_PATH, separated by colons; $HOME/pprof/binaries when it is
 * not set or empty.
 */
#ifndef PROFUTILS_CLI_BINARY_PATH_H
#define PROFUTILS_CLI_BINARY_PATH_H

#include <stdbool.h>

#include "base/err.h"

/*
 * The list for sym_opts.path, malloc'ed, in *path: `more` (null: none) and
 * then those of the environment; "" when there are none at all.
 */
bool cli_binary_path(const char *more, char **path, struct err *err);

#endif
