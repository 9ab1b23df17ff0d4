/* private.h - what the files of lib/formats/gperftools share */
#ifndef PROFUTILS_FORMATS_GPERFTOOLS_PRIVATE_H
#define PROFUTILS_FORMATS_GPERFTOOLS_PRIVATE_H

#include "formats/import.h"

/*
 * Whether the CPU profile in these bytes is one that google-pprof --raw wrote
 * from its own tables (raw_profile.c).  Such a profile has the period 1, no end
 * marker and no mappings; its callers are already return addresses minus 1.  It
 * gets the only sample type samples/count, unless the user gives a period.
 */
bool cpu_is_rewritten(const uint8_t *data, size_t n);

#endif
