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
    MAX_LINE = 16 * 1024 * 1024, /* bytes; perf writes some thousands at most */
};

struct text {
    const struct perf_opts *opts;
    const struct prof_notes *notes;
    struct perf_text *out;
    struct profile *p; /* of *out */
    struct perf_reader bytes;
    struct prof_slice next; /* the next line, if next_bytes is not 0 */
    size_t next_bytes;      /* with its newline */
    size_t number;          /* of the line before it; from 1 */
    struct buf head;        /* the first line of the sample */
    uint64_t seed;          /* of hashes, as mix_seed() */
    struct strtab keys, files, events;
    VEC(uint32_t) locations;     /* by id of keys */
    VEC(uint32_t) mappings;      /* by id of files */
    VEC(uint32_t) functions;     /* by string id of the symbol */
    VEC(struct prof_line) lines; /* of inlined functions that wait */
    struct buf key;              /* their text and that of the frame */
    VEC(uint32_t) stack;
    VEC(struct prof_label) labels; /* of a sample */
    struct hashidx sample_index;   /* of out->samples */
    unsigned has_labels;           /* bits: keys that any sample has */
    uint64_t first_time, last_time;
    uint64_t skipped;  /* lines */
    uint64_t filtered; /* samples that options exclude */
};

/* --- lines ---------------------------------------------------------------- */

/* "12345.678901:" in nanoseconds; perf prints 6 digits or 9. */
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
    int64_t v = -1;
    return slice_is_decimal(s) && slice_take_int(&s, &v) ? v : -1;
}

/* More than 63 bits is more than any period that is accepted. */
static uint64_t read_period(struct prof_slice word)
{
    int64_t number = read_number(word);
    return number < 0 ? UINT64_MAX : (uint64_t)number;
}

/* Parses what precedes the time: name, process and thread, processor. */
static void read_thread(struct prof_slice s, struct head *h)
{
    s = slice_trim(s);
    struct prof_slice before = s, word = slice_take_last_word(&before);
    if (word.n > 2 && word.s[0] == '[' && word.s[word.n - 1] == ']') {
        h->cpu = read_number((struct prof_slice){word.s + 1, word.n - 2});
        s = before = slice_trim(before);
        word = slice_take_last_word(&before);
    }
    const char *slash = word.n ? memchr(word.s, '/', word.n) : NULL;
    size_t k = slash ? (size_t)(slash - word.s) : 0;
    int64_t tid = read_number(slash ? slice_from(word, k + 1) : word);
    if (tid >= 0) {
        h->tid = tid;
        h->pid = slash ? read_number(slice_to(word, k)) : -1;
        s = slice_trim(before);
    }
    h->comm = s;
}

/* Takes the file in parentheses at the end, whose name may have others. */
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
    for (size_t i = s.n; i-- > 1;)
        if (s.s[i] == '+') {
            struct prof_slice offset = slice_from(s, i + 1);
            uint64_t v;
            if (slice_take_0xhex(&offset, &v) && !offset.n)
                s = slice_to(s, i);
            break;
        }
    f->symbol = slice_is(s, "[unknown]") ? (struct prof_slice){"", 0} : s;
    return true;
}

/* Takes the time and what is before it; a name may have words like a time. */
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

/*
 * Parses the first line of a sample.  False: it has no event, which is a word
 * that ends with a colon.
 */
static bool read_head(struct prof_slice line, struct head *h)
{
    struct prof_slice rest = line, before = {line.s, 0};
    struct frame f;
    *h = (struct head){.pid = -1, .tid = -1, .cpu = -1};
    bool timed = take_time(&rest, &before, &h->time);
    /* Without a time, a name may have a word that looks like an event. */
    bool is_last = !timed && slice_ends_with(slice_trim(line), ":");
    size_t colon = rest.n; /* behind the last one */
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
            h->period = read_period(word);
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
        h->frame.n = 0;
    return h->event.n > 0;
}

/* Makes the next line available, with its newline unless it is the last. */
static bool read_line(struct perf_reader *r, size_t number,
                      struct prof_err *err)
{
    size_t searched = 0;
    for (;;) {
        size_t n = perf_available(r);
        if (n > searched && memchr(r->v + r->at + searched, '\n', n - searched))
            return true;
        if (n > MAX_LINE)
            return err_set(err, PROF_ERR_INPUT, "line %zu: longer than %d MiB",
                           number, MAX_LINE >> 20);
        if (!perf_read_more(r, n + 1, err))
            return false;
        if (perf_available(r) == n) /* the input has ended */
            return true;
        searched = n;
    }
}

/*
 * Sets *line to the next line, which stays the next one; *got: there is one.
 * It is valid until the line after it is asked for.
 */
static bool peek_line(struct text *t, struct prof_slice *line, bool *got,
                      struct prof_err *err)
{
    struct perf_reader *r = &t->bytes;
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

/* After peek_line(). */
static void take_line(struct text *t)
{
    perf_consume(&t->bytes, t->next_bytes);
    t->next_bytes = 0;
    t->number++;
}

/* --- the profile ---------------------------------------------------------- */

static bool add_type(struct text *t, struct prof_slice event, const char *what,
                     const char *unit, struct prof_err *err)
{
    struct prof_value_type type;
    struct buf b = {0};
    bool ok =
        (buf_put(&b, event.s, event.n) && buf_puts(&b, what)) || err_nomem(err);
    ok = ok && prof_strn(t->p, (const char *)b.v, b.n, &type.type, err) &&
         prof_str(t->p, unit, &type.unit, err) &&
         prof_add_type_id(t->p, type, err);
    buf_free(&b);
    return ok;
}

static bool is_listed(struct prof_slice s, const char *const *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (slice_is(s, list[i]))
            return true;
    return !n;
}

/* Sets *event to its number; adds it unless --event excludes it. */
static bool get_event(struct text *t, const struct head *h, uint32_t *event,
                      bool *listed, struct prof_err *err)
{
    const struct prof_slice name = h->event;
    uint32_t id;
    *listed = true;
    if (!strtab_find(&t->events, name.s, name.n, &id)) {
        *listed = is_listed(name, t->opts->events, t->opts->n_events);
        if (!*listed)
            return true;
        if (t->events.n > MAX_EVENTS)
            return err_set(err, PROF_ERR_INPUT, "more than %d events",
                           MAX_EVENTS);
        if (!strtab_add(&t->events, name.s, name.n, &id))
            return err_nomem(err);
        const char *unit =
            h->has_period ? perf_event_unit(NULL, name) : "count";
        if (!add_type(t, name, "_sample", "count", err) ||
            !add_type(t, name, "_event", unit, err))
            return false;
        t->p->default_sample_type = t->p->types[1].type;
    }
    *event = id - 1;
    return true;
}

static bool get_mapping(struct text *t, struct prof_slice file,
                        uint32_t *mapping, struct prof_err *err)
{
    uint32_t id;
    struct prof_mapping m = {.limit = UINT64_MAX, .has_functions = true};
    *mapping = PROF_NONE;
    if (!file.n || slice_is(file, "[unknown]"))
        return true;
    if (!strtab_add(&t->files, file.s, file.n, &id))
        return err_nomem(err);
    while (t->mappings.n <= id)
        if (!vec_push(&t->mappings, PROF_NONE))
            return err_nomem(err);
    if (t->mappings.v[id] == PROF_NONE &&
        !(prof_strn(t->p, file.s, file.n, &m.filename, err) &&
          prof_add_mapping(t->p, &m, &t->mappings.v[id], err)))
        return false;
    *mapping = t->mappings.v[id];
    return true;
}

static bool get_function(struct text *t, struct prof_slice symbol,
                         uint32_t *function, struct prof_err *err)
{
    struct prof_function f = {0};
    *function = PROF_NONE;
    if (!symbol.n)
        return true;
    if (!prof_strn(t->p, symbol.s, symbol.n, &f.name, err))
        return false;
    f.system_name = f.name;
    while (t->functions.n <= f.name)
        if (!vec_push(&t->functions, PROF_NONE))
            return err_nomem(err);
    if (t->functions.v[f.name] == PROF_NONE &&
        !prof_add_function(t->p, &f, &t->functions.v[f.name], err))
        return false;
    *function = t->functions.v[f.name];
    return true;
}

/* Ends a frame: its text and that of inlined functions is one location. */
static bool end_location(struct text *t, const struct frame *f,
                         struct prof_err *err)
{
    uint32_t id;
    struct prof_location l = {.address = f->address};
    if (!strtab_add(&t->keys, (const char *)t->key.v, t->key.n, &id))
        return err_nomem(err);
    while (t->locations.n <= id)
        if (!vec_push(&t->locations, PROF_NONE))
            return err_nomem(err);
    if (t->locations.v[id] == PROF_NONE) {
        size_t n = t->lines.v[0].function == PROF_NONE ? 0 : t->lines.n;
        if (!get_mapping(t, f->file, &l.mapping, err) ||
            !prof_add_location(t->p, &l, t->lines.v, n, &t->locations.v[id],
                               err))
            return false;
    }
    t->key.n = t->lines.n = 0;
    return vec_push(&t->stack, t->locations.v[id]) || err_nomem(err);
}

static bool add_frame(struct text *t, struct prof_slice line,
                      struct prof_err *err)
{
    struct frame f;
    struct prof_line l = {0};
    struct prof_slice s = slice_trim(line);
    if (!read_frame(line, &f)) {
        t->skipped++;
        return true;
    }
    if (!get_function(t, f.symbol, &l.function, err))
        return false;
    if (!buf_put(&t->key, s.s, s.n) || !buf_putc(&t->key, '\n') ||
        !vec_push(&t->lines, l))
        return err_nomem(err);
    return f.inlined || end_location(t, &f, err);
}

static bool add_label(struct text *t, unsigned key, struct prof_slice text,
                      int64_t number, struct prof_err *err)
{
    if (!(t->opts->labels >> key & 1) || (!text.n && number < 0))
        return true;
    struct prof_label l = {.num = text.n ? 0 : number};
    t->has_labels |= 1u << key;
    return prof_str(t->p, perf_label_names[key], &l.key, err) &&
           (!text.n || prof_strn(t->p, text.s, text.n, &l.str, err)) &&
           (key != PERF_LABEL_CPU || prof_str(t->p, "cpu", &l.unit, err)) &&
           (vec_push(&t->labels, l) || err_nomem(err));
}

static bool get_labels(struct text *t, const struct head *h, uint32_t *set,
                       struct prof_err *err)
{
    const struct prof_slice none = {"", 0};
    int64_t time = h->time <= INT64_MAX ? (int64_t)h->time : -1;
    t->labels.n = 0;
    return add_label(t, PERF_LABEL_PID, none, h->pid, err) &&
           add_label(t, PERF_LABEL_TID, none, h->tid, err) &&
           add_label(t, PERF_LABEL_COMM, h->comm, -1, err) &&
           add_label(t, PERF_LABEL_CPU, none, h->cpu, err) &&
           add_label(t, PERF_LABEL_EVENT, h->event, -1, err) &&
           add_label(t, PERF_LABEL_TIME, none, time, err) &&
           prof_labelset(t->p, t->labels.v, t->labels.n, set, err);
}

static bool is_wanted(const struct text *t, const struct head *h)
{
    const struct perf_opts *o = t->opts;
    bool of_pid = !o->n_pids;
    for (size_t i = 0; i < o->n_pids; i++)
        of_pid |= o->pids[i] == (h->pid >= 0 ? h->pid : h->tid);
    return of_pid && is_listed(h->comm, o->comms, o->n_comms) &&
           (!o->to || (h->time >= o->from && h->time <= o->to));
}

static void note_time(struct text *t, uint64_t time)
{
    if (time == PERF_NO_TIME)
        return;
    if (!t->first_time || time < t->first_time)
        t->first_time = time;
    if (time > t->last_time)
        t->last_time = time;
}

/*
 * Whether a line is the first of a sample.  `timed`: the sample before it has a
 * time, so that this one has, too.
 */
static bool begins_next(struct prof_slice line, bool timed)
{
    struct head next;
    struct frame f;
    if (slice_begins_with(line, "\t") || !read_head(line, &next))
        return false;
    return timed ? next.time != PERF_NO_TIME : !read_frame(line, &f);
}

/*
 * Sets *line to the next line of the sample.  *more: there is one; an empty
 * line or the first line of the next sample ends it.
 */
static bool next_of_sample(struct text *t, const struct head *h,
                           struct prof_slice *line, bool *more,
                           struct prof_err *err)
{
    if (!peek_line(t, line, more, err))
        return false;
    if (*more && begins_next(*line, h->time != PERF_NO_TIME))
        *more = false;
    if (!*more)
        return true;
    take_line(t);
    *more = !is_blank_line(*line);
    return true;
}

static uint32_t hash_sample(const struct text *t,
                            const struct perf_text_sample *s)
{
    uint64_t hash = mix_pair(t->seed, (uint64_t)s->pid,
                             (uint64_t)s->event << 32 | s->labels);
    for (size_t i = 0; i < t->stack.n; i++)
        hash = mix_pair(hash, t->stack.v[i], i);
    return mix_fold(hash);
}

/* Whether the samples *a are like *s, whose stack is t->stack. */
static bool is_sample(const struct text *t, const struct perf_text_sample *a,
                      const struct perf_text_sample *s)
{
    return a->pid == s->pid && a->event == s->event && a->labels == s->labels &&
           a->n == s->n &&
           (!s->n || memcmp(t->out->frames.v + a->at, t->stack.v,
                            s->n * sizeof *t->stack.v) == 0);
}

/* Adds a sample with t->stack, to one that is alike if there is one. */
static bool count_sample(struct text *t, struct perf_text_sample s,
                         struct prof_err *err)
{
    struct perf_text *out = t->out;
    uint32_t row, hash = hash_sample(t, &s);
    if (!hashidx_room(&t->sample_index))
        return err_nomem(err);
    size_t at = hashidx_start(&t->sample_index, hash);
    while ((row = hashidx_next(&t->sample_index, hash, &at)) != HASHIDX_NONE) {
        struct perf_text_sample *sum = &out->samples.v[row];
        if (!is_sample(t, sum, &s))
            continue;
        if (s.period > INT64_MAX - sum->period)
            return err_set(err, PROF_ERR_INPUT,
                           "line %zu: the periods of samples with the same "
                           "call chain exceed 64 bits",
                           t->number);
        sum->samples++;
        sum->period += s.period;
        return true;
    }
    if (out->samples.n >= UINT32_MAX - 1 ||
        !vec_reserve(&out->frames, t->stack.n) || !vec_push(&out->samples, s))
        return err_nomem(err);
    hashidx_put(&t->sample_index, at, hash, (uint32_t)out->samples.n - 1);
    for (size_t i = 0; i < t->stack.n; i++)
        out->frames.v[out->frames.n++] = t->stack.v[i];
    return true;
}

/* Reads the frames of a sample into t->stack. */
static bool read_frames(struct text *t, const struct head *h,
                        struct prof_err *err)
{
    struct prof_slice line;
    bool more;
    t->stack.n = t->key.n = t->lines.n = 0;
    if (!peek_line(t, &line, &more, err))
        return false;
    const bool has_tab = more && slice_begins_with(line, "\t");
    /* Data of a tracepoint that looks like a frame has frames below it. */
    if (h->frame.n && !has_tab && !add_frame(t, h->frame, err))
        return false;
    more = has_tab || (!h->frame.n && !h->has_data);
    while (more)
        if (!next_of_sample(t, h, &line, &more, err) ||
            (more && !add_frame(t, line, err)))
            return false;
    return true;
}

/* Reads the frames of a sample, and adds it unless options exclude it. */
static bool add_sample(struct text *t, const struct head *h,
                       struct prof_err *err)
{
    struct perf_text_sample s = {.pid = t->opts->each_process ? h->pid : -1,
                                 .samples = 1,
                                 .period = (int64_t)h->period};
    bool listed;
    if (!read_frames(t, h, err) || !get_event(t, h, &s.event, &listed, err))
        return false;
    if (!listed)
        return true;
    if (!is_wanted(t, h)) {
        t->filtered++;
        return true;
    }
    note_time(t, h->time);
    if (h->period > INT64_MAX)
        return err_set(err, PROF_ERR_INPUT,
                       "line %zu: the period exceeds 63 bits", t->number);
    if (h->pid < 0 && t->opts->each_process)
        return err_set(
            err, PROF_ERR_INPUT,
            "line %zu: no process ID, which --each=process requires: "
            "run perf script with -F +pid",
            t->number);
    t->out->depths.n++;
    perf_count_depth(&t->out->depths, t->stack.n, PERF_MAX_STACK);
    if (t->opts->max_stack && t->stack.n > t->opts->max_stack)
        t->stack.n = (size_t)t->opts->max_stack;
    s.n = (uint32_t)t->stack.n;
    s.at = t->out->frames.n;
    return get_labels(t, h, &s.labels, err) && count_sample(t, s, err);
}

/* --- all samples ---------------------------------------------------------- */

/*
 * Whether a line is of perf script --show-task-events and the like.  Records of
 * namespaces go on in lines that begin with two tabs.
 */
static bool is_record(struct prof_slice line)
{
    struct prof_slice before, s = line;
    uint64_t time;
    (void)take_time(&s, &before, &time);
    return slice_begins_with(slice_trim(s), "PERF_RECORD_") ||
           slice_begins_with(line, "\t\t");
}

/* Sets *h if the line begins a sample; it refers to a copy of the line. */
static bool begins_sample(struct text *t, struct prof_slice line,
                          struct head *h, bool *is, struct prof_err *err)
{
    *is = !is_blank_line(line) && line.s[0] != '#' && !is_record(line);
    if (!*is)
        return true;
    t->head.n = 0;
    if (!buf_put(&t->head, line.s, line.n))
        return err_nomem(err);
    return read_head((struct prof_slice){(const char *)t->head.v, t->head.n},
                     h) ||
           err_set(err, PROF_ERR_INPUT,
                   "line %zu: expected the first line of a sample, with an "
                   "event and a colon",
                   t->number);
}

/* Refuses names of --event that no sample has. */
static bool check_events(const struct text *t, struct prof_err *err)
{
    for (size_t i = 0; i < t->opts->n_events; i++) {
        const char *name = t->opts->events[i];
        uint32_t id;
        if (!strtab_find(&t->events, name, strlen(name), &id))
            return err_set(err, PROF_ERR_INPUT, "no event '%s'", name);
    }
    return true;
}

static void note_counts(const struct text *t)
{
    const struct perf_depths *d = &t->out->depths;
    if (d->full && !d->over)
        note_at(t->notes, perf_depths_level(d),
                "%llu of %llu samples have %d frames and may lack callers: "
                "this is the default limit of the kernel (sysctl "
                "kernel.perf_event_max_stack) and of perf script "
                "(--max-stack)",
                (unsigned long long)d->full, (unsigned long long)d->n,
                PERF_MAX_STACK);
    if (t->skipped)
        note_info(t->notes, "%" PRIu64 " lines that are not frames skipped",
                  t->skipped);
    if (t->filtered && !t->out->samples.n)
        note_warn(t->notes,
                  "none of %llu samples match --pid, --comm or --time",
                  (unsigned long long)t->filtered);
    if (t->out->samples.n)
        perf_note_labels(t->notes, t->opts->labels, t->has_labels);
}

static bool read_samples(struct text *t, struct prof_err *err)
{
    struct prof_slice line;
    struct head h;
    bool got, is;
    for (;;) {
        if (!peek_line(t, &line, &got, err))
            return false;
        if (!got)
            break;
        take_line(t);
        if (!begins_sample(t, line, &h, &is, err) ||
            (is && !add_sample(t, &h, err)))
            return false;
    }
    t->p->duration_nanos = (int64_t)(t->last_time - t->first_time);
    note_counts(t);
    return check_events(t, err);
}

bool perf_text_read(const struct import_input *in, const struct perf_opts *opts,
                    struct perf_text *text, struct prof_err *err)
{
    struct text t = {.opts = opts,
                     .notes = in->notes,
                     .out = text,
                     .p = &text->p,
                     .seed = mix_seed(),
                     .bytes = {.stream = in->stream}};
    if (!in->stream) {
        t.bytes.v = in->data;
        t.bytes.n = in->n;
    }
    bool ok = prof_init(&text->p, err);
    ok = ok && ((strtab_init(&t.keys) && strtab_init(&t.files) &&
                 strtab_init(&t.events)) ||
                err_nomem(err));
    if (opts->symbols.binary)
        note_warn(in->notes, "--executable has no effect on the output of perf "
                             "script: it already has symbols");
    ok = ok && read_samples(&t, err);
    strtab_free(&t.keys);
    strtab_free(&t.files);
    strtab_free(&t.events);
    vec_free(&t.locations);
    vec_free(&t.mappings);
    vec_free(&t.functions);
    vec_free(&t.lines);
    vec_free(&t.stack);
    vec_free(&t.labels);
    hashidx_free(&t.sample_index);
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
    if (!line.n || !read_head(line, &h))
        return false;
    bool is_thread = h.time != PERF_NO_TIME && h.tid >= 0;
    if (h.frame.n)
        return h.time != PERF_NO_TIME || (read_frame(h.frame, &f) && f.file.n);
    line = slice_take_line(&rest);
    return is_thread || (slice_begins_with(line, "\t") && read_frame(line, &f));
}
