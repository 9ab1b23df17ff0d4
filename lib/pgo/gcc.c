/*
 * gcc.c - writes the file that gcc reads with -fauto-profile, versions 2 and 3
 *
 * It consists of 32-bit words in the byte order of the machine, and of counts,
 * which are two words, the low one first:
 *
 *   magic, version, 0
 *   summary   version 3 only: tag, sum of all counts, the largest, the largest
 *             of calls, number of counts, number of functions, number of
 *             shares (all counts); for each share: millionths (a word), the
 *             least of the largest counts that have this share together, and
 *             how many they are
 *   names     tag, bytes that follow;
 *             version 3: number of files, their strings;
 *             number of names; for each its string, version 3: and its file
 *   functions tag, bytes that follow, number; for each: calls (a count),
 *             version 3: when it was first called (a count), instance
 *   modules   tag, bytes that follow, 0
 *
 *   string    bytes with the NUL, bytes
 *   instance  name, number of places, number of inlined ones;
 *             for each place: position, 0 (targets of indirect calls), count;
 *             for each inlined one: position, instance
 *
 * A position is the offset of a line in the upper half, and a discriminator in
 * the lower. gcc asserts that no name has index 0, and treats a string of 0
 * bytes as missing.  Samples have no times, so the time of a first call is
 * always 0, which means unknown.
 *
 * gcc 16 looks up a function by name and file, then by name without a file.
 * It compares file names without directories, so files that differ only in
 * their directories are the same to it: each base name is written once.
 */
#include <stdlib.h>

#include "base/sort.h"
#include "pgo/private.h"

enum { MAGIC = 0x67636461 };

/* gcc 12 and older write discriminators into debug information, but ignore them
 * when they read a profile (gcc/auto-profile.cc): they would not find a place
 * that has one. gcc 16 may count the copies of an instruction above the first
 * eight bits. */
enum { FIRST_READING = 13, FIRST_COUNTING = 16 };

static uint32_t gcc_discriminator(const struct sym_discriminator *d)
{
    return d->gcc < FIRST_READING
               ? 0
               : d->value & (d->gcc < FIRST_COUNTING ? 0xffff : 0xff);
}

#define TAG_SUMMARY 0xa8000000u
#define TAG_NAMES 0xaa000000u
#define TAG_FUNCTIONS 0xac000000u
#define TAG_MODULES 0xae000000u
#define NO_FILE UINT32_MAX

/* The shares of the summary, in millionths. gcc expects 16 of them. */
static const uint32_t shares[] = {
    10000,  100000, 200000, 300000, 400000, 500000, 600000, 700000,
    800000, 900000, 950000, 990000, 999000, 999900, 999990, 999999,
};
enum { N_SHARES = sizeof shares / sizeof *shares, MILLION = 1000000 };

struct file {
    const struct pgo_lines *lines;
    int version;
    struct buf summary, names, functions, modules;
};

static bool put_word(struct buf *to, uint32_t word)
{
    return buf_put(to, &word, sizeof word);
}

static bool put_count(struct buf *to, uint64_t count)
{
    return put_word(to, (uint32_t)count) &&
           put_word(to, (uint32_t)(count >> 32));
}

static bool put_position(struct buf *to, struct pgo_position at)
{
    return put_word(to, at.offset << 16 | at.discriminator);
}

static bool put_string(struct buf *to, struct prof_slice s)
{
    return put_word(to, (uint32_t)s.n + 1) && buf_put(to, s.s, s.n) &&
           buf_putc(to, '\0');
}

static int compare_counts(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return ORDER(y, x);
}

/*
 * Appends, for each share, how many of the largest counts it takes to reach it,
 * and the least of them.  `counts` begins with the largest.
 */
static bool put_shares(struct buf *to, const uint64_t *counts, size_t n,
                       uint64_t total)
{
    uint64_t sum = 0;
    size_t seen = 0;
    bool ok = true;
    for (size_t k = 0; ok && k < N_SHARES; k++) {
        /* Rounds down.  The product must not exceed 64 bits. */
        const uint64_t wanted =
            total / MILLION * shares[k] + total % MILLION * shares[k] / MILLION;
        /* Equal counts are all hot or all cold. */
        while (seen < n &&
               (sum < wanted || (seen && counts[seen] == counts[seen - 1])))
            sum += counts[seen++];
        ok = put_word(to, shares[k]) &&
             put_count(to, seen ? counts[seen - 1] : 0) && put_count(to, seen);
    }
    return ok;
}

static bool put_summary(struct buf *to, const struct pgo_lines *lines)
{
    const size_t n = lines->places.n;
    uint64_t *counts = mem_array(n, sizeof *counts);
    uint64_t total = 0, calls = 0;
    if (!counts)
        return false;
    for (size_t i = 0; i < n; i++)
        total += counts[i] = lines->places.v[i].count;
    qsort(counts, n, sizeof *counts, compare_counts);
    for (size_t i = 0; i < lines->instances.n; i++) {
        const struct pgo_instance *in = &lines->instances.v[i];
        if (in->parent == PROF_NONE && in->head > calls)
            calls = in->head;
    }
    const bool ok = put_word(to, TAG_SUMMARY) && put_count(to, total) &&
                    put_count(to, n ? counts[0] : 0) && put_count(to, calls) &&
                    put_count(to, n) && put_count(to, lines->n_roots) &&
                    put_count(to, N_SHARES) && put_shares(to, counts, n, total);
    free(counts);
    return ok;
}

/* Appends the files of names, each once, and sets `file` for each name. */
static bool put_files(struct buf *to, const struct pgo_lines *lines,
                      uint32_t *file)
{
    struct map rows = {0};
    struct buf strings = {0};
    uint32_t n = 0;
    bool ok = true;
    for (size_t i = 0; ok && i < lines->names.n; i++) {
        const struct prof_slice s = lines->names.v[i].file;
        bool is_new = false;
        file[i] = NO_FILE;
        ok = !s.n || map_add(&rows, s.s, s.n, &file[i], &is_new);
        if (ok && is_new) {
            ok = put_string(&strings, s);
            n++;
        }
    }
    ok = ok && put_word(to, n) && buf_put(to, strings.v, strings.n);
    map_free(&rows);
    buf_free(&strings);
    return ok;
}

static bool put_names(struct buf *to, const struct pgo_lines *lines,
                      int version)
{
    const size_t n = lines->names.n;
    uint32_t *file = mem_array(n + 1, sizeof *file);
    bool ok = file && (version < 3 || put_files(to, lines, file)) &&
              put_word(to, (uint32_t)n + 1) &&
              put_string(to, (struct prof_slice){"", 0}) &&
              (version < 3 || put_word(to, NO_FILE));
    for (size_t i = 0; ok && i < n; i++)
        ok = put_string(to, lines->names.v[i].name) &&
             (version < 3 || put_word(to, file[i]));
    free(file);
    return ok;
}

static bool put_instance(struct buf *to, const struct pgo_lines *lines,
                         const struct pgo_instance *in, int version)
{
    bool ok = in->parent == PROF_NONE
                  ? put_count(to, in->head) && (version < 3 || put_count(to, 0))
                  : put_position(to, in->at);
    ok = ok && put_word(to, in->name + 1) && put_word(to, in->n_places) &&
         put_word(to, in->n_children);
    for (uint32_t i = 0; ok && i < in->n_places; i++) {
        const struct pgo_place *place = &lines->places.v[in->first_place + i];
        ok = put_position(to, place->at) && put_word(to, 0) &&
             put_count(to, place->count);
    }
    return ok;
}

static bool make_sections(struct file *f)
{
    const struct pgo_lines *lines = f->lines;
    bool ok = (f->version < 3 || put_summary(&f->summary, lines)) &&
              put_names(&f->names, lines, f->version) &&
              put_word(&f->functions, lines->n_roots) &&
              put_word(&f->modules, 0);
    for (size_t i = 0; ok && i < lines->instances.n; i++)
        ok = put_instance(&f->functions, lines,
                          &lines->instances.v[lines->order[i]], f->version);
    return ok;
}

static bool put_section(struct sink *to, uint32_t tag, const struct buf *body,
                        struct prof_err *err)
{
    if (body->n > UINT32_MAX)
        return err_input(
            err, "the profile exceeds 2^32 bytes, the limit of gcc's format");
    const uint32_t head[] = {tag, (uint32_t)body->n};
    return sink_write(to, head, sizeof head, err) &&
           sink_write(to, body->v, body->n, err);
}

bool pgo_gcc_file(const struct pgo_source *from, int version, struct sink *to,
                  struct prof_err *err)
{
    struct pgo_lines lines = {0};
    struct file f = {.lines = &lines, .version = version};
    const uint32_t head[] = {MAGIC, (uint32_t)version, 0};
    const bool ok = pgo_lines_read(from, gcc_discriminator, &lines, err) &&
                    (make_sections(&f) || err_nomem(err)) &&
                    sink_write(to, head, sizeof head, err) &&
                    sink_write(to, f.summary.v, f.summary.n, err) &&
                    put_section(to, TAG_NAMES, &f.names, err) &&
                    put_section(to, TAG_FUNCTIONS, &f.functions, err) &&
                    put_section(to, TAG_MODULES, &f.modules, err);
    buf_free(&f.summary);
    buf_free(&f.names);
    buf_free(&f.functions);
    buf_free(&f.modules);
    pgo_lines_free(&lines);
    return ok;
}
