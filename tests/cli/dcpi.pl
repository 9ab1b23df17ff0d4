#!/usr/bin/perl
# dcpi.pl DIR - writes DCPI files as their format descriptions have them
#
#   cycles.dcpi imiss.dcpi   version 0.07, one event each, of one image
#   dcpi.txt                 both events as dcpicat prints them
#
# The three hold the same counts.
use strict;
use warnings;
no warnings 'portable'; # addresses have 64 bits

my $dir = shift // die "usage: dcpi.pl DIR\n";
my $text_start = 0x120000000;
my $text_size = 0x10000;

# offset from text_start => [cycles, imiss]
my %count = (
    0x1000 => [29, 3],
    0x1004 => [10, 0],
    0x1008 => [1,  7],
    0x100c => [2,  0],
    0x2000 => [400, 0],
    0x2008 => [58, 5],
    0xfffc => [0,  1],
);
my @event = (['cycles', 63488], ['imiss', 4096]);

sub save {
    my ($name, $bytes) = @_;
    open my $out, '>:raw', "$dir/$name" or die "$dir/$name: $!\n";
    print {$out} $bytes;
    close $out or die "$dir/$name: $!\n";
}

# Chunks: offset, how many counts, one count for each 4-byte instruction.
sub binary_part {
    my ($column) = @_;
    my @offset = grep { $count{$_}[$column] } sort { $a <=> $b } keys %count;
    my ($bytes, $total) = ('', 0);
    while (@offset) {
        my $start = shift @offset;
        my @run = ($count{$start}[$column]);
        while (@offset && $offset[0] == $start + 4 * @run) {
            push @run, $count{ shift @offset }[$column];
        }
        $total += $_ for @run;
        $bytes .= pack 'V*', $start, scalar @run, @run;
    }
    my $addresses = grep { $_->[$column] } values %count;
    return $bytes . pack 'VV', $addresses, $total;
}

for my $column (0, 1) {
    my ($event, $period) = @{ $event[$column] };
    my $header = <<"EOT" . 'samples';
version pdb-0.07
image 19970328081403c0c18b
epoch 9805191724
platform walnut
event $event
period $period
tstart @{[ sprintf '%x', $text_start ]}
tsize $text_size
cpuspeed 433
path /usr/local/bin/bank
EOT
    $header .= ' ' while (length($header) + 1) % 4;
    save("$event.dcpi", "$header\n" . binary_part($column));
}

my @total = (0, 0);
for my $row (values %count) {
    $total[$_] += $row->[$_] for 0, 1;
}
my $text = <<"EOT";
name                 bank
image                19970328081403c0c18b
path                 /usr/local/bin/bank
epoch                199805191724
platform             walnut
EOT
$text .= sprintf "text_start           0x%012x\n", $text_start;
$text .= sprintf "text_size            0x%012x\n", $text_size;
$text .= sprintf "event                %d %s:%d:10000\n", $total[$_], @{ $event[$_] }
    for 0, 1;
$text .= sprintf "0x%012x %7d %7d\n", $text_start + $_, @{ $count{$_} }
    for sort { $a <=> $b } keys %count;
save('dcpi.txt', $text);
