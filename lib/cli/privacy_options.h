/*
 * privacy_options.h - pbfilter's --anonymize and --restore
 *
 *      ok = cli_privacy_check(&o, cli, &err);
 *      ok = cli_privacy_begin(&o, cli, &err);      reads key and map
 *      ... anonymizer_new(o.all, &err) in each thread ...
 *      ok = cli_privacy_report(&o, cli);           writes the map
 *      cli_privacy_end(&o);
 */
#ifndef PROFUTILS_CLI_PRIVACY_OPTIONS_H
#define PROFUTILS_CLI_PRIVACY_OPTIONS_H

#include <stdatomic.h>

#include "cli/cli.h"
#include "privacy/privacy.h"

struct cli_privacy {
    bool anonymize;
    const char *key; /* a file; null: a random key */
    const char *keep_names, *keep_mappings, *map, *restore; /* or null */

    struct pseudonyms *all; /* null: do not anonymize; owned */
    struct name_map *names; /* null: do not restore; owned */
    atomic_size_t restored; /* names restored so far, in all profiles */
};

/* PROF_ERR_USAGE for options that exclude each other. */
bool cli_privacy_check(const struct cli_privacy *o, const struct cli *cli,
                       struct prof_err *err);

/* Reads the files of the options, and sets `all` or `names`. */
bool cli_privacy_begin(struct cli_privacy *o, const struct cli *cli,
                       struct prof_err *err);

/*
 * Warns of what was not replaced, and writes the map.  Call it before the
 * profile is written: without the map, nobody could restore its names.  Reports
 * failures.
 */
bool cli_privacy_report(struct cli_privacy *o, struct cli *cli);
void cli_privacy_end(struct cli_privacy *o);

#endif
