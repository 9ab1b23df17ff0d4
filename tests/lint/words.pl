#!/usr/bin/perl
# words.pl - finds words that readers stumble over
#
#   tests/lint/words.pl
#
# Reads the catalogue of messages, the comments of lib/ and cmd/, the manual
# pages, the Makefiles and the documents.  Prints each place where one of the
# words below stands, and exits with 1 if there is any.
use strict;
use warnings;
use File::Basename 'dirname';
use File::Find 'find';

chdir dirname($0) . '/../..' or die "words.pl: $!\n";

# "is not a file" rather than "is no file", and so on.
my $avoided = qr/(?<!there\ )\bis\ no\b|\bleft\ out\b|(?<!look-)\bbehind\b
    |\bbeside\b|\btold\b|\btaken\ (?:as|for)\b|\bhardly\b|\bmend(?:s|ed)?\b
    |\banew\b/xi;
my $quoted = qr/\\"/; # in messages, names are quoted as 'x'
my @documents = (glob('man/*.[1-9] *.md lib/*.md tests/*.md examples/*.md'),
    'Makefile', 'tests/Makefile');

my $string = qr/"(?:[^"\\]|\\.)*"/s;
my $bad = 0;

# Looks at a text that begins at a line of a file.  Words may be on two lines.
sub check {
    my ($path, $line, $text, $words) = @_;
    $text =~ s/\n[ \t]*(?:\*|#+)?[ \t]*/\n/g;
    (my $flat = $text) =~ tr/\n/ /;
    while ($flat =~ /$words/g) {
        my $at = $line + (substr($text, 0, $-[0]) =~ tr/\n//);
        print "$path:$at: say '$&' in other words\n";
        $bad = 1;
    }
}

sub slurp {
    my ($path) = @_;
    open my $f, '<', $path or die "words.pl: $path: $!\n";
    local $/;
    return <$f> // '';
}

sub check_comments {
    return if !/\.[ch]$/;
    my $source = slurp($_);
    while ($source =~ m{$string(*SKIP)(*FAIL)|/\*.*?\*/}gs) {
        check($File::Find::name,
            1 + (substr($source, 0, $-[0]) =~ tr/\n//), $&, $avoided);
    }
}

check('tests/lint/messages.txt', 1, slurp('tests/lint/messages.txt'),
    qr/$avoided|$quoted/);
check($_, 1, slurp($_), $avoided) for grep { -e } @documents;
find(\&check_comments, 'lib', 'cmd');
exit $bad;
