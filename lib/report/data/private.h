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
 * Only labels that samples have get columns, sorted bytewise by name.  If two
 * columns would have the same name, "#" and the number of the column, from 1,
 * is appended to the second.
 */
enum { COLUMNS_MAX_LABELS = 4096 };

struct columns {
    struct strtab names;
    uint32_t *name; /* by column: id in names */
    size_t n_types, n_labels;
    uint32_t *label_column; /* by label in p->labels: 0 .. n_labels - 1 */
};

/*
 * Lists the columns of *p, with `labels` those of labels too.  PROF_ERR_INPUT:
 * there are more than COLUMNS_MAX_LABELS.  The caller calls columns_free(),
 * after a failure too.
 */
bool columns_init(struct columns *c, const struct profile *p, bool labels,
                  struct prof_err *err);
void columns_free(struct columns *c);

/*
 * If all samples have the label timestamp_ns, viewers show a track for each
 * thread (labels pid, tid and comm), with its samples in order of time and the
 * values of one sample type; otherwise a track for each sample type, with all
 * samples.
 */
struct track {
    uint32_t name;     /* string id; 0: unknown */
    int64_t pid, tid;  /* 0 and the number of the type without times */
    size_t type;       /* index of the sample type */
    size_t begin, end; /* its samples, after timeline_init() */
};

struct timeline {
    const struct profile *p;
    VEC(struct track) tracks;
    bool timed;    /* tracks are threads */
    int64_t *time; /* by sample: its time in nanoseconds */
    int64_t start; /* the time of the first of all samples */
};

/* Finds the tracks; if they are threads, sorts the samples of the report by
 * track and time. */
bool timeline_init(struct timeline *t, struct report *r, struct prof_err *err);
void timeline_free(struct timeline *t);

/*
 * Viewers are programs in browsers (speedscope, the Firefox Profiler).  Their
 * files have a table of frames, with name, file and line in separate fields;
 * values in one of a few units; and no labels.
 */
struct viewer {
    struct report *r;
    struct nodes nodes; /* only nodes that samples have */
    struct columns columns;
    struct timeline timeline;
    size_t n_replaced; /* bytes of names that are not UTF-8; set by formats */
};

/* Initialises *v.  The caller calls viewer_end(), after a failure too. */
bool viewer_init(struct viewer *v, struct report *r, struct prof_err *err);

/*
 * Frees *v and returns ok.  If ok is true, reports lost data:
 * json_report_lost(), and a note with -v if samples have labels.
 */
bool viewer_end(struct viewer *v, bool ok, const char *format,
                const char *reader);

/* The name of a frame for samples without frames, because viewers need one. */
#define VIEWER_NO_STACK "<no stack>"

/* Appends the name of a track in JSON: "cpu/nanoseconds", or of a thread, with
 * its number, "worker 4711". */
bool viewer_put_track(struct viewer *v, const struct track *track,
                      struct buf *to);

/* Units that viewers know. */
enum viewer_unit {
    VIEWER_OTHER,
    VIEWER_BYTES,
    VIEWER_NANOSECONDS,
    VIEWER_MICROSECONDS,
    VIEWER_MILLISECONDS,
    VIEWER_SECONDS,
};

/* Returns the unit of the values of a sample type. */
enum viewer_unit viewer_unit(const struct profile *p, size_t type);

/* Appends the name of a node, without file and line if viewer_has_place(). */
bool viewer_put_name(const struct nodes *t, uint32_t node, struct buf *to);

/* Whether a node has fields for file and line: if it has a function. */
static inline bool viewer_has_place(const struct node *k)
{
    return k->name != 0;
}

/* --- events of --callgrind (callevents.c) --- */

/* A sample type, which Callgrind calls an event. */
struct call_event {
    size_t type; /* index of the sample type */
    struct measure units;
    int64_t total;
    struct graph g; /* if there are several events: its values, edges sorted */
};

struct call_events {
    struct call_event *v;
    size_t n;
    /* Private: a profile whose value is 1 where any event has a value. */
    struct profile any;
    struct prof_value_type any_type;
};

/*
 * Lists the events of --callgrind: one, or with the variant "all" every sample
 * type.  Makes *g, which refers to *e, with the nodes and calls of all events;
 * its values are those of the event if there is only one, else undefined.  The
 * caller frees both, after a failure too.
 */
bool call_events_init(struct call_events *e, struct report *r, struct graph *g,
                      struct prof_err *err);
void call_events_free(struct call_events *e);

/* Returns the edge of the event's graph between the same nodes; null if there
 * is none. */
const struct graph_edge *call_event_edge(const struct call_event *e,
                                         const struct graph_edge *edge);

#endif
