/*
 * beside.h - executables that lie beside the profiles of them
 *
 * A profile's executable is looked for under the names that patterns make of
 * the profile's own (exefrom.h), in order: for a file in the file system, for
 * the entry of an archive among the entries of the same archive.  Only what
 * is an ELF file counts.  Of links in archives only hard ones are followed, to
 * executables that came before and that a pattern may mean.
 *
 * An archive is read once, perhaps from a pipe.  Entries that may be
 * executables are kept (spool.h: equal ones once), and profiles that come
 * before their executable wait on disk:
 *
 *      beside_begin(b)                     an archive begins
 *      for each entry:
 *          beside_keep(b, part)            1: it is an executable, perhaps
 *          or beside_find(b, part)         1: *exe is that of a profile
 *          while (beside_next(b) == 1)     those that need not wait longer
 *              beside_find(b, ...)
 *      beside_end(b)                       now nobody waits any more
 *      while (beside_next(b) == 1)
 *          beside_find(b, ...)
 *
 * Which executable a profile gets does not depend on the order of entries.
 * Of two entries with the same name the later counts, for profiles that have
 * not been served by then.
 */
#ifndef PROFUTILS_CLI_BESIDE_H
#define PROFUTILS_CLI_BESIDE_H

#include "io/input.h"

struct beside;

/* Null: no memory. */
struct beside *beside_new(struct err *err);
void beside_free(struct beside *b); /* null is allowed */

/* Adds a pattern behind those before; the text is kept.  ERR_USAGE. */
bool beside_pattern(struct beside *b, const char *pattern, struct err *err);

/* The file for profiles that the patterns find nothing for; kept. */
void beside_otherwise(struct beside *b, const char *path);

/* An executable that was found. */
struct beside_exe {
    uint32_t content;    /* from 0: executables with the same bytes are one */
    const char *path;    /* where it can be read; good until beside_free() */
    const char *name;    /* what it is called: the entry's name, or the path;
                            good until the next beside_find() */
    const char *archive; /* that it is from; null: it is a file */
    bool otherwise;      /* it is that of beside_otherwise() */
};

/* What is known of an earlier archive is forgotten. */
bool beside_begin(struct beside *b, struct err *err);

/*
 * Keeps an entry that may be an executable which a pattern means: 1.  0: it
 * is none, though links are noted down.  -1: *err says why it cannot be kept.
 */
int beside_keep(struct beside *b, const struct input_part *part,
                struct err *err);

/*
 * The executable of a profile: 1 and *exe; or 0, if it is one of an archive
 * and the executable may be still to come: the profile, with the name it has
 * in messages, is put aside until beside_next().  -1: there is none (the
 * error, ERR_INPUT, says where it was looked for), or the system failed.
 */
int beside_find(struct beside *b, const char *name,
                const struct input_part *part, struct beside_exe *exe,
                struct err *err);

/* No entries come any more. */
void beside_end(struct beside *b);

/*
 * A profile that was put aside and for which beside_find() has an answer now:
 * 1 with *name and *part, good until the next call.  0: there is none.  -1:
 * the system failed.
 */
int beside_next(struct beside *b, const char **name, struct input_part *part,
                struct err *err);

#endif
