# Names that are hostile to what they are printed in: all reports with all
# strings of names.pl in all fields, and all that is said of such names.

bats_require_minimum_version 1.5.0
load helper

setup() {
    setup_scratch
    perl "$ROOT/tests/cli/names.pl" make >names.pb
}

names() { perl "$ROOT/tests/cli/names.pl" "$@"; }

# Prints the report of the type "n", and holds what it says to be harmless.
report() { # OPTION...
    pbcat --sample-index=n "$@" names.pb 2>said || return
    names quiet <said
}

# By whom formats are read; in other files are tests of the names of the others.
READ='json jsonl csv tsv speedscope firefox folded callgrind'
SHOWN='text text=classic text=gprof text=errors tree tree=gprof peek=. traces raw tags strings list=.'

@test "every format is one whose names are tested" {
    # shellcheck disable=SC2086
    run formats $READ ${SHOWN//=./} graphviz top dot flame flame=svg flame=text \
        folded=annotations callgrind=all heatmap markdown \
        heatmap=svg \
        textproto comments disasm weblist proto topproto
    same ''
}

@test "reports that programs read give back every name" {
    local format
    for format in $READ; do
        report "--$format" >out
        names read "$format" <out
    done
    pbcat -q --textproto names.pb | encode >back 2>/dev/null
    [ "$(pbcat --digest - <back | cut -c -32)" = \
        "$(pbcat --digest names.pb | cut -c -32)" ]
}

@test "reports that people read show every name, on one line" {
    local format
    for format in $SHOWN; do
        report "--$format" --no-trim >out
        names read lines <out
        cat out >>all
    done
    report --comments >out
    names read comments <out
    # A terminal is handed what is harmless in any format.
    for format in csv tsv folded callgrind; do
        script -qec "pbcat -q --sample-index=n --$format names.pb" /dev/null \
            </dev/null | tr -d '\r' >>all
    done
    names quiet <all
}

@test "Markdown shows every name as code, on one line" {
    report --markdown=1M >out.md
    names quiet <out.md
    sed -n '/^## Flat/,/^## Cum/p' out.md | grep -a '^| [0-9]' >rows
    # Each row has six cells and a name between equal fences.
    [ "$(grep -acvE '^(\| [^|]+ ){4}\| (`+)([^`]|[^`].*[^`])\2(…)? \| .*\|$' rows)" = 0 ]
}

@test "units and types of every name" {
    local type
    local types=(1 5) # with escapes, and bytes that are not UTF-8
    [ "${WHOLE-}" != yes ] || types=({1..8})
    for type in "${types[@]}"; do
        pbcat -q --sample-index="$type" --text names.pb >>all
        pbcat -q --sample-index="$type" --dot names.pb >>all
        pbcat -q --sample-index="$type" --callgrind names.pb >out
        [ "$(grep -ac '^events: [^ ]*$' out)" = 1 ]
        [ "$(wc -l <out)" = \
            "$(pbcat -q --sample-index=0 --callgrind names.pb | wc -l)" ]
    done
}

@test "pictures and pages are well-formed, and run nothing" {
    report --dot --no-trim >out.dot
    names quiet <out.dot
    dot -Tsvg out.dot | xmllint --noout -
    report --flame=svg >out.svg
    xmllint --noout out.svg
    names quiet <out.svg
    [ "$(xmllint --xpath "count(//*[local-name() = 'script'])" out.svg)" = 0 ]
    report --flame >out.html
    names quiet <out.html
    report --weblist=. >list.html
    names quiet <list.html
    # The scripts of the page are its own: no more of them than without names.
    printf 'a;b 1\n' | folded2pb | pbcat --flame >plain.html
    [ "$(grep -c '</\?script' out.html)" = "$(grep -c '</\?script' plain.html)" ]
    run ! grep -F 'alert(1)</script' out.html list.html
    run ! grep -F '</title></style>' out.html list.html
}

@test "what is wrong with a profile is said without its names' effects" {
    expect 1 pbcat --check=all names.pb
    names quiet <<<"$output$stderr"
    pbcat --check --json names.pb | jq -e .profiles[0].rules >/dev/null
    # Filters and merges keep names, and say nothing that is obeyed.
    pbmerge -v -o sum.pb names.pb 2>said
    pbfilter -v --hide='^main$' -o rest.pb sum.pb 2>>said
    pbfilter -v --repair -o repaired.pb rest.pb 2>>said
    pbsym -v -o symbols.pb repaired.pb 2>>said
    names quiet <said
    pbcat -q --json --sample-index=n symbols.pb | grep -aqF 'turned'
    [ "$(pbcat -q --json sum.pb | jq '.function | length')" = \
        "$(pbcat -q --json names.pb | jq '.function | length')" ]
}

@test "files and archive members of every name" {
    local tool
    mkdir dir
    names broken dir
    find dir -type f ! -name all.tar -print0 >list
    for tool in pbmerge pbfilter pbsym pbcat prof2pb gmon2pb dcpi2pb folded2pb \
        perf2pb
    do
        run "$tool" -v -k --files0-from=list
        [ "$status" = 3 ]
        [ "${#lines[@]}" -ge "$(tr -dc '\0' <list | wc -c)" ]
        printf '%s\n' "$output" >>all
        run "$tool" -v -k dir/all.tar
        [ "$status" = 3 ]
        printf '%s\n' "$output" >>all
    done
    names quiet <all
}

@test "arguments of every kind in messages" {
    local bad option
    bad=$'(\e[31m\x9b\xc2\x9b\xe2\x80\xae\n'
    for option in focus ignore hide show show-from prune-from tagfocus \
        tagignore tagshow taghide drop-frames keep-frames peek list weblist \
        disasm; do
        expect 2 pbcat "--$option=$bad" names.pb
        same_err "pbcat: " ... '\x1b[31m\x9b\xc2\x9b\xe2\x80\xae' ...
        printf '%s\n' "$stderr" >>all
    done
    for option in sample-index granularity nodecount divide-by color \
        max-size files base "$bad"; do
        run --separate-stderr pbcat "--$option=$bad" names.pb
        printf '%s\n' "$output" "$stderr" >>all
    done
    names quiet <all
}

@test "symbols of every name" {
    name=$'\e[31mred\x9bx\xc2\x9b'
    printf '%s\n' .text ".globl \"$name\"" ".type \"$name\", @function" \
        "\"$name\": .skip 64" ".size \"$name\", 64" >s.s
    gcc -shared -nostdlib -o $'lib\e[2J.so' s.s
    at=$(nm lib*.so | sed -n 's/^0*\([0-9a-f]*\) T .*/\1/p')
    {
        perl -I"$ROOT/tests/cli" -MWire -e 'binmode STDOUT;
            my ($at, $file) = (hex shift, shift);
            print text(1, int64(1, 1) . int64(2, 2)), text(2, text(1, num(1)) .
                text(2, num(1))), text(3, int64(1, 1) . int64(2, 0) .
                int64(3, 1 << 20) . int64(5, 3)), text(4, int64(1, 1) .
                int64(2, 1) . int64(3, $at + 4)),
                map { text(6, $_) } "", "n", "count", $file' "$at" \
            "$PWD/"$'lib\e[2J.so'
    } >a.pb
    pbsym -v -o b.pb a.pb 2>said
    names quiet <said
    pbcat -q --text b.pb | grep -F '\x1b[31mred\x9bx\xc2\x9b'
    pbcat -q --disasm=red b.pb >out 2>said
    names quiet <out
    names quiet <said
}

@test "a name of a megabyte in every report" {
    local format
    perl -I"$ROOT/tests/cli" -MWire -e 'binmode STDOUT;
        print text(1, int64(1, 1) . int64(2, 1)), text(2, text(1, num(1)) .
            text(2, num(1)) . text(3, int64(1, 2) . int64(2, 2))),
            text(4, int64(1, 1) . text(4, int64(1, 1))),
            text(5, int64(1, 1) . int64(2, 2) . int64(4, 2)),
            text(6, ""), text(6, "n"), text(6, "<\e\xff" x 349525)' >long.pb
    for format in $(formats graphviz comments disasm proto topproto) check; do
        pbcat -q "--$format" -o out long.pb || [ "$format" = check ]
        [ "$(stat -c %s out)" -gt 20 ]
    done
}
