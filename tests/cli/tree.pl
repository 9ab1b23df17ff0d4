#!/usr/bin/perl
# tree.pl SEED FAULT NAME... - a random plan to merge NAMEs in steps
#
# Prints a line for each task, "STEP PART TIMES OPTION,... INPUT...":
#
#   slice part1 1 -6 d a c                       reads some of the NAMEs
#   merge part4 2 -0,-T2,--memory=16M part2 part1  reads parts; runs twice
#
# The last PART is the result.  FAULT is none or, of a slice at random: lost,
# its task is missing; twice, another task does the same.
use strict;
use warnings;

my ($seed, $fault, @names) = @ARGV;
my ($n, @open) = (0);
srand $seed;

# Takes up to $k elements out of @$from, from any places.
sub take {
    my ($from, $k) = @_;
    return map { @$from ? splice @$from, rand @$from, 1 : () } 1 .. $k;
}

sub task {
    my ($step, @inputs) = @_;
    my @options = ('-' . int rand 10);
    if ($step eq 'merge') {
        push @options, '-T' . (1 + int rand 2);
        push @options, '--memory=' . (16 + int rand 32) . 'M' if rand() < 0.4;
    }
    my $part = 'part' . ++$n;
    my $times = rand() < 0.25 ? 2 : 1;
    print join(' ', $step, $part, $times, join(',', @options), @inputs), "\n";
    push @open, $part;
}

my @slices;
push @slices, [take(\@names, 1 + rand 3)] while @names;
my $which = rand @slices;
push @slices, $slices[$which] if $fault eq 'twice';
splice @slices, $which, 1 if $fault eq 'lost';
task('slice', @$_) for @slices;
do {
    task('merge', take(\@open, 1 + rand 4));
} while (@open > 1);
