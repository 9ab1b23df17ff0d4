# gperf.bash - making and comparing profiles of gperftools (`load gperf`)
#
#   profile FILE PROGRAM [ARG...]
#                   runs the program under libprofiler; FILE must come of it,
#                   and profile.err has what libprofiler said
#   words WORD...   64-bit little-endian words, decimal or 0x...
#   $header $end    those with which a CPU profile begins and ends
#   perl_counts ARG...
#                   what google-pprof --text ARG... counts: sorted lines
#                   "FLAT CUM FUNCTION"; perl.err has what it said
#   our_counts FILE...
#                   the same of prof2pb | pbcat, by google-pprof's short names

header='0 3 0 10000 0'
end='0 1 0'
export header end

profile() {
    local file=$1
    shift
    LD_PRELOAD=$(gcc -print-file-name=libprofiler.so) CPUPROFILE=$PWD/$file \
        "$@" >/dev/null 2>profile.err
    [ -s "$file" ]
}

words() {
    perl -e 'print pack "Q<*", map { /^0x/ ? hex : $_ } @ARGV' -- "$@"
}

# A function that is inlined has " (inline)" behind its name.
perl_counts() {
    google-pprof --text --no-auto-signal-frm "$@" 2>perl.err >perl.out
    perl -ne 'next unless /^ *(\d+) +\S+% +\S+% +(\d+) +\S+% (.*)/;
        my ($flat, $cum, $name) = ($1, $2, $3);
        $name =~ s/ \(inline\)$//;
        print "$flat $cum $name\n"' perl.out | sort
}

# Names lose parameters and template arguments, as google-pprof shortens them.
our_counts() {
    prof2pb "$@" -o ours.pb.gz || return
    pbcat --sample-index=samples --nodefraction=0 ours.pb.gz |
        perl -ne 'next unless /^ *(\d+) +\S+% +\S+% +(\d+) +\S+%  (.*)/;
            my ($flat, $cum, $name) = ($1, $2, $3);
            $name =~ s/ \((partial-)?inline\)$//;
            while ($name =~ s/\([^()]*\)( const)?//) { }
            while ($name =~ s/<[^<>]*>//) { }
            $name =~ s/^.*\s+(\w+::)/$1/;
            print "$flat $cum $name\n"' | sort
}
