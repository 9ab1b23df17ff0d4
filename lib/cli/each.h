/*
 * each.h - the output of --each: a profile per part (lib/cli only)
 */
#ifndef PROFUTILS_CLI_EACH_H
#define PROFUTILS_CLI_EACH_H

#include "base/strtab.h"
#include "cli/private.h"
#include "io/bundle.h"

struct each {
    struct cli *cli;
    struct bundle *bundle;
    struct cli_packer packer;
    struct strtab names, owners; /* of outputs, and of the parts they are of */
    VEC(uint32_t) owner_of;      /* by id of names */
    struct buf name;             /* of the present output, NUL-terminated */
    bool stripped;               /* that was said */
};

/* Opens cli->output.  Failures of both have been reported. */
bool each_begin(struct each *e, struct cli *cli);
bool each_end(struct each *e, bool ok); /* gives up if not ok; frees */

/*
 * Decides what the profile of a part is called in the output, in e->name.
 * ERR_INPUT if that would lead out of the output.
 */
bool each_name(struct each *e, const struct input_part *part, struct err *err);

/*
 * Writes the profile under that name.  ERR_INPUT if another part had it, or
 * there can be no such file; after ERR_SYSTEM the output can only be given
 * up.
 */
bool each_write(struct each *e, const char *part_name,
                const struct input_part *part, const struct profile *p,
                struct err *err);

#endif
