# examples/load-sqlite: what SQLite answers is what pbcat shows.

load helper
load databases

setup() {
    setup_scratch
    hosts
}

answer() { # DATABASE QUERY
    sqlite3 -batch -noheader -separator $'\t' "$1" "$2"
}

all='SELECT host, day, function, flat, cum FROM function'

@test "functions by host and day are those of pbcat" {
    "$EXAMPLES/load-sqlite" db cpu */*.pb.gz
    answer db "$all" | LC_ALL=C sort >got
    shown */*.pb.gz >wanted
    [ "$(wc -l <wanted)" -gt 50 ]
    diff -u wanted got
    # One more, later: the others stay.
    mkdir web3 'a b'
    cp web1/2024-05-02.pb.gz web3
    TMPDIR="$PWD/a b" "$EXAMPLES/load-sqlite" db cpu web3/*.pb.gz
    answer db "$all" | LC_ALL=C sort >got
    shown */*.pb.gz | diff -u - got
}

@test "the query of the manual has pbcat's first functions" {
    local file
    "$EXAMPLES/load-sqlite" db cpu web1/*.pb.gz
    sed -n '/^```sql$/,/^```$/p' "$EXAMPLES/README.md" | sed '1d;$d' >query
    answer db "$(cat query)" >got
    [ "$(wc -l <got)" = 6 ]
    # Of equal values it does not matter which.
    for file in web1/*.pb.gz; do
        shown "$file" | sort -t $'\t' -k4,4nr | head -n 3 | cut -f 1,2,4
    done >wanted
    cut -f 1,2,4 got | diff -u wanted -
    shown web1/*.pb.gz | LC_ALL=C sort >rows
    [ "$(LC_ALL=C sort got | LC_ALL=C comm -12 - rows | wc -l)" = 6 ]
}

@test "a profile that cannot be read leaves the database as it was" {
    "$EXAMPLES/load-sqlite" db cpu web1/*.pb.gz
    answer db "$all" >before
    echo damaged >web1/2024-05-03.pb.gz
    run --separate-stderr "$EXAMPLES/load-sqlite" db cpu */*.pb.gz
    [ "$status" != 0 ]
    [[ $stderr = *'2024-05-03.pb.gz: not a profile.proto message'* ]]
    answer db "$all" | cmp before -
}

@test "a name without host or day is an error of usage" {
    local file tool
    for tool in 'load-sqlite db' load-postgresql; do
        for file in plain.pb.gz ./plain.pb.gz web1/../plain.pb.gz /plain.pb.gz \
            web1/.pb.gz web1/plain.pb $'web1/2024-05-03\n.pb.gz'; do
            # shellcheck disable=SC2086
            expect 2 "$EXAMPLES/"$tool cpu web1/2024-05-01.pb.gz "$file"
            [[ $stderr = *": $file: not called HOST/DAY.pb.gz" ]]
        done
    done
    [ ! -e db ]
}

@test "a name with NUL, which SQLite would cut, is an error" {
    printf 'a\0b;c 3\n' | folded2pb --sample-types=cpu/count \
        -o web1/2024-05-03.pb.gz
    expect 1 "$EXAMPLES/load-sqlite" db cpu web1/*.pb.gz
    [[ $stderr = *'web1/2024-05-03.pb.gz: a name contains NUL' ]]
    [ ! -e db ]
}
