/*
 * loosely.h - fields one after another, whatever they are; private to
 * loose.c and loose_sample.c
 */
#ifndef PROFUTILS_PB_LOOSELY_H
#define PROFUTILS_PB_LOOSELY_H

#include "pb/loose.h"

/* A message on its way, and what to say of it. */
struct loosely {
    struct wire w; /* what is left of it */
    const struct loose_faults *faults;
    enum loose_kind in;
    size_t index, inner;
    uint32_t seen; /* bits of the fields that came */
    bool broken;   /* something in it could not be read */
};

struct loosely_field {
    uint32_t key, number;
    uint64_t value;       /* or the length of the bytes */
    const uint8_t *bytes; /* null: a number */
    size_t offset;
};

void loosely_tell(const struct loosely *l, enum loose_fault_kind kind,
                  const struct loosely_field *f, size_t lost);

/* Reads a field; false at the end, or where the rest cannot be read. */
bool loosely_field(struct loosely *l, struct loosely_field *f);

/* The next of the packed numbers in *w, which is not done yet; likewise. */
bool loosely_number(struct loosely *l, struct wire *w, uint64_t *value);

/*
 * Whether the field is a number, or has bytes, as it should; if not, it is
 * told and the message is broken.
 */
bool loosely_is(struct loosely *l, const struct loosely_field *f,
                enum wire_type type);

/* Tells that the field came before, if it did. */
void loosely_once(struct loosely *l, const struct loosely_field *f);

/* The message in a field. */
struct loosely loosely_inner(const struct loosely *l,
                             const struct loosely_field *f, enum loose_kind in,
                             size_t index, size_t inner);

/*
 * Reads a message of numbers, none of which is repeated: numbers[1 .. n] by
 * field; 0 where there is none.
 */
void loosely_numbers(struct loosely *l, uint64_t *numbers, uint32_t n);

#endif
