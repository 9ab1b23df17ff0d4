/*
 * digest.h - pbcat --digest: a checksum of each profile of the inputs
 */
#ifndef PROFUTILS_CLI_DIGEST_H
#define PROFUTILS_CLI_DIGEST_H

#include "base/buf.h"
#include "cli/cli.h"

/*
 * Appends the list to *out, as text or JSON (report/digests.h), profiles in
 * order of the inputs and within each.  False: nothing is to be printed, and
 * the failure has been reported.
 */
bool cli_digest(struct cli *cli, bool json, struct buf *out);

#endif
