/* program.c - half a second in functions that treat a machine differently */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define APART __attribute__((noinline))
enum { WORDS = 1 << 20, SORTED = 20000 };

static unsigned state = 1;
static unsigned memory[WORDS];

APART unsigned draw(void)
{
    state = state * 1664525 + 1013904223;
    return state >> 8;
}

APART void fill(void)
{
    for (int i = 0; i < WORDS; i++)
        memory[i] = draw();
}

APART unsigned chase(int n)
{
    unsigned at = 0;
    for (int i = 0; i < n; i++)
        at = memory[at % WORDS] ^ (unsigned)i;
    return at;
}

static int cmp(const void *a, const void *b)
{
    const unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;
    return (x > y) - (x < y);
}

APART unsigned sort(void)
{
    unsigned v[SORTED];
    memcpy(v, memory, sizeof v);
    qsort(v, SORTED, sizeof *v, cmp);
    return v[SORTED / 2];
}

APART double waves(int n)
{
    double x = 0;
    for (int i = 0; i < n; i++)
        x += sin(i * 0.1);
    return x;
}

APART unsigned fib(unsigned n)
{
    return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

APART unsigned print(int n)
{
    char text[64];
    unsigned sum = 0;
    for (int i = 0; i < n; i++)
        sum += (unsigned)snprintf(text, sizeof text, "%d %f", i, i * 0.5);
    return sum;
}

APART unsigned copy(void)
{
    static unsigned to[WORDS];
    memcpy(to, memory, sizeof to);
    return to[WORDS / 2];
}

APART double numbers(void)
{
    return waves(100000) + fib(22);
}
APART double bytes(void)
{
    return chase(200000) + sort() + copy() + print(4000);
}

int main(void)
{
    double sum = 0;
    fill();
    for (int i = 0; i < 40; i++)
        sum += numbers() + bytes();
    printf("%g\n", sum);
}
