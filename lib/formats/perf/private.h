/*
 * private.h - declarations that the files of formats/perf share
 *
 *   part      file              contains
 *   all       perf.c            the sum of inputs; warnings
 *             format.h          the format of recordings
 *             perf_ids.c        maps of ids: of events, processes, threads ...
 *   reader    perf_reader.c     perf_next(): records in order of time
 *             perf_file.c       headers, files, pipes
 *             perf_directory.c  the files of perf record --threads
 *             perf_zstd.c       compressed records
 *             perf_queue.c      sorts records by time
 *             perf_attr.c       events: attributes, ids, names
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
 * The way of a sample: perf_next() returns its record.  perf_record.c parses it
 * (perf_sample.c), gets its call chain (perf_chain.c), finds the mapping of
 * each address (perf_process.c), turns the chain into a stack and counts it
 * (perf_stack.c).  At the end, perf_profile.c makes profiles of stacks and
 * counts.
 *
 * Ownership: struct perf contains all parts; they point to its `about`.  Each
 * part has a function that frees it, which is called after a failure too.
 *
 * "Ids of names" are string ids of perf_about.names.
 */
#ifndef PROFUTILS_FORMATS_PERF_PRIVATE_H
#define PROFUTILS_FORMATS_PERF_PRIVATE_H

#include "base/buf.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/sort.h"
#include "base/strtab.h"
#include "base/vec.h"
#include "formats/perf/format.h"
#include "formats/perf/perf.h"
#include "io/stream.h"

#define PERF_NO_TIME UINT64_MAX /* the record has no time */

/* --- ids (perf_ids.c): maps of ids to numbers ----------------------------- */

struct perf_id {
    uint64_t id;
    uint32_t value;
};

/* Rows v[0 .. n), in the order in which they were added.  They never move. */
struct perf_ids {
    VEC(struct perf_id);
    struct hashidx index;
    uint64_t seed; /* hash_seed() */
};

/* Returns the row of an id, or HASHIDX_NONE. */
uint32_t perf_ids_find(const struct perf_ids *ids, uint64_t id);

/* Sets *row to the row of an id; a new id is added with this value. */
bool perf_ids_add(struct perf_ids *ids, uint64_t id, uint32_t value,
                  uint32_t *row, struct prof_err *err);
void perf_ids_free(struct perf_ids *ids);

/* --- what a recording says about itself (perf_attr.c, perf_feature.c) ----- */

/*
 * Offsets of the fields of fixed size in the samples of an event, in bytes from
 * the beginning of the record, header included; 0: the field is not recorded.
 */
struct perf_layout {
    uint8_t id, ip, tid, time, cpu, period;
    uint8_t end; /* the end of these fields */
};

struct perf_event {
    uint32_t type;
    uint64_t config, period, sample_type, read_format, flags, branch_type;
    uint64_t regs_user, regs_intr;
    uint32_t stack_user; /* bytes of the stack to record */
    uint16_t max_chain;  /* most addresses of a call chain */
    uint64_t bp_address; /* of a breakpoint event */
    uint32_t bp_type;    /* bits: reads, writes, executes */
    struct perf_layout layout;
    uint32_t name;    /* id of names; 0: none yet */
    const char *unit; /* of periods; set by perf_name_events() */
    uint64_t n_samples;
};

struct perf_events {
    VEC(struct perf_event) list;
    uint64_t types, formats, flags; /* sample_type, read_format and flags of all
                                       events, or-ed */
    struct perf_ids ids;            /* by id of samples: index in list */
    VEC(uint64_t) counters;     /* values of counters at their last sample */
    struct perf_ids by_counter; /* rows of `counters`, by (row in ids) << 32 |
                                   thread */
};

/* What the headers and features of a recording say. */
struct perf_about {
    bool big;            /* byte order */
    bool in_parts;       /* DIR_FORMAT: the data is in data.0, data.1 ... */
    struct strtab names; /* all strings that are stored */
    struct perf_events events;
    VEC(uint32_t) build_ids; /* by id of a file name: id of the build ID; 0 */
    struct buf version, command, arch, host, release; /* or empty */
    uint64_t wall_clock, clock_at;      /* CLOCK_DATA: the same moment, in ns
                                           since 1970 and of perf's clock */
    uint64_t first_sample, last_sample; /* SAMPLE_TIME; 0: unknown */
    uint32_t n_cpus;                    /* NRCPUS; 0: unknown */
};

void perf_about_free(struct perf_about *a);

/* Adds an event; attr[0 .. n) begins with a perf_event_attr. */
bool perf_add_event(struct perf_about *a, const uint8_t *attr, size_t n,
                    struct prof_err *err);
/* Records that samples with this id are of this event. */
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
 * Returns the unit of the periods of an event, "nanoseconds" or "count"; `e` is
 * null if only its name is known.
 */
const char *perf_event_unit(const struct perf_event *e, struct prof_slice name);
/* Makes names, from their attributes, for events that the file does not name;
 * sets the units of all. */
bool perf_name_events(struct perf_about *a, struct prof_err *err);

/* Read the records HEADER_ATTR, EVENT_UPDATE, EVENT_TYPE, HEADER_BUILD_ID. */
bool perf_read_attr_record(struct perf_about *a, const struct perf_record *r,
                           struct prof_err *err);
bool perf_read_event_update(struct perf_about *a, const struct perf_record *r,
                            struct prof_err *err);
bool perf_read_event_type(struct perf_about *a, struct perf_fields f,
                          struct prof_err *err);
bool perf_read_build_id(struct perf_about *a, const struct perf_record *r,
                        struct prof_err *err);

/* Reads the section of a feature; ignores features that are not needed. */
bool perf_read_feature(struct perf_about *a, uint32_t feature,
                       struct perf_fields fields, struct prof_err *err);

/* Adds n bytes, as hexadecimal digits, to a->names; sets *id. */
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
    bool stack_is_full; /* the stack may have more bytes than were recorded */
    /* READ: values and ids of n_counters, with a stride of counter_bytes. */
    const uint8_t *counters, *ids;
    uint64_t n_counters;
    size_t counter_bytes;
};

/* Parses the record of a sample.  False if it is malformed, or of an unknown
 * event: then s->event is PROF_NONE. */
bool perf_parse_sample(const struct perf_about *a, const struct perf_record *r,
                       struct perf_sample *s);

/* Returns the time of a record of any type, or PERF_NO_TIME. */
uint64_t perf_record_time(const struct perf_about *a,
                          const struct perf_record *r);

/* --- records in order of time (perf_queue.c) ------------------------------ */

struct perf_queue {
    VEC(struct perf_queued) list;   /* a sorted part, then in file order */
    VEC(struct perf_queued) sorted; /* scratch memory of the sort */
    VEC(struct radix_item) items;   /* likewise */
    struct buf bytes[2]; /* the bytes of records, of this round and of earlier
                            ones */
    bool present;        /* index in bytes[] of this round */
    uint64_t last;       /* latest time of all records so far */
    size_t n_others;     /* records in the queue that are not samples */
    uint64_t round;      /* the next round releases records up to this time */
    uint64_t early;      /* because the queue was full, records up to this time
                            were released before the end of their round */
    uint64_t late;       /* number of records of mappings and names that were
                            too late to be sorted: not later than `early` */
    /* While records are released, list.v[at .. n) are still to be checked: */
    bool releases;
    uint64_t limit;  /* records up to this time are released */
    size_t at, kept; /* list.v[0 .. kept) stay in the queue */
    bool compacts;   /* both buffers contain released records */
};

/* Copies a record into the queue. */
bool perf_queue_put(struct perf_queue *q, const struct perf_record *r,
                    uint64_t time, struct prof_err *err);

/*
 * Release records, which perf_queue_take() then returns:
 *
 *   perf_queue_release()  those up to the time `limit`
 *   perf_queue_round()    at the end of a round: those up to the latest time of
 *                         the previous round
 *   perf_queue_half()     the older half
 *
 * With `sort`, they are sorted even if all are samples, whose order otherwise
 * does not matter.
 */
bool perf_queue_release(struct perf_queue *q, uint64_t limit, bool sort,
                        struct prof_err *err);
bool perf_queue_round(struct perf_queue *q, bool sort, struct prof_err *err);
bool perf_queue_half(struct perf_queue *q, bool sort, struct prof_err *err);
bool perf_queue_is_full(const struct perf_queue *q);

/*
 * Returns 1 and sets *r to the next released record, which is valid until the
 * next call; 0: there are no more; -1: failure.
 */
int perf_queue_take(struct perf_queue *q, bool big, struct perf_record *r,
                    struct prof_err *err);
void perf_queue_free(struct perf_queue *q);

/* --- bytes (perf_reader.c) ------------------------------------------------ */

/* Bytes of a file that are read as needed.  v[at .. n) have been read and are
 * not consumed yet. */
struct perf_bytes {
    struct stream *stream; /* null: v has all bytes */
    const uint8_t *v;
    size_t at, n;
    uint64_t offset;   /* of v[at] in the file */
    bool ended;        /* the stream has no more bytes */
    struct buf window; /* the memory of v, if there is a stream */
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

/* Reads until `need` bytes are available, or the stream ends. */
bool perf_read_more(struct perf_bytes *b, size_t need, struct prof_err *err);

/* Makes `need` bytes available, fewer only at the end of the stream. */
static inline bool perf_fill(struct perf_bytes *b, size_t need,
                             struct prof_err *err)
{
    return perf_available(b) >= need || perf_read_more(b, need, err);
}

/* Makes n bytes available; PROF_ERR_INPUT if fewer are left: the message calls
 * them `what`. */
bool perf_need(struct perf_bytes *b, uint64_t n, const char *what,
               struct prof_err *err);

/* --- the reader (perf_reader.c) ------------------------------------------- */

struct section {
    uint64_t at, n;
};

/* Reads a stream that has read_at() from the offset `at` on. */
struct perf_tail {
    struct stream stream;
    struct stream *from;
    uint64_t at;
};

/* What the header of a file says (perf_file.c). */
struct perf_file {
    struct perf_bytes tail; /* the bytes after the data */
    struct perf_tail tail_stream;
    bool has_tail;     /* `tail` can be read before the data */
    bool has_features; /* the features were read before the data */
    struct section data;
    uint8_t bits[PERF_FEATURES / 8]; /* which features there are */
    uint64_t end;                    /* the end of the last section */
    uint64_t id_bytes;               /* size of all lists of ids so far */
};

/* A file with records: the only one, or data.N of a directory. */
struct perf_source {
    struct perf_bytes bytes;
    uint64_t end;           /* offset where its records end, or UINT64_MAX */
    size_t taken;           /* bytes of the current record */
    uint64_t payload;       /* bytes that follow it and are to be skipped */
    struct perf_zstd *zstd; /* null until it has a compressed record */
    size_t part;            /* N + 1; 0: the only file */
    struct stream stream;   /* in a directory: reads fd */
    int fd;
    uint64_t latest; /* latest time of its records so far */
    uint64_t round;  /* the same at the end of the last round */
    bool done;
};

/* Counts of records that the recording lacks, or that were not used. */
struct perf_missing {
    uint64_t skipped[PERF_TYPES]; /* by type: not used */
    uint64_t lost;                /* samples (LOST_SAMPLES) */
    uint64_t lost_events;         /* records of any type (LOST) */
    uint64_t throttled;           /* how often the kernel took fewer samples */
};

struct perf_reader {
    struct perf_about *about; /* not owned */
    const struct prof_notes *notes;
    const struct import_input *in;
    struct perf_file file;
    struct perf_source main;
    VEC(struct perf_source) parts;
    struct perf_source *source; /* the current one; null: all have ended */
    uint64_t round_bytes;       /* bytes read of parts since the last round */
    struct perf_queue queue;
    struct perf_record held; /* n > 0: waits until the queue has room */
    uint64_t held_time;
    uint64_t decompressed; /* bytes of the content of compressed records */
    struct perf_missing missing;
    bool switches;   /* set by the caller: return SWITCH and EXIT, too */
    bool pipe;       /* the format of perf record -o - */
    bool killed;     /* the header has no data size */
    bool ordered;    /* records have times, and are sorted by them */
    bool cut;        /* the data ends inside a record; what follows is lost */
    uint64_t cut_at; /* offset of that record */
    size_t cut_part; /* data.N: N + 1; 0: the only file */
};

/* Whether the bytes begin like a perf.data file. */
bool perf_begins(const uint8_t *data, size_t n);

/* Reads what precedes the records.  The caller has set `about`, `notes` and
 * `switches`, and zeroed all others. */
bool perf_open(struct perf_reader *r, const struct import_input *in,
               struct prof_err *err);

/*
 * Returns 1 and sets *record to the next record of the kernel; if records have
 * times, in that order.  Its bytes are owned by the reader and valid until the
 * next call.  0: there are no more; -1: failure.
 */
int perf_next(struct perf_reader *r, struct perf_record *record,
              struct prof_err *err);
void perf_close(struct perf_reader *r);

/* Records in *r that the data ends inside the record at `offset`, or inside of
 * data that belongs to it. */
void perf_set_cut(struct perf_reader *r, uint64_t offset, size_t part);

/* Sets the error that a second recording begins at `offset`.  Returns false. */
bool perf_refuse_joined(uint64_t offset, struct prof_err *err);

/* At the end of the main file: reads what follows the records (perf_file.c). */
bool perf_end_file(struct perf_reader *r, struct prof_err *err);

/* --- compressed records (perf_zstd.c) ------------------------------------- */

/* Starts decompressing a COMPRESSED or COMPRESSED2 record, whose bytes must
 * stay valid until its end. */
bool perf_zstd_begin(struct perf_source *s, const struct perf_record *r,
                     bool big, struct prof_err *err);
/* Returns the next record of its content, as perf_next(). */
int perf_zstd_next(struct perf_reader *r, struct perf_source *s,
                   struct perf_record *record, struct prof_err *err);
/* At the end of the data: notes if the last decompressed record is cut. */
void perf_zstd_end(struct perf_reader *r, const struct perf_source *s);
void perf_zstd_free(struct perf_zstd *z); /* null is allowed */

/* --- directories (perf_directory.c) --------------------------------------- */

/* Opens data.0, data.1 ... in the directory of the main file. */
bool perf_open_parts(struct perf_reader *r, const char *directory,
                     struct prof_err *err);
/*
 * Sets r->source to the part to read from next; null: all have ended.  n is the
 * number of bytes that were read from the last one.  May release records of the
 * queue.
 */
bool perf_choose_part(struct perf_reader *r, uint64_t n, struct prof_err *err);
void perf_close_parts(struct perf_reader *r);

/* Whether the order of samples matters, not only that of other records: of
 * counters the increase since the sample before is used. */
static inline bool perf_order_matters(const struct perf_about *a)
{
    return a->events.types & PERF_HAS_READ;
}

/* --- address spaces (perf_maps.c): trees of address ranges ---------------- */

/* A range of addresses, and what is mapped there: mappings.v[row]. */
struct perf_map {
    uint64_t start, end;
    uint64_t origin; /* start of the mapping, before others replaced parts */
    uint32_t row;
};

/* The nodes of all trees, which may share nodes.  Node 0 means "no node". */
struct perf_trees {
    VEC(struct perf_node) nodes; /* perf_maps.c */
    uint32_t free;               /* head of the list of unused nodes */
    uint32_t made; /* number of nodes made so far; hashed, it is the rank */
    uint64_t seed; /* hash_seed() */
    bool nomem;
};

/* Adds a range to the tree *root; replaces what it overlaps. */
bool perf_tree_put(struct perf_trees *t, uint32_t *root,
                   const struct perf_map *map, struct prof_err *err);

/* Returns the range that holds the address, or null. */
const struct perf_map *perf_tree_find(const struct perf_trees *t, uint32_t root,
                                      uint64_t address);

/* Returns another reference to the tree; perf_tree_drop() releases one. */
uint32_t perf_tree_share(struct perf_trees *t, uint32_t root);
void perf_tree_drop(struct perf_trees *t, uint32_t root);

/* --- processes, threads, mappings (perf_process.c) ------------------------ */

/* A mapped part of a file, or of the kernel: a mapping of the profile. */
struct perf_mapping {
    uint64_t start; /* the lowest address at which it was mapped */
    uint64_t size, offset;
    uint32_t file, build_id;      /* ids of names; 0: none */
    struct sym_recorded recorded; /* the first file of this name */
    bool fixed; /* mappings at other starts differ: kernel, JIT code */
    bool kernel;
    bool vdso;         /* the vdso of a process of 64 bits */
    bool used;         /* a sample refers to it */
    uint64_t behind;   /* bytes after its end that samples refer to */
    uint64_t main_for; /* number of samples of processes that run it */
};

struct perf_process {
    int32_t pid;
    uint32_t maps;       /* tree of its mappings */
    uint32_t generation; /* a new number after each change of its mappings, or
                            (by perf_space()) of those of the kernel */
    uint32_t kernel_generation; /* the kernel's, at the last perf_space() */
    uint32_t program;           /* row of its executable, or PROF_NONE */
};

struct perf_processes {
    struct perf_about *about; /* not owned */
    struct perf_trees trees;
    VEC(struct perf_mapping) mappings;
    struct map mapping_rows;       /* rows of `mappings` */
    VEC(struct perf_process) list; /* [0]: the kernel */
    struct perf_ids by_pid;        /* with the same rows as list */
    uint32_t last;                 /* index in list of the last process found */
    uint32_t kernel;               /* row of the kernel, or PROF_NONE */
    struct perf_map kernel_end;    /* code after the end of that mapping (init
                                      code); or empty */
    uint32_t vdso_id;              /* build ID of its vdso; 0: unknown */
    bool has_vdso_id;              /* perf_find_vdso() has looked for it */
    struct perf_ids comms;         /* by tid: its name, an id of names */
    uint32_t generations;
};

bool perf_processes_init(struct perf_processes *ps, struct perf_about *about,
                         struct prof_err *err);
void perf_processes_free(struct perf_processes *ps);

/* The content of a record MMAP, MMAP2 or KSYMBOL. */
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
/* Adds a thread.  With share_maps, a new process gets the mappings of its
 * parent. */
bool perf_fork(struct perf_processes *ps, const struct perf_new_thread *t,
               bool share_maps, struct prof_err *err);
bool perf_set_comm(struct perf_processes *ps, int32_t pid, int32_t tid,
                   struct prof_slice comm, bool exec, struct prof_err *err);

/* The pid for samples of guest systems: it has no mappings. */
#define PERF_NO_PROCESS INT32_MIN

/*
 * Returns the process, which is added if it is new; valid until the next call.
 * Null: memory is out.
 */
struct perf_process *perf_process(struct perf_processes *ps, int32_t pid,
                                  struct prof_err *err);

/*
 * The same.  If the mappings of the kernel have changed since the last call for
 * this process, it gets a new generation.
 */
const struct perf_process *perf_space(struct perf_processes *ps, int32_t pid,
                                      struct prof_err *err);

/* Returns the name of a thread, an id of names; 0: unknown. */
uint32_t perf_comm(const struct perf_processes *ps, int32_t tid);

/* Returns the build ID of a mapping, an id of names; 0: unknown. */
uint32_t perf_build_id_of(const struct perf_processes *ps,
                          const struct perf_mapping *mapping);

/*
 * Since version 6.16, perf records build IDs with mappings of files, and so
 * none for the vdso, which is not a file.  All processes of 64 bits have the
 * same vdso.  If the recorded kernel is known and is running here, this looks
 * up its build ID, which perf_build_id_of() then returns.
 */
bool perf_find_vdso(struct perf_processes *ps, struct prof_err *err);

/*
 * Before version 6.16, perf record with -z or to a pipe records no build ID of
 * the kernel.  If it is missing, and host, release and address are those of the
 * running kernel, sets the build ID of the kernel's mapping to that of the
 * running one.
 */
bool perf_find_kernel(struct perf_processes *ps, struct prof_err *err);

/*
 * Returns the range that holds the address, or null.  Searches the mappings of
 * the kernel and of the process, those of the kernel first if `kernel`.
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

/* A call chain, leaf first. */
struct perf_chain {
    VEC(struct perf_frame);
};

/* Counts of samples whose call chains may lack callers. */
struct perf_depths {
    uint64_t n;    /* all samples */
    uint64_t cut;  /* the stack continues after its recorded part */
    uint64_t full; /* the chain is exactly as long as the limit */
    uint64_t over; /* the chain is longer, so that is not the limit */
};

static inline void perf_count_depth(struct perf_depths *d, uint64_t length,
                                    uint64_t limit)
{
    d->full += length == limit;
    d->over += length > limit;
}

/* Returns the level for a note about missing callers: a loss if more than 1 %
 * of the samples lack some. */
static inline enum prof_note_level
perf_depths_level(const struct perf_depths *d)
{
    const uint64_t n = d->cut + (d->over ? 0 : d->full);
    return n > d->n / 100 ? PROF_NOTE_LOSS : PROF_NOTE_INFO;
}

/* The state of the code that makes call chains. */
struct perf_chains {
    const struct perf_opts *opts;
    const struct prof_notes *notes;
    struct perf_processes *processes; /* not owned */
    struct perf_chain chain;          /* the chain of the current sample */
    struct unwinder *unwinder;        /* null until it is needed */
    struct perf_depths depths;
    uint64_t not_unwound; /* samples of machines that cannot be unwound */
};

/*
 * Sets c->chain to the call chain of a sample.  Sets *cookie to 0, or, if the
 * addresses of the user follow in a later record (CALLCHAIN_DEFERRED), to the
 * cookie of that record.
 */
bool perf_set_chain(struct perf_chains *c, const struct perf_sample *s,
                    uint64_t *cookie, struct prof_err *err);

/* Sets c->chain to the n user addresses of a record CALLCHAIN_DEFERRED. */
bool perf_set_deferred_chain(struct perf_chains *c, const uint8_t *chain,
                             uint64_t n, struct prof_err *err);
void perf_chains_free(struct perf_chains *c);

/* --- labels (perf_profile.c: names; perf_stack.c: sets) ------------------- */

enum perf_label_key {
    PERF_LABEL_PID,
    PERF_LABEL_TID,
    PERF_LABEL_COMM,         /* name of the thread */
    PERF_LABEL_PROCESS_COMM, /* name of the main thread of its process */
    PERF_LABEL_CPU,
    PERF_LABEL_CGROUP,
    PERF_LABEL_EVENT,
    PERF_LABEL_MODE,
    PERF_LABEL_TIME,
    PERF_LABEL_HOST,
    PERF_LABEL_PARALLELISM,
    PERF_LABELS,
};

/* What a sample says of a label, whether requested or not. */
struct perf_label {
    bool has;
    uint64_t v;
};

/* The labels of a sample; those that are not requested are 0. */
struct perf_labels {
    uint64_t v[PERF_LABELS]; /* numbers, or ids of names */
    uint32_t has;            /* a bit for each key that the sample has */
};

/* --- stacks and counts (perf_stack.c) ------------------------------------- */

/* An address in a mapping, or in none (row is PROF_NONE). */
struct perf_location {
    uint64_t offset; /* from the start of the mapping; or the address */
    uint32_t row;    /* row of perf_processes.mappings */
    uint32_t names;  /* in the output of perf script: index in `functions` of
                        the number of names, which follow, the innermost
                        first; 0: none */
};

/* Sums of one event for a stack and its labels. */
struct perf_count {
    uint32_t stack, labels, event;
    int64_t samples, events;
    int64_t latency; /* sum of periods / running threads, in units of
                        1 / PERF_LATENCY_PARTS */
};

/* Makes rounding of small latencies negligible; perf has the same number. */
enum { PERF_LATENCY_PARTS = 1000 };

struct perf_stacks {
    uint64_t seed; /* hash_seed() */
    VEC(struct perf_location) locations;
    struct hashidx location_index; /* by offset and row of the mapping */
    VEC(uint32_t) functions;
    /* Stack i has the locations frames.v[offsets.v[i] .. offsets.v[i + 1]),
     * leaf first.  Stack 0 is empty.  firsts.v[i] is the row of its first
     * count, plus 1, or 0.  `frames` and `offsets` become arrays of the
     * profile. */
    VEC(uint32_t) frames;
    VEC(uint64_t) offsets;
    VEC(uint32_t) firsts;
    struct hashidx stack_index;
    VEC(struct perf_labels) labels; /* [0]: no labels */
    struct hashidx label_index;
    VEC(struct perf_count) counts;
    struct hashidx count_index;   /* all counts that are not in `firsts` */
    struct perf_cached *cache[2]; /* locations by address: of user code, of the
                                     kernel */
    struct perf_last *last;       /* by thread: its last chain */
    struct perf_batch *batch;     /* samples that are not counted yet */
};

/* Locations of a stack, leaf first; not owned. */
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

/* The call chain of a sample, and the process in whose mappings it is. */
struct perf_sampled {
    int32_t pid, tid;
    const struct perf_chain *chain;
};

bool perf_stacks_init(struct perf_stacks *s, struct prof_err *err);
void perf_stacks_free(struct perf_stacks *s);

/* Sets locations[i] to the location of address i of a chain, added if new. */
bool perf_locate(struct perf_stacks *s, struct perf_processes *ps, int32_t pid,
                 const struct perf_chain *chain, uint32_t *locations,
                 struct prof_err *err);

/* Sets *stack to the stack of n locations, leaf first; adds it if it is new. */
bool perf_intern_stack(struct perf_stacks *s, const uint32_t *locations,
                       size_t n, uint32_t *stack, struct prof_err *err);

/* Adds *count to the counts of its stack, labels and event. */
bool perf_count(struct perf_stacks *s, const struct perf_count *count,
                struct prof_err *err);

/* The same for the stack of a chain; may wait until perf_count_batch() is
 * called. */
bool perf_count_chain(struct perf_stacks *s, struct perf_processes *ps,
                      const struct perf_sampled *sampled,
                      const struct perf_count *count, struct prof_err *err);
bool perf_count_batch(struct perf_stacks *s, struct prof_err *err);

/* --- a recording, or the output of perf script ---------------------------- */

/* Counts of samples that the profile lacks, or has only in part. */
struct perf_counts {
    /* malformed; of an unknown event; of guest systems */
    uint64_t bad_samples, no_event, guests;
    uint64_t not_joined; /* samples without their deferred call chain */
    uint64_t first_bad;  /* offset of the first of bad_samples */
    uint64_t filtered;   /* samples that options exclude */
};

/* Samples that wait for the rest of their call chain (perf_deferred.c). */
struct perf_waiting {
    VEC(struct perf_deferred) list;
    struct perf_ids cookies; /* values: row of its newest sample, plus 1; 0:
                                none */
    size_t n;                /* number of samples that still wait */
    VEC(uint32_t) locations; /* the locations of their kernel frames */
    VEC(uint32_t) joined;    /* scratch: all locations of one sample */
};

struct perf {
    const struct perf_opts *opts;
    const struct prof_notes *notes;
    bool is_text; /* the output of perf script: it has names */
    int64_t made; /* time of the input file, seconds since 1970; 0: unknown */
    struct perf_about about;
    struct perf_reader reader;
    struct perf_processes processes;
    struct perf_chains chains;
    struct perf_stacks stacks;
    struct perf_waiting waiting;
    struct perf_counts counts;
    struct perf_ids cgroups;        /* by number: its path, an id of names */
    uint64_t first_time, last_time; /* of samples; 0: none */
    uint64_t from, to;              /* the range of opts->time, if has_range */
    bool has_range;
    /* Number of threads that are running, by the SWITCH and EXIT records so
     * far. The first thread has no record of its start. */
    int64_t running;
};

/* Returns a bit for each label of --labels; the label of a process is also
 * needed to make one profile of each. */
static inline unsigned perf_wanted_labels(const struct perf_opts *o)
{
    return o->labels | (o->each_process ? 1u << PERF_LABEL_PID : 0);
}

/* Sets *id to the set of the values that are requested and recorded; `values`
 * has PERF_LABELS elements. */
bool perf_intern_labels(struct perf *p, const struct perf_label *values,
                        uint32_t *id, struct prof_err *err);

/* Read an input, a recording or the output of perf script, and count all its
 * samples. */
bool perf_read(struct perf *p, const struct import_input *in,
               struct prof_err *err);
bool perf_text_read(struct perf *p, const struct import_input *in,
                    struct prof_err *err);
/* Whether the bytes begin like the output of perf script. */
bool perf_text_begins(const uint8_t *data, size_t n);

/* Extends first_time and last_time to include this time. */
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
 * Sets *yes to whether --time, --pid, --tid and --cpu select the sample.  Call
 * it for all samples, in their order: the first one is the reference of
 * relative times.
 */
bool perf_select(struct perf *p, const struct perf_taken *taken, bool *yes,
                 struct prof_err *err);
/* Warns if --pid, --tid, --cpu, --comm and --time selected no sample at all. */
void perf_note_none(const struct perf *p);
/* With -v, prints the times of the first and last sample that was counted. */
void perf_tell_time(const struct perf *p);

/* Whether the name is in the list; true if the list is empty. */
bool perf_is_listed(struct prof_slice s, const struct perf_names *names);

/* Stores a sample, whose kernel frames are p->chains.chain, until the record
 * with the rest of its call chain is read. */
bool perf_defer(struct perf *p, int32_t pid, uint64_t cookie,
                const struct perf_count *count, struct prof_err *err);
/* Counts the samples that wait for this cookie; n user addresses are added to
 * their chains. */
bool perf_end_deferred(struct perf *p, uint64_t cookie, const uint8_t *chain,
                       uint64_t n, struct prof_err *err);
/* Counts the oldest samples that wait, without the rest of their chains, until
 * n are left. */
bool perf_give_up_deferred(struct perf *p, size_t n, struct prof_err *err);

/* --- profiles (perf_profile.c) -------------------------------------------- */

/* The counts of one process: n from index `at` on, after perf_divide(). */
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
 * Makes profiles of what was counted.  The time for the profile of one process
 * does not depend on the size of the others.
 */
struct perf_maker *perf_maker_new(struct perf *p, struct prof_err *err);
void perf_maker_free(struct perf_maker *m); /* null is allowed */
/* Sorts the counts by process, and sets *parts to those of each process. */
bool perf_divide(struct perf *p, struct perf_parts *parts,
                 struct prof_err *err);
/* Returns the profile of one process, or, if `part` is null, of all, which the
 * caller owns; null after a failure. */
struct profile *perf_make_profile(struct perf_maker *m,
                                  const struct perf_part *part,
                                  struct prof_err *err);

#endif
