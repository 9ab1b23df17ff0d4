/* timeline.c - samples by thread, in order of time, for viewers */
#include <inttypes.h>
#include <stdlib.h>

#include "base/sort.h"
#include "base/system.h"
#include "profile/columns.h"
#include "report/data/private.h"

/* The time and thread from the labels of a set. */
struct when {
    int64_t time, pid, tid;
    uint32_t name; /* string id; 0: none */
    bool has_time;
};

static struct when read_labels(const struct profile *p, size_t set)
{
    struct when w = {0};
    uint32_t process = 0;
    for (uint64_t i = p->labelset_off[set]; i < p->labelset_off[set + 1]; i++) {
        const struct prof_label *l = &p->labels[i];
        const struct prof_slice key = prof_text(p, l->key);
        if (l->str && slice_is(key, "comm"))
            w.name = l->str;
        else if (l->str && slice_is(key, "process_comm"))
            process = l->str;
        else if (!l->str && slice_is(key, "pid"))
            w.pid = l->num;
        else if (!l->str && slice_is(key, "tid"))
            w.tid = l->num;
        else if (!l->str && l->num >= 0 && slice_is(key, "timestamp_ns")) {
            w.time = l->num;
            w.has_time = true;
        }
    }
    if (!w.name)
        w.name = process;
    return w;
}

struct order {
    const struct profile *p;
    const struct when *when; /* by label set: its thread and time */
};

static int by_thread_and_time(const void *x, const void *y, void *ctx)
{
    const struct order *o = ctx;
    const uint32_t s = *(const uint32_t *)x, t = *(const uint32_t *)y;
    const struct when *a = &o->when[o->p->labelset[s]];
    const struct when *b = &o->when[o->p->labelset[t]];
    int c = ORDER(a->pid, b->pid);
    c = c ? c : ORDER(a->tid, b->tid);
    c = c ? c : ORDER(a->time, b->time);
    return c ? c : ORDER(s, t);
}

/* Makes a track of each thread, whose samples are adjacent after sorting. */
static bool make_tracks(struct timeline *t, const struct when *when,
                        size_t type)
{
    const struct profile *p = t->p;
    struct track *last = NULL;
    t->start = INT64_MAX;
    for (size_t s = 0; s < p->n_samples; s++) {
        const struct when *w = &when[p->labelset[s]];
        if (!last || last->pid != w->pid || last->tid != w->tid) {
            const struct track new = {.name = w->name,
                                      .pid = w->pid,
                                      .tid = w->tid,
                                      .type = type,
                                      .begin = s};
            if (!vec_push(&t->tracks, new))
                return false;
            last = &t->tracks.v[t->tracks.n - 1];
        }
        last->end = s + 1;
        t->time[s] = w->time;
        if (w->time < t->start)
            t->start = w->time;
    }
    return true;
}

/* Makes a track of each sample type. */
static bool list_types(struct timeline *t)
{
    bool ok = true;
    for (size_t i = 0; ok && i < t->p->n_types; i++) {
        const struct track new = {
            .tid = (int64_t)i, .type = i, .end = t->p->n_samples};
        ok = vec_push(&t->tracks, new);
    }
    return ok;
}

bool timeline_init(struct timeline *t, struct report *r, struct prof_err *err)
{
    struct profile *p = r->p;
    *t = (struct timeline){.p = p};
    struct when *when = mem_array(p->n_labelsets, sizeof *when);
    uint32_t *samples = mem_array(p->n_samples, sizeof *samples);
    t->time = mem_array(p->n_samples, sizeof *t->time);
    bool ok = (when && samples && t->time) || err_nomem(err);
    t->timed = p->n_samples;
    for (size_t i = 0; ok && i < p->n_labelsets; i++)
        when[i] = read_labels(p, i);
    for (size_t s = 0; ok && s < p->n_samples; s++) {
        t->timed &= when[p->labelset[s]].has_time;
        samples[s] = (uint32_t)s;
    }
    if (ok && !t->timed)
        ok = list_types(t) || err_nomem(err);
    if (ok && t->timed) {
        struct order order = {p, when};
        const struct prof_layout layout = {.order = samples,
                                           .n_order = p->n_samples};
        system_sort(samples, p->n_samples, sizeof *samples, by_thread_and_time,
                    &order);
        ok = prof_apply_layout(p, &layout, err) &&
             (make_tracks(t, when, r->type) || err_nomem(err));
    }
    free(when);
    free(samples);
    return ok;
}

void timeline_free(struct timeline *t)
{
    vec_free(&t->tracks);
    free(t->time);
}
