/* proto.c - --proto: the filtered profile */
#include "report/out.h"

/* Like pprof -proto: all sample types, and no mean. */
static bool print_proto(struct report *r, struct prof_err *err)
{
    const struct prof_result_opts compact = {
        .threads = r->opts->threads, .keep_order = true, .to_write = true};
    return prof_divide(r->p, r->opts->divide_by, err) &&
           prof_merge_one(r->p, &compact, err) &&
           report_put_profile(r, r->p, err);
}

const struct report_format report_proto = {
    .name = "proto",
    .help = "write the filtered profile, like pbfilter",
    .suffixes = "pb.gz pb",
    .needs_option = true,
    .needs = REPORT_FRAMES | REPORT_ADDRESSES | REPORT_TRIM | REPORT_NO_VALUES,
    .binary = true,
    .ignores = REPORT_NO_MEAN | REPORT_NO_UNIT | REPORT_NO_ROWS |
               REPORT_NO_PERCENT | REPORT_NO_DETAIL,
    .print = print_proto,
};
