/*
 * Profiles, of whatever origin, with call stacks estimated from their call
 * counts.  Nothing is lost: each type has the sum that it had before, and each
 * leaf its own; the stacks of a profile in canonical form are the same; and
 * what has them once is refused.
 */
#include <string.h>

#include "../unit/merge_try.h"
#include "base/vec.h"
#include "fuzz.h"
#include "profile/columns.h"
#include "profile/estimate/estimate.h"
#include "profile/merge/merge.h"
#include "profile/wire/pb.h"

/* What the input has of each type, which fits as pb_decode() says nothing. */
static void check_totals(const struct profile *flat, const struct profile *p)
{
    FUZZ_CHECK(flat->n_types == p->n_types);
    for (size_t i = 0; i < p->n_types; i++) {
        uint64_t before = 0, after = 0; /* modulo 2^64 is good enough */
        for (size_t s = 0; s < flat->n_samples; s++)
            before += (uint64_t)flat->values[s * p->n_types + i];
        for (size_t s = 0; s < p->n_samples; s++)
            after += (uint64_t)p->values[s * p->n_types + i];
        FUZZ_CHECK(before == after);
    }
}

static bool estimate(const uint8_t *data, size_t n, bool canonical,
                     struct profile *out)
{
    static const uint64_t max[] = {1, 2, 10, 1000};
    unsigned choice = fuzz_choice(data, n);
    const struct prof_estimate_opts opts = {.max_stacks = max[choice % 4],
                                            .known = choice & 4,
                                            .notes = &fuzz_notes};
    struct profile p = {0}, flat = {0};
    struct prof_err err = {0};
    memset(out, 0, sizeof *out);
    bool ok = pb_decode(data, n, &p, &fuzz_notes, &err) &&
              canonical_copy(&p, &flat, &err) &&
              prof_estimate_stacks(canonical ? &flat : &p, &opts, out, &err);
    if (!ok)
        fuzz_refused(&err);
    if (ok && !canonical)
        check_totals(&flat, out);
    prof_free(&p);
    prof_free(&flat);
    return ok;
}

/* Stacks of stacks: only where none could be made. */
static void again(struct profile *p)
{
    const struct prof_estimate_opts opts = {.max_stacks = 10, .known = true};
    bool estimated = prof_is_estimated(p);
    struct profile out;
    struct prof_err err = {0};
    bool ok = prof_estimate_stacks(p, &opts, &out, &err);
    FUZZ_CHECK(!ok || !estimated);
    if (!ok)
        fuzz_refused(&err);
    prof_free(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    struct profile p, q;
    bool ok = estimate(data, n, false, &p);
    FUZZ_CHECK(estimate(data, n, true, &q) == ok);
    if (ok) {
        fuzz_sound(&p);
        fuzz_same(&p, &q);
        again(&p);
    }
    prof_free(&p);
    prof_free(&q);
    return 0;
}
