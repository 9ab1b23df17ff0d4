/* profiler_frames.c - frames that profilers and allocators leave on stacks */
#include "formats/profiler_frames.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/vec.h"
#include "profile/model/text.h"

/* Names that begin alike; a table of them ends with null names. */
struct names {
    const char *begin; /* of each, an expression */
    const char *ends;  /* with a blank between; "" is the beginning alone */
};

/* The standard library, with the namespace of its version. */
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
    /* What pprof does not have: names of today's allocators. */
    {"", "aligned_alloc reallocarray newImpl fallbackNewImpl"},
    {"(je_)?", "imalloc imalloc_body fallback_impl prof_alloc_prep"},
    {"(je_)?", "prof_tctx_create prof_backtrace prof_backtrace_impl"},
    {"je_", "malloc calloc realloc valloc memalign posix_memalign"},
    {"je_", "aligned_alloc mallocx rallocx"},
    /*
     * And of today's C++ libraries: libstdc++ ("std::", "std::__8::"), libc++
     * ("std::__1::").  A template has its arguments if they were asked for.
     * None of them calls a constructor: what that allocates is its caller's.
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

/* Of Go's runtime, what is not the allocator. */
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
    const char *types; /* of samples, each with a blank behind it */
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

static bool put_names(struct buf *b, const struct names *names)
{
    for (; names->ends; names++) {
        const char *end = names->ends;
        for (;;) {
            size_t n = strcspn(end, " ");
            if ((b->n && !buf_putc(b, '|')) || !buf_puts(b, names->begin) ||
                !buf_put(b, end, n))
                return false;
            if (!end[n])
                break;
            end += n + 1;
        }
    }
    return true;
}

/* All names as one expression, interned. */
static bool join(struct profile *p, const struct names *names, uint32_t *id,
                 struct prof_err *err)
{
    struct buf b = {0};
    bool ok = put_names(&b, names) || err_nomem(err);
    ok = ok && prof_strn(p, (const char *)b.v, b.n, id, err);
    buf_free(&b);
    return ok;
}

static bool has_types(const struct profile *p, const char *types)
{
    for (size_t i = 0; i < p->n_types; i++) {
        size_t n = strcspn(types, " ");
        struct prof_slice expected = {types, n},
                          type = prof_text(p, p->types[i].type);
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
    return join(p, drop, &p->drop_frames, err) &&
           join(p, keep, &p->keep_frames, err);
}

enum { STRIP_PASSES = 2, STRIP_TOLERANCE = 32 };

/* Takes out second frames: those at `strip`, or, for PROF_NONE, repeats. */
static size_t drop_second(struct profile *p, uint32_t strip)
{
    uint64_t to = 0, from = 0;
    for (size_t s = 0; s < p->n_samples; s++) {
        uint64_t end = p->frame_off[s + 1];
        bool drop = false;
        if (end - from > 1) {
            uint32_t leaf = p->frames[from], second = p->frames[from + 1];
            drop = strip == PROF_NONE ? p->locations[leaf].address ==
                                            p->locations[second].address + 1
                                      : second == strip;
        }
        for (uint64_t i = from; i < end; i++)
            if (!drop || i != from + 1)
                p->frames[to++] = p->frames[i];
        from = end;
        p->frame_off[s + 1] = to;
    }
    size_t n_dropped = p->n_frames - (size_t)to;
    p->n_frames = (size_t)to;
    return n_dropped;
}

size_t profiler_frames_drop_repeated(struct profile *p)
{
    return drop_second(p, PROF_NONE);
}

/* The location that is second in at least `least` samples, or PROF_NONE. */
static uint32_t common_second(const struct profile *p, size_t *count,
                              size_t least)
{
    for (size_t s = 0; s < p->n_samples; s++) {
        if (prof_depth(p, s) < 2)
            continue;
        uint32_t second = prof_stack(p, s)[1];
        if (++count[second] >= least)
            return second;
    }
    return PROF_NONE;
}

bool profiler_frames_strip(struct profile *p, size_t *n, struct prof_err *err)
{
    *n = 0;
    size_t least = p->n_samples - p->n_samples / STRIP_TOLERANCE;
    for (int pass = 0; pass < STRIP_PASSES; pass++) {
        size_t *count = mem_zarray(p->n_locations, sizeof *count);
        if (!count)
            return err_nomem(err);
        uint32_t second = common_second(p, count, least);
        free(count);
        if (second == PROF_NONE)
            break;
        *n += drop_second(p, second);
    }
    return true;
}
