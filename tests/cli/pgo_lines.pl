# pgo_lines.pl - samples at all instructions of a program, and their counts by
# line, for tests of pb2pgo
#
#   sample PROGRAM     a profile in text format: a sample at each instruction of
#                      .text, with a value that depends on its address
#   count PROGRAM HOW  the counts by llvm-symbolizer, a line "FUNCTION
#                      OFFSET.DISCRIMINATOR ... COUNT" for each place, with the
#                      calls inlined around it; HOW: as clang or gcc encodes
#                      discriminators, or none
#   ranges PROGRAM     a profile for llvm-profgen, of the same samples but those
#                      of lines that are sampled already: it takes the largest
#                      count of a line, and not their sum; HOW "sample": the same
#                      in text format
#   llvm               the same of LLVM's text, from standard input
#   gcc                the same of gcc's file
#   addr2line PROGRAM  the counts by addr2line, a line "FUNCTION LINE ... COUNT":
#                      it mistakes names of inlined functions now and then
#   lines PROGRAM      the same of counts, from standard input
use strict;
use warnings;
use JSON::PP;

my ($do, $program, $how) = @ARGV;
my %count;

# Functions that the C library adds have no debug information.
sub addresses {
    my ($in, @address) = '';
    for (`objdump -d --no-show-raw-insn -j .text $program`) {
        $in = $1 if /^[0-9a-f]+ <(.*)>:$/;
        push @address, hex $1
            if /^\s*([0-9a-f]+):/ && $in !~ /^_start|^(de)?register_tm|^__do_global|^frame_dummy|^_dl_/;
    }
    die "no code in $program" unless @address;
    @address;
}

sub value { 1 + $_[0] * 7919 % 1009 }

sub sample {
    my $id = 0;
    print "sample_type { type: 1 unit: 2 }\n",
        "mapping { id: 1 memory_limit: 1099511627776 filename: 3 }\n",
        "string_table: \"\" string_table: \"samples\" string_table: \"count\"\n",
        "string_table: \"/nowhere/prog\"\n";
    for (@_ ? @_ : addresses()) {
        $id++;
        printf "sample { location_id: $id value: %d }\n", value($_);
        print "location { id: $id mapping_id: 1 address: $_ }\n";
    }
}

sub ranges {
    my @address = addresses();
    my @frames = symbolized(@address);
    my (%seen, @first);
    for (0 .. $#address) {
        my $key = join ' ', map { "$_->{FunctionName} $_->{Line} $_->{Discriminator}" } @{$frames[$_]};
        push @first, $address[$_] if $key && !$seen{$key}++;
    }
    return sample(@first) if $how eq 'sample';
    my ($base) = map { hex } `readelf -lW $program` =~ /LOAD +\S+ (0x\S+) .* R E/;
    print scalar @first, "\n";
    printf "%x-%x:%d\n", $_ - $base, $_ - $base, value($_) for @first;
    print "0\n";
}

# The first of the numbers that a discriminator of LLVM consists of.
sub decode {
    my ($d) = @_;
    return $how eq 'gcc' ? $d : 0 if $how ne 'clang';
    return 0 if $d & 1;
    my $low = $d >> 1 & 31;
    $d & 64 ? $low + 32 * ($d >> 7 & 127) : $low;
}

sub add { # COUNT [FUNCTION OFFSET DISCRIMINATOR]...
    my ($value, @frames) = @_;
    $count{join ' ', map { "$_->[0] " . ($_->[1] & 0xffff) . ".$_->[2]" } @frames} += $value;
}

sub base_name { $_[0] =~ s/(\.(cold|part|isra|constprop|\d+))+$//r }

# The frames of each address, the outermost first; none if something is unknown.
sub symbolized {
    my @frames;
    open my $to, '>', 'addresses' or die;
    printf $to "0x%x\n", $_ for @_;
    close $to;
    for (`llvm-symbolizer --output-style=JSON --no-demangle --obj=$program <addresses`) {
        my @of = @{decode_json($_)->{Symbol}};
        push @frames, [grep({ !$_->{Line} || !$_->{StartLine} } @of) ? () : reverse @of];
    }
    @frames;
}

sub addr2line {
    my @address = addresses();
    my @frames = symbolized(@address);
    my ($n, $name, @lines) = -1;
    my $end = sub {
        $count{join ' ', base_name($name), reverse @lines} += value($address[$n])
            if $n >= 0 && @{$frames[$n]};
    };
    for (`addr2line -a -i -f -e $program <addresses`) {
        chomp;
        if (/^0x/) {
            $end->();
            $n++;
            @lines = ();
        } elsif (/:(\d+)( \(discriminator \d+\))?$/) {
            push @lines, $1;
        } else {
            $name = $_;
        }
    }
    $end->();
}

# From offsets to lines, by the start lines that llvm-symbolizer knows.
sub lines {
    my %start = map { base_name($_->{FunctionName}) => $_->{StartLine} }
        map { @$_ } symbolized(addresses());
    while (<STDIN>) {
        my ($key, $value) = /^(.*) (\d+)$/;
        my ($name) = $key =~ /^(\S+)/;
        my @lines;
        push @lines, $start{$1} + ($2 ^ 0x8000) - 0x8000 while $key =~ /(\S+) (\d+)\.\d+/g;
        $count{"$name @lines"} += $value;
    }
}

sub count {
    my @address = addresses();
    my @frames = symbolized(@address);
    for (0 .. $#address) {
        add(value($address[$_]), map {
            [base_name($_->{FunctionName}), $_->{Line} - $_->{StartLine}, decode($_->{Discriminator})]
        } @{$frames[$_]}) if @{$frames[$_]};
    }
}

sub llvm {
    my @stack;
    while (<STDIN>) {
        if (/^(\S+):\d+:\d+$/) {
            @stack = ($1);
        } elsif (/^( +)(\d+)(?:\.(\d+))?: (?:(\d+)|(\S+):\d+)$/) {
            my $place = "$2." . ($3 // 0);
            $#stack = length($1) - 1;
            if (defined $4) {
                $count{join ' ', @stack, $place} += $4;
            } else {
                push @stack, "$place $5";
            }
        } else {
            die "not a line of LLVM's text: $_";
        }
    }
}

# Version 2, in words as this machine has them; see lib/pgo/gcc.c.
sub gcc {
    local $/;
    my ($file, $at, @name) = (scalar <STDIN>, 0);
    my $word = sub { $at += 4; unpack 'L', substr $file, $at - 4, 4 };
    my $number = sub { my $low = $word->(); $low + 2**32 * $word->() };
    my $position = sub { my $p = $word->(); ($p >> 16) . '.' . ($p & 65535) };
    my $instance;
    $instance = sub {
        my ($outer) = @_;
        my ($name, $places, $inlined) = ($word->(), $word->(), $word->());
        my $key = "$outer$name[$name] ";
        for (1 .. $places) {
            my $p = $position->();
            $word->() == 0 or die 'targets';
            $count{$key . $p} += $number->();
        }
        $instance->($key . $position->() . ' ') for 1 .. $inlined;
    };
    $word->() for 1 .. 3;
    for my $tag (0xaa000000, 0xac000000, 0xae000000) {
        $word->() == $tag or die 'tag';
        $word->();
        my $n = $word->();
        if ($tag == 0xaa000000) {
            for (1 .. $n) {
                my $length = $word->();
                push @name, unpack 'Z*', substr $file, $at, $length;
                $at += $length;
            }
        } elsif ($tag == 0xac000000) {
            for (1 .. $n) { $number->(); $instance->(''); }
        }
    }
}

my %do = (sample => \&sample, count => \&count, llvm => \&llvm, gcc => \&gcc,
    addr2line => \&addr2line, lines => \&lines, ranges => \&ranges);
$do{$do}->();
print "$_ $count{$_}\n" for sort keys %count;
