/*
 * DCPI profile files of versions 0.06 and 0.07.
 *
 * After the header's `samples` line, little-endian 32-bit words: chunks of
 * offset, number and as many counts, then total_offsets and total_samples.
 * Nothing says how many chunks there are: the last 8 bytes are the footer.
 */
#include "import/dcpi/dcpi_file.h"

enum { WORD = 4, FOOTER = 8, CHUNK_HEAD = 8 };

/* Where the chunks are read, offsets from the start of the file. */
struct cursor {
    const uint8_t *data;
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

/* Up to and with the `samples` line; *at is the byte after it. */
static bool read_header(const struct dcpi_ctx *c, const uint8_t *data, size_t n,
                        struct dcpi_file *f, size_t *at, struct err *err)
{
    struct dcpi_lines l = {.s = (const char *)data, .n = n};
    struct dcpi_span line;
    bool cr = false;
    while (dcpi_next_line(&l, &line) && l.ended) {
        struct dcpi_span rest = line, first = dcpi_word(&rest);
        cr |= l.cr;
        if (!first.n)
            continue;
        if (!dcpi_is(first, "samples")) {
            if (!dcpi_take_line(c, f, DCPI_BINARY, line, l.number, err))
                return false;
            continue;
        }
        if (rest.n)
            return err_set(err, ERR_INPUT, "line %zu: text after 'samples'",
                           l.number);
        *at = l.at;
        return !cr || dcpi_odd(c, err,
                               "header lines end in CR LF: if a transfer "
                               "converted the file, its counts are damaged");
    }
    return err_set(err, ERR_INPUT,
                   "not a DCPI profile: no 'samples' line ends the header");
}

/* Which addresses a chunk covers; checks its place among the others. */
static bool place_chunk(const struct dcpi_ctx *c, struct dcpi_file *f,
                        struct cursor *cur, uint32_t offset, uint32_t number,
                        uint64_t *pc, struct err *err)
{
    bool insn = c->opts->offset_unit == DCPI_UNIT_INSN;
    uint64_t step = insn ? 1 : DCPI_INSN;
    if (offset < cur->next)
        return err_set(err, ERR_INPUT,
                       "offset %zu: chunk at +0x%x begins before the end of "
                       "the last, +0x%llx%s",
                       cur->at, offset, (unsigned long long)cur->next,
                       insn ? ""
                            : "; if offsets count instructions, "
                              "--offset-unit=insn reads them");
    cur->next = offset + step * number;
    if (!insn && offset % DCPI_INSN && !cur->odd_offset) {
        cur->odd_offset = true;
        if (!dcpi_odd(c, err,
                      "offset %zu: chunk at +0x%x is between instructions; "
                      "if offsets count instructions, --offset-unit=insn "
                      "reads them",
                      cur->at, offset))
            return false;
    }
    uint64_t unit = insn ? DCPI_INSN : 1, limit;
    cur->extent = cur->next * unit;
    if (__builtin_add_overflow(f->text_start, cur->extent, &limit))
        return err_set(err, ERR_INPUT,
                       "offset %zu: chunk at +0x%x is beyond the address space",
                       cur->at, offset);
    *pc = f->text_start + offset * unit;
    return true;
}

static bool read_chunk(const struct dcpi_ctx *c, struct dcpi_file *f,
                       struct cursor *cur, struct err *err)
{
    size_t left = cur->end - cur->at;
    if (left < CHUNK_HEAD)
        return err_set(err, ERR_INPUT,
                       "offset %zu: truncated: %zu bytes before the footer "
                       "are no chunk",
                       cur->at, left);
    uint32_t offset = word(cur->data + cur->at);
    uint32_t number = word(cur->data + cur->at + WORD);
    if (!number)
        return err_set(err, ERR_INPUT, "offset %zu: chunk without counts",
                       cur->at);
    if (number > (left - CHUNK_HEAD) / WORD)
        return err_set(err, ERR_INPUT,
                       "offset %zu: chunk of %u counts runs into the footer; "
                       "the file may be truncated",
                       cur->at, number);
    uint64_t pc = 0;
    if (!place_chunk(c, f, cur, offset, number, &pc, err))
        return false;
    cur->at += CHUNK_HEAD;
    for (uint32_t i = 0; i < number; i++, cur->at += WORD, pc += DCPI_INSN) {
        uint32_t n = word(cur->data + cur->at);
        cur->non_zero += n != 0;
        if (!dcpi_add_count(f, pc, n, 0, err)) {
            if (err && err->kind == ERR_INPUT)
                err_prefix(err, "offset %zu: ", cur->at);
            return false;
        }
    }
    return true;
}

/* The footer's totals; total_samples is compared as the 32 bits it is. */
static bool check_footer(const struct dcpi_ctx *c, const struct dcpi_file *f,
                         const struct cursor *cur, struct err *err)
{
    uint32_t offsets = word(cur->data + cur->end);
    uint32_t samples = word(cur->data + cur->end + WORD);
    uint64_t sum = f->columns.v[0].sum;
    if (offsets != (uint32_t)cur->non_zero &&
        !dcpi_odd(c, err,
                  "offset %zu: footer says %u addresses, the chunks have %llu",
                  cur->end, offsets, (unsigned long long)cur->non_zero))
        return false;
    return samples == (uint32_t)sum ||
           dcpi_odd(c, err,
                    "offset %zu: footer says %u samples, the chunks have %llu",
                    cur->end + WORD, samples, (unsigned long long)sum);
}

static bool read_chunks(const struct dcpi_ctx *c, struct dcpi_file *f,
                        struct cursor *cur, size_t n, struct err *err)
{
    if (n - cur->at < FOOTER)
        return err_set(err, ERR_INPUT,
                       "offset %zu: truncated: %zu bytes after the header, "
                       "the footer alone has 8",
                       cur->at, n - cur->at);
    cur->end = n - FOOTER;
    while (cur->at < cur->end)
        if (!read_chunk(c, f, cur, err))
            return false;
    return true;
}

/*
 * Without a version, or the mark of one, the layout is that of 0.07 if both
 * totals are those of the chunks.
 */
static bool prove(const struct dcpi_ctx *c, const struct dcpi_file *f,
                  const struct cursor *cur, struct err *err)
{
    const char *lack = f->seen[DCPI_VERSION] ? "no 'pdb-' in the version line"
                                             : "no version line in the header";
    if (word(cur->data + cur->end) != (uint32_t)cur->non_zero ||
        word(cur->data + cur->end + WORD) != (uint32_t)f->columns.v[0].sum)
        return err_set(err, ERR_INPUT,
                       "%s, and the footer's totals do not match; "
                       "--assume=0.07 reads it as that version",
                       lack);
    return dcpi_odd(c, err,
                    "%s: read as version 0.07, which the footer's totals "
                    "confirm",
                    lack);
}

bool dcpi_read_binary(const struct dcpi_ctx *c, const uint8_t *data, size_t n,
                      struct dcpi_files *files, struct err *err)
{
    struct dcpi_file *f = dcpi_add_file(files);
    struct cursor cur = {.data = data};
    if (!f)
        return err_nomem(err);
    if (!read_header(c, data, n, f, &cur.at, err) ||
        !dcpi_end_header(c, f, DCPI_BINARY, err))
        return false;
    if (!read_chunks(c, f, &cur, n, err) ||
        !(f->unproven ? prove(c, f, &cur, err) : check_footer(c, f, &cur, err)))
        return false;
    if (!f->seen[DCPI_TSIZE] || cur.extent <= f->text_size ||
        dcpi_is_unknown(f))
        return true;
    return dcpi_odd(
        c, err, "chunks reach to +0x%llx, beyond the text size 0x%llx",
        (unsigned long long)cur.extent, (unsigned long long)f->text_size);
}
