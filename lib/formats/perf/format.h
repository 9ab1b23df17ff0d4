/*
 * format.h - constants of perf.data, and reading of fields of records
 *
 * Names are those of Linux: include/uapi/linux/perf_event.h (records of the
 * kernel, perf_event_attr) and tools/lib/perf/include/perf/event.h (records of
 * perf, from PERF_FIRST_USER_TYPE on).
 */
#ifndef PROFUTILS_FORMATS_PERF_FORMAT_H
#define PROFUTILS_FORMATS_PERF_FORMAT_H

#include <stdbool.h>
#include <string.h>

#include "base/bytes.h"
#include "base/slice.h"

/* --- fields --------------------------------------------------------------- */

/*
 * A position in the fields of a record, which functions advance.  A field that
 * is not completely before `end` reads as 0 and sets `bad`.
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

/* Skips n bytes.  Returns a pointer to them; null, with `bad` set, if fewer are
 * left. */
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

/* Skips all remaining bytes.  Returns those before the first NUL. */
static inline struct prof_slice perf_string(struct perf_fields *f)
{
    const char *s = (const char *)f->at;
    size_t n = strnlen(s, perf_left(f));
    f->at = f->end;
    return (struct prof_slice){s, n};
}

/* --- numbers -------------------------------------------------------------- */

enum {
    PERF_HEADER_BYTES =
        8, /* header of a record: type (4), misc (2), size (2) */
    PERF_BRANCH_BYTES = 24,           /* of a branch in BRANCH_STACK */
    PERF_BRANCH_CALL_STACK = 1 << 11, /* bit of branch_type: only calls */
    PERF_ATTR_MIN = 64,               /* bytes of the oldest perf_event_attr */
    PERF_MAX_STACK = 127, /* frames: the default of the kernel and of perf */
    PERF_STACK_BYTES = 65528, /* most bytes that perf records of a stack */
    PERF_FIRST_USER_TYPE = 64,
    PERF_TYPES = 96,           /* more than any type of record */
    PERF_FEATURES = 256,       /* more than any number of a feature */
    PERF_EVENT_TYPE_NAME = 64, /* bytes of the name in EVENT_TYPE */
};

/* Types of records. */
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
    PERF_SWITCH = 14,
    PERF_SWITCH_CPU_WIDE = 15,
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
    PERF_MISC_SWITCH_OUT = 1 << 13,
    PERF_MISC_MMAP_BUILD_ID = 1 << 14,
    PERF_MISC_BUILD_ID_SIZE = 1 << 15,
    PERF_MISC_LOST_BY_BPF = 1 << 15,
};

/* Bits of perf_event_attr's sample_type. */
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

/* Bits of perf_event_attr's flags. */
enum {
    PERF_INHERIT = 1 << 1,
    PERF_EXCLUDE_USER = 1 << 4,
    PERF_EXCLUDE_KERNEL = 1 << 5,
    PERF_EXCLUDE_HV = 1 << 6,
    PERF_PRECISE_SHIFT = 15, /* of two bits: how exact addresses must be */
    PERF_SAMPLE_ID_ALL = 1 << 18,
    PERF_EXCLUDE_HOST = 1 << 19,
    PERF_EXCLUDE_GUEST = 1 << 20,
    PERF_CONTEXT_SWITCH = 1 << 26, /* there are SWITCH records */
};

/* Bits of perf_event_attr's read_format. */
enum { PERF_FORMAT_LOST = 1 << 4 };

/* Values of perf_event_attr's type. */
enum {
    PERF_TYPE_HARDWARE = 0,
    PERF_TYPE_SOFTWARE = 1,
    PERF_TYPE_TRACEPOINT = 2,
    PERF_TYPE_CACHE = 3, /* PERF_TYPE_HW_CACHE */
    PERF_TYPE_RAW = 4,
    PERF_TYPE_BREAKPOINT = 5,
};

/* --- records -------------------------------------------------------------- */

struct perf_record {
    uint32_t type;
    uint32_t misc;
    const uint8_t *v; /* n bytes, header included */
    size_t n;
    uint64_t offset; /* in the file, or in the decompressed data */
};

/* Sets *r to the record at v, by its header; r->offset becomes 0. */
static inline void perf_record_at(struct perf_record *r, const uint8_t *v,
                                  bool big)
{
    uint32_t misc = perf_u32_at(v + 4, big);
    *r = (struct perf_record){.type = perf_u32_at(v, big),
                              .misc = big ? misc >> 16 : misc & 0xffff,
                              .v = v,
                              .n = big ? misc & 0xffff : misc >> 16};
}

/* Returns the fields of a record, after its header. */
static inline struct perf_fields perf_fields_of(const struct perf_record *r,
                                                bool big)
{
    return (struct perf_fields){r->v + PERF_HEADER_BYTES, r->v + r->n, big,
                                false};
}

#endif
