/*
 * units.h - which compilation unit covers which address
 */
#ifndef PROFUTILS_SYMBOL_UNITS_H
#define PROFUTILS_SYMBOL_UNITS_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/vec.h"

struct sym_unit {
    Dwarf_Die lines;  /* the unit that the line table hangs on */
    Dwarf_Die scopes; /* the one with the functions; of a .dwo file if split */
    size_t size;      /* bytes of that one */
    bool split;       /* it is in a .dwo file that has not been opened */
    bool lost;        /* ... and cannot be */
};

struct sym_span {
    uint64_t lo, hi; /* addresses; hi is exclusive */
    uint32_t unit;
};

struct sym_units {
    VEC(struct sym_unit) units;
    VEC(struct sym_span) spans; /* in order of lo */
    size_t max_spans; /* units may share lists of ranges: by file size */
    bool damaged;     /* some were left out */
};

/*
 * All units with code, of a file of `size` bytes.  False when the system
 * fails.
 */
bool sym_units_read(struct sym_units *u, Dwarf *dwarf, uint64_t size,
                    struct err *err);

/*
 * Opens the .dwo file of a unit that is split, of a file in `dir`; there may
 * be thousands of them, of which few are needed.
 */
bool sym_unit_complete(struct sym_units *u, struct sym_unit *unit,
                       const char *dir, struct err *err);
void sym_units_free(struct sym_units *u);

/* The unit that covers the address, or UINT32_MAX. */
uint32_t sym_units_find(const struct sym_units *u, uint64_t vaddr);

#endif
