/*
 * hostile.c - inputs whose size is in one place or two
 *
 *      hostile CLASS N >FILE
 *      hostile
 *
 * Writes the input that hostile.h tells of.  Without arguments it prints the
 * names of the classes.
 */
#include "hostile.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct bytes out;

void text(const char *format, ...)
{
    char line[256];
    va_list args;

    va_start(args, format);
    int n = vsnprintf(line, sizeof(line), format, args);
    va_end(args);
    if (n < 0 || (size_t)n >= sizeof(line))
        abort();
    put(&out, line, (size_t)n);
}

void fill(struct bytes *to, int byte, size_t n)
{
    uint8_t block[4096];

    memset(block, byte, sizeof(block));
    for (; n > sizeof(block); n -= sizeof(block))
        put(to, block, sizeof(block));
    put(to, block, n);
}

void put_word(struct bytes *to, uint64_t v, unsigned size)
{
    uint8_t b[8];

    for (unsigned i = 0; i < size; i++)
        b[i] = (uint8_t)(v >> (8 * i));
    put(to, b, size);
}

uint64_t root_of(uint64_t n)
{
    uint64_t r = 1;

    while (r * r < n)
        r++;
    return r;
}

int main(int argc, char **argv)
{
    const struct class *const all[] = {profile_classes,
                                       text_classes,
                                       record_classes,
                                       binary_classes,
                                       archive_classes,
                                       perf_classes,
                                       NULL};
    uint64_t size = argc == 3 ? strtoull(argv[2], NULL, 10) : 0;

    for (size_t i = 0; all[i]; i++) {
        for (const struct class *c = all[i]; *c->name; c++) {
            if (argc == 1)
                puts(c->name);
            else if (size && strcmp(argv[1], c->name) == 0)
                c->make(size);
        }
    }
    if (argc == 1)
        list_products();
    if (argc == 3 && size && !out.n)
        (void)make_product(argv[1], size);
    if (argc > 1 && !out.n) {
        fputs("usage: hostile [CLASS N]\n", stderr);
        return 2;
    }
    return fwrite(out.v, 1, out.n, stdout) == out.n && !fflush(stdout) ? 0 : 4;
}
