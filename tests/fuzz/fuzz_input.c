/*
 * Inputs of every kind: plain, compressed, archives.  What comes from a file
 * comes from a pipe as well.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "fuzz.h"
#include "io/input.h"

enum {
    PART_MAX = 1 << 16,
    PIPE_MAX = 1 << 16, /* what a pipe holds without a reader */
    /* More parts than bytes are none. */
    PARTS_MAX = 1 << 16,
};

struct seen {
    uint64_t hash;
    size_t parts, failed, damaged;
    bool opened;
};

static uint64_t add(uint64_t hash, const void *bytes, size_t n)
{
    return XXH3_64bits_withSeed(n ? bytes : "", n, hash);
}

static void see(struct seen *seen, const struct input_part *part,
                const struct input_opts *opts)
{
    const char *entry = part->entry ? part->entry : "";
    FUZZ_CHECK(part->n <= PART_MAX);
    FUZZ_CHECK(!part->irregular || part->n == 0);
    FUZZ_CHECK(!part->damage || (opts->salvage && part->last_member));
    FUZZ_CHECK(!part->rest || (part->damage && !part->entry && !part->n));
    seen->damaged += part->damage != NULL;
    seen->hash = add(seen->hash, part->data, part->n);
    seen->hash = add(seen->hash, entry, strlen(entry));
    seen->hash = add(seen->hash, &part->member, sizeof part->member);
}

static struct seen walk(const char *path, const struct input_opts *opts)
{
    struct seen seen = {0};
    struct input *in;
    struct prof_err err = {0};
    seen.opened = input_open(&in, path, opts, &fuzz_notes, &err);
    if (!seen.opened) {
        FUZZ_CHECK(!in);
        fuzz_refused(&err);
        return seen;
    }
    for (int got = 1; got; seen.parts++) {
        struct input_part part = {0};
        FUZZ_CHECK(seen.parts < PARTS_MAX);
        got = input_next(in, &part, &err);
        if (got > 0) {
            see(&seen, &part, opts);
        } else if (got < 0) {
            fuzz_refused(&err);
            seen.failed++;
        }
    }
    input_close(in);
    return seen;
}

static struct seen walk_pipe(const uint8_t *data, size_t n,
                             const struct input_opts *opts)
{
    int fd[2];
    char path[32];
    FUZZ_CHECK(pipe(fd) == 0);
    FUZZ_CHECK(write(fd[1], data, n) == (ssize_t)n);
    FUZZ_CHECK(close(fd[1]) == 0);
    (void)snprintf(path, sizeof path, "/proc/self/fd/%d", fd[0]);
    struct seen seen = walk(path, opts);
    FUZZ_CHECK(close(fd[0]) == 0);
    return seen;
}

/* What is sound comes as without the option, and all else as far as it can. */
static void walk_salvaging(struct input_opts opts, const struct seen *file)
{
    opts.salvage = true;
    struct seen salvaged = walk(fuzz_path(), &opts);
    FUZZ_CHECK(salvaged.opened || !file->opened);
    FUZZ_CHECK(salvaged.damaged || salvaged.hash == file->hash);
    FUZZ_CHECK(!salvaged.damaged || file->failed || !file->opened);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    unsigned c = fuzz_choice(data, n);
    const struct input_opts opts = {
        .max_size = PART_MAX,
        .join_members = c & 1,
        .no_archives = (c & 6) == 6,
        .all_entries = c & 8,
    };
    fuzz_file(data, n);
    struct seen file = walk(fuzz_path(), &opts);
    walk_salvaging(opts, &file);
    if (n > PIPE_MAX)
        return 0;
    struct seen pipe = walk_pipe(data, n, &opts);
    FUZZ_CHECK(file.opened == pipe.opened && file.parts == pipe.parts);
    FUZZ_CHECK(file.failed == pipe.failed && file.hash == pipe.hash);
    return 0;
}
