/*
 * perf_text.c - the output of perf script
 *
 *      comm pid/tid [cpu] time: period event:
 *              addr symbol+offset (file)
 *              ...
 *      (an empty line)
 *
 * A sample without a call chain has its only frame in the first line; one of a
 * tracepoint has its data there.  All fields but the event may be missing (perf
 * script -F).  An inlined function has "(inlined)" in place of the file, and
 * the function that it is inlined into follows.  The code of perf,
 * tools/perf/builtin-script.c, is the only description.
 */
#include <inttypes.h>

#include "base/map.h"
#include "base/utf8.h"
#include "formats/perf/private.h"

/* The first line of a sample. */
struct head {
    struct prof_slice comm, event, frame;
    int64_t pid, tid, cpu; /* -1: not there */
    uint64_t time, period; /* PERF_NO_TIME, 1: not there */
    bool has_period;
    bool has_data; /* of a tracepoint, in place of a frame */
};

struct frame {
    uint64_t address;
    struct prof_slice symbol, file;
    bool inlined;
};

enum {
    MAX_EVENTS = 256,
    MAX_LINE = 16 * 1024 * 1024, /* bytes; lines of perf have a few thousand */
};

struct text {
    struct perf *p;
    struct perf_bytes bytes;
    struct prof_slice next;   /* the next line, if next_bytes is not 0 */
    size_t next_bytes;        /* its length, with the newline */
    size_t number;            /* number of the line before it, from 1 */
    struct buf head;          /* the first line of the sample */
    struct map keys;          /* locations by their texts in the input */
    struct map events, files; /* by id of names: rows as in *p */
    VEC(uint32_t) lines;      /* names of inlined functions of the next frame */
    struct buf key;           /* text of lines[] and of the frame */
    VEC(uint32_t) stack;      /* locations, leaf first */
    uint64_t skipped;         /* number of lines that were skipped */
    uint64_t bare;            /* number of samples without a frame */
};

/* --- lines ---------------------------------------------------------------- */

/* Parses "12345.678901:" to nanoseconds; perf prints 6 digits or 9. */
static bool read_time(struct prof_slice word, uint64_t *nanos)
{
    uint64_t v[2] = {0, 0}, unit = 1000000000;
    size_t i = 0;
    for (; i < word.n && i < 10 && ascii_is_digit(word.s[i]); i++)
        v[0] = v[0] * 10 + (uint64_t)(word.s[i] - '0');
    if (!i || i == word.n || word.s[i] != '.')
        return false;
    for (i++; i < word.n && unit > 1 && ascii_is_digit(word.s[i]); i++) {
        unit /= 10;
        v[1] += (uint64_t)(word.s[i] - '0') * unit;
    }
    *nanos = v[0] * 1000000000 + v[1];
    return unit <= 1000 && i + 1 == word.n && word.s[i] == ':';
}

static int64_t read_number(struct prof_slice s)
{
    int64_t v;
    return slice_to_int(s, &v) ? v : -1;
}

/* Parses what precedes the time: name, process and thread, processor, modes
 * (perf script -F +misc). */
static void read_thread(struct prof_slice s, struct head *h)
{
    s = slice_trim(s);
    struct prof_slice before = s, word = slice_take_last_word(&before);
    size_t modes = 0;
    while (modes < word.n && ascii_is_one_of(word.s[modes], "KUHGgMEFS"))
        modes++;
    if (modes == word.n && slice_ends_with(before, "]")) {
        s = before = slice_trim(before);
        word = slice_take_last_word(&before);
    }
    if (word.n > 2 && word.s[0] == '[' && word.s[word.n - 1] == ']') {
        h->cpu = read_number((struct prof_slice){word.s + 1, word.n - 2});
        s = before = slice_trim(before);
        word = slice_take_last_word(&before);
    }
    struct prof_slice tid = word, pid = slice_take_until(&tid, '/');
    const bool has_pid = pid.n < word.n;
    const int64_t number = read_number(has_pid ? tid : pid);
    if (number >= 0) {
        h->tid = number;
        h->pid = has_pid ? read_number(pid) : -1;
        s = slice_trim(before);
    }
    h->comm = s;
}

/* Removes and returns the file, in parentheses at the end of *s; its name may
 * contain parentheses. */
static struct prof_slice take_file(struct prof_slice *s)
{
    size_t depth = 0, i = s->n;
    struct prof_slice none = {"", 0};
    if (!s->n || s->s[s->n - 1] != ')')
        return none;
    while (i--) {
        depth += s->s[i] == ')';
        if (s->s[i] == '(' && --depth == 0)
            break;
    }
    if (i >= s->n || (i && s->s[i - 1] != ' '))
        return none;
    struct prof_slice file = {s->s + i + 1, s->n - i - 2};
    *s = slice_trim(slice_to(*s, i));
    return file;
}

static bool read_frame(struct prof_slice line, struct frame *f)
{
    struct prof_slice s = slice_trim(line);
    *f = (struct frame){0};
    if (!slice_take_hex(&s, &f->address) || (s.n && !ascii_is_blank(s.s[0])))
        return false;
    s = slice_trim(s);
    f->file = take_file(&s);
    f->inlined = slice_is(f->file, "inlined");
    struct prof_slice name = s, offset;
    uint64_t v;
    if (slice_split_last(&name, '+', &offset) && name.n &&
        slice_take_0xhex(&offset, &v) && !offset.n)
        s = name;
    f->symbol = slice_is(s, "[unknown]") ? (struct prof_slice){"", 0} : s;
    return true;
}

/* Removes the time and all before it from *rest; sets *before to the text
 * before it.  Names of threads may contain words that look like a time. */
static bool take_time(struct prof_slice *rest, struct prof_slice *before,
                      uint64_t *time)
{
    struct prof_slice s = *rest;
    for (struct prof_slice word; (word = slice_take_word(&s)).n;)
        if (read_time(word, time)) {
            *before = slice_to(*rest, (size_t)(word.s - rest->s));
            *rest = s;
            return true;
        }
    *time = PERF_NO_TIME;
    return false;
}

static bool is_blank_line(struct prof_slice line)
{
    return !slice_trim(line).n;
}

/* Returns the frame that follows the data of a tracepoint, empty if there is
 * none.  perf right-aligns its address in 16 columns after a blank. */
static struct prof_slice find_frame(struct prof_slice data)
{
    struct prof_slice frame = {"", 0}, s = data;
    struct frame f;
    for (struct prof_slice word; (word = slice_take_word(&s)).n;) {
        const size_t at = (size_t)(word.s - data.s), blanks = 17 - word.n;
        if (word.n < 17 && at >= blanks && slice_is_hex(word) &&
            !memcmp(word.s - blanks, "                ", blanks))
            frame = slice_trim(slice_from(data, at));
    }
    return read_frame(frame, &f) && f.file.n ? frame : slice_to(frame, 0);
}

/*
 * Parses the first line of a sample.  Returns false if it has no event, which
 * is a word that ends with a colon.
 */
static bool read_head(struct prof_slice line, struct head *h)
{
    struct prof_slice rest = line, before = {line.s, 0};
    struct frame f;
    *h = (struct head){.pid = -1, .tid = -1, .cpu = -1};
    bool timed = take_time(&rest, &before, &h->time);
    /* Without a time, a name may have a word that looks like an event. */
    bool is_last = !timed && slice_ends_with(slice_trim(line), ":");
    size_t colon = rest.n; /* offset after the last colon */
    while (colon && rest.s[colon - 1] != ':')
        colon--;
    const char *end = rest.s + colon;
    for (struct prof_slice word; (word = slice_take_word(&rest)).n;) {
        if (word.n > 1 && word.s[word.n - 1] == ':' &&
            (!is_last || is_blank_line(rest))) {
            h->event = slice_to(word, word.n - 1);
            break;
        }
        if (word.s[0] == '[') /* a processor: the number was a thread's */
            h->has_period = false;
        else if (slice_is_decimal(word) && (timed || rest.s < end)) {
            h->has_period = true;
            /* Periods that exceed 63 bits are refused later. */
            const int64_t number = read_number(word);
            h->period = number < 0 ? UINT64_MAX : (uint64_t)number;
        }
    }
    if (!h->has_period)
        h->period = 1;
    if (!timed) {
        struct prof_slice all = slice_trim(
            slice_to(line, h->event.s ? (size_t)(h->event.s - line.s) : 0));
        before = all;
        if (read_number(slice_take_last_word(&before)) < 0)
            before = all;
    }
    read_thread(before, h);
    h->frame = slice_trim(rest);
    h->has_data = h->frame.n && !read_frame(h->frame, &f);
    if (h->has_data)
        h->frame = find_frame(h->frame);
    return h->event.n > 0;
}

/* Makes the next line available, with its newline unless it is the last. */
static bool read_line(struct perf_bytes *r, size_t number, struct prof_err *err)
{
    size_t searched = 0;
    for (;;) {
        size_t n = perf_available(r);
        if (n > searched && memchr(r->v + r->at + searched, '\n', n - searched))
            return true;
        if (n > MAX_LINE)
            return err_input(err, "line %zu: longer than %d MiB", number,
                             MAX_LINE >> 20);
        if (!perf_read_more(r, n + 1, err))
            return false;
        if (perf_available(r) == n) /* the input has ended */
            return true;
        searched = n;
    }
}

/*
 * Sets *line to the next line without taking it, and *got to whether there is
 * one.  The line is valid until the line after it is read.
 */
static bool peek_line(struct text *t, struct prof_slice *line, bool *got,
                      struct prof_err *err)
{
    struct perf_bytes *r = &t->bytes;
    if (!t->next_bytes) {
        if (!read_line(r, t->number + 1, err))
            return false;
        struct prof_slice rest = {"", perf_available(r)};
        if (rest.n)
            rest.s = (const char *)r->v + r->at;
        t->next = slice_take_line(&rest);
        t->next_bytes = perf_available(r) - rest.n;
    }
    *got = t->next_bytes > 0;
    *line = t->next;
    return true;
}

/* Consumes the line that peek_line() returned. */
static void take_line(struct text *t)
{
    perf_consume(&t->bytes, t->next_bytes);
    t->next_bytes = 0;
    t->number++;
}

/* --- frames --------------------------------------------------------------- */

/* Sets *row to the mapping of a file, or PROF_NONE. */
static bool get_mapping(struct text *t, struct prof_slice file, uint32_t *row,
                        struct prof_err *err)
{
    struct perf_processes *ps = &t->p->processes;
    struct perf_mapping m = {.size = UINT64_MAX, .used = true};
    *row = PROF_NONE;
    if (!file.n || slice_is(file, "[unknown]"))
        return true;
    return (strtab_add(&t->p->about.names, file.s, file.n, &m.file) &&
            map_push(&t->files, &ps->mappings, &m.file, sizeof m.file, row,
                     m)) ||
           err_nomem(err);
}

/* Adds the location of a frame to the stack; t->key, the text of the frame and
 * of the functions inlined into it, identifies the location. */
static bool end_location(struct text *t, const struct frame *f,
                         struct prof_err *err)
{
    struct perf_stacks *s = &t->p->stacks;
    struct perf_location l = {.offset = f->address};
    const size_t n = t->lines.v[0] ? t->lines.n : 0;
    uint32_t row;
    bool is_new;
    if (!map_add(&t->keys, t->key.v, t->key.n, &row, &is_new))
        return err_nomem(err);
    if (is_new) {
        if (!get_mapping(t, f->file, &l.row, err))
            return false;
        if (!s->functions.n && !vec_push(&s->functions, 0))
            return err_nomem(err);
        l.names = n ? (uint32_t)s->functions.n : 0;
        if (s->functions.n > UINT32_MAX - 1 - n ||
            !vec_reserve(&s->functions, n + 1) || !vec_push(&s->locations, l))
            return err_nomem(err);
        if (n)
            s->functions.v[s->functions.n++] = (uint32_t)n;
        for (size_t i = 0; i < n; i++)
            s->functions.v[s->functions.n++] = t->lines.v[i];
    }
    t->key.n = t->lines.n = 0;
    return vec_push(&t->stack, row) || err_nomem(err);
}

static bool add_frame(struct text *t, struct prof_slice line,
                      struct prof_err *err)
{
    struct frame f;
    struct prof_slice s = slice_trim(line);
    uint32_t name = 0;
    if (!read_frame(line, &f)) {
        t->skipped++;
        return true;
    }
    if ((f.symbol.n &&
         !strtab_add(&t->p->about.names, f.symbol.s, f.symbol.n, &name)) ||
        !buf_put(&t->key, s.s, s.n) || !buf_putc(&t->key, '\n') ||
        !vec_push(&t->lines, name))
        return err_nomem(err);
    return f.inlined || end_location(t, &f, err);
}

/*
 * Adds the frame of the line that was taken last.  Most frames are repeated:
 * their text, with the newline that follows it in the input, is a known key.
 */
static bool add_line(struct text *t, struct prof_slice line,
                     struct prof_err *err)
{
    const struct prof_slice s = slice_trim(line);
    const char *end = (const char *)t->bytes.v + t->bytes.at;
    uint32_t id;
    if (!t->lines.n && s.n && s.s + s.n < end && s.s[s.n] == '\n' &&
        t->keys.keys.n && strtab_find(&t->keys.keys, s.s, s.n + 1, &id))
        return vec_push(&t->stack, id - 1) || err_nomem(err);
    return add_frame(t, line, err);
}

/* Reads the frames of a sample into t->stack. */
static bool read_frames(struct text *t, const struct head *h,
                        struct prof_err *err)
{
    const bool timed = h->time != PERF_NO_TIME;
    struct prof_slice line;
    bool more;
    t->stack.n = t->key.n = t->lines.n = 0;
    if (!peek_line(t, &line, &more, err))
        return false;
    const bool has_tab = more && slice_begins_with(line, "\t");
    /* If frames follow, h->frame is data of a tracepoint. */
    if (h->frame.n && !has_tab && !add_frame(t, h->frame, err))
        return false;
    struct head next;
    if (!has_tab && (h->frame.n || h->has_data)) {
        /* The source line of the frame (perf script -F +srcline). */
        if (more && slice_begins_with(line, "  ") && line.n > 2 &&
            line.s[2] != ' ' && !read_head(line, &next)) {
            take_line(t);
            t->skipped++;
        }
        return true;
    }
    for (;;) {
        if (!peek_line(t, &line, &more, err))
            return false;
        /* The first line of the next sample has a time if this one has. */
        struct frame f;
        if (!more ||
            (!slice_begins_with(line, "\t") && read_head(line, &next) &&
             (timed ? next.time != PERF_NO_TIME : !read_frame(line, &f))))
            return true;
        take_line(t);
        if (is_blank_line(line)) /* it ends the sample */
            return true;
        if (t->stack.n && t->p->opts->flat)
            continue;
        if (!add_line(t, line, err))
            return false;
    }
}

/* --- samples -------------------------------------------------------------- */

/* Sets *event to the number of the event, added if it is new. */
static bool get_event(struct text *t, const struct head *h, uint32_t *event,
                      struct prof_err *err)
{
    struct perf_about *about = &t->p->about;
    struct perf_event e = {.unit = "count"};
    if (!strtab_add(&about->names, h->event.s, h->event.n, &e.name) ||
        !map_add(&t->events, &e.name, sizeof e.name, event, NULL))
        return err_nomem(err);
    if (*event < about->events.list.n)
        return true;
    if (*event >= MAX_EVENTS)
        return err_input(err, "more than %d events", MAX_EVENTS);
    if (h->has_period)
        e.unit = perf_event_unit(NULL, h->event);
    return vec_push(&about->events.list, e) || err_nomem(err);
}

static bool get_labels(struct text *t, const struct head *h, uint32_t event,
                       uint32_t *set, struct prof_err *err)
{
    uint32_t comm = 0;
    if (perf_wanted_labels(t->p->opts) >> PERF_LABEL_COMM & 1 &&
        !strtab_add(&t->p->about.names, h->comm.s, h->comm.n, &comm))
        return err_nomem(err);
    const struct perf_label values[PERF_LABELS] = {
        [PERF_LABEL_PID] = {h->pid >= 0, (uint64_t)h->pid},
        [PERF_LABEL_TID] = {h->tid >= 0, (uint64_t)h->tid},
        [PERF_LABEL_COMM] = {comm, comm},
        [PERF_LABEL_CPU] = {h->cpu >= 0, (uint64_t)h->cpu},
        [PERF_LABEL_EVENT] = {true, event},
        [PERF_LABEL_TIME] = {h->time <= INT64_MAX, h->time},
    };
    return perf_intern_labels(t->p, values, set, err);
}

/* Reads the frames of a sample, and counts it unless options exclude it. */
static bool add_sample(struct text *t, const struct head *h,
                       struct prof_err *err)
{
    struct perf *p = t->p;
    const struct perf_opts *o = p->opts;
    struct perf_count count = {.samples = 1, .events = (int64_t)h->period};
    bool wanted;
    if (!read_frames(t, h, err))
        return false;
    if (!perf_is_listed(h->event, &o->events))
        return true;
    const struct perf_taken taken = {.pid = h->pid >= 0 ? h->pid : h->tid,
                                     .tid = h->tid,
                                     .cpu = h->cpu,
                                     .time = h->time};
    if (!get_event(t, h, &count.event, err) ||
        !perf_select(p, &taken, &wanted, err))
        return false;
    if (!wanted || !perf_is_listed(h->comm, &o->comms)) {
        p->counts.filtered++;
        return true;
    }
    perf_note_time(p, h->time);
    if (h->period > INT64_MAX)
        return err_input(err, "line %zu: the period exceeds 63 bits",
                         t->number);
    if (h->pid < 0 && o->each_process)
        return err_input(err,
                         "line %zu: no process ID, which --each=process "
                         "requires: run perf script with -F +pid",
                         t->number);
    size_t n = t->stack.n;
    t->bare += !n;
    p->chains.depths.n++;
    if (!o->flat)
        perf_count_depth(&p->chains.depths, n, PERF_MAX_STACK);
    if (o->max_stack && n > o->max_stack)
        n = (size_t)o->max_stack;
    return perf_intern_stack(&p->stacks, t->stack.v, n, &count.stack, err) &&
           get_labels(t, h, count.event, &count.labels, err) &&
           (perf_count(&p->stacks, &count, err) ||
            (err->kind == PROF_ERR_INPUT &&
             err_prefix(err, "line %zu: ", t->number)));
}

/* --- all samples ---------------------------------------------------------- */

/* Returns whether a line is from perf script --show-task-events and such. */
static bool is_record(struct prof_slice line)
{
    struct prof_slice before;
    uint64_t time;
    (void)take_time(&line, &before, &time);
    return slice_begins_with(slice_trim(line), "PERF_RECORD_");
}

static void note_counts(const struct text *t)
{
    const struct perf *p = t->p;
    const struct perf_depths *d = &p->chains.depths;
    if (d->full && !d->over)
        note_at(p->notes, perf_depths_level(d),
                "callers may be missing from %" PRIu64 " of %" PRIu64
                " samples: stacks "
                "end at %d frames, the default limit of the kernel (sysctl "
                "kernel.perf_event_max_stack) and of perf script (--max-stack)",
                d->full, d->n, PERF_MAX_STACK);
    if (t->bare > d->n / 100)
        note_warn(p->notes,
                  "no frames in %" PRIu64 " of %" PRIu64 " samples: run perf "
                  "script with -F +ip,+sym,+dso",
                  t->bare, d->n);
    note_count(p->notes, PROF_NOTE_INFO, t->skipped,
               "%" PRIu64 " line{s} skipped: not {a frame|frames}", t->skipped);
    perf_note_none(p);
    perf_note_labels(p);
}

static bool read_samples(struct text *t, struct prof_err *err)
{
    struct prof_slice line;
    struct head h;
    bool got;
    for (;;) {
        if (!peek_line(t, &line, &got, err))
            return false;
        if (!got)
            return true;
        take_line(t);
        /* Records of namespaces continue in lines that begin with two tabs. */
        if (is_blank_line(line) || line.s[0] == '#' || is_record(line) ||
            slice_begins_with(line, "\t\t"))
            continue;
        /* Parse a copy, as reading the next line invalidates this one. */
        t->head.n = 0;
        if (!buf_put(&t->head, line.s, line.n))
            return err_nomem(err);
        line.s = (const char *)t->head.v;
        if (!read_head(line, &h))
            return err_input(err,
                             "line %zu: expected the first line of a sample, "
                             "with an event and a colon",
                             t->number);
        if (!add_sample(t, &h, err))
            return false;
    }
}

bool perf_text_read(struct perf *p, const struct import_input *in,
                    struct prof_err *err)
{
    struct text t = {.p = p, .bytes = {.stream = in->stream}};
    if (!in->stream) {
        t.bytes.v = in->data;
        t.bytes.n = in->n;
    }
    if (p->opts->latency)
        return err_input(err, "--latency: the output of perf script has no "
                              "context switches; convert the perf.data file");
    if (p->opts->symbols.binary)
        note_warn(p->notes, "--executable has no effect on the output of perf "
                            "script: it already has symbols");
    bool ok = read_samples(&t, err);
    if (ok)
        note_counts(&t);
    map_free(&t.keys);
    map_free(&t.events);
    map_free(&t.files);
    vec_free(&t.lines);
    vec_free(&t.stack);
    buf_free(&t.key);
    buf_free(&t.head);
    buf_free(&t.bytes.window);
    return ok;
}

/* --- detection ------------------------------------------------------------ */

bool perf_text_begins(const uint8_t *data, size_t n)
{
    struct prof_slice rest = {(const char *)data, n}, line = {0};
    struct head h;
    struct frame f;
    if (!slice_begins_as_text(rest))
        return false;
    do
        line = slice_take_line(&rest);
    while (rest.n && (is_blank_line(line) || line.s[0] == '#'));
    if (is_record(line))
        return true;
    if (!line.n || !read_head(line, &h))
        return false;
    bool is_thread = h.tid >= 0 && (h.time != PERF_NO_TIME || h.cpu >= 0);
    if (h.frame.n)
        return h.time != PERF_NO_TIME || (read_frame(h.frame, &f) && f.file.n);
    line = slice_take_line(&rest);
    return is_thread || (slice_begins_with(line, "\t") && read_frame(line, &f));
}
