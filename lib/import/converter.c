/* converter.c - a sum of the profiles of inputs */
#include "import/converter.h"

#include <stdlib.h>

#include "profile/merge/merge.h"

bool import_sum_init(struct import_sum *sum, void *options,
                     const struct notes *notes, struct err *err)
{
    *sum =
        (struct import_sum){options, notes, merge_new(MERGE_TYPES_SAME, err)};
    return sum->merger != NULL;
}

void import_sum_clear(struct import_sum *sum)
{
    merge_free(sum->merger);
}

void *import_sum_start(void *options, const struct notes *notes,
                       struct err *err)
{
    struct import_sum *sum = calloc(1, sizeof *sum);
    if (!sum)
        (void)err_nomem(err);
    else if (import_sum_init(sum, options, notes, err))
        return sum;
    free(sum);
    return NULL;
}

bool import_sum_add(struct import_sum *sum, struct profile *p, struct err *err)
{
    return notes_lossless(sum->notes, err) && merge_take(sum->merger, p, err);
}

bool import_sum_finish(void *ctx, struct profile *out, struct err *err)
{
    struct import_sum *sum = ctx;
    if (!merge_finish(sum->merger, 1, out, NULL, err))
        return false;
    if (!out->n_samples)
        note_warn(sum->notes, "no samples");
    return true;
}

void import_sum_free(void *ctx)
{
    import_sum_clear(ctx);
    free(ctx);
}
