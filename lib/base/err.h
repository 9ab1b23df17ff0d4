/*
 * err.h - errors as values, and notes to the user
 *
 * A function that can fail returns bool (or a pointer) and takes a
 * `struct prof_err *` as its last parameter.  True: it succeeded; false: it
 * failed, and *err says why.  err_set() and the macros below evaluate to false,
 * so that
 *
 *      return err_input(err, "offset %zu: bad tag %u", at, tag);
 *
 * is a complete error path.  The library never prints.  A message has the
 * offset or line and the reason; the caller adds the names of the tool, the
 * file and the archive entry (cli/cli.h).
 *
 * Problems that are not failures (a truncated last record, a missing binary)
 * are reported to the `struct prof_notes` of the caller; a null pointer
 * discards them.  Under --strict, a loss (PROF_NOTE_LOSS) is an error.  So
 * notes_lossless() is called after an input was read and before the result is
 * used: by the function that reads it, or by its caller.
 */
#ifndef PROFUTILS_BASE_ERR_H
#define PROFUTILS_BASE_ERR_H

#include <stdarg.h>

#include "profile.h"

#define ERR_NOMEM_TEXT "out of memory"

/* Marks a text that becomes a part of a message, so that
 * tests/lint/messages.pl lists it in the catalogue of messages. */
#define TEXT(text) text

#if defined(__GNUC__)
#define ERR_PRINTF(f, a) __attribute__((format(printf, f, a)))
#else
#define ERR_PRINTF(f, a)
#endif

/*
 * err_set(err, kind, fmt, ...) fills *err (null is allowed) and evaluates to
 * false.  It is a macro so that compilers and analyzers see the constant at
 * each call and can follow error paths.
 */
#define err_set(err, kind, ...)                                                \
    err_about(err, kind, PROF_ERR_ABOUT_REST, __VA_ARGS__)
#define err_about(...) err_false((err_text(__VA_ARGS__), 0))

/* err_input(err, fmt, ...) sets a PROF_ERR_INPUT, the most frequent kind. */
#define err_input(err, ...) err_set(err, PROF_ERR_INPUT, __VA_ARGS__)

/* What prof_err.text is about: tells tools whether to add an option's name. */
enum prof_err_about {
    PROF_ERR_ABOUT_REST,    /* anything else: it is printed unchanged */
    PROF_ERR_ABOUT_VALUE,   /* says what is expected of an option's value; the
                               tool adds the value and the option */
    PROF_ERR_ABOUT_OPTIONS, /* names the options itself */
};

/* err_value(err, fmt, ...) sets a PROF_ERR_USAGE of PROF_ERR_ABOUT_VALUE. */
#define err_value(err, ...)                                                    \
    err_about(err, PROF_ERR_USAGE, PROF_ERR_ABOUT_VALUE, __VA_ARGS__)

/* err_options(err, fmt, ...) does that with PROF_ERR_ABOUT_OPTIONS. */
#define err_options(err, ...)                                                  \
    err_about(err, PROF_ERR_USAGE, PROF_ERR_ABOUT_OPTIONS, __VA_ARGS__)

/* err_errno(err, errnum, fmt, ...) sets a PROF_ERR_SYSTEM: the formatted text,
 * then ": " and strerror(errnum). */
#define err_errno(...) err_false((err_text_errno(__VA_ARGS__), 0))

/* err_prefix(err, fmt, ...) inserts a formatted text before that of *err. */
#define err_prefix(...) err_false((err_text_prefix(__VA_ARGS__), 0))

void err_text(struct prof_err *err, enum prof_err_kind kind,
              enum prof_err_about about, const char *fmt, ...) ERR_PRINTF(4, 5);
void err_text_errno(struct prof_err *err, int errnum, const char *fmt, ...)
    ERR_PRINTF(3, 4);
void err_text_prefix(struct prof_err *err, const char *fmt, ...)
    ERR_PRINTF(2, 3);

static inline bool err_false(int done)
{
    (void)done;
    return false;
}

/* Sets the error "out of memory" (PROF_ERR_SYSTEM).  Returns false. */
static inline bool err_nomem(struct prof_err *err)
{
    return err_set(err, PROF_ERR_SYSTEM, ERR_NOMEM_TEXT);
}

/* Whether *err says that memory is out, with any prefix. */
bool err_is_nomem(const struct prof_err *err);

/*
 * Finds failures that a library hides: some (libelf, libdw) return less data,
 * and no error, when memory is out or a file cannot be read.  Set errno to 0
 * before the library is called.  False, with *err set, if errno is now ENOMEM,
 * EIO, EMFILE or ENFILE.
 */
bool err_check_errno(struct prof_err *err);

/* Passes a formatted note to notes->say; does nothing if notes is null. */
void note_at(const struct prof_notes *notes, enum prof_note_level level,
             const char *fmt, ...) ERR_PRINTF(3, 4);

/* The same with a fixed level: note_info(notes, fmt, ...). */
#define note_info(notes, ...) note_at((notes), PROF_NOTE_INFO, __VA_ARGS__)
#define note_warn(notes, ...) note_at((notes), PROF_NOTE_WARN, __VA_ARGS__)
#define note_loss(notes, ...) note_at((notes), PROF_NOTE_LOSS, __VA_ARGS__)

/*
 * The same for a text about n things; does nothing if n is 0.  In fmt, "{s}"
 * becomes "s" unless n is 1, and "{one|many}" becomes "one" or "many".  If the
 * text contains n, pass n again among the arguments of fmt:
 *
 *      note_count(notes, PROF_NOTE_LOSS, n, "%zu line{s} skipped", n);
 */
void note_count(const struct prof_notes *notes, enum prof_note_level level,
                uint64_t n, const char *fmt, ...) ERR_PRINTF(4, 5);

/*
 * Returns false if a loss was noted, losses are errors to the caller, and this
 * was not reported yet: *err (PROF_ERR_INPUT) then has the first loss.
 */
bool notes_lossless(const struct prof_notes *notes, struct prof_err *err);

#endif
