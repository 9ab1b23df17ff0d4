#include "stacks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "random_profile.h"
#include "unit.h"

enum { MOST = 16, ROOM = 128 };

/* A word of a stack, cut from the text. */
static size_t word(const char **at, char ends, char *to)
{
    size_t n = strcspn(*at, ends == ' ' ? " " : "< ");
    assert_true(n < ROOM);
    memcpy(to, *at, n);
    to[n] = 0;
    for (char *c = to; *c; c++)
        *c = *c == '~' ? ' ' : *c;
    *at += n;
    return n;
}

static uint32_t str(struct profile *p, const char *s)
{
    uint32_t id;
    struct prof_err err;
    assert_true(prof_str(p, s, &id, &err));
    return id;
}

static uint32_t function(struct profile *p, char *name)
{
    struct prof_function f = {0};
    char *file = strchr(name, '@');
    if (file) {
        *file = 0;
        f.filename = str(p, file + 1);
    }
    f.name = str(p, name);
    for (uint32_t i = 0; i < p->n_functions; i++)
        if (p->functions[i].name == f.name &&
            p->functions[i].filename == f.filename)
            return i;
    uint32_t index;
    struct prof_err err;
    assert_true(prof_add_function(p, &f, &index, &err));
    return index;
}

/* The location whose lines these words are; its hash is its address. */
static uint32_t location(struct profile *p, const char *text)
{
    struct prof_location l = {.mapping = PROF_NONE};
    struct prof_line lines[MOST];
    size_t n = 0;
    struct prof_err err;
    for (const char *c = text; *c && *c != ' '; c++)
        l.address = l.address * 31 + (unsigned char)*c;
    for (uint32_t i = 0; i < p->n_locations; i++)
        if (p->locations[i].address == l.address)
            return i;
    char name[ROOM];
    if (*text == '[') {
        struct prof_mapping m = {0};
        size_t len = word(&text, ' ', name);
        name[len - 1] = 0;
        m.filename = str(p, name + 1);
        assert_true(prof_add_mapping(p, &m, &l.mapping, &err));
    }
    while (*text && *text != ' ') {
        (void)word(&text, '<', name);
        assert_true(n < MOST);
        lines[n++] = (struct prof_line){.function = function(p, name)};
        text += *text == '<';
    }
    uint32_t index;
    assert_true(prof_add_location(p, &l, lines, n, &index, &err));
    return index;
}

static void add(struct profile *p, const char *stack, int64_t value,
                uint32_t set)
{
    uint32_t frames[MOST];
    size_t n = 0;
    struct prof_err err;
    if (!p->n_types)
        assert_true(prof_add_type(p, "samples", "count", &err));
    while (*stack) {
        assert_true(n < MOST);
        frames[n++] = location(p, stack);
        stack += strcspn(stack, " ");
        stack += *stack == ' ';
    }
    assert_true(prof_add_sample(p, frames, n, &value, set, &err));
}

void stacks_add(struct profile *p, const char *stack, int64_t value)
{
    add(p, stack, value, 0);
}

void stacks_add_label(struct profile *p, const char *stack, const char *key,
                      const char *text, int64_t num, const char *unit)
{
    struct prof_label l = {.key = str(p, key), .num = text ? 0 : num};
    uint32_t set;
    struct prof_err err;
    if (text)
        l.str = str(p, text);
    else if (unit)
        l.unit = str(p, unit);
    assert_true(prof_labelset(p, &l, 1, &set, &err));
    add(p, stack, 1, set);
}

const char *stacks_text(const struct profile *p)
{
    static char text[4096];
    struct prof_stacks r;
    size_t n = 0;
    text[0] = 0;
    assert_true(prof_stacks_init(&r, p, NULL));
    for (size_t s = 0; s < p->n_samples; s++) {
        prof_stacks_read(&r, s);
        for (size_t i = 0; i < r.depth; i++) {
            const struct prof_location *l = &p->locations[r.stack[i]];
            n += (size_t)snprintf(text + n, sizeof text - n, "%s%s",
                                  i ? " " : "", l->n_lines ? "" : "?");
            for (uint32_t k = 0; k < l->n_lines; k++) {
                uint32_t f = p->lines[l->line_off + k].function;
                n += (size_t)snprintf(text + n, sizeof text - n, "%s%s",
                                      k ? "<" : "",
                                      prof_cstr(p, p->functions[f].name));
            }
        }
        n += (size_t)snprintf(text + n, sizeof text - n, ";");
        assert_true(n < sizeof text);
    }
    prof_stacks_free(&r);
    return text;
}

void stacks_share(struct profile *p, bool all)
{
    uint32_t *shared = calloc(p->n_samples + 1, sizeof *shared);
    assert_non_null(shared);
    assert_null(p->shared);
    p->deepest = 0;
    for (size_t s = 0; s < p->n_samples; s++) {
        size_t m = prof_depth(p, s), n = s ? prof_depth(p, s - 1) : 0;
        const uint32_t *v = prof_stack(p, s);
        const uint32_t *before = s ? prof_stack(p, s - 1) : NULL;
        p->deepest = m > p->deepest ? m : p->deepest;
        while (s % PROF_RESTART && shared[s] < m && shared[s] < n &&
               v[m - 1 - shared[s]] == before[n - 1 - shared[s]])
            shared[s]++;
        shared[s] -= !all && s % 3 == 0 && shared[s];
    }
    /* frame_off[s] is the new end of the samples before s. */
    uint64_t from = 0;
    for (size_t s = 0; s < p->n_samples; s++) {
        uint64_t next = p->frame_off[s + 1];
        size_t own = (size_t)(next - from) - shared[s];
        memmove(p->frames + p->frame_off[s], p->frames + from,
                own * sizeof *p->frames);
        p->frame_off[s + 1] = p->frame_off[s] + own;
        from = next;
    }
    p->n_frames = (size_t)p->frame_off[p->n_samples];
    p->shared = shared;
    p->cap_shared = p->n_samples;
}

/* Returns how many frames two stacks have in common, from the root. */
static size_t common(const struct profile *p, size_t a, size_t b)
{
    size_t m = prof_depth(p, a), n = prof_depth(p, b), k = 0;
    while (k < m && k < n &&
           prof_stack(p, a)[m - 1 - k] == prof_stack(p, b)[n - 1 - k])
        k++;
    return k;
}

struct prof_layout stacks_layout(const struct profile *p,
                                 enum stacks_order kind, uint64_t seed)
{
    struct rng r = {seed};
    size_t n = 0;
    uint32_t *order = malloc((p->n_samples + 1) * sizeof *order);
    uint32_t *shared = malloc((p->n_samples + 1) * sizeof *shared);
    uint32_t *number = malloc((p->n_locations + 1) * sizeof *number);
    assert_true(order && shared && number);
    for (uint32_t s = 0; s < p->n_samples; s++)
        if (rng_below(&r, 8))
            order[n++] = s;
    for (size_t i = 0; kind != STACKS_ASCEND && i < n; i++) {
        size_t k = i + rng_below(&r, (uint32_t)(n - i));
        uint32_t s = order[i];
        order[i] = order[k];
        order[k] = s;
    }
    for (size_t i = 0; i < n; i++) {
        shared[i] = i ? (uint32_t)common(p, order[i - 1], order[i]) : 0;
        if (shared[i] && !rng_below(&r, 8))
            shared[i] -= 1 + rng_below(&r, shared[i]);
    }
    for (uint32_t i = 0; i < p->n_locations; i++)
        number[i] = (uint32_t)p->n_locations - 1 - i;
    struct prof_layout layout = {.order = order,
                                 .n_order = n,
                                 .shared = shared,
                                 .number = number,
                                 .n_number = p->n_locations};
    if (kind == STACKS_UNKNOWN) {
        free(shared);
        layout.shared = NULL;
    }
    return layout;
}

void stacks_assert_same(const struct profile *p, const struct profile *q)
{
    struct prof_stacks a, b;
    struct prof_err err;
    assert_true(prof_stacks_init(&a, p, &err));
    assert_true(prof_stacks_init(&b, q, &err));
    assert_int_equal(p->n_samples, q->n_samples);
    for (size_t s = 0; s < p->n_samples; s++) {
        prof_stacks_read(&a, s);
        prof_stacks_read(&b, s);
        assert_int_equal(a.depth, b.depth);
        if (a.depth)
            assert_memory_equal(a.stack, b.stack, a.depth * sizeof *a.stack);
    }
    prof_stacks_free(&a);
    prof_stacks_free(&b);
}
