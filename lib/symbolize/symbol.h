/*
 * symbol.h - symbolizes profiles: finds functions, files, lines and inlined
 *            frames for addresses
 *
 * Reads only local ELF files, with elfutils: DWARF if there is any, else the
 * symbol tables.  It downloads nothing and runs no program.
 *
 * The binary of a mapping is searched for in each directory DIR of opts.path,
 * then at the mapping's own file name.  The names tried in DIR are as follows,
 * where BUILDID is the mapping's build id (XX: its first two digits, REST: the
 * others), FILE its file name, BASE the last component of FILE and PARENT what
 * precedes it:
 *
 *      DIR/BUILDID/BASE  DIR/BUILDID/ * (any file)  DIR/FILE/BUILDID
 *      DIR/XX/REST.debug  DIR/.build-id/XX/REST.debug
 *      DIR/.build-id/XX/REST/elf (or debug, vdso)  DIR/.build-id/XX/REST
 *      DIR/BASE  DIR/FILE  DIR/FILE.debug  DIR/PARENT/.debug/BASE.debug
 *      DIR/usr/lib/debug/PARENT/BASE.debug
 *
 * pprof searches the same places (PPROF_BINARY_PATH in
 * https://github.com/google/pprof/blob/main/doc/README.md).  A file with
 * another build id than the mapping's is refused.  For a stripped binary, a
 * debug file is searched for by build id and by .gnu_debuglink (its checksum
 * must match), in the same directories and in /usr/lib/debug, as gdb does:
 * https://sourceware.org/gdb/current/onlinedocs/gdb/Separate-Debug-Files.html
 *
 * The files in REST are those of perf's build-id cache.  These mappings have no
 * ELF file:
 *
 *   file name                start   symbols
 *   [kernel.kallsyms]_text   any     kallsyms with the mapping's build id, in a
 *                                    build-id cache DIR, or of the running
 *                                    kernel, or else opts.kallsyms; the offset
 *                                    is the address of _text
 *   [NAME], NAME.ko          kernel  the kallsyms of the profile's kernel
 *   NAME (bpf_prog_...)      kernel  none: NAME is the function
 *   /tmp/perf-PID.map        any     DIR/perf-PID.map, or that file
 *   [vdso]                   any     by build id in DIR, or of this process
 *
 * Locations
 *   - A location that has lines is unchanged, unless opts.force is set, or
 *     opts.only selects it and there is debug information.
 *   - A location for which nothing is found is unchanged.
 *   - Lines are in order from the innermost inlined function to the function
 *     that was called.
 *   - The file name of a function is the file of its line, so that file and
 *     line belong together.
 *
 * Heap profiles
 *   - Leaf frames in the library of an allocator are dropped from stacks
 *     (prof_prune_allocators()).
 *
 * Missing files
 *   - If 1 % of the samples or more lack names because of a file, a warning
 *     says why and what to do.  The four with the largest shares have a line
 *     each.
 *   - For other files, and for other mappings without a file (//anon), there
 *     is a note.
 *
 * Replaced files
 *   - A file that was found at the mapping's own file name, without a build ID
 *     to compare, is a loss if opts.recorded says that it is another one, or if
 *     it was modified after opts.made.  Its names are used.
 *   - opts.binary is only a warning then: a copy may have a new time.
 */
#ifndef PROFUTILS_SYMBOLIZE_SYMBOL_H
#define PROFUTILS_SYMBOLIZE_SYMBOL_H

#include "base/library.h"
#include "base/vec.h"
#include "profile.h"
#include "symbolize/demangle.h"

/*
 * elfutils, for cli_spec.libraries; it is loaded when the first binary is
 * opened.  A build without it (sym_library.lacking) reads no binaries:
 * functions that need one fail, and sym_profile() without opts.binary warns of
 * addresses that have no names.
 */
extern const struct library_about sym_library;

/*
 * Keeps the last few binaries open from one profile to the next, with all that
 * was read from them; one with a file of 16 MiB or more only until the next but
 * one is opened.  For one thread, and for one value of sym_opts.path.
 */
struct sym_cache;
struct sym_cache *sym_cache_new(struct prof_err *err); /* null: no memory */
void sym_cache_free(struct sym_cache *cache);          /* null is allowed */

/* Identifies the file of a mapping at the time of the recording. */
struct sym_recorded {
    uint64_t inode; /* 0: unknown */
    uint32_t major, minor;
};

/*
 * Discriminators tell apart code on the same line.  Compilers need them to
 * match samples with instructions, and profile.proto cannot hold them.  A line
 * that is not in the table has discriminator 0.
 *
 * With a table, a function without a linkage name has the name that compilers
 * know, without the namespace or type that it is in.
 */
struct sym_discriminator {
    uint64_t place; /* SYM_PLACE(location, index in its lines) */
    uint32_t value; /* as in the debug information */
    uint32_t gcc;   /* version of the compiler; 0: it was not gcc */
    bool by_flow;   /* LLVM's option -enable-fs-discriminator was in effect */
};
#define SYM_PLACE(location, line) ((uint64_t)(location) << 32 | (line))

/* Zero-initialise; vec_free(&table->v) frees it. */
struct sym_discriminators {
    VEC(struct sym_discriminator) v; /* sorted by place */
};

struct sym_opts {
    struct sym_cache *cache; /* null: none */
    const char *path;        /* colon-separated directories; null: none */
    const char *binary;      /* new file name of the main mapping; null: keep */
    uint32_t main;           /* index of that mapping */
    const char *binary_at;   /* file to read for it; null: `binary` itself */
    const char *kallsyms;    /* for kernels that are not found; null: none */
    const char *vmlinux;     /* ELF file of the kernel; null: none */
    int64_t made; /* end of the profile's time, in seconds since 1970; 0: that
                     of its header, if it has one */
    const struct sym_recorded *recorded; /* by mapping: its file; only if the
                                            profile was recorded on this host */
    size_t n_recorded;
    const bool *only; /* by location: whether to symbolize it; null: all */
    struct sym_discriminators *discriminators; /* gets discriminators; null:
                                                  none.  Not with no_inlines */
    enum sym_demangle demangle;
    unsigned threads;  /* more than 1: they read binaries in advance */
    bool force;        /* replace lines that locations have */
    bool symtab_only;  /* no DWARF: names from the symbol tables */
    bool no_inlines;   /* only the outermost line of each location */
    bool names_follow; /* the caller adds names later: no warnings of missing
                          ones */
};

/*
 * Symbolizes *p in place: sets the lines of locations and the has_ flags of
 * mappings, adds functions.  opts.binary becomes the file name of the mapping
 * opts.main; if there are no mappings, one is added for addresses that the
 * linker assigned.  opts.vmlinux becomes the file name of mappings of a kernel;
 * their start and offset become the address of its first code.
 *
 * Missing binaries are notes.  PROF_ERR_INPUT when the profile has too many
 * functions or strings, or when new names exceed 64 MiB plus 4 KiB per
 * location.
 */
bool sym_profile(struct profile *p, const struct sym_opts *opts,
                 const struct prof_notes *notes, struct prof_err *err);

/*
 * Returns a profile without samples, which the caller frees: it has a location
 * for each address of a binary where a source line or a symbol begins, with
 * functions, lines and inlined frames.  For a Go program without symbols, uses
 * the names in its runtime tables.  PROF_ERR_INPUT if there is no such file, or
 * it is not a program.  Ignores opts.cache, binary and force.
 */
struct profile *sym_places(const char *binary, const struct sym_opts *opts,
                           struct prof_err *err);

/*
 * Whether a mapping's file name is that of a device ("/dev/dri/card0"), or one
 * that the kernel or a runtime gives to memory without a file ("[vdso]",
 * "//anon").  False for files in /dev/shm, and for the program "[".
 */
bool sym_has_no_file(const char *file);

/*
 * Sets the build ID of each mapping that has a file name and no build ID to
 * that of the ELF file with this name.  Warns, and skips it, if the file was
 * modified after `made` (as in struct sym_opts).  Files that are missing,
 * refused or without a build ID are notes; failures of the system are errors.
 */
bool sym_read_build_ids(struct profile *p, int64_t made,
                        const struct prof_notes *notes, struct prof_err *err);

#endif
