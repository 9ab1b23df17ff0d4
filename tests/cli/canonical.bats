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

# How many trees there are of each kind of input, and the seed of the first.
ROUNDS=${ROUNDS:-2}
SEED=${SEED:-1}

# Sets tool and inputs: profiles of Go, and files that a converter reads.
inputs_of() { # KIND
    inputs=("$1"[1-8])
    case $1 in
    folded) tool=(folded2pb) ;;
    threads) tool=(prof2pb --per-thread --no-symbols) ;;
    gmon) tool=(gmon2pb --flat -e a.out) ;;
    *) tool=(pbmerge) inputs=("$1"[1-8].pb.gz) ;;
    esac
}

# Does the tasks of a plan, each as often as it says, and writes a manifest of
# each.  Sets result and manifests.
follow() { # SEED FAULT
    local step part times options names command
    echo "SEED=$1 $2 ${tool[*]}"
    "$BATS_TEST_DIRNAME/tree.pl" "$1" "$2" "${inputs[@]}" >plan
    manifests=()
    while read -r step part times options names; do
        command=(pbmerge)
        [ "$step" = merge ] || command=("${tool[@]}")
        # shellcheck disable=SC2086 # words
        set -- $names
        printf '%s\n' "$@" >names
        for ((; times; times--)); do
            # shellcheck disable=SC2086 # words
            "${command[@]}" ${options//,/ } --files-from=names -o "$part"
            [ "$times" = 1 ] || mv "$part" before
        done
        [ ! -e before ] || cmp before "$part"
        rm -f before
        { pbcat --digest "$part"; printf -- '-  %s\n' "$@"; } >"$part.manifest"
        manifests+=("$part.manifest")
        result=$part
    done <plan
}

@test "a tree of merges gives what one process does" {
    fixture a.out gmon.out
    "$BATS_TEST_DIRNAME/runs.pl" 8 gmon.out
    for kind in cpu heap folded threads gmon; do
        inputs_of $kind
        "${tool[@]}" -0 -o wanted "${inputs[@]}"
        printf '%s\n' "${inputs[@]}" >all
        for ((seed = SEED; seed < SEED + ROUNDS; seed++)); do
            follow "$seed" none
            gzip -dcf "$result" | cmp - wanted
            expect 0 "$ROOT/examples/check-manifests" all "${manifests[@]}"
            same ''
            rm part*
        done
    done
}

# Estimates do not add up: they are made of the sum.
@test "a tree of profiles of gprof, whose stacks are estimated in the end" {
    fixture a.out gmon.out
    "$BATS_TEST_DIRNAME/runs.pl" 8 gmon.out
    inputs_of gmon
    gmon2pb -0 -e a.out -o wanted "${inputs[@]}"
    follow "$SEED" none
    pbfilter --estimate-stacks -0 -o got "$result"
    cmp wanted got
}

@test "manifests show what was lost and what was added twice" {
    fixture gmon.out
    "$BATS_TEST_DIRNAME/runs.pl" 8 gmon.out
    local fault kind
    for fault in 'lost cpu' 'twice folded'; do
        kind=${fault#* } fault=${fault% *}
        inputs_of "$kind"
        "${tool[@]}" -0 -o wanted "${inputs[@]}"
        printf '%s\n' "${inputs[@]}" >all
        follow "$SEED" $fault
        gzip -dcf "$result" >got
        expect 1 cmp -s got wanted
        # By the plan: those that are in no slice, and those in two.
        tr ' ' '\n' <plan | cat all - | grep -xFf all | sort | uniq -c |
            awk -v n="$([ $fault = lost ] && echo 1 || echo 3)" \
                '$1 == n { print $2 }' >names
        [ -s names ]
        expect 1 "$ROOT/examples/check-manifests" all "${manifests[@]}"
        diff -u names <(sed -E 's/^(lost|added twice): ([^ ]*).*/\2/' \
            <<<"$output")
        rm part*
    done
}

@test "manifests show what became of parts" {
    local check=$ROOT/examples/check-manifests
    printf '%s\n' a 'b c' d d >all
    printf '1  p1\n-  a\n2  b c\n' >m1
    printf '3  p2\n-  d\n4  d\n' >m2
    printf '5  sum\n1  p1\n3  p2\n' >m3
    expect 0 "$check" all m1 m2 m3
    same ''
    # p1 was replaced, by p1 of another task or after it was merged.
    printf '6  p1\n-  a\n2  b c\n' >new
    expect 1 "$check" all new m2 m3
    same 'changed after a merge: p1'
    expect 1 "$check" all m1 new m2 m3
    same 'added twice: a (in p1, p1)
added twice: b c (in p1, p1)
changed after a merge: p1
has two manifests: p1'
    # p2 is not in the sum, or has no manifest, or its inputs changed.
    printf '5  sum\n1  p1\n' >m4
    expect 1 "$check" all m1 m2 m4
    same 'lost: p2'
    expect 1 "$check" all m1 m3
    same 'lost: d
unknown: p2 (in sum)'
    printf '3  p2\n4  d\n7  d\n' >m2
    expect 1 "$check" all m1 m2 m3
    same 'changed between merges: d'
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

# --sample-index drops the default type, of which each input has its own.
@test "filters give the same before and after a merge" {
    local i filter strings
    for i in 1 2 3; do
        raw "cpu$i.pb.gz" | protoc --decode=perftools.profiles.Profile \
            -I "$ROOT/lib/profile/wire" profile.proto >text
        strings=$(grep -c '^string_table' text)
        { cat text
            echo "string_table: \"$( ((i % 2)) && echo cpu || echo samples)\""
            echo "default_sample_type: $strings"; } | encode >"in$i.pb"
    done
    pbmerge -o all.pb in?.pb
    for filter in --sample-index=cpu --sample-index=samples --focus=North \
        --show=main --hide=runtime --show-from=main --functions --drop-labels; do
        for i in 1 2 3; do
            pbfilter -q "$filter" -o "part$i.pb" "in$i.pb"
        done
        pbmerge -0 -o before.pb part?.pb
        pbfilter -q "$filter" all.pb | pbmerge -0 -o after.pb
        cmp before.pb after.pb || { echo "$filter"; false; }
    done
}
