/* proto.c - --proto: the filtered profile */
#include "profile/merge/merge.h"
#include "report/out.h"

/* Like pprof -proto: all sample types, and no mean. */
static bool print_proto(struct report *r, struct prof_err *err)
{
    struct profile out = {0};
    bool ok = prof_divide(r->p, r->opts->divide_by, err) &&
              prof_compact(r->p, r->opts->threads, &out, NULL, err) &&
              report_put_profile(r, &out, err);
    prof_free(&out);
    return ok;
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
