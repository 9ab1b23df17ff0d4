/*
 * perf_file.c - reads a recording: its header, its records, its features
 *
 *   file   header, ids and attributes of events, data, feature sections
 *   pipe   a header of 16 bytes; all else is in records
 *
 * Both are read from front to back, so that they may come from a pipe.  If a
 * file can be read at any offset, its features are read before its data.
 */
#include "formats/perf/private.h"
#include "symbolize/unwind.h"

enum {
    PIPE_HEADER = 16,
    FILE_HEADER = 104,
    SECTION = 16, /* offset, size */
    ATTRS_AT = 24,
    DATA_AT = 40,
    TYPES_AT = 56,
    BITS_AT = 72,
    FEATURE_HOSTNAME = 3,
};

struct section {
    uint64_t at, n;
};

/* Bytes from an offset on of a stream that can be read anywhere. */
struct tail_stream {
    struct stream stream;
    struct stream *from;
    uint64_t at;
};

/* A file, and what its header says. */
struct file {
    struct perf_reader r;
    struct perf_reader tail; /* from the end of the data on */
    struct tail_stream tail_stream;
    bool has_tail; /* the file can be read anywhere */
    struct section data;
    uint8_t bits[PERF_FEATURES / 8]; /* which features there are */
    uint64_t end;                    /* of its last section */
    uint64_t id_bytes;               /* of all lists of ids so far */
};

/* --- files ---------------------------------------------------------------- */

static struct section section_at(const struct perf *p, const uint8_t *v)
{
    return (struct section){perf_u64_at(v, p->big), perf_u64_at(v + 8, p->big)};
}

static ptrdiff_t read_tail(struct stream *self, void *to, size_t n,
                           struct prof_err *err)
{
    struct tail_stream *t = (struct tail_stream *)self;
    ptrdiff_t k = t->from->read_at(t->from, t->at, to, n, err);
    t->at += k > 0 ? (uint64_t)k : 0;
    return k;
}

static void open_tail(struct file *f)
{
    const struct perf_reader *r = &f->r;
    const uint64_t end = f->data.at + f->data.n;
    f->tail = (struct perf_reader){.p = r->p, .offset = end};
    if (!r->stream) {
        f->tail.v = r->v;
        f->tail.n = r->n;
        f->tail.at = end - r->offset < r->n - r->at
                         ? r->at + (size_t)(end - r->offset)
                         : r->n;
    } else if (r->stream->read_at) {
        f->tail_stream =
            (struct tail_stream){{.read = read_tail}, r->stream, end};
        f->tail.stream = &f->tail_stream.stream;
    } else {
        return;
    }
    f->has_tail = true;
}

/*
 * Sets *v to the bytes of a section, until the next call.  Null: it is inside
 * of the data, or longer than the file, or cannot be read before the data.
 */
static bool find_section(struct file *f, struct section s, const uint8_t **v,
                         struct prof_err *err)
{
    struct perf_reader *tail = &f->tail;
    *v = NULL;
    if (s.at <= f->data.at && s.n <= f->data.at - s.at) {
        *v = f->r.v + f->r.at + s.at;
        return true;
    }
    const uint64_t skipped = s.at - tail->offset;
    if (!f->has_tail || s.at < tail->offset || s.n > SIZE_MAX / 2 ||
        skipped > SIZE_MAX / 2 - s.n)
        return true;
    if (!perf_fill(tail, (size_t)(skipped + s.n), err))
        return false;
    if (skipped + s.n <= perf_available(tail))
        *v = tail->v + tail->at + skipped;
    return true;
}

static bool read_ids(struct file *f, struct section ids, uint32_t event,
                     struct prof_err *err)
{
    const uint8_t *v;
    if (!find_section(f, ids, &v, err))
        return false;
    if (!v)
        return err_set(err, PROF_ERR_INPUT,
                       "invalid header: the IDs of event %u are not in the "
                       "file, or are inside of the data",
                       event);
    /* Of thousands of events, each could have all ids there is room for. */
    if (ids.n > f->data.at - f->id_bytes)
        return err_set(err, PROF_ERR_INPUT,
                       "invalid header: the IDs of event %u are in the same "
                       "place as those of other events",
                       event);
    f->id_bytes += ids.n;
    for (uint64_t i = 0; i + 8 <= ids.n; i += 8)
        if (!perf_add_id(f->r.p, perf_u64_at(v + i, f->r.p->big), event, err))
            return false;
    return true;
}

/* perf inject writes attributes and ids last if it reads a pipe. */
static bool read_attrs(struct file *f, uint64_t entry, struct prof_err *err)
{
    struct section attrs = section_at(f->r.p, f->r.v + f->r.at + ATTRS_AT);
    const uint8_t *v;
    if (attrs.at > f->data.at && f->data.n && !f->has_tail)
        return err_set(err, PROF_ERR_INPUT,
                       "the event attributes follow the data, so the file "
                       "cannot be read from a pipe or an archive");
    if (!find_section(f, attrs, &v, err))
        return false;
    if (!v || entry < PERF_ATTR_MIN + SECTION || entry > attrs.n)
        return err_set(err, PROF_ERR_INPUT,
                       "invalid header: no event attributes");
    for (uint64_t at = 0; attrs.n - at >= entry; at += entry) {
        uint32_t event = (uint32_t)f->r.p->events.list.n;
        size_t n = (size_t)entry - SECTION;
        if (!find_section(f, attrs, &v, err) ||
            !perf_add_event(f->r.p, v + at, n, err) ||
            !read_ids(f, section_at(f->r.p, v + at + n), event, err))
            return false;
    }
    return true;
}

/* Names of tracepoints by number, in files of perf up to Linux 3.10. */
static bool read_event_types(struct file *f, struct prof_err *err)
{
    struct section types = section_at(f->r.p, f->r.v + f->r.at + TYPES_AT);
    const uint64_t entry = 8 + PERF_EVENT_TYPE_NAME;
    const uint8_t *v;
    if (!find_section(f, types, &v, err))
        return false;
    for (uint64_t at = 0; v && types.n - at >= entry; at += entry)
        if (!perf_name_type(f->r.p,
                            (struct perf_fields){v + at, v + at + entry,
                                                 f->r.p->big, false},
                            err))
            return false;
    return true;
}

/*
 * Bit N says that there is a section of feature N.  The bits are in words of
 * the machine that recorded.  If words are big-endian, their size (4 or 8
 * bytes) decides which byte a bit is in; it is found by the bit of
 * FEATURE_HOSTNAME, which every recording has.
 */
static void read_bits(struct file *f)
{
    const uint8_t *v = f->r.v + f->r.at + BITS_AT;
    unsigned word = 7; /* bytes of a word, minus 1 */
    if (f->r.p->big && !(v[7] >> FEATURE_HOSTNAME & 1) &&
        v[3] >> FEATURE_HOSTNAME & 1)
        word = 3;
    for (unsigned i = 0; i < sizeof f->bits; i++)
        f->bits[i] = v[f->r.p->big ? i ^ word : i];
}

static bool read_feature(struct perf_reader *r, uint32_t feature,
                         struct section s, struct prof_err *err)
{
    if (s.at < r->offset)
        return true;
    if (!perf_need(r, s.at - r->offset, "a feature section", err))
        return false;
    size_t skipped = (size_t)(s.at - r->offset);
    if (s.n > SIZE_MAX / 2 - skipped)
        return err_set(err, PROF_ERR_INPUT, "invalid feature section");
    if (!perf_need(r, skipped + s.n, "a feature section", err))
        return false;
    const uint8_t *v = r->v + r->at + skipped;
    return perf_read_feature(
        r->p, feature, (struct perf_fields){v, v + s.n, r->p->big, false}, err);
}

/*
 * The table of sections, in the order of their bits, and the sections; from a
 * reader at the end of the data.
 */
static bool read_features(struct file *f, struct perf_reader *r,
                          struct prof_err *err)
{
    size_t n = 0;
    for (unsigned i = 0; i < PERF_FEATURES; i++)
        n += f->bits[i / 8] >> i % 8 & 1;
    if (!n)
        return true;
    if (!perf_need(r, n * SECTION, "the table of feature sections", err))
        return false;
    f->end = r->offset + n * SECTION;
    size_t row = 0;
    for (unsigned i = 0; i < PERF_FEATURES; i++) {
        if (!(f->bits[i / 8] >> i % 8 & 1))
            continue;
        struct section s = section_at(r->p, r->v + r->at + row++ * SECTION);
        if (!read_feature(r, i, s, err))
            return false;
        if (s.at >= r->offset && s.at + s.n > f->end)
            f->end = s.at + s.n;
    }
    return true;
}

/*
 * Reads the features before the data, if the file can be read at any offset:
 * unwinding needs the build IDs.  *done: they were read; a truncated file has
 * none.
 */
static bool features_first(struct file *f, bool *done, struct prof_err *err)
{
    *done = f->has_tail && read_features(f, &f->tail, err);
    return *done || !f->has_tail || err->kind == PROF_ERR_INPUT;
}

/* Reads the features after the data.  Damaged ones are only a loss of names. */
static bool features_last(struct file *f, struct prof_err *err)
{
    if (read_features(f, &f->r, err))
        return true;
    if (err->kind != PROF_ERR_INPUT)
        return false;
    note_loss(f->r.p->notes, "%s: build IDs and names may be missing",
              err->text);
    return true;
}

/* Refuses a second recording after the last section: it would be ignored. */
static bool check_end(struct file *f, struct prof_err *err)
{
    struct perf_reader *r = &f->r;
    if (f->end < r->offset || f->end - r->offset > SIZE_MAX / 2)
        return true;
    size_t left = (size_t)(f->end - r->offset);
    if (!perf_fill(r, left + PIPE_HEADER, err))
        return false;
    size_t n = perf_available(r);
    return n <= left || !perf_begins(r->v + r->at + left, n - left) ||
           perf_refuse_joined(f->end, err);
}

static bool read_header(struct file *f, struct prof_err *err)
{
    struct perf_reader *r = &f->r;
    struct perf *p = r->p;
    if (!perf_need(r, FILE_HEADER, "the header", err))
        return false;
    const uint8_t *v = r->v + r->at;
    uint64_t entry = perf_u64_at(v + 16, p->big);
    f->data = section_at(p, v + DATA_AT);
    if (f->data.at < FILE_HEADER || f->data.n > UINT64_MAX - 1 - f->data.at)
        return err_set(err, PROF_ERR_INPUT,
                       "invalid header: data of %llu bytes at offset %llu",
                       (unsigned long long)f->data.n,
                       (unsigned long long)f->data.at);
    if (!perf_need(r, f->data.at, "the header", err))
        return false;
    read_bits(f);
    open_tail(f);
    if (!read_attrs(f, entry, err) || !read_event_types(f, err))
        return false;
    perf_consume(r, (size_t)f->data.at);
    return true;
}

static bool read_file(struct file *f, uint64_t size, struct prof_err *err)
{
    struct perf *p = f->r.p;
    bool done;
    if (size < FILE_HEADER)
        return err_set(err, PROF_ERR_INPUT, "invalid header size %llu",
                       (unsigned long long)size);
    if (!read_header(f, err))
        return false;
    p->ordered = p->events.list.v[0].flags & PERF_SAMPLE_ID_ALL;
    p->killed = !f->data.n;
    if (p->killed)
        return perf_read_records(&f->r, UINT64_MAX, err);
    f->end = f->data.at + f->data.n;
    if (!features_first(f, &done, err) ||
        !perf_read_records(&f->r, f->data.at + f->data.n, err))
        return false;
    return p->cut || ((done || features_last(f, err)) && check_end(f, err));
}

static bool read_pipe(struct perf_reader *r, struct prof_err *err)
{
    r->p->pipe = r->p->ordered = true;
    perf_consume(r, PIPE_HEADER);
    return perf_read_records(r, UINT64_MAX, err);
}

static bool not_perf(const struct import_input *in, struct prof_err *err)
{
    if (!in->n)
        return err_set(err, PROF_ERR_INPUT, "empty file");
    if (in->foreign)
        return err_set(err, PROF_ERR_INPUT, "not a perf.data file: this is %s",
                       in->foreign->words);
    return err_set(err, PROF_ERR_INPUT, "not a perf.data file");
}

/* The data of a recording may be in other files of its directory. */
static bool read_parts(struct perf *p, const struct import_input *in,
                       struct prof_err *err)
{
    if (in->directory)
        return perf_read_directory(p, in->directory, err);
    return !p->in_parts ||
           err_set(err, PROF_ERR_INPUT,
                   "the samples are not in this file: perf record --threads "
                   "wrote them to data.0, data.1, ...; convert their "
                   "directory");
}

static bool read_all(struct file *f, const struct import_input *in,
                     struct prof_err *err)
{
    struct perf_reader *r = &f->r;
    struct perf *p = r->p;
    if (!perf_begins(in->data, in->n))
        return not_perf(in, err);
    if (!perf_need(r, PIPE_HEADER, "the header", err))
        return false;
    p->big = r->v[r->at] == '2';
    uint64_t size = perf_u64_at(r->v + r->at + 8, p->big);
    if (!(size == PIPE_HEADER ? read_pipe(r, err) : read_file(f, size, err)))
        return false;
    perf_zstd_end(p, p->zstd, 0);
    return read_parts(p, in, err) && perf_queue_end(p, err) &&
           perf_finish_records(p, err) && perf_name_events(p, err);
}

/* --- a recording ---------------------------------------------------------- */

void perf_free(struct perf *p)
{
    strtab_free(&p->names);
    vec_free(&p->events.list);
    perf_ids_free(&p->events.ids);
    vec_free(&p->events.counters);
    perf_ids_free(&p->events.by_counter);
    perf_processes_free(&p->processes);
    perf_stacks_free(&p->stacks);
    perf_queue_free(&p->queue);
    vec_free(&p->build_ids);
    perf_ids_free(&p->cgroups);
    vec_free(&p->deferred);
    hashidx_free(&p->deferred_index);
    vec_free(&p->deferred_frames);
    vec_free(&p->chain);
    perf_zstd_free(p->zstd);
    unwinder_free(p->unwinder);
    buf_free(&p->version);
    buf_free(&p->command);
    buf_free(&p->arch);
    buf_free(&p->host);
    buf_free(&p->release);
}

bool perf_read(struct perf *p, const struct import_input *in,
               struct prof_err *err)
{
    struct file f = {.r = {.p = p, .stream = in->stream}};
    p->seed = mix_seed();
    p->max_size = in->max_size;
    if (!in->stream) {
        f.r.v = in->data;
        f.r.n = in->n;
    }
    bool ok = (strtab_init(&p->names) || err_nomem(err)) &&
              perf_processes_init(p, err) && perf_stacks_init(p, err) &&
              read_all(&f, in, err);
    buf_free(&f.r.window);
    buf_free(&f.tail.window);
    return ok;
}
