#!/usr/bin/perl
# trickle.pl FILE COMMAND... - runs the command with the bytes of the file,
# one at a time, as its standard input, and exits as it does
#
# With STOP=1 in the environment the command is stopped, told that its child
# ended and its window changed, and continued, before each of the first bytes.
# With NONBLOCK=1 its reads do not wait for the next one.
use strict;
use warnings;
use Fcntl;
use POSIX ();

my ($file, @command) = @ARGV;
open my $from, '<:raw', $file or die "$file: $!";
my $bytes = do { local $/; <$from> };
pipe my $out, my $in or die "pipe: $!";
if ($ENV{NONBLOCK}) {
    fcntl $out, F_SETFL, O_RDONLY | O_NONBLOCK or die "F_SETFL: $!";
}
my $pid = fork // die "fork: $!";
if ($pid == 0) {
    close $in;
    open STDIN, '<&', $out or die "dup: $!";
    exec { $command[0] } @command or die "exec: $!";
}
close $out;
$SIG{PIPE} = 'IGNORE';
for my $i (0 .. length($bytes) - 1) {
    if ($ENV{STOP} && $i < 200) {
        kill $_, $pid for qw(STOP CHLD WINCH URG CONT);
    }
    last unless defined syswrite $in, $bytes, 1, $i;
}
close $in;
waitpid $pid, 0;
POSIX::_exit($? & 127 ? 128 + ($? & 127) : $? >> 8);
