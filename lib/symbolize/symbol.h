/*
 * symbol.h - addresses to functions, files, lines and inlined frames
 *
 * Uses local ELF files only, through elfutils: DWARF if there is any, else the
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
 *   [NAME], NAME.ko          kernel  those of the profile's kernel
 *   NAME (bpf_prog_...)      kernel  NAME is the function
 *   /tmp/perf-PID.map        any     DIR/perf-PID.map, or that file
 *   [vdso]                   any     by build id in DIR, or of this process
 *
 * Locations
 *   - One that has lines is unchanged, unless opts.force is set, or opts.only
 *     names it and there is debug information.
 *   - One that cannot be resolved is always unchanged.
 *   - Its lines run from the innermost inlined function to the function that
 *     was called.
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
 * elfutils, which is loaded when the first binary is opened.  In a build
 * without it (sym_library.lacking), no binary is read: what reads one fails,
 * and sym_profile() without opts.binary warns of addresses that have no names.
 */
extern const struct library_about sym_library;

/*
 * Keeps the last few binaries open from one profile to the next, with what was
 * read of them.  For one thread, and for one value of sym_opts.path.
 */
struct sym_cache;
struct sym_cache *sym_cache_new(struct prof_err *err); /* null: no memory */
void sym_cache_free(struct sym_cache *cache);          /* null is allowed */

/* The file of a mapping when it was recorded. */
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
    VEC(struct sym_discriminator) v; /* by place */
};

struct sym_opts {
    struct sym_cache *cache; /* null: none */
    const char *path;        /* colon-separated directories; null: none */
    const char *binary;      /* replaces the name of the main mapping; null */
    uint32_t main;           /* index of that mapping */
    const char *binary_at;   /* file to read for it; null: `binary` itself */
    const char *kallsyms;    /* of kernels that are not found; null: none */
    const char *vmlinux;     /* ELF file of the kernel; null: none */
    int64_t made; /* end of the profile's time, in seconds since 1970; 0: that
                     of its header, if it has one */
    const struct sym_recorded *recorded; /* by mapping; of this host */
    size_t n_recorded;
    const bool *only; /* by location: symbolize these and no others; null */
    struct sym_discriminators *discriminators; /* appends to it; null: none.
                                                  Not with no_inlines */
    enum sym_demangle demangle;
    unsigned threads;  /* more than 1: binaries are read ahead */
    bool force;        /* replace lines that locations have */
    bool symtab_only;  /* no DWARF: names from the symbol tables */
    bool no_inlines;   /* only the outermost line of each location */
    bool names_follow; /* no warnings of missing names: the caller adds them */
};

/*
 * Symbolizes *p in place: sets the lines of locations and the has_ flags of
 * mappings, adds functions.  opts.binary becomes the file name of
 * opts.main (made if there is none, for addresses as the linker set them).
 * opts.vmlinux becomes that of mappings of a kernel, whose start and offset
 * become the address of its first code.
 *
 * Missing binaries are notes.  Fails when memory is out, when the profile is
 * full, and when new names exceed 64 MiB plus 4 KiB per location
 * (PROF_ERR_INPUT).
 */
bool sym_profile(struct profile *p, const struct sym_opts *opts,
                 const struct prof_notes *notes, struct prof_err *err);

/*
 * A profile without samples, whose locations are all code of a binary that
 * begins a line or is a symbol, with functions, lines and inlined frames; of
 * a program of Go without symbols, the names that its runtime has.  The caller
 * frees it.  PROF_ERR_INPUT if there is no such file, or it is not a program;
 * opts.cache, binary and force are ignored.
 */
struct profile *sym_places(const char *binary, const struct sym_opts *opts,
                           struct prof_err *err);

/*
 * Whether a mapping's file name is that of a device, or one that the kernel or
 * a runtime gives to memory without a file: "[vdso]", "//anon",
 * "/dev/dri/card0".  (/dev/shm has files, and "[" is a program.)
 */
bool sym_has_no_file(const char *file);

/*
 * Sets the build ID of each mapping that has a file name and no build ID, from
 * the ELF file of this name as it is now, unless it was modified after `made`
 * (as in struct sym_opts), which is a warning.  Files that are missing, refused
 * or have no build ID are notes; failures of the system are errors.
 */
bool sym_read_build_ids(struct profile *p, int64_t made,
                        const struct prof_notes *notes, struct prof_err *err);

#endif
