#include "report/code/listing.h"

#include <string.h>

#include "profile/measure.h"

bool listing_add(struct graph_weight *sum, const struct graph_weight *w,
                 struct err *err)
{
    if (__builtin_add_overflow(sum->flat, w->flat, &sum->flat) ||
        __builtin_add_overflow(sum->cum, w->cum, &sum->cum) ||
        __builtin_add_overflow(sum->flat_div, w->flat_div, &sum->flat_div) ||
        __builtin_add_overflow(sum->cum_div, w->cum_div, &sum->cum_div))
        return err_set(err, ERR_INPUT,
                       "the values of one function do not add up in 64 bits");
    return true;
}

bool listing_total(struct report *r)
{
    return buf_printf(r->out, "Total: %s\n", report_value(r, r->total));
}

static bool put_column(struct report *r, const char *text)
{
    return report_put_right(r->out, text, strlen(text), 10) &&
           buf_putc(r->out, ' ');
}

bool listing_head(struct report *r, const struct graph_weight *sum)
{
    int64_t flat = graph_mean(sum->flat, sum->flat_div);
    int64_t cum = graph_mean(sum->cum, sum->cum_div);
    char text[MEASURE_TEXT];
    return put_column(r, report_value(r, flat)) &&
           put_column(r, report_value(r, cum)) &&
           buf_printf(r->out, "(flat, cum) %s of Total\n",
                      measure_percent(text, sizeof text, cum, r->total));
}

bool listing_values(struct report *r, const struct graph_weight *sum)
{
    int64_t flat = graph_mean(sum->flat, sum->flat_div);
    int64_t cum = graph_mean(sum->cum, sum->cum_div);
    return put_column(r, flat ? report_value(r, flat) : ".") &&
           put_column(r, cum ? report_value(r, cum) : ".");
}
