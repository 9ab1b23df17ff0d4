/* perf_record.c - what each record does, in order of time */
#include <stdio.h>
#include <sys/mman.h>

#include "formats/perf/private.h"

/* A sample whose user frames come later (CALLCHAIN_DEFERRED). */
struct perf_deferred {
    uint64_t cookie;
    int32_t pid;
    struct perf_count count;
    size_t at; /* in perf.deferred_frames: locations of its kernel frames */
    uint32_t n;
    uint32_t next; /* row of another with the cookie that waits, plus 1; or 0 */
    uint32_t first; /* the same in the first row of a cookie: of all of them */
    bool done;
};

enum {
    KSYMBOL_UNREGISTER = 1,
    MAX_DEFERRED = 4096, /* samples that wait for the rest of their chain */
};

static bool is_guest(uint32_t mode)
{
    return mode == PERF_MODE_GUEST_KERNEL || mode == PERF_MODE_GUEST_USER;
}

/* MMAP, MMAP2: pid, tid, start, length, offset, ..., name. */
static bool handle_map(struct perf *p, const struct perf_record *r,
                       struct prof_err *err)
{
    struct perf_fields f = perf_fields_of(r, p->big);
    struct perf_new_map map = {.pid = (int32_t)perf_u32(&f)};
    uint32_t mode = r->misc & PERF_MISC_MODE;
    bool executable = !(r->misc & PERF_MISC_MMAP_DATA);
    (void)perf_u32(&f); /* tid */
    map.start = perf_u64(&f);
    map.size = perf_u64(&f);
    map.offset = perf_u64(&f);
    if (r->type == PERF_MMAP2) {
        /* Device and inode, or a build ID; then protection and flags. */
        struct perf_fields file = f;
        const uint8_t *id = perf_skip(&f, 24);
        executable = perf_u32(&f) & PROT_EXEC;
        (void)perf_u32(&f);
        if (id && r->misc & PERF_MISC_MMAP_BUILD_ID &&
            !perf_add_hex(p, id + 4, *id, &map.build_id, err))
            return false;
        if (!(r->misc & PERF_MISC_MMAP_BUILD_ID)) {
            map.recorded.major = perf_u32(&file);
            map.recorded.minor = perf_u32(&file);
            map.recorded.inode = perf_u64(&file);
        }
    }
    map.file = perf_string(&f);
    map.executable = executable;
    map.kernel = mode == PERF_MODE_KERNEL || map.pid == -1;
    return f.bad || is_guest(mode) || perf_add_map(p, &map, err);
}

static bool handle_comm(struct perf *p, const struct perf_record *r,
                        struct prof_err *err)
{
    struct perf_fields f = perf_fields_of(r, p->big);
    int32_t pid = (int32_t)perf_u32(&f), tid = (int32_t)perf_u32(&f);
    return f.bad || perf_set_comm(p, pid, tid, perf_string(&f),
                                  r->misc & PERF_MISC_COMM_EXEC, err);
}

static bool handle_fork(struct perf *p, const struct perf_record *r,
                        struct prof_err *err)
{
    struct perf_fields f = perf_fields_of(r, p->big);
    int32_t pid = (int32_t)perf_u32(&f), parent = (int32_t)perf_u32(&f);
    int32_t tid = (int32_t)perf_u32(&f), parent_tid = (int32_t)perf_u32(&f);
    /*
     * perf itself writes such records, with this bit, for processes that exist
     * when it starts.  All of their mappings follow.
     */
    return f.bad || perf_fork(p, pid, parent, tid, parent_tid,
                              !(r->misc & PERF_MISC_FORK_EXEC), err);
}

/* Address, length, type, flags, name. */
static bool handle_ksymbol(struct perf *p, const struct perf_record *r,
                           struct prof_err *err)
{
    struct perf_fields f = perf_fields_of(r, p->big);
    struct perf_new_map map = {.pid = -1, .kernel = true};
    map.start = perf_u64(&f);
    map.size = perf_u32(&f);
    uint32_t kind = perf_u32(&f);
    uint32_t flags = p->big ? kind & 0xffff : kind >> 16;
    map.file = perf_string(&f);
    return f.bad || flags & KSYMBOL_UNREGISTER || perf_add_map(p, &map, err);
}

static bool handle_cgroup(struct perf *p, const struct perf_record *r,
                          struct prof_err *err)
{
    struct perf_fields f = perf_fields_of(r, p->big);
    uint64_t id = perf_u64(&f);
    struct prof_slice path = perf_string(&f);
    uint32_t name, row;
    if (f.bad)
        return true;
    return (strtab_add(&p->names, path.s, path.n, &name) || err_nomem(err)) &&
           perf_ids_add(p, &p->cgroups, id, name, &row, err);
}

/* --- samples -------------------------------------------------------------- */

/* Sets *name to the recorded name of a thread, or else to perf script's. */
static bool thread_name(struct perf *p, int32_t tid, uint32_t *name,
                        struct prof_err *err)
{
    char text[16] = "swapper";
    *name = perf_comm(p, tid);
    if (*name)
        return true;
    if (tid)
        (void)snprintf(text, sizeof text, ":%d", tid);
    return strtab_add(&p->names, text, strlen(text), name) || err_nomem(err);
}

static bool is_wanted(struct perf *p, const struct perf_sample *s, bool *wanted,
                      struct prof_err *err)
{
    const struct perf_opts *o = p->opts;
    uint32_t comm;
    *wanted = !o->n_pids;
    for (size_t i = 0; !*wanted && i < o->n_pids; i++)
        *wanted = o->pids[i] == s->pid;
    if (o->to && (s->time < o->from || s->time > o->to))
        *wanted = false;
    if (!o->n_comms || !*wanted)
        return true;
    if (!thread_name(p, s->tid, &comm, err))
        return false;
    *wanted = false;
    for (size_t i = 0; !*wanted && i < o->n_comms; i++)
        *wanted = strcmp(o->comms[i], strtab_str(&p->names, comm)) == 0;
    return true;
}

static uint64_t mode_name(struct perf *p, uint32_t mode)
{
    static const char *const names[] = {
        [PERF_MODE_KERNEL] = "Host Kernel",
        [PERF_MODE_USER] = "Host User",
        [PERF_MODE_HYPERVISOR] = "Hypervisor",
        [PERF_MODE_GUEST_KERNEL] = "Guest Kernel",
        [PERF_MODE_GUEST_USER] = "Guest User",
    };
    uint32_t id = 0;
    const char *name = mode < sizeof names / sizeof *names ? names[mode] : NULL;
    return name && strtab_add(&p->names, name, strlen(name), &id) ? id : 0;
}

static uint64_t cgroup_of(const struct perf *p, uint64_t id)
{
    uint32_t row = perf_ids_find(p, &p->cgroups, id);
    return row == HASHIDX_NONE ? 0 : p->cgroups.v[row].value;
}

/* Sets *id to the set of the labels that are requested and recorded. */
static bool intern_labels(struct perf *p, const struct perf_sample *s,
                          uint32_t event, uint32_t *id, struct prof_err *err)
{
    const unsigned pid = p->opts->each_process ? 1u << PERF_LABEL_PID : 0;
    const unsigned want = p->opts->labels | pid;
    uint64_t type = p->events.list.v[event].sample_type;
    struct perf_labels l = {0};
    uint32_t comm = 0, process_comm = 0;
    *id = 0;
    if (!want)
        return true;
    if (!thread_name(p, s->tid, &comm, err) ||
        !thread_name(p, s->pid, &process_comm, err))
        return false;
    const uint64_t values[PERF_LABELS] = {
        [PERF_LABEL_PID] = (uint64_t)s->pid,
        [PERF_LABEL_TID] = (uint64_t)s->tid,
        [PERF_LABEL_COMM] = comm,
        [PERF_LABEL_PROCESS_COMM] = process_comm,
        [PERF_LABEL_CPU] = s->cpu,
        [PERF_LABEL_CGROUP] = cgroup_of(p, s->cgroup),
        [PERF_LABEL_EVENT] = event,
        [PERF_LABEL_MODE] = mode_name(p, s->mode),
        [PERF_LABEL_TIME] = s->time,
    };
    unsigned has = pid | 1u << PERF_LABEL_EVENT;
    if (type & PERF_HAS_TID)
        has |= 1u << PERF_LABEL_PID | 1u << PERF_LABEL_TID |
               1u << PERF_LABEL_COMM | 1u << PERF_LABEL_PROCESS_COMM;
    if (type & PERF_HAS_CPU)
        has |= 1u << PERF_LABEL_CPU;
    if (values[PERF_LABEL_CGROUP])
        has |= 1u << PERF_LABEL_CGROUP;
    if (values[PERF_LABEL_MODE])
        has |= 1u << PERF_LABEL_MODE;
    if (type & PERF_HAS_TIME)
        has |= 1u << PERF_LABEL_TIME;
    l.has = want & has;
    for (size_t i = 0; i < PERF_LABELS; i++)
        l.v[i] = l.has >> i & 1 ? values[i] : 0;
    return perf_intern_labels(p, &l, id, err);
}

/* The process whose mappings hold the addresses; a guest has none. */
static int32_t process_of(const struct perf_sample *s)
{
    return is_guest(s->mode) ? PERF_NO_PROCESS : s->pid;
}

/* --- deferred call chains ------------------------------------------------- */

/* Counts a sample that was kept, with n more addresses of the user. */
static bool end_deferred(struct perf *p, struct perf_deferred *d,
                         const uint8_t *chain, uint64_t n, struct prof_err *err)
{
    size_t end = p->deferred_frames.n;
    d->done = true;
    p->n_waiting--;
    if (!vec_reserve(&p->deferred_frames, d->n))
        return err_nomem(err);
    for (uint32_t i = 0; i < d->n; i++)
        p->deferred_frames.v[p->deferred_frames.n++] =
            p->deferred_frames.v[d->at + i];
    bool ok = perf_set_deferred_chain(p, chain, n, err) &&
              perf_locate_chain(p, d->pid, err);
    const size_t all = p->deferred_frames.n - end;
    const size_t most = p->opts->max_stack ? (size_t)p->opts->max_stack : all;
    ok = ok && perf_count_locations(p, p->deferred_frames.v + end,
                                    most < all ? most : all, &d->count, err);
    p->deferred_frames.n = end;
    return ok;
}

/* Counts a sample whose user frames did not come. */
static bool give_up(struct perf *p, struct perf_deferred *d,
                    struct prof_err *err)
{
    p->counts.not_joined++;
    return end_deferred(p, d, NULL, 0, err);
}

/* The first row with this cookie, or HASHIDX_NONE; *at as hashidx_next(). */
static uint32_t find_cookie(const struct perf *p, uint64_t cookie,
                            uint32_t *hash, size_t *at)
{
    uint32_t row;
    *hash = mix_fold(mix_pair(p->seed, cookie, 6));
    *at = hashidx_start(&p->deferred_index, *hash);
    while ((row = hashidx_next(&p->deferred_index, *hash, at)) != HASHIDX_NONE)
        if (p->deferred.v[row].cookie == cookie)
            break;
    return row;
}

/* Puts a sample that waits into the list of its cookie. */
static bool list_deferred(struct perf *p, uint32_t row, struct prof_err *err)
{
    struct perf_deferred *d = &p->deferred.v[row];
    uint32_t hash;
    size_t at;
    if (!hashidx_room(&p->deferred_index))
        return err_nomem(err);
    uint32_t first = find_cookie(p, d->cookie, &hash, &at);
    d->first = d->next = 0;
    if (first == HASHIDX_NONE) {
        hashidx_put(&p->deferred_index, at, hash, row);
        d->first = row + 1;
        return true;
    }
    d->next = p->deferred.v[first].first;
    p->deferred.v[first].first = row + 1;
    return true;
}

/* Drops all that are done and, if most others wait, the older half of these. */
static bool make_room(struct perf *p, struct prof_err *err)
{
    size_t n = 0, n_frames = 0;
    for (size_t i = 0; i < p->deferred.n && p->n_waiting > MAX_DEFERRED / 2;
         i++)
        if (!p->deferred.v[i].done && !give_up(p, &p->deferred.v[i], err))
            return false;
    hashidx_clear(&p->deferred_index);
    for (size_t i = 0; i < p->deferred.n; i++) {
        struct perf_deferred *d = &p->deferred.v[n];
        if (p->deferred.v[i].done)
            continue;
        *d = p->deferred.v[i];
        for (uint32_t k = 0; k < d->n; k++)
            p->deferred_frames.v[n_frames + k] =
                p->deferred_frames.v[d->at + k];
        d->at = n_frames;
        n_frames += d->n;
        if (!list_deferred(p, (uint32_t)n++, err))
            return false;
    }
    p->deferred.n = n;
    p->deferred_frames.n = n_frames;
    return true;
}

/* Keeps a sample until the rest of its call chain comes. */
static bool defer(struct perf *p, const struct perf_sample *s, uint64_t cookie,
                  struct perf_count *count, struct prof_err *err)
{
    struct perf_deferred d = {.cookie = cookie,
                              .pid = process_of(s),
                              .count = *count,
                              .at = p->deferred_frames.n,
                              .n = (uint32_t)p->chain.n};
    if (!perf_locate_chain(p, process_of(s), err))
        return false;
    if (!vec_push(&p->deferred, d))
        return err_nomem(err);
    p->n_waiting++;
    return list_deferred(p, (uint32_t)p->deferred.n - 1, err);
}

/* A malformed sample, or one with a number that exceeds 63 bits. */
static void count_bad(struct perf *p, const struct perf_record *r)
{
    if (!p->counts.bad_samples++)
        p->counts.first_bad = r->offset;
}

static bool count_for(struct perf *p, const struct perf_sample *s,
                      uint64_t cookie, uint32_t event, uint64_t period,
                      struct prof_err *err)
{
    struct perf_count count = {
        .event = event, .samples = 1, .events = (int64_t)period};
    p->events.list.v[event].n_samples++;
    if (!intern_labels(p, s, event, &count.labels, err))
        return false;
    if (cookie)
        return defer(p, s, cookie, &count, err);
    return perf_count_chain(p, process_of(s), s->tid, &count, err);
}

/*
 * Counts a sample with counters once for each event of its group whose counter
 * has increased since the previous sample; the increase is the period, as in
 * perf script.  Inherited events (Linux 6.12) have a counter for each thread.
 * If options exclude the sample (cookie is null), the counters are only stored.
 */
static bool count_group(struct perf *p, const struct perf_record *r,
                        const struct perf_sample *s, const uint64_t *cookie,
                        struct prof_err *err)
{
    const struct perf_event *e = &p->events.list.v[s->event];
    bool by_thread = e->flags & PERF_INHERIT && e->sample_type & PERF_HAS_TID;
    for (uint64_t i = 0; i < s->n_counters; i++) {
        const uint8_t *at = s->counters + i * s->counter_bytes;
        uint64_t period, value = perf_u64_at(at, p->big);
        at = s->ids + i * s->counter_bytes;
        uint32_t row = perf_find_id(p, perf_u64_at(at, p->big));
        if (row == HASHIDX_NONE) {
            p->counts.no_event++;
            continue;
        }
        uint32_t event = p->events.ids.v[row].value;
        if (value > INT64_MAX) {
            count_bad(p, r);
            continue;
        }
        if (!perf_count_increase(p, row, by_thread ? s->tid : -1, value,
                                 &period, err) ||
            (period && cookie && !count_for(p, s, *cookie, event, period, err)))
            return false;
    }
    return true;
}

static void note_time(struct perf *p, const struct perf_sample *s)
{
    if (s->time == PERF_NO_TIME || !s->time)
        return;
    if (!p->first_time || s->time < p->first_time)
        p->first_time = s->time;
    if (s->time > p->last_time)
        p->last_time = s->time;
}

static bool handle_sample(struct perf *p, const struct perf_record *r,
                          struct prof_err *err)
{
    struct perf_sample s;
    bool wanted;
    uint64_t cookie;
    bool ok = perf_parse_sample(p, r, &s);
    if (s.event == PROF_NONE) {
        p->counts.no_event++;
        return true;
    }
    if (!ok || (!s.counters && s.period > INT64_MAX)) {
        count_bad(p, r);
        return true;
    }
    if (!is_wanted(p, &s, &wanted, err))
        return false;
    if (!wanted) {
        p->counts.filtered++;
        return !s.counters || count_group(p, r, &s, NULL, err);
    }
    struct perf_process *process = perf_process(p, s.pid, err);
    if (!process)
        return false;
    if (process->program != PROF_NONE)
        p->processes.mappings.v[process->program].main_for++;
    note_time(p, &s);
    p->counts.guests += is_guest(s.mode);
    if ((p->deferred.n >= MAX_DEFERRED && !make_room(p, err)) ||
        !perf_set_chain(p, &s, &cookie, err))
        return false;
    return s.counters ? count_group(p, r, &s, &cookie, err)
                      : count_for(p, &s, cookie, s.event, s.period, err);
}

/* Cookie, number, addresses: the rest of all samples that wait for this cookie.
 */
static bool handle_deferred(struct perf *p, const struct perf_record *r,
                            struct prof_err *err)
{
    struct perf_fields f = perf_fields_of(r, p->big);
    uint64_t cookie = perf_u64(&f), n = perf_u64(&f);
    uint32_t hash, first;
    size_t at;
    if (f.bad || n > perf_left(&f) / 8) {
        count_bad(p, r);
        return true;
    }
    if (!p->n_waiting ||
        (first = find_cookie(p, cookie, &hash, &at)) == HASHIDX_NONE)
        return true;
    struct perf_deferred *list = p->deferred.v;
    for (uint32_t i = list[first].first; i; i = list[i - 1].next)
        if (!end_deferred(p, &list[i - 1], f.at, n, err))
            return false;
    list[first].first = 0;
    return true;
}

/*
 * Removes from the sum of LOST what LOST_SAMPLES reports, too: with
 * PERF_FORMAT_LOST, perf writes LOST_SAMPLES at the end, for all samples that
 * each event lost, whether or not a LOST record reported them.
 */
static void count_lost_once(struct perf *p)
{
    struct perf_counts *c = &p->counts;
    uint64_t formats = 0;
    for (size_t i = 0; i < p->events.list.n; i++)
        formats |= p->events.list.v[i].read_format;
    if (formats & PERF_FORMAT_LOST)
        c->lost_events -= c->lost < c->lost_events ? c->lost : c->lost_events;
}

bool perf_finish_records(struct perf *p, struct prof_err *err)
{
    count_lost_once(p);
    for (size_t i = 0; i < p->deferred.n; i++)
        if (!p->deferred.v[i].done && !give_up(p, &p->deferred.v[i], err))
            return false;
    p->deferred.n = p->deferred_frames.n = 0;
    return perf_count_waiting(p, err) && perf_find_kernel(p, err) &&
           perf_find_vdso(p, err);
}

static void handle_lost(struct perf *p, const struct perf_record *r)
{
    struct perf_fields f = perf_fields_of(r, p->big);
    if (r->type == PERF_LOST)
        (void)perf_u64(&f); /* id */
    uint64_t n = perf_u64(&f);
    uint64_t *sum =
        r->type == PERF_LOST ? &p->counts.lost_events : &p->counts.lost;
    if (r->type == PERF_LOST_SAMPLES && r->misc & PERF_MISC_LOST_BY_BPF)
        return;
    *sum = n > UINT64_MAX - *sum ? UINT64_MAX : *sum + n;
}

bool perf_deliver(struct perf *p, const struct perf_record *r,
                  struct prof_err *err)
{
    switch (r->type) {
    case PERF_SAMPLE:
        return handle_sample(p, r, err);
    case PERF_MMAP:
    case PERF_MMAP2:
        return handle_map(p, r, err);
    case PERF_COMM:
        return handle_comm(p, r, err);
    case PERF_FORK:
        return handle_fork(p, r, err);
    case PERF_KSYMBOL:
        return handle_ksymbol(p, r, err);
    case PERF_CGROUP:
        return handle_cgroup(p, r, err);
    case PERF_CALLCHAIN_DEFERRED:
        return handle_deferred(p, r, err);
    case PERF_LOST:
    case PERF_LOST_SAMPLES:
        handle_lost(p, r);
        return true;
    case PERF_THROTTLE:
        p->counts.throttled++;
        return true;
    default:
        return true;
    }
}
