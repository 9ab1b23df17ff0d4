/* dcpi.c - the converter of DCPI inputs, and the profile of their sum */
#include "formats/dcpi/dcpi.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "formats/dcpi/private.h"
#include "profile/merge/merge.h"

static void free_dcpi(void *ctx)
{
    struct dcpi *d = ctx;
    strtab_free(&d->names);
    strtab_free(&d->image_keys);
    strtab_free(&d->image_name_keys);
    strtab_free(&d->group_keys);
    strtab_free(&d->event_names);
    strtab_free(&d->comment_seen);
    strtab_free(&d->unselected);
    vec_free(&d->comments);
    vec_free(&d->images);
    vec_free(&d->image_names);
    vec_free(&d->groups);
    vec_free(&d->events);
    vec_free(&d->cells);
    free(d);
}

static void *start(void *options, const struct prof_notes *notes,
                   struct prof_err *err)
{
    struct dcpi *d = mem_zarray(1, sizeof *d);
    if (!d) {
        err_nomem(err);
        return NULL;
    }
    d->ctx = (struct dcpi_ctx){options, notes};
    if (strtab_init(&d->names) && strtab_init(&d->image_keys) &&
        strtab_init(&d->image_name_keys) && strtab_init(&d->group_keys) &&
        strtab_init(&d->event_names) && strtab_init(&d->comment_seen) &&
        strtab_init(&d->unselected))
        return d;
    free_dcpi(d);
    err_nomem(err);
    return NULL;
}

static bool add(void *ctx, const struct import_input *in, struct prof_err *err)
{
    struct dcpi *d = ctx;
    struct dcpi_files files = {0};
    bool ok =
        dcpi_read_files(&d->ctx, in, &files, err) && dcpi_join(d, &files, err);
    dcpi_free_files(&files);
    return ok;
}

/* --- the profile */

/* Every sample has values for all events: a bound on what that costs. */
enum { MAX_EVENTS = 256 };

static const char *text_of(const struct dcpi *d, uint32_t id)
{
    return strtab_str(&d->names, id);
}

static bool add_type(struct profile *p, const char *type, const char *unit,
                     struct prof_err *err)
{
    if (prof_find_type(p, type) >= 0)
        return err_set(err, PROF_ERR_INPUT,
                       "two events have the same value name '%s'", type);
    return prof_add_type(p, type, unit, err);
}

static bool add_types_of(struct dcpi *d, size_t event, struct profile *p,
                         struct prof_err *err)
{
    struct event *e = &d->events.v[event];
    const char *unit = e->is_latency ? "cycles" : "count";
    e->value = p->n_types;
    if (d->events.n == 1) {
        if (!add_type(p, "samples", unit, err))
            return false;
    } else {
        struct buf text = {0};
        bool ok = (buf_printf(&text, "%s_samples", event_name(d, event)) &&
                   buf_putc(&text, 0)) ||
                  err_nomem(err);
        ok = ok && add_type(p, (char *)text.v, unit, err);
        buf_free(&text);
        if (!ok)
            return false;
    }
    if (e->has_estimate && !add_type(p, event_name(d, event), unit, err))
        return false;
    return !e->has_nanos || add_type(p, "cpu", "nanoseconds", err);
}

/* An event with what it is ordered by: cycles, then by name. */
struct ranked_event {
    const char *name; /* null: cycles */
    uint32_t event;
};

static int by_name(const void *a, const void *b)
{
    const struct ranked_event *x = a, *y = b;
    if (!x->name || !y->name)
        return (x->name != NULL) - (y->name != NULL);
    return strcmp(x->name, y->name);
}

static bool add_event_types(struct dcpi *d, struct profile *p,
                            struct prof_err *err)
{
    struct ranked_event order[MAX_EVENTS];
    size_t n = d->events.n, shown = SIZE_MAX;
    if (n > MAX_EVENTS)
        return err_set(err, PROF_ERR_INPUT,
                       "too many events for one profile: %zu; select up to %d "
                       "with --event",
                       n, MAX_EVENTS);
    for (size_t i = 0; i < n; i++)
        order[i] = (struct ranked_event){
            d->events.v[i].is_cycles ? NULL : event_name(d, i), (uint32_t)i};
    qsort(order, n, sizeof *order, by_name);
    for (size_t i = 0; i < n; i++) {
        struct event *e = &d->events.v[order[i].event];
        if (!add_types_of(d, order[i].event, p, err))
            return false;
        if (e->has_estimate && (shown == SIZE_MAX || e->is_cycles))
            shown = e->value + 1;
    }
    if (!n)
        return true;
    p->default_sample_type = p->types[shown == SIZE_MAX ? 0 : shown].type;
    p->period = (int64_t)d->events.v[order[0].event].period;
    if (!p->period)
        return true;
    return prof_str(p, event_name(d, order[0].event), &p->period_type.type,
                    err) &&
           prof_str(p, "count", &p->period_type.unit, err);
}

static bool add_mappings(const struct dcpi *d, struct profile *p,
                         struct prof_err *err)
{
    const struct image *v = d->images.v;
    uint32_t *at = mem_array(d->images.n, sizeof *at); /* by mapping */
    if (!at)
        return err_nomem(err);
    for (size_t i = 0; i < d->images.n; i++)
        at[v[i].mapping] = (uint32_t)i;
    bool ok = true;
    for (size_t i = 0; ok && i < d->images.n; i++) {
        const struct image *im = &v[at[i]];
        struct prof_mapping m = {.start = im->start, .limit = im->limit};
        ok = prof_str(p, text_of(d, im->filename), &m.filename, err) &&
             prof_str(p, text_of(d, im->id), &m.build_id, err) &&
             prof_add_mapping(p, &m, NULL, err);
        if (!im->has_samples)
            note_info(d->ctx.notes, "no samples in '%s'",
                      text_of(d, im->filename));
    }
    free(at);
    return ok;
}

static bool add_labels(const struct dcpi *d, uint32_t group, struct profile *p,
                       uint32_t *set, struct prof_err *err)
{
    const struct group *g = &d->groups.v[group];
    struct prof_label labels[2] = {0};
    size_t n = 0;
    if (g->label) {
        if (!prof_str(p, "dcpi_label", &labels[n].key, err) ||
            !prof_str(p, text_of(d, g->label), &labels[n].str, err))
            return false;
        n++;
    }
    if (g->platform) {
        if (!prof_str(p, "platform", &labels[n].key, err) ||
            !prof_str(p, text_of(d, g->platform), &labels[n].str, err))
            return false;
        n++;
    }
    return prof_labelset(p, labels, n, set, err);
}

static bool too_many(const struct dcpi *d, const struct cell *cell,
                     struct prof_err *err)
{
    return err_set(err, PROF_ERR_INPUT,
                   "event '%s' at 0x%llx in '%s' overflows 64 bits",
                   event_name(d, cell->event), (unsigned long long)cell->pc,
                   text_of(d, d->images.v[cell->image].filename));
}

static void set_values(const struct dcpi *d, const struct cell *cell,
                       int64_t *values)
{
    const struct event *e = &d->events.v[cell->event];
    size_t at = e->value;
    values[at] = cell->values.samples;
    if (e->has_estimate)
        values[++at] = cell->values.events;
    if (e->has_nanos)
        values[++at] = cell->values.nanos;
}

static bool same_location(const struct cell *a, const struct cell *b)
{
    return a->image == b->image && a->pc == b->pc;
}

static bool add_cells(struct dcpi *d, struct profile *p, struct prof_err *err)
{
    const struct cell *v = d->cells.v;
    int64_t *values = mem_zarray(p->n_types, sizeof *values);
    bool ok = values || err_nomem(err);
    uint32_t location = 0, set;
    for (size_t i = 0, next; ok && i < d->cells.n; i = next) {
        const struct cell *cell = &v[i];
        memset(values, 0, p->n_types * sizeof *values);
        for (next = i;
             ok && next < d->cells.n && v[next].group == cell->group &&
             same_location(&v[next], cell);
             next++) {
            if (next > i && v[next].event == v[next - 1].event)
                ok = too_many(d, &v[next], err);
            set_values(d, &v[next], values);
        }
        struct prof_location l = {.address = cell->pc,
                                  .mapping = d->images.v[cell->image].mapping};
        ok = ok && ((i && same_location(&v[i - 1], cell)) ||
                    prof_add_location(p, &l, NULL, 0, &location, err));
        ok = ok && add_labels(d, cell->group, p, &set, err) &&
             prof_add_sample(p, &location, 1, values, set, err);
    }
    free(values);
    return ok;
}

/* A selected event that no input has, and which there are. */
static bool no_event(const struct dcpi *d, const char *want,
                     struct prof_err *err)
{
    struct buf have = {0};
    bool ok = true;
    for (size_t i = 0; i < d->events.n; i++)
        ok = ok && buf_printf(&have, " %s", event_name(d, i));
    for (uint32_t id = 1; id < d->unselected.n; id++)
        ok = ok && buf_printf(&have, " %s", strtab_str(&d->unselected, id));
    ok = (ok && buf_putc(&have, 0)) || err_nomem(err);
    if (ok)
        err_set(err, PROF_ERR_USAGE, "no input has event '%s'; available:%s",
                want, have.n > 1 ? (char *)have.v : " none");
    buf_free(&have);
    return false;
}

static bool check_selection(const struct dcpi *d, struct prof_err *err)
{
    const struct dcpi_opts *opts = d->ctx.opts;
    for (size_t i = 0; i < opts->n_events; i++) {
        bool found = false;
        for (size_t j = 0; j < d->events.n; j++)
            found |= strcmp(event_name(d, j), opts->events[i]) == 0;
        if (!found)
            return no_event(d, opts->events[i], err);
    }
    return true;
}

/* Cycles whose time is not in `cpu`, though other inputs' is. */
static void note_timeless(const struct dcpi *d)
{
    if (d->n_timeless && d->n_timeless < d->n_cycles)
        note_loss(d->ctx.notes,
                  "%llu of %llu cycles profiles have no cpuspeed; their time "
                  "is missing from 'cpu'",
                  (unsigned long long)d->n_timeless,
                  (unsigned long long)d->n_cycles);
}

static bool add_comments(const struct dcpi *d, struct profile *p,
                         struct prof_err *err)
{
    for (size_t i = 0; i < d->comments.n; i++)
        if (!prof_add_comment(p, strtab_str(&d->comment_seen, d->comments.v[i]),
                              err))
            return false;
    return true;
}

static bool make_profile(struct dcpi *d, struct profile *p,
                         struct prof_err *err)
{
    return dcpi_settle(d, err) && add_comments(d, p, err) &&
           add_event_types(d, p, err) && add_mappings(d, p, err) &&
           add_cells(d, p, err);
}

static bool finish(void *ctx, struct profile *out, struct prof_err *err)
{
    struct dcpi *d = ctx;
    struct profile raw = {0};
    if (!prof_init(out, err))
        return false;
    if (d->broken)
        return err_nomem(err);
    out->time_nanos = d->time_nanos;
    if (d->ctx.opts->header_only)
        return add_comments(d, out, err);
    note_timeless(d);
    bool ok = check_selection(d, err) && prof_init(&raw, err);
    raw.time_nanos = d->time_nanos;
    ok = ok && make_profile(d, &raw, err);
    if (ok) {
        prof_free(out);
        ok = prof_canonical(&raw, 1, out, NULL, err);
    }
    prof_free(&raw);
    return ok;
}

/* --- the converter */

/* Words of any text begin a header that has no version line. */
static bool begins_with_options(const void *options,
                                const struct import_input *in)
{
    (void)options;
    return dcpi_begins(in->data, in->n);
}

const struct converter dcpi_converter = {
    .reads = "a DCPI profile",
    .member_begins = dcpi_begins,
    .begins = begins_with_options,
    .start = start,
    .add = add,
    .finish = finish,
    .free_sum = free_dcpi,
};
