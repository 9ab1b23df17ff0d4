/* difference.c - prints the flame graph of the difference of two sums */
#include "cli/difference.h"
#include "cli/filters.h"

bool cli_difference_add(struct cli_difference *d, bool is_base,
                        const struct profile *p, struct prof_err *err)
{
    struct prof_merger **m = is_base ? &d->base : &d->minuend;
    const struct prof_merge_opts opts = {.types = PROF_TYPES_INTERSECT};
    return (*m || (*m = prof_merge_new(&opts, err))) &&
           prof_merge_add(*m, p, err);
}

bool cli_difference_print(struct cli_difference *d,
                          const struct report_opts *opts, struct sink *sink,
                          struct prof_err *err)
{
    const struct prof_result_opts result = {.threads = opts->threads};
    const struct cli_bases bases = {.types = PROF_TYPES_INTERSECT,
                                    .threads = opts->threads,
                                    .diff = true,
                                    .normalize = true};
    struct profile *base = prof_merge_result(d->base, &result, err);
    struct profile *p =
        base ? prof_merge_result(d->minuend, &result, err) : NULL;
    bool ok =
        p && cli_bases_subtract(&bases, &p, base, err) &&
        report_print(report_find_format("flame", NULL), p, opts, sink, err);
    prof_delete(base);
    prof_delete(p);
    return ok;
}

void cli_difference_free(struct cli_difference *d)
{
    prof_merge_free(d->base);
    prof_merge_free(d->minuend);
}
