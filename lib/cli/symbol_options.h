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
 * Of options that exclude each other the last counts.
 */
#ifndef PROFUTILS_CLI_SYMBOL_OPTIONS_H
#define PROFUTILS_CLI_SYMBOL_OPTIONS_H

#include "cli/convert.h"
#include "symbolize/symbol.h"

/* Far from the keys that tools give their own options. */
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
    const char *binary; /* of -e; null: not given */
    const char *path;   /* of --path; null: not given */
    enum sym_demangle demangle;
    bool has_demangle;        /* it was asked for */
    bool inlines, no_inlines; /* as asked for; neither: the tool's default */
    bool symtab_only, no_symbols;
    const char *kallsyms, *vmlinux; /* of these options, or null */
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
 * True when the key is one of these; *ok is false, with *err set, when the
 * value is bad.
 */
bool cli_take_symbols(struct cli_symbols *symbols, int key, const char *value,
                      bool *ok, struct prof_err *err);

/*
 * The directories to search for binaries, as pprof does: `more` (null: none),
 * then those in the environment variable PPROF_BINARY_PATH, separated by
 * colons, or $HOME/pprof/binaries where it is not set or empty, then perf's
 * build-id cache, $HOME/.debug.  Directories of $HOME that do not exist are
 * omitted.  *path is a list for sym_opts.path, "" if there are none; the caller
 * frees it.
 */
bool cli_binary_path(const char *more, char **path, struct prof_err *err);

/*
 * Sets the members of *opts that these options name, path and threads, and with
 * keep_open a cache of binaries, which then stay open from one profile to the
 * next.  False: a failure was reported.  cli_symbols_end() frees both.
 */
bool cli_symbols_begin(struct cli *cli, const struct cli_symbols *symbols,
                       bool keep_open, struct sym_opts *opts);
void cli_symbols_end(struct sym_opts *opts);

#endif
