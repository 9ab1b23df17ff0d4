/* Functions whose names have all that a C++ name can have. */
#define KEEP __attribute__((noinline, used))

namespace ns
{
template <class T, class U> struct Pair {
    T first;
    U second;
    KEEP T sum(const Pair<T, U> &other) const
    {
        return first + other.first + T(second);
    }
    KEEP bool operator<(const Pair &other) const
    {
        return first < other.first;
    }
};

template <class F> KEEP int apply(F f, int n)
{
    return f(n) + 1;
}
} // namespace ns

namespace
{
KEEP int hidden(int n)
{
    return n * 3;
}
} // namespace

extern "C" KEEP int plain(int n)
{
    return n - 5;
}

int main(int argc, char **)
{
    ns::Pair<int, char> a = {argc, 'a'}, b = {3, 'b'};
    auto twice = [](int n) KEEP { return 2 * n; };
    return a.sum(b) + (a < b) + ns::apply(twice, argc) + hidden(argc) +
           plain(argc);
}
