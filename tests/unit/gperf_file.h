/*
 * gperf_file.h - gperftools CPU profiles made by hand, for tests
 *
 * The words are given as numbers and written in the size and byte order of
 * the file; text follows as it is.
 */
#ifndef PROFUTILS_TESTS_GPERF_FILE_H
#define PROFUTILS_TESTS_GPERF_FILE_H

#include "base/buf.h"
#include "formats/import_formats.h"
#include "profile/model/build.h"

struct gperf_file {
    struct buf bytes;
    size_t size; /* of a word */
    bool big_endian;
};

/* PUT(f, 1, 2, 3) appends three words. */
#define PUT(f, ...)                                                            \
    put_words((f), (const uint64_t[]){__VA_ARGS__},                            \
              sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t))

void put_words(struct gperf_file *f, const uint64_t *words, size_t n);
void put_text(struct gperf_file *f, const char *text);

/* The usual header of a period in microseconds, and the end marker. */
void put_header(struct gperf_file *f, uint64_t period);
void put_end(struct gperf_file *f);

/* What a reading gave. */
struct read_result {
    struct profile p;
    bool ok;
    struct prof_err err;
    struct buf warnings; /* a line each, NUL-terminated */
};

/* Reads; null opts are no options. */
void read_bytes(const uint8_t *data, size_t n,
                const struct import_options *opts, struct read_result *r);

/* The same, and frees the file. */
void read_file(struct gperf_file *f, const struct import_options *opts,
               struct read_result *r);

/* The same of another format. */
void read_file_as(const struct import_format *format, struct gperf_file *f,
                  const struct import_options *opts, struct read_result *r);

void free_result(struct read_result *r);

/*
 * The profile as text, in a static buffer:
 *     SAMPLES NANOSECONDS ADDRESS@MAPPING ...
 * a line per sample, leaf first, MAPPING from 1 or 0 for none; and
 *     START-LIMIT OFFSET NAME [BUILDID]
 */
const char *samples_text(const struct profile *p);
const char *mappings_text(const struct profile *p);

#endif
