/*
 * private.h - what the files of lib/cli share
 */
#ifndef PROFUTILS_CLI_PRIVATE_H
#define PROFUTILS_CLI_PRIVATE_H

#include <pthread.h>

#include "base/buf.h"
#include "base/vec.h"
#include "cli/cli.h"
#include "io/pack.h"

struct cli_private {
    const struct cli_spec *spec;
    VEC(struct cli_option) options; /* the tool's own, then the shared */
    VEC(char *) inputs;             /* owned */
    bool lists;                     /* --files or --files0 was given */
    bool stdin_claimed;             /* "-" is among the inputs, or a list */
    pthread_mutex_t lock;           /* of cli->status and the next two */
    int left_out;                   /* worst kind of what -k left out */
    struct err lost;                /* as in cli_notes, of cli->notes */
    bool written;                   /* the output was */
    struct progress *progress;      /* to be hidden by messages; or null */
    struct repeats *repeats;        /* told of warnings; null: all are shown */
    struct losses *losses;          /* told of losses; or null */
};

/* Keys of shared options that have no letter. */
enum cli_key {
    KEY_IF_CHANGED = 0x10000,
    KEY_EACH,
    KEY_STRICT,
    KEY_FILES,
    KEY_FILES0,
    KEY_MAX_SIZE,
    KEY_VERSION,
    KEY_HELP = 'h',
};

/* What became of the command line. */
enum cli_parsed { PARSED_RUN, PARSED_HELP, PARSED_VERSION, PARSED_BAD };

/* Fills priv->options. */
bool cli_all_options(struct cli *cli, struct err *err);

/* On PARSED_BAD *err says why; its kind may be other than ERR_USAGE. */
enum cli_parsed cli_parse(struct cli *cli, int argc, char **argv,
                          struct err *err);

/* Appends a copy of n bytes as one input's name. */
bool cli_add_input(struct cli *cli, const char *name, size_t n,
                   struct err *err);

/* Adds the names in a file, that each end with `end`. */
bool cli_add_list(struct cli *cli, const char *path, char end, struct err *err);

/* The texts of --help and --version on standard output. */
bool cli_help(const struct cli *cli, struct err *err);
bool cli_version(const struct cli *cli, struct err *err);

/* Raises cli->status; any thread may. */
void cli_set_status(struct cli *cli, enum err_kind kind);

/* Reports a loss that nobody asked about yet; false if it is an error. */
bool cli_check_losses(struct cli *cli);

/* How to call an input: its path, or "(standard input)". */
const char *cli_input_name(const char *path);

/* One input being walked, and what its present part is called. */
struct cli_walk {
    struct cli *cli;
    struct input *in;
    const char *path; /* "(standard input)" for "-" */
    struct buf name;  /* NUL-terminated */
    struct cli_notes notes;
    bool all;
    bool held; /* a result that a loss was told of before: */
    int got;
    struct input_part part;
};

/*
 * CLI_WALK_ALL: the parts that are nested or irregular (input.h) come too;
 * otherwise the first kind is an error, the second left out with a note.
 * CLI_WALK_SALVAGE: damaged parts come, too.
 */
enum cli_walk_flags { CLI_WALK_ALL = 1, CLI_WALK_SALVAGE = 2 };

/*
 * Opens an input.  On failure it has been reported and *w is closed.  *w
 * must stay where it is until it is closed.
 */
bool cli_walk_open(struct cli_walk *w, struct cli *cli, const char *path,
                   unsigned flags);

/*
 * As input_next(), and w->name is the part's name, on failure too.  After a
 * failure the walk may go on.
 */
int cli_walk_next(struct cli_walk *w, struct input_part *part, struct err *err);

/* Calls the part by its file and, where they are not null and 0, by these. */
bool cli_walk_name(struct cli_walk *w, const char *entry, size_t member,
                   struct err *err);

/* Reports *err under w->name; true when -k says to go on. */
bool cli_walk_failed(struct cli_walk *w, const struct err *err);
void cli_walk_close(struct cli_walk *w);

/* The members of a gzip file so far, one behind the other. */
struct cli_members {
    struct buf bytes;
    VEC(size_t) ends; /* of each member, in bytes */
    bool each;        /* each begins like a file of its own */
};

/* cli_each_part() for one input at a time; zero *p before the first. */
struct cli_parts {
    cli_begins_fn *begins;
    cli_part_fn *fn;
    void *ctx;
    unsigned flags;            /* as for cli_walk_open() */
    struct progress *progress; /* told of inputs that are done; or null */
    bool stop;                 /* set by fn: no further part */
    bool is_archive;           /* what the last input was */
    size_t n_failed;           /* parts and inputs that were reported */
    struct cli_walk walk;
    struct cli_members members;
};
bool cli_input_parts(struct cli_parts *p, struct cli *cli, const char *path);
/* Reports what is wrong with an input as a whole; true when -k goes on. */
bool cli_input_failed(struct cli_parts *p, struct cli *cli, const char *path,
                      const struct err *err);
void cli_parts_free(struct cli_parts *p);

/* Encodes and compresses, over and over; zero-initialise. */
struct cli_packer {
    struct pack *pack;
    struct buf bytes;
};

/* *bytes is the profile as the level (-1: the default) has it. */
bool cli_pack(struct cli_packer *packer, const struct profile *p, int level,
              const struct buf **bytes, struct err *err);
void cli_packer_free(struct cli_packer *packer);

/* Marks standard input as taken; an error the second time. */
bool cli_claim_stdin(struct cli *cli, struct err *err);

#endif
