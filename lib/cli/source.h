/*
 * source.h - the inputs of a tool as one sequence of parts
 *
 * A part is a file, an entry of an archive, or a member of a gzip file.
 *
 *      struct source s = source_of(cli, cli->inputs, cli->n_inputs, &opts);
 *      while (on && (got = source_next(&s, &part, &err)) != 0)
 *          on = (got > 0 && use(&part, &err)) || source_failed(&s, &err);
 *      source_end(&s);
 *
 * Members of a gzip file (`cat a.gz b.gz`) are parts of their own if the first
 * is a whole input; otherwise all together are one part, a file that was
 * compressed in pieces.  A profile.proto message is whole if it can be decoded.
 * Other formats are read in one go, so the first member is a whole input if
 * both it and the second begin like an input (`begins`).
 */
#ifndef PROFUTILS_CLI_SOURCE_H
#define PROFUTILS_CLI_SOURCE_H

#include "base/buf.h"
#include "cli/cli.h"

/*
 * Which parts (input.h) source_next() returns:
 *
 *   part       flag             without the flag
 *   nested     SOURCE_ALL       an error
 *   irregular  SOURCE_ALL       skipped with a note, or under --strict an error
 *   damaged    SOURCE_SALVAGE   an error
 */
enum source_flags {
    SOURCE_ALL = 1,
    SOURCE_SALVAGE = 2,
    SOURCE_PROFILES = 4, /* all parts are profile.proto (`refused`) */
    SOURCE_DENSE = 8,    /* an error if an input has 128 KiB of zero bytes */
};

struct source_opts {
    unsigned flags;
    bool (*begins)(const uint8_t *data, size_t n); /* or null */
    /* Whether a part ends here, whatever follows; or null. */
    bool (*is_padded)(const uint8_t *data, size_t n);
    const struct input_streams *streams; /* or null */
};

/* Must not be moved once source_next() has been called. */
struct source {
    struct cli *cli;
    const char *const *inputs; /* those that follow */
    size_t n_inputs;
    struct source_opts opts;
    struct input *in; /* null: the next one is to be opened */
    const char *path; /* of the present one; "(standard input)" for "-" */
    bool is_stdin, is_archive;
    bool any_chosen; /* an entry matches --entries */
    /* The part's name: "FILE", "FILE(ENTRY)", "FILE(member 2)" or
     * "FILE(ENTRY, member 2)". */
    const char *subject;
    size_t joined; /* members that the part is made of; 0: not several */
    size_t n_failed;
    uint64_t n_read; /* bytes of the files that were closed */

    /* private */
    struct cli_notes notes;
    struct buf name;
    bool in_archive;          /* the present part is an entry */
    struct input_check check; /* what a part may begin with */
    struct buf bytes;         /* of the members so far, unless they are apart */
    bool apart;               /* each member is a part */
    struct input_part first;  /* the first member, without its bytes */
    /* The second, if it is to be returned after the first; second: 0, or what
     * source_next() is to return. */
    struct input_part second_part;
    struct prof_err second_err;
    int second;
    /* A part that a loss, as an error, precedes; held: 0, or what
     * input_next() returned. */
    struct input_part held_part;
    int held;
};

struct source source_of(struct cli *cli, const char *const *inputs, size_t n,
                        const struct source_opts *opts);

/*
 *    1  *part is the next part
 *    0  there are no more
 *   -1  failure to open or read; *err is set, and the next call continues
 *
 * Sets s->subject for all but 0.
 */
int source_next(struct source *s, struct input_part *part,
                struct prof_err *err);

/* Frees the bytes of the part. */
void source_release(struct source *s);

/* Counts and reports *err.  Whether to continue (-k). */
bool source_failed(struct source *s, const struct prof_err *err);

/*
 * Refuses a part without bytes: to protobuf a message without fields, but to
 * people a file that something went wrong with.
 */
bool source_refuse_empty(const struct source *s, struct prof_err *err);

void source_end(struct source *s);

#endif
