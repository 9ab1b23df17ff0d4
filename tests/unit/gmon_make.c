#include "gmon_make.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

void make_free(struct gmon_file *f)
{
    buf_free(&f->bytes);
    memset(f, 0, sizeof *f);
}

void make_uint(struct gmon_file *f, uint64_t x, unsigned size)
{
    for (unsigned i = 0; i < size; i++) {
        unsigned shift = 8 * (f->form.big_endian ? size - 1 - i : i);
        assert_true(buf_putc(&f->bytes, (char)(x >> shift)));
    }
}

static void make_addr(struct gmon_file *f, uint64_t x)
{
    make_uint(f, x, f->form.addr_size);
}

/* s, then NULs up to n bytes. */
static void make_text(struct gmon_file *f, const char *s, size_t n)
{
    size_t len = strlen(s);
    for (size_t i = 0; i < n; i++)
        assert_true(buf_putc(&f->bytes, (char)(i < len ? s[i] : 0)));
}

void make_gnu(struct gmon_file *f, unsigned addr_size, bool big_endian,
              uint32_t version)
{
    *f = (struct gmon_file){.form = {addr_size, big_endian}};
    make_text(f, "gmon", 4);
    make_uint(f, version, 4);
    make_text(f, "", 12);
}

static void make_body(struct gmon_file *f, uint64_t low, uint64_t high,
                      uint32_t rate, const char *dimension,
                      const uint16_t *bins, uint32_t n)
{
    make_addr(f, low);
    make_addr(f, high);
    make_uint(f, n, 4);
    make_uint(f, rate, 4);
    make_text(f, dimension, 15);
    make_text(f, dimension, 1);
    for (uint32_t i = 0; i < n; i++)
        make_uint(f, bins[i], 2);
}

void make_hist(struct gmon_file *f, uint64_t low, uint64_t high, uint32_t rate,
               const char *dimension, const uint16_t *bins, uint32_t n)
{
    make_uint(f, 0, 1);
    make_body(f, low, high, rate, dimension, bins, n);
}

void make_arc(struct gmon_file *f, uint64_t from, uint64_t self, uint32_t count)
{
    make_uint(f, 1, 1);
    make_addr(f, from);
    make_addr(f, self);
    make_uint(f, count, 4);
}

static void make_head(struct gmon_file *f, uint64_t low, uint64_t high,
                      uint32_t rate, uint32_t n_bytes, int32_t type)
{
    make_addr(f, low);
    make_addr(f, high);
    make_uint(f, 2 * f->form.addr_size + 24 + n_bytes, 4);
    make_uint(f, 0x51879, 4);
    make_uint(f, rate, 4);
    make_uint(f, (uint32_t)type, 4);
    make_text(f, "", 8);
}

void make_bsd44_head(struct gmon_file *f, unsigned addr_size, bool big_endian,
                     uint64_t low, uint64_t high, uint32_t rate,
                     uint32_t n_bytes, int32_t type)
{
    *f = (struct gmon_file){.form = {addr_size, big_endian}};
    make_head(f, low, high, rate, n_bytes, type);
}

void make_bsd44(struct gmon_file *f, unsigned addr_size, bool big_endian,
                uint64_t low, uint64_t high, uint32_t rate,
                const uint16_t *bins, uint32_t n)
{
    make_bsd44_head(f, addr_size, big_endian, low, high, rate, 2 * n, 0);
    for (uint32_t i = 0; i < n; i++)
        make_uint(f, bins[i], 2);
}

void make_bsd44_arc(struct gmon_file *f, uint64_t from, uint64_t self,
                    uint64_t count)
{
    make_addr(f, from);
    make_addr(f, self);
    make_addr(f, count);
}

void make_old_bsd(struct gmon_file *f, unsigned addr_size, bool big_endian,
                  bool padded, uint64_t low, uint64_t high,
                  const uint16_t *bins, uint32_t n)
{
    *f = (struct gmon_file){.form = {addr_size, big_endian}};
    make_addr(f, low);
    make_addr(f, high);
    make_uint(f, 2 * addr_size + (padded ? 8 : 4) + 2 * n, 4);
    make_text(f, "", padded ? 4 : 0);
    for (uint32_t i = 0; i < n; i++)
        make_uint(f, bins[i], 2);
}

void make_ld_profile(struct gmon_file *f, unsigned addr_size, bool big_endian,
                     uint64_t low, uint64_t high, uint32_t rate,
                     const uint16_t *bins, uint32_t n)
{
    make_gnu(f, addr_size, big_endian, 0x1ffff);
    make_uint(f, 0, 4);
    make_body(f, low, high, rate, "seconds", bins, n);
}

void make_ld_table(struct gmon_file *f, uint32_t n)
{
    make_uint(f, 1, 4);
    make_uint(f, n, 4);
}

void make_ld_arc(struct gmon_file *f, uint64_t from, uint64_t self,
                 uint32_t count)
{
    make_addr(f, from);
    make_addr(f, self);
    make_uint(f, count, 4);
}

void make_darwin(struct gmon_file *f, unsigned addr_size, bool big_endian)
{
    *f = (struct gmon_file){.form = {addr_size, big_endian}};
    make_uint(f, addr_size == 8 ? 0xbeefbabf : 0xbeefbabe, 4);
}

void make_chunk(struct gmon_file *f, uint32_t type, uint32_t size)
{
    make_uint(f, type, 4);
    make_uint(f, size, 4);
}

void make_hist_chunk(struct gmon_file *f, uint64_t low, uint64_t high,
                     uint32_t rate, const uint16_t *bins, uint32_t n)
{
    make_chunk(f, 1, 2 * f->form.addr_size + 24 + 2 * n);
    make_head(f, low, high, rate, 2 * n, 0);
    for (uint32_t i = 0; i < n; i++)
        make_uint(f, bins[i], 2);
}

void make_image(struct gmon_file *f, uint64_t at, const char *path)
{
    make_addr(f, at);
    make_text(f, path, strlen(path) + 1);
}

static void say(void *ctx, enum prof_note_level level, const char *text)
{
    struct said *said = ctx;
    size_t n = strlen(said->text);
    (void)snprintf(said->text + n, sizeof said->text - n, "%s: %s\n",
                   level == PROF_NOTE_INFO ? "note" : "warning", text);
}

struct prof_notes *said_init(struct said *said)
{
    memset(said, 0, sizeof *said);
    said->notes = (struct prof_notes){.say = say, .ctx = said};
    return &said->notes;
}
