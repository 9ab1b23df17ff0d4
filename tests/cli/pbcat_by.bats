# pbcat --by: the rows of --text for each value of a label.  That they are the
# ones of a filtered profile is held against pbfilter.

load helper

# The rows of one value, without what is above them.
block() { # HEADING
    sed -n "/^$1: /,/^\$/p" | sed '1,2d;/^$/d'
}

# same_rows KEY VALUE EXPR FILE [OPTION...]: the rows of the value are those of
# the samples that --tagfocus=EXPR keeps, as text and as data.
same_rows() {
    local key=$1 value=$2 expr=$3 file=$4
    shift 4
    pbfilter --tagfocus="$expr" "$file" >value.pb
    pbcat --compact-labels -n 10 "$@" value.pb | sed '1,/ flat%/d' >wanted
    pbcat --by="$key" "$@" "$file" | block "$key=$value" >got
    diff -u wanted got
    pbcat --format=tsv -n 10 "$@" value.pb | sed 1d >wanted
    pbcat --by="$key" --format=tsv "$@" "$file" |
        sed -n "s/^node	$value	/node		/p" >got
    diff -u wanted got
}

# hosts.pb: stacks of two hosts, and some without, two types; a has the greater
# sum of time, b of calls.
hosts() {
    printf '%s\n' 'a;main;f 10 1' 'a;main 20 2' 'a;main;g;f 40 3' \
        'b;main;g 5 400' 'b;main;f 25 500' |
        folded2pb --root-label=host --sample-types=time/ms,calls -o with.pb
    printf '%s\n' 'main;f 3 0' 'idle 7 0' |
        folded2pb --sample-types=time/ms,calls -o without.pb
    pbmerge -o hosts.pb with.pb without.pb
}

@test "--by: a table for each value, the heaviest first" {
    hosts
    expect 0 pbcat --sample-index=time --by=host hosts.pb
    same 'Type: time

host=a: 70ms, 63.64% of 110ms
      flat  flat%   sum%        cum   cum%
      50ms 71.43% 71.43%       50ms 71.43%  f
      20ms 28.57%   100%       70ms   100%  main
         0     0%   100%       40ms 57.14%  g

host=b: 30ms, 27.27% of 110ms
      flat  flat%   sum%        cum   cum%
      25ms 83.33% 83.33%       25ms 83.33%  f
       5ms 16.67%   100%        5ms 16.67%  g
         0     0%   100%       30ms   100%  main

host=(none): 10ms, 9.09% of 110ms
      flat  flat%   sum%        cum   cum%
       7ms 70.00% 70.00%        7ms 70.00%  idle
       3ms 30.00%   100%        3ms 30.00%  f
         0     0%   100%        3ms 30.00%  main'
    same_err ''
    expect 0 pbcat --by=host -n 1 --compact-labels hosts.pb
    # The default type is calls, of which those without a host have none.
    same 'host=b: 900, 99.34% of 906
      flat  flat%   sum%        cum   cum%
       500 55.56% 55.56%        500 55.56%  f

host=a: 6, 0.66% of 906
      flat  flat%   sum%        cum   cum%
         4 66.67% 66.67%          4 66.67%  f'
    expect 0 pbcat --sample-index=time --by=host --format=csv -n 1 --cum \
        --ratio=calls hosts.pb
    same 'kind,of,name,flat,flat_percent,cum,cum_percent,unit,inlined,calls/count,calls/ratio
tag,host,a,,,70,63.6364,ms,,,
node,a,main,20,28.5714,70,100.0000,ms,,6,0.08571428571
tag,host,b,,,30,27.2727,ms,,,
node,b,main,0,0.0000,30,100.0000,ms,,900,30
tag,host,(none),,,10,9.0909,ms,,,
node,(none),idle,7,70.0000,7,70.0000,ms,,0,0'
}

@test "--by: rows are those of a profile of the value alone" {
    fixture cpu.pb.gz heap.pb.gz
    hosts
    local options value
    for options in '' --cum --lines --granularity=files --addresses \
        --sample-index=0 --mean '--ratio=0 --sample-index=1' --no-trim \
        '--nodefraction=0.2 --cum'; do
        for value in a b; do
            # shellcheck disable=SC2086 # several words, or none
            same_rows host $value host=^$value\$ hosts.pb $options
        done
        for value in north south; do
            # shellcheck disable=SC2086
            same_rows branch $value branch=^$value\$ cpu.pb.gz $options
        done
        # Numbers, of which each is a unit's multiple.
        for value in 1kB 4kB 16kB; do
            # shellcheck disable=SC2086
            same_rows bytes $value bytes=$value heap.pb.gz $options
        done
    done
    [ "$(wc -l <wanted)" -gt 0 ]
}

@test "--by: a sample counts for each of its values, but once" {
    encode >several.pb <<'END'
string_table: ["", "n", "count", "f", "key", "a", "b", "num", "bytes"]
sample_type { type: 1 unit: 2 }
function { id: 1 name: 3 }
location { id: 1 line { function_id: 1 } }
sample { location_id: 1 value: 3 label { key: 4 str: 5 } label { key: 4 str: 6 }
    label { key: 4 str: 5 } label { key: 7 num: 1048577 num_unit: 8 }
    label { key: 7 num: 1048576 num_unit: 8 } }
sample { location_id: 1 value: 1 label { key: 4 str: 6 }
    label { key: 7 num: 0 num_unit: 8 } }
END
    expect 0 pbcat --by=key --format=csv several.pb
    same 'kind,of,name,flat,flat_percent,cum,cum_percent,unit,inlined
tag,key,b,,,4,100.0000,count,
node,b,f,4,100.0000,4,100.0000,count,
tag,key,a,,,3,75.0000,count,
node,a,f,3,100.0000,3,100.0000,count,'
    # Numbers that have one text are one value.
    expect 0 bash -c 'pbcat --by=num --format=csv several.pb | grep ^tag'
    same 'tag,num,1MB,,,3,75.0000,count,
tag,num,0,,,1,25.0000,count,'
}

@test "--by: filters, and what it is not for" {
    hosts
    expect 0 pbcat --sample-index=time --by=host --compact-labels --focus=g \
        hosts.pb
    same 'Active filters:
   focus=g

host=a: 40ms, 36.36% of 110ms
      flat  flat%   sum%        cum   cum%
      40ms   100%   100%       40ms   100%  f
         0     0%   100%       40ms   100%  g
         0     0%   100%       40ms   100%  main

host=b: 5ms, 4.55% of 110ms
      flat  flat%   sum%        cum   cum%
       5ms   100%   100%        5ms   100%  g
         0     0%   100%        5ms   100%  main'
    expect 0 pbcat --by=host --focus=none --format=tsv hosts.pb
    [ "${#lines[@]}" = 1 ]
    local key
    for key in Host '' pid; do
        expect 2 pbcat --by=$key hosts.pb
        same_err "pbcat: hosts.pb: no sample has the label '$key'; --tags lists the labels"
    done
    for format in --tree --tags --json --flame=svg --text=classic --check \
        --digest; do
        expect 2 pbcat --by=host $format hosts.pb
        same_err "pbcat: --by cannot be combined with $format: it applies only to --text"
    done
    # The suffix of the output chooses no other format.
    expect 0 pbcat --by=host --format=csv -o out.csv hosts.pb
    grep -q ^tag,host out.csv
    # A difference has shares of the base.
    expect 0 pbcat --sample-index=time --by=host --compact-labels \
        --diff-base=with.pb hosts.pb
    [ "${lines[0]}" = 'host=a: 0, 0% of 100ms' ]
    [[ $output = *'host=(none): 10ms, 10.00% of 100ms'* ]]
    # Threads change nothing.
    cmp <(pbcat -T1 --by=host hosts.pb) <(pbcat -T4 --by=host hosts.pb)
}

@test "--by: many values cost no more than their samples" {
    awk 'BEGIN { for (i = 0; i < 20000; i++)
        printf "t%d;main;f%d;g%d %d\n", i, i, i % 7, i + 1 }' |
        folded2pb --root-label=tid -o many.pb
    expect 0 bash -c 'pbcat --by=tid --format=tsv many.pb | grep -c "^tag"'
    same 20000
}

# Shares of 50 hosts: parse has 2.7 % of 100,000 samples but for a fixed noise,
# step has 50 % and wait the rest.  With $1, one more host has it at 6 %.
fleet() {
    awk -v planted="${1-}" 'function host(name, parse, step) {
        printf "%s;main;parse %d %d\n", name, parse, 10 * parse
        printf "%s;main;step %d %d\n", name, step, 10 * step
        printf "%s;main;wait %d %d\n", name, 1e5 - parse - step, 1e6 - 10 * (parse + step)
    }
    BEGIN {
        for (i = 1; i <= 50; i++)
            host("host" i, 2700 + 25 * (i * 37 % 11 - 5), 50000 + 60 * (i * 29 % 13 - 6))
        if (planted)
            host("odd", 6000, 50000)
    }' | folded2pb --root-label=host --sample-types=samples,cpu/ms -o fleet.pb
}

@test "--outliers: a host of 51 whose share is beyond the noise" {
    fleet odd
    expect 0 pbcat --by=host --outliers --compact-labels fleet.pb
    same '     share     others   distance  host: function
     6.00%      2.70%      +29.7  odd: parse
    44.00%     47.31%      -11.2  odd: wait'
    same_err ''
    expect 0 pbcat --by=host --outliers --format=csv -n 1 fleet.pb
    same 'kind,of,name,flat,flat_percent,cum,cum_percent,unit,inlined,others_percent,distance
outlier,odd,parse,60000,6.0000,60000,6.0000,ms,,2.7000,29.68'
    expect 0 bash -c 'pbcat --by=host --outliers --format=json fleet.pb |
        jq -c ".rows[] | [.kind, .of, .distance > 4]"'
    same '["outlier","odd",true]
["outlier","odd",false]'
    # A share below the limit is not shown.
    expect 0 pbcat --by=host --outliers --compact-labels --nodefraction=0.1 \
        fleet.pb
    same '     share     others   distance  host: function
    44.00%     47.31%      -11.2  odd: wait'
    fleet
    expect 0 pbcat --by=host --outliers --compact-labels fleet.pb
    same 'no outliers'
    expect 0 pbcat --by=host --outliers --cum --no-trim fleet.pb
    same 'Type: cpu
no outliers'
    expect 0 pbcat --by=host --outliers --format=csv fleet.pb
    [ "${#lines[@]}" = 1 ]
}

# Ten hosts with 1000 samples; main calls rare $1 times, and only on one.
rare() {
    awk -v rare="$1" 'BEGIN { for (i = 0; i < 10; i++) {
        printf "h%d;main %d\n", i, 1000 - (i == 3 ? rare : 0)
        if (i == 3)
            printf "h%d;main;rare %d\n", i, rare
    } }' | folded2pb --root-label=host --sample-types="$2" -o rare.pb
}

@test "--outliers: few samples are no evidence" {
    local n
    rare 4 samples
    expect 0 pbcat --by=host --outliers --compact-labels --no-trim rare.pb
    same 'no outliers'
    rare 6 samples
    expect 0 pbcat --by=host --outliers --compact-labels rare.pb
    same '     share     others   distance  host: function
     0.60%      0.00%       +6.0  h3: rare'
    # Without samples, shares are good for 0.1 %.
    rare 9 cpu/ms
    expect 0 pbcat --by=host --outliers --compact-labels rare.pb
    same '     share     others   distance  host: function
    99.10%    100.00%       -9.0  h3: main
     0.90%      0.00%       +9.0  h3: rare'
    # A host that lacks what the others have.
    for n in 1 2 3 4 5; do
        printf '%s\n' "h$n;main 500" "h$n;main;common $((500 + n))"
    done >hosts.folded
    folded2pb --root-label=host --sample-types=samples -o lacks.pb \
        hosts.folded - <<<'h6;main 1000'
    expect 0 pbcat --by=host --outliers --compact-labels -n 1 --cum lacks.pb
    same '     share     others   distance  host: function
     0.00%     50.15%      -22.4  h6: common'
}

@test "--outliers: what it requires" {
    hosts
    expect 3 pbcat --by=host --outliers hosts.pb
    same_err "pbcat: hosts.pb: --outliers needs at least 4 values of the label 'host' to compare; found 2"
    expect 2 pbcat --outliers hosts.pb
    same_err 'pbcat: --outliers requires --by'
    expect 2 pbcat --by=host --outliers --diff-base=with.pb hosts.pb
    same_err 'pbcat: --outliers cannot be combined with --base'
    fleet odd
    pbcat --by=host --outliers fleet.pb >plain
    local option
    for option in --mean --divide-by=2 --ratio=samples; do
        expect 0 pbcat --by=host --outliers "$option" -o got fleet.pb
        same_err "pbcat: warning: ${option%%=*} has no effect on --outliers"
        cmp plain got
    done
    cmp plain <(pbcat -T3 --by=host --outliers fleet.pb)
}
