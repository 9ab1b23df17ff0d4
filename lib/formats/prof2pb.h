/*
 * prof2pb.h - the converter of prof2pb: profiles of any of its formats
 */
#ifndef PROFUTILS_FORMATS_PROF2PB_H
#define PROFUTILS_FORMATS_PROF2PB_H

#include "formats/import.h"
#include "symbolize/symbol.h"

struct prof2pb_options {
    struct import_options import;
    const struct import_format *format; /* null: what an input begins like */
    bool build_ids;                     /* read those of the mapped files */
    struct sym_opts symbols;            /* unless import.no_symbols */
};

/* With struct prof2pb_options. */
extern const struct converter prof2pb_converter;

#endif
