#!/usr/bin/perl
# reader.pl N COMMAND... - runs the command with a pipe as standard output that
# holds one page, reads N bytes from it, and goes away
#
# With READER_NONBLOCK=1 the command's writes do not wait for room in it.
#
# Prints the N bytes, and to standard error what the command says and then
# "status S", 128 more than the signal that it died of.
use strict;
use warnings;
use Fcntl;

use constant F_SETPIPE_SZ => 1031;

my ($n, @command) = @ARGV;
$SIG{PIPE} = $ENV{READER_PIPE} || 'DEFAULT';
pipe my $out, my $in or die "pipe: $!";
fcntl $in, F_SETPIPE_SZ, 4096 or die "F_SETPIPE_SZ: $!";
if ($ENV{READER_NONBLOCK}) {
    fcntl $in, F_SETFL, O_WRONLY | O_NONBLOCK or die "F_SETFL: $!";
}
my $pid = fork // die "fork: $!";
if ($pid == 0) {
    close $out;
    open STDOUT, '>&', $in or die "dup: $!";
    exec { $command[0] } @command or die "exec: $!";
}
close $in;
binmode STDOUT;
while ($n > 0) {
    my $bytes;
    my $k = sysread $out, $bytes, $n;
    die "read: $!" unless defined $k;
    last unless $k;
    print $bytes;
    $n -= $k;
}
close $out;
waitpid $pid, 0;
print STDERR 'status ', $? & 127 ? 128 + ($? & 127) : $? >> 8, "\n";
