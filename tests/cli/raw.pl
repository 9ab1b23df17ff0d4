# raw.pl [FILE] - what `go tool pprof -raw` prints, as that of Go 1.19 does
#
# Later ones print the columns of lines, "x.c:10:3" in place of "x.c:10", and
# number locations as they stand in a profile of one file, not as they first
# come in its samples.
use strict;
use warnings;

my ($part, $id, %text, @order, %number, @samples) = ('head');

sub number { # ID
    push @order, $_[0] if !$number{$_[0]};
    return $number{$_[0]} ||= @order;
}

while (<>) {
    $part = 'Samples' if /^Samples:/;
    $part = 'Mappings' if /^Mappings$/;
    if (/^Locations$/) {
        $part = 'Locations';
        next;
    }
    if ($part eq 'Samples') {
        s/^( *-?\d.*: )((?:\d+ ?)+)$/$1 . join '', map { number($_) . ' ' }
            split ' ', $2/e;
        print;
    } elsif ($part eq 'Locations') {
        s/(:\d+):\d+( s=\d+)/$1$2/;
        $id = $1 if s/^ *(\d+): //;
        $text{$id} .= $_;
    } else {
        locations() if /^Mappings$/;
        print;
    }
}
locations() if $part eq 'Locations';

sub locations {
    number($_) for sort { $a <=> $b } keys %text;
    print "Locations\n";
    printf '%6d: %s', $number{$_}, $text{$_} // "\n" for @order;
}
