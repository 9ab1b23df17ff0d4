/* dcpi_header.c - reads headers of DCPI profiles, line by line */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "formats/dcpi/private.h"

/* --- words, numbers, paths */

struct prof_slice dcpi_word(struct prof_slice *line)
{
    struct prof_slice word = slice_take_word(line);
    *line = slice_trim(*line);
    return word;
}

bool dcpi_decimal(struct prof_slice s, uint64_t *x)
{
    *x = 0;
    for (size_t i = 0; i < s.n; i++)
        if (!ascii_is_digit(s.s[i]) || __builtin_mul_overflow(*x, 10, x) ||
            __builtin_add_overflow(*x, (unsigned)(s.s[i] - '0'), x))
            return false;
    return s.n > 0;
}

/* Parses s, as a whole, as a hexadecimal number with or without 0x. */
static bool parse_hex(struct prof_slice s, uint64_t *x)
{
    return slice_take_0xhex(&s, x) && !s.n;
}

bool dcpi_is_pc(struct prof_slice word, uint64_t *pc)
{
    return word.n > 2 && word.s[0] == '0' && (word.s[1] | 32) == 'x' &&
           parse_hex(word, pc);
}

bool dcpi_warn(const struct dcpi_ctx *c, struct prof_err *err, const char *fmt,
               ...)
{
    char text[PROF_ERR_TEXT_MAX];
    va_list ap;
    va_start(ap, fmt);
    (void)vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    note_loss(c->notes, "%s", text);
    return notes_lossless(c->notes, err);
}

struct prof_slice dcpi_last_part(struct prof_slice path)
{
    size_t i = path.n;
    while (i && !ascii_is_one_of(path.s[i - 1], "/\\]"))
        i--;
    return (struct prof_slice){path.s + i, path.n - i};
}

bool dcpi_is_unknown(const struct dcpi_file *f)
{
    struct prof_slice file = dcpi_path_or_name(f);
    return file.s && slice_begins_with(dcpi_last_part(file), "unknown@");
}

/* --- fields */

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

enum dcpi_field dcpi_field_of(struct prof_slice word, enum dcpi_form form)
{
    for (size_t i = 0; i < N_KEYWORDS; i++)
        if ((keywords[i].forms & (unsigned)form) &&
            slice_is(word, keywords[i].word))
            return keywords[i].field;
    return DCPI_UNKNOWN;
}

/*
 * Parses the time of an epoch: YYMMDDHHMM (years from 1970 to 2069),
 * YYYYMMDDHHMM or YYYYMMDDHHMMSS, in UTC.  Returns false if it is not valid.
 * POSIX gives the formula under "Seconds Since the Epoch".
 */
static bool parse_epoch(struct prof_slice epoch, int64_t *time_nanos)
{
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    uint64_t t;
    if ((epoch.n != 10 && epoch.n != 12 && epoch.n != 14) ||
        !dcpi_decimal(epoch, &t))
        return false;
    if (epoch.n != 14)
        t *= 100;
    int second = (int)(t % 100), minute = (int)(t / 100 % 100),
        hour = (int)(t / 10000 % 100), month = (int)(t / 100000000 % 100) - 1,
        month_day = (int)(t / 1000000 % 100) - 1;
    int64_t year = (int64_t)(t / 10000000000); /* minus 1900 */
    if (epoch.n != 10)
        year -= 1900;
    else if (year < 70)
        year += 100;
    /* 64 bits of nanoseconds reach into the year 2262. */
    if (year < 70 || year > 361)
        return false;
    bool leap = (year % 4 == 0 && year % 100) || (year + 300) % 400 == 0;
    if (month < 0 || month > 11 || month_day < 0 ||
        month_day >= days[month] + (leap && month == 1) || hour > 23 ||
        minute > 59 || second > 59)
        return false;
    int64_t day = (year - 70) * 365 + (year - 69) / 4 - (year - 1) / 100 +
                  (year + 299) / 400 + month_day;
    for (int i = 0; i < month; i++)
        day += days[i] + (leap && i == 1);
    *time_nanos =
        (((day * 24 + hour) * 60 + minute) * 60 + second) * 1000000000;
    return true;
}

/* More than any ProfileMe set-up has; limits the cost of a hostile header. */
enum { MAX_COLUMNS = 1000 };

/* Parses "12 cycles:63488:10000"; the name may contain colons. */
static bool parse_event(struct dcpi_file *f, struct prof_slice value,
                        size_t number, struct prof_err *err)
{
    struct dcpi_column col = {.name = value};
    struct prof_slice total = dcpi_word(&col.name), part[2];
    bool again = false;
    for (int i = 1; i >= 0; i--) {
        part[i] = col.name;
        if (!slice_split_last(&col.name, ':', &part[i]))
            col.name.n = 0;
    }
    if (!col.name.n || !dcpi_decimal(total, &col.total) ||
        !dcpi_decimal(part[0], &col.period) ||
        !dcpi_decimal(part[1], &col.fraction) ||
        col.fraction > DCPI_FULL_TIME ||
        col.period > UINT64_MAX / DCPI_FULL_TIME)
        return err_input(err,
                         "line %zu: invalid event '%.*s': expected TOTAL "
                         "NAME:PERIOD:FRACTION, with a fraction up to 10000",
                         number, DCPI_SHOW(value));
    if (!dcpi_has_estimate(&col) &&
        !dcpi_warn(f->ctx, err,
                   "line %zu: %s of event '%.*s' is 0, so its samples cannot "
                   "be scaled to events",
                   number, col.period ? "fraction" : "period",
                   DCPI_SHOW(col.name)))
        return false;
    if (f->columns.n == MAX_COLUMNS)
        return err_input(err, "line %zu: more than %d events", number,
                         MAX_COLUMNS);
    for (size_t i = 0; i < f->columns.n; i++)
        again = again || slice_same(f->columns.v[i].name, col.name);
    if (again &&
        !dcpi_warn(f->ctx, err,
                   "line %zu: event '%.*s' occurs twice; its columns are added",
                   number, DCPI_SHOW(col.name)))
        return false;
    return vec_push(&f->columns, col) || err_nomem(err);
}

/* Parses "pdb-0.07", or "0.07", which check_footer() must confirm. */
static bool parse_version(struct dcpi_file *f, struct prof_slice value,
                          size_t number, struct prof_err *err)
{
    struct prof_slice both = value;
    uint64_t major, minor;
    f->unproven = !slice_begins_with(value, "pdb-");
    if (!f->unproven)
        both = slice_from(value, 4);
    struct prof_slice second = both, first = slice_take_until(&second, '.');
    if (!dcpi_decimal(first, &major) || !dcpi_decimal(second, &minor) ||
        major > 999 || minor > 999)
        return err_input(err, "line %zu: invalid version '%.*s'", number,
                         DCPI_SHOW(value));
    if (major >= 1)
        return err_input(
            err,
            "unsupported DCPI profile version %.*s: its binary layout was "
            "never published; run 'dcpicat FILE > FILE.txt' on the original "
            "system and convert the result",
            DCPI_SHOW(both));
    if (minor != 6 && minor != 7)
        return err_input(
            err,
            "unsupported DCPI profile version %.*s (supported: 0.06, 0.07)",
            DCPI_SHOW(both));
    return true;
}

static bool refuse_value(struct prof_err *err, const char *word,
                         struct prof_slice value, size_t number,
                         const char *why)
{
    return err_input(err, "line %zu: %s '%.*s' %s", number, word,
                     DCPI_SHOW(value), why);
}

/* Returns whether the line of the field is copied to the comments. */
static bool is_comment(const struct dcpi_file *f, enum dcpi_field field)
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

static bool set_field(struct dcpi_file *f, enum dcpi_field field,
                      struct prof_slice value, size_t number,
                      struct prof_err *err)
{
    bool binary = f->form == DCPI_BINARY;
    struct dcpi_column only = {.name = value, .fraction = DCPI_FULL_TIME};
    uint64_t x;
    switch (field) {
    case DCPI_VERSION:
        return parse_version(f, value, number, err);
    case DCPI_NAME:
        f->name = value;
        return true;
    case DCPI_IMAGE:
        f->image = value;
        return slice_is_hex(value) || refuse_value(err, "image", value, number,
                                                   TEXT("is not hexadecimal"));
    case DCPI_LABEL:
        f->label = value;
        return true;
    case DCPI_PATH:
        if (!f->path.s)
            f->path = value;
        return true;
    case DCPI_EPOCH:
        return parse_epoch(value, &f->time_nanos) ||
               dcpi_warn(f->ctx, err, "line %zu: invalid epoch '%.*s'", number,
                         DCPI_SHOW(value));
    case DCPI_PLATFORM:
        f->platform = value;
        return true;
    case DCPI_TSTART:
        return parse_hex(value, &f->text_start) ||
               refuse_value(err, "text start", value, number,
                            TEXT("is not hexadecimal"));
    case DCPI_TSIZE:
        return (binary ? dcpi_decimal(value, &f->text_size)
                       : parse_hex(value, &f->text_size)) ||
               refuse_value(err, "text size", value, number,
                            binary ? TEXT("is not decimal")
                                   : TEXT("is not hexadecimal"));
    case DCPI_EVENT:
        if (!binary)
            return parse_event(f, value, number, err);
        return vec_push(&f->columns, only) || err_nomem(err);
    case DCPI_PERIOD:
        return (dcpi_decimal(value, &f->period) &&
                f->period <= UINT64_MAX / DCPI_FULL_TIME) ||
               refuse_value(err, "period", value, number,
                            TEXT("is not a number of events"));
    case DCPI_CPUSPEED:
        /* The documents do not say the unit: assume MHz, or Hz if the result
         * would be implausible. */
        if (dcpi_decimal(value, &x) && x >= 1 && x <= 100000)
            f->hz = x * 1000000;
        else if (dcpi_decimal(value, &x) && x > 1000000 && x <= 100000000000)
            f->hz = x;
        return f->hz ||
               dcpi_warn(f->ctx, err,
                         "line %zu: implausible cpuspeed '%.*s'; CPU time is "
                         "not computed",
                         number, DCPI_SHOW(value));
    default:
        return true;
    }
}

bool dcpi_header_line(struct dcpi_file *f, struct prof_slice line,
                      size_t number, struct prof_err *err)
{
    struct prof_slice value = line, word = dcpi_word(&value);
    enum dcpi_field field = dcpi_field_of(word, f->form);
    bool may_repeat = field == DCPI_PATH || field == DCPI_UNKNOWN ||
                      field == DCPI_CPU_OTHER ||
                      (field == DCPI_EVENT && f->form == DCPI_TEXT);
    if (memchr(line.s, 0, line.n))
        return err_input(err, "not a DCPI profile: line %zu is not text",
                         number);
    if (f->seen[field] && !may_repeat)
        return err_input(err,
                         "line %zu: duplicate '%.*s' line (first in line %zu)",
                         number, DCPI_SHOW(word), f->seen[field]);
    f->seen[field] = number;
    if (is_comment(f, field) && !vec_push(&f->comments, line))
        return err_nomem(err);
    if (field != DCPI_UNKNOWN && !value.n)
        return err_input(err, "line %zu: '%.*s' has no value", number,
                         DCPI_SHOW(word));
    return set_field(f, field, value, number, err);
}

bool dcpi_end_header(struct dcpi_file *f, struct prof_err *err)
{
    enum dcpi_form form = f->form;
    static const enum dcpi_field required[] = {
        DCPI_IMAGE, DCPI_EPOCH, DCPI_PLATFORM, DCPI_TSTART, DCPI_TSIZE};
    if (!f->columns.n)
        return err_input(err, "the header has no event line");
    if (form == DCPI_BINARY) {
        f->unproven |= !f->seen[DCPI_VERSION];
        f->unproven &= !f->ctx->opts->assume_version;
        f->columns.v[0].period = f->period;
        if (!f->period &&
            !dcpi_warn(f->ctx, err,
                       "the header has no sampling period, so samples cannot "
                       "be scaled to events"))
            return false;
    }
    for (size_t i = 0; i < f->columns.n; i++)
        if (dcpi_is_cycles(&f->columns.v[i]))
            f->columns.v[i].hz = f->hz;
    if (!f->seen[DCPI_TSTART] && f->ctx->opts->has_text_start) {
        f->text_start = f->ctx->opts->text_start;
        f->seen[DCPI_TSTART] = SIZE_MAX;
    }
    for (size_t i = 0; i < sizeof required / sizeof *required; i++) {
        size_t k = 0;
        while (keywords[k].field != required[i] ||
               !(keywords[k].forms & (unsigned)form))
            k++;
        if (!f->seen[required[i]] &&
            !dcpi_warn(f->ctx, err, "the header has no %s line%s",
                       keywords[k].word,
                       required[i] == DCPI_TSTART && form == DCPI_BINARY
                           ? TEXT("; addresses are offsets in the text (use "
                                  "--text-start to set its start)")
                           : ""))
            return false;
    }
    uint64_t limit;
    if (__builtin_add_overflow(f->text_start, f->text_size, &limit))
        return err_input(
            err, "text of 0x%llx bytes at 0x%llx exceeds the address space",
            (unsigned long long)f->text_size,
            (unsigned long long)f->text_start);
    return true;
}
