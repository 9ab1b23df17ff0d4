/*
 * hint.h - what to write instead of an option that does not exist (lib/cli
 * only)
 *
 * Long options are not abbreviated: a word is an option as a whole or not at
 * all.  So names of pprof's options that the tools lack do not become others.
 */
#ifndef PROFUTILS_CLI_HINT_H
#define PROFUTILS_CLI_HINT_H

#include "cli/cli.h"

/* The option with this name of n bytes, which may have '_' for '-'; or null. */
const struct cli_option *hint_find(const struct cli *cli, const char *name,
                                   size_t n);

/*
 * Whether a word that begins with one dash is a long option of this tool or
 * of pprof: then ERR_USAGE says so.
 */
bool hint_is_long(const struct cli *cli, const char *word, struct err *err);

/* ERR_USAGE for "--name" or "--name=value" that is no option; false. */
bool hint_unknown(const struct cli *cli, const char *word, struct err *err);

#endif
