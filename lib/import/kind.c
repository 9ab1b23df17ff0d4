#include "import/kind.h"

#include <string.h>

#include "import/slice.h"

struct magic {
    const char *begins;
    const char *kind;
};

static const struct magic binary[] = {
    {"gmon", "a gmon.out file, which gmon2pb reads"},
    {"\177ELF", "a program or library, not a profile"},
};

/* The first line that is neither blank nor a comment. */
static const struct magic text[] = {
    {"version pdb-", "a DCPI profile, which dcpi2pb reads"},
    {"heap profile:", "a heap profile (text)"},
    {"heap_v2/", "a heap profile of jemalloc (text)"},
    {"--- heapz ", "a heap profile of Java (text)"},
    {"--- contentionz ", "a contention profile (text)"},
    {"--- contention", "a contention profile (text)"},
    {"--- mutex:", "a contention profile (text)"},
    {"--- Stacks:", "a contention profile (text)"},
    {"--- threadz ", "a thread profile (text)"},
    {"--- Thread ", "a thread profile (text)"},
    {"--- symbol", "a symbolized profile (pprof --raw)"},
};

static const char *find(const struct magic *m, size_t n_magics, struct slice s)
{
    for (size_t i = 0; i < n_magics; i++) {
        size_t k = strlen(m[i].begins);
        if (s.n >= k && memcmp(s.s, m[i].begins, k) == 0)
            return m[i].kind;
    }
    return NULL;
}

const char *kind_of(const uint8_t *data, size_t n)
{
    struct slice all = {(const char *)data, n};
    const char *kind = find(binary, sizeof binary / sizeof *binary, all);
    if (kind)
        return kind;
    /* A message of 4 bytes or so whose field 1 is a number. */
    if (n > 6 && data[0] == 0x0a && data[1] < 16 && data[2] == 0x08)
        return "profile.proto already";
    struct slice line = {0};
    while (all.n && !line.n) {
        line = slice_trim(slice_take_line(&all));
        if (line.n && line.s[0] == '#')
            line.n = 0;
    }
    if (!line.n)
        return NULL;
    kind = find(text, sizeof text / sizeof *text, line);
    if (!kind && memmem(line.s, line.n, " profile: total ", 16))
        kind = "a count profile of Go (text)";
    return kind;
}
