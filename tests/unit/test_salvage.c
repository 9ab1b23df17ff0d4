/* input.h: what is had, with `salvage`, of compressed data that is damaged */
#include <archive.h>
#include <archive_entry.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io/input.h"
#include "said.h"
#include "unit.h"

enum {
    CONTENT = 160000,     /* several blocks of zstd and xz */
    ENTRIES = 5,          /* of an archive, each so large: */
    ENTRY = CONTENT / 20, /* */
    TAR_BLOCK = 512,
    CUTS = 3,   /* that are tried of each file */
    MAGIC = 32, /* bytes after which a file is what it is */
};

static char path[] = "/tmp/test_salvage.XXXXXX";
static uint8_t content[CONTENT];
static uint8_t file[2 * CONTENT];
static size_t n_file;
static struct prof_err err;

/* Text of four letters, so that it shrinks, but not to nothing. */
static int set_up(void **state)
{
    uint32_t x = 1;
    for (size_t i = 0; i < CONTENT; i++) {
        x = x * 1664525 + 1013904223;
        content[i] = (uint8_t) "acgt"[x >> 30];
    }
    int fd = mkstemp(path);
    return fd < 0 ? -1 : close(fd);
}

static int tear_down(void **state)
{
    return unlink(path);
}

static void write_file(const void *data, size_t n)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(data, 1, n, f), n);
    assert_int_equal(fclose(f), 0);
}

static void add_entry(struct archive *a, const char *name, const void *data,
                      size_t n)
{
    struct archive_entry *e = archive_entry_new();
    archive_entry_set_pathname(e, name);
    archive_entry_set_filetype(e, AE_IFREG);
    archive_entry_set_perm(e, 0644);
    archive_entry_set_size(e, (la_int64_t)n);
    assert_int_equal(archive_write_header(a, e), ARCHIVE_OK);
    assert_int_equal(archive_write_data(a, data, n), n);
    archive_entry_free(e);
}

static struct archive *begin(const char *format, const char *filter)
{
    struct archive *a = archive_write_new();
    assert_int_equal(archive_write_set_format_by_name(a, format), ARCHIVE_OK);
    if (filter)
        assert_int_equal(archive_write_add_filter_by_name(a, filter),
                         ARCHIVE_OK);
    /* Padding would be data behind the end. */
    assert_int_equal(archive_write_set_bytes_in_last_block(a, 1), ARCHIVE_OK);
    assert_int_equal(archive_write_open_memory(a, file, sizeof file, &n_file),
                     ARCHIVE_OK);
    return a;
}

static void end(struct archive *a)
{
    assert_int_equal(archive_write_close(a), ARCHIVE_OK);
    assert_int_equal(archive_write_free(a), ARCHIVE_OK);
}

static void make_stream(const char *filter)
{
    struct archive *a = begin("raw", filter);
    add_entry(a, "x", content, CONTENT);
    end(a);
}

static void make_archive(const char *format, const char *filter)
{
    struct archive *a = begin(format, filter);
    for (int i = 0; i < ENTRIES; i++) {
        char name[16];
        (void)snprintf(name, sizeof name, "%d", i);
        add_entry(a, name, content + (size_t)i * ENTRY, ENTRY);
    }
    end(a);
}

static const char *const filters[] = {"gzip", "zstd", "xz", "bzip2", "lz4"};
enum { N_FILTERS = sizeof filters / sizeof *filters };

static struct input *open_with(uint64_t max)
{
    const struct input_opts opts = {.salvage = true, .max_size = max};
    struct input *in;
    assert_true(input_open(&in, path, &opts, NULL, &err));
    return in;
}

/* The one part of the file; it stays until it is closed. */
static struct input *open_part(struct input_part *part)
{
    struct input *in = open_with(0);
    struct input_part none;
    assert_int_equal(input_next(in, part, &err), 1);
    assert_true(part->last_member);
    assert_int_equal(input_next(in, &none, &err), 0);
    return in;
}

static bool is_refused_without(void)
{
    struct input_part part;
    struct input *in;
    bool bad = !input_open(&in, path, &(struct input_opts){0}, NULL, &err);
    for (int got = 1; !bad && got;) {
        got = input_next(in, &part, &err);
        bad = got < 0;
    }
    input_close(in);
    return bad;
}

static bool begins_content(const struct input_part *part)
{
    return part->n <= CONTENT && !memcmp(part->data, content, part->n);
}

/* What is cut is a beginning of what is in it, and refused without the option.
 */
static void test_streams_cut(void **state)
{
    for (size_t i = 0; i < N_FILTERS; i++) {
        make_stream(filters[i]);
        for (size_t c = 1; c <= CUTS + 1; c++) {
            size_t k = c <= CUTS ? n_file * c / (CUTS + 1) : n_file;
            struct input_part part;
            write_file(file, k);
            struct input *in = open_part(&part);
            assert_int_equal(part.damage == NULL, k == n_file);
            assert_false(part.trailing);
            assert_true(!part.n || begins_content(&part));
            if (k == n_file)
                assert_int_equal(part.n, CONTENT);
            input_close(in);
            assert_int_equal(is_refused_without(), k < n_file);
        }
    }
}

/* Where only the checksum at the end is wrong, gzip and lz4 lose nothing. */
static void test_little_is_lost(void **state)
{
    static const char *const some[] = {"gzip", "lz4"};
    for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
        struct input_part part;
        make_stream(some[i]);
        write_file(file, n_file - 1);
        struct input *in = open_part(&part);
        assert_non_null(part.damage);
        assert_true(part.n >= CONTENT - 1 && begins_content(&part));
        input_close(in);
    }
}

static void test_streams_changed(void **state)
{
    for (size_t i = 0; i < N_FILTERS; i++) {
        if (!strcmp(filters[i], "zstd"))
            continue; /* libarchive writes it without a checksum */
        make_stream(filters[i]);
        for (size_t k = MAGIC; k < n_file; k += n_file / 4) {
            struct input_part part;
            file[k] ^= 0x10;
            write_file(file, n_file);
            file[k] ^= 0x10;
            struct input *in = open_part(&part);
            assert_true(part.damage ||
                        (part.n == CONTENT && begins_content(&part)));
            input_close(in);
        }
    }
}

static void test_more_behind_streams(void **state)
{
    static const char more[] = "more of it";
    for (size_t i = 0; i < N_FILTERS; i++) {
        struct input_part part;
        make_stream(filters[i]);
        memcpy(file + n_file, more, sizeof more);
        write_file(file, n_file + sizeof more);
        struct input *in = open_part(&part);
        assert_non_null(part.damage);
        assert_true(begins_content(&part));
        /* libarchive takes it for a damaged stream of xz or zstd. */
        bool is_damage =
            strcmp(filters[i], "xz") == 0 || strcmp(filters[i], "zstd") == 0;
        assert_int_equal(part.trailing, !is_damage);
        assert_true(is_damage || part.n == CONTENT);
        input_close(in);
    }
}

/*
 * Every entry before the cut whole; then what there is of one, or the rest;
 * then nothing.  `quiet`: a cut here may go unnoticed.
 */
static void expect_entries(bool quiet)
{
    struct input *in = open_with(0);
    struct input_part part;
    int got, n = 0;
    bool damaged = false;
    for (; (got = input_next(in, &part, &err)) != 0; n++) {
        assert_int_equal(got, 1);
        assert_false(damaged);
        damaged = part.damage != NULL;
        /* Of less than a header nobody can tell that it is an archive. */
        assert_true(part.rest ? !part.entry
                              : part.entry || (damaged && part.n < TAR_BLOCK));
        assert_true(damaged || part.n == ENTRY);
        assert_true(part.n <= ENTRY);
        assert_true(n < ENTRIES || part.rest);
        if (part.n)
            assert_memory_equal(part.data, content + (size_t)n * ENTRY, part.n);
    }
    assert_true(damaged || quiet);
    input_close(in);
}

static void test_archives_cut(void **state)
{
    static const char *const some[] = {NULL, "gzip", "zstd", "xz", "bzip2"};
    for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
        make_archive("ustar", some[i]);
        for (size_t k = TAR_BLOCK + 1; k < n_file; k += n_file / 6) {
            write_file(file, k);
            expect_entries(!some[i] && k % TAR_BLOCK == 0);
        }
        write_file(file, n_file - 1);
        expect_entries(!some[i]);
    }
}

/* The directory of 7z is at the end, without which nothing is found. */
static void test_7z_without_directory(void **state)
{
    struct input_part part;
    make_archive("7zip", NULL);
    write_file(file, n_file / 2);
    struct input *in = open_part(&part);
    assert_true(part.rest && part.damage && !part.n && !part.entry);
    assert_true(input_is_archive(in));
    input_close(in);
}

/* So is that of zip, but each entry says for itself what it is. */
static void test_zip_without_directory(void **state)
{
    make_archive("zip", NULL);
    for (size_t k = n_file / 3; k < n_file; k += n_file / 3 - 50) {
        struct input_part part;
        write_file(file, k);
        struct input *in = open_with(0);
        assert_int_equal(input_next(in, &part, &err), 1);
        assert_true(part.rest && part.damage && !part.n);
        int n = 0, whole = 0;
        for (int got; (got = input_next(in, &part, &err)) != 0; n++) {
            assert_int_equal(got, 1);
            assert_true(!part.rest && part.n <= ENTRY);
            whole += !part.damage && part.n == ENTRY;
            assert_memory_equal(part.data, content + (size_t)n * ENTRY, part.n);
        }
        assert_true(whole == n || whole == n - 1);
        assert_true(whole >= (int)(k * ENTRIES / n_file) - 1);
        input_close(in);
    }
}

/* What is behind an entry with a wrong checksum is not lost. */
static void test_entry_changed(void **state)
{
    struct input_part part;
    make_archive("zip", NULL);
    file[n_file / 2] ^= 1;
    write_file(file, n_file);
    struct input *in = open_with(0);
    int damaged = 0;
    for (int i = 0; i < ENTRIES; i++) {
        assert_int_equal(input_next(in, &part, &err), 1);
        assert_false(part.rest);
        damaged += part.damage != NULL;
        assert_true(part.damage || part.n == ENTRY);
    }
    assert_int_equal(damaged, 1);
    assert_int_equal(input_next(in, &part, &err), 0);
    input_close(in);
}

/* What is too much is no damage. */
static void test_limit(void **state)
{
    enum { LIMIT = 1000 };
    const struct input_opts opts = {.salvage = true, .max_size = LIMIT};
    struct input_part part;
    for (size_t i = 0; i < N_FILTERS; i++) {
        struct input *in;
        make_stream(filters[i]);
        write_file(file, n_file);
        if (input_open(&in, path, &opts, NULL, &err))
            assert_int_equal(input_next(in, &part, &err), -1);
        assert_says(err.text, "--max-size");
        input_close(in);
    }
    make_archive("ustar", "zstd");
    write_file(file, n_file);
    struct input *in = open_with(LIMIT);
    assert_int_equal(input_next(in, &part, &err), -1);
    assert_says(err.text, "--max-size");
    input_close(in);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_streams_cut),
        cmocka_unit_test(test_little_is_lost),
        cmocka_unit_test(test_streams_changed),
        cmocka_unit_test(test_more_behind_streams),
        cmocka_unit_test(test_archives_cut),
        cmocka_unit_test(test_7z_without_directory),
        cmocka_unit_test(test_zip_without_directory),
        cmocka_unit_test(test_entry_changed),
        cmocka_unit_test(test_limit),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
