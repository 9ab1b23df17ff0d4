/* perf_attr.c - events: their attributes, the ids of their samples, names */
#include <inttypes.h>

#include "formats/perf/private.h"

enum {
    MAX_EVENTS = 4096,
};

/* Returns the 64-bit field at offset `at`, or 0 if the attribute ends before.
 */
static uint64_t field(const uint8_t *attr, size_t n, size_t at, bool big)
{
    return at + 8 <= n ? perf_u64_at(attr + at, big) : 0;
}

/*
 * Returns the offsets of the fields of samples; `type` is the event's
 * sample_type.  If samples have two ids, the first one is used: its offset does
 * not depend on the other fields.
 */
static struct perf_layout layout_of(uint64_t type)
{
    struct perf_layout at = {0};
    uint8_t ignored = 0;
    const struct {
        uint64_t bit;
        uint8_t *at;
    } fields[] = {
        {PERF_HAS_IDENTIFIER, &at.id},  {PERF_HAS_IP, &at.ip},
        {PERF_HAS_TID, &at.tid},        {PERF_HAS_TIME, &at.time},
        {PERF_HAS_ADDR, &ignored},      {PERF_HAS_ID, &at.id},
        {PERF_HAS_STREAM_ID, &ignored}, {PERF_HAS_CPU, &at.cpu},
        {PERF_HAS_PERIOD, &at.period},
    };
    at.end = PERF_HEADER_BYTES;
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (type & fields[i].bit) {
            if (!*fields[i].at)
                *fields[i].at = at.end;
            at.end += 8;
        }
    return at;
}

bool perf_add_event(struct perf_about *a, const uint8_t *attr, size_t n,
                    struct prof_err *err)
{
    bool big = a->big;
    if (n < PERF_ATTR_MIN)
        return err_input(err, "invalid event attribute of %zu bytes", n);
    uint32_t size = perf_u32_at(attr + 4, big);
    if (size && size < n)
        n = size < PERF_ATTR_MIN ? PERF_ATTR_MIN : size;
    if (a->events.list.n == MAX_EVENTS)
        return err_input(err, "more than %d events", MAX_EVENTS);
    uint64_t flags = 0;
    /* On big-endian machines, bit fields begin at the top bit of a byte. */
    for (unsigned i = 0; i < 64; i++)
        flags |= (uint64_t)(attr[40 + i / 8] >> (big ? 7 - i % 8 : i % 8) & 1)
                 << i;
    const uint16_t max_chain = n >= 110 ? (big ? be16 : le16)(attr + 108) : 0;
    const struct perf_event e = {
        .type = perf_u32_at(attr, big),
        .config = field(attr, n, 8, big),
        .period = field(attr, n, 16, big),
        .sample_type = field(attr, n, 24, big),
        .read_format = field(attr, n, 32, big),
        .flags = flags,
        .bp_type = perf_u32_at(attr + 52, big),
        .bp_address = field(attr, n, 56, big),
        .branch_type = field(attr, n, 72, big),
        .regs_user = field(attr, n, 80, big),
        .regs_intr = field(attr, n, 96, big),
        .stack_user = n >= 92 ? perf_u32_at(attr + 88, big) : 0,
        .max_chain = max_chain ? max_chain : PERF_MAX_STACK,
        .layout = layout_of(field(attr, n, 24, big)),
    };
    a->events.types |= e.sample_type;
    a->events.formats |= e.read_format;
    a->events.flags |= e.flags;
    return vec_push(&a->events.list, e) || err_nomem(err);
}

bool perf_add_id(struct perf_about *a, uint64_t id, uint32_t event,
                 struct prof_err *err)
{
    uint32_t row;
    return perf_ids_add(&a->events.ids, id, event, &row, err);
}

bool perf_count_increase(struct perf_events *e, uint32_t id_row, int32_t tid,
                         uint64_t value, uint64_t *period, struct prof_err *err)
{
    const uint64_t id = (uint64_t)id_row << 32 | (uint32_t)tid;
    uint32_t row;
    if (!perf_ids_add(&e->by_counter, id, 0, &row, err))
        return false;
    if (row == e->counters.n && !vec_push(&e->counters, 0))
        return err_nomem(err);
    uint64_t *last = &e->counters.v[row];
    /* A lower value than before is of a new thread with a reused number. */
    *period = value < *last ? value : value - *last;
    *last = value;
    return true;
}

bool perf_name_event(struct perf_about *a, uint32_t event,
                     struct prof_slice name, struct prof_err *err)
{
    return !name.n ||
           strtab_add(&a->names, name.s, name.n,
                      &a->events.list.v[event].name) ||
           err_nomem(err);
}

/* --- records of perf ------------------------------------------------------ */

/* Reads HEADER_ATTR: an attribute, which begins with its size, then ids. */
bool perf_read_attr_record(struct perf_about *a, const struct perf_record *r,
                           struct prof_err *err)
{
    struct perf_fields f = perf_fields_of(r, a->big);
    const uint8_t *attr = f.at;
    uint32_t event = (uint32_t)a->events.list.n;
    if (perf_left(&f) < PERF_ATTR_MIN)
        return err_input(err, "truncated event attribute");
    uint32_t size = perf_u32_at(attr + 4, a->big);
    if (!perf_skip(&f, size ? size : PERF_ATTR_MIN) || size % 8)
        return err_input(err, "invalid event attribute size %u", size);
    if (!perf_add_event(a, attr, size ? size : PERF_ATTR_MIN, err))
        return false;
    while (perf_left(&f) >= 8)
        if (!perf_add_id(a, perf_u64(&f), event, err))
            return false;
    return true;
}

/* Reads the name in EVENT_UPDATE; its other kinds (unit, scale, CPUs) are
 * ignored. */
bool perf_read_event_update(struct perf_about *a, const struct perf_record *r,
                            struct prof_err *err)
{
    enum { UPDATE_NAME = 2 };
    struct perf_fields f = perf_fields_of(r, a->big);
    uint64_t type = perf_u64(&f), id = perf_u64(&f);
    uint32_t row = f.bad ? HASHIDX_NONE : perf_find_id(a, id);
    if (type != UPDATE_NAME || row == HASHIDX_NONE)
        return true;
    return perf_name_event(a, a->events.ids.v[row].value, perf_string(&f), err);
}

/* Reads EVENT_TYPE: the config of a tracepoint's attribute, then its name. */
bool perf_read_event_type(struct perf_about *a, struct perf_fields f,
                          struct prof_err *err)
{
    uint64_t config = perf_u64(&f);
    f.end = perf_left(&f) > PERF_EVENT_TYPE_NAME ? f.at + PERF_EVENT_TYPE_NAME
                                                 : f.end;
    struct prof_slice name = perf_string(&f);
    for (uint32_t i = 0; i < a->events.list.n; i++) {
        const struct perf_event *e = &a->events.list.v[i];
        if (e->config == config && !e->name &&
            !perf_name_event(a, i, name, err))
            return false;
    }
    return true;
}

/* --- names of events that the recording does not name --------------------- */

static const char *const hardware[] = {
    "cycles",
    "instructions",
    "cache-references",
    "cache-misses",
    "branches",
    "branch-misses",
    "bus-cycles",
    "stalled-cycles-frontend",
    "stalled-cycles-backend",
    "ref-cycles",
};

static const char *const software[] = {
    "cpu-clock",        "task-clock",   "page-faults",  "context-switches",
    "cpu-migrations",   "minor-faults", "major-faults", "alignment-faults",
    "emulation-faults", "dummy",        "bpf-output",   "cgroup-switches",
};

const char *perf_event_unit(const struct perf_event *e, struct prof_slice name)
{
    static const char *const clocks[] = {"cpu-clock", "task-clock"};
    bool is_time = slice_begins_with(name, "sched:sched_stat_") ||
                   (e && e->type == PERF_TYPE_SOFTWARE && e->config < 2);
    for (size_t i = 0; !e && i < 2; i++) {
        const size_t n = strlen(clocks[i]);
        is_time |= slice_begins_with(name, clocks[i]) &&
                   (name.n == n || name.s[n] == ':' || name.s[n] == '/');
    }
    return is_time ? "nanoseconds" : "count";
}

/* Appends the name of a cache event, such as "L1-dcache-loads"; nothing if it
 * has none. */
static bool put_cache_name(struct buf *b, uint64_t config)
{
    static const char *const caches[] = {
        "L1-dcache", "L1-icache", "LLC", "dTLB", "iTLB", "branch", "node"};
    static const char *const actions[][2] = {
        {"loads", "load"}, {"stores", "store"}, {"prefetches", "prefetch"}};
    const size_t cache = config & 255, action = config >> 8 & 255;
    const size_t misses = config >> 16 & 255;
    return cache >= sizeof caches / sizeof *caches ||
           action >= sizeof actions / sizeof *actions || misses > 1 ||
           buf_printf(b, "%s-%s%s", caches[cache], actions[action][misses],
                      misses ? "-misses" : "");
}

/*
 * Appends modifiers such as ":u", ":ppp" or ":kH", as perf prints them: the
 * contexts that are not excluded, the precision of addresses, and host or
 * guest.  If nothing is excluded, perf before 6.13 prints ":HG", later nothing.
 */
static bool put_modifier(struct buf *b, const struct perf_event *e)
{
    static const struct {
        uint64_t excluded;
        char letter;
    } modes[] = {{PERF_EXCLUDE_KERNEL, 'k'},
                 {PERF_EXCLUDE_USER, 'u'},
                 {PERF_EXCLUDE_HV, 'h'}};
    const unsigned precise = (unsigned)(e->flags >> PERF_PRECISE_SHIFT) & 3;
    const bool excludes =
        e->flags & (PERF_EXCLUDE_KERNEL | PERF_EXCLUDE_USER | PERF_EXCLUDE_HV);
    const bool no_host = e->flags & PERF_EXCLUDE_HOST;
    const bool no_guest = e->flags & PERF_EXCLUDE_GUEST;
    char letters[10], *to = letters;
    for (size_t i = 0; excludes && i < sizeof modes / sizeof *modes; i++)
        if (!(e->flags & modes[i].excluded))
            *to++ = modes[i].letter;
    for (unsigned i = 0; i < precise; i++)
        *to++ = 'p';
    if (!no_host && no_guest && (excludes || precise))
        *to++ = 'H';
    if (no_host && !no_guest)
        *to++ = 'G';
    *to = 0;
    return to == letters || buf_printf(b, ":%s", letters);
}

/* Appends the name of an event without modifiers; nothing if it has none. */
static bool put_plain_name(struct buf *b, const struct perf_event *e)
{
    const uint64_t config = e->config & UINT32_MAX;
    bool ok;
    switch (e->type) {
    case PERF_TYPE_HARDWARE:
        return config >= sizeof hardware / sizeof *hardware ||
               buf_puts(b, hardware[config]);
    case PERF_TYPE_SOFTWARE:
        return config >= sizeof software / sizeof *software ||
               buf_puts(b, software[config]);
    case PERF_TYPE_CACHE:
        return put_cache_name(b, e->config);
    case PERF_TYPE_RAW:
        return buf_printf(b, "raw 0x%" PRIx64, e->config);
    case PERF_TYPE_BREAKPOINT: /* "mem:0x1234:rw" */
        ok = buf_printf(b, "mem:0x%" PRIx64 ":", e->bp_address);
        for (unsigned i = 0; i < 3; i++)
            if (e->bp_type >> i & 1)
                ok = ok && buf_putc(b, "rwx"[i]);
        return ok;
    default:
        return true;
    }
}

static bool put_name(struct buf *b, const struct perf_event *e)
{
    if (!put_plain_name(b, e))
        return false;
    if (b->n)
        return put_modifier(b, e);
    if (e->type == PERF_TYPE_TRACEPOINT)
        return buf_printf(b, "tracepoint:%" PRIu64, e->config);
    return buf_printf(b, "event-type-%u-config-0x%" PRIx64, e->type, e->config);
}

bool perf_name_events(struct perf_about *a, struct prof_err *err)
{
    struct buf b = {0};
    bool ok = true;
    for (uint32_t i = 0; ok && i < a->events.list.n; i++) {
        struct perf_event *e = &a->events.list.v[i];
        b.n = 0;
        ok = e->name || ((put_name(&b, e) || err_nomem(err)) &&
                         perf_name_event(a, i, buf_slice(&b), err));
        e->unit = perf_event_unit(e, strtab_slice(&a->names, e->name));
    }
    buf_free(&b);
    return ok;
}
