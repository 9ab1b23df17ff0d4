/*
 * checkup.h - pbcat --check: what is wrong with each profile of the inputs
 */
#ifndef PROFUTILS_CLI_CHECKUP_H
#define PROFUTILS_CLI_CHECKUP_H

#include "cli/cli.h"

/*
 * Examines every part of every input by itself, and writes what was found, as
 * JSON if so asked.  Of each rule the first CLI_CHECKUP_MOST findings are
 * shown, or `all`.  The status becomes 3 for errors and 1 for warnings.
 */
enum { CLI_CHECKUP_MOST = 10 };
void cli_checkup(struct cli *cli, bool json, bool all);

#endif
