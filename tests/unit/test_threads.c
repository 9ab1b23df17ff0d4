/*
 * Thread profiles.
 */
#include <string.h>

#include "said.h"
#include "text_file.h"
#include "unit.h"

static const char server[] =
    "--- threadz 1 ---\n"
    "\n"
    "--- Thread 7f794ab90940 (name: main/14748) stack: ---\n"
    "  PC:  0x00401001: helper(arg *)\n"
    "  0x0040be31: main\n"
    "--- Thread 7f794934c700 (name: io/disk/14752) stack: ---\n"
    "  PC: 0x401001 0x402000\n"
    "      0x403000\n"
    "      creator: 0x404000 0x40bd6e\n"
    "--- Thread 7f7948978700 (name: /14759) stack: ---\n"
    "  [same as previous thread]\n"
    "--- Memory map: ---\n"
    "  00400000-00500000: /bin/server\n";

static void test_server(void **state)
{
    struct read_result r;
    read_text(NULL, server, NULL, &r);
    assert_true(r.ok);
    /* The creator's frames are return addresses as well. */
    assert_string_equal(values_text(&r.p),
                        "1 @ 401001 40be30\n"
                        "2 @ 401001 401fff 402fff 403fff 40bd6d\n");
    assert_string_equal(types_text(&r.p), "thread/count every 1 thread/count");
    assert_string_equal(mappings_text(&r.p), "400000-500000 0 /bin/server\n");
    assert_said((char *)r.warnings.v, "");
    assert_non_null(
        strstr(prof_cstr(&r.p, r.p.drop_frames), "ProfileData::Add|"));
    free_result(&r);
}

static void test_labels(void **state)
{
    assert_warned(server, &(struct import_options){.threads = true},
                  "1 @ 401001 40be30 [thread=main] [thread_id=14748]\n"
                  "1 @ 401001 401fff 402fff 403fff 40bd6d [thread=io/disk] "
                  "[thread_id=14752]\n"
                  "1 @ 401001 401fff 402fff 403fff 40bd6d [thread_id=14759]\n",
                  "");
}

static void test_names(void **state)
{
    struct read_result r;
    read_text(NULL, server, NULL, &r);
    assert_int_equal(r.p.n_functions, 2);
    assert_int_equal(r.p.n_lines, 2);
    for (size_t l = 0; l < r.p.n_locations; l++) {
        const struct prof_location *loc = &r.p.locations[l];
        const char *name = loc->address == 0x401001   ? "helper(arg *)"
                           : loc->address == 0x40be30 ? "main"
                                                      : NULL;
        assert_int_equal(loc->n_lines, name ? 1 : 0);
        if (name) {
            uint32_t f = r.p.lines[loc->line_off].function;
            assert_string_equal(prof_cstr(&r.p, r.p.functions[f].name), name);
        }
    }
    assert_true(r.p.mappings[0].has_functions);
    free_result(&r);
    read_text(NULL, server, &(struct import_options){.no_symbols = true}, &r);
    assert_int_equal(r.p.n_functions, 0);
    assert_false(r.p.mappings[0].has_functions);
    free_result(&r);
}

#define THREAD "--- Thread 7f (name: a/1) stack: ---\n"
#define MAPS "MAPPED_LIBRARIES:\n8-10000 /bin/a\n"

static void test_shapes(void **state)
{
    /* Without the first header; with lines before the first thread. */
    assert_warned("# text\n" THREAD "PC: 0x20 0x31\n" MAPS, NULL, "1 @ 20 30\n",
                  "");
    assert_warned("--- threadz 1 ---\nTaken at 0x10 o'clock\n" THREAD
                  "PC: 0x20\n" MAPS,
                  NULL, "1 @ 20\n", "");
    /* As debuggers number frames: no comments. */
    assert_warned(THREAD "#0 0x20 in f ()\n#1  0x31 in g ()\n" MAPS, NULL,
                  "1 @ 20 30\n", "");
    /* The leaf once more, found by unwinding. */
    assert_warned(THREAD "PC: 0x20 0x20 0x31\n" MAPS, NULL, "1 @ 20 30\n", "");
    assert_warned(THREAD "PC: 0x20 0x21 0x31\n" MAPS, NULL, "1 @ 20 20 30\n",
                  "");
    /* A name with a number in it. */
    assert_warned(THREAD "PC: 0x20: f<0x99>(int)\n0x31: g\n" MAPS, NULL,
                  "1 @ 20 30\n", "");
    /* One that is like what a log puts in front of lines. */
    assert_warned("--- Thread 7f (name: a:1] b/1) stack: ---\nPC: 0x20\n" MAPS,
                  NULL, "1 @ 20\n", "");
    /* No thread. */
    assert_warned("--- threadz 1 ---\n" MAPS, NULL, "", "");
    assert_warned("--- threadz 1 ---\n", NULL, "", "no list of mappings\n");
}

static void test_warnings(void **state)
{
    assert_warned(THREAD "PC: 0x20\n" THREAD MAPS, NULL, "1 @ 20\n1 @\n",
                  "1 thread without a stack kept as a sample without frames\n");
    assert_warned(THREAD "[same as previous thread]\n" MAPS, NULL, "1 @\n",
                  "1 thread without a stack kept as a sample without frames\n");
    assert_warned(THREAD "PC: 0x20\n" THREAD "[same as previous thread]\n"
                         "creator: 0x30 0x40\n" MAPS,
                  NULL, "2 @ 20\n",
                  "2 addresses skipped in threads that repeat the stack of the "
                  "previous thread\n");
    assert_warned(THREAD "PC: 0x20: f\n0x0: g\n0x31\n" MAPS, NULL,
                  "1 @ 20 30\n", "1 caller at address 0 skipped\n");
    assert_warned(THREAD "PC: 0x20 0x0 0x31\n" MAPS, NULL, "1 @ 20 30\n",
                  "1 caller at address 0 skipped\n");
    assert_warned(THREAD "PC: 0x20\n---- no stack trace for 3 threads ----\n"
                         "  17, 18, 19\n" THREAD "PC: 0x30\n" MAPS,
                  NULL, "1 @ 20\n1 @ 30\n",
                  "line 3: '---- no stack trace for 3 threads ----' is all "
                  "the file contains about these threads\n");
    assert_warned(THREAD "PC: 0x20\n", NULL, "1 @ 20\n",
                  "no list of mappings\n");
    assert_warned(THREAD "PC: 0x20 0x3", NULL, "1 @ 20 2\n",
                  "line 2: unexpected end of file; the last address may be "
                  "truncated\nno list of mappings\n");
}

static void test_errors(void **state)
{
    assert_wrong("threads", "", "not a thread profile: no header in line 1");
    assert_wrong("threads", "hello\n",
                 "line 1: 'hello' is not a thread profile header");
    assert_wrong(NULL, "--- Thread main (name: a/1) stack: ---\n" MAPS,
                 "line 1: '--- Thread main (name: a/1) stack: ---' is not the "
                 "first line of a thread");
    assert_wrong(NULL, "--- Thread 7f (name: a) stack: ---\n" MAPS,
                 "line 1: '--- Thread 7f (name: a) stack: ---' is not the "
                 "first line of a thread");
    assert_wrong(NULL, THREAD "PC: 0x20\n--- End ---\n" MAPS,
                 "line 3: '--- End ---' is not the first line of a thread");
    assert_wrong(NULL, THREAD "PC: 0x20 0x12345678123456781\n" MAPS,
                 "line 2: 'PC: 0x20 0x12345678123456781' has an address that "
                 "does not fit 64 bits");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_server),   cmocka_unit_test(test_labels),
        cmocka_unit_test(test_names),    cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_warnings), cmocka_unit_test(test_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
