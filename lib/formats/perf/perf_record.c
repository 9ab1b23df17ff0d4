/* perf_record.c - applies the records of the kernel in order of time */
#include <stdio.h>
#include <sys/mman.h>

#include "formats/perf/private.h"

enum { KSYMBOL_UNREGISTER = 1 };

static bool is_guest(uint32_t mode)
{
    return mode == PERF_MODE_GUEST_KERNEL || mode == PERF_MODE_GUEST_USER;
}

/* Handles MMAP and MMAP2: pid, tid, start, length, offset, ..., name. */
static bool handle_map(struct perf *p, const struct perf_record *r,
                       struct prof_err *err)
{
    struct perf_fields f = perf_fields_of(r, p->about.big);
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
            !perf_add_hex(&p->about, id + 4, *id, &map.build_id, err))
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
    return f.bad || is_guest(mode) || perf_add_map(&p->processes, &map, err);
}

/* --- samples -------------------------------------------------------------- */

/* Sets *name to the recorded name of a thread; if there is none, to the name
 * that perf script prints. */
static bool thread_name(struct perf *p, int32_t tid, uint32_t *name,
                        struct prof_err *err)
{
    char text[16] = "swapper";
    *name = perf_comm(&p->processes, tid);
    if (*name)
        return true;
    if (tid)
        (void)snprintf(text, sizeof text, ":%d", tid);
    return strtab_add(&p->about.names, text, strlen(text), name) ||
           err_nomem(err);
}

bool perf_is_listed(struct prof_slice s, const struct perf_names *names)
{
    for (size_t i = 0; i < names->list.n; i++)
        if (slice_is(s, names->list.v[i]))
            return true;
    return !names->list.n;
}

static bool is_wanted(struct perf *p, const struct perf_sample *s, bool *wanted,
                      struct prof_err *err)
{
    const struct perf_opts *o = p->opts;
    const uint64_t has = p->about.events.list.v[s->event].sample_type;
    const struct perf_taken taken = {.pid = has & PERF_HAS_TID ? s->pid : -1,
                                     .tid = has & PERF_HAS_TID ? s->tid : -1,
                                     .cpu = has & PERF_HAS_CPU ? (int64_t)s->cpu
                                                               : -1,
                                     .time = s->time};
    uint32_t comm;
    if (!perf_select(p, &taken, wanted, err))
        return false;
    if (!o->comms.list.n || !*wanted)
        return true;
    if (!thread_name(p, s->tid, &comm, err))
        return false;
    *wanted = perf_is_listed(strtab_slice(&p->about.names, comm), &o->comms);
    return true;
}

/*
 * Returns the number of threads that run now, at least 1 and at most the number
 * of processors: records of switches may be missing or late.
 */
static int64_t parallelism(const struct perf *p)
{
    const uint32_t most = p->about.n_cpus;
    int64_t n = most && p->running > most ? most : p->running;
    return n > 1 ? n : 1;
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
    return name && strtab_add(&p->about.names, name, strlen(name), &id) ? id
                                                                        : 0;
}

/* Sets *id to the set of the labels that are requested and recorded. */
static bool intern_labels(struct perf *p, const struct perf_sample *s,
                          uint32_t event, uint32_t *id, struct prof_err *err)
{
    const uint64_t type = p->about.events.list.v[event].sample_type;
    const bool has_tid = type & PERF_HAS_TID;
    uint32_t comm = 0, process_comm = 0;
    *id = 0;
    if (!perf_wanted_labels(p->opts))
        return true;
    if (!thread_name(p, s->tid, &comm, err) ||
        !thread_name(p, s->pid, &process_comm, err))
        return false;
    const uint32_t row = perf_ids_find(&p->cgroups, s->cgroup);
    const uint32_t cgroup = row == HASHIDX_NONE ? 0 : p->cgroups.v[row].value;
    const uint64_t mode = mode_name(p, s->mode);
    const struct perf_label values[PERF_LABELS] = {
        [PERF_LABEL_PID] = {has_tid || p->opts->each_process, (uint64_t)s->pid},
        [PERF_LABEL_TID] = {has_tid, (uint64_t)s->tid},
        [PERF_LABEL_COMM] = {has_tid, comm},
        [PERF_LABEL_PROCESS_COMM] = {has_tid, process_comm},
        [PERF_LABEL_CPU] = {type & PERF_HAS_CPU, s->cpu},
        [PERF_LABEL_CGROUP] = {cgroup, cgroup},
        [PERF_LABEL_EVENT] = {true, event},
        [PERF_LABEL_MODE] = {mode, mode},
        [PERF_LABEL_TIME] = {type & PERF_HAS_TIME, s->time},
        [PERF_LABEL_HOST] = {p->about.host.n, 0},
        [PERF_LABEL_PARALLELISM] = {p->about.events.flags & PERF_CONTEXT_SWITCH,
                                    (uint64_t)parallelism(p)},
    };
    return perf_intern_labels(p, values, id, err);
}

/* Returns the process whose mappings contain the addresses of a sample;
 * PERF_NO_PROCESS for a guest. */
static int32_t process_of(const struct perf_sample *s)
{
    return is_guest(s->mode) ? PERF_NO_PROCESS : s->pid;
}

/* Counts a sample or deferred call chain that is malformed or has a number that
 * exceeds 63 bits. */
static void count_bad(struct perf *p, const struct perf_record *r)
{
    if (!p->counts.bad_samples++)
        p->counts.first_bad = r->offset;
}

/* Counts a sample whose chain was set; `cookie` is that of the record with the
 * rest of its chain, or 0. */
static bool count_for(struct perf *p, const struct perf_sample *s,
                      uint64_t cookie, uint32_t event, uint64_t period,
                      struct prof_err *err)
{
    struct perf_count count = {
        .event = event, .samples = 1, .events = (int64_t)period};
    p->about.events.list.v[event].n_samples++;
    if (p->opts->latency) {
        if (period > INT64_MAX / PERF_LATENCY_PARTS)
            return err_input(err, "--latency: a period exceeds 53 bits");
        count.latency = (int64_t)period * PERF_LATENCY_PARTS / parallelism(p);
    }
    if (!intern_labels(p, s, event, &count.labels, err))
        return false;
    if (cookie)
        return perf_defer(p, process_of(s), cookie, &count, err);
    const struct perf_sampled sampled = {process_of(s), s->tid,
                                         &p->chains.chain};
    return perf_count_chain(&p->stacks, &p->processes, &sampled, &count, err);
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
    struct perf_events *events = &p->about.events;
    const struct perf_event *e = &events->list.v[s->event];
    bool by_thread = e->flags & PERF_INHERIT && e->sample_type & PERF_HAS_TID;
    for (uint64_t i = 0; i < s->n_counters; i++) {
        const size_t at = (size_t)i * s->counter_bytes;
        uint64_t period, value = perf_u64_at(s->counters + at, p->about.big);
        uint32_t row =
            perf_find_id(&p->about, perf_u64_at(s->ids + at, p->about.big));
        if (row == HASHIDX_NONE) {
            p->counts.no_event++;
            continue;
        }
        uint32_t event = events->ids.v[row].value;
        if (value > INT64_MAX) {
            count_bad(p, r);
            continue;
        }
        if (!perf_count_increase(events, row, by_thread ? s->tid : -1, value,
                                 &period, err) ||
            (period && cookie && !count_for(p, s, *cookie, event, period, err)))
            return false;
    }
    return true;
}

static bool handle_sample(struct perf *p, const struct perf_record *r,
                          struct prof_err *err)
{
    struct perf_sample s;
    bool wanted;
    uint64_t cookie;
    const bool ok = perf_parse_sample(&p->about, r, &s);
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
    const struct perf_process *process =
        perf_process(&p->processes, s.pid, err);
    if (!process)
        return false;
    if (process->program != PROF_NONE)
        p->processes.mappings.v[process->program].main_for++;
    perf_note_time(p, s.time);
    p->counts.guests += is_guest(s.mode);
    if (!perf_set_chain(&p->chains, &s, &cookie, err))
        return false;
    return s.counters ? count_group(p, r, &s, &cookie, err)
                      : count_for(p, &s, cookie, s.event, s.period, err);
}

/* --- all records ---------------------------------------------------------- */

static bool handle(struct perf *p, const struct perf_record *r,
                   struct prof_err *err)
{
    struct perf_fields f = perf_fields_of(r, p->about.big);
    switch (r->type) {
    case PERF_SAMPLE:
        return handle_sample(p, r, err);
    case PERF_MMAP:
    case PERF_MMAP2:
        return handle_map(p, r, err);
    case PERF_FORK: {
        struct perf_new_thread t;
        t.pid = (int32_t)perf_u32(&f);
        t.parent = (int32_t)perf_u32(&f);
        t.tid = (int32_t)perf_u32(&f);
        t.parent_tid = (int32_t)perf_u32(&f);
        /*
         * perf itself writes records with this bit, for processes that exist
         * when it starts.  All of their mappings follow.
         */
        const bool shares_maps = !(r->misc & PERF_MISC_FORK_EXEC);
        return f.bad || perf_fork(&p->processes, &t, shares_maps, err);
    }
    case PERF_SWITCH:
    case PERF_SWITCH_CPU_WIDE:
        p->running += r->misc & PERF_MISC_SWITCH_OUT ? -1 : 1;
        return true;
    case PERF_EXIT: /* the last switch of a thread is not recorded */
        p->running--;
        return true;
    case PERF_KSYMBOL: {
        struct perf_new_map map = {.pid = -1, .kernel = true};
        map.start = perf_u64(&f);
        map.size = perf_u32(&f);
        uint32_t kind = perf_u32(&f); /* and flags, of 16 bits each */
        uint32_t flags = p->about.big ? kind & 0xffff : kind >> 16;
        map.file = perf_string(&f);
        return f.bad || flags & KSYMBOL_UNREGISTER ||
               perf_add_map(&p->processes, &map, err);
    }
    case PERF_COMM: {
        int32_t pid = (int32_t)perf_u32(&f), tid = (int32_t)perf_u32(&f);
        return f.bad || perf_set_comm(&p->processes, pid, tid, perf_string(&f),
                                      r->misc & PERF_MISC_COMM_EXEC, err);
    }
    case PERF_CGROUP: {
        uint64_t id = perf_u64(&f);
        struct prof_slice path = perf_string(&f);
        uint32_t name, row;
        return f.bad || ((strtab_add(&p->about.names, path.s, path.n, &name) ||
                          err_nomem(err)) &&
                         perf_ids_add(&p->cgroups, id, name, &row, err));
    }
    case PERF_CALLCHAIN_DEFERRED: {
        uint64_t cookie = perf_u64(&f), n = perf_u64(&f);
        if (!f.bad && n <= perf_left(&f) / 8)
            return perf_end_deferred(p, cookie, f.at, n, err);
        count_bad(p, r);
        return true;
    }
    default:
        return true;
    }
}

bool perf_read(struct perf *p, const struct import_input *in,
               struct prof_err *err)
{
    struct perf_record record;
    int k = -1;
    if (perf_open(&p->reader, in, err))
        while ((k = perf_next(&p->reader, &record, err)) > 0)
            if (!handle(p, &record, err))
                return false;
    if (k == 0 && p->opts->latency &&
        !(p->about.events.flags & PERF_CONTEXT_SWITCH))
        return err_input(
            err, "--latency: the recording has no context switches; record "
                 "with perf record --latency or --switch-events");
    return k == 0 && perf_give_up_deferred(p, 0, err) &&
           perf_count_batch(&p->stacks, err) &&
           perf_find_kernel(&p->processes, err) &&
           perf_find_vdso(&p->processes, err);
}
