/* perf_profile.c - the profile of what was counted */
#include <sys/utsname.h>

#include "formats/perf/private.h"

enum { SOFTWARE_DUMMY = 9 }; /* config of a software event */

struct maker_type {
    uint32_t name; /* id of perf.names */
    const char *unit;
};

struct perf_maker {
    struct perf *p;
    const struct perf_part *part;    /* only this process; null: all */
    const struct perf_count *counts; /* n of them */
    size_t n;
    struct profile *out;
    uint32_t main_row; /* PROF_NONE: there is none */
    VEC(struct maker_type) types;
    uint32_t *column;   /* by event: of its samples; or PROF_NONE */
    uint32_t *mapping;  /* by mapping: of the profile, or PROF_NONE */
    uint32_t *location; /* by location of the stacks: of the profile */
    uint32_t *labels;   /* by label set: of the profile, plus 1; 0: not yet */
    VEC(uint32_t) frames;
    VEC(uint32_t) rows;                /* of a part */
    VEC(struct sym_recorded) recorded; /* by mapping of the profile */
};

static bool copy_string(struct perf_maker *m, uint32_t name, uint32_t *id,
                        struct prof_err *err)
{
    struct prof_slice s = strtab_slice(&m->p->names, name);
    return prof_strn(m->out, s.s, s.n, id, err);
}

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

static bool add_type(struct perf_maker *m, uint32_t event, const char *what,
                     const char *unit, struct prof_err *err)
{
    struct buf b = {0};
    struct maker_type type = {.unit = unit};
    bool ok = buf_printf(&b, "%s_%s", event_name(m->p, event), what) &&
              strtab_add(&m->p->names, (const char *)b.v, b.n, &type.name) &&
              vec_push(&m->types, type);
    buf_free(&b);
    return ok || err_nomem(err);
}

/*
 * The columns of an event; events with the same name share them.  by_name: of
 * events that have columns, by their names.
 */
static bool add_event(struct perf_maker *m, uint32_t event,
                      struct perf_ids *by_name, struct prof_err *err)
{
    const struct perf_event *e = &m->p->events.list.v[event];
    uint32_t row;
    if (!perf_ids_add(m->p, by_name, e->name, (uint32_t)m->types.n, &row, err))
        return false;
    m->column[event] = by_name->v[row].value;
    if (m->column[event] < m->types.n)
        return true;
    const char *unit = perf_event_unit(e, strtab_slice(&m->p->names, e->name));
    return add_type(m, event, "sample", "count", err) &&
           add_type(m, event, "event", unit, err);
}

/* Refuses names of --event that no event has. */
static bool check_events(const struct perf *p, struct prof_err *err)
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
            err_set(err, PROF_ERR_INPUT, "no event '%s'; the recording has %s",
                    p->opts->events[i],
                    p->events.list.n ? (const char *)b.v : "no events");
        buf_free(&b);
        return ok ? false : err_nomem(err);
    }
    return true;
}

/* Sets m->types and m->column, once for all profiles. */
static bool find_types(struct perf_maker *m, struct prof_err *err)
{
    const struct perf *p = m->p;
    const uint32_t n = (uint32_t)p->events.list.n;
    struct perf_ids by_name = {0};
    bool ok = check_events(p, err);
    for (uint32_t i = 0; ok && i < n; i++) {
        m->column[i] = PROF_NONE;
        if (is_selected(p, i) && !is_dummy(&p->events.list.v[i]))
            ok = add_event(m, i, &by_name, err);
    }
    perf_ids_free(&by_name);
    if (ok && !m->types.n)
        return err_set(err, PROF_ERR_INPUT, "the recording has no events");
    return ok;
}

static bool add_types(struct perf_maker *m, struct prof_err *err)
{
    if (!m->types.n && !find_types(m, err))
        return false;
    for (size_t i = 0; i < m->types.n; i++) {
        struct prof_value_type type;
        if (!copy_string(m, m->types.v[i].name, &type.type, err) ||
            !prof_str(m->out, m->types.v[i].unit, &type.unit, err) ||
            !prof_add_type_id(m->out, type, err))
            return false;
    }
    return true;
}

/* --- mappings ------------------------------------------------------------- */

static bool add_mapping(struct perf_maker *m, uint32_t row,
                        struct prof_err *err)
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
            prof_add_mapping(m->out, &mapping, &m->mapping[row], err) &&
            (vec_push(&m->recorded, r->recorded) || err_nomem(err)));
}

/* The program of the process or, of several, that with most samples. */
static bool find_main(struct perf_maker *m, struct prof_err *err)
{
    const struct perf_processes *ps = &m->p->processes;
    uint64_t most = 0;
    m->main_row = PROF_NONE;
    if (m->part) {
        const struct perf_process *process =
            perf_process(m->p, (int32_t)m->part->pid, err);
        if (process)
            m->main_row = process->program;
        return process != NULL;
    }
    for (uint32_t i = 0; i < ps->mappings.n; i++)
        if (ps->mappings.v[i].main_for > most) {
            most = ps->mappings.v[i].main_for;
            m->main_row = i;
        }
    return true;
}

static int by_number(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

void perf_sort_rows(uint32_t *v, size_t n)
{
    if (n)
        qsort(v, n, sizeof *v, by_number);
}

/* Sets m->rows to those that samples of the process refer to, in order. */
static bool find_rows(struct perf_maker *m, struct prof_err *err)
{
    const struct perf_stacks *s = &m->p->stacks;
    m->rows.n = 0;
    for (size_t i = 0; i < m->n; i++) {
        const uint32_t *k = perf_stack_at(s, m->counts[i].stack);
        for (size_t j = 0; j < k[PERF_STACK_N]; j++) {
            uint32_t row = s->locations.v[k[PERF_STACK_LOCATIONS + j]].row;
            if (row == PROF_NONE || m->mapping[row] != PROF_NONE)
                continue;
            m->mapping[row] = 0; /* any number, until it has one */
            if (!vec_push(&m->rows, row))
                return err_nomem(err);
        }
    }
    perf_sort_rows(m->rows.v, m->rows.n);
    return true;
}

static bool add_rows_of_part(struct perf_maker *m, struct prof_err *err)
{
    if (!find_rows(m, err))
        return false;
    for (size_t i = 0; i < m->rows.n; i++) {
        m->mapping[m->rows.v[i]] = PROF_NONE;
        if (!add_mapping(m, m->rows.v[i], err))
            return false;
    }
    return true;
}

/* The main one comes first, as pprof has it. */
static bool add_mappings(struct perf_maker *m, struct prof_err *err)
{
    const struct perf_processes *ps = &m->p->processes;
    if (!find_main(m, err) ||
        (m->main_row != PROF_NONE && !add_mapping(m, m->main_row, err)))
        return false;
    if (m->part)
        return add_rows_of_part(m, err);
    for (uint32_t i = 0; i < ps->mappings.n; i++)
        if (ps->mappings.v[i].used && !add_mapping(m, i, err))
            return false;
    return true;
}

/* --- labels --------------------------------------------------------------- */

/* Names of labels, as PERF_LABEL_NAMES has them. */
const char *const perf_label_names[PERF_LABELS] = {
    "pid",    "tid",   "comm",           "process_comm", "cpu",
    "cgroup", "event", "execution_mode", "timestamp_ns"};

void perf_note_labels(const struct prof_notes *notes, unsigned wanted,
                      unsigned has)
{
    for (unsigned key = 0; key < PERF_LABELS; key++)
        if (wanted & ~has & 1u << key)
            note_warn(notes,
                      "no sample has the label %s: the recording lacks its "
                      "values (see --labels in perf2pb(1))",
                      perf_label_names[key]);
}

/* --- samples -------------------------------------------------------------- */

static bool get_location(struct perf_maker *m, uint32_t i, uint32_t *location,
                         struct prof_err *err)
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

static bool add_label(struct perf_maker *m, const struct perf_labels *l,
                      enum perf_label_key key, struct prof_label *label,
                      struct prof_err *err)
{
    *label = (struct prof_label){0};
    if (!prof_str(m->out, perf_label_names[key], &label->key, err))
        return false;
    switch (key) {
    case PERF_LABEL_COMM:
    case PERF_LABEL_PROCESS_COMM:
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

static bool get_labels(struct perf_maker *m, uint32_t i, uint32_t *set,
                       struct prof_err *err)
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

/* Sets m->frames to the locations of a stack, leaf first. */
static bool get_frames(struct perf_maker *m, uint32_t stack,
                       struct prof_err *err)
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

static bool add_count(struct perf_maker *m, const struct perf_count *c,
                      struct prof_err *err)
{
    uint32_t set, column = m->column[c->event];
    if (column == PROF_NONE)
        return true;
    if (!get_frames(m, c->stack, err) || !get_labels(m, c->labels, &set, err))
        return false;
    int64_t *values = m->out->values + m->out->n_samples * m->out->n_types;
    values[column] = c->samples;
    values[column + 1] = c->events;
    return prof_push_zeroed(m->out, m->frames.v, m->frames.n, set, err);
}

/* --- header --------------------------------------------------------------- */

static bool comment(struct perf_maker *m, const char *key,
                    const struct buf *text, struct prof_err *err)
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

static bool comment_number(struct perf_maker *m, const char *key, uint64_t n,
                           struct prof_err *err)
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

static bool add_comments(struct perf_maker *m, struct prof_err *err)
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
static bool name_main(struct perf_maker *m, struct prof_err *err)
{
    const char *binary = m->p->opts->symbols.binary;
    return !binary || !m->out->n_mappings ||
           prof_str(m->out, binary, &m->out->mappings[0].filename, err);
}

bool perf_zero_values(struct profile *p, size_t samples, struct prof_err *err)
{
    enum { VALUES_MAX = 1 << 28 };
    if (p->n_types && samples > VALUES_MAX / p->n_types)
        return err_set(err, PROF_ERR_INPUT,
                       "%zu different samples of %zu events exceed 2 GiB of "
                       "values; select events with --event",
                       samples, p->n_types / 2);
    return prof_zero_values(p, samples, err);
}

/* Room for values; the default is the first event that has any, else the first.
 */
static bool zero_values(const struct perf_maker *m, struct prof_err *err)
{
    size_t n = 0;
    uint32_t first = PROF_NONE;
    for (size_t i = 0; i < m->n; i++) {
        const uint32_t column = m->column[m->counts[i].event];
        n += column != PROF_NONE;
        first = column < first ? column : first;
    }
    first = first == PROF_NONE ? 0 : first;
    m->out->default_sample_type = m->out->types[first + 1].type;
    return perf_zero_values(m->out, n, err);
}

static bool symbolize(struct perf_maker *m, struct prof_err *err)
{
    const struct perf *p = m->p;
    struct sym_opts symbols = p->opts->symbols;
    struct utsname host;
    symbols.made = m->out->time_nanos ? 0 : p->made;
    /* Another machine has other inodes. */
    if (p->host.n && uname(&host) == 0 &&
        strcmp(host.nodename, (const char *)p->host.v) == 0) {
        symbols.recorded = m->recorded.v;
        symbols.n_recorded = m->recorded.n;
    }
    return sym_profile(m->out, &symbols, p->notes, err);
}

static bool make_all(struct perf_maker *m, struct prof_err *err)
{
    const struct perf *p = m->p;
    if (!add_types(m, err) || !zero_values(m, err) || !add_mappings(m, err) ||
        !add_comments(m, err))
        return false;
    for (size_t i = 0; i < m->n; i++)
        if (!add_count(m, &m->counts[i], err))
            return false;
    set_time(p, m->out);
    return p->opts->no_symbols ? name_main(m, err) : symbolize(m, err);
}

/* Clears what this profile has set in the maps, for the next one. */
static void forget(struct perf_maker *m)
{
    for (size_t i = 0; i < m->n; i++) {
        const struct perf_count *c = &m->counts[i];
        const uint32_t *k = perf_stack_at(&m->p->stacks, c->stack);
        m->labels[c->labels] = 0;
        for (size_t j = 0; j < k[PERF_STACK_N]; j++)
            m->location[k[PERF_STACK_LOCATIONS + j]] = 0;
    }
    for (size_t i = 0; i < m->rows.n; i++)
        m->mapping[m->rows.v[i]] = PROF_NONE;
    if (m->main_row != PROF_NONE)
        m->mapping[m->main_row] = PROF_NONE;
}

bool perf_make_profile(struct perf_maker *m, const struct perf_part *part,
                       struct profile *out, struct prof_err *err)
{
    const struct perf_stacks *s = &m->p->stacks;
    m->part = part;
    m->out = out;
    m->recorded.n = 0;
    m->n = part ? part->n : s->counts.n;
    m->counts = part ? s->counts.v + part->at : s->counts.v;
    if (!prof_init(out, err) || !make_all(m, err))
        return false;
    if (part)
        forget(m);
    return true;
}

struct perf_maker *perf_maker_new(struct perf *p, struct prof_err *err)
{
    struct perf_maker *m = mem_zarray(1, sizeof *m);
    if (!m) {
        (void)err_nomem(err);
        return NULL;
    }
    m->p = p;
    m->column = mem_zarray(p->events.list.n + 1, sizeof *m->column);
    m->mapping = mem_array(p->processes.mappings.n + 1, sizeof *m->mapping);
    m->location = mem_zarray(p->stacks.locations.n + 1, sizeof *m->location);
    m->labels = mem_zarray(p->stacks.labels.n + 1, sizeof *m->labels);
    if (!m->column || !m->mapping || !m->location || !m->labels) {
        (void)err_nomem(err);
        perf_maker_free(m);
        return NULL;
    }
    for (uint32_t i = 0; i < p->processes.mappings.n; i++)
        m->mapping[i] = PROF_NONE;
    return m;
}

void perf_maker_free(struct perf_maker *m)
{
    if (!m)
        return;
    free(m->column);
    free(m->mapping);
    free(m->location);
    free(m->labels);
    vec_free(&m->types);
    vec_free(&m->frames);
    vec_free(&m->rows);
    vec_free(&m->recorded);
    free(m);
}

/* --- processes ------------------------------------------------------------ */

static int64_t pid_of(const struct perf *p, const struct perf_count *c)
{
    return (int32_t)p->stacks.labels.v[c->labels].v[PERF_LABEL_PID];
}

/* Sorts the counts by process; rows that stacks refer to become invalid. */
static bool sort_counts(struct perf *p, struct prof_err *err)
{
    struct perf_stacks *s = &p->stacks;
    const size_t n = s->counts.n;
    struct radix_item *items = mem_array(2 * n + 1, sizeof *items);
    struct perf_count *sorted = mem_array(n + 1, sizeof *sorted);
    const bool ok = items && sorted;
    for (size_t i = 0; ok && i < n; i++)
        items[i] = (struct radix_item){(uint64_t)pid_of(p, &s->counts.v[i]) ^
                                           (uint64_t)1 << 63,
                                       (uint32_t)i, 0};
    if (ok)
        radix_sort(items, items + n, n);
    for (size_t i = 0; ok && i < n; i++)
        sorted[i] = s->counts.v[items[i].id];
    if (ok && n)
        memcpy(s->counts.v, sorted, n * sizeof *sorted);
    free(items);
    free(sorted);
    return ok || err_nomem(err);
}

bool perf_divide(struct perf *p, struct perf_parts *parts, struct prof_err *err)
{
    const struct perf_stacks *s = &p->stacks;
    if (!sort_counts(p, err))
        return false;
    for (size_t i = 0; i < s->counts.n; i++)
        if (!perf_add_row(parts, i, pid_of(p, &s->counts.v[i]), err))
            return false;
    return true;
}
