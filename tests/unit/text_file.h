/*
 * text_file.h - profiles made of text, read and printed for tests
 */
#ifndef PROFUTILS_TESTS_TEXT_FILE_H
#define PROFUTILS_TESTS_TEXT_FILE_H

#include "gperf_file.h"

/*
 * Reads n bytes, or a string, by the format's reader, or if that is null
 * by that of the format they begin like.  What is read behind the end is found
 * by a sanitizer.  Sound profiles and errors that say something are asserted.
 */
void read_as(const char *format, const void *data, size_t n,
             const struct import_options *opts, struct read_result *r);
void read_text(const char *format, const char *text,
               const struct import_options *opts, struct read_result *r);

/*
 * The values of samples, their addresses from the leaf on, and their labels;
 * a static buffer:
 *     2 256 @ 401135 40114f [bytes=128] [thread=main]
 */
const char *values_text(const struct profile *p);

/* "TYPE/UNIT ... every PERIOD TYPE/UNIT"; a static buffer. */
const char *types_text(const struct profile *p);

/* Reads a text that must be right, and compares values_text(). */
void assert_samples(const char *text, const char *samples);

/* The same, with the warnings, which end in line feeds. */
void assert_warned(const char *text, const struct import_options *opts,
                   const char *samples, const char *warnings);

/* Reads one that must be wrong, and compares the message. */
void assert_wrong(const char *format, const char *text, const char *message);

#endif
