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
    struct prof_err err = {0};
    FUZZ_CHECK(prof_init(p, &err));
    stacks_add(p, "a", 1);
    stacks_add_label(p, "a", "bytes", NULL, 4096, "bytes");
    stacks_add_label(p, "a", "bytes", NULL, -1, "bytes");
    stacks_add_label(p, "a", "latency", NULL, 1500, "ms");
    stacks_add_label(p, "a", "request", NULL, INT64_MAX, "");
    stacks_add_label(p, "a", "key", "value", 0, NULL);
    stacks_add_label(p, "a", "user", "32kb", 0, NULL);
}

/* How many samples are left; the filter is the first or the second. */
static size_t left(const struct tag_filter *focus,
                   const struct tag_filter *ignore)
{
    struct profile p;
    struct prof_err err = {0};
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
    struct prof_err err = {0};
    char *text = fuzz_line(data, n, 0, 0);
    if (tag_filter_new(&f, text, "--tagfocus", &err)) {
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
