/* DCPI inputs joined into one profile: images, columns, counts. */
#include "import/dcpi.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "import/dcpi_join.h"
#include "io/kind.h"

struct dcpi *dcpi_new(const struct dcpi_opts *opts, const struct notes *notes,
                      struct err *err)
{
    struct dcpi *d = mem_zarray(1, sizeof *d);
    if (!d) {
        err_nomem(err);
        return NULL;
    }
    d->ctx = (struct dcpi_ctx){opts, notes};
    if (strtab_init(&d->names) && strtab_init(&d->image_keys) &&
        strtab_init(&d->group_keys) && strtab_init(&d->event_names) &&
        strtab_init(&d->comment_seen) && strtab_init(&d->left_out))
        return d;
    dcpi_free(d);
    err_nomem(err);
    return NULL;
}

void dcpi_free(struct dcpi *d)
{
    if (!d)
        return;
    strtab_free(&d->names);
    strtab_free(&d->image_keys);
    strtab_free(&d->group_keys);
    strtab_free(&d->event_names);
    strtab_free(&d->comment_seen);
    strtab_free(&d->left_out);
    vec_free(&d->comments);
    vec_free(&d->images);
    vec_free(&d->groups);
    vec_free(&d->events);
    vec_free(&d->columns);
    vec_free(&d->cells);
    free(d);
}

static bool name_id(struct dcpi *d, struct dcpi_span s, uint32_t *id)
{
    return strtab_add(&d->names, s.s ? s.s : "", s.n, id);
}

/* The row that has this key; if it is new, the one after the last. */
static bool row_of(struct strtab *keys, const void *key, size_t n,
                   uint32_t *row)
{
    uint32_t id;
    if (!strtab_add(keys, key, n, &id))
        return false;
    *row = id - 1;
    return true;
}

/* The last component of a path, of Unix, VMS or Windows. */
static struct dcpi_span last_part(struct dcpi_span path)
{
    size_t i = path.n;
    while (i && !strchr("/\\]", path.s[i - 1]))
        i--;
    return (struct dcpi_span){path.s + i, path.n - i};
}

/* "dcpi:" and the line, once for all inputs. */
static bool keep_line(struct dcpi *d, const char *word, struct dcpi_span line)
{
    struct buf text = {0};
    uint32_t id;
    bool ok = buf_puts(&text, "dcpi:") && buf_puts(&text, word) &&
              buf_put(&text, line.s, line.n);
    bool again = ok && !d->ctx.opts->header_only &&
                 strtab_find(&d->comment_seen, (char *)text.v, text.n, &id);
    ok = ok &&
         (again || (strtab_add(&d->comment_seen, (char *)text.v, text.n, &id) &&
                    vec_push(&d->comments, id)));
    buf_free(&text);
    return ok;
}

/*
 * What the image is called.  Samples that no image was known for come as
 * unknown@HOST; the name's line is kept where the file name does not tell.
 */
static bool name_image(struct dcpi *d, const struct dcpi_file *f,
                       struct dcpi_span *filename)
{
    static const char unknown[] = "unknown@";
    size_t n = sizeof unknown - 1;
    *filename = f->path.s ? f->path : f->name;
    if (!filename->s)
        return true;
    struct dcpi_span base = last_part(*filename);
    if (base.n >= n && memcmp(base.s, unknown, n) == 0) {
        bool ok = keep_line(d, f->path.s ? "path " : "name ", *filename);
        *filename = (struct dcpi_span){unknown, n - 1};
        return ok;
    }
    if (f->name.s &&
        (base.n != f->name.n || memcmp(base.s, f->name.s, base.n) != 0))
        return keep_line(d, "name ", f->name);
    return true;
}

/* The image of a file, joined with an earlier one that it is the same as. */
static bool join_image(struct dcpi *d, const struct dcpi_file *f,
                       uint32_t *index)
{
    struct image im = {.start = f->text_start,
                       .limit = f->text_start + f->text_size};
    struct image_key key = {.text_start = f->text_start};
    struct dcpi_span filename;
    if (!name_image(d, f, &filename) || !name_id(d, filename, &im.filename) ||
        !name_id(d, f->image, &im.id))
        return false;
    key.id = im.id;
    key.filename = im.id ? 0 : im.filename;
    if (!row_of(&d->image_keys, &key, sizeof key, index))
        return false;
    for (size_t i = 0; i < f->counts.n; i++) {
        uint64_t pc = f->counts.v[i].pc;
        im.start = pc < im.start ? pc : im.start;
        if (pc >= im.limit)
            im.limit = pc <= UINT64_MAX - DCPI_INSN ? pc + DCPI_INSN : pc;
    }
    if (*index == d->images.n)
        return vec_push(&d->images, im);
    struct image *to = &d->images.v[*index];
    if (!to->filename)
        to->filename = im.filename;
    to->start = im.start < to->start ? im.start : to->start;
    to->limit = im.limit > to->limit ? im.limit : to->limit;
    return true;
}

static bool join_group(struct dcpi *d, const struct dcpi_file *f,
                       uint32_t *index)
{
    struct group g;
    if (!name_id(d, f->label, &g.label) ||
        !name_id(d, f->platform, &g.platform))
        return false;
    return row_of(&d->group_keys, &g, sizeof g, index) &&
           (*index < d->groups.n || vec_push(&d->groups, g));
}

static bool is_selected(const struct dcpi_opts *opts, struct dcpi_span name)
{
    for (size_t i = 0; i < opts->n_events; i++)
        if (dcpi_is(name, opts->events[i]))
            return true;
    return !opts->n_events;
}

/* The counter of a ProfileMe event sums latencies in cycles. */
static bool is_latency(struct dcpi_span name)
{
    static const char *const counters[] = {":m0inflight", ":m1inflight",
                                           ":m1retdelay", ":m3inflight"};
    for (size_t i = 0; i < sizeof counters / sizeof *counters; i++) {
        size_t n = strlen(counters[i]);
        if (name.n > n && memcmp(name.s + name.n - n, counters[i], n) == 0)
            return true;
    }
    return false;
}

/* NAME:PERIOD:FRACTION, as dcpicat has it, for either form. */
static bool keep_event(struct dcpi *d, const struct dcpi_column *col)
{
    struct buf text = {0};
    bool ok = buf_put(&text, col->name.s, col->name.n) &&
              (!col->period ||
               buf_printf(&text, ":%llu:%llu", (unsigned long long)col->period,
                          (unsigned long long)col->fraction));
    struct dcpi_span line = {(char *)text.v, text.n};
    ok = ok && keep_line(d, "event ", line);
    buf_free(&text);
    return ok;
}

static bool join_column(struct dcpi *d, const struct dcpi_file *f,
                        const struct dcpi_column *col, struct column *to)
{
    struct event ev = {.is_latency = is_latency(col->name),
                       .is_cycles = dcpi_is(col->name, "cycles")};
    uint32_t i;
    if (!keep_event(d, col) ||
        !row_of(&d->event_names, col->name.s, col->name.n, &i))
        return false;
    if (i == d->events.n && !vec_push(&d->events, ev))
        return false;
    struct event *e = &d->events.v[i];
    bool scales = dcpi_has_estimate(col);
    e->has_estimate |= scales;
    e->has_nanos |= e->is_cycles && scales && f->hz;
    e->period = col->period > e->period ? col->period : e->period;
    *to = (struct column){.scale = *col, .hz = f->hz, .event = i};
    to->scale.name = (struct dcpi_span){0};
    return true;
}

static bool join_counts(struct dcpi *d, const struct dcpi_file *f)
{
    uint32_t image, group, id, none = UINT32_MAX;
    VEC(uint32_t) index = {0}; /* of the file's columns among all */
    bool ok = join_image(d, f, &image) && join_group(d, f, &group);
    for (size_t i = 0; ok && i < f->columns.n; i++) {
        const struct dcpi_column *col = &f->columns.v[i];
        struct column to;
        if (!is_selected(d->ctx.opts, col->name)) {
            note_info(d->ctx.notes, "event '%.*s' left out, %llu samples",
                      DCPI_SHOW(col->name), (unsigned long long)col->sum);
            ok = strtab_add(&d->left_out, col->name.s, col->name.n, &id) &&
                 vec_push(&index, none);
            continue;
        }
        ok = join_column(d, f, col, &to) &&
             vec_push(&index, (uint32_t)d->columns.n) &&
             vec_push(&d->columns, to);
    }
    ok = ok && vec_reserve(&d->cells, f->counts.n);
    for (size_t i = 0; ok && i < f->counts.n; i++) {
        const struct dcpi_count *count = &f->counts.v[i];
        struct cell cell = {count->pc, count->n, image, group,
                            index.v[count->column]};
        if (cell.column != none)
            d->cells.v[d->cells.n++] = cell;
    }
    vec_free(&index);
    return ok;
}

static bool join_file(struct dcpi *d, const struct dcpi_file *f)
{
    for (size_t i = 0; i < f->kept.n; i++)
        if (!keep_line(d, "", f->kept.v[i]))
            return false;
    if (f->time_nanos && (!d->time_nanos || f->time_nanos < d->time_nanos))
        d->time_nanos = f->time_nanos;
    return d->ctx.opts->header_only || join_counts(d, f);
}

static bool not_dcpi(const uint8_t *data, size_t n, struct err *err)
{
    const char *kind = kind_of(data, n);
    if (kind)
        return err_set(err, ERR_INPUT, "not a DCPI profile but %s", kind);
    return err_set(err, ERR_INPUT,
                   "not a DCPI profile: neither a file with a header that "
                   "ends in 'samples' nor the output of dcpicat");
}

bool dcpi_add(struct dcpi *d, const uint8_t *data, size_t n, struct err *err)
{
    struct dcpi_files files = {0};
    enum dcpi_form form = dcpi_sniff(data, n);
    bool ok;
    if (form == DCPI_NEITHER)
        ok = not_dcpi(data, n, err);
    else if (d->ctx.opts->header_only)
        ok = dcpi_read_header(data, n, form, &files, err);
    else if (form == DCPI_BINARY)
        ok = dcpi_read_binary(&d->ctx, data, n, &files, err);
    else
        ok = dcpi_read_text(&d->ctx, data, n, &files, err);
    for (size_t i = 0; ok && i < files.n; i++)
        ok = join_file(d, &files.v[i]) || err_nomem(err);
    dcpi_free_files(&files);
    return ok;
}
