/*
 * input.h: archives of which one byte is changed, each byte in turn.  No entry
 * may be lost silently.
 */
#include <archive.h>
#include <archive_entry.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "io/input.h"
#include "said.h"
#include "scratch_dir.h"
#include "unit.h"

enum { ENTRIES = 5, CONTENT = 45, ROOM = 1 << 16 };

static char path[64];
static char contents[ENTRIES][CONTENT];
static uint8_t sound[ROOM];
static size_t n_sound;

static int set_up(void **state)
{
    if (scratch_dir_make(state) != 0)
        return -1;
    (void)snprintf(path, sizeof path, "%s/input", scratch_dir);
    uint32_t x = 1;
    for (size_t i = 0; i < ENTRIES; i++)
        for (size_t k = 0; k < CONTENT; k++, x = x * 1664525 + 1013904223)
            contents[i][k] = "main;a 12\n"[(x >> 24) % 10];
    return 0;
}

static int tear_down(void **state)
{
    (void)unlink(path);
    return scratch_dir_drop(state);
}

static void add(struct archive *a, size_t i)
{
    char name[] = "entry0.folded";
    struct archive_entry *e = archive_entry_new();
    assert_non_null(e);
    name[5] = (char)('0' + i);
    archive_entry_set_pathname(e, name);
    archive_entry_set_size(e, CONTENT);
    archive_entry_set_filetype(e, AE_IFREG);
    archive_entry_set_perm(e, 0644);
    archive_entry_set_mtime(e, 1234567890, 0);
    assert_int_equal(archive_write_header(a, e), ARCHIVE_OK);
    assert_int_equal(archive_write_data(a, contents[i], CONTENT), CONTENT);
    archive_entry_free(e);
}

static void make(const char *format, const char *filter, const char *options)
{
    struct archive *a = archive_write_new();
    assert_non_null(a);
    assert_int_equal(archive_write_set_format_by_name(a, format), ARCHIVE_OK);
    if (filter)
        assert_int_equal(archive_write_add_filter_by_name(a, filter),
                         ARCHIVE_OK);
    assert_int_equal(archive_write_set_options(a, options), ARCHIVE_OK);
    assert_int_equal(archive_write_open_memory(a, sound, ROOM, &n_sound),
                     ARCHIVE_OK);
    assert_int_equal(archive_write_set_bytes_in_last_block(a, 1), ARCHIVE_OK);
    for (size_t i = 0; i < ENTRIES; i++)
        add(a, i);
    assert_int_equal(archive_write_close(a), ARCHIVE_OK);
    assert_int_equal(archive_write_free(a), ARCHIVE_OK);
}

static void write_file(const void *data, size_t n)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(data, 1, n, f), n);
    assert_int_equal(fclose(f), 0);
}

/* What came of an archive. */
struct outcome {
    bool whole[ENTRIES]; /* its content came */
    bool named[ENTRIES]; /* an error is under its name */
    size_t n_whole, n_parts;
    bool other; /* it is not taken for an archive: a reader refuses it */
    size_t n_errors, n_losses;
    char text[200]; /* of the last error */
};

static void count_loss(void *ctx, enum prof_note_level level, const char *text)
{
    struct outcome *o = ctx;
    (void)text;
    o->n_losses += level == PROF_NOTE_LOSS;
}

static void take_error(struct outcome *o, const struct input_part *part,
                       const char *text)
{
    o->n_errors++;
    (void)snprintf(o->text, sizeof o->text, "%s", text);
    if (part->entry && strncmp(part->entry, "entry", 5) == 0 &&
        part->entry[5] >= '0' && part->entry[5] < '0' + ENTRIES)
        o->named[part->entry[5] - '0'] = true;
}

static void take_part(struct outcome *o, const struct input_part *part)
{
    o->n_parts++;
    o->other |= !part->entry;
    for (size_t i = 0; i < ENTRIES; i++)
        if (part->n == CONTENT && !o->whole[i] &&
            memcmp(part->data, contents[i], CONTENT) == 0) {
            o->whole[i] = true;
            o->n_whole++;
            return;
        }
}

static struct outcome read_archive(bool salvage)
{
    struct outcome o = {.n_parts = 0};
    const struct prof_notes notes = {.say = count_loss, .ctx = &o};
    struct input_opts opts = {.max_size = 1 << 20, .salvage = salvage};
    struct input_part part = {.path = path};
    struct input *in;
    struct prof_err err;
    if (!input_open(&in, path, &opts, &notes, &err)) {
        take_error(&o, &part, err.text);
        return o;
    }
    for (int got; (got = input_next(in, &part, &err)) != 0;) {
        assert_true(o.n_parts + o.n_errors < 100);
        if (got < 0)
            take_error(&o, &part, err.text);
        else if (part.damage)
            take_error(&o, &part, part.damage);
        else
            take_part(&o, &part);
    }
    input_close(in);
    return o;
}

/* What a format promises. */
struct promise {
    const char *format, *filter, *options;
    bool sums;   /* there is a checksum of all content */
    bool padded; /* of its zeros one in 16 will do */
};

/* What must hold when the byte at `at` is changed, whichever it is. */
static size_t check(const struct promise *p, const struct outcome *o, size_t at)
{
    bool ok = o->n_whole == ENTRIES || o->n_errors || o->n_losses || o->other;
    /* Without a checksum other content passes, but is there. */
    if (!ok && !p->sums)
        ok = o->n_parts == ENTRIES;
    if (!ok)
        print_message("%s %s: byte %zu of %zu: %zu parts, %zu whole, no word\n",
                      p->format, p->options ? p->options : "", at, n_sound,
                      o->n_parts, o->n_whole);
    return !ok;
}

static void change_every_byte(const struct promise *p)
{
    static const uint8_t changes[] = {0x01, 0x20, 0xff};
    static uint8_t bad[ROOM];
    size_t n_bad = 0;
    make(p->format, p->filter, p->options);
    write_file(sound, n_sound);
    struct outcome o = read_archive(false);
    assert_int_equal(o.n_whole, ENTRIES);
    assert_int_equal(o.n_errors + o.n_losses, 0);
    memcpy(bad, sound, n_sound);
    for (size_t at = 0; at < n_sound; at++) {
        if (p->padded && !sound[at] && at % 16)
            continue;
        for (size_t c = 0; c < sizeof changes; c++) {
            bad[at] = sound[at] ^ changes[c];
            write_file(bad, n_sound);
            o = read_archive(false);
            n_bad += check(p, &o, at);
            o = read_archive(true);
            n_bad += check(p, &o, at);
        }
        bad[at] = sound[at];
    }
    assert_int_equal(n_bad, 0);
}

static void test_zip(void **state)
{
    change_every_byte(&(struct promise){"zip", NULL, NULL, true, false});
    change_every_byte(
        &(struct promise){"zip", NULL, "zip:compression=store", true, false});
}

static void test_7z(void **state)
{
    change_every_byte(&(struct promise){"7zip", NULL, NULL, true, false});
    change_every_byte(
        &(struct promise){"7zip", NULL, "7zip:compression=store", true, false});
}

static void test_tar(void **state)
{
    change_every_byte(&(struct promise){"ustar", NULL, NULL, false, true});
    change_every_byte(&(struct promise){"ustar", "gzip", NULL, true, false});
    change_every_byte(&(struct promise){"ustar", "zstd", NULL, false, false});
}

static void test_cpio(void **state)
{
    static const char *const formats[] = {"newc", "odc", "bin"};
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        change_every_byte(
            &(struct promise){formats[i], NULL, NULL, false, false});
}

/*
 * The content of every entry but the first of many is damaged: reading goes on
 * behind it, but not so often that it would take long.
 */
static void test_many(void **state)
{
    enum { MANY = 30000, LIMIT = 1000, BYTES = MANY * 300, HEADER = 30 };
    struct input_part part;
    struct input *in;
    struct prof_err err;
    size_t n, failed = 0;
    uint8_t *bytes = malloc(BYTES);
    assert_non_null(bytes);
    struct archive *a = archive_write_new();
    assert_non_null(a);
    assert_int_equal(archive_write_set_format_zip(a), ARCHIVE_OK);
    assert_int_equal(archive_write_open_memory(a, bytes, BYTES, &n),
                     ARCHIVE_OK);
    for (size_t i = 0; i < MANY; i++)
        add(a, i % ENTRIES);
    assert_int_equal(archive_write_close(a), ARCHIVE_OK);
    assert_int_equal(archive_write_free(a), ARCHIVE_OK);
    for (size_t at = 4; at + HEADER <= n; at++)
        if (memcmp(bytes + at, "PK\3\4", 4) == 0)
            bytes[at + HEADER + bytes[at + 26] + bytes[at + 28]] |= 7;
    write_file(bytes, n);
    free(bytes);
    (void)alarm(LIMIT);
    assert_true(input_open(&in, path, &(struct input_opts){.max_size = BYTES},
                           NULL, &err));
    assert_int_equal(input_next(in, &part, &err), 1);
    while (input_next(in, &part, &err) != 0 && part.entry) {
        assert_said(err.text,
                    "invalid zip data: ZIP decompression failed (-3)");
        assert_memory_equal(part.entry, "entry", 5);
        failed++;
    }
    (void)alarm(0);
    assert_in_range(failed, 10, 30);
    char said[100];
    (void)snprintf(said, sizeof said,
                   "too many damaged entries; %zu of %d "
                   "entries are not read",
                   MANY - 1 - failed, MANY);
    assert_string_equal(err.text, said);
    assert_int_equal(input_next(in, &part, &err), 0);
    input_close(in);
}

/* What is behind a damaged header of zip is not read, which says how many. */
static void test_header_of_zip(void **state)
{
    make("zip", NULL, NULL);
    uint8_t *name = memmem(sound, n_sound, "entry2", 6);
    assert_non_null(name);
    name[-30] = 'p';
    write_file(sound, n_sound);
    struct outcome o = read_archive(false);
    assert_int_equal(o.n_whole, 2);
    assert_int_equal(o.n_errors, 1);
    assert_string_equal(o.text, "invalid zip data: Damaged Zip archive; 3 of 5 "
                                "entries are not read");
}

/* What only the order of entries tells is not read after damage, which says. */
static void test_rest(void **state)
{
    make("newc", NULL, NULL);
    /* The length of the third entry's name, which becomes very long. */
    uint8_t *name = memmem(sound, n_sound, "entry2", 6);
    assert_non_null(name);
    name[94 - 110] = 'f';
    write_file(sound, n_sound);
    struct outcome o = read_archive(false);
    assert_int_equal(o.n_whole, 2);
    assert_int_equal(o.n_errors, 1);
    assert_says(o.text, "invalid cpio data (or truncated): no reason given; "
                        "the rest of the archive is not read");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_zip),  cmocka_unit_test(test_7z),
        cmocka_unit_test(test_tar),  cmocka_unit_test(test_cpio),
        cmocka_unit_test(test_many), cmocka_unit_test(test_header_of_zip),
        cmocka_unit_test(test_rest),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
