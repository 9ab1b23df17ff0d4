# --dot, and what Graphviz draws of it

load helper

setup_file() {
    command -v protoc >/dev/null
    command -v dot >/dev/null
    cd "$BATS_FILE_TMPDIR"
    export PATH="$BIN:$PATH"
    fixture cpu.pb.gz heap.pb.gz cpu.prof
    prof2pb -q --no-symbols cpu.prof | pbmerge -o gperftools.pb.gz
    labelled | encode | gzip >labels.pb.gz
}

# A profile in text format: string tables and samples as given, one function
# and location for each name, each location with the id of its name.
profile() { # NAME... <samples
    printf 'string_table: "%s"\n' '' cpu count "$@"
    echo 'sample_type { type: 1 unit: 2 }'
    local i
    for ((i = 3; i < $# + 3; i++)); do
        echo "function { id: $i name: $i }"
        echo "location { id: $i line { function_id: $i } }"
    done
    cat
}

# Samples of main and work, with all kinds of labels: eight sizes, of which
# there is room for four ranges; six users, for four; sizes of users; a key
# that occurs twice, and numbers that are not called bytes.
labelled() {
    local i
    {
        for ((i = 0; i < 8; i++)); do
            echo "sample { location_id: [4, 3] value: $((100 - i * 7))
                label { key: 5 num: $((1000 << i)) num_unit: 5 }
                label { key: 14 num: 3 } }"
        done
        for ((i = 0; i < 6; i++)); do
            echo "sample { location_id: [13, 4, 3] value: $((i * 10 + 5))
                label { key: 6 str: $((i + 7)) }
                label { key: 5 num: $((i % 3 + 1)) num_unit: 5 }
                label { key: 5 num: 77 num_unit: 5 } }
            sample { location_id: 3 value: $((i + 1))
                label { key: 6 str: 7 } label { key: 6 str: 8 }
                label { key: 14 str: $((i + 7)) } }"
        done
    } | profile main work bytes user ann bob cy dee eve fay leaf other
}

# Old versions of pprof print times in another way.
without_time() {
    sed -E 's/(\\lTime: )[^\\]*(\\l)/\1\2/'
}

alike() { # PROFILE OPTION...
    go_pprof -dot "${@:2}" "$1" | without_time >theirs
    local ours=("${@:2}")
    pbcat -q --dot "${ours[@]/#-/--}" "$1" | without_time >ours
    [ "$(wc -l <theirs)" -gt 4 ]
    diff theirs ours
}

@test 'the graph is that of pprof' {
    for profile in cpu heap gperftools labels; do
        for options in '' -lines -addresses '-cum -filefunctions' \
            '-nodecount=5' '-nodecount=0 -nodefraction=0' -trim=false \
            '-nodefraction=0.1 -edgefraction=0.1' -divide_by=3; do
            # shellcheck disable=SC2086 # several options
            alike "$BATS_FILE_TMPDIR/$profile.pb.gz" $options
        done
    done
    alike "$BATS_FILE_TMPDIR/heap.pb.gz" -sample_index=inuse_objects
    alike "$BATS_FILE_TMPDIR/heap.pb.gz" -mean
    alike "$BATS_FILE_TMPDIR/cpu.pb.gz" -focus=Deposit -unit=ms
}

@test 'a tree of calls is that of pprof' {
    for options in '' -lines -nodecount=5 -trim=false; do
        # shellcheck disable=SC2086 # perhaps none
        alike "$BATS_FILE_TMPDIR/labels.pb.gz" -call_tree $options
    done
}

@test 'the result does not depend on threads' {
    pbcat -T 1 --dot "$BATS_FILE_TMPDIR/heap.pb.gz" >one
    pbcat -T 4 --dot "$BATS_FILE_TMPDIR/heap.pb.gz" >four
    cmp one four
}

# From grey (0) to red (1) and green (-1): 0xb2 is 0.7 * 255, 0x0e is that times
# 1 - 0.75^0.3, and 0x3c times 1 - 0.25^0.3.  Fonts are of 8 + 16 * sqrt(flat /
# greatest flat) points, rounded up.
@test 'colours and sizes go by weight' {
    profile all <<<'sample { location_id: 3 value: 1000 }' | encode >p.pb
    pbcat --dot p.pb >all.dot
    grep -qxF 'N1 [label="all\n1000 (100%)" id="node1" fontsize=24 shape=box tooltip="all (1000)" color="#b20000" fillcolor="#edd5d5"]' all.dot
    profile main gone came <<'END' | encode >p.pb
sample { location_id: [4, 3] value: -1000 }
sample { location_id: [5, 3] value: 1000 }
sample { location_id: 5 value: 2000 }
END
    pbcat --dot --no-trim p.pb >diff.dot
    grep -qE '^N. \[label="gone\\n-1000 \(25.00%\)" id="node." fontsize=18 .* color="#3cb200" ' diff.dot
    grep -qE '^N. \[label="came\\n3000 \(75.00%\)" id="node." fontsize=24 .* color="#b20e00" ' diff.dot
}

hostile() {
    profile '<script>alert(1)</script>' 'say \"hi\"' 'back\\slash' \
        'two\nlines' 'caf\303\251' 'bad\377byte' '&lt;tag&gt; a&b &#65;' \
        'ctl\001' "\$(id)'" <<'END' | encode
sample { location_id: [3, 4, 5, 6, 7, 8, 9, 10, 11] value: 10
    label { key: 4 str: 5 } label { key: 6 str: 3 } }
END
}

@test 'names are shown as they are, whatever is in them' {
    hostile >p.pb
    expect 0 pbcat --dot p.pb
    same_err 'pbcat: p.pb: warning: control characters and invalid UTF-8 replaced with U+FFFD (12 times)'
    printf '%s\n' "$output" >graph.dot
    for label in '<script>alert(1)</script>' 'say \"hi\"' 'back\\slash' \
        'two\llines' 'café' 'bad�byte' '&amp;lt;tag&amp;gt; a&b &amp;#65;' \
        'ctl�' "\$(id)'"; do
        grep -F "[label=\"$label\\n" graph.dot | grep -qF "tooltip=\"$label (10)\""
    done
    grep -qF '[label = "say \"hi\":back\\slash\ntwo\nlines:<script>alert(1)</script>"' graph.dot
    # Graphviz takes it without a word, and nothing of it is more than text.
    expect 0 dot -Tplain graph.dot
    [ -z "$stderr" ]
    [ "$(grep -c '^node ' <<<"$output")" = 11 ]
    expect 0 pbcat -q --svg -o p.svg p.pb
    # One script, our own, at the end.
    [ "$(grep -ci '<script' p.svg)" = 1 ]
    [ "$(xmllint --xpath 'name(/*/*[last()])' p.svg)" = script ]
    grep -qF '>&lt;script&gt;alert(1)&lt;/script&gt;</text>' p.svg
    grep -qF '>&amp;lt;tag&amp;gt; a&amp;b &amp;#65;</text>' p.svg
    grep -qF '>say &quot;hi&quot;</text>' p.svg
    grep -qF '>back\slash</text>' p.svg
}

@test 'a picture of the graph has brief names, and is as large as its window' {
    name='void std::sort<It<long*>, Less<long> >(It<long*>, It<long*>, Less<long>)'
    folded2pb -o p.pb.gz <<<"main;$name 5"
    expect 0 pbcat --svg -o p.svg p.pb.gz
    attribute() { # NAME
        xmllint --xpath "string(/*/@$1)" p.svg
    }
    [ "$(attribute width) $(attribute height)" = '100% 100%' ]
    [[ $(attribute viewBox) == '0.00 0.00 '*.00 ]]
    grep -q '<text [^>]*>std</text>' p.svg
    grep -q '<text [^>]*>sort&lt;…&gt;(…)</text>' p.svg
    grep -qF "<a xlink:title=\"$(sed 's/</\&lt;/g; s/>/\&gt;/g' <<<"$name") (5)\">" p.svg
    # Only there.
    pbcat --dot p.pb.gz | grep -qF 'sort<It<long*>, Less<long> >(It<long*>'
    # What is not as Graphviz draws it stays as it is.
    mkdir bin
    printf '#!/bin/sh\ncat >/dev/null\ncat "$DRAWING"\n' >bin/dot
    chmod +x bin/dot
    for drawing in '' '<svg/>' '<svg width="1pt">' '</svg>' \
        $'\n<svg width="1pt"\n viewBox="0 0 1 1">' \
        $'\n viewBox="0 0 1 1">\n<svg width="1pt">\n</svg>'; do
        printf '%s\n' "$drawing" >drawing
        DRAWING=drawing PATH="$PWD/bin:$PATH" pbcat --svg p.pb.gz | cmp - drawing
    done
    printf '<?xml?>\n<svg width="1pt" height="2pt"\n viewBox="0 0 1 2">\n</svg>\n' >drawing
    DRAWING=drawing PATH="$PWD/bin:$PATH" pbcat --svg p.pb.gz >p.svg
    [ "$(head -n 3 p.svg)" = $'<?xml?>\n<svg width="100%" height="100%"\n viewBox="0 0 1 2">' ]
    [ "$(tail -n 2 p.svg)" = $']]></script>\n</svg>' ]
}

@test 'Graphviz takes what real profiles make' {
    for profile in cpu heap gperftools labels; do
        pbcat -q --dot "$BATS_FILE_TMPDIR/$profile.pb.gz" >graph.dot
        expect 0 dot -Tplain graph.dot
        [ -z "$stderr" ]
        # Nodes, boxes and the legend; edges, and those to boxes.
        [ "$(grep -c '^node ' <<<"$output")" = \
            "$(grep -cE '^N+[0-9_]+ \[|^subgraph' graph.dot)" ]
        [ "$(grep -c '^edge ' <<<"$output")" = \
            "$(grep -cE '^N+[0-9_]+ -> N' graph.dot)" ]
    done
}

@test 'pictures are drawn by Graphviz' {
    profile main <<<'sample { location_id: 3 value: 1 }' | encode >p.pb
    pbcat --svg p.pb | grep -qF '<svg '
    for format in 'pdf %PDF' 'ps %!PS' 'gif GIF8' 'png .PNG'; do
        pbcat --"${format% *}" -o picture p.pb
        [[ $(head -c 4 picture | tr -c ' -~' .) == "${format#* }" ]]
    done
}

@test 'pictures are not written to a terminal' {
    profile main <<<'sample { location_id: 3 value: 1 }' | encode >p.pb
    for format in pdf ps png gif; do
        expect 2 script -qec "pbcat --$format p.pb" /dev/null
        [[ $output == *"--$format output is not written to a terminal"* ]]
    done
}

# Makes a directory where nothing but what is named can be run from.
only() { # PROGRAM...
    mkdir bin
    local program
    for program; do
        ln -s "$(command -v "$program")" bin/
    done
}

@test 'a program that is missing is named' {
    profile main <<<'sample { location_id: 3 value: 1 }' | encode >p.pb
    only pbcat
    expect 0 env PATH="$PWD/bin" pbcat --dot p.pb
    for format in svg pdf ps png gif gv; do
        expect 4 env PATH="$PWD/bin" pbcat --$format -q p.pb
        [ -z "$output" ]
        same_err 'pbcat: p.pb: dot: command not found in PATH'
    done
    expect 4 env PATH="$PWD/bin" pbcat --png -o picture p.pb
    [ ! -e picture ]
}

# A gv that writes down what it is called with, and keeps the file.
make_gv() { # COMMANDS
    rm -f bin/gv
    printf '#!%s\nprintf "%%s\\n" "$@" >called\ncat <"$3" >seen\n' "$BASH" >bin/gv
    printf 'stat -c %%a "$3" >mode\n%s\n' "$1" >>bin/gv
    chmod +x bin/gv
}

@test '--gv shows PostScript and leaves nothing behind' {
    profile main <<<'sample { location_id: 3 value: 1 }' | encode >p.pb
    mkdir tmp
    export TMPDIR=tmp
    only pbcat dot cat stat
    expect 4 env PATH="$PWD/bin" pbcat --gv p.pb
    same_err 'pbcat: gv: command not found in PATH'
    make_gv true
    expect 0 env PATH="$PWD/bin" pbcat --gv p.pb
    [ -z "$output$stderr" ]
    [ "$(sed -n 1,2p called)" = $'--scale=1\n--noantialias' ]
    [[ $(sed -n 3p called) == ./tmp/profutils.*.ps ]]
    [ "$(wc -l <called)" = 3 ]
    [ "$(head -c 4 seen)" = '%!PS' ]
    [ "$(cat mode)" = 600 ]
    make_gv 'echo no display >&2; exit 1'
    expect 4 env PATH="$PWD/bin" pbcat --gv p.pb
    same_err 'pbcat: gv failed with exit status 1: no display'
    rmdir tmp
    expect 2 pbcat --gv -o picture p.pb
    same_err 'pbcat: --gv opens a viewer; use --ps -o FILE to write a file'
}

@test 'a picture that fails leaves no output' {
    profile main <<<'sample { location_id: 3 value: 1 }' | encode >p.pb
    mkdir bin
    printf '#!/bin/sh\necho half\necho "it broke" >&2\nexit 3\n' >bin/dot
    chmod +x bin/dot
    expect 4 env PATH="$PWD/bin:$PATH" pbcat --svg -o picture p.pb
    same_err 'pbcat: p.pb: dot failed with exit status 3: it broke'
    [ ! -e picture ]
    expect 4 env PATH="$PWD/bin:$PATH" pbcat --svg p.pb
    [ -z "$output" ]
}

@test 'a picture that is watched goes with the program' {
    profile main <<<'sample { location_id: 3 value: 1 }' | encode >p.pb
    mkdir tmp bin
    printf '#!/bin/sh\nls tmp >there\nkill -TERM $PPID\n' >bin/gv
    chmod +x bin/gv
    expect 143 env TMPDIR=tmp PATH="$PWD/bin:$PATH" pbcat --gv p.pb
    [[ $(cat there) == profutils.*.ps ]]
    rmdir tmp
}

# Each of the two numbers has half of what fits 63 bits, and so does the sum of
# values, which is all that --text needs.
@test 'what numbers weigh is summed up in 64 bits, or not at all' {
    profile main bytes <<'END' | encode >p.pb
sample { location_id: 3 value: 4611686018427387904
    label { key: 4 num: 1 num_unit: 4 } label { key: 4 num: 2 num_unit: 4 } }
END
    expect 0 pbcat --text p.pb
    expect 3 pbcat --dot p.pb
    [ -z "$output" ]
    same_err "pbcat: p.pb: the values of label 'bytes' exceed 64 bits"
}

@test '--open shows a page or picture in a browser, which finds it later' {
    mkdir bin tmp
    export TMPDIR=$PWD/tmp
    echo 'main;work 3' | folded2pb -o t.pb.gz
    ln -s "$(command -v dot)" "$(command -v pbcat)" bin
    expect 4 env -u BROWSER PATH="$PWD/bin" pbcat --open t.pb.gz
    same_err 'pbcat: xdg-open: command not found in PATH'
    [ -z "$(ls tmp)" ]
    printf '#!%s\nprintf "%%s\\n" "$@" >called\n' "$BASH" >bin/xdg-open
    chmod +x bin/xdg-open
    expect 0 env -u BROWSER PATH="$PWD/bin" pbcat --open t.pb.gz
    [[ $output = "$PWD"/tmp/profutils.????????????????.html ]]
    [ "$(<called)" = "$output" ]
    pbcat --flame -o page.html t.pb.gz
    cmp page.html "$output"
    [ "$(stat -c %a "$output")" = 600 ]
    # BROWSER comes first, and its failure leaves nothing.
    rm tmp/*
    mv bin/xdg-open bin/browser
    expect 0 env BROWSER=browser PATH="$PWD/bin" pbcat --svg --open t.pb.gz
    grep -q '<svg' "$(<called)"
    [[ $output = *.svg ]]
    rm tmp/*
    expect 4 env BROWSER='browser:none' PATH="$PWD/bin" pbcat --open t.pb.gz
    same_err 'pbcat: xdg-open: command not found in PATH'
    expect 4 env BROWSER=false pbcat --open t.pb.gz
    same_err 'pbcat: false failed with exit status 1' ...
    [ -z "$output$(ls tmp)" ]
    # A terminal gets no text instead.
    script -qec 'BROWSER=true pbcat --flame --open t.pb.gz' /dev/null |
        grep -q '^/.*html'
    for options in '--text' '--csv' '--check' '--gv'; do
        expect 2 pbcat --open $options t.pb.gz
        same_err "pbcat: --open cannot be combined with $options" ...
    done
    expect 2 pbcat --open -o x.html t.pb.gz
    same_err 'pbcat: --open cannot be combined with --output' ...
}
