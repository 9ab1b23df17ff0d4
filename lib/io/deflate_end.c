/*
 * deflate_end.c - finds the last bit of a deflate stream
 *
 * libdeflate compresses complete buffers only.  Its output ends in a block that
 * is marked as the last one, at any bit of the last byte.  To append another
 * stream, the caller has to clear that mark and to know the last bit.
 *
 * Blocks have no lengths, so all symbols of the blocks before the last are
 * skipped one by one.  Only the number of bits of each symbol matters, which
 * needs neither window nor output.  For a profile of 15.6 MB at level 2:
 *
 *      this file                         17 ms
 *      zlib's inflate() with Z_BLOCK     26 ms
 *      libdeflate, to compress it        63 ms
 *
 * Usually only the header of the last block is read.  It has the code of the
 * end-of-block symbol, which precedes the padding.
 *
 * Reads nothing outside data[0 .. n), even if it is not a deflate stream.
 *
 * Format: RFC 1951, https://www.rfc-editor.org/rfc/rfc1951
 */
#include "io/private.h"

#include <string.h>

enum {
    CODE_MAX = 15,       /* bits of a code */
    QUICK_BITS = 11,     /* bits of the index of a code's table */
    N_LITLEN = 288,      /* literals, end of block, lengths */
    N_DISTANCE = 32,     /* distances */
    N_CODE_LENGTHS = 19, /* symbols of the code for code lengths */
    END_OF_BLOCK = 256,
};

enum block_type { STORED, FIXED, DYNAMIC };

/* A Huffman code.  Codes of one length count up from first[length], in the
 * order of symbols. */
struct code {
    uint16_t count[CODE_MAX + 1]; /* number of codes with this many bits */
    uint16_t first[CODE_MAX + 1];
    /* To read symbols: */
    uint16_t at[CODE_MAX + 1]; /* index in symbol[] of the first of them */
    uint16_t symbol[N_LITLEN]; /* sorted by length of the code, then in order */
    /* By the next quick_bits bits: symbol * 16 + length; 0 for a longer code.
     */
    uint16_t quick[1 << QUICK_BITS];
    unsigned quick_bits;
};

struct walk {
    const uint8_t *data;
    size_t n;   /* bytes */
    size_t pos; /* bits */
    /* In the current block: bits of each symbol's code, 0 for none. */
    uint8_t lengths[N_LITLEN + N_DISTANCE];
    struct code litlen, distance;
};

/* Returns the next 57 or more bits from pos on; bits after the end are 0. */
static inline uint64_t peek(const struct walk *w)
{
    uint8_t last[8] = {0};
    size_t at = w->pos >> 3;
    if (at < w->n && w->n - at >= sizeof last)
        return le64(w->data + at) >> (w->pos & 7);
    if (at < w->n)
        memcpy(last, w->data + at, w->n - at);
    return le64(last) >> (w->pos & 7);
}

static inline bool past_end(const struct walk *w)
{
    return w->pos > 8 * w->n;
}

static unsigned take(struct walk *w, unsigned n)
{
    unsigned v = (unsigned)peek(w) & ((1U << n) - 1);
    w->pos += n;
    return v;
}

/* Reverses a code: in a stream, its highest bit comes first. */
static unsigned reversed(unsigned code, unsigned bits)
{
    unsigned r = 0;
    for (; bits--; code >>= 1)
        r = r << 1 | (code & 1);
    return r;
}

/* Makes the Huffman code of n lengths; false if they are oversubscribed. */
static bool make_code(struct code *c, const uint8_t *lengths, unsigned n)
{
    unsigned code = 0, at = 0;
    memset(c->count, 0, sizeof c->count);
    c->quick_bits = 0;
    for (unsigned i = 0; i < n; i++)
        c->count[lengths[i]]++;
    c->count[0] = 0;
    for (unsigned k = 1; k <= CODE_MAX; k++) {
        code <<= 1;
        c->first[k] = (uint16_t)code;
        c->at[k] = (uint16_t)at;
        code += c->count[k];
        at += c->count[k];
        if (code > 1U << k)
            return false;
        if (c->count[k])
            c->quick_bits = k < QUICK_BITS ? k : QUICK_BITS;
    }
    return true;
}

/* Makes the tables to read symbols with. */
static void make_tables(struct code *c, const uint8_t *lengths, unsigned n)
{
    const unsigned size = 1U << c->quick_bits;
    uint16_t used[CODE_MAX + 1] = {0};
    memset(c->quick, 0, size * sizeof *c->quick);
    for (unsigned i = 0; i < n; i++) {
        unsigned k = lengths[i], nth = used[k]++;
        if (!k)
            continue;
        c->symbol[c->at[k] + nth] = (uint16_t)i;
        unsigned q = k > c->quick_bits ? size : reversed(c->first[k] + nth, k);
        for (; q < size; q += 1U << k)
            c->quick[q] = (uint16_t)(i << 4 | k);
    }
}

/* Reads a symbol.  Returns -1 if there is none. */
static inline int take_symbol(struct walk *w, const struct code *c)
{
    uint64_t bits = peek(w);
    unsigned quick = c->quick[bits & ((1U << c->quick_bits) - 1)];
    w->pos += quick & CODE_MAX;
    if (quick)
        return (int)quick >> 4;
    for (unsigned k = 1, code = 0; k <= CODE_MAX; k++, bits >>= 1) {
        code = code << 1 | (bits & 1);
        if (code - c->first[k] < c->count[k]) {
            w->pos += k;
            return c->symbol[c->at[k] + code - c->first[k]];
        }
    }
    return -1;
}

/* Reads from the first symbol of a block past its end-of-block symbol. */
static bool walk_symbols(struct walk *w)
{
    enum { FIRST_LENGTH = 257, LONGEST = 285, LAST_DISTANCE = 29 };
    while (!past_end(w)) {
        int symbol = take_symbol(w, &w->litlen);
        if (symbol == END_OF_BLOCK)
            return !past_end(w);
        if (symbol < 0 || symbol > LONGEST)
            return false;
        if (symbol < FIRST_LENGTH)
            continue;
        /* Groups of four lengths, and of two distances, have more bits. */
        if (symbol >= FIRST_LENGTH + 8 && symbol < LONGEST)
            w->pos += (unsigned)(symbol - FIRST_LENGTH - 4) / 4;
        symbol = take_symbol(w, &w->distance);
        if (symbol < 0 || symbol > LAST_DISTANCE)
            return false;
        w->pos += symbol < 4 ? 0 : (unsigned)symbol / 2 - 1;
    }
    return false;
}

static bool skip_stored(struct walk *w)
{
    w->pos = (w->pos + 7) & ~(size_t)7;
    unsigned n = take(w, 16), check = take(w, 16);
    w->pos += 8 * (size_t)n;
    return (n ^ check) == 0xffff && !past_end(w);
}

/* Reads n code lengths into v. */
static bool read_lengths(struct walk *w, const struct code *c, uint8_t *v,
                         unsigned n)
{
    for (unsigned i = 0, times; i < n; i += times) {
        int symbol = take_symbol(w, c);
        uint8_t value = 0;
        times = 1;
        if (symbol < 0 || (symbol == 16 && !i))
            return false;
        if (symbol < 16) {
            value = (uint8_t)symbol;
        } else if (symbol == 16) {
            value = v[i - 1];
            times = 3 + take(w, 2);
        } else {
            times = symbol == 17 ? 3 + take(w, 3) : 11 + take(w, 7);
        }
        if (times > n - i)
            return false;
        memset(v + i, value, times);
    }
    return !past_end(w);
}

static bool dynamic_lengths(struct walk *w)
{
    static const uint8_t order[N_CODE_LENGTHS] = {
        16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};
    uint8_t lengths[N_CODE_LENGTHS] = {0}, both[N_LITLEN + N_DISTANCE];
    unsigned n_litlen = take(w, 5) + 257, n_distance = take(w, 5) + 1;
    unsigned n = take(w, 4) + 4;
    for (unsigned i = 0; i < n; i++)
        lengths[order[i]] = (uint8_t)take(w, 3);
    /* w->litlen is set later. */
    if (!make_code(&w->litlen, lengths, N_CODE_LENGTHS))
        return false;
    make_tables(&w->litlen, lengths, N_CODE_LENGTHS);
    if (!read_lengths(w, &w->litlen, both, n_litlen + n_distance))
        return false;
    memset(w->lengths, 0, sizeof w->lengths);
    memcpy(w->lengths, both, n_litlen);
    memcpy(w->lengths + N_LITLEN, both + n_litlen, n_distance);
    return true;
}

/*
 * Moves w from the first symbol of the last block to its end without reading
 * the symbols: the last 1 bit of the stream belongs to the end-of-block symbol.
 * Returns false and leaves w if the code of that symbol is all zeros or is not
 * there.
 */
static bool jump_to_end(struct walk *w)
{
    const struct code *c = &w->litlen;
    unsigned k = w->lengths[END_OF_BLOCK], code = c->first[k];
    for (unsigned i = 0; i < END_OF_BLOCK; i++)
        code += w->lengths[i] == k;
    size_t byte = w->n, was = w->pos;
    while (byte && !w->data[byte - 1])
        byte--;
    if (!k || !code || !byte)
        return false;
    unsigned top = 31 - (unsigned)__builtin_clz(w->data[byte - 1]);
    size_t end = 8 * (byte - 1) + top + 1 + (unsigned)__builtin_ctz(code);
    if ((end + 7) / 8 != w->n || end < was + k)
        return false;
    w->pos = end - k;
    if (take(w, k) == reversed(code, k))
        return true;
    w->pos = was;
    return false;
}

static bool skip_coded(struct walk *w, enum block_type type, bool last)
{
    if (type == FIXED) {
        memset(w->lengths, 8, 144);
        memset(w->lengths + 144, 9, 112);
        memset(w->lengths + 256, 7, 24);
        memset(w->lengths + 280, 8, 8);
        memset(w->lengths + N_LITLEN, 5, N_DISTANCE);
    } else if (!dynamic_lengths(w)) {
        return false;
    }
    if (!make_code(&w->litlen, w->lengths, N_LITLEN))
        return false;
    if (last && jump_to_end(w))
        return true;
    if (!make_code(&w->distance, w->lengths + N_LITLEN, N_DISTANCE))
        return false;
    make_tables(&w->litlen, w->lengths, N_LITLEN);
    make_tables(&w->distance, w->lengths + N_LITLEN, N_DISTANCE);
    return walk_symbols(w);
}

bool deflate_find_end(const uint8_t *data, size_t n, struct deflate_end *end)
{
    struct walk w = {.data = data, .n = n};
    for (bool last = false; !last;) {
        end->last = w.pos;
        last = take(&w, 1);
        unsigned type = take(&w, 2);
        if (type > DYNAMIC)
            return false;
        if (type == STORED ? !skip_stored(&w)
                           : !skip_coded(&w, (enum block_type)type, last))
            return false;
    }
    end->end = w.pos;
    return (w.pos + 7) / 8 == n;
}
