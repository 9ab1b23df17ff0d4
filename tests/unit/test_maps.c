/*
 * The list of mappings at the end of gperftools profiles.  Where the values
 * are those that google/pprof gives for the same list, the case says so.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "formats/maps.h"
#include "gperf_file.h"
#include "said.h"
#include "unit.h"

/* A profile of n locations, after the text is read. */
static void read_maps(struct profile *p, const char *text,
                      const uint64_t *addresses, size_t n)
{
    struct prof_err err;
    assert_true(prof_init(p, &err));
    for (size_t i = 0; i < n; i++) {
        struct prof_location l = {.address = addresses[i],
                                  .mapping = PROF_NONE};
        assert_true(prof_add_location(p, &l, NULL, 0, NULL, &err));
    }
    assert_true(maps_read((struct prof_slice){text, strlen(text)}, p, NULL,
                          NULL, &err));
}

static void assert_maps(const char *text, const char *mappings)
{
    struct profile p;
    read_maps(&p, text, NULL, 0);
    assert_string_equal(mappings_text(&p), mappings);
    prof_free(&p);
}

static void test_proc_lines(void **state)
{
    assert_maps("", "");
    assert_maps("00400000-00500000 r-xp 00001000 08:01 1234       /bin/a\n",
                "400000-500000 1000 /bin/a\n");
    assert_maps("00400000-00500000 rwxp 00000000 00:00 0          \n",
                "400000-500000 0 \n");
    /* Only those with x are code. */
    assert_maps("800000-801000 r--p 00000000 08:01 12 /bin/a\n"
                "801000-802000 r-xs 00001000 08:01 12 /bin/a\n"
                "802000-803000 rw-s 00002000 08:01 12 /bin/a\n",
                "801000-802000 1000 /bin/a\n");
    assert_maps("  0x400000-0x500000: r-xp 0 fe:00 7 /bin/a\r\n",
                "400000-500000 0 /bin/a\n");
    assert_maps("400000 500000 r-xp 2000 08:01 7 /bin/a",
                "400000-500000 2000 /bin/a\n");
    assert_maps("ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0 "
                "[vsyscall]\n",
                "ffffffffff600000-ffffffffff601000 0 [vsyscall]\n");
    assert_maps("7ff600000000-7ff600010000 r-xp 00000000 00:00 0 "
                "C:\\tools\\012\\a.exe\n",
                "7ff600000000-7ff600010000 0 C:\\tools\\012\\a.exe\n");
}

static void test_names(void **state)
{
    assert_maps("400000-500000 r-xp 0 08:01 7 /opt/my app/a  b\n",
                "400000-500000 0 /opt/my app/a  b\n");
    assert_maps("400000-500000 r-xp 0 08:01 7 /bin/a (deleted)\n",
                "400000-500000 0 /bin/a\n");
    assert_maps("400000-500000 r-xp 0 08:01 7 /my app (deleted)\n",
                "400000-500000 0 /my app\n");
    /* The kernel's "\012" for a newline stays. */
    assert_maps("400000-500000 r-xp 0 08:01 7 /a\\012b\n",
                "400000-500000 0 /a\\012b\n");
    assert_maps("400000-500000 r-xp 0 08:01 7 //anon\n",
                "400000-500000 0 //anon\n");
}

/* The first four are google/pprof's own test cases' shapes. */
static void test_brief_lines(void **state)
{
    assert_maps("700000-701000: /lib/x.so.1\n",
                "700000-701000 0 /lib/x.so.1\n");
    assert_maps("0x710000-0x711000 /path/bin (@FF00) abc123456\n",
                "710000-711000 ff00 /path/bin abc123456\n");
    assert_maps("720000 721000 r-xp /bin/a\n", "720000-721000 0 /bin/a\n");
    assert_maps("30000-40000 /bin/a deadbeef\n",
                "30000-40000 0 /bin/a deadbeef\n");
    assert_maps("30000-40000 /bin/a (@1000)\n", "30000-40000 1000 /bin/a\n");
    assert_maps("30000-40000 /my app (@1000) 0f\n",
                "30000-40000 1000 /my app 0f\n");
    assert_maps("30000-40000 /my app\n", "30000-40000 0 /my app\n");
    assert_maps("30000-40000\n", "30000-40000 0 \n");
    assert_maps("30000-40000 r--p /bin/a\n", "");
}

static void test_logged_lines(void **state)
{
    assert_maps("I0102 12:34:56.789 12 file.cc:42] 30000-40000: /bin/a\n",
                "30000-40000 0 /bin/a\n");
    assert_maps("30000-40000 r-xp 0 08:01 7 [a:42] b\n",
                "30000-40000 0 [a:42] b\n");
}

static void keep_note(void *ctx, enum prof_note_level level, const char *text)
{
    assert_true(buf_printf(ctx, "%d %s\n", (int)level, text));
}

static void test_other_lines(void **state)
{
    static const char text[] = "\n"
                               "beef\n"
                               "40000-30000 r-xp 0 08:01 7 /bin/a\n"
                               "30000-30000: /bin/a\n"
                               "30000-40000x: /bin/a\n"
                               "30000+40000: /bin/a\n"
                               "11112222333344445-6: /bin/a\n"
                               "build/a=3\n"
                               "   \n"
                               "50000-60000: /bin/b";
    struct buf notes_text = {0};
    struct prof_notes notes = {.say = keep_note, .ctx = &notes_text};
    struct profile p;
    struct prof_err err;
    assert_true(prof_init(&p, &err));
    assert_true(maps_read((struct prof_slice){text, strlen(text)}, &p, NULL,
                          &notes, &err));
    assert_string_equal(mappings_text(&p), "50000-60000 0 /bin/b\n");
    assert_true(buf_putc(&notes_text, '\0'));
    assert_string_equal(
        (char *)notes_text.v,
        "2 7 lines of the list of mappings skipped, starting at line 2: "
        "neither mappings nor variables\n2 unexpected end of file in line 10 "
        "of the list of mappings; the last mapping may be truncated\n");
    buf_free(&notes_text);
    prof_free(&p);
}

static void test_variables(void **state)
{
    assert_maps("build=/home/me\n"
                " source = /src\n"
                "10000-20000: $build/a\n"
                "30000-40000: $builder/b\n"
                "50000-60000: $build.d/$source$build\n"
                "70000-80000: $none/$\n",
                "10000-20000 0 /home/me/a\n"
                "30000-40000 0 $builder/b\n"
                "50000-60000 0 /home/me.d//src/home/me\n"
                "70000-80000 0 $none/$\n");
    assert_maps("10000-20000: $b/a\nb=x\n30000-40000: $b/a\nb=\n"
                "50000-60000: $b/a\n",
                "10000-20000 0 $b/a\n"
                "30000-40000 0 x/a\n"
                "50000-60000 0 /a\n");
}

/* A value is what is written, and the list has 16 of them. */
static void test_variables_few(void **state)
{
    struct buf text = {0}, notes_text = {0};
    struct prof_notes notes = {.say = keep_note, .ctx = &notes_text};
    struct profile p;
    struct prof_err err;
    assert_true(buf_puts(&text, "v0=/a\n"));
    for (int i = 1; i < 18; i++)
        assert_true(buf_printf(&text, "v%d=$v%d\n", i, i - 1));
    assert_true(buf_puts(&text, "10000-20000: $v0\n30000-40000: $v15\n"
                                "50000-60000: $v16\n"));
    assert_true(prof_init(&p, &err));
    assert_true(maps_read((struct prof_slice){(char *)text.v, text.n}, &p, NULL,
                          &notes, &err));
    assert_string_equal(mappings_text(&p), "10000-20000 0 /a\n"
                                           "30000-40000 0 $v14\n"
                                           "50000-60000 0 $v16\n");
    assert_true(buf_putc(&notes_text, '\0'));
    assert_string_equal(
        (char *)notes_text.v,
        "2 2 lines of the list of mappings skipped: more than 16 variables\n");
    buf_free(&text);
    buf_free(&notes_text);
    prof_free(&p);
}

/* Values must not fill the memory: a list of n bytes gets 1 MiB + 16 n. */
static void test_variables_bounded(void **state)
{
    struct buf text = {0};
    struct profile p;
    struct prof_err err;
    assert_true(buf_puts(&text, "v="));
    for (int i = 0; i < 6000; i++)
        assert_true(buf_puts(&text, "0123456789"));
    for (int i = 1; i < 40; i++)
        assert_true(buf_printf(&text, "\n%x-%x: $v", i << 16, (i + 1) << 16));
    assert_true(prof_init(&p, &err));
    assert_false(maps_read((struct prof_slice){(char *)text.v, text.n}, &p,
                           NULL, NULL, &err));
    /* (1 MiB + 16 * 60,680) / 60,000 is 33.6, and line 1 sets the value. */
    assert_said(err.text,
                "line 35 of the list of mappings: its variables expand the "
                "list to more than 16 times its size");
    buf_free(&text);
    prof_free(&p);
}

/* As google/pprof, but for what stands between the main binary's places. */
static void test_main_first(void **state)
{
    assert_maps("10000-20000: /lib/a.so\n"
                "30000-40000: [vdso]\n"
                "50000-60000: /lib/b.so.1 (deleted)\n"
                "70000-80000: /lib/c.so_2x\n"
                "90000-a0000:\n"
                "b0000-c0000: /bin/main\n"
                "d0000-e0000: /bin/other\n",
                "b0000-c0000 0 /bin/main\n"
                "10000-20000 0 /lib/a.so\n"
                "30000-40000 0 [vdso]\n"
                "50000-60000 0 /lib/b.so.1\n"
                "70000-80000 0 /lib/c.so_2x\n"
                "90000-a0000 0 \n"
                "d0000-e0000 0 /bin/other\n");
    assert_maps("10000-20000: /bin/my.soap\n", "10000-20000 0 /bin/my.soap\n");
    assert_maps("10000-20000: /lib/a.so\n30000-40000: /bin/my.some.so.x\n",
                "30000-40000 0 /bin/my.some.so.x\n"
                "10000-20000 0 /lib/a.so\n");
}

static void test_joined(void **state)
{
    /* One name and offsets that go on. */
    assert_maps("10000-20000 r-xp 1000 08:01 7 /bin/a\n"
                "20000-30000 rwxp 11000 08:01 7 /bin/a\n"
                "30000-40000 r-xp 22000 08:01 7 /bin/a\n",
                "10000-30000 1000 /bin/a\n"
                "30000-40000 22000 /bin/a\n");
    /* One of the offsets is not given. */
    assert_maps("10000-20000 r-xp 0 08:01 7 /bin/a\n"
                "20000-30000 r-xp 22000 08:01 7 /bin/a\n",
                "10000-30000 0 /bin/a\n");
    /* Not neighbours; other names; none (pprof would join these). */
    assert_maps("10000-20000: /bin/a\n20001-30000: /bin/a\n"
                "30000-40000: /bin/b\n40000-50000:\n50000-60000:\n",
                "10000-20000 0 /bin/a\n"
                "20001-30000 0 /bin/a\n"
                "30000-40000 0 /bin/b\n"
                "40000-60000 0 \n");
    /* Build ids differ, or only one is known. */
    assert_maps("10000-20000 /bin/a aa\n20000-30000 /bin/a bb\n"
                "30000-40000 /bin/a\n",
                "10000-20000 0 /bin/a aa\n"
                "20000-40000 0 /bin/a bb\n");
    assert_maps("10000-20000 /bin/a\n20000-30000 /bin/a bb\n",
                "10000-30000 0 /bin/a bb\n");
}

/* As google/pprof. */
static void test_first_mapping(void **state)
{
    /* A program linked to 0x400000, whose code begins a page later. */
    assert_maps("401000-405000 r-xp 00001000 08:01 7 /bin/a\n",
                "400000-405000 0 /bin/a\n");
    assert_maps("555555555000-555555556000 r-xp 00001000 08:01 7 /bin/a\n",
                "555555555000-555555556000 1000 /bin/a\n");
    /* Only the first mapping. */
    assert_maps("10000-20000: /bin/a\n"
                "401000-405000 r-xp 00001000 08:01 7 /bin/b\n",
                "10000-20000 0 /bin/a\n"
                "401000-405000 1000 /bin/b\n");
    assert_maps("10000-20000 r-xp 0 00:0e 9 /anon_hugepage (deleted)\n"
                "20000-30000 r-xp 10000 08:01 7 /bin/a\n",
                "20000-30000 10000 /bin/a\n");
    /* Huge pages are not the main binary. */
    assert_maps("10000-20000 r-xp 0 00:0e 9 /anon_hugepage (deleted)\n"
                "20001-30000 r-xp 10000 08:01 7 /bin/a\n",
                "20001-30000 10000 /bin/a\n"
                "10000-20000 0 /anon_hugepage\n");
}

static void test_moved_code(void **state)
{
    assert_maps("401000-404000 r-xp 00001000 08:01 7 /bin/a\n"
                "404000-406000 r-xp 00000000 00:00 0\n"
                "406000-407000 r-xp 00006000 08:01 7 /bin/a\n"
                "407000-408000 r-xp 00000000 00:0e 9 /anon_hugepage (deleted)\n"
                "408000-409000 r-xp 00008000 08:01 7 /bin/a\n",
                "400000-409000 0 /bin/a\n");
    /* Another file, an offset that does not go on, a gap, nothing behind. */
    assert_maps("10000-11000 r-xp 00001000 08:01 7 /bin/a\n"
                "11000-12000 r-xp 00000000 00:00 0\n"
                "12000-13000 r-xp 00003000 08:01 8 /bin/b\n"
                "13000-14000 r-xp 00000000 00:00 0\n"
                "14000-15000 r-xp 00004000 08:01 8 /bin/b\n"
                "15000-16000 r-xp 00000000 00:00 0\n"
                "16001-17000 r-xp 00006000 08:01 8 /bin/b\n"
                "17000-18000 r-xp 00000000 00:00 0\n",
                "10000-11000 1000 /bin/a\n"
                "11000-12000 0 \n"
                "12000-13000 3000 /bin/b\n"
                "13000-14000 0 \n"
                "14000-15000 4000 /bin/b\n"
                "15000-16000 0 \n"
                "16001-17000 6000 /bin/b\n"
                "17000-18000 0 \n");
}

static const char overlapping[] = "20000-30000 r-xp 8000 08:01 7 /bin/a\n"
                                  "10000-28000 r-xp 4000 08:01 8 /bin/b\n"
                                  "50000-60000 r-xp 0 08:01 9 /bin/c\n";

/* The mappings (from 1, 0 for none) that these addresses are given. */
static void assert_located(const char *text, const uint64_t *addresses,
                           const char *mappings, size_t n)
{
    struct profile p;
    read_maps(&p, text, addresses, n);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(p.locations[i].mapping + 1, mappings[i] - '0');
    prof_free(&p);
}

#define LOCATED(text, mappings, ...)                                           \
    assert_located((text), (const uint64_t[]){__VA_ARGS__}, (mappings),        \
                   sizeof(mappings) - 1)

/* As google/pprof: the first in the list that holds the address. */
static void test_locate(void **state)
{
    LOCATED(overlapping, "112213322", 0x20000, 0x2ffff, 0x1ffff, 0x10000,
            0x27fff, 0x50000, 0x5ffff, 0x18000, 0x17fff);
    /* In none: above all, between, and at 0, which none is looked for. */
    LOCATED(overlapping, "44034", 0x60000, 0x30000, 0, 0x50000, 1);
    LOCATED(overlapping, "4", UINT64_MAX);
    LOCATED("", "1101", 1, 2, 0, 3);
    LOCATED("0-1000: /bin/a\n", "01", 0, 1);
}

/* As google/pprof: a mapping grows to where its file would begin. */
static void test_locate_below(void **state)
{
    static const uint64_t three[] = {0xc000, 0xffff, 0x18000};
    struct profile p;
    read_maps(&p, overlapping, three, 3);
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(p.locations[i].mapping, 1);
    assert_string_equal(mappings_text(&p), "20000-30000 8000 /bin/a\n"
                                           "c000-28000 0 /bin/b\n"
                                           "50000-60000 0 /bin/c\n");
    prof_free(&p);
    LOCATED(overlapping, "4", 0xbfff);

    /* Below two of them it is the first, whatever address comes first. */
    static const char two[] = "40000-50000 r-xp 20000 08:01 7 /bin/a\n"
                              "60000-70000 r-xp 30000 08:01 8 /bin/b\n";
    LOCATED(two, "12", 0x35000, 0x55000);
    LOCATED(two, "21", 0x55000, 0x35000);
    LOCATED(two, "312", 0x90000, 0x35000, 0x55000);
    /* An offset beyond address 0 reaches nothing. */
    LOCATED("10000-20000 r-xp 10001 08:01 7 /bin/a\n", "2", 0xffff);
}

/* Ten thousand mappings that all overlap are no work for each address. */
static void test_locate_many(void **state)
{
    enum { N = 10000 };
    static uint64_t addresses[N];
    struct buf text = {0};
    struct profile p;
    for (unsigned i = 0; i < N; i++) {
        assert_true(buf_printf(&text, "%x-%x: /bin/m%u\n", 0x100000 - i * 16,
                               0x100000 + i * 16 + 16, i));
        addresses[i] = 0x100000 + (uint64_t)i * 16 + 8;
    }
    assert_true(buf_putc(&text, '\0'));
    read_maps(&p, (char *)text.v, addresses, N);
    for (unsigned i = 0; i < N; i++)
        assert_int_equal(p.locations[i].mapping, i);
    buf_free(&text);
    prof_free(&p);
}

static void assert_named(const char *text, uint64_t address,
                         const char *mappings, unsigned mapping,
                         const char *notes_wanted)
{
    struct buf notes_text = {0};
    struct prof_notes notes = {.say = keep_note, .ctx = &notes_text};
    struct profile p;
    struct prof_err err;
    read_maps(&p, text, &address, 1);
    assert_true(
        maps_name_main(&p, (struct prof_slice){"prog", 4}, &notes, &err));
    assert_string_equal(mappings_text(&p), mappings);
    assert_int_equal(p.locations[0].mapping, mapping);
    assert_true(buf_putc(&notes_text, '\0'));
    assert_string_equal((char *)notes_text.v, notes_wanted);
    buf_free(&notes_text);
    prof_free(&p);
}

static void test_name_main(void **state)
{
    assert_named("10000-20000: /bin/a\n", 0x10000, "10000-20000 0 prog\n", 0,
                 "");
    /* A list without names, or without the program, or none at all. */
    assert_named("10000-20000:\n30000-40000:\n", 0x30000,
                 "10000-20000 0 prog\n30000-40000 0 \n", 1, "");
    assert_named("10000-20000: /lib/a.so\n", 0x30000,
                 "0-ffffffffffffffff 0 prog\n10000-20000 0 /lib/a.so\n", 0, "");
    assert_named("", 0x30000, "0-ffffffffffffffff 0 prog\n", 0, "");
    assert_named("10000-20000: /lib/a.so\n", 0x10000,
                 "10000-20000 0 /lib/a.so\n", 0,
                 "1 no mapping of a main binary; -e prog has no effect\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_proc_lines),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_brief_lines),
        cmocka_unit_test(test_logged_lines),
        cmocka_unit_test(test_other_lines),
        cmocka_unit_test(test_variables),
        cmocka_unit_test(test_variables_few),
        cmocka_unit_test(test_variables_bounded),
        cmocka_unit_test(test_main_first),
        cmocka_unit_test(test_joined),
        cmocka_unit_test(test_first_mapping),
        cmocka_unit_test(test_moved_code),
        cmocka_unit_test(test_locate),
        cmocka_unit_test(test_locate_below),
        cmocka_unit_test(test_locate_many),
        cmocka_unit_test(test_name_main),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
