/* Profiles in profile.proto. */
#include "hostile.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Fields of profile.proto. */
enum { TYPE = 1, SAMPLE, MAPPING, LOCATION, FUNCTION, STRING, COMMENT = 13 };

/* Strings that all profiles have, by index; the class's own come behind.  The
 * name of the source file is absolute, as reports look for others in all
 * directories above the current one, where anything may be. */
static const char *const common[] = {
    "",    "samples", "count",          "time", "nanoseconds",
    "key", "prog",    "/absent/prog.c",
};

enum { NONE, SAMPLES, COUNT, TIME, NANOSECONDS, KEY, PROG, FILENAME, OWN };

/* A message and two parts of it at work. */
static struct bytes message, part, list;

static void value_type(uint64_t type, uint64_t unit)
{
    put_number(&message, 1, type);
    put_number(&message, 2, unit);
    put_message(&out, TYPE, &message);
}

/* Types and the strings of above. */
static void begin(void)
{
    value_type(SAMPLES, COUNT);
    value_type(TIME, NANOSECONDS);
    for (size_t i = 0; i < OWN; i++)
        put_bytes(&out, STRING, common[i], strlen(common[i]));
}

static void string(const char *format, uint64_t i)
{
    char text[64];

    put_bytes(&out, STRING, text,
              (size_t)snprintf(text, sizeof(text), format, i));
}

static void strings(const char *format, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++)
        string(format, i);
}

static void mapping(uint64_t id, uint64_t start, uint64_t limit, uint64_t name)
{
    put_number(&message, 1, id);
    put_number(&message, 2, start);
    put_number(&message, 3, limit);
    put_number(&message, 5, name);
    put_message(&out, MAPPING, &message);
}

static void function(uint64_t id, uint64_t name)
{
    put_number(&message, 1, id);
    put_number(&message, 2, name);
    put_number(&message, 4, FILENAME);
    put_message(&out, FUNCTION, &message);
}

static void line(uint64_t id, uint64_t number, uint64_t column)
{
    put_number(&part, 1, id);
    put_number(&part, 2, number);
    put_number(&part, 3, column);
    put_message(&message, 4, &part);
}

/* The lines that were put go into it. */
static void location(uint64_t id, uint64_t in, uint64_t address)
{
    put_number(&message, 1, id);
    if (in)
        put_number(&message, 2, in);
    put_number(&message, 3, address);
    put_message(&out, LOCATION, &message);
}

static void frame(uint64_t id)
{
    put_varint(&list, id);
}

static void label(uint64_t key, uint64_t text, uint64_t number, uint64_t unit)
{
    put_number(&part, 1, key);
    put_number(&part, 2, text);
    put_number(&part, 3, number);
    put_number(&part, 4, unit);
    put_message(&message, 3, &part);
}

/* The frames and labels that were put, and v of both types. */
static void sample(uint64_t v)
{
    put_message(&message, 1, &list);
    put_varint(&list, v);
    put_varint(&list, v);
    put_message(&message, 2, &list);
    put_message(&out, SAMPLE, &message);
}

/* n functions, f0 ..., and as many locations with a line in each. */
static void functions(uint64_t n)
{
    strings("f%" PRIu64, n);
    for (uint64_t i = 0; i < n; i++) {
        function(i + 1, OWN + i);
        line(i + 1, i % 1000 + 1, 0);
        location(i + 1, 1, 0x1000 + i * 16);
    }
    mapping(1, 0x1000, 0x1000 + n * 16, PROG);
}

static uint64_t state = 1;

static uint64_t any(uint64_t below)
{
    state = state * 6364136223846793005 + 1442695040888963407;
    return (state >> 33) % below;
}

static void leaves(uint64_t n)
{
    begin();
    functions(n);
    for (uint64_t i = 0; i < n; i++) {
        frame(i + 1);
        sample(i + 1);
    }
}

static void star(uint64_t n)
{
    begin();
    functions(n);
    for (uint64_t i = 1; i < n; i++) {
        frame(i + 1);
        frame(1);
        sample(i);
    }
}

static void fan_in(uint64_t n)
{
    begin();
    functions(n);
    for (uint64_t i = 1; i < n; i++) {
        frame(1);
        frame(i + 1);
        sample(i);
    }
}

/* Calls between any two of about the root of n functions. */
static void clique(uint64_t n)
{
    uint64_t k = root_of(n);

    begin();
    functions(k);
    for (uint64_t i = 0; i < n; i++) {
        frame(i % k + 1);
        frame(i / k % k + 1);
        sample(i + 1);
    }
}

static void deep(uint64_t n)
{
    begin();
    functions(n);
    for (uint64_t i = 0; i < n; i++)
        frame(i + 1);
    sample(n);
}

static void recursive(uint64_t n)
{
    begin();
    functions(1);
    for (uint64_t i = 0; i < n; i++)
        frame(1);
    sample(n);
}

/* One stack of two functions in turns: a cycle of calls. */
static void mutual(uint64_t n)
{
    begin();
    functions(2);
    for (uint64_t i = 0; i < n; i++)
        frame(i % 2 + 1);
    sample(n);
}

/* Pairs of functions that call each other, and are called by a last one. */
static void cycles(uint64_t n)
{
    begin();
    value_type(OWN + n, COUNT);
    functions(n);
    string("calls", 0);
    for (uint64_t i = 0; i + 2 < n; i += 2) {
        const uint64_t arcs[][2] = {{i, i + 1}, {i + 1, i}, {i, n - 1}};

        for (size_t k = 0; k < 3; k++) {
            frame(arcs[k][0] + 1);
            frame(arcs[k][1] + 1);
            put_message(&message, 1, &list);
            for (size_t type = 0; type < 3; type++)
                put_varint(&list, 1);
            put_message(&message, 2, &list);
            put_message(&out, SAMPLE, &message);
        }
    }
}

/* All stacks 1, 1 2, 1 2 3, ... of about n frames together. */
static void stairs(uint64_t n)
{
    uint64_t k = root_of(2 * n);

    begin();
    functions(k);
    for (uint64_t i = 1; i <= k; i++) {
        for (uint64_t j = i; j > 0; j--)
            frame(j);
        sample(i);
    }
}

/* The same of one function. */
static void recursions(uint64_t n)
{
    uint64_t k = root_of(2 * n);

    begin();
    functions(1);
    for (uint64_t i = 1; i <= k; i++) {
        for (uint64_t j = 0; j < i; j++)
            frame(1);
        sample(i);
    }
}

/* Stacks of 16 frames of any function. */
static void stacks(uint64_t n)
{
    uint64_t k = n / 64 + 2;

    begin();
    functions(k);
    for (uint64_t i = 0; i < n / 16 + 1; i++) {
        for (int j = 0; j < 16; j++)
            frame(any(k) + 1);
        sample(1);
    }
}

static void same_samples(uint64_t n)
{
    begin();
    functions(1);
    for (uint64_t i = 0; i < n; i++) {
        frame(1);
        sample(1);
    }
}

static void empty_samples(uint64_t n)
{
    begin();
    for (uint64_t i = 0; i < n; i++)
        sample(1);
}

/* One location in which n functions are inlined, each into the next. */
static void inlined(uint64_t n)
{
    begin();
    strings("f%" PRIu64, n);
    for (uint64_t i = 0; i < n; i++)
        function(i + 1, OWN + i);
    for (uint64_t i = 0; i < n; i++)
        line(i + 1, i + 1, 0);
    location(1, 0, 0x1000);
    frame(1);
    sample(1);
}

/* Stacks of a location of many lines, again and again. */
static void inlined_often(uint64_t n)
{
    uint64_t k = root_of(n);

    begin();
    strings("f%" PRIu64, k);
    for (uint64_t i = 0; i < k; i++)
        function(i + 1, OWN + i);
    for (uint64_t l = 1; l <= 2; l++) {
        for (uint64_t i = 0; i < k; i++)
            line(i + 1, i + 1, l);
        location(l, 0, 0x1000 * l);
    }
    for (uint64_t i = 0; i < k; i++) {
        frame(1);
        frame(2);
        put_number(&message, 1, i % 2 + 1);
        sample(1);
    }
}

/* One function of n lines, a location each. */
static void long_function(uint64_t n)
{
    begin();
    string("f%" PRIu64, 0);
    function(1, OWN);
    for (uint64_t i = 0; i < n; i++) {
        line(1, i + 1, 0);
        location(i + 1, 0, 0x1000 + i);
        frame(i + 1);
        sample(1);
    }
}

/* Addresses without names, as the programs of binaries.c have them. */
static void addresses(uint64_t n)
{
    begin();
    mapping(1, 0x1000, 0x1000 + n * 16, PROG);
    for (uint64_t i = 0; i < n; i++) {
        location(i + 1, 1, 0x1000 + i * 16);
        frame(i + 1);
        sample(1);
    }
}

static void string_table(uint64_t n)
{
    leaves(10);
    strings("s%" PRIu64, n);
}

static void empty_strings(uint64_t n)
{
    leaves(10);
    for (uint64_t i = 0; i < 10 * n; i++)
        put_bytes(&out, STRING, "", 0);
}

static void comments(uint64_t n)
{
    leaves(10);
    strings("s%" PRIu64, n);
    for (uint64_t i = 0; i < n; i++)
        put_number(&out, COMMENT, OWN + 10 + i);
}

static void same_comments(uint64_t n)
{
    leaves(10);
    for (uint64_t i = 0; i < n; i++)
        put_number(&out, COMMENT, KEY);
}

static void mappings(uint64_t n, uint64_t step, uint64_t size)
{
    begin();
    strings("m%" PRIu64, n);
    for (uint64_t i = 0; i < n; i++) {
        mapping(i + 1, i * step, i * step + size, OWN + i);
        location(i + 1, i + 1, i * step + 1);
        frame(i + 1);
        sample(1);
    }
}

static void mappings_apart(uint64_t n)
{
    mappings(n, 0x1000, 0x1000);
}

static void mappings_overlapping(uint64_t n)
{
    mappings(n, 1, n + 0x1000);
}

static void mappings_same(uint64_t n)
{
    begin();
    for (uint64_t i = 0; i < n; i++) {
        mapping(i + 1, 0x1000, 0x2000, PROG);
        location(i + 1, i + 1, 0x1001);
        frame(i + 1);
        sample(1);
    }
}

static void ids_high(uint64_t n)
{
    begin();
    strings("f%" PRIu64, n);
    for (uint64_t i = 0; i < n; i++) {
        function(UINT64_MAX - i, OWN + i);
        line(UINT64_MAX - i, 1, 0);
        location(UINT64_MAX - i * 4096, 0, i);
        frame(UINT64_MAX - i * 4096);
        sample(1);
    }
}

/*
 * Ids whose products with 2^64 divided by the golden ratio agree in the halves'
 * exclusive or, which is how multiplicative hashes are often folded.
 */
static void ids_colliding(uint64_t n)
{
    uint64_t inverse = 1;

    /* Newton's iteration for the inverse of an odd number modulo 2^64. */
    for (int i = 0; i < 6; i++)
        inverse *= 2 - 0x9e3779b97f4a7c15 * inverse;
    begin();
    for (uint64_t i = 1; i <= n; i++) {
        uint64_t id = (i << 32 | i) * inverse;
        location(id, 0, i);
        frame(id);
        sample(1);
    }
}

/*
 * Names that XXH3 without a seed gives one hash: eight of the bytes are made
 * equal to what its default secret has there, so that they become 0 and take
 * the other eight with them when the two are multiplied.
 */
static void names_colliding(uint64_t n)
{
    static const uint8_t secret[8] = {0xb8, 0xfe, 0x6c, 0x39,
                                      0x23, 0xa4, 0x4b, 0xbe};
    begin();
    for (uint64_t i = 0; i < n; i++) {
        char text[33] = {0};
        memcpy(text, secret, sizeof(secret));
        (void)snprintf(text + 8, 9, "%08" PRIx32, (uint32_t)i);
        (void)snprintf(text + 16, 17, "%016d", 0);
        put_bytes(&out, STRING, text, 32);
        function(i + 1, OWN + i);
        line(i + 1, 1, 0);
        location(i + 1, 0, i);
        frame(i + 1);
        sample(1);
    }
}

/* Lines whose columns undo what sets their functions apart. */
static void lines_colliding(uint64_t n)
{
    begin();
    strings("f%" PRIu64, n);
    for (uint64_t i = 0; i < n; i++) {
        function(i + 1, OWN + i);
        line(i + 1, 1, i);
        location(i + 1, 0, 0);
        frame(i + 1);
        sample(1);
    }
}

static void labels_one_sample(uint64_t n)
{
    leaves(10);
    strings("s%" PRIu64, n);
    for (uint64_t i = 0; i < n; i++)
        label(OWN + 10 + i, KEY, 0, 0);
    frame(1);
    sample(1);
}

static void labels_one_key(uint64_t n)
{
    leaves(10);
    for (uint64_t i = 0; i < n; i++)
        label(KEY, 0, i, COUNT);
    frame(1);
    sample(1);
}

static void labels_many_keys(uint64_t n)
{
    leaves(10);
    strings("s%" PRIu64, n);
    for (uint64_t i = 0; i < n; i++) {
        label(OWN + 10 + i, KEY, 0, 0);
        frame(i % 10 + 1);
        sample(1);
    }
}

static void labels_many_texts(uint64_t n)
{
    leaves(10);
    strings("s%" PRIu64, n);
    for (uint64_t i = 0; i < n; i++) {
        label(KEY, OWN + 10 + i, 0, 0);
        frame(i % 10 + 1);
        sample(1);
    }
}

static void labels_many_numbers(uint64_t n)
{
    leaves(10);
    for (uint64_t i = 0; i < n; i++) {
        label(KEY, 0, i * 1000003, COUNT);
        frame(i % 10 + 1);
        sample(1);
    }
}

static void labels_many_units(uint64_t n)
{
    leaves(10);
    strings("s%" PRIu64, n);
    for (uint64_t i = 0; i < n; i++) {
        label(KEY, 0, i, OWN + 10 + i);
        frame(i % 10 + 1);
        sample(1);
    }
}

static void types(uint64_t n)
{
    strings("", 1);
    strings("t%" PRIu64, n);
    for (uint64_t i = 0; i < n; i++)
        value_type(i + 1, 1);
    for (int s = 0; s < 3; s++) {
        for (uint64_t i = 0; i < n; i++)
            put_varint(&list, i);
        put_message(&message, 2, &list);
        put_message(&out, SAMPLE, &message);
    }
}

/* As many types as samples, and nearly all values are 0. */
static void types_and_samples(uint64_t n)
{
    uint64_t k = root_of(n);

    strings("", 1);
    strings("t%" PRIu64, k);
    for (uint64_t i = 0; i < k; i++)
        value_type(i + 1, 1);
    for (uint64_t i = 0; i < k; i++) {
        label(1, 0, i, 0);
        for (uint64_t j = 0; j < k; j++)
            put_varint(&list, i == j);
        put_message(&message, 2, &list);
        put_message(&out, SAMPLE, &message);
    }
}

static void long_name(uint64_t n)
{
    char *name = malloc(100 * n);

    if (!name)
        exit(4);
    memset(name, 'x', 100 * n);
    begin();
    put_bytes(&out, STRING, name, 100 * n);
    free(name);
    for (uint64_t i = 1; i <= 10; i++) {
        function(i, OWN);
        line(i, i, 0);
        location(i, 0, i);
        frame(i);
        sample(1);
    }
}

static void unknown_fields(uint64_t n)
{
    leaves(10);
    for (uint64_t i = 0; i < n; i++)
        put_number(&out, 100, i);
}

static void empty_messages(uint64_t n)
{
    leaves(10);
    for (uint64_t i = 0; i < n; i++)
        put_message(&out, 100, &message);
}

/* Numbers in ten bytes where one would do. */
static void padding(uint64_t n)
{
    static const uint8_t one[] = {0x81, 0x80, 0x80, 0x80, 0x80,
                                  0x80, 0x80, 0x80, 0x80, 0x00};
    begin();
    functions(1);
    for (uint64_t i = 0; i < n; i++)
        put(&list, one, sizeof(one));
    sample(1);
}

const struct class profile_classes[] = {
    {"leaves", leaves},
    {"star", star},
    {"fan-in", fan_in},
    {"clique", clique},
    {"deep", deep},
    {"recursive", recursive},
    {"mutual", mutual},
    {"cycles", cycles},
    {"stairs", stairs},
    {"recursions", recursions},
    {"stacks", stacks},
    {"same-samples", same_samples},
    {"empty-samples", empty_samples},
    {"inlined", inlined},
    {"inlined-often", inlined_often},
    {"long-function", long_function},
    {"addresses", addresses},
    {"string-table", string_table},
    {"empty-strings", empty_strings},
    {"comments", comments},
    {"same-comments", same_comments},
    {"mappings-apart", mappings_apart},
    {"mappings-overlapping", mappings_overlapping},
    {"mappings-same", mappings_same},
    {"ids-high", ids_high},
    {"ids-colliding", ids_colliding},
    {"names-colliding", names_colliding},
    {"lines-colliding", lines_colliding},
    {"labels-one-sample", labels_one_sample},
    {"labels-one-key", labels_one_key},
    {"labels-many-keys", labels_many_keys},
    {"labels-many-texts", labels_many_texts},
    {"labels-many-numbers", labels_many_numbers},
    {"labels-many-units", labels_many_units},
    {"types", types},
    {"types-and-samples", types_and_samples},
    {"long-name", long_name},
    {"unknown-fields", unknown_fields},
    {"empty-messages", empty_messages},
    {"padding", padding},
    {"", NULL},
};
