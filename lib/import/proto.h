/*
 * proto.h - profile.proto among what prof2pb is given
 *
 * Directories and archives of old profiles have new ones between them, which
 * are added up with the others as they are.
 */
#ifndef PROFUTILS_IMPORT_PROTO_H
#define PROFUTILS_IMPORT_PROTO_H

#include "import/gperftools/gperf.h"

/* Both as struct legacy_kind has them (legacy.h). */
bool proto_begins(const uint8_t *data, size_t n);
bool proto_read(const uint8_t *data, size_t n, const struct gperf_opts *opts,
                struct profile *out, const struct notes *notes,
                struct err *err);

#endif
