/* DCPI headers: one keyword and its value on a line. */
#include <string.h>

#include "import/dcpi/dcpi_file.h"

static const struct keyword {
    const char *word;
    enum dcpi_field field;
    unsigned forms; /* enum dcpi_form, or-ed */
} keywords[] = {
    {"version", DCPI_VERSION, DCPI_BINARY},
    {"name", DCPI_NAME, DCPI_TEXT},
    {"image", DCPI_IMAGE, DCPI_BINARY | DCPI_TEXT},
    {"label", DCPI_LABEL, DCPI_BINARY | DCPI_TEXT},
    {"path", DCPI_PATH, DCPI_BINARY | DCPI_TEXT},
    {"epoch", DCPI_EPOCH, DCPI_BINARY | DCPI_TEXT},
    {"platform", DCPI_PLATFORM, DCPI_BINARY | DCPI_TEXT},
    {"tstart", DCPI_TSTART, DCPI_BINARY},
    {"tsize", DCPI_TSIZE, DCPI_BINARY},
    {"text_start", DCPI_TSTART, DCPI_TEXT},
    {"text_size", DCPI_TSIZE, DCPI_TEXT},
    {"event", DCPI_EVENT, DCPI_BINARY | DCPI_TEXT},
    {"period", DCPI_PERIOD, DCPI_BINARY},
    {"cpuspeed", DCPI_CPUSPEED, DCPI_BINARY | DCPI_TEXT},
    {"cpuamask", DCPI_CPU_OTHER, DCPI_BINARY | DCPI_TEXT},
    {"cpuimplv", DCPI_CPU_OTHER, DCPI_BINARY | DCPI_TEXT},
    {"cpucount", DCPI_CPU_OTHER, DCPI_BINARY | DCPI_TEXT},
};

enum { N_KEYWORDS = sizeof keywords / sizeof *keywords };

enum dcpi_field dcpi_field_of(struct dcpi_span word, enum dcpi_form form)
{
    for (size_t i = 0; i < N_KEYWORDS; i++)
        if ((keywords[i].forms & (unsigned)form) &&
            dcpi_is(word, keywords[i].word))
            return keywords[i].field;
    return DCPI_UNKNOWN;
}

static const char *word_of(enum dcpi_field field, enum dcpi_form form)
{
    for (size_t i = 0; i < N_KEYWORDS; i++)
        if (keywords[i].field == field && (keywords[i].forms & (unsigned)form))
            return keywords[i].word;
    return "?";
}

/* "pdb-0.07", or "0.07", which the totals of the footer must confirm. */
static bool take_version(struct dcpi_file *f, struct dcpi_span value,
                         size_t number, struct err *err)
{
    struct dcpi_span both = value;
    uint64_t major, minor;
    f->unproven = value.n < 4 || memcmp(value.s, "pdb-", 4) != 0;
    if (!f->unproven)
        both = (struct dcpi_span){value.s + 4, value.n - 4};
    const char *dot = memchr(both.s, '.', both.n);
    size_t n = dot ? (size_t)(dot - both.s) : 0;
    if (!dot || !dcpi_decimal((struct dcpi_span){both.s, n}, &major) ||
        !dcpi_decimal((struct dcpi_span){dot + 1, both.n - n - 1}, &minor) ||
        major > 999 || minor > 999)
        return err_set(err, ERR_INPUT, "line %zu: bad version '%.*s'", number,
                       DCPI_SHOW(value));
    if (major >= 1)
        return err_set(err, ERR_INPUT,
                       "DCPI profile version %.*s: binary layout was never "
                       "published; run `dcpicat FILE > FILE.txt` on the "
                       "original system and convert that",
                       DCPI_SHOW(both));
    if (minor != 6 && minor != 7)
        return err_set(err, ERR_INPUT,
                       "DCPI profile version %.*s is not known; 0.06 and "
                       "0.07 are",
                       DCPI_SHOW(both));
    return true;
}

/* DCPI's documents do not say the unit: MHz, or Hz where that is absurd. */
static bool take_cpuspeed(const struct dcpi_ctx *c, struct dcpi_file *f,
                          struct dcpi_span value, size_t number,
                          struct err *err)
{
    uint64_t x;
    if (dcpi_decimal(value, &x)) {
        if (x >= 1 && x <= 100000)
            f->hz = x * 1000000;
        else if (x > 1000000 && x <= 100000000000)
            f->hz = x;
    }
    return f->hz ||
           dcpi_odd(c, err,
                    "line %zu: cpuspeed '%.*s' is not credible: no CPU time",
                    number, DCPI_SHOW(value));
}

static bool bad(struct err *err, const char *word, struct dcpi_span value,
                size_t number, const char *why)
{
    return err_set(err, ERR_INPUT, "line %zu: %s '%.*s' %s", number, word,
                   DCPI_SHOW(value), why);
}

static bool take_image(struct dcpi_file *f, struct dcpi_span value,
                       size_t number, struct err *err)
{
    for (size_t i = 0; i < value.n; i++) {
        uint64_t x;
        if (!dcpi_hex((struct dcpi_span){value.s + i, 1}, &x))
            return bad(err, "image", value, number, "is not hexadecimal");
    }
    f->image = value;
    return true;
}

/* Whether the field's line goes to the comments as it is. */
static bool is_kept(const struct dcpi_file *f, enum dcpi_field field)
{
    switch (field) {
    case DCPI_VERSION:
    case DCPI_LABEL:
    case DCPI_EPOCH:
    case DCPI_PLATFORM:
    case DCPI_CPUSPEED:
    case DCPI_CPU_OTHER:
    case DCPI_UNKNOWN:
        return true;
    case DCPI_PATH:
        return f->path.s != NULL;
    default:
        return false;
    }
}

static bool repeats(enum dcpi_field field, enum dcpi_form form)
{
    return field == DCPI_PATH || field == DCPI_UNKNOWN ||
           field == DCPI_CPU_OTHER ||
           (field == DCPI_EVENT && form == DCPI_TEXT);
}

static bool take_value(const struct dcpi_ctx *c, struct dcpi_file *f,
                       enum dcpi_form form, enum dcpi_field field,
                       struct dcpi_span value, size_t number, struct err *err)
{
    switch (field) {
    case DCPI_VERSION:
        return take_version(f, value, number, err);
    case DCPI_NAME:
        f->name = value;
        return true;
    case DCPI_IMAGE:
        return take_image(f, value, number, err);
    case DCPI_LABEL:
        f->label = value;
        return true;
    case DCPI_PATH:
        if (!f->path.s)
            f->path = value;
        return true;
    case DCPI_EPOCH:
        return dcpi_epoch(value, &f->time_nanos) ||
               dcpi_odd(c, err, "line %zu: epoch '%.*s' is not a time", number,
                        DCPI_SHOW(value));
    case DCPI_PLATFORM:
        f->platform = value;
        return true;
    case DCPI_TSTART:
        return dcpi_hex(value, &f->text_start) ||
               bad(err, "text start", value, number, "is not hexadecimal");
    case DCPI_TSIZE:
        return (form == DCPI_BINARY ? dcpi_decimal(value, &f->text_size)
                                    : dcpi_hex(value, &f->text_size)) ||
               bad(err, "text size", value, number,
                   form == DCPI_BINARY ? "is not decimal"
                                       : "is not hexadecimal");
    case DCPI_EVENT:
        return dcpi_take_event(c, f, form, value, number, err);
    case DCPI_PERIOD:
        return (dcpi_decimal(value, &f->period) &&
                f->period <= UINT64_MAX / DCPI_FULL_TIME) ||
               bad(err, "period", value, number, "is not a number of events");
    case DCPI_CPUSPEED:
        return take_cpuspeed(c, f, value, number, err);
    default:
        return true;
    }
}

bool dcpi_take_line(const struct dcpi_ctx *c, struct dcpi_file *f,
                    enum dcpi_form form, struct dcpi_span line, size_t number,
                    struct err *err)
{
    struct dcpi_span value = line, word = dcpi_word(&value);
    enum dcpi_field field = dcpi_field_of(word, form);
    if (memchr(line.s, 0, line.n))
        return err_set(err, ERR_INPUT,
                       "not a DCPI profile: line %zu is not text", number);
    if (f->seen[field] && !repeats(field, form))
        return err_set(err, ERR_INPUT,
                       "line %zu: second '%.*s' line, the first is line %zu",
                       number, DCPI_SHOW(word), f->seen[field]);
    f->seen[field] = number;
    if (is_kept(f, field) && !vec_push(&f->kept, line))
        return err_nomem(err);
    if (field != DCPI_UNKNOWN && !value.n)
        return err_set(err, ERR_INPUT, "line %zu: '%.*s' has no value", number,
                       DCPI_SHOW(word));
    return take_value(c, f, form, field, value, number, err);
}

static bool check_binary(const struct dcpi_ctx *c, struct dcpi_file *f,
                         struct err *err)
{
    f->unproven |= !f->seen[DCPI_VERSION];
    if (c->opts->assume_version)
        f->unproven = false;
    if (!f->seen[DCPI_EVENT])
        return err_set(err, ERR_INPUT, "no event line in the header");
    f->columns.v[0].period = f->period;
    return f->period ||
           dcpi_odd(c, err,
                    "no sampling period in the header: samples cannot be "
                    "scaled to events");
}

bool dcpi_end_header(const struct dcpi_ctx *c, struct dcpi_file *f,
                     enum dcpi_form form, struct err *err)
{
    static const enum dcpi_field required[] = {
        DCPI_IMAGE, DCPI_EPOCH, DCPI_PLATFORM, DCPI_TSTART, DCPI_TSIZE};
    if (form == DCPI_BINARY && !check_binary(c, f, err))
        return false;
    if (form == DCPI_TEXT && !f->columns.n)
        return err_set(err, ERR_INPUT, "no event line in the header");
    for (size_t i = 0; i < f->columns.n; i++)
        if (dcpi_is_cycles(&f->columns.v[i]))
            f->columns.v[i].hz = f->hz;
    if (!f->seen[DCPI_TSTART] && c->opts->has_text_start) {
        f->text_start = c->opts->text_start;
        f->seen[DCPI_TSTART] = SIZE_MAX;
    }
    for (size_t i = 0; i < sizeof required / sizeof *required; i++)
        if (!f->seen[required[i]] &&
            !dcpi_odd(c, err, "no %s line in the header%s",
                      word_of(required[i], form),
                      required[i] == DCPI_TSTART && form == DCPI_BINARY
                          ? ": addresses are offsets in the text; "
                            "--text-start gives its start"
                          : ""))
            return false;
    uint64_t limit;
    if (__builtin_add_overflow(f->text_start, f->text_size, &limit))
        return err_set(err, ERR_INPUT,
                       "text of 0x%llx bytes at 0x%llx is beyond the address "
                       "space",
                       (unsigned long long)f->text_size,
                       (unsigned long long)f->text_start);
    return true;
}
