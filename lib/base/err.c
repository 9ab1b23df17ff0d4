/* err.c - errors as values, and notes */
#include "base/err.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static void set_text(struct prof_err *err, enum prof_err_kind kind,
                     enum prof_err_about about, const char *fmt, va_list ap)
{
    if (!err)
        return;
    err->kind = kind;
    err->about = about;
    (void)vsnprintf(err->text, sizeof err->text, fmt, ap);
}

void err_text(struct prof_err *err, enum prof_err_kind kind,
              enum prof_err_about about, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    set_text(err, kind, about, fmt, ap);
    va_end(ap);
}

void err_text_errno(struct prof_err *err, int errnum, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    set_text(err, PROF_ERR_SYSTEM, PROF_ERR_ABOUT_REST, fmt, ap);
    va_end(ap);
    if (err) {
        size_t n = strlen(err->text);
        (void)snprintf(err->text + n, sizeof err->text - n, ": %s",
                       strerror(errnum));
    }
}

void err_text_prefix(struct prof_err *err, const char *fmt, ...)
{
    if (!err)
        return;
    char old[PROF_ERR_TEXT_MAX];
    memcpy(old, err->text, sizeof old);
    va_list ap;
    va_start(ap, fmt);
    set_text(err, err->kind, err->about, fmt, ap);
    va_end(ap);
    size_t n = strlen(err->text);
    (void)snprintf(err->text + n, sizeof err->text - n, "%s", old);
}

bool err_is_nomem(const struct prof_err *err)
{
    static const char text[] = ERR_NOMEM_TEXT;
    size_t n = strlen(err->text), k = sizeof text - 1;
    return err->kind == PROF_ERR_SYSTEM && n >= k &&
           strcmp(err->text + n - k, text) == 0;
}

static void note_list(const struct prof_notes *notes,
                      enum prof_note_level level, const char *fmt, va_list ap)
{
    if (!notes || !notes->say)
        return;
    char text[PROF_ERR_TEXT_MAX];
    (void)vsnprintf(text, sizeof text, fmt, ap);
    notes->say(notes->ctx, level, text);
}

void note_at(const struct prof_notes *notes, enum prof_note_level level,
             const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    note_list(notes, level, fmt, ap);
    va_end(ap);
}

/* Copies fmt, replacing each "{s}" and "{one|many}" by the form for n. */
static void choose_forms(char to[PROF_ERR_TEXT_MAX], const char *fmt,
                         uint64_t n)
{
    const bool is_many = n != 1;
    bool in_braces = false, copies = true;
    size_t k = 0;
    for (; *fmt && k + 1 < PROF_ERR_TEXT_MAX; fmt++) {
        if (*fmt == '{') {
            const size_t one = strcspn(fmt, "|}");
            in_braces = true;
            copies = (fmt[one] == '|') != is_many;
        } else if (in_braces && *fmt == '|') {
            copies = is_many;
        } else if (in_braces && *fmt == '}') {
            in_braces = false;
            copies = true;
        } else if (copies) {
            to[k++] = *fmt;
        }
    }
    to[k] = 0;
}

void note_count(const struct prof_notes *notes, enum prof_note_level level,
                uint64_t n, const char *fmt, ...)
{
    char chosen[PROF_ERR_TEXT_MAX];
    if (!n)
        return;
    choose_forms(chosen, fmt, n);
    va_list ap;
    va_start(ap, fmt);
    note_list(notes, level, chosen, ap);
    va_end(ap);
}

bool notes_lossless(const struct prof_notes *notes, struct prof_err *err)
{
    return !notes || !notes->check || notes->check(notes->ctx, err);
}

bool err_check_errno(struct prof_err *err)
{
    switch (errno) {
    case ENOMEM:
        return err_nomem(err);
    case EIO:
    case EMFILE:
    case ENFILE:
        return err_errno(err, errno, "cannot read");
    default:
        return true;
    }
}
