# A gzip file of 2 MiB is decoded so that stacks share frames, one from a pipe is
# not: both give the same output.  Without ISA-L neither shares.

load helper

setup_file() {
    cd "$BATS_FILE_TMPDIR" || return
    perl "$ROOT/tests/cli/stacks.pl" >big.gz
    [ "$(stat -c %s big.gz)" -ge $((2 << 20)) ]
}

setup() {
    setup_scratch
    big=$BATS_FILE_TMPDIR/big.gz
}

# Fails if the command does not write, say and return the same.
alike() { # COMMAND...
    local got=0 want=0
    "$@" <"$big" >got 2>got.err || got=$?
    # shellcheck disable=SC2002 # a pipe is meant
    cat "$big" | "$@" >want 2>want.err || want=$?
    if cmp got want && cmp got.err want.err &&
        [ "$got" = 0 ] && [ "$want" = 0 ] && [ -s got ]; then
        return
    fi
    echo "$*: status $got; from a pipe $want"
    head -n 3 got.err want.err
    return 1
}

# Runs the tool with the options of each line.
each_line() { # TOOL
    local line failed=0
    local -a options
    while read -r line; do
        read -ra options <<<"$line"
        alike "$1" -q "${options[@]}" || failed=1
    done
    return "$failed"
}

@test "the file is read once" {
    alike pbcat --check
    expect 0 pbmerge -v -o got "$big"
    [[ $stderr != *'a second time'* ]]
}

@test "every format" {
    # Graphviz draws what --dot writes; disassembly needs the programs.
    "$ROOT/tests/formats" graphviz disasm weblist >formats
    sed 's/=\.$/=run40/; s/^/--/' formats | each_line pbcat
}

@test "options of reports" {
    each_line pbcat <<'END'
-T1 --cum
-T1 --folded
--sample-index=samples --no-inlines
--by=thread
--by=bytes --outliers
--ratio=samples
--mean --sample-index=alloc_space
--lines --showcolumns
--files
--filefunctions --format=json
--addresses -n 100
--binaries --tree
--mappings --format=csv
--dot --call-tree --no-trim -n 300
--dot --files
--drop-negative --sample-index=alloc_space
--flame --lines
--folded --binaries
--folded --no-inlines --sample-index=2
--traces --addresses
--callgrind --addresses
END
}

filters() {
    cat <<'END'
--focus=run1
--ignore=malloc
--show=http|run
--hide=http
--show-from=serve1
--prune-from=malloc2
--tagfocus=thread=[12]
--tagfocus=bytes=64b:1kb
--tagignore=thread=.
--tagshow=thread
--taghide=timestamp
--tagroot=thread
--tagleaf=bytes,thread
--drop-frames=std::.*
--drop-frames=run.* --keep-frames=run1.*
--focus=run --ignore=run11 --hide=serve --tagfocus=thread
--functions
--filefunctions
--files
--binaries
--lines
--addresses
--no-inlines
--mean --sample-index=alloc_space
--divide-by=7
--trim-path=/src
END
}

@test "filters of pbfilter" {
    {
        filters
        cat <<'END'

-T1
--prune
--drop-labels
--add-comment=text
--sample-index=cpu
--keep-types=samples,cpu
--rename-type=cpu=wall/seconds
--strip-paths
--drop-comments
--repair
END
    } | each_line pbfilter
}

@test "filters of reports" {
    filters | sed 's/$/ --format=csv/' | each_line pbcat
}

@test "sums" {
    local option
    each_line pbmerge <<'END'

-T1
--label=host=a
--weight=3
--scale=0.5
--types=union
--memory=300M
END
    for option in -T1 -T2 --equal --types=union; do
        pbmerge $option -o got "$big" "$big"
        pbmerge $option -o want <(cat "$big") <(cat "$big")
        cmp got want
    done
}

@test "differences" {
    pbfilter -o base.gz --focus=run1 "$big"
    alike pbmerge --base=base.gz
    alike pbcat -q --base=base.gz
    alike pbcat -q --diff-base=base.gz --normalize --folded
    alike pbdiff -q base.gz -- -
}
