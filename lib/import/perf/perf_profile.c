/* perf_profile.c - the profile of what was counted */
#include "import/perf/private.h"

enum { SOFTWARE_DUMMY = 9 }; /* config of a software event */

struct making {
    struct perf *p;
    int64_t pid; /* only this process, or PERF_ALL_PIDS */
    struct profile *out;
    uint32_t *column;   /* by event: of its samples; or PROF_NONE */
    uint32_t *mapping;  /* by mapping: of the profile, or PROF_NONE */
    uint32_t *location; /* by location of the stacks: of the profile */
    uint32_t *labels;   /* by label set: of the profile, plus 1; 0: not yet */
    int64_t *values;    /* of a sample */
    VEC(uint32_t) frames;
};

/* --- sample types --------------------------------------------------------- */

static const char *event_name(const struct perf *p, uint32_t event)
{
    return strtab_str(&p->names, p->events.list.v[event].name);
}

static bool is_selected(const struct perf *p, uint32_t event)
{
    const struct perf_opts *o = p->opts;
    for (size_t i = 0; i < o->n_events; i++)
        if (strcmp(o->events[i], event_name(p, event)) == 0)
            return true;
    return !o->n_events;
}

/* perf adds an event that has no samples, to record mappings and names. */
static bool is_dummy(const struct perf_event *e)
{
    return e->type == PERF_TYPE_SOFTWARE && e->config == SOFTWARE_DUMMY &&
           !e->n_samples;
}

static bool add_type(struct making *m, uint32_t event, const char *what,
                     struct err *err)
{
    struct buf b = {0};
    bool ok = buf_printf(&b, "%s_%s", event_name(m->p, event), what) &&
              buf_putc(&b, 0);
    ok = (ok || err_nomem(err)) &&
         prof_add_type(m->out, (const char *)b.v, "count", err);
    buf_free(&b);
    return ok;
}

/* The columns of an event; events with the same name share them. */
static bool add_event(struct making *m, uint32_t event, struct err *err)
{
    const struct perf_event *list = m->p->events.list.v;
    for (uint32_t i = 0; i < event; i++)
        if (m->column[i] != PROF_NONE && list[i].name == list[event].name) {
            m->column[event] = m->column[i];
            return true;
        }
    m->column[event] = (uint32_t)m->out->n_types;
    return add_type(m, event, "sample", err) &&
           add_type(m, event, "event", err);
}

/* Refuses names of --event that no event has. */
static bool check_events(const struct perf *p, struct err *err)
{
    for (size_t i = 0; i < p->opts->n_events; i++) {
        bool found = false;
        for (uint32_t e = 0; e < p->events.list.n; e++)
            found |= strcmp(p->opts->events[i], event_name(p, e)) == 0;
        if (found)
            continue;
        struct buf b = {0};
        bool ok = true;
        for (uint32_t e = 0; e < p->events.list.n; e++)
            ok = ok && buf_printf(&b, "%s%s", e ? ", " : "", event_name(p, e));
        ok = ok && buf_putc(&b, 0);
        if (ok)
            err_set(err, ERR_INPUT, "no event '%s'; the recording has %s",
                    p->opts->events[i],
                    p->events.list.n ? (const char *)b.v : "no events");
        buf_free(&b);
        return ok ? false : err_nomem(err);
    }
    return true;
}

static bool add_types(struct making *m, struct err *err)
{
    const struct perf *p = m->p;
    uint32_t n = (uint32_t)p->events.list.n;
    if (!check_events(p, err))
        return false;
    for (uint32_t i = 0; i < n; i++) {
        m->column[i] = PROF_NONE;
        if (is_selected(p, i) && !is_dummy(&p->events.list.v[i]) &&
            !add_event(m, i, err))
            return false;
    }
    if (!m->out->n_types)
        return err_set(err, ERR_INPUT, "the recording has no events");
    m->out->default_sample_type = m->out->types[m->out->n_types - 1].type;
    return (m->values = mem_zarray(m->out->n_types, sizeof *m->values)) ||
           err_nomem(err);
}

/* --- mappings ------------------------------------------------------------- */

/*
 * The mapping of the kernel has the name of a symbol behind its own name, which
 * the list of build IDs may lack: "[kernel.kallsyms]_text".
 */
uint32_t perf_build_id_of(const struct perf *p,
                          const struct perf_mapping *mapping)
{
    if (mapping->build_id)
        return mapping->build_id;
    static const char *const kernel[] = {"_text", "_stext"};
    uint32_t file = mapping->file, id;
    struct slice name = strtab_slice(&p->names, file);
    for (size_t i = 0; mapping->kernel && i < 2; i++) {
        size_t k = strlen(kernel[i]);
        if (slice_ends_with(name, kernel[i]) &&
            strtab_find(&p->names, name.s, name.n - k, &id))
            file = id;
    }
    if (file < p->build_ids.n && p->build_ids.v[file])
        return p->build_ids.v[file];
    return mapping->file < p->build_ids.n ? p->build_ids.v[mapping->file] : 0;
}

static bool copy_string(struct making *m, uint32_t name, uint32_t *id,
                        struct err *err)
{
    struct slice s = strtab_slice(&m->p->names, name);
    return prof_strn(m->out, s.s, s.n, id, err);
}

static bool add_mapping(struct making *m, uint32_t row, struct err *err)
{
    const struct perf_mapping *r = &m->p->processes.mappings.v[row];
    uint32_t id = perf_build_id_of(m->p, r);
    struct prof_mapping mapping = {.start = r->start,
                                   .limit = r->start + r->size + r->behind,
                                   .offset = r->offset};
    if (mapping.limit < r->start)
        mapping.limit = UINT64_MAX;
    return m->mapping[row] != PROF_NONE ||
           (copy_string(m, r->file, &mapping.filename, err) &&
            copy_string(m, id, &mapping.build_id, err) &&
            prof_add_mapping(m->out, &mapping, &m->mapping[row], err));
}

/* The row of the process's program; of several, of that with most samples. */
static uint32_t find_main(const struct making *m)
{
    const struct perf_processes *ps = &m->p->processes;
    uint32_t row = PROF_NONE;
    uint64_t most = 0;
    for (uint32_t i = 0; i < ps->list.n; i++)
        if (m->pid != PERF_ALL_PIDS && ps->list.v[i].pid == (int32_t)m->pid)
            return ps->list.v[i].program;
    for (uint32_t i = 0; i < ps->mappings.n; i++)
        if (ps->mappings.v[i].main_for > most) {
            most = ps->mappings.v[i].main_for;
            row = i;
        }
    return row;
}

/* Adds the mappings that samples use; the main one is first, as in pprof. */
static bool add_mappings(struct making *m, struct err *err)
{
    const struct perf_processes *ps = &m->p->processes;
    uint32_t main_row = find_main(m);
    for (uint32_t i = 0; i < ps->mappings.n; i++)
        m->mapping[i] = PROF_NONE;
    if (main_row != PROF_NONE && !add_mapping(m, main_row, err))
        return false;
    for (uint32_t i = 0; i < ps->mappings.n; i++)
        if (ps->mappings.v[i].used && !add_mapping(m, i, err))
            return false;
    return true;
}

/* --- labels --------------------------------------------------------------- */

/* Names of labels, as PERF_LABEL_NAMES has them. */
const char *const perf_label_names[PERF_LABELS] = {
    "pid",    "tid",   "comm",           "thread_comm", "cpu",
    "cgroup", "event", "execution_mode", "timestamp_ns"};

void perf_note_labels(const struct notes *notes, unsigned wanted, unsigned has)
{
    for (unsigned key = 0; key < PERF_LABELS; key++)
        if (wanted & ~has & 1u << key)
            note_warn(notes,
                      "no sample has the label %s: the recording lacks its "
                      "values (see --labels in perf2pb(1))",
                      perf_label_names[key]);
}

/* --- samples -------------------------------------------------------------- */

static bool get_location(struct making *m, uint32_t i, uint32_t *location,
                         struct err *err)
{
    const struct perf_location *l = &m->p->stacks.locations.v[i];
    struct prof_location to = {.address = l->offset, .mapping = PROF_NONE};
    if (m->location[i]) {
        *location = m->location[i] - 1;
        return true;
    }
    if (l->row != PROF_NONE) {
        to.mapping = m->mapping[l->row];
        to.address += m->p->processes.mappings.v[l->row].start;
    }
    if (!prof_add_location(m->out, &to, NULL, 0, location, err))
        return false;
    m->location[i] = *location + 1;
    return true;
}

static bool add_label(struct making *m, const struct perf_labels *l,
                      enum perf_label_key key, struct prof_label *label,
                      struct err *err)
{
    *label = (struct prof_label){0};
    if (!prof_str(m->out, perf_label_names[key], &label->key, err))
        return false;
    switch (key) {
    case PERF_LABEL_COMM:
    case PERF_LABEL_THREAD_COMM:
    case PERF_LABEL_CGROUP:
    case PERF_LABEL_MODE:
        return copy_string(m, (uint32_t)l->v[key], &label->str, err);
    case PERF_LABEL_EVENT:
        return prof_str(m->out, event_name(m->p, (uint32_t)l->v[key]),
                        &label->str, err);
    case PERF_LABEL_CPU:
        label->num = (int64_t)l->v[key];
        return prof_str(m->out, "cpu", &label->unit, err);
    default:
        label->num = (int64_t)l->v[key];
        return true;
    }
}

static bool get_labels(struct making *m, uint32_t i, uint32_t *set,
                       struct err *err)
{
    const struct perf_labels *l = &m->p->stacks.labels.v[i];
    struct prof_label labels[PERF_LABELS];
    size_t n = 0;
    if (m->labels[i]) {
        *set = m->labels[i] - 1;
        return true;
    }
    const unsigned shown = l->has & m->p->opts->labels;
    for (unsigned key = 0; key < PERF_LABELS; key++)
        if (shown >> key & 1 &&
            !add_label(m, l, (enum perf_label_key)key, &labels[n++], err))
            return false;
    if (!prof_labelset(m->out, labels, n, set, err))
        return false;
    m->labels[i] = *set + 1;
    return true;
}

static bool is_of_pid(const struct making *m, const struct perf_count *c)
{
    const struct perf_labels *l = &m->p->stacks.labels.v[c->labels];
    return m->pid == PERF_ALL_PIDS ||
           (int32_t)l->v[PERF_LABEL_PID] == (int32_t)m->pid;
}

/* Sets m->frames to the locations of a stack, leaf first. */
static bool get_frames(struct making *m, uint32_t stack, struct err *err)
{
    const uint32_t *k = perf_stack_at(&m->p->stacks, stack);
    const size_t n = k[PERF_STACK_N];
    m->frames.n = 0;
    if (!vec_reserve(&m->frames, n))
        return err_nomem(err);
    for (size_t i = n; i-- > 0;)
        if (!get_location(m, k[PERF_STACK_LOCATIONS + i],
                          &m->frames.v[m->frames.n++], err))
            return false;
    return true;
}

static bool add_count(struct making *m, const struct perf_count *c,
                      struct err *err)
{
    uint32_t set, column = m->column[c->event];
    if (column == PROF_NONE || !is_of_pid(m, c))
        return true;
    memset(m->values, 0, m->out->n_types * sizeof *m->values);
    m->values[column] = c->samples;
    m->values[column + 1] = c->events;
    return get_frames(m, c->stack, err) &&
           get_labels(m, c->labels, &set, err) &&
           prof_add_sample(m->out, m->frames.v, m->frames.n, m->values, set,
                           err);
}

/* --- header --------------------------------------------------------------- */

static bool comment(struct making *m, const char *key, const struct buf *text,
                    struct err *err)
{
    struct buf b = {0};
    if (!text->n)
        return true;
    bool ok = (buf_puts(&b, key) && buf_puts(&b, (const char *)text->v) &&
               buf_putc(&b, 0)) ||
              err_nomem(err);
    ok = ok && prof_add_comment(m->out, (const char *)b.v, err);
    buf_free(&b);
    return ok;
}

static bool comment_number(struct making *m, const char *key, uint64_t n,
                           struct err *err)
{
    struct buf b = {0};
    if (!n)
        return true;
    bool ok = (buf_put_u64(&b, n) && buf_putc(&b, 0)) || err_nomem(err);
    ok = ok && comment(m, key, &b, err);
    buf_free(&b);
    return ok;
}

static void set_time(const struct perf *p, struct profile *out)
{
    uint64_t duration = p->last_time - p->first_time;
    if (duration <= INT64_MAX)
        out->duration_nanos = (int64_t)duration;
    if (!p->wall_clock || !p->first_time)
        return;
    uint64_t start = p->wall_clock + (p->first_time - p->clock_at);
    if (start <= INT64_MAX)
        out->time_nanos = (int64_t)start;
}

static bool add_comments(struct making *m, struct err *err)
{
    const struct perf *p = m->p;
    return comment(m, "perf-version:", &p->version, err) &&
           comment(m, "perf-command:", &p->command, err) &&
           comment_number(m, "perf-lost-samples:", p->counts.lost, err) &&
           comment_number(m, "perf-lost-records:", p->counts.lost_events,
                          err) &&
           comment_number(m, "perf-throttled:", p->counts.throttled, err);
}

/* Gives the main mapping the name of -e, as sym_profile() does. */
static bool name_main(struct making *m, struct err *err)
{
    const char *binary = m->p->opts->symbols.binary;
    return !binary || !m->out->n_mappings ||
           prof_str(m->out, binary, &m->out->mappings[0].filename, err);
}

static bool make_all(struct making *m, struct err *err)
{
    const struct perf *p = m->p;
    if (!add_types(m, err) || !add_mappings(m, err) || !add_comments(m, err))
        return false;
    for (size_t i = 0; i < p->stacks.counts.n; i++)
        if (!add_count(m, &p->stacks.counts.v[i], err))
            return false;
    set_time(p, m->out);
    return p->opts->no_symbols
               ? name_main(m, err)
               : sym_profile(m->out, &p->opts->symbols, p->notes, err);
}

bool perf_make_profile(struct perf *p, int64_t pid, struct profile *out,
                       struct err *err)
{
    struct making m = {.p = p, .pid = pid, .out = out};
    if (!prof_init(out, err))
        return false;
    m.column = mem_zarray(p->events.list.n + 1, sizeof *m.column);
    m.mapping = mem_zarray(p->processes.mappings.n + 1, sizeof *m.mapping);
    m.location = mem_zarray(p->stacks.locations.n + 1, sizeof *m.location);
    m.labels = mem_zarray(p->stacks.labels.n + 1, sizeof *m.labels);
    bool ok = m.column && m.mapping && m.location && m.labels;
    ok = (ok || err_nomem(err)) && make_all(&m, err);
    free(m.column);
    free(m.mapping);
    free(m.location);
    free(m.labels);
    free(m.values);
    vec_free(&m.frames);
    return ok;
}
