#!/usr/bin/perl
# kill.pl N WANTED OUT COMMAND... - runs the command, which makes OUT, N times
# and kills it with SIGKILL after a random time, of up to twice what it takes
#
# Each time OUT is either "old\n", which it is before, or what WANTED is; and
# what else is left here is called as temporary files are.  Prints "old X new Y
# temporary Z".
use strict;
use warnings;
use Time::HiRes qw(time sleep);

my ($n, $wanted, $out, @command) = @ARGV;
my ($old, $new, $temporary) = (0, 0, 0);

sub content {
    open my $f, '<:raw', $_[0] or die "$_[0]: $!";
    local $/;
    return scalar <$f>;
}

sub start {
    my $pid = fork // die "fork: $!";
    exec { $command[0] } @command or die "exec: $!" if $pid == 0;
    return $pid;
}

$wanted = content($wanted);
my $begin = time;
waitpid start(), 0;
my $took = time - $begin;
for (1 .. $n) {
    open my $f, '>', $out or die "$out: $!";
    print $f "old\n";
    close $f or die "$out: $!";
    my $pid = start();
    sleep rand 2 * $took;
    kill 'KILL', $pid;
    waitpid $pid, 0;
    my $is = content($out);
    if ($is eq $wanted) { $new++ }
    elsif ($is eq "old\n") { $old++ }
    else { die "$out is neither the old file nor the new\n" }
    for my $name (glob ".$out.*") {
        die "left: $name\n" unless $name =~ /^\.\Q$out\E\.[0-9a-f]{16}$/;
        unlink $name or die "$name: $!";
        $temporary++;
    }
}
print "old $old new $new temporary $temporary\n";
