#include "program.h"

#include <stdio.h>

enum { CALLEES = 4, LINES = 7 };

static const uint64_t text_start = 0x400000;

/* splitmix64 (public domain, by Sebastiano Vigna). */
uint64_t program_random(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15U;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9U;
    z = (z ^ z >> 27) * 0x94d049bb133111ebU;
    return z ^ z >> 31;
}

/* A number that belongs to this one. */
static uint64_t scramble(uint64_t number)
{
    return program_random(&number);
}

struct program program_of(uint32_t n_locations, uint32_t n_functions,
                          uint32_t depth)
{
    struct program g = {n_locations, n_functions, depth, {0}};
    uint32_t width = 1;
    for (uint32_t d = 0; d < depth; d++) {
        uint32_t share = (n_locations - g.first[d]) / (depth - d);
        g.first[d + 1] = g.first[d] + (width < share ? width : share);
        width = width < share ? width + (width + 2) / 3 : width;
    }
    return g;
}

/*
 * The k-th location that location l of level d calls: two are just below it,
 * the third is anywhere, but mostly among the first of the level, where the
 * third of others is too, and the last is anywhere.
 */
static uint32_t callee(const struct program *g, uint32_t d, uint32_t l,
                       uint32_t k)
{
    uint64_t width = g->first[d + 1] - g->first[d];
    uint64_t next = g->first[d + 2] - g->first[d + 1];
    uint64_t at = (l - g->first[d]) * next / width + k;
    uint64_t u = scramble((uint64_t)l * CALLEES + k) >> 32;
    if (k == 2)
        at = ((((u * u >> 32) * u >> 32) * u >> 32) * next) >> 32;
    else if (k == 3)
        at = u * next >> 32;
    return g->first[d + 1] + (uint32_t)(at % next);
}

/* Which of them a walk goes to. */
static uint32_t choice(uint64_t random)
{
    uint64_t r = random % 64;
    return r < 46 ? 0 : r < 53 ? 1 : r < 63 ? 2 : 3;
}

void program_stack(const struct program *g, uint32_t *stack, uint32_t k,
                   uint32_t n, uint64_t *state)
{
    stack[0] = 0;
    for (uint32_t d = k ? k - 1 : 0; d + 1 < n; d++)
        stack[d + 1] = callee(g, d, stack[d], choice(program_random(state)));
}

bool program_begin(struct profile *p, struct prof_err *err)
{
    struct prof_mapping m = {
        .id = 1,
        .start = text_start,
        .limit = text_start + 0x8000000,
        .has_functions = true,
        .has_filenames = true,
        .has_line_numbers = true,
    };
    return prof_init(p, err) && prof_add_type(p, "samples", "count", err) &&
           prof_add_type(p, "cpu", "nanoseconds", err) &&
           prof_str(p, "/srv/bin/server", &m.filename, err) &&
           prof_add_mapping(p, &m, NULL, err);
}

static bool function(struct profile *p, uint32_t number, uint32_t *index,
                     struct prof_err *err)
{
    static const char *const verbs[] = {"Read",  "Encode", "Lookup",  "Merge",
                                        "Serve", "Commit", "Resolve", "Walk"};
    static const char *const nouns[] = {"Buffer", "Request", "Index", "Record",
                                        "Lease",  "Segment", "Query", "Shard"};
    char name[120], file[120];
    uint64_t r = scramble(number);
    const char *type = nouns[scramble(number / 5) & 7];
    unsigned package = number / 20;
    struct prof_function f = {.id = p->n_functions + 1,
                              .start_line = (int64_t)(r >> 40 & 0x3ff) + 1};
    snprintf(name, sizeof name,
             "example.com/server/internal/pkg%u.(*%s%uHandler).%s%s%u", package,
             type, number / 5, verbs[r & 7], nouns[r >> 3 & 7], number);
    snprintf(file, sizeof file,
             "/build/src/example.com/server/internal/pkg%u/%s%u_handler.go",
             package, type, number / 5);
    if (!prof_str(p, name, &f.name, err) ||
        !prof_str(p, file, &f.filename, err))
        return false;
    f.system_name = f.name;
    return prof_add_function(p, &f, index, err);
}

bool program_location(const struct program *g, struct profile *p,
                      uint32_t location, uint32_t *functions, uint32_t *index,
                      struct prof_err *err)
{
    uint32_t number = location % g->n_functions;
    if (functions[number] == PROF_NONE &&
        !function(p, number, &functions[number], err))
        return false;
    struct prof_location l = {
        .id = p->n_locations + 1,
        .address = text_start + (uint64_t)number * 512 +
                   (uint64_t)(location / g->n_functions) * 37 + 16,
    };
    struct prof_line line = {
        .line = (int64_t)(scramble(location) >> 50) + LINES,
        .function = functions[number],
    };
    return prof_add_location(p, &l, &line, 1, index, err);
}
