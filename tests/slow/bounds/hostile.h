/*
 * hostile.h - classes of inputs whose size is in one place
 *
 * A class makes an input that has about n of what it is about, and little
 * else, in `out`.  One file has those of each format, by its name:
 * profiles.c raw profile.proto, texts.c formats that are text, records.c
 * those of binary records, perf.c what perf writes, binaries.c programs,
 * archives.c archives.  Those of products.c are profiles large in two places,
 * "lines+depth".
 */
#ifndef PROFUTILS_TESTS_BOUNDS_HOSTILE_H
#define PROFUTILS_TESTS_BOUNDS_HOSTILE_H

#include "wire.h"

struct class
{
    const char *name;
    void (*make)(uint64_t n);
};

/* Ended by one with an empty name. */
extern const struct class profile_classes[], text_classes[], record_classes[],
    binary_classes[], archive_classes[], perf_classes[];

/* The classes of products.c: prints names; 0 for a name that is none. */
void list_products(void);
int make_product(const char *class, uint64_t n);

extern struct bytes out;

/* Appends what printf would write. */
void text(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Appends so many bytes of one kind. */
void fill(struct bytes *to, int byte, size_t n);

/* Appends the lowest `size` bytes of v, the lowest of them first. */
void put_word(struct bytes *to, uint64_t v, unsigned size);

/* The least number whose square is n or more. */
uint64_t root_of(uint64_t n);

#endif
