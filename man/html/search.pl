#!/usr/bin/perl
# search.pl FILE... - the index of search.js: headings and options of pages
#
# A script that sets `searchIndex` to rows of title, page, address and the
# beginning of the text.
use strict;
use warnings;

sub plain {
    my ($html) = @_;
    $html =~ s/<[^>]*>//g;
    $html =~ s/&lt;/</g, s/&gt;/>/g, s/&quot;/"/g, s/&amp;/&/g for $html;
    $html =~ s/&#x2018;|&#x2019;/'/g;
    $html =~ s/&#x2014;/-/g;
    $html =~ s/&#x00A0;|&nbsp;/ /g;
    $html =~ s/\s+/ /g;
    $html =~ s/^ | $//g;
    return $html;
}

sub quoted {
    my ($text) = @_;
    $text =~ s/([\\"])/\\$1/g;
    $text =~ s/</\\x3c/g;
    return "\"$text\"";
}

my @rows;
for my $file (@ARGV) {
    my ($page) = $file =~ m{([^/]*)\.html$};
    open my $in, '<', $file or die "search.pl: $file: $!\n";
    my $html = do { local $/; <$in> };
    next unless $html =~ s/.*<main>//s;
    my ($title) = $page =~ /^(.*)\.(\d)$/ ? "$1($2)" : $page;
    if ($html =~ m{<span class="Nd">(.*?)</span>}s) {
        push @rows, [$title, $title, "$page.html", plain($1)];
    }
    while ($html =~ m{<(dt|h[1-6])\b[^>]*\bid="([^"]*)"[^>]*>(.*?)</\1>\s*(.{0,1200})}gs) {
        my ($id, $name, $rest) = ($2, plain($3), $4);
        pos($html) -= length $rest; # which may have more of them
        next if $name =~ /^(NAME|SYNOPSIS)$/;
        # The first paragraph, or what stands before the next heading.
        $rest =~ s/^.*?<(dt|h[1-6])\b.*//s if $rest =~ /^<(dl|section)/;
        $rest =~ s{</(dd|p|section|table|pre)>.*}{}s;
        $rest =~ s/<[^>]*$//;
        my $text = plain($rest);
        $text =~ s/^(.{0,110})\b.*/$1/s;
        push @rows, [$name, $title, "$page.html#$id", $text];
    }
}
print "const searchIndex = [\n";
print '  [', join(', ', map { quoted($_) } @$_), "],\n" for @rows;
print "];\n";
