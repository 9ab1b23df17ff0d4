/*
 * Symbolized profiles, of both kinds: what a program sent, and what
 * google-pprof wrote again from its own tables.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "formats/import.h"
#include "gperf_file.h"
#include "said.h"
#include "unit.h"

static const char names[] = "--- symbol\n"
                            "binary=/usr/bin/app\n"
                            "0x0000000000401000 leaf<0000000000400ff0>\n"
                            "0x0000000000401fff outer--middle--inner(int)\n"
                            "0x0000000000403000 main\n"
                            "---\n";

static const char map_a[] = "400000-500000 r-xp 00000000 00:00 1 /a\n";

/* As samples_text(), with names: SAMPLES [NANOSECONDS] ADDRESS=INNER,OUTER */
static const char *named_text(const struct profile *p)
{
    static char text[4096];
    struct buf b = {0};
    for (size_t s = 0; s < p->n_samples; s++) {
        for (size_t i = 0; i < p->n_types; i++)
            assert_true(buf_printf(&b, i ? " %" PRId64 : "%" PRId64,
                                   p->values[s * p->n_types + i]));
        for (size_t i = 0; i < prof_depth(p, s); i++) {
            const struct prof_location *l = &p->locations[prof_stack(p, s)[i]];
            assert_true(buf_printf(&b, " %" PRIx64, l->address));
            for (size_t k = 0; k < l->n_lines; k++) {
                const struct prof_line *line = &p->lines[l->line_off + k];
                uint32_t name = p->functions[line->function].name;
                assert_int_equal(line->line, 0);
                assert_true(
                    buf_printf(&b, "%c%s", k ? ',' : '=', prof_cstr(p, name)));
            }
        }
        assert_true(buf_putc(&b, '\n'));
    }
    assert_true(b.n < sizeof text);
    if (b.n)
        memcpy(text, b.v, b.n);
    text[b.n] = '\0';
    buf_free(&b);
    return text;
}

static void assert_raw(struct gperf_file *f, const struct import_options *opts,
                       const char *samples, const char *mappings,
                       const char *warnings)
{
    struct read_result r;
    read_file_as(&raw_format, f, opts, &r);
    assert_said(r.ok ? "" : r.err.text, "");
    assert_string_equal(named_text(&r.p), samples);
    assert_string_equal(mappings_text(&r.p), mappings);
    assert_said((char *)r.warnings.v, warnings);
    free_result(&r);
}

static void assert_refused(struct gperf_file *f, const char *message)
{
    struct read_result r;
    read_file_as(&raw_format, f, NULL, &r);
    assert_false(r.ok);
    assert_int_equal(r.err.kind, PROF_ERR_INPUT);
    assert_said(r.err.text, message);
    free_result(&r);
}

static void put_rewritten(struct gperf_file *f)
{
    put_text(f, names);
    put_text(f, "--- profile\n");
    put_header(f, 1);
    PUT(f, 3, 3, 0x401000, 0x401fff, 0x403000, 2, 1, 0x401fff);
    PUT(f, 1, 2, 0x401000, 0x402000);
}

/* No period, no end, no mappings; addresses are what they are. */
static void test_local(void **state)
{
    struct gperf_file f = {.size = 8};
    static const char all[] = "0-ffffffffffffffff 0 /usr/bin/app\n";
    put_rewritten(&f);
    assert_true(raw_format.begins(f.bytes.v, f.bytes.n));
    assert_raw(&f, NULL,
               "3 401000=leaf 401fff=inner(int),middle,outer 403000=main\n"
               "2 401fff=inner(int),middle,outer\n"
               "1 401000=leaf 402000\n",
               all, "");

    struct import_options opts = {.period = 250000};
    put_rewritten(&f);
    assert_raw(&f, &opts,
               "3 750000 401000=leaf 401fff=inner(int),middle,outer "
               "403000=main\n"
               "2 500000 401fff=inner(int),middle,outer\n"
               "1 250000 401000=leaf 402000\n",
               all, "");
}

static void test_local_types(void **state)
{
    struct gperf_file f = {.size = 8};
    struct read_result r;
    put_rewritten(&f);
    read_file_as(&raw_format, &f, NULL, &r);
    assert_true(r.ok);
    assert_int_equal(r.p.n_types, 1);
    assert_int_equal(prof_find_type(&r.p, "samples"), 0);
    assert_int_equal(r.p.period, 0);
    assert_true(r.p.mappings[0].has_functions);
    assert_true(r.p.mappings[0].has_inline_frames);
    assert_false(r.p.mappings[0].has_filenames);
    free_result(&r);
}

static void test_local_cut(void **state)
{
    struct gperf_file f = {.size = 8};
    char warning[160];
    put_rewritten(&f);
    f.bytes.n -= 4;
    size_t offset = sizeof names - 1 + 12;
    (void)snprintf(warning, sizeof warning,
                   "in the profile at offset %zu: offset %zu: unexpected end "
                   "of file in a record; 28 bytes skipped\n",
                   offset, f.bytes.n - offset);
    assert_raw(&f, NULL,
               "3 401000=leaf 401fff=inner(int),middle,outer 403000=main\n"
               "2 401fff=inner(int),middle,outer\n",
               "0-ffffffffffffffff 0 /usr/bin/app\n", warning);
}

/* As sent: callers are return addresses, and names are for one less. */
static void test_remote(void **state)
{
    struct gperf_file f = {.size = 4, .big_endian = true};
    put_text(&f, names);
    put_text(&f, "--- profile\n");
    put_header(&f, 10000);
    PUT(&f, 3, 3, 0x401000, 0x402000, 0x403001, 1, 1, 0x401ffe);
    put_end(&f);
    put_text(&f, map_a);
    assert_raw(&f, NULL,
               "3 30000000 401000=leaf 401fff=inner(int),middle,outer "
               "403000=main\n"
               "1 10000000 401ffe\n",
               "400000-500000 0 /a\n", "");
}

/* Other writers ask for the names of return addresses as they are. */
static void test_remote_return_addresses(void **state)
{
    struct gperf_file f = {.size = 8};
    put_text(&f, names);
    put_text(&f, "--- profile\n");
    put_header(&f, 10000);
    /* No leaf has the name of the address behind it. */
    PUT(&f, 1, 2, 0x401000, 0x401fff, 1, 1, 0x402fff);
    put_end(&f);
    put_text(&f, map_a);
    assert_raw(&f, NULL,
               "1 10000000 401000=leaf 401ffe=inner(int),middle,outer\n"
               "1 10000000 402fff\n",
               "400000-500000 0 /a\n", "");
}

/* With a period of 1 us, too: it is the end marker that tells. */
static void test_remote_of_1_us(void **state)
{
    struct gperf_file f = {.size = 8};
    put_text(&f, names);
    put_text(&f, "--- profile\n");
    put_header(&f, 1);
    PUT(&f, 3, 2, 0x401000, 0x402000);
    put_end(&f);
    put_text(&f, map_a);
    assert_raw(&f, NULL, "3 3000 401000=leaf 401fff=inner(int),middle,outer\n",
               "400000-500000 0 /a\n", "");
}

static void test_binary(void **state)
{
    struct gperf_file f = {.size = 8};
    static const char unloaded[] =
        "in the profile at offset 52: 1 of 1 addresses lie outside all listed "
        "mappings (in libraries unloaded before the profile was written?)\n";
    struct import_options opts = {.binary = "./mine"};
    put_text(&f, "--- symbol\nbinary=/a\nbinary= ./app \n---\n--- profile\n");
    put_header(&f, 10000);
    PUT(&f, 1, 1, 0x401000);
    put_end(&f);
    put_text(&f, "600000-700000: /lib/x.so\n");
    struct gperf_file again = {.size = 8};
    assert_true(buf_put(&again.bytes, f.bytes.v, f.bytes.n));
    assert_raw(&f, NULL, "1 10000000 401000\n",
               "0-ffffffffffffffff 0 ./app\n600000-700000 0 /lib/x.so\n",
               unloaded);
    assert_raw(&again, &opts, "1 10000000 401000\n",
               "0-ffffffffffffffff 0 ./mine\n600000-700000 0 /lib/x.so\n",
               unloaded);
}

/* Text kinds, by jeprof's headers and by that of gperftools. */
static void test_text_kinds(void **state)
{
    static const char *const headers[] = {"--- heap\n", "--- profile\n", ""};
    for (size_t i = 0; i < 3; i++) {
        struct gperf_file f = {.size = 8};
        put_text(&f, names);
        put_text(&f, headers[i]);
        put_text(&f, "heap profile: 1: 8 [ 1: 8] @ heapprofile\n"
                     "1: 8 [1: 8] @ 0x401000 0x402000 0x403001\n"
                     "\nMAPPED_LIBRARIES:\n");
        put_text(&f, map_a);
        assert_raw(&f, NULL,
                   "1 8 1 8 400fff=leaf 401fff=inner(int),middle,outer "
                   "403000=main\n",
                   "400000-500000 0 /a\n", "");
    }
}

static void test_odd_lines(void **state)
{
    struct gperf_file f = {.size = 8};
    put_text(&f, "%warn two seconds only\n"
                 "---   symbolic\r\n"
                 "0x401000 old name\r\n"
                 "\r\n"
                 "arch=x86\r\n"
                 "0x00000000000000000401000   new name \r\n"
                 "0x401001\n"
                 "0x402000 ??\r\n"
                 "0x403000 0x0000000000403000\r\n"
                 "401004 no\n"
                 "---end\r\n"
                 "%also this\r\n"
                 "---profile\r\n");
    put_header(&f, 1);
    PUT(&f, 3, 3, 0x401000, 0x402000, 0x403000);
    assert_raw(
        &f, NULL, "3 401000=new name 402000 403000\n",
        "0-ffffffffffffffff 0 \n",
        "line 1: message in the profile: two seconds only\n2 symbol lines "
        "skipped, starting at line 7: no address\nline 12: message in the "
        "profile: %also this\n");
}

static void test_refused(void **state)
{
    struct gperf_file f = {.size = 8};
    assert_refused(&f, "line 0: missing header");
    put_text(&f, "--- heap\n");
    assert_refused(
        &f, "line 1: '--- heap' is not the start of a symbolized profile");
    put_text(&f, "--- symbol\n0x1 a\n");
    assert_refused(&f, "line 2: unexpected end of file in the symbols");
    put_text(&f, names);
    assert_refused(&f, "line 6: no profile after the symbols");
    put_text(&f, names);
    put_text(&f, "--- profile\n");
    static const char none[] =
        "line 7: no profile after the symbols (jeprof --raw of a local file "
        "writes only the symbols; pass the local file itself)";
    assert_refused(&f, none);
    put_text(&f, names);
    put_text(&f, "--- contention\n");
    assert_refused(&f, none);
    put_text(&f, names);
    put_text(&f, "--- profile\nhello\n");
    assert_refused(
        &f, "line 7: '--- profile' is not followed by a known profile format");
    put_text(&f, names);
    put_text(&f, names);
    assert_refused(
        &f, "line 7: '--- symbol' is not followed by a known profile format");
    put_text(&f, names);
    put_text(&f, "--- profile\n");
    PUT(&f, 0, 3, 2, 10000, 0);
    char message[160];
    (void)snprintf(message, sizeof message,
                   "in the profile at offset %zu: offset 16: unsupported "
                   "version 2 (0: native code, 1: Java)",
                   sizeof names - 1 + 12);
    assert_refused(&f, message);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_local),
        cmocka_unit_test(test_local_types),
        cmocka_unit_test(test_local_cut),
        cmocka_unit_test(test_remote),
        cmocka_unit_test(test_remote_return_addresses),
        cmocka_unit_test(test_remote_of_1_us),
        cmocka_unit_test(test_binary),
        cmocka_unit_test(test_text_kinds),
        cmocka_unit_test(test_odd_lines),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
