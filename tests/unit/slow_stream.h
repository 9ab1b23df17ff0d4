/*
 * slow_stream.h - bytes in memory that come a few at a time, for what has to
 * give the same wherever a read ends
 */
#ifndef PROFUTILS_TESTS_SLOW_STREAM_H
#define PROFUTILS_TESTS_SLOW_STREAM_H

#include <stddef.h>

#include "io/stream.h"

struct slow_stream {
    struct stream stream;
    struct mem_stream mem;
    size_t step; /* bytes at most for each read */
};

/* The n bytes, which are the caller's. */
struct slow_stream slow_stream_of(const void *bytes, size_t n, size_t step);

#endif
