/*
 * symbol_options.h - the options of symbolization, for all tools that do it
 *
 * A tool puts the rows into its own table and offers each option to
 * cli_take_symbols() before it looks itself:
 *
 *      static const struct cli_option options[] = {
 *          CLI_MAIN_BINARY,
 *          CLI_SYMBOL_OPTIONS(" (default)", ""),
 *          {0},
 *      };
 *
 * Of options that exclude each other, the last one is used.
 */
#ifndef PROFUTILS_CLI_SYMBOL_OPTIONS_H
#define PROFUTILS_CLI_SYMBOL_OPTIONS_H

#include "cli/convert.h"
#include "symbolize/symbol.h"

/* Keys of the options; above those that tools give to their own. */
enum cli_symbol_key {
    CLI_SYMBOL_PATH = 0x9000,
    CLI_SYMBOL_DEMANGLE,
    CLI_SYMBOL_INLINES,
    CLI_SYMBOL_NO_INLINES,
    CLI_SYMBOL_SYMTAB_ONLY,
    CLI_SYMBOL_KALLSYMS,
    CLI_SYMBOL_VMLINUX,
    CLI_SYMBOL_NONE,
    CLI_SYMBOL_BINARY = 'e',
};

struct cli_symbols {
    const char *binary; /* value of -e; null: not given */
    const char *path;   /* value of --path; null: not given */
    enum sym_demangle demangle;
    bool has_demangle;        /* --demangle was given */
    bool inlines, no_inlines; /* the option was given; neither: the tool's
                                 default */
    bool symtab_only, no_symbols;
    const char *kallsyms, *vmlinux; /* values of these options, or null */
};

#define CLI_DEMANGLE_MODES "default|templates|full|none" /* as sym_demangle */

/* clang-format off */
#define CLI_BINARY_OPTION(help)                                                \
    {"executable", CLI_SYMBOL_BINARY, "FILE", help},                           \
    {"binary", CLI_SYMBOL_BINARY, "FILE", NULL}
#define CLI_MAIN_BINARY                                                        \
    CLI_BINARY_OPTION("read the program's symbols from FILE")
#define CLI_BINARY_PATH                                                        \
    {"path", CLI_SYMBOL_PATH, "DIRS",                                          \
     "search DIRS for binaries before PPROF_BINARY_PATH"}
#define CLI_SYMBOL_OPTIONS(after_inlines, after_no_inlines)                    \
    CLI_BINARY_PATH,                                                           \
    {"demangle", CLI_SYMBOL_DEMANGLE, CLI_DEMANGLE_MODES,                      \
     "set how to demangle C++ and Rust names"},                                \
    {"inlines", CLI_SYMBOL_INLINES, NULL,                                      \
     "show inlined functions" after_inlines},                                  \
    {"no-inlines", CLI_SYMBOL_NO_INLINES, NULL,                                \
     "omit inlined functions" after_no_inlines},                               \
    {"noinlines", CLI_SYMBOL_NO_INLINES, NULL, NULL}
/* For tools that otherwise add files and lines. */
#define CLI_SYMTAB_ONLY                                                        \
    {"symtab-only", CLI_SYMBOL_SYMTAB_ONLY, NULL,                              \
     "read only symbol tables: no files, no lines"}
#define CLI_NO_SYMBOLS                                                         \
    {"no-symbols", CLI_SYMBOL_NONE, NULL, "do not symbolize addresses"}
/* For tools whose profiles may have a kernel. */
#define CLI_KERNEL_OPTIONS                                                     \
    {"kallsyms", CLI_SYMBOL_KALLSYMS, "FILE",                                  \
     "use FILE as /proc/kallsyms of the recorded kernel"},                     \
    {"vmlinux", CLI_SYMBOL_VMLINUX, "FILE",                                    \
     "use FILE as the binary of the recorded kernel"}
/* clang-format on */

/*
 * If the key is one of these, stores the value in *symbols; if the value is
 * invalid, sets *ok to false, and *err.  Returns whether it is one of these.
 */
bool cli_take_symbols(struct cli_symbols *symbols, int key, const char *value,
                      bool *ok, struct prof_err *err);

/*
 * Sets *path to a list of the directories in which to search binaries
 * (sym_opts.path; "" if there are none), which the caller frees.  As in pprof,
 * these are: `more` (null: none); those in the environment variable
 * PPROF_BINARY_PATH, or, if that is not set or empty, $HOME/pprof/binaries; and
 * perf's build-id cache, $HOME/.debug.  Directories of $HOME are omitted if
 * they do not exist.
 */
bool cli_binary_path(const char *more, char **path, struct prof_err *err);

/*
 * Sets the members of *opts for these options, path and threads.  With
 * keep_open, adds a cache, so that binaries stay open from one profile to the
 * next.  False: a failure was reported.  cli_symbols_end() frees the path and
 * the cache.
 */
bool cli_symbols_begin(struct cli *cli, const struct cli_symbols *symbols,
                       bool keep_open, struct sym_opts *opts);
void cli_symbols_end(struct sym_opts *opts);

#endif
