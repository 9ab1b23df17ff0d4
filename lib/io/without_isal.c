/* without_isal.c - what gzip_isal.c has, in a build without ISA-L */
#include "io/private.h"

const struct library_about gz_isal = {.name = "ISA-L",
                                      .lacking = "ISA-L (gzip is then slower)"};

bool member_stream_open(struct member_stream *m, struct stream *from)
{
    *m = (struct member_stream){.from = from};
    return false;
}

void member_stream_free(struct member_stream *m)
{
    m->from = NULL;
}
