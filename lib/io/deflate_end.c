/*
 * deflate_end.c - finds the last bit of a deflate stream
 *
 * libdeflate compresses complete buffers only.  Its output ends in a block that
 * is marked as the last one, at any bit of the last byte.  To append another
 * stream, the caller has to clear that mark and to know the last bit.
 *
 * Blocks have no lengths, so all symbols of the blocks before the last are
 * skipped one by one.  Only the number of bits of each symbol matters, which
 * needs neither window nor output.  For the 3 MB that a profile of 21 MB
 * compresses to:
 *
 *      this file                         15 ms
 *      zlib's inflate() with Z_BLOCK     62 ms
 *      libdeflate, to compress them     105 ms
 *
 * Usually only the header of the last block is read.  It has the code of the
 * end-of-block symbol, which precedes the padding.
 *
 * Reads nothing outside data[0 .. n), even if it is not a deflate stream.
 *
 * Format: RFC 1951, https://www.rfc-editor.org/rfc/rfc1951
 */
#include "base/bytes.h"
#include "io/private.h"

#include <string.h>

enum {
    CODE_MAX = 15,       /* bits of a code */
    TABLE_BITS = 11,     /* bits of the index of a cost table */
    N_LITLEN = 288,      /* literals, end of block, lengths */
    N_DISTANCE = 32,     /* distances */
    N_CODE_LENGTHS = 19, /* symbols of the code for code lengths */
    END_OF_BLOCK = 256,
    LENGTH_CODE_MAX = 7,  /* bits of a code for a code length */
    LENGTH_CODE_BITS = 3, /* bits that hold LENGTH_CODE_MAX */
};

enum block_type { STORED, FIXED, DYNAMIC };

/* The cost of a symbol: its bits, with extra bits, and flags for its kind. */
enum {
    BITS = 0x1f,
    IS_LENGTH = 0x40, /* a distance follows */
    IS_END = 0x80,
    NO_SYMBOL = 0xff, /* reserved */
};

/*
 * A Huffman code.  Codes of one length count up from first[length], in the
 * order of symbols.
 */
struct code {
    uint16_t count[CODE_MAX + 1]; /* number of codes with this many bits */
    uint16_t first[CODE_MAX + 1];
    uint16_t at[CODE_MAX + 1]; /* index in symbol[] of the first of them */
    uint16_t symbol[N_LITLEN]; /* by length, then in order */
};

struct walk {
    const uint8_t *data;
    size_t n;   /* bytes */
    size_t pos; /* bits */
    /* In the current block: bits of each symbol's code, 0 for none. */
    uint8_t lengths[N_LITLEN + N_DISTANCE];
    struct code litlen, distance;
    /*
     * Costs, indexed by the next TABLE_BITS bits; 0: search the code instead.
     */
    uint8_t litlen_cost[1 << TABLE_BITS], distance_cost[1 << TABLE_BITS];
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

/*
 * Makes the Huffman code of n symbols from the lengths of their codes.  Returns
 * false if the lengths are oversubscribed.
 */
static bool make_code(struct code *c, const uint8_t *lengths, unsigned n)
{
    memset(c->count, 0, sizeof c->count);
    for (unsigned i = 0; i < n; i++)
        c->count[lengths[i]]++;
    c->count[0] = 0;
    unsigned code = 0, at = 0;
    for (unsigned k = 1; k <= CODE_MAX; k++) {
        code <<= 1;
        c->first[k] = (uint16_t)code;
        c->at[k] = (uint16_t)at;
        code += c->count[k];
        at += c->count[k];
        if (code > 1U << k)
            return false;
    }
    uint16_t next[CODE_MAX + 1];
    memcpy(next, c->at, sizeof next);
    for (unsigned i = 0; i < n; i++)
        if (lengths[i])
            c->symbol[next[lengths[i]]++] = (uint16_t)i;
    return true;
}

/*
 * Returns the symbol whose code `bits` begins with, or -1.  Sets *length to the
 * length of the code.
 */
static int find_symbol(const struct code *c, uint64_t bits, unsigned *length)
{
    unsigned code = 0;
    for (unsigned k = 1; k <= CODE_MAX; k++, bits >>= 1) {
        code = code << 1 | (bits & 1);
        if (code - c->first[k] < c->count[k]) {
            *length = k;
            return c->symbol[c->at[k] + code - c->first[k]];
        }
    }
    return -1;
}

/*
 * Returns the cost of a literal or length symbol without the bits of its code.
 */
static uint8_t litlen_cost(unsigned symbol)
{
    if (symbol < END_OF_BLOCK)
        return 0;
    if (symbol == END_OF_BLOCK)
        return IS_END;
    if (symbol > 285)
        return NO_SYMBOL;
    if (symbol < 265 || symbol == 285)
        return IS_LENGTH;
    return (uint8_t)(IS_LENGTH | (symbol - 261) / 4);
}

static uint8_t distance_cost(unsigned symbol)
{
    if (symbol > 29)
        return NO_SYMBOL;
    return (uint8_t)(symbol < 4 ? 0 : symbol / 2 - 1);
}

/*
 * Returns the cost of the symbol that `bits` begins with by searching the code,
 * for codes that are not in a table.  Returns 0 if there is none.
 */
static unsigned find_cost(const struct code *c, uint64_t bits,
                          uint8_t (*cost)(unsigned symbol))
{
    unsigned length;
    int symbol = find_symbol(c, bits, &length);
    uint8_t what = symbol < 0 ? NO_SYMBOL : cost((unsigned)symbol);
    return what == NO_SYMBOL ? 0 : what + length;
}

/*
 * Returns the code with its bits reversed: in a stream, the highest bit of a
 * code comes first.
 */
static unsigned reversed(unsigned code, unsigned bits)
{
    unsigned r = 0;
    for (; bits--; code >>= 1)
        r = r << 1 | (code & 1);
    return r;
}

static void make_table(uint8_t *table, unsigned bits, const struct code *c,
                       uint8_t (*cost)(unsigned symbol))
{
    memset(table, 0, (size_t)1 << bits);
    for (unsigned k = 1; k <= bits; k++) {
        for (unsigned i = 0; i < c->count[k]; i++) {
            uint8_t what = cost(c->symbol[c->at[k] + i]);
            unsigned at = reversed(c->first[k] + i, k);
            for (; what != NO_SYMBOL && at < 1U << bits; at += 1U << k)
                table[at] = (uint8_t)(what + k);
        }
    }
}

/*
 * Reads one symbol, and the distance of a match.  Returns false if there is no
 * valid symbol or the data ends.
 */
static bool walk_symbol(struct walk *w, bool *at_end)
{
    uint64_t bits = peek(w);
    unsigned cost = find_cost(&w->litlen, bits, litlen_cost);
    *at_end = cost & IS_END;
    w->pos += cost & BITS;
    if (cost & IS_LENGTH) {
        bits >>= cost & BITS; /* 20 at most, of 57 */
        unsigned distance = find_cost(&w->distance, bits, distance_cost);
        w->pos += distance;
        cost = distance ? cost : 0;
    }
    return cost && !past_end(w);
}

/*
 * Reads symbols until one is not in the tables or the end of the data is near.
 * Almost all time is spent in this loop.
 *
 * `bits` holds `left` valid bits, at least 56 when a symbol begins.  To refill
 * it, 8 bytes are loaded above them, and `at` advances by the whole bytes that
 * fit; bits of a partly used byte are loaded again.
 */
static void walk_fast(struct walk *w)
{
    const uint64_t mask = (1 << TABLE_BITS) - 1;
    const uint8_t *at = w->data + (w->pos >> 3), *past = w->data + w->n;
    if (w->n - (w->pos >> 3) < 2 * sizeof(uint64_t))
        return;
    uint64_t bits = le64(at) >> (w->pos & 7);
    unsigned left = 56 - (w->pos & 7);
    at += 7;
    for (;;) {
        bits |= le64(at) << left;
        at += (63 - left) >> 3;
        left |= 56;
        unsigned cost = w->litlen_cost[bits & mask], distance = 0;
        if (cost & IS_LENGTH) {
            distance = w->distance_cost[bits >> (cost & BITS) & mask];
            if (!distance)
                break;
        } else if (!cost || cost & IS_END) {
            break;
        }
        unsigned taken = (cost & BITS) + distance;
        bits >>= taken;
        left -= taken;
        if ((size_t)(past - at) < sizeof bits)
            break;
    }
    w->pos = 8 * (size_t)(at - w->data) - left;
}

/* Reads from the first symbol of a block past its end-of-block symbol. */
static bool walk_symbols(struct walk *w)
{
    make_table(w->litlen_cost, TABLE_BITS, &w->litlen, litlen_cost);
    make_table(w->distance_cost, TABLE_BITS, &w->distance, distance_cost);
    for (bool at_end = false; !at_end;) {
        walk_fast(w);
        if (!walk_symbol(w, &at_end))
            return false;
    }
    return true;
}

static bool skip_stored(struct walk *w)
{
    w->pos = (w->pos + 7) & ~(size_t)7;
    unsigned n = take(w, 16), check = take(w, 16);
    w->pos += 8 * (size_t)n;
    return (n ^ check) == 0xffff && !past_end(w);
}

/*
 * Returns a cost with the symbol above the LENGTH_CODE_BITS bits for its
 * length.
 */
static uint8_t length_cost(unsigned symbol)
{
    return (uint8_t)(symbol << LENGTH_CODE_BITS);
}

/* Reads n code lengths into v, decoding them with `table`. */
static bool read_lengths(struct walk *w, const uint8_t *table, uint8_t *v,
                         unsigned n)
{
    for (unsigned i = 0; i < n;) {
        uint64_t bits = peek(w);
        unsigned entry = table[bits & ((1 << LENGTH_CODE_MAX) - 1)], times = 1;
        unsigned symbol = entry >> LENGTH_CODE_BITS;
        uint8_t value = 0;
        if (!entry || (symbol == 16 && !i))
            return false;
        w->pos += entry & ((1 << LENGTH_CODE_BITS) - 1);
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
        i += times;
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
    /* Uses w->litlen and its table as scratch space; they are set later. */
    struct code *c = &w->litlen;
    uint8_t *table = w->litlen_cost;
    if (!make_code(c, lengths, N_CODE_LENGTHS))
        return false;
    make_table(table, LENGTH_CODE_MAX, c, length_cost);
    if (!read_lengths(w, table, both, n_litlen + n_distance))
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
    return (last && jump_to_end(w)) ||
           (make_code(&w->distance, w->lengths + N_LITLEN, N_DISTANCE) &&
            walk_symbols(w));
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
