# The canonical form on profiles that go test wrote: the bytes of a merge
# depend on the samples and on nothing else.

load helper

# Eight CPU and eight heap profiles of one test program.
setup_file() {
    export HOME=$BATS_FILE_TMPDIR
    export GOFLAGS=-mod=mod GOPROXY=off GOTOOLCHAIN=local
    (cd "$BATS_TEST_DIRNAME/../../testdata/gobank" &&
        go test -c -vet=off -o "$BATS_FILE_TMPDIR/gobank.test" .)
    cd "$BATS_FILE_TMPDIR"
    local i
    for i in 1 2 3 4 5 6 7 8; do
        ./gobank.test -test.run "$([ $((i % 2)) = 0 ] && echo North || echo .)" \
            -test.cpuprofile "cpu$i.pb.gz" -test.memprofile "heap$i.pb.gz" \
            -test.memprofilerate $((512 << i)) >/dev/null &
    done
    wait
}

setup() {
    setup_scratch
    cp "$BATS_FILE_TMPDIR"/*.pb.gz .
    for kind in cpu heap; do
        pbmerge -0 -T1 -o "$kind.pb" "$kind"[1-8].pb.gz
    done
}

@test "the inputs are not canonical, and have something to merge" {
    for kind in cpu heap; do
        run pprof_totals "$kind.pb"
        [ "${#lines[@]}" -ge 2 ]
        for total in "${lines[@]}"; do
            [ "${total##* }" -gt 0 ]
        done
        pbmerge -0 -o one.pb "${kind}1.pb.gz"
        raw "${kind}1.pb.gz" >bare
        expect 1 cmp -s one.pb bare
        expect 1 cmp -s one.pb "$kind.pb"
    done
}

@test "totals are those of the inputs" {
    for kind in cpu heap; do
        for i in 1 2 3 4 5 6 7 8; do
            pprof_totals "$kind$i.pb.gz"
        done | awk '{ sum[$1] += $2 }
            END { for (t in sum) printf "%s %.0f\n", t, sum[t] }' |
            sort >wanted
        pprof_totals "$kind.pb" | sort >got
        [ -s wanted ]
        diff -u wanted got
    done
}

@test "threads do not show" {
    for kind in cpu heap; do
        for threads in 1 2 7; do
            pbmerge -0 -T"$threads" -o got "$kind"[1-8].pb.gz
            cmp "$kind.pb" got
            pbmerge -0 -T"$threads" -o got "$kind"{8,3,1,7,2,5,6,4}.pb.gz
            cmp "$kind.pb" got
        done
    done
}

@test "threads do not show where samples cancel" {
    for kind in cpu heap; do
        pbmerge -0 -T1 -o wanted --base="$kind.pb" "$kind"[1-7].pb.gz
        for threads in 2 7; do
            pbmerge -0 -T"$threads" -o got --base="$kind.pb" \
                "$kind"{3,7,1,2,6,5,4}.pb.gz
            cmp wanted got
        done
        expect 1 cmp -s wanted "$kind.pb"
    done
}

# Orders and groupings come from a seed, which a failure prints.
@test "order and grouping do not show" {
    local seed kind threads=(1 2 7)
    for seed in {1..12}; do
        echo "seed $seed"
        RANDOM=$seed
        for kind in cpu heap; do
            local group=() all=()
            for i in {1..8}; do
                local at=$((RANDOM % (${#all[@]} + 1)))
                all=("${all[@]:0:at}" "$kind$i.pb.gz" "${all[@]:at}")
            done
            # Groups of two to four are merged until one file is left.
            while [ "${#all[@]}" -gt 1 ]; do
                local n=$((2 + RANDOM % 3))
                group=("${all[@]:0:n}")
                local to=group$seed.$kind.${#all[@]}.$((RANDOM % 10))
                pbmerge "-T${threads[RANDOM % 3]}" "-$((RANDOM % 10))" \
                    -o "$to" "${group[@]}"
                all=("${all[@]:n}" "$to")
            done
            pbmerge -0 -o got "${all[0]}"
            cmp "$kind.pb" got
        done
    done
}

@test "a subset is the same whatever was merged with it before" {
    for kind in cpu heap; do
        pbmerge -0 -o subset "$kind"{2,5,7}.pb.gz
        pbmerge -o a "$kind"{5,2}.pb.gz
        pbmerge -0 -o got a "${kind}7.pb.gz"
        cmp subset got
        cat "$kind"{7,2,5}.pb.gz | pbmerge -0 >got
        cmp subset got
        tar -cf all.tar "$kind"{5,7,2}.pb.gz
        pbmerge -0 -o got all.tar
        cmp subset got
        printf '%s\n' "$kind"{7,5,2}.pb.gz >list
        pbmerge -0 -T7 --files-from=list -o got
        cmp subset got
    done
}

@test "canonical of canonical is the identity" {
    for kind in cpu heap; do
        pbmerge -0 -o again "$kind.pb"
        cmp "$kind.pb" again
        pbmerge -o level.pb.gz "$kind.pb"
        raw level.pb.gz >again
        cmp "$kind.pb" again
    done
}

@test "what go tool pprof rewrote means the same" {
    for kind in cpu heap; do
        for i in 1 2 3; do
            # It renumbers ids and strings; no location is dropped.
            go_pprof -proto -output="rewritten$i.pb.gz" "$kind$i.pb.gz" \
                >/dev/null
            pbmerge -0 -o wanted "$kind$i.pb.gz"
            pbmerge -0 -o got "rewritten$i.pb.gz"
            cmp wanted got
        done
    done
}
