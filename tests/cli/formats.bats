# The output formats of pbcat: what else has a list of them has all of them.

load helper

@test "the formats are options of pbcat" {
    for format in $(formats graphviz disasm weblist textproto); do
        echo 'a 1' | folded2pb -0 | pbcat "--$format" >out
    done
    run formats graphviz text
    [[ $'\n'$output$'\n' = *$'\ntop\n'* ]]
    [[ $'\n'$output$'\n' != *$'\nsvg\n'* ]]
    [[ $'\n'$output$'\n' != *$'\ntext\n'* ]]
}

@test "the manual has an entry for every format" {
    sed -n '/^\.Ss Formats/,/^\.Ss Options/p' "$ROOT/man/pbcat.1" |
        grep '^\.It' | grep -oE 'Fl -[a-z0-9-]+' | sed 's/Fl -//' |
        sort -u >explained
    formats | sed 's/=.*//' | sort -u >formats
    run comm -13 explained formats
    same ''
}

@test "calls fail in runs of every format" {
    for format in $(formats text=classic top pdf ps png gif comments); do
        grep -q -- "--${format%%=.}" "$ROOT/tests/slow/faults/runs" ||
            { echo "not in tests/slow/faults/runs: $format"; false; }
    done
}
