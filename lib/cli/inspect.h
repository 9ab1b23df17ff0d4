/*
 * inspect.h - --check, --digest and --repair, which accept invalid inputs
 *
 * Unlike cli_read_profile(), these read each part of each input by itself, and
 * damaged parts as well.
 */
#ifndef PROFUTILS_CLI_INSPECT_H
#define PROFUTILS_CLI_INSPECT_H

#include "base/buf.h"
#include "cli/cli.h"

enum { CLI_CHECK_MAX = 3, CLI_CHECK_MOST_JSON = 10 }; /* findings per rule */

/*
 * Checks every part and writes the findings (profile.h, "checks") as text or
 * JSON: of each rule the first CLI_CHECK_MAX or CLI_CHECK_MOST_JSON, or `all`.
 * An error or a warning makes the status PROF_ERR_ANSWER_NO.
 */
void cli_check(struct cli *cli, bool json, bool all);

/*
 * Writes the checksum of each profile as text or JSON, in the order of the
 * inputs and of the profiles in each.
 */
void cli_digest(struct cli *cli, bool json);

/*
 * As cli_read_profile(), but repairs invalid profiles (prof_repair()), and
 * reads what it can from damaged compressed data and archives; reports what was
 * wrong.
 */
struct profile *cli_read_repaired(struct cli *cli);

#endif
