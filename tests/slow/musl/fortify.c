/*
 * fortify.c - what Debian's static libraries want of glibc, for musl
 *
 * They were compiled with _FORTIFY_SOURCE and call its checking functions,
 * which musl has not.  These check as much.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void check(size_t needed, size_t room)
{
    if (needed > room)
        abort();
}

void *__memcpy_chk(void *to, const void *from, size_t n, size_t room);
char *__strcpy_chk(char *to, const char *from, size_t room);
char *__stpcpy_chk(char *to, const char *from, size_t room);
char *__strcat_chk(char *to, const char *from, size_t room);
int __fprintf_chk(FILE *f, int flag, const char *format, ...);
int __sprintf_chk(char *to, int flag, size_t room, const char *format, ...);
int __snprintf_chk(char *to, size_t n, int flag, size_t room,
                   const char *format, ...);
int __vsnprintf_chk(char *to, size_t n, int flag, size_t room,
                    const char *format, va_list args);
void error(int status, int errnum, const char *format, ...);

void *__memcpy_chk(void *to, const void *from, size_t n, size_t room)
{
    check(n, room);
    return memcpy(to, from, n);
}

char *__strcpy_chk(char *to, const char *from, size_t room)
{
    check(strlen(from) + 1, room);
    return strcpy(to, from);
}

char *__stpcpy_chk(char *to, const char *from, size_t room)
{
    return __strcpy_chk(to, from, room) + strlen(from);
}

char *__strcat_chk(char *to, const char *from, size_t room)
{
    check(strlen(to) + strlen(from) + 1, room);
    return strcat(to, from);
}

int __vsnprintf_chk(char *to, size_t n, int flag, size_t room,
                    const char *format, va_list args)
{
    (void)flag;
    check(n, room);
    return vsnprintf(to, n, format, args);
}

int __snprintf_chk(char *to, size_t n, int flag, size_t room,
                   const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int k = __vsnprintf_chk(to, n, flag, room, format, args);
    va_end(args);
    return k;
}

int __sprintf_chk(char *to, int flag, size_t room, const char *format, ...)
{
    va_list args;
    (void)flag;
    va_start(args, format);
    int k = vsnprintf(to, room, format, args);
    va_end(args);
    check((size_t)k + 1, room);
    return k;
}

int __fprintf_chk(FILE *f, int flag, const char *format, ...)
{
    va_list args;
    (void)flag;
    va_start(args, format);
    int k = vfprintf(f, format, args);
    va_end(args);
    return k;
}

/* libdw's last word where it finds itself in the wrong. */
void error(int status, int errnum, const char *format, ...)
{
    (void)status;
    (void)errnum;
    (void)format;
    abort();
}
