/* perf_sample.c - reads the fields of samples and the ends of other records */
#include "formats/perf/private.h"

enum {
    READ_ENABLED = 1,
    READ_RUNNING = 2,
    READ_ID = 4,
    READ_GROUP = 8,
    BRANCH_HW_INDEX = 1 << 17,
    BRANCH_COUNTERS = 1 << 19,
};

static unsigned count_bits(uint64_t v)
{
    unsigned n = 0;
    for (; v; v &= v - 1)
        n++;
    return n;
}

/* Returns the event of a sample, found by id if there are several. */
static uint32_t sample_event(const struct perf_about *a,
                             const struct perf_record *r)
{
    const struct perf_events *events = &a->events;
    if (events->list.n <= 1)
        return events->list.n ? 0 : PROF_NONE;
    const size_t at = events->list.v[0].layout.id;
    if (!at || at + 8 > r->n)
        return PROF_NONE;
    uint64_t id = perf_u64_at(r->v + at, a->big);
    uint32_t row = id ? perf_find_id(a, id) : HASHIDX_NONE;
    if (!id)
        return 0;
    return row == HASHIDX_NONE ? PROF_NONE : events->ids.v[row].value;
}

/* Reads the counters of an event or, with READ_GROUP, of its group. */
static void read_counters(struct perf_fields *f, uint64_t format,
                          struct perf_sample *s)
{
    bool group = format & READ_GROUP;
    const uint8_t *value = f->at;
    uint64_t n = perf_u64(f); /* the number of counters, or the only value */
    if (format & READ_ENABLED)
        (void)perf_u64(f);
    if (format & READ_RUNNING)
        (void)perf_u64(f);
    size_t bytes = (group ? 8 : 0) + (format & READ_ID ? 8 : 0) +
                   (format & PERF_FORMAT_LOST ? 8 : 0);
    const uint8_t *ids = f->at + (group ? 8 : 0);
    if (group)
        value = f->at;
    else
        n = 1;
    if (bytes && n > perf_left(f) / bytes) {
        f->bad = true;
        return;
    }
    (void)perf_skip(f, n * bytes);
    if (!(format & READ_ID))
        return;
    s->counters = value;
    s->ids = ids;
    s->n_counters = n;
    s->counter_bytes = bytes;
}

static void read_chain(struct perf_fields *f, struct perf_sample *s)
{
    uint64_t n = perf_u64(f);
    if (n > perf_left(f) / 8) {
        f->bad = true;
        return;
    }
    s->chain = perf_skip(f, 8 * n);
    s->n_chain = n;
}

static void read_branches(struct perf_fields *f, const struct perf_event *e,
                          struct perf_sample *s)
{
    uint64_t n = perf_u64(f);
    if (e->branch_type & BRANCH_HW_INDEX)
        (void)perf_u64(f);
    if (n > perf_left(f) / PERF_BRANCH_BYTES) {
        f->bad = true;
        return;
    }
    s->branches = perf_skip(f, PERF_BRANCH_BYTES * n);
    s->n_branches = n;
    if (e->branch_type & BRANCH_COUNTERS)
        (void)perf_skip(f, 8 * n);
}

static void read_regs(struct perf_fields *f, uint64_t mask,
                      struct perf_sample *s)
{
    uint64_t abi = perf_u64(f);
    if (!abi)
        return;
    unsigned n = count_bits(mask);
    const uint8_t *regs = perf_skip(f, 8 * (uint64_t)n);
    if (!s || !regs)
        return;
    s->regs_abi = abi;
    s->regs = regs;
    s->n_regs = n;
}

static void read_stack(struct perf_fields *f, struct perf_sample *s)
{
    uint64_t n = perf_u64(f);
    if (!n)
        return;
    const uint8_t *stack = perf_skip(f, n);
    uint64_t used = perf_u64(f);
    if (!stack || f->bad)
        return;
    s->stack = stack;
    s->n_stack = used < n ? used : n;
    s->stack_is_full = used >= n;
}

/* Reads the fields that have no fixed offset, as far as they are used. */
static void read_variable(struct perf_fields *f, const struct perf_event *e,
                          struct perf_sample *s)
{
    uint64_t type = e->sample_type;
    if (type & PERF_HAS_READ)
        read_counters(f, e->read_format, s);
    if (type & PERF_HAS_CALLCHAIN)
        read_chain(f, s);
    if (type & PERF_HAS_RAW)
        (void)perf_skip(f, perf_u32(f));
    if (type & PERF_HAS_BRANCH_STACK)
        read_branches(f, e, s);
    if (type & PERF_HAS_REGS_USER)
        read_regs(f, e->regs_user, s);
    if (type & PERF_HAS_STACK_USER)
        read_stack(f, s);
    if (!(type & PERF_HAS_CGROUP))
        return;
    if (type & (PERF_HAS_WEIGHT | PERF_HAS_WEIGHT_STRUCT))
        (void)perf_u64(f);
    if (type & PERF_HAS_DATA_SRC)
        (void)perf_u64(f);
    if (type & PERF_HAS_TRANSACTION)
        (void)perf_u64(f);
    if (type & PERF_HAS_REGS_INTR)
        read_regs(f, e->regs_intr, NULL);
    if (type & PERF_HAS_PHYS_ADDR)
        (void)perf_u64(f);
    s->cgroup = perf_u64(f);
}

bool perf_parse_sample(const struct perf_about *a, const struct perf_record *r,
                       struct perf_sample *s)
{
    const bool big = a->big;
    const uint8_t *v = r->v;
    s->event = sample_event(a, r);
    s->mode = r->misc & PERF_MISC_MODE;
    if (s->event == PROF_NONE)
        return false;
    const struct perf_event *e = &a->events.list.v[s->event];
    const struct perf_layout *at = &e->layout;
    struct perf_fields f = perf_fields_of(r, big);
    if (!perf_skip(&f, at->end - PERF_HEADER_BYTES))
        return false;
    s->ip = at->ip ? perf_u64_at(v + at->ip, big) : 0;
    s->pid = at->tid ? (int32_t)perf_u32_at(v + at->tid, big) : -1;
    s->tid = at->tid ? (int32_t)perf_u32_at(v + at->tid + 4, big) : -1;
    s->time = at->time ? perf_u64_at(v + at->time, big) : PERF_NO_TIME;
    s->cpu = at->cpu ? perf_u32_at(v + at->cpu, big) : 0;
    s->period = at->period ? perf_u64_at(v + at->period, big) : e->period;
    /* Compilers would clear the whole struct with a slow instruction. */
    s->chain = s->branches = s->regs = s->stack = NULL;
    s->n_chain = s->n_branches = s->n_stack = s->regs_abi = 0;
    s->n_regs = 0;
    s->counters = s->ids = NULL;
    s->n_counters = 0;
    s->counter_bytes = 0;
    s->cgroup = 0;
    read_variable(&f, e, s);
    return !f.bad;
}

/* Returns the event that determines the layout of the trailing fields of a
 * record. */
static const struct perf_event *trailer_event(const struct perf_about *a,
                                              const struct perf_record *r)
{
    const struct perf_event *first = &a->events.list.v[0];
    const uint64_t type = first->sample_type;
    size_t back = 8; /* distance of the id from the end of the record */
    if (!(type & PERF_HAS_IDENTIFIER))
        back +=
            (size_t)8 * count_bits(type & (PERF_HAS_CPU | PERF_HAS_STREAM_ID));
    if (a->events.list.n == 1 ||
        !(type & (PERF_HAS_IDENTIFIER | PERF_HAS_ID)) ||
        back > r->n - PERF_HEADER_BYTES)
        return first;
    uint64_t id = perf_u64_at(r->v + r->n - back, a->big);
    uint32_t row = id ? perf_find_id(a, id) : HASHIDX_NONE;
    return row == HASHIDX_NONE ? first
                               : &a->events.list.v[a->events.ids.v[row].value];
}

uint64_t perf_record_time(const struct perf_about *a,
                          const struct perf_record *r)
{
    if (!a->events.list.n)
        return PERF_NO_TIME;
    if (r->type == PERF_SAMPLE) {
        const uint32_t event = sample_event(a, r);
        if (event == PROF_NONE)
            return PERF_NO_TIME;
        const size_t at = a->events.list.v[event].layout.time;
        return at && at + 8 <= r->n ? perf_u64_at(r->v + at, a->big)
                                    : PERF_NO_TIME;
    }
    /* Other records have the time in their trailing fields (SAMPLE_ID_ALL). */
    const struct perf_event *e = trailer_event(a, r);
    const uint64_t behind =
        PERF_HAS_ID | PERF_HAS_STREAM_ID | PERF_HAS_CPU | PERF_HAS_IDENTIFIER;
    const size_t back = (size_t)8 * (1 + count_bits(e->sample_type & behind));
    if (!(e->flags & PERF_SAMPLE_ID_ALL) || !(e->sample_type & PERF_HAS_TIME) ||
        back > r->n - PERF_HEADER_BYTES)
        return PERF_NO_TIME;
    return perf_u64_at(r->v + r->n - back, a->big);
}
