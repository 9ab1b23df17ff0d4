#!/usr/bin/perl
# bulk.pl COMMAND [ARG...] - archives and profiles for the tests of bulk work
#
#   cpu COUNT
#       a gperftools CPU profile with one sample taken COUNT times
#   tar [NAME[@TYPE[@LINK]] FILE]...
#       a tar archive with these entries, whatever their names: TYPE is a
#       ustar type flag (0: a file; 1 and 2: links to LINK; 3: a device;
#       6: a FIFO) and FILE what is in it
#   many N FILE
#       the entries 0 .. N-1 of a tar archive, each with the content of FILE;
#       not the end of the archive
#   end
#       the end of a tar archive
use strict;
use warnings;

binmode STDOUT;
my $command = shift // '';
if    ($command eq 'cpu')  { cpu(@ARGV) }
elsif ($command eq 'tar')  { tar(@ARGV) }
elsif ($command eq 'many') { many(@ARGV) }
elsif ($command eq 'end')  { print "\0" x 1024 }
else                       { die "bulk.pl: unknown command '$command'\n" }

sub cpu {
    my ($count) = @_;
    print pack 'Q<*', 0, 3, 0, 10000, 0, $count, 1, 0x400100, 0, 1, 0;
    print "400000-500000 r-xp 00000000 08:01 1 /nowhere/prog\n";
}

sub content {
    my ($file) = @_;
    open my $in, '<:raw', $file or die "$file: $!\n";
    local $/;
    return <$in>;
}

# https://pubs.opengroup.org/onlinepubs/9699919799/utilities/pax.html#tag_20_92_13_06
sub entry {
    my ($name, $type, $link, $data) = @_;
    my $head = pack 'a100 a8 a8 a8 a12 a12 A8 a1 a100 a6 a2 a32 a32 a8 a8 a155 x12',
        $name, '0000644', '0001750', '0001750', sprintf('%011o', length $data),
        sprintf('%011o', 1_000_000_000), '', $type, $link, 'ustar', '00',
        'someone', 'somegroup', '0000000', '0000000', '';
    substr $head, 148, 8, sprintf "%06o\0 ", unpack '%32C*', $head;
    print $head, $data, "\0" x (-length($data) % 512);
}

sub tar {
    while (@_) {
        my ($name, $type, $link) = split /@/, shift;
        my $file = shift;
        $type //= '0';
        entry($name, $type, $link // '', $type eq '0' ? content($file) : '');
    }
    print "\0" x 1024;
}

sub many {
    my ($n, $file) = @_;
    my $data = content($file);
    entry("run$_/profile", '0', '', $data) for 0 .. $n - 1;
}
