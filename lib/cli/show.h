/*
 * show.h - a picture on the screen
 */
#ifndef PROFUTILS_CLI_SHOW_H
#define PROFUTILS_CLI_SHOW_H

#include "cli/cli.h"

/*
 * Has gv show n bytes of PostScript, from a temporary file that only this
 * user can read, and waits until it ends.  Failures have been reported when
 * this returns false.
 */
bool cli_show(struct cli *cli, const void *bytes, size_t n);

#endif
