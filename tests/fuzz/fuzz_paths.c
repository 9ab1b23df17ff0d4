/*
 * File names: shortened by lists of directories, the patterns of --exe-from,
 * and names that outputs get in a directory or an archive.  Lines of the input
 * are a name and two lists, or the pattern.
 */
#include <stdlib.h>
#include <string.h>

#include "cli/find_program.h"
#include "fuzz.h"
#include "io/bundle.h"
#include "profile/columns.h"

static void expand(const char *pattern, const char *path)
{
    struct prof_err err = {0};
    struct buf to = {0};
    if (!program_pattern_check(pattern, &err)) {
        fuzz_refused(&err);
        return;
    }
    for (int is_entry = 0; is_entry < 2; is_entry++) {
        const char *why = NULL;
        int got = program_pattern_expand(pattern, path, is_entry, &to, &why);
        FUZZ_CHECK(got == 0 || got == 1);
        if (got)
            FUZZ_CHECK(to.n && !to.v[to.n - 1] && !memchr(to.v, 0, to.n - 1));
        else
            FUZZ_CHECK(why && *why);
    }
    buf_free(&to);
}

/* An entry's name says at once whether it leads out of the archive. */
static void entry(const char *name)
{
    struct buf to = {0};
    if (program_entry_name(name, &to)) {
        const char *s = (const char *)to.v;
        FUZZ_CHECK(to.n && !to.v[to.n - 1] && *s != '/');
        while (strncmp(s, "../", 3) == 0)
            s += 3;
        FUZZ_CHECK(!strstr(s, "/../"));
    }
    buf_free(&to);
}

/* Elements that stay where they are put, with single slashes in between. */
static void is_inside(struct buf *to)
{
    FUZZ_CHECK(buf_putc(to, 0) && to->n > 1);
    for (const char *s = (const char *)to->v;; s++) {
        size_t n = strcspn(s, "/");
        FUZZ_CHECK(n && !(n == 1 && *s == '.'));
        FUZZ_CHECK(!(n == 2 && memcmp(s, "..", 2) == 0));
        s += n;
        if (!*s)
            break;
    }
    buf_free(to);
}

static void output(const char *name)
{
    struct buf to = {0};
    struct prof_err err = {0};
    size_t stripped;
    if (bundle_name_of_entry(&to, name, &err)) {
        is_inside(&to);
    } else {
        fuzz_refused(&err);
        buf_free(&to);
    }
    if (bundle_name_of_path(&to, name, &stripped, &err)) {
        FUZZ_CHECK(stripped < strlen(name));
        is_inside(&to);
    } else {
        fuzz_refused(&err);
    }
    buf_free(&to);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    char *name = fuzz_line(data, n, 0, 2);
    char *dirs = fuzz_line(data, n, 1, 2), *search = fuzz_line(data, n, 2, 2);
    size_t length = strlen(name);
    FUZZ_CHECK(prof_trim_path(name, length, dirs, search) <= length);
    FUZZ_CHECK(prof_trim_path(name, length, NULL, dirs) <= length);
    if (dirs) {
        expand(dirs, name);
        (void)program_pattern_matches(dirs, name);
    }
    entry(name);
    output(name);
    free(name);
    free(dirs);
    free(search);
    return 0;
}
