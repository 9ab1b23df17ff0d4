# The formats of pbcat and prof2pb: what else has a list of them has all of them.

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

@test "every format that is defined has a row in its table" {
    cd "$ROOT/lib"
    grep -rhoE '^const struct report_format report_[a-z_0-9]+' report |
        sed 's/.* report_//' | sort >"$BATS_TEST_TMPDIR/defined"
    sed -n 's/^ *ROW(\([a-z_0-9]*\)).*/\1/p' report/formats.c | sort |
        diff "$BATS_TEST_TMPDIR/defined" -
    grep -rhoE '^(static )?const struct import_format [a-z_0-9]+_format\b' \
        formats | sed 's/.* //' | sort >"$BATS_TEST_TMPDIR/defined"
    { sed -n '/ IMPORT_PROF2PB(/,/[^\\]$/p' formats/import.h
        sed -n '/ table\[\] = {/,/};/p' formats/import_formats.c; } |
        sed -n 's/^ *ROW(\([a-z_0-9]*\)).*/\1_format/p' | sort |
        diff "$BATS_TEST_TMPDIR/defined" -
}

@test "the manual has an entry for every format" {
    sed -n '/^\.Sh OPTIONS/,/^\.Ss Values/p' "$ROOT/man/pbcat.1" |
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
