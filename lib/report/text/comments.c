/* --comments: the profile's comments, one after another. */
#include "report/out.h"

static bool print(struct report *r, struct err *err)
{
    for (size_t i = 0; i < r->p->n_comments; i++)
        if (!report_put_lines(r, r->p->comments[i]) || !buf_putc(r->out, '\n'))
            return err_nomem(err);
    return true;
}

const struct report_format report_comments = {
    .name = "comments",
    .help = "the comments",
    .suffixes = "txt",
    .print = print,
};
