/*
 * symbol.h - addresses to functions, files, lines and inlined frames
 *
 * Works offline on local ELF files through elfutils: DWARF where there is
 * some, else the symbol tables.  Nothing is fetched and nothing is run.
 *
 * For each mapping of a profile the binary is looked for under each
 * directory DIR of opts.path, then at the mapping's own file name.  With
 * BUILDID the mapping's build id (XX its first two digits, REST the others),
 * FILE its file name, BASE and PARENT the last part of that and what is
 * before it:
 *
 *      DIR/BUILDID/BASE  DIR/BUILDID/ * (any file)  DIR/FILE/BUILDID
 *      DIR/XX/REST.debug  DIR/.build-id/XX/REST.debug
 *      DIR/BASE  DIR/FILE  DIR/FILE.debug  DIR/PARENT/.debug/BASE.debug
 *      DIR/usr/lib/debug/PARENT/BASE.debug
 *
 * which are the places where pprof looks (PPROF_BINARY_PATH in
 * https://github.com/google/pprof/blob/main/doc/README.md).  A file whose
 * build id is not the mapping's is refused.  Where the binary was stripped,
 * its debug file is looked for by build id and by .gnu_debuglink (whose
 * checksum must match), in the same directories and in /usr/lib/debug, as
 * gdb does:
 * https://sourceware.org/gdb/current/onlinedocs/gdb/Separate-Debug-Files.html
 *
 * A location that already has lines is left as it is unless opts.force; one
 * that cannot be resolved stays as it is in any case.  The lines of a
 * location run from the innermost inlined function to the one that was
 * called; the file name of a function is that of its line, so that file and
 * line belong together.
 *
 * Each file without whose symbols 1 % of the samples or more lack names is a
 * warning that says why and what to do; the four largest shares have a line
 * each.  Any other is a note, and so are mappings that have no file ([vdso],
 * //anon and the like).
 */
#ifndef PROFUTILS_SYMBOL_SYMBOL_H
#define PROFUTILS_SYMBOL_SYMBOL_H

#include "profile/profile.h"
#include "symbol/demangle.h"

/*
 * Binaries that stay open from one profile to the next, with what was read of
 * them: the last few that were needed.  For one thread, and for one value of
 * sym_opts.path.
 */
struct sym_cache;
struct sym_cache *sym_cache_new(struct err *err); /* null: no memory */
void sym_cache_free(struct sym_cache *cache);     /* null is allowed */

struct sym_opts {
    struct sym_cache *cache; /* null: none */
    const char *path;        /* colon-separated directories; null: none */
    const char *binary;      /* for the main mapping, whatever its name; null */
    const char *binary_at;   /* where that can be read; null: where it says */
    enum sym_demangle demangle;
    unsigned threads;  /* more than 1: binaries are read ahead */
    bool force;        /* also locations that have lines */
    bool symtab_only;  /* no DWARF: names from the symbol tables */
    bool no_inlines;   /* only the outermost line of each location */
    bool names_follow; /* the caller names what no symbol of a binary has */
};

/*
 * Symbolizes *p in place: sets the lines of locations and the has_ flags of
 * mappings, adds functions.  opts.binary becomes the file name of the first
 * mapping (made if there is none, for addresses as the linker set them).
 * Missing binaries are notes, not failures; false means that memory is out,
 * the profile full, or that names come to more than 64 MiB, and 4 KiB for each
 * location (ERR_INPUT).
 */
bool sym_profile(struct profile *p, const struct sym_opts *opts,
                 const struct notes *notes, struct err *err);

/*
 * Whether it is a name that the kernel or a runtime gives to memory without a
 * file, or that of a device: "[vdso]", "//anon", "/dev/dri/card0".  What is in
 * /dev/shm are files, and "[" is a program.
 */
bool sym_has_no_file(const char *file);

/*
 * Gives each mapping that has a file name and no build id that of the ELF
 * file with this name, as it is now.  Files that cannot be read or have none
 * are mentioned as information.
 */
bool sym_read_build_ids(struct profile *p, const struct notes *notes,
                        struct err *err);

#endif
