/*
 * generate.c - profiles to measure with
 *
 *      generate one SAMPLES FILE [DEPTH SEED]
 *      generate many FILES DIRECTORY
 *
 * `one` is a single profile of that many distinct samples, each DEPTH (40)
 * frames deep: for 1,000,000 of them 200,000 locations in 100,000 functions,
 * and in proportion for other numbers.  Those of different SEEDs (1) are of one
 * program, and have next to no stacks in common.  `many` is files of one
 * program, 52 KB each: all together have some 12,000 distinct stacks of up to
 * 40 frames and 5,000 locations; each has 615 of these stacks, drawn by Zipf's
 * law, with ids and strings in an order of its own.  The files are called
 * 0.pb.gz and so on.
 *
 * The program behind is that of program.h.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/hash.h"
#include "base/vec.h"
#include "io/gzip.h"
#include "profile/wire/pb.h"
#include "program.h"

enum {
    DEPTH = 40,
    MANY_STACKS = 14000,
    MANY_LOCATIONS = 5300,
    MANY_FUNCTIONS = 1000,
    MANY_SAMPLES = 615,
};

static const int64_t period = 10000000; /* nanoseconds */

static int fail(const char *what, const char *why)
{
    fprintf(stderr, "generate: %s: %s\n", what, why);
    return 4;
}

static bool save(const struct profile *p, const char *path,
                 struct prof_err *err)
{
    struct buf raw = {0}, packed = {0};
    struct buf_sink to = buf_sink_of(&raw);
    struct gz *gz = gz_new();
    bool ok = gz && pb_encode(p, &to.sink, err) &&
              gz_deflate(gz, raw.v, raw.n, 6, &packed, err);
    FILE *f = ok ? fopen(path, "w") : NULL;
    ok = f && fwrite(packed.v, 1, packed.n, f) == packed.n;
    if (f && fclose(f) != 0)
        ok = false;
    gz_free(gz);
    buf_free(&raw);
    buf_free(&packed);
    return ok || err_set(err, PROF_ERR_SYSTEM, "cannot write");
}

/* n times "not there yet". */
static uint32_t *none(size_t n)
{
    uint32_t *v = mem_array(n, sizeof *v);
    if (v)
        memset(v, 0xff, n * sizeof *v);
    return v;
}

/* From numbers of the program to indices of a profile. */
struct indices {
    uint32_t *locations, *functions;
};

static bool indices_init(struct indices *to, const struct program *g,
                         struct prof_err *err)
{
    to->locations = none(g->n_locations);
    to->functions = none(g->n_functions);
    return (to->locations && to->functions) || err_nomem(err);
}

static void indices_free(struct indices *to)
{
    free(to->locations);
    free(to->functions);
}

/* Appends a sample with this stack, whose root comes first. */
static bool add(const struct program *g, struct profile *p, struct indices *to,
                const uint32_t *stack, uint32_t n, int64_t count,
                struct prof_err *err)
{
    uint32_t frames[DEPTH];
    int64_t values[2] = {count, count * period};
    for (uint32_t i = 0; i < n; i++) {
        uint32_t *l = &to->locations[stack[i]];
        if (*l == PROF_NONE &&
            !program_location(g, p, stack[i], to->functions, l, err))
            return false;
        frames[n - 1 - i] = *l;
    }
    return prof_add_sample(p, frames, n, values, 0, err);
}

/* Remembers the stack; *new unless it was there. */
static bool remember(struct hashidx *seen, const uint32_t *stack, bool *new,
                     struct prof_err *err)
{
    uint64_t hash = XXH3_64bits(stack, DEPTH * sizeof *stack);
    size_t at;
    uint32_t row;
    if (!hashidx_room(seen))
        return err_nomem(err);
    /* The row holds the rest of the hash. */
    at = hashidx_start(seen, (uint32_t)hash);
    do
        row = hashidx_next(seen, (uint32_t)hash, &at);
    while (row != HASHIDX_NONE && row != (uint32_t)(hash >> 33));
    *new = row == HASHIDX_NONE;
    if (*new)
        hashidx_put(seen, at, (uint32_t)hash, (uint32_t)(hash >> 33));
    return true;
}

/* How often a stack was seen: n or more with a chance of 1 in n. */
static int64_t weight(uint64_t *state)
{
    return 1 + (int64_t)(0xffffffff / ((program_random(state) >> 32) + 1));
}

/* How many frames a stack shares with the one before: the greater of two. */
static uint32_t shared(uint64_t *state)
{
    uint64_t r = program_random(state);
    uint32_t a = (uint32_t)r % DEPTH, b = (uint32_t)(r >> 32) % DEPTH;
    return a > b ? a : b;
}

static bool one(uint32_t n, uint32_t depth, uint64_t seed, const char *path,
                struct prof_err *err)
{
    struct program g = program_of(n / 5 + n / 160, n / 10, DEPTH);
    struct profile p = {0};
    struct hashidx seen = {0};
    struct indices to = {0};
    uint64_t state = seed;
    uint32_t stack[DEPTH] = {0};
    bool ok = program_begin(&p, err) && indices_init(&to, &g, err);
    while (ok && p.n_samples < n) {
        bool new;
        program_stack(&g, stack, p.n_samples ? shared(&state) % depth : 0,
                      depth, &state);
        ok = remember(&seen, stack, &new, err) &&
             (!new || add(&g, &p, &to, stack, depth, weight(&state), err));
    }
    ok = ok && save(&p, path, err);
    indices_free(&to);
    hashidx_free(&seen);
    prof_free(&p);
    return ok;
}

struct stack {
    uint32_t n, frames[DEPTH];
};

/* A number below n; k comes about 1/k as often as 1: Zipf's law. */
static uint32_t draw(uint32_t n, uint64_t *state)
{
    double u = (double)(program_random(state) >> 11) / (double)(1LL << 53);
    return (uint32_t)(pow(n + 1, u) - 1);
}

/* All stacks that any of the files has. */
static struct stack *all_stacks(const struct program *g)
{
    uint64_t state = 2;
    struct stack *v = mem_array(MANY_STACKS, sizeof *v);
    for (size_t i = 0; v && i < MANY_STACKS; i++) {
        uint32_t k = i ? shared(&state) : 0;
        v[i].n = DEPTH / 4 +
                 (uint32_t)(program_random(&state) % (3 * DEPTH / 4 + 1));
        if (i && k > v[i - 1].n)
            k = v[i - 1].n;
        if (k > v[i].n)
            k = v[i].n;
        if (k)
            memcpy(v[i].frames, v[i - 1].frames, k * sizeof *v[i].frames);
        program_stack(g, v[i].frames, k, v[i].n, &state);
    }
    return v;
}

/* One of the files: stacks in the order in which they were drawn first. */
static bool draw_profile(const struct program *g, const struct stack *stacks,
                         struct profile *p, struct indices *to, uint64_t *state,
                         struct prof_err *err)
{
    int64_t counts[MANY_STACKS] = {0};
    uint32_t order[MANY_SAMPLES];
    size_t n = 0;
    while (n < MANY_SAMPLES) {
        uint32_t i = draw(MANY_STACKS, state);
        if (!counts[i]++)
            order[n++] = i;
    }
    for (size_t i = 0; i < n; i++) {
        const struct stack *s = &stacks[order[i]];
        if (!add(g, p, to, s->frames, s->n, counts[order[i]], err))
            return false;
    }
    return true;
}

static bool many(uint32_t n, const char *directory, struct prof_err *err)
{
    struct program g = program_of(MANY_LOCATIONS, MANY_FUNCTIONS, DEPTH);
    struct stack *stacks = all_stacks(&g);
    uint64_t state = 3;
    bool ok = stacks ? true : err_nomem(err);
    for (uint32_t i = 0; ok && i < n; i++) {
        struct profile p = {0};
        struct indices to = {0};
        char path[4096];
        snprintf(path, sizeof path, "%s/%u.pb.gz", directory, i);
        ok = program_begin(&p, err) && indices_init(&to, &g, err) &&
             draw_profile(&g, stacks, &p, &to, &state, err) &&
             save(&p, path, err);
        indices_free(&to);
        prof_free(&p);
    }
    free(stacks);
    return ok;
}

int main(int argc, char **argv)
{
    struct prof_err err;
    unsigned long n = argc >= 4 ? strtoul(argv[2], NULL, 10) : 0;
    unsigned long depth = argc == 6 ? strtoul(argv[4], NULL, 10) : DEPTH;
    unsigned long seed = argc == 6 ? strtoul(argv[5], NULL, 10) : 1;
    bool is_one = (argc == 4 || argc == 6) && !strcmp(argv[1], "one");
    bool is_many = argc == 4 && !strcmp(argv[1], "many");
    if (!(is_one || is_many) || n < (is_one ? 500 : 1) || n > 100000000 ||
        depth < 3 || depth > DEPTH) {
        fputs("usage: generate one|many N TO [DEPTH SEED]\n", stderr);
        return 2;
    }
    bool ok = is_one ? one((uint32_t)n, (uint32_t)depth, seed, argv[3], &err)
                     : many((uint32_t)n, argv[3], &err);
    return ok ? 0 : fail(argv[3], err.text);
}
