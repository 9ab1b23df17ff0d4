/*
 * err.h - errors as values, and notes to the user
 *
 * A function that can fail returns bool (or a pointer) and takes a
 * `struct prof_err *` as its last parameter: true means done, false means that
 * *err says why.  err_set() and its friends are false, so that
 *
 *      return err_set(err, PROF_ERR_INPUT, "offset %zu: bad tag %u", at, tag);
 *
 * is a complete error path.  The library never prints.  A message has the
 * offset or line and the reason; the caller adds the tool, file and member (see
 * cli/cli.h).
 *
 * Problems that are not failures (a truncated last record, a missing binary)
 * are reported to the `struct prof_notes` of the caller; a null pointer
 * discards them.  A loss is an error for callers that are strict: a function
 * that reads an input and notes losses ends with notes_lossless(), or its
 * caller calls that before it uses the result.
 */
#ifndef PROFUTILS_BASE_ERR_H
#define PROFUTILS_BASE_ERR_H

#include <stdarg.h>

#include "profile.h"

#define ERR_NOMEM_TEXT "out of memory"

/* Marks a text that becomes a part of a message, which is how
 * tests/lint/messages.pl finds it. */
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
#define err_set(...) err_false((err_text(__VA_ARGS__), 0))

/* What a text is about, for tools, which add the name of an option. */
enum prof_err_about {
    PROF_ERR_ABOUT_REST,
    PROF_ERR_ABOUT_VALUE,   /* what was expected of an option's value */
    PROF_ERR_ABOUT_OPTIONS, /* names the options itself */
};

/* err_value(err, fmt, ...): a PROF_ERR_USAGE that is PROF_ERR_ABOUT_VALUE. */
#define err_value(...) err_false((err_text_value(__VA_ARGS__), 0))

/* err_options(err, fmt, ...): a PROF_ERR_USAGE that is PROF_ERR_ABOUT_OPTIONS.
 */
#define err_options(...) err_false((err_text_options(__VA_ARGS__), 0))

/* err_errno(err, errnum, fmt, ...): the text, ": " and strerror(errnum). */
#define err_errno(...) err_false((err_text_errno(__VA_ARGS__), 0))

/* err_prefix(err, fmt, ...) puts the text in front of what *err says. */
#define err_prefix(...) err_false((err_text_prefix(__VA_ARGS__), 0))

void err_text(struct prof_err *err, enum prof_err_kind kind, const char *fmt,
              ...) ERR_PRINTF(3, 4);
void err_text_value(struct prof_err *err, const char *fmt, ...)
    ERR_PRINTF(2, 3);
void err_text_options(struct prof_err *err, const char *fmt, ...)
    ERR_PRINTF(2, 3);
void err_text_errno(struct prof_err *err, int errnum, const char *fmt, ...)
    ERR_PRINTF(3, 4);
void err_text_prefix(struct prof_err *err, const char *fmt, ...)
    ERR_PRINTF(2, 3);

static inline bool err_false(int done)
{
    (void)done;
    return false;
}

/* "out of memory", PROF_ERR_SYSTEM; false. */
static inline bool err_nomem(struct prof_err *err)
{
    return err_set(err, PROF_ERR_SYSTEM, ERR_NOMEM_TEXT);
}

/* Whether *err says that, with any prefix. */
bool err_is_nomem(const struct prof_err *err);

/*
 * For libraries that go on with less when memory is out or a file cannot be
 * read.  Set errno to 0 before the call; false if it is now that of a failure
 * of the system, which is then in *err.
 */
bool err_check_errno(struct prof_err *err);

void note_at(const struct prof_notes *notes, enum prof_note_level level,
             const char *fmt, ...) ERR_PRINTF(3, 4);

/* note_info(notes, fmt, ...) and so on. */
#define note_info(notes, ...) note_at((notes), PROF_NOTE_INFO, __VA_ARGS__)
#define note_warn(notes, ...) note_at((notes), PROF_NOTE_WARN, __VA_ARGS__)
#define note_loss(notes, ...) note_at((notes), PROF_NOTE_LOSS, __VA_ARGS__)

/*
 * For a text about n things: "{s}" in fmt is "s" unless n is 1, "{one|many}" is
 * what suits n.  The arguments of fmt follow, n among them.
 *
 *      note_count(notes, PROF_NOTE_LOSS, n, "%zu line{s} skipped", n);
 */
void note_count(const struct prof_notes *notes, enum prof_note_level level,
                uint64_t n, const char *fmt, ...) ERR_PRINTF(4, 5);

/*
 * False, once, if a loss was noted and losses are errors: *err, a
 * PROF_ERR_INPUT, says which.
 */
bool notes_lossless(const struct prof_notes *notes, struct prof_err *err);

#endif
