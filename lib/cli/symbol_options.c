/* symbol_options.c - parses options of tools that add symbols */
#include "cli/symbol_options.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/buf.h"

bool cli_take_symbols(struct cli_symbols *symbols, int key, const char *value,
                      bool *ok, struct prof_err *err)
{
    const struct cli_place places[] = {
        {CLI_SYMBOL_BINARY, &symbols->binary, NULL},
        {CLI_SYMBOL_PATH, &symbols->path, NULL},
        {CLI_SYMBOL_KALLSYMS, &symbols->kallsyms, NULL},
        {CLI_SYMBOL_VMLINUX, &symbols->vmlinux, NULL},
        {CLI_SYMBOL_NONE, NULL, &symbols->no_symbols},
        {CLI_SYMBOL_SYMTAB_ONLY, NULL, &symbols->symtab_only},
    };
    size_t i;
    *ok = true;
    switch (key) {
    case CLI_SYMBOL_DEMANGLE:
        *ok = cli_parse_word(CLI_DEMANGLE_MODES, value, &i, err);
        if (*ok)
            symbols->demangle = (enum sym_demangle)i;
        symbols->has_demangle = true;
        return true;
    case CLI_SYMBOL_INLINES:
    case CLI_SYMBOL_NO_INLINES:
        symbols->inlines = key == CLI_SYMBOL_INLINES;
        symbols->no_inlines = !symbols->inlines;
        return true;
    default:
        return cli_store(places, sizeof places / sizeof *places, key, value);
    }
}

/* Appends dir/below to a list; nothing if `dir` is null or "". */
static bool put_dir(struct buf *b, const char *dir, const char *below)
{
    return !dir || !*dir ||
           buf_printf(b, "%s%s%s", b->n ? ":" : "", dir, below);
}

/*
 * Like put_dir(), but only if the directory exists: few users have it, and each
 * file would be searched for under ten names there.
 */
static bool put_home_dir(struct buf *b, const char *home, const char *below)
{
    struct stat st;
    struct buf dir = {0};
    bool ok = put_dir(&dir, home, below) && buf_putc(&dir, 0);
    if (ok && (stat((const char *)dir.v, &st) == 0 ||
               (errno != ENOENT && errno != ENOTDIR)))
        ok = put_dir(b, (const char *)dir.v, "");
    buf_free(&dir);
    return ok;
}

bool cli_binary_path(const char *more, char **path, struct prof_err *err)
{
    const char *set = getenv("PPROF_BINARY_PATH"), *home = getenv("HOME");
    struct buf b = {0};
    bool ok = put_dir(&b, more, "");
    *path = NULL;
    ok = ok && (set && *set ? put_dir(&b, set, "")
                            : put_home_dir(&b, home, "/pprof/binaries"));
    if (!ok || !put_home_dir(&b, home, "/.debug") || !buf_putc(&b, 0)) {
        buf_free(&b);
        return err_nomem(err);
    }
    *path = (char *)b.v;
    return true;
}

bool cli_symbols_begin(struct cli *cli, const struct cli_symbols *symbols,
                       bool keep_open, struct sym_opts *opts)
{
    struct prof_err err;
    char *path = NULL;
    opts->threads = cli->threads;
    opts->demangle = symbols->demangle;
    opts->no_inlines = symbols->no_inlines;
    opts->symtab_only = symbols->symtab_only;
    opts->kallsyms = symbols->kallsyms;
    opts->vmlinux = symbols->vmlinux;
    bool ok = cli_keeps_file(cli, "--executable", symbols->binary, &err) &&
              cli_binary_path(symbols->path, &path, &err);
    opts->path = path;
    if (ok && (!keep_open || (opts->cache = sym_cache_new(&err))))
        return true;
    cli_error(cli, NULL, &err);
    cli_symbols_end(opts);
    return false;
}

void cli_symbols_end(struct sym_opts *opts)
{
    sym_cache_free(opts->cache);
    free((char *)opts->path);
    opts->cache = NULL;
    opts->path = NULL;
}
