/*
 * private.h - declarations that the files of formats/perf share
 *
 *   part      file              contains
 *   all       perf.c            the sum of inputs; warnings
 *             format.h          the format of recordings
 *             perf_ids.c        maps of ids: of events, processes, threads ...
 *   reader    perf_reader.c     perf_next(): records in order of time
 *             perf_file.c       headers, files, pipes
 *             perf_directory.c  the files of a directory (perf record
 * --threads) perf_zstd.c       compressed records perf_queue.c      sorts
 * records by time perf_attr.c       events: attributes, ids, names
 *             perf_feature.c    feature sections
 *             perf_sample.c     the fields of a sample
 *   spaces    perf_process.c    processes, threads and their mappings
 *             perf_maps.c       trees of address ranges
 *   chains    perf_chain.c      call chains
 *   stacks    perf_stack.c      locations, stacks, and how often they occur
 *   records   perf_record.c     what each type of record does
 *             perf_deferred.c   samples that wait for the rest of their chain
 *   text      perf_text.c       the output of perf script, line by line
 *   profile   perf_profile.c    the only file that knows profiles
 *
 * A sample comes from perf_next().  perf_record.c parses it (perf_sample.c),
 * finds its call chain (perf_chain.c) and the stack of that (perf_stack.c, with
 * the mappings of perf_process.c), and counts it.  perf_profile.c makes
 * profiles of stacks and counts.
 *
 * Ownership: struct perf has all parts, which refer to its `about`.  What a
 * part has is freed by its own function, after a failure too.
 */
#ifndef PROFUTILS_FORMATS_PERF_PRIVATE_H
#define PROFUTILS_FORMATS_PERF_PRIVATE_H

#include "base/buf.h"
#include "base/hash.h"
#include "base/sort.h"
#include "base/strtab.h"
#include "base/vec.h"
#include "formats/perf/format.h"
#include "formats/perf/perf.h"
#include "io/stream.h"

#define PERF_NO_TIME UINT64_MAX

/* --- ids (perf_ids.c): maps of ids to numbers ----------------------------- */

struct perf_id {
    uint64_t id;
    uint32_t value;
};

/* v[0 .. n) are in the order in which they were added: a row stays valid. */
struct perf_ids {
    VEC(struct perf_id);
    struct hashidx index;
    uint64_t seed; /* of hashes, as hash_seed() */
};

/* Returns the row of an id, or HASHIDX_NONE. */
uint32_t perf_ids_find(const struct perf_ids *ids, uint64_t id);

/* Sets *row to the row of an id; a new id is added with this value. */
bool perf_ids_add(struct perf_ids *ids, uint64_t id, uint32_t value,
                  uint32_t *row, struct prof_err *err);
void perf_ids_free(struct perf_ids *ids);

/* --- what a recording says of itself (perf_attr.c, perf_feature.c) -------- */

/*
 * Where the fields of fixed size are in the records of samples: bytes from
 * their beginning, header included; 0: they are not recorded.
 */
struct perf_layout {
    uint8_t id, ip, tid, time, cpu, period;
    uint8_t end; /* of these fields */
};

struct perf_event {
    uint32_t type;
    uint64_t config, period, sample_type, read_format, flags, branch_type;
    uint64_t regs_user, regs_intr;
    uint32_t stack_user; /* bytes of the stack to record */
    uint16_t max_chain;  /* most addresses of a call chain */
    uint64_t bp_address; /* of a breakpoint */
    uint32_t bp_type;    /* bits: reads, writes, executes */
    struct perf_layout layout;
    uint32_t name;    /* id of names; 0: none yet */
    const char *unit; /* of periods; set with the names that were missing */
    uint64_t n_samples;
};

struct perf_events {
    VEC(struct perf_event) list;
    struct perf_ids ids;        /* of samples; the value is an index in list */
    VEC(uint64_t) counters;     /* values at the last sample */
    struct perf_ids by_counter; /* row of ids << 32 | thread; same rows */
};

struct perf_about {
    bool big;            /* byte order */
    bool in_parts;       /* DIR_FORMAT: the data is in data.0, data.1 ... */
    struct strtab names; /* of all kinds */
    struct perf_events events;
    VEC(uint32_t) build_ids; /* ids of names, by that of the file; 0: none */
    struct buf version, command, arch, host, release; /* or empty */
    uint64_t wall_clock, clock_at;      /* CLOCK_DATA: the same moment */
    uint64_t first_sample, last_sample; /* SAMPLE_TIME; 0: unknown */
    uint32_t n_cpus;                    /* NRCPUS; 0: unknown */
};

void perf_about_free(struct perf_about *a);

/* Adds an event; attr[0 .. n) begins with a perf_event_attr. */
bool perf_add_event(struct perf_about *a, const uint8_t *attr, size_t n,
                    struct prof_err *err);
bool perf_add_id(struct perf_about *a, uint64_t id, uint32_t event,
                 struct prof_err *err);

/* Returns the row of a sample's id in events.ids, or HASHIDX_NONE. */
static inline uint32_t perf_find_id(const struct perf_about *a, uint64_t id)
{
    return perf_ids_find(&a->events.ids, id);
}

/*
 * Stores the value of a counter, and sets *period to its increase since the
 * last sample.  tid is -1, or the thread if each thread has a counter with this
 * id.
 */
bool perf_count_increase(struct perf_events *e, uint32_t id_row, int32_t tid,
                         uint64_t value, uint64_t *period,
                         struct prof_err *err);

bool perf_name_event(struct perf_about *a, uint32_t event,
                     struct prof_slice name, struct prof_err *err);
/*
 * Returns the unit of the periods of an event.  e: null if only its name is
 * known.
 */
const char *perf_event_unit(const struct perf_event *e, struct prof_slice name);
/* Names the events that the file does not name, after their attributes. */
bool perf_name_events(struct perf_about *a, struct prof_err *err);

/* Read HEADER_ATTR, EVENT_UPDATE, EVENT_TYPE, HEADER_BUILD_ID. */
bool perf_read_attr_record(struct perf_about *a, const struct perf_record *r,
                           struct prof_err *err);
bool perf_read_event_update(struct perf_about *a, const struct perf_record *r,
                            struct prof_err *err);
bool perf_read_event_type(struct perf_about *a, struct perf_fields f,
                          struct prof_err *err);
bool perf_read_build_id(struct perf_about *a, const struct perf_record *r,
                        struct prof_err *err);

bool perf_read_feature(struct perf_about *a, uint32_t feature,
                       struct perf_fields fields, struct prof_err *err);

/* Adds the n bytes as hexadecimal digits to the names. */
bool perf_add_hex(struct perf_about *a, const uint8_t *v, size_t n,
                  uint32_t *id, struct prof_err *err);

/* --- samples (perf_sample.c) ---------------------------------------------- */

struct perf_sample {
    uint64_t ip, time, period, cgroup;
    int32_t pid, tid;
    uint32_t cpu;
    uint32_t event;
    uint32_t mode;        /* PERF_MODE_ of its header */
    const uint8_t *chain; /* n_chain numbers of 8 bytes, unaligned; or null */
    uint64_t n_chain;
    const uint8_t *branches; /* n_branches of 24 bytes */
    uint64_t n_branches;
    uint64_t regs_abi;
    const uint8_t *regs; /* n_regs numbers of 8 bytes */
    unsigned n_regs;
    const uint8_t *stack; /* n_stack bytes */
    uint64_t n_stack;
    bool stack_is_full; /* as many as were to be recorded: there may be more */
    /* READ: values and ids of n_counters, with a stride of counter_bytes. */
    const uint8_t *counters, *ids;
    uint64_t n_counters;
    size_t counter_bytes;
};

/* False: malformed, or of an unknown event (s->event is PROF_NONE). */
bool perf_parse_sample(const struct perf_about *a, const struct perf_record *r,
                       struct perf_sample *s);

/* The time of any record, or PERF_NO_TIME. */
uint64_t perf_record_time(const struct perf_about *a,
                          const struct perf_record *r);

/* --- records in order of time (perf_queue.c) ------------------------------ */

struct perf_queue {
    VEC(struct perf_queued) list; /* in file order, after a sorted part */
    VEC(struct perf_queued) sorted;
    VEC(struct radix_item) items; /* to sort by */
    struct buf bytes[2]; /* of records: of this round, and of earlier ones */
    bool present;        /* index of the buffer of this round */
    uint64_t last;       /* latest time so far */
    size_t n_others;     /* records that are not samples */
    uint64_t round;      /* the next round releases records up to this time */
    uint64_t early;      /* until then, records did not wait for their round */
    uint64_t late;       /* records of mappings and names that came after */
    /* While records are released, list.v[at .. n) are to be looked at: */
    bool releases;
    uint64_t limit;  /* time of the latest that is released */
    size_t at, kept; /* list.v[0 .. kept) are newer */
    bool compacts;   /* afterwards both buffers have released records */
};

bool perf_queue_put(struct perf_queue *q, const struct perf_record *r,
                    uint64_t time, struct prof_err *err);

/*
 * Release records for perf_queue_take(): up to a time; those up to the end of
 * the previous round; the older half.  `sort`: their order matters although
 * all are samples.
 */
bool perf_queue_release(struct perf_queue *q, uint64_t limit, bool sort,
                        struct prof_err *err);
bool perf_queue_round(struct perf_queue *q, bool sort, struct prof_err *err);
bool perf_queue_half(struct perf_queue *q, bool sort, struct prof_err *err);
bool perf_queue_is_full(const struct perf_queue *q);

/*
 * 1: *r is the next record that was released, valid until the next call; 0:
 * there are no more; -1: failure.
 */
int perf_queue_take(struct perf_queue *q, bool big, struct perf_record *r,
                    struct prof_err *err);
void perf_queue_free(struct perf_queue *q);

/* --- bytes (perf_reader.c) ------------------------------------------------ */

/* The bytes v[at .. n) have been read and not consumed; `offset` is v[at]'s. */
struct perf_bytes {
    struct stream *stream; /* null: v has everything */
    const uint8_t *v;
    size_t at, n;
    uint64_t offset;
    bool ended;
    struct buf window; /* v, if there is a stream */
};

static inline size_t perf_available(const struct perf_bytes *b)
{
    return b->n - b->at;
}

static inline void perf_consume(struct perf_bytes *b, size_t n)
{
    b->at += n;
    b->offset += n;
}

/* Reads until `need` bytes are available, or all that there are. */
bool perf_read_more(struct perf_bytes *b, size_t need, struct prof_err *err);

/* Makes `need` bytes available, or all that there are. */
static inline bool perf_fill(struct perf_bytes *b, size_t need,
                             struct prof_err *err)
{
    return perf_available(b) >= need || perf_read_more(b, need, err);
}

/* Makes n bytes available; messages call these bytes `what`. */
bool perf_need(struct perf_bytes *b, uint64_t n, const char *what,
               struct prof_err *err);

/* --- the reader (perf_reader.c) ------------------------------------------- */

struct section {
    uint64_t at, n;
};

/* Bytes from an offset on of a stream that can be read anywhere. */
struct perf_tail {
    struct stream stream;
    struct stream *from;
    uint64_t at;
};

/* What the header of a file says (perf_file.c). */
struct perf_file {
    struct perf_bytes tail; /* from the end of the data on */
    struct perf_tail tail_stream;
    bool has_tail;     /* the file can be read anywhere */
    bool has_features; /* they were read before the data */
    struct section data;
    uint8_t bits[PERF_FEATURES / 8]; /* which features there are */
    uint64_t end;                    /* of its last section */
    uint64_t id_bytes;               /* of all lists of ids so far */
};

/* A file with records: the only one, or data.N of a directory. */
struct perf_source {
    struct perf_bytes bytes;
    uint64_t end;           /* offset where its records end, or UINT64_MAX */
    size_t taken;           /* bytes of the present record */
    uint64_t payload;       /* bytes that follow it and are not part of it */
    struct perf_zstd *zstd; /* null until it has a compressed record */
    size_t part;            /* N + 1; 0: the only file */
    struct stream stream;   /* of fd, in a directory */
    int fd;
    uint64_t latest; /* time of its records so far */
    uint64_t round;  /* the same at the end of the last round */
    bool done;
};

/* Counts of records that are missing, or that nothing is made of. */
struct perf_missing {
    uint64_t skipped[PERF_TYPES];
    uint64_t lost;        /* samples (LOST_SAMPLES) */
    uint64_t lost_events; /* of any type (LOST) */
    uint64_t throttled;
};

struct perf_reader {
    struct perf_about *about; /* not owned */
    const struct prof_notes *notes;
    const struct import_input *in;
    struct perf_file file;
    struct perf_source main;
    VEC(struct perf_source) parts;
    struct perf_source *source; /* the present one; null: all have ended */
    uint64_t round_bytes;       /* of parts, since the last round */
    struct perf_queue queue;
    struct perf_record held; /* n > 0: to be put in the queue, if it has room */
    uint64_t held_time;
    uint64_t decompressed; /* bytes of all compressed records */
    struct perf_missing missing;
    bool switches;   /* SWITCH and EXIT records are wanted, too */
    bool pipe;       /* pipe mode */
    bool killed;     /* the header has no data size */
    bool ordered;    /* records have times, and are sorted by them */
    bool cut;        /* the data ends inside a record; what follows is lost */
    uint64_t cut_at; /* offset of that record */
    size_t cut_part; /* data.N: N + 1; 0: the only file */
};

bool perf_begins(const uint8_t *data, size_t n);

/* Reads what precedes the records.  Only `about`, `notes` and `switches` are
 * set before. */
bool perf_open(struct perf_reader *r, const struct import_input *in,
               struct prof_err *err);

/*
 * 1: *record is the next record of the kernel, in order of time if it has one.
 * Its bytes are the reader's, until the next call.  0: there are no more; -1:
 * failure.
 */
int perf_next(struct perf_reader *r, struct perf_record *record,
              struct prof_err *err);
void perf_close(struct perf_reader *r);

/* Notes that the data ends inside a record, or inside what belongs to it. */
void perf_set_cut(struct perf_reader *r, uint64_t offset, size_t part);

/* Returns false, with the error that a second recording begins here. */
bool perf_refuse_joined(uint64_t offset, struct prof_err *err);

/* At the end of the main file: reads what follows the records (perf_file.c). */
bool perf_end_file(struct perf_reader *r, struct prof_err *err);

/* --- compressed records (perf_zstd.c) ------------------------------------- */

/* Begins with a COMPRESSED or COMPRESSED2 record, whose bytes must remain. */
bool perf_zstd_begin(struct perf_source *s, const struct perf_record *r,
                     bool big, struct prof_err *err);
/* The next record in it, as perf_next(). */
int perf_zstd_next(struct perf_reader *r, struct perf_source *s,
                   struct perf_record *record, struct prof_err *err);
/* At the end of the data: reports that its last record lacks a part. */
void perf_zstd_end(struct perf_reader *r, const struct perf_source *s);
void perf_zstd_free(struct perf_zstd *z); /* null is allowed */

/* --- directories (perf_directory.c) --------------------------------------- */

/* Opens data.0, data.1 ... in the directory of the main file. */
bool perf_open_parts(struct perf_reader *r, const char *directory,
                     struct prof_err *err);
/*
 * Sets r->source to the part to read from, null at their end.  n: bytes that
 * were read of the last one.  May release records of the queue.
 */
bool perf_choose_part(struct perf_reader *r, uint64_t n, struct prof_err *err);
void perf_close_parts(struct perf_reader *r);

/* Whether the order of samples matters, too (perf_reader.c). */
bool perf_order_matters(const struct perf_about *a);

/* --- address spaces (perf_maps.c): trees of address ranges ---------------- */

/* A range of addresses, and what is mapped there: mappings.v[row]. */
struct perf_map {
    uint64_t start, end;
    uint64_t origin; /* start before later mappings replaced a part */
    uint32_t row;
};

/* The nodes of all trees, which may share nodes.  Node 0 is none. */
struct perf_trees {
    VEC(struct perf_node) nodes; /* perf_maps.c */
    uint32_t free;               /* the first unused node */
    uint32_t made; /* number of nodes made so far; ranks derive from it */
    uint64_t seed; /* of hashes, as hash_seed() */
    bool nomem;
};

/* Adds a range to the tree *root; replaces what it overlaps. */
bool perf_tree_put(struct perf_trees *t, uint32_t *root,
                   const struct perf_map *map, struct prof_err *err);

/* Returns the range that holds the address, or null. */
const struct perf_map *perf_tree_find(const struct perf_trees *t, uint32_t root,
                                      uint64_t address);

/* Returns another reference to the tree, which perf_tree_drop() gives up. */
uint32_t perf_tree_share(struct perf_trees *t, uint32_t root);
void perf_tree_drop(struct perf_trees *t, uint32_t root);
void perf_trees_free(struct perf_trees *t);

/* --- processes, threads, mappings (perf_process.c) ------------------------ */

/* A mapped part of a file, or of the kernel: a mapping of the profile. */
struct perf_mapping {
    uint64_t start; /* the lowest address at which it was mapped */
    uint64_t size, offset;
    uint32_t file, build_id;      /* ids of names; 0: none */
    struct sym_recorded recorded; /* the first file of this name */
    bool fixed; /* start is part of the key: kernel, JIT code */
    bool kernel;
    bool vdso;         /* code of the kernel in a process of 64 bits */
    bool used;         /* a sample refers to it */
    uint64_t behind;   /* bytes after it that samples refer to */
    uint64_t main_for; /* samples of the processes that run it */
};

struct perf_process {
    int32_t pid;
    uint32_t maps;              /* a tree */
    uint32_t generation;        /* a new number after each change of its maps,
                                   or of the kernel's */
    uint32_t kernel_generation; /* generation of the kernel at that change */
    uint32_t program;           /* row of mappings, or PROF_NONE */
};

struct perf_processes {
    struct perf_about *about; /* not owned */
    struct perf_trees trees;
    VEC(struct perf_mapping) mappings;
    struct hashidx mapping_index;
    VEC(struct perf_process) list; /* [0]: the kernel */
    struct perf_ids by_pid;        /* with the same rows as list */
    uint32_t last;                 /* index in list of the last process found */
    uint32_t kernel;               /* mapping of the kernel, or PROF_NONE */
    struct perf_map kernel_end;    /* its code after its mapping; or empty */
    uint32_t vdso_id;              /* of the vdso of that kernel; 0: unknown */
    bool has_vdso_id;              /* it was looked for */
    struct perf_ids comms;         /* by tid; the value is an id of names */
    uint32_t generations;
};

bool perf_processes_init(struct perf_processes *ps, struct perf_about *about,
                         struct prof_err *err);
void perf_processes_free(struct perf_processes *ps);

/* What MMAP, MMAP2 and KSYMBOL say. */
struct perf_new_map {
    int32_t pid;
    uint64_t start, size, offset;
    struct prof_slice file;
    uint32_t build_id;
    struct sym_recorded recorded;
    bool kernel, executable;
};
bool perf_add_map(struct perf_processes *ps, const struct perf_new_map *map,
                  struct prof_err *err);

struct perf_new_thread {
    int32_t pid, parent, tid, parent_tid;
};
/* Adds a thread and, with share_maps, gives a new process its parent's maps. */
bool perf_fork(struct perf_processes *ps, const struct perf_new_thread *t,
               bool share_maps, struct prof_err *err);
bool perf_set_comm(struct perf_processes *ps, int32_t pid, int32_t tid,
                   struct prof_slice comm, bool exec, struct prof_err *err);

/* The pid of a guest system: none of its addresses is in a mapping. */
#define PERF_NO_PROCESS INT32_MIN

/*
 * Returns the process, created if new; null: no memory.  Valid until the next
 * call.
 */
struct perf_process *perf_process(struct perf_processes *ps, int32_t pid,
                                  struct prof_err *err);

/*
 * The same, with a new generation if the mappings of the kernel have changed
 * since it got the last.
 */
const struct perf_process *perf_space(struct perf_processes *ps, int32_t pid,
                                      struct prof_err *err);

/* Returns the name of a thread, an id of names; 0: unknown. */
uint32_t perf_comm(const struct perf_processes *ps, int32_t tid);

/* Returns the build ID of a mapping, an id of names; 0: unknown. */
uint32_t perf_build_id_of(const struct perf_processes *ps,
                          const struct perf_mapping *mapping);

/*
 * The vdso is not a file: since perf 6.16 records build IDs with the mappings,
 * it has none.  Those of all processes of 64 bits are the same.  Sets the build
 * ID that perf_build_id_of() returns for it, if the kernel that was recorded is
 * known by now, and runs.
 */
bool perf_find_vdso(struct perf_processes *ps, struct prof_err *err);

/*
 * perf before 6.16 records no build ID of the kernel with -z or to a pipe.  If
 * it does not, and the running kernel is the one that was recorded, as far as
 * host, release and address tell, sets the build ID of the kernel's mapping.
 */
bool perf_find_kernel(struct perf_processes *ps, struct prof_err *err);

/*
 * Returns the range that holds the address, or null.  `kernel`: the kernel's
 * mappings are searched first, else those of the process.
 */
const struct perf_map *perf_find_map(const struct perf_processes *ps,
                                     const struct perf_process *process,
                                     bool kernel, uint64_t address);

/* --- call chains (perf_chain.c) ------------------------------------------- */

/* An address of a call chain. */
struct perf_frame {
    uint64_t address;
    bool kernel;
};

/* Leaf first. */
struct perf_chain {
    VEC(struct perf_frame);
};

/* Counts of samples, by what their call chains lack. */
struct perf_depths {
    uint64_t n;    /* all */
    uint64_t cut;  /* the stack leaves its recorded part */
    uint64_t full; /* as long as the limit */
    uint64_t over; /* longer: it is not the limit */
};

static inline void perf_count_depth(struct perf_depths *d, uint64_t length,
                                    uint64_t limit)
{
    d->full += length == limit;
    d->over += length > limit;
}

/* A loss if more than 1% of the samples lack callers. */
static inline enum prof_note_level
perf_depths_level(const struct perf_depths *d)
{
    const uint64_t n = d->cut + (d->over ? 0 : d->full);
    return n > d->n / 100 ? PROF_NOTE_LOSS : PROF_NOTE_INFO;
}

/* What makes call chains. */
struct perf_chains {
    const struct perf_opts *opts;
    const struct prof_notes *notes;
    struct perf_processes *processes; /* not owned */
    struct perf_chain chain;          /* of the present sample */
    struct unwinder *unwinder;
    struct perf_depths depths;
    uint64_t not_unwound; /* samples of a machine that is not supported */
};

/*
 * Sets c->chain to the stack of a sample.  *cookie: 0, or that of the deferred
 * chain that has the rest.
 */
bool perf_set_chain(struct perf_chains *c, const struct perf_sample *s,
                    uint64_t *cookie, struct prof_err *err);

/* Sets c->chain to the n user addresses of a deferred chain. */
bool perf_set_deferred_chain(struct perf_chains *c, const uint8_t *chain,
                             uint64_t n, struct prof_err *err);
void perf_chains_free(struct perf_chains *c);

/* --- labels (perf_profile.c: names; perf_stack.c: sets) ------------------- */

enum perf_label_key {
    PERF_LABEL_PID,
    PERF_LABEL_TID,
    PERF_LABEL_COMM,         /* of the thread */
    PERF_LABEL_PROCESS_COMM, /* of its main thread */
    PERF_LABEL_CPU,
    PERF_LABEL_CGROUP,
    PERF_LABEL_EVENT,
    PERF_LABEL_MODE,
    PERF_LABEL_TIME,
    PERF_LABEL_HOST,
    PERF_LABEL_PARALLELISM,
    PERF_LABELS,
};

/* The labels of a sample; those not requested are 0. */
struct perf_labels {
    uint64_t v[PERF_LABELS]; /* numbers, or ids of names */
    uint32_t has;            /* bits by key */
};

/* --- stacks and counts (perf_stack.c) ------------------------------------- */

/* An address in a mapping, or in none (row is PROF_NONE). */
struct perf_location {
    uint64_t offset; /* from the start of the mapping; or the address */
    uint32_t row;    /* of mappings */
    uint32_t names;  /* of text: index in `functions` of their number, followed
                        by their names, the innermost first; 0: none */
};

/* Sums of one event for a stack and its labels. */
struct perf_count {
    uint32_t stack, labels, event;
    int64_t samples, events;
    int64_t latency; /* events by parallelism, times PERF_LATENCY_PARTS */
};

/* So that nothing of small periods is lost; a number that perf has, too. */
enum { PERF_LATENCY_PARTS = 1000 };

struct perf_stacks {
    uint64_t seed; /* of hashes, as hash_seed() */
    VEC(struct perf_location) locations;
    struct hashidx location_index;
    VEC(uint32_t) functions;
    /* Stack i has the locations frames.v[offsets.v[i] .. offsets.v[i + 1]),
     * leaf first, and firsts.v[i] is the row of its first count, plus 1, or 0.
     * These arrays become those of a profile.  0 is the empty stack. */
    VEC(uint32_t) frames;
    VEC(uint64_t) offsets;
    VEC(uint32_t) firsts;
    struct hashidx stack_index;
    VEC(struct perf_labels) labels; /* [0]: none */
    struct hashidx label_index;
    VEC(struct perf_count) counts;
    struct hashidx count_index; /* of those that are not the first of a stack */
    struct perf_cached *cache[2]; /* of user code, of the kernel's */
    struct perf_last *last;
    struct perf_batch *batch; /* samples that are not yet counted */
};

/* Leaf first. */
struct perf_locations {
    const uint32_t *v;
    size_t n;
};

static inline struct perf_locations perf_stack(const struct perf_stacks *s,
                                               uint32_t stack)
{
    const uint64_t *at = s->offsets.v + stack;
    return (struct perf_locations){s->frames.v + at[0],
                                   (size_t)(at[1] - at[0])};
}

/* The chain of a sample, in the mappings of a process. */
struct perf_sampled {
    int32_t pid, tid;
    const struct perf_chain *chain;
};

bool perf_stacks_init(struct perf_stacks *s, struct prof_err *err);
void perf_stacks_free(struct perf_stacks *s);
bool perf_intern_labels(struct perf_stacks *s, const struct perf_labels *labels,
                        uint32_t *id, struct prof_err *err);

/* Sets locations[] to those of the addresses of a chain. */
bool perf_locate(struct perf_stacks *s, struct perf_processes *ps, int32_t pid,
                 const struct perf_chain *chain, uint32_t *locations,
                 struct prof_err *err);

/* Sets *stack to that of n locations, leaf first, which is added if new. */
bool perf_intern_stack(struct perf_stacks *s, const uint32_t *locations,
                       size_t n, uint32_t *stack, struct prof_err *err);

/* Adds to the counts of a stack. */
bool perf_count(struct perf_stacks *s, const struct perf_count *count,
                struct prof_err *err);

/* Adds to those of the stack of a chain; at the latest, perf_count_batch(). */
bool perf_count_chain(struct perf_stacks *s, struct perf_processes *ps,
                      const struct perf_sampled *sampled,
                      const struct perf_count *count, struct prof_err *err);
bool perf_count_batch(struct perf_stacks *s, struct prof_err *err);

/* --- a recording, or the output of perf script ---------------------------- */

/* Counts of samples that the profile lacks, or has only in part. */
struct perf_counts {
    uint64_t bad_samples, no_event, guests;
    uint64_t not_joined; /* samples whose deferred call chain did not come */
    uint64_t first_bad;  /* offset of the first of bad_samples */
    uint64_t filtered;   /* samples that options exclude */
};

/* Samples that wait for the rest of their call chain (perf_deferred.c). */
struct perf_waiting {
    VEC(struct perf_deferred) list;
    struct hashidx index; /* of the first with each cookie */
    size_t n;             /* that still wait */
    VEC(uint32_t) locations;
    VEC(uint32_t) joined; /* the locations of one sample */
};

struct perf {
    const struct perf_opts *opts;
    const struct prof_notes *notes;
    bool is_text; /* the output of perf script: it has names */
    int64_t made; /* of the input; 0: unknown */
    struct perf_about about;
    struct perf_reader reader;
    struct perf_processes processes;
    struct perf_chains chains;
    struct perf_stacks stacks;
    struct perf_waiting waiting;
    struct perf_counts counts;
    struct perf_ids cgroups;        /* the value, a path, is an id of names */
    uint64_t first_time, last_time; /* of samples; 0: none */
    uint64_t from, to;              /* of opts->time, with has_range */
    bool has_range;
    /* Threads that run, by the SWITCH and EXIT records so far.  Of the first
     * one there is no record that it began to run. */
    int64_t running;
};

/* Count all samples of an input. */
bool perf_read(struct perf *p, const struct import_input *in,
               struct prof_err *err);
bool perf_text_read(struct perf *p, const struct import_input *in,
                    struct prof_err *err);
bool perf_text_begins(const uint8_t *data, size_t n);

/* Widens the time of the samples of *p. */
static inline void perf_note_time(struct perf *p, uint64_t time)
{
    if (time == PERF_NO_TIME || !time)
        return;
    if (!p->first_time || time < p->first_time)
        p->first_time = time;
    if (time > p->last_time)
        p->last_time = time;
}

/* Where and when a sample was taken. */
struct perf_taken {
    int64_t pid, tid, cpu; /* -1: unknown */
    uint64_t time;         /* or PERF_NO_TIME */
};

/*
 * Sets *yes to whether --time, --pid, --tid and --cpu select the sample.  Times
 * that are relative to the first sample need all samples, in order.
 */
bool perf_select(struct perf *p, const struct perf_taken *taken, bool *yes,
                 struct prof_err *err);
/* Warns if --pid, --tid, --cpu, --comm and --time selected no sample at all. */
void perf_note_none(const struct perf *p);
/* With -v, prints the times of the first and last sample that was counted. */
void perf_tell_time(const struct perf *p);

/* Whether options select the name; an empty list selects all. */
bool perf_is_listed(struct prof_slice s, const struct perf_names *names);

/* Keeps a sample, whose chain is p->chains.chain, until the rest comes. */
bool perf_defer(struct perf *p, int32_t pid, uint64_t cookie,
                const struct perf_count *count, struct prof_err *err);
/* Counts those that wait for this cookie, with n more addresses of the user. */
bool perf_end_deferred(struct perf *p, uint64_t cookie, const uint8_t *chain,
                       uint64_t n, struct prof_err *err);
/* Counts those for which nothing came. */
bool perf_give_up_deferred(struct perf *p, struct prof_err *err);

/* --- profiles (perf_profile.c) -------------------------------------------- */

/* One process: n of the counts, which are sorted by process. */
struct perf_part {
    int64_t pid;
    size_t at, n;
};

struct perf_parts {
    VEC(struct perf_part) list;
};

/* Warns of labels that --labels names and that no sample has. */
void perf_note_labels(const struct perf *p);

/*
 * Makes profiles of what was counted.  What one costs does not depend on what
 * other processes have.
 */
struct perf_maker *perf_maker_new(struct perf *p, struct prof_err *err);
void perf_maker_free(struct perf_maker *m); /* null is allowed */
/* Sorts the counts by process, and sets *parts. */
bool perf_divide(struct perf *p, struct perf_parts *parts,
                 struct prof_err *err);
/* Of one process; `part` null: of all.  The caller owns it. */
struct profile *perf_make_profile(struct perf_maker *m,
                                  const struct perf_part *part,
                                  struct prof_err *err);

#endif
