#include "shapes.h"
#include <cstdio>
static bank::Account accounts[64];
extern "C" int rare(int x);
extern "C" int __attribute__((noinline)) rare(int x)
{
    return x > 7 ? x * 3 : x - 1;
}
int main(int argc, char **)
{
    long n = argc > 1 ? 100000000 : 1000, sum = 0;
    for (int i = 0; i < 64; i++) {
        accounts[i].kind = i % 3;
        accounts[i].balance = i * 40;
    }
    for (long k = 0; k < n; k++) {
        bank::Account &a = accounts[k & 63];
        a.pay(k % 97);
        if (k % 1000 == 0)
            sum += rare((int)k);
        sum += bank::twist(k, 5) + (k % 16 ? 0 : bank::audit(accounts, 64));
    }
    printf("%ld\n", sum);
    return 0;
}
