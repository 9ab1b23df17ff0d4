/*
 * foreseen.c - random bytes that are not
 *
 * A library for LD_PRELOAD: getentropy(3) gives zeros, so that a test knows
 * what temporary files will be called and can be there first.
 */
#include <string.h>
#include <unistd.h>

int getentropy(void *to, size_t n)
{
    memset(to, 0, n);
    return 0;
}
