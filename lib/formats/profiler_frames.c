/* profiler_frames.c - removes frames of profilers and allocators from stacks */
#include "formats/profiler_frames.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/slice.h"
#include "base/vec.h"

/* Names with a common beginning; a table of them ends with nulls. */
struct names {
    const char *begin; /* the common beginning, a regular expression */
    const char *ends;  /* the ends, separated by blanks; "": no end */
};

/* The namespace std, with or without the library's inline namespace. */
#define CXX_STD "std::(__\\w+::)?"

static const struct names allocator[] = {
    {"", "malloc calloc realloc valloc pvalloc memalign free cfree"},
    {"", "do_memalign (__)?posix_memalign __libc_malloc"},
    {"operator new", "(\\[\\])?"},
    {"__builtin_", "(vec_)?new (vec_)?delete"},
    {"tc_", "malloc calloc realloc valloc pvalloc memalign posix_memalign"},
    {"tc_", "free cfree delete deletearray"},
    {"tc_new", " array _nothrow array_nothrow"},
    {"tcmalloc::", ".*"},
    {"(::)?do_malloc", " _pages _no_errno"},
    {"", "DoSampledAllocation BaseArena::.* cpp_alloc"},
    {"MallocedMemBlock::", "MallocedMemBlock"},
    {"malloc_zone_", "malloc calloc realloc valloc memalign free"},
    {"", "allocate _M_allocate simple_alloc::allocate"},
    {"__malloc_alloc_template::", "allocate"},
    {"__gnu_cxx::new_allocator::", "allocate"},
    /* Names of current allocators, which pprof lacks. */
    {"", "aligned_alloc reallocarray newImpl fallbackNewImpl"},
    {"(je_)?", "imalloc imalloc_body fallback_impl prof_alloc_prep"},
    {"(je_)?", "prof_tctx_create prof_backtrace prof_backtrace_impl"},
    {"je_", "malloc calloc realloc valloc memalign posix_memalign"},
    {"je_", "aligned_alloc mallocx rallocx"},
    /*
     * Names of current C++ libraries: libstdc++ ("std::", "std::__8::") and
     * libc++ ("std::__1::").  Template arguments depend on demangling options.
     * None of these functions calls a constructor, whose allocations would then
     * be attributed to the caller.
     */
    {"__gnu_cxx::", "(new_allocator|__alloc_traits)(<.*>)?::allocate"},
    {CXX_STD, "(__new_allocator|allocator(_traits)?)(<.*>)?::allocate"},
    {CXX_STD, "allocator(_traits)?(<.*>)?::allocate_at_least"},
    {CXX_STD, "__allocate_guarded(<.*>)? __allocate_at_least(<.*>)?"},
    {CXX_STD, "__libcpp_allocate(<.*>)? __libcpp_operator_new(<.*>)?"},
    {CXX_STD, "(.*::)?_M_(allocate(_map|_buckets)?|get_node)"},
    {CXX_STD, "_Vector_base(<.*>)?::_M_create_storage"},
    {CXX_STD, "_Deque_base(<.*>)?::_M_(allocate_node|create_nodes)"},
    {CXX_STD, "basic_string(<.*>)?::_M_(create|construct)(<.*>)?"},
    {"runtime\\.", ".*"},
    {NULL, NULL},
};

/* Functions of Go's runtime that are not part of the allocator. */
static const struct names runtime[] = {
    {"runtime\\.", "panic reflectcall call[0-9]*"},
    {NULL, NULL},
};

static const struct names lock[] = {
    {"RecordLockProfileData", ""},
    {"(base::)?Record", "LockProfileData.*"},
    {"(base::)?Submit", "MutexProfileData.* SpinLockProfileData.*"},
    {"(base::Mutex::)?", "AwaitCommon.* Unlock.* UnlockSlow.* ReaderUnlock.*"},
    {"(Mutex::)?", "AwaitCommon.* Unlock.* UnlockSlow.* ReaderUnlock.*"},
    {"(base::MutexLock::)?", "~MutexLock.*"},
    {"(MutexLock::)?", "~MutexLock.*"},
    {"(SpinLock::)?", "Unlock.* SlowUnlock.*"},
    {"(SpinLockHolder::)?", "~SpinLockHolder.*"},
    {NULL, NULL},
};

static const struct names handler[] = {
    {"ProfileData::", "Add prof_handler"},
    {"CpuProfiler::", "prof_handler"},
    {"__", "pthread_sighandler restore"},
    {NULL, NULL},
};

static const struct names none[] = {{NULL, NULL}};

static const struct {
    const char *types; /* sample types, each followed by a blank */
    const struct names *drop, *keep;
} known[] = {
    {"objects space ", allocator, runtime},
    {"allocations size ", allocator, runtime},
    {"inuse_objects inuse_space ", allocator, runtime},
    {"alloc_objects alloc_space ", allocator, runtime},
    {"alloc_objects alloc_space inuse_objects inuse_space ", allocator,
     runtime},
    {"contentions delay ", lock, none},
};

/* Sets *id to the string of one expression for all names. */
static bool join(struct profile *p, const struct names *names, uint32_t *id,
                 struct prof_err *err)
{
    struct buf b = {0};
    bool ok = true;
    for (; ok && names->ends; names++) {
        const char *end = names->ends;
        size_t n;
        do {
            n = strcspn(end, " ");
            ok = ok && (!b.n || buf_putc(&b, '|')) &&
                 buf_puts(&b, names->begin) && buf_put(&b, end, n);
            end += n + 1;
        } while (end[-1]);
    }
    ok = ok ? prof_strn(p, (const char *)b.v, b.n, id, err) : err_nomem(err);
    buf_free(&b);
    return ok;
}

static bool has_types(const struct profile *p, const char *types)
{
    size_t n_types = prof_count(p).types;
    for (size_t i = 0; i < n_types; i++) {
        size_t n = strcspn(types, " ");
        struct prof_slice expected = {types, n},
                          type = prof_get_string(p, prof_get_type(p, i).type);
        if (!types[n] || !slice_same(type, expected))
            return false;
        types += n + 1;
    }
    return !*types;
}

bool profiler_frames_name(struct profile *p, struct prof_err *err)
{
    const struct names *drop = handler, *keep = none;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (has_types(p, known[i].types)) {
            drop = known[i].drop;
            keep = known[i].keep;
        }
    }
    struct prof_header header = prof_get_header(p);
    if (!join(p, drop, &header.drop_frames, err) ||
        !join(p, keep, &header.keep_frames, err))
        return false;
    prof_set_header(p, &header);
    return true;
}

enum { STRIP_PASSES = 2, STRIP_TOLERANCE = 32 };

/* Which second frames to remove. */
struct drop {
    const struct profile *p;
    uint32_t at; /* those at this location; PROF_NONE: repeated leaves */
    size_t n;    /* number of frames removed so far */
};

static size_t drop_second(void *ctx, uint32_t *frames, size_t n)
{
    struct drop *d = ctx;
    if (n < 2 ||
        (d->at == PROF_NONE ? prof_get_location(d->p, frames[0]).address !=
                                  prof_get_location(d->p, frames[1]).address + 1
                            : frames[1] != d->at))
        return n;
    memmove(frames + 1, frames + 2, (n - 2) * sizeof *frames);
    d->n++;
    return n - 1;
}

size_t profiler_frames_drop_repeated(struct profile *p)
{
    struct drop d = {p, PROF_NONE, 0};
    prof_edit_stacks(p, drop_second, &d);
    return d.n;
}

bool profiler_frames_strip(struct profile *p, size_t *n, struct prof_err *err)
{
    struct prof_counts counts = prof_count(p);
    size_t least = counts.samples - counts.samples / STRIP_TOLERANCE;
    *n = 0;
    for (int pass = 0; pass < STRIP_PASSES; pass++) {
        /* Find a location that is second in at least `least` samples. */
        struct drop d = {p, PROF_NONE, 0};
        size_t *count = mem_zarray(counts.locations, sizeof *count);
        if (!count)
            return err_nomem(err);
        for (size_t s = 0; s < counts.samples && d.at == PROF_NONE; s++) {
            struct prof_sample sample = prof_get_sample(p, s);
            if (sample.n_frames > 1 && ++count[sample.frames[1]] >= least)
                d.at = sample.frames[1];
        }
        free(count);
        if (d.at == PROF_NONE)
            break;
        prof_edit_stacks(p, drop_second, &d);
        *n += d.n;
    }
    return true;
}
