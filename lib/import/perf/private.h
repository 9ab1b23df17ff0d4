/*
 * private.h - declarations that the files of import/perf share
 *
 *   stage    file            contains
 *   all      perf.c          the converter: inputs, warnings, the sum
 *   read     perf_file.c     headers, files, pipes
 *            perf_directory.c  the files of a directory (perf record --threads)
 *            perf_reader.c   bytes; the records in them, one by one
 *            perf_zstd.c     compressed records
 *            perf_queue.c    sorts records by time
 *            perf_attr.c     events: attributes, ids, names
 *            perf_feature.c  feature sections
 *            perf_ids.c      maps of ids: of events, processes, threads ...
 *   count    perf_record.c   what each type of record does
 *            perf_sample.c   the fields of a sample
 *            perf_chain.c    call chains
 *            perf_process.c  processes, threads and their mappings
 *            perf_maps.c     trees of address ranges
 *            perf_stack.c    locations, stacks, and how often they occur
 *   text     perf_text.c     the output of perf script, as a profile
 *   profile  perf_profile.c  the profile; sym_profile() adds names to it
 *
 * Ownership
 *   struct perf         all tables
 *   struct perf_record  nothing: its bytes belong to the reader, until it
 *                       reads the next record
 */
#ifndef PROFUTILS_IMPORT_PERF_PRIVATE_H
#define PROFUTILS_IMPORT_PERF_PRIVATE_H

#include <string.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "base/hash.h"
#include "base/sort.h"
#include "base/strtab.h"
#include "base/vec.h"
#include "import/perf/perf.h"
#include "io/stream.h"

/*
 * Numbers
 */

/*
 * Reads fields one after another.  A field beyond the end reads as 0 and sets
 * `bad`.
 */
struct perf_fields {
    const uint8_t *at, *end;
    bool big; /* big-endian */
    bool bad;
};

static inline uint32_t perf_u32_at(const uint8_t *p, bool big)
{
    return big ? be32(p) : le32(p);
}

static inline uint64_t perf_u64_at(const uint8_t *p, bool big)
{
    return big ? be64(p) : le64(p);
}

static inline size_t perf_left(const struct perf_fields *f)
{
    return (size_t)(f->end - f->at);
}

/* Returns the next n bytes.  Null, with `bad` set: fewer are left. */
static inline const uint8_t *perf_skip(struct perf_fields *f, uint64_t n)
{
    const uint8_t *at = f->at;
    if (n > perf_left(f)) {
        f->bad = true;
        f->at = f->end;
        return NULL;
    }
    f->at += n;
    return at;
}

static inline uint32_t perf_u32(struct perf_fields *f)
{
    const uint8_t *p = perf_skip(f, 4);
    return p ? perf_u32_at(p, f->big) : 0;
}

static inline uint64_t perf_u64(struct perf_fields *f)
{
    const uint8_t *p = perf_skip(f, 8);
    return p ? perf_u64_at(p, f->big) : 0;
}

/* Takes the rest as a string, up to the first NUL. */
static inline struct slice perf_text(struct perf_fields *f)
{
    const char *s = (const char *)f->at;
    size_t n = strnlen(s, perf_left(f));
    f->at = f->end;
    return (struct slice){s, n};
}

/*
 * Format (include/uapi/linux/perf_event.h, tools/lib/perf/include/perf/event.h)
 */

enum {
    PERF_HEADER_BYTES = 8, /* of a record: type (4), misc (2), size (2) */
    PERF_BRANCH_BYTES = 24,
    PERF_ATTR_MIN = 64, /* bytes of the oldest perf_event_attr */
    PERF_FIRST_USER_TYPE = 64,
    PERF_TYPES = 96, /* more than any type of record */
};

enum perf_type {
    PERF_MMAP = 1,
    PERF_LOST = 2,
    PERF_COMM = 3,
    PERF_EXIT = 4,
    PERF_THROTTLE = 5,
    PERF_FORK = 7,
    PERF_SAMPLE = 9,
    PERF_MMAP2 = 10,
    PERF_LOST_SAMPLES = 13,
    PERF_KSYMBOL = 17,
    PERF_CGROUP = 19,
    PERF_CALLCHAIN_DEFERRED = 22,
    PERF_HEADER_ATTR = 64,
    PERF_EVENT_TYPE = 65,
    PERF_TRACING_DATA = 66,
    PERF_HEADER_BUILD_ID = 67,
    PERF_FINISHED_ROUND = 68,
    PERF_ID_INDEX = 69,
    PERF_AUXTRACE = 71,
    PERF_EVENT_UPDATE = 78,
    PERF_HEADER_FEATURE = 80,
    PERF_COMPRESSED = 81,
    PERF_FINISHED_INIT = 82,
    PERF_COMPRESSED2 = 83,
};

/* Bits of `misc`.  Bits 13 to 15 depend on the type. */
enum {
    PERF_MISC_MODE = 7,
    PERF_MODE_KERNEL = 1,
    PERF_MODE_USER = 2,
    PERF_MODE_HYPERVISOR = 3,
    PERF_MODE_GUEST_KERNEL = 4,
    PERF_MODE_GUEST_USER = 5,
    PERF_MISC_MMAP_DATA = 1 << 13,
    PERF_MISC_COMM_EXEC = 1 << 13,
    PERF_MISC_FORK_EXEC = 1 << 13,
    PERF_MISC_MMAP_BUILD_ID = 1 << 14,
    PERF_MISC_BUILD_ID_SIZE = 1 << 15,
    PERF_MISC_LOST_BY_BPF = 1 << 15,
};

/* Bits of sample_type, in the order of their bits. */
enum {
    PERF_HAS_IP = 1 << 0,
    PERF_HAS_TID = 1 << 1,
    PERF_HAS_TIME = 1 << 2,
    PERF_HAS_ADDR = 1 << 3,
    PERF_HAS_READ = 1 << 4,
    PERF_HAS_CALLCHAIN = 1 << 5,
    PERF_HAS_ID = 1 << 6,
    PERF_HAS_CPU = 1 << 7,
    PERF_HAS_PERIOD = 1 << 8,
    PERF_HAS_STREAM_ID = 1 << 9,
    PERF_HAS_RAW = 1 << 10,
    PERF_HAS_BRANCH_STACK = 1 << 11,
    PERF_HAS_REGS_USER = 1 << 12,
    PERF_HAS_STACK_USER = 1 << 13,
    PERF_HAS_WEIGHT = 1 << 14,
    PERF_HAS_DATA_SRC = 1 << 15,
    PERF_HAS_IDENTIFIER = 1 << 16,
    PERF_HAS_TRANSACTION = 1 << 17,
    PERF_HAS_REGS_INTR = 1 << 18,
    PERF_HAS_PHYS_ADDR = 1 << 19,
    PERF_HAS_CGROUP = 1 << 21,
    PERF_HAS_WEIGHT_STRUCT = 1 << 24,
};

/* Bits of read_format. */
enum { PERF_FORMAT_LOST = 1 << 4 };

#define PERF_NO_TIME UINT64_MAX

struct perf_record {
    uint32_t type;
    uint32_t misc;
    const uint8_t *v; /* n bytes, header included */
    size_t n;
    uint64_t offset; /* in the file, or in the decompressed data */
};

/* The header of the record at v; `offset` is 0. */
static inline void perf_record_at(struct perf_record *r, const uint8_t *v,
                                  bool big)
{
    uint32_t misc = perf_u32_at(v + 4, big);
    *r = (struct perf_record){.type = perf_u32_at(v, big),
                              .misc = big ? misc >> 16 : misc & 0xffff,
                              .v = v,
                              .n = big ? misc & 0xffff : misc >> 16};
}

static inline struct perf_fields perf_fields_of(const struct perf_record *r,
                                                bool big)
{
    return (struct perf_fields){r->v + PERF_HEADER_BYTES, r->v + r->n, big,
                                false};
}

/*
 * Maps of ids to numbers (perf_ids.c)
 */

struct perf;

struct perf_id {
    uint64_t id;
    uint32_t value;
};

/* v[0 .. n) in the order in which they were added. */
struct perf_ids {
    VEC(struct perf_id);
    struct hashidx index;
};

/* Returns the row of an id, or HASHIDX_NONE. */
uint32_t perf_ids_find(const struct perf *p, const struct perf_ids *ids,
                       uint64_t id);
/* Sets *row to the row of an id, which is added with this value if it is new.
 */
bool perf_ids_add(const struct perf *p, struct perf_ids *ids, uint64_t id,
                  uint32_t value, uint32_t *row, struct err *err);
void perf_ids_free(struct perf_ids *ids);

/*
 * Events (perf_attr.c)
 */

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
    struct perf_layout layout;
    uint32_t name; /* id of perf.names; 0: none yet */
    uint64_t n_samples;
};

/* Bits of flags. */
enum {
    PERF_INHERIT = 1 << 1,
    PERF_EXCLUDE_USER = 1 << 4,
    PERF_EXCLUDE_KERNEL = 1 << 5,
    PERF_EXCLUDE_HV = 1 << 6,
    PERF_PRECISE_SHIFT = 15, /* two bits: how exact addresses are to be */
    PERF_SAMPLE_ID_ALL = 1 << 18,
    PERF_EXCLUDE_HOST = 1 << 19,
    PERF_EXCLUDE_GUEST = 1 << 20,
};

struct perf_events {
    VEC(struct perf_event) list;
    struct perf_ids ids;        /* of samples; the value is an index in list */
    VEC(uint64_t) counters;     /* values at the last sample */
    struct perf_ids by_counter; /* row of ids << 32 | thread; same rows */
};

/*
 * Mappings (perf_maps.c): trees of address ranges
 */

/* A range of addresses; `row` is the struct perf_row that is mapped there. */
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
                   const struct perf_map *map, struct err *err);
/* Returns the range that holds the address, or null. */
const struct perf_map *perf_tree_find(const struct perf_trees *t, uint32_t root,
                                      uint64_t address);
/* Returns a second reference to the tree. */
uint32_t perf_tree_share(struct perf_trees *t, uint32_t root);
void perf_tree_drop(struct perf_trees *t, uint32_t root);
void perf_trees_free(struct perf_trees *t);

/*
 * Processes (perf_process.c)
 */

/* A mapped part of a file, or of the kernel. */
struct perf_row {
    uint64_t start; /* the lowest address at which it was mapped */
    uint64_t size, offset;
    uint32_t file, build_id; /* ids of perf.names; 0: none */
    bool fixed;              /* start is part of the key: kernel, JIT code */
    bool kernel;
    bool used;         /* a sample refers to it */
    uint64_t main_for; /* samples of the processes that run it */
};

struct perf_process {
    int32_t pid;
    uint32_t maps;       /* a tree */
    uint32_t generation; /* of maps, and of those of the kernel: a new number
                            after each change */
    uint32_t kernel_generation; /* that of the kernel then */
    uint32_t program;           /* row of the main program, or PROF_NONE */
};

struct perf_processes {
    struct perf_trees trees;
    VEC(struct perf_row) rows;
    struct hashidx row_index;
    VEC(struct perf_process) list; /* [0]: the kernel */
    struct perf_ids by_pid;        /* with the same rows as list */
    uint32_t last;                 /* index in list of the last one found */
    struct perf_ids comms; /* by tid; the value is an id of perf.names */
    uint32_t generations;
};

/*
 * Stacks (perf_stack.c)
 */

/* Address within a row, or in no mapping (PROF_NONE). */
struct perf_location {
    uint64_t offset; /* from the start of the row; or the address */
    uint32_t row;
};

/* An address of a call chain. */
struct perf_frame {
    uint64_t address;
    bool kernel;
};

enum perf_label_key {
    PERF_LABEL_PID,
    PERF_LABEL_TID,
    PERF_LABEL_COMM,
    PERF_LABEL_THREAD_COMM,
    PERF_LABEL_CPU,
    PERF_LABEL_CGROUP,
    PERF_LABEL_EVENT,
    PERF_LABEL_MODE,
    PERF_LABEL_TIME,
    PERF_LABELS,
};

extern const char *const perf_label_names[PERF_LABELS];
/* Warns of labels that --labels names (bits) and that no sample has. */
void perf_note_labels(const struct notes *notes, unsigned wanted, unsigned has);

/* The labels of a sample; those not requested are 0. */
struct perf_labels {
    uint64_t v[PERF_LABELS]; /* numbers, or ids of perf.names */
    uint32_t has;            /* bits by key */
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
 * Records in order (perf_queue.c)
 */

struct perf_queue {
    VEC(struct perf_queued) list; /* in file order, after a sorted part */
    VEC(struct perf_queued) sorted;
    VEC(struct radix_item) items; /* to sort by */
    /* Of the records of the present round, and of those before it. */
    struct buf bytes[2];
    bool present;    /* which */
    uint64_t last;   /* latest time so far */
    size_t n_others; /* records that are not samples */
    uint64_t limit;  /* the next round delivers records up to this time */
};

bool perf_queue_put(struct perf *p, const struct perf_record *r, uint64_t time,
                    struct err *err);
/* Ends a round: delivers the records up to the end of the previous round. */
bool perf_queue_round(struct perf *p, struct err *err);
bool perf_queue_end(struct perf *p, struct err *err);
void perf_queue_free(struct perf_queue *q);

/*
 * One recording
 */

/* Counts of records that the profile lacks, or has only in part. */
struct perf_counts {
    uint64_t skipped[PERF_TYPES];
    uint64_t lost, throttled, bad_samples, no_event, guests;
    uint64_t lost_events; /* of any type (LOST); `lost`: samples */
    uint64_t not_unwound; /* samples of a machine that is not supported */
    uint64_t first_bad;   /* offset of the first of bad_samples */
    uint64_t filtered;    /* samples that options exclude */
};

struct perf {
    const struct perf_opts *opts;
    const struct notes *notes;
    uint64_t seed; /* of hashes, as mix_seed() */
    bool big;      /* byte order of the file */
    bool pipe;     /* pipe mode */
    bool cut;      /* the data ends inside a record; what follows is lost */
    bool killed;   /* the header has no data size */
    bool ordered;
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
    VEC(uint32_t) build_ids; /* names, indexed by file name; 0: none */
    struct perf_ids cgroups; /* the value, a path, is an id of perf.names */
    VEC(struct perf_deferred) deferred; /* perf_record.c */
    VEC(uint32_t) deferred_frames;
    VEC(struct perf_frame) chain; /* of the current sample, leaf first */
    struct perf_zstd *zstd;
    struct unwinder *unwinder;
    uint64_t first_time, last_time; /* of samples; 0: none */
    /* From feature sections: */
    struct buf version, command, arch;
    uint64_t wall_clock, clock_at; /* CLOCK_DATA: the same moment */
};

/*
 * Bytes and records (perf_reader.c)
 */

enum {
    PERF_FEATURES = 256,       /* more than any number of a feature */
    PERF_EVENT_TYPE_NAME = 64, /* bytes */
};

/* What is read and not consumed: v[at .. n) begins at this offset. */
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
bool perf_read_more(struct perf_reader *r, size_t need, struct err *err);
/* Makes `need` bytes available, or all that there are. */
static inline bool perf_fill(struct perf_reader *r, size_t need,
                             struct err *err)
{
    return perf_available(r) >= need || perf_read_more(r, need, err);
}
/* Makes n bytes available; `what` is the part of the file that they are. */
bool perf_need(struct perf_reader *r, uint64_t n, const char *what,
               struct err *err);
/*
 * Reads the next record, or all, up to an offset or the end of the file
 * (UINT64_MAX).  *got: there was one.
 */
bool perf_read_record(struct perf_reader *r, uint64_t end, bool *got,
                      struct err *err);
bool perf_read_records(struct perf_reader *r, uint64_t end, struct err *err);
/* Returns false, with the error that a second recording begins here. */
bool perf_refuse_joined(uint64_t offset, struct err *err);
/* EVENT_TYPE: the name of a tracepoint, by the number of its attribute. */
bool perf_name_type(struct perf *p, struct perf_fields f, struct err *err);

/* perf_directory.c: the records of data.0, data.1 ... beside the main file */
bool perf_read_directory(struct perf *p, const char *directory,
                         struct err *err);

/* perf_file.c: reads a recording; only opts and notes of *p are set before. */
bool perf_read(struct perf *p, const struct import_input *in, struct err *err);
void perf_free(struct perf *p);

/* perf_zstd.c: passes on the records in a COMPRESSED or COMPRESSED2 record. */
typedef bool perf_handle_fn(struct perf *p, const struct perf_record *r,
                            struct err *err);
bool perf_decompress(struct perf *p, const struct perf_record *r,
                     perf_handle_fn *handle, struct err *err);
void perf_zstd_free(struct perf_zstd *z);

/* perf_attr.c: adds an event; attr[0 .. n) begins with a perf_event_attr. */
bool perf_add_event(struct perf *p, const uint8_t *attr, size_t n,
                    struct err *err);
bool perf_add_id(struct perf *p, uint64_t id, uint32_t event, struct err *err);
/* The row of ids[] with this id; HASHIDX_NONE if there is none. */
static inline uint32_t perf_find_id(const struct perf *p, uint64_t id)
{
    return perf_ids_find(p, &p->events.ids, id);
}
/*
 * Stores the value of a counter, and sets *period to its increase since the
 * last sample.  tid is -1, or the thread if each thread has a counter with this
 * id.
 */
bool perf_count_increase(struct perf *p, uint32_t id_row, int32_t tid,
                         uint64_t value, uint64_t *period, struct err *err);
bool perf_name_event(struct perf *p, uint32_t event, struct slice name,
                     struct err *err);
/* Names the events that the file does not name, after their attributes. */
bool perf_name_events(struct perf *p, struct err *err);
bool perf_read_attr_record(struct perf *p, const struct perf_record *r,
                           struct err *err);
bool perf_read_event_update(struct perf *p, const struct perf_record *r,
                            struct err *err);

/* perf_feature.c */
bool perf_read_feature(struct perf *p, uint32_t feature,
                       struct perf_fields fields, struct err *err);
bool perf_read_build_id(struct perf *p, const struct perf_record *r,
                        struct err *err);
/* Adds the n bytes as hexadecimal digits to the names. */
bool perf_add_hex(struct perf *p, const uint8_t *v, size_t n, uint32_t *id,
                  struct err *err);

/* perf_sample.c: the fields of a sample */
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
    /* READ: n_counters values and ids, each counter_bytes after the last. */
    const uint8_t *counters, *ids;
    uint64_t n_counters;
    size_t counter_bytes;
};

/* False: malformed, or of an unknown event (s->event is PROF_NONE). */
bool perf_parse_sample(const struct perf *p, const struct perf_record *r,
                       struct perf_sample *s);

/* The time of any record, or PERF_NO_TIME. */
uint64_t perf_record_time(const struct perf *p, const struct perf_record *r);

/*
 * perf_record.c: processes records in order of time.  perf_finish_records()
 * counts samples whose deferred call chain did not follow.
 */
bool perf_deliver(struct perf *p, const struct perf_record *r, struct err *err);
bool perf_finish_records(struct perf *p, struct err *err);

/* perf_chain.c: sets p->chain to the stack of a sample, leaf first. */
bool perf_take_chain(struct perf *p, const struct perf_sample *s,
                     uint64_t *cookie, struct err *err);
/* Sets p->chain to the n user addresses of a deferred chain. */
bool perf_take_deferred(struct perf *p, const uint8_t *chain, uint64_t n,
                        struct err *err);

/* perf_process.c */
bool perf_processes_init(struct perf *p, struct err *err);
void perf_processes_free(struct perf_processes *ps);
struct perf_new_map {
    int32_t pid;
    uint64_t start, size, offset;
    struct slice file;
    uint32_t build_id;
    bool kernel, executable;
};
bool perf_add_map(struct perf *p, const struct perf_new_map *map,
                  struct err *err);
bool perf_fork(struct perf *p, int32_t pid, int32_t parent, int32_t tid,
               int32_t parent_tid, bool share_maps, struct err *err);
bool perf_set_comm(struct perf *p, int32_t pid, int32_t tid, struct slice comm,
                   bool exec, struct err *err);
/* Returns the process, created if new; null: no memory. */
struct perf_process *perf_process(struct perf *p, int32_t pid, struct err *err);
/* The name of a thread; 0: unknown. */
uint32_t perf_comm(const struct perf *p, int32_t tid);
/* Stands for a guest: none of its addresses is in a mapping. */
#define PERF_NO_PROCESS INT32_MIN
/* Returns the mapping that holds the address, or null. */
const struct perf_map *perf_find_map(struct perf *p,
                                     const struct perf_process *process,
                                     bool kernel, uint64_t address);

/* perf_stack.c */
/*
 * A stack is a place in stacks.stacks, so that what a sample needs of it is in
 * one place in memory: the number of its locations; the row of counts that was
 * added first, plus 1, or 0; its locations, outermost caller first.
 */
enum { PERF_STACK_N, PERF_STACK_COUNT, PERF_STACK_LOCATIONS };
static inline uint32_t *perf_stack_at(const struct perf_stacks *s,
                                      uint32_t stack)
{
    return s->stacks.v + stack;
}
bool perf_stacks_init(struct perf *p, struct err *err);
void perf_stacks_free(struct perf_stacks *s);
/* Appends an address to p->chain. */
static inline bool perf_add_frame(struct perf *p, bool kernel, uint64_t address,
                                  struct err *err)
{
    struct perf_frame frame = {.address = address, .kernel = kernel};
    return vec_push(&p->chain, frame) || err_nomem(err);
}
bool perf_intern_labels(struct perf *p, const struct perf_labels *labels,
                        uint32_t *id, struct err *err);
/* Appends the locations of p->chain to p->deferred_frames, leaf first. */
bool perf_locate_chain(struct perf *p, int32_t pid, struct err *err);
/*
 * Sets count->stack to that of p->chain, and adds `count` to it; both at once,
 * or when later samples are counted, or in perf_count_waiting().
 */
bool perf_count_chain(struct perf *p, int32_t pid, int32_t tid,
                      struct perf_count *count, struct err *err);
bool perf_count_waiting(struct perf *p, struct err *err);
/* The same for locations, leaf first, whose order it reverses. */
bool perf_count_locations(struct perf *p, uint32_t *locations, size_t n,
                          struct perf_count *count, struct err *err);

/* perf_text.c: the output of perf script */
struct perf_text_sample {
    int64_t pid; /* -1: unknown */
    size_t at;   /* in frames */
    uint32_t n, event, labels;
    int64_t period;
};

struct perf_text {
    struct profile p; /* all but the samples */
    VEC(struct perf_text_sample) samples;
    VEC(uint32_t) frames; /* locations, leaf first */
};

bool perf_text_begins(const uint8_t *data, size_t n);
/* Reads it into *text, zeroed before; the caller frees it, after a failure too.
 * With opts->each_process each sample must have a process. */
bool perf_text_read(const struct import_input *in, const struct perf_opts *opts,
                    struct perf_text *text, struct err *err);
/* Replaces the samples of text->p by those of the process, or of all. */
bool perf_text_choose(struct perf_text *text, int64_t pid, struct err *err);
void perf_text_free(struct perf_text *text);

/* perf_profile.c: the build ID of a row, an id of perf.names; 0: unknown */
uint32_t perf_build_id_of(const struct perf *p, const struct perf_row *row);

/* perf_profile.c: makes the profile of one process, or of all */
#define PERF_ALL_PIDS INT64_MIN
bool perf_make_profile(struct perf *p, int64_t pid, struct profile *out,
                       struct err *err);

#endif
