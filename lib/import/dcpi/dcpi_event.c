/* The event lines of DCPI headers, of which each makes a column of counts. */
#include <string.h>

#include "import/dcpi/dcpi_file.h"

/* Far beyond any ProfileMe set-up; bounds what a hostile header costs. */
enum { MOST_COLUMNS = 1000 };

/* Whether the file has a column of this name. */
static bool is_there(const struct dcpi_file *f, struct dcpi_span name)
{
    for (size_t i = 0; i < f->columns.n; i++) {
        struct dcpi_span other = f->columns.v[i].name;
        if (other.n == name.n && memcmp(other.s, name.s, other.n) == 0)
            return true;
    }
    return false;
}

/* "12 cycles:63488:10000"; the name may hold colons itself. */
static bool take_text(const struct dcpi_ctx *c, struct dcpi_file *f,
                      struct dcpi_span value, size_t number, struct err *err)
{
    struct dcpi_column col = {.name = value};
    struct dcpi_span total = dcpi_word(&col.name), part[2];
    for (int i = 1; i >= 0; i--) {
        size_t n = col.name.n;
        while (n && col.name.s[n - 1] != ':')
            n--;
        part[i] = (struct dcpi_span){col.name.s + n, col.name.n - n};
        col.name.n = n ? n - 1 : 0;
    }
    if (!col.name.n || !dcpi_decimal(total, &col.total) ||
        !dcpi_decimal(part[0], &col.period) ||
        !dcpi_decimal(part[1], &col.fraction) ||
        col.fraction > DCPI_FULL_TIME ||
        col.period > UINT64_MAX / DCPI_FULL_TIME)
        return err_set(err, ERR_INPUT,
                       "line %zu: event '%.*s' is not TOTAL "
                       "NAME:PERIOD:FRACTION with a fraction up to 10000",
                       number, DCPI_SHOW(value));
    if (!dcpi_has_estimate(&col) &&
        !dcpi_odd(c, err,
                  "line %zu: %s of event '%.*s' is 0: its samples cannot be "
                  "scaled to events",
                  number, col.period ? "fraction" : "period",
                  DCPI_SHOW(col.name)))
        return false;
    if (f->columns.n == MOST_COLUMNS)
        return err_set(err, ERR_INPUT, "line %zu: more than %d events", number,
                       MOST_COLUMNS);
    if (is_there(f, col.name) &&
        !dcpi_odd(c, err,
                  "line %zu: event '%.*s' comes twice; the columns are added",
                  number, DCPI_SHOW(col.name)))
        return false;
    return vec_push(&f->columns, col) || err_nomem(err);
}

static bool take_binary(struct dcpi_file *f, struct dcpi_span value,
                        struct err *err)
{
    struct dcpi_column col = {.name = value, .fraction = DCPI_FULL_TIME};
    return vec_push(&f->columns, col) || err_nomem(err);
}

bool dcpi_take_event(const struct dcpi_ctx *c, struct dcpi_file *f,
                     enum dcpi_form form, struct dcpi_span value, size_t number,
                     struct err *err)
{
    return form == DCPI_BINARY ? take_binary(f, value, err)
                               : take_text(c, f, value, number, err);
}
