#include "base/err.h"

#include <stdio.h>
#include <string.h>

static void put_text(struct err *err, enum err_kind kind, const char *fmt,
                     va_list ap)
{
    if (!err)
        return;
    err->kind = kind;
    (void)vsnprintf(err->text, sizeof err->text, fmt, ap);
}

bool err_set(struct err *err, enum err_kind kind, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    put_text(err, kind, fmt, ap);
    va_end(ap);
    return false;
}

bool err_nomem(struct err *err)
{
    return err_set(err, ERR_SYSTEM, "out of memory");
}

bool err_errno(struct err *err, int errnum, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    put_text(err, ERR_SYSTEM, fmt, ap);
    va_end(ap);
    if (err) {
        size_t n = strlen(err->text);
        (void)snprintf(err->text + n, sizeof err->text - n, ": %s",
                       strerror(errnum));
    }
    return false;
}

bool err_prefix(struct err *err, const char *fmt, ...)
{
    if (!err)
        return false;
    char old[ERR_TEXT_MAX];
    memcpy(old, err->text, sizeof old);
    va_list ap;
    va_start(ap, fmt);
    put_text(err, err->kind, fmt, ap);
    va_end(ap);
    size_t n = strlen(err->text);
    (void)snprintf(err->text + n, sizeof err->text - n, "%s", old);
    return false;
}

static void say(const struct notes *notes, enum note_level level,
                const char *fmt, va_list ap)
{
    if (!notes || !notes->say)
        return;
    char text[ERR_TEXT_MAX];
    (void)vsnprintf(text, sizeof text, fmt, ap);
    notes->say(notes->ctx, level, text);
}

void note_warn(const struct notes *notes, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    say(notes, NOTE_WARN, fmt, ap);
    va_end(ap);
}

void note_info(const struct notes *notes, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    say(notes, NOTE_INFO, fmt, ap);
    va_end(ap);
}
