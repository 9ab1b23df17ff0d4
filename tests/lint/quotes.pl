#!/usr/bin/perl
# quotes.pl - compares the messages that manual pages quote with the catalogue
#
#   tests/lint/quotes.pl
#
# An item of a section DIAGNOSTICS is a message or some words of one, as in
#
#      .It "no samples in 'NAME'; available: ..."
#
# where "..." stands for any words, and any word may stand for a %s.  Prints each
# item that no text of messages.txt can be, and exits with 1 if there is
# any.
use strict;
use warnings;
use File::Basename 'dirname';

chdir dirname($0) . '/../..' or die "quotes.pl: $!\n";

my $conversion = qr/%[^a-zA-Z%<]*(?:<PRI\w+>|(?:hh|h|ll|l|z|j)?[a-zA-Z]|%)/;

# A word of a message as a pattern for what it may become: conversions, and of
# {one|many} either.
sub pattern {
    my ($word) = @_;
    my $pattern = '';
    while ($word =~ /\G(?:($conversion)|\{([^{}|]*)(\|?)([^{}]*)\}|(.))/gs) {
        $pattern .= defined $5 ? quotemeta $5
            : !defined $1 ? '(?:' . quotemeta($3 ? $2 : '') . '|' .
                quotemeta($3 ? $4 : $2) . ')'
            : $1 eq '%%' ? '%' : '\S*';
    }
    return $pattern;
}

# The index after the words from $at on that the text may be, whatever comma or
# colon follows it; empty if there are none.
sub end_of {
    my ($text, $at, @words) = @_;
    for my $from ($at .. $#words) {
        for my $to ($from .. $#words) {
            my $pattern = join(' ', @words[$from .. $to]) =~ s/\\[,;:]$//r;
            next if $pattern !~ /(?<!\\)[a-z]/;
            return $to + 1 if $text =~ /^$pattern[,;:]?$/;
        }
    }
    return;
}

my @messages;
open my $catalogue, '<', 'tests/lint/messages.txt' or die "quotes.pl: $!\n";
while (my $text = <$catalogue>) {
    chomp $text;
    push @messages, {text => $text =~ s/[{}]//gr,
        words => [map { pattern($_) } split / /, $text]};
}

sub is_quote {
    my ($item) = @_;
    my @parts = grep { /\w/ } split /\s*\(?\.\.\.\)?[;:]?\s*/, $item;
    my ($longest) = sort { length $b <=> length $a } "@parts" =~ /[a-z]+/g;
    for my $message (grep { index($_->{text}, $longest) >= 0 } @messages) {
        my $at = 0;
        for my $part (@parts) {
            ($at) = end_of($part, $at, @{$message->{words}});
            last if !defined $at;
        }
        return 1 if defined $at;
    }
    return 0;
}

my $bad = 0;
for my $page (glob 'man/*.[1-9]') {
    open my $f, '<', $page or die "quotes.pl: $page: $!\n";
    my $section = '';
    while (<$f>) {
        $section = $1 if /^\.Sh "?(.*?)"?$/;
        next if $section ne 'DIAGNOSTICS' || !/^\.It (?:Li )?(.*)/;
        my $item = $1 =~ s/^"|"$|\b(?:Ar|Li|Cm|Fl) //gr;
        next if is_quote($item);
        print "$page:$.: no message is: $item\n";
        $bad = 1;
    }
}
exit $bad;
