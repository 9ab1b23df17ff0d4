/*
 * sampled.cc - a program for perf to record: threads, templates, recursion
 *
 *      sampled THREADS ROUNDS
 *
 * Each round sorts strings, fills maps or descends through templates, below
 * calls of random depth, so that there are some thousands of stacks.
 */
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <sstream>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

using words = std::map<std::string, size_t>;

static unsigned next(unsigned random)
{
    return random * 1103515245 + 12345;
}

template <int DEPTH> static size_t descend(const words &w, unsigned random)
{
    auto found = w.find(std::to_string(random * DEPTH % 977));
    size_t sum = found == w.end() ? 0 : found->second;
    if constexpr (DEPTH > 0)
        sum += descend<DEPTH - 1>(w, next(random));
    return sum;
}

static size_t sort_strings(unsigned random)
{
    std::vector<std::string> v;
    for (int i = 0; i < 200; i++)
        v.push_back(std::to_string(random = next(random)));
    std::sort(v.begin(), v.end(),
              [](const auto &a, const auto &b) { return a > b; });
    return v[0].size();
}

static size_t fill_maps(unsigned random)
{
    words w;
    std::unordered_map<size_t, std::string> by_number;
    std::ostringstream out;
    for (int i = 0; i < 100; i++)
        w[std::to_string(random = next(random))]++;
    for (const auto &pair : w)
        by_number[pair.second + pair.first.size() * random] = pair.first;
    for (const auto &pair : by_number)
        out << pair.first << pair.second;
    return out.str().size();
}

/* What compilers cannot look into keeps them from making a loop of it. */
__attribute__((noinline)) static size_t
recurse(unsigned depth, unsigned random,
        const std::function<size_t(unsigned)> &work)
{
    if (!depth)
        return work(random);
    size_t sum = recurse(depth - 1, next(random), work);
    __asm__ volatile("" : "+r"(sum));
    return sum + 1;
}

static void run(unsigned random, int rounds)
{
    words w;
    size_t sum = 0;
    for (size_t i = 0; i < 977; i++)
        w[std::to_string(i)] = i;
    for (int i = 0; i < rounds; i++) {
        random = next(random);
        unsigned depth = (random >> 20) % 30;
        if ((random >> 16) % 3 == 0)
            sum += recurse(depth, random, sort_strings);
        else if ((random >> 16) % 3 == 1)
            sum += recurse(depth, random, fill_maps);
        else
            for (unsigned k = 0; k < 20; k++)
                sum += descend<12>(w, random + k);
    }
    std::printf("%zu\n", sum);
}

int main(int argc, char **argv)
{
    std::vector<std::thread> threads;
    if (argc != 3)
        return 2;
    for (int i = 0; i < std::atoi(argv[1]); i++)
        threads.emplace_back(run, i + 1, std::atoi(argv[2]));
    for (auto &thread : threads)
        thread.join();
}
