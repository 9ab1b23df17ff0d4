/*
 * Binary DCPI profiles: header, chunks, footer.  Expected values are worked
 * out from the format's description: address = tstart + offset + 4 * k,
 * events = samples * period, nanoseconds = cycles * 1000 / MHz.
 *
 * What a reader of DCPI profiles has to get right, by the numbers that
 * comments on tests here, in test_dcpi_text.c and test_dcpi_join.c have:
 *    1  the description's example          vector, vector_header
 *    2  a footer that does not fit         footer_mismatch, footer_wraps
 *    3  no version, no text start          missing_lines
 *    4  version 1 is refused with advice   versions, header_only
 *    5  what may follow `samples`          samples_line
 *    6  no `samples`                       samples_line
 *    7  lines that end in CR LF            crlf
 *    8  lines twice, unknown lines         header_lines
 *    9  chunks that cannot be              bad_chunks
 *   10  cut ends                           ends
 *   11  chunks beyond the text             beyond_text
 *   12  no chunks at all                   ends
 *   13  forms of the epoch                 epochs
 *   14  events, ProfileMe, fractions       events, profileme, fraction_zero
 *   15  lines with a wrong number          bad_lines
 *   16  dumps one after another            two_images
 *   17  samples of no known image          unknown_image, unknown_binary
 *   18  large counts and sums              footer_wraps, overflow, rounding
 *   19  images at the same addresses       two_images, no_identifier
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "dcpi_try.h"

/* The example's chunks: 29, 0, 0 at +0x6cbb8 and 10, 1, 2 at +0x6cbd0. */
#define CHUNKS 0x6cbb8, 3, 29, 0, 0, 0x6cbd0, 3, 10, 1, 2
#define FOOTER 4, 42

/* Item 1 */
static void vector(void **state)
{
    (void)state;
    struct dcpi_try t = {0};
    char types[256];
    /* The last header line is padded to a multiple of 4 bytes. */
    try_text(&t, DCPI_HEADER "samples  \n");
    TRY_WORDS(&t, CHUNKS, FOOTER);
    assert_true(try_run(&t));
    assert_int_equal(t.said.n, 0);
    assert_string_equal(try_types(&t, types),
                        "samples/count cycles/count cpu/nanoseconds");
    assert_int_equal(t.p.n_samples, 4);
    assert_int_equal(try_value(&t, 0, 0x12006cbb8, "samples"), 29);
    assert_int_equal(try_value(&t, 0, 0x12006cbd0, "samples"), 10);
    assert_int_equal(try_value(&t, 0, 0x12006cbd4, "samples"), 1);
    assert_int_equal(try_value(&t, 0, 0x12006cbd8, "samples"), 2);
    assert_int_equal(try_value(&t, 0, 0x12006cbb8, "cycles"), 1841152);
    /* 1841152 cycles at 433 MHz: 4252083.14 ns; 63488: 146623.56 */
    assert_int_equal(try_value(&t, 0, 0x12006cbb8, "cpu"), 4252083);
    assert_int_equal(try_value(&t, 0, 0x12006cbd4, "cpu"), 146624);
    try_free(&t);
}

/* Item 1, what is not counts. */
static void vector_header(void **state)
{
    (void)state;
    struct dcpi_try t = {0};
    try_text(&t, DCPI_HEADER "samples\n");
    TRY_WORDS(&t, CHUNKS, FOOTER);
    assert_true(try_run(&t));
    const struct profile *p = &t.p;
    assert_int_equal(p->n_mappings, 1);
    assert_int_equal(p->mappings[0].start, 0x120000000);
    assert_int_equal(p->mappings[0].limit, 0x120800000);
    assert_int_equal(p->mappings[0].offset, 0);
    assert_string_equal(prof_cstr(p, p->mappings[0].filename),
                        "/usr/bin/vector");
    assert_string_equal(prof_cstr(p, p->mappings[0].build_id),
                        "19970328081403c0c18b");
    assert_int_equal(p->period, 63488);
    assert_string_equal(prof_cstr(p, p->period_type.type), "cycles");
    assert_string_equal(prof_cstr(p, p->period_type.unit), "count");
    assert_string_equal(prof_cstr(p, p->default_sample_type), "cycles");
    /* 1998-05-19 17:24 UTC */
    assert_int_equal(p->time_nanos, 895598640 * INT64_C(1000000000));
    assert_int_equal(p->duration_nanos, 0);
    assert_int_equal(p->labelset_off[p->labelset[0] + 1] -
                         p->labelset_off[p->labelset[0]],
                     1);
    const struct prof_label *l = &p->labels[p->labelset_off[p->labelset[0]]];
    assert_string_equal(prof_cstr(p, l->key), "platform");
    assert_string_equal(prof_cstr(p, l->str), "walnut");
    static const char *const comments[] = {
        "# dcpi:cpuspeed 433", "# dcpi:epoch 9805191724",
        "# dcpi:event cycles:63488:10000", "# dcpi:platform walnut",
        "# dcpi:version pdb-0.07"};
    assert_int_equal(p->n_comments, 5);
    for (size_t i = 0; i < 5; i++)
        assert_string_equal(prof_cstr(p, p->comments[i]), comments[i]);
    try_free(&t);
}

/* Item 2: both numbers, and an error only if strict. */
static void footer_mismatch(void **state)
{
    (void)state;
    static const struct {
        uint32_t addresses, samples;
        const char *text;
    } wrong[] = {
        {5, 42, "the footer has 5 addresses, but the chunks have 4"},
        {4, 43, "the footer has 43 samples, but the chunks have 42"},
    };
    for (size_t i = 0; i < 4; i++) {
        struct dcpi_try t = {.strict = i >= 2};
        try_text(&t, DCPI_HEADER "samples\n");
        TRY_WORDS(&t, CHUNKS, wrong[i % 2].addresses, wrong[i % 2].samples);
        assert_int_equal(try_run(&t), !t.strict);
        if (t.strict)
            assert_true(try_failed(&t, wrong[i % 2].text));
        else
            assert_true(try_said(&t, wrong[i % 2].text));
        try_free(&t);
    }
}

/* Item 2: total_samples has 32 bits: 2 * 0xffffffff is 0xfffffffe in it. */
static void footer_wraps(void **state)
{
    (void)state;
    struct dcpi_try t = {0};
    try_text(&t, DCPI_HEADER "samples\n");
    TRY_WORDS(&t, 0, 2, UINT32_MAX, UINT32_MAX, 2, 0xfffffffe);
    assert_true(try_run(&t));
    assert_int_equal(t.said.n, 0);
    /* Item 18: 4294967295 * 63488 */
    assert_int_equal(try_value(&t, 0, 0x120000000, "cycles"), 272678883624960);
    try_free(&t);
}

/* The example's header without the lines that begin with `word`. */
static void header_without(struct dcpi_try *t, const char *word)
{
    static const char header[] = DCPI_HEADER;
    for (const char *s = header; *s; s = strchr(s, '\n') + 1)
        if (strncmp(s, word, strlen(word)) != 0)
            assert_true(buf_put(&t->in, s, (size_t)(strchr(s, '\n') + 1 - s)));
}

/* A file of the format without some lines, and with another first one. */
static void try_without(struct dcpi_try *t, const char *first, bool tstart,
                        uint32_t samples)
{
    static const char header[] = DCPI_HEADER;
    try_text(t, first);
    for (const char *s = header; *s; s = strchr(s, '\n') + 1)
        if (strncmp(s, "version", 7) != 0 &&
            (tstart || strncmp(s, "tstart", 6) != 0))
            assert_true(buf_put(&t->in, s, (size_t)(strchr(s, '\n') + 1 - s)));
    try_text(t, "samples\n");
    TRY_WORDS(t, CHUNKS, 4, samples);
}

/* The footer's totals, 4 addresses and 42 samples, stand for the version. */
static void proven_by_totals(void **state)
{
    (void)state;
    static const char *const firsts[] = {"", "version 0.07\n",
                                         "version 0.06\n"};
    static const char *const words[] = {"the header has no version line: read",
                                        "no 'pdb-' in the version line: read",
                                        "no 'pdb-' in the version line: read"};
    for (size_t i = 0; i < sizeof firsts / sizeof *firsts; i++) {
        struct dcpi_try t = {0};
        try_without(&t, firsts[i], false, 42);
        assert_true(dcpi_converter.member_begins(t.in.v, t.in.n));
        assert_true(try_run(&t));
        assert_true(try_said(&t, words[i]));
        assert_true(try_said(&t, "the header has no tstart line; addresses"));
        assert_int_equal(t.p.n_samples, 4);
        assert_int_equal(t.p.mappings[0].start, 0);
        assert_int_equal(try_value(&t, 0, 0x6cbb8, "samples"), 29);
        try_free(&t);
        try_without(&t, firsts[i], true, 42);
        t.strict = true;
        assert_false(try_run(&t));
        assert_true(try_failed(&t, words[i]));
        try_free(&t);
        t.strict = false;
        try_without(&t, firsts[i], true, 43);
        assert_false(try_run(&t));
        assert_true(try_failed(&t, "and the footer's totals do not match"));
        try_free(&t);
        t.opts.assume_version = true;
        try_without(&t, firsts[i], true, 43);
        assert_true(try_run(&t));
        assert_true(try_said(&t, "the footer has 43 samples"));
        try_free(&t);
    }
}

/* Item 3 */
static void missing_lines(void **state)
{
    (void)state;
    struct dcpi_try t = {0};
    t.opts.assume_version = true;
    header_without(&t, "version");
    try_text(&t, "samples\n");
    TRY_WORDS(&t, CHUNKS, FOOTER);
    assert_true(try_run(&t));
    assert_int_equal(t.p.n_samples, 4);
    try_free(&t);

    t.opts.has_text_start = true;
    t.opts.text_start = 0x140000000;
    header_without(&t, "tstart");
    try_text(&t, "samples\n");
    TRY_WORDS(&t, CHUNKS, FOOTER);
    assert_true(try_run(&t));
    assert_int_equal(t.p.mappings[0].start, 0x140000000);
    assert_int_equal(try_value(&t, 0, 0x14006cbb8, "samples"), 29);
    try_free(&t);

    header_without(&t, "event");
    try_text(&t, "samples\n");
    TRY_WORDS(&t, CHUNKS, FOOTER);
    assert_false(try_run(&t));
    assert_true(try_failed(&t, "the header has no event line"));
    try_free(&t);
}

/* What the documents require and the profile can do without. */
static void missing_lesser_lines(void **state)
{
    (void)state;
    static const char *const word[] = {"image", "epoch", "platform", "tsize"};
    char text[64];
    for (size_t i = 0; i < 4; i++) {
        struct dcpi_try t = {0};
        (void)snprintf(text, sizeof text, "the header has no %s line", word[i]);
        header_without(&t, word[i]);
        try_text(&t, "samples\n");
        TRY_WORDS(&t, CHUNKS, FOOTER);
        assert_true(try_run(&t));
        assert_true(try_said(&t, text));
        assert_int_equal(try_value(&t, 0, 0x12006cbb8, "samples"), 29);
        try_free(&t);
        t.strict = true;
        header_without(&t, word[i]);
        try_text(&t, "samples\n");
        TRY_WORDS(&t, CHUNKS, FOOTER);
        assert_false(try_run(&t));
        assert_true(try_failed(&t, text));
        try_free(&t);
    }
    /* Without a period there are samples, but no events. */
    struct dcpi_try t = {0};
    char types[256];
    header_without(&t, "period");
    try_text(&t, "samples\n");
    TRY_WORDS(&t, CHUNKS, FOOTER);
    assert_true(try_run(&t));
    assert_true(try_said(&t, "no sampling period"));
    assert_string_equal(try_types(&t, types), "samples/count");
    assert_string_equal(prof_cstr(&t.p, t.p.default_sample_type), "samples");
    try_free(&t);
}

/* Item 4 */
static void versions(void **state)
{
    (void)state;
    static const struct {
        const char *version, *text;
    } refused[] = {
        {"pdb-1.01", "unsupported DCPI profile version 1.01: its binary layout "
                     "was never published; run 'dcpicat FILE > FILE.txt' on "
                     "the original system and convert the result"},
        {"pdb-2.00", "DCPI profile version 2.00: its binary layout was never"},
        {"pdb-0.05",
         "unsupported DCPI profile version 0.05 (supported: 0.06, 0.07)"},
        {"pdb-x", "line 1: invalid version 'pdb-x'"},
        {"1.01", "DCPI profile version 1.01: its binary layout was never"},
        {"0.7x", "line 1: invalid version '0.7x'"},
        {".7", "line 1: invalid version '.7'"},
    };
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        struct dcpi_try t = {0};
        try_text(&t, "version ");
        try_text(&t, refused[i].version);
        try_text(&t, "\n");
        header_without(&t, "version");
        try_text(&t, "samples\n");
        TRY_WORDS(&t, CHUNKS, FOOTER);
        assert_false(try_run(&t));
        assert_true(try_failed(&t, refused[i].text));
        try_free(&t);
    }
    struct dcpi_try t = {0};
    try_text(&t, "version\tpdb-0.06\n");
    header_without(&t, "version");
    try_text(&t, "samples\n");
    TRY_WORDS(&t, CHUNKS, FOOTER);
    assert_true(try_run(&t));
    assert_int_equal(t.p.n_samples, 4);
    try_free(&t);
}

/* Items 5 and 6 */
static void samples_line(void **state)
{
    (void)state;
    struct dcpi_try t = {0};
    try_text(&t, DCPI_HEADER "samples \t \n");
    TRY_WORDS(&t, CHUNKS, FOOTER);
    assert_true(try_run(&t));
    assert_int_equal(t.p.n_samples, 4);
    try_free(&t);

    try_text(&t, DCPI_HEADER "samples 42\n");
    TRY_WORDS(&t, CHUNKS, FOOTER);
    assert_false(try_run(&t));
    assert_true(try_failed(&t, "line 11: unexpected text after 'samples'"));
    try_free(&t);

    try_text(&t, DCPI_HEADER);
    assert_false(try_run(&t));
    assert_true(try_failed(&t, "not a DCPI profile"));
    try_free(&t);

    try_text(&t, DCPI_HEADER "samples");
    assert_false(try_run(&t));
    assert_true(try_failed(&t, "not a DCPI profile"));
    try_free(&t);

    try_text(&t, "--- !profile\n");
    assert_false(try_run(&t));
    assert_true(try_failed(&t, "not a DCPI profile"));
    try_free(&t);

    assert_false(try_run(&t));
    assert_true(try_failed(&t, "empty file"));
    try_free(&t);
}

/* Item 7: said, and the counts still begin after the LF. */
static void crlf(void **state)
{
    (void)state;
    struct dcpi_try t = {0};
    for (const char *s = DCPI_HEADER "colour blue\nsamples\n"; *s; s++) {
        if (*s == '\n')
            try_text(&t, "\r");
        assert_true(buf_putc(&t.in, *s));
    }
    TRY_WORDS(&t, CHUNKS, FOOTER);
    assert_true(try_run(&t));
    assert_true(try_said(&t, "CR LF"));
    assert_int_equal(try_value(&t, 0, 0x12006cbb8, "samples"), 29);
    assert_true(try_comment(&t, "# dcpi:colour blue"));
    try_free(&t);
}

/* Item 8 */
static void header_lines(void **state)
{
    (void)state;
    struct dcpi_try t = {0};
    try_text(&t, DCPI_HEADER "period 4096\nsamples\n");
    TRY_WORDS(&t, CHUNKS, FOOTER);
    assert_false(try_run(&t));
    assert_true(
        try_failed(&t, "line 11: duplicate 'period' line (first in line 6)"));
    try_free(&t);

    try_text(&t, DCPI_HEADER "path /other/place\n"
                             "cpuamask  303\n"
                             "colour  deep\tblue \n"
                             "flag\n"
                             "colour  deep\tblue \n"
                             "samples\n");
    TRY_WORDS(&t, CHUNKS, FOOTER);
    assert_true(try_run(&t));
    assert_true(try_comment(&t, "# dcpi:path /other/place"));
    assert_true(try_comment(&t, "# dcpi:cpuamask  303"));
    assert_true(try_comment(&t, "# dcpi:colour  deep\tblue "));
    assert_true(try_comment(&t, "# dcpi:flag"));
    assert_int_equal(t.p.n_comments, 9);
    assert_string_equal(prof_cstr(&t.p, t.p.mappings[0].filename),
                        "/usr/bin/vector");
    try_free(&t);

    static const struct {
        const char *word, *line, *text;
    } bad[] = {
        {"image", "image 1997xyz", "image '1997xyz' is not hexadecimal"},
        {"period", "period 6.2", "period '6.2' is not a number of events"},
        {"tstart", "tstart 1200 0", "text start '1200 0' is not hexadecimal"},
        {"tsize", "tsize 0x10", "text size '0x10' is not decimal"},
        {"event", "event  ", "'event' has no value"},
        {"tstart", "tstart fffffffffffffff0",
         "text of 0x800000 bytes at 0xfffffffffffffff0"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        header_without(&t, bad[i].word);
        try_text(&t, bad[i].line);
        try_text(&t, "\nsamples\n");
        TRY_WORDS(&t, CHUNKS, FOOTER);
        assert_false(try_run(&t));
        assert_true(try_failed(&t, bad[i].text));
        try_free(&t);
    }
}

/* Item 9: offsets are those of the chunk in the file. */
static void bad_chunks(void **state)
{
    (void)state;
    static const struct {
        uint32_t words[8];
        size_t n;
        const char *text;
    } bad[] = {
        {{0x100, 0, 0, 0}, 4, "offset %zu: chunk without counts"},
        {{0x100, 2, 1, 1, 1}, 5, "offset %zu: chunk of 2 counts runs into"},
        {{0x100, UINT32_MAX, 1, 1, 1}, 5, "offset %zu: chunk of 4294967295"},
    };
    static const char header[] = DCPI_HEADER "samples\n";
    char text[96];
    for (size_t i = 0; i < 3; i++) {
        struct dcpi_try t = {0};
        try_text(&t, header);
        try_words(&t, bad[i].words, bad[i].n);
        assert_false(try_run(&t));
        (void)snprintf(text, sizeof text, bad[i].text, strlen(header));
        assert_true(try_failed(&t, text));
        try_free(&t);
    }
    /* Descending, and overlapping by one count. */
    static const uint32_t second[] = {0xfc, 0x104};
    for (size_t i = 0; i < 2; i++) {
        struct dcpi_try t = {0};
        try_text(&t, header);
        TRY_WORDS(&t, 0x100, 2, 1, 1, second[i], 1, 1, 3, 3);
        assert_false(try_run(&t));
        (void)snprintf(text, sizeof text,
                       "offset %zu: chunk at +0x%x begins before the end of "
                       "the last, +0x108",
                       strlen(header) + 16, second[i]);
        assert_true(try_failed(&t, text));
        try_free(&t);
    }
}

/* Item 10, and item 12 */
static void ends(void **state)
{
    (void)state;
    for (size_t k = 1; k < 8; k++) {
        struct dcpi_try t = {0};
        try_text(&t, DCPI_HEADER "samples\n");
        TRY_WORDS(&t, CHUNKS, FOOTER);
        assert_true(buf_put(&t.in, "\1\0\0\0\1\0\0", k));
        assert_false(try_run(&t));
        assert_true(try_failed(&t, "unexpected end of file"));
        try_free(&t);
        try_text(&t, DCPI_HEADER "samples\n");
        assert_true(buf_put(&t.in, "\0\0\0\0\0\0\0", k));
        assert_false(try_run(&t));
        assert_true(try_failed(&t, "unexpected end of file"));
        try_free(&t);
    }
    struct dcpi_try t = {0};
    try_text(&t, DCPI_HEADER "samples\n");
    TRY_WORDS(&t, 0, 0);
    assert_true(try_run(&t));
    assert_false(try_said(&t, "warn"));
    assert_true(try_said(&t, "info: no samples in '/usr/bin/vector'"));
    assert_int_equal(t.p.n_samples, 0);
    assert_int_equal(t.p.n_mappings, 1);
    assert_int_equal(t.p.n_types, 3);
    try_free(&t);
}

/* Item 11: tsize is 8388608, 0x800000. */
static void beyond_text(void **state)
{
    (void)state;
    struct dcpi_try t = {0};
    try_text(&t, DCPI_HEADER "samples\n");
    TRY_WORDS(&t, 0x7ffffc, 2, 1, 7, 2, 8);
    assert_true(try_run(&t));
    assert_true(
        try_said(&t, "chunks extend to +0x800004, beyond the text size"));
    assert_int_equal(t.p.mappings[0].limit, 0x120800004);
    assert_int_equal(try_value(&t, 0, 0x120800000, "samples"), 7);
    try_free(&t);

    try_text(&t, "version pdb-0.07\ntstart fffffffffffffff8\ntsize 0\n"
                 "event cycles\nperiod 1\nsamples\n");
    TRY_WORDS(&t, 4, 2, 1, 1, 2, 2);
    assert_false(try_run(&t));
    assert_true(try_failed(&t, "chunk at +0x4 exceeds the address space"));
    try_free(&t);
}

/* Offsets that count instructions: +3 is 12 bytes. */
static void offset_unit(void **state)
{
    (void)state;
    struct dcpi_try t = {0};
    try_text(&t, DCPI_HEADER "samples\n");
    TRY_WORDS(&t, 0, 3, 1, 1, 1, 3, 1, 9, 4, 12);
    assert_false(try_run(&t));
    assert_true(try_failed(&t, "--offset-unit=insn"));
    try_free(&t);

    try_text(&t, DCPI_HEADER "samples\n");
    TRY_WORDS(&t, 2, 1, 5, 1, 5);
    assert_true(try_run(&t));
    assert_true(try_said(&t, "chunk at +0x2 is not at an instruction"));
    assert_int_equal(try_value(&t, 0, 0x120000002, "samples"), 5);
    try_free(&t);

    t.opts.offset_unit = DCPI_UNIT_INSN;
    try_text(&t, DCPI_HEADER "samples\n");
    TRY_WORDS(&t, 0, 3, 1, 1, 1, 3, 1, 9, 4, 12);
    assert_true(try_run(&t));
    assert_int_equal(t.said.n, 0);
    assert_int_equal(try_value(&t, 0, 0x12000000c, "samples"), 9);
    try_free(&t);
}

/* Item 13 */
static void epochs(void **state)
{
    (void)state;
    static const struct {
        const char *epoch;
        int64_t seconds; /* date -u -d '...' +%s; -1: not a time */
    } table[] = {
        {"9612042334", 849742440},
        {"199805191724", 895598640},
        {"19980519172400", 895598640},
        {"0001010000", 946684800},
        {"0002290000", 951782400},
        {"7001010000", 0},
        {"6912312359", 3155759940},
        {"226112312359", 9214646340},
        {"9902290000", -1},
        {"199813010000", -1},
        {"199801012400", -1},
        {"19980101000060", -1},
        {"226201010000", -1},
        {"98051917241", -1},
        {"98051917x4", -1},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct dcpi_try t = {0};
        bool is_time = table[i].seconds >= 0;
        header_without(&t, "epoch");
        try_text(&t, "epoch ");
        try_text(&t, table[i].epoch);
        try_text(&t, "\nsamples\n");
        TRY_WORDS(&t, 0, 0);
        assert_true(try_run(&t));
        assert_int_equal(try_said(&t, "invalid epoch"), !is_time);
        assert_int_equal(t.p.time_nanos,
                         is_time ? table[i].seconds * 1000000000 : 0);
        try_free(&t);
    }
    struct dcpi_try t = {0};
    header_without(&t, "epoch");
    try_text(&t, "epoch yesterday\nsamples\n");
    TRY_WORDS(&t, 0, 0);
    assert_true(try_run(&t));
    assert_true(try_said(&t, "invalid epoch 'yesterday'"));
    assert_int_equal(t.p.time_nanos, 0);
    assert_true(try_comment(&t, "# dcpi:epoch yesterday"));
    try_free(&t);
}

/* MHz up to 100000, Hz above a million, nothing in between. */
static void cpuspeed(void **state)
{
    (void)state;
    static const struct {
        const char *line;
        int64_t nanos; /* of 63488 cycles; -1: no such type */
    } table[] = {
        {"cpuspeed 1\n", 63488000},
        {"cpuspeed 1000\n", 63488},
        {"cpuspeed 100000\n", 635},
        {"cpuspeed 500000000\n", 126976},
        {"cpuspeed 100001\n", -1},
        {"cpuspeed 1000000\n", -1},
        {"cpuspeed 0\n", -1},
        {"cpuspeed fast\n", -1},
        {"cpuspeed 100000000001\n", -1},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct dcpi_try t = {0};
        header_without(&t, "cpuspeed");
        try_text(&t, table[i].line);
        try_text(&t, "samples\n");
        TRY_WORDS(&t, 0, 1, 1, 1, 1);
        assert_true(try_run(&t));
        if (table[i].nanos >= 0)
            assert_int_equal(try_value(&t, 0, 0x120000000, "cpu"),
                             table[i].nanos);
        else
            assert_int_equal(prof_find_type(&t.p, "cpu"), -1);
        assert_int_equal(try_said(&t, "implausible cpuspeed"),
                         table[i].nanos < 0);
        try_free(&t);
        t.strict = true;
        header_without(&t, "cpuspeed");
        try_text(&t, table[i].line);
        try_text(&t, "samples\n");
        TRY_WORDS(&t, 0, 1, 1, 1, 1);
        assert_int_equal(try_run(&t), table[i].nanos >= 0);
        try_free(&t);
    }
}

/* Item 4: version 1, whose counts cannot be read, still shows its header. */
static void header_only(void **state)
{
    (void)state;
    struct dcpi_try t = {.opts = {.header_only = true}};
    try_text(&t, "version pdb-1.01\nplatform walnut\nfuture  line \n"
                 "samples\n\1\2\3");
    assert_true(try_run(&t));
    assert_int_equal(t.p.n_comments, 3);
    assert_true(try_comment(&t, "# dcpi:version pdb-1.01"));
    assert_true(try_comment(&t, "# dcpi:platform walnut"));
    assert_true(try_comment(&t, "# dcpi:future  line "));
    assert_int_equal(t.p.n_types + t.p.n_samples, 0);
    try_free(&t);
}

/* What other programs' files do not begin like. */
static void begins(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool yes;
    } table[] = {
        {"version pdb-0.07\n", true},
        {"version pdb-1.01\n", true},
        {"version 1.0\nevent a\nsamples\n", false},
        {"version 0.07\nevent a\nsamples\n", true},
        {"version 0.07\nof something\n", false},
        {"\nimage aa\nepoch 9805191724\nsamples  \n", true},
        {"name prog\nimage aa\nevent 1 a:1:1\n", true},
        {"name prog\nimage aa\npath /p\n", false},
        {"name of the game\n\0\nevent\n", false},
        {"colour blue\nevent 1 a:1:1\n", false},
        {"", false},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        size_t n = strlen(table[i].text);
        if (strcmp(table[i].text, "name of the game\n") == 0)
            n = sizeof "name of the game\n\0\nevent\n" - 1;
        assert_int_equal(
            dcpi_converter.member_begins((const uint8_t *)table[i].text, n),
            table[i].yes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vector),
        cmocka_unit_test(vector_header),
        cmocka_unit_test(footer_mismatch),
        cmocka_unit_test(footer_wraps),
        cmocka_unit_test(missing_lines),
        cmocka_unit_test(proven_by_totals),
        cmocka_unit_test(missing_lesser_lines),
        cmocka_unit_test(versions),
        cmocka_unit_test(samples_line),
        cmocka_unit_test(crlf),
        cmocka_unit_test(header_lines),
        cmocka_unit_test(bad_chunks),
        cmocka_unit_test(ends),
        cmocka_unit_test(beyond_text),
        cmocka_unit_test(offset_unit),
        cmocka_unit_test(epochs),
        cmocka_unit_test(cpuspeed),
        cmocka_unit_test(header_only),
        cmocka_unit_test(begins),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
