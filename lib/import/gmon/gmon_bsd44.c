/*
 * The 4.4BSD format: one histogram, then arcs to the end of the file, as in
 * gmon_bsd.h.
 */
#include <stdio.h>

#include "import/gmon/gmon_bsd.h"

bool gmon_bsd44_form(const uint8_t *data, size_t n, struct gmon_form *form)
{
    for (int i = 0; i < GMON_FORMS; i++) {
        size_t at = 2 * (size_t)gmon_forms[i].addr_size + 4;
        if (at + 4 <= n &&
            gmon_u32(data + at, gmon_forms[i]) == GMON_BSD44_VERSION) {
            *form = gmon_forms[i];
            return true;
        }
    }
    return false;
}

bool gmon_read_bsd44(struct gmon *g, const struct gmon_input *in,
                     struct err *err)
{
    struct gmon_form form;
    size_t used;
    (void)gmon_bsd44_form(in->data, in->n, &form);
    if (!gmon_form_check(form, 2 * (size_t)form.addr_size + 4, in, err))
        return false;
    const struct gmon_bsd b = {
        .in = in,
        .form = form,
        .end = in->n,
        .head = gmon_bsd44_head(form),
        .has_rate = true,
        .has_type = true,
    };
    if (in->n < b.head)
        return err_set(err, ERR_INPUT,
                       "the file is cut short: header of %zu bytes, %zu are "
                       "there",
                       b.head, in->n);
    g->form = form;
    (void)snprintf(g->dimension, sizeof g->dimension, "seconds");
    return gmon_bsd_hist(&b, g, &used, err) &&
           gmon_bsd_arcs(in, form, used, in->n, 3 * (size_t)form.addr_size,
                         false, g, err);
}
