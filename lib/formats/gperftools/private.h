/* private.h - what the files of lib/formats/gperftools share */
#ifndef PROFUTILS_FORMATS_GPERFTOOLS_PRIVATE_H
#define PROFUTILS_FORMATS_GPERFTOOLS_PRIVATE_H

#include "formats/import.h"

/*
 * Whether google-pprof's --raw wrote these bytes of a CPU profile from its own
 * tables (raw_profile.c).  It gives 1 for the period, no end marker and no
 * mappings.  Callers are one less than the return address already; and without
 * a period asked for the only sample type is samples/count.
 */
bool cpu_is_rewritten(const uint8_t *data, size_t n);

#endif
