# The tools together, on files that their producers have just written; the
# figures are those of gprof and go tool pprof.

load helper

setup() {
    setup_scratch
    fixtures
}

# gprof's self seconds of a function, in hundredths.
gprof_self() {
    gprof -b -p a.out gmon.out | awk -v f="$1" '
        $NF == f { printf "%.0f\n", $3 * 100 }'
}

@test "make demo shows its commands and ends well" {
    expect 0 "$ROOT/tests/demo.sh" "$BUILD"
    [[ $output = *'$ gmon2pb gmon.out | pbfilter --focus=Mutex | pbcat'* ]]
    [[ $output = *Mutex_lock* ]]
}

@test "the everyday line shows Mutex_lock with gprof's time" {
    self=$(gprof_self Mutex_lock)
    [ "$self" -gt 0 ]
    gmon2pb gmon.out | pbfilter --focus=Mutex |
        pbcat --sample-index=cpu --unit=ms >text
    flat=$(awk '$NF == "Mutex_lock" { sub("ms", "", $1); print $1 }' text)
    [ "$flat" = "$((self * 10))" ]
}

@test "the everyday line gives the same with explicit files" {
    gmon2pb gmon.out | pbfilter --focus=Mutex | pbcat >piped
    gmon2pb -o all.pb.gz gmon.out
    pbfilter --focus=Mutex -o mutex.pb.gz all.pb.gz
    pbcat mutex.pb.gz >filed
    cmp piped filed
}

@test "go tool pprof reads the same totals from what each tool writes" {
    gmon2pb -o gmon.pb.gz gmon.out
    prof2pb -o prof.pb.gz cpu.prof
    dcpi2pb -o dcpi.pb.gz cycles.dcpi imiss.dcpi
    pbcat --folded cpu.pb.gz | folded2pb -o folded.pb.gz
    for p in gmon prof dcpi folded cpu heap; do
        pprof_totals $p.pb.gz >totals
        [ -s totals ]
        pbmerge -o merged.pb.gz $p.pb.gz
        pprof_totals merged.pb.gz | diff -u totals -
        pbfilter --focus=. -o filtered.pb.gz merged.pb.gz
        pprof_totals filtered.pb.gz | diff -u totals -
        pbsym -o sym.pb.gz filtered.pb.gz
        pprof_totals sym.pb.gz | diff -u totals -
    done
}

@test "converted figures are those of the producers' own readers" {
    gmon2pb -o gmon.pb.gz gmon.out
    ticks=$(gprof -b -p a.out gmon.out | awk '
        NR > 5 && NF { sum += $3 } END { printf "%.0f", sum * 100 }')
    pprof_totals gmon.pb.gz | grep -x "cpu/nanoseconds ${ticks}0000000"

    prof2pb -o prof.pb.gz cpu.prof
    samples=$(google-pprof --text prog cpu.prof 2>/dev/null |
        sed -n 's/^Total: \([0-9]*\) samples.*/\1/p')
    pprof_totals prof.pb.gz | grep -x "samples/count $samples"

    dcpi2pb -o dcpi.pb.gz cycles.dcpi imiss.dcpi
    pprof_totals dcpi.pb.gz | grep -x 'cycles_samples/count 500'
    pprof_totals dcpi.pb.gz | grep -x "cycles/count $((500 * 63488))"
    pprof_totals dcpi.pb.gz | grep -x "imiss/count $((16 * 4096))"
}

@test "a merge of two is the sum of two" {
    pprof_totals old.pb.gz >old
    pprof_totals new.pb.gz >new
    pbmerge -o both.pb.gz old.pb.gz new.pb.gz
    pprof_totals both.pb.gz | diff -u <(
        paste -d' ' old new | awk '{ printf "%s %.0f\n", $1, $2 + $4 }') -
}

@test "the wrong kind of file is bad input to every tool, and says so" {
    for tool in prof2pb gmon2pb dcpi2pb folded2pb perf2pb pbmerge pbfilter \
        pbsym pbcat; do
        expect 3 "$tool" bank.c
        [ -z "$output" ]
        same_err "$tool: bank.c: " ...
    done
}

@test "a file that is cut short is bad input" {
    cp cpu.pb.gz cut.pb.gz
    raw cpu.pb.gz >cut.pb
    truncate -s -100 cut.pb.gz
    truncate -s -1 cut.pb
    for tool in pbmerge pbfilter pbsym pbcat; do
        expect 3 "$tool" cut.pb.gz
        [ -z "$output" ]
        same_err "$tool: cut.pb.gz: " ...
        expect 3 "$tool" cut.pb
        same_err "$tool: cut.pb: offset " ...
    done
}

@test "a file that is not there is a failure of the system" {
    for tool in prof2pb gmon2pb dcpi2pb folded2pb perf2pb pbmerge pbfilter \
        pbsym pbcat; do
        expect 4 "$tool" nowhere
        same_err "$tool: nowhere: cannot open: No such file or directory"
    done
}

@test "a failure in the middle leaves the rest without a profile" {
    expect 3 bash -o pipefail -c 'pbmerge bank.c 2>/dev/null | pbfilter --focus=x'
    [ -z "$output" ]
    same_err 'pbfilter: ' ...
}

# Runs a command whose standard output nobody will read.
unread() {
    perl -e '
        pipe my $r, my $w;
        close $r;
        open STDOUT, ">&", $w;
        $SIG{PIPE} = "DEFAULT";
        exec @ARGV' "$@"
}

@test "a reader that went away ends a tool quietly" {
    for tool in pbmerge pbfilter pbsym pbcat; do
        expect 141 unread $tool cpu.pb.gz
        [ -z "$stderr" ]
    done
}
