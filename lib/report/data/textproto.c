/* textproto.c - --textproto: the message in protobuf's text format */
#include "report/out.h"

const struct report_format report_textproto = {
    .name = "textproto",
    .help = "write protobuf text format",
    .suffixes = "textproto pbtxt txt",
    .ignores = REPORT_IGNORES_ALL,
    .print_bytes = prof_put_textproto,
};
