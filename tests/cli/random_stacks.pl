# random_stacks.pl N BASE - a CPU profile of N random stacks of a program
#
# Standard input is what `objdump -d` prints of the program.  Leaves are any of
# its instructions but fillers, callers are where calls return to; BASE, in
# hexadecimal, is added to all.  No caller is the leaf again, for such frames
# are left out by prof2pb alone.  The same input gives the same profile.
use strict;
use warnings;
no warnings 'portable'; # addresses have 64 bits

my ($n, $base) = ($ARGV[0], hex $ARGV[1]);
my (@leaves, @returns, $after_call);
while (<STDIN>) {
    my ($pc, $what) = /^ *([0-9a-f]+):\t[0-9a-f ]+\t(.*)/ or next;
    $pc = $base + hex $pc;
    push @leaves, $pc unless $what =~ /nop|xchg +%ax,%ax/;
    push @returns, $pc if $after_call;
    $after_call = $what =~ /^call/;
}
srand 1;
my @words = (0, 3, 0, 10000, 0);
for (1 .. $n) {
    my $leaf = $leaves[rand @leaves];
    my @callers =
        grep { $_ != $leaf } map { $returns[rand @returns] } 1 .. rand 6;
    my @stack = ($leaf, @callers);
    push @words, 1 + int rand 9, scalar @stack, @stack;
}
print pack 'Q<*', @words, 0, 1, 0;
