/*
 * Profiles that are large in two places at once: PLACE+PLACE.
 *
 * What is large in one place costs little more than its size.  What is large
 * in two can cost their product, where each of one is met with each of the
 * other: the lines of a location with the times that a stack has it, the
 * length of a name with all that is called so.  Each pair of places is a class.
 * Where the file would be the product, both are the root of n; elsewhere they
 * are a part of n that makes about n bytes.
 */
#include "hostile.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum place {
    LINES, /* of two locations */
    DEPTH, /* how often stacks have these, in turns */
    SAMPLES,
    LABELS, /* of each sample */
    TYPES,
    NAMES, /* bytes of one name, which all have that can */
    FUNCTIONS,
    LOCATIONS, /* of one line */
    MAPPINGS,
    STRINGS,
    COMMENTS,
    PLACES
};

static const char *const place_name[PLACES] = {
    "lines",     "depth",     "samples",  "labels",  "types",    "names",
    "functions", "locations", "mappings", "strings", "comments",
};

/* Fields of profile.proto. */
enum { TYPE = 1, SAMPLE, MAPPING, LOCATION, FUNCTION, STRING, COMMENT = 13 };

/* Strings: the long one, and from there on numbers as text. */
enum { LONG = 1, NUMBERS };

static struct bytes message, part, list;

static uint64_t greater(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static void put_strings(const uint64_t *size)
{
    uint64_t most = 0;
    char text[32];

    for (int i = 0; i < PLACES; i++)
        most = i == NAMES ? most : greater(most, size[i]);
    put_bytes(&out, STRING, "", 0);
    fill(&part, 'x', size[NAMES]);
    put_message(&out, STRING, &part);
    for (uint64_t i = 0; i < most; i++)
        put_bytes(&out, STRING, text,
                  (size_t)snprintf(text, sizeof(text), "f%" PRIu64, i));
}

/* A number of its own, or else the long name. */
static uint64_t name(const uint64_t *size, uint64_t i)
{
    return size[NAMES] > 100 ? LONG : NUMBERS + i;
}

static void put_functions(const uint64_t *size, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++) {
        put_number(&message, 1, i + 1);
        put_number(&message, 2, name(size, i));
        put_number(&message, 4, NUMBERS + i);
        put_message(&out, FUNCTION, &message);
    }
}

static void put_mappings(const uint64_t *size)
{
    for (uint64_t i = 0; i < size[MAPPINGS]; i++) {
        put_number(&message, 1, i + 1);
        put_number(&message, 2, 0x1000 * (i + 1));
        put_number(&message, 3, 0x1000 * (i + 2));
        put_number(&message, 5, name(size, i));
        put_number(&message, 6, NUMBERS + i);
        put_message(&out, MAPPING, &message);
    }
}

/* Lines are of functions from the first on, or from the second on. */
static void put_location(const uint64_t *size, uint64_t id, uint64_t lines,
                         uint64_t from, uint64_t functions)
{
    uint64_t in = id % size[MAPPINGS];

    put_number(&message, 1, id);
    put_number(&message, 2, in + 1);
    put_number(&message, 3, 0x1000 * (in + 1) + id % 0x1000);
    for (uint64_t i = 0; i < lines; i++) {
        put_number(&part, 1, (from + i) % functions + 1);
        put_number(&part, 2, id);
        put_message(&message, 4, &part);
    }
    put_message(&out, LOCATION, &message);
}

/* Locations 1 and 2 in turns, and at the root one that others have not. */
static void put_sample(const uint64_t *size, uint64_t s, uint64_t locations)
{
    for (uint64_t i = 0; i < size[DEPTH]; i++)
        put_varint(&list, i % 2 + 1);
    put_varint(&list, 3 + s % locations);
    put_message(&message, 1, &list);
    for (uint64_t i = 0; i < size[TYPES]; i++)
        put_varint(&list, 1 + s);
    put_message(&message, 2, &list);
    for (uint64_t i = 0; i < size[LABELS]; i++) {
        put_number(&part, 1, NUMBERS + i);
        if (i)
            put_number(&part, 2, name(size, s));
        else
            put_number(&part, 3, s + 1);
        put_message(&message, 3, &part);
    }
    put_message(&out, SAMPLE, &message);
}

static void make(const uint64_t *size)
{
    uint64_t functions = greater(size[FUNCTIONS], size[LINES]);
    uint64_t locations = greater(size[LOCATIONS], size[SAMPLES]);

    for (uint64_t i = 0; i < size[TYPES]; i++) {
        put_number(&message, 1, NUMBERS + i);
        put_number(&message, 2, name(size, i));
        put_message(&out, TYPE, &message);
    }
    for (uint64_t i = 0; i < size[COMMENTS]; i++)
        put_number(&out, COMMENT, name(size, i));
    put_strings(size);
    put_functions(size, functions);
    put_mappings(size);
    put_location(size, 1, size[LINES], 0, functions);
    put_location(size, 2, size[LINES], 1, functions);
    for (uint64_t i = 0; i < locations; i++)
        put_location(size, 3 + i, 1, i, functions);
    for (uint64_t i = 0; i < size[SAMPLES]; i++)
        put_sample(size, i, locations);
}

/* Whether samples have the other place one by one. */
static int is_product(enum place a, enum place b)
{
    return a == DEPTH ? b == SAMPLES
                      : a == SAMPLES && (b == LABELS || b == TYPES);
}

/* The pair of that name, or the next one after *a and *b. */
static int next_pair(int *a, int *b)
{
    if (++*b == PLACES)
        *b = ++*a + 1;
    return *b < PLACES;
}

void list_products(void)
{
    for (int a = 0, b = 0; next_pair(&a, &b);)
        printf("%s+%s\n", place_name[a], place_name[b]);
}

int make_product(const char *class, uint64_t n)
{
    uint64_t size[PLACES] = {2, 2, 2, 2, 2, 8, 2, 2, 2, 2, 2};
    char text[64];

    for (int a = 0, b = 0; next_pair(&a, &b);) {
        (void)snprintf(text, sizeof(text), "%s+%s", place_name[a],
                       place_name[b]);
        if (strcmp(text, class) != 0)
            continue;
        size[a] = size[b] = is_product(a, b) ? root_of(n) : n / 20 + 2;
        make(size);
        return 1;
    }
    return 0;
}
