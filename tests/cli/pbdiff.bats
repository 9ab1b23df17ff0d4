# pbdiff.bats - comparisons of runs
#
# shellcheck disable=SC2154 # output, stderr and status are set by run

load helper

# A run of about 20,000 samples: functions f1 to f20 of one share below main, of
# which f3 takes 1000 + $2 samples.  $1 moves all counts a little.
run_of() {
    awk -v run="$1" -v more="$2" 'BEGIN {
        for (i = 1; i <= 20; i++) {
            n = 1000 + (run * 37 + i * 53 + run * i * 7) % 41 - 20
            print "main;work;f" i, n + (i == 3 ? more : 0)
        }
    }' | folded2pb -q
}

# base-1 to base-4, and new-1 to new-4, where f3 takes $1 more.
sides() {
    local i
    for i in 1 2 3 4; do
        run_of "$i" 0 >"base-$i.pb.gz"
        run_of "$((i + 4))" "$1" >"new-$i.pb.gz"
    done
}

# A field of the row of a function, "flat" or "cum".
field() {
    perl -MJSON::PP -e '
        local $/;
        my $d = decode_json(<STDIN>);
        my ($row) = grep { $_->{name} eq $ARGV[0] && $_->{measure} eq $ARGV[1] }
            @{ $d->{rows} };
        print $row->{$ARGV[2]} // "null", "\n";
    ' "$@" <json
}

@test "a function that grew is a regression: status 1" {
    sides 500
    expect 1 pbdiff base-*.pb.gz -- new-*.pb.gz
    [[ ${lines[0]} == 'Base: 4 runs, '*' samples: base-1.pb.gz ... base-4.pb.gz' ]]
    [[ ${lines[1]} == 'New: 4 runs, '*' samples: new-1.pb.gz ... new-4.pb.gz' ]]
    [[ $output == *' slower '*' flat  f3'* ]]
    [[ $output == *' slower '*' cum  f3'* ]]
    [[ $output == *'2 slower, '* ]]
    # Its own share is 1000 of 20,000 before, 1500 of 20,500 after.
    expect 1 pbdiff --json -o json base-*.pb.gz -- new-*.pb.gz
    same ''
    [ "$(field f3 flat verdict)" = slower ]
    [[ $(field f3 flat before) == 0.0[45]* ]]
    [[ $(field f3 flat after) == 0.07* ]]
    [ "$(field f4 flat verdict)" = 'no change shown' ]
    # main has all samples: it cannot change.
    [ "$(field main cum verdict)" = 'no change shown' ]
    [ "$(field main cum ratio)" = 1 ]
}

@test "the other way round it is no regression, nor is a growth that is allowed" {
    sides 500
    expect 0 pbdiff new-*.pb.gz -- base-*.pb.gz
    [[ $output == *'2 faster, '* ]]
    # It grew by 46 %.
    expect 1 pbdiff --max-growth=30% base-*.pb.gz -- new-*.pb.gz
    expect 0 pbdiff --max-growth=80% base-*.pb.gz -- new-*.pb.gz
    [[ $output == *'Growth by 160% at a share of 5% takes '* ]]
}

@test "functions whose share moves because another's does are not judged slower" {
    # All but f3 take 1/15 less of the time when f3 takes 1500 more.
    sides 1500
    expect 1 pbdiff --flat base-*.pb.gz -- new-*.pb.gz
    [[ $output == *'The shares of most functions changed by -'* ]]
    [[ $output == *$'\n1 slower, 19 no change shown'* ]]
    expect 0 pbdiff --flat new-*.pb.gz -- base-*.pb.gz
    [[ $output == *$'\n1 faster, 19 no change shown'* ]]
    # Nor are callers, where only they are compared.
    expect 0 pbdiff --cum new-*.pb.gz -- base-*.pb.gz
    [[ $output == *$'\n1 faster, 21 no change shown'* ]]
}

@test "equal runs show no change, and single runs are not judged" {
    sides 0
    expect 0 pbdiff base-*.pb.gz -- new-*.pb.gz
    [[ $output == *$'\n42 no change shown\n'* ]]
    run_of 1 500 >b.pb.gz
    expect 0 pbdiff base-1.pb.gz -- b.pb.gz
    [[ $output == *'Not judged: how runs vary is not known; record at least 3 runs'* ]]
    [[ $output == *$'\n42 not judged\n'* ]]
    expect 6 pbdiff --require-power base-1.pb.gz -- b.pb.gz
    expect 1 pbdiff --assume-poisson base-1.pb.gz -- b.pb.gz
}

@test "--require-power: status 6 if growth could have stayed hidden" {
    sides 0
    expect 0 pbdiff --require-power --max-growth=50% base-*.pb.gz -- new-*.pb.gz
    expect 6 pbdiff --require-power --max-growth=0.1% base-*.pb.gz -- new-*.pb.gz
    # Nothing was judged.
    expect 6 pbdiff --require-power --flat --min-share=90% \
        base-*.pb.gz -- new-*.pb.gz
}

@test "--base names runs before; archives have several" {
    sides 500
    tar cf old.tar base-*.pb.gz
    expect 1 pbdiff --base=old.tar new-*.pb.gz
    [[ ${lines[0]} == 'Base: 4 runs, '*'old.tar(base-1.pb.gz) ... old.tar(base-4.pb.gz)' ]]
    pbdiff --json base-*.pb.gz -- new-*.pb.gz >a || true
    pbdiff --json --base=base-1.pb.gz --base=base-2.pb.gz \
        --base=base-3.pb.gz --base=base-4.pb.gz new-*.pb.gz >b || true
    cmp a b
    expect 2 pbdiff base-*.pb.gz
    same_err "pbdiff: nothing to compare; specify 'pbdiff BASE... -- NEW...', or --base=FILE for each run before"
}

@test "-r reads the files below directories as runs of their side" {
    sides 500
    mkdir -p old/a old/b new
    mv base-[12].pb.gz old/a
    mv base-[34].pb.gz old/b
    mv new-*.pb.gz new
    expect 1 pbdiff -r old -- new
    [[ ${lines[0]} == 'Base: 4 runs, '*': old/a/base-1.pb.gz ... old/b/base-4.pb.gz' ]]
    [[ ${lines[1]} == 'New: 4 runs, '*': new/new-1.pb.gz ... new/new-4.pb.gz' ]]
    expect 1 pbdiff -r old/a old/b -- new/new-1.pb.gz new/new-2.pb.gz
    [[ ${lines[0]} == 'Base: 4 runs, '* ]]
    [[ ${lines[1]} == 'New: 2 runs, '* ]]
}

@test "a growth of more than 1000% is not printed" {
    printf 'a 50\nb 50\n' | folded2pb -q >a.pb.gz
    printf 'a 10\nb 90\n' | folded2pb -q >b.pb.gz
    expect 0 pbdiff a.pb.gz b.pb.gz -- a.pb.gz
    [[ $output == *'These runs show growth by: more than 1000.0% at a share of 20%, '* ]]
}

@test "labels tell runs and sides" {
    sides 500
    for i in 1 2 3 4; do
        pbmerge --label="side=old" --label="run=r$i" "base-$i.pb.gz" \
            --label="side=new" "new-$i.pb.gz" >"both-$i.pb.gz"
    done
    pbmerge both-*.pb.gz >all.pb.gz
    pbdiff --json base-*.pb.gz -- new-*.pb.gz | grep '^{"name"' >a
    pbdiff --json --by=side=old,new --by=run all.pb.gz |
        grep '^{"name"' >b
    cmp a b
    expect 2 pbdiff --by=side=old all.pb.gz
    same_err "pbdiff: invalid value 'side=old' for --by: expected KEY, or KEY=BEFORE,AFTER"
}

@test "names that differ between builds are matched by rule, or by --count-as" {
    printf 'main;f.constprop.0 100\nmain;old 200\n' | folded2pb -q >a.pb.gz
    printf 'main;f.isra.1 100\nmain;brand 200\n' | folded2pb -q >b.pb.gz
    pbdiff --json a.pb.gz -- b.pb.gz >json
    [ "$(field f flat ratio)" = 1 ]
    [ "$(field old flat after)" = 0 ]
    [ "$(field brand flat ratio)" = null ]
    pbdiff --json --count-as='^(old|brand)$=one' a.pb.gz -- b.pb.gz >json
    [ "$(field one flat ratio)" = 1 ]
    pbdiff --json --exact-names a.pb.gz -- b.pb.gz >json
    [ "$(field f.constprop.0 flat after)" = 0 ]
    # A recursive function, whatever its copies are called, counts once.
    printf 'main;f;f.part.0;f 30\nmain 70\n' | folded2pb -q >c.pb.gz
    pbdiff --json c.pb.gz -- c.pb.gz >json
    [ "$(field f cum before)" = 0.3 ]
}

@test "--overlap is the sum of the lesser shares" {
    printf 'a 50\nb 50\n' | folded2pb -q >a.pb.gz
    printf 'a 25\nb 25\nc 50\n' | folded2pb -q >b.pb.gz
    expect 0 pbdiff --overlap a.pb.gz -- b.pb.gz
    same 0.500000
    expect 0 pbdiff --overlap a.pb.gz -- a.pb.gz
    same 1.000000
}

@test "values that are no counts are judged by runs alone" {
    for i in 1 2 3; do
        printf 'a 50%d\nb 50%d\n' "$i" "$((6 - i))" |
            folded2pb -q --sample-types=space/bytes >"a-$i.pb.gz"
        printf 'a 90%d\nb 50%d\n' "$i" "$((6 - i))" |
            folded2pb -q --sample-types=space/bytes >"b-$i.pb.gz"
    done
    expect 0 pbdiff a-1.pb.gz a-2.pb.gz -- b-1.pb.gz b-2.pb.gz
    [[ $output == *$'\nNot judged: '* ]]
    expect 1 pbdiff a-*.pb.gz -- b-*.pb.gz
    [[ $output == *' more '*' flat  a'* ]]
    [[ $output == *' less '*' flat  b'* ]]
    # Seconds and bytes are not compared.
    printf 'a 1\n' | folded2pb -q >c.pb.gz
    expect 3 pbdiff a-1.pb.gz -- c.pb.gz
    same_err "pbdiff: c.pb.gz: values are samples/count, but those of earlier runs are space/bytes; choose a type that all runs have with --sample-index=TYPE"
}

@test "Markdown, JSON and JUnit's XML are valid, whatever names are" {
    name=$'<b>|`*_[x](y)&"\\'
    for i in 1 2 3; do
        printf '%s 5%d0\nb 50%d\n' "$name" "$i" "$i" | folded2pb -q >"a-$i.pb.gz"
        printf '%s 9%d0\nb 50%d\n' "$name" "$i" "$i" | folded2pb -q >"b-$i.pb.gz"
    done
    expect 1 pbdiff --junit a-*.pb.gz -- b-*.pb.gz
    perl -MXML::Parser -e 'XML::Parser->new->parse(\*STDIN)' <<<"$output" ||
        [[ $output == *'name="&lt;b&gt;|`*_[x](y)&amp;&quot;\"'* ]]
    [[ $output == *'<failure message='* ]]
    pbdiff --json a-*.pb.gz -- b-*.pb.gz >json || true
    [ "$(field "$name" flat verdict)" = slower ]
    expect 1 pbdiff --markdown a-*.pb.gz -- b-*.pb.gz
    [[ $output == '**Regression**: '* ]]
    [[ $output == *'<code>&lt;b>&#124;&#96;&#42;&#95;&#91;x](y)&amp;"&#92;</code>'* ]]
}

# The header of a page, as JSON.
page_header() { # PAGE
    perl -MMIME::Base64 -MIO::Uncompress::Gunzip=gunzip -0777 -ne '
        my ($base64) = m{id="profile">([^<]*)</script>};
        my $packed = decode_base64($base64);
        gunzip(\$packed, \my $data);
        print substr $data, 4, unpack "V", $data' "$1"
}

@test "--html is the page of the difference, with the verdicts" {
    sides 500
    expect 1 pbdiff --html -o page.html base-*.pb.gz -- new-*.pb.gz
    same ''
    page_header page.html >header
    [ "$(jq -c '.diff, .note[0:2]' header | paste -sd ' ')" = \
        'true ["Old: base-1.pb.gz ... base-4.pb.gz","New: new-1.pb.gz ... new-4.pb.gz"]' ]
    [ "$(jq '.verdicts.change.f3[0], .verdicts.change.f4[0], .verdicts.cumChange.f3[0]' \
        header | paste -sd ' ')" = '1 0 1' ]
    [[ $(jq -r '.verdicts.change.f3[1]' header) == 'slower: '*' before, '*' after, +'* ]]
    # The page itself is that of pbcat.
    pbmerge -o old.pb.gz base-*.pb.gz
    pbmerge -o new.pb.gz new-*.pb.gz
    pbcat --flame --diff-base=old.pb.gz --normalize --sample-index=samples \
        -o other.html new.pb.gz
    page_header other.html | jq 'del(.note, .title)' >expected
    jq 'del(.note, .title, .verdicts)' header | diff expected -
    expect 0 pbdiff --html -o page.html new-*.pb.gz -- base-*.pb.gz
    [ "$(page_header page.html | jq '.verdicts.change.f3[0]')" = 2 ]
    expect 2 pbdiff --html --by=side=a,b base-1.pb.gz
    same_err 'pbdiff: --html cannot be combined with --by=KEY=A,B: it needs profiles of each side'
}

@test "errors name the value or the file" {
    sides 0
    expect 2 pbdiff --alpha=1 base-1.pb.gz -- new-1.pb.gz
    same_err "pbdiff: invalid value '1' for --alpha: expected a probability from 1e-9 to below 0.5"
    expect 2 pbdiff --max-growth=x base-1.pb.gz -- new-1.pb.gz
    same_err "pbdiff: invalid value 'x' for --max-growth: expected a percentage from 0% to 100000%"
    expect 2 pbdiff --json --markdown base-1.pb.gz -- new-1.pb.gz
    same_err "pbdiff: --markdown, --json, --junit and --overlap cannot be combined"
    expect 3 pbdiff --by=host base-1.pb.gz -- new-1.pb.gz
    same_line 0 "pbdiff: base-1.pb.gz: warning: no runs: no sample has the string label 'host'"
    expect 2 pbdiff --count-as=x base-1.pb.gz -- new-1.pb.gz
    same_err "pbdiff: invalid value 'x' for --count-as: expected REGEX=NAME"
    pbmerge --base=base-2.pb.gz base-1.pb.gz >d.pb.gz
    expect 3 pbdiff d.pb.gz -- base-1.pb.gz
    same_err "pbdiff: d.pb.gz: a value is negative: this is a difference, not a run"
    pbfilter -q --focus=nothing base-1.pb.gz >e.pb.gz
    expect 3 pbdiff e.pb.gz -- base-1.pb.gz
    same_line 0 "pbdiff: e.pb.gz: warning: no runs: the profile has no samples"
    same_line 1 "pbdiff: no run of the base has samples"
}

# Of 400 samples of 10000, two standard errors are 2 * sqrt(400 * 0.96).
@test "pbcat --text=errors prints two standard errors of shares" {
    printf 'main;f 400\nmain;g 9600\n' | folded2pb -q >a.pb.gz
    printf 'main;f 500\nmain;g 9500\n' | folded2pb -q >b.pb.gz
    expect 0 pbcat --compact-labels --text=errors a.pb.gz
    [[ $output == *$'\n       400  4.00%    0.39%        400  4.00%    0.39%  f'* ]]
    [[ $output == *$'\n         0     0%        -      10000   100%    0.00%  main'* ]]
    # 900 samples of 20000, 2 * sqrt(900 * 0.955), of the 10000 of the base.
    expect 0 pbcat --compact-labels --text=errors --diff-base=a.pb.gz b.pb.gz
    [[ $output == *$'\n       100  1.00%    0.59%        100  1.00%    0.59%  f'* ]]
    folded2pb -q --sample-types=space/bytes -o c.pb.gz <<<'a 1'
    expect 0 pbcat --compact-labels --text=errors c.pb.gz
    [[ $output == *$'        1B   100%        -         1B   100%        -  a' ]]
    same_err "pbcat: c.pb.gz: warning: --text=errors shows no +- for this sample type: the number of samples is unknown; use pbdiff to compare runs"
}
