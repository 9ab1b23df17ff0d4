#!/usr/bin/perl
# repeat.pl N FILE - a recording of perf with its samples N times, in time order
#
# For recordings of one event by perf of this machine.  Mappings and names are
# not repeated: they stay as they are after the first time.
use strict;
use warnings;

use constant { SAMPLE => 9, FINISHED_ROUND => 68, HEADER => 8 };

my ($n, $path) = @ARGV;
open my $in, '<:raw', $path or die "$path: $!\n";
my $file = do { local $/; <$in> };
my ($attrs, undef, $data, $size) = unpack 'Q<4', substr $file, 24;
my $type = unpack 'Q<', substr $file, $attrs + 24;

# The time follows the identifier, the address and the thread, if they exist.
my $time = HEADER + 8 * grep { $type & $_ } 1 << 16, 1, 2;
my (@records, $first, $last);
for (my $at = $data; $at < $data + $size;) {
    my ($kind, undef, $bytes) = unpack 'L<S<S<', substr $file, $at, HEADER;
    my $record = substr $file, $at, $bytes;
    $at += $bytes;
    push @records, $record if $kind == SAMPLE || $kind == FINISHED_ROUND;
    next if $kind != SAMPLE;
    my $t = unpack 'Q<', substr $record, $time, 8;
    $first = $t if !defined $first || $t < $first;
    $last = $t if !defined $last || $t > $last;
}
my $more = 0;
$more += ($n - 1) * length for @records;
substr $file, 48, 8, pack 'Q<', $size + $more;

# Feature sections lie after the data: a table of their offsets and sizes.
my $end = substr $file, $data + $size;
for my $i (0 .. unpack('%32b*', substr $file, 72, 32) - 1) {
    my $to = unpack 'Q<', substr $end, 16 * $i, 8;
    substr $end, 16 * $i, 8, pack 'Q<', $to + $more;
}
binmode STDOUT;
print substr $file, 0, $data + $size;
for my $i (1 .. $n - 1) {
    my $later = $i * ($last - $first + 1);
    for my $record (@records) {
        my $copy = $record;
        if (length $copy > HEADER) {
            my $t = unpack 'Q<', substr $copy, $time, 8;
            substr $copy, $time, 8, pack 'Q<', $t + $later;
        }
        print $copy;
    }
}
print $end;
