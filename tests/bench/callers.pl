#!/usr/bin/perl
# callers.pl - a C program to profile, of as many functions as are wanted
#
#       callers.pl FUNCTIONS SECONDS >program.c
#
# The functions are in levels; each does a little work, most of it inlined,
# and calls one of three of the next level, so that stacks are as deep as there
# are levels and hardly two are alike.  The program runs for so many seconds of
# processor time.
use strict;
use warnings;

my ($functions, $seconds) = @ARGV;
die "usage: callers.pl FUNCTIONS SECONDS\n" unless $seconds && $functions >= 48;
my $levels = 24;
my $width = int($functions / $levels);
my $seed = 1;

sub number {    # below its argument
    $seed = ($seed * 1103515245 + 12345) & 0x7fffffff;
    return ($seed >> 8) % $_[0];
}

print <<'END';
#include <stdint.h>
#include <time.h>

struct record {
    uint64_t key, sum;
    struct record *next;
    unsigned char bytes[16];
};

static uint64_t sink;

static inline uint64_t rotate(uint64_t x, unsigned by)
{
    return x << by | x >> (64 - by);
}

static inline uint64_t mix(uint64_t x, uint64_t by)
{
    x ^= rotate(x, 23) + by;
    return x * 0x9e3779b97f4a7c15U;
}

static inline uint64_t fold(struct record *r, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        r->key = mix(r->key, r->bytes[i % sizeof r->bytes]);
        r->sum += r->key >> (i & 7);
    }
    return r->sum;
}

static inline uint64_t probe(struct record *r, uint64_t x)
{
    r->bytes[x % sizeof r->bytes] ^= (unsigned char)x;
    return x & 1 ? fold(r, 5 + x % 11) : mix(x, r->sum);
}

END
for my $level (0 .. $levels - 1) {
    print "uint64_t level${level}_call$_(struct record *, uint64_t);\n"
        for 0 .. $width - 1;
}
for my $level (0 .. $levels - 1) {
    for my $i (0 .. $width - 1) {
        my ($a, $b) = (number(1 << 30), 1 + number(60));
        print <<END;

__attribute__((noinline))
uint64_t level${level}_call$i(struct record *r, uint64_t x)
{
    uint64_t y = probe(r, x ^ $a);
    for (unsigned i = 0; i < $b; i++)
        y = i & 3 ? mix(y, i) : probe(r, y);
END
        if ($level + 1 < $levels) {
            my ($below, @to) = ($level + 1, map { number($width) } 1 .. 3);
            print <<END;
    switch ((y >> 32) % 4) {
    case 0:
        y += level${below}_call$to[0](r, y);
        break;
    case 1:
        y ^= level${below}_call$to[1](r, y);
        break;
    default:
        y -= level${below}_call$to[2](r, y);
        break;
    }
END
        }
        print "    return fold(r, $b) + y;\n}\n";
    }
}
print <<END;

int main(void)
{
    struct record r = {1, 2, &r, {0}};
    while (clock() < (clock_t)$seconds * CLOCKS_PER_SEC)
        for (unsigned i = 0; i < 1000; i++)
            switch (i % $width) {
END
print "            case $_:\n                sink += level0_call$_(&r, i);\n",
    "                break;\n" for 0 .. $width - 1;
print "            }\n    return sink == 1;\n}\n";
