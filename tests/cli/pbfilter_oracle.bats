# pbfilter against go tool pprof -proto: the same options on the same profile
# must leave the same samples, byte for byte once both are in canonical form.
#
# cpu.pb.gz and mem.pb.gz are from go test of package sort, labels.pb.gz and
# heap.pb.gz from testdata/golabels, numbers.pb from testdata/labels.textproto.

load helper

# shellcheck disable=SC2154 # set by run

setup_file() {
    local dir=$BATS_FILE_TMPDIR
    export GOPATH=$dir GOPROXY=off HOME=$dir
    export PROFILES=$dir/profiles
    mkdir "$PROFILES"
    go test -vet=off -o "$dir/sort.test" -run=NONE -bench='1K$|Wrappers' \
        -benchtime=30ms -cpuprofile "$PROFILES/cpu.pb.gz" \
        -memprofile "$PROFILES/mem.pb.gz" -memprofilerate=512 sort
    go run "$ROOT/testdata/golabels/main.go" "$PROFILES/labels.pb.gz" \
        "$PROFILES/heap.pb.gz"
    protoc --proto_path="$ROOT/lib/profile/wire" \
        --encode=perftools.profiles.Profile "$ROOT/lib/profile/wire/profile.proto" \
        <"$DATA/labels.textproto" >"$PROFILES/numbers.pb"
}

setup() {
    setup_scratch
    cd "$PROFILES" || return
    tmp=$BATS_TEST_TMPDIR
}

# agree PROFILE OPTION...: both tools make the same of the profile.  pprof
# applies drop_frames when it reads, pbfilter when asked.
agree() {
    local profile=$1
    shift
    pprof -symbolize=none -proto -output "$tmp/theirs.pb.gz" "$@" \
        "$profile" 2>"$tmp/theirs.err"
    pbmerge -0 -o "$tmp/theirs" "$tmp/theirs.pb.gz"
    pbfilter -0 -o "$tmp/ours.pb" --prune "$@" "$profile" 2>"$tmp/ours.err"
    pbmerge -0 -o "$tmp/ours" "$tmp/ours.pb"
    cmp "$tmp/ours" "$tmp/theirs" || {
        echo "not the same: $* $profile"
        return 1
    }
}

# narrow PROFILE OPTION...: the same, and neither all nor nothing is left,
# so that the options are known to have been at work.  Not for cpu.pb.gz: what
# was sampled in it differs from run to run.
narrow() {
    agree "$@"
    pbfilter -0 --prune "$1" | pbmerge -0 -o "$tmp/all"
    if cmp -s "$tmp/ours" "$tmp/all"; then
        echo "all is left: $*"
        return 1
    fi
    pbfilter -q --fail-empty "$tmp/ours" >"$tmp/some" || {
        echo "nothing is left: $*"
        return 1
    }
}

@test "without options" {
    local profile
    for profile in cpu.pb.gz mem.pb.gz labels.pb.gz heap.pb.gz numbers.pb; do
        agree "$profile"
    done
}

# The samples of both in the order in which they stand.  Today's pprof keeps
# samples without values, of one file, which are left out of what it made.
@test "samples stay in the order that pprof keeps" {
    local profile option
    for profile in mem.pb.gz labels.pb.gz numbers.pb; do
        for option in --focus=. --ignore=init --ignore=helper; do
            agree "$profile" "$option"
            [ "$(go_minor)" -lt 22 ] ||
                pbfilter -o "$tmp/theirs.pb.gz" "$tmp/theirs.pb.gz"
            cmp <(pbcat --traces "$tmp/ours.pb") \
                <(pbcat --traces "$tmp/theirs.pb.gz")
        done
    done
}

@test "focus and ignore by function, file and mapping" {
    agree cpu.pb.gz --focus=Stable
    agree cpu.pb.gz --focus='^sort\.insertionSort'
    agree cpu.pb.gz --focus='zsortinterface\.go$'
    agree cpu.pb.gz --focus='(?i)STABLE|HEAP'
    agree cpu.pb.gz --ignore='quick|pdq'
    agree cpu.pb.gz --focus='sort\.' --ignore='[Ii]nsertion'
    narrow mem.pb.gz --focus='testing\.\(\*B\)'
    narrow mem.pb.gz --ignore='\.init'
    narrow heap.pb.gz --focus='main\.keep$'
    narrow numbers.pb --focus=/src/lib
    narrow numbers.pb --ignore='^$'
    agree numbers.pb --focus='/opt/prog$'
    agree cpu.pb.gz --ignore=sort.test
}

@test "hide and show" {
    agree cpu.pb.gz --hide='insertionSort'
    agree cpu.pb.gz --hide='^runtime'
    agree cpu.pb.gz --show='^sort\.'
    agree cpu.pb.gz --show='^sort\.' --hide='swap|Swap|Less'
    narrow mem.pb.gz --hide='\.go$' --show=.
    narrow mem.pb.gz --focus=bench --hide=testing --show='sort|runtime'
    narrow heap.pb.gz --show='/golabels/'
    narrow numbers.pb --hide=helper
    narrow numbers.pb --hide=work
    narrow numbers.pb --hide=/opt/prog
    narrow numbers.pb --show=idle
    narrow numbers.pb --show='opt|x$'
}

@test "show_from and prune_from" {
    agree cpu.pb.gz --show_from='sort_test\.'
    agree cpu.pb.gz --show_from='^sort\.'
    agree cpu.pb.gz --prune_from='^sort\.'
    narrow mem.pb.gz --prune_from='testing'
    narrow mem.pb.gz --show_from='testing' --prune_from='sort'
    narrow numbers.pb --show_from=idle
    agree numbers.pb --show_from=/opt
    narrow numbers.pb --prune_from='^work$'
    narrow numbers.pb --prune_from='^ns::idle$'
    agree numbers.pb --prune_from='int'
}

@test "tagfocus and tagignore by ranges" {
    local range
    for range in 64b 1kb: :1kb 1kb:64kb bytes=1kb: bytes=4kb bytes=:512b \
        1024b:1mb; do
        narrow heap.pb.gz "--tagfocus=$range"
        narrow heap.pb.gz "--tagignore=$range"
    done
    for range in bytes=4kb bytes=2kb:9000b wait=2s wait=:3ms wait=1ms:1s \
        level=-10:0 level=40 level=0: request=64kb request=+1b: :40level; do
        narrow numbers.pb "--tagfocus=$range"
        narrow numbers.pb "--tagignore=$range"
    done
    agree heap.pb.gz --tagfocus=1024
    agree heap.pb.gz --tagfocus=bytes=1:2kb
    agree numbers.pb --tagfocus=7
    agree numbers.pb --tagfocus=wait=1kb
    agree numbers.pb --tagignore=1kb:5
}

@test "tagfocus and tagignore by text" {
    narrow labels.pb.gz --tagfocus=import
    narrow labels.pb.gz --tagfocus=job=import,audit
    narrow labels.pb.gz --tagfocus=import,ann
    narrow labels.pb.gz --tagfocus='job:.*port'
    narrow labels.pb.gz --tagfocus='^user:'
    narrow labels.pb.gz --tagignore=user=bob
    narrow labels.pb.gz --tagignore=job=
    narrow labels.pb.gz --tagfocus=job=port --tagignore=ann
    narrow numbers.pb --tagfocus=import,export
    narrow numbers.pb --tagfocus=job=import,export
    narrow numbers.pb --tagfocus=,
    narrow numbers.pb --tagignore='=high'
    agree labels.pb.gz --tagfocus=job=ann
    agree labels.pb.gz --tagfocus=none=import
}

@test "tagshow and taghide" {
    narrow labels.pb.gz --tagshow=job
    narrow labels.pb.gz --taghide=job
    narrow labels.pb.gz --tagshow=. --taghide=user
    narrow heap.pb.gz --taghide=bytes
    narrow numbers.pb --tagshow='e' --taghide='^b'
    narrow numbers.pb --taghide='level|wait'
    narrow numbers.pb --tagfocus=level --taghide=level
}

@test "tagroot and tagleaf" {
    narrow labels.pb.gz --tagroot=job
    narrow labels.pb.gz --tagroot=user,job --tagleaf=job
    narrow labels.pb.gz --tagroot=,job,,none
    narrow heap.pb.gz --tagleaf=bytes
    agree heap.pb.gz --tagleaf=bytes --unit=kb
    narrow numbers.pb --tagroot=job,bytes,wait --tagleaf=level,request
    narrow numbers.pb --tagroot=bytes --tagleaf=wait,request --unit=mb
    narrow numbers.pb --tagroot=wait --unit=auto
    narrow labels.pb.gz --tagroot=job --focus=import
    narrow labels.pb.gz --tagroot=job --show_from=export
    narrow heap.pb.gz --tagroot=bytes --hide='^main\.' --show='^1|alloc'
}

# Equal stacks are summed up first: pprof of 2022 does so when it reads,
# later ones do not, and nor do we.
@test "divide_by" {
    pbmerge -o "$tmp/sum.pb.gz" mem.pb.gz
    agree cpu.pb.gz --divide_by=10
    narrow "$tmp/sum.pb.gz" --divide_by=3
    narrow "$tmp/sum.pb.gz" --divide_by=0.3
    narrow numbers.pb --divide_by=7
    narrow "$tmp/sum.pb.gz" --divide_by=100 --hide=runtime
}

@test "all together" {
    narrow labels.pb.gz --focus=main --ignore=gc --hide='^strings' \
        --show='main|sort|pprof' --show_from='work' --prune_from='sort\.' \
        --tagfocus=job --tagignore=bob --taghide=user --tagroot=job --divide_by=1
    narrow heap.pb.gz --focus=keep --hide=main.main --tagfocus=bytes=1kb: \
        --tagignore=bytes=64kb --tagleaf=bytes --divide_by=2 --unit=kb
    narrow numbers.pb --ignore=nobody --show='work|main' --tagignore=level=7 \
        --tagroot=job --taghide=job --prune_from=main
}

@test "what matches nothing is said in the same cases" {
    local option
    for option in focus ignore hide show show_from tagfocus tagignore \
        tagshow taghide tagroot tagleaf; do
        agree numbers.pb "--$option=nobody"
        grep -q 'expression matched no samples' "$tmp/theirs.err"
        [ "$(cat "$tmp/ours.err")" = "pbfilter: warning: \
--${option/_/-}: regular expression matched no samples" ]
        agree numbers.pb "--$option=e"
        diff <(grep -c 'matched no samples' "$tmp/theirs.err") \
            <(grep -c 'matched no samples' "$tmp/ours.err")
    done
}

# rows PROFILE OPTION...: all rows of pprof's table.
rows() {
    local profile=$1
    shift
    pprof -symbolize=none -text -nodefraction=0 "$@" "$profile" \
        2>/dev/null | sed '1,/flat%/d'
}

# Of functions without their first lines, which Go 1.20 began to write: pprof
# tells functions of one name by them, and files.
@test "granularity and noinlines leave the rows that pprof shows so" {
    local g cpu=$tmp/cpu.pb.gz
    pbcat --textproto cpu.pb.gz | sed -E 's/start_line: *[0-9]+//' |
        encode >"$cpu"
    for g in functions filefunctions files lines; do
        pbfilter -o "$tmp/$g.pb.gz" --prune --granularity=$g "$cpu"
        rows "$cpu" -$g >"$tmp/expected"
        [ -s "$tmp/expected" ]
        rows "$tmp/$g.pb.gz" -$g | diff "$tmp/expected" -
        pbfilter -o "$tmp/$g.pb.gz" --prune --granularity=$g --noinlines \
            "$cpu"
        rows "$cpu" -$g -noinlines >"$tmp/expected"
        rows "$tmp/$g.pb.gz" -$g | diff "$tmp/expected" -
    done
    # The detail is gone, not only out of sight.
    diff <(rows "$tmp/files.pb.gz" -lines) <(rows "$tmp/files.pb.gz" -files)
}

@test "sample_index and mean show what pprof shows so" {
    local type
    pbfilter -o "$tmp/mem.pb.gz" mem.pb.gz
    for type in alloc_objects alloc_space inuse_space 0 inuse_objects; do
        pbfilter -o "$tmp/one.pb.gz" --prune --sample_index=$type mem.pb.gz
        rows mem.pb.gz -sample_index=$type >"$tmp/expected"
        [ -s "$tmp/expected" ]
        rows "$tmp/one.pb.gz" | diff "$tmp/expected" -
    done
    # Stack by stack: the mean of a sum is no sum of means.
    pbfilter -o "$tmp/mean.pb.gz" --prune --mean --sample_index=alloc_space \
        mem.pb.gz
    pprof -symbolize=none -traces -mean -sample_index=alloc_space \
        "$tmp/mem.pb.gz" 2>/dev/null | sed '1,/^---/d' >"$tmp/expected"
    pprof -symbolize=none -traces "$tmp/mean.pb.gz" 2>/dev/null |
        sed '1,/^---/d' | diff "$tmp/expected" -
    [ "$(grep -c . "$tmp/expected")" -gt 100 ]
}
