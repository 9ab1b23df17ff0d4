/*
 * source.h - reads the inputs of a tool as one sequence of parts
 *
 * A part is a file, an entry of an archive, or a member of a gzip file.
 *
 *      struct source s = source_of(cli, cli->inputs, cli->n_inputs, &opts);
 *      while (on && (got = source_next(&s, &part, &err)) != 0)
 *          on = (got > 0 && use(&part, &err)) || source_failed(&s, &err);
 *      source_end(&s);
 *
 * Each member of a gzip file is a part if the first member is a complete input
 * (`cat a.gz b.gz`); otherwise all members together are one part, a file that
 * was compressed in pieces.  A profile.proto message is complete if it can be
 * decoded.  For other formats, the first member counts as complete if both it
 * and the second begin like an input (`begins`).
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
    SOURCE_PROFILES = 4, /* other formats set input_part.refused */
    SOURCE_DENSE = 8,    /* an error if an input has 128 KiB of zero bytes */
};

struct source_opts {
    unsigned flags;
    /* Whether the bytes begin like an input; or null. */
    bool (*begins)(const uint8_t *data, size_t n);
    /* Whether a part with these first n bytes has only padding after them, so
     * that the rest need not be read; or null. */
    bool (*is_padded)(const uint8_t *data, size_t n);
    const struct input_streams *streams; /* or null */
    uint64_t blocks_from;                /* (input.h); 0: never */
    unsigned threads; /* to decompress an input; 0: as many as -T says */
};

/* Must not be moved once source_next() has been called. */
struct source {
    struct cli *cli;
    const char *const *inputs; /* the inputs that are not opened yet */
    size_t n_inputs;
    struct source_opts opts;
    struct input *in; /* the current input; null: open the next one */
    const char *path; /* name of that input; "(standard input)" for "-" */
    bool is_stdin, is_archive;
    bool any_chosen; /* an entry matches --entries */
    /* "FILE", "FILE(ENTRY)", "FILE(member 2)" or "FILE(ENTRY, member 2)". */
    const char *subject;
    size_t joined; /* number of members that the part is made of; 0: one */
    size_t n_failed;
    uint64_t n_read; /* bytes of the files that were closed */

    /* private */
    struct cli_notes notes;
    struct buf name;          /* the memory of `subject` */
    bool in_archive;          /* the current part is an archive entry */
    struct input_check check; /* refuses parts that are not inputs */
    struct buf bytes;         /* all members so far, joined, unless `apart` */
    bool apart;               /* each member is a part */
    struct input_part first;  /* the first member, without its bytes */
    /* The second member, read in advance to decide; `second` is what
     * source_next() then returns for it, or 0. */
    struct input_part second_part;
    struct prof_err second_err;
    int second;
    /* A part that was read but not returned yet, because a loss was returned as
     * an error instead; `held` is what input_next() returned, or 0. */
    struct input_part held_part;
    int held;
};

/* Initialises a source.  The arguments must outlive it. */
struct source source_of(struct cli *cli, const char *const *inputs, size_t n,
                        const struct source_opts *opts);

/*
 * Reads the next part.  Returns
 *
 *    1  *part is the next part
 *    0  there are no more
 *   -1  failure to open or read; *err is set, and the next call continues
 *
 * Sets s->subject unless it returns 0.
 */
int source_next(struct source *s, struct input_part *part,
                struct prof_err *err);

/* Frees the bytes of the part. */
void source_release(struct source *s);

/* Reports *err, and counts it.  Returns whether to continue (-k). */
bool source_failed(struct source *s, const struct prof_err *err);

/*
 * Sets the error that the part is empty, and returns false.  For protobuf, no
 * bytes are a valid message without fields; but such a file is probably the
 * result of a failure.
 */
bool source_refuse_empty(const struct source *s, struct prof_err *err);

void source_end(struct source *s);

#endif
