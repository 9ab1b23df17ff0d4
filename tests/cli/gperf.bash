# gperf.bash - making and comparing profiles of gperftools (`load gperf`)
#
#   profile FILE PROGRAM [ARG...]
#                   runs the program under libprofiler; FILE must come of it,
#                   and profile.err has what libprofiler said
#   words WORD...   64-bit little-endian words, decimal or 0x...
#   $header $end    those with which a CPU profile begins and ends
#   map_line PROGRAM START
#                   a mapping of 1 MiB, as it stands at the end of a profile
#   random_stacks PROGRAM N START
#                   a CPU profile of N stacks of the program's own code, which
#                   is mapped at START (hexadecimal; 0: where it was linked to)
#   perl_counts ARG...
#                   what google-pprof --text ARG... counts: sorted lines
#                   "FLAT CUM FUNCTION"; perl.err has what it said
#   our_counts FILE...
#                   the same of prof2pb FILE... | pbcat
#   pb_counts FILE.pb.gz [OPTION...]
#                   the same of pbcat OPTION...
#   shown FILE      the samples, locations and mappings that go tool pprof
#                   reads in a file
#   same_as_pprof FILE
#                   fails unless prof2pb makes of it byte for byte what pbmerge
#                   makes of what go tool pprof makes of it
#
# Names are as google-pprof shortens them: without parameters and template
# arguments.

header='0 3 0 10000 0'
end='0 1 0'
export header end

profile() {
    local file=$1
    shift
    records
    LD_PRELOAD=$(gcc -print-file-name=libprofiler.so) CPUPROFILE=$PWD/$file \
        "$@" >/dev/null 2>profile.err
    [ -s "$file" ]
}

words() {
    perl -e 'print pack "Q<*", map { /^0x/ ? hex : $_ } @ARGV' -- "$@"
}

map_line() {
    printf '%08x-%08x r-xp 00000000 00:00 1 %s\n' \
        $((0x$2)) $((0x$2 + 0x100000)) "$1"
}

random_stacks() {
    objdump -d -j .text "$1" |
        perl "$BATS_TEST_DIRNAME/random_stacks.pl" "$2" "$3" || return
    [ "$3" != 0 ] || set -- "$1" "$2" 400000
    map_line "$PWD/$1" "$3"
}

# Functions that are inlined have " (inline)" behind their names, and those
# whose short name is another's, too, "@" and an address.
perl_counts() {
    google-pprof --text --no-auto-signal-frm "$@" 2>perl.err >perl.out
    perl -ne 'next unless /^ *(\d+) +\S+% +\S+% +(\d+) +\S+% (.*)/;
        my ($flat, $cum, $name) = ($1, $2, $3);
        $name =~ s/ \(inline\)$//;
        $name =~ s/\@[0-9a-f]+$//;
        print "$flat $cum $name\n"' perl.out | sort
}

our_counts() {
    prof2pb "$@" -o ours.pb.gz && pb_counts ours.pb.gz
}

# The name may have a file behind it.
pb_counts() {
    pbcat --sample-index=samples --nodefraction=0 "$@" |
        perl -ne 'next unless /^ *(\d+) +\S+% +\S+% +(\d+) +\S+%  (.*)/;
            my ($flat, $cum, $name) = ($1, $2, $3);
            $name =~ s/ \((partial-)?inline\)$//;
            $name =~ s/ \/\S+$//;
            while ($name =~ s/\([^()]*\)( const)?//) { }
            while ($name =~ s/<[^<>]*>//) { }
            $name =~ s/^.*\s+(\w+::)/$1/;
            print "$flat $cum $name\n"' | sort
}

shown() {
    go_pprof -raw "$1" | sed -n '/^Samples:/,$p' | sed 's/ *$//'
}

same_as_pprof() {
    go_pprof -proto -output=theirs.pb.gz "$1" >/dev/null
    pbmerge theirs.pb.gz -o theirs.merged.pb.gz
    prof2pb -q --no-symbols --strip-signal-frames --first-only "$1" \
        -o ours.pb.gz
    cmp ours.pb.gz theirs.merged.pb.gz
}
