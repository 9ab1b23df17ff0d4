/* import_readers.c - the table of the readers of prof2pb */
#include <stddef.h>

#include "formats/import_formats.h"

/*
 * Reads a profile.proto message, because archives of profiles in old formats
 * may also contain some in the new one.
 */
struct profile *proto_read(const struct import_input *in,
                           const struct import_options *options,
                           struct prof_err *err)
{
    (void)options;
    return prof_decode(in->data, in->n,
                       &(struct prof_decode_opts){.notes = in->notes}, err);
}

import_read_fn *import_reader(const struct import_format *format)
{
#define ROW(name) {&name##_format, name##_read},
    static const struct {
        const struct import_format *format;
        import_read_fn *read;
    } readers[] = {IMPORT_PROF2PB(ROW)};
#undef ROW
    for (size_t i = 0; i < sizeof readers / sizeof *readers; i++)
        if (readers[i].format == format)
            return readers[i].read;
    return NULL;
}

const struct import_lookup import_lookup = {import_find, import_reader};
