/*
 * replay.c - the inputs that are kept, given to a fuzz target one by one
 *
 *      fuzz_NAME [FILE...]
 *
 * Without operands the files are those of tests/fuzz/seeds/NAME and
 * tests/fuzz/cases/NAME.  Prints TAP.  A target that fails aborts; the line
 * before the last says on which file.
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/vec.h"
#include "fuzz.h"

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

static void read_all(const char *name, struct buf *bytes)
{
    FILE *f = fopen(name, "rb");
    char part[4096];
    if (!f)
        die(name);
    for (size_t n; (n = fread(part, 1, sizeof part, f)) > 0;)
        if (!buf_put(bytes, part, n))
            die(name);
    if (ferror(f))
        die(name);
    (void)fclose(f);
}

static void replay(const char *name)
{
    struct buf bytes = {0};
    read_all(name, &bytes);
    /* Of its own size, so that a sanitizer sees its end. */
    uint8_t *data = malloc(bytes.n ? bytes.n : 1);
    if (!data)
        die(name);
    if (bytes.n)
        memcpy(data, bytes.v, bytes.n);
    (void)LLVMFuzzerTestOneInput(data, bytes.n);
    free(data);
    buf_free(&bytes);
}

int main(int argc, char **argv)
{
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
        replay(files.v[i]);
        printf("ok %zu - %s\n", i + 1, files.v[i]);
        (void)fflush(stdout);
        free(files.v[i]);
    }
    vec_free(&files);
    return 0;
}
