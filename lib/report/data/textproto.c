/* textproto.c - --textproto: the message in protobuf's text format */
#include "report/out.h"

static bool print_textproto(const uint8_t *data, size_t n, struct buf *out,
                            struct prof_err *err)
{
    return prof_put_textproto(out, data, n, err);
}

const struct report_format report_textproto = {
    .name = "textproto",
    .help = "write protobuf text format",
    .suffixes = "textproto pbtxt txt",
    .ignores = REPORT_IGNORES_ALL,
    .print_bytes = print_textproto,
};
