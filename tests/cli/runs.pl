#!/usr/bin/perl
# runs.pl N GMON - profiles of N imaginary runs of a program, by kind
#
#   folded1 ... foldedN    folded stacks
#   threads1 ... threadsN  stacks of threads, in gperftools' text format
#   gmon1 ... gmonN        GMON, a 64-bit file of glibc, with other counts
#
# Runs share most of their stacks.  The same N and GMON give the same files.
use strict;
use warnings;
no warnings 'portable'; # addresses have 64 bits

my ($n, $gmon) = @ARGV;
srand 7;
for my $run (1 .. $n) {
    save("folded$run", join '', map { folded($_) } 1 .. 40);
    save("threads$run", threads());
    save("gmon$run", changed($gmon));
}

sub save {
    my ($name, $bytes) = @_;
    open my $out, '>:raw', $name or die "$name: $!\n";
    print {$out} $bytes;
    close $out or die "$name: $!\n";
}

sub folded {
    my @stack = ('main', map { 'f' . int rand 9 } 1 .. rand 5);
    return join(';', @stack) . ' ' . (1 + int rand 1000) . "\n";
}

sub threads {
    my $text = "--- threadz 1 ---\n\n";
    for my $thread (1 .. 9) {
        $text .= sprintf "--- Thread %x (name: t%d/%d) stack: ---\n  PC: %s\n",
            4096 * $thread, rand 3, rand 4,
            join ' ', map { sprintf '0x%x', 0x401000 + 16 * int rand 9 } 0 .. 3;
    }
    return "$text--- Memory map: ---\n  00400000-00500000: /bin/server\n";
}

# Bins and counts of arcs are multiplied; some arcs are missing.
sub changed {
    my ($name) = @_;
    open my $in, '<:raw', $name or die "$name: $!\n";
    my $from = do { local $/; <$in> };
    my $to = substr $from, 0, 20;
    for (my $at = 20; $at < length $from;) {
        if (ord substr $from, $at, 1) {
            my @arc = unpack "\@${at}CQ<Q<L<", $from;
            $arc[3] *= 1 + int rand 9;
            $to .= pack 'CQ<Q<L<', @arc if rand() < 0.9;
            $at += 21;
        } else {
            my $bins = unpack "\@${\($at + 17)}L<", $from;
            my @count = unpack "\@${\($at + 41)}S<$bins", $from;
            $to .= substr $from, $at, 41;
            $to .= pack 'S<*', map { $_ * int rand 9 } @count;
            $at += 41 + 2 * $bins;
        }
    }
    return $to;
}
