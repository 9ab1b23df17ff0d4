/* perf_to_profile.c - converts perf_to_profile's options to perf2pb's */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "cli/convert.h"
#include "cli/private.h"

int cli_perf_to_profile(int *argc, char ***argv)
{
    static char quiet[] = "-q", end[] = "--", *args[5];
    char *input = NULL, *output = NULL;
    bool force = false, ok = true;
    const char *slash = *argc ? strrchr(**argv, '/') : NULL;
    if (!*argc || strcmp(slash ? slash + 1 : **argv, "perf_to_profile") != 0)
        return 0;

    opterr = 0;
    for (int c; (c = getopt(*argc, *argv, "i:o:fj")) != -1;) {
        ok &= c != '?';
        force |= c == 'f';
        input = c == 'i' ? optarg : input;
        output = c == 'o' ? optarg : output;
    }
    if (!ok || !input || !output || optind != *argc) {
        fputs("usage: perf_to_profile -i INPUT -o OUTPUT [-f]\n"
              "-f overwrites OUTPUT; this is perf2pb, see perf2pb(1)\n",
              stderr);
        return PROF_ERR_USAGE;
    }

    /* pprof keeps OUTPUT open and reads it afterwards, so it must be
     * overwritten, not replaced: it becomes standard output. */
    struct prof_err err;
    if (!cli_keeps_input(output, input, &err)) {
        fprintf(stderr, "perf_to_profile: %s: %s\n", output, err.text);
        return PROF_ERR_USAGE;
    }
    if (!freopen(output, force ? "w" : "wx", stdout)) {
        if (errno == EEXIST) {
            fprintf(stderr,
                    "perf_to_profile: %s: file exists; use -f to overwrite "
                    "it\n",
                    output);
            return PROF_ERR_USAGE;
        }
        fprintf(stderr, "perf_to_profile: %s: cannot open: %s\n", output,
                strerror(errno));
        return PROF_ERR_SYSTEM;
    }

    args[0] = **argv;
    args[1] = quiet;
    args[2] = end;
    args[3] = input;
    *argc = 4;
    *argv = args;
    optind = 0;
    return 0;
}
