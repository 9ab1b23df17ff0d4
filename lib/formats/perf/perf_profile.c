/* perf_profile.c - makes profiles of the counted samples */
#include <inttypes.h>
#include <stdio.h>
#include <sys/utsname.h>

#include "base/sort.h"
#include "formats/perf/private.h"

enum { SOFTWARE_DUMMY = 9 }; /* config of the dummy event */

struct maker_type {
    uint32_t name; /* id of names */
    const char *unit;
};

struct perf_maker {
    struct perf *p;
    const struct perf_part *part;    /* only this process; null: all */
    const struct perf_count *counts; /* n of them */
    size_t n;
    struct profile *out;
    bool moves;        /* stacks are moved to `out`, not copied */
    uint32_t main_row; /* row of the main mapping, or PROF_NONE */
    VEC(struct maker_type) types;
    uint32_t *column; /* by event: its first sample type, or PROF_NONE */
    /* By index in the recording: index in the profile plus 1, or 0 if it has
     * not been added yet. */
    uint32_t *mapping, *location, *labels;
    struct prof_functionmap functions; /* of `out` */
    VEC(uint32_t) frames;
    VEC(uint32_t) rows;                /* scratch: mappings of a part */
    VEC(struct sym_recorded) recorded; /* by mapping of *out: its file */
};

static bool copy_string(struct perf_maker *m, uint32_t name, uint32_t *id,
                        struct prof_err *err)
{
    struct prof_slice s = strtab_slice(&m->p->about.names, name);
    return prof_strn(m->out, s.s, s.n, id, err);
}

/* --- sample types --------------------------------------------------------- */

static struct prof_slice event_name(const struct perf *p, uint32_t event)
{
    return strtab_slice(&p->about.names, p->about.events.list.v[event].name);
}

/* Fails if --event names an event that the recording does not have. */
static bool check_events(const struct perf *p, struct prof_err *err)
{
    const uint32_t n = (uint32_t)p->about.events.list.n;
    for (size_t i = 0; i < p->opts->events.list.n; i++) {
        uint32_t e = 0;
        while (e < n && !slice_is(event_name(p, e), p->opts->events.list.v[i]))
            e++;
        if (e < n)
            continue;
        struct buf b = {0};
        bool ok = true;
        for (e = 0; e < n; e++)
            ok =
                ok && buf_printf(&b, "%s%s", e ? ", " : "", event_name(p, e).s);
        ok = ok && buf_putc(&b, 0);
        if (ok && p->is_text)
            err_input(err, "no event '%s'", p->opts->events.list.v[i]);
        else if (ok)
            err_input(err, "no event '%s'; the recording has %s",
                      p->opts->events.list.v[i],
                      n ? (const char *)b.v : "no events");
        buf_free(&b);
        return ok ? false : err_nomem(err);
    }
    return true;
}

static bool add_type(struct perf_maker *m, uint32_t event, const char *what,
                     const char *unit, struct prof_err *err)
{
    struct buf b = {0};
    struct maker_type type = {.unit = unit};
    struct strtab *names = &m->p->about.names;
    struct prof_slice name = event_name(m->p, event);
    bool ok = buf_put(&b, name.s, name.n) && buf_puts(&b, what) &&
              strtab_add(names, (const char *)b.v, b.n, &type.name) &&
              vec_push(&m->types, type);
    buf_free(&b);
    return ok || err_nomem(err);
}

/*
 * Sets m->types and m->column, once for all profiles.  Events with the same
 * name share columns.
 */
static bool find_types(struct perf_maker *m, struct prof_err *err)
{
    const struct perf *p = m->p;
    const struct perf_opts *o = p->opts;
    struct perf_ids by_name = {0};
    bool ok = check_events(p, err);
    for (uint32_t i = 0; ok && i < p->about.events.list.n; i++) {
        const struct perf_event *e = &p->about.events.list.v[i];
        uint32_t row;
        m->column[i] = PROF_NONE;
        /* Skip the dummy event that perf adds to record mappings and names. */
        if (!perf_is_listed(event_name(p, i), &o->events) ||
            (e->type == PERF_TYPE_SOFTWARE && e->config == SOFTWARE_DUMMY &&
             !e->n_samples))
            continue;
        ok = perf_ids_add(&by_name, e->name, (uint32_t)m->types.n, &row, err);
        m->column[i] = ok ? by_name.v[row].value : PROF_NONE;
        if (ok && m->column[i] == m->types.n)
            ok = add_type(m, i, "_sample", "count", err) &&
                 add_type(m, i, "_event", e->unit, err) &&
                 (!o->latency || add_type(m, i, "_latency", e->unit, err));
    }
    perf_ids_free(&by_name);
    return ok && (m->types.n || p->is_text ||
                  err_input(err, "the recording has no events"));
}

/* Adds the sample types, and reserves room for the samples. */
static bool add_types(struct perf_maker *m, struct prof_err *err)
{
    enum { VALUES_MAX = 1 << 28 };
    const size_t n_types = m->types.n;
    struct prof_header header = {0};
    size_t n = 0;
    /* The default is the first event that has samples, else the first. */
    uint32_t shown = PROF_NONE;
    for (size_t i = 0; i < m->n; i++) {
        const uint32_t column = m->column[m->counts[i].event];
        n += column != PROF_NONE;
        shown = column < shown ? column : shown;
    }
    if (shown == PROF_NONE || m->p->is_text)
        shown = 0;
    for (size_t i = 0; i < n_types; i++) {
        struct prof_value_type type;
        if (!copy_string(m, m->types.v[i].name, &type.type, err) ||
            !prof_str(m->out, m->types.v[i].unit, &type.unit, err) ||
            !prof_add_type_id(m->out, type, err))
            return false;
        if (i == shown + (m->p->opts->latency ? 2 : 1))
            header.default_sample_type = type.type;
    }
    prof_set_header(m->out, &header);
    /* Limits memory: a small file may have many events, thus many values. */
    if (n_types && n > VALUES_MAX / n_types)
        return err_input(err,
                         "the values of %zu distinct samples of %zu events "
                         "exceed 2 GiB; select events with --event",
                         n, n_types / (m->p->opts->latency ? 3 : 2));
    return m->moves ||
           prof_reserve(m->out, &(struct prof_counts){.samples = n}, err);
}

/* --- mappings ------------------------------------------------------------- */

static bool add_mapping(struct perf_maker *m, uint32_t row,
                        struct prof_err *err)
{
    const struct perf_processes *ps = &m->p->processes;
    const struct perf_mapping *r = &ps->mappings.v[row];
    struct prof_mapping mapping = {.start = r->start,
                                   .limit = r->start + r->size + r->behind,
                                   .offset = r->offset,
                                   .has_functions = m->p->is_text};
    if (m->mapping[row])
        return true;
    if (mapping.limit < r->start)
        mapping.limit = UINT64_MAX;
    if (!copy_string(m, r->file, &mapping.filename, err) ||
        !copy_string(m, perf_build_id_of(ps, r), &mapping.build_id, err) ||
        !prof_add_mapping(m->out, &mapping, &m->mapping[row], err))
        return false;
    m->mapping[row]++;
    return vec_push(&m->recorded, r->recorded) || err_nomem(err);
}

static int by_number(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;
    return ORDER(*x, *y);
}

/* Adds the mappings that samples of the process refer to, in their order. */
static bool add_rows_of_part(struct perf_maker *m, struct prof_err *err)
{
    const struct perf_stacks *s = &m->p->stacks;
    m->rows.n = 0;
    for (size_t i = 0; i < m->n; i++) {
        const struct perf_locations l = perf_stack(s, m->counts[i].stack);
        for (size_t k = 0; k < l.n; k++) {
            const uint32_t row = s->locations.v[l.v[k]].row;
            if (row == PROF_NONE || m->mapping[row])
                continue;
            m->mapping[row] = 1; /* not 0: used; it gets its index later */
            if (!vec_push(&m->rows, row))
                return err_nomem(err);
        }
    }
    vec_sort(&m->rows, by_number);
    for (size_t i = 0; i < m->rows.n; i++) {
        m->mapping[m->rows.v[i]] = 0;
        if (!add_mapping(m, m->rows.v[i], err))
            return false;
    }
    return true;
}

static bool add_mappings(struct perf_maker *m, struct prof_err *err)
{
    struct perf_processes *ps = &m->p->processes;
    uint64_t most = 0;
    /* The main mapping is the program of the process or, if there are several,
     * the program with most samples. */
    m->main_row = PROF_NONE;
    for (uint32_t i = 0; !m->part && i < ps->mappings.n; i++)
        if (ps->mappings.v[i].main_for > most) {
            most = ps->mappings.v[i].main_for;
            m->main_row = i;
        }
    if (m->part && !m->p->is_text) {
        const struct perf_process *process =
            perf_process(ps, (int32_t)m->part->pid, err);
        if (!process)
            return false;
        m->main_row = process->program;
    }
    /* pprof takes the first mapping for the main one. */
    if (m->main_row != PROF_NONE && !add_mapping(m, m->main_row, err))
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
static const char *const label_names[PERF_LABELS] = {
    "pid",          "tid",    "comm",       "process_comm",
    "cpu",          "cgroup", "event",      "execution_mode",
    "timestamp_ns", "host",   "parallelism"};

void perf_note_labels(const struct perf *p)
{
    unsigned has = 0;
    for (size_t i = 0; i < p->stacks.labels.n; i++)
        has |= p->stacks.labels.v[i].has;
    for (unsigned key = 0; p->stacks.counts.n && key < PERF_LABELS; key++)
        if (p->opts->labels & ~has & 1u << key)
            note_warn(p->notes,
                      "no sample has the label %s: the recording lacks its "
                      "values (see --labels in perf2pb(1))",
                      label_names[key]);
}

static bool add_label(struct perf_maker *m, const struct perf_labels *l,
                      enum perf_label_key key, struct prof_label *label,
                      struct prof_err *err)
{
    const uint32_t v = (uint32_t)l->v[key];
    *label = (struct prof_label){0};
    if (!prof_str(m->out, label_names[key], &label->key, err))
        return false;
    switch (key) {
    case PERF_LABEL_COMM:
    case PERF_LABEL_PROCESS_COMM:
    case PERF_LABEL_CGROUP:
    case PERF_LABEL_MODE:
        return copy_string(m, v, &label->str, err);
    case PERF_LABEL_EVENT:
        return copy_string(m, m->p->about.events.list.v[v].name, &label->str,
                           err);
    case PERF_LABEL_HOST:
        return prof_str(m->out, (const char *)m->p->about.host.v, &label->str,
                        err);
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
    const unsigned shown = l->has & m->p->opts->labels;
    struct prof_label labels[PERF_LABELS];
    size_t n = 0;
    if (!m->labels[i]) {
        for (unsigned key = 0; key < PERF_LABELS; key++)
            if (shown >> key & 1 &&
                !add_label(m, l, (enum perf_label_key)key, &labels[n++], err))
                return false;
        if (!prof_labelset(m->out, labels, n, &m->labels[i], err))
            return false;
        m->labels[i]++;
    }
    *set = m->labels[i] - 1;
    return true;
}

/* --- samples -------------------------------------------------------------- */

/* Sets *line to the function `name`; only perf script's output has names. */
static bool get_function(struct perf_maker *m, uint32_t name,
                         struct prof_line *line, struct prof_err *err)
{
    struct prof_function f = {0};
    *line = (struct prof_line){.function = PROF_NONE};
    if (!name)
        return true;
    if (!copy_string(m, name, &f.name, err))
        return false;
    f.system_name = f.name;
    return prof_function_get(&m->functions, m->out, &f, &line->function, err);
}

static bool add_location(struct perf_maker *m, uint32_t i, struct prof_err *err)
{
    const struct perf_stacks *s = &m->p->stacks;
    const struct perf_location l = s->locations.v[i];
    const uint32_t *names = l.names ? s->functions.v + l.names : NULL;
    const size_t n = names ? names[0] : 0;
    struct prof_location to = {.address = l.offset, .mapping = PROF_NONE};
    struct prof_line *lines = n ? mem_array(n, sizeof *lines) : NULL;
    bool ok = !n || lines || err_nomem(err);
    for (size_t k = 0; ok && k < n; k++)
        ok = get_function(m, names[1 + k], &lines[k], err);
    if (l.row != PROF_NONE) {
        to.mapping = m->mapping[l.row] - 1;
        to.address += m->p->processes.mappings.v[l.row].start;
    }
    ok = ok && prof_add_location(m->out, &to, lines, n, &m->location[i], err);
    m->location[i] += ok;
    free(lines);
    return ok;
}

/* Sets the values of a count in a sample, whose other values are 0. */
static void put_values(const struct perf_maker *m, const struct perf_count *c,
                       size_t sample)
{
    int64_t *values = prof_edit_values(m->out, sample) + m->column[c->event];
    values[0] = c->samples;
    values[1] = c->events;
    if (m->p->opts->latency)
        values[2] = c->latency / PERF_LATENCY_PARTS +
                    (c->latency % PERF_LATENCY_PARTS >= PERF_LATENCY_PARTS / 2);
}

static bool add_count(struct perf_maker *m, const struct perf_count *c,
                      size_t *n_samples, struct prof_err *err)
{
    const struct perf_locations l = perf_stack(&m->p->stacks, c->stack);
    uint32_t set;
    if (m->column[c->event] == PROF_NONE)
        return true;
    m->frames.n = 0;
    if (!vec_reserve(&m->frames, l.n))
        return err_nomem(err);
    for (; m->frames.n < l.n; m->frames.n++) {
        const uint32_t location = l.v[m->frames.n];
        if (!m->location[location] && !add_location(m, location, err))
            return false;
        m->frames.v[m->frames.n] = m->location[location] - 1;
    }
    if (!get_labels(m, c->labels, &set, err) ||
        !prof_add_sample(m->out, m->frames.v, l.n, NULL, set, err))
        return false;
    put_values(m, c, (*n_samples)++);
    return true;
}

/* Appends a copy of each stack for each of its counts but the first. */
static bool repeat_stacks(struct perf_maker *m, struct prof_err *err)
{
    struct perf_stacks *s = &m->p->stacks;
    for (size_t i = 0; i < m->n; i++) {
        const uint32_t stack = m->counts[i].stack;
        const size_t at = (size_t)s->offsets.v[stack];
        const size_t n = perf_stack(s, stack).n;
        if (s->firsts.v[stack] == i + 1)
            continue;
        if (s->offsets.n >= PROF_NONE || !vec_reserve(&s->frames, n) ||
            !vec_push(&s->offsets, s->frames.n + n))
            return err_nomem(err);
        for (size_t k = 0; k < n; k++)
            s->frames.v[s->frames.n++] = s->frames.v[at + k];
    }
    return true;
}

/*
 * Moves the stacks into the profile.  Each becomes a sample with the values of
 * its first count; samples of further counts follow.
 */
static bool move_stacks(struct perf_maker *m, struct prof_err *err)
{
    struct perf_stacks *s = &m->p->stacks;
    size_t repeated = s->firsts.n;
    hashidx_free(&s->stack_index);
    hashidx_free(&s->count_index);
    for (uint32_t i = 0; i < s->locations.n; i++)
        if (!add_location(m, i, err))
            return false;
    if (!repeat_stacks(m, err) ||
        !prof_move_stacks(m->out, s->offsets.n - 1, s->offsets.v, s->frames.v,
                          err))
        return false;
    s->offsets.v = NULL;
    s->frames.v = NULL;
    vec_free(&s->offsets);
    vec_free(&s->frames);
    for (size_t i = 0; i < m->n; i++) {
        const struct perf_count *c = &m->counts[i];
        const bool is_first = s->firsts.v[c->stack] == i + 1;
        const size_t row = is_first ? c->stack : repeated++;
        uint32_t set;
        if (!get_labels(m, c->labels, &set, err))
            return false;
        prof_set_labelset(m->out, row, set);
        put_values(m, c, row);
    }
    return true;
}

/* --- header --------------------------------------------------------------- */

static bool comment(struct perf_maker *m, const char *key, const char *text,
                    struct prof_err *err)
{
    char *line = str_printf("%s%s", key, text);
    bool ok = line ? prof_add_comment(m->out, line, err) : err_nomem(err);
    free(line);
    return ok;
}

static bool comment_text(struct perf_maker *m, const char *key,
                         const struct buf *text, struct prof_err *err)
{
    return !text->n || comment(m, key, (const char *)text->v, err);
}

static bool comment_number(struct perf_maker *m, const char *key, uint64_t n,
                           struct prof_err *err)
{
    char digits[24];
    (void)snprintf(digits, sizeof digits, "%" PRIu64, n);
    return !n || comment(m, key, digits, err);
}

static bool add_header(struct perf_maker *m, struct prof_err *err)
{
    const struct perf *p = m->p;
    const struct perf_missing *missing = &p->reader.missing;
    struct prof_header header = prof_get_header(m->out);
    const uint64_t duration = p->last_time - p->first_time;
    if (duration <= INT64_MAX)
        header.duration_nanos = (int64_t)duration;
    if (p->about.wall_clock && p->first_time) {
        const uint64_t start =
            p->about.wall_clock + (p->first_time - p->about.clock_at);
        if (start <= INT64_MAX)
            header.time_nanos = (int64_t)start;
    }
    prof_set_header(m->out, &header);
    return comment_text(m, "perf-version:", &p->about.version, err) &&
           comment_text(m, "perf-command:", &p->about.command, err) &&
           comment_number(m, "perf-lost-samples:", missing->lost, err) &&
           comment_number(m, "perf-lost-records:", missing->lost_events, err) &&
           comment_number(m, "perf-throttled:", missing->throttled, err);
}

/* Gives the main mapping the name of -e, as sym_profile() does. */
static bool name_main(struct perf_maker *m, struct prof_err *err)
{
    const char *binary = m->p->opts->symbols.binary;
    if (!binary || !prof_count(m->out).mappings)
        return true;
    struct prof_mapping first = prof_get_mapping(m->out, 0);
    if (!prof_str(m->out, binary, &first.filename, err))
        return false;
    prof_set_mapping(m->out, 0, &first);
    return true;
}

static bool symbolize(struct perf_maker *m, struct prof_err *err)
{
    const struct perf *p = m->p;
    struct sym_opts symbols = p->opts->symbols;
    struct utsname host;
    symbols.made = prof_get_header(m->out).time_nanos ? 0 : p->made;
    /* Recorded inodes are valid only on the machine that recorded. */
    if (p->about.host.n && uname(&host) == 0 &&
        strcmp(host.nodename, (const char *)p->about.host.v) == 0) {
        symbols.recorded = m->recorded.v;
        symbols.n_recorded = m->recorded.n;
    }
    return sym_profile(m->out, &symbols, p->notes, err);
}

/* --- profiles ------------------------------------------------------------- */

static bool make(struct perf_maker *m, struct prof_err *err)
{
    const struct perf *p = m->p;
    size_t n_samples = 0;
    if (!m->types.n && !find_types(m, err))
        return false;
    /* Stacks take most of the memory: move them into the profile instead of
     * copying them, if all processes and events are converted. */
    const struct perf_events *e = &p->about.events;
    m->moves = !m->part;
    for (size_t i = 0; m->moves && i < e->list.n; i++)
        m->moves = m->column[i] != PROF_NONE || !e->list.v[i].n_samples;
    if (!add_types(m, err) || !add_mappings(m, err) || !add_header(m, err) ||
        (m->moves && !move_stacks(m, err)))
        return false;
    for (size_t i = 0; !m->moves && i < m->n; i++)
        if (!add_count(m, &m->counts[i], &n_samples, err))
            return false;
    if (p->is_text)
        return true;
    return p->opts->no_symbols ? name_main(m, err) : symbolize(m, err);
}

/* Clears the indices that this profile has set, for the next profile. */
static void forget(struct perf_maker *m)
{
    const struct perf_stacks *s = &m->p->stacks;
    for (size_t i = 0; i < m->n; i++) {
        const struct perf_locations l = perf_stack(s, m->counts[i].stack);
        m->labels[m->counts[i].labels] = 0;
        for (size_t k = 0; k < l.n; k++)
            m->location[l.v[k]] = 0;
    }
    for (size_t i = 0; i < m->rows.n; i++)
        m->mapping[m->rows.v[i]] = 0;
    if (m->main_row != PROF_NONE)
        m->mapping[m->main_row] = 0;
}

struct profile *perf_make_profile(struct perf_maker *m,
                                  const struct perf_part *part,
                                  struct prof_err *err)
{
    const struct perf_stacks *s = &m->p->stacks;
    m->part = part;
    m->recorded.n = 0;
    m->n = part ? part->n : s->counts.n;
    m->counts = part ? s->counts.v + part->at : s->counts.v;
    m->out = prof_new(err);
    const bool ok = m->out && make(m, err);
    prof_functionmap_free(&m->functions);
    if (ok) {
        if (part)
            forget(m);
        return m->out;
    }
    prof_delete(m->out);
    return NULL;
}

struct perf_maker *perf_maker_new(struct perf *p, struct prof_err *err)
{
    struct perf_maker *m = mem_new(sizeof *m, err);
    if (!m)
        return NULL;
    m->p = p;
    m->column = mem_zarray(p->about.events.list.n + 1, sizeof *m->column);
    m->mapping = mem_zarray(p->processes.mappings.n + 1, sizeof *m->mapping);
    m->location = mem_zarray(p->stacks.locations.n + 1, sizeof *m->location);
    m->labels = mem_zarray(p->stacks.labels.n, sizeof *m->labels);
    if (m->column && m->mapping && m->location && m->labels)
        return m;
    (void)err_nomem(err);
    perf_maker_free(m);
    return NULL;
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

bool perf_divide(struct perf *p, struct perf_parts *parts, struct prof_err *err)
{
    struct perf_stacks *s = &p->stacks;
    const size_t n = s->counts.n;
    struct radix_item *items = mem_array(2 * n + 1, sizeof *items);
    struct perf_count *sorted = mem_array(n + 1, sizeof *sorted);
    bool ok = items && sorted;
    for (size_t i = 0; ok && i < n; i++) {
        const uint32_t labels = s->counts.v[i].labels;
        const uint64_t pid = s->labels.v[labels].v[PERF_LABEL_PID];
        items[i] = (struct radix_item){pid ^ (uint64_t)1 << 63, (uint32_t)i, 0};
    }
    if (ok)
        radix_sort(items, items + n, n);
    for (size_t i = 0; ok && i < n; i++) {
        const int64_t pid = (int64_t)(items[i].key ^ (uint64_t)1 << 63);
        const size_t k = parts->list.n;
        sorted[i] = s->counts.v[items[i].id];
        if (k && parts->list.v[k - 1].pid == pid)
            parts->list.v[k - 1].n++;
        else
            ok = vec_push(&parts->list, ((struct perf_part){pid, i, 1}));
    }
    /* This invalidates the rows of counts in s->firsts. */
    if (ok && n)
        memcpy(s->counts.v, sorted, n * sizeof *sorted);
    free(items);
    free(sorted);
    return ok || err_nomem(err);
}
