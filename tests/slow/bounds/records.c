/* Binary records: CPU profiles of gperftools, gmon.out, DCPI. */
#include "hostile.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static void word(uint64_t v)
{
    put_word(&out, v, 8);
}

/* --- gperftools, 64-bit */

static void cpu_begin(void)
{
    static const uint64_t header[] = {0, 3, 0, 10000, 0};

    for (int i = 0; i < 5; i++)
        word(header[i]);
}

static void record(uint64_t count, uint64_t depth)
{
    word(count);
    word(depth);
}

static void cpu_end(void)
{
    record(0, 1);
    word(0);
}

static void cpu_records(uint64_t n)
{
    cpu_begin();
    for (uint64_t i = 0; i < n; i++) {
        record(1, 3);
        word(0x1000 + 16 * i);
        word(0x1008 + 16 * (i / 2));
        word(0x1000);
    }
    cpu_end();
    text("1000-%" PRIx64 " r-xp 00000000 08:01 1 /bin/a\n", 0x2000 + 16 * n);
}

static void cpu_same(uint64_t n)
{
    cpu_begin();
    for (uint64_t i = 0; i < n; i++) {
        record(1, 2);
        word(0x1000);
        word(0x2000);
    }
    cpu_end();
}

static void cpu_deep(uint64_t n)
{
    cpu_begin();
    record(1, n);
    for (uint64_t i = 0; i < n; i++)
        word(0x1000 + 16 * i);
    cpu_end();
}

/* The return address at each second frame is that of a signal handler. */
static void cpu_signal(uint64_t n)
{
    cpu_begin();
    for (uint64_t i = 0; i < n; i++) {
        record(1, 4);
        word(0x1000 + i);
        word(0x10);
        word(0x20);
        word(0x30);
    }
    cpu_end();
}

static void cpu_mapped(uint64_t n, uint64_t step, uint64_t size)
{
    cpu_begin();
    for (uint64_t i = 0; i < n; i++) {
        record(1, 1);
        word(i * step + 8);
    }
    cpu_end();
    for (uint64_t i = 0; i < n; i++)
        text("%" PRIx64 "-%" PRIx64 " r-xp 00000000 08:01 1 /lib/l%" PRIu64
             ".so\n",
             i * step, i * step + size, i);
}

static void cpu_maps(uint64_t n)
{
    cpu_mapped(n, 0x1000, 0x1000);
}

static void cpu_maps_overlapping(uint64_t n)
{
    cpu_mapped(n, 16, 16 * n);
}

/* Pieces of one mapping, to be joined. */
static void cpu_maps_joined(uint64_t n)
{
    cpu_begin();
    record(1, 1);
    word(0x1008);
    cpu_end();
    for (uint64_t i = 1; i <= n; i++)
        text("%" PRIx64 "-%" PRIx64 " r-xp %" PRIx64 " 08:01 1 /bin/a\n",
             i * 0x1000, i * 0x1000 + 0x1000, i * 0x1000);
}

/* Profiles behind one another, as of processes that fork. */
static void cpu_forked(uint64_t n)
{
    for (uint64_t i = 0; i < n; i++) {
        cpu_begin();
        record(i + 1, 1);
        word(0x1000 + 16 * i);
        cpu_end();
        text("1000-2000 r-xp 00000000 08:01 1 /bin/a\n");
    }
}

/* The same, and one of them is as large as all others. */
static void cpu_forked_large(uint64_t n)
{
    cpu_records(n);
    cpu_forked(n / 4);
}

/* Headers in a list of mappings that is not theirs. */
static void cpu_headers(uint64_t n)
{
    for (uint64_t i = 0; i < n; i++)
        cpu_begin();
}

static void cpu_java(uint64_t n)
{
    static const uint64_t header[] = {0, 3, 1, 10000, 0};

    for (int i = 0; i < 5; i++)
        word(header[i]);
    for (uint64_t i = 1; i <= n; i++) {
        record(1, 2);
        word(i);
        word(n + 1);
    }
    cpu_end();
    for (uint64_t i = 1; i <= n + 1; i++)
        text("0x%" PRIx64 " a.b.C%" PRIu64 ".m (C%" PRIu64 ".java:1)\n", i, i,
             i);
}

/* --- gmon.out of GNU, 64-bit */

static void gmon_begin(void)
{
    text("gmon");
    put_word(&out, 1, 4);
    fill(&out, 0, 12);
}

/* As many bins of 8 bytes each, of which each `step`-th has a count. */
static void hist(uint64_t low, uint64_t bins, uint64_t step)
{
    fill(&out, 0, 1);
    word(low);
    word(low + 8 * bins);
    put_word(&out, bins, 4);
    put_word(&out, 100, 4);
    text("seconds");
    fill(&out, 0, 8);
    text("s");
    for (uint64_t i = 0; i < bins; i++)
        put_word(&out, i % step == 0, 2);
}

static void arc(uint64_t from, uint64_t self, uint64_t count)
{
    fill(&out, 1, 1);
    word(from);
    word(self);
    put_word(&out, count, 4);
}

/* The i-th function, as the class elf-symbols has it. */
static uint64_t entry(uint64_t i)
{
    return 0x1000 + 16 * i;
}

static void gmon_bins(uint64_t n)
{
    gmon_begin();
    hist(entry(0), 2 * n, 1);
}

static void gmon_bins_empty(uint64_t n)
{
    gmon_begin();
    hist(entry(0), 10 * n, n);
    hist(entry(0), 10 * n, n);
}

static void gmon_hists(uint64_t n)
{
    gmon_begin();
    for (uint64_t i = 0; i < n; i++)
        hist(entry(i), 2, 1);
}

static void gmon_hists_same(uint64_t n)
{
    gmon_begin();
    for (uint64_t i = 0; i < n; i++)
        hist(entry(0), 2, 1);
}

static void gmon_hists_overlapping(uint64_t n)
{
    uint64_t k = root_of(n);

    gmon_begin();
    for (uint64_t i = 0; i < k; i++)
        hist(entry(i), 2 * k, 1);
}

/* All of them called from one, and all in turn. */
static void gmon_star(uint64_t n)
{
    gmon_begin();
    hist(entry(0), 2 * n, 1);
    for (uint64_t i = 1; i < n; i++)
        arc(entry(0) + 8, entry(i), i);
}

static void gmon_fan_in(uint64_t n)
{
    gmon_begin();
    hist(entry(0), 2 * n, 1);
    for (uint64_t i = 1; i < n; i++)
        arc(entry(i) + 8, entry(0), i);
}

/* Each calls the next one: stacks as deep as there are functions. */
static void gmon_chain(uint64_t n)
{
    gmon_begin();
    hist(entry(0), 2 * n, 1);
    for (uint64_t i = 1; i < n; i++)
        arc(entry(i - 1) + 8, entry(i), 1);
}

static void gmon_cycle(uint64_t n)
{
    gmon_begin();
    hist(entry(0), 2 * n, 1);
    for (uint64_t i = 0; i < n; i++)
        arc(entry(i) + 8, entry((i + 1) % n), 1);
}

/* Cycles of two that call each other. */
static void gmon_cycles(uint64_t n)
{
    gmon_begin();
    hist(entry(0), 2 * n, 1);
    for (uint64_t i = 0; i + 2 < n; i += 2) {
        arc(entry(i) + 8, entry(i + 1), 1);
        arc(entry(i + 1) + 8, entry(i), 1);
        arc(entry(i + 1) + 8, entry(i + 2), 1);
    }
}

/* Two ways from each to the next but one: 2^n paths. */
static void gmon_ladder(uint64_t n)
{
    gmon_begin();
    hist(entry(0), 2 * n, 1);
    for (uint64_t i = 0; i + 2 < n; i++) {
        arc(entry(i) + 8, entry(i + 1), 1 + i % 3);
        arc(entry(i) + 8, entry(i + 2), 1 + i % 7);
    }
}

/* Calls of each later one by each earlier of a root of n. */
static void gmon_dense(uint64_t n)
{
    uint64_t k = root_of(n);

    gmon_begin();
    hist(entry(0), 2 * k, 1);
    for (uint64_t i = 0; i < k; i++)
        for (uint64_t j = i + 1; j < k; j++)
            arc(entry(i) + 8, entry(j), i + j);
}

/* Calls between any two of a root of n. */
static void gmon_clique(uint64_t n)
{
    uint64_t k = root_of(n);

    gmon_begin();
    hist(entry(0), 2 * k, 1);
    for (uint64_t i = 0; i < k; i++)
        for (uint64_t j = 0; j < k; j++)
            arc(entry(i) + 8, entry(j), i + j + 1);
}

/* Of one function, from n places in another. */
static void gmon_places(uint64_t n)
{
    gmon_begin();
    hist(entry(0), 2, 1);
    for (uint64_t i = 0; i < n; i++)
        arc(entry(0) + 16 * i, entry(n), UINT32_MAX);
}

static void gmon_same_arcs(uint64_t n)
{
    gmon_begin();
    for (uint64_t i = 0; i < n; i++)
        arc(entry(0) + 8, entry(1), UINT32_MAX);
}

static void gmon_blocks(uint64_t n)
{
    gmon_begin();
    fill(&out, 2, 1);
    put_word(&out, n, 4);
    for (uint64_t i = 0; i < n; i++) {
        word(entry(i));
        word(i + 1);
    }
}

/* --- DCPI 0.07 */

static void dcpi_head(uint64_t tsize)
{
    size_t from = out.n;

    text("version pdb-0.07\nimage 19970328081403c0c18b\nepoch 9805191724\n"
         "platform h\nevent cycles\nperiod 63488\ntstart 120000000\n"
         "tsize %" PRIx64 "\ncpuspeed 433\npath /bin/a\nsamples",
         tsize);
    while ((out.n - from + 1) % 4)
        text(" ");
    text("\n");
}

static void dcpi_end(uint64_t addresses, uint64_t total)
{
    put_word(&out, addresses, 4);
    put_word(&out, total, 4);
}

static void dcpi_chunks(uint64_t n)
{
    dcpi_head(16 * n);
    for (uint64_t i = 0; i < n; i++) {
        put_word(&out, 16 * i, 4);
        put_word(&out, 1, 4);
        put_word(&out, 1, 4);
    }
    dcpi_end(n, n);
}

static void dcpi_counts(uint64_t n)
{
    dcpi_head(16 * n);
    put_word(&out, 0, 4);
    put_word(&out, n, 4);
    for (uint64_t i = 0; i < n; i++)
        put_word(&out, 1, 4);
    dcpi_end(n, n);
}

/* Chunks of the same addresses. */
static void dcpi_same(uint64_t n)
{
    dcpi_head(16);
    for (uint64_t i = 0; i < n; i++) {
        put_word(&out, 0, 4);
        put_word(&out, 1, 4);
        put_word(&out, 1, 4);
    }
    dcpi_end(n, n);
}

const struct class record_classes[] = {
    {"cpu-records", cpu_records},
    {"cpu-same", cpu_same},
    {"cpu-deep", cpu_deep},
    {"cpu-signal", cpu_signal},
    {"cpu-maps", cpu_maps},
    {"cpu-maps-overlapping", cpu_maps_overlapping},
    {"cpu-maps-joined", cpu_maps_joined},
    {"cpu-forked", cpu_forked},
    {"cpu-forked-large", cpu_forked_large},
    {"cpu-headers", cpu_headers},
    {"cpu-java", cpu_java},
    {"gmon-bins", gmon_bins},
    {"gmon-bins-empty", gmon_bins_empty},
    {"gmon-hists", gmon_hists},
    {"gmon-hists-same", gmon_hists_same},
    {"gmon-hists-overlapping", gmon_hists_overlapping},
    {"gmon-star", gmon_star},
    {"gmon-fan-in", gmon_fan_in},
    {"gmon-chain", gmon_chain},
    {"gmon-cycle", gmon_cycle},
    {"gmon-cycles", gmon_cycles},
    {"gmon-ladder", gmon_ladder},
    {"gmon-dense", gmon_dense},
    {"gmon-clique", gmon_clique},
    {"gmon-places", gmon_places},
    {"gmon-same-arcs", gmon_same_arcs},
    {"gmon-blocks", gmon_blocks},
    {"dcpi-chunks", dcpi_chunks},
    {"dcpi-counts", dcpi_counts},
    {"dcpi-same", dcpi_same},
    {"", NULL},
};
