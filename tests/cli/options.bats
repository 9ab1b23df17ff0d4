# Options: the same in all tools, and all of go tool pprof in pbcat and
# pbfilter.

load helper

TOOLS='prof2pb gmon2pb dcpi2pb folded2pb perf2pb pbmerge pbfilter pbsym pbcat pbdiff pb2pgo'

# Rows of --help: "NAME<tab>LETTER<tab>ARGUMENT<tab>TEXT".
rows() { # TOOL
    "$1" --help | perl -0777 -ne '
        s/\|\n +/|/g;
        while (/^  (?:-(.), |    )--([a-z0-9-]+)(\[?=\S+)?(?:\n)? +(.*)$/mg) {
            print join("\t", $2, $1 // "", $3 // "", $4), "\n";
        }'
}

all_rows() {
    local tool
    for tool in $TOOLS; do
        rows "$tool" | sed "s/^/$tool\t/"
    done
}

# Names that have more than one value in a column of all_rows.
ambiguous() { # COLUMN
    all_rows | cut -f "2,$1" | sort -u | cut -f 1 | uniq -d
}

@test "an option has one letter and one kind of argument in all tools" {
    [ "$(all_rows | wc -l)" -gt 150 ]
    run ambiguous 3
    same ''
    # perf2pb --each=process; formats of what gmon2pb reads, and pbcat writes;
    # pbcat --markdown=BYTES
    run ambiguous 4
    same $'by\ncheck\neach\nformat\nmarkdown\noverlap'
    # Nor has a letter several options.
    all_rows | cut -f 2,3 | sort -u | cut -f 2 | grep . | sort | uniq -d >twice
    diff /dev/null twice
}

# What differs: defaults, what is shown or else written, and --flat, which
# gmon2pb has for data without stacks and pbcat, as pprof, for an order.
@test "an option has one help text in all tools" {
    run ambiguous 5
    same $'base\nby\ncheck\ncum\neach\nexecutable\nflat\nformat\ninlines\njson\nmarkdown\nno-inlines\noverlap\nsample-index\nunit'
}

# "NAME" of each option that pprof lists.
pprof_names() {
    go tool pprof -help 2>&1 | sed -nE 's/^ +-([a-z_]+)( .*|=.*)?$/\1/p' |
        sort -u
}

# An argument for an option of pprof, if it has one.
argument() {
    case $1 in
    list | disasm | peek | weblist | focus | ignore | hide | show | show_from | \
        prune_from | tagfocus | tagignore | tagshow | taghide | tagroot | \
        tagleaf | source_path | trim_path) echo '=f' ;;
    divide_by | nodecount | seconds | timeout) echo '=2' ;;
    nodefraction | edgefraction) echo '=0.1' ;;
    sample_index | add_comment) echo '=delay' ;;
    unit) echo '=ms' ;;
    base | diff_base) echo '=types.pb.gz' ;;
    normalize) echo ' --base=types.pb.gz' ;;
    output) echo '=out' ;;
    symbolize) echo '=none' ;;
    esac
}

# A profile of all sample types that options are called after.
types() {
    echo 'f;g 10 20 30 40 50 60' | folded2pb -o types.pb.gz --sample-types="$(
        printf '%s' contentions,delay/ns,inuse_space/bytes,inuse_objects, \
            alloc_space/bytes,alloc_objects)"
}

# Prints the names of pprof's options that a tool does not know; each of
# them is answered by what to use, and any other is accepted.
unknown() { # TOOL
    local name
    for name in $(pprof_names); do
        status=0
        # shellcheck disable=SC2046 # perhaps with another option
        "$1" --"$name"$(argument "$name") types.pb.gz >/dev/null 2>said ||
            status=$?
        stderr=$(cat said)
        # The profile has no code.
        [[ $name != disasm || $status != 1 ]] || status=0
        if [[ $stderr == "$1: unknown option '--${name//_/-}'; "* ]]; then
            [ "$status" = 2 ] || return
            [[ $stderr != *"did you mean"* && $stderr != *"--help"* ]] || return
            printf '%s ' "$name"
        elif [[ $name = gv ]]; then
            continue # there is a viewer, or none
        elif [ "$status" != 0 ]; then
            printf '\n%s: %s: %s' "$name" "$status" "$stderr"
        fi
    done
}

# What needs a server, a browser or a viewer, or reads symbols.
NOT_HERE='buildid eog evince http kcachegrind no_browser seconds timeout
    tls_ca tls_cert tls_key tools web'

@test "pbcat knows every option of go tool pprof but for a few" {
    types
    [ "$(pprof_names | wc -l)" -gt 70 ]
    unknown pbcat | xargs -n 1 >got
    printf '%s\n' $NOT_HERE add_comment | sort | diff -u - got
}

@test "pbfilter knows what go tool pprof has for profiles" {
    types
    unknown pbfilter | xargs -n 1 >got
    printf '%s\n' $NOT_HERE callgrind comments disasm dot gif gv list pdf \
        peek png ps raw svg tags text top topproto traces tree weblist \
        call_tree compact_labels cum drop_negative edgefraction flat \
        intel_syntax nodecount nodefraction relative_percentages \
        source_path trim base diff_base normalize | sort | diff -u - got
}

@test "options called after sample types are --sample-index" {
    local type
    types
    for type in inuse_space inuse_objects alloc_space alloc_objects \
        contentions; do
        same_as_index "--$type" "$type"
    done
    same_as_index --total_delay delay
    same_as_index --mean_delay delay --mean
}

same_as_index() { # OPTION TYPE [--mean]
    pbcat "$1" types.pb.gz >got
    pbcat --sample-index="$2" ${3+"$3"} types.pb.gz >wanted
    cmp wanted got
    pbcat types.pb.gz | { ! cmp -s - got; } || [ "$2" = alloc_objects ]
    pbfilter "$1" types.pb.gz >got
    pbfilter --sample-index="$2" ${3+"$3"} types.pb.gz | cmp - got
    go_pprof -text "-${1#--}" types.pb.gz | grep -E '^ +[0-9]' >theirs
    pbcat "$1" types.pb.gz | grep -E '^ +[0-9]' | diff -u theirs -
}

@test "--symbolize=none is accepted, and other words name pbsym" {
    types
    pbcat types.pb.gz >wanted
    pbcat --symbolize=none types.pb.gz | cmp wanted -
    for tool in pbcat pbfilter; do
        expect 2 $tool --symbolize=local types.pb.gz
        same_err "$tool: invalid value 'local' for --symbolize: expected 'none'; use pbsym to add symbols"
    done
}

@test "pbcat --proto writes what go tool pprof -proto writes" {
    local option
    fixture cpu.pb.gz heap.pb.gz
    types
    for option in -focus=f -tagfocus=x -lines -divide_by=3 -sample_index=1 \
        -mean -hide=g; do
        for profile in cpu heap; do
            go_pprof -proto -output=theirs.pb.gz "$option" $profile.pb.gz \
                >/dev/null
            pbcat -q --proto "-$option" $profile.pb.gz | pbmerge -o ours
            pbmerge theirs.pb.gz -o theirs
            cmp ours theirs
        done
    done
    pbcat --proto --base=types.pb.gz heap.pb.gz -o out.pb.gz
    expect 2 script -qec 'pbcat --proto types.pb.gz' /dev/null </dev/null
    [[ $output == *'--proto output is not written to a terminal'* ]]
}

@test "pbfilter adds a comment" {
    types
    expect 0 pbfilter --add-comment='a b' -o out types.pb.gz
    [ "$(pbcat --comments out)" = 'a b' ]
    pbfilter --add-comment= types.pb.gz | cmp - <(pbfilter types.pb.gz)
}

@test "options of other tools are answered by what to use" {
    types
    expect 2 pbfilter --top types.pb.gz
    same_err "pbfilter: unknown option '--top'; use pbcat to print a report"
    expect 2 pbmerge --focus=f types.pb.gz
    same_err "pbmerge: unknown option '--focus'; use pbfilter or pbcat to select and change data"
    expect 2 pbfilter --diff_base=x types.pb.gz
    same_err "pbfilter: unknown option '--diff-base'; use 'pbcat --diff-base' or 'pbmerge --base' to subtract a profile"
    expect 2 pbmerge --diff-base=x types.pb.gz
    same_err "pbmerge: unknown option '--diff-base'; use 'pbcat --diff-base' or 'pbmerge --base' to subtract a profile"
    expect 2 pbcat --repair types.pb.gz
    same_err "pbcat: unknown option '--repair'; use pbfilter to write a changed profile"
    expect 2 pbdiff --rename=a=b old.pb.gz new.pb.gz
    same_err "pbdiff: unknown option '--rename'; use 'pbdiff --count-as'"
    # A name of the tool itself that is nearly the same helps more.
    while read -r tool option like; do
        expect 2 "$tool" "$option" types.pb.gz
        same_err "$tool: unknown option '$option'; did you mean '$like'?"
    done <<'END'
pbcat --line --lines
pbcat --map --mappings
pbcat --ns --ps
pbfilter --fields --files
pbdiff --sum --cum
dcpi2pb --header --header-only
END
    expect 2 pbmerge --children types.pb.gz
    same_err "pbmerge: unknown option '--children'; try 'pbmerge --help'"
    expect 2 gmon2pb --flat-profile gmon.out
    same_err "gmon2pb: unknown option '--flat-profile'; see DIFFERENCES FROM GPROF in gmon2pb(1)"
    for option in --sort=comm --no-children -n -F; do
        expect 2 perf2pb $option perf.data
        same_err "perf2pb: unknown option '${option%=*}'; see PERF REPORT in perf2pb(1)"
    done
    expect 2 gmon2pb -text gmon.out
    same_err "gmon2pb: unknown option '-text'; use pbcat to print a report"
    expect 2 gmon2pb -p gmon.out
    same_err "gmon2pb: unknown option '-p'; instead of gprof -p, use 'gmon2pb | pbcat --text=gprof'"
    expect 2 gmon2pb -z gmon.out
    same_err "gmon2pb: unknown option '-z'; gprof -z has no equivalent: profiles contain only functions with time or calls"
    expect 2 gmon2pb -b gmon.out
    same_err "gmon2pb: unknown option '-b'; see DIFFERENCES FROM GPROF in gmon2pb(1)"
    expect 2 pbcat -p types.pb.gz
    same_err "pbcat: unknown option '-p'; instead of gprof -p, use 'gmon2pb | pbcat --text=gprof'"
    expect 2 pbcat -Z0 types.pb.gz
    same_err "pbcat: unknown option '-Z'; see DIFFERENCES FROM GPROF in gmon2pb(1)"
    for tool in gmon2pb pbcat; do
        expect 4 $tool -k main/f
        same_err "$tool: warning: main/f: gprof -k is 'gmon2pb --delete-arc=FROM/TO'" ...
    done
    expect 2 pbcat --symbols types.pb.gz
    same_err "pbcat: unknown option '--symbols'; use pbsym to add symbols"
    expect 2 pbcat --heapcheck types.pb.gz
    same_err "pbcat: unknown option '--heapcheck'; use --sample-index=inuse_objects --no-trim to find leaks"
    expect 2 pbmerge -p types.pb.gz
    same_err "pbmerge: unknown option '-p'; try 'pbmerge --help'"
    expect 2 pbcat -http=:80 types.pb.gz
    same_err "pbcat: unknown option '-http'; use 'pbcat --flame -o FILE.html' for a page in a browser"
}
