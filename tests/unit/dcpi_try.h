/*
 * dcpi_try.h - DCPI inputs put together, converted, and looked at
 *
 * A `struct dcpi_try` is one conversion: options, inputs, what was said, and
 * the profile or the error.  Zero it to start, end with try_free().
 */
#ifndef PROFUTILS_TESTS_DCPI_TRY_H
#define PROFUTILS_TESTS_DCPI_TRY_H

#include "base/buf.h"
#include "formats/dcpi/dcpi.h"

/* The header of the format description's example, without `samples`. */
#define DCPI_HEADER                                                            \
    "version pdb-0.07\n"                                                       \
    "image 19970328081403c0c18b\n"                                             \
    "epoch 9805191724\n"                                                       \
    "platform walnut\n"                                                        \
    "event cycles\n"                                                           \
    "period 63488\n"                                                           \
    "tstart 120000000\n"                                                       \
    "tsize 8388608\n"                                                          \
    "cpuspeed 433\n"                                                           \
    "path /usr/bin/vector\n"

/* The head of what dcpicat prints about an image, up to its events. */
#define IMAGE(name, id)                                                        \
    "name                 " name "\n"                                          \
    "image                " id "\n"                                            \
    "path                 /usr/users/me/" name "\n"                            \
    "epoch                199901031200\n"                                      \
    "platform             hostA\n"                                             \
    "text_start           0x000120000000\n"                                    \
    "text_size            0x000000010000\n"

#define PROG IMAGE("prog", "19990102030405abcdef")

struct dcpi_try {
    struct dcpi_opts opts;
    bool strict;          /* losses are errors */
    struct prof_err lost; /* the first of them */
    struct buf in;        /* the input being put together */
    struct buf said;      /* notes: "warn: TEXT\n" or "info: TEXT\n" */
    struct prof_notes notes;
    void *sum;
    struct profile p;
    struct prof_err err;
};

void try_text(struct dcpi_try *t, const char *text);
void try_words(struct dcpi_try *t, const uint32_t *words, size_t n);
#define TRY_WORDS(t, ...)                                                      \
    try_words(t, (const uint32_t[]){__VA_ARGS__},                              \
              sizeof(const uint32_t[]){__VA_ARGS__} / sizeof(uint32_t))

/* Adds what was put together as one input, and empties it. */
bool try_add(struct dcpi_try *t);

/* Makes the profile of what was added; false if it or an input failed. */
bool try_finish(struct dcpi_try *t);

/* try_add() and try_finish() */
bool try_run(struct dcpi_try *t);

void try_free(struct dcpi_try *t);

/* Whether a note or the error holds this text. */
bool try_said(const struct dcpi_try *t, const char *text);
bool try_failed(const struct dcpi_try *t, const char *text);
bool try_comment(const struct dcpi_try *t, const char *text);

/* The value of a type at a place, all labels together; 0: no sample. */
int64_t try_value(const struct dcpi_try *t, uint32_t mapping, uint64_t pc,
                  const char *type);

/* "TYPE/UNIT TYPE/UNIT ..." */
const char *try_types(const struct dcpi_try *t, char text[256]);

#endif
