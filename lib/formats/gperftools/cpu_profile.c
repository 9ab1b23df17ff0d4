/*
 * cpu_profile.c - CPU profiles of gperftools, as libprofiler writes them
 *
 * A file is words of the writer's pointer size and byte order (a header,
 * records, an end marker), then the list of mappings as text (maps.h):
 *
 *      0, words after this one (3 or more), version, period in
 *      microseconds, 0, ...
 *      count, depth, PC of the leaf, return addresses of its callers ...
 *      0, 1, 0
 *
 * Version 0 is native code.  Version 1 is Java: instead of mappings it has
 * lines that name frames (java.h).  Word size and byte order are found by the
 * first two words.
 *
 * A process that forks without exec leaves several such profiles in one file,
 * one after the other; they are added up, with a warning: the child has a
 * copy of all samples that were in memory at the fork.  A truncated file is
 * read up to its last whole record, with a warning.
 *
 * Samples are samples/count and cpu/nanoseconds (count times period).
 * Callers' addresses are one less than the return address, which puts them
 * inside the call.  A second frame that repeats the leaf is removed.
 *
 * Published: https://gperftools.github.io/gperftools/cpuprofile-fileformat.html
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/bytes.h"
#include "base/hash.h"
#include "base/vec.h"
#include "formats/gperftools/private.h"
#include "formats/java/java.h"
#include "formats/maps.h"
#include "formats/profiler_frames.h"
#include "formats/textprof.h"

enum { NATIVE = 0, JAVA = 1 }; /* versions */

enum {
    HEADER_WORDS = 5,
    HEADER_MIN = 3,    /* words after the second */
    HEADER_MAX = 1024, /* more are implausible */
    /*
     * A depth that exceeds the file is a truncated record up to this limit, and
     * invalid above it.  Writers stop at 254 frames or earlier.
     */
    DEPTH_MAX = 65536,
};

/* The words of a file. */
struct words {
    const uint8_t *data; /* the whole file */
    size_t n;            /* its length in bytes */
    size_t at;           /* offset of the next word */
    size_t size;         /* of a word: 4 or 8 */
    bool big_endian;
};

/* A record, and those with the same stack that were added to it. */
struct record {
    size_t at;     /* its offset */
    int64_t count; /* of all of them */
    size_t n;      /* how many they are */
};

/* To find a record by its stack, unless another one took its place. */
struct recent {
    uint32_t hash, record;
};

enum { RECENT = 1 << 13 };

/* One of several profiles in a file. */
struct part {
    struct profile *p;
    bool within; /* the largest part has all of its samples, too */
};

struct reading {
    struct words w;
    const struct import_options *options;
    const struct prof_notes *notes;
    VEC(struct part) parts; /* the profiles read so far */

    /* The part that is being read, and its header. */
    struct textprof text;
    uint64_t version;
    uint64_t micros; /* its period; options->period may be another */
    int64_t period;  /* nanoseconds that a sample stands for; 0: not known */
    bool ended;      /* the end marker was there */
    VEC(struct record) records;
    struct recent *recent; /* RECENT of them, by a hash with this seed */
    uint64_t seed;
    size_t n_frames; /* of all records */
    size_t n_zero;   /* records with a count of 0 */
    size_t n_bare;   /* records without frames */
};

static uint64_t word(const struct words *w, size_t at)
{
    const uint8_t *p = w->data + at;
    if (w->size == 4)
        return w->big_endian ? be32(p) : le32(p);
    return w->big_endian ? be64(p) : le64(p);
}

/* Returns the number of whole words left. */
static size_t words_left(const struct words *w)
{
    return (w->n - w->at) / w->size;
}

/* Returns whether the next two words begin a header. */
static bool at_header(const struct words *w)
{
    if (words_left(w) < 2 || word(w, w->at) != 0)
        return false;
    /* A nonzero number below 2^16 is at least 2^16 in the other byte order. */
    uint64_t k = word(w, w->at + w->size);
    return k > 0 && k < 1 << 16;
}

/* Sets word size and byte order to those in which a header begins; returns
 * false if no header begins here. */
static bool find_header(struct words *w)
{
    for (w->size = 4; w->size <= 8; w->size += 4) {
        for (int big = 0; big < 2; big++) {
            w->big_endian = big;
            if (at_header(w))
                return true;
        }
    }
    return false;
}

/* Returns whether the file ends inside the header that begins here. */
static bool header_is_cut(const struct words *w)
{
    size_t left = words_left(w);
    uint64_t k = word(w, w->at + w->size);
    return left < HEADER_WORDS || (k <= HEADER_MAX && left - 2 < k);
}

/* Reads the header that begins here and moves r->w.at past it. */
static bool read_header(struct reading *r, struct prof_err *err)
{
    struct words *w = &r->w;
    size_t size = w->size, at = w->at;
    uint64_t k = word(w, at + size);
    if (k < HEADER_MIN || k > HEADER_MAX)
        return err_input(err,
                         "offset %zu: invalid CPU profile header: %" PRIu64
                         " more words (expected 3 to %d)",
                         at + size, k, HEADER_MAX);
    if (header_is_cut(w))
        return err_input(
            err, "offset %zu: unexpected end of file in the header", w->n);
    r->version = word(w, at + 2 * size);
    r->micros = word(w, at + 3 * size);
    if (r->version != NATIVE && r->version != JAVA)
        return err_input(err,
                         "offset %zu: unsupported version %" PRIu64
                         " (0: native code, 1: Java)",
                         at + 2 * size, r->version);
    if (!r->options->period && (r->micros == 0 || r->micros > INT64_MAX / 1000))
        return err_input(err,
                         "offset %zu: invalid sampling period: %" PRIu64
                         " microseconds",
                         at + 3 * size, r->micros);
    uint64_t padding = word(w, at + 4 * size);
    if (padding)
        note_info(r->notes,
                  "offset %zu: the header's padding word is %" PRIu64 ", not 0",
                  at + 4 * size, padding);
    if (k > HEADER_MIN)
        note_count(r->notes, PROF_NOTE_INFO, k - HEADER_MIN,
                   "offset %zu: %" PRIu64 " extra word{s} in the header "
                   "skipped",
                   at + HEADER_WORDS * size, k - HEADER_MIN);
    w->at = at + (2 + (size_t)k) * size;
    return true;
}

static bool is_end(const struct words *w, uint64_t count, size_t depth,
                   bool zero_ends)
{
    bool is = zero_ends ? depth > 0 : count == 0 && depth == 1;
    return is && word(w, w->at + 2 * w->size) == 0;
}

/*
 * Returns whether records with plausible depths and an end marker begin here:
 * a profile without a header may follow the text of another one.
 */
static bool at_records(struct words w)
{
    size_t left;
    while ((left = words_left(&w)) > 2) {
        uint64_t count = word(&w, w.at), depth = word(&w, w.at + w.size);
        if (depth == 0 || depth > left - 2 || depth > DEPTH_MAX)
            return false;
        if (is_end(&w, count, (size_t)depth, false))
            return true;
        w.at += (2 + (size_t)depth) * w.size;
    }
    return false;
}

/*
 * Adds a record that has `depth` PCs, all within the file.  The profiler writes
 * a stack whenever another one needs its place in a small table, so often a
 * recent record has the same stack, and the count is added to that one.
 */
static bool add_record(struct reading *r, uint64_t count, size_t depth,
                       struct prof_err *err)
{
    const struct words *w = &r->w;
    const uint8_t *stack = w->data + w->at + w->size; /* its depth, and PCs */
    const size_t n = (1 + depth) * w->size;
    struct record new = {w->at, (int64_t)count, 1};
    int64_t value;
    if (count > INT64_MAX ||
        __builtin_mul_overflow(new.count, r->period, &value))
        return err_input(err,
                         "offset %zu: %" PRIu64 " samples of %" PRId64
                         " ns each exceed 64 bits",
                         w->at, count, r->period);
    r->n_zero += count == 0;
    r->n_bare += depth == 0;
    const uint64_t hash = XXH3_64bits_withSeed(stack, n, r->seed);
    struct recent *recent = &r->recent[hash % RECENT];
    struct record *old = r->records.v + recent->record;
    if (recent->hash == hash >> 32 && recent->record < r->records.n &&
        memcmp(w->data + old->at + w->size, stack, n) == 0 &&
        !__builtin_add_overflow(old->count, new.count, &new.count) &&
        !__builtin_mul_overflow(new.count, r->period, &value)) {
        old->count = new.count;
        old->n++;
        return true;
    }
    new.count = (int64_t)count;
    /* Samples whose second frames are to be removed are counted one by one. A
     * caller at address 0 is skipped, so another frame may be the second.  A
     * rewritten profile has other addresses, and mostly no stack twice. */
    const uint64_t leaf = depth < 2 ? 0 : word(w, w->at + 2 * w->size);
    const uint64_t second = depth < 2 ? 1 : word(w, w->at + 3 * w->size);
    if (!r->options->strip_signal_frames && !r->options->rewritten && second &&
        second != leaf)
        *recent =
            (struct recent){(uint32_t)(hash >> 32), (uint32_t)r->records.n};
    r->n_frames += depth;
    return vec_push(&r->records, new) || err_nomem(err);
}

/* Adds the sample of records with the same stack. */
static bool add_sample(struct reading *r, const struct record *record,
                       struct prof_err *err)
{
    const struct words *w = &r->w;
    struct textprof *t = &r->text;
    const int64_t values[2] = {record->count, record->count * r->period};
    const size_t depth = (size_t)word(w, record->at + w->size);
    /* Rewritten profiles have addresses inside the call already. */
    const bool native = r->version == NATIVE;
    const uint64_t back = native && !r->options->rewritten;
    const bool plain = w->size == 8 && !w->big_endian;
    size_t n = 0;
    t->frames.n = 0;
    if (!vec_reserve(&t->frames, depth))
        return err_nomem(err);
    for (size_t i = 0; i < depth; i++) {
        const size_t at = record->at + (2 + i) * w->size;
        const uint64_t pc = plain ? le64(w->data + at) : word(w, at);
        if (i && native && !pc)
            t->n_null += record->n;
        else if (!prof_locmap_get(&t->locs, t->p, PROF_NONE, i ? pc - back : pc,
                                  &t->frames.v[n++], err))
            return false;
    }
    return prof_add_sample(t->p, t->frames.v, n, values, 0, err);
}

/* Adds the records up to the end marker or the end of the file. */
static bool add_records(struct reading *r, struct prof_err *err)
{
    struct words *w = &r->w;
    r->n_frames = 0;
    r->seed = hash_seed();
    r->recent = mem_zarray(RECENT, sizeof *r->recent);
    if (!r->recent)
        return err_nomem(err);
    while (w->at < w->n) {
        size_t left = words_left(w);
        uint64_t count = left > 0 ? word(w, w->at) : 0;
        uint64_t depth = left > 1 ? word(w, w->at + w->size) : 0;
        if (left < 2 || depth > left - 2) {
            if (depth > DEPTH_MAX)
                return err_input(
                    err,
                    "offset %zu: invalid record: a stack cannot have %" PRIu64
                    " frames",
                    w->at + w->size, depth);
            note_count(r->notes, PROF_NOTE_LOSS, w->n - w->at,
                       "offset %zu: unexpected end of file in a record; %zu "
                       "byte{s} skipped",
                       w->n, w->n - w->at);
            w->at = w->n;
            break;
        }
        r->ended = is_end(w, count, (size_t)depth, r->options->zero_ends);
        if (!r->ended && !add_record(r, count, (size_t)depth, err))
            return false;
        w->at += (2 + (size_t)depth) * w->size;
        if (r->ended)
            break;
    }
    free(r->recent);
    r->recent = NULL;
    const struct prof_counts counts = {.samples = r->records.n,
                                       .frames = r->n_frames};
    bool ok = prof_reserve(r->text.p, &counts, err);
    for (size_t i = 0; ok && i < r->records.n; i++)
        ok = add_sample(r, &r->records.v[i], err);
    vec_free(&r->records);
    return ok;
}

/*
 * Reads the text after the records: names of Java's frames, or mappings.  It
 * ends at the first NUL, with which the header of another profile begins.  If
 * other data has the NUL, the text ends with the last whole line before it.
 */
static bool read_text(struct reading *r, struct prof_err *err)
{
    struct words *w = &r->w;
    const struct import_options *options = r->options;
    const size_t begin = w->at;
    struct prof_slice text = {(const char *)w->data + begin, w->n - begin};
    const char *nul = memchr(text.s, 0, text.n);
    if (nul)
        text.n = (size_t)(nul - text.s);
    w->at += text.n;
    if (nul && !at_header(w)) {
        while (text.n && text.s[text.n - 1] != '\n')
            text.n--;
        w->at = begin + text.n;
    }
    if (r->version == JAVA)
        return java_read_names(&r->text, text, err);
    if (!r->ended && !options->rewritten)
        note_loss(r->notes, "no end marker and no list of mappings: the "
                            "program was killed or is still running");
    else if (!text.n && !options->rewritten)
        note_loss(r->notes, "no list of mappings");
    return maps_read(text, r->text.p, options->binary, r->notes, err);
}

/* Reads the profile that begins here and moves r->w.at past it. */
static bool read_part(struct reading *r, struct prof_err *err)
{
    const struct import_options *options = r->options;
    struct profile *p = r->text.p;
    if (at_header(&r->w) && !read_header(r, err))
        return false;

    /* Rewritten profiles have lost their period. */
    r->period = options->period      ? options->period
                : options->rewritten ? 0
                                     : (int64_t)r->micros * 1000;
    if (!prof_add_type(p, "samples", "count", err))
        return false;
    if (r->period &&
        (!prof_add_type(p, "cpu", "nanoseconds", err) ||
         !textprof_period(&r->text, r->period, "cpu", "nanoseconds", err)))
        return false;

    r->ended = false;
    r->n_zero = r->n_bare = 0;
    if (!add_records(r, err))
        return false;
    note_count(r->notes, PROF_NOTE_INFO, r->n_zero,
               "%zu record{s} dropped: sample count 0", r->n_zero);
    note_count(r->notes, PROF_NOTE_WARN, r->n_bare,
               "%zu record{s} without a stack kept as {a "
               "sample|samples} without frames",
               r->n_bare);
    note_count(r->notes, PROF_NOTE_LOSS, r->text.n_null,
               "%zu caller{s} at address 0 skipped", r->text.n_null);
    if (!profiler_frames_name(p, err))
        return false;

    /* Remove second frames that the profiler left on the stack. */
    size_t n_handlers = 0, n_repeated = 0;
    if (r->version == NATIVE) {
        if (options->strip_signal_frames &&
            !profiler_frames_strip(p, &n_handlers, err))
            return false;
        n_repeated = profiler_frames_drop_repeated(p);
    }
    note_count(r->notes, PROF_NOTE_INFO, n_handlers,
               "%zu second frame{s} dropped: signal handler", n_handlers);
    note_count(r->notes, PROF_NOTE_INFO, n_repeated,
               "%zu second frame{s} dropped: equal to the leaf", n_repeated);
    return read_text(r, err);
}

/*
 * Reads all profiles from here on.  One without a header is the rest of what a
 * parent had begun to write before the fork: its child wrote the end first.
 */
static bool read_parts(struct reading *r, struct prof_err *err)
{
    const struct words *w = &r->w;
    bool more;
    do {
        bool ok = textprof_begin(&r->text, w->data, w->n, r->notes, err) &&
                  read_part(r, err);
        struct part part = {textprof_end(&r->text, ok), false};
        if (!part.p)
            return false;
        if (!vec_push(&r->parts, part)) {
            prof_delete(part.p);
            return err_nomem(err);
        }
        /* A truncated header cannot be read: stop before it. */
        more = at_header(w) ? !header_is_cut(w)
                            : !r->options->zero_ends && at_records(*w);
    } while (!r->options->first_only && more);
    if (w->at == w->n)
        return true;
    if (r->options->first_only)
        note_info(r->notes,
                  "offset %zu: the profiles after the first are skipped "
                  "(--first-only)",
                  w->at);
    else
        note_count(r->notes, PROF_NOTE_LOSS, w->n - w->at,
                   "offset %zu: %zu byte{s} skipped from here: neither text "
                   "nor a profile",
                   w->at, w->n - w->at);
    return true;
}

/* --- several profiles in one file, of a process and its children ---------- */

static size_t part_of(const struct profile *sum, struct prof_sample sample)
{
    size_t n;
    return (size_t)prof_get_labels(sum, sample.labelset, &n)->num;
}

/* Clears `within` of parts that count a stack more often than the largest. */
static void compare(const struct profile *sum, size_t largest,
                    struct part *parts)
{
    size_t n_samples = prof_count(sum).samples;
    for (size_t s = 0, end; s < n_samples; s = end) {
        struct prof_sample first = prof_get_sample(sum, s), other;
        int64_t most = 0;
        for (end = s; end < n_samples; end++) {
            other = prof_get_sample(sum, end);
            if (other.n_frames != first.n_frames ||
                (other.n_frames &&
                 memcmp(other.frames, first.frames,
                        other.n_frames * sizeof *other.frames) != 0))
                break;
            if (part_of(sum, other) == largest)
                most = other.values[0];
        }
        for (size_t i = s; i < end; i++) {
            other = prof_get_sample(sum, i);
            if (other.values[0] > most)
                parts[part_of(sum, other)].within = false;
        }
    }
}

/*
 * Sets `within` of each part whose samples the largest part (the one with the
 * most samples) also contains, at least as often per stack.  To compare them,
 * all parts are merged with a label that holds the part's number, so that equal
 * stacks are adjacent.
 */
static bool find_within(struct reading *r, struct prof_err *err)
{
    size_t largest = 0;
    int64_t most = -1, totals[2];
    for (size_t i = 0; i < r->parts.n; i++) {
        if (!prof_totals(r->parts.v[i].p, totals, err))
            return false;
        if (totals[0] > most) {
            most = totals[0];
            largest = i;
        }
    }

    struct profile *sum = NULL;
    struct prof_merger *m = prof_merge_new(NULL, err);
    bool ok = m != NULL;
    for (size_t i = 0; ok && i < r->parts.n; i++) {
        struct part *part = &r->parts.v[i];
        struct prof_label label = {.num = (int64_t)i};
        size_t n_samples = prof_count(part->p).samples;
        uint32_t set = 0;
        part->within = i != largest && n_samples;
        ok = prof_str(part->p, "part", &label.key, err) &&
             prof_labelset(part->p, &label, 1, &set, err);
        for (size_t s = 0; s < n_samples; s++)
            prof_set_labelset(part->p, s, set);
        ok = ok && prof_merge_add(m, part->p, err);
        for (size_t s = 0; s < n_samples; s++)
            prof_set_labelset(part->p, s, 0);
    }
    if (ok && (sum = prof_merge_result(m, NULL, err)))
        compare(sum, largest, r->parts.v);
    prof_delete(sum);
    prof_merge_free(m);
    return sum != NULL;
}

/*
 * Returns the sum of the profiles of the file, which have no labels.
 *
 * When a process forks without exec, parent and child share the open profile,
 * and both write their samples at its end: the child only those that it
 * inherited, because its profiling timer does not run; the parent all.  A file
 * made by `cat` looks the same.  So profiles whose samples, with their counts,
 * are all in the profile with the most samples get a warning or, with
 * no_inherited, are skipped.
 */
static struct profile *sum_parts(struct reading *r, struct prof_err *err)
{
    size_t n_within = 0;
    struct profile *out = NULL;
    struct prof_merger *sum = prof_merge_new(NULL, err);
    bool ok = sum && find_within(r, err);
    for (size_t i = 0; ok && i < r->parts.n; i++) {
        const struct part *part = &r->parts.v[i];
        n_within += part->within;
        ok = (part->within && r->options->no_inherited) ||
             prof_merge_add(sum, part->p, err);
    }
    if (ok)
        out = prof_merge_result(sum, NULL, err);
    prof_merge_free(sum);
    if (out && r->options->no_inherited)
        note_info(r->notes,
                  "the file contains %zu profiles; %zu of them only repeat "
                  "samples of another one and are skipped",
                  r->parts.n, n_within);
    else if (out)
        note_warn(r->notes,
                  "the file contains %zu profiles, probably of forked "
                  "processes; they are added",
                  r->parts.n);
    if (out && n_within && !r->options->no_inherited)
        note_warn(r->notes,
                  "%zu of %zu profiles only repeat samples inherited from a "
                  "forked parent, which count twice; use --no-inherited to "
                  "skip them",
                  n_within, r->parts.n);
    return out;
}

struct profile *cpu_read(const struct import_input *in,
                         const struct import_options *options,
                         struct prof_err *err)
{
    struct reading r = {
        .w = {.data = in->data, .n = in->n},
        .options = options,
        .notes = in->notes,
    };
    struct profile *out = NULL;
    if (!find_header(&r.w)) {
        (void)err_input(err, "not a CPU profile: no header at offset 0");
        return NULL;
    }
    bool ok = read_parts(&r, err);
    if (ok && r.parts.n > 1)
        out = sum_parts(&r, err);
    else if (ok)
        out = r.parts.v[--r.parts.n].p;
    for (size_t i = 0; i < r.parts.n; i++)
        prof_delete(r.parts.v[i].p);
    vec_free(&r.parts);
    free(r.recent);
    vec_free(&r.records);
    return out;
}

static bool cpu_begins(const uint8_t *data, size_t n)
{
    struct words w = {.data = data, .n = n};
    return find_header(&w);
}

/* Returns whether the data begins with a valid header, and reads it. */
static bool reads_header(struct reading *r, const uint8_t *data, size_t n)
{
    static const struct import_options none;
    *r = (struct reading){.w = {.data = data, .n = n}, .options = &none};
    return find_header(&r->w) && read_header(r, NULL);
}

static bool cpu_is_sound(const uint8_t *data, size_t n)
{
    struct reading r;
    return reads_header(&r, data, n);
}

bool cpu_is_rewritten(const uint8_t *data, size_t n)
{
    struct reading r;
    return reads_header(&r, data, n) && r.version == NATIVE && r.micros == 1 &&
           !at_records(r.w);
}

const struct import_format cpu_format = {
    .name = "cpu",
    IMPORT_READ_BY("prof2pb", "a gperftools CPU profile"),
    .writers = {"gperftools"},
    .begins = cpu_begins,
    .is_sound = cpu_is_sound,
};
