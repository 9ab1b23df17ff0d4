/*
 * names.h - functions of a profile, one for each name, file and start line
 *
 * Each linkage name is demangled once, however many functions, units and
 * binaries it is met in.
 */
#ifndef PROFUTILS_SYMBOL_NAMES_H
#define PROFUTILS_SYMBOL_NAMES_H

#include "base/hash.h"
#include "base/vec.h"
#include "symbol/symbol.h"
#include "symbol/symtab.h"

/* What a function is called; string ids. */
struct sym_name {
    uint32_t name, system_name;
    int64_t start_line;
};

struct sym_names {
    struct profile *p;
    enum sym_demangle how;
    uint64_t room;             /* bytes that new names may have */
    VEC(struct sym_name) seen; /* raw names; start_line is 0 */
    struct hashidx seen_index;
    struct hashidx functions; /* rows of p->functions that were added here */
};

void sym_names_init(struct sym_names *names, struct profile *p,
                    enum sym_demangle how);
void sym_names_free(struct sym_names *names);

/*
 * Interns a text that binaries have given.  ERR_INPUT when all that were new
 * come to more than 64 MiB, and 4 KiB for each location of the profile: names
 * can be parts of each other, and stand for far longer ones.
 */
bool sym_names_string(struct sym_names *names, const char *s, size_t n,
                      uint32_t *id, struct err *err);

/* Sets both names from n bytes of a linkage name, or of a plain one. */
bool sym_names_set(struct sym_names *names, const char *raw, size_t n,
                   struct sym_name *name, struct err *err);

/* The same from a symbol, without its version; start_line becomes 0. */
bool sym_names_symbol(struct sym_names *names, const struct sym_symbol *s,
                      struct sym_name *name, struct err *err);

/* The function of this name and file (a string id), added if it is new. */
bool sym_names_function(struct sym_names *names, const struct sym_name *name,
                        uint32_t file, uint32_t *function, struct err *err);

#endif
