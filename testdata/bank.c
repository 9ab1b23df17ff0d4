/*
 * bank.c - a program worth profiling
 *
 *      main -> deposit  -> Mutex_lock, checksum
 *           -> withdraw -> Mutex_lock, checksum
 *
 * Every function but main burns processor time of its own, and Mutex_lock
 * burns more for deposit than for withdraw.  It runs for a second of
 * processor time, or for as many as it is given: bank [SECONDS].
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define NOINLINE __attribute__((noinline))

enum { LEDGER = 4096 };

static unsigned char ledger[LEDGER];
static volatile unsigned lock_word;

NOINLINE void Mutex_lock(unsigned spins)
{
    for (unsigned i = 0; i < spins; i++)
        lock_word = lock_word * 1664525u + 1013904223u;
}

NOINLINE unsigned checksum(const unsigned char *bytes, size_t n)
{
    unsigned a = 1, b = 0;

    for (size_t i = 0; i < n; i++) {
        a = (a + bytes[i]) % 65521;
        b = (b + a) % 65521;
    }
    return b << 16 | a;
}

NOINLINE unsigned deposit(unsigned amount)
{
    Mutex_lock(6000);
    for (unsigned i = 0; i < LEDGER; i++)
        ledger[i] = (unsigned char)(ledger[i] + amount % (i + 1));
    return checksum(ledger, LEDGER);
}

NOINLINE unsigned withdraw(unsigned amount)
{
    Mutex_lock(2000);
    for (unsigned i = 0; i < LEDGER; i++)
        ledger[i] = (unsigned char)(ledger[i] - amount % (i + 1));
    return checksum(ledger, LEDGER);
}

int main(int argc, char **argv)
{
    double seconds = argc > 1 ? atof(argv[1]) : 1;
    clock_t end = clock() + (clock_t)(seconds * CLOCKS_PER_SEC);
    unsigned sum = 0;

    for (unsigned i = 0; clock() < end; i++) {
        sum ^= deposit(i);
        sum ^= withdraw(i / 2);
    }
    printf("ledger %08x\n", sum);
    return 0;
}
