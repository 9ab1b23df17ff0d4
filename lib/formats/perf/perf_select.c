/* perf_select.c - which samples --time, --pid, --tid and --cpu select */
#include <inttypes.h>
#include <string.h>

#include "formats/perf/private.h"

enum {
    NANOS = 1000000000
}; /* units of struct perf_time: per second, percent */

/* Parses a decimal number with up to 9 digits after the point. */
static bool parse_number(const char **s, uint64_t *units)
{
    uint64_t whole = 0, fraction = 0, unit = NANOS;
    size_t n = strspn(*s, "0123456789");
    if (!n || n > 10)
        return false;
    for (; n; n--)
        whole = whole * 10 + (uint64_t)(*(*s)++ - '0');
    if (**s == '.')
        for (++*s; **s >= '0' && **s <= '9'; ++*s) {
            unit /= 10;
            fraction += (uint64_t)(**s - '0') * unit;
        }
    *units = whole * NANOS + fraction;
    return true;
}

/* Parses "FROM,TO" or "+FROM,+TO", where one of the two may be missing. */
static bool parse_seconds(struct perf_time *t, const char *s)
{
    bool since = *s == '+';
    t->kind = PERF_TIME_CLOCK;
    t->from = 0;
    t->to = UINT64_MAX;
    s += since;
    if ((since || *s != ',') && !parse_number(&s, &t->from))
        return false;
    if (*s++ != ',')
        return false;
    if (*s == '+' && (since || !t->from)) {
        since = true;
        s++;
    } else if (*s && since) {
        return false;
    }
    if (since)
        t->kind = PERF_TIME_SINCE;
    return !*s || (parse_number(&s, &t->to) && !*s);
}

bool perf_parse_time(struct perf_time *time, const char *text,
                     struct prof_err *err)
{
    bool ok;
    if (strchr(text, '%')) { /* "FROM%-TO%" */
        const char *s = text;
        time->kind = PERF_TIME_PERCENT;
        ok = parse_number(&s, &time->from) && *s++ == '%' && *s++ == '-' &&
             parse_number(&s, &time->to) && *s++ == '%' && !*s &&
             time->to <= UINT64_C(100) * NANOS;
    } else {
        ok = parse_seconds(time, text);
    }
    return (ok && time->from <= time->to) ||
           err_value(err, "expected FROM,TO in seconds with FROM <= TO, such "
                          "as 12.5,14 or 12.5,; +1,+2 since the first sample; "
                          "or 10%%-20%%");
}

/* Sets *ns to the time that is `share`, in 1e-9 percent, of the way from the
 * first to the last sample. */
static void of_share(const struct perf_about *a, uint64_t share, uint64_t *ns)
{
    double part = (double)share / (100.0 * NANOS);
    if (part < 1)
        *ns = a->first_sample +
              (uint64_t)((double)(a->last_sample - a->first_sample) * part);
    else
        *ns = a->last_sample; /* exact: double could round it */
}

/* Sets p->from and p->to; `first` is the time of the first sample. */
static bool find_range(struct perf *p, uint64_t first, struct prof_err *err)
{
    const struct perf_time *t = &p->opts->time;
    const struct perf_about *a = &p->about;
    p->from = t->from;
    p->to = t->to;
    if (t->kind == PERF_TIME_SINCE) {
        const uint64_t most = UINT64_MAX - first;
        p->from = first + (t->from < most ? t->from : most);
        p->to = first + (t->to < most ? t->to : most);
    } else if (t->kind == PERF_TIME_PERCENT) {
        if (!a->last_sample || a->last_sample < a->first_sample)
            return err_input(err,
                             "the recording does not have the times of its "
                             "first and last sample; use --time=+FROM,+TO");
        of_share(a, t->from, &p->from);
        of_share(a, t->to, &p->to);
    }
    p->has_range = true;
    return true;
}

bool perf_add_labels(unsigned *labels, const char *text, struct prof_err *err)
{
    for (bool more = true; more;) {
        size_t i, n = strcspn(text, ",");
        if (!slice_find_word((struct prof_slice){text, n}, PERF_LABEL_NAMES, &i,
                             err))
            return false;
        *labels |= 1u << i;
        more = text[n] == ',';
        text += n + more;
    }
    return true;
}

void perf_opts_free(struct perf_opts *opts)
{
    vec_free(&opts->events.list);
    vec_free(&opts->comms.list);
    vec_free(&opts->pids.list);
    vec_free(&opts->tids.list);
    vec_free(&opts->cpus.list);
}

bool perf_add_ranges(struct perf_ranges *ranges, const char *text,
                     struct prof_err *err)
{
    const char *end = text + strlen(text);
    for (bool more = true; more; text++) {
        struct perf_range r;
        struct prof_slice s = {text, (size_t)(end - text)};
        bool ok = slice_take_int(&s, &r.first);
        r.last = r.first;
        if (ok && s.n && *s.s == '-') {
            s.s++;
            s.n--;
            ok = slice_take_int(&s, &r.last);
        }
        more = ok && s.n && *s.s == ',';
        if (!ok || (s.n && !more) || r.first < 0 || r.first > r.last ||
            r.last > INT32_MAX)
            return err_value(err, "expected numbers and ranges, such as 0-3,5");
        if (!vec_push(&ranges->list, r))
            return err_nomem(err);
        text = s.s;
    }
    return true;
}

static bool is_in(int64_t number, const struct perf_ranges *ranges)
{
    for (size_t i = 0; i < ranges->list.n; i++)
        if (number >= ranges->list.v[i].first &&
            number <= ranges->list.v[i].last)
            return true;
    return !ranges->list.n;
}

bool perf_select(struct perf *p, const struct perf_taken *taken, bool *yes,
                 struct prof_err *err)
{
    const struct perf_opts *o = p->opts;
    bool in_time = true;
    if (o->time.kind != PERF_TIME_ALL) {
        if (taken->time != PERF_NO_TIME && !p->has_range &&
            !find_range(p, taken->time, err))
            return false;
        in_time = taken->time != PERF_NO_TIME && taken->time >= p->from &&
                  taken->time <= p->to;
    }
    *yes = in_time && is_in(taken->pid, &o->pids) &&
           is_in(taken->tid, &o->tids) && is_in(taken->cpu, &o->cpus);
    return true;
}

void perf_note_none(const struct perf *p)
{
    const struct perf_opts *o = p->opts;
    if (p->counts.filtered && !p->stacks.counts.n)
        note_warn(p->notes, "none of %" PRIu64 " samples match%s%s%s%s%s",
                  p->counts.filtered, o->pids.list.n ? " --pid" : "",
                  o->tids.list.n ? " --tid" : "",
                  o->cpus.list.n ? " --cpu" : "",
                  o->comms.list.n ? " --comm" : "",
                  o->time.kind != PERF_TIME_ALL ? " --time" : "");
}

void perf_tell_time(const struct perf *p)
{
    if (p->first_time)
        note_info(p->notes,
                  "time of the samples: %" PRIu64 ".%09" PRIu64 ",%" PRIu64
                  ".%09" PRIu64,
                  p->first_time / NANOS, p->first_time % NANOS,
                  p->last_time / NANOS, p->last_time % NANOS);
}
