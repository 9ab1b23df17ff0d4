/* DCPI inputs: taken one by one. */
#include "import/dcpi/dcpi.h"

#include <stdlib.h>

#include "import/dcpi/dcpi_join.h"
#include "io/kind.h"

struct dcpi *dcpi_new(const struct dcpi_opts *opts, const struct notes *notes,
                      struct err *err)
{
    struct dcpi *d = mem_zarray(1, sizeof *d);
    if (!d) {
        err_nomem(err);
        return NULL;
    }
    d->ctx = (struct dcpi_ctx){opts, notes};
    if (strtab_init(&d->names) && strtab_init(&d->image_keys) &&
        strtab_init(&d->called_keys) && strtab_init(&d->group_keys) &&
        strtab_init(&d->event_names) && strtab_init(&d->comment_seen) &&
        strtab_init(&d->left_out))
        return d;
    dcpi_free(d);
    err_nomem(err);
    return NULL;
}

void dcpi_free(struct dcpi *d)
{
    if (!d)
        return;
    strtab_free(&d->names);
    strtab_free(&d->image_keys);
    strtab_free(&d->called_keys);
    strtab_free(&d->group_keys);
    strtab_free(&d->event_names);
    strtab_free(&d->comment_seen);
    strtab_free(&d->left_out);
    vec_free(&d->comments);
    vec_free(&d->images);
    vec_free(&d->called);
    vec_free(&d->groups);
    vec_free(&d->events);
    vec_free(&d->cells);
    free(d);
}

static bool not_dcpi(const uint8_t *data, size_t n, struct err *err)
{
    const struct kind *kind = kind_of(data, n);
    if (n == 0)
        return err_set(err, ERR_INPUT, "the file is empty");
    if (kind)
        return err_set(err, ERR_INPUT, "not a DCPI profile but %s",
                       kind->words);
    return err_set(err, ERR_INPUT,
                   "not a DCPI profile: neither a file with a header that "
                   "ends in 'samples' nor the output of dcpicat");
}

bool dcpi_add(struct dcpi *d, const uint8_t *data, size_t n, struct err *err)
{
    struct dcpi_files files = {0};
    enum dcpi_form form = dcpi_sniff(data, n);
    bool ok;
    if (d->broken)
        return err_nomem(err);
    if (form == DCPI_NEITHER)
        ok = not_dcpi(data, n, err);
    else if (d->ctx.opts->header_only)
        ok = dcpi_read_header(data, n, form, &files, err);
    else if (form == DCPI_BINARY)
        ok = dcpi_read_binary(&d->ctx, data, n, &files, err);
    else
        ok = dcpi_read_text(&d->ctx, data, n, &files, err);
    ok = ok && dcpi_join_check(d, &files, err);
    for (size_t i = 0; ok && i < files.n; i++) {
        d->broken = !dcpi_join_file(d, &files.v[i]);
        ok = !d->broken || err_nomem(err);
    }
    dcpi_free_files(&files);
    return ok;
}
