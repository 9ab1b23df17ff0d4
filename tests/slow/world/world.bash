# world.bash - every tool and report, for tests of what surrounds a process
#
# Loaded after cli/helper.  These tests try a class of surroundings on all tools.
# `make check` takes some cases of each class; with WORLD=all, as `make slow-world`
# sets it, all are tried.
#
#   world_inputs       makes the inputs of the runs below, here
#   world_runs         prints the runs: a command on each line, without -o
#   world_reports      those among them that are reports of pbcat
#   some_runs N        some of the runs
#   some N LIST...     N of the words, first and last among them; all of them
#                      with WORLD=all
#   count N TEXT       adds a line to $WORLD_COUNTS, if that is set: how many
#                      cases of TEXT have ended as they should
#
# A test runs in a directory that bats keeps no files of its own in, unless its
# file has a setup() of its own.

setup() {
    setup_scratch
    mkdir work
    cd work || return
}

# 3,000 stacks of 9 frames, all different: 130 kB of profile, 500 kB of text.
world_folded() {
    perl -e 'for my $i (1 .. 3000) {
        print join(";", map { sprintf "function_%d", ($i * $_ * $_) % 997 }
            1 .. 8), ";leaf_$i $i ", 1000 * $i, "\n"; }'
}

world_inputs() {
    fixture cpu.pb.gz old.pb.gz new.pb.gz profiles.tar.gz prog cpu.prof a.out \
        gmon.out cycles.dcpi imiss.dcpi
    world_folded >stacks
    "$BIN/gmon2pb" -q -0 -o gmon.pb gmon.out
    "$BIN/folded2pb" -0 \
        --sample-types=samples/count,cpu/nanoseconds -o large.pb stacks
    perl -e 'print "heap profile: 1: 8 [1: 8] @ heap\n";
        printf "1: 8 [1: 8] @ 0x%x 0x%x\n", 65536 + 16 * $_, 4096 + 16 * $_
            for 1 .. 3000' >heap
}

world_reports() {
    local report
    for report in $("$ROOT/tests/formats" graphviz tags comments list disasm \
        heatmap heatmap=svg weblist peek top); do
        echo "pbcat -q -n 500 --$report large.pb"
    done
    echo pbcat -q --tags cpu.pb.gz
    echo pbcat --comments gmon.pb
    echo pbcat --check=all cpu.pb.gz
    echo pbcat --digest large.pb profiles.tar.gz
}

world_runs() {
    cat <<'END'
prof2pb -q --no-symbols cpu.prof
prof2pb -q -e prog cpu.prof
prof2pb -q -0 heap
gmon2pb -q -e a.out gmon.out
dcpi2pb -q cycles.dcpi imiss.dcpi
folded2pb -0 --sample-types=samples,cpu/ns stacks
pbmerge -T1 old.pb.gz new.pb.gz large.pb
pbmerge -T2 old.pb.gz new.pb.gz profiles.tar.gz
pbfilter -0 --focus=function large.pb
pbfilter -q --repair large.pb cpu.pb.gz
pbsym -q --force cpu.pb.gz
END
    world_reports
}

some() {
    local n=$1 i
    shift
    if [ "${WORLD-}" = all ] || [ $# -le "$n" ]; then
        printf '%s\n' "$@"
        return
    fi
    for ((i = 0; i < n; i++)); do
        echo "${@:1 + i * ($# - 1) / (n - 1):1}"
    done
}

count() {
    [ -z "${WORLD_COUNTS-}" ] || printf '%d\t%s\n' "$1" "$2" >>"$WORLD_COUNTS"
}

# Some N of the runs, or all.
some_runs() { # N
    local -a runs
    readarray -t runs < <(world_runs)
    some "$1" "${runs[@]}"
}
