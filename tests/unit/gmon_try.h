/*
 * gmon_try.h - reading made files and saying what must come of it
 */
#ifndef PROFUTILS_TESTS_GMON_TRY_H
#define PROFUTILS_TESTS_GMON_TRY_H

#include "gmon_make.h"
#include "import/gmon_profile.h"

/* Reads what must be readable; *said is what was noted. */
void read_good(struct gmon *g, const struct gmon_file *f,
               const struct gmon_opts *opts, struct said *said);

/* Fails the test unless reading the n bytes is ERR_INPUT with this text. */
void read_bad(const uint8_t *data, size_t n, const struct gmon_opts *opts,
              const char *text);

/* The same of the file, which is freed. */
void read_bad_file(struct gmon_file *f, const struct gmon_opts *opts,
                   const char *text);

/* What histogram i is, with its bins. */
void assert_hist(const struct gmon *g, size_t i, uint64_t low, uint64_t high,
                 uint32_t rate, uint32_t n, const uint64_t *bins);

/* What arc i of g->arcs or another list is. */
void assert_arc_of(const struct gmon_arcs *arcs, size_t i, uint64_t from,
                   uint64_t self, uint64_t count);
void assert_arc(const struct gmon *g, size_t i, uint64_t from, uint64_t self,
                uint64_t count);

/* Adds a file, which is freed, to *sum; or fails the test unless that fails. */
void sum_add(struct gmon *sum, struct gmon_file *f,
             const struct gmon_opts *opts, const char *name);
void sum_add_fails(struct gmon *sum, struct gmon_file *f,
                   const struct gmon_opts *opts, const char *text);

/* The sum, which is freed, as a profile; *said is what was warned of. */
void sum_convert(struct gmon *sum, struct profile *p, struct said *said);

/* "TYPE/UNIT ... default NAME period N TYPE/UNIT" */
void assert_types(const struct profile *p, const char *expected);

/* The samples as "leaf[<caller]: values\n" with hexadecimal addresses. */
void assert_samples(const struct profile *p, const char *expected);

#endif
