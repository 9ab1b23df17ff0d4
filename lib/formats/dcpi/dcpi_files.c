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
 * for each event.  The lines of a header may have any order; a header line
 * after PCs, or a second `name`, begins the next dump.
 */
#include <string.h>

#include "base/bytes.h"
#include "base/wide.h"
#include "formats/dcpi/private.h"

enum { LOOK_BYTES = 64 * 1024, NANOS_PER_SECOND = 1000000000 };

/* Iterates over the lines of an input.  Set `rest`, and zero the others. */
struct lines {
    struct prof_slice rest;
    size_t number; /* number of the last line, from 1 */
    bool ended;    /* the last line ended in LF */
    bool cr;       /* ... with a CR before it, which is not part of the line */
};

/* Sets *line to the next line without its end; returns false at the end. */
static bool next_line(struct lines *l, struct prof_slice *line)
{
    if (!l->rest.n)
        return false;
    *line = slice_take_line(&l->rest);
    l->number++;
    l->ended = line->s + line->n < l->rest.s;
    l->cr = l->ended && slice_ends_with(*line, "\r");
    line->n -= l->cr;
    return true;
}

/* Returns whether the first line is `version pdb-...`, which only DCPI has. */
static bool has_version(const uint8_t *data, size_t n)
{
    struct lines l = {.rest = {(const char *)data, n}};
    struct prof_slice line, word = {0};
    while (!word.n && next_line(&l, &line))
        word = dcpi_word(&line);
    return slice_is(word, "version") && line.n > 4 &&
           slice_begins_with(line, "pdb-");
}

bool dcpi_begins(const uint8_t *data, size_t n)
{
    struct lines l = {
        .rest = {(const char *)data, n < LOOK_BYTES ? n : LOOK_BYTES}};
    struct prof_slice line, word = {0};
    while (!word.n && next_line(&l, &line))
        word = dcpi_word(&line);
    if (has_version(data, n))
        return true;
    if ((dcpi_field_of(word, DCPI_BINARY) == DCPI_UNKNOWN &&
         dcpi_field_of(word, DCPI_TEXT) == DCPI_UNKNOWN) ||
        (slice_is(word, "version") && !slice_begins_with(line, "0.")))
        return false;
    /* Other text may begin with the same word: require more of a header. */
    while (!slice_is(word, "event") && !slice_is(word, "samples")) {
        if (!next_line(&l, &line) || memchr(line.s, 0, line.n))
            return false;
        word = dcpi_word(&line);
    }
    return true;
}

/* --- counts */

/*
 * Sets *out to n * mul / div, rounded half up, without intermediate overflow.
 * Returns false if the result exceeds 63 bits.  div is not 0.
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

/*
 * Adds a count and its estimates of events and time to *f, unless it is zero.
 * Fails if memory is out or a number exceeds 63 bits; the caller prefixes the
 * error with the place.
 */
static bool add_count(struct dcpi_file *f, uint64_t pc, uint64_t n,
                      uint32_t column, struct prof_err *err)
{
    struct dcpi_column *col = &f->columns.v[column];
    struct dcpi_count count = {.pc = pc, .column = column};
    struct dcpi_values *v = &count.values;
    v->samples = (int64_t)n;
    bool fits =
        n <= INT64_MAX && !__builtin_add_overflow(col->sum, n, &col->sum);
    if (fits && dcpi_has_estimate(col))
        fits =
            scale(n, col->period * DCPI_FULL_TIME, col->fraction, &v->events) &&
            (!col->hz ||
             scale((uint64_t)v->events, NANOS_PER_SECOND, col->hz, &v->nanos));
    if (!fits)
        return err_input(
            err,
            "event '%.*s' at 0x%llx: %llu samples exceed 64 bits when scaled",
            DCPI_SHOW(col->name), (unsigned long long)pc,
            (unsigned long long)n);
    return !n || vec_push(&f->counts, count) || err_nomem(err);
}

/* Appends a file to the list; returns null if memory is out. */
static struct dcpi_file *add_file(const struct dcpi_ctx *c, enum dcpi_form form,
                                  struct dcpi_files *files)
{
    struct dcpi_file new = {.ctx = c, .form = form};
    return vec_push(files, new) ? &files->v[files->n - 1] : NULL;
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

/* The position in the chunks of a binary file; offsets are in the file. */
struct cursor {
    struct dcpi_file *f;
    const uint8_t *data;
    size_t n;
    size_t at, end;    /* the next byte; where the footer begins */
    uint64_t next;     /* the least offset the next chunk may have */
    uint64_t non_zero; /* counts that are not 0 */
    uint64_t extent;   /* end of the last chunk, in bytes from text start */
    bool odd_offset;   /* an offset was not a multiple of 4 */
};

/* Reads the header up to and including the `samples` line. */
static bool read_header(struct cursor *cur, struct prof_err *err)
{
    struct lines l = {.rest = {(const char *)cur->data, cur->n}};
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
            return err_input(err, "line %zu: unexpected text after 'samples'",
                             l.number);
        cur->at = cur->n - l.rest.n;
        return !cr || dcpi_warn(cur->f->ctx, err,
                                "header lines end in CR LF; if a transfer "
                                "converted line endings, the counts are "
                                "corrupt");
    }
    return err_input(err,
                     "not a DCPI profile: no 'samples' line ends the header");
}

/* Sets *pc to the first address of a chunk; fails if chunks overlap. */
static bool place_chunk(struct cursor *cur, uint32_t offset, uint32_t number,
                        uint64_t *pc, struct prof_err *err)
{
    const struct dcpi_ctx *c = cur->f->ctx;
    bool insn = c->opts->offset_unit == DCPI_UNIT_INSN;
    uint64_t step = insn ? 1 : DCPI_INSN;
    if (offset < cur->next)
        return err_input(err,
                         "offset %zu: chunk at +0x%x begins before the end of "
                         "the previous chunk, +0x%llx%s",
                         cur->at, offset, (unsigned long long)cur->next,
                         insn ? ""
                              : TEXT("; if offsets count instructions, use "
                                     "--offset-unit=insn"));
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
        return err_input(err,
                         "offset %zu: chunk at +0x%x exceeds the address space",
                         cur->at, offset);
    *pc = cur->f->text_start + offset * unit;
    return true;
}

static bool read_chunk(struct cursor *cur, struct prof_err *err)
{
    size_t left = cur->end - cur->at;
    if (left < CHUNK_HEAD)
        return err_input(err,
                         "offset %zu: unexpected end of file: %zu bytes before "
                         "the footer are not a chunk",
                         cur->at, left);
    uint32_t offset = le32(cur->data + cur->at);
    uint32_t number = le32(cur->data + cur->at + WORD);
    if (!number)
        return err_input(err, "offset %zu: chunk without counts", cur->at);
    if (number > (left - CHUNK_HEAD) / WORD)
        return err_input(err,
                         "offset %zu: chunk of %u counts runs into the footer; "
                         "the file may be truncated",
                         cur->at, number);
    uint64_t pc = 0;
    if (!place_chunk(cur, offset, number, &pc, err))
        return false;
    cur->at += CHUNK_HEAD;
    for (uint32_t i = 0; i < number; i++, cur->at += WORD, pc += DCPI_INSN) {
        uint32_t n = le32(cur->data + cur->at);
        cur->non_zero += n != 0;
        if (!add_count(cur->f, pc, n, 0, err))
            return err && err->kind == PROF_ERR_INPUT &&
                   err_prefix(err, "offset %zu: ", cur->at);
    }
    return true;
}

/*
 * Compares the footer's totals with the chunks, modulo 2^32.  If the header
 * has no version, or one without "pdb-", the file is accepted as version 0.07
 * only if both totals match.
 */
static bool check_footer(const struct cursor *cur, struct prof_err *err)
{
    const struct dcpi_file *f = cur->f;
    uint32_t offsets = le32(cur->data + cur->end);
    uint32_t samples = le32(cur->data + cur->end + WORD);
    uint64_t sum = f->columns.v[0].sum;
    bool same_offsets = offsets == (uint32_t)cur->non_zero;
    bool same_samples = samples == (uint32_t)sum;
    if (f->unproven) {
        const char *lack = f->seen[DCPI_VERSION]
                               ? TEXT("no 'pdb-' in the version line")
                               : "the header has no version line";
        if (same_offsets && same_samples)
            return dcpi_warn(f->ctx, err,
                             "%s: read as version 0.07, as the footer's totals "
                             "confirm",
                             lack);
        return err_input(err,
                         "%s, and the footer's totals do not match; use "
                         "--assume=0.07 to read it as that version",
                         lack);
    }
    return (same_offsets ||
            dcpi_warn(f->ctx, err,
                      "offset %zu: the footer has %u addresses, but the chunks "
                      "have %llu",
                      cur->end, offsets, (unsigned long long)cur->non_zero)) &&
           (same_samples ||
            dcpi_warn(f->ctx, err,
                      "offset %zu: the footer has %u samples, but the chunks "
                      "have %llu",
                      cur->end + WORD, samples, (unsigned long long)sum));
}

static bool read_binary(const struct dcpi_ctx *c, const struct import_input *in,
                        struct dcpi_files *files, struct prof_err *err)
{
    struct dcpi_file *f = add_file(c, DCPI_BINARY, files);
    struct cursor cur = {.f = f, .data = in->data, .n = in->n};
    if (!f)
        return err_nomem(err);
    if (!read_header(&cur, err) || !dcpi_end_header(f, err))
        return false;
    if (cur.n - cur.at < FOOTER)
        return err_input(err,
                         "offset %zu: unexpected end of file: %zu bytes after "
                         "the header, but the footer needs 8",
                         cur.at, cur.n - cur.at);
    cur.end = cur.n - FOOTER;
    while (cur.at < cur.end)
        if (!read_chunk(&cur, err))
            return false;
    if (!check_footer(&cur, err))
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
    struct dcpi_file *f; /* the dump being read; null before the first */
    bool rows;           /* its header has ended: lines with PCs follow */
    uint64_t last_pc;
    size_t last_row; /* number of the last line with a PC; 0: none */
};

/* Checks the sums of the columns; warns of PCs outside the image's text. */
static bool end_dump(struct text *t, struct prof_err *err)
{
    struct dcpi_file *f = t->f;
    size_t outside = 0;
    if (!f)
        return true;
    if (!t->rows && !dcpi_end_header(f, err))
        return false;
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
    if (!f->seen[DCPI_TSTART] || !f->seen[DCPI_TSIZE] || dcpi_is_unknown(f))
        return true;
    for (size_t i = 0; i < f->counts.n; i++)
        outside += f->counts.v[i].pc - f->text_start >= f->text_size;
    return !outside ||
           dcpi_warn(t->c, err, "counts outside the text of the image: %zu",
                     outside);
}

static bool read_row(struct text *t, uint64_t pc, struct prof_slice rest,
                     size_t number, struct prof_err *err)
{
    if (!t->f)
        return err_input(err, "line %zu: counts before any header", number);
    if (!t->rows && !dcpi_end_header(t->f, err))
        return false;
    t->rows = true;
    if (t->last_row && pc <= t->last_pc &&
        !dcpi_warn(t->c, err,
                   "line %zu: PC 0x%llx is not greater than that of line %zu",
                   number, (unsigned long long)pc, t->last_row))
        return false;
    t->last_pc = pc;
    t->last_row = number;
    size_t want = t->f->columns.n, got = 0;
    for (; rest.n; got++) {
        struct prof_slice word = dcpi_word(&rest);
        uint64_t n;
        if (!dcpi_decimal(word, &n))
            return err_input(err, "line %zu: invalid count '%.*s'", number,
                             DCPI_SHOW(word));
        if (got >= want)
            continue;
        if (!add_count(t->f, pc, n, (uint32_t)got, err))
            return err && err->kind == PROF_ERR_INPUT &&
                   err_prefix(err, "line %zu: ", number);
    }
    if (got != want)
        return err_input(err, "line %zu: %zu counts for %zu events", number,
                         got, want);
    return true;
}

static bool read_text(const struct dcpi_ctx *c, const struct import_input *in,
                      struct dcpi_files *files, struct prof_err *err)
{
    struct text t = {.c = c};
    struct lines l = {.rest = {(const char *)in->data, in->n}};
    struct prof_slice line;
    while (next_line(&l, &line)) {
        struct prof_slice rest = line, word = dcpi_word(&rest);
        uint64_t pc;
        if (!word.n)
            continue;
        if (dcpi_is_pc(word, &pc)) {
            if (!read_row(&t, pc, rest, l.number, err))
                return false;
            continue;
        }
        enum dcpi_field field = dcpi_field_of(word, DCPI_TEXT);
        if (t.rows && field == DCPI_UNKNOWN)
            return err_input(
                err, "line %zu: expected a PC with counts, or a header line",
                l.number);
        /* A header line after PCs, or a second name, begins a new dump. */
        if (!t.f || t.rows || (field == DCPI_NAME && t.f->seen[DCPI_NAME])) {
            if (!end_dump(&t, err))
                return false;
            t = (struct text){.c = c, .f = add_file(c, DCPI_TEXT, files)};
            if (!t.f)
                return err_nomem(err);
        }
        if (!dcpi_header_line(t.f, line, l.number, err))
            return false;
    }
    return end_dump(&t, err);
}

/* --- any form */

/* Copies each header line to the comments; accepts any version. */
static bool read_header_only(const struct dcpi_ctx *c,
                             const struct import_input *in, enum dcpi_form form,
                             struct dcpi_files *files, struct prof_err *err)
{
    struct dcpi_file *f = add_file(c, form, files);
    if (!f)
        return err_nomem(err);
    struct lines l = {.rest = {(const char *)in->data, in->n}};
    struct prof_slice line;
    while (next_line(&l, &line)) {
        struct prof_slice rest = line, word = dcpi_word(&rest);
        uint64_t pc;
        if (form == DCPI_TEXT && dcpi_is_pc(word, &pc))
            continue;
        /* It is unknown how version 1 ends a header: stop at binary data. */
        if (form == DCPI_BINARY &&
            (slice_is(word, "samples") || memchr(line.s, 0, line.n)))
            break;
        if (word.n && !vec_push(&f->comments, line))
            return err_nomem(err);
    }
    return true;
}

bool dcpi_read_files(const struct dcpi_ctx *c, const struct import_input *in,
                     struct dcpi_files *files, struct prof_err *err)
{
    enum dcpi_form form = DCPI_NEITHER;
    struct lines l = {.rest = {(const char *)in->data,
                               in->n < LOOK_BYTES ? in->n : LOOK_BYTES}};
    struct prof_slice line;
    while (form == DCPI_NEITHER && next_line(&l, &line)) {
        struct prof_slice word = dcpi_word(&line);
        uint64_t pc;
        bool binary = dcpi_field_of(word, DCPI_BINARY) != DCPI_UNKNOWN;
        bool text = dcpi_field_of(word, DCPI_TEXT) != DCPI_UNKNOWN;
        if (slice_is(word, "samples") || (binary && !text))
            form = DCPI_BINARY;
        else if (dcpi_is_pc(word, &pc) || (text && !binary))
            form = DCPI_TEXT;
    }
    if (form == DCPI_NEITHER && in->n == 0)
        return err_input(err, "empty file");
    if (form == DCPI_NEITHER && in->foreign)
        return err_input(err, "not a DCPI profile: found %s",
                         in->foreign->words);
    if (form == DCPI_NEITHER)
        return err_input(err,
                         "not a DCPI profile: neither a file with a header "
                         "that ends in 'samples' nor the output of dcpicat");
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
