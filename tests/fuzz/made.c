#include "made.h"

#include <string.h>

#include "fuzz.h"

/* Memory does not run out here, and nothing that is made is wrong. */
#define MUST(done)                                                             \
    do {                                                                       \
        struct prof_err err = {0};                                             \
        if (!(done))                                                           \
            fuzz_fail(__FILE__, __LINE__, "%s: %s", #done, err.text);          \
    } while (0)

struct made_bytes made_bytes_of(const uint8_t *data, size_t n)
{
    return (struct made_bytes){data, n};
}

uint32_t made_below(struct made_bytes *b, uint32_t n)
{
    if (!b->n)
        return 0;
    b->n--;
    return *b->at++ % n;
}

static bool one_in(struct made_bytes *b, uint32_t n)
{
    return made_below(b, n) == 1;
}

static const char *const names[] = {
    "",
    "main",
    "f",
    "malloc",
    "operator new(unsigned long)",
    "std::vector<int, std::allocator<int> >::push_back(int const&)",
    "runtime.mallocgc",
    "github.com/a/b.(*T[...]).M.func1",
    "<unknown>",
    "a;b c",
    "\"\\\n\t\x1b[1m",
    "\xff\xfe\xc3",
    "\xc3\xa4\xe2\x82\xac",
    "/lib/libc.so.6",
    "/bin/a",
    "/proc/self/cwd/a.c",
    "src/a.c",
    "[vdso]",
    "0123456789abcdef",
    "count",
    "nanoseconds",
    "bytes",
    "MB",
    "samples",
    "cpu",
    "inuse_space",
    "key",
    "bytes_allocated",
    "pprof::base",
    "true",
    "a|b",
    "(",
    "malloc|operator new.*",
    "https://example.com/x",
};

const char *made_name(struct made_bytes *b, char own[MADE_NAME])
{
    uint32_t n = sizeof names / sizeof *names, k = made_below(b, n + n / 7);
    if (k < n)
        return names[k];
    uint32_t length = made_below(b, MADE_NAME);
    for (uint32_t i = 0; i < length; i++) {
        own[i] = (char)made_below(b, 256);
        /* NUL is the end for protobuf-c. */
        own[i] = own[i] ? own[i] : ' ';
    }
    own[length] = 0;
    return own;
}

static uint32_t name(struct profile *p, struct made_bytes *b)
{
    char own[MADE_NAME];
    uint32_t id;
    MUST(prof_str(p, made_name(b, own), &id, &err));
    return id;
}

/* Mostly small; all that fits an int64_t, but for opts->small. */
static int64_t number(struct made_bytes *b, bool small)
{
    static const int64_t large[] = {INT64_MAX,        INT64_MIN,     INT32_MAX,
                                    INT64_MAX / 2,    -INT64_MAX,    1000000000,
                                    INT64_C(1) << 53, 86400000000000};
    uint32_t k = made_below(b, 256);
    if (k < 248)
        return (int64_t)k % 124 - (k < 124 ? 0 : 60);
    return small ? (int64_t)k << 20 : large[k - 248];
}

/* --- the world ------------------------------------------------------------ */

static const uint64_t starts[] = {0x400000, 0, 0x1000, 0x7fff00000000,
                                  UINT64_MAX - 0xffff};
static const uint64_t sizes[] = {0x2000, 0, 1, 0x1fff, 0x100000, UINT64_MAX};
enum { N_STARTS = 5, N_SIZES = 6 };

static void add_mapping(struct profile *p, struct made_bytes *b)
{
    uint32_t flags = made_below(b, 16);
    struct prof_mapping m = {
        .start = starts[made_below(b, N_STARTS)],
        .offset = made_below(b, 4) * UINT64_C(0x1000),
        .has_functions = flags & 1,
        .has_filenames = flags & 2,
        .has_line_numbers = flags & 4,
        .has_inline_frames = flags & 8,
    };
    m.limit =
        m.start + sizes[made_below(b, N_SIZES)]; /* also where that wraps */
    m.filename = name(p, b);
    m.build_id = one_in(b, 2) ? name(p, b) : 0;
    MUST(prof_add_mapping(p, &m, NULL, &err));
}

static void add_function(struct profile *p, struct made_bytes *b)
{
    struct prof_function f = {.name = name(p, b)};
    f.system_name = one_in(b, 2) ? name(p, b) : f.name;
    f.filename = name(p, b);
    f.start_line = number(b, false);
    MUST(prof_add_function(p, &f, NULL, &err));
}

/* An index below n, or none. */
static uint32_t reference(struct made_bytes *b, size_t n)
{
    uint32_t k = made_below(b, (uint32_t)n + 1);
    return k < n ? k : PROF_NONE;
}

static void add_location(struct profile *p, struct made_bytes *b)
{
    struct prof_line lines[MADE_LINES];
    uint32_t n = made_below(b, MADE_LINES + 1);
    struct prof_location l = {.mapping = reference(b, p->n_mappings)};
    l.address = (uint64_t)number(b, false) + 0x100;
    if (l.mapping != PROF_NONE)
        l.address += p->mappings[l.mapping].start;
    l.is_folded = one_in(b, 8);
    for (uint32_t i = 0; i < n; i++)
        lines[i] = (struct prof_line){.line = number(b, false),
                                      .column = number(b, false),
                                      .function = reference(b, p->n_functions)};
    MUST(prof_add_location(p, &l, lines, n, NULL, &err));
}

void made_world(struct profile *p, struct made_bytes *b)
{
    MUST(prof_init(p, &err));
    for (uint32_t n = 1 + made_below(b, MADE_TYPES); n; n--) {
        uint32_t at = (uint32_t)p->n_types;
        struct prof_value_type t = {name(p, b), name(p, b)};
        /* No two of one name, for types are told by it. */
        for (uint32_t i = 0; i < at; i++)
            if (p->types[i].type == t.type)
                return;
        MUST(prof_add_type_id(p, t, &err));
    }
    for (uint32_t n = made_below(b, MADE_MAPPINGS + 1); n; n--)
        add_mapping(p, b);
    for (uint32_t n = made_below(b, MADE_FUNCTIONS + 1); n; n--)
        add_function(p, b);
    for (uint32_t n = made_below(b, MADE_LOCATIONS + 1); n; n--)
        add_location(p, b);
}

/* --- a profile of it ------------------------------------------------------ */

/* What is being made; strings of the world by their ids there. */
struct making {
    struct profile *p;
    const struct profile *world;
    const struct made_opts *opts;
    struct made_bytes *b;
    uint64_t moved[MADE_MAPPINGS];
};

static uint32_t str(const struct making *m, uint32_t id)
{
    uint32_t here;
    MUST(prof_str(m->p, prof_cstr(m->world, id), &here, &err));
    return here;
}

static void copy_types(const struct making *m)
{
    size_t n = m->world->n_types;
    bool turn = m->opts->turned && one_in(m->b, 2);
    for (size_t i = 0; i < n; i++) {
        struct prof_value_type t = m->world->types[turn ? n - 1 - i : i];
        t = (struct prof_value_type){str(m, t.type), str(m, t.unit)};
        MUST(prof_add_type_id(m->p, t, &err));
    }
}

static void copy_entities(struct making *m)
{
    for (size_t i = 0; i < m->world->n_mappings; i++) {
        struct prof_mapping x = m->world->mappings[i];
        m->moved[i] =
            m->opts->moved ? made_below(m->b, 4) * UINT64_C(0x10000) : 0;
        x.start += m->moved[i];
        x.limit += m->moved[i];
        x.filename = str(m, x.filename);
        x.build_id = str(m, x.build_id);
        MUST(prof_add_mapping(m->p, &x, NULL, &err));
    }
    for (size_t i = 0; i < m->world->n_functions; i++) {
        struct prof_function x = m->world->functions[i];
        x.name = str(m, x.name);
        x.system_name = str(m, x.system_name);
        x.filename = str(m, x.filename);
        MUST(prof_add_function(m->p, &x, NULL, &err));
    }
    for (size_t i = 0; i < m->world->n_locations; i++) {
        struct prof_location x = m->world->locations[i];
        const struct prof_line *lines = m->world->lines;
        if (x.mapping != PROF_NONE)
            x.address += m->moved[x.mapping];
        MUST(prof_add_location(m->p, &x, x.n_lines ? lines + x.line_off : NULL,
                               x.n_lines, NULL, &err));
    }
}

static uint32_t add_labels(const struct making *m)
{
    struct prof_label labels[4];
    uint32_t n = made_below(m->b, 8), set;
    n = n > 4 ? 0 : n;
    for (uint32_t i = 0; i < n; i++) {
        labels[i] = (struct prof_label){.key = name(m->p, m->b)};
        if (one_in(m->b, 2))
            labels[i].str = name(m->p, m->b);
        if (labels[i].str)
            continue;
        labels[i].num = number(m->b, false);
        labels[i].unit = one_in(m->b, 2) ? name(m->p, m->b) : 0;
    }
    MUST(prof_labelset(m->p, labels, n, &set, &err));
    return set;
}

static int64_t value(const struct making *m)
{
    int64_t v = number(m->b, m->opts->small);
    if (!m->opts->positive || v >= 0)
        return v;
    return v == INT64_MIN ? INT64_MAX : -v;
}

static void add_sample(const struct making *m)
{
    enum { DEEPEST = 32 };
    uint32_t stack[DEEPEST], depth = made_below(m->b, 8);
    int64_t values[MADE_TYPES];
    if (depth == 7)
        depth = made_below(m->b, DEEPEST);
    depth = m->p->n_locations ? depth : 0;
    for (uint32_t i = 0; i < depth; i++)
        stack[i] = made_below(m->b, (uint32_t)m->p->n_locations);
    for (size_t i = 0; i < m->p->n_types; i++)
        values[i] = value(m);
    uint32_t set = add_labels(m);
    MUST(prof_add_sample(m->p, stack, depth, values, set, &err));
}

static void add_headers(const struct making *m)
{
    struct profile *p = m->p;
    char own[MADE_NAME];
    uint32_t which = made_below(m->b, 256);
    if (which & 1)
        p->time_nanos = number(m->b, false);
    /* Their sum is checked, too. */
    if (which & 2)
        p->duration_nanos = number(m->b, true);
    if (which & 4) {
        p->period = number(m->b, false);
        p->period_type = p->types[0];
    }
    if (which & 8)
        p->drop_frames = name(p, m->b);
    if (which & 16)
        p->keep_frames = name(p, m->b);
    if (which & 32)
        p->default_sample_type =
            p->types[made_below(m->b, (uint32_t)p->n_types)].type;
    if (which & 64)
        p->doc_url = name(p, m->b);
    for (uint32_t n = which & 128 ? 1 + made_below(m->b, 3) : 0; n; n--)
        MUST(prof_add_comment(p, made_name(m->b, own), &err));
}

void made_profile(struct profile *p, const struct profile *world,
                  const struct made_opts *opts, struct made_bytes *b)
{
    struct making m = {.p = p, .world = world, .opts = opts, .b = b};
    MUST(prof_init(p, &err));
    copy_types(&m);
    add_headers(&m);
    copy_entities(&m);
    for (uint32_t n = made_below(b, 25); n; n--)
        add_sample(&m);
}
