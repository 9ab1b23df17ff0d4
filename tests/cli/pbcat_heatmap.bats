# pbcat --heatmap: sums of values by time.  The samples are those of a text of
# perf script, so that all times are known.

load helper

# A sample for each argument, TIME:PERIOD.
timed() { # TIME:PERIOD...
    local sample
    for sample; do
        printf 'prog 10/10 %s: %s cycles:\n\t401000 main+0x0 (/opt/prog)\n\n' \
            "${sample%:*}" "${sample#*:}"
    done | perf2pb -q --labels=timestamp_ns --no-symbols
}

@test "a column is a span of time, a row a part of each span" {
    # 350 ms: columns of 10 ms, rows of 0.5 ms.  Values are 9 steps of the
    # greatest, 90: 10 is the first, 11 the second.
    timed 100.000000:90 100.000400:0 100.010600:10 100.029999:11 \
        100.340100:40 100.340200:45 100.350000:1 >times.pb
    expect 0 pbcat --compact-labels --heatmap times.pb
    [ "${lines[0]}" = '36 columns of 10ms from left to right, 20 rows of 500us from bottom to top; samples from 100.000000000 to 100.350000000 s' ]
    [ "${lines[1]}" = "'@' is up to 90 in a cell" ]
    [ "${lines[2]}" = '  9.50ms |  :                                 |' ]
    [ "${lines[20]}" = '   500us | .                                  |' ]
    [ "${lines[21]}" = '       0 |@                                 @.|' ] || false
    [ "${lines[22]}" = '          +0        +0.1      +0.2      +0.3' ]
    [ "${#lines[@]}" = 23 ]
    # All other rows are empty.
    [ "$(printf '%s\n' "${lines[@]:3:17}" | cut -d '|' -f 2 | tr -d ' \n')" = '' ]
}

@test "the picture has a cell for each sum, with its times" {
    timed 7.000000:3 7.099999:1 >times.pb
    pbcat --heatmap=svg -o out.svg times.pb
    xmllint --noout out.svg
    # 100 columns of 1 ms, rows of 20 us.
    [ "$(xmllint --xpath '//*[local-name() = "title"]/text()' out.svg)" = \
        '7.000000000,7.000019999: 3
7.099980000,7.099999999: 1' ]
    # The suffix chooses the picture.
    expect 0 pbcat --heatmap -o same.svg times.pb
    same_err ''
    cmp out.svg same.svg
    # The times select what the cell shows.
    [ "$(xmllint --xpath 'count(//*[local-name() = "title"])' out.svg)" = 2 ]
}

@test "the span grows with the time" {
    local case
    for case in 1.000001:1us 1.00008:1us 1.0005:10us 21:1s 501:10s 5001:60s \
        20001:600s; do
        timed 1.000000:1 "$(printf '%.9f' "${case%:*}"):1" >times.pb
        expect 0 pbcat --compact-labels --heatmap times.pb
        [[ ${lines[0]} = *" of ${case#*:} from left"* ]]
    done
}

@test "samples without time" {
    timed 1.000000:5 >times.pb
    echo 'main 3 4' |
        folded2pb --sample-types=cycles_sample/count,cycles_event/count >none.pb
    expect 0 pbcat --heatmap none.pb
    same_err 'pbcat: none.pb: warning: no sample has the label timestamp_ns; convert with perf2pb --labels=timestamp_ns'
    [ "${lines[*]: -1}" = 'no samples have a time' ]
    expect 3 pbcat --strict --heatmap none.pb
    expect 0 pbcat --heatmap times.pb none.pb
    same_err 'pbcat: warning: 1 of 2 samples skipped: no label timestamp_ns'
}
