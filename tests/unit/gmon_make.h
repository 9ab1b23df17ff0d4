/*
 * gmon_make.h - gmon.out files for tests, written from the format's tables
 *
 * A `struct gmon_file` collects the bytes of one file in a given form.  All
 * functions fail the running test when memory is out.
 */
#ifndef PROFUTILS_TESTS_GMON_MAKE_H
#define PROFUTILS_TESTS_GMON_MAKE_H

#include "base/buf.h"
#include "formats/gmon/gmon.h"

struct gmon_file {
    struct buf bytes;
    struct gmon_form form;
};

void make_free(struct gmon_file *f);

/* The low `size` bytes of x, in the form's order. */
void make_uint(struct gmon_file *f, uint64_t x, unsigned size);

/* GNU: the header, then any number of records. */
void make_gnu(struct gmon_file *f, unsigned addr_size, bool big_endian,
              uint32_t version);
void make_hist(struct gmon_file *f, uint64_t low, uint64_t high, uint32_t rate,
               const char *dimension, const uint16_t *bins, uint32_t n);
void make_arc(struct gmon_file *f, uint64_t from, uint64_t self,
              uint32_t count);

/* 4.4BSD: header and bins of 16 bits, then any number of arcs. */
void make_bsd44(struct gmon_file *f, unsigned addr_size, bool big_endian,
                uint64_t low, uint64_t high, uint32_t rate,
                const uint16_t *bins, uint32_t n);
/* The header alone, for n_bytes of bins of a FreeBSD type. */
void make_bsd44_head(struct gmon_file *f, unsigned addr_size, bool big_endian,
                     uint64_t low, uint64_t high, uint32_t rate,
                     uint32_t n_bytes, int32_t type);
void make_bsd44_arc(struct gmon_file *f, uint64_t from, uint64_t self,
                    uint64_t count);

/* Old BSD: header, padded to whole addresses or not, and bins; arcs as above.
 */
void make_old_bsd(struct gmon_file *f, unsigned addr_size, bool big_endian,
                  bool padded, uint64_t low, uint64_t high,
                  const uint16_t *bins, uint32_t n);

/* LD_PROFILE: header and histogram; the head of the table; its entries. */
void make_ld_profile(struct gmon_file *f, unsigned addr_size, bool big_endian,
                     uint64_t low, uint64_t high, uint32_t rate,
                     const uint16_t *bins, uint32_t n);
void make_ld_table(struct gmon_file *f, uint32_t n);
void make_ld_arc(struct gmon_file *f, uint64_t from, uint64_t self,
                 uint32_t count);

/* Darwin: the magic; the head of a chunk; a whole one; what is in chunks. */
void make_darwin(struct gmon_file *f, unsigned addr_size, bool big_endian);
void make_chunk(struct gmon_file *f, uint32_t type, uint32_t size);
void make_hist_chunk(struct gmon_file *f, uint64_t low, uint64_t high,
                     uint32_t rate, const uint16_t *bins, uint32_t n);
void make_image(struct gmon_file *f, uint64_t at, const char *path);

/* Notes, one a line, for looking at what was said. */
struct said {
    struct prof_notes notes;
    char text[4096];
};
struct prof_notes *said_init(struct said *said);

#endif
