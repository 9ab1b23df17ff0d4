/* The output of perf script, and recordings of perf. */
#include "hostile.h"

/* --- the output of perf script */

static void script_begin(void)
{
    text("a 1/1 1.000001: 1 cycles:\n\t1 f (/a)\n\n");
}

/* Words of a first line that may be the period. */
static void script_numbers(uint64_t n)
{
    script_begin();
    for (uint64_t i = 0; i < n; i++)
        text("1 ");
    text("cycles:\n\t1 f (/a)\n\n");
}

static void script_deep(uint64_t n)
{
    text("a 1/1 1.000001: 1 cycles:\n");
    for (uint64_t i = 0; i < n; i++)
        text("\t%x f (/a)\n", (unsigned)i);
    text("\n");
}

static void script_inlined(uint64_t n)
{
    text("a 1/1 1.000001: 1 cycles:\n");
    for (uint64_t i = 0; i < n; i++)
        text("\t1 f%u (inlined)\n", (unsigned)i);
    text("\t1 f (/a)\n\n");
}

static void script_processes(uint64_t n)
{
    for (uint64_t i = 0; i < n / 4; i++)
        text("a %u/1 1.000001: 1 cycles:\n\t1 f%u (/a)\n\n", (unsigned)i,
             (unsigned)i);
}

/* --- recordings of a pipe: the header, an event, records */

enum {
    IP = 1, /* sample_type */
    TID = 2,
    TIME = 4,
    CALLCHAIN = 32,
    IDENTIFIER = 1 << 16,
    MMAP = 1, /* records */
    COMM = 3,
    FORK = 7,
    SAMPLE = 9,
    DEFERRED = 22,
    HEADER_ATTR = 64,
};

static void word(uint64_t v)
{
    put_word(&out, v, 8);
}

static void half(uint64_t v)
{
    put_word(&out, v, 4);
}

/* The header of a record with so many bytes behind it. */
static void record(unsigned type, size_t n)
{
    half(type);
    put_word(&out, 2, 2); /* of a program */
    put_word(&out, 8 + n, 2);
}

static void attr(uint64_t type, uint64_t id)
{
    record(HEADER_ATTR, 64 + 8);
    half(2); /* a tracepoint, of the number id */
    half(64);
    word(id);
    word(1);
    word(type);
    word(0);
    word((uint64_t)1 << 18); /* sample_id_all */
    word(0);
    word(0);
    word(id);
}

static void recording(uint64_t type)
{
    text("PERFILE2");
    word(16);
    attr(type, 1);
}

static void of_thread(uint64_t pid)
{
    half(pid);
    half(pid);
}

static void map(uint64_t pid, uint64_t at, uint64_t size, uint64_t offset)
{
    record(MMAP, 8 + 3 * 8 + 8 + 8);
    of_thread(pid);
    word(at);
    word(size);
    word(offset);
    put(&out, "/bin/a\0", 8);
    of_thread(pid);
}

/* As far as a call chain. */
static void sample(uint64_t pid, uint64_t ip, size_t more)
{
    record(SAMPLE, 16 + more);
    word(ip);
    of_thread(pid);
}

static void perf_processes(uint64_t n)
{
    recording(IP | TID);
    for (uint64_t i = 1; i <= n / 4; i++) {
        map(i, 0x1000, 0x1000, i << 12);
        sample(i, 0x1008, 0);
    }
}

static void perf_maps(uint64_t n)
{
    recording(IP | TID);
    for (uint64_t i = 1; i <= n; i++) {
        map(1, i << 12, 0x1000, i << 12);
        sample(1, (i << 12) + 8, 0);
    }
}

static void perf_maps_overlapping(uint64_t n)
{
    recording(IP | TID);
    for (uint64_t i = 1; i <= n; i++) {
        map(1, (n - i) << 12, (uint64_t)1 << 40, i << 12);
        sample(1, i << 12, 0);
    }
}

/* Each process is a child of the one before, and maps something else. */
static void perf_forks(uint64_t n)
{
    recording(IP | TID);
    for (uint64_t i = 1; i <= n; i++) {
        record(FORK, 24 + 8);
        half(i + 1);
        half(i);
        half(i + 1);
        half(i);
        word(0);
        of_thread(i);
        map(i + 1, (i * 7919 % 1000) << 12, 0x1000, i << 12);
        sample(i + 1, 0x1008, 0);
    }
}

static void perf_names(uint64_t n)
{
    recording(IP | TID);
    for (uint64_t i = 1; i <= n; i++) {
        record(COMM, 8 + 8 + 8);
        of_thread(1);
        word(0x3030303030303030 + i % 8 + (i / 8 << 8)); /* a text */
        of_thread(1);
        sample(1, 8, 0);
    }
}

static void perf_deep(uint64_t n)
{
    enum { DEPTH = 8000 };

    recording(IP | TID | CALLCHAIN);
    for (uint64_t i = 0; i < n / 1000; i++) {
        sample(i, 8, 8 + 8 * DEPTH);
        word(DEPTH);
        for (uint64_t k = 0; k < DEPTH; k++)
            word(k * k + i);
    }
}

/* Without rounds, each earlier than the one before. */
static void perf_descending(uint64_t n)
{
    recording(IP | TID | TIME);
    map(1, 0, 0x10000, 0);
    for (uint64_t i = 0; i < 10 * n; i++) {
        sample(1, i % 4096, 8);
        word(20 * n - i);
    }
}

static void waiting(uint64_t cookie)
{
    sample(1, 8, 40);
    word(4);
    word((uint64_t)-128); /* the kernel */
    word((uint64_t)-4096 * 4096);
    word((uint64_t)-640); /* what follows is a cookie */
    word(cookie);
}

/* Samples whose call chains do not come, and chains of no sample. */
static void perf_deferred(uint64_t n)
{
    recording(IP | TID | CALLCHAIN);
    for (uint64_t i = 1; i <= n; i++)
        waiting(i);
    for (uint64_t i = 1; i <= n; i++) {
        record(DEFERRED, 3 * 8 + 8);
        word(n + i);
        word(1);
        word(16);
        of_thread(1);
    }
}

/* Many events, each of which has samples, none at the address of another. */
static void perf_events(uint64_t n)
{
    enum { EVENTS = 2000 };

    text("PERFILE2");
    word(16);
    for (uint64_t i = 1; i <= EVENTS; i++)
        attr(IDENTIFIER | IP, i);
    for (uint64_t i = 0; i < n / 10; i++) {
        record(SAMPLE, 16);
        word(1 + i % EVENTS);
        word(i * 7919 % 1000000 + 1);
    }
}

const struct class perf_classes[] = {
    {"script-numbers", script_numbers},
    {"script-deep", script_deep},
    {"script-inlined", script_inlined},
    {"script-processes", script_processes},
    {"perf-processes", perf_processes},
    {"perf-maps", perf_maps},
    {"perf-maps-overlapping", perf_maps_overlapping},
    {"perf-forks", perf_forks},
    {"perf-names", perf_names},
    {"perf-deep", perf_deep},
    {"perf-descending", perf_descending},
    {"perf-deferred", perf_deferred},
    {"perf-events", perf_events},
    {"", NULL},
};
