# pbcat --markdown: what it says, derived by hand, and how long it may be

bats_require_minimum_version 1.5.0
load helper

setup() { setup_scratch; }

# Three functions under main, of which one calls itself twice.
small() {
    printf '%s\n' 'main;run;parse 60' 'main;run;walk;walk;walk 30' \
        'main;idle|`x 10' | folded2pb >small.pb.gz
}

@test "the heaviest functions, the tree and calls" {
    small
    run pbcat --markdown small.pb.gz
    same '# `samples`, 100

- samples: 3, functions: 5

## Flat: where it was measured

| flat | flat% | cum | cum% | function | place |
| ---: | ---: | ---: | ---: | --- | --- |
| 60 | 60.00% | 60 | 60.00% | `parse` |  |
| 30 | 30.00% | 30 | 30.00% | `walk` |  |
| 10 | 10.00% | 10 | 10.00% | `` idle\|`x `` |  |

## Cum: with what is called from there

| flat | flat% | cum | cum% | function | place |
| ---: | ---: | ---: | ---: | --- | --- |
| 0 | 0% | 100 | 100% | `main` |  |
| 0 | 0% | 90 | 90.00% | `run` |  |
| 60 | 60.00% | 60 | 60.00% | `parse` |  |
| 30 | 30.00% | 30 | 30.00% | `walk` |  |
| 10 | 10.00% | 10 | 10.00% | `` idle\|`x `` |  |

## Paths: the heaviest, root first

```
   cum%   self%
   100%          main
 90.00%           run
 60.00%  60.00%    parse
 30.00%  30.00%    walk ×3
 10.00%  10.00%   idle|`x
```

## Callers and callees: shares of the function'"'"'s cum

`parse`, cum 60:

- callers: 100% `run`

`walk`, cum 30:

- callers: 100% `run`

`` idle|`x ``, cum 10:

- callers: 100% `main`'
}

# A line of each function: the one with the most flat value, else the most cum.
@test "places are the heaviest lines, with the last directory of the file" {
    encode >lines.pb <<'END'
sample_type { type: 1 unit: 2 }
sample { location_id: 1 location_id: 3 value: 5 }
sample { location_id: 2 location_id: 3 value: 7 }
sample { location_id: 2 location_id: 4 value: 1 }
location { id: 1 line { function_id: 1 line: 11 } }
location { id: 2 line { function_id: 1 line: 12 } }
location { id: 3 line { function_id: 2 line: 21 } }
location { id: 4 line { function_id: 2 line: 22 } }
function { id: 1 name: 3 filename: 4 start_line: 10 }
function { id: 2 name: 5 filename: 6 start_line: 20 }
string_table: ""
string_table: "samples"
string_table: "count"
string_table: "work"
string_table: "/usr/src/app/lib/work.c"
string_table: "main"
string_table: "main.c"
END
    run pbcat --markdown lines.pb
    [[ $output == *'| 13 | 100% | 13 | 100% | `work` | `lib/work.c:12` |'* ]]
    [[ $output == *'| 0 | 0% | 13 | 100% | `main` | `main.c:21` |'* ]]
    [[ $output == *'100%    100%  work lib/work.c:12'* ]]
    # Rows of lines have their place in the name.
    run pbcat --markdown --lines lines.pb
    [[ $output == *'| 8 | 61.54% | 8 | 61.54% | `work /usr/src/app/lib/work.c:12` |  |'* ]]
}

@test "a report has at most so many bytes, and says what is not in it" {
    local budget n
    perl -e 'for $i (1 .. 3000) {
        printf "main;%s%d;leaf%d %d\n", "long" x ($i % 60), $i % 700, $i, $i }' |
        folded2pb >many.pb.gz
    for budget in 2K 3000 4K 8K 64K; do
        pbcat --markdown="$budget" many.pb.gz >out.md
        n=${budget/K/ * 1024}
        (($(wc -c <out.md) <= n))
    done
    pbcat --markdown many.pb.gz | cmp - <(pbcat -o /dev/stdout --markdown=8192 many.pb.gz)
    # 3000 leaves have a flat value, the heaviest 3000 of 4501500.
    pbcat --markdown=4K many.pb.gz >out.md
    [[ $(<out.md) == *'| 3000 | 0.067% | 3000 | 0.067% | `leaf3000` |  |'* ]]
    n=$(sed -n '/^## Flat/,/^## Cum/p' out.md | grep -c '`leaf')
    grep -F "$((3000 - n)) more functions: \`pbcat --text --no-trim many.pb.gz\`" out.md
    # More bytes, more rows.
    pbcat --markdown=1M many.pb.gz >all.md
    [ "$(grep -c '^|.*`leaf' all.md)" -gt 3000 ]
}

@test "the same samples in another order are the same report" {
    perl -e 'printf "a%d;b%d;c%d 5\n", $_ % 7, $_ % 5, $_ for 1 .. 300' >x.folded
    folded2pb x.folded >x.pb.gz
    sort -r x.folded | folded2pb >y.pb.gz
    cp x.pb.gz same.pb.gz
    pbcat --markdown same.pb.gz >x.md
    cp y.pb.gz same.pb.gz
    pbcat --markdown same.pb.gz | cmp - x.md
}

@test "commands that print more repeat the options, quoted" {
    small
    perl -e 'print "f;g$_ 1\n" for 1 .. 500' | folded2pb >'many one.pb.gz'
    run pbcat --markdown=3K --focus='g|it'"'"'s' -o out.md 'many one.pb.gz'
    same ''
    grep -F "\`pbcat --text --no-trim '--focus=g|it'\\''s' 'many one.pb.gz'\`" out.md
    # They are commands: the first prints all rows.
    local command
    command=$(sed -n 's/.*: `\(pbcat --text.*\)`$/\1/p' out.md | head -n 1)
    [ "$(bash -c "$command" | grep -c ' g[0-9]*$')" = 500 ]
}

@test "what is odd about a profile is in its heading" {
    small
    printf 'main;run;parse 50\n' | folded2pb >old.pb.gz
    # 60 - 50 in parse, 30 and 10 elsewhere.
    run pbcat --markdown --base old.pb.gz small.pb.gz
    [ "${lines[0]}" = '# `samples`, 50' ]
    [[ $output == *'| 10 | 20.00% | 10 | 20.00% | `parse` |  |'* ]]
    pbcat --markdown --base small.pb.gz old.pb.gz >out.md
    grep -Fx -e '- values below 0: this is a difference' out.md
    [ "$(pbcat --markdown --focus=parse small.pb.gz | sed -n 3,4p)" = \
        "- samples: 1, functions: 3
- filtered: 1 of 3 samples" ]
}

@test "wrong and useless options" {
    small
    run -2 pbcat --markdown=1 small.pb.gz
    same "pbcat: invalid value '1' for --markdown: expected at least 2048 bytes and less than 2G"
    run -2 pbcat --markdown=2G small.pb.gz
    run -2 pbcat --markdown --text small.pb.gz
    run pbcat --markdown -n 3 small.pb.gz
    [ "${lines[0]}" = 'pbcat: warning: --nodecount has no effect on --markdown' ]
    # No samples: a heading is all there is.
    pbfilter -q --focus=nothing small.pb.gz >none.pb.gz
    run pbcat --markdown none.pb.gz
    same '# `samples`, 0

- samples: 0, functions: 0'
}
