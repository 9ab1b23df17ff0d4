/*
 * err.h - errors as values, and notes to the user
 *
 * A function that can fail returns bool (or a pointer) and takes a
 * `struct err *` as its last parameter: true means done, false means that
 * *err says why.  err_set() and its friends are false, so that
 *
 *      return err_set(err, ERR_INPUT, "offset %zu: bad tag %u", at, tag);
 *
 * is a complete error path.  The library never prints.  A message has the
 * offset or line and the reason; the caller adds the tool, file and member (see
 * cli/cli.h).
 *
 * Problems that are not failures (a truncated last record, a missing binary)
 * are reported to the `struct notes` of the caller; a null pointer discards
 * them.  A loss is an error for callers that are strict: a function that reads
 * an input and notes losses ends with notes_lossless(), or its caller calls
 * that before it uses the result.
 */
#ifndef PROFUTILS_BASE_ERR_H
#define PROFUTILS_BASE_ERR_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

/* The values are the exit statuses that profutils(7) documents. */
enum err_kind {
    ERR_NONE = 0,
    ERR_ANSWER_NO = 1, /* nothing matched, a check found problems */
    ERR_USAGE = 2,     /* options or operands make no sense */
    ERR_INPUT = 3,     /* an input is not what it should be */
    ERR_SYSTEM = 4,    /* input/output, memory, threads */
    ERR_PARTIAL = 5,   /* status only: written without some inputs (-k) */
};

/* What a text says of options, for whoever knows the option to add its name. */
enum err_about {
    ERR_ABOUT_REST,
    ERR_ABOUT_VALUE,   /* what was expected of the option's value */
    ERR_ABOUT_OPTIONS, /* names the options itself */
};

#define ERR_TEXT_MAX 1024
#define ERR_NOMEM_TEXT "out of memory"

struct err {
    enum err_kind kind;
    enum err_about about;
    char text[ERR_TEXT_MAX]; /* NUL-terminated, cut if longer */
};

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

/* err_value(err, fmt, ...): an ERR_USAGE that is ERR_ABOUT_VALUE. */
#define err_value(...) err_false((err_text_value(__VA_ARGS__), 0))

/* err_options(err, fmt, ...): an ERR_USAGE that is ERR_ABOUT_OPTIONS. */
#define err_options(...) err_false((err_text_options(__VA_ARGS__), 0))

/* err_errno(err, errnum, fmt, ...): the text, ": " and strerror(errnum). */
#define err_errno(...) err_false((err_text_errno(__VA_ARGS__), 0))

/* err_prefix(err, fmt, ...) puts the text in front of what *err says. */
#define err_prefix(...) err_false((err_text_prefix(__VA_ARGS__), 0))

void err_text(struct err *err, enum err_kind kind, const char *fmt, ...)
    ERR_PRINTF(3, 4);
void err_text_value(struct err *err, const char *fmt, ...) ERR_PRINTF(2, 3);
void err_text_options(struct err *err, const char *fmt, ...) ERR_PRINTF(2, 3);
void err_text_errno(struct err *err, int errnum, const char *fmt, ...)
    ERR_PRINTF(3, 4);
void err_text_prefix(struct err *err, const char *fmt, ...) ERR_PRINTF(2, 3);

static inline bool err_false(int done)
{
    (void)done;
    return false;
}

/* "out of memory", ERR_SYSTEM; false. */
static inline bool err_nomem(struct err *err)
{
    return err_set(err, ERR_SYSTEM, ERR_NOMEM_TEXT);
}

/* Whether *err says that, with any prefix. */
bool err_is_nomem(const struct err *err);

/*
 * For libraries that go on with less when memory is out or a file cannot be
 * read.  Set errno to 0 before the call; false if it is now that of a failure
 * of the system, which is then in *err.
 */
bool err_check_errno(struct err *err);

enum note_level {
    NOTE_INFO, /* shown with -v: what was inferred, skipped by design */
    NOTE_WARN, /* shown unless -q: odd, but the result lacks nothing */
    NOTE_LOSS, /* always shown, an error under --strict: part of an input was
                  lost or skipped, or how to read it was guessed */
};

struct notes {
    void (*say)(void *ctx, enum note_level level, const char *text);
    void *ctx;
    /* As notes_lossless(); null: losses are not errors. */
    bool (*check)(void *ctx, struct err *err);
};

void note_at(const struct notes *notes, enum note_level level, const char *fmt,
             ...) ERR_PRINTF(3, 4);

/* note_info(notes, fmt, ...) and so on. */
#define note_info(notes, ...) note_at((notes), NOTE_INFO, __VA_ARGS__)
#define note_warn(notes, ...) note_at((notes), NOTE_WARN, __VA_ARGS__)
#define note_loss(notes, ...) note_at((notes), NOTE_LOSS, __VA_ARGS__)

/*
 * False, once, if a loss was noted and losses are errors: *err, an ERR_INPUT,
 * says which.
 */
bool notes_lossless(const struct notes *notes, struct err *err);

#endif
