/* ask_gcc.c - finds out which version of the profile a build's gcc reads */
#include <stdlib.h>
#include <string.h>

#include "base/slice.h"
#include "io/process.h"
#include "pgo/pgo.h"

enum { MOST_WORDS = 30, FIRST_READING = 12, FIRST_OF_VERSION_3 = 16 };

/* Splits a command at blanks, and adds the option that asks for the version. */
static void make_command(char *words, const char *argv[MOST_WORDS + 2])
{
    size_t n = 0;
    char *rest;
    for (char *word = strtok_r(words, " \t", &rest); word && n < MOST_WORDS;
         word = strtok_r(NULL, " \t", &rest))
        argv[n++] = word;
    argv[n++] = "-dumpfullversion";
    argv[n] = NULL;
}

static bool read_version(const char *command, const struct buf *said,
                         int *version, const struct prof_notes *notes,
                         struct prof_err *err)
{
    struct prof_slice rest = buf_slice(said);
    const struct prof_slice gcc = slice_take_line(&rest);
    int64_t major = 0;
    rest = gcc;
    (void)slice_take_int(&rest, &major);
    if (major < FIRST_READING)
        return err_options(err,
                           "%s is gcc %.*s, which reads neither version 2 nor "
                           "3 of the format: use gcc 12 or newer",
                           command, (int)gcc.n, gcc.s);
    *version = major < FIRST_OF_VERSION_3 ? 2 : 3;
    note_info(notes, "version %d of the format, for gcc %.*s ('%s')", *version,
              (int)gcc.n, gcc.s, command);
    return true;
}

bool pgo_ask_gcc(int *version, const struct prof_notes *notes,
                 struct prof_err *err)
{
    const char *cc = getenv("CC");
    const char *command = cc && cc[strspn(cc, " \t")] ? cc : "gcc";
    const char *argv[MOST_WORDS + 2];
    const struct run ask = {.argv = argv, .max_out = 64, .silence = 10};
    char *words = strdup(command);
    struct buf said = {0};
    struct prof_err why;
    if (!words)
        return err_nomem(err);
    make_command(words, argv);
    const bool ok =
        run(&ask, &said, &why)
            ? read_version(command, &said, version, notes, err)
            : err_options(err,
                          "--gcc needs a version: cannot ask gcc for its own "
                          "(%s); specify --gcc=2 for gcc 12 to 15, or "
                          "--gcc=3 for gcc 16",
                          why.text);
    buf_free(&said);
    free(words);
    return ok;
}
