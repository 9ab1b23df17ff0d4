/*
 * Recordings of perf made here record by record, in both byte orders, after
 * include/uapi/linux/perf_event.h and perf.data-file-format.txt of Linux.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "check_profile.h"
#include "formats/perf/perf.h"
#include "said.h"

/* Bits of sample_type. */
enum {
    IP = 1,
    TID = 2,
    TIME = 4,
    ADDR = 8,
    READ = 16,
    CALLCHAIN = 32,
    ID = 64,
    CPU = 128,
    PERIOD = 256,
    STREAM_ID = 512,
    RAW = 1024,
    BRANCH_STACK = 2048,
    REGS_USER = 4096,
    STACK_USER = 8192,
    WEIGHT = 16384,
    DATA_SRC = 32768,
    IDENTIFIER = 65536,
    TRANSACTION = 131072,
    REGS_INTR = 262144,
    PHYS_ADDR = 524288,
    CGROUP = 2097152,
};

enum {
    MMAP = 1,
    LOST = 2,
    COMM = 3,
    THROTTLE = 5,
    FORK = 7,
    SAMPLE = 9,
    MMAP2 = 10,
    LOST_SAMPLES = 13,
    KSYMBOL = 17,
    CGROUP_RECORD = 19,
    CHAIN_DEFERRED = 22,
    HEADER_ATTR = 64,
    ROUND = 68,
    AUXTRACE = 71,
    EVENT_UPDATE = 78,
    HEADER_FEATURE = 80,
    COMPRESSED = 81,
    USER = 2, /* misc: where the sample was taken */
    KERNEL = 1,
    GUEST_KERNEL = 4,
    GUEST_USER = 5,
    LOST_BY_BPF = 1 << 15,
};

#define MARK_KERNEL ((uint64_t)-128)
#define MARK_USER ((uint64_t)-512)
#define MARK_GUEST_USER ((uint64_t)-2560)
#define MARK_DEFERRED ((uint64_t)-640)

#define ID_ALL ((uint64_t)1 << 18) /* flags */

/* Notes that are shown by default. */
struct noted {
    size_t n;
    char text[8][200];
};

static void take_note(void *ctx, enum prof_note_level level, const char *text)
{
    struct noted *noted = ctx;
    if (level != PROF_NOTE_INFO && noted->n < 8)
        (void)snprintf(noted->text[noted->n++], 200, "%s", text);
}

/* A recording in the making, and what comes of it. */
struct recording {
    bool big;
    struct buf bytes;
    size_t record; /* where the present one begins */
    struct perf_opts opts;
    struct profile p;
    struct noted noted;
    struct prof_err err;
};

static void put(struct recording *r, uint64_t v, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        assert_true(
            buf_putc(&r->bytes, (char)(v >> 8 * (r->big ? bytes - 1 - i : i))));
}

static void u64(struct recording *r, uint64_t v)
{
    put(r, v, 8);
}

static void u32(struct recording *r, uint32_t v)
{
    put(r, v, 4);
}

/* A string with its NUL, padded to 8 bytes. */
static void text(struct recording *r, const char *s)
{
    size_t n = strlen(s) + 1;
    assert_true(buf_put(&r->bytes, s, n));
    for (; n % 8; n++)
        assert_true(buf_putc(&r->bytes, 0));
}

static void set(struct recording *r, size_t at, uint64_t v, unsigned bytes)
{
    struct buf whole = r->bytes;
    r->bytes = (struct buf){0};
    put(r, v, bytes);
    memcpy(whole.v + at, r->bytes.v, bytes);
    buf_free(&r->bytes);
    r->bytes = whole;
}

static void begin(struct recording *r, uint32_t type, uint16_t misc)
{
    r->record = r->bytes.n;
    u32(r, type);
    put(r, misc, 2);
    put(r, 0, 2);
}

static void end(struct recording *r)
{
    set(r, r->record + 6, r->bytes.n - r->record, 2);
}

/* flags: bit 0 is the first of a bit field, whatever the byte order. */
static void attr(struct recording *r, uint64_t type, uint64_t flags)
{
    size_t start = r->bytes.n;
    u32(r, 1); /* software */
    u32(r, 112);
    u64(r, 0); /* cpu-clock */
    u64(r, 1000);
    u64(r, type);
    u64(r, 0);
    uint64_t bits = 0;
    for (unsigned i = 0; i < 64; i++)
        if (flags >> i & 1)
            bits |= (uint64_t)1 << (r->big ? 63 - i : i);
    u64(r, bits);
    while (r->bytes.n < start + 112)
        u64(r, 0);
}

enum { HEADER = 104, ATTR = 112, DATA = HEADER + ATTR + 16 };

/* A file with one event and no ids. */
static void start(struct recording *r, bool big, uint64_t type, uint64_t flags)
{
    *r = (struct recording){.big = big};
    r->opts.no_symbols = true;
    assert_true(buf_puts(&r->bytes, big ? "2ELIFREP" : "PERFILE2"));
    u64(r, HEADER);
    u64(r, ATTR + 16);
    u64(r, HEADER);
    u64(r, ATTR + 16);
    u64(r, DATA);
    u64(r, 0); /* size of the data */
    u64(r, 0);
    u64(r, 0);
    for (int i = 0; i < 4; i++)
        u64(r, 0);
    attr(r, type, flags);
    u64(r, 0);
    u64(r, 0);
}

/* The header of a recording that was written to a pipe. */
static void start_pipe(struct recording *r, bool big)
{
    *r = (struct recording){.big = big, .opts.no_symbols = true};
    assert_true(buf_puts(&r->bytes, big ? "2ELIFREP" : "PERFILE2"));
    u64(r, 16);
}

static bool try_bytes(struct recording *r, size_t n)
{
    const struct prof_notes notes = {.say = take_note, .ctx = &r->noted};
    struct perf_sum *sum = perf_sum_new(&r->opts, &notes, &r->err);
    const struct import_input in = {
        .data = r->bytes.v, .n = n, .notes = &notes};
    assert_non_null(sum);
    bool ok = perf_sum_add(sum, &in, &r->err) &&
              take_profile(&r->p, perf_sum_finish(sum, &r->err));
    perf_sum_free(sum);
    return ok;
}

static bool convert(struct recording *r)
{
    set(r, 48, r->bytes.n - DATA, 8);
    return try_bytes(r, r->bytes.n);
}

static void finish(struct recording *r)
{
    buf_free(&r->bytes);
    prof_free(&r->p);
}

static void map(struct recording *r, int pid, uint64_t at, uint64_t n,
                uint64_t offset, const char *file)
{
    begin(r, MMAP, USER);
    u32(r, (uint32_t)pid);
    u32(r, (uint32_t)pid);
    u64(r, at);
    u64(r, n);
    u64(r, offset);
    text(r, file);
}

/* The samples whose leaf is at this address in this file: their number. */
static int64_t count_at(const struct recording *r, const char *file,
                        uint64_t address)
{
    const struct profile *p = &r->p;
    int64_t n = 0;
    for (size_t i = 0; i < p->n_samples; i++) {
        const struct prof_location *l = &p->locations[prof_stack(p, i)[0]];
        const char *name = l->mapping == PROF_NONE
                               ? ""
                               : prof_cstr(p, p->mappings[l->mapping].filename);
        if (l->address == address && strcmp(name, file) == 0)
            n += p->values[i * p->n_types];
    }
    return n;
}

/* The only sample's addresses. */
static void check_stack(const struct recording *r, const uint64_t *want,
                        size_t n)
{
    assert_int_equal(r->p.n_samples, 1);
    assert_int_equal(prof_depth(&r->p, 0), n);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(r->p.locations[prof_stack(&r->p, 0)[i]].address,
                         want[i]);
}

#define STACK(r, ...)                                                          \
    check_stack(r, (const uint64_t[]){__VA_ARGS__},                            \
                sizeof(uint64_t[]){__VA_ARGS__} / sizeof(uint64_t))

/* --- samples -------------------------------------------------------------- */

static void sample(struct recording *r, uint64_t ip, int pid, uint64_t time)
{
    begin(r, SAMPLE, USER);
    u64(r, ip);
    u32(r, (uint32_t)pid);
    u32(r, (uint32_t)pid);
    u64(r, time);
    end(r);
}

static void basic(bool big)
{
    struct recording r;
    start(&r, big, IP | TID | TIME | CALLCHAIN | PERIOD, 0);
    map(&r, 7, 0x400000, 0x1000, 0x2000, "/bin/a");
    end(&r);
    begin(&r, SAMPLE, USER);
    u64(&r, 0x400123);
    u32(&r, 7);
    u32(&r, 8);
    u64(&r, 1000);
    u64(&r, 4000); /* period */
    u64(&r, 4);
    u64(&r, MARK_USER);
    u64(&r, 0x400123);
    u64(&r, 0x400456);
    u64(&r, 0x900000);
    end(&r);
    assert_true(convert(&r));
    assert_int_equal(r.noted.n, 0);
    assert_int_equal(r.p.n_types, 2);
    assert_string_equal(prof_cstr(&r.p, r.p.types[0].type), "cpu-clock_sample");
    assert_string_equal(prof_cstr(&r.p, r.p.types[1].type), "cpu-clock_event");
    assert_string_equal(prof_cstr(&r.p, r.p.types[0].unit), "count");
    assert_string_equal(prof_cstr(&r.p, r.p.types[1].unit), "nanoseconds");
    assert_int_equal(r.p.default_sample_type, r.p.types[1].type);
    assert_int_equal(r.p.values[0], 1);
    assert_int_equal(r.p.values[1], 4000);
    STACK(&r, 0x400123, 0x400455, 0x8fffff);
    const struct prof_mapping *m = &r.p.mappings[0];
    assert_int_equal(m->start, 0x400000);
    assert_int_equal(m->limit, 0x401000);
    assert_int_equal(m->offset, 0x2000);
    assert_string_equal(prof_cstr(&r.p, m->filename), "/bin/a");
    finish(&r);
}

static void test_basic(void **state)
{
    (void)state;
    basic(false);
    basic(true);
}

/* Each field before the control group, which must be found behind them. */
static void all_fields(bool big)
{
    struct recording r;
    uint64_t type = IP | TID | TIME | ADDR | READ | CALLCHAIN | ID | CPU |
                    PERIOD | STREAM_ID | RAW | BRANCH_STACK | REGS_USER |
                    STACK_USER | WEIGHT | DATA_SRC | IDENTIFIER | TRANSACTION |
                    REGS_INTR | PHYS_ADDR | CGROUP;
    start(&r, big, type, 0);
    set(&r, HEADER + 80, 0x7, 8); /* sample_regs_user: three */
    set(&r, HEADER + 96, 0x1, 8); /* sample_regs_intr: one */
    begin(&r, CGROUP_RECORD, 0);
    u64(&r, 0x55);
    text(&r, "/user/a");
    end(&r);
    begin(&r, SAMPLE, USER);
    u64(&r, 1); /* identifier */
    u64(&r, 0x1234);
    u32(&r, 7);
    u32(&r, 8);
    u64(&r, 1000);
    u64(&r, 0); /* address */
    u64(&r, 1); /* id */
    u64(&r, 2); /* stream */
    u32(&r, 3); /* processor */
    u32(&r, 0);
    u64(&r, 9);  /* period */
    u64(&r, 77); /* counter */
    u64(&r, 0);  /* no call chain */
    u32(&r, 4);  /* raw data */
    u32(&r, 0xffffffff);
    u64(&r, 1); /* one branch */
    u64(&r, 0x10);
    u64(&r, 0x20);
    u64(&r, 0);
    u64(&r, 2); /* registers of 64 bits */
    u64(&r, 1);
    u64(&r, 2);
    u64(&r, 3);
    u64(&r, 0); /* no stack */
    u64(&r, 5); /* weight */
    u64(&r, 6); /* data source */
    u64(&r, 7); /* transaction */
    u64(&r, 0); /* no registers of the interrupt */
    u64(&r, 8); /* physical address */
    u64(&r, 0x55);
    end(&r);
    r.opts.labels = 0x3f; /* pid to cgroup */
    assert_true(convert(&r));
    assert_int_equal(r.noted.n, 0);
    STACK(&r, 0x1234);
    assert_int_equal(r.p.values[1], 9);
    assert_int_equal(r.p.n_labels, 6);
    for (size_t i = 0; i < r.p.n_labels; i++) {
        const struct prof_label *l = &r.p.labels[i];
        const char *key = prof_cstr(&r.p, l->key);
        if (strcmp(key, "pid") == 0)
            assert_int_equal(l->num, 7);
        else if (strcmp(key, "tid") == 0)
            assert_int_equal(l->num, 8);
        else if (strcmp(key, "cpu") == 0)
            assert_int_equal(l->num, 3);
        else if (strcmp(key, "cgroup") == 0)
            assert_string_equal(prof_cstr(&r.p, l->str), "/user/a");
        else if (strcmp(key, "process_comm") == 0)
            assert_string_equal(prof_cstr(&r.p, l->str), ":7");
        else
            assert_string_equal(prof_cstr(&r.p, l->str), ":8");
    }
    finish(&r);
}

static void test_all_fields(void **state)
{
    (void)state;
    all_fields(false);
    all_fields(true);
}

static void add_event_attr(struct recording *r, uint64_t type, uint64_t id)
{
    begin(r, HEADER_ATTR, 0);
    size_t at = r->bytes.n;
    attr(r, type, ID_ALL);
    set(r, at + 8, id - 41, 8); /* cpu-clock, task-clock */
    u64(r, id);
    end(r);
}

/* The default is the first event that has samples, if one has. */
static void test_default_event(void **state)
{
    const uint64_t type = IDENTIFIER | IP;
    (void)state;
    for (int sampled = 0; sampled < 2; sampled++) {
        struct recording r;
        start_pipe(&r, false);
        add_event_attr(&r, type, 41);
        add_event_attr(&r, type, 42);
        if (sampled) {
            begin(&r, SAMPLE, USER);
            u64(&r, 42); /* identifier */
            u64(&r, 0x1234);
            end(&r);
        }
        assert_true(try_bytes(&r, r.bytes.n));
        assert_int_equal(r.p.n_types, 4);
        assert_string_equal(prof_cstr(&r.p, r.p.default_sample_type),
                            sampled ? "task-clock_event" : "cpu-clock_event");
        finish(&r);
    }
}

/* ID is elsewhere if an event has an address, too; IDENTIFIER is not. */
static void two_ids(bool big)
{
    const uint64_t type = IDENTIFIER | IP | TID | TIME | ID | PERIOD;
    const uint64_t address[] = {0x1234, 41, 42, 0};
    struct recording r;
    start_pipe(&r, big);
    add_event_attr(&r, type, 41);
    add_event_attr(&r, type | ADDR, 42);
    for (int i = 0; i < 5; i++) {
        begin(&r, SAMPLE, USER);
        u64(&r, i ? 42 : 41); /* identifier */
        u64(&r, 0x1234);
        u64(&r, 0); /* process, thread */
        u64(&r, 1000);
        if (i)
            u64(&r, address[i - 1]);
        u64(&r, i ? 42 : 41); /* id */
        u64(&r, i ? 3 : 5);   /* period */
        end(&r);
    }
    assert_true(try_bytes(&r, r.bytes.n));
    assert_int_equal(r.noted.n, 0);
    STACK(&r, 0x1234);
    const int64_t want[] = {1, 5, 4, 12};
    assert_int_equal(r.p.default_sample_type, r.p.types[1].type);
    assert_memory_equal(r.p.values, want, sizeof want);
    finish(&r);
}

static void test_two_ids(void **state)
{
    (void)state;
    two_ids(false);
    two_ids(true);
}

/* User code was interrupted at its first address: that is no return address. */
static void test_kernel_chain(void **state)
{
    (void)state;
    struct recording r;
    start(&r, false, IP | TID | CALLCHAIN, 0);
    map(&r, -1, 0xffffffff81000000, 0x1000000, 0xffffffff81000000,
        "[kernel.kallsyms]_text");
    end(&r);
    begin(&r, SAMPLE, KERNEL);
    u64(&r, 0xffffffff81000010);
    u32(&r, 7);
    u32(&r, 7);
    u64(&r, 6);
    u64(&r, MARK_KERNEL);
    u64(&r, 0xffffffff81000010);
    u64(&r, 0xffffffff81000020);
    u64(&r, MARK_USER);
    u64(&r, 0x500000);
    u64(&r, 0x500100);
    end(&r);
    assert_true(convert(&r));
    STACK(&r, 0xffffffff81000010, 0xffffffff8100001f, 0x500000, 0x5000ff);
    assert_int_equal(r.p.values[1], 1000); /* the period of the attribute */
    assert_string_equal(prof_cstr(&r.p, r.p.mappings[0].filename),
                        "[kernel.kallsyms]_text");
    finish(&r);
}

/* Linux before 2.6.39 had a mapping of the kernel from address 0. */
static void test_kernel_from_zero(void **state)
{
    (void)state;
    struct recording r;
    start(&r, false, IP | TID | TIME, 0);
    map(&r, -1, 0, 0xffffffff9fffffff, 0xffffffff81000123,
        "[kernel.kallsyms]_text");
    end(&r);
    sample(&r, 0x400000, 3, 1);
    sample(&r, 0xffffffff81000123, 3, 2);
    assert_true(convert(&r));
    assert_int_equal(count_at(&r, "", 0x400000), 1);
    assert_int_equal(count_at(&r, "[kernel.kallsyms]_text", 0xffffffff81000123),
                     1);
    assert_int_equal(r.p.mappings[0].start, 0xffffffff81000000);
    finish(&r);
}

/* Recorded calls in place of the user's part of the chain. */
static void test_branch_calls(void **state)
{
    (void)state;
    struct recording r;
    start(&r, false, IP | TID | CALLCHAIN | BRANCH_STACK, 0);
    set(&r, HEADER + 72, 1 << 11, 8); /* PERF_SAMPLE_BRANCH_CALL_STACK */
    begin(&r, SAMPLE, KERNEL);
    u64(&r, 0xffff800000000010);
    u32(&r, 7);
    u32(&r, 7);
    u64(&r, 4);
    u64(&r, MARK_KERNEL);
    u64(&r, 0xffff800000000010);
    u64(&r, MARK_USER);
    u64(&r, 0x777777);
    u64(&r, 2);
    u64(&r, 0x401010); /* from */
    u64(&r, 0x402000); /* to */
    u64(&r, 0);
    u64(&r, 0x400010);
    u64(&r, 0x401000);
    u64(&r, 0);
    end(&r);
    assert_true(convert(&r));
    STACK(&r, 0xffff800000000010, 0x402000, 0x401010, 0x400010);
    finish(&r);
}

/* A sample of the kernel whose callers come later. */
static void waiting(struct recording *r, uint64_t cookie)
{
    begin(r, SAMPLE, KERNEL);
    u64(r, 0xffff800000000010);
    u32(r, 7);
    u32(r, 7);
    u64(r, 4);
    u64(r, MARK_KERNEL);
    u64(r, 0xffff800000000010 + cookie);
    u64(r, MARK_DEFERRED);
    u64(r, cookie);
    end(r);
}

static void callers(struct recording *r, uint64_t cookie)
{
    begin(r, CHAIN_DEFERRED, USER);
    u64(r, cookie);
    u64(r, 3);
    u64(r, MARK_USER);
    u64(r, 0x400010);
    u64(r, 0x400020);
    end(r);
}

static void test_deferred(void **state)
{
    (void)state;
    struct recording r;
    start(&r, false, IP | TID | CALLCHAIN, 0);
    waiting(&r, 5);
    waiting(&r, 6);
    callers(&r, 5);
    assert_true(convert(&r));
    assert_said(r.noted.text[0],
                "1 samples have no user-space callers: their deferred call "
                "chains (CALLCHAIN_DEFERRED) are missing");
    assert_int_equal(r.p.n_samples, 2);
    for (size_t i = 0; i < 2; i++) {
        const uint32_t *stack = prof_stack(&r.p, i);
        bool joined = r.p.locations[stack[0]].address == 0xffff800000000015;
        assert_int_equal(prof_depth(&r.p, i), joined ? 3 : 1);
        if (!joined)
            continue;
        assert_int_equal(r.p.locations[stack[1]].address, 0x400010);
        assert_int_equal(r.p.locations[stack[2]].address, 0x40001f);
    }
    finish(&r);
}

/* How many samples have callers, and the number of all samples. */
static size_t count_joined(const struct recording *r, size_t *all)
{
    size_t joined = 0;
    *all = 0;
    for (size_t i = 0; i < r->p.n_samples; i++) {
        size_t n = (size_t)r->p.values[i * r->p.n_types];
        *all += n;
        joined += prof_depth(&r->p, i) == 3 ? n : 0;
    }
    return joined;
}

/* A call chain that never comes keeps no other from its sample. */
static void test_deferred_lost(void **state)
{
    (void)state;
    struct recording r;
    size_t all;
    start(&r, false, IP | TID | CALLCHAIN, 0);
    waiting(&r, 1);
    for (uint64_t i = 2; i < 20002; i++) {
        waiting(&r, i);
        waiting(&r, i);
        callers(&r, i);
        callers(&r, i);
    }
    assert_true(convert(&r));
    assert_int_equal(count_joined(&r, &all), 40000);
    assert_int_equal(all, 40001);
    assert_int_equal(r.noted.n, 0);
    finish(&r);
}

/* Of many that wait, the last are kept. */
static void test_deferred_many(void **state)
{
    (void)state;
    struct recording r;
    size_t all;
    start(&r, false, IP | TID | CALLCHAIN, 0);
    for (uint64_t i = 1; i <= 10000; i++)
        waiting(&r, i);
    for (uint64_t i = 1; i <= 10000; i++)
        callers(&r, i);
    assert_true(convert(&r));
    size_t joined = count_joined(&r, &all);
    assert_int_equal(all, 10000);
    assert_in_range(joined, 2048, 4096);
    assert_int_equal(r.noted.n, 1);
    finish(&r);
}

/* --- counters ------------------------------------------------------------- */

enum { INHERIT = 2, GROUP_OF_IDS = 4 | 8 }; /* flags; read_format */

static void add_group_attr(struct recording *r, uint64_t flags, uint64_t id)
{
    begin(r, HEADER_ATTR, 0);
    size_t at = r->bytes.n;
    attr(r, IP | TID | READ | ID, flags);
    set(r, at + 8, id - 41, 8); /* cpu-clock, task-clock */
    set(r, at + 32, GROUP_OF_IDS, 8);
    u64(r, id);
    end(r);
}

static void group_sample(struct recording *r, int tid, uint64_t a, uint64_t b)
{
    begin(r, SAMPLE, USER);
    u64(r, 0x1234);
    u32(r, 7);
    u32(r, (uint32_t)tid);
    u64(r, 41);
    u64(r, 2);
    u64(r, a);
    u64(r, 41);
    u64(r, b);
    u64(r, 42);
    end(r);
}

static void start_group(struct recording *r, bool big, uint64_t flags)
{
    start_pipe(r, big);
    add_group_attr(r, flags, 41);
    add_group_attr(r, flags, 42);
}

/* A sample counts for each event that went on, by how much it did. */
static void group_of_all(bool big)
{
    struct recording r;
    start_group(&r, big, 0);
    group_sample(&r, 7, 100, 1000);
    group_sample(&r, 8, 130, 1000);
    group_sample(&r, 7, 150, 1007);
    assert_true(try_bytes(&r, r.bytes.n));
    STACK(&r, 0x1234);
    const int64_t want[] = {3, 150, 2, 1007};
    assert_memory_equal(r.p.values, want, sizeof want);
    finish(&r);
}

/* Inherited counters: each thread has its own, and a new thread a new one. */
static void group_by_thread(bool big)
{
    struct recording r;
    start_group(&r, big, INHERIT);
    group_sample(&r, 7, 100, 1000);
    group_sample(&r, 8, 130, 7);
    group_sample(&r, 7, 150, 1000);
    group_sample(&r, 8, 10, 7); /* another thread 8 */
    assert_true(try_bytes(&r, r.bytes.n));
    STACK(&r, 0x1234);
    const int64_t want[] = {4, 100 + 130 + 50 + 10, 2, 1000 + 7};
    assert_memory_equal(r.p.values, want, sizeof want);
    finish(&r);
}

/* What samples that are excluded count is not of the next one. */
static void group_in_part(bool big)
{
    struct recording r;
    const int64_t pid = 7;
    start_group(&r, big, 0);
    r.opts.pids = &pid;
    r.opts.n_pids = 1;
    group_sample(&r, 7, 100, 1000);
    set(&r, r.record + 16, 6, 4); /* of another process */
    end(&r);
    group_sample(&r, 7, 130, 1001);
    assert_true(try_bytes(&r, r.bytes.n));
    const int64_t want[] = {1, 30, 1, 1};
    assert_memory_equal(r.p.values, want, sizeof want);
    finish(&r);
}

static void test_group(void **state)
{
    (void)state;
    for (int big = 0; big < 2; big++) {
        group_of_all(big);
        group_by_thread(big);
        group_in_part(big);
    }
}

/* --- processes and mappings ----------------------------------------------- */

/* Later mappings replace the pages of earlier ones. */
static void test_overlap(void **state)
{
    (void)state;
    struct recording r;
    start(&r, false, IP | TID | TIME, 0);
    map(&r, 7, 0x10000, 0x10000, 0, "/lib/long");
    end(&r);
    map(&r, 7, 0x14000, 0x1000, 0, "/lib/short");
    end(&r);
    sample(&r, 0x13fff, 7, 1);
    sample(&r, 0x14000, 7, 2);
    sample(&r, 0x14fff, 7, 3);
    sample(&r, 0x15000, 7, 4);
    sample(&r, 0x20000, 7, 5);
    assert_true(convert(&r));
    assert_int_equal(count_at(&r, "/lib/long", 0x13fff), 1);
    assert_int_equal(count_at(&r, "/lib/short", 0x14000), 1);
    assert_int_equal(count_at(&r, "/lib/short", 0x14fff), 1);
    assert_int_equal(count_at(&r, "/lib/long", 0x15000), 1);
    assert_int_equal(count_at(&r, "", 0x20000), 1);
    finish(&r);
}

/* A child has the mappings of its parent, and changes only its own. */
static void test_fork(void **state)
{
    (void)state;
    struct recording r;
    start(&r, false, IP | TID | TIME, 0);
    map(&r, 7, 0x10000, 0x1000, 0, "/bin/parent");
    end(&r);
    begin(&r, FORK, 0);
    u32(&r, 8);
    u32(&r, 7);
    u32(&r, 8);
    u32(&r, 7);
    u64(&r, 1);
    end(&r);
    sample(&r, 0x10008, 8, 2);
    map(&r, 8, 0x10000, 0x1000, 0, "/bin/child");
    end(&r);
    sample(&r, 0x10010, 8, 3);
    sample(&r, 0x10010, 7, 3);
    assert_true(convert(&r));
    assert_int_equal(count_at(&r, "/bin/parent", 0x10008), 1);
    assert_int_equal(count_at(&r, "/bin/child", 0x10010), 1);
    assert_int_equal(count_at(&r, "/bin/parent", 0x10010), 1);
    finish(&r);
}

/* One library at two addresses is one: its samples add up. */
static void test_moved(void **state)
{
    (void)state;
    struct recording r;
    start(&r, false, IP | TID | TIME, 0);
    map(&r, 7, 0x70000, 0x1000, 0, "/lib/a");
    end(&r);
    map(&r, 8, 0x50000, 0x1000, 0, "/lib/a");
    end(&r);
    sample(&r, 0x70123, 7, 1);
    sample(&r, 0x50123, 8, 2);
    assert_true(convert(&r));
    assert_int_equal(count_at(&r, "/lib/a", 0x50123), 2);
    finish(&r);
}

/* Code that a process made is its own. */
static void test_jit(void **state)
{
    (void)state;
    struct recording r;
    start(&r, false, IP | TID | TIME, 0);
    map(&r, 7, 0x70000, 0x1000, 0, "//anon");
    end(&r);
    map(&r, 8, 0x50000, 0x1000, 0, "//anon");
    end(&r);
    sample(&r, 0x70123, 7, 1);
    sample(&r, 0x50123, 8, 2);
    assert_true(convert(&r));
    assert_int_equal(count_at(&r, "/tmp/perf-7.map", 0x70123), 1);
    assert_int_equal(count_at(&r, "/tmp/perf-8.map", 0x50123), 1);
    finish(&r);
}

static void build_id(bool big)
{
    struct recording r;
    start(&r, big, IP | TID | TIME, 0);
    begin(&r, MMAP2, USER | 1 << 14);
    u32(&r, 7);
    u32(&r, 7);
    u64(&r, 0x1000);
    u64(&r, 0x1000);
    u64(&r, 0);
    assert_true(buf_put(&r.bytes,
                        "\4\0\0\0\xde\xad\xbe\xef\0\0\0\0\0\0\0\0\0\0\0\0"
                        "\0\0\0\0",
                        24));
    u32(&r, 5);
    u32(&r, 2);
    text(&r, "/bin/a");
    end(&r);
    sample(&r, 0x1800, 7, 1);
    assert_true(convert(&r));
    assert_string_equal(prof_cstr(&r.p, r.p.mappings[0].build_id), "deadbeef");
    finish(&r);
}

static void test_build_id(void **state)
{
    (void)state;
    build_id(false);
    build_id(true);
}

/* Addresses of a guest are in no mapping of the host. */
static void test_guest(void **state)
{
    (void)state;
    struct recording r;
    start(&r, false, IP | TID | TIME | CALLCHAIN, 0);
    map(&r, 7, 0x400000, 0x1000, 0, "/bin/qemu");
    end(&r);
    map(&r, -1, 0xffffffff81000000, 0x1000000, 0, "[kernel.kallsyms]_text");
    end(&r);
    begin(&r, SAMPLE, GUEST_USER);
    u64(&r, 0x400123);
    u32(&r, 7);
    u32(&r, 7);
    u64(&r, 1000);
    u64(&r, 2);
    u64(&r, MARK_GUEST_USER);
    u64(&r, 0x400123);
    end(&r);
    begin(&r, SAMPLE, GUEST_KERNEL);
    u64(&r, 0xffffffff81000010);
    u32(&r, 7);
    u32(&r, 7);
    u64(&r, 1001);
    u64(&r, 0); /* no call chain */
    end(&r);
    assert_true(convert(&r));
    assert_int_equal(count_at(&r, "", 0x400123), 1);
    assert_int_equal(count_at(&r, "", 0xffffffff81000010), 1);
    assert_int_equal(r.noted.n, 1);
    assert_string_equal(r.noted.text[0],
                        "2 samples of guest systems have no function names: "
                        "their mappings are not read");
    finish(&r);
}

/* Registers and stack of a machine that is not supported. */
static void test_not_unwound(void **state)
{
    (void)state;
    struct recording r;
    start(&r, false, IP | TID | TIME | REGS_USER | STACK_USER, 0);
    set(&r, HEADER + 80, 1, 8); /* sample_regs_user: one */
    set(&r, 72, 1 << 6, 8);     /* the feature ARCH */
    begin(&r, SAMPLE, USER);
    u64(&r, 0x10123);
    u32(&r, 7);
    u32(&r, 7);
    u64(&r, 1000);
    u64(&r, 1); /* registers of 32 bits */
    u64(&r, 0x10123);
    u64(&r, 8); /* bytes of the stack */
    u64(&r, 0x1234);
    u64(&r, 8);
    end(&r);
    set(&r, 48, r.bytes.n - DATA, 8);
    u64(&r, r.bytes.n + 16);
    u64(&r, 4 + 8);
    u32(&r, 8);
    text(&r, "armv7l");
    assert_true(try_bytes(&r, r.bytes.n));
    STACK(&r, 0x10123);
    assert_int_equal(r.noted.n, 1);
    assert_string_equal(
        r.noted.text[0],
        "1 samples have no user-space callers: cannot unwind stacks of "
        "'armv7l' (supported: x86_64, i386, aarch64)");
    finish(&r);
}

/* A trace of the processor, whose bytes follow its record. */
static void test_hardware_trace(void **state)
{
    (void)state;
    struct recording r;
    start(&r, false, IP | TID | TIME, 0);
    begin(&r, AUXTRACE, 0);
    u64(&r, 16); /* bytes that follow */
    u64(&r, 0);
    u64(&r, 0);
    u32(&r, 0);
    u32(&r, 7);
    u32(&r, 0);
    u32(&r, 0);
    end(&r);
    u64(&r, 0xffffffffffffffff);
    u64(&r, 0xffffffffffffffff);
    sample(&r, 0x1800, 7, 1);
    assert_true(convert(&r));
    assert_int_equal(count_at(&r, "", 0x1800), 1);
    assert_int_equal(r.noted.n, 1);
    assert_string_equal(r.noted.text[0],
                        "1 hardware traces (AUXTRACE) are not decoded; convert "
                        "the output of perf script --itrace=i10us");
    finish(&r);
}

/* --- order ---------------------------------------------------------------- */

/* A mapping that comes after the sample in the file, but before it in time. */
static void test_rounds(void **state)
{
    (void)state;
    struct recording r;
    start(&r, false, IP | TID | TIME, ID_ALL);
    sample(&r, 0x1800, 7, 200);
    sample(&r, 0x1800, 7, 50);
    map(&r, 7, 0x1000, 0x1000, 0, "/bin/a");
    u32(&r, 7); /* what identifies a record that is not a sample */
    u32(&r, 7);
    u64(&r, 100);
    end(&r);
    begin(&r, ROUND, 0);
    end(&r);
    sample(&r, 0x1800, 7, 300);
    begin(&r, ROUND, 0);
    end(&r);
    assert_true(convert(&r));
    assert_int_equal(count_at(&r, "", 0x1800), 1);
    assert_int_equal(count_at(&r, "/bin/a", 0x1800), 2);
    assert_int_equal(r.p.duration_nanos, 250);
    finish(&r);
}

/* --- pipes ---------------------------------------------------------------- */

static void pipe_mode(bool big)
{
    struct recording r;
    start(&r, big, 0, 0);
    r.bytes.n = 8;
    u64(&r, 16);
    begin(&r, HEADER_ATTR, 0);
    attr(&r, IP | TID | ID, 0);
    u64(&r, 41);
    end(&r);
    begin(&r, HEADER_ATTR, 0);
    attr(&r, IP | TID | ID, 0);
    u64(&r, 42);
    end(&r);
    begin(&r, EVENT_UPDATE, 0);
    u64(&r, 2); /* name */
    u64(&r, 42);
    text(&r, "mine");
    end(&r);
    begin(&r, HEADER_FEATURE, 0);
    u64(&r, 5); /* version */
    u32(&r, 8);
    text(&r, "6.1");
    end(&r);
    begin(&r, SAMPLE, USER);
    u64(&r, 0x1234);
    u32(&r, 7);
    u32(&r, 7);
    u64(&r, 42);
    end(&r);
    begin(&r, SAMPLE, USER);
    u64(&r, 0x1234);
    u32(&r, 7);
    u32(&r, 7);
    u64(&r, 43); /* of no event */
    end(&r);
    assert_true(try_bytes(&r, r.bytes.n));
    assert_int_equal(r.p.n_types, 4);
    assert_string_equal(prof_cstr(&r.p, r.p.types[2].type), "mine_sample");
    STACK(&r, 0x1234);
    assert_int_equal(r.p.values[0], 0);
    assert_int_equal(r.p.values[2], 1);
    assert_string_equal(prof_cstr(&r.p, r.p.comments[0]), "perf-version:6.1");
    assert_said(r.noted.text[0], "1 samples skipped: their event is unknown");
    finish(&r);
}

/*
 * Names of events that no record names, as perf 6.1 prints them.  The numbers
 * are PERF_TYPE_ and PERF_COUNT_ of perf_event.h, the flags bits of
 * perf_event_attr.
 */
static void test_names(void **state)
{
    enum {
        NO_USER = 1 << 4,
        NO_KERNEL = 1 << 5,
        NO_HV = 1 << 6,
        PRECISE = 1 << 15,
        VERY_PRECISE = 3 << 15,
        NO_HOST = 1 << 19,
        NO_GUEST = 1 << 20,
    };
    static const struct {
        uint32_t type;
        uint64_t config, flags;
        const char *name;
    } cases[] = {
        {0, 0, NO_GUEST, "cycles"},
        {0, 0, VERY_PRECISE | NO_GUEST, "cycles:pppH"},
        {0, 0, VERY_PRECISE, "cycles:ppp"},
        {0, 1, NO_KERNEL | NO_HV | NO_GUEST, "instructions:uH"},
        {0, 4, NO_USER | NO_HV | PRECISE, "branches:kp"},
        {0, 9, NO_USER, "ref-cycles:kh"},
        {1, 2, NO_HOST, "page-faults:G"},
        {1, 0, NO_KERNEL | NO_HV, "cpu-clock:u"},
        {3, 0x10000, NO_GUEST, "L1-dcache-load-misses"},
        {3, 0x00102, NO_GUEST, "LLC-stores"},
        {3, 0x10203, NO_GUEST, "dTLB-prefetch-misses"},
        {3, 0x10007, NO_GUEST, "event-type-3-config-0x10007"},
        {3, 0x00300, NO_GUEST, "event-type-3-config-0x300"},
        {3, 0x20000, NO_GUEST, "event-type-3-config-0x20000"},
        {4, 0x1c2, NO_KERNEL | NO_HV | PRECISE, "raw 0x1c2:up"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct recording r;
        char wanted[60];
        start(&r, i % 2, IP | TID | TIME, cases[i].flags);
        set(&r, HEADER, cases[i].type, 4);
        set(&r, HEADER + 8, cases[i].config, 8);
        sample(&r, 0x1234, 7, 1);
        assert_true(convert(&r));
        (void)snprintf(wanted, sizeof wanted, "%s_sample", cases[i].name);
        assert_string_equal(prof_cstr(&r.p, r.p.types[0].type), wanted);
        finish(&r);
    }
}

static void test_pipe(void **state)
{
    (void)state;
    pipe_mode(false);
    pipe_mode(true);
}

/* --- bad input ------------------------------------------------------------ */

static void test_lost(void **state)
{
    (void)state;
    struct recording r;
    start(&r, false, IP | TID | TIME, 0);
    begin(&r, LOST, 0);
    u64(&r, 0);
    u64(&r, 12);
    end(&r);
    begin(&r, THROTTLE, 0);
    u64(&r, 0);
    u64(&r, 0);
    u64(&r, 0);
    end(&r);
    sample(&r, 0x1800, 7, 1);
    assert_true(convert(&r));
    assert_int_equal(r.p.n_comments, 2);
    assert_string_equal(prof_cstr(&r.p, r.p.comments[0]),
                        "perf-lost-records:12");
    assert_string_equal(prof_cstr(&r.p, r.p.comments[1]), "perf-throttled:1");
    finish(&r);
}

/* What LOST and LOST_SAMPLES report, by whether they report the same. */
static void lost_twice(uint64_t read_format, const char *records)
{
    struct recording r;
    start(&r, false, IP | TID | TIME, 0);
    set(&r, HEADER + 32, read_format, 8);
    for (int i = 0; i < 2; i++) {
        begin(&r, LOST, 0);
        u64(&r, 0);
        u64(&r, 6);
        end(&r);
    }
    begin(&r, LOST_SAMPLES, 0);
    u64(&r, 15);
    end(&r);
    begin(&r, LOST_SAMPLES, LOST_BY_BPF);
    u64(&r, 1000);
    end(&r);
    sample(&r, 0x1800, 7, 1);
    assert_true(convert(&r));
    assert_string_equal(r.noted.text[0],
                        "perf lost 15 samples while it recorded");
    assert_int_equal(r.noted.n, records ? 2 : 1);
    if (records)
        assert_string_equal(r.noted.text[1], records);
    finish(&r);
}

static void test_lost_samples(void **state)
{
    (void)state;
    lost_twice(4 /* ID */, "perf lost 12 records while it recorded");
    lost_twice(4 | 16 /* LOST */, NULL);
}

/* Numbers in a sample that exceed it. */
static void test_malformed(void **state)
{
    (void)state;
    struct recording r;
    start(&r, false, IP | TID | CALLCHAIN, 0);
    begin(&r, SAMPLE, USER);
    u64(&r, 0x1234);
    u32(&r, 7);
    u32(&r, 7);
    u64(&r, (uint64_t)1 << 61); /* times 8 is 0 */
    end(&r);
    assert_true(convert(&r));
    assert_int_equal(r.p.n_samples, 0);
    assert_said(r.noted.text[0],
                "1 malformed samples skipped, the first at offset 232");
    finish(&r);
}

/* A period, or the value of a counter, that no profile can have. */
static void test_large_period(void **state)
{
    (void)state;
    struct recording r;
    start(&r, false, IP | TID | PERIOD, 0);
    const uint64_t periods[] = {5, (uint64_t)1 << 63, 7};
    for (size_t i = 0; i < 3; i++) {
        begin(&r, SAMPLE, USER);
        u64(&r, 0x1234);
        u32(&r, 7);
        u32(&r, 7);
        u64(&r, periods[i]);
        end(&r);
    }
    assert_true(convert(&r));
    const int64_t want[] = {2, 5 + 7};
    assert_int_equal(r.p.n_samples, 1);
    assert_memory_equal(r.p.values, want, sizeof want);
    assert_int_equal(r.noted.n, 1);
    /* The second of three samples of 32 bytes. */
    assert_said(r.noted.text[0],
                "1 malformed samples skipped, the first at offset 264");
    finish(&r);
}

static void test_large_counter(void **state)
{
    (void)state;
    struct recording r;
    start_group(&r, false, 0);
    group_sample(&r, 7, 100, 1000);
    size_t bad = r.bytes.n;
    group_sample(&r, 7, UINT64_MAX, 1010);
    group_sample(&r, 7, 150, 1020);
    assert_true(try_bytes(&r, r.bytes.n));
    const int64_t want[] = {2, 150, 3, 1020};
    assert_int_equal(r.p.n_samples, 1);
    assert_memory_equal(r.p.values, want, sizeof want);
    char text[200];
    (void)snprintf(text, sizeof text,
                   "1 malformed samples skipped, the first at offset %zu", bad);
    assert_int_equal(r.noted.n, 1);
    assert_string_equal(r.noted.text[0], text);
    finish(&r);
}

/* A sample, then a record whose size is less than that of its header. */
static void put_bad_size(struct recording *r, unsigned size)
{
    sample(r, 0x1234, 7, 1);
    begin(r, SAMPLE, USER);
    u64(r, 1);
    set(r, r->record + 6, size, 2);
    sample(r, 0x5678, 7, 2); /* which is lost */
}

static void check_bad_size(struct recording *r)
{
    char text[200];
    (void)snprintf(text, sizeof text,
                   "offset %zu: truncated or damaged record; it and all later "
                   "records are skipped",
                   r->record - 16);
    assert_int_equal(count_at(r, "", 0x1234), 1);
    assert_int_equal(r->p.n_samples, 1);
    assert_true(r->noted.n);
    assert_string_equal(r->noted.text[r->noted.n - 1], text);
    finish(r);
}

/* In a file, in one of a perf that was killed, and from a pipe. */
static void test_bad_size(void **state)
{
    (void)state;
    struct recording r;
    for (unsigned size = 0; size < 8; size++) {
        start(&r, false, IP | TID | TIME, 0);
        put_bad_size(&r, size);
        assert_true(convert(&r));
        check_bad_size(&r);

        start(&r, false, IP | TID | TIME, 0);
        put_bad_size(&r, size);
        assert_true(try_bytes(&r, r.bytes.n));
        check_bad_size(&r);

        start_pipe(&r, false);
        begin(&r, HEADER_ATTR, 0);
        attr(&r, IP | TID | TIME, 0);
        end(&r);
        put_bad_size(&r, size);
        assert_true(try_bytes(&r, r.bytes.n));
        check_bad_size(&r);
    }
}

/* A sample of a profile has a value for each event, if it is 0. */
static void test_many_events(void **state)
{
    (void)state;
    enum { EVENTS = 4096, SAMPLES = 40000 };
    struct recording r;
    start_pipe(&r, false);
    for (uint64_t id = 1; id <= EVENTS; id++) {
        begin(&r, HEADER_ATTR, 0);
        size_t at = r.bytes.n;
        attr(&r, IP | IDENTIFIER, 0);
        set(&r, at + 8, 100 + id, 8);
        u64(&r, id);
        end(&r);
    }
    for (uint64_t i = 0; i < SAMPLES; i++) {
        begin(&r, SAMPLE, USER);
        u64(&r, 1 + i % EVENTS);
        u64(&r, i);
        end(&r);
    }
    assert_false(try_bytes(&r, r.bytes.n));
    assert_said(r.err.text, "40000 different samples of 4096 events exceed 2 "
                            "GiB of values; select events with --event");
    prof_free(&r.p);
    r.p = (struct profile){0};
    const char *names[] = {"event-type-1-config-0x65"};
    r.opts.events = names;
    r.opts.n_events = 1;
    assert_true(try_bytes(&r, r.bytes.n));
    assert_int_equal(r.p.n_types, 2);
    finish(&r);
}

/* A mapping that comes after most samples of its round have been counted. */
static void test_late(void **state)
{
    (void)state;
    for (int n = 100; n; n = n == 100 ? 1000000 : 0) {
        struct recording r;
        start(&r, false, IP | TID | TIME, ID_ALL);
        for (int i = 0; i < n; i++)
            sample(&r, 0x1800, 7, 10 + (uint64_t)i);
        map(&r, 7, 0x1000, 0x1000, 0, "/bin/a");
        u64(&r, 7); /* pid, tid */
        u64(&r, 5);
        end(&r);
        assert_true(convert(&r));
        assert_int_equal(count_at(&r, "", 0x1800) > 0, n > 100);
        assert_int_equal(r.noted.n, n > 100);
        if (n > 100)
            assert_said(r.noted.text[0],
                        "1 records of mappings and names came too late to be "
                        "sorted by time: samples may lack functions or have "
                        "wrong ones");
        finish(&r);
    }
}

/* A zstd frame of one block that is not compressed, in a record. */
static void put_frame(struct recording *r, const uint8_t *v, size_t n)
{
    begin(r, COMPRESSED, 0);
    put(r, 0xfd2fb528, 4);
    put(r, 0x20, 1); /* the size of the content is in one byte */
    put(r, n, 1);
    put(r, 1 | n << 3, 3); /* the last block */
    assert_true(buf_put(&r->bytes, v, n));
    end(r);
}

/* Records in compressed data, of which the last is or is not complete. */
static void test_compressed_cut(void **state)
{
    (void)state;
    for (size_t missing = 0; missing < 9; missing += 8) {
        struct recording r, inner = {0};
        sample(&inner, 0x1234, 7, 1);
        sample(&inner, 0x5678, 7, 1);
        start(&r, false, IP | TID | TIME, 0);
        put_frame(&r, inner.bytes.v, inner.bytes.n - missing);
        assert_true(convert(&r));
        assert_int_equal(r.p.n_samples, missing ? 1 : 2);
        assert_int_equal(r.noted.n, missing ? 1 : 0);
        if (missing)
            assert_said(r.noted.text[0],
                        "offset 232: truncated or damaged record; it and all "
                        "later records are skipped");
        finish(&r);
        finish(&inner);
    }
}

/* Lists of ids that overlap would take the time of their product. */
static void test_same_ids(void **state)
{
    (void)state;
    struct recording r;
    const size_t data = DATA + ATTR + 16;
    start(&r, false, IP | TID, 0);
    attr(&r, IP | TID, 0);
    u64(&r, 0);
    u64(&r, 0);
    set(&r, 32, (uint64_t)2 * (ATTR + 16), 8);
    set(&r, 40, data, 8);
    set(&r, 48, 24, 8);
    sample(&r, 0x1234, 7, 1);
    for (int i = 0; i < 2; i++)
        set(&r, HEADER + i * (ATTR + 16) + ATTR + 8, data / 2 & ~7, 8);
    assert_true(try_bytes(&r, r.bytes.n));
    prof_free(&r.p);
    r.p = (struct profile){0};
    set(&r, DATA + ATTR + 8, data, 8);
    assert_false(try_bytes(&r, r.bytes.n));
    assert_said(r.err.text, "invalid header: the IDs of event 1 are in the "
                            "same place as those of other events");
    finish(&r);
}

/* A deferred chain that exceeds its record is named by its offset. */
static void test_bad_deferred(void **state)
{
    (void)state;
    struct recording r;
    start(&r, false, IP | TID, 0);
    begin(&r, CHAIN_DEFERRED, USER);
    u64(&r, 5);
    u64(&r, 9); /* addresses, of which there are none */
    end(&r);
    assert_true(convert(&r));
    assert_said(r.noted.text[0],
                "1 malformed samples skipped, the first at offset 232");
    finish(&r);
}

/* A period of perf script that is too large is not taken for 1. */
static void test_text_period(void **state)
{
    (void)state;
    struct recording r = {.opts.no_symbols = true};
    assert_true(buf_puts(&r.bytes, "a 1/1 1.000001: 9223372036854775808 x: \n"
                                   "\t1 f (/a)\n\n"));
    assert_false(try_bytes(&r, r.bytes.n));
    assert_said(r.err.text, "line 3: the period exceeds 63 bits");
    finish(&r);
}

/* Any prefix is a recording that was cut, or none. */
static void test_prefixes(void **state)
{
    (void)state;
    struct recording r;
    start(&r, false, IP | TID | TIME, ID_ALL);
    map(&r, 7, 0x1000, 0x1000, 0, "/bin/a");
    u64(&r, 0);
    u64(&r, 10);
    end(&r);
    sample(&r, 0x1800, 7, 20);
    sample(&r, 0x1801, 7, 30);
    size_t n = r.bytes.n;
    set(&r, 48, n - DATA, 8);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(try_bytes(&r, i), i >= DATA);
        prof_free(&r.p);
        r.p = (struct profile){0};
    }
    finish(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_basic),
        cmocka_unit_test(test_all_fields),
        cmocka_unit_test(test_default_event),
        cmocka_unit_test(test_two_ids),
        cmocka_unit_test(test_kernel_chain),
        cmocka_unit_test(test_group),
        cmocka_unit_test(test_kernel_from_zero),
        cmocka_unit_test(test_branch_calls),
        cmocka_unit_test(test_deferred),
        cmocka_unit_test(test_deferred_lost),
        cmocka_unit_test(test_deferred_many),
        cmocka_unit_test(test_overlap),
        cmocka_unit_test(test_fork),
        cmocka_unit_test(test_moved),
        cmocka_unit_test(test_jit),
        cmocka_unit_test(test_build_id),
        cmocka_unit_test(test_guest),
        cmocka_unit_test(test_not_unwound),
        cmocka_unit_test(test_hardware_trace),
        cmocka_unit_test(test_rounds),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_pipe),
        cmocka_unit_test(test_lost),
        cmocka_unit_test(test_lost_samples),
        cmocka_unit_test(test_malformed),
        cmocka_unit_test(test_large_period),
        cmocka_unit_test(test_large_counter),
        cmocka_unit_test(test_bad_size),
        cmocka_unit_test(test_late),
        cmocka_unit_test(test_many_events),
        cmocka_unit_test(test_compressed_cut),
        cmocka_unit_test(test_same_ids),
        cmocka_unit_test(test_bad_deferred),
        cmocka_unit_test(test_text_period),
        cmocka_unit_test(test_prefixes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
