/*
 * gperf.h - CPU profiles that google-pprof has written again
 */
#ifndef PROFUTILS_IMPORT_GPERF_H
#define PROFUTILS_IMPORT_GPERF_H

#include "import/import.h"

/*
 * Whether google-pprof's --raw wrote these bytes from its own tables (raw.c).
 * It gives 1 for the period, no end marker and no mappings.  Callers are one
 * less than the return address already; and without a period asked for the
 * only sample type is samples/count.
 */
bool gperf_is_rewritten(const uint8_t *data, size_t n);

#endif
