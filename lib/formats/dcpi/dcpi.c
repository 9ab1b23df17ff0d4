/* dcpi.c - the profile of the sum of DCPI inputs */
#include "formats/dcpi/dcpi.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "formats/dcpi/private.h"

void dcpi_sum_free(struct dcpi *d)
{
    if (!d)
        return;
    strtab_free(&d->names);
    map_free(&d->image_keys);
    map_free(&d->image_name_keys);
    map_free(&d->group_keys);
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

struct dcpi *dcpi_sum_new(const struct dcpi_opts *opts,
                          const struct prof_notes *notes, struct prof_err *err)
{
    struct dcpi *d = mem_zarray(1, sizeof *d);
    if (d && strtab_init(&d->names) && strtab_init(&d->event_names) &&
        strtab_init(&d->comment_seen) && strtab_init(&d->unselected)) {
        d->ctx = (struct dcpi_ctx){opts, notes};
        return d;
    }
    dcpi_sum_free(d);
    err_nomem(err);
    return NULL;
}

bool dcpi_sum_add(struct dcpi *d, const struct import_input *in,
                  struct prof_err *err)
{
    struct dcpi_files files = {0};
    bool ok =
        dcpi_read_files(&d->ctx, in, &files, err) && dcpi_join(d, &files, err);
    dcpi_free_files(&files);
    return ok;
}

/* --- the profile */

/* Limits memory: every sample has values for all events. */
enum { MAX_EVENTS = 256 };

static const char *text_of(const struct dcpi *d, uint32_t id)
{
    return strtab_str(&d->names, id);
}

/* Adds the sample type `name` + `suffix`; fails if p already has it. */
static bool add_type(struct profile *p, const char *name, const char *suffix,
                     const char *unit, struct prof_err *err)
{
    char *type = str_printf("%s%s", name, suffix);
    bool ok = type || err_nomem(err);
    if (ok && prof_find_type(p, type) >= 0)
        ok = err_input(err, "two events would have the same sample type '%s'",
                       type);
    ok = ok && prof_add_type(p, type, unit, err);
    free(type);
    return ok;
}

/* An event and its sort key: `cycles` comes first, then the others by name. */
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

/* Sets the sample types, the default sample type and the period. */
static bool add_event_types(struct dcpi *d, struct profile *p,
                            struct prof_err *err)
{
    struct ranked_event order[MAX_EVENTS];
    struct prof_header h = prof_get_header(p);
    size_t n = d->events.n, shown = SIZE_MAX;
    if (n > MAX_EVENTS)
        return err_input(err,
                         "too many events for one profile: %zu; select up to "
                         "%d with --event",
                         n, MAX_EVENTS);
    for (size_t i = 0; i < n; i++)
        order[i] = (struct ranked_event){
            d->events.v[i].is_cycles ? NULL : event_name(d, i), (uint32_t)i};
    qsort(order, n, sizeof *order, by_name);
    for (size_t i = 0; i < n; i++) {
        struct event *e = &d->events.v[order[i].event];
        const char *name = event_name(d, order[i].event);
        const char *unit = e->is_latency ? "cycles" : "count";
        e->value = prof_count(p).types;
        if (!(n == 1 ? add_type(p, "samples", "", unit, err)
                     : add_type(p, name, "_samples", unit, err)))
            return false;
        if (e->has_estimate && !add_type(p, name, "", unit, err))
            return false;
        if (e->has_nanos && !add_type(p, "cpu", "", "nanoseconds", err))
            return false;
        if (e->has_estimate && (shown == SIZE_MAX || e->is_cycles))
            shown = e->value + 1;
    }
    if (!n)
        return true;
    h.default_sample_type =
        prof_get_type(p, shown == SIZE_MAX ? 0 : shown).type;
    h.period = (int64_t)d->events.v[order[0].event].period;
    if (h.period && (!prof_str(p, event_name(d, order[0].event),
                               &h.period_type.type, err) ||
                     !prof_str(p, "count", &h.period_type.unit, err)))
        return false;
    prof_set_header(p, &h);
    return true;
}

static bool add_mappings(const struct dcpi *d, struct profile *p,
                         struct prof_err *err)
{
    const struct image *v = d->images.v;
    uint32_t *at = mem_array(d->images.n, sizeof *at); /* image, by mapping */
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
    static const char *const keys[] = {"dcpi_label", "platform"};
    const uint32_t texts[] = {d->groups.v[group].label,
                              d->groups.v[group].platform};
    struct prof_label labels[2] = {0};
    size_t n = 0;
    for (size_t i = 0; i < 2; i++) {
        if (!texts[i])
            continue;
        if (!prof_str(p, keys[i], &labels[n].key, err) ||
            !prof_str(p, text_of(d, texts[i]), &labels[n].str, err))
            return false;
        n++;
    }
    return prof_labelset(p, labels, n, set, err);
}

static bool same_location(const struct cell *a, const struct cell *b)
{
    return a->image == b->image && a->pc == b->pc;
}

/* Adds a sample for each run of cells that have one location and group. */
static bool add_cells(struct dcpi *d, struct profile *p, struct prof_err *err)
{
    const struct cell *v = d->cells.v;
    size_t n_types = prof_count(p).types;
    int64_t *values = mem_zarray(n_types, sizeof *values);
    bool ok = values || err_nomem(err);
    uint32_t location = 0, set;
    for (size_t i = 0, next; ok && i < d->cells.n; i = next) {
        const struct cell *cell = &v[i];
        const struct image *image = &d->images.v[cell->image];
        memset(values, 0, n_types * sizeof *values);
        for (next = i; next < d->cells.n && v[next].group == cell->group &&
                       same_location(&v[next], cell);
             next++) {
            const struct event *e = &d->events.v[v[next].event];
            int64_t *to = values + e->value;
            if (next > i && v[next].event == v[next - 1].event)
                ok = err_input(
                    err, "event '%s' at 0x%llx in '%s' exceeds 64 bits",
                    event_name(d, v[next].event), (unsigned long long)cell->pc,
                    text_of(d, image->filename));
            *to = v[next].values.samples;
            if (e->has_estimate)
                *++to = v[next].values.events;
            if (e->has_nanos)
                *++to = v[next].values.nanos;
        }
        struct prof_location l = {.address = cell->pc,
                                  .mapping = image->mapping};
        ok = ok &&
             ((i && same_location(&v[i - 1], cell)) ||
              prof_add_location(p, &l, NULL, 0, &location, err)) &&
             add_labels(d, cell->group, p, &set, err) &&
             prof_add_sample(p, &location, 1, values, set, err);
    }
    free(values);
    return ok;
}

/* Fails if no input has one of the selected events; the error lists the events
 * of the inputs. */
static bool check_selection(const struct dcpi *d, struct prof_err *err)
{
    const struct dcpi_opts *opts = d->ctx.opts;
    for (size_t i = 0; i < opts->n_events; i++) {
        uint32_t id;
        if (strtab_find(&d->event_names, opts->events[i],
                        strlen(opts->events[i]), &id))
            continue;
        struct buf have = {0};
        bool ok = true;
        for (size_t j = 0; j < d->events.n; j++)
            ok = ok && buf_printf(&have, " %s", event_name(d, j));
        for (id = 1; id < d->unselected.n; id++)
            ok = ok && buf_printf(&have, " %s", strtab_str(&d->unselected, id));
        ok = (ok && buf_putc(&have, 0)) || err_nomem(err);
        if (ok)
            err_set(err, PROF_ERR_USAGE,
                    "no input has event '%s'; available:%s", opts->events[i],
                    have.n > 1 ? (char *)have.v : " none");
        buf_free(&have);
        return false;
    }
    return true;
}

static bool fill(struct dcpi *d, struct profile *p, struct prof_err *err)
{
    struct prof_header h = prof_get_header(p);
    h.time_nanos = d->time_nanos;
    prof_set_header(p, &h);
    bool all = !d->ctx.opts->header_only;
    if (all && d->n_timeless && d->n_timeless < d->n_cycles)
        note_loss(d->ctx.notes,
                  "no cpuspeed in %llu of %llu cycles profiles; their time "
                  "is missing from 'cpu'",
                  (unsigned long long)d->n_timeless,
                  (unsigned long long)d->n_cycles);
    if (all && (!check_selection(d, err) || !dcpi_finish_sum(d, err)))
        return false;
    for (size_t i = 0; i < d->comments.n; i++)
        if (!prof_add_comment(p, strtab_str(&d->comment_seen, d->comments.v[i]),
                              err))
            return false;
    return !all || (add_event_types(d, p, err) && add_mappings(d, p, err) &&
                    add_cells(d, p, err));
}

struct profile *dcpi_sum_finish(struct dcpi *d, struct prof_err *err)
{
    if (d->broken) {
        err_nomem(err);
        return NULL;
    }
    struct profile *p = prof_new(err);
    /* A merge of one profile puts the comments into canonical order. */
    if (p && fill(d, p, err) &&
        (d->ctx.opts->header_only || prof_merge_one(p, NULL, err)))
        return p;
    prof_delete(p);
    return NULL;
}
