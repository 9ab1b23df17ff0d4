#!/usr/bin/perl
# gmon.pl COMMAND [ARG...] - what the tests of gmon2pb need
#
#   make FORMAT ORDER [FIELD=VALUE...]
#       a gmon.out on standard output.  FORMAT is gnu, ld, bsd44, old, osf or
#       darwin with 32 or 64 behind it, ORDER little or big; the fields and
#       their defaults are low=0x8000 high=0x8010 rate=100 dimension=seconds
#       bins=0,2,0,1 arcs=0x8000:0x8008:7,... binorder=ORDER; an empty bins or
#       arcs leaves them out.
#   convert FORMAT ORDER FILE
#       the same with the content of FILE, which is of glibc and of the size
#       of addresses that FORMAT has
#   head FILE
#       "low high bins" of the first histogram of a 64-bit little-endian GNU
#       file, or with -32 before FILE of a 32-bit one, in decimal.
#   functions
#       reads what `pprof -raw` prints; for each function a line "NAME
#       SECONDS CALLS" in order of names: time of the samples' leaves, calls
#       of samples of two whose functions differ.  Where there is no time,
#       samples are taken as hundredths of seconds.
#   gprof
#       the same from what `gprof -b -p` prints.
use strict;
use warnings;

binmode STDOUT;
my $command = shift // '';
if    ($command eq 'make')      { make(@ARGV) }
elsif ($command eq 'convert')   { convert(@ARGV) }
elsif ($command eq 'head')      { head(@ARGV) }
elsif ($command eq 'functions') { functions() }
elsif ($command eq 'gprof')     { gprof() }
else                            { die "gmon.pl: unknown command '$command'\n" }

sub make {
    my ($format, $order, @fields) = @_;
    my %f = (
        low => '0x8000', high => '0x8010', rate => 100, dimension => 'seconds',
        bins => '0,2,0,1', arcs => '0x8000:0x8008:7', binorder => $order,
        map { split /=/, $_, 2 } @fields
    );
    my $number = sub { $_[0] =~ /^0x/ ? hex $_[0] : $_[0] };
    my @arcs = map { [map { $number->($_) } split /:/] } split /,/, $f{arcs};
    $f{$_} = $number->($f{$_}) for qw(low high);
    write_file($format, $order, %f, bins => [split /,/, $f{bins}],
        arcs => \@arcs);
}

# low, high, rate, dimension and binorder; bins; arcs as [from, self, count].
sub write_file {
    my ($format, $order, %f) = @_;
    my $end = $order eq 'big' ? '>' : '<';
    my ($family, $bits) = $format =~ /^([a-z]+|bsd44)(32|64)$/
      or die "gmon.pl: unknown format '$format'\n";
    my ($a, $word) = ($bits == 64 ? "Q$end" : "L$end", "L$end");
    my $n = $bits / 4;
    my @range = @f{qw(low high)};
    my $bins = pack(($f{binorder} eq 'big' ? 'S>' : 'S<') . '*', @{$f{bins}});
    my $hist = pack("$a$a $word$word a15 a1", @range, scalar @{$f{bins}},
        $f{rate}, $f{dimension}, $f{dimension}) . $bins;
    my $head = pack("$a$a $word$word$word x12", @range,
        $n + 24 + length $bins, 0x51879, $f{rate});
    my @arcs = map { pack("$a$a$a", @$_) } @{$f{arcs}};
    my @short = map { pack("$a$a$word", @$_) } @{$f{arcs}};
    if ($family eq 'gnu') {
        print 'gmon', pack("$word x12", 1);
        print "\0", $hist if length $bins;
        print "\1", $_ for @short;
    } elsif ($family eq 'ld') {
        $_->[0] &&= $_->[0] - $f{low}, $_->[1] -= $f{low} for @{$f{arcs}};
        print 'gmon', pack("$word x12 $word", 0x1ffff, 0), $hist,
          pack("$word$word", 1, scalar @short),
          map({ pack("$a$a$word", @$_) } @{$f{arcs}}), "\0" x (100 * ($n + 4));
    } elsif ($family eq 'bsd44') {
        print $head, $bins, @arcs;
    } elsif ($family eq 'old' || $family eq 'osf') {
        my $pad = $family eq 'osf' ? 4 : 0;
        print pack("$a$a $word x$pad", @range, $n + 4 + $pad + length $bins),
          $bins, @arcs;
    } else {
        my $junk = $bits == 64 ? pack($word, 0x7ffe1234) : '';
        my $raw = join '', map { $_ . $junk } @short;
        print pack($word, $bits == 64 ? 0xbeefbabf : 0xbeefbabe),
          map({ pack("$word$word", $_->[0], length $_->[1]), $_->[1] }
            [1, $head . $bins], [2, $raw]);
    }
}

sub convert {
    my ($format, $order, $path) = @_;
    open my $file, '<:raw', $path or die "$path: $!\n";
    my $data = do { local $/; <$file> };
    my ($a, $n) = $format =~ /64$/ ? ('Q<', 8) : ('L<', 4);
    my %f = (arcs => [], bins => [], binorder => $order);
    for (my $at = 20 ; $at < length $data ; ) {
        my $tag = unpack 'C', substr $data, $at++, 1;
        if ($tag == 0) {
            @f{qw(low high count rate dimension)} =
              unpack "$a$a L<L< Z15", substr $data, $at, 2 * $n + 24;
            $at += 2 * $n + 24;
            $f{bins} = [unpack 'S<*', substr $data, $at, 2 * $f{count}];
            $at += 2 * $f{count};
        } elsif ($tag == 1) {
            push @{$f{arcs}}, [unpack "$a$a L<", substr $data, $at, 2 * $n + 4];
            $at += 2 * $n + 4;
        } else {
            die "$path: tag $tag\n";
        }
    }
    write_file($format, $order, %f);
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
    my $timed = grep { $_->[0][$at{cpu}] } @samples;
    for (@samples) {
        my ($values, $stack) = @$_;
        my ($leaf, $caller) = map { $name{$_} } @$stack;
        my $calls = $values->[$at{calls}];
        $seconds{$leaf} +=
          $timed
          ? $values->[$at{cpu}] / 1e9
          : $values->[$at{samples}] / 100;
        $calls{$leaf} += $calls
          if $calls && defined $caller && $leaf ne $caller;
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
