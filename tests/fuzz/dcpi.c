#include <string.h>

#include "formats/dcpi/dcpi.h"
#include "fuzz.h"
#include "profile/wire/pb.h"

static const char *const events[] = {"cycles"};
static const uint8_t between[] = {0, 0xff, 0, 0xff};

/* Notes as under --strict. */
struct strict {
    struct prof_notes notes;
    struct prof_err lost;
};

static void say_strictly(void *ctx, enum prof_note_level level,
                         const char *text)
{
    struct strict *s = ctx;
    if (level == PROF_NOTE_LOSS)
        err_set(&s->lost, PROF_ERR_INPUT, "%s", text);
}

static bool check_strictly(void *ctx, struct prof_err *err)
{
    struct strict *s = ctx;
    bool ok = !s->lost.kind;
    if (!ok)
        *err = s->lost;
    s->lost.kind = PROF_ERR_NONE;
    return ok;
}

static struct dcpi_opts choose(unsigned c)
{
    return (struct dcpi_opts){
        .header_only = (c & 6) == 6,
        .assume_version = c & 8,
        .has_text_start = c & 16,
        .text_start = 0x120000000,
        .offset_unit = c & 32 ? DCPI_UNIT_INSN : DCPI_UNIT_BYTE,
        .events = events,
        .n_events = c & 64 ? 1 : 0,
    };
}

enum outcome {
    WHOLE,
    PARTLY,  /* some input was refused: the second of two without a name, say,
                so that the order decides what there is */
    NOTHING, /* ... though none was */
};

/* What all of them are together. */
static enum outcome convert(const struct dcpi_opts *opts, bool strictly,
                            const struct import_input *in, size_t n,
                            struct buf *bytes)
{
    struct strict strict = {.notes = {say_strictly, &strict, check_strictly}};
    enum outcome outcome = WHOLE;
    struct prof_err err = {0};
    struct dcpi *d =
        dcpi_sum_new(opts, strictly ? &strict.notes : &fuzz_notes, &err);
    FUZZ_CHECK(d);
    for (size_t i = 0; i < n; i++)
        if (!dcpi_sum_add(d, &in[i], &err)) {
            fuzz_refused(&err);
            outcome = PARTLY;
        }
    struct profile *p = dcpi_sum_finish(d, &err);
    if (p) {
        struct buf_sink to = buf_sink_of(bytes);
        fuzz_sound(p);
        FUZZ_CHECK(pb_encode(p, &to.sink, &err));
    } else {
        fuzz_refused(&err);
        outcome = outcome == WHOLE ? NOTHING : PARTLY;
    }
    prof_delete(p);
    dcpi_sum_free(d);
    return outcome;
}

void fuzz_dcpi(const uint8_t *data, size_t n)
{
    unsigned choice = fuzz_choice(data, n);
    const struct dcpi_opts opts = choose(choice);
    bool strictly = choice & 1;
    const uint8_t *cut = n ? memmem(data, n, between, sizeof between) : NULL;
    struct buf one = {0}, other = {0};
    if (!cut) {
        const struct import_input all = {.data = data, .n = n};
        (void)convert(&opts, strictly, &all, 1, &one);
        buf_free(&one);
        return;
    }
    size_t first = (size_t)(cut - data), second = first + sizeof between;
    struct import_input in[] = {{.data = data, .n = first},
                                {.data = data + second, .n = n - second}};
    struct import_input back[] = {in[1], in[0]};
    enum outcome outcome = convert(&opts, strictly, in, 2, &one);
    FUZZ_CHECK(convert(&opts, strictly, back, 2, &other) == outcome);
    /* Comments of headers alone are in the order of the inputs. */
    if (outcome == WHOLE && !opts.header_only)
        FUZZ_CHECK(one.n == other.n && memcmp(one.v, other.v, one.n) == 0);
    buf_free(&one);
    buf_free(&other);
}
