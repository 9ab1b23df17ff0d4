# pprof_server.pl SOCKET SYMBOLS PROFILE [PATH] - a program that serves its
# profile
#
# Answers as gperftools' example of a server does, for google-pprof: GET PATH
# (default /pprof/profile) is the file PROFILE, /pprof/cmdline the word
# "served", and POST /pprof/symbol names addresses by the file SYMBOLS, lines
# "HEX-ADDRESS NAME" that say where functions begin.  SOCKET is a name in the
# file system, as there may be no network.  Runs until it is killed.
use strict;
use warnings;
no warnings 'portable'; # addresses have 64 bits
use IO::Socket::UNIX;

my ($socket, $symbols, $profile, $path) = @ARGV;
$path //= '/pprof/profile';

sub contents {
    open(my $file, '<:raw', $_[0]) or die "$_[0]: $!\n";
    local $/;
    return <$file>;
}

my @functions = sort { $a->[0] <=> $b->[0] }
    map { /^(\S+) (.*)/ ? [hex $1, $2] : () } split /\n/, contents($symbols);

sub name_of {
    my $address = shift;
    my $name = '';
    for (@functions) {
        $name = $_->[1] if $_->[0] <= $address;
    }
    return $name;
}

sub answer {
    my ($method, $url, $body) = @_;
    $url =~ s/\?.*//;
    return contents($profile) if $url eq $path;
    return "served\0--flag\0" if $url eq '/pprof/cmdline';
    return 'num_symbols: ' . @functions . "\n" if $method ne 'POST';
    return join '', map { "$_\t" . name_of(hex) . "\n" } split /\+/, $body;
}

my $server = IO::Socket::UNIX->new(Local => $socket, Listen => 5)
    or die "$socket: $!\n";
while (my $client = $server->accept) {
    binmode $client;
    my ($method, $url) = (<$client> // '') =~ /^(\S+) (\S+)/ or next;
    my ($length, $body) = (0, '');
    while (defined(my $line = <$client>)) {
        last if $line =~ /^\r?$/;
        $length = $1 if $line =~ /^Content-Length: *(\d+)/i;
    }
    read $client, $body, $length if $length;
    my $text = answer($method, $url, $body);
    print $client "HTTP/1.0 200 OK\r\nContent-Length: ", length $text,
        "\r\nConnection: close\r\n\r\n", $method eq 'HEAD' ? '' : $text;
    close $client;
}
