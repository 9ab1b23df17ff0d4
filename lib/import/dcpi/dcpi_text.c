/*
 * What dcpicat prints: a header, then a line for each PC with a count for
 * each event.  Headers are taken in any order; a header line after PCs, or
 * a second `name`, begins the next dump.
 */
#include "import/dcpi/dcpi_file.h"

struct text {
    const struct dcpi_ctx *c;
    struct dcpi_files *files;
    struct dcpi_file *f; /* the dump being read; null before the first */
    bool rows;           /* its header is over */
    uint64_t last_pc;
    size_t last_row; /* number of its line; 0: none */
};

static bool check_sums(const struct text *t, struct err *err)
{
    const struct dcpi_file *f = t->f;
    for (size_t i = 0; i < f->columns.n; i++) {
        const struct dcpi_column *col = &f->columns.v[i];
        if (col->sum != col->total &&
            !dcpi_odd(t->c, err,
                      "event '%.*s' has %llu samples in its header, its "
                      "column adds up to %llu",
                      DCPI_SHOW(col->name), (unsigned long long)col->total,
                      (unsigned long long)col->sum))
            return false;
    }
    return true;
}

/* PCs that the header's text does not hold: one warning for all. */
static bool check_range(const struct text *t, struct err *err)
{
    const struct dcpi_file *f = t->f;
    size_t outside = 0;
    if (!f->seen[DCPI_TSTART] || !f->seen[DCPI_TSIZE] || dcpi_is_unknown(f))
        return true;
    for (size_t i = 0; i < f->counts.n; i++)
        outside += f->counts.v[i].pc - f->text_start >= f->text_size;
    return !outside || dcpi_odd(t->c, err,
                                "%zu counts are at PCs outside the "
                                "text of the image",
                                outside);
}

static bool end_dump(struct text *t, struct err *err)
{
    if (!t->f)
        return true;
    if (!t->rows && !dcpi_end_header(t->c, t->f, DCPI_TEXT, err))
        return false;
    return check_sums(t, err) && check_range(t, err);
}

static bool begin_dump(struct text *t, struct err *err)
{
    if (!end_dump(t, err))
        return false;
    t->f = dcpi_add_file(t->files);
    t->rows = false;
    t->last_row = 0;
    return t->f || err_nomem(err);
}

static bool check_order(struct text *t, uint64_t pc, size_t number,
                        struct err *err)
{
    if (t->last_row && pc <= t->last_pc &&
        !dcpi_odd(t->c, err,
                  "line %zu: PC 0x%llx is not above that of line "
                  "%zu",
                  number, (unsigned long long)pc, t->last_row))
        return false;
    t->last_pc = pc;
    t->last_row = number;
    return true;
}

static bool take_row(struct text *t, uint64_t pc, struct dcpi_span rest,
                     size_t number, struct err *err)
{
    if (!t->f)
        return err_set(err, ERR_INPUT, "line %zu: counts before any header",
                       number);
    if (!t->rows && !dcpi_end_header(t->c, t->f, DCPI_TEXT, err))
        return false;
    t->rows = true;
    if (!check_order(t, pc, number, err))
        return false;
    size_t want = t->f->columns.n, got = 0;
    for (; rest.n; got++) {
        struct dcpi_span word = dcpi_word(&rest);
        uint64_t n;
        if (!dcpi_decimal(word, &n))
            return err_set(err, ERR_INPUT, "line %zu: '%.*s' is not a count",
                           number, DCPI_SHOW(word));
        if (got >= want)
            continue;
        if (!dcpi_add_count(t->f, pc, n, (uint32_t)got, err)) {
            if (err && err->kind == ERR_INPUT)
                err_prefix(err, "line %zu: ", number);
            return false;
        }
    }
    if (got != want)
        return err_set(err, ERR_INPUT, "line %zu: %zu counts for %zu events",
                       number, got, want);
    return true;
}

static bool take_header(struct text *t, struct dcpi_span line,
                        enum dcpi_field field, size_t number, struct err *err)
{
    if (t->rows && field == DCPI_UNKNOWN)
        return err_set(err, ERR_INPUT,
                       "line %zu: neither PC and counts nor a header line",
                       number);
    if (!t->f || t->rows || (field == DCPI_NAME && t->f->seen[DCPI_NAME]))
        if (!begin_dump(t, err))
            return false;
    return dcpi_take_line(t->c, t->f, DCPI_TEXT, line, number, err);
}

bool dcpi_read_text(const struct dcpi_ctx *c, const uint8_t *data, size_t n,
                    struct dcpi_files *files, struct err *err)
{
    struct text t = {.c = c, .files = files};
    struct dcpi_lines l = {.s = (const char *)data, .n = n};
    struct dcpi_span line;
    while (dcpi_next_line(&l, &line)) {
        struct dcpi_span rest = line, word = dcpi_word(&rest);
        uint64_t pc;
        if (!word.n)
            continue;
        bool row = dcpi_is_pc(word, &pc);
        if (!(row ? take_row(&t, pc, rest, l.number, err)
                  : take_header(&t, line, dcpi_field_of(word, DCPI_TEXT),
                                l.number, err)))
            return false;
    }
    return end_dump(&t, err);
}
