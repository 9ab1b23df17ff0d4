/*
 * dcpi_files.c - the two forms of DCPI profiles
 *
 * Binary: the header, which ends with the line `samples`, then little-endian
 * 32-bit words:
 *
 *   chunks  offset, n, and n counts; the file does not state how many chunks
 *   footer  total_offsets, total_samples: the last 8 bytes of the file
 *
 * Text, as dcpicat prints it: a header, then a line for each PC with a count
 * for each event.  Headers are taken in any order; a header line after PCs, or
 * a second `name`, begins the next dump.
 */
#include <string.h>

#include "base/utf8.h"
#include "base/wide.h"
#include "formats/dcpi/private.h"

enum { LOOK_BYTES = 64 * 1024, NANOS_PER_SECOND = 1000000000 };

/* Lines of an input; set s and n, zero the rest. */
struct lines {
    const char *s;
    size_t n, at;
    size_t number; /* of the last line, from 1 */
    bool ended;    /* the last line had its LF */
    bool cr;       /* ... and a CR before it, which is no part of it */
};

/* The next line without its end; false when there is none. */
static bool next_line(struct lines *l, struct prof_slice *line)
{
    if (l->at >= l->n)
        return false;
    const char *s = l->s + l->at;
    size_t left = l->n - l->at;
    const char *lf = memchr(s, '\n', left);
    size_t n = lf ? (size_t)(lf - s) : left;
    l->at += n + (lf != NULL);
    l->number++;
    l->ended = lf != NULL;
    l->cr = lf && n && s[n - 1] == '\r';
    *line = (struct prof_slice){s, n - l->cr};
    return true;
}

static enum dcpi_form find_form(const uint8_t *data, size_t n)
{
    struct lines l = {.s = (const char *)data,
                      .n = n < LOOK_BYTES ? n : LOOK_BYTES};
    struct prof_slice line;
    while (next_line(&l, &line)) {
        struct prof_slice word = dcpi_word(&line);
        uint64_t pc;
        if (slice_is(word, "samples"))
            return DCPI_BINARY;
        if (dcpi_is_pc(word, &pc))
            return DCPI_TEXT;
        bool binary = dcpi_field_of(word, DCPI_BINARY) != DCPI_UNKNOWN;
        bool text = dcpi_field_of(word, DCPI_TEXT) != DCPI_UNKNOWN;
        if (binary != text)
            return binary ? DCPI_BINARY : DCPI_TEXT;
    }
    return DCPI_NEITHER;
}

/* Whether the first line says a version as only DCPI does. */
static bool has_version(const uint8_t *data, size_t n)
{
    struct lines l = {.s = (const char *)data, .n = n};
    struct prof_slice line, word = {0};
    while (!word.n && next_line(&l, &line))
        word = dcpi_word(&line);
    return slice_is(word, "version") && line.n > 4 &&
           slice_begins_with(line, "pdb-");
}

static bool is_keyword(struct prof_slice word)
{
    return dcpi_field_of(word, DCPI_BINARY) != DCPI_UNKNOWN ||
           dcpi_field_of(word, DCPI_TEXT) != DCPI_UNKNOWN;
}

bool dcpi_begins(const uint8_t *data, size_t n)
{
    struct lines l = {.s = (const char *)data,
                      .n = n < LOOK_BYTES ? n : LOOK_BYTES};
    struct prof_slice line, word = {0};
    while (!word.n && next_line(&l, &line))
        word = dcpi_word(&line);
    if (has_version(data, n))
        return true;
    if (!is_keyword(word) ||
        (slice_is(word, "version") && !slice_begins_with(line, "0.")))
        return false;
    /* Words of any text: see whether the header goes on to its counts. */
    do {
        if (slice_is(word, "event") || slice_is(word, "samples"))
            return true;
        if (!next_line(&l, &line) || memchr(line.s, 0, line.n))
            return false;
        word = dcpi_word(&line);
    } while (true);
}

/* --- counts */

/*
 * n * mul / div, rounded half away from zero, exact; false if it does not fit.
 * div is not 0.
 */
static bool scale(uint64_t n, uint64_t mul, uint64_t div, int64_t *out)
{
    uint64_t q, r, up;
    if (!wide_mul_div(n, mul, div, &q, &r))
        return false;
    up = r >= div - r;
    if (q > INT64_MAX - up)
        return false;
    *out = (int64_t)(q + up);
    return true;
}

/* What n samples stand for; false if a number does not fit. */
static bool estimate(const struct dcpi_column *column, uint64_t n,
                     struct dcpi_values *out)
{
    *out = (struct dcpi_values){.samples = (int64_t)n};
    if (n > INT64_MAX)
        return false;
    if (!dcpi_has_estimate(column))
        return true;
    return scale(n, column->period * DCPI_FULL_TIME, column->fraction,
                 &out->events) &&
           (!column->hz || scale((uint64_t)out->events, NANOS_PER_SECOND,
                                 column->hz, &out->nanos));
}

/*
 * One count into *f, if it is not zero; false with a text that is to be
 * prefixed by the place, if memory is out or what it stands for does not fit.
 */
static bool add_count(struct dcpi_file *f, uint64_t pc, uint64_t n,
                      uint32_t column, struct prof_err *err)
{
    struct dcpi_column *col = &f->columns.v[column];
    struct dcpi_count count = {.pc = pc, .column = column};
    if (!estimate(col, n, &count.values) ||
        __builtin_add_overflow(col->sum, n, &col->sum))
        return err_set(
            err, PROF_ERR_INPUT,
            "%llu samples of %.*s at 0x%llx scale to more than 64 bits hold",
            (unsigned long long)n, DCPI_SHOW(col->name),
            (unsigned long long)pc);
    return !n || vec_push(&f->counts, count) || err_nomem(err);
}

/* A new file at the end of the list, or null. */
static struct dcpi_file *add_file(const struct dcpi_ctx *c, enum dcpi_form form,
                                  struct dcpi_files *files)
{
    struct dcpi_file new = {.ctx = c, .form = form};
    if (!vec_push(files, new))
        return NULL;
    return &files->v[files->n - 1];
}

void dcpi_free_files(struct dcpi_files *files)
{
    for (size_t i = 0; i < files->n; i++) {
        vec_free(&files->v[i].comments);
        vec_free(&files->v[i].columns);
        vec_free(&files->v[i].counts);
    }
    vec_free(files);
}

/* --- the binary form */

enum { WORD = 4, FOOTER = 8, CHUNK_HEAD = 8 };

/* Where the chunks are read, offsets from the start of the file. */
struct cursor {
    struct dcpi_file *f;
    const uint8_t *data;
    size_t n;
    size_t at, end;    /* the footer begins at end */
    uint64_t next;     /* the least offset the next chunk may have */
    uint64_t non_zero; /* counts that are not 0 */
    uint64_t extent;   /* bytes from text start that chunks cover */
    bool odd_offset;   /* an offset that is no multiple of 4 was seen */
};

static uint32_t word(const uint8_t *p)
{
    return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 |
           (uint32_t)p[3] << 24;
}

/* Up to and with the `samples` line. */
static bool read_header(struct cursor *cur, struct prof_err *err)
{
    struct lines l = {.s = (const char *)cur->data, .n = cur->n};
    struct prof_slice line;
    bool cr = false;
    while (next_line(&l, &line) && l.ended) {
        struct prof_slice rest = line, first = dcpi_word(&rest);
        cr |= l.cr;
        if (!first.n)
            continue;
        if (!slice_is(first, "samples")) {
            if (!dcpi_header_line(cur->f, line, l.number, err))
                return false;
            continue;
        }
        if (rest.n)
            return err_set(err, PROF_ERR_INPUT,
                           "line %zu: unexpected text after 'samples'",
                           l.number);
        cur->at = l.at;
        return !cr || dcpi_warn(cur->f->ctx, err,
                                "header lines end in CR LF; if a transfer "
                                "converted line ends, the counts are corrupt");
    }
    return err_set(err, PROF_ERR_INPUT,
                   "not a DCPI profile: no 'samples' line ends the header");
}

/* Which addresses a chunk covers; checks its place among the others. */
static bool place_chunk(struct cursor *cur, uint32_t offset, uint32_t number,
                        uint64_t *pc, struct prof_err *err)
{
    const struct dcpi_ctx *c = cur->f->ctx;
    bool insn = c->opts->offset_unit == DCPI_UNIT_INSN;
    uint64_t step = insn ? 1 : DCPI_INSN;
    if (offset < cur->next)
        return err_set(
            err, PROF_ERR_INPUT,
            "offset %zu: chunk at +0x%x begins before the end of "
            "the last, +0x%llx%s",
            cur->at, offset, (unsigned long long)cur->next,
            insn ? ""
                 : "; if offsets count instructions, use --offset-unit=insn");
    cur->next = offset + step * number;
    if (!insn && offset % DCPI_INSN && !cur->odd_offset) {
        cur->odd_offset = true;
        if (!dcpi_warn(c, err,
                       "offset %zu: chunk at +0x%x is not at an instruction; "
                       "if offsets count instructions, use --offset-unit=insn",
                       cur->at, offset))
            return false;
    }
    uint64_t unit = insn ? DCPI_INSN : 1, limit;
    cur->extent = cur->next * unit;
    if (__builtin_add_overflow(cur->f->text_start, cur->extent, &limit))
        return err_set(err, PROF_ERR_INPUT,
                       "offset %zu: chunk at +0x%x exceeds the address space",
                       cur->at, offset);
    *pc = cur->f->text_start + offset * unit;
    return true;
}

static bool read_chunk(struct cursor *cur, struct prof_err *err)
{
    size_t left = cur->end - cur->at;
    if (left < CHUNK_HEAD)
        return err_set(err, PROF_ERR_INPUT,
                       "offset %zu: unexpected end of file: %zu bytes before "
                       "the footer are not a chunk",
                       cur->at, left);
    uint32_t offset = word(cur->data + cur->at);
    uint32_t number = word(cur->data + cur->at + WORD);
    if (!number)
        return err_set(err, PROF_ERR_INPUT, "offset %zu: chunk without counts",
                       cur->at);
    if (number > (left - CHUNK_HEAD) / WORD)
        return err_set(err, PROF_ERR_INPUT,
                       "offset %zu: chunk of %u counts runs into the footer; "
                       "the file may be truncated",
                       cur->at, number);
    uint64_t pc = 0;
    if (!place_chunk(cur, offset, number, &pc, err))
        return false;
    cur->at += CHUNK_HEAD;
    for (uint32_t i = 0; i < number; i++, cur->at += WORD, pc += DCPI_INSN) {
        uint32_t n = word(cur->data + cur->at);
        cur->non_zero += n != 0;
        if (!add_count(cur->f, pc, n, 0, err)) {
            if (err && err->kind == PROF_ERR_INPUT)
                err_prefix(err, "offset %zu: ", cur->at);
            return false;
        }
    }
    return true;
}

/* The footer's totals; total_samples is compared as the 32 bits it is. */
static bool check_footer(const struct cursor *cur, struct prof_err *err)
{
    const struct dcpi_file *f = cur->f;
    const struct dcpi_ctx *c = f->ctx;
    uint32_t offsets = word(cur->data + cur->end);
    uint32_t samples = word(cur->data + cur->end + WORD);
    uint64_t sum = f->columns.v[0].sum;
    if (offsets != (uint32_t)cur->non_zero &&
        !dcpi_warn(
            c, err,
            "offset %zu: the footer has %u addresses, but the chunks have %llu",
            cur->end, offsets, (unsigned long long)cur->non_zero))
        return false;
    return samples == (uint32_t)sum ||
           dcpi_warn(c, err,
                     "offset %zu: the footer has %u samples, but the chunks "
                     "have %llu",
                     cur->end + WORD, samples, (unsigned long long)sum);
}

static bool read_chunks(struct cursor *cur, struct prof_err *err)
{
    size_t n = cur->n;
    if (n - cur->at < FOOTER)
        return err_set(err, PROF_ERR_INPUT,
                       "offset %zu: unexpected end of file: %zu bytes after "
                       "the header, but the footer needs 8",
                       cur->at, n - cur->at);
    cur->end = n - FOOTER;
    while (cur->at < cur->end)
        if (!read_chunk(cur, err))
            return false;
    return true;
}

/*
 * Without a version, or the mark of one, the layout is that of 0.07 if both
 * totals are those of the chunks.
 */
static bool prove_version(const struct cursor *cur, struct prof_err *err)
{
    const struct dcpi_file *f = cur->f;
    const char *lack = f->seen[DCPI_VERSION] ? "no 'pdb-' in the version line"
                                             : "the header has no version line";
    if (word(cur->data + cur->end) != (uint32_t)cur->non_zero ||
        word(cur->data + cur->end + WORD) != (uint32_t)f->columns.v[0].sum)
        return err_set(err, PROF_ERR_INPUT,
                       "%s, and the footer's totals do not match; use "
                       "--assume=0.07 to read it as that version",
                       lack);
    return dcpi_warn(f->ctx, err,
                     "%s: read as version 0.07, as the footer's totals confirm",
                     lack);
}

static bool read_binary(const struct dcpi_ctx *c, const struct import_input *in,
                        struct dcpi_files *files, struct prof_err *err)
{
    struct dcpi_file *f = add_file(c, DCPI_BINARY, files);
    struct cursor cur = {.f = f, .data = in->data, .n = in->n};
    if (!f)
        return err_nomem(err);
    if (!read_header(&cur, err) || !dcpi_end_header(f, err) ||
        !read_chunks(&cur, err) ||
        !(f->unproven ? prove_version(&cur, err) : check_footer(&cur, err)))
        return false;
    if (!f->seen[DCPI_TSIZE] || cur.extent <= f->text_size ||
        dcpi_is_unknown(f))
        return true;
    return dcpi_warn(
        c, err, "chunks extend to +0x%llx, beyond the text size 0x%llx",
        (unsigned long long)cur.extent, (unsigned long long)f->text_size);
}

/* --- text */

struct text {
    const struct dcpi_ctx *c;
    struct dcpi_files *files;
    struct dcpi_file *f; /* the dump being read; null before the first */
    bool rows;           /* its header is over */
    uint64_t last_pc;
    size_t last_row; /* number of its line; 0: none */
};

static bool check_sums(const struct text *t, struct prof_err *err)
{
    const struct dcpi_file *f = t->f;
    for (size_t i = 0; i < f->columns.n; i++) {
        const struct dcpi_column *col = &f->columns.v[i];
        if (col->sum != col->total &&
            !dcpi_warn(t->c, err,
                       "event '%.*s' has %llu samples in the header, but its "
                       "column adds up to %llu",
                       DCPI_SHOW(col->name), (unsigned long long)col->total,
                       (unsigned long long)col->sum))
            return false;
    }
    return true;
}

/* PCs that the header's text does not hold: one warning for all. */
static bool check_range(const struct text *t, struct prof_err *err)
{
    const struct dcpi_file *f = t->f;
    size_t outside = 0;
    if (!f->seen[DCPI_TSTART] || !f->seen[DCPI_TSIZE] || dcpi_is_unknown(f))
        return true;
    for (size_t i = 0; i < f->counts.n; i++)
        outside += f->counts.v[i].pc - f->text_start >= f->text_size;
    return !outside || dcpi_warn(t->c, err,
                                 "%zu counts are at PCs outside the "
                                 "text of the image",
                                 outside);
}

static bool end_dump(struct text *t, struct prof_err *err)
{
    if (!t->f)
        return true;
    if (!t->rows && !dcpi_end_header(t->f, err))
        return false;
    return check_sums(t, err) && check_range(t, err);
}

static bool begin_dump(struct text *t, struct prof_err *err)
{
    if (!end_dump(t, err))
        return false;
    t->f = add_file(t->c, DCPI_TEXT, t->files);
    t->rows = false;
    t->last_row = 0;
    return t->f || err_nomem(err);
}

static bool check_order(struct text *t, uint64_t pc, size_t number,
                        struct prof_err *err)
{
    if (t->last_row && pc <= t->last_pc &&
        !dcpi_warn(t->c, err,
                   "line %zu: PC 0x%llx is not above that of line "
                   "%zu",
                   number, (unsigned long long)pc, t->last_row))
        return false;
    t->last_pc = pc;
    t->last_row = number;
    return true;
}

static bool read_row(struct text *t, uint64_t pc, struct prof_slice rest,
                     size_t number, struct prof_err *err)
{
    if (!t->f)
        return err_set(err, PROF_ERR_INPUT,
                       "line %zu: counts before any header", number);
    if (!t->rows && !dcpi_end_header(t->f, err))
        return false;
    t->rows = true;
    if (!check_order(t, pc, number, err))
        return false;
    size_t want = t->f->columns.n, got = 0;
    for (; rest.n; got++) {
        struct prof_slice word = dcpi_word(&rest);
        uint64_t n;
        if (!dcpi_decimal(word, &n))
            return err_set(err, PROF_ERR_INPUT,
                           "line %zu: invalid count '%.*s'", number,
                           DCPI_SHOW(word));
        if (got >= want)
            continue;
        if (!add_count(t->f, pc, n, (uint32_t)got, err)) {
            if (err && err->kind == PROF_ERR_INPUT)
                err_prefix(err, "line %zu: ", number);
            return false;
        }
    }
    if (got != want)
        return err_set(err, PROF_ERR_INPUT,
                       "line %zu: %zu counts for %zu events", number, got,
                       want);
    return true;
}

static bool read_header_line(struct text *t, struct prof_slice line,
                             enum dcpi_field field, size_t number,
                             struct prof_err *err)
{
    if (t->rows && field == DCPI_UNKNOWN)
        return err_set(err, PROF_ERR_INPUT,
                       "line %zu: expected a PC with counts, or a header line",
                       number);
    if (!t->f || t->rows || (field == DCPI_NAME && t->f->seen[DCPI_NAME]))
        if (!begin_dump(t, err))
            return false;
    return dcpi_header_line(t->f, line, number, err);
}

static bool read_text(const struct dcpi_ctx *c, const struct import_input *in,
                      struct dcpi_files *files, struct prof_err *err)
{
    struct text t = {.c = c, .files = files};
    struct lines l = {.s = (const char *)in->data, .n = in->n};
    struct prof_slice line;
    while (next_line(&l, &line)) {
        struct prof_slice rest = line, word = dcpi_word(&rest);
        uint64_t pc;
        if (!word.n)
            continue;
        bool row = dcpi_is_pc(word, &pc);
        if (!(row ? read_row(&t, pc, rest, l.number, err)
                  : read_header_line(&t, line, dcpi_field_of(word, DCPI_TEXT),
                                     l.number, err)))
            return false;
    }
    return end_dump(&t, err);
}

/* --- any form */

/* Every header line a comment, none understood, whatever the version. */
static bool read_header_only(const struct dcpi_ctx *c,
                             const struct import_input *in, enum dcpi_form form,
                             struct dcpi_files *files, struct prof_err *err)
{
    struct dcpi_file *f = add_file(c, form, files);
    if (!f)
        return err_nomem(err);
    struct lines l = {.s = (const char *)in->data, .n = in->n};
    struct prof_slice line;
    while (next_line(&l, &line)) {
        struct prof_slice rest = line, word = dcpi_word(&rest);
        uint64_t pc;
        if (form == DCPI_TEXT && dcpi_is_pc(word, &pc))
            continue;
        /* Where version 1 ends its header is not known: where text ends. */
        if (form == DCPI_BINARY &&
            (slice_is(word, "samples") || memchr(line.s, 0, line.n)))
            break;
        if (word.n && !vec_push(&f->comments, line))
            return err_nomem(err);
    }
    return true;
}

static bool not_dcpi(const struct import_input *in, struct prof_err *err)
{
    if (in->n == 0)
        return err_set(err, PROF_ERR_INPUT, "empty file");
    if (in->foreign)
        return err_set(err, PROF_ERR_INPUT, "not a DCPI profile: this is %s",
                       in->foreign->words);
    return err_set(err, PROF_ERR_INPUT,
                   "not a DCPI profile: neither a file with a header that "
                   "ends in 'samples' nor the output of dcpicat");
}

bool dcpi_read_files(const struct dcpi_ctx *c, const struct import_input *in,
                     struct dcpi_files *files, struct prof_err *err)
{
    enum dcpi_form form = find_form(in->data, in->n);
    if (form == DCPI_NEITHER)
        return not_dcpi(in, err);
    if (c->opts->header_only)
        return read_header_only(c, in, form, files, err);
    return form == DCPI_BINARY ? read_binary(c, in, files, err)
                               : read_text(c, in, files, err);
}

const struct import_format dcpi_format = {
    .name = "dcpi",
    IMPORT_READ_BY("dcpi2pb", "a DCPI profile"),
    .begins = has_version,
};
