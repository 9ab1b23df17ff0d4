/*
 * gmon_try.h - reading made files and saying what must come of it
 */
#ifndef PROFUTILS_TESTS_GMON_TRY_H
#define PROFUTILS_TESTS_GMON_TRY_H

#include "formats/gmon/gmon.h"
#include "gmon_make.h"

/* Reads what must be readable; *said is what was noted. */
void gmon_read_good(struct gmon *g, const struct gmon_file *f,
                    const struct gmon_opts *opts, struct said *said);

/* Fails the test unless reading the n bytes is PROF_ERR_INPUT with this text.
 */
void gmon_read_bad(const uint8_t *data, size_t n, const struct gmon_opts *opts,
                   const char *text);

/* The same of the file, which is freed. */
void gmon_read_bad_file(struct gmon_file *f, const struct gmon_opts *opts,
                        const char *text);

/* What histogram i is, with its bins. */
void gmon_assert_hist(const struct gmon *g, size_t i, uint64_t low,
                      uint64_t high, uint32_t rate, uint32_t n,
                      const uint64_t *bins);

/* What arc i of g->arcs or another list is. */
void gmon_assert_arc_of(const struct gmon_arcs *arcs, size_t i, uint64_t from,
                        uint64_t self, uint64_t count);
void gmon_assert_arc(const struct gmon *g, size_t i, uint64_t from,
                     uint64_t self, uint64_t count);

/* Adds a file, which is freed, to *sum; or fails the test unless that fails. */
void gmon_sum_add(struct gmon *sum, struct gmon_file *f,
                  const struct gmon_opts *opts, const char *name);
void gmon_sum_add_fails(struct gmon *sum, struct gmon_file *f,
                        const struct gmon_opts *opts, const char *text);

/* The sum, which is freed, as a profile; *said is what was warned of. */
void gmon_sum_convert(struct gmon *sum, struct profile *p, struct said *said);

/* "TYPE/UNIT ... default NAME period N TYPE/UNIT" */
void gmon_assert_types(const struct profile *p, const char *expected);

/* The samples as "leaf[<caller]: values\n" with hexadecimal addresses. */
void gmon_assert_samples(const struct profile *p, const char *expected);

#endif
