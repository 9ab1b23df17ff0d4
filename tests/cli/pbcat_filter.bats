# pbcat's filters, bases, --tags and --text=classic, where go tool pprof of
# old cannot say what is right (for the rest see pbcat_oracle.bats): values
# here are added up by hand from the samples, or are google-pprof's.

load helper

labels() {
    encode <"$DATA/labels.textproto" >labels.pb
}

# Three calls by main; weights 70, 25, 5; and the same in another run, which
# lasted twice as long.
runs() {
    printf '%s\n' 'main;parse 50' 'main;parse;read 20' 'main;run 25' \
        'main;<script>alert(1)</script>\"\ 5' | folded2pb -o new.pb.gz
    printf '%s\n' 'main;parse 100' 'main;run 50' 'main;old 50' |
        folded2pb -o old.pb.gz
}

@test "the total of all samples stays what percentages are of" {
    runs
    expect 0 pbcat --focus=parse --compact-labels new.pb.gz
    same 'Active filters:
   focus=parse
Showing nodes accounting for 70, 70.00% of 100 total
      flat  flat%   sum%        cum   cum%
        50 50.00% 50.00%         70 70.00%  parse
        20 20.00% 70.00%         20 20.00%  read
         0     0% 70.00%         70 70.00%  main'
}

@test "a long expression is cut behind a whole character" {
    local x euro=$'\xe2\x82\xac' whole
    x=parse\|$(printf 'x%.0s' {1..65})
    runs
    # One of 3 bytes ends with the last byte that is shown, or begins before.
    for whole in $euro '' '' ''; do
        expect 0 pbcat --focus="$x$euro$euro" --top new.pb.gz
        grep -qxF "   focus=$x$whole"$'\xe2\x80\xa6' <<<"$output"
        expect 0 pbcat --focus="$x$euro$euro" --dot new.pb.gz
        [ -z "$stderr" ]
        x+=x
    done
}

@test "or that of the samples that are left" {
    runs
    expect 0 pbcat --focus=parse --relative-percentages --compact-labels \
        --cum new.pb.gz
    same 'Active filters:
   focus=parse
Showing nodes accounting for 70, 100% of 70 total
      flat  flat%   sum%        cum   cum%
         0     0%     0%         70   100%  main
        50 71.43% 71.43%         70   100%  parse
        20 28.57%   100%         20 28.57%  read'
}

@test "filters come before granularity, and labels as frames before filters" {
    labels
    expect 0 pbcat --tagroot=job --focus='^export$' --traces labels.pb
    same 'File: prog
Type: space
-----------+-------------------------------------------------------
       job:  export
     bytes:  4kB 8kB
       20B   helper (inline)
             work
             main
             export
-----------+-------------------------------------------------------'
    expect 0 pbcat --focus='lib/helper\.h' --compact-labels labels.pb
    [[ $output == *' ns::idle'* ]]
    # No file name is left to be shown.
    [[ ${output#*cum%} != */* ]]
}

@test "all formats are filtered, but for the one that cannot be" {
    runs
    for format in $(formats graphviz comments textproto list disasm weblist); do
        pbcat -q "--$format" new.pb.gz >whole
        expect 0 pbcat --ignore=parse "--$format" -o part new.pb.gz
        case $format in
        tags) [ ! -s part ] ;;
        proto) cmp part <(pbfilter --prune --ignore=parse new.pb.gz) ;;
        topproto) [ "$(pbcat --json part | jq '.sample | length')" = 3 ] ;;
        raw | json) [ "$(grep -c ': [0-9 ]*$\|"value"' part)" -lt \
            "$(grep -c ': [0-9 ]*$\|"value"' whole)" ] ;;
        *) ! grep parse part | grep -v ignore=parse ;;
        esac
    done
    expect 2 pbcat --textproto --focus=parse new.pb.gz
    same_err 'pbcat: --textproto cannot be combined with filters, --base or --fail-empty'
    expect 2 pbcat --textproto --base=old.pb.gz new.pb.gz
}

@test "a mistake in an expression is found before any input" {
    expect 2 pbcat --focus='a(' nosuch.pb
    [[ $stderr == 'pbcat: --focus: '* && $stderr != *nosuch* ]]
    expect 2 pbcat --normalize missing.pb
    same_err 'pbcat: --normalize requires --base or --diff-base (in pbcat; pbmerge has only --base)'
    expect 2 pbcat --base=a --diff-base=b missing.pb
    same_err 'pbcat: --base cannot be combined with --diff-base'
}

@test "a sample type that is not there is a mistake in every format" {
    runs
    for format in text raw comments json tags folded; do
        expect 2 pbcat "--$format" --sample-index=nosuch new.pb.gz
        same_err ... nosuch ...
    done
}

@test "a filter that matches nothing is warned about" {
    runs
    expect 0 pbcat --hide=nosuch new.pb.gz
    same_err 'pbcat: new.pb.gz: warning: --hide: regular expression matched no samples'
}

@test "drop-frames in place of the profile's own" {
    labels
    expect 0 pbcat --folded labels.pb
    before=$output
    expect 0 pbcat --folded --drop-frames=ns::idle labels.pb
    [[ $before == *idle*helper* || $before == *helper*idle* ]]
    [[ $output != *"idle(int);<"* && $output == *"alloc(int);<"* ]]
}

@test "a difference, in shares of itself or of its base, or normalized" {
    runs
    expect 0 pbcat --base=old.pb.gz --compact-labels --nodefraction=0 new.pb.gz
    [ "${lines[0]}" = 'Showing nodes accounting for -100, 66.67% of 150 total' ]
    expect 0 pbcat --diff-base=old.pb.gz --compact-labels --cum new.pb.gz
    same 'Showing nodes accounting for -100, 50.00% of 200 total
      flat  flat%   sum%        cum   cum%
         0     0%     0%       -100 50.00%  main
       -50 25.00% 25.00%        -50 25.00%  old
       -50 25.00% 50.00%        -30 15.00%  parse
       -25 12.50% 62.50%        -25 12.50%  run
        20 10.00% 52.50%         20 10.00%  read
         5  2.50% 50.00%          5  2.50%  <script>alert(1)</script>\"\'
    expect 0 pbcat --diff-base=old.pb.gz --normalize --compact-labels new.pb.gz
    same 'Showing nodes accounting for 0, 0% of 200 total
      flat  flat%   sum%        cum   cum%
       -50 25.00% 25.00%        -50 25.00%  old
        40 20.00%  5.00%         40 20.00%  read
        10  5.00%     0%         10  5.00%  <script>alert(1)</script>\"\
         0     0%     0%         40 20.00%  parse'
}

@test "several bases are summed up, and samples are of what was subtracted from" {
    runs
    expect 0 pbcat --base=old.pb.gz --base=new.pb.gz --compact-labels new.pb.gz
    [[ ${lines[0]} == 'Showing nodes accounting for -200, '* ]]
    expect 0 pbcat --diff-base=old.pb.gz --traces new.pb.gz
    [ "$(grep -c 'pprof::base:  true' <<<"$output")" = 3 ]
}

# A profile of one binary with one address.
binary() { # NAME BUILD-ID VALUE
    printf '%s\n' 'sample_type { type: 1 unit: 2 }' \
        "sample { location_id: 1 value: $3 }" \
        'mapping { id: 1 memory_start: 4096 memory_limit: 8192 filename: 3 build_id: 4 }' \
        'location { id: 1 mapping_id: 1 address: 4100 }' \
        'string_table: ""' 'string_table: "n"' 'string_table: "count"' \
        "string_table: \"$1\"" "string_table: \"$2\"" | encode
}

@test "a difference is about the binary of the profile that is shown" {
    binary /bin/z 99 5 >new.pb
    binary /bin/a 11 2 >old.pb
    expect 0 pbcat --base=old.pb --addresses new.pb
    same 'File: z
Build ID: 99
Type: n
Showing nodes accounting for 3, 42.86% of 7 total
      flat  flat%   sum%        cum   cum%
         5 71.43% 71.43%          5 71.43%  0000000000001004 [z]
        -2 28.57% 42.86%         -2 28.57%  0000000000001004 [a]'
    expect 0 pbcat --diff-base=new.pb --compact-labels old.pb
    same 'Showing nodes accounting for -3, 60.00% of 5 total
      flat  flat%   sum%        cum   cum%
        -5   100%   100%         -5   100%  [z]
         2 40.00% 60.00%          2 40.00%  [a]'
}

@test "types that not all profiles have are left out, with a warning" {
    fixture heap.pb.gz
    pbfilter --sample-index=alloc_space heap.pb.gz -o one.pb.gz
    expect 0 pbcat --base=one.pb.gz heap.pb.gz
    same_err ... 'warning: 3 of 4 sample types dropped: not in all profiles' ...
    fixture cpu.pb.gz
    expect 3 pbcat --base=cpu.pb.gz heap.pb.gz
    same_err ... 'no sample type in common' ...
}

# bytes: 1 kB 10; 4 and 8 kB 20; job: export 10 + 30, import 20 + 30; wait:
# 2000 ms 30, 3 s -40, which pprof takes as ms; level: 7 -40, -7 50, 40 and
# high 60; request: 50.
@test "tags" {
    labels
    expect 0 pbcat -q --tags labels.pb
    printf '%s\n' "$output" >tags
    diff - tags <<'END'
 bytes: Total 50B of 280B (17.86%)
        20B ( 7.14%): 4kB
        20B ( 7.14%): 8kB
        10B ( 3.57%): 1kB

 job: Total 90B of 280B (32.14%)
      50B (17.86%): export
      40B (14.29%): import

 level: Total 130B of 280B (46.43%)
         60B (21.43%): 40
         60B (21.43%): high
         50B (17.86%): -7
        -40B (14.29%): 7

 request: Total 50B of 280B (17.86%)
          50B (17.86%): 64kB

 wait: Total -10B of 280B ( 3.57%)
       -40B (14.29%): 3ms
        30B (10.71%): 2s
END
}

@test "tags without a total have no shares, and odd names are shown" {
    printf '%s\n' 'sample_type { type: 1 unit: 2 }' \
        'sample { value: 0 label { key: 3 str: 4 } }' \
        'string_table: ""' 'string_table: "n"' 'string_table: "count"' \
        'string_table: "a<b>\"\\"' 'string_table: "\303\251\377"' |
        encode >a.pb
    expect 0 pbcat --tags a.pb
    same $' a<b>"\\: Total 0 of 0\n         0: \303\251\\xff'
}

@test "tags that do not add up in 64 bits are an error" {
    printf '%s\n' 'sample_type { type: 1 unit: 2 }' \
        'sample { value: 9223372036854775807 label { key: 3 str: 4 } label { key: 3 str: 2 } }' \
        'string_table: ""' 'string_table: "n"' 'string_table: "count"' \
        'string_table: "k"' 'string_table: "v"' | encode >a.pb
    expect 3 pbcat --tags a.pb
    same_err "pbcat: a.pb: the values of samples with label 'k' exceed 64 bits"
}

@test "topproto says what its units lose" {
    printf '%s\n' 'main 1500' 'main;f 2500' | folded2pb -o a.pb.gz \
        --sample-types=time/milliseconds
    expect 0 pbcat --topproto --unit=s -o top.pb.gz a.pb.gz
    same_err 'pbcat: a.pb.gz: warning: --topproto: values are truncated to whole s (as in pprof); use --unit=milliseconds to keep them'
    [ "$(pbcat --json top.pb.gz | jq -c '[.sample[].value]')" = \
        '[["2","2"],["4","1"]]' ]
    expect 0 pbcat --topproto --unit=ms -o top.pb.gz a.pb.gz
    same_err ''
    [ "$(pbcat --json top.pb.gz | jq -c '[.sample[].value]')" = \
        '[["2500","2500"],["4000","1500"]]' ]
}

@test "a profile is not written to a terminal" {
    runs
    expect 2 script -qec 'pbcat --topproto new.pb.gz' /dev/null </dev/null
    [[ $output == *'--topproto output is not written to a terminal'* ]]
}

# google-pprof is the program of those columns.  The stacks are made: what a
# run spends in libraries it names in ways of its own.  It marks inlined frames,
# and shows files without a line, which ours does not.
@test "classic text is google-pprof's" {
    load gperf
    fixture prog
    random_stacks prog 300 555555554000 >made.prof
    prof2pb -q made.prof -o made.pb.gz
    for options in '' --cum --lines; do
        # shellcheck disable=SC2086 # an option or none
        google-pprof --text $options prog made.prof 2>/dev/null |
            sed 's/ (inline)//; s/ [^ ]*:0$//' >theirs
        # shellcheck disable=SC2086
        pbcat --text=classic $options made.pb.gz >ours
        diff -u theirs ours
        [ "$(wc -l <ours)" -gt 5 ]
    done
}

@test "classic text of sizes, times and counts" {
    printf '%s\n' 'main 1048576' 'main;f 524288' 'f -262144' |
        folded2pb --sample-types=space/bytes -o a.pb.gz
    expect 0 pbcat --text=classic a.pb.gz
    same 'Total: 1.8 MB
     1.0  57.1%  57.1%      1.5  85.7% main
     0.2  14.3%  71.4%      0.2  14.3% f'
    printf '%s\n' 'main 1500' 'main;f 250' |
        folded2pb --sample-types=delay/milliseconds -o a.pb.gz
    expect 0 pbcat --text=classic -n 1 a.pb.gz
    same 'Total: 1.750 seconds
   1.500  85.7%  85.7%    1.750 100.0% main'
    printf '%s\n' 'main 3' | folded2pb --sample-types=alloc_objects/count -o a.pb.gz
    expect 0 pbcat --text=classic a.pb.gz
    same 'Total: 3 objects
       3 100.0% 100.0%        3 100.0% main'
    expect 2 pbcat --text=modern a.pb.gz
    same_err "pbcat: invalid value 'modern' for --text: expected classic, gprof or errors"
}
