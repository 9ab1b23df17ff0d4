/* ask_gcc.c - finds out which version of the profile a build's gcc reads */
#include <stdlib.h>
#include <string.h>

#include "base/slice.h"
#include "io/process.h"
#include "pgo/pgo.h"

enum { MOST_WORDS = 30, FIRST_READING = 12, FIRST_OF_VERSION_3 = 16 };

/* Splits a command at blanks, and adds the option that asks for the version. */
static bool make_command(char *words, const char *argv[MOST_WORDS + 2],
                         struct prof_err *err)
{
    size_t n = 0;
    char *rest;
    for (char *word = strtok_r(words, " \t", &rest); word;
         word = strtok_r(NULL, " \t", &rest)) {
        if (n == MOST_WORDS)
            return err_options(err, "CC has more than %d words", MOST_WORDS);
        argv[n++] = word;
    }
    argv[n++] = "-dumpfullversion";
    argv[n] = NULL;
    return true;
}

/* Sets *gcc to what the command prints, and *major to its first number. */
static bool ask(const char *const *argv, struct buf *said,
                struct prof_slice *gcc, int64_t *major, struct prof_err *err)
{
    const struct run how = {.argv = argv, .max_out = 64, .silence = 10};
    if (!run(&how, said, err))
        return false;
    struct prof_slice rest = buf_slice(said);
    *gcc = slice_take_line(&rest);
    rest = *gcc;
    return slice_take_int(&rest, major) ||
           err_options(err, "it prints '%.*s', not a version", (int)gcc->n,
                       gcc->s);
}

bool pgo_ask_gcc(int *version, const struct prof_notes *notes,
                 struct prof_err *err)
{
    const char *cc = getenv("CC");
    const char *command = cc && cc[strspn(cc, " \t")] ? cc : "gcc";
    const char *argv[MOST_WORDS + 2];
    char *words = strdup(command);
    struct buf said = {0};
    struct prof_slice gcc = {0};
    struct prof_err why;
    int64_t major = 0;
    if (!words)
        return err_nomem(err);
    bool ok =
        make_command(words, argv, &why) && ask(argv, &said, &gcc, &major, &why);
    if (!ok) {
        err_options(err,
                    "--gcc needs a version: cannot ask gcc for its own (%s); "
                    "specify --gcc=2 for gcc 12 to 15, or --gcc=3 for gcc 16",
                    why.text);
    } else if (major < FIRST_READING) {
        ok = err_options(err,
                         "%s is gcc %.*s, which reads neither version 2 nor 3 "
                         "of the format: use gcc 12 or newer",
                         command, (int)gcc.n, gcc.s);
    } else {
        *version = major < FIRST_OF_VERSION_3 ? 2 : 3;
        note_info(notes, "version %d of the format, for gcc %.*s ('%s')",
                  *version, (int)gcc.n, gcc.s, command);
    }
    buf_free(&said);
    free(words);
    return ok;
}
