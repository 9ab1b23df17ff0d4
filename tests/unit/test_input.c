/* input.h: what comes out of files of every kind, as one line per part */
#include <archive.h>
#include <archive_entry.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "io/gzip.h"
#include "io/input.h"
#include "said.h"
#include "scratch_dir.h"
#include "unit.h"

static char path[64];
static struct prof_err err;
static struct buf said; /* notes, a line each */

static int set_up(void **state)
{
    if (scratch_dir_make(state) != 0)
        return -1;
    (void)snprintf(path, sizeof path, "%s/input", scratch_dir);
    return 0;
}

static int tear_down(void **state)
{
    buf_free(&said);
    (void)unlink(path);
    return scratch_dir_drop(state);
}

static void say(void *ctx, enum prof_note_level level, const char *text)
{
    (void)ctx;
    assert_true(buf_printf(&said, "%c %s\n",
                           level == PROF_NOTE_INFO ? 'I' : 'W', text));
}

static const struct prof_notes notes = {.say = say, .ctx = NULL};

static void write_file(const void *data, size_t n)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(data, 1, n, f), n);
    assert_int_equal(fclose(f), 0);
}

static void write_buf(struct buf *b)
{
    write_file(b->v, b->n);
    buf_free(b);
}

/* Appends text as a gzip member. */
static void put_gzip(struct buf *to, const void *text, size_t n)
{
    struct gz *gz = gz_new();
    assert_non_null(gz);
    assert_true(gz_deflate(gz, text, n, 6, to, &err));
    gz_free(gz);
}

static void put_line(struct buf *to, const struct input_part *part)
{
    assert_true(buf_printf(
        to, "%s/%zu%s%s %.*s\n", part->entry ? part->entry : "", part->member,
        part->last_member ? "" : "+", part->nested ? "n" : "",
        part->nested ? 0 : (int)part->n, part->data));
}

/*
 * All parts of the file, as "entry/member text", with a '+' where another
 * member follows and an 'n' where nested; failures as "! entry/member text".
 */
static void expect_of(const char *name, const struct input_opts *opts,
                      const char *expected)
{
    struct input *in;
    struct buf got = {0};
    said.n = 0;
    if (input_open(&in, name, opts, &notes, &err)) {
        struct input_part part;
        for (int k; (k = input_next(in, &part, &err)) != 0;) {
            if (k > 0)
                put_line(&got, &part);
            else
                assert_true(buf_printf(&got, "! %s/%zu %s\n",
                                       part.entry ? part.entry : "",
                                       part.member, err.text));
        }
    } else {
        assert_null(in);
        assert_true(buf_printf(&got, "! %s\n", err.text));
    }
    input_close(in);
    assert_true(buf_putc(&got, 0));
    assert_string_equal((const char *)got.v, expected);
    buf_free(&got);
}

static void expect(const char *expected)
{
    expect_of(path, &(struct input_opts){0}, expected);
}

static void expect_notes(const char *expected)
{
    assert_true(buf_putc(&said, 0));
    assert_said((const char *)said.v, expected);
}

/* ---- files and gzip */

static void test_plain(void **state)
{
    write_file("abc", 3);
    expect("/0 abc\n");
    write_file("", 0);
    expect("/0 \n");
}

static void test_what_cannot_be_read(void **state)
{
    expect_of(scratch_dir, &(struct input_opts){0}, "! is a directory\n");
    assert_int_equal(err.kind, PROF_ERR_INPUT);
    expect_of("/nowhere/x", &(struct input_opts){0},
              "! cannot open: No such file or directory\n");
    assert_int_equal(err.kind, PROF_ERR_SYSTEM);
}

static void test_gzip_members(void **state)
{
    struct buf b = {0};
    put_gzip(&b, "one", 3);
    write_file(b.v, b.n);
    expect("/0 one\n");
    put_gzip(&b, "", 0);
    put_gzip(&b, "three", 5);
    write_buf(&b);
    expect("/1+ one\n/2+ \n/3 three\n");
    expect_of(path, &(struct input_opts){.join_members = true},
              "/0 onethree\n");
}

/* Whether the file has two parts, n bytes at data and "small". */
static bool two_parts(const struct input_opts *opts, const struct buf *data)
{
    struct input *in;
    struct input_part part;
    if (!input_open(&in, path, opts, &notes, &err))
        return false;
    bool ok = input_next(in, &part, &err) == 1;
    if (ok) {
        assert_int_equal(part.n, data->n);
        assert_memory_equal(part.data, data->v, data->n);
        input_release(in);
        assert_int_equal(input_next(in, &part, &err), 1);
        assert_int_equal(part.n, 5);
        assert_memory_equal(part.data, "small", 5);
        input_release(in);
        assert_int_equal(input_next(in, &part, &err), 0);
    }
    input_close(in);
    return ok;
}

/* One that a second thread takes part in; with limits, and a false trailer. */
static void test_large_member(void **state)
{
    enum { LARGE = 9 << 20 };
    struct buf data = {0}, b = {0};
    assert_true(buf_reserve(&data, LARGE));
    for (uint64_t x = 1; data.n < LARGE; x = x * 6364136223846793005U + 1)
        data.v[data.n++] = x >> 60 & 15;
    struct gz *gz = gz_new();
    assert_non_null(gz);
    assert_true(gz_deflate(gz, data.v, data.n, 1, &b, &err));
    gz_free(gz);
    size_t n = b.n;
    put_gzip(&b, "small", 5);
    write_file(b.v, b.n);
    for (unsigned threads = 1; threads <= 3; threads++) {
        struct input_opts opts = {.threads = threads};
        assert_true(two_parts(&opts, &data));
        opts.max_size = LARGE - 1;
        assert_false(two_parts(&opts, &data));
        assert_said(err.text,
                    "offset 0: decompressed size exceeds 9437183 bytes (see "
                    "--max-size); the members after it are not read");
    }
    b.v[n - 2] ^= 0x20; /* of the length: 2 MiB more */
    char expected[100];
    (void)snprintf(
        expected, sizeof expected,
        "offset 0: invalid gzip data after %zu bytes: incorrect length check",
        n);
    b.n = n;
    write_buf(&b);
    for (unsigned threads = 1; threads <= 2; threads++) {
        struct input_opts opts = {.threads = threads};
        assert_false(two_parts(&opts, &data));
        assert_int_equal(err.kind, PROF_ERR_INPUT);
        assert_said(err.text, expected);
    }
    buf_free(&data);
}

static void test_garbage_after_gzip(void **state)
{
    char expected[128];
    struct buf b = {0};
    put_gzip(&b, "one", 3);
    size_t n = b.n;
    assert_true(buf_puts(&b, "garbage"));
    write_file(b.v, b.n);
    (void)snprintf(
        expected, sizeof expected,
        "/0 one\n! /0 offset %zu: 7 bytes of other data after the gzip data\n",
        n);
    expect(expected);
    assert_int_equal(err.kind, PROF_ERR_INPUT);
    expect_of(path, &(struct input_opts){.join_members = true}, expected);
    memset(b.v + n, 0, 7);
    write_buf(&b);
    (void)snprintf(
        expected, sizeof expected,
        "/0 one\n! /0 offset %zu: 7 bytes of zeros after the gzip data\n", n);
    expect(expected);
}

static void test_member_cut_off(void **state)
{
    char expected[128];
    struct buf b = {0};
    put_gzip(&b, "one", 3);
    size_t n = b.n;
    put_gzip(&b, "two", 3);
    b.n -= 4;
    (void)snprintf(expected, sizeof expected,
                   "/1+ one\n! /2 offset %zu: unexpected end of gzip data "
                   "after %zu bytes\n",
                   n, b.n - n);
    write_buf(&b);
    expect(expected);
}

/* Where a damaged member ends is not known: others are said to be lost. */
static void test_member_damaged(void **state)
{
    static const char more[] = "; the members after it are not read";
    struct buf b = {0};
    put_gzip(&b, "one", 3);
    size_t n = b.n;
    put_gzip(&b, "two", 3);
    put_gzip(&b, "three", 5);
    struct input *in;
    struct input_part part;
    for (size_t at = n + 10; at < b.n; at++) {
        b.v[at] ^= 0xff;
        write_file(b.v, b.n);
        b.v[at] ^= 0xff;
        assert_true(input_open(&in, path, &(struct input_opts){0}, NULL, &err));
        assert_int_equal(input_next(in, &part, &err), 1);
        int got = input_next(in, &part, &err);
        if (at < n + (b.n - n) / 3) {
            assert_int_equal(got, -1);
            assert_says(err.text, more);
        } else if (got > 0 && input_next(in, &part, &err) < 0) {
            assert_null(strstr(err.text, more));
        }
        input_close(in);
        struct input_opts opts = {.salvage = true};
        size_t n_damaged = 0, n_sound = 0;
        assert_true(input_open(&in, path, &opts, NULL, &err));
        while ((got = input_next(in, &part, &err)) > 0) {
            n_damaged += part.damage != NULL;
            n_sound += !part.damage;
        }
        assert_true(n_damaged || got < 0 || n_sound == 3);
        input_close(in);
    }
    buf_free(&b);
}

static void test_max_size(void **state)
{
    struct input_opts ten = {.max_size = 10};
    struct buf b = {0};
    write_file("0123456789", 10);
    expect_of(path, &ten, "/0 0123456789\n");
    write_file("0123456789a", 11);
    expect_of(path, &ten, "! exceeds 10 bytes (see --max-size)\n");
    assert_int_equal(err.kind, PROF_ERR_INPUT);

    /* The sum of the members counts, joined or not. */
    char zeros[2000] = {0};
    struct input_opts k = {.max_size = 3999};
    put_gzip(&b, zeros, sizeof zeros);
    size_t n = b.n;
    put_gzip(&b, zeros, sizeof zeros);
    write_buf(&b);
    struct input *in;
    struct input_part part;
    assert_true(input_open(&in, path, &k, NULL, &err));
    assert_int_equal(input_next(in, &part, &err), 1);
    assert_int_equal(part.n, sizeof zeros);
    assert_int_equal(input_next(in, &part, &err), -1);
    char expected[128];
    (void)snprintf(expected, sizeof expected,
                   "offset %zu: decompressed size with the previous members "
                   "exceeds 3999 bytes (see --max-size)",
                   n);
    assert_said(err.text, expected);
    input_close(in);
}

/* ---- archives */

static void add(struct archive *a, const char *name, const void *data, size_t n)
{
    struct archive_entry *e = archive_entry_new();
    assert_non_null(e);
    archive_entry_set_pathname(e, name);
    archive_entry_set_size(e, (la_int64_t)n);
    archive_entry_set_filetype(e, AE_IFREG);
    archive_entry_set_perm(e, 0644);
    archive_entry_set_mtime(e, 1234567890, 0);
    assert_int_equal(archive_write_header(a, e), ARCHIVE_OK);
    assert_int_equal(archive_write_data(a, data, n), (la_ssize_t)n);
    archive_entry_free(e);
}

static void add_other(struct archive *a, const char *name, unsigned type,
                      const char *link)
{
    struct archive_entry *e = archive_entry_new();
    assert_non_null(e);
    archive_entry_set_pathname(e, name);
    archive_entry_set_filetype(e, type);
    archive_entry_set_perm(e, 0755);
    archive_entry_set_size(e, 0);
    if (type == AE_IFLNK)
        archive_entry_set_symlink(e, link);
    assert_int_equal(archive_write_header(a, e), ARCHIVE_OK);
    archive_entry_free(e);
}

static struct archive *begin_archive(const char *format, const char *filter)
{
    struct archive *a = archive_write_new();
    assert_non_null(a);
    assert_int_equal(archive_write_set_format_by_name(a, format), ARCHIVE_OK);
    if (filter)
        assert_int_equal(archive_write_add_filter_by_name(a, filter),
                         ARCHIVE_OK);
    assert_int_equal(archive_write_open_filename(a, path), ARCHIVE_OK);
    return a;
}

static void end_archive(struct archive *a)
{
    assert_int_equal(archive_write_close(a), ARCHIVE_OK);
    assert_int_equal(archive_write_free(a), ARCHIVE_OK);
}

static const char *const formats[] = {"v7tar", "ustar", "gnutar", "pax",
                                      "newc",  "odc",   "bin",    "pwb",
                                      "zip",   "7zip"};
enum { N_FORMATS = sizeof formats / sizeof *formats };

/* A directory, a link, a plain file, gzip of two members, one of none. */
static void write_mixed(const char *format, const char *filter)
{
    struct buf b = {0};
    struct archive *a = begin_archive(format, filter);
    bool links = strcmp(format, "pwb") != 0;
    add_other(a, "dir/", AE_IFDIR, NULL);
    if (links)
        add_other(a, "dir/link", AE_IFLNK, "plain");
    add(a, "dir/plain", "abc", 3);
    put_gzip(&b, "one", 3);
    put_gzip(&b, "two", 3);
    add(a, "two.gz", b.v, b.n);
    add(a, "empty", "", 0);
    end_archive(a);
    buf_free(&b);
}

static const char mixed[] =
    "dir/plain/0 abc\ntwo.gz/1+ one\ntwo.gz/2 two\nempty/0 \n";

static void test_archives(void **state)
{
    for (size_t i = 0; i < N_FORMATS; i++) {
        write_mixed(formats[i], NULL);
        expect(mixed);
    }
    write_mixed("ustar", NULL);
    expect(mixed);
    expect_notes("I dir/: skipped: not a regular file\nI dir/link: skipped: "
                 "not a regular file\n");
}

static void test_compressed_archives(void **state)
{
    static const char *const filters[] = {"gzip", "zstd", "xz", "bzip2", "lz4"};
    for (size_t i = 0; i < sizeof filters / sizeof *filters; i++) {
        write_mixed("pax", filters[i]);
        expect(mixed);
        write_mixed("newc", filters[i]);
        expect(mixed);
    }
}

static void test_compressed_files(void **state)
{
    static const char *const filters[] = {"zstd", "xz", "bzip2", "lz4"};
    for (size_t i = 0; i < sizeof filters / sizeof *filters; i++) {
        struct archive *a = begin_archive("raw", filters[i]);
        add(a, "x", "abc", 3);
        end_archive(a);
        expect("/0 abc\n");
        struct buf b = {0};
        put_gzip(&b, "one", 3);
        put_gzip(&b, "two", 3);
        a = begin_archive("raw", filters[i]);
        add(a, "x", b.v, b.n);
        end_archive(a);
        buf_free(&b);
        expect("/1+ one\n/2 two\n");
    }
}

static void test_time_of_entry(void **state)
{
    write_mixed("ustar", NULL);
    struct input *in;
    struct input_part part;
    assert_true(input_open(&in, path, &(struct input_opts){0}, NULL, &err));
    assert_int_equal(input_next(in, &part, &err), 1);
    assert_int_equal(part.mtime, 1234567890);
    input_close(in);
}

static void test_empty_archives(void **state)
{
    for (size_t i = 0; i < N_FORMATS; i++) {
        end_archive(begin_archive(formats[i], NULL));
        expect("");
    }
    end_archive(begin_archive("ustar", "gzip"));
    expect("");
    end_archive(begin_archive("ustar", "zstd"));
    expect("");
}

/* The file on standard input: from a pipe, or from the file itself. */
static void expect_stdin(bool pipe_it, const char *expected)
{
    char command[128];
    int saved = dup(STDIN_FILENO);
    (void)snprintf(command, sizeof command, "cat %s", path);
    FILE *f = pipe_it ? popen(command, "r") : fopen(path, "rb");
    assert_non_null(f);
    assert_true(saved >= 0 && dup2(fileno(f), STDIN_FILENO) == STDIN_FILENO);
    expect_of("-", &(struct input_opts){0}, expected);
    assert_int_equal(pipe_it ? pclose(f) : fclose(f), 0);
    assert_int_equal(dup2(saved, STDIN_FILENO), STDIN_FILENO);
    assert_int_equal(close(saved), 0);
}

static void test_standard_input(void **state)
{
    static const char *const some[] = {"ustar", "newc", "zip"};
    for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
        write_mixed(some[i], NULL);
        expect_stdin(true, mixed);
        expect_stdin(false, mixed);
    }
    write_mixed("ustar", "gzip");
    expect_stdin(true, mixed);
}

/* ---- streams */

enum { BIG = 200000, ROOM = 2 * BIG };
static uint8_t big[BIG]; /* begins with 'S' */

static bool begins_stream(const uint8_t *head, size_t n)
{
    return n && head[0] == 'S';
}

static const struct input_streams streams = {.begins = begins_stream};

static struct input *open_streams(uint64_t max_size)
{
    const struct input_opts opts = {.streams = &streams, .max_size = max_size};
    struct input *in;
    assert_true(input_open(&in, path, &opts, &notes, &err));
    return in;
}

static void fill_big(void)
{
    for (size_t i = 0; i < BIG; i++)
        big[i] = (uint8_t)(i * 7919 >> 5);
    big[0] = 'S';
}

static void write_streams(const char *format)
{
    struct archive *a = begin_archive(format, NULL);
    add(a, "a", "abc", 3);
    add(a, "big", big, BIG);
    add(a, "short", "S", 1);
    add(a, "again", big, BIG);
    add(a, "z", "z", 1);
    end_archive(a);
}

/* Reads up to n bytes of the stream, which are those of big; their number. */
static size_t read_big(struct stream *stream, size_t n)
{
    uint8_t block[10007];
    size_t at = 0;
    while (at < n) {
        size_t room = n - at < sizeof block ? n - at : sizeof block;
        ptrdiff_t k = stream->read(stream, block, room, &err);
        if (k <= 0)
            break;
        assert_true((size_t)k <= BIG - at);
        assert_memory_equal(block, big + at, (size_t)k);
        at += (size_t)k;
    }
    return at;
}

/* Replaces *to by big, compressed. */
static void compress_big(const char *filter, struct buf *to)
{
    struct archive *a = begin_archive("raw", filter);
    add(a, "big", big, BIG);
    end_archive(a);
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    to->n = 0;
    assert_true(buf_reserve(to, ROOM));
    to->n = fread(to->v, 1, ROOM, f);
    assert_int_equal(fclose(f), 0);
}

/* Each entry that begins so is one, and need not be read to its end. */
static void test_streamed_entries(void **state)
{
    fill_big();
    for (size_t i = 0; i < N_FORMATS; i++) {
        struct input_part part;
        write_streams(formats[i]);
        struct input *in = open_streams(0);
        assert_int_equal(input_next(in, &part, &err), 1);
        assert_null(part.stream);
        assert_int_equal(input_next(in, &part, &err), 1);
        assert_non_null(part.stream);
        assert_string_equal(part.entry, "big");
        assert_int_equal(part.mtime, 1234567890);
        assert_true(part.n > 0 && part.n < BIG);
        assert_memory_equal(part.data, big, part.n);
        assert_int_equal(read_big(part.stream, BIG + 1), BIG);
        assert_int_equal(input_next(in, &part, &err), 1);
        assert_string_equal(part.entry, "short");
        assert_int_equal(read_big(part.stream, BIG), 1);
        assert_int_equal(input_next(in, &part, &err), 1);
        assert_string_equal(part.entry, "again");
        assert_int_equal(read_big(part.stream, 100), 100);
        assert_int_equal(input_next(in, &part, &err), 1);
        assert_string_equal(part.entry, "z");
        assert_int_equal(input_next(in, &part, &err), 0);
        input_close(in);
    }
}

/* The same of entries that are compressed; others are read as before. */
static void test_compressed_entries(void **state)
{
    static const char *const filters[] = {"gzip", "bzip2", "xz", "zstd", "lz4"};
    struct input_part part;
    struct buf b = {0};
    /* What does not compress is larger than what is looked at. */
    uint32_t x = 1;
    for (size_t i = 0; i < BIG; i++)
        big[i] = (uint8_t)((x = x * 1664525 + 1013904223) >> 24);
    for (int letter = 'S'; letter <= 'T'; letter++) {
        big[0] = (uint8_t)letter;
        for (size_t i = 0; i < sizeof filters / sizeof *filters; i++) {
            size_t n = 0;
            compress_big(filters[i], &b);
            struct archive *a = begin_archive("ustar", NULL);
            add(a, "big", b.v, b.n);
            add(a, "z", "z", 1);
            end_archive(a);
            struct input *in = open_streams(0);
            assert_int_equal(input_next(in, &part, &err), 1);
            assert_string_equal(part.entry, "big");
            if (part.stream)
                n = read_big(part.stream, BIG + 1);
            else
                assert_memory_equal(part.data, big, n = part.n);
            assert_int_equal(n, BIG);
            /* The first block of others is larger than that, too. */
            if (strcmp(filters[i], "gzip") == 0)
                assert_int_equal(part.stream != NULL, letter == 'S');
            assert_true(!part.stream || letter == 'S');
            assert_int_equal(input_next(in, &part, &err), 1);
            assert_string_equal(part.entry, "z");
            assert_int_equal(input_next(in, &part, &err), 0);
            input_close(in);
        }
    }
    buf_free(&b);
}

static void test_damaged_streams(void **state)
{
    struct input_part part;
    fill_big();
    write_streams("ustar");
    assert_int_equal(truncate(path, 100000), 0);
    struct input *in = open_streams(0);
    assert_int_equal(input_next(in, &part, &err), 1);
    assert_int_equal(input_next(in, &part, &err), 1);
    assert_true(read_big(part.stream, BIG) < 100000);
    assert_non_null(strstr(err.text, "the rest of the archive is not read"));
    /* The error is returned once. */
    assert_int_equal(input_next(in, &part, &err), 0);
    input_close(in);
    write_streams("ustar");
    in = open_streams(BIG - 1);
    assert_int_equal(input_next(in, &part, &err), 1);
    assert_int_equal(input_next(in, &part, &err), 1);
    assert_true(read_big(part.stream, BIG) < BIG);
    assert_said(err.text, "exceeds 199999 bytes (see --max-size)");
    input_close(in);
}

/* A file can be read anywhere, which does not move what is read in order. */
static void test_stream_of_file(void **state)
{
    struct input_part part;
    uint8_t block[100];
    fill_big();
    write_file(big, BIG);
    struct input *in = open_streams(0);
    assert_int_equal(input_next(in, &part, &err), 1);
    struct stream *stream = part.stream;
    assert_int_equal(stream->read_at(stream, 150000, block, 100, &err), 100);
    assert_memory_equal(block, big + 150000, 100);
    assert_int_equal(stream->read_at(stream, BIG - 1, block, 100, &err), 1);
    assert_int_equal(stream->read_at(stream, BIG, block, 100, &err), 0);
    assert_int_equal(stream->read_at(stream, UINT64_MAX, block, 1, &err), 0);
    assert_int_equal(read_big(stream, BIG + 1), BIG);
    assert_int_equal(input_next(in, &part, &err), 0);
    input_close(in);
}

static void test_concatenated_tar(void **state)
{
    char both[2 * sizeof mixed];
    struct buf b = {0};
    write_mixed("ustar", NULL);
    assert_true(buf_reserve(&b, 1 << 20));
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    b.n = fread(b.v, 1, 1 << 20, f);
    assert_int_equal(fclose(f), 0);
    size_t n = b.n;
    assert_true(buf_reserve(&b, n));
    memcpy(b.v + n, b.v, n);
    b.n += n;
    write_buf(&b);
    (void)snprintf(both, sizeof both, "%s%s", mixed, mixed);
    expect(both);
}

/* As pixz appends it: no more than a magic number and the offset of the end. */
static void test_index_behind_tar(void **state)
{
    static const uint8_t index[] = {0xa6, 0x4c, 0x32, 0x2e, 0xd6, 0x14,
                                    0xae, 0xdb, 0,    0,    0x28, 0,
                                    0,    0,    0,    0,    0};
    write_mixed("ustar", NULL);
    FILE *f = fopen(path, "ab");
    assert_non_null(f);
    assert_int_equal(fwrite(index, 1, sizeof index, f), sizeof index);
    assert_int_equal(fclose(f), 0);
    expect("dir/plain/0 abc\ntwo.gz/1+ one\ntwo.gz/2 two\nempty/0 \n! /0 "
           "invalid tar data (or truncated): Truncated tar archive; the rest "
           "of the archive is not read\n");
}

static void test_archive_in_archive(void **state)
{
    struct buf tar = {0}, gz = {0};
    write_mixed("ustar", NULL);
    assert_true(buf_reserve(&tar, 1 << 20));
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    tar.n = fread(tar.v, 1, 1 << 20, f);
    assert_int_equal(fclose(f), 0);
    put_gzip(&gz, tar.v, tar.n);
    struct archive *a = begin_archive("zip", NULL);
    add(a, "a.tar", tar.v, tar.n);
    add(a, "b", "b", 1);
    add(a, "a.tar.gz", gz.v, gz.n);
    end_archive(a);
    buf_free(&tar);
    buf_free(&gz);
    expect("a.tar/0n \nb/0 b\na.tar.gz/0n \n");
}

static void test_no_archives(void **state)
{
    write_mixed("ustar", NULL);
    struct input *in;
    struct input_part part;
    struct stat st;
    assert_true(input_open(&in, path, &(struct input_opts){.no_archives = true},
                           NULL, &err));
    assert_int_equal(input_next(in, &part, &err), 1);
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(part.n, st.st_size);
    assert_false(part.nested);
    assert_int_equal(input_next(in, &part, &err), 0);
    input_close(in);
}

/* What fails is one entry; those behind it are still to be had. */
static void test_goes_on_after_a_bad_entry(void **state)
{
    struct buf b = {0};
    char expected[256];
    put_gzip(&b, "one", 3);
    struct archive *a = begin_archive("ustar", NULL);
    add(a, "a", "a", 1);
    add(a, "cut.gz", b.v, b.n - 1);
    add(a, "big", "0123456789012345678901234567890", 31);
    add(a, "z", "z", 1);
    end_archive(a);
    (void)snprintf(
        expected, sizeof expected,
        "a/0 a\n! cut.gz/0 offset 0: unexpected end of gzip data after %zu "
        "bytes\n! big/0 exceeds 30 bytes (see --max-size)\nz/0 z\n",
        b.n - 1);
    buf_free(&b);
    expect_of(path, &(struct input_opts){.max_size = 30}, expected);
}

static void test_encrypted_zip(void **state)
{
    struct archive *a = archive_write_new();
    assert_non_null(a);
    assert_int_equal(archive_write_set_format_zip(a), ARCHIVE_OK);
    assert_int_equal(archive_write_set_options(a, "zip:encryption=zipcrypt"),
                     ARCHIVE_OK);
    assert_int_equal(archive_write_set_passphrase(a, "x"), ARCHIVE_OK);
    assert_int_equal(archive_write_open_filename(a, path), ARCHIVE_OK);
    add(a, "secret", "abc", 3);
    end_archive(a);
    expect("! secret/0 encrypted entries are not supported\n");
    assert_int_equal(err.kind, PROF_ERR_INPUT);
}

/* Beginnings of files that are no archives, however near they come. */
/* libarchive looks for the end of the directory in the last 16 KiB. */
static void test_comment_of_zip(void **state)
{
    static const size_t sizes[] = {0, 100, 16361, 16362, 16384, 40000, 65535};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        size_t n = sizes[i];
        uint8_t size[2] = {(uint8_t)n, (uint8_t)(n >> 8)};
        write_mixed("zip", NULL);
        FILE *f = fopen(path, "r+b");
        assert_non_null(f);
        assert_int_equal(fseek(f, -2, SEEK_END), 0);
        assert_int_equal(fwrite(size, 1, 2, f), 2);
        while (n--)
            assert_int_equal(fputc('c', f), 'c');
        assert_int_equal(fclose(f), 0);
        expect(mixed);
        expect_stdin(true, mixed);
    }
}

static void test_what_is_no_archive(void **state)
{
    static const struct {
        const char *bytes;
        size_t n;
    } starts[] = {
        /* gmon.out, old BSD: a low pc that is cpio's magic number */
        {"\xc7\x71\x40\0\0\0\0\0\0\x90\x40\0\0\0\0\0\x64\x12\0\0\0\0\0\0"
         "\0\0\0\0\0\0\0\0",
         32},
        {"gmon\1\0\0\0", 8},
        {"\0\0\0\0\0\0\0\0\3\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x10\x27", 26},
        {"070707 main;alloc 17\n", 21}, /* folded stacks */
        {"heap profile: 1: 2 [3: 4] @ heapprofile\n", 40},
        {"BZh9 is not all there is to it", 30},
        /* zstd: a frame to skip that ends 2^32 bytes after its start */
        {"\x50\x2a\x4d\x18\xf8\xff\xff\xff", 8},
    };
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
        uint8_t bytes[2048] = {0};
        struct input *in;
        struct input_part part;
        memcpy(bytes, starts[i].bytes, starts[i].n);
        write_file(bytes, sizeof bytes);
        assert_true(
            input_open(&in, path, &(struct input_opts){0}, &notes, &err));
        assert_int_equal(input_next(in, &part, &err), 1);
        assert_int_equal(part.n, sizeof bytes);
        assert_memory_equal(part.data, bytes, sizeof bytes);
        assert_null(part.entry);
        assert_false(part.nested);
        assert_int_equal(input_next(in, &part, &err), 0);
        input_close(in);
    }
}

/* ---- broken files */

static uint8_t sound[1 << 16];
static size_t n_sound;

static void make_sound(const char *format, const char *filter)
{
    write_mixed(format, filter);
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    n_sound = fread(sound, 1, sizeof sound, f);
    assert_int_equal(fclose(f), 0);
    assert_in_range(n_sound, 1, sizeof sound - 1);
}

/* Whatever comes, it ends, stays below the limit and gives its reasons. */
static void read_broken(const uint8_t *data, size_t n)
{
    enum { LIMIT = 1 << 20 };
    struct input *in;
    struct input_part part;
    write_file(data, n);
    err.text[0] = 0;
    if (!input_open(&in, path, &(struct input_opts){.max_size = LIMIT}, NULL,
                    &err)) {
        assert_true(err.text[0]);
        return;
    }
    int got = 1;
    for (size_t parts = 0; got != 0; parts++) {
        assert_true(parts < 100);
        got = input_next(in, &part, &err);
        assert_true(got > 0 ? part.n <= LIMIT : got == 0 || err.text[0]);
    }
    input_close(in);
}

static const struct {
    const char *format, *filter;
} containers[] = {{"ustar", NULL}, {"newc", NULL}, {"bin", NULL},
                  {"zip", NULL},   {"7zip", NULL}, {"pax", "gzip"},
                  {"pax", "zstd"}, {"pax", "xz"},  {"pax", "bzip2"}};
enum { N_CONTAINERS = sizeof containers / sizeof *containers };

static void test_prefixes(void **state)
{
    for (size_t i = 0; i < N_CONTAINERS; i++) {
        make_sound(containers[i].format, containers[i].filter);
        for (size_t k = 0; k < n_sound; k += k < 150 ? 1 : 97)
            read_broken(sound, k);
    }
}

/* Up to four bytes changed, where there is something other than padding. */
static void test_mutations(void **state)
{
    enum { ROUNDS = 150 };
    uint32_t x = 1;
    for (size_t i = 0; i < N_CONTAINERS; i++) {
        make_sound(containers[i].format, containers[i].filter);
        for (unsigned round = 0; round < ROUNDS; round++) {
            static uint8_t bad[sizeof sound];
            memcpy(bad, sound, n_sound);
            for (unsigned k = 0; k <= round % 4; k++) {
                size_t at;
                do {
                    x = x * 1664525 + 1013904223;
                    at = (x >> 8) % n_sound;
                } while (!sound[at] && x % 16);
                bad[at] = (uint8_t)(x >> 24);
            }
            read_broken(bad, n_sound);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plain),
        cmocka_unit_test(test_what_cannot_be_read),
        cmocka_unit_test(test_gzip_members),
        cmocka_unit_test(test_large_member),
        cmocka_unit_test(test_garbage_after_gzip),
        cmocka_unit_test(test_member_cut_off),
        cmocka_unit_test(test_member_damaged),
        cmocka_unit_test(test_max_size),
        cmocka_unit_test(test_archives),
        cmocka_unit_test(test_compressed_archives),
        cmocka_unit_test(test_compressed_files),
        cmocka_unit_test(test_time_of_entry),
        cmocka_unit_test(test_empty_archives),
        cmocka_unit_test(test_standard_input),
        cmocka_unit_test(test_streamed_entries),
        cmocka_unit_test(test_compressed_entries),
        cmocka_unit_test(test_damaged_streams),
        cmocka_unit_test(test_stream_of_file),
        cmocka_unit_test(test_concatenated_tar),
        cmocka_unit_test(test_index_behind_tar),
        cmocka_unit_test(test_archive_in_archive),
        cmocka_unit_test(test_no_archives),
        cmocka_unit_test(test_goes_on_after_a_bad_entry),
        cmocka_unit_test(test_encrypted_zip),
        cmocka_unit_test(test_comment_of_zip),
        cmocka_unit_test(test_what_is_no_archive),
        cmocka_unit_test(test_prefixes),
        cmocka_unit_test(test_mutations),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
