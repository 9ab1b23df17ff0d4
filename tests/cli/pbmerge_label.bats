# pbmerge --label, --source-label: samples that say which input they are from.

load helper

setup() {
    setup_scratch
    printf 'main;f 3\nmain;g 4\n' | folded2pb -o one
    printf 'main;f 5\n' | folded2pb -o two
    printf 'main;f 6\nmain;h 7\n' | folded2pb -o three
}

# Prints "KEY=VALUE TOTAL" for each label of the first sample type, sorted.
label_totals() { # FILE
    pbcat -q --json "$1" | jq -r '[.sample[] | .value[0] as $v |
        .label[]? | {name: "\(.key)=\(.str // .num)", $v}] |
        group_by(.name)[] | "\(.[0].name) \([.[].v | tonumber] | add)"'
}

@test "--label applies to the inputs that follow, until the next of its key" {
    expect 0 pbmerge -o sum one --label=run=1 two --label=host=x \
        --label=run=2 three
    same_err ''
    run label_totals sum
    same $'host=x 13\nrun=1 5\nrun=2 13'
    # An empty value ends the label of its key alone.
    pbmerge -o sum --label=run=1 --label=host=x one --label=run= two three
    run label_totals sum
    same $'host=x 25\nrun=1 7'
    # Standard input and files that are listed are inputs, too.
    pbmerge -o sum --label=run=1 <one
    run label_totals sum
    same 'run=1 7'
    printf '%s\n' one two >list
    pbmerge -o sum --label=run=1 --files-from=list --label=run=2 three
    run label_totals sum
    same $'run=1 12\nrun=2 13'
    mkdir -p dir/sub
    cp one dir
    cp two dir/sub
    pbmerge -o sum -r --label=run=1 dir --label=run=2 three
    run label_totals sum
    same $'run=1 12\nrun=2 13'
}

@test "labels are found by filters, and their totals are those of the inputs" {
    local n
    pbmerge -o sum --label=run=1 one --label=run=2 two --label=run=3 three
    for n in 1:one 2:two 3:three; do
        pbfilter --tagfocus="run=^${n%:*}\$" --drop-labels sum | pbmerge |
            cmp - <(pbmerge "${n#*:}")
    done
    pbcat --tags sum >tags
    grep -qE '^ +7 \(28\.00%\): 1$' tags
    grep -qE '^ +5 \(20\.00%\): 2$' tags
    grep -qE '^ +13 \(52\.00%\): 3$' tags
    # The root of the stacks is then the label.
    pbfilter --tagroot=run --drop-labels sum | pbcat --folded >folded
    diff <(sort folded) - <<'END'
1;main;f 3
1;main;g 4
2;main;f 5
3;main;f 6
3;main;h 7
END
}

@test "labels do not depend on order, grouping or threads" {
    pbmerge -o all --label=run=1 one --label=run=2 two three
    pbmerge -o part1 --label=run=1 one
    pbmerge -o part2 --label=run=2 three
    pbmerge -o part3 --label=run=2 two
    cmp all <(pbmerge part3 part1 part2)
    cmp all <(pbmerge part2 --label=run=2 two --label=run= part1)
    for t in 1 2 5; do
        cmp all <(pbmerge -T"$t" --label=run=2 three two --label=run=1 one)
        cmp all <(pbmerge -T"$t" --memory=64M --label=run=2 three two \
            --label=run=1 one)
    done
}

@test "another value of the key is an error, unless --replace-label is given" {
    local words="label 'run' has the value '1' in a sample, not '2'; use another key, or --replace-label to replace it"
    pbmerge -o old --label=run=1 one
    expect 3 pbmerge -o sum --label=run=2 two old
    same_err "pbmerge: old: $words"
    [ ! -e sum ]
    expect 5 pbmerge -k -o sum --label=run=2 two old
    same_err "pbmerge: old: $words"
    run label_totals sum
    same 'run=2 5'
    # The same value is fine, and so is another key.
    pbmerge --label=run=1 old | cmp old -
    pbmerge -o sum --label=host=x old
    run label_totals sum
    same $'host=x 7\nrun=1 7'
    pbmerge -o sum --label=run=2 old two --replace-label
    run label_totals sum
    same 'run=2 12'
    # A number is another value.
    encode >number <<'END'
sample_type { type: 1 unit: 2 }
sample { value: 4 label { key: 3 num: 1 } label { key: 3 str: 4 } }
sample { value: 5 label { key: 5 str: 4 } }
string_table: ["", "cpu", "count", "run", "2", "k"]
END
    expect 3 pbmerge --label=run=2 number
    same_err "pbmerge: number: $words"
    pbmerge -o sum --replace-label --label=run=2 number
    run label_totals sum
    same $'k=2 5\nrun=2 9'
}

@test "inputs that --only-types skips, and -k, get no label" {
    pbmerge -o old --label=run=1 one
    folded2pb --sample-types=alloc/bytes -o heap <<<'f 1'
    pbmerge -o heap1 --label=run=1 heap
    expect 0 pbmerge -q --only-types=samples -o sum --label=run=2 heap1 two
    run label_totals sum
    same 'run=2 5'
    for t in 1 2 3; do
        expect 5 pbmerge -k -T"$t" -o sum --label=run=2 two heap three
        run label_totals sum
        same 'run=2 18'
    done
}

@test "mistakes in --label" {
    local value
    for value in run =1 ''; do
        expect 2 pbmerge --label="$value" one
        same_err "pbmerge: invalid value '$value' for --label: expected KEY=VALUE"
    done
    expect 2 pbmerge one --label=run=1
    same_err 'pbmerge: no input follows the last --label, --source-label or --weight, which apply to the inputs after them'
    expect 2 pbmerge --replace-label one
    same_err 'pbmerge: --replace-label requires --label or --source-label'
    expect 2 pbfilter --label=run=1 one
    same_err "pbfilter: unknown option '--label'; use pbmerge to label samples"
    # What the value cannot be is shown as in messages.
    pbmerge -o sum --label=run=$'a\xff\nb=c' one
    run label_totals sum
    same 'run=a\xff\x0ab=c 7'
    pbcat --check sum
}

@test "--source-label is the name of the file, or of the archive member" {
    mkdir -p runs/sub
    cp one runs/run-1.pb
    cp two runs/sub/run-2.pb
    pbmerge -o sum --source-label=file runs/run-1.pb ./two
    run label_totals sum
    same $'file=./two 5\nfile=runs/run-1.pb 7'
    pbmerge -o dir -r --source-label=file runs three
    run label_totals dir
    same $'file=runs/run-1.pb 7\nfile=runs/sub/run-2.pb 5\nfile=three 13'
    tar -cf runs.tar runs
    cmp dir <(pbmerge --source-label=file runs.tar three)
    cmp dir <(pbmerge --source-label=file three - <runs.tar)
    # Members of a gzip file are of one file.
    cat one two >both
    pbmerge -o sum --source-label=file both
    run label_totals sum
    same 'file=both 12'
    # Names are any bytes, and labels are not.
    cp one $'o\xffne'
    pbmerge -o sum --source-label=file $'o\xffne'
    run label_totals sum
    same 'file=o\xffne 7'
    expect 0 pbcat --check sum
}

@test "--source-label=KEY=REGEX is what the first group matches" {
    local wanted=$'n=1 7\nn=2 5' regex
    cp one run-1-of-2.pb
    cp two run-2-of-2.pb
    for regex in 'run-([0-9])' '(?P<n>[0-9])-of-([0-9])' '[0-9]' \
        '^(?:run|test)-(.*?)-' '(?U)-(.*)-' '(?i)^RUN-(\d+)'; do
        pbmerge -o sum --source-label=n="$regex" run-?-of-2.pb
        run label_totals sum
        same "$wanted"
    done
    # It ends, and begins again, as --label does.
    pbmerge -o sum --source-label=n=[0-9] run-1-of-2.pb --label=n=x two \
        --source-label=n= three --source-label=n run-2-of-2.pb
    run label_totals sum
    same $'n=1 7\nn=run-2-of-2.pb 5\nn=x 5'
    # The totals of labels are those of inputs, whatever the grouping.
    pbmerge -o sum --source-label=n=[0-9] run-?-of-2.pb
    cmp sum <(pbmerge <(pbmerge --source-label=n=[0-9] run-2-of-2.pb) \
        <(pbmerge --label=n=1 one))
    cmp <(pbfilter --tagfocus=n=^1$ --drop-labels sum | pbmerge) <(pbmerge one)
}

@test "names that do not match are errors" {
    local advice='correct the regular expression, or give this input --label=n=VALUE'
    cp one run-1
    expect 3 pbmerge -o sum --source-label=n='run-([0-9]+)' run-1 two
    same_err "pbmerge: two: --source-label=n: 'run-([0-9]+)' does not match the name 'two'; $advice"
    [ ! -e sum ]
    expect 5 pbmerge -k -o sum --source-label=n='run-([0-9]+)' run-1 two
    run label_totals sum
    same 'n=1 7'
    expect 3 pbmerge --source-label=n='r(x)?un' run-1
    same_err "pbmerge: run-1: --source-label=n: 'r(x)?un' matches no text in the name 'run-1'; $advice"
    tar -cf all.tar run-1 two
    expect 3 pbmerge --source-label=n='run-([0-9]+)' all.tar
    same_err "pbmerge: all.tar(two): --source-label=n: 'run-([0-9]+)' does not match the name 'two'; $advice"
    expect 3 pbmerge --source-label=n < <(cat one)
    same_err 'pbmerge: (standard input): --source-label=n: standard input has no name; use --label=n=VALUE'
    expect 2 pbmerge --source-label=n='(' one
    same_err "pbmerge: --source-label: invalid regular expression '(': unclosed '(' at offset 0"
    expect 2 pbmerge --source-label==x one
    same_err "pbmerge: invalid value '=x' for --source-label: expected KEY or KEY=REGEX"
}
