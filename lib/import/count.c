#include "import/count.h"

#include <string.h>

#include "import/textprof.h"

/* "goroutine profile: total 3" and nothing else; takes the name. */
static bool parse_header(struct slice s, struct slice *name)
{
    static const char words[] = " profile: total ";
    *name = slice_take_word(&s);
    size_t n = sizeof words - 1;
    return name->n && s.n > n && memcmp(s.s, words, n) == 0 &&
           slice_is_decimal(slice_from(s, n));
}

bool count_begins(const uint8_t *data, size_t n)
{
    struct slice name;
    return parse_header(textprof_first_line(data, n), &name);
}

static bool read_header(struct textprof *t, struct err *err)
{
    struct profile *p = t->p;
    struct slice name;
    if (!textprof_header(t))
        return err_set(err, ERR_INPUT, "line 1: no header of a count profile");
    if (!parse_header(t->line, &name))
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
    if (s.n < 2 || s.s[0] != '@')
        return false;
    *stack = slice_from(s, 1);
    return true;
}

static bool read_samples(struct textprof *t, struct err *err)
{
    while (textprof_line(t)) {
        int64_t n;
        struct slice stack;
        if (t->line.n >= 3 && memcmp(t->line.s, "---", 3) == 0)
            break;
        if (parse_sample(t->line, &n, &stack)) {
            if (!textprof_stack(t, stack, TEXTPROF_LEAF_RETURN, err) ||
                !prof_add_sample(t->p, t->frames.v, t->frames.n, &n, 0, err))
                return false;
            if (textprof_is_cut(t))
                textprof_note_cut(t, true);
        } else if (!textprof_is_cut(t)) {
            return textprof_wrong(t, err, "is no sample of a count profile");
        } else {
            textprof_note_cut(t, false);
        }
    }
    return true;
}

bool count_read(const uint8_t *data, size_t n, const struct gperf_opts *opts,
                struct profile *out, const struct notes *notes, struct err *err)
{
    struct textprof t;
    if (!prof_init(out, err))
        return false;
    textprof_begin(&t, data, n, out, notes);
    bool ok = read_header(&t, err) && read_samples(&t, err) &&
              textprof_finish(&t, opts->binary, false, err);
    textprof_end(&t);
    return ok;
}
