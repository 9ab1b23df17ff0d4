#!/usr/bin/perl
# What is in a page of pbcat --flame, read by nothing of ours.
#
#   flame.pl header [PATH] PAGE      the header, or one member of it, as JSON
#   flame.pl folded TYPE PAGE        folded stacks of type TYPE (an index),
#                                    those of a difference: new minus base
#   flame.pl as-folded TYPE PAGE     the same with names as --folded writes
#                                    them: ':' in place of ';'
#   flame.pl base TYPE PAGE          of the base
#   flame.pl names PAGE              each name with its file and package
#   flame.pl table TYPE PAGE         "FLAT CUM NAME" of each name that has
#                                    values, sorted; new minus base
use strict;
use warnings;
use IO::Uncompress::Gunzip qw(gunzip $GunzipError);
use JSON::PP;
use MIME::Base64;

my ($what, @rest) = @ARGV;
my $page = do {
    open my $in, '<:raw', $rest[-1] or die "$rest[-1]: $!\n";
    local $/;
    <$in>;
};
my $base64 = qr{[A-Za-z0-9+/]+=*};
$page =~ m{<script type="text/plain" id="profile">($base64(?: $base64)*)</script>}
    or die "no data\n";
my $data = '';
for (split / /, $1) {
    my $packed = decode_base64($_);
    gunzip(\$packed => \my $piece) or die "$GunzipError\n";
    $data .= $piece;
}
my $n = unpack 'V', $data;
my $json = JSON::PP->new->canonical->utf8->allow_nonref;
my $header = $json->decode(substr $data, 4, $n);
my $at = 4 + $n;

if ($what eq 'header') {
    print $json->encode(@rest > 1 ? $header->{$rest[0]} : $header), "\n";
    exit;
}

sub number {
    my ($v, $shift) = (0, 0);
    for (;;) {
        $at < length $data or die "the data ends in a column\n";
        my $byte = ord substr $data, $at++, 1;
        $v |= ($byte & 127) << $shift;
        $shift += 7;
        return $v if $byte < 128;
    }
}

sub zigzag {
    my $v = number();
    return $v & 1 ? -1 - ($v >> 1) : $v >> 1;
}

sub column { my ($read, $n) = @_; [map { $read->() } 1 .. $n] }

my @names = @{$header->{names}};
my $n_types = @{$header->{types}};
my $file = column(\&number, scalar @names);
my $package = column(\&number, scalar @names);
my $binary = column(\&number, scalar @names);
my $kind = column(\&number, scalar @names);
my $name = column(\&number, $header->{nodes});
my $closed = column(\&number, $header->{nodes});
my @self = map { column(\&zigzag, $header->{nodes}) } 1 .. $n_types;
my @base = $header->{diff}
    ? map { column(\&zigzag, $header->{nodes}) } 1 .. $n_types : ();
my @functions = $header->{merged}
    ? map { column(\&zigzag, scalar @names) } 1 .. 2 * ($n_types + @base) : ();
$at == length $data or die "bytes behind the data\n";

if ($what eq 'names') {
    binmode STDOUT, ':utf8';
    for my $i (0 .. $#names) {
        my $f = $file->[$i] ? $header->{files}[$file->[$i] - 1] : '-';
        my $p = $package->[$i] ? $header->{packages}[$package->[$i] - 1] : '-';
        print "$names[$i]\t$f\t$p\n";
    }
} elsif ($what eq 'table') {
    binmode STDOUT, ':utf8';
    my ($t, @flat, @cum, @open) = $rest[0];
    my $of = sub { my ($v, $i) = @_;
        $v->[$t][$i] - (@base ? $v->[$t + $n_types][$i] : 0) };
    for my $i (0 .. $header->{nodes} - 1) {
        splice @open, @open - $closed->[$i];
        push @open, $name->[$i];
        my ($v, %seen) = $of->([@self, @base], $i);
        $flat[$open[-1]] += $v;
        $seen{$_}++ or $cum[$_] += $v for @open;
    }
    if (@functions) {
        my $sums = $n_types + @base;
        @flat = map { $of->([@functions[0 .. $sums - 1]], $_) } 0 .. $#names;
        @cum = map { $of->([@functions[$sums .. 2 * $sums - 1]], $_) }
            0 .. $#names;
    }
    print sort map { "$flat[$_] $cum[$_] $names[$_]\n" }
        grep { $flat[$_] || $cum[$_] } 0 .. $#names;
} else {
    binmode STDOUT, ':utf8';
    my @stack;
    for my $i (0 .. $header->{nodes} - 1) {
        my $depth = @stack - $closed->[$i];
        $depth >= 0 or die "node $i is above the root\n";
        my $frame = $names[$name->[$i]];
        $frame =~ tr/;/:/ if $what eq 'as-folded';
        @stack = (@stack[0 .. $depth - 1], $frame);
        my $v = $what eq 'base' ? $base[$rest[0]][$i]
            : $self[$rest[0]][$i] - (@base ? $base[$rest[0]][$i] : 0);
        print join(';', @stack), " $v\n" if $v;
    }
}
