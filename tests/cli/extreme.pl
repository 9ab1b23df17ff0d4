# extreme.pl VALUE [VALUE2] - a profile in which all numbers are VALUE
#
# Raw profile.proto: values of all sample types, labels with every kind of
# unit, times, period, addresses, lines and columns, limits of mappings.  Of
# two samples the second has VALUE2, or 0.  Numbers are unsigned: what is
# negative is given as its complement to 2^64.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Wire;

my ($v, $w) = (@ARGV, 0);
my @units = qw(count nanoseconds microseconds seconds minutes hours days weeks
    years bytes kilobytes petabytes nanogcu gcu exagcu odd);
my (@strings, %id);

sub id {
    my ($s) = @_;
    return $id{$s} //= push(@strings, $s) - 1;
}

binmode STDOUT;
id("");
print text(1, int64(1, id("t$_")) . int64(2, id($_))) for @units;
for my $x ($v, $w) {
    my $labels = join "", map {
        text(3, int64(1, id("key $_")) . int64(3, $x) . int64(4, id($_)))
    } @units;
    print text(2, text(1, num(1) . num(2)) . text(2, num($x) x @units) . $labels);
}
print text(3, int64(1, 1) . int64(2, $v) . int64(3, $w) . int64(4, $v) .
        int64(5, id("prog")));
print text(3, int64(1, 2) . int64(2, 0) . int64(3, $v) . int64(5, id("lib")));
for my $i (1, 2) {
    print text(4, int64(1, $i) . int64(2, $i) . int64(3, $v) .
            text(4, int64(1, $i) . int64(2, $v) . int64(3, $v)));
    print text(5, int64(1, $i) . int64(2, id("f$i")) . int64(4, id("f.c")) .
            int64(5, $v));
}
print int64(9, $v), int64(10, $v), int64(12, $v);
print text(11, int64(1, id("t")) . int64(2, id("nanoseconds")));
print text(6, $_) for @strings;
