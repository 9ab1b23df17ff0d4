# databases.bash - what the tests of examples/ that load databases share
# (`load databases` after helper)
#
#   hosts       makes profiles of two hosts and two days, HOST/DAY.pb.gz, and of
#               one whose names have all that has to be escaped
#   shown FILE...
#               what pbcat shows of these: lines "HOST DAY FUNCTION FLAT CUM",
#               separated by tabs, in order, of all functions

export EXAMPLES=$ROOT/examples

hosts() {
    fixture old.pb.gz new.pb.gz cpu.pb.gz build/a/test.pb.gz
    mkdir web1 "it's 2"
    mv old.pb.gz web1/2024-05-01.pb.gz
    mv new.pb.gz web1/2024-05-02.pb.gz
    mv cpu.pb.gz "it's 2/2024-05-01.pb.gz"
    perl -I"$ROOT/tests/cli" -MWire -e 'binmode STDOUT;
        my @names = ("main", "a;b", "c\\", "\\;d", "\"q\", {e}", "back\\\\;");
        print text(1, int64(1, 1) . int64(2, 2)), map({ text(2, text(1,
            join "", map num($_), $_, 1 + $_ % 6, 1) . text(2, num(1e7 * $_))) }
            1 .. 6), map({ text(4, int64(1, $_) . text(4, int64(1, $_))) } 1 .. 6),
            map({ text(5, int64(1, $_) . int64(2, 2 + $_)) } 1 .. 6),
            map { text(6, $_) } "", "cpu", "nanoseconds", @names' |
        pbmerge -o "it's 2/2024-05-02.pb.gz"
}

shown() { # FILE...
    local file day
    for file; do
        day=${file##*/}
        pbcat -q --sample-index=cpu --unit=ns --no-trim "$file" |
            HOST=${file%/*} DAY=${day%.pb.gz} perl -ne '
                next if 1 .. /^ *flat +flat%/;
                s/ \((partial-)?inline\)$//;
                /^ *(\d+)(?:ns)? +\S+ +\S+ +(\d+)(?:ns)? +\S+  (.*)/ or die $_;
                print join("\t", $ENV{HOST}, $ENV{DAY}, $3, $1, $2), "\n"'
    done | LC_ALL=C sort
}
