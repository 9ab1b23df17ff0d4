#!/usr/bin/perl
# messages.pl - holds the catalogue of messages to what the source says
#
#   tests/lint/messages.pl            compares messages.txt with the source
#   tests/lint/messages.pl --write    writes messages.txt (make messages)
#
# messages.txt has every text that lib/ and cmd/ pass to a function of errors or
# notes, and every TEXT("...") that becomes a part of one, one per line and
# sorted, so that a change of words is seen as one, and all messages can be read
# side by side.  Exits with 1 where the two differ.  words.pl reads it, too.
use strict;
use warnings;
use File::Basename 'dirname';
use File::Find 'find';

chdir dirname($0) . '/../..' or die "messages.pl: $!\n";
my $catalogue = 'tests/lint/messages.txt';

# Functions that take a text, and which of their parameters it is.
my %parameter = (
    err_set => 3, err_input => 2, err_errno => 3, err_prefix => 2,
    err_value => 2, err_options => 2,
    note_info => 2, note_warn => 2, note_loss => 2, note_at => 3,
    note_count => 4,
    finding_report => 4, found => 4, textprof_wrong => 3, dcpi_warn => 3,
    fail => 3, TEXT => 1);
# Those that err_set() and its kin call, and two that make no message.
my %other = map { $_ => 1 } qw(err_text err_text_errno err_text_prefix
    buf_printf str_printf);

my $string = qr/"(?:[^"\\]|\\.)*"/s;
my $token = qr/$string|'(?:[^'\\]|\\.)+'|\w+|\S/s;

# The texts in an argument: literals side by side are one, and macros between
# them are in <>.
sub texts {
    my ($argument) = @_;
    my @texts;
    while ($argument =~ /($string(?:\s*(?:$string|PRI\w+|[A-Z_]+_TEXT))*)/g) {
        my $text = '';
        for my $t ($1 =~ /$string|\w+/g) {
            $text .= $t =~ /^"(.*)"$/s ? $1 : "<$t>";
        }
        push @texts, $text if $text =~ /[a-z]/;
    }
    return @texts;
}

my (%found, %unlisted);
sub read_source {
    return if !/\.[ch]$/;
    open my $f, '<', $_ or die "messages.pl: $File::Find::name: $!\n";
    local $/;
    my $source = <$f>;
    $source =~ s{$string(*SKIP)(*FAIL)|/\*.*?\*/}{ }gs;
    $source =~ s/^#(?:.*\\\n)*.*//gm;
    while ($source =~ /\b(\w+)\([^;{}]*?\)\s*ERR_PRINTF\(/g) {
        $unlisted{$1} = 1 if !$parameter{$1} && !$other{$1};
    }
    while ($source =~ /\b(\w+)\s*\(/g) {
        my $wanted = $parameter{$1} or next;
        my ($depth, $n, $argument) = (1, 1, '');
        my $at = pos $source;
        while ($depth && $source =~ /\G\s*($token)/gc) {
            my $t = $1;
            $depth++ if $t =~ /^[(\[{]$/;
            $depth-- if $t =~ /^[)\]}]$/;
            $n++, next if $t eq ',' && $depth == 1;
            $argument .= " $t" if $n == $wanted && $depth;
        }
        $found{$_} = 1 for texts($argument);
        pos($source) = $at;
    }
}
find(\&read_source, 'lib', 'cmd');

my @texts = sort keys %found;
if (@ARGV && $ARGV[0] eq '--write') {
    open my $f, '>', $catalogue or die "messages.pl: $catalogue: $!\n";
    print $f map { "$_\n" } @texts;
    close $f or die "messages.pl: $catalogue: $!\n";
    exit;
}
open my $f, '<', $catalogue or die "messages.pl: $catalogue: $!\n";
chomp(my @known = <$f>);
my %known = map { $_ => 1 } @known;
my @wrong = ((map { "-$_" } grep { !$found{$_} } @known),
    map { "+$_" } grep { !$known{$_} } @texts);
print "formats its argument, and is not in the table of $0: $_\n"
    for sort keys %unlisted;
print "messages that $catalogue lacks (+), or that are gone (-); ",
    "'make messages' writes it\n", map { "$_\n" } @wrong
    if @wrong;
exit(@wrong || %unlisted ? 1 : 0);
