/* sniff.c - detects compression and archive formats */
#include "io/private.h"

#include <string.h>

enum {
    TAR_BLOCK = 512,
    TAR_SUM = 148,
    TAR_SUM_SIZE = 8,
    EMPTY_TAR = 1024,
    EMPTY_GNU_TAR = 10240,
};

/* Formats that begin with a fixed string. */
static const struct {
    enum sniff kind;
    uint8_t size;
    char bytes[10];
} magics[] = {
    {SNIFF_ZSTD, 4, "\x28\xb5\x2f\xfd"},
    {SNIFF_XZ, 6,
     "\xfd"
     "7zXZ\0"},
    {SNIFF_LZ4, 4, "\x04\x22\x4d\x18"},
    {SNIFF_ZIP, 4, "PK\3\4"},
    {SNIFF_ZIP, 8, "PK\7\10PK\3\4"},
    {SNIFF_ZIP, 8, "PK00PK\3\4"},
    {SNIFF_7Z, 6, "7z\xbc\xaf\x27\x1c"},
};

static enum sniff by_magic(const uint8_t *p, size_t n)
{
    for (size_t i = 0; i < sizeof magics / sizeof *magics; i++)
        if (n >= magics[i].size &&
            memcmp(p, magics[i].bytes, magics[i].size) == 0)
            return magics[i].kind;
    return SNIFF_RAW;
}

static bool all_zero(const uint8_t *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (p[i])
            return false;
    return true;
}

/* Whether p begins with "BZh1" to "BZh9" and the magic of a block or end. */
static bool is_bzip2(const uint8_t *p, size_t n)
{
    return n >= 10 && memcmp(p, "BZh", 3) == 0 && p[3] >= '1' && p[3] <= '9' &&
           (memcmp(p + 4, "1AY&SY", 6) == 0 ||
            memcmp(p + 4, "\x17\x72\x45\x38\x50\x90", 6) == 0);
}

/*
 * Returns the format after skippable frames, which zstd and lz4 data may begin
 * with (RFC 8878, 3.1.2); pzstd writes one.
 */
static enum sniff behind_skippable(const uint8_t *p, size_t n)
{
    enum { HEADER = 8 };
    uint64_t at = 0;
    while (at < n && n - at >= HEADER && (p[at] & 0xf0) == 0x50 &&
           memcmp(p + at + 1, "\x2a\x4d\x18", 3) == 0)
        at += (uint64_t)HEADER + le32(p + at + 4); /* may exceed 32 bits */
    if (!at || at > n)
        return SNIFF_RAW;
    enum sniff kind = by_magic(p + at, n - (size_t)at);
    if (at == n || kind == SNIFF_ZSTD)
        return SNIFF_ZSTD;
    return kind == SNIFF_LZ4 ? kind : SNIFF_RAW;
}

/* Whether p is just an end record with counts, sizes and offsets of 0. */
static bool is_empty_zip(const uint8_t *p, size_t n)
{
    enum { COMMENT_SIZE = 20, END = 22 };
    return n >= END && memcmp(p, "PK\5\6", 4) == 0 &&
           all_zero(p + 4, COMMENT_SIZE - 4) &&
           n - END == (p[COMMENT_SIZE] | (size_t)p[COMMENT_SIZE + 1] << 8);
}

static bool in_base(const uint8_t *p, size_t n, const char *digits)
{
    for (size_t i = 0; i < n; i++)
        if (!p[i] || !strchr(digits, p[i]))
            return false;
    return true;
}

/* Reads an octal checksum with blanks before and blanks or NULs after it. */
static bool tar_sum_said(const uint8_t *p, unsigned *sum)
{
    const uint8_t *end = p + TAR_SUM_SIZE;
    while (p < end && *p == ' ')
        p++;
    if (p == end || *p < '0' || *p > '7')
        return false;
    for (*sum = 0; p < end && *p >= '0' && *p <= '7'; p++)
        *sum = *sum * 8 + (unsigned)(*p - '0');
    while (p < end && (*p == ' ' || !*p))
        p++;
    return p == end;
}

/*
 * Returns whether p is a tar archive.  Since Unix V7, a header has had the sum
 * of its bytes, with blanks in place of the sum; some programs add signed
 * bytes.
 *
 * An archive without entries is all zeros, in one of the two sizes that
 * programs write.  Any other file of zeros is more likely left by a crash.
 */
static bool is_tar(const uint8_t *p, size_t n)
{
    unsigned said, sum = 0;
    int signed_sum = 0;
    if (n < TAR_BLOCK)
        return false;
    if ((n == EMPTY_TAR || n == EMPTY_GNU_TAR) && all_zero(p, n))
        return true;
    if (!p[0] || !tar_sum_said(p + TAR_SUM, &said))
        return false;
    for (size_t i = 0; i < TAR_BLOCK; i++) {
        bool blank = i >= TAR_SUM && i < TAR_SUM + TAR_SUM_SIZE;
        sum += blank ? ' ' : p[i];
        signed_sum += blank ? ' ' : (int8_t)p[i];
    }
    return said == sum || (signed_sum >= 0 && said == (unsigned)signed_sum);
}

/* Whether p is a cpio archive with headers of 16-bit words in either byte
 * order.  Mode and size of the name must be plausible. */
static bool is_binary_cpio(const uint8_t *p, size_t n)
{
    enum { MODE = 6, NAME_SIZE = 20, HEADER = 26 };
    if (n < HEADER + 2)
        return false;
    bool little = p[0] == 0xc7 && p[1] == 0x71;
    if (!little && !(p[0] == 0x71 && p[1] == 0xc7))
        return false;
    unsigned mode = (little ? le16 : be16)(p + MODE), type = mode >> 12;
    size_t size = (little ? le16 : be16)(p + NAME_SIZE);
    bool known = type == 1 || type == 2 || type == 4 || type == 6 ||
                 type == 8 || type == 9 || type == 10 || type == 12 || !mode;
    return known && size >= 2 && size <= n - HEADER && p[HEADER] &&
           memchr(p + HEADER, 0, size) == p + HEADER + size - 1;
}

static bool is_cpio(const uint8_t *p, size_t n)
{
    if (n >= 110 && memcmp(p, "07070", 5) == 0 && (p[5] == '1' || p[5] == '2'))
        return in_base(p + 6, 104, "0123456789abcdefABCDEF");
    if (n >= 76 && memcmp(p, "070707", 6) == 0)
        return in_base(p + 6, 70, "01234567");
    return is_binary_cpio(p, n);
}

enum sniff sniff(const uint8_t *data, size_t n)
{
    if (gz_begins(data, n))
        return SNIFF_GZIP;
    enum sniff kind = by_magic(data, n);
    if (!kind)
        kind = behind_skippable(data, n);
    if (kind)
        return kind;
    if (is_bzip2(data, n))
        return SNIFF_BZIP2;
    if (is_empty_zip(data, n))
        return SNIFF_EMPTY_ZIP;
    if (is_cpio(data, n))
        return SNIFF_CPIO;
    return is_tar(data, n) ? SNIFF_TAR : SNIFF_RAW;
}

const char *sniff_name(enum sniff s)
{
    static const char *const names[] = {"raw",   "gzip", "zstd", "xz",
                                        "bzip2", "lz4",  "tar",  "cpio",
                                        "zip",   "7z",   "zip"};
    return names[s];
}
