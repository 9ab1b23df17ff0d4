#!/usr/bin/perl
# perf.pl script|unwound|raw [FILE] - call chains of a recording, to be compared
#
#   script   reads perf script -F event,period,ip,sym
#   unwound  reads perf script -F event,period,ip,sym,dso of --call-graph dwarf:
#            it shows callers minus 1. It subtracts 1 also where a signal
#            handler returns to (__restore_rt of libc); and if a return address
#            is 0 it goes on to ffffffffffffffff
#   raw      reads pbcat --raw of the profile that perf2pb made
#
# Prints, sorted, a line for each event and chain: the event, the addresses in
# their files (leaf first; callers minus 1), how many samples and the sum of
# their periods. perf script prints addresses of user code as they are in the
# file; those of mappings are turned into such by the offset of the mapping.
use strict;
use warnings;
no warnings 'portable'; # addresses have 64 bits

my (%samples, %periods);
sub count {
    my ($event, $samples, $period, @chain) = @_;
    my $key = join ' ', $event, @chain;
    $samples{$key} += $samples;
    $periods{$key} += $period;
}

# Whether a signal handler returns to this address of the file: the code there
# is mov $15, %rax; syscall. Debian's libc has its code at the addresses that
# are also its offsets.
my %restorers;
sub is_restorer {
    my ($path, $address) = @_;
    return 0 if $path !~ m{/libc\.so};
    $restorers{$path} //= do {
        open my $file, '<:raw', $path or die "$path: $!";
        local $/;
        index <$file>, "\x48\xc7\xc0\x0f\0\0\0\x0f\x05";
    };
    return $restorers{$path} == $address;
}

sub read_script {
    my ($unwound) = @_;
    my ($period, $event, @chain);
    my $end = sub {
        pop @chain if $unwound && @chain && $chain[-1] == hex 'f' x 16;
        count($event, 1, $period, map { sprintf '%x', $_ } @chain)
            if defined $event;
        @chain = ();
    };
    while (<>) {
        if (/^\t\s*([0-9a-f]+) /) {
            my $address = hex $1;
            # User code was interrupted at its first address, or called the
            # kernel before it.
            my $is_caller = @chain && !($chain[-1] >= 1 << 63 &&
                $address < 1 << 63);
            $address-- if !$unwound && $is_caller && $address;
            $address++ if $unwound && / \((.*)\)$/ &&
                is_restorer($1, $address + 1);
            push @chain, $address;
        } elsif (/^\s*(\d+)\s+(\S+):\s*(?:([0-9a-f]+) )?/) {
            $end->();
            ($period, $event) = ($1, $2);
            push @chain, hex $3 if defined $3;
        }
    }
    $end->();
}

sub read_raw {
    my (@types, @samples, %location, %mapping, $part);
    while (<>) {
        if (/^(Samples|Locations|Mappings)/) {
            $part = $1;
        } elsif (!$part) {
        } elsif ($part eq 'Samples' && m{^\S+/}) {
            @types = map { s{/(count|nanoseconds).*}{}r } split;
        } elsif ($part eq 'Samples' && /^\s*([-\d ]+): ([\d ]*)$/) {
            push @samples, [[split ' ', $1], [split ' ', $2]];
        } elsif ($part eq 'Locations' && /^\s*(\d+): 0x(\w+)(?: M=(\d+))?/) {
            $location{$1} = [hex $2, $3];
        } elsif ($part eq 'Mappings' &&
            m{^(\d+): 0x(\w+)/0x\w+/0x(\w+) (\[k)?}) {
            $mapping{$1} = $4 ? 0 : hex($2) - hex($3);
        }
    }
    for my $sample (@samples) {
        my ($values, $frames) = @$sample;
        my @chain = map {
            my ($address, $mapping) = @{$location{$_}};
            sprintf '%x', $address - ($mapping ? $mapping{$mapping} : 0)
        } @$frames;
        for (my $i = 0; $i < @types; $i += 2) {
            count($types[$i] =~ s/_sample$//r, @$values[$i, $i + 1], @chain)
                if $values->[$i];
        }
    }
}

my $what = shift @ARGV;
$what eq 'raw' ? read_raw() : read_script($what eq 'unwound');
print "$_: $samples{$_} $periods{$_}\n" for sort keys %samples;
