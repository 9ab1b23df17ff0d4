/*
 * replay.c - the inputs that are kept, given to a fuzz target one by one
 *
 *      fuzz_NAME [FILE...]
 *      fuzz_NAME --sweep=FORM[:EVERY[:FIRST]] [--into=DIR] [--memory=GIB]
 *                FILE...
 *
 * Without operands the files are those of tests/fuzz/seeds/NAME and
 * tests/fuzz/cases/NAME, and each is cut at some places, too.  Prints TAP.  A
 * target that fails aborts; the line before the last says on which file.
 *
 * With --sweep the target is given what differs from the files in one number
 * (sweep.h), or every so manieth of these; with --into they are written to DIR
 * instead.  A case may take ten seconds and a GiB (--memory); those that fail
 * are told by number, which as FIRST begins there.
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "fuzz.h"
#include "sweep.h"

enum { CUTS = 24 };

static VEC(char *) files;

static _Noreturn void die(const char *what)
{
    (void)fprintf(stderr, "%s: %s\n", what, strerror(errno));
    exit(4);
}

static void add(const char *name)
{
    char *copy = strdup(name);
    if (!copy || !vec_push(&files, copy)) {
        free(copy);
        die(name);
    }
}

static int is_file(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static void add_all(const char *dir, const char *target)
{
    char path[4096];
    struct dirent **entries;
    (void)snprintf(path, sizeof path, "tests/fuzz/%s/%s", dir, target);
    int n = scandir(path, &entries, is_file, alphasort);
    /* Not every target has failed yet. */
    if (n < 0 && errno == ENOENT && strcmp(dir, "cases") == 0)
        return;
    if (n < 0)
        die(path);
    for (int i = 0; i < n; i++) {
        (void)snprintf(path, sizeof path, "tests/fuzz/%s/%s/%s", dir, target,
                       entries[i]->d_name);
        add(path);
        free(entries[i]);
    }
    free(entries);
}

static void give(const uint8_t *bytes, size_t n, const char *name)
{
    /* Of its own size, so that a sanitizer sees its end. */
    uint8_t *data = malloc(n ? n : 1);
    if (!data)
        die(name);
    if (n)
        memcpy(data, bytes, n);
    (void)LLVMFuzzerTestOneInput(data, n);
    free(data);
}

static void replay(const char *name, size_t n_cuts)
{
    struct buf bytes = {0};
    if (!fuzz_read(name, &bytes))
        die(name);
    give(bytes.v, bytes.n, name);
    for (size_t i = 0; i < n_cuts; i++)
        give(bytes.v, bytes.n * i / n_cuts, name);
    buf_free(&bytes);
}

int main(int argc, char **argv)
{
    if (argc > 1 && strncmp(argv[1], "--sweep", 7) == 0)
        return sweep_main(argc, argv);

    const char *base = strrchr(argv[0], '/');
    const char *target = base ? base + 1 : argv[0];
    if (strncmp(target, "fuzz_", 5) == 0)
        target += 5;
    for (int i = 1; i < argc; i++)
        add(argv[i]);
    if (argc < 2) {
        add_all("seeds", target);
        add_all("cases", target);
    }
    printf("1..%zu\n", files.n);
    for (size_t i = 0; i < files.n; i++) {
        printf("# %s\n", files.v[i]);
        (void)fflush(stdout);
        replay(files.v[i], argc < 2 ? CUTS : 0);
        printf("ok %zu - %s\n", i + 1, files.v[i]);
        (void)fflush(stdout);
        free(files.v[i]);
    }
    vec_free(&files);
    return 0;
}
