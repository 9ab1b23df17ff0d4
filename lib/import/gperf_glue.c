#include "import/gperf_glue.h"

#include "profile/merge.h"
#include "profile/scale.h"

/* The part with the most samples. */
static bool find_largest(const struct profile *parts, size_t n, size_t *largest,
                         struct err *err)
{
    int64_t most = -1, totals[2];
    for (size_t i = 0; i < n; i++) {
        if (!prof_totals(&parts[i], totals, err))
            return false;
        if (totals[0] > most) {
            most = totals[0];
            *largest = i;
        }
    }
    return true;
}

/* *is is true when no sample of `all` minus `part` is below zero. */
static bool is_within(const struct profile *part, const struct profile *all,
                      bool *is, struct err *err)
{
    struct profile rest = {0}, minus = {0};
    struct merger *m = merge_new(MERGE_TYPES_SAME, err);
    bool ok = m && prof_canonical(part, &minus, err) &&
              prof_scale(&minus, (struct prof_ratio){-1, 1}, err) &&
              merge_add(m, all, err) && merge_add(m, &minus, err) &&
              merge_finish(m, &rest, err);
    *is = true;
    for (size_t s = 0; ok && s < rest.n_samples; s++)
        *is = *is && rest.values[2 * s] >= 0;
    prof_free(&rest);
    prof_free(&minus);
    merge_free(m);
    return ok;
}

static bool add_all(struct merger *sum, const struct profile *parts, size_t n,
                    bool no_inherited, size_t *n_within, struct err *err)
{
    size_t largest = 0;
    if (!find_largest(parts, n, &largest, err))
        return false;
    for (size_t i = 0; i < n; i++) {
        bool within = false;
        if (i != largest && parts[i].n_samples &&
            !is_within(&parts[i], &parts[largest], &within, err))
            return false;
        *n_within += within;
        if (!(within && no_inherited) && !merge_add(sum, &parts[i], err))
            return false;
    }
    return true;
}

bool gperf_glue(const struct profile *parts, size_t n, bool no_inherited,
                struct profile *out, const struct notes *notes, struct err *err)
{
    size_t n_within = 0;
    struct merger *sum = merge_new(MERGE_TYPES_SAME, err);
    bool ok = sum && add_all(sum, parts, n, no_inherited, &n_within, err) &&
              merge_finish(sum, out, err);
    merge_free(sum);
    if (!ok)
        return false;
    if (no_inherited)
        note_info(notes,
                  "%zu profiles in this file, of which %zu only repeat samples "
                  "of another one and are left out",
                  n, n_within);
    else
        note_warn(notes,
                  "%zu profiles in this file, as processes that fork leave "
                  "them, are added up",
                  n);
    if (n_within && !no_inherited)
        note_warn(notes,
                  "%zu of them only repeat samples of another one, as a "
                  "forked child does, and these count twice; --no-inherited "
                  "leaves them out",
                  n_within);
    return true;
}
