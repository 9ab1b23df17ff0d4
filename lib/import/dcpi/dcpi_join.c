/* DCPI inputs joined into one: images, labels, events, counts. */
#include <string.h>

#include "base/buf.h"
#include "import/dcpi/dcpi_join.h"

bool dcpi_name_id(struct dcpi *d, struct dcpi_span s, uint32_t *id)
{
    return strtab_add(&d->names, s.s ? s.s : "", s.n, id);
}

bool dcpi_row_of(struct strtab *keys, const void *key, size_t n, uint32_t *row)
{
    uint32_t id;
    if (!strtab_add(keys, key, n, &id))
        return false;
    *row = id - 1;
    return true;
}

bool dcpi_keep_line(struct dcpi *d, const char *word, struct dcpi_span line)
{
    struct buf text = {0};
    uint32_t id;
    bool ok = buf_puts(&text, "dcpi:") && buf_puts(&text, word) &&
              buf_put(&text, line.s, line.n);
    bool again = ok && !d->ctx.opts->header_only &&
                 strtab_find(&d->comment_seen, (char *)text.v, text.n, &id);
    ok = ok &&
         (again || (strtab_add(&d->comment_seen, (char *)text.v, text.n, &id) &&
                    vec_push(&d->comments, id)));
    buf_free(&text);
    return ok;
}

static bool join_group(struct dcpi *d, const struct dcpi_file *f,
                       uint32_t *index)
{
    struct group g;
    if (!dcpi_name_id(d, f->label, &g.label) ||
        !dcpi_name_id(d, f->platform, &g.platform))
        return false;
    return dcpi_row_of(&d->group_keys, &g, sizeof g, index) &&
           (*index < d->groups.n || vec_push(&d->groups, g));
}

static bool is_selected(const struct dcpi_opts *opts, struct dcpi_span name)
{
    for (size_t i = 0; i < opts->n_events; i++)
        if (dcpi_is(name, opts->events[i]))
            return true;
    return !opts->n_events;
}

/* The counter of a ProfileMe event sums latencies in cycles. */
static bool is_latency(struct dcpi_span name)
{
    static const char *const counters[] = {":m0inflight", ":m1inflight",
                                           ":m1retdelay", ":m3inflight"};
    for (size_t i = 0; i < sizeof counters / sizeof *counters; i++) {
        size_t n = strlen(counters[i]);
        if (name.n > n && memcmp(name.s + name.n - n, counters[i], n) == 0)
            return true;
    }
    return false;
}

/* NAME:PERIOD:FRACTION, as dcpicat has it, for either form. */
static bool keep_event(struct dcpi *d, const struct dcpi_column *col)
{
    struct buf text = {0};
    bool ok = buf_put(&text, col->name.s, col->name.n) &&
              (!col->period ||
               buf_printf(&text, ":%llu:%llu", (unsigned long long)col->period,
                          (unsigned long long)col->fraction));
    struct dcpi_span line = {(char *)text.v, text.n};
    ok = ok && dcpi_keep_line(d, "event ", line);
    buf_free(&text);
    return ok;
}

static bool join_column(struct dcpi *d, const struct dcpi_column *col,
                        uint32_t *event)
{
    struct event ev = {.is_latency = is_latency(col->name),
                       .is_cycles = dcpi_is_cycles(col)};
    if (!keep_event(d, col) ||
        !dcpi_row_of(&d->event_names, col->name.s, col->name.n, event))
        return false;
    if (*event == d->events.n && !vec_push(&d->events, ev))
        return false;
    struct event *e = &d->events.v[*event];
    bool scales = dcpi_has_estimate(col);
    e->has_estimate |= scales;
    e->has_nanos |= scales && col->hz;
    e->period = col->period > e->period ? col->period : e->period;
    d->n_cycles += e->is_cycles;
    d->n_timeless += e->is_cycles && !col->hz;
    return true;
}

static bool leave_out(struct dcpi *d, const struct dcpi_column *col)
{
    uint32_t id;
    note_info(d->ctx.notes, "event '%.*s' left out, %llu samples",
              DCPI_SHOW(col->name), (unsigned long long)col->sum);
    return strtab_add(&d->left_out, col->name.s, col->name.n, &id);
}

static bool add_cells(struct dcpi *d, const struct dcpi_file *f, uint32_t image,
                      uint32_t group, const uint32_t *event)
{
    enum { FEW = 1 << 17 }; /* not worth adding up */
    if (!event)
        return true; /* no columns, no counts */
    if (!vec_reserve(&d->cells, f->counts.n))
        return false;
    for (size_t i = 0; i < f->counts.n; i++) {
        const struct dcpi_count *count = &f->counts.v[i];
        struct cell cell = {count->pc, count->values, image, group,
                            event[count->column]};
        if (cell.event != UINT32_MAX)
            d->cells.v[d->cells.n++] = cell;
    }
    if (d->cells.n < d->sum_at || d->cells.n < FEW)
        return true;
    /* So that memory goes with the places, however many the inputs. */
    dcpi_sum_cells(d);
    d->sum_at = 2 * d->cells.n;
    return true;
}

static bool join_counts(struct dcpi *d, const struct dcpi_file *f)
{
    uint32_t image, group;
    VEC(uint32_t) event = {0}; /* of the file's columns; UINT32_MAX: none */
    bool ok = dcpi_join_image(d, f, &image) && join_group(d, f, &group);
    for (size_t i = 0; ok && i < f->columns.n; i++) {
        const struct dcpi_column *col = &f->columns.v[i];
        uint32_t index = UINT32_MAX;
        ok = (is_selected(d->ctx.opts, col->name) ? join_column(d, col, &index)
                                                  : leave_out(d, col)) &&
             vec_push(&event, index);
    }
    ok = ok && add_cells(d, f, image, group, event.v);
    vec_free(&event);
    return ok;
}

bool dcpi_join_check(const struct dcpi *d, const struct dcpi_files *files,
                     struct err *err)
{
    bool nameless = d->has_nameless;
    for (size_t i = 0; i < files->n && !d->ctx.opts->header_only; i++) {
        if (!dcpi_is_nameless(&files->v[i]))
            continue;
        if (nameless)
            return err_set(err, ERR_INPUT,
                           "no image, path or name line says what this is a "
                           "profile of, and it is the second such: they "
                           "cannot be told apart in one profile");
        nameless = true;
    }
    return true;
}

bool dcpi_join_file(struct dcpi *d, const struct dcpi_file *f)
{
    for (size_t i = 0; i < f->kept.n; i++)
        if (!dcpi_keep_line(d, "", f->kept.v[i]))
            return false;
    if (f->time_nanos && (!d->time_nanos || f->time_nanos < d->time_nanos))
        d->time_nanos = f->time_nanos;
    return d->ctx.opts->header_only || join_counts(d, f);
}
