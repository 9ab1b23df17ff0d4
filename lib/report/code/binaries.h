/*
 * binaries.h - the files behind mappings, for reports that show code
 *
 * Found as pbsym finds them (symbol/symbol.h), by opts.binary_path and
 * opts.binary.  A binary that is missing, or has another build id than the
 * profile knows, is a warning and its code is not shown.
 *
 * Private to lib/report.
 */
#ifndef PROFUTILS_REPORT_BINARIES_H
#define PROFUTILS_REPORT_BINARIES_H

#include "report/out.h"
#include "symbol/binary.h"

struct binaries {
    const struct report *r;
    struct sym_cache *cache;
    bool *missing; /* by mapping: that was said */
};

/* On failure *b is safe to free. */
bool binaries_init(struct binaries *b, const struct report *r, struct err *err);
void binaries_free(struct binaries *b);

/*
 * The binary of a mapping, good until the next call, and the distance of the
 * mapping's addresses to those of the binary; `seen` is one of the former.
 * *binary is null when there is none.
 */
bool binaries_find(struct binaries *b, uint32_t mapping, uint64_t seen,
                   struct sym_binary **binary, uint64_t *bias, struct err *err);

/* Whether the address is in the mapping; in one without an end all are. */
bool binaries_maps(const struct prof_mapping *m, uint64_t address);

#endif
