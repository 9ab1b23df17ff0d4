/*
 * count_profile.c - reads count profiles of Go's runtime, as text
 *
 * pprof.Lookup(name).WriteTo(w, 1) writes them for goroutine, threadcreate and
 * the program's own profiles:
 *
 *      goroutine profile: total 3
 *      2 @ 0x43e156 0x406d65 0x46e2c1
 *
 * The only sample type is NAME/count, where NAME may have blanks.  If the
 * samples do not add up to the total, there is a warning.  The period is 1.
 * All addresses are return addresses.  Comments below a sample name its frames
 * (go_comments.h).  Those of goroutines may have labels, quoted as in Go
 * (https://go.dev/ref/spec#String_literals):
 *
 *      # labels: {"path":"/a \"b\"", "user":"me"}
 *
 * Labels with an empty text are dropped, with a warning.  Samples end at a
 * line that begins with "---", after which a list of mappings may follow
 * (maps.h); Go writes none.
 *
 * The only descriptions are the writer of Go (runtime/pprof) and the reader of
 * google/pprof (profile/legacy_profile.go).
 */

#include <inttypes.h>
#include <string.h>

#include "base/buf.h"
#include "base/utf8.h"
#include "base/vec.h"
#include "formats/go/go_comments.h"
#include "formats/textprof.h"

struct reading {
    struct go_text go;
    int64_t total, sum; /* in the header; the sum of the samples */
    size_t n_empty;     /* labels without text */
};

/*
 * Parses "goroutine profile: total 3" into the name, which may have blanks, and
 * the number; nothing may follow.
 */
static bool parse_header(struct prof_slice s, struct prof_slice *name,
                         int64_t *total)
{
    static const char words[] = " profile: total";
    struct prof_slice number = slice_take_last_word(&s);
    if (!slice_to_int(number, total) || !slice_ends_with(s, words))
        return false;
    *name = slice_trim(slice_to(s, s.n - (sizeof words - 1)));
    return name->n > 0;
}

static bool count_begins(const uint8_t *data, size_t n)
{
    struct prof_slice name;
    int64_t total;
    return parse_header(textprof_first_line(data, n), &name, &total);
}

static bool read_count(struct reading *r, struct prof_err *err)
{
    struct textprof *t = &r->go.text;
    struct prof_slice s = t->line;
    int64_t n;
    bool ok = slice_take_int(&s, &n) && n >= 0;
    s = slice_trim_left(s);
    if (!ok || !slice_take_char(&s, '@'))
        return textprof_note_cut(t, false) ||
               textprof_wrong(t, err, "is not a count profile sample");
    if (__builtin_add_overflow(r->sum, n, &r->sum))
        r->sum = INT64_MAX;
    (void)textprof_note_cut(t, true);
    return textprof_stack(t, s, TEXTPROF_RETURNS, err) &&
           prof_add_sample(t->p, t->frames.v, t->frames.n, &n, 0, err);
}

/* The labels that are being read from a comment.  If it is malformed, functions
 * set `malformed` and return false without an error. */
struct labels {
    struct prof_slice rest;
    struct profile *p;
    struct buf text; /* the last string read */
    VEC(struct prof_label) v;
    size_t n_empty; /* labels without text */
    bool malformed;
};

static bool is_malformed(struct labels *l)
{
    l->malformed = true;
    return false;
}

/* Reads an escape, whose backslash was taken. */
static bool read_escape(struct labels *l, struct prof_err *err)
{
    static const char names[] = "abfnrtv\\\"'";
    static const char means[] = "\a\b\f\n\r\t\v\\\"'";
    char c = l->rest.n ? l->rest.s[0] : 0;
    if (!c)
        return is_malformed(l);
    l->rest = slice_from(l->rest, 1);
    const char *name = strchr(names, c);
    if (name)
        return buf_putc(&l->text, means[name - names]) || err_nomem(err);
    size_t digits = c == 'x' ? 2 : c == 'u' ? 4 : c == 'U' ? 8 : 0;
    uint64_t v;
    if (!digits || l->rest.n < digits)
        return is_malformed(l);
    if (!slice_to_hex(slice_to(l->rest, digits), &v) || v > 0x10ffff)
        return is_malformed(l);
    l->rest = slice_from(l->rest, digits);
    return (c == 'x' ? buf_putc(&l->text, (char)v)
                     : utf8_put(&l->text, (uint32_t)v)) ||
           err_nomem(err);
}

/* Reads a string in quotes and sets *id to its string id. */
static bool read_string(struct labels *l, uint32_t *id, struct prof_err *err)
{
    l->text.n = 0;
    if (!slice_take_char(&l->rest, '"'))
        return is_malformed(l);
    while (l->rest.n && l->rest.s[0] != '"') {
        char c = l->rest.s[0];
        l->rest = slice_from(l->rest, 1);
        if (c == '\\' ? !read_escape(l, err)
                      : !buf_putc(&l->text, c) && !err_nomem(err))
            return false;
    }
    if (!slice_take_char(&l->rest, '"'))
        return is_malformed(l);
    return prof_strn(l->p, l->text.n ? (char *)l->text.v : "", l->text.n, id,
                     err);
}

/* Reads labels up to the closing brace: "key":"value", "key":"value"} */
static bool read_labels(struct labels *l, struct prof_err *err)
{
    while (!slice_take_char(&l->rest, '}')) {
        struct prof_label label = {0};
        if (!read_string(l, &label.key, err))
            return false;
        if (!slice_take_char(&l->rest, ':'))
            return is_malformed(l);
        if (!read_string(l, &label.str, err))
            return false;
        l->n_empty += !label.str;
        if (label.str && !vec_push(&l->v, label))
            return err_nomem(err);
        if (slice_take_char(&l->rest, ','))
            l->rest = slice_trim_left(l->rest);
        else if (!l->rest.n || l->rest.s[0] != '}')
            return is_malformed(l);
    }
    return !l->rest.n || is_malformed(l);
}

/* Adds the labels of a comment to the last sample. */
static bool set_labels(struct reading *r, struct prof_slice labels,
                       struct prof_err *err)
{
    const struct textprof *t = &r->go.text;
    struct labels l = {.rest = labels, .p = t->p};
    uint32_t set;
    bool ok =
        read_labels(&l, err) && prof_labelset(t->p, l.v.v, l.v.n, &set, err);
    if (ok) {
        prof_set_labelset(t->p, prof_count(t->p).samples - 1, set);
        r->n_empty += l.n_empty;
    } else if (l.malformed) {
        ok =
            textprof_is_cut(t) ||
            textprof_wrong(
                t, err, "has malformed labels: keys and values must be quoted");
    }
    buf_free(&l.text);
    vec_free(&l.v);
    return ok;
}

static bool read_text(struct reading *r, struct prof_err *err)
{
    struct textprof *t = &r->go.text;
    struct prof_header h = {.period = 1};
    struct prof_slice name;

    /* Read the header, whose name is the sample type. */
    if (!textprof_need_header(t, "count", err))
        return false;
    if (!parse_header(t->line, &name, &r->total))
        return textprof_wrong(t, err, "is not a count profile header");
    if (!prof_strn(t->p, name.s, name.n, &h.period_type.type, err) ||
        !prof_str(t->p, "count", &h.period_type.unit, err) ||
        !prof_add_type_id(t->p, h.period_type, err))
        return false;
    prof_set_header(t->p, &h);

    /* Read samples and the comments below them. */
    t->comments = true;
    while (textprof_line(t)) {
        struct prof_slice s = t->line;
        bool ok;
        if (s.s[0] != '#') {
            if (slice_begins_with(s, "---") || textprof_at_maps(t))
                break;
            ok = read_count(r, err);
        } else {
            textprof_note_cut_comment(t);
            ok =
                slice_take_prefix(&s, "# labels: {") && prof_count(t->p).samples
                    ? set_labels(r, s, err)
                    : go_text_comment(&r->go, err);
        }
        if (!ok)
            return false;
    }
    if (r->sum != r->total)
        note_loss(t->notes,
                  "the header's total is %" PRId64
                  ", but the samples add up to %" PRId64
                  "; the file may be truncated",
                  r->total, r->sum);
    note_count(t->notes, PROF_NOTE_LOSS, r->n_empty,
               "%zu label{s} with an empty string dropped", r->n_empty);
    return true;
}

struct profile *count_read(const struct import_input *in,
                           const struct import_options *options,
                           struct prof_err *err)
{
    struct reading r = {0};
    bool ok = go_text_begin(&r.go, in, err) && read_text(&r, err);
    return go_text_end(&r.go, ok, options, false, err);
}

const struct import_format count_format = {
    .name = "count",
    IMPORT_READ_BY("prof2pb", "a Go count profile (text)"),
    .writers = {"Go"},
    .begins = count_begins,
    .next = IMPORT_ANYWHERE,
};
