# examples/Snakefile

load cluster

setup() {
    setup_scratch
    profiles 24
}

# Runs the workflow.  $output is "RULE N" for each rule that ran N times.
snake() { # OPTION...
    snakemake --snakefile "$EXAMPLES/Snakefile" --cores 2 "$@" \
        --config profiles=names size=10 >log 2>&1 || { cat log; return 1; }
    output=$(sed -nE 's/^rule (.*):$/\1/p' log | sort | uniq -c |
        awk '{ print $2, $1 }')
}

@test "Snakemake merges again what depends on changed content, and no more" {
    snake
    same 'merge 1
report 1
slice 3'
    cmp sum.pb.gz merged/all.pb.gz
    pbcat sum.pb.gz | cmp - merged/report.txt
    touch 'in put'/*
    snake
    same ''
    # One profile has changed, and the list has got one more at its end: the
    # first slice and the last.
    cp 'in put/2.pb.gz' 'in put/1.pb.gz'
    cp 'in put/2.pb.gz' more.pb.gz
    echo more.pb.gz >>names
    snake
    same 'merge 1
report 1
slice 2'
    pbmerge --files-from=names | cmp - merged/all.pb.gz
}

@test "Snakemake takes results of the same content from its cache" {
    export SNAKEMAKE_OUTPUT_CACHE=$PWD/cache
    mkdir cache
    snake --cache
    cmp sum.pb.gz merged/all.pb.gz
    rm -r merged .snakemake
    snake --cache
    [ "$(grep -c 'output file .* from cache' log)" = 4 ]
    cmp sum.pb.gz merged/all.pb.gz
}

@test "a profile that cannot be read fails the workflow" {
    echo damaged >'in put/7.pb.gz'
    cp "$EXAMPLES/Snakefile" .
    run documented 'snakemake -s Snakefile --cores 8 --config profiles=names'
    [ "$status" != 0 ]
    [[ $output = *'in put/7.pb.gz: not a profile.proto message'* ]]
    [ ! -e merged/all.pb.gz ]
}
