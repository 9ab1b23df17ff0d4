// branchy.cc - sums up records, for what a profile tells a compiler
//
//      branchy ROUNDS
//
// Nearly all records take the same short way through add(), of which most is
// about others.  Without a profile that is too large to be inlined where it is
// called, so that the sums go through memory for each record.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

enum kind : uint8_t { PLAIN, NEGATED, SCALED, PACKED, MARK };

struct record {
    uint32_t value;
    kind what;
    uint8_t scale;
};

struct fault {
    std::string text;
    uint64_t at;
};

using faults = std::vector<fault>;

[[gnu::noinline]] void report(faults &to, const char *what, uint64_t value,
                              uint64_t at)
{
    to.push_back({std::string(what) + ": " + std::to_string(value), at});
}

class summary
{
public:
    uint64_t n = 0, sum = 0, low = UINT64_MAX, high = 0, hash = 1, marks = 0;

    void add(const record &r, faults &to)
    {
        uint64_t value = r.value;
        if (r.what == MARK) {
            marks++;
            if (marks % 64 == 0)
                report(to, "mark", marks, n);
            hash = hash << 7 | hash >> 57;
            if (value & 1)
                sum ^= hash;
            return;
        }
        if (r.what == PACKED) {
            for (int shift = 0; shift < 32; shift += 8) {
                const uint64_t part = r.value >> shift & 0xff;
                if (part == 0xff)
                    report(to, "no part", shift, n);
                else if (part & 0x80)
                    sum -= sum < 0x100 - part ? sum : 0x100 - part;
                else
                    sum += part;
                hash = (hash << 3 | hash >> 61) ^ part;
            }
            n++;
            return;
        }
        if (r.what == SCALED) {
            if (r.scale > 20) {
                report(to, "scale", r.scale, n);
                return;
            }
            for (int i = 0; i < r.scale; i++)
                value *= 10;
        }
        if (r.what == NEGATED) {
            if (sum < value) {
                report(to, "below 0", value - sum, n);
                value = sum;
            }
            sum -= value;
            hash = (hash ^ value) + 31;
        } else {
            if (sum + value < sum)
                report(to, "overflow", sum, n);
            sum += value;
            hash = (hash ^ value) + 1;
        }
        n++;
        if (value < low)
            low = value;
        if (value > high)
            high = value;
    }
};

record unpack(uint64_t word)
{
    return {static_cast<uint32_t>(word >> 12), static_cast<kind>(word & 7),
            static_cast<uint8_t>(word >> 4 & 0xff)};
}

summary read_all(const std::vector<uint64_t> &words, faults &to)
{
    summary s;
    for (const uint64_t word : words) {
        if ((word & 15) > MARK)
            report(to, "no kind", word, s.n);
        else if (word == 0)
            s.add({1, MARK, 0}, to);
        else if (word >> 44)
            s.add({UINT32_MAX, SCALED, 1}, to);
        else
            s.add(unpack(word), to);
    }
    return s;
}

std::vector<uint64_t> generate(size_t n)
{
    std::vector<uint64_t> words(n);
    uint32_t x = 1;
    for (uint64_t &word : words) {
        x = x * 1664525 + 1013904223;
        const uint32_t chance = x >> 20;
        const kind what = chance > 8 ? PLAIN
            : chance > 5             ? NEGATED
            : chance > 3             ? SCALED
            : chance > 1             ? PACKED
                                     : MARK;
        word = static_cast<uint64_t>(x >> 12) << 12 | (x >> 8 & 7) << 4 | what;
    }
    return words;
}

} // namespace

int main(int argc, char **argv)
{
    const std::vector<uint64_t> words = generate(20000);
    uint64_t sum = 0;
    faults all;
    for (int i = argc > 1 ? std::atoi(argv[1]) : 1; i > 0; i--) {
        all.clear();
        const summary s = read_all(words, all);
        sum += s.sum ^ s.hash ^ s.low ^ s.high ^ s.n;
    }
    std::printf("%llu %zu\n", static_cast<unsigned long long>(sum), all.size());
}
