/*
 * count_profile.c - count profiles of Go's runtime, as text
 *
 * What pprof.Lookup(name).WriteTo(w, 1) writes for goroutine, threadcreate
 * and profiles of a program's own:
 *
 *      goroutine profile: total 3
 *      2 @ 0x43e156 0x406d65 0x46e2c1
 *
 * The one sample type is that name, counted; names that a program gives may
 * have blanks.  That the samples do not add up to the total is a warning.  The
 * period is 1.  All addresses are return addresses.  Comments below a sample
 * have its labels (go_comments.h) and the names of its frames (go_comments.h).
 * Samples end at a line that begins with "---", behind which a list of mappings
 * may follow (maps.h); Go writes none.
 *
 * As written by Go (runtime/pprof) and read by google/pprof
 * (profile/legacy_profile.go); there is no other description.
 */

#include <inttypes.h>

#include "import/go/go_comments.h"
#include "import/textprof.h"

struct reading {
    struct textprof text;
    struct go_names names;
    int64_t total, sum; /* of the header, and of the samples */
    size_t n_empty;     /* labels without text */
};

/*
 * "goroutine profile: total 3" and nothing else; takes the name, which may
 * have blanks, and the number.
 */
static bool parse_header(struct slice s, struct slice *name, int64_t *total)
{
    static const char words[] = " profile: total";
    struct slice number = slice_take_last_word(&s);
    if (!slice_is_decimal(number) || !slice_take_int(&number, total) ||
        !slice_ends_with(s, words))
        return false;
    *name = slice_trim(slice_to(s, s.n - (sizeof words - 1)));
    return name->n > 0;
}

static bool count_begins(const uint8_t *data, size_t n)
{
    struct slice name;
    int64_t total;
    return parse_header(textprof_first_line(data, n), &name, &total);
}

static bool read_count_header(struct reading *r, struct err *err)
{
    struct textprof *t = &r->text;
    struct profile *p = t->p;
    struct slice name;
    if (!textprof_header(t))
        return err_set(err, ERR_INPUT, "line 1: no header of a count profile");
    if (!parse_header(t->line, &name, &r->total))
        return textprof_wrong(t, err, "is no header of a count profile");
    struct prof_value_type type;
    if (!prof_strn(p, name.s, name.n, &type.type, err) ||
        !prof_str(p, "count", &type.unit, err))
        return false;
    p->period = 1;
    p->period_type = type;
    return prof_add_type_id(p, type, err);
}

static bool parse_sample(struct slice s, int64_t *n, struct slice *stack)
{
    if (!slice_take_int(&s, n) || *n < 0)
        return false;
    s = slice_trim_left(s);
    if (!s.n || s.s[0] != '@')
        return false;
    *stack = slice_from(s, 1);
    return true;
}

static bool read_count(struct reading *r, struct err *err)
{
    struct textprof *t = &r->text;
    int64_t n;
    struct slice stack;
    bool cut = textprof_is_cut(t);
    if (parse_sample(t->line, &n, &stack)) {
        if (__builtin_add_overflow(r->sum, n, &r->sum))
            r->sum = INT64_MAX;
        if (cut)
            textprof_note_cut(t, true);
        return textprof_stack(t, stack, TEXTPROF_LEAF_RETURN, err) &&
               prof_add_sample(t->p, t->frames.v, t->frames.n, &n, 0, err);
    }
    if (cut)
        textprof_note_cut(t, false);
    return cut || textprof_wrong(t, err, "is no sample of a count profile");
}

/* Labels are those of the sample before. */
static bool read_comment(struct reading *r, struct err *err)
{
    struct textprof *t = &r->text;
    struct profile *p = t->p;
    struct go_labels labels;
    textprof_note_cut_comment(t);
    if (!go_labels_begin(t->line) || !p->n_samples)
        return go_names_line(&r->names, t->line, err);
    if (!go_labels_read(t->line, p, &labels, err))
        return labels.malformed &&
               (textprof_is_cut(t) ||
                textprof_wrong(t, err, "has labels that are not in quotes"));
    r->n_empty += labels.n_empty;
    p->labelset[p->n_samples - 1] = labels.set;
    return true;
}

static bool read_counts(struct reading *r, struct err *err)
{
    struct textprof *t = &r->text;
    t->comments = true;
    while (textprof_line(t)) {
        bool comment = t->line.s[0] == '#';
        if (!comment &&
            (slice_begins_with(t->line, "---") || textprof_at_maps(t)))
            break;
        if (!(comment ? read_comment(r, err) : read_count(r, err)))
            return false;
    }
    if (r->sum != r->total)
        note_loss(t->notes,
                  "the header tells of %" PRId64 ", but the samples add up to "
                  "%" PRId64 ": the file may have been cut",
                  r->total, r->sum);
    if (r->n_empty)
        note_loss(t->notes, "%zu labels have an empty text, and are left out",
                  r->n_empty);
    return true;
}

static bool count_read(const struct import_input *in,
                       const struct import_options *options,
                       struct profile *out, struct err *err)
{
    struct reading r = {0};
    if (!prof_init(out, err))
        return false;
    textprof_begin(&r.text, in->data, in->n, out, in->notes);
    bool ok = read_count_header(&r, err) && read_counts(&r, err) &&
              textprof_finish(&r.text, options->binary, false, err) &&
              (options->no_symbols || go_names_apply(&r.names, out, err));
    go_names_free(&r.names);
    textprof_end(&r.text);
    return ok;
}

const struct import_format count_format = {
    .name = "count",
    IMPORT_READ_BY("prof2pb", "a count profile of Go (text)"),
    .begins = count_begins,
    .read = count_read,
    .next = IMPORT_ANYWHERE,
};
