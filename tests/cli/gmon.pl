#!/usr/bin/perl
# gmon.pl COMMAND [ARG...] - what the tests of gmon2pb need
#
#   make FORMAT ORDER [FIELD=VALUE...]
#       a gmon.out on standard output.  FORMAT is gnu or bsd44 with 32 or 64
#       behind it, ORDER little or big; the fields and their defaults are
#       low=0x8000 high=0x8010 rate=100 dimension=seconds bins=0,2,0,1
#       arcs=0x8000:0x8008:7,...; an empty bins or arcs leaves them out.
#   head FILE
#       "low high bins" of the first histogram of a 64-bit little-endian GNU
#       file, or with -32 before FILE of a 32-bit one, in decimal.
#   functions
#       reads what `pprof -raw` prints; for each function a line "NAME
#       SECONDS CALLS" in order of names: time of samples of one frame, calls
#       of samples of two whose functions differ.
#   gprof
#       the same from what `gprof -b -p` prints.
use strict;
use warnings;

binmode STDOUT;
my $command = shift // '';
if    ($command eq 'make')      { make(@ARGV) }
elsif ($command eq 'head')      { head(@ARGV) }
elsif ($command eq 'functions') { functions() }
elsif ($command eq 'gprof')     { gprof() }
else                            { die "gmon.pl: unknown command '$command'\n" }

sub make {
    my ($format, $order, @fields) = @_;
    my %f = (
        low => '0x8000', high => '0x8010', rate => 100, dimension => 'seconds',
        bins => '0,2,0,1', arcs => '0x8000:0x8008:7',
        map { split /=/, $_, 2 } @fields
    );
    my $end = $order eq 'big' ? '>' : '<';
    my $gnu = $format =~ /^gnu/;
    my ($address, $head) = $format =~ /64/ ? ("Q$end", 40) : ("L$end", 32);
    my ($word, $half) = ("L$end", "S$end");
    my $number = sub { $_[0] =~ /^0x/ ? hex $_[0] : $_[0] };
    my @bins = split /,/, $f{bins};
    my @range = map { $number->($_) } @f{qw(low high)};
    if ($gnu) {
        print 'gmon', pack("$word x12", 1);
        print pack("C $address$address $word$word a15 a1 $half*", 0, @range,
            scalar @bins, $f{rate}, $f{dimension}, $f{dimension}, @bins)
          if @bins;
    } else {
        print pack("$address$address $word$word$word x12 $half*", @range,
            $head + 2 * @bins, 0x51879, $f{rate}, @bins);
    }
    for (split /,/, $f{arcs}) {
        my @arc = map { $number->($_) } split /:/;
        print $gnu
          ? pack("C $address$address $word", 1, @arc)
          : pack("$address$address$address", @arc);
    }
}

sub head {
    my $addresses = $_[0] eq '-32' ? 'L<L<' : 'Q<Q<';
    open my $file, '<:raw', $_[-1] or die "$_[-1]: $!\n";
    local $/;
    print join(' ', unpack "x21 $addresses L<", <$file>), "\n";
}

sub show {
    my ($seconds, $calls) = @_;
    printf "%s %.2f %d\n", $_, $seconds->{$_} // 0, $calls->{$_} // 0
      for sort keys %{{%$seconds, %$calls}};
}

sub functions {
    my ($section, @types, @samples, %name, %seconds, %calls) = '';
    while (<STDIN>) {
        if (/^(Samples|Locations|Mappings)/) {
            $section = $1;
            @types = split ' ', <STDIN> if $section eq 'Samples';
        } elsif ($section eq 'Samples' && /^\s*([-\d\s]+):\s*([\d ]+)/) {
            push @samples, [[split ' ', $1], [split ' ', $2]];
        } elsif ($section eq 'Locations' && /^\s*(\d+): (\S+) M=\d+ *(\S*)/) {
            $name{$1} = $3 || $2;
        }
    }
    my %at = map { $types[$_] =~ m{(\w+)/}; $1 => $_ } 0 .. $#types;
    for (@samples) {
        my ($values, $stack) = @$_;
        my ($leaf, $caller) = map { $name{$_} } @$stack;
        if (!defined $caller) {
            $seconds{$leaf} += $values->[$at{cpu}] / 1e9;
        } elsif ($leaf ne $caller) {
            $calls{$leaf} += $values->[$at{calls}];
        }
    }
    show(\%seconds, \%calls);
}

sub gprof {
    my (%seconds, %calls);
    while (<STDIN>) {
        my @column = split;
        next if @column < 4 || grep { !/^[\d.]+$/ } @column[0 .. 2];
        my $function = $column[-1];
        $seconds{$function} = $column[2];
        $calls{$function} = @column > 4 ? $column[3] : 0;
    }
    show(\%seconds, \%calls);
}
