#include "io/kind.h"

#include <string.h>

#include "base/utf8.h"

struct magic {
    const char *begins;
    size_t n; /* 0: a string's length */
    struct kind kind;
};

#define KIND(what)                                                             \
    {                                                                          \
        what, NULL, what                                                       \
    }
#define READ_BY(tool, what)                                                    \
    {                                                                          \
        what, tool, what ", which " tool " reads"                              \
    }

#define GMON READ_BY("gmon2pb", "a gmon.out file")
#define CPU READ_BY("prof2pb", "a CPU profile of gperftools")
#define CONTENTION READ_BY("prof2pb", "a contention profile (text)")
#define THREADS READ_BY("prof2pb", "a thread profile (text)")

const struct kind kind_profile = KIND("profile.proto already");
const struct kind kind_folded = READ_BY("folded2pb", "folded stacks");

static const struct kind gmon = GMON;
static const struct kind counts =
    READ_BY("prof2pb", "a count profile of Go (text)");
static const struct kind goroutines =
    KIND("a dump of Go's goroutines (debug=2), and no profile, which debug=1 "
         "gives");

static const struct magic binary[] = {
    {"gmon", 0, GMON},
    /* Darwin's, of 32-bit and 64-bit programs in either byte order. */
    {"\276\272\357\276", 0, GMON},
    {"\276\357\272\276", 0, GMON},
    {"\277\272\357\276", 0, GMON},
    {"\276\357\272\277", 0, GMON},
    {"\177ELF", 0, KIND("a program or library (ELF)")},
    {"PERFILE2", 0, KIND("a file of perf record")},
    {"\037\213\10", 0, KIND("gzip data inside of gzip data")},
    /* Words 0 and 3, of 4 or 8 bytes, in either byte order. */
    {"\0\0\0\0\3\0\0", 8, CPU},
    {"\0\0\0\0\0\0\0\3", 8, CPU},
    {"\0\0\0\0\0\0\0\0\3\0\0\0\0\0\0", 16, CPU},
    {"\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\3", 16, CPU},
};

/* What is not unpacked, as far as that shows. */
static const struct magic packed[] = {
    {"\50\265\57\375", 0, KIND("zstd data inside of gzip data")},
    {"\3757zXZ", 6, KIND("xz data inside of gzip data")},
    {"BZh91AY&SY", 0, KIND("bzip2 data inside of gzip data")},
    {"\4\"M\30", 0, KIND("lz4 data inside of gzip data")},
    {"\2!L\30", 0, KIND("lz4 data of the legacy format")},
    {"\037\235\220", 0, KIND("data compressed with compress (.Z)")},
    {"]\0\0", 3, KIND("data compressed with lzma")},
    {"LZIP\1", 0, KIND("data compressed with lzip")},
    {"\211LZO", 5, KIND("data compressed with lzop")},
    {"LRZI", 5, KIND("data compressed with lrzip")},
    {"!<arch>\n", 0, KIND("an archive of ar (.a, .deb)")},
    {"Rar!\32\7", 0, KIND("a RAR archive")},
    {"MSCF\0\0\0", 8, KIND("a cabinet archive (.cab)")},
    {"xar!", 5, KIND("a xar archive")},
    {"\355\253\356\333", 0, KIND("a package of RPM")},
    {"\0\5\26\7\0\2\0", 8,
     KIND("what macOS keeps of a file beside it (AppleDouble)")},
    {"\377\376", 0, KIND("text in UTF-16")},
    {"\376\377", 0, KIND("text in UTF-16")},
};

/* The first line that is neither blank nor a comment. */
static const struct magic text[] = {
    {"version pdb-", 0, READ_BY("dcpi2pb", "a DCPI profile")},
    {"heap profile:", 0, READ_BY("prof2pb", "a heap profile (text)")},
    {"heap_v2/", 0, READ_BY("prof2pb", "a heap profile of jemalloc (text)")},
    {"--- heapz ", 0, READ_BY("prof2pb", "a heap profile of Java (text)")},
    {"--- contentionz ", 0, CONTENTION},
    {"--- contention", 0, CONTENTION},
    {"--- mutex:", 0, CONTENTION},
    {"--- Stacks:", 0, CONTENTION},
    {"--- threadz ", 0, THREADS},
    {"--- Thread ", 0, THREADS},
    {"--- symbol", 0, READ_BY("prof2pb", "a symbolized profile (pprof --raw)")},
};

static const struct kind *find(const struct magic *m, size_t n_magics,
                               const void *s, size_t n)
{
    for (size_t i = 0; i < n_magics; i++) {
        size_t k = m[i].n ? m[i].n : strlen(m[i].begins);
        if (n >= k && memcmp(s, m[i].begins, k) == 0)
            return &m[i].kind;
    }
    return NULL;
}

/* 4.4BSD's has its version, 0x51879, behind two addresses and a word. */
static bool is_bsd_gmon(const uint8_t *data, size_t n)
{
    static const size_t places[] = {12, 20};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (n >= places[i] + 4 &&
            (memcmp(data + places[i], "\171\30\5\0", 4) == 0 ||
             memcmp(data + places[i], "\0\5\30\171", 4) == 0))
            return true;
    return false;
}

static bool varint(const uint8_t *data, size_t n, size_t *at, uint64_t *v)
{
    *v = 0;
    for (unsigned shift = 0; shift < 64 && *at < n; shift += 7) {
        uint8_t byte = data[(*at)++];
        *v |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80)
            return true;
    }
    return false;
}

/* Whether all of it is numbers and messages in fields that a profile has. */
static bool is_profile(const uint8_t *data, size_t n)
{
    size_t at = 0;
    while (at < n) {
        uint64_t tag, v;
        if (!varint(data, n, &at, &tag) || tag >> 3 == 0 || tag >> 3 > 15 ||
            !varint(data, n, &at, &v))
            return false;
        if ((tag & 7) == 2) {
            if (v > n - at)
                return false;
            at += (size_t)v;
        } else if ((tag & 7) != 0) {
            return false;
        }
    }
    return n > 0;
}

/* How much of a text is looked at to find out what its lines are. */
enum { LOOK_BYTES = 1 << 20, LOOK_LINES = 32 };

/* Whether the line ends in a blank and a number, a fraction perhaps. */
static bool ends_in_number(const uint8_t *line, size_t n)
{
    size_t k = n, dots = 0;
    while (k && (ascii_is_digit((char)line[k - 1]) || line[k - 1] == '.'))
        dots += line[--k] == '.';
    if (k == n || line[k] == '.' || dots > 1)
        return false;
    if (k && line[k - 1] == '-')
        k--;
    return k && (line[k - 1] == ' ' || line[k - 1] == '\t');
}

static bool is_text(const uint8_t *data, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (data[i] == 0x7f ||
            (data[i] < ' ' && !ascii_is_blank((char)data[i])))
            return false;
    return n > 0;
}

/*
 * Whether the first lines that are neither blank nor a comment are text that
 * ends in a number, and have semicolons, not necessarily each.
 */
static bool is_folded(const uint8_t *data, size_t n)
{
    size_t look = n < LOOK_BYTES ? n : LOOK_BYTES, at = 0;
    bool semicolons = false;
    for (int lines = 0; at < look && lines < LOOK_LINES;) {
        const uint8_t *line = data + at;
        const uint8_t *end = memchr(line, '\n', look - at);
        if (!end && look < n)
            break;
        size_t length = end ? (size_t)(end - line) : look - at;
        at += length + 1;
        while (length && ascii_is_blank((char)line[length - 1]))
            length--;
        if (!length ||
            (line[0] == '#' && (length == 1 || ascii_is_blank((char)line[1]))))
            continue;
        if (!is_text(line, length) || !ends_in_number(line, length))
            return false;
        semicolons = semicolons || memchr(line, ';', length);
        lines++;
    }
    return semicolons;
}

/* The offset of the first line that is neither blank nor a comment. */
static size_t first_line(const uint8_t *data, size_t n)
{
    size_t at = 0;
    for (;;) {
        while (at < n && ascii_is_blank((char)data[at]))
            at++;
        if (at == n || data[at] != '#')
            return at;
        while (at < n && data[at] != '\n')
            at++;
    }
}

/* "goroutine 1 [running]:", as panics print and Go writes with debug=2. */
static bool is_goroutine_dump(const uint8_t *line, size_t n)
{
    static const char word[] = "goroutine ";
    size_t at = sizeof word - 1;
    if (n < at || memcmp(line, word, at) != 0)
        return false;
    while (at < n && ascii_is_digit((char)line[at]))
        at++;
    return at > sizeof word - 1 && n - at > 2 &&
           memcmp(line + at, " [", 2) == 0;
}

/* By the first line that says something, of n bytes with what follows it. */
static const struct kind *kind_of_text(const uint8_t *line, size_t n)
{
    const struct kind *kind = find(text, sizeof text / sizeof *text, line, n);
    if (kind)
        return kind;
    const uint8_t *end = memchr(line, '\n', n);
    n = end ? (size_t)(end - line) : n;
    if (memmem(line, n, " profile: total ", 16))
        return &counts;
    return is_goroutine_dump(line, n) ? &goroutines : NULL;
}

const struct kind *kind_of(const uint8_t *data, size_t n)
{
    /* First, for the name of a frame may begin like anything. */
    if (is_folded(data, n))
        return &kind_folded;
    const struct kind *kind =
        find(binary, sizeof binary / sizeof *binary, data, n);
    if (kind)
        return kind;
    if (is_bsd_gmon(data, n))
        return &gmon;
    if (!kind_is_text(data, n) && is_profile(data, n))
        return &kind_profile;
    kind = find(packed, sizeof packed / sizeof *packed, data, n);
    if (kind)
        return kind;
    size_t at = first_line(data, n);
    return at < n ? kind_of_text(data + at, n - at) : NULL;
}

bool kind_is_text(const uint8_t *data, size_t n)
{
    return is_text(data, n < 512 ? n : 512);
}

const char *kind_words(const uint8_t *data, size_t n)
{
    const struct kind *kind = kind_of(data, n);
    if (!kind)
        return kind_is_text(data, n) ? "text" : NULL;
    return kind != &kind_profile ? kind->words : NULL;
}

bool kind_is_read_by(const struct kind *kind, const char *tool)
{
    return kind && kind->reader && strcmp(kind->reader, tool) == 0;
}

bool kind_refuse_broken(const struct kind *kind, struct err *err)
{
    return err_set(err, ERR_INPUT, "begins like %s, but its header is broken",
                   kind->what);
}
