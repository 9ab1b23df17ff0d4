/*
 * repair.h - pbfilter --repair: profiles that need not be sound
 */
#ifndef PROFUTILS_CLI_REPAIR_H
#define PROFUTILS_CLI_REPAIR_H

#include "cli/cli.h"

/*
 * As cli_read_profile(), but what is wrong with a profile, or with the
 * compressed data or archive around it, is repaired (check/repair.h), or else
 * reported.
 */
bool cli_read_repaired(struct cli *cli, struct profile *p);

#endif
