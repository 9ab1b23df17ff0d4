#!/usr/bin/perl
# gprof.pl COMMAND [ARG...] - holds the stacks of gmon2pb to gprof
#
#   compare ELF GPROF RAW
#       GPROF is what `gprof -b -p -q --no-demangle` prints of the program ELF
#       (or without -q, where there are no arcs), RAW what `pprof -raw` prints of the profile.  Functions are told apart
#       by linkage name and, where several have one, by the symbol before the
#       address; of gprof's those go with ours whose values do.
#       Compares for every function that gprof prints: self seconds, calls
#       with those to itself (n+m), and outside of cycles self plus children;
#       for each cycle as a whole self plus children and calls.  Seconds may
#       differ by what gprof rounds off.  Prints what differs, then
#       "N functions, M cycles", and fails if anything did.
#   tables PBCAT GPROF
#       PBCAT is what pbcat --text=gprof or --tree=gprof prints, GPROF the same
#       table of gprof -b. Compares all rows, but for the numbers of entries and
#       cycles: names and calls are equal, times differ by what is rounded off.
#       Of functions with equal times the order, and so the running sum, is
#       open. Prints what differs, then "N rows", and fails if anything did.
#   make ELF SEED [FIELD=VALUE...]
#       a gmon.out of the little-endian program ELF on standard output, with
#       bins of a whole number of units, so that gprof's arithmetic loses
#       nothing.
#       Some of the bins have counts, and arcs lead from function to function
#       by the symbols of the program; which and how many follows from SEED
#       alone.  Fields and their defaults: width=4 (bytes to a bin) bins=400
#       arcs=600 (how many) max=500 (greatest count of a bin) back=0 (of so
#       many arcs one may go up in addresses and so make a cycle; 0: none).
#   layers WIDTH DEPTH
#       a C program on standard output: in each of DEPTH layers WIDTH
#       functions, each of which calls all of the next layer.
#   arcs ELF
#       a gmon.out as that program would write it, with a call for each that
#       it has, and the same time for each function of the last layer.
use strict;
use warnings;

binmode STDOUT;
my ($n_bad, $printed) = (0, 0.005 + 1e-9);
my $command = shift // '';
if    ($command eq 'compare') { compare(@ARGV) }
elsif ($command eq 'tables')  { tables(@ARGV) }
elsif ($command eq 'make')    { make(@ARGV) }
elsif ($command eq 'layers')  { layers(@ARGV) }
elsif ($command eq 'arcs')    { arcs(@ARGV) }
else                          { die "gprof.pl: unknown command '$command'\n" }

# Rows of the flat profile by name, each [self, calls]; entries of the call
# graph by name, each [self, total, calls, own calls, its cycle or 0]; cycles
# by number, [total, calls, own calls, {members}].  gprof prints no total of a
# cycle that nobody calls.
sub read_gprof {
    my (%flat, %function, %cycle, %members, $section);
    open my $in, '<', $_[0] or die "$_[0]: $!\n";
    while (<$in>) {
        if    (/^Flat profile/)           { $section = 'flat' }
        elsif (/^\s+Call graph/)          { $section = 'graph' }
        elsif (/^Index by function name/) { last }
        elsif ($section eq 'flat' && /^\s*[\d.]+\s+[\d.]+\s+([\d.]+)(.*)/) {
            my ($self, @rest) = ($1, split ' ', $2);
            push @{$flat{$rest[-1]}}, [$self, @rest > 1 ? $rest[0] : 0];
        } elsif ($section eq 'graph'
            && /^\[\d+\]\s+[\d.]+\s+([\d.]+)\s+([\d.]+)(?:\s+(\d+)(?:\+(\d+))?)?\s+(.*) \[\d+\]$/)
        {
            my ($self, $children, $calls, $own, $name) =
              ($1, $2, $3 // 0, $4 // 0, $5);
            if ($name =~ /^<cycle (\d+) as a whole>$/) {
                $cycle{$1} = [$self + $children, $calls, $own];
            } else {
                my $in_cycle = $name =~ s/ <cycle (\d+)>$// ? $1 : 0;
                $members{$in_cycle}{$name} = 1;
                push @{$function{$name}},
                  [$self, $self + $children, $calls, $own, $in_cycle];
            }
        }
    }
    # Without a call graph the flat profile is all.
    if ($section eq 'flat') {
        for my $name (keys %flat) {
            $function{$name} = [map { [@$_[0, 0, 1], 0, 'any'] } @{$flat{$name}}];
        }
    }
    delete $members{0};
    $cycle{$_}[3] = $members{$_} for keys %members;
    return (\%flat, \%function, \%cycle);
}

# The rows of a table: what is equal in both programs, and the times.
sub read_rows {
    my ($on, $flat, @rows);
    open my $in, '<', $_[0] or die "$_[0]: $!\n";
    while (<$in>) {
        $on = 0 if /^Index by function|^\f/;
        if ($on && /\S/ && !/^---/) {
            s/ \[\d+\]$//;
            s/^\[\d+\]/entry/;
            s/<cycle \d+/<cycle/;
            s/ \((?=\S+\)$)/(/; # gprof's files of static functions
            my @words = split;
            my @times = grep { /^\d+\.\d+$/ } @words;
            splice @times, 1, 1 if $flat;
            # Less than what is printed, in a function that nobody calls.
            next if $flat && @words == 4 && !grep { $_ > 0 } @times;
            push @rows, [join(' ', grep { !/^\d+\.\d+$/ } @words), \@times];
        }
        ($on, $flat) = (1, $& eq ' time') if /^(?:index % time| time(?=   seconds))/;
    }
    return sort { $a->[0] cmp $b->[0] || "@{$a->[1]}" cmp "@{$b->[1]}" } @rows;
}

sub tables {
    my @ours = read_rows($_[0]);
    my @theirs = read_rows($_[1]);
    for my $i (0 .. ($#ours > $#theirs ? $#ours : $#theirs)) {
        my ($x, $y) = map { $_ // ['nothing', []] } $ours[$i], $theirs[$i];
        my $same = $x->[0] eq $y->[0] && @{$x->[1]} == @{$y->[1]};
        for my $k (0 .. ($same ? $#{$x->[1]} : -1)) {
            my ($v, $w) = ($x->[1][$k], $y->[1][$k]);
            $same = 0 if abs($v - $w) > 0.0101 + 0.0005 * $w
                # A share of a percent has one digit in the call graph.
                && !($k == 0 && $x->[0] =~ /^entry/ && abs($v - $w) < 0.101);
        }
        next if $same;
        $n_bad++;
        print "$x->[0] (@{$x->[1]}), gprof $y->[0] (@{$y->[1]})\n";
    }
    print scalar(@ours), " rows\n";
    exit($n_bad ? 1 : 0);
}

# Addresses of the symbols of each name, the last first.
sub read_symbols {
    my %at;
    open my $in, '-|', 'nm', $_[0] or die "nm: $!\n";
    while (<$in>) {
        push @{$at{$2}}, hex $1 if /^([0-9a-f]+) [A-Za-z] (\S+)$/;
    }
    @$_ = sort { $b <=> $a } @$_ for values %at;
    return \%at;
}

# The profile: types, stacks, and what each location is called.
sub read_raw {
    my ($file, $symbols) = @_;
    my ($section, @types, @samples, %name) = '';
    open my $in, '<', $file or die "$file: $!\n";
    while (<$in>) {
        if (/^(Samples|Locations|Mappings)/) {
            $section = $1;
            @types = split ' ', <$in> if $section eq 'Samples';
        } elsif ($section eq 'Samples' && /^\s*([-\d\s]+):\s*([\d ]+)/) {
            push @samples, [[split ' ', $1], [split ' ', $2]];
        } elsif ($section eq 'Locations'
            && /^\s*(\d+): (0x[0-9a-f]+) (?:M=\d+ )?(.+?) (\S*?):-?\d+(?::-?\d+)? s=\d+(?:\((.*)\))?$/)
        {
            my ($id, $address, $raw) = ($1, hex $2, $5 || $3);
            my ($at) = grep { $_ <= $address } @{$symbols->{$raw} // []};
            $name{$id} = "$raw\0" . ($at // '');
        } elsif ($section eq 'Locations' && /^\s+\S.* s=\d+/) {
            die "gprof.pl: inlined frames\n";
        }
    }
    my %at = map { $types[$_] =~ m{(\w+)/}; $1 => $_ } 0 .. $#types;
    return (\%at, \@samples, \%name);
}

# What tells cycles apart: the hash of its members in the linkage name.
sub cycle_number {
    return $_[0] =~ /^<cycle of \d+: .*> ([0-9a-f]{32})\0/ ? $1 : undef;
}

# The same as read_gprof() gives, from the profile.
sub sum_up {
    my ($at, $samples, $name) = @_;
    my (%function, %cycle);
    for (@$samples) {
        my ($values, $stack) = @$_;
        my @names = map { $name->{$_} // '' } @$stack;
        my $time = $values->[$at->{cpu}] / 1e9;
        my $calls = defined $at->{calls} ? $values->[$at->{calls}] : 0;
        if ($calls) {
            my ($callee, $caller) = @names;
            $function{$callee}[$callee eq $caller ? 3 : 2] += $calls
              if $callee ne '' && $caller ne '';
        }
        next if !$time;
        my %seen;
        $function{$names[0]}[0] += $time if $names[0] ne '';
        for my $i (0 .. $#names) {
            my $number = cycle_number($names[$i]);
            next if $names[$i] eq '' || $seen{$names[$i]}++;
            if (defined $number) {
                $cycle{$number}[0] += $time;
                $cycle{$number}[3]{$names[$i - 1] =~ s/\0.*//r} = 1;
            } else {
                $function{$names[$i]}[1] += $time;
            }
        }
    }
    return (\%function, \%cycle);
}

sub differs {
    my ($name, $what, $theirs, $ours) = @_;
    print "$name: $what $ours, not $theirs\n";
    $n_bad++;
}

# Both lists in an order in which values that belong together meet.
sub in_order {
    return sort {
             $a->[2] <=> $b->[2]
          || $a->[3] <=> $b->[3]
          || $a->[0] <=> $b->[0]
          || $a->[1] <=> $b->[1]
    } @_;
}

sub compare {
    my ($elf, $gprof, $raw) = @_;
    my ($flat, $function, $cycle) = read_gprof($gprof);
    my ($at, $samples, $names) = read_raw($raw, read_symbols($elf));
    my ($sums, $cycles) = sum_up($at, $samples, $names);
    my (%ours, $n_functions, $n_cycles);
    for my $key (keys %$sums) {
        my @value = map { $sums->{$key}[$_] // 0 } 0 .. 3;
        push @{$ours{$key =~ s/\0.*//r}}, \@value;
    }
    for my $name (sort keys %$function) {
        my @theirs = in_order(@{$function->{$name}});
        my @mine = in_order(@{delete $ours{$name} // []});
        for my $i (0 .. $#theirs) {
            my $t = $theirs[$i];
            my $o = $mine[$i] // [0, 0, 0, 0];
            $n_functions++;
            differs($name, 'self', $t->[0], $o->[0])
              if abs($t->[0] - $o->[0]) > $printed;
            differs($name, 'total', $t->[1], $o->[1])
              if !$t->[4] && abs($t->[1] - $o->[1]) > 2 * $printed;
            differs($name, 'calls', "$t->[2]+$t->[3]", "$o->[2]+$o->[3]")
              if $t->[2] != $o->[2] || $t->[3] != $o->[3];
        }
        differs($name, 'functions', scalar @theirs, scalar @mine)
          if @mine > @theirs;
        my @flat = in_order(map { [@$_[0, 0, 1], 0] } @{$flat->{$name} // []});
        @mine = in_order(map { [@$_[0, 0, 2], 0] } @mine);
        for my $i (0 .. $#flat) {
            my ($t, $o) = ($flat[$i], $mine[$i] // [0, 0, 0]);
            differs($name, 'flat', "$t->[0] $t->[2]", "$o->[0] $o->[2]")
              if abs($t->[0] - $o->[0]) > $printed || $t->[2] != $o->[2];
        }
    }
    # What gprof does not print has nothing, but for what it leaves out.
    delete @ours{qw(mcount _mcount __mcount __mcount_internal __mcleanup)};
    for my $name (sort keys %ours) {
        for (@{$ours{$name}}) {
            differs($name, 'values', 'none', "@$_")
              if $_->[0] > 0 || $_->[1] > $printed || $_->[2] || $_->[3];
        }
    }
    compare_cycles($cycle, $cycles, \$n_cycles);
    printf "%d functions, %d cycles\n", $n_functions, $n_cycles // 0;
    exit($n_bad > 0);
}

# Cycles have no number in common, but members.
sub compare_cycles {
    my ($theirs, $ours, $n) = @_;
    my %of;
    for my $number (keys %$theirs) {
        $of{$_}{$number} = 1 for keys %{$theirs->{$number}[3]};
    }
    my %total;
    for my $number (sort keys %$ours) {
        my %in;
        $in{$_}++ for map { keys %{$of{$_} // {}} } keys %{$ours->{$number}[3]};
        my @in = grep { $in{$_} == keys %{$ours->{$number}[3]} } keys %in;
        if (@in == 1) { $total{$in[0]} += $ours->{$number}[0] }
        else { differs("<cycle $number>", 'members', 'of one cycle',
                join(' ', sort keys %{$ours->{$number}[3]})) }
    }
    for my $number (sort keys %$theirs) {
        my ($t, $o) = ($theirs->{$number}[0], $total{$number} // 0);
        next if !defined $t;
        $$n++;
        differs("cycle $number of gprof", 'total', $t, $o)
          if abs($t - $o) > 2 * $printed;
    }
}


# Symbols of code, [address, name], in order of addresses; bytes of an address.
# Weak ones may be of data, which is behind the code.
sub read_code {
    my @code;
    open my $in, '-|', 'nm', '-n', $_[0] or die "nm: $!\n";
    while (<$in>) {
        push @code, [hex $1, $3, $2] if /^([0-9a-f]+) ([TtW]) (\S+)$/;
    }
    pop @code while $code[-1][2] eq 'W';
    open my $elf, '<:raw', $_[0] or die "$_[0]: $!\n";
    read $elf, my $ident, 5;
    return (\@code, substr($ident, 4, 1) eq "\2" ? 8 : 4);
}

# Over all of the code; counts by bin, then arcs [caller, callee, count].
sub print_gmon {
    my ($code, $size, $width, $counts, $arcs) = @_;
    my ($address, $low) = ($size == 8 ? 'Q<' : 'L<', $code->[0][0] & ~15);
    my $n = int(($code->[-1][0] - $low) / $width) + 1;
    my $high = $low + $n * $width;
    my @bins = map { $counts->{$_} // 0 } 0 .. $n - 1;
    print 'gmon', pack('L< x12', 1);
    print pack("C $address$address L< L< a15 a1 S<*", 0, $low, $high,
        scalar @bins, 100, 'seconds', 's', @bins);
    print pack("C $address$address L<", 1, @$_) for @$arcs;
}

my $state;

# From 0 up to n - 1.
sub pick {
    $state = ($state * 1103515245 + 12345) & 0x7fffffff;
    return int($state / 0x80000000 * $_[0]);
}

sub make {
    my ($elf, $seed, @fields) = @_;
    my %f = (width => 4, bins => 400, arcs => 600, max => 500, back => 0,
        map { split /=/, $_, 2 } @fields);
    my ($code, $size) = read_code($elf);
    my $low = $code->[0][0] & ~15;
    my (%counts, @arcs);
    $state = $seed;
    pick(1) for 1 .. 10;
    for (1 .. $f{bins}) {
        $counts{pick(($code->[-1][0] - $low) / $f{width})} =
          1 + pick($f{max});
    }
    for (1 .. $f{arcs}) {
        my ($caller, $callee) = sort { $a <=> $b } pick(@$code - 1),
          pick(@$code - 1);
        ($caller, $callee) = ($callee, $caller)
          if $f{back} && !pick($f{back});
        my ($from, $self) = map {
            my ($at, $end) = map { $code->[$_][0] } $_, $_ + 1;
            $at + pick($end - $at)
        } $caller, $callee;
        push @arcs, [$from, $self, 1 + pick(2**pick(31))];
    }
    print_gmon($code, $size, $f{width}, \%counts, \@arcs);
}

sub layers {
    my ($width, $depth) = @_;
    for my $layer (reverse 0 .. $depth - 1) {
        for my $i (0 .. $width - 1) {
            my $calls = join ' + ',
              map { "f${\($layer + 1)}_$_(n)" } 0 .. $width - 1;
            $calls = 'n' if $layer == $depth - 1;
            print "int f${layer}_$i(int n) { return $calls; }\n";
        }
    }
    print 'int main(int n) { return ',
      join(' + ', map { "f0_$_(n)" } 0 .. $width - 1), "; }\n";
}

sub arcs {
    my ($code, $size) = read_code($_[0]);
    my %at = map { $_->[1] => $_->[0] } @$code;
    my ($low, @layers, %counts, @arcs) = $code->[0][0] & ~15;
    /^f(\d+)_/ and push @{$layers[$1]}, $_ for sort keys %at;
    my @callers = 'main';
    for my $layer (@layers) {
        for my $caller (@callers) {
            push @arcs, map { [$at{$caller}, $at{$_}, 1] } @$layer;
        }
        @callers = @$layer;
    }
    $counts{int(($at{$_} + 3 - $low) / 4)} = 100 for @callers;
    print_gmon($code, $size, 4, \%counts, \@arcs);
}
