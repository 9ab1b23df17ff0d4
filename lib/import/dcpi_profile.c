/* The profile of joined DCPI inputs. */
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "import/dcpi_join.h"

/* Every sample has values for all events: a bound on what that costs. */
enum { MOST_EVENTS = 256 };

static const char *name(const struct dcpi *d, uint32_t id)
{
    return strtab_str(&d->names, id);
}

/* By place, then labels; what is equal becomes one sample. */
static int order(const struct cell *a, const struct cell *b)
{
    if (a->image != b->image)
        return a->image < b->image ? -1 : 1;
    if (a->pc != b->pc)
        return a->pc < b->pc ? -1 : 1;
    return (a->group > b->group) - (a->group < b->group);
}

static int by_place(const void *a, const void *b)
{
    return order(a, b);
}

static bool add_type(struct profile *p, const char *type, const char *unit,
                     struct err *err)
{
    if (prof_find_type(p, type) >= 0)
        return err_set(err, ERR_INPUT,
                       "two events would both have values called '%s'", type);
    return prof_add_type(p, type, unit, err);
}

static bool add_event_types(struct dcpi *d, size_t event, struct profile *p,
                            struct err *err)
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

static bool add_types(struct dcpi *d, struct profile *p, struct err *err)
{
    size_t shown = SIZE_MAX;
    if (d->events.n > MOST_EVENTS)
        return err_set(err, ERR_INPUT,
                       "%zu events are too many for one profile; choose up to "
                       "%d with -e",
                       d->events.n, MOST_EVENTS);
    for (size_t i = 0; i < d->events.n; i++) {
        struct event *e = &d->events.v[i];
        if (!add_event_types(d, i, p, err))
            return false;
        if (e->has_estimate && (shown == SIZE_MAX || e->is_cycles))
            shown = e->value + 1;
    }
    if (!d->events.n)
        return true;
    p->default_sample_type = p->types[shown == SIZE_MAX ? 0 : shown].type;
    const struct event *first = &d->events.v[0];
    p->period = (int64_t)first->period;
    if (!p->period)
        return true;
    return prof_str(p, event_name(d, 0), &p->period_type.type, err) &&
           prof_str(p, "count", &p->period_type.unit, err);
}

static bool add_mappings(const struct dcpi *d, struct profile *p,
                         struct err *err)
{
    for (size_t i = 0; i < d->images.n; i++) {
        const struct image *im = &d->images.v[i];
        struct prof_mapping m = {.start = im->start, .limit = im->limit};
        if (!prof_str(p, name(d, im->filename), &m.filename, err) ||
            !prof_str(p, name(d, im->id), &m.build_id, err) ||
            !prof_add_mapping(p, &m, NULL, err))
            return false;
    }
    return true;
}

static bool labelset(const struct dcpi *d, uint32_t group, struct profile *p,
                     uint32_t *set, struct err *err)
{
    const struct group *g = &d->groups.v[group];
    struct prof_label labels[2] = {0};
    size_t n = 0;
    if (g->label) {
        if (!prof_str(p, "dcpi_label", &labels[n].key, err) ||
            !prof_str(p, name(d, g->label), &labels[n].str, err))
            return false;
        n++;
    }
    if (g->platform) {
        if (!prof_str(p, "platform", &labels[n].key, err) ||
            !prof_str(p, name(d, g->platform), &labels[n].str, err))
            return false;
        n++;
    }
    return prof_labelset(p, labels, n, set, err);
}

static bool too_many(const struct dcpi *d, const struct cell *cell,
                     struct err *err)
{
    uint32_t event = d->columns.v[cell->column].event;
    return err_set(err, ERR_INPUT,
                   "event '%s' at 0x%llx in '%s' adds up to more than 64 bits "
                   "can count",
                   event_name(d, event), (unsigned long long)cell->pc,
                   name(d, d->images.v[cell->image].filename));
}

static bool add_cell(const struct dcpi *d, const struct cell *cell,
                     int64_t *values, struct err *err)
{
    const struct column *col = &d->columns.v[cell->column];
    const struct event *e = &d->events.v[col->event];
    int64_t *at = values + e->value, events, nanos;
    if (__builtin_add_overflow(at[0], (int64_t)cell->n, &at[0]))
        return too_many(d, cell, err);
    if (!dcpi_has_estimate(&col->scale))
        return true;
    if (!dcpi_estimate(&col->scale, cell->n, &events) ||
        __builtin_add_overflow(at[1], events, &at[1]))
        return too_many(d, cell, err);
    if (!e->is_cycles || !col->hz)
        return true;
    return (dcpi_scale((uint64_t)events, 1000000000, col->hz, &nanos) &&
            !__builtin_add_overflow(at[2], nanos, &at[2])) ||
           too_many(d, cell, err);
}

static bool add_samples(struct dcpi *d, struct profile *p, struct err *err)
{
    int64_t *values = mem_zarray(p->n_types, sizeof *values);
    if (!values)
        return err_nomem(err);
    bool ok = true;
    uint32_t location = 0, set;
    for (size_t i = 0, next; ok && i < d->cells.n; i = next) {
        const struct cell *first = &d->cells.v[i];
        memset(values, 0, p->n_types * sizeof *values);
        for (next = i;
             ok && next < d->cells.n && order(first, &d->cells.v[next]) == 0;
             next++)
            ok = add_cell(d, &d->cells.v[next], values, err);
        bool same_place =
            i && first[-1].image == first->image && first[-1].pc == first->pc;
        struct prof_location l = {.address = first->pc,
                                  .mapping = first->image};
        ok = ok &&
             (same_place || prof_add_location(p, &l, NULL, 0, &location, err));
        ok = ok && labelset(d, first->group, p, &set, err) &&
             prof_add_sample(p, &location, 1, values, set, err);
    }
    free(values);
    return ok;
}

/* A selected event that no input has, and which there are. */
static bool no_event(const struct dcpi *d, const char *want, struct err *err)
{
    struct buf have = {0};
    bool ok = true;
    for (size_t i = 0; i < d->events.n; i++)
        ok = ok && buf_printf(&have, " %s", event_name(d, i));
    for (uint32_t id = 1; id < d->left_out.n; id++)
        ok = ok && buf_printf(&have, " %s", strtab_str(&d->left_out, id));
    ok = (ok && buf_putc(&have, 0)) || err_nomem(err);
    if (ok)
        err_set(err, ERR_USAGE, "no input has event '%s'; events here:%s", want,
                have.n > 1 ? (char *)have.v : " none");
    buf_free(&have);
    return false;
}

static bool check_selection(const struct dcpi *d, struct err *err)
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

/* Cycles whose time is not in `cpu', though other inputs' is. */
static void note_timeless(const struct dcpi *d)
{
    size_t without = 0, all = 0;
    bool any = false;
    for (size_t i = 0; i < d->columns.n; i++) {
        const struct column *col = &d->columns.v[i];
        if (!d->events.v[col->event].is_cycles)
            continue;
        all++;
        any |= col->hz != 0;
        without += !col->hz;
    }
    if (any && without)
        note_warn(d->ctx.notes,
                  "%zu of %zu profiles of cycles have no cpuspeed: 'cpu' "
                  "lacks their time",
                  without, all);
}

bool dcpi_finish(struct dcpi *d, struct profile *out, struct err *err)
{
    if (!prof_init(out, err))
        return false;
    for (size_t i = 0; i < d->comments.n; i++)
        if (!prof_add_comment(
                out, strtab_str(&d->comment_seen, d->comments.v[i]), err))
            return false;
    out->time_nanos = d->time_nanos;
    if (d->ctx.opts->header_only)
        return true;
    note_timeless(d);
    if (d->cells.n)
        qsort(d->cells.v, d->cells.n, sizeof *d->cells.v, by_place);
    return check_selection(d, err) && add_types(d, out, err) &&
           add_mappings(d, out, err) && add_samples(d, out, err);
}
