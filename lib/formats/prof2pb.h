/*
 * prof2pb.h - converts inputs of any format of prof2pb to one profile
 */
#ifndef PROFUTILS_FORMATS_PROF2PB_H
#define PROFUTILS_FORMATS_PROF2PB_H

#include "formats/import.h"
#include "symbolize/symbol.h"

struct prof2pb_options {
    struct import_options import;
    const struct import_format *format; /* null: detect that of each input */
    bool build_ids;          /* add the build IDs of the mapped files */
    struct sym_opts symbols; /* how to symbolize, unless import.no_symbols */
};

/* Whether the bytes begin with a valid header of one of prof2pb's formats. */
bool prof2pb_begins(const uint8_t *data, size_t n);

/*
 * A sum of inputs of any format.  *opts and *notes must outlive it.
 *
 *   add     PROF_ERR_INPUT leaves the sum unchanged
 *   finish  symbolizes the sum, so that each binary is opened once; the caller
 *           owns the profile
 */
struct prof2pb_sum;
struct prof2pb_sum *prof2pb_sum_new(const struct prof2pb_options *opts,
                                    const struct prof_notes *notes,
                                    struct prof_err *err);
bool prof2pb_sum_add(struct prof2pb_sum *sum, const struct import_input *in,
                     struct prof_err *err);
struct profile *prof2pb_sum_finish(struct prof2pb_sum *sum,
                                   struct prof_err *err);
void prof2pb_sum_free(struct prof2pb_sum *sum); /* null is allowed */

#endif
