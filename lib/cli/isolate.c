/* isolate.c - drops the rights that a tool does not need */
#include "cli/isolate.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/tempfile.h"
#include "base/vec.h"
#include "cli/private.h"
#include "cli/signals.h"
#include "io/output.h"
#include "io/sandbox.h"

enum {
    /* With more inputs, all files may be read: a Landlock rule takes 5 us. */
    MAX_RULES = 256,
};

/*
 * Sanitizers need rights that the sandbox drops: they read /proc, start a
 * tracer and a symbolizer, and write reports.
 */
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
#define SANITIZED true
#elif defined __has_feature
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) ||     \
    __has_feature(memory_sanitizer)
#define SANITIZED true
#endif
#endif
#ifndef SANITIZED
#define SANITIZED false
#endif

/* Rules, which own their paths; `ok` is false if one is missing. */
struct rules {
    VEC(struct landlock_rule) list;
    bool ok;
};

/* Adds a rule that allows `rights` on the path in the n bytes at `path`. */
static void allow_part(struct rules *r, const char *path, size_t n,
                       unsigned rights)
{
    struct landlock_rule rule = {strndup(path, n), rights};
    r->ok = r->ok && rule.path && vec_push(&r->list, rule);
    if (!r->ok)
        free((char *)rule.path);
}

static void allow(struct rules *r, const char *path, unsigned rights)
{
    allow_part(r, path, strlen(path), rights);
}

/* Allows reading the directories of a list separated by colons. */
static void allow_list(struct rules *r, const char *list)
{
    while (list && *list) {
        size_t n = strcspn(list, ":;");
        if (n)
            allow_part(r, list, n, LANDLOCK_READ);
        list += n + (list[n] != 0);
    }
}

/* Allows the directory of a library; others, loaded later, may be there too. */
static void allow_beside(void *ctx, const char *name)
{
    const char *slash = strrchr(name, '/');
    if (strncmp(name, "/usr/", 5) != 0 && strncmp(name, "/lib", 4) != 0)
        allow_part(ctx, name, (size_t)(slash - name) + 1, LANDLOCK_READ);
}

/* Allows what libraries that are loaded later need, and time zones. */
static void allow_system(struct rules *r)
{
    static const char *const paths[] = {
        "/usr", "/lib", "/lib64", "/nix/store", "/gnu/store", "/proc", "/sys",
    };
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        allow(r, paths[i], LANDLOCK_READ);
    allow(r, "/etc/ld.so.cache", LANDLOCK_READ_FILE);
    sandbox_libraries(allow_beside, r);
    allow_list(r, getenv("LD_LIBRARY_PATH"));
    /* Time zones. */
    const char *zone = getenv("TZ"), *zones = getenv("TZDIR");
    allow(r, "/etc/localtime", LANDLOCK_READ_FILE);
    if (zones)
        allow(r, zones, LANDLOCK_READ);
    if (zone && *zone == ':')
        zone++;
    if (zone && *zone == '/')
        allow(r, zone, LANDLOCK_READ);
}

static void allow_files(struct rules *r, const char *const *path, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(path[i], "-") != 0)
            allow(r, path[i], LANDLOCK_READ);
}

/* Allows creating the directory, its missing parents, and files in it. */
static void allow_tree(struct rules *r, const char *path)
{
    char *dir = strdup(path);
    struct stat st;
    r->ok = r->ok && dir;
    while (dir && *dir && stat(dir, &st) != 0) {
        size_t n = strlen(dir);
        while (n && dir[n - 1] == '/')
            n--;
        while (n && dir[n - 1] != '/')
            n--;
        dir[n] = 0;
    }
    if (dir)
        allow(r, *dir ? dir : ".", LANDLOCK_MAKE | LANDLOCK_MKDIR);
    free(dir);
}

/* Allows writing the output `path`; with `each`, it may be a directory. */
static void allow_output(struct rules *r, const char *path, bool each)
{
    struct stat st;
    struct prof_err err;
    if (!path || (!each && output_descriptor(path) >= 0))
        return;
    bool there = stat(path, &st) == 0;
    if (each && (there ? S_ISDIR(st.st_mode) : strchr(path, '\0')[-1] == '/')) {
        allow_tree(r, path);
    } else if (there && !S_ISREG(st.st_mode)) {
        allow(r, path, LANDLOCK_WRITE);
    } else {
        char *dir = output_directory(path, &err);
        if (dir) /* if null, opening the output reports the error later */
            allow(r, dir, LANDLOCK_MAKE);
        free(dir);
    }
}

static bool reads_all(const struct cli *cli, const struct cli_needs *needs)
{
    return needs->any_file || needs->programs ||
           cli->n_inputs + needs->n_files > MAX_RULES;
}

/* Restricts access to files.  Returns the ABI of Landlock, or 0 without it. */
static int begin_landlock(const struct cli *cli, const struct cli_needs *needs)
{
    struct rules r = {.ok = true};
    if (reads_all(cli, needs)) {
        allow(&r, "/", LANDLOCK_READ | (needs->programs ? LANDLOCK_EXEC : 0));
    } else {
        allow_system(&r);
        allow_files(&r, cli->inputs, cli->n_inputs);
        allow_files(&r, needs->files, needs->n_files);
    }
    allow(&r, "/dev/null", LANDLOCK_READ_FILE | LANDLOCK_WRITE);
    allow(&r, tempfile_directory(), LANDLOCK_MAKE | LANDLOCK_MKDIR);
    allow_output(&r, cli->output, cli->each);
    allow_output(&r, needs->writes, false);
    int abi = r.ok ? landlock_begin(r.list.v, r.list.n) : 0;
    for (size_t i = 0; i < r.list.n; i++)
        free((char *)r.list.v[i].path);
    vec_free(&r.list);
    return abi > 0 ? abi : 0;
}

void cli_isolate(struct cli *cli, const struct cli_needs *needs)
{
    const char *wish = getenv("PROFUTILS_ISOLATION");
    if (SANITIZED)
        return;
    if (wish && strcmp(wish, "off") == 0) {
        note_info(&cli->notes, "sandbox off: PROFUTILS_ISOLATION=off");
        return;
    }
    /*
     * fakeroot's library gets owners and modes from a daemon through
     * semaphores, which the sandbox denies.
     */
    if (getenv("FAKEROOTKEY")) {
        note_info(&cli->notes,
                  "sandbox off: running under fakeroot (FAKEROOTKEY)");
        return;
    }

    /*
     * Open an output with another owner now, as the sandbox denies keeping the
     * owner.  A failure is reported later.
     */
    struct prof_err err;
    const struct output_opts opts = {.path = cli->output,
                                     .if_changed = cli->if_changed,
                                     .on_temp = signals_temp};
    if (cli->output && !cli->each && output_has_other_owner(cli->output) &&
        !output_open(&cli->private->opened, &opts, &err))
        cli->private->opened = NULL;

    int abi = begin_landlock(cli, needs);
    bool seccomp = seccomp_begin(needs->programs);
    if (cli->verbose && abi)
        note_info(&cli->notes,
                  "sandbox: Landlock ABI %d (reads %s, %swrites in %s%s%s)%s",
                  abi, reads_all(cli, needs) ? "any file" : "its inputs",
                  needs->programs ? "runs programs, " : "",
                  tempfile_directory(), cli->output ? " and for " : "",
                  cli->output ? cli->output : "", seccomp ? ", seccomp" : "");
    else if (cli->verbose && seccomp)
        note_info(&cli->notes, "sandbox: seccomp");
}
