/* viewer.c - what --speedscope and --firefox share */
#include <inttypes.h>
#include <stdlib.h>

#include "report/data/private.h"
#include "report/escape.h"

enum viewer_unit viewer_unit(const struct profile *p, size_t type)
{
    const char *unit = prof_plain(p, p->types[type].unit), *to;
    if (measure_compatible(unit, "B"))
        return measure_scale(1, unit, "B", &to) == 1 ? VIEWER_BYTES
                                                     : VIEWER_OTHER;
    if (!measure_compatible(unit, "ns"))
        return VIEWER_OTHER;
    double ns = measure_scale(1, unit, "ns", &to);
    return ns == 1     ? VIEWER_NANOSECONDS
           : ns == 1e3 ? VIEWER_MICROSECONDS
           : ns == 1e6 ? VIEWER_MILLISECONDS
           : ns == 1e9 ? VIEWER_SECONDS
                       : VIEWER_OTHER;
}

/* Removes nodes that no sample has; the others keep their order. */
static void renumber(struct nodes *t, const bool *used, uint32_t *number)
{
    for (size_t l = 0; l < t->p->n_locations; l++)
        for (uint64_t i = t->off[l]; used[l] && i < t->off[l + 1]; i++)
            number[t->of[i]] = 1;
    size_t n = 0;
    for (size_t k = 0; k < t->n; k++) {
        if (!number[k])
            continue;
        t->v[n] = t->v[k];
        number[k] = (uint32_t)n++;
    }
    t->n = n;
    for (uint64_t i = 0; i < t->off[t->p->n_locations]; i++)
        t->of[i] = number[t->of[i]];
}

bool viewer_put_name(const struct nodes *t, uint32_t node, struct buf *to)
{
    if (!viewer_has_place(&t->v[node]))
        return node_name(t, node, to);
    struct node bare = t->v[node];
    bare.line = bare.column = 0;
    bare.file = 0;
    struct nodes one = *t;
    one.v = &bare;
    return node_name(&one, 0, to);
}

bool viewer_put_track(struct viewer *v, const struct track *track,
                      struct buf *to)
{
    struct buf name = {0};
    if (!v->timeline.timed)
        return json_put_string(to, &v->columns.names,
                               v->columns.name[track->type], &v->n_replaced);
    bool ok = (!track->name || prof_put_text(&name, v->r->p, track->name)) &&
              (!track->tid || buf_printf(&name, "%s%" PRId64,
                                         track->name ? " " : "", track->tid)) &&
              json_put_text(to, name.v, name.n, &v->n_replaced);
    buf_free(&name);
    return ok;
}

bool viewer_init(struct viewer *v, struct report *r, struct prof_err *err)
{
    const struct profile *p = r->p;
    *v = (struct viewer){.r = r};
    if (!timeline_init(&v->timeline, r, err) ||
        !nodes_init(&v->nodes, p, false, err))
        return false;
    bool *used = mem_zarray(p->n_locations, sizeof *used);
    for (size_t i = 0; used && i < p->n_frames; i++)
        used[p->frames[i]] = true;
    uint32_t *number = mem_zarray(v->nodes.n, sizeof *number);
    bool ok = used && number;
    if (ok)
        renumber(&v->nodes, used, number);
    free(used);
    free(number);
    return ok ? columns_init(&v->columns, p, false, err) : err_nomem(err);
}

bool viewer_end(struct viewer *v, bool ok, const char *format,
                const char *reader)
{
    const struct profile *p = v->r->p;
    if (ok) {
        json_report_lost(v->r, v->n_replaced, reader);
        size_t n_labelled = 0;
        for (size_t s = 0; s < p->n_samples; s++)
            n_labelled += p->labelset[s] != 0;
        note_count(v->r->notes, PROF_NOTE_INFO, n_labelled,
                   "labels of %zu sample{s} not shown by --%s; use "
                   "--tagroot to show labels as frames",
                   n_labelled, format);
    }
    columns_free(&v->columns);
    timeline_free(&v->timeline);
    nodes_free(&v->nodes);
    return ok;
}
