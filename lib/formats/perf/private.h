/*
 * private.h - declarations that the files of formats/perf share
 *
 *   stage    file              contains
 *   all      perf.c            the converter: inputs, warnings, the sum
 *            format.h          the format of recordings
 *            perf_ids.c        maps of ids: of events, processes, threads ...
 *   read     perf_file.c       headers, files, pipes
 *            perf_directory.c  the files of a directory (perf record --threads)
 *            perf_reader.c     bytes; the records in them, one by one
 *            perf_zstd.c       compressed records
 *            perf_queue.c      sorts records by time
 *            perf_attr.c       events: attributes, ids, names
 *            perf_feature.c    feature sections
 *   count    perf_record.c     what each type of record does
 *            perf_sample.c     the fields of a sample
 *            perf_chain.c      call chains
 *            perf_process.c    processes, threads and their mappings
 *            perf_maps.c       trees of address ranges
 *            perf_stack.c      locations, stacks, and how often they occur
 *   text     perf_text.c       the output of perf script, line by line
 *            perf_text_profile.c
 *                              its profile, or one of each process
 *   profile  perf_profile.c    the profile; sym_profile() adds names to it
 *
 * A sample goes from perf_reader.c through perf_queue.c to perf_deliver(),
 * which parses it (perf_sample.c), finds its call chain (perf_chain.c), the
 * locations of its addresses (perf_process.c) and its stack, and counts it
 * (perf_stack.c).
 *
 * Ownership
 *   struct perf         all tables
 *   struct perf_record  nothing: its bytes belong to the reader, until it
 *                       reads the next record
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

struct perf;

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
};

/* Returns the row of an id, or HASHIDX_NONE. */
uint32_t perf_ids_find(const struct perf *p, const struct perf_ids *ids,
                       uint64_t id);

/* Sets *row to the row of an id; a new id is added with this value. */
bool perf_ids_add(const struct perf *p, struct perf_ids *ids, uint64_t id,
                  uint32_t value, uint32_t *row, struct prof_err *err);
void perf_ids_free(struct perf_ids *ids);

/* --- events (perf_attr.c) ------------------------------------------------- */

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
    uint32_t name; /* id of perf.names; 0: none yet */
    uint64_t n_samples;
};

struct perf_events {
    VEC(struct perf_event) list;
    struct perf_ids ids;        /* of samples; the value is an index in list */
    VEC(uint64_t) counters;     /* values at the last sample */
    struct perf_ids by_counter; /* row of ids << 32 | thread; same rows */
};

/* Adds an event; attr[0 .. n) begins with a perf_event_attr. */
bool perf_add_event(struct perf *p, const uint8_t *attr, size_t n,
                    struct prof_err *err);
bool perf_add_id(struct perf *p, uint64_t id, uint32_t event,
                 struct prof_err *err);

/*
 * Stores the value of a counter, and sets *period to its increase since the
 * last sample.  tid is -1, or the thread if each thread has a counter with this
 * id.
 */
bool perf_count_increase(struct perf *p, uint32_t id_row, int32_t tid,
                         uint64_t value, uint64_t *period,
                         struct prof_err *err);

bool perf_name_event(struct perf *p, uint32_t event, struct prof_slice name,
                     struct prof_err *err);
/*
 * Returns the unit of the periods of an event.  e: null if only its name is
 * known.
 */
const char *perf_event_unit(const struct perf_event *e, struct prof_slice name);
/* Names the events that the file does not name, after their attributes. */
bool perf_name_events(struct perf *p, struct prof_err *err);

/* Read HEADER_ATTR and EVENT_UPDATE records. */
bool perf_read_attr_record(struct perf *p, const struct perf_record *r,
                           struct prof_err *err);
bool perf_read_event_update(struct perf *p, const struct perf_record *r,
                            struct prof_err *err);

/* --- address spaces (perf_maps.c): trees of address ranges ---------------- */

/* A range of addresses, and what is mapped there: processes.mappings.v[row]. */
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
    uint64_t seed; /* of hashes, as mix_seed() */
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
    uint32_t file, build_id;      /* ids of perf.names; 0: none */
    struct sym_recorded recorded; /* the first file of this name */
    bool fixed; /* start is part of the key: kernel, JIT code */
    bool kernel;
    bool vdso;         /* code of the kernel in a process of 64 bits */
    bool used;         /* a sample refers to it */
    uint64_t behind;   /* bytes behind it that samples refer to */
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
    struct perf_trees trees;
    VEC(struct perf_mapping) mappings;
    struct hashidx mapping_index;
    VEC(struct perf_process) list; /* [0]: the kernel */
    struct perf_ids by_pid;        /* with the same rows as list */
    uint32_t last;                 /* index in list of the last process found */
    uint32_t kernel;               /* mapping of the kernel, or PROF_NONE */
    struct perf_map kernel_end;    /* its code behind its mapping; or empty */
    uint32_t vdso_id;              /* of the vdso of that kernel; 0: unknown */
    bool has_vdso_id;              /* it was looked for */
    struct perf_ids comms; /* by tid; the value is an id of perf.names */
    uint32_t generations;
};

bool perf_processes_init(struct perf *p, struct prof_err *err);
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
bool perf_add_map(struct perf *p, const struct perf_new_map *map,
                  struct prof_err *err);

/* Adds a thread and, with share_maps, gives a new process its parent's maps. */
bool perf_fork(struct perf *p, int32_t pid, int32_t parent, int32_t tid,
               int32_t parent_tid, bool share_maps, struct prof_err *err);
bool perf_set_comm(struct perf *p, int32_t pid, int32_t tid,
                   struct prof_slice comm, bool exec, struct prof_err *err);

/* The pid of a guest system: none of its addresses is in a mapping. */
#define PERF_NO_PROCESS INT32_MIN

/*
 * Returns the process, created if new; null: no memory.  Valid until the next
 * call.
 */
struct perf_process *perf_process(struct perf *p, int32_t pid,
                                  struct prof_err *err);

/* Returns the name of a thread, an id of perf.names; 0: unknown. */
uint32_t perf_comm(const struct perf *p, int32_t tid);

/* Returns the build ID of a mapping, an id of perf.names; 0: unknown. */
uint32_t perf_build_id_of(const struct perf *p,
                          const struct perf_mapping *mapping);

/*
 * The vdso is not a file: since perf 6.16 records build IDs with the mappings,
 * it has none.  Those of all processes of 64 bits are the same.  Sets the build
 * ID that perf_build_id_of() returns for it, if the kernel that was recorded is
 * known by now, and runs.
 */
bool perf_find_vdso(struct perf *p, struct prof_err *err);

/*
 * perf before 6.16 records no build ID of the kernel with -z or to a pipe.  If
 * it does not, and the running kernel is the one that was recorded, as far as
 * host, release and address tell, sets the build ID of the kernel's mapping.
 */
bool perf_find_kernel(struct perf *p, struct prof_err *err);

/*
 * Returns the range that holds the address, or null.  `kernel`: the kernel's
 * mappings are searched first, else those of the process.
 */
const struct perf_map *perf_find_map(struct perf *p,
                                     const struct perf_process *process,
                                     bool kernel, uint64_t address);

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
    PERF_LABELS,
};

/* The labels of a sample; those not requested are 0. */
struct perf_labels {
    uint64_t v[PERF_LABELS]; /* numbers, or ids of perf.names */
    uint32_t has;            /* bits by key */
};

extern const char *const perf_label_names[PERF_LABELS];

/* Warns of labels that --labels names (bits) and that no sample has. */
void perf_note_labels(const struct prof_notes *notes, unsigned wanted,
                      unsigned has);

/* --- stacks and counts (perf_stack.c) ------------------------------------- */

/* An address in a mapping, or in none (row is PROF_NONE). */
struct perf_location {
    uint64_t offset; /* from the start of the mapping; or the address */
    uint32_t row;    /* of processes.mappings */
};

/* An address of a call chain. */
struct perf_frame {
    uint64_t address;
    bool kernel;
};

/* Sums of one event for a stack and its labels. */
struct perf_count {
    uint32_t stack, labels, event;
    int64_t samples, events;
};

struct perf_stacks {
    uint64_t seed; /* of hashes, as mix_seed() */
    VEC(struct perf_location) locations;
    struct hashidx location_index;
    VEC(uint32_t) stacks; /* see perf_stack_at() */
    struct hashidx stack_index;
    VEC(struct perf_labels) labels; /* [0]: none */
    struct hashidx label_index;
    VEC(struct perf_count) counts;
    struct hashidx count_index; /* of those that are not the first of a stack */
    struct perf_cached *cache[2]; /* of user code, of the kernel's */
    struct perf_last *last;
    struct perf_waiting *waiting; /* a ring */
    size_t n_waited;              /* samples that were put there */
};

/*
 * A stack is an index in stacks.stacks, where all that a sample needs of it is
 * in one place in memory:
 *
 *   [PERF_STACK_N]           the number of its locations
 *   [PERF_STACK_COUNT]       the row of its first count, plus 1; 0: none yet
 *   [PERF_STACK_LOCATIONS]   its locations, outermost caller first
 */
enum { PERF_STACK_N, PERF_STACK_COUNT, PERF_STACK_LOCATIONS };

static inline uint32_t *perf_stack_at(const struct perf_stacks *s,
                                      uint32_t stack)
{
    return s->stacks.v + stack;
}

bool perf_stacks_init(struct perf *p, struct prof_err *err);
void perf_stacks_free(struct perf_stacks *s);
bool perf_intern_labels(struct perf *p, const struct perf_labels *labels,
                        uint32_t *id, struct prof_err *err);

/* Appends the locations of p->chain to p->deferred_frames, leaf first. */
bool perf_locate_chain(struct perf *p, int32_t pid, struct prof_err *err);

/*
 * Sets count->stack to that of p->chain, and adds `count` to it; both at once,
 * or when later samples are counted, or in perf_count_waiting().
 */
bool perf_count_chain(struct perf *p, int32_t pid, int32_t tid,
                      struct perf_count *count, struct prof_err *err);
bool perf_count_waiting(struct perf *p, struct prof_err *err);

/* The same for locations, leaf first, whose order it reverses. */
bool perf_count_locations(struct perf *p, uint32_t *locations, size_t n,
                          struct perf_count *count, struct prof_err *err);

/* --- records in order of time (perf_queue.c) ------------------------------ */

struct perf_queue {
    VEC(struct perf_queued) list; /* in file order, after a sorted part */
    VEC(struct perf_queued) sorted;
    VEC(struct radix_item) items; /* to sort by */
    struct buf bytes[2]; /* of records: of this round, and of earlier ones */
    bool present;        /* index of the buffer of this round */
    uint64_t last;       /* latest time so far */
    size_t n_others;     /* records that are not samples */
    uint64_t limit;      /* the next round delivers records up to this time */
    uint64_t early;      /* until then, records did not wait for their round */
};

bool perf_queue_put(struct perf *p, const struct perf_record *r, uint64_t time,
                    struct prof_err *err);
/* Ends a round: delivers the records up to the end of the previous round. */
bool perf_queue_round(struct perf *p, struct prof_err *err);
bool perf_queue_end(struct perf *p, struct prof_err *err);
void perf_queue_free(struct perf_queue *q);

/* --- a recording (perf_file.c) -------------------------------------------- */

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

/* Counts of records that the profile lacks, or has only in part. */
struct perf_counts {
    uint64_t skipped[PERF_TYPES];
    uint64_t lost, throttled, bad_samples, no_event, guests;
    uint64_t lost_events; /* of any type (LOST); `lost`: samples */
    uint64_t late;        /* records that came out of order: perf_queue.c */
    uint64_t not_joined;  /* samples whose deferred call chain did not come */
    uint64_t not_unwound; /* samples of a machine that is not supported */
    uint64_t first_bad;   /* offset of the first of bad_samples */
    uint64_t filtered;    /* samples that options exclude */
};

struct perf {
    const struct perf_opts *opts;
    const struct prof_notes *notes;
    uint64_t seed;   /* of hashes, as mix_seed() */
    bool big;        /* byte order of the file */
    bool pipe;       /* pipe mode */
    bool cut;        /* the data ends inside a record; what follows is lost */
    bool killed;     /* the header has no data size */
    bool ordered;    /* records have times, and are sorted by them */
    bool in_parts;   /* DIR_FORMAT: the data is in data.0, data.1 ... */
    uint64_t cut_at; /* offset of that record */
    size_t cut_part; /* data.N: N + 1; 0: the only file */
    uint64_t latest; /* time of a record that was read */
    struct strtab names;
    struct perf_events events;
    struct perf_processes processes;
    struct perf_stacks stacks;
    struct perf_queue queue;
    struct perf_counts counts;
    struct perf_depths depths;
    VEC(uint32_t) build_ids; /* names, indexed by file name; 0: none */
    struct perf_ids cgroups; /* the value, a path, is an id of perf.names */
    VEC(struct perf_deferred) deferred; /* perf_record.c */
    struct hashidx deferred_index;      /* of the first with each cookie */
    size_t n_waiting;                   /* in `deferred` */
    VEC(uint32_t) deferred_frames;
    VEC(struct perf_frame) chain; /* of the current sample, leaf first */
    struct perf_zstd *zstd;
    uint64_t max_size;     /* of all that is decompressed; 0: any */
    uint64_t decompressed; /* bytes */
    struct unwinder *unwinder;
    uint64_t first_time, last_time; /* of samples; 0: none */
    int64_t made;                   /* of the input; 0: unknown */
    /* From feature sections: */
    struct buf version, command, arch, host, release;
    uint64_t wall_clock, clock_at; /* CLOCK_DATA: the same moment */
};

/* Reads a recording; only opts and notes of *p are set before. */
bool perf_read(struct perf *p, const struct import_input *in,
               struct prof_err *err);
void perf_free(struct perf *p);

/* Returns the row of a sample's id in events.ids, or HASHIDX_NONE. */
static inline uint32_t perf_find_id(const struct perf *p, uint64_t id)
{
    return perf_ids_find(p, &p->events.ids, id);
}

/* --- bytes and records (perf_reader.c) ------------------------------------ */

/* The bytes v[at .. n) have been read and not consumed; `offset` is v[at]'s. */
struct perf_reader {
    struct perf *p;
    struct stream *stream; /* null: v has everything */
    const uint8_t *v;
    size_t at, n;
    uint64_t offset;
    size_t part; /* data.N: N + 1; 0: the only file */
    bool ended;
    struct buf window; /* v, if there is a stream */
};

bool perf_begins(const uint8_t *data, size_t n);

static inline size_t perf_available(const struct perf_reader *r)
{
    return r->n - r->at;
}

static inline void perf_consume(struct perf_reader *r, size_t n)
{
    r->at += n;
    r->offset += n;
}

/* Reads until `need` bytes are available, or all that there are. */
bool perf_read_more(struct perf_reader *r, size_t need, struct prof_err *err);

/* Makes `need` bytes available, or all that there are. */
static inline bool perf_fill(struct perf_reader *r, size_t need,
                             struct prof_err *err)
{
    return perf_available(r) >= need || perf_read_more(r, need, err);
}

/* Makes n bytes available; messages call these bytes `what`. */
bool perf_need(struct perf_reader *r, uint64_t n, const char *what,
               struct prof_err *err);

/*
 * Reads and handles the next record, or all records, up to an offset or the end
 * of the file (UINT64_MAX).  *got: there was one.
 */
bool perf_read_record(struct perf_reader *r, uint64_t end, bool *got,
                      struct prof_err *err);
bool perf_read_records(struct perf_reader *r, uint64_t end,
                       struct prof_err *err);

/* Returns false, with the error that a second recording begins here. */
bool perf_refuse_joined(uint64_t offset, struct prof_err *err);

/* Reads EVENT_TYPE: the config of a tracepoint, and its name. */
bool perf_name_type(struct perf *p, struct perf_fields f, struct prof_err *err);

/* --- compressed records (perf_zstd.c) ------------------------------------- */

typedef bool perf_handle_fn(struct perf *p, const struct perf_record *r,
                            struct prof_err *err);

/* Passes the records in a COMPRESSED or COMPRESSED2 record to `handle`. */
bool perf_decompress(struct perf *p, const struct perf_record *r,
                     perf_handle_fn *handle, struct prof_err *err);
/* At the end of the data; null is allowed. */
void perf_zstd_end(struct perf *p, const struct perf_zstd *z, size_t part);
void perf_zstd_free(struct perf_zstd *z);

/* --- directories (perf_directory.c) --------------------------------------- */

/* Reads the records of data.0, data.1 ... beside the main file. */
bool perf_read_directory(struct perf *p, const char *directory,
                         struct prof_err *err);

/* --- features (perf_feature.c) -------------------------------------------- */

bool perf_read_feature(struct perf *p, uint32_t feature,
                       struct perf_fields fields, struct prof_err *err);

/* Reads HEADER_BUILD_ID. */
bool perf_read_build_id(struct perf *p, const struct perf_record *r,
                        struct prof_err *err);

/* Adds the n bytes as hexadecimal digits to the names. */
bool perf_add_hex(struct perf *p, const uint8_t *v, size_t n, uint32_t *id,
                  struct prof_err *err);

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
bool perf_parse_sample(const struct perf *p, const struct perf_record *r,
                       struct perf_sample *s);

/* The time of any record, or PERF_NO_TIME. */
uint64_t perf_record_time(const struct perf *p, const struct perf_record *r);

/* --- call chains (perf_chain.c) ------------------------------------------- */

/*
 * Sets p->chain to the stack of a sample.  *cookie: 0, or that of the deferred
 * chain that has the rest.
 */
bool perf_set_chain(struct perf *p, const struct perf_sample *s,
                    uint64_t *cookie, struct prof_err *err);

/* Sets p->chain to the n user addresses of a deferred chain. */
bool perf_set_deferred_chain(struct perf *p, const uint8_t *chain, uint64_t n,
                             struct prof_err *err);

/* Appends an address to p->chain. */
static inline bool perf_add_frame(struct perf *p, bool kernel, uint64_t address,
                                  struct prof_err *err)
{
    struct perf_frame frame = {.address = address, .kernel = kernel};
    return vec_push(&p->chain, frame) || err_nomem(err);
}

/* --- what records do (perf_record.c) -------------------------------------- */

/* Handles a record of the kernel; records with times come in their order. */
bool perf_deliver(struct perf *p, const struct perf_record *r,
                  struct prof_err *err);

/* Counts samples whose deferred call chain did not follow. */
bool perf_finish_records(struct perf *p, struct prof_err *err);

/* --- profiles of single processes ----------------------------------------- */

/* One process: n of the counts or samples, which are sorted by process. */
struct perf_part {
    int64_t pid;
    size_t at, n;
};

struct perf_parts {
    VEC(struct perf_part) list;
};

/* Of rows that are sorted by process, adds the next one to the parts. */
static inline bool perf_add_row(struct perf_parts *parts, size_t row,
                                int64_t pid, struct prof_err *err)
{
    const size_t n = parts->list.n;
    if (!n || parts->list.v[n - 1].pid != pid) {
        const struct perf_part part = {.pid = pid, .at = row, .n = 1};
        return vec_push(&parts->list, part) || err_nomem(err);
    }
    parts->list.v[n - 1].n++;
    return true;
}

/* --- the output of perf script (perf_text.c) ------------------------------ */

/* Samples that are alike; `period` is their sum. */
struct perf_text_sample {
    int64_t pid; /* -1, unless there is a profile of each process */
    size_t at;   /* in frames */
    uint32_t n, event, labels;
    int64_t samples, period;
};

struct perf_text {
    struct profile p; /* all but the samples */
    VEC(struct perf_text_sample) samples;
    VEC(uint32_t) frames; /* locations, leaf first */
    struct perf_depths depths;
    struct perf_text_copy *copy; /* for perf_text_take() */
};

bool perf_text_begins(const uint8_t *data, size_t n);

/*
 * Reads it into *text, zeroed before; the caller frees it, after a failure too.
 * With opts->each_process, each sample must have a process.
 */
bool perf_text_read(const struct import_input *in, const struct perf_opts *opts,
                    struct perf_text *text, struct prof_err *err);

/* --- its profiles (perf_text_profile.c) ----------------------------------- */

/* Adds the samples to text->p. */
bool perf_text_add_samples(struct perf_text *text, struct prof_err *err);

/* Sorts the samples by process, and sets *parts to them. */
bool perf_text_divide(struct perf_text *text, struct perf_parts *parts,
                      struct prof_err *err);
/* Makes the profile of one process; the caller frees it, after a failure too.
 */
bool perf_text_take(struct perf_text *text, const struct perf_part *part,
                    struct profile *out, struct prof_err *err);
void perf_text_free(struct perf_text *text);

/* --- the profile (perf_profile.c) ----------------------------------------- */

/* Sorts rows in ascending order. */
void perf_sort_rows(uint32_t *v, size_t n);

/*
 * Makes profiles of what was counted.  What one costs does not depend on what
 * other processes have.
 */
struct perf_maker *perf_maker_new(struct perf *p, struct prof_err *err);
void perf_maker_free(struct perf_maker *m); /* null is allowed */
/* Sorts the counts by process, and sets *parts. */
bool perf_divide(struct perf *p, struct perf_parts *parts,
                 struct prof_err *err);
/*
 * prof_zero_values(), unless there are too many: each sample has a value of
 * each type, so that a small recording of many events may ask for very many.
 */
bool perf_zero_values(struct profile *p, size_t samples, struct prof_err *err);
/* Of one process; `part` null: of all. */
bool perf_make_profile(struct perf_maker *m, const struct perf_part *part,
                       struct profile *out, struct prof_err *err);

#endif
