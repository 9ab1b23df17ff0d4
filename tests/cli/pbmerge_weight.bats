# pbmerge --weight, --equal, --scale: values, and the samples that become 0.

load helper

setup() {
    setup_scratch
    printf 'a 1\nb 3\nc 20\n' | folded2pb -o one
    printf 'x 100\ny 20\n' | folded2pb -o two
}

# Prints "STACK VALUE..." for each sample, with the values of all types, in
# order of the stacks.
values() { # FILE
    pbcat -q --json "$1" | jq -r '. as $p | .sample[] |
        ([.location[] | $p.function[$p.location[.].line[0].function].name] |
            reverse | join(";")) + " " + (.value | join(" "))' | sort
}

gone() { # N SUM
    same_err "pbmerge: warning: $1 sample$([ "$1" = 1 ] || echo s) dropped: values scaled to 0; their sum was $2"
}

@test "--weight is exact, and halves round away from zero" {
    local rows weight wanted
    rows='2|a 2,b 6,c 40
-1|a -1,b -3,c -20
0.5|a 1,b 2,c 10
-0.5|a -1,b -2,c -10
1|a 1,b 3,c 20
1.0|a 1,b 3,c 20
333333333333333333|a 333333333333333333,b 999999999999999999,c 6666666666666666660'
    while IFS='|' read -r weight wanted; do
        expect 0 pbmerge --weight="$weight" -o sum one
        same_err ''
        run values sum
        same "${wanted//,/$'\n'}"
        # One input is the sum.
        cmp sum <(pbmerge --scale="$weight" one)
    done <<<"$rows"
}

@test "--weight applies to the inputs that follow" {
    expect 0 pbmerge -o sum one --weight=2 two --weight=3 one --weight=1 one
    same_err ''
    run values sum
    same $'a 5\nb 15\nc 100\nx 200\ny 40'
    # Labels go on meanwhile, and so do weights.
    pbmerge -o sum --weight=2 one --label=k=v one
    [ "$(pbcat -q --json sum |
        jq -c '[.sample[] | [.value[0], (.label | length)]] | sort')" = \
        '[["2",0],["2",1],["40",0],["40",1],["6",0],["6",1]]' ]
    expect 2 pbmerge --weight=x one
    same_err "pbmerge: invalid value 'x' for --weight: expected a decimal number"
    expect 2 pbmerge one --weight=2
    same_err 'pbmerge: no input follows the last --label, --source-label or --weight, which apply to the inputs after them'
    expect 3 pbmerge --weight=999999999999999999 one
    same_err 'pbmerge: one: a value of 20 samples/count exceeds 64 bits when scaled'
}

@test "weights do not depend on order, grouping or threads" {
    local t
    pbmerge -q -o all --weight=0.5 one --weight=0.3 two
    for t in 1 2 3; do
        cmp all <(pbmerge -q -T"$t" --weight=0.3 two --weight=0.5 one)
        cmp all <(pbmerge -q -T"$t" --memory=64M --weight=0.3 two \
            --weight=0.5 one)
    done
    cmp all <(pbmerge <(pbmerge -q --weight=0.3 two) \
        <(pbmerge -q --weight=0.5 one))
    # Equal samples of an input are one, as in its canonical form.
    encode >apart.pb <<'END'
sample_type { type: 1 unit: 2 }
sample { location_id: 1 value: 1 } sample { location_id: 2 value: 1 }
location { id: 1 address: 16 } location { id: 2 address: 16 }
string_table: ["", "cpu", "count"]
END
    cmp <(pbmerge --weight=0.5 apart.pb) <(pbmerge apart.pb | pbmerge --weight=0.5)
    [ "$(pbmerge --weight=0.5 apart.pb | pbcat -q --json |
        jq -c '[.sample[].value]')" = '[["1"]]' ]
}

@test "samples that become 0 are said, with their sum" {
    expect 0 pbmerge --weight=0.4 -o sum one
    gone 1 '1 samples/count'
    run values sum
    same $'b 1\nc 8'
    expect 0 pbmerge -q --scale=0.1 -o sum one
    gone 2 '4 samples/count'
    expect 0 pbmerge --weight=0 -o sum one --weight=0.4 one
    gone 4 '25 samples/count'
    expect 3 pbmerge --strict --weight=0.4 -o none one
    [ ! -e none ]
    # A sample stays while one of its values does.
    folded2pb --sample-types=n/count,t/ns -o both <<<$'a 1 10\nb 2 1\nc 0 -1'
    expect 0 pbmerge --weight=0.2 -o sum both
    gone 2 '2 n/count'
    run values sum
    same 'a 0 2'
    # Types are named in their order, whichever thread met them first.
    folded2pb --sample-types=m/count -o more <<<'a 1'
    for t in 1 2 2 2; do
        expect 0 pbmerge -T"$t" --types=union --weight=0.2 -o sum both more both
        gone 5 '1 m/count, 4 n/count'
    done
}

@test "--equal scales each input to the totals of the first" {
    expect 0 pbmerge --equal -o sum one two one
    same_err ''
    # 24 of 120: 100 and 20 are 20 and 4.
    run values sum
    same $'a 2\nb 6\nc 40\nx 20\ny 4'
    pbmerge -o sum two one --equal
    run values sum
    same $'a 5\nb 15\nc 100\nx 100\ny 20'
    # Then by the weights: 12 of 24, and 24 of 120.
    pbmerge -o sum --equal --weight=0.5 one --weight=1 two
    run values sum
    same $'a 1\nb 2\nc 10\nx 20\ny 4'
    for t in 1 2 5; do
        cmp <(pbmerge -T"$t" --equal one two two one) \
            <(pbmerge -T1 --equal one one two two)
    done
    # Each type has its own total: 3 of 6, and 40 of 10.
    folded2pb --sample-types=n/count,t/ns -o first <<<$'a 1 10\nb 2 30'
    folded2pb --sample-types=t/ns,n/count -o second <<<$'c 10 4\nd 0 2'
    pbmerge -o sum --equal first second
    run values sum
    same $'a 1 10\nb 2 30\nc 2 40\nd 1 0'
    # Totals beyond the precision of a double, 2^61 + 1, are exact.
    folded2pb -o large <<<'f 2305843009213693953'
    folded2pb -o small <<<'g 3'
    pbmerge -o sum --equal large small
    run values sum
    same $'f 2305843009213693953\ng 2305843009213693953'
}

@test "--equal and totals of 0, or of no type" {
    encode >zero.pb <<'END'
sample_type { type: 1 unit: 2 } string_table: ["", "samples", "count"]
sample { location_id: 1 value: 5 } sample { location_id: 2 value: -5 }
location { id: 1 address: 16 } location { id: 2 address: 17 }
END
    expect 3 pbmerge --equal zero.pb one
    same_err 'pbmerge: one: --equal: the total of samples/count is 0 in the first input; put another input first, or keep only the other types with pbfilter --sample-index'
    expect 3 pbmerge --equal one zero.pb
    same_err 'pbmerge: zero.pb: --equal: the total of samples/count is 0, so the input cannot be scaled'
    expect 5 pbmerge -k -o sum --equal one zero.pb two
    cmp sum <(pbmerge --equal one two)
    # A type without values needs no scale.
    folded2pb --sample-types=samples/count,t/ns -o few <<<'f 12 0'
    folded2pb --sample-types=samples/count,t/ns -o many <<<'g 24 7'
    pbmerge -o sum --equal many few
    run values sum
    same $'f 24 0\ng 24 7'
    expect 3 pbmerge --equal --types=union one many
    same_err 'pbmerge: many: --equal: the first input has no sample type t/ns; put an input first that has all of them'
    pbmerge -o sum --equal --types=intersect many one
    run values sum
    same $'a 1\nb 3\nc 20\ng 24'
    pbmerge -o sum --equal --types=intersect one many
    run values sum
    same $'a 1\nb 3\nc 20\ng 24'
    pbmerge -o sum --equal --types=union many one
    run values sum
    same $'a 1 0\nb 3 0\nc 20 0\ng 24 7'
}
