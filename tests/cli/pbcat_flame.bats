# pbcat --flame and --flame=svg.  What is in the page is read by flame.pl and
# compared with --folded, which is made of the samples themselves; the picture
# is read by xmllint.  How the page looks and works: tests/browser.

load helper

page() { # ARG...: of the page that the last pbcat wrote
    perl "$ROOT/tests/cli/flame.pl" "$@" page.html
}

# Page and folded stacks are the same for every type.  Merging is off.
page_is_folded() { # TYPES OPTION... PROFILE
    local n=$1 type
    shift
    expect 0 pbcat --flame --no-trim -o page.html "$@"
    for ((type = 0; type < n; type++)); do
        pbcat --folded --sample-index=$type "$@" >folded
        [ -s folded ]
        page as-folded $type | diff -u folded -
    done
}

# Two types, in which stacks weigh differently; some values are negative.
stacks='main;read;parse 400 1
main;read 7 300
main 0 90
main;read;parse;lex 3 9
init -5 20
main;write 600 -8
main;write;write 1 2'

# --- the page

@test "the page has no comments of its sources, and no indentation" {
    echo 'main;work 3' | folded2pb | pbcat --flame -o page.html
    sed -n -e '/<style>/,/<\/style>/p' \
        -e '/<script type="module">/,/<\/script>/p' page.html >code
    [ "$(wc -l <code)" -gt 1000 ]
    [ "$(grep -cE '^ *(//|/\*)|^ +[^ ]|\*/$' code)" = 0 ]
    # Nothing else is missing: the same statements are there.
    cat "$ROOT"/lib/report/flame/page/{flame.css,*.js} |
        grep -vE '^ *(//|/\*.*\*/$)' | sed 's/^ *//' | grep . >sources
    [ "$(grep -vxFf code sources)" = '' ]
}

@test "flame: the page has all stacks, of every type" {
    fixture heap.pb.gz cpu.pb.gz
    page_is_folded 4 heap.pb.gz
    page_is_folded 2 cpu.pb.gz
    folded2pb --sample-types=n/count,m/bytes >stacks.pb.gz <<<"$stacks"
    page_is_folded 2 stacks.pb.gz
}

# Each function has the values that --text prints, for every type.
page_is_text() { # TYPES PAGE-OPTION OPTION... PROFILE
    local n=$1 option=$2 type unit
    shift 2
    expect 0 pbcat -q --flame "$option" -o page.html "$@"
    for ((type = 0; type < n; type++)); do
        unit=$(page header types | tr '{' '\n' | sed -n "$((type + 2))s/.*unit\":\"\([^\"]*\).*/\1/p")
        pbcat -q --text --compact-labels --nodefraction=0 --unit="$unit" \
            --sample-index=$type "$@" | perl -ne '
                s/ \((partial-)?inline\)$//;
                my ($flat, $cum, $name) =
                    /^ *(-?\d+)\D*? +\S+ +\S+ +(-?\d+)\D*? +\S+%  (.*)/ or next;
                print "$flat $cum $name\n" if $flat || $cum' |
            LC_ALL=C sort >text
        [ -s text ]
        page table $type | LC_ALL=C sort | diff -u text -
    done
}

@test "flame: every function has the values of --text, whatever is merged" {
    fixture heap.pb.gz cpu.pb.gz old.pb.gz new.pb.gz
    # A great one, and others below any share, some with calls and recursion.
    {
        echo 'main;great 100000000 5'
        for i in {1..300}; do
            echo "main;f$((i % 7));g$i;f$((i % 7));h$((i % 11)) $i $((i % 5))"
        done
    } | folded2pb --sample-types=n/count,m/bytes -o light.pb.gz
    folded2pb --sample-types=n/count,m/bytes >stacks.pb.gz <<<"$stacks"
    for option in --trim --nodefraction=0 --nodefraction=0.02 \
        --nodefraction=1; do
        page_is_text 2 $option light.pb.gz
        page_is_text 2 $option stacks.pb.gz
        page_is_text 4 $option heap.pb.gz
        page_is_text 2 $option --lines cpu.pb.gz
        page_is_text 2 $option --base=old.pb.gz new.pb.gz
        page_is_text 2 $option --diff-base=old.pb.gz new.pb.gz
    done
    expect 0 page header merged
    [ "$output" -gt 0 ]
    pbcat --flame -o page.html light.pb.gz
    expect 0 page header merged
    same 0
}

@test "flame: at every granularity, with and without inlined frames" {
    fixture cpu.pb.gz
    for option in --lines --addresses --filefunctions --granularity=files \
        --noinlines --all-frames '--lines --showcolumns' '--focus=Deposit' \
        '--hide=runtime'; do
        # shellcheck disable=SC2086 # one option, or two
        page_is_folded 2 $option cpu.pb.gz
    done
}

@test "flame: several inputs are one page" {
    fixture old.pb.gz new.pb.gz
    page_is_folded 2 old.pb.gz new.pb.gz
}

@test "flame: the header says what is shown" {
    folded2pb --sample-types=n/count,m/bytes >stacks.pb.gz <<<"$stacks"
    expect 0 pbcat --flame --sample-index=n -o page.html stacks.pb.gz
    expect 0 page header types
    same '[{"type":"n","unit":"count"},{"type":"m","unit":"bytes"}]'
    for member in version:2 title:'"profile"' default_type:0 diff:false \
        names:'["init","lex","main","parse","read","write"]' nodes:7 other:-1 \
        merged:0 colour:'"name"' brief:'["","","","","",""]' note:'["Type: n"]' files:'[]' packages:'[]'; do
        expect 0 page header "${member%%:*}"
        same "${member#*:}"
    done
}

@test "flame: names have files, and packages or what stands for them" {
    encode >p.pb <<'END'
string_table: ["", "n", "count", "main.main", "/src/main.go", "a::b::c()",
    "/src/./x.cc", "plain", "/opt/lib/libz.so.1", "/src/d/p.c"]
sample_type { type: 1 unit: 2 }
mapping { id: 1 filename: 8 }
function { id: 1 name: 3 filename: 4 }
function { id: 2 name: 5 filename: 6 }
function { id: 3 name: 7 filename: 9 }
location { id: 1 line { function_id: 1 } }
location { id: 2 mapping_id: 1 line { function_id: 2 } }
location { id: 3 mapping_id: 1 line { function_id: 3 } }
location { id: 4 mapping_id: 1 }
location { id: 5 }
sample { location_id: [5, 4, 3, 2, 1] value: 1 }
END
    expect 0 pbcat --flame -o page.html p.pb
    expect 0 page names
    same "<unknown>	-	-
[libz.so.1]	-	libz.so.1
a::b::c()	/src/x.cc	a
main.main	/src/main.go	main
plain	/src/d/p.c	libz.so.1"
    expect 0 bash -c 'printf "main;sub 1\n" | folded2pb | pbcat --flame -o page.html'
    expect 0 page names
    same "main	-	-
sub	-	-"
}

# What colours are by, of names (the number) of which M are in package m: and
# the rest each in one of its own; files likewise.
colour_of() { # N-PACKAGES N-FILES
    {
        echo 'string_table: ["", "n", "count"'
        for i in {1..8}; do
            echo ", \"p$((i <= $1 ? 0 : i))::f$i\", \"/s/$((i <= $2 ? 0 : i)).cc\""
        done
        echo ']
sample_type { type: 1 unit: 2 }
sample { location_id: [1, 2, 3, 4, 5, 6, 7, 8] value: 1 }'
        for i in {1..8}; do
            echo "function { id: $i name: $((2 * i + 1)) filename: $((2 * i + 2)) }
location { id: $i line { function_id: $i } }"
        done
    } | encode >p.pb
    expect 0 pbcat --flame -o page.html p.pb
    page header colour
}

@test "flame: colours are by what tells names apart: package, file or name" {
    [ "$(colour_of 6 1)" = '"package"' ] # three quarters are in one
    [ "$(colour_of 7 6)" = '"file"' ]
    [ "$(colour_of 8 1)" = '"file"' ]
    [ "$(colour_of 8 8)" = '"name"' ]
}

@test "flame=svg: boxes of names alone differ, and have lines between them" {
    printf '%s\n' 'main;read_all 3' 'main;parse 4' 'main;write_all 2' |
        folded2pb -o p.pb.gz
    expect 0 pbcat --flame=svg -o p.svg p.pb.gz
    local fills="//*[local-name() = 'g'][position() > 1]/*[local-name() = 'rect']"
    [ "$(xmllint --xpath "count(${fills}[@stroke = '#fff'])" p.svg)" = 4 ]
    [ "$(xmllint --xpath "$fills/@fill" p.svg | sort -u | wc -l)" = 4 ]
    [ "$(xmllint --xpath "count(${fills}[@fill = '#dcdfe4'])" p.svg)" = 0 ]
}

@test "flame=svg: template arguments are in titles, not in boxes" {
    local args='<It<unsigned long*, std::vector<unsigned long> >, Less<unsigned long> >'
    args+='(It<unsigned long*, std::vector<unsigned long> >, Less<unsigned long>)'
    printf '%s\n' "main;void std::sort$args 80" "main;void std::swap$args 16" \
        'main;other 304' | folded2pb -o p.pb.gz
    expect 0 pbcat --flame=svg -o p.svg p.pb.gz
    label() {
        xmllint --xpath \
            "string(//*[local-name() = 'g'][*[contains(., '::$1<')]]/*[3])" p.svg
    }
    # 236 and 47.2 pixels: 31 letters and 5.
    [ "$(label sort)" = 'std::sort<...>(...)' ]
    [ "$(label swap)" = 'swap' ]
    grep -F -q 'void std::sort&lt;It&lt;unsigned long*' p.svg
}

@test "flame: light nodes are merged, sums stay, and it is said" {
    folded2pb >light.pb.gz <<'END'
main;a 30
main;b;c 2
main;b;d;e 1
main;f 60
main;g 3
h 4
END
    expect 0 pbcat -v --flame --nodefraction=0.05 -o page.html light.pb.gz
    same_err ... 'note: nodes below 5% of the total merged: 6 into 2 (10.00% of the total); 3 remain'
    expect 0 page folded 0
    same 'main;a 30
main;f 60
main;(too small) 6
(too small) 4'
    expect 0 page header merged
    same 6
    expect 0 page header limit
    same 0.05
    expect 0 pbcat -v --flame -o page.html light.pb.gz
    [ -z "$stderr" ]
    expect 0 page header merged
    same 0
}

@test "flame: a difference has both sides, as they were" {
    printf '%s\n' 'main;a 5' 'main;gone 3' >old
    printf '%s\n' 'main;a 9' 'main;new 4' >new
    folded2pb -o old.pb.gz old
    folded2pb -o new.pb.gz new
    expect 0 pbcat --flame --diff-base=old.pb.gz -o page.html new.pb.gz
    expect 0 page header diff
    same true
    expect 0 page folded 0
    same 'main;a 4
main;gone -3
main;new 4'
    expect 0 page base 0
    same 'main;a 5
main;gone 3'
    expect 0 page header signed
    same '[false]'
    # What is only subtracted has no other side.
    expect 0 pbcat --flame --base=old.pb.gz -o page.html new.pb.gz
    expect 0 page header diff
    same false
    expect 0 page header signed
    same '[true]'
    expect 0 page header totals
    same '[11]'
    expect 0 page folded 0
    same 'main;a 4
main;gone -3
main;new 4'
}

@test "flame: a difference names both sides, and keeps their times apart" {
    small() { # SECONDS VALUE
        encode <<END
string_table: ["", "n", "count", "f"]
sample_type { type: 1 unit: 2 }
time_nanos: 1700000000000000000
duration_nanos: ${1}000000000
function { id: 1 name: 3 }
location { id: 1 line { function_id: 1 } }
sample { location_id: 1 value: $2 }
END
    }
    small 40 3 >old.pb
    small 60 5 >new.pb
    for base in --base --diff-base; do
        expect 0 pbcat --flame $base=old.pb -o page.html new.pb
        expect 0 page header note
        same '["Old: old.pb, 40s","New: new.pb, 60s","Type: n"]'
        expect 0 pbcat --flame=svg $base=old.pb -o p.svg new.pb
        grep -q '^<title>profile: old.pb to new.pb</title>$' p.svg
        grep -q '>profile: old.pb to new.pb</text>$' p.svg
    done
    expect 0 bash -c 'pbcat --flame --base=old.pb --base=new.pb -o page.html \
        new.pb old.pb - <new.pb'
    [[ $(page header note) == '["Old: old.pb and 1 more, '*'"New: new.pb and 2 more, '* ]]
    # Without their names, what is known of both together is left out.
    pbmerge --base=new.pb -o less.pb.gz old.pb
    expect 0 pbcat --flame -o page.html less.pb.gz
    expect 0 page header note
    same '["Type: n"]'
    expect 0 pbcat --flame -o page.html old.pb
    [[ $(page header note) == *'"Duration: 40s, '* ]]
}

@test "flame: what only grew since a base is a difference, too" {
    printf 'main;a 5\n' | folded2pb -o old.pb.gz
    printf 'main;a 9\n' | folded2pb -o new.pb.gz
    expect 0 pbcat --flame --base=old.pb.gz -o page.html new.pb.gz
    expect 0 page header signed
    same '[true]'
    expect 0 pbcat --flame=svg --base=old.pb.gz -o p.svg new.pb.gz
    grep -A1 '<title>a$' p.svg | grep -q 'fill="#eb5c4a"'
}

@test "flame: an empty page and picture say why" {
    encode >none.pb <<<'string_table: ["", "n", "count"]
        sample_type { type: 1 unit: 2 }'
    printf '%s\n' 'main;a 5' 'main;b 3' | folded2pb -o two.pb.gz
    encode >zero.pb <<'END'
string_table: ["", "n", "count", "m"]
sample_type { type: 1 unit: 2 }
sample_type { type: 3 unit: 2 }
sample { value: 0 value: 0 label { key: 1 num: 1 } }
END
    empty() { # PICTURE PAGE ARG...
        expect 0 pbcat -q --flame=svg -o p.svg "${@:3}"
        xmllint --noout p.svg
        grep -q " y=\"46\">[a-z]*: $1</text>\$" p.svg
        expect 0 pbcat -q --flame -o page.html "${@:3}"
        expect 0 page header empty
        same "\"$2\""
    }
    local why='The profile has no samples.'
    empty "$why" "$why" none.pb
    why='None of 2 samples passes the filters.'
    empty "$why" "$why" --sample-index=0 --focus=nothing two.pb.gz
    [[ $(page header note) == *'"Active filters:","   focus=nothing"'* ]]
    empty 'All values of this type are 0.' 'All values of all samples are 0.' \
        --sample-index=n zero.pb
    why='Nothing differs from the base.'
    empty "$why" "$why" --base=two.pb.gz two.pb.gz
    expect 0 pbcat --flame -o page.html two.pb.gz
    expect 0 page header empty
    same '""'
}

@test "flame: no frames, no samples, nothing left of them" {
    encode >p.pb <<'END'
string_table: ["", "n", "count"]
sample_type { type: 1 unit: 2 }
sample { value: 3 }
sample { value: 4 }
END
    expect 0 pbcat --flame -o page.html p.pb
    expect 0 page folded 0
    same '<no stack> 7'
    expect 0 pbcat --flame=svg -o p.svg p.pb
    [ "$(xmllint --xpath "count(//*[local-name() = 'g'])" p.svg)" = 2 ]
    encode >p.pb <<<'string_table: ["", "n", "count"]
        sample_type { type: 1 unit: 2 }'
    expect 0 pbcat --flame -o page.html p.pb
    expect 0 page header nodes
    same 0
    expect 0 pbcat --flame=svg -o p.svg p.pb
    [ "$(xmllint --xpath "count(//*[local-name() = 'g'])" p.svg)" = 0 ]
    encode >p.pb <<'END'
string_table: ["", "n", "count", "f"]
sample_type { type: 1 unit: 2 }
function { id: 1 name: 3 }
location { id: 1 line { function_id: 1 } }
sample { location_id: 1 value: 5 }
sample { location_id: 1 value: -5 }
END
    expect 0 pbcat --flame -o page.html p.pb
    expect 0 page header nodes
    same 1
    expect 0 pbcat --flame=svg -o p.svg p.pb
    xmllint --noout p.svg
    [ "$(xmllint --xpath "count(//*[local-name() = 'g'])" p.svg)" = 0 ]
}

# --- the picture

# Sums over attributes of the boxes of a row, counted from 0 at the root.
row() { # N EXPRESSION
    xmllint --xpath \
        "round(100 * sum(//*[local-name() = 'g']/*[@y = $((58 + 18 * $1))]/$2))" p.svg
}

@test "flame=svg: boxes are as wide as their share, below their callers" {
    folded2pb >p.pb.gz <<'END'
main;a 500
main;a;x 250
main;b 125
other 125
END
    expect 0 pbcat --flame=svg -o p.svg p.pb.gz
    xmllint --noout p.svg
    # 1180 pixels from 10 on, in hundredths
    [ "$(row 0 @width)" = 118000 ]
    [ "$(row 1 @width)" = 118000 ]
    [ "$(row 2 @width)" = 103250 ]
    [ "$(row 3 @width)" = 29500 ]
    [ "$(row 3 @x)" = 1000 ]
    local box="//*[local-name() = 'g'][*[starts-with(., 'other')]]"
    [ "$(xmllint --xpath "string($box/*/@x)" p.svg)" = 1042.50 ]
    [ "$(xmllint --xpath "string($box/*/@width)" p.svg)" = 147.50 ]
    [ "$(xmllint --xpath "string($box/*[1])" p.svg)" = $'other\n125, 12.50%' ]
}

@test "flame=svg: below half a pixel boxes are merged, too deep ones left out" {
    {
        echo 'main;wide 10000'
        for i in {1..100}; do echo "main;narrow$i 1"; done
    } | folded2pb -o p.pb.gz
    expect 0 pbcat --flame=svg -o p.svg p.pb.gz
    [ "$(grep -c narrow p.svg)" = 0 ]
    grep -q '<title>(too small): 100$' p.svg
    [ "$(row 2 @width)" = 118000 ]
    { printf 'f;%.0s' {1..299}; echo 'f 1'; } | folded2pb -o p.pb.gz
    expect 0 pbcat --flame=svg -o p.svg p.pb.gz
    [ "$(row 256 @width)" = 118000 ]
    [ "$(row 257 @width)" = 0 ]
    grep -q '; 44 deeper rows are not shown</text>' p.svg
}

@test "flame=svg: each title has the value of its stack" {
    fixture heap.pb.gz cpu.pb.gz
    titles() { # OPTION... PROFILE
        expect 0 pbcat --flame=svg -o p.svg "$@"
        perl -0777 -ne '
            while (m{<title>([^\n]*)\n(-?\d+)[^\d.,]*, .*?</title><rect x="[^"]*" y="(\d+)"}g) {
                my ($name, $v, $depth) = ($1, $2, ($3 - 58) / 18);
                $name =~ s/&lt;/</g, $name =~ s/&gt;/>/g, $name =~ s/&amp;/&/g;
                @stack = (@stack[0 .. $depth - 1], $name =~ tr/;/:/r);
                print join(";", @stack), " $v\n" if $name !~ /^\(too small/;
            }' p.svg | sort >titles
        pbcat -q --folded "$@" | perl -ne '
            my ($stack, $v) = /(.*) (-?\d+)$/;
            my @frames = ("all", split /;/, $stack);
            $sum{join ";", @frames[0 .. $_]} += $v for 0 .. $#frames;
            END { print "$_ $sum{$_}\n" for keys %sum }' | sort >sums
        [ "$(wc -l <titles)" -gt 20 ]
        comm -23 titles sums | diff /dev/null -
    }
    titles --sample-index=alloc_space --unit=bytes heap.pb.gz
    titles --sample-index=samples --unit=count cpu.pb.gz
    titles --sample-index=samples --unit=count --nodefraction=0.1 cpu.pb.gz
}

@test "flame=svg: a difference shows what is gone, and in which direction" {
    printf '%s\n' 'main;a 5' 'main;gone 3' |
        folded2pb --sample-types=n/count -o old.pb.gz
    printf '%s\n' 'main;a 5' 'main;new 4' |
        folded2pb --sample-types=n/count -o new.pb.gz
    expect 0 pbcat --flame=svg --diff-base=old.pb.gz -o p.svg new.pb.gz
    fill() {
        xmllint --xpath \
            "string(//*[local-name() = 'g'][*[starts-with(., '$1')]]/*/@fill)" p.svg
    }
    [ "$(fill a$'\n')" = '#e9e9ec' ]
    # The root of 3/4 of the way from #e9e9ec to #548ef0, and all of that to red.
    [ "$(fill gone)" = '#689aef' ]
    [ "$(fill new)" = '#eb5c4a' ]
    # 5, 3 and 4 of 12 parts of 1180 pixels
    [ "$(row 2 @width)" = 118000 ]
    grep -A1 '<title>gone' p.svg | grep -q '^3 to 0, -3</title>.* width="295.00"'
    grep -A1 '<title>new' p.svg | grep -q '^0 to 4, +4</title>.* width="393.3[34]"'
}

# Of n samples 2 * sqrt(n) more or less are chance: of 100 and 120 29.7 are, of
# 100 and 200 34.6, of 4 and none 4, of 5 and none 4.5.
@test "flame=svg: what chance explains is gray if samples are counted" {
    difference() { # NAME: of the type of the counts
        printf '%s\n' 'main;a 100 1000' 'main;four 4 40' 'main;five 5 50' \
            'main;most 100 1000' |
            folded2pb --sample-types="$1/count,cpu/nanoseconds" -o old.pb.gz
        printf '%s\n' 'main;a 120 1200' 'main;most 200 2000' |
            folded2pb --sample-types="$1/count,cpu/nanoseconds" -o new.pb.gz
    }
    fills() { # ARG...
        pbcat -q --flame=svg --diff-base=old.pb.gz -o p.svg "$@" new.pb.gz
        xmllint --xpath "//*[local-name() = 'g']/*[2]/@fill" p.svg | tr -d ' \n'
    }
    difference samples
    # all, main: 111 more; a, five: the root of 5/111; four, most: of 100/111
    local of='fill="#eb5c4a"fill="#eb5c4a"fill="#e9e9ec"fill="#c9d6ed"'
    of+='fill="#e9e9ec"fill="#eb6352"'
    [ "$(fills)" = "$of" ]
    grep -q '; the greatest change has the full color; gray: within two standard errors</text>' p.svg
    [ "$(fills --sample-index=samples)" = "$of" ]
    # The values are those of one type.
    grep -A1 '<title>most' p.svg | grep -q '^100 to 200, +100<'
    grep -q '>samples: 209 to 320, +111;' p.svg
    # Without a value there is no picture, whatever was counted.
    printf 'main;a 9 0\n' | folded2pb --sample-types=samples/count,cpu/nanoseconds -o zero.pb.gz
    expect 0 pbcat -q --flame=svg --diff-base=zero.pb.gz -o p.svg zero.pb.gz
    grep -q '>cpu: All values of this type are 0.</text>' p.svg
    # Otherwise nobody knows.
    difference objects
    of=${of/e9e9ec/eaada7}
    [ "$(fills)" = "${of/e9e9ec/cdd8ed}" ]
    grep -q '; the greatest change has the full color</text>' p.svg
}

@test "flame: shares of a difference are of amounts, as in --text" {
    printf '%s\n' 'main;gone 5' 'main;a 3' | folded2pb -o old.pb.gz
    printf '%s\n' 'main;a 8' 'main;new 2' | folded2pb -o new.pb.gz
    pbmerge --base=old.pb.gz -o p.pb.gz new.pb.gz
    expect 0 pbcat --text p.pb.gz
    [[ $output == *'         5 41.67% 41.67%          5 41.67%  a'* ]]
    expect 0 pbcat --flame -o page.html p.pb.gz
    expect 0 page header totals
    same '[12]'
    expect 0 page header signed
    same '[true]'
    expect 0 pbcat --flame=svg -o p.svg p.pb.gz
    xmllint --noout p.svg
    title() {
        xmllint --xpath \
            "string(//*[local-name() = 'g'][*[starts-with(., '$1"$'\n'"')]]/*[1])" p.svg
    }
    # A share has no sign, as in the table; the value has.
    [ "$(title a)" = $'a\n+5, 41.67%' ]
    [ "$(title gone)" = $'gone\n-5, 41.67%' ]
    [ "$(title new)" = $'new\n+2, 16.67%' ]
    [ "$(title main)" = $'main\n+2, 16.67%' ]
    grep -q ': +2 net: +7 and -5; difference: red grew, blue shrank; widths and percentages are of absolute values</text>' p.svg
    grep -q 'fill="#548ef0"[^>]*/><text[^>]*>less</text>' p.svg
    grep -q 'fill="#eb5c4a"[^>]*/><text[^>]*>more</text>' p.svg
    # 5, 5 and 2 of 12 parts of 1180 pixels
    [ "$(row 2 @width)" = 118000 ]
    grep -A1 '<title>gone' p.svg | grep -q 'width="491.6[67]".*fill="#548ef0"'
    grep -A1 '<title>a$' p.svg | grep -q 'width="491.6[67]".*fill="#eb5c4a"'
    # 7 grew, 5 shrank: the root of 2 of 5 of the way from #e9e9ec to #eb5c4a
    grep -A1 '<title>main' p.svg | grep -q 'fill="#ea9086"'
}

@test "flame: amounts of one stack that cancel count in the total" {
    encode >p.pb <<'END'
string_table: ["", "n", "count", "f", "key", "one", "two"]
sample_type { type: 1 unit: 2 }
function { id: 1 name: 3 }
location { id: 1 line { function_id: 1 } }
sample { location_id: 1 value: 5 label { key: 4 str: 5 } }
sample { location_id: 1 value: -3 label { key: 4 str: 6 } }
END
    expect 0 pbcat --text p.pb
    [[ $output == *'         2 25.00% 25.00%          2 25.00%  f'* ]]
    expect 0 pbcat --flame -o page.html p.pb
    expect 0 page header totals
    same '[8]'
    expect 0 pbcat --flame=svg -o p.svg p.pb
    grep -A1 '<title>f$' p.svg | grep -q '^+2, 25.00%</title>'
    grep -q ': +2 net: +5 and -3;' p.svg
}

# --- both

@test "flame: names cannot break out of page or picture" {
    {
        printf 'string_table: ["", "n", "<u>&\\"", "%s", "%s", "%s"]\n' \
            '</script><script>alert(1)</script>' \
            "&amp;\\\"'<b>\\\\]]>" 'a\nb\001\377\342\200\256\357\277\277'
        echo 'sample_type { type: 1 unit: 2 }
mapping { id: 1 filename: 3 }
function { id: 1 name: 3 filename: 3 }
function { id: 2 name: 4 filename: 4 }
function { id: 3 name: 5 filename: 5 }
location { id: 1 mapping_id: 1 line { function_id: 1 } }
location { id: 2 line { function_id: 2 } }
location { id: 3 line { function_id: 3 } }
sample { location_id: [3, 2, 1] value: 7 }'
    } | encode >p.pb
    expect 0 pbcat --flame -o page.html p.pb
    run grep -c 'alert(1)' page.html
    [ "$output" = 0 ]
    expect 0 page folded 0
    same "</script><script>alert(1)</script>;&amp;\"'<b>\\]]>;"\
'a\x0ab\x01\xff\u202e\uffff 7'
    [[ $(page header names) == *'"&amp;\"'"'<b>"* ]]
    expect 0 pbcat --flame=svg -o p.svg p.pb
    xmllint --noout p.svg
    [ "$(xmllint --xpath "count(//*[local-name() = 'script'])" p.svg)" = 0 ]
    title() {
        xmllint --xpath "string(//*[local-name() = 'g'][$1]/*[1])" p.svg
    }
    [ "$(title 2)" = $'</script><script>alert(1)</script>\n7<u>&", 100%' ]
    [ "$(title 3)" = "&amp;\"'<b>\\]]>"$'\n7<u>&", 100%' ]
    [ "$(title 4)" = 'a\x0ab\x01\xff\u202e\uffff'$'\n7<u>&", 100%' ]
}

@test "flame: the same bytes with any number of threads" {
    fixture heap.pb.gz
    for format in --flame --flame=svg; do
        pbcat -T 1 $format heap.pb.gz >one
        pbcat -T 4 $format heap.pb.gz >four
        cmp one four
    done
}

@test "flame: large data are cut into pieces, whatever the number of threads" {
    # 4 numbers of each of 90,003 names, 3 of each of 360,000 nodes
    perl -e 'print "main$_;a;b;c 1\n" for 1 .. 90_000' | folded2pb -o p.pb.gz
    pbcat -T 3 --flame p.pb.gz >three
    pbcat -T 1 --flame -o page.html p.pb.gz
    cmp page.html three
    [ "$(sed -n 's/.*id="profile">\([^<]*\).*/\1/p' page.html | wc -w)" = 2 ]
    pbcat --folded p.pb.gz >folded
    page folded 0 | cmp - folded
}

@test "flame: values that do not add up are an error, whichever type" {
    encode >p.pb <<'END'
string_table: ["", "n", "count", "m"]
sample_type { type: 1 unit: 2 }
sample_type { type: 3 unit: 2 }
sample { value: 9223372036854775807 value: 1 }
sample { value: 1 value: 1 }
END
    expect 3 pbcat --flame --sample-index=m -o page.html p.pb
    same_err 'pbcat: p.pb: sample 1: the sum of n exceeds 64 bits here'
    [ ! -e page.html ]
    expect 0 pbcat --flame=svg --sample-index=m -o p.svg p.pb
}

@test "flame: of kinds there is one" {
    expect 2 pbcat --flame=png /dev/null
    same_err ... "'png'" ...
    [ -z "$output" ]
}

@test "the picture in testdata/tour is what pbcat draws" {
    expect 0 pbcat --flame=svg -o got.svg "$ROOT/testdata/tour/cpu.pb.gz"
    cmp got.svg "$ROOT/testdata/tour/flame.svg"
}

@test "flame=text: bars, chains, recursion, what is left out" {
    # 200 in all: 150 in a chain of main, run, three times f, and g; of these 40
    # in h below g, and 10 in run itself.
    folded2pb -o t.pb.gz <<'END'
main;run;f;f;f;g 100
main;run;f;f;f;g;h 40
main;run 10
main;tiny 1
other;std::vector<std::basic_string<char>>::push_back(std::basic_string<char>&&) 48
small 1
END
    expect 0 pbcat --flame=text --compact-labels t.pb.gz
    same 'Total: 200
  75.5% █████████████▋     main › run  self 5.0%
  70.0% ████████████▋      └ f ×3 › g  self 50.0%
  20.0% ███▋                 └ h  self 20.0%
  24.0% ████▍              other › std::vector<...>::push_back(...)  self 24.0%
   1.0% in boxes below 1% of the total, which are not shown (--nodefraction)'
    expect 0 pbcat --flame=text --compact-labels --nodefraction=0.3 t.pb.gz
    same 'Total: 200
  75.5% █████████████▋     main › run › f ×3 › g  self 50.0%
  45.0% in boxes below 30% of the total, which are not shown (--nodefraction)'
    expect 0 pbcat --flame=text --compact-labels --nodefraction=0 t.pb.gz
    [[ $output = *'
   0.5% ▏                  └ tiny  self 0.5%
'*'
   0.5% ▏                  small  self 0.5%' ]]
    # Nothing is lost: what lines have of their own is all.
    pbcat --flame=text --nodefraction=0 "$DATA/tour/cpu.pb.gz" |
        awk '/ self / { sub("%", "", $NF); sum += $NF; n++ }
             END { exit !(n > 20 && sum > 99 && sum < 101) }'
}

@test "flame=text: what cancels is shown, what is nothing is said" {
    printf 'a;b 10\na;c 20\n' | folded2pb -o old.pb.gz
    printf 'a;b 20\na;c 10\n' | folded2pb -o new.pb.gz
    expect 0 pbcat --flame=text --compact-labels --diff-base=old.pb.gz new.pb.gz
    same 'Total: 30
   0.0% ██████████████████ a
  33.3% █████████          ├ b  self 33.3%
 -33.3% █████████          └ c  self -33.3%'
    expect 0 pbcat --flame=text --compact-labels --base=old.pb.gz old.pb.gz
    same 'Total: 0
Nothing differs from the base.'
}

@test "flame=text: a terminal gets it in place of the page" {
    echo 'main;work 3' | folded2pb -o t.pb.gz
    script -qec 'NO_COLOR=1 COLUMNS=60 pbcat --flame t.pb.gz' /dev/null |
        tr -d '\r' >shown
    diff shown <(pbcat --flame=text t.pb.gz)
    script -qec 'TERM=xterm COLUMNS=60 pbcat --flame t.pb.gz' /dev/null |
        grep -q $'\033\[1;31m 100.0% '
    run script -qec 'pbcat --flame --with=source t.pb.gz' /dev/null
    [[ $output = *'--with requires a page: specify --output=FILE.html or --open'* ]]
    # As wide as the terminal; a file and a pipe get the page.
    echo "$(printf 'function_%d;' {1..30})end 3" | folded2pb -o t.pb.gz
    script -qec 'NO_COLOR=1 COLUMNS=60 pbcat --flame t.pb.gz' /dev/null |
        LC_ALL=C.UTF-8 grep -E '^ 100.0% .{18} function_1 .*\.\.\..* end  self 100.0%.?$' >line
    [ "$(tr -d '\r\n' <line | LC_ALL=C.UTF-8 wc -m)" = 60 ]
    pbcat --flame t.pb.gz | head -n 1 | grep -qx '<!DOCTYPE html>'
    pbcat --flame -o t.txt t.pb.gz
    diff t.txt <(pbcat --flame=text t.pb.gz)
}
