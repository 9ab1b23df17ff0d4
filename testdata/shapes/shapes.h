// Shared by both files: inlined into whatever calls it.
#pragma once
namespace bank
{
struct Account {
    long balance = 0;
    int kind = 0;
    long fee(long amount) const
    {
        return kind == 1 ? amount / 100 : kind == 2 ? amount / 50 + 3 : 0;
    }
    void pay(long amount)
    {
        long f = fee(amount);
        balance -= amount + f;
        if (balance < 0)
            balance += 1000;
    }
};
template <class T> inline T twist(T x, int n)
{
    for (int i = 0; i < n; i++)
        x = x & 1 ? x * 3 + 1 : x / 2;
    return x;
}
long audit(const Account *accounts, int n);
} // namespace bank
