#include "random_profile.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "profile/wire/pb.h"
#include "unit.h"

enum {
    N_TYPES = 3,
    N_MAPPINGS = 6,
    N_FUNCTIONS = 12,
    N_LOCATIONS = 40,
    N_LABELS = 10,
    MAX_DEPTH = 7,
};

uint64_t rng_next(struct rng *r)
{
    uint64_t z = r->state += 0x9e3779b97f4a7c15U;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9U;
    z = (z ^ z >> 27) * 0x94d049bb133111ebU;
    return z ^ z >> 31;
}

uint32_t rng_below(struct rng *r, uint32_t n)
{
    return (uint32_t)((rng_next(r) >> 32) * n >> 32);
}

bool rng_one_in(struct rng *r, uint32_t n)
{
    return rng_below(r, n) == 0;
}

uint64_t rng_rounds(uint64_t n)
{
#if defined __has_feature
#if __has_feature(address_sanitizer)
#define __SANITIZE_ADDRESS__
#endif
#endif
#ifdef __SANITIZE_ADDRESS__
    return n / 4;
#else
    return n;
#endif
}

uint64_t rng_any(struct rng *r)
{
    uint32_t shift = rng_below(r, 64);
    return rng_next(r) >> shift;
}

static const char *const type_names[N_TYPES][2] = {
    {"samples", "count"}, {"cpu", "nanoseconds"}, {"alloc", "bytes"}};

struct sample {
    uint32_t depth, stack[MAX_DEPTH]; /* locations of the world */
    uint32_t n_labels, labels[4];
    int64_t values[N_TYPES]; /* by type of the world */
};

/* What a profile says. */
struct content {
    struct rng rng;
    int64_t sign; /* of all values */
    uint32_t n_types, types[N_TYPES];
    uint64_t start[N_MAPPINGS];
    uint32_t first; /* mapping, or N_MAPPINGS */
    VEC(struct sample) samples;
};

/* How it is said, while it is put together. */
struct making {
    const struct content *c;
    struct rng rng;
    struct profile *p;
    uint32_t mapping[N_MAPPINGS][2], function[N_FUNCTIONS][2];
    uint32_t location[N_LOCATIONS][2];
    struct prof_err err;
};

#define MUST(call) assert_true(call)

static uint32_t str(struct making *m, const char *s)
{
    uint32_t id;
    MUST(prof_str(m->p, s, &id, &m->err));
    return id;
}

static uint32_t strf(struct making *m, const char *fmt, uint32_t k)
{
    char text[64];
    (void)snprintf(text, sizeof text, fmt, k);
    return str(m, text);
}

static void shuffle(struct rng *r, uint32_t *v, uint32_t n)
{
    for (uint32_t i = n; i > 1; i--) {
        uint32_t j = rng_below(r, i), t = v[j];
        v[j] = v[i - 1];
        v[i - 1] = t;
    }
}

/* --- the world ------------------------------------------------------------ */

/*
 * Mappings 0, 1 and 5 differ in offset and size alone, 2 has a build id and
 * a name that differs from profile to profile, 3 a build id alone, 4 neither.
 */
static uint32_t add_mapping(struct making *m, uint32_t k)
{
    struct prof_mapping map = {
        .id = rng_any(&m->rng),
        .start = m->c->start[k],
        .limit = m->c->start[k] + (k == 5 ? 0x3001 : 0x1800),
        .offset = k == 1 ? 0x2000 : 0,
        .has_functions = k & 1,
    };
    if (k < 2 || k == 5)
        map.filename = str(m, "/bin/\xc3\xa4\xff");
    else if (k == 2)
        map.filename = strf(m, "/lib/copy%u", (uint32_t)m->c->start[k] >> 16);
    if (k == 2 || k == 3)
        map.build_id = strf(m, "%08x", k);
    uint32_t index;
    MUST(prof_add_mapping(m->p, &map, &index, &m->err));
    return index;
}

/* The second half are those of the first but for one detail. */
static uint32_t add_function(struct making *m, uint32_t k)
{
    uint32_t base = k % (N_FUNCTIONS / 2), twist = k == base ? 4 : base % 4;
    struct prof_function f = {
        .id = rng_any(&m->rng),
        .name = strf(m, "f%u", base + (twist == 0 ? 10 : 0)),
        .system_name = strf(m, "_Z1f%u", base + (twist == 1 ? 10 : 0)),
        .start_line = (int64_t)base - 2 + (twist == 2 ? 10 : 0),
    };
    if (base)
        f.filename = strf(m, "f%u.c", base + (twist == 3 ? 10 : 0));
    uint32_t index;
    MUST(prof_add_function(m->p, &f, &index, &m->err));
    return index;
}

/*
 * Some have a mapping, some lines, most both, and one neither.  The second
 * half are those of the first but for one detail.
 */
static uint32_t add_location(struct making *m, uint32_t k)
{
    uint32_t base = k % (N_LOCATIONS / 2), twist = k == base ? 5 : base % 5;
    struct prof_location l = {.id = rng_any(&m->rng),
                              .is_folded = (base % 13 == 0) != (twist == 0),
                              .mapping = PROF_NONE};
    struct prof_line lines[4];
    size_t n = (base % 10 == 0 ? 0 : base % 4) + (twist == 1);
    l.address = base / N_MAPPINGS * UINT64_C(0x40) + (twist == 2);
    if (base % 7) {
        uint32_t map = base % N_MAPPINGS;
        l.mapping = m->mapping[map][rng_below(&m->rng, 2)];
        l.address += m->c->start[map];
    }
    for (size_t i = 0; i < n; i++) {
        uint32_t f = (base * 5 + (uint32_t)i) % N_FUNCTIONS;
        lines[i] = (struct prof_line){
            .line = (int64_t)(base % 3) - 1 + (twist == 3 ? 10 : 0),
            .column = (int64_t)(base % 2 * i) + (twist == 4 ? 10 : 0),
            .function =
                base % 11 ? m->function[f][rng_below(&m->rng, 2)] : PROF_NONE};
    }
    uint32_t index;
    MUST(prof_add_location(m->p, &l, lines, n, &index, &m->err));
    return index;
}

/* Strings and numbers, with units and without, some under one key. */
static struct prof_label make_label(struct making *m, uint32_t k)
{
    static const char *const units[] = {"", "bytes", "requests"};
    struct prof_label l = {.key = strf(m, "key%u", k % 4)};
    if (k % 3)
        l.str = strf(m, "value%u", k);
    else
        l = (struct prof_label){.key = l.key,
                                .num = (int64_t)k - 4,
                                .unit = str(m, units[k % 3 + (k > 5)])};
    return l;
}

/* --- content -------------------------------------------------------------- */

static void choose_types(struct content *c, const struct random_opts *opts)
{
    uint32_t all[N_TYPES] = {0, 1, 2};
    c->n_types = N_TYPES;
    if (opts->types == RANDOM_TYPES_SUBSETS) {
        shuffle(&c->rng, all + 1, N_TYPES - 1);
        c->n_types = 1 + rng_below(&c->rng, N_TYPES);
    }
    shuffle(&c->rng, all, c->n_types);
    memcpy(c->types, all, sizeof all);
}

static void choose_samples(struct content *c, const struct random_opts *opts)
{
    struct rng *r = &c->rng;
    uint32_t max = opts->max_samples ? opts->max_samples : 24;
    for (uint32_t n = rng_below(r, max + 1); n; n--) {
        struct sample s = {.depth = rng_below(r, MAX_DEPTH + 1)};
        uint32_t n_labels = rng_below(r, 8);
        s.n_labels = n_labels > 4 ? 0 : n_labels;
        for (uint32_t i = 0; i < s.depth; i++)
            s.stack[i] = rng_below(r, N_LOCATIONS);
        for (uint32_t i = 0; i < s.n_labels; i++)
            s.labels[i] = rng_below(r, N_LABELS);
        for (uint32_t i = 0; i < c->n_types; i++) {
            int64_t v = rng_one_in(r, 4) ? 0 : rng_below(r, 1000);
            if (opts->negative)
                v = c->sign * ((int64_t)rng_below(r, 5) - 2);
            s.values[c->types[i]] = v;
        }
        MUST(vec_push(&c->samples, s));
    }
}

static void choose(struct content *c, uint64_t seed,
                   const struct random_opts *opts)
{
    struct rng starts = {opts->fixed ? 0 : seed};
    c->rng.state = seed / 2;
    c->sign = seed % 2 ? -1 : 1;
    choose_types(c, opts);
    for (uint32_t k = 0; k < N_MAPPINGS; k++)
        c->start[k] = (uint64_t)0x10000 * (1 + rng_below(&starts, 9) + 16 * k);
    c->first = rng_below(&c->rng, N_MAPPINGS);
    choose_samples(c, opts);
}

/* --- arrangement ---------------------------------------------------------- */

/* Each entity of the world once or twice, in any order. */
static void place(struct making *m, uint32_t (*index)[2], uint32_t n,
                  uint32_t (*add)(struct making *, uint32_t), uint32_t first)
{
    uint32_t order[2 * N_LOCATIONS];
    for (uint32_t i = 0; i < n; i++) {
        order[i] = order[n + i] = i;
        index[i][0] = index[i][1] = PROF_NONE;
    }
    shuffle(&m->rng, order, 2 * n);
    if (first < n)
        index[first][0] = index[first][1] = add(m, first);
    for (uint32_t i = 0; i < 2 * n; i++) {
        uint32_t *to = index[order[i]];
        if (to[0] == PROF_NONE)
            to[0] = to[1] = add(m, order[i]);
        else if (rng_one_in(&m->rng, 4))
            to[1] = add(m, order[i]);
    }
}

static void add_sample(struct making *m, const struct sample *s,
                       const int64_t *values)
{
    const struct content *c = m->c;
    uint32_t stack[MAX_DEPTH], set;
    int64_t column[N_TYPES];
    struct prof_label labels[4];
    for (uint32_t i = 0; i < s->depth; i++)
        stack[i] = m->location[s->stack[i]][rng_below(&m->rng, 2)];
    for (uint32_t i = 0; i < s->n_labels; i++)
        labels[i] = make_label(m, s->labels[i]);
    for (uint32_t i = 0; i < c->n_types; i++)
        column[i] = values[c->types[i]];
    MUST(prof_labelset(m->p, labels, s->n_labels, &set, &m->err));
    MUST(prof_add_sample(m->p, stack, s->depth, column, set, &m->err));
}

/* Samples in any order, some in two parts, and some that count nothing. */
static void add_samples(struct making *m)
{
    uint32_t n = (uint32_t)m->c->samples.n;
    uint32_t *order = mem_array(n, sizeof *order);
    assert_non_null(order);
    for (uint32_t i = 0; i < n; i++)
        order[i] = i;
    shuffle(&m->rng, order, n);
    for (uint32_t i = 0; i < n; i++) {
        const struct sample *s = &m->c->samples.v[order[i]];
        int64_t part[N_TYPES] = {0}, rest[N_TYPES];
        if (rng_one_in(&m->rng, 3)) {
            for (uint32_t k = 0; k < N_TYPES; k++)
                part[k] = rng_below(&m->rng, 7) * s->values[k] / 7;
            add_sample(m, s, part);
        }
        for (uint32_t k = 0; k < N_TYPES; k++)
            rest[k] = s->values[k] - part[k];
        add_sample(m, s, rest);
    }
    free(order);
}

static void add_comments(struct making *m, struct rng *content)
{
    uint32_t order[4] = {0}, n = rng_below(content, 5);
    char text[32];
    for (uint32_t i = 0; i < n; i++)
        order[i] = rng_below(content, 9);
    shuffle(&m->rng, order, n);
    for (uint32_t i = 0; i < n; i++) {
        (void)snprintf(text, sizeof text, "comment %u", order[i]);
        MUST(prof_add_comment(m->p, text, &m->err));
    }
}

static uint32_t regexp(struct making *m, struct rng *content, bool odd)
{
    static const char *const sound[] = {
        "",        "malloc|free", "free",      "a(b|c)|d",
        "[|]|\\|", "(?i)x|y",     "\\Qa|b\\E", "free|malloc|a(b|c)"};
    static const char *const unsound[] = {"(", "a|)", "[a", "x\\", "b|(c"};
    if (odd && rng_one_in(content, 2))
        return str(m, unsound[rng_below(content, 5)]);
    return str(m, sound[rng_below(content, 8)]);
}

static void add_headers(struct making *m, const struct random_opts *opts)
{
    const struct content *c = m->c;
    struct profile *p = m->p;
    struct rng r = {c->rng.state + 1};
    p->time_nanos = rng_one_in(&r, 4) ? 0 : (int64_t)rng_below(&r, 1000);
    p->duration_nanos = rng_below(&r, 1000);
    p->period = rng_below(&r, 1000);
    if (p->period % 3) {
        p->period_type.type = str(m, "cpu");
        p->period_type.unit = str(m, "nanoseconds");
    }
    p->drop_frames = regexp(m, &r, opts->odd_regexps);
    p->keep_frames = regexp(m, &r, opts->odd_regexps);
    if (rng_one_in(&r, 2)) {
        uint32_t type = rng_below(&r, c->n_types);
        p->default_sample_type =
            str(m, type_names[opts->odd_defaults ? rng_below(&r, N_TYPES)
                                                 : c->types[type]][0]);
    }
    if (rng_one_in(&r, 2))
        p->doc_url = strf(m, "https://example.com/%u", rng_below(&r, 5));
    add_comments(m, &r);
}

void random_profile(struct profile *p, uint64_t content, uint64_t arrangement,
                    const struct random_opts *opts)
{
    struct content c = {0};
    struct making m = {.c = &c, .rng = {~arrangement}, .p = p};
    choose(&c, content, opts);
    MUST(prof_init(p, &m.err));
    /* Strings get their ids in another order. */
    for (uint32_t i = rng_below(&m.rng, 12); i; i--)
        (void)strf(&m, "key%u", rng_below(&m.rng, 6));
    for (uint32_t i = 0; i < c.n_types; i++)
        MUST(prof_add_type(p, type_names[c.types[i]][0],
                           type_names[c.types[i]][1], &m.err));
    if (arrangement & 1)
        add_headers(&m, opts);
    place(&m, m.mapping, N_MAPPINGS, add_mapping, c.first);
    place(&m, m.function, N_FUNCTIONS, add_function, N_FUNCTIONS);
    place(&m, m.location, N_LOCATIONS, add_location, N_LOCATIONS);
    add_samples(&m);
    if (!(arrangement & 1))
        add_headers(&m, opts);
    vec_free(&c.samples);
}

struct buf profile_bytes(const struct profile *p)
{
    struct buf b = {0};
    struct buf_sink sink = buf_sink_of(&b);
    struct prof_err err;
    MUST(pb_encode(p, &sink.sink, &err));
    return b;
}

/* --- meaning -------------------------------------------------------------- */

struct line {
    char *text;
    int64_t values[N_TYPES];
};

static void put_location(struct buf *b, const struct profile *p,
                         const struct prof_location *l)
{
    if (l->mapping == PROF_NONE) {
        MUST(buf_printf(b, " [0x%" PRIx64, l->address));
    } else {
        const struct prof_mapping *m = &p->mappings[l->mapping];
        bool named = m->filename || m->build_id;
        MUST(buf_printf(
            b, " [%s+0x%" PRIx64 "/%" PRIu64 "/0x%" PRIx64 ":0x%" PRIx64,
            prof_cstr(p, m->build_id ? m->build_id : m->filename), m->offset,
            (m->limit - m->start + 4095) / 4096, named ? 0 : m->start,
            l->address - m->start));
    }
    for (uint32_t i = 0; i < l->n_lines; i++) {
        const struct prof_line *line = &p->lines[l->line_off + i];
        MUST(buf_printf(b, " %" PRId64 ":%" PRId64, line->line, line->column));
        if (line->function == PROF_NONE)
            continue;
        const struct prof_function *f = &p->functions[line->function];
        MUST(buf_printf(b, "%s,%s,%s,%" PRId64, prof_cstr(p, f->name),
                        prof_cstr(p, f->system_name), prof_cstr(p, f->filename),
                        f->start_line));
    }
    MUST(buf_puts(b, l->is_folded ? " folded]" : "]"));
}

/* Keys in order of their text, values of a key as they stand. */
static void put_labels(struct buf *b, const struct profile *p, uint32_t set)
{
    const struct prof_label *v = p->labels + p->labelset_off[set];
    uint64_t n = p->labelset_off[set + 1] - p->labelset_off[set];
    for (uint32_t key = 0; key < 6; key++) {
        char name[16];
        (void)snprintf(name, sizeof name, "key%u", key);
        for (uint64_t i = 0; i < n; i++)
            if (strcmp(prof_cstr(p, v[i].key), name) == 0)
                MUST(buf_printf(b, " %s=%s/%" PRId64 "/%s", name,
                                prof_cstr(p, v[i].str), v[i].num,
                                prof_cstr(p, v[i].unit)));
    }
}

static struct line line_of(const struct profile *p, size_t s)
{
    struct line line = {0};
    struct buf b = {0};
    for (size_t i = 0; i < prof_depth(p, s); i++)
        put_location(&b, p, &p->locations[prof_stack(p, s)[i]]);
    put_labels(&b, p, p->labelset[s]);
    MUST(buf_putc(&b, 0));
    for (size_t i = 0; i < p->n_types; i++)
        for (size_t k = 0; k < N_TYPES; k++)
            if (!strcmp(prof_cstr(p, p->types[i].type), type_names[k][0]))
                line.values[k] += p->values[s * p->n_types + i];
    line.text = (char *)b.v;
    return line;
}

static int by_text(const void *a, const void *b)
{
    const struct line *x = a, *y = b;
    return strcmp(x->text, y->text);
}

struct buf profile_meaning(const struct profile *const *profiles, size_t n)
{
    VEC(struct line) lines = {0};
    struct buf out = {0};
    for (size_t i = 0; i < n; i++)
        for (size_t s = 0; s < profiles[i]->n_samples; s++)
            MUST(vec_push(&lines, line_of(profiles[i], s)));
    if (lines.n)
        qsort(lines.v, lines.n, sizeof *lines.v, by_text);
    for (size_t i = 0, j; i < lines.n; i = j) {
        int64_t sum[N_TYPES] = {0};
        for (j = i; j < lines.n && !by_text(&lines.v[i], &lines.v[j]); j++)
            for (size_t k = 0; k < N_TYPES; k++)
                sum[k] += lines.v[j].values[k];
        if (sum[0] || sum[1] || sum[2])
            MUST(buf_printf(&out, "%s: %" PRId64 " %" PRId64 " %" PRId64 "\n",
                            lines.v[i].text, sum[0], sum[1], sum[2]));
    }
    for (size_t i = 0; i < lines.n; i++)
        free(lines.v[i].text);
    vec_free(&lines);
    MUST(buf_putc(&out, 0));
    return out;
}
