/*
 * perf_feature.c - feature sections: build IDs, event names, perf's command ...
 *
 * A file has them after its data, one for each bit in its header; a pipe has
 * HEADER_FEATURE records with the same content.
 */
#include "formats/perf/private.h"

enum feature {
    FEATURE_BUILD_ID = 2,
    FEATURE_HOSTNAME = 3,
    FEATURE_OSRELEASE = 4,
    FEATURE_VERSION = 5,
    FEATURE_ARCH = 6,
    FEATURE_CMDLINE = 11,
    FEATURE_EVENT_DESC = 12,
    FEATURE_DIR_FORMAT = 24,
    FEATURE_CLOCK_DATA = 29,
};

enum {
    BUILD_ID_BYTES = 24, /* 20, and since Linux 5.11 the size and padding */
    BUILD_ID_MAX = 20,
    DIR_OF_THREADS = 1, /* version of a directory; 0: all data is in one file */
};

/* A length of 4 bytes, and a string that is padded to it. */
static struct prof_slice read_string(struct perf_fields *f)
{
    uint32_t n = perf_u32(f);
    const char *s = (const char *)perf_skip(f, n);
    return s ? (struct prof_slice){s, strnlen(s, n)}
             : (struct prof_slice){"", 0};
}

static bool set_text(struct buf *to, struct perf_fields *f,
                     struct prof_err *err)
{
    struct prof_slice s = read_string(f);
    to->n = 0;
    return f->bad || (buf_put(to, s.s, s.n) && buf_putc(to, 0)) ||
           err_nomem(err);
}

/* The arguments of perf, with a space between. */
static bool read_command(struct perf *p, struct perf_fields *f,
                         struct prof_err *err)
{
    struct buf *b = &p->command;
    uint32_t n = perf_u32(f);
    b->n = 0;
    for (uint32_t i = 0; i < n && !f->bad; i++) {
        struct prof_slice word = read_string(f);
        if (!f->bad &&
            ((i && !buf_putc(b, ' ')) || !buf_put(b, word.s, word.n)))
            return err_nomem(err);
    }
    return buf_putc(b, 0) || err_nomem(err);
}

/* The event of these ids or, if they are unknown, of this number. */
static uint32_t find_event(const struct perf *p, struct perf_fields ids,
                           uint32_t n_ids, uint32_t number)
{
    for (uint32_t i = 0; i < n_ids && perf_left(&ids) >= 8; i++) {
        uint32_t row = perf_find_id(p, perf_u64(&ids));
        if (row != HASHIDX_NONE)
            return p->events.ids.v[row].value;
    }
    return number < p->events.list.n ? number : PROF_NONE;
}

/* Attributes, names and ids of all events. */
static bool read_events(struct perf *p, struct perf_fields *f,
                        struct prof_err *err)
{
    uint32_t n = perf_u32(f), attr_bytes = perf_u32(f);
    for (uint32_t i = 0; i < n && !f->bad; i++) {
        (void)perf_skip(f, attr_bytes);
        uint32_t n_ids = perf_u32(f);
        struct prof_slice name = read_string(f);
        uint32_t event = find_event(p, *f, n_ids, i);
        (void)perf_skip(f, (uint64_t)n_ids * 8);
        if (!f->bad && event != PROF_NONE &&
            !perf_name_event(p, event, name, err))
            return false;
    }
    return true;
}

bool perf_add_hex(struct perf *p, const uint8_t *v, size_t n, uint32_t *id,
                  struct prof_err *err)
{
    char hex[2 * BUILD_ID_MAX + 1];
    *id = 0;
    if (n > BUILD_ID_MAX)
        n = BUILD_ID_MAX;
    bytes_to_hex(hex, v, n);
    return !n || strtab_add(&p->names, hex, 2 * n, id) || err_nomem(err);
}

bool perf_read_build_id(struct perf *p, const struct perf_record *r,
                        struct prof_err *err)
{
    struct perf_fields f = perf_fields_of(r, p->big);
    uint32_t name, hex;
    (void)perf_u32(&f); /* pid */
    const uint8_t *id = perf_skip(&f, BUILD_ID_BYTES);
    struct prof_slice file = perf_string(&f);
    if (!id || f.bad)
        return true;
    size_t n =
        r->misc & PERF_MISC_BUILD_ID_SIZE ? id[BUILD_ID_MAX] : BUILD_ID_MAX;
    if (!perf_add_hex(p, id, n, &hex, err))
        return false;
    if (!strtab_add(&p->names, file.s, file.n, &name))
        return err_nomem(err);
    while (p->build_ids.n <= name)
        if (!vec_push(&p->build_ids, 0))
            return err_nomem(err);
    if (!p->build_ids.v[name])
        p->build_ids.v[name] = hex;
    return true;
}

/* Records like those of a pipe, but without a type. */
static bool read_build_ids(struct perf *p, struct perf_fields *f,
                           struct prof_err *err)
{
    while (perf_left(f) >= PERF_HEADER_BYTES) {
        struct perf_record r;
        perf_record_at(&r, f->at, p->big);
        if (r.n < PERF_HEADER_BYTES || !perf_skip(f, r.n))
            return true;
        if (!perf_read_build_id(p, &r, err))
            return false;
    }
    return true;
}

static void read_clock(struct perf *p, struct perf_fields *f)
{
    (void)perf_u32(f); /* version */
    (void)perf_u32(f); /* clock */
    uint64_t wall = perf_u64(f), at = perf_u64(f);
    if (f->bad)
        return;
    p->wall_clock = wall;
    p->clock_at = at;
}

bool perf_read_feature(struct perf *p, uint32_t feature,
                       struct perf_fields fields, struct prof_err *err)
{
    struct perf_fields *f = &fields;
    switch (feature) {
    case FEATURE_BUILD_ID:
        return read_build_ids(p, f, err);
    case FEATURE_HOSTNAME:
        return set_text(&p->host, f, err);
    case FEATURE_OSRELEASE:
        return set_text(&p->release, f, err);
    case FEATURE_VERSION:
        return set_text(&p->version, f, err);
    case FEATURE_ARCH:
        return set_text(&p->arch, f, err);
    case FEATURE_CMDLINE:
        return read_command(p, f, err);
    case FEATURE_EVENT_DESC:
        return read_events(p, f, err);
    case FEATURE_DIR_FORMAT:
        p->in_parts = perf_u64(f) == DIR_OF_THREADS;
        return true;
    case FEATURE_CLOCK_DATA:
        read_clock(p, f);
        return true;
    default:
        return true;
    }
}
