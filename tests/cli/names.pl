# names.pl - names that are hostile to what they are printed in
#
#   names.pl make              a profile with all of them in every field that
#                              is a string, as raw profile.proto
#   names.pl broken DIR        files called so that are no profile, and an
#                              archive of them, all.tar
#   names.pl read FORMAT       reads pbcat's report on standard input, and fails
#                              unless all of them are there, as FORMAT has them
#   names.pl quiet             fails where standard input has what a terminal
#                              obeys
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Wire;

my @names = (
    # what terminals obey: C0, DEL, C1, alone and as UTF-8
    "e\e[31mred\e]0;title\a\e[2J", "bell\a\b", "nul\0in", "del\x7f",
    "csi\xc2\x9b31m", "csi byte\x9b31m", "cr\rX", "tab\tX", "vt\x0b\x0c",
    "nl\nFAKE 1 2 3", "\n\n",
    # directions and ends of lines, and what is not seen
    (map { utf($_) . "turned" } 0x200e, 0x200f, 0x061c, 0x202a .. 0x202e,
        0x2066 .. 0x2069),
    "l" . utf(0x2028) . "p" . utf(0x2029), "zero" . utf(0x200b) . "width",
    utf(0xfeff) . "bom", utf(0x1f600) . utf(0xe9) . utf(0xffff),
    # what is not UTF-8: bytes, overlong, surrogates, too large, cut
    "bad\xff\xfe", "over\xc0\xaf", "sur\xed\xa0\x80", "big\xf4\x90\x80\x80",
    "cut\xe2\x80",
    # what ends or begins something in a format
    "q\"'`", "back\\slash\\n\\x1b\\", "semi;colon,comma", " lead trail ",
    "<script>alert(1)</script>", "</title></style>", "]]>", "-->", "<!--",
    "&lt;amp&#10;", "javascript:alert(1)", "=cmd|' /C calc'!A0", "\@SUM(1)",
    "%n %s %d", '$(touch x)`touch x`', '{"a":[1]}', "a|b{c}<d>", "#", "--help",
    "",
);

# A character's UTF-8, without any module's opinion of it.
sub utf {
    my $c = shift;
    return pack "C*", $c < 0x800 ? ($c >> 6 | 0xc0, $c & 63 | 128)
        : $c < 0x10000 ? ($c >> 12 | 0xe0, $c >> 6 & 63 | 128, $c & 63 | 128)
        : ($c >> 18 | 0xf0, $c >> 12 & 63 | 128, $c >> 6 & 63 | 128,
            $c & 63 | 128);
}

# Table 3-7 of the Unicode Standard.
my $char = qr/[\0-\x7f] | [\xc2-\xdf][\x80-\xbf]
    | \xe0[\xa0-\xbf][\x80-\xbf] | [\xe1-\xec\xee\xef][\x80-\xbf]{2}
    | \xed[\x80-\x9f][\x80-\xbf] | \xf0[\x90-\xbf][\x80-\xbf]{2}
    | [\xf1-\xf3][\x80-\xbf]{3} | \xf4[\x80-\x8f][\x80-\xbf]{2}/x;
# Of these, what a terminal obeys.
my $obeyed = qr/[\0-\x1f\x7f] | \xc2[\x80-\x9f] | \xd8\x9c
    | \xe2\x80[\x8e\x8f\xa8-\xae] | \xe2\x81[\xa6-\xa9]/x;

sub hex_of { return join "", map { sprintf "\\x%02x", ord } split //, shift }

# As text reports have them: nothing that is obeyed.
sub visible {
    my $s = shift;
    my $out = "";
    while ($s =~ /\G(?:($obeyed)|($char)|(.))/gs) {
        $out .= defined $2 ? $2 : hex_of(defined $1 ? $1 : $3);
    }
    return $out;
}

# As JSON has them: U+FFFD for each byte that is no character's. In characters.
sub replaced {
    my $s = shift;
    my $out = "";
    while ($s =~ /\G(?:($char)|.)/gs) {
        my $c = defined $1 ? $1 : "\xef\xbf\xbd";
        utf8::decode($c);
        $out .= $c;
    }
    return $out;
}

# As lines for other programs have them: control characters are spaces.
sub blank { return shift =~ s/[\0-\x1f\x7f]|\xc2[\x80-\x9f]/ /gr }

# --- the profile

my (@strings, %id);

sub id { my $s = shift; return $id{$s} //= push(@strings, $s) - 1 }

sub make {
    binmode STDOUT;
    id("");
    print text(1, int64(1, id("n")) . int64(2, id("count")));
    my $types = 8;
    for my $s (@names[0 .. $types - 1]) {
        print text(1, int64(1, id($s)) . int64(2, id($s)));
    }
    for my $i (1 .. @names) {
        my $s = $names[$i - 1];
        my $next = $i % @names + 1;
        my $address = 4096 * $i;
        print text(3, int64(1, $i) . int64(2, $address) .
                int64(3, $address + 4096) . int64(5, id($s)) .
                int64(6, id($s)));
        print text(5, int64(1, $i) . int64(2, id($s)) . int64(3, id($s)) .
                int64(4, id($s)) . int64(5, $i));
        print text(4, int64(1, $i) . int64(2, $i) . int64(3, $address) .
                text(4, int64(1, $i) . int64(2, $i)));
        print text(2, text(1, num($i) . num($next)) .
                text(2, num(100 + $i) x ($types + 1)) .
                text(3, int64(1, id($s)) . int64(2, id($s))) .
                text(3, int64(1, id("number $s")) . int64(3, $i) .
                    int64(4, id($s))));
        print text(13, num(id($s)));
    }
    print text(11, int64(1, id($names[0])) . int64(2, id($names[9])));
    print int64(14, id($names[1])), int64(15, id($names[9]));
    # An expression that is none, so that a warning shows it.
    print int64(7, id("($names[0]"));
    print text(6, $_) for @strings;
}

sub tar_entry {
    my ($name, $content) = @_;
    my $head = pack "a100 a8 a8 a8 a12 a12 A8 a1 a100 a6 a2 x247", $name,
        "0000644", "0000000", "0000000", sprintf("%011o", length $content),
        "00000000000", "", "0", "", "ustar", "00";
    substr($head, 148, 8) = sprintf "%06o\0 ", unpack "%32C*", $head;
    return $head . $content . "\0" x (-length($content) % 512);
}

# Of what can be a name of a file.
sub broken {
    my $dir = shift;
    my $tar = "";
    for my $s (grep { !/[\0\/]/ && length } @names) {
        open my $f, ">", "$dir/$s" or die;
        print $f "\x08";
        close $f or die;
        $tar .= tar_entry($s, "\x08");
    }
    open my $f, ">", "$dir/all.tar" or die;
    print $f $tar, "\0" x 1024;
    close $f or die;
}

# --- reading it back

sub all_of {
    my ($what, $found, @wanted) = @_;
    my %there = map { $_ => 1 } @$found;
    for my $s (@wanted) {
        utf8::encode(my $shown = "$what: not there: $s\n");
        $there{$s} or die visible($shown) . "\n";
    }
}

# The same in this order.
sub same {
    my ($what, $found, @wanted) = @_;
    @$found == @wanted or die "$what: " . @$found . ", not " . @wanted . "\n";
    for my $i (0 .. $#wanted) {
        utf8::encode(my $shown = "$what: $found->[$i] is not $wanted[$i]\n");
        $found->[$i] eq $wanted[$i] or die visible($shown) . "\n";
    }
}

sub from_json {
    require JSON::PP; # takes longer to load than all else
    return JSON::PP->new->utf8->decode(shift);
}

sub leaves {
    my $v = shift;
    return ref $v eq "HASH" ? (keys %$v, map { leaves($_) } values %$v)
        : ref $v eq "ARRAY" ? map { leaves($_) } @$v : $v // ();
}

sub read_json {
    my $json = from_json(shift);
    my @wanted = map { replaced($_) } @names;
    for my $field (qw(name system_name filename)) {
        same($field, [map { $_->{$field} } @{$json->{function}}], @wanted);
    }
    for my $field (qw(filename build_id)) {
        same("mapping", [map { $_->{$field} } @{$json->{mapping}}], @wanted);
    }
    same("comment", $json->{comment}, @wanted);
    my @label = map { $_->{label} } @{$json->{sample}};
    same("key", [map { $_->[0]{key} } @label], @wanted);
    same("text", [map { $_->[0]{str} } @label], @wanted);
    same("number", [map { $_->[1]{key} } @label],
        map { "number $_" } @wanted);
    same("unit", [map { $_->[1]{num_unit} } @label], @wanted);
    same("type", [map { $_->{type} } @{$json->{sample_type}}], "n",
        @wanted[0 .. 7]);
    same("header", [@$json{qw(doc_url default_sample_type)}], @wanted[9, 1]);
}

# What a frame without a name is called by where it is.
sub frames {
    return map { $_ eq "" ? "<unknown>" : $_ } @_;
}

sub read_jsonl {
    my @rows = map { from_json($_) } split /\n/, shift;
    my @wanted = map { replaced($_) } @names;
    same("frame", [map { $_->{stack}[0] } @rows], frames(@wanted));
    # The empty one comes last; a label of that says nothing.
    pop @rows;
    pop @wanted;
    same("key", [map { $_->{label}[0]{key} } @rows], @wanted);
    same("text", [map { $_->{label}[0]{str} } @rows], @wanted);
}

# Rows of [column, ...]; the first are the names.
sub read_rows {
    my @rows = @_;
    my @head = @{shift @rows};
    @$_ == @head or die "a row of " . @$_ . " fields\n" for @rows;
    my ($stack) = grep { $head[$_] eq "stack" } 0 .. $#head;
    my @leaves = map { ($_->[$stack] =~ /^((?:[^;\\]|\\.)*)/s)[0] } @rows;
    same("frame", [map { s/\\(.)/$1/gsr } @leaves], frames(@names));
    all_of("label", \@head, map { "label:$_" } @names);
}

sub read_csv {
    my $text = shift;
    my (@rows, @row);
    while ($text =~ /\G(?:"((?:[^"]|"")*)"|([^",\r\n]*))([,\n])/gc) {
        my ($quoted, $plain, $end) = ($1, $2, $3);
        push @row, defined $quoted ? $quoted =~ s/""/"/gr : $plain;
        next if $end eq ",";
        push @rows, [@row];
        @row = ();
    }
    pos($text) == length $text or die "csv: ends at " . pos($text) . "\n";
    read_rows(@rows);
}

sub read_tsv {
    my %letter = ("\\" => "\\", t => "\t", n => "\n", r => "\r");
    read_rows(map { [map { s/\\(.)/$letter{$1}/gr } split /\t/, $_, -1] }
        split /\n/, shift);
}

sub read_leaves {
    all_of("name", [leaves(from_json(shift))],
        frames(map { replaced($_) } @names));
}

sub read_folded {
    all_of("frame", [map { s/ -?\d+$//r } map { split /;/ } split /\n/, shift],
        grep { length } map { blank($_) =~ tr/;/:/r } grep { length } @names);
}

sub read_callgrind {
    my @found = map { /^c?fn=\(\d+\) (.*)/s ? $1 : () } split /\n/, shift;
    # Of one name there may be several functions: "name [1/2]".
    all_of("fn", [map { s/ \[\d+\/\d+\]$//r } @found],
        grep { length } map { blank($_) =~ s/^ +//r } @names);
}

# Lines, none of which a name has begun.
sub read_lines {
    my $text = shift;
    # A comment may have several lines.
    my ($comment) = grep { /FAKE/ } @names;
    $text =~ s/^(?:Comment: )?\Q$comment\E$//m;
    $text =~ /^FAKE/m and die "a name has made a line\n";
    index($text, visible($_)) >= 0 or die "not there: " . visible($_) . "\n"
        for grep { $_ !~ /^\n/ } @names;
}

# A comment may have several lines, and tabs.
sub read_comments {
    my @wanted = map { join "", map { /[\n\t]/ ? $_ : visible($_) }
            split /([\n\t])/, $_ } @names;
    shift eq join("", map { "$_\n" } @wanted) or die "other comments\n";
}

sub quiet {
    my $text = shift;
    # Newlines and tabs are layout.
    $text =~ tr/\n\t//d;
    while ($text =~ /\G(?:($obeyed)|$char|(.))/gs) {
        my $what = defined $1 ? $1 : $2 // next;
        die "obeyed: " . hex_of($what) . " in " .
            visible(substr $text, pos($text) > 40 ? pos($text) - 40 : 0, 60) .
            "\n";
    }
}

my %read = (
    json => \&read_json, jsonl => \&read_jsonl, csv => \&read_csv,
    tsv => \&read_tsv, speedscope => \&read_leaves, firefox => \&read_leaves,
    folded => \&read_folded, callgrind => \&read_callgrind,
    comments => \&read_comments, lines => \&read_lines,
);

my ($how, $what) = @ARGV;
binmode STDIN;
if ($how eq "make") {
    make();
} elsif ($how eq "broken") {
    broken($what);
} else {
    local $/;
    my $text = <STDIN>;
    $how eq "quiet" ? quiet($text) : $read{$what}->($text);
}
