#!/usr/bin/perl
# sweep.pl SIGNALS STEP RESULT=WANTED... -- COMMAND... - runs the command, which
# makes the files RESULT here, with each of the signals before every STEP-th of
# its calls that have to do with files, until it makes fewer of them
#
# The signals are numbers, with blanks between; they are sent by the library
# $AT_SO (at.c).  With INPUT=FILE in the environment that comes by a pipe as
# standard input.
#
# Each result is "old\n" before.  After each signal it is that or what WANTED
# is; the command has died of the signal and said nothing; and there are no
# other files than before.  Only SIGKILL may leave some, as temporary ones are
# called.  The last time, when no signal comes, all results are new.  Prints how
# many were sent.
use strict;
use warnings;
use File::Path qw(remove_tree);

my ($signals, $step, @results) = (shift, shift);
push @results, [split /=/, shift, 2] while $ARGV[0] ne '--';
shift;
my @command = @ARGV;

sub content {
    open my $f, '<:raw', $_[0] or die "$_[0]: $!\n";
    local $/;
    return <$f> // '';
}

sub restore {
    for (@results) {
        open my $f, '>', $_->[0] or die "$_->[0]: $!\n";
        print $f "old\n";
        close $f or die "$_->[0]: $!\n";
    }
}

# The names below here, and apart from them those of temporary files.
sub names {
    my ($dir, $names, $temps) = @_;
    opendir my $d, $dir or die "$dir: $!\n";
    for my $name (sort grep { !/^\.\.?$/ } readdir $d) {
        my $path = "$dir/$name";
        if ($name =~ /\.[0-9a-f]{16}$/) {
            push @$temps, $path;
        } else {
            push @$names, $path;
            names($path, $names, $temps) if -d $path && !-l $path;
        }
    }
}

sub run {
    my ($signal, $n) = @_;
    my $pid = fork // die "fork: $!\n";
    if ($pid == 0) {
        # What a shell starts in the background ignores these.
        @SIG{qw(INT QUIT)} = ('DEFAULT') x 2;
        open STDERR, '>', '../stderr' or die "../stderr: $!\n";
        if (defined $ENV{INPUT}) {
            open STDIN, '-|', 'cat', $ENV{INPUT} or die "cat: $!\n";
        }
        @ENV{'AT', 'SIGNAL', 'LD_PRELOAD'} = ($n, $signal, $ENV{AT_SO});
        exec { $command[0] } @command or die "$command[0]: $!\n";
    }
    waitpid $pid, 0;
    return $?;
}

my ($tries, @before) = (0);
$_->[1] = content($_->[1]) for @results;
restore();
names('.', \@before, []);
for my $signal (split ' ', $signals) {
    for (my $n = 1;; $n += $step) {
        my $status = run($signal, $n);
        my $when = "signal $signal before call $n: ";
        my (@names, @temps);
        names('.', \@names, \@temps);
        die $when, "left @temps\n" if @temps && $signal != 9;
        remove_tree(@temps);
        die $when, "not @before, but @names\n" if "@names" ne "@before";
        for (@results) {
            my $is = content($_->[0]);
            die $when, "$_->[0] is something else\n"
                if $is ne $_->[1] && ($status == 0 || $is ne "old\n");
        }
        restore();
        my $said = content('../stderr');
        die $when, "status $status: $said\n"
            if $said ne '' || $status != 0 && ($status & 127) != $signal;
        last if $status == 0;
        $tries++;
        die $when, "no end\n" if $n > 10000;
    }
}
die "no signal was sent\n" if $tries < 2 * split ' ', $signals;
print "$tries\n";
