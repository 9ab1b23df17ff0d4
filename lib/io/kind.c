#include "io/kind.h"

#include <string.h>

#include "base/ascii.h"

struct magic {
    const char *begins;
    size_t n; /* 0: a string's length */
    const char *kind;
};

const char kind_profile[] = "profile.proto already";

const char kind_folded[] = "folded stacks, which folded2pb reads";

#define CPU "a CPU profile of gperftools, which prof2pb reads"

#define GMON "a gmon.out file, which gmon2pb reads"

static const struct magic binary[] = {
    {"gmon", 0, GMON},
    /* Darwin's, of 32-bit and 64-bit programs in either byte order. */
    {"\276\272\357\276", 0, GMON},
    {"\276\357\272\276", 0, GMON},
    {"\277\272\357\276", 0, GMON},
    {"\276\357\272\277", 0, GMON},
    {"\177ELF", 0, "a program or library (ELF)"},
    {"PERFILE2", 0, "a file of perf record"},
    {"\037\213\10", 0, "gzip data inside of gzip data"},
    /* Words 0 and 3, of 4 or 8 bytes, in either byte order. */
    {"\0\0\0\0\3\0\0", 8, CPU},
    {"\0\0\0\0\0\0\0\3", 8, CPU},
    {"\0\0\0\0\0\0\0\0\3\0\0\0\0\0\0", 16, CPU},
    {"\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\3", 16, CPU},
};

/* The first line that is neither blank nor a comment. */
static const struct magic text[] = {
    {"version pdb-", 0, "a DCPI profile, which dcpi2pb reads"},
    {"heap profile:", 0, "a heap profile (text), which prof2pb reads"},
    {"heap_v2/", 0,
     "a heap profile of jemalloc (text), which "
     "prof2pb reads"},
    {"--- heapz ", 0, "a heap profile of Java (text), which prof2pb reads"},
    {"--- contentionz ", 0, "a contention profile (text), which prof2pb reads"},
    {"--- contention", 0, "a contention profile (text), which prof2pb reads"},
    {"--- mutex:", 0, "a contention profile (text), which prof2pb reads"},
    {"--- Stacks:", 0, "a contention profile (text), which prof2pb reads"},
    {"--- threadz ", 0, "a thread profile (text), which prof2pb reads"},
    {"--- Thread ", 0, "a thread profile (text), which prof2pb reads"},
    {"--- symbol", 0,
     "a symbolized profile (pprof --raw), which prof2pb reads"},
};

static const char *find(const struct magic *m, size_t n_magics, const void *s,
                        size_t n)
{
    for (size_t i = 0; i < n_magics; i++) {
        size_t k = m[i].n ? m[i].n : strlen(m[i].begins);
        if (n >= k && memcmp(s, m[i].begins, k) == 0)
            return m[i].kind;
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

const char *kind_of(const uint8_t *data, size_t n)
{
    /* First, for the name of a frame may begin like anything. */
    if (is_folded(data, n))
        return kind_folded;
    const char *kind = find(binary, sizeof binary / sizeof *binary, data, n);
    if (kind)
        return kind;
    if (is_bsd_gmon(data, n))
        return GMON;
    if (!kind_is_text(data, n) && is_profile(data, n))
        return kind_profile;
    size_t at = first_line(data, n);
    if (at == n)
        return NULL;
    kind = find(text, sizeof text / sizeof *text, data + at, n - at);
    const void *end = memchr(data + at, '\n', n - at);
    size_t line = end ? (size_t)((const uint8_t *)end - data) - at : n - at;
    if (!kind && memmem(data + at, line, " profile: total ", 16))
        kind = "a count profile of Go (text), which prof2pb reads";
    if (!kind && is_goroutine_dump(data + at, line))
        kind = "a dump of Go's goroutines (debug=2), and no profile, which "
               "debug=1 gives";
    return kind;
}

bool kind_is_text(const uint8_t *data, size_t n)
{
    return is_text(data, n < 512 ? n : 512);
}

size_t kind_read_by(const char *kind, const char *tool)
{
    static const char which[] = ", which ";
    const char *at = strstr(kind, which);
    size_t n = strlen(tool);
    if (!at || strncmp(at + sizeof which - 1, tool, n) != 0)
        return 0;
    return strcmp(at + sizeof which - 1 + n, " reads") == 0
               ? (size_t)(at - kind)
               : 0;
}
