# What all tools have in common: options, diagnostics, exit statuses.

load helper

tools() {
    local source
    for source in "$ROOT"/cmd/*.c; do
        basename "$source" .c
    done
}

# Those that take one input: pbdiff compares two.
of_one() {
    tools | grep -vx pbdiff
}

# An input that the tool takes; it is in the current directory.
input_of() {
    case $1 in
    prof2pb) echo cpu.prof ;;
    gmon2pb) echo gmon.out ;;
    dcpi2pb) echo cycles.dcpi ;;
    folded2pb) echo cpu.folded ;;
    perf2pb) echo perf.data ;;
    pb2pgo) echo server.pb.gz ;;
    *) echo cpu.pb.gz ;;
    esac
}

all_inputs() {
    fixture cpu.prof gmon.out a.out prog cycles.dcpi cpu.pb.gz perf.data \
        server.pb.gz
    pbcat --folded -o cpu.folded cpu.pb.gz
}

@test "--help lists every shared option, in lines that fit" {
    local tool option
    for tool in $(tools); do
        expect 0 "$tool" --help
        [ -z "$stderr" ]
        [[ $output = "Usage: $tool "* ]]
        for option in '-o, --output=FILE' '--if-changed' '-k, --keep-going' \
            '--files-from=FILE' '--files0-from=FILE' '--max-size=SIZE' \
            '--strict' '-q, --quiet' '-v, --verbose' '-h, --help' \
            '--version'; do
            [[ $output = *" $option "* ]] || {
                echo "$tool --help: no $option"
                false
            }
        done
        awk -v tool="$tool" 'length > 80 { print tool ": " $0; bad = 1 }
            END { exit bad }' <<<"$output"
    done
}

@test "--help groups all options under headings" {
    local tool
    for tool in $(tools); do
        "$tool" --help >help
        # An empty line and a heading begin a group, the last one is Examples.
        awk -v tool="$tool" '
            /^[A-Z].*:$/ { if (before != "" || seen[$0]++) bad = 1
                           group = $0; if (empty) bad = 1; empty = 1 }
            /^  / { empty = 0; if (group == "") bad = 1 }
            /^  (-.,|   ) --/ && group == "Examples:" { bad = 1 }
            { before = $0 }
            END { if (empty || group != "Examples:") bad = 1
                  if (bad) print tool ": " group; exit bad }' help
        sed -n '/^Input and output:/,/^$/p' help | grep -q -- ' --files-from='
        sed -n '/^General:/,/^$/p' help | grep -q -- ' --strict '
    done
    # What the level is of comes before it.
    pbmerge --help | grep -A1 -- '-o, --output' | grep -q -- '^  -0 ... -9'
}

@test "--help has two examples that work" {
    local tool line
    fixture imiss.dcpi old.pb.gz new.pb.gz
    all_inputs
    for tool in $(tools); do
        "$tool" --help | sed -e '1,/^Examples:$/d' -e '/^$/,$d' >examples
        [ "$(grep -c . examples)" = 2 ]
        while read -r line; do
            [[ $line = "$tool "* ]]
            expect 0 bash -o pipefail -c "$line"
            [[ $line = *' -o '* || -n $output ]]
        done <examples
    done
}

@test "--help says which levels are the default" {
    local levels="1 or 4" tool
    [[ $(pbmerge --version) != *libdeflate* ]] || levels="1 or 2"
    for tool in prof2pb pbmerge pbfilter; do
        "$tool" --help >help
        grep -q " default: $levels)$" help
    done
}

@test "--help to a full device fails" {
    expect 4 bash -c 'pbmerge --help >/dev/full'
    same_err 'pbmerge: cannot write to standard output: No space left on device'
}

@test "--version gives the one version and the libraries" {
    local tool version
    version=$(sed -n 's/^VERSION := //p' "$ROOT/Makefile")
    [ -n "$version" ]
    for tool in $(tools); do
        expect 0 "$tool" --version
        [ "${lines[0]}" = "$tool (profutils) $version" ]
        [[ ${lines[1]} =~ ^with\ (libdeflate,\ )?zlib\ 1\.[0-9.]+ ]]
        [[ ${lines[2]} =~ ^loaded\ when\ needed:\ libarchive(,|$) ]]
        [ "${#lines[@]}" = 3 ]
        [[ ${lines[2]} != *[0-9].* ]] || false
    done
}

@test "--version -v loads libraries and gives their versions" {
    local tool args
    for tool in $(tools); do
        for args in '--version -v' '-v --version' '--version --verbose'; do
            # shellcheck disable=SC2086 # words
            expect 0 "$tool" $args
            [[ ${lines[2]} =~ ^loaded\ when\ needed:\ libarchive\ 3\.[0-9] ]]
        done
    done
    expect 0 pbcat --version -v
    [[ $output = *", PCRE2 $(pkg-config --modversion libpcre2-8)"* ]]
}

@test "a library that is needed and cannot be loaded is named" {
    fixture cpu.pb.gz
    tar -cf a.tar cpu.pb.gz
    mkdir lib
    echo 'no library' | tee lib/lib{pcre2-8.so.0,archive.so.13,elf.so.1,dw.so.1} \
        lib/libnettle.so.8 >/dev/null
    without() { # STATUS COMMAND...
        expect "$1" env LD_LIBRARY_PATH="$PWD/lib" "${@:2}"
    }
    without 0 pbcat cpu.pb.gz
    without 4 pbcat --focus=x cpu.pb.gz
    same_err 'pbcat: PCRE2 is required: ' ... '; install it (Debian: libpcre2-8-0)'
    without 4 pbmerge a.tar
    same_err 'pbmerge: a.tar: libarchive is required: ' ... '; install it (Debian: libarchive13)'
    without 4 pbfilter --anonymize cpu.pb.gz
    same_err 'pbfilter: nettle is required: ' ... '; install it (Debian: libnettle8)'
    without 4 pbsym --force -e "$BIN/pbcat" cpu.pb.gz
    same_err 'pbsym: ' ... 'libelf is required: ' ... '; install it (Debian: libelf1)'
    without 0 pbcat --version -v
    [[ $output = *'libarchive is required: '* ]]
}

@test "options that do not exist are usage errors" {
    local tool
    for tool in $(tools); do
        expect 2 "$tool" --no-such-option
        [ -z "$output" ]
        same_err "$tool: unknown option '--no-such-option'; try '$tool --help'"
        expect 2 "$tool" -K
        same_err "$tool: unknown option '-K'; try '$tool --help'"
    done
}

# The rows of -h are rows of --help, which a tool of few options prints.
@test "-h prints the common options on one screen, --help prints all" {
    local tool
    for tool in $(tools); do
        "$tool" --help | sed '$!N; s/\n \{20,\}/ /; P; D' | sort >all
        "$tool" -h | sed '$!N; s/\n \{20,\}/ /; P; D' | sort >brief
        [ "$(grep -c -- '^ *-.*--' brief)" -le 33 ]
        run comm -13 all brief
        case $tool in
        pbcat | pbfilter | pbmerge | perf2pb | pbdiff)
            same "All options: $tool --help"$'\nCommon options:'
            [ "$("$tool" -h | wc -l)" -le 40 ]
            ;;
        *) same '' ;;
        esac
    done
    # Of several letters, too.
    pbcat -vh | cmp - <(pbcat -h)
    pbcat -v --help | cmp - <(pbcat --help)
}

@test "--help says what is read without operands" {
    local tool
    for tool in $(tools); do
        case $tool in
        pbdiff) continue ;; # two sets of files
        perf2pb) "$tool" --help | grep -q '^Without .* terminal, perf.data.$' ;;
        *) "$tool" --help | grep -q "^Without .*'-', standard input is read.\$" ;;
        esac
    done
}

@test "no option is abbreviated, and pprof's are not taken for others" {
    # With an abbreviation each of these would read standard input.
    expect 2 pbcat --web cpu.pb.gz </dev/null
    same_err "pbcat: unknown option '--web'; use 'pbcat " ... "--svg" ...
    expect 2 pbcat -web cpu.pb.gz
    same_err "pbcat: unknown option '-web'; use 'pbcat " ... "--svg" ...
    expect 2 pbcat -http=:8080 cpu.pb.gz
    same_err "pbcat: unknown option '-http'; use 'pbcat " ... "--flame" ...
    expect 2 pbcat -inuse_space heap.pb.gz
    same_err "pbcat: unknown option '-inuse_space'; long options have two dashes: --inuse-space"
    expect 2 pbcat -top cpu.pb.gz
    same_err "pbcat: unknown option '-top'; long options have two dashes: --top"
    expect 2 pbcat -output=x cpu.pb.gz
    same_err "pbcat: unknown option '-output'; long options have two dashes: --output=x"
    [ ! -e utput=x ]
    expect 2 gmon2pb -executable prog gmon.out
    expect 2 pbcat --nodecout=5 cpu.pb.gz
    same_err "pbcat: unknown option '--nodecout'; did you mean '--nodecount'?"
    expect 2 pbcat --nodec=5 cpu.pb.gz
    same_err "pbcat: unknown option '--nodec'; did you mean '--nodecount'?"
    expect 2 pbmerge "--$(printf 'a%.0s' {1..100000})"
    expect 2 pbcat --color=a cpu.pb.gz
    expect 2 pbcat --flame=s cpu.pb.gz
    expect 2 pbmerge --types=u cpu.pb.gz
    expect 2 prof2pb --type=c cpu.prof
    expect 2 pbsym --demangle=f cpu.pb.gz
}

@test "underscores in the names of options are dashes" {
    local tool
    all_inputs
    for tool in $(of_one); do
        expect 0 "$tool" --keep_going --max_size=1G --output=out \
            --if_changed "$(input_of "$tool")"
        [ -s out ]
    done
}

@test "numbers that make no sense are usage errors" {
    fixture cpu.pb.gz
    local n
    for n in 0 -1 x 1x '' 99999999999999999999; do
        expect 2 pbmerge -T "$n" cpu.pb.gz
        same_err "pbmerge: invalid value '$n' for --threads: expected an integer from 1 to 1024"
        expect 2 pbmerge --max-size="$n" cpu.pb.gz
        same_err "pbmerge: invalid value '$n' for --max-size: expected a number of bytes, or a number with suffix K, M, G or T"
    done
}

@test "a missing file is status 4" {
    local tool
    for tool in $(of_one); do
        expect 4 "$tool" no/such/file
        [ -z "$output" ]
        same_err "$tool: no/such/file: cannot open: No such file or directory"
    done
}

@test "a directory is status 3" {
    local tool
    mkdir d
    for tool in $(of_one); do
        expect 3 "$tool" d
        [ -z "$output" ]
        same_err "$tool: d: is a directory"
    done
}

@test "an empty file is a bad input that is named" {
    local tool
    : >empty
    for tool in $(of_one); do
        expect 3 "$tool" empty
        [ -z "$output" ]
        [[ $stderr = "$tool: empty: "?* ]]
        [ "${#stderr_lines[@]}" = 1 ]
        expect 3 "$tool" <empty
        same_err "$tool: (standard input): empty input (did the command that \
writes to this pipe fail?)"
    done
}

@test "without operands, or by -, standard input is read" {
    local tool input
    all_inputs
    for tool in $(of_one); do
        input=$(input_of "$tool")
        "$tool" -o named "$input"
        "$tool" -o unnamed <"$input"
        # shellcheck disable=SC2002 # a pipe is meant
        cat "$input" | "$tool" -o dash -
        cmp named unnamed
        cmp named dash
    done
}

@test "standard input has its name in messages" {
    expect 3 pbcat - <<<'no profile'
    same_err 'pbcat: (standard input): ' ...
}

@test "standard input closed" {
    local tool
    for tool in $(of_one); do
        expect 4 bash -c "$tool <&-"
        same_err "$tool: (standard input): cannot read: Bad file descriptor"
    done
}

@test "standard input is a terminal" {
    local tool example
    for tool in $(tools); do
        example=
        [ "$tool" != perf2pb ] || example=" (for example, 'perf2pb perf.data')"
        expect 2 script -qec "$tool" /dev/null
        [ "$output" = "$tool: no input; specify files$example, or '-' to read from the \
terminal"$'\r' ]
    done
}

@test "standard input can be named once" {
    local tool
    for tool in $(tools); do
        expect 2 "$tool" - -
        same_err "$tool: standard input ('-') is given twice"
    done
    expect 2 pbmerge --files-from=- -
    same_err "pbmerge: standard input ('-') is given twice"
    fixture cpu.pb.gz
    expect 2 pbmerge --base=- - <cpu.pb.gz
    same_err "pbmerge: standard input ('-') is given twice"
}

@test "messages show control characters and bytes that are not UTF-8" {
    expect 4 pbmerge $'\e[1m\nx\377\302\233\303\274'
    same_err 'pbmerge: \x1b[1m\x0ax\xff\xc2\x9bü: cannot open: No such file '\
'or directory'
}

@test "--files-from and --files0-from add to the operands" {
    fixture cpu.pb.gz old.pb.gz new.pb.gz
    mv new.pb.gz $'ne\nw.pb.gz'
    pbmerge -o wanted ./*.gz
    printf 'cpu.pb.gz\n\nold.pb.gz' >list
    printf 'ne\nw.pb.gz\0' >list0
    pbmerge -o got --files-from=list --files0-from=list0
    cmp wanted got
    pbmerge -o got --files-from=list $'ne\nw.pb.gz'
    cmp wanted got
    printf "%s\\0" ./*.gz | pbmerge -o got --files0-from=-
    cmp wanted got
}

@test "lists that are wrong" {
    expect 4 pbmerge --files-from=nowhere
    same_err 'pbmerge: --files-from: nowhere: cannot open: No such file or directory'
    printf 'a\0b' >list
    expect 3 pbmerge --files-from=list
    same_err 'pbmerge: --files-from: list: line 1: NUL in a file name; use --files0-from for names separated by NULs'
}

@test "a list without inputs is an error, and nothing is written" {
    local tool
    : >none
    for tool in $(of_one); do
        expect 3 "$tool" --files-from=none -o got
        same_err "$tool: " ... 'no profile' ...
        [ -z "$output" ]
        [ ! -e got ]
    done
    for tool in prof2pb gmon2pb dcpi2pb folded2pb; do
        expect 3 "$tool" --files-from=none --each -o got.zip
        same_err "$tool: no profile in the input"
        [ ! -e got.zip ]
    done
}

@test "the first bad input stops; -k goes on, and the status tells" {
    fixture cpu.pb.gz old.pb.gz
    echo 'no profile' >bad
    pbmerge -o wanted cpu.pb.gz old.pb.gz

    expect 3 pbmerge -T1 -o out cpu.pb.gz bad nowhere old.pb.gz
    [ ! -e out ]
    [ "${#stderr_lines[@]}" = 1 ]
    same_err 'pbmerge: bad: ' ...

    expect 5 pbmerge -k -o out cpu.pb.gz bad old.pb.gz
    same_err 'pbmerge: bad: ' ...
    cmp wanted out

    expect 5 pbmerge -k -T1 -o out cpu.pb.gz nowhere bad old.pb.gz
    [ "${stderr_lines[0]}" = \
        'pbmerge: nowhere: cannot open: No such file or directory' ]
    same_line 1 'pbmerge: bad: ' ...
    [ "${#stderr_lines[@]}" = 2 ]
    cmp wanted out
}

@test "-k without a single good input" {
    echo 'no profile' >bad
    local tool
    for tool in $(of_one); do
        expect 3 "$tool" -k -o out bad
        [ ! -e out ]
    done
}

@test "-q leaves out warnings, -v adds notes" {
    fixture cpu.pb.gz
    ln cpu.pb.gz hard
    ln -s cpu.pb.gz soft
    tar -cf t.tar cpu.pb.gz hard soft
    expect 0 pbmerge -o out t.tar
    same_err 'pbmerge: t.tar: warning: hard: skipped: hard link to cpu.pb.gz'
    expect 0 pbmerge -q -o out t.tar
    [ -z "$stderr" ]
    expect 0 pbmerge -v -o out t.tar
    same_line 1 'pbmerge: t.tar: note: soft: skipped: not a regular file'
}
