#include "shapes.h"
namespace
{
long check(const bank::Account &a)
{
    return a.balance > 500   ? a.balance & 15
           : a.balance > 100 ? a.balance & 7
                             : 1;
}
long __attribute__((noinline)) slow(long x)
{
    return bank::twist<long>(x, 9) + 1;
}
} // namespace
long bank::audit(const Account *accounts, int n)
{
    long sum = 0;
    for (int i = 0; i < n; i++) {
        sum += check(accounts[i]);
        sum ^= accounts[i].kind == 2 ? slow(sum) : 5;
    }
    return sum;
}
