/* dcpi.c - a sum of DCPI inputs */
#include "import/dcpi/dcpi.h"

#include <stdlib.h>

#include "import/dcpi/dcpi_join.h"

static void free_dcpi(void *ctx)
{
    struct dcpi *d = ctx;
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

static void *start(void *options, const struct notes *notes, struct err *err)
{
    struct dcpi *d = mem_zarray(1, sizeof *d);
    if (!d) {
        err_nomem(err);
        return NULL;
    }
    d->ctx = (struct dcpi_ctx){options, notes};
    if (strtab_init(&d->names) && strtab_init(&d->image_keys) &&
        strtab_init(&d->called_keys) && strtab_init(&d->group_keys) &&
        strtab_init(&d->event_names) && strtab_init(&d->comment_seen) &&
        strtab_init(&d->left_out))
        return d;
    free_dcpi(d);
    err_nomem(err);
    return NULL;
}

static bool not_dcpi(const struct import_input *in, struct err *err)
{
    if (in->n == 0)
        return err_set(err, ERR_INPUT, "the file is empty");
    if (in->foreign)
        return err_set(err, ERR_INPUT, "not a DCPI profile but %s",
                       in->foreign->words);
    return err_set(err, ERR_INPUT,
                   "not a DCPI profile: neither a file with a header that "
                   "ends in 'samples' nor the output of dcpicat");
}

/*
 * An input that is refused leaves no trace; after ERR_SYSTEM it may be there in
 * part, and whatever else is added, and the end, fails, too.
 */
static bool add(void *ctx, const struct import_input *in, struct err *err)
{
    struct dcpi *d = ctx;
    struct dcpi_files files = {0};
    enum dcpi_form form = dcpi_sniff(in->data, in->n);
    bool ok;
    if (d->broken)
        return err_nomem(err);
    if (form == DCPI_NEITHER)
        ok = not_dcpi(in, err);
    else if (d->ctx.opts->header_only)
        ok = dcpi_read_header(in->data, in->n, form, &files, err);
    else if (form == DCPI_BINARY)
        ok = dcpi_read_binary(&d->ctx, in->data, in->n, &files, err);
    else
        ok = dcpi_read_text(&d->ctx, in->data, in->n, &files, err);
    ok = ok && dcpi_join_check(d, &files, err);
    for (size_t i = 0; ok && i < files.n; i++) {
        d->broken = !dcpi_join_file(d, &files.v[i]);
        ok = !d->broken || err_nomem(err);
    }
    dcpi_free_files(&files);
    return ok;
}

/* Words of any text begin a header that has no version line. */
static bool begins_with_options(const void *options,
                                const struct import_input *in)
{
    (void)options;
    return dcpi_begins(in->data, in->n);
}

const struct import_format dcpi_format = {
    .name = "dcpi",
    IMPORT_READ_BY("dcpi2pb", "a DCPI profile"),
    .begins = dcpi_has_version,
};

const struct converter dcpi_converter = {
    .reads = "a DCPI profile",
    .member_begins = dcpi_begins,
    .begins = begins_with_options,
    .start = start,
    .add = add,
    .finish = dcpi_finish,
    .free_sum = free_dcpi,
};
