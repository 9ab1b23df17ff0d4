/*
 * private.h - what several formats of this folder share
 *
 *      part      file        used by
 *      columns   columns.c   --csv, --tsv, --jsonl and the viewers
 *      viewers   viewer.c    --speedscope, --firefox
 *      threads   timeline.c  --speedscope, --firefox
 *      events    callevents.c  --callgrind
 *
 * Functions that return bool and have no err return false when memory is out.
 */
#ifndef PROFUTILS_REPORT_DATA_PRIVATE_H
#define PROFUTILS_REPORT_DATA_PRIVATE_H

#include "base/vec.h"
#include "report/graph/graph.h"
#include "report/out.h"

/*
 * Columns: sample types, then labels.
 *
 *      name                column
 *      type/unit           values of a sample type
 *      label:key           strings of a key, or its numbers without a unit
 *      label:key/unit      numbers of a key and unit
 *
 * Only labels of samples have columns, which are sorted by name as bytes.  A
 * name that another column has already gets "#" and the number of its column,
 * from 1, so that names are unique.
 */
enum { COLUMNS_MAX_LABELS = 4096 };

struct columns {
    struct strtab names;
    uint32_t *name; /* by column: id in names */
    size_t n_types, n_labels;
    uint32_t *label_column; /* by label in p->labels: 0 .. n_labels - 1 */
};

/*
 * The columns of *p; `labels`: also those of labels.  PROF_ERR_INPUT: more than
 * COLUMNS_MAX_LABELS.  columns_free() is required after a failure too.
 */
bool columns_init(struct columns *c, const struct profile *p, bool labels,
                  struct prof_err *err);
void columns_free(struct columns *c);

/*
 * Viewers: programs in browsers.  They show a table of frames, with name, file
 * and line in separate fields; values in one of a few units; and no labels.
 */
struct viewer {
    struct report *r;
    struct nodes nodes; /* only those that samples have */
    struct columns columns;
    size_t n_replaced; /* bytes of names that are not UTF-8; set by formats */
};

/* viewer_end() is required after a failure too. */
bool viewer_init(struct viewer *v, struct report *r, struct prof_err *err);

/*
 * Frees *v and returns ok.  If ok is true, reports lost data:
 * json_report_lost(), and a note with -v if samples have labels.
 */
bool viewer_end(struct viewer *v, bool ok, const char *format,
                const char *reader);

/*
 * Where all samples have the label timestamp_ns, viewers show a track for each
 * thread (labels pid, tid and comm) with the samples in order of time.
 */
struct track {
    uint32_t name; /* string id; 0: unknown */
    int64_t pid, tid;
    size_t begin, end; /* its samples */
};

struct timeline {
    const struct profile *p;
    VEC(struct track) tracks; /* n 0: not all samples have a time */
    int64_t *time;            /* of a sample, ns */
    int64_t start;            /* of the first sample of all */
};

/* Sorts the samples of the report by track, if there are any. */
bool timeline_init(struct timeline *t, struct report *r, struct prof_err *err);
void timeline_free(struct timeline *t);

/* Appends "worker 4711". */
bool timeline_put_name(const struct timeline *t, const struct track *track,
                       struct buf *to);

/* The name of the frame of samples without frames: viewers need one. */
#define VIEWER_NO_STACK "<no stack>"

/* The unit of the values of a sample type. */
enum viewer_unit {
    VIEWER_OTHER,
    VIEWER_BYTES,
    VIEWER_NANOSECONDS,
    VIEWER_MICROSECONDS,
    VIEWER_MILLISECONDS,
    VIEWER_SECONDS,
};
enum viewer_unit viewer_unit(const struct profile *p, size_t type);

/* Appends the name of a node, without file and line if those are separate. */
bool viewer_put_name(const struct nodes *t, uint32_t node, struct buf *to);

/* Whether file and line of a node are separate: they are unless it has no
 * function. */
static inline bool viewer_has_place(const struct node *k)
{
    return k->name != 0;
}

/* --- events of --callgrind (callevents.c) --- */

struct call_event {
    size_t type; /* of samples */
    struct measure units;
    int64_t total;
    struct graph g; /* if there are several: its values, with sorted edges */
};

struct call_events {
    struct call_event *v;
    size_t n;
    /* Private: a value that is 1 where there is one of any event. */
    struct profile any;
    struct prof_value_type any_type;
};

/*
 * Lists the events of --callgrind: one, or with the variant "all" every sample
 * type.  Makes *g with the nodes and calls of all of them, whose values are
 * those of the event only if there is one; *g refers to *e.  The caller frees
 * both, after a failure too.
 */
bool call_events_init(struct call_events *e, struct report *r, struct graph *g,
                      struct prof_err *err);
void call_events_free(struct call_events *e);

/* The event's call between the same nodes; null if it has none. */
const struct graph_edge *call_event_edge(const struct call_event *e,
                                         const struct graph_edge *edge);

#endif
