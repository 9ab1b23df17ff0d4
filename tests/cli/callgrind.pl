# callgrind.pl [--tree] [--event=N] <FILE: reads callgrind's format strictly, and says
# what is in it.
#
# A function is what KCachegrind takes for one: binary, file and name, where
# "(N) text" gives texts a number once, before it is used alone.  Fails when
# the grammar is broken, a number is used before it has a text or gets another
# one, a function that is called has no costs of its own under the same binary,
# file and name, or the costs do not add up to `totals:`.  With --tree, what
# comes into each function must be what it measures and calls, too, and what
# has no caller must add up to the total.
#
# Prints the event, "NAME SELF" and "CALLER > CALLEE COST", each sorted; of
# several events only that with the number N, from 0.
use strict;
use warnings;

my ($tree, $number) = (0, undef);
for (@ARGV) {
    $tree = 1 if $_ eq '--tree';
    $number = $1 if /^--event=(\d+)$/;
}
my @events;
my (%text, %now, %called, %self, %in, %out, %call, %file_of);
my ($event, $total, $sum, $calls, $line) = ('', undef, 0, 0, 0);

sub fail { die "line $.: @_: $line\n" }

# The text of "(N) text" or "(N)", for one kind of names.
sub text {
    my ($kind, $value) = @_;
    $value =~ /^\((\d+)\)(?: (\S.*))?$/ or fail 'no compressed name';
    if (defined $2) {
        fail 'number with a second text' if exists $text{$kind}{$1};
        $text{$kind}{$1} = $2;
    }
    return $text{$kind}{$1} // fail 'number without text';
}

# A function's number stands for its binary and file, too.
sub function {
    my ($value, $object, $file) = @_;
    my $name = text('fn', $value);
    my ($number) = $value =~ /^\((\d+)\)/;
    my $function = join "\0", $object, $file, $name;
    $file_of{$number} //= $function;
    fail 'function of another file or binary' if $file_of{$number} ne $function;
    return $function;
}

# The cost of the event that was asked for.
sub cost {
    my @costs = split ' ', $_[0];
    fail 'number of costs' if @costs != @events;
    return $costs[$number // 0];
}

my $header = 1;
while ($line = <STDIN>) {
    chomp $line;
    next if $line eq '' || $line =~ /^#/;
    if ($header) {
        $line =~ /^(creator|positions|events): (.+)$/ or fail 'header';
        fail 'positions' if $1 eq 'positions' && $2 ne 'instr line';
        next if $1 ne 'events';
        @events = split / /, $2;
        fail 'more than one event' if @events > 1 && !defined $number;
        $event = $events[$number // 0] // fail 'no such event';
        $header = 0;
    } elsif ($line =~ /^totals:((?: -?\d+)+)$/) {
        $total = cost($1);
    } elsif ($line =~ /^(ob|fl)=(.*)$/) {
        $now{$1} = text($1, $2);
        delete $now{fn};
    } elsif ($line =~ /^fn=(.*)$/) {
        $now{fn} = function($1, $now{ob}, $now{fl});
        $self{$now{fn}} //= 0;
    } elsif ($line =~ /^c(ob|fl)=(.*)$/) {
        $called{$1} = text($1, $2);
    } elsif ($line =~ /^cfn=(.*)$/) {
        $called{fn} = function($1, $called{ob} // $now{ob},
            $called{fl} // $now{fl});
    } elsif ($line =~ /^calls=[1-9]\d* 0x[0-9a-f]+ \d+$/) {
        fail 'call of nothing' if !$called{fn};
        $calls = 1;
    } elsif ($line =~ /^\* \*((?: -?\d+)+)$/) {
        fail 'cost of no call' if !$calls;
        my $cost = cost($1);
        $call{"$now{fn}\x01$called{fn}"} += $cost;
        $out{$now{fn}} += $cost;
        $in{$called{fn}} += $cost;
        %called = ();
        $calls = 0;
    } elsif ($line =~ /^0x[0-9a-f]+ \d+((?: -?\d+)+)$/) {
        fail 'cost of no function' if !$now{fn} || $calls;
        my $cost = cost($1);
        $self{$now{fn}} += $cost;
        $sum += $cost;
    } else {
        fail 'neither a position nor a cost';
    }
}
die "no totals\n" if !defined $total;
die "totals: $total, but costs add up to $sum\n" if $total != $sum;

sub name { (split /\0/, $_[0])[2] }

for (sort keys %in) {
    die name($_), " is called and not defined\n" if !exists $self{$_};
}
if ($tree) {
    my $roots = 0;
    for (sort keys %self) {
        my $inclusive = $self{$_} + ($out{$_} // 0);
        die name($_), ": $in{$_} comes in, $inclusive goes out\n"
            if exists $in{$_} && $in{$_} != $inclusive;
        $roots += $inclusive if !exists $in{$_};
    }
    die "roots have $roots of $total\n" if $roots != $total;
}
print "$event\n";
print "$_\n" for sort map { name($_) . " $self{$_}" } keys %self;
print "$_\n" for sort map {
    my ($from, $to) = split /\x01/;
    name($from) . ' > ' . name($to) . " $call{$_}"
} keys %call;
