/* Formats that are text: those of gperftools' kin, DCPI's and folded stacks. */
#include "hostile.h"

#include <inttypes.h>
#include <stdlib.h>

static void heap_header(const char *kind)
{
    text("heap profile: 1: 8 [1: 8] @ %s\n", kind);
}

/* Addresses from the leaf on, of which `first` is the first. */
static void addresses(uint64_t first, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++)
        text(" 0x%" PRIx64, first + 16 * i);
    text("\n");
}

static void maps(uint64_t n, uint64_t step, uint64_t size)
{
    text("\nMAPPED_LIBRARIES:\n");
    for (uint64_t i = 0; i < n; i++)
        text("%" PRIx64 "-%" PRIx64 " r-xp 00000000 08:01 1 /lib/l%" PRIu64
             ".so\n",
             i * step, i * step + size, i);
}

static void heap_records(uint64_t n)
{
    heap_header("heap_v2/524288");
    for (uint64_t i = 0; i < n; i++) {
        text("%d: %d [%d: %d] @ 0x10", 1, 8, 1, 8);
        addresses(0x1000 + i, 2);
    }
    maps(1, 0, 1 << 30);
}

static void heap_same(uint64_t n)
{
    heap_header("heapprofile");
    for (uint64_t i = 0; i < n; i++)
        text("1: 8 [1: 8] @ 0x1000 0x2000\n");
}

static void heap_sizes(uint64_t n)
{
    heap_header("heapprofile");
    for (uint64_t i = 1; i <= n; i++)
        text("1: %" PRIu64 " [1: %" PRIu64 "] @ 0x1000\n", i, i);
}

static void heap_deep(uint64_t n)
{
    heap_header("growth");
    text("1: 8 [1: 8] @");
    addresses(0x1000, n);
}

static void heap_mapped(uint64_t n, uint64_t step, uint64_t size)
{
    heap_header("heapprofile");
    for (uint64_t i = 0; i < n; i++)
        text("1: 8 [1: 8] @ 0x%" PRIx64 "\n", i * step + 8);
    maps(n, step, size);
}

static void heap_maps(uint64_t n)
{
    heap_mapped(n, 0x1000, 0x1000);
}

static void heap_maps_overlapping(uint64_t n)
{
    heap_mapped(n, 16, 16 * n);
}

/* Each line moves what the one before it has below itself. */
static void heap_maps_offset(uint64_t n)
{
    heap_header("heapprofile");
    for (uint64_t i = 1; i <= n; i++)
        text("1: 8 [1: 8] @ 0x%" PRIx64 "\n", i * 0x100000);
    text("\nMAPPED_LIBRARIES:\n");
    for (uint64_t i = 1; i <= n; i++)
        text("%" PRIx64 "-%" PRIx64 " r-xp %" PRIx64 " 08:01 1 /l%" PRIu64 "\n",
             i * 0x100000 + 0x1000, i * 0x100000 + 0x2000, i * 0x100000, i);
}

static void heap_maps_name(uint64_t n)
{
    heap_mapped(1, 0, 0x1000);
    text("1000-2000 r-xp 00000000 08:01 1 /");
    fill(&out, 'x', 100 * n);
    text("\n");
}

/* A long value, which each line puts into its name. */
static void heap_maps_variables(uint64_t n)
{
    heap_header("heapprofile");
    text("1: 8 [1: 8] @ 0x1000\n\nMAPPED_LIBRARIES:\nv=/");
    fill(&out, 'v', 60000);
    text("\n");
    for (uint64_t i = 1; i <= n; i++)
        text("%" PRIx64 "-%" PRIx64 ": $v/%" PRIu64 "\n", i * 0x1000,
             i * 0x1000 + 0x1000, i);
}

static void heap_headers(uint64_t n)
{
    for (uint64_t i = 0; i < n; i++) {
        heap_header("heapprofile");
        text("1: 8 [1: 8] @ 0x1000\n\nMAPPED_LIBRARIES:\n");
    }
}

/* A line of text that is none of the format. */
static void heap_line(uint64_t n)
{
    heap_header("heapprofile");
    text("1: 8 [1: 8] @ 0x1000\n# ");
    fill(&out, 'x', 100 * n);
    text("\n1: 8 [1: 8] @ 0x1000\n");
}

static void heap_blanks(uint64_t n)
{
    heap_header("heapprofile");
    text("1:");
    fill(&out, ' ', 100 * n);
    text("8 [1: 8] @ 0x1000\n");
    fill(&out, '\n', 100 * n);
    text("1: 8 [1: 8] @ 0x1000\n");
}

/* Lines of a log that say nothing. */
static void heap_log(uint64_t n)
{
    heap_records(1);
    for (uint64_t i = 0; i < n; i++)
        text("a.cc:1] #\n");
}

static void contention_records(uint64_t n)
{
    text("--- contentionz 1 ---\ncycles/second = 3201000000\n"
         "sampling period = 100\n");
    for (uint64_t i = 0; i < n; i++) {
        text("%" PRIu64 " 1 @ 0x10", i);
        addresses(0x1000 + i, 2);
    }
}

static void contention_attributes(uint64_t n)
{
    text("--- contentionz 1 ---\n");
    for (uint64_t i = 0; i < n; i++)
        text("a%" PRIu64 " = %" PRIu64 "\n", i, i);
    text("1 1 @ 0x1000\n");
}

static void contention_headers(uint64_t n)
{
    for (uint64_t i = 0; i < n; i++)
        text("--- contentionz 1 ---\n1 1 @ 0x%" PRIx64 "\n", 0x1000 + i);
}

static void threads_records(uint64_t n)
{
    text("--- threadz 1 ---\n\n");
    for (uint64_t i = 0; i < n; i++) {
        text("--- Thread %" PRIx64 " (name: t%" PRIu64 "/%" PRIu64
             ") stack: ---\n  PC:",
             i, i, i);
        addresses(0x1000 + i, 3);
    }
}

static void thread(uint64_t i)
{
    text("--- Thread %" PRIx64 " (name: t/%" PRIu64 ") stack: ---\n", i, i);
}

/* Threads that have the stack of the one before, which is deep. */
static void threads_same(uint64_t n)
{
    text("--- threadz 1 ---\n\n");
    thread(0);
    text("  PC:");
    addresses(0x1000, n);
    for (uint64_t i = 1; i <= n; i++) {
        thread(i);
        text("  [same as previous thread]\n");
    }
}

static void threads_bare(uint64_t n)
{
    text("--- threadz 1 ---\n\n");
    for (uint64_t i = 1; i <= n; i++)
        thread(i);
}

static void threads_names(uint64_t n)
{
    text("--- threadz 1 ---\n\n");
    thread(0);
    for (uint64_t i = 0; i < n; i++)
        text("  0x%" PRIx64 ": f%" PRIu64 "(int)\n", 0x1000 + i, i);
}

static void java_records(uint64_t n)
{
    text("--- heapz 1 ---\nformat = java\nresolution = bytes\n");
    for (uint64_t i = 1; i <= n; i++)
        text("8 1 @ 0x%" PRIx64 " 0x%" PRIx64 "\n", i, n + 1);
    text("\n");
    for (uint64_t i = 1; i <= n; i++)
        text(" 0x%" PRIx64 " a.b.C%" PRIu64 ".m (C%" PRIu64 ".java:%" PRIu64
             ")\n",
             i, i, i, i);
}

static void java_deep(uint64_t n)
{
    text("--- contentionz 1 ---\nformat = java\nresolution = bytes\n8 1 @");
    for (uint64_t i = 1; i <= n; i++)
        text(" 0x%" PRIx64, i);
    text("\n\n");
}

/* Names for one number, of which the last one counts. */
static void java_names(uint64_t n)
{
    text("--- heapz 1 ---\nformat = java\nresolution = bytes\n8 1 @ 0x1\n\n");
    for (uint64_t i = 1; i <= n; i++)
        text(" 0x1 a.b.C%" PRIu64 ".m (C.java:%" PRIu64 ")\n", i, i);
}

static void jemalloc_records(uint64_t n)
{
    text("heap_v2/524288\n  t*: 1: 8 [1: 8]\n");
    for (uint64_t i = 0; i < n; i++) {
        text("@");
        addresses(0x1000 + i, 3);
        text("  t*: 1: 8 [1: 8]\n  t1: 1: 8 [1: 8]\n");
    }
}

static void jemalloc_threads(uint64_t n)
{
    text("heap_v2/524288\n  t*: 1: 8 [1: 8]\n");
    for (uint64_t i = 0; i < n; i++)
        text("  t%" PRIu64 ": 1: 8 [1: 8] worker %" PRIu64 "\n", i, i);
    text("@");
    addresses(0x1000, n);
    text("  t*: 1: 8 [1: 8]\n");
    for (uint64_t i = 0; i < n; i++)
        text("  t%" PRIu64 ": 1: 8 [1: 8]\n", i);
}

static void go_records(uint64_t n)
{
    text("goroutine profile: total %" PRIu64 "\n", n);
    for (uint64_t i = 0; i < n; i++) {
        text("1 @");
        addresses(0x1000 + 16 * i, 1);
        text("# labels: {\"id\":\"%" PRIu64 "\"}\n", i);
        text("#\t0x%" PRIx64 "\tmain.f%" PRIu64 "+0x50\t\t/a.go:13\n\n",
             0xfff + 16 * i, i);
    }
}

/* Functions inlined at one address. */
static void go_inlined(uint64_t n)
{
    text("goroutine profile: total 1\n1 @ 0x1000\n");
    for (uint64_t i = 0; i < n; i++)
        text("#\t0xfff\tmain.f%" PRIu64 "+0x50\t\t/a.go:%" PRIu64 "\n", i, i);
}

/* The same, told again below each stack. */
static void go_inlined_often(uint64_t n)
{
    uint64_t k = root_of(n);

    text("goroutine profile: total 1\n");
    for (uint64_t s = 0; s < k; s++) {
        text("1 @ 0x1000 0x%" PRIx64 "\n", 0x2000 + 16 * s);
        for (uint64_t i = 0; i < k; i++)
            text("#\t0xfff\tmain.f%" PRIu64 "+0x50\t\t/a.go:1\n", i);
    }
}

static void go_labels(uint64_t n)
{
    text("goroutine profile: total 1\n1 @ 0x1000\n# labels: {");
    for (uint64_t i = 0; i < n; i++)
        text("%s\"k%" PRIu64 "\":\"v\"", i ? ", " : "", i);
    text("}\n");
}

/* Names for the addresses of a heap profile. */
static void raw_names(uint64_t n)
{
    text("--- symbol\nbinary=/bin/a\n");
    for (uint64_t i = 0; i < n; i++)
        text("0x%016" PRIx64 " f%" PRIu64 "--g\n", 0x1000 + i, i);
    text("---\n--- heap\n");
    heap_records(n);
}

static void raw_inlined(uint64_t n)
{
    text("--- symbol\nbinary=/bin/a\n0x0000000000000fff f");
    for (uint64_t i = 0; i < n; i++)
        text("--f%" PRIu64, i);
    text("\n---\n--- heap\n");
    heap_same(1);
}

/* Brackets that open and do not close, marks in and behind them. */
static void raw_brackets(uint64_t n)
{
    text("--- symbol\nbinary=/bin/a\n0x0000000000000fff f");
    for (uint64_t i = 0; i < n; i++)
        text("<(operator--");
    text("\n---\n--- heap\n");
    heap_same(1);
}

/* Names with brackets that do not close. */
static void raw_open(uint64_t n)
{
    text("--- symbol\nbinary=/bin/a\n0x0000000000000fff f");
    for (uint64_t i = 0; i < n; i++)
        text("(a--");
    text("\n---\n--- heap\n");
    heap_same(1);
}

static void dcpi_header(const char *name, uint64_t i)
{
    text("name %s%" PRIu64 "\nimage 1997%012" PRIx64
         "beef\npath /bin/%s%" PRIu64 "\nepoch 199901031200\nplatform h\n"
         "text_start 0x000120000000\ntext_size 0x000010000000\n",
         name, i, i + 1, name, i);
}

static void dcpi_samples(uint64_t n)
{
    dcpi_header("a", 0);
    text("event %" PRIu64 " cycles:63488:10000\n", n);
    for (uint64_t i = 0; i < n; i++)
        text("0x%012" PRIx64 " 1\n", 0x120000000 + 4 * i);
}

static void dcpi_images(uint64_t n)
{
    for (uint64_t i = 0; i < n; i++) {
        dcpi_header("a", i);
        text("event 1 cycles:63488:10000\n0x000120001000 1\n\n");
    }
}

/* Dumps of one image, and of images that have nothing. */
static void dcpi_dumps(uint64_t n)
{
    for (uint64_t i = 0; i < n; i++) {
        dcpi_header("a", 0);
        text("event 1 cycles:63488:10000\n0x000120001000 1\n\n");
    }
}

static void dcpi_events(uint64_t n)
{
    dcpi_header("a", 0);
    for (uint64_t i = 0; i < n; i++)
        text("event 1 e%" PRIu64 ":65536:10000\n", i);
    text("0x000120001000");
    for (uint64_t i = 0; i < n; i++)
        text(" 1");
    text("\n");
}

/* Images with an event each that no other has. */
static void dcpi_images_events(uint64_t n)
{
    for (uint64_t i = 0; i < n; i++) {
        dcpi_header("a", i);
        text("event 1 e%" PRIu64 ":65536:10000\n0x000120001000 1\n\n", i);
    }
}

static void dcpi_paths(uint64_t n)
{
    text("name a\nimage 1997012345beef012345\n");
    for (uint64_t i = 0; i < n; i++)
        text("path /p%" PRIu64 "\n", i);
    text("epoch 199901031200\nplatform h\ntext_start 0x000120000000\n"
         "text_size 0x000010000000\nevent 1 cycles:63488:10000\n"
         "0x000120001000 1\n");
}

static void folded_text(uint64_t n)
{
    for (uint64_t i = 0; i < n; i++)
        text("main;f%" PRIu64 ";g%" PRIu64 " 1\n", i, i);
}

static void folded_same(uint64_t n)
{
    for (uint64_t i = 0; i < n; i++)
        text("main;f;g 1\n");
}

static void folded_line(uint64_t n)
{
    for (uint64_t i = 0; i < n; i++)
        text("f%" PRIu64 ";", i);
    text("end 1\n");
}

static void folded_frame(uint64_t n)
{
    fill(&out, 'x', 100 * n);
    text(" 1\n");
}

static void folded_blanks(uint64_t n)
{
    text("main;f");
    fill(&out, ' ', 100 * n);
    text("1\n");
    fill(&out, ';', n);
    text(" 1\n");
}

static void folded_stairs(uint64_t n)
{
    uint64_t k = root_of(n / 4);

    for (uint64_t i = 1; i <= k; i++) {
        for (uint64_t j = 0; j < i; j++)
            text("f%" PRIu64 ";", j);
        text("end 1\n");
    }
}

/* Root labels that differ, and frames that end in what they mean. */
static void folded_annotated(uint64_t n)
{
    for (uint64_t i = 0; i < n; i++)
        text("t%" PRIu64 ";main;f_[j];g_[i];h_[k] 1\n", i);
}

/* As many numbers as frames have to be told from. */
static void folded_numbers(uint64_t n)
{
    text("main");
    for (uint64_t i = 0; i < n; i++)
        text(" %" PRIu64, i);
    text("\n");
}

const struct class text_classes[] = {
    {"heap-records", heap_records},
    {"heap-same", heap_same},
    {"heap-sizes", heap_sizes},
    {"heap-deep", heap_deep},
    {"heap-maps", heap_maps},
    {"heap-maps-overlapping", heap_maps_overlapping},
    {"heap-maps-offset", heap_maps_offset},
    {"heap-maps-name", heap_maps_name},
    {"heap-maps-variables", heap_maps_variables},
    {"heap-headers", heap_headers},
    {"heap-line", heap_line},
    {"heap-blanks", heap_blanks},
    {"heap-log", heap_log},
    {"contention-records", contention_records},
    {"contention-attributes", contention_attributes},
    {"contention-headers", contention_headers},
    {"threads-records", threads_records},
    {"threads-same", threads_same},
    {"threads-bare", threads_bare},
    {"threads-names", threads_names},
    {"java-records", java_records},
    {"java-deep", java_deep},
    {"java-names", java_names},
    {"jemalloc-records", jemalloc_records},
    {"jemalloc-threads", jemalloc_threads},
    {"go-records", go_records},
    {"go-inlined", go_inlined},
    {"go-inlined-often", go_inlined_often},
    {"go-labels", go_labels},
    {"raw-names", raw_names},
    {"raw-inlined", raw_inlined},
    {"raw-brackets", raw_brackets},
    {"raw-open", raw_open},
    {"dcpi-samples", dcpi_samples},
    {"dcpi-images", dcpi_images},
    {"dcpi-dumps", dcpi_dumps},
    {"dcpi-events", dcpi_events},
    {"dcpi-images-events", dcpi_images_events},
    {"dcpi-paths", dcpi_paths},
    {"folded-text", folded_text},
    {"folded-same", folded_same},
    {"folded-line", folded_line},
    {"folded-frame", folded_frame},
    {"folded-blanks", folded_blanks},
    {"folded-stairs", folded_stairs},
    {"folded-annotated", folded_annotated},
    {"folded-numbers", folded_numbers},
    {"", NULL},
};
