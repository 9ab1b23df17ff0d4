/*
 * find_program.h - the program of a profile, found by its name
 *
 * Patterns (program_pattern.h) make names of the profile's own name.  They are
 * tried in order, and the first name of an ELF file is the program:
 *
 *      profile in a file      another file
 *      profile in an archive  an entry of the same archive; of links only hard
 *                             ones to an entry that a pattern may mean
 *
 * Use, for each input:
 *
 *      find_program_begin(f, path, max_size, &err)
 *      for each part:
 *          find_program_keep(f, part, &err)            1: it may be a program
 *          or find_program(f, part, &program, &err)    of a profile
 *
 * An archive that can seek is read for programs by find_program_begin(), so
 * that entries may have any order; of one from a pipe, only programs before
 * the profile are found.  Programs of archives are kept in temporary files
 * without names, of which each takes a file descriptor; programs with the same
 * bytes are kept once.  Of two entries with the same name the last counts.
 */
#ifndef PROFUTILS_CLI_FIND_PROGRAM_H
#define PROFUTILS_CLI_FIND_PROGRAM_H

#include "io/input.h"

struct find_program;

/* Null: no memory. */
struct find_program *find_program_new(struct err *err);
void find_program_free(struct find_program *f); /* null is allowed */

/* Adds a pattern after the others; not copied.  ERR_USAGE. */
bool find_program_add_pattern(struct find_program *f, const char *pattern,
                              struct err *err);

/* The file for profiles that no pattern finds a program for; not copied. */
void find_program_set_default(struct find_program *f, const char *path);

struct found_program {
    uint32_t content;    /* 0, 1, ..: one number for the same bytes */
    const char *path;    /* to open it; valid until find_program_free() */
    const char *name;    /* path, or name of the entry; valid until the next
                            find_program() */
    const char *archive; /* null: not in an archive */
    bool is_default;     /* that of find_program_set_default() */
};

/*
 * A new input, as input_open() takes it.  False: ERR_SYSTEM; what is wrong with
 * the input is left to be reported by who reads it.
 */
bool find_program_begin(struct find_program *f, const char *path,
                        uint64_t max_size, struct err *err);

/*
 * 1: the entry is an ELF file that a pattern may mean, and is kept.  0: it is
 * not.  -1: ERR_SYSTEM.
 */
int find_program_keep(struct find_program *f, const struct input_part *part,
                      struct err *err);

/* False: ERR_INPUT says which names were tried, or ERR_SYSTEM. */
bool find_program(struct find_program *f, const struct input_part *part,
                  struct found_program *program, struct err *err);

#endif
