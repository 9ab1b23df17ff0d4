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
    FEATURE_NRCPUS = 7,
    FEATURE_CMDLINE = 11,
    FEATURE_EVENT_DESC = 12,
    FEATURE_SAMPLE_TIME = 21,
    FEATURE_DIR_FORMAT = 24,
    FEATURE_CLOCK_DATA = 29,
};

enum {
    BUILD_ID_BYTES = 24, /* 20, and since Linux 5.11 the size and padding */
    BUILD_ID_MAX = 20,
    DIR_OF_THREADS = 1, /* the data is in data.0, data.1 ...; 0: in one file */
};

/* Reads a length of 4 bytes and a string that is padded to that length. */
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

/* Reads the arguments of perf into a->command, separated by spaces. */
static bool read_command(struct perf_about *a, struct perf_fields *f,
                         struct prof_err *err)
{
    struct buf *b = &a->command;
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

/* Sets the names of events; the section also has their attributes and ids. */
static bool read_events(struct perf_about *a, struct perf_fields *f,
                        struct prof_err *err)
{
    uint32_t n = perf_u32(f), attr_bytes = perf_u32(f);
    for (uint32_t i = 0; i < n && !f->bad; i++) {
        (void)perf_skip(f, attr_bytes);
        uint32_t n_ids = perf_u32(f);
        struct prof_slice name = read_string(f);

        /* Find the event by these ids or, if they are unknown, by its number.
         */
        struct perf_fields ids = *f;
        uint32_t event = i < a->events.list.n ? i : PROF_NONE;
        uint32_t row = HASHIDX_NONE;
        for (uint32_t k = 0;
             k < n_ids && row == HASHIDX_NONE && perf_left(&ids) >= 8; k++)
            row = perf_find_id(a, perf_u64(&ids));
        if (row != HASHIDX_NONE)
            event = a->events.ids.v[row].value;
        (void)perf_skip(f, (uint64_t)n_ids * 8);
        if (!f->bad && event != PROF_NONE &&
            !perf_name_event(a, event, name, err))
            return false;
    }
    return true;
}

bool perf_add_hex(struct perf_about *a, const uint8_t *v, size_t n,
                  uint32_t *id, struct prof_err *err)
{
    char hex[2 * BUILD_ID_MAX + 1];
    *id = 0;
    if (n > BUILD_ID_MAX)
        n = BUILD_ID_MAX;
    bytes_to_hex(hex, v, n);
    return !n || strtab_add(&a->names, hex, 2 * n, id) || err_nomem(err);
}

bool perf_read_build_id(struct perf_about *a, const struct perf_record *r,
                        struct prof_err *err)
{
    struct perf_fields f = perf_fields_of(r, a->big);
    uint32_t name, hex;
    (void)perf_u32(&f); /* pid */
    const uint8_t *id = perf_skip(&f, BUILD_ID_BYTES);
    struct prof_slice file = perf_string(&f);
    if (!id || f.bad)
        return true;
    size_t n =
        r->misc & PERF_MISC_BUILD_ID_SIZE ? id[BUILD_ID_MAX] : BUILD_ID_MAX;
    if (!perf_add_hex(a, id, n, &hex, err))
        return false;
    if (!strtab_add(&a->names, file.s, file.n, &name))
        return err_nomem(err);
    while (a->build_ids.n <= name)
        if (!vec_push(&a->build_ids, 0))
            return err_nomem(err);
    if (!a->build_ids.v[name])
        a->build_ids.v[name] = hex;
    return true;
}

/* Reads build IDs: records as in a pipe, but with type 0. */
static bool read_build_ids(struct perf_about *a, struct perf_fields *f,
                           struct prof_err *err)
{
    while (perf_left(f) >= PERF_HEADER_BYTES) {
        struct perf_record r;
        perf_record_at(&r, f->at, a->big);
        if (r.n < PERF_HEADER_BYTES || !perf_skip(f, r.n))
            break;
        if (!perf_read_build_id(a, &r, err))
            return false;
    }
    return true;
}

bool perf_read_feature(struct perf_about *a, uint32_t feature,
                       struct perf_fields fields, struct prof_err *err)
{
    struct perf_fields *f = &fields;
    uint64_t first, second;
    switch (feature) {
    case FEATURE_BUILD_ID:
        return read_build_ids(a, f, err);
    case FEATURE_HOSTNAME:
        return set_text(&a->host, f, err);
    case FEATURE_OSRELEASE:
        return set_text(&a->release, f, err);
    case FEATURE_VERSION:
        return set_text(&a->version, f, err);
    case FEATURE_ARCH:
        return set_text(&a->arch, f, err);
    case FEATURE_NRCPUS:
        a->n_cpus = perf_u32(f);
        return true;
    case FEATURE_CMDLINE:
        return read_command(a, f, err);
    case FEATURE_EVENT_DESC:
        return read_events(a, f, err);
    case FEATURE_SAMPLE_TIME:
        first = perf_u64(f);
        second = perf_u64(f);
        if (!f->bad) {
            a->first_sample = first;
            a->last_sample = second;
        }
        return true;
    case FEATURE_DIR_FORMAT:
        a->in_parts = perf_u64(f) == DIR_OF_THREADS;
        return true;
    case FEATURE_CLOCK_DATA:
        (void)perf_u64(f); /* version, clock */
        first = perf_u64(f);
        second = perf_u64(f);
        if (!f->bad) {
            a->wall_clock = first;
            a->clock_at = second;
        }
        return true;
    default:
        return true;
    }
}

void perf_about_free(struct perf_about *a)
{
    strtab_free(&a->names);
    vec_free(&a->events.list);
    perf_ids_free(&a->events.ids);
    vec_free(&a->events.counters);
    perf_ids_free(&a->events.by_counter);
    vec_free(&a->build_ids);
    buf_free(&a->version);
    buf_free(&a->command);
    buf_free(&a->arch);
    buf_free(&a->host);
    buf_free(&a->release);
}
