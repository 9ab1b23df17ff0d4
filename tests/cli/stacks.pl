#!/usr/bin/perl
# stacks.pl - a gzip file of more than 2 MiB, whose stacks share frames
#
# The profile has 6,000 samples of three types with labels of each kind, up to
# 120 frames deep; most begin like the one before, and some are equal to one
# before.  Some locations have inlined lines, or none.  The file is always the
# same.  Its data is stored, not compressed, so that it is large.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use IO::Compress::Gzip qw(gzip $GzipError);
use Wire;

my ($samples, $locations, $functions) = (6000, 40000, 8000);
my (@strings, %string) = ('');
$string{''} = 0;

sub string {
    my ($s) = @_;
    $string{$s} //= do { push @strings, $s; $#strings };
    return $string{$s};
}

# A number below n; the next of a sequence (MINSTD), of a period of 2^31.
my $random = 1;

sub below {
    $random = $random * 48271 % 2147483647;
    return $random % $_[0];
}

# A negative number as a varint, too.
sub value {
    my ($n) = @_;
    return num($n) if $n >= 0;
    my $s = '';
    for (1 .. 9) { $s .= chr($n & 127 | 128); $n = ($n >> 7) | 127 << 57 }
    return $s . "\1";
}

sub value_type { return int64(1, string($_[0])) . int64(2, string($_[1])) }

sub label {
    my ($key, $text, $number, $unit) = @_;
    my $label = int64(1, string($key));
    $label .= int64(2, string($text)) if defined $text;
    $label .= int64(3, $number) if defined $number;
    $label .= int64(4, string($unit)) if defined $unit;
    return text(3, $label);
}

my $data = text(1, value_type('samples', 'count'))
    . text(1, value_type('cpu', 'nanoseconds'))
    . text(1, value_type('alloc_space', 'bytes'));

my (@stack, @all);
for my $i (1 .. $samples) {
    my $depth = below(20) ? 20 + below(60) : below(121);
    my $same = @stack < $depth ? @stack : $depth;
    $same = below($same + 1) unless below(4);
    if ($i > 100 && !below(10)) {
        @stack = @{$all[below(100)]};
    } else {
        @stack = ((map { 1 + below($locations) } 1 .. $depth - $same),
            @stack[@stack - $same .. $#stack]);
        # Recursion.
        $stack[0] = $stack[1] if @stack > 1 && !below(10);
    }
    push @all, [@stack];
    my $n = $i % 90 ? 1 + below(9) : 0;
    my $bytes = below(50) ? $n * below(100000) : -$n;
    my $sample = text(1, join '', map { num($_) } @stack);
    $sample .= text(2, num($n) . num($n * 10000000) . value($bytes));
    $sample .= label('thread', 'worker ' . below(9)) if below(9);
    $sample .= label('bytes', undef, 1 << below(12), 'bytes') if below(3);
    $sample .= label('timestamp_ns', undef, 1700000000000000000 + $i * 10000000);
    $data .= text(2, $sample);
}
for my $m (1 .. 3) {
    $data .= text(3, int64(1, $m) . int64(2, $m << 24)
        . int64(3, ($m + 1) << 24) . int64(5, string("/bin/program$m"))
        . int64(6, string("b1d$m")) . int64(7, 1));
}
for my $l (1 .. $locations) {
    my $m = 1 + $l % 3;
    my $location = int64(1, $l) . int64(2, $m) . int64(3, ($m << 24) + 16 * $l);
    # Innermost first.
    my $lines = $l % 50 ? 1 + ($l % 7 == 0) + ($l % 21 == 0) : 0;
    for (1 .. $lines) {
        $location .= text(4, int64(1, 1 + below($functions))
            . int64(2, 1 + below(500)));
    }
    $data .= text(4, $location);
}
for my $f (1 .. $functions) {
    my $name = string(
        ('run', 'net/http.serve', 'runtime.malloc', 'std::sort<int>')[$f % 4]
            . $f);
    $data .= text(5, int64(1, $f) . int64(2, $name) . int64(3, $name)
        . int64(4, string('/src/package' . $f % 40 . '/file.go'))
        . int64(5, $f % 300));
}
my $header = int64(7, string('std::sort<int>7.*'))
    . int64(9, 1700000000000000000) . int64(10, 60000000000)
    . text(11, value_type('cpu', 'nanoseconds')) . int64(12, 10000000)
    . int64(13, string('a comment')) . int64(14, string('cpu'));
$data .= $header . join '', map { text(6, $_) } @strings;
binmode STDOUT;
gzip(\$data => '-', -Level => 0, -Minimal => 1) or die "$GzipError\n";
