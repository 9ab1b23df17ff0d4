/*
 * Expressions of labels: ranges of numbers with units, or regular
 * expressions.  The input is the expression.
 */
#include <stdlib.h>
#include <string.h>

#include "../unit/stacks.h"
#include "fuzz.h"
#include "profile/filter/private.h"

static void make(struct profile *p)
{
    struct err err = {0};
    FUZZ_CHECK(prof_init(p, &err));
    stacks_add(p, "a", 1);
    stacks_add_label(p, "a", "bytes", NULL, 4096, "bytes");
    stacks_add_label(p, "a", "bytes", NULL, -1, "bytes");
    stacks_add_label(p, "a", "latency", NULL, 1500, "ms");
    stacks_add_label(p, "a", "request", NULL, INT64_MAX, "");
    stacks_add_label(p, "a", "key", "value", 0, NULL);
    stacks_add_label(p, "a", "user", "32kb", 0, NULL);
}

static void try_range(const char *text)
{
    static const char *const units[] = {"", "bytes", "kb", "ms", "s", "count"};
    struct tag_range r;
    struct err err = {0};
    int got = tag_range_parse(&r, text, &err);
    FUZZ_CHECK(got >= -1 && got <= 1);
    if (got < 0)
        fuzz_refused(&err);
    if (got < 1)
        return;
    FUZZ_CHECK(r.unit && r.least == r.least && r.most == r.most);
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (r.least > r.most)
            FUZZ_CHECK(!tag_range_has(&r, 4096, units[i]));
    (void)tag_range_has(&r, INT64_MIN, r.unit);
    tag_range_free(&r);
}

/* How many samples are left; the filter is the first or the second. */
static size_t left(const struct tag_filter *focus,
                   const struct tag_filter *ignore)
{
    struct profile p;
    struct err err = {0};
    struct tag_choice choice = {.focus = focus, .ignore = ignore};
    make(&p);
    if (!prof_filter_tags(&p, &choice, &fuzz_notes, &err))
        fuzz_fail(__FILE__, __LINE__, "%s", err.text);
    size_t n = p.n_samples;
    prof_free(&p);
    return n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    struct tag_filter *f;
    struct err err = {0};
    char *text = fuzz_line(data, n, 0, 0);
    try_range(text);
    if (tag_filter_new(&f, text, &err)) {
        (void)tag_filter_range(f);
        /* What one leaves, the other takes. */
        FUZZ_CHECK(left(f, NULL) + left(NULL, f) == left(NULL, NULL));
    } else {
        FUZZ_CHECK(!f);
        fuzz_refused(&err);
    }
    tag_filter_free(f);
    free(text);
    return 0;
}
