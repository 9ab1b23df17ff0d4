/* import_formats.c - the table of input formats, and their detection */
#include "formats/import_formats.h"

#include <stdio.h>
#include <string.h>

#include "formats/textprof.h"

static bool proto_begins(const uint8_t *data, size_t n)
{
    return !slice_begins_as_text((struct prof_slice){(const char *)data, n}) &&
           prof_begins(data, n) && prof_is_message(data, n);
}

const struct import_format proto_format = {
    .name = "proto",
    .tool = "prof2pb",
    .what = TEXT("a profile.proto message"),
    .words = TEXT("a profile.proto message; it needs no conversion"),
    .begins = proto_begins,
};

/*
 * The formats in the order of detection: folded stacks first, because the name
 * of a frame may look like the first line of any other text format.
 */
/* clang-format off */
#define ROW(name) &name##_format,
static const struct import_format *const table[] = {
    ROW(folded)
    ROW(gmon)
    IMPORT_PROF2PB(ROW)
    ROW(dcpi)
    ROW(perf)
    ROW(perf_text)
};
#undef ROW
/* clang-format on */

enum { N_FORMATS = sizeof table / sizeof table[0] };

/* A format that no tool reads, and its first bytes. */
struct magic {
    const char *begins;
    size_t n; /* number of bytes; 0: `begins` is a string */
    struct import_format format;
};

#define OTHER(what_)                                                           \
    {                                                                          \
        .what = (what_), .words = (what_)                                      \
    }

#define JITDUMP                                                                \
    TEXT("code of a JIT compiler (jitdump); use 'perf inject --jit'")

#define BPFTRACE                                                               \
    TEXT("the output of bpftrace; use stackcollapse-bpftrace.pl of "           \
         "FlameGraph")

static const struct magic others[] = {
    {"\177ELF", 0, OTHER(TEXT("a program or library (ELF)"))},
    {"\037\213\10", 0, OTHER(TEXT("gzip data inside gzip data"))},
    {"\50\265\57\375", 0, OTHER(TEXT("zstd data inside gzip data"))},
    {"\3757zXZ", 6, OTHER(TEXT("xz data inside gzip data"))},
    {"BZh91AY&SY", 0, OTHER(TEXT("bzip2 data inside gzip data"))},
    {"\4\"M\30", 0, OTHER(TEXT("lz4 data inside gzip data"))},
    {"\2!L\30", 0, OTHER(TEXT("lz4 data in the legacy format"))},
    {"\037\235\220", 0, OTHER(TEXT("data compressed with compress (.Z)"))},
    {"]\0\0", 3, OTHER(TEXT("data compressed with lzma"))},
    {"LZIP\1", 0, OTHER(TEXT("data compressed with lzip"))},
    {"\211LZO", 5, OTHER(TEXT("data compressed with lzop"))},
    {"LRZI", 5, OTHER(TEXT("data compressed with lrzip"))},
    {"!<arch>\n", 0, OTHER(TEXT("an ar archive (.a, .deb)"))},
    {"Rar!\32\7", 0, OTHER("a RAR archive")},
    {"MSCF\0\0\0", 8, OTHER(TEXT("a cabinet archive (.cab)"))},
    {"xar!", 5, OTHER("a xar archive")},
    {"\355\253\356\333", 0, OTHER("an RPM package")},
    {"\0\5\26\7\0\2\0", 8, OTHER(TEXT("an AppleDouble file (macOS metadata)"))},
    {"\377\376", 0, OTHER("text in UTF-16")},
    {"\376\377", 0, OTHER("text in UTF-16")},
    {"<!DOCTYPE html", 0, OTHER(TEXT("an HTML page"))},
    {"<!doctype html", 0, OTHER(TEXT("an HTML page"))},
    {"<html", 0, OTHER(TEXT("an HTML page"))},
    {"<?xml", 0, OTHER(TEXT("an XML or SVG file"))},
    {"{\"nodes\":", 0, OTHER(TEXT("a CPU profile of V8 (.cpuprofile)"))},
    {"{\"head\":", 0, OTHER(TEXT("a heap profile of V8 (.heapprofile)"))},
    {"v8-version,", 0,
     OTHER(TEXT("a log of V8; use node --perf-basic-prof with perf record"))},
    {"{\"$schema\":\"https://www.speedscope.app", 0,
     OTHER(TEXT("a profile of speedscope"))},
    {"{\"traceEvents\":", 0, OTHER(TEXT("a trace of Chrome"))},
    {"{\"meta\":", 0, OTHER(TEXT("a profile of Firefox"))},
    {"FLR\0", 4,
     OTHER(TEXT("a Java flight recording; convert it to folded stacks, as "
                "'jfrconv -o collapsed' of async-profiler does"))},
    {"JAVA PROFILE 1.0", 0, OTHER(TEXT("a Java heap dump (.hprof)"))},
    {"DTiJ", 0, OTHER(JITDUMP)},
    {"JiTD", 0, OTHER(JITDUMP)},
    {"\201rforpl\377", 0, OTHER(TEXT("counts of LLVM (.profraw)"))},
    {"\377lprofi\201", 0, OTHER(TEXT("counts of LLVM (.profdata)"))},
    {"adcg", 0, OTHER(TEXT("coverage counts of GCC (.gcda)"))},
    {"go 1.", 0,
     OTHER(TEXT("an execution trace of Go; get a profile by go tool trace "
                "-pprof=TYPE"))},
    {"\373)\3", 0,
     OTHER(TEXT("a profile of Python's cProfile; convert it to folded stacks, "
                "as 'flameprof --format=log' does"))},
    {"# callgrind format", 0, OTHER(TEXT("a profile of callgrind"))},
    {"Flat profile:", 0,
     OTHER(TEXT("the output of gprof; pass gmon.out to gmon2pb"))},
    {"# To display the perf.data header", 0,
     OTHER(TEXT("the output of perf report; pass perf.data to perf2pb"))},
    {"Attaching ", 0, OTHER(BPFTRACE)},
    {"@[", 0, OTHER(BPFTRACE)},
    {"File: ", 0, OTHER(TEXT("the output of pbcat or pprof"))},
};

static const struct import_format goroutines =
    OTHER(TEXT("a Go goroutine dump (debug=2); use debug=1 to get a profile"));

static const struct import_format eventless = OTHER(
    TEXT("the output of perf script without events; use it without -F, or add "
         "event to -F"));

const struct import_format *import_format_at(size_t i)
{
    return i < N_FORMATS ? table[i] : NULL;
}

static bool is_of_prof2pb(const struct import_format *format)
{
    return strcmp(format->tool, "prof2pb") == 0;
}

const char *import_names(char list[IMPORT_NAMES_MAX])
{
    size_t n = 0;
    list[0] = 0;
    for (size_t i = 0; i < N_FORMATS && n < IMPORT_NAMES_MAX; i++)
        if (is_of_prof2pb(table[i]))
            n += (size_t)snprintf(list + n, IMPORT_NAMES_MAX - n, "%s%s",
                                  n ? "|" : "", table[i]->name);
    return list;
}

const char *import_writers(const char *conjunction, char list[IMPORT_NAMES_MAX])
{
    enum { MOST = 2 * N_FORMATS };
    const char *names[MOST];
    size_t n = 0, at = 0;
    list[0] = 0;
    for (size_t i = 0; i < MOST; i++) {
        const char *writer = table[i / 2]->writers[i % 2];
        bool is_new = writer != NULL;
        for (size_t k = 0; k < n && is_new; k++)
            is_new = strcmp(names[k], writer) != 0;
        if (is_new)
            names[n++] = writer;
    }
    for (size_t k = 0; k < n && at < IMPORT_NAMES_MAX; k++) {
        bool last = k && k + 1 == n;
        at += (size_t)snprintf(list + at, IMPORT_NAMES_MAX - at, "%s%s%s%s",
                               last ? " "
                               : k  ? ", "
                                    : "",
                               last ? conjunction : "", last ? " " : "",
                               names[k]);
    }
    return list;
}

const struct import_format *import_named(const char *name)
{
    for (size_t i = 0; i < N_FORMATS; i++)
        if (is_of_prof2pb(table[i]) && strcmp(table[i]->name, name) == 0)
            return table[i];
    return NULL;
}

const struct import_format *import_find(const char *tool, const uint8_t *data,
                                        size_t n)
{
    for (size_t i = 0; i < N_FORMATS; i++)
        if ((!tool || strcmp(table[i]->tool, tool) == 0) &&
            table[i]->begins(data, n))
            return table[i];
    return NULL;
}

/* Returns whether the second line is a frame of perf script: a tab, blanks, an
 * address. */
static bool stacks_follow(const uint8_t *data, size_t n)
{
    enum { DIGITS = 4 };
    struct prof_slice rest = {(const char *)data, n};
    if (!slice_begins_as_text(rest))
        return false;
    slice_take_line(&rest);
    if (!slice_take_char(&rest, '\t'))
        return false;
    struct prof_slice line = slice_trim_left(slice_take_line(&rest));
    struct prof_slice address = slice_take_word(&line);
    return address.n >= DIGITS && slice_is_hex(address);
}

/* Returns the format of data: one that a tool reads, else one of `others`. */
static const struct import_format *identify(const uint8_t *data, size_t n)
{
    const struct import_format *format = import_find(NULL, data, n);
    if (format)
        return format;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        const struct magic *m = &others[i];
        size_t k = m->n ? m->n : strlen(m->begins);
        if (n >= k && memcmp(data, m->begins, k) == 0)
            return &m->format;
    }
    /* Detect "goroutine 1 [running]:" of panics and of Go with debug=2. */
    struct prof_slice line = textprof_first_line(data, n);
    int64_t number;
    if (slice_is(slice_take_word(&line), "goroutine") &&
        slice_take_int(&line, &number) && slice_begins_with(line, " ["))
        return &goroutines;
    return stacks_follow(data, n) ? &eventless : NULL;
}

void import_detect(struct import_input *in, const char *tool)
{
    in->format = import_find(tool, in->data, in->n);
    in->foreign = in->format ? NULL : identify(in->data, in->n);
}

const char *import_describe(const uint8_t *data, size_t n)
{
    const struct import_format *format = identify(data, n);
    const struct prof_slice text = {(const char *)data, n};
    if (format)
        return format != &proto_format ? format->words : NULL;
    return slice_begins_as_text(text) ? "text" : NULL;
}
