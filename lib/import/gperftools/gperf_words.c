#include "import/gperftools/gperf_words.h"

#include <endian.h>
#include <inttypes.h>
#include <string.h>

#include "base/vec.h"
#include "profile/profile.h"

enum {
    HEADER_WORDS = 5,
    HEADER_MIN = 3,    /* words after the second */
    HEADER_MAX = 1024, /* more are not believed */
    /*
     * Below this a depth that the file does not hold is a record that was
     * cut, above it no depth.  Writers stop at 254 frames or earlier.
     */
    DEPTH_MAX = 65536,
};

struct records {
    struct locmap locs;
    VEC(uint32_t) frames;
    int64_t period;   /* nanoseconds */
    uint64_t to_call; /* from a return address back into the call */
    size_t n_zero;    /* records with a count of 0 */
    size_t n_bare;    /* records without frames */
    size_t n_null;    /* callers at address 0 */
};

static uint64_t word(const struct gperf_words *w, size_t at)
{
    if (w->size == 4) {
        uint32_t v;
        memcpy(&v, w->data + at, sizeof v);
        return w->big_endian ? be32toh(v) : le32toh(v);
    }
    uint64_t v;
    memcpy(&v, w->data + at, sizeof v);
    return w->big_endian ? be64toh(v) : le64toh(v);
}

/* Whole words that are left. */
static size_t words_left(const struct gperf_words *w)
{
    return (w->n - w->at) / w->size;
}

bool gperf_at_header(const struct gperf_words *w)
{
    if (words_left(w) < 2 || word(w, w->at) != 0)
        return false;
    /* Below 2^16 no number is one in the other byte order too. */
    uint64_t k = word(w, w->at + w->size);
    return k > 0 && k < 1 << 16;
}

bool gperf_find_header(struct gperf_words *w)
{
    for (w->size = 4; w->size <= 8; w->size += 4) {
        for (int big = 0; big < 2; big++) {
            w->big_endian = big;
            if (gperf_at_header(w))
                return true;
        }
    }
    return false;
}

bool gperf_header_is_cut(const struct gperf_words *w)
{
    size_t left = words_left(w);
    uint64_t k = word(w, w->at + w->size);
    return left < HEADER_WORDS || (k <= HEADER_MAX && left - 2 < k);
}

bool gperf_read_header(struct gperf_words *w, const struct notes *notes,
                       struct err *err)
{
    size_t size = w->size, at = w->at;
    uint64_t k = word(w, at + size);
    if (k < HEADER_MIN || k > HEADER_MAX)
        return err_set(err, ERR_INPUT,
                       "offset %zu: a header of %" PRIu64 " more words is not "
                       "that of a CPU profile (3 to %d)",
                       at + size, k, HEADER_MAX);
    if (gperf_header_is_cut(w))
        return err_set(err, ERR_INPUT,
                       "offset %zu: the file ends inside the header", w->n);
    w->version = word(w, at + 2 * size);
    w->period = word(w, at + 3 * size);
    if (w->version != GPERF_NATIVE && w->version != GPERF_JAVA)
        return err_set(err, ERR_INPUT,
                       "offset %zu: version %" PRIu64 " is not known (0 is "
                       "native code, 1 is Java)",
                       at + 2 * size, w->version);
    if (!w->asked_period && (w->period == 0 || w->period > INT64_MAX / 1000))
        return err_set(err, ERR_INPUT,
                       "offset %zu: a sampling period of %" PRIu64
                       " microseconds makes no sense",
                       at + 3 * size, w->period);
    uint64_t padding = word(w, at + 4 * size);
    if (padding)
        note_info(notes,
                  "offset %zu: the padding word of the header is %" PRIu64
                  ", not 0",
                  at + 4 * size, padding);
    if (k > HEADER_MIN)
        note_info(notes,
                  "offset %zu: %" PRIu64 " more words in the header "
                  "are passed over",
                  at + HEADER_WORDS * size, k - HEADER_MIN);
    w->at = at + (2 + (size_t)k) * size;
    return true;
}

int64_t gperf_period(const struct gperf_words *w)
{
    if (w->asked_period)
        return w->asked_period;
    return w->rewritten ? 0 : (int64_t)w->period * 1000;
}

static bool is_end(const struct gperf_words *w, uint64_t count, size_t depth)
{
    bool is = w->zero_ends ? depth > 0 : count == 0 && depth == 1;
    return is && word(w, w->at + 2 * w->size) == 0;
}

bool gperf_at_records(const struct gperf_words *from)
{
    struct gperf_words w = *from;
    size_t left;
    while ((left = words_left(&w)) > 2) {
        uint64_t count = word(&w, w.at), depth = word(&w, w.at + w.size);
        if (depth == 0 || depth > left - 2 || depth > DEPTH_MAX)
            return false;
        if (is_end(&w, count, (size_t)depth))
            return true;
        w.at += (2 + (size_t)depth) * w.size;
    }
    return false;
}

/* A record at w->at that is no end marker: depth PCs, all in the file. */
static bool add_record(const struct gperf_words *w, struct records *r,
                       uint64_t count, size_t depth, struct profile *p,
                       struct err *err)
{
    int64_t values[2] = {(int64_t)count, 0};
    if (count > INT64_MAX ||
        __builtin_mul_overflow(values[0], r->period, &values[1]))
        return err_set(err, ERR_INPUT,
                       "offset %zu: %" PRIu64 " samples of %" PRId64
                       " ns each are more than 64 bits hold",
                       w->at, count, r->period);
    r->frames.n = 0;
    if (!vec_reserve(&r->frames, depth))
        return err_nomem(err);
    size_t at = w->at + 2 * w->size;
    for (size_t i = 0; i < depth; i++, at += w->size) {
        uint64_t pc = word(w, at);
        if (i > 0 && w->version == GPERF_NATIVE) {
            if (pc == 0) {
                r->n_null++;
                continue;
            }
            pc -= r->to_call;
        }
        if (!locmap_get(&r->locs, p, PROF_NONE, pc, &r->frames.v[r->frames.n],
                        err))
            return false;
        r->frames.n++;
    }
    r->n_zero += count == 0;
    r->n_bare += depth == 0;
    return prof_add_sample(p, r->frames.v, r->frames.n, values, 0, err);
}

static bool read_all(struct gperf_words *w, struct records *r,
                     struct profile *p, const struct notes *notes,
                     struct err *err)
{
    while (w->at < w->n) {
        size_t left = words_left(w);
        uint64_t count = left > 0 ? word(w, w->at) : 0;
        uint64_t depth = left > 1 ? word(w, w->at + w->size) : 0;
        if (left < 2 || depth > left - 2) {
            if (depth > DEPTH_MAX)
                return err_set(err, ERR_INPUT,
                               "offset %zu: %" PRIu64 " frames are not a "
                               "stack's; this is no record of a CPU profile",
                               w->at + w->size, depth);
            note_loss(notes,
                      "offset %zu: the file ends inside a record, whose %zu "
                      "bytes are left out",
                      w->n, w->n - w->at);
            w->at = w->n;
            break;
        }
        w->ended = is_end(w, count, (size_t)depth);
        if (!w->ended && !add_record(w, r, count, (size_t)depth, p, err))
            return false;
        w->at += (2 + (size_t)depth) * w->size;
        if (w->ended)
            break;
    }
    return true;
}

bool gperf_read_records(struct gperf_words *w, struct profile *p,
                        const struct notes *notes, struct err *err)
{
    struct records r = {.period = gperf_period(w),
                        .to_call = w->rewritten ? 0 : 1};
    w->ended = false;
    bool ok = read_all(w, &r, p, notes, err);
    locmap_free(&r.locs);
    vec_free(&r.frames);
    if (!ok)
        return false;
    if (r.n_zero)
        note_info(notes, "%zu records count no sample", r.n_zero);
    if (r.n_bare)
        note_warn(notes, "%zu records have no stack", r.n_bare);
    if (r.n_null)
        note_loss(notes, "%zu callers at address 0 are left out", r.n_null);
    return true;
}
