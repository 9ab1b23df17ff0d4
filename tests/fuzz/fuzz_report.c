/*
 * Random valid profiles in every format that runs no other program: the report
 * is the same for any number of threads, whole or by pieces, and of stacks that
 * share frames or not; says as much as there is, and is JSON, a table or text
 * where it is to be.
 */
#include <string.h>

#include "fuzz.h"
#include "grammar.h"
#include "io/gzip.h"
#include "made.h"
#include "pb_ways.h"
#include "profile/columns.h"
#include "profile/wire/pb.h"
#include "report/report.h"

enum kind { ANY, JSON, LINES, CSV, TSV, PLAIN, FOLDED, PROFILE };

/* Formats that must have more than some text. */
static const struct {
    const char *name;
    enum kind kind;
} kinds[] = {
    {"flame", PLAIN},     {"folded", FOLDED}, {"json", JSON},
    {"jsonl", LINES},     {"csv", CSV},       {"tsv", TSV},
    {"speedscope", JSON}, {"firefox", JSON},  {"topproto", PROFILE},
    {"proto", PROFILE},
};

static enum kind kind_of(const struct report_format *f)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(kinds[i].name, f->name) == 0)
            return kinds[i].kind;
    return ANY;
}

/* One of the formats that are made here, without other programs. */
static const struct report_format *choose_format(struct made_bytes *b)
{
    enum { MOST = 64 };
    const struct report_format *v[MOST], *f;
    uint32_t n = 0;
    for (size_t i = 0; (f = report_format_at(i)); i++)
        if (f->print && !f->runs_programs) {
            FUZZ_CHECK(n < MOST);
            v[n++] = f;
        }
    return v[made_below(b, n)];
}

static struct buf encode(const struct profile *p)
{
    struct buf b = {0};
    struct buf_sink sink = buf_sink_of(&b);
    struct prof_err err;
    FUZZ_CHECK(pb_encode(p, &sink.sink, &err));
    return b;
}

/* False: refused, or nothing matches. */
static bool print(const struct report_format *f, const struct buf *message,
                  bool shares, const struct report_opts *opts, struct buf *all)
{
    struct buf_sink sink = buf_sink_of(all);
    struct profile p;
    struct prof_err err = {0};
    if (shares)
        pb_share(message->v, message->n, &p);
    else
        FUZZ_CHECK(pb_decode(message->v, message->n, &p, &fuzz_notes, &err));
    struct report_opts here = *opts;
    here.notes = &fuzz_notes;
    bool ok = report_print(f, &p, &here, &sink.sink, &err);
    if (!ok && err.kind != PROF_ERR_ANSWER_NO)
        fuzz_refused(&err);
    prof_free(&p);
    return ok;
}

/* The numbers at the ends of the lines, modulo 2^64. */
static uint64_t folded_sum(const char *s, size_t n)
{
    uint64_t sum = 0;
    while (n) {
        const char *end = memchr(s, '\n', n);
        FUZZ_CHECK(end);
        const char *at = end;
        uint64_t value = 0, digit = 1;
        for (; at > s && at[-1] >= '0' && at[-1] <= '9'; at--, digit *= 10)
            value += digit * (uint64_t)(at[-1] - '0');
        FUZZ_CHECK(at < end && at > s);
        bool negative = at[-1] == '-';
        FUZZ_CHECK(at - negative > s && at[-1 - negative] == ' ');
        sum += negative ? -value : value;
        n -= (size_t)(end + 1 - s);
        s = end + 1;
    }
    return sum;
}

static uint64_t total(const struct profile *p, size_t type)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < p->n_samples; i++)
        sum += (uint64_t)p->values[i * p->n_types + type];
    return sum;
}

/* A value of JSON in each line, as many as there are samples. */
static size_t json_lines(const char *s, size_t n)
{
    size_t lines = 0;
    for (size_t k; n; n -= k, s += k, lines++) {
        const char *end = memchr(s, '\n', n);
        FUZZ_CHECK(end);
        k = (size_t)(end + 1 - s);
        FUZZ_CHECK(is_json(s, k));
    }
    return lines;
}

static void is_profile(const struct buf *text)
{
    struct profile p;
    struct buf message = {0};
    struct gz *gz = gz_new();
    struct prof_err err = {0};
    FUZZ_CHECK(gz && gz_inflate(gz, text->v, text->n, SIZE_MAX, &message,
                                &(size_t){0}, &err));
    FUZZ_CHECK(pb_decode(message.v, message.n, &p, &fuzz_notes, &err));
    gz_free(gz);
    buf_free(&message);
    prof_free(&p);
}

/* What `kind` asks of a report on *p, of which nothing was filtered. */
static void check(enum kind kind, const struct buf *text,
                  const struct profile *p, size_t type)
{
    const char *s = (const char *)text->v;
    switch (kind) {
    case ANY:
        break;
    case JSON:
        FUZZ_CHECK(is_json(s, text->n));
        break;
    case LINES:
        FUZZ_CHECK(json_lines(s, text->n) == p->n_samples);
        break;
    case CSV:
        FUZZ_CHECK(csv_records(s, text->n) == p->n_samples + 1);
        break;
    case TSV:
        FUZZ_CHECK(tsv_records(s, text->n) == p->n_samples + 1);
        break;
    case PLAIN:
        FUZZ_CHECK(is_plain_text(s, text->n));
        break;
    case FOLDED:
        FUZZ_CHECK(folded_sum(s, text->n) == total(p, type));
        break;
    case PROFILE:
        is_profile(text);
    }
}

static void report(const struct report_format *f, const struct profile *p,
                   const struct report_opts *asked, bool threads)
{
    enum kind kind = kind_of(f);
    struct report_opts opts = *asked;
    struct buf text = {0}, again = {0}, message = encode(p);
    struct prof_err err = {0};
    size_t type = 0;
    bool ok = print(f, &message, false, &opts, &text);
    opts.threads = threads ? 3 : 1;
    FUZZ_CHECK(print(f, &message, true, &opts, &again) == ok);
    if (ok) {
        FUZZ_CHECK(text.n == again.n);
        FUZZ_CHECK(!text.n || memcmp(text.v, again.v, text.n) == 0);
        FUZZ_CHECK(kind != FOLDED ||
                   prof_pick_type(p, opts.sample_index, &type, &err));
        check(kind, &text, p, type);
    }
    buf_free(&text);
    buf_free(&again);
    buf_free(&message);
}

static void message_text(const struct profile *p)
{
    struct buf message = encode(p), text = {0};
    struct prof_err err;
    const struct report_format *f = report_find_format("textproto", NULL);
    FUZZ_CHECK(f && f->print_bytes(&text, message.v, message.n, &err));
    FUZZ_CHECK(is_plain_text((const char *)text.v, text.n));
    buf_free(&text);
    buf_free(&message);
}

static void choose(struct report_opts *o, struct made_bytes *b)
{
    static const char *const index[] = {NULL, NULL, NULL, "0", "1", "2"};
    static const char *const units[] = {"minimum", "auto", "ms", "MB", "x"};
    static const double divisors[] = {1, 1, 1, 2, 0.001, 1e300};
    static const size_t counts[] = {REPORT_USUAL_COUNT, 0, 1, 5};
    uint32_t flags = made_below(b, 256);
    o->sample_index = index[made_below(b, 6)];
    o->unit = units[made_below(b, 5)];
    o->divide_by = divisors[made_below(b, 6)];
    o->limits.node_count = counts[made_below(b, 4)];
    o->detail.granularity = (enum prof_granularity)made_below(b, 5);
    o->mean = (flags & 3) == 3;
    o->all_frames = flags & 4;
    o->trim = !(flags & 8);
    o->call_tree = flags & 16;
    o->compact_labels = flags & 32;
    o->detail.no_inlines = (flags & 64) != 0;
    o->detail.show_columns = (flags & 128) != 0;
    o->limits.cum_sort = made_below(b, 2);
    o->limits.drop_negative = made_below(b, 8) == 1;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    struct made_bytes b = made_bytes_of(data, n);
    struct report_opts opts = REPORT_DEFAULTS;
    const struct report_format *format = choose_format(&b);
    const struct made_opts made = {.small = made_below(&b, 4)};
    char own[MADE_NAME];
    opts.pattern = made_name(&b, own);
    choose(&opts, &b);
    struct profile world, p;
    made_world(&world, &b);
    made_profile(&p, &world, &made, &b);
    /* Starting threads takes longer than all else. */
    report(format, &p, &opts, made_below(&b, 8) == 1);
    message_text(&p);
    prof_free(&p);
    prof_free(&world);
    return 0;
}
