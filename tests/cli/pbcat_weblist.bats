# pbcat --weblist: a page of sources and their instructions
#
# shellcheck disable=SC2154 # set by run

load helper

# The text of a page, line by line as it is shown, all of it open.
shown() {
    sed -E '1,/<body>/d; s/<div class="asm">/\n/; s/<[^>]*>//g' "$1" |
        sed "s/&lt;/</g; s/&gt;/>/g; s/&quot;/\"/g; s/&#39;/'/g; s/&amp;/\&/g"
}

# What is wrong with a page, as far as a parser of XML can tell: the page is
# written so that it is one but for <meta>, <br> and <!DOCTYPE>.
well_formed() {
    sed -E '/^<meta/d; s/<br>//g; 1d' "$1" | perl -e '
        local $/; my $s = <STDIN>; my @open;
        $s =~ s{<style>.*?</style>}{}s;
        while ($s =~ m{<(/?)(\w+)[^<>]*>|([<>])|(&(?!lt;|gt;|quot;|amp;|#39;))}g) {
            die "stray $&\n" if defined $3 || defined $4;
            if ($1) { die "</$2>\n" if pop(@open) ne $2 } else { push @open, $2 }
        }
        die "open: @open\n" if @open;'
}

@test "--weblist without a binary shows lines and their values" {
    mkdir src
    printf 'a%d\n' {1..20} >src/a.c
    encode >f.pb <<'END'
sample_type { type: 1 unit: 2 }
sample { location_id: 1 value: 10 }
sample { location_id: 2 location_id: 1 value: 20 }
location { id: 1 line { function_id: 1 line: 8 } }
location { id: 2 line { function_id: 1 line: 12 } line { function_id: 2 line: 3 } }
function { id: 1 name: 3 filename: 4 }
function { id: 2 name: 5 filename: 4 }
string_table: ["", "cpu", "ms", "f", "./src/a.c", "g"]
END
    expect 0 pbcat --weblist='^f$' -o page.html f.pb
    well_formed page.html
    shown page.html >text
    # Lines 8 and 12, with five around them.
    diff - <(sed -E 's/^ +//' text) <<'END'
Type: cpu
Total: 30ms

f
src/a.c

Total:        30ms       50ms (flat, cum) 166.67%
3           .          .  a3
4           .          .  a4
5           .          .  a5
6           .          .  a6
7           .          .  a7
8        10ms       30ms  a8
9           .          .  a9
10           .          .  a10
11           .          .  a11
12        20ms       20ms  a12
13           .          .  a13
14           .          .  a14
15           .          .  a15
16           .          .  a16
17           .          .  a17



END
    expect 1 pbcat --weblist=nothing f.pb
    same ''
    same_err "pbcat: f.pb: no matches for 'nothing'"
}

@test "--weblist shows names and sources as text, whatever they are" {
    local name='<script>alert(1)</script>"&\047'
    printf '%s\n' 1 2 '</div><script>x</script> & "q" \0' 4 | tr 0 '\0' >'a<b>.c'
    printf 'bad \377\001 end\n' >>'a<b>.c'
    encode >f.pb <<END
sample_type { type: 1 unit: 2 }
sample { location_id: 1 value: 10 }
mapping { id: 1 filename: 5 memory_limit: 10 }
location { id: 1 mapping_id: 1 line { function_id: 1 line: 3 } }
function { id: 1 name: 3 filename: 4 }
string_table: ["", "<b>cpu</b>", "<u>", "${name//\"/\\\"}"]
string_table: ["a<b>.c", "/x/<i>prog</i>"]
comment: 6
string_table: "<img src=x onerror=alert(1)>"
END
    expect 0 pbcat -q --weblist=. -o page.html f.pb
    well_formed page.html
    run ! grep -iE '<(script|img|b|i|u)[ >]' page.html
    shown page.html >text
    grep -qF "<script>alert(1)</script>\"&'" text
    grep -qF '</div><script>x</script> & "q"' text
    grep -qF '<img src=x onerror=alert(1)>' text
    grep -qF $'bad \xef\xbf\xbd\xef\xbf\xbd end' text
}

# The sources that a flame page has.
embedded() { # PAGE
    sed -n 's,.*id="code">\([^<]*\)<.*,\1,p' "$1" | base64 -d | gzip -dc
}

@test "--flame --with=source has the lines of functions above 0.5 percent" {
    mkdir src
    printf 'a%d </script><b>\n' {1..30} >src/a.c
    # f has 30 of 1005 in lines 8 and 12, g 1000 in line 3, h 5 in line 30.
    encode >f.pb <<'END'
sample_type { type: 1 unit: 2 }
sample { location_id: 1 value: 10 }
sample { location_id: 2 value: 20 }
sample { location_id: 3 value: 970 }
sample { location_id: 4 value: 5 }
location { id: 1 line { function_id: 1 line: 8 } }
location { id: 2 line { function_id: 1 line: 12 } }
location { id: 3 line { function_id: 2 line: 3 } line { function_id: 1 line: 9 } }
location { id: 4 line { function_id: 3 line: 30 } }
function { id: 1 name: 3 filename: 4 }
function { id: 2 name: 5 filename: 4 }
function { id: 3 name: 6 filename: 4 }
string_table: ["", "cpu", "ms", "f<i>", "./src/a.c", "g", "h"]
END
    expect 0 pbcat --flame --with=source -o page.html f.pb
    [ -z "$stderr" ]
    # h has 5 of 1005, less than 0.5 %.
    embedded page.html >code
    run jq -r '.[] | [.name, .file, .flat, .cum] | @tsv' code
    same $'g\tsrc/a.c\t970\t970
f<i>\tsrc/a.c\t1000\t1000'
    jq -r '.[1].html' code | sed 's/<[^>]*>//g' | sed -E 's/^ +//' >lines
    grep -xF '8        10ms       10ms  a8 &lt;/script&gt;&lt;b&gt;' lines
    # Of 1005, 970 are hot, in g and in the line of f that it is inlined into; 10
    # and 20 are neither that nor warm.
    jq -r '.[].html' code | grep -c 'class="hot"' | grep -qx 2
    run ! grep -q 'class="warm"' <(jq -r '.[].html' code)
    grep -xF '12        20ms       20ms  a12 &lt;/script&gt;&lt;b&gt;' lines
    grep -xF '10           .          .  a10 &lt;/script&gt;&lt;b&gt;' lines
    # --weblist has links to all of them, and colours the same lines.
    expect 0 pbcat --weblist=. -o page.html f.pb
    well_formed page.html
    grep -o '<li>.*</li>' page.html | sed 's/<[^>]*>//g' | diff - <(cat <<'END'
g 96.52%
f&lt;i&gt; 99.50%
h 0.5%
END
)
    [ "$(grep -o 'href="#f[0-9]*"' page.html | tr -d 'a-z="#')" = $'1\n2\n3' ]
    [ "$(grep -o '<h2 id="f[0-9]*"' page.html | tr -dc '0-9\n')" = $'21\n22\n23' ]
    # without sources, and without lines
    rm -r src
    expect 0 pbcat --flame --with=source -o page.html f.pb
    embedded page.html | jq -r '.[0].html' | grep -F '???'
    echo 'main;work 3' | folded2pb -o lines.pb.gz
    expect 0 pbcat --flame --with=source -o page.html lines.pb.gz
    same_err 'pbcat: lines.pb.gz: warning: no function has known source lines'
    [ "$(embedded page.html)" = '[]' ]
    expect 0 pbcat --flame -o page.html f.pb
    grep -qx '<script type="text/plain" id="code"></script>' page.html
    expect 0 pbcat --flame=svg --with=source -o f.svg f.pb
    same_err 'pbcat: warning: --with has no effect on --flame=svg'
    expect 2 pbcat --flame --with=asm -o page.html f.pb
}

# A program with an inlined function, and a profile with 10 ms at each of its
# instructions from begin of main() to its end.
make_program() {
    cat >spin.c <<'END'
volatile long sink;

static inline long mix(long x)
{
    x ^= x >> 7;
    return x * 31;
}

int main(int argc, char **argv)
{
    sink = mix(argc);
    return argv == 0;
}
END
    gcc -g -O2 -no-pie -o spin spin.c
    objdump -d --no-show-raw-insn spin |
        awk '$2 == "<main>:" { on = 1; next } /^$/ { on = 0 }
             on && $1 ~ /:$/ && $2 !~ /^nop/ { sub(":", "", $1); print $1 }' >addresses
    [[ $(wc -l <addresses) -ge 4 ]]
}

@test "--weblist shows each instruction with its line and inlined calls" {
    make_program
    local n address
    n=$(wc -l <addresses)
    {
        printf 'sample_type { type: 1 unit: 2 }\n'
        printf 'mapping { id: 1 memory_start: 0x400000 '
        printf 'memory_limit: 0x500000 filename: 3 }\n'
        awk '{
            print "location { id: " NR " mapping_id: 1 address: 0x" $1
            print "line { function_id: 1 line: 11 } }"
            print "sample { location_id: " NR " value: 10 }"
        }' addresses
        printf 'function { id: 1 name: 4 filename: 5 }\n'
        printf 'string_table: ["", "cpu", "ms", "%s", "main", "%s"]\n' \
            "$PWD/spin" "$PWD/spin.c"
    } | encode >f.pb
    expect 0 pbcat --weblist='^main$' --objdump=objdump -o page.html f.pb
    well_formed page.html
    shown page.html >text
    grep -qx "$PWD/spin.c" text
    grep -E "Total: +$((n * 10))ms +$((n * 10))ms \(flat, cum\) +100%" text
    # Each address once, with the line that the debug information gives.
    while read -r address; do
        grep -E "^ +10ms +10ms +$address: " text >row
        [[ $(wc -l <row) -eq 1 ]]
        # The first line is the innermost.
        addr2line -i -e spin "$address" | sed -E '1s,.*/([^/ ]*).*,\1,p' -n >line
        [[ $(<row) == *" $(<line)" ]]
    done <addresses
    # A flame page has the same.
    expect 0 pbcat --flame --with=source,asm --objdump=objdump -o f.html f.pb
    embedded f.html | jq -r '.[].html' | sed 's/<div class="asm">/\n/' >html
    while read -r address; do
        grep -E "^ +10ms +10ms +$address: " html
    done <addresses
    # What mix() became stands below the line of main() that calls it, each
    # instruction below the line of mix() it was made from.
    awk '/ 11 .*sink = mix/ { on = 1 } / 12 / { on = 0 } on' text >called
    grep -E '^ +x \^= x >> 7; +spin.c:5$' called
    grep -E '^ +return x \* 31; +spin.c:6$' called
    # Lines that have no code are not for opening.
    grep -F '<div class="nop"><span class="n">      8</span>' page.html
}

@test "--weblist says which program it misses" {
    make_program
    encode >f.pb <<END
sample_type { type: 1 unit: 2 }
sample { location_id: 1 value: 10 }
mapping { id: 1 memory_start: 0x400000 memory_limit: 0x500000 filename: 3 }
location { id: 1 mapping_id: 1 address: 0x$(head -n 1 addresses) line { function_id: 1 line: 11 } }
function { id: 1 name: 4 filename: 5 }
string_table: ["", "cpu", "ms", "$PWD/spin", "main", "spin.c"]
END
    expect 4 pbcat --weblist=main --objdump=./none f.pb
    same ''
    same_err ... ./none ...
    mv spin elsewhere
    expect 0 pbcat --weblist=main -o page.html f.pb
    same_err ... "f.pb: warning: $PWD/spin: code not shown: no such file" ...
    shown page.html >text
    grep -E '^ +11 +10ms +10ms +sink = mix' text
    run ! grep -F '<details>' page.html
    expect 0 pbcat --weblist=main -e elsewhere -o page.html f.pb
    same_err ''
    grep -F '<details>' page.html
}
