/*
 * templates.cc - a C++ program of many templates, for its debug information
 *
 * Compiled as it is, the main program; compiled with -DUNIT=1, 2 and so on,
 * a unit of some hundred instances of what programs use every day, each
 * with 5 MB and more of DWARF.  Nothing of it is meant to be run.
 */
#ifndef UNIT

int main() {}

#else

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <regex>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

namespace {

template <int I> struct Key {
    int value;
    bool operator<(const Key &other) const { return value < other.value; }
};

template <int I, typename T> class Shard {
    std::map<Key<I>, T> tree;
    std::unordered_map<int, std::vector<T>> buckets;
    std::set<std::pair<int, Key<I>>> order;

public:
    void put(int k, const T &t)
    {
        tree[Key<I>{k}] = t;
        buckets[k % 17].push_back(t);
        order.insert({k, Key<I>{k}});
    }

    void tidy()
    {
        for (auto &b : buckets) {
            auto &v = b.second;
            std::sort(v.begin(), v.end());
            v.erase(std::unique(v.begin(), v.end()), v.end());
        }
    }

    template <typename F> int sum(F f) const
    {
        int s = 0;
        for (const auto &b : buckets)
            s = std::accumulate(b.second.begin(), b.second.end(), s,
                                [&](int a, const T &t) { return a + f(t); });
        return s + static_cast<int>(tree.size() + order.size());
    }
};

template <int I> int work(int seed)
{
    Shard<I, int> a;
    Shard<I, std::string> b;
    Shard<I, std::vector<double>> c;
    for (int i = 0; i < 50; i++) {
        a.put(seed + i, i);
        b.put(seed * i, std::to_string(i));
        c.put(i, std::vector<double>(i % 7, i));
    }
    a.tidy();
    b.tidy();
    c.tidy();
    std::function<int(const std::string &)> length =
        [seed](const std::string &s) { return int(s.size()) + seed; };
    std::variant<int, std::string, std::vector<int>> any = seed;
    return a.sum([](int x) { return x + I; }) + b.sum(length) +
           c.sum([](const auto &v) { return int(v.size()); }) +
           std::visit([](auto &x) { return int(sizeof x); }, any);
}

template <int... I> int all(int seed, std::integer_sequence<int, I...>)
{
    return (work<UNIT * 100 + I>(seed) + ...);
}

} // namespace

#define NAME_OF(unit) unit_##unit
#define NAME(unit) NAME_OF(unit)
int NAME(UNIT)(int seed)
{
    std::regex r("a(b|c)*d" + std::to_string(UNIT));
    return all(seed, std::make_integer_sequence<int, 12>()) +
           std::regex_match("abcd", r);
}

#endif
